//! Numbers of a row: integers with a unit, so that decimals and halves are added up exactly.

use probity_exact::{Integer, Natural, Rational};

use super::row::Row;

/// A number of a row: an integer times a unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    /// The integer.
    pub row: Row,
    /// What one of it stands for.
    pub unit: Rational,
}

impl Number {
    /// A number of the query.
    pub fn constant(value: &Rational) -> Option<Number> {
        let row = Row::Constant(i64::try_from(value.numerator()).ok()?);
        Some(Number { row, unit: Rational::from_parts(Integer::ONE, value.denominator().clone()) })
    }

    /// The same number in a unit that divides its own.
    pub fn in_unit(self, unit: &Rational) -> Option<Row> {
        let factor = &self.unit / unit;
        let factor = factor.is_int().then(|| i64::try_from(&factor.floor()).ok()).flatten()?;
        Some(match (factor, self.row) {
            (1, row) => row,
            (factor, Row::Constant(value)) => Row::Constant(value.checked_mul(factor)?),
            (factor, row) => Row::Mul(Box::new(row), Box::new(Row::Constant(factor))),
        })
    }
}

/// The largest unit of which both units are multiples.
pub fn common(a: &Rational, b: &Rational) -> Rational {
    // With a = m/k and b = n/k: gcd(m, n)/k.
    let k = a.denominator() * b.denominator();
    let scaled = |value: &Rational| (value * Rational::from(k.clone())).floor();
    let (mut m, mut n) = (scaled(a), scaled(b));
    while n != Integer::ZERO {
        (m, n) = (n.clone(), m % n);
    }
    Rational::from_parts(m, Natural::ONE) / Rational::from(k)
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    #[test]
    fn the_common_unit_divides_both() {
        let r = |n: i64, d: i64| rational(n, d).unwrap();
        for (a, b, unit) in [
            (r(1, 100), r(1, 1), r(1, 100)),
            (r(1, 6), r(1, 4), r(1, 12)),
            (r(3, 1), r(2, 1), r(1, 1)),
            (r(3, 2), r(9, 4), r(3, 4)),
        ] {
            assert_eq!(common(&a, &b), unit);
            assert!((a / &unit).is_int() && (b / &unit).is_int());
        }
    }
}
