//! Rounding errors of floating-point programs, and the privacy certificate of floating-point mechanisms.
//!
//! Untrusted in the sense of the house: what it claims about privacy is re-checked by `probity-kernel`.
//!
//! ```
//! use probity_exact::fraction;
//! use probity_float::certified::{Certified, certify, snapping};
//! use probity_kernel::term::Reading;
//! // The snapping mechanism with ε = 1 and B = 100, as it runs in binary64: pure, and hardly more than ε.
//! let mechanism = snapping(&fraction::<1, 1>(), &fraction::<100, 1>());
//! let theorem = certify(&mechanism, Reading::BINARY64, Default::default()).unwrap();
//! let certificate = Certified::of(theorem).unwrap();
//! assert!(certificate.excess <= 6.2e-14 && certificate.delta == 0.0);
//! ```
//!
//! [`roundoff`] bounds the rounding errors of programs that [`fpcore`] reads; [`mod@derive`] makes of them derivations that the kernel checks.

#![forbid(unsafe_code)]

pub mod certified;
pub mod decimal;
pub mod derive;
pub mod fpcore;
mod interval;
pub mod numeral;
pub mod paper;
pub mod program;
pub mod roundoff;
pub mod sexp;
pub mod trigonometry;

pub use interval::Interval;
