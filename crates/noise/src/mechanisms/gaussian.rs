//! Discrete Gaussian noise on integers. Map: ρ = d_in² / (2σ²).
//!
//! The discrete Gaussian with parameter σ² has the same concentrated loss as the continuous one (Canonne, Kamath,
//! Steinke 2020, Theorem 14). `docs/proofs/discrete-gaussian.md` recalls the argument. σ² = 0 is no noise and
//! has infinite loss; d_in = 0 costs nothing.

use probity_exact::{Integer, Rational};

use super::additive::{Saturating, Unbounded};
use crate::domain::{BigIntegers, IntegerRange, Vectors};
use crate::map::{Expression, PrivacyMap};
use crate::measurement::Measurement;
use crate::metric::Metric;
use crate::sampler::{DiscreteGaussian, ParameterError, SquaredScale};

/// ρ = d_in² / (2σ²): 0 at d_in = 0, ∞ at σ² = 0.
///
/// ```
/// use probity_noise::mechanisms::discrete_gaussian_map;
/// use probity_noise::sampler::SquaredScale;
/// use probity_noise::unit::Sensitivity;
/// let map = discrete_gaussian_map(&SquaredScale::from_f64(8.0)?);
/// assert_eq!(map.to_string(), "ρ = if d_in = 0 then 0 else d_in · d_in / (2 · σ²), where σ² = 8");
/// assert_eq!(map.loss(&Sensitivity::from(2u32))?.to_string(), "ρ = 0.25");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn discrete_gaussian_map(squared_scale: &SquaredScale) -> PrivacyMap {
    PrivacyMap::concentrated(over_squared_scale(Expression::distance_in(), squared_scale))
}

/// distance² / (2σ²) with the edge cases of [`discrete_gaussian_map`].
pub(super) fn over_squared_scale(distance: Expression, squared_scale: &SquaredScale) -> Expression {
    Expression::zero_at_zero(match squared_scale.value().is_zero() {
        true => Expression::infinity(),
        false => {
            let two = Expression::constant(Rational::from(2u8));
            distance.squared() / (two * Expression::parameter("σ²", squared_scale.value().clone()))
        }
    })
}

/// x + Z on 64-bit integers, saturating at their ends.
///
/// # Errors
/// When σ² is 2^100 or more; use [`discrete_gaussian_big`].
pub fn discrete_gaussian(
    domain: IntegerRange,
    squared_scale: SquaredScale,
) -> Result<Measurement<i64, i64>, ParameterError> {
    let map = discrete_gaussian_map(&squared_scale);
    let noise = DiscreteGaussian::<i64>::new(squared_scale)?;
    Ok(Measurement::new(domain, Metric::Absolute, map, Saturating(noise)))
}

/// x + Z on vectors of 64-bit integers, independent noise on every entry, d_in in L2.
///
/// # Errors
/// When σ² is 2^100 or more; use [`discrete_gaussian_big_vector`].
pub fn discrete_gaussian_vector(
    domain: Vectors<IntegerRange>,
    squared_scale: SquaredScale,
) -> Result<Measurement<Vec<i64>, Vec<i64>>, ParameterError> {
    let map = discrete_gaussian_map(&squared_scale);
    let noise = DiscreteGaussian::<i64>::new(squared_scale)?;
    Ok(Measurement::new(domain, Metric::L2, map, Saturating(noise)))
}

/// x + Z on integers of any size, for any σ².
///
/// # Errors
/// None for a valid σ².
pub fn discrete_gaussian_big(
    squared_scale: SquaredScale,
) -> Result<Measurement<Integer, Integer>, ParameterError> {
    let map = discrete_gaussian_map(&squared_scale);
    let noise = DiscreteGaussian::<Integer>::new(squared_scale)?;
    Ok(Measurement::new(BigIntegers, Metric::Absolute, map, Unbounded(noise)))
}

/// x + Z on vectors of integers of any size, independent noise on every entry, d_in in L2.
///
/// # Errors
/// None for a valid σ².
pub fn discrete_gaussian_big_vector(
    domain: Vectors<BigIntegers>,
    squared_scale: SquaredScale,
) -> Result<Measurement<Vec<Integer>, Vec<Integer>>, ParameterError> {
    let map = discrete_gaussian_map(&squared_scale);
    let noise = DiscreteGaussian::<Integer>::new(squared_scale)?;
    Ok(Measurement::new(domain, Metric::L2, map, Unbounded(noise)))
}
