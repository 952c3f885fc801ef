//! ln n!, enclosed.
//!
//! Stirling's series ln n! = (n + ½)·ln n − n + ½·ln 2π + Σ_j B_2j/(2j(2j−1)·n^(2j−1)) envelops: what is left out has the sign of the
//! first term left out and is smaller. ½·ln 2π = −ln φ(0), so the constant comes from the enclosure of the normal density.

use probity_exact::{Integer, Natural, Rational, ln_bounds, normal_density_bounds, rational};

use super::Bounds;

/// B_2, B_4, …, B_24.
const BERNOULLI: [(i64, i64); 12] = [
    (1, 6),
    (-1, 30),
    (1, 42),
    (-1, 30),
    (5, 66),
    (-691, 2730),
    (7, 6),
    (-3617, 510),
    (43867, 798),
    (-174611, 330),
    (854513, 138),
    (-236364091, 2730),
];

/// Below this, n! itself is taken.
const SMALL: u64 = 300;

/// Bounds of ln n!.
pub(crate) fn ln_factorial(n: u64, bits: u32) -> Option<Bounds> {
    if n < SMALL {
        let product = (1..=n).fold(Natural::ONE, |product, k| product * Natural::from(k));
        return ln_bounds(&Rational::from(Integer::from(product)), bits);
    }
    let whole = Rational::from(n);
    let (ln_low, ln_high) = ln_bounds(&whole, bits)?;
    let (density_low, density_high) = normal_density_bounds(&Rational::ZERO, bits);
    let (_, constant_high) = ln_bounds(&(Rational::ONE / density_low.to_rational()?), bits)?;
    let (constant_low, _) = ln_bounds(&(Rational::ONE / density_high.to_rational()?), bits)?;
    let half = rational(1, 2)?;
    let factor = &whole + half;
    let mut low = &factor * ln_low - &whole + constant_low;
    let mut high = factor * ln_high - &whole + constant_high;
    let square = &whole * &whole;
    let mut power = whole;
    for (j, (numerator, denominator)) in BERNOULLI.iter().enumerate() {
        let twice = 2 * (j as i64 + 1);
        let term = rational(*numerator, *denominator * twice * (twice - 1))? / &power;
        power *= &square;
        if j + 1 < BERNOULLI.len() {
            low += &term;
            high += term;
        } else if term < Rational::ZERO {
            low += term;
        } else {
            high += term;
        }
    }
    Some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_agrees_with_products() {
        for n in [SMALL, SMALL + 1, 1000] {
            let product = (1..=n).fold(Natural::ONE, |product, k| product * Natural::from(k));
            let (low, high) = ln_bounds(&Rational::from(Integer::from(product)), 260).unwrap();
            let found = ln_factorial(n, 200).unwrap();
            assert!(found.0 <= low && high <= found.1, "{n}");
            assert!(&found.1 - &found.0 < rational(1, 1i128 << 120).unwrap(), "{n}");
        }
        // The steps between neighbours are logarithms, also far out.
        let (a, b) = (ln_factorial(1 << 40, 200).unwrap(), ln_factorial((1 << 40) + 1, 200).unwrap());
        let (low, high) = ln_bounds(&rational((1i64 << 40) + 1, 1).unwrap(), 200).unwrap();
        assert!(&b.0 - &a.1 <= low && high <= &b.1 - &a.0);
    }
}
