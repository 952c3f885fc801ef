//! Which inputs a mechanism admits, which of them are neighbours, and what a claim says in numbers.

use probity_exact::Rational;
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};
use probity_kernel::term::{Adjacency, Field, Input, Mechanism, Sort};

use crate::case::Case;
use crate::error::AuditError;
use crate::output::bounds::Bounds;
use crate::output::outcome::{Given, Inputs, Parameters};
use crate::pair::tables::{self, is_about_rows};
use crate::real::world::{Real, RealWorld};
use crate::run::numbers::stop_error;
use crate::run::program::{Program, Scratch, Value};
use crate::run::tables::at_row;

/// The value of a constant expression over parameters and inputs.
fn evaluate(expr: &Expr, parameters: &Parameters, inputs: &Inputs) -> Result<Value<Real>, AuditError> {
    let sort = |given: &Given| match given {
        Given::Number(_) => Sort::Real,
        Given::Bool(_) => Sort::Bool,
        Given::List(_) => Sort::RealList,
        Given::Rows(_) => Sort::Rows(vec![]),
    };
    let number = |name: &Name| probity_kernel::term::Param { name: name.clone(), sort: Sort::Real };
    let mechanism = Mechanism {
        name: "expression".into(),
        inputs: inputs.iter().map(|(name, given)| Input { name: name.clone(), sort: sort(given) }).collect(),
        params: parameters.keys().map(number).collect(),
        assumptions: vec![],
        body: vec![],
        output: expr.clone(),
        adjacency: vec![],
    };
    let mut world = RealWorld::new(None);
    let program = Program::new(Case::new(&mechanism, parameters, inputs), &mut world)?;
    program.run(&mut world, &mut Scratch::default()).map_err(stop_error)
}

pub(super) fn holds(expr: &Expr, parameters: &Parameters, inputs: &Inputs) -> Result<bool, AuditError> {
    evaluate(expr, parameters, inputs)?.truth().map_err(stop_error)
}

/// Bounds of an expression over the parameters, such as a claimed ε.
///
/// ```
/// use std::collections::BTreeMap;
/// use probity_audit::parameter_value;
/// use probity_exact::fraction;
/// use probity_kernel::expr::Expr;
/// let parameters = BTreeMap::from([("p".into(), fraction::<3, 4>())]);
/// let odds = Expr::var("p") / (Expr::int(1) - Expr::var("p"));
/// assert_eq!(parameter_value(&odds.ln(), &parameters).unwrap().to_f64(), 3f64.ln());
/// ```
pub fn parameter_value(expr: &Expr, parameters: &Parameters) -> Result<Bounds, AuditError> {
    let value = evaluate(expr, parameters, &Inputs::new())?;
    let number = value.number().map_err(stop_error)?;
    let (low, high) = number.bounds().ok_or(AuditError::Unsupported { what: "a random claim" })?;
    Ok(Bounds { low, high })
}

/// The value of a claim, which may use the names that the first statements of the body assign (a `let`).
pub(crate) fn claimed_value(
    mechanism: &Mechanism,
    expr: &Expr,
    parameters: &Parameters,
) -> Result<Bounds, AuditError> {
    parameter_value(&inlined(mechanism, expr), parameters)
}

/// The expression with the names that the leading assignments define replaced by what they are assigned.
fn inlined(mechanism: &Mechanism, expr: &Expr) -> Expr {
    use probity_kernel::term::Statement;
    let mut result = expr.clone();
    let is_assignment = |statement: &&Statement| matches!(statement, Statement::Assign { .. });
    let leading: Vec<&Statement> = mechanism.body.iter().take_while(is_assignment).collect();
    for statement in leading.into_iter().rev() {
        if let Statement::Assign { var, value } = statement {
            result = result.replace(&|v| match v {
                Variable::Plain(name) if name == var => Some(value.clone()),
                _ => None,
            });
        }
    }
    result
}

/// How far apart neighbours may be, when they are exactly the numbers with `abs(x' - x) <= distance`.
///
/// ```
/// use std::collections::BTreeMap;
/// use probity_audit::distance;
/// let program = probity_lang::load_text("mechanism m(x: real)
/// y ~ laplace(x, 1)
/// return y
/// neighbours abs(x' - x) <= 3
/// claim 3").unwrap();
/// assert_eq!(distance(&program.mechanism, &BTreeMap::new()).unwrap().unwrap().to_f64(), 3.0);
/// ```
pub fn distance(mechanism: &Mechanism, parameters: &Parameters) -> Result<Option<Bounds>, AuditError> {
    let ([input], [Adjacency::Related(Expr::Binary(Binary::Le, apart, bound))]) =
        (&mechanism.inputs[..], &mechanism.adjacency[..])
    else {
        return Ok(None);
    };
    let (first, second) =
        (Expr::of(input.name.as_str(), Run::First), Expr::of(input.name.as_str(), Run::Second));
    let is_difference = match &**apart {
        Expr::Unary(Unary::Abs, inner) => {
            **inner == second.clone() - first.clone() || **inner == first - second
        }
        _ => false,
    };
    if !is_difference {
        return Ok(None);
    }
    parameter_value(bound, parameters).map(Some)
}

/// Whether the parameters alone meet the mechanism's assumptions about them.
pub fn admits_parameters(mechanism: &Mechanism, parameters: &Parameters) -> Result<bool, AuditError> {
    for param in &mechanism.params {
        let given = parameters.get(&param.name);
        let given = given.ok_or_else(|| AuditError::Missing { name: param.name.to_string() })?;
        if param.sort == Sort::Int && !given.is_int() {
            return Ok(false);
        }
    }
    let is_input =
        |v: &Variable| mechanism.inputs.iter().any(|input| *v == Variable::Plain(input.name.clone()));
    for assumption in &mechanism.assumptions {
        let mut about_inputs = false;
        let of_rows = |v: &Variable| matches!(v, Variable::Field(..) | Variable::Entry(_));
        assumption.for_each_variable(&mut |v| about_inputs |= is_input(v) || of_rows(v));
        if !about_inputs && !holds(assumption, parameters, &Inputs::new())? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether the inputs have the mechanism's sorts and meet its assumptions.
pub fn admits(mechanism: &Mechanism, parameters: &Parameters, inputs: &Inputs) -> Result<bool, AuditError> {
    for input in &mechanism.inputs {
        let given = inputs.get(&input.name);
        let given = given.ok_or_else(|| AuditError::Missing { name: input.name.to_string() })?;
        let fits = match (&input.sort, given) {
            (Sort::RealList, Given::List(_)) => true,
            (Sort::IntList, Given::List(items)) => items.iter().all(Rational::is_int),
            (Sort::Rows(fields), Given::Rows(rows)) => {
                for row in rows {
                    if !admits_row(mechanism, parameters, (&input.name, fields), row)? {
                        return Ok(false);
                    }
                }
                true
            }
            (sort, given) => is_scalar_of(sort, given, parameters)?,
        };
        if !fits {
            return Ok(false);
        }
    }
    let of_rows = |a: &Expr| mechanism.inputs.iter().any(|input| is_about_rows(a, &input.name));
    for assumption in mechanism.assumptions.iter().filter(|a| !of_rows(a)) {
        if let Some(Variable::Entry(list)) = assumption.find_variable(&|v| matches!(v, Variable::Entry(_))) {
            let Some(Given::List(items)) = inputs.get(&list) else { return Ok(false) };
            for item in items {
                if !holds(&at_entry(assumption, item), parameters, &Inputs::new())? {
                    return Ok(false);
                }
            }
            continue;
        }
        if !holds(assumption, parameters, inputs)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What is assumed of every entry of a list, of this one.
fn at_entry(assumption: &Expr, item: &Rational) -> Expr {
    let entry = |v: &Variable| matches!(v, Variable::Entry(_)).then(|| Expr::Number(item.clone()));
    assumption.replace(&entry)
}

/// Whether a number meets what is assumed of the entries of every list.
pub(crate) fn admits_entry(mechanism: &Mechanism, parameters: &Parameters, item: &Rational) -> bool {
    let of_entries = |a: &&Expr| a.find_variable(&|v| matches!(v, Variable::Entry(_))).is_some();
    let mut assumptions = mechanism.assumptions.iter().filter(of_entries);
    assumptions.all(|a| matches!(holds(&at_entry(a, item), parameters, &Inputs::new()), Ok(true)))
}

fn is_scalar_of(sort: &Sort, given: &Given, parameters: &Parameters) -> Result<bool, AuditError> {
    Ok(match (sort, given) {
        (Sort::Real, Given::Number(_)) | (Sort::Bool, Given::Bool(_)) => true,
        (Sort::Int, Given::Number(x)) => x.is_int(),
        (Sort::Category { count }, Given::Number(x)) => {
            let count = parameter_value(count, parameters)?;
            x.is_int() && *x >= Rational::ZERO && *x < count.low
        }
        _ => false,
    })
}

/// Whether a row has a value of its sort in every field, and meets the assumptions on rows.
fn admits_row(
    mechanism: &Mechanism,
    parameters: &Parameters,
    (table, fields): (&Name, &[Field]),
    row: &[Given],
) -> Result<bool, AuditError> {
    if row.len() != fields.len() {
        return Ok(false);
    }
    for (field, value) in fields.iter().zip(row) {
        if !is_scalar_of(&field.sort, value, parameters)? {
            return Ok(false);
        }
    }
    for assumption in mechanism.assumptions.iter().filter(|a| is_about_rows(a, table)) {
        if !holds(&at_row(assumption, table, fields, row), parameters, &Inputs::new())? {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Case<'_> {
    /// Whether the inputs have the mechanism's sorts and meet its assumptions.
    pub fn is_admitted(self) -> Result<bool, AuditError> {
        admits(self.mechanism, self.parameters, self.inputs)
    }

    /// Whether other inputs are neighbours of these; see [`neighbours`].
    pub fn is_neighbour_of(self, other: &Inputs) -> Result<bool, AuditError> {
        neighbours(self.mechanism, self.parameters, self.inputs, other)
    }
}

/// Whether two inputs are neighbours: the clauses hold for the pair in one order or in the other.
///
/// ```
/// use std::collections::BTreeMap;
/// use probity_audit::{Given, neighbours};
/// use probity_exact::rational;
/// use probity_kernel::expr::{Expr, Run};
/// use probity_kernel::term::{Adjacency, Input, Mechanism, Sort};
/// let near = (Expr::of("x", Run::Second) - Expr::of("x", Run::First)).abs().le(Expr::int(1));
/// let mechanism = Mechanism {
///     name: "identity".into(),
///     inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
///     params: vec![],
///     assumptions: vec![],
///     body: vec![],
///     output: Expr::var("x"),
///     adjacency: vec![Adjacency::Related(near)],
/// };
/// let x = |n: i64| BTreeMap::from([("x".into(), Given::Number(rational(n, 2).unwrap()))]);
/// assert!(neighbours(&mechanism, &BTreeMap::new(), &x(0), &x(2)).unwrap());
/// assert!(!neighbours(&mechanism, &BTreeMap::new(), &x(0), &x(3)).unwrap());
/// ```
pub fn neighbours(
    mechanism: &Mechanism,
    parameters: &Parameters,
    first: &Inputs,
    second: &Inputs,
) -> Result<bool, AuditError> {
    Ok(related(mechanism, parameters, first, second)? || related(mechanism, parameters, second, first)?)
}

fn related(
    mechanism: &Mechanism,
    parameters: &Parameters,
    first: &Inputs,
    second: &Inputs,
) -> Result<bool, AuditError> {
    let same_lengths =
        mechanism.inputs.iter().all(|input| match (first.get(&input.name), second.get(&input.name)) {
            (Some(Given::List(a)), Some(Given::List(b))) => a.len() == b.len(),
            _ => true,
        });
    if !same_lengths {
        return Ok(false);
    }
    for clause in &mechanism.adjacency {
        let met = match clause {
            Adjacency::OneRow { .. } | Adjacency::RowReplaced { .. } | Adjacency::Rows { .. } => {
                tables::related(clause, parameters, first, second)?.unwrap_or(false)
            }
            Adjacency::Related(assertion) => {
                let primed = |name: &Name| Name::new(format!("{name}'"));
                let plain = assertion.replace(&|v| match v {
                    Variable::Of(name, Run::First) => Some(Expr::var(name.clone())),
                    Variable::Of(name, Run::Second) => Some(Expr::var(primed(name))),
                    _ => None,
                });
                let mut both = first.clone();
                both.extend(second.iter().map(|(name, given)| (primed(name), given.clone())));
                holds(&plain, parameters, &both)?
            }
            Adjacency::EveryEntry { list, bound } => {
                let bound = parameter_value(bound, parameters)?.low;
                differences(list, first, second)?.iter().all(|d| *d <= bound && -d <= bound)
            }
            Adjacency::EveryEntryGrows { list, bound } => {
                let bound = parameter_value(bound, parameters)?.low;
                differences(list, first, second)?.iter().all(|d| *d <= bound && *d >= Rational::ZERO)
            }
            Adjacency::OneEntry { list, bound } => {
                let bound = parameter_value(bound, parameters)?.low;
                let changes: Vec<Rational> =
                    differences(list, first, second)?.into_iter().filter(|d| !d.is_zero()).collect();
                changes.len() <= 1 && changes.iter().all(|d| *d <= bound && -d <= bound)
            }
            Adjacency::OneEntryOf { lists, bound } => {
                let bound = parameter_value(bound, parameters)?.low;
                let mut places = std::collections::BTreeSet::new();
                let mut near = true;
                for list in lists {
                    for (place, d) in differences(list, first, second)?.iter().enumerate() {
                        if !d.is_zero() {
                            places.insert(place);
                            near &= *d <= bound && -d <= bound;
                        }
                    }
                }
                near && places.len() <= 1
            }
            Adjacency::Norm { list, bound, squares } => {
                let bound = parameter_value(bound, parameters)?.low;
                let size = |d: &Rational| match (squares, *d < Rational::ZERO) {
                    (true, _) => d * d,
                    (false, true) => -d,
                    (false, false) => d.clone(),
                };
                let most = if *squares { &bound * &bound } else { bound.clone() };
                let all = differences(list, first, second)?;
                bound >= Rational::ZERO && all.iter().fold(Rational::ZERO, |sum, d| sum + size(d)) <= most
            }
        };
        if !met {
            return Ok(false);
        }
    }
    Ok(true)
}

/// How much each entry of the list grows from the first input to the second.
fn differences(list: &Name, first: &Inputs, second: &Inputs) -> Result<Vec<Rational>, AuditError> {
    match (first.get(list), second.get(list)) {
        (Some(Given::List(a)), Some(Given::List(b))) if a.len() == b.len() => {
            Ok(a.iter().zip(b).map(|(x, y)| y - x).collect())
        }
        _ => Err(AuditError::WrongKind { place: list.to_string(), expected: "lists of one length" }),
    }
}
