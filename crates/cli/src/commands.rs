//! One module for each subcommand.

pub mod account;
pub mod audit;
pub mod bench;
pub mod budget;
pub mod certify;
pub mod check;
pub mod counterexample;
pub mod explain;
pub mod format;
pub mod list;
pub mod map;
pub mod named;
pub mod policy;
pub mod release;
pub mod report;
pub mod roundoff;
pub mod run;
pub mod sample;
pub mod schema;
pub mod search;
pub mod shell;
pub mod telling_event;
pub mod verify;
