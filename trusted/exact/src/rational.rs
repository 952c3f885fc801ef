//! Making rationals: from machine numbers, and from the text that people write.

use std::fmt;

use crate::{Integer, Natural, Rational};

/// Largest decimal exponent that [`parse_rational`] expands. Beyond it a short text would stand for a number
/// of more than ten thousand digits, which is a typing error or an attack.
const MAX_DECIMAL_EXPONENT: u64 = 10_000;

/// Longest text that [`parse_rational`] reads.
const MAX_TEXT: usize = 100_000;

/// The integer `value`.
///
/// ```
/// assert_eq!(probity_exact::integer(-3).to_string(), "-3");
/// ```
pub fn integer(value: impl Into<Integer>) -> Integer {
    value.into()
}

/// The rational `numerator / denominator`, in lowest terms; `None` when the denominator is zero.
///
/// ```
/// assert_eq!(probity_exact::rational(6, -4).unwrap().to_string(), "-3/2");
/// assert!(probity_exact::rational(1, 0).is_none());
/// ```
pub fn rational(numerator: impl Into<Integer>, denominator: impl Into<Integer>) -> Option<Rational> {
    let denominator: Integer = denominator.into();
    if denominator == Integer::ZERO {
        return None;
    }
    Some(Rational::from_parts_signed(numerator.into(), denominator))
}

/// The fraction `N / D` that stands in the text of a program, in lowest terms. A denominator of 0 does not compile.
///
/// ```
/// assert_eq!(probity_exact::fraction::<6, 4>().to_string(), "3/2");
/// ```
/// ```compile_fail
/// let undefined = probity_exact::fraction::<1, 0>();
/// ```
pub fn fraction<const N: i64, const D: u64>() -> Rational {
    const { assert!(D != 0, "a fraction has a denominator other than 0") };
    Rational::from_parts(Integer::from(N), Natural::from(D))
}

/// The exact value of a finite f64; `None` for NaN and infinities.
///
/// ```
/// assert_eq!(probity_exact::rational_from_f64(0.75).unwrap().to_string(), "3/4");
/// assert!(probity_exact::rational_from_f64(f64::NAN).is_none());
/// ```
pub fn rational_from_f64(value: f64) -> Option<Rational> {
    if !value.is_finite() {
        return None;
    }
    let bits = value.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let biased = (bits >> 52) & 0x7ff;
    // A subnormal has exponent −1074 and no hidden bit; a normal number has the hidden bit 2^52.
    let (significand, exponent) = match biased {
        0 => (fraction, -1074),
        _ => (fraction | (1 << 52), biased as i64 - 1075),
    };
    let mut numerator = Integer::from(significand);
    if value.is_sign_negative() {
        numerator = -numerator;
    }
    Some(if exponent >= 0 {
        Rational::from(numerator << exponent as usize)
    } else {
        Rational::from_parts(numerator, Natural::ONE << (-exponent) as usize)
    })
}

/// Why a text is no rational number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseRationalError {
    text: String,
    reason: &'static str,
}

impl fmt::Display for ParseRationalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' is not a number: {}; write 3, 7/3, 0.1 or 1e-5", self.text, self.reason)
    }
}

impl std::error::Error for ParseRationalError {}

/// Reads a number as the exact rational it denotes: `3`, `-7/3`, `0.1`, `1e-5`, `2.5e3/7`.
///
/// ```
/// use probity_exact::{fraction, parse_rational};
/// assert_eq!(parse_rational("0.1").unwrap(), fraction::<1, 10>());
/// assert_eq!(parse_rational("-7/3").unwrap(), fraction::<-7, 3>());
/// assert!(parse_rational("1/0").is_err());
/// ```
pub fn parse_rational(text: &str) -> Result<Rational, ParseRationalError> {
    let fail = |reason| {
        let mut shown: String = text.chars().take(40).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        ParseRationalError { text: shown, reason }
    };
    let trimmed = text.trim();
    if trimmed.len() > MAX_TEXT {
        return Err(fail("it is too long"));
    }
    match trimmed.split_once('/') {
        None => parse_decimal(trimmed).map_err(fail),
        Some((numerator, denominator)) => {
            let numerator = parse_decimal(numerator.trim()).map_err(fail)?;
            let denominator = parse_decimal(denominator.trim()).map_err(fail)?;
            if denominator.is_zero() {
                return Err(fail("its denominator is zero"));
            }
            Ok(numerator / denominator)
        }
    }
}

/// Reads `[+-]digits[.digits][e[+-]digits]`.
fn parse_decimal(text: &str) -> Result<Rational, &'static str> {
    let (negative, rest) = match text.as_bytes().first() {
        None => return Err("it is empty"),
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        Some(_) => (false, text),
    };
    let (mantissa, exponent) = match rest.find(['e', 'E']) {
        None => (rest, 0),
        Some(at) => (&rest[..at], parse_exponent(&rest[at + 1..])?),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return Err("it has no digits");
    }
    if !whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit()) {
        return Err("it has something other than digits");
    }
    let digits = format!("{whole}{fraction}");
    let digits = Natural::from_str_radix(&digits, 10).map_err(|_| "it has something other than digits")?;
    let numerator = if negative { -Integer::from(digits) } else { Integer::from(digits) };
    let power = exponent - fraction.len() as i64;
    let scale = Natural::from(10u8).pow(power.unsigned_abs() as usize);
    Ok(if power >= 0 { Rational::from(numerator * scale) } else { Rational::from_parts(numerator, scale) })
}

fn parse_exponent(text: &str) -> Result<i64, &'static str> {
    // i64's own parser accepts one sign and digits only.
    let exponent: i64 = text.parse().map_err(|_| "its exponent is not an integer")?;
    if exponent.unsigned_abs() > MAX_DECIMAL_EXPONENT {
        return Err("its exponent is beyond ±10000");
    }
    Ok(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_people_write() {
        for (text, numerator, denominator) in [
            ("3", 3, 1),
            ("+3", 3, 1),
            ("7/3", 7, 3),
            (" 7 / 3 ", 7, 3),
            ("-0.10", -1, 10),
            ("1e-5", 1, 100_000),
            ("2.5E+1", 25, 1),
            (".5", 1, 2),
            ("5.", 5, 1),
            ("0.1/0.3", 1, 3),
            ("-0", 0, 1),
        ] {
            assert_eq!(parse_rational(text), Ok(rational(numerator, denominator).unwrap()), "{text}");
        }
    }

    /// The largest exponent and the longest text are read, and no more.
    #[test]
    fn limits_are_where_they_are_said_to_be() {
        let power = |n| Rational::from(Natural::from(10u8).pow(n));
        assert_eq!(parse_rational("1e10000"), Ok(power(10_000)));
        assert_eq!(parse_rational("1e-10000"), Ok(Rational::ONE / power(10_000)));
        assert!(parse_rational("1e10001").is_err() && parse_rational("1e-10001").is_err());
        let text = |zeros| format!("{}7", "0".repeat(zeros));
        assert_eq!(parse_rational(&text(MAX_TEXT - 1)), Ok(Rational::from(7u8)));
        assert!(parse_rational(&text(MAX_TEXT)).is_err());
        assert_eq!(integer(-7) + integer(7u8), Integer::ZERO);
        assert_ne!(integer(7), Integer::ZERO);
        assert_eq!(fraction::<-6, 4>(), rational(3, -2).unwrap());
    }

    #[test]
    fn refuses_what_is_no_number() {
        for text in [
            "",
            " ",
            ".",
            "-",
            "e5",
            "1e",
            "1e99999999999999999999",
            "1e10001",
            "1e-9223372036854775808",
            "1e9223372036854775807",
            "1/0",
            "1/",
            "/2",
            "1//2",
            "0x10",
            "1_000",
            "NaN",
            "inf",
            "١",
            "1e1.5",
            "--1",
            "1e-i64",
            "1 2",
        ] {
            assert!(parse_rational(text).is_err(), "{text:?} was read");
        }
    }

    #[test]
    fn doubles_are_exact() {
        assert_eq!(rational_from_f64(0.1).unwrap().to_string(), "3602879701896397/36028797018963968");
        assert_eq!(rational_from_f64(-0.0).unwrap(), Rational::ZERO);
        let tiny = rational_from_f64(f64::from_bits(1)).unwrap();
        assert_eq!(tiny, Rational::from_parts(Integer::ONE, Natural::ONE << 1074));
        let huge = rational_from_f64(f64::MAX).unwrap();
        assert_eq!(huge, Rational::from((Integer::ONE << 1024) - (Integer::ONE << 971)));
        assert_eq!(rational_from_f64(f64::INFINITY), None);
    }
}
