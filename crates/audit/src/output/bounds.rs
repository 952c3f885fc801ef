//! A number between two rational bounds.

use probity_exact::{Float, Natural, Rational, Round, directed};

/// A number between two rational bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// A lower bound.
    pub low: Rational,
    /// An upper bound.
    pub high: Rational,
}

impl Bounds {
    /// The f64 nearest to the middle, for printing.
    pub fn to_f64(&self) -> f64 {
        directed::cast_nearest(&((&self.low + &self.high) / Rational::from(2)))
    }

    /// Of a loss: the f64 nearest to what is certain of it. No pair of laws loses less than nothing.
    pub fn certain(&self) -> f64 {
        directed::cast_nearest(&self.low).max(0.0)
    }

    /// Of a loss less what is claimed: the f64 nearest to what is certain of it, and 0 where the bounds are narrow and hold it
    /// (those of a logarithm are within 30 digits, those of a law with cut tails within 10 or more where it is likely).
    pub fn certain_excess(&self) -> f64 {
        let narrow = &self.high - &self.low <= Rational::from_parts(1.into(), Natural::ONE << 30);
        let holds_zero = self.low <= Rational::ZERO && self.high >= Rational::ZERO;
        if narrow && holds_zero { 0.0 } else { directed::cast_nearest(&self.low) }
    }
}

/// A rational rounded down and up to a float of the given bits, to keep bounds short.
pub(crate) fn shorten(bounds: (Rational, Rational), bits: u32) -> (Rational, Rational) {
    let format = probity_exact::Format::wide(bits);
    let cut = |x: &Rational, direction: Round| -> Option<Rational> {
        let short: Float = format.round(x, direction);
        short.to_rational()
    };
    (cut(&bounds.0, Round::Down).unwrap_or(bounds.0), cut(&bounds.1, Round::Up).unwrap_or(bounds.1))
}
