//! Guesses where the outcome of a program changes, between two single values of a draw.

use probity_exact::directed::{exp_nearest, ln_nearest};

/// What a run on a single value showed.
pub(crate) struct Sample<S> {
    pub(crate) ordinal: u64,
    pub(crate) seen: S,
    /// What was rounded to a grid, and the grid.
    pub(crate) rounded: Option<(f64, f64)>,
}

/// Where to look next between two samples that differ, in search of the end of the left one's piece.
///
/// When the last operation before the outcome rounds to a grid, the piece ends where the rounded number crosses
/// the middle between two multiples. Interpolation finds that: it aims alternately right and left of the
/// crossing, as far aside as it may err. If that does not narrow the interval, halving does.
pub(crate) struct Aim {
    /// Ordinals per binade, as an exponent.
    places: u32,
    /// The ordinal of 1.
    one: u64,
    step: u32,
    /// The width two steps ago.
    width: u64,
}

impl Aim {
    pub(crate) fn new(places: u32, one: u64) -> Aim {
        Aim { places, one, step: 0, width: u64::MAX }
    }

    pub(crate) fn next<S>(&mut self, low: &Sample<S>, high: &Sample<S>) -> u64 {
        let width = high.ordinal - low.ordinal;
        let middle = low.ordinal + width / 2;
        self.step += 1;
        if self.step % 2 == 1 && std::mem::replace(&mut self.width, width) / 4 < width {
            return middle;
        }
        let (Some((a, grid)), Some((b, _))) = (low.rounded, high.rounded) else { return middle };
        let crossing = ((a / grid).round_ties_even() + if b > a { 0.5 } else { -0.5 }) * grid;
        let share = (crossing - a) / (b - a);
        // What the last rounding hides, in ordinals.
        let hidden = 2.0 * f64::EPSILON * a.abs().max(b.abs()) / (b - a).abs() * width as f64;
        if width < 16 || !(0.0..=1.0).contains(&share) || hidden * 4.0 > width as f64 {
            return middle;
        }
        let binades = width as f64 / 2f64.powi(self.places as i32);
        let (at, aside) = match self.by_logarithm(low.ordinal, high.ordinal, share) {
            // Noise is most often linear in ln u, and then one step finds the crossing up to rounding.
            Some(at) if self.step <= 2 && binades > 0.01 => (at, hidden + 16.0 * self.binade(low.ordinal)),
            // Between ordinals h binades apart, a logarithm bends away from the chord by less than h²/4 binades; over
            // many binades by less than 0.09.
            _ => {
                let bend = (binades * 0.25).min(0.09 / binades);
                (low.ordinal + (share * width as f64) as u64, bend * width as f64 + hidden)
            }
        };
        let aside = aside as u64 + 1;
        let at =
            if self.step.is_multiple_of(2) { at.saturating_sub(aside) } else { at.saturating_add(aside) };
        at.clamp(low.ordinal + 1, high.ordinal - 1)
    }

    /// How many binades below 1 an ordinal may lie at most, at least 1: the size of its logarithm.
    fn binade(&self, ordinal: u64) -> f64 {
        let one = self.one >> self.places;
        (one.saturating_sub(ordinal >> self.places) + 1) as f64
    }

    /// The ordinal at the given share of the way in logarithms; `None` among subnormals.
    fn by_logarithm(&self, low: u64, high: u64, share: f64) -> Option<u64> {
        let size = 2f64.powi(self.places as i32);
        if low >> self.places == 0 {
            return None;
        }
        // log2 of a float, counted from the binade of the lower one.
        let base = low >> self.places;
        let mask = (1u64 << self.places) - 1;
        let ln2 = std::f64::consts::LN_2;
        let log = |ordinal: u64| {
            let fraction = (ordinal & mask) as f64 / size;
            ((ordinal >> self.places) - base) as f64 + ln_nearest(1.0 + fraction) / ln2
        };
        let at = log(low) + share * (log(high) - log(low));
        let fraction = exp_nearest((at - at.floor()) * ln2) - 1.0;
        Some(((base + at.floor() as u64) << self.places) + (fraction * size) as u64)
    }
}
