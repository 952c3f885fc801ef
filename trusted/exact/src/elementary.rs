//! Enclosures of ln and exp to any precision, by integer arithmetic alone.
//!
//! Numbers here are fixed-point: a natural n with w fractional bits stands for n · 2^−w. Every series has
//! positive terms, and each routine is run twice: rounding every step down and dropping the tail gives a lower
//! bound, rounding every step up and adding a bound of the tail gives an upper bound. No error
//! analysis is needed beyond that.

use std::sync::{Arc, Mutex};

use dashu_base::{BitTest, DivRem};

use crate::{Float, Format, Integer, Natural, Rational, Round, Sign, UnsignedAbs};

/// Which bound a computation with positive numbers works towards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    Lower,
    Upper,
}

impl Bound {
    /// The bound that a subtrahend works towards.
    pub(crate) fn other(self) -> Bound {
        match self {
            Bound::Lower => Bound::Upper,
            Bound::Upper => Bound::Lower,
        }
    }

    /// n / d rounded towards this bound.
    pub(crate) fn div(self, n: &Natural, d: &Natural) -> Natural {
        let (quotient, rest) = n.div_rem(d);
        match self {
            Bound::Upper if rest != Natural::ZERO => quotient + Natural::ONE,
            _ => quotient,
        }
    }

    /// n / 2^w rounded towards this bound.
    pub(crate) fn shift(self, n: Natural, w: usize) -> Natural {
        match self {
            Bound::Upper if n.trailing_zeros().is_some_and(|zeros| zeros < w) => (n >> w) + Natural::ONE,
            _ => n >> w,
        }
    }
}

/// Σ t^(2i+1)/(2i+1) for t = n·2^−w with 0 ≤ t ≤ 1/3: artanh t, with w fractional bits.
fn artanh(t: &Natural, w: usize, bound: Bound) -> Natural {
    let square = bound.shift(t * t, w);
    let mut power = t.clone();
    let mut sum = Natural::ZERO;
    let mut odd = 1u32;
    // Rounded up, a power never falls below one unit: stop there.
    let stop = if bound == Bound::Upper { Natural::ONE } else { Natural::ZERO };
    while power > stop {
        sum += bound.div(&power, &Natural::from(odd));
        power = bound.shift(power * &square, w);
        odd += 2;
    }
    match bound {
        Bound::Lower => sum,
        // What is left is at most power·(1 + t² + t⁴ + …) ≤ 9/8 of one unit, as t² ≤ 1/9.
        Bound::Upper => sum + Natural::from(2u8),
    }
}

/// Σ r^i/i! for r = n·2^−w with 0 ≤ r < 1: e^r, with w fractional bits.
fn exp_series(r: &Natural, w: usize, bound: Bound) -> Natural {
    let mut term = Natural::ONE << w;
    let mut sum = Natural::ZERO;
    let mut index = 1u32;
    let stop = if bound == Bound::Upper { Natural::ONE } else { Natural::ZERO };
    while term > stop {
        sum += &term;
        term = bound.div(&bound.shift(term * r, w), &Natural::from(index));
        index += 1;
    }
    match bound {
        Bound::Lower => sum,
        // The first dropped term is at most one unit and, with index ≥ 2, each next one at most half of
        // the one before; for r = 0 the dropped terms are zero. So the tail is at most two units.
        Bound::Upper => sum + Natural::from(2u8),
    }
}

/// A constant at the last precision that was asked for, since callers ask for the same few again and again.
pub(crate) struct Kept(Mutex<Option<Arc<(usize, Natural, Natural)>>>);

impl Kept {
    pub(crate) const fn nothing() -> Kept {
        Kept(Mutex::new(None))
    }

    /// A lower and an upper bound with w fractional bits: what is kept, cut outward, or what `compute` gives.
    pub(crate) fn at(&self, w: usize, compute: impl FnOnce() -> (Natural, Natural)) -> (Natural, Natural) {
        if let Ok(last) = self.0.lock()
            && let Some(kept) = last.as_ref()
            && kept.0 >= w
        {
            let cut = kept.0 - w;
            return (Bound::Lower.shift(kept.1.clone(), cut), Bound::Upper.shift(kept.2.clone(), cut));
        }
        let (lower, upper) = compute();
        if let Ok(mut last) = self.0.lock() {
            *last = Some(Arc::new((w, lower.clone(), upper.clone())));
        }
        (lower, upper)
    }
}

/// ln 2 with w fractional bits: a lower and an upper bound.
fn ln2(w: usize) -> (Natural, Natural) {
    static LN2: Kept = Kept::nothing();
    // ln 2 = 18 artanh(1/26) − 2 artanh(1/4801) + 8 artanh(1/8749), Gauss's three-term formula.
    let inverse = |d: u32, bound: Bound| {
        let t = bound.div(&(Natural::ONE << w), &Natural::from(d));
        artanh(&t, w, bound)
    };
    let combine = |bound: Bound, other: Bound| {
        inverse(26, bound) * Natural::from(18u8) + inverse(8749, bound) * Natural::from(8u8)
            - inverse(4801, other) * Natural::from(2u8)
    };
    LN2.at(w, || (combine(Bound::Lower, Bound::Upper), combine(Bound::Upper, Bound::Lower)))
}

/// A lower and an upper bound of ln x for a rational x > 0, at most about 2^−bits apart relative to ln x; both
/// are 0 for x = 1. `None` for x ≤ 0.
///
/// ```
/// use probity_exact::{fraction, ln_bounds, rational};
/// let (low, high) = ln_bounds(&fraction::<2, 1>(), 60).unwrap();
/// assert!(low < rational(6931471805599453095i64, 10_000_000_000_000_000_000i128).unwrap());
/// assert!(high > rational(6931471805599453094i64, 10_000_000_000_000_000_000i128).unwrap());
/// ```
pub fn ln_bounds(x: &Rational, bits: u32) -> Option<(Rational, Rational)> {
    if *x <= Rational::ZERO {
        return None;
    }
    let (low, high) = ln_quotient(&x.numerator().unsigned_abs(), x.denominator(), 0, bits);
    Some((low.to_rational()?, high.to_rational()?))
}

/// Bounds of ln(n/d · 2^shift) for n, d > 0, at most about 2^−bits apart relative to the value.
pub(crate) fn ln_quotient(n: &Natural, d: &Natural, shift: i64, bits: u32) -> (Float, Float) {
    // Choose k with m = n/d · 2^−k in (1/2, 2), then move by one so that m lies in [2/3, 4/3].
    let k = n.bit_len() as i64 - d.bit_len() as i64;
    let (mut n, mut d) = if k >= 0 { (n.clone(), d << k as usize) } else { (n << (-k) as usize, d.clone()) };
    let mut k = k + shift;
    let three = Natural::from(3u8);
    if &n * &three > &d * Natural::from(4u8) {
        d <<= 1;
        k += 1;
    } else if &n * &three < &d * Natural::from(2u8) {
        n <<= 1;
        k -= 1;
    }
    // ln m = 2 artanh t with t = (n − d)/(n + d), |t| ≤ 1/5.
    let negative = n < d;
    let difference = if negative { &d - &n } else { &n - &d };
    let sum = n + d;
    // Leading zeros of t cost relative precision unless k·ln 2 outweighs them (|ln m| < 0.41 < ln 2 − 0.28).
    let zeros = if k == 0 { sum.bit_len().saturating_sub(difference.bit_len()) } else { 0 };
    let size = (u64::BITS - k.unsigned_abs().leading_zeros()) as usize;
    let w = bits as usize + zeros + size + 16;
    let scaled = difference << w;
    let magnitude = |bound: Bound| artanh(&bound.div(&scaled, &sum), w, bound) << 1;
    let (small, large) = (magnitude(Bound::Lower), magnitude(Bound::Upper));
    let (low, high) = if scaled == Natural::ZERO {
        (Integer::ZERO, Integer::ZERO)
    } else if negative {
        (-Integer::from(large), -Integer::from(small))
    } else {
        (Integer::from(small), Integer::from(large))
    };
    let (low, high) = match k {
        0 => (low, high),
        _ => {
            let (ln2_low, ln2_high) = ln2(w);
            let (a, b) = (Integer::from(ln2_low) * k, Integer::from(ln2_high) * k);
            if k > 0 { (low + a, high + b) } else { (low + b, high + a) }
        }
    };
    (Float::from_dyadic(low, -(w as i64)), Float::from_dyadic(high, -(w as i64)))
}

/// For |x| beyond 2^EXP_LIMIT, e^x is answered with the outermost exponents that [`Format::wide`] can hold.
const EXP_LIMIT: i64 = 60;

/// A lower and an upper bound of e^x for a rational x, at most about 2^−bits apart relative to e^x; both are 1 for
/// x = 0. For |x| ≥ 2^61 the bounds are 0 and 2^(−2^60), or 2^(2^60) and +∞.
///
/// ```
/// use probity_exact::{exp_bounds, fraction, rational};
/// let (low, high) = exp_bounds(&fraction::<1, 1>(), 60);
/// assert!(low.to_rational().unwrap() < rational(2718281828459045236i64, 1_000_000_000_000_000_000i64).unwrap());
/// assert!(high.to_rational().unwrap() > rational(2718281828459045235i64, 1_000_000_000_000_000_000i64).unwrap());
/// ```
pub fn exp_bounds(x: &Rational, bits: u32) -> (Float, Float) {
    let one = Float::from_parts(false, Natural::ONE, 0);
    if x.is_zero() {
        return (one.clone(), one);
    }
    let negative = x.numerator().sign() == Sign::Negative;
    let numerator = x.numerator().unsigned_abs();
    // 2^(leading−1) < |x| < 2^(leading+1).
    let leading = numerator.bit_len() as i64 - x.denominator().bit_len() as i64;
    if leading > EXP_LIMIT {
        // |x| > 2^60, so e^|x| > 2^(2^60).
        let edge = 1i64 << EXP_LIMIT;
        return match negative {
            true => (Float::zero(false), Float::from_parts(false, Natural::ONE, -edge)),
            false => (Float::from_parts(false, Natural::ONE, edge), Float::infinity(false)),
        };
    }
    // e^x = 2^k · e^r with k = ⌊x / ln 2⌋ up to one, r = x − k·ln 2. The bits of k are lost by subtraction.
    let halvings = 4 + (bits as usize).isqrt() / 2;
    let w = bits as usize + leading.max(0) as usize + 2 * halvings + 16;
    let scaled = numerator << w;
    let bounds_of_magnitude =
        (Bound::Lower.div(&scaled, x.denominator()), Bound::Upper.div(&scaled, x.denominator()));
    let (low, high) = match negative {
        false => (Integer::from(bounds_of_magnitude.0), Integer::from(bounds_of_magnitude.1)),
        true => (-Integer::from(bounds_of_magnitude.1), -Integer::from(bounds_of_magnitude.0)),
    };
    let (ln2_low, ln2_high) = ln2(w);
    let (ln2_low, ln2_high) = (Integer::from(ln2_low), Integer::from(ln2_high));
    let minus_k_ln2 = |k: &Integer, bound: Bound| {
        let up = (bound == Bound::Upper) != (k.sign() == Sign::Negative);
        -(k * if up { &ln2_low } else { &ln2_high })
    };
    let mut k = (&low / &ln2_high) - Integer::ONE;
    // At most three steps bring r into [0, 1).
    while &low + minus_k_ln2(&(&k + Integer::ONE), Bound::Lower) >= Integer::ZERO {
        k += Integer::ONE;
    }
    let r_low = &low + minus_k_ln2(&k, Bound::Lower);
    let r_high = &high + minus_k_ln2(&k, Bound::Upper);
    let value = |r: Integer, bound: Bound| {
        // e^r = (e^(r/2^h))^(2^h); r/2^h keeps all its bits with h more fractional ones.
        let inner = w + halvings;
        let mut power = exp_series(&r.unsigned_abs(), inner, bound);
        for _ in 0..halvings {
            power = bound.shift(&power * &power, inner);
        }
        power
    };
    let (lower, upper) = (value(r_low, Bound::Lower), value(r_high, Bound::Upper));
    // |x| < 2^61 and 1/ln 2 < 1.45, so |k| < 2^62 fits.
    let k = i64::try_from(&k).unwrap_or(if negative { i64::MIN / 2 } else { i64::MAX / 2 });
    let exponent = k - (w + halvings) as i64;
    (Float::from_parts(false, lower, exponent), Float::from_parts(false, upper, exponent))
}

impl Format {
    /// ln x, correctly rounded: ln ±0 is −∞, ln of a negative number is NaN.
    pub fn ln(&self, x: &Float, direction: Round) -> Float {
        if x.is_zero() {
            return Float::infinity(true);
        }
        let Some((negative, significand, exponent)) = x.parts() else {
            return if x.is_negative() { Float::nan() } else { x.clone() };
        };
        if negative {
            return Float::nan();
        }
        if *significand == Natural::ONE && exponent == 0 {
            return Float::zero(false);
        }
        // ln of a rational other than 1 is transcendental (Lindemann), so it is neither a float nor a midpoint
        // and some precision decides.
        self.decide(direction, |bits| ln_quotient(significand, &Natural::ONE, exponent, bits))
    }

    /// e^x, correctly rounded: e^−∞ is +0.
    pub fn exp(&self, x: &Float, direction: Round) -> Float {
        if x.is_zero() {
            return self.round_dyadic(false, Natural::ONE, 0, direction);
        }
        let (Some((negative, _, _)), Some(leading)) = (x.parts(), x.leading_exponent()) else {
            return if x.is_negative() { Float::zero(false) } else { x.clone() };
        };
        let precision = i64::from(self.precision());
        if leading < -(precision + 2) {
            // |x| < 2^−(p+2): e^x lies strictly between 1 and its neighbour's midpoint, on the side of x.
            let shift = self.precision() as usize + 4;
            let one = Natural::ONE << shift;
            let near = if negative { one - Natural::ONE } else { one + Natural::ONE };
            return self.round_dyadic(false, near, -(shift as i64), direction);
        }
        // |x| ≥ 2^leading and log2(e) > 1, so |log2 e^x| > 2^leading: beyond the format's range when that
        // exceeds both exponents by more than the precision.
        let span = self.emax().max(-self.emin()).max(0) + precision + 2;
        if leading > EXP_LIMIT || (leading >= 0 && 1i64 << leading > span) {
            return match negative {
                true => self.round_dyadic(false, Natural::ONE, self.quantum(self.emin()) - 4, direction),
                false => self.overflow(false, direction),
            };
        }
        // e to a rational power other than 0 is transcendental, so some precision decides.
        match x.to_rational() {
            Some(exact) => self.decide(direction, |bits| exp_bounds(&exact, bits)),
            None => Float::nan(),
        }
    }

    /// Rounds a number given by ever narrower bounds, and which is no float and no midpoint of floats.
    fn decide(&self, direction: Round, bounds: impl Fn(u32) -> (Float, Float)) -> Float {
        let mut bits = self.precision() + 32;
        loop {
            let (low, high) = bounds(bits);
            let (below, above) = (self.round_float(&low, direction), self.round_float(&high, direction));
            if below == above {
                return below;
            }
            bits *= 2;
        }
    }
}
