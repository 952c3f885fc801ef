//! The test files of this crate as one program, since each program is linked with all libraries anew.
//! One file alone: `cargo test -p probity-float --test all undefined::`.

mod certified;
mod mutated;
mod roundoff;
mod undefined;
