//! Questions as people write them. Not every test asks all of them.

use std::collections::BTreeMap;

use probity_account::{Adjacency, Answer, Bracket, Composition, Effort, Expression, Question, account};
use probity_exact::{Rational, parse_rational};

/// What is tried of so many cases: without the feature `exhaustive` a third.
pub fn tried<T>(cases: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    cases.into_iter().step_by(if cfg!(feature = "exhaustive") { 1 } else { 3 })
}

pub fn number(text: &str) -> Rational {
    parse_rational(text).unwrap()
}

pub fn laws(text: &str) -> Composition {
    let expression = Expression::parse(text).unwrap_or_else(|fault| panic!("{fault}\n{}", fault.shown(text)));
    expression.evaluate(&BTreeMap::new(), &|_| Err("no files here".into())).unwrap()
}

/// `what` is the quantity that is given: "delta" or "epsilon".
pub fn question(what: &str, value: &str) -> Question {
    match what {
        "delta" => Question::Epsilon(number(value)),
        "epsilon" => Question::Delta(number(value)),
        other => panic!("{other} cannot be given"),
    }
}

pub fn ask(text: &str, what: &str, value: &str, effort: &Effort) -> Answer {
    account(&laws(text), Adjacency::AddRemove, &question(what, value), effort).unwrap()
}

/// By the lattice, whether or not there is a closed form.
pub fn general(width: f64) -> Effort {
    Effort { width, seconds: 600.0, closed_forms: false }
}

pub fn holds(bracket: &Bracket, truth: &Rational) -> bool {
    bracket.lower <= *truth && bracket.upper.as_ref().is_none_or(|upper| truth <= upper)
}
