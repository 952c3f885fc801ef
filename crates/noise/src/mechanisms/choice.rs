//! Choosing one of several candidates by their scores: the largest noisy score wins, and no float decides which that is.
//!
//! Every candidate takes the same steps, whatever the scores are, so for integer scores the time tells nothing about them. Rational
//! scores are brought to integers first, which takes longer for longer fractions.
//!
//! d_in bounds by how much any score changes. Loss 2·d_in/scale, or d_in/scale when the scores of neighbours
//! all move the same way (adding a person raises counts). Proofs: `docs/proofs/choice.md`.

use dashu_base::Gcd;
use probity_exact::Rational;

use super::laplace::over_scale;
use crate::compose::Function;
use crate::domain::{Everything, Vectors};
use crate::entropy::Entropy;
use crate::map::{Expression, PrivacyMap};
use crate::measurement::{Measurement, MechanismError};
use crate::metric::Metric;
use crate::sampler::race::{self, Noise};
use crate::sampler::{Gap, ParameterError, Scale, largest, units_of};

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
    /// Report noisy max with one-sided (exponential) noise of this scale: the index of the largest sᵢ + Eᵢ. It has the law of
    /// permute-and-flip, and is never worse than the exponential mechanism.
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
    let (noise, plain) = (rule.noise(), Gap::new(scale.value().clone()));
    let run = move |input: &Vec<Rational>, entropy: &mut dyn Entropy| match to_integers(input) {
        Some((scores, 1)) => choose(noise, &scores, &plain, entropy),
        Some((scores, denominator)) => {
            let gap = Gap::new(scale.value() * Rational::from(denominator));
            choose(noise, &scores, &gap, entropy)
        }
        None => choose_rationally(noise, input, &scale, entropy),
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
    let rational = choice(candidates, rule, scores, scale.clone())?;
    let domain = Vectors::of(Everything).with_length(candidates)?;
    let (metric, map) = (rational.metric(), rational.privacy_map().clone());
    let (noise, gap) = (rule.noise(), Gap::new(scale.value().clone()));
    let run = move |input: &Vec<i64>, entropy: &mut dyn Entropy| choose(noise, input, &gap, entropy);
    Ok(Measurement::new(domain, metric, map, Function(run)))
}

impl Rule {
    fn noise(self) -> Noise {
        match self {
            Rule::Exponential => Noise::Gumbel,
            Rule::NoisyMax => Noise::Exponential,
        }
    }
}

/// The winner among integer scores. The domain has at least one candidate.
fn choose(
    noise: Noise,
    scores: &[i64],
    gap: &Gap,
    entropy: &mut dyn Entropy,
) -> Result<usize, MechanismError> {
    let best = largest(scores);
    let gaps: Vec<u64> = scores.iter().map(|score| gap.units(best.abs_diff(*score))).collect();
    Ok(race::winner(noise, &gaps, |index| gap.exact(best.abs_diff(scores[index])), entropy)?)
}

/// The winner among scores of any size.
fn choose_rationally(
    noise: Noise,
    scores: &[Rational],
    scale: &Scale,
    entropy: &mut dyn Entropy,
) -> Result<usize, MechanismError> {
    let Some(best) = scores.iter().max() else { return Ok(0) };
    let exact = |index: usize| {
        let gap = best - &scores[index];
        match scale.value().is_zero() {
            true => gap.is_zero().then_some(gap),
            false => Some(gap / scale.value()),
        }
    };
    let gaps: Vec<u64> = (0..scores.len()).map(|index| units_of(exact(index))).collect();
    Ok(race::winner(noise, &gaps, exact, entropy)?)
}

/// Scores as integers over one denominator; `None` where that does not fit in 64 bits.
fn to_integers(scores: &[Rational]) -> Option<(Vec<i64>, u64)> {
    let mut common = 1u64;
    for score in scores {
        let denominator = u64::try_from(score.denominator()).ok()?;
        if !common.is_multiple_of(denominator) {
            common = (common / common.gcd(denominator)).checked_mul(denominator)?;
        }
    }
    let scores = scores.iter().map(|score| {
        let factor = common / u64::try_from(score.denominator()).ok()?;
        i64::try_from(score.numerator()).ok()?.checked_mul(i64::try_from(factor).ok()?)
    });
    Some((scores.collect::<Option<_>>()?, common))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::tape::Tape;
    use crate::unit::Sensitivity;
    use probity_exact::directed::exp_nearest;
    use probity_exact::{Natural, rational};

    fn ratio(n: i64, d: i64) -> Rational {
        rational(n, d).unwrap()
    }

    #[test]
    fn fractions_become_integers_over_one_denominator() {
        assert_eq!(to_integers(&[ratio(1, 2), ratio(-2, 3), ratio(5, 1)]), Some((vec![3, -4, 30], 6)));
        assert_eq!(to_integers(&[ratio(i64::MAX, 1)]), Some((vec![i64::MAX], 1)));
        assert_eq!(to_integers(&[ratio(i64::MAX, 1), ratio(1, 2)]), None);
        assert_eq!(to_integers(&[Rational::from(Natural::ONE << 70)]), None);
        assert_eq!(to_integers(&[ratio(1, i64::MAX), ratio(1, i64::MAX - 1)]), None);
    }

    /// Scores that fit and scores that do not are the same race: a common shift and factor change nothing.
    #[test]
    fn huge_scores_are_chosen_as_small_ones() {
        let small = [3, 0, 5, 4].map(|score| ratio(score, 3)).to_vec();
        let factor = Rational::from(Natural::ONE << 200);
        let huge: Vec<Rational> = small.iter().map(|score| (score + ratio(1, 7)) * &factor).collect();
        for rule in [Rule::Exponential, Rule::NoisyMax] {
            let pick = choice(4, rule, Scores::Any, Scale::new(ratio(1, 2)).unwrap()).unwrap();
            let pick_huge = choice(4, rule, Scores::Any, Scale::new(ratio(1, 2) * &factor).unwrap()).unwrap();
            for seed in 0..300 {
                let one = pick.simulate(&small, &mut Tape::seeded(seed)).unwrap();
                assert_eq!(one, pick_huge.simulate(&huge, &mut Tape::seeded(seed)).unwrap());
            }
        }
    }

    #[test]
    fn at_scale_zero_one_of_the_best_wins() {
        for rule in [Rule::Exponential, Rule::NoisyMax] {
            let pick = choice_of_integers(4, rule, Scores::Any, Scale::from_f64(0.0).unwrap()).unwrap();
            let mut won = [0; 4];
            for seed in 0..400 {
                won[pick.simulate(&vec![7, 2, 7, i64::MIN], &mut Tape::seeded(seed)).unwrap()] += 1;
            }
            assert!(won[1] == 0 && won[3] == 0 && won[0] > 150 && won[2] > 150, "{won:?}");
        }
    }

    #[test]
    fn scores_of_any_kind_cost_twice() {
        let map = |scores| choice_map(scores, &Scale::new(ratio(4, 1)).unwrap());
        let loss = |scores, d: u32| map(scores).loss(&Sensitivity::from(d)).unwrap().to_string();
        assert_eq!((loss(Scores::Any, 3), loss(Scores::Monotone, 3)), ("ε = 1.5".into(), "ε = 0.75".into()));
        for (scores, metric) in
            [(Scores::Any, Metric::LInfinity), (Scores::Monotone, Metric::LInfinityMonotone)]
        {
            for rule in [Rule::Exponential, Rule::NoisyMax] {
                let scale = || Scale::new(ratio(4, 1)).unwrap();
                let of_any = choice(2, rule, scores, scale()).unwrap();
                let of_integers = choice_of_integers(2, rule, scores, scale()).unwrap();
                assert_eq!((of_any.metric(), of_integers.metric()), (metric, metric));
                assert_eq!(of_integers.privacy_map().guarantee(), map(scores).guarantee());
                assert!(
                    choice(0, rule, scores, scale()).is_err() && choice(1, rule, scores, scale()).is_ok()
                );
                assert!(choice_of_integers(0, rule, scores, scale()).is_err());
                assert!(of_any.simulate(&vec![ratio(1, 1); 3], &mut Tape::seeded(1)).is_err());
                assert!(of_integers.simulate(&vec![1; 3], &mut Tape::seeded(1)).is_err());
            }
        }
    }

    /// Two candidates with a gap g win with e^(−g/scale)/(1 + e^(−g/scale)) and e^(−g/scale)/2, whichever way the scores are read.
    #[test]
    fn the_worse_of_two_wins_as_often_as_its_rule_says() {
        let near = exp_nearest(-0.5);
        let factor = Rational::from(Natural::ONE << 200);
        for (rule, p) in [(Rule::Exponential, near / (1.0 + near)), (Rule::NoisyMax, near / 2.0)] {
            let any = |scale: Rational| choice(2, rule, Scores::Any, Scale::new(scale).unwrap()).unwrap();
            let integers =
                choice_of_integers(2, rule, Scores::Any, Scale::new(ratio(4, 1)).unwrap()).unwrap();
            let (whole, thirds, huge) = (any(ratio(4, 1)), any(ratio(4, 3)), any(ratio(4, 1) * &factor));
            let (mut tape, draws) = (Tape::seeded(7), 300);
            let won =
                |mut run: Box<dyn FnMut() -> usize + '_>| (0..draws).filter(|_| run() == 1).count() as f64;
            let counts = [
                won(Box::new(|| integers.simulate(&vec![5, 3], &mut tape).unwrap())),
                won(Box::new(|| whole.simulate(&vec![ratio(5, 1), ratio(3, 1)], &mut tape).unwrap())),
                won(Box::new(|| thirds.simulate(&vec![ratio(5, 3), ratio(1, 1)], &mut tape).unwrap())),
                won(Box::new(|| {
                    let scores = vec![ratio(5, 1) * &factor, ratio(3, 1) * &factor];
                    huge.simulate(&scores, &mut tape).unwrap()
                })),
            ];
            let (expected, deviation) = (p * f64::from(draws), (p * (1.0 - p) * f64::from(draws)).sqrt());
            for count in counts {
                assert!((count - expected).abs() < 3.5 * deviation, "{rule:?} {counts:?} {expected}");
            }
        }
    }
}
