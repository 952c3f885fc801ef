//! Plans: which couplings, invariants and equivalences to try. Guesses only; a plan that is wrong fails when it is replayed.

mod accounts;
pub(crate) mod any_length;
pub(crate) mod blocks;
pub(crate) mod centers;
mod combinations;
pub(crate) mod couplings;
mod invariants;
mod inverse;
pub(crate) mod planner;
mod reading;
pub(crate) mod rewrites;
mod rounds;
mod stable;
pub(crate) mod weaken;
