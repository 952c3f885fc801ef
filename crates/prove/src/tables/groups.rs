//! Sums over groups: which rows they are about, so that what is due for one group is not due for another.

use probity_kernel::context::Context;
use probity_kernel::expr::Run;
use probity_kernel::expr::{Binary, Expr, Name, Unary, Variable};
use probity_kernel::kind::Kind;

use crate::algebra::{minus, normal, plus, product};
use crate::tables::{Sum, all_sums, at_row, conjuncts, runs_with_row};

/// The group that a sum is over, if its condition has a number made of fields at a place that no field fixes: that number for the
/// rows that differ, and the place.
pub(crate) fn group(context: &Context, sum: &Sum) -> Option<(Vec<Expr>, Expr)> {
    let is_param = |name: &Name| context.mechanism().params.iter().any(|param| param.name == *name);
    let is_field = |v: &Variable| matches!(v, Variable::Field(..));
    let is_fixed = |v: &Variable| is_field(v) || matches!(v, Variable::Plain(name) if is_param(name));
    let found = groups(context, sum);
    // A place that a loop goes through comes before one that the text fixes: `r.region == g and r.sex == 0` is about region g.
    let goes_on = |(_, place): &(Vec<Expr>, Expr)| place.find_variable(&|v| !is_fixed(v)).is_some();
    let chosen = found.iter().position(goes_on).unwrap_or(0);
    found.into_iter().nth(chosen)
}

/// All groups that the condition of a sum speaks of, in its order.
fn groups(context: &Context, sum: &Sum) -> Vec<(Vec<Expr>, Expr)> {
    let mut found: Vec<(Vec<Expr>, Expr)> = Vec::new();
    let is_param = |name: &Name| context.mechanism().params.iter().any(|param| param.name == *name);
    let is_field = |v: &Variable| matches!(v, Variable::Field(..));
    let is_fixed = |v: &Variable| is_field(v) || matches!(v, Variable::Plain(name) if is_param(name));
    conjuncts(&sum.condition, &mut |part| {
        let Expr::Binary(Binary::Eq, a, b) = part else { return };
        for (group, place) in [(a, b), (b, a)] {
            let of_row =
                group.find_variable(&is_field).is_some() && group.find_variable(&|v| !is_fixed(v)).is_none();
            let fixed = place.find_variable(&is_field).is_none();
            let runs = runs_with_row(context, &sum.table);
            let event = |run: &Run| at_row(context, group, &sum.table, *run);
            let counts = |run: &Run| context.kind(&event(run)) != Kind::Bool;
            if of_row && fixed && runs.iter().all(counts) {
                found.push((runs.iter().map(event).collect(), (**place).clone()));
            }
        }
    });
    found
}

/// The cell that a sum is over in loops inside each other, given their indices and bounds from the outermost on: the places of the
/// indices that its condition fixes, read as the digits of one number. So every cell comes once, as every group of one loop does.
pub(crate) fn cell(context: &Context, sum: &Sum, loops: &[(Name, Expr, Expr)]) -> Option<(Vec<Expr>, Expr)> {
    let found = groups(context, sum);
    let digit = |(index, low, high): &(Name, Expr, Expr)| {
        let i = Expr::var(index.clone());
        let (events, _) = found.iter().find(|(_, place)| *place == i)?;
        Some((events.clone(), i, low.clone(), minus(high.clone(), low.clone())))
    };
    let mut digits = loops.iter().filter_map(digit);
    let (mut events, mut at, ..) = digits.next()?;
    let mut several = false;
    for (more, place, low, radix) in digits {
        several = true;
        let next = |number: Expr, digit: Expr| {
            let shifted = plus(product(number, radix.clone()), minus(digit, low.clone()));
            normal(context, &shifted)
        };
        events = events.into_iter().zip(more).map(|(event, digit)| next(event, digit)).collect();
        at = next(at, place);
    }
    several.then_some((events, at))
}

/// With more alternatives than this a condition is no choice between groups but a list of values: what is due for each of them would be
/// looked at one by one, for nothing.
pub(crate) const MANY_ALTERNATIVES: usize = 8;

/// How many alternatives the parts of a condition have, where they have most.
pub(crate) fn alternatives(condition: &Expr) -> usize {
    let mut most = 0;
    conjuncts(condition, &mut |part| {
        let mut found = Vec::new();
        disjuncts(part, &mut found);
        most = most.max(found.len());
    });
    most
}

/// The groups that a sum is over where its condition names several, as `r.first == g or r.second == g`.
pub(crate) fn either(context: &Context, sum: &Sum) -> Option<Vec<(Vec<Expr>, Expr)>> {
    let mut found = None;
    conjuncts(&sum.condition, &mut |part| {
        let mut alternatives = Vec::new();
        disjuncts(part, &mut alternatives);
        if alternatives.len() < 2 || alternatives.len() > MANY_ALTERNATIVES || found.is_some() {
            return;
        }
        let alone = |part: Expr| group(context, &Sum { condition: part, ..sum.clone() });
        found = alternatives.into_iter().map(alone).collect::<Option<Vec<_>>>();
    });
    found
}

fn disjuncts(e: &Expr, found: &mut Vec<Expr>) {
    match e {
        Expr::Binary(Binary::Or, a, b) => {
            disjuncts(a, found);
            disjuncts(b, found);
        }
        _ => found.push(e.clone()),
    }
}

/// The groups from one place on and before another that a sum is over, if its condition says that a whole number made of fields lies
/// between them.
pub(crate) fn window(context: &Context, sum: &Sum) -> Option<(Vec<Expr>, Expr, Expr)> {
    let is_param = |name: &Name| context.mechanism().params.iter().any(|param| param.name == *name);
    let is_field = |v: &Variable| matches!(v, Variable::Field(..));
    let is_fixed = |v: &Variable| is_field(v) || matches!(v, Variable::Plain(name) if is_param(name));
    let runs = runs_with_row(context, &sum.table);
    let (mut lows, mut highs) = (Vec::new(), Vec::new());
    conjuncts(&sum.condition, &mut |part| {
        let Expr::Binary(op @ (Binary::Lt | Binary::Le), a, b) = in_order(part.clone()) else { return };
        let next = |e: &Expr| normal(context, &plus(e.clone(), Expr::int(1)));
        let of_row = |e: &Expr| {
            let whole = |run: &Run| context.kind(&at_row(context, e, &sum.table, *run)) == Kind::Int;
            let fields = e.find_variable(&is_field).is_some() && e.find_variable(&|v| !is_fixed(v)).is_none();
            fields && runs.iter().all(whole)
        };
        let free = |e: &Expr| e.find_variable(&is_field).is_none();
        if of_row(&b) && free(&a) {
            lows.push(((*b).clone(), if op == Binary::Le { (*a).clone() } else { next(&a) }));
        } else if of_row(&a) && free(&b) {
            highs.push(((*a).clone(), if op == Binary::Lt { (*b).clone() } else { next(&b) }));
        }
    });
    let (group, low) = lows.into_iter().next()?;
    let (_, high) = highs.into_iter().find(|(other, _)| *other == group)?;
    let whole = |e: &Expr| context.kind(&context.in_run(e, Run::First)) == Kind::Int;
    let events = runs.iter().map(|run| at_row(context, &group, &sum.table, *run)).collect();
    (whole(&low) && whole(&high)).then_some((events, low, high))
}

/// For the rows that differ, what sums over one group ask of a row besides, where other sums over that group ask something else: as
/// women and men of one region. Nothing where that does not depend on the row alone.
pub(crate) fn only_in_group(
    context: &Context,
    sums: &[Sum],
    loops: &[(Name, Expr, Expr)],
) -> Vec<Option<Expr>> {
    let Some(first) = sums.first() else { return vec![] };
    let runs = runs_with_row(context, &first.table);
    let nothing = || vec![None; runs.len()];
    // The places of its group, or of its cell.
    let counted = |place: &Expr| loops.iter().any(|(index, ..)| *place == Expr::var(index.clone()));
    let own = |sum: &Sum| -> Vec<(Vec<Expr>, Expr)> {
        match cell(context, sum, loops) {
            Some(_) => groups(context, sum).into_iter().filter(|(_, place)| counted(place)).collect(),
            None => group(context, sum).into_iter().collect(),
        }
    };
    let group_of_first = own(first);
    if group_of_first.is_empty() {
        return nothing();
    }
    let rest = besides(context, first, &group_of_first);
    let alike = |sum: &Sum| besides(context, sum, &own(sum)) == rest;
    let events = |groups: &[(Vec<Expr>, Expr)]| groups.iter().map(|(e, _)| e.clone()).collect::<Vec<_>>();
    let shared = |sum: &Sum| match group_of_first.as_slice() {
        [(events, _)] => group(context, sum).is_some_and(|(other, _)| other == *events),
        several => events(&own(sum)) == events(several),
    };
    // Where no other sum leaves its rows out, what they pay adds up whatever is asked of them.
    let apart = |sum: &Sum| exclude(&first.condition, &sum.condition);
    let others = all_sums(context).iter().any(|sum| shared(sum) && apart(sum));
    match rest {
        Some(rest) if others && sums.iter().all(alike) => {
            runs.iter().map(|run| Some(at_row(context, &rest, &first.table, *run))).collect()
        }
        _ => nothing(),
    }
}

/// Whether no row meets both of two conditions, as one sees from a part of each: the one denies the other, or both say what one number is.
pub(super) fn exclude(a: &Expr, b: &Expr) -> bool {
    let parts = |e: &Expr| {
        let mut found = Vec::new();
        conjuncts(e, &mut |part| found.push(in_order(folded(part.clone()))));
        found
    };
    let (ours, theirs) = (parts(a), parts(b));
    ours.iter().any(|a| theirs.iter().any(|b| in_order(denied(a)) == *b || differ(a, b)))
}

/// Whether no row meets one alternative of a condition and one of another.
pub(crate) fn apart(a: &Expr, b: &Expr) -> bool {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    disjuncts(a, &mut ours);
    disjuncts(b, &mut theirs);
    ours.iter().all(|a| theirs.iter().all(|b| exclude(a, b)))
}

/// The condition of a sum as a group, if it is about fields and parameters and leaves out the rows of another sum: for the rows that
/// differ, 0 where it holds and 1 where it does not.
pub(crate) fn one_of_several(context: &Context, sum: &Sum) -> Option<(Vec<Expr>, Expr)> {
    let is_param = |name: &Name| context.mechanism().params.iter().any(|param| param.name == *name);
    let is_fixed = |v: &Variable| {
        matches!(v, Variable::Field(..)) || matches!(v, Variable::Plain(name) if is_param(name))
    };
    if sum.condition.find_variable(&|v| !is_fixed(v)).is_some() {
        return None;
    }
    let others = all_sums(context);
    let several =
        others.iter().any(|other| other.table == sum.table && exclude(&sum.condition, &other.condition));
    let event =
        |run: Run| at_row(context, &sum.condition, &sum.table, run).choose(Expr::int(0), Expr::int(1));
    several.then(|| (runs_with_row(context, &sum.table).into_iter().map(event).collect(), Expr::int(0)))
}

/// A comparison of numbers as what it says, and of a truth value with one as that value or its opposite.
fn folded(e: Expr) -> Expr {
    let Expr::Binary(op @ (Binary::Eq | Binary::Ne), a, b) = &e else { return e };
    let (a, b) = (folded((**a).clone()), folded((**b).clone()));
    match (&a, &b) {
        (Expr::Number(m), Expr::Number(n)) => Expr::Bool((m == n) == (*op == Binary::Eq)),
        (Expr::Bool(value), other) | (other, Expr::Bool(value)) => match *value == (*op == Binary::Eq) {
            true => other.clone(),
            false => denied(other),
        },
        _ => e,
    }
}

/// Two equations of one number with two others.
fn differ(a: &Expr, b: &Expr) -> bool {
    match (a, b) {
        (Expr::Binary(Binary::Eq, a, m), Expr::Binary(Binary::Eq, b, n)) => {
            a == b && m != n && matches!((&**m, &**n), (Expr::Number(_), Expr::Number(_)))
        }
        _ => false,
    }
}

/// What a condition denies, one step deep.
fn denied(e: &Expr) -> Expr {
    match e {
        Expr::Unary(Unary::Not, inner) => (**inner).clone(),
        Expr::Binary(Binary::Lt, a, b) => Expr::Binary(Binary::Le, b.clone(), a.clone()),
        Expr::Binary(Binary::Le, a, b) => Expr::Binary(Binary::Lt, b.clone(), a.clone()),
        Expr::Binary(Binary::Eq, a, b) => Expr::Binary(Binary::Ne, a.clone(), b.clone()),
        Expr::Binary(Binary::Ne, a, b) => Expr::Binary(Binary::Eq, a.clone(), b.clone()),
        other => Expr::Unary(Unary::Not, std::sync::Arc::new(other.clone())),
    }
}

/// A comparison with the smaller side first, and a number last in an equation.
fn in_order(e: Expr) -> Expr {
    match e {
        Expr::Binary(Binary::Gt, a, b) => Expr::Binary(Binary::Lt, b, a),
        Expr::Binary(Binary::Ge, a, b) => Expr::Binary(Binary::Le, b, a),
        Expr::Binary(op @ (Binary::Eq | Binary::Ne), a, b) if matches!(*a, Expr::Number(_)) => {
            Expr::Binary(op, b, a)
        }
        other => other,
    }
}

/// What the condition of a sum says besides its groups, if that is about fields and parameters.
fn besides(context: &Context, sum: &Sum, own: &[(Vec<Expr>, Expr)]) -> Option<Expr> {
    let mut rest = Vec::new();
    conjuncts(&sum.condition, &mut |part| {
        let alone = Sum { condition: part.clone(), ..sum.clone() };
        if group(context, &alone).is_none_or(|found| !own.contains(&found)) {
            rest.push(part.clone());
        }
    });
    let is_param = |name: &Name| context.mechanism().params.iter().any(|param| param.name == *name);
    let fixed = |v: &Variable| match v {
        Variable::Field(..) => true,
        Variable::Plain(name) => is_param(name),
        _ => false,
    };
    let rest = rest.into_iter().reduce(Expr::and)?;
    rest.find_variable(&|v| !fixed(v)).is_none().then_some(rest)
}

/// The side of a comparison that a sum is over, as a group: for the rows that differ, 0 where the comparison holds and 1 where
/// it does not; and which of the two it is.
pub(crate) fn side(context: &Context, sum: &Sum) -> Option<(Vec<Expr>, Expr)> {
    let mut condition = sum.condition.clone();
    let mut holds = true;
    while let Expr::Unary(Unary::Not, inner) = &condition {
        (condition, holds) = ((**inner).clone(), !holds);
    }
    let Expr::Binary(op, a, b) = &condition else { return None };
    let opposite = match op {
        Binary::Gt => Binary::Le,
        Binary::Ge => Binary::Lt,
        Binary::Ne => Binary::Eq,
        Binary::Le | Binary::Lt | Binary::Eq => *op,
        _ => return None,
    };
    let holds = holds == (opposite == *op);
    let condition = Expr::Binary(opposite, a.clone(), b.clone());
    let event = |run: Run| at_row(context, &condition, &sum.table, run).choose(Expr::int(0), Expr::int(1));
    let events = runs_with_row(context, &sum.table).into_iter().map(event).collect();
    Some((events, Expr::int(if holds { 0 } else { 1 })))
}
