//! Samples of a table: exact laws on small tables, and the loss that a sample leaves.

use probity_audit::{Depth, Given, Inputs, Outcome, PairReport, Parameters, real_law};
use probity_exact::{Rational, ln_bounds, rational};
use probity_lang::load_text;

fn r(n: i64, d: i64) -> Rational {
    rational(n, d).unwrap()
}

/// A table of so many rows, with the ages 0, 1, 2, …
fn people(rows: i64) -> Inputs {
    let row = |age: i64| vec![Given::Number(Rational::from(age))];
    [("people".into(), Given::Rows((0..rows).map(row).collect()))].into()
}

fn rate(q: Rational) -> Parameters {
    [("q".into(), q)].into()
}

/// A mechanism with these statements.
fn text(statements: &str) -> probity_lang::Program {
    let text = format!(
        "mechanism m(people: rows(age: int))\nparam q >= 0\n{statements}\n\
         neighbours one row of people is added or removed\nclaim 1\n"
    );
    load_text(&text).unwrap()
}

fn number(k: i64) -> Outcome {
    Outcome::Number(Rational::from(k))
}

#[test]
fn every_choice_of_rows_counts() {
    let sizes = text("s ~ sample(people, q)\nn = count(r in s)\nreturn n");
    let law = real_law(&sizes.mechanism, &rate(r(1, 3)), &people(3), Depth::default()).unwrap();
    assert!(law.is_exact() && law.sums_to_one());
    for (n, mass) in [(0, r(8, 27)), (1, r(12, 27)), (2, r(6, 27)), (3, r(1, 27))] {
        assert_eq!(law.probability(&number(n)).0, mass, "{n}");
    }
    // Which rows they are: the sum of 1 and 2 is as likely as each of them.
    let sums = text("s ~ sample(people, q)\nn = sum(r in s where r.age >= 1, r.age)\nreturn n");
    let law = real_law(&sums.mechanism, &rate(r(1, 4)), &people(3), Depth::default()).unwrap();
    for (n, mass) in [(0, r(9, 16)), (1, r(3, 16)), (2, r(3, 16)), (3, r(1, 16))] {
        assert_eq!(law.probability(&number(n)).0, mass, "{n}");
    }
    // An empty table has an empty sample.
    let law = real_law(&sizes.mechanism, &rate(r(1, 3)), &people(0), Depth::default()).unwrap();
    assert_eq!(law.probability(&number(0)).0, r(1, 1));
}

#[test]
fn samples_of_samples_and_samples_in_loops() {
    let twice = text("s ~ sample(people, q)\nt ~ sample(s, q)\nn = count(r in t)\nreturn n");
    let law = real_law(&twice.mechanism, &rate(r(1, 2)), &people(1), Depth::default()).unwrap();
    assert_eq!(law.probability(&number(1)).0, r(1, 4));
    // A sample of a sample keeps its rows when the first is drawn again.
    let again =
        text("s ~ sample(people, q)\nt ~ sample(s, 1)\ns ~ sample(people, 1)\nn = count(r in t)\nreturn n");
    let law = real_law(&again.mechanism, &rate(r(1, 3)), &people(1), Depth::default()).unwrap();
    assert_eq!(law.probability(&number(1)).0, r(1, 3));
    let looped = text("n = 0\nfor i in 0..2 {\n  s ~ sample(people, q)\n  n += count(r in s)\n}\nreturn n");
    let law = real_law(&looped.mechanism, &rate(r(1, 3)), &people(1), Depth::default()).unwrap();
    assert_eq!(law.probability(&number(2)).0, r(1, 9));
}

/// A response has loss ln 3 on a row; in a sample of a fifth of the rows ln(1 + 2/5), exactly.
#[test]
fn the_loss_is_that_of_the_rule() {
    let response = text("s ~ sample(people, q)\ny ~ response(min(count(r in s), 1), 3/4, 2)\nreturn y");
    let law = |rows| real_law(&response.mechanism, &rate(r(1, 5)), &people(rows), Depth::default()).unwrap();
    let worst = PairReport::new(&law(1), &law(0)).worst.unwrap();
    let (low, high) = ln_bounds(&r(7, 5), 60).unwrap();
    assert!(worst.loss.low <= high && low <= worst.loss.high, "{:?}", worst.loss);
    // The other way round it is smaller.
    let other = PairReport::new(&law(0), &law(1)).worst.unwrap();
    assert!(other.loss.low <= worst.loss.high);
}

#[test]
fn a_rate_out_of_range_is_named() {
    let sizes = text("s ~ sample(people, q)\nn = count(r in s)\nreturn n");
    for rows in [0, 2] {
        let fault = real_law(&sizes.mechanism, &rate(r(3, 2)), &people(rows), Depth::default()).unwrap_err();
        assert!(fault.to_string().contains("s ~ sample(people, q)"), "{fault}");
    }
}
