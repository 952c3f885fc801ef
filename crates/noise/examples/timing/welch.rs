//! Do two classes of times have the same mean? Welch's t-test on several croppings, after dudect (Reparaz, Balasch, Verbauwhede 2017).
//!
//! Interrupts and refills make the slowest times meaningless, and where the difference lies is not known before. So the test is made on all
//! times and on those below each of several percentiles, taken from both classes together, and the largest |t| counts.

/// A leak is taken as found beyond this: by chance |t| gets there once in 10^5 tests or so.
pub const LEAK: f64 = 4.5;

/// The percentiles at which times are cropped; 100 is none.
const CROPS: [f64; 6] = [50.0, 75.0, 90.0, 95.0, 99.0, 100.0];

/// Fewer times than this in a class say nothing.
const LEAST: usize = 1000;

/// Mean and variance as numbers come in (Welford).
#[derive(Default)]
struct Moments {
    count: usize,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, value: f64) {
        self.count += 1;
        let off = value - self.mean;
        self.mean += off / self.count as f64;
        self.squares += off * (value - self.mean);
    }

    fn variance(&self) -> f64 {
        self.squares / (self.count - 1) as f64
    }
}

/// What the test found.
pub struct Found {
    /// The largest |t| over the croppings.
    pub t: f64,
    /// The means of the two classes on the cropping with the largest |t|.
    pub means: [f64; 2],
}

/// The test, on times with their class.
pub fn test(times: &[(f64, bool)]) -> Found {
    let mut sorted: Vec<f64> = times.iter().map(|(time, _)| *time).collect();
    sorted.sort_by(f64::total_cmp);
    let mut found = Found { t: 0.0, means: [0.0; 2] };
    for crop in CROPS {
        let last = ((sorted.len() as f64 * crop / 100.0) as usize).clamp(1, sorted.len()) - 1;
        let limit = sorted[last];
        let mut classes = [Moments::default(), Moments::default()];
        for (time, class) in times.iter().filter(|(time, _)| *time <= limit) {
            classes[usize::from(*class)].add(*time);
        }
        let [one, two] = &classes;
        if one.count.min(two.count) < LEAST {
            continue;
        }
        let error = (one.variance() / one.count as f64 + two.variance() / two.count as f64).sqrt();
        let t = ((one.mean - two.mean) / error.max(f64::MIN_POSITIVE)).abs();
        if t > found.t {
            found = Found { t, means: [one.mean, two.mean] };
        }
    }
    found
}
