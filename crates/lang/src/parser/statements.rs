//! Statements and blocks.

use super::{Parsed, Parser, Reported};
use crate::Span;
use crate::diagnostic::{Code, quoted};
use crate::lexer::{Keyword, Mark, Token, TokenKind};
use crate::names::nearest;
use crate::names::words;
use crate::syntax::{BinaryOp, Expr, ExprKind, Ident, Iteration, Statement, StatementKind};

/// The marks that set a variable to what it was, with an operand.
const UPDATES: [(Mark, BinaryOp); 4] = [
    (Mark::AddAssign, BinaryOp::Add),
    (Mark::SubtractAssign, BinaryOp::Subtract),
    (Mark::MultiplyAssign, BinaryOp::Multiply),
    (Mark::DivideAssign, BinaryOp::Divide),
];

/// Whether the name before it is set.
pub(super) fn sets(kind: TokenKind) -> bool {
    let is = |mark: Mark| kind == TokenKind::Mark(mark);
    is(Mark::Assign) || is(Mark::Draw) || UPDATES.iter().any(|(mark, _)| is(*mark))
}

impl Parser<'_> {
    /// Whether a statement can begin at the cursor.
    pub(super) fn at_statement(&self) -> bool {
        matches!(
            self.peek(),
            TokenKind::Name
                | TokenKind::Keyword(
                    Keyword::If | Keyword::For | Keyword::While | Keyword::Return | Keyword::Append
                )
        )
    }

    /// One statement with the end of its line. One that is given up is kept as a faulty line, so that what it
    /// would have assigned does not look unknown.
    pub(super) fn statement_line(&mut self) -> Statement {
        let span = self.span();
        let assigns = sets(self.peek_ahead(1));
        let is_target = self.peek() == TokenKind::Name && assigns;
        let target = is_target.then(|| Ident { text: self.text().to_string(), span });
        match self.statement() {
            Ok(statement) => {
                self.end_of_line();
                statement
            }
            Err(Reported) => {
                self.skip_line();
                Statement { kind: StatementKind::Faulty { target }, span }
            }
        }
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let start = self.span();
        let (kind, end) = match self.peek() {
            TokenKind::Keyword(Keyword::If) => return self.nested(Self::branch),
            TokenKind::Keyword(Keyword::For) => self.for_loop()?,
            TokenKind::Keyword(Keyword::While) => self.while_loop()?,
            TokenKind::Keyword(Keyword::Return) => {
                self.advance();
                let value = self.returned()?;
                let end = value.span;
                (StatementKind::Return(value), end)
            }
            TokenKind::Keyword(Keyword::Append) => self.append()?,
            _ => self.draw_or_assign()?,
        };
        Ok(Statement { kind, span: start.to(end) })
    }

    /// What is returned: a value, or several as a tuple, whose brackets may be left out.
    fn returned(&mut self) -> Parsed<Expr> {
        let first = self.expression()?;
        if !self.at_mark(Mark::Comma) {
            return Ok(first);
        }
        let start = first.span;
        let mut parts = vec![first];
        while self.eat_mark(Mark::Comma) {
            parts.push(self.expression()?);
        }
        let end = parts.last().map_or(start, |part| part.span);
        let height = parts.iter().map(|part| part.height).max().unwrap_or(0);
        self.node(ExprKind::Tuple(parts), start.to(end), height)
    }

    /// `name ~ law(arguments)` or `name = value`
    fn draw_or_assign(&mut self) -> Parsed<(StatementKind, Span)> {
        let target = self.expect_name("a statement")?;
        if self.eat_mark(Mark::Assign) {
            let value = self.expression()?;
            let end = value.span;
            return Ok((StatementKind::Assign { target, value }, end));
        }
        for (mark, operator) in UPDATES {
            if self.eat_mark(mark) {
                // `x += e` is `x = x + e`.
                let operand = self.expression()?;
                let (end, height) = (operand.span, operand.height);
                let old = self.node(ExprKind::Name(target.text.clone()), target.span, 0)?;
                let updated = ExprKind::Binary(operator, Box::new(old), Box::new(operand));
                let value = self.node(updated, target.span.to(end), height)?;
                return Ok((StatementKind::Assign { target, value }, end));
            }
        }
        if self.eat_mark(Mark::Draw) {
            let law = self.expect_name("a distribution")?;
            let opened = self.expect_mark(Mark::OpenParen, "after the distribution")?;
            let (arguments, end) = self.arguments(Mark::CloseParen, opened)?;
            return Ok((StatementKind::Draw { target, law, arguments }, end));
        }
        if let Some(instead) = words::instead(&target.text) {
            self.sink.report_with(Code::Unexpected, target.span, || {
                let message = format!("there is no {} in the language", quoted(&target.text));
                (
                    format!("{message}: expected an assignment, a draw, a branch or a loop"),
                    Some(instead.into()),
                )
            });
            return Err(Reported);
        }
        let operator = self.text();
        let hint = match self.peek_ahead(1) {
            TokenKind::Mark(Mark::Assign) if matches!(operator, "-" | "*" | "/") => {
                format!("write `{0} = {0} {operator} …`", target.text)
            }
            _ if operator == "[" => format!(
                "entries of a list are not set one by one: build a list with `append({}, …)`, or keep a variable for the entry",
                target.text
            ),
            _ => "`name = value` assigns, `name ~ distribution(...)` draws".into(),
        };
        Err(self.unexpected("`=` or `~`", Some(hint)))
    }

    /// A word that begins no line but is like one that does is reported once, and read as that.
    pub(super) fn mend_beginning(&mut self) {
        let assigns = sets(self.peek_ahead(1));
        if self.peek() != TokenKind::Name || assigns || words::instead(self.text()).is_some() {
            return;
        }
        if let Some(meant) = words::beginning(self.text()) {
            self.mend(meant, "a statement or a declaration", format!("did you mean `{}`?", meant.text()));
        }
    }

    /// The same for what stands between a block and the one for the other case.
    fn mend_else(&mut self) {
        let lines =
            self.tokens[self.at..].iter().take_while(|token| token.kind == TokenKind::Newline).count();
        if lines > 0 && self.peek_ahead(lines) == TokenKind::Keyword(Keyword::Else) {
            self.at += lines;
            self.unexpected("a statement or a declaration", Some("write `} else` on one line".into()));
            return;
        }
        if self.peek() != TokenKind::Name {
            return;
        }
        match self.text() {
            "elif" | "elsif" | "elseif" => {
                self.mend(Keyword::Else, "the end of the line or `else`", "write `else if`".into());
                // What follows is a condition: the `if` is put in its place.
                let place = self.span();
                self.tokens.insert(self.at + 1, Token { kind: TokenKind::Keyword(Keyword::If), span: place });
            }
            word if nearest(word, ["else"].into_iter()).is_some() => {
                self.mend(Keyword::Else, "the end of the line or `else`", "did you mean `else`?".into());
            }
            _ => {}
        }
    }

    fn mend(&mut self, meant: Keyword, expected: &str, hint: String) {
        self.unexpected(expected, Some(hint));
        self.tokens[self.at].kind = TokenKind::Keyword(meant);
    }

    /// `append(list, value)`
    fn append(&mut self) -> Parsed<(StatementKind, Span)> {
        self.advance();
        let opened = self.expect_mark(Mark::OpenParen, "after `append`")?;
        let list = self.expect_name("the name of a list")?;
        self.expect_mark(Mark::Comma, "between the list and the value")?;
        let value = self.expression()?;
        let end = self.expect_close(Mark::CloseParen, opened)?;
        Ok((StatementKind::Append { list, value }, end))
    }

    /// `if condition { … } [else if … | else { … }]`
    fn branch(&mut self) -> Parsed<Statement> {
        let start = self.expect_keyword(Keyword::If, "before a condition")?;
        let (condition, end, yes) = self.headed_block(Self::expression)?;
        self.mend_else();
        let no = if self.eat_keyword(Keyword::Else) {
            if self.at_keyword(Keyword::If) { vec![self.nested(Self::branch)?] } else { self.block()? }
        } else {
            Vec::new()
        };
        Ok(Statement { kind: StatementKind::If { condition: condition?, yes, no }, span: start.to(end) })
    }

    /// `for i in low .. high { … }` or `for x in list { … }`
    fn for_loop(&mut self) -> Parsed<(StatementKind, Span)> {
        self.advance();
        let (head, end, body) = self.headed_block(Self::for_head)?;
        let (variable, over) = head?;
        Ok((StatementKind::For { variable, over, body }, end))
    }

    fn for_head(&mut self) -> Parsed<(Ident, Iteration)> {
        let variable = self.expect_name("the name of the loop variable")?;
        if self.at_mark(Mark::Comma) {
            let hint = format!(
                "a loop has one variable: `for {} in 0..length(q)`, and `q[{0}]` is the entry",
                variable.text
            );
            return Err(self.unexpected("`in` after the loop variable", Some(hint)));
        }
        self.expect_keyword(Keyword::In, "after the loop variable")?;
        let first = self.expression()?;
        if self.eat_mark(Mark::Range) {
            let high = self.expression()?;
            return Ok((variable, Iteration::Range(first, high)));
        }
        Ok((variable, Iteration::Entries(first)))
    }

    /// `while condition [as label] { … }`
    fn while_loop(&mut self) -> Parsed<(StatementKind, Span)> {
        self.advance();
        let (head, end, body) = self.headed_block(Self::while_head)?;
        let (condition, label) = head?;
        Ok((StatementKind::While { condition, label, body }, end))
    }

    fn while_head(&mut self) -> Parsed<(Expr, Option<Ident>)> {
        let condition = self.expression()?;
        if !self.at_word("as") {
            return Ok((condition, None));
        }
        self.advance();
        Ok((condition, Some(self.expect_name("a label for the loop")?)))
    }

    /// Reads what stands before a block, and the block. After a fault in the head the cursor is moved to the
    /// brace of this line, if it has one, so that the faults of the block are reported too.
    fn headed_block<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<(Parsed<T>, Span, Vec<Statement>)> {
        let head = read(self);
        if head.is_err() {
            while !matches!(
                self.peek(),
                TokenKind::Newline | TokenKind::End | TokenKind::Mark(Mark::OpenBrace | Mark::CloseBrace)
            ) {
                self.advance();
            }
            if !self.at_mark(Mark::OpenBrace) {
                return Err(Reported);
            }
        }
        let end = self.previous_span();
        let block = self.block()?;
        Ok((head, end, block))
    }

    /// `{` lines `}`
    pub(super) fn block(&mut self) -> Parsed<Vec<Statement>> {
        if !self.at_mark(Mark::OpenBrace) {
            return Err(self.unexpected("`{`", None));
        }
        let opened = self.span();
        if self.depth >= super::MAX_DEPTH {
            let reported = self.too_deep(opened);
            self.skip_block();
            return Err(reported);
        }
        self.nested(|parser| parser.block_lines(opened))
    }

    fn block_lines(&mut self, opened: Span) -> Parsed<Vec<Statement>> {
        self.advance();
        let mut lines = Vec::new();
        loop {
            self.mend_beginning();
            match self.peek() {
                TokenKind::Newline => {
                    self.advance();
                }
                TokenKind::Mark(Mark::CloseBrace) => {
                    self.advance();
                    return Ok(lines);
                }
                // No block holds a part of the file around it: the brace before was forgotten.
                TokenKind::End
                | TokenKind::Keyword(
                    Keyword::Mechanism
                    | Keyword::Param
                    | Keyword::Where
                    | Keyword::Let
                    | Keyword::Neighbours
                    | Keyword::Claim
                    | Keyword::Expect
                    | Keyword::Proof,
                ) => {
                    self.sink
                        .report(Code::Unclosed, opened, || "this block is never closed: expected `}`".into());
                    return Ok(lines);
                }
                _ if self.at_statement() => lines.push(self.statement_line()),
                _ => {
                    self.unexpected("a statement or `}`", None);
                    self.skip_line();
                }
            }
        }
    }
}
