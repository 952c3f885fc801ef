//! Commands about private tables: policies, releases, budgets.

pub mod budget;
pub mod policy;
pub mod release;
