//! Whether a uniform real lies below a fixed real number.

use probity_exact::{Natural, Rational};

use super::bounds::exp_neg_bounds;
use super::prefix::Prefix;

/// Bits of an enclosure beyond those of the prefix it is compared with: the enclosure's own width then costs
/// a decision with probability 2^−32 only.
const GUARD_BITS: usize = 32;

/// A real number from 0 to 1 that can be enclosed as tightly as needed.
#[derive(Debug, Clone)]
pub(crate) enum Threshold {
    /// This rational.
    Exact(Rational),
    /// e^−γ for this γ ≥ 0.
    ExpNeg(Rational),
}

impl Threshold {
    fn bounds(&self, bits: usize) -> (Rational, Rational) {
        match self {
            Threshold::Exact(value) => (value.clone(), value.clone()),
            Threshold::ExpNeg(exponent) => exp_neg_bounds(exponent, bits),
        }
    }

    /// Whether the real that begins with `prefix` lies below the threshold; `None` when that is still open.
    pub(crate) fn is_above(&self, prefix: &Prefix) -> Option<bool> {
        let (lower, upper) = self.bounds(prefix.bits() + GUARD_BITS);
        if prefix.upper() <= lower {
            Some(true)
        } else if prefix.lower() >= upper {
            Some(false)
        } else {
            None
        }
    }

    /// Numbers (a, b) such that a 32-bit prefix below a lies below the threshold, and one of b or more lies
    /// above it. Both are at most 2^32, and b is a or a + 1 unless the enclosure straddles a multiple of 2^−32.
    pub(crate) fn lane_bounds(&self) -> (u64, u64) {
        let (lower, upper) = self.bounds(32 + GUARD_BITS);
        let one = Natural::ONE << 32;
        let scale = |value: Rational| value * Rational::from(one.clone());
        // Both lie between 0 and 2^32, since an enclosure of a number of at most 1 is cut off there.
        let below = u64::try_from(scale(lower).floor()).unwrap_or(0).min(1 << 32);
        let above = u64::try_from(scale(upper).ceil()).unwrap_or(1 << 32).min(1 << 32);
        (below, above)
    }
}
