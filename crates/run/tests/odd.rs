//! Odd texts against laws that are worked out here by hand, and numbers at the edges of what an input may be.

use crate::common;

use std::collections::BTreeMap;

use common::{Case, counted, g_test};
use probity_audit::Outcome;
use probity_exact::Rational;
use probity_exact::directed::exp_nearest;
use probity_noise::entropy::tape::Tape;
use probity_run::{Given, Inputs, Proved, RunError, Value};

fn text(body: &str) -> String {
    format!("mechanism m(x: real)\n{body}\nneighbours abs(x' - x) <= 1\nclaim 1")
}

/// P(S > t) for t ≥ 0 and S the sum of two Laplace draws of scale 1.
fn tail_of_two(t: f64) -> f64 {
    exp_nearest(-t) * (2.0 + t) / 4.0
}

fn truth(p: f64) -> Vec<(Outcome, f64)> {
    vec![(Outcome::Bool(true), p), (Outcome::Bool(false), 1.0 - p)]
}

fn numbers(law: &[(i64, f64)]) -> Vec<(Outcome, f64)> {
    law.iter().map(|(value, p)| (Outcome::Number(Rational::from(*value)), *p)).collect()
}

/// P(Y = y) of discrete Laplace noise.
fn two_sided(y: i64, scale: f64) -> f64 {
    let q = exp_nearest(-1.0 / scale);
    (1.0 - q) / (1.0 + q) * q.powi(y.unsigned_abs() as i32)
}

#[test]
fn odd_texts_have_the_laws_worked_out_by_hand() {
    let e = exp_nearest(-1.0);
    // Scale n + 1 for a geometric n.
    let mixed =
        |y: i64| -> f64 { (0..400).map(|n| (1.0 - e) * e.powi(n) * two_sided(y, f64::from(n) + 1.0)).sum() };
    let weights = [1.0, exp_nearest(1.0), exp_nearest(2.0)];
    let all: f64 = weights.iter().sum();
    let binomial = [16.0 / 81.0, 32.0 / 81.0, 24.0 / 81.0, 8.0 / 81.0, 1.0 / 81.0];
    let cases: Vec<(&str, Vec<(Outcome, f64)>)> = vec![
        // Draws as parameters of draws.
        ("y ~ laplace(x, 1)\nz ~ laplace(y, 1)\nreturn z > 1", truth(tail_of_two(1.0))),
        (
            "n ~ geometric(1)\ny ~ discrete_laplace(0, n + 1)\nreturn clamp(y, -1, 1)",
            numbers(&[(0, mixed(0)), (-1, (1.0 - mixed(0)) / 2.0), (1, (1.0 - mixed(0)) / 2.0)]),
        ),
        ("u ~ uniform(0, 1)\nb ~ bernoulli(u)\nc ~ bernoulli(u)\nreturn b and c", truth(1.0 / 3.0)),
        (
            "n ~ uniform_int(0, 2)\nm ~ uniform_int(0, n)\nreturn m",
            numbers(&[(0, 11.0 / 18.0), (1, 5.0 / 18.0), (2, 1.0 / 9.0)]),
        ),
        ("s ~ exponential(1)\ny ~ exponential(s)\nz ~ exponential(s)\nreturn y > z", truth(0.5)),
        // A loop that ends by a draw; one whose number of draws is drawn.
        (
            "b = true\nn = 0\nwhile b {\nb ~ bernoulli(1/3)\nn = n + 1\n}\nreturn min(n, 3)",
            numbers(&[(1, 2.0 / 3.0), (2, 2.0 / 9.0), (3, 1.0 / 9.0)]),
        ),
        (
            "n ~ uniform_int(1, 2)\ns = x\nfor i in 0..n {\ny ~ laplace(0, 1)\ns = s + y\n}\nreturn s > 1",
            truth(e / 4.0 + tail_of_two(1.0) / 2.0),
        ),
        // Lists of draws; the largest of three alike is any of them.
        (
            "q = []\nfor i in 0..3 {\ny ~ gaussian(x, 1/3)\nappend(q, y)\n}\nbest = 0\nfor i in 0..length(q) {\n\
             if q[i] > q[best] {\nbest = i\n}\n}\nreturn best",
            numbers(&[(0, 1.0 / 3.0), (1, 1.0 / 3.0), (2, 1.0 / 3.0)]),
        ),
        // Equal polynomials, and one that is equal on one side of a branch only.
        ("y ~ laplace(x, 1)\nz ~ gaussian(x, 1)\nreturn (y + z) * (y - z) > y * y - z * z", truth(0.0)),
        ("y ~ laplace(x, 1)\nz ~ laplace(x, 1)\nreturn max(y, z) == y", truth(0.5)),
        ("y ~ laplace(x, 1)\nreturn abs(y) + y > 0", truth(0.5)),
        // Integers and reals; scales at the edges.
        (
            "n ~ geometric(1)\ny ~ exponential(1)\nreturn floor(y) == n",
            truth((1.0 - e) * (1.0 - e) / (1.0 - e * e)),
        ),
        ("y ~ laplace(x, 1 / 1152921504606846976)\nreturn y > 1 / 1152921504606846976", truth(e / 2.0)),
        ("y ~ laplace(x, 1152921504606846976)\nreturn y > 1152921504606846976", truth(e / 2.0)),
        ("y ~ discrete_laplace(0, 1152921504606846976)\nreturn y mod 2 == 0", truth(0.5)),
        // Clamps at equal bounds, and at bounds the wrong way around.
        ("y ~ laplace(x, 1)\nreturn clamp(y, 1/3, 1/3) == 1/3", truth(1.0)),
        ("y ~ laplace(x, 1)\nreturn clamp(y, 1, 0) == 1", truth(1.0)),
        // Rounded sums.
        (
            "y ~ laplace(x, 1)\nz ~ laplace(0, 1)\nreturn clamp(round_to(y + z, 1), -1, 1)",
            numbers(&[(-1, tail_of_two(0.5)), (0, 1.0 - 2.0 * tail_of_two(0.5)), (1, tail_of_two(0.5))]),
        ),
        // Choices; by scores that are drawn; permute and flip by its coins.
        (
            "q = []\nappend(q, x)\nappend(q, x + 1)\nappend(q, x + 2)\ni ~ choose(q, 1)\nreturn i",
            numbers(&[(0, weights[0] / all), (1, weights[1] / all), (2, weights[2] / all)]),
        ),
        (
            "q = []\nfor j in 0..2 {\ny ~ laplace(x, 1)\nappend(q, y)\n}\ni ~ choose(q, 1/7)\nreturn i",
            numbers(&[(0, 0.5), (1, 0.5)]),
        ),
        (
            "q = []\nappend(q, x)\nappend(q, x + 1)\ni ~ permute_and_flip(q, 1)\nreturn i",
            numbers(&[(0, e / 2.0), (1, 1.0 - e / 2.0)]),
        ),
        // Gumbel noise, by its name and by logarithms: the larger of two is chosen as by weights.
        ("g ~ gumbel(x, 1)\nh ~ gumbel(x + 1, 1)\nreturn h > g", truth(1.0 / (1.0 + e))),
        (
            "u ~ uniform(0, 1)\nw ~ uniform(0, 1)\nreturn x + 1 - ln(-ln(u)) > x - ln(-ln(w))",
            truth(1.0 / (1.0 + e)),
        ),
        // Numbers that no double tells apart: what is drawn is decided without most of them.
        (
            "q = []\nfor j in 0..3 {\nappend(q, 1e300 + x + j)\n}\ni ~ choose(q, 1)\nreturn i",
            numbers(&[(0, weights[0] / all), (1, weights[1] / all), (2, weights[2] / all)]),
        ),
        (
            "y ~ laplace(x + 1e300, 1)\nreturn clamp(floor(y) - 1e300, -1, 1)",
            numbers(&[(-1, 0.5), (0, (1.0 - e) / 2.0), (1, e / 2.0)]),
        ),
        (
            "y ~ laplace(x - 1e300, 1)\nreturn clamp(round_to(y, 2) + 1e300, -2, 2)",
            numbers(&[(-2, e / 2.0), (0, 1.0 - e), (2, e / 2.0)]),
        ),
    ];
    for (number, (body, law)) in cases.into_iter().enumerate() {
        let case = Case::new("odd", text(body), "", &[("x", "0")]);
        let law: BTreeMap<Outcome, f64> = law.into_iter().collect();
        let counts = counted(&mut case.session(), 40_000, number as u64);
        assert!(counts.keys().all(|outcome| law.contains_key(outcome)), "{body}: {counts:?}");
        let (g, limit) = g_test(&counts, &law);
        assert!(g < limit, "{body}: {g} {limit} {counts:?}");
        // The exact stage decides the same from the same words.
        let mut session = case.session();
        for seed in 0..10 {
            let exact = session.run_exactly(&mut Tape::seeded(seed)).unwrap();
            session
                .runs_on_tape(1, &mut Tape::seeded(seed), |value| {
                    assert_eq!(value, exact, "{body}");
                    true
                })
                .unwrap();
        }
    }
    // Samples: a binomial number of rows.
    let sampled = "mechanism m(people: rows(age: int))\ns ~ sample(people, 1/3)\nn = count(r in s where r.age > 0)\nreturn n\n\
                   neighbours one row of people is added or removed\nclaim 1";
    let case = Case::new("sample", sampled.into(), "", &[]).with_table(
        "people",
        &["age"],
        &[&["1"], &["2"], &["1"], &["7"], &["0"]],
    );
    let law: Vec<(i64, f64)> = (0..).zip(binomial).collect();
    let (g, limit) = g_test(&counted(&mut case.session(), 40_000, 5), &numbers(&law).into_iter().collect());
    assert!(g < limit, "{g} {limit}");
}

/// Scores that are so far apart, or so large, that no double tells them apart: a choice among them ends as any other.
#[test]
fn a_choice_ends_however_far_apart_the_scores_are() {
    let library = Proved::load(&common::mechanism("exponential")).unwrap();
    let proved = library.with(&common::settings("eps=1")).unwrap();
    for (scores, possible) in [
        ("scores=[1e300, 1e299]", vec!["0"]),
        ("scores=[1e299, 1e300]", vec!["1"]),
        ("scores=[-1e300, 1e300, 3]", vec!["1"]),
        ("scores=[1e-300, 0, 1e300, -1e300]", vec!["2"]),
        ("scores=[1e300, 1e300]", vec!["0", "1"]),
        // 2^100, and 2^40 or 1 more.
        ("scores=[1267650600228229401496703205376, 1267650600228230501008330983152]", vec!["1"]),
        ("scores=[1267650600228229401496703205377, 1267650600228229401496703205376]", vec!["0", "1"]),
    ] {
        let mut session = proved.prepare(&scores.parse().unwrap()).unwrap();
        let mut seen: Vec<String> = Vec::new();
        session
            .runs_on_tape(20, &mut Tape::seeded(3), |value| {
                seen.push(value.to_string());
                true
            })
            .unwrap_or_else(|error| panic!("{scores}: {error}"));
        seen.sort();
        seen.dedup();
        assert_eq!(seen, possible, "{scores}");
    }
}

/// Scores that might be too large to be known within a scale are refused, whatever they are.
#[test]
fn scores_of_any_size_are_refused() {
    let text = "mechanism m(x: int)\nq = []\ns = x * x * x * x\ns = s * s\ns = s * s\ns = s * s\nappend(q, s)\nappend(q, 0)\ni ~ choose(q, 1)\n\
                return i\nneighbours any\nclaim 1";
    let refused = Proved::load(text).unwrap().unproved_with(&[]);
    assert!(matches!(refused, Err(RunError::TooLarge { .. })), "{refused:?}");
    // Half as long, they are refined.
    let runs = Proved::load(&text.replacen("s = s * s\n", "", 1)).unwrap().unproved_with(&[]).unwrap();
    let long = Rational::from(2).pow(1199);
    let mut session = runs.prepare(&Inputs::new().with("x", Given::Number(long))).unwrap();
    assert_eq!(session.run_exactly(&mut Tape::seeded(1)), Ok(Value::from(Rational::ZERO)));
}
