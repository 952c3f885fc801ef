//! Every sampler against its law on a million draws of a fixed tape, and biased twins that must be refuted.

// Expected frequencies are computed with the platform's functions, independently of our own.
#![allow(clippy::disallowed_methods)]

use crate::falsifier;

use falsifier::{DRAWS, REFUTED, Stretches, deviation_of};
use probity_exact::{Format, Integer, Rational, Round, rational};
use probity_noise::entropy::tape::Tape;
use probity_noise::sampler::*;

fn ratio(n: i64, d: i64) -> Rational {
    rational(n, d).unwrap()
}

fn power_of_two(exponent: i64) -> Rational {
    let power = Rational::from(Integer::ONE << exponent.unsigned_abs() as usize);
    if exponent >= 0 { power } else { Rational::ONE / power }
}

fn draws<S: Sampler>(sampler: &S, seed: u64) -> Vec<S::Value> {
    sampler.sample_vec(DRAWS, &mut Tape::seeded(seed)).unwrap()
}

fn nearest(x: &Rational) -> f64 {
    probity_exact::directed::cast_nearest(x)
}

/// The deviation of draws from the discrete Laplace law of this scale.
fn laplace_deviation(scale: f64, draws: impl IntoIterator<Item = f64>) -> f64 {
    let cells = Stretches::new(scale, |tail| -scale * tail.ln());
    // P(a ≤ X < b) = (q^a − q^b)/(1+q).
    let positive =
        |a: f64, b: f64| (-a / scale).exp() * -((a - b) / scale).exp_m1() / (1.0 + (-1.0 / scale).exp());
    deviation_of(&cells.probabilities(positive), draws, |x| cells.cell(x))
}

#[test]
fn laplace_of_every_scale() {
    let scales = [
        ratio(1, 2),
        ratio(1, 1),
        ratio(7, 3),
        ratio(3, 1),
        ratio(10, 1),
        ratio(1000, 1),
        ratio(65_535, 1),
        ratio(65_536, 1),
        ratio(1_000_000, 1),
        ratio(1_000_000_000_000, 1),
        power_of_two(50),
    ];
    for (seed, scale) in scales.into_iter().enumerate() {
        let noise = DiscreteLaplace::<i64>::new(Scale::new(scale.clone()).unwrap()).unwrap();
        let draws = draws(&noise, seed as u64);
        let deviation = laplace_deviation(nearest(&scale), draws.iter().map(|&x| x as f64));
        assert!(deviation < REFUTED, "{scale}: {deviation}");
        if scale >= ratio(1000, 1) {
            // Low digits are uniform to far below what a million draws can tell.
            let deviation = deviation_of(&[1.0 / 16.0; 16], draws, |x| x.rem_euclid(16) as usize);
            assert!(deviation < REFUTED, "{scale}: low digits {deviation}");
        }
    }
}

#[test]
fn laplace_in_big_integers() {
    for (seed, scale) in
        [ratio(3, 1), power_of_two(20), power_of_two(200) / Rational::from(3)].into_iter().enumerate()
    {
        let noise = DiscreteLaplace::<Integer>::new(Scale::new(scale.clone()).unwrap()).unwrap();
        let draws = draws(&noise, seed as u64);
        let as_f64 = |x: &Integer| nearest(&Rational::from(x.clone()));
        let deviation = laplace_deviation(nearest(&scale), draws.iter().map(as_f64));
        assert!(deviation < REFUTED, "{scale}: {deviation}");
    }
}

#[test]
fn tiny_scales_hardly_ever_move() {
    // P(X ≠ 0) = 2q/(1+q) < 2^(−2^60).
    let noise = DiscreteLaplace::<i64>::new(Scale::new(power_of_two(-60)).unwrap()).unwrap();
    assert!(draws(&noise, 1).iter().all(|&x| x == 0));
    let noise = DiscreteGaussian::<i64>::new(SquaredScale::new(power_of_two(-60)).unwrap()).unwrap();
    assert!(draws(&noise, 1).iter().all(|&x| x == 0));
}

#[test]
fn geometric_of_every_scale() {
    for (seed, scale) in [0.5, 1.0, 10.0, 1e3, 1e6, 1e12].into_iter().enumerate() {
        let noise = Geometric::<i64>::new(Scale::from_f64(scale).unwrap()).unwrap();
        let cells = Stretches::new(scale, |tail| -scale * tail.ln());
        let positive = |a: f64, b: f64| (-a / scale).exp() * -((a - b) / scale).exp_m1();
        // One-sided: fold the negative cells away.
        let mut probabilities = cells.probabilities(|a, b| positive(a, b) / 2.0);
        for pair in probabilities[1..].chunks_mut(2) {
            pair.copy_from_slice(&[2.0 * pair[0], 0.0]);
        }
        let deviation = deviation_of(&probabilities, draws(&noise, seed as u64), |x| cells.cell(x as f64));
        assert!(deviation < REFUTED, "{scale}: {deviation}");
    }
}

/// The deviation of draws from the discrete Gaussian law of this σ.
fn gaussian_deviation(sigma: f64, draws: impl IntoIterator<Item = i64>) -> f64 {
    let density = |x: f64| (-x * x / (2.0 * sigma * sigma)).exp();
    if sigma < 30.0 {
        let reach = (12.0 * sigma) as i64 + 12;
        let total: f64 = (-reach..=reach).map(|x| density(x as f64)).sum();
        let probabilities: Vec<f64> = (-reach..=reach).map(|x| density(x as f64) / total).collect();
        return deviation_of(&probabilities, draws, |x| (x + reach) as usize);
    }
    // The sum over integers equals the integral between half-integers to far below what draws can tell.
    let total = sigma * std::f64::consts::TAU.sqrt();
    let cells = Stretches::new(sigma, |tail| 2.0 * sigma * (1.0 - tail) * 2.0);
    let integral = |a: f64, b: f64| {
        let (a, b) = (a - 0.5, b.min(12.0 * sigma) - 0.5);
        let step = (b - a) / 2000.0;
        let simpson = |at: usize| density(a + at as f64 * step) * [2.0, 4.0][at % 2];
        ((1..2000).map(simpson).sum::<f64>() + density(a) + density(b)) * step / 3.0 / total
    };
    deviation_of(&cells.probabilities(integral), draws, |x| cells.cell(x as f64))
}

#[test]
fn gaussian_of_every_scale() {
    for (seed, sigma) in [0.5, 1.0, 3.0, 10.0, 1e3, 1e6, 1e12].into_iter().enumerate() {
        let noise = DiscreteGaussian::<i64>::new(SquaredScale::from_f64(sigma * sigma).unwrap()).unwrap();
        let deviation = gaussian_deviation(sigma, draws(&noise, seed as u64));
        assert!(deviation < REFUTED, "{sigma}: {deviation}");
    }
    let noise = DiscreteGaussian::<Integer>::new(SquaredScale::new(power_of_two(300)).unwrap()).unwrap();
    let values = noise.sample_vec(100_000, &mut Tape::seeded(9)).unwrap();
    let values = values.into_iter().map(|x| i64::try_from(x >> 110).unwrap());
    let deviation = gaussian_deviation(2f64.powi(40), values);
    assert!(deviation < REFUTED, "2^150: {deviation}");
}

#[test]
fn coins_choices_and_signs() {
    for (seed, (n, d)) in [(1, 2), (1, 3), (999, 1000), (1, 1000)].into_iter().enumerate() {
        let coin = Bernoulli::new(Probability::new(ratio(n, d)).unwrap());
        let p = n as f64 / d as f64;
        let deviation = deviation_of(&[1.0 - p, p], draws(&coin, seed as u64), usize::from);
        assert!(deviation < REFUTED, "{n}/{d}: {deviation}");
    }
    for (seed, gamma) in [0.001, 0.5, 7.0].into_iter().enumerate() {
        let coin = BernoulliExp::new(Exponent::from_f64(gamma).unwrap());
        let p = (-gamma).exp();
        let deviation = deviation_of(&[1.0 - p, p], draws(&coin, seed as u64), usize::from);
        assert!(deviation < REFUTED, "exp(-{gamma}): {deviation}");
    }
    for count in [2, 10, 1000] {
        let deviation =
            deviation_of(&vec![1.0 / count as f64; count], draws(&Choice::uniform(count).unwrap(), 3), |x| x);
        assert!(deviation < REFUTED, "choice of {count}: {deviation}");
    }
    for length in [5i64, 100] {
        let weights: Vec<Rational> = (0..length).map(|at| ratio(at, 3)).collect();
        let total = (length * (length - 1) / 2) as f64;
        let probabilities: Vec<f64> = (0..length).map(|at| at as f64 / total).collect();
        let deviation = deviation_of(&probabilities, draws(&Choice::weighted(&weights).unwrap(), 4), |x| x);
        assert!(deviation < REFUTED, "weighted choice of {length}: {deviation}");
    }
    let deviation = deviation_of(&[0.5, 0.5], draws(&Sign, 5), |x| usize::from(x == 1));
    assert!(deviation < REFUTED, "sign: {deviation}");
}

#[test]
fn uniform_integers() {
    for count in [7u64, 1000, 1 << 40, (1 << 63) - 25, 1 << 63] {
        let sampler = UniformBelow::<i64>::new(Count::new(count).unwrap()).unwrap();
        // 64 stretches of nearly equal length; their exact lengths are known.
        let cells = count.min(64);
        let start = |cell: u64| (u128::from(cell) * u128::from(count)).div_ceil(u128::from(cells)) as f64;
        let probabilities: Vec<f64> =
            (0..cells).map(|cell| (start(cell + 1) - start(cell)) / count as f64).collect();
        let cell = |x: i64| (x as u128 * u128::from(cells) / u128::from(count)) as usize;
        let deviation = deviation_of(&probabilities, draws(&sampler, count), cell);
        assert!(deviation < REFUTED, "below {count}: {deviation}");
    }
}

/// Cells of a uniform double: 20 exponents (the last takes all smaller ones), the first bit of the fraction,
/// and the last.
fn double_deviation(draws: impl IntoIterator<Item = f64>) -> f64 {
    let probabilities: Vec<f64> = (0..80).map(|cell| 2f64.powi(-(cell / 4).min(18) - 1) / 4.0).collect();
    deviation_of(&probabilities, draws, |x| {
        let bits = x.to_bits();
        let exponent = (1022 - (bits >> 52)).min(19);
        (4 * exponent + 2 * (bits >> 51 & 1) + (bits & 1)) as usize
    })
}

#[test]
fn uniform_floats() {
    let deviation = double_deviation(draws(&UniformDouble, 6));
    assert!(deviation < REFUTED, "binary64: {deviation}");
    let wide = draws(&UniformFloat::new(Format::BINARY64), 7);
    let deviation = double_deviation(wide.iter().map(|x| x.to_f64().unwrap()));
    assert!(deviation < REFUTED, "any format: {deviation}");
    for x in draws(&UniformFloat::new(Format::BINARY16), 8).iter().take(1000) {
        assert_eq!(Format::BINARY16.round_float(x, Round::Down), *x);
    }
}

// ---- Biased twins: each must be refuted. ----

#[test]
fn a_scale_off_by_two_percent_is_refuted() {
    for scale in [0.5, 3.0, 1e3, 1e12] {
        let twin = DiscreteLaplace::<i64>::new(Scale::from_f64(scale * 1.02).unwrap()).unwrap();
        let deviation = laplace_deviation(scale, draws(&twin, 20).into_iter().map(|x| x as f64));
        assert!(deviation > REFUTED, "{scale}: {deviation}");
        let twin =
            DiscreteGaussian::<i64>::new(SquaredScale::from_f64((scale * 1.02).powi(2)).unwrap()).unwrap();
        let deviation = gaussian_deviation(scale, draws(&twin, 20));
        assert!(deviation > REFUTED, "{scale}: {deviation}");
    }
}

#[test]
fn counting_zero_twice_is_refuted() {
    // ±G without drawing −0 again.
    let geometric = draws(&Geometric::<i64>::new(Scale::from_f64(10.0).unwrap()).unwrap(), 21);
    let twin = geometric.into_iter().zip(draws(&Sign, 22)).map(|(g, sign)| (g * sign) as f64);
    assert!(laplace_deviation(10.0, twin) > REFUTED);
}

#[test]
fn a_biased_sign_is_refuted() {
    let noise = draws(&DiscreteLaplace::<i64>::new(Scale::from_f64(1e6).unwrap()).unwrap(), 23);
    let heads = draws(&Bernoulli::new(Probability::new(ratio(51, 100)).unwrap()), 24);
    let twin = noise.into_iter().zip(heads).map(|(x, heads)| x.abs() as f64 * if heads { 1.0 } else { -1.0 });
    assert!(laplace_deviation(1e6, twin) > REFUTED);
}

/// Discrete Laplace of scale 3 as Canonne, Kamath and Steinke draw it, from coins of probability γ/k, with the
/// division handed in.
fn laplace_by_series(divide: impl Fn(u64, u64, u64) -> Rational, seed: u64) -> Vec<f64> {
    let tape = &mut Tape::seeded(seed);
    let coins: Vec<Bernoulli> = (0..4 * 20)
        .map(|at| {
            let (n, k) = (at / 20, at % 20 + 1);
            Bernoulli::new(Probability::new(divide(n, 3, k).min(Rational::ONE)).unwrap())
        })
        .collect();
    // Bernoulli(e^(−n/3)): the first k whose coin γ/k fails is odd.
    let exponential = |n: u64, tape: &mut Tape| {
        let mut k = 1;
        while k < 20 && coins[(20 * n + k - 1) as usize].sample(tape).unwrap() {
            k += 1;
        }
        k % 2 == 1
    };
    let below_three = Choice::uniform(3).unwrap();
    let mut draws = Vec::new();
    while draws.len() < 200_000 {
        let low = below_three.sample(tape).unwrap() as u64;
        if !exponential(low, tape) {
            continue;
        }
        let mut high = 0;
        while exponential(3, tape) {
            high += 1;
        }
        let magnitude = (3 * high + low) as f64;
        let sign = Sign.sample(tape).unwrap() as f64;
        if magnitude > 0.0 || sign > 0.0 {
            draws.push(sign * magnitude);
        }
    }
    draws
}

#[test]
fn a_wrong_division_is_refuted() {
    let right = |n: u64, d: u64, k: u64| Rational::from(n) / Rational::from(d * k);
    assert!(laplace_deviation(3.0, laplace_by_series(right, 25)) < REFUTED);
    // The common factor is taken out of the divisor and not out of the numerator.
    let wrong = |n: u64, d: u64, k: u64| {
        let common = (1..=k).rev().find(|c| k.is_multiple_of(*c) && n.is_multiple_of(*c)).unwrap_or(1);
        Rational::from(n) / Rational::from(d * (k / common))
    };
    assert!(laplace_deviation(3.0, laplace_by_series(wrong, 26)) > REFUTED);
}

#[test]
fn twins_of_the_other_samplers_are_refuted() {
    let coin = Bernoulli::new(Probability::new(ratio(304, 1000)).unwrap());
    assert!(deviation_of(&[0.7, 0.3], draws(&coin, 27), usize::from) > REFUTED);
    let modulo = draws(&UniformBelow::<i64>::new(Count::new(1u64 << 12).unwrap()).unwrap(), 28);
    assert!(deviation_of(&[0.1; 10], modulo.iter().map(|x| x % 1000), |x| x as usize / 100) > REFUTED);
    let weights = [1, 2, 3].map(|w| ratio(w, 1));
    let choice = draws(&Choice::weighted(&weights).unwrap(), 29);
    assert!(deviation_of(&[1.0 / 6.0, 3.0 / 6.0, 2.0 / 6.0], choice, |x| x) > REFUTED);
    // A random integer over 2^53 has no fraction bits left below one half.
    let words = draws(&UniformBelow::<i64>::new(Count::new(1u64 << 53).unwrap()).unwrap(), 30);
    assert!(double_deviation(words.iter().map(|&x| x.max(1) as f64 * 2f64.powi(-53))) > REFUTED);
    // A geometric that starts at one.
    let geometric = draws(&Geometric::<i64>::new(Scale::from_f64(5.0).unwrap()).unwrap(), 31);
    let shifted = geometric.into_iter().zip(draws(&Sign, 32)).map(|(g, sign)| ((g + 1) * sign) as f64);
    assert!(laplace_deviation(5.0, shifted) > REFUTED);
}
