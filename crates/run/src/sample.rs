//! Samples: a coin for each row of the table says whether it is kept, and a sum over the sample is one over the rows that are.
//!
//! The coins are tossed where the text draws the sample, so that everything that follows has the law that the text says. Whether a text with a sample
//! runs does not depend on the rows: its sums are of fields, numbers and loop indices only, which are always decided. Sums over a whole table that
//! depend on more than a loop's index are written out in the same way, without coins.

use probity_exact::Rational;
use probity_kernel::expr::{Expr, Name, Variable};
use probity_kernel::term::{Distribution, Field, Sort, Statement};

use crate::table::Row;

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
    let kept = |number: usize| Expr::var(coin(sample, number));
    written_out((sample, fields, rows), condition, value, kept)
}

/// A sum over all rows, as a term of the text: for one that depends on what the text computes or draws.
pub(crate) fn sum_of_all(
    table: &Name,
    fields: &[Field],
    rows: &[Row],
    condition: &Expr,
    value: &Expr,
) -> Expr {
    written_out((table, fields, rows), condition, value, |_| Expr::Bool(true))
}

fn written_out(
    (table, fields, rows): (&Name, &[Field], &[Row]),
    condition: &Expr,
    value: &Expr,
    kept: impl Fn(usize) -> Expr,
) -> Expr {
    let shares = rows.iter().enumerate().map(|(number, row)| {
        let at = |e: &Expr| at_row(e, table, fields, row);
        kept(number).and(at(condition)).choose(at(value), Expr::int(0))
    });
    // A row that is not there, so that whether the text runs is not seen from a table without rows.
    let nobody: Row = fields.iter().map(|field| (field.name.clone(), Rational::ZERO)).collect();
    let at = |e: &Expr| at_row(e, table, fields, &nobody);
    let absent = Expr::Bool(false).and(at(condition)).choose(at(value), Expr::int(0));
    // As a balanced tree, so that a million rows nest twenty deep.
    let mut sums: Vec<Expr> = shares.chain([absent]).collect();
    while sums.len() > 1 {
        let mut pairs = Vec::with_capacity(sums.len().div_ceil(2));
        let mut left = sums.into_iter();
        while let Some(a) = left.next() {
            pairs.push(match left.next() {
                Some(b) => a + b,
                None => a,
            });
        }
        sums = pairs;
    }
    sums.pop().unwrap_or_else(|| Expr::int(0))
}

fn at_row(e: &Expr, table: &Name, fields: &[Field], row: &Row) -> Expr {
    e.replace(&|v| match v {
        Variable::Field(of, name) if of == table => {
            let value = row.get(name)?;
            let truth = fields.iter().any(|field| field.name == *name && field.sort == Sort::Bool);
            Some(if truth { Expr::Bool(*value == Rational::ONE) } else { Expr::Number(value.clone()) })
        }
        _ => None,
    })
}
