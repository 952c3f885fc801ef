//! SIGNED-LOG: two draws that are coupled as one, as the noise that they make.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{after, check_before_draw, fresh};
use crate::concentrated::check_pure;
use crate::context::Context;
use crate::expr::{Expr, Name};
use crate::rejection::Rejection;
use crate::rules::{Assertion, Judgement, check_size, wrong};
use crate::term::{Distribution, Statement};

/// SIGNED-LOG: a uniform u on (0, 1] and a fair sign s, coupled jointly.
/// ```text
/// |k| ≤ c
/// ──────────────────────────────────────────────────
/// s'·ln(u') = s·ln(u) + k at cost c
/// ```
/// The map, for k ≥ 0 and z = s·ln(u): s = −1 (z ≥ 0): s' = −1, u' = e^−k·u. s = 1 and u ≤ e^−k (z ≤ −k): s' = 1,
/// u' = e^k·u. s = 1 and u > e^−k: s' = −1, u' = e^−k/u. For k < 0 mirror the signs. It is one-to-one up to null
/// sets and multiplies densities by at most e^|k|. Keeping the sign would leave mass (1 − e^−|k|)/2 uncovered.
pub fn signed_log(
    context: &Arc<Context>,
    (uniform, sign): (&Statement, &Statement),
    (by, cost): (&Expr, &Expr),
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    let Statement::Draw { var: u, law: Distribution::Uniform } = uniform else {
        return Err(wrong("SIGNED-LOG", uniform));
    };
    let Statement::Draw { var: s, law: Distribution::Sign } = sign else {
        return Err(wrong("SIGNED-LOG", sign));
    };
    if u == s {
        return Err(wrong("SIGNED-LOG", sign));
    }
    check_pure(context, "SIGNED-LOG")?;
    for e in [by, cost] {
        check_before_draw(context, e, &[u, s])?;
    }
    let mut taken = BTreeSet::new();
    let mut next = |name: &Name| {
        let value = fresh(name, post, &taken);
        taken.insert(value.clone());
        Expr::Var(value)
    };
    let (u1, s1, u2, s2) = (next(u), next(s), next(u), next(s));
    let in_range = |e: &Expr| Expr::int(0).lt(e.clone()).and(e.clone().le(Expr::int(1)));
    let is_sign = |e: &Expr| e.clone().equals(Expr::int(1)).or(e.clone().equals(Expr::int(-1)));
    let joined = (s2.clone() * u2.clone().ln()).equals(s1.clone() * u1.clone().ln() + by.clone());
    let support = Expr::all([in_range(&u1), in_range(&u2), is_sign(&s1), is_sign(&s2), joined]);
    let after = after(&post.formula, &[(u, u1, u2), (s, s1, s2)], cost);
    let formula = by.clone().abs().le(cost.clone()).and(support.implies(after));
    check_size(&formula)?;
    Ok(Judgement {
        context: context.clone(),
        program: vec![uniform.clone(), sign.clone()],
        pre: Assertion { arbitrary: post.arbitrary.union(&taken).cloned().collect(), formula },
        post: post.clone(),
        delta: Expr::int(0),
        axioms: BTreeSet::from(["SIGNED-LOG"]),
        work: 0,
    })
}
