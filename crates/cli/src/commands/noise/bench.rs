//! `probity bench`: how fast it is on this machine. Peers are measured in `bench/`, which builds them.

use std::hint::black_box;
use std::time::Instant;

use probity_exact::{Rational, directed, fraction};
use probity_noise::entropy::SecureEntropy;
use probity_noise::mechanisms::discrete_laplace_map;
use probity_noise::sampler::{
    Bernoulli, Choice, DiscreteGaussian, DiscreteLaplace, Probability, Sampler, Scale, SquaredScale,
    UniformDouble,
};
use probity_noise::unit::Sensitivity;
use serde_json::json;

use crate::failure::{Answer, Failure, Status};
use crate::output;
use crate::progress::Progress;

/// How to show it.
#[derive(clap::Args)]
pub struct Arguments {
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Values drawn in one call, and the least time of one measurement in seconds.
const BATCH: usize = 1 << 14;
const SECONDS: f64 = 0.05;

/// A name and nanoseconds for one operation.
type Row = (String, f64);

/// Measures.
pub fn run(arguments: &Arguments) -> Answer {
    let progress = Progress::new();
    let mut rows: Vec<Row> = Vec::new();
    let mut add = |row: Row| {
        progress.show(|| row.0.clone());
        rows.push(row);
    };
    samplers(&mut add)?;
    arithmetic(&mut add);
    let scale = Scale::new(fraction::<7, 3>()).map_err(Failure::new)?;
    let map = discrete_laplace_map(&scale);
    let distance = Sensitivity::from(2u32);
    add(measure("privacy map of discrete Laplace", 1, || {
        black_box(map.loss(&distance).is_ok());
    }));
    drop(progress);
    if arguments.json {
        let values =
            rows.iter().map(|(name, ns)| json!({"name": name, "nanoseconds": ns, "per_second": 1e9 / ns}));
        output::json(&values.collect())?;
    } else {
        let cells =
            rows.iter().map(|(name, ns)| vec![name.clone(), format!("{ns:.2}"), format!("{:.2e}", 1e9 / ns)]);
        output::table(&["what", "ns each", "per second"], cells)?;
        output::print(|out| {
            writeln!(
                out,
                "\none thread, best of five; beside peers: cargo run --release --manifest-path bench/Cargo.toml"
            )
        })?;
    }
    Ok(Status::Done)
}

fn samplers(add: &mut dyn FnMut(Row)) -> Result<(), Failure> {
    let bad = Failure::new;
    for scale in ["1/2", "1", "10", "1000", "1000000", "1000000000000"] {
        let exact: Rational = probity_exact::parse_rational(scale).map_err(Failure::new)?;
        let laplace = DiscreteLaplace::<i64>::new(Scale::new(exact.clone()).map_err(bad)?).map_err(bad)?;
        add(draws(&format!("discrete Laplace, scale {scale}"), &laplace)?);
        let squared = SquaredScale::new(&exact * &exact).map_err(bad)?;
        let gaussian = DiscreteGaussian::<i64>::new(squared).map_err(bad)?;
        add(draws(&format!("discrete Gaussian, sigma {scale}"), &gaussian)?);
    }
    let third = fraction::<1, 3>();
    add(draws("Bernoulli(1/3)", &Bernoulli::new(Probability::new(third).map_err(bad)?))?);
    add(draws("choice of 10", &Choice::uniform(10).map_err(bad)?)?);
    add(draws("U*: a uniform double with all its bits", &UniformDouble)?);
    let mut entropy = SecureEntropy::new().map_err(Failure::new)?;
    let mut out = vec![0.0; BATCH];
    let mut failed = None;
    add(measure("U* and a correctly rounded ln", BATCH, || {
        failed = UniformDouble.fill(&mut out, &mut entropy).err();
        out.iter_mut().for_each(|u| *u = directed::ln_nearest(*u));
        black_box(&mut out);
    }));
    match failed {
        Some(error) => Err(Failure::new(error)),
        None => Ok(()),
    }
}

/// An operation on doubles with its rounding direction in the name.
type Operation = fn(f64, f64) -> f64;

fn arithmetic(add: &mut dyn FnMut(Row)) {
    let inputs: Vec<(f64, f64)> = (1..=BATCH).map(|i| (i as f64 / 163.0, 1.0 / i as f64)).collect();
    let operations: [(&str, Operation); 6] = [
        ("add_up", directed::add_up),
        ("mul_up", directed::mul_up),
        ("div_up", directed::div_up),
        ("sqrt_up", |a, _| directed::sqrt_up(a)),
        ("ln_up", |a, _| directed::ln_up(a)),
        ("exp_up", |a, _| directed::exp_up(a)),
    ];
    for (name, operation) in operations {
        add(measure(name, BATCH, || {
            let sum = inputs.iter().fold(0u64, |sum, &(a, b)| sum ^ operation(a, b).to_bits());
            black_box(sum);
        }));
    }
}

fn draws<S: Sampler>(name: &str, sampler: &S) -> Result<Row, Failure> {
    let mut entropy = SecureEntropy::new().map_err(Failure::new)?;
    let mut out = sampler.sample_vec(BATCH, &mut entropy).map_err(Failure::new)?;
    let mut failed = None;
    let row = measure(name, BATCH, || failed = sampler.fill(black_box(&mut out), &mut entropy).err());
    match failed {
        Some(error) => Err(Failure::new(error)),
        None => Ok(row),
    }
}

/// The best of five measurements: what else runs on the machine only ever slows one down.
fn measure(name: &str, size: usize, mut batch: impl FnMut()) -> Row {
    batch();
    let best = (0..5)
        .map(|_| {
            let start = Instant::now();
            let mut batches = 0u32;
            while start.elapsed().as_secs_f64() < SECONDS {
                batch();
                batches += 1;
            }
            start.elapsed().as_secs_f64() / f64::from(batches) / size as f64
        })
        .fold(f64::INFINITY, f64::min);
    (name.to_owned(), best * 1e9)
}
