//! What one record can contribute: a number, clamped to a range and rounded to a step.

use probity_exact::{Integer, Natural, Rational, rational_from_f64};

use super::{Neighbours, Statistic, steps};
use crate::mechanisms::Grid;
use crate::sampler::ParameterError;

/// A column of numbers. Every value is a number of steps between two bounds.
///
/// Rounding is to the nearest step, ties up, and comes before clamping. A NaN counts as the lower bound: a release must not fail
/// because of what is in a record, as that would tell.
///
/// ```
/// use probity_exact::fraction;
/// use probity_noise::transform::Column;
/// let cents = Column::decimals(2, fraction::<0, 1>(), fraction::<50, 1>())?;
/// assert_eq!(cents.steps(&fraction::<12345, 10_000>()), 123);
/// assert_eq!(cents.steps(&1000i64), 5000);
/// assert_eq!(cents.steps(&f64::NAN), 0);
/// # Ok::<(), probity_noise::sampler::ParameterError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Invariant: positive.
    step: Rational,
    /// The bounds, in steps. Invariant: lower ≤ upper, both within ±2^62.
    lower: i64,
    upper: i64,
    /// d for a step of 1/d that machine integers can round to. Invariant: follows from the step.
    per_unit: Option<u64>,
    /// How doubles are rounded in doubles. Invariant: follows from the step and the bounds.
    doubles: Option<steps::InDoubles>,
}

/// The bounds of a column are at least so many steps apart unless a step is given: what is lost by rounding is then far below the noise.
const FINE: u64 = 1 << 30;

/// Bounds lie within this many steps of 0, so that squares and sums of them have room.
const LIMIT: i64 = 1 << 62;

impl Column {
    /// Integers, clamped to these bounds.
    ///
    /// # Errors
    /// When the range is empty, or a bound lies beyond ±2^62.
    pub fn integers(lower: i64, upper: i64) -> Result<Self, ParameterError> {
        Self::new(Rational::ONE, Rational::from(lower), Rational::from(upper))
    }

    /// Decimals with this many digits after the point, clamped to these bounds.
    ///
    /// # Errors
    /// When the range is empty, or a bound is no such decimal or lies beyond 2^62 steps.
    pub fn decimals(digits: u32, lower: Rational, upper: Rational) -> Result<Self, ParameterError> {
        Self::new(Rational::from_parts(Integer::ONE, Natural::from(10u8).pow(digits as usize)), lower, upper)
    }

    /// Floats on a grid, clamped to these bounds.
    ///
    /// # Errors
    /// When the range is empty, or a bound is not on the grid, not finite, or beyond 2^62 steps.
    pub fn floats(grid: Grid, lower: f64, upper: f64) -> Result<Self, ParameterError> {
        let finite = |name: &'static str, value: f64| {
            rational_from_f64(value).ok_or_else(|| ParameterError::new(name, value, "finite"))
        };
        Self::new(grid.spacing(), finite("lower bound", lower)?, finite("upper bound", upper)?)
    }

    /// Multiples of any step, clamped to these bounds, which must be multiples of it.
    ///
    /// # Errors
    /// When the step is not positive, the range is empty, or a bound is no multiple of the step or lies beyond 2^62 steps.
    pub fn new(step: Rational, lower: Rational, upper: Rational) -> Result<Self, ParameterError> {
        if step <= Rational::ZERO {
            return Err(ParameterError::new("step", step, "positive"));
        }
        if lower > upper {
            return Err(ParameterError::new("lower bound", lower, "at most the upper bound"));
        }
        let whole = |name: &'static str, bound: &Rational| {
            let steps = bound / &step;
            let whole = i64::try_from(steps.floor())
                .ok()
                .filter(|whole| whole.unsigned_abs() <= LIMIT.unsigned_abs());
            match whole {
                Some(whole) if steps.is_int() => Ok(whole),
                _ => Err(ParameterError::new(name, bound, "a multiple of the step, within 2^62 steps of 0")),
            }
        };
        let (lower, upper) = (whole("lower bound", &lower)?, whole("upper bound", &upper)?);
        let one = *step.numerator() == Integer::ONE;
        let per_unit = u64::try_from(step.denominator()).ok().filter(|most| one && *most <= steps::MOST);
        let doubles = per_unit.and_then(|per_unit| steps::InDoubles::new(per_unit, lower, upper));
        Ok(Column { step, lower, upper, per_unit, doubles })
    }

    /// Real numbers between two bounds, in steps of about a billionth of the width: the largest step 1/(d·2^j) of which both bounds
    /// are multiples and at least 2^30 lie between them, d being their common denominator.
    ///
    /// ```
    /// use probity_exact::{fraction, rational};
    /// use probity_noise::transform::Column;
    /// let ages = Column::between(fraction::<0, 1>(), fraction::<100, 1>())?;
    /// assert_eq!(ages.step(), &rational(1, 1 << 24).unwrap());
    /// # Ok::<(), probity_noise::sampler::ParameterError>(())
    /// ```
    ///
    /// # Errors
    /// When the range is empty, or so many steps do not fit.
    pub fn between(lower: Rational, upper: Rational) -> Result<Self, ParameterError> {
        let common =
            lower.denominator() * (&upper * Rational::from(lower.denominator().clone())).denominator();
        let mut step = Rational::from_parts(Integer::ONE, common);
        let half = Rational::from_parts(Integer::ONE, Natural::from(2u8));
        while lower < upper && &upper - &lower < Rational::from(FINE) * &step {
            step *= &half;
        }
        Self::new(step, lower, upper)
    }

    /// One step.
    pub fn step(&self) -> &Rational {
        &self.step
    }

    /// The lower bound, in steps.
    pub fn lower_steps(&self) -> i64 {
        self.lower
    }

    /// The upper bound, in steps.
    pub fn upper_steps(&self) -> i64 {
        self.upper
    }

    /// A number as steps: rounded to the nearest, ties up, then clamped.
    #[inline]
    pub fn steps<N: Number>(&self, number: &N) -> i64 {
        number.to_steps(self)
    }

    /// The number of records.
    pub fn count(&self, neighbours: Neighbours) -> Statistic {
        Statistic::count(neighbours)
    }

    /// The sum of the column.
    pub fn sum(&self, neighbours: Neighbours) -> Statistic {
        Statistic::sum(self, neighbours)
    }

    fn clamp_word(&self, steps: i128) -> i64 {
        // Within the bounds it fits.
        steps.clamp(i128::from(self.lower), i128::from(self.upper)) as i64
    }

    fn clamp(&self, steps: &Integer) -> i64 {
        match i64::try_from(steps) {
            Ok(steps) => steps.clamp(self.lower, self.upper),
            Err(_) if *steps < Integer::ZERO => self.lower,
            Err(_) => self.upper,
        }
    }

    fn round(&self, value: &Rational) -> i64 {
        let half = Rational::from_parts(Integer::ONE, Natural::from(2u8));
        self.clamp(&(value / &self.step + half).floor())
    }
}

/// A number that a column can hold: `i64`, `f64` or `Rational`. Sealed.
pub trait Number: sealed::Sealed {
    /// The number as steps of a column.
    fn to_steps(&self, column: &Column) -> i64;
}

mod sealed {
    /// Keeps [`super::Number`] closed: a sensitivity rests on what these do.
    pub trait Sealed {}
    impl Sealed for i64 {}
    impl Sealed for f64 {}
    impl Sealed for probity_exact::Rational {}
    impl Sealed for super::Steps {}
    impl Sealed for super::Record {}
    impl<T: Sealed> Sealed for &T {}
}

impl<T: Number> Number for &T {
    #[inline]
    fn to_steps(&self, column: &Column) -> i64 {
        (**self).to_steps(column)
    }
}

impl Number for i64 {
    fn to_steps(&self, column: &Column) -> i64 {
        match column.per_unit {
            Some(per_unit) => column.clamp_word(steps::of_integer(*self, per_unit)),
            None => column.round(&Rational::from(*self)),
        }
    }
}

/// A number that is steps of its column already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Steps(pub(super) i64);

impl Number for Steps {
    fn to_steps(&self, column: &Column) -> i64 {
        self.0.clamp(column.lower, column.upper)
    }
}

impl Number for f64 {
    // A column of a million numbers is one loop, in the crate of the caller.
    #[inline]
    fn to_steps(&self, column: &Column) -> i64 {
        match &column.doubles {
            Some(doubles) => doubles.steps(*self),
            None => column.steps_of_double(*self),
        }
    }
}

impl Column {
    fn steps_of_double(&self, value: f64) -> i64 {
        if let Some(steps) = self.per_unit.and_then(|per_unit| steps::of_double(value, per_unit)) {
            return self.clamp_word(steps);
        }
        match rational_from_f64(value) {
            Some(value) => self.round(&value),
            None if value == f64::INFINITY => self.upper,
            None => self.lower,
        }
    }
}

impl Number for Rational {
    fn to_steps(&self, column: &Column) -> i64 {
        column.round(self)
    }
}

/// A number of any of these kinds, for records that are not all of one: each counts as it does among its own.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    /// A machine integer.
    Integer(i64),
    /// A double. What is missing is a NaN.
    Double(f64),
    /// A number of any size.
    Exact(Rational),
}

impl Number for Record {
    fn to_steps(&self, column: &Column) -> i64 {
        match self {
            Record::Integer(value) => value.to_steps(column),
            Record::Double(value) => value.to_steps(column),
            Record::Exact(value) => value.to_steps(column),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    #[test]
    fn values_are_rounded_and_clamped() {
        let quarters = Column::floats(Grid::new(-2).unwrap(), -1.0, 2.5).unwrap();
        for (value, steps) in [
            (0.0, 0),
            (0.125, 1),
            (-0.125, 0),
            (0.1249, 0),
            (2.49, 10),
            (1e300, 10),
            (-1e300, -4),
            (f64::INFINITY, 10),
            (f64::NEG_INFINITY, -4),
            (f64::NAN, -4),
            (-f64::from_bits(1), 0),
        ] {
            assert_eq!(quarters.steps(&value), steps, "{value}");
        }
        let tens = Column::new(Rational::from(10), Rational::from(0), Rational::from(100)).unwrap();
        assert_eq!((tens.steps(&14i64), tens.steps(&15i64), tens.steps(&-7i64)), (1, 2, 0));
        assert_eq!(Column::integers(0, 5).unwrap().steps(&i64::MAX), 5);
    }

    #[test]
    fn machine_integers_count_as_rationals_do() {
        let (zero, hundred) = (Rational::ZERO, Rational::from(100));
        let column = Column::between(zero.clone(), hundred.clone()).unwrap();
        // The same column without the quick way.
        let slow = Column { per_unit: None, doubles: None, ..column.clone() };
        for value in
            [0.1, 99.99999999, 100.5, -3.0, 1e300, -1e300, 2f64.powi(-26), f64::NAN, f64::INFINITY, 5e-324]
        {
            assert_eq!(column.steps(&value), slow.steps(&value), "{value}");
        }
        for value in [0, 7, -1, 101, i64::MAX, i64::MIN] {
            assert_eq!(column.steps(&value), slow.steps(&value), "{value}");
        }
        let thirds = Column::between(rational(1, 3).unwrap(), rational(1, 2).unwrap()).unwrap();
        assert!(thirds.upper_steps() - thirds.lower_steps() >= 1 << 30);
        assert!(Column::between(hundred, zero.clone()).is_err());
        assert_eq!(Column::between(zero.clone(), zero).unwrap().upper_steps(), 0);
    }

    #[test]
    fn a_record_counts_as_its_number() {
        let tenths = Column::decimals(1, Rational::ZERO, Rational::from(10)).unwrap();
        // The double 0.15 is below the tie, which the decimal is.
        assert_eq!(tenths.steps(&Record::Double(0.15)), 1);
        assert_eq!(tenths.steps(&Record::Exact(rational(15, 100).unwrap())), 2);
        assert_eq!(tenths.steps(&Record::Integer(3)), 30);
        assert_eq!(tenths.steps(&Record::Double(f64::NAN)), 0);
    }

    /// On every kind of double, in columns whose step is a power of two, and near every edge of what is rounded in doubles.
    #[test]
    fn doubles_round_as_rationals_do() {
        let mut state = 11u64;
        let mut word = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ state >> 29
        };
        for (per_unit, lower, upper) in [
            (1u64, -3i64, 5i64),
            (1, 0, 0),
            (1, -(1 << 53), 1 << 53),
            (1 << 24, 0, 100 << 24),
            (1 << 24, -7, 100 << 24),
            (1 << 62, -1, 1 << 53),
            (1 << 40, -(1 << 53), -5),
        ] {
            let step = Rational::from_parts(Integer::ONE, Natural::from(per_unit));
            let column =
                Column::new(step.clone(), &step * Rational::from(lower), &step * Rational::from(upper))
                    .unwrap();
            assert!(column.doubles.is_some());
            let slow = Column { per_unit: None, doubles: None, ..column.clone() };
            let check = |value: f64| {
                for value in [value, value.next_up(), value.next_down(), -value] {
                    assert_eq!(column.steps(&value), slow.steps(&value), "{value:e} in 1/{per_unit}");
                }
            };
            for value in
                [0.0, f64::MIN_POSITIVE, 5e-324, f64::MAX, f64::INFINITY, f64::NAN, 1.0, 0.5, 1.5, 2.5]
            {
                check(value);
                check(value / per_unit as f64);
            }
            for _ in 0..2000 {
                check(f64::from_bits(word()));
                // Halves of steps around the bounds and around 0.
                let near = [lower, upper, 0][(word() % 3) as usize] as f64;
                check((near + (word() % 16) as f64 / 4.0 - 2.0) / per_unit as f64);
                check((word() as f64 / 2f64.powi(11)) / per_unit as f64);
            }
        }
        // What doubles cannot hold is not rounded in them.
        let wide = Column::integers(0, (1 << 53) + 1).unwrap();
        assert!(
            wide.doubles.is_none()
                && Column::decimals(2, Rational::ZERO, Rational::ONE).unwrap().doubles.is_none()
        );
    }

    #[test]
    fn senseless_columns_are_refused_by_name() {
        assert_eq!(Column::integers(3, 2).unwrap_err().parameter(), "lower bound");
        assert_eq!(Column::integers(0, i64::MAX).unwrap_err().parameter(), "upper bound");
        let third = rational(1, 3).unwrap();
        assert_eq!(Column::decimals(2, Rational::ZERO, third).unwrap_err().parameter(), "upper bound");
        let (zero, one) = (Rational::ZERO, Rational::ONE);
        assert_eq!(Column::new(zero.clone(), zero.clone(), one).unwrap_err().parameter(), "step");
        let grid = Grid::new(0).unwrap();
        assert_eq!(Column::floats(grid, f64::NAN, 1.0).unwrap_err().parameter(), "lower bound");
        assert_eq!(Column::floats(grid, 0.0, 0.5).unwrap_err().parameter(), "upper bound");
    }
}
