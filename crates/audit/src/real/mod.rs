//! Programs over the real numbers: paths, each an output, a weight and linear conditions on draws; laws of discrete
//! outputs and probabilities of events.

pub(crate) mod constants;
pub(crate) mod discrete;
pub(crate) mod law;
pub(crate) mod paths;
pub(crate) mod world;
