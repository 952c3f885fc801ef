//! Sums over the rows of a table. The rows are given, so a sum is written out, row by row.

use std::collections::HashMap;

use probity_kernel::expr::{Expr, Name, Variable};
use probity_kernel::term::{Field, Mechanism, Sort};

use crate::output::outcome::{Given, Inputs};

/// A row, a value for each field in the order of the table.
pub type GivenRow = Vec<Given>;

/// The fields of the given tables and their rows, by table.
#[derive(Default)]
pub(crate) struct Tables<'a>(HashMap<Name, (&'a [Field], &'a [GivenRow])>);

impl<'a> Tables<'a> {
    pub(crate) fn new(mechanism: &'a Mechanism, inputs: &'a Inputs) -> Tables<'a> {
        let mut tables = HashMap::new();
        for input in &mechanism.inputs {
            if let (Sort::Rows(fields), Some(Given::Rows(rows))) = (&input.sort, inputs.get(&input.name)) {
                tables.insert(input.name.clone(), (fields.as_slice(), rows.as_slice()));
            }
        }
        Tables(tables)
    }

    /// The sum over the rows of a table, written out.
    pub(crate) fn written_out(&self, table: &Name, condition: &Expr, value: &Expr) -> Option<Expr> {
        let (fields, rows) = self.0.get(table)?;
        let shares = rows.iter().map(|row| {
            let of_row = |e: &Expr| at_row(e, table, fields, row);
            match condition {
                Expr::Bool(true) => of_row(value),
                _ => of_row(condition).choose(of_row(value), Expr::int(0)),
            }
        });
        // As a balanced tree, so that a thousand rows nest ten deep.
        let mut sums: Vec<Expr> = shares.collect();
        while sums.len() > 1 {
            let pairs = sums.chunks(2).map(|pair| match pair {
                [a, b] => a.clone() + b.clone(),
                other => other.first().cloned().unwrap_or_else(|| Expr::int(0)),
            });
            sums = pairs.collect();
        }
        Some(sums.pop().unwrap_or_else(|| Expr::int(0)))
    }
}

/// An expression of the row at hand, for a given row.
pub(crate) fn at_row(e: &Expr, table: &Name, fields: &[Field], row: &[Given]) -> Expr {
    e.replace(&|v| match v {
        Variable::Field(of, name) if of == table => {
            let place = fields.iter().position(|field| field.name == *name)?;
            match row.get(place)? {
                Given::Number(x) => Some(Expr::Number(x.clone())),
                Given::Bool(b) => Some(Expr::Bool(*b)),
                _ => None,
            }
        }
        _ => None,
    })
}
