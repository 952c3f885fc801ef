//! Programs: what a mechanism becomes so that it can run often, and which mechanisms can.

pub(crate) mod code;
pub(crate) mod compile;
pub(crate) mod decidable;
mod kinds;
pub(crate) mod machine;
pub(crate) mod sizes;
