//! Whether a theorem says something of two tables that differ by one row, with everything else equal.
//!
//! All clauses of an adjacency hold together. A clause about another input may be false where that input is the same in both runs,
//! as `abs(z' - z) == 5`, and then the theorem says nothing about one row alone. Untrusted like all of this crate in what it
//! misses; what it says is checked by the kernel's entailment.

use probity_kernel::context::{Context, Orientation};
use probity_kernel::entail::check_entailment;
use probity_kernel::expr::{Expr, Name, Run, Variable};
use probity_kernel::term::{Adjacency, Mechanism, Sort};

use crate::evidence::search::search_evidence;

/// How two tables differ by a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OneRow {
    /// One of them has a row that the other has not.
    AddedOrRemoved,
    /// Each has a row that the other has not.
    Replaced,
}

/// The table and the way of which two inputs that differ by one row, and by nothing else, are neighbours, whatever they are.
///
/// ```
/// use probity_prove::one_row::{OneRow, one_row};
/// let text = |more: &str| {
///     let text = format!(
///         "mechanism m(people: rows(age: int), z: int)
///          where 0 <= z and z <= 8
///          y ~ discrete_laplace(count(r in people) + z, 3)
///          return y
///          neighbours one row of people is added or removed
///          {more}
///          claim 1"
///     );
///     probity_lang::load_text(&text).unwrap().mechanism
/// };
/// assert_eq!(one_row(&text("neighbours abs(z' - z) <= 2")), Some(("people".into(), OneRow::AddedOrRemoved)));
/// assert_eq!(one_row(&text("neighbours abs(z' - z) == 5")), None);
/// ```
pub fn one_row(mechanism: &Mechanism) -> Option<(Name, OneRow)> {
    let mut of_tables = mechanism.adjacency.iter().filter_map(table_of);
    // Two tables that differ by a row each are another pair.
    let (Some((table, way)), None) = (of_tables.next(), of_tables.next()) else { return None };
    let is_table = |name: &Name| {
        mechanism.inputs.iter().any(|input| input.name == *name && matches!(input.sort, Sort::Rows(_)))
    };
    // What is assumed of a table as a whole may hold of one of the two only.
    let of_whole = |v: &Variable| matches!(v, Variable::Plain(name) if is_table(name));
    if mechanism.assumptions.iter().any(|assumption| assumption.find_variable(&of_whole).is_some()) {
        return None;
    }
    // Clauses are about inputs. What is drawn does not matter for them, and a context has no samples.
    let alone = Mechanism { adjacency: vec![], body: vec![], output: Expr::int(0), ..mechanism.clone() };
    let context = Context::new(&alone, Orientation::Forward).ok()?;
    mechanism.adjacency.iter().all(|clause| holds_of_equal(&context, clause)).then_some((table, way))
}

/// The table that a clause is about.
fn table_of(clause: &Adjacency) -> Option<(Name, OneRow)> {
    match clause {
        Adjacency::OneRow { table } | Adjacency::Rows { table, .. } => {
            Some((table.clone(), OneRow::AddedOrRemoved))
        }
        Adjacency::RowReplaced { table } => Some((table.clone(), OneRow::Replaced)),
        _ => None,
    }
}

/// Whether a clause holds where its numbers and lists are the same in both runs, and its tables differ by one row.
fn holds_of_equal(context: &Context, clause: &Adjacency) -> bool {
    let needed = match clause {
        Adjacency::OneRow { .. } | Adjacency::RowReplaced { .. } => return true,
        Adjacency::Rows { most, .. } => Expr::int(1).le(most.clone()),
        Adjacency::Related(assertion) => assertion.replace(&|v| match v {
            Variable::Of(name, Run::Second) => Some(Expr::of(name.clone(), Run::First)),
            _ => None,
        }),
        Adjacency::EveryEntry { bound, .. }
        | Adjacency::EveryEntryGrows { bound, .. }
        | Adjacency::Norm { bound, .. } => Expr::int(0).le(bound.clone()),
        // Empty lists have no entry that might change.
        Adjacency::OneEntry { .. } | Adjacency::OneEntryOf { .. } => return false,
    };
    search_evidence(context, &[], &needed)
        .is_ok_and(|evidence| check_entailment(context, &[], &needed, &evidence).is_ok())
}
