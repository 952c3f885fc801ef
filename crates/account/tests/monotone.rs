//! Answers are monotone in every parameter of every law, in the number of copies and in what is asked.

use crate::common;

use common::{ask, laws, question, tried};
use probity_account::{Adjacency, Bracket, Effort, account};
use probity_exact::Rational;
use probity_exact::directed::{exp_nearest, ln_nearest};

fn effort() -> Effort {
    Effort { width: 1e-2, ..Effort::default() }
}

fn rises(text: &str, values: &[&str], adjacency: Adjacency) {
    for (what, value) in [("delta", "1e-4"), ("epsilon", "1/5")] {
        let mut last: Option<Bracket> = None;
        for s in values {
            let laws = laws(&text.replace('S', s));
            let bracket = account(&laws, adjacency, &question(what, value), &effort()).unwrap().bracket;
            if let Some(last) = last {
                assert!(last.lower <= bracket.lower, "{text} {s} {what}");
                // No bound is the largest.
                let above = match (&last.upper, &bracket.upper) {
                    (_, None) => true,
                    (None, Some(_)) => false,
                    (Some(a), Some(b)) => a <= b,
                };
                assert!(above, "{text} {s} {what}");
            }
            last = Some(bracket);
        }
    }
}

#[test]
fn in_every_parameter() {
    let rising: [(&str, &[&str]); 24] = [
        ("gaussian(S) * 30", &["20", "19", "10", "5"]),
        ("gaussian(20, sensitivity = S) * 30", &["1", "3/2", "4"]),
        ("laplace(S) * 5 + pure(1/10)", &["30", "20", "19"]),
        ("laplace(20, sensitivity = S) * 5", &["1", "2", "3"]),
        ("discrete_laplace(S) * 9", &["30", "20", "19"]),
        ("discrete_laplace(S, sensitivity = 2) * 3", &["12", "10", "9"]),
        ("discrete_laplace(20, sensitivity = S) * 3", &["1", "2", "3", "7"]),
        ("discrete_gaussian(S) * 3", &["9", "8", "5"]),
        ("discrete_gaussian(9, sensitivity = S) * 3", &["1", "2", "5"]),
        ("response(3, S) * 8", &["40/100", "45/100", "1/2"]),
        ("response(S, 3/4) * 4", &["2", "3", "10"]),
        ("pure(S) * 10", &["1/100", "1/10", "11/100", "1"]),
        ("pure(S) + mu(1/5)", &["1/100", "1/10", "11/100", "1"]),
        ("pure(1/10) * S", &["10", "11", "40"]),
        ("approx(S, 1e-6) * 3 + laplace(9)", &["1/10", "1/9", "1/2"]),
        ("approx(1/10, S) * 3", &["0", "1e-9", "1e-6", "1e-3"]),
        ("rho(S) + pure(1/10)", &["1/1000", "1/500", "1/20"]),
        ("rho(S)", &["1/1000", "1/500", "1/20"]),
        ("mu(S) + laplace(9)", &["1/100", "1/9", "1/2"]),
        ("poisson(S, laplace(4)) * 6", &["1/10", "2/10", "21/100", "1"]),
        ("poisson(1/5, gaussian(S)) * 6", &["6", "5", "3"]),
        ("poisson(1/5, gaussian(4)) * S", &["1", "3"]),
        ("group(S, laplace(20) * 3)", &["1", "2", "5"]),
        ("group(S, poisson(1/10, laplace(20)))", &["1", "2"]),
    ];
    for (text, values) in tried(rising) {
        rises(text, values, Adjacency::AddRemove);
    }
    for text in ["gaussian(20, sensitivity = S) * 30", "poisson(1/5, gaussian(6, sensitivity = S)) * 2"] {
        rises(text, &["1", "2"], Adjacency::Replace);
    }
}

#[test]
fn in_what_is_asked() {
    for text in
        ["laplace(5) * 4 + mu(1/5)", "gaussian(3)", "pure(1/10) * 40", "poisson(1/10, gaussian(2)) * 3"]
    {
        for (what, values) in
            [("delta", ["1e-3", "1e-6", "1e-20", "1e-30"]), ("epsilon", ["2", "1", "1/2", "0"])]
        {
            let answers = values.map(|value| ask(text, what, value, &effort()).bracket);
            for pair in answers.windows(2) {
                assert!(
                    pair[0].lower <= pair[1].lower && pair[0].upper <= pair[1].upper,
                    "{text} {what} {pair:?}"
                );
            }
        }
    }
}

/// Parameters that are nearer to each other than the brackets are wide: the brackets never contradict the order of the truths.
#[test]
fn near_parameters_do_not_contradict() {
    let near =
        ["1000000/1000000", "1000001/1000000", "1000010/1000000", "1000100/1000000", "1001000/1000000"];
    for text in [
        "laplace(5/S) * 4 + mu(1/5)",
        "poisson(S/9, gaussian(2)) * 3",
        "discrete_laplace(9/S, sensitivity = 2) * 5",
    ] {
        let answers =
            near.map(|s| ask(&text.replace('S', &format!("({s})")), "delta", "1e-5", &effort()).bracket);
        for (k, low) in answers.iter().enumerate() {
            for high in &answers[k..] {
                assert!(low.lower <= high.upper.clone().unwrap(), "{text}");
            }
        }
        assert!(answers[0].upper.clone().unwrap() > Rational::ZERO);
    }
}

/// Numbers that a seed gives.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Between the two, by size.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low * exp_nearest(self.next() * ln_nearest(high / low))
    }
}

/// Every law with each of its parameters: the parameter is S, and lies between the two; losses grow with it, or fall.
const LAWS: [(&str, f64, f64, bool); 21] = [
    ("gaussian(S)", 0.3, 30.0, false),
    ("gaussian(5, sensitivity = S)", 0.1, 10.0, true),
    ("laplace(S)", 0.3, 30.0, false),
    ("laplace(5, sensitivity = S)", 0.1, 10.0, true),
    ("discrete_laplace(S)", 0.5, 30.0, false),
    ("discrete_laplace(S, sensitivity = 3)", 0.5, 30.0, false),
    ("discrete_gaussian(S)", 0.5, 10.0, false),
    ("discrete_gaussian(S, sensitivity = 3)", 1.0, 10.0, false),
    ("response(2, S)", 0.51, 0.98, true),
    ("response(5, S)", 0.21, 0.98, true),
    ("pure(S)", 0.01, 3.0, true),
    ("approx(S, 1e-5)", 0.01, 3.0, true),
    ("approx(1/5, S)", 1e-9, 1e-2, true),
    ("rho(S)", 0.001, 1.0, true),
    ("mu(S)", 0.01, 2.0, true),
    ("poisson(S, gaussian(2))", 0.01, 0.98, true),
    ("poisson(1/5, gaussian(S))", 0.5, 10.0, false),
    ("poisson(S, laplace(2))", 0.01, 0.98, true),
    ("poisson(1/5, discrete_laplace(S, sensitivity = 2))", 0.5, 10.0, false),
    ("poisson(1/3, pure(S))", 0.01, 3.0, true),
    ("group(3, pure(S))", 0.01, 1.0, true),
];

/// Random parameters of every law and random ones beside them, alone and with others: the brackets agree with the order of the truths, and
/// where they are far apart each of their ends does.
#[test]
fn random_neighbouring_parameters_are_in_order() {
    let mut draws = Draws(18);
    let effort = Effort { width: 1e-2, seconds: 20.0, ..Effort::default() };
    for round in 0..2 {
        for (law, low, high, grows) in tried(LAWS) {
            let with = [" * 3", "", " + pure(1/7)", " * 2 + laplace(9)"][(draws.next() * 4.0) as usize];
            let s = draws.between(low, high);
            // Nearer than brackets are wide, or twice as large.
            let more = s * if round == 0 { 1.0 + draws.between(1e-9, 1e-3) } else { 2.0 };
            let (what, value) = [("delta", "1e-4"), ("epsilon", "1/9")][(draws.next() * 2.0) as usize];
            if law.contains("response") && more >= 1.0 || law.starts_with("poisson(S") && more > 1.0 {
                continue;
            }
            let at =
                |s: f64| ask(&(law.replace('S', &format!("{s:.17}")) + with), what, value, &effort).bracket;
            let (first, second) = (at(s), at(more));
            let (less, more) = if grows { (first, second) } else { (second, first) };
            let shown = format!("{law}{with} {s} {what} {less:?} {more:?}");
            assert!(more.upper.as_ref().is_none_or(|upper| less.lower <= *upper), "{shown}");
            if round == 1 {
                assert!(less.lower <= more.lower, "{shown}");
                assert!(more.upper.is_none() || less.upper <= more.upper && less.upper.is_some(), "{shown}");
            }
        }
    }
}
