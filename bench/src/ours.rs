//! Probity's side: the samplers as a release calls them, with the operating system's entropy.

use std::hint::black_box;

use probity_exact::directed::{add_up, div_up, exp_up, ln_nearest, ln_up, mul_up, sub_up};
use probity_exact::{Rational, rational, rational_from_f64};
use probity_noise::entropy::SecureEntropy;
use probity_noise::sampler::{
    Bernoulli, Choice, DiscreteGaussian, DiscreteLaplace, Probability, Sampler, Scale, SquaredScale,
    UniformDouble,
};

use crate::Failure;
use crate::work::{Work, over_operands};

/// Length of the vectors that are filled.
const VECTOR: usize = 4096;

/// Work that fills a vector with draws, and then does `finish` to it.
fn fill_and<S>(sampler: S, finish: impl Fn(&mut [S::Value]) + 'static) -> Result<Work, Failure>
where
    S: Sampler + 'static,
    S::Value: 'static,
{
    let mut entropy = SecureEntropy::new()?;
    let mut values = sampler.sample_vec(VECTOR, &mut entropy)?;
    Ok(Work::new(VECTOR as u64, move || {
        sampler.fill(&mut values, &mut entropy)?;
        finish(&mut values);
        black_box(&values);
        Ok(())
    }))
}

fn exact(value: f64) -> Result<Rational, Failure> {
    rational_from_f64(value).ok_or_else(|| "a parameter of the benchmark is not finite".into())
}

fn fraction(numerator: i32, denominator: i32) -> Result<Rational, Failure> {
    rational(numerator, denominator).ok_or_else(|| "a parameter of the benchmark is no fraction".into())
}

/// Discrete Laplace noise in i64.
pub fn discrete_laplace(scale: f64) -> Result<Work, Failure> {
    fill_and(DiscreteLaplace::<i64>::new(Scale::new(exact(scale)?)?)?, |_| {})
}

/// Discrete Gaussian noise in i64.
pub fn discrete_gaussian(scale: f64) -> Result<Work, Failure> {
    fill_and(DiscreteGaussian::<i64>::new(SquaredScale::new(exact(scale)?.sqr())?)?, |_| {})
}

/// A uniform real in (0, 1) rounded down to a double, and its correctly rounded ln: the core of snapping.
pub fn uniform_ln() -> Result<Work, Failure> {
    fill_and(UniformDouble, |values| values.iter_mut().for_each(|value| *value = ln_nearest(*value)))
}

/// Bernoulli with the exact probability 3/10.
pub fn bernoulli() -> Result<Work, Failure> {
    fill_and(Bernoulli::new(Probability::new(fraction(3, 10)?)?), |_| {})
}

/// A uniform choice among ten.
pub fn choice_of_ten() -> Result<Work, Failure> {
    fill_and(Choice::uniform(10)?, |_| {})
}

/// Randomized response on a bool: tells the truth with probability 3/4.
pub fn response_bool() -> Result<Work, Failure> {
    let truth = vec![true; VECTOR];
    fill_and(Bernoulli::new(Probability::new(fraction(3, 4)?)?), move |honest| {
        for (answer, truth) in honest.iter_mut().zip(&truth) {
            *answer = *answer == *truth;
        }
    })
}

/// Randomized response over ten categories: the distance from the truth, around the circle of categories, is 0 with
/// probability 1/2 and each of the others with probability 1/18.
pub fn response_of_ten() -> Result<Work, Failure> {
    let mut weights = vec![fraction(1, 2)?];
    weights.resize(10, fraction(1, 18)?);
    let truth = vec![3; VECTOR];
    fill_and(Choice::weighted(&weights)?, move |distances| {
        for (answer, truth) in distances.iter_mut().zip(&truth) {
            let moved = *answer + *truth;
            *answer = if moved >= 10 { moved - 10 } else { moved };
        }
    })
}

/// A choice among many, with weights 1, 2, 3, ….
pub fn weighted_choice(count: u32) -> Result<Work, Failure> {
    let weights: Vec<Rational> = (1..=count).map(Rational::from).collect();
    fill_and(Choice::weighted(&weights)?, |_| {})
}

/// Our directed arithmetic by name.
pub fn directed(name: &str) -> Option<Work> {
    Some(match name {
        "add_up" => over_operands(add_up),
        "sub_up" => over_operands(sub_up),
        "mul_up" => over_operands(mul_up),
        "div_up" => over_operands(div_up),
        "ln_up" => over_operands(|a, _| ln_up(a)),
        "exp_up" => over_operands(|a, _| exp_up(a)),
        _ => return None,
    })
}
