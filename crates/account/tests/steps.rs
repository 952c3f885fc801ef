//! Several records one after the other: replacement in samples, groups, and what holds at δ = 0.

use crate::common;

use common::{laws, number, question, tried};
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

/// δ·(1 + e^ε + … + e^((k−1)ε)), which is δ·(e^(kε) − 1)/(e^ε − 1), and k·δ at ε = 0.
fn of_a_group(size: i32, epsilon: f64, delta: f64) -> f64 {
    delta * (0..size).map(|k| exp_nearest(f64::from(k) * epsilon)).sum::<f64>()
}

/// The δ of a guarantee in (ε, δ) never fades, however large the loss: a lattice that looked for where it does had millions of
/// points of thousands of bits.
#[test]
fn groups_of_small_guarantees_are_answered() {
    let truth = of_a_group(2, 0.2, 1e-3);
    for epsilon in tried(["2/5", "1/2", "3"]) {
        let found = asked("group(2, approx(1/5, 1/1000))", Adjacency::AddRemove, "epsilon", epsilon);
        assert!((truth..truth * 1.0001).contains(&upper(&found)), "{epsilon}: {found:?} {truth}");
        assert!(found.lower <= number("1/1000") && found.lower > number("0.000999"), "{epsilon}: {found:?}");
    }
    // Below kε more than that is lost.
    let found = asked("group(2, approx(1/5, 1/1000))", Adjacency::AddRemove, "epsilon", "3/10");
    assert!(upper(&found) > 2.0 * truth, "{found:?}");
    let told = asked("group(3, approx(0, 1/100))", Adjacency::AddRemove, "epsilon", "0");
    assert!((0.03..0.030_001).contains(&upper(&told)), "{told:?}");
    let told = asked("group(3, approx(0, 1/100))", Adjacency::AddRemove, "epsilon", "1");
    assert!((0.03..0.030_001).contains(&upper(&told)), "{told:?}");
    let sampled = asked("group(2, poisson(1/10, approx(1/5, 1/1000)))", Adjacency::AddRemove, "epsilon", "1");
    assert!((2e-4..2.1e-4).contains(&upper(&sampled)), "{sampled:?}");
    // Roots of a high degree are taken in another way.
    let truth = of_a_group(20, 0.01, 1e-4);
    let many = asked("group(20, approx(1/100, 1/10000))", Adjacency::AddRemove, "epsilon", "1/5");
    assert!((truth..truth * 1.0001).contains(&upper(&many)), "{many:?} {truth}");
}

/// The same two laws asked in other ways, each of which takes as long.
#[cfg(feature = "exhaustive")]
#[test]
fn groups_of_small_guarantees_are_answered_in_full() {
    let loss = asked("group(2, approx(1/5, 1/1000))", Adjacency::AddRemove, "delta", "1/100");
    assert!(upper(&loss) <= 0.4 && upper(&loss) > 0.35, "{loss:?}");
    let twice = asked("group(2, approx(1/5, 1/1000)) * 2", Adjacency::AddRemove, "epsilon", "4/5");
    let one = of_a_group(2, 0.2, 1e-3);
    let truth = 1.0 - (1.0 - one) * (1.0 - one);
    assert!((truth * 0.999..truth * 1.001).contains(&upper(&twice)), "{twice:?} {truth}");
    let less = asked("group(20, approx(1/100, 1/10000))", Adjacency::AddRemove, "epsilon", "19/100");
    let truth = of_a_group(20, 0.01, 1e-4);
    assert!(upper(&less) > truth * 1.1 && upper(&less) < 0.02, "{less:?}");
}

/// However many records and however narrow: the time that was given is kept.
#[test]
fn groups_keep_their_time() {
    for text in ["group(1000, approx(1/1000, 1/1000000))", "group(7, approx(1/100000, 1/1000)) * 1000"] {
        for (kind, at) in [("epsilon", "1/2"), ("delta", "1/100")] {
            let start = std::time::Instant::now();
            let effort = Effort { width: 1e-12, seconds: 1.0, ..Effort::default() };
            account(&laws(text), Adjacency::AddRemove, &question(kind, at), &effort).unwrap();
            assert!(start.elapsed().as_secs_f64() < 12.0, "{text} {kind}: {:?}", start.elapsed());
        }
    }
}
