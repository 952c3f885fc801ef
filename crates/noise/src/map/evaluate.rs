//! The value of an expression: exact where it is rational, an enclosure of any precision where it is not, and
//! one rounding at the end.

use std::cmp::Ordering;
use std::fmt;

use probity_exact::directed::{cast_nearest, cast_up, exp_nearest, ln_nearest};
use probity_exact::{
    Enclosure, Float, Format, Integer, Natural, Rational, Round, Signed, UnsignedAbs, exp_bounds, ln_bounds,
    rational_from_f64,
};

use super::expression::{Expression, Half, Node, Normal, Relation, Variable};
use super::gaussian::Gaussian;

/// The precisions tried one after the other. The first decides almost always; the last is where evaluation
/// stops asking whether an irrational-looking number is in fact a double.
const PRECISIONS: [u32; 6] = [96, 192, 384, 768, 1536, 3072];

/// What the variables stand for.
#[derive(Debug, Clone, Copy)]
pub struct Point<'v> {
    /// The distance between the inputs.
    pub distance_in: &'v Rational,
    /// The ε of a privacy profile, where one is asked for.
    pub epsilon: Option<&'v Rational>,
    /// The order α inside [`Expression::least_over_order`].
    order: Option<&'v Rational>,
}

impl<'v> Point<'v> {
    /// At this distance, with no ε.
    pub fn at(distance_in: &'v Rational) -> Self {
        Point { distance_in, epsilon: None, order: None }
    }

    /// At this distance and this ε.
    pub fn at_epsilon(distance_in: &'v Rational, epsilon: &'v Rational) -> Self {
        Point { distance_in, epsilon: Some(epsilon), order: None }
    }

    fn lookup(&self, variable: Variable) -> Option<&'v Rational> {
        match variable {
            Variable::DistanceIn => Some(self.distance_in),
            Variable::Epsilon => self.epsilon,
            Variable::Order => self.order,
        }
    }
}

/// Why an expression has no value, or none that could be decided.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EvaluationError {
    /// An operation outside its domain, such as a division by zero.
    Undefined {
        /// The operation.
        operation: &'static str,
        /// The part of the expression at fault.
        part: String,
    },
    /// A variable that the caller gave no value for.
    Unbound {
        /// The variable.
        variable: Variable,
    },
    /// A comparison or a divisor too close to call at the highest precision.
    Undecided {
        /// The part of the expression at fault.
        part: String,
    },
}

impl fmt::Display for EvaluationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvaluationError::Undefined { operation, part } => write!(f, "{operation} is undefined at {part}"),
            EvaluationError::Unbound { variable } => write!(f, "no value was given for {variable}"),
            EvaluationError::Undecided { part } => {
                write!(f, "{part} is too close to call with {} bits", PRECISIONS[PRECISIONS.len() - 1])
            }
        }
    }
}

impl std::error::Error for EvaluationError {}

/// What is known of a real number.
#[derive(Debug, Clone)]
pub enum Value {
    /// It is this rational.
    Exact(Rational),
    /// It is +∞.
    Infinite,
    /// It lies in this interval.
    Between(Enclosure<Float>),
}

impl Value {
    fn enclosure(&self, format: Format) -> Option<Enclosure<Float>> {
        match self {
            Value::Exact(value) => Some(Enclosure::around(value, format)),
            Value::Between(enclosure) => Some(enclosure.clone()),
            Value::Infinite => None,
        }
    }

    /// The order of two numbers; `None` when their enclosures overlap.
    fn compare(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Exact(a), Value::Exact(b)) => Some(a.cmp(b)),
            (Value::Infinite, Value::Infinite) => Some(Ordering::Equal),
            (Value::Infinite, _) => Some(Ordering::Greater),
            (_, Value::Infinite) => Some(Ordering::Less),
            (Value::Between(known), _) | (_, Value::Between(known)) => {
                let format = known.precision();
                let (a, b) = (self.enclosure(format)?, other.enclosure(format)?);
                if a.high().compare(b.low()) == Some(Ordering::Less) {
                    Some(Ordering::Less)
                } else if a.low().compare(b.high()) == Some(Ordering::Greater) {
                    Some(Ordering::Greater)
                } else {
                    None
                }
            }
        }
    }

    fn sign(&self) -> Option<Ordering> {
        match self {
            Value::Exact(value) => Some(value.cmp(&Rational::ZERO)),
            Value::Infinite => Some(Ordering::Greater),
            Value::Between(enclosure) => {
                let zero = Float::zero(false);
                if enclosure.low().compare(&zero) == Some(Ordering::Greater) {
                    Some(Ordering::Greater)
                } else if enclosure.high().compare(&zero) == Some(Ordering::Less) {
                    Some(Ordering::Less)
                } else {
                    None
                }
            }
        }
    }
}

impl Expression {
    /// The value with about `bits` bits of precision: exact when every step is rational.
    ///
    /// # Errors
    /// When an operation is undefined, a variable has no value, or the precision does not decide a comparison.
    pub fn evaluate(&self, at: &Point<'_>, bits: u32) -> Result<Value, EvaluationError> {
        let format = Format::wide(bits);
        let value = |inner: &Expression| inner.evaluate(at, bits);
        let undefined =
            |operation: &'static str| EvaluationError::Undefined { operation, part: self.to_string() };
        let undecided = || EvaluationError::Undecided { part: self.to_string() };
        match self.node() {
            Node::Constant(constant) => Ok(Value::Exact(constant.clone())),
            Node::Parameter { value, .. } => Ok(Value::Exact(value.clone())),
            Node::Infinity => Ok(Value::Infinite),
            Node::Variable(variable) => match at.lookup(*variable) {
                Some(bound) => Ok(Value::Exact(bound.clone())),
                None => Err(EvaluationError::Unbound { variable: *variable }),
            },
            Node::Sum(terms) => {
                let mut sum = Value::Exact(Rational::ZERO);
                for term in terms {
                    sum = add(&sum, &value(term)?, format);
                }
                Ok(sum)
            }
            Node::Difference(a, b) => match (value(a)?, value(b)?) {
                (_, Value::Infinite) => Err(undefined("subtracting infinity")),
                (Value::Infinite, _) => Ok(Value::Infinite),
                (Value::Exact(a), Value::Exact(b)) => Ok(Value::Exact(a - b)),
                (a, b) => Ok(combine(&a, &b, format, |a, b| a - b)),
            },
            Node::Product(a, b) => {
                let (a, b) = (value(a)?, value(b)?);
                match (&a, &b) {
                    (Value::Exact(a), Value::Exact(b)) => Ok(Value::Exact(a * b)),
                    (Value::Infinite, other) | (other, Value::Infinite) => match other.sign() {
                        Some(Ordering::Greater) => Ok(Value::Infinite),
                        Some(_) => Err(undefined("infinity times a number that is not positive")),
                        None => Err(undecided()),
                    },
                    (Value::Exact(zero), _) | (_, Value::Exact(zero)) if zero.is_zero() => {
                        Ok(Value::Exact(Rational::ZERO))
                    }
                    _ => Ok(combine(&a, &b, format, |a, b| a * b)),
                }
            }
            Node::Quotient(a, b) => {
                let (a, b) = (value(a)?, value(b)?);
                match (&a, &b) {
                    (_, Value::Exact(zero)) if zero.is_zero() => Err(undefined("division by zero")),
                    (Value::Infinite, Value::Infinite) => Err(undefined("infinity divided by infinity")),
                    (_, Value::Infinite) => Ok(Value::Exact(Rational::ZERO)),
                    (Value::Infinite, divisor) => match divisor.sign() {
                        Some(Ordering::Greater) => Ok(Value::Infinite),
                        Some(_) => Err(undefined("infinity divided by a negative number")),
                        None => Err(undecided()),
                    },
                    (Value::Exact(a), Value::Exact(b)) => Ok(Value::Exact(a / b)),
                    (Value::Exact(zero), divisor) if zero.is_zero() && divisor.sign().is_some() => {
                        Ok(Value::Exact(Rational::ZERO))
                    }
                    _ => match (a.enclosure(format), b.enclosure(format)) {
                        (Some(a), Some(b)) => a.checked_div(&b).map(Value::Between).ok_or_else(undecided),
                        _ => Err(undecided()),
                    },
                }
            }
            Node::Max(items) => select(items, Ordering::Greater, at, bits),
            Node::Min(items) => select(items, Ordering::Less, at, bits),
            Node::Ln(a) => match value(a)? {
                Value::Infinite => Ok(Value::Infinite),
                Value::Exact(a) => match ln_bounds(&a, bits) {
                    // ln of a rational is rational only at 1.
                    Some(_) if a == Rational::ONE => Ok(Value::Exact(Rational::ZERO)),
                    Some(bounds) => bounded(format, &bounds).ok_or_else(undecided),
                    None => Err(undefined("the logarithm of a number that is not positive")),
                },
                Value::Between(a) => match Value::Between(a.clone()).sign() {
                    Some(Ordering::Greater) => a.ln().map(Value::Between).ok_or_else(undecided),
                    Some(_) => Err(undefined("the logarithm of a number that is not positive")),
                    None => Err(undecided()),
                },
            },
            Node::Exp(a) => match value(a)? {
                Value::Infinite => Ok(Value::Infinite),
                Value::Exact(zero) if zero.is_zero() => Ok(Value::Exact(Rational::ONE)),
                Value::Exact(a) => outward(format, &exp_bounds(&a, bits)).ok_or_else(undecided),
                Value::Between(a) => Ok(Value::Between(a.exp())),
            },
            Node::Sqrt(a) => match value(a)? {
                Value::Infinite => Ok(Value::Infinite),
                Value::Exact(a) if a.is_negative() => Err(undefined("the root of a negative number")),
                Value::Exact(a) => match rational_root(&a) {
                    Some(root) => Ok(Value::Exact(root)),
                    None => Enclosure::around(&a, format).sqrt().map(Value::Between).ok_or_else(undecided),
                },
                Value::Between(a) => a.sqrt().map(Value::Between).ok_or_else(undecided),
            },
            Node::Ceil(a) => whole(&value(a)?, Rational::ceil).ok_or_else(undecided),
            Node::Floor(a) => whole(&value(a)?, Rational::floor).ok_or_else(undecided),
            Node::Cases { left, relation, right, then, otherwise } => {
                let ordering = value(left)?.compare(&value(right)?).ok_or_else(undecided)?;
                let holds = match relation {
                    Relation::Equal => ordering == Ordering::Equal,
                    Relation::Less => ordering == Ordering::Less,
                    Relation::AtMost => ordering != Ordering::Greater,
                };
                value(if holds { then } else { otherwise })
            }
            Node::Gaussian { noise, asked, squared_scale, distance, given, fallback } => {
                match gaussian((*noise, *asked), squared_scale, &value(distance)?, &value(given)?, bits) {
                    Some((low, high)) if low == high => Ok(Value::Exact(low)),
                    Some(bounds) => bounded(format, &bounds).ok_or_else(undecided),
                    None => value(fallback),
                }
            }
            Node::LeastOverOrder(inner) => {
                let order = search_order(inner, at).ok_or_else(|| undefined("a minimum over orders"))?;
                inner.evaluate(&Point { order: Some(&order), ..*at }, bits)
            }
        }
    }

    /// The value rounded up to a double, once: the least f64 that is not below the exact value.
    ///
    /// If the value is irrational-looking but happens to be a double (√2·√2, say), 3072 bits do not show it, and
    /// the answer is the next double above.
    ///
    /// # Errors
    /// As for [`evaluate`](Expression::evaluate), at the highest precision.
    pub fn round_up(&self, at: &Point<'_>) -> Result<f64, EvaluationError> {
        let up = |x: &Float| Format::BINARY64.round_float(x, Round::Up).to_f64().unwrap_or(f64::INFINITY);
        self.decide(at, |value, last| match value {
            Value::Exact(value) => Some(cast_up(value)),
            Value::Infinite => Some(f64::INFINITY),
            Value::Between(enclosure) => {
                let (low, high) = (up(enclosure.low()), up(enclosure.high()));
                (low == high || last).then_some(high)
            }
        })
    }

    /// Whether the exact value is at most `bound`, compared exactly. What cannot be decided counts as no.
    ///
    /// # Errors
    /// As for [`evaluate`](Expression::evaluate), at the highest precision.
    pub fn is_at_most(&self, at: &Point<'_>, bound: &Rational) -> Result<bool, EvaluationError> {
        let bound = Value::Exact(bound.clone());
        self.decide(at, |value, last| match value.compare(&bound) {
            Some(ordering) => Some(ordering != Ordering::Greater),
            None => last.then_some(false),
        })
    }

    /// Evaluates with growing precision until `decision` is made. The last precision must give one.
    fn decide<Decision>(
        &self,
        at: &Point<'_>,
        decision: impl Fn(&Value, bool) -> Option<Decision>,
    ) -> Result<Decision, EvaluationError> {
        let mut failure = EvaluationError::Undecided { part: self.to_string() };
        for (index, bits) in PRECISIONS.into_iter().enumerate() {
            match self.evaluate(at, bits) {
                Ok(value) => {
                    if let Some(decision) = decision(&value, index + 1 == PRECISIONS.len()) {
                        return Ok(decision);
                    }
                }
                Err(error @ EvaluationError::Undecided { .. }) => failure = error,
                Err(error) => return Err(error),
            }
        }
        Err(failure)
    }
}

fn add(a: &Value, b: &Value, format: Format) -> Value {
    match (a, b) {
        (Value::Exact(a), Value::Exact(b)) => Value::Exact(a + b),
        (Value::Infinite, _) | (_, Value::Infinite) => Value::Infinite,
        (Value::Exact(zero), other) | (other, Value::Exact(zero)) if zero.is_zero() => other.clone(),
        _ => combine(a, b, format, |a, b| a + b),
    }
}

/// An operation on the enclosures of two finite numbers.
fn combine(
    a: &Value,
    b: &Value,
    format: Format,
    operation: impl Fn(Enclosure<Float>, Enclosure<Float>) -> Enclosure<Float>,
) -> Value {
    match (a.enclosure(format), b.enclosure(format)) {
        (Some(a), Some(b)) => Value::Between(operation(a, b)),
        _ => Value::Infinite,
    }
}

/// The largest or smallest of the items.
fn select(
    items: &[Expression],
    wanted: Ordering,
    at: &Point<'_>,
    bits: u32,
) -> Result<Value, EvaluationError> {
    let format = Format::wide(bits);
    let mut best: Option<Value> = None;
    for item in items {
        let value = item.evaluate(at, bits)?;
        best = Some(match best {
            None => value,
            Some(best) => match value.compare(&best) {
                Some(ordering) if ordering == wanted => value,
                Some(_) => best,
                // Overlapping enclosures: infinities always compare, so both are finite.
                None => combine(&value, &best, format, |a, b| match wanted {
                    Ordering::Less => a.min(&b),
                    _ => a.max(&b),
                }),
            },
        });
    }
    best.ok_or(EvaluationError::Undefined { operation: "the extreme of nothing", part: "max()".into() })
}

fn bounded(format: Format, (low, high): &(Rational, Rational)) -> Option<Value> {
    let (low, high) = (format.round(low, Round::Down), format.round(high, Round::Up));
    Enclosure::new(low, high, format).map(Value::Between)
}

fn outward(format: Format, (low, high): &(Float, Float)) -> Option<Value> {
    let (low, high) = (format.round_float(low, Round::Down), format.round_float(high, Round::Up));
    Enclosure::new(low, high, format).map(Value::Between)
}

/// The ends of a finite number.
fn ends(value: &Value) -> Option<(Rational, Rational)> {
    match value {
        Value::Exact(value) => Some((value.clone(), value.clone())),
        Value::Between(enclosure) => Some((enclosure.low().to_rational()?, enclosure.high().to_rational()?)),
        Value::Infinite => None,
    }
}

/// Half of (ε, δ) of Gaussian noise; `None` where the fallback must answer. Both halves rise with the distance, and fall as the
/// other half rises.
fn gaussian(
    (noise, asked): (Normal, Half),
    squared_scale: &Rational,
    distance: &Value,
    given: &Value,
    bits: u32,
) -> Option<(Rational, Rational)> {
    let (near, far) = ends(distance)?;
    let (least, most) = ends(given)?;
    // An ε below 0, or a δ outside (0, 1), has nothing to do with the formula.
    let sensible = match asked {
        Half::Delta => least >= Rational::ZERO,
        Half::Epsilon => least > Rational::ZERO && most < Rational::ONE,
    };
    if !sensible || near < Rational::ZERO {
        return None;
    }
    let at = |distance: &Rational, given: &Rational| {
        if distance.is_zero() {
            return Some((Rational::ZERO, Rational::ZERO));
        }
        let gaussian = Gaussian { squared_scale, distance };
        match (noise, asked) {
            (Normal::Continuous, Half::Delta) => gaussian.continuous_delta(given, bits),
            (Normal::Continuous, Half::Epsilon) => gaussian.continuous_epsilon(given, bits),
            (Normal::Discrete, Half::Delta) => gaussian.discrete_delta(given, bits),
            (Normal::Discrete, Half::Epsilon) => gaussian.discrete_epsilon(given, bits),
        }
    };
    let upper = at(&far, &least)?;
    if near == far && least == most {
        return Some(upper);
    }
    Some((at(&near, &most)?.0, upper.1))
}

/// The value as an integer by `rounded`, where the enclosure leaves one choice.
fn whole(value: &Value, rounded: impl Fn(&Rational) -> Integer) -> Option<Value> {
    match value {
        Value::Infinite => Some(Value::Infinite),
        Value::Exact(value) => Some(Value::Exact(Rational::from(rounded(value)))),
        Value::Between(enclosure) => {
            let low = rounded(&enclosure.low().to_rational()?);
            let high = rounded(&enclosure.high().to_rational()?);
            (low == high).then(|| Value::Exact(Rational::from(low)))
        }
    }
}

/// √x when that is rational: numerator and denominator, in lowest terms, are squares.
fn rational_root(x: &Rational) -> Option<Rational> {
    let root = |n: &Natural| {
        let root = n.nth_root(2);
        (&root * &root == *n).then_some(root)
    };
    let numerator = root(&x.numerator().unsigned_abs())?;
    let denominator = root(x.denominator())?;
    Some(Rational::from_parts(numerator.into(), denominator))
}

/// Orders are sought as α = 1 + e^t for t in this range. Below it, α would round to 1.
const ORDER_RANGE: std::ops::RangeInclusive<i32> = -34..=40;

/// An order α > 1 at which the expression is small. A guess: every order gives a valid bound, and the value at
/// the order found is evaluated rigorously.
fn search_order(inner: &Expression, at: &Point<'_>) -> Option<Rational> {
    let order = |t: f64| 1.0 + exp_nearest(t);
    let value = |t: f64| {
        let value = approximate(inner, at, order(t));
        if value.is_nan() { f64::INFINITY } else { value }
    };
    let best = ORDER_RANGE.map(f64::from).map(|t| (t, value(t))).min_by(|a, b| a.1.total_cmp(&b.1))?.0;
    // Golden-section search around the best of the grid; 50 steps shrink the interval below 2^-30, where the value
    // is flat to more than double precision.
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (best - 1.0, best + 1.0);
    for _ in 0..50 {
        let (left, right) = (high - golden * (high - low), low + golden * (high - low));
        if value(left) <= value(right) {
            high = right;
        } else {
            low = left;
        }
    }
    let order = rational_from_f64(order((low + high) / 2.0))?;
    (order > Rational::ONE).then_some(order)
}

/// The value in plain doubles, for the search only.
fn approximate(expression: &Expression, at: &Point<'_>, order: f64) -> f64 {
    let value = |inner: &Expression| approximate(inner, at, order);
    match expression.node() {
        Node::Constant(value) | Node::Parameter { value, .. } => cast_nearest(value),
        Node::Infinity => f64::INFINITY,
        Node::Variable(Variable::Order) => order,
        Node::Variable(variable) => at.lookup(*variable).map_or(f64::NAN, cast_nearest),
        Node::Sum(terms) => terms.iter().map(value).sum(),
        Node::Difference(a, b) => value(a) - value(b),
        Node::Product(a, b) => value(a) * value(b),
        Node::Quotient(a, b) => value(a) / value(b),
        Node::Max(items) => items.iter().map(value).fold(f64::NEG_INFINITY, f64::max),
        Node::Min(items) => items.iter().map(value).fold(f64::INFINITY, f64::min),
        Node::Ln(a) => ln_nearest(value(a)),
        Node::Exp(a) => exp_nearest(value(a)),
        Node::Sqrt(a) => value(a).sqrt(),
        Node::Ceil(a) => value(a).ceil(),
        Node::Floor(a) => value(a).floor(),
        Node::Cases { left, relation, right, then, otherwise } => {
            let (left, right) = (value(left), value(right));
            let holds = match relation {
                Relation::Equal => left == right,
                Relation::Less => left < right,
                Relation::AtMost => left <= right,
            };
            value(if holds { then } else { otherwise })
        }
        // No conversion minimises over orders of these.
        Node::Gaussian { .. } | Node::LeastOverOrder(_) => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::directed::{exp_up, ln_up};
    use probity_exact::rational;

    fn number(n: i64, d: i64) -> Expression {
        Expression::constant(rational(n, d).unwrap())
    }

    fn up(expression: &Expression) -> Result<f64, EvaluationError> {
        expression.round_up(&Point::at(&Rational::ONE))
    }

    #[test]
    fn rationals_stay_exact_until_the_one_rounding() {
        // Ten times 1/10, each rounded up, would exceed 1.
        let tenth = number(1, 10);
        assert_eq!(up(&Expression::sum(vec![tenth; 10])), Ok(1.0));
        assert_eq!(up(&number(1, 3)), Ok(0.333_333_333_333_333_37));
        assert_eq!(up(&(number(9, 4).sqrt() * number(2, 3))), Ok(1.0));
    }

    /// Bounds that are far apart show which of them is rounded where, and what is known of a sign and of an order.
    #[test]
    fn ends_are_kept_apart() {
        let q = |n: i64, d: i64| rational(n, d).unwrap();
        let float = |n, d| Format::wide(90).round(&q(n, d), Round::NearestEven);
        let format = Format::wide(4);
        let wide = |(a, b): (i64, i64), (c, d): (i64, i64)| bounded(format, &(q(a, b), q(c, d))).unwrap();
        for found in [wide((1, 7), (5, 7)), outward(format, &(float(1, 7), float(5, 7))).unwrap()] {
            let (low, high) = ends(&found).unwrap();
            assert!(low < q(1, 7) && q(1, 8) < low && q(5, 7) < high && high < q(6, 7), "{found:?}");
        }
        let (negative, around, positive) =
            (wide((-2, 1), (-1, 1)), wide((-1, 1), (1, 1)), wide((1, 1), (2, 1)));
        let signs = [&negative, &around, &positive].map(Value::sign);
        assert_eq!(signs, [Some(Ordering::Less), None, Some(Ordering::Greater)]);
        let half = Value::Exact(q(1, 2));
        let orders = [&negative, &around, &positive].map(|x| (x.compare(&half), half.compare(x)));
        let less = (Some(Ordering::Less), Some(Ordering::Greater));
        assert_eq!(orders, [less, (None, None), (less.1, less.0)]);
        assert_eq!(wide((0, 1), (1, 1)).compare(&positive), None);
        assert_eq!((wide((0, 1), (1, 1)).sign(), wide((-1, 1), (0, 1)).sign()), (None, None));
        // A number is rounded to an integer where both its bounds are rounded to the same.
        let (inside, across) = (wide((5, 4), (7, 4)), wide((3, 4), (7, 4)));
        let of = |value: &Value| {
            [whole(value, Rational::floor), whole(value, Rational::ceil)].map(|x| x.and_then(|x| ends(&x)))
        };
        assert_eq!(of(&inside), [Some((q(1, 1), q(1, 1))), Some((q(2, 1), q(2, 1)))]);
        assert_eq!(of(&across), [None, None]);
    }

    /// With few bits every value is wide, and holds what it is with many.
    #[test]
    fn coarse_values_hold_fine_ones() {
        let roots = || [number(2, 1).sqrt(), number(3, 7).ln(), number(-5, 3).exp(), number(22, 7).exp()];
        let noise = |kind, asked, given: Expression| {
            let squared = rational(7, 3).unwrap();
            let distance = if kind == Normal::Continuous { number(2, 1).sqrt() } else { number(2, 1) };
            Expression::gaussian((kind, asked), &squared, distance, given, Expression::infinity())
        };
        let mut all = roots().to_vec();
        for (x, y) in roots().into_iter().zip(roots().into_iter().rev()) {
            let (smaller, larger) =
                (Expression::min(x.clone(), [y.clone()]), Expression::max(x.clone(), [y.clone()]));
            all.extend([
                x.clone() + y.clone(),
                x.clone() - y.clone(),
                x.clone() * y.clone(),
                x / y,
                smaller,
                larger,
            ]);
        }
        // Two numbers that few bits do not tell apart.
        let near = || (number(2, 1).sqrt(), number(17, 12));
        all.push(Expression::min(near().0, [near().1]));
        all.push(Expression::max(near().0, [near().1]));
        for kind in [Normal::Continuous, Normal::Discrete] {
            all.push(noise(kind, Half::Delta, number(2, 1).ln()));
            all.push(noise(kind, Half::Delta, number(1, 2)));
            all.push(noise(kind, Half::Epsilon, number(-7, 3).exp()));
            all.push(noise(kind, Half::Epsilon, number(1, 100)));
        }
        let one = Rational::ONE;
        let at = Point::at(&one);
        for expression in &all {
            let fine = ends(&expression.evaluate(&at, 120).unwrap()).unwrap();
            for bits in 2..24 {
                let Ok(value) = expression.evaluate(&at, bits) else { continue };
                let Some((low, high)) = ends(&value) else { continue };
                assert!(low <= fine.0 && fine.1 <= high, "{expression} with {bits} bits: {value:?}");
            }
        }
    }

    #[test]
    fn logarithms_and_powers_are_the_least_double_above() {
        for k in 2..200 {
            assert_eq!(up(&number(k, 1).ln()), Ok(ln_up(k as f64)));
            assert_eq!(up(&number(k, 7).ln().exp()).map(|x| x >= k as f64 / 7.0), Ok(true));
            assert_eq!(up(&number(k, 16).exp()), Ok(exp_up(k as f64 / 16.0)));
        }
        // Next to 1, where ln of the rounded argument would lose everything.
        let huge = Rational::from(Natural::ONE << 300);
        let near_one = (huge.clone() + Rational::ONE) / huge;
        let loss = up(&Expression::constant(near_one).ln()).unwrap();
        // ln(1 + x) lies just below x = 2^-300, so the least double above is x itself.
        assert_eq!(loss, 2f64.powi(-300));
    }

    #[test]
    fn a_hidden_rational_is_bounded_above_by_one_step() {
        let two = number(2, 1).sqrt() * number(2, 1).sqrt();
        assert_eq!(up(&two), Ok(2f64.next_up()));
        assert_eq!(two.is_at_most(&Point::at(&Rational::ONE), &rational(2, 1).unwrap()), Ok(false));
    }

    #[test]
    fn infinity_follows_its_rules() {
        let infinity = Expression::infinity;
        assert_eq!(up(&(infinity() + number(1, 1))), Ok(f64::INFINITY));
        assert_eq!(up(&(number(1, 1) / infinity())), Ok(0.0));
        assert_eq!(up(&Expression::min(infinity(), [number(3, 1)])), Ok(3.0));
        assert!(matches!(up(&(infinity() - infinity())), Err(EvaluationError::Undefined { .. })));
        assert!(matches!(up(&(infinity() * Expression::zero())), Err(EvaluationError::Undefined { .. })));
    }

    #[test]
    fn what_is_undefined_is_an_error_and_names_the_part() {
        let error = up(&(number(1, 1) / (number(1, 1) - Expression::one()))).unwrap_err();
        assert_eq!(error.to_string(), "division by zero is undefined at 1 / (1 - 1)");
        assert!(up(&number(-1, 1).ln()).is_err());
        assert!(up(&number(-1, 1).sqrt()).is_err());
        assert_eq!(up(&Expression::epsilon()), Err(EvaluationError::Unbound { variable: Variable::Epsilon }));
    }

    #[test]
    fn comparisons_with_irrational_sides_are_decided() {
        // e < 2.7182818284590455 = fl(e) + 1 ulp; the branch taken is the right one.
        let bound = rational_from_f64(exp_up(1.0)).unwrap();
        let case = |left, right| {
            Expression::cases(left, Relation::Less, right, Expression::one(), Expression::zero())
        };
        let e = Expression::one().exp();
        assert_eq!(up(&case(e.clone(), Expression::constant(bound.clone()))), Ok(1.0));
        assert_eq!(up(&case(Expression::constant(bound), e)), Ok(0.0));
    }

    #[test]
    fn the_least_over_orders_is_near_the_minimum() {
        // α + 4/(α − 1) is least at α = 3, where it is 5.
        let order = Expression::order;
        let value = order() + number(4, 1) / (order() - Expression::one());
        let least = up(&value.least_over_order()).unwrap();
        assert!((5.0..5.0 + 1e-14).contains(&least), "{least}");
    }

    fn exact(expression: &Expression) -> Rational {
        match expression.evaluate(&Point::at(&Rational::ONE), 40) {
            Ok(Value::Exact(value)) => value,
            other => panic!("{expression}: {other:?}"),
        }
    }

    #[test]
    fn zeros_and_infinities_are_exact_beside_what_is_not() {
        let ln = || number(2, 1).ln();
        let infinity = Expression::infinity;
        assert_eq!(exact(&(Expression::zero() * ln())), Rational::ZERO);
        assert_eq!(exact(&(ln() * Expression::zero())), Rational::ZERO);
        assert_eq!(exact(&(Expression::zero() / ln())), Rational::ZERO);
        assert_eq!(exact(&Expression::zero().exp()), Rational::ONE);
        assert_eq!(exact(&Expression::one().ln()), Rational::ZERO);
        assert_eq!(exact(&(ln() / infinity())), Rational::ZERO);
        assert_eq!(up(&(infinity() / ln())), Ok(f64::INFINITY));
        assert_eq!(up(&(infinity() / number(3, 1))), Ok(f64::INFINITY));
        assert_eq!(up(&(infinity() + ln())), Ok(f64::INFINITY));
        for senseless in [infinity() / infinity(), infinity() / number(-1, 1), infinity() * number(-1, 1)] {
            assert!(matches!(up(&senseless), Err(EvaluationError::Undefined { .. })), "{senseless}");
        }
    }

    /// Where the formula of normal noise is asked something that it does not answer, the fallback does; where it does, its answer has two
    /// different ends.
    #[test]
    fn normal_noise_is_asked_what_its_formula_answers() {
        let squared = rational(1, 1).unwrap();
        for kind in [Normal::Continuous, Normal::Discrete] {
            let noise = |asked, distance: Expression, given: Expression| {
                Expression::gaussian((kind, asked), &squared, distance, given, number(7, 1))
            };
            let one = Expression::one;
            let at_zero = noise(Half::Delta, one(), Expression::zero());
            // Φ(1/2) − Φ(−1/2), or P(Z = 0) on the integers.
            let expected = if kind == Normal::Continuous { 0.382_924_922_548 } else { 0.398_942_2 };
            assert!((up(&at_zero).unwrap() - expected).abs() < 1e-6, "{at_zero}");
            for (asked, given) in
                [(Half::Delta, number(-1, 2)), (Half::Epsilon, one()), (Half::Epsilon, number(3, 2))]
            {
                assert_eq!(exact(&noise(asked, one(), given)), rational(7, 1).unwrap());
            }
            assert_eq!(exact(&noise(Half::Delta, number(-1, 1), one())), rational(7, 1).unwrap());
            assert_eq!(exact(&noise(Half::Delta, Expression::zero(), one())), Rational::ZERO);
            for given in [number(2, 1).ln(), number(3, 2).ln(), number(7, 5).sqrt(), one()] {
                let value = noise(Half::Delta, one(), given);
                let ends_with =
                    |bits| ends(&value.evaluate(&Point::at(&Rational::ONE), bits).unwrap()).unwrap();
                let fine = ends_with(40);
                for bits in 2..12 {
                    let coarse = ends_with(bits);
                    assert!(
                        coarse.0 <= fine.0 && fine.1 <= coarse.1 && coarse.0 < coarse.1,
                        "{coarse:?} {fine:?}"
                    );
                }
            }
        }
    }
}
