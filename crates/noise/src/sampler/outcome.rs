//! The integers that noise is drawn as: 64-bit ones for speed, arbitrary ones for any scale.

use probity_exact::directed::cast_nearest;
use probity_exact::{Integer, Natural, Rational, Sign};

use super::prefix::next_bits;
use super::words::Words;
use crate::entropy::{Entropy, EntropyError};

/// An integer type that noise can be drawn as: `i64` or `Integer`. Sealed.
pub trait Outcome: Parts {}

impl Outcome for i64 {}
impl Outcome for Integer {}

/// How an outcome is put together from a sign, high bits and uniform low bits.
pub trait Parts: Clone + Default {
    /// Uniform low bits.
    type Low;

    /// Where scales end, if they do.
    const SCALE_LIMIT: Option<ScaleLimit>;

    /// `shift` uniform low bits, and the first bits of an independent uniform real: how many, and which.
    fn draw_low<E: Entropy + ?Sized>(
        shift: usize,
        words: &mut Words<'_, E>,
    ) -> Result<(Self::Low, u32, u64), EntropyError>;

    /// The low bits as a number.
    fn low_to_natural(low: &Self::Low) -> Natural;

    /// The low bits over 2^shift as a double, within a relative error of 2^−53, or of 2^−1074 where that is less.
    fn low_fraction(low: &Self::Low, shift: usize) -> f64;

    /// Whether the low bits are all zero.
    fn low_is_zero(low: &Self::Low) -> bool;

    /// ±magnitude for a magnitude below 2^63.
    fn from_word(negative: bool, magnitude: u64) -> Self;

    /// ±(high·2^shift + low); `None` when that does not fit.
    fn join(negative: bool, high: u64, shift: usize, low: Self::Low) -> Option<Self>;

    /// ±magnitude; `None` when that does not fit.
    fn from_magnitude(negative: bool, magnitude: Natural) -> Option<Self>;
}

/// Where an outcome type's scales end: scales above 2^log2 are refused, σ² from 2^(2·log2) on.
pub struct ScaleLimit {
    pub(crate) log2: i64,
    pub(crate) scale_allowed: &'static str,
    pub(crate) squared_scale_allowed: &'static str,
}

/// A word cut into low bits of an outcome and the first bits of an independent uniform real.
pub(crate) struct LowWord {
    /// The upper `shift` bits of the word.
    pub(crate) value: u64,
    /// How many bits are left: at least 29, up to MAX_SHIFT.
    pub(crate) spare: u32,
    /// These bits.
    pub(crate) prefix: u64,
}

impl LowWord {
    /// Most low bits that are taken from one word where the bits that are left are used too.
    pub(crate) const MAX_SHIFT: usize = 35;

    /// The caller owes 1 ≤ shift < 64.
    #[inline(always)]
    pub(crate) fn new(word: u64, shift: usize) -> Self {
        // The shifts are below 64; `wrapping` only spares checks in a hot loop.
        let spare = 64u32.wrapping_sub(shift as u32);
        LowWord { value: word.wrapping_shr(spare), spare, prefix: word & u64::MAX.wrapping_shr(shift as u32) }
    }
}

/// ±magnitude for a magnitude of at least 0, without a branch: a fair sign cannot be predicted.
#[inline(always)]
fn signed(negative: bool, magnitude: i64) -> i64 {
    let mask = -i64::from(negative);
    (magnitude ^ mask).wrapping_sub(mask)
}

impl Parts for i64 {
    type Low = u64;

    // P(|X| ≥ 2^63) = e^−8192 at the limit: an error, never a wrapped value, and never met.
    const SCALE_LIMIT: Option<ScaleLimit> = Some(ScaleLimit {
        log2: 50,
        scale_allowed: "at most 2^50 for 64-bit outcomes; draw `Integer` outcomes beyond",
        squared_scale_allowed: "below 2^100 for 64-bit outcomes; draw `Integer` outcomes beyond",
    });

    #[inline(always)]
    fn draw_low<E: Entropy + ?Sized>(
        shift: usize,
        words: &mut Words<'_, E>,
    ) -> Result<(u64, u32, u64), EntropyError> {
        // The limit of scales keeps the shift of Laplace noise at 35 at most, and that of Gaussian noise at 47.
        let low = LowWord::new(words.next()?, shift);
        Ok((low.value, low.spare, low.prefix))
    }

    fn low_to_natural(low: &u64) -> Natural {
        Natural::from(*low)
    }

    #[inline(always)]
    fn low_fraction(low: &u64, shift: usize) -> f64 {
        // Exact scaling by a power of two: the shift is below 64.
        *low as f64 * f64::from_bits((1023u64 - shift as u64) << 52)
    }

    #[inline(always)]
    fn low_is_zero(low: &u64) -> bool {
        *low == 0
    }

    #[inline(always)]
    fn from_word(negative: bool, magnitude: u64) -> i64 {
        signed(negative, magnitude as i64)
    }

    #[inline(always)]
    fn join(negative: bool, high: u64, shift: usize, low: u64) -> Option<i64> {
        let magnitude = (u128::from(high) << shift) + u128::from(low);
        Some(signed(negative, i64::try_from(magnitude).ok()?))
    }

    fn from_magnitude(negative: bool, magnitude: Natural) -> Option<i64> {
        Some(signed(negative, i64::try_from(&magnitude).ok()?))
    }
}

impl Parts for Integer {
    type Low = Natural;

    const SCALE_LIMIT: Option<ScaleLimit> = None;

    fn draw_low<E: Entropy + ?Sized>(
        shift: usize,
        words: &mut Words<'_, E>,
    ) -> Result<(Natural, u32, u64), EntropyError> {
        if shift <= LowWord::MAX_SHIFT {
            let low = LowWord::new(words.next()?, shift);
            return Ok((Natural::from(low.value), low.spare, low.prefix));
        }
        Ok((next_bits(shift, words)?, 64, words.next()?))
    }

    fn low_to_natural(low: &Natural) -> Natural {
        low.clone()
    }

    fn low_fraction(low: &Natural, shift: usize) -> f64 {
        cast_nearest(&Rational::from_parts(low.clone().into(), Natural::ONE << shift))
    }

    fn low_is_zero(low: &Natural) -> bool {
        *low == Natural::ZERO
    }

    fn from_word(negative: bool, magnitude: u64) -> Integer {
        Integer::from(signed(negative, magnitude as i64))
    }

    fn join(negative: bool, high: u64, shift: usize, low: Natural) -> Option<Integer> {
        Integer::from_magnitude(negative, (Natural::from(high) << shift) + low)
    }

    fn from_magnitude(negative: bool, magnitude: Natural) -> Option<Integer> {
        Some(Integer::from_parts(if negative { Sign::Negative } else { Sign::Positive }, magnitude))
    }
}
