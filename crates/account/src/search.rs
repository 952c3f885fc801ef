//! From δ(ε) with bounds to ε(δ) with bounds: a falling function is inverted by trying.

use probity_exact::{Rational, rational_from_f64};

use crate::fixed::near;
use crate::scout::ln;

/// No answer is searched beyond this loss.
pub(crate) const LARGEST: f64 = 1e100;

/// Below this loss none is told apart from 0.
const SMALLEST: f64 = 1e-100;

/// An ε, close to the least, with bound(ε) ≤ δ; or with `up` false an ε, close to the largest, with bound(ε) ≥ δ (0 if there
/// is none). `bound` falls. `None` where no ε up to 10^100 does, or the bound is not known. A bound that is no longer known (the time
/// is over) ends the search with what was tried.
///
/// Every answer was tried: the choice of the next ε is made in doubles, the comparison is exact.
pub(crate) fn invert(
    bound: &dyn Fn(&Rational) -> Option<Rational>,
    delta: &Rational,
    guess: f64,
    up: bool,
) -> Option<Rational> {
    let target = ln(near(delta));
    let enough = |value: &Rational| value <= delta;
    let exact = |x: f64| rational_from_f64(x).unwrap_or(Rational::ZERO);
    // `bad` has too large a bound, `good` is small enough. A bound from below is only known near the guess, so 0 comes last.
    let mut bad: Option<(f64, f64)> = None;
    let mut good: Option<(f64, f64)> = None;
    let mut probe = guess.clamp(SMALLEST, LARGEST);
    let (mut stretch, mut leap) = (1e-3, 4.8f64);
    let tried =
        |good: Option<(f64, f64)>, bad: Option<(f64, f64)>| if up { good } else { bad }.map(|at| exact(at.0));
    while bad.is_none() || good.is_none() {
        let Some(value) = bound(&exact(probe)) else { return tried(good, bad) };
        let found = Some((probe, ln(near(&value))));
        if enough(&value) {
            good = found;
            if probe == 0.0 {
                return Some(Rational::ZERO);
            }
            probe = if stretch < 0.9 { probe * (1.0 - stretch) } else { probe / leap };
            if probe < SMALLEST {
                probe = 0.0;
            }
        } else {
            bad = found;
            if probe >= LARGEST {
                return if up { None } else { Some(exact(probe)) };
            }
            let factor = if stretch < 0.9 { 1.0 + 4.0 * stretch } else { leap };
            probe = (probe.max(SMALLEST) * factor).min(LARGEST);
        }
        if stretch >= 0.9 {
            leap = (leap * leap).min(1e30);
        }
        stretch = (stretch * 4.0).min(0.95);
    }
    let mut bad = bad?;
    let mut good = good?;
    let mut side = 0i32;
    for _ in 0..160 {
        if good.0 - bad.0 <= good.0 * 1e-14 {
            break;
        }
        // Regula falsi on ln δ, kept off the ends; halving when one end sticks.
        let slope = (good.1 - bad.1) / (good.0 - bad.0);
        let mut next = bad.0 + (target - bad.1) / slope;
        let width = good.0 - bad.0;
        if !next.is_finite() || side.abs() >= 2 {
            next = bad.0 + width / 2.0;
        }
        // Far apart, it is the size that is searched for.
        if bad.0 > 0.0 && good.0 > 8.0 * bad.0 {
            next = bad.0.sqrt() * good.0.sqrt();
        }
        // Lean beyond the estimate, to have it enclosed.
        next = next.clamp(bad.0 + width * 1e-4, good.0 - width * 1e-4);
        let Some(value) = bound(&exact(next)) else { break };
        if enough(&value) {
            good = (next, ln(near(&value)));
            side = side.max(0) + 1;
        } else {
            bad = (next, ln(near(&value)));
            side = side.min(0) - 1;
        }
    }
    Some(exact(if up { good.0 } else { bad.0 }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    /// δ = 1/(1 + ε)³, whose inverse is known.
    #[test]
    fn both_sides_are_close_and_right() {
        let bound = |x: &Rational| {
            let y = Rational::ONE + x;
            Some(Rational::ONE / (&y * &y * &y))
        };
        for (n, d) in [(1, 8), (1, 1000), (1, 1_000_000_000), (27, 1000)] {
            let delta = rational(n, d).unwrap();
            for guess in [1e-9, 0.5, 3.0, 1e4] {
                let up = invert(&bound, &delta, guess, true).unwrap();
                let down = invert(&bound, &delta, guess, false).unwrap();
                assert!(bound(&up).unwrap() <= delta && bound(&down).unwrap() >= delta);
                assert!(near(&up) - near(&down) <= 1e-12 * near(&up), "{guess} {up} {down}");
            }
        }
        assert_eq!(invert(&bound, &Rational::ONE, 1.0, true), Some(Rational::ZERO));
        assert_eq!(invert(&|_| Some(Rational::ONE), &rational(1, 2).unwrap(), 1.0, true), None);
    }

    /// A bound that breaks off after some calls leaves what was tried, on the right side.
    #[test]
    fn what_was_tried_stays() {
        let delta = rational(1, 1000).unwrap();
        for calls in 0..20 {
            for up in [false, true] {
                let left = std::cell::Cell::new(calls);
                let bound = |x: &Rational| {
                    left.set(left.get() - 1);
                    let y = Rational::ONE + x;
                    (left.get() >= 0).then(|| Rational::ONE / (&y * &y * &y))
                };
                let found = invert(&bound, &delta, 3.0, up);
                assert!(calls < 12 || found.is_some(), "{calls}");
                if let Some(found) = found {
                    assert_eq!(found >= Rational::from(9), up, "{calls} {found}");
                }
            }
        }
    }
}
