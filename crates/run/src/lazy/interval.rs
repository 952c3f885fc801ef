//! The first stage: an interval of doubles around a real number, in plain machine arithmetic.
//!
//! Every end is moved outward by four units in the last place, more than the one rounding that it covers, instead of
//! being rounded exactly: wider than `probity_exact::Enclosure` and several times faster. An end that is NaN means
//! that nothing is known. So whoever decides must ask for a comparison of ends to be *true*, which NaN never is.

use probity_exact::directed;

/// A real number lies from `low` to `high`; a NaN among them says nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interval {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// 2^−51. One rounding errs by 2^−53 of the result, and so does the step outward itself.
const STEP: f64 = f64::from_bits((1023 - 51) << 52);

/// 2^−200. More than what underflow loses; and so far above it that sums and products of a few such numbers, which come of zeros, are not
/// subnormal: processors take a hundred cycles for those, and a zero could be told by its time.
const TINY: f64 = f64::from_bits((1023 - 200) << 52);

/// The largest size of an exponent whose power is computed: e^700 is below 2^1010.
const STEEPEST: f64 = 700.0;

/// A number that is not above what was rounded to x.
#[inline(always)]
pub(crate) fn down(x: f64) -> f64 {
    x - (x.abs() * STEP + TINY)
}

/// A number that is not below what was rounded to x.
#[inline(always)]
pub(crate) fn up(x: f64) -> f64 {
    x + (x.abs() * STEP + TINY)
}

/// 1.5·2^52. Added to a double below 2^51 in size it leaves no bit for a fraction, so the processor rounds to an integer, ties to even.
const NO_FRACTION: f64 = 6_755_399_441_055_744.0;

/// Doubles below this size are rounded to integers here.
pub(crate) const LARGEST: f64 = (1u64 << 51) as f64;

/// The integer nearest to x, ties to the even one. Only a result below [`LARGEST`] in size is to be believed: a larger x gives none.
#[inline(always)]
pub(crate) fn nearest(x: f64) -> f64 {
    (x + NO_FRACTION) - NO_FRACTION
}

/// The largest integer at or below x, where the result is below [`LARGEST`] in size.
#[inline(always)]
pub(crate) fn floor(x: f64) -> f64 {
    let near = nearest(x);
    near - f64::from(u8::from(near > x))
}

/// Whether x is an integer, for x below [`LARGEST`] in size.
#[inline(always)]
pub(crate) fn is_whole(x: f64) -> bool {
    (x as i64) as f64 == x
}

/// 1/x, if x is a power of two that is not at the ends of what doubles reach.
#[inline(always)]
fn inverse_of_power(x: f64) -> Option<f64> {
    let bits = x.to_bits();
    let is_power = bits & ((1 << 52) - 1) == 0 && (512..1536).contains(&(bits >> 52));
    is_power.then(|| f64::from_bits((2046 << 52) - bits))
}

/// a + b, if it is a double.
#[inline(always)]
pub(crate) fn exact_sum(a: f64, b: f64) -> Option<f64> {
    // Knuth's TwoSum: a + b = sum + error exactly, unless something overflows, and then the error is NaN.
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    let error = (a - a_part) + (b - b_part);
    (error == 0.0).then_some(sum)
}

/// a · b, if it is a double that can be told to be exact.
#[inline(always)]
pub(crate) fn exact_product(a: f64, b: f64) -> Option<f64> {
    let product = a * b;
    if a == 0.0 || b == 0.0 {
        return (product == 0.0).then_some(0.0);
    }
    // Within these sizes nothing in Dekker's product overflows or becomes subnormal.
    let tame = |x: f64| (1e-60..=1e60).contains(&x.abs());
    if !tame(a) || !tame(b) {
        return None;
    }
    let (a_high, a_low) = halves(a);
    let (b_high, b_low) = halves(b);
    let error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    (error == 0.0).then_some(product)
}

/// a / b for b ≠ 0, if it is a double that can be told to be exact.
#[inline(always)]
pub(crate) fn exact_quotient(a: f64, b: f64) -> Option<f64> {
    let quotient = a / b;
    (exact_product(quotient, b)? == a).then_some(quotient)
}

/// Veltkamp's splitting into two halves of at most 26 bits.
#[inline(always)]
fn halves(x: f64) -> (f64, f64) {
    let scaled = 134_217_729.0 * x;
    let high = scaled - (scaled - x);
    (high, x - high)
}

impl Interval {
    pub(crate) const EVERYTHING: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };

    #[inline(always)]
    pub(crate) fn is_point(self) -> bool {
        self.low == self.high
    }

    #[inline(always)]
    pub(crate) fn neg(self) -> Interval {
        Interval { low: -self.high, high: -self.low }
    }

    #[inline(always)]
    pub(crate) fn add(self, other: Interval) -> Interval {
        Interval { low: down(self.low + other.low), high: up(self.high + other.high) }
    }

    /// The product of numbers that are not negative.
    #[inline(always)]
    pub(crate) fn mul_positive(self, other: Interval) -> Interval {
        // An end below 0 is no member; two of them would make a product above 0.
        let low = self.low.max(0.0) * other.low.max(0.0);
        Interval { low: down(low), high: up(self.high * other.high) }
    }

    /// The same steps for all signs: they may be private.
    #[inline(always)]
    pub(crate) fn mul(self, other: Interval) -> Interval {
        let corners =
            [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        hull(corners)
    }

    /// The multiple of the grid, a double, that is nearest to the number, ties to the even one, if the grid is a power of two and the ends
    /// agree. Dividing by the grid is exact then, but for numbers that are far below half of it.
    #[inline(always)]
    pub(crate) fn on_power_of_two(self, grid: f64) -> Option<f64> {
        let inverse = inverse_of_power(grid)?;
        let (low, high) = (nearest(self.low * inverse), nearest(self.high * inverse));
        (low == high && low.abs() < LARGEST).then_some(low * grid)
    }

    /// e to a number. Beyond [`STEEPEST`] an end is only known to lie beyond e^STEEPEST: numbers that are no normal doubles take many times as
    /// long, and scores can be told by that.
    #[inline(always)]
    pub(crate) fn exp(self) -> Interval {
        let low = match self.low {
            low if low >= -STEEPEST => directed::exp_down(low.min(STEEPEST)),
            _ => 0.0,
        };
        let high = match self.high {
            high if high <= STEEPEST => directed::exp_up(high.max(-STEEPEST)),
            _ => f64::INFINITY,
        };
        Interval { low, high }
    }

    /// Nothing is known unless the divisor keeps its distance from 0.
    #[inline(always)]
    pub(crate) fn div(self, other: Interval) -> Interval {
        if !(other.low > 0.0 || other.high < 0.0) {
            return Interval::EVERYTHING;
        }
        hull([self.low / other.low, self.low / other.high, self.high / other.low, self.high / other.high])
    }
}

/// From the smallest to the largest corner; everything if a corner has no value.
#[inline(always)]
fn hull(corners: [f64; 4]) -> Interval {
    if corners.iter().any(|corner| corner.is_nan()) {
        return Interval::EVERYTHING;
    }
    let low = corners[0].min(corners[1]).min(corners[2].min(corners[3]));
    let high = corners[0].max(corners[1]).max(corners[2].max(corners[3]));
    Interval { low: down(low), high: up(high) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::{Rational, rational_from_f64};

    fn number(word: &mut u64) -> f64 {
        // A fixed sequence of doubles of all sorts of sizes and lengths.
        *word = word.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let exponent = (*word >> 58) as i32 - 32;
        let mantissa = (*word >> 8 & 0xffff_ffff_ffff) >> (*word & 0x1f);
        let value = mantissa as f64 * 2f64.powi(exponent - 24);
        if *word & 0x80 == 0 { value } else { -value }
    }

    fn exact(x: f64) -> Rational {
        rational_from_f64(x).unwrap()
    }

    #[test]
    fn ends_enclose_the_exact_result() {
        let mut word = 7;
        for _ in 0..50_000 {
            let (a, b) = (number(&mut word), number(&mut word));
            let (x, y) = (Interval { low: a, high: a }, Interval { low: b, high: b });
            for (interval, value) in [(x.add(y), exact(a) + exact(b)), (x.mul(y), exact(a) * exact(b))] {
                assert!(exact(interval.low) < value && value < exact(interval.high), "{a} {b}");
            }
            if b != 0.0 {
                let (interval, value) = (x.div(y), exact(a) / exact(b));
                assert!(exact(interval.low) < value && value < exact(interval.high), "{a} {b}");
            }
        }
    }

    /// A scale that is known to be positive may have an enclosure that reaches below 0, as may noise.
    #[test]
    fn products_of_positive_numbers_reach_down_to_0() {
        let wide = Interval { low: -1e10, high: 1e10 };
        let noise = Interval { low: -1e-60, high: 1.0 };
        let product = wide.mul_positive(noise);
        assert!(product.low <= 0.0 && product.high >= 1e10, "{product:?}");
        // Nothing is known of an end that is NaN, but that it is not below 0.
        let unknown = Interval { low: f64::NAN, high: f64::NAN };
        assert!(unknown.mul_positive(noise).low <= 0.0 && unknown.mul_positive(noise).high.is_nan());
    }

    #[test]
    fn what_is_called_exact_is() {
        let mut word = 3;
        let mut found = [0; 3];
        for _ in 0..50_000 {
            let (a, b) = (number(&mut word), number(&mut word));
            if let Some(sum) = exact_sum(a, b) {
                assert_eq!(exact(sum), exact(a) + exact(b));
                found[0] += 1;
            }
            if let Some(product) = exact_product(a, b) {
                assert_eq!(exact(product), exact(a) * exact(b));
                found[1] += 1;
            }
            if let Some(quotient) = exact_quotient(a * b, b) {
                assert_eq!(exact(quotient) * exact(b), exact(a * b));
                found[2] += 1;
            }
        }
        assert!(found.iter().all(|&count| count > 1000), "{found:?}");
        assert_eq!(exact_quotient(1.0, 3.0), None);
        assert_eq!(exact_product(0.1, 0.1), None);
        assert_eq!(exact_sum(0.1, 0.2), None);
    }

    #[test]
    fn rounding_without_a_branch_is_rounding() {
        let mut word = 11;
        let mut ends =
            vec![0.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999999999999994, LARGEST - 1.0, 1.0 - LARGEST];
        ends.extend([
            LARGEST - 0.5,
            LARGEST,
            LARGEST + 0.5,
            LARGEST + 1.0,
            4.0 * LARGEST,
            1e300,
            f64::MAX,
            f64::INFINITY,
        ]);
        ends.extend((0..100_000).map(|_| number(&mut word)));
        let mut believed = 0;
        for x in ends.into_iter().flat_map(|x| [x, -x, x.next_up(), x.next_down()]) {
            for (rounded, expected) in [(nearest(x), x.round_ties_even()), (floor(x), x.floor())] {
                if rounded.abs() < LARGEST {
                    assert_eq!(rounded, expected, "{x}");
                    believed += 1;
                } else {
                    // Not believed, and rightly: an integer of that size, or the next to it.
                    assert!(x.is_infinite() || x.abs() > LARGEST - 1.0, "{x}");
                }
            }
            if x.abs() < LARGEST {
                assert_eq!(is_whole(x), x == x.floor(), "{x}");
            }
        }
        assert!(believed > 100_000);
        assert!(nearest(f64::NAN).is_nan() && floor(f64::NAN).is_nan());
    }

    #[test]
    fn multiples_of_a_power_of_two_are_the_nearest() {
        let mut word = 17;
        let mut found = 0;
        for exponent in [-500, -60, -10, -1, 0, 1, 7, 80, 511] {
            let grid = 2f64.powi(exponent);
            for _ in 0..2000 {
                let x = number(&mut word) * grid;
                let point = Interval { low: x, high: x };
                let Some(multiple) = point.on_power_of_two(grid) else { continue };
                let ratio = exact(x) / exact(grid);
                let nearest = exact(multiple) / exact(grid);
                let half = Rational::ONE / Rational::from(2);
                assert!(
                    nearest.is_int() && (&nearest - &ratio <= half) && (ratio - nearest <= half),
                    "{x} {grid}"
                );
                found += 1;
            }
            let tie = Interval { low: 2.5 * grid, high: 2.5 * grid };
            assert_eq!(tie.on_power_of_two(grid), Some(2.0 * grid));
            let open = Interval { low: 2.4 * grid, high: 2.6 * grid };
            assert_eq!(open.on_power_of_two(grid), None);
        }
        assert!(found > 10_000, "{found}");
        let one = Interval { low: 1.0, high: 1.0 };
        for grid in [3.0, 0.1, -2.0, 0.0, f64::INFINITY, f64::NAN, 2f64.powi(-1040), 2f64.powi(600)] {
            assert_eq!(one.on_power_of_two(grid), None, "{grid}");
        }
    }

    /// A divisor that may be 0 says nothing of a quotient, whatever its ends are.
    #[test]
    fn a_quotient_by_what_may_be_0_is_not_known() {
        let one = Interval { low: 1.0, high: 1.0 };
        for (low, high) in [(-1.0, 2.0), (0.0, 1.0), (-1.0, 0.0), (f64::NAN, 1.0)] {
            let quotient = one.div(Interval { low, high });
            assert!(
                quotient.low == f64::NEG_INFINITY && quotient.high == f64::INFINITY,
                "{low} {high}: {quotient:?}"
            );
        }
    }

    /// Powers that are no normal doubles are not computed, and what is said of them instead is true.
    #[test]
    fn steep_powers_are_bounded() {
        let power = |low: f64, high: f64| {
            let Interval { low, high } = Interval { low, high }.exp();
            (low, high)
        };
        let (least, most) = (directed::exp_up(-STEEPEST), directed::exp_down(STEEPEST));
        assert!(least > 0.0 && most < f64::INFINITY);
        assert_eq!(power(-741.0, -740.0), (0.0, least));
        assert_eq!(power(740.0, 741.0), (most, f64::INFINITY));
        assert_eq!(power(-1e300, 1e300), (0.0, f64::INFINITY));
        assert_eq!(power(f64::NAN, f64::NAN), (0.0, f64::INFINITY));
        let (low, high) = power(0.0, 1.0);
        assert!(low == 1.0 && high > std::f64::consts::E && high < 2.72);
    }

    #[test]
    fn what_overflows_is_not_believed() {
        let huge = Interval { low: f64::MAX, high: f64::MAX };
        assert!(huge.add(huge).low.is_nan());
        let wide = Interval { low: -1.0, high: 1.0 };
        let product = wide.mul(Interval { low: 0.0, high: f64::INFINITY });
        assert!(product.low == f64::NEG_INFINITY && product.high == f64::INFINITY);
        assert_eq!(exact_sum(f64::MAX, f64::MAX), None);
    }
}
