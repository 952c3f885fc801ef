//! Evidence for side conditions: an exact simplex finds a contradiction, or values that say which disjunction to split.
//! Knows nothing of programs and rules.

pub(crate) mod again;
mod choices;
pub(crate) mod lemmas;
pub mod linear;
mod logarithms;
pub(crate) mod norms;
pub(crate) mod parts;
pub(crate) mod posed;
mod prices;
pub(crate) mod retrace;
pub mod search;
pub(crate) mod shapes;
pub(crate) mod squares;
pub(crate) mod stepping;
