//! Finds derivations. Untrusted: may miss a proof, cannot forge one.
//!
//! [`prove`] searches; [`certificate::write`] makes a file of what it found and [`certificate::check`] replays
//! such a file; [`outline::outline`] shows a proof step by step.

#![forbid(unsafe_code)]

pub mod certificate;
pub mod derivation;
mod effort;
mod evidence;
pub mod explain;
pub mod outline;
mod plan;
mod proof;
mod rehearse;
mod tables;
pub mod vacuity;

pub use evidence::{search, simplex};
pub use proof::{Proof, prove, prove_until};
