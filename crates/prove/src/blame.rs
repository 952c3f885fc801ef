//! Which condition to blame when a proof fails, and values for which it is false.

use probity_kernel::context::{Context, swap_runs};
use probity_kernel::expr::{Binary, Expr, Unary, Variable};
use probity_kernel::fact::{Fact, fact};
use probity_kernel::law;
use probity_kernel::term::Statement;

use crate::algebra::visit;
use crate::derivation::{Reason, conjuncts};
use crate::effort::Effort;
use crate::evidence::search::search_within;
use crate::evidence::shapes::is_opaque_divisor;
use crate::explain::words::{in_few_words, in_words};
use crate::rehearse::scenarios;

/// Values of the inputs and parameters for which a condition is false, if a few tries find some.
fn counter(context: &Context, hypotheses: &[Expr], goal: &Expr) -> Option<String> {
    let known = |v: &Variable| match v {
        Variable::Of(name, _) => context.mechanism().inputs.iter().any(|input| input.name == *name),
        Variable::Plain(name) => context.mechanism().params.iter().any(|param| param.name == *name),
        Variable::Cost | Variable::Changed(_) => true,
        _ => false,
    };
    if goal.find_variable(&|v| !known(v)).is_some() {
        return None;
    }
    let found = scenarios(context, COUNTER_TRIES)
        .into_iter()
        .find(|at| at.holds(goal) == Some(false) && hypotheses.iter().all(|h| at.holds(h) == Some(true)))?;
    let mut shown: Vec<String> = Vec::new();
    goal.for_each_variable(&mut |v| {
        // Nothing is paid before the first step.
        if *v == Variable::Cost {
            return;
        }
        let value = found.show(v).map(|value| format!("{v} = {value}"));
        shown.extend(value.filter(|value| !shown.contains(value)));
    });
    (!shown.is_empty()).then(|| shown.join(", "))
}

/// How many neighbours are tried.
const COUNTER_TRIES: usize = 100;

/// What to blame.
pub(crate) struct Blame {
    pub(crate) reason: Reason,
    /// Values for which it is false, or how else it may be written.
    pub(crate) example: Option<String>,
    /// Whether it says what may be paid.
    pub(crate) about_cost: bool,
}

/// Finds the part of a goal that cannot be shown, and the path on which it is needed; and values for which it is false.
pub(crate) fn blame(
    context: &Context,
    mut hypotheses: Vec<Expr>,
    goal: &Expr,
    mut path: Vec<String>,
    effort: &mut Effort,
) -> Blame {
    match goal {
        Expr::Binary(Binary::And, a, b) => {
            // What is plainly true is not to blame.
            let plain = |e: &Expr| matches!(fact(context, e, false), Ok(Fact::Any(none)) if none.is_empty());
            if plain(a) || plain(b) {
                return blame(context, hypotheses, if plain(a) { b } else { a }, path, effort);
            }
            let known: Vec<&Expr> = hypotheses.iter().collect();
            match search_within(context, &known, a, effort) {
                Ok(_) => {
                    // What has been shown may be used for the rest.
                    hypotheses.push((**a).clone());
                    blame(context, hypotheses, b, path, effort)
                }
                Err(_) => blame(context, hypotheses, a, path, effort),
            }
        }
        // Neighbours of a called mechanism, of which the runs may have either first.
        Expr::Binary(Binary::Or, a, b) if is_false(a) => blame(context, hypotheses, b, path, effort),
        Expr::Binary(Binary::Or, a, b) if is_false(b) => blame(context, hypotheses, a, path, effort),
        Expr::Binary(Binary::Or, a, b) if **b == swap_runs(a) => {
            let goal = in_either_order(context, &hypotheses, a, effort);
            if reads_alike(&goal) {
                return blame(context, hypotheses, &goal, path, effort);
            }
            let goal = format!("{}, whichever run is the first", in_words(&goal, &hypotheses));
            Blame { reason: Reason::NotShown { goal, path }, example: None, about_cost: false }
        }
        // An implication, as the rules write it: assume the premise and go on.
        Expr::Binary(Binary::Or, a, b) => {
            let premise = match &**a {
                Expr::Unary(Unary::Not, premise) => (**premise).clone(),
                other => !other.clone(),
            };
            path.push(in_words(&premise, &hypotheses).to_string());
            hypotheses.push(premise);
            blame(context, hypotheses, b, path, effort)
        }
        _ => {
            let example = counter(context, &hypotheses, goal);
            let example = example.map(|values| format!("it is false for {values}"));
            let example = example.or_else(|| multiplied_out(context, &hypotheses, goal));
            let reason = blamed(context, goal, &in_few_words(context, goal, &hypotheses), path);
            Blame { reason, example, about_cost: goal.mentions(&Variable::Cost) }
        }
    }
}

/// What to do about a quotient by what is no positive parameter: of such a one little is known but that it times its divisor is what was
/// divided.
fn multiplied_out(context: &Context, hypotheses: &[Expr], goal: &Expr) -> Option<String> {
    let mut divisor = None;
    visit(goal, &mut |part| {
        if let Expr::Binary(Binary::Div, _, b) = part
            && divisor.is_none()
            && is_opaque_divisor(context, b)
        {
            divisor = Some(in_words(b, hypotheses).to_string());
        }
    });
    divisor.map(|b| format!("an invariant may be easier to show without the quotient: both sides times {b}, and that it is positive"))
}

/// Whether a condition is plainly false: one of its parts is.
fn is_false(e: &Expr) -> bool {
    match e {
        Expr::Binary(Binary::And, a, b) => is_false(a) || is_false(b),
        _ => *e == Expr::Bool(false),
    }
}

/// Whether an equation says the same with the runs exchanged.
fn reads_alike(e: &Expr) -> bool {
    matches!(e, Expr::Binary(Binary::Eq, a, b) if swap_runs(a) == **b && swap_runs(b) == **a)
}

/// Of conditions that are not shown together, neither as they stand nor with the runs exchanged: one that is not shown by itself, or
/// those that are not shown both ways.
fn in_either_order(context: &Context, hypotheses: &[Expr], all: &Expr, effort: &mut Effort) -> Expr {
    let known: Vec<&Expr> = hypotheses.iter().collect();
    let mut shown = |e: &Expr| search_within(context, &known, e, effort).is_ok();
    let mut parts = Vec::new();
    conjuncts(all, &mut parts);
    let mut left = Vec::new();
    for part in parts {
        let other = swap_runs(&part);
        if part == other && !shown(&part) || part != other && !shown(&part.clone().or(other.clone())) {
            return part;
        }
        if !shown(&part) || !shown(&other) {
            left.push(part);
        }
    }
    if left.is_empty() { all.clone() } else { Expr::all(left) }
}

/// The condition in the words of the text.
fn blamed(context: &Context, goal: &Expr, in_words: &Expr, path: Vec<String>) -> Reason {
    let text = in_words.to_string();
    match needed_by(&context.mechanism().body, goal) {
        Some((draw, needed)) => Reason::MayBeOutOfRange { draw, needed, goal: text, path },
        None => Reason::NotShown { goal: text, path },
    }
}

/// The draw for whose range a condition is needed: one of its conditions reads the same, but for what the program
/// has put in place of variables.
fn needed_by(body: &[Statement], goal: &Expr) -> Option<(String, String)> {
    body.iter().find_map(|statement| match statement {
        Statement::Draw { law, .. } => law::conditions(law).into_iter().find_map(|condition| {
            let draw = || statement.to_string().trim_end().to_owned();
            is_instance(&condition, goal).then(|| (draw(), condition.to_string()))
        }),
        Statement::If { then, otherwise, .. } => needed_by(then, goal).or_else(|| needed_by(otherwise, goal)),
        Statement::For { body, .. } | Statement::While { body, .. } => needed_by(body, goal),
        Statement::Assign { .. } | Statement::Append { .. } => None,
    })
}

/// Whether an expression is a pattern with its variables replaced by something.
fn is_instance(pattern: &Expr, e: &Expr) -> bool {
    let parts = || pattern.parts().into_iter().zip(e.parts());
    match (pattern, e) {
        (Expr::Var(_), _) => true,
        (Expr::Index(..) | Expr::Length(_), _) => {
            std::mem::discriminant(pattern) == std::mem::discriminant(e)
        }
        (Expr::Unary(a, _), Expr::Unary(b, _)) if a != b => false,
        (Expr::Binary(a, ..), Expr::Binary(b, ..)) if a != b => false,
        (Expr::Number(_) | Expr::Bool(_), _) => pattern == e,
        _ => {
            std::mem::discriminant(pattern) == std::mem::discriminant(e)
                && parts().all(|pair| match pair {
                    (Some(a), Some(b)) => is_instance(a, b),
                    (a, b) => a.is_none() && b.is_none(),
                })
        }
    }
}
