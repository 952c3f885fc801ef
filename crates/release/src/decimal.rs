//! Exact numbers as decimals.

use probity_exact::{Integer, Natural, Rational, UnsignedAbs};

/// The decimal of a number, or a fraction where no decimal of at most 40 digits behind the point is exact.
pub fn exact(value: &Rational) -> String {
    let ten = Natural::from(10u8);
    let mut power = Natural::ONE;
    for digits in 0..=40 {
        if &power % value.denominator() == Natural::ZERO {
            return fixed(value, digits);
        }
        power *= &ten;
    }
    value.to_string()
}

/// The nearest decimal with this many digits behind the point, half away from zero.
pub fn fixed(value: &Rational, digits: usize) -> String {
    let half = Rational::from_parts(Integer::ONE, 2u8.into());
    shown(value, digits, |units| match *units < Rational::ZERO {
        true => -(half - units).floor(),
        false => (units + half).floor(),
    })
}

/// The decimal of a number if it is exact with this many digits behind the point, else the nearest that has all of them.
pub fn short(value: &Rational, digits: usize) -> String {
    let exact = exact(value);
    match exact.split_once('.').map_or(0, |(_, fraction)| fraction.len()) <= digits && !exact.contains('/') {
        true => exact,
        false => fixed(value, digits),
    }
}

/// The largest decimal with this many digits behind the point that is not above the number.
pub fn below(value: &Rational, digits: usize) -> String {
    shown(value, digits, Rational::floor)
}

/// The smallest decimal with this many digits behind the point that is not below the number.
pub fn above(value: &Rational, digits: usize) -> String {
    shown(value, digits, Rational::ceil)
}

/// A decimal with this many digits behind the point, by what makes a whole number of its last places.
fn shown(value: &Rational, digits: usize, whole: impl FnOnce(&Rational) -> Integer) -> String {
    let scale = Natural::from(10u8).pow(digits);
    let units = whole(&(value * Rational::from(scale)));
    let negative = units < Integer::ZERO;
    let units = units.unsigned_abs();
    let text = units.to_string();
    let text = format!("{text:0>width$}", width = digits + 1);
    let (whole, fraction) = text.split_at(text.len() - digits);
    let sign = if negative && units != Natural::ZERO { "-" } else { "" };
    match fraction.is_empty() {
        true => format!("{sign}{whole}"),
        false => format!("{sign}{whole}.{fraction}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    #[test]
    fn decimals_of_numbers() {
        let number = |n: i64, d: i64| rational(n, d).unwrap();
        assert_eq!(exact(&number(-1234, 100)), "-12.34");
        assert_eq!(exact(&number(1, 3)), "1/3");
        assert_eq!(exact(&number(-1, 8)), "-0.125");
        assert_eq!(exact(&number(7, 1)), "7");
        assert_eq!(fixed(&number(2, 3), 2), "0.67");
        assert_eq!(fixed(&number(-1, 1000), 2), "0.00");
        assert_eq!(fixed(&number(5, 2), 0), "3");
        assert_eq!(
            ["200000", "2.5", "0.333", "0.000"],
            [(200_000, 1), (5, 2), (1, 3), (1, 5000)].map(|(n, d)| short(&number(n, d), 3))
        );
        assert_eq!(fixed(&number(-5, 2), 0), "-3");
    }

    #[test]
    fn ends_of_intervals_are_rounded_outward() {
        let number = |n: i64, d: i64| rational(n, d).unwrap();
        for (n, d, digits, low, high) in [
            (10, 3, 3, "3.333", "3.334"),
            (-10, 3, 3, "-3.334", "-3.333"),
            (7, 2, 1, "3.5", "3.5"),
            (-1, 1000, 2, "-0.01", "0.00"),
            (1, 1000, 0, "0", "1"),
        ] {
            assert_eq!(below(&number(n, d), digits), low);
            assert_eq!(above(&number(n, d), digits), high);
        }
    }
}
