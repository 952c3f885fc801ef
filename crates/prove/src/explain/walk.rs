//! A derivation as lines to read: what each statement of the program does in the two runs.

use probity_kernel::context::Orientation;
use probity_kernel::equivalence::Rewrite;
use probity_kernel::privacy::Comparison;
use probity_kernel::rejection::Rejection;
use probity_kernel::term::{Mechanism, Statement};

use crate::derivation::{Move, Plan};

/// A statement, or a step without one, and how it is proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// How deep it stands in loops and branches.
    pub depth: usize,
    /// The first line of the statement; empty where a step belongs to none.
    pub statement: String,
    /// What is done: a coupling with its cost, an invariant, an equivalence. Empty where the rule is the obvious one.
    pub how: String,
}

/// The steps of a plan, beside the statements of the program that they prove.
///
/// ```
/// use probity_kernel::term::Hints;
/// let program = probity_lang::load_text(
///     "mechanism laplace(x: real)\nparam eps > 0\ny ~ laplace(x, 1 / eps)\nreturn y\n\
///      neighbours abs(x' - x) <= 1\nclaim eps",
/// )
/// .unwrap();
/// let proof = probity_prove::prove(&program.mechanism, &program.claim, &Hints::default()).unwrap();
/// let lines = probity_prove::explain::walk(&program.mechanism, proof.plan()).unwrap();
/// let draw = lines.iter().find(|line| line.statement == "y ~ laplace(x, 1 / eps)").unwrap();
/// assert!(draw.how.contains("at cost"), "{draw:?}");
/// ```
pub fn walk(mechanism: &Mechanism, plan: &Plan) -> Result<Vec<Line>, Rejection> {
    let mut lines = Vec::new();
    let mut rewritten = mechanism.clone();
    for rewrite in &plan.rewrites {
        rewritten = rewrite.apply(&rewritten)?;
        lines.push(Line { depth: 0, statement: String::new(), how: equivalence(rewrite) });
    }
    for (orientation, moves) in &plan.sides {
        if plan.sides.len() > 1 {
            let how = match orientation {
                Orientation::Forward => "for the neighbours as they are stated:",
                Orientation::Backward => "for the neighbours the other way round:",
            };
            lines.push(Line { depth: 0, statement: String::new(), how: how.into() });
        }
        block(&rewritten.body, moves, 0, &mut lines);
        let how = match plan.comparison {
            Comparison::Equal => "both runs release the same",
            Comparison::Pointwise => "PW-EQ: for every r, if the first run releases r, so does the second",
        };
        lines.push(Line { depth: 0, statement: format!("return {}", rewritten.output), how: how.into() });
    }
    Ok(lines)
}

fn equivalence(rewrite: &Rewrite) -> String {
    let law = rewrite.name();
    match rewrite {
        Rewrite::LaplaceLaw { uniform, sign, noise } => {
            format!("{law}: {sign} * ln({uniform}) is {noise} ~ laplace(0, 1)")
        }
        Rewrite::ResponseLaw { keep, other, response } => {
            format!("{law}: the choice by {keep} between the truth and {other} is {response}, one response")
        }
        Rewrite::Inline { var } => format!("{law}: {var} is replaced by its value"),
        Rewrite::Conditional { var } => format!("{law}: the branches set {var} only, one conditional value"),
    }
}

fn block(body: &[Statement], moves: &[Move], depth: usize, lines: &mut Vec<Line>) {
    let mut rest = body.iter();
    for step in moves {
        if let Move::Assert(formula) = step {
            lines.push(Line { depth, statement: String::new(), how: format!("here: {formula}") });
            continue;
        }
        let Some(statement) = rest.next() else { return };
        let text = statement.to_string();
        let head = text.lines().next().unwrap_or_default().to_owned();
        let how = match step {
            Move::Plain | Move::Assert(_) => String::new(),
            Move::OneSided => "each run on its own".into(),
            Move::Draw(coupling) => coupling.to_string(),
            Move::Joint(by, cost) => format!("with the next draw, signed log shifted by {by} at cost {cost}"),
            Move::If(..) => "both runs take the same branch".into(),
            Move::For(invariant, _) | Move::While(invariant, _) => format!("invariant: {invariant}"),
        };
        lines.push(Line { depth, statement: head, how });
        match (step, statement) {
            (Move::Joint(..), _) => {
                if let Some(second) = rest.next() {
                    let statement = second.to_string().trim_end().to_owned();
                    lines.push(Line { depth, statement, how: String::new() });
                }
            }
            (Move::If(yes, no), Statement::If { then, otherwise, .. }) => {
                block(then, yes, depth + 1, lines);
                if !otherwise.is_empty() {
                    lines.push(Line { depth, statement: "} else {".into(), how: String::new() });
                    block(otherwise, no, depth + 1, lines);
                }
                lines.push(Line { depth, statement: "}".into(), how: String::new() });
            }
            (Move::For(_, inner), Statement::For { body, .. })
            | (Move::While(_, inner), Statement::While { body, .. }) => {
                block(body, inner, depth + 1, lines);
                lines.push(Line { depth, statement: "}".into(), how: String::new() });
            }
            // A statement proved whole: its other lines as they are.
            _ => lines.extend(text.lines().skip(1).map(|line| Line {
                depth,
                statement: line.trim_end().to_owned(),
                how: String::new(),
            })),
        }
    }
}
