//! Tables: what makes a sum over rows well formed, and what neighbouring tables say of two sums.
//!
//! A table is a multiset of rows. A program sees it through sums only. Neighbouring tables differ by a row, whose
//! fields are ghosts of the proof: one row for all sums. `docs/logic.md` section 8 proves the rules.

use std::collections::BTreeSet;

use crate::context::{Context, Orientation, for_each_expr, is_symmetric_clause};
use crate::expr::{Expr, Name, Run, Variable};
use crate::kind::{Kind, malformed};
use crate::rejection::Rejection;
use crate::term::{Adjacency, Field, Mechanism, Sort};

/// The fields of a table, if the mechanism has an input table of this name.
fn fields<'m>(mechanism: &'m Mechanism, table: &Name) -> Option<&'m [Field]> {
    mechanism.inputs.iter().find(|input| input.name == *table).and_then(|input| match &input.sort {
        Sort::Rows(fields) => Some(fields.as_slice()),
        _ => None,
    })
}

/// The field of a table.
pub(crate) fn field<'m>(mechanism: &'m Mechanism, table: &Name, name: &Name) -> Option<&'m Field> {
    fields(mechanism, table)?.iter().find(|field| field.name == *name)
}

/// The table of whose rows an assumption speaks.
pub(crate) fn of_rows(assumption: &Expr) -> Option<Name> {
    let mut found = None;
    assumption.for_each_variable(&mut |v| {
        if let Variable::Field(table, _) = v {
            found = Some(table.clone());
        }
    });
    found
}

/// The table that a clause about rows is about.
fn table_of(clause: &Adjacency) -> Option<&Name> {
    match clause {
        Adjacency::OneRow { table } | Adjacency::RowReplaced { table } | Adjacency::Rows { table, .. } => {
            Some(table)
        }
        _ => None,
    }
}

/// Every table, every sum, every assumption on rows and every clause about rows is well formed.
pub(crate) fn check(context: &Context) -> Result<(), Rejection> {
    let mechanism = context.mechanism();
    for input in &mechanism.inputs {
        if let Sort::Rows(fields) = &input.sort {
            check_fields(context, &input.name, fields)?;
        }
    }
    let mut expressions: Vec<&Expr> = vec![&mechanism.output];
    let mut inner = Vec::new();
    // A table by itself is what a call is given; its kind is wrong everywhere else.
    for_each_expr(&mechanism.body, &mut |e| match e {
        Expr::Var(_) => {}
        _ => inner.push(e.clone()),
    });
    expressions.extend(&inner);
    for e in expressions {
        check_expression(context, e, false)?;
    }
    for assumption in &mechanism.assumptions {
        check_assumption(mechanism, assumption)?;
    }
    check_clauses(context)
}

/// The fields of a table have different names and are scalars.
fn check_fields(context: &Context, table: &Name, fields: &[Field]) -> Result<(), Rejection> {
    let mut names = BTreeSet::new();
    for Field { name, sort } in fields {
        if !names.insert(name) {
            return Err(malformed(format!("{table} has two fields {name}")));
        }
        match sort {
            Sort::Real | Sort::Int | Sort::Bool => {}
            Sort::Category { count } => {
                context.check_public(count)?;
                context.kinds().check_integer(count)?;
            }
            Sort::RealList | Sort::IntList | Sort::Rows(_) => {
                return Err(malformed(format!("the field {name} of {table} is no scalar")));
            }
        }
    }
    Ok(())
}

/// A table stands nowhere but under a sum, and no sum inside another.
fn check_expression(context: &Context, e: &Expr, inside: bool) -> Result<(), Rejection> {
    match e {
        Expr::Sum(..) if inside => {
            return Err(malformed(format!("'{e}' stands inside another sum")));
        }
        Expr::Var(v) | Expr::Length(v) | Expr::Index(v, _)
            if context.kind(&Expr::Var(v.clone())) == Kind::Table =>
        {
            return Err(malformed(format!("'{e}' looks into the table {v} other than by a sum")));
        }
        _ => {}
    }
    let inside = inside || matches!(e, Expr::Sum(..));
    e.parts().into_iter().flatten().try_for_each(|part| check_expression(context, part, inside))
}

/// An assumption has no sum, and one about the rows of a table mentions parameters only besides: it holds of rows, and
/// so of every part of a table.
fn check_assumption(mechanism: &Mechanism, assumption: &Expr) -> Result<(), Rejection> {
    if has_sum(assumption) {
        return Err(malformed(format!("the assumption '{assumption}' has a sum over rows")));
    }
    let Some(table) = of_rows(assumption) else {
        let mut named = None;
        assumption.for_each_variable(&mut |v| {
            if let Variable::Plain(name) = v
                && fields(mechanism, name).is_some()
            {
                named = Some(name.clone());
            }
        });
        return match named {
            None => Ok(()),
            Some(name) => Err(malformed(format!("'{assumption}' is about {name}, and not about its rows"))),
        };
    };
    let mut wrong = None;
    assumption.for_each_variable(&mut |v| {
        let fine = match v {
            Variable::Plain(name) => mechanism.params.iter().any(|p| p.name == *name),
            Variable::Field(of, name) => *of == table && field(mechanism, of, name).is_some(),
            _ => false,
        };
        if !fine {
            wrong = Some(v.to_string());
        }
    });
    match wrong {
        None => Ok(()),
        Some(v) => Err(malformed(format!("'{assumption}' is about the rows of {table} and mentions {v}"))),
    }
}

fn has_sum(e: &Expr) -> bool {
    matches!(e, Expr::Sum(..)) || e.parts().into_iter().flatten().any(has_sum)
}

/// A clause about rows is about an input table, one clause for each; where it says that rows are added, nothing else may
/// depend on the order of the runs, since the two orientations stand for added and removed. Relations are between
/// scalars.
fn check_clauses(context: &Context) -> Result<(), Rejection> {
    let mechanism = context.mechanism();
    let mut seen = BTreeSet::new();
    for (place, clause) in mechanism.adjacency.iter().enumerate() {
        if let Adjacency::Related(assertion) = clause {
            check_expression(context, assertion, true)?;
        }
        if let Adjacency::Rows { most, .. } = clause {
            context.check_public(most)?;
            context.kinds().check_integer(most)?;
        }
        let Some(table) = table_of(clause) else { continue };
        if fields(mechanism, table).is_none() {
            return Err(malformed(format!("the adjacency is about rows of {table}, which is no table")));
        }
        if !seen.insert(table) {
            return Err(malformed(format!("two clauses speak of the rows of {table}")));
        }
        let others = mechanism.adjacency.iter().enumerate().filter(|(other, _)| *other != place);
        if !is_symmetric_clause(clause)
            && let Some((_, other)) = others.into_iter().find(|(_, other)| !is_symmetric_clause(other))
        {
            return Err(malformed(format!(
                "'{clause}' together with '{other}': expected a clause that is written the same with the two inputs exchanged, as abs(x' - x) <= b is (abs(x' - x) <= 0 for equal ones)"
            )));
        }
    }
    Ok(())
}

/// The runs whose table has a row that the other's does not have.
fn rows_of(clause: &Adjacency, orientation: Orientation) -> &'static [Run] {
    match (clause, orientation) {
        (Adjacency::OneRow { .. }, Orientation::Forward) => &[Run::Second],
        (Adjacency::OneRow { .. }, Orientation::Backward) => &[Run::First],
        (Adjacency::RowReplaced { .. }, _) => &[Run::First, Run::Second],
        _ => &[],
    }
}

/// An expression of the row at hand, of the row that only this run's table has.
fn at_row(e: &Expr, table: &Name, run: Run) -> Expr {
    e.replace(&|v| match v {
        Variable::Field(of, field) if of == table => {
            Some(Expr::Var(Variable::Row(table.clone(), run, field.clone())))
        }
        _ => None,
    })
}

/// What is known of the rows by which neighbouring tables differ: the ranges of their categories, and the assumptions
/// on every row.
pub(crate) fn facts(mechanism: &Mechanism, orientation: Orientation) -> Vec<Expr> {
    let mut facts = Vec::new();
    for clause in &mechanism.adjacency {
        let Some(table) = table_of(clause) else { continue };
        for &run in rows_of(clause, orientation) {
            for Field { name, sort } in fields(mechanism, table).unwrap_or_default() {
                if let Sort::Category { count } = sort {
                    let value = Expr::Var(Variable::Row(table.clone(), run, name.clone()));
                    facts.push(Expr::int(0).le(value.clone()).and(value.lt(count.clone())));
                }
            }
            let about = mechanism.assumptions.iter().filter(|a| of_rows(a).as_ref() == Some(table));
            facts.extend(about.map(|assumption| at_row(assumption, table, run)));
        }
    }
    facts
}

/// ROWS: E ⇒ the two sums differ by what the rows contribute that only one table has.
/// ```text
/// E ⇒ sum(t', φ₂, e₂) + d(p) = sum(t, φ₁, e₁) + d(p')     d(p) = if φ₁(p) then e₁(p) else 0, or 0 if there is no p
/// ```
/// E says that the parts are equal in which φ₁, φ₂ and e₁, e₂ differ; they mention no field. `None` if they differ
/// elsewhere, or if the adjacency says nothing of the table's rows.
pub(crate) fn rows(
    context: &Context,
    table: &Name,
    first: &(Expr, Expr),
    second: &(Expr, Expr),
) -> Option<Expr> {
    let mechanism = context.mechanism();
    let clause = mechanism.adjacency.iter().find(|clause| table_of(clause) == Some(table))?;
    let different = rows_of(clause, context.orientation());
    if different.is_empty() {
        return None;
    }
    let mut equal = Vec::new();
    differences(&first.0, &second.0, &mut equal)?;
    differences(&first.1, &second.1, &mut equal)?;
    let sum = |run: Run, (condition, value): &(Expr, Expr)| {
        Expr::sum(Variable::Of(table.clone(), run), condition.clone(), value.clone())
    };
    let with_row = |sum: Expr, run: Run| {
        if !different.contains(&run) {
            return sum;
        }
        let value = at_row(&first.1, table, run);
        match at_row(&first.0, table, run) {
            Expr::Bool(true) => sum + value,
            condition => sum + condition.choose(value, Expr::int(0)),
        }
    };
    let conclusion =
        with_row(sum(Run::Second, second), Run::First).equals(with_row(sum(Run::First, first), Run::Second));
    Some(equal.into_iter().fold(conclusion, |rest, (a, b)| a.equals(b).implies(rest)))
}

/// Collects the parts in which two expressions differ; `None` if one of them mentions a field of the table.
fn differences(a: &Expr, b: &Expr, found: &mut Vec<(Expr, Expr)>) -> Option<()> {
    if a == b {
        return Some(());
    }
    if [a, b].into_iter().all(|e| of_rows(e).is_none()) {
        if !found.iter().any(|(x, y)| x == a && y == b) {
            found.push((a.clone(), b.clone()));
        }
        return Some(());
    }
    let same = match (a, b) {
        (Expr::Unary(f, _), Expr::Unary(g, _)) => f == g,
        (Expr::Binary(f, ..), Expr::Binary(g, ..)) => f == g,
        (Expr::Clamp(..), Expr::Clamp(..)) | (Expr::If(..), Expr::If(..)) => true,
        (Expr::Index(p, _), Expr::Index(q, _)) => p == q,
        // A sum that depends on a field of another sum's row, or a field and something else.
        _ => false,
    };
    if !same {
        return None;
    }
    let pairs = a.parts().into_iter().flatten().zip(b.parts().into_iter().flatten());
    pairs.into_iter().try_fold((), |(), (a, b)| differences(a, b, found))
}
