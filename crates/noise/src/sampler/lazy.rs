//! For programs that keep a draw as a lazy real: words in blocks, and −ln U of the two words that begin U.
//!
//! The samplers of this crate draw integers; `probity-run` draws reals and decides about them later. Both start from
//! the same two words and the same proven bound, so there is one logarithm to believe.

use super::neg_ln::{TABLE, WIDTH};
use crate::entropy::{Entropy, EntropyError};

pub use super::neg_ln::{NEG_LN_BITS, TwoWords};
pub use super::words::{LONG, SHORT, Words};

/// Bounds of −ln U in units of 2^−58 for every U that begins with these words; `None` when the first 63 bits of U
/// are zero, so that −ln U is above 43.
#[inline(always)]
pub fn neg_ln(words: TwoWords) -> Option<(u64, u64)> {
    // No closure, which would be a call of its own in other crates.
    if !words.is_normal() {
        return None;
    }
    let lower = TABLE.neg_ln_lower(words);
    Some((lower, lower + WIDTH))
}

impl<'w, E: Entropy + ?Sized> Words<'w, E> {
    /// Reads from `entropy` through `block`, which must not be empty; about `expected` words will be needed.
    pub fn over(entropy: &'w mut E, block: &'w mut [u64], expected: usize) -> Self {
        Words::new(entropy, block, expected)
    }

    /// The next word.
    ///
    /// # Errors
    /// When the source cannot deliver.
    #[inline(always)]
    pub fn word(&mut self) -> Result<u64, EntropyError> {
        self.next()
    }
}
