//! Exact numbers in decimal for people: outcomes, inputs, what is certain of an enclosure. Bounds are rounded by
//! `probity_float::decimal`, which says in which direction.

use std::fmt::Display;

use probity_audit::{Given, Outcome};
use probity_exact::{Enclosure, Float, Rational, directed, rational_from_f64};
pub use probity_float::decimal::{DISTINCT, FIGURES, at_least, at_most, double, down, nearest, up};

/// The digits of a number in an interval that are certain, followed by `…` if there are more. Both ends where no
/// digit is.
pub fn certain(low: &Rational, high: &Rational, digits: usize) -> String {
    if low == high && down(low, digits) == up(low, digits) {
        return down(low, digits);
    }
    let towards_zero = |v: &Rational| if *v < Rational::ZERO { up(v, digits) } else { down(v, digits) };
    let (a, b) = (towards_zero(low), towards_zero(high));
    if a == b && *low != Rational::ZERO && *high != Rational::ZERO {
        match a.split_once('e') {
            Some((digits, exponent)) => format!("{digits}…e{exponent}"),
            None => format!("{a}…"),
        }
    } else {
        format!("[{}, {}]", down(low, digits), up(high, digits))
    }
}

/// An interval in a few digits, rounded outward.
pub fn outward(low: f64, high: f64) -> String {
    let end = |x: f64, rounded: fn(&Rational, usize) -> String| {
        rational_from_f64(x).map_or_else(|| x.to_string(), |exact| rounded(&exact, 7))
    };
    format!("[{}, {}]", end(low, down), end(high, up))
}

/// The certain digits of a number that is enclosed.
pub fn enclosed(value: &Enclosure<Float>, digits: usize) -> String {
    match ends(value) {
        Some((low, high)) => certain(&low, &high, digits),
        None => "unbounded".into(),
    }
}

/// The ends of an enclosure; `None` if one is infinite.
pub fn ends(value: &Enclosure<Float>) -> Option<(Rational, Rational)> {
    Some((value.low().to_rational()?, value.high().to_rational()?))
}

/// A number in as few characters as it needs: exactly where that is short.
pub fn short(value: &Rational) -> String {
    let (low, high) = (down(value, 10), up(value, 10));
    if low == high {
        return low;
    }
    let fraction = value.to_string();
    if fraction.len() <= 12 { fraction } else { certain(value, value, 10) }
}

/// A number to four significant digits, rounded to the nearest: for what is measured, not for bounds.
pub fn figure(value: &Rational) -> String {
    nearest(value, 4)
}

/// A double to four significant digits.
pub fn figure_of(x: f64) -> String {
    rational_from_f64(x).map_or_else(|| x.to_string(), |exact| figure(&exact))
}

/// A number for a person who may want to use it: exactly where that is short, else after `≈` with as many digits as tell
/// it from its neighbours.
pub fn exact_or_nearest(value: &Rational) -> String {
    let (low, high) = (down(value, DISTINCT), up(value, DISTINCT));
    if low == high {
        return low;
    }
    let fraction = value.to_string();
    if fraction.len() <= 12 {
        return fraction;
    }
    let nearest = directed::cast_nearest(value);
    match rational_from_f64(nearest) {
        // The shortest text that reads back as this double.
        Some(same) if same == *value => format!("≈{}", double(nearest)),
        _ => format!("≈{low}"),
    }
}

/// `x = 1`, or `x ≈ 0.333` for a number that is shown as `≈0.333`.
pub fn equation(name: impl Display, shown: &str) -> String {
    match shown.strip_prefix('≈') {
        Some(digits) => format!("{name} ≈ {digits}"),
        None => format!("{name} = {shown}"),
    }
}

/// What a mechanism released.
pub fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Number(x) => exact_or_nearest(x),
        Outcome::List(items) => {
            format!("[{}]", items.iter().map(self::outcome).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// What a mechanism is given.
pub fn given(given: &Given) -> String {
    match given {
        Given::Number(x) => exact_or_nearest(x),
        Given::List(items) => {
            format!("[{}]", items.iter().map(exact_or_nearest).collect::<Vec<_>>().join(", "))
        }
        Given::Rows(rows) => {
            let row = |row: &Vec<Given>| {
                format!("({})", row.iter().map(self::given).collect::<Vec<_>>().join(", "))
            };
            format!("[{}]", rows.iter().map(row).collect::<Vec<_>>().join(", "))
        }
        Given::Bool(_) => given.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::parse_rational;

    fn number(text: &str) -> Rational {
        parse_rational(text).unwrap()
    }

    #[test]
    fn only_certain_digits_are_shown() {
        let shown = |low: &str, high: &str| certain(&number(low), &number(high), 4);
        assert_eq!(shown("0.31606", "0.31607"), "0.316…");
        assert_eq!(shown("-0.31607", "-0.31606"), "-0.316…");
        assert_eq!(shown("0.5", "0.5"), "0.5");
        assert_eq!(shown("1/3", "1/3"), "0.3333…");
        assert_eq!(shown("0.31599", "0.31601"), "[0.3159, 0.3161]");
        assert_eq!(shown("1.2345e-30", "1.2346e-30"), "1.234…e-30");
        assert_eq!(shown("-1", "1"), "[-1, 1]");
    }
    #[test]
    fn numbers_for_people_are_short_and_tell_enough() {
        let shown = |text: &str| exact_or_nearest(&number(text));
        assert_eq!(shown("7/2"), "3.5");
        assert_eq!(shown("0.1"), "0.1");
        assert_eq!(shown("-1/1024"), "-0.0009765625");
        assert_eq!(shown("2/3"), "2/3");
        assert_eq!(shown("-7233264654955831/36028797018963968"), "≈-0.20076342407848255");
        // Not a double: the digits towards zero.
        assert_eq!(shown("10000000000001/30000000000000"), "≈0.33333333333336666");
        // Two neighbours do not look alike.
        assert_ne!(shown("9007199254740991/9007199254740992"), shown("9007199254740990/9007199254740992"));
        assert_eq!(shown(&format!("1{}", "0".repeat(300))), "1e300");
        assert_eq!(equation("x", "≈0.1"), "x ≈ 0.1");
        assert_eq!(equation("x", "0.1"), "x = 0.1");
        let list = Outcome::List(vec![Outcome::Bool(true), Outcome::Number(number("5/2"))]);
        assert_eq!(outcome(&list), "[true, 2.5]");
    }
    #[test]
    fn intervals_are_rounded_outward() {
        assert_eq!(outward(1.0 / 3.0, 2.0 / 3.0), "[0.3333333, 0.6666667]");
        assert_eq!(outward(-2.0 / 3.0, f64::INFINITY), "[-0.6666667, inf]");
    }
    #[test]
    fn figures_cover_every_size() {
        let shown = |text: &str| figure(&number(text));
        for (text, expected) in [
            ("0", "0"),
            ("1", "1"),
            ("-1234.5", "-1235"),
            ("999.99", "1000"),
            ("1/3", "0.3333"),
            ("-2/3", "-0.6667"),
            ("1/1000", "0.001"),
            ("0.00001234549", "1.235e-5"),
            ("0.00001234449", "1.234e-5"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
        let tiny = Rational::from_parts(probity_exact::Integer::ONE, probity_exact::Natural::ONE << 1075);
        assert_eq!(figure(&tiny), "2.47e-324");
        assert_eq!(figure_of(f64::INFINITY), "inf");
        assert_eq!(figure_of(0.25), "0.25");
    }
}
