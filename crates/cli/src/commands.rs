//! One module for each subcommand.

pub mod format;
pub mod map;
pub mod named;
pub mod sample;
pub mod shell;
