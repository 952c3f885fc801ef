//! A fair sign.

use probity_exact::Natural;

use super::SampleError;
use super::draw::Draw;
use super::prefix::{Chunks, next_bits};
use super::words::Words;
use crate::entropy::Entropy;

/// −1 or +1, each with probability 1/2. A vector takes 64 signs from each word.
///
/// ```
/// use probity_noise::entropy::SecureEntropy;
/// use probity_noise::sampler::{Sampler, Sign};
/// let mut signs = [0; 100];
/// Sign.fill(&mut signs, &mut SecureEntropy::new()?)?;
/// assert!(signs.iter().all(|&sign| sign == 1 || sign == -1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Sign;

fn of_bit(bit: u64) -> i64 {
    // 0 gives +1, 1 gives −1.
    1 - 2 * (bit & 1) as i64
}

impl Draw for Sign {
    type Value = i64;

    fn blank() -> i64 {
        0
    }

    fn draw<E: Entropy + ?Sized>(&self, words: &mut Words<'_, E>) -> Result<i64, SampleError> {
        Ok(of_bit(words.next()?))
    }

    fn draw_exactly<C: Chunks>(&self, chunks: &mut C) -> Result<i64, SampleError> {
        Ok(of_bit(u64::from(next_bits(1, chunks)? == Natural::ONE)))
    }

    fn expected_words(&self, count: usize) -> usize {
        count.div_ceil(64)
    }

    fn draw_all<E: Entropy + ?Sized>(
        &self,
        out: &mut [i64],
        words: &mut Words<'_, E>,
    ) -> Result<(), SampleError> {
        for signs in out.chunks_mut(64) {
            let word = words.next()?;
            for (at, sign) in signs.iter_mut().enumerate() {
                *sign = of_bit(word >> at);
            }
        }
        Ok(())
    }
}
