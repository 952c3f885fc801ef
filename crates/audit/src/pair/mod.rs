//! Which inputs a mechanism admits, which of them are neighbours, and which pairs are worth a look.

mod beside;
pub(crate) mod candidates;
mod fields;
pub(crate) mod mutate;
pub(crate) mod named;
pub(crate) mod neighbours;
pub(crate) mod settings;
pub(crate) mod tables;
