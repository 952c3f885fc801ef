//! The concentrated measure: the ghost `cost` counts ρ instead of ε, and draws are coupled by equality only.
//!
//! A context has one measure, and judgements of different contexts do not mix, so no rule of one measure is usable in
//! the other. `docs/logic.md` section 9 defines the judgement and proves the rules.

use crate::context::Context;
use crate::expr::Expr;
use crate::rejection::Rejection;
use crate::term::{Claim, Distribution, Reading};

/// What the ghost `cost` counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// The privacy loss, ε.
    Pure,
    /// The concentrated loss, ρ.
    Concentrated,
}

impl Measure {
    /// The measure in which a claim is proved.
    pub fn of(reading: Reading) -> Measure {
        match reading {
            Reading::Rho | Reading::Mu => Measure::Concentrated,
            Reading::Reals | Reading::Binary { .. } => Measure::Pure,
        }
    }
}

/// A rejection for a rule that the concentrated measure does not have.
pub(crate) fn check_pure(context: &Context, rule: &'static str) -> Result<(), Rejection> {
    match context.measure() {
        Measure::Pure => Ok(()),
        Measure::Concentrated => Err(Rejection::WrongMeasure { rule }),
    }
}

/// What the cost of a claim must stay within: ε, ρ, or μ²/2 with μ ≥ 0.
pub(crate) fn within(claim: &Claim) -> Expr {
    let amount = &claim.epsilon;
    match claim.reading {
        Reading::Mu => {
            let half_square = amount.clone() * amount.clone() / Expr::int(2);
            Expr::int(0).le(amount.clone()).and(Expr::cost().le(half_square))
        }
        Reading::Rho | Reading::Reals | Reading::Binary { .. } => Expr::cost().le(amount.clone()),
    }
}

/// The axiom for equal values of a law with a center, and the law's center and scale.
/// ```text
/// s = s' > 0    |a − a'| ≤ d    d² ≤ 2·c·s²
/// ──────────────────────────────────────────
/// y' = y at cost c, in ρ
/// ```
/// GAUSS and DGAUSS with s the deviation; BOUNDED-LOSS for Laplace noise, whose loss is at most |a − a'|/s in *both*
/// directions. Only GAUSS leads to a claim in μ.
pub(crate) fn equal_values(law: &Distribution) -> Option<(&'static str, &Expr, &Expr)> {
    match law {
        Distribution::Gaussian { center, deviation } => Some(("GAUSS", center, deviation)),
        Distribution::DiscreteGaussian { center, deviation } => Some(("DGAUSS", center, deviation)),
        Distribution::Laplace { center, scale } | Distribution::DiscreteLaplace { center, scale } => {
            Some(("BOUNDED-LOSS", center, scale))
        }
        _ => None,
    }
}

/// The axioms with a cost that a claim in μ may not rest on.
pub(crate) const NOT_GAUSSIAN: [&str; 6] =
    ["DGAUSS", "BOUNDED-LOSS", "BOUNDED-RATIO", "BOUNDED-RANGE", "CALL-RHO", "CALL-PURE"];
