//! The concentrated measure: no rule of one measure is usable in the other, and every side condition says no.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use probity_kernel::concentrated::Measure;
use probity_kernel::context::{Context, Orientation};
use probity_kernel::entail::Evidence;
use probity_kernel::expr::{Expr, Name, Run};
use probity_kernel::finite;
use probity_kernel::privacy::{Comparison, Side, goal, privacy};
use probity_kernel::rejection::Rejection;
use probity_kernel::rules::{self, Assertion, Judgement};
use probity_kernel::sampling::{
    sample, signed_log, up_to_exact_lower_tail_int, up_to_exact_tail_int, up_to_exact_tails_int,
    up_to_far_tail, up_to_lower_tail, up_to_open_lower_tail, up_to_open_tail, up_to_side, up_to_start,
    up_to_tail, up_to_tail_uniform, up_to_upper_tail,
};
use probity_kernel::split::split;
use probity_kernel::term::{
    Adjacency, Claim, Coupling, Distribution, Input, Mechanism, Param, Reading, Sort, Statement,
};

fn draw(var: &str, law: Distribution) -> Statement {
    Statement::Draw { var: var.into(), law }
}

fn x() -> Expr {
    Expr::var("x")
}

fn s() -> Expr {
    Expr::var("s")
}

fn mechanism(law: Distribution) -> Mechanism {
    let x = |run| Expr::of("x", run);
    Mechanism {
        name: "m".into(),
        inputs: vec![Input { name: "x".into(), sort: Sort::Int }],
        params: vec![Param { name: "s".into(), sort: Sort::Real }],
        assumptions: vec![Expr::var("s").gt(Expr::int(0))],
        body: vec![draw("y", law)],
        output: Expr::var("y"),
        adjacency: vec![Adjacency::Related((x(Run::Second) - x(Run::First)).abs().le(Expr::int(1)))],
    }
}

fn context(mechanism: &Mechanism, measure: Measure) -> Arc<Context> {
    Arc::new(Context::measured(mechanism, Orientation::Forward, measure).unwrap())
}

fn truth(context: &Context) -> Assertion {
    Assertion::new(context, Expr::Bool(true)).unwrap()
}

fn gaussian() -> Distribution {
    Distribution::Gaussian { center: x(), deviation: s() }
}

fn equal() -> Coupling {
    Coupling::Equal { distance: Expr::int(1), cost: Expr::int(1) / (Expr::int(2) * s() * s()) }
}

#[test]
fn equal_values_are_for_the_concentrated_measure_and_laws_of_bounded_loss() {
    let apply = |law: Distribution, measure| {
        let mechanism = mechanism(law);
        let context = context(&mechanism, measure);
        sample(&context, &mechanism.body[0], &equal(), &truth(&context))
    };
    let (center, scale) = (x(), s());
    for (law, axiom) in [
        (gaussian(), "GAUSS"),
        (Distribution::DiscreteGaussian { center: x(), deviation: s() }, "DGAUSS"),
        (Distribution::Laplace { center: center.clone(), scale: scale.clone() }, "BOUNDED-LOSS"),
        (Distribution::DiscreteLaplace { center, scale }, "BOUNDED-LOSS"),
        (Distribution::Bernoulli(x()), "BOUNDED-RATIO"),
        (Distribution::Response { value: x(), truth: s(), count: Expr::int(3) }, "BOUNDED-RATIO"),
    ] {
        assert!(apply(law.clone(), Measure::Concentrated).unwrap().axioms().contains(axiom));
        assert!(matches!(apply(law, Measure::Pure), Err(Rejection::NoSuchCoupling { .. })));
    }
    // One direction is not enough: exponential noise loses at most k/s one way, and everything the other way.
    for law in [Distribution::Exponential { scale: s() }, Distribution::Geometric { scale: s() }] {
        assert!(matches!(apply(law, Measure::Concentrated), Err(Rejection::NoSuchCoupling { .. })));
    }
}

#[test]
fn the_side_condition_is_that_of_the_measure() {
    let mechanism = mechanism(gaussian());
    let context = context(&mechanism, Measure::Concentrated);
    let judgement = sample(&context, &mechanism.body[0], &equal(), &truth(&context)).unwrap();
    let pre = judgement.pre().formula().to_string();
    for part in ["0 < s and s == s", "abs(x - x') <= 1", "1 * 1 <= 2 * (1 / (2 * s * s)) * s * s"] {
        assert!(pre.contains(part), "{part} is not in {pre}");
    }
    // What the coupling says is evaluated before the draw.
    let peeks = Coupling::Equal { distance: Expr::of("y", Run::First), cost: Expr::int(1) };
    assert!(sample(&context, &mechanism.body[0], &peeks, &truth(&context)).is_err());
}

#[test]
fn couplings_of_different_values_are_no_rules_of_the_concentrated_measure() {
    let laplace = Distribution::Laplace { center: x(), scale: s() };
    let zero = || Expr::int(0);
    let check = |law: &Distribution, coupling: &Coupling| {
        let mechanism = mechanism(law.clone());
        let outcomes = [Measure::Pure, Measure::Concentrated].map(|measure| {
            let context = context(&mechanism, measure);
            sample(&context, &mechanism.body[0], coupling, &truth(&context)).is_ok()
        });
        assert_eq!(outcomes, [true, false], "{coupling}");
    };
    check(&laplace, &Coupling::Shift { by: zero(), cost: Expr::int(1) });
    let select = Coupling::Select {
        threshold: zero(),
        strict: false,
        above: (zero(), Expr::int(1)),
        below: (zero(), Expr::int(1)),
    };
    check(&laplace, &select);
    check(&Distribution::Uniform, &Coupling::Scale { cost: Expr::int(1) });
    let ratio = (Expr::int(2), Expr::int(1));
    check(&Distribution::Bernoulli(Expr::int(1) / Expr::int(2)), &Coupling::SameValue { ratio });
    // Equal laws cost nothing in either measure.
    let mechanism = mechanism(Distribution::Exponential { scale: s() });
    for measure in [Measure::Pure, Measure::Concentrated] {
        let context = context(&mechanism, measure);
        assert!(sample(&context, &mechanism.body[0], &Coupling::Null, &truth(&context)).is_ok());
    }
}

#[test]
fn blocks_tails_signs_and_endless_loops_are_pure_only() {
    let laplace = || Distribution::Laplace { center: x(), scale: s() };
    let pure_and_not = |check: &dyn Fn(&Arc<Context>, &Mechanism) -> bool, mechanism: Mechanism| {
        let of = |measure| check(&context(&mechanism, measure), &mechanism);
        assert_eq!([of(Measure::Pure), of(Measure::Concentrated)], [true, false]);
    };
    for rule in [up_to_tail, up_to_upper_tail, up_to_open_tail, up_to_lower_tail, up_to_open_lower_tail] {
        pure_and_not(
            &|context, m| rule(context, &m.body[0], &Coupling::Null, &Expr::int(1), &truth(context)).is_ok(),
            mechanism(laplace()),
        );
    }
    let integers = || Distribution::DiscreteLaplace { center: Expr::int(0), scale: s() };
    for rule in [up_to_exact_tail_int, up_to_exact_tails_int, up_to_exact_lower_tail_int] {
        pure_and_not(
            &|context, m| rule(context, &m.body[0], &Coupling::Null, &Expr::int(1), &truth(context)).is_ok(),
            mechanism(integers()),
        );
    }
    pure_and_not(
        &|context, m| {
            up_to_far_tail(context, &m.body[0], &Coupling::Null, &Expr::int(1), &truth(context)).is_ok()
        },
        mechanism(Distribution::Exponential { scale: s() }),
    );
    for (rule, law) in [
        (up_to_start as PartRule, Distribution::Exponential { scale: s() }),
        (up_to_tail_uniform, Distribution::Uniform),
    ] {
        pure_and_not(
            &|context, m| {
                let none = (&Expr::int(0), &Expr::int(0));
                rule(context, &m.body[0], none, &Expr::int(1), &truth(context)).is_ok()
            },
            mechanism(law),
        );
    }
    // Also where nothing is given up after all.
    for side in [true, false] {
        pure_and_not(
            &|context, m| up_to_side(context, &m.body[0], side, &Expr::int(0), &truth(context)).is_ok(),
            mechanism(Distribution::Bernoulli(Expr::int(1) / Expr::int(2))),
        );
    }
    pure_and_not(
        &|context, m| {
            let judged = sample(context, &m.body[0], &Coupling::Null, &truth(context)).unwrap();
            split(&Expr::Bool(true), &judged, &judged).is_ok()
        },
        mechanism(laplace()),
    );
    pure_and_not(
        &|context, m| {
            let ratio = (&Expr::int(2), &Expr::int(1));
            finite::same_value(context, &m.body, &Name::new("y"), ratio, &truth(context)).is_ok()
        },
        mechanism(Distribution::Bernoulli(Expr::int(1) / Expr::int(2))),
    );
    let mut signed = mechanism(Distribution::Uniform);
    signed.body.push(draw("z", Distribution::Sign));
    pure_and_not(
        &|context, m| {
            let by = (&Expr::int(0), &Expr::int(1));
            signed_log(context, (&m.body[0], &m.body[1]), by, &truth(context)).is_ok()
        },
        signed,
    );
    let mut looping = mechanism(laplace());
    let inner = vec![Statement::Assign { var: "b".into(), value: Expr::Bool(false) }];
    looping.body = vec![
        Statement::Assign { var: "b".into(), value: Expr::Bool(true) },
        Statement::While { label: "w".into(), guard: Expr::var("b"), body: inner.clone() },
    ];
    looping.output = Expr::int(0);
    let same = || Expr::of("b", Run::First).equals(Expr::of("b", Run::Second));
    for (measure, expected) in [(Measure::Pure, false), (Measure::Concentrated, true)] {
        let context = context(&looping, measure);
        let post = Assertion::new(&context, same()).unwrap();
        let body = rules::assign(&context, &inner[0], &post).unwrap();
        let nonsense = Evidence::Absurd(0);
        let answer = rules::while_loop(&"w".into(), &Expr::var("b"), &same(), &body, (&nonsense, &nonsense));
        // In the pure measure the evidence is what is wrong.
        let measure_is_wrong = matches!(answer, Err(Rejection::WrongMeasure { .. }));
        assert_eq!(measure_is_wrong, expected);
    }
}

#[test]
fn a_claim_wants_judgements_of_its_own_measure() {
    let mechanism = mechanism(gaussian());
    let claim = |reading| Claim { epsilon: Expr::int(1), delta: Expr::int(0), reading };
    let verdict = |claim: &Claim, measure, coupling: &Coupling, comparison| {
        let context = context(&mechanism, measure);
        let post = Assertion::new(&context, goal(&context, claim, comparison)).unwrap();
        let judgement = sample(&context, &mechanism.body[0], coupling, &post).unwrap();
        let evidence = Evidence::Absurd(0);
        let side = Side { judgement: &judgement, evidence: &evidence };
        privacy(&mechanism, claim, &[], comparison, &[side]).unwrap_err()
    };
    let differs = |reading, measure, coupling: &Coupling| {
        let no = verdict(&claim(reading), measure, coupling, Comparison::Equal);
        matches!(no, Rejection::ContextDiffers)
    };
    assert!(differs(Reading::Reals, Measure::Concentrated, &equal()));
    assert!(differs(Reading::Rho, Measure::Pure, &Coupling::Null));
    assert!(differs(Reading::Mu, Measure::Pure, &Coupling::Null));
    assert!(!differs(Reading::Rho, Measure::Concentrated, &equal()));
    // A claim in ρ has no δ.
    let with_delta = Claim { delta: Expr::int(1), ..claim(Reading::Rho) };
    let no = verdict(&with_delta, Measure::Concentrated, &equal(), Comparison::Equal);
    assert!(matches!(no, Rejection::ClaimNotCovered { .. }));
}

#[test]
fn mu_rests_on_normal_noise_and_nothing_is_pointwise() {
    let laws = [
        (gaussian(), false),
        (Distribution::DiscreteGaussian { center: x(), deviation: s() }, true),
        (Distribution::Laplace { center: x(), scale: s() }, true),
        (Distribution::Bernoulli(x()), true),
    ];
    for (law, refused) in laws {
        let mechanism = mechanism(law);
        let claim = Claim { epsilon: Expr::int(1), delta: Expr::int(0), reading: Reading::Mu };
        let context = context(&mechanism, Measure::Concentrated);
        let wanted = goal(&context, &claim, Comparison::Equal);
        assert!(wanted.to_string().contains("0 <= 1 and cost <= 1 * 1 / 2"), "{wanted}");
        let post = Assertion::new(&context, wanted).unwrap();
        let judgement = sample(&context, &mechanism.body[0], &equal(), &post).unwrap();
        let evidence = Evidence::Absurd(0);
        let side = Side { judgement: &judgement, evidence: &evidence };
        let no = privacy(&mechanism, &claim, &[], Comparison::Equal, &[side]).unwrap_err();
        assert_eq!(matches!(no, Rejection::NotGaussian { .. }), refused, "{no}");
    }
    let mechanism = mechanism(Distribution::DiscreteGaussian { center: x(), deviation: s() });
    let claim = Claim { epsilon: Expr::int(1), delta: Expr::int(0), reading: Reading::Rho };
    let context = context(&mechanism, Measure::Concentrated);
    let post = Assertion::new(&context, goal(&context, &claim, Comparison::Pointwise)).unwrap();
    let judgement = sample(&context, &mechanism.body[0], &equal(), &post).unwrap();
    let evidence = Evidence::Absurd(0);
    let side = Side { judgement: &judgement, evidence: &evidence };
    let no = privacy(&mechanism, &claim, &[], Comparison::Pointwise, &[side]).unwrap_err();
    assert!(matches!(no, Rejection::WrongMeasure { .. }), "{no}");
}

/// A rule that gives up a part of a law for a draw that moves.
type PartRule =
    fn(&Arc<Context>, &Statement, (&Expr, &Expr), &Expr, &Assertion) -> Result<Judgement, Rejection>;

/// Every rule that the kernel names, and the test in which it must say no in the other measure; none where what it says holds in both: rules
/// for programs, and those about mechanisms with the same law. A rule that is not here fails this test.
#[test]
fn every_rule_has_a_measure() {
    let rules = [
        (
            "AXUNIF LAPGEN DLAPGEN EXPGEN GEOGEN GUMGEN",
            "couplings_of_different_values_are_no_rules_of_the_concentrated_measure",
        ),
        (
            "UP-TO-BAD SIGNED-LOG MAXDIV DENSITY SPLIT WHILE",
            "blocks_tails_signs_and_endless_loops_are_pure_only",
        ),
        ("SELECT", "select_is_pure"),
        ("CASES", "cases_are_pure"),
        ("REDRAW", "redraw_is_pure"),
        ("PERMUTE-FLIP", "permute_and_flip_is_pure"),
        ("PW-EQ", "mu_rests_on_normal_noise_and_nothing_is_pointwise"),
        ("FORESEE", "foresee_is_for_epsilon"),
        ("GROUP-DELTA", "groups_with_delta_are_over_the_reals"),
        ("AMPLIFY", "samples_are_for_epsilon_and_delta"),
        (
            "GAUSS DGAUSS BOUNDED-LOSS BOUNDED-RATIO",
            "equal_values_are_for_the_concentrated_measure_and_laws_of_bounded_loss",
        ),
        ("GDP-NORMAL GDP-TAIL ZCDP-ORDER ZCDP-TAIL", "conversions_are_from_their_measures"),
        // With a condition of its own in each measure.
        ("CHOOSE BOUNDED-RANGE", "a_choice_needs_scores_that_are_near"),
        ("CALL CALL-RHO CALL-MU CALL-PURE", "a_call_costs_what_its_measure_says"),
        ("GROUP", "a_group_shares_by_its_measure"),
        ("ALIKE APPEND ASSIGN AXNULL FOR-ONCE ONE-SIDED", ""),
        ("CENTER CONDITIONAL DIFFERENCE-LAW ENTRY EXPONENTIAL-LAW FIRST-ROUND GUMBEL-LAW HOIST", ""),
        ("INLINE INVERSE-LAW JOIN", ""),
        ("LAPLACE-LAW MERGE MIXTURE-LAW NAME ONE-DRAW RANGE RESPONSE-LAW SIGN-LAW TAIL UNROLL", ""),
    ];
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut sources, mut tests) = (String::new(), String::new());
    texts(&crate_folder.join("src"), &mut sources);
    texts(&crate_folder.join("tests"), &mut tests);
    let is_name = |text: &&str| {
        text.len() > 3 && text.chars().all(|c| c.is_ascii_uppercase() || c == '-') && !text.starts_with('-')
    };
    // Of each line what stands between its quotation marks; the theorem about floats is in no measure of judgements.
    let quoted = sources.lines().flat_map(|line| line.split('"').skip(1).step_by(2));
    let named: BTreeSet<&str> = quoted.filter(is_name).filter(|name| *name != "THRESHOLD").collect();
    let known: BTreeSet<&str> = rules.iter().flat_map(|(names, _)| names.split(' ')).collect();
    assert_eq!(named, known);
    for (names, test) in rules {
        let is_there = test.is_empty() || tests.contains(&format!("#[test]\nfn {test}()"));
        assert!(is_there, "{names}: there is no test {test}");
    }
}

/// What the Rust files of a folder say.
fn texts(folder: &Path, all: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts(&path, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            all.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}
