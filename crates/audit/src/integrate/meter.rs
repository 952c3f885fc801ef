//! What integrals share: how much they have cost, when they must end, and what was met before.

use crate::deadline::Deadline;
use crate::integrate::sum::KnownSums;

/// What integrals and paths have cost so far, when they must end, and what they have met.
#[derive(Debug, Clone, Default)]
pub(crate) struct Meter {
    /// In units of about six microseconds.
    pub(crate) work: usize,
    pub(crate) until: Deadline,
    pub(crate) sums: KnownSums,
}

impl Meter {
    pub(crate) fn new(until: &Deadline, sums: &KnownSums) -> Meter {
        Meter { work: 0, until: until.clone(), sums: sums.clone() }
    }
}
