//! GROUP: privacy of one row is privacy of several.

use super::{Theorem, check_claim};
use crate::context::{Context, Orientation};
use crate::expr::{Expr, Variable};
use crate::rejection::Rejection;
use crate::term::{Adjacency, Claim, Mechanism, Reading};

/// GROUP: from one row to k.
/// ```text
/// m, whose one input is the table t, is ε/k-differentially private if one row of t is added or removed
/// ────────────────────────────────────────────────────────────────────────────────────────────────────── 1 ≤ k, k whole
/// m is ε-differentially private if at most k rows of t are added or removed
/// ```
pub fn group(mechanism: &Mechanism, claim: &Claim, one_row: &Theorem) -> Result<Theorem, Rejection> {
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
    if one_row.claim != group_share(claim, most) || claim.delta != Expr::int(0) {
        return no("GROUP needs the theorem on one row with a k-th of epsilon, and delta 0");
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
