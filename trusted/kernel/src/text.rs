//! What a mechanism is: expressions, statements and laws, their kinds, and how they print.

pub mod expr;
pub mod kind;
pub mod law;
pub(crate) mod names;
pub mod render;
pub mod term;
