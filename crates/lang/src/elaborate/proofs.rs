//! The `proof` block. Advice only: nothing here can make a false claim provable.

use std::sync::Arc;

use probity_kernel::expr::{Binary, Expr as Term, Name, Unary};
use probity_kernel::term::{Coupling, Hints, Statement};

use super::{Elaborator, Scope};
use crate::diagnostic::{Code, quoted};
use crate::names::Role;
use crate::syntax::{CouplingSyntax, Expr, Ident, PricedShift, Proof, ProofLine};
use crate::types::Type;

/// How many loops of a block count with this index or have this label.
fn loops_of(body: &[Statement], wanted: &str) -> usize {
    let inside = |statement: &Statement| match statement {
        Statement::For { index: name, body, .. } | Statement::While { label: name, body, .. } => {
            usize::from(name.as_str() == wanted) + loops_of(body, wanted)
        }
        Statement::If { then, otherwise, .. } => loops_of(then, wanted) + loops_of(otherwise, wanted),
        Statement::Draw { .. } | Statement::Assign { .. } | Statement::Append { .. } => 0,
    };
    body.iter().map(inside).sum()
}

impl Elaborator<'_> {
    pub(super) fn proof(&mut self, proof: &Proof, body: &[Statement]) -> Hints {
        let mut hints = Hints::default();
        let mut coupled: Vec<&str> = Vec::new();
        for line in &proof.lines {
            match line {
                ProofLine::Pointwise => hints.pointwise = true,
                ProofLine::Couple(draw, coupling, tail) => {
                    self.drawn(draw);
                    // The prover would take one of them for every draw of the variable.
                    if coupled.contains(&draw.text.as_str()) {
                        self.sink.report_with(Code::Repeated, draw.span, || {
                            let hint = "draws that are coupled in two ways are given two names".to_string();
                            let said = quoted(&draw.text);
                            (
                                format!("the coupling of {said} is said twice: expected one `couple` for it"),
                                Some(hint),
                            )
                        });
                    }
                    coupled.push(&draw.text);
                    if let Some(tail) = tail {
                        let tail = self.typed(tail, Scope::Fixed, Type::Real);
                        hints.tails.push((Name::new(&draw.text), tail));
                    }
                    hints.couplings.extend(self.coupling(coupling).map(|c| (Name::new(&draw.text), c)));
                }
                ProofLine::Invariant(label, assertion) => {
                    self.is_loop(label);
                    let assertion = self.formula(assertion, Scope::Proof);
                    hints.invariants.extend(assertion.map(|a| (Name::new(&label.text), a)));
                }
            }
        }
        self.one_or_each(proof, body);
        hints
    }

    /// A name has one invariant for all its loops, or one for each of them in the order of the text.
    fn one_or_each(&mut self, proof: &Proof, body: &[Statement]) {
        let mut labels: Vec<&Ident> = Vec::new();
        labels.extend(proof.lines.iter().filter_map(|line| match line {
            ProofLine::Invariant(label, _) => Some(label),
            _ => None,
        }));
        for (at, label) in labels.iter().enumerate() {
            let of_name = |labels: &[&Ident]| labels.iter().filter(|other| other.text == label.text).count();
            let (said, loops) = (of_name(&labels), loops_of(body, &label.text));
            // Said once, of the last line.
            if said < 2 || said == loops || of_name(&labels[at + 1..]) > 0 {
                continue;
            }
            self.sink.report_with(Code::Repeated, label.span, || {
                let name = quoted(&label.text);
                let (found, hint) = match loops {
                    0 | 1 => (format!("the loop of {name} has {said} invariants"), "join them by `and`"),
                    _ => (
                        format!("{name} has {loops} loops and {said} invariants"),
                        "the first line is for the first loop of the text, the second for the second; one line alone is for all",
                    ),
                };
                let expected = match loops {
                    0 | 1 => "one".to_string(),
                    _ => format!("one, or {loops}"),
                };
                (format!("{found}: expected {expected}"), Some(hint.to_string()))
            });
        }
    }

    fn drawn(&mut self, draw: &Ident) {
        match self.names.get(&draw.text) {
            None => self.unknown_name(&draw.text, draw.span),
            Some(symbol) if !symbol.drawn => self.sink.report(Code::WrongType, draw.span, || {
                format!(
                    "nothing draws {}: expected a variable that a `~` statement draws",
                    quoted(&draw.text)
                )
            }),
            Some(_) => {}
        }
    }

    fn is_loop(&mut self, label: &Ident) {
        // `while` loops without a label are called loop1, loop2, … in the order of the text.
        let number = label.text.strip_prefix("loop").and_then(|n| n.parse::<usize>().ok());
        let is_numbered = number.is_some_and(|n| 1 <= n && n <= self.whiles);
        match self.names.get(&label.text) {
            Some(symbol) if matches!(symbol.role, Role::LoopIndex | Role::LoopLabel) => {}
            None if is_numbered => {}
            None => self.unknown_name(&label.text, label.span),
            Some(_) => self.sink.report(Code::WrongType, label.span, || {
                format!(
                    "{} names no loop: expected the index of a `for` or the label of a `while`",
                    quoted(&label.text)
                )
            }),
        }
    }

    fn coupling(&mut self, coupling: &CouplingSyntax) -> Option<Coupling> {
        Some(match coupling {
            CouplingSyntax::Null => Coupling::Null,
            CouplingSyntax::Shift(shift) => {
                let (by, cost) = self.priced(shift);
                Coupling::Shift { by, cost }
            }
            CouplingSyntax::Select { threshold, strict, above, below } => {
                let threshold = self.typed(threshold, Scope::Proof, Type::Real);
                let (above, below) = (self.priced(above), self.priced(below));
                Coupling::Select { threshold, strict: *strict, above, below }
            }
            CouplingSyntax::Scale(cost) => {
                Coupling::Scale { cost: self.typed(cost, Scope::Proof, Type::Real) }
            }
            CouplingSyntax::SameValue(cost) => return self.same_value(cost),
            CouplingSyntax::SignedLog(shift) => {
                let (by, cost) = self.priced(shift);
                Coupling::SignedLog { by, cost }
            }
        })
    }

    fn priced(&mut self, shift: &PricedShift) -> (Term, Term) {
        (self.typed(&shift.by, Scope::Proof, Type::Real), self.typed(&shift.cost, Scope::Proof, Type::Real))
    }

    /// The cost of equal values from two laws is the logarithm of a quotient.
    fn same_value(&mut self, cost: &Expr) -> Option<Coupling> {
        let term = self.typed(cost, Scope::Proof, Type::Real);
        if let Term::Unary(Unary::Ln, quotient) = &term
            && let Term::Binary(Binary::Div, numerator, denominator) = &**quotient
        {
            let ratio = (Arc::unwrap_or_clone(numerator.clone()), Arc::unwrap_or_clone(denominator.clone()));
            return Some(Coupling::SameValue { ratio });
        }
        self.sink.report(Code::WrongType, cost.span, || {
            "two laws cost the logarithm of their largest ratio: expected `ln(a / b)`".to_string()
        });
        None
    }
}
