//! Entropy, exact samplers, and mechanisms whose privacy maps are theorems.
//!
//! [`entropy`] says where random bits come from, [`sampler`] turns them into draws whose law is exact.

#![forbid(unsafe_code)]

pub mod entropy;
pub mod sampler;
