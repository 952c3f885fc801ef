//! Answers, exactly.

use std::fmt;

use probity_exact::{Rational, Sign};

/// What a run releases.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// A number.
    Number(Rational),
    /// `true` or `false`.
    Truth(bool),
    /// A list.
    List(Vec<Value>),
}

/// A finite double, exactly. No common divisor is looked for but a power of two, so this takes the same steps for nearly all doubles.
/// Part of its caller, and without a value that is made only to be dropped: copying a fraction takes as long as making one.
#[inline(always)]
pub(crate) fn exactly(point: f64) -> Rational {
    // 0 would have a way of its own, and a sign jumps that cannot be foreseen: the time would tell both.
    let is_zero = point == 0.0;
    match Rational::try_from(if is_zero { 1.0 } else { point.abs() }) {
        Ok(size) if !is_zero => size * sign(point < 0.0),
        _ => Rational::ZERO,
    }
}

/// An integer, in the same steps for both signs.
#[inline(always)]
pub(crate) fn whole(integer: i64) -> Rational {
    Rational::from(integer.unsigned_abs()) * sign(integer < 0)
}

#[inline(always)]
fn sign(is_negative: bool) -> Sign {
    [Sign::Positive, Sign::Negative][usize::from(is_negative)]
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(value) => value.fmt(f),
            Value::Truth(value) => value.fmt(f),
            Value::List(items) => {
                f.write_str("[")?;
                for (place, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if place == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_integer_is_what_it_is() {
        for integer in [0, 1, -1, 7, -1024, i64::MAX, i64::MIN] {
            assert_eq!(whole(integer), Rational::from(integer));
        }
    }

    #[test]
    fn a_double_is_what_it_is() {
        let mut word = 5u64;
        let mut doubles = vec![0.0, -0.0, 1.0, -0.75, f64::MAX, f64::MIN_POSITIVE, f64::from_bits(1), 3e-320];
        doubles.extend((0..20_000).map(|_| {
            word = word.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            // All exponents, and mantissas of all lengths.
            f64::from_bits(word & !((1u64 << (word >> 33 & 63)) - 1))
        }));
        for double in doubles.into_iter().filter(|double| double.is_finite()) {
            let found = exactly(double);
            assert_eq!(Some(&found), probity_exact::rational_from_f64(double).as_ref(), "{double}");
            // In lowest terms, or equal answers would differ.
            let again = Rational::from_parts(found.numerator().clone(), found.denominator().clone());
            assert_eq!((again.numerator(), again.denominator()), (found.numerator(), found.denominator()));
        }
    }
}
