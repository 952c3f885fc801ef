//! The numbers of FPCore: decimals and fractions, hexadecimal floats, `digits`, and named constants.

use probity_exact::{Integer, Natural, Rational, parse_rational, rational};

use crate::program::Constant;

/// Named constants of FPCore, cut off after sixty decimals: the constant lies between the figure and the
/// figure plus one unit of its last place.
const NAMED: [(&str, &str); 13] = [
    ("E", "2.718281828459045235360287471352662497757247093699959574966967"),
    ("LOG2E", "1.442695040888963407359924681001892137426645954152985934135449"),
    ("LOG10E", "0.434294481903251827651128918916605082294397005803666566114453"),
    ("LN2", "0.693147180559945309417232121458176568075500134360255254120680"),
    ("LN10", "2.302585092994045684017991454684364207601101488628772976033327"),
    ("PI", "3.141592653589793238462643383279502884197169399375105820974944"),
    ("PI_2", "1.570796326794896619231321691639751442098584699687552910487472"),
    ("PI_4", "0.785398163397448309615660845819875721049292349843776455243736"),
    ("M_1_PI", "0.318309886183790671537767526745028724068919291480912897495334"),
    ("M_2_PI", "0.636619772367581343075535053490057448137838582961825794990669"),
    ("M_2_SQRTPI", "1.128379167095512573896158903121545171688101258657997713688171"),
    ("SQRT2", "1.414213562373095048801688724209698078569671875376948073176679"),
    ("SQRT1_2", "0.707106781186547524400844362104849039284835937688474036588339"),
];

/// Exponents of hexadecimal floats and of `digits` beyond which a number is refused.
const MAX_EXPONENT: u64 = 20_000;

/// The constant that a word stands for, if it stands for one.
///
/// ```
/// use probity_float::numeral::constant;
/// assert_eq!(constant("0x1.8p-1").unwrap().low.to_string(), "3/4");
/// assert!(constant("PI").unwrap().low < constant("PI").unwrap().high);
/// assert!(constant("x").is_none());
/// ```
pub fn constant(word: &str) -> Option<Constant> {
    if let Some((_, digits)) = NAMED.iter().find(|(name, _)| *name == word) {
        let low = parse_rational(digits).ok()?;
        let unit = parse_rational("1e-60").ok()?;
        return Some(Constant { text: word.into(), high: &low + unit, low });
    }
    let starts_like_one =
        word.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if !starts_like_one {
        return None;
    }
    let value = hexadecimal(word).or_else(|| parse_rational(word).ok())?;
    Some(exactly(word, value))
}

/// The rational constant.
pub fn exactly(text: &str, value: Rational) -> Constant {
    Constant { text: text.into(), low: value.clone(), high: value }
}

/// `(digits m e b)`: m · b^e.
pub fn digits(mantissa: &str, exponent: &str, base: &str) -> Option<Constant> {
    let mantissa = constant(mantissa)?;
    let exponent: i64 = exponent.parse().ok()?;
    let base: u32 = base.parse().ok().filter(|b| (2..=1000).contains(b))?;
    if exponent.unsigned_abs() > MAX_EXPONENT {
        return None;
    }
    let power = Rational::from(Natural::from(base).pow(exponent.unsigned_abs() as usize));
    let value = if exponent >= 0 { mantissa.low * power } else { mantissa.low / power };
    Some(exactly(&format!("{value}"), value))
}

/// `[+-]0x digits [. digits] [p exponent]`.
fn hexadecimal(word: &str) -> Option<Rational> {
    let (negative, rest) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word.strip_prefix('+').unwrap_or(word)),
    };
    let rest = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X"))?;
    let (mantissa, exponent) = match rest.split_once(['p', 'P']) {
        None => (rest, 0),
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let figures: String = whole.chars().chain(fraction.chars()).collect();
    if figures.is_empty() || figures.len() > 10_000 || exponent.unsigned_abs() > MAX_EXPONENT {
        return None;
    }
    let mut value = Integer::ZERO;
    for figure in figures.chars() {
        value = value * Integer::from(16) + Integer::from(figure.to_digit(16)?);
    }
    let shift = exponent - 4 * fraction.len() as i64;
    let scale = Integer::ONE << shift.unsigned_abs() as usize;
    let value = if shift >= 0 { Rational::from(value * scale) } else { rational(value, scale)? };
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_kind() {
        let value = |word: &str| constant(word).map(|c| c.low.to_string());
        assert_eq!(value("0.1").as_deref(), Some("1/10"));
        assert_eq!(value("-7/3").as_deref(), Some("-7/3"));
        assert_eq!(value("42.7e-6").as_deref(), Some("427/10000000"));
        assert_eq!(value("-0x1p-2").as_deref(), Some("-1/4"));
        assert_eq!(value("0xA.8").as_deref(), Some("21/2"));
        for word in ["x", "-", "+", "0x", "0xg", "1/0", "0x1p99999999", "1e99999999", ".", "t*"] {
            assert_eq!(value(word), None, "{word}");
        }
        assert_eq!(digits("3", "-2", "10").unwrap().low.to_string(), "3/100");
        assert!(digits("3", "-2", "1").is_none());
    }

    /// The named constants against relations between them that hold exactly.
    #[test]
    fn named_constants_agree() {
        let of = |name: &str| constant(name).unwrap();
        let meets = |low: Rational, high: Rational, target: Rational| {
            assert!(low <= target && target <= high);
        };
        let two = rational(2, 1).unwrap();
        let one = rational(1, 1).unwrap();
        for name in ["SQRT2", "SQRT1_2"] {
            let c = of(name);
            let square = if name == "SQRT2" { two.clone() } else { rational(1, 2).unwrap() };
            meets(&c.low * &c.low, &c.high * &c.high, square);
        }
        for (x, y, product) in
            [("LN2", "LOG2E", &one), ("LN10", "LOG10E", &one), ("PI", "M_1_PI", &one), ("PI", "M_2_PI", &two)]
        {
            meets(of(x).low * of(y).low, of(x).high * of(y).high, product.clone());
        }
        let ln2 = probity_exact::ln_bounds(&two, 250).unwrap();
        assert!(of("LN2").low <= ln2.0 && ln2.1 <= of("LN2").high);
        let e = probity_exact::exp_bounds(&one, 250);
        assert!(of("E").low <= e.0.to_rational().unwrap() && e.1.to_rational().unwrap() <= of("E").high);
        // 4/π = (2/√π)², and π between the bounds that the halves give.
        let (c, inverse) = (of("M_2_SQRTPI"), of("M_1_PI"));
        let four = rational(4, 1).unwrap();
        assert!(&c.low * &c.low <= &inverse.high * &four && &inverse.low * &four <= &c.high * &c.high);
        assert!(&of("PI_2").low * &two <= of("PI").high && of("PI").low <= &of("PI_2").high * &two);
        assert!(&of("PI_4").low * &four <= of("PI").high && of("PI").low <= &of("PI_4").high * &four);
    }
}
