//! The numbers of what is proved about floats, worked out a second time from their formulas.

mod rounding;
mod threshold;

use probity_exact::{Rational, rational};

fn q(n: i64, d: i64) -> Rational {
    rational(n, d).unwrap()
}

fn power(exponent: i64) -> Rational {
    let two = q(2, 1);
    (0..exponent.abs()).fold(Rational::ONE, |p, _| if exponent < 0 { p / &two } else { p * &two })
}
