//! Very many different pure guarantees: the sum of their losses, weighed, is close to normal, and Berry and Esseen say how close.
//! `docs/accounting.md`, section 7.

use probity_exact::{Enclosure, Rational, directed, exp_bounds, normal_cdf_bounds, rational_from_f64};

use super::{Bounds, sides};
use crate::account::{Bracket, Question};
use crate::fixed::near;
use crate::model::Simple;
use crate::roots::sqrt_bounds;
use crate::scout::{exp, ln};

/// Low bits of a double that are rounded away: 12 of 52 stay.
const CUT: u64 = (1 << 40) - 1;

type Interval = Enclosure<f64>;

/// The bracket, if all laws are pure; a narrow one if there are many.
pub(crate) fn answer(laws: &[(Simple, u64)], question: &Question) -> Option<(Bracket, &'static str)> {
    let (mut up, mut down) = (Vec::with_capacity(laws.len()), Vec::with_capacity(laws.len()));
    for (law, n) in laws {
        let Simple::Pure(epsilon, delta) = law else { return None };
        if !delta.is_zero() || *epsilon > Rational::from(500) {
            return None;
        }
        // Doubles that are not negative are ordered as their bits are.
        let above = (directed::cast_up(epsilon).to_bits() + CUT) & !CUT;
        let below = directed::cast_down(epsilon).to_bits() & !CUT;
        up.push((above, *n));
        down.push((below, *n));
    }
    let (up, down) = (grouped(up)?, grouped(down)?);
    let theta = weight(&up, question);
    let (above, below) = (Sum::new(&up, theta)?, Sum::new(&down, theta)?);
    let guess = near(&above.mean.1);
    let bracket = sides(
        question,
        &|epsilon| Some(below.delta(epsilon)?.0),
        &|epsilon| Some(above.delta(epsilon)?.1),
        guess.max(1e-9),
    );
    Some((bracket, "a normal law for the weighed sum of pure losses, with the error of Berry and Esseen"))
}

/// Losses by the bits of their doubles, with how often each occurs.
type Groups = Vec<(u64, u64)>;

/// Equal losses counted once; `None` if there are 2^64 of them.
fn grouped(mut losses: Groups) -> Option<Groups> {
    losses.sort_unstable();
    let mut groups = Groups::new();
    for (loss, n) in losses {
        match groups.last_mut() {
            Some((last, count)) if *last == loss => *count = count.checked_add(n)?,
            _ => groups.push((loss, n)),
        }
    }
    Some(groups)
}

/// A good θ, in doubles: the mean of the weighed loss is at ε, or δ is about reached there.
fn weight(groups: &[(u64, u64)], question: &Question) -> f64 {
    let at = |theta: f64| {
        let (mut k, mut mean, mut variance) = (0.0, 0.0, 0.0);
        for (bits, n) in groups {
            let (x, n) = (f64::from_bits(*bits), *n as f64);
            let t = 1.0 / (1.0 + exp(-(1.0 + 2.0 * theta) * x));
            k += n * (theta * x - ln(1.0 + exp(-x)) - ln(t));
            mean += n * (2.0 * t - 1.0) * x;
            variance += n * 4.0 * t * (1.0 - t) * x * x;
        }
        (k, mean, variance)
    };
    let beyond = |theta: f64| {
        let (k, mean, variance) = at(theta);
        match question {
            Question::Delta(epsilon) => mean > near(epsilon),
            Question::Epsilon(delta) => {
                let spread = (2.0 * std::f64::consts::PI * variance).sqrt();
                k - theta * mean - ln(theta * (theta + 1.0) * spread) < ln(near(delta))
            }
        }
    };
    let (mut low, mut high) = (ln(0.02), ln(2000.0));
    for _ in 0..14 {
        let middle = (low + high) / 2.0;
        if beyond(exp(middle)) { high = middle } else { low = middle }
    }
    exp(low)
}

/// The weighed sum: κ, mean, variance and third moments, enclosed.
struct Sum {
    theta: Rational,
    kappa: Bounds,
    mean: Bounds,
    variance: Bounds,
    third: Rational,
}

impl Sum {
    fn new(groups: &[(u64, u64)], theta: f64) -> Option<Sum> {
        let point = |x: f64| Interval::point(x, ());
        let exact = rational_from_f64(theta)?;
        let (one, two) = (point(1.0)?, point(2.0)?);
        let weight = point(theta)?;
        let slope = one + two * weight;
        let zero = point(0.0)?;
        let (mut kappa, mut mean, mut variance, mut third) = (zero, zero, zero, zero);
        for (bits, n) in groups {
            let x = point(f64::from_bits(*bits))?;
            let n = Interval::around(&Rational::from(*n), ());
            // t = 1/(1 + e^(−(1+2θ)x)), and ln M = θx − ln(1 + e^(−x)) + ln(1 + e^(−(1+2θ)x)).
            let tail = one + (-(slope * x)).exp();
            let t = one.checked_div(&tail)?;
            kappa = kappa + n * (weight * x - (one + (-x).exp()).ln()? + tail.ln()?);
            mean = mean + n * (two * t - one) * x;
            let both = t * (one - t);
            let square = x * x;
            variance = variance + n * (two * two) * both * square;
            let moments = t * t + (one - t) * (one - t);
            third = third + n * (two * two * two) * both * moments * square * x;
        }
        let ends = |x: Interval| Some((rational_from_f64(*x.low())?, rational_from_f64(*x.high())?));
        Some(Sum {
            theta: exact,
            kappa: ends(kappa)?,
            mean: ends(mean)?,
            variance: ends(variance)?,
            third: ends(third)?.1,
        })
    }

    fn delta(&self, epsilon: &Rational) -> Option<Bounds> {
        let one = Rational::ONE;
        if self.variance.0 <= Rational::ZERO {
            return None;
        }
        let outer = (&self.kappa.0 - &self.theta * epsilon, &self.kappa.1 - &self.theta * epsilon);
        let a = (&self.mean.0 - epsilon, &self.mean.1 - epsilon);
        let (first_low, first_high) = self.term(&self.theta, &a, &outer)?;
        let (second_low, second_high) = self.term(&(&self.theta + &one), &a, &outer)?;
        // 1.12/(θ + 1)·R/V^(3/2).
        let (root, _) = sqrt_bounds(&self.variance.0, 80);
        let error = Rational::from_parts(28.into(), 25u8.into()) / (&self.theta + &one) * &self.third
            / (&self.variance.0 * root);
        let error = error * power(&outer.1, true)?;
        let low = (first_low - second_high - &error).max(Rational::ZERO);
        let high = (first_high - second_low + error).clamp(Rational::ZERO, one);
        Some((low, high))
    }

    /// e^outer · e^(−sa + s²V/2)·Φ((a − sV)/√V).
    fn term(&self, s: &Rational, a: &Bounds, outer: &Bounds) -> Option<Bounds> {
        let (v_low, v_high) = &self.variance;
        let half = s * s / Rational::from(2);
        let exponent = (&outer.0 - s * &a.1 + &half * v_low, &outer.1 - s * &a.0 + &half * v_high);
        let (root_low, _) = sqrt_bounds(v_low, 80);
        let (_, root_high) = sqrt_bounds(v_high, 80);
        let threshold = (&a.0 - s * v_high, &a.1 - s * v_low);
        // Division by the root that makes the quotient smaller, or larger.
        let small = &threshold.0 / if threshold.0 >= Rational::ZERO { &root_high } else { &root_low };
        let large = &threshold.1 / if threshold.1 >= Rational::ZERO { &root_low } else { &root_high };
        if near(&small).abs().max(near(&large).abs()) > 1000.0 {
            return None;
        }
        let low = normal_cdf_bounds(&small, 80).0.to_rational()?;
        let high = normal_cdf_bounds(&large, 80).1.to_rational()?;
        Some((power(&exponent.0, false)? * low, power(&exponent.1, true)? * high))
    }
}

fn power(x: &Rational, up: bool) -> Option<Rational> {
    if near(x).abs() > 1e6 {
        return None;
    }
    let bounds = exp_bounds(x, 80);
    if up { bounds.1 } else { bounds.0 }.to_rational()
}
