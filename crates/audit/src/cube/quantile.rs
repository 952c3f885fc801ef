//! Quantiles of the normal law, enclosed: which values a cell of uniform numbers stands for.

use std::collections::HashMap;

use probity_exact::{Enclosure, Rational, directed};

use crate::cube::world::Cell;
use crate::integrate::normal::{self, Terms};
use crate::integrate::smooth::{Interval, around};

/// Quantiles found so far, by the cell that they are an end of.
#[derive(Default)]
pub(crate) struct Quantiles {
    known: HashMap<Cell, (f64, f64)>,
}

impl Quantiles {
    /// The normal numbers of a cell. The first bit is the sign; the others are a number v, and the size is where the
    /// tail beyond it has the probability v/2.
    pub(crate) fn normal(&mut self, cell: Cell) -> Interval {
        let Some((sign, rest)) = cell.first_bit() else { return Enclosure::everything(()) };
        let upper_end = Cell { level: rest.level, index: rest.index + 1 };
        let (low, high) = (self.tail_quantile(upper_end).0, self.tail_quantile(rest).1);
        let size = Enclosure::new(low, high, ()).unwrap_or_else(|| Enclosure::everything(()));
        if sign { size } else { -size }
    }

    /// Bounds of the x ≥ 0 with 1 − Φ(x) = v/2, for v = index/2^level.
    fn tail_quantile(&mut self, end: Cell) -> (f64, f64) {
        if end.index == 0 {
            return (f64::MAX, f64::INFINITY);
        }
        if end.index == 1 << end.level {
            return (0.0, 0.0);
        }
        if let Some(&found) = self.known.get(&end) {
            return found;
        }
        let tail = end.ends().0 / Rational::from(2);
        let found = bracket(&around(&tail));
        self.known.insert(end, found);
        found
    }
}

/// Bounds of the x with 1 − Φ(x) = tail, for 0 < tail < 1/2: Newton's method guesses, and enclosures of the tail at both
/// bounds decide. 1 − Φ falls, so x lies above every number with a larger tail and below every one with a smaller.
fn bracket(tail: &Interval) -> (f64, f64) {
    let beyond = |x: f64| -> Interval {
        let point = Enclosure::point(-x, ()).unwrap_or_else(|| Enclosure::everything(()));
        normal::distribution(&point, Terms::FAST)
    };
    let middle = |x: &Interval| x.low() / 2.0 + x.high() / 2.0;
    let mut guess = 0.0;
    for _ in 0..60 {
        // On ln of the tail, which is concave: from 0 the method rises to the quantile without passing it.
        let (mass, goal) = (middle(&beyond(guess)), middle(tail));
        let point = Enclosure::point(guess, ()).unwrap_or_else(|| Enclosure::everything(()));
        let slope = middle(&normal::density(&point)) / mass;
        let step = directed::ln_nearest(mass / goal) / slope;
        if !step.is_finite() {
            break;
        }
        guess = (guess + step).clamp(0.0, 40.0);
        if step.abs() <= 1e-14 * guess {
            break;
        }
    }
    // 1 − Φ(40) is below 2^−1000, and tails are at least 2^−63.
    let (mut low, mut high) = (0.0, 40.0);
    for slack in [1e-14, 1e-13, 1e-12, 1e-10, 1e-6] {
        let below = (guess - slack * guess).max(0.0);
        if low == 0.0 && beyond(below).low() > tail.high() {
            low = below;
        }
        let above = guess + slack * guess + slack;
        if high == 40.0 && above < 40.0 && beyond(above).high() < tail.low() {
            high = above;
        }
    }
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    /// Φ(1.96) and its like, from tables: the size beyond which a normal number lies with probability v.
    #[test]
    fn quantiles_of_tables() {
        for (v, size) in [(1, 0.0), (2, 0.6744897501960817), (1024, 3.297193345691964)] {
            let (low, high) = bracket(&around(&rational(1, 2 * v).unwrap()));
            assert!(
                low <= size + 1e-14 && size <= high + 1e-14 && (v == 1 || high - low < 1e-11),
                "{low} {high}"
            );
        }
    }

    /// The two halves of a cell are the cell, and a wrong sign would not be.
    #[test]
    fn cells_nest() {
        let mut quantiles = Quantiles::default();
        for level in 1..12 {
            for index in 0..1 << level {
                let cell = Cell { level, index };
                let [a, b] = cell.halves().map(|half| quantiles.normal(half));
                let whole = quantiles.normal(cell);
                assert!(a.is_within(&whole) && b.is_within(&whole), "{cell:?}");
                assert!(!(-a).is_within(&whole), "{cell:?}");
            }
        }
    }
}
