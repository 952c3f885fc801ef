//! Guesses where the outcome of a program changes, between two single values of a draw.

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
/// the middle between two multiples, and interpolation finds that in a few steps: it aims alternately a little
/// left and a little right of the crossing, and halves the interval whenever two steps did not halve it.
#[derive(Default)]
pub(crate) struct Aim {
    step: u32,
    /// The width two steps ago.
    width: u64,
}

impl Aim {
    pub(crate) fn next<S>(&mut self, low: &Sample<S>, high: &Sample<S>) -> u64 {
        let width = high.ordinal - low.ordinal;
        let middle = low.ordinal + width / 2;
        self.step += 1;
        let slow = self.step.is_multiple_of(3) && {
            let before = std::mem::replace(&mut self.width, width);
            before != 0 && width > before / 8
        };
        match (low.rounded, high.rounded) {
            (Some((a, grid)), Some((b, _))) if !slow && width > 16 => {
                let towards = if b > a { 0.5 } else { -0.5 };
                let crossing = ((a / grid).round_ties_even() + towards) * grid;
                let share = (crossing - a) / (b - a);
                if !(0.0..=1.0).contains(&share) {
                    return middle;
                }
                let aside = (width >> 9).max(2);
                let at = low.ordinal + (share * width as f64) as u64;
                let at = if self.step.is_multiple_of(2) {
                    at.saturating_sub(aside)
                } else {
                    at.saturating_add(aside)
                };
                at.clamp(low.ordinal + 1, high.ordinal - 1)
            }
            _ => middle,
        }
    }
}
