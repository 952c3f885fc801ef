//! When work must end: at a time, or when somebody says so.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::error::AuditError;

/// When work must end: at a time, or as soon as a switch is on. The default is never.
///
/// ```
/// use std::sync::{Arc, atomic::{AtomicBool, Ordering}};
/// use std::time::Instant;
/// use probity_audit::Deadline;
/// let switch = Arc::new(AtomicBool::new(false));
/// let deadline = Deadline::at(None).or_when(switch.clone());
/// assert!(!deadline.is_over() && Deadline::at(Some(Instant::now())).is_over());
/// switch.store(true, Ordering::Relaxed);
/// assert!(deadline.is_over());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Deadline {
    at: Option<Instant>,
    switches: Vec<Arc<AtomicBool>>,
}

impl Deadline {
    /// At this time, if there is one.
    pub fn at(at: Option<Instant>) -> Deadline {
        Deadline { at, switches: Vec::new() }
    }

    /// The same, or when this switch is on.
    #[must_use]
    pub fn or_when(mut self, switch: Arc<AtomicBool>) -> Deadline {
        self.switches.push(switch);
        self
    }

    /// Whether the time will ever come.
    pub(crate) fn has_end(&self) -> bool {
        self.at.is_some()
    }

    /// Whether the time has come.
    pub fn is_over(&self) -> bool {
        self.switches.iter().any(|switch| switch.load(Ordering::Relaxed))
            || self.at.is_some_and(|at| Instant::now() >= at)
    }

    /// An error if the time has come.
    pub(crate) fn check(&self) -> Result<(), AuditError> {
        if self.is_over() { Err(AuditError::OutOfTime) } else { Ok(()) }
    }
}
