//! Measuring: CPU time of this thread, with a warm-up, the contenders of a row taking turns.

use std::hint::black_box;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::Failure;

/// How long each repetition runs at least, and how many there are. The best one counts: many short ones find the
/// moments in which nothing else disturbs the core.
const REPETITION: Duration = Duration::from_millis(10);
const REPETITIONS: usize = 15;

/// Something to measure: a call that makes `items` samples or results.
///
/// ```
/// use probity_bench::work::Work;
/// let mut sum = 0u64;
/// let mut work = Work::new(1000, move || {
///     sum += (0..1000).map(std::hint::black_box).sum::<u64>();
///     std::hint::black_box(sum);
///     Ok(())
/// });
/// let mut all = [Some(&mut work), None];
/// let seconds = probity_bench::work::measure(&mut all).unwrap();
/// assert!(seconds[0].unwrap() > 0.0 && seconds[1].is_none());
/// ```
pub struct Work {
    items: u64,
    call: Box<dyn FnMut() -> Result<(), Failure>>,
}

impl Work {
    /// Work whose every call makes `items` items.
    pub fn new(items: u64, call: impl FnMut() -> Result<(), Failure> + 'static) -> Self {
        Work { items, call: Box::new(call) }
    }

    /// CPU time of so many calls.
    fn time(&mut self, calls: u32) -> Result<Duration, Failure> {
        let start = cpu_time();
        for _ in 0..calls {
            (self.call)()?;
        }
        Ok(cpu_time().saturating_sub(start))
    }

    /// Warms up, and finds the number of calls that fill a repetition.
    fn calibrate(&mut self) -> Result<u32, Failure> {
        let mut calls = 1;
        loop {
            let taken = self.time(calls)?;
            if taken >= REPETITION {
                return Ok(calls);
            }
            let missing = REPETITION.as_secs_f64() / taken.as_secs_f64().max(1e-9);
            calls = (f64::from(calls) * missing.clamp(1.2, 10.0)).ceil() as u32;
        }
    }
}

/// Work that runs an operation on a fixed list of operands: positive, of moderate size, as the ones that
/// privacy maps are made of.
pub fn over_operands<Answer>(operation: impl Fn(f64, f64) -> Answer + 'static) -> Work {
    let pairs: Vec<(f64, f64)> =
        (1..=512).map(|i| (f64::from(i) * 0.037 + 1e-3, f64::from(i * 7919 % 512) * 0.011 + 0.02)).collect();
    Work::new(pairs.len() as u64, move || {
        for &(a, b) in &pairs {
            black_box(operation(black_box(a), black_box(b)));
        }
        Ok(())
    })
}

fn cpu_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    // The kernel's fields are never negative.
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32)
}

/// Seconds per item of each contender, the best of the repetitions. The contenders take turns, so that a
/// disturbance of the machine meets all of them.
pub fn measure(contenders: &mut [Option<&mut Work>]) -> Result<Vec<Option<f64>>, Failure> {
    let mut calls = Vec::new();
    for work in contenders.iter_mut() {
        calls.push(work.as_mut().map_or(Ok(0), |work| work.calibrate())?);
    }
    let mut best: Vec<Option<f64>> = vec![None; contenders.len()];
    for _ in 0..REPETITIONS {
        for ((work, calls), best) in contenders.iter_mut().zip(&calls).zip(&mut best) {
            if let Some(work) = work {
                let items = work.items as f64 * f64::from(*calls);
                let seconds = work.time(*calls)?.as_secs_f64() / items;
                *best = Some(best.map_or(seconds, |best| best.min(seconds)));
            }
        }
    }
    Ok(best)
}
