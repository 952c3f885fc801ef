//! Refutations of claims in ρ: what two probabilities of one event say of Rényi divergences.
//!
//! By data processing, an event of probabilities p and q makes D_α ≥ ln(p^α·q^(1−α))/(α − 1) for every α > 1, so a claim of
//! ρ is false if p^α > e^(α(α−1)ρ)·q^(α−1). For whole α both sides are enclosed by rationals.

use probity_exact::{Rational, directed, exp_bounds, ln_bounds};

use crate::output::bounds::Bounds;

/// The orders that are tried. High ones tell in the tails, where the loss is large.
const ORDERS: [u32; 10] = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48];

/// A lower bound of ρ that the probabilities show, if it is above the claim for certain.
pub(crate) fn shown_rho(p: &Bounds, q: &Bounds, claimed: &Rational) -> Option<f64> {
    let contradicted = ORDERS.into_iter().filter(|&order| contradicts(p, q, claimed, order));
    contradicted.map(|order| rho_of_order(p, q, order)).reduce(f64::max)
}

fn contradicts(p: &Bounds, q: &Bounds, claimed: &Rational, order: u32) -> bool {
    let exponent = Rational::from(order * (order - 1)) * claimed;
    let Some(factor) = exp_bounds(&exponent, 160).1.to_rational() else { return false };
    power(&p.low, order) > factor * power(&q.high, order - 1)
}

fn power(base: &Rational, exponent: u32) -> Rational {
    (0..exponent).fold(Rational::ONE, |product, _| product * base)
}

/// (α·ln p − (α − 1)·ln q)/(α(α − 1)), from below.
fn rho_of_order(p: &Bounds, q: &Bounds, order: u32) -> f64 {
    if q.high.is_zero() {
        return f64::INFINITY;
    }
    let (Some((low, _)), Some((_, high))) = (ln_bounds(&p.low, 80), ln_bounds(&q.high, 80)) else {
        return f64::NEG_INFINITY;
    };
    let (a, b) = (Rational::from(order), Rational::from(order - 1));
    directed::cast_down(&((&a * low - &b * high) / (&a * &b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    fn exactly(n: i64, d: i64) -> Bounds {
        let value = rational(n, d).unwrap();
        Bounds { low: value.clone(), high: value }
    }

    #[test]
    fn an_event_refutes_what_is_below_its_divergence_and_nothing_above() {
        // p = 1/2, q = 1/100: order 2 shows ln(25)/2 = 1.609…, order 3 ln(1250)/6 = 1.188….
        let (p, q) = (exactly(1, 2), exactly(1, 100));
        let shown = shown_rho(&p, &q, &rational(1, 1).unwrap()).unwrap();
        assert!((shown - probity_exact::directed::ln_nearest(25.0) / 2.0).abs() < 1e-12, "{shown}");
        assert!(shown_rho(&p, &q, &rational(161, 100).unwrap()).is_none());
        assert!(shown_rho(&q, &p, &rational(1, 1000).unwrap()).is_none());
        assert_eq!(shown_rho(&p, &exactly(0, 1), &rational(9, 1).unwrap()), Some(f64::INFINITY));
    }
}
