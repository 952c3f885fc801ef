//! The test files of this crate as one program, since each program is linked with all libraries anew.
//! One file alone: `cargo test -p probity-kernel --test all threshold_small_formats::`.

mod call;
mod concentrated;
mod conversion;
mod definitions;
mod derivations;
mod expand;
mod finite;
mod lifting;
mod lists;
mod malformed;
mod meaning;
mod rules;
mod sample;
mod tables;
mod threshold_small_formats;
