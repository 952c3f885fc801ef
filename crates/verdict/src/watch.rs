//! How a caller follows the work and ends it: a function that is told what is being done, and a deadline.
//!
//! ```
//! use std::time::Duration;
//! use probity_verdict::Watch;
//! let quiet = Watch::default();
//! assert!(!quiet.is_over());
//! let say = |step: &probity_verdict::Step| eprintln!("{step}");
//! let watch = Watch::default().reporting_to(&say).within(Duration::from_secs(5));
//! assert!(!watch.is_over() && Watch::default().within(Duration::ZERO).is_over());
//! ```

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use probity_audit::Deadline;

/// What is being done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// In words.
    pub what: String,
    /// How much of it is done, of how much, where that is known.
    pub done: Option<(usize, usize)>,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.done {
            Some((done, all)) => write!(f, "{done}/{all} {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

/// Who is told about the work, and when it must end. The default is nobody and never.
///
/// Past the deadline a search gives up as if it had found nothing: what was not shown by then counts as not shown. The
/// deadline is looked at between steps of a search, so an answer may come a moment later.
#[derive(Clone, Default)]
pub struct Watch<'a> {
    progress: Option<&'a (dyn Fn(&Step) + Sync)>,
    deadline: Option<Instant>,
    switch: Option<Arc<AtomicBool>>,
    audit: Option<Duration>,
}

impl<'a> Watch<'a> {
    /// The same with somebody who is told.
    #[must_use]
    pub fn reporting_to(self, progress: &'a (dyn Fn(&Step) + Sync)) -> Watch<'a> {
        Watch { progress: Some(progress), ..self }
    }

    /// The same with a deadline.
    #[must_use]
    pub fn until(self, deadline: Instant) -> Watch<'a> {
        Watch { deadline: Some(deadline), ..self }
    }

    /// The same with a deadline after this time.
    #[must_use]
    pub fn within(self, time: Duration) -> Watch<'a> {
        Watch { deadline: Instant::now().checked_add(time).or(self.deadline), ..self }
    }

    /// The same with a switch: as soon as it is on, it is as if the deadline had passed.
    #[must_use]
    pub fn unless(self, switch: Arc<AtomicBool>) -> Watch<'a> {
        Watch { switch: Some(switch), ..self }
    }

    /// The same where an audit beside a proof is cut short: it ends this long after the start, or a moment after the proof if that
    /// comes later. Without a proof it has all the time that there is.
    #[must_use]
    pub fn auditing_proofs_for(self, time: Duration) -> Watch<'a> {
        Watch { audit: Some(time), ..self }
    }

    /// When the audit must end.
    pub(crate) fn until_then(&self) -> Deadline {
        let deadline = Deadline::at(self.deadline);
        match &self.switch {
            Some(switch) => deadline.or_when(switch.clone()),
            None => deadline,
        }
    }

    /// The deadline.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Whether the deadline has passed.
    pub fn is_over(&self) -> bool {
        self.is_stopped() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether the deadline has passed for so long that what does not end is left to itself.
    pub(crate) fn is_late(&self) -> bool {
        const GRACE: Duration = Duration::from_millis(250);
        self.is_stopped() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline + GRACE)
    }

    /// How long after the start the audit beside a proof ends.
    pub(crate) fn audit_beside_a_proof(&self) -> Option<Duration> {
        self.audit
    }

    /// Whether the switch is on.
    pub fn is_stopped(&self) -> bool {
        self.switch.as_ref().is_some_and(|switch| switch.load(Ordering::Relaxed))
    }

    pub(crate) fn say(&self, what: &str) {
        self.tell(|| Step { what: what.to_owned(), done: None });
    }

    pub(crate) fn tell(&self, step: impl FnOnce() -> Step) {
        if let Some(progress) = self.progress {
            progress(&step());
        }
    }
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("deadline", &self.deadline).finish_non_exhaustive()
    }
}
