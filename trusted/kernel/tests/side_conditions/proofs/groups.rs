//! GROUP-DELTA: from one row to several, where mass is given up. What it shares with GROUP is in `tests/tables.rs`.

use std::sync::Arc;

use probity_kernel::concentrated::Measure;
use probity_kernel::entail::Facts;
use probity_kernel::fact::Fact;
use probity_kernel::privacy::{
    Comparison, Side, Theorem, goal, group, group_delta, grouped, obligation, privacy, start,
};
use probity_kernel::sample::of_parameters;

use crate::common::*;

/// A constant. What is assumed contradicts itself, so that every condition on numbers has evidence, and only those on the
/// mechanism and on the kind of claim can fail.
fn constant(adjacency: Adjacency) -> Mechanism {
    let real = |text: &str| Param { name: text.into(), sort: Sort::Real };
    Mechanism {
        name: "m".into(),
        inputs: vec![Input { name: "people".into(), sort: Sort::Rows(vec![]) }],
        params: vec![real("eps"), real("delta"), Param { name: "k".into(), sort: Sort::Int }],
        assumptions: vec![Expr::Bool(false), var("k").ge(int(1))],
        body: vec![],
        output: int(0),
        adjacency: vec![adjacency],
    }
}

fn rows(most: Expr) -> Mechanism {
    constant(Adjacency::Rows { table: "people".into(), most })
}

fn one_row() -> Mechanism {
    constant(Adjacency::OneRow { table: "people".into() })
}

fn claim(delta: Expr, reading: Reading) -> Claim {
    Claim { epsilon: var("eps"), delta, reading }
}

fn real() -> Claim {
    claim(var("delta"), Reading::Reals)
}

/// Where `false` is among the facts.
fn absurd(context: &Context, hypotheses: &[&Expr], goal: &Expr) -> Evidence {
    let facts = Facts::new(context, hypotheses, goal).unwrap();
    Evidence::Absurd(facts.list().iter().position(|fact| **fact == Fact::Any(vec![])).unwrap())
}

fn vacuous(mechanism: &Mechanism, claim: &Claim) -> Theorem {
    let sides: Vec<_> = [Orientation::Forward, Orientation::Backward]
        .into_iter()
        .map(|orientation| {
            let measure = Measure::of(claim.reading);
            let context = Arc::new(Context::measured(mechanism, orientation, measure).unwrap());
            let judgement =
                rules::skip(&context, &assertion(&context, goal(&context, claim, Comparison::Equal)));
            let evidence = absurd(&context, &[&start()], &obligation(&judgement, claim));
            (judgement, evidence)
        })
        .collect();
    let sides: Vec<Side<'_>> =
        sides.iter().map(|(judgement, evidence)| Side { judgement, evidence }).collect();
    privacy(mechanism, claim, &[], Comparison::Equal, &sides).unwrap()
}

/// GROUP-DELTA with evidence for any numbers.
fn grows(mechanism: &Mechanism, claim: &Claim, theorem: &Theorem) -> Result<Theorem, Rejection> {
    let evidence = absurd(&of_parameters(mechanism).unwrap(), &[], &Expr::Bool(true));
    group_delta(mechanism, claim, theorem, &evidence)
}

#[test]
fn groups_with_delta_are_of_one_mechanism() {
    let theorem = vacuous(&one_row(), &real());
    let grown = grows(&rows(var("k")), &real(), &theorem).unwrap();
    assert!(grown.axioms().contains("GROUP-DELTA"));
    assert_eq!((grown.mechanism(), grown.claim()), (&rows(var("k")), &real()));
    assert!(grows(&rows(int(2)), &real(), &theorem).is_ok());
    // Another output, another adjacency, a number of rows that may be none.
    let mut other = rows(int(2));
    other.output = int(1);
    assert_eq!(grows(&other, &real(), &theorem).unwrap_err(), Rejection::ContextDiffers);
    let replaced = constant(Adjacency::RowReplaced { table: "people".into() });
    assert!(grows(&replaced, &real(), &theorem).is_err());
    assert_eq!(
        grows(&rows(int(2)), &real(), &vacuous(&replaced, &real())).unwrap_err(),
        Rejection::ContextDiffers
    );
    assert!(grows(&rows(int(0)), &real(), &theorem).is_err());
    // The rule without delta stays without.
    let share = Claim { epsilon: var("eps") / int(2), ..real() };
    assert!(group(&rows(int(2)), &real(), &vacuous(&one_row(), &share)).is_err());
}

#[test]
fn groups_with_delta_are_over_the_reals() {
    let theorem = vacuous(&one_row(), &real());
    let none = |reading| claim(int(0), reading);
    assert!(grows(&rows(int(2)), &none(Reading::Reals), &theorem).is_ok());
    for reading in [Reading::Rho, Reading::Mu] {
        let other = vacuous(&one_row(), &none(reading));
        assert!(grows(&rows(int(2)), &real(), &other).is_err());
        assert!(grows(&rows(int(2)), &none(reading), &theorem).is_err());
    }
    assert!(grows(&rows(int(2)), &none(Reading::BINARY64), &theorem).is_err());
    // The claim is made of parameters.
    assert!(grows(&rows(int(2)), &claim(var("people"), Reading::Reals), &theorem).is_err());
    let counted = Expr::sum(Variable::Plain("people".into()), Expr::Bool(true), int(1));
    assert!(matches!(
        grows(&rows(int(2)), &claim(counted, Reading::Reals), &theorem),
        Err(Rejection::NotPublic { .. })
    ));
}

/// What must hold of the numbers; `crates/prove/tests/groups.rs` has claims just above and below it.
#[test]
fn the_numbers_of_a_group_are_those_of_the_proof() {
    let from = Claim { epsilon: var("a"), delta: var("b"), reading: Reading::Reals };
    let to = Claim { epsilon: var("c"), delta: var("d"), reading: Reading::Reals };
    let parts = [
        "0 <= a",
        "0 <= b",
        "k * a <= c",
        "(0 < a and (b * (exp(k * a) - 1) <= d * (exp(a) - 1) or b * (exp(k * a) - 1) / (exp(a) - 1) <= d) \
         or b * k * exp((k - 1) * a) <= d)",
    ];
    assert_eq!(grouped(&var("k"), &from, &to).to_string(), parts.join(" and "));
    // For one of the first numbers the sum may be written out, with all of its terms.
    let written = |rows| grouped(&int(rows), &from, &to).to_string();
    let last = |rows: i64| format!("b * {rows} * exp(({rows} - 1) * a) <= d");
    assert!(written(1).ends_with(&format!("({} or b * 1 <= d))", last(1))));
    assert!(written(3).ends_with(&format!("{} or b * (1 + exp(1 * a) + exp(2 * a)) <= d))", last(3))));
    assert!(written(8).ends_with("+ exp(7 * a)) <= d))"));
    assert!(written(9).ends_with(&format!("{})", last(9))));
    // Evidence is asked for, and is about the parameters alone.
    let theorem = vacuous(&one_row(), &real());
    assert!(group_delta(&rows(int(2)), &real(), &theorem, &Evidence::Absurd(99)).is_err());
}
