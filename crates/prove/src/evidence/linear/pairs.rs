//! Two facts that contradict each other by themselves: most ends of a search are that, and need no simplex.

use std::sync::Arc;

use probity_exact::Rational;
use probity_kernel::entail::{Evidence, Product};
use probity_kernel::expr::Expr;
use probity_kernel::fact::Fact;
use probity_kernel::poly::{Monomial, Poly};

/// How many of the last facts are held against the others: those that a case has brought.
const LAST: usize = 3;

/// A comparison of a polynomial with 0.
struct Comparison<'f> {
    poly: &'f Poly,
    strict: bool,
    /// Whether it is an equation, which may be multiplied by any number.
    free: bool,
}

fn comparison(fact: &Fact) -> Option<Comparison<'_>> {
    match fact {
        Fact::Zero(poly) => Some(Comparison { poly, strict: false, free: true }),
        Fact::Positive(poly) => Some(Comparison { poly, strict: true, free: false }),
        Fact::NonNegative(poly) => Some(Comparison { poly, strict: false, free: false }),
        _ => None,
    }
}

/// One of the last facts and a multiple of another that add up to a contradiction.
pub(crate) fn pair_contradiction(facts: &[Arc<Fact>]) -> Option<Evidence> {
    let last = facts.iter().enumerate().rev().take(LAST);
    last.filter_map(|(number, fact)| Some((number, comparison(fact)?))).find_map(|(number, new)| {
        facts.iter().enumerate().filter(|(other, _)| *other != number).find_map(|(other, fact)| {
            let old = comparison(fact)?;
            // The multiplier is for an equation if there is one: the other is taken as it is.
            match (new.free, old.free) {
                (true, true) => None,
                (true, false) => contradiction((other, &old), (number, &new)),
                (false, _) => contradiction((number, &new), (other, &old)),
            }
        })
    })
}

/// An inequality and a multiple of another fact, if their sum is a constant that is too small.
fn contradiction(
    (one, inequality): (usize, &Comparison<'_>),
    (other, fact): (usize, &Comparison<'_>),
) -> Option<Evidence> {
    let multiplier = cancelling(inequality.poly, fact.poly)?;
    if !fact.free && multiplier <= Rational::ZERO {
        return None;
    }
    let sum = constant(inequality.poly) + &multiplier * constant(fact.poly);
    let strict = inequality.strict || fact.strict;
    if sum > Rational::ZERO || (sum.is_zero() && !strict) {
        return None;
    }
    let product = |coefficient, number| Product { coefficient, scale: vec![], facts: vec![number] };
    let mut products = vec![product(Rational::ONE, one)];
    let mut equations = Vec::new();
    match fact.free {
        true => equations.push((other, Expr::Number(multiplier))),
        false => products.push(product(multiplier, other)),
    }
    Some(Evidence::Combination { products, equations })
}

/// By what the second is multiplied so that the sum is a constant.
fn cancelling(first: &Poly, second: &Poly) -> Option<Rational> {
    let mut pairs = terms(first).zip(terms(second));
    let ((m, a), (n, b)) = pairs.next()?;
    if m != n || terms(first).count() != terms(second).count() {
        return None;
    }
    let multiplier = -(a / b);
    pairs.all(|((m, a), (n, b))| m == n && (a + &multiplier * b).is_zero()).then_some(multiplier)
}

/// The terms that are no constant.
fn terms(poly: &Poly) -> impl Iterator<Item = (&Monomial, &Rational)> {
    poly.terms().filter(|(monomial, _)| !monomial.is_one())
}

fn constant(poly: &Poly) -> Rational {
    poly.terms().find(|(monomial, _)| monomial.is_one()).map_or(Rational::ZERO, |(_, c)| c.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_kernel::context::{Context, Orientation};
    use probity_kernel::entail::Facts;
    use probity_kernel::term::{Mechanism, Param, Sort};

    fn context() -> Context {
        let param = |name: &str, sort| Param { name: name.into(), sort };
        let mechanism = Mechanism {
            name: "m".into(),
            inputs: vec![],
            params: vec![param("x", Sort::Real), param("y", Sort::Real), param("n", Sort::Int)],
            assumptions: vec![],
            body: vec![],
            output: Expr::int(0),
            adjacency: vec![],
        };
        Context::new(&mechanism, Orientation::Forward).unwrap()
    }

    /// What is found for a hypothesis and a goal, and that the kernel accepts it.
    fn found(known: Expr, goal: Expr) -> bool {
        let context = context();
        let facts = Facts::new(&context, &[&known], &goal).unwrap();
        let evidence = pair_contradiction(facts.list());
        if let Some(evidence) = &evidence {
            assert!(facts.refute(evidence).is_ok(), "{known} {goal} {evidence:?}");
        }
        evidence.is_some()
    }

    #[test]
    fn two_facts_about_one_combination_are_held_against_each_other() {
        let (x, y, n) = (Expr::var("x"), Expr::var("y"), Expr::var("n"));
        let sum = x.clone() + Expr::int(2) * y.clone();
        let half = x.clone() / Expr::int(2) + y.clone();
        for (bound, holds) in [(3, true), (2, false)] {
            assert_eq!(found(sum.clone().le(Expr::int(6)), half.clone().le(Expr::int(bound))), holds);
            assert_eq!(found(sum.clone().equals(Expr::int(6)), half.clone().le(Expr::int(bound))), holds);
            assert_eq!(found(Expr::int(6).equals(sum.clone()), Expr::int(bound).ge(half.clone())), holds);
        }
        // The other side of the bound, and other combinations, say nothing.
        assert!(!found(Expr::int(6).le(sum.clone()), half.clone().le(Expr::int(3))));
        assert!(!found(sum.clone().le(Expr::int(6)), (x.clone() + y.clone()).le(Expr::int(9))));
        // Between real numbers it matters which of two is strict; between integers there is a gap.
        assert!(found(x.clone().lt(y.clone()), x.clone().lt(y.clone())));
        assert!(!found(x.clone().le(y.clone()), x.clone().lt(y)));
        assert!(found(n.clone().lt(Expr::int(4)), n.clone().le(Expr::int(3))));
        assert!(!found(n.clone().le(Expr::int(4)), n.le(Expr::int(3))));
    }
}
