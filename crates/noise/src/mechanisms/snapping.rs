//! Mironov's snapping mechanism in binary64: clamp(round_Λ(x ⊕ (s·ln u) ⊘ rate), ±B).
//!
//! u is a uniform real in (0, 1) rounded down to a double, ln is correctly rounded, the division and the addition
//! are one rounding each, and rounding to the grid Λ (the least power of two that is not below Δ/ε) is exact. What this
//! costs in binary64 is a theorem of the kernel (`docs/threshold-theorem.md`), and the map is the theorem's. Where the
//! theorem does not apply, the map refuses to answer.

use probity_exact::directed::{cast_down, ln_nearest};
use probity_exact::{Format, Integer, Natural, Rational, rational_from_f64};
use probity_kernel::float::{FloatTheorem, Rejection, Scaling, Snapped, Uniform, bound, threshold};

use crate::domain::{ClampedFloats, without_subnormals};
use crate::entropy::Entropy;
use crate::map::{Expression, PrivacyMap, Relation};
use crate::measurement::{Measurement, Mechanism, MechanismError};
use crate::metric::Metric;
use crate::sampler::{ParameterError, Sampler, Sign, UniformDouble};
use crate::unit::{Epsilon, Sensitivity};

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
/// let measurement = snapping.measurement();
/// let noisy = measurement.invoke(&3.7)?;
/// assert!(noisy % 16.0 == 0.0 || noisy.abs() == 1000.0);
/// // 0.1, and what binary64 costs beyond it.
/// let loss = measurement.map(&Sensitivity::from(1u32))?.to_string();
/// assert!(loss.starts_with("ε = 0.10000000000007"));
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

    /// What the kernel proves of this very mechanism: U*, a correctly rounded ln, one division, one addition.
    ///
    /// # Errors
    /// When the theorem does not apply to these parameters.
    pub fn theorem(&self) -> Result<FloatTheorem, Rejection> {
        // All three are finite doubles.
        let exact = |x: f64| rational_from_f64(x).unwrap_or(Rational::ZERO);
        let snapped = Snapped {
            format: Format::BINARY64,
            uniform: Uniform::Star,
            ln_ulps: 0,
            scaling: vec![Scaling::Divide(exact(self.rate))],
            grid: exact(self.grid),
            bound: exact(self.bound),
            sensitivity: self.sensitivity.value().clone(),
        };
        let (term, machine) = (snapped.mechanism(), snapped.implementation());
        let claim = bound(&term, snapped.reading(), machine)?.claim();
        threshold(&term, &claim, machine)
    }

    /// The measurement, with the theorem's map: (rate·Δ + excess, δ) for inputs up to Δ apart, ∞ beyond. The map
    /// refuses to answer where there is no theorem.
    pub fn measurement(&self) -> Measurement<f64, f64> {
        let theorem = match self.theorem() {
            Ok(theorem) => theorem,
            Err(reason) => {
                let missing =
                    format!("snapping in binary64 has no certificate for these parameters: {reason}");
                return self.with_map(PrivacyMap::uncertified(missing));
            }
        };
        let sensitivity = || Expression::parameter("Δ", self.sensitivity.value().clone());
        let up_to_sensitivity = |value: Expression| {
            let (distance, beyond) = (Expression::distance_in(), Expression::infinity());
            let claim = Expression::cases(distance, Relation::AtMost, sensitivity(), value, beyond);
            Expression::zero_at_zero(claim)
        };
        let rate = Expression::parameter("rate", rational_from_f64(self.rate).unwrap_or(Rational::ZERO));
        let excess = Expression::parameter("excess", theorem.bound().excess().clone());
        let epsilon = up_to_sensitivity(rate * sensitivity() + excess);
        self.with_map(match theorem.bound().delta().is_zero() {
            true => PrivacyMap::pure(epsilon),
            false => {
                let delta = Expression::parameter("δ", theorem.bound().delta().clone());
                PrivacyMap::approximate(epsilon, up_to_sensitivity(delta))
            }
        })
    }

    fn with_map(&self, map: PrivacyMap) -> Measurement<f64, f64> {
        // The bound is positive and finite, so the domain exists.
        let domain = ClampedFloats::symmetric(self.bound);
        Measurement::new(domain, Metric::Absolute, map, self.clone())
    }

    /// The answer for one input, uniform and sign.
    #[inline(always)]
    pub fn apply(&self, input: f64, uniform: f64, sign: i64) -> f64 {
        // A subnormal input is a 0 here: the noise is 2^−960 or more, so the rounded sum is the same.
        let inner = without_subnormals(input).clamp(-self.bound, self.bound);
        let noise = sign as f64 * ln_nearest(uniform) / self.rate;
        // Dividing and multiplying by a power of two are exact within the limits of the constructor; an infinity
        // (u = 0) passes through and is clamped. The bound is MAX_STEPS steps at most, so clamping to those first changes nothing.
        let steps = ((inner + noise) / self.grid).clamp(-MAX_STEPS, MAX_STEPS);
        // To the nearest integer, ties to even, by the rounding of a sum: a number from 2^52 to 2^53 has no bits after the point, and the
        // subtraction is exact. The library's rounding may take longer for some numbers.
        let shift = MAX_STEPS.copysign(steps);
        let snapped = ((steps + shift) - shift) * self.grid;
        // Adding 0 turns −0 into +0: the sign of a zero would tell on which side of 0 the noisy sum fell, a cut that is
        // not on the grid and that the theorem does not allow.
        snapped.clamp(-self.bound, self.bound) + 0.0
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
    use crate::measure::Loss;
    use crate::unit::Delta;

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
    fn zero_has_one_sign() {
        let snapping = snapping(1.0, 1.0, 100.0);
        for (input, sign) in [(0.0, 1), (0.0, -1), (-0.0, 1), (-0.25, 1), (0.25, -1)] {
            let answer = snapping.apply(input, 1f64.next_down(), sign);
            assert_eq!(answer.to_bits(), 0, "{input} {sign}");
        }
    }

    #[test]
    fn the_map_is_the_theorems_up_to_the_sensitivity() {
        for (epsilon, sensitivity, bound) in
            [(1.0, 1.0, 100.0), (0.1, 1.0, 1000.0), (0.5, 3.0, 64.0), (0.3, 0.1, 7.0)]
        {
            let snapping = snapping(epsilon, sensitivity, bound);
            let theorem = snapping.theorem().unwrap();
            let measurement = snapping.measurement();
            let loss = |distance: Rational| measurement.map(&Sensitivity::new(distance).unwrap()).unwrap();
            let claimed =
                Epsilon::from_f64(probity_exact::directed::cast_up(theorem.bound().epsilon())).unwrap();
            let limit = snapping.sensitivity().value().clone();
            assert_eq!(loss(limit.clone()), Loss::Pure(claimed.clone()));
            assert_eq!(loss(&limit / Rational::from(2u8)), Loss::Pure(claimed.clone()));
            assert_eq!(loss(limit * Rational::from(2u8)), Loss::Pure(Epsilon::infinite()));
            assert_eq!(loss(Rational::ZERO), Loss::Pure(Epsilon::zero()));
            // More than over the reals, by very little.
            let excess = claimed.to_f64_up() - epsilon;
            assert!(excess > 0.0 && excess < 1e-11, "{excess}");
        }
    }

    /// Finding 7: beyond 708/ε some outcomes are impossible for one input, so no ε alone can hold.
    #[test]
    fn far_bounds_have_a_delta() {
        let far = snapping(0.5, 1.0, 2000.0).measurement();
        let Loss::Approximate { delta, .. } = far.map(&Sensitivity::from(1u32)).unwrap() else {
            panic!("a pure claim would be false")
        };
        assert!(delta > Delta::zero() && delta.to_f64_up() < 1e-300);
    }

    #[test]
    fn without_a_theorem_the_map_refuses() {
        // A grid too fine for doubles at the bound: 2^52 steps, of which the half steps are no doubles.
        let coarse = snapping(1.0, 1.0, MAX_STEPS);
        assert!(coarse.theorem().is_err());
        let error = coarse.measurement().map(&Sensitivity::from(1u32)).unwrap_err();
        assert!(matches!(&error, MapError::NoCertificate { missing } if missing.contains("certificate")));
        assert!(coarse.measurement().simulate(&1.0, &mut Tape::seeded(1)).is_ok());
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

    /// The clamped input and the noise, rounded to the grid with ties to even, and clamped.
    #[test]
    fn answers_are_rounded_sums() {
        let snapping = snapping(0.1, 1.0, 1000.0);
        for (input, u, sign) in [
            (3.0, 0.5, 1),
            (3.0, 0.5, -1),
            (-700.0, 0.001, 1),
            (990.0, 0.3, -1),
            (2000.0, 0.9, 1),
            (24.0, 1.0, 1),
            (40.0, 1.0, -1),
        ] {
            let sum = f64::clamp(input, -1000.0, 1000.0) + sign as f64 * ln_nearest(u) / snapping.rate();
            let expected = ((sum / 16.0).round_ties_even() * 16.0).clamp(-1000.0, 1000.0);
            assert_eq!(snapping.apply(input, u, sign), expected, "{input} {u} {sign}");
        }
    }

    #[test]
    fn one_answer_and_many_are_of_the_same_law() {
        let measurement = snapping(0.1, 1.0, 1000.0).measurement();
        let apply = |u: f64, sign: i64| snapping(0.1, 1.0, 1000.0).apply(7.0, u, sign);
        let mut tape = Tape::seeded(4);
        let (u, sign) = (UniformDouble.sample(&mut tape).unwrap(), Sign.sample(&mut tape).unwrap());
        assert_eq!(measurement.simulate(&7.0, &mut Tape::seeded(4)).unwrap(), apply(u, sign));
        let mut tape = Tape::seeded(4);
        let uniforms = UniformDouble.sample_vec(5, &mut tape).unwrap();
        let signs = Sign.sample_vec(5, &mut tape).unwrap();
        let expected: Vec<f64> = uniforms.iter().zip(&signs).map(|(u, s)| apply(*u, *s)).collect();
        assert_eq!(measurement.simulate_vec(&[7.0; 5], &mut Tape::seeded(4)).unwrap(), expected);
    }

    #[test]
    fn the_least_member_is_found_and_the_ends_of_parameters_are_kept() {
        for least in -3..=4 {
            assert_eq!((-3..=4).find_least(|k| k >= least), Some(least));
        }
        assert_eq!((-3..=4).find_least(|k| k > 4), None);
        let with = |epsilon: f64, bound: f64| {
            Snapping::new(&Epsilon::from_f64(epsilon).unwrap(), Sensitivity::from(1u32), bound).is_ok()
        };
        // The grid is 2^900 or less, and more than 2^−900.
        assert!(with(2f64.powi(-900), 1.0) && !with(2f64.powi(-901), 1.0));
        assert!(with(2f64.powi(899), 1e-300) && !with(2f64.powi(900), 1e-300));
        assert!(with(1.0, MAX_STEPS) && !with(1.0, MAX_STEPS.next_up()));
        assert_eq!(
            (snapping(0.1, 3.0, 7.0).bound(), snapping(0.1, 3.0, 7.0).sensitivity()),
            (7.0, &Sensitivity::from(3u32))
        );
    }
}
