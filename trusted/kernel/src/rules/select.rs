//! SELECT and CASES: a part of a program that chooses or decides, proved for each answer by itself, as one step of a proof.
//!
//! Noisy maximum and sparse vector are proved for each of their answers by itself, with a coupling that depends on the
//! answer. What follows for a whole mechanism (PW-EQ) follows for a part of one: the choice is the same in both runs, at
//! the cost that every answer has, and nothing is known of what else was set on the way. For a yes or no, CASES keeps all that
//! is known. `docs/logic.md` section 4 has the proofs.

pub mod foresee;
pub mod redraw;
pub mod split;

use std::collections::BTreeSet;

use crate::chain::conjuncts;
use crate::concentrated::check_pure;
use crate::context::Context;
use crate::expr::{Expr, Name, Run, Variable};
use crate::kind::Kind;
use crate::rejection::Rejection;
use crate::rules::{
    Assertion, Judgement, both_axioms, both_deltas, both_works, check_size, collect_changed, same_context,
};

/// What a judgement must end with to be made a step: if y is the result, y' is, and at most this was paid.
pub fn point(var: &Name, amount: &Expr) -> Expr {
    let result = || Expr::Var(Variable::Result);
    let (first, second) = (Expr::of(var.clone(), Run::First), Expr::of(var.clone(), Run::Second));
    first.equals(result()).implies(second.equals(result()).and(Expr::cost().le(amount.clone())))
}

/// ```text
/// ⊢ c : Φ and cost == 0 ⇒ (y == result ⇒ y' == result and cost ≤ a)
/// ─────────────────────────────────────────────────────────────────── SELECT   y an integer or boolean; Φ speaks of no cost and
/// ⊢ c : Φ and cost ≤ k ⇒ y == y' and cost ≤ k + a                              no result, nor do a and k, which c leaves alone
/// ```
pub fn select(judgement: &Judgement, var: &Name, amount: &Expr, paid: &Expr) -> Result<Judgement, Rejection> {
    let context = &judgement.context;
    check_pure(context, "SELECT")?;
    if judgement.delta != Expr::int(0) {
        return Err(Rejection::ClaimNotCovered {
            reason: "a step that is proved point by point may not give up mass, which it would once for every point",
        });
    }
    let y = Expr::of(var.clone(), Run::First);
    if !matches!(context.kind(&y), Kind::Int | Kind::Bool) {
        return Err(Rejection::NotCountable { output: var.to_string() });
    }
    let needed = point(var, amount);
    if judgement.post != Assertion::new(context, needed.clone())? {
        return Err(Rejection::WrongGoal {
            found: judgement.post.formula.to_string(),
            needed: needed.to_string(),
        });
    }
    let mut set = BTreeSet::new();
    collect_changed(&judgement.program, &mut set);
    let moves = |v: &Variable| match v {
        Variable::Cost | Variable::Result => true,
        Variable::Of(name, _) | Variable::Plain(name) => set.contains(name),
        _ => false,
    };
    for e in [amount, paid] {
        if let Some(v) = e.find_variable(&moves) {
            return Err(Rejection::MayNotMention { variable: v.to_string(), assertion: e.to_string() });
        }
    }
    let nothing_paid = Expr::cost().equals(Expr::int(0));
    let mut parts: Vec<Expr> = Vec::new();
    for part in conjuncts(&judgement.pre.formula).into_iter().filter(|part| **part != nothing_paid) {
        if let Some(v) = part.find_variable(&|v| matches!(v, Variable::Cost | Variable::Result)) {
            return Err(Rejection::MayNotMention { variable: v.to_string(), assertion: part.to_string() });
        }
        parts.push(part.clone());
    }
    parts.push(Expr::cost().le(paid.clone()));
    let same = y.equals(Expr::of(var.clone(), Run::Second));
    let after = same.and(Expr::cost().le(paid.clone() + amount.clone()));
    let axioms = judgement.axioms.iter().copied().chain(["PW-EQ"]).collect();
    Ok(Judgement {
        pre: Assertion::new(context, Expr::all(parts))?,
        post: Assertion::new(context, after)?,
        axioms,
        ..judgement.clone()
    })
}

/// What a judgement must end with for CASES: where the first run's answer to g is yes (or no), the second run's is, and Ψ holds. g is a
/// question about the variables of one run.
pub fn case(context: &Context, guard: &Expr, holds: bool, post: &Assertion) -> Result<Assertion, Rejection> {
    if let Some(v) = guard.find_variable(&|v| !matches!(v, Variable::Plain(_))) {
        return Err(Rejection::MayNotMention { variable: v.to_string(), assertion: guard.to_string() });
    }
    let (yes, other) = (context.in_run(guard, Run::First), context.in_run(guard, Run::Second));
    context.check_formula(&yes)?;
    let (first, second) = if holds { (yes, other) } else { (!yes, !other) };
    let formula = first.implies(second.and(post.formula.clone()));
    check_size(&formula)?;
    Ok(post.map(formula))
}

/// ```text
/// ⊢ c : Φ ⇒ (g ⇒ g' and Ψ)    ⊢ c : Θ ⇒ (not g ⇒ not g' and Ψ)
/// ────────────────────────────────────────────────────────────── CASES   g speaks of the variables of one run
/// ⊢ c : Φ and Θ ⇒ Ψ
/// ```
/// The two judgements may couple the draws of c in different ways. What they give up adds up.
pub fn cases(
    guard: &Expr,
    yes: &Judgement,
    no: &Judgement,
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    let context = &yes.context;
    check_pure(context, "CASES")?;
    same_context(yes, no)?;
    if yes.program != no.program {
        return Err(Rejection::ProgramDiffers { left: yes.shown(), right: no.shown() });
    }
    for (judgement, holds) in [(yes, true), (no, false)] {
        let needed = case(context, guard, holds, post)?;
        if judgement.post != needed {
            return Err(Rejection::WrongGoal {
                found: judgement.post.formula.to_string(),
                needed: needed.formula.to_string(),
            });
        }
    }
    // One quantifier for both: (∀y.A) ∧ (∀y.B) is ∀y.(A ∧ B).
    let pre = Assertion {
        arbitrary: yes.pre.arbitrary.union(&no.pre.arbitrary).cloned().collect(),
        formula: yes.pre.formula.clone().and(no.pre.formula.clone()),
    };
    check_size(&pre.formula)?;
    let axioms = both_axioms(yes, no).into_iter().chain(["CASES"]).collect();
    let (delta, work) = (both_deltas(yes, no), both_works(yes.work, no.work)?);
    Ok(Judgement { pre, post: post.clone(), delta, axioms, work, ..yes.clone() })
}
