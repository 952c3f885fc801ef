//! MAXDIV for blocks whose law is written by its outcomes.

use probity_kernel::finite::same_value;

use crate::common::*;

fn couple(block: &[Statement], var: &str, ratio: (i64, i64)) -> Result<Judgement, Rejection> {
    let context = context(block);
    let post = assertion(&context, same(var));
    same_value(&context, block, &var.into(), (&int(ratio.0), &int(ratio.1)), &post)
}

/// The precondition in given states, for every value of y among these.
fn allowed(block: &[Statement], ratio: (i64, i64), states: &[(Variable, i64)], outcomes: &[i64]) -> bool {
    let step = couple(block, "y", ratio).unwrap();
    outcomes.iter().all(|&y| {
        let mut all = states.to_vec();
        all.push((any("y"), y));
        holds(step.pre().formula(), &values(&all))
    })
}

/// Truth with probability 3/4, by two coins of which both must be heads for a lie.
fn coins() -> Vec<Statement> {
    vec![
        flip("k", number(1, 2)),
        flip("l", number(1, 2)),
        assign("y", var("b")),
        choose(var("k").and(var("l")), vec![assign("y", !var("b"))], vec![]),
    ]
}

#[test]
fn outcomes_are_within_the_ratio() {
    let apart = [(of("b"), 1), (other("b"), 0)];
    assert!(allowed(&coins(), (3, 1), &apart, &[0, 1]));
    assert!(!allowed(&coins(), (2, 1), &apart, &[1]));
    assert!(allowed(&coins(), (1, 1), &[], &[0, 1]));
}

/// What follows must hold of every value that has mass, and of no other.
#[test]
fn outcomes_with_mass_are_possible() {
    let block = coins();
    let context = context(&block);
    let post = assertion(&context, first("y"));
    let step = same_value(&context, &block, &"y".into(), (&int(3), &int(1)), &post).unwrap();
    let at = |y: i64| holds(step.pre().formula(), &values(&[(of("b"), 1), (other("b"), 1), (any("y"), y)]));
    assert!(at(1) && !at(0), "true and false have mass, and false does not do");
    let sure = [flip("k", number(1, 2)), assign("l", int(1)), assign("y", var("b"))];
    let context = crate::common::context(&sure);
    let post = assertion(&context, first("y"));
    let step = same_value(&context, &sure, &"y".into(), (&int(1), &int(1)), &post).unwrap();
    let at = |y: i64| holds(step.pre().formula(), &values(&[(of("b"), 1), (other("b"), 1), (any("y"), y)]));
    assert!(at(1) && at(0), "false has no mass");
}

/// The questions of one run are not those of the other.
#[test]
fn runs_have_their_own_answers() {
    for (one, two) in [(1, 0), (0, 1)] {
        assert!(!allowed(&coins(), (2, 1), &[(of("b"), one), (other("b"), two)], &[0, 1]));
    }
}

/// Where an expression is one number it is not another; elsewhere it may be.
#[test]
fn numbers_exclude_each_other() {
    let set = |n: i64, y: i64| choose(var("n").equals(int(n)), vec![assign("y", int(y))], vec![]);
    let block = vec![assign("y", int(7)), flip("k", number(1, 2)), set(0, 1), set(1, 2), set(2, 3)];
    for (n, y) in [(0, 1), (1, 2), (2, 3), (3, 7)] {
        let at = [(of("n"), n), (other("n"), n)];
        assert!(allowed(&block, (1, 1), &at, &[1, 2, 3, 7]));
        let away = [(of("n"), n), (other("n"), (n + 1) % 4)];
        assert!(!allowed(&block, (9, 1), &away, &[y]), "{n}");
    }
}

#[test]
fn outcomes_of_meaningless_laws_are_not_sane() {
    let with = |first: Statement| vec![first, flip("k", number(1, 2)), flip("y", number(1, 2))];
    let cases = [
        (flip("j", var("n")), 2, 1),
        (flip("j", var("n")), -1, 0),
        (draw("j", Distribution::UniformInt { low: int(0), high: var("n") }), -1, 0),
        (draw("j", Distribution::UniformOther { value: var("n"), count: int(2) }), 2, 1),
        (draw("j", Distribution::Response { value: var("n"), truth: int(1), count: int(2) }), -1, 0),
    ];
    for (first, out, inside) in cases {
        let block = with(first.clone());
        let at = |n: i64, m: i64| allowed(&block, (1, 1), &[(of("n"), n), (other("n"), m)], &[0, 1]);
        assert!(at(inside, inside), "{first}");
        assert!(!at(out, inside) && !at(inside, out), "{first}");
    }
}

/// The values of a law that is followed value by value are those of a law that there is.
#[test]
fn values_of_meaningless_laws_are_not_sane() {
    let end = || choose(var("j").equals(int(0)), vec![assign("y", int(1))], vec![assign("y", int(0))]);
    let with = |law: Distribution| vec![flip("k", number(1, 2)), draw("j", law), end()];
    let laws = [
        Distribution::UniformOther { value: var("n"), count: int(2) },
        Distribution::Response { value: var("n"), truth: int(1), count: int(2) },
    ];
    for law in laws {
        let block = with(law.clone());
        let at = |n: i64, m: i64| allowed(&block, (9, 1), &[(of("n"), n), (other("n"), m)], &[0, 1]);
        assert!(!at(2, 2) && !at(-1, -1), "{law}");
        assert!(at(1, 1) && at(0, 0), "{law}");
    }
}

/// A law that is kept to the end is meaningful too, as is one that is followed value by value.
#[test]
fn kept_laws_are_sane() {
    let block = vec![
        flip("k", number(1, 2)),
        draw("u", Distribution::UniformInt { low: int(0), high: var("n") }),
        assign("y", var("k").choose(var("u"), int(0))),
    ];
    let at = |n: i64| allowed(&block, (1, 1), &[(of("n"), n), (other("n"), n)], &[0]);
    assert!(at(0) && at(3) && !at(-1));
}

/// −1 / −1 is a probability; as a fraction with a negative denominator it would turn the comparison round.
#[test]
fn denominators_of_outcomes_are_positive() {
    let p = || var("n") / (var("n") * int(0).exp());
    let response = Distribution::Response { value: int(0), truth: p(), count: int(2) };
    let last = |statement| vec![flip("k", number(1, 2)), flip("l", number(1, 2)), statement];
    for block in [last(flip("y", p())), last(draw("y", response))] {
        let with = |n: i64, m: i64| [(of("n"), n), (other("n"), m)];
        assert!(
            !allowed(&block, (9, 1), &with(-1, -1), &[0]) && !allowed(&block, (9, 1), &with(1, -1), &[0])
        );
        assert!(allowed(&block, (1, 1), &with(1, 1), &[0]));
    }
}

/// Masses over different denominators are compared as fractions.
#[test]
fn different_denominators_of_outcomes_are_different() {
    let law = Distribution::UniformInt { low: int(0), high: var("n") };
    let block = vec![flip("k", number(1, 2)), flip("l", number(1, 2)), draw("y", law)];
    let with = |n: i64, m: i64| [(of("n"), n), (other("n"), m)];
    assert!(!allowed(&block, (1, 1), &with(0, 1), &[0]));
    assert!(allowed(&block, (2, 1), &with(0, 1), &[0]) && allowed(&block, (1, 1), &with(1, 1), &[0, 1]));
}

#[test]
fn kept_draws_are_read_at_the_end() {
    let die = || draw("u", Distribution::UniformInt { low: int(0), high: var("N") });
    let with = |last: Statement| vec![flip("k", number(1, 2)), die(), last];
    let refused = [
        assign("y", var("u") + int(1)),
        choose(var("u").gt(int(0)), vec![assign("y", int(1))], vec![assign("y", int(0))]),
        flip("y", int(1) / (int(1) + var("u"))),
        draw("y", Distribution::UniformInt { low: int(0), high: var("u") }),
    ];
    for last in refused {
        assert!(
            matches!(couple(&with(last.clone()), "y", (1, 1)), Err(Rejection::KnowsADraw { .. })),
            "{last}"
        );
    }
    assert!(couple(&with(assign("y", var("u"))), "y", (1, 1)).is_ok());
}

/// A value that is x, or one of 0, …, 9: where x is a real number, the masses of the integers would hide it.
#[test]
fn between_integers_no_outcome_has_mass() {
    let die = |high: i64| draw("u", Distribution::UniformInt { low: int(0), high: int(high) });
    let block = |first: Expr, high: i64| {
        vec![flip("k", number(1, 2)), die(high), assign("y", var("k").choose(first, var("u")))]
    };
    let real = couple(&block(var("n") / int(2), 9), "y", (11, 1));
    assert!(matches!(real, Err(Rejection::NoSuchCoupling { .. })));
    assert!(couple(&block(var("n"), 9), "y", (11, 1)).is_ok());
    // Followed value by value, a die gives numbers, which are compared as they are: a half is none of them.
    let few = block(var("n") / int(2), 5);
    let states = |n: i64, m: i64| [(of("n"), n), (other("n"), m)];
    assert!(allowed(&few, (1, 1), &states(1, 1), &[0, 1]) && !allowed(&few, (1, 1), &states(0, 1), &[0]));
}

#[test]
fn outcomes_are_few() {
    let many = |n: usize| -> Vec<Statement> {
        let coins = (0..n).map(|i| flip(&format!("k{i}"), number(1, 2)));
        coins.chain([flip("y", number(1, 2))]).collect()
    };
    assert_eq!(couple(&many(12), "y", (1, 1)).unwrap_err(), Rejection::TooLarge);
    assert!(couple(&many(6), "y", (1, 1)).is_ok());
    // Two laws with many questions each are as many as their product, when they are compared.
    let asks = |n: i64| -> Vec<Statement> {
        let one = |i| choose(var("n").lt(int(i)), vec![assign("y", var("y") + int(i * i))], vec![]);
        [assign("y", int(0))].into_iter().chain((0..n).map(one)).chain([flip("k", number(1, 2))]).collect()
    };
    assert_eq!(couple(&asks(7), "y", (1, 1)).unwrap_err(), Rejection::TooLarge);
    assert!(couple(&asks(2), "y", (1, 1)).is_ok());
}

#[test]
fn outcomes_are_of_finite_laws() {
    let with = |first: Statement| vec![first, flip("k", number(1, 2)), flip("y", number(1, 2))];
    let noise = with(draw("j", laplace(int(0), int(1))));
    assert!(matches!(couple(&noise, "y", (1, 1)), Err(Rejection::WrongStatement { .. })));
    let looped = with(count("i", int(2), vec![]));
    assert!(matches!(couple(&looped, "y", (1, 1)), Err(Rejection::WrongStatement { .. })));
    let list = with(assign("j", Expr::EmptyList));
    assert!(matches!(couple(&list, "y", (1, 1)), Err(Rejection::WrongStatement { .. })));
    let missing = vec![
        flip("k", number(1, 2)),
        flip("l", number(1, 2)),
        choose(Expr::Bool(false), vec![assign("y", Expr::EmptyList)], vec![]),
    ];
    assert!(couple(&missing, "y", (1, 1)).is_err(), "a list that is left as it was");
    assert!(couple(&with(flip("j", number(1, 2))), "y", (1, 1)).is_ok());
}

/// A draw from no integer at all has no values to be followed: nothing would be left to be shown.
#[test]
fn empty_ranges_are_not_followed() {
    let block = |low: i64, high: i64| {
        vec![
            draw("u", Distribution::UniformInt { low: int(low), high: int(high) }),
            assign("y", int(0)),
            choose(var("u").gt(int(0)), vec![assign("y", int(1))], vec![]),
        ]
    };
    assert!(couple(&block(2, 1), "y", (1, 1)).is_err());
    assert!(couple(&block(0, 8), "y", (1, 1)).is_err(), "too many");
    assert!(couple(&block(1, 1), "y", (1, 1)).is_ok() && couple(&block(0, 7), "y", (1, 1)).is_ok());
}

/// A denominator that is 0 is not positive.
#[test]
fn denominators_of_outcomes_are_not_zero() {
    let p = var("n") / (var("n").exp() - int(1));
    let block = [flip("k", p), assign("z", int(0)), assign("y", var("k"))];
    let step = couple(&block, "y", (1, 1)).unwrap();
    assert!(!holds(step.pre().formula(), &values(&[(any("y"), 1)])));
    let p = var("n") / (var("n").exp() + int(1));
    let block = [flip("k", p), assign("z", int(0)), assign("y", var("k"))];
    let step = couple(&block, "y", (1, 1)).unwrap();
    assert!(holds(step.pre().formula(), &values(&[(any("y"), 1)])));
}

/// Every comparison, and every way to join them, is asked as it stands: y is 1 exactly where the guard holds.
#[test]
fn questions_are_asked_as_they_stand() {
    let (x, b) = (|| var("x"), || var("b"));
    for guard in [
        x().lt(int(0)),
        x().le(int(0)),
        x().ge(int(0)),
        x().gt(int(0)),
        x().equals(int(0)),
        x().differs(int(0)),
        int(0).equals(x()),
        !x().ge(int(1)),
        b().and(x().ge(int(0))),
        b().or(x().gt(int(0))),
        b().choose(x().ge(int(0)), x().lt(int(0))),
        b().equals(x().ge(int(0))),
        b().differs(x().le(int(0))),
        x().abs().lt(int(1)),
        x().max(int(0)).le(int(0)),
        Expr::Bool(true).and(x().lt(int(1))),
        int(1).lt(int(2)).and(x().lt(int(1))),
    ] {
        let set = |value: i64| vec![assign("y", int(value))];
        let block = [flip("k", number(1, 2)), assign("z", int(0)), choose(guard.clone(), set(1), set(0))];
        let context = context(&block);
        let post = assertion(&context, first("y").equals(second("y")));
        let step = same_value(&context, &block, &"y".into(), (&int(1), &int(1)), &post).unwrap();
        for at in 0..36i64 {
            let [x, other_x, b, other_b] = [at % 3 - 1, at / 3 % 3 - 1, at / 9 % 2, at / 18];
            let given = [(of("x"), x), (other("x"), other_x), (of("b"), b), (other("b"), other_b)];
            let taken = |run| holds(&context.in_run(&guard, run), &values(&given)) as i64;
            // Both values of y: allowed only if both runs take one branch.
            let allowed = [0, 1].into_iter().all(|y| {
                let all: Vec<_> = given.iter().cloned().chain([(any("y"), y)]).collect();
                holds(step.pre().formula(), &values(&all))
            });
            assert_eq!(allowed, taken(Run::First) == taken(Run::Second), "{guard} {given:?}");
        }
    }
}
