//! The test files of this crate as one program, since each program is linked with all libraries anew.
//! One file alone: `cargo test -p probity-account --test all truth::`.

mod brute;
mod common;
mod extreme;
mod groups;
mod monotone;
mod questions;
mod steps;
mod truth;
