//! Reading words ahead of need, within one call.

use zeroize::Zeroize;

use super::prefix::Chunks;
use crate::entropy::{Entropy, EntropyError};

/// Words per request in a long call: enough to make the cost of a request vanish.
pub const LONG: usize = 512;
/// Words per request in a call for a single draw.
pub const SHORT: usize = 8;

/// Words read in blocks from a source. It lives for one call only, so that no unused word outlives the call
/// or a fork; the block is wiped when it is dropped.
pub struct Words<'w, E: Entropy + ?Sized> {
    entropy: &'w mut E,
    /// Invariant: not empty; the words from `next` up to `filled` are random and unread.
    block: &'w mut [u64],
    next: usize,
    filled: usize,
    /// The block beyond was never written to, so there is nothing to wipe.
    used: usize,
    /// How many words the caller is still expected to need beyond those in the block.
    expected: usize,
    /// How many words to ask for when more are needed than expected.
    extra: usize,
}

impl<'w, E: Entropy + ?Sized> Words<'w, E> {
    /// Reads from `entropy` through `block`, which must not be empty.
    pub(crate) fn new(entropy: &'w mut E, block: &'w mut [u64], expected: usize) -> Self {
        Words { entropy, block, next: 0, filled: 0, used: 0, expected, extra: SHORT }
    }

    /// The next word.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Result<u64, EntropyError> {
        match self.block[..self.filled].get(self.next) {
            Some(&word) => {
                self.next = self.next.wrapping_add(1);
                Ok(word)
            }
            None => self.next_of_new_block(),
        }
    }

    /// The next two words.
    #[inline(always)]
    pub(crate) fn next_two(&mut self) -> Result<[u64; 2], EntropyError> {
        match self.block[..self.filled].get(self.next..self.next.wrapping_add(2)) {
            Some(&[first, second]) => {
                self.next = self.next.wrapping_add(2);
                Ok([first, second])
            }
            _ => Ok([self.next()?, self.next()?]),
        }
    }

    /// Fills `words` from the source itself, past what was read ahead.
    pub(crate) fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        self.expected = self.expected.saturating_sub(words.len());
        self.entropy.fill_words(words)
    }

    /// Makes `words`, fewer than a block holds, the next ones to be read.
    pub(crate) fn unread(&mut self, words: &[u64]) {
        // What was read ahead follows as far as there is room; dropping fresh words changes no law.
        let kept = (self.filled - self.next).min(self.block.len() - words.len());
        self.block.copy_within(self.next..self.next + kept, words.len());
        self.block[..words.len()].copy_from_slice(words);
        (self.next, self.filled) = (0, words.len() + kept);
        self.used = self.used.max(self.filled);
    }

    #[cold]
    fn next_of_new_block(&mut self) -> Result<u64, EntropyError> {
        if self.expected == 0 {
            self.expected = self.extra;
            self.extra = self.extra.saturating_mul(2).min(LONG);
        }
        self.read_expected()?;
        self.next = 1;
        Ok(self.block[0])
    }

    /// Reads as many of the expected words as the block holds. A single draw begins with it; a longer call comes to it in time.
    #[inline]
    pub(crate) fn read_expected(&mut self) -> Result<(), EntropyError> {
        let wanted = self.expected.min(self.block.len());
        if wanted == 0 {
            // No noise needs no source.
            return Ok(());
        }
        // Nothing counts as filled until the source has delivered, but a source that fails may have written.
        (self.next, self.filled) = (0, 0);
        self.used = self.used.max(wanted);
        self.entropy.fill_words(&mut self.block[..wanted])?;
        self.expected -= wanted;
        self.filled = wanted;
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
        self.block[..self.used].zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes ones into all that it is given; then, from a given request on, fails.
    struct Ones {
        requests: usize,
        fails_from: usize,
    }

    impl Entropy for Ones {
        fn fill_words(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
            words.fill(1);
            self.requests += 1;
            if self.requests > self.fails_from { Err(EntropyError::Exhausted) } else { Ok(()) }
        }
    }

    /// What is left in a block of eight after a use.
    fn left_by(
        fails_from: usize,
        expected: usize,
        action: impl FnOnce(&mut Words<'_, Ones>) -> Result<(), EntropyError>,
    ) -> [u64; 8] {
        let mut block = [0; 8];
        let mut source = Ones { requests: 0, fails_from };
        let result = action(&mut Words::new(&mut source, &mut block, expected));
        assert_eq!(result.is_err(), source.requests > fails_from);
        block
    }

    #[test]
    fn a_block_is_wiped_as_far_as_it_was_written() {
        assert_eq!(left_by(9, 3, |words| words.read_expected()), [0; 8]);
        assert_eq!(left_by(9, 3, |words| words.next_two().map(drop)), [0; 8]);
        assert_eq!(left_by(9, 3, |words| (0..20).try_for_each(|_| words.next().map(drop))), [0; 8]);
        let read_and_unread = |words: &mut Words<'_, Ones>| {
            words.read_expected()?;
            words.unread(&[1; 7]);
            Ok(())
        };
        assert_eq!(left_by(9, 1, read_and_unread), [0; 8]);
    }

    #[test]
    fn what_a_failing_source_wrote_is_wiped() {
        assert_eq!(left_by(0, 8, |words| words.read_expected()), [0; 8]);
        assert_eq!(left_by(1, 2, |words| (0..3).try_for_each(|_| words.next().map(drop))), [0; 8]);
    }

    #[test]
    fn nothing_expected_asks_for_nothing() {
        assert_eq!(left_by(0, 0, |words| words.read_expected()), [0; 8]);
    }
}
