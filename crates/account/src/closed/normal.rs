//! Normal laws at distance μ: δ(ε) = F(ε/μ − μ/2) − e^ε·F(ε/μ + μ/2) with F = 1 − Φ, growing in μ.

use probity_exact::{Float, Rational, exp_bounds, normal_tail_bounds};

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
        return far(&left, up);
    }
    let pick = |(low, high): (Float, Float), up: bool| if up { high } else { low }.to_rational();
    let first = pick(normal_tail_bounds(&left, bits), up)?;
    let second = pick(normal_tail_bounds(&right, bits), !up)? * pick(exp_bounds(epsilon, bits), !up)?;
    Some((first - second).max(Rational::ZERO))
}

/// 0 ≤ δ ≤ F(ε/μ − μ/2), and F(40) < 2^−1100; 1 where the threshold is on the left.
fn far(left: &Rational, up: bool) -> Option<Rational> {
    let tiny = Rational::from_parts(1.into(), probity_exact::Natural::ONE << 1000usize);
    Some(match up {
        false => Rational::ZERO,
        true if *left > Rational::from(40) => tiny,
        true => Rational::ONE,
    })
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
