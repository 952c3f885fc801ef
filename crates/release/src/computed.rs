//! Values of a row that are columns of their own in the text.
//!
//! A proof needs to know of a value that it is one number of each row. How it comes about, by many choices between other values, with
//! parts that cancel out, or before it is put into bins, would only make it long, or too long to be found. So such a value is computed from
//! each row by itself, as cleaning computes columns, and the certificate says how: `docs/proofs/release.md`, "computed".

use crate::query::row::Row;
use crate::query::{Draw, DrawKind, Plan};

/// The most choices that a text shows, over all of its draws.
const MOST_CHOICES: usize = 2;

/// The values of a plan that are columns of their own in its text, each once, in the order of their names there.
pub fn values(plan: &Plan) -> Vec<Row> {
    let shown: Vec<&Row> = plan.draws.iter().flat_map(|draw| in_text(plan, draw)).collect();
    let choices: usize = shown.iter().map(|row| row.choices()).sum();
    let mut values = Vec::new();
    if choices > MOST_CHOICES {
        shown.iter().filter(|row| row.choices() > 0).for_each(|row| add(choosing(row), &mut values));
    }
    shown.iter().filter(|row| repeats(row)).for_each(|row| add(row, &mut values));
    for draw in &plan.draws {
        if let DrawKind::Bins(row, _) = &draw.kind {
            add(binned(row), &mut values);
        }
    }
    values.retain(|row| !matches!(row, Row::Column { .. } | Row::Joined { .. }));
    values
}

/// The values that a draw has in the text: those of the keys, of its condition, and what it sums or puts into bins.
fn in_text<'a>(plan: &'a Plan, draw: &'a Draw) -> Vec<&'a Row> {
    let mut rows: Vec<&Row> = plan.keys.iter().map(|key| &key.row).collect();
    rows.extend(draw.condition.compared());
    match &draw.kind {
        DrawKind::Count => {}
        DrawKind::Sum(row) => rows.push(row),
        DrawKind::Bins(row, _) => rows.push(binned(row)),
    }
    rows
}

fn add(row: &Row, values: &mut Vec<Row>) {
    if !values.contains(row) {
        values.push(row.clone());
    }
}

/// The part of a value that makes all of its choices: arithmetic with what makes none is left to the text.
fn choosing(row: &Row) -> &Row {
    match row {
        Row::Add(a, b) | Row::Sub(a, b) | Row::Mul(a, b) | Row::Floor(a, b) if b.choices() == 0 || a == b => {
            choosing(a)
        }
        Row::Add(a, b) | Row::Sub(a, b) | Row::Mul(a, b) if a.choices() == 0 => choosing(b),
        _ => row,
    }
}

/// Whether arithmetic reads a column twice, beside squares: what cancels out, as in x - 3 - x, leads a search astray.
fn repeats(row: &Row) -> bool {
    let mut read = Vec::new();
    row.choices() == 0 && !reads_once(row, &mut read)
}

/// Adds the columns that a value reads, if each is read for the first time.
fn reads_once<'a>(row: &'a Row, read: &mut Vec<&'a Row>) -> bool {
    match row {
        Row::Mul(a, b) if a == b => reads_once(a, read),
        Row::Add(a, b) | Row::Sub(a, b) | Row::Mul(a, b) | Row::Floor(a, b) => {
            reads_once(a, read) && reads_once(b, read)
        }
        Row::Column { .. } | Row::Joined { .. } => {
            let first = !read.contains(&row);
            read.push(row);
            first
        }
        _ => true,
    }
}

/// What is put into bins, by how far it is above a number.
fn binned(row: &Row) -> &Row {
    let from = match row {
        Row::Floor(a, b) if matches!(**b, Row::Constant(_)) => a,
        _ => row,
    };
    match from {
        Row::Sub(a, b) if matches!(**b, Row::Constant(_)) => a,
        _ => from,
    }
}
