//! Arithmetic on real constants: rationals, and irrational numbers between two rationals.

use probity_exact::{BitTest, Format, Integer, Natural, Rational, Round};
use probity_kernel::expr::Binary;

use crate::error::AuditError;
use crate::output::bounds::shorten;
use crate::real::world::Real;
use crate::run::machine::MOST_BITS;
use crate::run::program::Stop;

/// Bits of the enclosures of irrational constants.
pub(crate) const BITS: u32 = 200;

pub(crate) fn unsupported(what: &'static str) -> Stop {
    AuditError::Unsupported { what }.into()
}

/// How many bits a rational number takes.
pub(crate) fn bits(x: &Rational) -> usize {
    x.numerator().bit_len().max(x.denominator().bit_len())
}

/// Whether e^x is a number that can be written down.
pub(crate) fn is_exponent(x: &Rational) -> bool {
    let most = Rational::from(MOST_BITS as u64 / 2);
    -&most < *x && *x < most
}

/// The smallest power of two at or above a positive rational.
pub(crate) fn pow2_at_least(x: &Rational) -> Rational {
    let power = |exponent: i64| {
        let size = Natural::ONE << exponent.unsigned_abs() as usize;
        if exponent < 0 { Rational::from_parts(Integer::ONE, size) } else { Rational::from(size) }
    };
    // 2^(e − 1) < x < 2^(e + 1) for e the difference of the lengths.
    let exponent = x.numerator().bit_len() as i64 - x.denominator().bit_len() as i64;
    (exponent - 1..=exponent).map(power).find(|power| power >= x).unwrap_or_else(|| power(exponent + 1))
}

/// Bounds of the root of a number that is not negative.
pub(crate) fn root(x: &Rational) -> (Rational, Rational) {
    let format = Format::wide(BITS);
    let end = |direction| {
        let near = format.round(x, direction);
        format.sqrt(&near, direction).to_rational().unwrap_or_default()
    };
    let (low, high) = (end(Round::Down), end(Round::Up));
    if &low * &low == *x { (low.clone(), low) } else { (low, high) }
}

/// Arithmetic on constants between bounds.
pub(crate) fn between(
    operation: Binary,
    a: (Rational, Rational),
    b: (Rational, Rational),
) -> Result<Real, Stop> {
    let corners = |f: &dyn Fn(&Rational, &Rational) -> Rational| {
        let values = [f(&a.0, &b.0), f(&a.0, &b.1), f(&a.1, &b.0), f(&a.1, &b.1)];
        let low = values.iter().min().cloned().unwrap_or_default();
        (low, values.iter().max().cloned().unwrap_or_default())
    };
    let result = match operation {
        Binary::Add => (&a.0 + &b.0, &a.1 + &b.1),
        Binary::Sub => (&a.0 - &b.1, &a.1 - &b.0),
        Binary::Mul => corners(&|x, y| x * y),
        // A quotient by 0 is 0, but whether an irrational number is 0 its bounds do not say.
        Binary::Div if b.0.is_zero() && b.1.is_zero() => (Rational::ZERO, Rational::ZERO),
        Binary::Div if b.0 <= Rational::ZERO && b.1 >= Rational::ZERO => {
            return Err(unsupported("a division by an irrational number that may be 0"));
        }
        Binary::Div => corners(&|x, y| x / y),
        Binary::Min => (a.0.min(b.0), a.1.min(b.1)),
        Binary::Max => (a.0.max(b.0), a.1.max(b.1)),
        // What a grid or a modulus that is not positive gives.
        Binary::RoundTo | Binary::Mod if b.1 <= Rational::ZERO => (Rational::ZERO, Rational::ZERO),
        _ => return Err(unsupported("this operation on an irrational number")),
    };
    let (low, high) = shorten(result, BITS);
    Ok(Real::Between(low, high))
}

/// Where a number must lie for its nearest multiple of the grid to compare with c: the middle above the last
/// multiple at or below c (for ≤ and >), or strictly below c (for < and ≥).
pub(crate) fn stepped_bound(c: &Rational, grid: &Rational, operation: Binary) -> Rational {
    let quotient = c / grid;
    let last = match operation {
        Binary::Lt | Binary::Ge => quotient.ceil() - Integer::ONE,
        _ => quotient.floor(),
    };
    (Rational::from(last) + Rational::ONE / Rational::from(2)) * grid
}
