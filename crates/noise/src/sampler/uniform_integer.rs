//! Uniform integers from 0 to n − 1: ⌊U·n⌋.

use std::marker::PhantomData;

use dashu_base::BitTest;
use probity_exact::Natural;

use super::SampleError;
use super::draw::Draw;
use super::outcome::Outcome;
use super::parameter::{Count, ParameterError};
use super::prefix::{Chunks, Prefix};
use super::words::Words;
use crate::entropy::{Entropy, EntropyError};

/// Each integer from 0 to n − 1 with probability 1/n.
///
/// ```
/// use probity_exact::{Integer, Natural};
/// use probity_noise::entropy::SecureEntropy;
/// use probity_noise::sampler::{Count, Sampler, UniformBelow};
/// let mut entropy = SecureEntropy::new()?;
/// let die: i64 = UniformBelow::<i64>::new(Count::new(6u8)?)?.sample(&mut entropy)?;
/// assert!((0..6).contains(&die));
///
/// let huge = Count::new(Natural::ONE << 300)?;
/// assert!(UniformBelow::<i64>::new(huge.clone()).is_err());
/// let wide: Integer = UniformBelow::<Integer>::new(huge)?.sample(&mut entropy)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct UniformBelow<T: Outcome = i64> {
    count: Count,
    /// The count again, when it is at most 2^63.
    small: Option<u64>,
    outcome: PhantomData<T>,
}

impl<T: Outcome> UniformBelow<T> {
    /// Integers below `count`.
    ///
    /// # Errors
    /// When the outcome type is `i64` and the count exceeds 2^63.
    pub fn new(count: Count) -> Result<Self, ParameterError> {
        // The largest value drawn must fit.
        if T::from_magnitude(false, count.value() - Natural::ONE).is_none() {
            let allowed = "at most 2^63 for 64-bit outcomes; draw `Integer` outcomes beyond";
            return Err(ParameterError::new("count", count.value(), allowed));
        }
        let small = u64::try_from(count.value()).ok().filter(|&count| count <= 1 << 63);
        Ok(UniformBelow { count, small, outcome: PhantomData })
    }

    /// The number of integers.
    pub fn count(&self) -> &Count {
        &self.count
    }
}

/// ⌊U·n⌋, or `None` when the prefix leaves it open: U·n lies between p·n/2^bits and (p + 1)·n/2^bits.
pub(crate) fn decide_below(count: &Natural, prefix: &Prefix) -> Option<Natural> {
    let first = prefix.numerator() * count;
    // The last multiple of 2^−bits that lies below the upper end, which itself has probability zero.
    let last = &first + count - Natural::ONE;
    let value = first >> prefix.bits();
    (value == last >> prefix.bits()).then_some(value)
}

/// ⌊U·n⌋ for a count from 1 to 2^63. A word decides unless the fraction that is still unknown can carry; the
/// following words then add to the fraction. Each leaves the carry open with probability n/2^64 at most.
#[inline(always)]
fn draw_small<E: Entropy + ?Sized>(count: u64, words: &mut Words<'_, E>) -> Result<u64, EntropyError> {
    let (value, fraction) = multiply(words.next()?, count);
    // U·n = value + (fraction + ρ)/2^64 with 0 ≤ ρ < n: no carry when fraction + n ≤ 2^64.
    if fraction <= count.wrapping_neg() {
        return Ok(value);
    }
    Ok(value.wrapping_add(carry(count, fraction, words)?))
}

/// Whether (fraction + ρ)/2^64 reaches 1, for ρ = n·U' with U' the rest of the uniform real.
fn carry<E: Entropy + ?Sized>(
    count: u64,
    mut fraction: u64,
    words: &mut Words<'_, E>,
) -> Result<u64, EntropyError> {
    // A fair source ends this within a few rounds; a broken one must not hang it.
    const ROUNDS: usize = 1024;
    for _ in 0..ROUNDS {
        let (whole, rest) = multiply(words.next()?, count);
        let (sum, carried) = fraction.overflowing_add(whole);
        if carried {
            return Ok(1);
        }
        // Only a carry out of `rest` can still change the answer, and only if the sum is all ones.
        if sum != u64::MAX || rest <= count.wrapping_neg() {
            return Ok(0);
        }
        fraction = rest;
    }
    Err(EntropyError::Stuck { bits: 64 * ROUNDS })
}

/// The upper and the lower word of a product.
#[inline(always)]
fn multiply(a: u64, b: u64) -> (u64, u64) {
    let product = u128::from(a).wrapping_mul(u128::from(b));
    ((product >> 64) as u64, product as u64)
}

impl<T: Outcome> Draw for UniformBelow<T> {
    type Value = T;

    fn blank() -> T {
        T::default()
    }

    fn expected_words(&self, count: usize) -> usize {
        count.saturating_mul(self.count.value().bit_len().div_ceil(64).max(1))
    }

    #[inline(always)]
    fn draw<E: Entropy + ?Sized>(&self, words: &mut Words<'_, E>) -> Result<T, SampleError> {
        match self.small {
            Some(count) => Ok(T::from_word(false, draw_small(count, words)?)),
            None => self.draw_exactly(words),
        }
    }

    fn draw_exactly<C: Chunks>(&self, chunks: &mut C) -> Result<T, SampleError> {
        let count = self.count.value();
        // With fewer bits than the largest value has, every interval is too wide for one value.
        let least = (count - Natural::ONE).bit_len();
        let prefix = Prefix::of_at_least(least, chunks)?;
        let value = prefix.resolve(chunks, |prefix| decide_below(count, prefix))?;
        T::from_magnitude(false, value).ok_or(SampleError::DoesNotFit)
    }
}
