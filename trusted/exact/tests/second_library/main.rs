//! Holds the integers and rationals that Probity relies on (dashu) against a second, independent library
//! (num-bigint and num-rational), on edge cases and on more than a million random ones.
//!
//! A wrong division in a big-number library once biased a proven sampler for years. The harness is therefore
//! itself tested: wrong divisions, right almost everywhere, must be caught by the very same cases.

mod cases;
mod integers;
mod rationals;
