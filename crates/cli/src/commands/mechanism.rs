//! Commands about the text of a mechanism: what is proved, certified, audited and run.

pub mod audit;
pub mod audited_event;
pub mod certify;
pub mod check;
pub mod counterexample;
pub mod explain;
pub mod format;
pub mod list;
pub mod report;
pub mod run;
pub mod search;
pub mod verify;
