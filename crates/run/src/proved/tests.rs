//! How much memory runs take, which only the inside of a session says.

use super::*;
use crate::table::Cell;
use probity_kernel::expr::{Expr, Name};
use probity_kernel::term::Statement;
use probity_noise::entropy::tape;

/// What a run leaves behind is what the next one starts with: a hundred times as many runs take no more room, but for the one that
/// needed the most trials.
#[test]
fn memory_does_not_grow_with_runs() {
    let loops = "mechanism m(q: real[])\nout = []\ns = 0\nfor i in 0..length(q) {\ny ~ laplace(q[i], 1)\ns = s + y\n\
                 append(out, s > 1/3)\n}\nreturn out\nneighbours one entry of q differs by at most 1\nclaim 1";
    let real = "mechanism m(q: real[])\ny ~ gaussian(q[0] / 3, 1)\nreturn y\nneighbours any\nclaim 1";
    let whole =
        "mechanism m(q: real[])\ny ~ discrete_gaussian(0, 7/3)\nreturn y mod 5\nneighbours any\nclaim 1";
    for (text, grid) in [(loops, None), (real, Some(Rational::ONE / Rational::from(3))), (whole, None)] {
        let mut runnable = Proved::load(text).unwrap().unproved_with(&[]).unwrap();
        if let Some(grid) = grid {
            runnable = runnable.on_grid(grid).unwrap();
        }
        let mut session = runnable.prepare(&"q=[1/3, 1, 7, 0.1]".parse().unwrap()).unwrap();
        let mut words = tape::Tape::seeded(3);
        session.runs_on_tape(300, &mut words, |_| true).unwrap();
        let room = session.machine.tape.room();
        session.runs_on_tape(30_000, &mut words, |_| true).unwrap();
        let now = session.machine.tape.room();
        assert!(now.iter().zip(room).all(|(now, then)| *now <= 4 * then.max(16)), "{text}: {room:?} {now:?}");
    }
}

/// No run takes more than is said from the text, whatever its inputs are.
#[test]
fn runs_take_what_is_said_of_them() {
    let ops = "a = x / 3 + q[i] * x - 1/7\nb = round_to(a, 1/10) + floor(x) mod 7\nc = clamp(a, x, b) + abs(b) * max(x, a)\n\
               e = if x > 5 then x / 7 + 1 else 0\nh = sqrt(abs(x)) + ln(x) + exp(clamp(x, 0, 1)) + pow2_at_least(x)";
    let draws = "a ~ laplace(x / 3, 1)\nb ~ gaussian(x, 2)\nc ~ exponential(3)\ne ~ discrete_laplace(k, 1/3)\n\
                 h ~ discrete_gaussian(k, 5/2)\nu ~ uniform(0, 1)\nj ~ uniform_int(0, abs(k))\nt ~ bernoulli(1/3)\n\
                 g ~ geometric(2)\nr ~ response(2, 1/3, 5)\nw ~ sign()\nv ~ choose(q, 1)";
    let lists = "append(d, x / 3 + i)\nif x > 5 {\nappend(d, i)\n}";
    for inside in [ops, draws, lists] {
        let text = format!(
            "mechanism m(x: real, k: int, q: real[])\nd = []\nfor i in 0..40 {{\n{inside}\n}}\nreturn length(d)\nneighbours any\nclaim 1"
        );
        let unproved = Proved::load(&text)
            .unwrap_or_else(|e| panic!("{e:?}"))
            .unproved_with(&[])
            .unwrap_or_else(|e| panic!("{e}"));
        for (x, k) in [("0", "3"), ("1e300", "-4"), ("1/3", "10000000000000000000000"), ("-7/1000003", "1")] {
            let inputs = Inputs::new().with("x", x.parse().unwrap()).with("k", k.parse().unwrap());
            let inputs = inputs.with("q", "[1/3, 1e300, 0, 5, -2]".parse().unwrap());
            let mut session = unproved.prepare(&inputs).unwrap();
            let before = session.machine.bytes();
            session.runs_on_tape(1, &mut tape::Tape::seeded(3), |_| true).unwrap();
            let taken = (session.machine.bytes() - before) as u64;
            let length = |name: &Name| inputs.length(name.as_str());
            let said = most::bytes(&unproved.runnable.running, &length);
            assert!(taken <= said && said <= 64 * taken, "{inside} {x} {k}: {taken} {said}");
        }
    }
}

/// Sums over rows leave as much for many rows as for few, and what is said of them; the numbers are those of the text.
#[test]
fn rows_take_no_more_for_being_many() {
    // Noise of a millionth around 3 and 2, so that comparisons with fractions are known; n is an integer.
    let near = "n ~ discrete_laplace(3, 1/1000)\ny ~ laplace(2, 1/1000000000000)\nz ~ laplace(1/2, 1/1000000000000)\n";
    // What a row adds; and what it adds by a formula, for ages from 0 to 9 and y = 2, n = 3, z = 1/2.
    type Known = (&'static str, fn(f64) -> f64, bool);
    let known: [Known; 16] = [
        ("count(r in people where r.age > y + z)", |a| f64::from(a > 2.5), true),
        (
            "sum(r in people where r.age > y + z, clamp(r.age, 0, 7) / 3)",
            |a| if a > 2.5 { a.min(7.0) / 3.0 } else { 0.0 },
            true,
        ),
        ("sum(r in people, r.age * y - r.age / 7)", |a| a * 2.0 - a / 7.0, true),
        ("sum(r in people, clamp(r.age - y, -1/2, z))", |a| (a - 2.0).clamp(-0.5, 0.5), true),
        (
            "sum(r in people, max(r.age / 3 - y, z * 2) + min(y, r.age + z))",
            |a| (a / 3.0 - 2.0).max(1.0) + (a + 0.5).min(2.0),
            true,
        ),
        ("sum(r in people, r.age / n)", |a| a / 3.0, true),
        ("sum(r in people, r.age mod n / 3)", |a| a % 3.0 / 3.0, true),
        (
            "sum(r in people, round_to(r.age, n) - round_to(1 / (r.age + 1/3), 1/1000))",
            |a| 3.0 * (a / 3.0).round_ties_even() - (1000.0 / (a + 1.0 / 3.0)).round_ties_even() / 1000.0,
            true,
        ),
        (
            "sum(r in people where r.age / 3 > z, floor(r.age * y + 1/2))",
            |a| if a > 1.5 { 2.0 * a } else { 0.0 },
            true,
        ),
        (
            "sum(r in people, (if r.age > y + z then 1/3 else r.age) + abs(r.age - y - z))",
            |a| (if a > 2.5 { 1.0 / 3.0 } else { a }) + (a - 2.5).abs(),
            true,
        ),
        (
            "sum(r in people, -(r.age * 2 / 3) * (r.age + 1/3) * y)",
            |a| -(a * 2.0 / 3.0) * (a + 1.0 / 3.0) * 2.0,
            true,
        ),
        ("sum(r in people, (r.income + y) / 3)", |a| (a / 10.0 + 2.0) / 3.0, true),
        ("sum(r in people, r.income * r.income * n)", |a| a * a / 100.0 * 3.0, true),
        // What grows with the rows: powers and exponentials of what was drawn, and divisors of each row's own.
        ("sum(r in people, r.age * y * z)", |a| a, false),
        (
            "sum(r in people, exp(clamp(r.age - 2 * y, 0, 1)))",
            |a| probity_exact::directed::exp_up((a - 4.0).clamp(0.0, 1.0)),
            false,
        ),
        (
            "sum(r in people where r.age > y + z, 1 / clamp(r.age, 1, 9))",
            |a| if a > 2.5 { 1.0 / a } else { 0.0 },
            false,
        ),
    ];
    for (sum, adds, is_bounded) in known {
        // Divisors that multiply from turn to turn would be refused.
        let turns = if sum.contains("/ n") || sum.contains("1 / clamp") { 1 } else { 3 };
        let body = match turns {
            1 => format!("s = {sum}\n"),
            _ => format!("s = 0\nfor i in 0..{turns} {{\ns = s + {sum}\n}}\n"),
        };
        let text = format!(
            "mechanism m(people: rows(age: int, income: real))\n{near}{body}return floor(1000 * s)\n\
             neighbours one row of people is added or removed\nclaim 1\n"
        );
        let mut taken = Vec::new();
        for rows in [10, 100, 3000] {
            let header = ["age", "income"].map(str::to_owned).to_vec();
            let row = |i: usize| vec![Cell::Text((i % 10).to_string()), Cell::Text(format!("0.{}", i % 10))];
            let table = Table { header, rows: (0..rows).map(row).collect() };
            let unproved = Proved::load(&text).unwrap().with_table("people", table).unproved_with(&[]);
            let unproved = unproved.unwrap_or_else(|error| panic!("{sum}: {error}"));
            assert_eq!(unproved.runnable.may_run_out, !is_bounded, "{sum}");
            let mut session = unproved.prepare(&Inputs::new()).unwrap();
            let before = session.machine.bytes();
            let mut answer = None;
            session
                .runs_on_tape(1, &mut tape::Tape::seeded(7), |value| answer.replace(value).is_none())
                .unwrap();
            taken.push(session.machine.bytes() - before);
            let expected = (turns * rows / 10) as f64 * (0..10).map(|age| adds(f64::from(age))).sum::<f64>();
            let Some(Value::Number(found)) = answer else { panic!("{sum}: no number") };
            let found = probity_exact::directed::cast_down(&found.to_rational()) / 1000.0;
            assert!((found - expected).abs() < 2e-3, "{sum}, {rows} rows: {found} and not {expected}");
            if is_bounded {
                let said = most::bytes(&unproved.runnable.running, &|_| None);
                assert!(taken.last().is_some_and(|taken| *taken as u64 <= said), "{sum}: {taken:?} {said}");
                // And a run that may take that much does.
                session.machine.allow(said as usize);
                session.runs_on_tape(1, &mut tape::Tape::seeded(1), |_| true).unwrap();
            }
        }
        // A comparison may have left a word of a draw. What the digits of long divisors take is not on the tape.
        let is_flat = is_bounded || sum.contains("1 / clamp");
        assert_eq!(taken[2] <= taken[0] + 1000, is_flat, "{sum}: {taken:?}");
    }
}

/// A sum over many rows fits into little room while it is computed, and so do the coins of a sample, also where doubles decide none of them.
#[test]
fn rows_fit_into_little_room() {
    let text = |body: &str| {
        format!(
            "mechanism m(people: rows(age: int))\ny ~ laplace(2, 1/1000)\n{body}return b\nneighbours one row of people is added or removed\nclaim 1\n"
        )
    };
    let row = |i: usize| vec![Cell::Text((i % 10).to_string())];
    let table = Table { header: vec!["age".to_owned()], rows: (0..20_000).map(row).collect() };
    let session = |body: &str, bytes: usize| {
        let unproved = Proved::load(&text(body)).unwrap().with_table("people", table.clone());
        let mut session = unproved.unproved_with(&[]).unwrap().prepare(&Inputs::new()).unwrap();
        session.machine.allow(bytes);
        session
    };
    let sum = "b = sum(r in people where r.age > y, r.age * y / 3) > 0\n";
    session(sum, 200_000).runs_on_tape(1, &mut tape::Tape::seeded(3), |_| true).unwrap();
    let sample = "s ~ sample(people, 1/3)\nb = count(r in s) > 6000\n";
    // The coins of 20,000 rows would be 1.3 MB as entries of lists, and more as draws.
    session(sample, 200_000).run_exactly(&mut tape::Tape::seeded(3)).unwrap();
}

/// Lists that are copied, as a call may do, count each by itself.
#[test]
fn copies_count() {
    let text = "mechanism m(n: int)\nout = []\nfor i in 0..n {\nappend(out, 1)\n}\nreturn length(out)\nneighbours any\nclaim 1";
    let mut program = probity_lang::load_text(text).unwrap();
    for copy in ["a", "b", "c", "a"] {
        let value = Expr::var(Name::new("out"));
        program.mechanism.body.push(Statement::Assign { var: Name::new(copy), value });
    }
    let unproved = Text::of(program).unproved_with(&[]).unwrap();
    for (n, ends) in [(200, true), (251, false)] {
        let mut session = unproved.prepare(&format!("n={n}").parse().unwrap()).unwrap();
        session.machine.allow(64_000);
        let result = session.runs_on_tape(3, &mut tape::Tape::seeded(3), |_| true);
        assert_eq!(result.is_ok(), ends, "{n}: {result:?}");
    }
}

/// A run that would take more memory than there is ends with an error: one with many draws, and one with a long list, or many lists.
#[test]
fn what_is_longer_than_a_machine_ends() {
    let draws = "mechanism m(n: int)\ns = 0\nfor i in 0..n {\ny ~ laplace(0, 1)\ns = s + y\n}\nreturn s > 0\n\
                 neighbours any\nclaim 1";
    let list = "mechanism m(n: int)\nout = []\nfor i in 0..n {\nappend(out, 1)\n}\nreturn out\nneighbours any\nclaim 1";
    let truths = "mechanism m(n: int)\nout = []\nfor i in 0..n {\nappend(out, true)\n}\nreturn out\nneighbours any\nclaim 1";
    let anew = "mechanism m(n: int)\nout = []\nfor i in 0..n {\nappend(out, 1)\n}\nout = []\nmore = []\nfor i in 0..n {\nappend(more, 1)\n}\n\
                return length(more)\nneighbours any\nclaim 1";
    for (text, fits) in [(draws, 500), (list, 1000), (truths, 1000), (anew, 1000)] {
        let unproved = Proved::load(text).unwrap().unproved_with(&[]).unwrap();
        for (n, ends) in [(fits, true), (if text == draws { 1000 } else { fits + 1 }, false)] {
            let inputs = Inputs::new().with("n", Given::Number(Rational::from(n)));
            let mut session = unproved.prepare(&inputs).unwrap();
            session.machine.allow(64_000);
            // What the last run left does not count in the next one.
            let result = session.runs_on_tape(3, &mut tape::Tape::seeded(3), |_| true);
            match ends {
                true => assert_eq!(result, Ok(()), "{text}"),
                false => assert!(matches!(result, Err(RunError::TooLong { .. })), "{text}: {result:?}"),
            }
            // How far a run came that ended in its middle would tell of its inputs, also where all others draw alike.
            assert_eq!(session.draws(), (text != draws && ends).then_some(0), "{text}");
        }
    }
}
