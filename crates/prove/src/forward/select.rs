//! A part of the program that chooses: proved by itself, as if it were a mechanism, and then one step of the proof.
//!
//! A loop that compares noisy values with each other cannot be followed draw by draw. It is taken together with what is set
//! just before it, as a mechanism that returns the one variable that is read afterwards; what it may cost is tried from
//! small to large.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use probity_kernel::concentrated::Measure;
use probity_kernel::context::{Context, for_each_expr};
use probity_kernel::expr::{Expr, Name, Run, Variable};
use probity_kernel::kind::Kind;
use probity_kernel::privacy::Comparison;
use probity_kernel::term::{Adjacency, Claim, Distribution, Hints, Param, Reading, Sort, Statement};

use super::{Walk, for_each_law};
use crate::algebra::{normal, over};
use crate::derivation::{Link, Move};
use crate::effort::Effort;
use crate::forward::state::{State, add, same};
use crate::plan::blocks::set_by;
use crate::rehearse::{Scenario, scenarios};
use crate::searching::Answers;
use crate::side::search_side;

/// What the search for one such proof may do.
const EFFORT: u64 = 8_000_000;
/// What a first look at one cost may do.
const SHORT: u64 = 1_500_000;
/// The most costs that are tried.
const MOST_COSTS: usize = 12;

/// A part that was looked at: what it sets that is read later, and the moves that prove it at a cost, if there are any.
pub(super) struct Choice {
    block: Vec<Statement>,
    var: Name,
    found: Option<(Vec<Move>, Expr)>,
}

impl Walk<'_> {
    /// A block as one step, given what is read after it.
    pub(super) fn select(
        &self,
        block: &[Statement],
        read_later: &BTreeSet<Name>,
        state: &mut State<'_>,
    ) -> Option<Link> {
        let context = self.context;
        let set = set_by(block);
        let live: Vec<&Name> = set.iter().filter(|name| read_later.contains(*name)).collect();
        let [var] = live.as_slice() else { return None };
        if context.measure() != Measure::Pure {
            return None;
        }
        // What else is read must be equal in both runs: for the part it is a parameter.
        let read = read_besides(context, block, &set);
        if !read.iter().all(|name| state.equal.contains(name) || context.is_shared(name)) {
            return None;
        }
        let mut part = context.mechanism().clone();
        (part.body, part.output) = (block.to_vec(), Expr::var((*var).clone()));
        for name in &read {
            let here = match context.is_shared(name) {
                true => Expr::var(name.clone()),
                false => Expr::of(name.clone(), Run::First),
            };
            let sort = match context.kind(&here) {
                Kind::Int => Sort::Int,
                Kind::Real => Sort::Real,
                _ => return None,
            };
            part.params.push(Param { name: name.clone(), sort });
        }
        let inner = Arc::new(Context::new(&part, context.orientation()).ok()?);
        let countable = matches!(inner.kind(&Expr::of((*var).clone(), Run::First)), Kind::Int | Kind::Bool);
        // A whole text that is to end equal in both runs is looked at as it stands, elsewhere.
        if !countable && self.is_whole(block) {
            return None;
        }
        // What is equal in both runs is so for every value: a proof of that serves as well.
        let comparisons: &[Comparison] = match countable {
            true => &[Comparison::Pointwise, Comparison::Equal],
            false => &[Comparison::Equal],
        };
        let known =
            self.choices.borrow().iter().find_map(|choice| {
                (choice.block == block && choice.var == **var).then(|| choice.found.clone())
            });
        let found = known.unwrap_or_else(|| {
            let answers = RefCell::new(Answers::default());
            let at_cost = |amount: &Expr, comparison: Comparison, effort: &mut Effort| {
                let mut answers = answers.borrow_mut();
                let asked = answers.about(&inner);
                let claim = Claim { epsilon: amount.clone(), delta: Expr::int(0), reading: Reading::Reals };
                let hints = Hints::default();
                let found = search_side(&inner, &claim, &hints, comparison, effort, |_, _, _| None, asked);
                Some((found.ok()?.0, amount.clone()))
            };
            // Every cost gets a short look, so that one which is too small does not use up what is left for the others.
            let costs = self.costs(block);
            let found = costs.iter().find_map(|amount| {
                let effort = || Effort::of(SHORT).until(self.deadline);
                comparisons.iter().find_map(|comparison| at_cost(amount, *comparison, &mut effort()))
            });
            let mut effort = Effort::of(EFFORT).until(self.deadline);
            let again =
                || costs.iter().find_map(|amount| at_cost(amount, *comparisons.first()?, &mut effort));
            let found = found.or_else(again);
            let choice = Choice { block: block.to_vec(), var: (*var).clone(), found: found.clone() };
            self.choices.borrow_mut().push(choice);
            found
        });
        let (moves, amount) = found?;
        let in_first = |v: &Variable| match v {
            Variable::Plain(name) if read.contains(name) && !context.is_shared(name) => {
                Some(Expr::of(name.clone(), Run::First))
            }
            _ => None,
        };
        let moves = moves.iter().map(|step| step.map(&|e| e.replace(&in_first))).collect();
        let paid = state.budget.formula(context);
        // The same moves, from what was paid before: only where that is nothing.
        if !countable && paid != Expr::int(0) {
            return None;
        }
        set.iter().for_each(|name| state.forget(name));
        state.equal.insert((*var).clone());
        if countable {
            // What is paid is said in the words of the rule, so that another choice can follow.
            state.budget.sum = match state.budget.past.is_empty() {
                true => paid.clone() + amount.clone(),
                false => add(context, &state.budget.sum, &amount),
            };
            return Some(Link::Select(moves, (*var).clone(), amount, paid));
        }
        state.budget.sum = add(context, &state.budget.sum, &amount);
        let after = std::iter::once(same(var)).chain(state.paid()).collect();
        Some(Link::Judged(moves, after))
    }

    /// Whether a block is all of the program but for what is made of it in the end.
    fn is_whole(&self, block: &[Statement]) -> bool {
        let body = &self.context.mechanism().body;
        let rest = body.get(block.len()..).unwrap_or_default();
        body.starts_with(block) && rest.iter().all(|statement| matches!(statement, Statement::Assign { .. }))
    }

    /// What a block may cost, from small to large: each draw nothing, what a change by as much as neighbours are apart
    /// costs, or twice that.
    fn costs(&self, block: &[Statement]) -> Vec<Expr> {
        let context = self.context;
        let bounds = context.mechanism().adjacency.iter().filter_map(|clause| match clause {
            Adjacency::EveryEntry { bound, .. }
            | Adjacency::EveryEntryGrows { bound, .. }
            | Adjacency::OneEntry { bound, .. } => Some(bound.clone()),
            _ => None,
        });
        let spans: Vec<Expr> = bounds.take(2).collect();
        let mut sums = vec![Expr::int(0)];
        for_each_law(block, &mut |law| {
            let (Distribution::Laplace { scale, .. }
            | Distribution::DiscreteLaplace { scale, .. }
            | Distribution::Gumbel { scale, .. }
            | Distribution::Exponential { scale }
            | Distribution::Geometric { scale }) = law
            else {
                return;
            };
            let mut more = Vec::new();
            for sum in &sums {
                more.push(sum.clone());
                for span in &spans {
                    let once = normal(context, &over(span.clone(), scale));
                    let twice = add(context, &once, &once);
                    more.extend([&once, &twice].map(|amount| add(context, sum, amount)));
                }
            }
            more.dedup();
            sums = more;
        });
        let public = |e: &Expr| context.check_public(e).is_ok();
        sums.retain(|sum| *sum != Expr::int(0) && public(sum));
        let samples: Vec<Scenario> = scenarios(context, 5);
        let size = |e: &Expr| samples.iter().filter_map(|s| s.value(e)).sum::<f64>();
        sums.sort_by(|a, b| size(a).total_cmp(&size(b)));
        sums.dedup();
        sums.truncate(MOST_COSTS);
        sums
    }
}

/// What a block reads of the program besides what it sets itself, inputs and parameters.
fn read_besides(context: &Context, block: &[Statement], set: &[Name]) -> BTreeSet<Name> {
    let mechanism = context.mechanism();
    let mut read = BTreeSet::new();
    for_each_expr(block, &mut |e| {
        e.for_each_variable(&mut |v| {
            if let Variable::Plain(name) = v {
                read.insert(name.clone());
            }
        })
    });
    read.retain(|name| {
        let given = mechanism.inputs.iter().any(|input| input.name == *name)
            || mechanism.params.iter().any(|param| param.name == *name);
        !given && !set.contains(name) && !is_index(block, name)
    });
    read
}

/// Whether a block counts with a name.
fn is_index(block: &[Statement], name: &Name) -> bool {
    block.iter().any(|statement| match statement {
        Statement::For { index, body, .. } => index == name || is_index(body, name),
        Statement::While { body, .. } => is_index(body, name),
        Statement::If { then, otherwise, .. } => is_index(then, name) || is_index(otherwise, name),
        _ => false,
    })
}
