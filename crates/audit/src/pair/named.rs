//! Numbers that a text names: where its inputs are bounded, how far neighbours lie apart, what is compared with, to what is
//! rounded. Inputs at these numbers, or beside them, tell most. Nothing here decides anything.

use probity_exact::Rational;
use probity_kernel::expr::{Binary, Expr, Unary};
use probity_kernel::law;
use probity_kernel::term::{Adjacency, Distribution, Mechanism, Statement};

use crate::output::outcome::Parameters;
use crate::pair::neighbours::parameter_value;

/// Numbers of one kind that are kept.
const MOST: usize = 10;

/// The exact value of an expression that the parameters fix.
fn value(expr: &Expr, parameters: &Parameters) -> Option<Rational> {
    let value = parameter_value(expr, parameters).ok()?;
    (value.low == value.high).then_some(value.low)
}

/// Bounds of inputs and of distances, and what guards compare with, for these parameters.
pub(crate) fn compared(mechanism: &Mechanism, parameters: &Parameters) -> Vec<Rational> {
    let mut found: Vec<Rational> = Vec::new();
    let mut visit = |expr: &Expr| {
        if let Some(value) = value(expr, parameters)
            && !found.contains(&value)
        {
            found.push(value);
        }
    };
    for clause in &mechanism.adjacency {
        match clause {
            Adjacency::Related(expr) => constants(expr, &mut visit),
            Adjacency::EveryEntry { bound, .. }
            | Adjacency::EveryEntryGrows { bound, .. }
            | Adjacency::OneEntryOf { bound, .. }
            | Adjacency::Norm { bound, .. }
            | Adjacency::OneEntry { bound, .. } => visit(bound),
            Adjacency::Rows { most, .. } => visit(most),
            Adjacency::OneRow { .. } | Adjacency::RowReplaced { .. } => {}
        }
    }
    mechanism.assumptions.iter().for_each(|assumption| constants(assumption, &mut visit));
    guards(&mechanism.body, &mut |guard| constants(guard, &mut visit));
    found.truncate(MOST);
    found
}

/// Numbers at which what the program computes may jump or bend: ends of clamps, operands of minima and of comparisons in
/// values, grids and halves of grids, divisors below a `floor`.
pub(crate) fn critical(mechanism: &Mechanism, parameters: &Parameters) -> Vec<Rational> {
    let mut found: Vec<Rational> = Vec::new();
    let mut add = |x: Rational| {
        if !x.is_zero() && !found.contains(&x) {
            found.push(x);
        }
    };
    let half = || Rational::ONE / Rational::from(2);
    let mut see = |part: &Expr| match part {
        Expr::Clamp(_, low, high) => {
            [low, high].into_iter().filter_map(|e| value(e, parameters)).for_each(&mut add);
        }
        Expr::Binary(Binary::RoundTo, _, grid) => {
            if let Some(grid) = value(grid, parameters) {
                add(&grid * half());
                add(&grid * (half() + Rational::ONE));
                add(grid);
            }
        }
        Expr::Unary(Unary::Floor, of) => {
            add(half());
            for_each_part(of, &mut |part| {
                if let Expr::Binary(Binary::Div | Binary::Mod, _, by) = part
                    && let Some(by) = value(by, parameters)
                {
                    add(&by * half());
                    add(by);
                }
            });
        }
        Expr::Binary(Binary::Mod, _, by) => {
            if let Some(by) = value(by, parameters) {
                add(&by * half());
                add(by);
            }
        }
        Expr::Binary(operation, a, b) if is_comparison(*operation) || is_choice(*operation) => {
            [a, b].into_iter().filter_map(|e| value(e, parameters)).for_each(&mut add);
        }
        _ => {}
    };
    let mut whole = |e: &Expr| for_each_part(e, &mut see);
    for_each_center(&mechanism.body, &mut whole);
    whole(&mechanism.output);
    found.truncate(2 * MOST);
    found
}

/// How many entries a list may have, where an assumption says so: at least, and at most if there is a limit.
pub(crate) fn lengths(mechanism: &Mechanism, parameters: &Parameters) -> (usize, Option<usize>) {
    let (mut least, mut most) = (0usize, None::<usize>);
    let mut see = |part: &Expr| {
        let Expr::Binary(operation, a, b) = part else { return };
        let (operation, bound) = match (&**a, &**b) {
            (Expr::Length(_), bound) => (*operation, bound),
            (bound, Expr::Length(_)) => (mirrored(*operation), bound),
            _ => return,
        };
        let Some(bound) = value(bound, parameters) else { return };
        let Ok(whole) = usize::try_from(bound.floor()) else { return };
        let at_most = |limit: usize| Some(most.map_or(limit, |most| most.min(limit)));
        match operation {
            Binary::Eq => (least, most) = (least.max(whole), at_most(whole)),
            Binary::Ge => least = least.max(whole),
            Binary::Gt => least = least.max(whole + 1),
            Binary::Le => most = at_most(whole),
            Binary::Lt => most = at_most(whole.saturating_sub(1)),
            _ => {}
        }
    };
    mechanism.assumptions.iter().for_each(|assumption| for_each_part(assumption, &mut see));
    (least, most)
}

fn mirrored(operation: Binary) -> Binary {
    match operation {
        Binary::Lt => Binary::Gt,
        Binary::Le => Binary::Ge,
        Binary::Gt => Binary::Lt,
        Binary::Ge => Binary::Le,
        same => same,
    }
}

fn is_comparison(operation: Binary) -> bool {
    matches!(operation, Binary::Lt | Binary::Le | Binary::Eq | Binary::Ne | Binary::Ge | Binary::Gt)
}

fn is_choice(operation: Binary) -> bool {
    matches!(operation, Binary::Min | Binary::Max)
}

/// The guards of a body.
fn guards(body: &[Statement], visit: &mut dyn FnMut(&Expr)) {
    for statement in body {
        match statement {
            Statement::If { guard, then, otherwise } => {
                visit(guard);
                guards(then, visit);
                guards(otherwise, visit);
            }
            Statement::While { guard, body, .. } => {
                visit(guard);
                guards(body, visit);
            }
            Statement::For { body, .. } => guards(body, visit),
            Statement::Draw { .. } | Statement::Assign { .. } | Statement::Append { .. } => {}
        }
    }
}

/// The operands of comparisons that are fixed by the parameters, as far as the names say.
fn constants(expr: &Expr, visit: &mut dyn FnMut(&Expr)) {
    match expr {
        Expr::Binary(Binary::And | Binary::Or, a, b) => {
            constants(a, visit);
            constants(b, visit);
        }
        Expr::Unary(Unary::Not, a) => constants(a, visit),
        Expr::Binary(operation, a, b) if is_comparison(*operation) => {
            visit(a);
            visit(b);
        }
        _ => {}
    }
}

/// Every expression of a body, those in laws, guards and bounds included.
pub(crate) fn for_each_expr(body: &[Statement], see: &mut dyn FnMut(&Expr)) {
    walk(body, law::parameters, see);
}

/// The same without the scales of noise, which are no places of inputs.
fn for_each_center(body: &[Statement], see: &mut dyn FnMut(&Expr)) {
    fn centers(law: &Distribution) -> Vec<&Expr> {
        match law {
            Distribution::Exponential { .. }
            | Distribution::Geometric { .. }
            | Distribution::Sample { .. } => vec![],
            Distribution::Bernoulli(_) | Distribution::UniformInt { .. } => law::parameters(law),
            _ => law::parameters(law).into_iter().take(1).collect(),
        }
    }
    walk(body, centers, see);
}

fn walk(body: &[Statement], of: fn(&Distribution) -> Vec<&Expr>, see: &mut dyn FnMut(&Expr)) {
    for statement in body {
        match statement {
            Statement::Draw { law, .. } => of(law).into_iter().for_each(&mut *see),
            Statement::Assign { value, .. } | Statement::Append { value, .. } => see(value),
            Statement::If { guard, then, otherwise } => {
                see(guard);
                walk(then, of, see);
                walk(otherwise, of, see);
            }
            Statement::For { from, to, body, .. } => {
                see(from);
                see(to);
                walk(body, of, see);
            }
            Statement::While { guard, body, .. } => {
                see(guard);
                walk(body, of, see);
            }
        }
    }
}

/// The expression and all its parts.
pub(crate) fn for_each_part(e: &Expr, see: &mut dyn FnMut(&Expr)) {
    see(e);
    match e {
        Expr::Unary(_, a) | Expr::Index(_, a) => for_each_part(a, see),
        Expr::Binary(_, a, b) | Expr::Sum(_, a, b) | Expr::Apart(_, a, b) => {
            [a, b].into_iter().for_each(|e| for_each_part(e, see));
        }
        Expr::Clamp(a, b, c) | Expr::If(a, b, c) => {
            [a, b, c].into_iter().for_each(|e| for_each_part(e, see));
        }
        Expr::Number(_) | Expr::Bool(_) | Expr::Var(_) | Expr::Length(_) | Expr::EmptyList => {}
    }
}
