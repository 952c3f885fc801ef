//! Finds derivations. Untrusted: may miss a proof, cannot forge one.
//!
//! [`prove`] searches; [`certificate::write`] makes a file of what it found and [`certificate::check`] replays
//! such a file; [`outline::outline`] shows a proof step by step.

#![forbid(unsafe_code)]

pub mod certificate;
pub mod derivation;
pub mod explain;
pub mod outline;
pub mod plan;
mod proof;
pub mod search;
pub mod simplex;
mod suggest;

pub use proof::{Proof, prove};
