//! What several records at once lose: chains of neighbours, of guarantees and of theorems about several rows.

use crate::common;

use std::collections::BTreeMap;

use common::{ask, holds, laws, number, question};
use probity_account::{Adjacency, Answer, Composition, Effort, Expression, Law, account};
use probity_exact::directed::exp_nearest;
use probity_exact::rational_from_f64;

/// The least Q(E) of an ε-private mechanism at a neighbour, where P(E) is x.
fn next(x: f64, epsilon: f64) -> f64 {
    (exp_nearest(-epsilon) * x).max(1.0 - exp_nearest(epsilon) * (1.0 - x))
}

/// What a chain of neighbours loses at most: the best event has some probability, and then the least one step after step.
fn of_a_chain(steps: u32, loss: f64, epsilon: f64) -> f64 {
    let at = |k: u32| {
        let x = f64::from(k) / 100_000.0;
        x - exp_nearest(epsilon) * (0..steps).fold(x, |x, _| next(x, loss))
    };
    (0..=100_000).map(at).fold(0.0, f64::max)
}

/// k times the loss is more than any ε-private mechanism loses with k records, but at the largest loss itself.
#[test]
fn a_group_of_pure_mechanisms_loses_what_a_chain_loses() {
    for (steps, loss, epsilon) in [
        (2, "1", "0"),
        (2, "1", "1/2"),
        (2, "1", "1"),
        (3, "1", "1"),
        (3, "1/2", "1/4"),
        (5, "1/10", "1/5"),
        (4, "2", "6"),
    ] {
        let answer = ask(&format!("group({steps}, pure({loss}))"), "epsilon", epsilon, &Effort::default());
        let double = |text: &str| number(text).to_f64().value();
        let truth = of_a_chain(steps, double(loss), double(epsilon));
        let (low, high) = (answer.bracket.lower.clone(), answer.bracket.upper.clone().unwrap());
        // The best event lies between two of those that were tried.
        assert!(low.to_f64().value() < truth + 1e-4, "{steps} {loss} {epsilon}: {low} {truth}");
        assert!(high.to_f64().value() > truth - 1e-12, "{steps} {loss} {epsilon}: {high} {truth}");
        assert!(answer.reached && answer.note.is_none());
    }
    // 1 − 1/e, and not what a response with twice the loss tells.
    let two = ask("group(2, pure(1))", "epsilon", "0", &Effort::default()).bracket;
    assert!(two.lower < number("0.6321205589") && two.upper.unwrap() > number("0.6321205588"));
    let whole = ask("group(7, pure(1/3))", "delta", "0", &Effort::default()).bracket;
    assert!(holds(&whole, &number("7/3")) && whole.width() < 1e-9);
}

#[test]
fn groups_of_groups_and_of_sums_are_chains_too() {
    let effort = Effort { width: 1e-3, ..Effort::default() };
    for (text, same) in [
        ("group(1, pure(1/3)) * 4", "pure(1/3) * 4"),
        ("group(2, group(3, pure(1/3)))", "discrete_laplace(3, sensitivity = 6)"),
        (
            "group(2, pure(1/3) + pure(1/5))",
            "discrete_laplace(3, sensitivity = 2) + discrete_laplace(5, sensitivity = 2)",
        ),
        ("group(2, mu(1/3) + rho(1/8))", "mu(2/3) + rho(1/2)"),
        ("poisson(1/4, group(2, pure(1/3)))", "poisson(1/4, discrete_laplace(3, sensitivity = 2))"),
        ("group(2, response(2, 3/4))", "response(2, 3/4) * 2"),
    ] {
        for (what, value) in [("delta", "1e-3"), ("epsilon", "1/4")] {
            let bracket = |text: &str| ask(text, what, value, &effort).bracket;
            assert_eq!(bracket(text), bracket(same), "{text} {what}");
        }
    }
    // A guarantee about adding and removing says nothing about replacing in a sample, in a group or not.
    for text in ["poisson(1/4, group(2, pure(1/3)))", "poisson(1/4, mu(1/3))", "poisson(1/4, rho(1/3))"] {
        let found = account(&laws(text), Adjacency::Replace, &question("delta", "1e-3"), &effort);
        assert!(found.unwrap_err().contains("needs a law of noise"), "{text}");
    }
}

/// A theorem that is given by hand, about so many rows at once.
fn with_theorem(text: &str, law: &Law, rows: Option<u64>) -> Composition {
    let law = Box::new(law.clone());
    let theorem = |_: &_| Ok(Law::Text { most: law.clone(), least: law.clone(), rows });
    Expression::parse(text).unwrap().evaluate(&BTreeMap::new(), &theorem).unwrap()
}

fn asked(laws: &Composition, what: &str, value: &str) -> Answer {
    let effort = Effort { width: 1e-3, ..Effort::default() };
    account(laws, Adjacency::AddRemove, &question(what, value), &effort).unwrap()
}

/// Where two rows are still neighbours, two rows lose what one loses, and three lose what two steps do.
#[test]
fn theorems_about_several_rows_have_fewer_steps() {
    let law = Law::Approximate { epsilon: number("1/3"), delta: number("0") };
    for (group, truth) in [("1", "pure(1/3)"), ("2", "pure(1/3)"), ("3", "group(2, pure(1/3))")] {
        let laws = with_theorem(&format!("group({group}, text(\"m.dp\"))"), &law, Some(2));
        for (what, value) in [("delta", "1e-2"), ("epsilon", "1/5")] {
            let wanted = ask(truth, what, value, &Effort::default()).bracket;
            let found = asked(&laws, what, value).bracket;
            assert!(found.width() < 1e-6 && found.lower <= wanted.upper.unwrap(), "{group} {what}");
            assert!(wanted.lower <= found.upper.unwrap(), "{group} {what}");
        }
    }
}

/// Where nothing is known of rows, k steps may end at a neighbour: from below it is one step, from above k.
#[test]
fn theorems_about_other_neighbours_are_at_least_one_step() {
    let law = Law::Approximate { epsilon: number("1/3"), delta: number("0") };
    let effort = Effort { width: 1e-3, ..Effort::default() };
    for (what, value) in [("delta", "1e-2"), ("epsilon", "1/5")] {
        let found = asked(&with_theorem("group(3, text(\"m.dp\")) * 2", &law, None), what, value);
        let (one, three) = (
            ask("pure(1/3) * 2", what, value, &effort),
            ask("group(3, pure(1/3)) * 2", what, value, &effort),
        );
        assert_eq!(found.bracket.lower, one.bracket.lower, "{what}");
        assert_eq!(found.bracket.upper, three.bracket.upper, "{what}");
        assert!(found.note.unwrap().contains("need not meet"));
        let alone = asked(&with_theorem("text(\"m.dp\") * 2", &law, None), what, value);
        assert_eq!(alone.bracket, one.bracket, "{what}");
    }
}

/// A chain of a hundred thousand neighbours is bracketed by a shorter one and by the sum of its losses.
#[test]
fn long_chains_are_bracketed() {
    let effort = Effort { width: 1e-2, seconds: 20.0, ..Effort::default() };
    let asked = |text: &str, what: &str, value: &str| ask(text, what, value, &effort);
    for (what, value) in [("epsilon", "1/2"), ("delta", "1e-3")] {
        let found = asked("group(100, group(1000, pure(1/50000)))", what, value);
        let longest = asked("discrete_laplace(50000, sensitivity = 100000)", what, value).bracket;
        let (low, high) = (found.bracket.lower, found.bracket.upper.unwrap());
        assert!(low <= longest.upper.clone().unwrap() && longest.lower <= high, "{what} {low} {high}");
        assert!(low > number("0.03") || what == "epsilon", "{low}");
        assert!(found.note.is_some());
    }
    // Beside very many others, too.
    let many: Vec<String> = (1..=70).map(|k| format!("pure({k}/1000)")).collect();
    let found = asked(&format!("group(2, {})", many.join(" + ")), "epsilon", "1");
    let (one, twice) =
        (asked(&many.join(" + "), "epsilon", "1"), format!("group(2, {})", many[..60].join(" + ")));
    assert!(found.bracket.lower <= one.bracket.upper.unwrap());
    let fewer = asked(&twice, "epsilon", "1").bracket;
    assert!(found.bracket.upper.unwrap() >= fewer.lower && rational_from_f64(0.0).unwrap() < fewer.lower);
}
