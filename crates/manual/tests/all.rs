//! The test files of this crate as one program, since each program is linked with all libraries anew.
//! One file alone: `cargo test -p probity-manual --test all proofs::`.

mod book;
mod proofs;
