//! Pairs of laws as their hockey-stick curves H_γ = sup_E (P(E) − γ·Q(E)), from above and by single events from below.
//!
//! All numbers are fixed-point with b fractional bits. `docs/accounting.md` states and proves each curve. Nothing here
//! knows of composition.

mod atoms;
mod concentrated;
mod gaussian;
mod laplace;
mod normal;
mod sampled;

pub(crate) use atoms::{discrete_gaussian, discrete_laplace, gaussian_weights, is_over, pure, response};
pub(crate) use concentrated::{Concentrated, best_order, exponent_bound};
pub(crate) use gaussian::Gaussian;
pub(crate) use laplace::Laplace;
pub(crate) use sampled::{Added, Grouped, Removed, Replaced};

use probity_exact::{Natural, Rational};

use crate::fixed::FixedBounds;

/// Bounds of P(E) and of Q(E) for one event.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub p: FixedBounds,
    pub q: FixedBounds,
}

impl Event {
    /// The event that always happens.
    pub fn everything(b: usize) -> Event {
        let one = FixedBounds::exact(Natural::ONE << b);
        Event { p: one.clone(), q: one }
    }

    /// The event that never happens.
    pub fn nothing() -> Event {
        let zero = FixedBounds::exact(Natural::ZERO);
        Event { p: zero.clone(), q: zero }
    }
}

/// A real number between two rationals.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Real {
    pub low: Rational,
    pub high: Rational,
}

impl Real {
    pub fn exact(x: Rational) -> Real {
        Real { low: x.clone(), high: x }
    }
    pub fn minus(&self, other: &Real) -> Real {
        Real { low: &self.low - &other.high, high: &self.high - &other.low }
    }
    pub fn plus(&self, other: &Real) -> Real {
        Real { low: &self.low + &other.low, high: &self.high + &other.high }
    }
    pub fn negated(&self) -> Real {
        Real { low: -self.high.clone(), high: -self.low.clone() }
    }
    /// Times a rational that is not negative.
    pub fn scaled(&self, factor: &Rational) -> Real {
        Real { low: &self.low * factor, high: &self.high * factor }
    }
    /// A double near it.
    pub fn near(&self) -> f64 {
        crate::fixed::near(&self.low)
    }
}

/// Where losses end with a mass, and on what grid they lie: hints for the choice of a lattice, which decide nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Extent {
    /// The smallest and the largest loss, where both are finite.
    pub ends: Option<(Real, Real)>,
    /// All losses are the smallest one plus multiples of this.
    pub grain: Option<Real>,
}

/// A pair of laws (P, Q), or a bound of all pairs that are meant.
pub(crate) trait Curve: Send + Sync {
    /// At least H_γ.
    fn upper(&self, ratio: &Natural) -> Natural;
    /// An event of a pair that really occurs, close to {dP/dQ > γ}. Any event is sound.
    fn event(&self, ratio: &Natural) -> Event;
    /// At most P of the infinite loss, for the pair of `event`.
    fn infinite(&self) -> Natural {
        Natural::ZERO
    }
    /// Hints for the lattice.
    fn extent(&self) -> Extent {
        Extent::default()
    }
}
