//! Sources for tests: single bits from a list, to look at every bit string; and words with which doubles decide nothing.

use probity_noise::entropy::{Entropy, EntropyError};

use crate::lazy::source::Source;

/// Bits, and how many were read.
pub(crate) struct BitString<'b> {
    bits: &'b [bool],
    next: usize,
}

impl<'b> BitString<'b> {
    pub(crate) fn new(bits: &'b [bool]) -> BitString<'b> {
        BitString { bits, next: 0 }
    }

    pub(crate) fn read(&self) -> usize {
        self.next
    }
}

impl Source for BitString<'_> {
    const CHUNK_BITS: u32 = 1;
    const DOUBLES: bool = false;

    fn chunk(&mut self) -> Result<u64, EntropyError> {
        let bit = self.bits.get(self.next).ok_or(EntropyError::Exhausted)?;
        self.next += 1;
        Ok(u64::from(*bit))
    }
}

/// Words with which every decision is made exactly.
pub(crate) struct Exactly<'e, E: Entropy + ?Sized>(pub(crate) &'e mut E);

impl<E: Entropy + ?Sized> Source for Exactly<'_, E> {
    const CHUNK_BITS: u32 = u64::BITS;
    const DOUBLES: bool = false;

    fn chunk(&mut self) -> Result<u64, EntropyError> {
        let mut word = [0];
        self.0.fill_words(&mut word)?;
        Ok(word[0])
    }
}
