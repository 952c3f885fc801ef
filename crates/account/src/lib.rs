//! Privacy accounting with two-sided bounds.
#![forbid(unsafe_code)]
mod account;
mod calibrate;
mod closed;
mod expression;
mod fixed;
mod general;
mod lattice;
mod laws;
mod model;
mod profile;
mod roots;
mod scout;
mod search;

pub use account::{Answer, Bracket, Effort, Question, account, doubles_around};
pub use calibrate::{Calibrated, calibrate};
pub use expression::{Expression, Fault, Text};
pub use model::{Adjacency, Composition, Direction, Law};
pub use profile::profile;
