//! One module for each subcommand.

pub mod check;
pub mod format;
pub mod list;
pub mod map;
pub mod named;
pub mod sample;
pub mod shell;
pub mod verify;
