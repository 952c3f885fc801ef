//! What is proved about floating-point arithmetic: the threshold theorem for noisy sums on a grid, and the
//! checker of rounding-error derivations.
//!
//! `docs/threshold-theorem.md` has the proofs; the names here are the names there. No machine arithmetic decides
//! anything: parameters are exact rationals, and every bound comes from enclosures with outward rounding.
//!
//! A [`FloatTheorem`] is about a mechanism and a claim, as one over the reals is. [`bound`] and [`threshold()`] read the
//! mechanism themselves; nobody tells them what its numbers are.

pub(crate) mod constant;
pub mod derivation;
pub mod form;
mod recognise;
pub mod rejection;
mod rounding;
pub mod shape;
mod term;
pub mod theorem;
pub mod threshold;

pub use rejection::Rejection;
pub use shape::{Family, Implementation, Scaling, Snapped, Uniform};
pub use theorem::{Bound, FloatTheorem, bound, threshold};
pub use threshold::{Loss, Steps, Subject};
