//! Rows times what is known not to be negative beside parameters: quotients by what the text computes, and logarithms.

use std::borrow::Cow;
use std::collections::BTreeSet;

use probity_exact::Rational;
use probity_kernel::expr::{Binary, Expr, Unary, Variable};
use probity_kernel::poly::{Monomial, Poly};

use crate::evidence::linear::rows::{Row, degree, product, row_degree};

/// The most products with quotients and logarithms.
const MAX_DIVIDED: usize = 60;

/// Rows times a quotient or a logarithm that is known not to be negative, where the product is in use, and again with the products that
/// this brings: what a distance says of the same distance over a scale.
pub(crate) fn divided_rows<'a>(base: &[Row<'a>]) -> Vec<Row<'a>> {
    let mut used: BTreeSet<Monomial> =
        base.iter().flat_map(|row| row.poly.terms().map(|(m, _)| m.clone())).collect();
    let is_factor = |atom: &Expr| matches!(atom, Expr::Binary(Binary::Div, ..) | Expr::Unary(Unary::Ln, _));
    let factor = |row: &Row<'_>| {
        let (monomial, coefficient) = row.poly.as_term()?;
        let alone = degree(monomial) == 1 && monomial.powers().all(|(atom, _)| is_factor(atom));
        (!row.free && alone && *coefficient > Rational::ZERO).then(|| monomial.clone())
    };
    let factors: Vec<(&Row<'_>, Monomial)> =
        base.iter().filter_map(|row| Some((row, factor(row)?))).collect();
    let mut found: Vec<Row<'a>> = Vec::new();
    for _ in 0..2 {
        for (factor, monomial) in &factors {
            for row in base.iter().filter(|row| row_degree(row) == 1 && row.facts != factor.facts) {
                let made = match row.free {
                    true => multiplied(row, monomial),
                    false => product(&[row, factor], &[]),
                };
                let is_new = |made: &Row<'_>| {
                    let met = |(m, _): (&Monomial, &Rational)| degree(m) > 1 && used.contains(m);
                    let known = |row: &Row<'_>| row.facts == made.facts && row.multiplier == made.multiplier;
                    made.poly.terms().any(met) && !found.iter().any(known)
                };
                if let Some(made) = made.filter(is_new).filter(|_| found.len() < MAX_DIVIDED) {
                    found.push(made);
                }
            }
        }
        used.extend(found.iter().flat_map(|row| row.poly.terms().map(|(m, _)| m.clone())));
    }
    found
}

/// An equation times a product.
fn multiplied<'a>(row: &Row<'_>, multiplier: &Monomial) -> Option<Row<'a>> {
    let poly = row.poly.times(&Poly::term(multiplier.clone(), Rational::ONE)).ok()?;
    let (facts, multiplier) = (row.facts.clone(), multiplier.clone());
    Some(Row { poly: Cow::Owned(poly), strict: false, free: true, scale: vec![], facts, multiplier })
}

/// Whether a row has a product with a variable of one of the runs.
pub(crate) fn multiplies_a_run(row: &Row<'_>) -> bool {
    let of_run = |atom: &Expr| matches!(atom, Expr::Var(Variable::Of(..)));
    row.poly.terms().any(|(m, _)| degree(m) > 1 && m.powers().any(|(atom, _)| of_run(atom)))
}
