//! Engines: where the exact aggregates come from. Noise is never theirs.
//!
//! An engine answers one question: for every group of a plan and every draw, the exact sum over the cleaned rows. The same question
//! has the same answer on all of them, to the last digit. How to add one is a page of the manual, `docs/engines.md`:
//! implement [`Engine`], and hold it against [`rows::Rows`] in `tests/engines.rs`.

mod clean;
pub mod client;
pub mod columns;
mod compiled;
pub mod csv;
pub mod keys;
#[cfg(feature = "parquet")]
pub mod parquet;
mod record;
pub mod rows;
mod split;
pub mod sql;
mod users;

use std::path::Path;

use crate::query::Plan;
use crate::refusal::{Answer, Refusal};
pub use keys::Counts;

/// The exact sums of a plan: for each group, in order, the numbers of each draw. They are private and never leave this crate unnoised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exact {
    /// How many numbers a group has.
    pub cells: usize,
    /// Group by group.
    pub sums: Vec<i128>,
}

/// What can compute exact aggregates.
pub trait Engine {
    /// Whether the table has what the plan needs: its columns, each once. Reads no row.
    ///
    /// # Errors
    /// When it does not; the refusal speaks of the header only.
    fn check(&self, plan: &Plan) -> Answer<()>;

    /// The exact sums. `progress` is told how many bytes of how many were read.
    ///
    /// # Errors
    /// When the machine fails. Never because of a value.
    fn sums(&self, plan: &Plan, progress: &(dyn Fn(u64, u64) + Sync)) -> Answer<Exact>;

    /// Whether it can find the keys of a plan whose keys are discovered.
    fn finds_keys(&self) -> bool {
        false
    }

    /// For a plan whose keys are discovered: every key that a row has which is kept and taken, and the number of those rows.
    ///
    /// # Errors
    /// When the engine does not find keys, or the machine fails. Never because of a value.
    fn keys(&self, _plan: &Plan, _progress: &(dyn Fn(u64, u64) + Sync)) -> Answer<Counts> {
        Err(cannot_find_keys())
    }
}

/// What is said to a plan whose keys are discovered by an engine that does not find keys.
pub(crate) fn cannot_find_keys() -> Refusal {
    Refusal::input("keys are discovered in CSV files, by PostgreSQL and by DuckDB, and not by this engine")
        .hint("write the table as CSV, or list the keys in the policy: in = [\"…\"]")
}

/// The engine for files: Parquet by their name, else CSV.
///
/// # Errors
/// When there is no such file, or this build cannot read it.
pub fn of_files(path: &Path) -> Answer<Box<dyn Engine>> {
    let named = |ending: &str| path.extension().is_some_and(|known| known.eq_ignore_ascii_case(ending));
    if !named("parquet") {
        return Ok(Box::new(csv::Csv::new(path)?));
    }
    #[cfg(feature = "parquet")]
    return Ok(Box::new(parquet::Parquet::new(path)?));
    #[cfg(not(feature = "parquet"))]
    Err(Refusal::input(format!("this build of probity does not read Parquet, as {}", path.display())).hint(
        "build it with `cargo build --release -p probity --features parquet`, or write the table as CSV",
    ))
}

#[cfg(all(test, not(feature = "parquet")))]
mod tests {
    use super::*;

    #[test]
    fn a_build_without_parquet_says_so() {
        let refused = of_files(Path::new("people.parquet")).err().map(|refusal| refusal.to_string());
        assert!(refused.is_some_and(|text| text.contains("--features parquet")));
        assert!(of_files(Path::new("parquet.csv")).is_ok());
    }
}
