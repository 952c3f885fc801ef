//! Choices by scores: how far apart the entries of a list may be that a loop fills, and what choosing from it costs.
//!
//! A list begins empty, and what is said of it then has to hold of all that is appended. So a text is walked twice: the first time
//! to see how far apart the scores are.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use probity_exact::Rational;
use probity_kernel::concentrated::Measure;
use probity_kernel::context::Context;
use probity_kernel::expr::{Expr, Name, Run, Variable};
use probity_kernel::term::{Coupling, Distribution, Statement};

use super::{Walk, for_each_law};
use crate::algebra::{divided, minus, normal, over, plus, product};
use crate::derivation::{Link, Move};
use crate::forward::apart::Apart;
use crate::forward::state::{State, Taste, add};
use crate::tables::{self, Term};

/// The lists from which a text chooses, with how far apart their entries were seen to be.
pub(super) struct Scores {
    lists: BTreeSet<Name>,
    seen: RefCell<BTreeMap<Name, Seen>>,
    /// The loops around the place where a list begins.
    around: RefCell<BTreeMap<Name, usize>>,
    /// Whether all that was seen is said where a list begins.
    begun: Cell<bool>,
}

/// How far apart scores were seen to be, and whether those of the second run are never smaller, or never larger.
struct Seen {
    apart: Apart,
    up: bool,
    down: bool,
}

impl Seen {
    /// What is added to a score of the first run lies between these.
    fn bounds(&self) -> (Expr, Expr) {
        let (zero, most) = (Expr::int(0), self.apart.formula());
        let low = if self.up { zero.clone() } else { minus(zero.clone(), most.clone()) };
        (low, if self.down { zero } else { most })
    }

    /// How wide that is for scores that may be so far apart.
    fn width(&self, amount: &Expr) -> Expr {
        let ways = i64::from(!self.up) + i64::from(!self.down);
        product(Expr::int(ways), amount.clone())
    }
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

    fn see(&self, context: &Context, list: &Name, new: Seen) {
        let mut seen = self.seen.borrow_mut();
        let (up, down) = (new.up, new.down);
        let most = match seen.remove(list) {
            Some(known) => Seen {
                apart: known.apart.join(&new.apart, context),
                up: known.up && up,
                down: known.down && down,
            },
            None => new,
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
                let bounds = self.scores.seen.borrow().get(var)?.bounds();
                state.forget(var);
                state.equal.insert(var.clone());
                state.scores.insert(var.clone(), (bounds, Expr::int(0)));
                var
            }
            Statement::Append { list, value } if self.scores.lists.contains(list) => {
                let same = state.reads_equal(value);
                let seen = match same {
                    true => Seen { apart: Apart::base(Expr::int(0)), up: true, down: true },
                    false => {
                        let (up, down) = direction(context, value);
                        Seen { apart: self.scores.apart(list, value, state, self.taste)?, up, down }
                    }
                };
                if !same || !state.equal.contains(list) {
                    self.scores.see(context, list, seen);
                }
                let (bounds, length) = state.scores.get(list)?.clone();
                let equal = state.equal.contains(list) && same;
                state.forget(list);
                if equal {
                    state.equal.insert(list.clone());
                }
                state.scores.insert(list.clone(), (bounds, add(context, &length, &Expr::int(1))));
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
        let all_seen = self.scores.seen.borrow();
        let seen = all_seen.get(list)?;
        let (low, high) = seen.bounds();
        let price = |amount: &Expr| {
            let width = normal(context, &seen.width(amount));
            match context.measure() {
                Measure::Pure => state.price(&width, &scale),
                Measure::Concentrated => {
                    let ratio = over(width, &scale);
                    normal(context, &divided(product(ratio.clone(), ratio), &Expr::int(8)))
                }
            }
        };
        let cost = seen.apart.map(&|amount| Some(price(amount)))?;
        state.pay(&cost);
        Some(Coupling::Chosen { low, high, cost: cost.formula() })
    }
}

/// Whether a score that is made of sums over rows is never smaller in the second run, or never larger: sums of what is not negative are
/// not smaller where a table has one row more.
fn direction(context: &Context, value: &Expr) -> (bool, bool) {
    let Some(terms) = tables::terms(value) else { return (false, false) };
    let (mut up, mut down) = (true, true);
    for Term { sum, factor } in &terms {
        let runs = tables::runs_with_row(context, &sum.table);
        let low = tables::value_range(context, sum).map(|range| range.low);
        let (Expr::Number(factor), [run], Some(Expr::Number(low))) = (factor, runs.as_slice(), low) else {
            return (false, false);
        };
        if low < Rational::ZERO {
            return (false, false);
        }
        let more = (*run == Run::Second) == (*factor >= Rational::ZERO);
        (up, down) = (up && more, down && !more);
    }
    match terms.is_empty() {
        true => (false, false),
        false => (up, down),
    }
}

/// The lists of scores before a round of a loop that makes each longer by one, and does not begin them again.
pub(super) fn before_round(
    before: &State<'_>,
    body: &[Statement],
    (index, low): (&Name, &Expr),
) -> BTreeMap<Name, ((Expr, Expr), Expr)> {
    let done = minus(Expr::var(index.clone()), low.clone());
    let grows = |list: &Name| {
        let appends = |s: &&Statement| matches!(s, Statement::Append { list: to, .. } if to == list);
        body.iter().filter(appends).count() == 1 && !begins(body, list)
    };
    let kept = before.scores.iter().filter(|(list, _)| grows(list));
    kept.map(|(list, (bounds, length))| {
        let length = normal(before.context, &plus(length.clone(), done.clone()));
        (list.clone(), (bounds.clone(), length))
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
