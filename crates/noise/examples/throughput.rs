//! Draws per CPU-second of every sampler, one thread, beside the insecure limit −ln(u) on the same generator.
//!
//! Run with `cargo run --release -p probity-noise --example throughput`.

// The insecure limit is what others do: the platform's ln.
#![allow(clippy::disallowed_methods)]

use std::hint::black_box;
use std::time::Instant;

use chacha20::ChaCha12Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use probity_exact::directed::ln_nearest;
use probity_exact::{Integer, Rational, rational};
use probity_noise::entropy::{Entropy, EntropyError, SecureEntropy};
use probity_noise::sampler::{
    Bernoulli, BernoulliExp, Choice, Count, DiscreteGaussian, DiscreteLaplace, Exponent, Geometric,
    Probability, Sampler, Scale, Sign, SquaredScale, UniformBelow, UniformDouble,
};

/// Values per call, and the least time that one measurement takes.
const BATCH: usize = 1 << 14;
const SECONDS: f64 = 0.15;

/// Seconds this thread has spent on a processor, where the system tells (Linux); otherwise wall-clock time.
fn seconds(origin: Instant) -> f64 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse::<f64>().ok())
        .filter(|&nanoseconds| nanoseconds > 0.0)
        .map_or_else(|| origin.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

/// Prints and returns the draws per second of `batch`, which makes [`BATCH`] of them: the best of three.
fn measure(name: &str, mut batch: impl FnMut()) -> f64 {
    batch();
    let rate = (0..3)
        .map(|_| {
            let origin = Instant::now();
            let start = seconds(origin);
            let mut batches = 0;
            while seconds(origin) - start < SECONDS {
                batch();
                batches += 1;
            }
            (batches * BATCH) as f64 / (seconds(origin) - start)
        })
        .fold(0.0, f64::max);
    println!("{name:<44} {rate:>10.2e}/s {:>9.2} ns", 1e9 / rate);
    rate
}

fn sampler<S: Sampler>(name: &str, sampler: &S, entropy: &mut SecureEntropy) -> f64 {
    let mut out = sampler.sample_vec(BATCH, entropy).expect("the system has entropy");
    measure(name, || {
        sampler.fill(black_box(&mut out), entropy).expect("the system has entropy");
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let entropy = &mut SecureEntropy::new()?;

    let mut stream = ChaCha12Rng::from_seed([7; 32]);
    let mut out = vec![0.0f64; BATCH];
    let limit = measure("insecure limit: -ln(u), ChaCha12", || {
        for value in &mut out {
            *value = -((((stream.next_u64() >> 11) + 1) as f64) * (1.0 / (1u64 << 53) as f64)).ln();
        }
        black_box(&mut out);
    });
    let mut words = vec![0u64; BATCH];
    measure("secure words", || {
        let delivered: Result<(), EntropyError> = entropy.fill_words(black_box(&mut words));
        delivered.expect("the system has entropy");
    });

    for scale in [0.5, 1.0, 10.0, 1e3, 1e6, 1e12] {
        let noise = DiscreteLaplace::<i64>::new(Scale::from_f64(scale)?)?;
        let rate = sampler(&format!("discrete Laplace, scale {scale:e}"), &noise, entropy);
        println!("{:<44} {:>10.2} times slower than the limit", "", limit / rate);
    }
    let seven_thirds = rational(7, 3).ok_or("7/3 is a rational")?;
    sampler("geometric, scale 7/3", &Geometric::<i64>::new(Scale::new(seven_thirds.clone())?)?, entropy);
    for log2 in [-60i32, 10, 40, 200] {
        let scale = match log2 < 0 {
            true => rational(1, Integer::ONE << -log2 as usize),
            false => rational(Integer::ONE << log2 as usize, 1),
        };
        let scale = Scale::new(scale.ok_or("a power of two is a rational")?)?;
        let noise = DiscreteLaplace::<Integer>::new(scale)?;
        sampler(&format!("discrete Laplace, scale 2^{log2}, big integers"), &noise, entropy);
    }
    for squared_scale in [0.25, 1.0, 100.0, 1e6, 1e12, 1e24] {
        let noise = DiscreteGaussian::<i64>::new(SquaredScale::from_f64(squared_scale)?)?;
        sampler(&format!("discrete Gaussian, squared scale {squared_scale:e}"), &noise, entropy);
    }
    sampler("Bernoulli(1/3)", &Bernoulli::new(Probability::new(rational(1, 3).ok_or("1/3")?)?), entropy);
    sampler("Bernoulli(exp(-7/3))", &BernoulliExp::new(Exponent::new(seven_thirds)?), entropy);
    sampler("uniform choice of 10", &Choice::uniform(10)?, entropy);
    let weights: Vec<Rational> = (1..=10u8).map(Rational::from).collect();
    sampler("weighted choice of 10", &Choice::weighted(&weights)?, entropy);
    let weights: Vec<Rational> = (1..=60u8).map(Rational::from).collect();
    sampler("weighted choice of 60", &Choice::weighted(&weights)?, entropy);
    let weights: Vec<Rational> = (1..=1000u16).map(Rational::from).collect();
    sampler("weighted choice of 1000", &Choice::weighted(&weights)?, entropy);
    sampler("uniform below 10^9", &UniformBelow::<i64>::new(Count::new(1_000_000_000u64)?)?, entropy);
    sampler("uniform below 2^63 - 25", &UniformBelow::<i64>::new(Count::new((1u64 << 63) - 25)?)?, entropy);
    sampler("sign", &Sign, entropy);
    sampler("U* in binary64", &UniformDouble, entropy);
    let mut uniforms = vec![0.0; BATCH];
    measure("U* and its correctly rounded ln", || {
        UniformDouble.fill(&mut uniforms, entropy).expect("the system has entropy");
        for value in &mut uniforms {
            *value = ln_nearest(*value);
        }
        black_box(&mut uniforms);
    });
    Ok(())
}
