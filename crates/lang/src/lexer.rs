//! Cuts text into tokens. Every byte of the text is in exactly one token or in white space between tokens,
//! comments are tokens, and no text is refused: what no token begins with becomes [`TokenKind::Unknown`].

use crate::Span;

/// Longest name. Names are for people, and messages quote them.
pub(crate) const MAX_NAME: usize = 64;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum TokenKind {
    Name,
    Number,
    /// A text between quotation marks, on one line.
    Text,
    Keyword(Keyword),
    /// One of the fixed marks: brackets, operators, separators.
    Mark(Mark),
    Newline,
    Comment,
    Unknown,
    End,
}

/// A token and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

macro_rules! words {
    ($enum:ident, $doc:literal, $($variant:ident = $text:literal,)*) => {
        #[doc = $doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) enum $enum { $($variant,)* }

        impl $enum {
            pub(crate) const ALL: &'static [$enum] = &[$($enum::$variant,)*];

            pub(crate) fn text(self) -> &'static str {
                match self { $($enum::$variant => $text,)* }
            }
        }
    };
}

words! { Keyword, "The reserved words.",
    Mechanism = "mechanism", Param = "param", Where = "where", Let = "let",
    If = "if", Then = "then", Else = "else", For = "for", In = "in", While = "while",
    Return = "return", Append = "append", Neighbours = "neighbours", Claim = "claim",
    Expect = "expect", Refuted = "refuted", Proof = "proof",
    And = "and", Or = "or", Not = "not", Mod = "mod", True = "true", False = "false",
}

impl Keyword {
    /// The reserved word that a text is, in British or American spelling.
    fn of(text: &str) -> Option<Keyword> {
        match text {
            "neighbors" => Some(Keyword::Neighbours),
            _ => Keyword::ALL.iter().copied().find(|keyword| keyword.text() == text),
        }
    }
}

words! { Mark, "The fixed marks. A longer mark stands before its prefixes.",
    Equal = "==", NotEqual = "!=", AtMost = "<=", AtLeast = ">=", Range = "..",
    AddAssign = "+=", SubtractAssign = "-=", MultiplyAssign = "*=", DivideAssign = "/=",
    OpenParen = "(", CloseParen = ")", OpenBracket = "[", CloseBracket = "]", OpenBrace = "{", CloseBrace = "}",
    Comma = ",", Colon = ":", Prime = "'", Draw = "~", Assign = "=", Less = "<", Greater = ">",
    Plus = "+", Minus = "-", Times = "*", Divide = "/", Dot = ".",
}

/// All tokens of the text, comments and line breaks included, closed by one [`TokenKind::End`].
pub(crate) fn tokenize(source: &str) -> Vec<Token> {
    let bytes = source.as_bytes();
    let mut tokens = Vec::with_capacity(source.len() / 3 + 1);
    // A byte-order mark is white space.
    let mut at = if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while at < bytes.len() {
        let start = at;
        let kind = match bytes[at] {
            b' ' | b'\t' | b'\r' => {
                at += 1;
                continue;
            }
            b'\n' => {
                at += 1;
                TokenKind::Newline
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += bytes[at..].iter().position(|b| *b == b'\n').unwrap_or(bytes.len() - at);
                TokenKind::Comment
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                at = end_of(bytes, at, |b| b.is_ascii_alphanumeric() || b == b'_');
                let text = &source[start..at];
                Keyword::of(text).map_or(TokenKind::Name, TokenKind::Keyword)
            }
            // One that is never closed is no token.
            b'"' if bytes[at + 1..].iter().take_while(|b| **b != b'\n').any(|b| *b == b'"') => {
                at += 2 + bytes[at + 1..].iter().position(|b| *b == b'"').unwrap_or(0);
                TokenKind::Text
            }
            b'0'..=b'9' => {
                at = end_of_number(bytes, at);
                TokenKind::Number
            }
            b'.' if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => {
                at = end_of_number(bytes, at);
                TokenKind::Number
            }
            _ => match Mark::ALL.iter().find(|mark| bytes[at..].starts_with(mark.text().as_bytes())) {
                Some(mark) => {
                    at += mark.text().len();
                    TokenKind::Mark(*mark)
                }
                None => {
                    at += source[at..].chars().next().map_or(1, char::len_utf8);
                    TokenKind::Unknown
                }
            },
        };
        tokens.push(Token { kind, span: Span::new(start as u32, at as u32) });
    }
    let end = source.len() as u32;
    tokens.push(Token { kind: TokenKind::End, span: Span::new(end, end) });
    tokens
}

/// The first position at or after `at` whose byte is not accepted.
fn end_of(bytes: &[u8], at: usize, accept: impl Fn(u8) -> bool) -> usize {
    bytes[at..].iter().position(|b| !accept(*b)).map_or(bytes.len(), |n| at + n)
}

/// Takes everything that a person would read as one number, well formed or not: `1.5e-3`, but also `1x`, so
/// that one wrong number is one fault. A second dot ends it, because `0..n` is a range.
fn end_of_number(bytes: &[u8], at: usize) -> usize {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let mut at = end_of(bytes, at, is_word);
    if bytes.get(at) == Some(&b'.') && bytes.get(at + 1) != Some(&b'.') {
        at = end_of(bytes, at + 1, is_word);
    }
    let after_exponent = matches!(bytes.get(at.wrapping_sub(1)), Some(b'e' | b'E'));
    if after_exponent && matches!(bytes.get(at), Some(b'+' | b'-')) {
        at = end_of(bytes, at + 1, is_word);
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<&str> {
        tokenize(text).iter().filter(|t| t.kind != TokenKind::End).map(|t| t.span.text(text)).collect()
    }

    #[test]
    fn longest_marks_first() {
        assert_eq!(pieces("a<=b==c=d..e'"), ["a", "<=", "b", "==", "c", "=", "d", "..", "e", "'"]);
    }

    #[test]
    fn a_byte_order_mark_and_american_spelling_are_no_faults() {
        assert_eq!(pieces("\u{feff}mechanism m"), ["mechanism", "m"]);
        let kinds = |text: &str| tokenize(text)[0].kind;
        assert_eq!(kinds("neighbors"), TokenKind::Keyword(Keyword::Neighbours));
        assert_eq!(kinds("neighbors_"), TokenKind::Name);
        // Elsewhere in the text it is a character like any other.
        assert_eq!(pieces("a\u{feff}"), ["a", "\u{feff}"]);
    }

    #[test]
    fn numbers_and_ranges() {
        assert_eq!(
            pieces("0..n 1.5e-3 .5 2e+7 1e-x 1. 3-1"),
            ["0", "..", "n", "1.5e-3", ".5", "2e+7", "1e-x", "1.", "3", "-", "1"]
        );
    }

    #[test]
    fn no_mark_is_hidden_by_a_shorter_one_before_it() {
        for (position, mark) in Mark::ALL.iter().enumerate() {
            for earlier in &Mark::ALL[..position] {
                assert!(!mark.text().starts_with(earlier.text()), "{mark:?} is hidden by {earlier:?}");
            }
        }
    }

    #[test]
    fn the_printed_grammar_has_every_keyword() {
        let page = include_str!("../../../docs/language.md");
        for keyword in Keyword::ALL {
            assert!(page.contains(&format!("'{}'", keyword.text())), "{keyword:?} is not in the grammar");
        }
    }

    #[test]
    fn unknown_characters_are_whole_characters() {
        assert_eq!(pieces("a ε §"), ["a", "ε", "§"]);
        assert_eq!(pieces("x // ε\n"), ["x", "// ε", "\n"]);
    }
}
