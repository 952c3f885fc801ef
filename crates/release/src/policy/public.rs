//! Public tables: their rows are known to everybody, and private tables are joined with them by a key that is unique.
//!
//! A join gives each private row the columns of the one public row with its key, or drops it: a map of each row by itself.

use std::collections::HashMap;
use std::sync::Arc;

use probity_exact::{Rational, parse_rational};

use super::Policy;
use super::column::{Column, Domain, MAX_CATEGORIES};
use crate::hash;
use crate::refusal::{Answer, Refusal};

/// A public table, and its rows once they were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Public {
    /// Its name in queries.
    pub name: String,
    /// The column by which it is joined.
    pub key: String,
    /// The other columns that may be used. A text column takes its values from the rows.
    pub columns: Vec<Column>,
    /// For each column its value for each key, in the order of the keys; empty until the rows were read.
    pub values: Vec<Arc<Vec<i64>>>,
    /// The hash of what was read, or nothing yet.
    pub hash: String,
}

/// Whether a text is a number that is not whole.
fn has_fraction(text: &str) -> bool {
    parse_rational(text).is_ok_and(|number| !number.is_int())
}

impl Policy {
    /// The public table of this name.
    pub fn public(&self, name: &str) -> Option<&Public> {
        self.public.iter().find(|table| table.name == name)
    }

    /// Reads the rows of a public table. Columns that refer to it then have its keys as their values.
    ///
    /// # Errors
    /// When a column is missing, a key is there twice, or a value is not in its domain. What is public may be named.
    pub fn read_public(&mut self, name: &str, header: &[String], rows: &[Vec<String>]) -> Answer<()> {
        let Some(table) = self.public.iter_mut().find(|table| table.name == name) else {
            return Err(Refusal::input(format!("the policy has no public table {name}")));
        };
        let place = |wanted: &str| {
            let mut found = header.iter().enumerate().filter(|(_, known)| known.trim() == wanted);
            match (found.next(), found.next()) {
                (Some((place, _)), None) => Ok(place),
                (Some(_), Some(_)) => {
                    Err(Refusal::input(format!("the public table {name} has two columns `{wanted}`")))
                }
                (None, _) => Err(Refusal::input(format!("the public table {name} has no column `{wanted}`"))
                    .hint(format!("its header has {}", header.join(", ")))),
            }
        };
        let field =
            |row: &Vec<String>, place: usize| row.get(place).map_or("", |field| field.trim()).to_owned();
        let key = place(&table.key)?;
        table.columns.iter().try_for_each(|column| place(&column.name).map(drop))?;
        if rows.is_empty() || rows.len() > MAX_CATEGORIES {
            return Err(Refusal::input(format!(
                "the public table {name} has {} rows; 1 to {MAX_CATEGORIES} are read",
                rows.len()
            )));
        }
        let keys: Vec<String> = rows.iter().map(|row| field(row, key)).collect();
        let mut seen = HashMap::new();
        for (number, key) in keys.iter().enumerate() {
            if key.is_empty() {
                return Err(Refusal::input(format!(
                    "row {} of the public table {name} has no key",
                    number + 1
                )));
            }
            if seen.insert(key.as_str(), number).is_some() {
                return Err(Refusal::input(format!(
                    "the public table {name} has two rows with the key `{key}`"
                ))
                .hint(
                    "a join needs a unique key: with two rows for one key a private row would become two",
                ));
            }
        }
        let mut parts = vec![table.key.clone(), keys.join("\u{1f}")];
        table.values.clear();
        for column in &mut table.columns {
            let place = place(&column.name)?;
            let texts: Vec<String> = rows.iter().map(|row| field(row, place)).collect();
            if matches!(column.domain, Domain::Text) {
                let mut names: Vec<String> = Vec::new();
                let mut known = HashMap::new();
                for text in &texts {
                    known.entry(text.clone()).or_insert_with(|| {
                        names.push(text.clone());
                    });
                }
                column.domain = Domain::Categories(names);
            }
            let value = |(key, text): (&String, &String)| {
                let value = match &column.domain {
                    Domain::Categories(names) => {
                        names.iter().position(|name| name == text).map(|at| at as i64)
                    }
                    Domain::Number { unit, .. } if *unit == Rational::ONE && has_fraction(text) => None,
                    _ => column.clean(text.as_bytes()),
                };
                value.ok_or_else(|| {
                    let of = format!("of {key} in the public table {name}");
                    match text.is_empty() {
                        true => Refusal::input(format!("the field {} {of} is empty", column.name)).hint(
                            "a public table has a value in every field: write one, or `null = VALUE` in the policy",
                        ),
                        false => Refusal::input(format!("`{text}` {of} is no value of {}", column.name))
                            .hint("the policy says what values the column may have; `outside = …` there says what others count as"),
                    }
                })
            };
            table.values.push(Arc::new(keys.iter().zip(&texts).map(value).collect::<Answer<_>>()?));
            parts.push(column.name.clone());
            parts.push(texts.join("\u{1f}"));
        }
        table.hash = hash::hex(&parts.iter().map(String::as_bytes).collect::<Vec<_>>());
        for column in self.tables.iter_mut().flat_map(|table| &mut table.columns) {
            if column.references.as_deref() == Some(name) {
                column.domain = Domain::Categories(keys.clone());
            }
        }
        Ok(())
    }
}
