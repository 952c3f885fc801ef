//! FOR-ONCE: a loop that gives up mass in a few rounds only, which the pair of inputs fixes.
//!
//! In a loop over the groups of a table a row is in one group, and only the round of that group has to give up anything. FOR
//! multiplies what a round gives up by the number of rounds; here it is counted for the rounds that are named.

use crate::entail::{Evidence, check_entailment};
use crate::expr::{Expr, Name, Variable};
use crate::rejection::Rejection;
use crate::rules::{Counted, Judgement, both_axioms, both_works, counted, same_context};

/// ```text
/// ⊢ c : Φ ⇒ I[i := i + 1]                  I and from ≤ i < to and i ≠ k₁ and … and i ≠ kₙ ⊨ Φ
/// ⊢ c : Θ ⇒ I[i := i + 1], up to δ         I and from ≤ i < to and (i = k₁ or … or i = kₙ) ⊨ Θ
/// ───────────────────────────────────────────────────────────────────────────────────────────── FOR-ONCE
/// ⊢ for i in from..to { c } : from ≤ to and I[i := from] ⇒ I[i := to], up to n·δ
/// ```
/// k₁, …, kₙ are made of parameters and of what the pair of inputs fixes, as `changed(t).key`: each is one number throughout.
pub fn for_loop_once(
    index: &Name,
    (from, to): (&Expr, &Expr),
    invariant: &Expr,
    (other, named): (&Judgement, &Judgement),
    rounds: &[Expr],
    (others, these): (&Evidence, &Evidence),
) -> Result<Judgement, Rejection> {
    same_context(other, named)?;
    if other.program != named.program {
        return Err(Rejection::ProgramDiffers { left: other.shown(), right: named.shown() });
    }
    if other.delta != Expr::int(0) {
        return Err(Rejection::ClaimNotCovered { reason: "only the rounds that are named may give up mass" });
    }
    counted(index, (from, to), invariant, other)?;
    let Counted { context, range, statement, pre, post, .. } = counted(index, (from, to), invariant, named)?;
    for round in rounds {
        check_fixed_by_inputs(named, round)?;
    }
    let at = |round: &Expr| Expr::var(index.clone()).equals(round.clone());
    let is_named = rounds.iter().map(at).reduce(Expr::or).unwrap_or(Expr::Bool(false));
    let not_named = !is_named.clone();
    let kept = check_entailment(context, &[invariant, &range, &not_named], &other.pre.formula, others)?;
    let paid = check_entailment(context, &[invariant, &range, &is_named], &named.pre.formula, these)?;
    let lemmas = kept.lemmas.union(&paid.lemmas).copied();
    Ok(Judgement {
        context: context.clone(),
        program: vec![statement],
        pre,
        post,
        delta: Expr::int(rounds.len() as i64) * named.delta.clone(),
        axioms: both_axioms(other, named).into_iter().chain(lemmas).chain(["FOR-ONCE"]).collect(),
        work: both_works(both_works(other.work, named.work)?, both_works(kept.work, paid.work)?)?,
    })
}

/// A number that does not change from the first step to the last: made of parameters, of the row that is there in one run
/// only, and of the place of the one entry that differs.
fn check_fixed_by_inputs(body: &Judgement, round: &Expr) -> Result<(), Rejection> {
    let context = &body.context;
    context.check_number(round)?;
    let fixed = |v: &Variable| match v {
        Variable::Plain(name) => context.is_param(name),
        Variable::Row(..) | Variable::Changed(_) => true,
        _ => false,
    };
    match round.find_variable(&|v| !fixed(v)) {
        None => Ok(()),
        Some(v) => Err(Rejection::MayNotMention { variable: v.to_string(), assertion: round.to_string() }),
    }
}
