//! A long sum of exact numbers: an enclosure that is carried along, and the terms, for the rare question that it leaves open.
//!
//! Adding a term, comparing the sum with a bound, and rounding the sum up each take the same time however many terms there are. The
//! enclosure is of fixed point with 256 bits after the point, rounded outward, so it never lies, and a million terms
//! widen it by less than 2^−70 of itself; the exact terms decide what it does not. It knows nothing about privacy.

use std::collections::HashMap;

use probity_exact::directed::cast_up;
use probity_exact::{BitTest, Float, Format, Integer, Natural, Rational, Round};

use super::terms::Terms;
use crate::map::{EvaluationError, Expression, Point, Value, Variable};

/// Bits after the point of the enclosure.
const FRACTION_BITS: usize = 256;
/// Bits of the denominator up to which rationals are simply added up. Sums of many unrelated fractions would grow without end.
const SHORT_BITS: usize = 256;
/// Precisions at which a term is enclosed, until one gives a value: nearly always the first.
const PRECISIONS: [u32; 5] = [96, 384, 768, 1536, 3072];
/// An exponent beyond which a number counts as infinite: no budget is that large.
const HUGE: i64 = 1 << 20;

/// A term of the sum.
#[derive(Debug, Clone)]
pub(super) enum Term {
    /// This number.
    Exact(Rational),
    /// +∞.
    Infinite,
    /// The value of an expression at a distance, enclosed.
    Enclosed { key: (Expression, Rational), bounds: Bounds },
}

/// lower ≤ number ≤ upper, in units of 2^−FRACTION_BITS.
#[derive(Debug, Clone, Default)]
pub(super) struct Bounds {
    lower: Integer,
    upper: Integer,
}

impl Bounds {
    fn of_rational(value: &Rational) -> Bounds {
        let scaled = value * Rational::from(Natural::ONE << FRACTION_BITS);
        Bounds { lower: scaled.floor(), upper: scaled.ceil() }
    }

    /// `None` for an end that is no number, or an upper end that is huge.
    fn of_floats(lower: &Float, upper: &Float) -> Option<Bounds> {
        Some(Bounds { lower: fixed(lower, false)?, upper: fixed(upper, true)? })
    }

    fn add(&mut self, other: &Bounds) {
        self.lower += &other.lower;
        self.upper += &other.upper;
    }
}

/// A number of units of 2^−FRACTION_BITS, rounded up to a double.
fn up(units: Integer) -> f64 {
    let exact = Float::from_dyadic(units, -(FRACTION_BITS as i64));
    Format::BINARY64.round_float(&exact, Round::Up).to_f64().unwrap_or(f64::INFINITY)
}

/// A float in units of 2^−FRACTION_BITS, rounded up or down.
fn fixed(value: &Float, up: bool) -> Option<Integer> {
    if value.is_zero() {
        return Some(Integer::ZERO);
    }
    let (negative, significand, exponent) = value.parts()?;
    let shift = exponent + FRACTION_BITS as i64;
    if exponent > HUGE {
        return None;
    }
    let away = up != negative;
    let magnitude = if shift >= 0 {
        significand << shift as usize
    } else {
        // A shift beyond all bits leaves 0, or one unit away from it.
        let cut = (-shift).min(significand.bit_len() as i64 + 1) as usize;
        let rest = significand.trailing_zeros().is_some_and(|zeros| zeros < cut);
        (significand >> cut) + Natural::from(u8::from(away && rest))
    };
    Some(if negative { -Integer::from(magnitude) } else { Integer::from(magnitude) })
}

impl Term {
    /// The value of an expression at a distance, and at least 0: nothing that is spent gives anything back.
    ///
    /// # Errors
    /// When it has none: such a term must not enter a sum, as it would hide all that comes later.
    pub(super) fn new(expression: &Expression, distance_in: &Rational) -> Result<Term, EvaluationError> {
        match Term::signed(expression, distance_in)? {
            Term::Exact(value) => Ok(Term::Exact(value.max(Rational::ZERO))),
            Term::Enclosed { bounds, .. } if bounds.lower < Integer::ZERO => {
                let zero = Expression::constant(Rational::ZERO);
                Term::signed(&Expression::max(expression.clone(), [zero]), distance_in)
            }
            other => Ok(other),
        }
    }

    fn signed(expression: &Expression, distance_in: &Rational) -> Result<Term, EvaluationError> {
        let mut failure = None;
        for bits in PRECISIONS {
            match expression.evaluate(&Point::at(distance_in), bits) {
                Ok(Value::Exact(value)) => return Ok(Term::Exact(value)),
                Ok(Value::Infinite) => return Ok(Term::Infinite),
                Ok(Value::Between(enclosure)) => {
                    if let Some(bounds) = Bounds::of_floats(enclosure.low(), enclosure.high()) {
                        let key = (expression.clone(), distance_in.clone());
                        return Ok(Term::Enclosed { key, bounds });
                    }
                }
                Err(error @ EvaluationError::Undecided { .. }) => failure = Some(error),
                Err(error) => return Err(error),
            }
        }
        // Without a failure it was enclosed, but by numbers beyond every budget.
        failure.map_or(Ok(Term::Infinite), Err)
    }

    /// The least double that is surely not below it.
    pub(super) fn round_up(&self) -> f64 {
        match self {
            Term::Exact(value) => cast_up(value),
            Term::Infinite => f64::INFINITY,
            Term::Enclosed { bounds, .. } => up(bounds.upper.clone()),
        }
    }
}

/// The sum.
#[derive(Debug, Clone, Default)]
pub(super) struct Sum {
    infinite: bool,
    /// Rational terms whose sum is short.
    short: Rational,
    /// The other rational terms, and how often each was added.
    rationals: HashMap<Rational, u64>,
    /// The terms that are not rational.
    expressions: Terms,
    /// Encloses the whole sum.
    bounds: Bounds,
}

impl Sum {
    /// Adds a term. The order of additions does not matter.
    pub(super) fn add(&mut self, term: Term) {
        match term {
            Term::Infinite => self.infinite = true,
            Term::Exact(value) => {
                self.bounds.add(&Bounds::of_rational(&value));
                if stays_short(&self.short, &value) {
                    self.short += value;
                } else {
                    count(self.rationals.entry(value).or_default());
                }
            }
            Term::Enclosed { key, bounds } => {
                self.bounds.add(&bounds);
                self.expressions.add(&key);
            }
        }
    }

    /// An enclosure of the sum with one more term; `None` when it is infinite.
    fn bounds(&self, more: Option<&Term>) -> Option<Bounds> {
        let mut bounds = self.bounds.clone();
        match more {
            _ if self.infinite => return None,
            Some(Term::Infinite) => return None,
            Some(Term::Exact(value)) => bounds.add(&Bounds::of_rational(value)),
            Some(Term::Enclosed { bounds: more, .. }) => bounds.add(more),
            None => {}
        }
        Some(bounds)
    }

    /// Whether the sum with one more term is at most `bound`, decided exactly. What cannot be decided counts as no.
    pub(super) fn is_at_most(&self, more: Option<&Term>, bound: &Rational) -> Result<bool, EvaluationError> {
        let Some(sum) = self.bounds(more) else { return Ok(false) };
        // n/d in units is n·2^FRACTION_BITS/d.
        let (above, below) = (bound.numerator() << FRACTION_BITS, bound.denominator());
        if sum.upper * below <= above {
            Ok(true)
        } else if sum.lower * below > above {
            Ok(false)
        } else {
            self.expression(more).is_at_most(&Point::at(&Rational::ZERO), bound)
        }
    }

    /// The sum with one more term, rounded up once.
    pub(super) fn round_up(&self, more: Option<&Term>) -> Result<f64, EvaluationError> {
        let Some(sum) = self.bounds(more) else { return Ok(f64::INFINITY) };
        let (lower, upper) = (up(sum.lower), up(sum.upper));
        match lower == upper {
            true => Ok(upper),
            false => self.expression(more).round_up(&Point::at(&Rational::ZERO)),
        }
    }

    /// The sum itself, in as many steps as there are terms.
    fn expression(&self, more: Option<&Term>) -> Expression {
        let mut rationals: Vec<Rational> =
            self.rationals.iter().map(|(value, count)| value * Rational::from(*count)).collect();
        rationals.push(self.short.clone());
        let one_more = match more {
            Some(Term::Enclosed { key, .. }) => Some((key.clone(), 1)),
            Some(Term::Exact(value)) => {
                rationals.push(value.clone());
                None
            }
            Some(Term::Infinite) | None => None,
        };
        let expressions = self.expressions.iter().chain(one_more).map(|((expression, distance), count)| {
            let distance = Expression::constant(distance);
            Expression::constant(Rational::from(count))
                * expression.substitute(Variable::DistanceIn, &distance)
        });
        let is_infinite = self.infinite || matches!(more, Some(Term::Infinite));
        let infinite = is_infinite.then(Expression::infinity);
        let rational = std::iter::once(Expression::constant(total(rationals)));
        Expression::sum(rational.chain(infinite).chain(expressions))
    }
}

/// Whether the denominator of the sum of two rationals is surely short.
fn stays_short(sum: &Rational, value: &Rational) -> bool {
    let (one, two) = (sum.denominator(), value.denominator());
    one.bit_len() + two.bit_len() <= SHORT_BITS || (one.bit_len() >= two.bit_len() && (one % two).is_zero())
}

/// Once more.
pub(super) fn count(times: &mut u64) {
    *times = times.saturating_add(1);
}

/// The sum of rationals, halves first: one by one, every step would carry the whole denominator along.
fn total(mut values: Vec<Rational>) -> Rational {
    while values.len() > 1 {
        values =
            values.chunks(2).map(|pair| pair.iter().fold(Rational::ZERO, |sum, value| sum + value)).collect();
    }
    values.pop().unwrap_or(Rational::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    fn ratio(n: i64, d: i64) -> Rational {
        rational(n, d).unwrap()
    }

    fn ln(n: i64) -> Term {
        let distance_times = Expression::distance_in() * Expression::constant(ratio(n, 1));
        Term::new(&distance_times.ln(), &Rational::ONE).unwrap()
    }

    #[test]
    fn sums_are_compared_exactly_also_at_the_bound() {
        // Thirds, sevenths, … up to beyond what is added up, then their negation: the total is exactly 1.
        let mut sum = Sum::default();
        sum.add(Term::Exact(Rational::ONE));
        for prime in (3..2000i64).step_by(2) {
            sum.add(Term::Exact(ratio(1, prime)));
            sum.add(Term::Exact(ratio(-1, prime)));
        }
        for prime in (3..2000i64).step_by(2) {
            sum.add(Term::Exact(ratio(1, prime)));
        }
        for step in 0..999 {
            sum.add(Term::Exact(ratio(-1, 1999 - 2 * step)));
        }
        assert!(!sum.rationals.is_empty());
        assert_eq!(sum.is_at_most(None, &Rational::ONE), Ok(true));
        let below = Rational::ONE - ratio(1, 1 << 40) * ratio(1, 1 << 60);
        assert_eq!(sum.is_at_most(None, &below), Ok(false));
        assert_eq!(sum.is_at_most(Some(&Term::Exact(ratio(1, 1 << 62))), &Rational::ONE), Ok(false));
        assert_eq!(sum.round_up(None), Ok(1.0));
    }

    #[test]
    fn logarithms_add_up_to_the_logarithm_of_the_product() {
        let mut sum = Sum::default();
        for n in 2..=20 {
            sum.add(ln(n));
        }
        // ln 20!, between two doubles.
        let product = (2..=20i64).fold(Rational::ONE, |product, n| product * Rational::from(n));
        let expected = Expression::constant(product).ln();
        let zero = Rational::ZERO;
        let at = Point::at(&zero);
        assert_eq!(sum.round_up(None).unwrap(), expected.round_up(&at).unwrap());
        let up = probity_exact::rational_from_f64(expected.round_up(&at).unwrap()).unwrap();
        assert_eq!(sum.is_at_most(None, &up), Ok(true));
        assert_eq!(sum.is_at_most(Some(&ln(2)), &up), Ok(false));
    }

    /// ln 2 + ln 3 − ln 6 is 0, which no enclosure shows: undecided is no.
    #[test]
    fn what_cannot_be_decided_is_no() {
        let mut sum = Sum::default();
        let minus = Term::new(&(Expression::zero() - Expression::constant(ratio(6, 1)).ln()), &Rational::ONE);
        sum.add(ln(2));
        sum.add(ln(3));
        assert_eq!(sum.is_at_most(Some(&minus.unwrap()), &Rational::ZERO), Ok(false));
    }

    #[test]
    fn units_are_rounded_up_to_doubles() {
        let one = Integer::ONE << FRACTION_BITS;
        assert_eq!(up(one.clone()), 1.0);
        assert_eq!(up(&one + Integer::ONE), 1f64.next_up());
        assert_eq!(up(&one - Integer::ONE), 1.0);
        assert_eq!(up(-&one - Integer::ONE), -1.0);
        assert_eq!(up(Integer::ZERO), 0.0);
        assert_eq!(up(Integer::ONE), 2f64.powi(-256));
        assert_eq!(up(Integer::ONE << 2000), f64::INFINITY);
    }

    #[test]
    fn bounds_are_rounded_outward() {
        let tiny = Float::from_parts(false, Natural::ONE, -1_000_000_000);
        assert_eq!(fixed(&tiny, true), Some(Integer::ONE));
        assert_eq!(fixed(&tiny, false), Some(Integer::ZERO));
        assert_eq!(fixed(&tiny.negated(), true), Some(Integer::ZERO));
        assert_eq!(fixed(&tiny.negated(), false), Some(-Integer::ONE));
        let third = Bounds::of_rational(&ratio(1, 3));
        assert_eq!(&third.upper - &third.lower, Integer::ONE);
        assert_eq!(fixed(&Float::from_parts(false, Natural::ONE, 1 << 40), true), None);
    }

    #[test]
    fn infinity_stays() {
        let mut sum = Sum::default();
        sum.add(Term::new(&Expression::infinity(), &Rational::ONE).unwrap());
        assert_eq!(sum.is_at_most(None, &Rational::from(1_000_000)), Ok(false));
        assert_eq!(sum.round_up(Some(&ln(2))), Ok(f64::INFINITY));
    }
}
