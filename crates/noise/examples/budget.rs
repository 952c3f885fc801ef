//! How long a million spends of a budget take, all different: rational losses, and losses that are logarithms.
//!
//! Run with `cargo run --release -p probity-noise --example budget`.

use std::time::{Duration, Instant};

/// How many maps are made before they are spent, so that the clock is read seldom.
const BATCH: i64 = 10_000;

use probity_exact::{Rational, rational};
use probity_noise::map::PrivacyMap;
use probity_noise::measure::Loss;
use probity_noise::mechanisms::{RandomizedResponse, discrete_laplace_map};
use probity_noise::odometer::Filter;
use probity_noise::sampler::{Probability, Scale};
use probity_noise::unit::{Epsilon, Sensitivity};

fn fraction(numerator: i64, denominator: i64) -> Result<Rational, &'static str> {
    rational(numerator, denominator).ok_or("a denominator of 0")
}

/// The time that this thread has had a processor, where the system tells; else the time on the wall, since `start`.
fn processor_time(start: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

fn report(
    name: &str,
    count: i64,
    map: impl Fn(i64) -> Result<PrivacyMap, Box<dyn std::error::Error>>,
) -> Result<(), Box<dyn std::error::Error>> {
    let filter = Filter::new(Loss::Pure(Epsilon::from_f64(1e9)?))?;
    let (mut taken, one, begin) = (Duration::ZERO, Sensitivity::from(1u32), Instant::now());
    for first in (0..count).step_by(BATCH as usize) {
        let maps = (first..count.min(first + BATCH)).map(&map).collect::<Result<Vec<_>, _>>()?;
        let start = processor_time(begin);
        for map in &maps {
            filter.spend(map, &one)?;
        }
        taken += processor_time(begin) - start;
    }
    println!("{name:<40} {count} spends in {taken:.2?} of CPU time, total {}", filter.spent()?);
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for count in [1000, 10_000, 100_000, 1_000_000] {
        report("discrete Laplace, scale 7919 + 1/i", count, |i| {
            Ok(discrete_laplace_map(&Scale::new(fraction(7919, 1)? + fraction(1, i + 1)?)?))
        })?;
        report("randomized response, p = 1/2 + 1/i", count, |i| {
            let truth = Probability::new(fraction(1, 2)? + fraction(1, i + 3)?)?;
            Ok(RandomizedResponse::new(2, truth)?.map())
        })?;
    }
    Ok(())
}
