//! Random words for tests: from a counter, so that a test is the same every time.

use probity_noise::entropy::{Entropy, EntropyError};

/// A counter whose values are mixed.
pub struct Counter(pub u64);

impl Entropy for Counter {
    fn fill_words(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        for word in words {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            *word = mixed ^ (mixed >> 31);
        }
        Ok(())
    }
}
