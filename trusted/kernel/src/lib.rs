//! What a mechanism is, what is claimed of it, and what counts as a proof.
//!
//! All that a sceptic must read, together with `probity-exact`. It depends on nothing else of Probity, calls no
//! solver and does no floating-point arithmetic.

#![forbid(unsafe_code)]

pub mod call;
pub mod chain;
pub mod concentrated;
pub mod context;
pub mod conversion;
pub mod entail;
pub mod equivalence;
pub mod expand;
pub mod expr;
pub mod fact;
pub mod finite;
pub mod float;
pub mod kind;
pub mod law;
pub mod lemma;
mod lists;
pub mod poly;
pub mod privacy;
pub mod rejection;
pub mod render;
pub mod rules;
pub mod sampling;
pub mod select;
mod tables;
pub mod term;
