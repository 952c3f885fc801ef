//! Samples: every side condition where it must say no, beside the nearest input that it accepts.

use std::sync::Arc;

use probity_kernel::context::{Context, Orientation};
use probity_kernel::entail::{Evidence, Facts};
use probity_kernel::expr::{Expr, Name, Run, Variable};
use probity_kernel::fact::Fact;
use probity_kernel::kind::Kinds;
use probity_kernel::privacy::{Comparison, Side, Theorem, amplify, goal, obligation, privacy, start};
use probity_kernel::rejection::Rejection;
use probity_kernel::rules::{Assertion, skip};
use probity_kernel::sample::{amplified, of_parameters, sampled};
use probity_kernel::term::{
    Adjacency, Claim, Distribution, Field, Input, Mechanism, Param, Reading, Sort, Statement,
};

fn name(text: &str) -> Name {
    Name::new(text)
}

fn sample(var: &str, table: Expr, rate: Expr) -> Statement {
    Statement::Draw { var: name(var), law: Distribution::Sample { table, rate } }
}

fn drawn() -> Statement {
    sample("s", Expr::var("people"), Expr::var("q"))
}

fn rows_of(table: &str) -> Expr {
    Expr::sum(Variable::Plain(name(table)), Expr::Bool(true), Expr::int(1))
}

/// A constant beside a sample. What is assumed of the parameters contradicts itself, so that every condition on numbers has
/// evidence, and only those on the mechanism can fail.
fn constant() -> Mechanism {
    let people = Sort::Rows(vec![Field { name: name("age"), sort: Sort::Int }]);
    let real = |text: &str| Param { name: name(text), sort: Sort::Real };
    Mechanism {
        name: name("m"),
        inputs: vec![Input { name: name("people"), sort: people }],
        params: vec![real("eps"), real("q")],
        assumptions: vec![Expr::Bool(false), Expr::field("people", "age").le(Expr::int(9))],
        body: vec![drawn()],
        output: Expr::int(0),
        adjacency: vec![Adjacency::OneRow { table: name("people") }],
    }
}

fn with(change: impl FnOnce(&mut Mechanism)) -> Mechanism {
    let mut mechanism = constant();
    change(&mut mechanism);
    mechanism
}

fn claim(epsilon: Expr, reading: Reading) -> Claim {
    Claim { epsilon, delta: Expr::int(0), reading }
}

/// Where `false` is among the facts.
fn absurd(context: &Context, hypotheses: &[&Expr], goal: &Expr) -> Evidence {
    let facts = Facts::new(context, hypotheses, goal).unwrap();
    Evidence::Absurd(facts.list().iter().position(|fact| **fact == Fact::Any(vec![])).unwrap())
}

/// The theorem on a mechanism that does nothing, under assumptions that contradict each other.
fn vacuous(mechanism: &Mechanism, claim: &Claim) -> Theorem {
    let measure = probity_kernel::concentrated::Measure::of(claim.reading);
    let sides: Vec<_> = [Orientation::Forward, Orientation::Backward]
        .into_iter()
        .map(|orientation| {
            let context = Arc::new(Context::measured(mechanism, orientation, measure).unwrap());
            let post = Assertion::new(&context, goal(&context, claim, Comparison::Equal)).unwrap();
            let judgement = skip(&context, &post);
            let evidence = absurd(&context, &[&start()], &obligation(&judgement, claim));
            (judgement, evidence)
        })
        .collect();
    let sides: Vec<Side<'_>> =
        sides.iter().map(|(judgement, evidence)| Side { judgement, evidence }).collect();
    privacy(mechanism, claim, &[], Comparison::Equal, &sides).unwrap()
}

fn inner() -> Mechanism {
    sampled(&constant()).unwrap().inner
}

/// AMPLIFY with evidence for any numbers.
fn amplifies(mechanism: &Mechanism, inner: &Theorem, claim: &Claim) -> Result<Theorem, Rejection> {
    let parameters = of_parameters(mechanism).unwrap();
    let evidence = absurd(&parameters, &[], &Expr::Bool(true));
    amplify(mechanism, claim, inner, &evidence)
}

fn refused(mechanism: &Mechanism) -> bool {
    matches!(sampled(mechanism), Err(Rejection::ClaimNotCovered { .. }))
}

#[test]
fn a_sample_is_taken_off() {
    let inner = inner();
    assert_eq!(inner.inputs[0].name, name("s"));
    assert_eq!(inner.inputs[0].sort, constant().inputs[0].sort);
    assert_eq!(inner.adjacency, [Adjacency::OneRow { table: name("s") }]);
    // What holds of every row of the table holds of every row of the sample.
    assert_eq!(inner.assumptions[1].to_string(), "s.age <= 9");
    assert!(inner.body.is_empty());
    let share = claim(Expr::var("eps"), Reading::Reals);
    let theorem = amplifies(&constant(), &vacuous(&inner, &share), &share).unwrap();
    assert!(theorem.axioms().contains("AMPLIFY"));
    assert_eq!(theorem.mechanism(), &constant());
    // A statement before the draw stays before what follows it.
    let before = with(|m| m.body.insert(0, Statement::Assign { var: name("x"), value: Expr::int(1) }));
    assert_eq!(sampled(&before).unwrap().inner.body.len(), 1);
}

#[test]
fn samples_are_for_one_row_added_or_removed() {
    let people = || name("people");
    let adjacent = |clauses: Vec<Adjacency>| with(|m| m.adjacency = clauses);
    assert!(!refused(&adjacent(vec![Adjacency::OneRow { table: people() }])));
    assert!(refused(&adjacent(vec![Adjacency::RowReplaced { table: people() }])));
    assert!(refused(&adjacent(vec![Adjacency::Rows { table: people(), most: Expr::int(2) }])));
    assert!(refused(&adjacent(vec![])));
    let any = Adjacency::Related(Expr::Bool(true));
    assert!(refused(&adjacent(vec![Adjacency::OneRow { table: people() }, any])));
}

/// The constant with another input, and a clause about it.
fn beside(sort: Sort, clause: Option<Expr>) -> Mechanism {
    with(|m| {
        m.inputs.push(Input { name: name("x"), sort });
        m.adjacency.extend(clause.map(Adjacency::Related));
    })
}

#[test]
fn samples_are_beside_inputs_that_are_equal() {
    let (x, y) = (|| Expr::of("x", Run::First), || Expr::of("x", Run::Second));
    for sort in [Sort::Real, Sort::Int, Sort::Bool] {
        for equal in [y().equals(x()), x().equals(y())] {
            let inner = sampled(&beside(sort.clone(), Some(equal.clone()))).unwrap().inner;
            assert_eq!(inner.inputs[1].name, name("x"));
            assert_eq!(inner.adjacency, [Adjacency::OneRow { table: name("s") }, Adjacency::Related(equal)]);
            assert!(Context::new(&inner, Orientation::Forward).is_ok());
        }
        // Without a clause it is any number; with another one it is near, or said of one run alone.
        assert!(refused(&beside(sort, None)));
    }
    let near = (y() - x()).abs().le(Expr::int(1));
    for other in [near, y().le(x()), x().equals(x()), y().equals(Expr::int(1)), Expr::Bool(true)] {
        assert!(refused(&beside(Sort::Real, Some(other))));
    }
    // One of two inputs is not enough, nor is a list or a second table.
    let mut two = beside(Sort::Real, Some(y().equals(x())));
    two.inputs.push(Input { name: name("z"), sort: Sort::Real });
    assert!(refused(&two));
    let (people, list) = (constant().inputs[0].sort.clone(), Sort::RealList);
    for sort in [people, list] {
        assert!(refused(&beside(sort, Some(y().equals(x())))));
    }
    // What is assumed of such an input is not known of the parameters.
    let mut bounded = beside(Sort::Real, Some(y().equals(x())));
    bounded.assumptions = vec![Expr::var("x").gt(Expr::int(0)), Expr::var("q").le(Expr::int(1))];
    assert_eq!(of_parameters(&bounded).unwrap().mechanism().assumptions.len(), 1);
    // The claim is made of parameters, and not of such an input.
    let equal = beside(Sort::Real, Some(y().equals(x())));
    let share = claim(Expr::var("eps"), Reading::Reals);
    let theorem = vacuous(&sampled(&equal).unwrap().inner, &share);
    assert!(amplifies(&equal, &theorem, &share).is_ok());
    assert!(amplifies(&equal, &theorem, &claim(Expr::var("x"), Reading::Reals)).is_err());
}

#[test]
fn samples_are_of_a_table_that_is_an_input() {
    assert!(refused(&with(|m| m.inputs[0].sort = Sort::RealList)));
    assert!(refused(&with(|m| m.inputs.clear())));
    assert!(refused(&with(|m| m.body = vec![sample("s", Expr::var("s"), Expr::var("q"))])));
    assert!(refused(&with(|m| m.body = vec![sample("people", Expr::var("people"), Expr::var("q"))])));
}

#[test]
fn samples_are_drawn_once_at_the_top() {
    let branch = Statement::If { guard: Expr::Bool(true), then: vec![drawn()], otherwise: vec![] };
    assert!(refused(&with(|m| m.body = vec![branch])));
    assert!(refused(&with(|m| m.body = vec![])));
    // A second sample of the table is a second look at it; one of the sample is left, and is in no judgement.
    let again = |table: &str| with(|m| m.body.push(sample("t", Expr::var(table), Expr::var("q"))));
    assert!(refused(&again("people")));
    let left = sampled(&again("s")).unwrap().inner;
    assert!(matches!(Context::new(&left, Orientation::Forward), Err(Rejection::Malformed { .. })));
}

#[test]
fn the_table_is_seen_through_its_sample() {
    assert!(refused(&with(|m| m.output = rows_of("people"))));
    assert!(!refused(&with(|m| m.output = rows_of("s"))));
    let set = |var: &str, value: Expr| with(|m| m.body.push(Statement::Assign { var: name(var), value }));
    assert!(refused(&set("x", rows_of("people"))));
    assert!(!refused(&set("x", rows_of("s"))));
    // A field of the table, with the rows of the sample.
    let foreign = Expr::sum(Variable::Plain(name("s")), Expr::Bool(true), Expr::field("people", "age"));
    assert!(refused(&set("x", foreign)));
    // Another thing of the table's name.
    assert!(refused(&set("people", Expr::int(0))));
}

#[test]
fn samples_are_drawn_before_they_are_used() {
    let early = with(|m| m.body.insert(0, Statement::Assign { var: name("x"), value: rows_of("s") }));
    assert!(refused(&early));
}

#[test]
fn rates_are_public_numbers() {
    let rate = |rate: Expr| sampled(&with(|m| m.body = vec![sample("s", Expr::var("people"), rate)]));
    assert!(rate(Expr::var("q") / Expr::int(2)).is_ok());
    assert!(matches!(rate(rows_of("people")), Err(Rejection::NotPublic { .. })));
    assert!(matches!(rate(Expr::Bool(true)), Err(Rejection::NotANumber { .. })));
}

#[test]
fn the_table_itself_makes_sense() {
    assert!(sampled(&with(|m| m.inputs[0].name = name("people"))).is_ok());
    let named = |text: &str| {
        with(|m| {
            m.inputs[0].name = name(text);
            m.assumptions = vec![];
            m.adjacency = vec![Adjacency::OneRow { table: name(text) }];
            m.body = vec![sample("s", Expr::var(text), Expr::var("q"))];
        })
    };
    assert!(sampled(&named("rows")).is_ok());
    assert!(sampled(&named("eps")).is_err());
    assert!(sampled(&named("a b")).is_err());
}

#[test]
fn samples_are_for_epsilon_and_delta() {
    let share = |reading| claim(Expr::var("eps"), reading);
    let of = |reading| vacuous(&inner(), &share(reading));
    assert!(amplifies(&constant(), &of(Reading::Reals), &share(Reading::Reals)).is_ok());
    for reading in [Reading::Rho, Reading::Mu] {
        assert!(amplifies(&constant(), &of(reading), &share(reading)).is_err());
        assert!(amplifies(&constant(), &of(reading), &share(Reading::Reals)).is_err());
        assert!(amplifies(&constant(), &of(Reading::Reals), &share(reading)).is_err());
    }
    assert!(amplifies(&constant(), &of(Reading::Reals), &share(Reading::BINARY64)).is_err());
    // The claim is made of parameters.
    let private = claim(Expr::var("x"), Reading::Reals);
    assert!(amplifies(&constant(), &of(Reading::Reals), &private).is_err());
}

#[test]
fn the_theorem_is_about_what_is_done_to_the_sample() {
    let share = claim(Expr::var("eps"), Reading::Reals);
    let mut other = inner();
    other.output = Expr::int(1);
    assert!(amplifies(&constant(), &vacuous(&other, &share), &share).is_err());
    let mut replaced = inner();
    replaced.adjacency = vec![Adjacency::RowReplaced { table: name("s") }];
    assert!(amplifies(&constant(), &vacuous(&replaced, &share), &share).is_err());
}

/// What must hold of the numbers; `crates/prove/tests/sample.rs` has claims just above and below it.
#[test]
fn the_numbers_are_those_of_the_proof() {
    let from = Claim { epsilon: Expr::var("a"), delta: Expr::var("b"), reading: Reading::Reals };
    let to = Claim { epsilon: Expr::var("c"), delta: Expr::var("d"), reading: Reading::Reals };
    let parts = [
        "0 <= q",
        "q <= 1",
        "0 <= a",
        "0 <= b",
        "(ln(1 + q * (exp(a) - 1)) <= c or 1 + q * (exp(a) - 1) <= exp(c))",
        "q * b <= d",
    ];
    assert_eq!(amplified(&Expr::var("q"), &from, &to).to_string(), parts.join(" and "));
    // Evidence is asked for, and is about the parameters alone.
    let share = claim(Expr::var("eps"), Reading::Reals);
    let wrong = Evidence::Absurd(99);
    assert!(amplify(&constant(), &share, &vacuous(&inner(), &share), &wrong).is_err());
    let rows_only = with(|m| m.assumptions = vec![Expr::field("people", "age").lt(Expr::int(0))]);
    assert!(of_parameters(&rows_only).unwrap().facts().is_empty());
}

#[test]
fn no_judgement_is_about_a_sample() {
    let inside = |body: Vec<Statement>| Context::new(&with(|m| m.body = body), Orientation::Forward);
    assert!(inside(vec![]).is_ok());
    assert!(inside(vec![drawn()]).is_err());
    let (from, to) = (Expr::int(0), Expr::int(2));
    assert!(inside(vec![Statement::For { index: name("i"), from, to, body: vec![drawn()] }]).is_err());
    let branch = |then, otherwise| Statement::If { guard: Expr::Bool(true), then, otherwise };
    assert!(inside(vec![branch(vec![drawn()], vec![])]).is_err());
    assert!(inside(vec![branch(vec![], vec![drawn()])]).is_err());
    let label = name("l");
    let forever = Statement::While { label, guard: Expr::Bool(true), body: vec![drawn()] };
    assert!(inside(vec![forever]).is_err());
}

#[test]
fn samples_have_kinds() {
    let kinds = |statement: Statement| Kinds::new(&with(|m| m.body = vec![statement]));
    assert!(kinds(drawn()).is_ok());
    assert!(kinds(sample("s", Expr::var("q"), Expr::var("q"))).is_err());
    assert!(kinds(sample("s", rows_of("people"), Expr::var("q"))).is_err());
    assert!(kinds(sample("s", Expr::var("people"), Expr::Bool(true))).is_err());
    // Its rows have the fields of the table.
    let of = |field: &str| {
        let age = Expr::sum(Variable::Plain(name("s")), Expr::Bool(true), Expr::field("s", field));
        Kinds::new(&with(|m| m.output = age)).is_ok()
    };
    assert!(of("age") && !of("size"));
}
