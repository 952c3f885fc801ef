//! Fixed-point numbers: an integer n with b fractional bits stands for n · 2^−b. The direction of each rounding is in its
//! name.

use probity_exact::{
    BitTest, DivRem, Float, Integer, Natural, Rational, Sign, UnsignedAbs, directed, rational_from_f64,
};

/// Lower and upper bounds of a number that is not negative, with b fractional bits.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FixedBounds {
    /// At most the number.
    pub low: Natural,
    /// At least the number.
    pub high: Natural,
}

impl FixedBounds {
    /// Exactly n · 2^−b.
    pub fn exact(n: Natural) -> FixedBounds {
        FixedBounds { low: n.clone(), high: n }
    }

    /// A rational ≥ 0.
    pub fn of(x: &Rational, b: usize) -> FixedBounds {
        FixedBounds { low: natural(floor(x, b)), high: natural(ceil(x, b)) }
    }

    /// Between two dyadic numbers.
    pub fn between(low: &Float, high: &Float, b: usize) -> FixedBounds {
        FixedBounds { low: natural(float_floor(low, b)), high: natural(float_ceil(high, b)) }
    }

    /// 1 − x for x ≤ 1.
    pub fn complement(&self, b: usize) -> FixedBounds {
        let one = Natural::ONE << b;
        let minus = |x: &Natural| if *x < one { &one - x } else { Natural::ZERO };
        FixedBounds { low: minus(&self.high), high: minus(&self.low) }
    }

    /// x + y.
    pub fn plus(&self, other: &FixedBounds) -> FixedBounds {
        FixedBounds { low: &self.low + &other.low, high: &self.high + &other.high }
    }

    /// x · y.
    pub fn times(&self, other: &FixedBounds, b: usize) -> FixedBounds {
        FixedBounds { low: mul_down(&self.low, &other.low, b), high: mul_up(&self.high, &other.high, b) }
    }
}

/// x, or 0 for a negative x.
pub(crate) fn natural(x: Integer) -> Natural {
    match x.sign() {
        Sign::Negative => Natural::ZERO,
        Sign::Positive => x.unsigned_abs(),
    }
}

/// ⌊n / 2^b⌋ for a natural, rounded up.
pub(crate) fn shift_up(n: Natural, b: usize) -> Natural {
    match n.trailing_zeros() {
        Some(zeros) if zeros < b => (n >> b) + Natural::ONE,
        _ => n >> b,
    }
}

/// x · y rounded down.
pub(crate) fn mul_down(x: &Natural, y: &Natural, b: usize) -> Natural {
    (x * y) >> b
}

/// x · y rounded up.
pub(crate) fn mul_up(x: &Natural, y: &Natural, b: usize) -> Natural {
    shift_up(x * y, b)
}

/// n / d rounded up.
pub(crate) fn div_up(n: &Natural, d: &Natural) -> Natural {
    let (quotient, rest) = n.div_rem(d);
    if rest == Natural::ZERO { quotient } else { quotient + Natural::ONE }
}

/// ⌊x · 2^b⌋.
pub(crate) fn floor(x: &Rational, b: usize) -> Integer {
    let numerator: Integer = x.numerator() << b;
    let denominator = Integer::from(x.denominator().clone());
    let quotient = &numerator / &denominator;
    if &quotient * &denominator > numerator { quotient - Integer::ONE } else { quotient }
}

/// ⌈x · 2^b⌉.
pub(crate) fn ceil(x: &Rational, b: usize) -> Integer {
    -floor(&-x.clone(), b)
}

fn float_floor(x: &Float, b: usize) -> Integer {
    match x.parts() {
        None => Integer::ZERO,
        Some((negative, significand, exponent)) => {
            let shift = exponent + b as i64;
            let n = significand.clone();
            if shift >= 0 {
                let n = Integer::from(n << shift as usize);
                if negative { -n } else { n }
            } else {
                let cut = shift.unsigned_abs() as usize;
                if negative {
                    -Integer::from(if n.bit_len() == 0 {
                        n
                    } else if cut > n.bit_len() {
                        Natural::ONE
                    } else {
                        shift_up(n, cut)
                    })
                } else if cut > n.bit_len() {
                    Integer::ZERO
                } else {
                    Integer::from(n >> cut)
                }
            }
        }
    }
}

fn float_ceil(x: &Float, b: usize) -> Integer {
    -float_floor(&x.negated(), b)
}

/// n · 2^−b as a rational.
pub(crate) fn value(n: &Natural, b: usize) -> Rational {
    Rational::from_parts(Integer::from(n.clone()), Natural::ONE << b)
}

/// A double not above n · 2^−b, and one not below; apart by at most two units in the last place.
pub(crate) fn doubles(n: &Natural, b: usize) -> (f64, f64) {
    let length = n.bit_len();
    let cut = length.saturating_sub(53);
    let top = u64::try_from(&(n >> cut)).unwrap_or(u64::MAX);
    // top < 2^53: both conversions are exact, and so is scaling by a power of two within the range of doubles.
    let exponent = cut as i64 - b as i64;
    if exponent < -1020 {
        return (0.0, f64::MIN_POSITIVE);
    }
    if exponent > 900 {
        return (f64::MAX, f64::INFINITY);
    }
    let scale = 2f64.powi(exponent as i32);
    let low = top as f64 * scale;
    let high = if cut == 0 { low } else { (top + 1) as f64 * scale };
    (low, high)
}

/// A double near a rational, for choices that decide nothing.
pub(crate) fn near(x: &Rational) -> f64 {
    directed::cast_nearest(x)
}

/// A double not above a number that is not negative, and one not below: the nearest ones where both parts of the fraction are doubles.
pub(crate) fn around(x: &Rational) -> (f64, f64) {
    let parts = (u64::try_from(x.numerator()), u64::try_from(x.denominator()));
    let (Ok(n), Ok(d)) = parts else { return (directed::cast_down(x), directed::cast_up(x)) };
    if n.max(d) <= 1 << 53 {
        return (directed::div_down(n as f64, d as f64), directed::div_up(n as f64, d as f64));
    }
    if n == 0 {
        return (0.0, 0.0);
    }
    // Both conversions and the division are off by half a unit in the last place each: four steps are more than all of it.
    let bits = (n as f64 / d as f64).to_bits();
    (f64::from_bits(bits - 4), f64::from_bits(bits + 4))
}

/// So many terms are added up exactly. The sum of very many fractions may have as many denominators.
const EXACT_TERMS: usize = 500;

/// Σ n·x over numbers x ≥ 0: exact if they are few, between directed doubles if they are many.
pub(crate) struct Total {
    terms: usize,
    /// `None` where there are too many terms.
    exact: Option<Rational>,
    low: f64,
    high: f64,
}

impl Total {
    pub fn new() -> Total {
        Total { terms: 0, exact: Some(Rational::ZERO), low: 0.0, high: 0.0 }
    }

    /// For terms that are known to be very many.
    pub fn bounded() -> Total {
        Total { exact: None, ..Total::new() }
    }

    pub fn add(&mut self, x: &Rational, n: u64) {
        if x.is_zero() || n == 0 {
            return;
        }
        self.terms += 1;
        let (mut low, mut high) = around(x);
        if n > 1 {
            let n = Rational::from(n);
            low = directed::mul_down(low, directed::cast_down(&n));
            high = directed::mul_up(high, directed::cast_up(&n));
        }
        self.low = directed::add_down(self.low, low);
        self.high = directed::add_up(self.high, high);
        self.exact =
            self.exact.take().filter(|_| self.terms <= EXACT_TERMS).map(|sum| sum + x * Rational::from(n));
    }

    /// At most and at least the sum; `None` is no bound.
    pub fn bounds(self) -> (Rational, Option<Rational>) {
        match self.exact {
            Some(exact) => (exact.clone(), Some(exact)),
            None => (rational_from_f64(self.low).unwrap_or(Rational::ZERO), rational_from_f64(self.high)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    #[test]
    fn directions_are_as_named() {
        let third = rational(1, 3).unwrap();
        let minus = -third.clone();
        assert_eq!(floor(&third, 2), Integer::from(1));
        assert_eq!(ceil(&third, 2), Integer::from(2));
        assert_eq!(floor(&minus, 2), Integer::from(-2));
        assert_eq!(ceil(&minus, 2), Integer::from(-1));
        let half = Natural::ONE << 9usize;
        assert_eq!(mul_up(&(&half + Natural::ONE), &half, 10), (Natural::ONE << 8usize) + Natural::ONE);
        assert_eq!(mul_down(&(&half + Natural::ONE), &half, 10), Natural::ONE << 8usize);
        assert_eq!(div_up(&Natural::from(7u8), &Natural::from(2u8)), Natural::from(4u8));
        for (float, down, up) in [(0.3, 1, 2), (-0.3, -2, -1), (1e-40, 0, 1), (-1e-40, -1, 0), (5.0, 20, 20)]
        {
            let float = Float::from_f64(float);
            assert_eq!(
                (float_floor(&float, 2), float_ceil(&float, 2)),
                (Integer::from(down), Integer::from(up))
            );
        }
        let big = (Natural::ONE << 100usize) + Natural::ONE;
        let (low, high) = doubles(&big, 100);
        assert!(low == 1.0 && high > 1.0);
    }

    /// Few terms are exact; many lie between bounds that are near and on the right sides.
    #[test]
    fn totals_hold() {
        let total = |terms: i64| {
            let mut total = Total::new();
            let mut exact = Rational::ZERO;
            for k in 1..=terms {
                total.add(&rational(1, 3 * k).unwrap(), 7);
                exact += rational(7, 3 * k).unwrap();
            }
            (total.bounds(), exact)
        };
        let ((low, high), exact) = total(EXACT_TERMS as i64);
        assert!(low == exact && high == Some(exact));
        let ((low, high), exact) = total(EXACT_TERMS as i64 + 1);
        let high = high.unwrap();
        assert!(low < exact && exact < high && near(&(high - low)) < 1e-10);
    }

    /// Doubles lie on their sides, also where a part of the fraction is none, and close.
    #[test]
    fn doubles_lie_around() {
        let mut state = 7u64;
        let mut next = |bits: u32| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> (64 - bits)).max(1)
        };
        for round in 0..4000u32 {
            let (n, d) = (next(1 + round % 64), next(1 + round / 64 % 64));
            let x = Rational::from_parts(Integer::from(n), Natural::from(d));
            let (low, high) = around(&x);
            let exact = |double: f64| rational_from_f64(double).unwrap();
            assert!(exact(low) <= x && x <= exact(high), "{x}");
            assert!((high - low) / high <= 2e-15, "{x}");
        }
        assert_eq!(around(&Rational::ZERO), (0.0, 0.0));
        let large = Rational::from(Natural::ONE << 2000usize);
        assert_eq!(around(&large).1, f64::INFINITY);
    }
}
