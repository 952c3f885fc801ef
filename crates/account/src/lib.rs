//! Privacy accounting with two-sided bounds.
#![forbid(unsafe_code)]
mod account;
mod closed;
mod expression;
mod fixed;
mod general;
mod lattice;
mod laws;
mod model;
mod roots;
mod scout;
mod search;

pub use account::{Answer, Bracket, Effort, Question, account, doubles_around};
pub use expression::{Expression, Fault, Text};
pub use model::{Adjacency, Composition, Direction, Law};
