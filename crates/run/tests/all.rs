//! The test files of this crate as one program, since each program is linked with all libraries anew.
//! One file alone: `cargo test -p probity-run --test all ties::`.

mod common;
mod errors;
mod laws;
mod odd;
mod random;
mod refusals;
mod same_for_all;
mod sample;
mod samplers;
mod ties;
