//! Guesses about lists: by how much their entries may change, what a choice among scores then costs, and which lemmas
//! about them a question suggests. Nothing here is trusted.

use std::collections::BTreeSet;

use probity_kernel::concentrated::Measure;
use probity_kernel::context::{Context, Orientation};
use probity_kernel::expr::{Expr, Name, Run, Variable};
use probity_kernel::kind::Kind;
use probity_kernel::lemma::Lemma;
use probity_kernel::term::{Adjacency, Distribution, Statement};

use crate::algebra::{divided, minus, over, product, visit};
use crate::rehearse::changed_lists;

/// The most pairs of facts about the entries of one list that are compared.
const MOST_PAIRS: usize = 6;

/// The lists that a choice is made by.
pub(crate) fn score_lists(body: &[Statement], found: &mut BTreeSet<Name>) {
    for statement in body {
        match statement {
            Statement::Draw {
                law:
                    Distribution::Choose { scores: Expr::Var(Variable::Plain(list)), .. }
                    | Distribution::PermuteAndFlip { scores: Expr::Var(Variable::Plain(list)), .. },
                ..
            } => {
                found.insert(list.clone());
            }
            Statement::If { then, otherwise, .. } => {
                score_lists(then, found);
                score_lists(otherwise, found);
            }
            Statement::For { body, .. } | Statement::While { body, .. } => score_lists(body, found),
            _ => {}
        }
    }
}

/// Between which numbers the changes of the entries of a list may lie, the narrowest first: by the adjacency for an
/// input, and by how far apart what is computed may be for any other.
pub(crate) fn ranges(context: &Context, list: &Name, distances: &[Expr]) -> Vec<(Expr, Expr)> {
    let zero = || Expr::int(0);
    let negative = |e: &Expr| minus(zero(), e.clone());
    let input = context.mechanism().inputs.iter().any(|input| input.name == *list);
    let mut found = vec![(zero(), zero())];
    let sides = |s: &Expr| [(zero(), s.clone()), (negative(s), zero()), (negative(s), s.clone())];
    if !input {
        found.extend(distances.iter().flat_map(sides));
        return found;
    }
    for clause in &context.mechanism().adjacency {
        match clause {
            Adjacency::EveryEntry { list: l, bound } | Adjacency::Norm { list: l, bound, .. }
                if l == list =>
            {
                found.push((negative(bound), bound.clone()));
            }
            Adjacency::EveryEntryGrows { list: l, bound } if l == list => {
                found.push(match context.orientation() {
                    Orientation::Forward => (zero(), bound.clone()),
                    Orientation::Backward => (negative(bound), zero()),
                })
            }
            _ if changed_lists(clause).contains(list) => {
                // Only one entry changes, so all changes have one sign.
                let entry = |run| {
                    Expr::Var(Variable::Changed(list.clone())).index_of(Variable::Of(list.clone(), run))
                };
                let change = entry(Run::Second) - entry(Run::First);
                found.push((zero().min(change.clone()), zero().max(change)));
            }
            _ => {}
        }
    }
    found
}

/// What a choice costs if the changes of its scores lie in a range of this width, at this scale.
pub(crate) fn price(context: &Context, width: &Expr, scale: &Expr) -> Expr {
    let range = over(width.clone(), scale);
    match context.measure() {
        Measure::Pure => range,
        Measure::Concentrated => divided(product(range.clone(), range), &Expr::int(8)),
    }
}

/// The width that a range of changes can have, in terms of parameters.
pub(crate) fn width(context: &Context, list: &Name, (low, high): &(Expr, Expr)) -> Expr {
    let by_one = context.mechanism().adjacency.iter().find_map(|clause| match clause {
        Adjacency::OneEntry { bound, .. } | Adjacency::OneEntryOf { bound, .. }
            if changed_lists(clause).contains(list) =>
        {
            Some(bound.clone())
        }
        _ => None,
    });
    match by_one {
        Some(bound) if *low != Expr::int(0) => bound,
        _ => minus(high.clone(), low.clone()),
    }
}

/// How much the entries of a list may change all together: the list, the bound and whether squares are summed.
pub(crate) fn norms(context: &Context) -> impl Iterator<Item = (&Name, &Expr, bool)> {
    context.mechanism().adjacency.iter().filter_map(|clause| match clause {
        Adjacency::Norm { list, bound, squares } => Some((list, bound, *squares)),
        _ => None,
    })
}

/// The part of an amount that entries before a place may have cost: amount · moved(list, place) / bound, or over its
/// square; or the amount for every 1 by which they moved.
pub(crate) fn shares(context: &Context, amount: &Expr, place: &Expr) -> Vec<Expr> {
    let share = |(list, bound, squares): (&Name, &Expr, bool)| {
        let moved = place.clone().index_of(Variable::Moved(list.clone()));
        let whole = if squares { product(bound.clone(), bound.clone()) } else { bound.clone() };
        let each = product(amount.clone(), moved);
        let mut shares = vec![divided(each.clone(), &whole)];
        shares.extend((!squares).then_some(each));
        shares
    };
    norms(context).flat_map(share).collect()
}

/// What may be known of how long a list is while a loop fills it.
pub(crate) fn lengths(list: &Name, counters: &[Expr], from: Option<&Expr>) -> Vec<Expr> {
    let length = Expr::Length(Variable::Of(list.clone(), Run::First));
    let mut found: Vec<Expr> =
        counters.iter().map(|counter| length.clone().equals(counter.clone())).collect();
    if let (Some(from), Some(index)) = (from, counters.first()) {
        found.push(length.clone().equals(minus(index.clone(), from.clone())));
    }
    found.push(Expr::int(1).le(length));
    found
}

/// The lemmas on lists that the formulas of a question suggest.
pub(crate) fn lemmas<'a>(context: &Context, formulas: impl Iterator<Item = &'a Expr>) -> Vec<Lemma> {
    let mut apart: Vec<(Name, Expr, Expr)> = Vec::new();
    let mut places: BTreeSet<(Name, Expr)> = BTreeSet::new();
    let is_normed = |list: &Name| norms(context).any(|(l, ..)| l == list);
    for formula in formulas {
        visit_all(formula, &mut |part| match part {
            Expr::Apart(list, low, high) => {
                let found = (list.clone(), (**low).clone(), (**high).clone());
                if !apart.contains(&found) {
                    apart.push(found);
                }
            }
            Expr::Index(Variable::Moved(list), index) if context.kind(index) == Kind::Int => {
                places.insert((list.clone(), (**index).clone()));
            }
            Expr::Index(Variable::Of(list, _), index) if is_normed(list) => {
                places.insert((list.clone(), (**index).clone()));
            }
            _ => {}
        });
    }
    let input = |list: &Name| context.mechanism().inputs.iter().any(|input| input.name == *list);
    let mut found = Vec::new();
    for (list, low, high) in &apart {
        if input(list) {
            found.push(Lemma::Apart(list.clone(), low.clone(), high.clone()));
        }
    }
    let mut pairs = 0;
    for (list, low, high) in &apart {
        for (other, a, b) in &apart {
            if list == other && (low, high) != (a, b) && pairs < MOST_PAIRS {
                pairs += 1;
                let (narrow, wide) = ((low.clone(), high.clone()), (a.clone(), b.clone()));
                found.push(Lemma::ApartWider(list.clone(), narrow, wide));
            }
        }
    }
    found.extend(places.into_iter().map(|(list, index)| Lemma::Moved(list, index)));
    found
}

/// All parts of a formula, those of what is said of lists included.
fn visit_all(e: &Expr, see: &mut dyn FnMut(&Expr)) {
    visit(e, &mut |part| {
        see(part);
        if let Expr::Apart(_, low, high) = part {
            visit(low, see);
            visit(high, see);
        }
    });
}
