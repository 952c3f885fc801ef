//! Conditions in the words of the text: what a draw turned out to be has the name of the draw, nothing is added to 0, and what
//! was paid before the first step is nothing.

use std::collections::BTreeSet;

use probity_kernel::context::Context;
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};
use probity_kernel::term::{Distribution, Statement};

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
    let equal = equal_in(&parts);
    let named = condition.replace(&|v| match v {
        Variable::Cost if nothing_paid => Some(Expr::int(0)),
        Variable::Of(name, Run::Second) if equal.contains(name) => Some(Expr::of(name.clone(), Run::First)),
        Variable::Arbitrary(name, _) if !twice.contains(name) => Some(Expr::var(name.clone())),
        _ => None,
    });
    tidy(&named)
}

/// The variables of which some parts say that they are equal in both runs.
pub(crate) fn equal_in(parts: &[Expr]) -> BTreeSet<Name> {
    let pair = |a: &Expr, b: &Expr| match (a, b) {
        (Expr::Var(Variable::Of(name, Run::First)), Expr::Var(Variable::Of(other, Run::Second))) => {
            (name == other).then(|| name.clone())
        }
        _ => None,
    };
    let of = |part: &Expr| match part {
        Expr::Binary(Binary::Eq, a, b) => pair(a, b).or_else(|| pair(b, a)),
        _ => None,
    };
    parts.iter().filter_map(of).collect()
}

/// A condition that would be long to read, with the centers of draws by their names.
pub(crate) fn in_few_words(context: &Context, condition: &Expr, known: &[Expr]) -> Expr {
    let mut words = in_words(condition, known);
    if words.to_string().len() <= MOST_READ {
        return words;
    }
    let mut centers = Vec::new();
    centers_of(&context.mechanism().body, &mut centers);
    for (var, center) in centers {
        for run in [Run::First, Run::Second] {
            let long = in_words(&context.in_run(center, run), known);
            if long.to_string().len() > MOST_NAMED {
                let short = Expr::of(format!("center_of_{var}"), run);
                words = instead(&words, &long, &short);
            }
        }
    }
    words
}

/// A condition of so many letters is read as it is, and so is a center.
const MOST_READ: usize = 160;
const MOST_NAMED: usize = 24;

/// The centers of the draws of a block.
fn centers_of<'a>(body: &'a [Statement], found: &mut Vec<(&'a Name, &'a Expr)>) {
    for statement in body {
        match statement {
            Statement::Draw { var, law } => found.extend(center(law).map(|center| (var, center))),
            Statement::If { then, otherwise, .. } => {
                centers_of(then, found);
                centers_of(otherwise, found);
            }
            Statement::For { body, .. } | Statement::While { body, .. } => centers_of(body, found),
            Statement::Assign { .. } | Statement::Append { .. } => {}
        }
    }
}

/// What noise of a law is added to.
fn center(law: &Distribution) -> Option<&Expr> {
    match law {
        Distribution::Laplace { center, .. }
        | Distribution::DiscreteLaplace { center, .. }
        | Distribution::Gumbel { center, .. }
        | Distribution::Gaussian { center, .. }
        | Distribution::DiscreteGaussian { center, .. } => Some(center),
        _ => None,
    }
}

/// An expression with another in the places of one.
fn instead(whole: &Expr, one: &Expr, other: &Expr) -> Expr {
    match whole == one {
        true => other.clone(),
        false => whole.map_parts(&mut |part| instead(part, one, other)),
    }
}

fn tidy(e: &Expr) -> Expr {
    let whole = e.map_parts(&mut tidy);
    match &whole {
        Expr::Binary(Binary::Add, a, b) => plus((**a).clone(), (**b).clone()),
        Expr::Binary(Binary::Sub, a, b) if **b == Expr::int(0) || a == b => {
            minus((**a).clone(), (**b).clone())
        }
        Expr::Unary(Unary::Abs, a) if **a == Expr::int(0) => Expr::int(0),
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

    #[test]
    fn long_centers_have_the_names_of_their_draws() {
        let center = "1000000 * x + 2000000 * z + 3000000 * (x * z) + 4000000 * (x + z) + 5000000 * u";
        let text = format!(
            "mechanism m(x: real, z: real)\nu = 0\nfor t in 0..3 {{\ndu ~ laplace({center}, 1)\nu += du\n}}\nreturn u\n\
             neighbours abs(x' - x) <= 1 and z == z'\nclaim 1"
        );
        let program = probity_lang::load_text(&text).unwrap();
        let context =
            Context::new(&program.mechanism, probity_kernel::context::Orientation::Forward).unwrap();
        let mut centers = Vec::new();
        centers_of(&program.mechanism.body, &mut centers);
        let of = |run| context.in_run(centers[0].1, run);
        let u = |run| Expr::of("u", run);
        let moved = (u(Run::First) - u(Run::Second) + (of(Run::First) - of(Run::Second))).abs();
        let goal = (Expr::cost() + moved.clone()).le(Expr::int(1));
        let equal = u(Run::First).equals(u(Run::Second));
        let words = in_few_words(&context, &goal, std::slice::from_ref(&equal)).to_string();
        assert_eq!(words, "cost + abs(center_of_du - center_of_du') <= 1");
        // Of variables that are not known to be equal both values are named.
        let words = in_few_words(&context, &goal, &[]).to_string();
        assert_eq!(words, "cost + abs(u - u' + (center_of_du - center_of_du')) <= 1");
        // What is short is not named.
        let short = (of(Run::First)).le(Expr::int(1));
        assert!(in_few_words(&context, &short, &[]).to_string().contains("1000000 * x"));
    }
}
