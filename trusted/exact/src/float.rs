//! A binary floating-point datum: NaN, an infinity, or ± significand · 2^exponent. It knows no format; a
//! [`Format`](crate::Format) says which data it contains and rounds to them.

use std::cmp::Ordering;
use std::fmt;

use dashu_base::BitTest;

use crate::{Integer, Natural, Rational, Sign, UnsignedAbs, rational_from_f64};

/// A binary floating-point datum of any precision.
///
/// `==` is identity of data: NaN equals NaN, and −0 differs from +0. Use [`Float::compare`] for the order of
/// the numbers.
///
/// ```
/// use probity_exact::Float;
/// let x = Float::from_f64(-0.75);
/// assert_eq!(x.to_rational().unwrap().to_string(), "-3/4");
/// assert_eq!(x.to_f64(), Some(-0.75));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Float(pub(crate) Kind);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Nan,
    Infinite {
        negative: bool,
    },
    /// Invariant: the significand is odd, or it is zero and the exponent is 0. So each number has one form.
    Finite {
        negative: bool,
        significand: Natural,
        exponent: i64,
    },
}

impl Float {
    /// Not a number.
    pub fn nan() -> Float {
        Float(Kind::Nan)
    }

    /// −∞ or +∞.
    pub fn infinity(negative: bool) -> Float {
        Float(Kind::Infinite { negative })
    }

    /// −0 or +0.
    pub fn zero(negative: bool) -> Float {
        Float(Kind::Finite { negative, significand: Natural::ZERO, exponent: 0 })
    }

    /// ± significand · 2^exponent.
    pub fn from_parts(negative: bool, significand: Natural, exponent: i64) -> Float {
        match significand.trailing_zeros() {
            None => Float::zero(negative),
            Some(zeros) => Float(Kind::Finite {
                negative,
                significand: significand >> zeros,
                exponent: exponent + zeros as i64,
            }),
        }
    }

    /// The integer `significand · 2^exponent`, which may have a fractional part when the exponent is negative.
    pub fn from_dyadic(significand: Integer, exponent: i64) -> Float {
        Float::from_parts(significand.sign() == Sign::Negative, significand.unsigned_abs(), exponent)
    }

    /// The datum of an f64.
    pub fn from_f64(value: f64) -> Float {
        if value.is_nan() {
            return Float::nan();
        }
        let negative = value.is_sign_negative();
        match rational_from_f64(value) {
            None => Float::infinity(negative),
            Some(exact) => {
                let (numerator, denominator) = exact.into_parts();
                // A double's denominator is a power of two.
                let exponent = -(denominator.bit_len() as i64 - 1);
                Float::from_parts(negative, numerator.unsigned_abs(), exponent)
            }
        }
    }

    /// The f64 that is this datum; `None` when it is no f64.
    pub fn to_f64(&self) -> Option<f64> {
        let magnitude = match &self.0 {
            Kind::Nan => return Some(f64::NAN),
            Kind::Infinite { .. } => f64::INFINITY,
            Kind::Finite { significand, exponent, .. } if *significand != Natural::ZERO => {
                let length = significand.bit_len() as i64;
                if length > 53 || *exponent < -1074 || exponent + length > 1024 {
                    return None;
                }
                let significand = u64::try_from(significand).ok()?;
                // Shift so that the number is s · 2^(q − 1074) with q = 0 (subnormal) or s ≥ 2^52.
                let quantum = (exponent + length - 53).max(-1074);
                let aligned = significand << (exponent - quantum);
                // Adding the hidden bit to the exponent field is what makes normal numbers come out right.
                f64::from_bits(aligned + (((quantum + 1074) as u64) << 52))
            }
            Kind::Finite { .. } => 0.0,
        };
        Some(if self.is_negative() { -magnitude } else { magnitude })
    }

    /// The exact value; `None` for NaN, infinities, and numbers whose exponent is beyond ±2^32 (their
    /// fraction would not fit in memory).
    pub fn to_rational(&self) -> Option<Rational> {
        let Kind::Finite { negative, significand, exponent } = &self.0 else { return None };
        let distance = exponent.unsigned_abs();
        if distance > 1 << 32 {
            return None;
        }
        let signed = Integer::from_parts(sign(*negative), significand.clone());
        Some(if *exponent >= 0 {
            Rational::from(signed << distance as usize)
        } else {
            Rational::from_parts(signed, Natural::ONE << distance as usize)
        })
    }

    /// Whether this is NaN.
    pub fn is_nan(&self) -> bool {
        self.0 == Kind::Nan
    }

    /// Whether this is a number, not NaN or an infinity.
    pub fn is_finite(&self) -> bool {
        matches!(self.0, Kind::Finite { .. })
    }

    /// Whether this is +0 or −0.
    pub fn is_zero(&self) -> bool {
        matches!(&self.0, Kind::Finite { significand, .. } if *significand == Natural::ZERO)
    }

    /// Whether the sign is minus, also of −0 and −∞. NaN has no sign.
    pub fn is_negative(&self) -> bool {
        match self.0 {
            Kind::Nan => false,
            Kind::Infinite { negative } | Kind::Finite { negative, .. } => negative,
        }
    }

    /// `(negative, significand, exponent)` of a finite number, with odd significand unless it is zero.
    pub fn parts(&self) -> Option<(bool, &Natural, i64)> {
        match &self.0 {
            Kind::Finite { negative, significand, exponent } => Some((*negative, significand, *exponent)),
            _ => None,
        }
    }

    /// The exponent e of the leading bit, 2^e ≤ |x| < 2^(e+1); `None` for zero and what is not finite.
    pub fn leading_exponent(&self) -> Option<i64> {
        match &self.0 {
            Kind::Finite { significand, exponent, .. } if *significand != Natural::ZERO => {
                Some(exponent + significand.bit_len() as i64 - 1)
            }
            _ => None,
        }
    }

    /// −x.
    pub fn negated(&self) -> Float {
        self.with_sign(!self.is_negative())
    }

    /// |x|.
    pub fn magnitude(&self) -> Float {
        self.with_sign(false)
    }

    fn with_sign(&self, negative: bool) -> Float {
        Float(match &self.0 {
            Kind::Nan => Kind::Nan,
            Kind::Infinite { .. } => Kind::Infinite { negative },
            Kind::Finite { significand, exponent, .. } => {
                Kind::Finite { negative, significand: significand.clone(), exponent: *exponent }
            }
        })
    }

    /// The order of the numbers: −0 and +0 are equal, NaN has none.
    pub fn compare(&self, other: &Float) -> Option<Ordering> {
        if self.is_nan() || other.is_nan() {
            return None;
        }
        Some(match (self.signum(), other.signum()) {
            (a, b) if a != b => a.cmp(&b),
            (0, _) => Ordering::Equal,
            (1, _) => self.compare_magnitude(other),
            _ => other.compare_magnitude(self),
        })
    }

    fn signum(&self) -> i8 {
        match (self.is_zero(), self.is_negative()) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    /// Compares |self| with |other|, neither being zero or NaN.
    fn compare_magnitude(&self, other: &Float) -> Ordering {
        match (self.leading_exponent(), other.leading_exponent()) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            // The leading bits decide unless they coincide; then the exponents are near enough to align.
            (Some(a), Some(b)) if a != b => a.cmp(&b),
            _ => {
                let (Some((_, s, e)), Some((_, t, f))) = (self.parts(), other.parts()) else {
                    return Ordering::Equal;
                };
                let low = e.min(f);
                (s << (e - low) as usize).cmp(&(t << (f - low) as usize))
            }
        }
    }
}

pub(crate) fn sign(negative: bool) -> Sign {
    if negative { Sign::Negative } else { Sign::Positive }
}

/// Prints the exact value, as `-3·2^-2`, which stays short for every exponent.
impl fmt::Display for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minus = if self.is_negative() { "-" } else { "" };
        match &self.0 {
            Kind::Nan => write!(f, "NaN"),
            Kind::Infinite { .. } => write!(f, "{minus}inf"),
            Kind::Finite { significand, exponent: 0, .. } => write!(f, "{minus}{significand}"),
            Kind::Finite { significand, exponent, .. } => write!(f, "{minus}{significand}·2^{exponent}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_go_there_and_back() {
        let edges = [
            0.0,
            -0.0,
            1.0,
            -1.5,
            f64::MIN_POSITIVE,
            f64::from_bits(1),
            f64::from_bits((1 << 52) - 1),
            f64::MAX,
            f64::MIN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            0.1,
            1e300,
        ];
        for x in edges {
            let back = Float::from_f64(x).to_f64().unwrap();
            assert_eq!(back.to_bits(), x.to_bits(), "{x}");
        }
        assert!(Float::from_f64(f64::NAN).to_f64().unwrap().is_nan());
    }

    #[test]
    fn what_is_no_double_says_so() {
        let wide = Float::from_parts(false, (Natural::ONE << 53) + Natural::ONE, 0);
        assert_eq!(wide.to_f64(), None);
        assert_eq!(Float::from_parts(false, Natural::ONE, -1075).to_f64(), None);
        assert_eq!(Float::from_parts(false, Natural::ONE, 1024).to_f64(), None);
        // Two bits across the end of the subnormals.
        assert_eq!(Float::from_parts(false, Natural::from(3u8), -1075).to_f64(), None);
    }

    /// Of numbers in every form, whichever of the two has the larger exponent.
    #[test]
    fn order_is_that_of_the_rationals() {
        let forms = (0u8..12).flat_map(|s| (-4i64..5).map(move |e| (s, e)));
        let all = forms.flat_map(|(s, e)| [false, true].map(|sign| Float::from_parts(sign, s.into(), e)));
        let all: Vec<(Float, Rational)> = all.map(|x| (x.clone(), x.to_rational().unwrap())).collect();
        for (x, a) in &all {
            for (y, b) in &all {
                assert_eq!(x.compare(y), Some(a.cmp(b)), "{x} {y}");
            }
            assert_eq!(
                (x.is_zero(), x.is_finite(), x.leading_exponent().is_none()),
                (a.is_zero(), true, a.is_zero())
            );
        }
    }

    #[test]
    fn order_is_that_of_the_numbers() {
        let sorted = [f64::NEG_INFINITY, -2.0, -1.5, -f64::from_bits(1), 0.0, 0.25, 0.3, 1e9, f64::INFINITY];
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                assert_eq!(Float::from_f64(*a).compare(&Float::from_f64(*b)), Some(i.cmp(&j)), "{a} {b}");
            }
        }
        assert_eq!(Float::zero(true).compare(&Float::zero(false)), Some(Ordering::Equal));
        assert_eq!(Float::nan().compare(&Float::zero(false)), None);
        // Exponents that no fraction could hold are compared all the same.
        let tiny = Float::from_parts(false, Natural::ONE, -(1 << 60));
        let huge = Float::from_parts(false, Natural::ONE, 1 << 60);
        assert_eq!(tiny.compare(&huge), Some(Ordering::Less));
        assert_eq!(huge.to_rational(), None);
    }
}
