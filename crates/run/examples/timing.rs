//! Does the time of a run tell its input or its answer? A report, not a test.
//!
//! Times single runs of texts without branches that depend on data, on two inputs in turns, leaves out the slowest
//! 1 % (interrupts, refills of the generator), and prints the mean times of both inputs and the correlation of time with
//! the answer.
//!
//! Run with `cargo run --release -p probity-run --example timing`.

use std::hint::black_box;
use std::time::Instant;

use probity_noise::entropy::SecureEntropy;
use probity_run::{Proved, Session, Setting, Value};

const RUNS: usize = 200_000;

fn size(value: &Value) -> f64 {
    match value {
        Value::Number(number) => number.to_f64().value().abs(),
        Value::Truth(truth) => f64::from(u8::from(*truth)),
        Value::List(items) => items.iter().map(size).sum(),
    }
}

fn mean(of: impl Iterator<Item = f64> + Clone) -> f64 {
    of.clone().sum::<f64>() / of.count() as f64
}

/// The times and answers of runs on two inputs, in turns.
fn measure(sessions: &mut [Session; 2]) -> Result<[Vec<(f64, f64)>; 2], Box<dyn std::error::Error>> {
    let mut entropy = SecureEntropy::new()?;
    let mut timed = [Vec::new(), Vec::new()];
    for run in 0..2 * RUNS {
        let start = Instant::now();
        let value = black_box(sessions[run % 2].run(&mut entropy)?);
        timed[run % 2].push((start.elapsed().as_nanos() as f64, size(&value)));
    }
    for times in &mut timed {
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        times.truncate(RUNS - RUNS / 100);
    }
    Ok(timed)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("chance alone gives a correlation within ±{:.4}", 4.0 / (RUNS as f64).sqrt());
    let rows: [(&str, &str, [&str; 2], Option<&str>); 4] = [
        ("laplace", "eps=1", ["x=0", "x=123456.789"], Some("1/1024")),
        ("discrete_laplace", "scale=10 d=1", ["x=0", "x=123456"], None),
        ("partial_sum", "eps=1", ["q=[0, 0, 0]", "q=[0.1, 1000, -7]"], Some("1/1024")),
        ("noisy_histogram", "eps=1", ["q=[0, 0, 0]", "q=[0.1, 1000, -7]"], Some("1/1024")),
    ];
    for (name, settings, inputs, grid) in rows {
        let path = format!("{}/../../mechanisms/{name}.dp", env!("CARGO_MANIFEST_DIR"));
        let settings: Vec<Setting> = settings.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        let mut proved = Proved::load(&std::fs::read_to_string(path)?)?.with(&settings)?;
        if let Some(grid) = grid {
            proved = proved.on_grid(probity_exact::parse_rational(grid)?)?;
        }
        let mut sessions = [proved.prepare(&inputs[0].parse()?)?, proved.prepare(&inputs[1].parse()?)?];
        let timed = measure(&mut sessions)?;
        for (input, times) in inputs.iter().zip(&timed) {
            let (time, value) = (mean(times.iter().map(|t| t.0)), mean(times.iter().map(|t| t.1)));
            let covariance = mean(times.iter().map(|t| (t.0 - time) * (t.1 - value)));
            let spread = mean(times.iter().map(|t| (t.0 - time).powi(2)))
                * mean(times.iter().map(|t| (t.1 - value).powi(2)));
            println!(
                "{name:<20} {input:<24} mean {time:>7.1} ns   correlation with the answer {:>7.4}",
                covariance / spread.sqrt()
            );
        }
    }
    Ok(())
}
