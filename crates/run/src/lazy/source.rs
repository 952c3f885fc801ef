//! Where the bits of lazy reals come from, and how many of them are known.

use probity_exact::{Float, Natural};
use probity_noise::entropy::{Entropy, EntropyError};
use probity_noise::sampler::lazy::{TwoWords, Words};

/// A supply of independent fair bits, a fixed number at a time. A run reads 64 at a time; tests that enumerate every bit
/// string read single bits, and then nothing is decided in machine arithmetic.
pub(crate) trait Source {
    /// How many bits a chunk has: 64, or 1.
    const CHUNK_BITS: u32;

    /// Whether doubles may decide. Tests switch that off, to see that they decide nothing differently.
    const DOUBLES: bool;

    /// The next bits, as a number below 2^CHUNK_BITS.
    fn chunk(&mut self) -> Result<u64, EntropyError>;
}

impl<E: Entropy + ?Sized> Source for Words<'_, E> {
    const CHUNK_BITS: u32 = u64::BITS;
    const DOUBLES: bool = true;

    #[inline(always)]
    fn chunk(&mut self) -> Result<u64, EntropyError> {
        self.word()
    }
}

/// No bits at all: for what is computed before anything is drawn.
pub(crate) struct Nothing;

impl Source for Nothing {
    const CHUNK_BITS: u32 = u64::BITS;
    const DOUBLES: bool = true;

    fn chunk(&mut self) -> Result<u64, EntropyError> {
        Err(EntropyError::Exhausted)
    }
}

/// The first bits of a uniform real: it lies between numerator / 2^bits and (numerator + 1) / 2^bits.
#[derive(Clone, Debug)]
pub(crate) struct Prefix {
    /// Invariant: below 2^bits.
    pub(crate) numerator: Natural,
    pub(crate) bits: usize,
}

impl Prefix {
    /// Nothing is known.
    pub(crate) fn unknown() -> Prefix {
        Prefix { numerator: Natural::ZERO, bits: 0 }
    }

    /// A word of bits is known.
    pub(crate) fn of_word(word: u64) -> Prefix {
        Prefix { numerator: Natural::from(word), bits: 64 }
    }

    /// What the two words of a draw say.
    pub(crate) fn of_two(words: TwoWords) -> Prefix {
        match words.is_normal() {
            true => Prefix {
                numerator: (Natural::ONE << 64) + Natural::from(words.mantissa),
                bits: words.first_one() as usize + 64,
            },
            // 63 zeros; the mantissa belongs to no known position and is dropped.
            false => Prefix { numerator: Natural::ZERO, bits: 63 },
        }
    }

    /// Reveals bits until there are at least `wanted`.
    pub(crate) fn extend(
        &mut self,
        wanted: usize,
        source: &mut (impl Source + ?Sized),
    ) -> Result<(), EntropyError> {
        while self.bits < wanted {
            let bits = chunk_bits(source);
            self.numerator = (std::mem::take(&mut self.numerator) << bits) + Natural::from(source.chunk()?);
            self.bits += bits;
        }
        Ok(())
    }

    /// The ends of the interval.
    pub(crate) fn ends(&self) -> (Float, Float) {
        let end = |numerator: Natural| Float::from_dyadic(numerator.into(), -(self.bits as i64));
        (end(self.numerator.clone()), end(&self.numerator + Natural::ONE))
    }
}

fn chunk_bits<S: Source + ?Sized>(_: &S) -> usize {
    S::CHUNK_BITS as usize
}
