//! Whole mechanisms against their maps: many answers to two neighbouring inputs, and a search for an event that is
//! more likely under one than the map allows. It can only refute. Twins with half the noise, which claim the
//! map of the full noise, must be refuted.

// Oracles use the platform's functions, independently of our own.
#![allow(clippy::disallowed_methods)]

use crate::common;
use crate::falsifier;

use common::ratio;
use probity_exact::{Integer, Rational};
use probity_noise::domain::{BigIntegers, ClampedFloats, IntegerRange, Vectors, WrappingIntegers};
use probity_noise::entropy::tape::Tape;
use probity_noise::map::PrivacyMap;
use probity_noise::measure::Loss;
use probity_noise::measurement::Measurement;
use probity_noise::mechanisms::*;
use probity_noise::sampler::{Probability, Scale, SquaredScale};
use probity_noise::unit::{Epsilon, Sensitivity};

/// Standard deviations beyond which a claim counts as refuted. Thousands of events are tried, and none should reach
/// it by chance (about 1e-9 each).
const REFUTED: f64 = 6.0;

const DRAWS: usize = 100_000;

/// The (ε, δ) pairs that a map claims at a distance.
fn claims(map: &PrivacyMap, distance: u32) -> Vec<(f64, f64)> {
    let distance = Sensitivity::from(distance);
    match map.loss(&distance).unwrap() {
        Loss::Pure(epsilon) => vec![(epsilon.to_f64_up(), 0.0)],
        Loss::Approximate { epsilon, delta } => vec![(epsilon.to_f64_up(), delta.to_f64_up())],
        Loss::Concentrated(_) => {
            let Loss::Profile(curve) = map.to_profile().unwrap().loss(&distance).unwrap() else { panic!() };
            let at = |epsilon: f64| curve.delta(&Epsilon::from_f64(epsilon).unwrap()).unwrap().to_f64_up();
            [0.25, 0.5, 1.0, 1.5, 2.0, 3.0].map(|epsilon| (epsilon, at(epsilon))).to_vec()
        }
        Loss::Profile(_) => panic!("not needed"),
    }
}

/// How strongly the answers refute P(S) ≤ e^ε·P'(S) + δ, in standard deviations, over single outcomes and both
/// kinds of tails, in both directions.
fn refutation<Outcome: Ord + Clone>(one: &[Outcome], other: &[Outcome], claims: &[(f64, f64)]) -> f64 {
    let mut outcomes: Vec<Outcome> = one.iter().chain(other).cloned().collect();
    outcomes.sort();
    outcomes.dedup();
    let count = |answers: &[Outcome]| {
        let mut sorted = answers.to_vec();
        sorted.sort();
        let below = |outcome: &Outcome| sorted.partition_point(|answer| answer < outcome);
        let up_to = |outcome: &Outcome| sorted.partition_point(|answer| answer <= outcome);
        outcomes.iter().map(|outcome| (below(outcome), up_to(outcome))).collect::<Vec<_>>()
    };
    let (left, right) = (count(one), count(other));
    let mut worst = f64::NEG_INFINITY;
    for ((a_below, a_up_to), (b_below, b_up_to)) in left.into_iter().zip(right) {
        let events = [
            (a_up_to - a_below, b_up_to - b_below),
            (a_up_to, b_up_to),
            (one.len() - a_below, other.len() - b_below),
        ];
        for (a, b) in events {
            for (a, b) in [(a as f64, b as f64), (b as f64, a as f64)] {
                for (epsilon, delta) in claims {
                    let factor = epsilon.exp();
                    let excess = a - factor * b - delta * one.len() as f64;
                    // The variance, with one more in each count so that small counts prove nothing.
                    let spread = (a + 1.0 + factor * factor * (b + 1.0)).sqrt();
                    worst = worst.max(excess / spread);
                }
            }
        }
    }
    worst
}

fn answers<Input: Clone, Output>(
    measurement: &Measurement<Input, Output>,
    input: &Input,
    draws: usize,
    seed: u64,
) -> Vec<Output> {
    measurement.simulate_vec(&vec![input.clone(); draws], &mut Tape::seeded(seed)).unwrap()
}

/// The mechanism stands, its twin falls.
fn stands_and_falls<Input: Clone, Output, Outcome: Ord + Clone>(
    name: &str,
    make: impl Fn(i64) -> Measurement<Input, Output>,
    inputs: [&Input; 2],
    distance: u32,
    draws: usize,
    outcome: impl Fn(&Output) -> Outcome,
) {
    let honest = make(2);
    let claims = claims(honest.privacy_map(), distance);
    let verdict = |measurement: &Measurement<Input, Output>| {
        let of = |input, seed| -> Vec<Outcome> {
            answers(measurement, input, draws, seed).iter().map(&outcome).collect()
        };
        refutation(&of(inputs[0], 11), &of(inputs[1], 12), &claims)
    };
    let (stands, falls) = (verdict(&honest), verdict(&make(1)));
    assert!(stands < REFUTED, "{name} is refuted: {stands}");
    assert!(falls > REFUTED, "{name}'s twin with half the noise is not refuted: {falls}");
}

/// halves/2 times `full`: the full scale for 2, half of it for 1.
fn scale(halves: i64, full: Rational) -> Scale {
    Scale::new(full * ratio(halves, 2)).unwrap()
}

#[test]
fn laplace_in_all_its_forms() {
    let full = || ratio(7, 3);
    let plain = |halves| discrete_laplace(IntegerRange::WIDEST, scale(halves, full())).unwrap();
    stands_and_falls("discrete Laplace", plain, [&10, &12], 2, DRAWS, |x| *x);
    let big = |halves| discrete_laplace(BigIntegers, scale(halves, full())).unwrap();
    stands_and_falls("big", big, [&Integer::from(0), &Integer::from(1)], 1, DRAWS, Clone::clone);
    let wrapping = |halves| {
        discrete_laplace::<u64, _>(WrappingIntegers::bits(3).unwrap(), scale(halves, full())).unwrap()
    };
    stands_and_falls("wrapping", wrapping, [&7, &0], 1, DRAWS, |x| *x);
    let wrapping_big = |halves| {
        discrete_laplace::<Integer, _>(WrappingIntegers::modulo(11u8).unwrap(), scale(halves, full()))
            .unwrap()
    };
    stands_and_falls("wrapping big", wrapping_big, [&4.into(), &5.into()], 1, DRAWS, Clone::clone);
    // A vector whose entries all move: outcomes are judged by the sum, where the shift shows.
    let vector = |halves| {
        let domain = Vectors::of(IntegerRange::WIDEST).with_length(2).unwrap();
        discrete_laplace(domain, scale(halves, full())).unwrap()
    };
    stands_and_falls("vector", vector, [&vec![0, 0], &vec![1, 0]], 1, DRAWS, |x| x[0]);
    let big_vector = |halves| discrete_laplace(Vectors::of(BigIntegers), scale(halves, full())).unwrap();
    let (zero, one) = (Integer::ZERO, Integer::ONE);
    stands_and_falls("big vector", big_vector, [&vec![zero.clone()], &vec![one]], 1, DRAWS, |x| x[0].clone());
    let grid = |halves| {
        let floats = ClampedFloats::new(-100.0, 100.0).unwrap();
        laplace_on_grid(floats, Grid::new(-1).unwrap(), scale(halves, full())).unwrap()
    };
    stands_and_falls("on a grid", grid, [&0.25, &1.25], 1, DRAWS, |x| (*x * 2.0) as i64);
}

#[test]
fn snapping() {
    let make = |halves: i64| {
        let epsilon = Epsilon::new(ratio(1, halves)).unwrap();
        Snapping::new(&epsilon, Sensitivity::from(1u32), 40.0).unwrap().measurement()
    };
    stands_and_falls("snapping", make, [&0.5, &1.5], 1, DRAWS, |x| *x as i64);
}

#[test]
fn gaussian_in_all_its_forms() {
    // Half the scale is a quarter of its square.
    let squared = |halves: i64| SquaredScale::new(ratio(halves * halves, 1)).unwrap();
    let plain = |halves| discrete_gaussian(IntegerRange::WIDEST, squared(halves)).unwrap();
    stands_and_falls("discrete Gaussian", plain, [&0, &2], 2, DRAWS, |x| *x);
    let big = |halves| discrete_gaussian(BigIntegers, squared(halves)).unwrap();
    stands_and_falls("big", big, [&0.into(), &2.into()], 2, DRAWS, Clone::clone);
    let vector = |halves| discrete_gaussian(Vectors::of(IntegerRange::WIDEST), squared(halves)).unwrap();
    // A distance of √8 < 3 along the diagonal.
    stands_and_falls("vector", vector, [&vec![0, 0], &vec![2, 2]], 3, DRAWS, |x| x[0] + x[1]);
    let grid = |halves| {
        let floats = ClampedFloats::new(-100.0, 100.0).unwrap();
        gaussian_on_grid(floats, Grid::new(-2).unwrap(), squared(halves)).unwrap()
    };
    stands_and_falls("on a grid", grid, [&0.0, &2.0], 2, DRAWS, |x| (*x * 4.0) as i64);
}

#[test]
fn bounded_noise() {
    let range = IntegerRange::new(0, 6).unwrap();
    let truncated = |halves| truncated_geometric(range, scale(halves, ratio(3, 1))).unwrap();
    stands_and_falls("truncated", truncated, [&0, &1], 1, DRAWS, |x| *x);
    let renormalised = |halves| renormalised_geometric(range, scale(halves, ratio(3, 1))).unwrap();
    stands_and_falls("renormalised", renormalised, [&0, &1], 1, DRAWS, |x| *x);
    // A range narrower than the scale is drawn in another way.
    let narrow = IntegerRange::new(0, 2).unwrap();
    let renormalised = |halves| renormalised_geometric(narrow, scale(halves, ratio(4, 1))).unwrap();
    stands_and_falls("narrow", renormalised, [&0, &1], 1, DRAWS, |x| *x);
}

/// Both ways of drawing renormalised noise against its law.
#[test]
fn renormalised_noise_has_its_law() {
    for (upper, halves) in [(6, 3), (2, 8), (3, 6), (4, 2)] {
        let range = IntegerRange::new(0, upper).unwrap();
        let noise = renormalised_geometric(range, Scale::new(ratio(halves, 2)).unwrap()).unwrap();
        let weight = |y: i64| (-(y.abs_diff(1) as f64) * 2.0 / halves as f64).exp();
        let total: f64 = (0..=upper).map(weight).sum();
        let law: Vec<f64> = (0..=upper).map(|y| weight(y) / total).collect();
        let mut counts = vec![0; law.len()];
        answers(&noise, &1, DRAWS, upper as u64).into_iter().for_each(|y| counts[y as usize] += 1);
        let deviation = falsifier::deviation(&law, &counts);
        assert!(deviation < REFUTED, "{upper} {halves}: {deviation}");
    }
    // However much larger the scale is than the range, a draw ends.
    let range = IntegerRange::new(7, 8).unwrap();
    let flat = renormalised_geometric(range, Scale::new(ratio(1 << 49, 1)).unwrap()).unwrap();
    assert!(answers(&flat, &7, 100, 1).contains(&8));
}

/// The true loss of renormalised noise is more than its scale suggests: that claim is refuted.
#[test]
fn renormalised_noise_does_not_keep_the_name_of_its_scale() {
    let range = IntegerRange::new(0, 6).unwrap();
    let noise = renormalised_geometric(range, Scale::new(ratio(3, 1)).unwrap()).unwrap();
    let of = |input, seed| answers(&noise, &input, DRAWS, seed);
    let naive = refutation(&of(0, 1), &of(1, 2), &[(1.0 / 3.0, 0.0)]);
    assert!(naive > REFUTED, "{naive}");
}

#[test]
fn choices() {
    let scores = |list: [i64; 3]| list.map(Rational::from).to_vec();
    for rule in [Rule::Exponential, Rule::NoisyMax] {
        let any = |halves| choice(3, rule, Scores::Any, scale(halves, ratio(2, 1))).unwrap();
        let (left, right) = (scores([0, 3, 3]), scores([1, 2, 2]));
        stands_and_falls("choice", any, [&left, &right], 1, 40_000, |x| *x);
        let monotone = |halves| choice(3, rule, Scores::Monotone, scale(halves, ratio(2, 1))).unwrap();
        let (left, right) = (scores([0, 3, 3]), scores([1, 3, 3]));
        stands_and_falls("monotone choice", monotone, [&left, &right], 1, 40_000, |x| *x);
        let integers = |halves| choice_of_integers(2, rule, Scores::Any, scale(halves, ratio(2, 1))).unwrap();
        stands_and_falls("integers", integers, [&vec![0, 3], &vec![1, 2]], 1, 40_000, |x| *x);
    }
}

/// A monotone claim made of scores that move both ways is false, and seen to be.
#[test]
fn a_monotone_claim_needs_monotone_scores() {
    let pick = choice(2, Rule::Exponential, Scores::Monotone, Scale::new(ratio(2, 1)).unwrap()).unwrap();
    let scores = |list: [i64; 2]| list.map(Rational::from).to_vec();
    let of = |input, seed| answers(&pick, &input, 40_000, seed);
    let claim = claims(pick.privacy_map(), 1);
    assert!(refutation(&of(scores([0, 6]), 1), &of(scores([1, 5]), 2), &claim) > REFUTED);
}

#[test]
fn randomized_response() {
    // The truth with 3/4 costs ln 3; its twin tells it with 9/10.
    let prob = |halves: i64| Probability::new(if halves == 2 { ratio(3, 4) } else { ratio(9, 10) }).unwrap();
    let coin = |halves| randomized_response_bool(prob(halves)).unwrap();
    stands_and_falls("bool", coin, [&true, &false], 1, DRAWS, |x| *x);
    let bits = |halves| randomized_response_bits(Some(2), prob(halves)).unwrap();
    stands_and_falls("bits", bits, [&vec![true, true], &vec![false, false]], 2, DRAWS, Clone::clone);
    let colours = |halves| {
        let law = RandomizedResponse::new(4, prob(halves)).unwrap();
        law.over(vec!["red", "green", "blue", "grey"]).unwrap()
    };
    stands_and_falls("categories", colours, [&"red", &"blue"], 1, DRAWS, |x| *x);
    // Against an input outside the set, the loss is below the map too.
    let law =
        RandomizedResponse::new(4, prob(2)).unwrap().over(vec!["red", "green", "blue", "grey"]).unwrap();
    let of = |input, seed| answers(&law, &input, DRAWS, seed);
    assert!(refutation(&of("red", 1), &of("mauve", 2), &claims(law.privacy_map(), 1)) < REFUTED);
}

/// Where the first hit falls among six queries, as a number; 6 for none.
fn first_hit(alarm: &AboveThreshold, queries: &[i64], draws: usize, seed: u64) -> Vec<usize> {
    let mut tape = Tape::seeded(seed);
    let mut run = || {
        let mut session = alarm.simulate(&Integer::ZERO, &mut tape).unwrap();
        let above = |query: &i64| session.simulate(&Integer::from(*query), &mut tape).unwrap();
        queries.iter().map(above).position(|above| above).unwrap_or(queries.len())
    };
    (0..draws).map(|_| run()).collect()
}

#[test]
fn above_threshold() {
    let make = |halves: i64, answers| {
        AboveThreshold::new(scale(halves, ratio(4, 1)), scale(halves, ratio(8, 1)), 1, answers).unwrap()
    };
    // Many answers fall and one rises: the worst case of the proof.
    let (left, right) = ([0, 0, 0, 0, 0, 1], [1, 1, 1, 1, 1, 0]);
    let claim = claims(&make(2, Scores::Any).map(), 1);
    let of = |alarm: &AboveThreshold, queries: &[i64], seed| first_hit(alarm, queries, DRAWS, seed);
    let honest = make(2, Scores::Any);
    assert!(refutation(&of(&honest, &left, 1), &of(&honest, &right, 2), &claim) < REFUTED);
    // Noise of an eighth is what the worst of these six queries can show.
    let eighth = AboveThreshold::new(
        Scale::new(ratio(1, 2)).unwrap(),
        Scale::new(ratio(1, 1)).unwrap(),
        1,
        Scores::Any,
    )
    .unwrap();
    assert!(refutation(&of(&eighth, &left, 1), &of(&eighth, &right, 2), &claim) > REFUTED);
    // Monotone answers.
    let monotone = make(2, Scores::Monotone);
    let claim = claims(&monotone.map(), 1);
    assert!(refutation(&of(&monotone, &[0; 6], 3), &of(&monotone, &[1; 6], 4), &claim) < REFUTED);
}
