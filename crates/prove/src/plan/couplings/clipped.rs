//! A center that adds up one coordinate of rows that are clipped by their norm, x·min(1, C/√(x² + y²)): no bound of a coordinate by itself
//! is worth anything, since together they are at most C. So a draw costs what the row that differs adds, whatever that is, and the
//! draws together cost what the claim allows.

use probity_kernel::expr::{Expr, Run, Unary, Variable};

use crate::algebra::{minus, product, visit};
use crate::plan::couplings::Guesser;
use crate::tables::{Sum, at_row, runs_with_row, terms};

impl Guesser<'_> {
    /// How far the rows that differ move a center that has roots of what the rows have in it.
    pub(super) fn by_norm(&self, center: &Expr) -> Option<Expr> {
        let terms = terms(center)?;
        let Sum { table, .. } = &terms.first()?.sum;
        let of_rows = terms.iter().all(|term| term.sum.table == *table && self.is_public(&term.factor));
        if !of_rows || !terms.iter().any(|term| has_norm(&term.sum.value)) {
            return None;
        }
        let added = |run: Run| {
            let at = |e: &Expr| at_row(self.context, e, table, run);
            let parts = terms.iter().map(|term| {
                let value = product(self.first(&term.factor), at(&term.sum.value));
                match at(&term.sum.condition) {
                    Expr::Bool(true) => value,
                    met => met.choose(value, Expr::int(0)),
                }
            });
            parts.reduce(|a, b| a + b)
        };
        match runs_with_row(self.context, table).as_slice() {
            [run] => added(*run),
            [first, second] => Some(minus(added(*first)?, added(*second)?)),
            _ => None,
        }
    }
}

/// Whether there is a root of what a row has.
fn has_norm(e: &Expr) -> bool {
    let of_row = |e: &Expr| e.find_variable(&|v| matches!(v, Variable::Field(..))).is_some();
    let mut found = false;
    visit(e, &mut |part| found |= matches!(part, Expr::Unary(Unary::Sqrt, inside) if of_row(inside)));
    found
}
