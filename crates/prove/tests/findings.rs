//! What is wrong in the papers, as tests.

use std::path::Path;
use std::sync::Arc;

use probity_kernel::context::{Context, Orientation};
use probity_kernel::expr::{Expr, Run, Variable};
use probity_kernel::privacy::Comparison;
use probity_kernel::rejection::Rejection;
use probity_kernel::rules::{self, Assertion};
use probity_kernel::sampling::sample;
use probity_kernel::term::{
    Adjacency, Claim, Coupling, Distribution, Hints, Input, Mechanism, Param, Reading, Sort, Statement,
};
use probity_prove::derivation::{Failure, Justify, Move, Plan, Reason, replay};
use probity_prove::prove;
use probity_prove::search::{Stuck, search_evidence};

fn first(name: &str) -> Expr {
    Expr::of(name, Run::First)
}
fn second(name: &str) -> Expr {
    Expr::of(name, Run::Second)
}
fn var(name: &str) -> Expr {
    Expr::var(name)
}
fn int(value: i64) -> Expr {
    Expr::int(value)
}
fn assign(name: &str, value: Expr) -> Statement {
    Statement::Assign { var: name.into(), value }
}

/// The snapping mechanism statement by statement, as in the draft, Definition 4, with a grid Λ > 0. The shift k
/// of Figure 2 is a parameter, so that the derivation can speak of it.
fn snap() -> Mechanism {
    Mechanism {
        name: "snap".into(),
        inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
        params: ["eps", "B", "grid", "k"].map(|name| Param { name: name.into(), sort: Sort::Real }).to_vec(),
        assumptions: vec![
            var("eps").gt(int(0)),
            var("B").gt(int(0)),
            var("grid").gt(int(0)),
            int(-2).le(var("k")).and(var("k").le(int(0))),
        ],
        body: vec![
            Statement::Draw { var: "u".into(), law: Distribution::Uniform },
            assign("y", var("u").ln() / var("eps")),
            Statement::Draw { var: "s".into(), law: Distribution::Sign },
            assign("z", var("s") * var("y")),
            assign("w", var("x") + var("z")),
            assign("v", var("w").round_to(var("grid"))),
            assign("r", var("v").clamp(-var("B"), var("B"))),
        ],
        output: var("r"),
        adjacency: vec![Adjacency::Related((second("x") - first("x")).abs().le(int(1)))],
    }
}

fn claim(epsilon: Expr) -> Claim {
    Claim { epsilon, delta: int(0), reading: Reading::Reals }
}

/// Searches, and stops at the first side condition that cannot be shown.
struct Search;

impl Justify for Search {
    fn justify(
        &mut self,
        context: &Context,
        hypotheses: &[&Expr],
        goal: &Expr,
    ) -> Result<probity_kernel::entail::Evidence, Reason> {
        search_evidence(context, hypotheses, goal)
            .map_err(|_| Reason::NotShown { goal: goal.to_string(), path: vec![] })
    }
}

/// Finding 1: the step of Figure 2 that claims that a shift survives rounding to the grid is rejected there.
#[test]
fn figure_2_stops_at_the_rounding() {
    let shifted = |name: &str| (first(name) + var("k")).equals(second(name)).and(Expr::cost().le(var("eps")));
    let mechanism = snap();
    let context = Arc::new(Context::new(&mechanism, Orientation::Forward).unwrap());
    // ⌊w⌉ with the shift before and after: no evidence.
    let rounding = &mechanism.body[5];
    let after = Assertion::new(&context, shifted("v")).unwrap();
    let step = rules::assign(&context, rounding, &after).unwrap();
    let answer = search_evidence(&context, &[&shifted("w")], step.pre().formula());
    assert!(matches!(answer, Err(Stuck::Open { .. })), "{answer:?}");
    // The step before it, w = x + z, is fine.
    let sum = &mechanism.body[4];
    let step = rules::assign(&context, sum, &Assertion::new(&context, shifted("w")).unwrap()).unwrap();
    let before = (first("x") + first("z") + var("k")).equals(second("x") + second("z"));
    let before = before.and(Expr::cost().le(var("eps")));
    let evidence = search_evidence(&context, &[&before], step.pre().formula()).unwrap();
    assert!(rules::strengthen(&before, &step, &evidence).is_ok());
}

/// Finding 1, the whole of Figure 2 as a derivation: even granted the clamp, it is rejected, and a shifted result
/// is no equal result.
#[test]
fn figure_2_is_no_proof() {
    let shifted = |name: &str| (first(name) + var("k")).equals(second(name)).and(Expr::cost().le(var("eps")));
    let plan = |last: Vec<Move>| {
        let mut moves = vec![
            Move::Draw(Coupling::Scale { cost: var("eps") }),
            Move::Plain,
            Move::Draw(Coupling::Null),
            Move::Plain,
            Move::Plain,
            Move::Assert(shifted("w")),
            Move::Plain,
            Move::Assert(shifted("v")),
            Move::Plain,
        ];
        moves.extend(last);
        Plan { sides: vec![(Orientation::Forward, moves)], ..Plan::of(vec![], Comparison::Equal) }
    };
    let printed = plan(vec![Move::Assert(shifted("r"))]);
    let Failure { place, .. } = replay(&snap(), &claim(var("eps")), &printed, &mut Search).unwrap_err();
    assert!(place.starts_with("the assertion 'r + k == r'"), "{place}");
    let silent = plan(vec![]);
    let Failure { place, .. } = replay(&snap(), &claim(var("eps")), &silent, &mut Search).unwrap_err();
    assert!(place.starts_with("the assertion 'v + k == v'"), "{place}");
}

/// Finding 1, the absurdity: with AXNULL in place of AXUNIF the same derivation would prove (0, 0)-privacy. It
/// does not; nor does any template.
#[test]
fn nothing_proves_zero_privacy() {
    for epsilon in [int(0), var("eps") / int(2)] {
        assert!(prove(&snap(), &claim(epsilon), &Hints::default()).is_err());
    }
    // The repaired derivation (LAPLACE-LAW, LAPGEN, post-processing) goes through on the same program.
    let proof = prove(&snap(), &claim(var("eps")), &Hints::default()).unwrap();
    for axiom in ["LAPLACE-LAW", "LAPGEN"] {
        assert!(proof.theorem().axioms().contains(axiom));
    }
}

/// Finding 2: AXUNIF with a negative cost has a side condition that cannot be shown.
#[test]
fn axunif_does_not_run_backwards() {
    let mechanism = snap();
    let context = Arc::new(Context::new(&mechanism, Orientation::Forward).unwrap());
    let post = Assertion::new(&context, Expr::Bool(true)).unwrap();
    let step = |cost: Expr| sample(&context, &mechanism.body[0], &Coupling::Scale { cost }, &post).unwrap();
    let free = Expr::Bool(true);
    assert!(search_evidence(&context, &[&free], step(var("eps")).pre().formula()).is_ok());
    assert!(search_evidence(&context, &[&free], step(-var("eps")).pre().formula()).is_err());
}

/// The selective shift must not shrink across the threshold: images would overlap. With y ≥ 0 ↦ y and
/// y < 0 ↦ y + 1 a draw and its coupled draw could pretend that negative numbers are never drawn.
#[test]
fn a_selective_shift_that_folds_is_refused() {
    let mechanism = Mechanism {
        name: "sign_of_noise".into(),
        inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
        params: vec![Param { name: "eps".into(), sort: Sort::Real }],
        assumptions: vec![var("eps").gt(int(0))],
        body: vec![Statement::Draw {
            var: "y".into(),
            law: Distribution::Laplace { center: int(0), scale: int(1) },
        }],
        output: var("y"),
        adjacency: vec![],
    };
    let context = Arc::new(Context::new(&mechanism, Orientation::Forward).unwrap());
    let post = Assertion::new(&context, Expr::Bool(true)).unwrap();
    let select = |above: i64, below: i64| {
        let coupling = Coupling::Select {
            threshold: int(0),
            strict: false,
            above: (int(above), int(1)),
            below: (int(below), int(1)),
        };
        let step = sample(&context, &mechanism.body[0], &coupling, &post).unwrap();
        search_evidence(&context, &[], step.pre().formula())
    };
    assert!(select(1, 0).is_ok());
    assert!(select(0, 1).is_err());
    assert!(select(2, 0).is_err(), "a shift by 2 costs 2");
}

/// EasyCrypt's report-noisy-max lemma, two-sided geometric noise at scale 1/ε, claimed ε-private: refused with the
/// proof that works at scale 2/ε, whatever budget it is given.
#[test]
fn report_noisy_max_at_scale_one_over_epsilon_is_refused() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../mechanisms");
    let program = probity_lang::load(root.join("broken/report_noisy_max_geometric.dp")).unwrap();
    for budget in [var("eps"), int(2) * var("eps")] {
        let refused = prove(&program.mechanism, &program.claim, &noisy_max_advice(budget));
        assert!(refused.is_err());
    }
}

/// The same without the threshold 0 of the EasyCrypt file: ε is refused, and 2ε, which is true, is proved.
#[test]
fn report_noisy_max_costs_twice_at_scale_one_over_epsilon() {
    let text = "mechanism noisy_max(q: int[])\nparam eps > 0\nbest = 0\ntop = 0\nfor i in 0..length(q) {\n\
                v ~ discrete_laplace(q[i], 1 / eps)\nif i == 0 or v > top {\ntop = v\nbest = i\n}\n}\n\
                return best\nneighbours every entry of q differs by at most 1\nclaim eps\n";
    let mechanism = probity_lang::load_text(text).unwrap().mechanism;
    let double = || int(2) * var("eps");
    assert!(prove(&mechanism, &claim(var("eps")), &noisy_max_advice(var("eps"))).is_err());
    assert!(prove(&mechanism, &claim(var("eps")), &noisy_max_advice(double())).is_err());
    assert!(prove(&mechanism, &claim(double()), &noisy_max_advice(double())).is_ok());
}

/// The proof of noisy max: the winner's draw moves up by one, the others move with their answers.
fn noisy_max_advice(budget: Expr) -> Hints {
    let result = || Expr::Var(Variable::Result);
    let here = var("i").equals(result());
    let entry = |run| var("i").index_of(Variable::Of("q".into(), run));
    let follow = entry(Run::Second) - entry(Run::First);
    let started =
        var("i").equals(int(0)).and(first("best").equals(int(0))).and(second("best").equals(int(0)));
    let running = var("i").gt(int(0)).and(first("best").lt(var("i")));
    let won = first("best")
        .differs(result())
        .or(second("best").equals(result()).and(second("top").equals(first("top") + int(1))));
    let invariant = Expr::all([
        started.or(running),
        var("i").equals(int(0)).or(var("i").gt(result())).or(second("top").le(first("top") + int(1))),
        var("i").le(result()).or(won),
        Expr::cost().le(var("i").gt(result()).choose(budget.clone(), int(0))),
    ]);
    let coupling =
        Coupling::Shift { by: here.clone().choose(int(1), follow), cost: here.choose(budget, int(0)) };
    Hints {
        couplings: vec![("v".into(), coupling)],
        invariants: vec![("i".into(), invariant)],
        pointwise: true,
        ..Hints::default()
    }
}

/// A neighbour relation that is not symmetric is proved in both orientations, and one alone is not enough.
#[test]
fn a_one_sided_adjacency_needs_both_orientations() {
    let text = "mechanism grow(q: real[])\nparam eps > 0\nout = []\nfor i in 0..1 {\n\
                v ~ laplace(q[i], 1 / eps)\nappend(out, v)\n}\nreturn out\n\
                neighbours every entry of q grows by at most 1\nclaim eps\n\
                proof {\ncouple v: shift by 0 at cost eps\n\
                invariant i: out == out' and cost <= i * eps\n}\n";
    let program = probity_lang::load_text(text).unwrap();
    let hints = program.hints.unwrap();
    let proof = prove(&program.mechanism, &program.claim, &hints).unwrap();
    assert_eq!(proof.plan().sides.len(), 2);
    let mut half = proof.plan().clone();
    half.sides.truncate(1);
    let failure = replay(&program.mechanism, &program.claim, &half, &mut Search).unwrap_err();
    assert!(matches!(failure.reason, Reason::Rejected(Rejection::ClaimNotCovered { .. })), "{failure}");
}

/// A `while` loop whose guard agrees in both runs, and one whose guard depends on the input.
#[test]
fn while_loops_stay_together_or_are_refused() {
    let text = |guard: &str| {
        format!(
            "mechanism repeat(x: real)\nparam eps > 0\nparam N: int >= 1\nn = 0\nout = []\nwhile {guard} as count {{\n\
             v ~ laplace(x, N / eps)\nappend(out, v)\nn = n + 1\n}}\nreturn out\n\
             neighbours abs(x' - x) <= 1\nclaim eps\n\
             proof {{\ncouple v: shift by 0 at cost eps / N\n\
             invariant count: out == out' and n == n' and n <= N and cost <= n * eps / N\n}}\n"
        )
    };
    let answer = |guard: &str| {
        let program = probity_lang::load_text(&text(guard)).unwrap_or_else(|faults| panic!("{faults:?}"));
        prove(&program.mechanism, &program.claim, &program.hints.unwrap_or_default())
    };
    assert!(answer("n < N").is_ok());
    assert!(answer("n < N and x > 0").is_err());
    assert!(answer("n < N + 1").is_err());
}

/// Up to bad: a mechanism that says nothing unless the noise is large costs no ε and δ = exp(−t·ε), and no other δ,
/// nor none, is accepted for it.
#[test]
fn the_tails_are_given_up_as_delta() {
    let text = "mechanism rarely(x: real)\nparam eps > 0\nparam t >= 0\ny ~ laplace(x, 1 / eps)\n\
                return if abs(y - x) <= t then 0 else y\nneighbours abs(x' - x) <= 1\nclaim 0\n";
    let mechanism = probity_lang::load_text(text).unwrap().mechanism;
    let identity = Coupling::Shift { by: int(0), cost: var("eps") };
    let follow = Coupling::Shift { by: second("x") - first("x"), cost: int(0) };
    let give_up = |coupling: &Coupling, tail: Expr, comparison| Plan {
        sides: vec![(Orientation::Forward, vec![Move::UpTo(coupling.clone(), tail)])],
        ..Plan::of(vec![], comparison)
    };
    let delta = |tail: Expr| (-(tail / (int(1) / var("eps")))).exp();
    let prove_with = |plan: &Plan, delta: Expr| {
        let claim = Claim { epsilon: int(0), delta, reading: Reading::Reals };
        replay(&mechanism, &claim, plan, &mut Search)
    };
    let plan = give_up(&follow, var("t"), Comparison::Equal);
    let theorem = prove_with(&plan, delta(var("t"))).unwrap();
    assert!(theorem.axioms().contains("UP-TO-BAD"));
    // Another δ, none, a pointwise proof, a coupling that costs something, a tail that is not beyond t.
    assert!(prove_with(&plan, delta(int(2) * var("t"))).is_err());
    assert!(prove_with(&plan, int(0)).is_err());
    assert!(prove_with(&give_up(&follow, var("t"), Comparison::Pointwise), delta(var("t"))).is_err());
    assert!(prove_with(&give_up(&identity, var("t"), Comparison::Equal), delta(var("t"))).is_err());
    let wide = var("t") + int(1);
    assert!(prove_with(&give_up(&follow, wide.clone(), Comparison::Equal), delta(wide)).is_err());
    // A tail that depends on the input is no parameter.
    assert!(prove_with(&give_up(&follow, first("x"), Comparison::Equal), delta(first("x"))).is_err());
}
