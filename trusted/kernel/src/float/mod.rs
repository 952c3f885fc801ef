//! What is proved about floating-point arithmetic: the threshold theorem for noisy sums on a grid, and the
//! checker of rounding-error derivations.
//!
//! `docs/threshold-theorem.md` has the proofs; the names here are the names there. No machine arithmetic decides
//! anything: parameters are exact rationals, and every bound comes from enclosures with outward rounding.

pub mod derivation;
mod rounding;
pub mod shape;
pub mod threshold;

pub use shape::{Family, Rejection, Scaling, Snapped, Uniform};
pub use threshold::{FloatTheorem, Subject, threshold, threshold_family};
