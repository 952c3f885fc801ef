//! A first look in doubles: about where the answer lies, how to weigh, how fine a lattice to take. It chooses; it decides
//! nothing, and nothing that it says enters a bound.

use std::time::Instant;

use probity_exact::{Natural, Rational, directed, exp_bounds};

use crate::fixed;
use crate::laws::Curve;

pub(crate) fn exp(x: f64) -> f64 {
    if x < -700.0 { 0.0 } else { directed::exp_nearest(x.min(700.0)) }
}

pub(crate) fn ln(x: f64) -> f64 {
    if x <= 0.0 { -1e300 } else { directed::ln_nearest(x) }
}

/// e^x with b bits, rounded down.
pub(crate) fn ratio(x: f64, bits: usize) -> Natural {
    let exact = probity_exact::rational_from_f64(x).unwrap_or(Rational::ZERO);
    let power = exp_bounds(&exact, bits as u32).0.to_rational().unwrap_or(Rational::ONE);
    fixed::natural(fixed::floor(&power, bits))
}

/// A law as a few losses with masses.
pub(crate) struct Sketch {
    pub atoms: Vec<(f64, f64)>,
}

impl Sketch {
    /// `None` where the time is over.
    pub fn of(curve: &dyn Curve, bits: usize, deadline: Instant) -> Option<Sketch> {
        // Thresholds ±10^(k/20) from 1e-7 to 600.
        let mut thresholds: Vec<f64> = (-140..=55).map(|k| exp(f64::from(k) / 20.0 * ln(10.0))).collect();
        let negative: Vec<f64> = thresholds.iter().rev().map(|x| -x).collect();
        thresholds = negative.into_iter().chain([0.0]).chain(thresholds).collect();
        let one = Natural::ONE << bits;
        let mut atoms = Vec::new();
        let (mut p, mut q) = (one.clone(), one);
        let less = |a: &Natural, b: &Natural| {
            if a > b { fixed::doubles(&(a - b), bits).0 } else { 0.0 }
        };
        for x in thresholds {
            if Instant::now() > deadline {
                return None;
            }
            let event = curve.event(&ratio(x, bits));
            let (dp, dq) = (less(&p, &event.p.low), less(&q, &event.q.low));
            if dp > 1e-290 {
                let loss = if dq > 1e-290 { ln(dp) - ln(dq) } else { x };
                atoms.push((loss.clamp(-600.0, x), dp));
            }
            (p, q) = (event.p.low, event.q.low);
        }
        Some(Sketch { atoms })
    }

    /// ln E e^(θL), its first and its second derivative.
    pub fn cumulants(&self, theta: f64) -> (f64, f64, f64) {
        let top = self.atoms.iter().map(|(x, p)| theta * x + ln(*p)).fold(f64::MIN, f64::max);
        let (mut s0, mut s1, mut s2) = (0.0, 0.0, 0.0);
        for (x, p) in &self.atoms {
            let weight = exp(theta * x + ln(*p) - top);
            s0 += weight;
            s1 += weight * x;
            s2 += weight * x * x;
        }
        let mean = s1 / s0;
        (top + ln(s0), mean, (s2 / s0 - mean * mean).max(0.0))
    }
}

/// Where to look.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guess {
    pub theta: f64,
    pub epsilon: f64,
    pub ln_delta: f64,
    /// The deviation of the composed loss as weighed.
    pub deviation: f64,
}

/// What is asked, in doubles.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Aim {
    Epsilon(f64),
    LnDelta(f64),
}

pub(crate) fn guess(parts: &[(Sketch, u64)], aim: Aim) -> Guess {
    let at = |theta: f64| {
        let (mut k, mut mean, mut variance) = (0.0, 0.0, 0.0);
        for (sketch, n) in parts {
            let (a, b, c) = sketch.cumulants(theta);
            let n = *n as f64;
            (k, mean, variance) = (k + n * a, mean + n * b, variance + n * c);
        }
        let spread = (2.0 * std::f64::consts::PI * variance).sqrt().max(0.5 / (theta + 1.0));
        let ln_delta = (k - theta * mean - ln(theta * (theta + 1.0) * spread)).min(0.0);
        Guess { theta, epsilon: mean, ln_delta, deviation: variance.sqrt() }
    };
    let beyond = |guess: &Guess| match aim {
        Aim::Epsilon(epsilon) => guess.epsilon > epsilon,
        Aim::LnDelta(ln_delta) => guess.ln_delta < ln_delta,
    };
    let (mut low, mut high) = (ln(0.02), ln(20_000.0));
    for _ in 0..50 {
        let middle = (low + high) / 2.0;
        if beyond(&at(exp(middle))) { high = middle } else { low = middle }
    }
    let mut guess = at(exp(low));
    match aim {
        Aim::Epsilon(epsilon) => guess.epsilon = epsilon,
        Aim::LnDelta(ln_delta) => guess.ln_delta = ln_delta,
    }
    guess
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::pure;
    use std::time::Duration;

    #[test]
    fn a_look_is_given_up_in_time() {
        let law = pure(&Rational::ONE, &Rational::ZERO, 176);
        assert!(Sketch::of(&law, 176, Instant::now()).is_none());
        assert!(Sketch::of(&law, 176, Instant::now() + Duration::from_secs(600)).is_some());
    }
}
