//! How far off an answer can be, and how much noise an error leaves room for.
//!
//! An error a at level α: the answer is within a of the truth with probability at least 1 − α. For discrete Laplace
//! noise the answers are exact (the least such a, the largest such scale), and for discrete Gaussian noise with σ ≤ 24 too; for a
//! larger σ they rest on the normal law's tail, and are safe and generous by at most 1.
//!
//! ```
//! use probity_noise::accuracy::{Level, laplace_error, laplace_scale_within};
//! use probity_noise::sampler::Scale;
//! let level = Level::from_f64(0.05)?;
//! let error = laplace_error(&Scale::from_f64(10.0)?, &level, 1)?;
//! assert_eq!(error.to_string(), "30");
//! // And back: the most noise that still keeps this error.
//! assert!(laplace_scale_within(&error, &level, 1)? >= 10.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod gaussian;
mod guess;
mod response;

pub use response::response_interval;

use probity_exact::{Natural, Rational, UnsignedAbs, rational_from_f64};

use crate::map::{Expression, MapError, Point};
use crate::measurement::MechanismError;
use crate::mechanisms::RandomizedResponse;
use crate::sampler::{ParameterError, Scale, SquaredScale};
use crate::search::{greatest_double, least_natural_near};

/// The probability α with which an error may be exceeded: more than 0, less than 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level(Rational);

impl Level {
    /// Exactly this level.
    ///
    /// # Errors
    /// When it is not strictly between 0 and 1.
    pub fn new(value: Rational) -> Result<Self, ParameterError> {
        match value > Rational::ZERO && value < Rational::ONE {
            true => Ok(Level(value)),
            false => Err(ParameterError::new("alpha", value, "more than 0 and less than 1")),
        }
    }

    /// The exact value of a double.
    ///
    /// # Errors
    /// When it is not strictly between 0 and 1.
    pub fn from_f64(value: f64) -> Result<Self, ParameterError> {
        match rational_from_f64(value) {
            Some(exact) => Self::new(exact),
            None => Err(ParameterError::new("alpha", value, "more than 0 and less than 1")),
        }
    }

    /// The exact value.
    pub fn value(&self) -> &Rational {
        &self.0
    }
}

/// P(some of `count` independent draws exceeds its bound) from the probability for one.
fn of_any(one: Expression, count: u64) -> Expression {
    match count {
        1 => one,
        _ => {
            let all_within = Expression::constant(Rational::from(count)) * (Expression::one() - one).ln();
            Expression::one() - all_within.exp()
        }
    }
}

/// P(|Z| > a) = 2q^(a+1)/(1 + q) with q = e^(−1/scale), for discrete Laplace noise of scale > 0.
fn laplace_tail(scale: &Rational, error: &Natural) -> Expression {
    let power = |k: Natural| Expression::constant(-(Rational::from(k) / scale)).exp();
    let two = Expression::constant(Rational::from(2u8));
    two * power(error + Natural::ONE) / (Expression::one() + power(Natural::ONE))
}

/// Whether a probability is at most α, decided exactly.
fn within(tail: &Expression, level: &Level) -> Result<bool, MapError> {
    Ok(tail.is_at_most(&Point::at(&Rational::ZERO), &level.0)?)
}

fn check_count(count: u64) -> Result<(), ParameterError> {
    match count {
        0 => Err(ParameterError::new("count", count, "at least 1")),
        _ => Ok(()),
    }
}

/// How many bits an error can have: those of the scale and of ln(2·count/α), with room to spare.
fn limit_bits(scale: &Rational) -> usize {
    scale.ceil().unsigned_abs().to_le_bytes().len() * 8 + 80
}

/// The least a such that all of `count` discrete Laplace draws are within ±a with probability 1 − α. Exact.
///
/// # Errors
/// When `count` is 0, or the comparison cannot be decided.
pub fn laplace_error(scale: &Scale, level: &Level, count: u64) -> Result<Natural, MechanismError> {
    check_count(count)?;
    if scale.value().is_zero() {
        return Ok(Natural::ZERO);
    }
    let fits = |error: &Natural| within(&of_any(laplace_tail(scale.value(), error), count), level);
    let guess = guess::laplace(scale.value(), &level.0, count);
    least_natural_near(guess, limit_bits(scale.value()), fits)?.ok_or_else(|| no_error(level))
}

/// The largest double scale with which all of `count` draws are within ±`error` with probability 1 − α.
///
/// # Errors
/// When `count` is 0, or the comparison cannot be decided.
pub fn laplace_scale_within(error: &Natural, level: &Level, count: u64) -> Result<f64, MechanismError> {
    check_count(count)?;
    largest(level, |scale| of_any(laplace_tail(scale, error), count))
}

/// An a such that all of `count` discrete Gaussian draws are within ±a with probability 1 − α, which is shared among the draws: for one
/// draw the least one if σ ≤ 24, and at most 1 more if σ is larger.
///
/// ```
/// use probity_noise::accuracy::{Level, gaussian_error};
/// use probity_noise::sampler::SquaredScale;
/// let error = gaussian_error(&SquaredScale::from_f64(100.0)?, &Level::from_f64(0.05)?, 1)?;
/// assert_eq!(u64::try_from(&error)?, 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When `count` is 0, or the comparison cannot be decided.
pub fn gaussian_error(
    squared_scale: &SquaredScale,
    level: &Level,
    count: u64,
) -> Result<Natural, MechanismError> {
    check_count(count)?;
    if squared_scale.value().is_zero() {
        return Ok(Natural::ZERO);
    }
    let tail = gaussian::Tail::new(squared_scale.value()).ok_or_else(|| no_error(level))?;
    let guess = guess::gaussian(squared_scale.value(), &level.0, count);
    let fits = |error: &Natural| Ok::<_, MechanismError>(gaussian_within(&tail, error, level, count));
    let found = least_natural_near(guess, limit_bits(squared_scale.value()), fits)?;
    found.ok_or_else(|| no_error(level))
}

/// Whether the bound keeps all draws within ±a.
fn gaussian_within(tail: &gaussian::Tail, error: &Natural, level: &Level, count: u64) -> bool {
    tail.beyond(error).is_some_and(|tail| tail * Rational::from(count) <= level.0)
}

/// The largest double σ² with which the same bound keeps all of `count` draws within ±`error`.
///
/// # Errors
/// When `count` is 0, or the comparison cannot be decided.
pub fn gaussian_squared_scale_within(
    error: &Natural,
    level: &Level,
    count: u64,
) -> Result<f64, MechanismError> {
    check_count(count)?;
    let found = greatest_double(|scale| {
        Ok::<_, MechanismError>(match rational_from_f64(scale) {
            Some(zero) if zero.is_zero() => true,
            Some(scale) => {
                gaussian::Tail::new(&scale).is_some_and(|tail| gaussian_within(&tail, error, level, count))
            }
            None => false,
        })
    })?;
    Ok(found.unwrap_or(0.0))
}

fn no_error(level: &Level) -> MechanismError {
    ParameterError::new("alpha", &level.0, "not so small that no error is found").into()
}

fn largest(level: &Level, tail: impl Fn(&Rational) -> Expression) -> Result<f64, MechanismError> {
    let found = greatest_double(|scale| match rational_from_f64(scale) {
        Some(zero) if zero.is_zero() => Ok(true),
        Some(scale) => within(&tail(&scale), level),
        None => Ok(false),
    })?;
    Ok(found.unwrap_or(0.0))
}

/// How far the estimated share of a category can be from its share among the respondents, with probability 1 − α:
/// √(ln(2/α)/(2n))/(p − q), by Hoeffding's inequality, rounded up: a bound before anything is counted. After the survey,
/// [`response_interval`] is exact and narrower.
///
/// ```
/// use probity_noise::accuracy::{Level, response_error};
/// use probity_noise::mechanisms::RandomizedResponse;
/// use probity_noise::sampler::Probability;
/// let law = RandomizedResponse::new(2, Probability::from_f64(0.75)?)?;
/// let error = response_error(&law, 10_000, &Level::from_f64(0.05)?)?;
/// assert!(error > 0.027 && error < 0.028);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When there are no respondents, or p = 1/t.
pub fn response_error(
    law: &RandomizedResponse,
    respondents: u64,
    level: &Level,
) -> Result<f64, MechanismError> {
    check_count(respondents)?;
    let gap = law.truth().value() - law.lie();
    if gap.is_zero() {
        let allowed = "more than 1 / (number of categories), or the answers tell nothing";
        return Err(ParameterError::new("probability of the truth", law.truth().value(), allowed).into());
    }
    let number = |value: Rational| Expression::constant(value);
    let two = || Rational::from(2u8);
    let spread = number(two() / &level.0).ln() / number(two() * Rational::from(respondents));
    let error = spread.sqrt() / number(gap);
    Ok(error.round_up(&Point::at(&Rational::ZERO)).map_err(MapError::from)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::directed::exp_nearest;

    fn level(value: f64) -> Level {
        Level::from_f64(value).unwrap()
    }

    /// The tail by plain summation in doubles, good to 1e-12.
    fn summed_tail(scale: f64, error: u64) -> f64 {
        let q = exp_nearest(-1.0 / scale);
        let mass = |k: u64| exp_nearest(-(k as f64) / scale) * (1.0 - q) / (1.0 + q);
        (error + 1..error + 3000).map(|k| 2.0 * mass(k)).sum()
    }

    #[test]
    fn the_error_is_the_least_one_that_holds() {
        for scale in [0.3, 1.0, 7.5, 40.0] {
            for alpha in [0.5, 0.05, 0.001, 1e-9] {
                let error = laplace_error(&Scale::from_f64(scale).unwrap(), &level(alpha), 1).unwrap();
                let error = u64::try_from(&error).unwrap();
                assert!(summed_tail(scale, error) <= alpha * (1.0 + 1e-9), "{scale} {alpha} {error}");
                if error > 0 {
                    assert!(summed_tail(scale, error - 1) > alpha * (1.0 - 1e-9), "{scale} {alpha} {error}");
                }
            }
        }
    }

    #[test]
    fn back_and_forth() {
        for error in [1u32, 5, 100, 12345] {
            for count in [1, 10, 1000] {
                let error = Natural::from(error);
                let scale = laplace_scale_within(&error, &level(0.05), count).unwrap();
                let at = |scale: f64| {
                    laplace_error(&Scale::from_f64(scale).unwrap(), &level(0.05), count).unwrap()
                };
                assert!(at(scale) <= error && at(scale.next_up()) > error, "{error} {count} {scale}");
                let squared = gaussian_squared_scale_within(&error, &level(0.05), count).unwrap();
                let at = |squared: f64| {
                    let squared = SquaredScale::from_f64(squared).unwrap();
                    gaussian_error(&squared, &level(0.05), count).unwrap()
                };
                assert!(at(squared) <= error && at(squared.next_up()) > error);
            }
        }
    }

    /// The sub-Gaussian bound against the law itself, summed in doubles.
    #[test]
    fn the_gaussian_error_holds() {
        for squared in [0.2, 1.0, 30.0, 500.0] {
            for alpha in [0.5, 0.05, 1e-6] {
                let error =
                    gaussian_error(&SquaredScale::from_f64(squared).unwrap(), &level(alpha), 1).unwrap();
                let error = i32::try_from(u64::try_from(&error).unwrap()).unwrap();
                let mass = |k: i32| exp_nearest(-f64::from(k) * f64::from(k) / (2.0 * squared));
                let total: f64 = (-2000..=2000).map(mass).sum();
                let beyond: f64 = (error + 1..=2000).map(|k| 2.0 * mass(k)).sum();
                assert!(beyond / total <= alpha, "{squared} {alpha}");
            }
        }
    }

    #[test]
    fn senseless_questions_are_refused() {
        assert!(Level::from_f64(0.0).is_err() && Level::from_f64(1.0).is_err());
        assert_eq!(Level::from_f64(f64::NAN).unwrap_err().parameter(), "alpha");
        assert!(laplace_error(&Scale::from_f64(1.0).unwrap(), &level(0.1), 0).is_err());
        let zero = laplace_error(&Scale::from_f64(0.0).unwrap(), &level(0.1), 1).unwrap();
        assert_eq!(zero, Natural::ZERO);
        // Huge scales have huge errors, not failures.
        let huge = Scale::new(Rational::from(Natural::ONE << 300)).unwrap();
        assert!(laplace_error(&huge, &level(1e-300), 1_000_000).unwrap() > Natural::ONE << 300);
    }
}
