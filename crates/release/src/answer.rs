//! Answers: what is shown of the noisy numbers, as a table, as CSV, as JSON. Everything here is post-processing.

use std::cmp::Ordering;
use std::fmt::Write;

use probity_exact::{Integer, Rational, parse_rational};
use serde_json::{Map, Value};

use crate::decimal;
use crate::policy::date_to_text;
use crate::prepare::Prepared;
use crate::query::{Draw, Drawn, Plan, Post, Shown};
use crate::refusal::Answer;
use crate::release::Released;

/// A cell of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// A key.
    Key {
        /// As it is shown.
        text: String,
        /// Whether JSON writes it without quotes.
        bare: bool,
    },
    /// A noisy value with its bounds; what has no value or no bound is empty.
    Noisy {
        /// The value.
        value: Option<Rational>,
        /// The true value is at least this, at the stated level.
        low: Option<Rational>,
        /// And at most this.
        high: Option<Rational>,
        /// Digits behind the point that are worth showing.
        digits: usize,
        /// Whether it is a day, as the number that the policy's columns have for it.
        day: bool,
    },
}

/// The rows of an answer, in the order in which they are shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// The names of the columns.
    pub names: Vec<String>,
    /// Which of them are noisy, and so have error bars.
    pub noisy: Vec<bool>,
    /// The cells.
    pub rows: Vec<Vec<Cell>>,
    /// Whether rows were chosen by their noisy values: no level holds for a choice.
    pub chosen: bool,
    /// The noisy count from which on a key is shown, if keys were discovered.
    pub threshold: Option<Integer>,
}

/// The rows of a release.
pub fn released(released: &Released, alpha: &Rational) -> Answer<Rows> {
    rows_with(&released.prepared, &released.keys, &released.noisy, alpha)
}

/// The rows for noisy numbers: for each group of public keys, the integers of each draw.
pub fn rows(prepared: &Prepared, noisy: &[Vec<Integer>], alpha: &Rational) -> Answer<Rows> {
    rows_with(prepared, &[], noisy, alpha)
}

/// The same; `found` are the keys of the groups if they were discovered.
fn rows_with(
    prepared: &Prepared,
    found: &[String],
    noisy: &[Vec<Integer>],
    alpha: &Rational,
) -> Answer<Rows> {
    let plan = &prepared.plan;
    let errors: Vec<Vec<Rational>> = plan
        .columns
        .iter()
        .map(|(_, shown)| match shown {
            Shown::Key(_) => Ok(vec![]),
            Shown::Noisy(post) => prepared.errors_for(post, alpha),
        })
        .collect::<Answer<_>>()?;
    let key_of = |group: usize| if plan.discovered().is_some() { vec![group] } else { plan.key_of(group) };
    let label = |key: usize, place: usize| match plan.keys[key].discovered {
        Some(_) => found.get(place).cloned().unwrap_or_default(),
        None => plan.keys[key].labels[place].clone(),
    };
    let mut groups: Vec<(Vec<usize>, Drawn)> =
        noisy.iter().enumerate().map(|(group, cells)| (key_of(group), drawn(plan, cells))).collect();
    if let Some(having) = &plan.having {
        groups.retain(|(_, values)| having.holds(values));
    }
    groups.sort_by(|a, b| {
        let by = |sort: &crate::query::Sort| {
            let directed = |order: Ordering| if sort.descending { order.reverse() } else { order };
            match &sort.by {
                // Texts by their bytes, as engines sort them; numbers, days and keys that were found stand in their order.
                Shown::Key(key) => match plan.keys[*key].labels.as_slice() {
                    labels if !plan.keys[*key].bare && !labels.is_empty() => {
                        directed(labels[a.0[*key]].cmp(&labels[b.0[*key]]))
                    }
                    _ => directed(a.0[*key].cmp(&b.0[*key])),
                },
                Shown::Noisy(post) => match (post.value(&a.1), post.value(&b.1)) {
                    (Some(a), Some(b)) => directed(a.cmp(&b)),
                    (a, b) if sort.nothing_first => a.is_some().cmp(&b.is_some()),
                    (a, b) => b.is_some().cmp(&a.is_some()),
                },
            }
        };
        plan.order.iter().map(by).find(|order| *order != Ordering::Equal).unwrap_or(Ordering::Equal)
    });
    groups.truncate(plan.limit.unwrap_or(usize::MAX));
    let cell = |(keys, values): &(Vec<usize>, Drawn), shown: &Shown, errors: &[Rational]| match shown {
        Shown::Key(key) => Cell::Key { text: label(*key, keys[*key]), bare: plan.keys[*key].bare },
        Shown::Noisy(post) => {
            let (value, (low, high)) = post.with_interval(values, errors);
            let digits = digits(prepared, post, low.as_ref().zip(high.as_ref()));
            Cell::Noisy { value, low, high, digits, day: post.is_day() }
        }
    };
    let rows = groups
        .iter()
        .map(|group| {
            plan.columns.iter().zip(&errors).map(|((_, shown), errors)| cell(group, shown, errors)).collect()
        })
        .collect();
    let names = plan.columns.iter().map(|(name, _)| name.clone()).collect();
    let noisy = plan.columns.iter().map(|(_, shown)| matches!(shown, Shown::Noisy(_))).collect();
    Ok(Rows {
        names,
        noisy,
        rows,
        chosen: plan.having.is_some() || (plan.limit.is_some() && !plan.order.is_empty()),
        threshold: prepared.threshold.clone(),
    })
}

/// The noisy integers of a group as numbers, draw by draw.
pub(crate) fn drawn(plan: &Plan, cells: &[Integer]) -> Drawn {
    let mut cells = cells.iter();
    let of = |draw: &Draw| {
        let one = draw.unit == Rational::ONE;
        let number = |value: &Integer| match one {
            true => Rational::from(value.clone()),
            false => Rational::from(value.clone()) * &draw.unit,
        };
        cells.by_ref().take(draw.cells()).map(number).collect()
    };
    Drawn(plan.draws.iter().map(of).collect())
}

/// A draw is shown exactly; what is computed, to about three digits of its error.
fn digits(prepared: &Prepared, post: &Post, ends: Option<(&Rational, &Rational)>) -> usize {
    if let Post::Draw(draw) = post {
        let unit = decimal::exact(&prepared.plan.draws[*draw].unit);
        return if unit.contains('/') {
            6
        } else {
            unit.split_once('.').map_or(0, |(_, fraction)| fraction.len())
        };
    }
    let width = ends.map_or(Rational::ONE, |(low, high)| high - low);
    let mut unit = Rational::from(1000);
    (0..9)
        .find(|_| {
            unit /= Rational::from(10);
            unit <= width
        })
        .unwrap_or(9)
}

impl Cell {
    /// What is shown of it: a key, or a value and its ends, empty where there is none.
    pub fn texts(&self) -> Vec<String> {
        match self {
            Cell::Key { text, .. } => vec![text.clone()],
            // The ends are rounded outward, so that what lies between them still does.
            Cell::Noisy { value, low, high, day: true, .. } => [
                value.as_ref().map(Rational::floor),
                low.as_ref().map(Rational::floor),
                high.as_ref().map(Rational::ceil),
            ]
            .map(|day| day.and_then(|day| i64::try_from(&day).ok()).map(date_to_text).unwrap_or_default())
            .to_vec(),
            Cell::Noisy { value, low, high, digits, .. } => [
                value.as_ref().map(|value| decimal::fixed(value, *digits)),
                low.as_ref().map(|low| decimal::below(low, *digits)),
                high.as_ref().map(|high| decimal::above(high, *digits)),
            ]
            .map(Option::unwrap_or_default)
            .to_vec(),
        }
    }

    fn into_object(self, name: &str, object: &mut Map<String, Value>) {
        match self {
            Cell::Key { text, bare: true } => {
                let value = match text.as_str() {
                    "true" => true.into(),
                    "false" => false.into(),
                    _ => json_number(text),
                };
                object.insert(name.to_owned(), value);
            }
            Cell::Key { text, .. } => drop(object.insert(name.to_owned(), text.into())),
            Cell::Noisy { .. } => {
                let texts = self.texts();
                let names = [name.to_owned(), format!("{name}_low"), format!("{name}_high")];
                for (name, text) in names.into_iter().zip(texts) {
                    object.insert(name, json_number(text));
                }
            }
        }
    }
}

/// Whole numbers up to this size are numbers in JSON. Beyond it many readers of JSON take the nearest double instead, so there they are
/// texts; what has more digits than a double tells apart is one too.
const MOST_WHOLE: u64 = 1 << 53;

/// A number as JSON has it, every digit of it; nothing where there is none.
fn json_number(text: String) -> Value {
    if text.is_empty() {
        return Value::Null;
    }
    if let Ok(whole) = text.parse::<i64>()
        && whole.unsigned_abs() <= MOST_WHOLE
    {
        return whole.into();
    }
    let exact = |text: &str| parse_rational(text).ok();
    match text.parse::<f64>().ok().filter(|double| {
        text.contains('.') && double.is_finite() && exact(&double.to_string()) == exact(&text)
    }) {
        Some(double) => double.into(),
        None => text.into(),
    }
}

impl Rows {
    /// The names of all columns, error bars with them.
    pub fn heading(&self) -> Vec<String> {
        let mut names = Vec::new();
        for (name, is_noisy) in self.names.iter().zip(&self.noisy) {
            names.push(name.clone());
            if *is_noisy {
                names.extend([format!("{name}_low"), format!("{name}_high")]);
            }
        }
        names
    }

    /// The cells as texts, error bars with them.
    pub fn texts(&self) -> Vec<Vec<String>> {
        self.rows.iter().map(|row| row.iter().flat_map(Cell::texts).collect()).collect()
    }

    /// A table with aligned columns: texts to the left, numbers to the right.
    pub fn to_table(&self) -> String {
        let visible = |cell: String| probity_lang::visible(&cell).into_owned();
        let heading: Vec<String> = self.heading().into_iter().map(visible).collect();
        let rows: Vec<Vec<String>> =
            self.texts().into_iter().map(|row| row.into_iter().map(visible).collect()).collect();
        let width = |column: usize| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.chain([heading[column].chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..heading.len()).map(width).collect();
        let keys: Vec<bool> = self.rows.first().map_or_else(Vec::new, |row| {
            row.iter()
                .flat_map(|cell| vec![matches!(cell, Cell::Key { bare: false, .. }); cell.texts().len()])
                .collect()
        });
        let mut text = String::new();
        let mut line = |cells: &[String]| {
            let mut out = String::new();
            for (place, (cell, width)) in cells.iter().zip(&widths).enumerate() {
                let gap = if place == 0 { "" } else { "  " };
                let _ = match keys.get(place) {
                    Some(true) => write!(out, "{gap}{cell:<width$}"),
                    _ => write!(out, "{gap}{cell:>width$}"),
                };
            }
            let _ = writeln!(text, "{}", out.trim_end());
        };
        line(&heading);
        line(&widths.iter().map(|width| "-".repeat(*width)).collect::<Vec<_>>());
        rows.iter().for_each(|row| line(row));
        text
    }

    /// The same as CSV.
    pub fn to_csv(&self) -> String {
        let quoted = |cell: &String| match cell.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.clone(),
        };
        let line = |cells: &[String]| cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
        let mut text = line(&self.heading());
        self.texts().iter().for_each(|row| text.push_str(&line(row)));
        text
    }

    /// One object a row, with every column and its `_low` and `_high`.
    pub fn to_json(&self) -> Value {
        let object = |row: &Vec<Cell>| {
            let mut object = Map::new();
            for (cell, name) in row.iter().zip(&self.names) {
                cell.clone().into_object(name, &mut object);
            }
            Value::Object(object)
        };
        self.rows.iter().map(object).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_digit_is_lost_in_json() {
        let shown = |text: &str| json_number(text.to_owned()).to_string();
        for number in ["0", "-7", "9007199254740992", "-9007199254740992", "12.25", "-0.1", "99999999999.99"]
        {
            assert_eq!(shown(number), number);
        }
        assert_eq!(
            (shown("12.50").as_str(), shown("12.00").as_str(), shown("").as_str()),
            ("12.5", "12.0", "null")
        );
        for text in [
            "9007199254740993",
            "-9007199254740993",
            "9223372036854775807",
            "170141183460469231731687303715884105727",
            "90071992547409931.25",
            "123456789012345678.12",
        ] {
            assert_eq!(shown(text), format!("\"{text}\""));
        }
    }
}
