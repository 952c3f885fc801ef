//! Why an audit could not be carried out.

use std::fmt;

/// Why an audit could not be carried out. None of these says anything about the privacy of the mechanism.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuditError {
    /// A parameter or an input that the mechanism needs was not given.
    Missing {
        /// Its name.
        name: String,
    },
    /// A value was given for a name that the mechanism does not have.
    Unknown {
        /// The name.
        name: String,
    },
    /// A value of one kind stands where another is needed.
    WrongKind {
        /// Where.
        place: String,
        /// What is allowed there.
        expected: &'static str,
    },
    /// A variable is read before anything was assigned to it.
    Unassigned {
        /// The variable.
        name: String,
    },
    /// A draw whose law means nothing for the parameters that it got.
    OutOfRange {
        /// The draw, as the mechanism has it.
        draw: String,
        /// The condition that does not hold.
        needed: String,
    },
    /// A draw that this reading cannot make.
    Domain {
        /// What was asked for.
        operation: &'static str,
        /// What is allowed.
        allowed: &'static str,
    },
    /// The reading does not cover this construct.
    Unsupported {
        /// What is not covered, and what is.
        what: &'static str,
    },
    /// The parameters do not meet the mechanism's assumptions.
    Parameters,
    /// The mechanism did not finish within the budget of steps.
    TooManySteps,
    /// A number became too large to compute with.
    TooLarge,
    /// The deadline passed.
    OutOfTime,
    /// A search state could not be read back.
    State {
        /// The line at fault, counted from 1.
        line: usize,
        /// What a line must be.
        expected: &'static str,
    },
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AuditError::Missing { name } => write!(f, "no value was given for {name}"),
            AuditError::Unknown { name } => write!(f, "the mechanism has no input or parameter {name}"),
            AuditError::WrongKind { place, expected } => write!(f, "{place} must be {expected}"),
            AuditError::Unassigned { name } => write!(f, "{name} is read before it has a value"),
            AuditError::OutOfRange { draw, needed } => {
                write!(f, "the draw '{draw}' is out of its range: it needs {needed}")
            }
            AuditError::Domain { operation, allowed } => write!(f, "{operation}: {allowed}"),
            AuditError::Unsupported { what } => write!(f, "not covered: {what}"),
            AuditError::Parameters => write!(f, "the parameters do not meet the mechanism's assumptions"),
            AuditError::TooManySteps => write!(f, "the mechanism did not finish within the budget of steps"),
            AuditError::TooLarge => write!(f, "numbers of the mechanism become too large to compute with"),
            AuditError::OutOfTime => write!(f, "the deadline passed"),
            AuditError::State { line, expected } => write!(f, "search state, line {line}: {expected}"),
        }
    }
}

impl std::error::Error for AuditError {}
