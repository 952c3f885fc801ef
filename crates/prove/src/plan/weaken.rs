//! Weakens guessed invariants: what held in every rehearsal need not carry over from one iteration to the next. The
//! parts that do not are dropped, until those that are left keep each other up.

use std::sync::Arc;

use probity_kernel::context::Context;
use probity_kernel::expr::{Binary, Expr, Variable};
use probity_kernel::term::{Hints, Statement};

use crate::derivation::{Justify, Move, keeps};

/// How often the parts are gone through.
const ROUNDS: usize = 4;

/// The moves with weaker invariants, except where a hint gives the invariant.
pub(crate) fn weaken(
    context: &Arc<Context>,
    body: &[Statement],
    moves: &[Move],
    hints: &Hints,
    justify: &mut dyn Justify,
) -> Vec<Move> {
    let mut rest = body;
    let mut weaker = Vec::new();
    for step in moves {
        let (now, later) = rest.split_at(step.size().min(rest.len()));
        rest = later;
        let name = match now.first() {
            Some(Statement::For { index: name, .. } | Statement::While { label: name, .. }) => Some(name),
            _ => None,
        };
        let hinted = name.is_some_and(|name| hints.invariants.iter().any(|(known, _)| known == name));
        weaker.push(match (step, now.first()) {
            (Move::If(yes, no), Some(Statement::If { then, otherwise, .. })) => Move::If(
                weaken(context, then, yes, hints, justify),
                weaken(context, otherwise, no, hints, justify),
            ),
            (Move::For(invariant, inner), Some(statement @ Statement::For { body, .. })) if !hinted => {
                let inner = weaken(context, body, inner, hints, justify);
                let with = |invariant| Move::For(invariant, inner.clone());
                with(kept_parts(context, statement, invariant, &with, justify))
            }
            (Move::ForOnce(invariant, rounds, inner), Some(statement @ Statement::For { body, .. }))
                if !hinted =>
            {
                let inner = weaken(context, body, inner, hints, justify);
                let with = |invariant| Move::ForOnce(invariant, rounds.clone(), inner.clone());
                with(kept_parts(context, statement, invariant, &with, justify))
            }
            (Move::While(invariant, inner), Some(statement @ Statement::While { body, .. })) if !hinted => {
                let inner = weaken(context, body, inner, hints, justify);
                let with = |invariant| Move::While(invariant, inner.clone());
                with(kept_parts(context, statement, invariant, &with, justify))
            }
            _ => step.clone(),
        });
    }
    weaker
}

/// The parts of an invariant that an iteration keeps.
fn kept_parts(
    context: &Arc<Context>,
    statement: &Statement,
    invariant: &Expr,
    with: &dyn Fn(Expr) -> Move,
    justify: &mut dyn Justify,
) -> Expr {
    let mut parts = Vec::new();
    conjuncts(invariant, &mut parts);
    for _ in 0..ROUNDS {
        let step = with(Expr::all(parts.iter().cloned()));
        // If the side conditions of the body do not hold, dropping parts cannot help.
        if !keeps(context, statement, &step, &Expr::Bool(true), justify) {
            break;
        }
        // Nor if what was paid is more than they say: no other part says anything of that.
        let paid = |part: &&Expr| part.mentions(&Variable::Cost);
        if !parts.iter().filter(paid).all(|part| keeps(context, statement, &step, part, justify)) {
            return invariant.clone();
        }
        let before = parts.len();
        parts.retain(|part| paid(&part) || keeps(context, statement, &step, part, justify));
        if parts.len() == before {
            break;
        }
    }
    Expr::all(parts)
}

fn conjuncts(e: &Expr, parts: &mut Vec<Expr>) {
    match e {
        Expr::Binary(Binary::And, a, b) => {
            conjuncts(a, parts);
            conjuncts(b, parts);
        }
        _ => parts.push(e.clone()),
    }
}
