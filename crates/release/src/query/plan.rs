//! The plan of a query: which rows, which groups, which draws, and what is shown of them.

use std::cell::{Cell, RefCell};
use std::thread;

use sqlparser::ast::{
    Expr, GroupByExpr, LimitClause, OrderByKind, OrderBySort, Query, Select, SelectItem, Value,
};

use super::aggregate::Aggregates;
pub use super::aggregate::{Draw, DrawKind};
use super::clause::{self, Options};
use super::discovered;
use super::from::{From, from};
use super::parse::{MAX_QUERY, called, parse, refuse, refuse_at, select};
use super::post::{Post, PostCondition};
use super::resolve::{Place, Scope, Typed};
use super::row::{Condition, Order, Row};
use crate::policy::{Column, Domain, Policy, Table, Unit};
use crate::refusal::{Answer, Refusal};

/// The most groups of one query: each is a line of the answer.
pub const MAX_GROUPS: usize = 1 << 20;

/// The most noisy numbers of one query, over all groups: each is drawn, stored and shown.
pub const MAX_NUMBERS: usize = 1 << 21;

/// The most comparisons in the conditions of all draws of one query: each is a part of the text that is proved.
pub const MAX_COMPARISONS: usize = 1000;

/// The most columns of one query.
const MAX_COLUMNS: usize = 100;

/// A key. Every value of a public one appears in the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// Its values as they are shown, in order; none if they are discovered.
    pub labels: Vec<String>,
    /// Whether they are numbers, or truth values: JSON writes those without quotes.
    pub bare: bool,
    /// Which of them a row has, from 0.
    pub row: Row,
    /// The field whose text is the key, if its values are discovered from the rows.
    pub discovered: Option<usize>,
}

/// A column of the answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Shown {
    /// The key at this place.
    Key(usize),
    /// A noisy number.
    Noisy(Post),
}

/// What the answer is sorted by.
#[derive(Debug, Clone, PartialEq)]
pub struct Sort {
    /// A column.
    pub by: Shown,
    /// From the largest.
    pub descending: bool,
    /// Where what has no value stands: before all others, or after them.
    pub nothing_first: bool,
}

/// A column of a public table.
#[derive(Debug, Clone, PartialEq)]
pub struct Joined {
    /// The column.
    pub column: Column,
    /// The table.
    pub table: String,
}

/// All that a query asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The query.
    pub sql: String,
    /// The table.
    pub table: Table,
    /// The rows that it takes.
    pub condition: Condition,
    /// The columns that are read, in the order of the fields of a row.
    pub fields: Vec<Column>,
    /// The columns of public tables that are looked up, in the order of their names `joined_1`, `joined_2` in the text.
    pub joined: Vec<Joined>,
    /// The public tables that are read, each with the hash of its rows.
    pub public: Vec<(String, String)>,
    /// The keys.
    pub keys: Vec<Key>,
    /// The noisy numbers of each group.
    pub draws: Vec<Draw>,
    /// What is shown, with names.
    pub columns: Vec<(String, Shown)>,
    /// Which groups are shown.
    pub having: Option<PostCondition>,
    /// In which order.
    pub order: Vec<Sort>,
    /// How many of them.
    pub limit: Option<usize>,
    /// What GoogleSQL's clause asked for.
    pub options: Options,
}

impl Plan {
    /// The column that names users, if units are users.
    pub fn user_column(&self) -> Option<&str> {
        match &self.table.unit {
            Unit::Row => None,
            Unit::User { column, .. } => Some(column),
        }
    }

    /// The field whose text is the key, if the keys are discovered from the rows. It is then the only key, and there is one draw, a count.
    pub fn discovered(&self) -> Option<usize> {
        self.keys.first().and_then(|key| key.discovered)
    }

    /// How many groups there are, with or without rows; 0 if they are discovered.
    pub fn groups(&self) -> usize {
        self.keys.iter().map(|key| key.labels.len()).product()
    }

    /// The key of a group: the place of each key's value.
    pub fn key_of(&self, mut group: usize) -> Vec<usize> {
        let mut places = Vec::new();
        for key in self.keys.iter().rev() {
            places.push(group % key.labels.len());
            group /= key.labels.len();
        }
        places.reverse();
        places
    }

    /// How many noisy numbers a group has.
    pub fn cells(&self) -> usize {
        self.draws.iter().map(Draw::cells).sum()
    }

    /// Which group a row is in.
    pub fn group_row(&self) -> Option<Row> {
        let mut all: Option<Row> = None;
        for key in &self.keys {
            all = Some(match all {
                None => key.row.clone(),
                Some(before) => {
                    let size = Row::Constant(key.labels.len() as i64);
                    Row::Add(Box::new(Row::Mul(Box::new(before), Box::new(size))), Box::new(key.row.clone()))
                }
            });
        }
        all
    }
}

/// Reads a query against a policy.
///
/// ```
/// # let text = "[budget]\nepsilon = 1\nper_query = { epsilon = 1 }\n[table.t]\nunit = \"row\"\n[table.t.columns]\nk = { in = [\"a\", \"b\"] }\nx = { type = \"int\", between = [0, 9] }";
/// let policy = probity_release::policy::read("policy", text).unwrap();
/// let plan = probity_release::query::plan("SELECT k, AVG(x) AS mean FROM t GROUP BY k", &policy).unwrap();
/// assert_eq!((plan.groups(), plan.draws.len()), (2, 2));
/// let refusal = probity_release::query::plan("SELECT x FROM t", &policy).unwrap_err();
/// assert_eq!(refusal.place.unwrap().column, 8);
/// ```
pub fn plan(sql: &str, policy: &Policy) -> Answer<Plan> {
    if sql.len() > MAX_QUERY {
        parse(sql)?;
    }
    // A sum of thousands of terms is a tree of thousands of levels, which the parser's own code walks and drops by recursion. The
    // longest query has fewer levels than this stack has room for.
    thread::scope(|scope| {
        let reader = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || read_query(sql, policy));
        let stopped = || Refusal::input("the query could not be read: the system gave no memory for it");
        reader.map_err(|_| stopped())?.join().unwrap_or_else(|_| Err(stopped()))
    })
}

/// Bytes of stack for the longest query; what is not used is never touched.
const STACK: usize = 512 << 20;

fn read_query(sql: &str, policy: &Policy) -> Answer<Plan> {
    let (clean, options) = clause::cut(sql)?;
    let query = parse(&clean)?;
    let select = select(&clean, &query)?;
    let From { table, alias, joins } = from(&clean, select, policy)?;
    let scope = Scope {
        sql: &clean,
        table,
        alias: &alias,
        joins: &joins,
        fields: RefCell::default(),
        joined: RefCell::default(),
    };
    let condition = match &select.selection {
        None => Condition::Constant(true),
        Some(condition) => scope.condition(condition, 0)?,
    };
    let keys = keys(&scope, select)?;
    let aggregates = Aggregates {
        scope: &scope,
        condition: condition.clone(),
        groups: keys.iter().map(|(_, key)| key.labels.len().max(1)).product(),
        draws: RefCell::default(),
        keys: keys.iter().filter_map(|(meant, _)| column_of(&scope, meant)).collect(),
        named: RefCell::default(),
        asked: Cell::default(),
        users: Cell::default(),
    };
    let columns = columns(&aggregates, select, &keys)?;
    let having = select.having.as_ref().map(|having| aggregates.post_condition(having, 0)).transpose()?;
    let order = order(&aggregates, &query, &keys, &columns)?;
    let limit = limit(&clean, &query)?;
    let mut unit = table.unit.clone();
    if let (Unit::User { rows_per_group, .. }, true) = (&mut unit, aggregates.users.get() > 0) {
        // Users are counted by one row of each in every group, which other columns must not be cut to.
        *rows_per_group = 1;
        if aggregates.users.get() < aggregates.asked.get() {
            return Err(refuse(&clean, select, "users are counted in a query of their own")
                .hint("ask for COUNT(DISTINCT …) and for the other columns in two queries"));
        }
    }
    if let (Unit::User { groups, .. }, Some(asked)) = (&mut unit, options.max_groups) {
        if asked > *groups {
            return Err(refuse(
                &clean,
                select,
                format!("max_groups_contributed is {asked}, but the policy bounds users to {groups} groups"),
            )
            .hint("a query may ask for less than the policy says, never for more"));
        }
        *groups = asked;
    }
    let mut draws = aggregates.draws.into_inner();
    for (_, shown) in &columns {
        if let Shown::Noisy(post) = shown {
            post.draws().into_iter().for_each(|draw| draws[draw].uses += 1);
        }
    }
    // A draw that only HAVING or ORDER BY uses is drawn too.
    draws.iter_mut().for_each(|draw| draw.uses = draw.uses.max(1));
    if draws.is_empty() {
        return Err(refuse(&clean, select, "the query asks for nothing private: it has no aggregate")
            .hint("add COUNT(*), SUM(…) or AVG(…)"));
    }
    discovered::check(&clean, select, &keys, &draws, options.selection)?;
    let groups: usize = keys.iter().map(|(_, key)| key.labels.len()).product();
    let numbers = groups.saturating_mul(draws.iter().map(Draw::cells).sum());
    if numbers > MAX_NUMBERS {
        return Err(refuse(
            &clean,
            select,
            format!("{groups} groups make {numbers} noisy numbers, and {MAX_NUMBERS} is the most"),
        )
        .hint("group by fewer keys, or ask for fewer columns at a time"));
    }
    let of_keys: usize = keys.iter().map(|(_, key)| key.row.comparisons()).sum();
    let comparisons: usize = draws.iter().map(|draw| of_keys + draw.comparisons()).sum();
    if comparisons > MAX_COMPARISONS {
        return Err(refuse(
            &clean,
            select,
            format!("a row would be compared {comparisons} times for all columns, and {MAX_COMPARISONS} is the most that is proved"),
        )
        .hint("write BETWEEN for lists of neighbouring values, or ask for fewer columns at a time"));
    }
    // A row without a key is dropped whether or not a column of the public table is asked for: the key is always read.
    for join in &joins {
        scope.key_of(join, select)?;
    }
    let joined: Vec<Joined> = scope
        .joined
        .into_inner()
        .into_iter()
        .map(|(join, column)| Joined {
            column: joins[join].table.columns[column].clone(),
            table: joins[join].table.name.clone(),
        })
        .collect();
    let public = joins
        .iter()
        .map(|join| (join.table.name.clone(), join.table.hash.clone()))
        .chain(scope.fields.borrow().iter().filter_map(|place| {
            let public = policy.public(table.columns[*place].references.as_ref()?)?;
            Some((public.name.clone(), public.hash.clone()))
        }))
        .collect::<std::collections::BTreeSet<_>>();
    let fields = scope.fields.into_inner().into_iter().map(|place| table.columns[place].clone()).collect();
    Ok(Plan {
        sql: sql.to_owned(),
        table: Table { unit, ..table.clone() },
        condition,
        fields,
        joined,
        public: public.into_iter().collect(),
        keys: keys.into_iter().map(|(_, key)| key).collect(),
        draws,
        columns,
        having,
        order,
        limit,
        options,
    })
}

/// What an expression of GROUP BY stands for, with the key.
pub(super) type Written<'q> = (&'q Expr, Key);

/// Whether two expressions over rows are written alike. Texts are compared, since comparing or copying syntax trees would have this
/// crate compile that for every kind of statement that there is in SQL.
fn alike(a: &Expr, b: &Expr) -> bool {
    a.to_string() == b.to_string()
}

/// Which key an expression over rows is: the one that stands for what is written like it, or the one of the same column. Never the one
/// whose name in SELECT it is written like: a name is that of a column here.
fn shown_key(scope: &Scope, keys: &[Written], expr: &Expr) -> Option<usize> {
    let is_column = matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
    keys.iter().position(|(meant, _)| alike(meant, expr)).or_else(|| {
        let column = is_column.then(|| key(scope, expr).ok()).flatten()?;
        keys.iter().position(|(_, key)| *key == column)
    })
}

fn keys<'q>(scope: &Scope, select: &'q Select) -> Answer<Vec<Written<'q>>> {
    let expressions = match &select.group_by {
        GroupByExpr::Expressions(expressions, modifiers) if modifiers.is_empty() => expressions,
        _ => {
            return Err(refuse(
                scope.sql,
                select,
                "GROUP BY takes columns; ALL, ROLLUP and the like are not answered",
            ));
        }
    };
    let mut keys: Vec<Written> = Vec::new();
    for written in expressions {
        let named = meant(scope.sql, select, written)?;
        let column = column_of(scope, written);
        let (meant, key) = match key(scope, named) {
            // The standard means the column, other systems what SELECT calls so: the labels of one would stand for the other.
            Ok(_) if column.is_some_and(|column| column_of(scope, named) != Some(column)) => {
                let what = format!("{written} is a column, and SELECT calls something else so");
                let hint = "give it another name with AS, or write its number in SELECT: GROUP BY 1";
                return Err(refuse(scope.sql, written, what).hint(hint));
            }
            Ok(key) => (named, key),
            // A name of SELECT that is no key may be the name of a column too, which is then meant.
            Err(refusal) => (written, key(scope, written).map_err(|_| refusal)?),
        };
        if keys.iter().any(|(_, known)| *known == key) {
            return Err(refuse(scope.sql, written, "this key is there twice"));
        }
        keys.push((meant, key));
    }
    discovered::check_keys(scope, expressions, &keys)?;
    let groups = keys.iter().try_fold(1usize, |all, (_, key)| all.checked_mul(key.labels.len()));
    match groups {
        Some(groups) if groups <= MAX_GROUPS => Ok(keys),
        _ => Err(refuse(
            scope.sql,
            &expressions[0],
            format!("the keys make more than {MAX_GROUPS} groups, and each is shown"),
        )
        .hint("group by fewer columns, or by CASE with fewer values")),
    }
}

/// What a key of GROUP BY stands for: the column of SELECT with this number or name, or itself.
fn meant<'q>(sql: &str, select: &'q Select, written: &'q Expr) -> Answer<&'q Expr> {
    let item = |item: &'q SelectItem| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
        _ => None,
    };
    match written {
        Expr::Value(value) => {
            let number = match &value.value {
                Value::Number(digits, _) => digits.parse::<usize>().ok(),
                _ => None,
            };
            let named =
                number.and_then(|number| select.projection.get(number.checked_sub(1)?)).and_then(item);
            named.ok_or_else(|| refuse(sql, written, "this is no column of the SELECT"))
        }
        Expr::Identifier(name) => {
            let aliased = select.projection.iter().filter_map(|item| match item {
                SelectItem::ExprWithAlias { expr, alias } => Some((alias.value.as_str(), expr)),
                _ => None,
            });
            Ok(called(sql, name, aliased)?.unwrap_or(written))
        }
        _ => Ok(written),
    }
}

/// The column that an expression is, if it is one.
fn column_of(scope: &Scope, expr: &Expr) -> Option<Place> {
    match expr {
        Expr::Identifier(name) => scope.place(std::slice::from_ref(name), expr).ok(),
        Expr::CompoundIdentifier(parts) => scope.place(parts, expr).ok(),
        Expr::Nested(inner) => column_of(scope, inner),
        _ => None,
    }
}

fn key(scope: &Scope, expr: &Expr) -> Answer<Key> {
    let public = "keys are columns: those with `in`, bool, numbers and dates with bounds, references to a public table and texts with `discover`; and CASE with texts: CASE WHEN age < 18 THEN 'young' ELSE 'old' END";
    if let Expr::Case { operand, conditions, else_result: Some(otherwise), .. } = expr {
        let text = |expr: &Expr| match scope.typed(expr, 0)? {
            Typed::Text(text) => Ok(text),
            _ => Err(refuse(scope.sql, expr, "the values of a CASE key are texts")
                .hint("write THEN 'young' ELSE 'old'")),
        };
        let mut labels: Vec<String> = Vec::new();
        let mut place = |label: String| {
            let known = labels.iter().position(|known| *known == label).unwrap_or_else(|| {
                labels.push(label);
                labels.len() - 1
            });
            Row::Constant(known as i64)
        };
        let mut parts = Vec::new();
        for case in conditions {
            let condition = match operand {
                None => scope.condition(&case.condition, 0)?,
                Some(operand) => {
                    let (value, of_case) = (scope.typed(operand, 0)?, scope.typed(&case.condition, 0)?);
                    scope.compare(&case.condition, Order::Equal, value, of_case)?
                }
            };
            parts.push((condition, place(text(&case.result)?)));
        }
        let mut row = place(text(otherwise)?);
        for (condition, then) in parts.into_iter().rev() {
            row = Row::If(Box::new(condition), Box::new(then), Box::new(row));
        }
        return Ok(Key { labels, bare: false, row, discovered: None });
    }
    let place = match expr {
        Expr::Identifier(name) => scope.place(std::slice::from_ref(name), expr)?,
        Expr::CompoundIdentifier(parts) => scope.place(parts, expr)?,
        Expr::Nested(inner) => return key(scope, inner),
        _ => {
            // The expression may name an unknown column: say that first.
            scope.typed(expr, 0)?;
            return Err(refuse(scope.sql, expr, "the values of this key are not public").hint(public));
        }
    };
    let column = scope.column(place);
    if column.references.is_some() || matches!(place, Place::Joined(..)) {
        // The values of what refers to a public table that was not read are not known yet, and that is what to say.
        scope.typed(expr, 0)?;
    }
    if let (Domain::Discovered { .. }, Place::Own(own)) = (&column.domain, place) {
        return Ok(discovered::key(scope, own));
    }
    let discovered = || {
        refuse(scope.sql, expr, format!("the values of {} would have to be discovered from the rows", column.name))
            .hint("list the values in the policy: in = [\"…\"]; or write { type = \"text\", discover = true }, which costs a delta and holds rare keys back")
    };
    let (low, high) = column.bounds().ok_or_else(discovered)?;
    if high.abs_diff(low) >= MAX_GROUPS as u64 {
        return Err(refuse(
            scope.sql,
            expr,
            format!("{} has more than {MAX_GROUPS} possible values", column.name),
        )
        .hint("group by CASE with a few values instead"));
    }
    let whole = match scope.typed(expr, 0)? {
        Typed::Category { row, .. } | Typed::Date(row) => row,
        Typed::Number(number) => number.row,
        Typed::Bool(Condition::Compare(_, row, _)) => row,
        Typed::Bool(_) | Typed::Text(_) => return Err(discovered()),
    };
    let row = match low {
        0 => whole,
        _ => Row::Sub(Box::new(whole), Box::new(Row::Constant(low))),
    };
    let labels = (low..=high).map(|value| column.shown(value)).collect();
    let bare = matches!(column.domain, Domain::Number { .. } | Domain::Bool);
    Ok(Key { labels, bare, row, discovered: None })
}

fn columns(aggregates: &Aggregates, select: &Select, keys: &[Written]) -> Answer<Vec<(String, Shown)>> {
    let sql = aggregates.scope.sql;
    let mut columns: Vec<(String, Shown)> = Vec::new();
    for item in &select.projection {
        let (expr, alias) = match item {
            SelectItem::UnnamedExpr(expr) => (expr, None),
            SelectItem::ExprWithAlias { expr, alias } => (expr, Some(alias)),
            _ => {
                return Err(
                    refuse(sql, item, "no raw row is released").hint("write COUNT(*), SUM(…) or AVG(…)")
                );
            }
        };
        let shown = match shown_key(aggregates.scope, keys, expr) {
            Some(key) => Shown::Key(key),
            None => Shown::Noisy(aggregates.post(expr, 0)?),
        };
        let name = match (alias, expr) {
            (Some(alias), _) => alias.value.clone(),
            (None, Expr::Identifier(name)) => name.value.clone(),
            (None, Expr::CompoundIdentifier(parts)) => {
                parts.last().map(|part| part.value.clone()).unwrap_or_default()
            }
            (None, Expr::Function(function)) => function.name.to_string().to_lowercase(),
            (None, _) => format!("column_{}", columns.len() + 1),
        };
        if name.trim().is_empty() {
            return Err(refuse(sql, item, "a column must have a name").hint("write AS n"));
        }
        if name.contains(char::is_control) {
            return Err(refuse(sql, item, "the name of a column is on one line, without control characters"));
        }
        let taken = |name: &str, columns: &[(String, Shown)]| columns.iter().any(|(known, _)| known == name);
        let name = match alias {
            Some(alias) if taken(&name, &columns) => {
                return Err(refuse_at(sql, alias.span, format!("two columns are called {name}")));
            }
            Some(_) => name,
            None => {
                let fresh = (2..).map(|n| format!("{name}_{n}")).find(|name| !taken(name, &columns));
                if taken(&name, &columns) { fresh.unwrap_or(name) } else { name }
            }
        };
        if let Shown::Noisy(post) = &shown {
            aggregates.named.borrow_mut().push((name.clone(), post.clone()));
        }
        columns.push((name, shown));
    }
    if columns.len() > MAX_COLUMNS {
        return Err(Refusal::input(format!("the query has more than {MAX_COLUMNS} columns"))
            .hint("ask for some of them in a query of their own"));
    }
    for (name, shown) in &columns {
        let ends = [format!("{name}_low"), format!("{name}_high")];
        if matches!(shown, Shown::Noisy(_)) && columns.iter().any(|(other, _)| ends.contains(other)) {
            return Err(Refusal::input(format!(
                "{name} has error bars {} and {}, which are columns of their own",
                ends[0], ends[1]
            ))
            .hint("give one of them another name with AS"));
        }
    }
    Ok(columns)
}

fn order(
    aggregates: &Aggregates,
    query: &Query,
    keys: &[Written],
    columns: &[(String, Shown)],
) -> Answer<Vec<Sort>> {
    let sql = aggregates.scope.sql;
    let Some(order) = &query.order_by else { return Ok(vec![]) };
    let OrderByKind::Expressions(items) = &order.kind else {
        return Err(refuse(sql, query, "ORDER BY takes columns"));
    };
    let mut sorts = Vec::new();
    for item in items {
        if item.with_fill.is_some() {
            return Err(refuse(sql, &item.expr, "WITH FILL is not answered: every group is there as it is"));
        }
        let numbered = match &item.expr {
            Expr::Value(value) => {
                let number = match &value.value {
                    Value::Number(digits, _) => digits.parse::<usize>().ok(),
                    _ => None,
                };
                let column = number.and_then(|number| columns.get(number.checked_sub(1)?));
                Some(column.ok_or_else(|| refuse(sql, &item.expr, "this is no column of the SELECT"))?)
            }
            Expr::Identifier(name) => {
                called(sql, name, columns.iter().map(|column| (column.0.as_str(), column)))?
            }
            _ => None,
        };
        // What SELECT names is not looked for in the table: its column would count as read, and its empty fields would drop rows.
        let by = match numbered {
            Some((_, shown)) => shown.clone(),
            None => match shown_key(aggregates.scope, keys, &item.expr) {
                Some(key) => Shown::Key(key),
                None => Shown::Noisy(aggregates.post(&item.expr, 0)?),
            },
        };
        let descending = item.options.sort == Some(OrderBySort::Desc);
        sorts.push(Sort { by, descending, nothing_first: item.options.nulls_first.unwrap_or(!descending) });
    }
    Ok(sorts)
}

fn limit(sql: &str, query: &Query) -> Answer<Option<usize>> {
    let limit = match &query.limit_clause {
        None => return Ok(None),
        Some(LimitClause::LimitOffset { limit: Some(limit), offset: None, limit_by })
            if limit_by.is_empty() =>
        {
            limit
        }
        Some(_) => return Err(refuse(sql, query, "LIMIT takes one number, without OFFSET")),
    };
    let number = match limit {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => digits.parse().ok(),
            _ => None,
        },
        _ => None,
    };
    number.map(Some).ok_or_else(|| refuse(sql, limit, "LIMIT takes a whole number"))
}
