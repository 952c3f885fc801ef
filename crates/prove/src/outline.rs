//! A proof as an outline: each statement of the program with the rule that proves it, and what it costs.
//!
//! For readers only; nothing is decided from it.
//!
//! ```
//! # use probity_kernel::expr::{Expr, Run};
//! # use probity_kernel::term::{Adjacency, Claim, Distribution, Hints, Input, Mechanism, Param, Reading, Sort, Statement};
//! # let laplace = Mechanism {
//! #     name: "laplace".into(),
//! #     inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
//! #     params: vec![Param { name: "eps".into(), sort: Sort::Real }],
//! #     assumptions: vec![Expr::var("eps").gt(Expr::int(0))],
//! #     body: vec![Statement::Draw {
//! #         var: "y".into(),
//! #         law: Distribution::Laplace { center: Expr::var("x"), scale: Expr::int(1) / Expr::var("eps") },
//! #     }],
//! #     output: Expr::var("y"),
//! #     adjacency: vec![Adjacency::Related(
//! #         (Expr::of("x", Run::Second) - Expr::of("x", Run::First)).abs().le(Expr::int(1)),
//! #     )],
//! # };
//! # let claim = Claim { epsilon: Expr::var("eps"), delta: Expr::int(0), reading: Reading::Reals };
//! let proof = probity_prove::prove(&laplace, &claim, &Hints::default()).unwrap();
//! let lines = probity_prove::outline::outline(&proof);
//! assert!(lines[0].statement.starts_with("y ~ laplace"));
//! assert!(lines[0].rule.contains("at cost eps"));
//! ```

use probity_kernel::context::Orientation;
use probity_kernel::equivalence::Rewrite;
use probity_kernel::expr::Expr;
use probity_kernel::foresee::Place;
use probity_kernel::sample::sampled;
use probity_kernel::term::{Mechanism, Statement};

use crate::derivation::{Link, Move, Tail};
use crate::proof::Proof;

/// A statement and how it is proved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// How deep inside loops and conditionals.
    pub depth: usize,
    /// The statement, or the head of a block; a heading when it is empty of program text.
    pub statement: String,
    /// The rule, with its coupling or invariant.
    pub rule: String,
}

/// The outline of a proof: the program equivalences first, then each orientation of the adjacency.
pub fn outline(proof: &Proof) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut program = proof.theorem().mechanism().clone();
    if let (Some(share), Ok(parts)) = (&proof.plan().sampled, sampled(&program)) {
        let (rate, loss) = (parts.rate, &share.epsilon);
        let rule =
            format!("AMPLIFY: a row is in the sample with probability {rate}, and what follows loses {loss}");
        lines.push(Line { depth: 0, statement: "the sample".into(), rule });
        program = parts.inner;
    }
    if let Some(share) = &proof.plan().grouped {
        let rule = format!("GROUP-DELTA: with one row added or removed it is private with {share}");
        lines.push(Line { depth: 0, statement: "the rows".into(), rule });
    }
    for rewrite in &proof.plan().rewrites {
        lines.push(Line { depth: 0, statement: "the program".into(), rule: rewritten(rewrite) });
        // A proof's rewrites apply, as the theorem shows.
        program = rewrite.apply(&program).unwrap_or(program);
    }
    if let Some(foresight) = &proof.plan().foresight {
        for Place { index, amount, .. } in &foresight.places {
            let rule =
                format!("FORESEE: as a function of its noise, of which entry {index} moves by {amount}");
            lines.push(Line { depth: 0, statement: "the program".into(), rule });
        }
        program = foresight.as_function(&program).unwrap_or(program);
    }
    let several = proof.plan().sides.len() > 1;
    for (orientation, moves) in &proof.plan().sides {
        if several {
            let heading = match orientation {
                Orientation::Forward => "the first run has x, the second x'",
                Orientation::Backward => "the first run has x', the second x",
            };
            lines.push(Line { depth: 0, statement: heading.into(), rule: "orientation".into() });
        }
        block(&program.body, moves, 0, &mut lines);
        lines.push(released(&program));
    }
    lines
}

fn released(program: &Mechanism) -> Line {
    Line {
        depth: 0,
        statement: format!("return {}", program.output),
        rule: "equal outputs, cost within the claim".into(),
    }
}

fn rewritten(rewrite: &Rewrite) -> String {
    format!("{}: the same law", rewrite.name())
}

fn block(body: &[Statement], moves: &[Move], depth: usize, lines: &mut Vec<Line>) {
    let mut rest = body;
    for step in moves {
        if let Move::Assert(fact) = step {
            lines.push(Line { depth, statement: String::new(), rule: format!("CONSEQ: here {fact}") });
            continue;
        }
        if let Move::Chain(_, links) = step {
            for link in links {
                let (now, later) = rest.split_at(link.size().min(rest.len()));
                rest = later;
                match link {
                    Link::Alike(_) => alike(now, depth, lines),
                    Link::Judged(moves, _) => block(now, moves, depth, lines),
                    Link::Select(moves, var, amount, _) => {
                        block(now, moves, depth, lines);
                        let rule = format!("SELECT: {var} is the same in both runs, at cost {amount}");
                        lines.push(Line { depth, statement: String::new(), rule });
                    }
                }
            }
            continue;
        }
        if let Move::Split(guard, yes, no) = step {
            let (now, later) = rest.split_at(step.size().min(rest.len()));
            rest = later;
            for (case, moves) in [(guard.clone(), yes), (!guard.clone(), no)] {
                let rule = format!("SPLIT: where {case}");
                lines.push(Line { depth, statement: String::new(), rule });
                block(now, moves, depth + 1, lines);
            }
            continue;
        }
        let Some((statement, after)) = rest.split_first() else { return };
        rest = after;
        let mut push = |statement: String, rule: String| lines.push(Line { depth, statement, rule });
        match (step, statement) {
            (Move::Plain, Statement::Append { .. }) => push(head(statement), "APPEND".into()),
            (Move::Plain, _) => push(head(statement), "ASSIGN".into()),
            (Move::OneSided | Move::OneSidedParts, _) => {
                push(head(statement), "ONE-SIDED: each run on its own".into())
            }
            (Move::Draw(coupling), _) => push(head(statement), format!("couple: {coupling}")),
            (Move::UpTo(coupling, tail), _) => {
                push(head(statement), format!("couple: {coupling}; UP-TO-BAD: within {tail} of the center"));
            }
            (Move::Below(coupling, tail), _) => {
                let rule = format!("couple: {coupling}; UP-TO-BAD: at most {tail} above the center");
                push(head(statement), rule);
            }
            (Move::Under(coupling, tail), _) => {
                let rule = format!("couple: {coupling}; UP-TO-BAD: less than {tail} above the center");
                push(head(statement), rule);
            }
            (Move::Tail(part, coupling, at), _) => {
                let within = match part {
                    Tail::Exact => format!("less than {at} above the center"),
                    Tail::Exacts => format!("less than {at} from the center"),
                    Tail::Low => format!("at most {at} below the center"),
                    Tail::LowFrom | Tail::LowExact => format!("less than {at} below the center"),
                    Tail::Far => format!("below {at}"),
                    Tail::Start => format!("{at} or more"),
                    Tail::Uniform => format!("where it stays in its range, all but a share of {at}"),
                    Tail::Yes => format!("where it is false, all but a share of {at}"),
                    Tail::No => format!("where it is true, all but a share of {at}"),
                };
                push(head(statement), format!("couple: {coupling}; UP-TO-BAD: {within}"));
            }
            (Move::Call(cost, ..), _) => {
                push(head(statement), format!("couple: same value by CALL at cost {cost}"))
            }
            (Move::Joint(by, cost), _) => {
                push(
                    head(statement),
                    format!("couple with the sign: s·ln(u) shifted by {by} at cost {cost}"),
                );
                if let Some((sign, after)) = rest.split_first() {
                    rest = after;
                    lines.push(Line {
                        depth,
                        statement: head(sign),
                        rule: "coupled with the uniform".into(),
                    });
                }
            }
            (Move::SameValue(var, size, (a, b)), _) => {
                push(head(statement), format!("couple: {var} has the same value at cost ln({a} / ({b}))"));
                for statement in rest.iter().take(size.saturating_sub(1)) {
                    lines.push(Line {
                        depth,
                        statement: head(statement),
                        rule: "coupled with the above".into(),
                    });
                }
                rest = rest.get(size.saturating_sub(1)..).unwrap_or_default();
            }
            (Move::Cases(question, yes, no), _) => {
                let (now, after) = body_of(statement, rest, step.size());
                rest = after;
                for (moves, answer) in [(yes, "CASES, where"), (no, "CASES, where not")] {
                    lines.push(Line {
                        depth,
                        statement: String::new(),
                        rule: format!("{answer} {question}:"),
                    });
                    block(&now, moves, depth + 1, lines);
                }
            }
            (Move::Redraw(plan), _) => {
                let (now, after) = body_of(statement, rest, step.size());
                rest = after;
                let Some(again @ Statement::While { body, .. }) = now.last() else { return };
                let (there, back) = &plan.amounts;
                let rule = format!("REDRAW: what is accepted, at cost {there} and once more {back}");
                lines.push(Line { depth, statement: head(again), rule });
                block(body, &plan.round, depth + 1, lines);
            }
            (Move::If(yes, no), Statement::If { then, otherwise, .. }) => {
                push(head(statement), "COND: both runs take the same branch".into());
                block(then, yes, depth + 1, lines);
                if !otherwise.is_empty() {
                    lines.push(Line { depth, statement: "else".into(), rule: String::new() });
                    block(otherwise, no, depth + 1, lines);
                }
            }
            (Move::For(invariant, inner), Statement::For { body, .. }) => {
                push(head(statement), format!("FOR, invariant: {invariant}"));
                block(body, inner, depth + 1, lines);
            }
            (Move::ForOnce(invariant, rounds, inner), Statement::For { index, body, .. }) => {
                let at = |round: &Expr| format!("{index} == {round}");
                let rounds = rounds.iter().map(at).collect::<Vec<_>>().join(" or ");
                let rule = format!("FOR-ONCE, mass is given up where {rounds} only; invariant: {invariant}");
                push(head(statement), rule);
                block(body, inner, depth + 1, lines);
            }
            (Move::While(invariant, inner), Statement::While { body, .. }) => {
                push(head(statement), format!("WHILE, invariant: {invariant}"));
                block(body, inner, depth + 1, lines);
            }
            _ => push(head(statement), "?".into()),
        }
    }
}

/// A statement with those that follow it, so many in all; and the others.
fn body_of<'a>(first: &Statement, rest: &'a [Statement], size: usize) -> (Vec<Statement>, &'a [Statement]) {
    let (now, after) = rest.split_at(size.saturating_sub(1).min(rest.len()));
    (std::iter::once(first).chain(now).cloned().collect(), after)
}

/// Statements that both runs do alike.
fn alike(body: &[Statement], depth: usize, lines: &mut Vec<Line>) {
    for statement in body {
        let rule = "ALIKE: equal values stay equal".to_string();
        lines.push(Line { depth, statement: head(statement), rule });
    }
}

/// The first line of a statement, without the brace that opens its block.
fn head(statement: &Statement) -> String {
    let text = statement.to_string();
    text.lines().next().unwrap_or_default().trim_end_matches('{').trim().to_owned()
}
