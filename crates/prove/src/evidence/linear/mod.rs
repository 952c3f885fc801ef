//! Linear arithmetic: comparisons as rows, rows that are made of others, and an exact simplex that says whether they contradict each other.

pub(crate) mod divided;
pub(crate) mod pairs;
pub(crate) mod reduced;
pub(crate) mod rows;
pub mod simplex;
