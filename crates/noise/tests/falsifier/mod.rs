//! A statistical falsifier: does a sample contradict the law it is said to have?
//!
//! Draws are counted in cells of known probability and compared by Pearson's chi-square. It can only refute:
//! the exact-law tests are what shows a law; this catches what they may share with the code.

/// Draws per verdict.
pub const DRAWS: usize = 1_000_000;

/// Standard normal deviations beyond which a law counts as refuted: a probability of 1e-9 for an honest one.
pub const REFUTED: f64 = 6.0;

/// Cells with fewer expected draws than this are merged with their neighbours.
const LEAST_EXPECTED: f64 = 40.0;

/// How far the counts lie beyond what chance explains, as a standard normal deviation.
///
/// Chi-square with k degrees of freedom, brought to the normal scale by Wilson and Hilferty's cube root.
pub fn deviation(probabilities: &[f64], counts: &[u64]) -> f64 {
    assert_eq!(probabilities.len(), counts.len());
    let total_probability: f64 = probabilities.iter().sum();
    assert!((total_probability - 1.0).abs() < 1e-9, "the cells add up to {total_probability}");
    let total = counts.iter().sum::<u64>() as f64;
    let (mut statistic, mut cells) = (0.0, 0);
    let (mut expected, mut seen) = (0.0, 0.0);
    let mut close = |expected: f64, seen: f64| {
        statistic += (seen - expected).powi(2) / expected;
        cells += 1;
    };
    for (at, (probability, count)) in probabilities.iter().zip(counts).enumerate() {
        // What has probability zero must not happen at all.
        if *probability == 0.0 && *count > 0 {
            return f64::INFINITY;
        }
        expected += probability * total;
        seen += *count as f64;
        let rest: f64 = probabilities[at + 1..].iter().sum::<f64>() * total;
        if expected >= LEAST_EXPECTED && !(1e-6..LEAST_EXPECTED).contains(&rest) {
            close(expected, seen);
            (expected, seen) = (0.0, 0.0);
        }
    }
    if expected > 0.5 || seen > 0.0 {
        close(expected.max(0.5), seen);
    }
    assert!(cells > 1, "one cell tests nothing");
    let k = (cells - 1) as f64;
    ((statistic / k).cbrt() - (1.0 - 2.0 / (9.0 * k))) / (2.0 / (9.0 * k)).sqrt()
}

/// Counts `draws` in `cells` cells and measures their deviation.
pub fn deviation_of<V>(
    probabilities: &[f64],
    draws: impl IntoIterator<Item = V>,
    cell: impl Fn(V) -> usize,
) -> f64 {
    let mut counts = vec![0; probabilities.len()];
    for draw in draws {
        counts[cell(draw)] += 1;
    }
    deviation(probabilities, &counts)
}

/// Cells of two-sided noise: zero, then stretches of magnitudes for each sign.
pub struct Stretches {
    /// Where the stretches of magnitudes begin, in increasing order, the first of them at 1.
    starts: Vec<f64>,
}

impl Stretches {
    /// Single magnitudes while the scale is small; about 100 stretches of similar probability otherwise.
    pub fn new(scale: f64, magnitude_at: impl Fn(f64) -> f64) -> Self {
        let mut starts: Vec<f64> = match scale < 30.0 {
            true => (1..400).map(f64::from).collect(),
            false => (0..100).map(|at| magnitude_at(1.0 - f64::from(at) / 100.0).ceil().max(1.0)).collect(),
        };
        starts.dedup();
        Stretches { starts }
    }

    /// The cell of a draw.
    pub fn cell(&self, draw: f64) -> usize {
        match self.starts.partition_point(|&start| start <= draw.abs()) {
            0 => 0,
            stretch => 2 * stretch - usize::from(draw > 0.0),
        }
    }

    /// The cells' probabilities, from that of a positive stretch from one magnitude up to another (exclusive).
    pub fn probabilities(&self, positive: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let mut probabilities = vec![0.0];
        for (at, start) in self.starts.iter().enumerate() {
            let end = self.starts.get(at + 1).copied().unwrap_or(f64::INFINITY);
            probabilities.extend([positive(*start, end); 2]);
        }
        probabilities[0] = 1.0 - probabilities.iter().sum::<f64>();
        probabilities
    }
}
