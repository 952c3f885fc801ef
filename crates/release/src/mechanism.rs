//! The text of a release in the mechanism language: what is proved, and what is drawn.

use std::collections::BTreeSet;
use std::fmt::Write;

use probity_exact::{Natural, Rational, UnsignedAbs, parse_rational};

use crate::policy::{Domain, Unit};
use crate::query::row::{Condition, Order, Row};
use crate::query::{DrawKind, Plan};

/// Words that the text uses itself, or that the language may reserve.
const TAKEN: &str = "mechanism param where let for in if then else while as return neighbours claim and or not mod \
    true false append expect refuted proof couple invariant any one every row rows of is added \
    removed replaced at most are real int bool category count sum abs min max clamp floor round_to \
    pow2_at_least ln exp length laplace discrete_laplace gaussian discrete_gaussian uniform sign \
    bernoulli choose eps out g r release cost result changed moved shift null scale pointwise \
    rewrite entry entries by differ differs grows shrinks with";

/// Names in the text: those of the query where the language can have them, others made up.
fn names<'a>(wanted: impl Iterator<Item = &'a str>, taken: &mut BTreeSet<String>) -> Vec<String> {
    let plain = |name: &str| {
        name.len() <= 40
            && name.bytes().next().is_some_and(|b| b.is_ascii_lowercase())
            && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
            && !TAKEN.split(' ').any(|word| word == name)
    };
    let mut names = Vec::new();
    for (number, wanted) in wanted.enumerate() {
        let fresh = (1..).map(|n| format!("column_{}", number + n)).find(|name| !taken.contains(name));
        let name = match plain(wanted) && !taken.contains(wanted) {
            true => wanted.to_owned(),
            false => fresh.unwrap_or_default(),
        };
        taken.insert(name.clone());
        names.push(name);
    }
    names
}

/// How many rows of the table one unit can have, after bounding.
pub fn rows_of_unit(plan: &Plan) -> u64 {
    match &plan.table.unit {
        Unit::Row => 1,
        Unit::User { groups, rows_per_group, .. } => u64::from(*groups) * u64::from(*rows_per_group),
    }
}

/// The scale of a draw as a multiple of 1/eps: how far a unit moves it, over its share of the loss.
pub fn scale_factor(sensitivity: u64, share: &Rational, rows: u64) -> Rational {
    Rational::from(sensitivity) * Rational::from(rows) / share
}

fn over_eps(factor: &Rational) -> String {
    match *factor.denominator() == Natural::ONE {
        true => format!("{} / eps", factor.numerator()),
        false => format!("{} / ({} * eps)", factor.numerator().clone().unsigned_abs(), factor.denominator()),
    }
}

/// The text for a plan with these shares of the loss.
pub fn text(plan: &Plan, shares: &[Rational]) -> String {
    let mut taken: BTreeSet<String> = plan.draws.iter().map(|draw| draw.name.clone()).collect();
    let table = names(std::iter::once(plan.table.name.as_str()), &mut taken).remove(0);
    let fields = names(plan.fields.iter().map(|field| field.name.as_str()), &mut taken);
    let typed: Vec<String> = plan
        .fields
        .iter()
        .zip(&fields)
        .map(|(field, name)| match &field.domain {
            Domain::Categories(values) => format!("{name}: category({})", values.len()),
            Domain::Bool => format!("{name}: category(2)"),
            _ => format!("{name}: int"),
        })
        .collect();
    let mut text =
        format!("mechanism release({table}: rows({}))\nparam eps > 0\nout = []\n", typed.join(", "));
    let rows = rows_of_unit(plan);
    let group = plan.group_row();
    let indent = if group.is_some() { "  " } else { "" };
    if group.is_some() {
        let _ = writeln!(text, "for g in 0..{} {{", plan.groups());
    }
    for (draw, share) in plan.draws.iter().zip(shares) {
        let mut taken_rows = draw.condition.to_text(&fields);
        let all = draw.condition == Condition::Constant(true);
        if let Some(group) = &group {
            let own = format!("{} {} g", group.to_text(&fields), Order::Equal.sign());
            taken_rows = if all { own } else { format!("{own} and {taken_rows}") };
        }
        let over = match all && group.is_none() {
            true => format!("r in {table}"),
            false => format!("r in {table} where {taken_rows}"),
        };
        let aggregate = match &draw.kind {
            DrawKind::Count => format!("count({over})"),
            DrawKind::Sum(row) => format!("sum({over}, {})", summand(row, draw.range, &fields)),
        };
        let scale = over_eps(&scale_factor(draw.sensitivity(), share, rows));
        let _ = writeln!(text, "{indent}{} ~ discrete_laplace({aggregate}, {scale})", draw.name);
    }
    for draw in &plan.draws {
        let _ = writeln!(text, "{indent}append(out, {})", draw.name);
    }
    if group.is_some() {
        text.push_str("}\n");
    }
    let unit = match &plan.table.unit {
        Unit::Row => format!("one row of {table} is"),
        Unit::User { .. } => format!("at most {rows} rows of {table} are"),
    };
    let _ = write!(text, "return out\nneighbours {unit} added or removed\nclaim eps\n");
    text
}

/// The shares with which a plan has a text, read from the scales of its draws.
pub fn shares_of(plan: &Plan, text: &str) -> Option<Vec<Rational>> {
    let rows = rows_of_unit(plan);
    let scale = |name: &str| {
        let line = text
            .lines()
            .find_map(|line| line.trim_start().strip_prefix(name)?.strip_prefix(" ~ discrete_laplace("))?;
        let scale = line.strip_suffix(')')?.rsplit_once(", ")?.1;
        let (top, bottom) = scale.split_once(" / ")?;
        let bottom = match bottom {
            "eps" => Rational::ONE,
            other => parse_rational(other.strip_prefix('(')?.strip_suffix(" * eps)")?).ok()?,
        };
        let factor = parse_rational(top).ok()? / bottom;
        (factor > Rational::ZERO).then_some(factor)
    };
    let share = |draw: &crate::query::Draw| {
        let one = scale_factor(draw.sensitivity(), &Rational::ONE, rows);
        scale(&draw.name).map(|factor| one / factor)
    };
    plan.draws.iter().map(share).collect()
}

/// What a row adds, within constants: a proof needs no more than these.
fn summand(row: &Row, range: (i64, i64), fields: &[String]) -> String {
    let inner = row.to_text(fields);
    // Parentheses around the whole would only be read over.
    let inner = match row {
        Row::Column { .. } | Row::Constant(_) => inner.as_str(),
        _ => inner
            .strip_prefix('(')
            .and_then(|inner| inner.strip_suffix(')'))
            .filter(|_| inner.starts_with('('))
            .unwrap_or(&inner),
    };
    format!("clamp({inner}, {}, {})", range.0, range.1)
}
