//! The text without its tables: what runs. It is made from the text alone, before any row is read, so that whether a text runs and what
//! is said about it is the same for all tables.
//!
//! A run sees a table through sums only. A sum of fields alone becomes an input, which is computed once; one that depends on the index of
//! a loop with fixed bounds becomes an input that is a list. What depends on more is summed where the text stands, by a loop over lists
//! of the rows' fields.

use std::collections::BTreeMap;
use std::sync::Arc;

use probity_exact::Rational;
use probity_kernel::expr::{Binary, Expr, Name, Variable};
use probity_kernel::law;
use probity_kernel::term::{Distribution, Field, Input, Mechanism, Sort, Statement};
use probity_lang::row::is_computed;

use crate::error::RunError;
use crate::program::compile::constant_value;
use crate::sample;
use crate::written_sum::{Over, column, size_of};

/// Longest loop over whose index a sum is computed before the text begins.
const MOST_GROUPS: i64 = 1 << 20;

/// An index of a loop around an expression, with the bounds of the loop if they are numbers.
type Loop = (Name, Option<(i64, i64)>);

/// What is computed from a table before the text begins.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FromTable {
    /// How many rows there are.
    Size,
    /// What they have in a field.
    Column(Name),
    /// A sum over them; a list of sums, if there is an index that runs from a number to another.
    Sum { condition: Expr, value: Expr, index: Option<(Name, i64, i64)> },
}

/// An input that a text has in the place of its table.
#[derive(Clone, Debug)]
pub(crate) struct Hidden {
    pub(crate) input: Input,
    pub(crate) table: Name,
    pub(crate) what: FromTable,
}

/// A mechanism without tables, and the inputs that it has for them.
#[derive(Clone, Debug)]
pub(crate) struct Tableless {
    pub(crate) mechanism: Mechanism,
    /// What is assumed of rows.
    pub(crate) about_rows: Vec<Expr>,
    pub(crate) hidden: Vec<Hidden>,
    /// The fields of the tables.
    pub(crate) fields: BTreeMap<Name, Vec<Field>>,
}

/// The mechanism without its tables. Fails for what no table would make run.
pub(crate) fn tableless(mechanism: &Mechanism) -> Result<Tableless, RunError> {
    let mut rewriter = Rewriter::default();
    for input in &mechanism.inputs {
        if let Sort::Rows(fields) = &input.sort {
            rewriter.fields.insert(input.name.clone(), fields.clone());
        }
    }
    let (about_rows, others): (Vec<Expr>, Vec<Expr>) = mechanism
        .assumptions
        .iter()
        .cloned()
        .partition(|assumption| rewriter.fields.keys().any(|table| is_about(assumption, table)));
    // A row is looked at by itself.
    let foreign = |v: &Variable| !matches!(v, Variable::Field(..));
    if let Some(assumption) =
        about_rows.iter().find(|e| !is_computed(e) || e.find_variable(&foreign).is_some())
    {
        return Err(RunError::Rows { expression: assumption.to_string() });
    }
    let mut body = rewriter.block(&mechanism.body, &mut Vec::new())?;
    let output = rewriter.expression(&mechanism.output, &[], &mut body)?;
    let mut without = Mechanism { body, output, assumptions: others, ..mechanism.clone() };
    without.inputs.retain(|input| !matches!(input.sort, Sort::Rows(_)));
    without.inputs.extend(rewriter.hidden.iter().map(|hidden| hidden.input.clone()));
    Ok(Tableless { mechanism: without, about_rows, hidden: rewriter.hidden, fields: rewriter.fields })
}

/// Whether an assumption is about the rows of a table.
pub(crate) fn is_about(assumption: &Expr, table: &Name) -> bool {
    assumption.find_variable(&|v| matches!(v, Variable::Field(of, _) if of == table)).is_some()
}

#[derive(Default)]
struct Rewriter {
    fields: BTreeMap<Name, Vec<Field>>,
    /// Samples that were drawn, with their tables.
    samples: BTreeMap<Name, Name>,
    hidden: Vec<Hidden>,
}

impl Rewriter {
    fn block(&mut self, body: &[Statement], loops: &mut Vec<Loop>) -> Result<Vec<Statement>, RunError> {
        let mut out = Vec::new();
        for statement in body {
            let rewritten = match statement {
                Statement::Draw { var, law: Distribution::Sample { table, rate } } => {
                    let Expr::Var(Variable::Plain(name)) = table else {
                        return Err(RunError::malformed("a sample of no table"));
                    };
                    if !self.fields.contains_key(name) {
                        return Err(RunError::SampleOfSample { sample: name.to_string() });
                    }
                    self.samples.insert(var.clone(), name.clone());
                    self.hide(name, size_of(name), Sort::Int, FromTable::Size);
                    let rate = self.expression(rate, loops, &mut out)?;
                    out.extend(sample::tossed(var, name, &rate));
                    continue;
                }
                Statement::Draw { var, law } => {
                    let parameters = &std::cell::RefCell::new((&mut *self, &mut out));
                    let law = law::try_map(law, &|parameter| {
                        let (rewriter, out) = &mut *parameters.borrow_mut();
                        rewriter.expression(parameter, loops, out)
                    })?;
                    Statement::Draw { var: var.clone(), law }
                }
                Statement::Assign { var, value } => {
                    Statement::Assign { var: var.clone(), value: self.expression(value, loops, &mut out)? }
                }
                Statement::Append { list, value } => {
                    Statement::Append { list: list.clone(), value: self.expression(value, loops, &mut out)? }
                }
                Statement::If { guard, then, otherwise } => Statement::If {
                    guard: self.expression(guard, loops, &mut out)?,
                    then: self.block(then, loops)?,
                    otherwise: self.block(otherwise, loops)?,
                },
                Statement::For { index, from, to, body } => {
                    let bound = |e: &Expr| {
                        let value = constant_value(e).0.filter(Rational::is_int)?;
                        i64::try_from(&value.floor()).ok()
                    };
                    let bounds = bound(from).zip(bound(to));
                    let (from, to) =
                        (self.expression(from, loops, &mut out)?, self.expression(to, loops, &mut out)?);
                    loops.push((index.clone(), bounds));
                    let body = self.block(body, loops);
                    loops.pop();
                    Statement::For { index: index.clone(), from, to, body: body? }
                }
                Statement::While { label, guard, body } => {
                    // The guard is looked at before each turn, so its sums are computed before each.
                    let mut sums = Vec::new();
                    let guard = self.expression(guard, loops, &mut sums)?;
                    let mut body = self.block(body, loops)?;
                    out.extend(sums.iter().cloned());
                    body.extend(sums);
                    Statement::While { label: label.clone(), guard, body }
                }
            };
            out.push(rewritten);
        }
        Ok(out)
    }

    /// The expression with variables in the place of its sums; what computes them goes before.
    fn expression(
        &mut self,
        e: &Expr,
        loops: &[Loop],
        before: &mut Vec<Statement>,
    ) -> Result<Expr, RunError> {
        match e {
            Expr::Sum(Variable::Plain(table), condition, value) => {
                self.sum(e, table, (condition, value), loops, before)
            }
            _ => e.try_map_parts(&mut |part| self.expression(part, loops, before)),
        }
    }

    fn sum(
        &mut self,
        sum: &Expr,
        over: &Name,
        (condition, value): (&Expr, &Expr),
        loops: &[Loop],
        before: &mut Vec<Statement>,
    ) -> Result<Expr, RunError> {
        let sampled = self.samples.get(over).cloned();
        let table = sampled.clone().unwrap_or(over.clone());
        let Some(fields) = self.fields.get(&table).cloned() else {
            return Err(RunError::malformed("a sum over no table"));
        };
        let mut free: Vec<Name> = Vec::new();
        for part in [condition, value] {
            part.for_each_variable(&mut |v| match v {
                Variable::Plain(name) if !free.contains(name) => free.push(name.clone()),
                _ => {}
            });
        }
        let index = match free.as_slice() {
            [] => Some(None),
            [name] => match loops.iter().rev().find(|(index, _)| index == name) {
                Some((index, Some((from, to)))) if to.saturating_sub(*from) <= MOST_GROUPS => {
                    Some(Some((index.clone(), *from, *to)))
                }
                _ => None,
            },
            _ => None,
        };
        match index {
            Some(index) if sampled.is_none() && is_computed(condition) && is_computed(value) => {
                Ok(self.computed(sum, &table, (condition, value), index))
            }
            _ => {
                // Each row would have a divisor of its own, and a normal form of the sum all of them.
                if [condition, value].into_iter().any(|e| divides_by_field(e, over)) {
                    return Err(RunError::Divisors { expression: sum.to_string() });
                }
                self.hide(&table, size_of(&table), Sort::Int, FromTable::Size);
                for field in &fields {
                    let sort = if field.sort == Sort::Real { Sort::RealList } else { Sort::IntList };
                    let what = FromTable::Column(field.name.clone());
                    self.hide(&table, column(&table, &field.name), sort, what);
                }
                // As the text says it, for messages.
                let name = Name::from(sum.to_string().as_str());
                let sample = sampled.is_some().then_some(over);
                let over = Over { table: &table, sample, fields: &fields };
                before.extend(over.summed(&name, condition, value));
                Ok(Expr::var(name))
            }
        }
    }

    /// A sum that is computed before the text begins.
    fn computed(
        &mut self,
        sum: &Expr,
        table: &Name,
        (condition, value): (&Expr, &Expr),
        index: Option<(Name, i64, i64)>,
    ) -> Expr {
        let whole = is_whole(value, self.fields.get(table).map_or(&[], Vec::as_slice));
        let what =
            FromTable::Sum { condition: condition.clone(), value: value.clone(), index: index.clone() };
        match index {
            None => {
                let name = Name::from(format!("the {sum}").as_str());
                self.hide(table, name.clone(), if whole { Sort::Int } else { Sort::Real }, what);
                Expr::var(name)
            }
            Some((index, from, to)) => {
                let name = Name::from(format!("the {sum} for {index} in {from}..{to}").as_str());
                let sort = if whole { Sort::IntList } else { Sort::RealList };
                self.hide(table, name.clone(), sort, what);
                let place = Expr::var(index) - Expr::int(from);
                Expr::Index(Variable::Plain(name), Arc::new(place))
            }
        }
    }

    fn hide(&mut self, table: &Name, name: Name, sort: Sort, what: FromTable) {
        if self.hidden.iter().all(|known| known.input.name != name) {
            self.hidden.push(Hidden { input: Input { name, sort }, table: table.clone(), what });
        }
    }
}

/// Whether a field of a row is part of a divisor, together with a variable of the text.
fn divides_by_field(e: &Expr, table: &Name) -> bool {
    let divisor = match e {
        Expr::Binary(Binary::Div | Binary::Mod | Binary::RoundTo, _, b) => Some(b),
        _ => None,
    };
    let mixed = divisor.is_some_and(|b| {
        is_about(b, table) && b.find_variable(&|v| matches!(v, Variable::Plain(_))).is_some()
    });
    mixed || e.parts().into_iter().flatten().any(|part| divides_by_field(part, table))
}

/// Whether an expression of a row is an integer by its form.
fn is_whole(e: &Expr, fields: &[Field]) -> bool {
    match e {
        Expr::Number(value) => value.is_int(),
        Expr::Var(Variable::Field(_, name)) => {
            fields.iter().any(|field| field.name == *name && field.sort != Sort::Real)
        }
        Expr::Var(_) => true,
        Expr::Unary(operation, a) => match operation {
            probity_kernel::expr::Unary::Floor => true,
            _ => is_whole(a, fields),
        },
        Expr::Binary(Binary::Div, ..) => false,
        Expr::If(_, yes, no) => is_whole(yes, fields) && is_whole(no, fields),
        Expr::Binary(..) | Expr::Clamp(..) => {
            e.parts().into_iter().flatten().all(|part| is_whole(part, fields))
        }
        _ => false,
    }
}
