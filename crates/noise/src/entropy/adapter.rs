//! To and from the traits of `rand_core`, so that other crates can take our source, and our samplers theirs.
//!
//! Outward, any source of ours is a generator for others, with its failures as errors. Inward, a generator of others is an [`Entropy`] and
//! never a [`Secure`](super::Secure): nobody here can know whether it was seeded well, so what is released does not take it.

use rand_core::{TryCryptoRng, TryRng};

use super::{Entropy, EntropyError, Secure};

/// A secure source of ours as a `rand_core` generator.
///
/// ```
/// use probity_noise::entropy::{SecureEntropy, SecureRng};
/// use rand_core::TryRng;
/// let mut entropy = SecureEntropy::new()?;
/// let word: u64 = SecureRng(&mut entropy).try_next_u64()?;
/// # Ok::<(), probity_noise::entropy::EntropyError>(())
/// ```
#[derive(Debug)]
pub struct SecureRng<'e, E: Secure + ?Sized>(pub &'e mut E);

impl<E: Secure + ?Sized> TryRng for SecureRng<'_, E> {
    type Error = EntropyError;

    fn try_next_u32(&mut self) -> Result<u32, EntropyError> {
        Ok((self.try_next_u64()? >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, EntropyError> {
        let mut word = [0];
        self.0.fill_words(&mut word)?;
        Ok(word[0])
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        for chunk in bytes.chunks_mut(8) {
            let word = self.try_next_u64()?.to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
        Ok(())
    }
}

impl<E: Secure + ?Sized> TryCryptoRng for SecureRng<'_, E> {}

/// A generator of others as a source of ours: for simulations, and for whoever answers for the generator himself.
///
/// ```
/// use chacha20::ChaCha12Rng;
/// use chacha20::rand_core::SeedableRng;
/// use probity_noise::entropy::RngEntropy;
/// use probity_noise::sampler::{DiscreteLaplace, Sampler, Scale};
/// let noise = DiscreteLaplace::<i64>::new(Scale::from_f64(10.0)?)?;
/// let draw = |seed| noise.sample(&mut RngEntropy(ChaCha12Rng::from_seed([seed; 32])));
/// assert_eq!(draw(1)?, draw(1)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// What is released takes a secure source, which this is not:
///
/// ```compile_fail,E0277
/// use chacha20::ChaCha12Rng;
/// use chacha20::rand_core::SeedableRng;
/// use probity_noise::entropy::{RngEntropy, Secure};
/// fn release(_: &mut dyn Secure) {}
/// release(&mut RngEntropy(ChaCha12Rng::from_seed([1; 32])));
/// ```
#[derive(Debug, Clone)]
pub struct RngEntropy<R>(pub R);

impl<R: TryCryptoRng> Entropy for RngEntropy<R> {
    fn fill_words(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        // Its own error says nothing that our callers could use, and could say too much.
        for word in words {
            *word = self.0.try_next_u64().map_err(|_| EntropyError::System { code: None })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::SecureEntropy;
    use chacha20::ChaCha12Rng;
    use chacha20::rand_core::SeedableRng;
    use std::fmt;

    #[test]
    fn there_and_back() {
        let mut rng = ChaCha12Rng::from_seed([7; 32]);
        let mut words = [0; 3];
        RngEntropy(ChaCha12Rng::from_seed([7; 32])).fill_words(&mut words).unwrap();
        assert_eq!(words, std::array::from_fn(|_| chacha20::rand_core::Rng::next_u64(&mut rng)));
        let mut entropy = SecureEntropy::new().unwrap();
        let mut bytes = [0; 21];
        SecureRng(&mut entropy).try_fill_bytes(&mut bytes).unwrap();
        assert!(bytes[16..].iter().any(|byte| *byte != 0) && bytes[..8] != bytes[8..16]);
        assert_ne!(SecureRng(&mut entropy).try_next_u32(), SecureRng(&mut entropy).try_next_u32());
    }

    #[derive(Debug)]
    struct Broken;

    impl fmt::Display for Broken {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("broken")
        }
    }

    impl std::error::Error for Broken {}

    impl TryRng for Broken {
        type Error = Broken;
        fn try_next_u32(&mut self) -> Result<u32, Broken> {
            Err(Broken)
        }
        fn try_next_u64(&mut self) -> Result<u64, Broken> {
            Err(Broken)
        }
        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Broken> {
            Err(Broken)
        }
    }

    impl TryCryptoRng for Broken {}

    #[test]
    fn a_failing_generator_is_a_failing_source() {
        assert_eq!(RngEntropy(Broken).fill_words(&mut [0]), Err(EntropyError::System { code: None }));
    }
}
