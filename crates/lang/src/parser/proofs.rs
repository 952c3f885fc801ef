//! The `proof` block: advice for the prover, in the words in which the kernel prints couplings.

use super::{Parsed, Parser, Reported};
use crate::Span;
use crate::diagnostic::Code;
use crate::lexer::{Mark, TokenKind};
use crate::syntax::{CouplingSyntax, PricedShift, Proof, ProofLine};

impl Parser<'_> {
    /// `proof { lines }`
    pub(super) fn proof(&mut self) -> Parsed<Proof> {
        let span = self.advance().span;
        let opened = self.expect_mark(Mark::OpenBrace, "after `proof`")?;
        let lines = self.proof_lines(opened);
        Ok(Proof { lines, span })
    }

    fn proof_lines(&mut self, opened: Span) -> Vec<ProofLine> {
        let mut lines = Vec::new();
        loop {
            match self.peek() {
                TokenKind::Newline => {
                    self.advance();
                }
                TokenKind::Mark(Mark::CloseBrace) => {
                    self.advance();
                    return lines;
                }
                TokenKind::End | TokenKind::Keyword(_) => {
                    self.sink
                        .report(Code::Unclosed, opened, || "this block is never closed: expected `}`".into());
                    return lines;
                }
                _ => match self.proof_line() {
                    Ok(line) => {
                        lines.push(line);
                        self.end_of_line();
                    }
                    Err(Reported) => self.skip_line(),
                },
            }
        }
    }

    fn proof_line(&mut self) -> Parsed<ProofLine> {
        if self.at_word("pointwise") {
            self.advance();
            return Ok(ProofLine::Pointwise);
        }
        if self.at_word("couple") {
            self.advance();
            let draw = self.expect_name("the variable of a draw")?;
            self.expect_mark(Mark::Colon, "before the coupling")?;
            let coupling = Box::new(self.coupling()?);
            let tail = if self.at_word("up") {
                self.expect_words(&["up", "to", "tail"])?;
                Some(self.expression()?)
            } else {
                None
            };
            return Ok(ProofLine::Couple(draw, coupling, tail));
        }
        if self.at_word("invariant") {
            self.advance();
            let label = self.expect_name("the index of a `for` or the label of a `while`")?;
            self.expect_mark(Mark::Colon, "before the invariant")?;
            return Ok(ProofLine::Invariant(label, self.expression()?));
        }
        Err(self.unexpected("`couple`, `invariant` or `pointwise`", None))
    }

    fn coupling(&mut self) -> Parsed<CouplingSyntax> {
        if self.at_word("null") {
            self.advance();
            return Ok(CouplingSyntax::Null);
        }
        if self.at_word("shift") {
            self.advance();
            return Ok(CouplingSyntax::Shift(self.priced_shift()?));
        }
        if self.at_word("above") || self.at_word("from") {
            let strict = self.at_word("above");
            self.advance();
            let threshold = self.expression()?;
            self.expect_words(&["shift"])?;
            let above = self.priced_shift()?;
            self.expect_mark(Mark::Comma, "before the shift on the other side")?;
            self.expect_keyword(crate::lexer::Keyword::Else, "before the shift on the other side")?;
            let below = Box::new(self.priced_shift()?);
            return Ok(CouplingSyntax::Select { threshold, strict, above, below });
        }
        if self.at_word("scale") {
            self.expect_words(&["scale", "at", "cost"])?;
            return Ok(CouplingSyntax::Scale(self.expression()?));
        }
        if self.at_word("same") {
            self.expect_words(&["same", "value", "at", "cost"])?;
            return Ok(CouplingSyntax::SameValue(self.expression()?));
        }
        if self.at_word("signed") {
            self.expect_words(&["signed", "log", "shifted"])?;
            return Ok(CouplingSyntax::SignedLog(self.priced_shift()?));
        }
        let hint = "such as `null`, `shift by x - x' at cost eps`, or `above t shift by 1 at cost eps, else by 0 at cost 0`";
        Err(self.unexpected("a coupling", Some(hint.into())))
    }

    /// `by … at cost …`
    fn priced_shift(&mut self) -> Parsed<PricedShift> {
        self.expect_words(&["by"])?;
        let by = self.expression()?;
        self.expect_words(&["at", "cost"])?;
        let cost = self.expression()?;
        Ok(PricedShift { by, cost })
    }
}
