//! Which operations have to be defined for a bound to mean anything, and whether they are over a box.
//!
//! The error sum alone does not tell: an operation that may be NaN or infinite can have the weight 0 in it, as in (x − x) · e^x
//! or 0 · (1/x), where floats give NaN. So everything that a result or a decision is computed from is looked at, whatever
//! becomes of it afterwards. What is only in the precondition, in an `if`'s branch that the conditions exclude, or bound and
//! not used, is dead.

use std::fmt;

use super::tape::{Evaluation, Tape};
use crate::program::{NodeId, Op, Program, Trigonometric};

/// The operations that are computed on a pair of ways, one of the reals and one of the floats.
#[derive(Debug, Clone)]
pub struct Needed {
    /// In the order of the program; `true` where the operation is done in floats, `false` where over the reals only.
    operations: Vec<(NodeId, bool)>,
}

impl Needed {
    /// All that the roots depend on: `in_reals` over the reals, `in_floats` over both.
    pub fn new(program: &Program, in_reals: &[NodeId], in_floats: &[NodeId]) -> Needed {
        let (real, float) = (ancestors(program, in_reals), ancestors(program, in_floats));
        let operations = (0..program.nodes().len())
            .filter(|id| real[*id] || float[*id])
            .map(|id| (id, float[id]))
            .collect();
        Needed { operations }
    }

    /// The first operation that may be undefined or infinite for an input of the box that was evaluated.
    pub fn first_undefined(&self, evaluation: &Evaluation) -> Option<NodeId> {
        let defined = |id: NodeId, in_floats: bool| {
            evaluation.value[id].is_bounded() && (!in_floats || evaluation.error[id].is_finite())
        };
        self.operations.iter().find(|(id, in_floats)| !defined(*id, *in_floats)).map(|(id, _)| *id)
    }
}

fn ancestors(program: &Program, roots: &[NodeId]) -> Vec<bool> {
    let mut found = vec![false; program.nodes().len()];
    for root in roots {
        found[*root] = true;
    }
    for id in (0..found.len()).rev() {
        if found[id] {
            for argument in program.nodes()[id].op.arguments() {
                found[argument] = true;
            }
        }
    }
    found
}

/// In what way an operation may have no finite result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A quotient.
    DivisorZero,
    /// A logarithm.
    NotPositive,
    /// A square root.
    Negative,
    /// A tangent.
    Pole,
    /// Every argument is in order.
    Overflow,
    /// The operation may be in order everywhere, and the numbers that bound its error are not doubles.
    Analysis,
    /// No operation was found at fault: the search ended too early.
    Effort,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cause::DivisorZero => "its divisor may be 0",
            Cause::NotPositive => "its argument may be 0 or negative",
            Cause::Negative => "its argument may be negative",
            Cause::Pole => "its argument may be at a pole",
            Cause::Overflow => "its result may be beyond the largest float",
            Cause::Analysis => "the analysis computes in doubles, and its own numbers are beyond them",
            Cause::Effort => "the search ended before it could tell, more effort may help",
        })
    }
}

/// Why the operation has no finite result over the box that was evaluated.
pub fn cause(program: &Program, tape: &Tape, id: NodeId, evaluation: &Evaluation) -> Cause {
    let wide = |x: NodeId| evaluation.computed[x];
    match program.nodes()[id].op {
        Op::Div(_, y) if wide(y).contains_zero() => Cause::DivisorZero,
        Op::Ln(x) if wide(x).low() <= 0.0 => Cause::NotPositive,
        Op::Sqrt(x) if wide(x).low() < 0.0 => Cause::Negative,
        Op::Trigonometric(Trigonometric::Tangent, _) => Cause::Pole,
        _ if tape.may_overflow(id, evaluation) => Cause::Overflow,
        _ => Cause::Analysis,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::Interval;
    use probity_exact::Format;

    /// 0 · ln x is NaN at −1 in floats and undefined over the reals; √x is needed by nothing.
    #[test]
    fn what_has_no_weight_counts_and_what_is_dead_does_not() {
        let mut program = Program::default();
        let mut add = |op| program.add(op, Format::BINARY64).unwrap();
        let x = add(Op::Input(0));
        let _root = add(Op::Sqrt(x));
        let zero = add(Op::Sub(x, x));
        let log = add(Op::Ln(x));
        let product = add(Op::Mul(zero, log));
        let tape = Tape::new(&program, true);
        let mut evaluation = Evaluation::default();
        for (span, undefined) in [(Interval::new(-2.0, -1.0), Some(log)), (Interval::new(1.0, 2.0), None)] {
            tape.forward(&[span], None, &mut evaluation);
            let all = Needed::new(&program, &[], &[product]);
            assert_eq!(all.first_undefined(&evaluation), undefined);
            assert_eq!(Needed::new(&program, &[product], &[]).first_undefined(&evaluation), undefined);
            assert_eq!(Needed::new(&program, &[], &[zero]).first_undefined(&evaluation), None);
        }
        tape.forward(&[Interval::new(-2.0, -1.0)], None, &mut evaluation);
        assert_eq!(cause(&program, &tape, log, &evaluation), Cause::NotPositive);
    }
}
