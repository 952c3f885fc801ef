//! Enclosures of the standard normal law to any precision, by integer arithmetic alone: its density φ, its
//! distribution function Φ and its tail 1 − Φ.
//!
//! Numbers are fixed-point as in `elementary`, and every step is rounded towards the bound that it works for. For x > 0,
//! with M(x) = (1 − Φ(x))/φ(x) (Mills' ratio):
//!
//! - **near the middle**, Φ(x) − 1/2 = φ(x)·S(x) with S(x) = Σ_k x^(2k+1)/(1·3·5···(2k+1)). Proof: both sides vanish at 0, and
//!   S' = 1 + x·S gives (φS)' = φS' − xφS = φ. All terms are positive;
//! - **in the tail**, let I_n = ∫_0^∞ t^n·e^(−xt−t²/2) dt > 0. Substituting x + t, M = I_0. Integrating the derivative of
//!   t^n·e^(−xt−t²/2) from 0 to ∞ gives 1 = x·I_0 + I_1, and n·I_{n−1} = x·I_n + I_{n+1} for n ≥ 1. So with R_0 = 1/M and
//!   R_n = n·I_{n−1}/I_n,
//!
//!   R_n = x + (n+1)/R_{n+1} for every n ≥ 0, and R_n > x.
//!
//!   Hence R_{n+1} > x for any n, and n + 1 steps back from there enclose R_0. How many steps are taken decides how narrow the
//!   enclosure is, not whether it holds.
//!
//! It knows nothing of privacy, and decides nothing: it encloses.

use dashu_base::SquareRootRem;

use crate::elementary::{Bound, Kept};
use crate::{BitTest, Float, Natural, Rational, Sign, UnsignedAbs, exp_bounds};

/// Lower and upper bounds of 1 − Φ(x), at most about 2^−bits apart relative to it.
///
/// Where e^(−x²/2) is below 2^(−2^60), the bounds are 0 and 2^(−2^60).
///
/// ```
/// use probity_exact::{fraction, normal_tail_bounds, parse_rational};
/// let (low, high) = normal_tail_bounds(&fraction::<1, 1>(), 60);
/// assert!(low.to_rational().unwrap() < parse_rational("0.15865525393145705142").unwrap());
/// assert!(high.to_rational().unwrap() > parse_rational("0.15865525393145705141").unwrap());
/// ```
pub fn normal_tail_bounds(x: &Rational, bits: u32) -> (Float, Float) {
    if x.is_zero() {
        let half = Float::from_parts(false, Natural::ONE, -1);
        return (half.clone(), half);
    }
    let magnitude = Magnitude::new(x);
    match x.numerator().sign() {
        Sign::Positive => magnitude.upper_tail(bits),
        Sign::Negative => {
            // 1 − (a number of at most 1/2): 2^−bits of absolute precision is 2^−bits of relative, and one to spare.
            let (low, high) = magnitude.upper_tail(bits + 1);
            (one_minus(&high, bits, Bound::Lower), one_minus(&low, bits, Bound::Upper))
        }
    }
}

/// Lower and upper bounds of Φ(x), at most about 2^−bits apart relative to it.
///
/// ```
/// use probity_exact::{fraction, normal_cdf_bounds, parse_rational};
/// let (low, high) = normal_cdf_bounds(&fraction::<-10, 1>(), 60);
/// assert!(low.to_rational().unwrap() < parse_rational("7.6198530241605260660e-24").unwrap());
/// assert!(high.to_rational().unwrap() > parse_rational("7.6198530241605260659e-24").unwrap());
/// ```
pub fn normal_cdf_bounds(x: &Rational, bits: u32) -> (Float, Float) {
    normal_tail_bounds(&-x, bits)
}

/// Lower and upper bounds of the density φ(x) = e^(−x²/2)/√(2π), at most about 2^−bits apart relative to it.
///
/// ```
/// use probity_exact::{normal_density_bounds, parse_rational, Rational};
/// let (low, high) = normal_density_bounds(&Rational::ZERO, 60);
/// assert!(low.to_rational().unwrap() < parse_rational("0.39894228040143267794").unwrap());
/// assert!(high.to_rational().unwrap() > parse_rational("0.39894228040143267793").unwrap());
/// ```
pub fn normal_density_bounds(x: &Rational, bits: u32) -> (Float, Float) {
    let w = bits as usize + 8;
    let one = Natural::ONE << w;
    times_density(&(x * x), (&one, &one), w, bits)
}

/// |x| > 0.
struct Magnitude {
    numerator: Natural,
    denominator: Natural,
    /// x², for the density.
    square: Rational,
}

impl Magnitude {
    fn new(x: &Rational) -> Self {
        Magnitude {
            numerator: x.numerator().unsigned_abs(),
            denominator: x.denominator().clone(),
            square: x * x,
        }
    }

    /// |x| with w fractional bits.
    fn fixed(&self, w: usize, bound: Bound) -> Natural {
        bound.div(&(&self.numerator << w), &self.denominator)
    }

    /// 1 − Φ(|x|).
    fn upper_tail(&self, bits: u32) -> (Float, Float) {
        // Both ways are right everywhere. The series loses 0.73·x² bits to the subtraction, and the fraction
        // takes about bits²/(16·x²) steps: this is about where they cost the same.
        if self.square >= Rational::from(bits / 4 + 4) {
            self.by_fraction(bits)
        } else {
            self.by_series(bits)
        }
    }

    /// φ(x)·M(x), M by the continued fraction.
    fn by_fraction(&self, bits: u32) -> (Float, Float) {
        // Here x² ≥ 4, so 1/R_0 = M > 1/(x + 1/x) > 1/(2x): its leading zeros are those of x and one more.
        let size = self.numerator.bit_len().saturating_sub(self.denominator.bit_len()) + 1;
        let precision = bits as usize + 4;
        // A guess; what comes out is looked at, and twice as many steps are taken if it is too wide.
        let square = usize::try_from(self.square.floor().unsigned_abs()).unwrap_or(usize::MAX / 16);
        let mut steps = precision * precision / (16 * square.min(usize::MAX / 16)) + 4;
        loop {
            let w = precision + 2 * size + steps.bit_len() + 4;
            let (low, high) = self.mills(steps, w);
            // The width asked for, relative to M.
            if (&high - &low) << precision <= low || steps > 1 << 24 {
                return times_density(&self.square, (&low, &high), w, bits + 2);
            }
            steps *= 2;
        }
    }

    /// M(x) with w fractional bits, from this many steps of the continued fraction.
    fn mills(&self, steps: usize, w: usize) -> (Natural, Natural) {
        let (x_low, x_high) = (self.fixed(w, Bound::Lower), self.fixed(w, Bound::Upper));
        let quotient =
            |k: usize, divisor: &Natural, bound: Bound| bound.div(&(Natural::from(k) << (2 * w)), divisor);
        // R_{steps+1} > x, of which nothing is known from above; then R_{n−1} = x + n/R_n and so on down to R_0.
        let (mut low, mut high) = (x_low.clone(), None);
        for n in (1..=steps + 1).rev() {
            let part = high.map_or(Natural::ZERO, |high| quotient(n, &high, Bound::Lower));
            high = Some(&x_high + quotient(n, &low, Bound::Upper));
            low = &x_low + part;
        }
        (high.map_or(Natural::ZERO, |high| quotient(1, &high, Bound::Lower)), quotient(1, &low, Bound::Upper))
    }

    /// 1/2 − φ(x)·S(x).
    fn by_series(&self, bits: u32) -> (Float, Float) {
        // 1 − Φ(x) > φ(x)/(x + 1/x) for x ≥ 1, so it has at most 0.73·x² + log2(x + 1/x) + 1.4 leading zeros; it is above
        // 2^−3 below 1.
        let square = u64::try_from(self.square.ceil().unsigned_abs()).unwrap_or(u64::MAX) as usize;
        let lost = square * 3 / 4 + square.bit_len() / 2 + 6;
        let precision = bits as usize + lost;
        // S grows up to e^(x²/2)·1.26, as φ·S < 1/2: so many bits before the point. Its error is relative to it.
        let w = precision + 8;
        let sums = (self.series(w, Bound::Lower), self.series(w, Bound::Upper));
        let below_half = times_density(&self.square, (&sums.0, &sums.1), w, precision as u32 + 8);
        let half_minus = |value: &Float, bound: Bound| {
            let half = Natural::ONE << (w - 1);
            let fixed = to_fixed(value, w, bound.other());
            // φ·S < 1/2; rounding may reach it, and a tail is never negative.
            let rest = if fixed < half { half - fixed } else { Natural::ZERO };
            Float::from_parts(false, rest, -(w as i64))
        };
        (half_minus(&below_half.1, Bound::Lower), half_minus(&below_half.0, Bound::Upper))
    }

    /// S(x) with w fractional bits.
    fn series(&self, w: usize, bound: Bound) -> Natural {
        let x = self.fixed(w, bound);
        let square = bound.shift(&x * &x, w);
        let mut term = x;
        let mut sum = Natural::ZERO;
        let mut odd = 1usize;
        let stop = if bound == Bound::Upper { Natural::ONE } else { Natural::ZERO };
        while term > stop {
            sum += &term;
            odd += 2;
            term = bound.div(&bound.shift(term * &square, w), &Natural::from(odd));
        }
        match bound {
            Bound::Lower => sum,
            // The first term left out is at most one unit, and each further one at most half of the one before: it is the first term x,
            // and x² < 1, or one of two units or more became it by a factor x²/(2k+1), which is at most 1/2 and falls. So two units.
            Bound::Upper => sum + Natural::from(2u8),
        }
    }
}

/// φ(x)·m for x² and bounds of m with w fractional bits.
fn times_density(square: &Rational, m: (&Natural, &Natural), w: usize, bits: u32) -> (Float, Float) {
    over_root(&exp_bounds(&(-square / Rational::from(2u8)), bits + 4), m, w, bits)
}

/// e·m/√(2π) for bounds of e, and bounds of m with w fractional bits.
fn over_root(
    (exp_low, exp_high): &(Float, Float),
    (low, high): (&Natural, &Natural),
    w: usize,
    bits: u32,
) -> (Float, Float) {
    let (Some((_, exp_low, low_exponent)), Some((_, exp_high, high_exponent))) =
        (exp_low.parts(), exp_high.parts())
    else {
        // e^(−x²/2) is at most 1, so its bounds are finite; these hold anyway.
        return (Float::zero(false), Float::infinity(false));
    };
    let r = bits as usize + 8;
    let (root_low, root_high) = root_of_two_pi(r);
    // (exp·m·2^r)/root, with the exponents of exp and m and r bits kept.
    let part = |exp: &Natural, m: &Natural, root: &Natural, exponent: i64, bound: Bound| {
        let quotient = bound.div(&((exp * m) << (2 * r)), root);
        Float::from_parts(false, quotient, exponent - (w + r) as i64)
    };
    (
        part(exp_low, low, &root_high, low_exponent, Bound::Lower),
        part(exp_high, high, &root_low, high_exponent, Bound::Upper),
    )
}

/// 1 − value for 0 ≤ value ≤ 1, to about 2^−bits.
fn one_minus(value: &Float, bits: u32, bound: Bound) -> Float {
    let w = bits as usize + 4;
    let one = Natural::ONE << w;
    let fixed = to_fixed(value, w, bound.other());
    Float::from_parts(false, if fixed < one { one - fixed } else { Natural::ZERO }, -(w as i64))
}

/// A finite non-negative float with w fractional bits.
fn to_fixed(value: &Float, w: usize, bound: Bound) -> Natural {
    let Some((_, significand, exponent)) = value.parts() else { return Natural::ZERO };
    let shift = exponent + w as i64;
    if shift >= 0 {
        return significand << shift as usize;
    }
    // A shift beyond all bits leaves 0, or one unit upwards.
    let far = significand.bit_len() as i64 + 1;
    bound.shift(significand.clone(), (-shift).min(far) as usize)
}

/// √(2π) with w fractional bits: a lower and an upper bound.
fn root_of_two_pi(w: usize) -> (Natural, Natural) {
    static ROOT: Kept = Kept::nothing();
    ROOT.at(w, || (root(w, Bound::Lower), root(w, Bound::Upper)))
}

/// √(2π) with w fractional bits, towards one bound.
fn root(w: usize, bound: Bound) -> Natural {
    // √(n·2^−2w) = √n·2^−w; the integer root is the root rounded down.
    let (root, rest) = (half_pi(2 * w, bound) << 2).sqrt_rem();
    if bound == Bound::Upper && rest != Natural::ZERO { root + Natural::ONE } else { root }
}

/// π/2 = Σ_k k!/(1·3·5···(2k+1)) with w fractional bits: arcsin(z)/√(1−z²) = Σ_k (2z)^2k·z·k!²/(2k+1)! at z = √(1/2).
fn half_pi(w: usize, bound: Bound) -> Natural {
    let mut term = Natural::ONE << w;
    let mut sum = Natural::ZERO;
    let mut k = 0usize;
    let stop = if bound == Bound::Upper { Natural::ONE } else { Natural::ZERO };
    while term > stop {
        sum += &term;
        k += 1;
        term = bound.div(&(term * Natural::from(k)), &Natural::from(2 * k + 1));
    }
    match bound {
        Bound::Lower => sum,
        // Each term is less than half of the one before, and the first left out is at most one unit.
        Bound::Upper => sum + Natural::from(2u8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse_rational, rational};

    fn exact(value: &Float) -> Rational {
        value.to_rational().unwrap()
    }

    /// x and 60 digits of 1 − Φ(x), from mpmath (`scripts/normal_oracle.py`).
    fn table() -> Vec<(Rational, Rational)> {
        let lines = include_str!("../tests/data/normal.txt").lines().filter(|line| !line.starts_with('#'));
        let number = |text: &str| parse_rational(text).unwrap();
        lines.map(|line| line.split_once(' ').unwrap()).map(|(x, p)| (number(x), number(p))).collect()
    }

    /// Whether the bounds enclose the number, which is known to 10^−58 of itself, and are this narrow.
    fn encloses((low, high): &(Float, Float), expected: &Rational, bits: u32) -> bool {
        let slack = expected * parse_rational("1e-58").unwrap();
        let (low, high) = (exact(low), exact(high));
        let narrow = (&high - &low) * Rational::from(Natural::ONE << bits as usize) <= *expected;
        low <= high && low <= expected + &slack && *expected <= &high + slack && narrow
    }

    #[test]
    fn the_tail_is_that_of_the_table() {
        let table = table();
        assert!(table.len() > 85);
        for (x, expected) in table {
            for bits in [10, 30, 53, 96, 180] {
                let found = normal_tail_bounds(&x, bits);
                assert!(encloses(&found, &expected, bits - 1), "{x} at {bits} bits: {found:?}");
                let mirrored = normal_cdf_bounds(&-&x, bits);
                assert_eq!(found, mirrored);
            }
            let wrong = &expected * rational(1_000_001, 1_000_000).unwrap();
            assert!(!encloses(&normal_tail_bounds(&x, 53), &wrong, 40), "{x}");
        }
    }

    /// The two ways share nothing but the density, and must overlap.
    #[test]
    fn the_series_and_the_fraction_agree() {
        for (n, d) in [(2, 1), (5, 2), (3, 1), (31, 7), (6, 1), (123, 11)] {
            let x = Magnitude::new(&rational(n, d).unwrap());
            for bits in [40, 100, 300] {
                let (a, b) = (x.by_series(bits), x.by_fraction(bits));
                assert!(exact(&a.0) <= exact(&b.1) && exact(&b.0) <= exact(&a.1), "{n}/{d} {bits}");
                for (low, high) in [&a, &b] {
                    let (low, high) = (exact(low), exact(high));
                    assert!(
                        (&high - &low) * Rational::from(Natural::ONE << bits as usize) <= high,
                        "{n}/{d} {bits}"
                    );
                }
            }
        }
    }

    /// Too few steps make the fraction wide, never wrong.
    #[test]
    fn any_number_of_steps_encloses() {
        let x = Magnitude::new(&rational(5, 2).unwrap());
        let (fine_low, fine_high) = x.mills(3000, 200);
        for steps in 0..40 {
            let (low, high) = x.mills(steps, 200);
            assert!(low <= fine_low && fine_high <= high, "{steps}");
            assert!(steps > 20 || (&high - &low) > (Natural::ONE << 150), "{steps}");
        }
    }

    /// With few bits both ways are wide, never wrong.
    #[test]
    fn coarse_tails_enclose_fine_ones() {
        for n in 1..=40 {
            let x = Magnitude::new(&rational(n, 8).unwrap());
            let fine = x.by_series(150);
            for bits in 1..=20 {
                let fraction = (n >= 16).then(|| x.by_fraction(bits));
                for (low, high) in [Some(x.by_series(bits)), fraction].into_iter().flatten() {
                    assert!(
                        exact(&low) <= exact(&fine.0) && exact(&fine.1) <= exact(&high),
                        "{n}/8 with {bits} bits"
                    );
                }
            }
        }
    }

    #[test]
    fn far_out_the_bounds_still_hold() {
        for x in [Rational::from(Natural::ONE << 20), Rational::from(Natural::ONE << 100)] {
            let (low, high) = normal_tail_bounds(&x, 60);
            assert!(low.compare(&high) == Some(std::cmp::Ordering::Less) && !high.is_zero());
            let (low, high) = normal_cdf_bounds(&x, 60);
            assert!(exact(&high) <= Rational::ONE && exact(&low) < Rational::ONE);
            assert!(Rational::ONE - exact(&low) < rational(1, 1i64 << 60).unwrap());
        }
        let tiny = rational(1, Natural::ONE << 300).unwrap();
        let (low, high) = normal_tail_bounds(&tiny, 60);
        assert!(exact(&low) < rational(1, 2).unwrap() && exact(&high) <= rational(1, 2).unwrap());
    }

    #[test]
    fn the_constants_are_what_they_are() {
        let digits = "1.57079632679489661923132169163975144209858469968755";
        let (low, high) = (half_pi(160, Bound::Lower), half_pi(160, Bound::Upper));
        let scaled = parse_rational(digits).unwrap() * Rational::from(Natural::ONE << 160);
        assert!(Rational::from(low.clone()) <= scaled.clone() + Rational::ONE);
        assert!(Rational::from(high.clone()) >= scaled && high - low < Natural::from(1000u32));
        // More bits than any other test asks for, so that these are computed and not kept ones.
        assert_eq!(root_of_two_pi(3000), (root(3000, Bound::Lower), root(3000, Bound::Upper)));
        let (low, high) = root_of_two_pi(100);
        let square = |n: &Natural| Rational::from(n * n);
        let two_pi =
            parse_rational(digits).unwrap() * Rational::from(4u8) * Rational::from(Natural::ONE << 200);
        assert!(square(&low) < two_pi && two_pi < square(&high));
    }

    /// With few bits every rounding shows: each part, coarse, must enclose itself, fine.
    #[test]
    fn every_part_is_rounded_outward() {
        const FINE: usize = 120;
        let check = |w: usize, low: &Natural, high: &Natural, fine: (&Natural, &Natural), what: &str| {
            assert!(low << (FINE - w) <= *fine.0 && *fine.1 <= high << (FINE - w), "{what} with {w} bits");
        };
        let (pi_low, pi_high) = (half_pi(FINE, Bound::Lower), half_pi(FINE, Bound::Upper));
        let (root_low, root_high) = (root(FINE, Bound::Lower), root(FINE, Bound::Upper));
        for w in 2..40 {
            check(w, &half_pi(w, Bound::Lower), &half_pi(w, Bound::Upper), (&pi_low, &pi_high), "π/2");
            check(w, &root(w, Bound::Lower), &root(w, Bound::Upper), (&root_low, &root_high), "√2π");
        }
        for (n, d) in [(1, 3), (2, 3), (1, 1), (13, 7), (7, 3), (22, 7), (51, 10), (77, 8)] {
            let x = Magnitude::new(&rational(n, d).unwrap());
            let (s_low, s_high) = (x.series(FINE, Bound::Lower), x.series(FINE, Bound::Upper));
            for w in 3..40 {
                let (low, high) = (x.series(w, Bound::Lower), x.series(w, Bound::Upper));
                check(w, &low, &high, (&s_low, &s_high), "S");
                for steps in [0, 1, 2, 3, 7] {
                    let (m_low, m_high) = x.mills(steps, FINE);
                    let (low, high) = x.mills(steps, w);
                    check(w, &low, &high, (&m_low, &m_high), "M");
                }
            }
            let square = rational(n * n, d * d).unwrap();
            for bits in 1..30 {
                let fine = normal_density_bounds(&rational(n, d).unwrap(), 150);
                let one = Natural::ONE << 3;
                let (low, high) = times_density(&square, (&one, &one), 3, bits);
                assert!(exact(&low) <= exact(&fine.0) && exact(&fine.1) <= exact(&high), "{n}/{d} {bits}");
                let (low, high) = (to_fixed(&fine.0, 5, Bound::Lower), to_fixed(&fine.0, 5, Bound::Upper));
                assert!(low < high, "a number that is not on the grid lies strictly between");
            }
        }
        // Bounds that are far apart show which of them is used where: 1/2 and 3/4, times 1 and 2.
        let exp =
            (Float::from_parts(false, Natural::ONE, -1), Float::from_parts(false, Natural::from(3u8), -2));
        let (low, high) = over_root(&exp, (&Natural::from(8u8), &Natural::from(16u8)), 3, 60);
        let root = |ends: Natural| Rational::from_parts(ends.into(), Natural::ONE << FINE);
        let wanted = (rational(1, 2).unwrap() / root(root_high), rational(3, 2).unwrap() / root(root_low));
        let slack = rational(1, 1i64 << 50).unwrap();
        assert!(exact(&low) <= wanted.0 && &wanted.0 - exact(&low) < slack);
        assert!(exact(&high) >= wanted.1 && exact(&high) - &wanted.1 < slack);
        let tiny = Float::from_parts(false, Natural::ONE, -1_000_000);
        assert!(exact(&one_minus(&tiny, 10, Bound::Lower)) < Rational::ONE);
        assert_eq!(exact(&one_minus(&tiny, 10, Bound::Upper)), Rational::ONE);
    }
}
