//! The probability that independent continuous draws meet linear conditions: in closed form, or with normal draws by
//! rigorous enclosures. Knows nothing of programs.

pub(crate) mod forest;
pub(crate) mod gaussian;
pub(crate) mod integral;
pub(crate) mod linear;
pub(crate) mod meter;
pub(crate) mod normal;
pub(crate) mod piecewise;
pub(crate) mod polytope;
pub(crate) mod smooth;
pub(crate) mod sum;
