//! Queries: SQL in, a plan out. What cannot be answered privately is refused, with its place in the query and the reason.

mod aggregate;
mod clause;
mod discovered;
mod from;
mod instead;
mod number;
mod parse;
mod plan;
mod post;
mod quantile;
mod ranked;
mod resolve;
pub mod row;

pub use clause::Selection;
pub use parse::canonical;
pub use plan::{Draw, DrawKind, Joined, Key, Plan, Shown, Sort, plan};
pub use post::{Drawn, Interval, Post, PostCondition};
pub use quantile::{BRANCHES, Quantile};
