//! Guesses where the outcome of a program changes, between two single values of a draw.

use probity_exact::directed::exp_nearest;

/// What a run on a single value showed.
pub(crate) struct Sample<S> {
    pub(crate) ordinal: u64,
    pub(crate) seen: S,
    /// What guesses are made from.
    pub(crate) trace: Trace,
}

/// What a run computed on the way, roughly.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Trace {
    /// What was last rounded to a grid, and the grid.
    pub(crate) rounded: Option<(f64, f64)>,
    /// The last logarithm.
    pub(crate) logarithm: Option<f64>,
}

/// What the ordinals of a draw count.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Scale {
    /// The floats of a format from 0 on: 2^places in each binade, 1 being the one with the given ordinal.
    Floats { places: u32, one: u64 },
    /// Integers, in a program whose numbers have so many places after the first.
    Integers { places: u32 },
}

/// Where to look next between two samples that differ, in search of the end of the left one's piece.
///
/// When the last operation before the outcome rounds to a grid, a piece ends where the rounded number crosses the
/// middle between two multiples, and the next one a grid further. Noise is most often linear in ln u, so that
/// the logarithm at the end is guessed to a unit in its last place, and then the u at which the rounded logarithm
/// steps. If guessing does not narrow the interval, halving does.
pub(crate) struct ChangePoint {
    scale: Scale,
    /// Where the piece and the one before it start, if they start where another one ends: the logarithm there, or
    /// the value.
    starts: [Option<f64>; 2],
    steps: u32,
    /// The width some steps ago.
    width: u64,
    /// How far from a guess that did not narrow the interval from both sides to look next.
    aside: u64,
    /// Whether the logarithms at the ends are neighbours.
    adjacent: bool,
}

/// Steps within which the interval must shrink to a quarter, or else it is halved.
const PATIENCE: u32 = 4;

impl ChangePoint {
    /// To find the end of the first piece.
    pub(crate) fn new(scale: Scale) -> ChangePoint {
        ChangePoint { scale, starts: [None; 2], steps: 0, width: u64::MAX, aside: 1, adjacent: false }
    }

    /// To find the end of the piece that begins with this sample.
    pub(crate) fn from<S>(&self, start: &Sample<S>) -> ChangePoint {
        ChangePoint { starts: [Some(self.position(start)), self.starts[0]], ..ChangePoint::new(self.scale) }
    }

    /// An ordinal strictly between those of the two samples, which must not be adjacent.
    pub(crate) fn next<S>(&mut self, low: &Sample<S>, high: &Sample<S>) -> u64 {
        let width = high.ordinal - low.ordinal;
        self.steps += 1;
        let stuck =
            self.steps.is_multiple_of(PATIENCE) && std::mem::replace(&mut self.width, width) / 4 < width;
        let guess = if stuck { None } else { self.guess(low, high) };
        guess.unwrap_or(low.ordinal + width / 2).clamp(low.ordinal + 1, high.ordinal - 1)
    }

    fn guess<S>(&mut self, low: &Sample<S>, high: &Sample<S>) -> Option<u64> {
        let ((a, grid), (b, _)) = (low.trace.rounded?, high.trace.rounded?);
        let (from, to) = (self.position(low), self.position(high));
        // Position per unit of what is rounded.
        let slope = (to - from) / (b - a).abs();
        let crossing = match self.starts {
            // Ties go to even multiples: every second piece has its two ends, or neither, on ties.
            [_, Some(start)] => start + 2.0 * grid * slope,
            [Some(start), None] => start + grid * slope,
            [None, None] => {
                let middle = ((a / grid).round_ties_even() + if b > a { 0.5 } else { -0.5 }) * grid;
                from + (middle - a).abs() * slope
            }
        };
        if !crossing.is_finite() || slope <= 0.0 {
            return None;
        }
        if low.trace.logarithm.is_none() || high.trace.logarithm.is_none() {
            return Some(self.toward(low.ordinal, high.ordinal, self.scale.ordinal(crossing)));
        }
        // How far apart the logarithms of the format are there.
        let unit = 2f64.powi(exponent(from) - self.scale.places());
        let apart = ((to - from) / unit).round();
        if unit <= self.scale.spacing(low.ordinal) || apart <= 0.0 || apart > 2f64.powi(60) {
            return Some(self.toward(low.ordinal, high.ordinal, self.at_logarithm(low, high, crossing)));
        }
        if apart > 1.0 {
            let steps = ((crossing - from) / unit).round().clamp(0.0, apart) as u64;
            let steps = self.toward(0, apart as u64, steps);
            return Some(self.at_logarithm(low, high, from + steps as f64 * unit));
        }
        if !std::mem::replace(&mut self.adjacent, true) {
            self.aside = 1;
        }
        // Rounded to nearest, the logarithm steps at the middle between the two, which itself is no float.
        let first = self.at_logarithm(low, high, from);
        let beyond = (to - from) / 2.0 / self.scale.spacing(first);
        Some(self.toward(low.ordinal, high.ordinal, first.saturating_add(beyond.ceil() as u64)))
    }

    /// The guess if it lies strictly between low and high; else a little aside of the end that it lies at, and each
    /// time twice as far.
    fn toward(&mut self, low: u64, high: u64, guess: u64) -> u64 {
        if low < guess && guess < high {
            return guess;
        }
        let aside = self.aside;
        self.aside = aside.saturating_mul(2);
        if aside >= (high - low) / 2 {
            low + (high - low) / 2
        } else if guess <= low {
            low + aside
        } else {
            high - aside
        }
    }

    /// In what the rounded number is taken to be linear.
    fn position<S>(&self, sample: &Sample<S>) -> f64 {
        sample.trace.logarithm.unwrap_or_else(|| self.scale.value(sample.ordinal))
    }

    /// About the ordinal at which the logarithm is the given one. That of a float is taken to be its own, that of an integer
    /// to be that of a multiple of it.
    fn at_logarithm<S>(&self, low: &Sample<S>, high: &Sample<S>, logarithm: f64) -> u64 {
        match (self.scale, low.trace.logarithm, high.trace.logarithm) {
            (Scale::Integers { .. }, Some(a), Some(b)) => {
                let start = exp_nearest(a);
                let share = (exp_nearest(logarithm) - start) / (exp_nearest(b) - start);
                low.ordinal.saturating_add((share * (high.ordinal - low.ordinal) as f64) as u64)
            }
            _ => self.scale.ordinal(exp_nearest(logarithm)),
        }
    }
}

impl Scale {
    fn places(&self) -> i32 {
        match self {
            Scale::Floats { places, .. } | Scale::Integers { places } => *places as i32,
        }
    }

    /// About the number with this ordinal; of integers, less the first one.
    fn value(&self, ordinal: u64) -> f64 {
        let Scale::Floats { places, one } = *self else { return ordinal as f64 };
        let (binade, fraction) = ((ordinal >> places) as i64, (ordinal & ((1 << places) - 1)) as f64);
        let significand = fraction / 2f64.powi(places as i32) + if binade > 0 { 1.0 } else { 0.0 };
        significand * 2f64.powi((binade.max(1) - (one >> places) as i64) as i32)
    }

    /// About the ordinal of a number.
    fn ordinal(&self, x: f64) -> u64 {
        let Scale::Floats { places, one } = *self else { return x as u64 };
        let one = (one >> places) as i64;
        let normal = (x > 0.0 && x <= 1.0).then(|| exponent(x) as i64 + one).filter(|binade| *binade > 0);
        let binade = normal.unwrap_or(1);
        let significand = x / 2f64.powi((binade - one) as i32) * 2f64.powi(places as i32);
        (((binade - 1) as u64) << places).saturating_add(significand as u64)
    }

    /// About how far apart the logarithms of a number and of the next one are.
    fn spacing(&self, ordinal: u64) -> f64 {
        let next = match *self {
            Scale::Floats { places, .. } => (ordinal & ((1 << places) - 1)) + (1 << places),
            Scale::Integers { .. } => ordinal + 1,
        };
        1.0 / next as f64
    }
}

/// The binary exponent of a normal number.
fn exponent(x: f64) -> i32 {
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023
}
