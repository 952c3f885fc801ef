//! A uniform real number whose bits are revealed lazily: the one idea behind every sampler.
//!
//! A draw is X = f(U) for a uniform real U in (0, 1). Once the first n bits of U are known, U lies in a dyadic
//! interval of width 2^−n; if f is constant there, X is known, otherwise more bits are revealed. Nothing is
//! approximated: X has exactly the law of f(U), and no bit is read that the decision does not wait for. The
//! end points of an interval have probability zero, so it does not matter to which side they count.

use probity_exact::{Natural, Rational};

use crate::entropy::EntropyError;

/// Bits after which an undecided draw is blamed on the source, counted from the first moment that a decision
/// is possible. A fair source gets here with probability below 2^−65000 for every sampler of this crate.
pub(crate) const STUCK_AFTER: usize = 1 << 16;

/// Trials after which a rejection sampler blames the source. Every trial of this crate succeeds with probability
/// above 0.4, so a fair source gets here with probability below 2^−65000.
const TRIALS: usize = 1 << 17;

/// Repeats `trial` until it accepts.
#[inline(always)]
pub(crate) fn until_accepted<Answer, Failure: From<EntropyError>>(
    mut trial: impl FnMut() -> Result<Option<Answer>, Failure>,
) -> Result<Answer, Failure> {
    for _ in 0..TRIALS {
        if let Some(answer) = trial()? {
            return Ok(answer);
        }
    }
    // Each trial has read a bit at least.
    Err(EntropyError::Stuck { bits: TRIALS }.into())
}

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

    /// Whole chunks, at least `least` bits of them: where fewer cannot decide.
    pub(crate) fn of_at_least<C: Chunks>(least: usize, chunks: &mut C) -> Result<Self, EntropyError> {
        let (numerator, bits) = read(least, chunks)?;
        Ok(Prefix { numerator, bits })
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

    /// Reveals bits until `decide` knows the answer.
    pub(crate) fn resolve<Answer, C: Chunks>(
        mut self,
        chunks: &mut C,
        decide: impl Fn(&Prefix) -> Option<Answer>,
    ) -> Result<Answer, EntropyError> {
        let limit = self.bits + STUCK_AFTER;
        loop {
            if let Some(answer) = decide(&self) {
                return Ok(answer);
            }
            if self.bits >= limit {
                return Err(EntropyError::Stuck { bits: self.bits });
            }
            self.extend(chunks)?;
        }
    }

    /// Reveals the bits of one more chunk.
    pub(crate) fn extend<C: Chunks>(&mut self, chunks: &mut C) -> Result<(), EntropyError> {
        let bits = C::CHUNK_BITS as usize;
        self.numerator = (std::mem::take(&mut self.numerator) << bits) + chunks.next_chunk()?;
        self.bits += bits;
        Ok(())
    }
}

/// The next `count` bits as a number, whatever the size of a chunk; surplus bits of the last chunk are dropped.
pub(crate) fn next_bits<C: Chunks>(count: usize, chunks: &mut C) -> Result<Natural, EntropyError> {
    let (value, bits) = read(count, chunks)?;
    Ok(value >> (bits - count))
}

/// Whole chunks as a number, at least `least` bits of them, and how many bits there are.
fn read<C: Chunks>(least: usize, chunks: &mut C) -> Result<(Natural, usize), EntropyError> {
    let count = least.div_ceil(C::CHUNK_BITS as usize);
    let mut value = Natural::ZERO;
    if C::CHUNK_BITS == u64::BITS && count > 1 {
        // In one go: appending words one by one would take quadratic time.
        let mut bytes = Vec::with_capacity(count * 8);
        for _ in 0..count {
            bytes.extend(chunks.next_chunk()?.to_be_bytes());
        }
        value = Natural::from_be_bytes(&bytes);
    } else {
        for _ in 0..count {
            value = (value << C::CHUNK_BITS as usize) + chunks.next_chunk()?;
        }
    }
    Ok((value, count * C::CHUNK_BITS as usize))
}
