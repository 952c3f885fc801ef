//! How fast the mechanisms and their maps are: answers per second on vectors of 1e5, nanoseconds per map. Each
//! figure is the best of 20 runs, since other work on the machine only ever adds time.
//!
//! `cargo run --release -p probity-noise --example mechanisms`

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use probity_exact::{Rational, rational};
use probity_noise::domain::{ClampedFloats, IntegerRange, Vectors};
use probity_noise::map::PrivacyMap;
use probity_noise::measurement::Measurement;
use probity_noise::mechanisms::{
    Grid, RandomizedResponse, Scores, Snapping, choice_map, discrete_gaussian, discrete_gaussian_map,
    discrete_laplace, discrete_laplace_map, laplace_vector_on_grid, randomized_response_bool,
    truncated_geometric_map,
};
use probity_noise::sampler::{Probability, Scale, SquaredScale};
use probity_noise::unit::{Epsilon, Sensitivity};

const SIZE: usize = 100_000;
const REPEATS: usize = 20;

fn answers<Input, Output>(
    name: &str,
    measurement: &Measurement<Input, Output>,
    inputs: &[Input],
) -> Result<(), Box<dyn Error>> {
    let mut best = f64::INFINITY;
    for _ in 0..REPEATS {
        let start = Instant::now();
        black_box(measurement.invoke_vec(black_box(inputs))?);
        best = best.min(start.elapsed().as_secs_f64());
    }
    let rate = SIZE as f64 / best;
    println!("{name:<36} {rate:>12.3e} answers/s");
    Ok(())
}

fn map(name: &str, map: &PrivacyMap, distance: &Rational) -> Result<(), Box<dyn Error>> {
    let distance = Sensitivity::new(distance.clone())?;
    let loss = map.loss(&distance)?;
    let repeats = 10_000;
    let mut best = f64::INFINITY;
    for _ in 0..REPEATS {
        let start = Instant::now();
        for _ in 0..repeats {
            black_box(black_box(map).loss(black_box(&distance))?);
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    let nanoseconds = best * 1e9 / f64::from(repeats);
    println!("{name:<36} {nanoseconds:>12.0} ns   {loss}");
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let scale = || Scale::from_f64(10.0);
    let vectors = || Vectors::of(IntegerRange::WIDEST).with_length(SIZE);
    answers("integer Laplace, scale 10", &discrete_laplace(vectors()?, scale()?)?, &[vec![7; SIZE]])?;
    let floats = Vectors::of(ClampedFloats::new(-1e3, 1e3)?).with_length(SIZE)?;
    let grid = laplace_vector_on_grid(floats, Grid::new(-20)?, scale()?)?;
    answers("float Laplace, scale 10, grid 2^-20", &grid, &[vec![0.7; SIZE]])?;
    let gaussian = discrete_gaussian(vectors()?, SquaredScale::from_f64(100.0)?)?;
    answers("integer Gaussian, σ 10", &gaussian, &[vec![7; SIZE]])?;
    let coin = randomized_response_bool(Probability::from_f64(0.75)?)?;
    answers("randomized response, bool", &coin, &vec![true; SIZE])?;
    let law = RandomizedResponse::new(10, Probability::from_f64(0.5)?)?;
    let ten = law.over((0..10u32).collect())?;
    answers(
        "randomized response, 10 categories",
        &ten,
        &(0..SIZE as u32).map(|i| i % 10).collect::<Vec<_>>(),
    )?;
    let snapping = Snapping::new(&Epsilon::from_f64(1.0)?, Sensitivity::from(1u32), 100.0)?;
    answers("snapping, ε 1, B 100", &snapping.measurement(), &vec![0.7; SIZE])?;
    println!();
    let ratio = |n: i64, d: i64| rational(n, d).unwrap_or(Rational::ONE);
    map("discrete Laplace, scale 7/3", &discrete_laplace_map(&Scale::new(ratio(7, 3))?), &ratio(2, 1))?;
    map("discrete Laplace, scale 0.1 (double)", &discrete_laplace_map(&Scale::from_f64(0.1)?), &ratio(1, 1))?;
    map("discrete Gaussian, σ² 100", &discrete_gaussian_map(&SquaredScale::from_f64(100.0)?), &ratio(1, 1))?;
    map(
        "discrete Gaussian, σ² 0.1 (double)",
        &discrete_gaussian_map(&SquaredScale::from_f64(0.1)?),
        &ratio(1, 1),
    )?;
    map("randomized response, 10 categories", &law.map(), &ratio(1, 1))?;
    map("choice, scale 3", &choice_map(Scores::Any, &Scale::from_f64(3.0)?), &ratio(1, 1))?;
    let range = IntegerRange::new(0, 100)?;
    map(
        "truncated geometric, scale 3",
        &truncated_geometric_map(&range, &Scale::from_f64(3.0)?),
        &ratio(1, 1),
    )?;
    Ok(())
}
