//! From judgements to theorems: what a proof of privacy is.
//!
//! A [`Theorem`] says that a mechanism meets a claim. It has no constructor but the rule [`privacy`], travels in
//! no file, and lists what it rests on.

use std::collections::BTreeSet;
use std::fmt;

use crate::context::{Context, Kind, Orientation};
use crate::entail::{Evidence, check_entailment};
use crate::equivalence::Rewrite;
use crate::expr::{Expr, Run, Variable};
use crate::rejection::Rejection;
use crate::rules::{Assertion, Judgement};
use crate::term::{Adjacency, Claim, Mechanism, Reading};

/// How the outputs of the two runs are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// The outputs are equal: output == output' and cost ≤ ε.
    Equal,
    /// PW-EQ: for every value r, output == r ⇒ output' == r and cost ≤ ε. For countable outputs only.
    Pointwise,
}

/// A mechanism meets a claim.
///
/// No field can be set from outside, and there is no other way to make one:
/// ```compile_fail
/// use probity_kernel::privacy::Theorem;
/// fn forge(honest: Theorem, claim: probity_kernel::term::Claim) -> Theorem {
///     Theorem { claim, ..honest }
/// }
/// ```
/// ```compile_fail
/// fn stronger(mut honest: probity_kernel::privacy::Theorem) {
///     honest.claim.epsilon = probity_kernel::expr::Expr::int(0);
/// }
/// ```
/// ```compile_fail
/// let from_nothing = probity_kernel::privacy::Theorem::default();
/// ```
#[derive(Clone, Debug)]
pub struct Theorem {
    mechanism: Mechanism,
    claim: Claim,
    axioms: BTreeSet<&'static str>,
}

impl Theorem {
    /// What was proved private.
    pub fn mechanism(&self) -> &Mechanism {
        &self.mechanism
    }

    /// What was proved of it.
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// The sampling axioms, program equivalences and lemmas that the proof rests on.
    pub fn axioms(&self) -> &BTreeSet<&'static str> {
        &self.axioms
    }
}

impl fmt::Display for Theorem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}is differentially private with {}", self.mechanism, self.claim)
    }
}

/// What a final judgement about the mechanism of the context must end with.
pub fn goal(context: &Context, claim: &Claim, comparison: Comparison) -> Expr {
    let output = &context.mechanism().output;
    let (first, second) = (context.in_run(output, Run::First), context.in_run(output, Run::Second));
    let within = Expr::cost().le(claim.epsilon.clone());
    match comparison {
        Comparison::Equal => first.equals(second).and(within),
        Comparison::Pointwise => {
            let result = Expr::Var(Variable::Result);
            first.equals(result.clone()).implies(second.equals(result).and(within))
        }
    }
}

/// What is known before the first step, besides the facts of the context.
pub fn start() -> Expr {
    Expr::cost().equals(Expr::int(0))
}

/// A judgement about the whole program, and evidence that its precondition holds at the start.
pub struct Side<'a> {
    /// The judgement.
    pub judgement: &'a Judgement,
    /// Evidence that the start entails its precondition.
    pub evidence: &'a Evidence,
}

/// ```text
/// m = m₁ = … = mₙ by program equivalences    ⊢ mₙ : Φ ⇒ output == output' and cost ≤ ε    cost = 0 ⊨ Φ
/// ──────────────────────────────────────────────────────────────────────────────────────────────────────
/// m is (ε, δ)-differentially private over the reals, for every δ ≥ 0
/// ```
/// in both orientations of the adjacency, unless it is symmetric. With PW-EQ the judgement ends with
/// `output == r ⇒ output' == r and cost ≤ ε` instead. A judgement that gives up mass δ proves the claim with exactly
/// that δ, for equal outputs: in a pointwise proof the mass would be given up once for every output.
pub fn privacy(
    mechanism: &Mechanism,
    claim: &Claim,
    rewrites: &[Rewrite],
    comparison: Comparison,
    sides: &[Side<'_>],
) -> Result<Theorem, Rejection> {
    // The mechanism as it stands must make sense, not only what it is rewritten to.
    Context::new(mechanism, Orientation::Forward)?;
    check_claim(mechanism, claim)?;
    let mut axioms = BTreeSet::new();
    let mut rewritten = mechanism.clone();
    for rewrite in rewrites {
        rewritten = rewrite.apply(&rewritten)?;
        axioms.insert(rewrite.name());
    }
    let mut covered = BTreeSet::new();
    for Side { judgement, evidence } in sides {
        let context = &judgement.context;
        if *context.mechanism() != rewritten {
            return Err(Rejection::ContextDiffers);
        }
        if judgement.program != rewritten.body {
            let show = |p: &[crate::term::Statement]| p.iter().map(|s| s.to_string()).collect::<String>();
            return Err(Rejection::ProgramDiffers {
                left: show(&judgement.program),
                right: show(&rewritten.body),
            });
        }
        let needed = goal(context, claim, comparison);
        if judgement.post != Assertion::new(needed.clone())? {
            return Err(Rejection::WrongGoal {
                found: judgement.post.formula.to_string(),
                needed: needed.to_string(),
            });
        }
        if comparison == Comparison::Pointwise {
            if !matches!(context.kind(&rewritten.output), Kind::Int | Kind::Bool) {
                return Err(Rejection::NotCountable { output: rewritten.output.to_string() });
            }
            axioms.insert("PW-EQ");
        }
        check_delta(context, claim, comparison, &judgement.delta)?;
        axioms.extend(check_entailment(context, &[&start()], &judgement.pre.formula, evidence)?);
        axioms.extend(&judgement.axioms);
        covered.insert(context.orientation() == Orientation::Forward);
        if context.adjacency_is_symmetric() {
            covered.extend([true, false]);
        }
    }
    if covered.len() < 2 {
        return Err(Rejection::ClaimNotCovered {
            reason: "the adjacency is not symmetric, and only one orientation is proved",
        });
    }
    Ok(Theorem { mechanism: mechanism.clone(), claim: claim.clone(), axioms })
}

/// GROUP: from one row to k.
/// ```text
/// m, whose one input is the table t, is ε/k-differentially private if one row of t is added or removed
/// ────────────────────────────────────────────────────────────────────────────────────────────────────── 1 ≤ k, k whole
/// m is ε-differentially private if at most k rows of t are added or removed
/// ```
pub fn group(mechanism: &Mechanism, claim: &Claim, one_row: &Theorem) -> Result<Theorem, Rejection> {
    let context = Context::new(mechanism, Orientation::Forward)?;
    check_claim(mechanism, claim)?;
    let no = |reason: &'static str| Err(Rejection::ClaimNotCovered { reason });
    let ([input], [Adjacency::Rows { table, most }]) = (&mechanism.inputs[..], &mechanism.adjacency[..])
    else {
        return no("GROUP is for one table as the only input, and for one clause about its rows");
    };
    let counts = match most {
        Expr::Number(n) => *n >= probity_exact::Rational::ONE,
        Expr::Var(Variable::Plain(name)) => context.is_positive(name),
        _ => false,
    };
    // That the number is whole is part of the clause's being well formed.
    if input.name != *table || !counts {
        return no(
            "GROUP needs a number of rows from 1 on: a positive number, or a parameter that is assumed positive",
        );
    }
    let adjacency = vec![Adjacency::OneRow { table: table.clone() }];
    if one_row.mechanism != (Mechanism { adjacency, ..mechanism.clone() }) {
        return Err(Rejection::ContextDiffers);
    }
    let share = group_share(claim, most);
    if one_row.claim != share || claim.delta != Expr::int(0) {
        return no("GROUP needs the theorem on one row with a k-th of epsilon, and delta 0");
    }
    let axioms = one_row.axioms.iter().copied().chain(["GROUP"]).collect();
    Ok(Theorem { mechanism: mechanism.clone(), claim: claim.clone(), axioms })
}

/// What GROUP asks of one row for a claim about k: the same with ε/k.
pub fn group_share(claim: &Claim, most: &Expr) -> Claim {
    Claim { epsilon: claim.epsilon.clone() / most.clone(), ..claim.clone() }
}

/// The judgement gives up no mass and the claim's δ is a number ≥ 0 or a positive parameter, or both name the same δ.
fn check_delta(
    context: &Context,
    claim: &Claim,
    comparison: Comparison,
    given_up: &Expr,
) -> Result<(), Rejection> {
    let nothing = *given_up == Expr::int(0);
    let not_negative = match &claim.delta {
        Expr::Number(n) => *n >= probity_exact::Rational::ZERO,
        Expr::Var(Variable::Plain(name)) => context.is_positive(name),
        _ => false,
    };
    if nothing && not_negative || !nothing && *given_up == claim.delta && comparison == Comparison::Equal {
        return Ok(());
    }
    Err(Rejection::ClaimNotCovered { reason: "delta is not what the judgement gives up" })
}

/// The claim is about the reals, and its epsilon and delta are made of parameters.
fn check_claim(mechanism: &Mechanism, claim: &Claim) -> Result<(), Rejection> {
    if claim.reading != Reading::Reals {
        return Err(Rejection::ClaimNotCovered { reason: "this rule proves claims over the reals only" });
    }
    let mut public = true;
    for e in [&claim.epsilon, &claim.delta] {
        e.for_each_variable(&mut |v| {
            public &= matches!(v, Variable::Plain(name) if mechanism.params.iter().any(|p| p.name == *name));
        });
    }
    if !public {
        return Err(Rejection::ClaimNotCovered { reason: "epsilon and delta must be made of parameters" });
    }
    Ok(())
}
