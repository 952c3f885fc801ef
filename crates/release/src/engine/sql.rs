//! The exact sums of a plan as one SQL statement, for engines that keep the rows themselves.
//!
//! The statement is total: it casts only what cannot fail, compares before it rounds, divides only by constants, and adds up in types
//! that no table can overflow. It does what [`Column::clean`], the rows' trees and the user bounds do, step by step, in steps that
//! are common table expressions: `raw` reads columns as integers within one of their bounds, `clean` applies the policy, `kept` leaves
//! out what is dropped, `bounded` bounds users.
//!
//! [`Column::clean`]: crate::policy::Column::clean

use std::fmt::Write;

use probity_exact::{Integer, Rational};

use super::{Counts, Exact, users};
use crate::policy::{Column, Domain, Outside, TRUTHS, Unit, discovered_key};
use crate::query::row::{Condition, Order, Row};
use crate::query::{DrawKind, Plan};
use crate::refusal::{Answer, Refusal};

/// Whose SQL it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// PostgreSQL, from 12.
    Postgres,
    /// DuckDB, from 1.0.
    DuckDb,
    /// Spark SQL, from 3.4.
    Spark,
}

/// What a column of the engine's table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole number.
    Integer,
    /// An exact decimal with at most so many digits, where that is known.
    Decimal(Option<u32>),
    /// A text.
    Text,
    /// A truth value.
    Bool,
    /// A day.
    Date,
}

/// The kind of a type as the engine names it; `None` for a type that is not read.
pub fn kind(name: &str) -> Option<Kind> {
    let name = name.trim().to_ascii_lowercase();
    let base = name.split('(').next().unwrap_or_default().trim().to_owned();
    Some(match base.as_str() {
        "tinyint" | "smallint" | "integer" | "int" | "bigint" | "hugeint" | "utinyint" | "usmallint"
        | "uinteger" | "ubigint" => Kind::Integer,
        "numeric" | "decimal" => {
            let precision =
                name.split_once('(').and_then(|(_, rest)| rest.split([',', ')']).next()?.trim().parse().ok());
            Kind::Decimal(precision)
        }
        "text" | "varchar" | "character varying" | "character" | "char" | "bpchar" | "string" | "uuid" => {
            Kind::Text
        }
        "boolean" | "bool" => Kind::Bool,
        "date" => Kind::Date,
        _ => return None,
    })
}

/// The most values of a category, or keys of a public table, that a statement lists.
const MOST_CASES: usize = 5000;

/// Numbers of more digits than this could not be multiplied by 10^9 in 38 digits.
const MOST_DIGITS: u32 = 27;

impl Dialect {
    fn quoted(self, name: &str) -> String {
        match self {
            Dialect::Spark => format!("`{}`", name.replace('`', "``")),
            _ => format!("\"{}\"", name.replace('"', "\"\"")),
        }
    }

    fn text(self, text: &str) -> String {
        match self {
            Dialect::Spark => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
            _ => format!("'{}'", text.replace('\'', "''")),
        }
    }

    fn number(self, value: i64) -> String {
        format!("CAST({value} AS BIGINT)")
    }

    fn as_text(self, expression: &str) -> String {
        let kind = if self == Dialect::Spark { "STRING" } else { "TEXT" };
        format!("CAST({expression} AS {kind})")
    }

    /// Without white space around it, byte for byte.
    fn trimmed(self, column: &str) -> String {
        let text = self.as_text(column);
        match self {
            Dialect::Postgres => format!("btrim({text}, E' \\t\\n\\f\\r') COLLATE \"C\""),
            Dialect::DuckDb => {
                format!("trim({text}, ' ' || chr(9) || chr(10) || chr(12) || chr(13)) COLLATE \"C\"")
            }
            Dialect::Spark => {
                format!("trim(BOTH concat(' ', char(9), char(10), char(12), char(13)) FROM {text})")
            }
        }
    }

    /// SHA-256 in hexadecimal digits.
    fn sha256(self, parts: &[String]) -> String {
        let all = format!("concat({})", parts.join(", "));
        match self {
            Dialect::Postgres => format!("encode(sha256(convert_to({all}, 'UTF8')), 'hex') COLLATE \"C\""),
            Dialect::DuckDb => format!("sha256({all})"),
            Dialect::Spark => format!("sha2({all}, 256)"),
        }
    }

    /// The bytes of a text in hexadecimal digits, whatever is in it: a text that is a key goes out like this, so that no character of it
    /// can be taken for the end of a line or of a field.
    fn bytes(self, column: &str) -> String {
        let text = self.as_text(column);
        match self {
            Dialect::Postgres => format!("encode(convert_to({text}, 'UTF8'), 'hex') COLLATE \"C\""),
            Dialect::DuckDb | Dialect::Spark => format!("hex({text})"),
        }
    }

    /// The quotient of a number that is not negative.
    fn quotient(self, a: &str, b: &str) -> String {
        match self {
            Dialect::Postgres => format!("({a} / {b})"),
            Dialect::DuckDb => format!("({a} // {b})"),
            Dialect::Spark => format!("({a} DIV {b})"),
        }
    }

    fn sum(self, value: &str) -> String {
        match self {
            Dialect::Spark => format!("SUM(CAST({value} AS DECIMAL(38,0)))"),
            Dialect::DuckDb => format!("SUM(CAST({value} AS HUGEINT))"),
            Dialect::Postgres => format!("SUM({value})"),
        }
    }

    fn days(self, column: &str) -> String {
        match self {
            Dialect::Postgres => format!("({column} - DATE '1970-01-01')"),
            Dialect::DuckDb => format!("datediff('day', DATE '1970-01-01', {column})"),
            Dialect::Spark => format!("datediff({column}, DATE '1970-01-01')"),
        }
    }
}

/// A statement in the making.
struct Writer {
    dialect: Dialect,
}

impl Writer {
    /// The column as an integer that is at most one unit out of its bounds, or NULL where it is none.
    fn raw(&self, column: &Column, kind: Kind) -> Answer<String> {
        let d = self.dialect;
        let name = d.quoted(&column.name);
        let unsuited = |hint: &str| {
            Refusal::input(format!(
                "the engine keeps the column {} in a type that does not suit the policy",
                column.name
            ))
            .hint(hint)
        };
        Ok(match (&column.domain, kind) {
            (Domain::Categories(names), Kind::Text | Kind::Integer) => {
                if names.len() > MOST_CASES {
                    return Err(unsuited("a column with more than 5000 values is read from files only"));
                }
                let mut cases = String::new();
                for (place, value) in names.iter().enumerate() {
                    let _ = write!(cases, " WHEN {} THEN {place}", d.text(value));
                }
                let count = names.len();
                let text = d.trimmed(&name);
                format!(
                    "CASE WHEN {name} IS NULL OR {text} = '' THEN NULL ELSE CASE {text}{cases} ELSE {count} END END"
                )
            }
            (Domain::Bool, Kind::Bool) => {
                format!("CASE WHEN {name} IS NULL THEN NULL WHEN {name} THEN 1 ELSE 0 END")
            }
            (Domain::Bool, Kind::Text | Kind::Integer) => {
                let text = d.trimmed(&name);
                let [no, yes] = TRUTHS.map(|words| words.map(|word| d.text(word)).join(", "));
                format!("CASE WHEN {text} IN ({yes}) THEN 1 WHEN {text} IN ({no}) THEN 0 ELSE NULL END")
            }
            (Domain::Number { unit, low, high }, Kind::Integer | Kind::Decimal(_)) => {
                let parts = i64::try_from(unit.denominator()).ok().filter(|parts| *parts <= 1_000_000_000);
                let Some(parts) = parts.filter(|_| *unit.numerator() == Integer::ONE) else {
                    return Err(unsuited("an engine rounds to a grid of 1/n with n up to 10^9"));
                };
                // Beyond these a number is out of bounds, and not multiplied.
                let beyond = |units: i64| Rational::from(units) * unit;
                let (above, below) = (beyond(high + 1).ceil(), beyond(low - 1).floor());
                let is_nan = match (d, kind) {
                    (Dialect::Postgres, Kind::Decimal(_)) => format!(" OR {name} = CAST('NaN' AS NUMERIC)"),
                    _ => String::new(),
                };
                let units = match (kind, d) {
                    (Kind::Decimal(None), Dialect::DuckDb | Dialect::Spark) => {
                        return Err(unsuited("declare it as DECIMAL(18, 2) or the like"));
                    }
                    (Kind::Decimal(Some(digits)), Dialect::DuckDb | Dialect::Spark)
                        if digits > MOST_DIGITS =>
                    {
                        return Err(unsuited("a DECIMAL of at most 27 digits is read"));
                    }
                    (Kind::Decimal(_), Dialect::Postgres) => {
                        format!("CAST(round({name} * {parts}) AS BIGINT)")
                    }
                    (Kind::Decimal(_), _) => {
                        format!("CAST(round({name} * CAST({parts} AS DECIMAL(10,0)), 0) AS BIGINT)")
                    }
                    _ => format!("CAST({name} AS BIGINT) * {}", d.number(parts)),
                };
                format!(
                    "CASE WHEN {name} IS NULL{is_nan} THEN NULL WHEN {name} > {above} THEN {} WHEN {name} < {below} THEN {} ELSE {units} END",
                    d.number(high + 1),
                    d.number(low - 1)
                )
            }
            (Domain::Date { .. }, Kind::Date) => format!(
                "CASE WHEN {name} IS NULL OR {name} > DATE '9999-12-31' OR {name} < DATE '0001-01-01' THEN NULL ELSE {} END",
                d.days(&name)
            ),
            (Domain::Number { .. }, _) => {
                return Err(unsuited(
                    "make a view in which it is an integer or a DECIMAL: texts and floats are not rounded the same everywhere",
                ));
            }
            (Domain::Date { .. }, _) => return Err(unsuited("make a view in which it is a DATE")),
            (Domain::Categories(_) | Domain::Bool, _) => {
                return Err(unsuited("make a view in which it is a text"));
            }
            (Domain::Discovered { .. }, Kind::Text) => d.bytes(&name),
            (Domain::Discovered { .. }, _) => return Err(unsuited("make a view in which it is a text")),
            (Domain::Text, _) => return Err(unsuited("nothing can be asked about a text")),
        })
    }

    /// The policy's rules for an integer that may be missing or out of bounds; NULL if its row is dropped.
    fn cleaned(&self, column: &Column, raw: &str) -> Answer<String> {
        if matches!(column.domain, Domain::Discovered { .. }) {
            // What is a key and what is not is decided here, by the function that the other engines ask: see `found`.
            return Ok(raw.to_owned());
        }
        let (low, high) =
            column.bounds().ok_or_else(|| Refusal::input("nothing can be asked about a text"))?;
        let rule = |rule: &Outside, bound: i64| match rule {
            Outside::Drop => "NULL".to_owned(),
            Outside::Constant(value) => self.dialect.number(*value),
            Outside::Clamp => self.dialect.number(bound),
        };
        Ok(format!(
            "CASE WHEN {raw} IS NULL THEN {} WHEN {raw} < {} THEN {} WHEN {raw} > {} THEN {} ELSE CAST({raw} AS BIGINT) END",
            rule(&column.null, low),
            self.dialect.number(low),
            rule(&column.outside, low),
            self.dialect.number(high),
            rule(&column.outside, high)
        ))
    }

    fn row(&self, row: &Row) -> Answer<String> {
        let call = |name: &str, a: &Row, b: &Row| Ok(format!("{name}({}, {})", self.row(a)?, self.row(b)?));
        let infix = |sign: &str, a: &Row, b: &Row| Ok(format!("({} {sign} {})", self.row(a)?, self.row(b)?));
        Ok(match row {
            Row::Column { field, .. } => format!("c{field}"),
            Row::Joined { field, values, .. } => {
                if values.len() > MOST_CASES {
                    return Err(Refusal::input(
                        "a public table of more than 5000 keys is joined with files only",
                    ));
                }
                let mut cases = format!("CASE c{field}");
                for (key, value) in values.iter().enumerate() {
                    let _ = write!(cases, " WHEN {key} THEN {}", self.dialect.number(*value));
                }
                cases + " END"
            }
            Row::Constant(value) | Row::Named(_, value) => self.dialect.number(*value),
            Row::Add(a, b) => return infix("+", a, b),
            Row::Sub(a, b) => return infix("-", a, b),
            Row::Mul(a, b) => return infix("*", a, b),
            Row::Abs(a) => format!("abs({})", self.row(a)?),
            Row::Min(a, b) => return call("LEAST", a, b),
            Row::Max(a, b) => return call("GREATEST", a, b),
            Row::Floor(a, b) => match a.range() {
                Some((0.., _)) => self.dialect.quotient(&self.row(a)?, &self.row(b)?),
                _ => {
                    return Err(Refusal::input(
                        "an engine divides only what is not negative; please report it",
                    ));
                }
            },
            Row::If(condition, a, b) => {
                format!(
                    "CASE WHEN {} THEN {} ELSE {} END",
                    self.condition(condition)?,
                    self.row(a)?,
                    self.row(b)?
                )
            }
        })
    }

    fn condition(&self, condition: &Condition) -> Answer<String> {
        Ok(match condition {
            Condition::Constant(true) => "(0 = 0)".into(),
            Condition::Constant(false) => "(0 = 1)".into(),
            Condition::Compare(order, a, b) => {
                let sign = match order {
                    Order::Equal => "=",
                    Order::Unequal => "<>",
                    Order::Less => "<",
                    Order::AtMost => "<=",
                    Order::Greater => ">",
                    Order::AtLeast => ">=",
                };
                format!("({} {sign} {})", self.row(a)?, self.row(b)?)
            }
            Condition::And(a, b) => format!("({} AND {})", self.condition(a)?, self.condition(b)?),
            Condition::Or(a, b) => format!("({} OR {})", self.condition(a)?, self.condition(b)?),
            Condition::Not(a) => format!("(NOT {})", self.condition(a)?),
        })
    }
}

/// The statement for a plan over a table of the engine whose columns have these kinds. Its rows are: the number of a part, a group, a bin,
/// and sums: of part 0 those of all draws of one number, of part n a count for the nth draw over a grid. Where keys are discovered they are:
/// the bytes of a text, and how many rows have it.
pub fn statement(
    plan: &Plan,
    table: &str,
    kinds: &[Kind],
    user: Option<Kind>,
    dialect: Dialect,
) -> Answer<String> {
    let writer = Writer { dialect };
    let listed =
        |parts: Vec<String>| if parts.is_empty() { "0 AS none".to_owned() } else { parts.join(", ") };
    let count = plan.fields.len();
    let (mut raw, mut clean) = (Vec::new(), Vec::new());
    for (place, (column, kind)) in plan.fields.iter().zip(kinds).enumerate() {
        raw.push(format!("{} AS r{place}", writer.raw(column, *kind)?));
        clean.push(format!("{} AS c{place}", writer.cleaned(column, &format!("r{place}"))?));
    }
    let mut kept: Vec<String> = (0..count).map(|place| format!("c{place} IS NOT NULL")).collect();
    if let (Unit::User { column, .. }, Some(kind)) = (&plan.table.unit, user) {
        if !matches!(kind, Kind::Text | Kind::Integer) {
            return Err(Refusal::input(format!("the users in {column} are neither texts nor whole numbers"))
                .hint("make a view in which the column is a text"));
        }
        raw.push(format!("{} AS u", dialect.trimmed(&dialect.quoted(column))));
        clean.push("u".into());
        kept.push("u IS NOT NULL AND u <> ''".into());
    }
    let mut sql = format!(
        "WITH raw AS (SELECT {} FROM {table}), clean AS (SELECT {} FROM raw), kept AS (SELECT * FROM clean{})",
        listed(raw),
        listed(clean),
        if kept.is_empty() { String::new() } else { format!(" WHERE {}", kept.join(" AND ")) }
    );
    if let Some(field) = plan.discovered() {
        let ([draw], Unit::Row) = (plan.draws.as_slice(), &plan.table.unit) else {
            return Err(super::cannot_find_keys());
        };
        let condition = writer.condition(&draw.condition)?;
        let _ = write!(sql, " SELECT c{field}, COUNT(*) FROM kept WHERE {condition} GROUP BY c{field}");
        return Ok(sql);
    }
    let group = match plan.group_row() {
        Some(row) => writer.row(&row)?,
        None => dialect.number(0),
    };
    let mut own: Vec<String> = (0..count).map(|place| format!("c{place}")).collect();
    match &plan.table.unit {
        Unit::Row => {
            let fields = if own.is_empty() { String::new() } else { format!(", {}", own.join(", ")) };
            let _ = write!(sql, ", bounded AS (SELECT {group} AS g{fields} FROM kept)");
        }
        Unit::User { groups, rows_per_group, .. } => {
            let salted = |kind: &str| dialect.text(&users::salted(&plan.table.name, kind));
            let mut row = vec![salted("row"), "u".into(), "'|'".into()];
            for field in &own {
                row.extend([dialect.as_text(field), "','".into()]);
            }
            let in_group = [salted("group"), "u".into(), "'|'".into(), dialect.as_text("g")];
            let order: Vec<String> = std::iter::once("h".to_owned()).chain(own.clone()).collect();
            own.insert(0, "u".into());
            let _ = write!(
                sql,
                ", taken AS (SELECT {fields}, {group} AS g FROM kept WHERE {condition}), \
                 hashed AS (SELECT {fields}, g, {row} AS h, {in_group} AS hg FROM taken), \
                 ranked AS (SELECT {fields}, g, ROW_NUMBER() OVER (PARTITION BY u, g ORDER BY {order}) AS n, \
                 DENSE_RANK() OVER (PARTITION BY u ORDER BY hg, g) AS k FROM hashed), \
                 bounded AS (SELECT {fields}, g FROM ranked WHERE n <= {rows_per_group} AND k <= {groups})",
                fields = own.join(", "),
                condition = writer.condition(&plan.condition)?,
                row = dialect.sha256(&row),
                in_group = dialect.sha256(&in_group),
                order = order.join(", "),
            );
        }
    }
    let (mut sums, mut bins) = (Vec::new(), Vec::new());
    for draw in &plan.draws {
        let condition = writer.condition(&draw.condition)?;
        match &draw.kind {
            DrawKind::Bins(bin, _) => bins.push((writer.row(bin)?, condition)),
            DrawKind::Count => sums.push(dialect.sum(&format!("CASE WHEN {condition} THEN 1 ELSE 0 END"))),
            DrawKind::Sum(row) => {
                let value = writer.row(row)?;
                sums.push(
                    dialect
                        .sum(&format!("CASE WHEN {condition} THEN {value} ELSE {} END", dialect.number(0))),
                );
            }
        }
    }
    let width = sums.len().max(1);
    let mut parts = Vec::new();
    if !sums.is_empty() {
        parts.push(format!("SELECT 0 AS part, g, 0 AS bin, {} FROM bounded GROUP BY g", sums.join(", ")));
    }
    for (number, (bin, condition)) in bins.iter().enumerate() {
        let others = ", 0".repeat(width - 1);
        parts.push(format!(
            "SELECT {} AS part, g, b AS bin, COUNT(*){others} FROM (SELECT g, {bin} AS b FROM bounded WHERE {condition}) cells{number} GROUP BY g, b",
            number + 1
        ));
    }
    let _ = write!(sql, " {}", parts.join(" UNION ALL "));
    Ok(sql)
}

/// The sums of a plan from the rows that its [`statement`] has; `None` if they are not such rows.
pub fn gathered(plan: &Plan, rows: impl IntoIterator<Item = Vec<i128>>) -> Option<Exact> {
    let mut exact = Exact { cells: plan.cells(), sums: vec![0; plan.cells() * plan.groups()] };
    // Where each draw's cells begin in a group.
    let mut first = 0;
    let (mut plain, mut bins) = (Vec::new(), Vec::new());
    for draw in &plan.draws {
        match draw.kind {
            DrawKind::Bins(_, count) => bins.push((first, count)),
            DrawKind::Count | DrawKind::Sum(_) => plain.push(first),
        }
        first += draw.cells();
    }
    for numbers in rows {
        let [part, group, bin, sums @ ..] = numbers.as_slice() else { return None };
        let group = usize::try_from(*group).ok().filter(|group| *group < plan.groups())?;
        let cells = &mut exact.sums[group * exact.cells..(group + 1) * exact.cells];
        match usize::try_from(*part).ok()?.checked_sub(1) {
            None if sums.len() == plain.len() => {
                plain.iter().zip(sums).for_each(|(cell, sum)| cells[*cell] = *sum);
            }
            Some(part) => {
                let (first, count) = bins.get(part)?;
                let bin = usize::try_from(*bin).ok().filter(|bin| bin < count)?;
                cells[first + bin] = *sums.first()?;
            }
            None => return None,
        }
    }
    Some(exact)
}

/// The keys of a plan whose keys are discovered, from the rows that its [`statement`] has; `None` if they are not such rows. Texts that are
/// no keys are left out, and texts that are the same key are counted together.
pub fn found<'a>(plan: &Plan, rows: impl IntoIterator<Item = (&'a str, u64)>) -> Option<Counts> {
    let Domain::Discovered { bytes } = plan.fields.get(plan.discovered()?)?.domain else { return None };
    let mut counts = Counts::new();
    for (digits, count) in rows {
        if let Some(key) = discovered_key(&from_hex(digits)?, bytes) {
            *counts.entry(key.to_owned()).or_default() += count;
        }
    }
    Some(counts)
}

/// The bytes that hexadecimal digits stand for.
fn from_hex(digits: &str) -> Option<Vec<u8>> {
    let value = |digit: &u8| char::from(*digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    rest.is_empty().then_some(())?;
    pairs.iter().map(|[high, low]| Some(value(high)? << 4 | value(low)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_from_digits() {
        assert_eq!(from_hex("c3A9 ".trim()), Some("é".into()));
        assert_eq!(from_hex(""), Some(vec![]));
        for none in ["c", "zz", "+1", "é"] {
            assert_eq!(from_hex(none), None, "{none}");
        }
    }

    #[test]
    fn types_are_known_by_their_names() {
        assert_eq!(kind("DECIMAL(12,2)"), Some(Kind::Decimal(Some(12))));
        assert_eq!(kind("numeric"), Some(Kind::Decimal(None)));
        assert_eq!(kind("character varying(20)"), Some(Kind::Text));
        assert_eq!(
            (kind("bigint"), kind("DATE"), kind("boolean")),
            (Some(Kind::Integer), Some(Kind::Date), Some(Kind::Bool))
        );
        assert_eq!(
            (kind("double precision"), kind("timestamp without time zone"), kind("int[]")),
            (None, None, None)
        );
    }

    #[test]
    fn texts_cannot_leave_their_quotes() {
        assert_eq!(Dialect::Postgres.text("a'; DROP"), "'a''; DROP'");
        assert_eq!(Dialect::Spark.text("a\\'b"), "'a\\\\\\'b'");
        assert_eq!(Dialect::DuckDb.quoted("x\"y"), "\"x\"\"y\"");
        assert_eq!(Dialect::Spark.quoted("x`y"), "`x``y`");
    }
}
