//! A fast interval of reals with f64 ends, for searches that evaluate millions of them.
//!
//! Every operation rounds to nearest and then steps outward by one double, which is sound and costs a few
//! nanoseconds; `probity_exact::Enclosure` is tighter by up to one unit in the last place and ten times slower.

use probity_exact::{Rational, directed};

/// All reals between two doubles, ends included; an infinite end means unbounded.
///
/// ```
/// use probity_float::Interval;
/// let x = Interval::new(-1.0, 2.0);
/// assert_eq!(x.square().low(), 0.0);
/// assert!((x * x).low() <= -2.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Invariant: low ≤ high and neither is NaN.
    low: f64,
    high: f64,
}

/// The double below a result that was rounded to nearest. An exact zero sum or product is left alone by the
/// callers, so that signs survive.
fn below(x: f64) -> f64 {
    x.next_down()
}

fn above(x: f64) -> f64 {
    x.next_up()
}

/// x + y to nearest, and what it lacks (Knuth): exact, as sums do not underflow, or NaN where something overflows.
fn two_sum(x: f64, y: f64) -> (f64, f64) {
    let s = x + y;
    let y_part = s - x;
    (s, (x - (s - y_part)) + (y - y_part))
}

/// x + y rounded down; an exact sum stays as it is, so that sums of whole numbers do not creep over a power of two.
fn sum_down(x: f64, y: f64) -> f64 {
    let (s, rest) = two_sum(x, y);
    if rest >= 0.0 { s } else { below(s) }
}

fn sum_up(x: f64, y: f64) -> f64 {
    let (s, rest) = two_sum(x, y);
    if rest <= 0.0 { s } else { above(s) }
}

/// x · y with 0 · ∞ = 0, as an infinite end is never attained.
fn product(x: f64, y: f64) -> f64 {
    if x == 0.0 || y == 0.0 { 0.0 } else { x * y }
}

/// Products and quotients beyond this are so far from the smallest double that what rounding cut off is a double itself.
const SAFE: f64 = 1e-280;

/// The ends of x · y: the nearest double on the sides where that is a bound, its neighbour elsewhere.
fn product_ends(x: f64, y: f64) -> (f64, f64) {
    let p = product(x, y);
    if x == 0.0 || y == 0.0 {
        return (p, p);
    }
    ends(p, if p.abs() > SAFE { x.mul_add(y, -p) } else { f64::NAN })
}

/// The ends of x / y, for y ≠ 0.
fn quotient_ends(x: f64, y: f64) -> (f64, f64) {
    let q = x / y;
    if x == 0.0 {
        return (q, q);
    }
    let known = q.is_finite() && q.abs() > SAFE && x.abs() > SAFE && x.abs() < 1e280;
    ends(q, if known { (-q).mul_add(y, x) * y.signum() } else { f64::NAN })
}

/// Bounds of a number from the double nearest to it and the sign of what that lacks; not a number if it is not known.
fn ends(nearest: f64, rest: f64) -> (f64, f64) {
    (if rest >= 0.0 { nearest } else { below(nearest) }, if rest <= 0.0 { nearest } else { above(nearest) })
}

/// The hull of the ends at all four corners.
fn corners(x: Interval, y: Interval, at: impl Fn(f64, f64) -> (f64, f64)) -> Interval {
    let all = [at(x.low, y.low), at(x.low, y.high), at(x.high, y.low), at(x.high, y.high)];
    let low = all.iter().fold(f64::INFINITY, |least, corner| least.min(corner.0));
    let high = all.iter().fold(f64::NEG_INFINITY, |most, corner| most.max(corner.1));
    Interval::new(low, high)
}

impl Interval {
    /// All reals.
    pub const EVERYTHING: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
    /// The number 0.
    pub const ZERO: Interval = Interval { low: 0.0, high: 0.0 };
    /// The number 1.
    pub const ONE: Interval = Interval { low: 1.0, high: 1.0 };

    /// [low, high]; all reals when that is no interval, which can only widen a result.
    pub fn new(low: f64, high: f64) -> Interval {
        if low <= high { Interval { low, high } } else { Interval::EVERYTHING }
    }

    /// The interval of one double.
    pub fn point(x: f64) -> Interval {
        Interval::new(x, x)
    }

    /// The narrowest interval around the rationals from low to high.
    pub fn around(low: &Rational, high: &Rational) -> Interval {
        Interval::new(directed::cast_down(low), directed::cast_up(high))
    }

    /// The lower end.
    pub fn low(self) -> f64 {
        self.low
    }

    /// The upper end.
    pub fn high(self) -> f64 {
        self.high
    }

    /// The largest |x|.
    pub fn magnitude(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// The smallest |x|.
    pub fn mignitude(self) -> f64 {
        if self.low > 0.0 {
            self.low
        } else if self.high < 0.0 {
            -self.high
        } else {
            0.0
        }
    }

    /// Whether 0 is in the interval.
    pub fn contains_zero(self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }

    /// Whether both ends are finite.
    pub fn is_bounded(self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    /// A double near the middle.
    pub fn middle(self) -> f64 {
        let middle = 0.5 * self.low + 0.5 * self.high;
        if middle.is_finite() { middle.clamp(self.low, self.high) } else { 0f64.clamp(self.low, self.high) }
    }

    /// An upper bound of high − low.
    pub fn width_up(self) -> f64 {
        sum_up(self.high, -self.low)
    }

    /// [low − by, high + by], rounded outward; `by` ≥ 0.
    pub fn widened(self, by: f64) -> Interval {
        if by == 0.0 {
            return self;
        }
        Interval::new(below(self.low - by), above(self.high + by))
    }

    /// The smallest interval that contains both.
    pub fn hull(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// What both contain, if anything.
    pub fn intersection(self, other: Interval) -> Option<Interval> {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        (low <= high).then_some(Interval { low, high })
    }

    /// |x|.
    pub fn abs(self) -> Interval {
        Interval { low: self.mignitude(), high: self.magnitude() }
    }

    /// min(x, y).
    pub fn min(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.min(other.high) }
    }

    /// max(x, y).
    pub fn max(self, other: Interval) -> Interval {
        Interval { low: self.low.max(other.low), high: self.high.max(other.high) }
    }

    /// x².
    pub fn square(self) -> Interval {
        let magnitude = self.abs();
        let low = product(magnitude.low, magnitude.low);
        let high = product(magnitude.high, magnitude.high);
        Interval::new(
            if low == 0.0 { 0.0 } else { below(low) },
            if high == 0.0 && magnitude.high == 0.0 { 0.0 } else { above(high) },
        )
    }

    /// 1 / x; `None` when x may be 0.
    pub fn reciprocal(self) -> Option<Interval> {
        if self.contains_zero() {
            return None;
        }
        let (low, high) = (1.0 / self.high, 1.0 / self.low);
        // Only an infinite end has the reciprocal 0, a limit that is not crossed.
        Some(Interval::new(
            if low == 0.0 { 0.0 } else { below(low) },
            if high == 0.0 { 0.0 } else { above(high) },
        ))
    }

    /// x / y; `None` when y may be 0.
    pub fn checked_div(self, divisor: Interval) -> Option<Interval> {
        if divisor.contains_zero() {
            return None;
        }
        let mut low = f64::INFINITY;
        let mut high = f64::NEG_INFINITY;
        for x in [self.low, self.high] {
            for y in [divisor.low, divisor.high] {
                // ∞/∞ only at corners whose limit in y is 0; the other corners hold the limit in x.
                let quotient = x / y;
                let quotient = if quotient.is_nan() || x == 0.0 { 0.0 } else { quotient };
                low = low.min(quotient);
                high = high.max(quotient);
            }
        }
        // A quotient that is exactly 0 because x is 0 keeps its sign; an underflow is widened.
        let exact_low = low == 0.0 && self.low == 0.0 && divisor.low > 0.0;
        let exact_high = high == 0.0 && self.high == 0.0 && divisor.low > 0.0;
        Some(Interval::new(
            if exact_low { 0.0 } else { below(low) },
            if exact_high { 0.0 } else { above(high) },
        ))
    }

    /// x · y, with ends that are exact products left as they are: products of whole numbers do not creep over a power of
    /// two. Slower than `*`.
    pub fn exact_product(self, other: Interval) -> Interval {
        corners(self, other, product_ends)
    }

    /// x / y, with ends that are exact quotients left as they are; `None` when y may be 0 or an end is infinite.
    pub fn exact_quotient(self, divisor: Interval) -> Option<Interval> {
        let bounded = self.is_bounded() && divisor.is_bounded();
        (bounded && !divisor.contains_zero()).then(|| corners(self, divisor, quotient_ends))
    }

    /// √x; `None` when x may be negative.
    pub fn sqrt(self) -> Option<Interval> {
        if self.low < 0.0 {
            return None;
        }
        let low = self.low.sqrt();
        Some(Interval::new(if low == 0.0 { 0.0 } else { below(low) }, above(self.high.sqrt())))
    }

    /// ln x; `None` when x may be 0 or negative.
    pub fn ln(self) -> Option<Interval> {
        (self.low > 0.0).then(|| Interval::new(directed::ln_down(self.low), directed::ln_up(self.high)))
    }

    /// e^x.
    pub fn exp(self) -> Interval {
        Interval::new(directed::exp_down(self.low), directed::exp_up(self.high))
    }

    /// x · factor for a factor ≥ 0 known exactly.
    pub fn scaled(self, factor: f64) -> Interval {
        self * Interval::point(factor)
    }
}

impl std::ops::Add for Interval {
    type Output = Interval;
    fn add(self, other: Interval) -> Interval {
        Interval::new(sum_down(self.low, other.low), sum_up(self.high, other.high))
    }
}

impl std::ops::Neg for Interval {
    type Output = Interval;
    fn neg(self) -> Interval {
        Interval { low: -self.high, high: -self.low }
    }
}

impl std::ops::Sub for Interval {
    type Output = Interval;
    fn sub(self, other: Interval) -> Interval {
        self + -other
    }
}

impl std::ops::Mul for Interval {
    type Output = Interval;
    fn mul(self, other: Interval) -> Interval {
        if self == Interval::ONE {
            return other;
        }
        if other == Interval::ONE {
            return self;
        }
        let corners = [
            product(self.low, other.low),
            product(self.low, other.high),
            product(self.high, other.low),
            product(self.high, other.high),
        ];
        let low = corners[0].min(corners[1]).min(corners[2]).min(corners[3]);
        let high = corners[0].max(corners[1]).max(corners[2]).max(corners[3]);
        // A corner is 0 because a factor is 0 (exact) or because it underflowed. With both factors on one
        // side of 0 the sign of the product is known and 0 is a sound end even then.
        let same_sign = (self.low >= 0.0 && other.low >= 0.0) || (self.high <= 0.0 && other.high <= 0.0);
        let opposite = (self.low >= 0.0 && other.high <= 0.0) || (self.high <= 0.0 && other.low >= 0.0);
        let low = if low == 0.0 && same_sign { 0.0 } else { below(low) };
        let high = if high == 0.0 && opposite { 0.0 } else { above(high) };
        Interval::new(low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::{Enclosure, rational_from_f64};

    fn random(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let bits = *state ^ (*state >> 31);
        match bits % 8 {
            0 => 0.0,
            1 => f64::from_bits(bits >> 12) * if bits & 16 == 0 { 1.0 } else { -1.0 },
            2 => f64::from_bits(bits & !(1 << 62)),
            3 => (bits % 17) as f64 - 8.0,
            _ => (bits >> 11) as f64 / 9e15 - 0.5,
        }
    }

    /// Every operation contains the tightest enclosure of its result, on random intervals with awkward ends.
    #[test]
    fn contains_the_tight_enclosure() {
        let mut state = 5u64;
        let finite = |x: f64| if x.is_finite() { x } else { 1.0 };
        for _ in 0..200_000 {
            let [a, b, c, d] = [(); 4].map(|()| finite(random(&mut state)));
            let (x, y) = (Interval::new(a.min(b), a.max(b)), Interval::new(c.min(d), c.max(d)));
            let tight = |s: Interval| Enclosure::new(s.low, s.high, ()).unwrap();
            let within = |t: Enclosure<f64>, s: Interval| {
                assert!(s.low <= *t.low() && *t.high() <= s.high, "{x:?} {y:?}: {t:?} {s:?}");
            };
            within(tight(x) + tight(y), x + y);
            within(tight(x) - tight(y), x - y);
            within(tight(x) * tight(y), x * y);
            within(tight(x) * tight(y), x.exact_product(y));
            if let Some(quotient) = x.exact_quotient(y) {
                within(tight(x).checked_div(&tight(y)).unwrap(), quotient);
            }
            within(tight(x).square(), x.square());
            if let Some(quotient) = x.checked_div(y) {
                within(tight(x).checked_div(&tight(y)).unwrap(), quotient);
                within(
                    Enclosure::point(1.0, ()).unwrap().checked_div(&tight(y)).unwrap(),
                    y.reciprocal().unwrap(),
                );
            }
            within(tight(x.abs()).sqrt().unwrap(), x.abs().sqrt().unwrap());
        }
    }

    #[test]
    fn signs_and_zeros_survive() {
        let unit = Interval::new(0.0, 1.0);
        assert_eq!((unit * unit).low(), 0.0);
        assert_eq!((unit - unit), Interval::new(-1.0, 1.0));
        // 1 + 2^-60 lies between 1 and the next double.
        let more = Interval::new(1.0, 1.0) + Interval::point(2f64.powi(-60));
        assert_eq!(more, Interval::new(1.0, above(1.0)));
        assert_eq!(
            Interval::point(f64::MAX) + Interval::point(f64::MAX),
            Interval::new(f64::MAX, f64::INFINITY)
        );
        assert_eq!(unit.checked_div(Interval::new(1.0, 2.0)).unwrap().low(), 0.0);
        assert_eq!(unit.checked_div(unit), None);
        // Exact ends stay, others step outward by one.
        assert_eq!(unit.exact_product(Interval::new(-3.0, 2.0)), Interval::new(-3.0, 2.0));
        assert_eq!(
            Interval::new(1.0, 3.0).exact_quotient(Interval::new(2.0, 4.0)),
            Some(Interval::new(0.25, 1.5))
        );
        let third = Interval::ONE.exact_quotient(Interval::point(3.0)).unwrap();
        assert_eq!(third, Interval::new(1.0 / 3.0, above(1.0 / 3.0)));
        assert_eq!(
            Interval::point(0.1).exact_product(Interval::point(0.1)),
            Interval::new(below(0.1 * 0.1), 0.1 * 0.1)
        );
        let tiny = Interval::point(1e-200);
        assert_eq!(tiny.exact_product(tiny), Interval::new(below(0.0), above(0.0)));
        assert_eq!(unit.exact_quotient(unit), None);
        assert_eq!(Interval::new(-1.0, 1.0).sqrt(), None);
        assert_eq!(unit.ln(), None);
        let third = probity_exact::rational(1, 3).unwrap();
        let span = Interval::around(&third, &third);
        assert!(
            rational_from_f64(span.low()).unwrap() < third && third < rational_from_f64(span.high()).unwrap()
        );
    }
}
