//! UP-TO-BAD: a draw is coupled where it is near its center, and the mass of its tails is given up.

use std::sync::Arc;

use super::{check_before_draw, sample};
use crate::concentrated::check_pure;
use crate::context::Context;
use crate::expr::{Expr, Name, Run};
use crate::rejection::Rejection;
use crate::rules::{Assertion, Judgement, wrong};
use crate::term::{Coupling, Distribution, Statement};

/// UP-TO-BAD, for the tails of a Laplace draw.
/// ```text
/// ⊢ y ~ laplace(e, b) : Φ ⇒ (|y − e| ≤ t ⇒ Ψ) by a sampling axiom    0 ≤ t    b, t made of parameters
/// ─────────────────────────────────────────────────────────────────────────────────────────────────────
/// ⊢ y ~ laplace(e, b) : Φ and 0 ≤ t ⇒ Ψ, up to δ = exp(−t/b)
/// ```
/// The draws with |y − e| > t have mass exp(−t/b) in the first run; the coupling is restricted to the others.
pub fn up_to_tail(
    context: &Arc<Context>,
    statement: &Statement,
    coupling: &Coupling,
    tail: &Expr,
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    let Statement::Draw { var, law: Distribution::Laplace { center, scale } } = statement else {
        return Err(wrong("UP-TO-BAD", statement));
    };
    let distance = Expr::of(var.clone(), Run::First) - context.in_run(center, Run::First);
    let mass = (-(tail.clone() / scale.clone())).exp();
    let near = distance.abs().le(tail.clone());
    restricted(context, (statement, coupling), (var, center, scale), (tail, near, mass), post)
}

/// UP-TO-BAD, for the upper tail alone, of a Laplace draw or of one on the integers.
/// ```text
/// ⊢ y ~ laplace(e, b) : Φ ⇒ (y − e ≤ t ⇒ Ψ) by a sampling axiom    0 ≤ t    b, t made of parameters
/// ──────────────────────────────────────────────────────────────────────────────────────────────────
/// ⊢ y ~ laplace(e, b) : Φ and 0 ≤ t ⇒ Ψ, up to δ = exp(−t/b)/2; exp(−t/b) on the integers
/// ```
pub fn up_to_upper_tail(
    context: &Arc<Context>,
    statement: &Statement,
    coupling: &Coupling,
    tail: &Expr,
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    up_to_upper(context, (statement, coupling), (tail, Expr::le), post)
}

/// UP-TO-BAD, for the upper tail with the place where it begins.
/// ```text
/// ⊢ y ~ laplace(e, b) : Φ ⇒ (y − e < t ⇒ Ψ) by a sampling axiom    0 ≤ t    b, t made of parameters
/// ──────────────────────────────────────────────────────────────────────────────────────────────────
/// ⊢ y ~ laplace(e, b) : Φ and 0 ≤ t ⇒ Ψ, up to δ = exp(−t/b)/2; exp(−t/b) on the integers
/// ```
/// One place has no mass; on the integers, where it has, the bound of the mass from the next integer on is one from t on.
pub fn up_to_open_tail(
    context: &Arc<Context>,
    statement: &Statement,
    coupling: &Coupling,
    tail: &Expr,
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    up_to_upper(context, (statement, coupling), (tail, Expr::lt), post)
}

fn up_to_upper(
    context: &Arc<Context>,
    (statement, coupling): (&Statement, &Coupling),
    (tail, below): (&Expr, fn(Expr, Expr) -> Expr),
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    let (var, center, scale, halves) = match statement {
        Statement::Draw { var, law: Distribution::Laplace { center, scale } } => (var, center, scale, 2),
        // With a = e^(−1/b) and m the first integer that is given up, t ≤ m: a^m/(1 + a) ≤ a^t.
        Statement::Draw { var, law: Distribution::DiscreteLaplace { center, scale } } => {
            (var, center, scale, 1)
        }
        _ => return Err(wrong("UP-TO-BAD", statement)),
    };
    let distance = Expr::of(var.clone(), Run::First) - context.in_run(center, Run::First);
    let mass = (-(tail.clone() / scale.clone())).exp() / Expr::int(halves);
    let near = below(distance, tail.clone());
    restricted(context, (statement, coupling), (var, center, scale), (tail, near, mass), post)
}

/// A draw of y around a center, coupled as the axiom says where it is near, and given up elsewhere.
fn restricted(
    context: &Arc<Context>,
    (statement, coupling): (&Statement, &Coupling),
    (var, center, scale): (&Name, &Expr, &Expr),
    (tail, near, mass): (&Expr, Expr, Expr),
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    check_pure(context, "UP-TO-BAD")?;
    for public in [tail, scale] {
        context.check_public(public)?;
    }
    context.check_number(tail)?;
    // The center is the one before the draw; that it does not mention y makes it the same one after.
    check_before_draw(context, &context.in_run(center, Run::First), &[var])?;
    let restricted = post.map(near.implies(post.formula.clone()));
    let inner = sample(context, statement, coupling, &restricted)?;
    // That the scale is positive the sampling axiom demands.
    let sane = Expr::int(0).le(tail.clone());
    let axioms = inner.axioms.iter().copied().chain(["UP-TO-BAD"]).collect();
    Ok(Judgement {
        pre: inner.pre.map(inner.pre.formula.clone().and(sane)),
        post: post.clone(),
        delta: mass,
        axioms,
        ..inner
    })
}
