//! What the command answers when it cannot do what was asked: what happened, where, and what to do.

use std::fmt;
use std::path::Path;

use probity_lang::{Diagnostic, LineIndex};
use probity_release::refusal::{self, Refusal};
use probity_verdict::Kind;
use serde_json::{Map, Value, json};

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

/// A request that could not be answered. Exits with [`Status::BadInput`] unless it says otherwise.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    exit: Status,
    /// What happened.
    message: String,
    hint: Option<String>,
    /// Where, as JSON has it: `file`, `line`, `column`, `argument`, as far as they are known.
    place: Map<String, Value>,
    /// All faults of a mechanism file, as JSON has them.
    faults: Vec<Value>,
    /// The whole for a reader, where it is laid out already.
    rendered: Option<Box<str>>,
}

impl Failure {
    /// What happened.
    pub fn new(message: impl fmt::Display) -> Failure {
        let message = message.to_string();
        Failure {
            exit: Status::BadInput,
            message,
            hint: None,
            place: Map::new(),
            faults: Vec::new(),
            rendered: None,
        }
    }

    /// A release that is refused.
    pub fn refusal(refusal: &Refusal) -> Failure {
        let mut failure = Failure::new(&refusal.message);
        failure.hint.clone_from(&refusal.hint);
        failure.rendered = Some(refusal.to_string().into());
        if let Some(place) = &refusal.place {
            failure.place.insert("file".into(), place.file.clone().into());
            failure.place.insert("line".into(), place.line.into());
            failure.place.insert("column".into(), place.column.into());
        }
        if matches!(refusal.kind, refusal::Kind::Budget | refusal::Kind::Unproved) {
            failure.exit = Status::No;
        }
        failure
    }

    /// The exit code.
    pub fn exit(&self) -> Status {
        self.exit
    }

    /// The faults of a mechanism file.
    pub fn faults(faults: &[Diagnostic], path: &Path, source: &str) -> Failure {
        let name = path.display().to_string();
        let index = LineIndex::new(source);
        let described: Vec<Value> = faults.iter().map(|fault| described(fault, &index, source)).collect();
        let mut failure = Failure::new(faults.first().map_or("the file is at fault", |first| &first.message));
        failure.hint = faults.first().and_then(|first| first.hint.clone());
        failure.rendered = Some(probity_lang::render(faults, &name, source).trim_end().into());
        if let Some(first) = described.first() {
            for part in ["line", "column"] {
                failure.place.insert(part.into(), first[part].clone());
            }
        }
        failure.faults = described;
        failure.in_file(path)
    }

    /// Arguments that are refused before any command sees them.
    pub fn arguments(error: &clap::Error) -> Failure {
        use clap::error::{ContextKind, ContextValue, ErrorKind};
        let text = error.render().to_string();
        let missing = matches!(error.kind(), ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand);
        let mut failure = match missing {
            true => Failure::new("arguments are missing").hint("--help shows them"),
            false => {
                let sentence: Vec<&str> =
                    text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
                Failure::new(sentence.join(" ").trim_start_matches("error: "))
            }
        };
        if let Some(tip) = text.lines().find_map(|line| line.trim().strip_prefix("tip: ")) {
            failure.hint = Some(tip.to_owned());
        }
        if let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) {
            failure.place.insert("argument".into(), argument.clone().into());
        }
        failure.rendered = Some(text.trim_end().into());
        failure
    }

    /// What to do about it.
    pub fn hint(mut self, hint: impl fmt::Display) -> Failure {
        self.hint = Some(hint.to_string());
        self
    }

    /// The same, if there is no hint yet.
    pub fn or_hint(self, hint: impl fmt::Display) -> Failure {
        if self.hint.is_some() { self } else { self.hint(hint) }
    }

    /// A place in an argument, with how the whole is laid out for a reader.
    pub fn at_column(mut self, argument: &str, column: usize, shown: &str) -> Failure {
        self.place.insert("argument".into(), argument.into());
        self.place.insert("column".into(), column.into());
        let hint = self.hint.as_ref().map(|hint| format!("\n  hint: {hint}")).unwrap_or_default();
        self.rendered = Some(format!("error: {}\n{shown}{hint}", self.message).into());
        self
    }

    /// The file it is about.
    pub fn in_file(mut self, path: &Path) -> Failure {
        self.place.insert("file".into(), path.display().to_string().into());
        self
    }

    /// What happened, in one line with the place in the file.
    pub fn reason(&self) -> String {
        match self.place.get("line") {
            Some(line) => format!("line {line}: {}", self.message),
            None => self.message.clone(),
        }
    }

    /// The one object that `--json` answers with.
    pub fn to_json(&self) -> Value {
        let mut value = json!({
            "error": self.message,
            "hint": self.hint,
            "where": self.place(),
            "exit": self.exit as u8,
        });
        if !self.faults.is_empty() {
            value["faults"] = self.faults.clone().into();
        }
        value
    }

    /// One of several files, of which the others have an answer.
    pub fn to_row(&self, path: &Path) -> Value {
        json!({
            "file": path.display().to_string(),
            "status": self.status(),
            "reason": self.message,
            "hint": self.hint,
            "where": self.place(),
        })
    }

    /// What a file is that failed: one that cannot be read, or one that refuses what is asked of it.
    pub fn status(&self) -> &'static str {
        if self.place.contains_key("file") { "unreadable" } else { "refused" }
    }

    fn place(&self) -> Value {
        if self.place.is_empty() { Value::Null } else { Value::Object(self.place.clone()) }
    }
}

impl From<probity_verdict::Error> for Failure {
    /// The library does not know what the options are called.
    fn from(error: probity_verdict::Error) -> Failure {
        let hint = match error.kind() {
            Kind::Missing(names) => Some(match &names[..] {
                [only] => format!("add --set {only}=VALUE"),
                several => format!("set {} with --set NAME=VALUE", several.join(", ")),
            }),
            Kind::NotAdmitted => {
                Some("give other values with --set; the file's `param` and `where` lines say which".into())
            }
            Kind::RoundedAway => Some("give other values, or another format with --in".into()),
            Kind::NoFormat => Some("add --in binary64, binary32, binary16, or a format as 8,-20,20".into()),
            Kind::NotSnapping(reason) => {
                return Failure::new(format!("--inputs is for the snapping mechanism, and {reason}"))
                    .hint("leave --inputs out to see the derivation");
            }
            Kind::Other => error.hint().map(str::to_owned),
        };
        Failure { hint, ..Failure::new(error.message()) }
    }
}

fn described(fault: &Diagnostic, index: &LineIndex, source: &str) -> Value {
    let line = index.line_of(fault.span.start);
    let start = index.line_span(line, source).map_or(fault.span.start, |span| span.start);
    let before = source.get(start as usize..fault.span.start as usize).unwrap_or_default();
    json!({
        "code": fault.code.name(),
        "message": fault.message,
        "hint": fault.hint,
        "line": line + 1,
        "column": before.chars().count() + 1,
    })
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(rendered) = &self.rendered {
            return f.write_str(rendered);
        }
        write!(f, "error: {}", self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Failure {
        Failure::refusal(&refusal)
    }
}

/// What a subcommand returns.
pub type Answer = Result<Status, Failure>;
