//! Guesses about tables: how much one row can add to a sum, which rows do, and when a loop over groups has passed the
//! group of a row. Nothing here is trusted.

mod groups;
mod ranges;
mod sized;

use probity_exact::Rational;
use probity_kernel::context::{Context, Orientation, for_each_expr};
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};
use probity_kernel::kind::Kind;
use probity_kernel::term::{Adjacency, Sort, Statement};

use groups::exclude;
pub(crate) use groups::{
    MANY_ALTERNATIVES, alternatives, apart, cell, either, group, one_of_several, only_in_group, side, window,
};
pub(crate) use ranges::{of_no_known_range, unbounded};
pub(crate) use sized::size_of;
use sized::{common_factor, sized_price};

use crate::algebra::{
    absolute, divided, factors, mentions, minus, of_parameters, over, plus, product, visit,
};

/// A number that lies between two that the parameters fix.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Range {
    pub(crate) low: Expr,
    pub(crate) high: Expr,
}

impl Range {
    fn point(e: Expr) -> Range {
        Range { low: e.clone(), high: e }
    }

    /// The largest size of a number in the range.
    pub(crate) fn size(&self) -> Expr {
        let (low, high) = (&self.low, &self.high);
        match (low, high) {
            _ if *low == Expr::int(0) => high.clone(),
            _ if *high == Expr::int(0) => minus(Expr::int(0), low.clone()),
            (Expr::Number(a), Expr::Number(b)) => {
                let size = |n: &Rational| if *n < Rational::ZERO { -n.clone() } else { n.clone() };
                Expr::Number(size(a).max(size(b)))
            }
            _ if *low == minus(Expr::int(0), high.clone()) => high.clone(),
            (_, Expr::Number(_) | Expr::Var(_)) if matches!(low, Expr::Number(n) if *n >= Rational::ZERO) => {
                high.clone()
            }
            _ => low.clone().abs().max(high.clone().abs()),
        }
    }

    /// The range with 0 in it, where it is plain on which side of 0 its ends are.
    fn or_nothing(&self) -> Option<Range> {
        let (low, high) = (&self.low, &self.high);
        let number = |e: &Expr| match e {
            Expr::Number(n) => Some(n.clone()),
            _ => None,
        };
        match (number(low), number(high)) {
            (Some(a), Some(b)) => Some(Range {
                low: Expr::Number(a.min(Rational::ZERO)),
                high: Expr::Number(b.max(Rational::ZERO)),
            }),
            _ => None,
        }
    }

    /// How far apart two numbers in the range can be.
    pub(crate) fn width(&self) -> Expr {
        minus(self.high.clone(), self.low.clone())
    }
}

/// A sum over the rows of a table, as it stands in a program.
#[derive(Clone, PartialEq)]
pub(crate) struct Sum {
    pub(crate) table: Name,
    pub(crate) condition: Expr,
    pub(crate) value: Expr,
}

/// The sums of an expression.
pub(crate) fn sums(e: &Expr) -> Vec<Sum> {
    let mut found = Vec::new();
    visit(e, &mut |part| {
        if let Expr::Sum(Variable::Plain(table) | Variable::Of(table, _), condition, value) = part {
            let sum =
                Sum { table: table.clone(), condition: (**condition).clone(), value: (**value).clone() };
            if !found.contains(&sum) {
                found.push(sum);
            }
        }
    });
    found
}

/// The sums of a whole mechanism.
pub(crate) fn all_sums(context: &Context) -> Vec<Sum> {
    let mut found = Vec::new();
    let mut see = |e: &Expr| {
        for sum in sums(e) {
            if !found.contains(&sum) {
                found.push(sum);
            }
        }
    };
    for_each_expr(&context.mechanism().body, &mut see);
    see(&context.mechanism().output);
    found
}

/// The runs whose table has a row that the other does not have.
pub(crate) fn runs_with_row(context: &Context, table: &Name) -> Vec<Run> {
    let clause = context.mechanism().adjacency.iter().find_map(|clause| match clause {
        Adjacency::OneRow { table: t } if t == table => Some(match context.orientation() {
            Orientation::Forward => vec![Run::Second],
            Orientation::Backward => vec![Run::First],
        }),
        Adjacency::RowReplaced { table: t } if t == table => Some(vec![Run::First, Run::Second]),
        _ => None,
    });
    clause.unwrap_or_default()
}

/// An expression of the row at hand, of the row that only this run's table has; variables are those of the first run.
pub(crate) fn at_row(context: &Context, e: &Expr, table: &Name, run: Run) -> Expr {
    context.in_run(e, Run::First).replace(&|v| match v {
        Variable::Field(of, field) if of == table => {
            Some(Expr::Var(Variable::Row(table.clone(), run, field.clone())))
        }
        _ => None,
    })
}

/// Whether an expression is made of parameters, without sums over rows.
fn is_public(context: &Context, e: &Expr) -> bool {
    let mut sums = false;
    visit(e, &mut |part| sums |= matches!(part, Expr::Sum(..)));
    !sums && of_parameters(context.mechanism(), e)
}

/// Whether an expression is made of parameters and of what the program has set, without sums over rows and inputs: as a bound of
/// a row it will do if it is equal in both runs.
fn is_set(context: &Context, e: &Expr) -> bool {
    let mut set = true;
    visit(e, &mut |part| set &= !matches!(part, Expr::Sum(..)));
    let inputs = &context.mechanism().inputs;
    e.for_each_variable(&mut |v| {
        set &= matches!(v, Variable::Plain(name) if !inputs.iter().any(|input| input.name == *name));
    });
    set
}

/// Which expressions will do as ends of a range.
type Ends = fn(&Context, &Expr) -> bool;

/// Where the value that a row adds to a sum lies, if its condition holds.
pub(crate) fn value_range(context: &Context, sum: &Sum) -> Option<Range> {
    value_between(context, sum, is_public)
}

fn value_between(context: &Context, sum: &Sum, ends: Ends) -> Option<Range> {
    let mut bounds = context.mechanism().assumptions.clone();
    bounds.push(sum.condition.clone());
    between(context, &bounds, &sum.value, ends)
}

/// Where a number lies, given bounds on its parts.
pub(crate) fn range(context: &Context, bounds: &[Expr], e: &Expr) -> Option<Range> {
    between(context, bounds, e, is_public)
}

fn between(context: &Context, bounds: &[Expr], e: &Expr, ends: Ends) -> Option<Range> {
    let go = |e: &Expr| between(context, bounds, e, ends);
    if ends(context, e) {
        return Some(Range::point(e.clone()));
    }
    let zero = Expr::int(0);
    Some(match e {
        Expr::Clamp(_, low, high) if ends(context, low) && ends(context, high) => {
            Range { low: (**low).clone(), high: (**high).clone() }
        }
        Expr::Unary(Unary::Neg, a) => {
            let a = go(a)?;
            Range { low: minus(zero.clone(), a.high), high: minus(zero, a.low) }
        }
        Expr::Unary(Unary::Abs, a) => Range { low: zero, high: go(a)?.size() },
        Expr::Binary(Binary::Add, a, b) => {
            let (a, b) = (go(a)?, go(b)?);
            Range { low: plus(a.low, b.low), high: plus(a.high, b.high) }
        }
        Expr::Binary(Binary::Sub, a, b) => {
            let (a, b) = (go(a)?, go(b)?);
            Range { low: minus(a.low, b.high), high: minus(a.high, b.low) }
        }
        Expr::Binary(Binary::Mul, a, b) => {
            let (p, q) = (go(a)?, go(b)?);
            let size = product(p.size(), q.size());
            let positive = |r: &Range| matches!(&r.low, Expr::Number(n) if *n >= Rational::ZERO);
            let low = if a == b || positive(&p) && positive(&q) { zero } else { minus(zero, size.clone()) };
            Range { low, high: size }
        }
        Expr::Binary(Binary::Div, a, b) if ends(context, b) => {
            let a = go(a)?;
            Range { low: divided(a.low, b), high: divided(a.high, b) }
        }
        // 0 ≤ a mod b < b.
        Expr::Binary(Binary::Mod, a, b) if ends(context, b) => {
            let whole = context.kind(a) == Kind::Int && context.kind(b) == Kind::Int;
            let high = if whole { minus((**b).clone(), Expr::int(1)) } else { (**b).clone() };
            Range { low: zero, high }
        }
        Expr::Binary(op @ (Binary::Min | Binary::Max), a, b) => {
            let (p, q) = (go(a), go(b));
            // One side may be bounded by the other only: max(0, min(x, B)).
            match (op, p, q) {
                (_, Some(p), Some(q)) => join(&p, &q),
                (Binary::Max, None, Some(q)) => {
                    Range { low: q.low.clone(), high: upper(context, bounds, a, ends)? }
                }
                (Binary::Max, Some(p), None) => {
                    Range { low: p.low.clone(), high: upper(context, bounds, b, ends)? }
                }
                (_, None, Some(q)) => Range { low: lower(context, bounds, a, ends)?, high: q.high },
                (_, Some(p), None) => Range { low: lower(context, bounds, b, ends)?, high: p.high },
                _ => return None,
            }
        }
        Expr::If(guard, a, b) => {
            let within = |holds: bool, e: &Expr| {
                let mut known = bounds.to_vec();
                told_by(guard, holds, &mut known);
                between(context, &known, e, ends)
            };
            join(&within(true, a)?, &within(false, b)?)
        }
        _ => Range { low: lower(context, bounds, e, ends)?, high: upper(context, bounds, e, ends)? },
    })
}

/// What a guard says where it holds, or where it does not: comparisons, and those of a size as two.
fn told_by(guard: &Expr, holds: bool, known: &mut Vec<Expr>) {
    match guard {
        Expr::Unary(Unary::Not, inside) => told_by(inside, !holds, known),
        Expr::Binary(op @ (Binary::And | Binary::Or), a, b) if (*op == Binary::And) == holds => {
            told_by(a, holds, known);
            told_by(b, holds, known);
        }
        Expr::Binary(op @ (Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge), a, b) => {
            let up = matches!(op, Binary::Lt | Binary::Le) == holds;
            let (small, large) = if up { (a, b) } else { (b, a) };
            known.push((**small).clone().le((**large).clone()));
            if let Expr::Unary(Unary::Abs, inside) = &**small {
                known.push((**inside).clone().le((**large).clone()));
                known.push(minus(Expr::int(0), (**large).clone()).le((**inside).clone()));
            }
        }
        _ => {}
    }
}

/// The smallest range that has both, as far as it is plain which numbers are smaller.
fn join(p: &Range, q: &Range) -> Range {
    let pick = |a: &Expr, b: &Expr, least: bool| match (a, b) {
        _ if a == b => a.clone(),
        (Expr::Number(m), Expr::Number(n)) => {
            if (m < n) == least {
                a.clone()
            } else {
                b.clone()
            }
        }
        // 0 is most often the other end of what is not negative.
        (Expr::Number(n), other) | (other, Expr::Number(n)) if n.is_zero() => {
            if least {
                a.clone().min(b.clone())
            } else {
                other.clone()
            }
        }
        _ if least => a.clone().min(b.clone()),
        _ => a.clone().max(b.clone()),
    };
    Range { low: pick(&p.low, &q.low, true), high: pick(&p.high, &q.high, false) }
}

fn upper(context: &Context, bounds: &[Expr], e: &Expr, ends: Ends) -> Option<Expr> {
    known_bound(context, bounds, e, (false, ends))
}

fn lower(context: &Context, bounds: &[Expr], e: &Expr, ends: Ends) -> Option<Expr> {
    known_bound(context, bounds, e, (true, ends))
}

/// A bound that the assumptions, a condition or the sort of a field gives.
fn known_bound(context: &Context, bounds: &[Expr], e: &Expr, (low, ends): (bool, Ends)) -> Option<Expr> {
    for bound in bounds {
        let mut found = None;
        conjuncts(bound, &mut |part| {
            let Expr::Binary(op, a, b) = part else { return };
            let (small, large) = match op {
                Binary::Le | Binary::Lt => (a, b),
                Binary::Ge | Binary::Gt => (b, a),
                Binary::Eq => {
                    let other = if **a == *e { b } else { a };
                    if (**a == *e || **b == *e) && ends(context, other) {
                        found = Some((**other).clone());
                    }
                    return;
                }
                _ => return,
            };
            let (this, that) = if low { (large, small) } else { (small, large) };
            if **this == *e && ends(context, that) && found.is_none() {
                found = Some((**that).clone());
            }
        });
        if found.is_some() {
            return found;
        }
    }
    // The other side of a minimum or a maximum bounds it.
    if let Expr::Binary(op @ (Binary::Min | Binary::Max), a, b) = e
        && (*op == Binary::Max) == low
    {
        return [a, b].into_iter().find(|side| ends(context, side)).map(|side| (**side).clone());
    }
    let Expr::Var(Variable::Field(table, name)) = e else { return None };
    let input = context.mechanism().inputs.iter().find(|input| input.name == *table)?;
    let Sort::Rows(fields) = &input.sort else { return None };
    match &fields.iter().find(|field| field.name == *name)?.sort {
        Sort::Category { count } => Some(if low { Expr::int(0) } else { minus(count.clone(), Expr::int(1)) }),
        _ => None,
    }
}

/// Calls `see` on the parts of a conjunction.
pub(crate) fn conjuncts(e: &Expr, see: &mut dyn FnMut(&Expr)) {
    match e {
        Expr::Binary(Binary::And, a, b) => {
            conjuncts(a, see);
            conjuncts(b, see);
        }
        _ => see(e),
    }
}

/// A sum in a number that is linear in sums, with its factor.
pub(crate) struct Term {
    pub(crate) sum: Sum,
    pub(crate) factor: Expr,
}

/// The sums in a number with their factors; `None` if it is not linear in them.
pub(crate) fn terms(e: &Expr) -> Option<Vec<Term>> {
    if sums(e).is_empty() {
        return Some(vec![]);
    }
    let scaled = |terms: Vec<Term>, by: &dyn Fn(Expr) -> Expr| {
        terms.into_iter().map(|Term { sum, factor }| Term { sum, factor: by(factor) }).collect::<Vec<_>>()
    };
    Some(match e {
        Expr::Sum(..) => {
            let sum = sums(e).pop()?;
            vec![Term { sum, factor: Expr::int(1) }]
        }
        Expr::Unary(Unary::Neg, a) => scaled(terms(a)?, &|f| minus(Expr::int(0), f)),
        Expr::Binary(Binary::Add, a, b) => terms(a)?.into_iter().chain(terms(b)?).collect(),
        Expr::Binary(Binary::Sub, a, b) => {
            let subtracted = scaled(terms(b)?, &|f| minus(Expr::int(0), f));
            terms(a)?.into_iter().chain(subtracted).collect()
        }
        Expr::Binary(Binary::Mul, a, b) if sums(b).is_empty() => {
            scaled(terms(a)?, &|f| product(f, (**b).clone()))
        }
        Expr::Binary(Binary::Mul, a, b) if sums(a).is_empty() => {
            scaled(terms(b)?, &|f| product((**a).clone(), f))
        }
        Expr::Binary(Binary::Div, a, b) if sums(b).is_empty() => scaled(terms(a)?, &|f| divided(f, b)),
        _ => return None,
    })
}

/// What a draw with a center that is linear in sums may cost if its value stays: by the rows that differ, in terms of
/// amounts that the parameters fix.
pub(crate) struct Charge {
    pub(crate) cost: Expr,
    pub(crate) amounts: Vec<Expr>,
}

/// The charge for a center, given what a distance costs.
pub(crate) fn charge(context: &Context, center: &Expr, price: &dyn Fn(&Expr) -> Expr) -> Option<Charge> {
    let terms = terms(center)?;
    let table = terms.first()?.sum.table.clone();
    if terms.iter().any(|term| term.sum.table != table) {
        return None;
    }
    let runs = runs_with_row(context, &table);
    let zero = Expr::int(0);
    // A positive number that all have as a factor, as 1 / n in a mean, keeps the order of what it multiplies.
    let common = common_factor(context, &terms);
    let mut whole: Option<Range> = None;
    // A row that meets the condition of one sum and of no other adds to that one only.
    let conditions: Vec<&Expr> = terms.iter().map(|term| &term.sum.condition).collect();
    let first_of = |at: usize| conditions[..at].iter().all(|other| exclude(other, conditions[at]));
    let exclusive = conditions.len() > 1 && (1..conditions.len()).all(first_of);
    // The same where a row may meet the conditions of some sums only, and add nothing to the others.
    let mut some = Some(Range::point(zero.clone()));
    for Term { sum, factor } in &terms {
        let factor = if common.is_some() { &Expr::int(1) } else { factor };
        let value = between(context, &[], factor, is_set).zip(value_between(context, sum, is_set))?;
        let part = match (factor, value) {
            (_, (one, value)) if one.low == Expr::int(1) => value,
            (Expr::Number(n), (_, value)) => {
                let by = |e: Expr| product(factor.clone(), e);
                match *n < Rational::ZERO {
                    true => Range { low: by(value.high), high: by(value.low) },
                    false => Range { low: by(value.low), high: by(value.high) },
                }
            }
            (_, (factor, value)) => {
                let size = product(factor.size(), value.size());
                Range { low: minus(zero.clone(), size.clone()), high: size }
            }
        };
        some = some.zip(part.or_nothing()).map(|(sum, part)| match exclusive {
            true => join(&sum, &part),
            false => Range { low: plus(sum.low, part.low), high: plus(sum.high, part.high) },
        });
        whole = Some(match whole {
            None => part,
            Some(sum) => Range { low: plus(sum.low, part.low), high: plus(sum.high, part.high) },
        });
    }
    let whole = whole?;
    // Several sums with different conditions may be met one by one: then each may add nothing.
    let one = terms.iter().all(|term| term.sum.condition == terms[0].sum.condition);
    let (size, width) = match some.filter(|_| !one) {
        _ if one => (whole.size(), whole.width()),
        Some(some) => (some.size(), some.width()),
        None => {
            let sizes = terms.iter().map(|t| {
                let value = value_between(context, &t.sum, is_set)?.size();
                match common {
                    Some(_) => Some(value),
                    None => Some(product(between(context, &[], &t.factor, is_set)?.size(), value)),
                }
            });
            let together = |a: Expr, b: Expr| match exclusive {
                true if a == b => a,
                true => a.max(b),
                false => plus(a, b),
            };
            let size = sizes.collect::<Option<Vec<Expr>>>()?.into_iter().reduce(together)?;
            (size.clone(), product(Expr::int(2), size))
        }
    };
    let (size, width) = match common {
        Some(factor) => (product(factor.clone(), size), product(factor, width)),
        None => (size, width),
    };
    let here = |e: &Expr| context.in_run(e, Run::First);
    let (m, w) = (price(&here(&size)), price(&here(&width)));
    let met = |run: Run| {
        let mut conditions: Vec<Expr> = Vec::new();
        for Term { sum, .. } in &terms {
            let condition = at_row(context, &sum.condition, &table, run);
            if !conditions.contains(&condition) {
                conditions.push(condition);
            }
        }
        if conditions.contains(&Expr::Bool(true)) {
            return Expr::Bool(true);
        }
        conditions.into_iter().reduce(Expr::or).unwrap_or(Expr::Bool(true))
    };
    let choose = |condition: Expr, yes: Expr, no: Expr| match condition {
        Expr::Bool(true) => yes,
        _ if yes == no => yes,
        _ => condition.choose(yes, no),
    };
    let cost = match runs.as_slice() {
        [run] => choose(met(*run), m.clone(), zero),
        [first, second] => {
            let alone = |run: Run| choose(met(run), m.clone(), zero.clone());
            choose(met(*first), choose(met(*second), w.clone(), m.clone()), alone(*second))
        }
        _ => return None,
    };
    // The width is due only if there are two rows.
    let mut amounts = if runs.len() > 1 || is_public(context, &w) { vec![m, w] } else { vec![m] };
    amounts.retain(|amount| *amount != Expr::int(0));
    amounts.dedup();
    Some(Charge { cost, amounts })
}

/// How much one row can change the sums of a mechanism.
pub(crate) fn sizes(context: &Context) -> Vec<Expr> {
    let mut found = Vec::new();
    for sum in all_sums(context) {
        if let Some(range) = value_range(context, &sum) {
            let replaced = runs_with_row(context, &sum.table).len() > 1;
            for size in [Some(range.size()), replaced.then(|| range.width())].into_iter().flatten() {
                if size != Expr::int(0) && !found.contains(&size) {
                    found.push(size);
                }
            }
        }
    }
    found
}

/// When a loop has passed the group of a row: (past, what places the row), for the comparisons of what a row has with
/// what the index fixes.
pub(crate) fn passed(context: &Context, index: &Name) -> Vec<(Expr, Expr)> {
    let mut found = Vec::new();
    let is_input = |name: &Name| context.mechanism().inputs.iter().any(|input| input.name == *name);
    for sum in all_sums(context) {
        for run in runs_with_row(context, &sum.table) {
            conjuncts(&sum.condition, &mut |part| {
                let Expr::Binary(op, a, b) = part else { return };
                let is_row = |e: &Expr| {
                    let mut row = false;
                    e.for_each_variable(&mut |v| row |= matches!(v, Variable::Field(..)));
                    row && !mentions(e, index)
                };
                let is_index = |e: &Expr| {
                    let mut fixed = mentions(e, index);
                    e.for_each_variable(&mut |v| {
                        fixed &= matches!(v, Variable::Plain(name) if !is_input(name))
                    });
                    fixed
                };
                let (row, place, strict) = match op {
                    Binary::Eq if is_row(a) && is_index(b) => (a, b, true),
                    Binary::Eq if is_row(b) && is_index(a) => (b, a, true),
                    Binary::Le if is_index(a) && is_row(b) => (b, a, true),
                    Binary::Lt if is_index(a) && is_row(b) => (b, a, false),
                    Binary::Ge if is_row(a) && is_index(b) => (a, b, true),
                    Binary::Gt if is_row(a) && is_index(b) => (a, b, false),
                    _ => return,
                };
                let event = at_row(context, row, &sum.table, run);
                let place = context.in_run(place, Run::First);
                let past = match strict {
                    true => event.clone().lt(place),
                    false => event.clone().le(place),
                };
                if !found.contains(&(past.clone(), event.clone())) {
                    found.push((past, event));
                }
            });
        }
    }
    found
}

/// The same for a loop inside others, in the order of the groups: an outer loop is past the row's group, or at it with
/// the inner loop past it.
pub(crate) fn passed_within(context: &Context, index: &Name, outer: &[Name]) -> Vec<(Expr, Expr)> {
    let mut all = passed(context, index);
    for around in outer.iter().rev() {
        let mut wider = Vec::new();
        for (before, place) in passed(context, around) {
            let at = match &before {
                Expr::Binary(Binary::Lt, _, at) => place.clone().equals((**at).clone()),
                _ => continue,
            };
            for (past, event) in all.iter().filter(|(past, _)| same_row(past, &before)) {
                wider.push((before.clone().or(at.clone().and(past.clone())), event.clone()));
            }
        }
        all.splice(0..0, wider);
    }
    all
}

/// Whether two conditions speak of one row.
fn same_row(a: &Expr, b: &Expr) -> bool {
    let row = |e: &Expr| {
        let mut found = None;
        e.for_each_variable(&mut |v| {
            if let Variable::Row(table, run, _) = v {
                found = Some((table.clone(), *run));
            }
        });
        found
    };
    row(a) == row(b)
}

/// The price of a distance: how much of the budget a shift by it takes, at this scale.
pub(crate) fn price(distance: &Expr, scale: &Expr) -> Expr {
    let distance = absolute_plain(distance);
    sized_price(&distance, scale).unwrap_or_else(|| match is_irrational(scale) {
        true => by_factors(distance, scale),
        false => over(distance, scale),
    })
}

/// An amount over a scale, divided by one factor of the scale after the other, numbers and parameters first: what is divided by
/// a root is then the same wherever the root stands.
fn by_factors(amount: Expr, scale: &Expr) -> Expr {
    let (mut top, mut bottom) = (Vec::new(), Vec::new());
    factors(scale, &mut top, &mut bottom);
    top.sort_by_key(is_irrational);
    let amount = bottom.into_iter().fold(amount, |amount, e| product(e, amount));
    top.iter().fold(amount, divided)
}

/// Whether a number has a root, a logarithm or an exponential in it.
pub(crate) fn is_irrational(e: &Expr) -> bool {
    let mut found = false;
    visit(e, &mut |part| found |= matches!(part, Expr::Unary(Unary::Sqrt | Unary::Ln | Unary::Exp, _)));
    found
}

/// The size of a distance; ranges have theirs in order.
fn absolute_plain(e: &Expr) -> Expr {
    match e {
        Expr::Number(_) => absolute(e.clone()),
        _ => e.clone(),
    }
}

/// Where the rows that differ lie beyond a boundary that a loop moves on, as `low` in `count(r in t where low <= r.v and r.v < 2 * low)`:
/// the condition, and the number that is beyond.
pub(crate) fn passed_boundaries(context: &Context, body: &[Statement], set: &[Name]) -> Vec<(Expr, Expr)> {
    let mut found: Vec<(Expr, Expr)> = Vec::new();
    let reads_row = |e: &Expr| e.find_variable(&|v| matches!(v, Variable::Field(..))).is_some();
    let moves = |e: &Expr| e.find_variable(&|v| matches!(v, Variable::Plain(n) if set.contains(n))).is_some();
    for_each_expr(body, &mut |e| {
        for sum in sums(e) {
            conjuncts(&sum.condition, &mut |part| {
                let Expr::Binary(op, a, b) = part else { return };
                let (small, large, strict) = match op {
                    Binary::Le | Binary::Lt => (a, b, *op == Binary::Lt),
                    Binary::Ge | Binary::Gt => (b, a, *op == Binary::Gt),
                    _ => return,
                };
                for run in runs_with_row(context, &sum.table) {
                    let at = |e: &Expr| at_row(context, e, &sum.table, run);
                    let (below, above) = (at(small), at(large));
                    // A row that does not meet it lies on the other side.
                    let beyond = if strict {
                        above.clone().le(below.clone())
                    } else {
                        above.clone().lt(below.clone())
                    };
                    let event = match (reads_row(small), reads_row(large)) {
                        (false, true) if moves(small) => above,
                        (true, false) if moves(large) => below,
                        _ => continue,
                    };
                    if !found.contains(&(beyond.clone(), event.clone())) {
                        found.push((beyond, event));
                    }
                }
            });
        }
    });
    found.truncate(MOST_BOUNDARIES);
    found
}

/// The most boundaries of one loop that are looked at.
const MOST_BOUNDARIES: usize = 6;
