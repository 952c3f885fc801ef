//! What a text wants of a table, while its rows go by: each is cleaned, added to the sums and forgotten. Only where a text wants whole columns, for
//! sums that depend on what it draws or computes, values are kept.
//!
//! What a row is worth is decided by the row alone: a field that is not of its type, or a row that a `where` line about rows excludes, drops the
//! row, and nothing tells of it. Nothing here fails for the sake of a row.

use std::sync::Arc;

use probity_exact::{Rational, parse_rational};
use probity_kernel::expr::{Binary, Expr, Name, Variable};
use probity_kernel::term::{Mechanism, Sort};

use crate::error::RunError;
use crate::formula::{Entry, Formula};
use crate::program::compile::constant_value;
use crate::table::{Cell, is_of_a_table};
use crate::tableless::{FromTable, Hidden, is_about};

/// The mechanism as it was written, and what is computed from its tables before it begins.
pub(crate) type FromTables = (Mechanism, Vec<Hidden>);

/// One table of a text, whose rows are added one after the other: made by [`Proved::rows`](crate::Proved::rows).
#[derive(Debug, Clone)]
pub struct Rows {
    pub(crate) of: Arc<FromTables>,
    table: Name,
    columns: Vec<Column>,
    about: Vec<Formula>,
    /// What is wanted, each with the place of its input.
    wanted: Vec<(usize, Wanted)>,
    /// What the row at hand has in the columns, and the index of a sum behind it.
    row: Vec<Entry>,
}

/// A field of the text, and where it stands.
#[derive(Debug, Clone)]
struct Column {
    name: Name,
    sort: Sort,
    /// How many categories there are, of a field that is one.
    count: Option<Rational>,
    place: usize,
    /// The words that stand for categories.
    words: Option<Vec<String>>,
}

/// What was made of the rows so far.
#[derive(Debug, Clone)]
enum Wanted {
    Size(u64),
    /// The values of a column, by its place.
    Column(usize, Vec<Entry>),
    Sum(Share, Total),
    Sums(Groups, Vec<Total>),
}

/// What a row adds to a sum.
#[derive(Debug, Clone)]
struct Share {
    condition: Formula,
    value: Formula,
}

/// A sum for each value of an index.
#[derive(Debug, Clone)]
struct Groups {
    share: Share,
    /// What the condition says to be equal to the index, which spares a look at all other values of it.
    key: Option<Formula>,
    from: i64,
    to: i64,
}

/// A value of a row, as a source of rows has it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Given<'a> {
    Text(&'a str),
    Number(&'a Rational),
    Truth(bool),
}

/// What a text has in the place of a table.
pub(crate) enum Made {
    Number(Rational),
    List(Box<dyn Iterator<Item = Rational>>),
}

impl Rows {
    /// Fails for columns that are not there, whatever the rows.
    pub(crate) fn new(of: &Arc<FromTables>, table: &str, header: &[String]) -> Result<Rows, RunError> {
        let (mechanism, hidden) = &**of;
        let unknown = || RunError::UnknownTable { name: table.to_owned() };
        let input = mechanism.inputs.iter().find(|input| input.name.as_str() == table).ok_or_else(unknown)?;
        let Sort::Rows(fields) = &input.sort else { return Err(unknown()) };
        let mut columns = Vec::new();
        for field in fields {
            let mut found = (0..header.len()).filter(|place| header[*place].trim() == field.name.as_str());
            match (found.next(), found.next()) {
                (Some(place), None) => {
                    let count = match &field.sort {
                        Sort::Category { count } => constant_value(count).0,
                        _ => None,
                    };
                    let (name, sort) = (field.name.clone(), field.sort.clone());
                    columns.push(Column { name, sort, count, place, words: None });
                }
                (known, _) => {
                    return Err(RunError::Column {
                        table: table.to_owned(),
                        column: field.name.to_string(),
                        twice: known.is_some(),
                    });
                }
            }
        }
        let mut names: Vec<Name> = columns.iter().map(|column| column.name.clone()).collect();
        let about = mechanism.assumptions.iter().filter(|assumption| is_about(assumption, &input.name));
        let about = about.map(|assumption| Formula::new(assumption, &names)).collect();
        let mut wanted = Vec::new();
        for (place, hidden) in hidden.iter().enumerate().filter(|(_, hidden)| hidden.table == input.name) {
            let share = |condition: &Expr, value: &Expr, names: &[Name]| Share {
                condition: Formula::new(condition, names),
                value: Formula::new(value, names),
            };
            let made = match &hidden.what {
                FromTable::Size => Wanted::Size(0),
                FromTable::Column(field) => {
                    let Some(column) = names.iter().position(|name| name == field) else {
                        return Err(RunError::malformed("a column of no field"));
                    };
                    Wanted::Column(column, Vec::new())
                }
                FromTable::Sum { condition, value, index: None } => {
                    Wanted::Sum(share(condition, value, &names), Total::default())
                }
                FromTable::Sum { condition, value, index: Some((index, from, to)) } => {
                    names.push(index.clone());
                    let share = share(condition, value, &names);
                    let key = key(condition, index).map(|key| Formula::new(key, &names));
                    names.pop();
                    let groups = usize::try_from(to.saturating_sub(*from)).unwrap_or(0);
                    Wanted::Sums(Groups { share, key, from: *from, to: *to }, vec![Total::default(); groups])
                }
            };
            wanted.push((place, made));
        }
        let row = vec![Entry::Small(0); columns.len() + 1];
        Ok(Rows { of: of.clone(), table: input.name.clone(), columns, about, wanted, row })
    }

    /// The name of the table.
    pub(crate) fn name(&self) -> &str {
        self.table.as_str()
    }

    /// How many columns of the table have to be looked at, from the first.
    pub fn width(&self) -> usize {
        self.columns.iter().map(|column| column.place + 1).max().unwrap_or(0)
    }

    /// With words for the categories of a field.
    pub(crate) fn set_words(&mut self, field: &str, words: &[String]) {
        for column in self.columns.iter_mut().filter(|column| column.name.as_str() == field) {
            column.words = Some(words.to_vec());
        }
    }

    /// A row of a file: its fields by their places, as they are written. One that is missing is empty, and no value.
    pub fn add<'a>(&mut self, field: impl Fn(usize) -> &'a [u8]) {
        self.take(|column| column.of_bytes(field(column.place)));
    }

    /// A row that is held as values.
    pub(crate) fn add_cells(&mut self, row: &[Cell]) {
        self.take(|column| {
            let given = match row.get(column.place)? {
                Cell::Text(text) => Given::Text(text),
                Cell::Number(value) => Given::Number(value),
                Cell::Truth(truth) => Given::Truth(*truth),
            };
            column.of_given(given)
        });
    }

    /// A row, if it is one.
    #[inline]
    fn take(&mut self, worth: impl Fn(&Column) -> Option<Entry>) {
        for (place, column) in self.columns.iter().enumerate() {
            let Some(value) = worth(column) else { return };
            self.row[place] = value;
        }
        if self.about.iter().all(|assumption| assumption.holds(&self.row)) {
            self.wanted.iter_mut().for_each(|(_, wanted)| wanted.add(&mut self.row));
        }
    }

    /// What the text has in the place of the table, each with the place of its input.
    pub(crate) fn made(self) -> impl Iterator<Item = (usize, Made)> {
        self.wanted.into_iter().map(|(place, wanted)| (place, wanted.made()))
    }
}

impl Wanted {
    fn add(&mut self, row: &mut [Entry]) {
        match self {
            Wanted::Size(size) => *size += 1,
            Wanted::Column(place, values) => values.push(row[*place].clone()),
            Wanted::Sum(share, total) => share.add(row, total),
            Wanted::Sums(Groups { share, key, from, to }, totals) => {
                let groups = match key {
                    Some(key) => match key.value(row).and_then(|key| key.integer()) {
                        Some(group) if (*from..*to).contains(&group) => group..group + 1,
                        _ => 0..0,
                    },
                    None => *from..*to,
                };
                for group in groups {
                    if let Some(index) = row.last_mut() {
                        *index = Entry::Small(group);
                    }
                    share.add(row, &mut totals[(group - *from) as usize]);
                }
            }
        }
    }

    fn made(self) -> Made {
        match self {
            Wanted::Size(size) => Made::Number(Rational::from(size)),
            Wanted::Column(_, values) => Made::List(Box::new(values.into_iter().map(Entry::exact))),
            Wanted::Sum(_, total) => Made::Number(total.sum()),
            Wanted::Sums(_, totals) => Made::List(Box::new(totals.into_iter().map(Total::sum))),
        }
    }
}

impl Share {
    // Both have a value: `tableless` looked at their operations and variables.
    fn add(&self, row: &[Entry], total: &mut Total) {
        if self.condition.holds(row)
            && let Some(value) = self.value.value(row)
        {
            total.add(value);
        }
    }
}

/// A sum of many numbers, in which numbers of about as many terms are added: with denominators of their own, the last additions alone are long.
#[derive(Clone, Debug, Default)]
struct Total {
    small: i64,
    /// Sums of 2^k terms, each with its k; larger ones first.
    parts: Vec<(u32, Rational)>,
}

impl Total {
    #[inline]
    fn add(&mut self, term: Entry) {
        match term {
            Entry::Small(term) => match self.small.checked_add(term) {
                Some(sum) => self.small = sum,
                None => {
                    let before = std::mem::replace(&mut self.small, term);
                    self.add_exactly(Rational::from(before));
                }
            },
            Entry::Long(term) => self.add_exactly(*term),
        }
    }

    fn add_exactly(&mut self, term: Rational) {
        let (mut level, mut sum) = (0, term);
        while let Some((_, before)) = self.parts.pop_if(|(known, _)| *known == level) {
            (level, sum) = (level + 1, before + sum);
        }
        self.parts.push((level, sum));
    }

    fn sum(self) -> Rational {
        let small = Rational::from(self.small);
        self.parts.into_iter().rev().fold(small, |sum, (_, part)| sum + part)
    }
}

impl Column {
    #[inline]
    fn of_bytes(&self, bytes: &[u8]) -> Option<Entry> {
        let bytes = bytes.trim_ascii();
        // A truth value is written in a few ways alone.
        let plain = self.words.is_none() && self.sort != Sort::Bool;
        if let Some(small) = plain.then(|| digits(bytes)).flatten() {
            return self.of_integer(small);
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => self.of_given(Given::Text(text)),
            Err(_) => self.of_given(Given::Text(&String::from_utf8_lossy(bytes))),
        }
    }

    fn of_integer(&self, value: i64) -> Option<Entry> {
        let holds = match self.sort {
            Sort::Int | Sort::Real => true,
            Sort::Bool => matches!(value, 0 | 1),
            Sort::Category { .. } => {
                value >= 0 && self.count.as_ref().is_some_and(|count| Rational::from(value) < *count)
            }
            _ => false,
        };
        holds.then_some(Entry::Small(value))
    }

    /// What a value is worth in this column; `None` if it is not of it.
    fn of_given(&self, given: Given) -> Option<Entry> {
        let given = match (&self.words, given) {
            (None, given) => given,
            (Some(words), Given::Text(text)) => {
                let place = words.iter().position(|word| word == text.trim())?;
                return self.of_integer(i64::try_from(place).ok()?);
            }
            (Some(_), _) => return None,
        };
        if self.sort == Sort::Bool {
            let truth = match given {
                Given::Truth(truth) => truth,
                Given::Number(value) if value.is_zero() || *value == Rational::ONE => !value.is_zero(),
                Given::Number(_) => return None,
                Given::Text(text) => match text.trim() {
                    "true" | "TRUE" | "True" | "t" | "1" => true,
                    "false" | "FALSE" | "False" | "f" | "0" => false,
                    _ => return None,
                },
            };
            return Some(Entry::Small(i64::from(truth)));
        }
        let number = match given {
            Given::Text(text) => number(text.trim())?,
            Given::Number(value) => is_of_a_table(value).then(|| value.clone())?,
            Given::Truth(_) => return None,
        };
        match Entry::of(number) {
            Entry::Small(small) => self.of_integer(small),
            long => match &self.sort {
                Sort::Real => Some(long),
                Sort::Int => Some(long).filter(Entry::is_integer),
                // A count of categories beyond 2^63 is none that a file has.
                _ => None,
            },
        }
    }
}

/// An integer of few digits, as most are: what [`number`] says of it, sooner.
#[inline]
fn digits(bytes: &[u8]) -> Option<i64> {
    let (negative, digits) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut value = 0i64;
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = 10 * value + i64::from(digit);
    }
    Some(if negative { -value } else { value })
}

/// A decimal number; fractions are no texts of tables, and an exponent is not expanded beyond reason.
fn number(text: &str) -> Option<Rational> {
    let exponent = text.find(['e', 'E']).map_or(Some(0), |at| text[at + 1..].parse::<i64>().ok())?;
    if text.contains('/') || text.len() > 400 || exponent.unsigned_abs() > 400 {
        return None;
    }
    parse_rational(text).ok().filter(is_of_a_table)
}

/// What a condition says to be equal to an index, if that does not depend on the index.
fn key<'e>(condition: &'e Expr, index: &Name) -> Option<&'e Expr> {
    let is_index = |e: &Expr| matches!(e, Expr::Var(Variable::Plain(name)) if name == index);
    let is_free = |e: &Expr| {
        let mut free = true;
        e.for_each_variable(&mut |v| free &= !matches!(v, Variable::Plain(_)));
        free
    };
    match condition {
        Expr::Binary(Binary::Eq, a, b) if is_index(b) && is_free(a) => Some(a),
        Expr::Binary(Binary::Eq, a, b) if is_index(a) && is_free(b) => Some(b),
        Expr::Binary(Binary::And, a, b) => key(a, index).or_else(|| key(b, index)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    fn column(sort: &Sort) -> Column {
        let count = matches!(sort, Sort::Category { .. }).then(|| Rational::from(3));
        Column { name: Name::from("x"), sort: sort.clone(), count, place: 0, words: None }
    }

    fn worth(sort: &Sort, cell: &Cell) -> Option<Rational> {
        let given = match cell {
            Cell::Text(text) => {
                let found = column(sort).of_given(Given::Text(text));
                assert_eq!(found, column(sort).of_bytes(text.as_bytes()), "{text}");
                return found.map(Entry::exact);
            }
            Cell::Number(value) => Given::Number(value),
            Cell::Truth(truth) => Given::Truth(*truth),
        };
        column(sort).of_given(given).map(Entry::exact)
    }

    /// Sums of fields keep no row; those that depend on what was drawn keep the columns, of which each value takes two words if it is a small integer.
    #[test]
    fn rows_are_kept_where_they_are_wanted() {
        let read = |body: &str| {
            let text = format!(
                "mechanism m(people: rows(region: category(3), age: int))\nwhere people.age >= 10\n{body}\nreturn y\n\
                 neighbours one row of people is added or removed\nclaim 1\n"
            );
            let proved = crate::Proved::load(&text).unwrap().awaiting_table("people").with(&[]);
            let proved = proved.unwrap_or_else(|error| panic!("{body}: {error}"));
            let header = ["id", "age ", "region"].map(str::to_owned);
            let mut rows = proved.rows("people", &header).unwrap();
            for row in 0..1000 {
                let (age, region) = ((row % 50).to_string(), (row % 4).to_string());
                let fields = ["x", age.as_str(), region.as_str()];
                rows.add(|place| fields[place].as_bytes());
            }
            (proved.may_run_out(), rows)
        };
        for body in [
            "y ~ discrete_laplace(count(r in people), 1)",
            "y ~ discrete_laplace(sum(r in people where r.region == 1, clamp(r.age, 0, 100)), 100)",
            "out = []\nfor g in 0..3 {\ns ~ discrete_laplace(count(r in people where r.region == g), 1)\nappend(out, s)\n}\ny = out[0]",
        ] {
            let (may_run_out, rows) = read(body);
            assert!(!may_run_out, "{body}");
            for (_, wanted) in &rows.wanted {
                let parts = match wanted {
                    Wanted::Size(_) => 0,
                    Wanted::Sum(_, total) => total.parts.len(),
                    Wanted::Sums(_, totals) => totals.iter().map(|total| total.parts.len()).sum(),
                    Wanted::Column(..) => panic!("{body}: a column is kept"),
                };
                assert_eq!(parts, 0, "{body}");
            }
        }
        let (may_run_out, rows) =
            read("z ~ laplace(0, 1)\ny ~ discrete_laplace(count(r in people where r.age > z), 1)");
        assert!(may_run_out);
        // 750 rows have a region, and four fifths of them an age that is admitted.
        let kept = rows.wanted.iter().filter_map(|(_, wanted)| match wanted {
            Wanted::Column(_, values) => Some(values.len()),
            _ => None,
        });
        assert_eq!(kept.collect::<Vec<_>>(), [600, 600]);
        assert_eq!(size_of::<Entry>(), 16);
    }

    /// Rows are of the text that they were read for, and each of its tables has some.
    #[test]
    fn rows_are_those_of_the_text() {
        let text = "mechanism m(people: rows(age: int))\ny ~ discrete_laplace(count(r in people), 1)\nreturn y\n\
            neighbours one row of people is added or removed\nclaim 1\n";
        let proved = || crate::Proved::load(text).unwrap().awaiting_table("people").with(&[]).unwrap();
        let (one, other) = (proved(), proved());
        let header = ["age".to_owned()];
        let rows = one.rows("people", &header).unwrap();
        assert!(matches!(other.with_rows(vec![rows.clone()]), Err(RunError::Malformed { .. })));
        assert!(matches!(one.clone().with_rows(Vec::new()), Err(RunError::Table { .. })));
        assert!(matches!(one.rows("persons", &header), Err(RunError::UnknownTable { .. })));
        assert!(matches!(one.rows("people", &[]), Err(RunError::Column { twice: false, .. })));
        let twice = ["age", "age"].map(str::to_owned);
        assert!(matches!(one.rows("people", &twice), Err(RunError::Column { twice: true, .. })));
        assert!(one.with_rows(vec![rows]).is_ok());
    }

    /// Integers of few digits are read sooner, and are the same.
    #[test]
    fn texts_of_few_digits_are_numbers() {
        let sorts = [Sort::Bool, Sort::Int, Sort::Real, Sort::Category { count: Expr::int(3) }];
        let mut known = 0;
        for text in [
            "0",
            "1",
            "2",
            "3",
            "-0",
            "-1",
            "+1",
            "007",
            " 12 ",
            "999999999999999999",
            "-999999999999999999",
            "1000000000000000000",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775809",
            "123456789012345678901234567890",
            "",
            "-",
            "--1",
            "1-",
            "1_0",
            "1 2",
            "0x1",
            "1.0",
            "1.",
            ".",
            "5e0",
            "\u{a0}7",
        ] {
            for sort in &sorts {
                let found = worth(sort, &Cell::Text(text.into()));
                let value = number(text.trim());
                let expected = match sort {
                    Sort::Int => value.filter(Rational::is_int),
                    Sort::Real => value,
                    _ => continue,
                };
                assert_eq!(found, expected, "{text} {sort:?}");
                known += usize::from(found.is_some());
            }
        }
        assert_eq!(known, 40);
    }

    /// Sums beyond machine integers, at their end and over it.
    #[test]
    fn totals_do_not_overflow() {
        let terms = [i64::MAX, 1, i64::MAX, -5, i64::MIN, i64::MIN, i64::MIN];
        let mut total = Total::default();
        terms.into_iter().for_each(|term| total.add(Entry::Small(term)));
        assert_eq!(
            total.sum(),
            terms.into_iter().fold(Rational::ZERO, |sum, term| sum + Rational::from(term))
        );
    }

    #[test]
    fn totals_are_sums() {
        for count in 0..70u32 {
            let terms: Vec<Rational> = (1..=count).map(|d| rational(1, d * d + 1).unwrap()).collect();
            let mut total = Total::default();
            terms.iter().for_each(|term| total.add(Entry::of(term.clone())));
            assert_eq!(total.sum(), terms.into_iter().fold(Rational::ZERO, |sum, term| sum + term));
        }
    }

    #[test]
    fn typed_values_are_what_their_texts_are() {
        let sorts = [Sort::Bool, Sort::Int, Sort::Real, Sort::Category { count: Expr::int(3) }];
        let half = Rational::ONE / Rational::from(2);
        let number = |value: &Rational| (Cell::Number(value.clone()), value.to_f64().value().to_string());
        let truth = |truth: bool| (Cell::Truth(truth), truth.to_string());
        let all =
            [number(&Rational::ZERO), number(&Rational::ONE), number(&Rational::from(2)), number(&half)];
        let mut known = 0;
        for (cell, text) in all.into_iter().chain([truth(true), truth(false)]) {
            for sort in &sorts {
                let found = worth(sort, &cell);
                assert_eq!(found, worth(sort, &Cell::Text(text.clone())), "{cell:?} {sort:?}");
                known += usize::from(found.is_some());
            }
        }
        // 0 and 1 are of all sorts, 2 of all but one, 1/2 of one, truth values of one each.
        assert_eq!(known, 4 + 4 + 3 + 1 + 2);
    }

    /// A number that is longer than a file or a double can hold, or that is no decimal fraction, drops its row, as its text would.
    #[test]
    fn numbers_are_those_that_files_and_doubles_hold() {
        let two = Rational::from(2);
        let ten = Rational::from(10);
        let kept = [two.pow(1199), -two.pow(1199), ten.pow(-361), two.pow(-1074), rational(7, 20).unwrap()];
        let dropped = [two.pow(1200), -two.pow(5000), ten.pow(-362), two.pow(-1200), rational(1, 3).unwrap()];
        for (values, is_kept) in [(kept, true), (dropped, false)] {
            for value in values {
                let found = worth(&Sort::Real, &Cell::Number(value.clone()));
                assert_eq!(found, is_kept.then_some(value));
            }
        }
        assert_eq!(worth(&Sort::Real, &Cell::Text("1e361".into())), Some(ten.pow(361)));
        for long in ["1e362", "1e401", "1e99999999"] {
            assert_eq!(worth(&Sort::Real, &Cell::Text(long.into())), None);
        }
    }
}
