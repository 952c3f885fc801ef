//! What is proved about floating-point arithmetic: the threshold theorem for noisy sums on a grid, and the
//! checker of rounding-error derivations.
//!
//! `docs/threshold-theorem.md` has the proofs; the names here are the names there. No machine arithmetic decides
//! anything: parameters are exact rationals, and every bound comes from enclosures with outward rounding.
//!
//! ```
//! use probity_exact::{Format, Rational, rational};
//! use probity_kernel::float::{Scaling, Snapped, Uniform, threshold};
//! let snapping = Snapped {
//!     format: Format::BINARY64,
//!     uniform: Uniform::Star,
//!     ln_ulps: 0,
//!     scaling: vec![Scaling::Divide(Rational::ONE)],
//!     grid: Rational::ONE,
//!     bound: rational(100, 1).unwrap(),
//!     sensitivity: Rational::ONE,
//! };
//! let theorem = threshold(&snapping).unwrap();
//! assert!(theorem.delta().is_zero() && *theorem.excess() < rational(1, 10_000_000_000_000i64).unwrap());
//! ```

pub mod derivation;
mod rounding;
pub mod shape;
pub mod threshold;

pub use shape::{Family, Rejection, Scaling, Snapped, Uniform};
pub use threshold::{FloatTheorem, Subject, threshold, threshold_family};
