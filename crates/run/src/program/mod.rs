//! Programs: what a mechanism becomes so that it can run often, and which mechanisms can.

mod assigned;
mod bounds;
pub(crate) mod code;
pub(crate) mod compile;
pub(crate) mod counted;
pub(crate) mod decidable;
mod kinds;
mod left;
pub(crate) mod machine;
pub(crate) mod most;
pub(crate) mod sizes;
