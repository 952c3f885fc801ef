//! The numbers that expressions of parameters stand for: exactly, within a range, and as a format computes them.
//!
//! A claim, an assumption and a distance speak of the exact parameters. The program computes with parameters and constants
//! that are rounded to nearest, once each, and rounds every operation.

use probity_exact::{BitTest, Float, Format, Rational, Round, Signed, UnsignedAbs, exp_bounds, ln_bounds};

use super::shape::mironov_grid;
use crate::expr::{Binary, Expr, Name, Unary, Variable};

/// Bits of logarithms and exponentials.
const BITS: u32 = 256;

/// Numbers have at most this many bits: time and memory stay bounded, and the smallest δ of a binary256 fits.
const LARGEST_NUMBER: usize = 600_000;

/// The exponential of a larger number would not fit.
const LARGEST_EXPONENT: i64 = 1 << 18;

/// The numbers from `low` to `high`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Range {
    pub low: Rational,
    pub high: Rational,
}

impl Range {
    pub fn point(x: Rational) -> Range {
        Range { low: x.clone(), high: x }
    }

    /// The smallest and the largest of some numbers.
    fn hull(values: [Rational; 4]) -> Range {
        let [first, rest @ ..] = values;
        rest.into_iter().fold(Range::point(first), |range, value| Range {
            low: range.low.min(value.clone()),
            high: range.high.max(value),
        })
    }
}

/// Whether an expression mentions no variable.
pub(super) fn is_closed(expr: &Expr) -> bool {
    let mut closed = true;
    expr.for_each_variable(&mut |_| closed = false);
    closed
}

/// The exact value of a closed expression of rational operations.
pub(super) fn exact(expr: &Expr) -> Option<Rational> {
    let Range { low, high } = range(expr, &|_| None)?;
    (low == high).then_some(low)
}

/// Bounds of the exact value, over all values of the variables; exact for rational operations on numbers. `None` for an
/// operation that is not covered here, or that may be undefined.
pub(crate) fn range(expr: &Expr, of: &dyn Fn(&Name) -> Option<Range>) -> Option<Range> {
    let go = |e: &Expr| range(e, of);
    let found = match expr {
        Expr::Number(value) => Range::point(value.clone()),
        Expr::Var(Variable::Plain(name)) => of(name)?,
        Expr::Unary(operation, x) => {
            let x = go(x)?;
            match operation {
                Unary::Neg => Range { low: -x.high, high: -x.low },
                Unary::Abs => Range {
                    low: Rational::ZERO.max(x.low.clone()).max(-x.high.clone()),
                    high: x.high.max(-x.low),
                },
                Unary::Ln => Range { low: ln_bounds(&x.low, BITS)?.0, high: ln_bounds(&x.high, BITS)?.1 },
                Unary::Exp => {
                    let most = Rational::from(LARGEST_EXPONENT);
                    if x.high > most || x.low < -most {
                        return None;
                    }
                    Range {
                        low: exp_bounds(&x.low, BITS).0.to_rational()?,
                        high: exp_bounds(&x.high, BITS).1.to_rational()?,
                    }
                }
                Unary::Pow2AtLeast => Range { low: pow2_at_least(&x.low)?, high: pow2_at_least(&x.high)? },
                Unary::Sqrt if x.low >= Rational::ZERO => {
                    let format = Format::wide(BITS);
                    let root = |x: &Rational, direction| {
                        format.sqrt(&format.round(x, direction), direction).to_rational()
                    };
                    Range { low: root(&x.low, Round::Down)?, high: root(&x.high, Round::Up)? }
                }
                Unary::Floor | Unary::Sqrt | Unary::Not => return None,
            }
        }
        Expr::Binary(operation, x, y) => {
            let (x, y) = (go(x)?, go(y)?);
            match operation {
                Binary::Add => Range { low: x.low + y.low, high: x.high + y.high },
                Binary::Sub => Range { low: x.low - y.high, high: x.high - y.low },
                Binary::Mul => {
                    Range::hull([&x.low * &y.low, &x.low * &y.high, &x.high * &y.low, &x.high * &y.high])
                }
                Binary::Div if y.low > Rational::ZERO || y.high < Rational::ZERO => {
                    Range::hull([&x.low / &y.low, &x.low / &y.high, &x.high / &y.low, &x.high / &y.high])
                }
                Binary::Min => Range { low: x.low.min(y.low), high: x.high.min(y.high) },
                Binary::Max => Range { low: x.low.max(y.low), high: x.high.max(y.high) },
                _ => return None,
            }
        }
        _ => return None,
    };
    (fits(&found.low) && fits(&found.high)).then_some(found)
}

/// Whether a number is small enough to go on computing with.
fn fits(x: &Rational) -> bool {
    x.numerator().unsigned_abs().bit_len() + x.denominator().bit_len() <= LARGEST_NUMBER
}

/// The smallest power of two that is at least x > 0.
fn pow2_at_least(x: &Rational) -> Option<Rational> {
    (x.is_positive() && !x.is_zero()).then(|| mironov_grid(&(Rational::ONE / x)))
}

/// What the format computes for a closed expression: numbers rounded to nearest, and every operation. `None` for an operation
/// that is not covered, and where something is not finite.
pub(super) fn in_format(expr: &Expr, format: Format) -> Option<Rational> {
    float(expr, format)?.to_rational()
}

fn float(expr: &Expr, format: Format) -> Option<Float> {
    let near = Round::NearestEven;
    let value = match expr {
        Expr::Number(value) => format.round(value, near),
        Expr::Unary(Unary::Neg, x) => float(x, format)?.negated(),
        Expr::Unary(Unary::Abs, x) => float(x, format)?.magnitude(),
        Expr::Unary(Unary::Pow2AtLeast, x) => {
            format.round(&pow2_at_least(&float(x, format)?.to_rational()?)?, near)
        }
        Expr::Binary(operation, x, y) => {
            let (x, y) = (float(x, format)?, float(y, format)?);
            match operation {
                Binary::Add => format.add(&x, &y, near),
                Binary::Sub => format.sub(&x, &y, near),
                Binary::Mul => format.mul(&x, &y, near),
                Binary::Div => format.div(&x, &y, near),
                _ => return None,
            }
        }
        _ => return None,
    };
    value.is_finite().then_some(value)
}

/// The number rounded to nearest, if that is finite.
pub(super) fn rounded(x: &Rational, format: Format) -> Option<Rational> {
    format.round(x, Round::NearestEven).to_rational()
}

#[cfg(test)]
mod tests {
    use probity_exact::{parse_rational, rational};

    use super::*;

    fn number(text: &str) -> Rational {
        parse_rational(text).unwrap()
    }

    /// x in [−2, 3], y in [1/2, 4].
    fn found(expr: &Expr) -> Option<(Rational, Rational)> {
        let between = |low: &str, high: &str| Range { low: number(low), high: number(high) };
        let of = |name: &Name| match name.as_str() {
            "x" => Some(between("-2", "3")),
            "y" => Some(between("1/2", "4")),
            _ => None,
        };
        range(expr, &of).map(|Range { low, high }| (low, high))
    }

    #[test]
    fn ranges_are_exact_for_rational_operations() {
        let (x, y, five) = (|| Expr::var("x"), || Expr::var("y"), || Expr::int(5));
        for (expr, low, high) in [
            (-x(), "-3", "2"),
            (x().abs(), "0", "3"),
            ((x() - five()).abs(), "2", "7"),
            ((-x()).abs(), "0", "3"),
            ((x() - Expr::int(1)).abs(), "0", "3"),
            (x() + y(), "-3/2", "7"),
            (x() - y(), "-6", "5/2"),
            (x() * y(), "-8", "12"),
            ((-y()) * (-y()), "1/4", "16"),
            (x() * (-y()), "-12", "8"),
            (x() / y(), "-4", "6"),
            (x() / (-y()), "-6", "4"),
            (x().min(y()), "-2", "3"),
            (y().min(five() - x()), "1/2", "4"),
            (x().max(y()), "1/2", "4"),
            ((five() + x()).max(y()), "3", "8"),
            (y().pow2_at_least(), "1/2", "4"),
            ((y() + five()).pow2_at_least(), "8", "16"),
            ((y() / Expr::int(3)).pow2_at_least(), "1/4", "2"),
            ((y() * y()).sqrt(), "1/2", "4"),
            ((y() - y() + five() - five()).abs().min(y()), "0", "7/2"),
        ] {
            assert_eq!(found(&expr), Some((number(low), number(high))), "{expr}");
        }
        let zero = Expr::int(0);
        assert_eq!(found(&zero.clone().sqrt()), Some((Rational::ZERO, Rational::ZERO)));
        for undefined in [
            Expr::int(1) / x(),
            x().sqrt(),
            x().ln(),
            x().pow2_at_least(),
            zero.clone().pow2_at_least(),
            y() / zero,
            x().floor(),
            x().modulo(y()),
            Expr::var("z"),
        ] {
            assert_eq!(found(&undefined), None, "{undefined}");
        }
    }

    /// Irrational numbers lie strictly inside their bounds, which are close together.
    #[test]
    fn bounds_of_irrational_numbers_enclose_them() {
        let two = || Expr::int(2);
        let close = number("1e-60");
        for (expr, below, above) in [
            (two().ln(), "0.69314718055994530941723212145817656", "0.69314718055994530941723212145817657"),
            (two().exp(), "7.38905609893065022723042746057500781", "7.38905609893065022723042746057500782"),
            ((-two()).exp(), "0.1353352832366126918939994949724844", "0.1353352832366126918939994949724845"),
        ] {
            let (low, high) = found(&expr).unwrap();
            assert!(number(below) < low && low < high && high < number(above), "{expr}");
            assert!(&high - &low < close, "{expr}");
        }
        let (low, high) = found(&two().sqrt()).unwrap();
        assert!(&low * &low < number("2") && number("2") < &high * &high && high - low < close);
        // Over a range the ends are those of the range.
        let (low, high) = found(&Expr::var("y").sqrt()).unwrap();
        assert!(&low * &low < number("1/2") && high == number("2"));
        let (low, high) = found(&(Expr::var("x")).exp()).unwrap();
        assert!(low < number("0.1353352832366126919") && high > number("20.08553692318766774"));
    }

    #[test]
    fn what_is_too_large_has_no_range() {
        let most = Expr::int(LARGEST_EXPONENT);
        let beyond = || Expr::int(LARGEST_EXPONENT + 1);
        assert!(found(&most.exp()).is_some());
        assert!(found(&beyond().exp()).is_none() && found(&(-beyond()).exp()).is_none());
        let wide = |bits: usize| Rational::from(probity_exact::Integer::ONE << bits);
        assert!(found(&Expr::Number(wide(500_000))).is_some());
        assert!(found(&Expr::Number(wide(600_000))).is_none());
        assert!(found(&Expr::Number(Rational::ONE / wide(600_000))).is_none());
        let both = wide(400_000) / (wide(400_000) + Rational::ONE);
        assert!(found(&Expr::Number(both)).is_none());
    }

    /// Every operation is rounded, in the format at hand.
    #[test]
    fn formats_round_every_operation() {
        let format = Format::new(3, -4, 4).unwrap();
        let (five, seven) = (|| Expr::int(5), || Expr::int(7));
        for (expr, value) in [
            (Expr::Number(rational(1, 3).unwrap()), "5/16"),
            (-five(), "-5"),
            ((five() - seven()).abs(), "2"),
            (five() + seven(), "12"),
            (five() + five() + seven(), "16"),
            (five() - seven(), "-2"),
            (five() * Expr::int(3), "16"),
            (five() / seven(), "3/4"),
            ((five() / seven()).pow2_at_least(), "1"),
        ] {
            assert_eq!(in_format(&expr, format), Some(number(value)), "{expr}");
        }
        assert_eq!(in_format(&(seven() * seven()), format), None, "beyond the format");
        assert_eq!(in_format(&five().exp(), format), None);
    }
}
