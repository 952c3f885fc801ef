//! Properties that every privacy map must have: monotone in d_in, 0 at 0, the least double above the exact value,
//! and errors that name what is wrong.

use crate::common;

use common::{Stream, ratio};
use probity_exact::{Rational, rational_from_f64};
use probity_noise::catalogue::{Arguments, privacy_map};
use probity_noise::map::{Guarantee, Point, PrivacyMap, Value};
use probity_noise::measure::Loss;
use probity_noise::mechanisms::gaussian_together;
use probity_noise::sampler::SquaredScale;
use probity_noise::unit::{Delta, Epsilon, Rho, Sensitivity};

/// A spread of parameters for every map in the catalogue.
fn maps() -> Vec<(String, PrivacyMap)> {
    let cases = [
        ("discrete-laplace", vec!["scale=7/3", "scale=1e-30", "scale=1e30", "scale=0"]),
        ("discrete-gaussian", vec!["squared-scale=0.1", "scale=1e6", "scale=0", "scale=3 delta=1e-7"]),
        (
            "randomized-response",
            vec!["categories=10 prob=1/2", "categories=2 prob=1/2", "categories=7 prob=0.999"],
        ),
        ("randomized-response-bits", vec!["prob=0.6", "prob=0.75 length=5"]),
        (
            "truncated-geometric",
            vec!["scale=2 lower=-5 upper=5", "scale=0 lower=0 upper=9", "scale=1 lower=3 upper=3"],
        ),
        (
            "renormalised-geometric",
            vec!["scale=2 lower=-5 upper=5", "scale=0 lower=0 upper=9", "scale=100 lower=0 upper=4"],
        ),
        ("exponential", vec!["scale=3", "scale=3 monotone=true", "scale=0"]),
        ("noisy-max", vec!["scale=0.7"]),
        (
            "above-threshold",
            vec!["threshold-scale=3 query-scale=7", "threshold-scale=0 query-scale=7 hits=3"],
        ),
        ("laplace-on-grid", vec!["scale=3 grid=-10", "scale=3 grid=4 length=10"]),
        ("gaussian-on-grid", vec!["scale=3 grid=-10", "scale=3 grid=-4 length=10"]),
    ];
    let mut maps = Vec::new();
    for (name, texts) in cases {
        for text in texts {
            let arguments = Arguments::new(text.split_whitespace().filter_map(|pair| pair.split_once('=')));
            maps.push((format!("{name} {text}"), privacy_map(name, &arguments).unwrap()));
        }
    }
    maps
}

/// The numbers of a loss: ε or ρ, and δ.
fn numbers(loss: &Loss) -> (f64, f64) {
    match loss {
        Loss::Pure(epsilon) => (epsilon.to_f64_up(), 0.0),
        Loss::Concentrated(rho) => (rho.to_f64_up(), 0.0),
        Loss::Approximate { epsilon, delta } => (epsilon.to_f64_up(), delta.to_f64_up()),
        Loss::Profile(_) => panic!("no profile here"),
    }
}

#[test]
fn maps_are_monotone_and_zero_at_zero() {
    let mut stream = Stream(6);
    let mut distances: Vec<Rational> = (0..60).map(|_| stream.fraction()).collect();
    distances.extend((0..30).map(|n| ratio(n, 4)));
    distances.sort();
    for (name, map) in maps() {
        let at =
            |distance: &Rational| numbers(&map.loss(&Sensitivity::new(distance.clone()).unwrap()).unwrap());
        assert_eq!(at(&Rational::ZERO).0, 0.0, "{name}");
        let losses: Vec<_> = distances.iter().map(at).collect();
        for (pair, distance) in losses.windows(2).zip(&distances) {
            assert!(pair[0].0 <= pair[1].0, "{name} falls after {distance}: {pair:?}");
        }
    }
}

/// The double is not below the enclosure, and the double before it is below the enclosure's upper end.
#[test]
fn losses_are_the_least_doubles_above_the_exact_value() {
    let mut stream = Stream(7);
    let mut compared = 0;
    for (name, map) in maps() {
        let expression = match map.guarantee() {
            Guarantee::Pure { epsilon } | Guarantee::Approximate { epsilon, .. } => epsilon,
            Guarantee::Concentrated { rho } => rho,
            _ => panic!("{name}"),
        };
        for _ in 0..40 {
            let distance = stream.fraction();
            let (found, _) = numbers(&map.loss(&Sensitivity::new(distance.clone()).unwrap()).unwrap());
            let exact = match expression.evaluate(&Point::at(&distance), 300).unwrap() {
                Value::Exact(value) => value,
                Value::Infinite => {
                    assert_eq!(found, f64::INFINITY, "{name}");
                    continue;
                }
                Value::Between(enclosure) => enclosure.high().to_rational().unwrap(),
            };
            if found.is_infinite() {
                assert!(exact > rational_from_f64(f64::MAX).unwrap(), "{name} at {distance}");
                continue;
            }
            assert!(rational_from_f64(found).unwrap() >= exact, "{name} at {distance}: {found} is too small");
            let below = found.next_down();
            assert!(
                found == 0.0 || rational_from_f64(below).unwrap() < exact,
                "{name} at {distance}: {found}"
            );
            compared += 1;
        }
    }
    assert!(compared > 500, "{compared}");
}

/// `check` accepts the loss that `loss` states, and refuses the double below it.
#[test]
fn check_agrees_with_the_loss() {
    let distance = Sensitivity::new(ratio(7, 2)).unwrap();
    let mut refused = 0;
    for (name, map) in maps() {
        let loss = map.loss(&distance).unwrap();
        assert!(map.check(&distance, &loss).unwrap(), "{name}");
        let (number, delta) = numbers(&loss);
        if number == 0.0 || number.is_infinite() {
            continue;
        }
        let below = number.next_down();
        let less = match loss {
            Loss::Pure(_) => Loss::Pure(Epsilon::from_f64(below).unwrap()),
            Loss::Concentrated(_) => Loss::Concentrated(Rho::from_f64(below).unwrap()),
            _ => Loss::Approximate {
                epsilon: Epsilon::from_f64(below).unwrap(),
                delta: Delta::from_f64(delta).unwrap(),
            },
        };
        assert!(!map.check(&distance, &less).unwrap(), "{name}");
        refused += 1;
    }
    assert!(refused > 15);
}

/// Losses worked out by hand, at a distance at which a factor is no divisor and a sum no product.
#[test]
fn losses_at_distance_three() {
    let three = Sensitivity::from(3u32);
    for (name, arguments, n, d) in [
        ("discrete-laplace", "scale=10", 3, 10),
        ("exponential", "scale=10", 6, 10),
        ("exponential", "scale=10 monotone=true", 3, 10),
        ("above-threshold", "threshold-scale=3 query-scale=7 hits=5", 37, 7),
        ("laplace-on-grid", "scale=3 grid=1", 4, 3),
        ("discrete-gaussian", "squared-scale=4", 9, 8),
        ("gaussian-on-grid", "scale=3 grid=1", 16, 18),
    ] {
        let pairs = arguments.split(' ').map(|argument| argument.split_once('=').unwrap());
        let map = privacy_map(name, &Arguments::new(pairs)).unwrap();
        let within = |bound: Rational| {
            let allowed = match map.guarantee() {
                Guarantee::Pure { .. } => Loss::Pure(Epsilon::new(bound).unwrap()),
                _ => Loss::Concentrated(Rho::new(bound).unwrap()),
            };
            map.check(&three, &allowed).unwrap()
        };
        assert!(
            within(ratio(n, d)) && !within(ratio(n * 999_999, d * 1_000_000)),
            "{name} {arguments}: {map}"
        );
    }
    let parts = [(4.0, 3u32), (9.0, 2)]
        .map(|(squared, distance)| (SquaredScale::from_f64(squared).unwrap(), Sensitivity::from(distance)));
    assert_eq!(gaussian_together(&parts).unwrap().unwrap().value(), &ratio(36, 97));
}

#[test]
fn every_map_prints_its_formula() {
    for (name, map) in maps() {
        let text = map.to_string();
        assert!(text.starts_with("ε = ") || text.starts_with("ρ = "), "{name}: {text}");
        assert!(text.len() < 1200, "{name}: {text}");
    }
}
