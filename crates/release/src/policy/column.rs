//! Columns: what values one may have, what becomes of other values, and how a value is written as an integer.
//!
//! Every value of a table enters the theorem as an integer: a category by its place in `in`, a decimal in units of its last digit, a
//! float in units of its grid, a date in days since 1970. *Cleaning* is the map from the text of a field to that integer or to
//! nothing, in which case the row is dropped. It looks at one field of one row, and never fails.

use probity_exact::{Rational, parse_rational};

/// The most values that an `in` may list.
pub const MAX_CATEGORIES: usize = 100_000;

/// What values a column may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Domain {
    /// One of these texts.
    Categories(Vec<String>),
    /// `true` or `false`.
    Bool,
    /// A multiple of `unit`, from `low` to `high` units: an int (1), a decimal (1/10^scale), a float (its grid).
    Number {
        /// The smallest difference.
        unit: Rational,
        /// The least value, in units.
        low: i64,
        /// The greatest value, in units.
        high: i64,
    },
    /// A day, from `low` to `high` days after 1970-01-01.
    Date {
        /// The first day.
        low: i64,
        /// The last day.
        high: i64,
    },
    /// Any text. Nothing can be asked about it; it may name users.
    Text,
    /// A text of 1 to `bytes` bytes, whose values are discovered from the rows where they are a key.
    Discovered {
        /// The most bytes that a key may have.
        bytes: usize,
    },
}

/// What becomes of a field that is empty, or not a value of the domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outside {
    /// The row is dropped.
    Drop,
    /// It counts as this value.
    Constant(i64),
    /// A number beyond a bound counts as the bound. Only for numbers and dates out of their range.
    Clamp,
}

/// A column of a private table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name in the header and in queries.
    pub name: String,
    /// Its values.
    pub domain: Domain,
    /// An empty field, or one that is no value of the type.
    pub null: Outside,
    /// A value of the type that is not in the domain.
    pub outside: Outside,
    /// The public table whose keys are its values. Until that was read, it is a text of which nothing can be asked.
    pub references: Option<String>,
}

impl Column {
    /// The integer that a field stands for, or `None` if its row is dropped. Total: every text has an answer.
    pub fn clean(&self, field: &[u8]) -> Option<i64> {
        let field = field.trim_ascii();
        let value = match &self.domain {
            Domain::Categories(names) => match names.iter().position(|name| name.as_bytes() == field) {
                Some(place) => return Some(place as i64),
                None => return self.unlisted(field),
            },
            Domain::Bool => truth(field),
            Domain::Number { unit, .. } => number(field, unit),
            Domain::Date { .. } => std::str::from_utf8(field).ok().and_then(date_from_text),
            Domain::Text => None,
            // The key is the text itself; that there is one is all that an integer can say of it.
            Domain::Discovered { bytes } => return discovered_key(field, *bytes).map(|_| 0),
        };
        self.admitted(value)
    }

    /// The integer for a text that is none of the categories.
    pub(crate) fn unlisted(&self, field: &[u8]) -> Option<i64> {
        self.settle(if field.is_empty() { &self.null } else { &self.outside }, None)
    }

    /// The integer for a number of the type, or for none (`None`): the domain's bounds, and the rules for what lies outside.
    pub(crate) fn admitted(&self, value: Option<i64>) -> Option<i64> {
        match (value, self.bounds()) {
            (None, _) => self.settle(&self.null, None),
            (Some(value), Some((low, high))) if value < low || value > high => {
                self.settle(&self.outside, Some(value.clamp(low, high)))
            }
            (value, _) => value,
        }
    }

    fn settle(&self, rule: &Outside, clamped: Option<i64>) -> Option<i64> {
        match rule {
            Outside::Drop => None,
            Outside::Constant(value) => Some(*value),
            Outside::Clamp => clamped,
        }
    }

    /// The least and the greatest integer that a field can stand for.
    pub fn bounds(&self) -> Option<(i64, i64)> {
        match &self.domain {
            Domain::Categories(names) => Some((0, names.len() as i64 - 1)),
            Domain::Bool => Some((0, 1)),
            Domain::Number { low, high, .. } | Domain::Date { low, high } => Some((*low, *high)),
            Domain::Text | Domain::Discovered { .. } => None,
        }
    }

    /// What is done with fields outside the domain, in words.
    pub fn cleaning(&self) -> String {
        if let Domain::Discovered { bytes } = self.domain {
            return format!(
                "empty, longer than {bytes} bytes, not UTF-8 or with control characters: the row is dropped"
            );
        }
        let words = |rule: &Outside| match rule {
            Outside::Drop => "the row is dropped".to_owned(),
            Outside::Constant(value) => format!("counts as {}", self.shown(*value)),
            Outside::Clamp => "counts as the nearest bound".to_owned(),
        };
        format!("empty or unreadable: {}; out of domain: {}", words(&self.null), words(&self.outside))
    }

    /// The value that an integer stands for, as a person writes it.
    pub fn shown(&self, value: i64) -> String {
        match &self.domain {
            Domain::Categories(names) => {
                usize::try_from(value).ok().and_then(|at| names.get(at)).cloned().unwrap_or_default()
            }
            Domain::Bool => if value == 1 { "true" } else { "false" }.to_owned(),
            Domain::Number { unit, .. } => crate::decimal::exact(&(Rational::from(value) * unit)),
            Domain::Date { .. } => date_to_text(value),
            Domain::Text | Domain::Discovered { .. } => String::new(),
        }
    }
}

/// How programs write false, and how true, in the same order: as SQL, Python, R, spreadsheets and a column of doubles do.
pub(crate) const TRUTHS: [[&str; 15]; 2] = [
    ["false", "FALSE", "False", "0", "f", "F", "no", "NO", "No", "n", "N", "off", "OFF", "Off", "0.0"],
    ["true", "TRUE", "True", "1", "t", "T", "yes", "YES", "Yes", "y", "Y", "on", "ON", "On", "1.0"],
];

/// 1 for a true word, 0 for a false one.
fn truth(field: &[u8]) -> Option<i64> {
    let says = |words: &[&str]| words.iter().any(|word| word.as_bytes() == field);
    TRUTHS.iter().position(|words| says(words)).map(|truth| truth as i64)
}

/// The key that a field stands for, or `None` if its row is dropped: the text without blanks around it, if that is not empty, not longer
/// than so many bytes, UTF-8, and free of control characters, so that it can be shown as it is. Different keys are different texts.
pub(crate) fn discovered_key(field: &[u8], bytes: usize) -> Option<&str> {
    let field = field.trim_ascii();
    if field.is_empty() || field.len() > bytes {
        return None;
    }
    std::str::from_utf8(field).ok().filter(|text| !text.contains(char::is_control))
}

/// A number in units, rounded to the nearest one (half away from zero), at ±2^62 if it lies beyond that; `None` if the text is no
/// finite number. Infinities are numbers beyond every bound.
fn number(field: &[u8], unit: &Rational) -> Option<i64> {
    if let Some(value) = decimal_places(unit).and_then(|places| small_decimal(field, places)) {
        return Some(value);
    }
    let text = std::str::from_utf8(field).ok()?;
    let limit = LIMIT;
    match text.to_ascii_lowercase().as_str() {
        "inf" | "+inf" | "infinity" | "+infinity" => return Some(limit),
        "-inf" | "-infinity" => return Some(-limit),
        _ => {}
    }
    // Fractions are for policies; a table has decimals. An exponent beyond what is expanded is a number beyond every bound, or 0.
    if text.contains('/') || text.len() > 400 {
        return None;
    }
    let exact = match text.find(['e', 'E']) {
        Some(at) if is_decimal(&text[..at]) => match text[at + 1..].parse::<i64>() {
            Ok(exponent) if exponent.unsigned_abs() <= 400 => parse_rational(text).ok()?,
            Ok(exponent) if exponent < 0 || text[..at].bytes().all(|b| !(b'1'..=b'9').contains(&b)) => {
                Rational::ZERO
            }
            Ok(_) => return Some(if text.starts_with('-') { -limit } else { limit }),
            Err(_) => return None,
        },
        Some(_) => return None,
        None => parse_rational(text).ok()?,
    };
    Some(in_units(&exact, unit))
}

/// A number beyond every bound, in units.
pub(crate) const LIMIT: i64 = 1 << 62;

/// A number in units, rounded to the nearest one (half away from zero), at ±2^62 if it lies beyond that.
pub(crate) fn in_units(exact: &Rational, unit: &Rational) -> i64 {
    let units = exact / unit;
    let half = Rational::from_parts(1.into(), 2u8.into());
    let rounded = if units < Rational::ZERO { (units - half).ceil() } else { (units + half).floor() };
    i64::try_from(&rounded)
        .map_or(if rounded < probity_exact::Integer::ZERO { -LIMIT } else { LIMIT }, |value| {
            value.clamp(-LIMIT, LIMIT)
        })
}

fn is_decimal(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mut points = 0;
    digits.bytes().any(|b| b.is_ascii_digit())
        && digits.bytes().all(|b| {
            b.is_ascii_digit()
                || (b == b'.' && {
                    points += 1;
                    points == 1
                })
        })
}

/// An integer of at most 18 digits.
pub(crate) fn small_integer(field: &[u8]) -> Option<i64> {
    let (negative, digits) = match field {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut value = 0i64;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + i64::from(digit);
    }
    Some(if negative { -value } else { value })
}

/// k for a unit of 1/10^k, if that is small.
pub(crate) fn decimal_places(unit: &Rational) -> Option<u32> {
    (0..=9u32).find(|k| *unit.numerator() == 1.into() && *unit.denominator() == 10u64.pow(*k).into())
}

/// A decimal with no more digits behind its point than so many, and few enough in all, in units of the last of them.
pub(crate) fn small_decimal(field: &[u8], scale: u32) -> Option<i64> {
    let point = field.iter().position(|byte| *byte == b'.').unwrap_or(field.len());
    let (whole, fraction) = (&field[..point], field.get(point + 1..).unwrap_or_default());
    if fraction.len() > scale as usize || whole.len() + fraction.len() > 17 {
        return None;
    }
    let negative = whole.first() == Some(&b'-');
    let whole = small_integer(whole)?;
    let part = if fraction.is_empty() { 0 } else { small_unsigned(fraction)? };
    let part = part * 10i64.pow(scale - fraction.len() as u32);
    let units = whole.checked_mul(10i64.pow(scale))?;
    // What is just below 2^63 in whole units may be above it with its fraction.
    if negative { units.checked_sub(part) } else { units.checked_add(part) }
}

fn small_unsigned(digits: &[u8]) -> Option<i64> {
    digits.iter().all(u8::is_ascii_digit).then(|| small_integer(digits)).flatten()
}

/// Days since 1970-01-01 of a date written `YYYY-MM-DD`.
pub fn date_from_text(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let part = |from: usize, to: usize| small_unsigned(&bytes[from..to]);
    let (year, month, day) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let in_month = *days.get(usize::try_from(month).ok()?.checked_sub(1)?)?;
    // Engines have no year 0.
    (year >= 1 && (1..=in_month).contains(&day)).then(|| days_before(year, month) + day - 1)
}

/// Days from 1970-01-01 to the first of a month: years are counted from March, so that the leap day comes last.
fn days_before(year: i64, month: i64) -> i64 {
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leaps + (153 * month + 2) / 5 - 719_468
}

/// The date of a day.
pub fn date_to_text(day: i64) -> String {
    // Not after the year in question, which the loop then finds.
    let mut year = 1970 + day.div_euclid(if day < 0 { 365 } else { 366 });
    while days_before(year + 1, 1) <= day {
        year += 1;
    }
    let month = (1..=12).rev().find(|month| days_before(year, *month) <= day).unwrap_or(1);
    format!("{year:04}-{month:02}-{:02}", day - days_before(year, month) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    fn number_column(unit: Rational, low: i64, high: i64) -> Column {
        let domain = Domain::Number { unit, low, high };
        Column { name: "x".into(), domain, null: Outside::Drop, outside: Outside::Clamp, references: None }
    }

    /// A field that stopped the pass would tell that it is there: at the ends of the machine's numbers, in every unit, there is an answer.
    #[test]
    fn no_field_overflows() {
        for places in 0..=9u32 {
            let unit = Rational::from_parts(1.into(), 10u64.pow(places).into());
            let column = number_column(unit, -1 << 60, 1 << 60);
            for bits in [61, 62, 63, 64] {
                let digits = (1u128 << bits).to_string();
                for whole in 1..=digits.len() {
                    for (fraction, sign) in
                        (0..10).flat_map(|length| [(length, ""), (length, "-"), (length, "+")])
                    {
                        let field = format!("{sign}{}.{}", &digits[..whole], "9".repeat(fraction));
                        let exact = probity_exact::parse_rational(
                            field.trim_start_matches('+').trim_end_matches('.'),
                        )
                        .unwrap();
                        let Domain::Number { unit, low, high } = &column.domain else { unreachable!() };
                        assert_eq!(
                            column.clean(field.as_bytes()),
                            Some(in_units(&exact, unit).clamp(*low, *high)),
                            "{field}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn every_text_has_an_integer_or_none() {
        let age = number_column(Rational::ONE, 0, 120);
        for (field, value) in [
            ("17", Some(17)),
            (" 17 ", Some(17)),
            ("+17", Some(17)),
            ("-3", Some(0)),
            ("121", Some(120)),
            ("99999999999999999999999999999", Some(120)),
            ("-99999999999999999999999999999", Some(0)),
            ("1e99999", Some(120)),
            // The one integer that has no opposite.
            ("1e-9223372036854775808", Some(0)),
            ("1e9223372036854775807", Some(120)),
            ("1e9223372036854775808", None),
            ("-1e99999", Some(0)),
            ("1e-99999", Some(0)),
            ("0e99999", Some(0)),
            ("inf", Some(120)),
            ("-Infinity", Some(0)),
            ("16.5", Some(17)),
            ("16.4", Some(16)),
            ("1.2e1", Some(12)),
            ("", None),
            ("NaN", None),
            ("seventeen", None),
            ("1/2", None),
            ("17x", None),
            ("--1", None),
            ("1e", None),
            ("é", None),
            (".", None),
        ] {
            assert_eq!(age.clean(field.as_bytes()), value, "{field}");
        }
        assert_eq!(age.clean(&[0xff, 0xfe]), None);
        assert_eq!(age.clean("9".repeat(100_000).as_bytes()), None);
        let kept = Column { null: Outside::Constant(40), outside: Outside::Drop, ..age };
        assert_eq!([kept.clean(b""), kept.clean(b"200"), kept.clean(b"3")], [Some(40), None, Some(3)]);
    }

    #[test]
    fn decimals_are_exact_and_floats_go_to_their_grid() {
        let cents = number_column(rational(1, 100).unwrap(), -1_000_000, 1_000_000);
        for (field, value) in [
            ("12.34", 1234),
            ("12.3", 1230),
            ("12", 1200),
            ("-0.05", -5),
            (".5", 50),
            ("0.005", 1),
            ("-0.005", -1),
            ("1e2", 10_000),
        ] {
            assert_eq!(cents.clean(field.as_bytes()), Some(value), "{field}");
        }
        let quarters = number_column(rational(1, 4).unwrap(), 0, 100);
        assert_eq!(quarters.clean(b"0.3"), Some(1));
        assert_eq!(quarters.clean(b"0.375"), Some(2));
        assert_eq!(quarters.shown(3), "0.75");
    }

    #[test]
    fn the_short_way_agrees_with_the_long_one() {
        let unit = rational(1, 1000).unwrap();
        for value in (-20_000i64..20_000).step_by(7) {
            let text = crate::decimal::exact(&(Rational::from(value) * &unit));
            assert_eq!(small_decimal(text.as_bytes(), 3), Some(value), "{text}");
            assert_eq!(number(text.as_bytes(), &unit), Some(value), "{text}");
            assert_eq!(number(format!("{text}e0").as_bytes(), &unit), Some(value), "{text}");
        }
    }

    #[test]
    fn categories_and_truth_values() {
        let region = Column {
            name: "region".into(),
            domain: Domain::Categories(vec!["north".into(), "south".into()]),
            null: Outside::Drop,
            outside: Outside::Constant(1),
            references: None,
        };
        assert_eq!(
            [region.clean(b"north"), region.clean(b"West"), region.clean(b"")],
            [Some(0), Some(1), None]
        );
        let smoker = Column {
            name: "s".into(),
            domain: Domain::Bool,
            null: Outside::Drop,
            outside: Outside::Drop,
            references: None,
        };
        for (truth, words) in TRUTHS.iter().enumerate() {
            for word in words {
                assert_eq!(smoker.clean(format!(" {word} ").as_bytes()), Some(truth as i64), "{word}");
            }
        }
        for unread in ["", "yEs", "ja", "2", "-1", "00", "1.00", "true false", "NaN"] {
            assert_eq!(smoker.clean(unread.as_bytes()), None, "{unread}");
        }
    }

    #[test]
    fn dates_come_back() {
        assert_eq!(date_from_text("1970-01-01"), Some(0));
        assert_eq!(date_from_text("2000-03-01"), Some(11_017));
        for day in (-719_162..2_932_896).step_by(331) {
            assert_eq!(date_from_text(&date_to_text(day)), Some(day));
        }
        for text in
            ["2023-02-29", "2023-13-01", "2023-00-10", "2023-1-01", "20230101", "2023-01-00", "+023-01-01"]
        {
            assert_eq!(date_from_text(text), None, "{text}");
        }
        assert_eq!(date_from_text("2024-02-29").map(date_to_text).as_deref(), Some("2024-02-29"));
    }
}
