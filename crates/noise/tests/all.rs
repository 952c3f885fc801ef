//! The test files of this crate as one program, since each program is linked with all libraries anew.
//! One file alone: `cargo test -p probity-noise --test all whole_mechanisms::`.

mod common;
mod composition;
mod failure;
mod falsifier;
mod findings;
mod maps;
mod statistics;
mod tightness;
mod welch;
mod whole_mechanisms;
