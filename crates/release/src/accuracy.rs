//! How far noise can be from 0, at a level: exactly for one draw, by a bound that holds for a sum of several.

use probity_exact::{Natural, Rational, UnsignedAbs, ln_bounds};
use probity_noise::accuracy::{Level, gaussian_error, laplace_error};
use probity_noise::sampler::{Scale, SquaredScale};

use crate::refusal::{Answer, Refusal};

/// Bits of enclosures that decide about errors.
const BITS: u32 = 60;

/// An a such that one draw is within ±a with probability 1 − α: the least one for Laplace noise and for Gaussian noise of a small
/// deviation, at most 1 more than that for a large one.
pub fn of_one(gaussian: bool, scale: &Rational, alpha: &Rational) -> Answer<Natural> {
    let level = Level::new(alpha.clone()).map_err(Refusal::input)?;
    match gaussian {
        false => {
            let scale = Scale::new(scale.clone()).map_err(Refusal::input)?;
            laplace_error(&scale, &level, 1).map_err(Refusal::input)
        }
        true => {
            let squared = SquaredScale::new(scale * scale).map_err(Refusal::input)?;
            gaussian_error(&squared, &level, 1).map_err(Refusal::input)
        }
    }
}

/// An e such that a sum of at most `each` draws of each scale, with factors from −1 to 1 that do not depend on them, exceeds e with
/// probability α/2 at most, and falls below −e with α/2 at most.
///
/// By Chernoff's bound P(S ≥ e) ≤ E[exp(t·S)]·exp(−t·e). The generating function of discrete Gaussian noise is at most exp(t²σ²/2),
/// which gives e = √(2·V·λ) for V = Σ σ² and λ = ln(2/α). That of discrete Laplace noise of scale s is at most 1/(1 − s²t²), since
/// sinh(x)/x grows with x; −ln(1 − y) ≤ y/(1 − y) makes of it e = (λ + V·t²/(1 − c²t²))/t for V = Σ s² and c the largest scale, at any
/// t < 1/c: the best of a hundred is taken.
pub fn of_sum(gaussian: bool, scales: &[&Rational], each: u64, alpha: &Rational) -> Answer<Rational> {
    let (_, level) = ln_bounds(&(Rational::from(2) / alpha), BITS)
        .ok_or_else(|| Refusal::input("alpha must be more than 0 and less than 1"))?;
    let spread =
        scales.iter().fold(Rational::ZERO, |sum, scale| sum + *scale * *scale) * Rational::from(each);
    let largest = scales.iter().copied().max().cloned().unwrap_or(Rational::ONE);
    if gaussian {
        return Ok(root_above(&(spread * level * Rational::from(2))));
    }
    let relative = &spread / (&largest * &largest);
    let bound = |step: u64| {
        let theta = Rational::from(step) / Rational::from(100);
        let square = &theta * &theta;
        (&level + &relative * &square / (Rational::ONE - square)) * &largest / theta
    };
    let best = (1..100).map(bound).min().unwrap_or_default();
    // A short number that is not below it.
    Ok(Rational::from((best * Rational::from(1024)).ceil()) / Rational::from(1024))
}

/// A multiple of 2^−20 that is not below a square root.
fn root_above(value: &Rational) -> Rational {
    let scaled = (value * Rational::from(1u64 << 40)).ceil().unsigned_abs();
    Rational::from(scaled.nth_root(2) + Natural::ONE) / Rational::from(1u64 << 20)
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::directed::exp_nearest;
    use probity_exact::rational;

    #[test]
    fn gaussian_errors_are_those_of_the_law() {
        for (n, d) in [(1, 2), (1, 1), (7, 3), (40, 1)] {
            let sigma = rational(n, d).unwrap();
            let deviation = f64::from(n) / f64::from(d);
            let mass = |k: i32| exp_nearest(-f64::from(k * k) / (2.0 * deviation * deviation));
            let all: f64 = (-2000..=2000).map(mass).sum();
            for alpha in [(1, 20), (1, 1000)] {
                let alpha = rational(alpha.0, alpha.1).unwrap();
                let error = i32::try_from(&of_one(true, &sigma, &alpha).unwrap()).unwrap();
                let beyond = |a: i32| 2.0 * (a + 1..=2000).map(mass).sum::<f64>() / all;
                let level = alpha.to_f64().value();
                assert!(beyond(error) <= level * (1.0 + 1e-12), "{deviation} {level}: {error}");
                // One less would not do, or two less where the normal law is asked.
                let less = if deviation <= 24.0 { 1 } else { 2 };
                assert!(error < less || beyond(error - less) > level, "{deviation} {level}: {error}");
            }
        }
    }

    /// The bound for a sum of one draw is not below the exact error, and for many draws not far above that of a normal law.
    #[test]
    fn sums_are_bounded_and_not_too_widely() {
        let (one, alpha) = (rational(8, 1).unwrap(), rational(1, 20).unwrap());
        for gaussian in [false, true] {
            let single = of_sum(gaussian, &[&one], 1, &alpha).unwrap();
            assert!(single >= Rational::from(of_one(gaussian, &one, &alpha).unwrap()));
            let many = of_sum(gaussian, &[&one, &one], 16, &alpha).unwrap().to_f64().value();
            let deviation = 8.0 * if gaussian { 32.0f64 } else { 64.0 }.sqrt();
            assert!(many > 1.96 * deviation && many < 3.0 * deviation, "{many} {deviation}");
        }
    }
}
