//! What a claim is about: whether there are two different neighbours, and whether one row alone makes some.

pub mod one_row;
pub mod vacuity;
