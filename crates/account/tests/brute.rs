//! Brackets against summing over every combination of outcomes, for laws with few of them.

use crate::common;

use common::{general, laws, question};
use probity_account::{Adjacency, account};
use probity_exact::directed::{exp_nearest, ln_nearest};

/// Masses under P and under Q.
type Pair = Vec<(f64, f64)>;

fn pure(epsilon: f64, delta: f64) -> Pair {
    let p = (1.0 - delta) / (1.0 + exp_nearest(-epsilon));
    vec![(delta, 0.0), (p, 1.0 - delta - p), (1.0 - delta - p, p), (0.0, delta)]
}

fn response(k: f64, p: f64) -> Pair {
    let r = (1.0 - p) / (k - 1.0);
    vec![(p, r), (r, p), (r * (k - 2.0), r * (k - 2.0))]
}

fn noise(weight: impl Fn(i64) -> f64, shift: i64) -> Pair {
    let range = -400..=400i64;
    let total: f64 = range.clone().map(&weight).sum();
    range.map(|k| (weight(k) / total, weight(k - shift) / total)).collect()
}

fn removed(q: f64, pair: &Pair) -> Pair {
    pair.iter().map(|(a, b)| ((1.0 - q) * b + q * a, *b)).collect()
}

fn added(q: f64, pair: &Pair) -> Pair {
    pair.iter().map(|(a, b)| (*a, (1.0 - q) * a + q * b)).collect()
}

fn composed(pairs: &[&Pair]) -> Pair {
    pairs.iter().fold(vec![(1.0, 1.0)], |all, pair| {
        all.iter().flat_map(|(a, b)| pair.iter().map(move |(c, d)| (a * c, b * d))).collect()
    })
}

fn delta(pair: &Pair, epsilon: f64) -> f64 {
    pair.iter().map(|(p, q)| (p - exp_nearest(epsilon) * q).max(0.0)).sum()
}

/// Every direction of the answer contains the sum over outcomes, up to the rounding of the sum, and is as narrow as asked.
fn check(expression: &str, epsilon: &str, width: f64, truths: &[f64]) {
    let answer =
        account(&laws(expression), Adjacency::AddRemove, &question("epsilon", epsilon), &general(width))
            .unwrap();
    assert_eq!(answer.directions.len(), truths.len(), "{expression}");
    for ((direction, bracket), truth) in answer.directions.iter().zip(truths) {
        let (low, high) = (
            probity_account::doubles_around(&bracket.lower).0,
            probity_account::doubles_around(bracket.upper.as_ref().unwrap()).1,
        );
        assert!(
            low <= truth * (1.0 + 1e-9) && truth * (1.0 - 1e-9) <= high,
            "{expression} {direction}: {low} {truth} {high}"
        );
    }
    assert!(answer.bracket.width() <= width, "{expression}: {}", answer.bracket.width());
}

#[test]
fn different_pure_guarantees() {
    let pairs = [pure(0.5, 0.0), pure(0.25, 0.0), pure(0.3, 0.001), response(3.0, 0.6)];
    let all = composed(&pairs.iter().collect::<Vec<_>>());
    check("pure(1/2) + pure(1/4) + approx(3/10, 1/1000) + response(3, 3/5)", "1", 1e-2, &[delta(&all, 1.0)]);
    let two = composed(&[&pure(0.5, 0.0), &pure(0.5, 0.0), &pure(0.2, 0.0)]);
    check("pure(1/2) * 2 + pure(1/5)", "4/5", 1e-6, &[delta(&two, 0.8)]);
}

#[test]
fn responses_of_many_categories() {
    let one = response(5.0, 0.4);
    check("response(5, 2/5) * 6", "2", 1e-6, &[delta(&composed(&[&one; 6]), 2.0)]);
}

#[test]
fn integer_noise() {
    let laplace = noise(|k| exp_nearest(-(k.abs() as f64) / 2.0), 3);
    check("discrete_laplace(2, sensitivity = 3) * 2", "1", 1e-6, &[delta(&composed(&[&laplace; 2]), 1.0)]);
    let gaussian = noise(|k| exp_nearest(-((k * k) as f64) / 8.0), 2);
    check(
        "discrete_gaussian(2, sensitivity = 2) * 2",
        "3/2",
        1e-4,
        &[delta(&composed(&[&gaussian; 2]), 1.5)],
    );
}

#[test]
fn samples_in_both_directions() {
    let base = pure(1.0, 0.0);
    let (remove, add) = (removed(0.2, &base), added(0.2, &base));
    let truths = [delta(&composed(&[&remove; 5]), 0.5), delta(&composed(&[&add; 5]), 0.5)];
    check("poisson(1/5, pure(1)) * 5", "1/2", 1e-3, &truths);
    let base = noise(|k| exp_nearest(-((k * k) as f64) / 8.0), 1);
    let truths = [delta(&removed(0.3, &base), 0.1), delta(&added(0.3, &base), 0.1)];
    check("poisson(3/10, discrete_gaussian(2))", "1/10", 1e-2, &truths);
}

/// A lower bound that is true of a finer law is not enough: a truth that is moved out of the bracket is noticed.
#[test]
fn the_comparison_can_say_no() {
    let all = composed(&[&pure(0.5, 0.0), &pure(0.5, 0.0)]);
    let truth = delta(&all, 0.5);
    let wrong = std::panic::catch_unwind(|| check("pure(1/2) * 2", "1/2", 1e-6, &[truth * 1.001]));
    assert!(wrong.is_err());
    assert!(ln_nearest(truth) < 0.0);
}
