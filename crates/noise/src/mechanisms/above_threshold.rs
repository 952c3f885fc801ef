//! Above-threshold (the sparse vector technique): a stream of integer answers, each compared with one noisy threshold,
//! until a number of them were above. Answers below the threshold are free.
//!
//! Map, for answers that change by at most d_in between neighbours and `hits` answers above:
//! ε = d_in/threshold_scale + 2·hits·d_in/query_scale, or half the second term for monotone answers. The
//! noise is discrete Laplace, and every comparison is between integers. Proof: `docs/proofs/choice.md`.

use probity_exact::{Integer, Rational};

use super::choice::Scores;
use crate::entropy::{Entropy, with_secure};
use crate::map::{Expression, PrivacyMap};
use crate::measurement::MechanismError;
use crate::sampler::{DiscreteLaplace, ParameterError, Sampler, Scale};

/// The parameters of above-threshold.
///
/// ```
/// use probity_exact::Integer;
/// use probity_noise::mechanisms::{AboveThreshold, Scores};
/// use probity_noise::sampler::Scale;
/// use probity_noise::unit::Sensitivity;
/// let scale = |value| Scale::from_f64(value);
/// let alarm = AboveThreshold::new(scale(2.0)?, scale(4.0)?, 1, Scores::Any)?;
/// assert_eq!(alarm.map().loss(&Sensitivity::from(1u32))?.to_string(), "ε = 1");
///
/// let mut queries = alarm.start(&Integer::from(1_000_000))?;
/// assert!(!queries.ask(&Integer::from(3))?);
/// assert!(queries.ask(&Integer::from(2_000_000))?);
/// assert!(queries.ask(&Integer::from(3)).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct AboveThreshold {
    threshold_noise: DiscreteLaplace<Integer>,
    query_noise: DiscreteLaplace<Integer>,
    hits: u32,
    answers: Scores,
}

impl AboveThreshold {
    /// Noise of these scales on the threshold and on each answer, ending after `hits` answers above.
    ///
    /// # Errors
    /// When `hits` is 0.
    pub fn new(
        threshold_scale: Scale,
        query_scale: Scale,
        hits: u32,
        answers: Scores,
    ) -> Result<Self, ParameterError> {
        if hits == 0 {
            return Err(ParameterError::new("hits", hits, "at least 1"));
        }
        let threshold_noise = DiscreteLaplace::new(threshold_scale)?;
        Ok(AboveThreshold { threshold_noise, query_noise: DiscreteLaplace::new(query_scale)?, hits, answers })
    }

    /// The loss of a whole stream of answers that each change by at most d_in between neighbours.
    pub fn map(&self) -> PrivacyMap {
        let over = |distance: Expression, name: &str, scale: &Scale| match scale.value().is_zero() {
            true => Expression::infinity(),
            false => distance / Expression::parameter(name, scale.value().clone()),
        };
        let steps = match self.answers {
            Scores::Any => Rational::from(2u8),
            Scores::Monotone => Rational::ONE,
        };
        let hits = Expression::parameter("hits", Rational::from(self.hits));
        let shift = Expression::constant(steps) * hits * Expression::distance_in();
        PrivacyMap::pure(Expression::zero_at_zero(Expression::sum([
            over(Expression::distance_in(), "threshold_scale", self.threshold_noise.scale()),
            over(shift, "query_scale", self.query_noise.scale()),
        ])))
    }

    /// Draws the noisy threshold, with the calling thread's secure randomness.
    ///
    /// # Errors
    /// When the noise cannot be drawn.
    pub fn start(&self, threshold: &Integer) -> Result<ThresholdQueries, MechanismError> {
        with_secure(|entropy| self.simulate(threshold, entropy))
    }

    /// [`start`](AboveThreshold::start) from any source of bits: for tests, no release.
    ///
    /// # Errors
    /// When the noise cannot be drawn.
    pub fn simulate(
        &self,
        threshold: &Integer,
        entropy: &mut dyn Entropy,
    ) -> Result<ThresholdQueries, MechanismError> {
        let noisy_threshold = threshold + self.threshold_noise.sample(entropy)?;
        Ok(ThresholdQueries { noisy_threshold, noise: self.query_noise.clone(), left: self.hits })
    }
}

/// A stream of queries against one noisy threshold, which stays inside.
pub struct ThresholdQueries {
    noisy_threshold: Integer,
    noise: DiscreteLaplace<Integer>,
    left: u32,
}

impl ThresholdQueries {
    /// Whether the answer, with fresh noise, reaches the noisy threshold.
    ///
    /// # Errors
    /// When all hits are used up, or the noise cannot be drawn.
    pub fn ask(&mut self, answer: &Integer) -> Result<bool, MechanismError> {
        with_secure(|entropy| self.simulate(answer, entropy))
    }

    /// [`ask`](ThresholdQueries::ask) from any source of bits: for tests, no release.
    ///
    /// # Errors
    /// As for [`ask`](ThresholdQueries::ask).
    pub fn simulate(&mut self, answer: &Integer, entropy: &mut dyn Entropy) -> Result<bool, MechanismError> {
        if self.left == 0 {
            let detail = "all hits are used up: no further query is answered".to_string();
            return Err(MechanismError::Exhausted { detail });
        }
        let above = answer + self.noise.sample(entropy)? >= self.noisy_threshold;
        self.left -= u32::from(above);
        Ok(above)
    }

    /// How many more answers above the threshold there may be.
    pub fn hits_left(&self) -> u32 {
        self.left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::tape::Tape;
    use crate::unit::Sensitivity;

    fn alarm(threshold: f64, query: f64, hits: u32, answers: Scores) -> AboveThreshold {
        let scale = |value| Scale::from_f64(value).unwrap();
        AboveThreshold::new(scale(threshold), scale(query), hits, answers).unwrap()
    }

    /// d/2 + 2·3·d/4, and half of the second where all answers move one way.
    #[test]
    fn every_answer_above_costs() {
        let loss =
            |alarm: AboveThreshold, d: u32| alarm.map().loss(&Sensitivity::from(d)).unwrap().to_string();
        assert_eq!(loss(alarm(2.0, 4.0, 3, Scores::Any), 1), "ε = 2");
        assert_eq!(loss(alarm(2.0, 4.0, 3, Scores::Any), 3), "ε = 6");
        assert_eq!(loss(alarm(2.0, 4.0, 3, Scores::Monotone), 1), "ε = 1.25");
        assert_eq!(loss(alarm(2.0, 4.0, 3, Scores::Any), 0), "ε = 0");
        for (threshold, query) in [(0.0, 4.0), (2.0, 0.0)] {
            assert_eq!(loss(alarm(threshold, query, 1, Scores::Any), 1), "ε = ∞");
        }
        assert!(
            AboveThreshold::new(Scale::from_f64(1.0).unwrap(), Scale::from_f64(1.0).unwrap(), 0, Scores::Any)
                .is_err()
        );
    }

    /// Without noise an answer is above where it is not below, and each of these is counted.
    #[test]
    fn answers_are_compared_and_counted() {
        let integer = |x: i64| Integer::from(x);
        let mut tape = Tape::seeded(1);
        let mut queries = alarm(0.0, 0.0, 2, Scores::Any).simulate(&integer(10), &mut tape).unwrap();
        let mut ask = |x: i64| (queries.simulate(&integer(x), &mut tape).ok(), queries.hits_left());
        assert_eq!(ask(9), (Some(false), 2));
        assert_eq!(ask(10), (Some(true), 1));
        assert_eq!(ask(-11), (Some(false), 1));
        assert_eq!(ask(11), (Some(true), 0));
        assert_eq!(ask(11), (None, 0));
        assert_eq!(ask(9), (None, 0));
        // The same with bits that nobody knows, of which none are needed.
        let mut queries = alarm(0.0, 0.0, 2, Scores::Any).start(&integer(10)).unwrap();
        assert_eq!([9, 10, 9].map(|x| queries.ask(&integer(x)).unwrap()), [false, true, false]);
    }

    /// The noise of the threshold and that of the answers are those of their own scales.
    #[test]
    fn noise_is_added_to_both_sides() {
        let law = |scale: f64| DiscreteLaplace::<Integer>::new(Scale::from_f64(scale).unwrap()).unwrap();
        let alarm = alarm(1000.0, 30.0, 1, Scores::Any);
        for seed in 0..20 {
            let mut queries = alarm.simulate(&Integer::from(50), &mut Tape::seeded(seed)).unwrap();
            let z = law(1000.0).sample(&mut Tape::seeded(seed)).unwrap();
            assert_eq!(queries.noisy_threshold, Integer::from(50) + z);
            let y = law(30.0).sample(&mut Tape::seeded(seed + 100)).unwrap();
            // One below what reaches the threshold, and that.
            let reaches = &queries.noisy_threshold - y;
            let below = &reaches - Integer::ONE;
            assert!(!queries.simulate(&below, &mut Tape::seeded(seed + 100)).unwrap());
            assert!(queries.simulate(&reaches, &mut Tape::seeded(seed + 100)).unwrap());
        }
    }
}
