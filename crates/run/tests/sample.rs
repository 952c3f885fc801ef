//! Samples run with the law that their text says, and whether they run does not depend on the rows.

mod common;

use common::settings;
use probity_noise::entropy::tape::Tape;
use probity_run::{Inputs, Proved, RunError, Table, Value};

fn people(rows: usize) -> Table {
    let row = |age: usize| vec![age.to_string(), (age.is_multiple_of(2)).to_string()];
    Table { header: vec!["age".into(), "on".into()], rows: (0..rows).map(row).collect() }
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
            seen += usize::from(matches!(value, Value::Number(n) if n.is_int()));
            true
        })
        .unwrap();
    assert_eq!(seen, 100);
}

/// Of every three bit strings of two coins, by hand: q = 1/2 and two rows give 0, 1, 1, 2.
#[test]
fn rows_are_kept_one_by_one() {
    let exact = "s ~ sample(people, q)\nn = sum(r in s, clamp(r.age, 0, 9) + 1)\nreturn n";
    let unproved = Proved::load(&text(exact)).unwrap().with_table("people", people(2));
    let unproved = unproved.unproved_with(&settings("eps=1 q=1/2")).unwrap();
    let mut session = unproved.prepare(&Inputs::default()).unwrap();
    let mut found = Vec::new();
    for bits in [[false, false], [false, true], [true, false], [true, true]] {
        let (value, read) = session.run_on_bits(&bits).unwrap().unwrap();
        assert_eq!(read, 2);
        found.push(value.to_string());
    }
    found.sort();
    assert_eq!(found, ["0", "1", "2", "3"]);
}

#[test]
fn what_does_not_run_is_refused_for_all_tables() {
    let depends = "y ~ discrete_laplace(0, 1)\ns ~ sample(people, q)\n\
                   n = count(r in s where r.age >= y)\nreturn n";
    for rows in [0, 3] {
        let text = Proved::load(&text(depends)).unwrap().with_table("people", people(rows));
        let error = text.unproved_with(&settings("eps=1 q=1/2")).unwrap_err();
        assert!(matches!(error, RunError::Refused { .. }), "{error}");
    }
}
