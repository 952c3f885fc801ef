//! One mechanism on the lattice of losses o + j·h: a law that dominates its pair, and one that the pair dominates.
//!
//! Both are convex piecewise linear curves with corners at the lattice only (`docs/accounting.md`, section 3). Above, the
//! curve connects upper bounds of H at the lattice points. Below, it connects min(T_{j−1}, T_j), T_j being the line of an
//! event near the middle of the cell j. The lower convex hull of either stays on its side of H. Corners are exact
//! dyadic numbers, so the hull is decided by integers.

use std::time::Instant;

use probity_exact::{BitTest, Integer, Natural, Rational, exp_bounds};

use crate::fixed::{self, natural};
use crate::laws::{Curve, Real};

/// Losses o + j·h for lo ≤ j ≤ hi.
#[derive(Debug, Clone)]
pub(crate) struct Lattice {
    pub offset: Real,
    pub step: Real,
    pub lo: i64,
    pub hi: i64,
}

/// Masses under P at the points of a lattice, with b fractional bits, and at infinity.
#[derive(Debug, Clone)]
pub(crate) struct Law {
    pub lo: i64,
    pub masses: Vec<Natural>,
    pub infinite: Natural,
}

/// The two laws of a mechanism.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub bits: usize,
    /// Dominates: its losses are those of the lattice.
    pub above: Law,
    /// Is dominated: its losses are those of the lattice less `slack`.
    pub below: Law,
    pub slack: Rational,
}

/// How many points are looked at between two looks at the clock. One point may take long: it has thousands of bits at times.
const BETWEEN_LOOKS: usize = 16;

/// Whether a look at the clock is due, and the time is over.
fn is_over(point: usize, deadline: Instant) -> bool {
    point.is_multiple_of(BETWEEN_LOOKS) && Instant::now() > deadline
}

/// Ratios e^(o + j·h) rounded down, and a bound of how much ln of them lies below.
fn ratios(lattice: &Lattice, bits: usize, deadline: Instant) -> Option<(Vec<Natural>, Rational)> {
    let guard = 64;
    let wide = bits + guard;
    let at = |j: i64| {
        let steps = Rational::from(j);
        let (a, b) = (&lattice.step.low * &steps, &lattice.step.high * &steps);
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        (&lattice.offset.low + a, &lattice.offset.high + b)
    };
    let power = |low: &Rational, high: &Rational| {
        let down = exp_bounds(low, wide as u32 + 8).0.to_rational()?;
        let up = exp_bounds(high, wide as u32 + 8).1.to_rational()?;
        Some((natural(fixed::floor(&down, wide)), natural(fixed::ceil(&up, wide))))
    };
    let (first, last) = at(lattice.lo);
    let (mut low, mut high) = power(&first, &last)?;
    let (factor_low, factor_high) = power(&lattice.step.low, &lattice.step.high)?;
    let count = (lattice.hi - lattice.lo + 1) as usize;
    let mut found = Vec::with_capacity(count);
    let mut agreement = usize::MAX;
    for j in 0..count {
        if is_over(j, deadline) {
            return None;
        }
        let cut = &low >> guard;
        let off = &high - (&cut << guard);
        agreement = agreement.min(high.bit_len().saturating_sub(off.bit_len() + 1));
        found.push(cut);
        low = fixed::mul_down(&low, &factor_low, wide);
        high = fixed::mul_up(&high, &factor_high, wide);
    }
    // cut ≥ high·(1 − 2^−agreement), so ln cut ≥ ln high − 2·2^−agreement; an agreement of a few bits is useless.
    if agreement < 40 {
        return None;
    }
    Some((found, Rational::from_parts(Integer::from(2), Natural::ONE << agreement)))
}

/// The line P(E) − γ·Q(E) of an event, or below it.
struct Line {
    p: Integer,
    q: Natural,
}

impl Line {
    fn at(&self, ratio: &Natural, bits: usize) -> Integer {
        &self.p - Integer::from(fixed::mul_up(ratio, &self.q, bits))
    }
}

/// So many cells from where masses begin, no line may fall below the one before it.
const EDGE: usize = 200;

/// The line for the cell between two ratios. Any event is sound; which one is taken decides how much is lost.
///
/// The event of the middle is best in the smooth parts of a law. Where masses begin suddenly its line would lie so far below
/// the line of the cell before that the hull would reach out to the left for mass, and a loss of order h² in the mean would add
/// up over the copies: there an event nearer to the left end is taken. Where masses end suddenly the line of the middle
/// falls below the mass at infinity inside the cell: there the event of the right end is taken, whose line does not.
fn cell_line(
    curve: &dyn Curve,
    (ratio, next): (&Natural, &Natural),
    (before, above): (&Line, &Integer),
    edge: bool,
    floor: &Integer,
    bits: usize,
) -> Line {
    let line = |at: &Natural| {
        let event = curve.event(at);
        Line { p: Integer::from(event.p.low), q: event.q.high }
    };
    let middle = (ratio + next) >> 1;
    let found = line(&middle);
    let there = before.at(ratio, bits);
    // Losses that lie on the lattice lie above it by less than 2^−100; what that costs is nothing.
    let hair = Integer::ONE << (bits - 98);
    let slack = if edge { Integer::ZERO } else { (above - &there) >> 1 };
    let wanted = &there - slack - hair;
    let found = match found.at(ratio, bits) >= wanted {
        true => found,
        false => {
            let (mut good, mut bad) = (ratio + (ratio >> 100), middle);
            let mut best = line(&good);
            for _ in 0..12 {
                let between = (&good + &bad) >> 1;
                let tried = line(&between);
                if tried.at(ratio, bits) >= wanted {
                    (good, best) = (between, tried);
                } else {
                    bad = between;
                }
            }
            best
        }
    };
    if found.at(next, bits) >= *floor {
        return found;
    }
    let last = line(next);
    match last.at(next, bits) >= *floor {
        true => last,
        // Lost to rounding: the mass at infinity alone.
        false => Line { p: floor.clone(), q: Natural::ZERO },
    }
}

/// Both laws of a curve; `None` where the time is over or the numbers leave the range.
pub(crate) fn discretise(
    curve: &dyn Curve,
    lattice: &Lattice,
    bits: usize,
    deadline: Instant,
) -> Option<Step> {
    let (ratios, slack) = ratios(lattice, bits, deadline)?;
    let one = Natural::ONE << bits;
    let mut above: Vec<Integer> = Vec::with_capacity(ratios.len());
    let mut below: Vec<Integer> = Vec::with_capacity(ratios.len());
    // Left of the first point: the line of the certain event, 1 − γ, or a better one (without what only Q does).
    let floor = Integer::from(curve.infinite());
    let mut left = Line { p: Integer::from(one.clone()), q: one };
    let event = curve.event(&ratios[0]);
    let better = Line { p: Integer::from(event.p.low), q: event.q.high };
    if better.at(&ratios[0], bits) > left.at(&ratios[0], bits) {
        left = better;
    }
    let begin = left.p.clone();
    let mut begun = 0;
    for (j, ratio) in ratios.iter().enumerate() {
        if is_over(j, deadline) {
            return None;
        }
        above.push(Integer::from(curve.upper(ratio)));
        let mut value = left.at(ratio, bits);
        if let Some(next) = ratios.get(j + 1) {
            begun += usize::from(begun > 0 || &above[j] - left.at(ratio, bits) > Integer::ONE << (bits - 60));
            left = cell_line(curve, (ratio, next), (&left, &above[j]), begun < EDGE, &floor, bits);
            value = value.min(left.at(ratio, bits));
        } else {
            value = value.min(floor.clone());
        }
        below.push(value);
    }
    let whole = Integer::from(Natural::ONE << bits);
    let above = hull(&ratios, &above, &whole, lattice.lo, true, deadline)?;
    let below = hull(&ratios, &below, &begin, lattice.lo, false, deadline)?;
    Some(Step { bits, above, below, slack })
}

/// The law of the lower convex hull of (0, start), (γ_j, v_j), and a horizontal ray: the corner at γ has the mass γ·(change of
/// slope) under P. Masses are rounded up or down. `None` where the time is over.
fn hull(
    ratios: &[Natural],
    values: &[Integer],
    start: &Integer,
    lo: i64,
    up: bool,
    deadline: Instant,
) -> Option<Law> {
    let zero = Natural::ZERO;
    let point = |j: usize| match j {
        0 => (&zero, start),
        j => (&ratios[j - 1], &values[j - 1]),
    };
    let mut corners: Vec<usize> = vec![0];
    for j in 1..=ratios.len() {
        if is_over(j, deadline) {
            return None;
        }
        let (x, y) = point(j);
        while let [.., a, b] = corners[..] {
            let ((xa, ya), (xb, yb)) = (point(a), point(b));
            // b stays if it lies below the chord from a to j.
            let left = (yb - ya) * Integer::from(x - xb);
            let right = (y - yb) * Integer::from(xb - xa);
            if left < right {
                break;
            }
            corners.pop();
        }
        corners.push(j);
    }
    // The ray to the right is horizontal: corners from which the curve would rise are none.
    while let [.., a, b] = corners[..] {
        if point(b).1 < point(a).1 {
            break;
        }
        corners.pop();
    }
    let mut masses = vec![Natural::ZERO; ratios.len()];
    for (i, &j) in corners.iter().enumerate().skip(1) {
        if is_over(i, deadline) {
            return None;
        }
        let (x, y) = point(j);
        let (xa, ya) = point(corners[i - 1]);
        let dx = x - xa;
        let dy = ya - y;
        // Falls on the left by dy/dx, on the right by ey/ex.
        let (ex, ey) = match corners.get(i + 1) {
            Some(&k) => (point(k).0 - x, y - point(k).1),
            None => (Natural::ONE, Integer::ZERO),
        };
        let change = natural(dy * Integer::from(ex.clone()) - ey * Integer::from(dx.clone()));
        let (n, d) = (change * x, dx * ex);
        // change/d is a number without scale; times γ it has b bits.
        masses[j - 1] = if up { fixed::div_up(&n, &d) } else { n / d };
    }
    let last = corners[corners.len() - 1];
    Some(Law { lo, masses, infinite: natural(point(last).1.clone()) })
}
