//! Whether a claim is about anything: parameters that meet the assumptions, and two different neighbours.
//!
//! A claim about nothing is true, and says nothing. Untrusted like all of this crate: the theorem stands either way,
//! and this is what a reader should know besides.

use probity_kernel::context::{Context, Orientation};
use probity_kernel::expr::{Expr, Run, Variable};
use probity_kernel::rejection::Rejection;
use probity_kernel::sample::sampled;
use probity_kernel::term::{Adjacency, Input, Mechanism, Sort};

use crate::effort::Effort;
use crate::evidence::search::search_within;
use crate::rehearse::{Scenario, scenarios};

/// What a claim about a mechanism is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vacuity {
    /// There are two different neighbours.
    Inhabited,
    /// There are none, for the reason given.
    Vacuous(&'static str),
    /// None was found, and it was not shown that there are none.
    Unknown,
}

/// Scenarios among which two different neighbours are looked for.
const SCENARIOS: usize = 12;

/// What the two searches for a contradiction may spend.
const EFFORT: u64 = 2_000_000;

/// Looks for parameters and two different neighbours that a claim about the mechanism is about.
///
/// ```
/// use probity_kernel::expr::Expr;
/// use probity_kernel::term::{Input, Mechanism, Sort};
/// use probity_prove::vacuity::{Vacuity, vacuity};
/// let x = || Expr::var("x");
/// let between = |low: i64, high: i64| Mechanism {
///     name: "constant".into(),
///     inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
///     params: vec![],
///     assumptions: vec![Expr::int(low).le(x()).and(x().le(Expr::int(high)))],
///     body: vec![],
///     output: Expr::int(0),
///     adjacency: vec![],
/// };
/// assert_eq!(vacuity(&between(0, 1)).unwrap(), Vacuity::Inhabited);
/// assert!(matches!(vacuity(&between(1, 0)).unwrap(), Vacuity::Vacuous(_)));
/// ```
pub fn vacuity(mechanism: &Mechanism) -> Result<Vacuity, Rejection> {
    if mechanism.inputs.is_empty() {
        return Ok(Vacuity::Vacuous("it has no private input, so there is nothing to tell apart"));
    }
    if let Ok(parts) = sampled(mechanism) {
        // Tables that are neighbours have samples that are.
        return vacuity(&parts.inner);
    }
    let (by_one_row, counts) = by_one_row(mechanism);
    for orientation in [Orientation::Forward, Orientation::Backward] {
        let context = Context::new(&by_one_row, orientation)?;
        let differs = |scenario: &Scenario| {
            let some_row = |most: &Expr| scenario.value(most).is_some_and(|most| most >= 1.0);
            scenario.inputs_differ() && counts.iter().all(some_row)
        };
        if scenarios(&context, SCENARIOS).iter().any(differs) {
            return Ok(Vacuity::Inhabited);
        }
    }
    let context = Context::new(mechanism, Orientation::Forward)?;
    let mut effort = Effort::of(EFFORT);
    if search_within(&context, &[], &Expr::Bool(false), &mut effort).is_ok() {
        return Ok(Vacuity::Vacuous("no parameters and no inputs meet its assumptions and its adjacency"));
    }
    let same = Expr::all(mechanism.inputs.iter().map(|input| same(mechanism, input)));
    Ok(match search_within(&context, &[], &same, &mut effort) {
        Ok(_) => Vacuity::Vacuous("no two different inputs are neighbours"),
        Err(_) => Vacuity::Unknown,
    })
}

/// The mechanism with one row where the adjacency says at most k, and every k: for k ≥ 1 what differs by a row are
/// neighbours.
fn by_one_row(mechanism: &Mechanism) -> (Mechanism, Vec<Expr>) {
    let mut one = mechanism.clone();
    let mut counts = Vec::new();
    for clause in &mut one.adjacency {
        if let Adjacency::Rows { table, most } = clause {
            counts.push(most.clone());
            *clause = Adjacency::OneRow { table: table.clone() };
        }
    }
    (one, counts)
}

/// A condition under which an input is the same for all neighbours.
fn same(mechanism: &Mechanism, input: &Input) -> Expr {
    match input.sort {
        Sort::RealList | Sort::IntList => {
            let empty = Expr::Length(Variable::Plain(input.name.clone())).le(Expr::int(0));
            let bounds = mechanism.adjacency.iter().filter_map(|clause| match clause {
                Adjacency::EveryEntry { list, bound }
                | Adjacency::EveryEntryGrows { list, bound }
                | Adjacency::OneEntry { list, bound }
                | Adjacency::Norm { list, bound, .. }
                    if *list == input.name =>
                {
                    Some(bound.clone())
                }
                Adjacency::OneEntryOf { lists, bound } if lists.contains(&input.name) => Some(bound.clone()),
                _ => None,
            });
            bounds.fold(empty, |either, bound| either.or(bound.le(Expr::int(0))))
        }
        _ => Expr::of(input.name.clone(), Run::First).equals(Expr::of(input.name.clone(), Run::Second)),
    }
}
