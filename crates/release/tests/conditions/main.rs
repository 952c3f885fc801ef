//! Conditions that protect privacy or the budget, each with a test in which it says no.
//!
//! `scripts/release_switches.py` switches every refusal and condition of the crate off in turn; `noticed.txt` says which test noticed, here
//! or in the other files. `coverage.rs` holds it against the source.

#[path = "../common/mod.rs"]
mod common;

mod asking;
mod coverage;
mod entries;
mod files;
mod noise;
mod policies;
