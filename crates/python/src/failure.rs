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
    /// An argument is of a type that the call does not take.
    Type,
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
            Kind::Type => "InvalidType",
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

    /// An argument of a type that the call does not take.
    pub fn of_type(message: impl Display) -> Failure {
        Failure::of(Kind::Type, message)
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

/// The words of the command's hints, and what they are called here. Longer ones stand before what they contain.
const WORDS: &[(&str, &str)] = &[
    (
        "`probity budget init --policy POLICY --ledger LEDGER` makes one; so does `release --init`",
        "Session(…, init=True) makes one",
    ),
    ("`probity budget init --policy POLICY --ledger LEDGER` makes one", "Session(…, init=True) makes one"),
    ("`probity budget init … --anchor FILE`", "Session(…, init=True, anchor=FILE)"),
    (
        "make one with `probity verify FILE --set … --certificate OUT`, or leave --certificate out",
        "take .verify().certificate, or leave certificate= out",
    ),
    (
        "build it with `cargo build --release -p probity --features parquet`, or write the table as CSV",
        "read it with PyArrow, Polars or pandas, and give what they read",
    ),
    ("`probity budget amend`", "the command `probity budget amend`"),
    ("`probity budget --policy-text`", "the command `probity budget --policy-text`"),
    ("the first line of the file must name each field", "the table must name each field"),
    ("or ask for it with --target-epsilon", "or ask for it with .calibrate(…)"),
    ("give other values with --set;", "give other values with .set(…);"),
    ("the file's `param`", "the text's `param`"),
    ("add --grid 2^-20", "add grid=\"2^-20\""),
    ("as --grid 2^-10 or --grid 1/100", "as grid=\"2^-10\" or grid=\"1/100\""),
    ("write --split n=2,income=1", "write split={\"n\": 2, \"income\": 1}"),
    ("at the end of --data names it", "at the end of the text names it"),
    ("given as --scale here", "given as scale= here"),
    ("write --words people.region=north,south,east,west", "write people.region=north,south,east,west"),
    ("that no --data gives", "that is not given"),
    ("--words", "a list of words"),
    ("--unproved", "unproved=True"),
    ("--certificate", "certificate="),
    ("--explain shows", ".explain(…) shows"),
    ("--again asks anew", "again=True asks anew"),
    ("--seconds", "seconds="),
    ("--adjacency replace", "adjacency=\"replace\""),
    ("--anchor", "anchor="),
    ("--grid", "grid="),
    ("`probity verify` says more", ".verify() says more"),
    ("`probity run` takes", ".run(…) takes"),
    ("`probity release`", "Session.sql"),
];

/// Options with a value, as `--set eps=VALUE`, and what stands before and behind the value here.
const OPTIONS: &[(&str, &str, &str)] = &[
    ("give it one with --set ", "give it one as account(…, ", ")"),
    ("--set ", ".set(", ")"),
    ("--input ", "", ""),
    ("--data ", "data={\"", "\": …}"),
];

/// A message of the command, in Python's words. (For Python it has a name by which a test finds it.)
#[pyfunction]
#[pyo3(name = "_in_python")]
pub fn in_python(text: &str) -> String {
    let mut text = text.to_owned();
    for (command, here) in WORDS {
        text = text.replace(command, here);
    }
    for (option, before, behind) in OPTIONS {
        while let Some(at) = text.find(option) {
            let rest = &text[at + option.len()..];
            let end = rest.find([' ', ',', ';', ')']).unwrap_or(rest.len());
            // Of a table it is the name that counts.
            let value =
                if *option == "--data " { rest[..end].split('=').next().unwrap_or("") } else { &rest[..end] };
            text = format!("{}{before}{value}{behind}{}", &text[..at], &rest[end..]);
        }
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
        let kind = match &error {
            _ if error.is_verdict() => Kind::Unproved,
            RunError::Input(InputError::WrongType { .. }) => Kind::Type,
            _ => Kind::Input,
        };
        let hint = match &error {
            RunError::Table { name } => Some(format!(
                "add {}=…: the path of a CSV file, a frame, or a list of dicts, one for each row",
                crate::mechanism::keyword(name)
            )),
            RunError::Input(InputError::Missing { name }) => {
                Some(format!("add {}=VALUE", crate::mechanism::keyword(name)))
            }
            other => other.hint(),
        };
        Failure { hint, ..Failure::of(kind, &error) }
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
