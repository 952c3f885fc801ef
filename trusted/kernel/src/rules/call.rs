//! CALL: the theorem of one mechanism as a sampling axiom of another; `expand.rs` has what a call stands for.
//!
//! `docs/logic.md` section 9b proves the rule.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::concentrated::Measure;
use crate::context::{Context, Orientation};
use crate::expr::{Expr, Name, Run, Variable};
use crate::kind::malformed;
use crate::privacy::Theorem;
use crate::rejection::Rejection;
use crate::rules::{Assertion, Judgement, check_size, wrong};
use crate::sampling::{after, fresh};
use crate::tables;
use crate::term::{Adjacency, Called, Distribution, Field, Reading, Sort, Statement};

/// What an expression of the called mechanism is for these arguments; lists are renamed.
pub(crate) fn with_arguments(called: &Called, e: &Expr) -> Expr {
    let inputs = called.mechanism.inputs.iter().map(|input| &input.name).zip(&called.inputs);
    let params = called.mechanism.params.iter().map(|param| &param.name).zip(&called.params);
    let values: Vec<(&Name, &Expr)> = inputs.chain(params).collect();
    e.replace(&|v| match v {
        Variable::Plain(name) => values.iter().find(|(known, _)| *known == name).map(|(_, e)| (*e).clone()),
        _ => None,
    })
}

/// The rule.
/// ```text
/// f is (ε, δ)-differentially private    a and a' are neighbours of f, in one order or the other, and meet its assumptions
/// the parameters of f are equal in both runs
/// ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
/// ⊢ y ~ f(a) : y' = y at cost ε, up to δ
/// ```
/// Where the arguments are equal ([`Price::Free`]) nothing is paid or given up: the two laws are one. With
/// [`Price::IfDifferent`] the arguments are equal or neighbours, and the cost is 0 where they are equal.
///
/// In the concentrated measure a theorem in ρ costs ρ, one in μ costs μ²/2, and one of ε with δ = 0 costs ε²/2; there f
/// must end with probability 1, which a body without `while` does.
pub fn call(
    context: &Arc<Context>,
    statement: &Statement,
    theorem: &Theorem,
    paid: Price,
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    let Statement::Draw { var, law: Distribution::Called(called) } = statement else {
        return Err(wrong("CALL", statement));
    };
    let free = paid == Price::Free;
    let (axiom, cost) = price(context, called)?;
    if *theorem.mechanism() != called.mechanism || *theorem.claim() != called.claim {
        return Err(Rejection::ContextDiffers);
    }
    let first = |e: &Expr| context.in_run(&with_arguments(called, e), Run::First);
    let second = |e: &Expr| context.in_run(&with_arguments(called, e), Run::Second);
    let given_up = with_arguments(called, &called.claim.delta);
    context.check_public(&given_up)?;
    let mut side = Vec::new();
    for param in &called.params {
        side.push(context.in_run(param, Run::First).equals(context.in_run(param, Run::Second)));
    }
    for assumption in &called.mechanism.assumptions {
        match tables::of_rows(assumption) {
            Some(table) => check_rows(context, called, assumption, &table)?,
            None => side.extend([first(assumption), second(assumption)]),
        }
    }
    for (input, argument) in called.mechanism.inputs.iter().zip(&called.inputs) {
        if let Sort::Rows(fields) = &input.sort {
            check_fields(context, called, fields, argument)?;
        }
    }
    for (input, argument) in called.mechanism.inputs.iter().zip(&called.inputs) {
        if let Sort::Category { count } = &input.sort {
            for (value, run) in [(first(count), Run::First), (second(count), Run::Second)] {
                let x = context.in_run(argument, run);
                side.push(Expr::int(0).le(x.clone()).and(x.lt(value)));
            }
        }
    }
    if free && called.mechanism.inputs.iter().any(|input| matches!(input.sort, Sort::Rows(_))) {
        return not_shown("a call that costs nothing, because its arguments are equal, takes no table");
    }
    let of_numbers = |sort: &Sort| !matches!(sort, Sort::Rows(_) | Sort::RealList | Sort::IntList);
    if paid == Price::IfDifferent && !called.mechanism.inputs.iter().all(|input| of_numbers(&input.sort)) {
        return not_shown("a call that pays where its arguments differ takes numbers and truth values only");
    }
    let alike = |e: &Expr| context.in_run(e, Run::First).equals(context.in_run(e, Run::Second));
    let same = Expr::all(called.inputs.iter().map(alike));
    match paid {
        Price::Free => side.extend(called.inputs.iter().map(alike)),
        Price::Paid => side.push(neighbours(context, called)?),
        Price::IfDifferent => side.push(same.clone().or(neighbours(context, called)?)),
    }
    let value = fresh(var, post, &BTreeSet::new());
    let drawn = Expr::Var(value.clone());
    let cost = match paid {
        Price::Free => Expr::int(0),
        Price::Paid => first(&cost),
        Price::IfDifferent => same.choose(Expr::int(0), first(&cost)),
    };
    let formula = Expr::all(side).and(after(&post.formula, &[(var, drawn.clone(), drawn)], &cost));
    check_size(&formula)?;
    let mut arbitrary = post.arbitrary.clone();
    arbitrary.insert(value);
    // What is given up is never negative, also where the call is never reached.
    let delta = match free || called.claim.delta == Expr::int(0) {
        true => Expr::int(0),
        false => Expr::int(0).max(given_up),
    };
    Ok(Judgement {
        context: context.clone(),
        program: vec![statement.clone()],
        pre: Assertion { arbitrary, formula },
        post: post.clone(),
        delta,
        axioms: theorem.axioms().iter().copied().chain([axiom]).collect(),
        work: 0,
    })
}

/// What a call pays: what its theorem says, nothing, since its arguments are equal, or the one where they differ and the other
/// where they do not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Price {
    /// What the theorem says.
    Paid,
    /// Nothing: the arguments are equal.
    Free,
    /// What the theorem says where the arguments differ.
    IfDifferent,
}

/// That the arguments of the two runs are neighbours, in one order or the other.
fn neighbours(context: &Arc<Context>, called: &Called) -> Result<Expr, Rejection> {
    let (forward, backward) = (related(context, called, false)?, related(context, called, true)?);
    Ok(if forward == backward { forward } else { forward.or(backward) })
}

/// What the theorem costs in the measure of the proof, in the parameters of the called mechanism.
fn price(context: &Context, called: &Called) -> Result<(&'static str, Expr), Rejection> {
    let amount = || called.claim.epsilon.clone();
    let half_square = || amount() * amount() / Expr::int(2);
    let pure = called.claim.delta == Expr::int(0);
    match (context.measure(), called.claim.reading) {
        (Measure::Pure, Reading::Reals) => Ok(("CALL", amount())),
        (Measure::Concentrated, _) if !ends(&called.mechanism.body) => {
            Err(Rejection::ClaimNotCovered { reason: "a call that may not end has no cost in rho" })
        }
        (Measure::Concentrated, Reading::Rho) => Ok(("CALL-RHO", amount())),
        (Measure::Concentrated, Reading::Mu) => Ok(("CALL-MU", half_square())),
        (Measure::Concentrated, Reading::Reals) if pure => Ok(("CALL-PURE", half_square())),
        _ => Err(Rejection::WrongMeasure { rule: "this call" }),
    }
}

/// Whether a body has no loop that may not end.
fn ends(body: &[Statement]) -> bool {
    body.iter().all(|statement| match statement {
        Statement::While { .. } => false,
        Statement::Draw { law: Distribution::Called(called), .. } => ends(&called.mechanism.body),
        Statement::If { then, otherwise, .. } => ends(then) && ends(otherwise),
        Statement::For { body, .. } => ends(body),
        _ => true,
    })
}

/// That the arguments of the two runs are neighbours of the called mechanism, the first run's before the second's, or
/// after it.
fn related(context: &Context, called: &Called, swapped: bool) -> Result<Expr, Rejection> {
    let (one, other) = if swapped { (Run::Second, Run::First) } else { (Run::First, Run::Second) };
    let mut parts = Vec::new();
    for clause in &called.mechanism.adjacency {
        parts.push(match clause {
            Adjacency::Related(assertion) => {
                let inputs = || called.mechanism.inputs.iter().map(|input| &input.name).zip(&called.inputs);
                let argument = |name: &Name, run: Run| {
                    let found = inputs().find(|(known, _)| *known == name);
                    found.map(|(_, e)| context.in_run(e, if run == Run::First { one } else { other }))
                };
                let params = || called.mechanism.params.iter().map(|p| &p.name).zip(&called.params);
                let value = |name: &Name| {
                    let found = params().find(|(known, _)| *known == name);
                    found.map(|(_, e)| context.in_run(e, Run::First))
                };
                // All at once: what is put in may have names of its own.
                assertion.replace(&|v| match v {
                    Variable::Of(name, run) => argument(name, *run),
                    Variable::Plain(name) => value(name),
                    _ => None,
                })
            }
            Adjacency::EveryEntry { list, bound } => {
                let (list, bound) = (list_of(called, list)?, public(context, called, bound)?);
                Expr::apart(list, -bound.clone(), bound)
            }
            Adjacency::EveryEntryGrows { list, bound } => {
                let (list, bound) = (list_of(called, list)?, public(context, called, bound)?);
                match swapped {
                    false => Expr::apart(list, Expr::int(0), bound),
                    true => Expr::apart(list, -bound, Expr::int(0)),
                }
            }
            Adjacency::OneEntry { list, bound } => {
                let (list, bound) = (list_of(called, list)?, public(context, called, bound)?);
                let same = context.mechanism().adjacency.iter().find_map(|clause| match clause {
                    Adjacency::OneEntry { list: l, bound } if *l == list => Some(bound),
                    Adjacency::OneEntryOf { lists, bound } if lists.contains(&list) => Some(bound),
                    _ => None,
                });
                let Some(ours) = same else {
                    return not_shown(
                        "neighbours of the called mechanism differ in one entry of the list, which these neighbours do not say",
                    );
                };
                ours.clone().le(bound)
            }
            Adjacency::OneRow { table } => {
                let ours = Adjacency::OneRow { table: list_of(called, table)? };
                if !context.mechanism().adjacency.contains(&ours) {
                    return not_shown(
                        "neighbours of the called mechanism have one row of the table added or removed, which these neighbours do not say",
                    );
                }
                // The clause says in which run the row is.
                Expr::Bool(swapped == (context.orientation() == Orientation::Backward))
            }
            Adjacency::RowReplaced { table } => {
                let ours = Adjacency::RowReplaced { table: list_of(called, table)? };
                if !context.mechanism().adjacency.contains(&ours) {
                    return not_shown(
                        "neighbours of the called mechanism have one row of the table replaced, which these neighbours do not say",
                    );
                }
                Expr::Bool(true)
            }
            _ => {
                return not_shown(
                    "the neighbours of the called mechanism are of a kind that is not shown at this call",
                );
            }
        });
    }
    // Neighbours have lists of one length.
    for (input, argument) in called.mechanism.inputs.iter().zip(&called.inputs) {
        if matches!(input.sort, Sort::RealList | Sort::IntList)
            && let Expr::Var(list) = argument
        {
            let length = |run| context.in_run(&Expr::Length(list.clone()), run);
            parts.push(length(Run::First).equals(length(Run::Second)));
        }
    }
    Ok(Expr::all(parts))
}

fn not_shown<T>(reason: &'static str) -> Result<T, Rejection> {
    Err(Rejection::ClaimNotCovered { reason })
}

/// What the called mechanism assumes of every row the caller assumes too, in the same words.
fn check_rows(context: &Context, called: &Called, assumption: &Expr, table: &Name) -> Result<(), Rejection> {
    let ours = list_of(called, table)?;
    let said = with_arguments(called, assumption).replace(&|v| match v {
        Variable::Field(of, field) if of == table => {
            Some(Expr::Var(Variable::Field(ours.clone(), field.clone())))
        }
        _ => None,
    });
    match context.mechanism().assumptions.contains(&said) {
        true => Ok(()),
        false => not_shown(
            "the called mechanism assumes something of every row with a `where` line that does not stand here",
        ),
    }
}

/// The caller's table has every field of the called mechanism's, with values of its sort; it may have others, which are not seen.
fn check_fields(
    context: &Context,
    called: &Called,
    fields: &[Field],
    argument: &Expr,
) -> Result<(), Rejection> {
    let Expr::Var(Variable::Plain(table)) = argument else {
        return not_shown("the called mechanism reads a table, and the argument is none");
    };
    for field in fields {
        let ours = tables::field(context.mechanism(), table, &field.name).map(|field| &field.sort);
        let fits = match (&field.sort, ours) {
            (Sort::Real, Some(Sort::Real | Sort::Int | Sort::Category { .. }))
            | (Sort::Int, Some(Sort::Int | Sort::Category { .. }))
            | (Sort::Bool, Some(Sort::Bool)) => true,
            (Sort::Category { count }, Some(Sort::Category { count: ours })) => {
                with_arguments(called, count) == *ours
            }
            _ => false,
        };
        if !fits {
            return not_shown(match (&field.sort, ours) {
                (Sort::Category { .. }, Some(Sort::Category { .. })) => {
                    "a field of the table has another number of categories in the called mechanism"
                }
                _ => "a field of the table is of another sort in the called mechanism",
            });
        }
    }
    Ok(())
}

/// The caller's name of a list or table that is passed on.
fn list_of(called: &Called, list: &Name) -> Result<Name, Rejection> {
    let inputs = called.mechanism.inputs.iter().zip(&called.inputs);
    match inputs.into_iter().find(|(input, _)| input.name == *list) {
        Some((_, Expr::Var(Variable::Plain(name)))) => Ok(name.clone()),
        _ => Err(Rejection::NotAList { found: list.to_string() }),
    }
}

/// A bound of the called mechanism for these arguments.
fn public(context: &Context, called: &Called, bound: &Expr) -> Result<Expr, Rejection> {
    let bound = with_arguments(called, bound);
    context.check_public(&bound).map(|()| bound)
}

/// The mechanisms that a body calls, each once.
pub(crate) fn called_by(body: &[Statement]) -> Vec<&Called> {
    let mut known = Vec::new();
    collect_called(body, &mut known);
    known
}

fn collect_called<'m>(body: &'m [Statement], known: &mut Vec<&'m Called>) {
    for statement in body {
        match statement {
            Statement::Draw { law: Distribution::Called(called), .. } => {
                let same =
                    |other: &&Called| other.mechanism == called.mechanism && other.claim == called.claim;
                if !known.iter().any(same) {
                    known.push(called);
                }
            }
            Statement::If { then, otherwise, .. } => {
                collect_called(then, known);
                collect_called(otherwise, known);
            }
            Statement::For { body, .. } | Statement::While { body, .. } => collect_called(body, known),
            _ => {}
        }
    }
}

/// A call is well formed: one argument for each input and parameter, lists and tables by name, and an output that is a
/// number or a truth value.
pub(crate) fn check(called: &Called) -> Result<(), Rejection> {
    let Called { mechanism, inputs, params, .. } = called;
    if mechanism.inputs.len() != inputs.len() || mechanism.params.len() != params.len() {
        return Err(malformed(format!("a call of {} has another number of arguments", mechanism.name)));
    }
    let of_entries =
        |e: &Expr| e.find_variable(&|v| !matches!(v, Variable::Plain(_) | Variable::Field(..))).is_some();
    if mechanism.assumptions.iter().any(of_entries) {
        return Err(malformed(format!("a call of {}, which has bounds of entries", mechanism.name)));
    }
    Ok(())
}
