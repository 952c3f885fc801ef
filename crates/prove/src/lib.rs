//! Finds derivations. Untrusted: may miss a proof, cannot forge one.
//!
//! [`prove`] searches; [`certificate::write`] makes a file of what it found and [`certificate::check`] replays
//! such a file; [`outline::outline`] shows a proof step by step.

#![forbid(unsafe_code)]

mod algebra;
mod candidates;
pub mod certificate;
pub mod derivation;
pub mod explain;
mod invariants;
pub mod outline;
mod plan;
mod proof;
mod rehearse;
mod rewrites;
mod rows;
pub mod search;
pub mod simplex;
mod suggest;
mod tables;
mod weaken;

pub use proof::{Proof, prove, prove_until};
