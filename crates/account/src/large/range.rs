//! Where the masses of a loss lie, for the choice of a lattice: nothing here decides anything.

use probity_exact::{Integer, Natural, Rational, exp_bounds, ln_bounds};

use super::tail::moved;
use crate::fixed::near;

/// Losses from `anchor − left` to `anchor + right`.
#[derive(Debug, Clone)]
pub(crate) struct Range {
    /// A loss that should lie on the lattice, or a hair above it.
    pub anchor: Rational,
    pub left: f64,
    pub right: f64,
    /// All losses are the anchor plus multiples of this.
    pub grain: Option<Rational>,
    /// How far below the anchor another loss lies that should be on the lattice.
    pub span: Option<Rational>,
    /// How far points of the lattice may lie above the losses that they stand for.
    pub hair: Rational,
}

/// Beyond this e^x is no number to compute with.
const SEEN: i64 = 400;

impl Range {
    /// Losses up to a largest one.
    pub fn up_to(top: Rational, left: f64) -> Range {
        Range::around(top, left, 0.0)
    }

    /// Losses around a middle.
    pub fn around(middle: Rational, left: f64, right: f64) -> Range {
        let hair = (&middle).max(&Rational::ONE) / Rational::from(Natural::ONE << 150usize);
        Range { anchor: middle, left, right, grain: None, span: None, hair }
    }

    /// A double near the largest loss, and one near the smallest.
    pub fn ends(&self) -> (f64, f64) {
        let middle = near(&self.anchor);
        (middle - self.left, middle + self.right)
    }

    /// The losses of a sample at the rate q: ln(1 − q + q·e^x), and its mirror image where a record is added.
    pub fn moved(self, q: &Rational, added: bool) -> Range {
        let rate = near(q);
        let (low, high) = self.ends();
        let anchor = match added {
            false => anchored(&self.anchor, q),
            true => anchored(&-self.anchor.clone(), q).map(|x| -x),
        };
        let hair = Rational::from_parts(Integer::ONE, Natural::ONE << 58usize);
        // Losses of a sample lie close below −ln(1 − q), or close above ln(1 − q).
        let anchor = anchor.unwrap_or(self.anchor) + &hair;
        let middle = near(&anchor);
        let range = match added {
            // Where the record is not taken, its absence is what is seen: no loss is below ln(1 − q).
            false => {
                let right = if high > 600.0 { self.right } else { moved(high, rate) - middle };
                let bottom = ln_bounds(&(Rational::ONE - q), 320).map(|(_, high)| high + &hair);
                let span = bottom.map(|bottom| &anchor - bottom).filter(|span| *span > Rational::ZERO);
                let left = middle - moved(-700.0, rate);
                Range { span, ..Range::around(anchor, left, right.max(0.0)) }
            }
            true => {
                let bottom = -moved(-low, rate);
                let top = -moved(-high, rate);
                Range::around(anchor, (middle - bottom).max(0.0), (top - middle).max(0.0))
            }
        };
        Range { hair: hair * Rational::from(3), ..range }
    }
}

/// ln(1 − q + q·e^x), a hair above it.
fn anchored(x: &Rational, q: &Rational) -> Option<Rational> {
    let hair = Rational::from_parts(Integer::ONE, Natural::ONE << 300usize);
    if *x > Rational::from(SEEN) {
        return Some(x + ln_bounds(q, 320)?.1 + hair);
    }
    let x = x.clone().max(Rational::from(-SEEN));
    let power = exp_bounds(&x, 320).1.to_rational()?;
    Some(ln_bounds(&(Rational::ONE - q + q * power), 320)?.1 + hair)
}
