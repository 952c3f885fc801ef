//! Normal laws at distance μ: δ(ε) = F(ε/μ − μ/2) − e^ε·F(ε/μ + μ/2) with F = 1 − Φ, growing in μ.

use probity_exact::{Float, Rational, exp_bounds, normal_density_bounds, normal_tail_bounds};

use super::Bounds;
use crate::account::Question;
use crate::fixed::near;
use crate::roots::sqrt_bounds;
use crate::scout::ln;

/// Bounds of δ(ε) for μ² given.
pub(crate) fn delta(square: &Rational, epsilon: &Rational) -> Option<Bounds> {
    // The two terms agree in about log2(1 + ε/μ + 1/μ) bits and more where μ is tiny; 400 bits are enough for what is asked.
    let bits = 400;
    let (low, high) = sqrt_bounds(square, bits);
    Some((at(&low, epsilon, false, bits as u32)?, at(&high, epsilon, true, bits as u32)?))
}

fn at(mu: &Rational, epsilon: &Rational, up: bool, bits: u32) -> Option<Rational> {
    let half = mu / Rational::from(2);
    let left = epsilon / mu - &half;
    let right = epsilon / mu + &half;
    // Far out e^ε and F are beyond what rationals should hold.
    if near(&right).abs() > 1500.0 || near(epsilon) > 1e6 {
        return far(&left, &right, up, bits);
    }
    let pick = |(low, high): (Float, Float), up: bool| if up { high } else { low }.to_rational();
    let first = pick(normal_tail_bounds(&left, bits), up)?;
    let second = pick(normal_tail_bounds(&right, bits), !up)? * pick(exp_bounds(epsilon, bits), !up)?;
    Some((first - second).max(Rational::ZERO))
}

/// With a = ε/μ − μ/2 and b = ε/μ + μ/2 ≥ √(2ε), b being large: δ = F(a) − e^ε·F(b), where e^ε·φ(b) = φ(a) as b² − a² = 2ε, so that by Mills
/// φ(a)·b/(1 + b²) ≤ e^ε·F(b) ≤ φ(a)/b. And F(40) and φ(40) are below 2^−1100.
fn far(a: &Rational, b: &Rational, up: bool, bits: u32) -> Option<Rational> {
    let tiny = Rational::from_parts(1.into(), probity_exact::Natural::ONE << 1000usize);
    let edge = Rational::from(40);
    if *a > edge {
        return Some(if up { tiny } else { Rational::ZERO });
    }
    if *a < -edge {
        return Some(if up { Rational::ONE } else { Rational::ONE - tiny });
    }
    let pick = |(low, high): (Float, Float), up: bool| if up { high } else { low }.to_rational();
    let first = pick(normal_tail_bounds(a, bits), up)?;
    let density = pick(normal_density_bounds(a, bits), !up)?;
    let second = match up {
        true => density * b / (b * b + Rational::ONE),
        false => density / b,
    };
    Some((first - second).max(Rational::ZERO))
}

/// About where the answer lies.
pub(crate) fn guess(square: &Rational, question: &Question) -> f64 {
    match question {
        Question::Delta(epsilon) => near(epsilon),
        Question::Epsilon(delta) => {
            let mu = near(square).sqrt();
            mu * mu / 2.0 + mu * (-2.0 * ln(near(delta))).max(0.0).sqrt() * 0.95
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::parse_rational;

    /// Where both ways are open, the one for large losses encloses what the other one does.
    #[test]
    fn large_losses_agree() {
        for (mu, epsilon) in [("1200", "720000"), ("1100", "606000"), ("1400", "982000"), ("900", "405900")] {
            let (mu, epsilon) = (parse_rational(mu).unwrap(), parse_rational(epsilon).unwrap());
            let half = &mu / Rational::from(2);
            let (a, b) = (&epsilon / &mu - &half, &epsilon / &mu + &half);
            let (low, high) = (far(&a, &b, false, 400).unwrap(), far(&a, &b, true, 400).unwrap());
            let (inner_low, inner_high) =
                (at(&mu, &epsilon, false, 400).unwrap(), at(&mu, &epsilon, true, 400).unwrap());
            assert!(low < inner_low && inner_high < high, "{mu} {epsilon}");
            assert!(near(&((&high - &low) / &high)) < 1e-5, "{mu} {epsilon}");
        }
        // On the left everything is told, on the right nothing.
        let at =
            |epsilon: u64| delta(&Rational::from(1_000_000_000_000u64), &Rational::from(epsilon)).unwrap();
        assert!(near(&at(1).0) == 1.0 && at(1).1 == Rational::ONE && at(1).0 < Rational::ONE);
        assert!(at(500_100_000_000).0.is_zero() && near(&at(500_100_000_000).1) < 1e-290);
    }
}
