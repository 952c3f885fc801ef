//! What the command answers when it cannot do what was asked: what happened, and what to do.

use std::fmt;

/// The exit codes, the same for every subcommand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It holds: proved, accepted, done.
    Done = 0,
    /// It does not hold: not proved, refuted, rejected.
    No = 1,
    /// The request makes no sense: a bad file, number or name.
    BadInput = 2,
    /// A lower bound exceeds an upper bound: somebody's bug, ours first.
    BoundsCross = 3,
}

/// A request that could not be answered. Exits with [`Status::BadInput`].
#[derive(Debug)]
pub struct Failure {
    /// Complete text, `error: ` included.
    message: String,
    hint: Option<String>,
}

impl Failure {
    /// What happened.
    pub fn new(message: impl fmt::Display) -> Failure {
        Failure { message: format!("error: {message}"), hint: None }
    }

    /// Diagnostics that are already laid out for a reader.
    pub fn rendered(text: String) -> Failure {
        Failure { message: text.trim_end().to_owned(), hint: None }
    }

    /// What to do about it.
    pub fn hint(mut self, hint: impl fmt::Display) -> Failure {
        self.hint = Some(hint.to_string());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}

/// What a subcommand returns.
pub type Answer = Result<Status, Failure>;
