//! Which inputs a mechanism admits, which of them are neighbours, and which pairs are worth a look.

pub(crate) mod candidates;
pub(crate) mod neighbours;
pub(crate) mod tables;
