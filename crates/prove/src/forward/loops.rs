//! Loops that count: what a round adds to what is apart and to what is paid, and the invariant that follows.

use std::collections::BTreeSet;

use probity_kernel::context::for_each_expr;
use probity_kernel::expr::{Expr, Name, Run, Variable};
use probity_kernel::kind::Kind;
use probity_kernel::term::Statement;

use super::scores::before_round;
use super::{Walk, touched};
use crate::algebra::{minus, normal, plus, product};
use crate::derivation::{Link, Move};
use crate::forward::apart::{Apart, Part};
use crate::forward::budget::{Budget, at, moves_on};
use crate::forward::state::{State, add, larger};
use crate::plan::blocks::set_by;
use crate::tables;

/// How often what stays equal is looked for.
const ROUNDS: usize = 6;

impl Walk<'_> {
    /// A loop with an invariant: what is equal, how far apart the rest is and what is paid before each round.
    pub(super) fn for_loop(
        &self,
        (index, from, to, body): (&Name, &Expr, &Expr, &[Statement]),
        carried_on: &BTreeSet<Name>,
        state: &mut State<'_>,
    ) -> Result<Link, String> {
        let here = || format!("for {index} in {from}..{to}");
        let context = self.context;
        let (Some(low), Some(high)) = (state.public(from), state.public(to)) else { return Err(here()) };
        let i = Expr::var(index.clone());
        let set = set_by(body);
        let before = state.clone();
        // What a round does to the variables that it carries on, from a state in which nothing has been paid.
        let mut head = state.clone();
        set.iter().for_each(|name| head.fixed.remove(name).map_or((), drop));
        head.around.extend([low.clone().le(i.clone()), i.clone().lt(high.clone())]);
        head.budget = Budget::new();
        // What is set in every round before it is read, and not read behind the loop, need not be known where a round begins.
        let carries = |name: &&Name| carried_on.contains(*name);
        set.iter().filter(|name| !carries(name)).for_each(|name| head.forget(name));
        let scores = before_round(&before, body, (index, &low));
        head.scores.retain(|name, _| !set.contains(name));
        let mut after = None;
        for _ in 0..ROUNDS {
            let mut round = head.clone();
            for name in set.iter().filter(carries).filter(|name| !head.equal.contains(*name)) {
                let known = before.is_tracked(name) && !head.truths.contains_key(name);
                let numeric =
                    matches!(context.kind(&Expr::of(name.clone(), Run::First)), Kind::Int | Kind::Real);
                round.forget(name);
                if known && numeric {
                    round.apart.insert(name.clone(), Apart::own(name));
                }
            }
            round.scores.extend(scores.clone());
            self.inner(carried_on).block(body, &mut round)?;
            let lost: Vec<Name> = set
                .iter()
                .filter(|name| head.equal.contains(*name) && !round.equal.contains(*name))
                .cloned()
                .collect();
            if lost.is_empty() {
                after = Some(round);
                break;
            }
            lost.iter().for_each(|name| head.forget(name));
        }
        let after = after.ok_or_else(here)?;
        // The state before round i.
        let mut head = State { budget: before.budget.clone(), ..head };
        let one = &after.budget;
        head.budget = before.budget.rounds(context, one, (index, &low)).ok_or_else(here)?;
        let differ: Vec<&Name> =
            set.iter().filter(carries).filter(|name| !head.equal.contains(*name)).collect();
        for name in differ {
            head.forget(name);
            let start = match before.equal.contains(name) {
                true => Some(Apart::base(Expr::int(0))),
                false => before.apart.get(name).cloned(),
            };
            let carried = start.zip(after.apart.get(name)).and_then(|(start, round)| {
                carried(&before, name, &start.most(context), round, (index, &low))
            });
            if let Some(apart) = carried {
                head.apart.insert(name.clone(), apart);
            }
        }
        head.scores.extend(scores);
        let names: Vec<Name> = touched(body, &[]).into_iter().filter(|name| name != index).collect();
        let mut invariant = head.about(&names);
        invariant.extend(head.paid());
        let mut known = invariant.clone();
        known.extend(head.around.iter().cloned());
        // What holds around this loop holds in it.
        invariant.extend(before.around.iter().cloned());
        let mut round = head.clone();
        let links = self.inner(carried_on).block(body, &mut round)?;
        // The state after the last round.
        let place = |e: &Expr| normal(context, &at(e, index, &high));
        *state = State { around: before.around.clone(), ..head.clone() };
        state.budget = head.budget.at(context, index, &high);
        // Behind a loop over all groups, a row has paid for its group whichever it was. To keep saying which would double the cases of
        // every later step.
        if before.around.is_empty() {
            state.budget.collapse_where(context, &|event| self.is_paid_from_the_first(event));
        }
        state.apart = head.apart.iter().map(|(name, apart)| (name.clone(), apart.at(&place))).collect();
        for (_, length) in state.scores.values_mut() {
            *length = place(length);
        }
        let used: BTreeSet<Name> = set.into_iter().collect();
        let mut left = state.about(&used.into_iter().collect::<Vec<_>>());
        left.extend(state.paid());
        let inner = if body.is_empty() { vec![] } else { vec![Move::Chain(known, links)] };
        Ok(Link::Judged(vec![Move::For(Expr::all(invariant), inner)], left))
    }
}

impl Walk<'_> {
    /// Whether all sums over the groups of an event are in loops that begin with the first group: then none goes on where another ends.
    fn is_paid_from_the_first(&self, event: &Expr) -> bool {
        let over = |sum: &tables::Sum| {
            tables::group(self.context, sum).is_some_and(|(events, _)| events.contains(event))
        };
        let pays = |statement: &&Statement| {
            let mut found = false;
            for_each_expr(std::slice::from_ref(*statement), &mut |e| {
                found |= tables::sums(e).iter().any(over)
            });
            found
        };
        let begins =
            |statement: &Statement| matches!(statement, Statement::For { from, .. } if *from == Expr::int(0));
        let mut paying = self.context.mechanism().body.iter().filter(pays).peekable();
        match paying.peek() {
            Some(_) => paying.all(begins),
            // A cell of several groups, or a window: no loop goes on with it where another ends.
            None => matches!(event, Expr::Binary(..)),
        }
    }
}

/// How far apart a variable is before round `index`, from how far it was at the start and what a round does.
fn carried(
    state: &State<'_>,
    name: &Name,
    start: &Expr,
    round: &Apart,
    (index, from): (&Name, &Expr),
) -> Option<Apart> {
    let context = state.context;
    let i = Expr::var(index.clone());
    let mentions = |e: &Expr| e.mentions(&Variable::Plain(index.clone()));
    let mut parts = Vec::new();
    let mut each = round.base.clone();
    for part in &round.parts {
        // A place that moves on with the index comes once.
        let (low, upto) = part.span(context);
        let next = at(&low, index, &plus(i.clone(), Expr::int(1)));
        let fixed = part
            .value
            .as_ref()
            .is_none_or(|(_, place, upto)| !mentions(place) && !upto.as_ref().is_some_and(mentions));
        if moves_on(context, &next, &upto) && !mentions(&part.amount) && fixed {
            let start = normal(context, &at(&low, index, from));
            parts.push(Part { past: Some(start), at: low, ..part.clone() });
        } else {
            each = add(context, &each, &part.amount);
        }
    }
    if mentions(&each) {
        return None;
    }
    let base = match round.own.as_slice() {
        // Set afresh in every round.
        [] => larger(context, start, &plus_all(state, &each, &parts)),
        [own] if own == name && round.largest => larger(context, start, &each),
        [own] if own == name => {
            let done = minus(i, from.clone());
            add(context, start, &normal(context, &product(done, each)))
        }
        _ => return None,
    };
    if round.own.is_empty() {
        parts.clear();
    }
    Some(Apart { own: vec![], largest: false, base, parts })
}

fn plus_all(state: &State<'_>, base: &Expr, parts: &[Part]) -> Expr {
    parts.iter().fold(base.clone(), |sum, part| normal(state.context, &plus(sum, part.amount.clone())))
}

impl Apart {
    /// The same at another place.
    fn at(&self, place: &dyn Fn(&Expr) -> Expr) -> Apart {
        let parts = self.parts.iter().map(|p| Part { at: place(&p.at), ..p.clone() }).collect();
        Apart { base: place(&self.base), parts, ..self.clone() }
    }
}
