//! Two output laws side by side, and counts with their confidence bounds. Knows nothing of programs.

pub(crate) mod confidence;
pub(crate) mod curve;
pub(crate) mod pair_report;
pub(crate) mod renyi;
