//! REDRAW: a loop that draws until a round is accepted.

use std::sync::Arc;

use crate::common::*;

use probity_kernel::concentrated::Measure;
use probity_kernel::expr::Name;
use probity_kernel::redraw::{Rounds, accepted, leaves_no_trace, redraw};

fn guard() -> Expr {
    var("y").lt(int(0))
}

/// A round: y = 1.
fn once() -> Vec<Statement> {
    vec![assign("y", int(1))]
}

fn body() -> Vec<Statement> {
    vec![
        assign("y", int(1)),
        assign("z", int(2)),
        assign("w", int(3)),
        assign("l", Expr::EmptyList),
        append("l", int(1)),
    ]
}

fn side(orientation: Orientation, measure: Measure) -> Arc<Context> {
    Arc::new(Context::measured(&mechanism(body(), int(0)), orientation, measure).unwrap())
}

fn here() -> Arc<Context> {
    side(Orientation::Forward, Measure::Pure)
}

fn there() -> Arc<Context> {
    side(Orientation::Backward, Measure::Pure)
}

/// A judgement about a round that begins with what is never so, and with some fact more.
fn judged(context: &Arc<Context>, post: &Expr, amount: &Expr, fact: Expr) -> Judgement {
    let goal = assertion(context, accepted(context, &guard(), post, amount));
    let step = rules::assign(context, &once()[0], &goal).unwrap();
    rules::strengthen(&Expr::Bool(false).and(fact), &step, &Evidence::Absurd(KNOWN)).unwrap()
}

fn forth(amount: Expr) -> Judgement {
    judged(&here(), &same("y"), &amount, yes())
}

fn back(amount: Expr) -> Judgement {
    judged(&there(), &yes(), &amount, yes())
}

/// The rule, with evidence for a round that sets nothing but what is fresh.
fn ruled(
    rounds: Rounds,
    forth: &Judgement,
    back: &Judgement,
    post: &Expr,
    amounts: (&Expr, &Expr, &Expr),
) -> Result<Judgement, Rejection> {
    // What has to hold is true, and its negation comes last.
    let last = match rounds {
        Rounds::AndOneBefore => KNOWN + 1,
        Rounds::Loop => KNOWN + 2,
    };
    let found = |number| {
        let evidence = Evidence::Absurd(number);
        redraw((&Name::new("loop"), &guard(), rounds), (forth, back), post, amounts, &evidence)
    };
    match found(last) {
        Err(Rejection::NoSuchFact { .. }) => found(KNOWN),
        answer => answer,
    }
}

fn before(forth: &Judgement, back: &Judgement, a: i64, b: i64) -> Result<Judgement, Rejection> {
    ruled(Rounds::AndOneBefore, forth, back, &same("y"), (&int(a), &int(b), &var("eps")))
}

#[test]
fn redraw_pays_for_both_directions() {
    let whole = before(&forth(int(2)), &back(int(3)), 2, 3).unwrap();
    let after = whole.post().formula().to_string();
    assert!(after.ends_with("and cost <= eps + (2 + 3)"), "{after}");
    assert!(after.starts_with("not y < 0 and not y' < 0 and y == y'"), "{after}");
    assert!(whole.axioms().contains("REDRAW"));
    assert_eq!(whole.program().len(), 2);
    assert!(whole.pre().formula().to_string().contains("cost <= eps"));
}

#[test]
fn redraw_alone_begins_where_it_is_entered() {
    let (forth, back) = (forth(int(2)), back(int(3)));
    let alone = ruled(Rounds::Loop, &forth, &back, &same("y"), (&int(2), &int(3), &var("eps"))).unwrap();
    assert_eq!(alone.program().len(), 1);
    assert!(alone.pre().formula().to_string().ends_with("(y < 0 and y' < 0)"), "{}", alone.pre().formula());
}

#[test]
fn redraw_is_pure() {
    let of = |measure| {
        let forth = judged(&side(Orientation::Forward, measure), &same("y"), &int(2), yes());
        let back = judged(&side(Orientation::Backward, measure), &yes(), &int(3), yes());
        before(&forth, &back, 2, 3)
    };
    assert!(of(Measure::Pure).is_ok());
    assert!(matches!(of(Measure::Concentrated), Err(Rejection::WrongMeasure { .. })));
}

/// The accepted mass of the second run is bounded by that of the first, so the runs must be exchanged.
#[test]
fn redraw_is_judged_with_the_runs_exchanged() {
    let with =
        |context: Arc<Context>| before(&forth(int(2)), &judged(&context, &yes(), &int(3), yes()), 2, 3);
    assert!(with(there()).is_ok());
    assert!(matches!(with(here()), Err(Rejection::ContextDiffers)));
    // What a cost counts is the same in both.
    let measured = side(Orientation::Backward, Measure::Concentrated);
    assert!(matches!(with(measured), Err(Rejection::ContextDiffers)));
    let mut other = mechanism(body(), int(0));
    other.adjacency.pop();
    let other = Context::new(&other, Orientation::Backward).unwrap();
    assert!(matches!(with(Arc::new(other)), Err(Rejection::ContextDiffers)));
}

#[test]
fn redraw_is_of_one_round() {
    let goal = assertion(&there(), accepted(&there(), &guard(), &yes(), &int(3)));
    let step = rules::assign(&there(), &assign("y", int(7)), &goal).unwrap();
    let other = rules::strengthen(&Expr::Bool(false), &step, &Evidence::Absurd(KNOWN)).unwrap();
    assert!(matches!(before(&forth(int(2)), &other, 2, 3), Err(Rejection::ProgramDiffers { .. })));
}

#[test]
fn redraw_gives_up_nothing() {
    let noise = draw("y", laplace(int(0), int(1)));
    let cut = |context: &Arc<Context>, post: &Expr, amount: i64, lossy: bool| {
        let goal = assertion(context, accepted(context, &guard(), post, &int(amount)));
        let step = match lossy {
            true => up_to_tail(context, &noise, &Coupling::Null, &int(1), &goal).unwrap(),
            false => sample(context, &noise, &Coupling::Null, &goal).unwrap(),
        };
        rules::strengthen(&Expr::Bool(false), &step, &Evidence::Absurd(KNOWN)).unwrap()
    };
    let with = |first: bool, second: bool| {
        before(&cut(&here(), &same("y"), 2, first), &cut(&there(), &yes(), 3, second), 2, 3)
    };
    assert!(matches!(with(true, false), Err(Rejection::ClaimNotCovered { .. })));
    assert!(matches!(with(false, true), Err(Rejection::ClaimNotCovered { .. })));
    assert!(with(false, false).is_ok());
}

#[test]
fn redraw_is_of_what_is_accepted() {
    let (round, other) = (forth(int(2)), back(int(3)));
    assert!(before(&round, &other, 2, 3).is_ok());
    for (a, b) in [(1, 3), (2, 2), (3, 2)] {
        assert!(matches!(before(&round, &other, a, b), Err(Rejection::WrongGoal { .. })), "{a} {b}");
    }
    let more = same("y").and(same("z"));
    let no = ruled(Rounds::AndOneBefore, &round, &other, &more, (&int(2), &int(3), &int(0)));
    assert!(matches!(no, Err(Rejection::WrongGoal { .. })));
    // Accepted in the first run, the round is accepted in the second.
    assert_eq!(
        accepted(&here(), &guard(), &yes(), &int(2)).to_string(),
        "y < 0 or not y' < 0 and true and cost <= 2"
    );
}

#[test]
fn redraw_costs_are_fixed() {
    let moving = [first("y"), second("y"), Expr::cost(), Expr::Var(Variable::Result)];
    for e in &moving {
        let no =
            ruled(Rounds::AndOneBefore, &forth(int(2)), &back(int(3)), &same("y"), (&int(2), &int(3), e));
        assert!(matches!(no, Err(Rejection::MayNotMention { .. })), "{e}");
        let no =
            ruled(Rounds::AndOneBefore, &forth(e.clone()), &back(int(3)), &same("y"), (e, &int(3), &int(0)));
        assert!(matches!(no, Err(Rejection::MayNotMention { .. })), "{e}");
        let no =
            ruled(Rounds::AndOneBefore, &forth(int(2)), &back(e.clone()), &same("y"), (&int(2), e, &int(0)));
        assert!(matches!(no, Err(Rejection::MayNotMention { .. })), "{e}");
    }
    let fixed = first("z");
    let yes = ruled(
        Rounds::AndOneBefore,
        &forth(fixed.clone()),
        &back(fixed.clone()),
        &same("y"),
        (&fixed, &fixed, &fixed),
    );
    // What the exchanged round costs is said of the other run.
    assert!(yes.unwrap().post().formula().to_string().ends_with("cost <= z + (z + z')"));
}

#[test]
fn redraw_ends_with_no_cost() {
    for e in [Expr::cost(), Expr::Var(Variable::Result)] {
        let post = same("y").and(e.le(int(9)));
        let round = judged(&here(), &post, &int(2), yes());
        let no = ruled(Rounds::AndOneBefore, &round, &back(int(3)), &post, (&int(2), &int(3), &int(0)));
        assert!(matches!(no, Err(Rejection::MayNotMention { .. })));
    }
}

#[test]
fn redraw_begins_with_no_cost() {
    for e in [Expr::cost().le(int(9)), Expr::Var(Variable::Result).equals(int(1))] {
        let round = judged(&here(), &same("y"), &int(2), e.clone());
        assert!(matches!(before(&round, &back(int(3)), 2, 3), Err(Rejection::MayNotMention { .. })), "{e}");
        let other = judged(&there(), &yes(), &int(3), e.clone());
        assert!(matches!(before(&forth(int(2)), &other, 2, 3), Err(Rejection::MayNotMention { .. })), "{e}");
    }
    let nothing = Expr::cost().equals(int(0));
    let round = judged(&here(), &same("y"), &int(2), nothing.clone());
    assert!(before(&round, &judged(&there(), &yes(), &int(3), nothing), 2, 3).is_ok());
}

#[test]
fn redraw_says_what_the_exchanged_round_needs() {
    let known = first("z").le(second("w"));
    let whole = before(&forth(int(2)), &judged(&there(), &yes(), &int(3), known), 2, 3).unwrap();
    assert!(whole.pre().formula().to_string().contains("z' <= w"), "{}", whole.pre().formula());
    let apart = Expr::apart("l", int(0), int(1));
    let no = before(&forth(int(2)), &judged(&there(), &yes(), &int(3), apart), 2, 3);
    assert!(matches!(no, Err(Rejection::MayNotMention { .. })));
}

/// What a round that is drawn again leaves as it was, for values before it; `drawn` is what it draws.
fn trace(guard: &Expr, round: &[Statement], given: &[(Variable, i64)], drawn: i64) -> bool {
    let context =
        context(&[body(), vec![flip("f", number(1, 2)), assign("v", int(0))], round.to_vec()].concat());
    let formula = leaves_no_trace(&context, guard, round).unwrap();
    let mut values = values(given);
    formula.for_each_variable(&mut |v| {
        if matches!(v, Variable::Arbitrary(..)) {
            values.insert(v.clone(), Rational::from(drawn));
        }
    });
    holds(&formula, &values)
}

#[test]
fn redraw_leaves_no_trace() {
    let noise = draw("y", laplace(var("x"), int(1)));
    // All that it sets is fresh.
    assert!(trace(&guard(), std::slice::from_ref(&noise), &[], -1));
    // A counter is not, whether or not it is read elsewhere.
    let counted = [noise.clone(), assign("z", var("z") + int(1))];
    assert!(!trace(&guard(), &counted, &[], -1));
    assert!(trace(&guard(), &counted, &[], 1));
    // What is read before it is set: the next round would see this one.
    let reads = [draw("y", laplace(var("z"), int(1))), assign("z", var("y"))];
    assert!(!trace(&guard(), &reads, &[(of("z"), 5)], -1));
    assert!(trace(&guard(), &[noise.clone(), assign("z", var("y"))], &[(of("z"), 5)], -1));
    // What one branch sets, where that branch is drawn again; the other run is asked too.
    let on_a_path = |set: Statement| [noise.clone(), choose(var("y").lt(int(-3)), vec![set], vec![])];
    assert!(!trace(&guard(), &on_a_path(assign("z", int(1))), &[], -5));
    assert!(trace(&guard(), &on_a_path(assign("z", int(1))), &[], -2));
    assert!(!trace(&guard(), &on_a_path(assign("z", int(1))), &[(of("z"), 1)], -5));
    assert!(!trace(&guard(), &on_a_path(assign("z", int(1))), &[(other("z"), 1)], -5));
    assert!(trace(&guard(), &on_a_path(assign("z", int(1))), &[(of("z"), 1), (other("z"), 1)], -5));
    // Set in both branches, and read in one of them first.
    let both = |first: Expr| {
        [noise.clone(), choose(var("y").lt(int(-3)), vec![assign("z", first)], vec![assign("z", int(0))])]
    };
    assert!(trace(&guard(), &both(int(1)), &[(of("z"), 4)], -5));
    assert!(!trace(&guard(), &both(var("z") + int(1)), &[(of("z"), 4)], -5));
    // A question reads, too.
    let asks = [choose(var("z").lt(int(0)), vec![noise.clone()], vec![noise.clone()]), assign("z", int(1))];
    assert!(!trace(&guard(), &asks, &[(of("z"), 4)], -5));
}

/// A round ends, and has a value: it is made of draws, assignments and conditionals.
#[test]
fn redraw_rounds_end() {
    let forever = Statement::While { label: "inner".into(), guard: yes(), body: vec![] };
    let called = probity_kernel::term::Called {
        mechanism: mechanism(vec![assign("y", int(1))], var("y")),
        claim: Claim { epsilon: int(1), delta: int(0), reading: Reading::Reals },
        inputs: vec![],
        params: vec![],
        released: Sort::Int,
    };
    let call = draw("y", Distribution::Called(Box::new(called)));
    let wrong =
        [forever, count("i", int(2), vec![]), append("l", int(1)), assign("l", Expr::EmptyList), call];
    for statement in wrong {
        let round = [statement];
        let context = here();
        let no = leaves_no_trace(&context, &guard(), &round);
        assert!(matches!(no, Err(Rejection::WrongStatement { .. })), "{}", round[0]);
        for branch in [choose(guard(), round.to_vec(), vec![]), choose(guard(), vec![], round.to_vec())] {
            assert!(leaves_no_trace(&context, &guard(), &[branch]).is_err());
        }
    }
    assert!(leaves_no_trace(&here(), &guard(), &[assign("y", int(1))]).is_ok());
}

/// That a round leaves no trace needs evidence, from the guards where the loop stands alone.
#[test]
fn redraw_asks_for_evidence() {
    let round = [assign("z", var("z") + int(1)), assign("y", int(-1))];
    let judged = |context: &Arc<Context>, post: &Expr, amount: i64| {
        let goal = assertion(context, accepted(context, &guard(), post, &int(amount)));
        let last = rules::assign(context, &round[1], &goal).unwrap();
        let first = rules::assign(context, &round[0], last.pre()).unwrap();
        let whole = rules::seq(&first, &last).unwrap();
        rules::strengthen(&Expr::Bool(false), &whole, &Evidence::Absurd(KNOWN)).unwrap()
    };
    let (round, other) = (judged(&here(), &same("y"), 2), judged(&there(), &yes(), 3));
    for number in 0..KNOWN + 6 {
        let evidence = Evidence::Absurd(number);
        let loops = (&Name::new("loop"), &guard(), Rounds::AndOneBefore);
        let no = redraw(loops, (&round, &other), &same("y"), (&int(2), &int(3), &int(0)), &evidence);
        assert!(no.is_err());
    }
}

/// A round that doubles a formula at every step is refused before it is too large.
#[test]
fn redraw_stays_small() {
    let doubling = |n: usize| {
        let mut round = vec![assign("z", var("z") + int(1))];
        round.extend((0..n).map(|_| assign("z", var("z") + var("z"))));
        let context = context(&body());
        leaves_no_trace(&context, &guard(), &round)
    };
    assert_eq!(doubling(40).unwrap_err(), Rejection::TooLarge);
    assert!(doubling(3).is_ok());
}
