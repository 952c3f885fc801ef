//! Exact numbers in decimal, with the direction of rounding chosen.

use std::fmt::Display;

use probity_audit::{Given, Outcome};
use probity_exact::{Enclosure, Float, Natural, Rational, UnsignedAbs, directed, rational_from_f64};

/// The largest decimal of this many significant digits that is not above the number.
pub fn down(value: &Rational, digits: usize) -> String {
    rounded(value, digits, Towards::Below)
}

/// The smallest decimal of this many significant digits that is not below the number.
pub fn up(value: &Rational, digits: usize) -> String {
    rounded(value, digits, Towards::Above)
}

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

/// Which decimal stands for a number that is none.
#[derive(Clone, Copy, PartialEq)]
enum Towards {
    Below,
    Above,
    Nearest,
}

fn rounded(value: &Rational, digits: usize, towards: Towards) -> String {
    if value.is_zero() {
        return "0".into();
    }
    let negative = *value < Rational::ZERO;
    let numerator = value.numerator().unsigned_abs();
    let denominator = value.denominator();
    let ten = |power: usize| Natural::from(10u8).pow(power);
    // value = n · 10^(exponent − digits + 1) with 10^(digits − 1) ≤ n < 10^digits.
    let mut exponent = estimate(&numerator, denominator);
    let significand = loop {
        let shift = digits as i64 - 1 - exponent;
        let (top, bottom) = match shift >= 0 {
            true => (&numerator * ten(shift as usize), denominator.clone()),
            false => (numerator.clone(), denominator * ten(shift.unsigned_abs() as usize)),
        };
        let quotient = &top / &bottom;
        if quotient < ten(digits - 1) {
            exponent -= 1;
        } else if quotient >= ten(digits) {
            exponent += 1;
        } else {
            let rest = &top - &quotient * &bottom;
            let away = match towards {
                Towards::Below => negative && !rest.is_zero(),
                Towards::Above => !negative && !rest.is_zero(),
                Towards::Nearest => rest * Natural::from(2u8) >= bottom,
            };
            let rounded = if away { quotient + Natural::ONE } else { quotient };
            if rounded == ten(digits) {
                exponent += 1;
                break ten(digits - 1);
            }
            break rounded;
        }
    };
    let sign = if negative { "-" } else { "" };
    format!("{sign}{}", place(&significand.to_string(), exponent))
}

/// The power of ten at the front of a number, up to one.
fn estimate(numerator: &Natural, denominator: &Natural) -> i64 {
    let bits = |n: &Natural| n.to_be_bytes().len() as i64 * 8;
    // log10(2) is between 0.30102 and 0.30103; the loop above corrects what whole bytes leave open.
    (bits(numerator) - bits(denominator)) * 30103 / 100_000
}

/// Digits with the point after the first one times 10^exponent, in the shorter of the two notations.
fn place(digits: &str, exponent: i64) -> String {
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    let length = digits.len() as i64;
    if (0..length.max(7)).contains(&exponent) {
        let padded = format!("{digits:0<width$}", width = exponent as usize + 1);
        let (whole, fraction) = padded.split_at(exponent as usize + 1);
        trimmed(&format!("{whole}.{fraction}"))
    } else if (-4..0).contains(&exponent) {
        trimmed(&format!("0.{}{digits}", "0".repeat(exponent.unsigned_abs() as usize - 1)))
    } else {
        let (first, rest) = digits.split_at(1);
        format!("{}e{exponent}", trimmed(&format!("{first}.{rest}")))
    }
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
    rounded(value, 4, Towards::Nearest)
}

/// A double to four significant digits.
pub fn figure_of(x: f64) -> String {
    rational_from_f64(x).map_or_else(|| x.to_string(), |exact| figure(&exact))
}

/// An upper bound to four significant digits, rounded up.
pub fn at_most(bound: f64) -> String {
    rational_from_f64(bound).map_or_else(|| bound.to_string(), |exact| up(&exact, 4))
}

/// Digits that tell any two doubles apart.
const DISTINCT: usize = 17;

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

/// A double in digits, with an exponent where there would be many zeros.
pub fn double(x: f64) -> String {
    match x == 0.0 || (1e-5..1e17).contains(&x.abs()) || !x.is_finite() {
        true => format!("{x}"),
        false => format!("{x:e}"),
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
    fn directions_are_kept() {
        for (text, low, high) in [
            ("1/3", "0.333", "0.334"),
            ("-1/3", "-0.334", "-0.333"),
            ("2", "2", "2"),
            ("999.5", "999", "1000"),
            ("0.00012345", "0.000123", "0.000124"),
            ("0.000012345", "1.23e-5", "1.24e-5"),
            ("123456789", "1.23e8", "1.24e8"),
            ("1234567", "1230000", "1240000"),
            ("1e-400", "1e-400", "1e-400"),
            ("0", "0", "0"),
        ] {
            assert_eq!(down(&number(text), 3), low, "{text}");
            assert_eq!(up(&number(text), 3), high, "{text}");
        }
    }

    #[test]
    fn every_decimal_is_on_its_side() {
        let mut state = 1u64;
        for _ in 0..2000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let scale = probity_exact::rational(1, (state >> 20 & 0xffff) as i64 + 1).unwrap();
            let value = Rational::from((state >> 32) as i64 - (1 << 31)) * scale;
            let (low, high) = (number(&down(&value, 5)), number(&up(&value, 5)));
            assert!(low <= value && value <= high, "{low} {value} {high}");
            let width = &high - &low;
            let size = if value < Rational::ZERO { -value } else { value };
            assert!(width <= size / Rational::from(10_000));
        }
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
        assert_eq!(double(1e-300), "1e-300");
        assert_eq!(double(0.25), "0.25");
        let list = Outcome::List(vec![Outcome::Bool(true), Outcome::Number(number("5/2"))]);
        assert_eq!(outcome(&list), "[true, 2.5]");
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
        let tiny = Rational::from_parts(probity_exact::Integer::ONE, Natural::ONE << 1075);
        assert_eq!(figure(&tiny), "2.47e-324");
        assert_eq!(figure_of(f64::INFINITY), "inf");
        assert_eq!(figure_of(0.25), "0.25");
        assert_eq!(at_most(1.0 / 3.0), "0.3334");
    }
}
