//! Coins: true with a rational probability, or with probability e^−γ.
//!
//! Both are U < τ for a fixed real τ (module `threshold`). 32 bits of U decide all but about 2^−32 of the draws.

use super::SampleError;
use super::draw::Draw;
use super::lanes::{self, Lane};
use super::opaque::opaque;
use super::parameter::{Exponent, Probability};
use super::prefix::{Chunks, Prefix};
use super::threshold::Threshold;
use super::words::Words;
use crate::entropy::Entropy;

/// U < τ, with what 32 bits of U tell.
#[derive(Debug, Clone)]
struct Coin {
    threshold: Threshold,
    /// A lane below this is surely below τ.
    surely_below: u64,
    /// A lane from this on is surely above τ.
    surely_above: u64,
}

impl Coin {
    fn new(threshold: Threshold) -> Self {
        let (surely_below, surely_above) = threshold.lane_bounds();
        Coin { threshold, surely_below, surely_above }
    }
}

impl Lane for Coin {
    type Value = bool;

    #[inline(always)]
    fn decide_lane(&self, lane: u32) -> (bool, bool) {
        // Both comparisons are made, without a jump: whether the coin fell on heads must not show in the time.
        let below = opaque(u64::from(lane) < self.surely_below);
        let above = u64::from(lane) >= self.surely_above;
        (below, below | above)
    }

    fn decide(&self, prefix: &Prefix) -> Option<bool> {
        self.threshold.is_above(prefix)
    }
}

/// Declares one kind of coin.
macro_rules! coin {
    ($(#[$doc:meta])* $name:ident, $parameter:ident, $field:ident, $threshold:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name {
            $field: $parameter,
            coin: Coin,
        }

        impl $name {
            /// A coin with this parameter.
            pub fn new($field: $parameter) -> Self {
                let coin = Coin::new($threshold($field.value().clone()));
                $name { $field, coin }
            }

            /// The parameter.
            pub fn $field(&self) -> &$parameter {
                &self.$field
            }
        }

        impl Draw for $name {
            type Value = bool;

            fn blank() -> bool {
                false
            }

            #[inline(always)]
            fn draw<E: Entropy + ?Sized>(&self, words: &mut Words<'_, E>) -> Result<bool, SampleError> {
                lanes::draw(&self.coin, words)
            }

            fn draw_exactly<C: Chunks>(&self, chunks: &mut C) -> Result<bool, SampleError> {
                Ok(Prefix::unknown().resolve(chunks, |prefix| self.coin.decide(prefix))?)
            }

            fn expected_words(&self, count: usize) -> usize {
                count.div_ceil(2)
            }

            fn draw_all<E: Entropy + ?Sized>(
                &self,
                out: &mut [bool],
                words: &mut Words<'_, E>,
            ) -> Result<(), SampleError> {
                lanes::draw_all(&self.coin, out, words)
            }
        }
    };
}

coin!(
    /// True with probability p.
    ///
    /// ```
    /// use probity_exact::fraction;
    /// use probity_noise::entropy::SecureEntropy;
    /// use probity_noise::sampler::{Bernoulli, Probability, Sampler};
    /// let third = Bernoulli::new(Probability::new(fraction::<1, 3>())?);
    /// let mut coins = [false; 100];
    /// third.fill(&mut coins, &mut SecureEntropy::new()?)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Bernoulli, Probability, probability, Threshold::Exact
);

coin!(
    /// True with probability e^−γ.
    ///
    /// ```
    /// use probity_noise::entropy::SecureEntropy;
    /// use probity_noise::sampler::{BernoulliExp, Exponent, Sampler};
    /// let certain = BernoulliExp::new(Exponent::from_f64(0.0)?);
    /// assert!(certain.sample(&mut SecureEntropy::new()?)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    BernoulliExp, Exponent, exponent, Threshold::ExpNeg
);
