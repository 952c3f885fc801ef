//! Discrete Laplace noise on integers. Map: ε = d_in / scale.
//!
//! Proofs: `docs/proofs/discrete-laplace.md`. Scale 0 is no noise and has infinite loss; d_in = 0 costs nothing.

use probity_exact::Integer;

use super::additive::{Saturating, Unbounded, WrappingBig, WrappingWord};
use crate::domain::{BigIntegers, Domain, IntegerRange, Vectors, WrappingIntegers};
use crate::map::{Expression, PrivacyMap};
use crate::measurement::Measurement;
use crate::metric::Metric;
use crate::sampler::{DiscreteLaplace, ParameterError, Scale};

/// ε = d_in / scale: 0 at d_in = 0, ∞ at scale 0, the exact quotient otherwise.
///
/// ```
/// use probity_exact::fraction;
/// use probity_noise::mechanisms::discrete_laplace_map;
/// use probity_noise::sampler::Scale;
/// use probity_noise::unit::Sensitivity;
/// let map = discrete_laplace_map(&Scale::new(fraction::<7, 3>())?);
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

/// Integers, or vectors of them, to which discrete Laplace noise is added. `T` is what an answer is.
pub trait LaplaceDomain<T>: Domain<T> + Sized {
    /// x + Z on this domain; [`discrete_laplace`] is the name to call it by.
    ///
    /// # Errors
    /// When the noise does not fit the numbers of the domain.
    fn with_laplace(self, scale: Scale) -> Result<Measurement<T, T>, ParameterError>;
}

/// x + Z, Z discrete Laplace noise, on any domain of integers:
///
/// | domain | answer | distance |
/// |---|---|---|
/// | [`IntegerRange`] | `i64`, saturating at the ends; scales below 2^50 | absolute |
/// | [`BigIntegers`] | `Integer`; any scale | absolute |
/// | [`Vectors`] of these | independent noise on every entry | L1 |
/// | [`WrappingIntegers`] | (x + Z) mod m as `u64` (moduli up to 2^64) or as `Integer` | absolute |
///
/// Reducing modulo m is post-processing, so the map is that of x + Z. It also holds for the distance around the circle, since the answer
/// depends on the residue of x alone.
///
/// ```
/// use probity_exact::fraction;
/// use probity_noise::domain::{BigIntegers, IntegerRange, Vectors};
/// use probity_noise::mechanisms::discrete_laplace;
/// use probity_noise::sampler::Scale;
/// use probity_noise::unit::Sensitivity;
/// let scale = Scale::new(fraction::<7, 3>())?;
/// let ages = discrete_laplace(Vectors::of(IntegerRange::new(0, 120)?), scale.clone())?;
/// let any = discrete_laplace(BigIntegers, scale)?;
/// let one = Sensitivity::from(1u32);
/// assert_eq!(ages.privacy_map().loss(&one)?, any.privacy_map().loss(&one)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the noise does not fit the numbers of the domain; the message says which domain does.
pub fn discrete_laplace<T, D: LaplaceDomain<T>>(
    domain: D,
    scale: Scale,
) -> Result<Measurement<T, T>, ParameterError> {
    domain.with_laplace(scale)
}

impl LaplaceDomain<i64> for IntegerRange {
    fn with_laplace(self, scale: Scale) -> Result<Measurement<i64, i64>, ParameterError> {
        let map = discrete_laplace_map(&scale);
        Ok(Measurement::new(self, Metric::Absolute, map, Saturating(DiscreteLaplace::<i64>::new(scale)?)))
    }
}

impl LaplaceDomain<Vec<i64>> for Vectors<IntegerRange> {
    fn with_laplace(self, scale: Scale) -> Result<Measurement<Vec<i64>, Vec<i64>>, ParameterError> {
        let map = discrete_laplace_map(&scale);
        Ok(Measurement::new(self, Metric::L1, map, Saturating(DiscreteLaplace::<i64>::new(scale)?)))
    }
}

impl LaplaceDomain<Integer> for BigIntegers {
    fn with_laplace(self, scale: Scale) -> Result<Measurement<Integer, Integer>, ParameterError> {
        let map = discrete_laplace_map(&scale);
        Ok(Measurement::new(self, Metric::Absolute, map, Unbounded(DiscreteLaplace::<Integer>::new(scale)?)))
    }
}

impl LaplaceDomain<Vec<Integer>> for Vectors<BigIntegers> {
    fn with_laplace(self, scale: Scale) -> Result<Measurement<Vec<Integer>, Vec<Integer>>, ParameterError> {
        let map = discrete_laplace_map(&scale);
        Ok(Measurement::new(self, Metric::L1, map, Unbounded(DiscreteLaplace::<Integer>::new(scale)?)))
    }
}

impl LaplaceDomain<u64> for WrappingIntegers {
    fn with_laplace(self, scale: Scale) -> Result<Measurement<u64, u64>, ParameterError> {
        let modulus = match i128::try_from(self.modulus()) {
            Ok(modulus) if modulus <= 1 << 64 => modulus,
            _ => {
                let allowed = "at most 2^64 on machine words; use arbitrary-size integers beyond";
                return Err(ParameterError::new("modulus", self.modulus(), allowed));
            }
        };
        let map = discrete_laplace_map(&scale);
        let noise = DiscreteLaplace::<i64>::new(scale)?;
        Ok(Measurement::new(self, Metric::Absolute, map, WrappingWord { noise, modulus }))
    }
}

impl LaplaceDomain<Integer> for WrappingIntegers {
    fn with_laplace(self, scale: Scale) -> Result<Measurement<Integer, Integer>, ParameterError> {
        let map = discrete_laplace_map(&scale);
        let noise = DiscreteLaplace::<Integer>::new(scale)?;
        let modulus = self.modulus().clone();
        Ok(Measurement::new(self, Metric::Absolute, map, WrappingBig { noise, modulus }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::Sensitivity;
    use probity_exact::Natural;

    #[test]
    fn epsilon_is_the_distance_over_the_scale() {
        let loss = |scale: f64, d: u32| {
            let scale = Scale::from_f64(scale).unwrap();
            discrete_laplace_map(&scale).loss(&Sensitivity::from(d)).unwrap().to_string()
        };
        assert_eq!((loss(4.0, 3), loss(4.0, 0)), ("ε = 0.75".into(), "ε = 0".into()));
        assert_eq!((loss(0.0, 3), loss(0.0, 0)), ("ε = ∞".into(), "ε = 0".into()));
    }

    /// Machine words wrap around at 2^64 and below; beyond there are integers of any size.
    #[test]
    fn words_hold_moduli_up_to_two_to_the_64() {
        let words = |modulus: Natural| {
            let domain = WrappingIntegers::modulo(modulus).unwrap();
            let made: Result<Measurement<u64, u64>, _> =
                discrete_laplace(domain, Scale::from_f64(1.0).unwrap());
            made.is_ok()
        };
        let limit = Natural::ONE << 64;
        assert!(
            words(limit.clone())
                && words(Natural::ONE)
                && !words(&limit + Natural::ONE)
                && !words(limit << 80)
        );
    }
}
