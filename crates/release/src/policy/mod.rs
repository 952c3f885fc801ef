//! The policy: the data owner's file. It says what a person is, what values a column may have, and how much may be lost.
//!
//! All that a release knows about a table beside its rows is here, so nothing in an answer's shape or in a refusal depends on them.

mod column;
mod public;
mod read;
mod suggest;

pub use column::{Column, Domain, MAX_CATEGORIES, Outside, date_from_text, date_to_text};
pub(crate) use column::{
    LIMIT, TRUTHS, decimal_places, discovered_key, in_units, small_decimal, small_integer,
};
pub use public::Public;
pub use read::read;
pub use suggest::suggest;

use crate::loss::{Loss, Measure};

/// Whose presence is hidden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unit {
    /// One row.
    Row,
    /// All rows with one value of a column, bounded before anything is counted.
    User {
        /// The column that says whose row it is.
        column: String,
        /// In at most this many groups.
        groups: u32,
        /// With at most this many rows in each.
        rows_per_group: u32,
    },
}

/// A private table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its name in queries.
    pub name: String,
    /// Whose presence is hidden.
    pub unit: Unit,
    /// The columns that may be used, in the order of the file.
    pub columns: Vec<Column>,
}

impl Table {
    /// The column of this name, and its place.
    pub fn column(&self, name: &str) -> Option<(usize, &Column)> {
        self.columns.iter().enumerate().find(|(_, column)| column.name == name)
    }

    /// What is done with fields of a column outside its domain, in words.
    pub fn cleaning(&self, column: &Column) -> String {
        let words = column.cleaning();
        match &self.unit {
            Unit::User { column: user, .. } if *user == column.name => {
                format!("{words}; a row without a user is dropped in any case")
            }
            _ => words,
        }
    }

    /// Whether queries can make use of a column of this name: they read it, or it says whose row it is.
    pub fn names(&self, column: &str) -> bool {
        self.column(column).is_some()
            || matches!(&self.unit, Unit::User { column: user, .. } if user == column)
    }
}

/// A policy that was read and does not contradict itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The file's text, which a ledger pins by its hash.
    pub text: String,
    /// All that may ever be lost.
    pub total: Loss,
    /// What a plain SELECT loses.
    pub per_query: Loss,
    /// The private tables.
    pub tables: Vec<Table>,
    /// The public tables, which private ones may be joined with.
    pub public: Vec<Public>,
}

impl Policy {
    /// What the budget is counted in.
    pub fn measure(&self) -> Measure {
        self.total.measure
    }

    /// The SHA-256 of the text.
    pub fn hash(&self) -> String {
        crate::hash::hex(&[self.text.as_bytes()])
    }

    /// The table of this name.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name)
    }
}
