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
use crate::forward::state::{State, Taste, add};

/// The lists from which a text chooses, with how far apart their entries were seen to be.
pub(super) struct Scores {
    lists: BTreeSet<Name>,
    seen: RefCell<BTreeMap<Name, Apart>>,
    /// The loops around the place where a list begins.
    around: RefCell<BTreeMap<Name, usize>>,
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
        let (seen, around) = (RefCell::default(), RefCell::default());
        Rc::new(Scores { lists, seen, around, begun: Cell::new(false) })
    }

    /// Whether there is something to say on a second walk.
    pub(super) fn begin(&self) -> bool {
        self.begun.set(true);
        !self.seen.borrow().is_empty()
    }

    fn see(&self, context: &Context, list: &Name, apart: Apart) {
        let mut seen = self.seen.borrow_mut();
        let most = match seen.get(list) {
            Some(known) => known.join(&apart, context),
            None => apart,
        };
        seen.insert(list.clone(), most);
    }

    /// How far apart a score is, in terms of what stands where its list begins.
    fn apart(&self, list: &Name, value: &Expr, state: &State<'_>, taste: Taste) -> Option<Apart> {
        let depth = self.around.borrow().get(list).copied().unwrap_or(0);
        let inner: Vec<Name> = state.loops().into_iter().skip(depth).map(|(index, ..)| index).collect();
        let mut outside = state.clone();
        outside.around.truncate(2 * depth);
        let apart = Apart::of(&outside, value, taste).filter(|apart| {
            let moves = |e: &Expr| inner.iter().any(|index| e.mentions(&Variable::Plain(index.clone())));
            apart.own.is_empty() && !apart.largest && !moves(&apart.formula())
        });
        let whole = || Some(Apart::base(Apart::of(state, value, taste)?.most(state.context)));
        apart.filter(|apart| depth > 0 || apart.parts.is_empty()).or_else(whole)
    }
}

impl Walk<'_> {
    /// A list of scores that begins, or gets one more.
    pub(super) fn scored(&self, statement: &Statement, state: &mut State<'_>) -> Option<Link> {
        let context = self.context;
        let list = match statement {
            Statement::Assign { var, value } if *value == Expr::EmptyList => {
                self.scores.around.borrow_mut().insert(var.clone(), state.loops().len());
                if !self.scores.begun.get() {
                    return None;
                }
                let apart = self.scores.seen.borrow().get(var)?.formula();
                state.forget(var);
                state.equal.insert(var.clone());
                state.scores.insert(var.clone(), (apart, Expr::int(0)));
                var
            }
            Statement::Append { list, value } if self.scores.lists.contains(list) => {
                let same = state.reads_equal(value);
                let apart = match same {
                    true => Apart::base(Expr::int(0)),
                    false => self.scores.apart(list, value, state, self.taste)?,
                };
                if !same || !state.equal.contains(list) {
                    self.scores.see(context, list, apart);
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
        if !state.scores.contains_key(list) && self.scores.begun.get() {
            return None;
        }
        let apart = self.scores.seen.borrow().get(list)?.clone();
        let high = apart.formula();
        let low = minus(Expr::int(0), high.clone());
        let price = |amount: &Expr| {
            let width = normal(context, &product(Expr::int(2), amount.clone()));
            match context.measure() {
                Measure::Pure => state.price(&width, &scale),
                Measure::Concentrated => {
                    let ratio = over(width, &scale);
                    normal(context, &divided(product(ratio.clone(), ratio), &Expr::int(8)))
                }
            }
        };
        let cost = apart.map(&|amount| Some(price(amount)))?;
        state.pay(&cost);
        Some(Coupling::Chosen { low, high, cost: cost.formula() })
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
