//! What a mechanism is given and what it releases: values, sets of them, their laws, numbers between bounds. Knows nothing of
//! how a program runs.

pub(crate) mod bounds;
pub(crate) mod event;
pub(crate) mod law;
pub(crate) mod outcome;
