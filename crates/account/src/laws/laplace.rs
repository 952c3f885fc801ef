//! Laplace noise with c = sensitivity / scale.

use probity_exact::{Natural, Rational, exp_bounds};

use super::{Curve, Event, Extent, Real};
use crate::fixed::{self, FixedBounds};

/// H_γ = max(1 − γ, 1 − e^(−c/2)·√γ, 0); the loss is c and −c with a mass, and between them with a density.
pub(crate) struct Laplace {
    bits: usize,
    c: Rational,
    /// e^(−c/2).
    root: FixedBounds,
}

impl Laplace {
    pub fn new(c: Rational, bits: usize) -> Laplace {
        let (low, high) = exp_bounds(&-(&c / Rational::from(2)), bits as u32 + 8);
        Laplace { bits, c, root: FixedBounds::between(&low, &high, bits) }
    }
}

fn sqrt_down(ratio: &Natural, bits: usize) -> Natural {
    (ratio << bits).nth_root(2)
}

impl Curve for Laplace {
    fn upper(&self, ratio: &Natural) -> Natural {
        let one = Natural::ONE << self.bits;
        let minus = |x: &Natural| if *x < one { &one - x } else { Natural::ZERO };
        let root = fixed::mul_down(&self.root.low, &sqrt_down(ratio, self.bits), self.bits);
        minus(ratio).max(minus(&root))
    }

    /// {L > ln r²} for r = √γ rounded down: P = 1 − e^(−c/2)·r/2 and Q = e^(−c/2)/(2r), if e^(−c) ≤ r² < e^c.
    fn event(&self, ratio: &Natural) -> Event {
        let b = self.bits;
        let r = sqrt_down(ratio, b);
        // r ≥ e^(−c/2) for certain, and r·e^(−c/2) < 1 for certain.
        if r < self.root.high {
            return Event::everything(b);
        }
        if fixed::mul_up(&r, &self.root.high, b) >= Natural::ONE << b {
            return Event::nothing();
        }
        let half = |x: Natural| FixedBounds { low: x.clone() >> 1, high: fixed::shift_up(x, 1) };
        let (low, high) = (fixed::mul_down(&self.root.low, &r, b), fixed::mul_up(&self.root.high, &r, b));
        let lost = FixedBounds { low: half(low).low, high: half(high).high };
        let q = FixedBounds {
            low: ((&self.root.low << b) / &r) >> 1,
            high: fixed::shift_up(fixed::div_up(&(&self.root.high << b), &r), 1),
        };
        Event { p: lost.complement(b), q }
    }

    fn extent(&self) -> Extent {
        let end = Real::exact(self.c.clone());
        Extent { ends: Some((end.negated(), end)), grain: None }
    }
}
