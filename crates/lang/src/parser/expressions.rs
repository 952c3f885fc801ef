//! Expressions: precedence climbing, with the height of the tree bounded while it is built.

use probity_exact::parse_rational;

use super::{MAX_DEPTH, NO_POWERS, Parsed, Parser, Reported};
use crate::Span;
use crate::diagnostic::{Code, quoted};
use crate::lexer::{Keyword, Mark, TokenKind};
use crate::syntax::{Aggregate, BinaryOp, CompareOp, Expr, ExprKind, Ident};

/// Longest number, and largest decimal exponent: enough for every value of binary64 written out, and small
/// enough that a text full of numbers takes memory in proportion to its length.
const MAX_NUMBER_LENGTH: usize = 400;
const MAX_EXPONENT: u64 = 400;

/// Longest comparison chain: `a <= b <= c <= d` has three links.
const MAX_CHAIN: usize = 8;

/// How strongly the operators bind, from loosest to tightest.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Binding {
    Or,
    And,
    Sum,
    Product,
}

impl Parser<'_> {
    /// An expression.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.nested(|parser| match parser.at_keyword(Keyword::If) {
            true => parser.conditional(),
            false => parser.disjunction(),
        })
    }

    /// `if condition then value else value`
    fn conditional(&mut self) -> Parsed<Expr> {
        let start = self.expect_keyword(Keyword::If, "before the condition")?;
        let condition = self.expression()?;
        self.expect_keyword(Keyword::Then, "between a condition and its value")?;
        let yes = self.expression()?;
        self.expect_keyword(Keyword::Else, "and the value for when the condition is false")?;
        let no = self.expression()?;
        let span = start.to(no.span);
        let height = condition.height.max(yes.height).max(no.height);
        self.node(ExprKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no)), span, height)
    }

    fn disjunction(&mut self) -> Parsed<Expr> {
        self.chain(Binding::Or)
    }

    /// Left-associative chains of the operators that bind exactly as `binding`.
    fn chain(&mut self, binding: Binding) -> Parsed<Expr> {
        let mut left = self.tighter(binding)?;
        while let Some(operator) = self.binary_operator(binding) {
            self.advance();
            // `x ** 2` is read as a product, so that it is one fault.
            if operator == BinaryOp::Multiply && self.at_mark(Mark::Times) {
                self.unexpected("a value", Some(NO_POWERS.into()));
                self.advance();
            }
            let right = self.tighter(binding)?;
            let span = left.span.to(right.span);
            let height = left.height.max(right.height);
            left = self.node(ExprKind::Binary(operator, Box::new(left), Box::new(right)), span, height)?;
        }
        Ok(left)
    }

    fn tighter(&mut self, binding: Binding) -> Parsed<Expr> {
        match binding {
            Binding::Or => self.chain(Binding::And),
            Binding::And => self.negation(),
            Binding::Sum => self.chain(Binding::Product),
            Binding::Product => self.unary(),
        }
    }

    fn binary_operator(&self, binding: Binding) -> Option<BinaryOp> {
        let (operator, binds) = match self.peek() {
            TokenKind::Keyword(Keyword::Or) => (BinaryOp::Or, Binding::Or),
            TokenKind::Keyword(Keyword::And) => (BinaryOp::And, Binding::And),
            TokenKind::Mark(Mark::Plus) => (BinaryOp::Add, Binding::Sum),
            TokenKind::Mark(Mark::Minus) => (BinaryOp::Subtract, Binding::Sum),
            TokenKind::Mark(Mark::Times) => (BinaryOp::Multiply, Binding::Product),
            TokenKind::Mark(Mark::Divide) => (BinaryOp::Divide, Binding::Product),
            TokenKind::Keyword(Keyword::Mod) => (BinaryOp::Modulo, Binding::Product),
            _ => return None,
        };
        (binds == binding).then_some(operator)
    }

    /// `not e`, or a comparison.
    fn negation(&mut self) -> Parsed<Expr> {
        if !self.at_keyword(Keyword::Not) {
            return self.comparison();
        }
        let start = self.advance().span;
        let inner = self.nested(Self::negation)?;
        let (span, height) = (start.to(inner.span), inner.height);
        self.node(ExprKind::Not(Box::new(inner)), span, height)
    }

    /// `a`, `a < b`, or a chain `a <= b < c`.
    fn comparison(&mut self) -> Parsed<Expr> {
        let first = self.chain(Binding::Sum)?;
        let mut links = Vec::new();
        while let Some(operator) = self.comparison_operator() {
            if links.len() == MAX_CHAIN {
                return Err(self.too_deep(self.span()));
            }
            self.advance();
            links.push((operator, self.chain(Binding::Sum)?));
        }
        if self.at_mark(Mark::Assign) {
            return Err(self.unexpected("an operator", Some("equality is written `==`".into())));
        }
        let Some((_, last)) = links.last() else { return Ok(first) };
        let span = first.span.to(last.span);
        // A chain of n links becomes n − 1 nested conjunctions later.
        let height = links.iter().map(|(_, e)| e.height).fold(first.height, usize::max) + links.len() - 1;
        self.node(ExprKind::Compare(Box::new(first), links), span, height)
    }

    /// The comparison operator at the cursor, if there is one.
    pub(super) fn comparison_operator(&self) -> Option<CompareOp> {
        let TokenKind::Mark(mark) = self.peek() else { return None };
        Some(match mark {
            Mark::Less => CompareOp::Less,
            Mark::AtMost => CompareOp::AtMost,
            Mark::Equal => CompareOp::Equal,
            Mark::NotEqual => CompareOp::NotEqual,
            Mark::AtLeast => CompareOp::AtLeast,
            Mark::Greater => CompareOp::Greater,
            _ => return None,
        })
    }

    fn unary(&mut self) -> Parsed<Expr> {
        if !self.at_mark(Mark::Minus) {
            return self.postfix();
        }
        let start = self.advance().span;
        let inner = self.nested(Self::unary)?;
        let (span, height) = (start.to(inner.span), inner.height);
        self.node(ExprKind::Negate(Box::new(inner)), span, height)
    }

    /// An atom and the indices after it.
    fn postfix(&mut self) -> Parsed<Expr> {
        let mut value = self.atom()?;
        while self.at_mark(Mark::OpenBracket) || self.at_mark(Mark::Dot) {
            if self.eat_mark(Mark::Dot) {
                let field = self.expect_name("the name of a field")?;
                let (span, height) = (value.span.to(field.span), value.height);
                value = self.node(ExprKind::Field(Box::new(value), field), span, height)?;
                continue;
            }
            let opened = self.advance().span;
            let index = self.expression()?;
            let close = self.expect_close(Mark::CloseBracket, opened)?;
            let (span, height) = (value.span.to(close), value.height.max(index.height));
            value = self.node(ExprKind::Index(Box::new(value), Box::new(index)), span, height)?;
        }
        Ok(value)
    }

    fn atom(&mut self) -> Parsed<Expr> {
        let span = self.span();
        match self.peek() {
            TokenKind::Number => self.number(),
            TokenKind::Name => self.name_or_call(),
            TokenKind::Keyword(word @ (Keyword::True | Keyword::False)) => {
                self.advance();
                self.node(ExprKind::Bool(word == Keyword::True), span, 0)
            }
            TokenKind::Mark(Mark::OpenParen) => {
                self.advance();
                let mut inner = self.expression()?;
                if self.eat_mark(Mark::Comma) {
                    let (mut parts, close) = self.arguments(Mark::CloseParen, span)?;
                    parts.insert(0, inner);
                    let height = parts.iter().map(|e| e.height).max().unwrap_or(0);
                    return self.node(ExprKind::Tuple(parts), span.to(close), height);
                }
                inner.span = span.to(self.expect_close(Mark::CloseParen, span)?);
                Ok(inner)
            }
            TokenKind::Mark(Mark::OpenBracket) => {
                self.advance();
                let (entries, close) = self.arguments(Mark::CloseBracket, span)?;
                let height = entries.iter().map(|e| e.height).max().unwrap_or(0);
                self.node(ExprKind::List(entries), span.to(close), height)
            }
            TokenKind::Keyword(Keyword::If) => {
                let hint = "put the conditional in parentheses: `(if c then a else b)`";
                Err(self.unexpected("a value", Some(hint.into())))
            }
            _ => Err(self.unexpected("a value", None)),
        }
    }

    fn name_or_call(&mut self) -> Parsed<Expr> {
        let Ident { text, span } = self.expect_name("a name")?;
        if self.at_mark(Mark::Prime) {
            let span = span.to(self.advance().span);
            return self.node(ExprKind::Primed(text), span, 0);
        }
        if !self.at_mark(Mark::OpenParen) {
            return self.node(ExprKind::Name(text), span, 0);
        }
        let opened = self.advance().span;
        let over_rows =
            self.peek() == TokenKind::Name && self.peek_ahead(1) == TokenKind::Keyword(Keyword::In);
        if over_rows && matches!(text.as_str(), "count" | "sum") {
            return self.aggregate(Ident { text, span }, opened);
        }
        if over_rows {
            self.advance();
            let hint = match text.as_str() {
                "avg" | "mean" | "average" => "a mean is a noisy sum over a noisy count",
                "max" | "min" | "median" => {
                    "what lies in the order of rows is chosen by counts: `choose`, as in mechanisms/median.dp"
                }
                _ => "`count(r in t where …)` and `sum(r in t where …, value)`",
            };
            let expected = format!("`count` or `sum`, which alone go over rows (not `{text}`)");
            return Err(self.unexpected(&expected, Some(hint.into())));
        }
        let (arguments, close) = self.arguments(Mark::CloseParen, opened)?;
        let height = arguments.iter().map(|e| e.height).max().unwrap_or(0);
        self.node(ExprKind::Call(Ident { text, span }, arguments), span.to(close), height)
    }

    /// The rest of `count(r in table where condition)` or `sum(r in table where condition, value)`.
    fn aggregate(&mut self, function: Ident, opened: Span) -> Parsed<Expr> {
        let row = self.expect_name("a name for the row")?;
        self.expect_keyword(Keyword::In, "before the table")?;
        let table = self.expression()?;
        let condition = if self.eat_keyword(Keyword::Where) { Some(self.expression()?) } else { None };
        let value = if self.eat_mark(Mark::Comma) { Some(self.expression()?) } else { None };
        let span = function.span.to(self.expect_close(Mark::CloseParen, opened)?);
        let parts = condition.iter().chain(&value).chain([&table]);
        let height = parts.map(|e| e.height).max().unwrap_or(0);
        let aggregate = Aggregate { function, row, table, condition, value };
        self.node(ExprKind::Aggregate(Box::new(aggregate)), span, height)
    }

    /// Expressions separated by commas, up to and past the closing mark.
    pub(super) fn arguments(&mut self, close: Mark, opened: Span) -> Parsed<(Vec<Expr>, Span)> {
        let mut arguments = Vec::new();
        while !self.at_mark(close) {
            arguments.push(self.expression()?);
            if !self.eat_mark(Mark::Comma) {
                break;
            }
        }
        let end = self.expect_close(close, opened)?;
        Ok((arguments, end))
    }

    fn number(&mut self) -> Parsed<Expr> {
        let token = self.advance();
        let text = token.span.text(self.source);
        let exponent = text.find(['e', 'E']).map(|at| &text[at + 1..]);
        let exponent_fits =
            exponent.is_none_or(|e| e.parse::<i64>().is_ok_and(|e| e.unsigned_abs() <= MAX_EXPONENT));
        let value = match text.len() <= MAX_NUMBER_LENGTH && exponent_fits {
            true => parse_rational(text).ok(),
            false => None,
        };
        match value {
            Some(value) => self.node(ExprKind::Number(value), token.span, 0),
            None => {
                self.sink.report_with(Code::MalformedNumber, token.span, || {
                    let message = format!(
                        "{} is no number: expected digits, with a fraction and an exponent up to ±{MAX_EXPONENT} if needed",
                        quoted(text)
                    );
                    (message, Some("write 3, 0.1, 1e-5, or a quotient such as 7/3".into()))
                });
                Err(Reported)
            }
        }
    }

    /// Makes a node whose children have height at most `below`.
    pub(super) fn node(&mut self, kind: ExprKind, span: Span, below: usize) -> Parsed<Expr> {
        if below >= MAX_DEPTH {
            return Err(self.too_deep(span));
        }
        Ok(Expr { kind, span, height: below + 1 })
    }
}
