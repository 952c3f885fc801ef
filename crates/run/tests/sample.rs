//! Samples run with the law that their text says, and whether they run does not depend on the rows.

use crate::common;

use std::collections::BTreeMap;

use common::settings;
use probity_noise::entropy::tape::Tape;
use probity_run::{Inputs, Proved, RunError, Table, Value};

fn people(rows: usize) -> Table {
    let row = |age: usize| vec![age.to_string(), (age.is_multiple_of(2)).to_string()];
    Table::of_texts(vec!["age".into(), "on".into()], (0..rows).map(row).collect())
}

fn text(statements: &str) -> String {
    format!(
        "mechanism m(people: rows(age: int, on: bool))\nparam eps > 0\nparam q > 0\nwhere q <= 1\n{statements}\n\
         neighbours one row of people is added or removed\nclaim ln(1 + q * (exp(eps) - 1))\n"
    )
}

const COUNT: &str =
    "s ~ sample(people, q)\nn ~ discrete_laplace(count(r in s where r.on), 1 / eps)\nreturn n";

#[test]
fn a_proved_text_runs() {
    let proved =
        Proved::load(&text(COUNT)).unwrap().with_table("people", people(5)).with(&settings("eps=1 q=1/2"));
    let proved = proved.unwrap();
    assert!(proved.theorem().axioms().contains("AMPLIFY"));
    let mut session = proved.prepare(&Inputs::default()).unwrap();
    let mut seen = 0;
    session
        .runs_on_tape(100, &mut Tape::seeded(7), |value| {
            seen += usize::from(matches!(value, Value::Number(n) if n.to_rational().is_int()));
            true
        })
        .unwrap();
    assert_eq!(seen, 100);
}

/// Two rows of ages 0 and 1 with q = 1/2: the sums of 1 + age are 0, 1, 2 and 3, each in a quarter of the bit strings.
#[test]
fn rows_are_kept_one_by_one() {
    const DEPTH: usize = 12;
    let exact = "s ~ sample(people, q)\nn = sum(r in s, clamp(r.age, 0, 9) + 1)\nreturn n";
    let unproved = Proved::load(&text(exact)).unwrap().with_table("people", people(2));
    let unproved = unproved.unproved_with(&settings("eps=1 q=1/2")).unwrap();
    let mut session = unproved.prepare(&Inputs::default()).unwrap();
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let (mut open, mut left) = (vec![Vec::new()], 0);
    while let Some(bits) = open.pop() {
        match session.run_on_bits(&bits).unwrap() {
            Some((value, _)) => *found.entry(value.to_string()).or_default() += 1 << (DEPTH - bits.len()),
            None if bits.len() == DEPTH => left += 1,
            None => open.extend([false, true].map(|bit| [&bits[..], &[bit]].concat())),
        }
    }
    let quarter = 1 << (DEPTH - 2);
    assert!(left < quarter / 8, "{left}");
    for sum in ["0", "1", "2", "3"] {
        let here = found[sum];
        assert!(here <= quarter && quarter <= here + left, "{sum}: {here} and {left} of {quarter}");
    }
}

/// A sum over a sample may depend on what was drawn, and is refused for all tables where it might not be decided for some.
#[test]
fn what_does_not_run_is_refused_for_all_tables() {
    let drawn = |condition: &str| {
        format!("y ~ laplace(0, 1)\ns ~ sample(people, q)\nn = count(r in s where {condition})\nreturn n")
    };
    for rows in [0, 3] {
        let with = |statements: &str| {
            let text = Proved::load(&text(statements)).unwrap().with_table("people", people(rows));
            text.unproved_with(&settings("eps=1 q=1/2"))
        };
        let mut session = with(&drawn("r.age >= y")).unwrap().prepare(&Inputs::new()).unwrap();
        let Value::Number(kept) = session.run_exactly(&mut Tape::seeded(5)).unwrap() else {
            panic!("no number")
        };
        assert!(kept.to_rational() <= (rows as u64).into());
        let error = with(&drawn("ln(exp(y)) - y > r.age - 1")).unwrap_err();
        assert!(matches!(error, RunError::Refused { .. }), "{error}");
        assert!(error.to_string().contains("`ln(exp(y)) - y > r.age - 1`"), "{error}");
        let again = with("s ~ sample(people, q)\nt ~ sample(s, q)\nn = count(r in t)\nreturn n");
        assert!(matches!(again, Err(RunError::SampleOfSample { .. })), "{again:?}");
    }
}
