//! Calls: the theorem of one mechanism in the proof of another, and where the rule must say no.

use std::sync::Arc;

use probity_exact::Rational;
use probity_kernel::call::{Price, call};
use probity_kernel::concentrated::Measure;
use probity_kernel::context::{Context, Orientation};
use probity_kernel::entail::{Evidence, Product};
use probity_kernel::expand::expanded;
use probity_kernel::expr::{Expr, Run, Variable};
use probity_kernel::privacy::{Comparison, Side, Theorem, goal, privacy};
use probity_kernel::rejection::Rejection;
use probity_kernel::rules::{Assertion, skip};
use probity_kernel::sampling::sample;
use probity_kernel::term::{
    Adjacency, Called, Claim, Coupling, Distribution, Field, Input, Mechanism, Param, Reading, Sort,
    Statement,
};

fn int(n: i64) -> Expr {
    Expr::int(n)
}

fn claim(reading: Reading) -> Claim {
    Claim { epsilon: Expr::var("eps"), delta: int(0), reading }
}

fn near(bound: Expr) -> Adjacency {
    Adjacency::Related((Expr::of("x", Run::Second) - Expr::of("x", Run::First)).abs().le(bound))
}

/// A mechanism that releases 0 and says of its input what the adjacency says.
fn inner(sort: Sort, adjacency: Adjacency) -> Mechanism {
    Mechanism {
        name: "inner".into(),
        inputs: vec![Input { name: "x".into(), sort }],
        params: vec![Param { name: "eps".into(), sort: Sort::Real }],
        assumptions: vec![Expr::var("eps").gt(int(0))],
        body: vec![],
        output: int(0),
        adjacency: vec![adjacency],
    }
}

/// Its theorem: nothing is lost, so anything positive is claimed.
fn theorem(mechanism: &Mechanism, claim: &Claim) -> Theorem {
    let mut judgements = Vec::new();
    for orientation in [Orientation::Forward, Orientation::Backward] {
        let measure = Measure::of(claim.reading);
        let context = Arc::new(Context::measured(mechanism, orientation, measure).unwrap());
        let post = Assertion::new(&context, goal(&context, claim, Comparison::Equal)).unwrap();
        // The range of a category is two facts.
        let ranges = context.facts().iter().filter(|fact| fact.to_string().contains(" and ")).count();
        judgements.push((skip(&context, &post), context.facts().len() + ranges));
    }
    let symbolic = claim.epsilon == Expr::var("eps");
    // The first fact is eps > 0; after those of the context stand cost = 0 and that the cost is above eps.
    let evidence: Vec<Evidence> = judgements
        .iter()
        .map(|(_, known)| {
            let product = |fact| Product { coefficient: Rational::ONE, scale: vec![], facts: vec![fact] };
            let flat =
                if matches!(mechanism.adjacency[0], Adjacency::Related(_)) { known + 1 } else { *known };
            Evidence::Combination {
                products: [(symbolic, 0), (true, flat + 1)]
                    .into_iter()
                    .filter(|(used, _)| *used)
                    .map(|(_, fact)| product(fact))
                    .collect(),
                equations: vec![(flat, int(1))],
            }
        })
        .collect();
    let sides: Vec<Side<'_>> = judgements
        .iter()
        .zip(&evidence)
        .map(|((judgement, _), evidence)| Side { judgement, evidence })
        .collect();
    privacy(mechanism, claim, &[], Comparison::Equal, &sides).unwrap()
}

fn called(mechanism: Mechanism, claim: Claim, input: Expr, param: Expr) -> Called {
    Called { mechanism, claim, inputs: vec![input], params: vec![param], released: Sort::Int }
}

fn draw(called: Called) -> Statement {
    Statement::Draw { var: "y".into(), law: Distribution::Called(Box::new(called)) }
}

/// A mechanism that calls the inner one: inputs a, an integer, and q, a list; parameters e > 0 and eps.
fn outer(statement: Statement) -> Mechanism {
    Mechanism {
        name: "outer".into(),
        inputs: vec![
            Input { name: "a".into(), sort: Sort::Int },
            Input { name: "q".into(), sort: Sort::RealList },
        ],
        params: ["e", "eps"].map(|name| Param { name: name.into(), sort: Sort::Real }).into(),
        assumptions: vec![Expr::var("e").gt(int(0))],
        body: vec![statement],
        output: Expr::var("y"),
        adjacency: vec![Adjacency::OneEntry { list: "q".into(), bound: int(3) }],
    }
}

fn price(free: bool) -> Price {
    if free { Price::Free } else { Price::Paid }
}

fn pre(statement: &Statement, theorem: &Theorem, measure: Measure, free: bool) -> Result<String, Rejection> {
    priced(statement, theorem, measure, price(free))
}

fn priced(
    statement: &Statement,
    theorem: &Theorem,
    measure: Measure,
    paid: Price,
) -> Result<String, Rejection> {
    let context =
        Arc::new(Context::measured(&outer(statement.clone()), Orientation::Forward, measure).unwrap());
    let same = Expr::of("y", Run::First).equals(Expr::of("y", Run::Second)).and(Expr::cost().le(int(9)));
    let post = Assertion::new(&context, same).unwrap();
    let judgement = call(&context, statement, theorem, paid, &post)?;
    Ok(format!("{} up to {}", judgement.pre().formula(), judgement.delta()))
}

/// A call that pays where its arguments differ: they are equal or neighbours, and only where they are equal nothing is paid.
#[test]
fn a_call_may_pay_where_its_arguments_differ() {
    let mechanism = inner(Sort::Real, near(Expr::var("eps")));
    let known = theorem(&mechanism, &claim(Reading::Reals));
    let half = Expr::var("eps") / int(2);
    let statement = draw(called(mechanism, claim(Reading::Reals), Expr::var("a"), half));
    let needed = priced(&statement, &known, Measure::Pure, Price::IfDifferent).unwrap();
    for part in [
        "eps / 2 == eps / 2",
        "(a == a' or (abs(a' - a) <= eps / 2 or abs(a - a') <= eps / 2))",
        "cost + (if a == a' then 0 else eps / 2) <= 9",
    ] {
        assert!(needed.contains(part), "{part} is not in {needed}");
    }
    // What is given up is given up whether they differ or not.
    let given_up = Claim { delta: Expr::var("eps") * int(0), ..claim(Reading::Reals) };
    let mechanism = inner(Sort::Real, near(Expr::var("eps")));
    let known = theorem(&mechanism, &given_up);
    let statement = draw(called(mechanism, given_up, Expr::var("a"), Expr::var("eps")));
    let needed = priced(&statement, &known, Measure::Pure, Price::IfDifferent).unwrap();
    assert!(needed.ends_with("up to max(0, eps * 0)"), "{needed}");
}

/// Of lists it is not known in the formulas whether they are equal.
#[test]
fn a_call_with_a_list_pays_or_does_not() {
    let every = Adjacency::EveryEntry { list: "x".into(), bound: Expr::var("eps") };
    let mechanism = inner(Sort::RealList, every);
    let known = theorem(&mechanism, &claim(Reading::Reals));
    let statement = draw(called(mechanism, claim(Reading::Reals), Expr::var("q"), Expr::var("e")));
    let answer = priced(&statement, &known, Measure::Pure, Price::IfDifferent);
    assert!(matches!(answer, Err(Rejection::ClaimNotCovered { .. })), "{answer:?}");
    assert!(priced(&statement, &known, Measure::Pure, Price::Paid).is_ok());
}

#[test]
fn a_call_needs_neighbours_assumptions_and_equal_parameters() {
    let mechanism = inner(Sort::Real, near(Expr::var("eps")));
    let known = theorem(&mechanism, &claim(Reading::Reals));
    let half = Expr::var("eps") / int(2);
    let statement = draw(called(mechanism, claim(Reading::Reals), Expr::var("a") + Expr::var("eps"), half));
    let needed = pre(&statement, &known, Measure::Pure, false).unwrap();
    for part in [
        "eps / 2 == eps / 2",
        "eps / 2 > 0 and eps / 2 > 0",
        // In one order or the other; the caller's eps is not the called mechanism's.
        "(abs(a' + eps - (a + eps)) <= eps / 2 or abs(a + eps - (a' + eps)) <= eps / 2)",
        "y#0 == y#0 and cost + eps / 2 <= 9",
        "up to 0",
    ] {
        assert!(needed.contains(part), "{part} is not in {needed}");
    }
    // What may differ is asked of both runs.
    let mechanism = inner(Sort::Real, near(Expr::var("eps")));
    let assumed = Mechanism { assumptions: vec![Expr::var("eps").gt(int(0))], ..mechanism };
    let own = draw(called(assumed, claim(Reading::Reals), Expr::var("a"), Expr::var("a")));
    let needed = pre(&own, &known, Measure::Pure, false).unwrap();
    assert!(needed.starts_with("a == a' and a > 0 and a' > 0 and "), "{needed}");
    // Equal arguments are free.
    let free = pre(&statement, &known, Measure::Pure, true).unwrap();
    assert!(free.contains("a + eps == a' + eps and (y#0 == y#0 and cost <= 9)"), "{free}");
    assert!(!free.contains("abs"), "{free}");
}

#[test]
fn a_call_is_by_the_theorem_of_its_mechanism() {
    let (one, other) = (inner(Sort::Real, near(int(1))), inner(Sort::Real, near(int(2))));
    let statement = draw(called(one.clone(), claim(Reading::Reals), Expr::var("a"), Expr::var("e")));
    assert!(pre(&statement, &theorem(&one, &claim(Reading::Reals)), Measure::Pure, false).is_ok());
    let wrong = pre(&statement, &theorem(&other, &claim(Reading::Reals)), Measure::Pure, false);
    assert_eq!(wrong.unwrap_err(), Rejection::ContextDiffers);
    let rho = theorem(&one, &claim(Reading::Rho));
    assert_eq!(pre(&statement, &rho, Measure::Pure, false).unwrap_err(), Rejection::ContextDiffers);
    let laplace = Distribution::Laplace { center: int(0), scale: int(1) };
    let other_draw = Statement::Draw { var: "y".into(), law: laplace };
    let known = theorem(&one, &claim(Reading::Reals));
    let answer = pre(&other_draw, &known, Measure::Pure, false);
    assert!(matches!(answer, Err(Rejection::WrongStatement { .. })));
}

#[test]
fn no_other_rule_is_for_a_call() {
    let mechanism = inner(Sort::Real, near(int(1)));
    let statement = draw(called(mechanism, claim(Reading::Reals), Expr::var("a"), Expr::var("e")));
    let context = Arc::new(Context::new(&outer(statement.clone()), Orientation::Forward).unwrap());
    let post = Assertion::new(&context, Expr::Bool(true)).unwrap();
    let answer = sample(&context, &statement, &Coupling::Null, &post);
    assert!(matches!(answer, Err(Rejection::NoSuchCoupling { .. })));
}

#[test]
fn a_call_costs_what_its_measure_says() {
    let mechanism = inner(Sort::Real, near(int(1)));
    let cost = |reading, measure| {
        let two = Claim { epsilon: int(2), ..claim(reading) };
        let known = theorem(&mechanism, &two);
        let statement = draw(called(mechanism.clone(), two, Expr::var("a"), Expr::var("e")));
        pre(&statement, &known, measure, false)
    };
    let (pure, concentrated) = (Measure::Pure, Measure::Concentrated);
    assert!(cost(Reading::Reals, pure).unwrap().contains("cost + 2 <= 9"));
    assert!(cost(Reading::Rho, concentrated).unwrap().contains("cost + 2 <= 9"));
    assert!(cost(Reading::Mu, concentrated).unwrap().contains("cost + 2 * 2 / 2 <= 9"));
    assert!(cost(Reading::Reals, concentrated).unwrap().contains("cost + 2 * 2 / 2 <= 9"));
    assert!(matches!(cost(Reading::Rho, pure), Err(Rejection::WrongMeasure { .. })));
    assert!(matches!(cost(Reading::Mu, pure), Err(Rejection::WrongMeasure { .. })));
}

#[test]
fn a_call_that_may_not_end_has_no_cost_in_rho() {
    let endless = |mechanism: Mechanism| Mechanism {
        body: vec![Statement::While { label: "w".into(), guard: Expr::Bool(false), body: vec![] }],
        ..mechanism
    };
    let mechanism = inner(Sort::Real, near(int(1)));
    let statement =
        |m: &Mechanism| draw(called(m.clone(), claim(Reading::Reals), Expr::var("a"), Expr::var("e")));
    // The rule looks at the term before it looks at the theorem, which is about another one here.
    let known = theorem(&mechanism, &claim(Reading::Reals));
    assert!(pre(&statement(&mechanism), &known, Measure::Concentrated, false).is_ok());
    let answer = pre(&statement(&endless(mechanism)), &known, Measure::Concentrated, false);
    assert!(matches!(answer, Err(Rejection::ClaimNotCovered { .. })));
    // Also where a branch or a loop has it.
    let loops = || endless(inner(Sort::Real, near(int(1)))).body;
    let branch = |then, otherwise| vec![Statement::If { guard: Expr::var("x").le(int(0)), then, otherwise }];
    let rounds = |body| vec![Statement::For { index: "i".into(), from: int(0), to: int(2), body }];
    for (body, ends) in [
        (branch(loops(), vec![]), false),
        (branch(vec![], loops()), false),
        (branch(vec![], vec![]), true),
        (rounds(loops()), false),
        (rounds(vec![]), true),
    ] {
        let other = Mechanism { body, ..inner(Sort::Real, near(int(1))) };
        let answer = pre(&statement(&other), &known, Measure::Concentrated, false);
        // One that ends is refused for its theorem, which is about another mechanism.
        assert_eq!(matches!(answer, Err(Rejection::ContextDiffers)), ends, "{answer:?}");
        assert_eq!(matches!(answer, Err(Rejection::ClaimNotCovered { .. })), !ends, "{answer:?}");
    }
    let nested = Mechanism {
        body: vec![statement(&endless(inner(Sort::Real, near(int(1)))))],
        inputs: vec![Input { name: "a".into(), sort: Sort::Real }],
        params: vec![Param { name: "e".into(), sort: Sort::Real }],
        assumptions: vec![],
        adjacency: vec![],
        ..inner(Sort::Real, near(int(1)))
    };
    let answer = pre(&statement(&nested), &known, Measure::Concentrated, false);
    assert!(matches!(answer, Err(Rejection::ClaimNotCovered { .. })));
}

#[test]
fn lists_that_are_passed_on_are_near() {
    let by = |adjacency: Adjacency| {
        let mechanism = inner(Sort::RealList, adjacency);
        let known = theorem(&mechanism, &claim(Reading::Reals));
        let statement = draw(called(mechanism, claim(Reading::Reals), Expr::var("q"), Expr::var("e")));
        pre(&statement, &known, Measure::Pure, false)
    };
    let list = || "x".into();
    let every = by(Adjacency::EveryEntry { list: list(), bound: int(1) }).unwrap();
    assert!(every.contains("apart(q, -(1), 1)"), "{every}");
    let grows = by(Adjacency::EveryEntryGrows { list: list(), bound: int(1) }).unwrap();
    assert!(grows.contains("apart(q, 0, 1)") && grows.contains("or apart(q, -(1), 0)"), "{grows}");
    // The caller's list changes in one entry, by at most 3.
    let one = by(Adjacency::OneEntry { list: list(), bound: int(2) }).unwrap();
    assert!(one.contains("3 <= 2"), "{one}");
    let summed = by(Adjacency::Norm { list: list(), bound: int(2), squares: false });
    assert!(matches!(summed, Err(Rejection::ClaimNotCovered { .. })));
    // A list of which the caller does not say that one entry changes.
    let mechanism = inner(Sort::RealList, Adjacency::OneEntry { list: list(), bound: int(2) });
    let known = theorem(&mechanism, &claim(Reading::Reals));
    let statement = draw(called(mechanism, claim(Reading::Reals), Expr::var("q"), Expr::var("e")));
    let caller = |clause: Adjacency| {
        let mut caller = Mechanism { adjacency: vec![clause], ..outer(statement.clone()) };
        caller.inputs.push(Input { name: "r".into(), sort: Sort::RealList });
        let context = Arc::new(Context::new(&caller, Orientation::Forward).unwrap());
        let post = Assertion::new(&context, Expr::Bool(true)).unwrap();
        call(&context, &statement, &known, Price::Paid, &post)
    };
    let of = |lists: &[&str]| lists.iter().map(|list| (*list).into()).collect();
    for clause in [
        Adjacency::EveryEntry { list: "q".into(), bound: int(1) },
        Adjacency::OneEntry { list: "r".into(), bound: int(1) },
        Adjacency::OneEntryOf { lists: of(&["r"]), bound: int(1) },
    ] {
        assert!(matches!(caller(clause), Err(Rejection::ClaimNotCovered { .. })));
    }
    assert!(caller(Adjacency::OneEntry { list: "q".into(), bound: int(1) }).is_ok());
    assert!(caller(Adjacency::OneEntryOf { lists: of(&["r", "q"]), bound: int(1) }).is_ok());
}

#[test]
fn calls_are_well_formed() {
    let mechanism = inner(Sort::Real, near(int(1)));
    let refused = |called: Called| Context::new(&outer(draw(called)), Orientation::Forward).is_err();
    let fine = || called(mechanism.clone(), claim(Reading::Reals), Expr::var("a"), Expr::var("e"));
    assert!(!refused(fine()));
    assert!(refused(Called { inputs: vec![], ..fine() }));
    assert!(refused(Called { params: vec![], ..fine() }));
    assert!(refused(Called { inputs: vec![Expr::Bool(true)], ..fine() }));
    assert!(refused(Called { inputs: vec![Expr::var("q")], ..fine() }));
    assert!(refused(Called { params: vec![Expr::Bool(true)], ..fine() }));
    let whole = |sort: Sort| Mechanism {
        inputs: vec![Input { name: "x".into(), sort }],
        adjacency: vec![],
        ..mechanism.clone()
    };
    let with =
        |sort: Sort, input: Expr| refused(Called { mechanism: whole(sort), inputs: vec![input], ..fine() });
    assert!(with(Sort::Int, int(1) / int(2)) && !with(Sort::Int, int(1)));
    assert!(with(Sort::RealList, int(1)) && !with(Sort::RealList, Expr::var("q")));
    // A list of reals is none of integers.
    assert!(with(Sort::IntList, Expr::var("q")));
    assert!(with(Sort::Rows(vec![]), Expr::var("q")) && with(Sort::Rows(vec![]), int(1)));
    let bounded = Mechanism {
        assumptions: vec![Expr::Var(Variable::Entry("x".into())).le(int(1))],
        ..whole(Sort::RealList)
    };
    assert!(refused(Called { mechanism: bounded, inputs: vec![Expr::var("q")], ..fine() }));
    let list = Mechanism {
        body: vec![Statement::Assign { var: "out".into(), value: Expr::EmptyList }],
        output: Expr::var("out"),
        ..mechanism.clone()
    };
    assert!(refused(Called { mechanism: list.clone(), ..fine() }));
    assert!(refused(Called { mechanism: list, released: Sort::RealList, ..fine() }));
    // What is stated of the output is what it is.
    assert!(
        refused(Called { released: Sort::Real, ..fine() })
            && refused(Called { released: Sort::Bool, ..fine() })
    );
    let whole_number = Mechanism { output: int(1) / int(2), ..mechanism.clone() };
    assert!(refused(Called { mechanism: whole_number.clone(), ..fine() }));
    assert!(!refused(Called { mechanism: whole_number, released: Sort::Real, ..fine() }));
    // And what is called is well typed itself.
    let odd = Mechanism { output: int(1) + Expr::Bool(true), ..mechanism.clone() };
    assert!(refused(Called { mechanism: odd, ..fine() }));
}

#[test]
fn a_call_says_which_mechanism_is_called() {
    let named = |name: &str| Mechanism { name: name.into(), ..inner(Sort::Real, near(int(1))) };
    let other = |name: &str| Mechanism { output: int(1), ..named(name) };
    let body = |mechanisms: Vec<Mechanism>| {
        let one = |m: Mechanism| draw(called(m, claim(Reading::Reals), Expr::var("a"), Expr::var("e")));
        mechanisms.into_iter().map(one).collect::<Vec<_>>()
    };
    let refused = |body: Vec<Statement>| {
        let mechanism = Mechanism { body: body.clone(), ..outer(body[0].clone()) };
        Context::new(&mechanism, Orientation::Forward).is_err()
    };
    assert!(!refused(body(vec![named("f"), named("f"), other("g")])));
    assert!(refused(body(vec![named("f"), other("f")])));
    assert!(refused(body(vec![named("laplace")])));
    assert!(refused(body(vec![named("f g")])));
    // In a branch as well, and with the same text but another claim.
    let branch = Statement::If { guard: Expr::Bool(true), then: body(vec![other("f")]), otherwise: vec![] };
    assert!(refused([body(vec![named("f")]), vec![branch]].concat()));
    let rounds = |name: &str| Statement::For {
        index: "i".into(),
        from: int(0),
        to: int(2),
        body: body(vec![other(name)]),
    };
    assert!(refused([body(vec![named("f")]), vec![rounds("f")]].concat()));
    assert!(!refused([body(vec![named("f")]), vec![rounds("g")]].concat()));
    let free = Claim { epsilon: int(0), ..claim(Reading::Reals) };
    let again = draw(called(named("f"), free, Expr::var("a"), Expr::var("e")));
    assert!(refused([body(vec![named("f")]), vec![again]].concat()));
    // Inside what is called.
    let inside = |m: Mechanism| Mechanism { body: m.body, ..named("h") };
    let two = outer(draw(called(named("f"), claim(Reading::Reals), int(0), int(1))));
    let alike = Mechanism {
        body: vec![
            draw(called(named("f"), claim(Reading::Reals), int(0), int(1))),
            draw(called(other("f"), claim(Reading::Reals), int(0), int(1))),
        ],
        ..two.clone()
    };
    assert!(!refused(body(vec![inside(two)])) && refused(body(vec![inside(alike)])));
}

#[test]
fn laws_are_shown_under_their_names() {
    let one = || int(1);
    let scores = || Expr::var("q");
    let laws = [
        Distribution::Uniform,
        Distribution::Sign,
        Distribution::Bernoulli(one()),
        Distribution::UniformInt { low: one(), high: one() },
        Distribution::UniformOther { value: one(), count: one() },
        Distribution::Response { value: one(), truth: one(), count: one() },
        Distribution::Choose { scores: scores(), scale: one() },
        Distribution::PermuteAndFlip { scores: scores(), scale: one() },
        Distribution::Sample { table: Expr::var("t"), rate: one() },
        Distribution::Laplace { center: one(), scale: one() },
        Distribution::DiscreteLaplace { center: one(), scale: one() },
        Distribution::Gaussian { center: one(), deviation: one() },
        Distribution::DiscreteGaussian { center: one(), deviation: one() },
        Distribution::Gumbel { center: one(), scale: one() },
        Distribution::Exponential { scale: one() },
        Distribution::Geometric { scale: one() },
    ];
    let shown: Vec<String> =
        laws.iter().map(|law| law.to_string().split('(').next().unwrap().to_owned()).collect();
    assert_eq!(shown, probity_kernel::law::NAMES);
}

#[test]
fn categories_are_in_range_and_lists_of_one_length() {
    let any = |sort: Sort| Mechanism { adjacency: vec![], ..inner(sort, near(int(1))) };
    let count = any(Sort::Category { count: int(4) });
    let known = theorem_of(&count);
    let statement = draw(called(count, claim(Reading::Reals), Expr::var("a"), Expr::var("e")));
    let needed = pre(&statement, &known, Measure::Pure, false).unwrap();
    assert!(needed.contains("0 <= a and a < 4") && needed.contains("0 <= a' and a' < 4"), "{needed}");
    // A list that the program fills may be longer in one run.
    let list = any(Sort::RealList);
    let known = theorem_of(&list);
    let statement = draw(called(list, claim(Reading::Reals), Expr::var("out"), Expr::var("e")));
    let filled = Mechanism {
        body: vec![
            Statement::Assign { var: "out".into(), value: Expr::EmptyList },
            Statement::Append { list: "out".into(), value: int(1) },
            statement.clone(),
        ],
        ..outer(statement.clone())
    };
    let context = Arc::new(Context::new(&filled, Orientation::Forward).unwrap());
    let post = Assertion::new(&context, Expr::Bool(true)).unwrap();
    let judgement = call(&context, &statement, &known, Price::Paid, &post).unwrap();
    let needed = judgement.pre().formula().to_string();
    assert!(needed.contains("length(out) == length(out')"), "{needed}");
}

/// The theorem of a mechanism without a clause about its inputs.
fn theorem_of(mechanism: &Mechanism) -> Theorem {
    let claim = claim(Reading::Reals);
    let context = Arc::new(Context::new(mechanism, Orientation::Forward).unwrap());
    let post = Assertion::new(&context, goal(&context, &claim, Comparison::Equal)).unwrap();
    let judgement = skip(&context, &post);
    // eps > 0; for a category four inequalities, for a list that of its length; cost = 0; the cost is above eps.
    let cost = if matches!(mechanism.inputs[0].sort, Sort::Category { .. }) { 5 } else { 2 };
    let product = |fact| Product { coefficient: Rational::ONE, scale: vec![], facts: vec![fact] };
    let evidence = Evidence::Combination {
        products: vec![product(0), product(cost + 1)],
        equations: vec![(cost, int(1))],
    };
    let side = Side { judgement: &judgement, evidence: &evidence };
    privacy(mechanism, &claim, &[], Comparison::Equal, &[side]).unwrap()
}

#[test]
fn what_is_given_up_is_public() {
    let mechanism = inner(Sort::Real, near(int(1)));
    // A number that is 0, and is written with a parameter.
    let given = Claim { delta: Expr::var("eps") * int(0), ..claim(Reading::Reals) };
    let known = theorem(&mechanism, &given);
    let with = |param: Expr| draw(called(mechanism.clone(), given.clone(), Expr::var("a"), param));
    let fine = pre(&with(Expr::var("e")), &known, Measure::Pure, false).unwrap();
    assert!(fine.ends_with("up to max(0, e * 0)"), "{fine}");
    let private = pre(&with(Expr::var("a")), &known, Measure::Pure, false);
    assert!(matches!(private, Err(Rejection::NotPublic { .. })));
    // Not in ρ, which has no δ.
    let no = pre(&with(Expr::var("e")), &known, Measure::Concentrated, false);
    assert!(matches!(no, Err(Rejection::WrongMeasure { .. })));
}

#[test]
fn a_call_means_its_statements() {
    let mechanism = Mechanism {
        body: vec![Statement::Assign { var: "y".into(), value: Expr::var("x") * Expr::var("eps") }],
        output: Expr::var("y") + int(1),
        ..inner(Sort::Real, near(int(1)))
    };
    let statement = draw(called(mechanism, claim(Reading::Reals), Expr::var("a"), Expr::var("e")));
    let body: String = expanded(&outer(statement)).body.iter().map(|s| s.to_string()).collect();
    assert_eq!(body, "_1_x = a\n_1_eps = e\n_1_y = _1_x * _1_eps\ny = _1_y + 1\n");
}

#[test]
fn a_theorem_shows_what_is_called() {
    let statement =
        draw(called(inner(Sort::Real, near(int(1))), claim(Reading::Reals), Expr::var("a"), Expr::var("e")));
    let shown = outer(statement).to_string();
    assert!(shown.contains("y ~ inner(a, e)"), "{shown}");
    assert!(shown.contains(
        "where inner has epsilon = eps, delta = 0, over the reals and is\n  mechanism inner(x: real)"
    ));
}

fn column(name: &str, sort: Sort) -> Field {
    Field { name: name.into(), sort }
}

/// What a call of a mechanism on tables needs, where the caller's table is p.
fn passed_on(
    (theirs, assumed, near): (&[Field], &[Expr], Adjacency),
    (ours, known, clause): (&[Field], &[Expr], Adjacency),
    (orientation, free): (Orientation, bool),
) -> Result<String, Rejection> {
    let mut mechanism = inner(Sort::Rows(theirs.to_vec()), near);
    mechanism.assumptions.extend_from_slice(assumed);
    let theorem = theorem(&mechanism, &claim(Reading::Reals));
    let statement = draw(called(mechanism, claim(Reading::Reals), Expr::var("p"), Expr::var("e")));
    let caller = Mechanism {
        inputs: vec![Input { name: "p".into(), sort: Sort::Rows(ours.to_vec()) }],
        assumptions: [vec![Expr::var("e").gt(int(0))], known.to_vec()].concat(),
        adjacency: vec![clause],
        ..outer(statement.clone())
    };
    let context = Arc::new(Context::new(&caller, orientation)?);
    let post = Assertion::new(&context, Expr::Bool(true)).unwrap();
    Ok(call(&context, &statement, &theorem, price(free), &post)?.pre().formula().to_string())
}

#[test]
fn tables_that_are_passed_on_are_neighbours() {
    let forward = (Orientation::Forward, false);
    let one = |table: &str| Adjacency::OneRow { table: table.into() };
    let replaced = |table: &str| Adjacency::RowReplaced { table: table.into() };
    let some = |table: &str| Adjacency::Rows { table: table.into(), most: int(2) };
    let of = |near, clause, how| passed_on((&[], &[], near), (&[], &[], clause), how);
    // The row is in the second run's table, or in the first's.
    assert!(of(one("x"), one("p"), forward).unwrap().contains("(true or false)"));
    assert!(of(one("x"), one("p"), (Orientation::Backward, false)).unwrap().contains("(false or true)"));
    assert!(of(replaced("x"), replaced("p"), forward).is_ok());
    for (near, clause) in [
        (one("x"), replaced("p")),
        (replaced("x"), one("p")),
        (one("x"), some("p")),
        (some("x"), some("p")),
        (some("x"), one("p")),
    ] {
        assert!(matches!(of(near, clause, forward), Err(Rejection::ClaimNotCovered { .. })));
    }
    // Tables that differ are not equal.
    let free = of(one("x"), one("p"), (Orientation::Forward, true));
    assert!(matches!(free, Err(Rejection::ClaimNotCovered { .. })));
}

#[test]
fn tables_that_are_passed_on_have_the_fields() {
    let one = |table: &str| Adjacency::OneRow { table: table.into() };
    let fits = |theirs: Sort, ours: &[Field]| {
        let how = (Orientation::Forward, false);
        passed_on((&[column("f", theirs)], &[], one("x")), (ours, &[], one("p")), how).is_ok()
    };
    let category = |count: i64| Sort::Category { count: int(count) };
    let sorts = || [Sort::Real, Sort::Int, Sort::Bool, category(3)];
    for (n, theirs) in sorts().into_iter().enumerate() {
        let accepts: Vec<bool> =
            sorts().into_iter().map(|ours| fits(theirs.clone(), &[column("f", ours)])).collect();
        let expected = match n {
            0 => [true, true, false, true],
            1 => [false, true, false, true],
            2 => [false, false, true, false],
            _ => [false, false, false, true],
        };
        assert_eq!(accepts, expected, "{theirs:?}");
    }
    assert!(!fits(category(3), &[column("f", category(4))]));
    // More fields, and none.
    assert!(fits(Sort::Int, &[column("g", Sort::Bool), column("f", Sort::Int)]));
    assert!(!fits(Sort::Int, &[column("g", Sort::Int)]));
    // A field is the one with its name.
    assert!(!fits(Sort::Int, &[column("g", Sort::Int), column("f", Sort::Bool)]));
}

#[test]
fn what_is_assumed_of_rows_is_assumed_by_the_caller() {
    let one = |table: &str| Adjacency::OneRow { table: table.into() };
    let age = |table: &str, most: i64| Expr::field(table, "age").le(int(most));
    let with = |known: &[Expr]| {
        let fields = [column("age", Sort::Int)];
        let how = (Orientation::Forward, false);
        passed_on((&fields, &[age("x", 9)], one("x")), (&fields, known, one("p")), how)
    };
    assert!(with(&[age("p", 9)]).is_ok());
    assert!(matches!(with(&[]), Err(Rejection::ClaimNotCovered { .. })));
    assert!(matches!(with(&[age("p", 10)]), Err(Rejection::ClaimNotCovered { .. })));
}

#[test]
fn tables_are_passed_on_by_name() {
    let mechanism =
        Mechanism { adjacency: vec![], ..inner(Sort::Rows(vec![column("f", Sort::Int)]), near(int(1))) };
    let by = |argument: Expr| {
        let statement = draw(called(mechanism.clone(), claim(Reading::Reals), argument, Expr::var("e")));
        let mut caller = outer(statement);
        caller.inputs.push(Input { name: "p".into(), sort: Sort::Rows(vec![column("f", Sort::Int)]) });
        Context::new(&caller, Orientation::Forward)
    };
    assert!(by(Expr::var("p")).is_ok());
    assert!(by(Expr::var("q")).is_err() && by(Expr::var("a")).is_err() && by(int(1)).is_err());
}

#[test]
fn a_call_on_a_table_means_its_statements() {
    let sum = Expr::sum(Variable::Plain("x".into()), Expr::field("x", "f").gt(Expr::var("eps")), int(1));
    let mechanism = Mechanism {
        body: vec![Statement::Assign { var: "n".into(), value: sum }],
        output: Expr::var("n"),
        adjacency: vec![],
        ..inner(Sort::Rows(vec![column("f", Sort::Int)]), near(int(1)))
    };
    let statement = draw(called(mechanism, claim(Reading::Reals), Expr::var("p"), Expr::var("e")));
    let body = expanded(&outer(statement)).body;
    let Statement::Assign { value, .. } = &body[1] else { panic!() };
    let theirs =
        Expr::sum(Variable::Plain("p".into()), Expr::field("p", "f").gt(Expr::var("_1_eps")), int(1));
    assert_eq!(*value, theirs);
}
