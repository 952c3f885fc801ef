//! Which condition to blame when a proof fails, and what to tell whoever wrote the text.

use std::sync::Arc;
use std::time::Instant;

use probity_kernel::context::Context;
use probity_kernel::expr::{Binary, Expr, Unary, Variable};
use probity_kernel::fact::{Fact, fact};
use probity_kernel::law;
use probity_kernel::privacy::Comparison;
use probity_kernel::term::{Claim, Mechanism, Statement};

use crate::derivation::{Failure, Move, Reason, replay_side};
use crate::effort::Effort;
use crate::evidence::search::search_within;
use crate::proof::Searching;
use crate::rehearse::scenarios;

/// What may be spent on saying why it failed.
const EXPLAIN_EFFORT: u64 = 12_500_000;

/// No plan was found.
pub(crate) fn no_plan(mechanism: &Mechanism) -> Failure {
    let reason = Reason::PlanDoesNotFit("no coupling or no invariant was found; a proof block may help");
    Failure { help: skeleton(mechanism, &[]), ..Failure::new("the program", reason) }
}

/// A plan that failed, and how many side conditions were met before.
pub(crate) struct Attempt {
    pub(crate) context: Arc<Context>,
    pub(crate) claim: Claim,
    pub(crate) comparison: Comparison,
    pub(crate) moves: Vec<Move>,
    pub(crate) reached: usize,
}

impl Attempt {
    /// Finding whom to blame takes further searches, so only the best attempt is asked.
    pub(crate) fn explain(self, deadline: Option<Instant>) -> Failure {
        let mechanism = self.context.mechanism();
        if self.moves.is_empty() {
            return no_plan(mechanism);
        }
        let mut effort = Effort::of(EXPLAIN_EFFORT).until(deadline);
        let mut searching =
            Searching { found: Vec::new(), explain: true, again: false, example: None, effort: &mut effort };
        let replayed = replay_side(&self.context, &self.claim, self.comparison, &self.moves, &mut searching);
        let example = searching.example.take();
        match replayed {
            // Without steps left it would be chance what is blamed.
            Err(_) if searching.effort.is_spent() => {
                self.with_skeleton(Failure::new("the program", Reason::OutOfSteps))
            }
            Err(mut failure) => {
                failure.help.extend(example.map(|values| format!("it is false for {values}")));
                self.with_skeleton(failure)
            }
            Ok(_) => no_plan(mechanism),
        }
    }

    /// The failure with the plan as a proof block to fill in.
    pub(crate) fn with_skeleton(&self, failure: Failure) -> Failure {
        let mut help = failure.help;
        help.extend(skeleton(self.context.mechanism(), &self.moves));
        Failure { help, ..failure }
    }
}

/// The couplings and invariants of a plan as a proof block, with a place to fill in where the plan has none.
fn skeleton(mechanism: &Mechanism, moves: &[Move]) -> Vec<String> {
    let mut lines = Vec::new();
    lines_of(&mechanism.body, moves, &mut lines);
    if lines.is_empty() {
        return lines;
    }
    let head = "to prove it by hand, put this at the end of the file and mend it:".to_string();
    let lines = lines.into_iter().map(|line| format!("    {line}"));
    [head, "  proof {".into()].into_iter().chain(lines).chain(["  }".into()]).collect()
}

fn lines_of(body: &[Statement], moves: &[Move], lines: &mut Vec<String>) {
    let mut push = |line: String| {
        if lines.len() < MOST_LINES && !lines.contains(&line) {
            lines.push(line);
        }
    };
    let mut rest = body;
    let mut moves = moves.iter();
    while let Some(statement) = rest.first() {
        let step = moves.next();
        rest = &rest[step.map_or(1, Move::size).clamp(1, rest.len())..];
        match (statement, step) {
            (Statement::Draw { var, .. }, Some(Move::Draw(coupling))) => {
                push(format!("couple {var}: {coupling}"))
            }
            (Statement::Draw { var, .. }, _) => push(format!("couple {var}: shift by 0 at cost 0")),
            (Statement::For { index: name, body, .. }, Some(Move::For(invariant, inner)))
            | (Statement::While { label: name, body, .. }, Some(Move::While(invariant, inner))) => {
                push(format!("invariant {name}: {invariant}"));
                lines_of(body, inner, lines);
                return lines_of(rest, &moves.cloned().collect::<Vec<_>>(), lines);
            }
            (Statement::For { index: name, body, .. } | Statement::While { label: name, body, .. }, _) => {
                push(format!("invariant {name}: cost <= 0"));
                lines_of(body, &[], lines);
                return lines_of(rest, &moves.cloned().collect::<Vec<_>>(), lines);
            }
            (Statement::If { then, otherwise, .. }, step) => {
                let (yes, no) = match step {
                    Some(Move::If(yes, no)) => (yes.as_slice(), no.as_slice()),
                    _ => (&[][..], &[][..]),
                };
                lines_of(then, yes, lines);
                lines_of(otherwise, no, lines);
                return lines_of(rest, &moves.cloned().collect::<Vec<_>>(), lines);
            }
            (Statement::Assign { .. } | Statement::Append { .. }, _) => {}
        }
    }
}

/// The most lines of a skeleton: who has more than this to fill in will see how it goes on.
const MOST_LINES: usize = 12;

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
        let value = found.show(v).map(|value| format!("{v} = {value}"));
        shown.extend(value.filter(|value| !shown.contains(value)));
    });
    (!shown.is_empty()).then(|| shown.join(", "))
}

/// How many neighbours are tried.
const COUNTER_TRIES: usize = 100;

/// Finds the part of a goal that cannot be shown, and the path on which it is needed; and values for which it is false.
pub(crate) fn blame(
    context: &Context,
    mut hypotheses: Vec<Expr>,
    goal: &Expr,
    mut path: Vec<String>,
    effort: &mut Effort,
) -> (Reason, Option<String>) {
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
        // An implication, as the rules write it: assume the premise and go on.
        Expr::Binary(Binary::Or, a, b) => {
            let premise = match &**a {
                Expr::Unary(Unary::Not, premise) => (**premise).clone(),
                other => !other.clone(),
            };
            path.push(premise.to_string());
            hypotheses.push(premise);
            blame(context, hypotheses, b, path, effort)
        }
        _ => {
            let example = counter(context, &hypotheses, goal);
            (blamed(context, goal, path), example)
        }
    }
}

/// The condition in the words of the text.
fn blamed(context: &Context, goal: &Expr, path: Vec<String>) -> Reason {
    match needed_by(&context.mechanism().body, goal) {
        Some((draw, needed)) => Reason::MayBeOutOfRange { draw, needed, goal: goal.to_string(), path },
        None => Reason::NotShown { goal: goal.to_string(), path },
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
