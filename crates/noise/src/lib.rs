//! Entropy, exact samplers, and mechanisms whose privacy maps are theorems.
//!
//! [`entropy`] says where random bits come from, [`sampler`] turns them into draws whose law is exact.

// Allowed in one file only, `entropy/fork.rs`, which says why; a test holds us to that.
#![deny(unsafe_code)]

pub mod accuracy;
pub mod calibrate;
pub mod catalogue;
pub mod compose;
pub mod domain;
pub mod entropy;
pub mod map;
pub mod measure;
pub mod measurement;
pub mod mechanisms;
pub mod metric;
pub mod odometer;
pub mod sampler;
pub mod search;
pub mod transform;
pub mod unit;
