//! ρ-zero-concentrated privacy: a bound of all such pairs, and the normal pair with μ = √(2ρ), which is one of them.

use probity_exact::{Natural, Rational, directed, exp_bounds, ln_bounds, rational_from_f64};

use super::{Curve, Event, Gaussian};
use crate::fixed;

/// The curve of ρ.
pub(crate) struct Concentrated {
    bits: usize,
    rho: Rational,
    below: Gaussian,
}

impl Concentrated {
    pub fn new(rho: Rational, bits: usize) -> Concentrated {
        let double = directed::cast_down(&(Rational::from(2) * &rho));
        let mu = directed::sqrt_down(double);
        Concentrated { bits, rho, below: Gaussian::new(mu, mu, bits) }
    }

    /// At least H_γ for γ > 1, by a good order α; any order is sound.
    fn above(&self, ratio: &Natural) -> Natural {
        let one = Natural::ONE << self.bits;
        let (low, _) = fixed::doubles(ratio, self.bits);
        let epsilon = directed::ln_down(low.max(1.0)).max(0.0);
        let Some(exact) = rational_from_f64(epsilon) else { return one };
        exponent_bound(&self.rho, &exact, best_order(fixed::near(&self.rho), epsilon))
            .map_or(one.clone(), |delta| fixed::natural(fixed::ceil(&delta, self.bits)).min(one))
    }
}

/// An α near the best one for (ρ, ε), found in doubles.
pub(crate) fn best_order(rho: f64, epsilon: f64) -> f64 {
    // ln δ(α) = (α − 1)(αρ − ε) − ln(α − 1) + α·ln(1 − 1/α) is convex enough for a search by thirds on ln(α − 1).
    let value = |t: f64| {
        let a1 = directed::exp_nearest(t);
        let a = 1.0 + a1;
        a1 * (a * rho - epsilon) - t + a * directed::ln_nearest((a1 / a).max(1e-300))
    };
    let (mut low, mut high) = (-20.0, 40.0);
    for _ in 0..100 {
        let (x, y) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if value(x) < value(y) { high = y } else { low = x }
    }
    1.0 + directed::exp_nearest((low + high) / 2.0)
}

/// An upper bound of e^((α−1)(αρ−ε))·(1 − 1/α)^α/(α − 1), the δ of ρ-zCDP at ε by the order α (Canonne, Kamath, Steinke).
pub(crate) fn exponent_bound(rho: &Rational, epsilon: &Rational, order: f64) -> Option<Rational> {
    let alpha = rational_from_f64(order)?;
    let less = &alpha - Rational::ONE;
    if less <= Rational::ZERO {
        return None;
    }
    let (_, ln_share) = ln_bounds(&(&less / &alpha), 96)?;
    let (ln_less, _) = ln_bounds(&less, 96)?;
    let exponent = &less * (&alpha * rho - epsilon) + &alpha * ln_share - ln_less;
    if exponent > Rational::from(1) {
        return None;
    }
    if exponent < Rational::from(-100_000) {
        return exp_bounds(&Rational::from(-100_000), 96).1.to_rational();
    }
    exp_bounds(&exponent, 96).1.to_rational()
}

impl Curve for Concentrated {
    fn upper(&self, ratio: &Natural) -> Natural {
        let one = Natural::ONE << self.bits;
        if *ratio >= one {
            return self.above(ratio);
        }
        if *ratio == Natural::ZERO {
            return one;
        }
        // Both directions are ρ-zCDP: H_γ(P‖Q) = 1 − γ + γ·H_{1/γ}(Q‖P).
        let inverse = (&one << self.bits) / ratio;
        (&one - ratio) + fixed::mul_up(ratio, &self.above(&inverse), self.bits)
    }

    fn event(&self, ratio: &Natural) -> Event {
        self.below.event(ratio)
    }
}
