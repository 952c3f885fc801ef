//! The first stage: an interval of doubles around a real number, in plain machine arithmetic.
//!
//! Every end is moved outward by four units in the last place, more than the one rounding that it covers, instead of
//! being rounded exactly: wider than `probity_exact::Enclosure` and several times faster. An end that is NaN means
//! that nothing is known. So whoever decides must ask for a comparison of ends to be *true*, which NaN never is.

/// A real number lies from `low` to `high`; a NaN among them says nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// 2^−51. One rounding errs by 2^−53 of the result, and so does the step outward itself.
const STEP: f64 = f64::from_bits((1023 - 51) << 52);

/// A number that is not above what was rounded to x.
#[inline(always)]
pub(crate) fn down(x: f64) -> f64 {
    x - (x.abs() * STEP + f64::MIN_POSITIVE)
}

/// A number that is not below what was rounded to x.
#[inline(always)]
pub(crate) fn up(x: f64) -> f64 {
    x + (x.abs() * STEP + f64::MIN_POSITIVE)
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

impl Span {
    pub(crate) const EVERYTHING: Span = Span { low: f64::NEG_INFINITY, high: f64::INFINITY };

    #[inline(always)]
    pub(crate) fn is_point(self) -> bool {
        self.low == self.high
    }

    #[inline(always)]
    pub(crate) fn neg(self) -> Span {
        Span { low: -self.high, high: -self.low }
    }

    #[inline(always)]
    pub(crate) fn add(self, other: Span) -> Span {
        Span { low: down(self.low + other.low), high: up(self.high + other.high) }
    }

    #[inline(always)]
    pub(crate) fn mul(self, other: Span) -> Span {
        if self.low >= 0.0 && other.low >= 0.0 {
            return Span { low: down(self.low * other.low), high: up(self.high * other.high) };
        }
        let corners =
            [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        hull(corners)
    }

    /// Nothing is known unless the divisor keeps its distance from 0.
    #[inline(always)]
    pub(crate) fn div(self, other: Span) -> Span {
        if !(other.low > 0.0 || other.high < 0.0) {
            return Span::EVERYTHING;
        }
        hull([self.low / other.low, self.low / other.high, self.high / other.low, self.high / other.high])
    }
}

/// From the smallest to the largest corner; everything if a corner has no value.
#[inline(always)]
fn hull(corners: [f64; 4]) -> Span {
    if corners.iter().any(|corner| corner.is_nan()) {
        return Span::EVERYTHING;
    }
    let low = corners[0].min(corners[1]).min(corners[2].min(corners[3]));
    let high = corners[0].max(corners[1]).max(corners[2].max(corners[3]));
    Span { low: down(low), high: up(high) }
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
            let (x, y) = (Span { low: a, high: a }, Span { low: b, high: b });
            for (span, value) in [(x.add(y), exact(a) + exact(b)), (x.mul(y), exact(a) * exact(b))] {
                assert!(exact(span.low) < value && value < exact(span.high), "{a} {b}");
            }
            if b != 0.0 {
                let (span, value) = (x.div(y), exact(a) / exact(b));
                assert!(exact(span.low) < value && value < exact(span.high), "{a} {b}");
            }
        }
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
    fn what_overflows_is_not_believed() {
        let huge = Span { low: f64::MAX, high: f64::MAX };
        assert!(huge.add(huge).low.is_nan());
        let wide = Span { low: -1.0, high: 1.0 };
        let product = wide.mul(Span { low: 0.0, high: f64::INFINITY });
        assert!(product.low == f64::NEG_INFINITY && product.high == f64::INFINITY);
        assert_eq!(exact_sum(f64::MAX, f64::MAX), None);
    }
}
