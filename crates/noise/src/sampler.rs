//! Samplers whose law is exact.
//!
//! Every sampler computes X = f(U) from a uniform real U whose bits are revealed as they are needed (module
//! `uniform`), so its law is exactly the one stated, for rational parameters of any size. Each has two paths:
//! - the *exact* path decides with rational enclosures, for any number of known bits;
//! - the *fast* path decides from a word or two in machine arithmetic with a proven error bound, and passes
//!   the bits it has seen to the exact path in the rare case that the bound leaves the answer open: about
//!   2^−53 a draw for noise of scale 1, 2^−38 at worst.
//!
//! The time of a draw therefore does not depend on the value drawn (`examples/timing.rs` measures it), and
//! `fill` makes tens of millions of draws a second at every scale (`examples/throughput.rs`).
//!
//! ```
//! use probity_noise::entropy::{SecureEntropy, with_secure};
//! use probity_noise::sampler::{DiscreteLaplace, Sampler, Scale};
//! let noise = DiscreteLaplace::<i64>::new(Scale::from_f64(10.0)?)?;
//! let one: i64 = with_secure(|entropy| noise.sample(entropy))?;
//! let many: Vec<i64> = noise.sample_vec(1000, &mut SecureEntropy::new()?)?;
//! assert_eq!(many.len(), 1000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alias;
mod bernoulli;
mod bulk;
mod choice;
mod coin_for_gap;
mod gaussian;
mod laplace;
pub mod lazy;
mod outcome;
mod parameter;
pub(crate) mod race;
mod sign;
mod uniform;
mod uniform_float;
mod uniform_integer;

#[cfg(test)]
mod tests;

use std::fmt;

pub use bernoulli::{Bernoulli, BernoulliExp};
pub use choice::Choice;
pub use gaussian::DiscreteGaussian;
pub use laplace::{DiscreteLaplace, Geometric};
pub use outcome::Outcome;
pub use parameter::{Count, Exponent, ParameterError, Probability, Scale, SquaredScale};
pub use sign::Sign;
pub use uniform_float::{UniformDouble, UniformFloat};
pub use uniform_integer::UniformBelow;

pub(crate) use choice::Either;
pub(crate) use coin_for_gap::CoinForGap;
pub(crate) use uniform::gap::{Gap, units_of};
pub(crate) use uniform::opaque::{largest, select};

use crate::entropy::{Entropy, EntropyError};
use draw::Draw;
use uniform::{bounds, gap, lanes, magnitude, neg_ln, opaque, prefix, threshold, words};
use words::{LONG, SHORT, Words};

/// Why a draw gave no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SampleError {
    /// The source of randomness failed.
    Entropy(EntropyError),
    /// The value drawn does not fit the outcome type; draw `Integer` instead.
    DoesNotFit,
}

impl fmt::Display for SampleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SampleError::Entropy(error) => error.fmt(f),
            SampleError::DoesNotFit => {
                write!(f, "the value drawn does not fit in 64 bits; draw arbitrary-size integers instead")
            }
        }
    }
}

impl std::error::Error for SampleError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SampleError::Entropy(error) => Some(error),
            SampleError::DoesNotFit => None,
        }
    }
}

impl From<EntropyError> for SampleError {
    fn from(error: EntropyError) -> Self {
        SampleError::Entropy(error)
    }
}

/// Something to draw values from. Sealed: its laws are stated, and tested, in this crate.
pub trait Sampler: Draw {
    /// Draws one value.
    ///
    /// # Errors
    /// When the source of randomness fails, or the value does not fit its type.
    fn sample<E: Entropy + ?Sized>(&self, entropy: &mut E) -> Result<Self::Value, SampleError> {
        let mut block = [0; SHORT];
        let mut words = Words::new(entropy, &mut block, self.expected_words(1));
        words.read_expected()?;
        self.draw(&mut words)
    }

    /// Replaces every element of `out` by a fresh, independent draw.
    ///
    /// # Errors
    /// As for [`sample`](Sampler::sample). Then every element of `out` is reset to 0, false or NaN: no partial
    /// result can be taken for a draw.
    fn fill<E: Entropy + ?Sized>(&self, out: &mut [Self::Value], entropy: &mut E) -> Result<(), SampleError> {
        let mut block = [0; LONG];
        let mut words = Words::new(entropy, &mut block, self.expected_words(out.len()));
        let result = self.draw_all(out, &mut words);
        if result.is_err() {
            out.fill(Self::blank());
        }
        result
    }

    /// Draws `count` independent values.
    ///
    /// # Errors
    /// As for [`sample`](Sampler::sample).
    fn sample_vec<E: Entropy + ?Sized>(
        &self,
        count: usize,
        entropy: &mut E,
    ) -> Result<Vec<Self::Value>, SampleError> {
        let mut values = vec![Self::blank(); count];
        self.fill(&mut values, entropy)?;
        Ok(values)
    }
}

impl<S: Draw> Sampler for S {}

mod draw {
    use super::prefix::Chunks;
    use super::{SampleError, Words};
    use crate::entropy::Entropy;

    /// The two paths of a sampler. Public in a private module: this seals [`super::Sampler`].
    pub trait Draw {
        /// What is drawn.
        type Value: Clone;

        /// What stands in place of a draw that failed.
        fn blank() -> Self::Value;

        /// One draw by the fast path, finished by the exact path where needed.
        fn draw<E: Entropy + ?Sized>(&self, words: &mut Words<'_, E>) -> Result<Self::Value, SampleError>;

        /// One draw by the exact path alone.
        fn draw_exactly<C: Chunks>(&self, chunks: &mut C) -> Result<Self::Value, SampleError>;

        /// How many words `count` draws usually take; only a hint for reading ahead.
        fn expected_words(&self, count: usize) -> usize;

        /// Fills `out` with draws.
        fn draw_all<E: Entropy + ?Sized>(
            &self,
            out: &mut [Self::Value],
            words: &mut Words<'_, E>,
        ) -> Result<(), SampleError> {
            for value in out {
                *value = self.draw(words)?;
            }
            Ok(())
        }
    }
}
