//! Exact numbers in decimal, with the direction of rounding chosen: what is printed of an upper bound is not below it.

use probity_exact::{Natural, Rational, UnsignedAbs, rational_from_f64};

/// The largest decimal of this many significant digits that is not above the number.
pub fn down(value: &Rational, digits: usize) -> String {
    rounded(value, digits, Towards::Below)
}

/// The smallest decimal of this many significant digits that is not below the number.
pub fn up(value: &Rational, digits: usize) -> String {
    rounded(value, digits, Towards::Above)
}

/// The decimal of this many significant digits that is nearest to the number: for what is measured, not for bounds.
pub fn nearest(value: &Rational, digits: usize) -> String {
    rounded(value, digits, Towards::Nearest)
}

/// An upper bound to four significant digits, rounded up.
pub fn at_most(bound: f64) -> String {
    rational_from_f64(bound).map_or_else(|| bound.to_string(), |exact| up(&exact, FIGURES))
}

/// A lower bound to four significant digits, rounded down.
pub fn at_least(bound: f64) -> String {
    rational_from_f64(bound).map_or_else(|| bound.to_string(), |exact| down(&exact, FIGURES))
}

/// Digits that tell any two doubles apart.
pub const DISTINCT: usize = 17;

/// Significant digits of a bound that is read and not computed with.
pub const FIGURES: usize = 4;

/// A double in digits, with an exponent where there would be many zeros.
pub fn double(x: f64) -> String {
    match x == 0.0 || (1e-5..1e17).contains(&x.abs()) || !x.is_finite() {
        true => format!("{x}"),
        false => format!("{x:e}"),
    }
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
    fn bounds_keep_their_side() {
        assert_eq!((at_least(1.0 / 3.0), at_most(1.0 / 3.0)), ("0.3333".into(), "0.3334".into()));
        assert_eq!(at_most(2f64.powi(-53)), "1.111e-16");
        assert_eq!(at_least(2f64.powi(-53)), "1.11e-16");
        assert_eq!((at_least(0.0), at_most(f64::INFINITY)), ("0".into(), "inf".into()));
        assert_eq!((double(1e-300), double(0.25)), ("1e-300".into(), "0.25".into()));
    }
}
