//! That a square is not negative, of what may be positive or negative itself: that takes two cases, which no product of facts has.

use std::collections::BTreeSet;

use probity_exact::Rational;
use probity_kernel::entail::{Evidence, Facts, Product};
use probity_kernel::expr::{Expr, Variable};
use probity_kernel::fact::Fact;
use probity_kernel::kind::Kind;
use probity_kernel::poly::Poly;

/// The most squares of one question that are said not to be negative.
const MOST_SQUARES: usize = 3;

/// The real variables that occur as squares.
pub(crate) fn squared(facts: &Facts<'_>) -> Vec<Expr> {
    let context = facts.context();
    let mut found = BTreeSet::new();
    let mut see = |p: &Poly| {
        for (monomial, _) in p.terms() {
            let squares = monomial.powers().filter(|(_, power)| *power == 2);
            found.extend(squares.map(|(atom, _)| atom.clone()));
        }
    };
    facts.list().iter().for_each(|fact| for_each_poly(fact, &mut see));
    let positive =
        |atom: &Expr| matches!(atom, Expr::Var(Variable::Plain(name)) if context.is_positive(name));
    let variable = |atom: &Expr| matches!(atom, Expr::Var(_)) && context.kind(atom) == Kind::Real;
    found.retain(|atom| variable(atom) && !positive(atom));
    found.into_iter().take(MOST_SQUARES).collect()
}

/// That the square of a real number is not negative, with evidence: it is the product of two numbers that are both not negative, or both
/// negative.
pub(crate) fn square(facts: &Facts<'_>, atom: &Expr) -> Option<(Expr, Evidence)> {
    let zero = || Expr::int(0);
    let formula = zero().le(atom.clone() * atom.clone());
    let side = zero().le(atom.clone());
    let denied = facts.with(&formula, false).ok()?;
    let last = |facts: &Facts<'_>| facts.list().len() - 1;
    let product = |facts: Vec<usize>| Product { coefficient: Rational::ONE, scale: vec![], facts };
    let case = |holds: bool| {
        let this = last(&denied.with(&side, holds).ok()?);
        let products = vec![product(vec![last(&denied)]), product(vec![this, this])];
        Some(Box::new(Evidence::Combination { products, equations: vec![] }))
    };
    let shown = Evidence::Cut(side.clone(), case(true)?, case(false)?);
    Some((formula, shown))
}

fn for_each_poly(fact: &Fact, see: &mut dyn FnMut(&Poly)) {
    match fact {
        Fact::Zero(p) | Fact::Positive(p) | Fact::NonNegative(p) => see(p),
        Fact::Any(parts) | Fact::All(parts) => parts.iter().for_each(|part| for_each_poly(part, see)),
        Fact::Holds(..) => {}
    }
}

#[cfg(test)]
mod tests {
    use probity_kernel::context::{Context, Orientation};
    use probity_kernel::entail::check_entailment;
    use probity_kernel::expr::{Expr, Run};
    use probity_kernel::term::{Input, Mechanism, Sort};

    use crate::evidence::search::search_evidence;

    #[test]
    fn a_square_is_not_negative() {
        let mechanism = Mechanism {
            name: "m".into(),
            inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
            params: vec![],
            assumptions: vec![],
            body: vec![],
            output: Expr::int(0),
            adjacency: vec![],
        };
        let context = Context::new(&mechanism, Orientation::Forward).unwrap();
        let x = context.in_run(&Expr::var("x"), Run::First);
        let shown = |goal: &Expr| {
            let evidence = search_evidence(&context, &[], goal).ok()?;
            check_entailment(&context, &[], goal, &evidence).ok()
        };
        assert!(shown(&Expr::int(0).le(x.clone() * x.clone())).is_some());
        assert!(shown(&Expr::int(0).lt(x.clone() * x.clone())).is_none());
        assert!(shown(&Expr::int(0).le(x.clone() * (x.clone() + Expr::int(1)))).is_none());
    }
}
