//! Refutations of claims in ρ and μ: what two probabilities of one event say of Rényi divergences.
//!
//! By data processing, an event of probabilities p and q makes D_α ≥ ln(p^α·q^(1−α))/(α − 1) for every α > 1, so a claim of
//! ρ is false if p^α > e^(α(α−1)ρ)·q^(α−1). For whole α both sides are enclosed by rationals. A claim of μ is false if
//! p > Φ(Φ⁻¹(q) + μ): if Φ(t) ≥ q and Φ(t + μ) < p for some t.

use probity_exact::{Format, Rational, Round, directed, exp_bounds, ln_bounds, normal_cdf_bounds};
use probity_kernel::term::Reading;

use crate::output::bounds::Bounds;

/// The orders that are tried. High ones tell in the tails, where the loss is large.
const ORDERS: [u32; 10] = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48];

/// Bits of enclosures of the normal law.
const BITS: u32 = 120;

/// A lower bound of ρ that the probabilities show, if it is above the claim for certain.
pub(crate) fn shown_rho(p: &Bounds, q: &Bounds, claimed: &Rational) -> Option<f64> {
    let contradicted = ORDERS.into_iter().filter(|&order| contradicts(p, q, claimed, order));
    contradicted.map(|order| rho_of_order(p, q, order)).reduce(f64::max)
}

/// A lower bound of the ρ that a claim in ρ or μ has, if the probabilities contradict it; `claimed` is ρ, or μ²/2.
pub(crate) fn shown(reading: Reading, p: &Bounds, q: &Bounds, claimed: &Rational) -> Option<f64> {
    let by_order = shown_rho(p, q, claimed);
    if reading != Reading::Mu || *claimed < Rational::ZERO {
        return by_order;
    }
    by_order.or_else(|| {
        let format = Format::wide(BITS);
        let twice = format.round(&(claimed * Rational::from(2)), Round::Up);
        let mu = format.sqrt(&twice, Round::Up).to_rational()?;
        let t = quantile(&q.high)?;
        let above = normal_cdf_bounds(&(&t + &mu), BITS).1.to_rational()?;
        // How far beyond μ the event reaches is not computed: it contradicts μ, and that is what is said.
        (above < p.low).then(|| directed::cast_up(claimed).next_up())
    })
}

/// A number t with Φ(t) ≥ q for certain, and hardly more.
fn quantile(q: &Rational) -> Option<Rational> {
    let reaches = |t: &Rational| normal_cdf_bounds(t, BITS).0.to_rational().is_some_and(|low| low >= *q);
    let (mut low, mut high) = (Rational::from(-40), Rational::from(40));
    if !reaches(&high) {
        return None;
    }
    for _ in 0..60 {
        let middle = (&low + &high) / Rational::from(2);
        if reaches(&middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

/// The largest ρ that an event of these probabilities shows at the orders that are tried, from below.
///
/// ```
/// use probity_audit::{Bounds, event_rho};
/// use probity_exact::rational;
/// let exactly = |n, d| Bounds { low: rational(n, d).unwrap(), high: rational(n, d).unwrap() };
/// // Order 2 shows ln((1/2)²/(1/100))/2 = ln(25)/2.
/// assert!((event_rho(&exactly(1, 2), &exactly(1, 100)) - 25f64.ln() / 2.0).abs() < 1e-12);
/// ```
pub fn event_rho(p: &Bounds, q: &Bounds) -> f64 {
    ORDERS.into_iter().map(|order| rho_of_order(p, q, order)).fold(0.0, f64::max)
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
    fn an_event_refutes_a_mu_that_is_too_small_where_no_order_does() {
        // Two normal laws one deviation apart, and the half-line above 1/2: p = Φ(1/2), q = Φ(−1/2).
        let (p, q) = (exactly(6914624, 10000000), exactly(3085376, 10000000));
        let claimed = |mu: Rational| &mu * &mu / Rational::from(2);
        let below = claimed(rational(9999, 10000).unwrap());
        assert!(shown_rho(&p, &q, &below).is_none());
        assert!(shown(Reading::Mu, &p, &q, &below).is_some());
        assert!(shown(Reading::Rho, &p, &q, &below).is_none());
        assert!(shown(Reading::Mu, &p, &q, &claimed(rational(10001, 10000).unwrap())).is_none());
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
