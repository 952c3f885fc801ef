//! Privacy maps in machine arithmetic: the same double as [`Expression::round_up`], in nanoseconds.
//!
//! A value is a fraction of two 128-bit integers, never reduced and never rounded; the one rounding is the
//! directed division at the end. Parts without variables are evaluated when the map is made. Whatever does not
//! fit gives `None`, and the exact evaluation answers.

use std::cmp::Ordering;

use probity_exact::Rational;
use probity_exact::directed::{cast_up, div_up};

use super::evaluate::{Point, Value};
use super::expression::{Expression, Node, Relation, Variable};

/// Parts of an input beyond this size are left to the exact evaluation, so that one product of two always fits.
const PART_LIMIT: i128 = 1 << 63;

/// Integers up to this size are doubles.
const EXACT_DOUBLE: i128 = 1 << 53;

/// numerator / denominator with denominator > 0, not in lowest terms.
#[derive(Debug, Clone, Copy)]
struct Fraction {
    numerator: i128,
    denominator: i128,
}

impl Fraction {
    fn of(value: &Rational) -> Option<Fraction> {
        let numerator = i128::try_from(value.numerator()).ok()?;
        let denominator = i128::try_from(value.denominator()).ok()?;
        let fits = numerator.unsigned_abs() <= PART_LIMIT.unsigned_abs() && denominator <= PART_LIMIT;
        fits.then_some(Fraction { numerator, denominator })
    }

    fn add(self, other: Fraction) -> Option<Fraction> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        let denominator = self.denominator.checked_mul(other.denominator)?;
        Some(Fraction { numerator: left.checked_add(right)?, denominator })
    }

    fn negated(self) -> Option<Fraction> {
        Some(Fraction { numerator: self.numerator.checked_neg()?, ..self })
    }

    fn mul(self, other: Fraction) -> Option<Fraction> {
        let numerator = self.numerator.checked_mul(other.numerator)?;
        Some(Fraction { numerator, denominator: self.denominator.checked_mul(other.denominator)? })
    }

    fn div(self, other: Fraction) -> Option<Fraction> {
        let flipped = match other.numerator.cmp(&0) {
            Ordering::Equal => return None,
            Ordering::Greater => Fraction { numerator: other.denominator, denominator: other.numerator },
            Ordering::Less => Fraction {
                numerator: other.denominator.checked_neg()?,
                denominator: other.numerator.checked_neg()?,
            },
        };
        self.mul(flipped)
    }

    fn compare(self, other: Fraction) -> Option<Ordering> {
        let left = self.numerator.checked_mul(other.denominator)?;
        Some(left.cmp(&other.numerator.checked_mul(self.denominator)?))
    }

    fn ceil(self) -> Option<Fraction> {
        let floor = self.numerator.div_euclid(self.denominator);
        let exact = self.numerator.rem_euclid(self.denominator) == 0;
        Some(Fraction { numerator: floor.checked_add(i128::from(!exact))?, denominator: 1 })
    }

    fn floor(self) -> Option<Fraction> {
        Some(Fraction { numerator: self.numerator.div_euclid(self.denominator), denominator: 1 })
    }

    /// Rounded up to a double: by one division where both parts are doubles, else by trying the doubles around the
    /// quotient in exact arithmetic.
    fn round_up(self) -> Option<f64> {
        let Fraction { numerator, denominator } = self;
        if numerator.unsigned_abs() <= EXACT_DOUBLE.unsigned_abs() && denominator <= EXACT_DOUBLE {
            return Some(div_up(numerator as f64, denominator as f64));
        }
        if numerator <= 0 {
            return None;
        }
        // Three roundings of relative error 2^-53 each: the quotient is within 3 doubles of the guess, and a normal
        // double, as both parts are below 2^127.
        let guess = numerator as f64 / denominator as f64;
        let first = guess.to_bits().checked_sub(4)?;
        for bits in first..=first + 8 {
            let candidate = f64::from_bits(bits);
            if self.is_at_most(candidate)? {
                return Some(candidate);
            }
        }
        None
    }

    /// Whether numerator/denominator ≤ m·2^e, a positive normal double: numerator ≤ m·2^e·denominator.
    fn is_at_most(self, double: f64) -> Option<bool> {
        let bits = double.to_bits();
        let exponent = (bits >> 52) as i32 - 1075;
        let significand = i128::from((bits & ((1 << 52) - 1)) | (1 << 52));
        let product = significand.checked_mul(self.denominator)?;
        let shifted = |value: i128, by: i32| {
            let fits = u32::try_from(by).ok().filter(|by| value.leading_zeros() > *by + 1)?;
            Some(value << fits)
        };
        match exponent >= 0 {
            true => Some(self.numerator <= shifted(product, exponent)?),
            false => Some(shifted(self.numerator, -exponent)? <= product),
        }
    }
}

/// What a node evaluates to.
#[derive(Debug, Clone, Copy)]
enum Quick {
    Exact(Fraction),
    Infinite,
    /// A constant that is irrational or too long, known only rounded up: good as a result, not as an operand.
    Rounded(f64),
}

/// An expression prepared for machine arithmetic.
#[derive(Debug, Clone)]
pub(super) struct Compiled(Step);

#[derive(Debug, Clone)]
enum Step {
    Known(Quick),
    DistanceIn,
    Sum(Vec<Step>),
    Difference(Box<(Step, Step)>),
    Product(Box<(Step, Step)>),
    Quotient(Box<(Step, Step)>),
    Extreme(Vec<Step>, Ordering),
    Ceil(Box<Step>),
    Floor(Box<Step>),
    Cases(Box<[Step; 4]>, Relation),
}

impl Compiled {
    /// The expression in machine form, where it has one.
    pub(super) fn new(expression: &Expression) -> Option<Compiled> {
        compile(expression).map(Compiled)
    }

    /// The value at this distance rounded up, where machine arithmetic is enough.
    pub(super) fn round_up(&self, distance_in: &Rational) -> Option<f64> {
        match run(&self.0, Fraction::of(distance_in)?)? {
            Quick::Exact(fraction) => fraction.round_up(),
            Quick::Infinite => Some(f64::INFINITY),
            Quick::Rounded(value) => Some(value),
        }
    }
}

fn compile(expression: &Expression) -> Option<Step> {
    if expression.is_constant() {
        let nowhere = Rational::ZERO;
        let at = Point::at(&nowhere);
        // A rational constant is exact at any precision.
        return Some(Step::Known(match expression.evaluate(&at, 96) {
            Ok(Value::Exact(value)) => match Fraction::of(&value) {
                Some(fraction) => Quick::Exact(fraction),
                None => Quick::Rounded(cast_up(&value)),
            },
            Ok(Value::Infinite) => Quick::Infinite,
            _ => Quick::Rounded(expression.round_up(&at).ok()?),
        }));
    }
    let all = |items: &[Expression]| items.iter().map(compile).collect::<Option<Vec<_>>>();
    let two = |a: &Expression, b: &Expression| Some(Box::new((compile(a)?, compile(b)?)));
    Some(match expression.node() {
        Node::Variable(Variable::DistanceIn) => Step::DistanceIn,
        Node::Sum(terms) => Step::Sum(all(terms)?),
        Node::Max(items) => Step::Extreme(all(items)?, Ordering::Greater),
        Node::Min(items) => Step::Extreme(all(items)?, Ordering::Less),
        Node::Difference(a, b) => Step::Difference(two(a, b)?),
        Node::Product(a, b) => Step::Product(two(a, b)?),
        Node::Quotient(a, b) => Step::Quotient(two(a, b)?),
        Node::Ceil(a) => Step::Ceil(Box::new(compile(a)?)),
        Node::Floor(a) => Step::Floor(Box::new(compile(a)?)),
        Node::Cases { left, relation, right, then, otherwise } => Step::Cases(
            Box::new([compile(left)?, compile(right)?, compile(then)?, compile(otherwise)?]),
            *relation,
        ),
        _ => return None,
    })
}

fn run(step: &Step, distance_in: Fraction) -> Option<Quick> {
    let exact = |step: &Step| match run(step, distance_in)? {
        Quick::Exact(fraction) => Some(fraction),
        Quick::Infinite | Quick::Rounded(_) => None,
    };
    Some(Quick::Exact(match step {
        Step::Known(value) => return Some(*value),
        Step::DistanceIn => distance_in,
        Step::Sum(terms) => {
            let mut sum = Fraction { numerator: 0, denominator: 1 };
            for term in terms {
                sum = sum.add(exact(term)?)?;
            }
            sum
        }
        Step::Difference(pair) => exact(&pair.0)?.add(exact(&pair.1)?.negated()?)?,
        Step::Product(pair) => exact(&pair.0)?.mul(exact(&pair.1)?)?,
        Step::Quotient(pair) => exact(&pair.0)?.div(exact(&pair.1)?)?,
        Step::Extreme(items, wanted) => {
            let (first, others) = items.split_first()?;
            let mut best = exact(first)?;
            for item in others {
                let value = exact(item)?;
                if value.compare(best)? == *wanted {
                    best = value;
                }
            }
            best
        }
        Step::Ceil(inner) => exact(inner)?.ceil()?,
        Step::Floor(inner) => exact(inner)?.floor()?,
        Step::Cases(parts, relation) => {
            let [left, right, then, otherwise] = parts.as_ref();
            let ordering = exact(left)?.compare(exact(right)?)?;
            let holds = match relation {
                Relation::Equal => ordering == Ordering::Equal,
                Relation::Less => ordering == Ordering::Less,
                Relation::AtMost => ordering != Ordering::Greater,
            };
            return run(if holds { then } else { otherwise }, distance_in);
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::{Integer, rational};

    /// Pseudorandom fractions from tiny to huge, the same every time.
    fn fractions(count: usize) -> Vec<Rational> {
        let mut state = 7u64;
        let mut next = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> (state >> 58)
        };
        (0..count).map(|_| rational(next(), next().max(1)).unwrap()).collect()
    }

    /// How many answers came from machine arithmetic, all of them those of exact arithmetic.
    fn answers(values: &[Rational]) -> usize {
        let d = Expression::distance_in;
        let mut answered = 0;
        for pair in values.windows(2) {
            let scale = Expression::parameter("scale", pair[0].clone() + rational(1, 5).unwrap());
            let cases =
                |relation| Expression::cases(d().floor(), relation, scale.clone(), d() - scale.clone(), d());
            for expression in [
                Expression::zero_at_zero(d() / scale.clone()),
                d().squared() / (scale.clone() + scale.clone()),
                Expression::max(d() - scale.clone(), [(d() / scale.clone()).ceil(), d().floor()]),
                Expression::min(d(), [scale.clone(), d() / scale.clone()]),
                d() / (Expression::zero() - scale.clone()),
                (Expression::zero() - d() / scale.clone()).ceil() - (Expression::zero() - d()).floor(),
                cases(Relation::Equal),
                cases(Relation::Less),
                cases(Relation::AtMost),
                Expression::zero_at_zero(scale.ln()),
                Expression::infinity(),
            ] {
                let Some(compiled) = Compiled::new(&expression) else { continue };
                for distance in [&pair[1], &pair[0], &Rational::ZERO, &Rational::ONE] {
                    if let Some(quick) = compiled.round_up(distance) {
                        answered += 1;
                        assert_eq!(Ok(quick), expression.round_up(&Point::at(distance)), "{expression}");
                    }
                }
            }
        }
        answered
    }

    #[test]
    fn machine_arithmetic_gives_the_exact_answer_or_none() {
        let answered = answers(&fractions(1200));
        assert!(answered > 20_000, "only {answered} answers came from machine arithmetic");
    }

    #[test]
    fn small_numbers_are_answered_exactly() {
        let small = [(0, 1), (1, 1), (6, 5), (2, 1), (5, 2), (9, 5), (3, 1), (1, 3), (7, 2)];
        let answered = answers(&small.map(|(n, d)| rational(n, d).unwrap()));
        assert!(answered > 330, "{answered}");
    }

    fn fraction(numerator: i128, denominator: i128) -> Fraction {
        Fraction { numerator, denominator }
    }

    /// At the ends of what machine integers hold nothing wraps around, and what fits is rounded up exactly.
    #[test]
    fn ends_of_machine_arithmetic() {
        let whole = |value: i128| Rational::from(Integer::from(value));
        let limit = 1i128 << 63;
        let parts = |value: &Rational| Fraction::of(value).map(|f| (f.numerator, f.denominator));
        assert_eq!(parts(&whole(limit)), Some((limit, 1)));
        assert_eq!(parts(&whole(-limit)), Some((-limit, 1)));
        assert_eq!(parts(&(Rational::ONE / whole(limit))), Some((1, limit)));
        for beyond in [whole(limit + 1), whole(-limit - 1), Rational::ONE / whole(limit + 1)] {
            assert_eq!(parts(&beyond), None);
        }
        let (least, most) = (fraction(i128::MIN, 1), fraction(i128::MAX, 1));
        assert!(
            least.negated().is_none()
                && most.add(fraction(1, 1)).is_none()
                && most.mul(fraction(2, 1)).is_none()
        );
        assert!(fraction(1, 1).div(least).is_none() && fraction(1, 1).div(fraction(0, 1)).is_none());
        assert!(most.compare(fraction(1, 2)).is_none());
        let quotient = |a: Fraction, b: Fraction| a.div(b).map(|f| (f.numerator, f.denominator));
        assert_eq!(quotient(fraction(3, 2), fraction(-5, 7)), Some((-21, 10)));
        assert_eq!(quotient(fraction(3, 2), fraction(5, 7)), Some((21, 10)));
        let rounded = |f: Option<Fraction>| f.map(|f| (f.numerator, f.denominator));
        for (numerator, floor, ceil) in [(7, 3, 4), (6, 3, 3), (-7, -4, -3), (-6, -3, -3), (0, 0, 0)] {
            assert_eq!(rounded(fraction(numerator, 2).floor()), Some((floor, 1)));
            assert_eq!(rounded(fraction(numerator, 2).ceil()), Some((ceil, 1)));
        }
        // Numbers of one bit more than a double has, around doubles of every size that fits.
        let exact = 1i128 << 53;
        assert_eq!(fraction(-exact - 1, 1).round_up(), None);
        assert_eq!(fraction(-exact, 1).round_up(), Some(-9_007_199_254_740_992.0));
        let mut answered = 0;
        for numerator in
            [exact - 1, exact, exact + 1, 3 * exact / 2 + 1, (1 << 62) - 1, (1 << 62) + 1, (1 << 100) + 1]
        {
            for denominator in [1, 3, exact - 1, exact, exact + 1, (1 << 60) + 1, (1 << 80) - 1] {
                let value = whole(numerator) / whole(denominator);
                if let Some(up) = fraction(numerator, denominator).round_up() {
                    answered += 1;
                    assert_eq!(up, cast_up(&value), "{numerator}/{denominator}");
                }
            }
        }
        assert!(answered >= 35, "{answered}");
    }

    /// A number is at most a double, decided with nothing lost: next to it, at it, and where the product does not fit.
    #[test]
    fn fractions_are_compared_with_doubles() {
        for double in [1.0, 1.5, 3.0, 0.1, 1e-9, 1e15, 2f64.powi(60), 2f64.powi(-60)] {
            let value = probity_exact::rational_from_f64(double).unwrap();
            let Some(own) = Fraction::of(&value) else { continue };
            assert_eq!(own.is_at_most(double), Some(true), "{double}");
            assert_eq!(own.is_at_most(double.next_down()), Some(false), "{double}");
            assert_eq!(own.is_at_most(double.next_up()), Some(true), "{double}");
        }
        assert_eq!(fraction(1, 1 << 80).is_at_most(1.0), None);
        assert_eq!(fraction(i128::MAX, 1).is_at_most(0.5), None);
    }
}
