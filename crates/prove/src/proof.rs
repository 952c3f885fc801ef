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

use probity_kernel::context::Context;
use probity_kernel::entail::Evidence;
use probity_kernel::expr::{Binary, Expr, Unary};
use probity_kernel::privacy::Theorem;
use probity_kernel::rejection::Rejection;
use probity_kernel::term::{Claim, Hints, Mechanism};

use crate::derivation::{Failure, Justify, Plan, Reason, replay};
use crate::plan::search_plans;
use crate::search::{Stuck, search_evidence};

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

/// Searches for a proof of the claim. If there is none in reach, answers with the failure of the plan that came
/// furthest.
pub fn prove(mechanism: &Mechanism, claim: &Claim, hints: &Hints) -> Result<Proof, Failure> {
    let malformed =
        |rejection: Rejection| Failure { place: "the mechanism".into(), reason: Reason::Rejected(rejection) };
    let plans = search_plans(mechanism, claim, hints).map_err(malformed)?;
    let mut best: Option<(usize, &Plan)> = None;
    for plan in &plans {
        let mut searching = Searching { found: Vec::new(), explain: false };
        match replay(mechanism, claim, plan, &mut searching) {
            Ok(theorem) => return Ok(Proof { theorem, plan: plan.clone(), evidence: searching.found }),
            Err(_) => {
                let reached = searching.found.len();
                if best.is_none_or(|(most, _)| reached > most) {
                    best = Some((reached, plan));
                }
            }
        }
    }
    // Finding whom to blame takes further searches, so only the best plan is asked.
    let mut searching = Searching { found: Vec::new(), explain: true };
    match best.map(|(_, plan)| (plan, replay(mechanism, claim, plan, &mut searching))) {
        Some((_, Err(failure))) => Err(failure),
        Some((plan, Ok(theorem))) => Ok(Proof { theorem, plan: plan.clone(), evidence: searching.found }),
        None => Err(Failure {
            place: "the program".into(),
            reason: Reason::PlanDoesNotFit("no template fits; a proof block may help"),
        }),
    }
}

/// Answers side conditions by searching, and keeps what it found.
struct Searching {
    found: Vec<Evidence>,
    /// Whether a failure is to name the part of the condition that cannot be shown.
    explain: bool,
}

impl Justify for Searching {
    fn justify(&mut self, context: &Context, hypotheses: &[&Expr], goal: &Expr) -> Result<Evidence, Reason> {
        match search_evidence(context, hypotheses, goal) {
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
                Err(blame(context, hypotheses, goal, vec![]))
            }
        }
    }
}

/// Finds the part of a goal that cannot be shown, and the path on which it is needed.
fn blame(context: &Context, mut hypotheses: Vec<Expr>, goal: &Expr, mut path: Vec<String>) -> Reason {
    match goal {
        Expr::Binary(Binary::And, a, b) => {
            let known: Vec<&Expr> = hypotheses.iter().collect();
            match search_evidence(context, &known, a) {
                Ok(_) => {
                    // What has been shown may be used for the rest.
                    hypotheses.push((**a).clone());
                    blame(context, hypotheses, b, path)
                }
                Err(_) => blame(context, hypotheses, a, path),
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
            blame(context, hypotheses, b, path)
        }
        _ => Reason::NotShown { goal: goal.to_string(), path },
    }
}
