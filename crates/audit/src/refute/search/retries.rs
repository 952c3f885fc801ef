//! Loops that try again: `c; while g { c }`, where every try is like the first.
//!
//! Such a loop has paths without end, and its law is that of one try, given that g is false after it. With the body of the loop
//! taken away a run that would try again never ends, and has no output; so each probability is the one of that program, divided by
//! the probability that one try is enough. Both have finitely many paths. This holds if nothing random happens before the first try, and
//! if a try reads nothing that a try before it has set.

use std::collections::BTreeSet;

use probity_exact::Rational;
use probity_kernel::expr::{Binary, Expr, Name, Unary, Variable};
use probity_kernel::law::parameters;
use probity_kernel::term::{Mechanism, Statement};

use crate::output::bounds::Bounds;
use crate::pair::named::for_each_expr;

/// A program that tries once.
pub(crate) struct OneTry {
    /// The whole program; a run that would try again never ends.
    pub(crate) whole: Mechanism,
    /// The same up to the end of the loop.
    pub(crate) enough: Mechanism,
}

/// The program with one try of its only loop that tries again, if it has one and no other `while`.
pub(crate) fn one_try(mechanism: &Mechanism) -> Option<OneTry> {
    let body = &mechanism.body;
    let at = body.iter().position(|statement| matches!(statement, Statement::While { .. }))?;
    let Statement::While { label, guard, body: again } = &body[at] else { return None };
    let after = &body[at + 1..];
    let before = at.checked_sub(again.len()).filter(|start| body[*start..at] == again[..]);
    let once = Statement::While { label: label.clone(), guard: guard.clone(), body: vec![] };
    // In the second form the guard holds before every try, the first one too.
    let (start, pinned, tries) = match before {
        Some(start) => (start, BTreeSet::new(), [again.as_slice(), &[once]].concat()),
        None => {
            let then = [again.as_slice(), &[once]].concat();
            let first = Statement::If { guard: guard.clone(), then, otherwise: vec![] };
            (at, pinned(guard), vec![first])
        }
    };
    if has_loop(again) || has_while(after) || draws(&body[..start]) {
        return None;
    }
    let mut read_after = names(guard);
    for_each_expr(after, &mut |e| read_after.extend(names(e)));
    read_after.extend(names(&mechanism.output));
    let mut fresh = pinned;
    let all = set_in(again);
    let alike = is_fresh(again, &all, &mut fresh)
        && read_after.iter().all(|name| !all.contains(name) || fresh.contains(name));
    if !alike {
        return None;
    }
    let first = [&body[..start], &tries].concat();
    let enough = Mechanism { body: first.clone(), output: Expr::int(0), ..mechanism.clone() };
    let whole = Mechanism { body: [first.as_slice(), after].concat(), ..mechanism.clone() };
    Some(OneTry { whole, enough })
}

/// A probability, given that one try was enough.
pub(crate) fn given(event: &Bounds, enough: &Bounds) -> Option<Bounds> {
    if enough.low <= Rational::ZERO {
        return None;
    }
    let high = (&event.high / &enough.low).min(Rational::ONE);
    Some(Bounds { low: &event.low / &enough.high, high })
}

/// Whether a try reads nothing that it has not set itself, of what tries set; `fresh` is what is set, or known, so far.
fn is_fresh(body: &[Statement], all: &BTreeSet<Name>, fresh: &mut BTreeSet<Name>) -> bool {
    let reads = |e: &Expr, fresh: &BTreeSet<Name>| {
        names(e).iter().all(|name| !all.contains(name) || fresh.contains(name))
    };
    body.iter().all(|statement| match statement {
        Statement::Draw { var, law } => {
            let known = parameters(law).iter().all(|e| reads(e, fresh));
            fresh.insert(var.clone());
            known
        }
        Statement::Assign { var, value } => {
            let known = reads(value, fresh);
            fresh.insert(var.clone());
            known
        }
        Statement::If { guard, then, otherwise } => {
            let (mut yes, mut no) = (fresh.clone(), fresh.clone());
            let known =
                reads(guard, fresh) && is_fresh(then, all, &mut yes) && is_fresh(otherwise, all, &mut no);
            *fresh = yes.intersection(&no).cloned().collect();
            known
        }
        // A list has what all tries appended.
        Statement::Append { .. } | Statement::For { .. } | Statement::While { .. } => false,
    })
}

/// The booleans whose value a guard says by holding.
fn pinned(guard: &Expr) -> BTreeSet<Name> {
    match guard {
        Expr::Var(Variable::Plain(name)) => BTreeSet::from([name.clone()]),
        Expr::Unary(Unary::Not, inside) => match &**inside {
            Expr::Var(Variable::Plain(name)) => BTreeSet::from([name.clone()]),
            _ => BTreeSet::new(),
        },
        Expr::Binary(Binary::And, a, b) => &pinned(a) | &pinned(b),
        _ => BTreeSet::new(),
    }
}

fn names(e: &Expr) -> BTreeSet<Name> {
    let mut found = BTreeSet::new();
    e.for_each_variable(&mut |v| {
        if let Variable::Plain(name) = v {
            found.insert(name.clone());
        }
    });
    found
}

/// What a block sets.
fn set_in(body: &[Statement]) -> BTreeSet<Name> {
    let mut found = BTreeSet::new();
    for statement in body {
        match statement {
            Statement::Draw { var, .. } | Statement::Assign { var, .. } => {
                found.insert(var.clone());
            }
            Statement::Append { list, .. } => {
                found.insert(list.clone());
            }
            Statement::If { then, otherwise, .. } => {
                found.extend(set_in(then));
                found.extend(set_in(otherwise));
            }
            Statement::For { index, body, .. } => {
                found.insert(index.clone());
                found.extend(set_in(body));
            }
            Statement::While { body, .. } => found.extend(set_in(body)),
        }
    }
    found
}

fn any(body: &[Statement], wanted: &dyn Fn(&Statement) -> bool) -> bool {
    body.iter().any(|statement| {
        wanted(statement)
            || match statement {
                Statement::If { then, otherwise, .. } => any(then, wanted) || any(otherwise, wanted),
                Statement::For { body, .. } | Statement::While { body, .. } => any(body, wanted),
                _ => false,
            }
    })
}

fn draws(body: &[Statement]) -> bool {
    any(body, &|statement| matches!(statement, Statement::Draw { .. }))
}

fn has_while(body: &[Statement]) -> bool {
    any(body, &|statement| matches!(statement, Statement::While { .. }))
}

fn has_loop(body: &[Statement]) -> bool {
    any(body, &|statement| matches!(statement, Statement::While { .. } | Statement::For { .. }))
}
