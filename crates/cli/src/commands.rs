//! One module for each subcommand.

pub mod explain;
pub mod format;
pub mod sample;
pub mod shell;
