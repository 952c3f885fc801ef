//! A plan that failed, and what to tell whoever wrote the text.

use std::sync::Arc;
use std::time::Instant;

use probity_kernel::context::Context;
use probity_kernel::expr::{Binary, Expr, Name};
use probity_kernel::privacy::Comparison;
use probity_kernel::term::{Claim, Coupling, Distribution, Mechanism, Statement};

use crate::derivation::{Failure, Move, Reason, Tail, conjuncts, replay_side};
use crate::effort::Effort;
use crate::explain::words::in_words;
use crate::plan::blocks::{set_by, set_by_draws};
use crate::searching::Searching;

/// What may be spent on saying why it failed.
const EXPLAIN_EFFORT: u64 = 12_500_000;

/// The first line of a proof block.
const PROOF: &str = "  proof {";

/// No plan was found.
pub(crate) fn no_plan(mechanism: &Mechanism) -> Failure {
    let draws = set_by_draws(&mechanism.body);
    let mut loops = Vec::new();
    loops_of(&mechanism.body, &mut loops);
    let reason = Reason::NoPlan { draws: names(draws), loops: names(loops) };
    Failure { help: skeleton(mechanism, &[]), ..Failure::new("the program", reason) }
}

/// The names, each once.
fn names(all: Vec<Name>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in all.iter().map(Name::to_string) {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// The indices and labels of the loops of a block.
fn loops_of(body: &[Statement], found: &mut Vec<Name>) {
    for statement in body {
        match statement {
            Statement::For { index: name, body, .. } | Statement::While { label: name, body, .. } => {
                found.push(name.clone());
                loops_of(body, found);
            }
            Statement::If { then, otherwise, .. } => {
                loops_of(then, found);
                loops_of(otherwise, found);
            }
            _ => {}
        }
    }
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
        let mut searching = Searching {
            found: Vec::new(),
            explain: true,
            again: None,
            asked: None,
            example: None,
            about_cost: false,
            effort: &mut effort,
        };
        let replayed = replay_side(&self.context, &self.claim, self.comparison, &self.moves, &mut searching);
        let (example, about_cost) = (searching.example.take(), searching.about_cost);
        match replayed {
            // Without steps left it would be chance what is blamed.
            Err(_) if searching.effort.is_spent() => {
                self.with_skeleton(Failure::new("the program", Reason::OutOfSteps))
            }
            Err(mut failure) => {
                failure.help.extend(example.map(|values| format!("it is false for {values}")));
                if about_cost {
                    let mut paid = Vec::new();
                    payments(&mechanism.body, &self.moves, &mut paid);
                    failure.help.extend(paid);
                }
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

/// The failure without lines of its proof block that speak of variables which the text does not have: a plan may be for a text that
/// was rewritten.
pub(crate) fn in_names_of(mechanism: &Mechanism, rewritten: &Mechanism, mut failure: Failure) -> Failure {
    let known = set_by(&mechanism.body);
    let made_up: Vec<Name> =
        set_by(&rewritten.body).into_iter().filter(|name| !known.contains(name)).collect();
    let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    let foreign = |line: &str| line.split(word).any(|word| made_up.iter().any(|name| name.as_str() == word));
    if let Reason::NoPlan { draws, .. } = &mut failure.reason {
        draws.retain(|draw| !foreign(draw));
    }
    let Some(start) = failure.help.iter().position(|line| line == PROOF) else { return failure };
    let block = failure.help.split_off(start);
    let kept: Vec<String> = block.into_iter().filter(|line| !foreign(line)).collect();
    // The line before says what the block is for.
    match kept.len() {
        0..=2 => drop(failure.help.pop()),
        _ => failure.help.extend(kept),
    }
    failure
}

/// What the draws of a plan cost, a line each.
fn payments(body: &[Statement], moves: &[Move], lines: &mut Vec<String>) {
    let mut rest = body;
    for step in moves {
        let (now, later) = rest.split_at(step.size().min(rest.len()));
        rest = later;
        match (step, now.first()) {
            (
                Move::Draw(coupling)
                | Move::UpTo(coupling, _)
                | Move::Below(coupling, _)
                | Move::Under(coupling, _)
                | Move::Tail(_, coupling, _),
                Some(statement),
            ) => {
                let cost = match coupling {
                    Coupling::Shift { cost, .. }
                    | Coupling::Equal { cost, .. }
                    | Coupling::Chosen { cost, .. }
                    | Coupling::Scale { cost } => in_words(cost, &[]),
                    _ => continue,
                };
                let line = format!("what '{}' costs here is {cost}", statement.to_string().trim_end());
                if cost != Expr::int(0) && lines.len() < MOST_PAYMENTS && !lines.contains(&line) {
                    lines.push(line);
                }
            }
            (Move::If(yes, no), Some(Statement::If { then, otherwise, .. })) => {
                payments(then, yes, lines);
                payments(otherwise, no, lines);
            }
            (Move::For(_, inner) | Move::ForOnce(_, _, inner), Some(Statement::For { body, .. }))
            | (Move::While(_, inner), Some(Statement::While { body, .. })) => payments(body, inner, lines),
            _ => {}
        }
    }
}

/// The most draws whose costs are named.
const MOST_PAYMENTS: usize = 4;

/// The couplings and invariants of a plan as a proof block, with a place to fill in where the plan has none.
fn skeleton(mechanism: &Mechanism, moves: &[Move]) -> Vec<String> {
    let mut lines = Vec::new();
    lines_of(&mechanism.body, moves, &mut lines);
    if lines.is_empty() {
        return lines;
    }
    let head = "to prove it by hand, put this at the end of the file and mend it:".to_string();
    let lines = lines.into_iter().map(|line| format!("    {line}"));
    [head, PROOF.into()].into_iter().chain(lines).chain(["  }".into()]).collect()
}

/// Whether a `proof` block can say how a draw of this law is coupled.
fn has_couplings(law: &Distribution) -> bool {
    !matches!(
        law,
        Distribution::Called(_)
            | Distribution::Choose { .. }
            | Distribution::PermuteAndFlip { .. }
            | Distribution::Sample { .. }
    )
}

fn lines_of(body: &[Statement], moves: &[Move], lines: &mut Vec<String>) {
    let mut push = |line: String| {
        // One coupling serves for all draws of a variable: a second one would be refused.
        let of = |line: &str| line.split_once(':').map(|(of, _)| of.to_string());
        let is_said = line.starts_with("couple ") && lines.iter().any(|known| of(known) == of(&line));
        if lines.len() < MOST_LINES && !is_said && !lines.contains(&line) {
            lines.push(line);
        }
    };
    let mut rest = body;
    let mut moves = moves.iter();
    while let Some(statement) = rest.first() {
        // What is asserted between two statements is not written in a file.
        let step = moves.by_ref().find(|step| !matches!(step, Move::Assert(_)));
        rest = &rest[step.map_or(1, Move::size).clamp(1, rest.len())..];
        match (statement, step) {
            // Nothing is written in a file about a choice, a call, a sample, or a draw whose cost is in ρ.
            (Statement::Draw { law, .. }, _) if !has_couplings(law) => {}
            (Statement::Draw { .. }, Some(Move::Draw(Coupling::Equal { .. } | Coupling::Chosen { .. }))) => {}
            (Statement::Draw { var, .. }, Some(Move::Draw(Coupling::Scale { cost }))) => {
                push(format!("couple {var}: scale at cost {cost}"))
            }
            (
                Statement::Draw { var, .. },
                Some(
                    Move::UpTo(coupling, tail)
                    | Move::Below(coupling, tail)
                    | Move::Under(coupling, tail)
                    | Move::Tail(Tail::Exact | Tail::Exacts | Tail::Far, coupling, tail),
                ),
            ) => push(format!("couple {var}: {coupling} up to tail {tail}")),
            (Statement::Draw { var, .. }, Some(Move::Draw(coupling) | Move::Tail(_, coupling, _))) => {
                push(format!("couple {var}: {coupling}"))
            }
            (Statement::Draw { var, .. }, _) => push(format!("couple {var}: shift by 0 at cost 0")),
            (
                Statement::For { index: name, body, .. },
                Some(Move::For(invariant, inner) | Move::ForOnce(invariant, _, inner)),
            )
            | (Statement::While { label: name, body, .. }, Some(Move::While(invariant, inner))) => {
                push(format!("invariant {name}: {}", in_few_parts(invariant)));
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

/// An invariant without parts that follow from others at once, and without more parts than anyone reads.
fn in_few_parts(invariant: &Expr) -> Expr {
    let mut parts = Vec::new();
    conjuncts(invariant, &mut parts);
    let follows = |part: &Expr| match part {
        Expr::Binary(Binary::Or, _, b) => parts.contains(b),
        _ => false,
    };
    let kept = parts.iter().enumerate().filter(|(at, part)| !follows(part) && !parts[..*at].contains(part));
    Expr::all(kept.map(|(_, part)| part.clone()).take(MOST_PARTS).collect::<Vec<_>>())
}

/// The most parts of an invariant that are shown.
const MOST_PARTS: usize = 12;

/// The most lines of a skeleton: who has more than this to fill in will see how it goes on.
const MOST_LINES: usize = 12;
