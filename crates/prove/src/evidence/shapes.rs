//! What formulas and facts are made of: how large they are, products, and quotients that are atoms.

use probity_kernel::context::Context;
use probity_kernel::entail::Facts;
use probity_kernel::expr::{Binary, Expr, Unary, Variable};
use probity_kernel::fact::{Fact, poly};
use probity_kernel::poly::Monomial;

use crate::algebra::of_parameters;

/// The size of the largest comparison that a formula is made of.
pub(super) fn largest_comparison(formula: &Expr) -> usize {
    match formula {
        Expr::Unary(Unary::Not, _) | Expr::Binary(Binary::And | Binary::Or, ..) | Expr::If(..) => {
            formula.parts().into_iter().flatten().map(largest_comparison).max().unwrap_or(1)
        }
        other => other.size(),
    }
}

/// How many comparisons a fact is made of.
fn literals(fact: &Fact) -> usize {
    match fact {
        Fact::Any(parts) | Fact::All(parts) => parts.iter().map(literals).sum(),
        _ => 1,
    }
}

/// How many comparisons the facts from a place on are made of.
pub(super) fn literals_from(facts: &Facts<'_>, start: usize) -> usize {
    facts.list().iter().skip(start).map(|fact| literals(fact)).sum()
}

/// Whether a number has products of what is drawn, computed or an input in it.
pub(super) fn is_of_products(context: &Context, e: &Expr) -> bool {
    let is_parameter = |atom: &Expr| of_parameters(context.mechanism(), atom);
    let degree = |monomial: &Monomial| {
        let powers = monomial.powers().filter(|(atom, _)| !is_parameter(atom));
        powers.map(|(_, power)| power.unsigned_abs()).sum::<u32>()
    };
    poly(context, e).is_ok_and(|p| p.terms().any(|(monomial, _)| degree(monomial) > 1))
}

/// The same, where a parameter times a variable counts too.
pub(super) fn has_products(context: &Context, e: &Expr) -> bool {
    let degree = |m: &Monomial| m.powers().map(|(_, power)| power.unsigned_abs()).sum::<u32>();
    poly(context, e).is_ok_and(|p| p.terms().any(|(monomial, _)| degree(monomial) > 1))
}

/// Whether a quotient by this is an atom: it is no monomial of positive parameters.
pub(crate) fn is_opaque_divisor(context: &Context, divisor: &Expr) -> bool {
    match poly(context, divisor) {
        Ok(p) => p.as_term().is_none_or(|(monomial, _)| {
            let positive =
                |atom: &Expr| matches!(atom, Expr::Var(Variable::Plain(n)) if context.is_positive(n));
            !monomial.powers().all(|(atom, _)| positive(atom))
        }),
        Err(_) => false,
    }
}
