//! Errors: one family of exceptions, with the messages of the command. Hints that name its options name Python's instead.

use std::fmt::Display;

use probity_account::Fault;
use probity_lang::Diagnostic;
use probity_noise::catalogue::CatalogueError;
use probity_noise::map::{EvaluationError, MapError};
use probity_noise::measurement::MechanismError;
use probity_noise::sampler::{ParameterError, SampleError};
use probity_release::refusal::{self, Refusal};
use probity_run::{InputError, RunError};
use pyo3::prelude::*;

use crate::number::class;

/// Which exception it becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The request makes no sense.
    Input,
    /// No proof, or a certificate that does not hold.
    Unproved,
    /// The budget does not allow it.
    Budget,
    /// A bug of ours.
    Internal,
}

impl Kind {
    fn class(self) -> &'static str {
        match self {
            Kind::Input => "InvalidInput",
            Kind::Unproved => "Unproved",
            Kind::Budget => "BudgetExceeded",
            Kind::Internal => "InternalError",
        }
    }
}

/// What happened, and what to do.
#[derive(Debug, Clone)]
pub struct Failure {
    kind: Kind,
    /// The message, with the place laid out below it where there is one.
    message: String,
    hint: Option<String>,
}

impl Failure {
    /// A request that makes no sense.
    pub fn input(message: impl Display) -> Failure {
        Failure { kind: Kind::Input, message: message.to_string(), hint: None }
    }

    /// The same of another kind.
    pub fn of(kind: Kind, message: impl Display) -> Failure {
        Failure { kind, ..Failure::input(message) }
    }

    /// What to do about it.
    pub fn hint(self, hint: impl Display) -> Failure {
        Failure { hint: Some(hint.to_string()), ..self }
    }

    /// What happened.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// A panic that was caught: it stays inside.
    pub fn internal(panic: &(dyn std::any::Any + Send)) -> Failure {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Failure::of(Kind::Internal, format!("the computation broke off: {text}"))
            .hint("this is a bug of probity; please report it with what was asked")
    }

    /// The faults of a mechanism's text.
    pub fn faults(faults: &[Diagnostic], name: &str, source: &str) -> Failure {
        let text = probity_lang::render(faults, name, source);
        let text = text.trim_end();
        Failure::input(text.strip_prefix("error: ").unwrap_or(text))
    }

    /// A place in an expression of compositions.
    pub fn expression(fault: &Fault, text: &str) -> Failure {
        let failure = Failure::input(format!("{}\n{}", fault.message, fault.shown(text)));
        match &fault.hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

/// The words of the command's hints, and what they are called here.
const WORDS: &[(&str, &str)] = &[
    (
        "`probity budget init --policy POLICY --ledger LEDGER` makes one; so does `release --init`",
        "Session(…, init=True) makes one",
    ),
    (
        "; the owner can add to the budget with `probity budget amend`",
        "; the owner can add to the budget with the command `probity budget amend`",
    ),
    ("give it one with --set {}=VALUE, or ask for it with --target-epsilon", "give it a value by its name"),
    ("give other values with --set;", "give other values with .set(…);"),
    ("the file's `param`", "the text's `param`"),
    ("add --grid 2^-20", "add grid=\"2^-20\""),
    ("--unproved", "unproved=True"),
    ("--certificate", "certificate="),
    ("--explain shows", ".explain(…) shows"),
    ("--again asks anew", "again=True asks anew"),
    ("--seconds", "seconds="),
    ("--adjacency replace", "adjacency=\"replace\""),
    ("add --anchor FILE", "add anchor=FILE"),
    ("--grid", "grid="),
    ("`probity verify` says more", ".verify() says more"),
    ("`probity run` takes", ".run(…) takes"),
    ("`probity release`", "Session.sql"),
];

fn in_python(text: &str) -> String {
    let mut text = text.to_owned();
    for (command, here) in WORDS {
        text = text.replace(command, here);
    }
    // `add --set eps=VALUE`
    while let Some(at) = text.find("--set ") {
        let rest = &text[at + 6..];
        let end = rest.find([' ', ',', ';']).unwrap_or(rest.len());
        text = format!("{}.set({}){}", &text[..at], &rest[..end], &rest[end..]);
    }
    text
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        Python::attach(|py| {
            let message = in_python(&failure.message);
            let hint = failure.hint.as_deref().map(in_python);
            match class(py, failure.kind.class()).and_then(|class| class.call1((message, hint))) {
                Ok(exception) => PyErr::from_value(exception),
                Err(error) => error,
            }
        })
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Failure {
        let kind = match refusal.kind {
            refusal::Kind::Input => Kind::Input,
            refusal::Kind::Budget => Kind::Budget,
            refusal::Kind::Unproved => Kind::Unproved,
        };
        let hint = refusal.hint.clone();
        let shown = Refusal { hint: None, ..refusal }.to_string();
        let failure = Failure::of(kind, shown.strip_prefix("error: ").unwrap_or(&shown));
        Failure { hint, ..failure }
    }
}

impl From<probity_verdict::Error> for Failure {
    fn from(error: probity_verdict::Error) -> Failure {
        let hint = match error.kind() {
            probity_verdict::Kind::Missing(names) => Some(format!(
                "add .set({})",
                names.iter().map(|name| format!("{name}=VALUE")).collect::<Vec<_>>().join(", ")
            )),
            _ => error.hint().map(str::to_owned),
        };
        Failure { hint, ..Failure::input(error.message()) }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        let kind = if error.is_verdict() { Kind::Unproved } else { Kind::Input };
        Failure { hint: error.hint(), ..Failure::of(kind, &error) }
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Failure {
        RunError::Input(error).into()
    }
}

/// Errors that are nothing but their message.
macro_rules! from_message {
    ($($error:ty),*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                Failure::input(error)
            }
        })*
    };
}

from_message!(CatalogueError, MapError, EvaluationError, MechanismError, ParameterError, SampleError);
