//! Refutations of claims in ρ and μ: what two probabilities of one event say of Rényi divergences.
//!
//! By data processing, an event of probabilities p and q makes D_α at least that of two coins with these probabilities:
//! ln(p^α·q^(1−α) + (1−p)^α·(1−q)^(1−α))/(α − 1) for every α > 1, and p·ln(p/q) + (1−p)·ln((1−p)/(1−q)) in the limit α → 1,
//! where a claim of ρ says ρ too. For p > q both grow with p and shrink as q grows: bounds of the probabilities give bounds of
//! them. A claim of ρ is false if D_α > αρ for some α. A claim of μ is false if p > Φ(Φ⁻¹(q) + μ), or if μ²/2 is false as a ρ.

use probity_exact::{
    Format, Rational, Round, directed, exp_bounds, ln_bounds, normal_cdf_bounds, rational_from_f64,
};

use crate::output::bounds::Bounds;

/// The orders that are tried, in quarters; 1 is the limit. High ones tell in the tails, where the loss is large.
const QUARTERS: [u32; 14] = [4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192];

/// Bits of enclosures of the normal law, and of logarithms.
const BITS: u32 = 120;

/// What an event shows of ρ or μ for certain.
#[derive(Debug, Clone, PartialEq, PartialOrd)]
enum AtLeast {
    Number(Rational),
    /// The event is impossible under the other input.
    Infinite,
}

impl AtLeast {
    fn exceeds(&self, claimed: &Rational) -> bool {
        match self {
            AtLeast::Number(shown) => shown > claimed,
            AtLeast::Infinite => true,
        }
    }

    fn to_f64(&self) -> f64 {
        match self {
            AtLeast::Number(shown) => directed::cast_down(shown),
            AtLeast::Infinite => f64::INFINITY,
        }
    }
}

/// A lower bound of ρ that the probabilities show, if it is above the claim for certain.
pub(crate) fn shown_rho(p: &Bounds, q: &Bounds, claimed: &Rational) -> Option<f64> {
    largest_rho(p, q).filter(|rho| rho.exceeds(claimed)).map(|rho| rho.to_f64())
}

/// A lower bound of μ that the probabilities show, if it is above the claim for certain.
pub(crate) fn shown_mu(p: &Bounds, q: &Bounds, claimed: &Rational) -> Option<f64> {
    let by_tradeoff = quantile(&p.low, Round::Down).zip(quantile(&q.high, Round::Up));
    let by_tradeoff = by_tradeoff.map(|(above, below)| AtLeast::Number(above - below));
    // An event that is impossible under the other input leaves no μ at all, and Φ⁻¹ has no number for it.
    let by_order = largest_rho(p, q).and_then(|rho| match rho {
        AtLeast::Number(rho) => mu_of_rho(&rho, Round::Down).map(AtLeast::Number),
        AtLeast::Infinite => Some(AtLeast::Infinite),
    });
    let both = [by_tradeoff, by_order].into_iter().flatten().filter(|mu| mu.exceeds(claimed));
    both.map(|mu| mu.to_f64()).reduce(f64::max)
}

/// √(2ρ), rounded: the μ that has this ρ.
pub(crate) fn mu_of_rho(rho: &Rational, direction: Round) -> Option<Rational> {
    let format = Format::wide(BITS);
    let twice = format.round(&(rho * Rational::from(2)), direction);
    format.sqrt(&twice, direction).to_rational()
}

/// A number that is Φ⁻¹ of a probability but for a little, rounded for certain: Φ of it is no more than the probability, or no
/// less.
fn quantile(probability: &Rational, direction: Round) -> Option<Rational> {
    let is_low = |t: &Rational| {
        let (low, high) = normal_cdf_bounds(t, BITS);
        match direction {
            Round::Down => high.to_rational().is_some_and(|high| high <= *probability),
            _ => low.to_rational().is_none_or(|low| low < *probability),
        }
    };
    let (mut low, mut high) = (Rational::from(-40), Rational::from(40));
    if match direction {
        Round::Down => !is_low(&low),
        _ => is_low(&high),
    } {
        return None;
    }
    for _ in 0..60 {
        let middle = (&low + &high) / Rational::from(2);
        if is_low(&middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(if direction == Round::Down { low } else { high })
}

/// The largest ρ that an event of these probabilities shows at the orders that are tried, from below.
///
/// ```
/// use probity_audit::{Bounds, event_rho};
/// use probity_exact::rational;
/// let exactly = |n, d| Bounds { low: rational(n, d).unwrap(), high: rational(n, d).unwrap() };
/// // In the limit α → 1 two coins show 9/10·ln 9 + 1/10·ln(1/9), and less at all other orders.
/// assert!((event_rho(&exactly(9, 10), &exactly(1, 10)) - 0.8 * 9f64.ln()).abs() < 1e-12);
/// ```
pub fn event_rho(p: &Bounds, q: &Bounds) -> f64 {
    largest_rho(p, q).map_or(0.0, |rho| rho.to_f64())
}

/// The same as a number, or infinite; `None` if the event is not likelier for certain.
fn largest_rho(p: &Bounds, q: &Bounds) -> Option<AtLeast> {
    let (p, q) = (&p.low, &q.high);
    if p <= q || *p > Rational::ONE || *q < Rational::ZERO {
        return None;
    }
    if q.is_zero() {
        return Some(AtLeast::Infinite);
    }
    let yes = Part { share: p.clone(), own: ln_bounds(p, BITS)?.0, other: ln_bounds(q, BITS)?.1 };
    let (not_p, not_q) = (Rational::ONE - p, Rational::ONE - q);
    // What surely happens leaves nothing for the rest.
    let no = match ln_bounds(&not_p, BITS) {
        Some((own, _)) => Some(Part { share: not_p, own, other: ln_bounds(&not_q, BITS)?.1 }),
        None => None,
    };
    let of = QUARTERS.into_iter().filter_map(|quarters| rho_of_order(&yes, no.as_ref(), quarters));
    of.max().map(AtLeast::Number)
}

/// One of the two sides of a coin: its probability, the logarithm of that from below, and of that of the other coin from above.
struct Part {
    share: Rational,
    own: Rational,
    other: Rational,
}

/// D_α/α of two coins, from below.
fn rho_of_order(yes: &Part, no: Option<&Part>, quarters: u32) -> Option<Rational> {
    let order = Rational::from(quarters) / Rational::from(4);
    let beyond = &order - Rational::ONE;
    if beyond.is_zero() {
        let term = |part: &Part| &part.share * (&part.own - &part.other);
        return Some(term(yes) + no.map_or(Rational::ZERO, term));
    }
    // ln(e^a + e^b), from below since a and b are.
    let exponent = |part: &Part| &order * &part.own - &beyond * &part.other;
    let a = exponent(yes);
    let more = match no.map(exponent) {
        // The rest adds at least nothing; far below, that is all that it adds.
        Some(b) if b >= &a - Rational::from(BITS) => {
            let ratio = exp_bounds(&(b - &a), BITS).0.to_rational()?;
            ln_bounds(&(Rational::ONE + ratio), BITS)?.0
        }
        _ => Rational::ZERO,
    };
    Some((a + more) / (order * beyond))
}

/// The same as [`event_rho`] in plain f64, for guesses.
pub(crate) fn guessed_rho(p: f64, q: f64) -> f64 {
    let (yes, no) = (directed::ln_nearest(p / q), directed::ln_nearest((1.0 - p) / (1.0 - q)));
    let of_order = |quarters: u32| {
        let order = f64::from(quarters) / 4.0;
        let beyond = order - 1.0;
        if quarters == 4 {
            return p * yes + if p < 1.0 { (1.0 - p) * no } else { 0.0 };
        }
        let rest = if p < 1.0 { (1.0 - p) * directed::exp_nearest(beyond * (no - yes)) } else { 0.0 };
        (beyond * yes + directed::ln_nearest(p + rest)) / (order * beyond)
    };
    QUARTERS.into_iter().map(of_order).fold(0.0, f64::max)
}

/// The ρ of the μ that an event shows, μ²/2 with μ = Φ⁻¹(p) − Φ⁻¹(q), in plain f64, for guesses; to three digits where it is
/// clear of the claim.
pub(crate) fn guessed_rho_of_mu(p: f64, q: f64, claimed: f64) -> f64 {
    let half_square = |mu: f64| mu * mu / 2.0;
    let (above, below) = (rough_quantile(p), rough_quantile(q));
    let rough = half_square((above - below).max(0.0));
    if !rough.is_finite() || (rough - claimed).abs() > 0.01 * (1.0 + claimed) {
        return rough;
    }
    half_square((newton(above, p) - newton(below, q)).max(0.0))
}

/// Φ⁻¹ within 5e-4 (Hastings' approximation; 26.2.23 in Abramowitz and Stegun).
fn rough_quantile(p: f64) -> f64 {
    let tail = p.min(1.0 - p);
    if tail <= 0.0 {
        return if p > 0.5 { f64::INFINITY } else { f64::NEG_INFINITY };
    }
    let t = (-2.0 * directed::ln_nearest(tail)).sqrt();
    let above = t
        - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    if p > 0.5 { above } else { -above }
}

/// Two steps of Newton's method towards Φ⁻¹(p).
fn newton(from: f64, p: f64) -> f64 {
    (0..2).fold(from, |t, _| {
        let at = rational_from_f64(t).unwrap_or_default();
        let reached = normal_cdf_bounds(&at, 60).0.to_rational().unwrap_or_default();
        let density = directed::exp_nearest(-t * t / 2.0) / (2.0 * std::f64::consts::PI).sqrt();
        t - (directed::cast_nearest(&reached) - p) / density
    })
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
        let below = rational(9999, 10000).unwrap();
        assert!(shown_rho(&p, &q, &(&below * &below / Rational::from(2))).is_none());
        let shown = shown_mu(&p, &q, &below).unwrap();
        assert!((shown - 1.0).abs() < 1e-6, "{shown}");
        assert!(shown_mu(&p, &q, &rational(10001, 10000).unwrap()).is_none());
        assert_eq!(shown_mu(&p, &exactly(0, 1), &below), Some(f64::INFINITY));
    }

    #[test]
    fn an_event_refutes_what_is_below_its_divergence_and_nothing_above() {
        // p = 1/2, q = 1/100: order 3/2 shows ln(√12.5 + √(25/198))·4/3 = 1.811…, order 2 1.614…, the limit 1.614….
        let (p, q) = (exactly(1, 2), exactly(1, 100));
        let truth = directed::ln_nearest(12.5f64.sqrt() + (25f64 / 198.0).sqrt()) * 4.0 / 3.0;
        let shown = shown_rho(&p, &q, &rational(1, 1).unwrap()).unwrap();
        assert!((shown - truth).abs() < 1e-12, "{shown}");
        assert!(shown_rho(&p, &q, &rational(182, 100).unwrap()).is_none());
        assert!(shown_rho(&q, &p, &rational(1, 1000).unwrap()).is_none());
        assert_eq!(shown_rho(&p, &exactly(0, 1), &rational(9, 1).unwrap()), Some(f64::INFINITY));
        // What surely happens under one input: order α shows ln(2)/α.
        let sure = shown_rho(&exactly(1, 1), &p, &rational(1, 10).unwrap()).unwrap();
        let truth = directed::ln_nearest(2.0);
        assert!(sure <= truth && sure > truth - 1e-12, "{sure}");
    }

    #[test]
    fn a_wide_probability_shows_no_more_than_its_worst_end() {
        let wide = |low: (i64, i64), high: (i64, i64)| Bounds {
            low: rational(low.0, low.1).unwrap(),
            high: rational(high.0, high.1).unwrap(),
        };
        let (p, q) = (wide((1, 2), (9, 10)), wide((1, 100), (1, 10)));
        assert_eq!(event_rho(&p, &q), event_rho(&exactly(1, 2), &exactly(1, 10)));
        assert_eq!(event_rho(&wide((1, 20), (1, 1)), &q), 0.0);
        // Orders of two normal laws show no more than the ρ of these laws, 1/2 for one deviation.
        let tail = |t: i64| {
            let (low, high) = normal_cdf_bounds(&Rational::from(t), 80);
            Bounds { low: low.to_rational().unwrap(), high: high.to_rational().unwrap() }
        };
        for t in -12..6 {
            let shown = event_rho(&tail(t + 1), &tail(t));
            assert!(shown > 0.0 && shown < 0.5, "{t}: {shown}");
        }
    }

    #[test]
    fn a_guess_is_what_is_shown() {
        for (p, q) in [(90, 10), (75, 25), (99, 98), (50, 1), (100, 7), (2, 1)] {
            let shown = event_rho(&exactly(p, 100), &exactly(q, 100));
            let guess = guessed_rho(p as f64 / 100.0, q as f64 / 100.0);
            assert!((shown - guess).abs() < 1e-12, "{p} {q}: {shown} {guess}");
        }
        for (p, q) in [(90, 10), (75, 25), (99, 98), (50, 1), (2, 1)] {
            let mu = shown_mu(&exactly(p, 100), &exactly(q, 100), &Rational::ZERO).unwrap();
            let (rho, of) = (mu * mu / 2.0, |n: i64| n as f64 / 100.0);
            assert!((guessed_rho_of_mu(of(p), of(q), rho) - rho).abs() < 1e-10 * (1.0 + rho), "{p} {q}");
            assert!((guessed_rho_of_mu(of(p), of(q), 100.0) - rho).abs() < 1e-2, "{p} {q}");
        }
        assert_eq!(guessed_rho_of_mu(1.0, 0.5, 1.0), f64::INFINITY);
    }
}
