//! A derivation as a reader sees it: one line per step, with its rule.
//!
//! ```
//! use probity_kernel::expr::{Expr, Run};
//! use probity_kernel::term::{Adjacency, Claim, Distribution, Hints, Input, Mechanism, Param, Reading, Sort, Statement};
//! let laplace = Mechanism {
//!     name: "laplace".into(),
//!     inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
//!     params: vec![Param { name: "eps".into(), sort: Sort::Real }],
//!     assumptions: vec![Expr::var("eps").gt(Expr::int(0))],
//!     body: vec![Statement::Draw {
//!         var: "y".into(),
//!         law: Distribution::Laplace { center: Expr::var("x"), scale: Expr::int(1) / Expr::var("eps") },
//!     }],
//!     output: Expr::var("y"),
//!     adjacency: vec![Adjacency::Related(
//!         (Expr::of("x", Run::Second) - Expr::of("x", Run::First)).abs().le(Expr::int(1)),
//!     )],
//! };
//! let claim = Claim { epsilon: Expr::var("eps"), delta: Expr::int(0), reading: Reading::Reals };
//! let proof = probity_prove::prove(&laplace, &claim, &Hints::default()).unwrap();
//! let lines = probity_prove::view::derivation(&proof);
//! assert_eq!(lines[0].to_string(), "LAPGEN  y ~ laplace(x, 1 / eps)  -- shift by 0 at cost abs(x - x') * eps");
//! ```

use std::fmt;

use probity_kernel::context::Orientation;
use probity_kernel::equivalence::Rewrite;
use probity_kernel::expr::{Expr, Name};
use probity_kernel::privacy::Comparison;
use probity_kernel::term::{Coupling, Distribution, Statement};

use crate::derivation::Move;
use crate::proof::Proof;

/// A step of a derivation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// How many loops and branches it stands in.
    pub depth: usize,
    /// The rule.
    pub rule: &'static str,
    /// The statement, or what the rule is about.
    pub subject: String,
    /// The coupling or invariant, or nothing.
    pub note: String,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:indent$}{}  {}", "", self.rule, self.subject, indent = 2 * self.depth)?;
        if self.note.is_empty() { Ok(()) } else { write!(f, "  -- {}", self.note) }
    }
}

/// A draw and how its two runs are tied together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Draw {
    /// The variable; for a joint coupling, the two.
    pub variables: Vec<Name>,
    /// The axiom used.
    pub axiom: &'static str,
    /// The coupling.
    pub coupling: Coupling,
    /// What it costs, at most two cases.
    pub costs: Vec<Expr>,
}

/// The steps of a proof, from the first statement to the last, per orientation of the adjacency.
pub fn derivation(proof: &Proof) -> Vec<Line> {
    let plan = proof.plan();
    let mut lines = Vec::new();
    let mut mechanism = proof.theorem().mechanism().clone();
    for rewrite in &plan.rewrites {
        lines.push(Line { depth: 0, rule: rewrite.name(), subject: describe(rewrite), note: String::new() });
        if let Ok(next) = rewrite.apply(&mechanism) {
            mechanism = next;
        }
    }
    for (orientation, moves) in &plan.sides {
        if plan.sides.len() > 1 {
            let subject = match orientation {
                Orientation::Forward => "the clauses hold for (x, x')",
                Orientation::Backward => "the clauses hold for (x', x)",
            };
            lines.push(Line { depth: 0, rule: "SIDE", subject: subject.into(), note: String::new() });
        }
        block(&mechanism.body, moves, 0, &mut lines, &mut Vec::new());
    }
    if plan.comparison == Comparison::Pointwise {
        let subject = format!("{} == result implies the same of the second run", mechanism.output);
        lines.push(Line { depth: 0, rule: "PW-EQ", subject, note: "for every result".into() });
    }
    lines
}

/// The draws of a proof with their couplings and costs, in the order of the program.
pub fn draws(proof: &Proof) -> Vec<Draw> {
    let plan = proof.plan();
    let mut mechanism = proof.theorem().mechanism().clone();
    for rewrite in &plan.rewrites {
        if let Ok(next) = rewrite.apply(&mechanism) {
            mechanism = next;
        }
    }
    let mut draws = Vec::new();
    for (_, moves) in &plan.sides {
        block(&mechanism.body, moves, 0, &mut Vec::new(), &mut draws);
    }
    draws
}

fn describe(rewrite: &Rewrite) -> String {
    match rewrite {
        Rewrite::LaplaceLaw { uniform, sign, noise } => {
            format!("{noise} ~ laplace(0, 1) stands for {sign} * ln({uniform})")
        }
        Rewrite::ResponseLaw { keep, other, response } => {
            format!("{response} stands for the choice between the truth ({keep}) and {other}")
        }
        Rewrite::Inline { var } => format!("{var} is replaced by its value"),
        Rewrite::Conditional { var } => format!("{var} is set in both branches"),
    }
}

fn block(body: &[Statement], moves: &[Move], depth: usize, lines: &mut Vec<Line>, draws: &mut Vec<Draw>) {
    let mut rest = body;
    for step in moves {
        let mut line = |rule, subject: String, note: String| lines.push(Line { depth, rule, subject, note });
        if let Move::Assert(formula) = step {
            line("CONSEQ", formula.to_string(), String::new());
            continue;
        }
        let Some((statement, after)) = rest.split_first() else { return };
        rest = after;
        let head = first_line(statement);
        match (step, statement) {
            (Move::Plain, Statement::Append { .. }) => line("APPEND", head, String::new()),
            (Move::OneSided, _) => line("ONE-SIDED", head, String::new()),
            (Move::Draw(coupling), Statement::Draw { var, law }) => {
                let axiom = axiom(law, coupling);
                line(axiom, head, coupling.to_string());
                let costs = costs(coupling);
                draws.push(Draw { variables: vec![var.clone()], axiom, coupling: coupling.clone(), costs });
            }
            (Move::Joint(by, cost), _) => {
                let coupling = Coupling::SignedLog { by: by.clone(), cost: cost.clone() };
                let second = rest.split_first().map(|(second, after)| {
                    rest = after;
                    second
                });
                let both = [Some(statement), second].into_iter().flatten();
                let subject = both.clone().map(first_line).collect::<Vec<_>>().join("; ");
                line("SIGNED-LOG", subject, coupling.to_string());
                let variables = both
                    .filter_map(|statement| match statement {
                        Statement::Draw { var, .. } => Some(var.clone()),
                        _ => None,
                    })
                    .collect();
                draws.push(Draw { variables, axiom: "SIGNED-LOG", costs: costs(&coupling), coupling });
            }
            (Move::If(yes, no), Statement::If { then, otherwise, .. }) => {
                line("COND", head, "both runs take the same branch".into());
                block(then, yes, depth + 1, lines, draws);
                block(otherwise, no, depth + 1, lines, draws);
            }
            (Move::For(invariant, moves), Statement::For { body, .. }) => {
                line("FOR", head, format!("invariant {invariant}"));
                block(body, moves, depth + 1, lines, draws);
            }
            (Move::While(invariant, moves), Statement::While { body, .. }) => {
                line("WHILE", head, format!("invariant {invariant}"));
                block(body, moves, depth + 1, lines, draws);
            }
            _ => line("ASSIGN", head, String::new()),
        }
    }
}

fn first_line(statement: &Statement) -> String {
    statement.to_string().lines().next().unwrap_or_default().trim_end_matches(" {").to_string()
}

/// The name of the axiom that couples a law in this way.
fn axiom(law: &Distribution, coupling: &Coupling) -> &'static str {
    match (coupling, law) {
        (Coupling::Null, _) => "AXNULL",
        (Coupling::Shift { .. } | Coupling::Select { .. }, Distribution::DiscreteLaplace { .. }) => "DLAPGEN",
        (Coupling::Shift { .. } | Coupling::Select { .. }, Distribution::Exponential { .. }) => "EXPGEN",
        (Coupling::Shift { .. } | Coupling::Select { .. }, Distribution::Geometric { .. }) => "GEOGEN",
        (Coupling::Shift { .. } | Coupling::Select { .. }, _) => "LAPGEN",
        (Coupling::Scale { .. }, _) => "AXUNIF",
        (Coupling::SameValue { .. }, _) => "MAXDIV",
        (Coupling::SignedLog { .. }, _) => "SIGNED-LOG",
    }
}

fn costs(coupling: &Coupling) -> Vec<Expr> {
    match coupling {
        Coupling::Null => vec![Expr::int(0)],
        Coupling::Shift { cost, .. } | Coupling::Scale { cost } | Coupling::SignedLog { cost, .. } => {
            vec![cost.clone()]
        }
        Coupling::Select { above, below, .. } => vec![above.1.clone(), below.1.clone()],
        Coupling::SameValue { ratio } => vec![(ratio.0.clone() / ratio.1.clone()).ln()],
    }
}
