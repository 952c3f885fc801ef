//! The text of a release in the mechanism language: what is proved, and what is drawn.

use std::collections::BTreeSet;
use std::fmt::Write;

use probity_exact::{Natural, Rational, UnsignedAbs, parse_rational};

use crate::policy::{Domain, Unit};
use crate::query::row::{Condition, Order, Row};
use crate::query::{Draw, DrawKind, Plan};

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

/// Numbers of this size are parameters in the text, and what is proved is proved for all their values: the search for proofs tries
/// numbers, and takes large ones for too large.
const LARGE: u64 = 100_000_000;

/// The same inside a sum of that size, where numbers may be multiplied.
const LARGE_FACTOR: u64 = 1000;

/// The parameter that bounds what a row adds to a draw, where the bound is large.
fn bound_name(draw: &Draw) -> Option<String> {
    let number = draw.name.rsplit_once('_').map_or("", |(_, number)| number);
    (draw.sensitivity() >= LARGE).then(|| format!("high_{number}"))
}

/// Numbers that have become parameters, in the order of their names.
#[derive(Default)]
struct Numbers(Vec<i64>);

impl Numbers {
    fn name(place: usize) -> String {
        format!("number_{}", place + 1)
    }

    /// The number, or the parameter that it becomes from this size on.
    fn named(&mut self, value: i64, from: u64) -> Row {
        if value.unsigned_abs() < from {
            return Row::Constant(value);
        }
        let place = self.0.iter().position(|known| *known == value).unwrap_or_else(|| {
            self.0.push(value);
            self.0.len() - 1
        });
        Row::Named(Numbers::name(place), value)
    }
}

/// The values of all parameters of a text but the loss.
pub fn parameters(plan: &Plan) -> Vec<(String, Rational)> {
    let highs =
        plan.draws.iter().filter_map(|draw| Some((bound_name(draw)?, Rational::from(draw.sensitivity()))));
    let mut numbers = Numbers::default();
    statements(plan, &vec![Rational::ONE; plan.draws.len()], &mut numbers);
    let numbers =
        numbers.0.into_iter().enumerate().map(|(place, value)| (Numbers::name(place), Rational::from(value)));
    highs.chain(numbers).collect()
}

/// A multiple of 1/eps, or of the bound of a draw over eps.
fn over_eps(draw: &Draw, share: &Rational, rows: u64) -> String {
    let (factor, times) = match bound_name(draw) {
        None => (scale_factor(draw.sensitivity(), share, rows), String::new()),
        Some(name) => (scale_factor(1, share, rows), format!(" * {name}")),
    };
    match *factor.denominator() == Natural::ONE {
        true => format!("{}{times} / eps", factor.numerator()),
        false => {
            format!("{}{times} / ({} * eps)", factor.numerator().clone().unsigned_abs(), factor.denominator())
        }
    }
}

/// The names of the table and of its fields in the text.
fn table_and_fields(plan: &Plan) -> (String, Vec<String>) {
    let mut taken: BTreeSet<String> = plan.draws.iter().map(|draw| draw.name.clone()).collect();
    let table = names(std::iter::once(plan.table.name.as_str()), &mut taken).remove(0);
    let fields = names(plan.fields.iter().map(|field| field.name.as_str()), &mut taken);
    (table, fields)
}

/// The draws of a text, and the loop around them.
fn statements(plan: &Plan, shares: &[Rational], numbers: &mut Numbers) -> String {
    let (table, fields) = table_and_fields(plan);
    let rows = rows_of_unit(plan);
    let group = plan
        .group_row()
        .map(|row| row.with_numbers(&mut |value| numbers.named(value, LARGE)).to_text(&fields));
    let mut text = String::new();
    let indent = if group.is_some() { "  " } else { "" };
    if group.is_some() {
        let _ = writeln!(text, "for g in 0..{} {{", plan.groups());
    }
    for (draw, share) in plan.draws.iter().zip(shares) {
        let own = group.as_ref().map(|group| format!("{group} {} g", Order::Equal.sign()));
        let filter = match &draw.condition {
            Condition::Constant(true) => None,
            some => Some(some.with_numbers(&mut |value| numbers.named(value, LARGE)).to_text(&fields)),
        };
        let taken: Vec<String> = own.into_iter().chain(filter).collect();
        let over = match taken.is_empty() {
            true => format!("r in {table}"),
            false => format!("r in {table} where {}", taken.join(" and ")),
        };
        let aggregate = match &draw.kind {
            DrawKind::Count => format!("count({over})"),
            DrawKind::Sum(row) => format!("sum({over}, {})", summand(row, draw, &fields, numbers)),
        };
        let scale = over_eps(draw, share, rows);
        let _ = writeln!(text, "{indent}{} ~ discrete_laplace({aggregate}, {scale})", draw.name);
    }
    for draw in &plan.draws {
        let _ = writeln!(text, "{indent}append(out, {})", draw.name);
    }
    if group.is_some() {
        text.push_str("}\n");
    }
    text
}

/// The text for a plan with these shares of the loss.
pub fn text(plan: &Plan, shares: &[Rational]) -> String {
    let (table, fields) = table_and_fields(plan);
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
    let body = statements(plan, shares, &mut Numbers::default());
    let mut text = format!("mechanism release({table}: rows({}))\nparam eps > 0\n", typed.join(", "));
    for (name, _) in parameters(plan) {
        let positive = if name.starts_with("high_") { " > 0" } else { "" };
        let _ = writeln!(text, "param {name}: int{positive}");
    }
    let unit = match &plan.table.unit {
        Unit::Row => format!("one row of {table} is"),
        Unit::User { .. } => format!("at most {} rows of {table} are", rows_of_unit(plan)),
    };
    let _ = write!(text, "out = []\n{body}return out\nneighbours {unit} added or removed\nclaim eps\n");
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
        let top = top.split_once(" * ").map_or(top, |(number, _)| number);
        let factor = parse_rational(top).ok()? / bottom;
        (factor > Rational::ZERO).then_some(factor)
    };
    let share = |draw: &Draw| {
        let one = match bound_name(draw) {
            None => scale_factor(draw.sensitivity(), &Rational::ONE, rows),
            Some(_) => scale_factor(1, &Rational::ONE, rows),
        };
        scale(&draw.name).map(|factor| one / factor)
    };
    plan.draws.iter().map(share).collect()
}

/// What a row adds, within constants: a proof needs no more than these.
fn summand(row: &Row, draw: &Draw, fields: &[String], numbers: &mut Numbers) -> String {
    let from = if bound_name(draw).is_some() { LARGE_FACTOR } else { LARGE };
    let row = row.with_numbers(&mut |value| numbers.named(value, from));
    let inner = row.to_text(fields);
    // Parentheses around the whole would only be read over: what has two sides has them.
    let inner = inner.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(&inner);
    match bound_name(draw) {
        None => format!("clamp({inner}, {}, {})", draw.range.0, draw.range.1),
        Some(high) if draw.range.0 >= 0 => format!("clamp({inner}, 0, {high})"),
        Some(high) => format!("clamp({inner}, -{high}, {high})"),
    }
}
