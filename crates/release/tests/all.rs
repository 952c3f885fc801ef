//! The test files of this crate as one program, since each program is linked with all libraries anew.
//! One file alone: `cargo test -p probity-release --test all runs::`.

mod columns;
mod common;
mod engines;
mod joins;
mod keys;
mod ledger;
mod parquet;
mod pipeline;
mod policy;
mod proofs;
mod queries;
mod runs;
