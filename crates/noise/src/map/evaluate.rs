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
mod tests;
