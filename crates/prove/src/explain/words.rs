//! Conditions in the words of the text: what a draw turned out to be has the name of the draw, nothing is added to 0, and what
//! was paid before the first step is nothing.

use std::collections::BTreeSet;

use probity_kernel::expr::{Binary, Expr, Variable};

use crate::algebra::{minus, plus, product};
use crate::derivation::conjuncts;

/// A condition as people read it, given what is known where it is asked.
pub(crate) fn in_words(condition: &Expr, known: &[Expr]) -> Expr {
    let mut parts = Vec::new();
    known.iter().for_each(|fact| conjuncts(fact, &mut parts));
    let nothing_paid = parts.contains(&Expr::cost().equals(Expr::int(0)));
    // A draw that has two values here keeps their numbers.
    let (mut drawn, mut twice) = (BTreeSet::new(), BTreeSet::new());
    condition.for_each_variable(&mut |v| {
        if let Variable::Arbitrary(name, number) = v
            && drawn.insert((name.clone(), *number))
            && drawn.iter().filter(|(other, _)| other == name).count() > 1
        {
            twice.insert(name.clone());
        }
    });
    let named = condition.replace(&|v| match v {
        Variable::Cost if nothing_paid => Some(Expr::int(0)),
        Variable::Arbitrary(name, _) if !twice.contains(name) => Some(Expr::var(name.clone())),
        _ => None,
    });
    tidy(&named)
}

fn tidy(e: &Expr) -> Expr {
    let whole = e.map_parts(&mut tidy);
    match &whole {
        Expr::Binary(Binary::Add, a, b) => plus((**a).clone(), (**b).clone()),
        Expr::Binary(Binary::Sub, a, b) if **b == Expr::int(0) => minus((**a).clone(), (**b).clone()),
        Expr::Binary(Binary::Mul, a, b) => product((**a).clone(), (**b).clone()),
        Expr::Binary(Binary::And, a, b) => match (&**a, &**b) {
            (Expr::Bool(true), other) | (other, Expr::Bool(true)) => other.clone(),
            _ => whole,
        },
        Expr::If(guard, a, b) => match &**guard {
            Expr::Bool(true) => (**a).clone(),
            Expr::Bool(false) => (**b).clone(),
            _ => whole,
        },
        _ => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_kernel::expr::Run;

    fn drawn(number: u32) -> Expr {
        Expr::Var(Variable::Arbitrary("y".into(), number))
    }

    #[test]
    fn conditions_have_the_words_of_the_text() {
        let x = |run| Expr::of("x", run);
        let paid = Expr::cost() + (Expr::int(0) + x(Run::First) - x(Run::Second)).abs();
        let start = Expr::cost().equals(Expr::int(0));
        let goal = paid.le(Expr::var("eps"));
        assert_eq!(in_words(&goal, &[start]).to_string(), "abs(x - x') <= eps");
        assert_eq!(in_words(&goal, &[]).to_string(), "cost + abs(x - x') <= eps");
        assert_eq!(in_words(&drawn(0).le(Expr::int(1)), &[]).to_string(), "y <= 1");
        assert_eq!(in_words(&drawn(0).le(drawn(1)), &[]).to_string(), "y#0 <= y#1");
    }
}
