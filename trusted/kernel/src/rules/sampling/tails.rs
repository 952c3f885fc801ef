//! UP-TO-BAD: a draw is coupled where it is near its center, and the mass of its tails is given up.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Draw, check_before_draw, fresh, sample};
use crate::concentrated::check_pure;
use crate::context::Context;
use crate::expr::{Expr, Name, Run};
use crate::kind::Kind;
use crate::law;
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
    up_to_one(context, (statement, coupling), (tail, &Expr::le), post)
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
    up_to_one(context, (statement, coupling), (tail, &Expr::lt), post)
}

/// UP-TO-BAD, for the lower tail alone, of a Laplace draw or of one on the integers.
/// ```text
/// ⊢ y ~ laplace(e, b) : Φ ⇒ (−t ≤ y − e ⇒ Ψ) by a sampling axiom    0 ≤ t    b, t made of parameters
/// ───────────────────────────────────────────────────────────────────────────────────────────────────
/// ⊢ y ~ laplace(e, b) : Φ and 0 ≤ t ⇒ Ψ, up to δ = exp(−t/b)/2; exp(−t/b) on the integers
/// ```
/// The noise is as likely to be −z as z: the lower tail has the mass of the upper one.
pub fn up_to_lower_tail(
    context: &Arc<Context>,
    statement: &Statement,
    coupling: &Coupling,
    tail: &Expr,
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    up_to_one(context, (statement, coupling), (tail, &|distance, t| (-t).le(distance)), post)
}

/// UP-TO-BAD, for the lower tail with the place where it begins: −t < y − e, else as [`up_to_lower_tail`].
pub fn up_to_open_lower_tail(
    context: &Arc<Context>,
    statement: &Statement,
    coupling: &Coupling,
    tail: &Expr,
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    up_to_one(context, (statement, coupling), (tail, &|distance, t| (-t).lt(distance)), post)
}

/// A Laplace draw, or one on the integers, without one of its tails.
fn up_to_one(
    context: &Arc<Context>,
    (statement, coupling): (&Statement, &Coupling),
    (tail, kept): (&Expr, &dyn Fn(Expr, Expr) -> Expr),
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
    let near = kept(distance, tail.clone());
    restricted(context, (statement, coupling), (var, center, scale), (tail, near, mass), post)
}

/// UP-TO-BAD, for the upper tail on the integers, with the mass that it has.
/// ```text
/// ⊢ y ~ discrete_laplace(e, b) : Φ ⇒ (y − e < t ⇒ Ψ) by a sampling axiom    0 ≤ t    b, t made of parameters
/// ───────────────────────────────────────────────────────────────────────────────────────────────────────────
/// ⊢ y ~ discrete_laplace(e, b) : Φ and 0 ≤ t ⇒ Ψ, up to δ = a^t/(1 + a), a = exp(−1/b)
/// ```
/// From an integer m ≥ t on there is a^m/(1 + a).
pub fn up_to_exact_tail_int(
    context: &Arc<Context>,
    statement: &Statement,
    coupling: &Coupling,
    tail: &Expr,
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    up_to_exact(context, (statement, coupling), (tail, 1, &Expr::lt), post)
}

/// UP-TO-BAD, for the lower tail on the integers with the mass that it has: −t < y − e, else as [`up_to_exact_tail_int`].
pub fn up_to_exact_lower_tail_int(
    context: &Arc<Context>,
    statement: &Statement,
    coupling: &Coupling,
    tail: &Expr,
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    up_to_exact(context, (statement, coupling), (tail, 1, &|distance, t| (-t).lt(distance)), post)
}

/// UP-TO-BAD, for both tails on the integers: |y − e| < t, up to δ = 2·a^t/(1 + a), else as [`up_to_exact_tail_int`].
pub fn up_to_exact_tails_int(
    context: &Arc<Context>,
    statement: &Statement,
    coupling: &Coupling,
    tail: &Expr,
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    up_to_exact(context, (statement, coupling), (tail, 2, &|distance, t| distance.abs().lt(t)), post)
}

fn up_to_exact(
    context: &Arc<Context>,
    (statement, coupling): (&Statement, &Coupling),
    (tail, tails, inside): (&Expr, i64, &dyn Fn(Expr, Expr) -> Expr),
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    let Statement::Draw { var, law: Distribution::DiscreteLaplace { center, scale } } = statement else {
        return Err(wrong("UP-TO-BAD", statement));
    };
    let distance = Expr::of(var.clone(), Run::First) - context.in_run(center, Run::First);
    let power = |t: Expr| (-(t / scale.clone())).exp();
    let mass = Expr::int(tails) * power(tail.clone()) / (Expr::int(1) + power(Expr::int(1)));
    let near = inside(distance, tail.clone());
    restricted(context, (statement, coupling), (var, center, scale), (tail, near, mass), post)
}

/// UP-TO-BAD, for the far tail of noise on one side.
/// ```text
/// ⊢ y ~ exponential(b) : Φ ⇒ (y < t ⇒ Ψ) by a sampling axiom    0 ≤ t    b, t made of parameters
/// ───────────────────────────────────────────────────────────────────────────────────────────────
/// ⊢ y ~ exponential(b) : Φ and 0 ≤ t ⇒ Ψ, up to δ = exp(−t/b); geometric noise alike
/// ```
pub fn up_to_far_tail(
    context: &Arc<Context>,
    statement: &Statement,
    coupling: &Coupling,
    tail: &Expr,
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    let (var, scale) = one_sided(statement)?;
    let mass = (-(tail.clone() / scale.clone())).exp();
    let near = Expr::of(var.clone(), Run::First).lt(tail.clone());
    restricted(context, (statement, coupling), (var, &Expr::int(0), scale), (tail, near, mass), post)
}

/// UP-TO-BAD, where noise on one side begins: there it may move down.
/// ```text
/// scale = scale' > 0    0 ≤ t    −t ≤ k ≤ c · scale    scale, t made of parameters; on the integers t and k integers
/// ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────
/// y ≥ t: y' = y + k at cost c; y ~ exponential(scale) or geometric(scale), up to δ = max(0, 1 − exp(−t/scale))
/// ```
pub fn up_to_start(
    context: &Arc<Context>,
    statement: &Statement,
    (by, cost): (&Expr, &Expr),
    start: &Expr,
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    let (_, scale) = one_sided(statement)?;
    let draw = moved(context, statement, (by, cost), post)?;
    for public in [start, scale] {
        context.check_public(public)?;
    }
    context.check_number(start)?;
    if law::kind(draw.law) == Kind::Int {
        // Between two integers there is more below t than the formula says.
        context.kinds().check_integer(start)?;
    }
    let (within, budget) = (-start.clone(), cost.clone() * draw.first(scale));
    let side = Expr::all(draw.in_range().chain([
        draw.first(scale).equals(draw.second(scale)),
        Expr::int(0).le(start.clone()),
        within.le(by.clone()).and(by.clone().le(budget)),
    ]));
    let near = draw.drawn().ge(start.clone());
    let mass = Expr::int(1) - (-(start.clone() / scale.clone())).exp();
    given_up(&draw, (by, cost), side, near, Expr::int(0).max(mass))
}

/// UP-TO-BAD, for noise that is uniform: moved where it stays in its range.
/// ```text
/// |k| ≤ d    0 ≤ c                                                               d made of parameters
/// ────────────────────────────────────────────────────────────────────────────────────────────────────
/// 0 < u + k ≤ 1: u' = u + k at cost c; u ~ uniform(0, 1), up to δ = max(0, d)
///
/// l ≤ h    h − l = h' − l'    |k + l − l'| ≤ d · (h − l + 1)    0 ≤ c             d made of parameters, k an integer
/// ────────────────────────────────────────────────────────────────────────────────────────────────────
/// l' ≤ y + k ≤ h': y' = y + k at cost c; y ~ uniform_int(l, h), up to δ = max(0, d)
/// ```
pub fn up_to_tail_uniform(
    context: &Arc<Context>,
    statement: &Statement,
    (by, cost): (&Expr, &Expr),
    share: &Expr,
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    let draw = moved(context, statement, (by, cost), post)?;
    let (apart, width, alike) = match draw.law {
        Distribution::Uniform => (by.clone(), Expr::int(1), Expr::Bool(true)),
        Distribution::UniformInt { low, high } => {
            let width = |of: &dyn Fn(&Expr) -> Expr| of(high) - of(low);
            let (first, second) = (width(&|e| draw.first(e)), width(&|e| draw.second(e)));
            let apart = by.clone() + draw.first(low) - draw.second(low);
            (apart, first.clone() + Expr::int(1), first.equals(second))
        }
        _ => return Err(wrong("UP-TO-BAD", statement)),
    };
    context.check_public(share)?;
    context.check_number(share)?;
    let side = Expr::all(draw.in_range().chain([
        alike,
        apart.abs().le(share.clone() * width),
        Expr::int(0).le(cost.clone()),
    ]));
    // The second run's value, in terms of the first run's, lies where the second run's law does.
    let second = law::map(draw.law, &|e| draw.second(e));
    let stays = law::support(&second, draw.drawn() + by.clone());
    given_up(&draw, (by, cost), side, stays, Expr::int(0).max(share.clone()))
}

/// UP-TO-BAD, for one side of a coin.
/// ```text
/// p = p'    0 ≤ p ≤ 1    p ≤ d (for `false`: 1 − p ≤ d)    d made of parameters
/// ──────────────────────────────────────────────────────────────────────────────
/// y is not that side: y' = y at cost 0; y ~ bernoulli(p), up to δ = max(0, d)
/// ```
pub fn up_to_side(
    context: &Arc<Context>,
    statement: &Statement,
    side: bool,
    share: &Expr,
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    let Statement::Draw { var, law: Distribution::Bernoulli(p) } = statement else {
        return Err(wrong("UP-TO-BAD", statement));
    };
    check_pure(context, "UP-TO-BAD")?;
    context.check_public(share)?;
    context.check_number(share)?;
    let (drawn, p) = (Expr::of(var.clone(), Run::First), context.in_run(p, Run::First));
    let (kept, mass) = if side { (!drawn, p) } else { (drawn, Expr::int(1) - p) };
    let restricted = post.map(kept.implies(post.formula.clone()));
    let inner = sample(context, statement, &Coupling::Null, &restricted)?;
    let axioms = inner.axioms.iter().copied().chain(["UP-TO-BAD"]).collect();
    Ok(Judgement {
        pre: inner.pre.map(inner.pre.formula.clone().and(mass.le(share.clone()))),
        post: post.clone(),
        delta: Expr::int(0).max(share.clone()),
        axioms,
        ..inner
    })
}

/// The variable and the scale of a draw of noise on one side.
fn one_sided(statement: &Statement) -> Result<(&Name, &Expr), Rejection> {
    match statement {
        Statement::Draw {
            var,
            law: Distribution::Exponential { scale } | Distribution::Geometric { scale },
        } => Ok((var, scale)),
        _ => Err(wrong("UP-TO-BAD", statement)),
    }
}

/// A draw that is moved by a number which is fixed before it, at a cost that is, in the pure measure.
fn moved<'a>(
    context: &'a Arc<Context>,
    statement: &'a Statement,
    (by, cost): (&Expr, &Expr),
    post: &'a Assertion,
) -> Result<Draw<'a>, Rejection> {
    check_pure(context, "UP-TO-BAD")?;
    let Statement::Draw { var, law } = statement else {
        return Err(wrong("UP-TO-BAD", statement));
    };
    for e in [by, cost] {
        check_before_draw(context, e, &[var])?;
    }
    if law::kind(law) == Kind::Int {
        context.kinds().check_integer(by)?;
    }
    Ok(Draw { context, statement, var, law, post, value: fresh(var, post, &BTreeSet::new()) })
}

/// y' = y + k at a cost where the first run's value is near, and the mass of the rest given up.
fn given_up(
    draw: &Draw<'_>,
    (by, cost): (&Expr, &Expr),
    side: Expr,
    near: Expr,
    mass: Expr,
) -> Result<Judgement, Rejection> {
    let after = draw.after(&(draw.drawn() + by.clone()), cost);
    let judgement = draw.conclude("UP-TO-BAD", side, near.implies(after))?;
    Ok(Judgement { delta: mass, ..judgement })
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
