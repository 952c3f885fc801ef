//! From judgements to theorems: what a proof of privacy is.
//!
//! A [`Theorem`] says that a mechanism meets a claim. It has no constructor but the final rules, of which [`privacy`] is
//! the first, travels in no file, and lists what it rests on.

mod foreseen;
mod group;

use std::collections::BTreeSet;
use std::fmt;

use crate::concentrated::{Measure, NOT_GAUSSIAN, check_pure, within};
use crate::context::{Context, Orientation};
use crate::conversion::{self, Conversion};
use crate::entail::{Evidence, check_entailment};
use crate::equivalence::Rewrite;
use crate::expr::{Expr, Run, Variable};
use crate::kind::Kind;
use crate::rejection::Rejection;
use crate::rules::{Assertion, Judgement, both_works};
use crate::sample::{amplified, of_parameters, sampled};
use crate::term::{Claim, Mechanism, Reading};

pub use foreseen::foreseen;
pub use group::{group, group_delta, group_share, grouped};

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
    /// The claim in ρ or μ from which this one was converted, and the name of the conversion.
    through: Option<(Claim, &'static str)>,
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

    /// The claim in ρ or μ from which this one was converted, and the name of the conversion.
    pub fn through(&self) -> Option<(&Claim, &'static str)> {
        self.through.as_ref().map(|(claim, conversion)| (claim, *conversion))
    }

    /// The sampling axioms, program equivalences and lemmas that the proof rests on.
    pub fn axioms(&self) -> &BTreeSet<&'static str> {
        &self.axioms
    }
}

impl fmt::Display for Theorem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.claim.reading {
            Reading::Rho => "is zero-concentrated differentially private",
            Reading::Mu => "is Gaussian differentially private",
            _ => "is differentially private",
        };
        let Theorem { mechanism, claim, .. } = self;
        match &self.through {
            None => writeln!(f, "{mechanism}{what} with {claim}"),
            Some((from, how)) => {
                writeln!(f, "{mechanism}{what} with {claim}\nconverted from {from}, by {how}")
            }
        }
    }
}

/// What a final judgement about the mechanism of the context must end with.
pub fn goal(context: &Context, claim: &Claim, comparison: Comparison) -> Expr {
    let output = &context.mechanism().output;
    let (first, second) = (context.in_run(output, Run::First), context.in_run(output, Run::Second));
    let within = within(claim);
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

/// What must follow from the start: the precondition of the judgement about the whole program, and that the mass
/// which it gives up is within the claim's δ. What is given up is never negative, so neither is the claim's δ.
pub fn obligation(judgement: &Judgement, claim: &Claim) -> Expr {
    judgement.pre.formula.clone().and(judgement.delta.clone().le(claim.delta.clone()))
}

/// A judgement about the whole program, and evidence that its obligation holds at the start.
pub struct Side<'a> {
    /// The judgement.
    pub judgement: &'a Judgement,
    /// Evidence that the start entails its [`obligation`].
    pub evidence: &'a Evidence,
}

/// ```text
/// m = m₁ = … = mₙ by equivalences    ⊢ mₙ : Φ ⇒ output == output' and cost ≤ ε, up to γ    cost = 0 ⊨ Φ and γ ≤ δ
/// ───────────────────────────────────────────────────────────────────────────────────────────────────────────────
/// m is (ε, δ)-differentially private over the reals
/// ```
/// in both orientations of the adjacency, unless it is symmetric. With PW-EQ the judgement ends with
/// `output == r ⇒ output' == r and cost ≤ ε` instead, and gives up nothing: the mass would be given up once for
/// every output.
pub fn privacy(
    mechanism: &Mechanism,
    claim: &Claim,
    rewrites: &[Rewrite],
    comparison: Comparison,
    sides: &[Side<'_>],
) -> Result<Theorem, Rejection> {
    // The mechanism as it stands must make sense, not only what it is rewritten to.
    check_claim(&Context::new(mechanism, Orientation::Forward)?, claim)?;
    let (rewritten, mut axioms) = rewritten(mechanism, rewrites)?;
    let own = |judgement: &Judgement| {
        let context = &judgement.context;
        if claim.reading == Reading::Mu
            && let Some(axiom) = NOT_GAUSSIAN.iter().find(|axiom| judgement.axioms.contains(*axiom))
        {
            return Err(Rejection::NotGaussian { axiom });
        }
        if comparison == Comparison::Pointwise {
            check_pure(context, "PW-EQ")?;
            if !matches!(context.kind(&rewritten.output), Kind::Int | Kind::Bool) {
                return Err(Rejection::NotCountable { output: rewritten.output.to_string() });
            }
            check_gives_up_nothing(judgement)?;
        }
        Ok(())
    };
    let needed = |context: &Context| Ok(goal(context, claim, comparison));
    axioms.extend(covered(&rewritten, claim, sides, &needed, &own)?);
    if comparison == Comparison::Pointwise {
        axioms.insert("PW-EQ");
    }
    Ok(Theorem { mechanism: mechanism.clone(), claim: claim.clone(), axioms, through: None })
}

/// The mechanism after equivalences, and their names.
fn rewritten(
    mechanism: &Mechanism,
    rewrites: &[Rewrite],
) -> Result<(Mechanism, BTreeSet<&'static str>), Rejection> {
    let mut rewritten = mechanism.clone();
    for rewrite in rewrites {
        rewritten = rewrite.apply(&rewritten)?;
    }
    Ok((rewritten, rewrites.iter().map(Rewrite::name).collect()))
}

/// What is given up for each of many outcomes would add up.
fn check_gives_up_nothing(judgement: &Judgement) -> Result<(), Rejection> {
    if judgement.delta != Expr::int(0) {
        return Err(Rejection::ClaimNotCovered {
            reason: "a pointwise proof may not give up mass, which it would once for every output",
        });
    }
    Ok(())
}

/// That judgements about the whole program end with what is needed, meet what the rule asks of its `own`, and hold from the start, in both
/// orientations of the adjacency; and what they rest on.
fn covered(
    mechanism: &Mechanism,
    claim: &Claim,
    sides: &[Side<'_>],
    needed: &dyn Fn(&Context) -> Result<Expr, Rejection>,
    own: &dyn Fn(&Judgement) -> Result<(), Rejection>,
) -> Result<BTreeSet<&'static str>, Rejection> {
    let (mut covered, mut axioms) = (BTreeSet::new(), BTreeSet::new());
    let mut work = 0;
    for Side { judgement, evidence } in sides {
        let context = &judgement.context;
        if *context.mechanism() != *mechanism {
            return Err(Rejection::ContextDiffers);
        }
        if judgement.program != mechanism.body {
            let show = |p: &[crate::term::Statement]| p.iter().map(|s| s.to_string()).collect::<String>();
            return Err(Rejection::ProgramDiffers {
                left: show(&judgement.program),
                right: show(&mechanism.body),
            });
        }
        let needed = needed(context)?;
        if judgement.post != Assertion::new(context, needed.clone())? {
            return Err(Rejection::WrongGoal {
                found: judgement.post.formula.to_string(),
                needed: needed.to_string(),
            });
        }
        if context.measure() != Measure::of(claim.reading) {
            return Err(Rejection::ContextDiffers);
        }
        own(judgement)?;
        let checked = check_entailment(context, &[&start()], &obligation(judgement, claim), evidence)?;
        work = both_works(work, both_works(judgement.work, checked.work)?)?;
        axioms.extend(&checked.lemmas);
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
    Ok(axioms)
}

/// From a theorem in ρ or μ to one of ε and δ.
/// ```text
/// m is ρ-zero-concentrated or μ-Gaussian private    δ(ε) of that is at most δ, by the conversion
/// ───────────────────────────────────────────────────────────────────────────────────────────────
/// m is (ε, δ)-differentially private over the reals
/// ```
pub fn convert(theorem: &Theorem, claim: &Claim, conversion: &Conversion) -> Result<Theorem, Rejection> {
    let context = Context::new(&theorem.mechanism, Orientation::Forward)?;
    check_claim(&context, claim)?;
    let (name, lemmas) = conversion::check(&context, &theorem.claim, claim, conversion)?;
    let axioms = theorem.axioms.union(&lemmas).copied().chain([name]).collect();
    let through = Some((theorem.claim.clone(), name));
    Ok(Theorem { mechanism: theorem.mechanism.clone(), claim: claim.clone(), axioms, through })
}

/// AMPLIFY: from a sample to the table that it is drawn from.
/// ```text
/// m(t) = c; s ~ sample(t, q); d    c; d is (ε₀, δ₀)-differentially private in s, if one row of s is added or removed
/// ────────────────────────────────────────────────────────────────────────────────────────────── [`amplified`]
/// m is (ε, δ)-differentially private, if one row of t is added or removed
/// ```
pub fn amplify(
    mechanism: &Mechanism,
    claim: &Claim,
    inner: &Theorem,
    evidence: &Evidence,
) -> Result<Theorem, Rejection> {
    let sampled = sampled(mechanism)?;
    let context = of_parameters(mechanism)?;
    check_claim(&context, claim)?;
    if inner.mechanism != sampled.inner {
        return Err(Rejection::ContextDiffers);
    }
    if [claim, &inner.claim].into_iter().any(|claim| claim.reading != Reading::Reals) {
        return Err(Rejection::ClaimNotCovered {
            reason: "a sample amplifies privacy in epsilon and delta, and not in rho or mu",
        });
    }
    let needed = amplified(&sampled.rate, &inner.claim, claim);
    let checked = check_entailment(&context, &[], &needed, evidence)?;
    let axioms = inner.axioms.union(&checked.lemmas).copied().chain(["AMPLIFY"]).collect();
    Ok(Theorem { mechanism: mechanism.clone(), claim: claim.clone(), axioms, through: None })
}

/// The claim is about the reals, and its epsilon and delta are numbers made of parameters.
fn check_claim(context: &Context, claim: &Claim) -> Result<(), Rejection> {
    if matches!(claim.reading, Reading::Binary { .. }) {
        return Err(Rejection::ClaimNotCovered { reason: "this rule proves claims over the reals only" });
    }
    if claim.reading != Reading::Reals && claim.delta != Expr::int(0) {
        return Err(Rejection::ClaimNotCovered { reason: "a claim in rho or mu has no delta" });
    }
    [&claim.epsilon, &claim.delta].into_iter().try_for_each(|e| {
        context.check_public(e)?;
        context.check_number(e)
    })
}
