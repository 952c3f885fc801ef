//! Questions that cannot be answered: what is wrong with them, and what to do. A claim that does not hold is an answer, not
//! an error.

use std::fmt;

use probity_audit::AuditError;

/// What is wrong with a question. The message says what happened, the hint what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: Kind,
    message: String,
    hint: Option<String>,
}

/// Which part of a question is at fault, for a caller who has words of its own for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Parameters have no value.
    Missing(Vec<String>),
    /// The mechanism is not defined for these values of its parameters.
    NotAdmitted,
    /// A parameter is admitted, but infinite or 0 once it is rounded to the format.
    RoundedAway,
    /// A floating-point format is needed, and the reals are none.
    NoFormat,
    /// Numbers for two inputs are tabulated for the snapping mechanism only, and this is not it for a reason.
    NotSnapping(String),
    /// Anything else.
    Other,
}

impl Error {
    /// What happened.
    pub fn new(message: impl fmt::Display) -> Error {
        Error { kind: Kind::Other, message: message.to_string(), hint: None }
    }

    /// The same with what to do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl fmt::Display) -> Error {
        self.hint = Some(hint.to_string());
        self
    }

    /// The same with the part at fault.
    #[must_use]
    pub(crate) fn of_kind(mut self, kind: Kind) -> Error {
        self.kind = kind;
        self
    }

    /// Which part of the question is at fault.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// What happened, without the hint.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.hint {
            Some(hint) => write!(f, "{}; {hint}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Error {}

impl From<AuditError> for Error {
    fn from(error: AuditError) -> Error {
        Error::new(error)
    }
}
