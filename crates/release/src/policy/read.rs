//! Reading a policy. Every fault is pointed at, and what to write instead is said.

use std::ops::Range;

use probity_exact::{Rational, parse_rational};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::column::{Column, Domain, MAX_CATEGORIES, Outside, date_from_text};
use super::{Policy, Public, Table, Unit};
use crate::loss::{Loss, Measure};
use crate::refusal::{Answer, Place, Refusal};

/// The largest policy, in bytes.
const MAX_TEXT: usize = 16 << 20;

/// Numbers of a column stay below this in units, so that a clamped value and a difference of two fit in 64 bits.
const MAX_BOUND: i64 = 1 << 61;

/// A key or value with its place.
type Entry<'a> = (&'a str, Range<usize>, &'a Spanned<DeValue<'a>>);

struct Source<'a> {
    name: &'a str,
    text: &'a str,
}

impl Source<'_> {
    fn refuse(&self, span: Range<usize>, message: impl std::fmt::Display) -> Refusal {
        Refusal::input(message).at(Place::of(self.name, self.text, span.start, span.end))
    }

    /// The entries of a table in the order of the file, each with one of the allowed keys.
    fn entries<'a>(&self, table: &'a DeTable<'a>, allowed: Option<&[&str]>) -> Answer<Vec<Entry<'a>>> {
        let mut entries: Vec<Entry<'a>> =
            table.iter().map(|(key, value)| (key.get_ref().as_ref(), key.span(), value)).collect();
        entries.sort_by_key(|(_, span, _)| span.start);
        if let Some(allowed) = allowed
            && let Some((name, span, _)) = entries.iter().find(|(name, ..)| !allowed.contains(name))
        {
            let hint = match probity_lang::nearest(name, allowed.iter().copied()) {
                Some(near) => format!("did you mean {near}? The keys here are {}", allowed.join(", ")),
                None => format!("the keys here are {}", allowed.join(", ")),
            };
            return Err(self.refuse(span.clone(), format!("there is no key `{name}` here")).hint(hint));
        }
        Ok(entries)
    }

    fn table<'a>(&self, value: &'a Spanned<DeValue<'a>>, what: &str) -> Answer<&'a DeTable<'a>> {
        let wrong = || {
            self.refuse(value.span(), format!("{what} must be a table, not a {}", value.get_ref().type_str()))
        };
        value.get_ref().as_table().ok_or_else(wrong)
    }

    /// A name that a header can have: fields are trimmed.
    fn check_name(&self, name: &str, span: Range<usize>) -> Answer<()> {
        match !name.is_empty() && name.trim() == name {
            true => Ok(()),
            false => Err(self
                .refuse(span, "the name of a column must not be empty, nor begin or end with a blank")
                .hint("names of a header are trimmed, so that no table has such a column")),
        }
    }

    fn text<'a>(&self, value: &'a Spanned<DeValue<'a>>, what: &str) -> Answer<&'a str> {
        let wrong = || {
            self.refuse(value.span(), format!("{what} must be a text, not a {}", value.get_ref().type_str()))
                .hint("write it between quotes")
        };
        value.get_ref().as_str().ok_or_else(wrong)
    }

    /// A number, as an exact text in quotes or as TOML's own.
    fn number(&self, value: &Spanned<DeValue<'_>>, what: &str) -> Answer<Rational> {
        let digits = match value.get_ref() {
            DeValue::String(text) => text.as_ref(),
            DeValue::Float(float) => float.as_str(),
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str(),
            other => {
                return Err(
                    self.refuse(value.span(), format!("{what} must be a number, not a {}", other.type_str()))
                );
            }
        };
        parse_rational(digits).map_err(|error| self.refuse(value.span(), format!("{what}: {error}")))
    }

    fn whole(&self, value: &Spanned<DeValue<'_>>, what: &str, allowed: Range<i64>) -> Answer<i64> {
        let number = self.number(value, what)?;
        let whole = number.is_int().then(|| i64::try_from(&number.floor()).ok()).flatten();
        whole.filter(|whole| allowed.contains(whole)).ok_or_else(|| {
            self.refuse(
                value.span(),
                format!("{what} must be a whole number from {} to {}", allowed.start, allowed.end - 1),
            )
        })
    }
}

/// Reads a policy; `name` is shown in refusals.
///
/// ```
/// let text = r#"
/// [budget]
/// epsilon = "2"
/// per_query = { epsilon = "1/2" }
/// [table.people]
/// unit = "row"
/// [table.people.columns]
/// region = { in = ["north", "south"] }
/// income = { type = "decimal", scale = 2, between = [0, 100000] }
/// "#;
/// let policy = probity_release::policy::read("people.toml", text).unwrap();
/// assert_eq!(policy.total.to_string(), "epsilon 2");
/// assert_eq!(policy.tables[0].columns[1].bounds(), Some((0, 10_000_000)));
/// assert!(probity_release::policy::read("people.toml", &text.replace("1/2", "3")).is_err());
/// ```
pub fn read(name: &str, text: &str) -> Answer<Policy> {
    if text.len() > MAX_TEXT {
        return Err(Refusal::input(format!("{name} is too large for a policy: {} bytes", text.len())));
    }
    let source = Source { name, text };
    let root = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        source.refuse(span, format!("this is not TOML: {}", error.message()))
    })?;
    let (mut budget, mut tables, mut public) = (None, Vec::new(), Vec::new());
    for (key, span, value) in source.entries(root.get_ref(), Some(&["budget", "table", "public"]))? {
        match key {
            "budget" => budget = Some(read_budget(&source, span, source.table(value, "budget")?)?),
            "public" => {
                for (name, span, value) in source.entries(source.table(value, "public")?, None)? {
                    public.push(read_public(&source, name, span, source.table(value, name)?)?);
                }
            }
            _ => {
                for (name, span, value) in source.entries(source.table(value, "table")?, None)? {
                    tables.push(read_table(&source, name, span, source.table(value, name)?)?);
                }
            }
        }
    }
    let Some((total, per_query)) = budget else {
        return Err(source
            .refuse(0..0, "the policy has no budget")
            .hint("add [budget] with epsilon = \"1\" and per_query = { epsilon = \"1/10\" }"));
    };
    if tables.is_empty() {
        return Err(source
            .refuse(0..0, "the policy has no table")
            .hint("add [table.NAME] with its unit and columns"));
    }
    for column in tables.iter().flat_map(|table: &Table| &table.columns) {
        if let Some(wanted) = &column.references
            && !public.iter().any(|table: &Public| table.name == *wanted)
        {
            return Err(source
                .refuse(
                    0..0,
                    format!("{} refers to {wanted}, which is no public table of the policy", column.name),
                )
                .hint(format!("add [public.{wanted}] with its key and its columns")));
        }
    }
    if let Some(twice) = public.iter().find(|public| tables.iter().any(|table| table.name == public.name)) {
        return Err(source.refuse(0..0, format!("{} is a private and a public table", twice.name)));
    }
    Ok(Policy { text: text.to_owned(), total, per_query, tables, public })
}

fn read_public(source: &Source, name: &str, span: Range<usize>, table: &DeTable) -> Answer<Public> {
    let (mut key, mut columns) = (None, Vec::new());
    for (word, _, value) in source.entries(table, Some(&["key", "columns"]))? {
        match word {
            "key" => {
                let name = source.text(value, "key")?;
                source.check_name(name, value.span())?;
                key = Some(name.to_owned());
            }
            _ => {
                for (name, span, value) in source.entries(source.table(value, "columns")?, None)? {
                    source.check_name(name, span)?;
                    let mut column = read_column(source, name, value)?;
                    // Rows of a private table are cleaned without a word; what is public can be looked at, and is taken as it stands.
                    if !value.get_ref().as_table().is_some_and(|keys| keys.contains_key("outside")) {
                        column.outside = Outside::Drop;
                    }
                    columns.push(column);
                }
            }
        }
    }
    let key = key.ok_or_else(|| {
        source
            .refuse(
                span.clone(),
                format!("the public table {name} does not say by which column it is joined"),
            )
            .hint("add key = \"COLUMN\": its values must be unique")
    })?;
    if let Some(column) = columns.iter().find(|column| column.references.is_some() || column.name == key) {
        return Err(source
            .refuse(span.clone(), format!("{} of the public table {name} is its key or refers to another table", column.name))
            .hint("the key is not listed among the columns, and public tables are joined with private ones only"));
    }
    if let Some(column) = columns.iter().find(|column| matches!(column.domain, Domain::Discovered { .. })) {
        return Err(source
            .refuse(span, format!("{} of the public table {name} has nothing to discover", column.name))
            .hint("leave out `discover`: the values of a public table are known"));
    }
    Ok(Public { name: name.to_owned(), key, columns, values: Vec::new(), hash: String::new() })
}

fn read_budget(source: &Source, span: Range<usize>, table: &DeTable) -> Answer<(Loss, Loss)> {
    let mut per_query = None;
    let entries = source.entries(table, Some(&["epsilon", "delta", "rho", "per_query"]))?;
    let own: Vec<Entry> = entries.iter().filter(|(key, ..)| *key != "per_query").cloned().collect();
    let total = read_loss(source, span.clone(), &own)?;
    for (_, span, value) in entries.into_iter().filter(|(key, ..)| *key == "per_query") {
        let inner = source.table(value, "per_query").map_err(|refusal| {
            refusal.hint(format!("write per_query = {{ {} = \"1/10\" }}", total.measure.name()))
        })?;
        let inner = source.entries(inner, Some(&["epsilon", "delta", "rho"]))?;
        let mut loss = read_loss(source, span.clone(), &inner)?;
        // A query without δ costs none of it.
        if total.measure == Measure::EpsilonDelta && loss.measure == Measure::Epsilon {
            loss.measure = Measure::EpsilonDelta;
        }
        if loss.measure != total.measure {
            return Err(source
                .refuse(span, "a query is paid in another measure than the budget")
                .hint(format!("the budget is in {}: write per_query in the same", total.measure.name())));
        }
        if !loss.is_within(&total) {
            return Err(source
                .refuse(span, format!("one query would spend {loss}, more than all there is, {total}"))
                .hint("make per_query smaller or the budget larger"));
        }
        per_query = Some(loss);
    }
    let per_query = per_query.ok_or_else(|| {
        source
            .refuse(span, "the budget does not say what a query spends")
            .hint("add per_query = { epsilon = \"1/10\" }, or rho where the budget is in rho")
    })?;
    Ok((total, per_query))
}

fn read_loss(source: &Source, span: Range<usize>, entries: &[Entry]) -> Answer<Loss> {
    let find = |name: &str| entries.iter().find(|(key, ..)| *key == name);
    let positive = |(key, _, value): &Entry| {
        let number = source.number(value, key)?;
        match number > Rational::ZERO {
            true => Ok(number),
            false => Err(source.refuse(value.span(), format!("{key} must be more than 0"))),
        }
    };
    match (find("epsilon"), find("rho"), find("delta")) {
        (Some(_), Some((_, span, _)), _) => Err(source
            .refuse(span.clone(), "a budget is in epsilon or in rho, not in both")
            .hint("keep one of them: a ledger has one measure")),
        (None, Some(_), Some((_, span, _))) => Err(source
            .refuse(span.clone(), "a budget in rho has no delta")
            .hint("write epsilon and delta, or rho alone")),
        (None, Some(rho), None) => {
            Ok(Loss { measure: Measure::Rho, amount: positive(rho)?, delta: Rational::ZERO })
        }
        (Some(epsilon), None, None) => {
            Ok(Loss { measure: Measure::Epsilon, amount: positive(epsilon)?, delta: Rational::ZERO })
        }
        (Some(epsilon), None, Some(delta)) => {
            let amount = positive(epsilon)?;
            let value = source.number(delta.2, "delta")?;
            match value >= Rational::ZERO && value < Rational::ONE {
                true => Ok(Loss { measure: Measure::EpsilonDelta, amount, delta: value }),
                false => Err(source.refuse(delta.2.span(), "delta must be at least 0 and less than 1")),
            }
        }
        (None, None, _) => Err(source
            .refuse(span, "no amount is given here")
            .hint("write epsilon = \"1\", or rho = \"1/2\"; numbers in quotes are exact")),
    }
}

fn read_table(source: &Source, name: &str, span: Range<usize>, table: &DeTable) -> Answer<Table> {
    let (mut unit, mut columns) = (None, Vec::new());
    for (key, _, value) in source.entries(table, Some(&["unit", "columns"]))? {
        match key {
            "unit" => unit = Some(read_unit(source, value)?),
            _ => {
                for (name, span, value) in source.entries(source.table(value, "columns")?, None)? {
                    source.check_name(name, span)?;
                    columns.push(read_column(source, name, value)?);
                }
            }
        }
    }
    let unit = unit.ok_or_else(|| {
        source
            .refuse(span.clone(), format!("the table {name} does not say whose presence is hidden"))
            .hint("add unit = \"row\", or unit = { user = \"COLUMN\", groups = 3, rows_per_group = 10 }")
    })?;
    if columns.is_empty() {
        return Err(source
            .refuse(span, format!("the table {name} has no columns"))
            .hint(format!("add [table.{name}.columns] with a line for each column that may be used")));
    }
    let table = Table { name: name.to_owned(), unit, columns };
    // One user must have one name: 7, 07 and 7.0 are one number, and three texts.
    if let Unit::User { column, .. } = &table.unit
        && let Some((_, Column { domain: Domain::Number { .. } | Domain::Date { .. } | Domain::Bool, .. })) =
            table.column(column)
    {
        return Err(source
            .refuse(span, format!("users are told apart by the text of {column}, which is declared as something else"))
            .hint(format!(
                "write {column} = {{ type = \"text\" }}, and see to it that a user is written in one way everywhere: 7 and 7.0 are two texts"
            )));
    }
    Ok(table)
}

fn read_unit(source: &Source, value: &Spanned<DeValue>) -> Answer<Unit> {
    let wrong = || {
        source
            .refuse(value.span(), "the unit is a row or a user")
            .hint("write unit = \"row\", or unit = { user = \"COLUMN\", groups = 3, rows_per_group = 10 }")
    };
    match value.get_ref() {
        DeValue::String(text) if text == "row" => Ok(Unit::Row),
        DeValue::Table(table) => {
            let (mut column, mut groups, mut rows) = (None, None, None);
            for (key, _, value) in source.entries(table, Some(&["user", "groups", "rows_per_group"]))? {
                match key {
                    "user" => {
                        let name = source.text(value, "user")?;
                        source.check_name(name, value.span())?;
                        column = Some(name.to_owned());
                    }
                    "groups" => groups = Some(source.whole(value, key, 1..1_000_001)? as u32),
                    _ => rows = Some(source.whole(value, key, 1..1_000_001)? as u32),
                }
            }
            match (column, groups, rows) {
                (Some(column), Some(groups), Some(rows_per_group)) => {
                    Ok(Unit::User { column, groups, rows_per_group })
                }
                _ => Err(wrong()),
            }
        }
        _ => Err(wrong()),
    }
}

/// The keys of a column that have been read, with their places.
struct Keys<'a> {
    entries: Vec<Entry<'a>>,
    span: Range<usize>,
}

impl<'a> Keys<'a> {
    fn get(&self, name: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.entries.iter().find(|(key, ..)| *key == name).map(|(_, _, value)| *value)
    }
}

const TYPES: &str = "int, decimal, float, bool, date, or text with `in`";

fn read_column<'a>(source: &Source, name: &str, value: &'a Spanned<DeValue<'a>>) -> Answer<Column> {
    let allowed =
        ["type", "in", "between", "scale", "grid", "null", "outside", "references", "discover", "max_bytes"];
    let keys =
        Keys { entries: source.entries(source.table(value, name)?, Some(&allowed))?, span: value.span() };
    if let Some(value) = keys.get("references") {
        only(source, &keys, &["references", "null", "outside"])?;
        for key in ["null", "outside"] {
            if let Some(rule) = keys.get(key)
                && rule.get_ref().as_str() != Some("drop")
            {
                return Err(source
                    .refuse(rule.span(), format!("`{key}` of a reference is \"drop\""))
                    .hint("a row without a key of the public table joins with nothing"));
            }
        }
        // `regions` and `regions.code` mean the same: a table has one key.
        let table = source.text(value, "references")?.split('.').next().unwrap_or_default().to_owned();
        let (null, outside) = (Outside::Drop, Outside::Drop);
        return Ok(Column {
            name: name.to_owned(),
            domain: Domain::Text,
            null,
            outside,
            references: Some(table),
        });
    }
    let kind = match keys.get("type") {
        Some(value) => Some((source.text(value, "type")?, value.span())),
        None => None,
    };
    let domain = match (kind, keys.get("in")) {
        (None | Some(("text", _)), Some(list)) => categories(source, &keys, list)?,
        (Some(("text", _)), None) => {
            only(source, &keys, &["type", "discover", "max_bytes"])?;
            text_domain(source, &keys)?
        }
        (Some((kind, _)), Some(list)) => {
            return Err(source
                .refuse(list.span(), format!("a column of type {kind} has no `in`"))
                .hint("leave out `type`, or write between = [LOW, HIGH] instead of `in`"));
        }
        (Some(("bool", _)), None) => {
            only(source, &keys, &["type", "null", "outside"])?;
            Domain::Bool
        }
        (Some(("int", _)), None) => {
            only(source, &keys, &["type", "between", "null", "outside"])?;
            number_domain(source, &keys, Rational::ONE)?
        }
        (Some(("decimal", span)), None) => {
            only(source, &keys, &["type", "between", "scale", "null", "outside"])?;
            let Some(scale) = keys.get("scale") else {
                return Err(source
                    .refuse(span, format!("how many digits has {name} behind the point?"))
                    .hint("add scale = 2 for cents"));
            };
            let scale = source.whole(scale, "scale", 0..19)?;
            number_domain(source, &keys, Rational::from_parts(1.into(), 10u64.pow(scale as u32).into()))?
        }
        (Some(("float", span)), None) => {
            only(source, &keys, &["type", "between", "grid", "null", "outside"])?;
            let Some(grid) = keys.get("grid") else {
                return Err(source
                    .refuse(span, format!("floats are rounded to a grid first, and {name} has none"))
                    .hint("add grid = \"1/1000\": sums are then exact"));
            };
            let unit = source.number(grid, "grid")?;
            if unit <= Rational::ZERO {
                return Err(source.refuse(grid.span(), "the grid must be more than 0"));
            }
            number_domain(source, &keys, unit)?
        }
        (Some(("date", _)), None) => {
            only(source, &keys, &["type", "between", "null", "outside"])?;
            let (low, high) = bounds(source, &keys, |value| {
                date_from_text(source.text(value, "a date")?).ok_or_else(|| {
                    source.refuse(value.span(), "this is no date").hint("write it as \"2024-12-31\"")
                })
            })?;
            Domain::Date { low, high }
        }
        (Some(("?", span)), None) => {
            return Err(source
                .refuse(span, format!("the type of {name} is still open"))
                .hint(format!("write {TYPES}; delete the line if the column is not to be used")));
        }
        (Some((other, span)), None) => {
            return Err(source
                .refuse(span, format!("there is no type `{other}`"))
                .hint(format!("write {TYPES}")));
        }
        (None, None) => {
            return Err(source
                .refuse(keys.span, format!("the column {name} has no type"))
                .hint(format!("add type = \"…\" ({TYPES}), or in = [\"…\", \"…\"]")));
        }
    };
    let mut column = Column {
        name: name.to_owned(),
        domain,
        null: Outside::Drop,
        outside: Outside::Drop,
        references: None,
    };
    if matches!(column.domain, Domain::Number { .. } | Domain::Date { .. }) {
        column.outside = Outside::Clamp;
    }
    for key in ["null", "outside"] {
        if let Some(value) = keys.get(key) {
            let rule = treatment(source, &column, key, value)?;
            if key == "null" { column.null = rule } else { column.outside = rule }
        }
    }
    Ok(column)
}

/// The longest key that is discovered, unless the policy says otherwise, and the most that it may say: both in bytes.
const KEY_BYTES: usize = 64;
const MAX_KEY_BYTES: i64 = 1024;

/// Any text, or keys that are discovered.
fn text_domain(source: &Source, keys: &Keys) -> Answer<Domain> {
    let discover = match keys.get("discover") {
        None => false,
        Some(value) => value.get_ref().as_bool().ok_or_else(|| {
            source.refuse(value.span(), "`discover` is true or false").hint("write discover = true")
        })?,
    };
    let bytes = match keys.get("max_bytes") {
        None => KEY_BYTES,
        Some(value) => source.whole(value, "max_bytes", 1..MAX_KEY_BYTES + 1)? as usize,
    };
    match (discover, keys.get("max_bytes")) {
        (true, _) => Ok(Domain::Discovered { bytes }),
        (false, None) => Ok(Domain::Text),
        (false, Some(value)) => Err(source
            .refuse(value.span(), "`max_bytes` bounds keys that are discovered, and this column has none")
            .hint("add discover = true, or leave it out")),
    }
}

fn only(source: &Source, keys: &Keys, allowed: &[&str]) -> Answer<()> {
    match keys.entries.iter().find(|(key, ..)| !allowed.contains(key)) {
        None => Ok(()),
        Some((key, span, _)) => Err(source
            .refuse(span.clone(), format!("a column of this type has no `{key}`"))
            .hint(format!("its keys are {}", allowed.join(", ")))),
    }
}

fn categories(source: &Source, keys: &Keys, list: &Spanned<DeValue>) -> Answer<Domain> {
    only(source, keys, &["type", "in", "null", "outside"])?;
    let Some(items) = list.get_ref().as_array() else {
        return Err(source
            .refuse(list.span(), "`in` must be a list")
            .hint("write in = [\"north\", \"south\"]"));
    };
    if items.is_empty() || items.len() > MAX_CATEGORIES {
        return Err(source.refuse(list.span(), format!("`in` must list 1 to {MAX_CATEGORIES} values")));
    }
    let mut names: Vec<String> = Vec::with_capacity(items.len());
    let mut seen = std::collections::HashSet::new();
    for item in items {
        let name = match item.get_ref() {
            DeValue::Integer(integer) => integer.as_str().to_owned(),
            _ => source.text(item, "a value of `in`")?.to_owned(),
        };
        if name.is_empty() || name.trim() != name {
            return Err(source
                .refuse(item.span(), "a value of `in` must not be empty, nor begin or end with a space")
                .hint("fields are trimmed before they are compared; empty ones are NULL"));
        }
        if !seen.insert(name.clone()) {
            return Err(source.refuse(item.span(), format!("`{name}` is listed twice")));
        }
        names.push(name);
    }
    Ok(Domain::Categories(names))
}

fn bounds(
    source: &Source,
    keys: &Keys,
    read: impl Fn(&Spanned<DeValue>) -> Answer<i64>,
) -> Answer<(i64, i64)> {
    let Some(between) = keys.get("between") else {
        return Err(source
            .refuse(keys.span.clone(), "between which bounds do the values lie?")
            .hint("add between = [LOW, HIGH]: chosen without looking at the data"));
    };
    let items = between.get_ref().as_array().map(|items| items.iter().collect::<Vec<_>>());
    let Some([low, high]) = items.as_deref() else {
        return Err(source.refuse(between.span(), "`between` must be a list of two values, as [0, 120]"));
    };
    let (low, high) = (read(low)?, read(high)?);
    match low <= high {
        true => Ok((low, high)),
        false => Err(source
            .refuse(between.span(), "the lower bound is above the upper bound")
            .hint("write the smaller one first")),
    }
}

fn number_domain(source: &Source, keys: &Keys, unit: Rational) -> Answer<Domain> {
    let (low, high) = bounds(source, keys, |value| in_units(source, value, &unit))?;
    Ok(Domain::Number { unit, low, high })
}

fn in_units(source: &Source, value: &Spanned<DeValue>, unit: &Rational) -> Answer<i64> {
    let units = source.number(value, "a bound")? / unit;
    if !units.is_int() {
        return Err(source
            .refuse(value.span(), format!("this is no multiple of {}", crate::decimal::exact(unit)))
            .hint("bounds and constants must be values that the column can have"));
    }
    let small =
        i64::try_from(&units.floor()).ok().filter(|units| units.unsigned_abs() < MAX_BOUND.unsigned_abs());
    small.ok_or_else(|| source.refuse(value.span(), "this is beyond 2^61 of the smallest units"))
}

/// What `null = …` or `outside = …` says.
fn treatment(source: &Source, column: &Column, key: &str, value: &Spanned<DeValue>) -> Answer<Outside> {
    let constant = match (value.get_ref().as_str(), &column.domain) {
        (Some("drop"), Domain::Categories(names)) if names.iter().any(|name| name == "drop") => {
            return Err(source
                .refuse(value.span(), "\"drop\" leaves rows out, and is a value of this column too")
                .hint(format!(
                    "leave `{key}` out: rows are dropped then; no field can count as the value `drop`"
                )));
        }
        (Some("drop"), _) => return Ok(Outside::Drop),
        (Some("clamp"), Domain::Number { .. } | Domain::Date { .. }) if key == "outside" => {
            return Ok(Outside::Clamp);
        }
        (Some(text), Domain::Categories(names)) => {
            names.iter().position(|name| name == text).map(|place| place as i64)
        }
        (_, Domain::Bool) => value.get_ref().as_bool().map(i64::from),
        (Some(text), Domain::Number { .. }) if parse_rational(text).is_err() => None,
        (_, Domain::Number { unit, .. }) => Some(in_units(source, value, unit)?),
        (Some(text), Domain::Date { .. }) => date_from_text(text),
        _ => None,
    };
    let (low, high) = column.bounds().unwrap_or((0, -1));
    match constant {
        Some(constant) if (low..=high).contains(&constant) => Ok(Outside::Constant(constant)),
        _ => Err(source
            .refuse(value.span(), format!("`{key}` must be \"drop\" or a value of the column's domain"))
            .hint("a constant stands for what is missing; \"drop\" leaves the row out")),
    }
}
