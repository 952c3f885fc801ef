//! Where what is drawn is read later, what a guard will be by then, and which hint a loop has.

use probity_kernel::context::for_each_expr;
use probity_kernel::expr::{Expr, Name, Variable};
use probity_kernel::term::{Hints, Statement};

use crate::algebra::mentions;
use crate::plan::blocks::{is_plain, set_by};

/// Where a variable that is drawn before these statements is read: under a guard that does not read it, if every statement
/// that does is in one branch of that. `found` says that the guards so far are such.
pub(super) fn read_where(var: &Name, rest: &[Statement], found: bool) -> Option<Expr> {
    let reads = |body: &[Statement]| {
        let mut read = false;
        for_each_expr(body, &mut |e| read |= mentions(e, var));
        read
    };
    let mut reading =
        rest.iter().enumerate().filter(|(_, statement)| reads(std::slice::from_ref(*statement)));
    let whole = || found.then_some(Expr::Bool(true));
    // What is made of it and read in its place: `qh = q[i] + y`.
    if let (Some((place, Statement::Assign { var: made, value })), None) = (reading.next(), reading.next())
        && made != var
        && !mentions(value, made)
    {
        let set = set_by(&rest[..=place]);
        let is_set = |v: &Variable| matches!(v, Variable::Plain(name) if set.contains(name));
        let read = read_where(made, &rest[place + 1..], found);
        return read.filter(|guard| guard.find_variable(&is_set).is_none()).or_else(whole);
    }
    let mut reading =
        rest.iter().enumerate().filter(|(_, statement)| reads(std::slice::from_ref(*statement)));
    let (Some((place, Statement::If { guard, then, otherwise })), None) = (reading.next(), reading.next())
    else {
        return whole();
    };
    let (guard, inside) = match (mentions(guard, var), reads(then), reads(otherwise)) {
        (false, true, false) => (guard.clone(), then),
        (false, false, true) => (!guard.clone(), otherwise),
        _ => return whole(),
    };
    // What the guard reads must have its value before the draw.
    let set = set_by(&rest[..place]);
    if guard.find_variable(&|v| matches!(v, Variable::Plain(name) if set.contains(name))).is_some() {
        return whole();
    }
    Some(match read_where(var, inside, true) {
        Some(Expr::Bool(true)) | None => guard,
        Some(more) => guard.and(more),
    })
}

/// A formula as it will be after the assignments that follow.
pub(super) fn after(formula: &Expr, rest: &[Statement]) -> Expr {
    rest.iter().rev().fold(formula.clone(), |formula, statement| match statement {
        Statement::Assign { var, value } if *value != Expr::EmptyList => {
            formula.replace(&|v| (*v == Variable::Plain(var.clone())).then(|| value.clone()))
        }
        Statement::If { guard, then, otherwise } if is_plain(then) && is_plain(otherwise) => {
            let (yes, no) = (after(&formula, then), after(&formula, otherwise));
            if yes == no { yes } else { guard.clone().and(yes).or((!guard.clone()).and(no)) }
        }
        _ => formula,
    })
}

/// The invariant that a hint gives a loop, before which so many of its name stand in the text: its own, or the one for all of them.
pub(super) fn invariant_of<'h>(hints: &'h Hints, name: &Name, before: usize) -> Option<&'h Expr> {
    let said: Vec<&Expr> =
        hints.invariants.iter().filter(|(of, _)| of == name).map(|(_, invariant)| invariant).collect();
    said.get(before).or(said.first()).copied()
}
