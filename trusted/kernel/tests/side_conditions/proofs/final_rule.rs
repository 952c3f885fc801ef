//! From a judgement to a theorem.

use std::sync::Arc;

use probity_kernel::equivalence::Rewrite;
use probity_kernel::privacy::{Comparison, Side, Theorem, goal, group, privacy};

use crate::common::*;

fn claim(epsilon: Expr) -> Claim {
    Claim { epsilon, delta: int(0), reading: Reading::Reals }
}

/// y ~ laplace(x, 1 / eps); return y, or another center and output.
fn noisy(center: Expr) -> Mechanism {
    mechanism(vec![draw("y", laplace(center, int(1) / var("eps")))], var("y"))
}

/// A proof with y' = y at cost eps, and evidence for it; the claim and the mechanism may be others than those proved.
struct Proof {
    context: Arc<Context>,
    comparison: Comparison,
    judgement: Judgement,
}

impl Proof {
    fn of(mechanism: &Mechanism, claim: &Claim, comparison: Comparison, orientation: Orientation) -> Proof {
        let context = Arc::new(Context::new(mechanism, orientation).unwrap());
        let post = assertion(&context, goal(&context, claim, comparison));
        let coupling = Coupling::Shift { by: int(0), cost: var("eps") };
        let judgement = sample(&context, &mechanism.body[0], &coupling, &post).unwrap();
        Proof { context, comparison, judgement }
    }

    fn conclude(
        &self,
        mechanism: &Mechanism,
        claim: &Claim,
        evidence: &Evidence,
    ) -> Result<Theorem, Rejection> {
        let side = Side { judgement: &self.judgement, evidence };
        privacy(mechanism, claim, &[], self.comparison, &[side])
    }
}

/// Evidence for a draw whose center is the constant 0: facts 5 is cost = 0, 6 the negated obligation.
fn constant() -> (Mechanism, Evidence) {
    // The obligation: 0 < 1/eps, 1/eps = 1/eps, |0| ≤ eps·(1/eps) and y#0 = y#0 and cost + eps ≤ eps, and 0 ≤ δ.
    let cost = |n: i64| Evidence::Combination {
        products: vec![Product { coefficient: Rational::ONE, scale: vec![], facts: vec![KNOWN + 2] }],
        equations: vec![(KNOWN, int(n))],
    };
    let scale = Evidence::Combination {
        products: vec![Product {
            coefficient: Rational::ONE,
            scale: vec![("eps".into(), 1)],
            facts: vec![KNOWN + 2],
        }],
        equations: vec![],
    };
    (noisy(int(0)), Evidence::Cases(KNOWN + 1, vec![scale, cost(1)]))
}

fn forward(mechanism: &Mechanism, claim: &Claim) -> Proof {
    Proof::of(mechanism, claim, Comparison::Equal, Orientation::Forward)
}

#[test]
fn a_proof_is_a_proof() {
    let (mechanism, evidence) = constant();
    let claim = claim(var("eps"));
    let answer = forward(&mechanism, &claim).conclude(&mechanism, &claim, &evidence);
    assert!(answer.is_ok(), "{}", answer.unwrap_err());
}

#[test]
fn the_start_entails_the_precondition() {
    let (mechanism, _) = constant();
    let claim = claim(var("eps"));
    let answer = forward(&mechanism, &claim).conclude(&mechanism, &claim, &Evidence::Absurd(0));
    assert!(matches!(answer, Err(Rejection::NoSuchFact { .. })));
}

#[test]
fn claims_are_over_the_reals() {
    let (mechanism, evidence) = constant();
    let real = claim(var("eps"));
    let floats = Claim { reading: Reading::BINARY64, ..real.clone() };
    let answer = forward(&mechanism, &real).conclude(&mechanism, &floats, &evidence);
    assert!(matches!(answer, Err(Rejection::ClaimNotCovered { .. })));
    assert!(forward(&mechanism, &real).conclude(&mechanism, &real, &evidence).is_ok());
}

#[test]
fn claims_are_made_of_parameters() {
    let (mechanism, evidence) = constant();
    let real = claim(var("eps"));
    let proof = forward(&mechanism, &real);
    let secret = Claim { delta: var("n"), ..real.clone() };
    assert!(matches!(proof.conclude(&mechanism, &secret, &evidence), Err(Rejection::NotPublic { .. })));
    let secret = claim(var("x"));
    assert!(matches!(proof.conclude(&mechanism, &secret, &evidence), Err(Rejection::NotPublic { .. })));
    assert!(proof.conclude(&mechanism, &real, &evidence).is_ok());
}

#[test]
fn claims_are_numbers() {
    let (mechanism, evidence) = constant();
    let real = claim(var("eps"));
    let truth = Claim { delta: yes(), ..real.clone() };
    let answer = forward(&mechanism, &real).conclude(&mechanism, &truth, &evidence);
    assert!(matches!(answer, Err(Rejection::NotANumber { .. })));
}

#[test]
fn deltas_are_not_negative() {
    let (mechanism, evidence) = constant();
    let real = claim(var("eps"));
    let negative = Claim { delta: int(-1), ..real.clone() };
    assert!(forward(&mechanism, &real).conclude(&mechanism, &negative, &evidence).is_err());
    let spare = Claim { delta: int(1), ..real.clone() };
    assert!(forward(&mechanism, &real).conclude(&mechanism, &spare, &evidence).is_ok());
}

#[test]
fn the_mechanism_itself_makes_sense() {
    let (mechanism, evidence) = constant();
    let real = claim(var("eps"));
    let mut broken = mechanism.clone();
    broken.output = var("nobody");
    let answer = forward(&mechanism, &real).conclude(&broken, &real, &evidence);
    assert!(matches!(answer, Err(Rejection::Malformed { .. })));
}

#[test]
fn the_judgement_is_about_the_mechanism() {
    let (mechanism, evidence) = constant();
    let real = claim(var("eps"));
    // The same program, and an adjacency that lets x move further.
    let wider = Mechanism { adjacency: vec![], ..mechanism.clone() };
    let answer = forward(&mechanism, &real).conclude(&wider, &real, &evidence);
    assert_eq!(answer.unwrap_err(), Rejection::ContextDiffers);
}

#[test]
fn the_judgement_is_about_the_whole_program() {
    let (mechanism, _) = constant();
    let longer = Mechanism { body: vec![mechanism.body[0].clone(), assign("y", var("x"))], ..mechanism };
    let real = claim(var("eps"));
    // Only the first step is proved; the second gives x away.
    let answer = forward(&longer, &real).conclude(&longer, &real, &constant().1);
    assert!(matches!(answer, Err(Rejection::ProgramDiffers { .. })));
}

#[test]
fn the_judgement_ends_with_the_claim() {
    let (mechanism, evidence) = constant();
    let real = claim(var("eps"));
    let less = claim(var("eps") / int(2));
    let answer = forward(&mechanism, &real).conclude(&mechanism, &less, &evidence);
    assert!(matches!(answer, Err(Rejection::WrongGoal { .. })));
}

#[test]
fn points_are_of_countable_outputs() {
    let (mechanism, evidence) = constant();
    let real = claim(var("eps"));
    let proof = Proof::of(&mechanism, &real, Comparison::Pointwise, Orientation::Forward);
    assert!(matches!(proof.conclude(&mechanism, &real, &evidence), Err(Rejection::NotCountable { .. })));
    let discrete = Distribution::DiscreteLaplace { center: int(0), scale: int(1) / var("eps") };
    let whole = Mechanism { body: vec![draw("y", discrete)], ..mechanism };
    let proof = Proof::of(&whole, &real, Comparison::Pointwise, Orientation::Forward);
    let answer = proof.conclude(&whole, &real, &evidence);
    assert!(!matches!(answer, Err(Rejection::NotCountable { .. })));
}

/// PW-EQ: a pointwise proof is a proof, and the theorem says that it rests on it.
#[test]
fn points_are_a_proof() {
    let whole = mechanism(vec![], int(0));
    let real = claim(int(0));
    let context = Arc::new(Context::new(&whole, Orientation::Forward).unwrap());
    let conclude = |comparison, evidence: &Evidence| {
        let judgement = rules::skip(&context, &assertion(&context, goal(&context, &real, comparison)));
        privacy(&whole, &real, &[], comparison, &[Side { judgement: &judgement, evidence }])
    };
    // Facts: cost = 0; the result is 0; and it is above or below 0, or the cost is positive.
    let (cost, result, denied, here) = (KNOWN, KNOWN + 1, KNOWN + 2, KNOWN + 3);
    let against = |equation: usize, times: i64| sum_with(here, (equation, times));
    let cases = vec![against(result, -1), against(result, 1), against(cost, 1)];
    let theorem = conclude(Comparison::Pointwise, &Evidence::Cases(denied, cases)).unwrap();
    assert!(theorem.axioms().contains("PW-EQ"));
    let theorem = conclude(Comparison::Equal, &sum_with(KNOWN + 1, (cost, 1))).unwrap();
    assert!(!theorem.axioms().contains("PW-EQ"));
}

/// One fact and a multiple of an equation.
fn sum_with(fact: usize, (equation, times): (usize, i64)) -> Evidence {
    Evidence::Combination {
        products: vec![Product { coefficient: Rational::ONE, scale: vec![], facts: vec![fact] }],
        equations: vec![(equation, int(times))],
    }
}

#[test]
fn points_give_up_nothing() {
    let noise = draw("z", laplace(int(0), int(1)));
    let whole = mechanism(vec![noise.clone()], int(0));
    let real = claim(int(0));
    let context = Arc::new(Context::new(&whole, Orientation::Forward).unwrap());
    let judge = |comparison| {
        let post = assertion(&context, goal(&context, &real, comparison));
        up_to_tail(&context, &noise, &Coupling::Null, &int(1), &post).unwrap()
    };
    let conclude = |comparison| {
        let judgement = judge(comparison);
        let side = Side { judgement: &judgement, evidence: &Evidence::Absurd(0) };
        privacy(&whole, &Claim { delta: int(1), ..real.clone() }, &[], comparison, &[side])
    };
    assert!(matches!(conclude(Comparison::Pointwise), Err(Rejection::ClaimNotCovered { .. })));
    assert!(matches!(conclude(Comparison::Equal), Err(Rejection::NoSuchFact { .. })));
}

/// q grows: proving one direction is not enough.
#[test]
fn both_orientations_are_proved() {
    let (mechanism, evidence) = constant();
    let real = claim(var("eps"));
    let grows = Mechanism {
        adjacency: vec![
            mechanism.adjacency[0].clone(),
            Adjacency::EveryEntryGrows { list: "q".into(), bound: int(1) },
        ],
        ..mechanism.clone()
    };
    let proof = forward(&grows, &real);
    assert!(matches!(proof.conclude(&grows, &real, &evidence), Err(Rejection::ClaimNotCovered { .. })));
    let back = Proof::of(&grows, &real, Comparison::Equal, Orientation::Backward);
    let sides = [&proof, &back].map(|p| Side { judgement: &p.judgement, evidence: &evidence });
    assert!(privacy(&grows, &real, &[], Comparison::Equal, &sides).is_ok());
    assert!(privacy(&mechanism, &real, &[], Comparison::Equal, &[]).is_err());
    assert!(proof.context.facts().len() == back.context.facts().len());
}

/// Which relations read the same both ways.
#[test]
fn symmetric_is_symmetric() {
    let symmetric = |relation: Expr| {
        let mechanism =
            Mechanism { adjacency: vec![Adjacency::Related(relation)], ..mechanism(vec![], int(0)) };
        Context::new(&mechanism, Orientation::Forward).unwrap().adjacency_is_symmetric()
    };
    let distance = || (second("x") - first("x")).abs();
    assert!(symmetric(distance().le(int(1))) && symmetric(yes()));
    assert!(symmetric(distance().le(int(1)).and(distance().le(var("N")))));
    assert!(symmetric(second("x").equals(first("x"))) && symmetric(first("x").equals(second("x"))));
    assert!(!symmetric(second("x").equals(first("n"))), "two different inputs are equal");
    assert!(!symmetric(second("x").equals(int(1))), "one run alone");
    assert!(!symmetric(distance().le(first("n"))), "the bound belongs to one run");
    assert!(!symmetric((second("x") - first("n")).abs().le(int(1))), "two different inputs");
    assert!(!symmetric((second("x") - first("x")).le(int(1))), "no absolute value");
    assert!(!symmetric((second("x") + first("x")).abs().ge(int(1))), "a form that is not known");
    assert!(!symmetric(distance().le(int(1)).and(first("x").le(second("x")))), "one part of a conjunction");
}

/// A rewriting that does not apply stops the proof.
#[test]
fn rewritings_apply() {
    let (mechanism, evidence) = constant();
    let real = claim(var("eps"));
    let proof = forward(&mechanism, &real);
    let side = || [Side { judgement: &proof.judgement, evidence: &evidence }];
    let wrong = Rewrite::Inline { var: "y".into() };
    let answer = privacy(&mechanism, &real, &[wrong], Comparison::Equal, &side());
    assert!(matches!(answer, Err(Rejection::NotEquivalent { .. })));
    assert!(privacy(&mechanism, &real, &[], Comparison::Equal, &side()).is_ok());
}

/// GROUP: a theorem with the right share of the loss, but about something else.
#[test]
fn groups_are_of_one_mechanism() {
    let (mechanism, evidence) = constant();
    let share = claim(var("eps") / int(1));
    let theorem = forward(&mechanism, &share).conclude(&mechanism, &share, &evidence).unwrap();
    let people = Input { name: "t".into(), sort: Sort::Rows(vec![]) };
    let rows = Adjacency::Rows { table: "t".into(), most: int(1) };
    let other = Mechanism { inputs: vec![people], adjacency: vec![rows], ..mechanism };
    assert_eq!(group(&other, &claim(var("eps")), &theorem).unwrap_err(), Rejection::ContextDiffers);
}
