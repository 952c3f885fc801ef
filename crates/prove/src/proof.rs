//! Proving: plans are made and replayed with a search for evidence until one goes through.
//!
//! ```
//! use probity_kernel::expr::{Expr, Run};
//! use probity_kernel::term::{Adjacency, Claim, Distribution, Hints, Input, Mechanism, Param, Reading, Sort, Statement};
//! let laplace = |scale: Expr| Mechanism {
//!     name: "laplace".into(),
//!     inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
//!     params: vec![Param { name: "eps".into(), sort: Sort::Real }],
//!     assumptions: vec![Expr::var("eps").gt(Expr::int(0))],
//!     body: vec![Statement::Draw { var: "y".into(), law: Distribution::Laplace { center: Expr::var("x"), scale } }],
//!     output: Expr::var("y"),
//!     adjacency: vec![Adjacency::Related(
//!         (Expr::of("x", Run::Second) - Expr::of("x", Run::First)).abs().le(Expr::int(1)),
//!     )],
//! };
//! let claim = Claim { epsilon: Expr::var("eps"), delta: Expr::int(0), reading: Reading::Reals };
//! let right = laplace(Expr::int(1) / Expr::var("eps"));
//! let proof = probity_prove::prove(&right, &claim, &Hints::default()).unwrap();
//! assert!(proof.theorem().axioms().contains("LAPGEN"));
//! let wrong = laplace(Expr::int(1) / (Expr::int(2) * Expr::var("eps")));
//! assert!(probity_prove::prove(&wrong, &claim, &Hints::default()).is_err());
//! ```

use std::sync::Arc;
use std::time::Instant;

use probity_kernel::concentrated::Measure;
use probity_kernel::context::{Context, Orientation};
use probity_kernel::entail::Evidence;
use probity_kernel::expr::{Binary, Expr, Unary, Variable};
use probity_kernel::kind::Kind;
use probity_kernel::law;
use probity_kernel::privacy::{Comparison, Theorem};
use probity_kernel::rejection::Rejection;
use probity_kernel::term::{Claim, Hints, Mechanism, Statement};

use crate::conversion;
use crate::derivation::{Failure, Justify, Move, Plan, Reason, Recorded, one_row, replay, replay_side};
use crate::effort::Effort;
use crate::evidence::search::{Stuck, search_within};
use crate::plan::planner::Planner;
use crate::plan::rewrites::rewrite;
use crate::plan::weaken::weaken;
use crate::tables::{Sum, unbounded};

/// A theorem and how it was proved.
#[derive(Clone, Debug)]
pub struct Proof {
    theorem: Theorem,
    plan: Plan,
    evidence: Vec<Evidence>,
}

impl Proof {
    /// What was proved.
    pub fn theorem(&self) -> &Theorem {
        &self.theorem
    }

    /// The couplings, invariants and equivalences.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The evidence for the side conditions, in the order in which a replay meets them.
    pub fn evidence(&self) -> &[Evidence] {
        &self.evidence
    }
}

/// The most plans of one orientation that are put to the search for evidence.
const MAX_PLANS: usize = 8;
/// What the search for one proof may do before it gives up: about three seconds on a machine of 2024.
const MAX_EFFORT: u64 = 50_000_000;
/// What may be spent on saying why it failed.
const EXPLAIN_EFFORT: u64 = MAX_EFFORT / 4;

/// Searches for a proof of the claim. If there is none in reach, answers with the failure of the plan that came
/// furthest.
pub fn prove(mechanism: &Mechanism, claim: &Claim, hints: &Hints) -> Result<Proof, Failure> {
    prove_until(mechanism, claim, hints, None)
}

/// The same, given up when the deadline passes. The deadline is looked at between steps of the search.
pub fn prove_until(
    mechanism: &Mechanism,
    claim: &Claim,
    hints: &Hints,
    deadline: Option<Instant>,
) -> Result<Proof, Failure> {
    let malformed =
        |rejection: Rejection| Failure { place: "the mechanism".into(), reason: Reason::Rejected(rejection) };
    let context = Context::new(mechanism, Orientation::Forward).map_err(malformed)?;
    let normal = conversion::has_normal_draw(&mechanism.body);
    if normal && let Some(proof) = prove_converted(&context, claim, hints, deadline) {
        return Ok(proof);
    }
    let failure = match prove_directly(mechanism, claim, hints, deadline) {
        Ok(proof) => return Ok(proof),
        Err(failure) => failure,
    };
    if !normal && let Some(proof) = prove_converted(&context, claim, hints, deadline) {
        return Ok(proof);
    }
    let says_why = match &failure.reason {
        Reason::OutOfTime | Reason::Unbounded { .. } => true,
        Reason::Rejected(why) => !matches!(why, Rejection::NotGaussian { .. }),
        _ => false,
    };
    match conversion::unsupported(&context, claim).filter(|_| !says_why) {
        Some(reason) => Err(Failure { place: "the claim".into(), reason }),
        None => Err(failure),
    }
}

/// A proof of a claim of ε and δ from one in μ or ρ, if there is one.
fn prove_converted(
    context: &Context,
    claim: &Claim,
    hints: &Hints,
    deadline: Option<Instant>,
) -> Option<Proof> {
    let mechanism = context.mechanism();
    conversion::candidates(context, claim).into_iter().find_map(|(other, conversion)| {
        let Proof { plan, evidence, .. } = prove_directly(mechanism, &other, hints, deadline).ok()?;
        let plan = Plan { through: Some((other, conversion)), ..plan };
        let theorem = replay(mechanism, claim, &plan, &mut Recorded::new(evidence.clone())).ok()?;
        Some(Proof { theorem, plan, evidence })
    })
}

/// A proof in the measure of the claim.
fn prove_directly(
    mechanism: &Mechanism,
    claim: &Claim,
    hints: &Hints,
    deadline: Option<Instant>,
) -> Result<Proof, Failure> {
    let malformed =
        |rejection: Rejection| Failure { place: "the mechanism".into(), reason: Reason::Rejected(rejection) };
    if let Some((one_row, share)) = one_row(mechanism, claim) {
        let Proof { plan, evidence, .. } = prove_directly(&one_row, &share, hints, deadline)?;
        let theorem = replay(mechanism, claim, &plan, &mut Recorded::new(evidence.clone()))?;
        return Ok(Proof { theorem, plan, evidence });
    }
    let (rewritten, rewrites) = rewrite(mechanism, hints);
    let measure = Measure::of(claim.reading);
    let forward = Context::measured(&rewritten, Orientation::Forward, measure).map_err(malformed)?;
    let countable =
        measure == Measure::Pure && matches!(forward.kind(&rewritten.output), Kind::Int | Kind::Bool);
    let comparisons = match (hints.pointwise, countable && hints.couplings.is_empty()) {
        (true, _) => vec![Comparison::Pointwise],
        (false, true) => vec![Comparison::Equal, Comparison::Pointwise],
        (false, false) => vec![Comparison::Equal],
    };
    let mut contexts = vec![Arc::new(forward)];
    if !contexts[0].adjacency_is_symmetric() {
        contexts.push(Arc::new(
            Context::measured(&rewritten, Orientation::Backward, measure).map_err(malformed)?,
        ));
    }
    let mut best: Option<Box<Attempt>> = None;
    let mut effort = Effort::of(MAX_EFFORT).until(deadline);
    for comparison in comparisons {
        let mut plan = Plan { rewrites: rewrites.clone(), comparison, sides: vec![], through: None };
        let mut evidence = Vec::new();
        for context in &contexts {
            match search_side(context, claim, hints, comparison, &mut effort) {
                Ok((moves, found)) => {
                    plan.sides.push((context.orientation(), moves));
                    evidence.extend(found);
                }
                Err(attempt) => {
                    if best.as_ref().is_none_or(|known| attempt.reached > known.reached) {
                        best = Some(attempt);
                    }
                    break;
                }
            }
        }
        if plan.sides.len() == contexts.len() {
            let mut recorded = Recorded::new(evidence.clone());
            let theorem = replay(mechanism, claim, &plan, &mut recorded)?;
            return Ok(Proof { theorem, plan, evidence });
        }
    }
    if effort.is_late() {
        return Err(Failure { place: "the program".into(), reason: Reason::OutOfTime });
    }
    if let Some((sum, field)) = unbounded(&contexts[0]) {
        let Sum { table, condition, value } = sum;
        let sum = Expr::sum(Variable::Plain(table), condition, value).to_string();
        let reason = Reason::Unbounded { sum, field: field.to_string() };
        return Err(Failure { place: "the sum over rows".into(), reason });
    }
    if effort.is_spent() {
        return Err(Failure { place: "the program".into(), reason: Reason::OutOfSteps });
    }
    Err(best.map_or_else(no_plan, |attempt| attempt.explain(deadline)))
}

fn no_plan() -> Failure {
    let reason = Reason::PlanDoesNotFit("no coupling or no invariant was found; a proof block may help");
    Failure { place: "the program".into(), reason }
}

/// A plan that failed, and how many side conditions were met before.
struct Attempt {
    context: Arc<Context>,
    claim: Claim,
    comparison: Comparison,
    moves: Vec<Move>,
    reached: usize,
}

impl Attempt {
    /// Finding whom to blame takes further searches, so only the best attempt is asked.
    fn explain(self, deadline: Option<Instant>) -> Failure {
        if self.moves.is_empty() {
            return no_plan();
        }
        let mut effort = Effort::of(EXPLAIN_EFFORT).until(deadline);
        let mut searching = Searching { found: Vec::new(), explain: true, effort: &mut effort };
        match replay_side(&self.context, &self.claim, self.comparison, &self.moves, &mut searching) {
            Err(failure) => failure,
            Ok(_) => no_plan(),
        }
    }
}

/// Moves for one orientation of the adjacency, with the evidence that they need.
fn search_side(
    context: &Arc<Context>,
    claim: &Claim,
    hints: &Hints,
    comparison: Comparison,
    effort: &mut Effort,
) -> Result<(Vec<Move>, Vec<Evidence>), Box<Attempt>> {
    let mut planner = Planner::new(context, claim, hints, comparison);
    let mut best: Option<Box<Attempt>> = None;
    let mut tried = 0;
    while tried < MAX_PLANS
        && let Some(moves) = planner.next(effort)
    {
        tried += 1;
        let mut searching = Searching { found: Vec::new(), explain: false, effort };
        if replay_side(context, claim, comparison, &moves, &mut searching).is_ok() {
            return Ok((moves, searching.found));
        }
        let reached = 1 + searching.found.len();
        let weaker = weaken(context, &context.mechanism().body, &moves, hints, &mut searching);
        if weaker != moves {
            searching.found.clear();
            if replay_side(context, claim, comparison, &weaker, &mut searching).is_ok() {
                return Ok((weaker, searching.found));
            }
        }
        if best.as_ref().is_none_or(|known| reached > known.reached) {
            best = Some(Box::new(Attempt {
                context: context.clone(),
                claim: claim.clone(),
                comparison,
                moves,
                reached,
            }));
        }
    }
    // Nothing passed the rehearsals: the most promising plan says best what is wrong.
    Err(best.unwrap_or_else(|| {
        Box::new(Attempt {
            context: context.clone(),
            claim: claim.clone(),
            comparison,
            moves: planner.first(effort).unwrap_or_default(),
            reached: 0,
        })
    }))
}

/// Answers side conditions by searching, and keeps what it found.
struct Searching<'e> {
    found: Vec<Evidence>,
    effort: &'e mut Effort,
    /// Whether a failure is to name the part of the condition that cannot be shown.
    explain: bool,
}

impl Justify for Searching<'_> {
    fn justify(&mut self, context: &Context, hypotheses: &[&Expr], goal: &Expr) -> Result<Evidence, Reason> {
        match search_within(context, hypotheses, goal, self.effort) {
            Ok(evidence) => {
                self.found.push(evidence.clone());
                Ok(evidence)
            }
            Err(Stuck::Rejected(rejection)) => Err(Reason::Rejected(rejection)),
            Err(Stuck::Open { .. } | Stuck::TooLong) if !self.explain => {
                Err(Reason::NotShown { goal: goal.to_string(), path: vec![] })
            }
            Err(Stuck::Open { .. } | Stuck::TooLong) => {
                let hypotheses = hypotheses.iter().map(|h| (*h).clone()).collect();
                Err(blame(context, hypotheses, goal, vec![], self.effort))
            }
        }
    }
}

/// Finds the part of a goal that cannot be shown, and the path on which it is needed.
fn blame(
    context: &Context,
    mut hypotheses: Vec<Expr>,
    goal: &Expr,
    mut path: Vec<String>,
    effort: &mut Effort,
) -> Reason {
    match goal {
        Expr::Binary(Binary::And, a, b) => {
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
        _ => match needed_by(&context.mechanism().body, goal) {
            Some((draw, needed)) => Reason::MayBeOutOfRange { draw, needed, goal: goal.to_string(), path },
            None => Reason::NotShown { goal: goal.to_string(), path },
        },
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
