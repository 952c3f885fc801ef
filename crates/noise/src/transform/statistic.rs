//! Counts and sums with their sensitivities, and their private releases.

use probity_exact::{Integer, Rational};

use super::{Column, Neighbours, Number};
use crate::calibrate::{gaussian_squared_scale, laplace_scale};
use crate::domain::BigIntegers;
use crate::map::{Expression, PrivacyMap};
use crate::measurement::{Measurement, MechanismError};
use crate::mechanisms::{
    discrete_gaussian, discrete_laplace, gaussian_map_of_integer, laplace_map_of_integer,
};
use crate::sampler::{ParameterError, Scale, SquaredScale};
use crate::unit::{Epsilon, Rho, Sensitivity};

/// What is added up for each record.
#[derive(Debug, Clone, PartialEq)]
enum Term {
    /// 1.
    One,
    /// The value less a centre, in steps.
    Value { column: Column, centre: i64 },
    /// The square of that.
    Square { column: Column, centre: i64 },
}

/// A sum over the records, exact, and by how much one record can change it.
///
/// ```
/// use probity_noise::transform::{Column, Neighbours};
/// let ages = Column::integers(-5, 120)?;
/// // Adding a record adds at most 120 in magnitude; replacing one moves the sum by at most the width.
/// assert_eq!(ages.sum(Neighbours::AddRemove).sensitivity().to_string(), "120");
/// assert_eq!(ages.sum(Neighbours::Replace).sensitivity().to_string(), "125");
/// assert_eq!(ages.count(Neighbours::AddRemove).sensitivity().to_string(), "1");
/// // The number of records is public where records are replaced.
/// assert_eq!(ages.count(Neighbours::Replace).sensitivity().to_string(), "0");
/// # Ok::<(), probity_noise::sampler::ParameterError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Statistic {
    term: Term,
    neighbours: Neighbours,
    /// What one unit of the sum stands for.
    unit: Rational,
    /// The least and the largest that a record can add, in units.
    least: Integer,
    largest: Integer,
}

impl Statistic {
    /// The number of records.
    pub fn count(neighbours: Neighbours) -> Self {
        let one = Integer::ONE;
        Statistic { term: Term::One, neighbours, unit: Rational::ONE, least: one.clone(), largest: one }
    }

    /// The sum of a column.
    pub fn sum(column: &Column, neighbours: Neighbours) -> Self {
        Self::centred(column, 0, neighbours)
    }

    /// Σ (value − centre), the centre in steps: a centre in the middle halves what a record can add.
    pub(super) fn centred(column: &Column, centre: i64, neighbours: Neighbours) -> Self {
        let off = |bound: i64| Integer::from(bound) - Integer::from(centre);
        Statistic {
            unit: column.step().clone(),
            least: off(column.lower_steps()),
            largest: off(column.upper_steps()),
            term: Term::Value { column: column.clone(), centre },
            neighbours,
        }
    }

    /// Σ (value − centre)², the centre in steps and within the bounds.
    pub(super) fn squares(column: &Column, centre: i64, neighbours: Neighbours) -> Self {
        let off = |bound: i64| Integer::from(bound) - Integer::from(centre);
        let square = |number: Integer| &number * &number;
        let (lower, upper) = (square(off(column.lower_steps())), square(off(column.upper_steps())));
        Statistic {
            unit: column.step() * column.step(),
            least: Integer::ZERO,
            largest: lower.max(upper),
            term: Term::Square { column: column.clone(), centre },
            neighbours,
        }
    }

    /// By how many units one record can change the sum: the larger magnitude of what it can add, or, where it is replaced,
    /// the difference between the largest and the least.
    fn sensitivity_units(&self) -> Rational {
        let magnitude =
            |number: &Integer| Rational::from(number.clone()).max(Rational::from(-number.clone()));
        match self.neighbours {
            Neighbours::AddRemove => magnitude(&self.least).max(magnitude(&self.largest)),
            Neighbours::Replace => Rational::from(&self.largest - &self.least),
        }
    }

    /// By how much one record can change the sum.
    pub fn sensitivity(&self) -> Rational {
        self.sensitivity_units() * &self.unit
    }

    /// What neighbouring means.
    pub fn neighbours(&self) -> Neighbours {
        self.neighbours
    }

    /// The exact sum, in units. Not private.
    fn units<Records>(&self, records: Records) -> Integer
    where
        Records: IntoIterator,
        Records::Item: Number,
    {
        // A term is below 2^63 for values, so 2^64 of them fit in 128 bits; squares are added as big integers.
        match &self.term {
            Term::One => Integer::from(records.into_iter().fold(0u128, |count, _| count + 1)),
            Term::Value { column, centre } => {
                let sum = records
                    .into_iter()
                    .fold(0i128, |sum, record| sum + i128::from(column.steps(&record)) - i128::from(*centre));
                Integer::from(sum)
            }
            Term::Square { column, centre } => records.into_iter().fold(Integer::ZERO, |sum, record| {
                let off = i128::from(column.steps(&record)) - i128::from(*centre);
                sum + Integer::from(off) * Integer::from(off)
            }),
        }
    }

    /// The exact value, over a slice or any iterator. **Not private**: for tests, and to see what noise does.
    pub fn exact<Records>(&self, records: Records) -> Rational
    where
        Records: IntoIterator,
        Records::Item: Number,
    {
        Rational::from(self.units(records)) * &self.unit
    }

    /// With the least discrete Laplace noise that costs at most ε for one record.
    ///
    /// # Errors
    /// When ε is 0 while the sensitivity is not.
    pub fn laplace(&self, epsilon: &Epsilon) -> Result<Release, ParameterError> {
        let scale = laplace_scale(&Sensitivity::new(self.sensitivity_units())?, epsilon)?;
        if self.sensitivity_units().is_zero() {
            return self.as_it_is(scale);
        }
        let distance =
            Expression::parameter("sensitivity", self.sensitivity_units()) * Expression::distance_in();
        let map = laplace_map_of_integer(distance, &scale);
        Ok(Release {
            statistic: self.clone(),
            map,
            noise: discrete_laplace(BigIntegers, scale.clone())?,
            spread: Spread::Laplace(scale),
        })
    }

    /// What does not depend on any record is told without noise, and costs nothing.
    fn as_it_is(&self, scale: Scale) -> Result<Release, ParameterError> {
        let map = PrivacyMap::pure(Expression::zero());
        let (statistic, noise) = (self.clone(), discrete_laplace(BigIntegers, scale.clone())?);
        Ok(Release { statistic, map, noise, spread: Spread::Laplace(scale) })
    }

    /// With the least discrete Gaussian noise that costs at most ρ for one record.
    ///
    /// # Errors
    /// When ρ is 0 while the sensitivity is not.
    pub fn gaussian(&self, rho: &Rho) -> Result<Release, ParameterError> {
        let squared = gaussian_squared_scale(&Sensitivity::new(self.sensitivity_units())?, rho)?;
        if self.sensitivity_units().is_zero() {
            return self.as_it_is(Scale::new(Rational::ZERO)?);
        }
        // Whole records, so the distance between the sums is whole.
        let distance = Expression::parameter("sensitivity", self.sensitivity_units())
            * Expression::distance_in().floor();
        let map = gaussian_map_of_integer(distance, &squared);
        Ok(Release {
            statistic: self.clone(),
            map,
            noise: discrete_gaussian(BigIntegers, squared.clone())?,
            spread: Spread::Gaussian(squared),
        })
    }
}

/// How far the noise of a release spreads, in units of its statistic.
#[derive(Debug, Clone)]
pub(super) enum Spread {
    Laplace(Scale),
    Gaussian(SquaredScale),
}

/// A statistic with noise: what may be published.
#[derive(Debug, Clone)]
pub struct Release {
    statistic: Statistic,
    map: PrivacyMap,
    noise: Measurement<Integer, Integer>,
    spread: Spread,
}

impl Release {
    /// One private answer, over a slice or any iterator, with the calling thread's secure randomness.
    ///
    /// # Errors
    /// When the noise cannot be drawn.
    pub fn answer<Records>(&self, records: Records) -> Result<Rational, MechanismError>
    where
        Records: IntoIterator,
        Records::Item: Number,
    {
        let noisy = self.noise.invoke(&self.statistic.units(records))?;
        Ok(Rational::from(noisy) * &self.statistic.unit)
    }

    /// What it costs; d_in counts records.
    pub fn map(&self) -> &PrivacyMap {
        &self.map
    }

    /// The statistic without noise.
    pub fn statistic(&self) -> &Statistic {
        &self.statistic
    }

    /// The scale of the noise (Laplace) or its square (Gaussian), in the statistic's own measure.
    pub fn noise_scale(&self) -> Rational {
        match &self.spread {
            Spread::Laplace(scale) => scale.value() * &self.statistic.unit,
            Spread::Gaussian(squared) => squared.value() * &self.statistic.unit * &self.statistic.unit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    /// Every small table and every neighbour of it: the sensitivity is the largest difference, exactly.
    #[test]
    fn sensitivities_are_attained_and_never_exceeded() {
        for (lower, upper) in [(0i64, 3), (-2, 1), (-3, -1), (2, 2), (-1, 4)] {
            let column = Column::integers(lower, upper).unwrap();
            let values: Vec<i64> = (lower - 1..=upper + 1).collect();
            for neighbours in [Neighbours::AddRemove, Neighbours::Replace] {
                let centre = (lower + upper) / 2;
                for statistic in [
                    Statistic::count(neighbours),
                    Statistic::sum(&column, neighbours),
                    Statistic::centred(&column, centre, neighbours),
                    Statistic::squares(&column, centre, neighbours),
                ] {
                    let base = [lower, upper, 0];
                    let mut worst = Rational::ZERO;
                    let mut compare = |one: &[i64], two: &[i64]| {
                        let difference = statistic.exact(one) - statistic.exact(two);
                        worst = worst.clone().max(difference.clone()).max(-difference);
                    };
                    for a in &values {
                        let longer = [&base[..], &[*a]].concat();
                        match neighbours {
                            Neighbours::AddRemove => compare(&base, &longer),
                            Neighbours::Replace => {
                                values.iter().for_each(|b| compare(&longer, &[&base[..], &[*b]].concat()))
                            }
                        }
                    }
                    assert!(worst <= statistic.sensitivity(), "{statistic:?}");
                    // Squares around a centre inside the range can be 0 where a value equals it.
                    assert_eq!(worst, statistic.sensitivity(), "{statistic:?}");
                }
            }
        }
    }

    #[test]
    fn a_release_costs_what_was_asked_for() {
        let column = Column::decimals(2, Rational::ZERO, rational(5, 2).unwrap()).unwrap();
        let sum = column.sum(Neighbours::AddRemove);
        assert_eq!(sum.sensitivity(), rational(5, 2).unwrap());
        let epsilon = Epsilon::new(rational(1, 10).unwrap()).unwrap();
        let release = sum.laplace(&epsilon).unwrap();
        let loss = |records: u32| release.map().loss(&records.into()).unwrap().to_string();
        assert_eq!((loss(1).as_str(), loss(3).as_str()), ("ε = 0.1", "ε = 0.30000000000000004"));
        assert_eq!(release.noise_scale(), Rational::from(25));
        let rho = Rho::new(rational(1, 8).unwrap()).unwrap();
        let release = sum.gaussian(&rho).unwrap();
        assert_eq!(release.map().loss(&1u32.into()).unwrap().to_string(), "ρ = 0.125");
        assert_eq!(release.map().loss(&2u32.into()).unwrap().to_string(), "ρ = 0.5");
        assert!(sum.laplace(&Epsilon::zero()).is_err());
        // Nothing to hide: no noise.
        let count = column.count(Neighbours::Replace).laplace(&Epsilon::zero()).unwrap();
        assert_eq!(count.answer([1i64, 2, 3]).unwrap(), Rational::from(3));
        assert_eq!(count.map().loss(&5u32.into()).unwrap().to_string(), "ε = 0");
    }

    #[test]
    fn answers_are_near_the_truth_and_on_the_step() {
        let column = Column::decimals(1, Rational::ZERO, Rational::from(10)).unwrap();
        let release = column.sum(Neighbours::Replace).laplace(&Epsilon::from_f64(1.0).unwrap()).unwrap();
        let records = vec![2.5f64; 100];
        let answer = release.answer(&records).unwrap();
        assert!((&answer * Rational::from(10)).is_int());
        // Noise of scale 10: beyond 1000 with probability e^−100.
        let off = answer - Rational::from(250);
        assert!(off < Rational::from(1000) && off > Rational::from(-1000));
        assert_eq!(release.statistic().exact(records.iter()), Rational::from(250));
    }
}
