//! Rows in memory: the plainest engine, for tests and for tables that a program holds already.

use super::compiled::Compiled;
use super::keys::{Finder, Found};
use super::{Counts, Engine, Exact, cannot_find_keys};
use crate::query::Plan;
use crate::refusal::{Answer, Refusal};

/// A table as texts.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// The names of the columns.
    pub header: Vec<String>,
    /// The rows; a missing field counts as empty.
    pub rows: Vec<Vec<String>>,
}

/// Where each field of a plan stands in a header, and behind them the column of the users, if units are users. Rows are counted whatever is
/// in them, so of a query that reads no column the header must name all columns of the policy: else any file could be counted.
pub(super) fn places(plan: &Plan, header: &[String]) -> Answer<Vec<usize>> {
    let table = &plan.table.name;
    let read: Vec<&str> =
        plan.fields.iter().map(|field| field.name.as_str()).chain(plan.user_column()).collect();
    let all: Vec<&str> = plan.table.columns.iter().map(|column| column.name.as_str()).collect();
    let (wanted, why) = match read.is_empty() {
        true => (&all, "since this query reads no column, it must name all those of the policy"),
        false => (&read, "it must name what this query reads, as the policy does"),
    };
    let find = |name: &&str| {
        let mut found = header.iter().enumerate().filter(|(_, known)| known.trim() == *name);
        match (found.next(), found.next()) {
            (Some((place, _)), None) => Ok(place),
            (Some(_), Some(_)) => {
                Err(Refusal::input(format!("the header of {table} has two columns `{name}`"))
                    .hint("rename one of them: it is not clear which is meant"))
            }
            // The first line is not quoted: where the names are missing it is a row.
            (None, _) => {
                let hint = match separator(name, header) {
                    Some(separator) => {
                        format!("its names stand between {separator}: write the table with commas")
                    }
                    None => format!("{why}: {}; a CSV file begins with a line of names", wanted.join(", ")),
                };
                Err(Refusal::input(format!("the header of {table} has no column named `{name}`")).hint(hint))
            }
        }
    };
    let found: Vec<usize> = wanted.iter().map(find).collect::<Answer<_>>()?;
    Ok(if read.is_empty() { Vec::new() } else { found })
}

/// What stands around a name in a header whose names have no commas between them.
fn separator(name: &str, header: &[String]) -> Option<&'static str> {
    let parts = |separator: char| header.iter().flat_map(move |cell| cell.split(separator));
    let named = |separator: char| parts(separator).any(|part| part.trim().trim_matches('"') == name);
    [(';', "semicolons"), ('\t', "tabs"), ('|', "bars")]
        .into_iter()
        .find(|(c, _)| named(*c))
        .map(|(_, word)| word)
}

impl Engine for Rows {
    fn check(&self, plan: &Plan) -> Answer<()> {
        places(plan, &self.header).map(drop)
    }

    fn sums(&self, plan: &Plan, _progress: &(dyn Fn(u64, u64) + Sync)) -> Answer<Exact> {
        let places = places(plan, &self.header)?;
        let compiled = Compiled::new(plan);
        let mut sums = compiled.sums();
        self.each(plan, &places, |row, fields, kept| {
            let user = places
                .get(plan.fields.len())
                .and_then(|place| row.get(*place))
                .map_or("", |user| user.trim());
            compiled.add(&mut sums, user.as_bytes(), fields, kept);
        });
        compiled
            .finish(vec![sums])
            .ok_or_else(|| Refusal::input("a worker of the pass stopped; please report it"))
    }

    fn finds_keys(&self) -> bool {
        true
    }

    fn keys(&self, plan: &Plan, _progress: &(dyn Fn(u64, u64) + Sync)) -> Answer<Counts> {
        let places = places(plan, &self.header)?;
        let finder = Finder::new(plan).ok_or_else(cannot_find_keys)?;
        let mut found = Found::default();
        self.each(plan, &places, |row, fields, kept| {
            let text = row.get(places[finder.field]).map_or("", String::as_str);
            finder.add(&mut found, text.as_bytes(), fields, kept);
        });
        Ok(finder.finish(vec![found]))
    }
}

impl Rows {
    /// Calls for each row with the values of its fields, and whether it is kept.
    fn each(&self, plan: &Plan, places: &[usize], mut call: impl FnMut(&[String], &[i64], bool)) {
        for row in &self.rows {
            let cleaned: Vec<Option<i64>> = plan
                .fields
                .iter()
                .zip(places)
                .map(|(field, place)| field.clean(row.get(*place).map_or("", String::as_str).as_bytes()))
                .collect();
            let fields: Vec<i64> = cleaned.iter().map(|value| value.unwrap_or(0)).collect();
            call(row, &fields, cleaned.iter().all(Option::is_some));
        }
    }
}
