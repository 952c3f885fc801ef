//! Geometric and discrete Laplace noise, for every rational scale.
//!
//! Below 2^16 a draw is ⌊−s·ln U + b⌋ (module `magnitude`) and a sign. From 2^16 on, geometric noise is split
//! exactly: with t = 2^j and q = e^(−1/s),
//!
//! P(G = t·v + r) = (1−q)·q^(tv+r) = [(1 − q^t)·(q^t)^v] · [q^r (1−q)/(1−q^t)],
//!
//! so G = t·V + R with V geometric of scale s/t, and R, independent of V, from 0 to t−1 with P(R = r) ∝ e^(−r/s).
//! R is uniform bits accepted with probability e^(−r/s) > 1 − 2^−15. The discrete Laplace is then ±G, drawn
//! again when it comes out as −0: that gives P(X = x) ∝ q^|x|. Neither retry depends on the value returned,
//! and together they are rarer than 2^−14.

use std::marker::PhantomData;

use probity_exact::{Natural, Rational};

use super::bounds::{log2_floor, power_of_two};
use super::bulk;
use super::draw::Draw;
use super::magnitude::{MAX_SCALE_LOG2, Magnitude, Sides};
use super::neg_ln::TwoWords;
use super::outcome::{LowWord, Outcome};
use super::parameter::{ParameterError, Scale};
use super::prefix::{Chunks, Prefix, next_bits, until_accepted};
use super::threshold::Threshold;
use super::words::Words;
use super::{EntropyError, SampleError};
use crate::entropy::Entropy;

/// s/2^shift is at least 2^this in a split, so a low part is accepted with probability above 1 − 2^−this.
const LOW_ACCEPT_LOG2: u32 = MAX_SCALE_LOG2 as u32 - 1;

/// How the noise of one scale is drawn.
#[derive(Debug, Clone)]
pub(super) enum Plan {
    /// Scale 0: no noise.
    Zero,
    /// A scale below 2^16, in one piece.
    Direct(Magnitude),
    /// A larger scale: geometric high part, uniform low part of `shift` bits.
    Split { high: Magnitude, shift: usize, scale: Rational },
}

impl Plan {
    fn new<T: Outcome>(scale: &Scale, sides: Sides) -> Result<Self, ParameterError> {
        let value = scale.value();
        if value.is_zero() {
            return Ok(Plan::Zero);
        }
        let log2 = log2_floor(value);
        if let Some(limit) = T::SCALE_LIMIT
            && *value > power_of_two(limit.log2)
        {
            return Err(ParameterError::new("scale", value, limit.scale_allowed));
        }
        if log2 < MAX_SCALE_LOG2 {
            return Ok(Plan::Direct(Magnitude::new(value.clone(), sides)));
        }
        Ok(Plan::split(value, (log2 - i64::from(LOW_ACCEPT_LOG2)) as usize))
    }

    /// A split with this many low bits; the fast path needs scale/2^shift ≥ 2^LOW_ACCEPT_LOG2.
    pub(super) fn split(scale: &Rational, shift: usize) -> Self {
        let high = Magnitude::new(scale * power_of_two(-(shift as i64)), Sides::One);
        Plan::Split { high, shift, scale: scale.clone() }
    }

    /// Two words for −ln U, and those of the low part with the bits that accept it.
    fn expected_words(&self, count: usize) -> usize {
        count.saturating_mul(match self {
            Plan::Zero => 0,
            Plan::Direct(_) => 2,
            Plan::Split { shift, .. } => 2 + (shift + LOW_ACCEPT_LOG2 as usize).div_ceil(64),
        })
    }

    /// One draw.
    fn draw<T: Outcome, E: Entropy + ?Sized>(
        &self,
        sides: Sides,
        words: &mut Words<'_, E>,
    ) -> Result<T, SampleError> {
        match self {
            Plan::Zero => Ok(T::default()),
            Plan::Direct(magnitude) => draw_direct(magnitude, sides, words),
            Plan::Split { high, shift, scale } => draw_one_split(high, *shift, scale, sides, words),
        }
    }

    /// Fills `out` with draws; the plan is looked at once.
    fn draw_all<T: Outcome, E: Entropy + ?Sized>(
        &self,
        sides: Sides,
        out: &mut [T],
        words: &mut Words<'_, E>,
    ) -> Result<(), SampleError> {
        match self {
            Plan::Zero => out.fill(T::default()),
            Plan::Direct(magnitude) => bulk::fill_direct(magnitude, sides, out, words)?,
            Plan::Split { high, shift, scale } if *shift <= LowWord::MAX_SHIFT => {
                bulk::fill_split(high, *shift, scale, sides, out, words)?;
            }
            Plan::Split { high, shift, scale } => {
                for value in out {
                    *value = draw_split(high, *shift, scale, sides, words)?;
                }
            }
        }
        Ok(())
    }

    /// One draw by the exact path alone.
    fn draw_exactly<T: Outcome, C: Chunks>(&self, sides: Sides, chunks: &mut C) -> Result<T, SampleError> {
        let (negative, magnitude) = until_accepted(|| self.attempt_exactly(sides, chunks))?;
        T::from_magnitude(negative, magnitude).ok_or(SampleError::DoesNotFit)
    }

    /// One trial by the exact path: whether the noise is negative, and its magnitude; `None` to draw again.
    /// A trial of a split starts afresh with its high part too, which changes nothing in the law.
    pub(super) fn attempt_exactly<C: Chunks>(
        &self,
        sides: Sides,
        chunks: &mut C,
    ) -> Result<Option<(bool, Natural)>, EntropyError> {
        let magnitude = match self {
            Plan::Zero => return Ok(Some((false, Natural::ZERO))),
            Plan::Direct(magnitude) | Plan::Split { high: magnitude, .. } => magnitude,
        };
        let negative = sides == Sides::Two && next_bits(1, chunks)? == Natural::ONE;
        let high = Prefix::unknown().resolve(chunks, |prefix| magnitude.decide(prefix))?;
        let Plan::Split { shift, scale, .. } = self else { return Ok(Some((negative, high))) };
        let low = next_bits(*shift, chunks)?;
        let threshold = low_threshold(scale, low.clone());
        let accepted = Prefix::unknown().resolve(chunks, |prefix| threshold.is_above(prefix))?;
        let value = (high << *shift) + low;
        Ok((accepted && !(negative && value == Natural::ZERO)).then_some((negative, value)))
    }
}

/// The sign: the lowest bit of the first word, which one-sided noise ignores.
#[inline(always)]
pub(super) fn is_negative(sides: Sides, leading: u64) -> bool {
    sides == Sides::Two && leading & 1 == 1
}

/// A sign and a magnitude below 2^32.
#[inline(always)]
fn draw_signed<E: Entropy + ?Sized>(
    magnitude: &Magnitude,
    sides: Sides,
    words: &mut Words<'_, E>,
) -> Result<(bool, u64), SampleError> {
    let [leading, mantissa] = words.next_two()?;
    let pair = TwoWords { leading, mantissa };
    let value = match magnitude.decide_fast(pair) {
        Some(value) => value,
        None => finish(magnitude, pair.prefix(), words)?,
    };
    Ok((is_negative(sides, leading), value))
}

/// Noise in one piece.
#[inline(always)]
pub(super) fn draw_direct<T: Outcome, E: Entropy + ?Sized>(
    magnitude: &Magnitude,
    sides: Sides,
    words: &mut Words<'_, E>,
) -> Result<T, SampleError> {
    let (negative, value) = draw_signed(magnitude, sides, words)?;
    Ok(T::from_word(negative, value))
}

/// Noise split into a high part and low bits that come from one word together with the bits that accept them: the value from three
/// words, and whether they decide it. The caller owes shift ≤ MAX_SHIFT.
#[inline(always)]
pub(super) fn split_at_once<T: Outcome>(
    high: &Magnitude,
    shift: usize,
    sides: Sides,
    [leading, mantissa, low]: [u64; 3],
) -> (T, bool) {
    let (number, decided) = high.decide_raw(TwoWords { leading, mantissa });
    let negative = is_negative(sides, leading);
    let low = LowWord::new(low, shift);
    let minus_zero = negative & (number == 0) & (low.value == 0);
    let done = decided & is_accepted_at_once(low.spare, low.prefix) & !minus_zero;
    // At most 2^22 and 35 bits, see `Magnitude::decide_raw`: the sum fits.
    (T::from_word(negative, number.wrapping_shl(shift as u32) | low.value), done)
}

/// One draw of a split: from three words at once, or else from the same words step by step.
#[inline(always)]
fn draw_one_split<T: Outcome, E: Entropy + ?Sized>(
    high: &Magnitude,
    shift: usize,
    scale: &Rational,
    sides: Sides,
    words: &mut Words<'_, E>,
) -> Result<T, SampleError> {
    if shift <= LowWord::MAX_SHIFT {
        let [leading, mantissa] = words.next_two()?;
        let three = [leading, mantissa, words.next()?];
        let (value, done) = split_at_once(high, shift, sides, three);
        if done {
            return Ok(value);
        }
        words.unread(&three);
    }
    draw_split(high, shift, scale, sides, words)
}

/// Noise split into a high and a low part.
#[cold]
pub(super) fn draw_split<T: Outcome, E: Entropy + ?Sized>(
    high: &Magnitude,
    shift: usize,
    scale: &Rational,
    sides: Sides,
    words: &mut Words<'_, E>,
) -> Result<T, SampleError> {
    until_accepted(|| {
        let (negative, high) = draw_signed(high, sides, words)?;
        let low = draw_low::<T, E>(scale, shift, words)?;
        if negative && high == 0 && T::low_is_zero(&low) {
            // −0 is drawn again.
            return Ok(None);
        }
        T::join(negative, high, shift, low).map(Some).ok_or(SampleError::DoesNotFit)
    })
}

/// The exact path, going on from what the fast path has seen.
#[cold]
fn finish<E: Entropy + ?Sized>(
    magnitude: &Magnitude,
    prefix: Prefix,
    words: &mut Words<'_, E>,
) -> Result<u64, SampleError> {
    let value = prefix.resolve(words, |prefix| magnitude.decide(prefix))?;
    // A prefix ends at 2^16 bits and the scale at 2^16, so the value is below 2^32.
    u32::try_from(value).map(u64::from).map_err(|_| SampleError::DoesNotFit)
}

/// e^(−low/scale): the probability of accepting a low part.
fn low_threshold(scale: &Rational, low: Natural) -> Threshold {
    Threshold::ExpNeg(Rational::from(low) / scale)
}

/// Whether these first bits of a uniform real accept every low part: e^−x ≥ 1 − x > 1 − 2^−LOW_ACCEPT_LOG2, so
/// they do unless the first LOW_ACCEPT_LOG2 of them are all ones.
#[inline(always)]
pub(super) fn is_accepted_at_once(bits: u32, prefix: u64) -> bool {
    // There are at least 29 bits; `wrapping` only spares checks in a hot loop.
    prefix.wrapping_shr(bits.wrapping_sub(LOW_ACCEPT_LOG2)) != (1 << LOW_ACCEPT_LOG2) - 1
}

/// R of the module's text.
#[inline(always)]
fn draw_low<T: Outcome, E: Entropy + ?Sized>(
    scale: &Rational,
    shift: usize,
    words: &mut Words<'_, E>,
) -> Result<T::Low, EntropyError> {
    until_accepted(|| {
        let (low, bits, prefix) = T::draw_low(shift, words)?;
        let accepted = is_accepted_at_once(bits, prefix) || {
            let prefix = Prefix::known(prefix, bits as usize);
            accept_low(scale, T::low_to_natural(&low), prefix, words)?
        };
        Ok(accepted.then_some(low))
    })
}

#[cold]
fn accept_low<E: Entropy + ?Sized>(
    scale: &Rational,
    low: Natural,
    prefix: Prefix,
    words: &mut Words<'_, E>,
) -> Result<bool, EntropyError> {
    let threshold = low_threshold(scale, low);
    prefix.resolve(words, |prefix| threshold.is_above(prefix))
}

/// Declares one kind of noise over [`Plan`].
macro_rules! noise {
    ($(#[$doc:meta])* $name:ident, $sides:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name<T: Outcome = i64> {
            scale: Scale,
            pub(super) plan: Plan,
            outcome: PhantomData<T>,
        }

        impl<T: Outcome> $name<T> {
            /// Noise of this scale; scale 0 is no noise.
            ///
            /// # Errors
            /// When the outcome type is `i64` and the scale exceeds 2^50.
            pub fn new(scale: Scale) -> Result<Self, ParameterError> {
                let plan = Plan::new::<T>(&scale, $sides)?;
                Ok($name { scale, plan, outcome: PhantomData })
            }

            /// The scale.
            pub fn scale(&self) -> &Scale {
                &self.scale
            }
        }

        impl<T: Outcome> Draw for $name<T> {
            type Value = T;

            fn blank() -> T {
                T::default()
            }

            fn expected_words(&self, count: usize) -> usize {
                self.plan.expected_words(count)
            }

            #[inline(always)]
            fn draw<E: Entropy + ?Sized>(&self, words: &mut Words<'_, E>) -> Result<T, SampleError> {
                self.plan.draw($sides, words)
            }

            fn draw_exactly<C: Chunks>(&self, chunks: &mut C) -> Result<T, SampleError> {
                self.plan.draw_exactly($sides, chunks)
            }

            fn draw_all<E: Entropy + ?Sized>(
                &self,
                out: &mut [T],
                words: &mut Words<'_, E>,
            ) -> Result<(), SampleError> {
                self.plan.draw_all($sides, out, words)
            }
        }
    };
}

noise!(
    /// Discrete Laplace noise: P(X = x) = e^(−|x|/s) · (1−q)/(1+q) with q = e^(−1/s), for every integer x.
    ///
    /// ```
    /// use probity_exact::{Integer, fraction, rational};
    /// use probity_noise::entropy::SecureEntropy;
    /// use probity_noise::sampler::{DiscreteLaplace, Sampler, Scale};
    /// let mut entropy = SecureEntropy::new()?;
    /// let x: i64 = DiscreteLaplace::<i64>::new(Scale::new(fraction::<7, 3>())?)?.sample(&mut entropy)?;
    ///
    /// let huge = Scale::new(rational(Integer::ONE << 200, 3).unwrap())?;
    /// assert!(DiscreteLaplace::<i64>::new(huge.clone()).is_err());
    /// let y: Integer = DiscreteLaplace::<Integer>::new(huge)?.sample(&mut entropy)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    DiscreteLaplace, Sides::Two
);

noise!(
    /// Geometric noise: P(X = x) = (1−q)·q^x with q = e^(−1/s), for every integer x ≥ 0.
    ///
    /// ```
    /// use probity_noise::entropy::SecureEntropy;
    /// use probity_noise::sampler::{Geometric, Sampler, Scale};
    /// let noise = Geometric::<i64>::new(Scale::from_f64(1e6)?)?;
    /// assert!(noise.sample(&mut SecureEntropy::new()?)? >= 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Geometric, Sides::One
);
