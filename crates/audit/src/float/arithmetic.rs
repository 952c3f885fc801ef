//! The operations of one floating-point format, rounded to nearest, ties to even: the hardware's for
//! binary64, software for any other format. Here a bare `ln` is the one that a program runs.

use std::cmp::Ordering;

use probity_exact::{Float, Format, Natural, Rational, Round, directed, rational_from_f64};

use crate::output::outcome::Outcome;
use crate::run::numbers::round_half_even;

/// The operations that a program in a floating-point format uses. Each one but `modulo` is
/// monotone in each operand, because it rounds an exact monotone function by a monotone rounding.
pub(crate) trait Floats {
    type Number: Clone + PartialEq + std::fmt::Debug;

    fn format(&self) -> Format;
    fn cast(&self, x: &Rational) -> Self::Number;
    fn add(&self, a: &Self::Number, b: &Self::Number) -> Self::Number;
    fn mul(&self, a: &Self::Number, b: &Self::Number) -> Self::Number;
    fn div(&self, a: &Self::Number, b: &Self::Number) -> Self::Number;
    fn modulo(&self, a: &Self::Number, b: &Self::Number) -> Self::Number;
    fn round_to(&self, a: &Self::Number, grid: &Self::Number) -> Self::Number;
    fn neg(&self, a: &Self::Number) -> Self::Number;
    fn floor(&self, a: &Self::Number) -> Self::Number;
    fn pow2_at_least(&self, a: &Self::Number) -> Self::Number;
    fn ln(&self, a: &Self::Number) -> Self::Number;
    fn exp(&self, a: &Self::Number) -> Self::Number;
    /// Bounds of `ln` over a range; ends of a wider range where `ln` need not be monotone.
    fn ln_range(&self, low: &Self::Number, high: &Self::Number) -> (Self::Number, Self::Number) {
        (self.ln(low), self.ln(high))
    }
    /// The order of the numbers: −0 equals +0, NaN has none.
    fn compare(&self, a: &Self::Number, b: &Self::Number) -> Option<Ordering>;
    /// The order of the data: −0 lies below +0, NaN has none.
    fn order(&self, a: &Self::Number, b: &Self::Number) -> Option<Ordering>;
    /// Whether the two are one datum: NaN is NaN, −0 is not +0.
    fn same(&self, a: &Self::Number, b: &Self::Number) -> bool;
    fn is_infinite(&self, a: &Self::Number) -> bool;
    /// The exact value of a finite number.
    fn exact(&self, a: &Self::Number) -> Option<Rational>;
    /// The number in [0, 1] with this ordinal, 0 being 0 and 1 the smallest subnormal.
    fn at_ordinal(&self, ordinal: u64) -> Self::Number;
    fn outcome(&self, a: &Self::Number) -> Outcome;
    /// The number as an f64, roughly; only guesses use it.
    fn approximate(&self, a: &Self::Number) -> f64;
}

/// Which logarithm a binary64 program calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Logarithm {
    /// The correctly rounded one.
    #[default]
    CorrectlyRounded,
    /// The platform's, which is right to within one unit in the last place but not always correctly rounded.
    Platform,
}

/// binary64 by the hardware.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Hardware {
    pub(crate) logarithm: Logarithm,
}

impl Floats for Hardware {
    type Number = f64;

    fn format(&self) -> Format {
        Format::BINARY64
    }
    fn cast(&self, x: &Rational) -> f64 {
        directed::cast_nearest(x)
    }
    #[inline(always)]
    fn add(&self, a: &f64, b: &f64) -> f64 {
        a + b
    }
    #[inline(always)]
    fn mul(&self, a: &f64, b: &f64) -> f64 {
        a * b
    }
    #[inline(always)]
    fn div(&self, a: &f64, b: &f64) -> f64 {
        a / b
    }
    fn modulo(&self, a: &f64, b: &f64) -> f64 {
        soft_to_f64(SOFT64.modulo(&Float::from_f64(*a), &Float::from_f64(*b)))
    }
    #[inline(always)]
    fn round_to(&self, a: &f64, grid: &f64) -> f64 {
        // By a power of two, division and multiplication are exact unless they leave the normal range, and then
        // the software answers.
        let quotient = a / grid;
        let power = grid.to_bits() & ((1 << 52) - 1) == 0 && *grid > 0.0;
        if power && (a.is_infinite() || (quotient.abs() >= 1e-290 && quotient.abs() <= 1e290)) {
            let result = quotient.round_ties_even() * grid;
            if result.abs() <= f64::MAX || a.is_infinite() {
                return result;
            }
        }
        soft_to_f64(SOFT64.round_to(&Float::from_f64(*a), &Float::from_f64(*grid)))
    }
    #[inline(always)]
    fn neg(&self, a: &f64) -> f64 {
        -a
    }
    fn floor(&self, a: &f64) -> f64 {
        a.floor()
    }
    fn pow2_at_least(&self, a: &f64) -> f64 {
        soft_to_f64(SOFT64.pow2_at_least(&Float::from_f64(*a)))
    }
    #[inline(always)]
    // The platform's logarithm is what is audited here.
    #[allow(clippy::disallowed_methods)]
    fn ln(&self, a: &f64) -> f64 {
        match self.logarithm {
            Logarithm::CorrectlyRounded => directed::ln_nearest(*a),
            Logarithm::Platform => a.ln(),
        }
    }
    fn exp(&self, a: &f64) -> f64 {
        directed::exp_nearest(*a)
    }
    fn ln_range(&self, low: &f64, high: &f64) -> (f64, f64) {
        match self.logarithm {
            Logarithm::CorrectlyRounded => (self.ln(low), self.ln(high)),
            // Within one unit of the exact value, which lies between the directed roundings.
            Logarithm::Platform => (directed::ln_down(*low).next_down(), directed::ln_up(*high).next_up()),
        }
    }
    #[inline(always)]
    fn compare(&self, a: &f64, b: &f64) -> Option<Ordering> {
        a.partial_cmp(b)
    }
    #[inline(always)]
    fn order(&self, a: &f64, b: &f64) -> Option<Ordering> {
        match a.partial_cmp(b) {
            Some(Ordering::Equal) => Some(b.is_sign_negative().cmp(&a.is_sign_negative())),
            other => other,
        }
    }
    #[inline(always)]
    fn same(&self, a: &f64, b: &f64) -> bool {
        a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
    }
    #[inline(always)]
    fn is_infinite(&self, a: &f64) -> bool {
        a.is_infinite()
    }
    fn exact(&self, a: &f64) -> Option<Rational> {
        rational_from_f64(*a)
    }
    #[inline(always)]
    fn at_ordinal(&self, ordinal: u64) -> f64 {
        f64::from_bits(ordinal)
    }
    fn outcome(&self, a: &f64) -> Outcome {
        match rational_from_f64(*a) {
            Some(x) => Outcome::Number(x),
            None if a.is_nan() => Outcome::NotANumber,
            None => Outcome::Infinite { negative: *a < 0.0 },
        }
    }
    #[inline(always)]
    fn approximate(&self, a: &f64) -> f64 {
        *a
    }
}

const SOFT64: Soft = Soft { format: Format::BINARY64 };

/// A result of [`SOFT64`] is a double.
fn soft_to_f64(x: Float) -> f64 {
    x.to_f64().unwrap_or(f64::NAN)
}

/// Any format, by software.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Soft {
    pub(crate) format: Format,
}

impl Soft {
    /// Runs an exact operation on finite operands and rounds once; NaN on any other operand.
    fn exactly(&self, a: &Float, b: &Float, f: impl Fn(&Rational, &Rational) -> Option<Rational>) -> Float {
        match (a.to_rational(), b.to_rational()) {
            (Some(x), Some(y)) => {
                f(&x, &y).map_or_else(Float::nan, |z| self.format.round(&z, Round::NearestEven))
            }
            _ => Float::nan(),
        }
    }
}

impl Floats for Soft {
    type Number = Float;

    fn format(&self) -> Format {
        self.format
    }
    fn cast(&self, x: &Rational) -> Float {
        self.format.round(x, Round::NearestEven)
    }
    fn add(&self, a: &Float, b: &Float) -> Float {
        self.format.add(a, b, Round::NearestEven)
    }
    fn mul(&self, a: &Float, b: &Float) -> Float {
        self.format.mul(a, b, Round::NearestEven)
    }
    fn div(&self, a: &Float, b: &Float) -> Float {
        self.format.div(a, b, Round::NearestEven)
    }
    fn modulo(&self, a: &Float, b: &Float) -> Float {
        self.exactly(a, b, |x, y| (*y > Rational::ZERO).then(|| x - Rational::from((x / y).floor()) * y))
    }
    fn round_to(&self, a: &Float, grid: &Float) -> Float {
        if !a.is_finite() {
            return a.clone();
        }
        let rounded = self.exactly(a, grid, |x, g| {
            (*g > Rational::ZERO).then(|| Rational::from(round_half_even(&(x / g))) * g)
        });
        if rounded.is_zero() { Float::zero(a.is_negative()) } else { rounded }
    }
    fn neg(&self, a: &Float) -> Float {
        a.negated()
    }
    fn floor(&self, a: &Float) -> Float {
        match a.to_rational() {
            Some(x) if !a.is_zero() => self.cast(&Rational::from(x.floor())),
            _ => a.clone(),
        }
    }
    fn pow2_at_least(&self, a: &Float) -> Float {
        match (a.is_negative(), a.parts(), a.leading_exponent()) {
            (false, Some((_, significand, _)), Some(leading)) => {
                let exponent = if *significand == Natural::ONE { leading } else { leading + 1 };
                self.format.round_float(&Float::from_parts(false, Natural::ONE, exponent), Round::NearestEven)
            }
            _ if a.is_negative() || a.is_zero() => Float::nan(),
            _ => a.clone(),
        }
    }
    fn ln(&self, a: &Float) -> Float {
        self.format.ln(a, Round::NearestEven)
    }
    fn exp(&self, a: &Float) -> Float {
        self.format.exp(a, Round::NearestEven)
    }
    fn compare(&self, a: &Float, b: &Float) -> Option<Ordering> {
        a.compare(b)
    }
    fn order(&self, a: &Float, b: &Float) -> Option<Ordering> {
        match a.compare(b) {
            Some(Ordering::Equal) => Some(b.is_negative().cmp(&a.is_negative())),
            other => other,
        }
    }
    fn same(&self, a: &Float, b: &Float) -> bool {
        a == b
    }
    fn is_infinite(&self, a: &Float) -> bool {
        !a.is_finite() && !a.is_nan()
    }
    fn exact(&self, a: &Float) -> Option<Rational> {
        a.to_rational()
    }
    fn at_ordinal(&self, ordinal: u64) -> Float {
        let quantum = self.format.emin() - i64::from(self.format.precision()) + 1;
        Float::from_parts(false, ordinal_units(&self.format, ordinal), quantum)
    }
    fn outcome(&self, a: &Float) -> Outcome {
        match a.to_rational() {
            Some(x) => Outcome::Number(x),
            None if a.is_nan() => Outcome::NotANumber,
            None => Outcome::Infinite { negative: a.is_negative() },
        }
    }
    fn approximate(&self, a: &Float) -> f64 {
        a.to_rational().map_or(f64::NAN, |x| directed::cast_nearest(&x))
    }
}

/// The non-negative number with this ordinal, in units of the smallest subnormal: below 2^(p−1) the ordinal
/// itself, and above it the significand shifted by the binade, as in the bit patterns of IEEE 754.
pub(crate) fn ordinal_units(format: &Format, ordinal: u64) -> Natural {
    let places = format.precision() - 1;
    let (binade, fraction) = (ordinal >> places, ordinal & ((1 << places) - 1));
    match binade {
        0 => Natural::from(fraction),
        _ => Natural::from(fraction | (1 << places)) << (binade - 1) as usize,
    }
}

/// The ordinal of 1, the number of floats in [0, 1); `None` when it has no u64 or 1 is not normal.
pub(crate) fn ordinal_of_one(format: &Format) -> Option<u64> {
    let places = format.precision() - 1;
    if places > 62 || format.emin() > 0 || !(0..1 << 20).contains(&format.emax()) {
        return None;
    }
    let binade = u64::try_from(1 - format.emin()).ok()?;
    // Units of 2^(emin − p + 1) fit in memory only for moderate exponents.
    (binade < 1 << 20 && binade.leading_zeros() > places).then(|| binade << places)
}
