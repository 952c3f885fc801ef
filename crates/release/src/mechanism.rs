//! The text of a release in the mechanism language: what is proved, and what is drawn.

use std::collections::BTreeSet;
use std::fmt::Write;

use probity_exact::{Integer, Natural, Rational, UnsignedAbs, parse_rational};

use crate::policy::{Domain, Unit};
use crate::query::row::{Condition, Order, Row};
use crate::query::{Draw, DrawKind, Plan};
use crate::{computed, discover};

/// Words that the text uses itself, or that the language may reserve.
const TAKEN: &str = "mechanism param where let for in if then else while as return neighbours claim and or not mod \
    true false append expect refuted proof couple invariant any one every row rows of is added \
    removed replaced at most are real int bool category count sum abs min max clamp floor round_to \
    pow2_at_least ln exp length laplace discrete_laplace gaussian discrete_gaussian uniform sign \
    bernoulli choose eps out g r release cost result changed moved shift null scale pointwise \
    rewrite entry entries by differ differs grows shrinks with rho mu s";

/// Names in the text: those of the query where the language can have them, else names like them that nothing else has, neither in
/// the text nor in the owner's table.
fn names<'a>(
    wanted: impl Iterator<Item = &'a str>,
    taken: &mut BTreeSet<String>,
    table: &BTreeSet<&str>,
) -> Vec<String> {
    let plain = |name: &str| {
        name.len() <= 40
            && name.bytes().next().is_some_and(|b| b.is_ascii_lowercase())
            && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
            && !TAKEN.split(' ').any(|word| word == name)
    };
    let mut names = Vec::new();
    for wanted in wanted {
        let like: String = wanted
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
            .take(30)
            .collect();
        let like = if like.starts_with(|c: char| c.is_ascii_lowercase()) { like } else { "column".into() };
        let made_up = || {
            let free = |name: &String| !taken.contains(name) && !table.contains(name.as_str());
            (1..).map(|n| format!("{like}_{n}")).find(free).unwrap_or_default()
        };
        let name = if plain(wanted) && !taken.contains(wanted) { wanted.to_owned() } else { made_up() };
        taken.insert(name.clone());
        names.push(name);
    }
    names
}

/// How many rows of the table one unit can have, after bounding.
pub fn rows_of_unit(plan: &Plan) -> u64 {
    match &plan.table.unit {
        Unit::Row => 1,
        // A user is in no more groups than the query has.
        Unit::User { groups, rows_per_group, .. } => {
            u64::from(*groups).min(plan.groups() as u64) * u64::from(*rows_per_group)
        }
    }
}

/// How the loss is shared among draws, which is also which noise is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sharing {
    /// Discrete Laplace noise, in ε: each draw has a share, and the shares add up to 1.
    Laplace(Vec<Rational>),
    /// Discrete Gaussian noise, in ρ: a draw of weight w that a unit moves by d has the deviation d · s / w, so that all together lose
    /// Σ w² / (2 · s²).
    Gaussian(Vec<u64>),
    /// Discrete Laplace noise on one count of each key that is discovered, in ε, shown from this noisy count on, in δ.
    Threshold(Integer),
}

impl Sharing {
    /// The share of each draw in the loss.
    pub fn shares(&self) -> Vec<Rational> {
        match self {
            Sharing::Laplace(shares) => shares.clone(),
            Sharing::Threshold(_) => vec![Rational::ONE],
            Sharing::Gaussian(weights) => {
                let all = Rational::from(squares(weights));
                weights.iter().map(|weight| Rational::from(weight * weight) / &all).collect()
            }
        }
    }

    /// The scale of a draw that a unit moves by 1, as a multiple of 1/eps or of s.
    fn factor(&self, place: usize) -> Rational {
        match self {
            Sharing::Laplace(shares) => Rational::ONE / &shares[place],
            Sharing::Threshold(_) => Rational::ONE,
            Sharing::Gaussian(weights) => Rational::ONE / Rational::from(weights[place]),
        }
    }

    fn is_gaussian(&self) -> bool {
        matches!(self, Sharing::Gaussian(_))
    }
}

/// Σ w².
pub fn squares(weights: &[u64]) -> u64 {
    weights.iter().map(|weight| weight * weight).sum()
}

/// How far one unit moves a draw, times what its share makes of that: the scale as a multiple of 1/eps or of s.
pub fn scale_factor(plan: &Plan, sharing: &Sharing, place: usize) -> Rational {
    let moved = Rational::from(plan.draws[place].sensitivity()) * Rational::from(rows_of_unit(plan));
    moved * sharing.factor(place)
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

/// What stands in the text in place of parts of values: columns for what is computed, parameters for large numbers.
struct Short {
    /// The values that are computed, whose columns stand behind those of the table.
    computed: Vec<Row>,
    /// How many columns of the table are read.
    columns: usize,
    /// Numbers that have become parameters, in the order of their names.
    numbers: Vec<i64>,
}

impl Short {
    fn of(plan: &Plan) -> Short {
        Short { computed: computed::values(plan), columns: plan.fields.len(), numbers: Vec::new() }
    }

    fn name(place: usize) -> String {
        format!("number_{}", place + 1)
    }

    /// What stands for a part, where numbers become parameters from this size on.
    fn part(&mut self, part: &Row, from: u64) -> Option<Row> {
        if let Some(place) = self.computed.iter().position(|value| value == part) {
            let (low, high) = part.range()?;
            return Some(Row::Column { field: self.columns + place, low, high });
        }
        match part {
            Row::Constant(value) if value.unsigned_abs() >= from => {
                let place = self.numbers.iter().position(|known| known == value).unwrap_or_else(|| {
                    self.numbers.push(*value);
                    self.numbers.len() - 1
                });
                Some(Row::Named(Short::name(place), *value))
            }
            _ => None,
        }
    }

    /// A value as it stands in the text.
    fn row(&mut self, row: &Row, from: u64) -> Row {
        row.replaced(&mut |part| self.part(part, from))
    }

    /// A condition as it stands in the text.
    fn condition(&mut self, condition: &Condition) -> Condition {
        condition.replaced(&mut |part| self.part(part, LARGE))
    }
}

/// The parameter that says how many counts a draw over a grid has, over all groups.
fn cells_name(draw: &Draw) -> Option<String> {
    let number = draw.name.rsplit_once('_').map_or("", |(_, number)| number);
    matches!(draw.kind, DrawKind::Bins(..)).then(|| format!("cells_{number}"))
}

/// The parameter that says how many groups there are, where they are many and counts over a grid stand beside them: what is proved by trying
/// numbers then takes less of them.
fn groups_name(plan: &Plan) -> Option<String> {
    let over_grid = |draw: &Draw| cells_name(draw).is_some();
    let mixed = plan.draws.iter().any(over_grid) && !plan.draws.iter().all(over_grid);
    (mixed && plan.groups() > MOST_GROUPS).then(|| "cells_0".to_owned())
}

/// With more groups than this their number is a parameter beside counts over a grid.
const MOST_GROUPS: usize = 8;

/// The values of all parameters of a text but the loss and `s`.
pub fn parameters(plan: &Plan) -> Vec<(String, Rational)> {
    let highs =
        plan.draws.iter().filter_map(|draw| Some((bound_name(draw)?, Rational::from(draw.sensitivity()))));
    let cells = plan
        .draws
        .iter()
        .filter_map(|draw| Some((cells_name(draw)?, Rational::from((plan.groups() * draw.cells()) as u64))));
    let mut short = Short::of(plan);
    statements(plan, &Sharing::Laplace(vec![Rational::ONE; plan.draws.len()]), &mut short);
    let numbers = short.numbers.into_iter().enumerate();
    let numbers = numbers.map(|(place, value)| (Short::name(place), Rational::from(value)));
    let groups = groups_name(plan).map(|name| (name, Rational::from(plan.groups() as u64)));
    highs.chain(groups).chain(cells).chain(numbers).collect()
}

/// The scale of a draw: a multiple of 1/eps or of s, and of the bound of the draw where that is a parameter.
fn scale(plan: &Plan, sharing: &Sharing, place: usize) -> String {
    let draw = &plan.draws[place];
    let rows = Rational::from(rows_of_unit(plan));
    let (factor, bound) = match bound_name(draw) {
        None => (scale_factor(plan, sharing, place), String::new()),
        Some(name) => (rows * sharing.factor(place), format!(" * {name}")),
    };
    let (top, bottom) = (factor.numerator().clone().unsigned_abs(), factor.denominator());
    match (sharing.is_gaussian(), *bottom == Natural::ONE) {
        (false, true) => format!("{top}{bound} / eps"),
        (false, false) => format!("{top}{bound} / ({bottom} * eps)"),
        (true, true) => format!("{top}{bound} * s"),
        (true, false) => format!("{top}{bound} * s / {bottom}"),
    }
}

/// The names of the table and of its fields in the text: those of the columns that are read, then those of the values that are computed.
pub fn table_and_fields(plan: &Plan) -> (String, Vec<String>) {
    let mut taken: BTreeSet<String> = plan.draws.iter().map(|draw| draw.name.clone()).collect();
    taken.extend((1..=plan.joined.len()).map(|number| format!("joined_{number}")));
    if plan.discovered().is_some() {
        taken.extend(["keys", "delta", "rows_1"].map(String::from));
    }
    let owned: BTreeSet<&str> = plan.table.columns.iter().map(|column| column.name.as_str()).collect();
    let table = names(std::iter::once(plan.table.name.as_str()), &mut taken, &owned).remove(0);
    let mut fields = names(plan.fields.iter().map(|field| field.name.as_str()), &mut taken, &owned);
    // No name of the text begins with a capital, so each gets a number.
    fields.extend(names(computed::values(plan).iter().map(|_| "Computed"), &mut taken, &owned));
    (table, fields)
}

/// The draws of a text, and the loops around them: one over the groups, and for each draw over a grid one over groups and bins.
fn statements(plan: &Plan, sharing: &Sharing, short: &mut Short) -> String {
    let (table, fields) = table_and_fields(plan);
    let group = plan.group_row();
    let law = if sharing.is_gaussian() { "discrete_gaussian" } else { "discrete_laplace" };
    let mut text = String::new();
    let has_bins = plan.draws.iter().any(|draw| matches!(draw.kind, DrawKind::Bins(..)));
    if has_bins {
        // Loops that follow one another are proved one by one if every variable has a value before them.
        for draw in &plan.draws {
            let _ = writeln!(text, "{} = 0", draw.name);
        }
    }
    let mut plain =
        plan.draws.iter().enumerate().filter(|(_, draw)| !matches!(draw.kind, DrawKind::Bins(..)));
    let mut aggregate = |draw: &Draw, own: Option<(Row, &str)>| {
        let own = own.map(|(row, index)| {
            format!("{} {} {index}", short.row(&row, LARGE).to_text(&fields), Order::Equal.sign())
        });
        let filter = match &draw.condition {
            Condition::Constant(true) => None,
            some => Some(short.condition(some).to_text(&fields)),
        };
        let taken: Vec<String> = own.into_iter().chain(filter).collect();
        let over = match taken.is_empty() {
            true => format!("r in {table}"),
            false => format!("r in {table} where {}", taken.join(" and ")),
        };
        match &draw.kind {
            DrawKind::Count | DrawKind::Bins(..) => format!("count({over})"),
            DrawKind::Sum(row) => format!("sum({over}, {})", summand(row, draw, &fields, short)),
        }
    };
    if let (Sharing::Threshold(threshold), [draw]) = (sharing, plan.draws.as_slice()) {
        let rows = aggregate(draw, group.map(|row| (row, "g")));
        return discover::statements(&draw.name, &rows, &scale(plan, sharing, 0), threshold);
    }
    let mut drawn = |indent: &str, place: usize, draw: &Draw, own: Option<(Row, &str)>, out: &mut String| {
        let aggregate = aggregate(draw, own);
        let scale = scale(plan, sharing, place);
        let _ = writeln!(out, "{indent}{} ~ {law}({aggregate}, {scale})", draw.name);
    };
    let plain: Vec<(usize, &Draw)> = plain.by_ref().collect();
    if !plain.is_empty() {
        let indent = if group.is_some() { "  " } else { "" };
        if group.is_some() {
            let groups = groups_name(plan).unwrap_or_else(|| plan.groups().to_string());
            let _ = writeln!(text, "for g in 0..{groups} {{");
        }
        for (place, draw) in &plain {
            drawn(indent, *place, draw, group.clone().map(|row| (row, "g")), &mut text);
        }
        for (_, draw) in &plain {
            let _ = writeln!(text, "{indent}append(out, {})", draw.name);
        }
        if group.is_some() {
            text.push_str("}\n");
        }
    }
    for (place, draw) in plan.draws.iter().enumerate() {
        let (DrawKind::Bins(bin, count), Some(cells)) = (&draw.kind, cells_name(draw)) else { continue };
        let cell = match &group {
            None => bin.clone(),
            Some(group) => {
                let first = Row::Mul(Box::new(group.clone()), Box::new(Row::Constant(*count as i64)));
                Row::Add(Box::new(first), Box::new(bin.clone()))
            }
        };
        // Each loop has an index of its own name.
        let index = format!("g_{}", place + 1);
        let _ = writeln!(text, "for {index} in 0..{cells} {{");
        drawn("  ", place, draw, Some((cell, &index)), &mut text);
        let _ = writeln!(text, "  append(out, {})\n}}", draw.name);
    }
    text
}

/// The text for a plan with its loss shared like this.
pub fn text(plan: &Plan, sharing: &Sharing) -> String {
    let (table, fields) = table_and_fields(plan);
    let joined = plan
        .joined
        .iter()
        .enumerate()
        .map(|(place, joined)| (&joined.column, format!("joined_{}", place + 1)));
    let typed: Vec<String> = plan
        .fields
        .iter()
        .zip(fields.iter().cloned())
        .chain(joined)
        .map(|(field, name)| match &field.domain {
            Domain::Categories(values) => format!("{name}: category({})", values.len()),
            Domain::Bool => format!("{name}: category(2)"),
            Domain::Discovered { .. } => format!("{name}: category(keys)"),
            _ => format!("{name}: int"),
        })
        .chain(fields.iter().skip(plan.fields.len()).map(|name| format!("{name}: int")))
        .collect();
    let body = statements(plan, sharing, &mut Short::of(plan));
    let mut text = format!("mechanism release({table}: rows({}))\n", typed.join(", "));
    text.push_str(match sharing {
        Sharing::Gaussian(_) => "param rho > 0\nparam s > 0\n",
        Sharing::Laplace(_) => "param eps > 0\n",
        Sharing::Threshold(_) => "param eps > 0\nparam delta > 0\nparam keys: int >= 1\n",
    });
    for (name, _) in parameters(plan) {
        let positive = match name.split('_').next() {
            Some("high") => " > 0",
            Some("cells") => " >= 1",
            _ => "",
        };
        let _ = writeln!(text, "param {name}: int{positive}");
    }
    if let Sharing::Gaussian(weights) = sharing {
        let _ = writeln!(text, "where {} <= 2 * rho * s * s", squares(weights));
    }
    let unit = match &plan.table.unit {
        Unit::Row => format!("one row of {table} is"),
        Unit::User { .. } => format!("at most {} rows of {table} are", rows_of_unit(plan)),
    };
    let claim = match sharing {
        Sharing::Gaussian(_) => "rho rho",
        Sharing::Laplace(_) => "eps",
        Sharing::Threshold(_) => "eps, delta",
    };
    let _ = write!(text, "out = []\n{body}return out\nneighbours {unit} added or removed\nclaim {claim}\n");
    text
}

/// The sharing with which a plan has a text, read from the scales of its draws. What is read is not believed: the text is made again
/// from it and compared.
pub fn sharing_of(plan: &Plan, text: &str) -> Option<Sharing> {
    let gaussian = text.lines().any(|line| line == "param rho > 0");
    let law = if gaussian { " ~ discrete_gaussian(" } else { " ~ discrete_laplace(" };
    let rows = Rational::from(rows_of_unit(plan));
    let factor = |draw: &Draw| {
        let line =
            text.lines().find_map(|line| line.trim_start().strip_prefix(&draw.name)?.strip_prefix(law))?;
        let scale = line.strip_suffix(')')?.rsplit_once(", ")?.1;
        let (top, bottom) = match (gaussian, scale.split_once(" / ")) {
            (true, None) => (scale, Rational::ONE),
            (true, Some((top, bottom))) => (top, parse_rational(bottom).ok()?),
            (false, Some((top, "eps"))) => (top, Rational::ONE),
            (false, Some((top, bottom))) => {
                (top, parse_rational(bottom.strip_prefix('(')?.strip_suffix(" * eps)")?).ok()?)
            }
            (false, None) => return None,
        };
        let top = top.split_once(" * ").map_or(top, |(number, _)| number);
        let moved = if bound_name(draw).is_some() { 1 } else { draw.sensitivity() };
        let factor = parse_rational(top).ok()? / bottom / (Rational::from(moved) * &rows);
        (factor > Rational::ZERO).then(|| Rational::ONE / factor)
    };
    let inverse: Vec<Rational> = plan.draws.iter().map(factor).collect::<Option<_>>()?;
    if !gaussian {
        return Some(Sharing::Laplace(inverse));
    }
    let weight = |value: &Rational| u32::try_from(value.is_int().then(|| value.floor())?).ok().map(u64::from);
    inverse.iter().map(weight).collect::<Option<_>>().map(Sharing::Gaussian)
}

/// What a row adds, within constants: a proof needs no more than these.
fn summand(row: &Row, draw: &Draw, fields: &[String], short: &mut Short) -> String {
    let from = if bound_name(draw).is_some() { LARGE_FACTOR } else { LARGE };
    let inner = short.row(row, from).to_text(fields);
    // Parentheses around the whole would only be read over: what has two sides has them.
    let inner = inner.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(&inner);
    match bound_name(draw) {
        None => format!("clamp({inner}, {}, {})", draw.range.0, draw.range.1),
        Some(high) if draw.range.0 >= 0 => format!("clamp({inner}, 0, {high})"),
        Some(high) => format!("clamp({inner}, -{high}, {high})"),
    }
}
