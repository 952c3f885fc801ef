//! Tables: the rows of a text's `rows` inputs, and what is computed from them before anything is drawn.
//!
//! What a row is worth is decided by the row alone: a field that is not of its type, or a row that a `where` line about rows excludes, drops the
//! row, and nothing tells of it. What a text wants of its tables (`tableless`) is known before they are looked at, and nothing here fails
//! for the sake of a row.

use std::collections::BTreeMap;

use probity_exact::{Natural, Rational, parse_rational};
use probity_kernel::expr::{Binary, Expr, Name, Variable};
use probity_kernel::term::{Field, Mechanism, Sort};
use probity_lang::row;

use crate::error::RunError;
use crate::input::{Given, is_long, part};
use crate::program::compile::constant_value;
use crate::tableless::{FromTable, Hidden, is_about};

/// A table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// The names of the columns.
    pub header: Vec<String>,
    /// The rows; a missing field counts as empty.
    pub rows: Vec<Vec<Cell>>,
}

/// A value of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// As it is written in a file; an empty text is no value.
    Text(String),
    /// A number, exactly.
    Number(Rational),
    /// A truth value.
    Truth(bool),
}

impl Table {
    /// A table as a file has it.
    pub fn of_texts(header: Vec<String>, rows: Vec<Vec<String>>) -> Table {
        let cells = |row: Vec<String>| row.into_iter().map(Cell::Text).collect();
        Table { header, rows: rows.into_iter().map(cells).collect() }
    }

    /// The same with a column of words as categories: each of these words is its number, from 0. Any other cell is no category, and drops its row.
    /// Each cell is looked at by itself, so a theorem about the rows holds as before.
    #[must_use]
    pub fn with_words(mut self, column: &str, words: &[String]) -> Table {
        let places: Vec<usize> =
            (0..self.header.len()).filter(|place| self.header[*place].trim() == column).collect();
        for row in &mut self.rows {
            for place in &places {
                let Some(cell) = row.get_mut(*place) else { continue };
                let number = match cell {
                    Cell::Text(text) => words.iter().position(|word| word == text.trim()),
                    _ => None,
                };
                *cell = number
                    .map_or(Cell::Text(String::new()), |number| Cell::Number(Rational::from(number as u64)));
            }
        }
        self
    }
}

/// The values of a row's fields; truth values are 1 and 0.
type Row = BTreeMap<Name, Rational>;

/// What a text has in the place of its tables, each with its value. Fails for tables and columns that are not there, whatever the rows.
pub(crate) fn values<'h>(
    mechanism: &Mechanism,
    hidden: &'h [Hidden],
    tables: &BTreeMap<String, Table>,
) -> Result<Vec<(&'h Hidden, Given)>, RunError> {
    let mut cleaned_rows: BTreeMap<&Name, Vec<Row>> = BTreeMap::new();
    for input in &mechanism.inputs {
        let Sort::Rows(fields) = &input.sort else { continue };
        let name = input.name.to_string();
        let Some(table) = tables.get(&name) else { return Err(RunError::Table { name }) };
        let about: Vec<&Expr> =
            mechanism.assumptions.iter().filter(|assumption| is_about(assumption, &input.name)).collect();
        cleaned_rows.insert(&input.name, cleaned(&name, fields, &about, table)?);
    }
    if let Some(name) = tables.keys().find(|name| !cleaned_rows.keys().any(|known| known.as_str() == **name))
    {
        return Err(RunError::UnknownTable { name: name.clone() });
    }
    let value = |hidden: &'h Hidden| {
        let rows = cleaned_rows.get(&hidden.table).map_or(&[] as &[Row], Vec::as_slice);
        (hidden, value(&hidden.what, rows))
    };
    Ok(hidden.iter().map(value).collect())
}

fn value(what: &FromTable, rows: &[Row]) -> Given {
    match what {
        FromTable::Size => Given::Number(Rational::from(rows.len() as u64)),
        FromTable::Column(field) => {
            Given::numbers(rows.iter().map(|row| row.get(field).cloned().unwrap_or(Rational::ZERO)))
        }
        FromTable::Sum { condition, value, index: None } => {
            let mut total = Total::default();
            rows.iter().for_each(|row| total.add(share(condition, value, row)));
            Given::Number(total.sum())
        }
        FromTable::Sum { condition, value, index: Some((index, from, to)) } => {
            let mut totals = vec![Total::default(); usize::try_from(to.saturating_sub(*from)).unwrap_or(0)];
            let key = key(condition, index);
            for row in rows {
                // A condition that names the row's group spares a look at all others.
                let groups = match key {
                    Some(key) => match evaluated(key, row)
                        .filter(Rational::is_int)
                        .and_then(|key| i64::try_from(&key.floor()).ok())
                    {
                        Some(group) if (*from..*to).contains(&group) => group..group + 1,
                        _ => 0..0,
                    },
                    None => *from..*to,
                };
                for group in groups {
                    let mut all = row.clone();
                    all.insert(index.clone(), Rational::from(group));
                    totals[(group - from) as usize].add(share(condition, value, &all));
                }
            }
            Given::numbers(totals.into_iter().map(Total::sum))
        }
    }
}

/// A sum of many numbers, in which numbers of about as many terms are added: with denominators of their own, the last additions alone are long.
#[derive(Clone, Debug, Default)]
struct Total {
    /// Sums of 2^k terms, each with its k; larger ones first.
    parts: Vec<(u32, Rational)>,
}

impl Total {
    fn add(&mut self, term: Rational) {
        let (mut level, mut sum) = (0, term);
        while let Some((_, before)) = self.parts.pop_if(|(known, _)| *known == level) {
            (level, sum) = (level + 1, before + sum);
        }
        self.parts.push((level, sum));
    }

    fn sum(self) -> Rational {
        self.parts.into_iter().rev().fold(Rational::ZERO, |sum, (_, part)| sum + part)
    }
}

/// What a row adds to a sum.
fn share(condition: &Expr, value: &Expr, at: &Row) -> Rational {
    // Both have a value: `tableless` looked at their operations and variables.
    match evaluated(condition, at) == Some(Rational::ONE) {
        true => evaluated(value, at).unwrap_or(Rational::ZERO),
        false => Rational::ZERO,
    }
}

fn cleaned(name: &str, fields: &[Field], about: &[&Expr], table: &Table) -> Result<Vec<Row>, RunError> {
    let mut places = Vec::new();
    for field in fields {
        let mut found =
            table.header.iter().enumerate().filter(|(_, known)| known.trim() == field.name.as_str());
        match (found.next(), found.next()) {
            (Some((place, _)), None) => places.push(place),
            (known, _) => {
                return Err(RunError::Column {
                    table: name.to_owned(),
                    column: field.name.to_string(),
                    twice: known.is_some(),
                });
            }
        }
    }
    let row = |row: &Vec<Cell>| -> Option<Row> {
        let mut values = Row::new();
        for (field, place) in fields.iter().zip(&places) {
            values.insert(field.name.clone(), worth(&field.sort, row.get(*place)?)?);
        }
        let admitted = |assumption: &&Expr| evaluated(assumption, &values) == Some(Rational::ONE);
        about.iter().all(admitted).then_some(values)
    };
    Ok(table.rows.iter().filter_map(row).collect())
}

/// What a cell is worth in a field of this sort; `None` if it is not of it.
fn worth(sort: &Sort, cell: &Cell) -> Option<Rational> {
    let number = || match cell {
        Cell::Text(text) => number(text.trim()),
        Cell::Number(value) => is_of_a_table(value).then(|| value.clone()),
        Cell::Truth(_) => None,
    };
    match sort {
        Sort::Bool => {
            let truth = match cell {
                Cell::Truth(truth) => *truth,
                Cell::Number(value) if value.is_zero() || *value == Rational::ONE => !value.is_zero(),
                Cell::Number(_) => return None,
                Cell::Text(text) => match text.trim() {
                    "true" | "TRUE" | "True" | "t" | "1" => true,
                    "false" | "FALSE" | "False" | "f" | "0" => false,
                    _ => return None,
                },
            };
            Some(if truth { Rational::ONE } else { Rational::ZERO })
        }
        Sort::Real => number(),
        Sort::Int => number().filter(Rational::is_int),
        Sort::Category { count } => {
            let (count, _) = constant_value(count);
            number().filter(|value| {
                value.is_int() && *value >= Rational::ZERO && count.is_some_and(|count| *value < count)
            })
        }
        _ => None,
    }
}

/// Whether a number is of those that a file or a double can hold, which is what the sizes of a text's numbers are reckoned with. Others are no
/// numbers of a table, as they are none in a file: who brings the rows may not make a run longer than it would be for all other tables.
fn is_of_a_table(value: &Rational) -> bool {
    !is_long(value) && part(value.denominator()) == Natural::ONE
}

/// A decimal number; fractions are no texts of tables, and an exponent is not expanded beyond reason.
fn number(text: &str) -> Option<Rational> {
    let exponent = text.find(['e', 'E']).map_or(Some(0), |at| text[at + 1..].parse::<i64>().ok())?;
    if text.contains('/') || text.len() > 400 || exponent.unsigned_abs() > 400 {
        return None;
    }
    parse_rational(text).ok().filter(is_of_a_table)
}

/// The value of an expression of a row's fields and of indices; `None` for any other.
fn evaluated(e: &Expr, at: &Row) -> Option<Rational> {
    row::value(e, &|variable| match variable {
        Variable::Field(_, name) | Variable::Plain(name) => at.get(name).cloned(),
        _ => None,
    })
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
    use crate::{Inputs, Proved, Value};
    use probity_exact::rational;
    use probity_lang::Setting;

    const TEXT: &str = "mechanism m(people: rows(region: category(3), age: int, x: real))\nparam eps > 0\nwhere people.age >= 10\n\
        out = []\nfor g in 0..3 {\n  n ~ discrete_laplace(count(r in people where r.region == g), 2 / eps)\n\
        s ~ discrete_laplace(sum(r in people where r.region == g, clamp(r.age, 0, 100)), 200 / eps)\n  append(out, n)\n  append(out, s)\n}\n\
        return out\nneighbours one row of people is added or removed\nclaim eps\n";

    fn table() -> Table {
        let rows = [
            ["0", "20", "1.5"],
            ["2", "300", "2"],
            ["2", "9", "1"],
            ["3", "20", "1"],
            ["1", "x", "1"],
            ["", "20", "1"],
            ["0", "30", "-1e3"],
            ["0", "30", "1e-9223372036854775808"],
        ];
        let header = ["region", "age", "x"].map(String::from).to_vec();
        Table::of_texts(header, rows.iter().map(|row| row.map(String::from).to_vec()).collect())
    }

    fn settings() -> Vec<Setting> {
        // So little noise that sums are seen as they are.
        vec![Setting { name: "eps".into(), value: Rational::from(1_000_000) }]
    }

    #[test]
    fn words_are_categories() {
        let rows = [
            ["north", "20", "1"],
            [" south ", "30", "1"],
            ["west", "40", "1"],
            ["0", "50", "1"],
            ["North", "60", "1"],
        ];
        let header = ["region ", "age", "x"].map(String::from).to_vec();
        let table = Table::of_texts(header, rows.iter().map(|row| row.map(String::from).to_vec()).collect());
        let words = ["north", "east", "south"].map(String::from);
        let text = Proved::load(TEXT).unwrap().with_table("people", table.with_words("region", &words));
        let mut entropy = probity_noise::entropy::SecureEntropy::new().unwrap();
        let value = text.with(&settings()).unwrap().run(&Inputs::new(), &mut entropy).unwrap();
        assert_eq!(value.to_string(), "[1, 20, 0, 0, 1, 30]");
    }

    #[test]
    fn sums_are_those_of_the_rows_that_are_left() {
        let text = Proved::load(TEXT).unwrap().with_table("people", table());
        let proved = text.with(&settings()).unwrap();
        let mut entropy = probity_noise::entropy::SecureEntropy::new().unwrap();
        let value = proved.run(&Inputs::new(), &mut entropy).unwrap();
        // Two rows are left in region 0, one in region 2: its age counts as 100.
        let expected = [2, 50, 0, 0, 1, 100].map(|n| Value::from(Rational::from(n))).to_vec();
        assert_eq!(value, Value::List(expected));
        // What is shown is the text, not what was computed from the table.
        assert!(proved.mechanism().to_string().contains("count(r in people"));
    }

    #[test]
    fn totals_are_sums() {
        for count in 0..70u32 {
            let terms: Vec<Rational> = (1..=count).map(|d| rational(1, d * d + 1).unwrap()).collect();
            let mut total = Total::default();
            terms.iter().for_each(|term| total.add(term.clone()));
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

    #[test]
    fn what_is_refused_is_refused_for_all_tables() {
        assert!(matches!(Proved::load(TEXT).unwrap().with(&settings()), Err(RunError::Table { .. })));
        let with = |text: &str, table: Table| {
            Proved::load(text).unwrap().with_table("people", table).with(&settings())
        };
        let mut narrow = table();
        narrow.header[1] = "years".into();
        assert!(matches!(with(TEXT, narrow), Err(RunError::Column { twice: false, .. })));
        let other = Proved::load(TEXT).unwrap().with_table("persons", table()).with_table("people", table());
        assert!(matches!(other.with(&settings()), Err(RunError::UnknownTable { .. })));
        let adaptive = "mechanism m(people: rows(x: real))\nparam eps > 0\nt ~ discrete_laplace(0, 1)\n\
            y ~ laplace(sum(r in people, clamp(r.x * t, 0, 1)), 1 / eps)\nreturn floor(y)\n\
            neighbours one row of people is added or removed\nclaim eps\n";
        let outside = adaptive.replace("r.x * t", "exp(r.x * t)");
        // Squares of logarithms have no normal form, which a table without rows does not show.
        let opaque = "mechanism m(people: rows(x: real))\nparam eps > 0\nu ~ exponential(1)\nv = ln(u)\n\
            y ~ laplace(0, 1 / eps)\nreturn if sum(r in people, clamp(v * v * r.x, 0, 1)) > y then 1 else 0\n\
            neighbours one row of people is added or removed\nclaim eps\n";
        for table in [
            Table { header: vec!["x".into()], rows: vec![] },
            Table { header: vec!["x".into()], rows: vec![vec![Cell::Text("1".into())]] },
        ] {
            assert!(with(adaptive, table.clone()).is_ok());
            // Of a number that has no bound.
            assert!(matches!(with(&outside, table.clone()), Err(RunError::TooLarge { .. })));
            let unproved =
                Proved::load(opaque).unwrap().with_table("people", table).unproved_with(&settings());
            assert!(matches!(unproved, Err(RunError::Refused { .. })));
        }
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

    /// Sums that depend on what the text computes and draws are those of the rows. The noise is 0 but for e^−1000.
    #[test]
    fn sums_follow_what_is_computed_and_drawn() {
        let text = "mechanism m(people: rows(region: category(3), age: int, x: real))\nout = []\nwidth = 1\n\
            for level in 0..2 {\n  for block in 0..3 {\n\
            y ~ discrete_laplace(count(r in people where floor(r.region / width) == block), 1 / 1000)\n  append(out, y)\n  }\n  width = 2 * width\n}\n\
            n ~ discrete_laplace(count(r in people where r.age > 15), 1 / 1000)\n\
            s ~ discrete_laplace(floor(sum(r in people where r.age > 10 * n, clamp(n * r.age, -90, 90))), 1 / 1000)\n  append(out, n)\n  append(out, s)\n\
            return out\nneighbours one row of people is added or removed\nclaim 100000\n";
        for rows in [table(), Table { rows: Vec::new(), ..table() }] {
            let text = Proved::load(text).unwrap().with_table("people", rows.clone());
            let mut session = text.unproved_with(&[]).unwrap().prepare(&Inputs::new()).unwrap();
            let mut words = probity_noise::entropy::tape::Tape::seeded(5);
            let Value::List(found) = session.run_exactly(&mut words).unwrap() else { panic!("no list") };
            let found: Vec<String> = found.iter().map(ToString::to_string).collect();
            // Regions 0, 2, 2, 0 of the rows that are whole, by one and by two; then ages above 15, and those above 10·3.
            let known = match rows.rows.is_empty() {
                true => ["0", "0", "0", "0", "0", "0", "0", "0"],
                false => ["2", "0", "2", "2", "2", "0", "3", "90"],
            };
            assert_eq!(found, known);
        }
    }
}
