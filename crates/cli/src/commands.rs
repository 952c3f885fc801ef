//! One module for each subcommand.

pub mod sample;
pub mod shell;
