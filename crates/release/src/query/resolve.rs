//! Expressions over a row: names become columns, texts become categories or days, decimals become integers with a unit.

use std::cell::RefCell;

use probity_exact::{Rational, parse_rational};
use sqlparser::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, Select, UnaryOperator,
    Value,
};

use super::from::Joining;
use super::instead::{self, COMPARE_DAYS, COMPARE_TEXTS, NULLS};
use super::number::{Number, common};
use super::parse::{refuse, refuse_at};
use super::row::{Condition, Order, Row};
use crate::policy::{Column, Domain, Table, date_from_text};
use crate::refusal::{Answer, Refusal};

/// The levels that an expression may have: the mechanism language reads a hundred.
const MAX_DEPTH: usize = 40;

/// A value of a row, with its type.
#[derive(Debug, Clone, PartialEq)]
pub enum Typed {
    /// A number.
    Number(Number),
    /// A category of a column, by its place in the column's list.
    Category {
        /// The column's place.
        column: Place,
        /// The place of the category.
        row: Row,
    },
    /// A day.
    Date(Row),
    /// A truth value.
    Bool(Condition),
    /// A text in the query.
    Text(String),
}

impl Typed {
    fn kind(&self) -> &'static str {
        match self {
            Typed::Number(_) => "a number",
            Typed::Category { .. } => "a category",
            Typed::Date(_) => "a date",
            Typed::Bool(_) => "a truth value",
            Typed::Text(_) => "a text",
        }
    }
}

/// What names mean in a query, and which columns it has used.
pub struct Scope<'a> {
    /// The query.
    pub sql: &'a str,
    /// The table.
    pub table: &'a Table,
    /// What the query calls it.
    pub alias: &'a str,
    /// The public tables that are joined with it.
    pub joins: &'a [Joining<'a>],
    /// The columns that were used, by their place in the table, in the order of use.
    pub fields: RefCell<Vec<usize>>,
    /// The same for columns of public tables: the join, and the column's place in its table.
    pub joined: RefCell<Vec<(usize, usize)>>,
}

/// Where a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the private table.
    Own(usize),
    /// In a public table: the join, and the place in its table.
    Joined(usize, usize),
}

impl Scope<'_> {
    /// The column at a place.
    pub fn column(&self, place: Place) -> &Column {
        match place {
            Place::Own(place) => &self.table.columns[place],
            Place::Joined(join, place) => &self.joins[join].table.columns[place],
        }
    }

    /// Where the column is that a name means.
    pub fn place(&self, parts: &[Ident], at: &Expr) -> Answer<Place> {
        let (tables, name): (Vec<Option<usize>>, &Ident) = match parts {
            [name] => (std::iter::once(None).chain((0..self.joins.len()).map(Some)).collect(), name),
            [table, name] if table.value == self.alias => (vec![None], name),
            [table, name] => match self.joins.iter().position(|join| join.alias == table.value) {
                Some(join) => (vec![Some(join)], name),
                None => {
                    return Err(refuse_at(
                        self.sql,
                        table.span,
                        format!("there is no table `{}` in this query", table.value),
                    ));
                }
            },
            [table, ..] => {
                return Err(refuse_at(
                    self.sql,
                    table.span,
                    "a column has the name of its table before it, and no more",
                ));
            }
            [] => return Err(refuse(self.sql, at, "a name is missing")),
        };
        let columns = |table: &Option<usize>| match table {
            None => &self.table.columns,
            Some(join) => &self.joins[*join].table.columns,
        };
        let mut found: Vec<Place> = Vec::new();
        for table in &tables {
            let place = |place: usize| table.map_or(Place::Own(place), |join| Place::Joined(join, place));
            let exact = columns(table).iter().position(|column| column.name == name.value);
            // SQL's names do not know upper from lower case; where two columns differ only in that, the spelling decides.
            let mut alike = columns(table)
                .iter()
                .enumerate()
                .filter(|(_, column)| column.name.eq_ignore_ascii_case(&name.value));
            let folded = alike
                .next()
                .filter(|_| alike.next().is_none() && name.quote_style.is_none())
                .map(|(place, _)| place);
            found.extend(exact.or(folded).map(place));
            // The key of a public table is the column that holds it.
            if let Some(join) = table
                && tables.len() == 1
                && self.joins[*join].table.key.eq_ignore_ascii_case(&name.value)
            {
                found.push(Place::Own(self.joins[*join].by));
            }
        }
        match found.as_slice() {
            [place] => return Ok(*place),
            [] => {}
            _ => {
                return Err(refuse_at(
                    self.sql,
                    name.span,
                    format!("two tables have a column `{}`", name.value),
                )
                .hint("write the table before it, as people.region"));
            }
        }
        let names: Vec<&str> = tables.iter().flat_map(columns).map(|column| column.name.as_str()).collect();
        let key_of = self.joins.iter().find(|join| join.table.key.eq_ignore_ascii_case(&name.value));
        let hint = match (probity_lang::nearest(&name.value, names.iter().copied()), key_of) {
            _ if name.quote_style == Some('"') => {
                format!("a text stands between single quotes: '{}'", name.value)
            }
            (_, Some(join)) => {
                format!(
                    "the key of a public table is written with the table: {}.{}",
                    join.alias, join.table.key
                )
            }
            (Some(near), None) => format!("did you mean {near}?"),
            (None, None) => format!(
                "the columns are {}; a column that is not in the policy cannot be used",
                names.join(", ")
            ),
        };
        let table = match tables.as_slice() {
            [Some(join)] => &self.joins[*join].table.name,
            _ => &self.table.name,
        };
        Err(refuse_at(self.sql, name.span, format!("the policy has no column `{}` in {table}", name.value))
            .hint(hint))
    }

    /// The field of a row that holds a column of the private table.
    pub fn field(&self, place: usize) -> usize {
        let mut fields = self.fields.borrow_mut();
        fields.iter().position(|used| *used == place).unwrap_or_else(|| {
            fields.push(place);
            fields.len() - 1
        })
    }

    /// Reads the key of a public table in every row, so that rows without one are left out.
    pub fn key_of(&self, join: &Joining, select: &Select) -> Answer<()> {
        if matches!(self.table.columns[join.by].domain, Domain::Text) {
            let table = &join.table.name;
            return Err(refuse(
                self.sql,
                select,
                format!("it is not said where the public table {table} is"),
            )
            .hint(format!("add --data {table}=FILE.csv")));
        }
        self.field(join.by);
        Ok(())
    }

    /// The value of a column.
    fn value_of(&self, place: Place, at: &Expr) -> Answer<Typed> {
        let column = self.column(place);
        let unread = |table: &str| {
            refuse(self.sql, at, format!("it is not said where the public table {table} is"))
                .hint(format!("add --data {table}=FILE.csv"))
        };
        if let Some(table) = &column.references
            && matches!(column.domain, Domain::Text)
        {
            return Err(unread(table));
        }
        let row = match place {
            Place::Own(place) => {
                let Some((low, high)) = column.bounds() else {
                    if let Domain::Discovered { .. } = column.domain {
                        let what = format!("{} is a key that is discovered, and only that", column.name);
                        return Err(refuse(self.sql, at, what).hint(
                            "group by it; to compare it with texts, list its values in the policy: in = [\"…\", \"…\"]",
                        ));
                    }
                    return Err(refuse(
                        self.sql,
                        at,
                        format!("nothing can be asked about the text column {}", column.name),
                    )
                    .hint("list its values in the policy: in = [\"…\", \"…\"]"));
                };
                Row::Column { field: self.field(place), low, high }
            }
            Place::Joined(join, place) => {
                let joining = &self.joins[join];
                let Some(values) = joining.table.values.get(place).filter(|values| !values.is_empty()) else {
                    return Err(unread(&joining.table.name));
                };
                let mut joined = self.joined.borrow_mut();
                let number = joined.iter().position(|used| *used == (join, place)).unwrap_or_else(|| {
                    joined.push((join, place));
                    joined.len() - 1
                });
                let name = format!("joined_{}", number + 1);
                Row::Joined { name, field: self.field(joining.by), values: values.clone() }
            }
        };
        Ok(match &column.domain {
            Domain::Categories(_) => Typed::Category { column: place, row },
            Domain::Bool => Typed::Bool(Condition::Compare(Order::Equal, row, Row::Constant(1))),
            Domain::Number { unit, .. } => Typed::Number(Number { row, unit: unit.clone() }),
            Domain::Date { .. } | Domain::Text | Domain::Discovered { .. } => Typed::Date(row),
        })
    }

    /// A condition.
    pub fn condition(&self, expr: &Expr, depth: usize) -> Answer<Condition> {
        match self.typed(expr, depth)? {
            Typed::Bool(condition) => Ok(condition),
            other => {
                Err(refuse(self.sql, expr, format!("a condition is expected here, this is {}", other.kind())))
            }
        }
    }

    /// A number; a truth value counts as 1 or 0.
    pub fn number(&self, expr: &Expr, depth: usize) -> Answer<Number> {
        match self.typed(expr, depth)? {
            Typed::Number(number) => Ok(number),
            Typed::Bool(condition) => Ok(Number {
                row: Row::If(Box::new(condition), Box::new(Row::Constant(1)), Box::new(Row::Constant(0))),
                unit: Rational::ONE,
            }),
            other => {
                let hint = match other {
                    Typed::Date(_) => {
                        "nothing is computed from days: compare them, as joined >= DATE '2020-01-01', group by them, or ask for MIN, MEDIAN or MAX of them; MAX(d) - MIN(d) is a number of days"
                    }
                    Typed::Category { .. } | Typed::Text(_) => {
                        "nothing is computed from texts: compare them, as region = 'north', or group by them"
                    }
                    _ => "numbers are columns of type int, decimal or float, and what is computed from them",
                };
                Err(refuse(self.sql, expr, format!("a number is expected here, this is {}", other.kind()))
                    .hint(hint))
            }
        }
    }

    /// An expression with its type.
    pub fn typed(&self, expr: &Expr, depth: usize) -> Answer<Typed> {
        if depth > MAX_DEPTH {
            return Err(refuse(self.sql, expr, format!("the expression has more than {MAX_DEPTH} levels"))
                .hint("use parentheses to balance long sums, IN for long lists of OR"));
        }
        let deeper = depth + 1;
        let missing = |what: &str| {
            refuse(self.sql, expr, format!("{what}: there are no NULLs left after cleaning")).hint(NULLS)
        };
        match expr {
            Expr::Nested(inner) => self.typed(inner, deeper),
            Expr::Identifier(name) => self.value_of(self.place(std::slice::from_ref(name), expr)?, expr),
            Expr::CompoundIdentifier(parts) => self.value_of(self.place(parts, expr)?, expr),
            Expr::Value(value) => self.literal(expr, &value.value),
            Expr::TypedString(typed) => match &typed.value.value {
                Value::SingleQuotedString(text) if typed.data_type.to_string() == "DATE" => {
                    self.date(expr, text).map(|day| Typed::Date(Row::Constant(day)))
                }
                _ => Err(refuse(self.sql, expr, "only DATE '…' is known here")),
            },
            Expr::UnaryOp { op: UnaryOperator::Not, expr: inner } => {
                Ok(Typed::Bool(Condition::Not(Box::new(self.condition(inner, deeper)?))))
            }
            Expr::UnaryOp { op: UnaryOperator::Plus, expr: inner } => Ok(Typed::Number(self.number(inner, deeper)?)),
            Expr::UnaryOp { op: UnaryOperator::Minus, expr: inner } => {
                let number = self.number(inner, deeper)?;
                let row = match number.row {
                    Row::Constant(value) if value != i64::MIN => Row::Constant(-value),
                    row => Row::Sub(Box::new(Row::Constant(0)), Box::new(row)),
                };
                Ok(Typed::Number(Number { row, unit: number.unit }))
            }
            Expr::BinaryOp { left, op, right } => self.binary(expr, left, op, right, deeper),
            Expr::Between { expr: inner, negated, low, high } => {
                let above = self.compare(expr, Order::AtLeast, self.typed(inner, deeper)?, self.typed(low, deeper)?)?;
                let below = self.compare(expr, Order::AtMost, self.typed(inner, deeper)?, self.typed(high, deeper)?)?;
                let within = above.and(below);
                Ok(Typed::Bool(if *negated { Condition::Not(Box::new(within)) } else { within }))
            }
            Expr::InList { expr: inner, list, negated } => {
                let mut alternatives = Vec::new();
                for item in list {
                    let value = self.typed(inner, deeper)?;
                    let one = self.compare(item, Order::Equal, value, self.typed(item, deeper)?)?;
                    // What is listed twice would be looked at twice in the proof.
                    if !alternatives.contains(&one) {
                        alternatives.push(one);
                    }
                }
                let one = balanced(alternatives, Condition::Or);
                Ok(Typed::Bool(if *negated { Condition::Not(Box::new(one)) } else { one }))
            }
            // No truth value is missing, so that what is not true is false.
            Expr::IsTrue(inner) | Expr::IsNotFalse(inner) => Ok(Typed::Bool(self.condition(inner, deeper)?)),
            Expr::IsFalse(inner) | Expr::IsNotTrue(inner) => {
                Ok(Typed::Bool(Condition::Not(Box::new(self.condition(inner, deeper)?))))
            }
            Expr::IsNull(_) => Err(missing("IS NULL is never true")),
            Expr::IsNotNull(_) => Err(missing("IS NOT NULL is always true")),
            Expr::Case { operand, conditions, else_result, .. } => {
                let Some(otherwise) = else_result else {
                    return Err(refuse(self.sql, expr, "CASE has no ELSE, so its value may be NULL")
                        .hint("write ELSE with what all other rows count as; to leave them out of an aggregate, write AVG(x) FILTER (WHERE …)"));
                };
                let mut value = self.typed(otherwise, deeper)?;
                for case in conditions.iter().rev() {
                    let condition = match operand {
                        None => self.condition(&case.condition, deeper)?,
                        Some(operand) => {
                            let operand = self.typed(operand, deeper)?;
                            self.compare(&case.condition, Order::Equal, operand, self.typed(&case.condition, deeper)?)?
                        }
                    };
                    value = self.choice(expr, condition, self.typed(&case.result, deeper)?, value)?;
                }
                self.checked(expr, value)
            }
            Expr::Function(function) => {
                let name = function.name.to_string().to_uppercase();
                let arguments = match &function.args {
                    FunctionArguments::List(list) => list.args.as_slice(),
                    _ => &[],
                };
                let plain = |argument| match argument {
                    &FunctionArg::Unnamed(FunctionArgExpr::Expr(ref value)) => Some(value),
                    _ => None,
                };
                if let ("IF", [condition, yes, no]) = (name.as_str(), arguments)
                    && let (Some(condition), Some(yes), Some(no)) = (plain(condition), plain(yes), plain(no))
                {
                    let condition = self.condition(condition, deeper)?;
                    let (yes, no) = (self.typed(yes, deeper)?, self.typed(no, deeper)?);
                    let value = self.choice(expr, condition, yes, no)?;
                    return self.checked(expr, value);
                }
                // What is not known is said before what it was given.
                if !matches!(name.as_str(), "ABS" | "LEAST" | "GREATEST" | "IF") && !arguments.is_empty() {
                    return Err(instead::of(self.sql, expr, &name));
                }
                let mut numbers = Vec::new();
                for argument in arguments {
                    match argument {
                        FunctionArg::Unnamed(FunctionArgExpr::Expr(argument)) => {
                            numbers.push(self.number(argument, deeper)?);
                        }
                        _ => return Err(refuse(self.sql, expr, format!("{name} takes numbers"))),
                    }
                }
                self.call(expr, &name, numbers)
            }
            Expr::InSubquery { .. } | Expr::Exists { .. } | Expr::Subquery(_) => {
                Err(refuse(self.sql, expr, "queries inside queries are not answered"))
            }
            Expr::Like { .. } | Expr::ILike { .. } | Expr::SimilarTo { .. } | Expr::RLike { .. } => {
                Err(refuse(self.sql, expr, "texts are not searched").hint("compare with values of the policy's `in`"))
            }
            Expr::Cast { .. } | Expr::Convert { .. } => Err(refuse(self.sql, expr, "types are not converted in a query")
                .hint("the policy gives each column its type")),
            Expr::Extract { .. } => Err(refuse(self.sql, expr, "parts of days are not answered").hint(COMPARE_DAYS)),
            Expr::Substring { .. } | Expr::Trim { .. } => Err(refuse(self.sql, expr, "texts are not changed").hint(COMPARE_TEXTS)),
            Expr::Ceil { .. } | Expr::Floor { .. } => Err(refuse(self.sql, expr, "rows are not rounded")
                .hint("group by CASE: CASE WHEN age < 18 THEN 'young' ELSE 'old' END; noisy columns may be rounded by whoever reads them")),
            _ => Err(refuse(self.sql, expr, "this is not answered")
                .hint("what is: columns, numbers, + - *, division by a number, comparisons, AND, OR, NOT, IN, BETWEEN, CASE, IF, ABS, LEAST, GREATEST")),
        }
    }

    fn literal(&self, expr: &Expr, value: &Value) -> Answer<Typed> {
        match value {
            Value::Number(digits, _) => {
                let exact = parse_rational(digits).map_err(|error| refuse(self.sql, expr, error))?;
                let number = Number::constant(&exact)
                    .filter(|number| i64::try_from(number.unit.denominator()).is_ok());
                number
                    .map(Typed::Number)
                    .ok_or_else(|| refuse(self.sql, expr, "this number has too many digits"))
            }
            Value::SingleQuotedString(text) => Ok(Typed::Text(text.clone())),
            Value::DoubleQuotedString(_) => Err(refuse(self.sql, expr, "texts stand between single quotes")),
            Value::Boolean(truth) => Ok(Typed::Bool(Condition::Constant(*truth))),
            Value::Null => Err(refuse(self.sql, expr, "there are no NULLs after cleaning").hint(NULLS)),
            _ => Err(refuse(self.sql, expr, "this kind of value is not known here")),
        }
    }

    fn date(&self, at: &Expr, text: &str) -> Answer<i64> {
        date_from_text(text)
            .ok_or_else(|| refuse(self.sql, at, "this is no date").hint("write it as DATE '2024-12-31'"))
    }

    fn binary(
        &self,
        expr: &Expr,
        left: &Expr,
        op: &BinaryOperator,
        right: &Expr,
        depth: usize,
    ) -> Answer<Typed> {
        let order = match op {
            BinaryOperator::Eq => Some(Order::Equal),
            BinaryOperator::NotEq => Some(Order::Unequal),
            BinaryOperator::Lt => Some(Order::Less),
            BinaryOperator::LtEq => Some(Order::AtMost),
            BinaryOperator::Gt => Some(Order::Greater),
            BinaryOperator::GtEq => Some(Order::AtLeast),
            _ => None,
        };
        if let Some(order) = order {
            let (a, b) = (self.typed(left, depth)?, self.typed(right, depth)?);
            return self.compare(expr, order, a, b).map(Typed::Bool);
        }
        if let BinaryOperator::And | BinaryOperator::Or = op {
            let mut all: Vec<Condition> = Vec::new();
            for part in chain(expr, op) {
                let one = self.condition(part, depth)?;
                // A condition beside itself says nothing more.
                if !all.contains(&one) {
                    all.push(one);
                }
            }
            let make = if *op == BinaryOperator::And { Condition::And } else { Condition::Or };
            return Ok(Typed::Bool(balanced(all, make)));
        }
        if !matches!(
            op,
            BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Multiply | BinaryOperator::Divide
        ) {
            let hint = match op {
                BinaryOperator::StringConcat => COMPARE_TEXTS,
                _ => "what is: + - *, division by a number, = <> < <= > >=, AND, OR, NOT",
            };
            return Err(refuse(self.sql, expr, format!("the operator {op} is not answered")).hint(hint));
        }
        let (a, b) = (self.number(left, depth)?, self.number(right, depth)?);
        let number = match op {
            BinaryOperator::Plus | BinaryOperator::Minus => {
                let unit = common(&a.unit, &b.unit);
                a.in_unit(&unit).zip(b.in_unit(&unit)).map(|(a, b)| {
                    let (a, b) = (Box::new(a), Box::new(b));
                    let row = if *op == BinaryOperator::Plus { Row::Add(a, b) } else { Row::Sub(a, b) };
                    Number { row, unit }
                })
            }
            BinaryOperator::Multiply => {
                let unit = &a.unit * &b.unit;
                Some(match (a.row, b.row) {
                    // A constant factor only changes the unit, or nothing.
                    (Row::Constant(1), row) | (row, Row::Constant(1)) => Number { row, unit },
                    (a, b) => Number { row: Row::Mul(Box::new(a), Box::new(b)), unit },
                })
            }
            BinaryOperator::Divide => match b.row {
                Row::Constant(0) => return Err(refuse(self.sql, right, "this divides by zero")),
                Row::Constant(value) => {
                    let divisor = Rational::from(value) * &b.unit;
                    let (row, unit) = match divisor < Rational::ZERO {
                        true => (Row::Sub(Box::new(Row::Constant(0)), Box::new(a.row)), -(a.unit / divisor)),
                        false => (a.row, a.unit / divisor),
                    };
                    Some(Number { row, unit })
                }
                _ => {
                    return Err(refuse(self.sql, right, "a row is divided only by a number")
                        .hint("divide noisy columns instead, as SUM(a) / SUM(b)"));
                }
            },
            _ => None,
        };
        match number {
            Some(number) => self.checked(expr, Typed::Number(number)),
            None => Err(self.too_large(expr)),
        }
    }

    fn too_large(&self, expr: &Expr) -> Refusal {
        refuse(self.sql, expr, "by the bounds of its columns this can exceed 2^63 of its smallest units")
            .hint("narrow the bounds in the policy, or use LEAST and GREATEST")
    }

    /// The same, if it stays below 2^63 for every row; what has only one value is that number, so that no proof has to find it out.
    fn checked(&self, expr: &Expr, value: Typed) -> Answer<Typed> {
        match value {
            Typed::Number(Number { row, unit }) => match row.range() {
                Some((low, high)) if low == high => {
                    Ok(Typed::Number(Number { row: Row::Constant(low), unit }))
                }
                Some(_) => Ok(Typed::Number(Number { row, unit })),
                None => Err(self.too_large(expr)),
            },
            other => Ok(other),
        }
    }

    fn call(&self, expr: &Expr, name: &str, mut numbers: Vec<Number>) -> Answer<Typed> {
        let count = numbers.len();
        match (name, count) {
            ("ABS", 1) => {
                let number = numbers.remove(0);
                self.checked(
                    expr,
                    Typed::Number(Number { row: Row::Abs(Box::new(number.row)), unit: number.unit }),
                )
            }
            ("LEAST" | "GREATEST", 2..) => {
                let mut all = numbers.into_iter();
                let Some(mut best) = all.next() else { return Err(self.too_large(expr)) };
                for next in all {
                    let unit = common(&best.unit, &next.unit);
                    let (Some(a), Some(b)) = (best.in_unit(&unit), next.in_unit(&unit)) else {
                        return Err(self.too_large(expr));
                    };
                    let (a, b) = (Box::new(a), Box::new(b));
                    best =
                        Number { row: if name == "LEAST" { Row::Min(a, b) } else { Row::Max(a, b) }, unit };
                }
                self.checked(expr, Typed::Number(best))
            }
            ("IF" | "ABS" | "LEAST" | "GREATEST", _) => {
                Err(refuse(self.sql, expr, format!("{name} with {count} arguments is not known"))
                    .hint("write IF(condition, x, y), ABS(x), LEAST(x, y, …), GREATEST(x, y, …)"))
            }
            _ => Err(instead::of(self.sql, expr, name)),
        }
    }

    /// One of two values by a condition.
    fn choice(&self, expr: &Expr, condition: Condition, yes: Typed, no: Typed) -> Answer<Typed> {
        let kinds = (yes.kind(), no.kind());
        match (yes, no) {
            (Typed::Number(a), Typed::Number(b)) => {
                let unit = common(&a.unit, &b.unit);
                match a.in_unit(&unit).zip(b.in_unit(&unit)) {
                    Some((a, b)) => Ok(Typed::Number(Number {
                        row: Row::If(Box::new(condition), Box::new(a), Box::new(b)),
                        unit,
                    })),
                    None => Err(self.too_large(expr)),
                }
            }
            (Typed::Bool(a), Typed::Bool(b)) => {
                let not = Condition::Not(Box::new(condition.clone()));
                Ok(Typed::Bool(Condition::Or(Box::new(condition.and(a)), Box::new(not.and(b)))))
            }
            _ => Err(refuse(
                self.sql,
                expr,
                format!("CASE with {} and {} is not answered here", kinds.0, kinds.1),
            )
            .hint("in a sum its values are numbers; a GROUP BY key with texts is written CASE WHEN age < 18 THEN 'young' ELSE 'old' END")),
        }
    }

    /// A comparison.
    pub fn compare(&self, at: &Expr, order: Order, a: Typed, b: Typed) -> Answer<Condition> {
        let kinds = (a.kind(), b.kind());
        let (a, b) = match (a, b) {
            (Typed::Number(a), Typed::Number(b)) => {
                let unit = common(&a.unit, &b.unit);
                let rows = a.in_unit(&unit).zip(b.in_unit(&unit));
                rows.filter(|(a, b)| a.range().is_some() && b.range().is_some())
                    .ok_or_else(|| self.too_large(at))?
            }
            (Typed::Date(a), Typed::Date(b)) => (a, b),
            (Typed::Date(a), Typed::Text(text)) => (a, Row::Constant(self.date(at, &text)?)),
            (Typed::Text(text), Typed::Date(b)) => (Row::Constant(self.date(at, &text)?), b),
            (Typed::Category { column, row }, Typed::Text(text)) => {
                (row, self.category(at, order, column, &text)?)
            }
            (Typed::Text(text), Typed::Category { column, row }) => {
                (self.category(at, order, column, &text)?, row)
            }
            (Typed::Bool(a), Typed::Bool(b)) if matches!(order, Order::Equal | Order::Unequal) => {
                let number = |c| Row::If(Box::new(c), Box::new(Row::Constant(1)), Box::new(Row::Constant(0)));
                return Ok(match (a, b) {
                    (a, Condition::Constant(truth)) | (Condition::Constant(truth), a) => {
                        if truth == (order == Order::Equal) { a } else { Condition::Not(Box::new(a)) }
                    }
                    (a, b) => Condition::Compare(order, number(a), number(b)),
                });
            }
            _ => {
                let refusal =
                    refuse(self.sql, at, format!("{} cannot be compared with {}", kinds.0, kinds.1));
                let has = |kind: &str| kinds.0 == kind || kinds.1 == kind;
                return Err(match (has("a truth value"), has("a number") && has("a text")) {
                    (true, _) => refusal.hint("a truth value is a condition by itself: write x or NOT x"),
                    (_, true) => refusal.hint("a number is written without quotes"),
                    _ => refusal,
                });
            }
        };
        Ok(Condition::Compare(order, a, b))
    }

    fn category(&self, at: &Expr, order: Order, column: Place, text: &str) -> Answer<Row> {
        let of_public = matches!(column, Place::Joined(..)) || self.column(column).references.is_some();
        let column = self.column(column);
        let Domain::Categories(names) = &column.domain else {
            return Err(refuse(self.sql, at, "this is no category"));
        };
        if !matches!(order, Order::Equal | Order::Unequal) {
            return Err(refuse(self.sql, at, format!("the values of {} have no order", column.name))
                .hint("use =, <> or IN"));
        }
        names.iter().position(|name| name == text).map(|place| Row::Constant(place as i64)).ok_or_else(|| {
            let hint = match probity_lang::nearest(text, names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean '{near}'?"),
                None if of_public => "the rows of its public table have them".to_owned(),
                None => "the policy's `in` lists them".to_owned(),
            };
            refuse(self.sql, at, format!("'{text}' is no value of {}", column.name)).hint(hint)
        })
    }
}

/// What AND or OR connects, in order: a AND b AND c is three conditions, however many levels it has.
fn chain<'e>(mut expr: &'e Expr, op: &BinaryOperator) -> Vec<&'e Expr> {
    let mut parts = Vec::new();
    loop {
        match expr {
            Expr::BinaryOp { left, op: same, right } if same == op => {
                parts.push(&**right);
                expr = left;
            }
            first => {
                parts.push(first);
                parts.reverse();
                return parts;
            }
        }
    }
}

/// Many conditions as a tree of least height; none is never fulfilled.
fn balanced(
    mut conditions: Vec<Condition>,
    make: fn(Box<Condition>, Box<Condition>) -> Condition,
) -> Condition {
    match conditions.len() {
        0 => Condition::Constant(false),
        1 => conditions.remove(0),
        some => {
            let rest = conditions.split_off(some.div_ceil(2));
            make(Box::new(balanced(conditions, make)), Box::new(balanced(rest, make)))
        }
    }
}
