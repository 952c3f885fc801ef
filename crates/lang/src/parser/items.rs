//! The parts of a file around the statements: header, parameters, adjacency, claim.

use super::{Parsed, Parser, Reported};
use crate::Span;
use crate::diagnostic::{Code, quoted};
use crate::lexer::{Keyword, Mark, TokenKind};
use crate::names::words;
use crate::syntax::{
    ClaimSyntax, Expr, ExprKind, File, FormatSyntax, Ident, Input, ListLength, Neighbours, NeighboursKind,
    Param, ScalarType, TypeExpr,
};

/// The parts of a file in the order in which they stand.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Part {
    Header,
    Declarations,
    Statements,
    Claims,
}

impl Part {
    fn description(self) -> &'static str {
        match self {
            Part::Header => "the `mechanism` line",
            Part::Declarations => "`param`, `where` and `let`",
            Part::Statements => "the statements",
            Part::Claims => "`neighbours`, `claim`, `expect` and `proof`",
        }
    }
}

/// Which of the parts that every file has were begun. One that was begun and given up is not also missing.
#[derive(Default)]
struct Seen {
    header: bool,
    statements: bool,
    neighbours: bool,
    claim: bool,
}

impl Seen {
    fn note(&mut self, first: TokenKind) {
        match first {
            TokenKind::Keyword(Keyword::Mechanism) => self.header = true,
            TokenKind::Keyword(Keyword::Neighbours) => self.neighbours = true,
            TokenKind::Keyword(Keyword::Claim) => self.claim = true,
            TokenKind::Keyword(
                Keyword::Param | Keyword::Where | Keyword::Let | Keyword::Expect | Keyword::Proof,
            ) => {}
            _ => self.statements = true,
        }
    }
}

impl Parser<'_> {
    pub(super) fn file(&mut self) -> File {
        let mut file = File::default();
        let mut reached = Part::Header;
        // Lines out of place stand together as a rule: the first of them is told.
        let mut misplaced = None;
        let mut seen = Seen::default();
        loop {
            self.mend_beginning();
            let kind = self.peek();
            let part = match kind {
                TokenKind::End => break,
                TokenKind::Newline => {
                    self.advance();
                    continue;
                }
                TokenKind::Keyword(Keyword::Mechanism) => Part::Header,
                TokenKind::Keyword(Keyword::Param | Keyword::Where | Keyword::Let) => Part::Declarations,
                TokenKind::Keyword(
                    Keyword::Neighbours | Keyword::Claim | Keyword::Expect | Keyword::Proof,
                ) => Part::Claims,
                _ if self.at_word("use") && self.peek_ahead(1) == TokenKind::Text => {
                    if self.use_line(&mut file).is_err() {
                        file.lost_declarations = true;
                        self.skip_line();
                    }
                    continue;
                }
                _ if self.at_statement() => Part::Statements,
                _ => {
                    self.stray();
                    continue;
                }
            };
            if misplaced != Some(part) {
                misplaced = (part < reached).then_some(part);
                self.in_order(part, reached);
            }
            seen.note(kind);
            reached = if part > reached { part } else { reached };
            if self.item(kind, &mut file).is_err() {
                file.lost_neighbours |= kind == TokenKind::Keyword(Keyword::Neighbours);
                file.lost_declarations |= matches!(part, Part::Header | Part::Declarations);
                self.skip_line();
            }
        }
        self.missing_parts(&seen);
        file
    }

    /// `use "file.dp" as name`
    fn use_line(&mut self, file: &mut File) -> Parsed<()> {
        self.advance();
        let token = self.advance();
        let quoted = token.span.text(self.source);
        let path = Ident { text: quoted[1..quoted.len() - 1].to_string(), span: token.span };
        self.expect_words(&["as"])?;
        let name = self.expect_name("the name by which it is called")?;
        file.uses.push((path, name));
        self.end_of_line();
        Ok(())
    }

    /// Passes over something that begins no part of a file.
    fn stray(&mut self) {
        if self.at_mark(Mark::CloseBrace) {
            let hint = "no block is open here".to_string();
            self.unexpected("a statement or a declaration", Some(hint));
            self.advance();
        } else {
            self.unexpected("a statement or a declaration", None);
            self.skip_line();
        }
    }

    fn in_order(&mut self, part: Part, reached: Part) {
        if part < reached {
            let span = self.span();
            self.sink.report(Code::OutOfOrder, span, || {
                format!("{} stand before {}: expected them above", part.description(), reached.description())
            });
        }
    }

    fn item(&mut self, kind: TokenKind, file: &mut File) -> Parsed<()> {
        let TokenKind::Keyword(keyword) = kind else {
            let line = self.statement_line();
            file.body.push(line);
            return Ok(());
        };
        let start = self.span();
        match keyword {
            Keyword::Mechanism => self.header(file)?,
            Keyword::Param => {
                self.advance();
                let param = self.param()?;
                file.params.push(param);
            }
            Keyword::Where => {
                self.advance();
                let assumption = self.expression()?;
                file.assumptions.push(assumption);
            }
            Keyword::Let => {
                self.advance();
                let name = self.expect_name("the name that is defined")?;
                self.expect_mark(Mark::Assign, "after the name that is defined")?;
                let value = self.expression()?;
                file.definitions.push((name, value));
            }
            Keyword::Neighbours => {
                let clause = self.neighbours()?;
                file.neighbours.push(clause);
            }
            Keyword::Claim => {
                self.once(file.claim.as_ref().map(|c| c.span), start, "`claim`");
                let claim = self.claim()?;
                file.claim.get_or_insert(claim);
            }
            Keyword::Expect => {
                self.once(file.expect_refuted, start, "`expect`");
                self.advance();
                let end = self.expect_keyword(Keyword::Refuted, "after `expect`")?;
                file.expect_refuted = Some(start.to(end));
            }
            Keyword::Proof => {
                self.once(file.proof.as_ref().map(|p| p.span), start, "`proof`");
                let proof = self.proof()?;
                file.proof.get_or_insert(proof);
            }
            _ => {
                let line = self.statement_line();
                file.body.push(line);
                return Ok(());
            }
        }
        self.end_of_line();
        Ok(())
    }

    /// Reports a part that is written a second time.
    fn once(&mut self, first: Option<Span>, again: Span, what: &str) {
        if first.is_some() {
            self.sink
                .report(Code::Repeated, again, || format!("a mechanism has one {what}: expected no second"));
        }
    }

    /// `mechanism name(input: type, …)`
    fn header(&mut self, file: &mut File) -> Parsed<()> {
        let start = self.span();
        self.once(file.name.as_ref().map(|n| n.span), start, "`mechanism` line");
        self.advance();
        let name = self.expect_name("the name of the mechanism")?;
        let first = file.name.is_none();
        file.name.get_or_insert(name);
        let opened = self.expect_mark(Mark::OpenParen, "after the name of the mechanism")?;
        while !self.at_mark(Mark::CloseParen) {
            let name = self.expect_name("the name of an input")?;
            self.expect_mark(Mark::Colon, "between an input and its type")?;
            let ty = self.type_expression()?;
            if first {
                file.inputs.push(Input { name, ty });
            }
            if !self.eat_mark(Mark::Comma) {
                break;
            }
        }
        self.expect_close(Mark::CloseParen, opened)?;
        Ok(())
    }

    /// `name [: type] [comparison value]`, or `name in [low, high]` for a real number
    fn param(&mut self) -> Parsed<Param> {
        if self.peek() != TokenKind::Name
            && let TokenKind::Number | TokenKind::Mark(Mark::Minus) = self.peek()
        {
            let hint = "both bounds: `param p in [0, 1]`, or `param p > 0` and a line `where p < 1`";
            return Err(self.unexpected("the name of a parameter", Some(hint.into())));
        }
        let name = self.expect_name("the name of a parameter")?;
        let ty = if self.eat_mark(Mark::Colon) {
            Some(self.type_expression()?)
        } else if self.at_keyword(Keyword::In) {
            let bounds = Some(self.bounds()?);
            let span = name.span.to(self.previous_span());
            Some(TypeExpr { scalar: ScalarType::Real, list: None, bounds, span })
        } else {
            None
        };
        let Some(operator) = self.comparison_operator() else {
            self.one_a_line()?;
            return Ok(Param { name, ty, bound: None });
        };
        self.advance();
        let bound = self.expression()?;
        self.one_a_line()?;
        Ok(Param { name, ty, bound: Some((operator, bound)) })
    }

    /// Other languages declare several parameters at once.
    fn one_a_line(&mut self) -> Parsed<()> {
        if !self.at_mark(Mark::Comma) {
            return Ok(());
        }
        Err(self
            .unexpected("the end of the line", Some("each parameter has a `param` line of its own".into())))
    }

    /// `real`, `int`, `bool`, `category(count)`, each with `[length]` for a list.
    fn type_expression(&mut self) -> Parsed<TypeExpr> {
        let Ident { text, span } = self.expect_name("a type: `real`, `int`, `bool` or `category(count)`")?;
        let meant = match text.as_str() {
            known @ ("real" | "int" | "bool" | "category" | "rows") => known,
            wrong => {
                let meant = words::type_name(wrong);
                self.sink.report_with(Code::Unexpected, span, || {
                    let found = quoted(wrong);
                    let message = format!(
                        "expected a type: `real`, `int`, `bool`, `category(count)` or `rows(field: type)`, found {found}"
                    );
                    let hint = match meant {
                        Some(meant) => format!("did you mean `{meant}`?"),
                        None => "a list of N reals is `real[N]`".into(),
                    };
                    (message, Some(hint))
                });
                // Read on as what is meant, so that one wrong word is one message.
                let followed = self.at_mark(Mark::OpenParen);
                match meant {
                    Some("category" | "rows") if !followed => return Err(Reported),
                    Some(meant) => meant,
                    None if followed => return Err(Reported),
                    None => "real",
                }
            }
        };
        let scalar = match meant {
            "real" => ScalarType::Real,
            "int" => ScalarType::Int,
            "bool" => ScalarType::Bool,
            "category" => {
                let opened = self.expect_mark(Mark::OpenParen, "and the number of categories")?;
                let count = self.expression()?;
                self.expect_close(Mark::CloseParen, opened)?;
                ScalarType::Category(Box::new(count))
            }
            _ => ScalarType::Rows(self.fields()?),
        };
        let list = if self.at_mark(Mark::OpenBracket) { Some(self.list_length()?) } else { None };
        if self.at_mark(Mark::OpenBracket) {
            let hint = "a table of n rows and m columns is a list of n * m entries: `q[i * m + j]`";
            return Err(self.unexpected("a list with one length, not a list of lists", Some(hint.into())));
        }
        let bounds = if self.at_keyword(Keyword::In) { Some(self.bounds()?) } else { None };
        Ok(TypeExpr { scalar, list, bounds, span: span.to(self.previous_span()) })
    }

    /// `in [low, high]`
    fn bounds(&mut self) -> Parsed<(Expr, Expr)> {
        self.advance();
        let opened = self.expect_mark(Mark::OpenBracket, "as in `in [0, 1]`")?;
        let low = self.expression()?;
        self.expect_mark(Mark::Comma, "between the two bounds")?;
        let high = self.expression()?;
        self.expect_close(Mark::CloseBracket, opened)?;
        Ok((low, high))
    }

    /// `(field: type, …)`
    fn fields(&mut self) -> Parsed<Vec<(Ident, TypeExpr)>> {
        let opened = self.expect_mark(Mark::OpenParen, "and the fields of a row")?;
        let mut fields = Vec::new();
        while !self.at_mark(Mark::CloseParen) {
            let name = self.expect_name("the name of a field")?;
            self.expect_mark(Mark::Colon, "between a field and its type")?;
            fields.push((name, self.nested(Self::type_expression)?));
            if !self.eat_mark(Mark::Comma) {
                break;
            }
        }
        self.expect_close(Mark::CloseParen, opened)?;
        Ok(fields)
    }

    /// `[]` or `[length]`
    fn list_length(&mut self) -> Parsed<ListLength> {
        let opened = self.advance().span;
        if self.eat_mark(Mark::CloseBracket) {
            return Ok(ListLength::AnyLength);
        }
        let length = self.expression()?;
        self.expect_close(Mark::CloseBracket, opened)?;
        Ok(ListLength::Exactly(length))
    }

    /// `neighbours any`, `neighbours one entry of list differs by at most bound`, `neighbours relation`, …
    fn neighbours(&mut self) -> Parsed<Neighbours> {
        let start = self.advance().span;
        let phrase = self.peek_ahead(1) == TokenKind::Name;
        let next = self.tokens.get(self.at + 1).map_or("", |t| t.span.text(self.source));
        let kind = if phrase && self.at_word("one") && next == "row" {
            self.row_clause()?
        } else if phrase && self.at_word("at") && next == "most" {
            self.rows_clause()?
        } else if phrase && self.at_word("the") && next == "entries" {
            self.norm_clause()?
        } else if phrase && (self.at_word("every") || self.at_word("one")) {
            self.entries_clause()?
        } else if phrase && ["a", "an", "any", "each", "all"].iter().any(|word| self.at_word(word)) {
            let hint = "`one row of t is added or removed`, `one row of t is replaced`, `at most k rows of t are added or removed`, \
                        `one entry of q differs by at most 1`, `every entry of q differs by at most 1`";
            return Err(self.unexpected(
                "a relation of both runs, or one of the phrases for tables and lists",
                Some(hint.into()),
            ));
        } else if phrase && ["differs", "differ", "changes"].contains(&next) {
            let name = self.expect_name("an input")?.text;
            let hint = format!(
                "a number: `abs({name}' - {name}) <= 1`; a list: `one entry of {name} differs by at most 1`"
            );
            return Err(self.unexpected("a relation of both runs", Some(hint)));
        } else if self.at_word("any") && matches!(self.peek_ahead(1), TokenKind::Newline | TokenKind::End) {
            self.advance();
            NeighboursKind::Any
        } else {
            NeighboursKind::Relation(self.expression()?)
        };
        Ok(Neighbours { kind, span: start.to(self.previous_span()) })
    }

    /// `every entry of list differs by at most bound`, `… grows by at most bound`, `one entry of list differs …`
    fn entries_clause(&mut self) -> Parsed<NeighboursKind> {
        let every = self.at_word("every");
        self.advance();
        self.expect_words(&["entry", "of"])?;
        let list = self.expect_name("the name of a list")?;
        let mut others = Vec::new();
        while !every && self.eat_keyword(Keyword::And) {
            self.expect_words(&["of"])?;
            others.push(self.expect_name("the name of a list")?);
        }
        if self.at_word("is") {
            let hint = "lists of neighbours are equally long; what is added or removed is a row of a table, `t: rows(x: real)`";
            return Err(self.unexpected("`differs`", Some(hint.into())));
        }
        let grows = every && self.at_word("grows");
        self.expect_words(&[if grows { "grows" } else { "differs" }])?;
        if matches!(self.peek(), TokenKind::Newline | TokenKind::End) {
            let hint = "truth values differ by at most 1, entries of `category(k)` by at most k - 1, entries in [a, b] by at most b - a";
            return Err(self.unexpected("`by at most` and a number", Some(hint.to_string())));
        }
        self.expect_words(&["by", "at", "most"])?;
        let bound = self.expression()?;
        Ok(match (every, grows) {
            (true, true) => NeighboursKind::EveryEntryGrows { list, bound },
            (true, false) => NeighboursKind::EveryEntry { list, bound },
            (false, _) if others.is_empty() => NeighboursKind::OneEntry { list, bound },
            (false, _) => {
                others.insert(0, list);
                NeighboursKind::OneEntryOf { lists: others, bound }
            }
        })
    }

    /// `the entries of list differ by at most bound in L1`, `… in L2`
    fn norm_clause(&mut self) -> Parsed<NeighboursKind> {
        self.expect_words(&["the", "entries", "of"])?;
        let list = self.expect_name("the name of a list")?;
        self.expect_words(&["differ", "by", "at", "most"])?;
        let bound = self.expression()?;
        self.expect_keyword(Keyword::In, "and `L1` or `L2`")?;
        let squares = self.at_word("L2");
        if !squares && !self.at_word("L1") {
            return Err(self.unexpected("`L1` or `L2`", None));
        }
        self.advance();
        Ok(NeighboursKind::Norm { list, bound, squares })
    }

    /// `one row of table is added or removed`, `one row of table is replaced`
    fn row_clause(&mut self) -> Parsed<NeighboursKind> {
        self.expect_words(&["one", "row", "of"])?;
        let table = self.expect_name("the name of a table")?;
        self.expect_words(&["is"])?;
        if self.at_word("replaced") {
            self.advance();
            return Ok(NeighboursKind::RowReplaced { table });
        }
        if !self.at_word("added") {
            return Err(self.unexpected("`added or removed`, or `replaced`", None));
        }
        self.added_or_removed()?;
        Ok(NeighboursKind::OneRow { table })
    }

    /// `at most k rows of table are added or removed`
    fn rows_clause(&mut self) -> Parsed<NeighboursKind> {
        self.expect_words(&["at", "most"])?;
        let most = self.expression()?;
        self.expect_words(&["rows", "of"])?;
        let table = self.expect_name("the name of a table")?;
        self.expect_words(&["are"])?;
        if self.at_word("replaced") {
            let hint = format!(
                "of one row: `one row of {0} is replaced`; replacing k rows removes k rows and adds k, which is twice the loss of \
                 `at most k rows of {0} are added or removed`",
                table.text
            );
            return Err(self.unexpected("`added or removed`", Some(hint)));
        }
        self.added_or_removed()?;
        Ok(NeighboursKind::Rows { table, most })
    }

    fn added_or_removed(&mut self) -> Parsed<()> {
        if !self.at_word("added") {
            return Err(self.unexpected("`added or removed`", None));
        }
        self.advance();
        if !self.at_keyword(Keyword::Or) {
            let hint = "two tables are neighbours in both orders: the one has the row, or the other";
            return Err(self.unexpected("`or` as in `added or removed`", Some(hint.into())));
        }
        self.advance();
        self.expect_words(&["removed"])?;
        Ok(())
    }

    /// `claim epsilon [, delta] [in format]`, `claim rho r`, `claim mu m`
    fn claim(&mut self) -> Parsed<ClaimSyntax> {
        let start = self.advance().span;
        if self.peek() == TokenKind::Name && self.peek_ahead(1) == TokenKind::Mark(Mark::Assign) {
            let hint = match self.at_word("rho") || self.at_word("mu") {
                true => format!("without `=`: `claim {} 1 / 2`", self.expect_name("a measure")?.text),
                false => "without `=`: `claim 1` claims an epsilon, `claim 1, 1e-6` a delta too".into(),
            };
            if !self.at_mark(Mark::Assign) {
                self.advance();
            }
            return Err(self.unexpected("what is claimed", Some(hint)));
        }
        // `rho` is a measure if another expression follows it, and a parameter otherwise.
        let follows = match self.peek_ahead(1) {
            TokenKind::Name | TokenKind::Number | TokenKind::Mark(Mark::OpenParen) => true,
            TokenKind::Keyword(word) => matches!(word, Keyword::If | Keyword::Not),
            _ => false,
        };
        let measure = if follows && (self.at_word("rho") || self.at_word("mu")) {
            Some(self.expect_name("a measure")?)
        } else {
            None
        };
        let epsilon = self.expression()?;
        if let ExprKind::Tuple(_) = epsilon.kind {
            self.sink.report_with(Code::Unexpected, epsilon.span, || {
                let hint = "without brackets: `claim eps, delta`";
                ("expected an epsilon, and perhaps a delta, found a tuple".into(), Some(hint.into()))
            });
            return Err(Reported);
        }
        let delta = if self.eat_mark(Mark::Comma) { Some(self.expression()?) } else { None };
        let format = if self.eat_keyword(Keyword::In) { Some(self.float_format()?) } else { None };
        Ok(ClaimSyntax { measure, epsilon, delta, format, span: start.to(self.previous_span()) })
    }

    fn float_format(&mut self) -> Parsed<FormatSyntax> {
        let name = self
            .expect_name("a format: `binary64`, `binary32`, `binary16` or `float(precision, emin, emax)`")?;
        let arguments = if self.at_mark(Mark::OpenParen) {
            let opened = self.advance().span;
            self.arguments(Mark::CloseParen, opened)?.0
        } else {
            Vec::new()
        };
        let span = name.span.to(self.previous_span());
        Ok(FormatSyntax { name, arguments, span })
    }

    fn missing_parts(&mut self, seen: &Seen) {
        let end = self.span();
        let parts = [
            (seen.header, "`mechanism name(input: type)` on the first line"),
            (seen.statements, "statements that end with `return`"),
            (seen.neighbours, "`neighbours`, which says what inputs must not be told apart"),
            (seen.claim, "`claim`, which says how private the mechanism is"),
        ];
        for (present, what) in parts {
            if !present {
                self.sink
                    .report(Code::Missing, end, || format!("the file ends without {what}: expected one"));
            }
        }
    }
}
