//! Finds derivations. Untrusted: may miss a proof, cannot forge one.

#![forbid(unsafe_code)]

pub mod simplex;
