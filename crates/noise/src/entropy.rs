//! Where randomness comes from.
//!
//! One trait, [`Entropy`], hands out words of 64 independent fair bits. [`SecureEntropy`] is the default: the
//! operating system's source expanded by ChaCha12. Samplers take any `Entropy`; whatever is released must take
//! a [`Secure`] one, and only sources of this module can be that.
//!
//! A source that fails says so with an [`EntropyError`]; it never hands out a weak or repeated word instead.
//!
//! ```
//! use probity_noise::entropy::{Entropy, SecureEntropy};
//! let mut entropy = SecureEntropy::new()?;
//! let mut words = [0u64; 4];
//! entropy.fill_words(&mut words)?;
//! # Ok::<(), probity_noise::entropy::EntropyError>(())
//! ```

mod adapter;
mod fork;
mod secure;
#[cfg(any(test, feature = "tape"))]
pub mod tape;

use std::fmt;

pub use adapter::{RngEntropy, SecureRng};
pub use fork::forget;
pub use secure::{SecureEntropy, with_secure};

/// A source of independent fair bits, 64 to a word.
pub trait Entropy {
    /// Fills `words` with fresh random words, none of which is ever handed out again.
    ///
    /// # Errors
    /// When the source cannot deliver. The contents of `words` are then not random and must not be used.
    fn fill_words(&mut self, words: &mut [u64]) -> Result<(), EntropyError>;
}

impl<E: Entropy + ?Sized> Entropy for &mut E {
    fn fill_words(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        (**self).fill_words(words)
    }
}

/// An [`Entropy`] that is fit for a release. Sealed: no type outside this module can claim it.
///
/// ```compile_fail,E0277
/// use probity_noise::entropy::{Entropy, EntropyError, Secure};
/// struct Constant;
/// impl Entropy for Constant {
///     fn fill_words(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
///         words.fill(4);
///         Ok(())
///     }
/// }
/// impl Secure for Constant {}
/// ```
pub trait Secure: Entropy + sealed::Sealed {}

impl<E: Secure + ?Sized> Secure for &mut E {}

mod sealed {
    /// Keeps [`super::Secure`] closed.
    pub trait Sealed {}
    impl<E: Sealed + ?Sized> Sealed for &mut E {}
}

/// Why a source delivered no randomness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntropyError {
    /// The operating system refused, with its error code where it gave one.
    System {
        /// The code the operating system returned.
        code: Option<i32>,
    },
    /// A scripted source came to its end.
    Exhausted,
    /// A sampler read this many bits without being able to decide. A fair source does this with probability
    /// below 2^-65000, so the source is broken.
    Stuck {
        /// How many bits one draw consumed.
        bits: usize,
    },
}

impl fmt::Display for EntropyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EntropyError::System { code: Some(code) } => {
                write!(f, "the operating system delivered no randomness (error {code}); nothing was sampled")
            }
            EntropyError::System { code: None } => {
                write!(f, "the operating system delivered no randomness; nothing was sampled")
            }
            EntropyError::Exhausted => write!(f, "the scripted source of words has come to its end"),
            EntropyError::Stuck { bits } => {
                write!(f, "{bits} random bits decided nothing: the source of randomness is broken")
            }
        }
    }
}

impl std::error::Error for EntropyError {}
