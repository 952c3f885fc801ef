//! Private answers from real tables, each with its theorem, from a budget that cannot be overspent.
//!
//! [`policy`] says what may be asked, [`query`] reads SQL against it, [`prepare`] makes a mechanism's text of it with a loss, [`proof`] has
//! the kernel prove that text, an [`engine`] computes the exact aggregates, [`release`] draws the noise and stores debit and answer in the
//! [`ledger`], and [`answer`] shows what was stored. Untrusted: it may refuse, and the theorem that it shows is the kernel's.
//!
//! It decides nothing about privacy, and reads no command line. A release in Rust:
//!
//! ```
//! use std::time::Duration;
//! use probity_exact::fraction;
//! use probity_release::engine::{Engine, csv::Csv};
//! use probity_release::{answer, ledger::Ledger, policy, prepare::prepare, release};
//!
//! # let folder = std::env::temp_dir().join(format!("probity-release-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let table = folder.join("people.csv");
//! # std::fs::write(&table, "region,age\nnorth,31\nsouth,47\nnorth,12\n").unwrap();
//! let policy = policy::read("policy", r#"
//!     [budget]
//!     epsilon = "2"
//!     per_query = { epsilon = "1/2" }
//!     [table.people]
//!     unit = "row"
//!     [table.people.columns]
//!     region = { in = ["north", "south"] }
//!     age = { type = "int", between = [0, 120] }
//! "#)?;
//! let sql = "SELECT region, COUNT(*) AS n FROM people GROUP BY region".to_owned();
//! let mut ledger = Ledger::init(&folder.join("people.ledger"), &policy, None, false, Duration::from_secs(5))?;
//! let query = prepare(&policy, &[sql], &[])?.remove(0);
//! let proven = release::prove(query, Some(&ledger))?; // No proof, no release.
//! println!("{}", proven.theorem());
//!
//! let people = Csv::new(&table)?;
//! let asking = release::Asking { policy: &policy, version: "", again: false, progress: &|_, _| {} };
//! let released = release::release(&[proven], &mut ledger, &asking, |_| Ok(&people as &dyn Engine))?;
//! let rows = answer::rows(&released[0].prepared, &released[0].noisy, &fraction::<1, 20>())?;
//! println!("{}", rows.to_table()); // region, n, n_low, n_high
//! assert_eq!(ledger.state().remaining().to_string(), "epsilon 3/2");
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), probity_release::refusal::Refusal>(())
//! ```

#![forbid(unsafe_code)]

mod accuracy;
pub mod answer;
pub mod certificate;
mod computed;
#[cfg(test)]
mod counter;
pub mod decimal;
mod discover;
pub mod engine;
mod hash;
pub mod ledger;
pub mod loss;
mod mechanism;
mod patience;
pub mod place;
pub mod policy;
pub mod prepare;
pub mod proof;
pub mod query;
pub mod refusal;
pub mod release;
mod split;
