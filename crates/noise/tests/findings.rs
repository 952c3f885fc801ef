//! Findings 12 to 16: what the papers on discrete Laplace noise and randomized response leave open or get wrong, each
//! as a regression test with its figure.

// Oracles use the platform's functions, independently of our own.
#![allow(clippy::disallowed_methods)]

use crate::common;
use crate::falsifier;

use common::ratio;
use falsifier::{DRAWS, REFUTED, deviation};
use probity_exact::{Enclosure, Float, Format, Rational, exp_bounds, rational_from_f64};
use probity_noise::domain::WrappingIntegers;
use probity_noise::entropy::tape::Tape;
use probity_noise::map::{Expression, Point};
use probity_noise::measure::Loss;
use probity_noise::mechanisms::{RandomizedResponse, discrete_laplace, discrete_laplace_map};
use probity_noise::sampler::{Probability, Scale};
use probity_noise::unit::{Epsilon, Sensitivity};

type Wide = Enclosure<Float>;

fn power(exponent: &Rational) -> Wide {
    let format = Format::wide(200);
    let (low, high) = exp_bounds(exponent, 200);
    Enclosure::new(low, high, format).unwrap()
}

fn number(n: i64, d: i64) -> Wide {
    Wide::around(&ratio(n, d), Format::wide(200))
}

/// Finding 12: the modular case, which the paper leaves without a bound, has the map of the plain one. Here against
/// the exact law on ℤ_m: P(y | x) ∝ q^r + q^(m−r) with r = (y − x) mod m.
#[test]
fn modular_noise_has_the_map_of_plain_noise() {
    let mut closest = 0.0f64;
    for modulus in [2i64, 3, 5, 8, 16] {
        for scale in [ratio(1, 3), ratio(1, 1), ratio(7, 3), ratio(10, 1)] {
            let mass = |y: i64, x: i64| {
                let r = (y - x).rem_euclid(modulus);
                power(&(-ratio(r, 1) / &scale)) + power(&(-ratio(modulus - r, 1) / &scale))
            };
            let map = discrete_laplace_map(&Scale::new(scale.clone()).unwrap());
            for x in 0..modulus {
                for other in 0..modulus {
                    // Around the circle, which is never more than the plain distance.
                    let around = (x - other).rem_euclid(modulus).min((other - x).rem_euclid(modulus));
                    let distance = Sensitivity::from(around as u64);
                    for y in 0..modulus {
                        let loss = mass(y, x).checked_div(&mass(y, other)).unwrap().ln().unwrap();
                        let Some(exact) = loss.high().to_rational() else { panic!("infinite") };
                        // The enclosure of a loss of exactly 0 may reach a little above it.
                        let slack = if around == 0 { ratio(1, 1 << 60) } else { Rational::ZERO };
                        let allowed = ratio(around, 1) / &scale + slack;
                        assert!(exact <= allowed, "m = {modulus}, scale {scale}: {x} {other} {y}");
                        if let (Loss::Pure(epsilon), true) = (map.loss(&distance).unwrap(), around > 0) {
                            let share = probity_exact::directed::cast_down(&exact) / epsilon.to_f64_up();
                            closest = closest.max(share);
                        }
                    }
                }
            }
        }
    }
    // Not vacuous: for small scales the loss comes close to the bound.
    assert!(closest > 0.99 && closest <= 1.0, "{closest}");
}

#[test]
fn modular_noise_has_its_law() {
    let (modulus, scale) = (5u64, 7.0 / 3.0f64);
    let domain = WrappingIntegers::modulo(modulus).unwrap();
    let noise = discrete_laplace::<u64, _>(domain, Scale::new(ratio(7, 3)).unwrap()).unwrap();
    let answers = noise.simulate_vec(&vec![4; DRAWS], &mut Tape::seeded(12)).unwrap();
    let weight = |y: u64| {
        let r = ((y + modulus - 4) % modulus) as f64;
        (-r / scale).exp() + (-(modulus as f64 - r) / scale).exp()
    };
    let total: f64 = (0..modulus).map(weight).sum();
    let law: Vec<f64> = (0..modulus).map(|y| weight(y) / total).collect();
    let mut counts = vec![0; modulus as usize];
    answers.into_iter().for_each(|y| counts[y as usize] += 1);
    assert!(deviation(&law, &counts) < REFUTED);
}

/// Finding 13: the printed constant (q − 1)/(q + 1) is negative; (1 − q)/(1 + q) makes the masses add up to 1.
#[test]
fn the_constant_of_the_mass_function_is_positive() {
    for scale in [ratio(1, 10), ratio(1, 1), ratio(100, 1)] {
        let q = power(&(-Rational::ONE / &scale));
        let printed = (q.clone() - number(1, 1)).checked_div(&(q.clone() + number(1, 1))).unwrap();
        assert!(printed.high().is_negative());
        let right = (number(1, 1) - q.clone()).checked_div(&(q.clone() + number(1, 1))).unwrap();
        // Σ over all integers: c·(1 + 2q/(1 − q)).
        let tail = (number(2, 1) * q.clone()).checked_div(&(number(1, 1) - q)).unwrap();
        let total = right * (number(1, 1) + tail);
        assert!(
            total.contains(&Rational::ONE) && total.width_up().to_rational().unwrap() < ratio(1, 1 << 60)
        );
    }
}

/// Finding 14: for 37 of the t from 2 to 59 the double nearest to 1/t lies below 1/t. It is refused, exactly then.
#[test]
fn the_double_nearest_to_one_over_t_is_compared_exactly() {
    let mut below = 0;
    for t in 2..=59u32 {
        let p = 1.0 / f64::from(t);
        let is_below = rational_from_f64(p).unwrap() < ratio(1, i64::from(t));
        below += u32::from(is_below);
        let law = RandomizedResponse::new(t as usize, Probability::from_f64(p).unwrap());
        assert_eq!(law.is_err(), is_below, "t = {t}");
        if let Err(error) = law {
            assert_eq!(error.parameter(), "probability of the truth");
        }
    }
    assert_eq!(below, 37);
}

/// Finding 14, the figure: at t = 3 and p = fl(1/3) the true loss is 8.3e-17, where OpenDP 0.16.0 answers 0.
#[test]
fn the_true_loss_at_the_double_nearest_to_one_third() {
    let p = rational_from_f64(1.0 / 3.0).unwrap();
    let lie = (Rational::ONE - &p) / ratio(2, 1);
    let one = Rational::ONE;
    let up = |x: Rational| Expression::constant(x).ln().round_up(&Point::at(&one)).unwrap();
    let true_loss = up(&lie / &p);
    assert!((8.32e-17..8.33e-17).contains(&true_loss), "{true_loss:e}");
    assert!(up(&p / &lie) < 0.0, "the other ratio, which a bound p ≥ 1/t would rely on");
}

/// Finding 15: the second term of equation (5), as printed, exceeds the first for every p < 1/2.
#[test]
fn equation_five_needs_its_second_term_turned_over() {
    for t in [3i64, 5, 10] {
        for p in [ratio(1, t), ratio(9, 20), ratio(49, 100)].into_iter().filter(|p| *p >= ratio(1, t)) {
            let (others, rest) = (ratio(t - 1, 1), Rational::ONE - &p);
            let first = &p * &others / &rest;
            let printed = &rest * &others / &p;
            let right = &rest / (&p * &others);
            assert!(printed > first, "as printed, line (6) would be false");
            assert!(right <= first);
            let law = RandomizedResponse::new(t as usize, Probability::new(p).unwrap()).unwrap();
            let (one, bound) = (Rational::ONE, Expression::constant(first).ln());
            let allowed = bound.round_up(&Point::at(&one)).unwrap();
            let loss = law.map().loss(&Sensitivity::from(1u32)).unwrap();
            assert_eq!(loss, Loss::Pure(Epsilon::from_f64(allowed).unwrap()));
        }
    }
}

/// Finding 16: lies are uniform over the t − 1 other categories (not below "the length of a number"), categories are
/// of any type, and an input outside them gets a uniform one.
#[test]
fn lies_are_uniform_over_the_other_categories_of_any_type() {
    let names: Vec<String> = (0..10).map(|i| format!("category {i}")).collect();
    let law = RandomizedResponse::new(10, Probability::new(ratio(1, 2)).unwrap()).unwrap();
    let survey = law.over(names.clone()).unwrap();
    let position = |answer: &String| names.iter().position(|name| name == answer).unwrap();
    let count = |input: &str, seed: u64| {
        let answers =
            survey.simulate_vec(&vec![input.to_string(); 200_000], &mut Tape::seeded(seed)).unwrap();
        let mut counts = vec![0; 10];
        answers.iter().for_each(|answer| counts[position(answer)] += 1);
        counts
    };
    let mut truthful = vec![1.0 / 18.0; 10];
    truthful[7] = 0.5;
    assert!(deviation(&truthful, &count("category 7", 1)) < REFUTED);
    assert!(deviation(&[0.1; 10], &count("somewhere else", 2)) < REFUTED);
    // The scalar path has the same law.
    let mut tape = Tape::seeded(3);
    let mut counts = vec![0; 10];
    for _ in 0..50_000 {
        counts[position(&survey.simulate(&names[7], &mut tape).unwrap())] += 1;
    }
    assert!(deviation(&truthful, &counts) < REFUTED);
}

/// Many categories are found by hashing, few by scanning: the law is the same.
#[test]
fn many_categories_have_the_same_law() {
    let law = RandomizedResponse::new(100, Probability::new(ratio(1, 2)).unwrap()).unwrap();
    let survey = law.over((0..100u64).map(|i| i * i).collect()).unwrap();
    let answers = survey.simulate_vec(&vec![49; 200_000], &mut Tape::seeded(4)).unwrap();
    let mut counts = vec![0; 100];
    answers.iter().for_each(|answer| counts[answer.isqrt() as usize] += 1);
    let mut truthful = vec![1.0 / 198.0; 100];
    truthful[7] = 0.5;
    assert!(deviation(&truthful, &counts) < REFUTED);
    let outside = survey.simulate_vec(&vec![2; 200_000], &mut Tape::seeded(5)).unwrap();
    let mut counts = vec![0; 100];
    outside.iter().for_each(|answer| counts[answer.isqrt() as usize] += 1);
    assert!(deviation(&[0.01; 100], &counts) < REFUTED);
}

#[test]
fn bad_categories_are_refused() {
    let law = |t, p: Rational| RandomizedResponse::new(t, Probability::new(p).unwrap());
    assert_eq!(law(1, ratio(1, 1)).unwrap_err().parameter(), "number of categories");
    assert_eq!(law(0, ratio(1, 2)).unwrap_err().parameter(), "number of categories");
    assert_eq!(law(2, ratio(1, 1)).unwrap_err().parameter(), "probability of the truth");
    assert_eq!(law(4, ratio(1, 5)).unwrap_err().parameter(), "probability of the truth");
    let twice = law(3, ratio(1, 2)).unwrap().over(vec!["a", "b", "a"]).unwrap_err();
    assert!(twice.to_string().contains("positions 0 and 2"), "{twice}");
}

/// The constructor from ε: the double it finds is within ε, and the next one is not.
#[test]
fn the_largest_truthful_probability_within_a_budget() {
    for t in [2usize, 3, 7, 49, 1000] {
        for epsilon in [0.0, 1e-300, 1e-17, 1e-9, 0.1, 1.0, 3.0, 30.0, 700.0] {
            let budget = Epsilon::from_f64(epsilon).unwrap();
            let law = RandomizedResponse::from_epsilon(t, &budget).unwrap();
            let one = Sensitivity::from(1u32);
            assert!(law.map().check(&one, &Loss::Pure(budget.clone())).unwrap(), "{t} {epsilon}");
            let next = probity_exact::directed::cast_down(law.truth().value()).next_up();
            let more = RandomizedResponse::new(t, Probability::from_f64(next).unwrap());
            if let Ok(more) = more {
                assert!(!more.map().check(&one, &Loss::Pure(budget)).unwrap(), "{t} {epsilon}");
            }
        }
    }
    let fair = RandomizedResponse::from_epsilon(3, &Epsilon::zero()).unwrap();
    assert_eq!(*fair.truth().value(), ratio(1, 3));
}

/// Estimates are unbiased: fed with the expected counts, they return the truth exactly.
#[test]
fn debiasing_inverts_the_law() {
    let law = RandomizedResponse::new(4, Probability::new(ratio(2, 5)).unwrap()).unwrap();
    // 1000 respondents in category 0 and 500 in category 1 are answered, on average, as 500, 400, 300, 300.
    let truth = law.debias(&[500, 400, 300, 300]).unwrap();
    assert_eq!(truth, [ratio(1000, 1), ratio(500, 1), Rational::ZERO, Rational::ZERO]);
    assert!(law.debias(&[1, 2, 3]).is_err());
    let fair = RandomizedResponse::new(4, Probability::new(ratio(1, 4)).unwrap()).unwrap();
    assert_eq!(fair.debias(&[1, 2, 3, 4]).unwrap_err().parameter(), "probability of the truth");
}
