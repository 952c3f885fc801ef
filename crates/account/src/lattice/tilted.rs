//! Laws on a lattice weighed by e^(θx) and brought to integers; their composition, exact up to one rounding down; and what is
//! read off them. See `docs/accounting.md`, sections 4 and 5.

use std::f64::consts::LOG2_E;
use std::time::Instant;

use probity_exact::{Integer, Natural, Rational, directed, exp_bounds, rational_from_f64};

use super::convolve::convolve;
use super::step::Law;
use crate::fixed::{self, natural};
use crate::laws::Real;

/// Weights are integers with this many fractional bits. Sums are about 1, so products stay below 2^185.
pub(crate) const WEIGHT: u32 = 92;

/// Integer weights W_j ≤ p_j·e^(θjh − κ)·2^92 (all roundings are down), with a bound of what the exact ones add up to.
#[derive(Debug, Clone)]
pub(crate) struct Tilted {
    pub lo: i64,
    pub weights: Vec<u128>,
    /// At least Σ of the exact weights.
    pub total: u128,
}

/// Why there is no law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The time is over.
    Time,
    /// Too many points, or weights out of range.
    Size,
}

/// How a law is weighed: by e^(θ·j·h − κ).
#[derive(Debug, Clone)]
pub(crate) struct Tilt {
    pub theta: Rational,
    pub step: Real,
}

impl Tilt {
    /// The weights of a law, rounded up (for one that dominates) or down, and the κ that was chosen, so that they
    /// add up to about 1.
    pub fn weigh(
        &self,
        law: &Law,
        bits: usize,
        up: bool,
        deadline: Instant,
    ) -> Result<(Tilted, Rational), Stop> {
        let theta = fixed::near(&self.theta);
        let slope = theta * self.step.near();
        // κ ≈ ln Σ p_j e^(θjh), in doubles: it is a choice, and any choice is sound.
        let top = |j: usize| slope * (law.lo + j as i64) as f64;
        let masses: Vec<f64> = law.masses.iter().map(|p| fixed::doubles(p, bits).0).collect();
        let exponents = masses.iter().enumerate().filter(|(_, p)| **p > 0.0);
        let largest = exponents.map(|(j, p)| top(j) + directed::ln_nearest(*p)).fold(f64::MIN, f64::max);
        let mut sum = 0.0;
        for (j, p) in masses.iter().enumerate().filter(|(_, p)| **p > 0.0) {
            let exponent = top(j) + directed::ln_nearest(*p) - largest;
            if exponent > -200.0 {
                sum += directed::exp_nearest(exponent);
            }
        }
        let kappa = largest + directed::ln_nearest(sum);
        // e^(θ·lo·h − κ) and e^(θh), with b bits and 64 more; the first factor may be small, and keeps 160 bits of its own.
        let small = ((kappa - top(0)).max(0.0) * LOG2_E) as usize;
        let wide = (bits + 64).max((small + 160).next_multiple_of(64));
        let kappa = rational_from_f64(kappa).ok_or(Stop::Size)?;
        let power = |x: &Rational| {
            let bounds = exp_bounds(x, wide as u32 + 8);
            let bound = if up { bounds.1 } else { bounds.0 };
            Some(natural(if up {
                fixed::ceil(&bound.to_rational()?, wide)
            } else {
                fixed::floor(&bound.to_rational()?, wide)
            }))
        };
        let h = if up { &self.step.high } else { &self.step.low };
        let start = Rational::from(law.lo)
            * &self.theta
            * if up == (law.lo >= 0) { &self.step.high } else { &self.step.low };
        let mut weight = power(&(start - &kappa)).ok_or(Stop::Size)?;
        let factor = power(&(&self.theta * h)).ok_or(Stop::Size)?;
        let shift = bits + wide - WEIGHT as usize;
        let mut weights = Vec::with_capacity(law.masses.len());
        let mut total = 0u128;
        for (j, mass) in law.masses.iter().enumerate() {
            if j % 64 == 0 && Instant::now() > deadline {
                return Err(Stop::Time);
            }
            let product = mass * &weight;
            let scaled = if up { fixed::shift_up(product, shift) } else { product >> shift };
            let scaled = u128::try_from(&scaled).map_err(|_| Stop::Size)?;
            total = total.checked_add(scaled).ok_or(Stop::Size)?;
            weights.push(scaled);
            weight = if up {
                fixed::mul_up(&weight, &factor, wide)
            } else {
                fixed::mul_down(&weight, &factor, wide)
            };
        }
        Ok((Tilted { lo: law.lo, weights, total }, kappa))
    }
}

/// ⌈a·b / 2^92⌉, if it is a sound total.
fn product_of_totals(a: u128, b: u128) -> Result<u128, Stop> {
    let product = fixed::mul_up(&Natural::from(a), &Natural::from(b), WEIGHT as usize);
    // Totals stay below 2^92.4, so that products of two stay below 2^185.
    u128::try_from(&product).ok().filter(|total| *total >> (WEIGHT - 5) < 42).ok_or(Stop::Size)
}

impl Tilted {
    /// Cuts weights off both ends, at most `budget` units from each. What is cut is missed in the sum, never in the total.
    fn trim(&mut self, budget: u128) {
        let mut cut = 0u128;
        let first = self.weights.iter().position(|w| {
            cut += w;
            cut > budget
        });
        let first = first.unwrap_or(self.weights.len().saturating_sub(1));
        let mut cut = 0u128;
        let last = self.weights.iter().rposition(|w| {
            cut += w;
            cut > budget
        });
        let last = last.unwrap_or(first).max(first);
        self.weights.truncate(last + 1);
        self.weights.drain(..first);
        self.lo += first as i64;
    }

    fn times(&self, other: &Tilted, limit: &Limit, budget: u128) -> Result<Tilted, Stop> {
        if Instant::now() > limit.deadline {
            return Err(Stop::Time);
        }
        if self.weights.len() + other.weights.len() > limit.points {
            return Err(Stop::Size);
        }
        let weights = match std::ptr::eq(self, other) {
            true => convolve(&self.weights, &self.weights, WEIGHT, limit.deadline),
            false => convolve(&self.weights, &other.weights, WEIGHT, limit.deadline),
        }?;
        let total = product_of_totals(self.total, other.total)?;
        let mut result = Tilted { lo: self.lo + other.lo, weights, total };
        result.trim(budget);
        Ok(result)
    }

    /// The n-fold composition, n ≥ 1.
    pub fn power(&self, n: u64, limit: &Limit) -> Result<Tilted, Stop> {
        // 2^−34 of the whole may be cut in the end; what is cut after m of n counts n/m times.
        // Indices of sums are counted in words.
        let reach = self.lo.unsigned_abs() as f64 + self.weights.len() as f64;
        if reach * n as f64 > (1u64 << 60) as f64 {
            return Err(Stop::Size);
        }
        let budget = |m: u64| ((1u128 << (WEIGHT - 40)) as f64 * (m as f64 / n as f64)) as u128;
        let mut base = self.clone();
        base.trim(budget(1));
        let mut result = base.clone();
        let mut done = 1u64;
        for bit in (0..n.ilog2()).rev() {
            done *= 2;
            result = result.times(&result, limit, budget(done))?;
            if n >> bit & 1 == 1 {
                done += 1;
                result = result.times(&base, limit, budget(done))?;
            }
        }
        Ok(result)
    }

    /// The composition of two.
    pub fn and(&self, other: &Tilted, limit: &Limit) -> Result<Tilted, Stop> {
        self.times(other, limit, 1 << (WEIGHT - 40))
    }
}

/// How long and how large.
#[derive(Debug, Clone)]
pub(crate) struct Limit {
    pub deadline: Instant,
    pub points: usize,
}

/// A composed law, from which δ(ε) is read.
pub(crate) struct Composed {
    pub law: Tilted,
    pub tilt: Tilt,
    /// Σ n·κ.
    pub kappa: Rational,
    /// Σ n·o, less the slack for a law from below.
    pub offset: Real,
    /// The mass at infinity, bounded on the side of the law.
    pub infinite: Rational,
}

/// x · f / 2^64.
fn scale(x: u128, f: u64, up: bool) -> u128 {
    let f = u128::from(f);
    let low = (x & u128::from(u64::MAX)) * f;
    let high = (x >> 64) * f + (low >> 64);
    if up && low & u128::from(u64::MAX) != 0 { high + 1 } else { high }
}

/// More bits for running sums.
const FRACTION: u32 = 30;

impl Composed {
    /// An upper or a lower bound of δ(ε) for ε ≥ 0.
    pub fn delta(&self, epsilon: &Rational, up: bool) -> Option<Rational> {
        let (h, o) = (&self.tilt.step, &self.offset);
        let theta = &self.tilt.theta;
        // The first index whose loss is surely above ε.
        let at = |j: i64| &o.low + Rational::from(j) * if j >= 0 { &h.low } else { &h.high };
        let last = self.law.lo + self.law.weights.len() as i64 - 1;
        let index = ((epsilon - &o.low) / &h.low).floor();
        let beyond = if index < Integer::ZERO { self.law.lo } else { last + 1 };
        let index = i64::try_from(&index).unwrap_or(beyond);
        let mut first = index.saturating_sub(2).clamp(self.law.lo, last + 1);
        while first <= last && at(first) <= *epsilon {
            first += 1;
        }
        let above = |j: i64| &o.high + Rational::from(j) * if j >= 0 { &h.high } else { &h.low };
        // The index before is at most ε up to the width of the enclosures, which one unit of weight covers.
        let over = above(first - 1) - epsilon;
        let touched = first > self.law.lo && over > Rational::ZERO;
        if touched && over > Rational::from_parts(Integer::ONE, Natural::ONE << 100usize) {
            return None;
        }
        // a = Σ W_i e^(−θ(i−first)h), b = the same with θ + 1, by Horner's rule from the right.
        let factor = |theta: &Rational, up: bool| {
            let h = if up { &h.low } else { &h.high };
            // Less than a unit is one unit or none.
            if theta * h > Rational::from(1000) {
                return Some(u64::from(up));
            }
            let bounds = exp_bounds(&-(theta * h), 80);
            let bound = if up { bounds.1 } else { bounds.0 }.to_rational()?;
            let scaled = natural(if up { fixed::ceil(&bound, 64) } else { fixed::floor(&bound, 64) });
            u64::try_from(&scaled).ok()
        };
        let (fa, fb) = (factor(theta, up)?, factor(&(theta + Rational::ONE), !up)?);
        let (mut a, mut b) = (0u128, 0u128);
        for j in (first..=last).rev() {
            let weight = self.law.weights[(j - self.law.lo) as usize] << FRACTION;
            a = scale(a, fa, up) + weight;
            b = scale(b, fb, !up) + weight;
        }
        if up && touched {
            a += 1 << FRACTION;
        }
        // e^(κ − θ·first·h) · (a − e^(ε − o − first·h)·b).
        let index = Rational::from(first);
        let product = |up: bool| &index * if up == (first >= 0) { &h.high } else { &h.low };
        let outer = |up: bool| power(&(&self.kappa - theta * product(!up)), up);
        let inner = |up: bool| power(&(epsilon - if up { &o.low } else { &o.high } - product(!up)), up);
        let unit = Rational::from_parts(Integer::ONE, Natural::ONE << (WEIGHT + FRACTION) as usize);
        let mut sum = Rational::from(a);
        if b > 0 {
            sum = (sum - inner(!up)?.min(Rational::ONE) * Rational::from(b)).max(Rational::ZERO);
        }
        let mut delta = sum * unit * outer(up)?;
        if up {
            // What was cut or rounded away weighs at most max e^(−θu)(1 − e^(ε−u)) ≤ e^(−θε)/(θ + 1) each.
            let sum: u128 = self.law.weights.iter().sum();
            let missed = Rational::from(self.law.total.saturating_sub(sum))
                * Rational::from_parts(Integer::ONE, Natural::ONE << WEIGHT as usize);
            let exponent = &self.kappa + theta * (&o.high - epsilon);
            delta += missed * power(&exponent, true)? / (theta + Rational::ONE);
        }
        // The finite part is at most 1 in all, whatever was bounded above.
        delta += &self.infinite;
        Some(if delta > Rational::ONE { Rational::ONE } else { delta })
    }
}

fn power(x: &Rational, up: bool) -> Option<Rational> {
    // Beyond this, nothing is gained by more.
    if *x < Rational::from(-100_000) {
        return if up {
            exp_bounds(&Rational::from(-100_000), 80).1.to_rational()
        } else {
            Some(Rational::ZERO)
        };
    }
    if *x > Rational::from(100_000) {
        return None;
    }
    let bounds = exp_bounds(x, 80);
    if up { bounds.1 } else { bounds.0 }.to_rational()
}
