//! Keys that are discovered from the rows: which queries may have one.
//!
//! The proof is that of one count for each key, with noise, which is shown from a threshold on. What has no proof is refused here, by the
//! policy and the query alone.

use sqlparser::ast::{Expr, Select};

use super::aggregate::{Draw, DrawKind};
use super::clause::Selection;
use super::parse::refuse;
use super::plan::{Key, Written};
use super::resolve::Scope;
use super::row::Row;
use crate::policy::Unit;
use crate::refusal::Answer;

/// The key that a column of the private table is.
pub(super) fn key(scope: &Scope, column: usize) -> Key {
    let field = scope.field(column);
    // In the text the field is a category of its own for each text; of a cleaned row the integer says only that there is one.
    let row = Row::Column { field, low: 0, high: 0 };
    Key { labels: Vec::new(), bare: false, row, discovered: Some(field) }
}

/// Whether a key that is discovered stands alone, and rows are what is hidden.
pub(super) fn check_keys(scope: &Scope, written: &[Expr], keys: &[Written]) -> Answer<()> {
    let Some(place) = keys.iter().position(|(_, key)| key.discovered.is_some()) else { return Ok(()) };
    let at = &written[place];
    if matches!(scope.table.unit, Unit::User { .. }) {
        return Err(refuse(
            scope.sql,
            at,
            "keys are discovered only where a unit is a row, and this policy hides users",
        )
        .hint(
            "there is no proof for several rows of a user yet; list the values in the policy: in = [\"…\"]",
        ));
    }
    match keys.len() {
        1 => Ok(()),
        _ => Err(refuse(scope.sql, at, "a key that is discovered stands alone in GROUP BY")
            .hint("group by it alone; a WHERE may choose one value of the other keys")),
    }
}

/// Whether the query asks for one count if its keys are discovered, and selects groups as its keys need it.
pub(super) fn check(
    sql: &str,
    select: &Select,
    keys: &[Written],
    draws: &[Draw],
    selection: Option<Selection>,
) -> Answer<()> {
    let discovered = keys.iter().any(|(_, key)| key.discovered.is_some());
    match (discovered, selection) {
        (true, Some(Selection::PublicGroups)) => {
            return Err(refuse(
                sql,
                select,
                "PUBLIC_GROUPS shows every key, and the keys of this query are discovered",
            )
            .hint("write LAPLACE_THRESHOLD, or leave group_selection_strategy out"));
        }
        (false, Some(Selection::LaplaceThreshold)) => {
            return Err(refuse(sql, select, "LAPLACE_THRESHOLD: no key of this query is discovered")
                .hint("write PUBLIC_GROUPS, with which every key appears; keys are discovered of a column with discover = true in the policy"));
        }
        _ => {}
    }
    let one_count = matches!(draws, [draw] if draw.kind == DrawKind::Count);
    match discovered && !one_count {
        false => Ok(()),
        true => Err(refuse(sql, select, "where keys are discovered, one count is answered and nothing else")
            .hint("there is no proof for more columns yet: ask for COUNT(*), or list the keys in the policy: in = [\"…\"]")),
    }
}
