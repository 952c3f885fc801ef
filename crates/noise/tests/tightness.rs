//! For mechanisms with finitely many outcomes: the map is the exact max divergence of the two worst output laws, to
//! the last ulp. The laws are written down here from the definitions, apart from the code under test.

use crate::common;

use common::{Stream, ratio};
use probity_exact::{Enclosure, Float, Format, Rational, Round, exp_bounds, ln_bounds};
use probity_noise::domain::IntegerRange;
use probity_noise::map::PrivacyMap;
use probity_noise::measure::Loss;
use probity_noise::mechanisms::{
    RandomizedResponse, Scores, choice_map, discrete_laplace_map, renormalised_geometric_map,
    truncated_geometric_map,
};
use probity_noise::sampler::{Probability, Scale};
use probity_noise::unit::Sensitivity;

type Wide = Enclosure<Float>;

fn epsilon(map: &PrivacyMap, distance: u64) -> f64 {
    match map.loss(&Sensitivity::from(distance)).unwrap() {
        Loss::Pure(epsilon) => epsilon.to_f64_up(),
        other => panic!("{other}"),
    }
}

/// The one double that both ends round up to.
fn up(low: &Float, high: &Float) -> f64 {
    let up = |x: &Float| Format::BINARY64.round_float(x, Round::Up).to_f64().unwrap();
    assert_eq!(up(low), up(high), "the oracle needs more bits");
    up(high)
}

/// The least double that is not below ln x.
fn ln_up(x: &Rational) -> f64 {
    if *x == Rational::ONE {
        return 0.0;
    }
    let (low, high) = ln_bounds(x, 200).unwrap();
    let wide = Format::wide(220);
    up(&wide.round(&low, Round::Down), &wide.round(&high, Round::Up))
}

/// P(answer = y | input = x) for every input, the last of which lies outside the categories.
fn response_laws(t: usize, p: &Rational) -> Vec<Vec<Rational>> {
    let lie = (Rational::ONE - p) / Rational::from(t - 1);
    let inside = (0..t).map(|x| (0..t).map(|y| if x == y { p.clone() } else { lie.clone() }).collect());
    let outside = vec![Rational::ONE / Rational::from(t); t];
    inside.chain([outside]).collect()
}

fn largest_ratio(laws: &[Vec<Rational>]) -> Rational {
    let mut largest = Rational::ONE;
    for one in laws {
        for other in laws {
            for (a, b) in one.iter().zip(other) {
                largest = largest.max(a / b);
            }
        }
    }
    largest
}

#[test]
fn randomized_response_is_tight_for_thousands_of_parameters() {
    let mut stream = Stream(1);
    let mut compared = 0;
    for t in 2..=9usize {
        let fair = ratio(1, t as i64);
        let mut candidates = vec![fair.clone()];
        for _ in 0..400 {
            // p = fair + (1 − fair)·u with u in [0, 1), of coarse and fine denominators.
            let d = (stream.word() >> stream.below(62)).max(2);
            let u = probity_exact::rational(stream.below(d), d).unwrap();
            candidates.push(&fair + (Rational::ONE - &fair) * u);
        }
        for p in candidates {
            let law = RandomizedResponse::new(t, Probability::new(p.clone()).unwrap()).unwrap();
            let oracle = ln_up(&largest_ratio(&response_laws(t, &p)));
            assert_eq!(epsilon(&law.map(), 1), oracle, "t = {t}, p = {p}");
            assert_eq!(epsilon(&law.map(), 0), 0.0);
            compared += 1;
        }
    }
    assert!(compared > 3000);
}

/// Probabilities of the truncated geometric at one y have one constant for all x, so only the exponent of q counts:
/// |x − y| inside and at the ends alike.
#[test]
fn truncated_geometric_is_tight() {
    let mut stream = Stream(2);
    for _ in 0..3000 {
        let (lower, width, distance) =
            (stream.below(100) as i64 - 50, stream.below(12) as i64, stream.below(15));
        let (upper, scale) = (lower + width, stream.fraction());
        let mut exponent = 0;
        for x in lower..=upper {
            for other in (lower..=upper).filter(|other| other.abs_diff(x) <= distance) {
                for y in lower..=upper {
                    exponent = exponent.max(y.abs_diff(other) as i64 - y.abs_diff(x) as i64);
                }
            }
        }
        let range = IntegerRange::new(lower, upper).unwrap();
        let map = truncated_geometric_map(&range, &Scale::new(scale.clone()).unwrap());
        let exact = ratio(exponent, 1) / scale;
        common::assert_rounded_up(epsilon(&map, distance), &exact);
    }
}

/// e^(−k/scale) for k = 0 … count.
fn powers(scale: &Rational, count: usize, bits: u32) -> Vec<Wide> {
    let format = Format::wide(bits);
    (0..=count)
        .map(|k| {
            let (low, high) = exp_bounds(&-(Rational::from(k) / scale), bits);
            Enclosure::new(low, high, format).unwrap()
        })
        .collect()
}

#[test]
fn renormalised_geometric_is_tight() {
    let mut stream = Stream(3);
    let mut compared = 0;
    for round in 0..250 {
        let width = 1 + round % 7;
        let scale = ratio(1 + stream.below(400) as i64, 1 + stream.below(60) as i64);
        let power = powers(&scale, width + 1, 400);
        let law = |x: usize| -> Vec<Wide> {
            let weights: Vec<Wide> = (0..=width).map(|y| power[x.abs_diff(y)].clone()).collect();
            let total = weights.iter().cloned().reduce(|a, b| a + b).unwrap();
            weights.iter().map(|weight| weight.checked_div(&total).unwrap()).collect()
        };
        let laws: Vec<_> = (0..=width).map(law).collect();
        let range = IntegerRange::new(-3, width as i64 - 3).unwrap();
        let map = renormalised_geometric_map(&range, &Scale::new(scale.clone()).unwrap());
        for distance in 1..=width + 1 {
            let mut worst: Option<Wide> = None;
            for (x, one) in laws.iter().enumerate() {
                for (_, other) in laws.iter().enumerate().filter(|(other, _)| other.abs_diff(x) <= distance) {
                    for (a, b) in one.iter().zip(other) {
                        let ratio = a.checked_div(b).unwrap();
                        worst = Some(worst.map_or(ratio.clone(), |worst| worst.max(&ratio)));
                    }
                }
            }
            let loss = worst.unwrap().ln().unwrap();
            compared += 1;
            if distance >= width {
                // From end to end the loss is rational, which no enclosure can show to the last ulp.
                let exact = Rational::from(width) / &scale;
                assert!(loss.contains(&exact));
                common::assert_rounded_up(epsilon(&map, distance as u64), &exact);
                continue;
            }
            assert_eq!(
                epsilon(&map, distance as u64),
                up(loss.low(), loss.high()),
                "width {width}, scale {scale}, distance {distance}"
            );
        }
        assert_eq!(epsilon(&map, 0), 0.0);
    }
    assert!(compared > 1000);
}

/// Discrete Laplace noise on all integers attains d_in/scale at every outcome on the far side.
#[test]
fn discrete_laplace_is_the_exact_quotient_rounded_up() {
    let mut stream = Stream(4);
    for _ in 0..5000 {
        let (scale, distance) = (stream.fraction(), stream.fraction());
        let map = discrete_laplace_map(&Scale::new(scale.clone()).unwrap());
        let Loss::Pure(loss) = map.loss(&Sensitivity::new(distance.clone()).unwrap()).unwrap() else {
            panic!("another measure")
        };
        common::assert_rounded_up(loss.to_f64_up(), &(distance / scale));
    }
}

/// ln of the largest ratio between the laws of the exponential mechanism on two score vectors.
fn exponential_loss(one: &[i64], other: &[i64], scale: &Rational) -> Wide {
    let law = |scores: &[i64]| {
        let best = *scores.iter().max().unwrap();
        let span = scores.iter().map(|score| best.abs_diff(*score)).max().unwrap() as usize;
        let power = powers(scale, span, 200);
        let weights: Vec<Wide> = scores.iter().map(|s| power[best.abs_diff(*s) as usize].clone()).collect();
        let total = weights.iter().cloned().reduce(|a, b| a + b).unwrap();
        weights.into_iter().map(|weight| weight.checked_div(&total).unwrap()).collect::<Vec<_>>()
    };
    let ratios = law(one).into_iter().zip(law(other)).map(|(a, b)| a.checked_div(&b).unwrap());
    ratios.reduce(|a, b| a.max(&b)).unwrap().ln().unwrap()
}

/// P(i) = p_i ∫₀¹ Π_{j≠i} (1 − p_j t) dt, the law of permute-and-flip, by expanding the polynomial.
fn noisy_max_loss(one: &[i64], other: &[i64], scale: &Rational) -> Wide {
    let format = Format::wide(200);
    let number = |n: i64, d: i64| Wide::around(&ratio(n, d), format);
    let law = |scores: &[i64]| {
        let best = *scores.iter().max().unwrap();
        let span = scores.iter().map(|score| best.abs_diff(*score)).max().unwrap() as usize;
        let power = powers(scale, span, 200);
        let coin: Vec<Wide> = scores.iter().map(|s| power[best.abs_diff(*s) as usize].clone()).collect();
        (0..coin.len())
            .map(|i| {
                let mut polynomial = vec![number(1, 1)];
                for (_, p) in coin.iter().enumerate().filter(|(j, _)| *j != i) {
                    let mut next = polynomial.clone();
                    next.push(number(0, 1));
                    for (degree, coefficient) in polynomial.iter().enumerate() {
                        next[degree + 1] = next[degree + 1].clone() - coefficient.clone() * p.clone();
                    }
                    polynomial = next;
                }
                let terms = polynomial.into_iter().enumerate();
                let integral = terms.map(|(degree, c)| c * number(1, degree as i64 + 1)).reduce(|a, b| a + b);
                coin[i].clone() * integral.unwrap()
            })
            .collect::<Vec<_>>()
    };
    let (one, other) = (law(one), law(other));
    // The oracle itself: the probabilities add up to 1.
    let total = one.iter().cloned().reduce(|a, b| a + b).unwrap();
    assert!(total.contains(&Rational::ONE), "{total:?}");
    let ratios = one.into_iter().zip(other).map(|(a, b)| a.checked_div(&b).unwrap());
    ratios.reduce(|a, b| a.max(&b)).unwrap().ln().unwrap()
}

#[test]
fn choices_stay_below_their_maps_and_come_near() {
    let scale = ratio(3, 2);
    let steps = |scores: Scores| -> Vec<Vec<i64>> {
        let all = (0..27).map(|code| vec![code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1]);
        match scores {
            Scores::Any => all.collect(),
            Scores::Monotone => {
                all.filter(|s| s.iter().all(|x| *x >= 0) || s.iter().all(|x| *x <= 0)).collect()
            }
        }
    };
    for scores in [Scores::Any, Scores::Monotone] {
        let map = choice_map(scores, &Scale::new(scale.clone()).unwrap());
        let allowed =
            Wide::around(&probity_exact::rational_from_f64(epsilon(&map, 1)).unwrap(), Format::wide(200));
        for loss_of in [exponential_loss, noisy_max_loss] {
            let mut worst: Option<Wide> = None;
            for base in [[0, 0, 0], [0, 1, 5], [20, 0, 0], [3, 3, 0], [0, 30, 30], [-7, 0, 2]] {
                for step in steps(scores) {
                    let moved: Vec<i64> = base.iter().zip(&step).map(|(a, b)| a + b).collect();
                    for (one, other) in [(&base[..], &moved[..]), (&moved[..], &base[..])] {
                        let loss = loss_of(one, other, &scale);
                        worst = Some(worst.map_or(loss.clone(), |worst| worst.max(&loss)));
                    }
                }
            }
            let worst = worst.unwrap();
            assert!(worst.high().compare(allowed.high()) != Some(std::cmp::Ordering::Greater), "{scores:?}");
            let nearly = Wide::around(
                &(probity_exact::rational_from_f64(epsilon(&map, 1)).unwrap() * ratio(99, 100)),
                Format::wide(200),
            );
            assert!(worst.low().compare(nearly.high()) == Some(std::cmp::Ordering::Greater), "{scores:?}");
        }
    }
}
