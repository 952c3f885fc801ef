//! MAXDIV: blocks of finite draws.

use probity_kernel::finite::same_value;

use crate::common::*;

fn couple(block: &[Statement], var: &str, ratio: (Expr, Expr), post: Expr) -> Result<Judgement, Rejection> {
    let context = context(block);
    same_value(&context, block, &var.into(), (&ratio.0, &ratio.1), &assertion(&context, post))
}

/// A coin that is 1/3 where n is 0, and 2/3 elsewhere: its ratio is 2.
fn coin() -> Vec<Statement> {
    vec![flip("y", var("n").equals(int(0)).choose(number(1, 3), number(2, 3)))]
}

fn flag(name: &str) -> Expr {
    first(name).equals(second(name))
}

#[test]
fn ratios_are_fixed_before() {
    let block = vec![flip("k", number(1, 2)), flip("y", number(1, 2))];
    let peek = first("k").choose(int(2), int(1));
    assert!(matches!(couple(&block, "y", (peek, int(1)), flag("y")), Err(Rejection::KnowsADraw { .. })));
    let fixed = first("b").choose(int(2), int(1));
    assert!(couple(&block, "y", (fixed, int(1)), flag("y")).is_ok());
}

/// A ratio may not read what only one branch of the block sets.
#[test]
fn all_that_a_block_sets_is_found() {
    let ends = |inner: Statement| vec![inner, flip("y", number(1, 2))];
    let otherwise = choose(var("b"), vec![], vec![flip("k", number(1, 2))]);
    let then = choose(var("b"), vec![flip("k", number(1, 2))], vec![]);
    for block in [ends(otherwise), ends(then)] {
        let peek = first("k").choose(int(2), int(1));
        assert!(matches!(couple(&block, "y", (peek, int(1)), flag("y")), Err(Rejection::KnowsADraw { .. })));
        assert!(couple(&block, "y", (int(2), int(1)), flag("y")).is_ok());
    }
}

#[test]
fn the_rest_is_forgotten() {
    let block = vec![flip("k", number(1, 2)), flip("y", number(1, 2))];
    assert!(matches!(couple(&block, "y", (int(1), int(1)), flag("k")), Err(Rejection::MayNotMention { .. })));
    assert!(couple(&block, "y", (int(1), int(1)), flag("y")).is_ok());
}

/// The precondition for the outcome `true`, with the ratio a / b, in given states.
fn allowed(block: &[Statement], a: i64, b: i64, states: &[(Variable, i64)]) -> bool {
    let step = couple(block, "y", (int(a), int(b)), flag("y")).unwrap();
    [0, 1].into_iter().all(|y| {
        let mut all = states.to_vec();
        all.push((any("y"), y));
        // The cost is ln(a/b), which no assertion here reads.
        holds(step.pre().formula(), &values(&all))
    })
}

#[test]
fn masses_are_within_the_ratio() {
    let apart = [(of("n"), 0), (other("n"), 1)];
    assert!(!allowed(&coin(), 1, 1, &apart));
    assert!(allowed(&coin(), 2, 1, &apart));
    assert!(allowed(&coin(), 1, 1, &[]));
}

#[test]
fn ratios_are_positive() {
    // With a ratio of −2 / −1 the inequality of the masses would be turned round.
    assert!(!allowed(&coin(), -2, -1, &[(of("n"), 0), (other("n"), 0)]));
    assert!(!allowed(&coin(), 0, 0, &[]) && !allowed(&coin(), 1, 0, &[]));
    assert!(allowed(&coin(), 2, 1, &[]));
}

#[test]
fn probabilities_of_both_runs_are_sane() {
    let block = vec![flip("y", var("n"))];
    for (first, second) in [(2, 1), (1, 2), (-1, 0), (0, -1)] {
        assert!(!allowed(&block, 9, 1, &[(of("n"), first), (other("n"), second)]), "{first}, {second}");
    }
    assert!(allowed(&block, 1, 1, &[(of("n"), 1), (other("n"), 1)]));
}

#[test]
fn probabilities_on_the_way_are_sane() {
    let block = vec![flip("k", var("n")), flip("y", number(1, 2))];
    assert!(!allowed(&block, 1, 1, &[(of("n"), 2), (other("n"), 2)]));
    assert!(allowed(&block, 1, 1, &[(of("n"), 1), (other("n"), 1)]));
}

#[test]
fn probabilities_in_branches_are_sane() {
    let block = vec![choose(var("b"), vec![flip("y", var("n"))], vec![flip("y", number(1, 2))])];
    let with = |b: i64, n: i64| [(of("b"), b), (other("b"), b), (of("n"), n), (other("n"), n)];
    assert!(!allowed(&block, 1, 1, &with(1, 2)));
    assert!(allowed(&block, 1, 1, &with(1, 1)) && allowed(&block, 1, 1, &with(0, 2)));
}

#[test]
fn ranges_of_laws_are_sane() {
    let last = |law| vec![draw("y", law)];
    let laws = [
        (Distribution::UniformInt { low: int(0), high: var("n") }, -1, 0),
        (Distribution::UniformOther { value: var("n"), count: int(2) }, 2, 1),
        (Distribution::Response { value: var("n"), truth: int(1), count: int(2) }, -1, 0),
    ];
    for (law, out, inside) in laws {
        let step = couple(&last(law.clone()), "y", (int(1), int(1)), yes()).unwrap();
        let at = |n: i64| holds(step.pre().formula(), &values(&[(of("n"), n), (other("n"), n)]));
        assert!(!at(out) && at(inside), "{law}");
    }
}

/// −1 / −1 is a probability; as a fraction with a negative denominator it would turn the comparison round.
#[test]
fn denominators_are_positive() {
    let p = || var("n") / (var("n") * int(0).exp());
    for block in [vec![flip("y", p())], vec![flip("k", p()), flip("y", number(1, 2))]] {
        let with = |n: i64, m: i64| [(of("n"), n), (other("n"), m)];
        assert!(!allowed(&block, 9, 1, &with(-1, -1)) && !allowed(&block, 9, 1, &with(1, -1)));
        assert!(allowed(&block, 1, 1, &with(1, 1)));
    }
}

#[test]
fn different_denominators_are_different() {
    let law = Distribution::UniformInt { low: int(0), high: var("n") };
    let step = couple(&[draw("y", law)], "y", (int(1), int(1)), yes()).unwrap();
    // One of one value against one of two: the mass 1 against 1/2.
    assert!(!holds(step.pre().formula(), &values(&[(of("n"), 0), (other("n"), 1)])));
    assert!(holds(step.pre().formula(), &values(&[(of("n"), 1), (other("n"), 1)])));
}

#[test]
fn blocks_are_short() {
    let coins = |n: usize| -> Vec<Statement> {
        let early = (0..n).map(|i| flip(&format!("k{i}"), number(1, 2)));
        early.chain([flip("y", number(1, 2))]).collect()
    };
    // Nine coins have 2^9 paths, whose masses together are well within what an assertion may be.
    assert_eq!(couple(&coins(9), "y", (int(1), int(1)), yes()).unwrap_err(), Rejection::TooLarge);
    assert!(couple(&coins(4), "y", (int(1), int(1)), yes()).is_ok());
    // The same in a block of one statement.
    let inside = |n: usize| vec![choose(var("b"), coins(n), vec![flip("y", number(1, 2))])];
    assert_eq!(couple(&inside(9), "y", (int(1), int(1)), yes()).unwrap_err(), Rejection::TooLarge);
    assert!(couple(&inside(4), "y", (int(1), int(1)), yes()).is_ok());
}

#[test]
fn ratios_are_small() {
    let sums = |n: u32| (0..n).fold(int(1), |sum, _| sum.clone() + sum);
    assert_eq!(couple(&coin(), "y", (sums(17), int(1)), yes()).unwrap_err(), Rejection::TooLarge);
    assert!(couple(&coin(), "y", (sums(5), int(1)), yes()).is_ok());
}

#[test]
fn a_block_sets_its_variable() {
    let half = || flip("y", number(1, 2));
    let other = vec![flip("k", number(1, 2))];
    assert!(matches!(couple(&other, "y", (int(1), int(1)), yes()), Err(Rejection::Malformed { .. })));
    // On some path at least.
    let missing = vec![choose(var("b"), vec![half()], vec![])];
    assert!(couple(&missing, "y", (int(1), int(1)), yes()).is_ok());
    let both = vec![choose(var("b"), vec![half()], vec![half()])];
    assert!(couple(&both, "y", (int(1), int(1)), yes()).is_ok());
    // What was set before is the value where nothing sets it again.
    let before = [vec![assign("y", var("b"))], missing].concat();
    assert!(couple(&before, "y", (int(1), int(1)), yes()).is_ok());
}

/// A value that is x, or one of 0, …, 9: where x is a real number, the masses of the integers would hide it.
#[test]
fn between_integers_there_is_no_mass() {
    let law = || Distribution::UniformInt { low: int(0), high: int(9) };
    for last in [vec![draw("y", law())], vec![draw("u", law()), assign("y", var("u"))]] {
        let block = |other: Expr| vec![choose(var("b"), vec![assign("y", other)], last.clone())];
        let real = couple(&block(var("n") / int(2)), "y", (int(11), int(1)), yes());
        assert!(matches!(real, Err(Rejection::NoSuchCoupling { .. })));
        assert!(couple(&block(var("n")), "y", (int(11), int(1)), yes()).is_ok());
    }
}

#[test]
fn blocks_are_of_coins() {
    let noise = draw("k", laplace(int(0), int(1)));
    let block = vec![noise, flip("y", number(1, 2))];
    assert!(matches!(couple(&block, "y", (int(1), int(1)), yes()), Err(Rejection::WrongStatement { .. })));
    assert!(couple(&coin(), "y", (int(2), int(1)), yes()).is_ok());
}

#[test]
fn lists_are_no_outcome() {
    let block = vec![assign("y", Expr::EmptyList)];
    assert!(matches!(couple(&block, "y", (int(1), int(1)), yes()), Err(Rejection::WrongStatement { .. })));
    let on_the_way = vec![assign("k", Expr::EmptyList), flip("y", number(1, 2))];
    assert!(matches!(
        couple(&on_the_way, "y", (int(1), int(1)), yes()),
        Err(Rejection::WrongStatement { .. })
    ));
    assert!(couple(&[assign("y", int(1))], "y", (int(1), int(1)), yes()).is_ok());
}

#[test]
fn only_finite_laws_have_masses() {
    let block = vec![draw("y", laplace(int(0), int(1)))];
    assert!(matches!(couple(&block, "y", (int(1), int(1)), yes()), Err(Rejection::NoSuchCoupling { .. })));
    assert!(couple(&[draw("y", Distribution::Sign)], "y", (int(1), int(1)), yes()).is_ok());
}

/// What follows must hold of every value that has mass, and of no other; nothing is given up.
#[test]
fn values_with_mass_are_possible() {
    let step = couple(&coin(), "y", (int(2), int(1)), first("y")).unwrap();
    let at = |y: i64| holds(step.pre().formula(), &values(&[(any("y"), y)]));
    assert!(at(1) && !at(0));
    assert_eq!(*step.delta(), int(0));
    let sure = [flip("y", int(1))];
    let step = couple(&sure, "y", (int(1), int(1)), first("y")).unwrap();
    let at = |y: i64| holds(step.pre().formula(), &values(&[(any("y"), y)]));
    assert!(at(1) && at(0), "false has no mass");
}

/// The ratio is a fraction: 4/2 is 2, by paths and by outcomes.
#[test]
fn ratios_are_fractions() {
    let p = || var("n").equals(int(0)).choose(number(1, 4), number(3, 4));
    let short = vec![flip("y", p())];
    let long = vec![flip("k", p()), assign("z", int(0)), assign("y", var("k"))];
    let apart = [(of("n"), 1), (other("n"), 0)];
    for block in [short, long] {
        assert!(allowed(&block, 3, 1, &apart) && allowed(&block, 6, 2, &apart));
        assert!(!allowed(&block, 4, 2, &apart) && !allowed(&block, 5, 2, &apart));
    }
}

/// A denominator that is 0 is not positive.
#[test]
fn denominators_are_not_zero() {
    let with = |p: Expr| {
        let step = couple(&[flip("y", p)], "y", (int(1), int(1)), flag("y")).unwrap();
        holds(step.pre().formula(), &values(&[(any("y"), 1)]))
    };
    assert!(!with(var("n") / (var("n").exp() - int(1))));
    assert!(with(var("n") / (var("n").exp() + int(1))));
}
