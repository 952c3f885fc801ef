//! Square roots of rationals, enclosed.

use probity_exact::{Integer, Natural, Rational, directed};

use crate::fixed;

/// Bounds of √x for x ≥ 0, at most 2^−bits apart relative to it.
pub(crate) fn sqrt_bounds(x: &Rational, bits: usize) -> (Rational, Rational) {
    if x.is_zero() {
        return (Rational::ZERO, Rational::ZERO);
    }
    // n with 2b fractional bits has a root with b; b is chosen so that the root has at least `bits` bits.
    use probity_exact::BitTest;
    let size = x.numerator().bit_len() as i64 - x.denominator().bit_len() as i64;
    let b = (bits as i64 + 2 - size / 2).max(1) as usize;
    let low = fixed::natural(fixed::floor(x, 2 * b)).nth_root(2);
    let exact = fixed::value(&(&low * &low), 2 * b) == *x;
    let high = if exact { low.clone() } else { &low + Natural::ONE };
    let value = |n: Natural| Rational::from_parts(Integer::from(n), Natural::ONE << b);
    (value(low), value(high))
}

/// Doubles around √x.
pub(crate) fn sqrt_doubles(x: &Rational) -> (f64, f64) {
    let (low, high) = sqrt_bounds(x, 80);
    (directed::cast_down(&low), directed::cast_up(&high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    #[test]
    fn roots_are_enclosed() {
        for (n, d) in [(2, 1), (1, 3), (1, 1_000_000_007), (10i64.pow(15), 7), (9, 4)] {
            let x = rational(n, d).unwrap();
            let (low, high) = sqrt_bounds(&x, 100);
            assert!(&low * &low <= x && x <= &high * &high, "{x}");
            assert!((&high - &low) * rational(1i128 << 100, 1).unwrap() <= high, "{x}");
        }
        assert_eq!(sqrt_bounds(&rational(9, 4).unwrap(), 50).0, rational(3, 2).unwrap());
    }
}
