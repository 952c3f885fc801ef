//! FOR-ONCE, the upper tail, and the equivalences that bring a draw before its branch.

use std::sync::Arc;

use probity_kernel::entail::Facts;
use probity_kernel::equivalence::Rewrite;
use probity_kernel::once::for_loop_once;
use probity_kernel::rules::strengthen;
use probity_kernel::sampling::{up_to_lower_tail, up_to_open_lower_tail, up_to_open_tail, up_to_upper_tail};

use crate::common::*;

fn noise() -> Statement {
    draw("y", laplace(int(0), int(1)))
}

/// A context with a loop around a draw, in which one entry of q changes.
fn around(body: Vec<Statement>) -> Arc<Context> {
    let m = Mechanism {
        adjacency: vec![Adjacency::OneEntry { list: "q".into(), bound: int(1) }],
        ..mechanism(vec![assign("z", int(0)), count("i", int(3), body)], int(0))
    };
    Arc::new(Context::new(&m, Orientation::Forward).unwrap())
}

/// A body that gives up nothing, and the same one that gives up the mass beyond 0, which is 1.
fn bodies(context: &Arc<Context>) -> (Judgement, Judgement) {
    let post = assertion(context, yes());
    let whole = sample(context, &noise(), &Coupling::Null, &post).unwrap();
    (whole, up_to_tail(context, &noise(), &Coupling::Null, &int(0), &post).unwrap())
}

/// The loop with the invariant `true`, by the evidence that something is plainly false, if some fact is.
fn once((other, named): (&Judgement, &Judgement), rounds: &[Expr]) -> Result<Judgement, Rejection> {
    let make = |a: usize, b: usize| {
        let evidence = (&Evidence::Absurd(a), &Evidence::Absurd(b));
        for_loop_once(&"i".into(), (&int(0), &int(3)), &yes(), (other, named), rounds, evidence)
    };
    let all = (0..16).flat_map(|a| (0..16).map(move |b| (a, b)));
    all.map(|(a, b)| make(a, b)).find(Result::is_ok).unwrap_or_else(|| make(0, 0))
}

fn changed() -> Expr {
    Expr::Var(Variable::Changed("q".into()))
}

#[test]
fn once_counts_the_rounds_that_are_named() {
    let context = around(vec![noise()]);
    let (other, named) = bodies(&context);
    let mass =
        |rounds: &[Expr]| value(once((&other, &named), rounds).unwrap().delta(), &values(&[(plain("N"), 1)]));
    assert_eq!(mass(&[changed()]), Rational::ONE);
    assert_eq!(mass(&[int(0), var("N")]), Rational::from(2));
    assert_eq!(mass(&[]), Rational::ZERO);
}

#[test]
fn once_multiplies_what_a_named_round_gives_up() {
    let context = around(vec![noise()]);
    let (other, _) = bodies(&context);
    let post = assertion(&context, yes());
    let named = up_to_tail(&context, &noise(), &Coupling::Null, &int(2), &post).unwrap();
    let loops = once((&other, &named), &[int(0), int(1)]).unwrap();
    assert_eq!(*loops.delta(), int(2) * named.delta().clone());
}

#[test]
fn once_gives_up_in_named_rounds_only() {
    let context = around(vec![noise()]);
    let (other, named) = bodies(&context);
    let answer = once((&named, &named), &[changed()]);
    assert!(matches!(answer, Err(Rejection::ClaimNotCovered { .. })));
    assert!(once((&other, &named), &[changed()]).is_ok());
}

#[test]
fn once_is_about_one_program() {
    let another = draw("y", laplace(int(1), int(1)));
    let context = around(vec![noise(), another.clone()]);
    let (other, named) = bodies(&context);
    let wrong = sample(&context, &another, &Coupling::Null, &assertion(&context, yes())).unwrap();
    assert!(matches!(once((&wrong, &named), &[changed()]), Err(Rejection::ProgramDiffers { .. })));
    assert!(once((&other, &named), &[changed()]).is_ok());
}

#[test]
fn once_is_in_one_context() {
    let (here, there) = (around(vec![noise()]), around(vec![noise(), noise()]));
    let ((other, named), (far, _)) = (bodies(&here), bodies(&there));
    assert!(matches!(once((&far, &named), &[changed()]), Err(Rejection::ContextDiffers)));
    assert!(once((&other, &named), &[changed()]).is_ok());
}

#[test]
fn once_names_rounds_that_the_inputs_fix() {
    let context = around(vec![noise()]);
    let (other, named) = bodies(&context);
    for moving in [var("i"), first("z"), second("z"), first("x"), Expr::cost(), Expr::Var(any("y"))] {
        let answer = once((&other, &named), std::slice::from_ref(&moving));
        let refused = matches!(answer, Err(Rejection::MayNotMention { .. }));
        assert!(refused, "{moving}: {answer:?}");
    }
    for fixed in [changed(), var("N") - int(1), int(2)] {
        assert!(once((&other, &named), &[fixed]).is_ok());
    }
}

#[test]
fn once_names_rounds_by_numbers() {
    let context = around(vec![noise()]);
    let (other, named) = bodies(&context);
    assert!(matches!(once((&other, &named), &[yes()]), Err(Rejection::NotANumber { .. })));
    assert!(once((&other, &named), &[int(1)]).is_ok());
}

#[test]
fn once_both_bodies_keep_the_invariant() {
    let context = around(vec![noise()]);
    let (other, named) = bodies(&context);
    let post = assertion(&context, first("y").le(int(0)));
    let wrong = sample(&context, &noise(), &Coupling::Null, &post).unwrap();
    let wrong_too = up_to_tail(&context, &noise(), &Coupling::Null, &int(0), &post).unwrap();
    assert!(matches!(once((&wrong, &named), &[changed()]), Err(Rejection::MiddleDiffers { .. })));
    assert!(matches!(once((&other, &wrong_too), &[changed()]), Err(Rejection::MiddleDiffers { .. })));
}

/// Bodies whose precondition is that x is the same in both runs, of which nothing is known; and bodies that need nothing.
fn needy() -> ((Judgement, Judgement), (Judgement, Judgement)) {
    let far = draw("y", laplace(var("x"), int(1)));
    let context = around(vec![far.clone()]);
    let post = assertion(&context, yes());
    let stay = Coupling::Shift { by: second("x") - first("x"), cost: int(0) };
    let make = |coupling: &Coupling| {
        let other = sample(&context, &far, coupling, &post).unwrap();
        (other, up_to_tail(&context, &far, coupling, &int(0), &post).unwrap())
    };
    (make(&Coupling::Null), make(&stay))
}

#[test]
fn once_other_rounds_have_their_precondition() {
    let ((wants, _), (other, named)) = needy();
    assert!(once((&wants, &named), &[changed()]).is_err());
    assert!(once((&other, &named), &[changed()]).is_ok());
}

#[test]
fn once_named_rounds_have_their_precondition() {
    let ((_, wants), (other, named)) = needy();
    assert!(once((&other, &wants), &[changed()]).is_err());
    assert!(once((&other, &named), &[changed()]).is_ok());
}

/// Three rounds of which round 1 is named. A body's precondition is about the round: the other body's, and the named one's.
fn about_rounds(others: Expr, these: Expr) -> bool {
    let context = around(vec![noise()]);
    let (other, named) = bodies(&context);
    let needs = |pre: &Expr, body: &Judgement| {
        (0..16).find_map(|fact| strengthen(pre, body, &Evidence::Absurd(fact)).ok()).unwrap()
    };
    let (other, named) = (needs(&others, &other), needs(&these, &named));
    let i = || var("i");
    let range = int(0).le(i()).and(i().lt(int(3)));
    // The last two facts are what is known of the round, and that the precondition is false.
    let known = Facts::new(&context, &[&range, &i().equals(int(1))], &yes()).unwrap().list().len() - 2;
    // i < 1 or i > 1, and i = 1: the part at the end and the equation, once or less once.
    let split = |either: usize, equal: usize| {
        let part = |sign: i64| Evidence::Combination {
            products: vec![Product { coefficient: Rational::ONE, scale: vec![], facts: vec![known + 2] }],
            equations: vec![(equal, int(sign))],
        };
        Evidence::Cases(either, vec![part(-1), part(1)])
    };
    let tries = [split(known, known + 1), split(known + 1, known), Evidence::Absurd(known + 1)];
    let bounds = (&int(0), &int(3));
    let accepted = |a: &Evidence, b: &Evidence| {
        for_loop_once(&"i".into(), bounds, &yes(), (&other, &named), &[int(1)], (a, b)).is_ok()
    };
    tries.iter().any(|a| tries.iter().any(|b| accepted(a, b)))
}

#[test]
fn once_the_other_rounds_are_those_that_are_not_named() {
    let (one, not_one) = (|| var("i").equals(int(1)), || var("i").differs(int(1)));
    assert!(about_rounds(not_one(), yes()));
    assert!(!about_rounds(one(), yes()));
    assert!(about_rounds(yes(), one()));
    assert!(!about_rounds(yes(), not_one()));
}

/// A draw up to its upper tail.
fn upper(law: Distribution, tail: &Expr, post: Expr) -> Result<Judgement, Rejection> {
    let statement = draw("y", law);
    let context = context(std::slice::from_ref(&statement));
    up_to_upper_tail(&context, &statement, &Coupling::Null, tail, &assertion(&context, post))
}

fn discrete(scale: Expr) -> Distribution {
    Distribution::DiscreteLaplace { center: int(0), scale }
}

#[test]
fn upper_tails_are_of_laplace_draws() {
    let geometric = Distribution::Geometric { scale: int(1) };
    assert!(matches!(upper(geometric, &int(1), yes()), Err(Rejection::WrongStatement { .. })));
    assert!(upper(laplace(int(0), int(1)), &int(1), yes()).is_ok());
    assert!(upper(discrete(int(1)), &int(1), yes()).is_ok());
}

#[test]
fn upper_tails_have_half_the_mass_but_on_the_integers() {
    let mass = |law| value(upper(law, &int(0), yes()).unwrap().delta(), &values(&[]));
    assert_eq!(mass(laplace(int(0), int(1))), rational(1, 2).unwrap());
    // Above 0 there is e^(−1/b)/(1 + e^(−1/b)), which exceeds one half of e^(−t/b) for t just below 1.
    assert_eq!(mass(discrete(int(1))), Rational::ONE);
}

#[test]
fn only_what_lies_above_an_upper_tail_is_forgotten() {
    let small = first("y").abs().le(int(0));
    let step = upper(laplace(int(0), int(1)), &int(2), small).unwrap();
    for (y, holds_there) in [(0, true), (1, false), (2, false), (3, true), (-1, false), (-3, false)] {
        assert_eq!(holds(step.pre().formula(), &values(&[(any("y"), y)])), holds_there, "{y}");
    }
}

/// A draw up to its lower tail, with or without the place where that begins.
fn lower(open: bool, law: Distribution, tail: &Expr, post: Expr) -> Result<Judgement, Rejection> {
    let statement = draw("y", law);
    let context = context(std::slice::from_ref(&statement));
    let rule = if open { up_to_open_lower_tail } else { up_to_lower_tail };
    rule(&context, &statement, &Coupling::Null, tail, &assertion(&context, post))
}

#[test]
fn lower_tails_are_upper_ones_mirrored() {
    let geometric = Distribution::Geometric { scale: int(1) };
    for open in [false, true] {
        assert!(matches!(
            lower(open, geometric.clone(), &int(1), yes()),
            Err(Rejection::WrongStatement { .. })
        ));
        // A tail that begins above the center would be given up for more than it has.
        let negative = lower(open, laplace(int(0), int(1)), &int(-1), yes()).unwrap();
        assert!(!holds(negative.pre().formula(), &values(&[(any("y"), 0)])));
        for law in [laplace(int(0), int(1)), discrete(int(1))] {
            let upper = upper(law.clone(), &int(2), yes());
            let small = first("y").abs().le(int(0));
            let step = lower(open, law, &int(2), small).unwrap();
            assert_eq!(upper.unwrap().delta(), step.delta());
            // Nothing holds above 0; below it, what lies beyond −2 is forgotten.
            for (y, beyond) in
                [(0, true), (-1, false), (-2, open), (-3, true), (1, false), (2, false), (3, false)]
            {
                assert_eq!(holds(step.pre().formula(), &values(&[(any("y"), y)])), beyond, "{open} {y}");
            }
        }
    }
}

/// A draw up to its upper tail and the place where that begins.
fn open(law: Distribution, tail: &Expr, post: Expr) -> Result<Judgement, Rejection> {
    let statement = draw("y", law);
    let context = context(std::slice::from_ref(&statement));
    up_to_open_tail(&context, &statement, &Coupling::Null, tail, &assertion(&context, post))
}

#[test]
fn open_tails_are_as_upper_ones_with_one_place_more() {
    let geometric = Distribution::Geometric { scale: int(1) };
    assert!(matches!(open(geometric, &int(1), yes()), Err(Rejection::WrongStatement { .. })));
    // A tail that begins below the center would be given up for more than it has.
    let negative = open(laplace(int(0), int(1)), &int(-1), yes()).unwrap();
    assert!(!holds(negative.pre().formula(), &values(&[(any("y"), 0)])));
    for law in [laplace(int(0), int(1)), discrete(int(1))] {
        let (upper, open) = (upper(law.clone(), &int(2), yes()), open(law.clone(), &int(2), yes()));
        assert_eq!(upper.unwrap().delta(), open.unwrap().delta());
        let small = first("y").abs().le(int(0));
        let step = self::open(law, &int(2), small).unwrap();
        for (y, holds_there) in [(0, true), (1, false), (2, true), (3, true), (-1, false), (-3, false)] {
            assert_eq!(holds(step.pre().formula(), &values(&[(any("y"), y)])), holds_there, "{y}");
        }
    }
}

/// On the integers the place where the tail begins has mass: all that is given up is still at most what is said. With a = r⁴
/// and t a number of quarters, a^t is a whole power of r, and the numbers are exact.
#[test]
fn what_an_open_tail_gives_up_on_the_integers_is_enough() {
    for steps in 1..12 {
        let r = Rational::from(steps) / Rational::from(12);
        let power = |n: usize| (0..n).fold(Rational::ONE, |product, _| product * &r);
        let a = power(4);
        for quarters in 0..20usize {
            // From the least integer m that is not below t on: (1 − a)/(1 + a)·(a^m + a^(m + 1) + …) = a^m/(1 + a).
            let m = quarters.div_ceil(4);
            let given_up = power(4 * m) / (Rational::ONE + &a);
            assert!(given_up <= power(quarters), "{r} {quarters}");
            // Half of it would be too little.
            assert!(quarters % 4 > 0 || given_up > power(quarters) / Rational::from(2));
        }
    }
}

fn hoist() -> Rewrite {
    Rewrite::Hoist { var: "y".into() }
}

fn applied(rewrite: &Rewrite, body: Vec<Statement>, output: Expr) -> Option<Vec<Statement>> {
    match rewrite.apply(&mechanism(body, output)) {
        Ok(rewritten) => Some(rewritten.body),
        Err(Rejection::NotEquivalent { .. }) => None,
        Err(other) => panic!("{other}"),
    }
}

/// `if b { law; z = y } else { … }`.
fn branch(law: Statement, otherwise: Vec<Statement>) -> Statement {
    choose(var("b"), vec![law, assign("z", var("y"))], otherwise)
}

#[test]
fn hoist_takes_the_draw_out() {
    let rest = choose(var("b"), vec![assign("z", var("y"))], vec![]);
    let before = vec![assign("z", int(0)), branch(noise(), vec![])];
    let after = vec![assign("z", int(0)), noise(), rest];
    assert_eq!(applied(&hoist(), before.clone(), var("z")), Some(after.clone()));
    // Also inside a loop.
    let (before, after) = (vec![count("i", int(2), before)], vec![count("i", int(2), after)]);
    assert_eq!(applied(&hoist(), before, int(0)), Some(after));
}

#[test]
fn hoist_is_of_a_draw_that_is_made_once() {
    let (zero, twice) = (assign("z", int(0)), branch(noise(), vec![]));
    assert_eq!(applied(&hoist(), vec![zero.clone(), noise(), twice.clone()], var("z")), None);
    assert!(applied(&hoist(), vec![zero, twice], var("z")).is_some());
}

#[test]
fn hoist_is_of_the_first_draw_of_a_branch() {
    assert_eq!(applied(&hoist(), vec![noise()], var("y")), None);
    let later = choose(var("b"), vec![assign("z", int(1)), noise()], vec![]);
    assert_eq!(applied(&hoist(), vec![later], int(0)), None);
}

#[test]
fn hoist_looks_at_the_branch_with_the_draw() {
    // What another branch draws is not what is made earlier, and its law says nothing of the one that is.
    let draws = |name: &str, scale| choose(var("b"), vec![draw(name, laplace(int(0), scale))], vec![]);
    let body = |scale| vec![draws("w", int(1)), draws("y", scale)];
    assert_eq!(applied(&hoist(), body(var("free")), int(0)), None);
    let after = vec![draws("w", int(1)), noise(), choose(var("b"), vec![], vec![])];
    assert_eq!(applied(&hoist(), body(int(1)), int(0)), Some(after));
}

#[test]
fn hoist_and_join_look_into_loops() {
    let rounds = |body: Vec<Statement>| Statement::While { label: "w".into(), guard: var("b"), body };
    let rest = choose(var("b"), vec![assign("z", var("y"))], vec![]);
    let body = |inner: Vec<Statement>| vec![assign("z", int(0)), rounds(inner)];
    let found = applied(&hoist(), body(vec![branch(noise(), vec![])]), int(0));
    assert_eq!(found, Some(body(vec![noise(), rest])));
    let set = || vec![assign("z", int(1))];
    let (guard, inner) = (|| var("b"), || var("x").le(int(0)));
    let two = choose(guard(), vec![choose(inner(), set(), vec![])], vec![]);
    let one = choose(guard().and(inner()), set(), vec![]);
    assert_eq!(applied(&Rewrite::Join, body(vec![two.clone()]), int(0)), Some(body(vec![one.clone()])));
    let counted = |inner| vec![assign("z", int(0)), count("i", int(2), vec![inner])];
    assert_eq!(applied(&Rewrite::Join, counted(two), int(0)), Some(counted(one)));
}

#[test]
fn hoist_is_of_noise() {
    let coin = draw("y", Distribution::UniformInt { low: int(0), high: var("N") - int(9) });
    assert_eq!(applied(&hoist(), vec![assign("z", int(0)), branch(coin, vec![])], var("z")), None);
}

#[test]
fn hoist_is_of_scales_that_are_positive() {
    // Where the scale is 0 and b is false, the first program ends and the second would not.
    let with = |scale| vec![assign("z", int(0)), branch(draw("y", laplace(int(0), scale)), vec![])];
    for unclear in [var("x"), var("free"), int(0), var("eps") - int(1), var("N") * var("free")] {
        assert_eq!(applied(&hoist(), with(unclear.clone()), var("z")), None, "{unclear}");
    }
    for positive in [var("eps"), int(2) / var("eps"), var("N") + int(1)] {
        assert!(applied(&hoist(), with(positive), var("z")).is_some());
    }
}

#[test]
fn hoist_is_of_a_draw_that_only_its_branch_reads() {
    let zero = || assign("z", int(0));
    let other = branch(noise(), vec![assign("z", var("y"))]);
    assert_eq!(applied(&hoist(), vec![zero(), other], var("z")), None);
    let later = assign("z", var("y"));
    assert_eq!(applied(&hoist(), vec![zero(), branch(noise(), vec![]), later], var("z")), None);
    assert_eq!(applied(&hoist(), vec![zero(), branch(noise(), vec![])], var("y")), None);
    let own = choose(var("y").le(int(0)), vec![noise(), assign("z", var("y"))], vec![]);
    assert_eq!(applied(&hoist(), vec![zero(), own], var("z")), None);
}

#[test]
fn join_is_of_conditions_without_else() {
    let set = || vec![assign("z", int(1))];
    let whole = |inner: Vec<Statement>, outer: Vec<Statement>| {
        vec![assign("z", int(0)), choose(var("b"), vec![choose(var("x").le(int(0)), set(), inner)], outer)]
    };
    let both = choose(var("b").and(var("x").le(int(0))), set(), vec![]);
    let joined = applied(&Rewrite::Join, whole(vec![], vec![]), var("z"));
    assert_eq!(joined, Some(vec![assign("z", int(0)), both]));
    assert_eq!(applied(&Rewrite::Join, whole(set(), vec![]), var("z")), None);
    assert_eq!(applied(&Rewrite::Join, whole(vec![], set()), var("z")), None);
}
