//! The exact value of terms that are made of numbers only.

pub mod row;

use probity_exact::{Abs, Integer, Natural, Rational, SquareRoot, UnsignedAbs};
use probity_kernel::expr::{Binary, Expr, Unary};

use crate::parser::MAX_DEPTH;

/// A number or a truth value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Constant {
    Number(Rational),
    Bool(bool),
}

/// The value of `term` if it is a number made of numbers; `None` otherwise, and where it has no value or none
/// that is rational (`ln`, `exp`, most roots).
///
/// ```
/// use probity_kernel::expr::Expr;
/// let grid = (Expr::int(1) / Expr::int(3)).pow2_at_least();
/// assert_eq!(probity_lang::number(&grid).unwrap().to_string(), "1/2");
/// assert!(probity_lang::number(&Expr::int(2).ln()).is_none());
/// ```
pub fn number(term: &Expr) -> Option<Rational> {
    match constant(term)? {
        Constant::Number(value) => Some(value),
        Constant::Bool(_) => None,
    }
}

/// The truth value of `term` if it is one made of numbers; `None` otherwise.
///
/// ```
/// use probity_kernel::expr::Expr;
/// assert_eq!(probity_lang::truth(&Expr::int(2).lt(Expr::int(1))), Some(false));
/// assert_eq!(probity_lang::truth(&Expr::int(2)), None);
/// ```
pub fn truth(term: &Expr) -> Option<bool> {
    match constant(term)? {
        Constant::Bool(value) => Some(value),
        Constant::Number(_) => None,
    }
}

/// The value of `term` if it is made of numbers and truth values.
pub(crate) fn constant(term: &Expr) -> Option<Constant> {
    // A written term is at most MAX_DEPTH high, and a definition put in can double that.
    within(term, 2 * MAX_DEPTH)
}

fn within(term: &Expr, height: usize) -> Option<Constant> {
    use Constant::{Bool, Number};
    let height = height.checked_sub(1)?;
    let any = |t: &Expr| within(t, height);
    let value = |t: &Expr| match any(t) {
        Some(Number(n)) => Some(n),
        _ => None,
    };
    let truth = |t: &Expr| match any(t) {
        Some(Bool(b)) => Some(b),
        _ => None,
    };
    Some(match term {
        Expr::Number(n) => Number(n.clone()),
        Expr::Bool(b) => Bool(*b),
        Expr::Unary(Unary::Not, a) => Bool(!truth(a)?),
        Expr::Unary(operation, a) => Number(match operation {
            Unary::Neg => -value(a)?,
            Unary::Abs => value(a)?.abs(),
            Unary::Floor => Rational::from(value(a)?.floor()),
            Unary::Pow2AtLeast => pow2_at_least(&value(a)?)?,
            Unary::Sqrt => square_root(&value(a)?)?,
            Unary::Ln | Unary::Exp | Unary::Not => return None,
        }),
        Expr::Binary(Binary::And, a, b) => Bool(truth(a)? && truth(b)?),
        Expr::Binary(Binary::Or, a, b) => Bool(truth(a)? || truth(b)?),
        Expr::Binary(operation, a, b) => {
            let (a, b) = (value(a)?, value(b)?);
            match operation {
                Binary::Add => Number(a + b),
                Binary::Sub => Number(a - b),
                Binary::Mul => Number(a * b),
                Binary::Div if !b.is_zero() => Number(a / b),
                Binary::Mod if b > Rational::ZERO => Number(&a - &b * Rational::from((&a / &b).floor())),
                Binary::Min => Number(a.min(b)),
                Binary::Max => Number(a.max(b)),
                Binary::Lt => Bool(a < b),
                Binary::Le => Bool(a <= b),
                Binary::Eq => Bool(a == b),
                Binary::Ne => Bool(a != b),
                Binary::Ge => Bool(a >= b),
                Binary::Gt => Bool(a > b),
                _ => return None,
            }
        }
        Expr::Clamp(a, low, high) => Number(value(low)?.max(value(a)?.min(value(high)?))),
        Expr::If(condition, yes, no) => any(if truth(condition)? { yes } else { no })?,
        _ => return None,
    })
}

/// The root of a number, if it is rational.
fn square_root(value: &Rational) -> Option<Rational> {
    if *value < Rational::ZERO {
        return Some(Rational::ZERO);
    }
    let root = |n: &Natural| {
        let root = n.sqrt();
        (&root * &root == *n).then_some(root)
    };
    let above = root(&value.numerator().clone().unsigned_abs())?;
    Some(Rational::from_parts(Integer::from(above), root(value.denominator())?))
}

/// The smallest power of two at or above a positive number.
fn pow2_at_least(value: &Rational) -> Option<Rational> {
    if *value <= Rational::ZERO {
        return None;
    }
    // 2^(e − 1) < value < 2^(e + 1) for e the difference of the bit lengths, so one of 2^(e−1), 2^e, 2^(e+1) is it.
    let exponent = bit_length(&value.numerator().clone().unsigned_abs()) - bit_length(value.denominator());
    (exponent - 1..=exponent + 1).map(power_of_two).find(|power| power >= value)
}

fn bit_length(value: &Natural) -> i64 {
    let bytes = value.to_be_bytes();
    let unused = bytes.first().map_or(0, |first| first.leading_zeros());
    bytes.len() as i64 * 8 - i64::from(unused)
}

fn power_of_two(exponent: i64) -> Rational {
    let power = Natural::ONE << exponent.unsigned_abs() as usize;
    if exponent >= 0 { Rational::from(power) } else { Rational::from_parts(Integer::ONE, power) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    #[test]
    fn powers_of_two() {
        for (n, d, expected) in [
            (1, 1, (1, 1)),
            (3, 1, (4, 1)),
            (4, 1, (4, 1)),
            (5, 1, (8, 1)),
            (1, 3, (1, 2)),
            (1, 4, (1, 4)),
            (3, 16, (1, 4)),
            (10, 1, (16, 1)),
        ] {
            let found = pow2_at_least(&rational(n, d).unwrap());
            assert_eq!(found, rational(expected.0, expected.1), "{n}/{d}");
        }
        assert_eq!(pow2_at_least(&Rational::ZERO), None);
    }

    #[test]
    fn what_is_not_made_of_numbers_has_no_value() {
        let eps = Expr::var("eps");
        assert_eq!(number(&(Expr::int(1) / eps.clone())), None);
        assert_eq!(number(&(Expr::int(1) / Expr::int(0))), None);
        assert_eq!(number(&Expr::int(2).ln()), None);
        assert_eq!(number(&(-Expr::int(7)).modulo(Expr::int(3))), rational(2, 1));
        assert_eq!(constant(&Expr::int(2).lt(Expr::int(1))), Some(Constant::Bool(false)));
    }
}
