//! The test files of this crate as one program, since each program is linked with all libraries anew.
//! One file alone: `cargo test -p probity-lang --test all uses::`.

mod common;
mod diagnostics;
mod documentation;
mod editors;
mod formatter;
mod mechanisms;
mod robustness;
mod uses;
