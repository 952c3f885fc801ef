//! Cleaning at speed: the policy's map from fields to integers, with categories looked up instead of searched for, and short numbers
//! read eight digits at a time.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::policy::{Column, Domain, Outside, decimal_places, small_decimal, small_integer};

/// FNV-1a: quick on short keys. The keys are public, so nobody can make a table slow but its owner.
#[derive(Default)]
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// Names with their places. A short one is found by its bytes as one number.
#[derive(Default)]
struct Names {
    long: HashMap<Vec<u8>, i64, BuildHasherDefault<Fnv>>,
    /// Open addressing: the number of a name, its length, its place. A length of `FREE` is none.
    short: Vec<(u128, usize, i64)>,
}

/// The most bytes of a short name.
const SHORT: usize = 16;
const FREE: usize = usize::MAX;

impl Names {
    fn new(names: &[String]) -> Names {
        let mut all = Names {
            long: HashMap::default(),
            short: vec![(0, FREE, 0); (4 * names.len()).next_power_of_two().max(4)],
        };
        // The first of equal names is meant.
        for (place, name) in names.iter().enumerate().rev() {
            let name = name.as_bytes();
            // A field is read without spaces around it, and never has such a name.
            if name.trim_ascii().len() < name.len() {
                continue;
            }
            all.long.insert(name.to_vec(), place as i64);
            if name.len() > SHORT {
                continue;
            }
            let number = number(name);
            let mut at = all.start(number);
            while !matches!(all.short[at], (known, length, _) if length == FREE || (known, length) == (number, name.len()))
            {
                at = (at + 1) % all.short.len();
            }
            all.short[at] = (number, name.len(), place as i64);
        }
        all
    }

    /// Where looking for a number begins.
    #[inline]
    fn start(&self, number: u128) -> usize {
        let mixed = (number as u64) ^ ((number >> 64) as u64).wrapping_mul(0xff51_afd7_ed55_8ccd);
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (self.short.len() - 1)
    }

    /// The place of a name that stands somewhere in `bytes`, if it is short and can be read as a number there. `None` says nothing.
    #[inline]
    fn find_at(&self, bytes: &[u8], start: usize, end: usize) -> Option<i64> {
        let length = end - start;
        if length > SHORT {
            return None;
        }
        let number = u128::from_le_bytes(bytes.get(start..start + SHORT)?.try_into().ok()?);
        let number = if length == SHORT { number } else { number & ((1 << (8 * length)) - 1) };
        let mut at = self.start(number);
        // A quarter is filled at most, so this ends.
        loop {
            let (known, its_length, place) = self.short[at];
            if its_length == FREE {
                return None;
            }
            if (known, its_length) == (number, length) {
                return Some(place);
            }
            at = (at + 1) & (self.short.len() - 1);
        }
    }
}

/// The bytes of a short name as a number.
fn number(name: &[u8]) -> u128 {
    name.iter().rev().fold(0, |number, byte| number << 8 | u128::from(*byte))
}

/// How fields of a column are read quickly.
enum Quick {
    Names(Names),
    /// Whole numbers; and the bounds, if what lies beyond them counts as a bound.
    Whole(Option<(i64, i64)>),
    /// Decimals of so many places.
    Decimal(u32),
    No,
}

/// A column made ready.
pub struct Cleaner<'a> {
    column: &'a Column,
    quick: Quick,
}

impl<'a> Cleaner<'a> {
    /// Makes a column ready.
    pub fn new(column: &'a Column) -> Cleaner<'a> {
        let quick = match &column.domain {
            Domain::Categories(names) => Quick::Names(Names::new(names)),
            Domain::Number { unit, low, high } => match decimal_places(unit) {
                Some(0) => Quick::Whole((column.outside == Outside::Clamp).then_some((*low, *high))),
                Some(places) => Quick::Decimal(places),
                None => Quick::No,
            },
            _ => Quick::No,
        };
        Cleaner { column, quick }
    }

    /// The same as [`Column::clean`].
    pub fn clean(&self, field: &[u8]) -> Option<i64> {
        let field = field.trim_ascii();
        let short = match &self.quick {
            Quick::Names(names) => {
                return names.long.get(field).copied().or_else(|| self.column.unlisted(field));
            }
            Quick::Whole(_) => small_integer(field),
            Quick::Decimal(places) => small_decimal(field, *places),
            Quick::No => None,
        };
        match short {
            Some(value) => self.column.admitted(Some(value)),
            None => self.column.clean(field),
        }
    }

    /// The same for the field that stands in `bytes` from one place to another, behind which there may be more.
    #[inline]
    pub fn clean_at(&self, bytes: &[u8], (start, end): (usize, usize)) -> Option<i64> {
        match &self.quick {
            Quick::Whole(bounds) => {
                if let Some(value) = integer_at(bytes, start, end) {
                    return match bounds {
                        Some((low, high)) => Some(value.max(*low).min(*high)),
                        None => self.column.admitted(Some(value)),
                    };
                }
            }
            Quick::Names(names) => {
                if let Some(place) = names.find_at(bytes, start, end) {
                    return Some(place);
                }
            }
            Quick::Decimal(_) | Quick::No => {}
        }
        self.clean(&bytes[start..end])
    }
}

const ZEROS: u64 = 0x3030_3030_3030_3030;

/// An integer of one to eight digits that stands in `bytes`, if eight bytes can be read there. `None` says nothing.
#[inline]
fn integer_at(bytes: &[u8], start: usize, end: usize) -> Option<i64> {
    let negative = *bytes.get(start)? == b'-';
    let first = start + usize::from(negative);
    let length = end.wrapping_sub(first);
    if !(1..=8).contains(&length) {
        return None;
    }
    let word = u64::from_le_bytes(bytes.get(first..first + 8)?.try_into().ok()?);
    // The digits in the highest bytes, zeros before them.
    let others = 64 - 8 * length as u32;
    let digits = ((word << others) | ((ZEROS >> 1) >> (63 - others))) ^ ZEROS;
    // A byte above 9 shows in its high half, by itself or with 6 more; below that nothing is carried.
    if (digits.wrapping_add(0x0606_0606_0606_0606) | digits) & 0xf0f0_f0f0_f0f0_f0f0 != 0 {
        return None;
    }
    // Pairs of digits, then fours, then eight.
    let pairs = (digits.wrapping_mul(10 << 8 | 1) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100 << 16 | 1) >> 16) & 0x0000_ffff_0000_ffff;
    let value = (fours.wrapping_mul(10_000 << 32 | 1) >> 32) as i64;
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::{Rational, rational};

    fn column(domain: Domain, outside: Outside) -> Column {
        Column { name: "k".into(), domain, null: Outside::Drop, outside, references: None }
    }

    /// A field between others, and at the very end, is what it is alone.
    fn agrees(column: &Column, field: &[u8]) {
        let cleaner = Cleaner::new(column);
        let known = column.clean(field);
        assert_eq!(cleaner.clean(field), known, "{field:?}");
        for (before, after) in [("", ""), ("1", "2"), ("77,", ",88888888888888888888"), ("-", "\n\0\0\0\0\0")]
        {
            let bytes = [before.as_bytes(), field, after.as_bytes()].concat();
            let place = (before.len(), before.len() + field.len());
            assert_eq!(cleaner.clean_at(&bytes, place), known, "{field:?} in {bytes:?}");
        }
    }

    #[test]
    fn looking_up_is_searching() {
        let mut names: Vec<String> = (0..300).map(|n| format!("k{n}")).collect();
        let more =
            ["a", "a\0", "", "k1", "sixteen bytes 16", "seventeen bytes 17", "abcdefgh", "abcdefghi", " x"];
        names.extend(more.map(String::from));
        for outside in [Outside::Constant(7), Outside::Drop] {
            let column = column(Domain::Categories(names.clone()), outside);
            for name in &names {
                agrees(&column, name.as_bytes());
                agrees(&column, format!(" {name} ").as_bytes());
            }
            for field in ["k300", "K1", "a\0\0", "abcdefg", "sixteen bytes 1", "sixteen bytes 166", "é", "\0"]
            {
                agrees(&column, field.as_bytes());
            }
        }
    }

    #[test]
    fn numbers_are_read_as_they_are_one_digit_at_a_time() {
        let mut fields: Vec<String> = (0..10_000).map(|n| n.to_string()).collect();
        let more = [
            "0",
            "00000000",
            "99999999",
            "12345678",
            "123456789",
            "-",
            "--1",
            "+5",
            "1 ",
            "1:",
            "1/",
            "0x1",
            "1.5",
            "1e3",
            "NaN",
        ];
        fields.extend(more.map(String::from));
        fields.extend((0..8).flat_map(|place| (0..=127u8).map(move |byte| (place, byte))).map(
            |(place, byte)| {
                let mut digits = *b"12345678";
                digits[place] = byte;
                String::from_utf8_lossy(&digits).into_owned()
            },
        ));
        for outside in [Outside::Clamp, Outside::Drop, Outside::Constant(3)] {
            for unit in [Rational::ONE, rational(1, 100).unwrap(), rational(1, 4).unwrap()] {
                let column = column(Domain::Number { unit, low: -500, high: 12_000 }, outside.clone());
                for field in &fields {
                    agrees(&column, field.as_bytes());
                    agrees(&column, format!("-{field}").as_bytes());
                }
            }
        }
    }
}
