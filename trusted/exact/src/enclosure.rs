//! A real number known to lie in a closed interval, with outward rounding: `Enclosure<f64>` for speed,
//! `Enclosure<Float>` for precision on demand.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

use crate::{Float, Format, Rational, Round, directed, rational_from_f64};

/// An end of an enclosure: a number with arithmetic that rounds in a given direction. Only [`Round::Up`] and
/// [`Round::Down`] are asked for.
pub trait Endpoint: Clone + std::fmt::Debug {
    /// What the arithmetic needs to know besides the operands.
    type Precision: Copy + std::fmt::Debug + PartialEq;

    /// +0.
    fn zero() -> Self;
    /// −∞ or +∞.
    fn infinity(negative: bool) -> Self;
    /// The order of the numbers; `None` if one is NaN.
    fn compare(&self, other: &Self) -> Option<Ordering>;
    /// −x, exactly.
    fn negated(&self) -> Self;
    /// The rational, rounded.
    fn cast(x: &Rational, precision: Self::Precision, direction: Round) -> Self;
    /// The exact value; `None` when it is infinite or NaN (or too large to write down).
    fn exact(&self) -> Option<Rational>;
    /// x + y.
    fn add(&self, other: &Self, precision: Self::Precision, direction: Round) -> Self;
    /// x · y.
    fn mul(&self, other: &Self, precision: Self::Precision, direction: Round) -> Self;
    /// x / y.
    fn div(&self, other: &Self, precision: Self::Precision, direction: Round) -> Self;
    /// √x.
    fn sqrt(&self, precision: Self::Precision, direction: Round) -> Self;
    /// ln x.
    fn ln(&self, precision: Self::Precision, direction: Round) -> Self;
    /// e^x.
    fn exp(&self, precision: Self::Precision, direction: Round) -> Self;
}

impl Endpoint for f64 {
    type Precision = ();

    fn zero() -> f64 {
        0.0
    }
    fn infinity(negative: bool) -> f64 {
        if negative { f64::NEG_INFINITY } else { f64::INFINITY }
    }
    fn compare(&self, other: &f64) -> Option<Ordering> {
        self.partial_cmp(other)
    }
    fn negated(&self) -> f64 {
        -self
    }
    fn cast(x: &Rational, (): (), direction: Round) -> f64 {
        if direction == Round::Up { directed::cast_up(x) } else { directed::cast_down(x) }
    }
    fn exact(&self) -> Option<Rational> {
        rational_from_f64(*self)
    }
    fn add(&self, other: &f64, (): (), direction: Round) -> f64 {
        if direction == Round::Up {
            directed::add_up(*self, *other)
        } else {
            directed::add_down(*self, *other)
        }
    }
    fn mul(&self, other: &f64, (): (), direction: Round) -> f64 {
        if direction == Round::Up {
            directed::mul_up(*self, *other)
        } else {
            directed::mul_down(*self, *other)
        }
    }
    fn div(&self, other: &f64, (): (), direction: Round) -> f64 {
        if direction == Round::Up {
            directed::div_up(*self, *other)
        } else {
            directed::div_down(*self, *other)
        }
    }
    fn sqrt(&self, (): (), direction: Round) -> f64 {
        if direction == Round::Up { directed::sqrt_up(*self) } else { directed::sqrt_down(*self) }
    }
    fn ln(&self, (): (), direction: Round) -> f64 {
        if direction == Round::Up { directed::ln_up(*self) } else { directed::ln_down(*self) }
    }
    fn exp(&self, (): (), direction: Round) -> f64 {
        if direction == Round::Up { directed::exp_up(*self) } else { directed::exp_down(*self) }
    }
}

impl Endpoint for Float {
    type Precision = Format;

    fn zero() -> Float {
        Float::zero(false)
    }
    fn infinity(negative: bool) -> Float {
        Float::infinity(negative)
    }
    fn compare(&self, other: &Float) -> Option<Ordering> {
        Float::compare(self, other)
    }
    fn negated(&self) -> Float {
        Float::negated(self)
    }
    fn cast(x: &Rational, format: Format, direction: Round) -> Float {
        format.round(x, direction)
    }
    fn exact(&self) -> Option<Rational> {
        self.to_rational()
    }
    fn add(&self, other: &Float, format: Format, direction: Round) -> Float {
        format.add(self, other, direction)
    }
    fn mul(&self, other: &Float, format: Format, direction: Round) -> Float {
        format.mul(self, other, direction)
    }
    fn div(&self, other: &Float, format: Format, direction: Round) -> Float {
        format.div(self, other, direction)
    }
    fn sqrt(&self, format: Format, direction: Round) -> Float {
        format.sqrt(self, direction)
    }
    fn ln(&self, format: Format, direction: Round) -> Float {
        format.ln(self, direction)
    }
    fn exp(&self, format: Format, direction: Round) -> Float {
        format.exp(self, direction)
    }
}

/// A closed interval that contains a real number. An infinite end means unbounded on that side.
///
/// Every operation returns an interval that contains the results for all members, and each finite end is
/// the tightest number on its side when the operands are points.
///
/// ```
/// use probity_exact::{Enclosure, Float, Format, fraction};
/// let third = fraction::<1, 3>();
/// let fast = Enclosure::<f64>::around(&third, ());
/// assert!(fast.contains(&third) && !fast.is_point());
/// // The same number to a hundred bits.
/// let wide = Enclosure::<Float>::around(&third, Format::wide(100));
/// let three = Enclosure::around(&fraction::<3, 1>(), Format::wide(100));
/// assert!((wide * three).contains(&fraction::<1, 1>()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Enclosure<E: Endpoint> {
    /// Invariant: neither end is NaN, −∞ ≤ low ≤ high ≤ +∞, low < +∞ and high > −∞.
    low: E,
    high: E,
    precision: E::Precision,
}

impl<E: Endpoint> Enclosure<E> {
    /// The interval [low, high]; `None` when it contains no real number: an end is NaN, low > high, or both
    /// ends are the same infinity.
    pub fn new(low: E, high: E, precision: E::Precision) -> Option<Self> {
        let ordered = low.compare(&high)? != Ordering::Greater;
        let real = less(&low, &E::infinity(false)) && less(&E::infinity(true), &high);
        (ordered && real).then_some(Enclosure { low, high, precision })
    }

    /// The interval of a single number; `None` for NaN and infinities.
    pub fn point(x: E, precision: E::Precision) -> Option<Self> {
        Enclosure::new(x.clone(), x, precision)
    }

    /// The narrowest interval around a rational.
    pub fn around(x: &Rational, precision: E::Precision) -> Self {
        let low = E::cast(x, precision, Round::Down);
        Enclosure { low, high: E::cast(x, precision, Round::Up), precision }
    }

    /// All real numbers.
    pub fn everything(precision: E::Precision) -> Self {
        Enclosure { low: E::infinity(true), high: E::infinity(false), precision }
    }

    /// The lower end.
    pub fn low(&self) -> &E {
        &self.low
    }

    /// The upper end.
    pub fn high(&self) -> &E {
        &self.high
    }

    /// With what precision operations on this enclosure round.
    pub fn precision(&self) -> E::Precision {
        self.precision
    }

    /// Whether both ends are the same number.
    pub fn is_point(&self) -> bool {
        self.low.compare(&self.high) == Some(Ordering::Equal)
    }

    /// Whether the rational lies in the interval.
    pub fn contains(&self, x: &Rational) -> bool {
        let above = self.low.exact().is_none_or(|low| low <= *x);
        let below = self.high.exact().is_none_or(|high| *x <= high);
        above && below
    }

    /// Whether every member of this interval is a member of the other.
    pub fn is_within(&self, other: &Self) -> bool {
        !less(&self.low, &other.low) && !less(&other.high, &self.high)
    }

    /// Whether 0 lies in the interval.
    pub fn contains_zero(&self) -> bool {
        !less(&E::zero(), &self.low) && !less(&self.high, &E::zero())
    }

    /// The smallest interval that contains both.
    pub fn hull(&self, other: &Self) -> Self {
        let low = smaller(&self.low, &other.low);
        Enclosure { low, high: larger(&self.high, &other.high), precision: self.precision }
    }

    /// What both intervals contain; `None` when that is nothing.
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        Enclosure::new(larger(&self.low, &other.low), smaller(&self.high, &other.high), self.precision)
    }

    /// An upper bound of high − low.
    pub fn width_up(&self) -> E {
        self.high.add(&self.low.negated(), self.precision, Round::Up)
    }

    /// |x|.
    pub fn abs(&self) -> Self {
        if !less(&self.low, &E::zero()) {
            self.clone()
        } else if !less(&E::zero(), &self.high) {
            -self.clone()
        } else {
            let high = larger(&self.low.negated(), &self.high);
            Enclosure { low: E::zero(), high, precision: self.precision }
        }
    }

    /// min(x, y).
    pub fn min(&self, other: &Self) -> Self {
        let low = smaller(&self.low, &other.low);
        Enclosure { low, high: smaller(&self.high, &other.high), precision: self.precision }
    }

    /// max(x, y).
    pub fn max(&self, other: &Self) -> Self {
        let low = larger(&self.low, &other.low);
        Enclosure { low, high: larger(&self.high, &other.high), precision: self.precision }
    }

    /// x², which is tighter than x · x when the interval contains 0.
    pub fn square(&self) -> Self {
        let magnitude = self.abs();
        let square = |x: &E, direction| product(x, x, self.precision, direction);
        let low = square(&magnitude.low, Round::Down);
        Enclosure { low, high: square(&magnitude.high, Round::Up), precision: self.precision }
    }

    /// x / y; `None` when y may be 0.
    pub fn checked_div(&self, divisor: &Self) -> Option<Self> {
        if divisor.contains_zero() {
            return None;
        }
        let quotient = |x: &E, y: &E, direction: Round| {
            // At a corner ∞/∞ take 0, the limit in y; the limit in x is at the corner with the finite end of y.
            let value = x.div(y, self.precision, direction);
            if value.compare(&value).is_none() { E::zero() } else { value }
        };
        Some(self.corners(divisor, quotient))
    }

    /// √x; `None` when x may be negative.
    pub fn sqrt(&self) -> Option<Self> {
        if less(&self.low, &E::zero()) {
            return None;
        }
        let low = self.low.sqrt(self.precision, Round::Down);
        Some(Enclosure { low, high: self.high.sqrt(self.precision, Round::Up), precision: self.precision })
    }

    /// ln x; `None` when x may be negative. A lower end 0 gives the lower end −∞.
    pub fn ln(&self) -> Option<Self> {
        if less(&self.low, &E::zero()) {
            return None;
        }
        let low = self.low.ln(self.precision, Round::Down);
        Some(Enclosure { low, high: self.high.ln(self.precision, Round::Up), precision: self.precision })
    }

    /// e^x.
    pub fn exp(&self) -> Self {
        let low = self.low.exp(self.precision, Round::Down);
        Enclosure { low, high: self.high.exp(self.precision, Round::Up), precision: self.precision }
    }

    /// The hull of an operation that is monotone in each operand, from its values at the four corners.
    fn corners(&self, other: &Self, operation: impl Fn(&E, &E, Round) -> E) -> Self {
        let mut low: Option<E> = None;
        let mut high: Option<E> = None;
        for x in [&self.low, &self.high] {
            for y in [&other.low, &other.high] {
                let (down, up) = (operation(x, y, Round::Down), operation(x, y, Round::Up));
                low = Some(low.map_or(down.clone(), |best| smaller(&best, &down)));
                high = Some(high.map_or(up.clone(), |best| larger(&best, &up)));
            }
        }
        match (low, high) {
            (Some(low), Some(high)) => Enclosure { low, high, precision: self.precision },
            _ => Enclosure::everything(self.precision),
        }
    }
}

fn less<E: Endpoint>(x: &E, y: &E) -> bool {
    x.compare(y) == Some(Ordering::Less)
}

fn smaller<E: Endpoint>(x: &E, y: &E) -> E {
    if less(y, x) { y.clone() } else { x.clone() }
}

fn larger<E: Endpoint>(x: &E, y: &E) -> E {
    if less(x, y) { y.clone() } else { x.clone() }
}

/// x · y with 0 · ∞ = 0: an infinite end is a bound, not a member, and 0 times any member is 0.
fn product<E: Endpoint>(x: &E, y: &E, precision: E::Precision, direction: Round) -> E {
    let value = x.mul(y, precision, direction);
    if value.compare(&value).is_none() { E::zero() } else { value }
}

impl<E: Endpoint> Add for Enclosure<E> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let low = self.low.add(&other.low, self.precision, Round::Down);
        Enclosure { low, high: self.high.add(&other.high, self.precision, Round::Up), ..self }
    }
}

impl<E: Endpoint> Neg for Enclosure<E> {
    type Output = Self;
    fn neg(self) -> Self {
        Enclosure { low: self.high.negated(), high: self.low.negated(), precision: self.precision }
    }
}

impl<E: Endpoint> Sub for Enclosure<E> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl<E: Endpoint> Mul for Enclosure<E> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let precision = self.precision;
        self.corners(&other, |x, y, direction| product(x, y, precision, direction))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rational;

    fn span(low: f64, high: f64) -> Enclosure<f64> {
        Enclosure::new(low, high, ()).unwrap()
    }

    #[test]
    fn no_real_number_no_enclosure() {
        let inf = f64::INFINITY;
        for (low, high) in [(1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::NAN), (inf, inf), (-inf, -inf)] {
            assert_eq!(Enclosure::new(low, high, ()), None, "[{low}, {high}]");
        }
    }

    /// Signs, zeros and infinities, with the ends worked out by hand.
    #[test]
    fn ends_are_as_worked_out_by_hand() {
        let inf = f64::INFINITY;
        assert_eq!(span(-2.0, 3.0) * span(-5.0, 1.0), span(-15.0, 10.0));
        assert_eq!(span(0.0, inf) * span(0.0, inf), span(0.0, inf));
        assert_eq!(span(-1.0, inf) * span(0.0, 0.0), span(0.0, 0.0));
        assert_eq!(span(-2.0, 3.0).square(), span(0.0, 9.0));
        assert_eq!(span(-2.0, 3.0) - span(-2.0, 3.0), span(-5.0, 5.0));
        assert_eq!(span(-3.0, -2.0).abs(), span(2.0, 3.0));
        assert_eq!(span(-3.0, 2.0).abs(), span(0.0, 3.0));
        assert_eq!(span(1.0, inf).checked_div(&span(1.0, inf)), Some(span(0.0, inf)));
        assert_eq!(span(1.0, 2.0).checked_div(&span(-4.0, -2.0)), Some(span(-1.0, -0.25)));
        assert_eq!(span(1.0, 2.0).checked_div(&span(-1.0, 1.0)), None);
        assert_eq!(span(-1.0, 4.0).sqrt(), None);
        assert_eq!(span(-1.0, 4.0).ln(), None);
        assert_eq!(span(0.0, 1.0).ln(), Some(span(-inf, 0.0)));
        assert_eq!(span(-inf, 0.0).exp(), span(0.0, 1.0));
        assert_eq!(span(0.0, 4.0).intersection(&span(5.0, 6.0)), None);
        assert_eq!(span(0.0, 4.0).hull(&span(5.0, 6.0)), span(0.0, 6.0));
        assert!(span(1.0, 2.0).is_within(&span(1.0, 3.0)) && !span(0.0, 2.0).is_within(&span(1.0, 3.0)));
    }

    /// The f64 enclosure contains the one of 200 bits, for every operation, on random boxes.
    #[test]
    fn fast_ends_enclose_precise_ones() {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            rational((state >> 40) as i64 - (1 << 23), ((state >> 8) & 0xffff) as i64 + 1).unwrap()
        };
        let wide = Format::wide(200);
        for _ in 0..2000 {
            let (x, y) = (next(), next());
            let fast = [Enclosure::<f64>::around(&x, ()), Enclosure::around(&y, ())];
            let fine = [Enclosure::<Float>::around(&x, wide), Enclosure::around(&y, wide)];
            let check = |a: Enclosure<f64>, b: Enclosure<Float>| {
                let (low, high) = (b.low().exact(), b.high().exact());
                assert!(
                    low.is_none_or(|v| a.contains(&v)) && high.is_none_or(|v| a.contains(&v)),
                    "{a:?} {b:?}"
                );
            };
            check(fast[0] + fast[1], fine[0].clone() + fine[1].clone());
            check(fast[0] - fast[1], fine[0].clone() - fine[1].clone());
            check(fast[0] * fast[1], fine[0].clone() * fine[1].clone());
            if let (Some(a), Some(b)) = (fast[0].checked_div(&fast[1]), fine[0].checked_div(&fine[1])) {
                check(a, b);
            }
            check(fast[0].abs().sqrt().unwrap(), fine[0].abs().sqrt().unwrap());
            if !x.is_zero() {
                check(fast[0].abs().ln().unwrap(), fine[0].abs().ln().unwrap());
            }
            let small = rational(1, 1 << 14).unwrap();
            check(Enclosure::around(&(&x * &small), ()).exp(), Enclosure::around(&(&x * &small), wide).exp());
        }
    }
}
