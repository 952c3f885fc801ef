//! `probity sample`: noise, one value a line.

use std::fmt::Display;
use std::io::{self, Write};

use clap::{Args, Subcommand};
use probity_exact::{Integer, Natural, Rational, parse_rational};
use probity_noise::entropy::SecureEntropy;
use probity_noise::sampler::{
    Bernoulli, BernoulliExp, Choice, Count, DiscreteGaussian, DiscreteLaplace, Exponent, Geometric,
    ParameterError, Probability, Sampler, Scale, Sign, SquaredScale, UniformBelow, UniformDouble,
};

use crate::failure::{Answer, Failure, Status};
use crate::output;

/// How many values to draw, of what.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    law: Law,
    /// How many values
    #[arg(long, short = 'n', default_value_t = 1, global = true)]
    count: u64,
}

#[derive(Subcommand)]
enum Law {
    /// Integers with mass proportional to exp(-|x|/scale)
    DiscreteLaplace {
        /// The scale, a number >= 0
        #[arg(long, value_parser = parse_rational, allow_negative_numbers = true)]
        scale: Rational,
    },
    /// Integers with mass proportional to exp(-x^2/(2 sigma2))
    DiscreteGaussian {
        /// The squared scale, a number >= 0
        #[arg(long, value_parser = parse_rational, allow_negative_numbers = true)]
        sigma2: Rational,
    },
    /// Integers x >= 0 with mass proportional to exp(-x/scale)
    Geometric {
        /// The scale, a number >= 0
        #[arg(long, value_parser = parse_rational, allow_negative_numbers = true)]
        scale: Rational,
    },
    /// 1 with the given probability, else 0
    Bernoulli {
        /// The probability of 1, from 0 to 1
        #[arg(long, value_parser = parse_rational, allow_negative_numbers = true)]
        prob: Rational,
    },
    /// 1 with probability exp(-gamma), else 0
    BernoulliExp {
        /// The exponent, a number >= 0
        #[arg(long, value_parser = parse_rational, allow_negative_numbers = true)]
        gamma: Rational,
    },
    /// Integers from 0 to n - 1, all equally likely
    Uniform {
        /// How many integers there are, a whole number >= 1
        #[arg(long, value_parser = parse_rational, allow_negative_numbers = true)]
        below: Rational,
    },
    /// A uniform real in (0, 1), rounded down to a double
    UniformDouble,
    /// -1 or 1, equally likely
    Sign,
    /// The number of a category, from 0, drawn by weight
    Choice {
        /// The weights, as 1,2,1/2
        #[arg(long, value_parser = parse_rational, value_delimiter = ',', num_args = 1.., required = true)]
        weights: Vec<Rational>,
    },
}

/// Draws and prints.
pub fn run(arguments: &Arguments) -> Answer {
    let count = arguments.count;
    match &arguments.law {
        Law::DiscreteLaplace { scale } => {
            let scale = Scale::new(scale.clone()).map_err(bad)?;
            match DiscreteLaplace::<i64>::new(scale.clone()) {
                Ok(noise) => print_draws(&noise, count),
                Err(_) => print_draws(&DiscreteLaplace::<Integer>::new(scale).map_err(bad)?, count),
            }
        }
        Law::DiscreteGaussian { sigma2 } => {
            let sigma2 = SquaredScale::new(sigma2.clone()).map_err(bad)?;
            match DiscreteGaussian::<i64>::new(sigma2.clone()) {
                Ok(noise) => print_draws(&noise, count),
                Err(_) => print_draws(&DiscreteGaussian::<Integer>::new(sigma2).map_err(bad)?, count),
            }
        }
        Law::Geometric { scale } => {
            let scale = Scale::new(scale.clone()).map_err(bad)?;
            match Geometric::<i64>::new(scale.clone()) {
                Ok(noise) => print_draws(&noise, count),
                Err(_) => print_draws(&Geometric::<Integer>::new(scale).map_err(bad)?, count),
            }
        }
        Law::Bernoulli { prob } => {
            print_bits(&Bernoulli::new(Probability::new(prob.clone()).map_err(bad)?), count)
        }
        Law::BernoulliExp { gamma } => {
            print_bits(&BernoulliExp::new(Exponent::new(gamma.clone()).map_err(bad)?), count)
        }
        Law::Uniform { below } => {
            let below = Count::new(whole(below)?).map_err(bad)?;
            match UniformBelow::<i64>::new(below.clone()) {
                Ok(uniform) => print_draws(&uniform, count),
                Err(_) => print_draws(&UniformBelow::<Integer>::new(below).map_err(bad)?, count),
            }
        }
        Law::UniformDouble => print_draws(&UniformDouble, count),
        Law::Sign => print_draws(&Sign, count),
        Law::Choice { weights } => print_draws(&Choice::weighted(weights).map_err(bad)?, count),
    }
}

/// How many values are drawn at a time: enough to be fast, few enough to be printed as they come.
const BATCH: u64 = 4096;

fn print_draws<S: Sampler>(sampler: &S, count: u64) -> Answer
where
    S::Value: Display,
{
    stream(sampler, count, |out, value| writeln!(out, "{value}"))
}

fn print_bits<S: Sampler<Value = bool>>(sampler: &S, count: u64) -> Answer {
    stream(sampler, count, |out, value| writeln!(out, "{}", u8::from(*value)))
}

/// Draws and writes batch by batch. No value is written that was not drawn in full.
fn stream<S: Sampler>(
    sampler: &S,
    count: u64,
    write: impl Fn(&mut dyn Write, &S::Value) -> io::Result<()>,
) -> Answer {
    let mut entropy = SecureEntropy::new().map_err(Failure::new)?;
    let mut left = count;
    let mut failed = None;
    output::print(|out| {
        while left > 0 {
            let batch = left.min(BATCH);
            match sampler.sample_vec(batch as usize, &mut entropy) {
                Ok(values) => values.iter().try_for_each(|value| write(out, value))?,
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
            left -= batch;
        }
        Ok(())
    })?;
    match failed {
        Some(error) => Err(Failure::new(error)),
        None => Ok(Status::Done),
    }
}

fn bad(error: ParameterError) -> Failure {
    Failure::new(error)
}

/// A number that must be whole and not negative.
fn whole(value: &Rational) -> Result<Natural, Failure> {
    let refused = || Failure::new(format!("below = {value} is not allowed: it must be a whole number >= 1"));
    if *value.denominator() != Natural::ONE {
        return Err(refused());
    }
    Natural::try_from(value.numerator().clone()).map_err(|_| refused())
}
