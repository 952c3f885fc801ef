//! Reading words ahead of need, within one call.

use zeroize::Zeroize;

use super::prefix::Chunks;
use crate::entropy::{Entropy, EntropyError};

/// Words per request to the source: enough to make the cost of a request vanish.
const BLOCK: usize = 512;
/// Words of the first request once the expected number is used up; later requests double.
const EXTRA: usize = 8;

/// Words read in blocks from a source. It lives for one call only, so that no unused word outlives the call
/// or a fork; it is wiped when dropped.
pub struct Words<'e, E: Entropy + ?Sized> {
    entropy: &'e mut E,
    buffer: [u64; BLOCK],
    next: usize,
    filled: usize,
    /// How many words the caller is still expected to need beyond those in the buffer.
    expected: usize,
    /// How many words to ask for when more are needed than expected.
    extra: usize,
}

impl<'e, E: Entropy + ?Sized> Words<'e, E> {
    pub(crate) fn new(entropy: &'e mut E, expected: usize) -> Self {
        Words { entropy, buffer: [0; BLOCK], next: 0, filled: 0, expected, extra: EXTRA }
    }

    /// The next word.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Result<u64, EntropyError> {
        if self.next == self.filled {
            self.refill()?;
        }
        // The mask changes nothing, since next < filled ≤ BLOCK; it spares a bounds check.
        let word = self.buffer[self.next & (BLOCK - 1)];
        self.next = self.next.wrapping_add(1);
        Ok(word)
    }

    /// The next two words.
    #[inline(always)]
    pub(crate) fn next_two(&mut self) -> Result<[u64; 2], EntropyError> {
        match self.buffer[..self.filled].get(self.next..self.next.wrapping_add(2)) {
            Some(&[first, second]) => {
                self.next = self.next.wrapping_add(2);
                Ok([first, second])
            }
            _ => Ok([self.next()?, self.next()?]),
        }
    }

    #[cold]
    fn refill(&mut self) -> Result<(), EntropyError> {
        if self.expected == 0 {
            self.expected = self.extra;
            self.extra = (2 * self.extra).min(BLOCK);
        }
        let wanted = self.expected.min(BLOCK);
        // Nothing counts as read until the source has delivered.
        (self.next, self.filled) = (0, 0);
        self.entropy.fill_words(&mut self.buffer[..wanted])?;
        self.filled = wanted;
        self.expected -= wanted;
        Ok(())
    }
}

impl<E: Entropy + ?Sized> Chunks for Words<'_, E> {
    const CHUNK_BITS: u32 = 64;

    fn next_chunk(&mut self) -> Result<u64, EntropyError> {
        self.next()
    }
}

impl<E: Entropy + ?Sized> Drop for Words<'_, E> {
    fn drop(&mut self) {
        self.buffer[..self.filled].zeroize();
    }
}
