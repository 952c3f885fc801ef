//! A number between two rational bounds.

use probity_exact::{Float, Rational, Round, directed};

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
