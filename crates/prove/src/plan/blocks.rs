//! What a block of statements sets, and what its variables stand for.

use std::collections::BTreeMap;

use probity_kernel::expr::{Expr, Name, Variable};
use probity_kernel::term::Statement;

use crate::algebra::mentions;

/// How coins that follow each other are taken together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Blocks {
    /// The fewest of which one variable is read later.
    Shortest,
    /// As many as there are: what is read in the end may say less than what was drawn on the way.
    Longest,
    /// Each draw by itself: what is made of it costs nothing more.
    Single,
    /// The fewest, with uniform draws among them.
    Spread,
}

/// Variables that are assigned once and stand for that value.
pub(crate) fn definitions(body: &[Statement]) -> BTreeMap<Name, Expr> {
    let mut found: BTreeMap<Name, Vec<Expr>> = BTreeMap::new();
    for_each_assignment(body, &mut |var, value| found.entry(var.clone()).or_default().push(value.clone()));
    let drawn = set_by_draws(body);
    found
        .into_iter()
        .filter(|(name, values)| values.len() == 1 && !drawn.contains(name))
        .filter_map(|(name, mut values)| values.pop().map(|value| (name, value)))
        .filter(|(name, value)| *value != Expr::EmptyList && !mentions(value, name))
        .collect()
}

/// The expression with what variables stand for put in their places.
pub(crate) fn inline(e: &Expr, definitions: &BTreeMap<Name, Expr>) -> Expr {
    let mut current = e.clone();
    for _ in 0..4 {
        let next = current.replace(&|v| match v {
            Variable::Plain(name) => definitions.get(name).cloned(),
            _ => None,
        });
        if next == current || !next.is_within(2_000) {
            break;
        }
        current = next;
    }
    current
}

/// The assignments of a block.
pub(crate) fn for_each_assignment(body: &[Statement], see: &mut dyn FnMut(&Name, &Expr)) {
    for statement in body {
        match statement {
            Statement::Assign { var, value } => see(var, value),
            Statement::If { then, otherwise, .. } => {
                for_each_assignment(then, see);
                for_each_assignment(otherwise, see);
            }
            Statement::For { body, .. } | Statement::While { body, .. } => for_each_assignment(body, see),
            _ => {}
        }
    }
}

/// The guards of the conditionals of a block.
pub(crate) fn for_each_guard(body: &[Statement], see: &mut dyn FnMut(&Expr)) {
    for statement in body {
        match statement {
            Statement::If { guard, then, otherwise } => {
                see(guard);
                for_each_guard(then, see);
                for_each_guard(otherwise, see);
            }
            Statement::For { body, .. } => for_each_guard(body, see),
            Statement::While { guard, body, .. } => {
                see(guard);
                for_each_guard(body, see);
            }
            _ => {}
        }
    }
}

/// The variables that a block draws.
pub(crate) fn set_by_draws(body: &[Statement]) -> Vec<Name> {
    let mut found = Vec::new();
    for statement in body {
        match statement {
            Statement::Draw { var, .. } => found.push(var.clone()),
            Statement::If { then, otherwise, .. } => {
                found.extend(set_by_draws(then));
                found.extend(set_by_draws(otherwise));
            }
            Statement::For { body, .. } | Statement::While { body, .. } => found.extend(set_by_draws(body)),
            _ => {}
        }
    }
    found
}

/// The variables that a block assigns or draws, in the order of the text.
pub(crate) fn in_order(body: &[Statement]) -> Vec<Name> {
    let mut found = Vec::new();
    for statement in body {
        match statement {
            Statement::Draw { var, .. } | Statement::Assign { var, .. } => found.push(var.clone()),
            Statement::If { then, otherwise, .. } => {
                found.extend(in_order(then));
                found.extend(in_order(otherwise));
            }
            Statement::For { body, .. } | Statement::While { body, .. } => found.extend(in_order(body)),
            Statement::Append { .. } => {}
        }
    }
    found
}

/// The indices and labels of the loops of a block, in the order of the text.
pub(crate) fn loops(body: &[Statement]) -> Vec<Name> {
    let mut found = Vec::new();
    for statement in body {
        match statement {
            Statement::For { index: name, body, .. } | Statement::While { label: name, body, .. } => {
                found.push(name.clone());
                found.extend(loops(body));
            }
            Statement::If { then, otherwise, .. } => {
                found.extend(loops(then));
                found.extend(loops(otherwise));
            }
            Statement::Draw { .. } | Statement::Assign { .. } | Statement::Append { .. } => {}
        }
    }
    found
}

/// The variables that a block sets.
pub(crate) fn set_by(body: &[Statement]) -> Vec<Name> {
    let mut found = set_by_draws(body);
    for_each_assignment(body, &mut |var, _| found.push(var.clone()));
    fn lists(body: &[Statement], found: &mut Vec<Name>) {
        for statement in body {
            match statement {
                Statement::Append { list, .. } => found.push(list.clone()),
                Statement::If { then, otherwise, .. } => {
                    lists(then, found);
                    lists(otherwise, found);
                }
                Statement::For { body, .. } | Statement::While { body, .. } => lists(body, found),
                _ => {}
            }
        }
    }
    lists(body, &mut found);
    found.sort();
    found.dedup();
    found
}

/// Whether a block has assignments and conditionals only, and no lists.
pub(crate) fn is_plain(body: &[Statement]) -> bool {
    body.iter().all(|statement| match statement {
        Statement::Assign { value, .. } => *value != Expr::EmptyList,
        Statement::If { then, otherwise, .. } => is_plain(then) && is_plain(otherwise),
        _ => false,
    })
}

/// What statements append to lists.
pub(crate) fn for_each_append(body: &[Statement], see: &mut dyn FnMut(&Expr)) {
    for statement in body {
        match statement {
            Statement::Append { value, .. } => see(value),
            Statement::If { then, otherwise, .. } => {
                for_each_append(then, see);
                for_each_append(otherwise, see);
            }
            Statement::For { body, .. } | Statement::While { body, .. } => for_each_append(body, see),
            _ => {}
        }
    }
}
