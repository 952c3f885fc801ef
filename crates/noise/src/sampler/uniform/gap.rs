//! How many scales apart two integers are, in fixed point with a counted error.
//!
//! It answers in a fixed sequence of machine instructions for every pair, so the time tells nothing about them.

use probity_exact::Rational;

use super::bounds::{log2_floor, power_of_two};
use super::opaque::select;

/// Gaps are answered in units of 2^−56.
pub(crate) const GAP_BITS: u32 = 56;
/// A gap of 64 scales or more is answered as 64.
pub(crate) const FAR: u64 = 64 << GAP_BITS;
/// The truth lies in [answer, answer + GAP_WIDTH], for answers below `FAR`.
pub(crate) const GAP_WIDTH: u64 = 2;

/// n/scale for integers n.
#[derive(Debug, Clone)]
pub(crate) struct Gap {
    /// 1/scale as mantissa·2^−shift in units of 2^−56, the mantissa rounded down.
    mantissa: u64,
    shift: u32,
    /// Invariant: at least 0.
    scale: Rational,
}

impl Gap {
    /// For this scale, which must be at least 0; at scale 0 every gap but 0 is infinite.
    pub(crate) fn new(scale: Rational) -> Self {
        // 1/scale lies in [2^e, 2^(e+1)), so that ⌊2^(63−e)/scale⌋ has 64 bits.
        let tiny = (u64::MAX, 0);
        let (mantissa, shift) = match scale.is_zero() {
            true => tiny,
            false => {
                let inverse = Rational::ONE / &scale;
                let e = log2_floor(&inverse);
                let mantissa = u64::try_from((inverse * power_of_two(63 - e)).floor()).unwrap_or(u64::MAX);
                match 63 - i64::from(GAP_BITS) - e {
                    // A scale below 2^−7: every gap but 0 is at least 2^7 scales, and 2^63 units are more than FAR.
                    ..0 => tiny,
                    shift @ 0..128 => (mantissa, shift as u32),
                    // n·mantissa is below 2^128, so every gap is below one unit.
                    128.. => (0, 0),
                }
            }
        };
        Gap { mantissa, shift, scale }
    }

    /// n/scale in units of 2^−56, low by at most `GAP_WIDTH`; `FAR` for any gap that large.
    ///
    /// The mantissa is short by less than 1 of at least 2^63, so below FAR the product is short by less than 2^62/2^63 of a
    /// unit, and the cut takes less than another.
    #[inline(always)]
    pub(crate) fn units(&self, n: u64) -> u64 {
        let product = u128::from(n).wrapping_mul(u128::from(self.mantissa)).wrapping_shr(self.shift);
        // Without a branch: the high half is a flag, and so is the low half beyond FAR.
        let (high, low) = ((product >> 64) as u64, product as u64);
        select((high != 0) | (low >= FAR), FAR, low)
    }

    /// n/scale exactly; `None` when it is infinite.
    pub(crate) fn exact(&self, n: u64) -> Option<Rational> {
        match (n, self.scale.is_zero()) {
            (0, _) => Some(Rational::ZERO),
            (_, true) => None,
            (n, false) => Some(Rational::from(n) / &self.scale),
        }
    }
}

/// Any gap as [`Gap::units`] answers; `None` stands for an infinite one.
pub(crate) fn units_of(gap: Option<Rational>) -> u64 {
    let units = gap.map(|gap| (gap * power_of_two(i64::from(GAP_BITS))).floor());
    units.and_then(|units| u64::try_from(units).ok()).map_or(FAR, |units| units.min(FAR))
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    #[test]
    fn answers_are_low_by_less_than_they_say() {
        let mut scales: Vec<Rational> = [(1, 1), (7, 3), (1, 10), (1000, 1), (1, 127), (1, 128), (1, 129)]
            .map(|(n, d)| rational(n, d).unwrap())
            .to_vec();
        scales.extend(
            [-200, -70, -8, -7, -6, 0, 20, 60, 63, 64, 65, 110, 119, 120, 121, 130, 400].map(power_of_two),
        );
        let unit = power_of_two(-i64::from(GAP_BITS));
        let mut closest = Rational::ZERO;
        for scale in scales {
            let gap = Gap::new(scale.clone());
            let mut numbers = vec![0, 1, 2, 3, 63, 64, 65, 448, 1 << 20, u64::MAX, u64::MAX - 1];
            numbers.extend((0..200u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (i % 64)));
            for n in numbers {
                let (answer, truth) = (gap.units(n), gap.exact(n).unwrap());
                let low = Rational::from(answer) * &unit;
                assert!(low <= truth, "{n} at scale {scale}");
                if answer == FAR {
                    assert!(truth >= Rational::from(64), "{n} at scale {scale}");
                } else {
                    let short = (&truth - low) / &unit;
                    assert!(short <= Rational::from(GAP_WIDTH), "{n} at scale {scale}");
                    closest = closest.max(short);
                }
            }
        }
        assert!(closest > rational(9, 10).unwrap(), "the bound is not idle");
    }

    #[test]
    fn scale_zero_is_the_limit() {
        let gap = Gap::new(Rational::ZERO);
        assert_eq!((gap.units(0), gap.units(1), gap.units(u64::MAX)), (0, FAR, FAR));
        assert_eq!((gap.exact(0), gap.exact(1)), (Some(Rational::ZERO), None));
    }
}
