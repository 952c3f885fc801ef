//! Which tables are neighbours, and guesses for a refutation. Nothing is taken from the kernel's rule about neighbouring
//! tables.

use probity_exact::Rational;
use probity_kernel::expr::{Expr, Name, Variable};
use probity_kernel::term::{Adjacency, Field, Mechanism, Sort};

use crate::error::AuditError;
use crate::output::outcome::{Given, Inputs, Parameters};
use crate::pair::fields::{self, MOST_VALUES};
use crate::pair::neighbours::parameter_value;
use crate::run::tables::GivenRow;

/// Whether an assumption is about the rows of this table.
pub(crate) fn is_about_rows(assumption: &Expr, table: &Name) -> bool {
    let mut found = false;
    assumption.for_each_variable(&mut |v| found |= matches!(v, Variable::Field(of, _) if of == table));
    found
}

/// Whether a clause of the adjacency is about rows.
pub(crate) fn is_about_rows_of_a_table(clause: &Adjacency) -> bool {
    matches!(clause, Adjacency::OneRow { .. } | Adjacency::RowReplaced { .. } | Adjacency::Rows { .. })
}

/// Whether two tables are neighbours by a clause about rows, in this order; `None` for another clause.
pub(crate) fn related(
    clause: &Adjacency,
    parameters: &Parameters,
    first: &Inputs,
    second: &Inputs,
) -> Result<Option<bool>, AuditError> {
    let (Adjacency::OneRow { table } | Adjacency::RowReplaced { table } | Adjacency::Rows { table, .. }) =
        clause
    else {
        return Ok(None);
    };
    let (Some(Given::Rows(a)), Some(Given::Rows(b))) = (first.get(table), second.get(table)) else {
        return Err(AuditError::WrongKind { place: table.to_string(), expected: "tables" });
    };
    let (only_first, only_second) = (missing(a, b), missing(b, a));
    Ok(Some(match clause {
        Adjacency::OneRow { .. } => only_first == 0 && only_second == 1,
        Adjacency::RowReplaced { .. } => only_first == only_second && only_first <= 1 && !a.is_empty(),
        Adjacency::Rows { most, .. } => {
            let most = parameter_value(most, parameters)?.low;
            only_first == 0 && only_second >= 1 && Rational::from(only_second) <= most
        }
        _ => false,
    }))
}

/// How many rows of the one table the other does not have, counted as often as they occur.
fn missing(from: &[GivenRow], other: &[GivenRow]) -> usize {
    let mut left: Vec<&GivenRow> = other.iter().collect();
    from.iter()
        .filter(|row| match left.iter().position(|known| known == row) {
            Some(at) => {
                left.swap_remove(at);
                false
            }
            None => true,
        })
        .count()
}

/// The most rows that are tried as the one that changes.
const MOST_ROWS: usize = 12;

/// Pairs of neighbouring tables to try: in the first round an empty table or one with a row, later some with more, and rows
/// that are added to it or replaced in it, those with the largest numbers first.
pub(crate) fn pairs(
    mechanism: &Mechanism,
    parameters: &Parameters,
    (table, fields): (&Name, &[Field]),
    round: usize,
) -> Vec<(Vec<GivenRow>, Vec<GivenRow>)> {
    let rows = rows(mechanism, parameters, table, fields);
    let clause = mechanism.adjacency.iter().find(|clause| {
        matches!(clause, Adjacency::OneRow { table: t } | Adjacency::RowReplaced { table: t } | Adjacency::Rows { table: t, .. } if t == table)
    });
    let mut found = Vec::new();
    let mut push = |a: Vec<GivenRow>, b: Vec<GivenRow>| {
        found.push((a.clone(), b.clone()));
        found.push((b, a));
    };
    let some = |most: usize| rows.iter().take(most).cloned().collect::<Vec<_>>();
    let bases: Vec<Vec<GivenRow>> = match (round, rows.first(), rows.last()) {
        // The last table has rows on both sides of whatever splits them.
        (0, ..) => vec![vec![], some(1), some(MOST_VALUES)],
        // Rows that are the same in both tables: several of one kind, and all kinds together.
        (_, Some(first), Some(last)) => vec![
            vec![last.clone()],
            vec![first.clone(); 2],
            vec![last.clone(); 2],
            vec![first.clone(); 5],
            some(5),
        ],
        _ => vec![],
    };
    for base in bases {
        let with = |more: &[&GivenRow]| base.iter().chain(more.iter().copied()).cloned().collect::<Vec<_>>();
        match clause {
            Some(Adjacency::OneRow { .. }) => rows.iter().for_each(|row| push(base.clone(), with(&[row]))),
            Some(Adjacency::Rows { most, .. }) => {
                let most = parameter_value(most, parameters)
                    .map_or(1, |most| usize::try_from(most.low.floor()).unwrap_or(1).clamp(1, 8));
                rows.iter().for_each(|row| push(base.clone(), with(&vec![row; most])));
            }
            Some(Adjacency::RowReplaced { .. }) => {
                for (n, row) in rows.iter().enumerate() {
                    rows[n + 1..].iter().for_each(|other| push(with(&[row]), with(&[other])));
                }
            }
            _ => push(base.clone(), base.clone()),
        }
    }
    if let (0, Some(first), Some(Adjacency::OneRow { .. })) = (round, rows.first(), clause) {
        for (base, row) in opposed(first) {
            push(vec![base.clone()], vec![base, row]);
        }
    }
    found
}

/// How much larger a row is than the one that it outweighs.
const OUTWEIGHS: [i64; 2] = [2, 1000];

/// A row with its numbers on either side, and one that outweighs it by a number of the other sign: a sum that is clamped then goes from
/// the one end to the other, which is twice as far as from the middle.
fn opposed(row: &GivenRow) -> Vec<(GivenRow, GivenRow)> {
    let mut found = Vec::new();
    for (at, value) in row.iter().enumerate() {
        let Given::Number(value) = value else { continue };
        for times in OUTWEIGHS {
            for sign in [1, -1].map(Rational::from) {
                let with = |x: Rational| {
                    let mut changed = row.clone();
                    changed[at] = Given::Number(x);
                    changed
                };
                let base = value * &sign;
                found.push((with(base.clone()), with(-base * Rational::from(times))));
            }
        }
    }
    found
}

/// Rows with telling values, those of the largest size first.
fn rows(mechanism: &Mechanism, parameters: &Parameters, table: &Name, fields: &[Field]) -> Vec<GivenRow> {
    let mut all: Vec<GivenRow> = vec![vec![]];
    for field in fields {
        let values: Vec<Given> = match &field.sort {
            Sort::Bool => vec![Given::Bool(true), Given::Bool(false)],
            sort => fields::values(mechanism, parameters, (table, &field.name), sort)
                .into_iter()
                .map(Given::Number)
                .collect(),
        };
        // By the sum of places, so that no field is left at its first value.
        let mut combined: Vec<(usize, GivenRow)> = Vec::new();
        for (i, before) in all.iter().enumerate() {
            for (j, value) in values.iter().enumerate() {
                let mut row = before.clone();
                row.push(value.clone());
                combined.push((i + j, row));
            }
        }
        combined.sort_by_key(|(place, _)| *place);
        all = combined.into_iter().map(|(_, row)| row).take(MOST_ROWS).collect();
    }
    all
}
