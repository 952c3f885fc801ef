//! How many records each category has: categories that are public, and keys that are found in the data.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use probity_exact::{Integer, Natural, Rational};

use super::Neighbours;
use crate::calibrate::laplace_scale;
use crate::domain::{BigIntegers, Vectors};
use crate::map::{Expression, PrivacyMap};
use crate::measurement::{Measurement, MechanismError};
use crate::mechanisms::{discrete_laplace, laplace_map_of_integer};
use crate::sampler::ParameterError;
use crate::search::least_natural;
use crate::unit::{Delta, Epsilon, Sensitivity};

/// Noisy counts of public categories. A record of no category counts nowhere.
///
/// One record changes one count by 1; a replaced one leaves a count and enters another. So the L1 sensitivity is 1 or 2.
///
/// ```
/// use probity_noise::transform::{Histogram, Neighbours};
/// use probity_noise::unit::Epsilon;
/// let histogram = Histogram::new(vec!["red", "green"], Neighbours::AddRemove, &Epsilon::from_f64(1.0)?)?;
/// let counts = histogram.answer(["red", "red", "green", "blue"])?;
/// assert_eq!(counts.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Histogram<Category> {
    categories: Vec<Category>,
    index: HashMap<Category, usize>,
    map: PrivacyMap,
    noise: Measurement<Vec<Integer>, Vec<Integer>>,
}

impl<Category: Eq + Hash + Clone> Histogram<Category> {
    /// With the least Laplace noise that costs at most ε for one record.
    ///
    /// # Errors
    /// When there is no category, two are equal, or ε is 0.
    pub fn new(
        categories: Vec<Category>,
        neighbours: Neighbours,
        epsilon: &Epsilon,
    ) -> Result<Self, ParameterError> {
        let mut index = HashMap::with_capacity(categories.len());
        for (position, category) in categories.iter().enumerate() {
            if index.insert(category.clone(), position).is_some() {
                return Err(ParameterError::new("categories", format!("{position} twice"), "distinct"));
            }
        }
        let sensitivity = match neighbours {
            Neighbours::AddRemove => 1u32,
            Neighbours::Replace => 2,
        };
        let scale = laplace_scale(&Sensitivity::from(sensitivity), epsilon)?;
        let distance =
            Expression::parameter("sensitivity", Rational::from(sensitivity)) * Expression::distance_in();
        let map = laplace_map_of_integer(distance, &scale);
        let domain = Vectors::of(BigIntegers).with_length(categories.len())?;
        Ok(Histogram { categories, index, map, noise: discrete_laplace(domain, scale)? })
    }

    /// What it costs; d_in counts records.
    pub fn map(&self) -> &PrivacyMap {
        &self.map
    }

    /// One noisy count for each category, in the order in which they were given.
    ///
    /// # Errors
    /// When the noise cannot be drawn.
    pub fn answer(
        &self,
        records: impl IntoIterator<Item = Category>,
    ) -> Result<Vec<(Category, Integer)>, MechanismError> {
        let mut counts = vec![0u64; self.categories.len()];
        for record in records {
            if let Some(&position) = self.index.get(&record) {
                counts[position] += 1;
            }
        }
        let noisy = self.noise.invoke(&counts.into_iter().map(Integer::from).collect())?;
        Ok(self.categories.iter().cloned().zip(noisy).collect())
    }
}

/// Noisy counts of the keys that occur, for keys that are themselves private: those whose noisy count reaches a threshold are told.
///
/// (ε, δ) for adding or removing one record: a key that both tables have costs ε, and a key that only one has is told with
/// probability P(1 + Z ≥ threshold) ≤ δ. Proof: `docs/proofs/transformations.md`.
///
/// ```
/// use probity_noise::transform::CountByKey;
/// use probity_noise::unit::{Delta, Epsilon};
/// let counts = CountByKey::new(&Epsilon::from_f64(1.0)?, &Delta::from_f64(1e-9)?)?;
/// assert_eq!(counts.threshold().to_string(), "22");
/// let told = counts.answer(std::iter::repeat_n("berlin", 1000).chain(["a village"]))?;
/// assert!(told.contains_key("berlin") && !told.contains_key("a village"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct CountByKey {
    map: PrivacyMap,
    noise: Measurement<Integer, Integer>,
    threshold: Natural,
}

impl CountByKey {
    /// With the least noise that costs ε, and the least threshold that keeps δ.
    ///
    /// # Errors
    /// When ε is 0, or δ is not strictly between 0 and 1.
    pub fn new(epsilon: &Epsilon, delta: &Delta) -> Result<Self, MechanismError> {
        let scale = laplace_scale(&Sensitivity::from(1u32), epsilon)?;
        let allowed = match delta.exact() {
            Some(value) if value > Rational::ZERO && value < Rational::ONE && !scale.value().is_zero() => {
                value
            }
            _ => {
                return Err(ParameterError::new(
                    "delta",
                    delta,
                    "more than 0 and less than 1, with a finite epsilon",
                )
                .into());
            }
        };
        // P(1 + Z ≥ t) = P(Z ≥ t − 1) = q^(t−1)/(1 + q) for t ≥ 1, with q = e^(−1/scale).
        let power = |exponent: Rational| Expression::constant(-(exponent / scale.value())).exp();
        let tail = |threshold: &Natural| {
            let beyond = Rational::from(threshold.clone()) - Rational::ONE;
            power(beyond) / (Expression::one() + power(Rational::ONE))
        };
        let zero = Rational::ZERO;
        let at = crate::map::Point::at(&zero);
        let limit = scale.value().ceil().to_string().len() * 4 + 80;
        let threshold = least_natural(limit, |threshold| match *threshold == Natural::ZERO {
            true => Ok(false),
            false => tail(threshold).is_at_most(&at, &allowed),
        });
        let threshold = threshold
            .map_err(crate::map::MapError::from)?
            .ok_or_else(|| ParameterError::new("delta", delta, "not so small that no threshold is found"))?;
        let one_record = PrivacyMap::approximate(
            Expression::zero_at_zero(
                Expression::one() / Expression::parameter("scale", scale.value().clone()),
            ),
            Expression::zero_at_zero(tail(&threshold)),
        );
        let map = PrivacyMap::worst_of_one_step([&one_record])?.for_groups()?;
        Ok(CountByKey { map, noise: discrete_laplace(BigIntegers, scale)?, threshold })
    }

    /// What it costs; d_in counts records added or removed, several of them by group privacy.
    pub fn map(&self) -> &PrivacyMap {
        &self.map
    }

    /// The least noisy count that is told.
    pub fn threshold(&self) -> &Natural {
        &self.threshold
    }

    /// The keys whose noisy count reaches the threshold, in their order, with that count.
    ///
    /// # Errors
    /// When the noise cannot be drawn.
    pub fn answer<Key: Ord>(
        &self,
        records: impl IntoIterator<Item = Key>,
    ) -> Result<BTreeMap<Key, Integer>, MechanismError> {
        let mut counts: BTreeMap<Key, u64> = BTreeMap::new();
        for record in records {
            *counts.entry(record).or_default() += 1;
        }
        let mut told = BTreeMap::new();
        for (key, count) in counts {
            let noisy = self.noise.invoke(&Integer::from(count))?;
            if noisy >= Integer::from(self.threshold.clone()) {
                told.insert(key, noisy);
            }
        }
        Ok(told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::directed::exp_nearest;

    #[test]
    fn counts_are_counted() {
        let much = Epsilon::from_f64(1e6).unwrap();
        let histogram = Histogram::new(vec![1, 2, 3], Neighbours::Replace, &much).unwrap();
        let counts = histogram.answer([1, 3, 3, 7, 3]).unwrap();
        assert_eq!(counts, [(1, 1.into()), (2, 0.into()), (3, 3.into())]);
        assert_eq!(histogram.map().loss(&1u32.into()).unwrap().to_string(), "ε = 1000000");
        assert!(Histogram::new(vec![1, 1], Neighbours::Replace, &much).is_err());
        assert!(Histogram::<u8>::new(vec![], Neighbours::Replace, &much).is_err());
    }

    /// The threshold is the least that keeps δ, by the tail summed in doubles.
    #[test]
    fn the_threshold_is_the_least_one() {
        for epsilon in [0.1, 1.0, 3.0] {
            for delta in [0.2, 1e-3, 1e-9] {
                let counts =
                    CountByKey::new(&Epsilon::from_f64(epsilon).unwrap(), &Delta::from_f64(delta).unwrap())
                        .unwrap();
                let q = exp_nearest(-epsilon);
                let mass = |z: i64| exp_nearest(-epsilon * z.abs() as f64) * (1.0 - q) / (1.0 + q);
                let tail = |threshold: i64| (threshold - 1..threshold + 3000).map(mass).sum::<f64>();
                let threshold = i64::try_from(counts.threshold()).unwrap();
                assert!(tail(threshold) <= delta * (1.0 + 1e-9), "{epsilon} {delta} {threshold}");
                assert!(threshold == 1 || tail(threshold - 1) > delta * (1.0 - 1e-9), "{epsilon} {delta}");
                let loss = counts.map().loss(&1u32.into()).unwrap().to_string();
                assert!(loss.starts_with(&format!("ε = {epsilon}, δ = ")), "{loss}");
            }
        }
        assert!(CountByKey::new(&Epsilon::from_f64(1.0).unwrap(), &Delta::zero()).is_err());
        assert!(CountByKey::new(&Epsilon::zero(), &Delta::from_f64(0.1).unwrap()).is_err());
    }
}
