//! Why nothing was released: what happened, where in the text, and what to write instead.
//!
//! A refusal never depends on a private value: it speaks of the policy, the query, the header of the table, the ledger and the
//! machine.

use std::fmt;

/// What kind of no it is, which decides the exit code of the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The policy, the query, the table's shape or the ledger is not as it must be.
    Input,
    /// The budget does not allow it.
    Budget,
    /// No proof was found.
    Unproved,
}

/// A place in a text, in characters from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// What the text is: `query`, or the path of a policy.
    pub file: String,
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// The text of that line.
    pub text: String,
    /// How many characters are meant.
    pub width: usize,
}

/// The longest part of a line that is shown; a query may be one line of thousands of characters.
const SHOWN: usize = 100;

impl Place {
    /// The place of the bytes `start..end` in a text.
    pub fn of(file: &str, source: &str, start: usize, end: usize) -> Place {
        let floor = |mut at: usize| {
            at = at.min(source.len());
            while !source.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let (start, end) = (floor(start), floor(end));
        let line_start = source[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = source[start..].find('\n').map_or(source.len(), |at| start + at);
        let width = source[start..end.clamp(start, line_end)].chars().count().max(1);
        Place {
            file: file.to_owned(),
            line: source[..start].matches('\n').count() + 1,
            column: source[line_start..start].chars().count() + 1,
            text: source[line_start..line_end].trim_end().to_owned(),
            width,
        }
    }

    fn render(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        // A long line is shown around the place.
        let skipped = (self.column - 1).saturating_sub(SHOWN / 2);
        let shown: String = self.text.chars().skip(skipped).take(SHOWN).collect();
        let lead = if skipped > 0 { "…" } else { "" };
        let before = " ".repeat(self.column - 1 - skipped + lead.chars().count());
        let marks = "^".repeat(self.width.min(SHOWN / 2));
        write!(f, "\n{margin}--> {}:{}:{}", self.file, self.line, self.column)?;
        write!(f, "\n{margin} |\n{number} | {lead}{shown}\n{margin} | {before}{marks}")
    }
}

/// A request that is refused. Nothing was released and nothing was debited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What kind of no.
    pub kind: Kind,
    /// What happened.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
    /// Where.
    pub place: Option<Box<Place>>,
}

impl Refusal {
    /// Bad input.
    pub fn input(message: impl fmt::Display) -> Refusal {
        Refusal { kind: Kind::Input, message: message.to_string(), hint: None, place: None }
    }

    /// Beyond the budget.
    pub fn budget(message: impl fmt::Display) -> Refusal {
        Refusal { kind: Kind::Budget, ..Refusal::input(message) }
    }

    /// Without a proof.
    pub fn unproved(message: impl fmt::Display) -> Refusal {
        Refusal { kind: Kind::Unproved, ..Refusal::input(message) }
    }

    /// What to write instead.
    pub fn hint(mut self, hint: impl fmt::Display) -> Refusal {
        self.hint = Some(hint.to_string());
        self
    }

    /// Where it is.
    pub fn at(mut self, place: Place) -> Refusal {
        self.place = Some(Box::new(place));
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        if let Some(place) = &self.place {
            place.render(f)?;
        }
        match &self.hint {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Refusal {}

/// What most functions here answer.
pub type Answer<T> = Result<T, Refusal>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_pointed_at() {
        let text = "SELECT a,\n  é, wrong\nFROM t";
        let at = text.find("wrong").unwrap();
        let refusal = Refusal::input("no").at(Place::of("query", text, at, at + 5)).hint("yes");
        let shown = "error: no\n --> query:2:6\n  |\n2 |   é, wrong\n  |      ^^^^^\n  hint: yes";
        assert_eq!(refusal.to_string(), shown);
    }

    #[test]
    fn any_bytes_are_a_place() {
        let long = "é".repeat(5000);
        for (start, end) in [(0, 0), (1, 3), (9999, 10_000), (10_000, 99_999), (50_000, 1)] {
            let shown = Refusal::input("x").at(Place::of("query", &long, start, end)).to_string();
            assert!(shown.chars().count() < 500, "{shown}");
        }
    }
}
