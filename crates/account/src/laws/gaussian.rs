//! Normal noise: P = N(μ, 1), Q = N(0, 1) up to scale.

use std::sync::Arc;

use probity_exact::{Integer, Natural, Rational, directed, rational_from_f64};

use super::normal::Tails;
use super::{Curve, Event};
use crate::fixed::{self, FixedBounds, natural};

/// The pair with distance μ, which may lie between two doubles: the upper curve is that of the larger, events those of the
/// smaller. Both are sound, as H_γ grows with μ.
pub(crate) struct Gaussian {
    bits: usize,
    low: Side,
    high: Side,
    tails: Arc<Tails>,
}

/// A distance as a double, as fixed-point number and as half of it.
struct Side {
    double: f64,
    mu: Integer,
}

impl Side {
    fn new(double: f64, bits: usize) -> Side {
        // A double below 2^20 and above 2^−(bits−60) is exact here, or is cut below; the cut is a distance itself.
        let exact = rational_from_f64(double).unwrap_or(Rational::ZERO);
        Side { double, mu: fixed::floor(&exact, bits) }
    }

    /// A threshold t near ln γ/μ − μ/2 for N(0,1) + μ: the event {X > t + μ}, with P mass F(t) and Q mass F(t + μ).
    fn threshold(&self, ratio: &Natural, bits: usize) -> (f64, (f64, f64)) {
        let (low, high) = fixed::doubles(ratio, bits);
        let (ln_low, ln_high) = match low > 0.0 {
            true => (directed::ln_down(low), directed::ln_up(high)),
            false => (-1e9, directed::ln_up(high)),
        };
        let t = ln_low / self.double - self.double / 2.0;
        (t.clamp(-1e6, 1e6), (ln_low, ln_high))
    }
}

impl Gaussian {
    /// The pair for 0 < low ≤ μ ≤ high.
    pub fn new(low: f64, high: f64, bits: usize) -> Gaussian {
        Gaussian { bits, low: Side::new(low, bits), high: Side::new(high, bits), tails: Tails::shared(bits) }
    }

    fn masses(&self, side: &Side, t: f64) -> (Integer, Event) {
        // Thresholds are multiples of 2^−60, so that they are exact.
        let t = Integer::from((t * (1u64 << 60) as f64) as i128) << (self.bits - 60);
        let p = self.tails.at(&t);
        let q = self.tails.at(&(&t + &side.mu));
        (t, Event { p, q })
    }

    /// P and Q of {X > s} with s a fixed-point number, for normal laws around the three centres 0, ±μ; see [`super::Replaced`].
    pub fn tail_around(&self, s: &Integer, centre: i32) -> FixedBounds {
        self.tails.at(&(s - &self.low.mu * Integer::from(centre)))
    }

    /// The smaller distance.
    pub fn mu(&self) -> f64 {
        self.low.double
    }
}

impl Curve for Gaussian {
    /// With γ' the ratio at the threshold t and Δ = |ln γ − ln γ'|: H_γ ≤ P(E) − γQ(E) + (e^Δ − 1)e^Δ·P(between), and P of
    /// an interval of thresholds of length Δ/μ is at most 0.4·Δ/μ. For Δ ≤ 2^−10 that is at most Δ²/(2μ). In the tail,
    /// t ≥ 1, the density at t − Δ/μ is at most 2(t + 1)·F(t) if t·Δ/μ ≤ 1/2 (Mills), so 5(t + 1)F(t) may take the place of 1.
    fn upper(&self, ratio: &Natural) -> Natural {
        let side = &self.high;
        let one = Natural::ONE << self.bits;
        let trivial = || one.clone();
        let (t, (ln_low, ln_high)) = side.threshold(ratio, self.bits);
        let (t, event) = self.masses(side, t);
        // ln γ' = μt + μ²/2, exactly.
        let at = (&side.mu * &t + ((&side.mu * &side.mu) >> 1)) >> (2 * self.bits - 100);
        let fixed = |x: f64| rational_from_f64(x).map(|x| fixed::floor(&x, 100));
        let (Some(a), Some(b)) = (fixed(ln_low), fixed(ln_high)) else { return trivial() };
        let off = natural((&at - &a).max(b - &at)) + Natural::from(2u8);
        let gained = &event.p.high + Natural::ONE;
        let lost = fixed::mul_down(ratio, &event.q.low, self.bits);
        let base = if gained > lost { gained - lost } else { Natural::ZERO };
        if off > Natural::ONE << 90usize {
            // Far outside, where a tail is below one unit: H_γ ≤ 1, or H_γ ≤ P(L > ln γ) for a threshold that lies lower.
            return if at <= a { (event.p.high + Natural::ONE).min(one) } else { one };
        }
        // Δ²/(2μ) with 200 bits, brought to b bits and rounded up.
        let numerator = (&off * &off) << self.bits;
        let denominator = natural(&side.mu << 1) << 200usize;
        let mut excess = fixed::div_up(&(numerator << self.bits), &denominator);
        let one_as_integer = Integer::ONE << self.bits;
        // t·Δ/μ ≤ 1/2, where Δ has 100 bits.
        let moderate = Integer::from(off) * &t * Integer::from(2) <= &side.mu << 100usize;
        if t >= one_as_integer && moderate {
            let factor = natural(t + one_as_integer) * Natural::from(5u8);
            let factor = fixed::mul_up(&factor, &event.p.high, self.bits);
            excess = fixed::mul_up(&excess, &factor.min(one.clone()), self.bits);
        }
        (base + excess).min(one)
    }

    fn event(&self, ratio: &Natural) -> Event {
        let (t, _) = self.low.threshold(ratio, self.bits);
        self.masses(&self.low, t).1
    }
}
