//! A mechanism made ready to run in any arithmetic, step by step. Knows neither the reals nor floats: those are worlds that
//! it runs in.

pub(crate) mod bits;
pub(crate) mod endless;
pub(crate) mod machine;
pub(crate) mod numbers;
pub(crate) mod program;
pub(crate) mod tables;
