//! Probity's whole mechanisms: input checked, noise drawn, answer made, as a release calls them, on vectors of 1e5 and one
//! at a time.

use std::hint::black_box;

use probity_exact::rational;
use probity_noise::domain::{ClampedFloats, IntegerRange, Vectors};
use probity_noise::map::PrivacyMap;
use probity_noise::measurement::Measurement;
use probity_noise::mechanisms::{
    self as noise, Grid, RandomizedResponse, Rule, Scores, Snapping, choice_of_integers,
    discrete_gaussian_map, discrete_laplace_map, laplace_on_grid, laplace_vector_on_grid,
    randomized_response_bool,
};
use probity_noise::sampler::{Probability, Scale, SquaredScale};
use probity_noise::unit::{Epsilon, Sensitivity};

use crate::Failure;
use crate::work::Work;

/// Length of the vectors.
const VECTOR: usize = 100_000;

/// The grid of float noise: 2^−20, about a millionth.
const GRID: i32 = -20;

/// Work that answers all inputs in one call.
fn answer<Input: 'static, Output: 'static>(
    measurement: Measurement<Input, Output>,
    inputs: Vec<Input>,
) -> Work {
    Work::new(VECTOR as u64, move || {
        black_box(measurement.invoke_vec(black_box(&inputs))?);
        Ok(())
    })
}

fn integers() -> Result<Vectors<IntegerRange>, Failure> {
    Ok(Vectors::of(IntegerRange::WIDEST).with_length(VECTOR)?)
}

/// Discrete Laplace noise on a vector of i64.
pub fn discrete_laplace(scale: f64) -> Result<Work, Failure> {
    let measurement = noise::discrete_laplace(integers()?, Scale::from_f64(scale)?)?;
    Ok(answer(measurement, vec![vec![0; VECTOR]]))
}

/// Laplace noise on a vector of f64, on a grid.
pub fn float_laplace(scale: f64) -> Result<Work, Failure> {
    let domain = Vectors::of(ClampedFloats::new(-1e3, 1e3)?).with_length(VECTOR)?;
    let noise = laplace_vector_on_grid(domain, Grid::new(GRID)?, Scale::from_f64(scale)?)?;
    Ok(answer(noise, vec![vec![0.0; VECTOR]]))
}

/// Discrete Gaussian noise on a vector of i64.
pub fn discrete_gaussian(scale: f64) -> Result<Work, Failure> {
    let measurement = noise::discrete_gaussian(integers()?, SquaredScale::from_f64(scale * scale)?)?;
    Ok(answer(measurement, vec![vec![0; VECTOR]]))
}

/// Randomized response on a bool, truth with probability 3/4.
pub fn response_bool() -> Result<Work, Failure> {
    Ok(answer(randomized_response_bool(Probability::from_f64(0.75)?)?, vec![true; VECTOR]))
}

/// Randomized response over ten categories, truth with probability 1/2.
pub fn response_of_ten() -> Result<Work, Failure> {
    let law = RandomizedResponse::new(10, Probability::from_f64(0.5)?)?;
    Ok(answer(law.over((0..10).collect::<Vec<i32>>())?, vec![3; VECTOR]))
}

/// Snapping with ε = 1 and B = 100.
pub fn snapping() -> Result<Work, Failure> {
    let snapping = Snapping::new(&Epsilon::from_f64(1.0)?, Sensitivity::from(1u32), 100.0)?;
    Ok(answer(snapping.measurement(), vec![0.3; VECTOR]))
}

/// Calls of one measurement.
const CALLS: u64 = 2000;

/// Work that answers one input at a time.
fn one_at_a_time<Input: 'static, Output: 'static>(
    measurement: Measurement<Input, Output>,
    input: Input,
) -> Work {
    Work::new(CALLS, move || {
        for _ in 0..CALLS {
            black_box(measurement.invoke(black_box(&input))?);
        }
        Ok(())
    })
}

/// Discrete Laplace noise on one i64.
pub fn one_discrete_laplace(scale: f64) -> Result<Work, Failure> {
    Ok(one_at_a_time(noise::discrete_laplace(IntegerRange::WIDEST, Scale::from_f64(scale)?)?, 7))
}

/// Discrete Gaussian noise on one i64.
pub fn one_discrete_gaussian(scale: f64) -> Result<Work, Failure> {
    Ok(one_at_a_time(
        noise::discrete_gaussian(IntegerRange::WIDEST, SquaredScale::from_f64(scale * scale)?)?,
        7,
    ))
}

/// Laplace noise on one f64, on a grid.
pub fn one_float_laplace(scale: f64) -> Result<Work, Failure> {
    let domain = ClampedFloats::new(-1e3, 1e3)?;
    Ok(one_at_a_time(laplace_on_grid(domain, Grid::new(GRID)?, Scale::from_f64(scale)?)?, 0.3))
}

/// Randomized response on one bool.
pub fn one_response_bool() -> Result<Work, Failure> {
    Ok(one_at_a_time(randomized_response_bool(Probability::from_f64(0.75)?)?, true))
}

/// Randomized response on one of ten categories.
pub fn one_response_of_ten() -> Result<Work, Failure> {
    let law = RandomizedResponse::new(10, Probability::from_f64(0.5)?)?;
    Ok(one_at_a_time(law.over((0..10).collect::<Vec<i32>>())?, 3))
}

/// Scores of which one is 100 above the others.
fn peaked(count: usize) -> Vec<i64> {
    let mut scores = vec![0; count];
    scores[count / 2] = 100;
    scores
}

/// A choice among scores of which one is 100 above the others, at scale 1.
pub fn choose(rule: Rule, count: usize) -> Result<Work, Failure> {
    let pick = choice_of_integers(count, rule, Scores::Any, Scale::from_f64(1.0)?)?;
    let scores = peaked(count);
    Ok(Work::new(1, move || {
        black_box(pick.invoke(black_box(&scores))?);
        Ok(())
    }))
}

/// Work that evaluates a map many times.
fn evaluate(map: PrivacyMap) -> Work {
    let distance = Sensitivity::from(1u32);
    Work::new(CALLS, move || {
        for _ in 0..CALLS {
            black_box(black_box(&map).loss(black_box(&distance))?);
        }
        Ok(())
    })
}

/// The map of discrete Laplace noise, at the exact scale 7/3.
pub fn laplace_map() -> Result<Work, Failure> {
    let scale = rational(7, 3).ok_or("7/3 is a fraction")?;
    Ok(evaluate(discrete_laplace_map(&Scale::new(scale)?)))
}

/// The map of discrete Gaussian noise.
pub fn gaussian_map() -> Result<Work, Failure> {
    Ok(evaluate(discrete_gaussian_map(&SquaredScale::from_f64(10.0)?)))
}

/// The map of randomized response.
pub fn response_map() -> Result<Work, Failure> {
    Ok(evaluate(RandomizedResponse::new(10, Probability::from_f64(0.5)?)?.map()))
}
