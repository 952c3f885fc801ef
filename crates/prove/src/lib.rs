//! Finds derivations. Untrusted: may miss a proof, cannot forge one.

#![forbid(unsafe_code)]

pub mod derivation;
pub mod search;
pub mod simplex;
