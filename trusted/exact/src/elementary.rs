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
    LN2.at(w, || (ln2_towards(w, Bound::Lower), ln2_towards(w, Bound::Upper)))
}

/// ln 2 = 18 artanh(1/26) − 2 artanh(1/4801) + 8 artanh(1/8749), Gauss's three-term formula, with w fractional bits.
fn ln2_towards(w: usize, bound: Bound) -> Natural {
    let inverse = |d: u32, bound: Bound| {
        let t = bound.div(&(Natural::ONE << w), &Natural::from(d));
        artanh(&t, w, bound)
    };
    inverse(26, bound) * Natural::from(18u8) + inverse(8749, bound) * Natural::from(8u8)
        - inverse(4801, bound.other()) * Natural::from(2u8)
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
    // The bits of x before the point are lost by subtraction.
    let halvings = 4 + (bits as usize).isqrt() / 2;
    let w = bits as usize + leading.max(0) as usize + 2 * halvings + 16;
    let scaled = numerator << w;
    let bounds_of_magnitude =
        (Bound::Lower.div(&scaled, x.denominator()), Bound::Upper.div(&scaled, x.denominator()));
    let (low, high) = match negative {
        false => (Integer::from(bounds_of_magnitude.0), Integer::from(bounds_of_magnitude.1)),
        true => (-Integer::from(bounds_of_magnitude.1), -Integer::from(bounds_of_magnitude.0)),
    };
    exp_between((&low, &high), w, halvings)
}

/// A lower bound of e^low and an upper bound of e^high for numbers with w fractional bits, less than 8 apart and at most 2^61 in size.
fn exp_between((low, high): (&Integer, &Integer), w: usize, halvings: usize) -> (Float, Float) {
    // e^x = 2^k · e^r with r = x − k·ln 2.
    let (ln2_low, ln2_high) = ln2(w);
    let (ln2_low, ln2_high) = (Integer::from(ln2_low), Integer::from(ln2_high));
    let minus_k_ln2 = |k: &Integer, bound: Bound| {
        let up = (bound == Bound::Upper) != (k.sign() == Sign::Negative);
        -(k * if up { &ln2_low } else { &ln2_high })
    };
    let r_low_at = |k: &Integer| low + minus_k_ln2(k, Bound::Lower);
    // The largest k that leaves r at least 0, and so below 1. The quotient, which is rounded towards 0, is that or larger.
    let mut k = low / &ln2_high;
    while r_low_at(&k) < Integer::ZERO {
        k -= Integer::ONE;
    }
    let r_low = r_low_at(&k);
    let r_high = high + minus_k_ln2(&k, Bound::Upper);
    let value = |r: Integer, bound: Bound| {
        // e^r = (e^(r/2^h))^(2^h); r/2^h, which is below 1, keeps all its bits with h more fractional ones.
        let inner = w + halvings;
        let mut power = exp_series(&r.unsigned_abs(), inner, bound);
        for _ in 0..halvings {
            power = bound.shift(&power * &power, inner);
        }
        power
    };
    let (lower, upper) = (value(r_low, Bound::Lower), value(r_high, Bound::Upper));
    // |x| < 2^61 and 1/ln 2 < 1.45, so |k| < 2^62 fits; if it did not, the bounds would be none.
    let Ok(k) = i64::try_from(&k) else { return (Float::zero(false), Float::infinity(false)) };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rational;

    const BOUNDS: [Bound; 2] = [Bound::Lower, Bound::Upper];

    /// n·2^−w.
    fn fixed(n: &Natural, w: usize) -> Rational {
        Rational::from_parts(Integer::from(n.clone()), Natural::ONE << w)
    }

    /// 2^−n.
    fn part(n: usize) -> Rational {
        fixed(&Natural::ONE, n)
    }

    /// The sum of a series of positive terms from `terms`, up to the first term below 2^−`bits`, and that term twice: each further
    /// one is at most half of the one before.
    fn sum_to(bits: usize, terms: impl Iterator<Item = Rational>) -> (Rational, Rational) {
        let mut sum = Rational::ZERO;
        for term in terms {
            if term < part(bits) {
                return (sum.clone(), sum + term * Rational::from(2u8));
            }
            sum += term;
        }
        unreachable!("a series without end");
    }

    /// artanh t for 0 ≤ t ≤ 1/3, in rational numbers.
    fn artanh_of(t: &Rational, bits: usize) -> (Rational, Rational) {
        let square = t * t;
        let mut power = t.clone();
        sum_to(
            bits,
            (0u32..).map(|i| {
                let term = &power / Rational::from(2 * i + 1);
                power = &power * &square;
                term
            }),
        )
    }

    /// e^r for 0 ≤ r ≤ 1, in rational numbers.
    fn exp_of(r: &Rational, bits: usize) -> (Rational, Rational) {
        let mut term = Rational::ONE;
        sum_to(
            bits,
            (1u32..).map(|i| {
                let this = term.clone();
                term = &term * r / Rational::from(i);
                this
            }),
        )
    }

    /// Quotients and shifts are the floor and the ceiling, no less and no more.
    #[test]
    fn steps_are_rounded_to_the_nearest_unit_of_their_side() {
        for n in 0u32..70 {
            for d in 1u32..20 {
                assert_eq!(Bound::Lower.div(&n.into(), &d.into()), Natural::from(n / d));
                assert_eq!(Bound::Upper.div(&n.into(), &d.into()), Natural::from(n.div_ceil(d)));
            }
            for w in 0..9 {
                assert_eq!(Bound::Lower.shift(n.into(), w), Natural::from(n >> w));
                assert_eq!(Bound::Upper.shift(n.into(), w), Natural::from(n.div_ceil(1 << w)), "{n} {w}");
            }
        }
    }

    /// With few bits every rounding shows: on every number of up to ten bits the series enclose what they stand for, and are
    /// as narrow as their steps allow.
    #[test]
    fn the_series_enclose_with_any_number_of_bits() {
        for w in (1..11).chain([16, 23]) {
            let all = 1u32 << w;
            let step = if w > 10 { (all / 60) as usize | 1 } else { 1 + (all / 300) as usize };
            for n in (0..all).step_by(step) {
                let (number, value) = (Natural::from(n), fixed(&n.into(), w));
                let width = Rational::from(w as u32 + 5) * part(w);
                let check = |low: Natural, high: Natural, (least, most): (Rational, Rational), what: &str| {
                    let (low, high) = (fixed(&low, w), fixed(&high, w));
                    assert!(low <= least && most <= high, "{what} {n} with {w} bits: {low} {high}");
                    assert!(&high - &low <= width, "{what} {n} with {w} bits: {low} {high}");
                };
                if 3 * n <= all {
                    let [low, high] = BOUNDS.map(|bound| artanh(&number, w, bound));
                    check(low, high, artanh_of(&value, 60), "artanh");
                }
                let [low, high] = BOUNDS.map(|bound| exp_series(&number, w, bound));
                let (least, most) = if n == 0 { (Rational::ONE, Rational::ONE) } else { exp_of(&value, 60) };
                check(low, high, (least, most), "exp");
            }
        }
    }

    /// ln 2 = Σ 1/(k·2^k), another series than the one of the code.
    fn ln2_of(bits: usize) -> (Rational, Rational) {
        sum_to(bits, (1u32..).map(|k| part(k as usize) / Rational::from(k)))
    }

    #[test]
    fn the_logarithm_of_two_is_enclosed_with_any_number_of_bits() {
        let (least, most) = ln2_of(300);
        for w in 14..280 {
            let [low, high] = BOUNDS.map(|bound| fixed(&ln2_towards(w, bound), w));
            assert!(low <= least && most <= high, "{w}");
            assert!(high - low <= part(w) * Rational::from(60 + 12 * w as u32), "{w}");
            let (low, high) = ln2(w);
            assert!(fixed(&low, w) <= least && most <= fixed(&high, w), "kept, {w}");
        }
    }

    /// What is kept is cut outward, and computed again only for more bits.
    #[test]
    fn a_kept_constant_is_cut_outward() {
        let kept = Kept::nothing();
        let number = |n: u32| Natural::from(n);
        let never = || -> (Natural, Natural) { panic!("it is kept") };
        assert_eq!(kept.at(8, || (number(0b1010_0001), number(0b1010_0010))).0, number(0b1010_0001));
        assert_eq!(kept.at(8, never), (number(0b1010_0001), number(0b1010_0010)));
        assert_eq!(kept.at(7, never), (number(0b101_0000), number(0b101_0001)));
        assert_eq!(kept.at(4, never), (number(0b1010), number(0b1011)));
        assert_eq!(kept.at(9, || (number(1), number(2))), (number(1), number(2)));
        assert_eq!(kept.at(8, never), (number(0), number(1)));
    }

    /// Logarithms of fractions on both sides of 1, of powers of two and next to them, against 2·artanh((x − 1)/(x + 1)) and ln 2 in
    /// rational numbers.
    #[test]
    fn logarithms_are_enclosed_and_narrow() {
        let (ln2_least, ln2_most) = ln2_of(260);
        let mut tried = 0;
        for (n, d) in (1i64..16).flat_map(|n| (1i64..16).map(move |d| (n, d))).chain([
            (4097, 4096),
            (4095, 4096),
            (1 << 40, 3),
            (3, 1 << 40),
            (1_000_001, 1_000_000),
        ]) {
            let x = rational(n, d).unwrap();
            // x = 2^k·m with 3/4 ≤ m < 3/2, by the definition of k and not by lengths.
            let (mut m, mut k) = (x.clone(), 0i32);
            while m >= rational(3, 2).unwrap() {
                (m, k) = (m / Rational::from(2u8), k + 1);
            }
            while m < rational(3, 4).unwrap() {
                (m, k) = (m * Rational::from(2u8), k - 1);
            }
            let t = (&m - Rational::ONE) / (&m + Rational::ONE);
            let (least, most) = artanh_of(&if t < Rational::ZERO { -&t } else { t.clone() }, 240);
            let (two, times) = (Rational::from(2u8), Rational::from(k));
            let (least, most) = if t < Rational::ZERO { (-most, -least) } else { (least, most) };
            let ends = if k < 0 { (&ln2_most, &ln2_least) } else { (&ln2_least, &ln2_most) };
            let (least, most) = (least * &two + &times * ends.0, most * &two + &times * ends.1);
            for bits in [1, 2, 5, 20, 53, 100, 200] {
                let (low, high) = ln_bounds(&x, bits).unwrap();
                if n == d {
                    assert_eq!((low, high), (Rational::ZERO, Rational::ZERO));
                    continue;
                }
                assert!(low <= least && most <= high, "ln {x} to {bits} bits");
                let size = if most < Rational::ZERO { -&least } else { most.clone() };
                assert!(&high - &low <= size * part(bits as usize), "ln {x} to {bits} bits: {low} {high}");
                tried += 1;
            }
        }
        assert!(tried > 1400, "{tried}");
        for x in [Rational::ZERO, rational(-1, 3).unwrap()] {
            assert_eq!(ln_bounds(&x, 10), None);
        }
    }

    /// e^x for fractions of both signs against the series, in rational numbers: e^−x = 1/e^x, and e^(n·x) = (e^x)^n.
    #[test]
    fn exponentials_are_enclosed_and_narrow() {
        for (n, d, times) in
            [(1, 1, 1), (1, 3, 1), (2, 3, 1), (1, 1, 7), (5, 7, 30), (1, 1 << 20, 1), (99, 100, 100)]
        {
            let one = exp_of(&rational(n, d).unwrap(), 320);
            let (least, most) = (one.0.pow(times), one.1.pow(times));
            let x = rational(n * times as i64, d).unwrap();
            for bits in [1, 2, 5, 20, 53, 100, 200] {
                for (x, least, most) in [
                    (x.clone(), least.clone(), most.clone()),
                    (-&x, Rational::ONE / &most, Rational::ONE / &least),
                ] {
                    let (low, high) = exp_bounds(&x, bits);
                    let (low, high) = (low.to_rational().unwrap(), high.to_rational().unwrap());
                    assert!(low <= least && most <= high, "e^{x} to {bits} bits");
                    assert!(high - low <= most * part(bits as usize), "e^{x} to {bits} bits");
                }
            }
        }
        let one = Float::from_parts(false, Natural::ONE, 0);
        assert_eq!(exp_bounds(&Rational::ZERO, 7), (one.clone(), one));
    }

    /// Where x is nearly a multiple of ln 2 its two bounds may lie on both sides of it.
    #[test]
    fn exponentials_next_to_powers_of_two_are_enclosed() {
        let (low, _) = ln2_of(120);
        for bits in [1, 7, 20, 53] {
            for places in 10..90usize {
                let near = (&low * Rational::from(Natural::ONE << places)).floor();
                for n in [-3i64, -2, -1, 1, 2] {
                    for off in -2i64..=3 {
                        let x = Rational::from_parts(&near * n + Integer::from(off), Natural::ONE << places);
                        let (fine, found) = (exp_bounds(&x, 160), exp_bounds(&x, bits));
                        assert!(found.0.compare(&fine.0) != Some(std::cmp::Ordering::Greater), "{x} {bits}");
                        assert!(found.1.compare(&fine.1) != Some(std::cmp::Ordering::Less), "{x} {bits}");
                    }
                }
            }
        }
    }

    /// Bounds that are far apart show which of them is used where.
    #[test]
    fn both_ends_of_a_wide_interval_are_used() {
        const W: usize = 60;
        for (low, high) in [(-9, -2), (-5, 1), (-1, 0), (0, 1), (1, 2), (3, 9)] {
            let ends = [low, high].map(|n| Integer::from(n) << W);
            let (below, above) = exp_between((&ends[0], &ends[1]), W, 4);
            let fine = [low, high].map(|n| exp_bounds(&Rational::from(n), 100));
            let exact = |x: &Float| x.to_rational().unwrap();
            assert!(exact(&below) <= exact(&fine[0].0) && exact(&fine[1].1) <= exact(&above), "{low} {high}");
            let narrow = |a: Rational, b: Rational| b - &a <= a * part(40);
            assert!(narrow(exact(&below), exact(&fine[0].1)) && narrow(exact(&fine[1].0), exact(&above)));
        }
    }

    /// Where the first bounds do not tell, more bits are asked for, whichever of the two is beyond the edge.
    #[test]
    fn what_is_not_decided_is_asked_again() {
        let format = Format::new(3, -9, 9).unwrap();
        let number = |n: i32, d: i32| Format::wide(99).round(&rational(n, d).unwrap(), Round::NearestEven);
        // A number just above 1 or just below, of which little is known at first.
        for (n, d) in [(101, 100), (99, 100)] {
            for direction in Round::ALL {
                let mut last = 0;
                let asked = std::cell::RefCell::new(&mut last);
                let found = format.decide(direction, |bits| {
                    **asked.borrow_mut() = bits;
                    if bits < 1000 {
                        (number(97, 100), number(103, 100))
                    } else {
                        (number(n, d), number(n, d))
                    }
                });
                assert_eq!(found, format.round(&rational(n, d).unwrap(), direction), "{n}/{d} {direction:?}");
                assert_eq!(last > 1000, !matches!(direction, Round::NearestEven | Round::NearestAway));
            }
        }
    }

    /// The shortcuts for tiny and for huge numbers, in formats whose precision and exponents have nothing to do with each other.
    #[test]
    fn exponentials_in_formats_of_any_shape() {
        let shapes = [
            (2, -100, 100),
            (24, -2, 3),
            (5, -40, 3),
            (2, -40, 40),
            (3, 5, 9),
            (4, -9, -5),
            (3, -3, 60),
            (2, 0, 3),
            (2, -1, 1),
        ];
        for (precision, emin, emax) in shapes {
            let format = Format::new(precision, emin, emax).unwrap();
            let tiny = (0..40).map(|k| Float::from_parts(false, Natural::ONE, -k));
            let large = [2u32, 3, 5, 7, 20, 27, 28, 41, 64, 69, 70, 100, 128, 200, 1 << 12, 1 << 30];
            let large = large.map(|n| Float::from_parts(false, Natural::from(n), 0));
            for x in tiny.chain(large).flat_map(|x| [x.negated(), x]) {
                let (low, high) = exp_bounds(&x.to_rational().unwrap(), 120);
                for direction in Round::ALL {
                    let found = format.exp(&x, direction);
                    assert_eq!(found, format.round_float(&low, direction), "{x} in {format} {direction:?}");
                    assert_eq!(found, format.round_float(&high, direction), "{x} in {format} {direction:?}");
                }
            }
        }
    }

    /// Beyond 2^60 the bounds are the outermost exponents; up to there they are computed, and next to each other.
    #[test]
    fn exponentials_far_out() {
        let power = |exponent: i64| Float::from_parts(false, Natural::ONE, exponent);
        for (leading, far) in [(59, false), (60, false), (61, true), (90, true)] {
            let x = Rational::from(Natural::ONE << leading);
            let (low, high) = exp_bounds(&x, 10);
            let (least, most) = exp_bounds(&-&x, 10);
            if far {
                assert_eq!((low, high), (power(1 << 60), Float::infinity(false)));
                assert_eq!((least, most), (Float::zero(false), power(-(1 << 60))));
                continue;
            }
            // log2 e^x = x·log2 e, to 14 digits of log2 e.
            let wanted = &x * rational(14426950408889i64, 10_000_000_000_000i64).unwrap();
            for (bound, sign) in [(low, 1), (high, 1), (least, -1), (most, -1)] {
                let leading = Rational::from(bound.leading_exponent().unwrap() * sign);
                let off = leading / &wanted - Rational::ONE;
                assert!(off < part(40) && -off < part(40), "{x}");
            }
        }
    }
}
