//! Choosing one of several candidates by their scores. No float decides anything: scores are integers or
//! rationals, and every coin has an exact probability e^−γ with rational γ.
//!
//! d_in bounds by how much any score changes. Loss 2·d_in/scale, or d_in/scale when the scores of neighbours
//! all move the same way (adding a person raises counts). Proofs: `docs/proofs/choice.md`.

use probity_exact::{Natural, Rational};

use super::laplace::over_scale;
use crate::compose::Function;
use crate::domain::{Everything, Vectors};
use crate::entropy::Entropy;
use crate::map::{Expression, PrivacyMap};
use crate::measurement::{Measurement, MechanismError};
use crate::metric::Metric;
use crate::sampler::{BernoulliExp, Count, Exponent, ParameterError, Sampler, Scale, UniformBelow};

/// How scores of neighbouring inputs may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scores {
    /// Each by at most d_in, up or down.
    Any,
    /// Each by at most d_in, and all up or all down.
    Monotone,
}

/// Which law the choice has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The exponential mechanism: P(i) ∝ e^(sᵢ/scale).
    Exponential,
    /// Report noisy max with one-sided (exponential) noise of this scale: the index of the largest sᵢ + Eᵢ. Drawn as
    /// permute-and-flip, which has the same law and is exact. Never worse than the exponential mechanism.
    NoisyMax,
}

/// The loss of a choice: 2·d_in/scale, or d_in/scale for monotone scores; ∞ at scale 0.
///
/// ```
/// use probity_noise::mechanisms::{Scores, choice_map};
/// use probity_noise::sampler::Scale;
/// use probity_noise::unit::Sensitivity;
/// let scale = Scale::from_f64(4.0)?;
/// let one = Sensitivity::from(1u32);
/// assert_eq!(choice_map(Scores::Any, &scale).loss(&one)?.to_string(), "ε = 0.5");
/// assert_eq!(choice_map(Scores::Monotone, &scale).loss(&one)?.to_string(), "ε = 0.25");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn choice_map(scores: Scores, scale: &Scale) -> PrivacyMap {
    let distance = match scores {
        Scores::Any => Expression::constant(Rational::from(2u8)) * Expression::distance_in(),
        Scores::Monotone => Expression::distance_in(),
    };
    PrivacyMap::pure(over_scale(distance, scale))
}

/// Chooses the index of one of `candidates` scores.
///
/// ```
/// use probity_exact::Rational;
/// use probity_noise::mechanisms::{Rule, Scores, choice};
/// use probity_noise::sampler::Scale;
/// let pick = choice(3, Rule::NoisyMax, Scores::Monotone, Scale::from_f64(0.001)?)?;
/// let scores = [3u8, 9, 5].map(Rational::from).to_vec();
/// assert_eq!(pick.invoke(&scores)?, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When there is no candidate.
pub fn choice(
    candidates: usize,
    rule: Rule,
    scores: Scores,
    scale: Scale,
) -> Result<Measurement<Vec<Rational>, usize>, ParameterError> {
    if candidates == 0 {
        return Err(ParameterError::new("number of candidates", candidates, "at least 1"));
    }
    let map = choice_map(scores, &scale);
    let metric = match scores {
        Scores::Any => Metric::LInfinity,
        Scores::Monotone => Metric::LInfinityMonotone,
    };
    let domain = Vectors::of(Everything).with_length(candidates)?;
    let run = move |input: &Vec<Rational>, entropy: &mut dyn Entropy| {
        // The domain has at least one candidate.
        let Some(coins) = Coins::new(input, &scale) else { return Ok(0) };
        match rule {
            Rule::Exponential => coins.until_accepted(entropy),
            Rule::NoisyMax => coins.permute_and_flip(entropy),
        }
    };
    Ok(Measurement::new(domain, metric, map, Function(run)))
}

/// [`choice`] for integer scores.
///
/// # Errors
/// When there is no candidate.
pub fn choice_of_integers(
    candidates: usize,
    rule: Rule,
    scores: Scores,
    scale: Scale,
) -> Result<Measurement<Vec<i64>, usize>, ParameterError> {
    let rational = choice(candidates, rule, scores, scale)?;
    let domain = Vectors::of(Everything).with_length(candidates)?;
    let (metric, map) = (rational.metric(), rational.privacy_map().clone());
    let run = move |input: &Vec<i64>, entropy: &mut dyn Entropy| {
        let scores: Vec<Rational> = input.iter().map(|score| Rational::from(*score)).collect();
        rational.mechanism().answer(&scores, entropy)
    };
    Ok(Measurement::new(domain, metric, map, Function(run)))
}

/// One coin for each candidate: heads with probability e^((sᵢ − s*)/scale), where s* is the best score. At scale 0, in
/// the limit, the best candidates have sure coins and the others none.
struct Coins<'s> {
    scores: &'s [Rational],
    best: &'s Rational,
    scale: &'s Scale,
}

impl<'s> Coins<'s> {
    /// `None` when there is no candidate.
    fn new(scores: &'s [Rational], scale: &'s Scale) -> Option<Self> {
        Some(Coins { scores, best: scores.iter().max()?, scale })
    }

    fn flip(&self, index: usize, entropy: &mut dyn Entropy) -> Result<bool, MechanismError> {
        let gap = self.best - &self.scores[index];
        if gap.is_zero() {
            return Ok(true);
        }
        if self.scale.value().is_zero() {
            return Ok(false);
        }
        let exponent = Exponent::new(gap / self.scale.value())?;
        Ok(BernoulliExp::new(exponent).sample(entropy)?)
    }

    /// A uniform candidate, accepted with its coin, else all over again: P(i) ∝ e^(sᵢ/scale). The best candidate is
    /// always accepted, so fewer than n rounds are expected; how many were needed depends on the scores.
    fn until_accepted(&self, entropy: &mut dyn Entropy) -> Result<usize, MechanismError> {
        let candidate = uniform(self.scores.len())?;
        loop {
            let index = index_of(candidate.sample(entropy)?);
            if self.flip(index, entropy)? {
                return Ok(index);
            }
        }
    }

    /// Candidates in random order, each accepted with its coin; the best one's coin is sure.
    fn permute_and_flip(&self, entropy: &mut dyn Entropy) -> Result<usize, MechanismError> {
        let mut waiting: Vec<usize> = (0..self.scores.len()).collect();
        loop {
            let position = index_of(uniform(waiting.len())?.sample(entropy)?);
            let index = waiting.swap_remove(position);
            if waiting.is_empty() || self.flip(index, entropy)? {
                return Ok(index);
            }
        }
    }
}

fn uniform(count: usize) -> Result<UniformBelow<i64>, ParameterError> {
    UniformBelow::new(Count::new(Natural::from(count))?)
}

/// A draw below a usize, as a usize.
fn index_of(draw: i64) -> usize {
    usize::try_from(draw).unwrap_or(0)
}
