//! A uniform real number whose bits are revealed lazily: the one idea behind every sampler.
//!
//! A draw is X = f(U) for a uniform real U in (0, 1). Once the first n bits of U are known, U lies in a dyadic
//! interval of width 2^−n; if f is constant there, X is known, otherwise more bits are revealed. Nothing is
//! approximated: X has exactly the law of f(U), and no bit is read that the decision does not wait for. The
//! end points of an interval have probability zero, so it does not matter to which side they count.

use probity_exact::{Natural, Rational};

use crate::entropy::EntropyError;

/// Bits after which an undecided draw is blamed on the source. A fair source gets here with probability
/// below 2^−65000 for every sampler of this crate.
const STUCK_AFTER: usize = 1 << 16;

/// A supply of independent fair bits, a fixed number at a time.
///
/// Production reads 64 at a time; the exact-law tests read single bits, so that they can enumerate every case.
pub trait Chunks {
    /// How many bits a chunk has, from 1 to 64.
    const CHUNK_BITS: u32;

    /// The next bits, as a number below 2^CHUNK_BITS.
    fn next_chunk(&mut self) -> Result<u64, EntropyError>;
}

/// The first bits of a uniform real: it lies between `numerator / 2^bits` and `(numerator + 1) / 2^bits`.
#[derive(Debug, Clone)]
pub(crate) struct Prefix {
    /// Invariant: below 2^bits.
    numerator: Natural,
    bits: usize,
}

impl Prefix {
    /// Nothing is known.
    pub(crate) fn unknown() -> Self {
        Prefix { numerator: Natural::ZERO, bits: 0 }
    }

    /// The first `bits` bits are those of `numerator`, which must be below 2^bits.
    pub(crate) fn known(numerator: impl Into<Natural>, bits: usize) -> Self {
        Prefix { numerator: numerator.into(), bits }
    }

    pub(crate) fn bits(&self) -> usize {
        self.bits
    }

    pub(crate) fn numerator(&self) -> &Natural {
        &self.numerator
    }

    /// The least value that the real can have.
    pub(crate) fn lower(&self) -> Rational {
        Rational::from_parts(self.numerator.clone().into(), Natural::ONE << self.bits)
    }

    /// The largest value that the real can have.
    pub(crate) fn upper(&self) -> Rational {
        Rational::from_parts((&self.numerator + Natural::ONE).into(), Natural::ONE << self.bits)
    }

    fn reveal<C: Chunks>(&mut self, chunks: &mut C) -> Result<(), EntropyError> {
        if self.bits >= STUCK_AFTER {
            return Err(EntropyError::Stuck { bits: self.bits });
        }
        self.numerator =
            (std::mem::take(&mut self.numerator) << C::CHUNK_BITS as usize) + chunks.next_chunk()?;
        self.bits += C::CHUNK_BITS as usize;
        Ok(())
    }

    /// Reveals bits until `decide` knows the answer.
    pub(crate) fn resolve<Answer, C: Chunks>(
        mut self,
        chunks: &mut C,
        decide: impl Fn(&Prefix) -> Option<Answer>,
    ) -> Result<Answer, EntropyError> {
        loop {
            if let Some(answer) = decide(&self) {
                return Ok(answer);
            }
            self.reveal(chunks)?;
        }
    }
}

/// The next `count` bits as a number, whatever the size of a chunk; surplus bits of the last chunk are dropped.
pub(crate) fn next_bits<C: Chunks>(count: usize, chunks: &mut C) -> Result<Natural, EntropyError> {
    let mut value = Natural::ZERO;
    let mut have = 0;
    while have < count {
        value = (value << C::CHUNK_BITS as usize) + chunks.next_chunk()?;
        have += C::CHUNK_BITS as usize;
    }
    Ok(value >> (have - count))
}
