//! A sum over rows as a term of the text, one summand for each row: for sums over samples, and for those that depend on what the text
//! computes or draws.

use probity_exact::Rational;
use probity_kernel::expr::{Expr, Name, Variable};
use probity_kernel::term::{Field, Sort};

use crate::table::Row;

/// The sum of `value` over the rows that are kept and of which `condition` holds.
pub(crate) fn written_out(
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
