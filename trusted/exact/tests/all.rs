//! The test files of this crate as one program, since each program is linked with all libraries anew.
//! One file alone: `cargo test -p probity-exact --test all small_formats::`.

mod directed;
mod enclosures;
mod small_formats;
