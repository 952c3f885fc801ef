//! f64 arithmetic with the rounding direction in the name: `add_up(a, b)` is the smallest f64 that is not below
//! a + b, `add_down(a, b)` the largest that is not above. The results are those of
//! [`Format::BINARY64`](crate::Format), bit for bit; only faster.
//!
//! The hardware rounds to nearest. An error-free transformation tells the sign of the error, and one
//! step to the neighbour corrects it. Near the ends of the range, where the transformation is not exact,
//! and for special values, the software format answers.

use crate::fast::{fast_exp, fast_ln};
use crate::{Float, Format, Natural, Rational, Round, Sign, UnsignedAbs};

/// Results of this size or more have an error term that is far from the subnormals: the product of two
/// doubles is a multiple of 2^(e − 105) for a result of exponent e, and −960 − 105 > −1074.
const LEAST: f64 = f64::from_bits((1023 - 960) << 52);

/// Results and operands up to this size leave room for the sums inside the transformations.
const MOST: f64 = f64::from_bits((1023 + 1021) << 52);

/// The neighbour in the wanted direction when the rounded value `near` missed the exact one by `error`, that is,
/// exact = near + error up to a positive factor of the error.
#[inline(always)]
fn step<const UP: bool>(near: f64, error: f64) -> f64 {
    if UP {
        if error > 0.0 { near.next_up() } else { near }
    } else if error < 0.0 {
        near.next_down()
    } else {
        near
    }
}

const fn direction<const UP: bool>() -> Round {
    if UP { Round::Up } else { Round::Down }
}

/// Runs an operation of the software format on doubles. A result in binary64 is a double by construction.
#[cold]
#[inline(never)]
fn exactly(operation: impl FnOnce(&Format) -> Float) -> f64 {
    operation(&Format::BINARY64).to_f64().unwrap_or(f64::NAN)
}

fn float(x: f64) -> Float {
    Float::from_f64(x)
}

#[inline(always)]
fn within(x: f64, least: f64, most: f64) -> bool {
    let magnitude = x.abs();
    least <= magnitude && magnitude <= most
}

#[inline(always)]
fn add<const UP: bool>(a: f64, b: f64) -> f64 {
    let sum = a + b;
    // An exact zero takes its sign from the direction, and that is left to the format.
    if !(within(sum, f64::MIN_POSITIVE, MOST) && within(a, 0.0, MOST) && within(b, 0.0, MOST)) {
        return exactly(|f| f.add(&float(a), &float(b), direction::<UP>()));
    }
    // Knuth's TwoSum: a + b = sum + error exactly.
    let b_part = sum - a;
    let a_part = sum - b_part;
    let error = (a - a_part) + (b - b_part);
    step::<UP>(sum, error)
}

#[inline(always)]
fn mul<const UP: bool>(a: f64, b: f64) -> f64 {
    let product = a * b;
    if !within(product, LEAST, MOST) {
        return exactly(|f| f.mul(&float(a), &float(b), direction::<UP>()));
    }
    // a·b = product + error exactly, as the error is far above the subnormals.
    step::<UP>(product, a.mul_add(b, -product))
}

#[inline(always)]
fn div<const UP: bool>(a: f64, b: f64) -> f64 {
    let quotient = a / b;
    if !within(quotient, LEAST, MOST) || !within(a, LEAST, f64::MAX) || !within(b, LEAST, MOST) {
        return exactly(|f| f.div(&float(a), &float(b), direction::<UP>()));
    }
    // a − quotient·b is a double, and a/b = quotient + (a − quotient·b)/b.
    let rest = (-quotient).mul_add(b, a);
    step::<UP>(quotient, if b < 0.0 { -rest } else { rest })
}

#[inline(always)]
fn sqrt<const UP: bool>(a: f64) -> f64 {
    if !(LEAST..=MOST).contains(&a) {
        return exactly(|f| f.sqrt(&float(a), direction::<UP>()));
    }
    // Hardware roots are correctly rounded; a − root² is a double with the sign of the error.
    let root = a.sqrt();
    step::<UP>(root, (-root).mul_add(root, a))
}

/// The smallest f64 that is not below a + b.
pub fn add_up(a: f64, b: f64) -> f64 {
    add::<true>(a, b)
}

/// The largest f64 that is not above a + b.
pub fn add_down(a: f64, b: f64) -> f64 {
    add::<false>(a, b)
}

/// The smallest f64 that is not below a − b.
pub fn sub_up(a: f64, b: f64) -> f64 {
    add::<true>(a, -b)
}

/// The largest f64 that is not above a − b.
pub fn sub_down(a: f64, b: f64) -> f64 {
    add::<false>(a, -b)
}

/// The smallest f64 that is not below a · b.
pub fn mul_up(a: f64, b: f64) -> f64 {
    mul::<true>(a, b)
}

/// The largest f64 that is not above a · b.
pub fn mul_down(a: f64, b: f64) -> f64 {
    mul::<false>(a, b)
}

/// The smallest f64 that is not below a / b.
pub fn div_up(a: f64, b: f64) -> f64 {
    div::<true>(a, b)
}

/// The largest f64 that is not above a / b.
pub fn div_down(a: f64, b: f64) -> f64 {
    div::<false>(a, b)
}

/// The smallest f64 that is not below √a; NaN for a < 0.
pub fn sqrt_up(a: f64) -> f64 {
    sqrt::<true>(a)
}

/// The largest f64 that is not above √a; NaN for a < 0.
pub fn sqrt_down(a: f64) -> f64 {
    sqrt::<false>(a)
}

/// ln a rounded in the given direction, always correctly: −∞ at 0, NaN for a < 0.
#[inline(always)]
fn ln(a: f64, direction: Round) -> f64 {
    match fast_ln(a, direction) {
        Some(decided) => decided,
        None => exactly(|f| f.ln(&float(a), direction)),
    }
}

/// e^a rounded in the given direction, always correctly.
#[inline(always)]
fn exp(a: f64, direction: Round) -> f64 {
    match fast_exp(a, direction) {
        Some(decided) => decided,
        None => exactly(|f| f.exp(&float(a), direction)),
    }
}

/// The smallest f64 that is not below ln a; −∞ at 0, NaN for a < 0.
///
/// ```
/// use probity_exact::directed::{ln_down, ln_up};
/// assert_eq!(ln_up(1.0), 0.0);
/// assert_eq!(ln_down(2.0).next_up(), ln_up(2.0));
/// ```
pub fn ln_up(a: f64) -> f64 {
    ln(a, Round::Up)
}

/// The largest f64 that is not above ln a; −∞ at 0, NaN for a < 0.
pub fn ln_down(a: f64) -> f64 {
    ln(a, Round::Down)
}

/// The f64 nearest to ln a (it is never halfway between two, except at a = 1); −∞ at 0, NaN for a < 0.
pub fn ln_nearest(a: f64) -> f64 {
    ln(a, Round::NearestEven)
}

/// The smallest f64 that is not below e^a.
pub fn exp_up(a: f64) -> f64 {
    exp(a, Round::Up)
}

/// The largest f64 that is not above e^a.
pub fn exp_down(a: f64) -> f64 {
    exp(a, Round::Down)
}

/// The f64 nearest to e^a.
pub fn exp_nearest(a: f64) -> f64 {
    exp(a, Round::NearestEven)
}

/// The smallest f64 that is not below the rational.
///
/// ```
/// use probity_exact::directed::{cast_down, cast_up};
/// use probity_exact::fraction;
/// let third = fraction::<1, 3>();
/// assert_eq!(cast_down(&third).next_up(), cast_up(&third));
/// ```
pub fn cast_up(x: &Rational) -> f64 {
    cast(x, Round::Up)
}

/// The largest f64 that is not above the rational.
pub fn cast_down(x: &Rational) -> f64 {
    cast(x, Round::Down)
}

/// The f64 nearest to the rational, ties to even.
pub fn cast_nearest(x: &Rational) -> f64 {
    cast(x, Round::NearestEven)
}

fn cast(x: &Rational, direction: Round) -> f64 {
    // Both parts are doubles: one division does it.
    if let (Some(n), Some(d)) = (small(&x.numerator().unsigned_abs()), small(x.denominator())) {
        let n = if x.numerator().sign() == Sign::Negative { -n } else { n };
        return match direction {
            Round::Up => div_up(n, d),
            Round::Down => div_down(n, d),
            _ => n / d,
        };
    }
    exactly(|f| f.round(x, direction))
}

/// A natural up to 2^53 as the f64 that it is.
fn small(x: &Natural) -> Option<f64> {
    u64::try_from(x).ok().filter(|&v| v <= 1 << 53).map(|v| v as f64)
}
