//! Answers, exactly.

use std::cmp::Ordering;
use std::fmt;

use probity_exact::{Rational, Sign};

/// What a run releases.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// A number.
    Number(Exact),
    /// `true` or `false`.
    Truth(bool),
    /// A list.
    List(Vec<Value>),
}

impl From<Rational> for Value {
    fn from(number: Rational) -> Value {
        Value::Number(number.into())
    }
}

/// A number of an answer: a fraction, exactly.
///
/// An answer on a grid of binary places is a double already when it is decided. It stays one until somebody asks for its fraction, which
/// takes longer to bring to lowest terms than most runs take.
#[derive(Debug, Clone)]
pub struct Exact(Kept);

#[derive(Debug, Clone)]
enum Kept {
    /// Finite, and not −0.
    Double(f64),
    Fraction(Box<Rational>),
}

impl Exact {
    /// Exactly this double, which is finite.
    #[inline(always)]
    pub(crate) fn double(point: f64) -> Exact {
        // −0 becomes 0.
        Exact(Kept::Double(point + 0.0))
    }

    /// The number as a fraction in lowest terms.
    pub fn to_rational(&self) -> Rational {
        match &self.0 {
            Kept::Double(point) => exactly(*point),
            Kept::Fraction(fraction) => (**fraction).clone(),
        }
    }
}

impl From<Rational> for Exact {
    fn from(fraction: Rational) -> Exact {
        Exact(Kept::Fraction(Box::new(fraction)))
    }
}

impl From<Exact> for Rational {
    fn from(exact: Exact) -> Rational {
        match exact.0 {
            Kept::Double(point) => exactly(point),
            Kept::Fraction(fraction) => *fraction,
        }
    }
}

impl Ord for Exact {
    fn cmp(&self, other: &Exact) -> Ordering {
        match (&self.0, &other.0) {
            // Without NaN and −0 this is the order of numbers.
            (Kept::Double(a), Kept::Double(b)) => a.total_cmp(b),
            (Kept::Fraction(a), Kept::Fraction(b)) => a.cmp(b),
            _ => self.to_rational().cmp(&other.to_rational()),
        }
    }
}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Exact) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Exact {
    fn eq(&self, other: &Exact) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Exact {}

impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_rational().fmt(f)
    }
}

/// A finite double, exactly. No common divisor is looked for but a power of two, so this takes the same steps for nearly all doubles.
fn exactly(point: f64) -> Rational {
    // 0 would have a way of its own, and a sign jumps that cannot be foreseen: the time would tell both.
    let is_zero = point == 0.0;
    match Rational::try_from(if is_zero { 1.0 } else { point.abs() }) {
        Ok(size) if !is_zero => size * [Sign::Positive, Sign::Negative][usize::from(point < 0.0)],
        _ => Rational::ZERO,
    }
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

    /// A number is the same however it is kept: equal, ordered and written alike.
    #[test]
    fn a_double_and_its_fraction_are_one_number() {
        let doubles = [0.0, -0.0, 0.75, -0.75, 3.0, -3.0, 1e300, 2f64.powi(-1000), 0.1];
        for a in doubles {
            let (kept, fraction) = (Exact::double(a), Exact::from(exactly(a)));
            assert!(kept == fraction, "{a}");
            assert_eq!((kept.to_string(), Rational::from(kept.clone())), (fraction.to_string(), exactly(a)));
            for b in doubles {
                let expected = exactly(a).cmp(&exactly(b));
                for other in [Exact::double(b), Exact::from(exactly(b))] {
                    assert_eq!((kept.cmp(&other), fraction.cmp(&other)), (expected, expected), "{a} {b}");
                }
            }
        }
        // What is between doubles is none of them.
        let third = Exact::from(probity_exact::rational(1, 3).unwrap());
        assert!(
            Exact::double(1.0 / 3.0) != third && Exact::double(0.25) < third && third < Exact::double(0.5)
        );
    }
}
