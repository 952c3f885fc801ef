//! What a mechanism is, what is claimed of it, and what counts as a proof.
//!
//! All that a sceptic must read, together with `probity-exact`. It depends on nothing else of Probity, calls no
//! solver and does no floating-point arithmetic.

#![forbid(unsafe_code)]

pub mod expr;
pub mod render;
pub mod term;
