//! A quantile of a column, chosen among public candidates by noisy max.
//!
//! The score of a candidate y for the quantile a/b is −|(b−a)·below − a·above|, where `below` and `above` count the records on either
//! side of y: it is best, 0, where they stand in the ratio a : b−a. One record more or less changes one of the counts by one, and the
//! score by at most max(a, b−a); a replaced one moves from one side to the other and changes it by at most b.

use probity_exact::Rational;

use super::{Column, Neighbours, Number};
use crate::calibrate::laplace_scale;
use crate::map::{Expression, PrivacyMap};
use crate::measurement::{Measurement, MechanismError};
use crate::mechanisms::{Rule, Scores, choice_of_integers, laplace_map_of_integer};
use crate::sampler::ParameterError;
use crate::unit::{Epsilon, Sensitivity};

/// A private quantile.
///
/// ```
/// use probity_noise::transform::{Column, Neighbours, Quantile};
/// use probity_noise::unit::Epsilon;
/// let ages = Column::integers(0, 120)?;
/// let candidates: Vec<i64> = (0..=120).collect();
/// let median = Quantile::new(&ages, (1, 2), &candidates, Neighbours::AddRemove, &Epsilon::from_f64(1.0)?)?;
/// let answer = median.answer((0..1000i64).map(|i| i % 81))?;
/// assert!(answer > 20.into() && answer < 60.into());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Quantile {
    column: Column,
    /// a and b of the module's text.
    share: (u32, u32),
    /// In steps, rising.
    candidates: Vec<i64>,
    map: PrivacyMap,
    choice: Measurement<Vec<i64>, usize>,
}

impl Quantile {
    /// The quantile a/b, such as (1, 2) for the median, among these candidates, at most ε for one record.
    ///
    /// # Errors
    /// When a/b is not from 0 to 1, there is no candidate, or ε is 0.
    pub fn new<N: Number>(
        column: &Column,
        (a, b): (u32, u32),
        candidates: &[N],
        neighbours: Neighbours,
        epsilon: &Epsilon,
    ) -> Result<Self, ParameterError> {
        if a > b || b == 0 {
            return Err(ParameterError::new("quantile", format!("{a}/{b}"), "from 0 to 1"));
        }
        let mut candidates: Vec<i64> = candidates.iter().map(|candidate| column.steps(candidate)).collect();
        candidates.sort_unstable();
        candidates.dedup();
        let sensitivity = match neighbours {
            Neighbours::AddRemove => a.max(b - a),
            Neighbours::Replace => b,
        };
        // Noisy max costs 2·sensitivity/scale: scores need not all move the same way.
        let scale = laplace_scale(&Sensitivity::from(2 * u64::from(sensitivity)), epsilon)?;
        let distance = Expression::parameter("sensitivity", Rational::from(2 * u64::from(sensitivity)))
            * Expression::distance_in();
        let map = laplace_map_of_integer(distance, &scale);
        let choice = choice_of_integers(candidates.len(), Rule::NoisyMax, Scores::Any, scale)?;
        Ok(Quantile { column: column.clone(), share: (a, b), candidates, map, choice })
    }

    /// What it costs; d_in counts records.
    pub fn map(&self) -> &PrivacyMap {
        &self.map
    }

    /// The scores of the candidates. Not private.
    fn scores<Records>(&self, records: Records) -> Result<Vec<i64>, MechanismError>
    where
        Records: IntoIterator,
        Records::Item: Number,
    {
        let mut steps: Vec<i64> = records.into_iter().map(|record| self.column.steps(&record)).collect();
        steps.sort_unstable();
        let (a, b) = (i128::from(self.share.0), i128::from(self.share.1));
        let score = |candidate: &i64| {
            let below = steps.partition_point(|step| step < candidate) as i128;
            let above = (steps.len() - steps.partition_point(|step| step <= candidate)) as i128;
            -((b - a) * below - a * above).abs()
        };
        // A score beyond 64 bits is cut there for all tables alike: clamping does not raise a sensitivity.
        let cut = |score: i128| i64::try_from(score).unwrap_or(i64::MIN);
        Ok(self.candidates.iter().map(score).map(cut).collect())
    }

    /// One private answer: a candidate.
    ///
    /// # Errors
    /// When the noise cannot be drawn.
    pub fn answer<Records>(&self, records: Records) -> Result<Rational, MechanismError>
    where
        Records: IntoIterator,
        Records::Item: Number,
    {
        let chosen = self.choice.invoke(&self.scores(records)?)?;
        Ok(Rational::from(self.candidates[chosen]) * self.column.step())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantile(share: (u32, u32), neighbours: Neighbours, epsilon: f64) -> Quantile {
        let column = Column::integers(0, 10).unwrap();
        let candidates: Vec<i64> = (0..=10).collect();
        Quantile::new(&column, share, &candidates, neighbours, &Epsilon::from_f64(epsilon).unwrap()).unwrap()
    }

    /// Every record added to, or replaced in, a table: no score moves by more than the sensitivity, and some does by all of it.
    #[test]
    fn no_score_moves_by_more_than_the_sensitivity() {
        for (share, added, replaced) in [((1, 2), 1, 2), ((1, 4), 3, 4), ((9, 10), 9, 10), ((0, 1), 1, 1)] {
            let scores = |records: &[i64]| quantile(share, Neighbours::Replace, 1.0).scores(records).unwrap();
            let base = [2i64, 5, 5, 9, 0, 10];
            let (mut worst_added, mut worst_replaced) = (0, 0);
            let distance = |one: &[i64], two: &[i64]| {
                scores(one).iter().zip(scores(two)).map(|(a, b)| a.abs_diff(b)).max().unwrap()
            };
            for record in 0..=10 {
                let longer = [&base[..], &[record]].concat();
                worst_added = worst_added.max(distance(&base, &longer));
                for other in 0..=10 {
                    worst_replaced = worst_replaced.max(distance(&longer, &[&base[..], &[other]].concat()));
                }
            }
            assert_eq!((worst_added, worst_replaced), (added, replaced), "{share:?}");
        }
    }

    #[test]
    fn with_little_noise_it_is_the_quantile() {
        let records: Vec<i64> = (0..=10).flat_map(|i| [i; 10]).collect();
        for (share, expected) in [((1, 2), 5), ((0, 1), 0), ((1, 1), 10), ((1, 10), 1)] {
            let answer = quantile(share, Neighbours::AddRemove, 1e6).answer(&records).unwrap();
            assert_eq!(answer, Rational::from(expected), "{share:?}");
        }
        let map = quantile((1, 4), Neighbours::AddRemove, 0.5).map().clone();
        assert_eq!(map.loss(&1u32.into()).unwrap().to_string(), "ε = 0.5");
        let column = Column::integers(0, 10).unwrap();
        let one = Epsilon::from_f64(1.0).unwrap();
        assert!(Quantile::new::<i64>(&column, (1, 2), &[], Neighbours::Replace, &one).is_err());
        assert!(Quantile::new(&column, (3, 2), &[1i64], Neighbours::Replace, &one).is_err());
    }
}
