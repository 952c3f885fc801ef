//! Whether a text runs, and what is said if it does not, is decided from the text: it is the same for all inputs and all tables.

use crate::common;

use common::settings;
use probity_exact::{Rational, rational_from_f64};
use probity_noise::entropy::tape::Tape;
use probity_run::{Cell, Given, InputError, Inputs, Proved, RunError, Table, Unproved, Value};

fn table(field: &str, rows: &[&str]) -> Table {
    Table {
        header: vec![field.to_owned()],
        rows: rows.iter().map(|value| vec![Cell::Text((*value).to_owned())]).collect(),
    }
}

fn with(text: &str, set: &str, field: &str, rows: &[&str]) -> Result<Unproved, RunError> {
    Proved::load(text).unwrap().with_table("people", table(field, rows)).unproved_with(&settings(set))
}

const END: &str = "return m\nneighbours one row of people is added or removed\nclaim 1\n";

/// A comparison of a field with a number that is not rational, or with one that has no normal form, might tie for some row.
#[test]
fn a_text_is_refused_for_all_tables_or_for_none() {
    let refused = [
        (
            "sd = sqrt(variance)\nm ~ discrete_laplace(count(r in people where r.x / sd >= sd), 1)",
            "variance=4",
            "`r.x / sd >= sd`",
        ),
        (
            "sd = sqrt(variance)\nm ~ discrete_laplace(count(r in people where r.x / sd >= sd), 1)",
            "variance=3",
            "`r.x / sd >= sd`",
        ),
        (
            "z = sqrt(variance)\nm ~ discrete_laplace(count(r in people where z * z > r.x), 1)",
            "variance=2",
            "`z * z > r.x`",
        ),
        (
            "n ~ laplace(0, variance)\nz = ln(exp(n)) - n\nm ~ discrete_laplace(count(r in people where z > r.x - 5), 1)",
            "variance=1",
            "`z > r.x - 5`",
        ),
        (
            "v ~ laplace(sum(r in people, clamp(r.x, 0, 1)), variance)\nsd = sqrt(v)\n\
             m ~ discrete_laplace(count(r in people where r.x + v > 1 + 2 * sd), 1)",
            "variance=1",
            "`r.x + v > 1 + 2 * sd`",
        ),
        (
            "t ~ laplace(0, variance)\nm ~ discrete_laplace(count(r in people where 1 / (r.x + t) > 1), 1)",
            "variance=1",
            "`count(r in people where 1 / (r.x + t) > 1)`",
        ),
        // What stands in the place of a tie that is not told, without anything that was drawn.
        (
            "m ~ discrete_laplace(count(r in people where r.x * ln(2) > sqrt(2)), 1)",
            "variance=1",
            "`r.x * ln(2) > sqrt(2)`",
        ),
        (
            "m ~ discrete_laplace(sum(r in people, floor(ln(3) * sqrt(clamp(r.x, 0, 9)))), 1)",
            "variance=1",
            "`floor(ln(3) * sqrt(",
        ),
        (
            "m = 0\nfor g in 0..4 {\ny ~ discrete_laplace(count(r in people where sqrt(r.x) > sqrt(g)), 1)\nm = m + y\n}",
            "variance=1",
            "sqrt(g)`",
        ),
        // Divisors of each row's own, by every operation that divides.
        (
            "t ~ discrete_laplace(0, variance)\nm ~ discrete_laplace(count(r in people where r.x mod (r.x + t) > 1), 1)",
            "variance=1",
            "`count(r in people where r.x mod (r.x + t) > 1)`",
        ),
        (
            "t ~ laplace(0, variance)\nm ~ discrete_laplace(floor(sum(r in people, round_to(1, r.x + t))), 1)",
            "variance=1",
            "`sum(r in people, round_to(1, r.x + t))`",
        ),
    ];
    for (body, set, shown) in refused {
        let text = format!("mechanism m(people: rows(x: int))\nparam variance > 0\n{body}\n{END}");
        let mut messages = Vec::new();
        for rows in [&[][..], &["3"], &["2"], &["4"], &["73219", "20"], &["2", "2", "-41"]] {
            let error = with(&text, set, "x", rows).unwrap_err();
            assert!(!error.tells_of_inputs(), "{error}");
            messages.push((error.to_string(), error.hint()));
        }
        assert!(messages[0].0.contains(shown), "{}", messages[0].0);
        assert!(messages.iter().all(|message| *message == messages[0]), "{messages:?}");
        assert!(!messages[0].0.contains("73219"));
    }
}

/// What has a normal form for every row runs for every table, and does what the text says.
#[test]
fn sums_of_what_was_drawn_run_for_all_tables() {
    // The noise is 0 but for e^−1000: n is 3, the mean 2.
    let near = "n ~ discrete_laplace(3, 1 / 1000)\ns ~ laplace(6, 1 / 1000000)\nmean = s / n\n";
    for (sum, known) in [
        ("count(r in people where r.x > mean + 1)", 2),
        ("count(r in people where r.x mod n == 1)", 3),
        // More than a root away from the mean, without the root.
        ("count(r in people where (r.x - mean) * abs(r.x - mean) > n)", 2),
        ("count(r in people where ln(2) * r.x > n)", 1),
        ("sum(r in people, floor(clamp(r.x * n, 0, 20)))", 3 + 12 + 20),
        ("count(r in people where r.x mod 2 == 0)", 1),
        // Roots against rational numbers, ties among them.
        ("count(r in people where r.x >= sqrt(16))", 2),
        ("count(r in people where 2 * sqrt(r.x) - 1 > 3)", 1),
        ("count(r in people where r.x > sqrt(n))", 2),
        ("sum(r in people, floor(sqrt(r.x)))", 5),
        // A divisor that is the row's alone, or the text's alone.
        ("floor(4 * sum(r in people, r.x / 2))", 24),
        ("floor(28 * sum(r in people, n / clamp(r.x, 1, 100)))", 84 + 21 + 12),
        ("floor(sum(r in people, floor(r.x / n)))", 3),
    ] {
        let text =
            format!("mechanism m(people: rows(x: int))\n{near}m ~ discrete_laplace({sum}, 1 / 1000)\n{END}");
        for (rows, known) in [(&["1", "4", "7"][..], known), (&[], 0)] {
            // One row more, which is dropped: it is no integer.
            let rows: Vec<&str> = rows.iter().copied().chain(["1.5"]).collect();
            let mut session = with(&text, "", "x", &rows)
                .unwrap_or_else(|error| panic!("{sum}: {error}"))
                .prepare(&Inputs::new())
                .unwrap();
            let found = session.run_exactly(&mut Tape::seeded(7)).unwrap();
            assert_eq!(found, Value::from(Rational::from(known)), "{sum}");
        }
    }
}

/// A line about rows is looked at for each row alone, before anything is drawn: one that speaks of more, or that no row computes, is refused.
#[test]
fn lines_about_rows_are_of_one_row() {
    let text = |line: &str| {
        format!(
            "mechanism m(people: rows(x: int), y: int)\nwhere {line}\nm ~ discrete_laplace(count(r in people), 1)\n\
             return m\nneighbours one row of people is added or removed\nneighbours y' == y\nclaim 1\n"
        )
    };
    let mut refused = 0;
    for line in ["people.x <= y", "people.x + y >= 0", "sqrt(people.x) <= 3", "exp(people.x) <= 3"] {
        let mut said = Vec::new();
        for rows in [&[][..], &["3"], &["100", "-7"]] {
            match Proved::load(&text(line)) {
                // The language may say so itself.
                Err(error) => said.push(error.to_string()),
                Ok(text) => {
                    let error = text.with_table("people", table("x", rows)).unproved_with(&[]).unwrap_err();
                    assert!(matches!(error, RunError::Rows { .. }), "{line}: {error}");
                    assert!(!error.tells_of_inputs());
                    said.push(error.to_string());
                    refused += 1;
                }
            }
        }
        assert!(said.iter().all(|one| *one == said[0]), "{said:?}");
    }
    assert!(refused > 0);
    // What is of one row drops the others.
    let text = text("people.x <= 5 and people.x >= 2").replace(", 1)\n", ", 1 / 1000)\n");
    let unproved = Proved::load(&text).unwrap().with_table("people", table("x", &["1", "2", "3", "7"]));
    let unproved = unproved.unproved_with(&[]).unwrap();
    let mut session = unproved.prepare(&"y=0".parse().unwrap()).unwrap();
    assert_eq!(session.run_exactly(&mut Tape::seeded(7)).unwrap(), Value::from(Rational::from(2)));
}

/// Sums follow the text: an index that does not begin at 0, a guard that is looked at before each turn.
#[test]
fn sums_are_computed_where_the_text_reads_them() {
    for (body, expected) in [
        (
            "m = 0\nfor g in 3..8 {\ny ~ discrete_laplace(count(r in people where r.x == g), 1 / 1000)\nm = 10 * m + y\n}",
            1001,
        ),
        ("m = 0\nwhile count(r in people where r.x > m) > 0 {\nb ~ bernoulli(1 / 2)\nm = m + 1\n}", 7),
        (
            "m = 0\nfor g in 0..4 {\nfor h in g..4 {\ny ~ discrete_laplace(count(r in people where r.x == g + h), 1 / 1000)\nm = m + y\n}\n}",
            3,
        ),
    ] {
        let text = format!("mechanism m(people: rows(x: int))\n{body}\n{END}");
        let unproved =
            with(&text, "", "x", &["1", "4", "7"]).unwrap_or_else(|error| panic!("{body}: {error}"));
        let mut session = unproved.prepare(&Inputs::new()).unwrap();
        let found = session.run_exactly(&mut Tape::seeded(7)).unwrap();
        assert_eq!(found, Value::from(Rational::from(expected)), "{body}");
    }
}

/// Numbers with more bits than parameters may have are refused whatever the text, and those with as many run.
#[test]
fn long_inputs_are_refused_by_their_type() {
    let one = "mechanism m(x: real)\ny ~ laplace(x, 1)\nreturn floor(y * x) mod 2\nneighbours any\nclaim 1";
    let many = "mechanism m(x: real[])\ny ~ laplace(0, 1)\nreturn y > 1\nneighbours any\nclaim 1";
    let two = Rational::from(2);
    let inverse = |value: Rational| Rational::ONE / value;
    let (long, most) = (two.pow(1200), two.pow(1200) - Rational::ONE);
    let part = two.pow(64) - Rational::from(59);
    let ten = Rational::from(10);
    for (text, is_list) in [(one, false), (many, true)] {
        let unproved = Proved::load(text).unwrap().unproved_with(&[]).unwrap();
        let given = |value: Rational| match is_list {
            true => Given::numbers([Rational::ONE, value]),
            false => Given::Number(value),
        };
        // A denominator of 65 bits besides powers of 2 and 5 is too long as well.
        for value in [
            long.clone(),
            -&long,
            inverse(long.clone()),
            inverse(two.pow(64) + Rational::ONE),
            inverse(ten.pow(362)),
        ] {
            let error = unproved.prepare(&Inputs::new().with("x", given(value))).unwrap_err();
            assert!(matches!(error, RunError::Input(InputError::TooLong { .. })), "{error}");
            assert!(error.tells_of_inputs());
            assert!(!error.to_string().contains("000"), "{error}");
        }
        let doubles =
            [f64::MAX, 5e-324, f64::MIN_POSITIVE, 0.1].map(|double| rational_from_f64(double).unwrap());
        let kept = [
            most.clone(),
            -&most,
            inverse(two.pow(1199)),
            inverse(ten.pow(361)),
            inverse(ten.pow(300) * &part),
        ];
        for value in kept.into_iter().chain(doubles) {
            let mut session = unproved.prepare(&Inputs::new().with("x", given(value))).unwrap();
            session.run_exactly(&mut Tape::seeded(3)).unwrap();
            session.runs_on_tape(3, &mut Tape::seeded(5), |_| true).unwrap();
        }
    }
}

/// Texts whose numbers might grow beyond what a run computes with are refused, whatever the inputs; others are not.
#[test]
fn numbers_that_may_grow_too_large_are_refused() {
    let text = |body: &str| {
        format!(
            "mechanism m(x: int, z: real, q: real[], k: int[])\nu ~ laplace(0, 1)\n{body}\ny ~ discrete_laplace(0, 1)\n\
             return if s > u then y else 0\nneighbours any\nclaim 1\n"
        )
    };
    let refused = [
        // Squares of squares: of a number of the text, of an input, of one below 1, of a sum.
        "s = 2\nfor i in 0..64 {\ns = s * s\n}",
        "s = x\nfor i in 0..64 {\ns = s * s\n}\ns = clamp(s, 0, 1)",
        "s = 1 / 2\nfor i in 0..64 {\ns = s * s\n}",
        "s = 0\nfor i in 0..length(q) {\ns = s + q[i]\n}\ns = clamp(s, 0, 1)\nfor i in 0..64 {\ns = s * s\n}",
        "s = x\nfor i in 0..20 {\nt = s * x\ns = t * s\n}\ns = clamp(s, 0, 1)",
        // Powers that grow with a list, and loops that grow too long.
        "s = 1\nfor i in 0..length(q) {\ns = 2 * s\n}\ns = clamp(s, 0, 1)",
        "s = 1\nfor i in 0..length(k) {\ns = s + s\n}\ns = clamp(s, 0, 1)",
        "s = 1\nt = 1\nfor i in 0..length(k) {\ns = s + t\nt = t + s\n}\ns = clamp(s, 0, 1)",
        "s = 1\nfor i in 0..1000000 {\ns = 2 * s\n}\ns = clamp(s, 0, 1)",
        "s = 1\nwhile s < x {\nb ~ bernoulli(1 / 2)\ns = 2 * s\n}",
        // Exponentials of what has no bound.
        "s = clamp(exp(x), 0, 1)",
        "s = exp(exp(exp(5)))",
        "s = exp(exp(exp(u)))",
        // Products of noise with many digits on both sides of the point.
        "s = u * z * z * z * z * z * z * z * z * z * z * z * z * z * z",
        "s = 1\nfor i in 0..length(q) {\ns = s + u * q[i]\n}",
        "s = 0\nfor i in 0..length(q) {\ns = s + q[i]\n}\ns = 1 / s",
    ];
    for body in refused {
        let error = Proved::load(&text(body)).unwrap().unproved_with(&[]).map(drop).unwrap_err();
        assert!(matches!(error, RunError::TooLarge { .. }), "{body}: {error}");
        assert!(!error.tells_of_inputs());
    }
    let running = [
        "s = 2\nfor i in 0..10 {\ns = s * s\n}",
        "s = clamp(x, -10, 10)\nfor i in 0..5 {\ns = s * s\n}",
        "s = x\nfor i in 0..1000000 {\ns = clamp(s * s, -10, 10)\n}\ns = u",
        "s = 0\nfor i in 0..length(q) {\ns = s + q[i]\n}",
        "s = 0\nfor i in 0..length(k) {\ns = if k[i] > 0 then s + k[i] * k[i] else max(s - 1, 0)\n}\ns = u * s",
        "s = 0\nfor i in 0..length(q) {\nw ~ laplace(q[i], 1 / 3)\ns = s + w\n}",
        "s = exp(u) * exp(-u / 2)",
        "s = exp(clamp(x, 0, 10))",
        "s = u * x * z",
        "s = 1\nwhile s < 3 {\nb ~ bernoulli(1 / 2)\ns = if b then 3 else s\n}",
    ];
    for body in running {
        if let Err(error) = Proved::load(&text(body)).unwrap().unproved_with(&[]) {
            panic!("{body}: {error}");
        }
    }
}

/// Neighbouring tables with a proof: the same verdict, the same words.
#[test]
fn a_proved_text_says_the_same_of_neighbouring_tables() {
    let text = format!(
        "mechanism m(people: rows(age: int))\nz = sqrt(2)\n\
         m ~ discrete_laplace(count(r in people where z * z > r.age), 1)\n{END}"
    );
    let said = |rows: &[&str]| {
        let text = Proved::load(&text).unwrap().with_table("people", table("age", rows));
        text.with(&[]).map(drop).unwrap_err()
    };
    let (two, none) = (said(&["41", "2", "77"]), said(&["41", "77"]));
    assert_eq!(two, none);
    assert!(matches!(two, RunError::Refused { .. }), "{two}");
    assert_eq!(two, said(&[]));
}

/// A list so long that a run may take more than there is, for some entries, is refused for all of that length, and a shorter one is not.
#[test]
fn lists_that_may_take_too_much() {
    let text = "mechanism m(q: real[], x: real)\nd = []\nfor i in 0..length(q) {\nfor j in 0..1000000 {\nif q[i] > 5 {\nappend(d, true)\n}\n}\n}\n\
                y ~ sign()\nreturn y\nneighbours any\nclaim 1";
    let unproved = Proved::load(text).unwrap().unproved_with(&[]).unwrap();
    let prepared = |entry: i64, length: usize| {
        let list = Given::numbers(vec![Rational::from(entry); length]);
        unproved.prepare(&Inputs::new().with("q", list).with("x", Given::Number(Rational::ZERO))).map(drop)
    };
    for entry in [0, 9] {
        assert_eq!(prepared(entry, 2), Ok(()));
        assert!(matches!(prepared(entry, 40), Err(RunError::TooMuch { turns: None, .. })), "{entry}");
    }
}
