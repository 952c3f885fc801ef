//! Entropy, exact samplers, and mechanisms whose privacy maps are theorems.
//!
//! [`entropy`] says where random bits come from.

#![forbid(unsafe_code)]

pub mod entropy;
