//! U*: a uniform real in (0, 1) rounded down to a float, so that every float has its gap as probability.
//!
//! The zeros before the first one of U give the exponent, and fresh bits give the rest of the significand: all
//! floats of the interval are reached, however small. A uniform of fixed point (a random integer over 2^53)
//! reaches none below 2^−53, and that is what breaks naive implementations of Laplace noise.

use probity_exact::{Float, Format, Natural, Round};

use super::SampleError;
use super::draw::Draw;
use super::prefix::{Chunks, next_bits};
use super::words::Words;
use crate::entropy::{Entropy, EntropyError};

/// Zeros in a row after which the source is taken to be broken, in formats whose range goes that far.
const STUCK_AFTER: u64 = 1 << 16;

/// The number of zeros before the first one, counted up to `limit`; fresh bits are independent of it.
fn zeros_before_one<C: Chunks>(limit: u64, chunks: &mut C) -> Result<u64, EntropyError> {
    let mut zeros = 0;
    while zeros < limit {
        let chunk = chunks.next_chunk()?;
        let here = u64::from(chunk.leading_zeros() - (64 - C::CHUNK_BITS));
        zeros += here;
        if here < u64::from(C::CHUNK_BITS) {
            break;
        }
        if zeros >= STUCK_AFTER {
            return Err(EntropyError::Stuck { bits: STUCK_AFTER as usize });
        }
    }
    Ok(zeros.min(limit))
}

/// Bits of a double's significand after the first.
const FRACTION_BITS: u32 = 52;
/// Zeros after which a double is subnormal: 2^−1022 is the least normal number.
const NORMAL_ZEROS: u64 = 1022;

/// U* in binary64. Zero has probability 2^−1074.
///
/// ```
/// use probity_noise::entropy::SecureEntropy;
/// use probity_noise::sampler::{Sampler, UniformDouble};
/// let u = UniformDouble.sample(&mut SecureEntropy::new()?)?;
/// assert!((0.0..1.0).contains(&u));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct UniformDouble;

/// The double with this many zeros before its first one (a subnormal one for 1022) and these bits after.
#[inline(always)]
fn assemble(zeros: u64, fraction: u64) -> f64 {
    // 2^−(zeros+1) has the exponent field 1022 − zeros; the field of subnormal numbers is 0.
    f64::from_bits((NORMAL_ZEROS.wrapping_sub(zeros) << FRACTION_BITS) | fraction)
}

impl Draw for UniformDouble {
    type Value = f64;

    fn blank() -> f64 {
        f64::NAN
    }

    fn expected_words(&self, count: usize) -> usize {
        count.saturating_mul(2)
    }

    #[inline(always)]
    fn draw<E: Entropy + ?Sized>(&self, words: &mut Words<'_, E>) -> Result<f64, SampleError> {
        let [leading, fraction] = words.next_two()?;
        let zeros = match leading {
            0 => 64 + zeros_before_one(NORMAL_ZEROS - 64, words)?,
            _ => u64::from(leading.leading_zeros()),
        };
        Ok(assemble(zeros, fraction >> (64 - FRACTION_BITS)))
    }

    fn draw_exactly<C: Chunks>(&self, chunks: &mut C) -> Result<f64, SampleError> {
        let zeros = zeros_before_one(NORMAL_ZEROS, chunks)?;
        let fraction = next_bits(FRACTION_BITS as usize, chunks)?;
        Ok(assemble(zeros, u64::try_from(fraction).unwrap_or(0)))
    }
}

/// U* in any binary format.
///
/// ```
/// use probity_exact::Format;
/// use probity_noise::entropy::SecureEntropy;
/// use probity_noise::sampler::{Sampler, UniformFloat};
/// let u = UniformFloat::new(Format::BINARY16).sample(&mut SecureEntropy::new()?)?;
/// assert!(Format::BINARY16.contains(&u));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct UniformFloat {
    format: Format,
}

impl UniformFloat {
    /// U* in this format.
    pub fn new(format: Format) -> Self {
        UniformFloat { format }
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }
}

impl Draw for UniformFloat {
    type Value = Float;

    fn blank() -> Float {
        Float::nan()
    }

    fn expected_words(&self, count: usize) -> usize {
        count.saturating_mul(1 + (self.format.precision() as usize - 1).div_ceil(64))
    }

    fn draw<E: Entropy + ?Sized>(&self, words: &mut Words<'_, E>) -> Result<Float, SampleError> {
        self.draw_exactly(words)
    }

    fn draw_exactly<C: Chunks>(&self, chunks: &mut C) -> Result<Float, SampleError> {
        let (emin, after_first) = (self.format.emin(), self.format.precision() as i64 - 1);
        // Below 2^emin, or below 1 if that is less, the grid is even: multiples of 2^(emin − precision + 1).
        let limit = (-emin).max(0);
        let zeros = zeros_before_one(limit as u64, chunks)? as i64;
        let (significand, lowest) = if zeros == limit {
            let bits = (after_first - emin.max(0)).max(0);
            (next_bits(bits as usize, chunks)?, emin - after_first)
        } else {
            let fraction = next_bits(after_first as usize, chunks)?;
            ((Natural::ONE << after_first as usize) + fraction, -zeros - 1 - after_first)
        };
        let value = Float::from_parts(false, significand, lowest);
        // A format that ends below 1 has its largest number for all that lies above it.
        Ok(self.format.round_float(&value, Round::TowardZero))
    }
}
