//! FROM: one private table, and public tables that are joined with it by their keys.

use sqlparser::ast::{BinaryOperator, Expr, Ident, Join, JoinConstraint, JoinOperator, Select, TableFactor};

use super::parse::refuse;
use crate::policy::{Policy, Public, Table};
use crate::refusal::Answer;

/// What stands behind FROM.
pub struct From<'a> {
    /// The private table.
    pub table: &'a Table,
    /// What the query calls it.
    pub alias: String,
    /// The public tables.
    pub joins: Vec<Joining<'a>>,
}

/// A public table that is joined.
pub struct Joining<'a> {
    /// The table.
    pub table: &'a Public,
    /// What the query calls it.
    pub alias: String,
    /// The place of the private column that holds its key.
    pub by: usize,
}

/// The name and the alias of a table, and nothing else.
fn named<'e>(sql: &str, factor: &'e TableFactor) -> Answer<(String, Option<&'e Ident>)> {
    match factor {
        TableFactor::Table {
            name,
            alias,
            args: None,
            with_hints,
            version: None,
            sample: None,
            partitions,
            ..
        } if with_hints.is_empty() && partitions.is_empty() => {
            // A name of several parts is no table of a policy, and is shown as it was written.
            let name = match name.0.as_slice() {
                [part] => part.as_ident().map_or_else(|| part.to_string(), |name| name.value.clone()),
                _ => name.to_string(),
            };
            if alias.as_ref().is_some_and(|alias| !alias.columns.is_empty()) {
                return Err(refuse(sql, factor, "a table is given another name, and its columns are not")
                    .hint("write FROM people AS p"));
            }
            Ok((name, alias.as_ref().map(|alias| &alias.name)))
        }
        _ => Err(refuse(sql, factor, "FROM takes the name of a table of the policy")),
    }
}

/// Reads FROM.
pub fn from<'a>(sql: &str, select: &Select, policy: &'a Policy) -> Answer<From<'a>> {
    let known = || policy.tables.iter().map(|table| table.name.as_str()).collect::<Vec<_>>();
    let [relation] = select.from.as_slice() else {
        return Err(refuse(sql, select, "a query is about one table").hint(format!(
            "write FROM {}; public tables are joined with JOIN … ON …",
            known().join(" or FROM ")
        )));
    };
    let (wanted, alias) = named(sql, &relation.relation)?;
    let table = policy.table(&wanted).ok_or_else(|| {
        let same = known().into_iter().find(|name| name.eq_ignore_ascii_case(&wanted));
        let hint = match same.or_else(|| probity_lang::nearest(&wanted, known().into_iter())) {
            _ if policy.public(&wanted).is_some() => {
                format!("it is public: write FROM {} JOIN {wanted} ON …", known().join(" or FROM "))
            }
            Some(near) => format!("did you mean {near}?"),
            None => format!("the policy's tables are {}", known().join(", ")),
        };
        refuse(sql, &relation.relation, format!("the policy has no table `{wanted}`")).hint(hint)
    })?;
    let alias = alias.map_or_else(|| table.name.clone(), |alias| alias.value.clone());
    let mut joins: Vec<Joining> = Vec::new();
    for join in &relation.joins {
        let joining = joined(sql, join, policy, table, &alias)?;
        if joining.alias == alias || joins.iter().any(|known| known.alias == joining.alias) {
            return Err(refuse(sql, join, format!("two tables are called {}", joining.alias)));
        }
        joins.push(joining);
    }
    Ok(From { table, alias, joins })
}

fn joined<'a>(sql: &str, join: &Join, policy: &'a Policy, table: &Table, own: &str) -> Answer<Joining<'a>> {
    let (wanted, alias) = named(sql, &join.relation)?;
    let public = policy.public(&wanted).ok_or_else(|| {
        let message = match policy.table(&wanted) {
            Some(_) => format!("{wanted} is a private table: joins are with public tables only"),
            None => format!("joins are with public tables, and the policy has no public table `{wanted}`"),
        };
        refuse(sql, join, message)
            .hint("a public table stands in the policy as [public.NAME], with its key and columns")
    })?;
    let alias = alias.map_or_else(|| public.name.clone(), |alias| alias.value.clone());
    let shape = || {
        let by =
            table.columns.iter().find(|column| column.references.as_deref() == Some(public.name.as_str()));
        let by = by.map_or("COLUMN", |column| column.name.as_str());
        format!("write JOIN {} ON {own}.{by} = {alias}.{}", public.name, public.key)
    };
    let constraint = match &join.join_operator {
        JoinOperator::Join(constraint) | JoinOperator::Inner(constraint) => constraint,
        JoinOperator::Left(_) | JoinOperator::LeftOuter(_) => {
            let message = "a LEFT JOIN keeps rows without a partner, and a row without a key of a public table is left out";
            return Err(refuse(sql, join, message).hint(shape()));
        }
        _ => return Err(refuse(sql, join, "this kind of join is not answered").hint(shape())),
    };
    let wrong = |message: &str| refuse(sql, join, message).hint(shape());
    let name = match constraint {
        JoinConstraint::Using(columns) => match columns.as_slice() {
            [column] if column.to_string() == public.key => column.to_string(),
            _ => return Err(wrong("USING takes the key of the public table")),
        },
        JoinConstraint::On(condition) => on(condition, own, &alias, public).ok_or_else(|| {
            wrong("a join compares a column with the key of the public table, and nothing else")
        })?,
        JoinConstraint::Natural | JoinConstraint::None => return Err(wrong("a join needs ON or USING")),
    };
    let found = table.columns.iter().enumerate().find(|(_, column)| column.name.eq_ignore_ascii_case(&name));
    match found {
        Some((by, column)) if column.references.as_deref() == Some(public.name.as_str()) => {
            Ok(Joining { table: public, alias, by })
        }
        Some(_) => Err(wrong(&format!("{name} does not refer to {}", public.name))
            .hint(format!("write {name} = {{ references = \"{}\" }} in the policy", public.name))),
        None => Err(wrong(&format!("the policy has no column `{name}` in {}", table.name))),
    }
}

/// The private column that a condition compares with the key.
fn on(condition: &Expr, own: &str, alias: &str, public: &Public) -> Option<String> {
    let Expr::BinaryOp { left, op: BinaryOperator::Eq, right } = condition else {
        return match condition {
            Expr::Nested(inner) => on(inner, own, alias, public),
            _ => None,
        };
    };
    let parts = |expr: &Expr| match expr {
        Expr::CompoundIdentifier(parts) => match parts.as_slice() {
            [table, column] => Some((Some(table.value.clone()), column.value.clone())),
            _ => None,
        },
        Expr::Identifier(column) => Some((None, column.value.clone())),
        _ => None,
    };
    let is_key = |(table, column): &(Option<String>, String)| {
        table.as_deref().is_none_or(|table| table == alias) && column.eq_ignore_ascii_case(&public.key)
    };
    let is_own = |(table, _): &(Option<String>, String)| table.as_deref().is_none_or(|table| table == own);
    let (left, right) = (parts(left)?, parts(right)?);
    match (is_own(&left) && is_key(&right), is_own(&right) && is_key(&left)) {
        (true, _) => Some(left.1),
        (false, true) => Some(right.1),
        _ => None,
    }
}
