//! Does the time of a draw tell its magnitude? A report, not a test.
//!
//! Times single draws of each noise, leaves out the slowest 1 % (interrupts, refills of the generator), and
//! prints the correlation of time with magnitude, beside a naive sampler that walks to its value and so leaks it.
//!
//! Run with `cargo run --release -p probity-noise --example timing`.

use std::hint::black_box;
use std::time::Instant;

use probity_noise::entropy::SecureEntropy;
use probity_noise::sampler::{DiscreteGaussian, DiscreteLaplace, Sampler, Scale, SquaredScale};

const DRAWS: usize = 200_000;

/// Prints the correlation between the time of a draw and its magnitude, and the mean times of small and large ones.
fn report(name: &str, mut draw: impl FnMut() -> i64) {
    let mut timed: Vec<(f64, f64)> = (0..DRAWS)
        .map(|_| {
            let start = Instant::now();
            let value = black_box(draw());
            (start.elapsed().as_nanos() as f64, value.unsigned_abs() as f64)
        })
        .collect();
    timed.sort_by(|a, b| a.0.total_cmp(&b.0));
    timed.truncate(DRAWS - DRAWS / 100);
    let count = timed.len() as f64;
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| timed.iter().map(of).sum::<f64>() / count;
    let (time, size) = (mean(&|t| t.0), mean(&|t| t.1));
    let covariance = mean(&|t| (t.0 - time) * (t.1 - size));
    let deviations = (mean(&|t| (t.0 - time).powi(2)) * mean(&|t| (t.1 - size).powi(2))).sqrt();
    let half = |large: bool| {
        let chosen: Vec<f64> = timed.iter().filter(|t| (t.1 > size) == large).map(|t| t.0).collect();
        chosen.iter().sum::<f64>() / chosen.len() as f64
    };
    println!(
        "{name:<32} correlation {:>7.4}   mean {:>6.1} ns below, {:>6.1} ns above the mean magnitude",
        covariance / deviations,
        half(false),
        half(true)
    );
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let entropy = &mut SecureEntropy::new()?;
    println!("chance alone gives a correlation within ±{:.4}", 4.0 / (DRAWS as f64).sqrt());
    for scale in [1.0, 10.0, 1e3, 1e6, 1e12] {
        let noise = DiscreteLaplace::<i64>::new(Scale::from_f64(scale)?)?;
        report(&format!("discrete Laplace, scale {scale:e}"), || {
            noise.sample(entropy).expect("the system has entropy")
        });
    }
    for sigma in [1.0, 10.0, 1e3, 1e6] {
        let noise = DiscreteGaussian::<i64>::new(SquaredScale::from_f64(sigma * sigma)?)?;
        report(&format!("discrete Gaussian, sigma {sigma:e}"), || {
            noise.sample(entropy).expect("the system has entropy")
        });
    }
    let noise = DiscreteLaplace::<i64>::new(Scale::from_f64(1e3)?)?;
    report("naive walk, scale 1e3 (leaks)", || {
        let value = noise.sample(entropy).expect("the system has entropy");
        (0..value.abs()).fold(0, |walked, _| black_box(walked + 1)) * value.signum()
    });
    Ok(())
}
