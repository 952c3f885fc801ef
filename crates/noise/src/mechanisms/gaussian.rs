//! Discrete Gaussian noise on integers. Map: ρ = d_in² / (2σ²).
//!
//! The discrete Gaussian with parameter σ² has the same concentrated loss as the continuous one (Canonne, Kamath,
//! Steinke 2020, Theorem 14). `docs/proofs/discrete-gaussian.md` recalls the argument. σ² = 0 is no noise and
//! has infinite loss; d_in = 0 costs nothing.

use probity_exact::{Integer, Rational};

use super::additive::{Saturating, Unbounded};
use crate::compose::{delta_of_rho, epsilon_of_rho};
use crate::domain::{BigIntegers, Domain, IntegerRange, Vectors};
use crate::map::{DiscreteNoise, Expression, Half, Normal, PrivacyMap};
use crate::measurement::Measurement;
use crate::metric::Metric;
use crate::sampler::{DiscreteGaussian, ParameterError, SquaredScale};
use crate::unit::{Delta, Sensitivity};

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
    discrete_gaussian_vector_map(squared_scale)
        .with_noise(one_integer(squared_scale.value(), Expression::distance_in().floor()))
}

/// The same ρ for vectors and L2 distances, where (ε, δ) can be had through ρ alone: the exact sum is about one integer.
pub fn discrete_gaussian_vector_map(squared_scale: &SquaredScale) -> PrivacyMap {
    PrivacyMap::concentrated(over_squared_scale(Expression::distance_in(), squared_scale))
}

/// The map of noise on an integer that moves by `distance`, an expression in d_in whose values are whole.
pub(crate) fn gaussian_map_of_integer(distance: Expression, squared_scale: &SquaredScale) -> PrivacyMap {
    PrivacyMap::concentrated(over_squared_scale(distance.clone(), squared_scale))
        .with_noise(one_integer(squared_scale.value(), distance))
}

/// The noise on one integer, for a map that knows it.
pub(super) fn one_integer(squared_scale: &Rational, distance: Expression) -> Option<DiscreteNoise> {
    let squared_scale = squared_scale.clone();
    (!squared_scale.is_zero()).then_some(DiscreteNoise { squared_scale, distance })
}

/// δ(ε) = Φ(d/2σ − εσ/d) − e^ε·Φ(−d/2σ − εσ/d): the profile of continuous Gaussian noise N(0, σ²) on vectors with L2 distance
/// d_in (Balle and Wang 2018), enclosed and rounded up. 0 at d_in = 0, 1 at σ² = 0.
///
/// Probity adds discrete noise; this is for accounting what others add. With it goes [`gaussian_for_delta_map`].
///
/// ```
/// use probity_noise::measure::Loss;
/// use probity_noise::mechanisms::gaussian_profile_map;
/// use probity_noise::sampler::SquaredScale;
/// use probity_noise::unit::{Epsilon, Sensitivity};
/// let map = gaussian_profile_map(&SquaredScale::from_f64(1.0)?);
/// let Loss::Profile(curve) = map.loss(&Sensitivity::from(1u32))? else { panic!("a profile") };
/// // Φ(−1/2) − e·Φ(−3/2) = 0.12693…
/// let delta = curve.delta(&Epsilon::from_f64(1.0)?)?;
/// assert!(delta.to_f64_up() > 0.12693 && delta.to_f64_up() < 0.12694);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn gaussian_profile_map(squared_scale: &SquaredScale) -> PrivacyMap {
    let through_rho = delta_of_rho(&over_squared_scale(Expression::distance_in(), squared_scale));
    PrivacyMap::profile(continuous(squared_scale, Half::Delta, Expression::epsilon(), through_rho))
}

/// The least ε of continuous Gaussian noise for a given δ, as a map in (ε, δ). See [`gaussian_profile_map`].
///
/// # Errors
/// When δ is not strictly between 0 and 1.
pub fn gaussian_for_delta_map(
    squared_scale: &SquaredScale,
    delta: &Delta,
) -> Result<PrivacyMap, ParameterError> {
    let delta = match delta.exact() {
        Some(value) if value > Rational::ZERO && value < Rational::ONE => Expression::parameter("δ", value),
        _ => return Err(ParameterError::new("delta", delta, "more than 0 and less than 1")),
    };
    let rho = over_squared_scale(Expression::distance_in(), squared_scale);
    let through_rho = epsilon_of_rho(&rho, delta.clone());
    let epsilon = continuous(squared_scale, Half::Epsilon, delta.clone(), through_rho);
    Ok(PrivacyMap::approximate(epsilon, delta))
}

/// σ² of the one Gaussian mechanism at distance 1 that costs exactly what these cost together, chosen one after the other:
/// 1/σ² = Σ dᵢ²/σᵢ². `None` when nothing is spent.
///
/// ```
/// use probity_noise::mechanisms::gaussian_together;
/// use probity_noise::sampler::SquaredScale;
/// use probity_noise::unit::Sensitivity;
/// let hundred = vec![(SquaredScale::from_f64(400.0)?, Sensitivity::from(2u32)); 100];
/// assert_eq!(gaussian_together(&hundred)?.unwrap().value().to_string(), "1");
/// # Ok::<(), probity_noise::sampler::ParameterError>(())
/// ```
///
/// # Errors
/// When a σ² is 0 while its distance is not: no noise protects nothing.
pub fn gaussian_together(
    parts: &[(SquaredScale, Sensitivity)],
) -> Result<Option<SquaredScale>, ParameterError> {
    let mut sum = Rational::ZERO;
    for (squared_scale, distance) in parts {
        let square = distance.value() * distance.value();
        match (square.is_zero(), squared_scale.value().is_zero()) {
            (true, _) => {}
            (false, true) => return Err(ParameterError::new("squared scale", 0, "positive")),
            (false, false) => sum += square / squared_scale.value(),
        }
    }
    if sum.is_zero() { Ok(None) } else { SquaredScale::new(Rational::ONE / sum).map(Some) }
}

/// Half of (ε, δ) of continuous noise, with the edge cases of [`gaussian_profile_map`]. Where the formula's numbers are astronomical (σ far
/// below the distance) ρ answers, which holds of continuous noise as of discrete.
fn continuous(
    squared_scale: &SquaredScale,
    asked: Half,
    given: Expression,
    through_rho: Expression,
) -> Expression {
    Expression::zero_at_zero(match squared_scale.value().is_zero() {
        true => through_rho,
        false => {
            let noise = (Normal::Continuous, asked);
            Expression::gaussian(noise, squared_scale.value(), Expression::distance_in(), given, through_rho)
        }
    })
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

/// Integers, or vectors of them, to which discrete Gaussian noise is added. `T` is what an answer is.
pub trait GaussianDomain<T>: Domain<T> + Sized {
    /// x + Z on this domain; [`discrete_gaussian`] is the name to call it by.
    ///
    /// # Errors
    /// When the noise does not fit the numbers of the domain.
    fn with_gaussian(self, squared_scale: SquaredScale) -> Result<Measurement<T, T>, ParameterError>;
}

/// x + Z, Z discrete Gaussian noise, on any domain of integers: [`IntegerRange`] (`i64`, saturating at the ends; σ² below 2^100),
/// [`BigIntegers`] (any σ²), and [`Vectors`] of these, with independent noise on every entry and d_in in L2.
///
/// # Errors
/// When the noise does not fit the numbers of the domain; the message says which domain does.
pub fn discrete_gaussian<T, D: GaussianDomain<T>>(
    domain: D,
    squared_scale: SquaredScale,
) -> Result<Measurement<T, T>, ParameterError> {
    domain.with_gaussian(squared_scale)
}

impl GaussianDomain<i64> for IntegerRange {
    fn with_gaussian(self, squared_scale: SquaredScale) -> Result<Measurement<i64, i64>, ParameterError> {
        let map = discrete_gaussian_map(&squared_scale);
        let noise = DiscreteGaussian::<i64>::new(squared_scale)?;
        Ok(Measurement::new(self, Metric::Absolute, map, Saturating(noise)))
    }
}

impl GaussianDomain<Vec<i64>> for Vectors<IntegerRange> {
    fn with_gaussian(
        self,
        squared_scale: SquaredScale,
    ) -> Result<Measurement<Vec<i64>, Vec<i64>>, ParameterError> {
        let map = discrete_gaussian_vector_map(&squared_scale);
        let noise = DiscreteGaussian::<i64>::new(squared_scale)?;
        Ok(Measurement::new(self, Metric::L2, map, Saturating(noise)))
    }
}

impl GaussianDomain<Integer> for BigIntegers {
    fn with_gaussian(
        self,
        squared_scale: SquaredScale,
    ) -> Result<Measurement<Integer, Integer>, ParameterError> {
        let map = discrete_gaussian_map(&squared_scale);
        let noise = DiscreteGaussian::<Integer>::new(squared_scale)?;
        Ok(Measurement::new(self, Metric::Absolute, map, Unbounded(noise)))
    }
}

impl GaussianDomain<Vec<Integer>> for Vectors<BigIntegers> {
    fn with_gaussian(
        self,
        squared_scale: SquaredScale,
    ) -> Result<Measurement<Vec<Integer>, Vec<Integer>>, ParameterError> {
        let map = discrete_gaussian_vector_map(&squared_scale);
        let noise = DiscreteGaussian::<Integer>::new(squared_scale)?;
        Ok(Measurement::new(self, Metric::L2, map, Unbounded(noise)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::{Point, Value};
    use crate::measure::Loss;
    use crate::unit::Epsilon;
    use probity_exact::rational;

    fn squared(n: i64, d: i64) -> SquaredScale {
        SquaredScale::new(rational(n, d).unwrap()).unwrap()
    }

    fn delta(map: &PrivacyMap, distance: u32, epsilon: f64) -> f64 {
        let Loss::Profile(curve) = map.loss(&Sensitivity::from(distance)).unwrap() else {
            panic!("a profile")
        };
        curve.delta(&Epsilon::from_f64(epsilon).unwrap()).unwrap().to_f64_up()
    }

    #[test]
    fn rho_is_half_the_square_over_the_variance() {
        for map in [discrete_gaussian_map, discrete_gaussian_vector_map] {
            let loss =
                |scale: SquaredScale, d: u32| map(&scale).loss(&Sensitivity::from(d)).unwrap().to_string();
            assert_eq!(loss(squared(8, 1), 4), "ρ = 1");
            assert_eq!(loss(squared(8, 1), 0), "ρ = 0");
            assert_eq!(loss(squared(0, 1), 1), "ρ = ∞");
            assert_eq!(loss(squared(0, 1), 0), "ρ = 0");
        }
        assert!(discrete_gaussian_map(&squared(8, 1)).noise().is_some());
        assert!(discrete_gaussian_map(&squared(0, 1)).noise().is_none());
        assert!(discrete_gaussian_vector_map(&squared(8, 1)).noise().is_none());
        // An integer that moves by 3 for every step: its noise is that distance away.
        let map = gaussian_map_of_integer(Expression::constant(Rational::from(3u8)), &squared(9, 2));
        assert_eq!(map.loss(&Sensitivity::from(1u32)).unwrap().to_string(), "ρ = 1");
        assert_eq!(map.noise().unwrap().squared_scale, rational(9, 2).unwrap());
        // Integers at most one and a half apart are at most one apart.
        let map = discrete_gaussian_map(&squared(8, 1));
        let far = map.noise().unwrap().distance.evaluate(&Point::at(&rational(3, 2).unwrap()), 60);
        assert!(matches!(far, Ok(Value::Exact(steps)) if steps == Rational::ONE));
    }

    /// Φ(−1/2) − e·Φ(−3/2), nothing at distance 0, everything without noise.
    #[test]
    fn profiles_of_continuous_noise() {
        let map = gaussian_profile_map(&squared(1, 1));
        assert!((delta(&map, 1, 1.0) - 0.126_936_737_507).abs() < 1e-9);
        assert!((delta(&gaussian_profile_map(&squared(4, 1)), 2, 1.0) - 0.126_936_737_507).abs() < 1e-9);
        assert_eq!(delta(&map, 0, 1.0), 0.0);
        assert_eq!(delta(&gaussian_profile_map(&squared(0, 1)), 1, 1.0), 1.0);
        for (wrong, ok) in [(0.0, false), (1.0, false), (0.5, true)] {
            assert_eq!(gaussian_for_delta_map(&squared(1, 1), &Delta::from_f64(wrong).unwrap()).is_ok(), ok);
        }
        let at =
            gaussian_for_delta_map(&squared(1, 1), &Delta::from_f64(0.126_936_737_507).unwrap()).unwrap();
        let Loss::Approximate { epsilon, .. } = at.loss(&Sensitivity::from(1u32)).unwrap() else {
            panic!("both")
        };
        assert!((epsilon.to_f64_up() - 1.0).abs() < 1e-8);
    }

    /// 1/σ² = 4/8 + 9/6; what has no distance costs nothing, and no noise is refused.
    #[test]
    fn several_are_as_one() {
        let one = |n, d, distance: u32| (squared(n, d), Sensitivity::from(distance));
        let together = |parts: &[_]| gaussian_together(parts).map(|x| x.map(|x| x.value().to_string()));
        assert_eq!(together(&[one(8, 1, 2), one(6, 1, 3)]).unwrap(), Some("1/2".into()));
        assert_eq!(together(&[one(8, 1, 2), one(0, 1, 0), one(6, 1, 0)]).unwrap(), Some("2".into()));
        assert_eq!(together(&[one(0, 1, 0)]).unwrap(), None);
        assert!(together(&[one(8, 1, 2), one(0, 1, 1)]).is_err());
    }
}
