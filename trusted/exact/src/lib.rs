//! Numbers that do not lie.
//!
//! Integers and rationals of any size, binary floats of any format with correctly rounded operations,
//! f64 operations whose rounding direction is in the name, and enclosures of real numbers. Part of what a
//! sceptic must read; it depends on nothing else of Probity.
//!
//! ```
//! use probity_exact::{Format, Round, fraction, ln_bounds, parse_rational};
//! // Numbers are exact, from text and from integers.
//! let tenth = parse_rational("0.1").unwrap();
//! assert_eq!(tenth, fraction::<1, 10>());
//! // Rounding happens where it is asked for, in the direction that is asked for.
//! let below = Format::BINARY64.round(&tenth, Round::Down).to_rational().unwrap();
//! let above = Format::BINARY64.round(&tenth, Round::Up).to_rational().unwrap();
//! assert!(below < tenth && tenth < above);
//! // A logarithm is never a rational but at 1: it is enclosed, as tightly as wanted.
//! let (low, high) = ln_bounds(&tenth, 100).unwrap();
//! assert!(low < high && high - low < parse_rational("1e-29").unwrap());
//! ```

#![forbid(unsafe_code)]

mod arithmetic;
pub mod directed;
mod elementary;
mod enclosure;
mod fast;
mod float;
mod format;
mod normal;
mod rational;
mod round;

pub use dashu_base::{Abs, BitTest, DivRem, Sign, Signed, SquareRoot, UnsignedAbs};
pub use dashu_int::{IBig as Integer, UBig as Natural};
pub use dashu_ratio::RBig as Rational;
pub use elementary::{exp_bounds, ln_bounds};
pub use enclosure::{Enclosure, Endpoint};
pub use float::Float;
pub use format::{Format, FormatError};
pub use normal::{normal_cdf_bounds, normal_density_bounds, normal_tail_bounds};
pub use rational::{ParseRationalError, fraction, integer, parse_rational, rational, rational_from_f64};
pub use round::Round;
