//! Discrete Gaussian noise, for every rational σ². A small σ has a table (module `small`); this is for all others.
//!
//! As Karney (2016) does it: x = ±(2^j·q + r), with q from the table of the one-sided law of a small σ, h = σ/2^j, and r of j uniform bits.
//! With ρ = r/2^j, a trial is accepted with probability e^−γ, γ = ρ·(2q + ρ)/(2h²), and −0 is drawn again. Then
//!
//! P(x) ∝ exp(−q²/(2h²) − γ) = exp(−(q + ρ)²/(2h²)) = exp(−x²/(2σ²)).
//!
//! With h from 4 to 8, nine trials in ten are accepted and more. Their number is independent of the value accepted, as always in rejection
//! sampling, and each trial takes the same time. Acceptance is decided as −ln U > γ, with −ln U from the fixed
//! point of `neg_ln` and γ in f64, both with their errors; what that leaves open, U < e^−γ decides exactly.

pub(super) mod small;

use std::marker::PhantomData;

use probity_exact::directed::cast_nearest;
use probity_exact::{Natural, Rational};

use super::SampleError;
use super::bounds::{log2_floor, power_of_two};
use super::draw::Draw;
use super::magnitude::Sides;
use super::neg_ln::{NEG_LN_BITS, TABLE, Table, TwoWords, WIDTH};
use super::outcome::Outcome;
use super::parameter::{ParameterError, SquaredScale};
use super::prefix::{Chunks, Prefix, next_bits, until_accepted};
use super::threshold::Threshold;
use super::words::Words;
use crate::entropy::{Entropy, EntropyError};
use small::Small;

/// f64's unit roundoff.
const U: f64 = f64::EPSILON / 2.0;
/// One unit of −ln U, and what it is uncertain by.
const NEG_LN_UNIT: f64 = 1.0 / (1u64 << NEG_LN_BITS) as f64;
const NEG_LN_ERROR: f64 = WIDTH as f64 * NEG_LN_UNIT;
/// h² lies in [2^this, 2^(this + 2)).
const HIGH_LOG2: i64 = 4;

/// Discrete Gaussian noise: P(X = x) ∝ exp(−x²/(2σ²)) for every integer x.
///
/// ```
/// use probity_noise::entropy::SecureEntropy;
/// use probity_noise::sampler::{DiscreteGaussian, Sampler, SquaredScale};
/// let noise = DiscreteGaussian::<i64>::new(SquaredScale::from_f64(100.0)?)?;
/// let x: i64 = noise.sample(&mut SecureEntropy::new()?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct DiscreteGaussian<T: Outcome = i64> {
    squared_scale: SquaredScale,
    plan: Plan<T>,
}

/// How the noise of one σ² is drawn.
#[derive(Debug, Clone)]
enum Plan<T: Outcome> {
    /// σ² = 0: no noise.
    Zero,
    /// A σ² for which the table is short.
    Small(Small),
    /// Any other.
    Trials(Box<Trial<T>>),
}

#[derive(Debug, Clone)]
pub(super) struct Trial<T: Outcome> {
    /// q.
    pub(super) high: Small,
    /// j.
    pub(super) shift: usize,
    pub(super) acceptance: Acceptance,
    outcome: PhantomData<T>,
}

impl<T: Outcome> Trial<T> {
    /// Trials for this σ²; `None` when it is too small to be split.
    fn new(squared_scale: &Rational) -> Option<Self> {
        let shift = usize::try_from((log2_floor(squared_scale) - HIGH_LOG2).div_euclid(2)).ok()?;
        if shift == 0 { None } else { Trial::split(squared_scale, shift) }
    }

    /// Trials with this many low bits, at least one.
    pub(super) fn split(squared_scale: &Rational, shift: usize) -> Option<Self> {
        let squared_high_scale = squared_scale * power_of_two(-2 * shift as i64);
        let high = Small::new(&squared_high_scale, Sides::One)?;
        let acceptance = Acceptance::new(squared_high_scale, shift);
        Some(Trial { high, shift, acceptance, outcome: PhantomData })
    }

    /// One trial by the exact path: the value if it was accepted.
    pub(super) fn attempt_exactly<C: Chunks>(&self, chunks: &mut C) -> Result<Option<T>, SampleError> {
        let negative = next_bits(1, chunks)? == Natural::ONE;
        let high = Prefix::unknown().resolve(chunks, |prefix| self.high.decide(prefix))?;
        let low = next_bits(self.shift, chunks)?;
        let threshold = self.acceptance.threshold(high.clone(), low.clone());
        let accepted = Prefix::unknown().resolve(chunks, |prefix| threshold.is_above(prefix))?;
        let magnitude = (high << self.shift) + low;
        if !accepted || (negative && magnitude == Natural::ZERO) {
            return Ok(None);
        }
        T::from_magnitude(negative, magnitude).map(Some).ok_or(SampleError::DoesNotFit)
    }

    /// One trial: the value if it was accepted.
    #[inline(always)]
    fn attempt<E: Entropy + ?Sized>(&self, words: &mut Words<'_, E>) -> Result<Option<T>, SampleError> {
        let word = words.next()?;
        let (negative, uniform) = (word & 1 == 1, word >> 1);
        let (high, decided) = self.high.decide_raw(uniform);
        let high = if decided { high } else { finish_high(&self.high, uniform, words)? };
        // At most 47 bits of a 64-bit outcome, by the limit of its scale.
        let (low, _, _) = T::draw_low(self.shift, words)?;
        let [leading, mantissa] = words.next_two()?;
        let pair = TwoWords { leading, mantissa };
        let fraction = T::low_fraction(&low, self.shift);
        let accepted = match self.acceptance.decide_fast(high as f64, fraction, pair) {
            Some(accepted) => accepted,
            None => self.acceptance.finish(high, T::low_to_natural(&low), pair, words)?,
        };
        if !accepted | (negative & (high == 0) & T::low_is_zero(&low)) {
            return Ok(None);
        }
        T::join(negative, high, self.shift, low).map(Some).ok_or(SampleError::DoesNotFit)
    }
}

impl<T: Outcome> DiscreteGaussian<T> {
    /// Noise with this σ²; 0 is no noise.
    ///
    /// # Errors
    /// When the outcome type is `i64` and σ² is 2^100 or more.
    pub fn new(squared_scale: SquaredScale) -> Result<Self, ParameterError> {
        let value = squared_scale.value();
        if value.is_zero() {
            return Ok(DiscreteGaussian { squared_scale, plan: Plan::Zero });
        }
        if let Some(limit) = T::SCALE_LIMIT
            && *value >= power_of_two(2 * limit.log2)
        {
            return Err(ParameterError::new("squared scale", value, limit.squared_scale_allowed));
        }
        let plan = match Small::new(value, Sides::Two) {
            Some(small) => Plan::Small(small),
            None => match Trial::new(value) {
                Some(trial) => Plan::Trials(Box::new(trial)),
                // Not reached: a table is made for every σ² below its limit, and a split ends below it.
                None => {
                    return Err(ParameterError::new(
                        "squared scale",
                        value,
                        "one that a table can be made of",
                    ));
                }
            },
        };
        Ok(DiscreteGaussian { squared_scale, plan })
    }

    /// σ².
    pub fn squared_scale(&self) -> &SquaredScale {
        &self.squared_scale
    }
}

/// Accepts 2^j·q + r with probability e^−γ, γ = ρ·(2q + ρ)/(2h²), ρ = r/2^j.
#[derive(Debug, Clone)]
pub(super) struct Acceptance {
    /// h².
    squared_scale: Rational,
    /// j.
    shift: usize,
    /// 1/(2h²) to the nearest double.
    factor: f64,
    table: &'static Table,
}

impl Acceptance {
    fn new(squared_scale: Rational, shift: usize) -> Self {
        let factor = cast_nearest(&(Rational::ONE / (&squared_scale * Rational::from(2u8))));
        Acceptance { squared_scale, shift, factor, table: &TABLE }
    }

    /// γ.
    pub(super) fn exponent(&self, high: Natural, low: Natural) -> Rational {
        let fraction = Rational::from(low) * power_of_two(-(self.shift as i64));
        let twice = Rational::from(high << 1);
        &fraction * (twice + &fraction) / (&self.squared_scale * Rational::from(2u8))
    }

    fn threshold(&self, high: Natural, low: Natural) -> Threshold {
        Threshold::ExpNeg(self.exponent(high, low))
    }

    /// −ln U > γ in machine arithmetic; `None` when the errors leave it open.
    ///
    /// With u = 2^−53: q is exact, ρ and the factor 1/(2h²) each carry a relative error of at most u, and each of the sum and the
    /// two products another, on positive numbers: 6.01·u·γ in all, and the code takes 8. A ρ below 2^−1022 has an absolute
    /// error instead, far below one unit of −ln U. That loses another u in its conversion and is known to WIDTH units, which the code
    /// doubles; the last subtraction errs by u times the larger operand at most.
    ///
    /// No overflow: q is an index of a table, ρ is at most 1 and h² at least 2^−63.
    #[inline(always)]
    pub(super) fn decide_fast(&self, high: f64, fraction: f64, words: TwoWords) -> Option<bool> {
        let exponent = fraction * (high + high + fraction) * self.factor;
        // Exact scaling by a power of two.
        let neg_ln = self.table.neg_ln_lower(words) as f64 * NEG_LN_UNIT;
        let error = 8.0 * U * exponent + 4.0 * U * (neg_ln + exponent) + 2.0 * NEG_LN_ERROR;
        let gap = neg_ln - exponent;
        // Both comparisons are false for NaN.
        let decided = words.is_normal() & ((gap > error) | (gap < -error));
        decided.then_some(gap > 0.0)
    }

    #[cold]
    fn finish<E: Entropy + ?Sized>(
        &self,
        high: u64,
        low: Natural,
        pair: TwoWords,
        words: &mut Words<'_, E>,
    ) -> Result<bool, EntropyError> {
        let threshold = self.threshold(Natural::from(high), low);
        pair.prefix().resolve(words, |prefix| threshold.is_above(prefix))
    }
}

impl<T: Outcome> Draw for DiscreteGaussian<T> {
    type Value = T;

    fn blank() -> T {
        T::default()
    }

    fn expected_words(&self, count: usize) -> usize {
        match &self.plan {
            Plan::Zero => 0,
            Plan::Small(_) => count,
            // Each trial takes a word for its high part, those of the low part, and two for its acceptance; nine in ten succeed.
            Plan::Trials(trial) => {
                let one_trial = count.saturating_mul(3 + trial.shift.div_ceil(64));
                one_trial.saturating_add(if count == 1 { 0 } else { one_trial / 10 })
            }
        }
    }

    #[inline(always)]
    fn draw<E: Entropy + ?Sized>(&self, words: &mut Words<'_, E>) -> Result<T, SampleError> {
        match &self.plan {
            Plan::Zero => Ok(T::default()),
            Plan::Small(small) => draw_small(small, words),
            Plan::Trials(trial) => until_accepted(|| trial.attempt(words)),
        }
    }

    fn draw_exactly<C: Chunks>(&self, chunks: &mut C) -> Result<T, SampleError> {
        match &self.plan {
            Plan::Zero => Ok(T::default()),
            Plan::Small(small) => {
                let negative = next_bits(1, chunks)? == Natural::ONE;
                let magnitude = Prefix::unknown().resolve(chunks, |prefix| small.decide(prefix))?;
                T::from_magnitude(negative, magnitude).ok_or(SampleError::DoesNotFit)
            }
            Plan::Trials(trial) => until_accepted(|| trial.attempt_exactly(chunks)),
        }
    }
}

/// One draw from a table: 63 bits of a uniform real, and a sign.
#[inline(always)]
fn draw_small<T: Outcome, E: Entropy + ?Sized>(
    small: &Small,
    words: &mut Words<'_, E>,
) -> Result<T, SampleError> {
    let word = words.next()?;
    let (negative, uniform) = (word & 1 == 1, word >> 1);
    let (magnitude, decided) = small.decide_raw(uniform);
    match decided {
        true => Ok(T::from_word(negative, magnitude)),
        false => finish_small(small, negative, uniform, words),
    }
}

/// The high part by the exact path, going on from what its table has left open.
#[cold]
fn finish_high<E: Entropy + ?Sized>(
    high: &Small,
    uniform: u64,
    words: &mut Words<'_, E>,
) -> Result<u64, SampleError> {
    let value = Prefix::known(uniform, small::BITS).resolve(words, |prefix| high.decide(prefix))?;
    u32::try_from(value).map(u64::from).map_err(|_| SampleError::DoesNotFit)
}

/// The exact path, going on from what the table has left open.
#[cold]
fn finish_small<T: Outcome, E: Entropy + ?Sized>(
    small: &Small,
    negative: bool,
    uniform: u64,
    words: &mut Words<'_, E>,
) -> Result<T, SampleError> {
    let magnitude = Prefix::known(uniform, small::BITS).resolve(words, |prefix| small.decide(prefix))?;
    T::from_magnitude(negative, magnitude).ok_or(SampleError::DoesNotFit)
}
