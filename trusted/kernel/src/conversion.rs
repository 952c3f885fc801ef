//! From ρ and μ to (ε, δ): enclosed where all numbers are known, by a tail bound where they are not.
//!
//! `docs/logic.md` section 9 proves each conversion. No float decides: normal laws, logarithms and exponentials are
//! enclosed, and every bound of δ is rounded up.

use std::collections::BTreeSet;

use probity_exact::{Float, Rational, exp_bounds, ln_bounds, normal_tail_bounds};

use crate::context::Context;
use crate::entail::{Evidence, check_entailment};
use crate::expr::Expr;
use crate::float::constant;
use crate::rejection::Rejection;
use crate::term::{Claim, Reading};

/// How a claim of ε and δ is reached from one in ρ or in μ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Conversion {
    /// From μ: δ(ε) of two normal laws with deviation 1 and centers μ apart, enclosed. For numbers only.
    Normal,
    /// From ρ, or from μ as μ²/2: the bound of this order α > 1, enclosed. For numbers only.
    Order(Rational),
    /// From ρ, or from μ as μ²/2: δ ≥ exp(−(ε − ρ)²/(4ρ)), by evidence of [`tail`].
    Tail(Box<Evidence>),
    /// From μ: what normal laws have in their tails, by evidence of [`normal_tail`].
    NormalTail(Box<Evidence>),
}

/// Bits of enclosures.
const BITS: u32 = 160;
/// Beyond this distance from its center a normal law is bounded by its tail here.
const FAR: i64 = 1_000;

/// The name of the conversion, and the lemmas that it rests on, if the claim `to` follows from the claim `from`.
pub(crate) fn check(
    context: &Context,
    from: &Claim,
    to: &Claim,
    conversion: &Conversion,
) -> Result<(&'static str, BTreeSet<&'static str>), Rejection> {
    let no = |reason: &'static str| Err(Rejection::ClaimNotCovered { reason });
    if !matches!(from.reading, Reading::Rho | Reading::Mu) || to.reading != Reading::Reals {
        return no("a conversion is from a theorem in rho or in mu to a claim of epsilon and delta");
    }
    if let Conversion::Tail(evidence) = conversion {
        let checked = check_entailment(context, &[], &tail(from, to), evidence)?;
        return Ok(("ZCDP-TAIL", checked.lemmas));
    }
    if let Conversion::NormalTail(evidence) = conversion {
        if from.reading != Reading::Mu {
            return no("the tail of normal laws is for a theorem in mu");
        }
        let checked = check_entailment(context, &[], &normal_tail(from, to), evidence)?;
        return Ok(("GDP-TAIL", checked.lemmas));
    }
    let number = |e: &Expr| constant::range(e, &|_| None);
    let (Some(amount), Some(epsilon), Some(delta)) =
        (number(&from.epsilon), number(&to.epsilon), number(&to.delta))
    else {
        return no("an enclosed conversion is between numbers: values for all parameters are needed");
    };
    let (name, enough) = match conversion {
        Conversion::Normal if from.reading == Reading::Mu => {
            ("GDP-NORMAL", normal(&amount.high, &epsilon.low, &delta.low))
        }
        Conversion::Order(order) => {
            let rho = match from.reading {
                Reading::Mu => &amount.high * &amount.high / Rational::from(2),
                _ => amount.high,
            };
            ("ZCDP-ORDER", by_order(order, &rho, &epsilon.low, &delta.low))
        }
        _ => return no("the normal conversion is from mu"),
    };
    match enough {
        true => Ok((name, BTreeSet::new())),
        false => no("the claim's delta is below what the conversion encloses"),
    }
}

/// ρ of a claim in ρ or μ.
fn rho(claim: &Claim) -> Expr {
    match claim.reading {
        Reading::Mu => claim.epsilon.clone() * claim.epsilon.clone() / Expr::int(2),
        _ => claim.epsilon.clone(),
    }
}

/// What [`Conversion::Tail`] needs: 0 < δ, ρ ≤ ε and 4ρ·ln(1/δ) ≤ (ε − ρ)².
pub fn tail(from: &Claim, to: &Claim) -> Expr {
    let (rho, epsilon, delta) = (rho(from), to.epsilon.clone(), to.delta.clone());
    let above = || epsilon.clone() - rho.clone();
    let needed = Expr::int(4) * rho.clone() * (Expr::int(1) / delta.clone()).ln();
    Expr::all([Expr::int(0).lt(delta), rho.clone().le(epsilon.clone()), needed.le(above() * above())])
}

/// What [`Conversion::NormalTail`] needs: 0 < δ, 0 ≤ ε, 0 ≤ μ, and that μ² ≤ 2ε and 8μ²·ln(1/(2δ)) ≤ (2ε − μ²)², or μ ≤ 2δ.
pub fn normal_tail(from: &Claim, to: &Claim) -> Expr {
    let (mu, epsilon, delta) = (from.epsilon.clone(), to.epsilon.clone(), to.delta.clone());
    let twice = |e: &Expr| Expr::int(2) * e.clone();
    let square = mu.clone() * mu.clone();
    let above = || twice(&epsilon) - square.clone();
    let needed = Expr::int(8) * square.clone() * (Expr::int(1) / twice(&delta)).ln();
    let far = square.clone().le(twice(&epsilon)).and(needed.le(above() * above()));
    let near = mu.clone().le(twice(&delta));
    let zero = || Expr::int(0);
    Expr::all([zero().lt(delta.clone()), zero().le(epsilon.clone()), zero().le(mu), far.or(near)])
}

/// Whether δ(ε) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ) ≤ δ, for certain; 0 ≤ ε.
///
/// ```
/// use probity_exact::parse_rational;
/// use probity_kernel::conversion::normal;
/// let number = |text: &str| parse_rational(text).unwrap();
/// // δ(1) of normal laws one deviation apart is 0.12693673750664397….
/// assert!(normal(&number("1"), &number("1"), &number("0.126936737506644")));
/// assert!(!normal(&number("1"), &number("1"), &number("0.1269367375066439")));
/// ```
pub fn normal(mu: &Rational, epsilon: &Rational, delta: &Rational) -> bool {
    let zero = Rational::ZERO;
    if *epsilon < zero || *delta < zero || *mu < zero {
        return false;
    }
    if mu.is_zero() {
        return true;
    }
    let far = Rational::from(FAR);
    let (half, ratio) = (mu / Rational::from(2), epsilon / mu);
    // Φ(−x) is the mass above x; it falls with x, so a nearer x is on the safe side.
    let near = (&ratio - &half).min(far.clone());
    if near < -&far {
        return *delta >= Rational::ONE;
    }
    let Some(above) = rational(&normal_tail_bounds(&near, BITS).1) else { return false };
    let further = &ratio + &half;
    let taken = match further <= far && *epsilon <= far {
        true => {
            let (mass, factor) = (normal_tail_bounds(&further, BITS).0, exp_bounds(epsilon, BITS).0);
            match (rational(&mass), rational(&factor)) {
                (Some(mass), Some(factor)) => mass * factor,
                _ => zero,
            }
        }
        // Nothing is taken away, which makes the bound larger.
        false => zero,
    };
    above - taken <= *delta
}

/// Whether e^((α − 1)(αρ − ε))·(1 − 1/α)^(α − 1)/α ≤ δ, for certain; 1 < α, 0 ≤ ρ.
pub fn by_order(order: &Rational, rho: &Rational, epsilon: &Rational, delta: &Rational) -> bool {
    if *order <= Rational::ONE || *rho < Rational::ZERO {
        return false;
    }
    let less = order - Rational::ONE;
    let Some((_, shrink)) = ln_bounds(&(&less / order), BITS) else { return false };
    let exponent = &less * (order * rho - epsilon) + &less * shrink;
    // Far out the bound is 0 or more than any δ; the exponential need not be computed.
    if exponent > Rational::from(FAR) {
        return false;
    }
    let exponent = exponent.max(-Rational::from(FAR));
    rational(&exp_bounds(&exponent, BITS).1).is_some_and(|factor| factor / order <= *delta)
}

fn rational(x: &Float) -> Option<Rational> {
    x.to_rational()
}
