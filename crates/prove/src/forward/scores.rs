//! Choices by scores: how far apart the entries of a list may be that a loop fills, and what choosing from it costs.
//!
//! A list begins empty, and what is said of it then has to hold of all that is appended. So a text is walked twice: the first time
//! to see how far apart the scores are.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use probity_kernel::concentrated::Measure;
use probity_kernel::context::Context;
use probity_kernel::expr::{Expr, Name, Variable};
use probity_kernel::term::{Coupling, Distribution, Statement};

use super::{Walk, for_each_law};
use crate::algebra::{divided, minus, normal, over, plus, product};
use crate::derivation::{Link, Move};
use crate::forward::apart::Apart;
use crate::forward::state::{State, add, larger};

/// The lists from which a text chooses, with how far apart their entries were seen to be.
pub(super) struct Scores {
    lists: BTreeSet<Name>,
    seen: RefCell<BTreeMap<Name, Expr>>,
    /// Whether all that was seen is said where a list begins.
    begun: Cell<bool>,
}

impl Scores {
    pub(super) fn of(context: &Context) -> Rc<Scores> {
        let mut lists = BTreeSet::new();
        for_each_law(&context.mechanism().body, &mut |law| {
            if let Distribution::Choose { scores: Expr::Var(Variable::Plain(list)), .. }
            | Distribution::PermuteAndFlip { scores: Expr::Var(Variable::Plain(list)), .. } = law
            {
                lists.insert(list.clone());
            }
        });
        lists.retain(|list| !context.mechanism().inputs.iter().any(|input| input.name == *list));
        Rc::new(Scores { lists, seen: RefCell::default(), begun: Cell::new(false) })
    }

    /// Whether there is something to say on a second walk.
    pub(super) fn begin(&self) -> bool {
        self.begun.set(true);
        !self.seen.borrow().is_empty()
    }

    fn see(&self, context: &Context, list: &Name, apart: &Expr) {
        let mut seen = self.seen.borrow_mut();
        let most = match seen.get(list) {
            Some(known) => larger(context, known, apart),
            None => apart.clone(),
        };
        seen.insert(list.clone(), most);
    }
}

impl Walk<'_> {
    /// A list of scores that begins, or gets one more.
    pub(super) fn scored(&self, statement: &Statement, state: &mut State<'_>) -> Option<Link> {
        let context = self.context;
        let list = match statement {
            Statement::Assign { var, value } if *value == Expr::EmptyList && self.scores.begun.get() => {
                let apart = self.scores.seen.borrow().get(var).cloned()?;
                state.forget(var);
                state.equal.insert(var.clone());
                state.scores.insert(var.clone(), (apart, Expr::int(0)));
                var
            }
            Statement::Append { list, value } if self.scores.lists.contains(list) => {
                let same = state.reads_equal(value);
                let apart =
                    if same { Apart::base(Expr::int(0)) } else { Apart::of(state, value, self.taste)? };
                if !same || !state.equal.contains(list) {
                    self.scores.see(context, list, &apart.most(context));
                }
                let (apart, length) = state.scores.get(list)?.clone();
                let equal = state.equal.contains(list) && same;
                state.forget(list);
                if equal {
                    state.equal.insert(list.clone());
                }
                state.scores.insert(list.clone(), (apart, add(context, &length, &Expr::int(1))));
                list
            }
            _ => return None,
        };
        let mut after = state.about(std::slice::from_ref(list));
        after.extend(state.paid());
        Some(Link::Judged(vec![Move::Plain], after))
    }

    /// The coupling by which the same place is chosen in both runs, paid for.
    pub(super) fn same_choice(&self, list: &Name, scale: &Expr, state: &mut State<'_>) -> Option<Coupling> {
        let context = self.context;
        let scale = state.public(scale)?;
        let high = match state.scores.get(list) {
            Some((apart, _)) => apart.clone(),
            None if !self.scores.begun.get() => self.scores.seen.borrow().get(list)?.clone(),
            None => return None,
        };
        let low = minus(Expr::int(0), high.clone());
        let width = normal(context, &product(Expr::int(2), high.clone()));
        let cost = match context.measure() {
            Measure::Pure => state.price(&width, &scale),
            Measure::Concentrated => {
                let ratio = over(width, &scale);
                normal(context, &divided(product(ratio.clone(), ratio), &Expr::int(8)))
            }
        };
        state.pay(&Apart::base(cost.clone()));
        Some(Coupling::Chosen { low, high, cost })
    }
}

/// The lists of scores before a round of a loop that makes each longer by one, and does not begin them again.
pub(super) fn before_round(
    before: &State<'_>,
    body: &[Statement],
    (index, low): (&Name, &Expr),
) -> BTreeMap<Name, (Expr, Expr)> {
    let done = minus(Expr::var(index.clone()), low.clone());
    let grows = |list: &Name| {
        let appends = |s: &&Statement| matches!(s, Statement::Append { list: to, .. } if to == list);
        body.iter().filter(appends).count() == 1 && !begins(body, list)
    };
    let kept = before.scores.iter().filter(|(list, _)| grows(list));
    kept.map(|(list, (apart, length))| {
        let length = normal(before.context, &plus(length.clone(), done.clone()));
        (list.clone(), (apart.clone(), length))
    })
    .collect()
}

/// Whether a block sets a list, or appends to it in some branch or loop of its own.
fn begins(body: &[Statement], list: &Name) -> bool {
    let sets = |inner: &[Statement]| crate::plan::blocks::set_by(inner).contains(list);
    body.iter().any(|statement| match statement {
        Statement::Assign { var, .. } => var == list,
        Statement::If { then, otherwise, .. } => sets(then) || sets(otherwise),
        Statement::For { body, .. } | Statement::While { body, .. } => sets(body),
        _ => false,
    })
}
