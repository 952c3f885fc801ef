//! Enclosures of the few real numbers that samplers compare with.

use dashu_base::BitTest;
use probity_exact::{Natural, Rational, exp_bounds, ln_bounds};

/// The precision that is asked of an enclosure: 2^−bits. Prefixes end at 2^16 bits and scales are far below
/// 2^(2^31), so nothing is cut here; and a cut would only leave more decisions open.
fn precision(bits: usize) -> u32 {
    u32::try_from(bits).unwrap_or(u32::MAX)
}

/// Rationals below and above e^−x, for x ≥ 0, about 2^−bits apart or less, and both from 0 to 1.
pub(crate) fn exp_neg_bounds(x: &Rational, bits: usize) -> (Rational, Rational) {
    if *x > Rational::from(bits) {
        // e^−x ≤ 2^−x < 2^−bits. An enclosure with a relative error would need about x bits, and x can be
        // astronomical.
        return (Rational::ZERO, Rational::from_parts(1.into(), Natural::ONE << bits));
    }
    let (lower, upper) = exp_bounds(&-x, precision(bits));
    let lower = lower.to_rational().unwrap_or(Rational::ZERO);
    let upper = upper.to_rational().unwrap_or(Rational::ONE);
    (lower.max(Rational::ZERO), upper.min(Rational::ONE))
}

/// Rationals below and above −ln u, for 0 < u ≤ 1, about 2^−bits apart relative to it, neither negative;
/// `None` for any other u.
pub(crate) fn neg_ln_bounds(u: &Rational, bits: usize) -> Option<(Rational, Rational)> {
    if *u > Rational::ONE {
        return None;
    }
    let (lower, upper) = ln_bounds(u, precision(bits))?;
    Some(((-upper).max(Rational::ZERO), (-lower).max(Rational::ZERO)))
}

/// ⌊log2 x⌋ or one less, for x > 0.
pub(crate) fn log2_below(x: &Rational) -> i64 {
    // n/d lies above 2^(len n − 1) / 2^(len d).
    x.numerator().bit_len() as i64 - 1 - x.denominator().bit_len() as i64
}

/// ⌊log2 x⌋ for x > 0.
pub(crate) fn log2_floor(x: &Rational) -> i64 {
    let below = log2_below(x);
    if *x >= power_of_two(below + 1) { below + 1 } else { below }
}

/// 2^exponent.
pub(crate) fn power_of_two(exponent: i64) -> Rational {
    let power = Natural::ONE << exponent.unsigned_abs() as usize;
    match exponent >= 0 {
        true => Rational::from(power),
        false => Rational::from_parts(1.into(), power),
    }
}
