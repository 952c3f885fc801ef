//! Runs beside the samplers of `noise`, where both have the law: two samples of one law, from different seeds.

use std::collections::BTreeMap;

use probity_exact::{Rational, rational};
use probity_noise::entropy::tape::Tape;
use probity_noise::sampler::{DiscreteGaussian, DiscreteLaplace, Sampler, Scale, SquaredScale};
use probity_run::{Inputs, Proved, Value};

const RUNS: u64 = 100_000;

/// How often each value came up, beyond ±9 in one cell.
type Counts = BTreeMap<i64, u64>;

fn cell(value: i64) -> i64 {
    value.clamp(-9, 9)
}

fn runs(law: &str) -> Counts {
    let text = format!("mechanism m(x: int)\ny ~ {law}\nreturn y\nneighbours abs(x' - x) <= 1\nclaim 1");
    let runnable = Proved::load(&text).unwrap().unproved_with(&[]).unwrap();
    let inputs: Inputs = "x=0".parse().unwrap();
    let mut session = runnable.prepare(&inputs).unwrap();
    let mut counts = Counts::new();
    let count = |value: Value| {
        let Value::Number(value) = value else { panic!("no number") };
        *counts.entry(cell(i64::try_from(&value.to_rational().floor()).unwrap())).or_default() += 1;
        true
    };
    session.runs_on_tape(RUNS, &mut Tape::seeded(11), count).unwrap();
    counts
}

fn samples<S: Sampler<Value = i64>>(sampler: &S) -> Counts {
    let mut words = Tape::seeded(12);
    let mut counts = Counts::new();
    for _ in 0..RUNS {
        *counts.entry(cell(sampler.sample(&mut words).unwrap())).or_default() += 1;
    }
    counts
}

/// Σ (a − b)²/(a + b), which has a χ² law with at most 18 degrees of freedom if both laws are one: above 63 once in a million times.
fn apart(a: &Counts, b: &Counts) -> f64 {
    (-9..=9)
        .map(|value| {
            let [a, b] = [a, b].map(|counts| counts.get(&value).copied().unwrap_or(0) as f64);
            if a + b == 0.0 { 0.0 } else { (a - b) * (a - b) / (a + b) }
        })
        .sum()
}

#[test]
fn runs_and_samplers_have_one_law() {
    let scale = |n: i64, d: i64| rational(n, d).unwrap();
    let laplace = |scale: Rational| DiscreteLaplace::new(Scale::new(scale).unwrap()).unwrap();
    let gaussian = |deviation: Rational| {
        DiscreteGaussian::new(SquaredScale::new(&deviation * &deviation).unwrap()).unwrap()
    };
    let (run, drawn) = (runs("discrete_laplace(x, 7/3)"), samples(&laplace(scale(7, 3))));
    assert!(apart(&run, &drawn) < 63.0, "{}", apart(&run, &drawn));
    // A scale that is off by 5 % is seen.
    let off = samples(&laplace(scale(49, 20)));
    assert!(apart(&run, &off) > 63.0, "{}", apart(&run, &off));
    for (text, deviation) in [("5/2", scale(5, 2)), ("20", scale(20, 1)), ("1/3", scale(1, 3))] {
        let (run, drawn) = (runs(&format!("discrete_gaussian(x, {text})")), samples(&gaussian(deviation)));
        assert!(apart(&run, &drawn) < 63.0, "{text}: {}", apart(&run, &drawn));
    }
}
