//! A scripted source of words, for tests.
//!
//! Behind the cargo feature `tape`, which is off by default, and never [`Secure`](super::Secure): a release
//! cannot be made from a tape.
//!
//! ```compile_fail,E0277
//! use probity_noise::entropy::{Secure, tape::Tape};
//! fn release(entropy: &mut dyn Secure) {}
//! release(&mut Tape::seeded(1));
//! ```

use chacha20::ChaCha12Rng;
use chacha20::rand_core::{Rng, SeedableRng};

use super::{Entropy, EntropyError};

/// Words known in advance: a given list, or the endless stream of a fixed seed.
///
/// ```
/// use probity_noise::entropy::{Entropy, EntropyError, tape::Tape};
/// let mut tape = Tape::of_words([7, 8]);
/// let mut words = [0; 2];
/// tape.fill_words(&mut words)?;
/// assert_eq!(words, [7, 8]);
/// assert_eq!(tape.fill_words(&mut words), Err(EntropyError::Exhausted));
/// # Ok::<(), EntropyError>(())
/// ```
#[derive(Debug)]
pub struct Tape {
    words: std::vec::IntoIter<u64>,
    then: Option<ChaCha12Rng>,
}

impl Tape {
    /// These words and no more: a request beyond them is [`EntropyError::Exhausted`].
    pub fn of_words(words: impl Into<Vec<u64>>) -> Self {
        Tape { words: words.into().into_iter(), then: None }
    }

    /// An endless stream that is the same for the same `seed`.
    pub fn seeded(seed: u64) -> Self {
        Tape::of_words([]).then_seeded(seed)
    }

    /// The same tape, followed by the endless stream of `seed`.
    pub fn then_seeded(self, seed: u64) -> Self {
        Tape { then: Some(ChaCha12Rng::seed_from_u64(seed)), ..self }
    }

    /// How many of the given words have not been read.
    pub fn remaining(&self) -> usize {
        self.words.len()
    }
}

impl Entropy for Tape {
    fn fill_words(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        for word in words {
            *word = match (self.words.next(), &mut self.then) {
                (Some(word), _) => word,
                (None, Some(stream)) => stream.next_u64(),
                (None, None) => return Err(EntropyError::Exhausted),
            };
        }
        Ok(())
    }
}
