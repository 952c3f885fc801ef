//! The inverse of the privacy maps: how little noise is enough.
//!
//! Where the map can be solved, the answer is the exact rational; the double beside it is that rational rounded up.
//! Elsewhere the least double is found by a search that decides the exact comparison at every step. No answer is
//! ever on the wrong side, not by an ulp.
//!
//! ```
//! use probity_exact::fraction;
//! use probity_noise::calibrate::laplace_scale;
//! use probity_noise::unit::{Epsilon, Sensitivity};
//! let third = Epsilon::new(fraction::<1, 3>())?;
//! let scale = laplace_scale(&Sensitivity::from(2u32), &third)?;
//! assert_eq!(scale.value().to_string(), "6");
//! # Ok::<(), probity_noise::sampler::ParameterError>(())
//! ```

use probity_exact::directed::cast_up;
use probity_exact::{Rational, rational_from_f64};

use crate::map::PrivacyMap;
use crate::measure::Loss;
use crate::measurement::MechanismError;
use crate::mechanisms::{
    discrete_gaussian_map, discrete_gaussian_vector_map, gaussian_for_delta_map, gaussian_profile_map,
};
use crate::sampler::{ParameterError, Scale, SquaredScale};
use crate::search::least_double;
use crate::unit::{Delta, Epsilon, Rho, Sensitivity};

/// amount / budget: 0 for nothing to hide or no budget to keep, refused for a budget of 0.
fn quotient(
    amount: Rational,
    budget: Option<Rational>,
    name: &'static str,
) -> Result<Rational, ParameterError> {
    match budget {
        _ if amount.is_zero() => Ok(Rational::ZERO),
        None => Ok(Rational::ZERO),
        Some(zero) if zero.is_zero() => {
            Err(ParameterError::new(name, zero, "positive: no finite scale costs nothing"))
        }
        Some(budget) => Ok(amount / budget),
    }
}

/// The smallest scale of discrete Laplace noise that costs at most ε at this distance: d_in/ε, exactly.
///
/// # Errors
/// When ε is 0 and the distance is not.
pub fn laplace_scale(distance_in: &Sensitivity, epsilon: &Epsilon) -> Result<Scale, ParameterError> {
    Scale::new(quotient(distance_in.value().clone(), epsilon.exact(), "epsilon")?)
}

/// The smallest double that is such a scale.
///
/// # Errors
/// When ε is 0 and the distance is not, or no double is large enough.
pub fn laplace_scale_f64(distance_in: &Sensitivity, epsilon: &Epsilon) -> Result<f64, ParameterError> {
    finite(cast_up(laplace_scale(distance_in, epsilon)?.value()), "scale")
}

/// The smallest σ² of discrete Gaussian noise that costs at most ρ at this distance: d_in²/(2ρ), exactly.
///
/// # Errors
/// When ρ is 0 and the distance is not.
pub fn gaussian_squared_scale(distance_in: &Sensitivity, rho: &Rho) -> Result<SquaredScale, ParameterError> {
    let half_square = distance_in.value() * distance_in.value() / Rational::from(2u8);
    SquaredScale::new(quotient(half_square, rho.exact(), "rho")?)
}

/// The smallest double that is such a σ².
///
/// # Errors
/// When ρ is 0 and the distance is not, or no double is large enough.
pub fn gaussian_squared_scale_f64(distance_in: &Sensitivity, rho: &Rho) -> Result<f64, ParameterError> {
    finite(cast_up(gaussian_squared_scale(distance_in, rho)?.value()), "squared scale")
}

/// The smallest double σ² with which discrete Gaussian noise on one integer costs at most ε with this δ: by the exact sum, or through
/// ρ where the sum would be too long (σ beyond about 2500).
///
/// For vectors use [`gaussian_vector_squared_scale_for`].
///
/// # Errors
/// When δ is not strictly between 0 and 1, or no double is large enough.
pub fn gaussian_squared_scale_for(
    distance_in: &Sensitivity,
    epsilon: &Epsilon,
    delta: &Delta,
) -> Result<f64, MechanismError> {
    let target = Loss::Approximate { epsilon: epsilon.clone(), delta: delta.clone() };
    // Refuses a δ that makes no sense; then the profile decides one ε at once.
    discrete_gaussian_map(&SquaredScale::new(Rational::ONE)?).to_approximate(delta)?;
    least_parameter(distance_in, &target, |squared_scale| {
        Ok(discrete_gaussian_map(&SquaredScale::new(squared_scale.clone())?).to_profile()?)
    })
}

/// The smallest double σ² for which the conversion from ρ gives at most ε with this δ: for vectors of integers and L2 distances.
///
/// # Errors
/// When δ is not strictly between 0 and 1, or no double is large enough.
pub fn gaussian_vector_squared_scale_for(
    distance_in: &Sensitivity,
    epsilon: &Epsilon,
    delta: &Delta,
) -> Result<f64, MechanismError> {
    let target = Loss::Approximate { epsilon: epsilon.clone(), delta: delta.clone() };
    least_parameter(distance_in, &target, |squared_scale| {
        discrete_gaussian_vector_map(&SquaredScale::new(squared_scale.clone())?).to_approximate(delta)
    })
}

/// The smallest double σ² with which continuous Gaussian noise costs at most ε with this δ, by the exact formula.
///
/// ```
/// use probity_noise::calibrate::continuous_gaussian_squared_scale_for;
/// use probity_noise::unit::{Delta, Epsilon, Sensitivity};
/// let (one, epsilon) = (Sensitivity::from(1u32), Epsilon::from_f64(1.0)?);
/// let squared = continuous_gaussian_squared_scale_for(&one, &epsilon, &Delta::from_f64(1e-5)?)?;
/// // σ = 3.7306…, where √(2·ln(1.25/δ))/ε would be 4.8.
/// assert!(squared.sqrt() > 3.7306 && squared.sqrt() < 3.7307);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When δ is not strictly between 0 and 1, or no double is large enough.
pub fn continuous_gaussian_squared_scale_for(
    distance_in: &Sensitivity,
    epsilon: &Epsilon,
    delta: &Delta,
) -> Result<f64, MechanismError> {
    let target = Loss::Approximate { epsilon: epsilon.clone(), delta: delta.clone() };
    // Refuses a δ that makes no sense.
    gaussian_for_delta_map(&SquaredScale::new(Rational::ONE)?, delta)?;
    // The profile decides one ε at once; the map in (ε, δ) would search for its ε first.
    least_parameter(distance_in, &target, |squared_scale| {
        Ok(gaussian_profile_map(&SquaredScale::new(squared_scale.clone())?))
    })
}

/// The smallest double parameter for which a family of maps, falling in the parameter, costs at most `target`.
///
/// ```
/// use probity_noise::calibrate::least_parameter;
/// use probity_noise::domain::IntegerRange;
/// use probity_noise::measure::Loss;
/// use probity_noise::mechanisms::renormalised_geometric_map;
/// use probity_noise::sampler::Scale;
/// use probity_noise::unit::{Epsilon, Sensitivity};
/// let range = IntegerRange::new(0, 100)?;
/// let one = Sensitivity::from(1u32);
/// let target = Loss::Pure(Epsilon::from_f64(1.0)?);
/// let family = |scale: &_| Ok(renormalised_geometric_map(&range, &Scale::new(Clone::clone(scale))?));
/// let scale = least_parameter(&one, &target, family)?;
/// // A scale of 1, as for plain noise, is not enough here.
/// assert!(scale > 1.2 && scale < 1.4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of the family, or when no double is large enough.
pub fn least_parameter(
    distance_in: &Sensitivity,
    target: &Loss,
    family: impl Fn(&Rational) -> Result<PrivacyMap, MechanismError>,
) -> Result<f64, MechanismError> {
    let found = least_double(|value| {
        let Some(exact) = rational_from_f64(value) else { return Ok(false) };
        Ok::<bool, MechanismError>(family(&exact)?.check(distance_in, target)?)
    })?;
    Ok(finite(found.unwrap_or(f64::INFINITY), "scale")?)
}

fn finite(value: f64, name: &'static str) -> Result<f64, ParameterError> {
    match value.is_finite() {
        true => Ok(value),
        false => Err(ParameterError::new(name, value, "a finite double; use the exact rational")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanisms::discrete_laplace_map;
    use probity_exact::rational;

    #[test]
    fn the_double_is_the_least_one_that_is_enough() {
        for (n, d) in [(1, 10), (1, 3), (2, 7), (5, 1), (1, 1_000_000_007), (123_456_789, 1000)] {
            for distance in [1u32, 2, 3, 1000] {
                let epsilon = Epsilon::new(rational(n, d).unwrap()).unwrap();
                let distance = Sensitivity::from(distance);
                let scale = laplace_scale_f64(&distance, &epsilon).unwrap();
                let enough = |scale: f64| {
                    let map = discrete_laplace_map(&Scale::from_f64(scale).unwrap());
                    map.check(&distance, &Loss::Pure(epsilon.clone())).unwrap()
                };
                assert!(enough(scale) && !enough(scale.next_down()), "{n}/{d} {distance}");
                let family = |scale: &Rational| Ok(discrete_laplace_map(&Scale::new(scale.clone())?));
                let searched = least_parameter(&distance, &Loss::Pure(epsilon.clone()), family);
                assert_eq!(searched, Ok(scale));
            }
        }
    }

    #[test]
    fn the_edges_of_a_budget() {
        let (zero, one) = (Sensitivity::from(0u32), Sensitivity::from(1u32));
        assert!(laplace_scale(&zero, &Epsilon::zero()).unwrap().value().is_zero());
        assert!(laplace_scale(&one, &Epsilon::infinite()).unwrap().value().is_zero());
        assert_eq!(laplace_scale(&one, &Epsilon::zero()).unwrap_err().parameter(), "epsilon");
        assert_eq!(gaussian_squared_scale(&one, &Rho::zero()).unwrap_err().parameter(), "rho");
        let tiny = Epsilon::from_f64(f64::from_bits(1)).unwrap();
        assert_eq!(laplace_scale_f64(&one, &tiny).unwrap_err().parameter(), "scale");
    }

    /// How much less variance the exact formula needs than ρ does, as README and `docs/noise.md` say it.
    #[test]
    fn the_exact_formula_needs_less_variance_than_rho() {
        let one = Sensitivity::from(1u32);
        for (epsilon, delta, saved) in [
            (1.0, 1e-3, 0.21..0.22),
            (1.0, 1e-5, 0.14..0.16),
            (1.0, 1e-9, 0.09..0.10),
            (0.1, 1e-6, 0.15..0.16),
            (4.0, 1e-6, 0.11..0.12),
        ] {
            let (epsilon, delta) = (Epsilon::from_f64(epsilon).unwrap(), Delta::from_f64(delta).unwrap());
            let through_rho = gaussian_vector_squared_scale_for(&one, &epsilon, &delta).unwrap();
            let exact = continuous_gaussian_squared_scale_for(&one, &epsilon, &delta).unwrap();
            let found = 1.0 - exact / through_rho;
            assert!(saved.contains(&found), "{epsilon} {delta}: {found}");
        }
    }

    #[test]
    fn gaussian_noise_for_a_target_epsilon_and_delta() {
        let (one, epsilon) = (Sensitivity::from(1u32), Epsilon::from_f64(1.0).unwrap());
        let delta = Delta::from_f64(1e-6).unwrap();
        let squared = gaussian_squared_scale_for(&one, &epsilon, &delta).unwrap();
        let cost = |squared: f64| {
            let map = discrete_gaussian_map(&SquaredScale::from_f64(squared).unwrap());
            map.to_approximate(&delta).unwrap().loss(&one).unwrap()
        };
        let Loss::Approximate { epsilon: found, .. } = cost(squared) else { panic!("another measure") };
        assert!(found <= epsilon && found > Epsilon::from_f64(1.0 - 1e-12).unwrap(), "{found}");
        // The exact sum needs a tenth less variance than ρ, and next to what continuous noise needs.
        let through_rho = gaussian_vector_squared_scale_for(&one, &epsilon, &delta).unwrap();
        assert!(squared < 0.91 * through_rho && squared > 0.75 * through_rho, "{squared} {through_rho}");
        let continuous = continuous_gaussian_squared_scale_for(&one, &epsilon, &delta).unwrap();
        assert!((squared / continuous - 1.0).abs() < 0.02, "{squared} {continuous}");
    }
}
