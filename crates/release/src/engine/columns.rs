//! Columns in memory, as data frames hold them: typed values instead of texts, read where they lie.
//!
//! A value that is typed is cleaned as its text would be, with one difference that is no text's: a float is the exact double. What
//! has no counterpart in a column's domain is cleaned by its text.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use probity_exact::{Integer, Natural, Rational, rational_from_f64};
use probity_noise::transform::steps;

use super::clean::Cleaner;
use super::compiled::{Compiled, Sums, workers};
use super::keys::{Finder, Found};
use super::rows::places;
use super::{Counts, Engine, Exact, cannot_find_keys};
use crate::policy::{Column, Domain, LIMIT, date_to_text, in_units};
use crate::query::Plan;
use crate::refusal::{Answer, Refusal};

/// A value of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Field<'a> {
    /// None.
    Null,
    /// A whole number.
    Integer(i128),
    /// A double, exactly as it is.
    Float(f64),
    /// `units` / 10^`scale`.
    Decimal {
        /// The digits.
        units: i128,
        /// How many of them are behind the point.
        scale: u8,
    },
    /// A truth value.
    Bool(bool),
    /// Days since 1970-01-01.
    Date(i64),
    /// A text.
    Text(&'a [u8]),
}

/// Some rows of a table, column by column.
pub trait Batch: Send + Sync {
    /// How many rows.
    fn rows(&self) -> usize;

    /// Calls for each of some rows of a column, in order.
    fn visit(&self, column: usize, rows: Range<usize>, each: &mut dyn FnMut(Field<'_>));
}

/// A table as columns.
pub struct Columns {
    header: Vec<String>,
    batches: Vec<Box<dyn Batch>>,
}

/// Rows that a worker takes at once.
pub(super) const CHUNK: usize = 1 << 14;

impl Columns {
    /// A table with these columns, all batches of which have them in this order.
    pub fn new(header: Vec<String>, batches: Vec<Box<dyn Batch>>) -> Columns {
        Columns { header, batches }
    }

    /// The names of the columns.
    pub fn header(&self) -> &[String] {
        &self.header
    }
}

/// A column made ready for typed values.
pub(super) struct Reader<'a> {
    column: &'a Column,
    cleaner: Cleaner<'a>,
    /// d for a unit of 1/d, with which machine integers do.
    per_unit: Option<u64>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(column: &'a Column) -> Reader<'a> {
        let per_unit = match &column.domain {
            Domain::Number { unit, .. } if *unit.numerator() == Integer::ONE => {
                u64::try_from(unit.denominator()).ok().filter(|most| *most <= steps::MOST)
            }
            _ => None,
        };
        Reader { column, cleaner: Cleaner::new(column), per_unit }
    }

    /// The integer that a value stands for, or `None` if its row is dropped. Total.
    fn clean(&self, field: Field<'_>) -> Option<i64> {
        let value = match (&self.column.domain, field) {
            (_, Field::Null) => None,
            (_, Field::Text(text)) => return self.cleaner.clean(text),
            (Domain::Number { unit, .. }, Field::Integer(value)) => Some(self.integer(value, unit)),
            (Domain::Number { unit, .. }, Field::Float(value)) => self.float(value, unit),
            (Domain::Number { unit, .. }, Field::Decimal { units, scale }) => {
                Some(in_units(&decimal(units, scale), unit))
            }
            (Domain::Bool, Field::Bool(value)) => Some(i64::from(value)),
            (Domain::Date { .. }, Field::Date(days)) => Some(days.clamp(-LIMIT, LIMIT)),
            (_, other) => return self.cleaner.clean(text(other).as_bytes()),
        };
        self.column.admitted(value)
    }

    fn integer(&self, value: i128, unit: &Rational) -> i64 {
        let quick = self.per_unit.and_then(|per_unit| value.checked_mul(i128::from(per_unit)));
        match quick {
            Some(units) => units.clamp(i128::from(-LIMIT), i128::from(LIMIT)) as i64,
            None => in_units(&Rational::from(Integer::from(value)), unit),
        }
    }

    /// A double in units, half away from zero; infinities are numbers beyond every bound, and NaN is none.
    fn float(&self, value: f64, unit: &Rational) -> Option<i64> {
        let magnitude = self.per_unit.and_then(|per_unit| steps::of_double(value.abs(), per_unit));
        if let Some(magnitude) = magnitude {
            let units = magnitude.min(i128::from(LIMIT)) as i64;
            return Some(if value < 0.0 { -units } else { units });
        }
        match rational_from_f64(value) {
            Some(exact) => Some(in_units(&exact, unit)),
            None if value.is_nan() => None,
            None => Some(if value > 0.0 { LIMIT } else { -LIMIT }),
        }
    }
}

fn decimal(units: i128, scale: u8) -> Rational {
    Rational::from_parts(Integer::from(units), Natural::from(10u8).pow(usize::from(scale)))
}

/// A value as a table of texts would have it.
fn text(field: Field<'_>) -> String {
    match field {
        Field::Null => String::new(),
        Field::Integer(value) => value.to_string(),
        Field::Float(value) => value.to_string(),
        Field::Decimal { units, scale } => crate::decimal::exact(&decimal(units, scale)),
        Field::Bool(value) => value.to_string(),
        // Days beyond the calendar's years are no text that a policy can mean.
        Field::Date(days) => date_to_text(days.clamp(-10_000_000, 10_000_000)),
        Field::Text(text) => String::from_utf8_lossy(text).into_owned(),
    }
}

impl Engine for Columns {
    fn check(&self, plan: &Plan) -> Answer<()> {
        places(plan, &self.header).map(drop)
    }

    fn sums(&self, plan: &Plan, progress: &(dyn Fn(u64, u64) + Sync)) -> Answer<Exact> {
        let places = places(plan, &self.header)?;
        let compiled = Compiled::new(plan);
        let readers: Vec<Reader> = plan.fields.iter().map(Reader::new).collect();
        let parts = self.pass(
            || compiled.sums(),
            |space, batch, rows, sums| space.add(batch, rows, &readers, &places, &compiled, sums),
            progress,
        )?;
        compiled.finish(parts).ok_or_else(stopped)
    }

    fn finds_keys(&self) -> bool {
        true
    }

    fn keys(&self, plan: &Plan, progress: &(dyn Fn(u64, u64) + Sync)) -> Answer<Counts> {
        let places = places(plan, &self.header)?;
        let finder = Finder::new(plan).ok_or_else(cannot_find_keys)?;
        let readers: Vec<Reader> = plan.fields.iter().map(Reader::new).collect();
        let parts = self.pass(
            Found::default,
            |space, batch, rows, found| space.find(batch, rows, &readers, &places, &finder, found),
            progress,
        )?;
        Ok(finder.finish(parts))
    }
}

fn stopped() -> Refusal {
    Refusal::input("a worker of the pass stopped; please report it")
}

impl Columns {
    /// Has workers go through all rows, chunk by chunk, each with a part of its own.
    fn pass<Part: Send>(
        &self,
        new: impl Fn() -> Part + Sync,
        add: impl Fn(&mut Space, &dyn Batch, Range<usize>, &mut Part) + Sync,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Answer<Vec<Part>> {
        let chunks: Vec<(&dyn Batch, Range<usize>)> = self
            .batches
            .iter()
            .flat_map(|batch| {
                let rows = batch.rows();
                (0..rows).step_by(CHUNK).map(move |start| (&**batch, start..rows.min(start + CHUNK)))
            })
            .collect();
        let workers = workers().min(chunks.len().max(1));
        let next = AtomicUsize::new(0);
        let work = || {
            let mut part = new();
            let mut space = Space::default();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some((batch, rows)) = chunks.get(number) else { return part };
                add(&mut space, *batch, rows.clone(), &mut part);
                progress(number as u64 + 1, chunks.len() as u64);
            }
        };
        let parts: Option<Vec<Part>> = thread::scope(|scope| {
            let running: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            running.into_iter().map(|worker| worker.join().ok()).collect()
        });
        parts.ok_or_else(stopped)
    }
}

/// What a worker keeps from chunk to chunk.
#[derive(Default)]
pub(super) struct Space {
    /// The fields of a row, one after the other; then the next row.
    values: Vec<i64>,
    kept: Vec<bool>,
    /// The users or the keys, one after the other, and where each ends.
    texts: Vec<u8>,
    ends: Vec<usize>,
}

impl Space {
    /// Adds rows to sums.
    pub(super) fn add(
        &mut self,
        batch: &dyn Batch,
        rows: Range<usize>,
        readers: &[Reader],
        places: &[usize],
        compiled: &Compiled,
        sums: &mut Sums,
    ) {
        let (count, width) = (rows.len(), readers.len());
        self.clean(batch, rows.clone(), readers, places);
        self.read(batch, rows, places.get(width));
        for row in 0..count {
            let user = self.text(row).trim_ascii();
            compiled.add(sums, user, &self.values[row * width..(row + 1) * width], self.kept[row]);
        }
    }

    /// Counts the keys of rows.
    fn find(
        &mut self,
        batch: &dyn Batch,
        rows: Range<usize>,
        readers: &[Reader],
        places: &[usize],
        finder: &Finder,
        found: &mut Found,
    ) {
        let (count, width) = (rows.len(), readers.len());
        self.clean(batch, rows.clone(), readers, places);
        self.read(batch, rows, places.get(finder.field));
        for row in 0..count {
            let fields = &self.values[row * width..(row + 1) * width];
            finder.add(found, self.text(row), fields, self.kept[row]);
        }
    }

    /// The fields of rows, cleaned.
    fn clean(&mut self, batch: &dyn Batch, rows: Range<usize>, readers: &[Reader], places: &[usize]) {
        let (count, width) = (rows.len(), readers.len());
        self.values.clear();
        self.values.resize(count * width, 0);
        self.kept.clear();
        self.kept.resize(count, true);
        for (at, (reader, place)) in readers.iter().zip(places).enumerate() {
            let mut row = 0;
            batch.visit(*place, rows.clone(), &mut |field| {
                let cleaned = reader.clean(field);
                self.kept[row] &= cleaned.is_some();
                self.values[row * width + at] = cleaned.unwrap_or(0);
                row += 1;
            });
        }
    }

    /// The texts of a column, if there is one.
    fn read(&mut self, batch: &dyn Batch, rows: Range<usize>, place: Option<&usize>) {
        self.texts.clear();
        self.ends.clear();
        let Some(place) = place else { return };
        batch.visit(*place, rows, &mut |field| {
            match field {
                Field::Text(text) => self.texts.extend_from_slice(text),
                other => self.texts.extend_from_slice(text(other).as_bytes()),
            }
            self.ends.push(self.texts.len());
        });
    }

    /// The text of a row; empty if none was read.
    fn text(&self, row: usize) -> &[u8] {
        let start = if row == 0 { 0 } else { self.ends.get(row - 1).copied().unwrap_or(0) };
        self.ends.get(row).map_or(&[][..], |end| &self.texts[start..*end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Outside;
    use probity_exact::rational;

    fn number(unit: Rational) -> Column {
        Column {
            name: "x".into(),
            domain: Domain::Number { unit, low: -1000, high: 1000 },
            null: Outside::Drop,
            outside: Outside::Clamp,
            references: None,
        }
    }

    #[test]
    fn doubles_are_cleaned_as_their_exact_values() {
        let mut state = 1u64;
        let mut word = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ state >> 31
        };
        for unit in
            [rational(1, 1), rational(1, 100), rational(1, 3), rational(1, 1i64 << 40), rational(5, 2)]
        {
            let column = number(unit.unwrap());
            let Domain::Number { unit, .. } = &column.domain else { unreachable!() };
            let reader = Reader::new(&column);
            for _ in 0..20_000 {
                let value = f64::from_bits(word() & !(0x7ff << 52) | (1023 - 60 + word() % 120) << 52);
                let tie = (word() % 4000) as f64 / 8.0 - 250.0;
                for value in [value, tie, tie.next_up(), tie.next_down()] {
                    let exact = in_units(&rational_from_f64(value).unwrap(), unit);
                    assert_eq!(reader.float(value, unit), Some(exact), "{value:e} {unit}");
                }
            }
            assert_eq!(reader.clean(Field::Float(f64::NAN)), None);
            assert_eq!(reader.clean(Field::Float(f64::INFINITY)), Some(1000));
            assert_eq!(reader.clean(Field::Float(-1e300)), Some(-1000));
            assert_eq!(reader.clean(Field::Integer(i128::MIN)), Some(-1000));
        }
    }

    #[test]
    fn what_has_no_counterpart_is_cleaned_by_its_text() {
        let places = Column {
            name: "k".into(),
            domain: Domain::Categories(vec!["1".into(), "true".into(), "2020-02-29".into(), "0.5".into()]),
            null: Outside::Drop,
            outside: Outside::Drop,
            references: None,
        };
        let reader = Reader::new(&places);
        let day = crate::policy::date_from_text("2020-02-29").unwrap();
        let fields = [
            (Field::Integer(1), Some(0)),
            (Field::Float(1.0), Some(0)),
            (Field::Bool(true), Some(1)),
            (Field::Date(day), Some(2)),
            (Field::Decimal { units: 50, scale: 2 }, Some(3)),
            (Field::Text(b" 1 "), Some(0)),
            (Field::Integer(2), None),
            (Field::Null, None),
        ];
        for (field, place) in fields {
            assert_eq!(reader.clean(field), place, "{field:?}");
        }
        let cents = number(rational(1, 100).unwrap());
        assert_eq!(Reader::new(&cents).clean(Field::Decimal { units: 1005, scale: 3 }), Some(101));
        // Not a number: the rule for what cannot be read.
        assert_eq!(Reader::new(&cents).clean(Field::Bool(true)), None);
    }
}
