//! Mironov's snapping mechanism in binary64: clamp(round_Λ(x ⊕ (s·ln u) ⊘ rate), ±B).
//!
//! u is a uniform real in (0, 1) rounded down to a double, ln is correctly rounded, the division and the addition
//! are one rounding each, and rounding to the grid Λ (the least power of two that is not below Δ/ε) is exact. What this
//! costs in binary64 is for a certificate of floating-point arithmetic to say. Until one is given, the map
//! refuses to answer.

use probity_exact::directed::{cast_down, ln_nearest};
use probity_exact::{Integer, Natural, Rational};

use crate::domain::ClampedFloats;
use crate::entropy::Entropy;
use crate::map::{Expression, PrivacyMap, Relation};
use crate::measurement::{Measurement, Mechanism, MechanismError};
use crate::metric::Metric;
use crate::sampler::{ParameterError, Sampler, Sign, UniformDouble};
use crate::unit::{Delta, Epsilon, Sensitivity};

/// Rates and grids stay this far (in bits) from the ends of the doubles' range.
const EXPONENT_LIMIT: i64 = 900;

/// The clamp may be at most this many grid steps, so that steps are exact doubles.
const MAX_STEPS: f64 = (1u64 << 52) as f64;

/// The parameters of the snapping mechanism, checked.
///
/// ```
/// use probity_noise::mechanisms::Snapping;
/// use probity_noise::unit::{Epsilon, Sensitivity};
/// let snapping = Snapping::new(&Epsilon::from_f64(0.1)?, Sensitivity::from(1u32), 1000.0)?;
/// assert_eq!(snapping.grid(), 16.0);
/// let noisy = snapping.measurement().invoke(&3.7)?;
/// assert_eq!(noisy % 16.0 == 0.0 || noisy.abs() == 1000.0, true);
/// // No certificate, no claim.
/// assert!(snapping.measurement().map(&Sensitivity::from(1u32)).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Snapping {
    sensitivity: Sensitivity,
    epsilon: Rational,
    /// The largest double that is not above ε/Δ.
    rate: f64,
    /// Λ, a power of two.
    grid: f64,
    /// B.
    bound: f64,
}

/// What a certificate of the floating-point mechanism establishes, for inputs at most Δ apart.
#[derive(Debug, Clone, PartialEq)]
pub struct SnappingCertificate {
    /// The ε of the implementation, extra loss included.
    pub epsilon: Epsilon,
    /// The mass of the outcomes that ε does not bound.
    pub delta: Delta,
}

/// Whoever can certify the binary64 mechanism. This is the only way to a snapping measurement with a map;
/// implementations live with the analysis of floating-point programs, and owe its proof.
pub trait SnappingCertifier {
    /// The certificate for these parameters; the text says why there is none.
    ///
    /// # Errors
    /// When nothing can be certified for these parameters.
    fn certify(&self, mechanism: &Snapping) -> Result<SnappingCertificate, String>;
}

impl Snapping {
    /// Snapping with parameter ε for inputs at most Δ = `sensitivity` apart, clamped to ±`bound`.
    ///
    /// # Errors
    /// When ε or Δ is 0 or infinite, ε/Δ is beyond 2^±900, or the bound is not positive or beyond 2^52 grid steps.
    pub fn new(epsilon: &Epsilon, sensitivity: Sensitivity, bound: f64) -> Result<Self, ParameterError> {
        let exact = match epsilon.exact() {
            Some(value) if !value.is_zero() => value,
            _ => return Err(ParameterError::new("epsilon", epsilon, "positive and finite")),
        };
        if sensitivity.value().is_zero() {
            return Err(ParameterError::new("sensitivity", &sensitivity, "positive"));
        }
        let rate = &exact / sensitivity.value();
        // The least k with 2^k ≥ Δ/ε, that is 2^k · rate ≥ 1, compared exactly.
        let exponent = (-EXPONENT_LIMIT..=EXPONENT_LIMIT).find_least(|k| power(k) * &rate >= Rational::ONE);
        let Some(exponent) = exponent.filter(|k| *k > -EXPONENT_LIMIT) else {
            return Err(ParameterError::new("epsilon / sensitivity", rate, "from 2^-900 to 2^900"));
        };
        let grid = f64::from_bits(((1023 + exponent) as u64) << 52);
        if !(bound > 0.0 && bound <= MAX_STEPS * grid) {
            return Err(ParameterError::new("bound", bound, "positive and at most 2^52 grid steps"));
        }
        // Rounding the rate down makes the noise larger, never smaller.
        Ok(Snapping { sensitivity, epsilon: exact, rate: cast_down(&rate), grid, bound })
    }

    /// Λ, the least power of two that is not below Δ/ε.
    pub fn grid(&self) -> f64 {
        self.grid
    }

    /// B.
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// The double that ln u is divided by: ε/Δ rounded down.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// The ε that the mechanism has over the real numbers.
    pub fn epsilon(&self) -> &Rational {
        &self.epsilon
    }

    /// Δ.
    pub fn sensitivity(&self) -> &Sensitivity {
        &self.sensitivity
    }

    /// The mechanism without a claim: its map refuses to answer.
    pub fn measurement(&self) -> Measurement<f64, f64> {
        let missing =
            "snapping runs in binary64, and no certificate of its floating-point arithmetic was given";
        self.with_map(PrivacyMap::uncertified(missing))
    }

    /// The mechanism with the certificate's claim: (ε, δ) for inputs up to Δ apart, ∞ beyond.
    ///
    /// # Errors
    /// When the certifier has no certificate for these parameters.
    pub fn certified(
        &self,
        certifier: &dyn SnappingCertifier,
    ) -> Result<Measurement<f64, f64>, MechanismError> {
        let certificate =
            certifier.certify(self).map_err(|missing| crate::map::MapError::NoCertificate { missing })?;
        let claim = |name: &str, value: Option<Rational>| {
            let value = value.map_or(Expression::infinity(), |value| Expression::parameter(name, value));
            let limit = Expression::parameter("Δ", self.sensitivity.value().clone());
            let beyond = Expression::infinity();
            Expression::zero_at_zero(Expression::cases(
                Expression::distance_in(),
                Relation::AtMost,
                limit,
                value,
                beyond,
            ))
        };
        let epsilon = claim("ε_certified", certificate.epsilon.exact());
        let map = match certificate.delta == Delta::zero() {
            true => PrivacyMap::pure(epsilon),
            false => PrivacyMap::approximate(epsilon, claim("δ_certified", certificate.delta.exact())),
        };
        Ok(self.with_map(map))
    }

    fn with_map(&self, map: PrivacyMap) -> Measurement<f64, f64> {
        // The bound is positive and finite, so the domain exists.
        let domain = ClampedFloats::symmetric(self.bound);
        Measurement::new(domain, Metric::Absolute, map, self.clone())
    }

    /// The answer for one input, uniform and sign.
    #[inline(always)]
    pub fn apply(&self, input: f64, uniform: f64, sign: i64) -> f64 {
        let inner = input.clamp(-self.bound, self.bound);
        let noise = sign as f64 * ln_nearest(uniform) / self.rate;
        // Dividing and multiplying by a power of two are exact within the limits of the constructor; an infinity
        // (u = 0) passes through and is clamped.
        let snapped = ((inner + noise) / self.grid).round_ties_even() * self.grid;
        snapped.clamp(-self.bound, self.bound)
    }
}

impl Mechanism<f64, f64> for Snapping {
    fn answer(&self, input: &f64, entropy: &mut dyn Entropy) -> Result<f64, MechanismError> {
        let uniform = UniformDouble.sample(entropy)?;
        Ok(self.apply(*input, uniform, Sign.sample(entropy)?))
    }

    fn answer_each(&self, inputs: &[f64], entropy: &mut dyn Entropy) -> Result<Vec<f64>, MechanismError> {
        const BLOCK: usize = 512;
        let mut uniforms = [0.0; BLOCK];
        let mut signs = [0; BLOCK];
        let mut answers = Vec::with_capacity(inputs.len());
        for block in inputs.chunks(BLOCK) {
            let (uniforms, signs) = (&mut uniforms[..block.len()], &mut signs[..block.len()]);
            UniformDouble.fill(uniforms, entropy)?;
            Sign.fill(signs, entropy)?;
            let draws = uniforms.iter().zip(signs.iter());
            answers.extend(block.iter().zip(draws).map(|(x, (u, s))| self.apply(*x, *u, *s)));
        }
        Ok(answers)
    }
}

/// 2^k.
fn power(exponent: i64) -> Rational {
    let power = Natural::ONE << exponent.unsigned_abs() as usize;
    match exponent >= 0 {
        true => Rational::from(power),
        false => Rational::from_parts(Integer::ONE, power),
    }
}

/// Bisection over a range of integers.
trait FindLeast {
    /// The least member with a property that, once true, stays true.
    fn find_least(self, holds: impl Fn(i64) -> bool) -> Option<i64>;
}

impl FindLeast for std::ops::RangeInclusive<i64> {
    fn find_least(self, holds: impl Fn(i64) -> bool) -> Option<i64> {
        let (mut low, mut high) = self.into_inner();
        if !holds(high) {
            return None;
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if holds(middle) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Some(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::tape::Tape;
    use crate::map::MapError;

    fn snapping(epsilon: f64, sensitivity: f64, bound: f64) -> Snapping {
        let sensitivity = Sensitivity::from_f64(sensitivity).unwrap();
        Snapping::new(&Epsilon::from_f64(epsilon).unwrap(), sensitivity, bound).unwrap()
    }

    #[test]
    fn the_grid_is_the_least_power_of_two_at_or_above_the_scale() {
        for (epsilon, sensitivity, grid) in [
            (1.0, 1.0, 1.0),
            (1f64.next_up(), 1.0, 1.0),
            (1f64.next_down(), 1.0, 2.0),
            (0.1, 1.0, 16.0),
            (0.1, 0.1, 1.0),
            (3.0, 1.0, 0.5),
            (0.5, 3.0, 8.0),
        ] {
            assert_eq!(snapping(epsilon, sensitivity, 1.0).grid(), grid, "{epsilon} {sensitivity}");
        }
        let third = Sensitivity::new(probity_exact::rational(1, 3).unwrap()).unwrap();
        let snapping = Snapping::new(&Epsilon::from_f64(1.0 / 3.0).unwrap(), third, 1.0).unwrap();
        // The double nearest to 1/3 is below 1/3, so Δ/ε is a little above 1.
        assert_eq!(snapping.grid(), 2.0);
        assert_eq!(snapping.rate(), 1f64.next_down());
    }

    #[test]
    fn answers_lie_on_the_grid_within_the_bound() {
        let snapping = snapping(0.1, 1.0, 1000.0);
        let inputs: Vec<f64> = (0..2000).map(|i| f64::from(i) * 2.5 - 2500.0).collect();
        let answers = snapping.measurement().simulate_vec(&inputs, &mut Tape::seeded(1)).unwrap();
        assert_eq!(answers.len(), inputs.len());
        for answer in answers {
            assert!(answer.abs() == 1000.0 || (answer % 16.0 == 0.0 && answer.abs() < 1000.0), "{answer}");
        }
        // u = 0 has ln −∞ and lands on the clamp.
        assert_eq!(snapping.apply(3.0, 0.0, 1), -1000.0);
        assert_eq!(snapping.apply(3.0, 0.0, -1), 1000.0);
        // The input is clamped first: 1000 lies halfway between 62 and 63 grid steps, and goes to the even one.
        assert_eq!(snapping.apply(f64::INFINITY, 1f64.next_down(), 1), 992.0);
    }

    #[test]
    fn without_a_certificate_the_map_refuses() {
        let one = Sensitivity::from(1u32);
        let error = snapping(1.0, 1.0, 100.0).measurement().map(&one).unwrap_err();
        assert!(matches!(&error, MapError::NoCertificate { missing } if missing.contains("certificate")));
    }

    #[test]
    fn with_a_certificate_the_map_is_the_certificates_up_to_the_sensitivity() {
        struct Fixed;
        impl SnappingCertifier for Fixed {
            fn certify(&self, _: &Snapping) -> Result<SnappingCertificate, String> {
                Ok(SnappingCertificate { epsilon: Epsilon::from_f64(1.25).unwrap(), delta: Delta::zero() })
            }
        }
        let certified = snapping(1.0, 2.0, 100.0).certified(&Fixed).unwrap();
        let loss = |distance: u32| certified.map(&Sensitivity::from(distance)).unwrap().to_string();
        assert_eq!([loss(0), loss(1), loss(2), loss(3)], ["ε = 0", "ε = 1.25", "ε = 1.25", "ε = ∞"]);
        struct Never;
        impl SnappingCertifier for Never {
            fn certify(&self, _: &Snapping) -> Result<SnappingCertificate, String> {
                Err("the bound is too large".into())
            }
        }
        assert!(snapping(1.0, 2.0, 100.0).certified(&Never).is_err());
    }

    #[test]
    fn senseless_parameters_are_refused_by_name() {
        let new = |epsilon: f64, sensitivity: u32, bound: f64| {
            let epsilon = Epsilon::from_f64(epsilon).unwrap();
            let error = Snapping::new(&epsilon, Sensitivity::from(sensitivity), bound).unwrap_err();
            error.parameter()
        };
        assert_eq!(new(0.0, 1, 1.0), "epsilon");
        assert_eq!(new(f64::INFINITY, 1, 1.0), "epsilon");
        assert_eq!(new(1.0, 0, 1.0), "sensitivity");
        assert_eq!(new(1e-300, 1, 1.0), "epsilon / sensitivity");
        for bound in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e17] {
            assert_eq!(new(1.0, 1, bound), "bound");
        }
    }
}
