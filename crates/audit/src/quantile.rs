//! Quantiles of the normal law, enclosed: which values a cell of uniform numbers stands for.

use std::collections::HashMap;

use probity_exact::{Enclosure, Rational};

use crate::cube::Cell;
use crate::normal::{self, Terms};
use crate::smooth::{Span, around};

/// Quantiles found so far, by the cell that they are an end of.
#[derive(Default)]
pub(crate) struct Quantiles {
    known: HashMap<Cell, (f64, f64)>,
}

impl Quantiles {
    /// The normal numbers of a cell. The first bit is the sign; the others are a number v, and the size is where the
    /// tail beyond it has the probability v/2.
    pub(crate) fn normal(&mut self, cell: Cell) -> Span {
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

/// Bounds of the x with 1 − Φ(x) = tail, by bisection of doubles; where an enclosure of the tail does not decide, the
/// bounds stay apart.
fn bracket(tail: &Span) -> (f64, f64) {
    let beyond = |x: f64| -> Span {
        let point = Enclosure::point(-x, ()).unwrap_or_else(|| Enclosure::everything(()));
        normal::distribution(&point, Terms::FAST)
    };
    let search = |certainly_low: &dyn Fn(&Span) -> bool, mut low: f64, mut high: f64| {
        // 1 − Φ falls: below the quantile the tail is larger.
        while low.next_up() < high {
            let middle = low / 2.0 + high / 2.0;
            if middle <= low || middle >= high {
                break;
            }
            if certainly_low(&beyond(middle)) {
                low = middle
            } else {
                high = middle
            }
            if high - low <= 1e-13 * high {
                break;
            }
        }
        (low, high)
    };
    // 1 − Φ(40) is below 2^−1000, and tails are at least 2^−63.
    let (low, _) = search(&|mass| mass.low() > tail.high(), 0.0, 40.0);
    let (_, high) = search(&|mass| mass.high() >= tail.low(), low, 40.0);
    (low, high)
}
