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
/// A record that is added or removed changes one count by 1: a key that both tables have costs 1/scale, and a key that only one has is told with
/// probability P(1 + Z ≥ threshold). A replaced record changes two counts, and each costs its ε or its δ. Proof: `docs/proofs/transformations.md`.
///
/// ```
/// use probity_noise::transform::{CountByKey, Neighbours};
/// use probity_noise::unit::{Delta, Epsilon};
/// let counts = CountByKey::new(Neighbours::AddRemove, &Epsilon::from_f64(1.0)?, &Delta::from_f64(1e-9)?)?;
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
    pub fn new(neighbours: Neighbours, epsilon: &Epsilon, delta: &Delta) -> Result<Self, MechanismError> {
        let counts_changed = match neighbours {
            Neighbours::AddRemove => 1u32,
            Neighbours::Replace => 2,
        };
        let scale = laplace_scale(&Sensitivity::from(counts_changed), epsilon)?;
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
            let one_key = power(beyond) / (Expression::one() + power(Rational::ONE));
            Expression::constant(Rational::from(counts_changed)) * one_key
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
                Expression::constant(Rational::from(counts_changed))
                    / Expression::parameter("scale", scale.value().clone()),
            ),
            Expression::zero_at_zero(tail(&threshold)),
        );
        let map = PrivacyMap::worst_of_one_step([&one_record])?.for_groups()?;
        Ok(CountByKey { map, noise: discrete_laplace(BigIntegers, scale)?, threshold })
    }

    /// What it costs; d_in counts records, several of them by group privacy.
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
        let new = |neighbours, epsilon: f64, delta: f64| {
            CountByKey::new(
                neighbours,
                &Epsilon::from_f64(epsilon).unwrap(),
                &Delta::from_f64(delta).unwrap(),
            )
        };
        for (neighbours, keys) in [(Neighbours::AddRemove, 1.0), (Neighbours::Replace, 2.0)] {
            for epsilon in [0.1, 1.0, 3.0] {
                for delta in [0.2, 1e-3, 1e-9] {
                    let counts = new(neighbours, epsilon, delta).unwrap();
                    let inverse = epsilon / keys;
                    let q = exp_nearest(-inverse);
                    let mass = |z: i64| exp_nearest(-inverse * z.abs() as f64) * (1.0 - q) / (1.0 + q);
                    let tail =
                        |threshold: i64| keys * (threshold - 1..threshold + 3000).map(mass).sum::<f64>();
                    let threshold = i64::try_from(counts.threshold()).unwrap();
                    assert!(tail(threshold) <= delta * (1.0 + 1e-9), "{epsilon} {delta} {threshold}");
                    assert!(
                        threshold == 1 || tail(threshold - 1) > delta * (1.0 - 1e-9),
                        "{epsilon} {delta}"
                    );
                    let loss = counts.map().loss(&1u32.into()).unwrap().to_string();
                    assert!(loss.starts_with(&format!("ε = {epsilon}, δ = ")), "{loss}");
                }
            }
        }
        assert!(new(Neighbours::AddRemove, 1.0, 0.0).is_err());
        assert!(new(Neighbours::Replace, 0.0, 0.1).is_err());
    }

    /// What is told of two keys, each by itself: P(nothing) and P(count z is told), by the law in doubles.
    fn told(count: i64, threshold: i64, inverse: f64) -> Vec<f64> {
        let q = exp_nearest(-inverse);
        let mass = |z: i64| exp_nearest(-inverse * z.abs() as f64) * (1.0 - q) / (1.0 + q);
        let told: Vec<f64> =
            (threshold..60).map(|z| if count == 0 { 0.0 } else { mass(z - count) }).collect();
        std::iter::once(1.0 - told.iter().sum::<f64>()).chain(told).collect()
    }

    /// The hockey-stick divergence of two tables that differ in one replaced record is within what the map says, in every case of counts.
    #[test]
    fn a_replaced_record_costs_what_the_map_says() {
        let (epsilon, delta) = (1.0, 0.05);
        let exact = (Epsilon::from_f64(epsilon).unwrap(), Delta::from_f64(delta).unwrap());
        let counts = CountByKey::new(Neighbours::Replace, &exact.0, &exact.1).unwrap();
        let threshold = i64::try_from(counts.threshold()).unwrap();
        let mut worst = 0f64;
        // A record of the first key becomes one of the second.
        for (first, second) in [(1, 0), (1, 3), (4, 0), (4, 3), (2, 1)] {
            let laws = |count: i64| told(count, threshold, epsilon / 2.0);
            let here = (laws(first), laws(second));
            let there = (laws(first - 1), laws(second + 1));
            let mut excess = 0.0;
            for (p, q) in here.0.iter().zip(&there.0) {
                for (r, s) in here.1.iter().zip(&there.1) {
                    excess += (p * r - exp_nearest(epsilon) * q * s).max(0.0);
                }
            }
            worst = worst.max(excess);
        }
        assert!(worst <= delta && worst > delta / 10.0, "{worst}");
    }
}
