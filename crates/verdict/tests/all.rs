//! The test files of this crate as one program, since each program is linked with all libraries anew.
//! One file alone: `cargo test -p probity-verdict --test all total::`.

mod answers;
mod attacks;
mod deadline;
mod floats;
mod total;
