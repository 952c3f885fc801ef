//! Running a program on whole ranges of floats at once.
//!
//! Every operation is monotone in each operand (see [`Floats`]), so its values over a box lie between the least
//! and the greatest of its values at the corners, computed with the float operations themselves. When the ends
//! of the result coincide, the program is constant on the range: that is a fact, whatever led to the guess.

use std::cmp::Ordering;

use probity_exact::{Integer, Rational, Sign};
use probity_kernel::expr::{Binary, Unary};

use crate::float::arithmetic::Floats;
use crate::float::change_point::Trace;
use crate::output::outcome::Outcome;
use crate::run::numbers::integer;
use crate::run::program::{Draw, Stop, Value, World, wrong};

/// All floats from `low` to `high`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Range<N> {
    pub(crate) low: N,
    pub(crate) high: N,
}

impl<N: Clone> Range<N> {
    pub(crate) fn point(x: N) -> Range<N> {
        Range { low: x.clone(), high: x }
    }
}

/// A world in which numbers are ranges of floats and draws are read from a tape.
#[derive(Debug, Clone)]
pub(crate) struct RangeWorld<F: Floats> {
    pub(crate) floats: F,
    pub(crate) tape: Vec<Value<Range<F::Number>>>,
    position: usize,
    /// The draw at which the last run ran off the tape.
    pub(crate) needed: Option<Draw<Range<F::Number>>>,
    /// What the last run on single floats computed on the way. Only guesses use it.
    pub(crate) trace: Trace,
}

impl<F: Floats> RangeWorld<F> {
    pub(crate) fn new(floats: F) -> Self {
        RangeWorld { floats, tape: Vec::new(), position: 0, needed: None, trace: Trace::default() }
    }

    /// Puts the tape back to its start before a run.
    #[inline]
    pub(crate) fn rewind(&mut self) {
        self.position = 0;
        self.needed = None;
    }

    /// Whether the range is one datum.
    #[inline(always)]
    pub(crate) fn is_point(&self, range: &Range<F::Number>) -> bool {
        self.floats.same(&range.low, &range.high)
    }

    /// The released value when it is a single one; −0 and +0 are.
    pub(crate) fn outcome(&self, value: &Value<Range<F::Number>>) -> Option<Outcome> {
        match value {
            Value::Number(Range { low, high }) => {
                let single =
                    self.floats.same(low, high) || self.floats.compare(low, high) == Some(Ordering::Equal);
                single.then(|| self.floats.outcome(low))
            }
            Value::Bool(b) => Some(Outcome::Bool(*b)),
            Value::List(items) => {
                items.iter().map(|item| self.outcome(item)).collect::<Option<Vec<_>>>().map(Outcome::List)
            }
        }
    }

    /// The least and the greatest of some values, −0 below +0; undecided when one is NaN.
    fn hull(&self, values: &[F::Number]) -> Result<Range<F::Number>, Stop> {
        let mut low = &values[0];
        let mut high = &values[0];
        for value in values {
            match (self.floats.order(value, low), self.floats.order(value, high)) {
                (Some(below), Some(above)) => {
                    if below == Ordering::Less {
                        low = value;
                    }
                    if above == Ordering::Greater {
                        high = value;
                    }
                }
                _ => return Err(Stop::Undecided),
            }
        }
        Ok(Range { low: low.clone(), high: high.clone() })
    }

    fn corners(
        &self,
        a: &Range<F::Number>,
        b: &Range<F::Number>,
        f: impl Fn(&F::Number, &F::Number) -> F::Number,
    ) -> Result<Range<F::Number>, Stop> {
        if self.is_point(a) && self.is_point(b) {
            return Ok(Range::point(f(&a.low, &b.low)));
        }
        if self.is_point(b) {
            return self.hull(&[f(&a.low, &b.low), f(&a.high, &b.low)]);
        }
        self.hull(&[f(&a.low, &b.low), f(&a.low, &b.high), f(&a.high, &b.low), f(&a.high, &b.high)])
    }

    fn ends(
        &self,
        a: &Range<F::Number>,
        f: impl Fn(&F::Number) -> F::Number,
    ) -> Result<Range<F::Number>, Stop> {
        if self.is_point(a) {
            return Ok(Range::point(f(&a.low)));
        }
        self.hull(&[f(&a.low), f(&a.high)])
    }

    fn contains_zero(&self, a: &Range<F::Number>) -> bool {
        let zero = self.floats.cast(&Rational::ZERO);
        self.floats.compare(&a.low, &zero) != Some(Ordering::Greater)
            && self.floats.compare(&a.high, &zero) != Some(Ordering::Less)
    }

    /// Whether some members of two ranges, not both points, may give NaN although the corners do not: ∞ − ∞, 0 · ∞,
    /// 0/0 or ∞/∞ inside; or whether a quotient jumps at a divisor 0.
    fn may_be_undefined(&self, operation: Binary, a: &Range<F::Number>, b: &Range<F::Number>) -> bool {
        if self.is_point(a) && self.is_point(b) {
            return false;
        }
        let infinite =
            |r: &Range<F::Number>| self.floats.is_infinite(&r.low) || self.floats.is_infinite(&r.high);
        match operation {
            Binary::Add | Binary::Sub => infinite(a) && infinite(b),
            Binary::Mul => (infinite(a) && self.contains_zero(b)) || (infinite(b) && self.contains_zero(a)),
            Binary::Div => self.contains_zero(b) || (infinite(a) && infinite(b)),
            _ => false,
        }
    }

    fn smaller(&self, a: &F::Number, b: &F::Number) -> F::Number {
        // As IEEE 754's minimum: −0 lies below +0, and NaN if either is NaN.
        match self.floats.order(a, b) {
            Some(Ordering::Greater) => b.clone(),
            Some(_) => a.clone(),
            None if self.floats.compare(a, a).is_some() => b.clone(),
            None => a.clone(),
        }
    }

    fn larger(&self, a: &F::Number, b: &F::Number) -> F::Number {
        self.floats.neg(&self.smaller(&self.floats.neg(a), &self.floats.neg(b)))
    }
}

impl<F: Floats> World for RangeWorld<F> {
    type Number = Range<F::Number>;

    fn constant(&self, x: &Rational) -> Self::Number {
        Range::point(self.floats.cast(x))
    }

    #[inline]
    fn unary(&mut self, operation: Unary, a: &Self::Number) -> Result<Self::Number, Stop> {
        let floats = &self.floats;
        match operation {
            Unary::Neg => Ok(Range { low: floats.neg(&a.high), high: floats.neg(&a.low) }),
            Unary::Abs => {
                let negated = Range { low: floats.neg(&a.high), high: floats.neg(&a.low) };
                let low = self.larger(&a.low, &negated.low);
                let high = self.larger(&a.high, &negated.high);
                if self.is_point(a) || !self.contains_zero(a) {
                    Ok(Range { low, high })
                } else {
                    Ok(Range { low: floats.cast(&Rational::ZERO), high })
                }
            }
            Unary::Floor => self.ends(a, |x| floats.floor(x)),
            Unary::Ln if self.is_point(a) => {
                let logarithm = floats.ln(&a.low);
                self.trace.logarithm = Some(floats.approximate(&logarithm));
                Ok(Range::point(logarithm))
            }
            Unary::Ln => {
                let (low, high) = floats.ln_range(&a.low, &a.high);
                self.hull(&[low, high])
            }
            Unary::Exp => self.ends(a, |x| floats.exp(x)),
            Unary::Pow2AtLeast => self.ends(a, |x| floats.pow2_at_least(x)),
            Unary::Sqrt => {
                Err(crate::error::AuditError::Unsupported { what: "sqrt in a floating-point format" }.into())
            }
            Unary::Not => Err(wrong("the operand of not", "true or false")),
        }
    }

    #[inline]
    fn binary(
        &mut self,
        operation: Binary,
        a: &Self::Number,
        b: &Self::Number,
    ) -> Result<Self::Number, Stop> {
        let floats = &self.floats;
        match operation {
            _ if self.may_be_undefined(operation, a, b) => Err(Stop::Undecided),
            // Sums do not need all corners: they grow with both operands.
            Binary::Add if self.is_point(a) && self.is_point(b) => {
                Ok(Range::point(floats.add(&a.low, &b.low)))
            }
            Binary::Add => self.hull(&[floats.add(&a.low, &b.low), floats.add(&a.high, &b.high)]),
            Binary::Sub if self.is_point(a) && self.is_point(b) => {
                Ok(Range::point(floats.add(&a.low, &floats.neg(&b.low))))
            }
            Binary::Sub => self
                .hull(&[floats.add(&a.low, &floats.neg(&b.high)), floats.add(&a.high, &floats.neg(&b.low))]),
            Binary::Mul => self.corners(a, b, |x, y| floats.mul(x, y)),
            Binary::Div => self.corners(a, b, |x, y| floats.div(x, y)),
            Binary::Mod if self.is_point(a) && self.is_point(b) => {
                Ok(Range::point(floats.modulo(&a.low, &b.low)))
            }
            Binary::Mod => Err(Stop::Undecided),
            Binary::Min => {
                Ok(Range { low: self.smaller(&a.low, &b.low), high: self.smaller(&a.high, &b.high) })
            }
            Binary::Max => {
                Ok(Range { low: self.larger(&a.low, &b.low), high: self.larger(&a.high, &b.high) })
            }
            // The nearest multiple is monotone in the number, but not in the grid.
            Binary::RoundTo if self.is_point(b) => {
                self.trace.rounded = Some((floats.approximate(&a.low), floats.approximate(&b.low)));
                self.ends(a, |x| self.floats.round_to(x, &b.low))
            }
            Binary::RoundTo => Err(Stop::Undecided),
            _ => Err(wrong("an operand", "a number")),
        }
    }

    fn compare(&mut self, operation: Binary, a: &Self::Number, b: &Self::Number) -> Result<bool, Stop> {
        let corners = [(&a.low, &b.low), (&a.low, &b.high), (&a.high, &b.low), (&a.high, &b.high)];
        let holds = |ordering: Option<Ordering>| match operation {
            Binary::Lt => ordering == Some(Ordering::Less),
            Binary::Le => matches!(ordering, Some(Ordering::Less | Ordering::Equal)),
            Binary::Eq => ordering == Some(Ordering::Equal),
            Binary::Ne => ordering != Some(Ordering::Equal),
            Binary::Ge => matches!(ordering, Some(Ordering::Greater | Ordering::Equal)),
            _ => ordering == Some(Ordering::Greater),
        };
        let orderings = corners.map(|(x, y)| self.floats.compare(x, y));
        let points = self.is_point(a) && self.is_point(b);
        if !points {
            if orderings.contains(&None) {
                return Err(Stop::Undecided);
            }
            // Equality at the corners says nothing of the inside unless all corners agree on a strict order.
            let same = orderings.iter().all(|o| *o == orderings[0]);
            let strict = orderings[0] != Some(Ordering::Equal);
            let first = holds(orderings[0]);
            let all = orderings.iter().all(|o| holds(*o) == first);
            let by_order = !matches!(operation, Binary::Eq | Binary::Ne) && all;
            return if (same && strict) || by_order { Ok(first) } else { Err(Stop::Undecided) };
        }
        Ok(holds(orderings[0]))
    }

    fn integer(&self, a: &Self::Number) -> Result<i64, Stop> {
        if !self.is_point(a) {
            return Err(Stop::Undecided);
        }
        integer(self.floats.exact(&a.low).as_ref())
    }

    fn draw(&mut self, law: &Draw<Self::Number>) -> Result<Value<Self::Number>, Stop> {
        match self.tape.get(self.position) {
            Some(value) => {
                self.position += 1;
                Ok(value.clone())
            }
            None => {
                self.needed = Some(law.clone());
                Err(Stop::Draw)
            }
        }
    }
}

/// Whether an integer is negative.
pub(crate) fn is_negative(x: &Integer) -> bool {
    x.sign() == Sign::Negative
}
