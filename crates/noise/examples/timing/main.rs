//! Does the time of a draw tell the input, or the answer? A report per mechanism, and a verdict.
//!
//! Each row times single calls in which a fair coin has decided between two inputs, or sorts the calls by their answers, and asks Welch's
//! t-test whether the two classes take the same time (module `welch`). Twins that leak on purpose stand at the end: if one of them is not
//! found, the clock or the machine is too coarse and the other verdicts are worth nothing.
//!
//! Run with `cargo run --release -p probity-noise --example timing [DRAWS]`; 1000000 draws unless told otherwise. Exit code 1 when a
//! mechanism is told apart, or a twin is not.

mod report;
mod welch;

use std::hint::black_box;
use std::process::ExitCode;

use probity_exact::Rational;
use probity_noise::domain::{ClampedFloats, IntegerRange};
use probity_noise::entropy::SecureEntropy;
use probity_noise::measurement::Measurement;
use probity_noise::mechanisms::{
    Grid, RandomizedResponse, Rule, Scores, Snapping, choice_of_integers, discrete_gaussian,
    discrete_laplace, gaussian_on_grid, laplace_on_grid, randomized_response_bool, renormalised_geometric,
    truncated_geometric,
};
use probity_noise::sampler::{Bernoulli, Choice, DiscreteLaplace, Probability, Sampler, Scale, SquaredScale};
use probity_noise::unit::{Epsilon, Sensitivity};
use report::{Failure, Report};

/// Measurements as rows.
/// How often each input lies in memory.
const COPIES: usize = 8;

impl Report {
    /// One of two inputs.
    fn inputs<Input, Output>(
        &mut self,
        name: &str,
        measurement: &Measurement<Input, Output>,
        inputs: [Input; 2],
    ) -> Result<(), Failure>
    where
        Input: Clone + 'static,
        Output: 'static,
    {
        // Copies in turns: where an input lies in memory must not pass for what it is.
        let copies = vec![inputs; COPIES];
        let mut turn = 0;
        self.row(name, self.draws, false, None, |class| {
            turn = (turn + 1) % COPIES;
            black_box(measurement.invoke(black_box(&copies[turn][usize::from(class)]))?);
            Ok(0)
        })
    }

    /// One input, sorted by the answer, which is taken down as an integer.
    fn answers<Input, Output>(
        &mut self,
        name: &str,
        measurement: &Measurement<Input, Output>,
        input: Input,
        code: impl Fn(Output) -> i64,
        sort: impl Fn(i64) -> bool,
    ) -> Result<(), Failure>
    where
        Input: 'static,
        Output: 'static,
    {
        self.row(name, self.draws, false, Some(&sort), |_| Ok(code(measurement.invoke(black_box(&input))?)))
    }
}

/// An integer is taken down as it is.
fn same(answer: i64) -> i64 {
    answer
}

fn main() -> Result<ExitCode, Failure> {
    let mut report = Report::begin()?;
    for scale in [1.0, 10.0, 1e6] {
        let noise = discrete_laplace(IntegerRange::WIDEST, Scale::from_f64(scale)?)?;
        report.inputs(
            &format!("discrete Laplace {scale:e}: 0 or 10^15"),
            &noise,
            [0, 1_000_000_000_000_000],
        )?;
        let middle = (0.7 * scale) as i64;
        report.answers(&format!("discrete Laplace {scale:e}: near or far"), &noise, 0, same, |y| {
            y.abs() > middle
        })?;
        report.answers(&format!("discrete Laplace {scale:e}: below or above"), &noise, 0, same, |y| y > 0)?;
    }
    for sigma in [1.0, 10.0, 1e3] {
        let noise = discrete_gaussian(IntegerRange::WIDEST, SquaredScale::from_f64(sigma * sigma)?)?;
        report.inputs(
            &format!("discrete Gaussian {sigma:e}: 0 or 10^15"),
            &noise,
            [0, 1_000_000_000_000_000],
        )?;
        let middle = (0.7 * sigma) as i64;
        report.answers(&format!("discrete Gaussian {sigma:e}: near or far"), &noise, 0, same, |y| {
            y.abs() > middle
        })?;
    }
    let coin = randomized_response_bool(Probability::from_f64(0.75)?)?;
    report.inputs("randomized response, bool: false or true", &coin, [false, true])?;
    report.answers("randomized response, bool: lie or truth", &coin, true, i64::from, |y| y == 1)?;
    let law = RandomizedResponse::new(10, Probability::from_f64(0.5)?)?;
    let ten = law.over((0..10i64).collect())?;
    report.inputs("randomized response, 10: first or last", &ten, [0, 9])?;
    report.inputs("randomized response, 10: inside or outside", &ten, [3, 77])?;
    report.answers("randomized response, 10: lie or truth", &ten, 3, same, |y| y == 3)?;
    let blocks = [vec![3i64; 500], vec![77; 500]];
    report.row(
        "randomized response, 500 at once: inside or outside",
        report.draws / 50,
        false,
        None,
        |class| {
            black_box(ten.invoke_vec(black_box(&blocks[usize::from(class)]))?);
            Ok(0)
        },
    )?;
    for (name, rule) in [("noisy max", Rule::NoisyMax), ("exponential mechanism", Rule::Exponential)] {
        let pick = choice_of_integers(50, rule, Scores::Any, Scale::from_f64(200.0)?)?;
        let flat = vec![0i64; 50];
        let mut peaked = flat.clone();
        peaked[7] = 100_000;
        report.inputs(&format!("{name} of 50: all equal or one far above"), &pick, [flat.clone(), peaked])?;
        let spread: Vec<i64> = (0..50).map(|i| i * 7).collect();
        report.inputs(&format!("{name} of 50: all equal or spread"), &pick, [flat.clone(), spread])?;
        report.answers(
            &format!("{name} of 50: first or second half"),
            &pick,
            flat,
            |index| index as i64,
            |index| index < 25,
        )?;
    }
    let range = IntegerRange::new(0, 100)?;
    let truncated = truncated_geometric(range, Scale::from_f64(10.0)?)?;
    report.inputs("truncated geometric: end or middle", &truncated, [0, 50])?;
    report.answers("truncated geometric: at the end or not", &truncated, 0, same, |y| y == 0)?;
    for (name, scale) in [("renormalised geometric", 10.0), ("renormalised geometric, wide", 500.0)] {
        let noise = renormalised_geometric(range, Scale::from_f64(scale)?)?;
        report.inputs(&format!("{name}: end or middle"), &noise, [0, 50])?;
        report.answers(&format!("{name}: low or high"), &noise, 50, same, |y| y < 50)?;
    }
    let floats = ClampedFloats::new(-1e3, 1e3)?;
    let noise = laplace_on_grid(floats, Grid::new(-20)?, Scale::from_f64(10.0)?)?;
    report.inputs("Laplace on a grid: subnormal or 1", &noise, [f64::from_bits(12345), 1.0])?;
    report.inputs("Laplace on a grid: 0 or beyond the bounds", &noise, [0.0, 1e300])?;
    report.inputs("Laplace on a grid: -0.3 or 700", &noise, [-0.3, 700.0])?;
    let bits = |y: f64| y.to_bits() as i64;
    let beyond = |limit: f64| move |y: i64| f64::from_bits(y as u64).abs() > limit;
    report.answers("Laplace on a grid: near or far", &noise, 0.0, bits, beyond(7.0))?;
    let noise = gaussian_on_grid(floats, Grid::new(-20)?, SquaredScale::from_f64(100.0)?)?;
    report.inputs("Gaussian on a grid: 0 or beyond the bounds", &noise, [0.0, 1e300])?;
    report.inputs("Gaussian on a grid: subnormal or 1", &noise, [f64::from_bits(12345), 1.0])?;
    let snapping = Snapping::new(&Epsilon::from_f64(1.0)?, Sensitivity::from(1u32), 100.0)?.measurement();
    report.inputs("snapping: 0.3 or 50", &snapping, [0.3, 50.0])?;
    report.inputs("snapping: subnormal or 50", &snapping, [f64::from_bits(12345), 50.0])?;
    report.inputs("snapping: 0 or beyond the bound", &snapping, [0.0, 1e300])?;
    report.answers("snapping: near or far", &snapping, 0.3, bits, beyond(1.0))?;
    report.answers("snapping: next to its input or not", &snapping, 0.3, bits, beyond(0.5))?;
    samplers(&mut report)?;
    twins(&mut report)?;
    Ok(report.end())
}

/// Samplers that mechanisms are made of.
fn samplers(report: &mut Report) -> Result<(), Failure> {
    let entropy = &mut SecureEntropy::new()?;
    let coin = Bernoulli::new(Probability::from_f64(0.3)?);
    report.row("coin with 3/10: tails or heads", report.draws, false, Some(&|y| y == 1), |_| {
        Ok(i64::from(coin.sample(entropy)?))
    })?;
    let weights: Vec<Rational> = (1..=1000u32).map(Rational::from).collect();
    let choice = Choice::weighted(&weights)?;
    report.row("weighted choice of 1000: low or high", report.draws, false, Some(&|y| y > 700), |_| {
        Ok(choice.sample(entropy)? as i64)
    })
}

/// Leaks on purpose, which must be found.
fn twins(report: &mut Report) -> Result<(), Failure> {
    let entropy = &mut SecureEntropy::new()?;
    let noise = DiscreteLaplace::<i64>::new(Scale::from_f64(100.0)?)?;
    report.row(
        "TWIN: noise that walks to its value: near or far",
        report.draws,
        true,
        Some(&|y| y > 70),
        |_| {
            let value = noise.sample(entropy)?;
            let walked = (0..value.abs()).fold(0i64, |walked, _| black_box(walked + 1));
            Ok(walked)
        },
    )?;
    let coin = Bernoulli::new(Probability::from_f64(0.75)?);
    report.row(
        "TWIN: a lie that takes a jump more: lie or truth",
        report.draws,
        true,
        Some(&|y| y == 1),
        |_| {
            let honest = coin.sample(entropy)?;
            if !honest {
                black_box(black_box(12345u64) / black_box(7));
            }
            Ok(i64::from(honest))
        },
    )?;
    let categories: Vec<i64> = (0..200).collect();
    report.row("TWIN: a search that ends when it finds: first or last", report.draws, true, None, |class| {
        let wanted = black_box(if class { 199 } else { 0 });
        black_box(categories.iter().position(|category| black_box(*category) == wanted));
        Ok(0)
    })
}
