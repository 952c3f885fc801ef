//! How much may still be done, counted in steps that are the same on every machine, and up to a deadline.

use std::time::Instant;

/// What a search may still do, in steps of the size of a cell of a simplex tableau (some tens of nanoseconds): a
/// measure of time that is the same on every machine.
pub(crate) struct Effort {
    pub(crate) left: u64,
    /// When all effort is at an end, however much is left.
    deadline: Option<Instant>,
}

/// Until when a search goes on, and how many times the steps it has that suffice for most.
#[derive(Clone, Copy)]
pub(crate) struct Limit {
    pub(crate) deadline: Option<Instant>,
    pub(crate) times: u64,
}

impl Limit {
    /// So many steps, as many times.
    pub(crate) fn effort(&self, steps: u64) -> Effort {
        Effort::of(steps.saturating_mul(self.times)).until(self.deadline)
    }

    /// Whether there is a deadline that has not passed.
    pub(crate) fn has_time(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() < deadline)
    }
}

impl Effort {
    /// So many steps.
    pub(crate) fn of(left: u64) -> Effort {
        Effort { left, deadline: None }
    }

    /// The same up to a deadline.
    pub(crate) fn until(self, deadline: Option<Instant>) -> Effort {
        Effort { deadline, ..self }
    }

    /// So many of these steps, up to the same deadline.
    pub(crate) fn part(&self, left: u64) -> Effort {
        Effort { left, deadline: self.deadline }
    }

    /// Whether the deadline has passed.
    pub(crate) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Spends, or says that nothing is left.
    pub(crate) fn spend(&mut self, cells: usize) -> Option<()> {
        match self.left.checked_sub(cells as u64).filter(|_| !self.is_late()) {
            Some(left) => {
                self.left = left;
                Some(())
            }
            None => {
                self.left = 0;
                None
            }
        }
    }

    /// Whether nothing is left.
    pub(crate) fn is_spent(&self) -> bool {
        self.left == 0
    }
}
