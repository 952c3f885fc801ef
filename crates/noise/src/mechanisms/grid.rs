//! Noise for floats: round to an explicit grid of spacing 2^k, add integer noise there, return to floats.
//!
//! Rounding moves two inputs apart by less than one step each way. The map shows it: for one float, d_in becomes
//! grid·⌈d_in/grid⌉; for vectors, every coordinate may add a step. Proofs: `docs/proofs/discrete-laplace.md`,
//! section "Floats". What comes after the integer sum is post-processing.

use probity_exact::{Integer, Natural, Rational};

use super::gaussian::{one_integer, over_squared_scale};
use super::laplace::over_scale;
use crate::domain::{ClampedFloats, Vectors, without_subnormals};
use crate::entropy::Entropy;
use crate::map::{Expression, PrivacyMap};
use crate::measurement::{Measurement, Mechanism, MechanismError};
use crate::metric::Metric;
use crate::sampler::{
    DiscreteGaussian, DiscreteLaplace, ParameterError, Sampler, Scale, SquaredScale, select,
};

/// Exponents of grids: both the spacing and its inverse are normal doubles with room for 62 more bits.
const EXPONENTS: std::ops::RangeInclusive<i32> = -900..=900;

/// Inputs lie within this many steps of zero, so that they and most noise fit in 64 bits.
const MAX_STEPS: f64 = (1u64 << 62) as f64;

/// A grid of spacing 2^k.
///
/// ```
/// use probity_noise::mechanisms::Grid;
/// let quarters = Grid::new(-2)?;
/// assert_eq!(quarters.spacing().to_string(), "1/4");
/// assert!(Grid::new(5000).is_err());
/// # Ok::<(), probity_noise::sampler::ParameterError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Invariant: in `EXPONENTS`.
    exponent: i32,
}

impl Grid {
    /// The multiples of 2^`exponent`.
    ///
    /// # Errors
    /// When the exponent is beyond ±900.
    pub fn new(exponent: i32) -> Result<Self, ParameterError> {
        match EXPONENTS.contains(&exponent) {
            true => Ok(Grid { exponent }),
            false => Err(ParameterError::new("grid exponent", exponent, "from -900 to 900")),
        }
    }

    /// 2^k.
    pub fn spacing(&self) -> Rational {
        let power = Natural::ONE << self.exponent.unsigned_abs() as usize;
        match self.exponent >= 0 {
            true => Rational::from(power),
            false => Rational::from_parts(Integer::ONE, power),
        }
    }

    /// 2^±k as a double; exact, since k is far from the ends of the range.
    fn power(exponent: i32) -> f64 {
        f64::from_bits(((1023 + exponent) as u64) << 52)
    }

    /// The number of steps to the nearest grid point, ties up: ⌊x/2^k + 1/2⌋.
    ///
    /// Ties go up everywhere, so that moving x by whole steps moves the result by as many.
    fn steps(&self, x: f64) -> i64 {
        // What is below a quarter of a step rounds to 0 in any case. It is made 0 first, and without a jump: processors take many
        // times as long for subnormal numbers, and no product is subnormal then. Doubles without sign are ordered like their bits.
        let quarter = Self::power(self.exponent - 2).to_bits();
        let x = f64::from_bits(select(x.abs().to_bits() >= quarter, x.to_bits(), 0));
        // Exact: a product with a power of two, with |x|/2^k from 1/4 to 2^62.
        let scaled = x * Self::power(-self.exponent);
        // The floor, without the library's, which may take longer for some numbers: what truncation leaves is an exact double.
        let toward_zero = scaled as i64;
        let floor = toward_zero - i64::from((toward_zero as f64) > scaled);
        // The difference is exact: both have the same binade or |x|/2^k is below 1, where a floor of −1 loses no bit of −1/4 and less,
        // or lies above 1/2 and stays there.
        let up = scaled - floor as f64 >= 0.5;
        floor + i64::from(up)
    }

    /// The double nearest to this many steps.
    fn position(&self, steps: i64) -> f64 {
        steps as f64 * Self::power(self.exponent)
    }

    /// The widest domain that a grid has: 2^62 steps each way.
    pub fn widest(&self) -> ClampedFloats {
        ClampedFloats::symmetric(MAX_STEPS * Self::power(self.exponent))
    }

    fn check_bounds(&self, floats: &ClampedFloats) -> Result<(), ParameterError> {
        let limit = MAX_STEPS * Self::power(self.exponent);
        for (name, bound) in [("lower bound", floats.lower()), ("upper bound", floats.upper())] {
            if bound.abs() > limit {
                return Err(ParameterError::new(name, bound, "within 2^62 grid steps of 0"));
            }
        }
        Ok(())
    }

    fn parameter(&self) -> Expression {
        Expression::parameter("grid", self.spacing())
    }

    /// grid·⌈d_in/grid⌉: how far apart the rounded inputs can be.
    fn widened(&self) -> Expression {
        self.parameter() * (Expression::distance_in() / self.parameter()).ceil()
    }

    /// The scale in grid steps.
    fn in_steps(&self, value: &Rational) -> Rational {
        value / self.spacing()
    }
}

/// Discrete Laplace noise on a grid: ε = grid·⌈d_in/grid⌉/scale.
///
/// ```
/// use probity_exact::fraction;
/// use probity_noise::domain::ClampedFloats;
/// use probity_noise::mechanisms::{Grid, laplace_on_grid};
/// use probity_noise::sampler::Scale;
/// use probity_noise::unit::Sensitivity;
/// let mean = laplace_on_grid(ClampedFloats::new(0.0, 100.0)?, Grid::new(-10)?, Scale::from_f64(4.0)?)?;
/// assert_eq!(mean.map(&Sensitivity::from(1u32))?.to_string(), "ε = 0.25");
/// // A tenth is no multiple of 2^-10, so it counts as 103 steps.
/// let tenth = Sensitivity::new(fraction::<1, 10>())?;
/// assert_eq!(mean.map(&tenth)?.to_string(), "ε = 0.025146484375");
/// let noisy: f64 = mean.invoke(&36.6)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the bounds are beyond 2^62 grid steps, or the scale is 2^50 steps or more.
pub fn laplace_on_grid(
    domain: ClampedFloats,
    grid: Grid,
    scale: Scale,
) -> Result<Measurement<f64, f64>, ParameterError> {
    grid.check_bounds(&domain)?;
    let map = PrivacyMap::pure(over_scale(grid.widened(), &scale));
    let noise = DiscreteLaplace::<i64>::new(Scale::new(grid.in_steps(scale.value()))?)?;
    Ok(Measurement::new(domain, Metric::Absolute, map, OnGrid { grid, domain, noise }))
}

/// Discrete Laplace noise on a grid for vectors of a known length n: ε = grid·(⌈d_in/grid⌉ + n − 1)/scale, d_in in L1.
///
/// # Errors
/// When the length is unknown, the bounds are beyond 2^62 grid steps, or the scale is 2^50 steps or more.
pub fn laplace_vector_on_grid(
    domain: Vectors<ClampedFloats>,
    grid: Grid,
    scale: Scale,
) -> Result<Measurement<Vec<f64>, Vec<f64>>, ParameterError> {
    let (floats, length) = known_length(&domain)?;
    grid.check_bounds(&floats)?;
    let extra = Expression::parameter("length", length) - Expression::one();
    let widened = grid.widened() + grid.parameter() * extra;
    let map = PrivacyMap::pure(over_scale(widened, &scale));
    let noise = DiscreteLaplace::<i64>::new(Scale::new(grid.in_steps(scale.value()))?)?;
    Ok(Measurement::new(domain, Metric::L1, map, OnGrid { grid, domain: floats, noise }))
}

/// Discrete Gaussian noise on a grid: ρ = (grid·⌈d_in/grid⌉)²/(2σ²).
///
/// # Errors
/// When the bounds are beyond 2^62 grid steps, or σ² is 2^100 squared steps or more.
pub fn gaussian_on_grid(
    domain: ClampedFloats,
    grid: Grid,
    squared_scale: SquaredScale,
) -> Result<Measurement<f64, f64>, ParameterError> {
    grid.check_bounds(&domain)?;
    let steps = grid.in_steps(&grid.in_steps(squared_scale.value()));
    let moved = (Expression::distance_in() / grid.parameter()).ceil();
    let map = PrivacyMap::concentrated(over_squared_scale(grid.widened(), &squared_scale))
        .with_noise(one_integer(&steps, moved));
    let noise = DiscreteGaussian::<i64>::new(SquaredScale::new(steps)?)?;
    Ok(Measurement::new(domain, Metric::Absolute, map, OnGrid { grid, domain, noise }))
}

/// Discrete Gaussian noise on a grid for vectors of a known length n: ρ = (d_in + grid·√n)²/(2σ²), d_in in L2.
///
/// # Errors
/// When the length is unknown, the bounds are beyond 2^62 grid steps, or σ² is 2^100 squared steps or more.
pub fn gaussian_vector_on_grid(
    domain: Vectors<ClampedFloats>,
    grid: Grid,
    squared_scale: SquaredScale,
) -> Result<Measurement<Vec<f64>, Vec<f64>>, ParameterError> {
    let (floats, length) = known_length(&domain)?;
    grid.check_bounds(&floats)?;
    let widened =
        Expression::distance_in() + grid.parameter() * Expression::parameter("length", length).sqrt();
    let map = PrivacyMap::concentrated(over_squared_scale(widened, &squared_scale));
    let steps = grid.in_steps(&grid.in_steps(squared_scale.value()));
    let noise = DiscreteGaussian::<i64>::new(SquaredScale::new(steps)?)?;
    Ok(Measurement::new(domain, Metric::L2, map, OnGrid { grid, domain: floats, noise }))
}

fn known_length(domain: &Vectors<ClampedFloats>) -> Result<(ClampedFloats, Rational), ParameterError> {
    match domain.length() {
        Some(length) => Ok((*domain.entries(), Rational::from(length))),
        None => Err(ParameterError::new("length", "unknown", "known: each entry may add a grid step")),
    }
}

/// Clamp, round to the grid, add noise, return to floats.
struct OnGrid<S> {
    grid: Grid,
    domain: ClampedFloats,
    noise: S,
}

impl<S> OnGrid<S> {
    fn noisy(&self, input: f64, noise: i64) -> f64 {
        // A subnormal input is a 0 here: both are less than a quarter of a step.
        let steps = self.grid.steps(self.domain.clamp(without_subnormals(input)));
        self.grid.position(steps.saturating_add(noise))
    }
}

impl<S: Sampler<Value = i64> + Send + Sync> Mechanism<f64, f64> for OnGrid<S> {
    fn answer(&self, input: &f64, entropy: &mut dyn Entropy) -> Result<f64, MechanismError> {
        Ok(self.noisy(*input, self.noise.sample(entropy)?))
    }

    fn answer_each(&self, inputs: &[f64], entropy: &mut dyn Entropy) -> Result<Vec<f64>, MechanismError> {
        let noise = self.noise.sample_vec(inputs.len(), entropy)?;
        Ok(inputs.iter().zip(noise).map(|(input, noise)| self.noisy(*input, noise)).collect())
    }
}

impl<S: Sampler<Value = i64> + Send + Sync> Mechanism<Vec<f64>, Vec<f64>> for OnGrid<S> {
    fn answer(&self, input: &Vec<f64>, entropy: &mut dyn Entropy) -> Result<Vec<f64>, MechanismError> {
        Mechanism::<f64, f64>::answer_each(self, input, entropy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::{Point, Value};
    use crate::unit::Sensitivity;
    use probity_exact::rational_from_f64;

    /// ⌊x/2^k + 1/2⌋ in exact arithmetic.
    fn exact_steps(grid: &Grid, x: f64) -> Integer {
        let half = Rational::from_parts(Integer::ONE, Natural::from(2u8));
        (rational_from_f64(x).unwrap() / grid.spacing() + half).floor()
    }

    #[test]
    fn rounding_to_the_grid_is_exact_with_ties_up() {
        let mut state = 3u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 11
        };
        for exponent in [-40, -3, 0, 1, 20] {
            let grid = Grid::new(exponent).unwrap();
            let step = Grid::power(exponent);
            let mut inputs = vec![0.0, -0.0, 1e-300, -1e-300, -f64::from_bits(1), 0.5 * step, -0.5 * step];
            for near in [0.5 * step, -0.5 * step, 1.5 * step, -1.5 * step, -step] {
                inputs.extend([near, near.next_up(), near.next_down()]);
            }
            inputs.extend((0..5000).map(|i| (next() as f64 / 2f64.powi(52) - 1.0) * 2f64.powi(i % 50 - 25)));
            inputs.retain(|x| x.abs() <= MAX_STEPS * step);
            for x in inputs {
                assert_eq!(Integer::from(grid.steps(x)), exact_steps(&grid, x), "{x:e} on 2^{exponent}");
            }
        }
    }

    /// With ties to even this fails: 1/2 and 3/2 are one apart and would round to 0 and 2.
    #[test]
    fn rounded_inputs_are_no_further_apart_than_the_map_says() {
        let grid = Grid::new(0).unwrap();
        for i in -40..40 {
            for distance in 0..40 {
                let x = f64::from(i) / 8.0;
                let y = x + f64::from(distance) / 8.0;
                let steps = grid.steps(y) - grid.steps(x);
                assert!(steps <= i64::from((distance + 7) / 8), "{x} {y}");
            }
        }
    }

    #[test]
    fn bad_grids_and_bounds_are_refused() {
        let wide = ClampedFloats::new(-1e30, 1.0).unwrap();
        let error = laplace_on_grid(wide, Grid::new(0).unwrap(), Scale::from_f64(1.0).unwrap()).unwrap_err();
        assert_eq!(error.parameter(), "lower bound");
        let unknown = Vectors::of(ClampedFloats::new(0.0, 1.0).unwrap());
        let error = laplace_vector_on_grid(unknown, Grid::new(0).unwrap(), Scale::from_f64(1.0).unwrap());
        assert_eq!(error.unwrap_err().parameter(), "length");
    }

    #[test]
    fn maps_count_whole_steps() {
        let floats = || ClampedFloats::new(-100.0, 100.0).unwrap();
        let (grid, third) = (Grid::new(-1).unwrap(), Rational::from_parts(Integer::ONE, Natural::from(3u8)));
        let (scale, squared) = (Scale::from_f64(2.0).unwrap(), SquaredScale::from_f64(2.0).unwrap());
        let vector = || Vectors::of(floats()).with_length(9).unwrap();
        let at = |map: &PrivacyMap, d: Rational| map.loss(&Sensitivity::new(d).unwrap()).unwrap().to_string();
        let one = laplace_on_grid(floats(), grid, scale.clone()).unwrap();
        // A third is one step of a half, one is two.
        assert_eq!(at(one.privacy_map(), third.clone()), "ε = 0.25");
        assert_eq!(at(one.privacy_map(), Rational::ONE), "ε = 0.5");
        assert_eq!(at(one.privacy_map(), Rational::ZERO), "ε = 0");
        // A half, and a half for each of the other eight.
        let many = laplace_vector_on_grid(vector(), grid, scale).unwrap();
        assert_eq!(at(many.privacy_map(), third.clone()), "ε = 2.25");
        let one = gaussian_on_grid(floats(), grid, squared.clone()).unwrap();
        assert_eq!(at(one.privacy_map(), third), "ρ = 0.0625");
        // A third is one step of the noise's integers, three quarters are two.
        for (n, d, expected) in [(1, 3, 1u8), (1, 2, 1), (3, 4, 2), (1, 1, 2)] {
            let distance = probity_exact::rational(n, d).unwrap();
            let steps = one.privacy_map().noise().unwrap().distance.evaluate(&Point::at(&distance), 60);
            assert!(matches!(steps, Ok(Value::Exact(steps)) if steps == Rational::from(expected)), "{n}/{d}");
        }
        // σ² = 2 is 8 in squared steps.
        assert_eq!(one.privacy_map().noise().unwrap().squared_scale, Rational::from(8u8));
        // (1 + √9/2)²/4.
        let many = gaussian_vector_on_grid(vector(), grid, squared).unwrap();
        assert_eq!(at(many.privacy_map(), Rational::ONE), "ρ = 1.5625");
    }

    /// The noise of the answer is that of the scale in steps.
    #[test]
    fn answers_are_rounded_inputs_and_their_noise() {
        use crate::entropy::tape::Tape;
        let floats = ClampedFloats::new(-100.0, 100.0).unwrap();
        let (inputs, tape) = ([3.3, -0.25, 1e9, f64::from_bits(1)], || Tape::seeded(9));
        for (exponent, scale) in [(-1, 20.0), (2, 30.0), (0, 0.0)] {
            let (grid, step) = (Grid::new(exponent).unwrap(), 2f64.powi(exponent));
            let law = DiscreteLaplace::<i64>::new(Scale::from_f64(scale / step).unwrap()).unwrap();
            let normal =
                DiscreteGaussian::<i64>::new(SquaredScale::from_f64(scale / step / step).unwrap()).unwrap();
            let rounded = |x: f64| ((x.clamp(-100.0, 100.0) / step) + 0.5).floor();
            let laplace = laplace_on_grid(floats, grid, Scale::from_f64(scale).unwrap()).unwrap();
            let gaussian = gaussian_on_grid(floats, grid, SquaredScale::from_f64(scale).unwrap()).unwrap();
            let with = |noise: &[i64]| -> Vec<f64> {
                inputs.iter().zip(noise).map(|(x, z)| (rounded(*x) + *z as f64) * step).collect()
            };
            let noise = law.sample_vec(4, &mut tape()).unwrap();
            assert_eq!(laplace.simulate_vec(&inputs, &mut tape()).unwrap(), with(&noise));
            let z = law.sample(&mut tape()).unwrap();
            assert_eq!(laplace.simulate(&inputs[0], &mut tape()).unwrap(), with(&[z])[0]);
            let noise = normal.sample_vec(4, &mut tape()).unwrap();
            assert_eq!(gaussian.simulate_vec(&inputs, &mut tape()).unwrap(), with(&noise));
            let each = Vectors::of(floats).with_length(4).unwrap();
            let vector = laplace_vector_on_grid(each.clone(), grid, Scale::from_f64(scale).unwrap()).unwrap();
            let noise = law.sample_vec(4, &mut tape()).unwrap();
            assert_eq!(vector.simulate(&inputs.to_vec(), &mut tape()).unwrap(), with(&noise));
            let vector = gaussian_vector_on_grid(each, grid, SquaredScale::from_f64(scale).unwrap()).unwrap();
            let noise = normal.sample_vec(4, &mut tape()).unwrap();
            assert_eq!(vector.simulate(&inputs.to_vec(), &mut tape()).unwrap(), with(&noise));
        }
    }

    #[test]
    fn grids_end_where_doubles_and_steps_do() {
        for exponent in [-900, 900] {
            let grid = Grid::new(exponent).unwrap();
            let spacing = rational_from_f64(2f64.powi(exponent)).unwrap();
            assert_eq!(grid.spacing(), spacing);
            assert_eq!(grid.widest().upper(), 2f64.powi(62 + exponent));
            let scale = || Scale::new(spacing.clone()).unwrap();
            let squared = || SquaredScale::new(&spacing * &spacing).unwrap();
            let lone = |domain: ClampedFloats| {
                let (one, other) =
                    (laplace_on_grid(domain, grid, scale()), gaussian_on_grid(domain, grid, squared()));
                (one.map_err(|e| e.parameter()).err(), other.map_err(|e| e.parameter()).err())
            };
            let all = |domain: ClampedFloats| {
                let vector = || Vectors::of(domain).with_length(2).unwrap();
                let one = laplace_vector_on_grid(vector(), grid, scale()).map_err(|e| e.parameter()).err();
                (one, gaussian_vector_on_grid(vector(), grid, squared()).map_err(|e| e.parameter()).err())
            };
            assert_eq!((lone(grid.widest()), all(grid.widest())), ((None, None), (None, None)));
            let (low, high) = (grid.widest().lower(), grid.widest().upper());
            for (domain, name) in [
                (ClampedFloats::new(low.next_down(), 0.0).unwrap(), Some("lower bound")),
                (ClampedFloats::new(0.0, high.next_up()).unwrap(), Some("upper bound")),
            ] {
                assert_eq!((lone(domain), all(domain)), ((name, name), (name, name)));
            }
        }
        assert!(Grid::new(-901).is_err() && Grid::new(901).is_err());
    }
}
