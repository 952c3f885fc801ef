//! Text to syntax tree, by recursive descent. Parsing never fails: faults are collected, the parser resumes
//! at the next line, and what could not be read is left out of the tree.
//!
//! Time is linear: every step consumes a token or returns. Depth is bounded by [`MAX_DEPTH`].

mod expressions;
mod items;
mod proofs;
mod statements;

use crate::Span;
use crate::diagnostic::{Code, Sink, quoted};
use crate::lexer::{Keyword, MAX_NAME, Mark, Token, TokenKind, tokenize};
use crate::names::words;
use crate::syntax::{File, Ident};

/// Deepest nesting of blocks, and highest expression tree. A sum of a hundred terms reaches it.
pub(crate) const MAX_DEPTH: usize = 100;

/// What to write instead of a power.
const NO_POWERS: &str = "there is no power operator; write a product, or `exp`";

/// Reads a whole file. Faults go to the sink.
pub(crate) fn parse(source: &str, sink: &mut Sink) -> File {
    let tokens = significant_tokens(source, sink);
    let mut parser = Parser { source, tokens, at: 0, depth: 0, sink };
    parser.file()
}

/// A fault was reported and the construct is given up.
pub(crate) struct Reported;

/// The outcome of reading a construct.
pub(crate) type Parsed<T> = Result<T, Reported>;

/// A cursor over the tokens. Invariant: the last token is `End`, and `at` never passes it.
pub(crate) struct Parser<'a> {
    source: &'a str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    sink: &'a mut Sink,
}

/// The tokens that the grammar speaks of: no comments, no unknown characters (reported), and no line breaks
/// inside parentheses or brackets.
fn significant_tokens(source: &str, sink: &mut Sink) -> Vec<Token> {
    let raw = tokenize(source);
    let mut kept: Vec<Token> = Vec::with_capacity(raw.len());
    let mut open = 0usize;
    // The depth at which a `count(` or `sum(` is open: a `where` continues it on the next line.
    let mut aggregate = None;
    let mut told = false;
    // Whether this line has a bar.
    let mut bars = false;
    let mut position = 0;
    while position < raw.len() {
        let token = raw[position];
        position += 1;
        bars &= token.kind != TokenKind::Newline;
        match token.kind {
            TokenKind::Comment => continue,
            TokenKind::Unknown => {
                let mut span = token.span;
                while raw
                    .get(position)
                    .is_some_and(|t| t.kind == TokenKind::Unknown && t.span.start == span.end)
                {
                    span = span.to(raw[position].span);
                    position += 1;
                }
                // Whoever ends one line so ends all: the first tells, and each ends its line.
                let ends_line = source[span.start as usize..].starts_with(';');
                // The bars of an absolute value are one mistake.
                let bar = span.text(source) == "|";
                if !(told && ends_line || bar && bars) {
                    report_unknown(source, span, sink);
                }
                told |= ends_line;
                bars |= bar;
                if let Some(kind) = meant_by(span.text(source)) {
                    kept.push(Token { kind, span });
                }
                // What follows is meant as a comment.
                if source[span.start as usize..].starts_with('#') {
                    let line = raw[position..]
                        .iter()
                        .take_while(|t| !matches!(t.kind, TokenKind::Newline | TokenKind::End));
                    position += line.count();
                }
                if ends_line && open == 0 {
                    kept.push(Token { kind: TokenKind::Newline, span });
                }
                continue;
            }
            TokenKind::Mark(Mark::OpenParen | Mark::OpenBracket) => {
                open += 1;
                let function = kept.last().map_or("", |t: &Token| t.span.text(source));
                if matches!(function, "count" | "sum") {
                    aggregate.get_or_insert(open);
                }
            }
            TokenKind::Mark(Mark::CloseParen | Mark::CloseBracket) => {
                open = open.saturating_sub(1);
                aggregate = aggregate.filter(|depth| *depth <= open);
            }
            TokenKind::Newline
                if aggregate.is_some()
                    && raw.get(position).map(|t| t.kind) == Some(TokenKind::Keyword(Keyword::Where)) =>
            {
                continue;
            }
            TokenKind::Newline if open > 0 && !begins_line(&raw, position) => continue,
            TokenKind::Newline => {
                open = 0;
                aggregate = None;
            }
            TokenKind::Name if token.span.text(source).len() > MAX_NAME => {
                sink.report(Code::NameTooLong, token.span, || {
                    let name = quoted(token.span.text(source));
                    format!("{name} is too long for a name: expected at most {MAX_NAME} characters")
                });
            }
            _ => {}
        }
        kept.push(token);
    }
    kept
}

/// Whether the tokens from `position` on can only be a new line of the program, so that an unclosed bracket
/// on the line before does not swallow the rest of the file.
fn begins_line(raw: &[Token], position: usize) -> bool {
    let kind = |offset: usize| raw.get(position + offset).map_or(TokenKind::End, |t| t.kind);
    match kind(0) {
        // An `if` that opens a block is a statement, another one is a value.
        TokenKind::Keyword(Keyword::If) => {
            let line = raw[position..]
                .iter()
                .take_while(|t| !matches!(t.kind, TokenKind::Newline | TokenKind::Comment));
            line.last().is_some_and(|t| t.kind == TokenKind::Mark(Mark::OpenBrace))
        }
        TokenKind::Keyword(keyword) => !matches!(
            keyword,
            Keyword::Then
                | Keyword::Else
                | Keyword::And
                | Keyword::Or
                | Keyword::Not
                | Keyword::Mod
                | Keyword::True
                | Keyword::False
                | Keyword::In
        ),
        TokenKind::Name => statements::sets(kind(1)),
        TokenKind::Mark(Mark::CloseBrace) | TokenKind::End => true,
        _ => false,
    }
}

/// The operator that other languages write so, for which the text is read on, so that it is one fault.
fn meant_by(text: &str) -> Option<TokenKind> {
    Some(match text {
        "&" | "&&" => TokenKind::Keyword(Keyword::And),
        "||" => TokenKind::Keyword(Keyword::Or),
        "!" => TokenKind::Keyword(Keyword::Not),
        "^" => TokenKind::Mark(Mark::Times),
        "≤" => TokenKind::Mark(Mark::AtMost),
        "≥" => TokenKind::Mark(Mark::AtLeast),
        // A letter of another alphabet is meant as a name.
        text if text.chars().all(char::is_alphabetic) => TokenKind::Name,
        _ => return None,
    })
}

fn report_unknown(source: &str, span: Span, sink: &mut Sink) {
    sink.report_with(Code::UnknownCharacter, span, || {
        let text = span.text(source);
        let hint = match text.chars().next() {
            Some('#') => Some("a comment begins with `//`".into()),
            Some(';') => Some("statements end with the line, without `;`".into()),
            Some('&') => Some("write `and`".into()),
            Some('|') => Some("write `or`, and `abs(x)` for the absolute value".into()),
            Some('!') => Some("write `not`".into()),
            Some('≤') => Some("write `<=`".into()),
            Some('≥') => Some("write `>=`".into()),
            Some('^') => Some(NO_POWERS.into()),
            Some(c) if c.is_alphabetic() => {
                Some("names are made of the letters a-z, A-Z, digits and `_`".into())
            }
            _ => None,
        };
        (
            format!("{} is no part of the language: expected a name, a number or an operator", quoted(text)),
            hint,
        )
    });
}

impl Parser<'_> {
    fn peek(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    /// The kind of the token `offset` places ahead; `End` past the last.
    fn peek_ahead(&self, offset: usize) -> TokenKind {
        self.tokens.get(self.at + offset).map_or(TokenKind::End, |t| t.kind)
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The span of the token before the cursor.
    fn previous_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn text(&self) -> &str {
        self.span().text(self.source)
    }

    /// Moves past the current token, which is returned. Stays at the end.
    fn advance(&mut self) -> Token {
        let token = self.tokens[self.at];
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    fn at_mark(&self, mark: Mark) -> bool {
        self.peek() == TokenKind::Mark(mark)
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.peek() == TokenKind::Keyword(keyword)
    }

    /// Whether the current token is the name `text`, which means something only in this place.
    fn at_word(&self, text: &str) -> bool {
        self.peek() == TokenKind::Name && self.text() == text
    }

    /// Reads the words of a fixed phrase.
    fn expect_words(&mut self, words: &[&str]) -> Parsed<Span> {
        let start = self.span();
        for word in words {
            if !self.at_word(word) {
                let phrase = match words.len() {
                    1 => format!("`{word}`"),
                    _ => format!("`{word}`, as in `{}`", words.join(" ")),
                };
                return Err(self.unexpected(&phrase, None));
            }
            self.advance();
        }
        Ok(start.to(self.previous_span()))
    }

    fn eat_mark(&mut self, mark: Mark) -> bool {
        let found = self.at_mark(mark);
        if found {
            self.advance();
        }
        found
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.at_keyword(keyword);
        if found {
            self.advance();
        }
        found
    }

    fn expect_mark(&mut self, mark: Mark, place: &str) -> Parsed<Span> {
        if self.at_mark(mark) {
            return Ok(self.advance().span);
        }
        Err(self.unexpected(&format!("`{}` {place}", mark.text()), None))
    }

    fn expect_keyword(&mut self, keyword: Keyword, place: &str) -> Parsed<Span> {
        if self.at_keyword(keyword) {
            return Ok(self.advance().span);
        }
        Err(self.unexpected(&format!("`{}` {place}", keyword.text()), None))
    }

    fn expect_name(&mut self, role: &str) -> Parsed<Ident> {
        if self.peek() == TokenKind::Name {
            let token = self.advance();
            return Ok(Ident { text: token.span.text(self.source).to_string(), span: token.span });
        }
        let hint = match self.peek() {
            TokenKind::Keyword(keyword) => Some(format!("`{}` is a reserved word", keyword.text())),
            _ => None,
        };
        Err(self.unexpected(role, hint))
    }

    /// Closes a bracket that was opened at `opened`.
    fn expect_close(&mut self, close: Mark, opened: Span) -> Parsed<Span> {
        if self.at_mark(close) {
            return Ok(self.advance().span);
        }
        if matches!(self.peek(), TokenKind::Newline | TokenKind::End) {
            let open = opened.text(self.source).to_string();
            self.sink.report_with(Code::Unclosed, opened, || {
                (format!("this `{open}` is never closed: expected `{}`", close.text()), None)
            });
            return Err(Reported);
        }
        Err(self.unexpected(&format!("an operator, `,` or `{}`", close.text()), None))
    }

    /// Reports that something else was expected at the cursor.
    fn unexpected(&mut self, expected: &str, hint: Option<String>) -> Reported {
        let token = self.tokens[self.at];
        let source = self.source;
        self.sink.report_with(Code::Unexpected, token.span, || {
            let found = match token.kind {
                TokenKind::Newline => "the end of the line".to_string(),
                TokenKind::End => "the end of the file".to_string(),
                _ => quoted(token.span.text(source)),
            };
            (format!("expected {expected}, found {found}"), hint)
        });
        Reported
    }

    /// Runs `read` one level deeper, or reports that the nesting is too deep.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep(self.span()));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn too_deep(&mut self, span: Span) -> Reported {
        self.sink.report_with(Code::TooDeep, span, || {
            let message = format!("this nests too deeply: expected at most {MAX_DEPTH} levels");
            (message, Some("give a part of it a name with an assignment or `let`".into()))
        });
        Reported
    }

    /// Ends a line: a line break, the end, or a closing brace (which ends the block around the line).
    fn end_of_line(&mut self) {
        match self.peek() {
            TokenKind::Newline => {
                self.advance();
            }
            TokenKind::End | TokenKind::Mark(Mark::CloseBrace) => {}
            // A block that was never closed ends before the line that cannot be in it.
            _ if self.at > 0 && self.tokens[self.at - 1].kind == TokenKind::Newline => {}
            _ => {
                let hint = match self.peek() {
                    TokenKind::Keyword(Keyword::If) => Some(
                        "a value that depends on a condition is `if c then a else b`; draws that do stand in blocks: `if c { … } else { … }`"
                            .into(),
                    ),
                    TokenKind::Name => words::operator(self.text()).map(Into::into),
                    _ => None,
                };
                self.unexpected("the end of the line", hint);
                self.skip_line();
            }
        }
    }

    /// Resumes after a fault: past the end of this line, or before a brace that closes a block.
    fn skip_line(&mut self) {
        loop {
            match self.peek() {
                TokenKind::Newline => {
                    self.advance();
                    return;
                }
                TokenKind::End | TokenKind::Mark(Mark::CloseBrace) => return,
                TokenKind::Mark(Mark::OpenBrace) => self.skip_block(),
                _ => {
                    self.advance();
                }
            }
        }
    }

    /// Passes over a block from its opening brace to the matching one.
    fn skip_block(&mut self) {
        let mut open = 0usize;
        loop {
            match self.advance().kind {
                TokenKind::Mark(Mark::OpenBrace) => open += 1,
                TokenKind::Mark(Mark::CloseBrace) => {
                    open = open.saturating_sub(1);
                    if open == 0 {
                        return;
                    }
                }
                TokenKind::End => return,
                _ => {}
            }
        }
    }
}
