//! Discrete Laplace noise on integers. Map: ε = d_in / scale.
//!
//! Proofs: `docs/proofs/discrete-laplace.md`. Scale 0 is no noise and has infinite loss; d_in = 0 costs nothing.

use probity_exact::Integer;

use super::additive::{Saturating, Unbounded, WrappingBig, WrappingWord};
use crate::domain::{BigIntegers, IntegerRange, Vectors, WrappingIntegers};
use crate::map::{Expression, PrivacyMap};
use crate::measurement::Measurement;
use crate::metric::Metric;
use crate::sampler::{DiscreteLaplace, ParameterError, Scale};

/// ε = d_in / scale: 0 at d_in = 0, ∞ at scale 0, the exact quotient otherwise.
///
/// ```
/// use probity_exact::rational;
/// use probity_noise::mechanisms::discrete_laplace_map;
/// use probity_noise::sampler::Scale;
/// use probity_noise::unit::Sensitivity;
/// let map = discrete_laplace_map(&Scale::new(rational(7, 3).unwrap())?);
/// assert_eq!(map.to_string(), "ε = if d_in = 0 then 0 else d_in / scale, where scale = 7/3");
/// assert_eq!(map.loss(&Sensitivity::from(7u32))?.to_string(), "ε = 3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn discrete_laplace_map(scale: &Scale) -> PrivacyMap {
    PrivacyMap::pure(over_scale(Expression::distance_in(), scale))
}

/// The map of noise on an integer that moves by `distance`, an expression in d_in.
pub(crate) fn laplace_map_of_integer(distance: Expression, scale: &Scale) -> PrivacyMap {
    PrivacyMap::pure(over_scale(distance, scale))
}

/// distance / scale with the edge cases of [`discrete_laplace_map`].
pub(super) fn over_scale(distance: Expression, scale: &Scale) -> Expression {
    Expression::zero_at_zero(match scale.value().is_zero() {
        true => Expression::infinity(),
        false => distance / Expression::parameter("scale", scale.value().clone()),
    })
}

/// x + Z on 64-bit integers, saturating at their ends.
///
/// # Errors
/// When the scale is 2^50 or more; use [`discrete_laplace_big`].
pub fn discrete_laplace(domain: IntegerRange, scale: Scale) -> Result<Measurement<i64, i64>, ParameterError> {
    let map = discrete_laplace_map(&scale);
    Ok(Measurement::new(domain, Metric::Absolute, map, Saturating(DiscreteLaplace::<i64>::new(scale)?)))
}

/// x + Z on vectors of 64-bit integers, independent noise on every entry, d_in in L1.
///
/// # Errors
/// When the scale is 2^50 or more; use [`discrete_laplace_big_vector`].
pub fn discrete_laplace_vector(
    domain: Vectors<IntegerRange>,
    scale: Scale,
) -> Result<Measurement<Vec<i64>, Vec<i64>>, ParameterError> {
    let map = discrete_laplace_map(&scale);
    Ok(Measurement::new(domain, Metric::L1, map, Saturating(DiscreteLaplace::<i64>::new(scale)?)))
}

/// x + Z on integers of any size, for any scale.
///
/// # Errors
/// None for a valid scale.
pub fn discrete_laplace_big(scale: Scale) -> Result<Measurement<Integer, Integer>, ParameterError> {
    let map = discrete_laplace_map(&scale);
    Ok(Measurement::new(
        BigIntegers,
        Metric::Absolute,
        map,
        Unbounded(DiscreteLaplace::<Integer>::new(scale)?),
    ))
}

/// x + Z on vectors of integers of any size, independent noise on every entry, d_in in L1.
///
/// # Errors
/// None for a valid scale.
pub fn discrete_laplace_big_vector(
    domain: Vectors<BigIntegers>,
    scale: Scale,
) -> Result<Measurement<Vec<Integer>, Vec<Integer>>, ParameterError> {
    let map = discrete_laplace_map(&scale);
    Ok(Measurement::new(domain, Metric::L1, map, Unbounded(DiscreteLaplace::<Integer>::new(scale)?)))
}

/// (x + Z) mod m on machine words, as integers that wrap.
///
/// The map is that of x + Z: reducing modulo m is post-processing. It also holds for the distance around the
/// circle, since the answer depends on the residue of x alone.
///
/// # Errors
/// When the modulus exceeds 2^64, or the scale is 2^50 or more; use [`discrete_laplace_wrapping_big`].
pub fn discrete_laplace_wrapping(
    domain: WrappingIntegers,
    scale: Scale,
) -> Result<Measurement<u64, u64>, ParameterError> {
    let modulus = match i128::try_from(domain.modulus()) {
        Ok(modulus) if modulus <= 1 << 64 => modulus,
        _ => {
            let allowed = "at most 2^64 on machine words; use arbitrary-size integers beyond";
            return Err(ParameterError::new("modulus", domain.modulus(), allowed));
        }
    };
    let map = discrete_laplace_map(&scale);
    let noise = DiscreteLaplace::<i64>::new(scale)?;
    Ok(Measurement::new(domain, Metric::Absolute, map, WrappingWord { noise, modulus }))
}

/// (x + Z) mod m for a modulus of any size. See [`discrete_laplace_wrapping`].
///
/// # Errors
/// None for a valid scale.
pub fn discrete_laplace_wrapping_big(
    domain: WrappingIntegers,
    scale: Scale,
) -> Result<Measurement<Integer, Integer>, ParameterError> {
    let map = discrete_laplace_map(&scale);
    let noise = DiscreteLaplace::<Integer>::new(scale)?;
    let modulus = domain.modulus().clone();
    Ok(Measurement::new(domain, Metric::Absolute, map, WrappingBig { noise, modulus }))
}
