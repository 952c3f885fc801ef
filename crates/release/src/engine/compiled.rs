//! A plan made ready for millions of rows: each condition once, the group's place, and the sums.
//!
//! A row that is dropped, or that no condition takes, costs the same work as any other: its values are computed, and added to a cell
//! that nobody reads, or as 0. Where users are units, rows are set aside until their users are bounded.
//!
//! No row can stop the pass: every step is total, and what a row adds is held within the range that its draw's noise is made for, whatever
//! was thought of its columns before. A pass that died at some rows would answer a question about them at no cost, and a debit for it would
//! not help: losses may be as small as one likes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::Exact;
use super::users::{Users, Waiting};
use crate::policy::Unit;
use crate::query::row::{Condition, Row};
use crate::query::{DrawKind, Plan};

/// A plan as loops want it.
pub struct Compiled {
    group: Row,
    groups: usize,
    /// The rows that the query takes, before users are bounded.
    taken: Condition,
    /// The rows of users, if units are users.
    users: Option<Users>,
    conditions: Vec<Condition>,
    /// For each draw the place of its condition, its first cell in a group, and what it adds.
    draws: Vec<(usize, usize, Adds)>,
    /// How many cells a group has.
    cells: usize,
}

/// What a row adds to a draw.
enum Adds {
    One,
    /// What this says, between the two ends that the noise is made for.
    Value(Row, (i64, i64)),
    /// One to the bin that this says, of so many.
    Bin(Row, usize),
}

/// Sums in the making.
pub struct Sums {
    /// The last group is that of dropped rows.
    cells: Vec<i128>,
    taken: Vec<bool>,
    /// Rows whose users are not bounded yet.
    waiting: Option<Waiting>,
}

impl Compiled {
    /// Makes a plan ready.
    pub fn new(plan: &Plan) -> Compiled {
        let mut conditions: Vec<Condition> = Vec::new();
        let mut cells = 0;
        let draws = plan.draws.iter().map(|draw| {
            let known = conditions.iter().position(|known| *known == draw.condition).unwrap_or_else(|| {
                conditions.push(draw.condition.clone());
                conditions.len() - 1
            });
            let adds = match &draw.kind {
                DrawKind::Count => Adds::One,
                DrawKind::Sum(row) => Adds::Value(row.clone(), draw.range),
                DrawKind::Bins(row, count) => Adds::Bin(row.clone(), *count),
            };
            let first = cells;
            cells += draw.cells();
            (known, first, adds)
        });
        let draws = draws.collect();
        let users = match &plan.table.unit {
            Unit::Row => None,
            Unit::User { groups, rows_per_group, .. } => {
                Some(Users::new(&plan.table.name, *groups, *rows_per_group, plan.fields.len()))
            }
        };
        let group = plan.group_row().unwrap_or(Row::Constant(0));
        Compiled {
            group,
            groups: plan.groups(),
            taken: plan.condition.clone(),
            users,
            conditions,
            draws,
            cells,
        }
    }

    /// No rows yet.
    pub fn sums(&self) -> Sums {
        let cells = vec![0; (self.groups + 1) * self.cells];
        Sums {
            cells,
            taken: vec![false; self.conditions.len()],
            waiting: self.users.as_ref().map(Users::waiting),
        }
    }

    /// Adds a row of a user, or of nobody in particular if units are rows: the values of its fields, and whether it is kept. A row
    /// without a user is dropped if units are users.
    #[inline]
    pub fn add(&self, sums: &mut Sums, user: &[u8], fields: &[i64], kept: bool) {
        match (&self.users, &mut sums.waiting) {
            (Some(users), Some(waiting)) => {
                if kept & !user.is_empty() & self.taken.holds(fields) {
                    users.add(waiting, user, self.group_of(fields), fields);
                }
            }
            _ => self.add_row(sums, fields, kept),
        }
    }

    #[inline]
    fn group_of(&self, fields: &[i64]) -> usize {
        usize::try_from(value(&self.group, fields)).unwrap_or(self.groups).min(self.groups)
    }

    #[inline]
    fn add_row(&self, sums: &mut Sums, fields: &[i64], kept: bool) {
        let group = if kept { self.group_of(fields) } else { self.groups };
        for (taken, condition) in sums.taken.iter_mut().zip(&self.conditions) {
            *taken = match condition {
                Condition::Constant(always) => *always,
                other => other.holds(fields),
            };
        }
        let cells = &mut sums.cells[group * self.cells..];
        for (condition, first, adds) in &self.draws {
            let (place, value) = match adds {
                Adds::One => (0, 1),
                Adds::Value(row, (low, high)) => (0, value(row, fields).max(*low).min(*high)),
                Adds::Bin(row, count) => (usize::try_from(value(row, fields)).unwrap_or(0).min(count - 1), 1),
            };
            cells[first + place] += i128::from(if sums.taken[*condition] { value } else { 0 });
        }
    }

    /// The sums of several parts of a table.
    pub fn finish(&self, mut parts: Vec<Sums>) -> Option<Exact> {
        if let Some(users) = &self.users {
            parts
                .iter_mut()
                .filter_map(|part| part.waiting.take())
                .for_each(|waiting| users.collect(waiting));
            let next = AtomicUsize::new(0);
            let pass = || {
                let mut sums = self.sums();
                loop {
                    let part = next.fetch_add(1, Ordering::Relaxed);
                    if part >= users.parts() {
                        return sums;
                    }
                    users.each(part, |fields| self.add_row(&mut sums, fields, true));
                }
            };
            let bounded: Option<Vec<Sums>> = thread::scope(|scope| {
                let running: Vec<_> = (0..workers()).map(|_| scope.spawn(pass)).collect();
                running.into_iter().map(|worker| worker.join().ok()).collect()
            });
            parts.extend(bounded?);
        }
        let mut cells = vec![0; self.groups * self.cells];
        for part in parts {
            // Fewer than 2^64 rows of less than 2^63 each: no sum reaches 2^127.
            cells.iter_mut().zip(&part.cells).for_each(|(sum, cell)| *sum += cell);
        }
        Some(Exact { cells: self.cells, sums: cells })
    }
}

/// What an expression is for a row. Most are columns, which need no call.
#[inline]
fn value(row: &Row, fields: &[i64]) -> i64 {
    match row {
        Row::Column { field, low, high } => fields[*field].max(*low).min(*high),
        other => other.value(fields),
    }
}

/// How many threads a pass has.
pub fn workers() -> usize {
    thread::available_parallelism().map_or(1, |count| count.get()).min(16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::engine::rows::Rows;

    /// What the noise is made for is what a row can add at most, should ranges and values ever disagree.
    #[test]
    fn a_row_adds_no_more_than_the_noise_is_made_for() {
        let policy = "[budget]\nepsilon = 1\nper_query = { epsilon = 1 }\n[table.t]\nunit = \"row\"\n[table.t.columns]\n\
                      x = { type = \"int\", between = [-9, 9] }";
        let policy = crate::policy::read("p", policy).unwrap();
        let mut plan = crate::query::plan("SELECT SUM(2 * x) AS s FROM t", &policy).unwrap();
        let table =
            Rows { header: vec!["x".into()], rows: ["9", "-9", "1"].map(|x| vec![x.to_owned()]).to_vec() };
        let sum = |plan: &Plan| table.sums(plan, &|_, _| {}).unwrap().sums;
        assert_eq!((plan.draws[0].range, sum(&plan)), ((-18, 18), vec![2]));
        plan.draws[0].range = (-3, 5);
        assert_eq!(sum(&plan), [5 - 3 + 2]);
    }
}
