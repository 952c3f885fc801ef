//! Programs in a floating-point format: exact laws by splitting ranges of bit patterns, and which outputs can be reached.

pub(crate) mod arithmetic;
pub(crate) mod change_point;
pub(crate) mod draws;
pub(crate) mod logarithm;
pub(crate) mod ranges;
pub(crate) mod reach;
pub(crate) mod split;
