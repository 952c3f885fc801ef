//! Every rule says no when it must.

use std::sync::Arc;

use probity_exact::{Rational, rational};
use probity_kernel::context::{Context, Orientation};
use probity_kernel::entail::{Evidence, Product, check_entailment};
use probity_kernel::equivalence::Rewrite;
use probity_kernel::expr::{Expr, Run, Variable};
use probity_kernel::privacy::{Comparison, Side, goal, privacy, start};
use probity_kernel::rejection::Rejection;
use probity_kernel::rules::{self, Assertion};
use probity_kernel::sampling::{sample, signed_log};
use probity_kernel::term::{
    Adjacency, Claim, Coupling, Distribution, Input, Mechanism, Param, Reading, Sort, Statement,
};

fn var(name: &str) -> Expr {
    Expr::var(name)
}
fn first(name: &str) -> Expr {
    Expr::of(name, Run::First)
}
fn second(name: &str) -> Expr {
    Expr::of(name, Run::Second)
}
fn int(value: i64) -> Expr {
    Expr::int(value)
}
fn assign(name: &str, value: Expr) -> Statement {
    Statement::Assign { var: name.into(), value }
}
fn draw(name: &str, law: Distribution) -> Statement {
    Statement::Draw { var: name.into(), law }
}
fn laplace(center: Expr) -> Distribution {
    Distribution::Laplace { center, scale: int(1) / var("eps") }
}

/// A mechanism with an input x, an integer input n, a list q, and the parameters eps > 0 and N ≥ 1.
fn mechanism(body: Vec<Statement>, output: Expr) -> Mechanism {
    Mechanism {
        name: "m".into(),
        inputs: vec![
            Input { name: "x".into(), sort: Sort::Real },
            Input { name: "n".into(), sort: Sort::Int },
            Input { name: "q".into(), sort: Sort::RealList },
        ],
        params: vec![
            Param { name: "eps".into(), sort: Sort::Real },
            Param { name: "N".into(), sort: Sort::Int },
            Param { name: "free".into(), sort: Sort::Real },
        ],
        assumptions: vec![var("eps").gt(int(0)), var("N").ge(int(1))],
        body,
        output,
        adjacency: vec![
            Adjacency::Related((second("x") - first("x")).abs().le(int(1))),
            Adjacency::EveryEntry { list: "q".into(), bound: int(1) },
        ],
    }
}

fn context(body: Vec<Statement>) -> Arc<Context> {
    let mut body = body;
    body.push(assign("last", int(0)));
    Arc::new(Context::new(&mechanism(body, var("last")), Orientation::Forward).unwrap())
}

fn assertion(context: &Context, formula: Expr) -> Assertion {
    Assertion::new(context, formula).unwrap()
}

#[test]
fn malformed_mechanisms_have_no_context() {
    let make = |body, output| Context::new(&mechanism(body, output), Orientation::Forward);
    assert!(make(vec![], int(0)).is_ok());
    let cases = [
        (vec![assign("x", int(1))], int(0), "an input is assigned"),
        (vec![assign("eps", int(1))], int(0), "a parameter is assigned"),
        (vec![], var("nowhere"), "a variable is never set"),
        (vec![assign("y", second("x"))], int(0), "a primed variable in the program"),
        (vec![assign("y", Expr::cost())], int(0), "a ghost in the program"),
        (vec![assign("y", int(1)), assign("y", Expr::Bool(true))], int(0), "two kinds"),
        (
            vec![Statement::For {
                index: "i".into(),
                from: int(0),
                to: int(3),
                body: vec![assign("i", int(2))],
            }],
            int(0),
            "a loop index is assigned",
        ),
    ];
    for (body, output, why) in cases {
        assert!(matches!(make(body, output), Err(Rejection::Malformed { .. })), "{why}");
    }
    let mut twice = mechanism(vec![], int(0));
    let clause = Adjacency::OneEntry { list: "q".into(), bound: int(1) };
    twice.adjacency = vec![clause.clone(), clause];
    assert!(Context::new(&twice, Orientation::Forward).is_err());
}

#[test]
fn steps_must_meet() {
    let statement = assign("y", var("x"));
    let context = context(vec![statement.clone()]);
    let equal = assertion(&context, first("y").equals(second("y")));
    let step = rules::assign(&context, &statement, &equal).unwrap();
    assert_eq!(step.pre().formula(), &first("x").equals(second("x")));
    let other = rules::skip(&context, &assertion(&context, Expr::Bool(true)));
    assert!(matches!(rules::seq(&step, &other), Err(Rejection::MiddleDiffers { .. })));
    assert!(rules::seq(&step, &rules::skip(&context, &equal)).is_ok());
}

#[test]
fn judgements_of_different_mechanisms_do_not_mix() {
    let (one, other) = (context(vec![]), context(vec![assign("y", int(1))]));
    let post = assertion(&one, Expr::Bool(true));
    let here = rules::skip(&one, &post);
    let there = rules::skip(&other, &post);
    assert_eq!(rules::seq(&here, &there).unwrap_err(), Rejection::ContextDiffers);
    assert_eq!(rules::cond(&Expr::Bool(true), &here, &there).unwrap_err(), Rejection::ContextDiffers);
    let backward = Context::new(context(vec![]).mechanism(), Orientation::Backward).unwrap();
    let turned = rules::skip(&Arc::new(backward), &post);
    assert_eq!(rules::seq(&here, &turned).unwrap_err(), Rejection::ContextDiffers);
}

#[test]
fn lists_are_only_compared() {
    let append = Statement::Append { list: "out".into(), value: var("x") };
    let context = context(vec![assign("out", Expr::EmptyList), append.clone()]);
    let same = assertion(&context, first("out").equals(second("out")));
    let step = rules::append(&context, &append, &same).unwrap();
    let wanted = first("out").equals(second("out")).and(first("x").equals(second("x")));
    assert_eq!(step.pre().formula(), &wanted);
    let empty = first("out").equals(Expr::EmptyList);
    let rejection = rules::append(&context, &append, &assertion(&context, empty)).unwrap_err();
    assert!(matches!(rejection, Rejection::MayNotMention { .. }));
    // A draw-free rule does not touch lists, since one run alone could append.
    assert!(rules::one_sided_both(&context, &append, &same).is_err());
}

/// The hole of a sampling tactic that keeps what was known of its variable: from y = 0 before the draw, y = 0
/// after it.
#[test]
fn a_draw_forgets() {
    let statement = draw("y", laplace(int(0)));
    let context = context(vec![statement.clone()]);
    let post = assertion(&context, first("y").equals(int(0)));
    let step = sample(&context, &statement, &Coupling::Null, &post).unwrap();
    let fresh = Variable::Arbitrary("y".into(), 0);
    assert!(
        step.pre().formula().mentions(&fresh)
            && !step.pre().formula().mentions(&Variable::Of("y".into(), Run::First))
    );
    // Knowledge of the old y is no knowledge of the new one: nothing closes, whatever is cited.
    for facts in [vec![2], vec![3], vec![4], vec![5], vec![6], vec![2, 3]] {
        let products = facts
            .into_iter()
            .map(|n| Product { coefficient: Rational::ONE, scale: vec![], facts: vec![n] })
            .collect();
        let evidence = Evidence::Combination { products, equations: vec![(4, int(1))] };
        let known = first("y").equals(int(0));
        assert!(rules::strengthen(&known, &step, &evidence).is_err());
    }
    // Nor can an assertion speak of the arbitrary value.
    let cheat = Expr::Var(fresh).equals(int(0));
    assert!(matches!(Assertion::new(&context, cheat.clone()), Err(Rejection::KnowsADraw { .. })));
    let evidence = Evidence::Absurd(0);
    assert!(matches!(rules::strengthen(&cheat, &step, &evidence), Err(Rejection::KnowsADraw { .. })));
    // Nor can a coupling depend on what it draws.
    let peeking = Coupling::Shift { by: first("y"), cost: int(0) };
    assert!(matches!(sample(&context, &statement, &peeking, &post), Err(Rejection::KnowsADraw { .. })));
}

/// Two draws of one variable have two arbitrary values.
#[test]
fn draws_stay_apart() {
    let statement = draw("y", laplace(int(0)));
    let keep = assign("z", var("y"));
    let context = context(vec![statement.clone(), keep.clone(), statement.clone()]);
    let post = assertion(&context, first("z").equals(first("y")));
    let last = sample(&context, &statement, &Coupling::Null, &post).unwrap();
    let middle = rules::assign(&context, &keep, last.pre()).unwrap();
    let all = sample(&context, &statement, &Coupling::Null, middle.pre()).unwrap();
    let values = [0, 1].map(|n| Variable::Arbitrary("y".into(), n));
    assert!(values.iter().all(|v| all.pre().formula().mentions(v)), "{}", all.pre().formula());
}

#[test]
fn couplings_fit_their_laws() {
    let couple = |law: Distribution, coupling: Coupling| {
        let statement = draw("y", law);
        let context = context(vec![statement.clone()]);
        sample(&context, &statement, &coupling, &assertion(&context, Expr::cost().le(var("eps"))))
    };
    let shift = |by: Expr| Coupling::Shift { by, cost: var("eps") };
    let discrete = Distribution::DiscreteLaplace { center: var("n"), scale: int(1) / var("eps") };
    assert!(couple(discrete.clone(), shift(first("n") - second("n"))).is_ok());
    assert!(matches!(couple(discrete, shift(first("x") - second("x"))), Err(Rejection::NotAnInteger { .. })));
    let off_grid = Distribution::DiscreteLaplace { center: var("x"), scale: int(1) };
    let malformed = Context::new(&mechanism(vec![draw("y", off_grid)], int(0)), Orientation::Forward);
    assert!(matches!(malformed, Err(Rejection::NotAnInteger { .. })));
    let gaussian = Distribution::Gaussian { center: var("x"), deviation: int(1) };
    assert!(matches!(couple(gaussian, shift(int(1))), Err(Rejection::NoSuchCoupling { .. })));
    let scale = Coupling::Scale { cost: var("eps") };
    assert!(matches!(couple(laplace(int(0)), scale.clone()), Err(Rejection::NoSuchCoupling { .. })));
    assert!(couple(Distribution::Uniform, scale).is_ok());
    let same = Coupling::SameValue { ratio: (int(2), int(1)) };
    assert!(matches!(couple(laplace(int(0)), same), Err(Rejection::NoSuchCoupling { .. })));
}

/// AXUNIF says u' = e^−c·u, asks for c ≥ 0, and charges c.
#[test]
fn axunif_is_exact_and_one_directional() {
    let statement = draw("u", Distribution::Uniform);
    let context = context(vec![statement.clone()]);
    let post = assertion(&context, second("u").equals(first("u")).and(Expr::cost().le(var("eps"))));
    let step = sample(&context, &statement, &Coupling::Scale { cost: var("eps") }, &post).unwrap();
    let u = Expr::Var(Variable::Arbitrary("u".into(), 0));
    let support = int(0).lt(u.clone()).and(u.clone().le(int(1)));
    let moved = ((-var("eps")).exp() * u.clone()).equals(u);
    let charged = (Expr::cost() + var("eps")).le(var("eps"));
    let wanted = int(0).le(var("eps")).and(support.implies(moved.and(charged)));
    assert_eq!(step.pre().formula(), &wanted);
}

#[test]
fn signed_log_needs_a_uniform_and_then_a_sign() {
    let (u, s) = (draw("u", Distribution::Uniform), draw("s", Distribution::Sign));
    let context = context(vec![u.clone(), s.clone()]);
    let post = assertion(&context, Expr::Bool(true));
    let (by, cost) = (int(1), int(1));
    assert!(signed_log(&context, (&u, &s), (&by, &cost), &post).is_ok());
    assert!(signed_log(&context, (&s, &u), (&by, &cost), &post).is_err());
    assert!(signed_log(&context, (&u, &s), (&first("u"), &cost), &post).is_err());
}

#[test]
fn loops_need_shared_bounds_and_a_kept_invariant() {
    let body = assign("y", var("y") + int(1));
    let loop_to = |to: Expr| Statement::For { index: "i".into(), from: int(0), to, body: vec![body.clone()] };
    let context = context(vec![assign("y", int(0)), loop_to(int(3))]);
    let keep = Expr::Bool(true);
    let inner = rules::assign(&context, &body, &assertion(&context, keep.clone())).unwrap();
    let trivial = Evidence::Absurd(4);
    let make = |to: &Expr, invariant: &Expr| {
        rules::for_loop(&"i".into(), (&int(0), to), invariant, &inner, &trivial)
    };
    assert!(matches!(make(&var("n"), &keep), Err(Rejection::LoopBoundNotShared { .. })));
    assert!(matches!(make(&(var("N") / int(2)), &keep), Err(Rejection::NotAnInteger { .. })));
    let other = first("y").le(var("i"));
    assert!(matches!(make(&var("N"), &other), Err(Rejection::MiddleDiffers { .. })));
}

#[test]
fn evidence_is_checked() {
    let context = context(vec![]);
    let one = |facts: Vec<usize>| Product { coefficient: Rational::ONE, scale: vec![], facts };
    let combine = |products| Evidence::Combination { products, equations: vec![] };
    // Facts: 0 is eps > 0, 1 is N ≥ 1, 2 is 0 ≤ length(q), 3 and 4 are |x' − x| ≤ 1, 5 the negated goal.
    let goal = var("eps").gt(int(-1));
    let check = |evidence: &Evidence| check_entailment(&context, &[], &goal, evidence);
    assert!(check(&combine(vec![one(vec![0]), one(vec![5])])).is_ok());
    let negative = Product { coefficient: -Rational::ONE, ..one(vec![0]) };
    assert!(matches!(check(&combine(vec![negative])), Err(Rejection::NegativeMultiplier { .. })));
    assert!(matches!(check(&combine(vec![one(vec![0])])), Err(Rejection::NotAContradiction { .. })));
    assert!(matches!(check(&combine(vec![one(vec![99])])), Err(Rejection::NoSuchFact { .. })));
    let unknown_sign = Product { scale: vec![("free".into(), 1)], ..one(vec![0]) };
    assert!(matches!(check(&combine(vec![unknown_sign])), Err(Rejection::NotPositive { .. })));
    assert!(matches!(check(&Evidence::Absurd(0)), Err(Rejection::NoSuchFact { .. })));
    assert!(matches!(check(&Evidence::Clash(0, 5)), Err(Rejection::NoSuchFact { .. })));
    assert!(matches!(check(&Evidence::Cases(0, vec![])), Err(Rejection::NoSuchFact { .. })));
    let huge = Product { scale: vec![("eps".into(), i32::MAX)], ..one(vec![0, 0, 0]) };
    assert!(check(&combine(vec![huge])).is_err());
    // eps > 0 does not entail eps > 1, by any multiple of the facts.
    for n in 1..20 {
        let scaled = Product { coefficient: rational(n, 7).unwrap(), ..one(vec![0]) };
        let attempt = combine(vec![scaled, one(vec![5])]);
        assert!(check_entailment(&context, &[], &var("eps").gt(int(1)), &attempt).is_err());
    }
}

#[test]
fn integers_have_gaps_and_reals_do_not() {
    let context = context(vec![]);
    // From n > 0 follows n ≥ 1 for the integer n: the negation n < 1 is 0 − n ≥ 0 … with n − 1 ≥ 0.
    let step = Evidence::Combination {
        products: vec![
            Product { coefficient: Rational::ONE, scale: vec![], facts: vec![5] },
            Product { coefficient: Rational::ONE, scale: vec![], facts: vec![6] },
        ],
        equations: vec![],
    };
    let entails =
        |name: &str| check_entailment(&context, &[&first(name).gt(int(0))], &first(name).ge(int(1)), &step);
    assert!(entails("n").is_ok());
    assert!(entails("x").is_err());
}

fn laplace_proof(scale: Expr) -> (Mechanism, Statement) {
    let statement = draw("y", Distribution::Laplace { center: var("x"), scale });
    (mechanism(vec![statement.clone()], var("y")), statement)
}

#[test]
fn the_final_rule_wants_the_whole_claim() {
    let (mechanism, statement) = laplace_proof(int(1) / var("eps"));
    let context = Arc::new(Context::new(&mechanism, Orientation::Forward).unwrap());
    let claim = Claim { epsilon: var("eps"), delta: int(0), reading: Reading::Reals };
    let post = assertion(&context, goal(&context, &claim, Comparison::Equal));
    let coupling = Coupling::Shift { by: int(0), cost: var("eps") };
    let judgement = sample(&context, &statement, &coupling, &post).unwrap();
    let evidence = Evidence::Absurd(0);
    let with = |claim: &Claim, comparison, rewrites: &[Rewrite]| {
        let side = Side { judgement: &judgement, evidence: &evidence };
        privacy(&mechanism, claim, rewrites, comparison, &[side])
    };
    // Another epsilon, another comparison, another reading: each is another claim.
    let half = Claim { epsilon: var("eps") / int(2), ..claim.clone() };
    assert!(matches!(with(&half, Comparison::Equal, &[]), Err(Rejection::WrongGoal { .. })));
    assert!(matches!(with(&claim, Comparison::Pointwise, &[]), Err(Rejection::WrongGoal { .. })));
    let floats = Claim { reading: Reading::BINARY64, ..claim.clone() };
    assert!(matches!(with(&floats, Comparison::Equal, &[]), Err(Rejection::ClaimNotCovered { .. })));
    let negative = Claim { delta: int(-1), ..claim.clone() };
    assert!(with(&negative, Comparison::Equal, &[]).is_err());
    let secret = Claim { epsilon: var("x"), ..claim.clone() };
    assert!(matches!(with(&secret, Comparison::Equal, &[]), Err(Rejection::NotPublic { .. })));
    // Evidence that shows nothing, and no proof at all.
    assert!(with(&claim, Comparison::Equal, &[]).is_err());
    let none = privacy(&mechanism, &claim, &[], Comparison::Equal, &[]);
    assert!(matches!(none, Err(Rejection::ClaimNotCovered { .. })));
    assert!(!start().mentions(&Variable::Result));
}

#[test]
fn pointwise_proofs_are_for_countable_outputs() {
    let (mechanism, statement) = laplace_proof(int(1) / var("eps"));
    let context = Arc::new(Context::new(&mechanism, Orientation::Forward).unwrap());
    let claim = Claim { epsilon: var("eps"), delta: int(0), reading: Reading::Reals };
    let post = assertion(&context, goal(&context, &claim, Comparison::Pointwise));
    let judgement = sample(&context, &statement, &Coupling::Null, &post).unwrap();
    let evidence = Evidence::Absurd(0);
    let side = Side { judgement: &judgement, evidence: &evidence };
    let answer = privacy(&mechanism, &claim, &[], Comparison::Pointwise, &[side]);
    assert!(matches!(answer, Err(Rejection::NotCountable { .. })));
}

#[test]
fn equivalences_check_their_conditions() {
    let (u, s) = (draw("u", Distribution::Uniform), draw("s", Distribution::Sign));
    let noise = var("s") * var("u").ln();
    let law = Rewrite::LaplaceLaw { uniform: "u".into(), sign: "s".into(), noise: "z".into() };
    let good = mechanism(vec![u.clone(), s.clone(), assign("w", var("x") + noise.clone())], var("w"));
    let rewritten = law.apply(&good).unwrap();
    assert_eq!(rewritten.body.len(), 2);
    assert_eq!(rewritten.body[1], assign("w", var("x") + var("z")));
    let refused = [
        // u is used on its own too.
        mechanism(vec![u.clone(), s.clone(), assign("w", noise.clone() + var("u"))], var("w")),
        // s is drawn twice.
        mechanism(vec![u.clone(), s.clone(), s.clone(), assign("w", noise.clone())], var("w")),
        // The noise is used before the sign is drawn.
        mechanism(vec![u.clone(), assign("w", noise.clone()), s.clone()], var("w")),
        // Not a uniform draw.
        mechanism(vec![draw("u", laplace(int(0))), s.clone(), assign("w", noise.clone())], var("w")),
        // The new name is taken.
        mechanism(vec![u.clone(), s.clone(), assign("z", noise.clone())], var("z")),
        // In a loop the draws are new every time round.
        mechanism(
            vec![Statement::For { index: "i".into(), from: int(0), to: int(2), body: vec![u, s] }],
            noise,
        ),
    ];
    for mechanism in refused {
        assert!(matches!(law.apply(&mechanism), Err(Rejection::NotEquivalent { .. })), "{mechanism}");
    }
    let name = Rewrite::Name { var: "r".into() };
    let named = name.apply(&mechanism(vec![], var("x") + int(1))).unwrap();
    assert_eq!((named.body, named.output), (vec![assign("r", var("x") + int(1))], var("r")));
    let taken = mechanism(vec![assign("r", int(0))], var("r") + int(1));
    assert!(matches!(name.apply(&taken), Err(Rejection::NotEquivalent { .. })));
    assert!(matches!(name.apply(&mechanism(vec![], var("x"))), Err(Rejection::NotEquivalent { .. })));
    let inline = Rewrite::Inline { var: "y".into() };
    let stale = mechanism(vec![assign("z", int(0)), assign("y", var("z")), assign("z", int(1))], var("y"));
    assert!(inline.apply(&stale).is_err());
}

/// Programs whose assertions would explode are refused, not looked at: y = y + y doubles at every step.
#[test]
fn hostile_programs_are_too_large() {
    let double = assign("y", var("y") + var("y"));
    let body: Vec<Statement> =
        std::iter::once(assign("y", int(1))).chain(vec![double.clone(); 200]).collect();
    let context = Arc::new(Context::new(&mechanism(body, var("y")), Orientation::Forward).unwrap());
    let mut post = assertion(&context, first("y").equals(second("y")));
    let mut answer = Ok(());
    for _ in 0..200 {
        match rules::assign(&context, &double, &post) {
            Ok(step) => post = step.pre().clone(),
            Err(rejection) => {
                answer = Err(rejection);
                break;
            }
        }
    }
    assert_eq!(answer, Err(Rejection::TooLarge));
    // A long text is no trouble, a deep expression is.
    let long = vec![double; 100_000];
    let long = mechanism(std::iter::once(assign("y", int(1))).chain(long).collect(), var("y"));
    assert!(Context::new(&long, Orientation::Forward).is_ok());
    let deep = (0..2000).fold(var("x"), |e, _| e + int(1));
    let deep = mechanism(vec![assign("y", deep)], var("y"));
    assert_eq!(Context::new(&deep, Orientation::Forward).unwrap_err(), Rejection::TooLarge);
    let power = Product { coefficient: Rational::ONE, scale: vec![("eps".into(), i32::MAX)], facts: vec![] };
    let evidence = Evidence::Combination { products: vec![power], equations: vec![] };
    let answer = check_entailment(&context, &[], &Expr::Bool(true), &evidence);
    assert_eq!(answer.unwrap_err(), Rejection::TooLarge);
}
