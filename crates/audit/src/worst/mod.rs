//! The pair of neighbours that loses most: a search that can be resumed, or all pairs of a small format.

pub(crate) mod exhaustive;
pub(crate) mod search;
pub(crate) mod state;
