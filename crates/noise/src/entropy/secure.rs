//! The operating system's randomness, expanded by ChaCha12.
//!
//! Why ChaCha12: it is the generator that the Rust ecosystem's own secure default rests on, no attack reaches
//! beyond 7 of its rounds, and it runs at about 3 ns a word. Why the `chacha20` crate: pure Rust, SIMD chosen
//! at run time on stable, and it wipes its own state.
//!
//! The generator erases its key as it goes: each refill makes 4 KiB of keystream of which the first 32 bytes
//! are the next key, and a word is wiped from the buffer when it is handed out. Someone who later reads the
//! memory of the process learns no word that was drawn before. Every [`RESEED_AFTER`] refills the operating
//! system's randomness is mixed in again.
//!
//! Fork: every call compares the era of the process with that of the last seeding (module `fork`), so a child never
//! repeats a word of its parent, not even a buffered one. What this cannot see is a virtual machine resumed twice from
//! one snapshot; the periodic reseeding bounds that, and [`forget`](super::forget) excludes it for a program that knows
//! of the resumption.

use std::cell::RefCell;

use chacha20::ChaCha12Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::fork::{self, Era};
use super::{Entropy, EntropyError, Secure, sealed};

const KEY_BYTES: usize = 32;
const WORD_BYTES: usize = 8;
/// One refill: the next key, then 508 words.
const REFILL_BYTES: usize = 4096;
/// Refills between two visits to the operating system: 4 MiB of keystream.
const RESEED_AFTER: u32 = 1024;

/// The operating system's randomness, expanded by ChaCha12; see the module's text for why it can be trusted.
///
/// The default for every release. Use [`with_secure`] for the calling thread's own instance.
pub struct SecureEntropy {
    expander: Expander<OperatingSystem>,
}

impl SecureEntropy {
    /// A generator seeded from the operating system.
    ///
    /// # Errors
    /// When the operating system has no randomness to give.
    pub fn new() -> Result<Self, EntropyError> {
        let mut expander = Expander::new(OperatingSystem);
        expander.refill()?;
        Ok(SecureEntropy { expander })
    }
}

impl std::fmt::Debug for SecureEntropy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecureEntropy { .. }")
    }
}

impl Entropy for SecureEntropy {
    fn fill_words(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        self.expander.fill_words(words)
    }
}

impl sealed::Sealed for SecureEntropy {}
impl Secure for SecureEntropy {}

thread_local! {
    static THREAD: RefCell<Expander<OperatingSystem>> = RefCell::new(Expander::new(OperatingSystem));
}

/// The calling thread's generator. It is seeded at its first word and again after a fork.
struct ThreadEntropy;

impl Entropy for ThreadEntropy {
    fn fill_words(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        // Borrowed for one call only, so nested uses of `with_secure` cannot collide.
        THREAD
            .try_with(|thread| thread.borrow_mut().fill_words(words))
            // The thread is shutting down and its generator is gone: seed one for this call.
            .unwrap_or_else(|_| fill_words_at_the_end(words))
    }
}

/// Apart, so that the frame of every other call does not hold a generator.
#[cold]
#[inline(never)]
fn fill_words_at_the_end(words: &mut [u64]) -> Result<(), EntropyError> {
    Expander::new(OperatingSystem).fill_words(words)
}

impl sealed::Sealed for ThreadEntropy {}
impl Secure for ThreadEntropy {}

/// Runs `action` with the calling thread's secure generator.
///
/// ```
/// use probity_noise::entropy::{Entropy, with_secure};
/// let mut word = [0u64];
/// with_secure(|entropy| entropy.fill_words(&mut word))?;
/// # Ok::<(), probity_noise::entropy::EntropyError>(())
/// ```
pub fn with_secure<Answer>(action: impl FnOnce(&mut dyn Secure) -> Answer) -> Answer {
    action(&mut ThreadEntropy)
}

/// What the expander asks of its surroundings; tests put others in place of the operating system.
trait Surroundings {
    fn seed(&mut self, seed: &mut [u8; KEY_BYTES]) -> Result<(), EntropyError>;
    fn era(&self) -> Era;
}

struct OperatingSystem;

impl Surroundings for OperatingSystem {
    fn seed(&mut self, seed: &mut [u8; KEY_BYTES]) -> Result<(), EntropyError> {
        getrandom::fill(seed).map_err(|error| EntropyError::System { code: error.raw_os_error() })
    }

    #[inline]
    fn era(&self) -> Era {
        fork::era()
    }
}

struct Expander<S> {
    surroundings: S,
    key: [u8; KEY_BYTES],
    /// Invariant: the bytes before `next` are zero, the bytes from `next` on have never been handed out.
    buffer: [u8; REFILL_BYTES],
    next: usize,
    /// Refills until the next reseeding; zero means that the key must not be used as it is.
    refills_left: u32,
    /// When `key` was last seeded.
    era: Era,
}

impl<S: Surroundings> Expander<S> {
    fn new(surroundings: S) -> Self {
        Expander {
            surroundings,
            key: [0; KEY_BYTES],
            buffer: [0; REFILL_BYTES],
            next: REFILL_BYTES,
            refills_left: 0,
            era: Era::NEVER,
        }
    }

    #[inline(always)]
    fn fill_words(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        if self.era != self.surroundings.era() {
            self.begin_again();
        }
        if words.len() > self.available() {
            return self.fill_and_refill(words);
        }
        // One draw takes a few words: their number as a constant saves the calls that copy and wipe any number of bytes.
        match words {
            [one] => [*one] = self.hand_out_array(),
            [one, two] => [*one, *two] = self.hand_out_array(),
            [one, two, three] => [*one, *two, *three] = self.hand_out_array(),
            _ => self.hand_out(words),
        }
        Ok(())
    }

    /// Whatever was read ahead belongs to another era: the next word is seeded anew.
    #[cold]
    fn begin_again(&mut self) {
        self.forget_buffer();
        self.refills_left = 0;
    }

    /// The words that are left before the next refill.
    #[inline]
    fn available(&self) -> usize {
        (REFILL_BYTES - self.next) / WORD_BYTES
    }

    /// Hands out the next words, which the caller has seen to be there.
    #[inline]
    fn hand_out_array<const N: usize>(&mut self) -> [u64; N] {
        let (words, _) = self.buffer[self.next..self.next + N * WORD_BYTES].as_chunks_mut::<WORD_BYTES>();
        self.next += N * WORD_BYTES;
        std::array::from_fn(|i| u64::from_le_bytes(std::mem::take(&mut words[i])))
    }

    /// Hands out the next words, which the caller has seen to be there.
    fn hand_out(&mut self, words: &mut [u64]) {
        let source = &mut self.buffer[self.next..self.next + words.len() * WORD_BYTES];
        for (word, bytes) in words.iter_mut().zip(source.as_chunks::<WORD_BYTES>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        source.fill(0);
        self.next += words.len() * WORD_BYTES;
    }

    #[cold]
    fn fill_and_refill(&mut self, mut words: &mut [u64]) -> Result<(), EntropyError> {
        while !words.is_empty() {
            if self.available() == 0 {
                self.refill()?;
            }
            let (now, later) = words.split_at_mut(self.available().min(words.len()));
            self.hand_out(now);
            words = later;
        }
        Ok(())
    }

    /// Makes the next stretch of keystream and replaces the key, reseeding first when it is time.
    fn refill(&mut self) -> Result<(), EntropyError> {
        if self.refills_left == 0 {
            // Taken before the seed: a fork in between must not pass for a seeding.
            let era = self.surroundings.era();
            // Mixing by exclusive or keeps the key secret if either the old key or the seed is.
            let mut seed = [0; KEY_BYTES];
            self.surroundings.seed(&mut seed)?;
            self.key.iter_mut().zip(&seed).for_each(|(key, seed)| *key ^= seed);
            seed.zeroize();
            self.era = era;
            self.refills_left = RESEED_AFTER;
        }
        self.refills_left -= 1;
        // The cipher wipes its own state when dropped.
        ChaCha12Rng::from_seed(self.key).fill_bytes(&mut self.buffer);
        self.key.copy_from_slice(&self.buffer[..KEY_BYTES]);
        self.buffer[..KEY_BYTES].fill(0);
        self.next = KEY_BYTES;
        Ok(())
    }
}

impl<S> Expander<S> {
    fn forget_buffer(&mut self) {
        self.buffer.zeroize();
        self.next = REFILL_BYTES;
    }
}

impl<S> Drop for Expander<S> {
    fn drop(&mut self) {
        self.key.zeroize();
        self.forget_buffer();
    }
}

impl<S> ZeroizeOnDrop for Expander<S> {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seeds by counting, in an era of our choice, failing from a given seeding on.
    struct Scripted {
        seedings: u8,
        fails_from: u8,
        epoch: u64,
    }

    impl Surroundings for Scripted {
        fn seed(&mut self, seed: &mut [u8; KEY_BYTES]) -> Result<(), EntropyError> {
            if self.seedings >= self.fails_from {
                return Err(EntropyError::System { code: Some(5) });
            }
            self.seedings += 1;
            seed.fill(self.seedings);
            Ok(())
        }

        fn era(&self) -> Era {
            Era::scripted(self.epoch)
        }
    }

    fn scripted(fails_from: u8) -> Expander<Scripted> {
        Expander::new(Scripted { seedings: 0, fails_from, epoch: 1 })
    }

    #[test]
    fn the_first_words_are_the_keystream_after_the_next_key() {
        let mut stream = [0u8; REFILL_BYTES];
        ChaCha12Rng::from_seed([1; KEY_BYTES]).fill_bytes(&mut stream);
        let mut words = [0u64; 508 + 1];
        scripted(1).fill_words(&mut words).unwrap();
        let expected: Vec<u64> =
            stream[KEY_BYTES..].chunks(8).map(|b| u64::from_le_bytes(b.try_into().unwrap())).collect();
        assert_eq!(words[..508], expected);
        let mut second = [0u8; REFILL_BYTES];
        ChaCha12Rng::from_seed(stream[..KEY_BYTES].try_into().unwrap()).fill_bytes(&mut second);
        assert_eq!(words[508].to_le_bytes(), second[KEY_BYTES..KEY_BYTES + 8]);
    }

    #[test]
    fn requests_of_any_size_read_one_stream() {
        let mut whole = [0u64; 2000];
        scripted(1).fill_words(&mut whole).unwrap();
        let mut pieces = [0u64; 2000];
        let mut expander = scripted(1);
        let mut rest = &mut pieces[..];
        for size in [0, 1, 507, 1, 3, 2, 4, 1, 509, 972] {
            let (now, later) = rest.split_at_mut(size);
            expander.fill_words(now).unwrap();
            rest = later;
        }
        assert!(rest.is_empty());
        assert_eq!(whole, pieces);
    }

    #[test]
    fn used_words_are_wiped() {
        let mut expander = scripted(1);
        // Few words have a way of their own each.
        for count in [1, 2, 3, 4, 90] {
            expander.fill_words(&mut vec![0; count]).unwrap();
        }
        assert_eq!(expander.next, KEY_BYTES + 800);
        assert!(expander.buffer[..expander.next].iter().all(|&byte| byte == 0));
        assert!(expander.buffer[expander.next..].iter().any(|&byte| byte != 0));
    }

    #[test]
    fn a_new_process_shares_no_word_with_the_old_one() {
        let (mut parent, mut child) = (scripted(3), scripted(3));
        for expander in [&mut parent, &mut child] {
            expander.fill_words(&mut [0; 3]).unwrap();
        }
        child.surroundings.epoch = 2;
        let (mut of_parent, mut of_child) = ([0u64; 400], [0u64; 400]);
        parent.fill_words(&mut of_parent).unwrap();
        child.fill_words(&mut of_child).unwrap();
        assert_eq!(child.surroundings.seedings, 2);
        assert!(of_child.iter().all(|word| !of_parent.contains(word)));
    }

    #[test]
    fn a_new_process_without_a_seed_gets_no_word() {
        let mut expander = scripted(1);
        expander.fill_words(&mut [0; 3]).unwrap();
        expander.surroundings.epoch = 2;
        for _ in 0..3 {
            let mut words = [0; 3];
            assert_eq!(expander.fill_words(&mut words), Err(EntropyError::System { code: Some(5) }));
            assert_eq!(words, [0; 3]);
        }
    }

    #[test]
    fn reseeds_after_a_fixed_amount_and_fails_when_it_cannot() {
        let mut expander = scripted(2);
        let mut words = vec![0; 508 * RESEED_AFTER as usize];
        expander.fill_words(&mut words).unwrap();
        assert_eq!(expander.surroundings.seedings, 1);
        expander.fill_words(&mut words).unwrap();
        assert_eq!(expander.surroundings.seedings, 2);
        assert_eq!(expander.fill_words(&mut [0]), Err(EntropyError::System { code: Some(5) }));
    }

    #[test]
    fn the_real_source_does_not_repeat_itself() {
        let (mut one, mut two) = ([0u64; 64], [0u64; 64]);
        SecureEntropy::new().unwrap().fill_words(&mut one).unwrap();
        with_secure(|entropy| entropy.fill_words(&mut two)).unwrap();
        assert!(one.iter().all(|word| !two.contains(word)));
    }
}
