//! Coins with probability e^(−n/scale) for many n: −ln U > n/scale, decided in fixed point.
//!
//! No table of thresholds and no rational is made for a flip, and each takes the same steps whatever n and the answer are; what two words
//! leave open, the exact path decides.

use probity_exact::Rational;
use zeroize::Zeroizing;

use super::SampleError;
use super::gap::{FAR, GAP_BITS, GAP_WIDTH, Gap};
use super::neg_ln::{NEG_LN_BITS, TABLE, Table, TwoWords, WIDTH};
use super::threshold::Threshold;
use super::words::{SHORT, Words};
use crate::entropy::{Entropy, EntropyError};

/// −ln U lies in [y ≫ 2, (y ≫ 2) + 4] units of 2^−56; see `race`.
const NOISE_WIDTH: u64 = 4;
const _: () = assert!(1 + (WIDTH >> (NEG_LN_BITS - GAP_BITS)) < NOISE_WIDTH);

/// A coin for each distance, of one scale.
#[derive(Debug, Clone)]
pub(crate) struct CoinForGap {
    gap: Gap,
    table: &'static Table,
}

impl CoinForGap {
    /// For this scale, which must be at least 0.
    pub(crate) fn new(scale: Rational) -> Self {
        CoinForGap { gap: Gap::new(scale), table: &TABLE }
    }

    /// Flips one coin for each distance.
    pub(crate) fn flip_each(
        &self,
        distances: &[u64],
        heads: &mut [bool],
        entropy: &mut dyn Entropy,
    ) -> Result<(), SampleError> {
        let mut random = Zeroizing::new(vec![0u64; distances.len().saturating_mul(2)]);
        entropy.fill_words(&mut random)?;
        for ((heads, &distance), &[leading, mantissa]) in
            heads.iter_mut().zip(distances).zip(random.as_chunks::<2>().0)
        {
            let pair = TwoWords { leading, mantissa };
            let (heads_up, decided) = self.decide(distance, pair);
            *heads = if decided { heads_up } else { self.finish(distance, pair, entropy)? };
        }
        Ok(())
    }

    /// −ln U > n/scale, and whether that is certain.
    #[inline(always)]
    fn decide(&self, distance: u64, pair: TwoWords) -> (bool, bool) {
        let noise = self.table.neg_ln_lower(pair) >> (NEG_LN_BITS - GAP_BITS);
        let gap = self.gap.units(distance);
        let above = (noise > gap.wrapping_add(GAP_WIDTH)) & (gap < FAR);
        let below = noise.wrapping_add(NOISE_WIDTH) < gap;
        (above, (above | below) & pair.is_normal())
    }

    #[cold]
    fn finish(&self, distance: u64, pair: TwoWords, entropy: &mut dyn Entropy) -> Result<bool, EntropyError> {
        let Some(exponent) = self.gap.exact(distance) else { return Ok(false) };
        let threshold = Threshold::ExpNeg(exponent);
        let mut block = [0; SHORT];
        pair.prefix().resolve(&mut Words::new(entropy, &mut block, 0), |prefix| threshold.is_above(prefix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::tape::Tape;
    use crate::sampler::bounds::exp_neg_bounds;
    use probity_exact::rational;

    /// What is decided is what the threshold e^−γ says, also next to it, and most is decided.
    #[test]
    fn decisions_agree_with_the_threshold() {
        let mut words = vec![0; 2 * 3000];
        Tape::seeded(31).fill_words(&mut words).unwrap();
        for (n, d) in [(1, 1), (7, 3), (1000, 1)] {
            let scale = rational(n, d).unwrap();
            let coin = CoinForGap::new(scale.clone());
            let mut open = 0;
            for (at, pair) in words.chunks(2).enumerate() {
                let distance = (at % 50) as u64;
                let (low, high) = exp_neg_bounds(&(Rational::from(distance) / &scale), 200);
                // Every other pair lies in the very cell of the threshold, or a few cells beside it.
                let mut leading = pair[0];
                let mut mantissa = pair[1];
                if at % 2 == 0 && distance > 0 {
                    let shifted = (&low * Rational::from(probity_exact::Natural::ONE << 64)).floor();
                    let bits = u64::try_from(shifted).unwrap();
                    let zeros = bits.leading_zeros();
                    if zeros > 50 {
                        continue;
                    }
                    leading = 1 << (63 - zeros);
                    mantissa = (bits << zeros << 1).wrapping_add(pair[1] % 64);
                }
                let pair = TwoWords { leading, mantissa };
                let (heads, decided) = coin.decide(distance, pair);
                if !decided {
                    open += 1;
                } else if heads {
                    assert!(pair.prefix().upper() <= high, "{distance} at {scale}");
                } else {
                    assert!(pair.prefix().lower() >= low, "{distance} at {scale}");
                }
            }
            assert!(open > 0 && open < 1600, "{open}");
        }
    }

    #[test]
    fn certain_coins() {
        let mut heads = [false; 3];
        CoinForGap::new(Rational::ZERO).flip_each(&[0, 1, 9], &mut heads, &mut Tape::seeded(1)).unwrap();
        assert_eq!(heads, [true, false, false]);
    }
}
