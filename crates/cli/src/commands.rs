//! One module for each subcommand, in rooms by what it is about.

pub mod mechanism;
pub mod noise;
pub mod roundoff;
pub mod schema;
pub mod shell;
pub mod table;

pub use mechanism::{
    audit, audited_event, certify, check, counterexample, explain, format, list, report, run, search, verify,
};
pub use noise::{account, bench, map, named, sample};
pub use table::{budget, policy, release};
