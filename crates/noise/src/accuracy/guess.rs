//! About where an error lies, in doubles: what the search starts from. Nothing follows from a guess, so the platform's ln and exp will do,
//! which need no table first.
#![expect(clippy::disallowed_methods)]

use probity_exact::directed::cast_nearest;
use probity_exact::{Natural, Rational, UnsignedAbs, rational_from_f64};

/// The share of a level that each of `count` draws may exceed.
fn share(alpha: &Rational, count: u64) -> f64 {
    cast_nearest(alpha) / count as f64
}

/// About the least a with 2q^(a+1)/(1 + q) ≤ α/count, q = e^(−1/scale).
pub(super) fn laplace(scale: &Rational, alpha: &Rational, count: u64) -> Natural {
    let scale = cast_nearest(scale);
    natural(scale * (2.0 / ((1.0 + (-1.0 / scale).exp()) * share(alpha, count))).ln() - 1.0)
}

/// About the least a with P(|N| ≥ a) ≤ α/count for a normal N of this variance.
pub(super) fn gaussian(squared_scale: &Rational, alpha: &Rational, count: u64) -> Natural {
    natural(cast_nearest(squared_scale).sqrt() * quantile(share(alpha, count)))
}

/// About the z with P(|N| > z) = α for a standard normal N, where α is not near 1: Newton's steps on the logarithm of the tail, which is
/// the density times Mills' ratio 1/(z + 1/(z + 2/(z + 3/(…)))).
fn quantile(alpha: f64) -> f64 {
    let mut z = (-2.0 * (alpha / 2.0).ln()).sqrt();
    for _ in 0..8 {
        let mills = 1.0 / (1..60).rev().fold(z, |rest, k| z + f64::from(k) / rest);
        let tail = -z * z / 2.0 - std::f64::consts::TAU.ln() / 2.0 + mills.ln();
        z = (z + (tail - (alpha / 2.0).ln()) * mills).max(0.01);
    }
    z
}

/// The natural number at or above a guess, and 0 for what is none.
fn natural(guess: f64) -> Natural {
    rational_from_f64(guess.max(0.0)).map_or(Natural::ZERO, |guess| guess.ceil().unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_near() {
        for (alpha, z) in [(0.5, 0.6745), (0.05, 1.959_964), (0.001, 3.290_527), (1e-12, 7.130_506)] {
            assert!((quantile(alpha) - z).abs() < if alpha < 0.1 { 1e-5 } else { 0.01 }, "{alpha}");
        }
        assert!((0.0..1.0).contains(&quantile(0.99)) && quantile(1e-300).is_finite());
        assert_eq!(natural(f64::NAN), Natural::ZERO);
        assert_eq!(natural(f64::INFINITY), Natural::ZERO);
    }
}
