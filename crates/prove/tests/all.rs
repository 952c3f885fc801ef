//! The test files of this crate as one program, since each program is linked with all libraries anew.
//! One file alone: `cargo test -p probity-prove --test all with_numbers::`.

mod certificates;
mod corners;
mod explain;
mod falsify;
mod findings;
mod float_certificates;
mod formula;
mod groups;
mod library;
mod measures;
mod mutated_certificates;
mod reach;
mod sample;
mod tables;
mod unaided;
mod with_numbers;
