//! The text form of certificates: words and parentheses.
//!
//! `(shift (var (plain x)) 1/2)` is a list whose first word names what it is. What has no parts is written as a
//! bare word. Reading is total: any text gives a value or an error that says what was expected.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use probity_exact::{Rational, parse_rational};
use probity_kernel::expr::Name;

/// How deep parentheses may nest: far beyond honest certificates, and safe for the stack.
const MAX_DEPTH: usize = 600;

/// A word or a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Text {
    /// A word without spaces and parentheses.
    Word(Cow<'static, str>),
    /// A list.
    List(Vec<Text>),
}

/// Why a text cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// What was expected.
    pub expected: String,
    /// What was found, shortened.
    pub found: String,
}

impl ReadError {
    pub(crate) fn new(expected: impl Into<String>, found: impl fmt::Display) -> ReadError {
        let found = found.to_string();
        let shown: String = found.chars().take(60).collect();
        ReadError { expected: expected.into(), found: shown }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, found '{}'", self.expected, self.found)
    }
}

impl std::error::Error for ReadError {}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Text::Word(word) => f.write_str(word),
            Text::List(parts) => {
                f.write_str("(")?;
                for (n, part) in parts.iter().enumerate() {
                    f.write_str(if n == 0 { "" } else { " " })?;
                    part.fmt(f)?;
                }
                f.write_str(")")
            }
        }
    }
}

impl Text {
    /// Reads one word or list that fills the whole line.
    pub fn parse(line: &str) -> Result<Text, ReadError> {
        let mut open: Vec<Vec<Text>> = Vec::new();
        let mut done: Option<Text> = None;
        for token in tokens(line) {
            if done.is_some() {
                return Err(ReadError::new("the end of the line", token));
            }
            let finished = match token {
                "(" => {
                    if open.len() >= MAX_DEPTH {
                        return Err(ReadError::new("parentheses nested less deeply", token));
                    }
                    open.push(Vec::new());
                    continue;
                }
                ")" => Text::List(open.pop().ok_or_else(|| ReadError::new("no ')' here", token))?),
                word => Text::Word(Cow::Owned(word.to_string())),
            };
            match open.last_mut() {
                Some(list) => list.push(finished),
                None => done = Some(finished),
            }
        }
        match (done, open.is_empty()) {
            (Some(text), true) => Ok(text),
            _ => Err(ReadError::new("a complete expression", line)),
        }
    }

    /// What names this text, and its parts.
    pub(crate) fn head(&self) -> Result<(&str, Parts<'_>), ReadError> {
        match self {
            Text::Word(word) => Ok((word, Parts { rest: &[], whole: self })),
            Text::List(list) => match list.split_first() {
                Some((Text::Word(word), rest)) => Ok((word, Parts { rest, whole: self })),
                _ => Err(ReadError::new("a list that begins with a word", self)),
            },
        }
    }

    /// A named text with parts.
    pub(crate) fn named(word: &'static str, mut parts: Vec<Text>) -> Text {
        parts.insert(0, Text::Word(Cow::Borrowed(word)));
        Text::beginning(parts)
    }

    /// The same from the word and the parts: a word without parts is no list.
    pub(crate) fn beginning(mut word_and_parts: Vec<Text>) -> Text {
        match word_and_parts.len() {
            1 => word_and_parts.swap_remove(0),
            _ => Text::List(word_and_parts),
        }
    }
}

/// The words and parentheses of a line.
fn tokens(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let ends = |c: char| c == '(' || c == ')' || c.is_whitespace();
        let length = match rest.find(ends) {
            Some(0) => 1,
            Some(length) => length,
            None => rest.len(),
        };
        let (token, later) = rest.split_at(length);
        rest = later;
        (!token.is_empty()).then_some(token)
    })
}

/// The parts of a list, read one after another.
pub(crate) struct Parts<'a> {
    rest: &'a [Text],
    whole: &'a Text,
}

impl Parts<'_> {
    pub(crate) fn next<T: Code>(&mut self) -> Result<T, ReadError> {
        let (first, rest) =
            self.rest.split_first().ok_or_else(|| ReadError::new("another part", self.whole))?;
        self.rest = rest;
        T::read(first)
    }

    pub(crate) fn end(self) -> Result<(), ReadError> {
        if self.rest.is_empty() { Ok(()) } else { Err(ReadError::new("fewer parts", self.whole)) }
    }
}

/// What can be written as text and read back.
pub trait Code: Sized {
    /// The text.
    fn write(&self) -> Text;
    /// The value that the text stands for.
    fn read(text: &Text) -> Result<Self, ReadError>;
}

fn word<'a>(text: &'a Text, expected: &str) -> Result<&'a str, ReadError> {
    match text {
        Text::Word(word) => Ok(word),
        Text::List(_) => Err(ReadError::new(expected, text)),
    }
}

macro_rules! number_code {
    ($($number:ty),*) => {$(
        impl Code for $number {
            fn write(&self) -> Text {
                Text::Word(Cow::Owned(self.to_string()))
            }
            fn read(text: &Text) -> Result<Self, ReadError> {
                word(text, "a number")?.parse().map_err(|_| ReadError::new("a machine integer", text))
            }
        }
    )*};
}
number_code!(usize, i32, u32);

impl Code for bool {
    fn write(&self) -> Text {
        Text::Word(Cow::Owned(self.to_string()))
    }
    fn read(text: &Text) -> Result<Self, ReadError> {
        word(text, "true or false")?.parse().map_err(|_| ReadError::new("true or false", text))
    }
}

impl Code for Rational {
    fn write(&self) -> Text {
        Text::Word(Cow::Owned(self.to_string()))
    }
    fn read(text: &Text) -> Result<Self, ReadError> {
        parse_rational(word(text, "a number")?).map_err(|_| ReadError::new("a number", text))
    }
}

impl Code for Name {
    /// Letters, digits and `_` stand for themselves, everything else for its bytes in hexadecimal.
    fn write(&self) -> Text {
        let mut word = String::from("$");
        for byte in self.as_str().bytes() {
            if byte.is_ascii_alphanumeric() || byte == b'_' {
                word.push(char::from(byte));
            } else {
                word.push_str(&format!("%{byte:02x}"));
            }
        }
        Text::Word(Cow::Owned(word))
    }

    fn read(text: &Text) -> Result<Self, ReadError> {
        let fail = || ReadError::new("a name such as $x", text);
        let spelled = word(text, "a name")?.strip_prefix('$').ok_or_else(fail)?;
        let mut bytes = Vec::new();
        let mut rest = spelled.bytes();
        while let Some(byte) = rest.next() {
            bytes.push(match byte {
                b'%' => {
                    let pair = [rest.next().ok_or_else(fail)?, rest.next().ok_or_else(fail)?];
                    let digits = std::str::from_utf8(&pair).map_err(|_| fail())?;
                    u8::from_str_radix(digits, 16).map_err(|_| fail())?
                }
                byte if byte.is_ascii_alphanumeric() || byte == b'_' => byte,
                _ => return Err(fail()),
            });
        }
        String::from_utf8(bytes).map(Name::from).map_err(|_| fail())
    }
}

impl<T: Code> Code for Vec<T> {
    fn write(&self) -> Text {
        Text::List(self.iter().map(Code::write).collect())
    }
    fn read(text: &Text) -> Result<Self, ReadError> {
        match text {
            Text::List(parts) => parts.iter().map(T::read).collect(),
            Text::Word(_) => Err(ReadError::new("a list", text)),
        }
    }
}

impl<A: Code, B: Code> Code for (A, B) {
    fn write(&self) -> Text {
        Text::List(vec![self.0.write(), self.1.write()])
    }
    fn read(text: &Text) -> Result<Self, ReadError> {
        match text {
            Text::List(parts) if parts.len() == 2 => Ok((A::read(&parts[0])?, B::read(&parts[1])?)),
            _ => Err(ReadError::new("a pair", text)),
        }
    }
}

impl<T: Code> Code for Arc<T> {
    fn write(&self) -> Text {
        (**self).write()
    }
    fn read(text: &Text) -> Result<Self, ReadError> {
        T::read(text).map(Arc::new)
    }
}

impl<T: Code> Code for Box<T> {
    fn write(&self) -> Text {
        (**self).write()
    }
    fn read(text: &Text) -> Result<Self, ReadError> {
        T::read(text).map(Box::new)
    }
}
