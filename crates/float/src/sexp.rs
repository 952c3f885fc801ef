//! S-expressions: the brackets and words of an FPCore file, with the line each one starts on. Reading never
//! panics, whatever the text; nesting is bounded so that later recursion is bounded too.

use std::fmt;

/// Brackets inside brackets beyond which a text is refused.
pub const MAX_DEPTH: usize = 300;

/// A word, a string, or a bracketed list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sexp {
    /// What it is.
    pub kind: Kind,
    /// The line on which it starts, from 1.
    pub line: usize,
}

/// The three shapes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A bare word: a name, a number, a keyword.
    Word(String),
    /// Text between double quotes, without them.
    Text(String),
    /// A list in round or square brackets.
    List(Vec<Sexp>),
}

/// Why a text is no sequence of S-expressions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SexpError {
    /// The line at fault, from 1.
    pub line: usize,
    /// What is wrong there.
    pub reason: &'static str,
}

impl fmt::Display for SexpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for SexpError {}

impl Sexp {
    /// The word, if it is one.
    pub fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The items, if it is a list.
    pub fn list(&self) -> Option<&[Sexp]> {
        match &self.kind {
            Kind::List(items) => Some(items),
            _ => None,
        }
    }
}

/// Reads a whole text. `;` starts a comment that ends with the line.
///
/// ```
/// let forms = probity_float::sexp::read("(+ x [y 1]) ; a comment").unwrap();
/// assert_eq!(forms[0].list().unwrap().len(), 3);
/// assert!(probity_float::sexp::read("(x").is_err());
/// ```
pub fn read(text: &str) -> Result<Vec<Sexp>, SexpError> {
    // Lists that are open: the line and closing bracket of each, and the items so far.
    let mut open: Vec<(usize, char, Vec<Sexp>)> = Vec::new();
    let mut done = Vec::new();
    let mut line = 1;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let item = match letter {
            '\n' => {
                line += 1;
                continue;
            }
            ';' => {
                while letters.peek().is_some_and(|next| *next != '\n') {
                    letters.next();
                }
                continue;
            }
            '(' | '[' => {
                if open.len() == MAX_DEPTH {
                    return Err(SexpError { line, reason: "brackets are nested more than 300 deep" });
                }
                open.push((line, if letter == '(' { ')' } else { ']' }, Vec::new()));
                continue;
            }
            ')' | ']' => match open.pop() {
                None => return Err(SexpError { line, reason: "a bracket closes that none opened" }),
                Some((_, close, _)) if close != letter => {
                    return Err(SexpError { line, reason: "a bracket is closed by one of the other kind" });
                }
                Some((start, _, items)) => Sexp { kind: Kind::List(items), line: start },
            },
            '"' => {
                let start = line;
                let mut content = String::new();
                loop {
                    match letters.next() {
                        None => return Err(SexpError { line: start, reason: "a string is not closed" }),
                        Some('"') => break,
                        Some('\\') => content.extend(letters.next()),
                        Some(other) => {
                            line += usize::from(other == '\n');
                            content.push(other);
                        }
                    }
                }
                Sexp { kind: Kind::Text(content), line: start }
            }
            blank if blank.is_whitespace() => continue,
            first => {
                let mut word = String::from(first);
                while let Some(next) = letters.peek().copied() {
                    if next.is_whitespace() || "()[]\";".contains(next) {
                        break;
                    }
                    word.push(next);
                    letters.next();
                }
                Sexp { kind: Kind::Word(word), line }
            }
        };
        match open.last_mut() {
            Some((_, _, items)) => items.push(item),
            None => done.push(item),
        }
    }
    match open.first() {
        Some((start, _, _)) => Err(SexpError { line: *start, reason: "a bracket is not closed" }),
        None => Ok(done),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_and_lines() {
        let forms = read("; first\n(a \"b ; c\" [d\n 1/3])\nx").unwrap();
        assert_eq!(forms.len(), 2);
        assert_eq!((forms[0].line, forms[1].line), (2, 4));
        let items = forms[0].list().unwrap();
        assert_eq!(items[1].kind, Kind::Text("b ; c".into()));
        assert_eq!(items[2].list().unwrap()[1].word(), Some("1/3"));
    }

    #[test]
    fn broken_texts_are_refused_with_their_line() {
        for (text, line) in [("(a", 1), ("\n)", 2), ("(a]", 1), ("\n\"abc", 2)] {
            assert_eq!(read(text).unwrap_err().line, line, "{text}");
        }
        assert!(read(&"(".repeat(1_000_000)).is_err());
        assert!(read("\"\\").is_err());
    }
}
