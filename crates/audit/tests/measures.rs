//! Refutations of claims in ρ and μ: of coins and of normal noise, and how their losses are said.

use std::time::Instant;

use probity_audit::{
    Bounds, Deadline, Given, Law, Outcome, PairReport, Parameters, Refutation, Side, Verdict,
    search_refutation_until,
};
use probity_exact::{Natural, Rational, directed, parse_rational, rational};

/// By the usual rounds, which is less than a second.
fn refutation(text: &str) -> Option<Box<Refutation>> {
    let program = probity_lang::load_text(text).unwrap();
    let (usual, further) = (Deadline::default(), Deadline::at(Some(Instant::now())));
    let (mechanism, claim) = (&program.mechanism, &program.claim);
    match search_refutation_until(mechanism, claim, &Parameters::new(), &usual, &further).unwrap() {
        Verdict::Refuted(found) => Some(found),
        Verdict::NotRefuted { tried, .. } => {
            assert!(tried.events > 0, "nothing was compared: {text}");
            None
        }
    }
}

fn coin(claim: &str) -> Option<Box<Refutation>> {
    refutation(&format!(
        "mechanism m(x: bool)\nb ~ bernoulli(if x then 9 / 10 else 1 / 10)\nreturn b\nneighbours any\nclaim {claim}\n"
    ))
}

#[test]
fn a_coin_tells_in_the_limit_of_the_orders() {
    // D_α/α is largest as α → 1: 4/5·ln 9 = 1.7577….
    let truth = 0.8 * directed::ln_nearest(9.0);
    for claim in ["rho 1.7", "rho 1.757", "rho 1"] {
        let found = coin(claim).unwrap_or_else(|| panic!("open: {claim}"));
        assert!(found.loss <= truth && found.loss > truth - 1e-12, "{claim}: {}", found.loss);
    }
    for claim in ["rho 1.758", "rho 1.76"] {
        assert_eq!(coin(claim), None, "{claim}");
    }
}

#[test]
fn a_mu_is_said_as_a_mu() {
    // Φ⁻¹(9/10) − Φ⁻¹(1/10) = 2.5631031….
    let found = coin("mu 2.5").unwrap();
    assert!((found.loss - 2.563_103_131_089_2).abs() < 1e-12, "{}", found.loss);
    assert_eq!(found.epsilon.to_f64(), 2.5);
    assert_eq!(coin("mu 2.5632"), None);
}

#[test]
fn rows_without_bounds_are_told_from_others() {
    for (value, claim) in [
        ("r.x", "rho 1 / (2 * z * z)"),
        ("r.x", "mu 1 / z"),
        ("(w * r.x - r.y) * r.x", "rho 1 / (2 * z * z)"),
        ("(w * r.x - r.y) * r.x", "mu 1 / z"),
    ] {
        let text = format!(
            "mechanism m(data: rows(x: real, y: real))\nparam w\nparam z > 0\n\
             g ~ gaussian(sum(r in data, {value}), z)\nreturn w - g / 10\n\
             neighbours one row of data is added or removed\nclaim {claim}\n"
        );
        let found = refutation(&text).unwrap_or_else(|| panic!("open: {text}"));
        assert!(found.loss > found.epsilon.to_f64(), "{text}");
        // By rows a few deviations apart: those far out may take much longer, as their probabilities have millions of digits.
        let near = |given: &Given| matches!(given, Given::Number(x) if *x <= Rational::from(10));
        for inputs in [&found.first, &found.second] {
            for given in inputs.values() {
                let Given::Rows(rows) = given else { panic!("no table: {text}") };
                assert!(rows.iter().flatten().all(near), "{text}: {rows:?}");
            }
        }
    }
    // With a clamp the claim is true.
    let text = "mechanism m(data: rows(x: real))\nparam z > 0\ng ~ gaussian(sum(r in data, clamp(r.x, -1, 1)), z)\n\
                return g\nneighbours one row of data is added or removed\nclaim rho 1 / (2 * z * z)\n";
    assert_eq!(refutation(text), None);
}

#[test]
fn an_impossible_output_refutes_every_epsilon() {
    for claim in ["1e308", "1e400"] {
        let plain = format!("mechanism m(x: bool)\nreturn x\nneighbours any\nclaim {claim}\n");
        // What is drawn decides: no run of its own shows it.
        let drawn = format!(
            "mechanism m(x: bool)\nb ~ bernoulli(1 / 2)\nreturn (b and x)\nneighbours any\nclaim {claim}\n"
        );
        for (text, shown) in [(plain, rational(1, 1)), (drawn, rational(1, 2))] {
            let found = refutation(&text).unwrap_or_else(|| panic!("open: {text}"));
            assert_eq!((found.loss, found.shown_delta()), (f64::INFINITY, shown.unwrap()), "{text}");
        }
    }
    // Where everything is possible, no such claim is refuted.
    assert_eq!(coin("1e400"), None);
}

#[test]
fn delta_at_an_epsilon_beyond_all_bounds_is_what_is_impossible() {
    let law = |yes: u8, no: u8, escaped: u8| {
        let outcomes = [(Outcome::Bool(true), yes.into()), (Outcome::Bool(false), no.into())];
        Law::exact(Natural::from(4u8), outcomes, escaped.into())
    };
    let huge = parse_rational("1e400").unwrap();
    let delta = |a: &Law, b: &Law| PairReport::new(a, b).divergence(&huge, Side::First);
    let exactly = |n: i64| Bounds { low: rational(n, 4).unwrap(), high: rational(n, 4).unwrap() };
    assert_eq!(delta(&law(3, 1, 0), &law(0, 4, 0)), exactly(3));
    assert_eq!(delta(&law(3, 1, 0), &law(1, 3, 0)), exactly(0));
    // What escaped on the other side may have been the same.
    let vague = delta(&law(3, 1, 0), &law(0, 3, 1));
    assert_eq!((vague.low, vague.high), (rational(0, 1).unwrap(), rational(3, 4).unwrap()));
    let vague = delta(&law(2, 1, 1), &law(0, 4, 0));
    assert_eq!((vague.low, vague.high), (rational(2, 4).unwrap(), rational(3, 4).unwrap()));
}
