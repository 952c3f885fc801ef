//! REDRAW: a loop that draws until what was drawn is accepted.
//!
//! Round by round such a loop would cost without end. But its rounds are alike and independent: what is accepted has the law of one round,
//! given that it is accepted. So it costs what a round costs where it is accepted, and once more what tells the two runs' chances of being
//! accepted apart, for which the same round is judged with the runs exchanged. `docs/logic.md` section 4 has the proof.

use std::collections::BTreeSet;

use crate::chain::conjuncts;
use crate::concentrated::check_pure;
use crate::context::{Context, swap_runs};
use crate::entail::{Evidence, check_entailment};
use crate::expr::{Expr, Name, Run, Variable};
use crate::kind::Kind;
use crate::law;
use crate::rejection::Rejection;
use crate::rules::{
    Assertion, Judgement, both_axioms, both_works, branches, check_size, collect_changed, set_in_run, wrong,
};
use crate::term::{Distribution, Statement};

/// Which rounds there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounds {
    /// `while g { c }` where g holds before.
    Loop,
    /// `c; while g { c }`.
    AndOneBefore,
}

/// What the judgement of a round must end with: where the first run's round is accepted, the second's is, Ψ holds, and at most this was paid.
pub fn accepted(context: &Context, guard: &Expr, post: &Expr, amount: &Expr) -> Expr {
    let (first, second) = (context.in_run(guard, Run::First), context.in_run(guard, Run::Second));
    first.or((!second).and(post.clone()).and(Expr::cost().le(amount.clone())))
}

/// That a round which is not accepted leaves everything as it was, but for what every round sets before it reads it; in both runs, whatever
/// is drawn. True of a round that sets nothing else.
pub fn leaves_no_trace(context: &Context, guard: &Expr, round: &[Statement]) -> Result<Expr, Rejection> {
    let mut set = BTreeSet::new();
    collect_changed(round, &mut set);
    let (mut fresh, mut kept) = (BTreeSet::new(), BTreeSet::new());
    follow(context, round, &mut fresh, &mut |name| {
        if set.contains(name) {
            kept.insert(name.clone());
        }
    })?;
    kept.extend(set.difference(&fresh).cloned());
    let in_one = |run: Run| {
        let before = |name: &Name| Variable::Arbitrary(name.clone(), 0);
        let same = |name: &Name| Expr::of(name.clone(), run).equals(Expr::Var(before(name)));
        let goal = context.in_run(guard, run).implies(Expr::all(kept.iter().map(same).collect::<Vec<_>>()));
        let mut drawn = 0;
        let formula = after_round(context, round, goal, run, &mut drawn)?;
        Ok::<Expr, Rejection>(formula.replace(&|v| match v {
            Variable::Arbitrary(name, 0) => Some(Expr::of(name.clone(), run)),
            _ => None,
        }))
    };
    match kept.is_empty() {
        true => Ok(Expr::Bool(true)),
        false => Ok(in_one(Run::First)?.and(in_one(Run::Second)?)),
    }
}

/// Follows which variables a round has surely set, and shows what it reads before that. Rounds are made of draws, assignments and
/// conditionals: they end.
fn follow(
    context: &Context,
    round: &[Statement],
    fresh: &mut BTreeSet<Name>,
    read: &mut dyn FnMut(&Name),
) -> Result<(), Rejection> {
    for statement in round {
        let mut see = |e: &Expr| {
            e.for_each_variable(&mut |v| match v {
                Variable::Plain(name) if !fresh.contains(name) => read(name),
                _ => {}
            })
        };
        match statement {
            // A call may have no value.
            Statement::Draw { law: Distribution::Called(_), .. } => return Err(wrong("REDRAW", statement)),
            Statement::Draw { var, law } => {
                law::parameters(law).into_iter().for_each(&mut see);
                fresh.insert(var.clone());
            }
            Statement::Assign { var, value } if context.kind(value) != Kind::List => {
                see(value);
                fresh.insert(var.clone());
            }
            Statement::If { guard, then, otherwise } => {
                see(guard);
                let mut other = fresh.clone();
                follow(context, then, fresh, read)?;
                follow(context, otherwise, &mut other, read)?;
                fresh.retain(|name| other.contains(name));
            }
            other => return Err(wrong("REDRAW", other)),
        }
    }
    Ok(())
}

/// What must hold before a round in one run, whatever it draws.
fn after_round(
    context: &Context,
    round: &[Statement],
    post: Expr,
    run: Run,
    drawn: &mut u32,
) -> Result<Expr, Rejection> {
    round.iter().rev().try_fold(post, |post, statement| {
        let formula = match statement {
            Statement::Draw { var, .. } => {
                *drawn += 1;
                set_in_run(&post, var, run, &Expr::Var(Variable::Arbitrary(var.clone(), *drawn)))
            }
            Statement::Assign { var, value } => set_in_run(&post, var, run, &context.in_run(value, run)),
            Statement::If { guard, then, otherwise } => branches(
                context.in_run(guard, run),
                after_round(context, then, post.clone(), run, drawn)?,
                after_round(context, otherwise, post, run, drawn)?,
            ),
            other => return Err(wrong("REDRAW", other)),
        };
        check_size(&formula).map(|()| formula)
    })
}

/// ```text
/// ⊢ c : Φ and cost == 0 ⇒ (not g ⇒ not g' and Ψ and cost ≤ a)
/// ⊢ c : Θ and cost == 0 ⇒ (not g ⇒ not g' and cost ≤ b)                    with the runs exchanged
/// [g and g' ⊨] a round after which g holds leaves no trace
/// ─────────────────────────────────────────────────────────────────────────────────────────────── REDRAW
/// ⊢ [c;] while g { c } : Φ and Θ° [and g and g'] and cost ≤ k ⇒ not g and not g' and Ψ and cost ≤ k + (a + b°)
/// ```
/// Θ° and b° are Θ and b with the runs exchanged. Φ, Θ, Ψ, a, b and k speak neither of the cost nor of a result, and c leaves a, b and k
/// alone. What is in brackets is the one or the other of [`Rounds`].
pub fn redraw(
    (label, guard, rounds): (&Name, &Expr, Rounds),
    (round, back): (&Judgement, &Judgement),
    post: &Expr,
    (amount, back_amount, paid): (&Expr, &Expr, &Expr),
    no_trace: &Evidence,
) -> Result<Judgement, Rejection> {
    let context = &round.context;
    check_pure(context, "REDRAW")?;
    let (here, there) = (context, &back.context);
    if here.mechanism() != there.mechanism()
        || here.measure() != there.measure()
        || here.orientation() == there.orientation()
    {
        return Err(Rejection::ContextDiffers);
    }
    if round.program != back.program {
        return Err(Rejection::ProgramDiffers { left: round.shown(), right: back.shown() });
    }
    let zero = Expr::int(0);
    if round.delta != zero || back.delta != zero {
        return Err(Rejection::ClaimNotCovered {
            reason: "a round that is drawn again may not give up mass",
        });
    }
    let back_goal = accepted(there, guard, &Expr::Bool(true), back_amount);
    for (judgement, needed) in [(round, accepted(here, guard, post, amount)), (back, back_goal)] {
        if judgement.post != Assertion::new(&judgement.context, needed.clone())? {
            return Err(Rejection::WrongGoal {
                found: judgement.post.formula.to_string(),
                needed: needed.to_string(),
            });
        }
    }
    let mut set = BTreeSet::new();
    collect_changed(&round.program, &mut set);
    let back_amount = exchanged(back_amount)?;
    for e in [amount, &back_amount, paid] {
        check_without(e, &|v| match v {
            Variable::Of(name, _) | Variable::Plain(name) => set.contains(name),
            _ => false,
        })?;
    }
    check_without(post, &|_| false)?;
    let (yes, other) = (here.in_run(guard, Run::First), here.in_run(guard, Run::Second));
    let mut parts = known(round)?;
    for part in known(back)? {
        parts.push(exchanged(&part)?);
    }
    let enters = match rounds {
        Rounds::Loop => yes.clone().and(other.clone()),
        Rounds::AndOneBefore => Expr::Bool(true),
    };
    let trace = leaves_no_trace(here, guard, &round.program)?;
    let checked = check_entailment(here, &[&enters], &trace, no_trace)?;
    parts.push(Expr::cost().le(paid.clone()));
    let again = Statement::While { label: label.clone(), guard: guard.clone(), body: round.program.clone() };
    let program = match rounds {
        Rounds::Loop => vec![again],
        Rounds::AndOneBefore => round.program.iter().cloned().chain([again]).collect(),
    };
    if rounds == Rounds::Loop {
        parts.push(enters);
    }
    let total = paid.clone() + (amount.clone() + back_amount);
    let after = (!yes).and(!other).and(post.clone()).and(Expr::cost().le(total));
    Ok(Judgement {
        context: context.clone(),
        program,
        pre: Assertion::new(context, Expr::all(parts))?,
        post: Assertion::new(context, after)?,
        delta: zero,
        axioms: both_axioms(round, back).into_iter().chain(checked.lemmas).chain(["REDRAW"]).collect(),
        work: both_works(both_works(round.work, back.work)?, checked.work)?,
    })
}

/// What holds before a round that is judged from no cost on.
fn known(judgement: &Judgement) -> Result<Vec<Expr>, Rejection> {
    let nothing_paid = Expr::cost().equals(Expr::int(0));
    let parts = conjuncts(&judgement.pre.formula).into_iter().filter(|part| **part != nothing_paid);
    parts.map(|part| check_without(part, &|_| false).map(|()| part.clone())).collect()
}

/// An expression mentions neither the cost nor a result, nor anything else that is named.
fn check_without(e: &Expr, more: &dyn Fn(&Variable) -> bool) -> Result<(), Rejection> {
    match e.find_variable(&|v| matches!(v, Variable::Cost | Variable::Result) || more(v)) {
        None => Ok(()),
        Some(v) => Err(Rejection::MayNotMention { variable: v.to_string(), assertion: e.to_string() }),
    }
}

/// An expression with the runs exchanged. What says how far apart two lists are would have to turn its bounds round, and is refused.
fn exchanged(e: &Expr) -> Result<Expr, Rejection> {
    match apart(e) {
        None => Ok(swap_runs(e)),
        Some(list) => Err(Rejection::MayNotMention { variable: list.to_string(), assertion: e.to_string() }),
    }
}

fn apart(e: &Expr) -> Option<&Name> {
    match e {
        Expr::Apart(list, ..) => Some(list),
        _ => e.parts().into_iter().flatten().find_map(apart),
    }
}
