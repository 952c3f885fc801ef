//! Several records one after the other: replacement in samples, groups, and what holds at δ = 0.

mod common;

use common::{laws, number, question};
use probity_account::{Adjacency, Bracket, Effort, account};
use probity_exact::directed::{exp_nearest, ln_nearest};

fn asked(text: &str, adjacency: Adjacency, kind: &str, at: &str) -> Bracket {
    let effort = Effort { width: 1e-2, seconds: 20.0, ..Effort::default() };
    account(&laws(text), adjacency, &question(kind, at), &effort).unwrap().bracket
}

fn upper(bracket: &Bracket) -> f64 {
    bracket.upper.as_ref().unwrap().to_f64().value()
}

#[test]
fn replacement_in_a_sample_has_a_useful_bound() {
    // By hand: q·((1 − b)·H_y(near) + b·H_y(far)) with y = 6.127 and b = 0.1716 is 8.8e-4.
    let one = asked("poisson(1/100, gaussian(1))", Adjacency::Replace, "epsilon", "0.05");
    assert!((8.7e-4..8.9e-4).contains(&upper(&one)) && one.lower > number("4e-4"), "{one:?}");
    // Two steps of adding or removing.
    let many = asked("poisson(1/100, gaussian(1)) * 1000", Adjacency::Replace, "delta", "1e-5");
    assert!((2.8..4.5).contains(&upper(&many)) && many.lower > number("2.8"), "{many:?}");
}

/// δ at ε for (1 − q)N + qA against (1 − q)N + qB with Laplace noise around 0, 1 and −1, by a sum in doubles.
fn replaced_laplace(q: f64, scale: f64, epsilon: f64) -> f64 {
    let density = |x: f64, centre: f64| exp_nearest(-(x - centre).abs() / scale) / (2.0 * scale);
    let step = 1e-3;
    let at = |k: i32| {
        let x = (f64::from(k) + 0.5) * step;
        let rest = (1.0 - q) * density(x, 0.0);
        let (p, r) = (rest + q * density(x, 1.0), rest + q * density(x, -1.0));
        (p - exp_nearest(epsilon) * r).max(0.0) * step
    };
    (-40_000..40_000).map(at).sum()
}

#[test]
fn samples_of_laplace_noise_are_answered() {
    for (q, text, epsilon) in [
        (0.01, "poisson(1/100, laplace(1))", "0.005"),
        (0.1, "poisson(1/10, laplace(1))", "0.1"),
        (0.5, "poisson(1/2, laplace(1))", "0.3"),
    ] {
        let found = asked(text, Adjacency::Replace, "epsilon", epsilon);
        let truth = replaced_laplace(q, 1.0, number(epsilon).to_f64().value());
        assert!(
            truth > 1e-4 && upper(&found) >= truth && upper(&found) <= 6.0 * truth,
            "{text}: {found:?} {truth}"
        );
    }
    let many = asked("poisson(1/100, discrete_laplace(2)) * 50", Adjacency::Replace, "delta", "1e-6");
    assert!(upper(&many) < 1.0, "{many:?}");
}

#[test]
fn groups_of_samples_have_a_useful_bound() {
    let found = asked("group(2, poisson(1/100, gaussian(1)) * 100)", Adjacency::AddRemove, "delta", "1e-5");
    assert!((1.2..1.75).contains(&upper(&found)), "{found:?}");
    // Two records at once cannot lose less than one.
    let one = asked("poisson(1/100, gaussian(1)) * 100", Adjacency::AddRemove, "delta", "1e-5");
    assert!(upper(&found) > one.lower.to_f64().value());
}

#[test]
fn bounded_losses_have_an_epsilon_at_delta_0() {
    for (text, truth) in [
        ("response(3, 0.9)", ln_nearest(18.0)),
        ("poisson(1/2, pure(1))", ln_nearest(1.0 + (exp_nearest(1.0) - 1.0) / 2.0)),
        ("poisson(1/2, laplace(1)) * 3", 3.0 * ln_nearest(1.0 + (exp_nearest(1.0) - 1.0) / 2.0)),
    ] {
        let found = upper(&asked(text, Adjacency::AddRemove, "delta", "0"));
        assert!(found >= truth - 1e-12 && found <= truth + 1e-9, "{text}: {found} {truth}");
    }
}
