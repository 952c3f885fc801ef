//! Loops that draw until a round is accepted: a round is followed once, from what is known before the loop, and paid for twice.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use probity_kernel::concentrated::Measure;
use probity_kernel::context::Context;
use probity_kernel::expr::{Binary, Expr, Name, Run, Variable};
use probity_kernel::term::{Coupling, Distribution, Statement};

use super::{Walk, has_draws, live, touched};
use crate::derivation::{Link, Move, Redraw};
use crate::forward::apart::Apart;
use crate::forward::budget::Budget;
use crate::forward::state::{State, same};
use crate::plan::blocks::set_by;

/// How a round of each loop is proved with the runs exchanged, and what it then costs.
pub(super) type Backs = Rc<RefCell<BTreeMap<Name, (Vec<Move>, Expr)>>>;

/// Whether a program draws in a loop that may come round for ever.
pub(super) fn may_redraw(context: &Context, body: &[Statement]) -> bool {
    context.measure() == Measure::Pure
        && body.iter().any(|statement| match statement {
            Statement::While { .. } => has_draws(statement),
            Statement::If { then, otherwise, .. } => {
                may_redraw(context, then) || may_redraw(context, otherwise)
            }
            Statement::For { body, .. } => may_redraw(context, body),
            _ => false,
        })
}

/// A loop that is drawn again, with what stands before it: a round of its own, or what sets the variables that it looks at.
struct Found<'p> {
    lead: &'p [Statement],
    again: &'p Statement,
    label: &'p Name,
    guard: &'p Expr,
    once: &'p [Statement],
    once_before: bool,
}

fn find(body: &[Statement]) -> Option<Found<'_>> {
    let at = body.iter().position(|s| matches!(s, Statement::While { .. }))?;
    let (lead, again) = (&body[..at], &body[at]);
    let Statement::While { label, guard, body: once } = again else { return None };
    if !has_draws(again) {
        return None;
    }
    if lead == once.as_slice() {
        return Some(Found { lead: &[], again, label, guard, once, once_before: true });
    }
    let mut looked_at: BTreeSet<Name> = set_by(once).into_iter().collect();
    live::read(guard, &mut looked_at);
    let sets = |s: &Statement| matches!(s, Statement::Assign { var, value } if looked_at.contains(var) && *value != Expr::EmptyList);
    lead.iter().all(sets).then_some(Found { lead, again, label, guard, once, once_before: false })
}

impl Walk<'_> {
    /// The link of such a loop, and how many statements it is about.
    pub(super) fn redraw(&self, body: &[Statement], state: &mut State<'_>) -> Option<(usize, Link)> {
        let context = self.context;
        let Found { lead, again, label, guard, once, once_before } = find(body)?;
        let size = lead.len() + if once_before { once.len() } else { 0 } + 1;
        let later = live::before(&body[size..], &self.after);
        let mut start = state.clone();
        for statement in lead {
            let Statement::Assign { var, value } = statement else { return None };
            let equal = start.reads_equal(value);
            start.forget(var);
            if equal {
                start.equal.insert(var.clone());
            }
        }
        let mut round = start.clone();
        round.budget = Budget::of_part();
        let names = touched(once, &[guard]);
        let mut known = start.about(&names);
        known.extend(start.around.iter().cloned());
        let first: Vec<Expr> = known.iter().cloned().chain(round.paid()).collect();
        let walk = Walk { in_round: true, ..self.inner(&live::at_head(again, &later)) };
        let links = walk.block(once, &mut round).ok()?;
        let amount = round.budget.formula(context);
        // What costs nothing is a loop like others.
        if !round.reads_equal(guard) || amount == Expr::int(0) {
            return None;
        }
        let moves = vec![Move::Chain(first, links)];
        if self.scout {
            self.backs.borrow_mut().insert(label.clone(), (moves.clone(), amount.clone()));
        }
        let (back, back_amount) = self.backs.borrow().get(label)?.clone();
        let set: BTreeSet<Name> = set_by(once).into_iter().collect();
        let equal: Vec<&Name> = set.iter().filter(|name| round.equal.contains(*name)).collect();
        let plan = Redraw {
            once_before,
            known,
            round: moves,
            back,
            post: Expr::all(equal.iter().map(|name| same(name)).collect::<Vec<_>>()),
            amounts: (amount, back_amount),
            paid: state.budget.formula(context),
        };
        *state = start;
        set.iter().for_each(|name| state.forget(name));
        equal.into_iter().for_each(|name| {
            state.equal.insert(name.clone());
        });
        state.budget.add_twice(context, &round.budget);
        let all: BTreeSet<Name> = set.into_iter().chain(set_by(lead)).collect();
        let mut after = state.about(&all.into_iter().collect::<Vec<_>>());
        after.extend(state.paid());
        after.push(!context.in_run(guard, Run::First));
        let moves = vec![Move::Plain; lead.len()].into_iter().chain([Move::Redraw(Box::new(plan))]);
        Some((size, Link::Judged(moves.collect(), after)))
    }

    /// In a round, noise that is added to a value in the next statement and not read again: it moves so that the sum is the same.
    pub(super) fn noise_added(&self, body: &[Statement], state: &mut State<'_>) -> Option<(usize, Link)> {
        let context = self.context;
        let [Statement::Draw { var: z, law }, Statement::Assign { var: y, value }, rest @ ..] = body else {
            return None;
        };
        let (Distribution::Laplace { center, scale } | Distribution::DiscreteLaplace { center, scale }) = law
        else {
            return None;
        };
        let noise = Expr::var(z.clone());
        let Expr::Binary(Binary::Add, a, b) = value else { return None };
        let other = match (**a == noise, **b == noise) {
            (true, false) => b,
            (false, true) => a,
            _ => return None,
        };
        let read = |e: &Expr| e.mentions(&Variable::Plain(z.clone()));
        if !self.in_round
            || read(other)
            || state.reads_equal(other)
            || !state.reads_equal(center)
            || live::before(rest, &self.after).contains(z)
        {
            return None;
        }
        let scale = state.public(scale)?;
        let apart = Apart::of(state, other, self.taste)?;
        let cost = apart.map(&|amount| Some(state.price(amount, &scale)))?;
        state.pay(&cost);
        let by = context.in_run(other, Run::First) - context.in_run(other, Run::Second);
        state.forget(z);
        state.forget(y);
        state.equal.insert(y.clone());
        let after: Vec<Expr> = state.about(std::slice::from_ref(y)).into_iter().chain(state.paid()).collect();
        let draw = Move::Draw(Coupling::Shift { by, cost: cost.formula() });
        Some((2, Link::Judged(vec![draw, Move::Plain], after)))
    }
}
