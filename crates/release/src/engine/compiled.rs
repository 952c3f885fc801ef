//! A plan made ready for millions of rows: each condition once, the group's place, and the sums.
//!
//! A row that is dropped, or that no condition takes, costs the same work as any other: its values are computed, and added to a cell
//! that nobody reads, or multiplied by 0.

use super::Exact;
use crate::query::row::{Condition, Row};
use crate::query::{DrawKind, Plan};

/// A plan as loops want it.
pub struct Compiled {
    group: Row,
    groups: usize,
    conditions: Vec<Condition>,
    /// For each draw the place of its condition, and what it adds.
    draws: Vec<(usize, Option<Row>)>,
}

/// Sums in the making.
pub struct Sums {
    /// The last group is that of dropped rows.
    cells: Vec<i128>,
    taken: Vec<bool>,
}

impl Compiled {
    /// Makes a plan ready.
    pub fn new(plan: &Plan) -> Compiled {
        let mut conditions: Vec<Condition> = Vec::new();
        let draws = plan.draws.iter().map(|draw| {
            let known = conditions.iter().position(|known| *known == draw.condition).unwrap_or_else(|| {
                conditions.push(draw.condition.clone());
                conditions.len() - 1
            });
            let row = match &draw.kind {
                DrawKind::Count => None,
                DrawKind::Sum(row) => Some(row.clone()),
            };
            (known, row)
        });
        let draws = draws.collect();
        Compiled {
            group: plan.group_row().unwrap_or(Row::Constant(0)),
            groups: plan.groups(),
            conditions,
            draws,
        }
    }

    /// No rows yet.
    pub fn sums(&self) -> Sums {
        Sums {
            cells: vec![0; (self.groups + 1) * self.draws.len()],
            taken: vec![false; self.conditions.len()],
        }
    }

    /// Adds a row: the values of its fields, and whether it is kept.
    #[inline]
    pub fn add(&self, sums: &mut Sums, fields: &[i64], kept: bool) {
        let group = usize::try_from(self.group.value(fields)).unwrap_or(self.groups).min(self.groups);
        let group = if kept { group } else { self.groups };
        for (taken, condition) in sums.taken.iter_mut().zip(&self.conditions) {
            *taken = condition.holds(fields);
        }
        let cells = &mut sums.cells[group * self.draws.len()..];
        for (cell, (condition, row)) in cells.iter_mut().zip(&self.draws) {
            let value = row.as_ref().map_or(1, |row| row.value(fields));
            *cell += i128::from(if sums.taken[*condition] { value } else { 0 });
        }
    }

    /// The sums of several parts of a table.
    pub fn finish(&self, parts: Vec<Sums>) -> Exact {
        let mut sums = vec![0i128; self.groups * self.draws.len()];
        for part in parts {
            // Fewer than 2^64 rows of less than 2^63 each: no sum reaches 2^127.
            sums.iter_mut().zip(part.cells).for_each(|(sum, cell)| *sum += cell);
        }
        Exact { draws: self.draws.len(), sums }
    }
}
