//! Privacy accounting with two-sided bounds: what many mechanisms cost together, between a lower and an upper bound that both hold.
//!
//! ```
//! use std::collections::BTreeMap;
//! use probity_account::{Adjacency, Effort, Expression, Question, account};
//! use probity_exact::parse_rational;
//!
//! let text = "laplace(10) * 50 + gaussian(20) * 10";
//! let laws = Expression::parse(text)?.evaluate(&BTreeMap::new(), &|_| Err("no files here".into()))?;
//! let effort = Effort { width: 1e-2, ..Effort::default() };
//! let answer = account(&laws, Adjacency::AddRemove, &Question::Epsilon(parse_rational("1e-6")?), &effort)?;
//! assert!(answer.bracket.lower <= answer.bracket.upper.clone().unwrap());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `docs/accounting.md` proves that every bracket contains the truth. Floats choose; integers decide.
#![forbid(unsafe_code)]
mod account;
mod calibrate;
mod closed;
mod decimal;
mod expression;
mod fixed;
mod general;
mod large;
mod lattice;
mod laws;
mod model;
mod profile;
mod resolve;
mod roots;
mod scout;
mod search;
mod steps;

pub use account::{Answer, Bracket, Effort, Question, account};
pub use calibrate::{Calibrated, calibrate, out_of_reach};
pub use decimal::doubles_around;
pub use expression::{Expression, Fault, Text};
pub use model::{Adjacency, Composition, Direction, Law};
pub use profile::profile;
