//! Finds derivations. Untrusted: may miss a proof, cannot forge one.

#![forbid(unsafe_code)]

pub mod certificate;
pub mod derivation;
pub mod explain;
pub mod outline;
pub mod plan;
mod proof;
pub mod search;
pub mod simplex;

pub use proof::{Proof, prove};
