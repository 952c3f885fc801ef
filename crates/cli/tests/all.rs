//! The test files of this crate as one program, since each program is linked with all libraries anew.
//! One file alone: `cargo test -p probity --test all time::`.

mod account;
mod architecture;
mod commands;
mod common;
mod dependencies;
mod documents;
mod explain;
mod manual;
mod newcomer;
mod private_inputs;
mod release;
mod release_files;
mod release_texts;
mod report;
mod run;
mod schema;
mod time;
