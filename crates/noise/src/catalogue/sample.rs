//! Samples by name, one value a line, from the calling thread's secure randomness.

use std::fmt::Display;
use std::io::Write;

use probity_exact::{Integer, Natural, Rational, UnsignedAbs, parse_rational};

use super::{Arguments, CatalogueError, find, private};
use crate::entropy::with_secure;
use crate::measurement::Measurement;
use crate::mechanisms::{
    Rule, choice, gaussian_on_grid, laplace_on_grid, renormalised_geometric, truncated_geometric,
};
use crate::sampler::{
    Bernoulli, BernoulliExp, Count, DiscreteGaussian, DiscreteLaplace, Exponent, Geometric, ParameterError,
    Sampler, UniformBelow, UniformDouble,
};

/// Values drawn at a time, so that memory does not grow with the count.
const BLOCK: usize = 4096;

/// Categories that a table of answers is made for: a gigabyte and a half.
const MOST_CATEGORIES: usize = 1 << 24;

/// Writes `count` independent values, one a line: of a sampler, or of a mechanism's answers to the argument `input`
/// (0 unless given).
///
/// ```
/// use probity_noise::catalogue::{Arguments, write_samples};
/// let mut out = Vec::new();
/// write_samples("discrete-laplace", &Arguments::new([("scale", "10")]), 1000, &mut out)?;
/// let text = String::from_utf8(out)?;
/// assert_eq!(text.lines().filter(|line| line.parse::<i64>().is_ok()).count(), 1000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the name or an argument is unknown, missing or outside its range, or the values cannot be drawn or written.
pub fn write_samples(
    name: &str,
    arguments: &Arguments,
    count: u64,
    out: &mut dyn Write,
) -> Result<(), CatalogueError> {
    // Whether there is an input is public, what it is is not: 0 is shifted by like any other.
    let shift =
        || arguments.text("input").map(|text| private("input", "an integer", || whole(text))).transpose();
    let small = || arguments.input::<i64>("a 64-bit integer");
    let float = || arguments.input::<f64>("a double");
    match find(name, arguments)?.name {
        "discrete-laplace" => {
            let scale = arguments.scale()?;
            match DiscreteLaplace::<i64>::new(scale.clone()) {
                Ok(noise) if shift()?.is_none() => draw(&noise, count, out),
                _ => draw_shifted(
                    &DiscreteLaplace::<Integer>::new(scale)?,
                    &shift()?.unwrap_or_default(),
                    count,
                    out,
                ),
            }
        }
        "discrete-gaussian" => {
            let squared_scale = arguments.squared_scale()?;
            match DiscreteGaussian::<i64>::new(squared_scale.clone()) {
                Ok(noise) if shift()?.is_none() => draw(&noise, count, out),
                _ => draw_shifted(
                    &DiscreteGaussian::<Integer>::new(squared_scale)?,
                    &shift()?.unwrap_or_default(),
                    count,
                    out,
                ),
            }
        }
        "geometric" => draw(&Geometric::<i64>::new(arguments.scale()?)?, count, out),
        "bernoulli" => draw(&Bernoulli::new(arguments.probability()?), count, out),
        "bernoulli-exp" => {
            draw(&BernoulliExp::new(Exponent::new(arguments.rational("exponent")?)?), count, out)
        }
        "uniform-integer" => {
            let below = natural("below", arguments.rational("below")?)?;
            draw(&UniformBelow::<Integer>::new(Count::new(below)?)?, count, out)
        }
        "uniform-float" => draw(&UniformDouble, count, out),
        "randomized-response" => {
            let law = arguments.response()?;
            if law.categories() > MOST_CATEGORIES {
                let allowed = "at most 16777216 to be sampled: each category has a place in memory";
                return Err(ParameterError::new("categories", law.categories(), allowed).into());
            }
            let response = law.over((0..law.categories() as i64).collect())?;
            answer(&response, small()?, count, out)
        }
        "truncated-geometric" => {
            answer(&truncated_geometric(arguments.range()?, arguments.scale()?)?, small()?, count, out)
        }
        "renormalised-geometric" => {
            answer(&renormalised_geometric(arguments.range()?, arguments.scale()?)?, small()?, count, out)
        }
        rule @ ("exponential" | "noisy-max") => {
            let scores = arguments.required("scores")?;
            let numbers = || scores.split(',').map(|score| parse_rational(score).ok()).collect();
            let scores: Vec<Rational> = private("scores", "numbers, as 1,5/2,3", numbers)?;
            let rule = if rule == "exponential" { Rule::Exponential } else { Rule::NoisyMax };
            let pick = choice(scores.len(), rule, arguments.scores()?, arguments.scale()?)?;
            answer(&pick, scores, count, out)
        }
        "laplace-on-grid" => {
            let grid = arguments.grid()?;
            answer(&laplace_on_grid(grid.widest(), grid, arguments.scale()?)?, float()?, count, out)
        }
        "gaussian-on-grid" => {
            let grid = arguments.grid()?;
            answer(&gaussian_on_grid(grid.widest(), grid, arguments.squared_scale()?)?, float()?, count, out)
        }
        "snapping" => answer(&arguments.snapping()?.measurement(), float()?, count, out),
        _ => Err(CatalogueError::Unknown { name: format!("{name} (nothing to sample)") }),
    }
}

fn whole(text: &str) -> Option<Integer> {
    parse_rational(text).ok().filter(Rational::is_int).map(|value| value.floor())
}

fn natural(name: &'static str, value: Rational) -> Result<Natural, CatalogueError> {
    match value.is_int() && value >= Rational::ZERO {
        true => Ok(value.floor().unsigned_abs()),
        false => Err(ParameterError::new(name, value, "a positive integer").into()),
    }
}

/// How many values the next block has.
fn blocks(count: u64) -> impl Iterator<Item = usize> {
    let full = count / BLOCK as u64;
    let rest = (count % BLOCK as u64) as usize;
    (0..full).map(|_| BLOCK).chain((rest > 0).then_some(rest))
}

fn line(value: &impl Display, out: &mut dyn Write) -> Result<(), CatalogueError> {
    writeln!(out, "{value}").map_err(CatalogueError::Output)
}

fn draw<S: Sampler>(sampler: &S, count: u64, out: &mut dyn Write) -> Result<(), CatalogueError>
where
    S::Value: Display,
{
    for size in blocks(count) {
        let values = with_secure(|entropy| sampler.sample_vec(size, entropy))?;
        values.iter().try_for_each(|value| line(value, out))?;
    }
    Ok(())
}

fn draw_shifted<S: Sampler<Value = Integer>>(
    sampler: &S,
    shift: &Integer,
    count: u64,
    out: &mut dyn Write,
) -> Result<(), CatalogueError> {
    for size in blocks(count) {
        let values = with_secure(|entropy| sampler.sample_vec(size, entropy))?;
        values.iter().try_for_each(|value| line(&(value + shift), out))?;
    }
    Ok(())
}

fn answer<Input: Clone, Output: Display>(
    measurement: &Measurement<Input, Output>,
    input: Input,
    count: u64,
    out: &mut dyn Write,
) -> Result<(), CatalogueError> {
    for size in blocks(count) {
        let answers = measurement.invoke_vec(&vec![input.clone(); size])?;
        answers.iter().try_for_each(|value| line(value, out))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::ENTRIES;

    fn lines(name: &str, text: &str, count: u64) -> Result<Vec<String>, String> {
        let arguments = Arguments::new(text.split_whitespace().filter_map(|pair| pair.split_once('=')));
        let mut out = Vec::new();
        write_samples(name, &arguments, count, &mut out).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(out).unwrap().lines().map(str::to_owned).collect())
    }

    #[test]
    fn everything_that_says_it_has_samples_has_them() {
        for entry in ENTRIES.iter().filter(|entry| entry.has_samples) {
            let text = match entry.name {
                "discrete-gaussian" => "squared-scale=3",
                "randomized-response" => "categories=3 prob=1/2 input=2",
                "truncated-geometric" | "renormalised-geometric" => "scale=2 lower=-3 upper=3",
                "exponential" | "noisy-max" => "scale=1 scores=1,2,5/2",
                "laplace-on-grid" | "gaussian-on-grid" => "scale=2 grid=-1 input=1.5",
                "snapping" => "epsilon=1 bound=50 input=3.5",
                "bernoulli" => "prob=1/3",
                "bernoulli-exp" => "exponent=1",
                "uniform-integer" => "below=6",
                "uniform-float" => "",
                _ => "scale=5",
            };
            assert_eq!(lines(entry.name, text, 5000).map(|lines| lines.len()), Ok(5000), "{}", entry.name);
        }
        assert!(lines("above-threshold", "threshold-scale=1 query-scale=1", 1).is_err());
    }

    /// What is refused because of a private argument does not repeat it.
    #[test]
    fn errors_do_not_repeat_what_is_private() {
        for (name, given) in [
            ("discrete-laplace", "scale=1 input=4711/2"),
            ("discrete-gaussian", "scale=1 input=x4711"),
            ("randomized-response", "categories=3 prob=1/2 input=4711e300"),
            ("truncated-geometric", "scale=1 lower=0 upper=9 input=4711"),
            ("renormalised-geometric", "scale=1 lower=0 upper=9 input=4711.5"),
            ("noisy-max", "scale=1 scores=1,x4711"),
            ("exponential", "scale=1 scores=4711,"),
            ("laplace-on-grid", "scale=1 grid=0 input=x4711"),
            ("gaussian-on-grid", "scale=1 grid=0 input=4711,4711"),
            ("snapping", "epsilon=1 bound=50 input=4711,5"),
        ] {
            let error = lines(name, given, 1).unwrap_err();
            assert!(!error.contains("4711"), "{name} {given}: {error}");
        }
    }

    /// The grid's own range is the domain, whatever the input.
    #[test]
    fn floats_beyond_a_grid_are_clamped() {
        for name in ["laplace-on-grid", "gaussian-on-grid"] {
            let end = (1u64 << 62) as f64;
            for (input, wanted) in [("1e300", end), ("-inf", -end), ("3", 3.0)] {
                let found = lines(name, &format!("scale=1/1000 grid=0 input={input}"), 1).unwrap();
                assert_eq!(found[0].parse::<f64>().unwrap(), wanted, "{name} {input}");
            }
            assert!(lines(name, "scale=1 grid=0 input=nan", 1).unwrap_err().contains("except NaN"));
        }
    }

    #[test]
    fn inputs_of_any_size_are_shifted_exactly() {
        let far = lines("discrete-laplace", "scale=1/1000 input=100000000000000000000000", 3);
        assert_eq!(far, Ok(vec!["100000000000000000000000".to_string(); 3]));
        assert!(lines("discrete-laplace", "scale=1 input=1/2", 1).unwrap_err().contains("an integer"));
        assert!(lines("truncated-geometric", "scale=1 lower=0 upper=3 input=9", 1).is_err());
    }
}
