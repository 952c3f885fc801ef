//! Means and variances of a column, from noisy sums. What is done with the noisy sums costs nothing more.

use probity_exact::Rational;

use super::column::Steps;
use super::{Column, Neighbours, Number, Release, Statistic};
use crate::map::PrivacyMap;
use crate::measurement::MechanismError;
use crate::unit::Epsilon;

/// An ε shared equally.
fn share(epsilon: &Epsilon, parts: u32) -> Result<Epsilon, MechanismError> {
    match epsilon.exact() {
        Some(exact) => Ok(Epsilon::new(exact / Rational::from(parts))?),
        None => Ok(Epsilon::infinite()),
    }
}

/// The middle of a column, in steps.
fn middle(column: &Column) -> i64 {
    // Both are within ±2^62.
    (column.lower_steps() + column.upper_steps()) / 2
}

/// The middle of a column.
fn centre(column: &Column) -> Rational {
    Rational::from(middle(column)) * column.step()
}

/// The number of records: noisy where records are added and removed, exact where they are replaced.
fn counting(neighbours: Neighbours, epsilon: &Epsilon) -> Result<Option<Release>, MechanismError> {
    match neighbours {
        Neighbours::AddRemove => Ok(Some(Statistic::count(neighbours).laplace(epsilon)?)),
        Neighbours::Replace => Ok(None),
    }
}

/// A noisy count, at least 1.
fn at_least_one(count: Rational) -> Rational {
    count.max(Rational::ONE)
}

fn bounds(column: &Column) -> (Rational, Rational) {
    let bound = |steps: i64| Rational::from(steps) * column.step();
    (bound(column.lower_steps()), bound(column.upper_steps()))
}

/// The private mean of a column: a noisy sum of what lies off the middle, over the number of records, which is noisy too where records
/// are added and removed.
#[derive(Debug, Clone)]
pub struct Mean {
    column: Column,
    sum: Release,
    count: Option<Release>,
}

impl Mean {
    /// With ε shared equally by the sum and the count, or for the sum alone where the number of records is public.
    ///
    /// # Errors
    /// When ε is 0.
    pub fn new(column: &Column, neighbours: Neighbours, epsilon: &Epsilon) -> Result<Self, MechanismError> {
        let parts = if neighbours == Neighbours::AddRemove { 2 } else { 1 };
        let each = share(epsilon, parts)?;
        let sum = Statistic::centred(column, middle(column), neighbours).laplace(&each)?;
        Ok(Mean { column: column.clone(), sum, count: counting(neighbours, &each)? })
    }

    /// What it costs; d_in counts records.
    ///
    /// # Errors
    /// None: both maps are in ε.
    pub fn map(&self) -> Result<PrivacyMap, MechanismError> {
        PrivacyMap::sum([Some(&self.sum), self.count.as_ref()].into_iter().flatten().map(Release::map))
    }

    /// One private answer, within the column's bounds.
    ///
    /// # Errors
    /// When the noise cannot be drawn.
    pub fn answer<Records>(&self, records: Records) -> Result<Rational, MechanismError>
    where
        Records: IntoIterator,
        Records::Item: Number,
    {
        // In one pass: a column of a million numbers is not copied to be counted.
        let mut records_seen = 0usize;
        let sum = self.sum.answer(records.into_iter().inspect(|_| records_seen += 1))?;
        let count = match &self.count {
            Some(count) => count.answer(std::iter::repeat_n(Steps(0), records_seen))?,
            None => Rational::from(records_seen),
        };
        let mean = sum / at_least_one(count) + centre(&self.column);
        let (lower, upper) = bounds(&self.column);
        Ok(mean.clamp(lower, upper))
    }
}

/// The records once, as they count.
fn collect<Records>(column: &Column, records: Records) -> Vec<Steps>
where
    Records: IntoIterator,
    Records::Item: Number,
{
    records.into_iter().map(|record| Steps(column.steps(&record))).collect()
}

/// The private variance of a column, Σ(x − mean)²/n: from noisy sums of what lies off the middle and of its square.
#[derive(Debug, Clone)]
pub struct Variance {
    column: Column,
    sum: Release,
    squares: Release,
    count: Option<Release>,
}

impl Variance {
    /// With ε shared equally by the sum, the sum of squares, and the count where that is not public.
    ///
    /// # Errors
    /// When ε is 0.
    pub fn new(column: &Column, neighbours: Neighbours, epsilon: &Epsilon) -> Result<Self, MechanismError> {
        let parts = if neighbours == Neighbours::AddRemove { 3 } else { 2 };
        let each = share(epsilon, parts)?;
        Ok(Variance {
            column: column.clone(),
            sum: Statistic::centred(column, middle(column), neighbours).laplace(&each)?,
            squares: Statistic::squares(column, middle(column), neighbours).laplace(&each)?,
            count: counting(neighbours, &each)?,
        })
    }

    /// What it costs; d_in counts records.
    ///
    /// # Errors
    /// None: all maps are in ε.
    pub fn map(&self) -> Result<PrivacyMap, MechanismError> {
        let parts = [Some(&self.sum), Some(&self.squares), self.count.as_ref()];
        PrivacyMap::sum(parts.into_iter().flatten().map(Release::map))
    }

    /// One private answer, from 0 to a quarter of the squared width of the column, the largest variance there is.
    ///
    /// # Errors
    /// When the noise cannot be drawn.
    pub fn answer<Records>(&self, records: Records) -> Result<Rational, MechanismError>
    where
        Records: IntoIterator,
        Records::Item: Number,
    {
        let steps = collect(&self.column, records);
        let count = match &self.count {
            Some(count) => count.answer(&steps)?,
            None => Rational::from(steps.len()),
        };
        let count = at_least_one(count);
        let mean = self.sum.answer(&steps)? / &count;
        let variance = self.squares.answer(&steps)? / count - &mean * &mean;
        let (lower, upper) = bounds(&self.column);
        let width = upper - lower;
        Ok(variance.clamp(Rational::ZERO, &width * &width / Rational::from(4u8)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    #[test]
    fn shares_add_up_to_what_was_asked_for() {
        let column = Column::integers(0, 100).unwrap();
        let epsilon = Epsilon::new(rational(3, 8).unwrap()).unwrap();
        for neighbours in [Neighbours::AddRemove, Neighbours::Replace] {
            let mean = Mean::new(&column, neighbours, &epsilon).unwrap();
            assert_eq!(mean.map().unwrap().loss(&1u32.into()).unwrap().to_string(), "ε = 0.375");
            let variance = Variance::new(&column, neighbours, &epsilon).unwrap();
            assert_eq!(variance.map().unwrap().loss(&1u32.into()).unwrap().to_string(), "ε = 0.375");
        }
        assert!(Mean::new(&column, Neighbours::Replace, &Epsilon::zero()).is_err());
    }

    /// Without noise to speak of, the answers are the mean and the variance.
    #[test]
    fn with_little_noise_the_answers_are_right() {
        let column = Column::integers(0, 10).unwrap();
        let records: Vec<i64> = (0..1000).map(|i| i % 11).collect();
        let much = Epsilon::from_f64(1e6).unwrap();
        for neighbours in [Neighbours::AddRemove, Neighbours::Replace] {
            let exact = Rational::from(records.iter().sum::<i64>()) / Rational::from(1000);
            let squares = Rational::from(records.iter().map(|x| x * x).sum::<i64>()) / Rational::from(1000);
            let mean = Mean::new(&column, neighbours, &much).unwrap().answer(&records).unwrap();
            let variance = Variance::new(&column, neighbours, &much).unwrap().answer(&records).unwrap();
            assert_eq!(mean, exact);
            assert_eq!(variance, squares - &exact * &exact);
        }
        // Nobody there: still an answer, within the bounds.
        let nobody: [i64; 0] = [];
        let mean = Mean::new(&column, Neighbours::AddRemove, &Epsilon::from_f64(0.1).unwrap()).unwrap();
        let answer = mean.answer(nobody).unwrap();
        assert!(answer >= Rational::ZERO && answer <= Rational::from(10));
    }
}
