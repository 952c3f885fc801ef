//! Discrete Gaussian noise, for every rational σ². A small σ has a table (module `small`); this is for all others.
//!
//! After Canonne, Kamath and Steinke (2020): with t = ⌊σ⌋ + 1, draw Y from the discrete Laplace of scale t and
//! accept it with probability e^−γ, γ = (|Y| − σ²/t)²/(2σ²). Then
//!
//! P(Y = y)·e^−γ ∝ exp(−|y|/t − y²/(2σ²) + |y|/t − σ²/(2t²)) ∝ exp(−y²/(2σ²)).
//!
//! The number of trials (1.3 to 2.2 on average) is independent of the value accepted, as always in rejection
//! sampling, and each trial takes the same time. Acceptance is decided as −ln U > γ, with −ln U from the fixed
//! point of `neg_ln` and γ in f64, both with their errors; what that leaves open, U < e^−γ decides exactly.

pub(super) mod small;

use dashu_base::SquareRoot;
use probity_exact::directed::cast_nearest;
use probity_exact::{Natural, Rational};

use super::SampleError;
use super::bounds::{log2_floor, power_of_two};
use super::draw::Draw;
use super::laplace::DiscreteLaplace;
use super::neg_ln::{NEG_LN_BITS, TABLE, Table, TwoWords, WIDTH};
use super::outcome::Outcome;
use super::parameter::{ParameterError, Scale, SquaredScale};
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
/// For σ² from 2^−300 to 2^300 nothing in the f64 path can underflow or overflow: see `Acceptance::decide_fast`.
const FAST_LOG2: i64 = 300;

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
    pub(super) proposal: DiscreteLaplace<T>,
    pub(super) acceptance: Acceptance,
}

impl<T: Outcome> Trial<T> {
    /// Trials for this σ² > 0.
    pub(super) fn new(squared_scale: &Rational) -> Result<Self, ParameterError> {
        // ⌊√(n/d)⌋ = ⌊√⌊n/d⌋⌋.
        let floor = Natural::try_from(squared_scale.floor()).unwrap_or(Natural::ZERO);
        let scale = Rational::from(floor.sqrt() + Natural::ONE);
        let acceptance = Acceptance::new(squared_scale.clone(), &scale);
        // σ < 2^50 gives ⌊σ⌋ + 1 ≤ 2^50, which the Laplace noise accepts.
        Ok(Trial { proposal: DiscreteLaplace::new(Scale::new(scale)?)?, acceptance })
    }

    /// One trial by the exact path: the proposal if it was accepted.
    pub(super) fn attempt_exactly<C: Chunks>(&self, chunks: &mut C) -> Result<Option<T>, SampleError> {
        let value: T = self.proposal.draw_exactly(chunks)?;
        let threshold = self.acceptance.threshold(value.magnitude());
        let accepted = Prefix::unknown().resolve(chunks, |prefix| threshold.is_above(prefix))?;
        Ok(accepted.then_some(value))
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
        let plan = match Small::new(value) {
            Some(small) => Plan::Small(small),
            None => Plan::Trials(Box::new(Trial::new(value)?)),
        };
        Ok(DiscreteGaussian { squared_scale, plan })
    }

    /// σ².
    pub fn squared_scale(&self) -> &SquaredScale {
        &self.squared_scale
    }
}

/// Accepts y with probability e^−γ, γ = (|y| − σ²/t)²/(2σ²).
#[derive(Debug, Clone)]
pub(super) struct Acceptance {
    squared_scale: Rational,
    /// σ²/t.
    centre: Rational,
    /// σ²/t and 1/(2σ²) to the nearest double; `None` when σ² is too far from 1 for the fast path.
    fast: Option<(f64, f64)>,
    table: &'static Table,
}

impl Acceptance {
    fn new(squared_scale: Rational, scale: &Rational) -> Self {
        let centre = &squared_scale / scale;
        let fast = (log2_floor(&squared_scale).abs() < FAST_LOG2).then(|| {
            let half_inverse = Rational::ONE / (&squared_scale * Rational::from(2u8));
            (cast_nearest(&centre), cast_nearest(&half_inverse))
        });
        Acceptance { squared_scale, centre, fast, table: &TABLE }
    }

    /// γ.
    pub(super) fn exponent(&self, magnitude: Natural) -> Rational {
        let distance = Rational::from(magnitude) - &self.centre;
        &distance * &distance / (&self.squared_scale * Rational::from(2u8))
    }

    fn threshold(&self, magnitude: Natural) -> Threshold {
        Threshold::ExpNeg(self.exponent(magnitude))
    }

    /// −ln U > γ in machine arithmetic; `None` when the errors leave it open.
    ///
    /// With u = 2^−53: the magnitude a, the centre c and the factor f = 1/(2σ²) each carry a relative error of
    /// at most u. Then d = a − c errs by at most E = 2.01·u·(a + c), and d²·f by at most
    /// (2|d| + E)·E·f + 4u·d²·f ≤ 4.1·u·[(a + c)·(|d| + 1.1·u·(a + c))·f + d²·f]. The code doubles the
    /// constants, which more than covers the roundings of the bound itself. −ln U loses another u in its
    /// conversion and is known to WIDTH units; the last subtraction errs by u times the larger operand at most.
    ///
    /// No underflow or overflow: σ² is within 2^±300 and t ≤ σ + 1, so c and f are within 2^±301; d is 0
    /// or at least ulp(c) ≥ 2^−354. A magnitude can be large, then d²·f is large or infinite: −∞ and NaN
    /// compare as "open", and the exact path decides.
    #[inline(always)]
    pub(super) fn decide_fast(&self, magnitude: f64, words: TwoWords) -> Option<bool> {
        let (centre, factor) = self.fast?;
        let sum = magnitude + centre;
        let distance = (magnitude - centre).abs();
        let exponent = distance * distance * factor;
        let exponent_error = 8.0 * U * (sum * (distance + 8.0 * U * sum) * factor + exponent);
        // Exact scaling by a power of two.
        let neg_ln = self.table.neg_ln_lower(words) as f64 * NEG_LN_UNIT;
        let error = exponent_error + 4.0 * U * (neg_ln + exponent) + 2.0 * NEG_LN_ERROR;
        let gap = neg_ln - exponent;
        // Both comparisons are false for NaN.
        let decided = words.is_normal() && (gap > error || gap < -error);
        decided.then_some(gap > 0.0)
    }

    #[cold]
    fn finish<E: Entropy + ?Sized>(
        &self,
        magnitude: Natural,
        pair: TwoWords,
        words: &mut Words<'_, E>,
    ) -> Result<bool, EntropyError> {
        let threshold = self.threshold(magnitude);
        pair.prefix().resolve(words, |prefix| threshold.is_above(prefix))
    }
}

impl<T: Outcome> Draw for DiscreteGaussian<T> {
    type Value = T;

    fn blank() -> T {
        T::default()
    }

    fn expected_words(&self, count: usize) -> usize {
        let trial = match &self.plan {
            Plan::Zero => return 0,
            Plan::Small(_) => return count,
            Plan::Trials(trial) => trial,
        };
        // Each trial takes a proposal and two words for its acceptance, and about two in three succeed.
        let one_trial = trial.proposal.expected_words(count).saturating_add(count.saturating_mul(2));
        // A single draw asks for two trials at once: a second request costs more than the words.
        one_trial.saturating_add(if count == 1 { one_trial } else { one_trial / 2 })
    }

    #[inline(always)]
    fn draw<E: Entropy + ?Sized>(&self, words: &mut Words<'_, E>) -> Result<T, SampleError> {
        let Trial { proposal, acceptance } = match &self.plan {
            Plan::Zero => return Ok(T::default()),
            Plan::Small(small) => return draw_small(small, words),
            Plan::Trials(trial) => &**trial,
        };
        until_accepted(|| {
            let value = proposal.draw(words)?;
            let [leading, mantissa] = words.next_two()?;
            let pair = TwoWords { leading, mantissa };
            let accepted = match acceptance.decide_fast(value.magnitude_f64(), pair) {
                Some(accepted) => accepted,
                None => acceptance.finish(value.magnitude(), pair, words)?,
            };
            Ok(accepted.then_some(value))
        })
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
