//! Samples: a coin for each row of the table says whether it is kept, and a sum over the sample is one over the rows that are.
//!
//! The coins are tossed where the text draws the sample, so that everything that follows has the law that the text says. Whether a text with a sample
//! runs does not depend on the rows: its sums are of fields, numbers and loop indices only, which are always decided.

use probity_kernel::expr::{Expr, Name};
use probity_kernel::term::{Distribution, Field, Statement};

use crate::table::Row;
use crate::written_sum::written_out;

/// The coin of a row. No name of a text has a space in it.
fn coin(sample: &Name, row: usize) -> Name {
    Name::from(format!("{sample} keeps {row}").as_str())
}

/// A coin for each of so many rows.
pub(crate) fn tossed(sample: &Name, rows: usize, rate: &Expr) -> Vec<Statement> {
    let toss = |row| Statement::Draw { var: coin(sample, row), law: Distribution::Bernoulli(rate.clone()) };
    (0..rows).map(toss).collect()
}

/// A sum over the rows of a sample that were kept.
pub(crate) fn sum(sample: &Name, fields: &[Field], rows: &[Row], condition: &Expr, value: &Expr) -> Expr {
    written_out((sample, fields, rows), condition, value, |number| Expr::var(coin(sample, number)))
}
