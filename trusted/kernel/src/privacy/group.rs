//! GROUP and GROUP-DELTA: privacy of one row is privacy of several.

use super::{Theorem, check_claim};
use crate::context::{Context, Orientation};
use crate::entail::{Evidence, check_entailment};
use crate::expr::{Expr, Variable};
use crate::rejection::Rejection;
use crate::sample::of_parameters;
use crate::term::{Adjacency, Claim, Mechanism, Reading};

/// GROUP: from one row to k.
/// ```text
/// m, whose one input is the table t, is ε/k-differentially private if one row of t is added or removed
/// ────────────────────────────────────────────────────────────────────────────────────────────────────── 1 ≤ k, k whole
/// m is ε-differentially private if at most k rows of t are added or removed
/// ```
pub fn group(mechanism: &Mechanism, claim: &Claim, one_row: &Theorem) -> Result<Theorem, Rejection> {
    let most = several(mechanism, claim, one_row)?;
    if one_row.claim != group_share(claim, most) || claim.delta != Expr::int(0) {
        return Err(Rejection::ClaimNotCovered {
            reason: "GROUP needs the theorem on one row with a k-th of epsilon, and delta 0",
        });
    }
    let axioms = one_row.axioms.iter().copied().chain(["GROUP"]).collect();
    Ok(Theorem { mechanism: mechanism.clone(), claim: claim.clone(), axioms, through: None })
}

/// What GROUP asks of one row for a claim about k: the same with ε/k, with ρ/k², with μ/k.
pub fn group_share(claim: &Claim, most: &Expr) -> Claim {
    let share = match claim.reading {
        Reading::Rho => claim.epsilon.clone() / (most.clone() * most.clone()),
        _ => claim.epsilon.clone() / most.clone(),
    };
    Claim { epsilon: share, ..claim.clone() }
}

/// GROUP-DELTA: from one row to k, where mass is given up.
/// ```text
/// m, whose one input is the table t, is (ε₀, δ₀)-differentially private if one row of t is added or removed
/// ────────────────────────────────────────────────────────────────────────── 1 ≤ k, k whole, [`grouped`]
/// m is (ε, δ)-differentially private if at most k rows of t are added or removed
/// ```
pub fn group_delta(
    mechanism: &Mechanism,
    claim: &Claim,
    one_row: &Theorem,
    evidence: &Evidence,
) -> Result<Theorem, Rejection> {
    let most = several(mechanism, claim, one_row)?;
    if [claim, &one_row.claim].into_iter().any(|claim| claim.reading != Reading::Reals) {
        return Err(Rejection::ClaimNotCovered { reason: "GROUP-DELTA is for claims in epsilon and delta" });
    }
    let needed = grouped(most, &one_row.claim, claim);
    let checked = check_entailment(&of_parameters(mechanism)?, &[], &needed, evidence)?;
    let axioms = one_row.axioms.union(&checked.lemmas).copied().chain(["GROUP-DELTA"]).collect();
    Ok(Theorem { mechanism: mechanism.clone(), claim: claim.clone(), axioms, through: None })
}

/// Up to so many rows the sum of GROUP-DELTA may be written out.
const WRITTEN_OUT: i64 = 8;

/// What GROUP-DELTA needs of the claim `from` about one row for the claim `to` about k, with ε₀, δ₀ and ε, δ:
/// ```text
/// 0 ≤ ε₀    0 ≤ δ₀    k·ε₀ ≤ ε    and one of
///   0 < ε₀ and δ₀·(e^(k·ε₀) − 1) ≤ δ·(e^ε₀ − 1)
///   0 < ε₀ and δ₀·(e^(k·ε₀) − 1)/(e^ε₀ − 1) ≤ δ
///   δ₀·k·e^((k − 1)·ε₀) ≤ δ
///   δ₀·(1 + e^ε₀ + … + e^((k − 1)·ε₀)) ≤ δ, where k is one of the first numbers
/// ```
/// All but the third say the same, and it implies them; which one has evidence depends on how the claim is written.
pub fn grouped(most: &Expr, from: &Claim, to: &Claim) -> Expr {
    let (zero, one) = (|| Expr::int(0), || Expr::int(1));
    let (epsilon, delta) = (|| from.epsilon.clone(), || from.delta.clone());
    let of_all = || (most.clone() * epsilon()).exp() - one();
    let of_one = || epsilon().exp() - one();
    let sum = (delta() * of_all()).le(to.delta.clone() * of_one());
    let quotient = (delta() * of_all() / of_one()).le(to.delta.clone());
    let last = ((most.clone() - one()) * epsilon()).exp();
    let longest = (delta() * most.clone() * last).le(to.delta.clone());
    let step = |sum: Expr, i: i64| sum + (Expr::int(i) * epsilon()).exp();
    let terms = match most {
        Expr::Number(n) => (1..=WRITTEN_OUT).find(|rows| *n == (*rows).into()),
        _ => None,
    };
    let longest = match terms {
        Some(rows) => longest.or((delta() * (1..rows).fold(one(), step)).le(to.delta.clone())),
        None => longest,
    };
    Expr::all([
        zero().le(epsilon()),
        zero().le(delta()),
        (most.clone() * epsilon()).le(to.epsilon.clone()),
        zero().lt(epsilon()).and(sum.or(quotient)).or(longest),
    ])
}

/// How many rows neighbours differ by at most, a whole number from 1 on, where a theorem is about the same mechanism and one row.
fn several<'m>(mechanism: &'m Mechanism, claim: &Claim, one_row: &Theorem) -> Result<&'m Expr, Rejection> {
    let context = Context::new(mechanism, Orientation::Forward)?;
    check_claim(&context, claim)?;
    let no = |reason: &'static str| Err(Rejection::ClaimNotCovered { reason });
    let ([input], [Adjacency::Rows { table, most }]) = (&mechanism.inputs[..], &mechanism.adjacency[..])
    else {
        return no("GROUP is for one table as the only input, and for one clause about its rows");
    };
    let counts = match most {
        Expr::Number(n) => *n >= probity_exact::Rational::ONE,
        Expr::Var(Variable::Plain(name)) => context.is_positive(name),
        _ => false,
    };
    // That the number is whole is part of the clause's being well formed.
    if input.name != *table || !counts {
        return no(
            "GROUP needs a number of rows from 1 on: a positive number, or a parameter that is assumed positive",
        );
    }
    let adjacency = vec![Adjacency::OneRow { table: table.clone() }];
    if one_row.mechanism != (Mechanism { adjacency, ..mechanism.clone() }) {
        return Err(Rejection::ContextDiffers);
    }
    Ok(most)
}
