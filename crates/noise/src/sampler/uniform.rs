//! A uniform real U, and what samplers decide of it: its bits as they are revealed, whether it lies below a number, −ln U in fixed point.

pub(super) mod bounds;
pub(crate) mod gap;
pub(super) mod lanes;
pub(super) mod magnitude;
pub(super) mod neg_ln;
pub(crate) mod opaque;
pub(super) mod prefix;
pub(super) mod threshold;
pub(super) mod words;
