//! Rounding errors of floating-point programs, and the privacy certificate of floating-point mechanisms.
//!
//! Untrusted in the sense of the house: what it claims about privacy is re-checked by `probity-kernel`.

#![forbid(unsafe_code)]

pub mod certificate;
pub mod derive;
pub mod fpcore;
pub mod numeral;
pub mod paper;
pub mod program;
pub mod roundoff;
pub mod sexp;
mod span;
pub mod trigonometry;

pub use span::Span;
