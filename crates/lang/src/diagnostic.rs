//! Diagnostics as data: a code, a place, what was expected, and a hint. Wording lives where the fault is
//! found, rendering in [`crate::render`].
//!
//! ```
//! let faults = probity_lang::load_text("mechanism m(x: real)\nreturn y").unwrap_err();
//! assert_eq!(faults[0].code.name(), "E0301");
//! ```

use std::borrow::Cow;
use std::fmt;

use crate::Span;

/// Most faults reported for one text. A file with more has one cause, and a reader who stops earlier.
pub const MAX_REPORTED: usize = 100;

macro_rules! codes {
    ($($variant:ident = $name:literal, $title:literal;)*) => {
        /// What kind of fault a diagnostic reports. Codes are stable: tools and tests match on them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $(#[doc = $title] $variant,)* }

        impl Code {
            /// Every code, in the order of their names.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// The stable name, such as `E0301`.
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// One line that says what the code stands for.
            pub fn title(self) -> &'static str {
                match self { $(Code::$variant => $title,)* }
            }
        }
    };
}

codes! {
    UnreadableFile = "E0101", "the file cannot be read as UTF-8 text";
    FileTooLarge = "E0102", "the text is larger than the language allows";
    UnknownCharacter = "E0103", "a character that no token begins with";
    MalformedNumber = "E0104", "a number that is not written as digits, a fraction and an exponent";
    NameTooLong = "E0105", "a name longer than the language allows";
    Unexpected = "E0201", "another token was expected here";
    TooDeep = "E0202", "nesting deeper than the language allows";
    Unclosed = "E0203", "a bracket or block that is never closed";
    Repeated = "E0204", "a part that a mechanism has once, written again";
    Missing = "E0205", "a part that every mechanism has is missing";
    OutOfOrder = "E0206", "a part stands before one that it must follow";
    UnknownName = "E0301", "a name that is not declared";
    DuplicateName = "E0302", "a name declared twice";
    UseBeforeAssignment = "E0303", "a variable read where it may have no value yet";
    NotAssignable = "E0304", "an input, parameter, definition or loop variable cannot be assigned";
    PrimeOutsideRelation = "E0305", "a primed name outside an adjacency or a proof";
    PrimeOfNonInput = "E0306", "a prime on something other than an input";
    UnknownFunction = "E0307", "a function that the language does not have";
    UnknownDistribution = "E0308", "a distribution that the language does not have";
    NotFixed = "E0309", "a name whose value is not fixed by the parameters";
    WrongType = "E0401", "a value of another type was expected";
    WrongArity = "E0402", "a function or distribution with another number of arguments";
    MissingReturn = "E0403", "a path on which nothing is returned";
    Unreachable = "E0404", "a statement that no path reaches";
    OutOfRange = "E0405", "a constant outside the values allowed here";
    VacuousAdjacency = "E0501", "an adjacency that does not relate the two runs";
    BadFormat = "E0502", "a floating-point format that does not exist";
    BadUse = "E0601", "a file that cannot be used";
    TooManyFaults = "E0901", "faults beyond the number that is reported";
    Unused = "W0001", "a name that nothing uses";
}

/// Whether a fault stops the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The text is not a mechanism.
    Error,
    /// The text is a mechanism, but probably not the one that was meant.
    Warning,
}

impl Code {
    /// Codes that begin with `W` are warnings.
    pub fn severity(self) -> Severity {
        if self.name().starts_with('W') { Severity::Warning } else { Severity::Error }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One fault in a source text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of fault it is.
    pub code: Code,
    /// Where it is.
    pub span: Span,
    /// What happened, and what was expected.
    pub message: String,
    /// What to write instead, when that is known.
    pub hint: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, " ({hint})")?;
        }
        Ok(())
    }
}

/// Collects faults up to [`MAX_REPORTED`] and counts the rest. Warnings never take the place of an error, and however many
/// there are they do not stop the load.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    reported: Vec<Diagnostic>,
    suppressed: usize,
    last_suppressed: Span,
    /// How many errors and warnings are kept.
    kept: [usize; 2],
    warnings_suppressed: usize,
    last_warning: Span,
    /// A muted sink takes reports and keeps none: for passes that only learn.
    muted: bool,
}

impl Sink {
    pub(crate) fn mute(&mut self, muted: bool) {
        self.muted = muted;
    }

    /// Reports a fault without a hint.
    pub(crate) fn report(&mut self, code: Code, span: Span, message: impl FnOnce() -> String) {
        self.report_with(code, span, || (message(), None));
    }

    /// Reports a fault; the wording is made only when it will be shown, so a million faults stay cheap.
    pub(crate) fn report_with(
        &mut self,
        code: Code,
        span: Span,
        wording: impl FnOnce() -> (String, Option<String>),
    ) {
        if self.muted {
            return;
        }
        let warning = code.severity() == Severity::Warning;
        match (self.kept[usize::from(warning)] >= MAX_REPORTED, warning) {
            (true, true) => {
                self.warnings_suppressed += 1;
                self.last_warning = span;
                return;
            }
            (true, false) => {
                self.suppressed += 1;
                self.last_suppressed = span;
                return;
            }
            (false, _) => self.kept[usize::from(warning)] += 1,
        }
        let (message, hint) = wording();
        self.reported.push(Diagnostic { code, span, message, hint });
    }

    /// How many faults were reported so far.
    pub(crate) fn count(&self) -> usize {
        self.reported.len() + self.suppressed + self.warnings_suppressed
    }

    /// Whether a fault of this kind was reported.
    pub(crate) fn has(&self, code: Code) -> bool {
        self.reported.iter().any(|d| d.code == code)
    }

    /// Whether nothing that stops a load was reported.
    pub(crate) fn is_clean(&self) -> bool {
        self.suppressed == 0 && self.reported.iter().all(|d| d.code.severity() == Severity::Warning)
    }

    /// The faults in the order of the text, with one last entry that counts those left out.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        self.reported.sort_by_key(|d| (d.span.start, d.span.end, d.code));
        self.reported.dedup();
        while self.reported.len() > MAX_REPORTED
            && let Some(at) = self.reported.iter().rposition(|d| d.code.severity() == Severity::Warning)
        {
            let dropped = self.reported.remove(at);
            self.warnings_suppressed += 1;
            self.last_warning = dropped.span;
        }
        if self.suppressed == 0 && self.warnings_suppressed > 0 {
            let count = self.warnings_suppressed;
            self.reported.push(Diagnostic {
                code: Code::Unused,
                span: self.last_warning,
                message: format!("{count} further warnings are not shown"),
                hint: None,
            });
        }
        if self.suppressed > 0 {
            let count = self.suppressed;
            self.reported.push(Diagnostic {
                code: Code::TooManyFaults,
                span: self.last_suppressed,
                message: format!("{count} further faults are not shown"),
                hint: Some("mend the first ones; the others often follow from them".into()),
            });
        }
        self.reported
    }
}

/// A piece of source text as a message quotes it: short, on one line, without control characters.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown: String = text.chars().take(LONGEST).map(printable).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    format!("`{shown}`")
}

/// The character itself, or a replacement for one that would disturb a terminal: control characters and the
/// marks that change the direction of text.
pub(crate) fn printable(c: char) -> char {
    if disturbs(c) { '\u{fffd}' } else { c }
}

/// Control characters, marks that change the direction of text, and separators of lines that are none to a terminal.
pub fn disturbs(c: char) -> bool {
    let directs =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || directs || matches!(c, '\u{2028}' | '\u{2029}')
}

/// A text as a terminal may show it: what would disturb it stands there as an escape. Ends of lines and tabs stay.
///
/// ```
/// assert_eq!(probity_lang::visible("a\u{202e}b\u{1b}[2J\n"), "a\\u{202e}b\\u{1b}[2J\n");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    let bad = |c: char| disturbs(c) && c != '\n' && c != '\t';
    if !text.contains(bad) {
        return Cow::Borrowed(text);
    }
    let escaped = |c: char| if bad(c) { c.escape_unicode().to_string() } else { c.to_string() };
    Cow::Owned(text.chars().map(escaped).collect())
}
