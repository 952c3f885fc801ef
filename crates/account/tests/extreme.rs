//! Scales, rates, counts and questions far from 1: the time is kept, and brackets hold.

use crate::common;

use common::{ask, holds, number, tried};
use probity_account::{Answer, Effort};
use probity_exact::directed::exp_nearest;
use probity_exact::rational_from_f64;

/// Not much more than the time that was given, on a machine that others use too.
fn in_time(text: &str, what: &str, value: &str) -> Answer {
    let effort = Effort { seconds: 20.0, ..Effort::default() };
    let answer = ask(text, what, value, &effort);
    assert!(answer.seconds < 22.0, "{text} at {what} = {value}: {} s", answer.seconds);
    let upper = answer.bracket.upper.clone();
    assert!(upper.is_none_or(|upper| answer.bracket.lower <= upper), "{text} {:?}", answer.bracket);
    answer
}

/// Little noise tells nearly all, and what it tells has a closed form: 2·ln(1 − δ) = −0.0000200001, and with integer noise ln(1 − δ).
#[test]
fn little_noise_is_answered() {
    for (text, what, value, truth) in [
        ("laplace(0.002)", "delta", "1e-5", "499.99997999989999933"),
        ("laplace(1e-5)", "delta", "1e-5", "99999.99997999989999933"),
        ("discrete_gaussian(0.01)", "delta", "1e-5", "4999.99998999994999966"),
        ("discrete_gaussian(0.01) * 2", "delta", "1e-5", "9999.99998999994999966"),
        ("discrete_laplace(0.001, sensitivity = 2) * 3", "delta", "1e-5", "5999.99998999994999966"),
        ("pure(1000) * 4", "delta", "1e-5", "3999.99998999994999966"),
        ("pure(300) + pure(401)", "delta", "1e-5", "700.99998999994999966"),
        ("poisson(1/2, gaussian(0.01)) * 2", "epsilon", "6", "0.75"),
        ("poisson(1/10, laplace(0.001)) * 5", "epsilon", "6", "0.40951"),
        ("approx(1000, 1/100) * 2", "epsilon", "2000", "0.0199"),
    ] {
        let answer = in_time(text, what, value);
        assert!(answer.reached, "{text}: {}", answer.method);
        // The truths have 20 digits.
        let (low, high) =
            (number(truth) * number("0.9999999999999999"), number(truth) * number("1.0000000000000001"));
        let upper = answer.bracket.upper.clone().unwrap();
        assert!(answer.bracket.lower <= high && low <= upper, "{text}: {:?}", answer.bracket);
    }
}

/// Two answers with Laplace noise, c = 100 and 500: with T = 2c − L, T is 0 with probability 1/4 and has the density (1/4 + t/16)·e^(−t/2), so that
/// δ(2c − s) = (1 − e^(−s))/4 + ∫₀ˢ (1/4 + t/16)·e^(−t/2)·(1 − e^(t−s)) dt.
#[test]
fn two_answers_with_little_laplace_noise() {
    for (scale, s) in tried([("0.01", 0.5), ("0.01", 3.0), ("0.01", 20.0), ("0.002", 0.5), ("0.002", 20.0)]) {
        let whole = if scale == "0.01" { 200.0 } else { 1000.0 };
        let f = |t: f64| (0.25 + t / 16.0) * exp_nearest(-t / 2.0) * (1.0 - exp_nearest(t - s));
        let parts = 2000;
        let h = s / f64::from(parts);
        let simpson = (0..=parts).map(|k| {
            let weight = if k == 0 || k == parts { 1.0 } else { f64::from(2 + 2 * (k % 2)) };
            weight * f(f64::from(k) * h)
        });
        let truth = (1.0 - exp_nearest(-s)) / 4.0 + simpson.sum::<f64>() * h / 3.0;
        let answer = in_time(&format!("laplace({scale}) * 2"), "epsilon", &(whole - s).to_string());
        // Losses of 500 have no lattice of ratios, however much time there is.
        assert!(scale == "0.01" || answer.method.starts_with("losses on a lattice"), "{}", answer.method);
        assert!(
            holds(&answer.bracket, &rational_from_f64(truth).unwrap()),
            "{scale} {s}: {truth} {:?}",
            answer.bracket
        );
        assert!(answer.bracket.width() < 0.01, "{scale} {s}: {:?}", answer.bracket.width());
    }
}

/// More noise loses less, over sixty orders of magnitude.
#[test]
fn losses_fall_with_the_noise() {
    for law in ["laplace(S) * 3", "discrete_laplace(S) * 2", "gaussian(S)", "poisson(1/2, laplace(S))"] {
        let mut before = None;
        for exponent in tried([-30, -12, -4, -3, -2, -1, 0, 1, 4, 30]) {
            let text = law.replace('S', &format!("1e{exponent}"));
            let bracket = in_time(&text, "delta", "1e-6").bracket;
            if let Some(upper) = before {
                assert!(bracket.lower <= upper, "{text}");
            }
            before = bracket.upper;
            assert!(before.is_some(), "{text}");
        }
    }
}

/// Questions far from those that are asked, and numbers that no double holds.
#[test]
fn extreme_questions_keep_to_the_time() {
    for (text, what, value) in tried([
        ("response(3, 1 - 4e-18) * 10", "delta", "1e-100"),
        ("response(3, 1 - 6e-24)", "epsilon", "1e4"),
        ("poisson(1e-6, gaussian(8e-5)) * 2", "delta", "1e-300"),
        ("discrete_gaussian(37, sensitivity = 1000)", "epsilon", "1e4"),
        ("poisson(1e-3, mu(5e-24))", "delta", "1e-300"),
        ("poisson(0.1, discrete_gaussian(1e-17)) * 1000000", "delta", "0.999"),
        ("discrete_gaussian(1e-30) * 2", "delta", "1e-5"),
        ("laplace(1e-600) + laplace(1)", "delta", "1e-5"),
        ("laplace(1/100) * 1e19", "delta", "1e-5"),
        ("poisson(1/2, laplace(1e-9)) * 3", "epsilon", "1e6"),
    ]) {
        in_time(text, what, value);
    }
}

/// An answer that no one searches for says so; what has no lattice says that.
#[test]
fn what_is_beyond_all_is_said() {
    let effort = Effort { seconds: 20.0, ..Effort::default() };
    for text in ["gaussian(1e-300) * 1000000000000", "mu(1e300)", "rho(1e300)"] {
        let answer = ask(text, "delta", "1e-6", &effort);
        let note = answer.note.unwrap_or_default();
        assert!(note.contains("more than 1e100") && answer.bracket.upper.is_none(), "{text}: {note}");
    }
    assert_eq!(ask("gaussian(1)", "delta", "1e-6", &effort).note, None);
    // Losses of 1e-18 beside a normal law: one lattice has both.
    let tiny = ask("approx(8.34e-19, 1.93e-8) * 1000000 + gaussian(65.6)", "delta", "0.05", &effort);
    let one = ask("approx(0, 1.93e-8) * 1000000 + gaussian(65.6)", "delta", "0.05", &effort);
    assert!(
        tiny.bracket.upper.clone().unwrap() >= one.bracket.lower
            && tiny.bracket.lower <= tiny.bracket.upper.unwrap()
    );
}
