//! Sine, cosine, tangent and arctangent of intervals, by the same series for fast intervals and for enclosures of any
//! precision. Every step rounds outward, so the result holds whatever the argument's width.

use std::sync::LazyLock;

use probity_exact::{Enclosure, Float, Format, Rational};

use crate::interval::Interval;
use crate::numeral;

/// Arguments beyond this are not reduced: the result is then all that the function can be.
const MAX_ARGUMENT: f64 = 1e5;

/// The first bits of π/2, in units of 2^−30: `turns` up to 10^5 times it stays below 2^53.
const HEAD: i64 = 1_686_629_713;

/// 2^30.
const HEAD_UNIT: i64 = 1 << 30;

/// π/2 from below and above, and both less the head.
static HALF_PI: LazyLock<[Rational; 4]> = LazyLock::new(|| {
    let (low, high) = match numeral::constant("PI_2") {
        Some(c) => (c.low, c.high),
        None => (Rational::from(1), Rational::from(2)),
    };
    let head = Rational::from(HEAD) / Rational::from(HEAD_UNIT);
    let tails = [&low - &head, &high - &head];
    let [tail_low, tail_high] = tails;
    [low, high, tail_low, tail_high]
});

/// Interval arithmetic, as far as the series need it.
pub trait Arithmetic: Clone {
    /// The interval around the rationals from low to high, with this one's precision.
    fn with(&self, low: &Rational, high: &Rational) -> Self;
    /// A whole number below 2^53, with this one's precision.
    fn whole(&self, value: i64) -> Self;
    /// π/2, and what it exceeds its first 30 fractional bits by, with this one's precision.
    fn quarter_turn(&self) -> (Self, Self);
    /// x + y.
    fn plus(&self, other: &Self) -> Self;
    /// x − y.
    fn minus(&self, other: &Self) -> Self;
    /// x · y.
    fn times(&self, other: &Self) -> Self;
    /// x²
    fn squared(&self) -> Self;
    /// x / y; `None` when y may be 0.
    fn over(&self, other: &Self) -> Option<Self>;
    /// √x; `None` when x may be negative.
    fn root(&self) -> Option<Self>;
    /// The smallest interval that contains both.
    fn joined(&self, other: &Self) -> Self;
    /// What both contain; `self` when that is nothing.
    fn cut(&self, other: &Self) -> Self;
    /// The intervals of the two ends.
    fn ends(&self) -> (Self, Self);
    /// Doubles around the interval.
    fn doubles(&self) -> (f64, f64);
    /// Terms of a series beyond which they are below the precision.
    fn terms(&self) -> i64;
}

impl Arithmetic for Interval {
    fn with(&self, low: &Rational, high: &Rational) -> Interval {
        Interval::around(low, high)
    }
    fn whole(&self, value: i64) -> Interval {
        Interval::point(value as f64)
    }
    fn quarter_turn(&self) -> (Interval, Interval) {
        static PARTS: LazyLock<(Interval, Interval)> = LazyLock::new(|| {
            let [low, high, tail_low, tail_high] = &*HALF_PI;
            (Interval::around(low, high), Interval::around(tail_low, tail_high))
        });
        *PARTS
    }
    fn plus(&self, other: &Interval) -> Interval {
        *self + *other
    }
    fn minus(&self, other: &Interval) -> Interval {
        *self - *other
    }
    fn times(&self, other: &Interval) -> Interval {
        *self * *other
    }
    fn squared(&self) -> Interval {
        self.square()
    }
    fn over(&self, other: &Interval) -> Option<Interval> {
        self.checked_div(*other)
    }
    fn root(&self) -> Option<Interval> {
        self.sqrt()
    }
    fn joined(&self, other: &Interval) -> Interval {
        self.hull(*other)
    }
    fn cut(&self, other: &Interval) -> Interval {
        self.intersection(*other).unwrap_or(*self)
    }
    fn ends(&self) -> (Interval, Interval) {
        (Interval::point(self.low()), Interval::point(self.high()))
    }
    fn doubles(&self) -> (f64, f64) {
        (self.low(), self.high())
    }
    fn terms(&self) -> i64 {
        10
    }
}

impl Arithmetic for Enclosure<Float> {
    fn with(&self, low: &Rational, high: &Rational) -> Self {
        Enclosure::around(low, self.precision()).hull(&Enclosure::around(high, self.precision()))
    }
    fn whole(&self, value: i64) -> Self {
        Enclosure::around(&Rational::from(value), self.precision())
    }
    fn quarter_turn(&self) -> (Self, Self) {
        let [low, high, tail_low, tail_high] = &*HALF_PI;
        (self.with(low, high), self.with(tail_low, tail_high))
    }
    fn plus(&self, other: &Self) -> Self {
        self.clone() + other.clone()
    }
    fn minus(&self, other: &Self) -> Self {
        self.clone() - other.clone()
    }
    fn times(&self, other: &Self) -> Self {
        self.clone() * other.clone()
    }
    fn squared(&self) -> Self {
        self.square()
    }
    fn over(&self, other: &Self) -> Option<Self> {
        self.checked_div(other)
    }
    fn root(&self) -> Option<Self> {
        self.sqrt()
    }
    fn joined(&self, other: &Self) -> Self {
        self.hull(other)
    }
    fn cut(&self, other: &Self) -> Self {
        self.intersection(other).unwrap_or_else(|| self.clone())
    }
    fn ends(&self) -> (Self, Self) {
        let end = |x: &Float| Enclosure::point(x.clone(), self.precision()).unwrap_or_else(|| self.clone());
        (end(self.low()), end(self.high()))
    }
    fn doubles(&self) -> (f64, f64) {
        let double = Format::BINARY64;
        let low = double.round_float(self.low(), probity_exact::Round::Down).to_f64();
        let high = double.round_float(self.high(), probity_exact::Round::Up).to_f64();
        (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY))
    }
    fn terms(&self) -> i64 {
        // 0.62^18/37! < 2^-150 for the sine, 0.04^54 < 2^-250 for the arctangent.
        if self.precision().precision() <= 170 { 18 } else { 30 }
    }
}

fn whole<T: Arithmetic>(like: &T, value: i64) -> T {
    like.whole(value)
}

/// π/2 as an interval.
fn quarter<T: Arithmetic>(like: &T) -> T {
    like.quarter_turn().0
}

/// x − turns·π/2 for a point, where π/2 is split into [`HEAD`], which `turns` multiplies exactly, and a tail: so
/// little is lost to cancellation.
fn reduced<T: Arithmetic>(x: &T, turns: i64) -> T {
    let head = whole(x, turns * HEAD).over(&whole(x, HEAD_UNIT)).unwrap_or_else(|| x.clone());
    x.minus(&head).minus(&whole(x, turns).times(&x.quarter_turn().1))
}

/// Σ (−1)^i r^(2i + first)/(2i + first)!, for |r| ≤ 1, with the next term as the remainder (the terms alternate and
/// shrink).
fn alternating<T: Arithmetic>(r: &T, first: i64) -> T {
    let square = r.squared();
    let n = r.terms();
    // Horner: 1 − r²/((k+1)(k+2))·(1 − …), innermost factor within [0, 1].
    let mut sum = whole(r, 0).joined(&whole(r, 1));
    for i in (0..n).rev() {
        let k = 2 * i + first;
        let divisor = whole(r, (k + 1) * (k + 2));
        let term = square.times(&sum);
        sum = whole(r, 1).minus(&term.over(&divisor).unwrap_or(term));
    }
    if first == 1 { sum.times(r) } else { sum }
}

/// The sine of a point, given as a narrow interval.
fn sine_at<T: Arithmetic>(x: &T, shift: i64) -> T {
    let (low, high) = x.doubles();
    let middle = 0.5 * low + 0.5 * high;
    let turns = (middle / std::f64::consts::FRAC_PI_2).round() as i64;
    let r = reduced(x, turns);
    let value = match (turns + shift).rem_euclid(4) {
        0 => alternating(&r, 1),
        1 => alternating(&r, 0),
        2 => whole(x, 0).minus(&alternating(&r, 1)),
        _ => whole(x, 0).minus(&alternating(&r, 0)),
    };
    value.cut(&unit(x))
}

fn unit<T: Arithmetic>(like: &T) -> T {
    whole(like, -1).joined(&whole(like, 1))
}

/// Whether the interval is small enough to be reduced.
fn reducible<T: Arithmetic>(x: &T) -> bool {
    let (low, high) = x.doubles();
    low.abs() <= MAX_ARGUMENT && high.abs() <= MAX_ARGUMENT
}

/// sin(x + shift·π/2) over an interval.
fn wave<T: Arithmetic>(x: &T, shift: i64) -> T {
    if !reducible(x) {
        return unit(x);
    }
    let (low, high) = x.ends();
    let mut value = sine_at(&low, shift).joined(&sine_at(&high, shift));
    // Extrema are at odd multiples of π/2 (before the shift). Take any that may be inside.
    let step = quarter(x);
    let bounds = |end: &T| end.over(&step).map(|turns| turns.doubles());
    let (Some((first, _)), Some((_, last))) = (bounds(&low), bounds(&high)) else { return unit(x) };
    let (first, last) = (first.floor() as i64, last.ceil() as i64);
    if last - first > 8 {
        return unit(x);
    }
    for turn in first..=last {
        // turn·π/2 may lie within the interval: overlap of intervals decides, generously.
        let place = whole(x, turn).times(&step);
        let ((a, b), (c, d)) = (place.doubles(), (low.doubles().0, high.doubles().1));
        if a <= d && b >= c {
            let extreme = match (turn + shift).rem_euclid(4) {
                1 => 1,
                3 => -1,
                _ => continue,
            };
            value = value.joined(&whole(x, extreme));
        }
    }
    value.cut(&unit(x))
}

/// sin x.
///
/// ```
/// use probity_float::{Interval, trigonometry::{cosine, sine}};
/// let x = Interval::new(1.0, 2.0);
/// assert_eq!(sine(&x).high(), 1.0);
/// assert!(cosine(&x).low() < -0.416 && cosine(&x).high() > 0.54);
/// ```
pub fn sine<T: Arithmetic>(x: &T) -> T {
    wave(x, 0)
}

/// cos x = sin(x + π/2).
pub fn cosine<T: Arithmetic>(x: &T) -> T {
    wave(x, 1)
}

/// tan x; `None` when a pole may be inside.
pub fn tangent<T: Arithmetic>(x: &T) -> Option<T> {
    if !reducible(x) {
        return None;
    }
    // cos has no zero on the interval exactly when no odd multiple of π/2 is inside.
    let (low, high) = cosine(x).doubles();
    if low <= 0.0 && high >= 0.0 {
        return None;
    }
    let (a, b) = x.ends();
    let at = |end: &T| sine_at(end, 0).over(&sine_at(end, 1));
    // Between poles the tangent grows.
    Some(at(&a)?.joined(&at(&b)?))
}

/// arctan x.
pub fn arctangent<T: Arithmetic>(x: &T) -> T {
    let (a, b) = x.ends();
    // Monotone: the ends decide.
    arctangent_at(&a).joined(&arctangent_at(&b))
}

fn arctangent_at<T: Arithmetic>(x: &T) -> T {
    let limit = quarter(x);
    let all = whole(x, 0).minus(&limit).joined(&limit);
    // arctan x = 2·arctan(x/(1 + √(1 + x²))), three times: |t| ≤ tan(π/16) < 1/5.
    let halve = |t: &T| {
        let root = whole(x, 1).plus(&t.squared()).root()?;
        t.over(&whole(x, 1).plus(&root))
    };
    let Some(t) = halve(x).and_then(|t| halve(&t)).and_then(|t| halve(&t)) else { return all };
    let square = t.squared();
    let n = 3 * x.terms();
    // Σ (−1)^i t^(2i+1)/(2i+1): alternating and shrinking, so the tail lies between 0 and its first term.
    let mut sum = whole(x, 0).joined(&whole(x, 1).over(&whole(x, 2 * n + 1)).unwrap_or(whole(x, 1)));
    for i in (0..n).rev() {
        let term = whole(x, 1).over(&whole(x, 2 * i + 1)).unwrap_or(whole(x, 1));
        sum = term.minus(&square.times(&sum));
    }
    whole(x, 8).times(&sum.times(&t)).cut(&all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fine(x: f64) -> Enclosure<Float> {
        Enclosure::point(Float::from_f64(x), Format::wide(200)).unwrap()
    }

    fn width(x: &Enclosure<Float>) -> f64 {
        probity_exact::directed::cast_up(&x.width_up().to_rational().unwrap())
    }

    /// Identities pin the precise versions down, and the fast ones contain them.
    #[test]
    fn identities_and_containment() {
        let one = Rational::from(1);
        for i in -60..=60 {
            let x = f64::from(i) * 1.87 + 1e-3 * f64::from(i * i % 17);
            let (s, c) = (sine(&fine(x)), cosine(&fine(x)));
            assert!(width(&s) < 1e-50 && width(&c) < 1e-50, "{x}: {}", width(&s));
            assert!((s.square() + c.square()).contains(&one), "{x}");
            // sin 2x = 2·sin x·cos x.
            let double = sine(&fine(2.0 * x));
            let product = s.clone() * c.clone() * fine(2.0);
            assert!(double.intersection(&product).is_some(), "{x}");
            let t = tangent(&fine(x)).unwrap();
            assert!((t.clone() * c.clone()).intersection(&s).is_some());
            let a = arctangent(&fine(x));
            assert!(
                width(&a) < 1e-50
                    && tangent(&a).unwrap().contains(&probity_exact::rational_from_f64(x).unwrap())
            );
            for (fast, precise) in [
                (sine(&Interval::point(x)), &s),
                (cosine(&Interval::point(x)), &c),
                (arctangent(&Interval::point(x)), &a),
                (tangent(&Interval::point(x)).unwrap(), &t),
            ] {
                let (low, high) = precise.doubles();
                assert!(fast.low() <= low && high <= fast.high(), "{x}");
                assert!(fast.width_up() <= 1e-13 * (1.0 + fast.magnitude().powi(2)), "{x}: {fast:?}");
            }
        }
        // Known values: sin(π/6) = 1/2 and arctan 1 = π/4.
        let pi = numeral::constant("PI").unwrap();
        let sixth = fine(1.0).with(&(&pi.low / Rational::from(6)), &(&pi.high / Rational::from(6)));
        assert!(sine(&sixth).contains(&probity_exact::fraction::<1, 2>()));
        let quarter = arctangent(&fine(1.0)) * fine(4.0);
        assert!(quarter.contains(&pi.low) || quarter.contains(&pi.high) || width(&quarter) < 1e-50);
    }

    /// Intervals contain the function at their members, and its extrema.
    #[test]
    fn intervals_contain_their_members() {
        let mut state = 9u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / 2f64.powi(53)
        };
        for _ in 0..2000 {
            let low = (next() - 0.5) * 40.0;
            let width = next() * 8.0;
            let range = Interval::new(low, low + width);
            let (s, c, a, t) = (sine(&range), cosine(&range), arctangent(&range), tangent(&range));
            for _ in 0..10 {
                let x = Interval::point((low + next() * width).clamp(range.low(), range.high()));
                let inside = |part: Interval, whole: Interval| {
                    assert!(whole.low() <= part.high() && part.low() <= whole.high())
                };
                inside(sine(&x), s);
                inside(cosine(&x), c);
                inside(arctangent(&x), a);
                if let Some(t) = t {
                    inside(tangent(&x).unwrap(), t);
                }
            }
        }
        assert_eq!(sine(&Interval::new(0.0, 7.0)), Interval::new(-1.0, 1.0));
        assert_eq!(sine(&Interval::EVERYTHING), Interval::new(-1.0, 1.0));
        assert_eq!(tangent(&Interval::new(1.0, 2.0)), None);
    }
}
