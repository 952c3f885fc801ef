//! Sums over the rows of a table. The rows are given, so a sum is written out, row by row.

use std::collections::HashMap;

use probity_kernel::expr::{Expr, Name, Variable};
use probity_kernel::term::{Field, Mechanism, Sort};

use crate::output::outcome::{Given, Inputs};

/// A row, a value for each field in the order of the table.
pub type GivenRow = Vec<Given>;

/// The given tables and the samples that are drawn of them, by name.
#[derive(Default)]
pub(crate) struct Tables<'a>(HashMap<Name, Rows<'a>>);

/// The fields of a table and its rows; of a sample, those of its table, and for each row the coin that says whether it was kept.
#[derive(Clone)]
struct Rows<'a> {
    fields: &'a [Field],
    rows: &'a [GivenRow],
    coins: Option<Vec<Name>>,
}

impl<'a> Tables<'a> {
    pub(crate) fn new(mechanism: &'a Mechanism, inputs: &'a Inputs) -> Tables<'a> {
        let mut tables = HashMap::new();
        for input in &mechanism.inputs {
            if let (Sort::Rows(fields), Some(Given::Rows(rows))) = (&input.sort, inputs.get(&input.name)) {
                tables.insert(input.name.clone(), Rows { fields, rows, coins: None });
            }
        }
        Tables(tables)
    }

    /// Makes a sample of a table known: its coins, each with the condition under which the table itself has the row.
    pub(crate) fn sample(&mut self, sample: &Name, table: &Name) -> Option<Vec<(Name, Option<Expr>)>> {
        let of = self.0.get(table)?.clone();
        // No name of a text has a space in it.
        let coins: Vec<Name> =
            (0..of.rows.len()).map(|row| Name::new(format!("{sample} keeps {row}"))).collect();
        let before =
            |row: usize| of.coins.as_ref().and_then(|coins| coins.get(row)).map(|c| Expr::var(c.clone()));
        let made = coins.iter().enumerate().map(|(row, coin)| (coin.clone(), before(row))).collect();
        self.0.insert(sample.clone(), Rows { coins: Some(coins), ..of });
        Some(made)
    }

    /// The sum over the rows of a table, written out.
    pub(crate) fn written_out(&self, table: &Name, condition: &Expr, value: &Expr) -> Option<Expr> {
        let Rows { fields, rows, coins } = self.0.get(table)?;
        let shares = rows.iter().enumerate().map(|(place, row)| {
            let of_row = |e: &Expr| at_row(e, table, fields, row);
            let share = match condition {
                Expr::Bool(true) => of_row(value),
                _ => of_row(condition).choose(of_row(value), Expr::int(0)),
            };
            match coins.as_ref().and_then(|coins| coins.get(place)) {
                Some(coin) => Expr::var(coin.clone()).choose(share, Expr::int(0)),
                None => share,
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
