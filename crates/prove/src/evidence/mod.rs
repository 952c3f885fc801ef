//! Evidence for side conditions: an exact simplex finds a contradiction, or values that say which disjunction to split.
//! Knows nothing of programs and rules.

pub(crate) mod again;
mod choices;
mod divided;
pub(crate) mod lemmas;
mod logarithms;
pub(crate) mod norms;
pub(crate) mod pairs;
pub(crate) mod parts;
pub(crate) mod posed;
mod prices;
pub(crate) mod reduced;
pub(crate) mod retrace;
pub(crate) mod rows;
pub mod search;
pub(crate) mod shapes;
pub mod simplex;
pub(crate) mod squares;
pub(crate) mod stepping;
