//! DENSITY: blocks of coins and uniform draws.

use probity_kernel::finite::{has_density, same_value};

use crate::common::*;

fn couple(block: &[Statement], ratio: (Expr, Expr)) -> Result<Judgement, Rejection> {
    let context = context(block);
    let post = assertion(&context, same("y"));
    same_value(&context, block, &"y".into(), (&ratio.0, &ratio.1), &post)
}

fn uniform(name: &str) -> Statement {
    draw(name, Distribution::Uniform)
}

/// Whether the precondition holds at every multiple of 1/16 from −2 to 4, x = n/16 and x' = m/16.
fn allowed(block: &[Statement], ratio: (Expr, Expr), apart: (i64, i64)) -> bool {
    allowed_at(block, ratio, apart, 0)
}

/// The same in the middle between them, where no interval ends.
fn allowed_inside(block: &[Statement], ratio: (Expr, Expr), apart: (i64, i64)) -> bool {
    allowed_at(block, ratio, apart, 1)
}

fn allowed_at(block: &[Statement], ratio: (Expr, Expr), (n, m): (i64, i64), beside: i64) -> bool {
    let step = couple(block, ratio).unwrap();
    let sixteenth = |n: i64| rational(n, 16).unwrap();
    (-32..64).all(|y| {
        let given = [(of("x"), n), (other("x"), m)];
        let mut all: Values = given.into_iter().map(|(v, n)| (v, sixteenth(n))).collect();
        all.insert(any("y"), rational(2 * y + beside, 32).unwrap());
        all.insert(plain("eps"), Rational::ONE);
        all.insert(plain("N"), Rational::ONE);
        holds(step.pre().formula(), &all)
    })
}

/// With one coin between x and x + 1, else between 0 and 2: for x in [0, 1] the density is 3/4 or 1/4.
fn mixture(p: Expr) -> Vec<Statement> {
    vec![
        flip("k", p),
        uniform("u"),
        choose(var("k"), vec![assign("y", var("x") + var("u"))], vec![assign("y", int(2) * var("u"))]),
    ]
}

#[test]
fn densities_are_within_the_ratio() {
    assert!(allowed(&mixture(number(1, 2)), (int(3), int(1)), (0, 16)));
    assert!(!allowed(&mixture(number(1, 2)), (number(29, 10), int(1)), (0, 16)));
    assert!(!allowed(&mixture(number(1, 2)), (number(29, 10), int(1)), (16, 0)));
    assert!(allowed(&mixture(number(1, 2)), (int(1), int(1)), (5, 5)));
    let step = couple(&mixture(number(1, 2)), (int(3), int(1))).unwrap();
    assert!(step.axioms().contains("DENSITY") && !step.axioms().contains("MAXDIV"));
}

/// What one run puts outside of the other's interval has no ratio.
#[test]
fn densities_have_the_other_run_s_ends() {
    let block = [uniform("u"), assign("y", var("x") + var("u"))];
    assert!(!allowed(&block, (int(1000), int(1)), (0, 4)));
    assert!(!allowed(&block, (int(1000), int(1)), (4, 0)));
    assert!(allowed(&block, (int(1), int(1)), (7, 7)));
}

#[test]
fn ratios_of_densities_are_positive() {
    for (a, b) in [(-3, -1), (0, 0), (3, 0)] {
        assert!(!allowed(&mixture(number(1, 2)), (int(a), int(b)), (0, 0)));
    }
}

/// Half the width is twice the density.
#[test]
fn slopes_count() {
    let block = |width: Expr| [uniform("u"), assign("y", width * var("u"))];
    let wide = block(int(1) + var("x"));
    // Between 0 and 1 in the first run, between 0 and 2 in the second.
    assert!(allowed(&wide, (int(2), int(1)), (0, 16)));
    assert!(!allowed(&wide, (number(19, 10), int(1)), (0, 16)));
    let turned = [uniform("u"), assign("y", int(3) - (int(1) + var("x")) * var("u"))];
    assert!(allowed(&turned, (int(2), int(1)), (0, 16)));
    assert!(!allowed(&turned, (number(19, 10), int(1)), (0, 16)));
}

/// With a slope of 0 the value is one number, and has no density.
#[test]
fn slopes_are_not_zero() {
    let block = [uniform("u"), assign("y", var("x") * var("u"))];
    assert!(allowed(&block, (int(1), int(1)), (8, 8)));
    assert!(!allowed(&block, (int(1), int(1)), (0, 0)));
    assert!(!allowed(&block, (int(1), int(1)), (-8, -8)), "its sign is demanded");
    // In one branch: there the other run has mass at 0, where the first has none.
    let stretched =
        |p: Expr| vec![flip("k", p), uniform("u"), assign("y", var("k").choose(var("x"), int(1)) * var("u"))];
    assert!(!allowed(&stretched(number(1, 2)), (int(2), int(1)), (16, 0)));
    assert!(!allowed(&stretched(number(1, 2)), (int(2), int(1)), (0, 16)));
    // With no mass in that branch it may be 0.
    assert!(allowed(&stretched(var("x")), (int(1), int(1)), (0, 0)));
    assert!(!allowed(&stretched(var("x")), (int(1), int(1)), (-8, -8)));
    assert!(allowed(&stretched(var("x")), (int(1), int(1)), (8, 8)));
    assert!(allowed(&stretched(int(0)), (int(1), int(1)), (-8, 0)), "what has no mass is not looked at");
}

/// A factor that divides itself turned round leaves −1.
#[test]
fn factors_that_are_gone_leave_their_sign() {
    let turned = (var("x") - int(1)) / (int(1) - var("x"));
    let block = [
        uniform("u"),
        choose(var("x").lt(int(-1)), vec![assign("y", turned * var("u"))], vec![assign("y", -var("u"))]),
    ];
    assert!(allowed(&block, (int(1), int(1)), (0, -32)) && allowed(&block, (int(1), int(1)), (-32, 0)));
    let straight = [
        uniform("u"),
        choose(
            var("x").lt(int(-1)),
            vec![assign("y", (var("x") - int(1)) / (int(1) - var("x")) * var("u"))],
            vec![assign("y", var("u"))],
        ),
    ];
    assert!(!allowed(&straight, (int(1000), int(1)), (0, -32)));
    assert!(!allowed(&straight, (int(1000), int(1)), (-32, 0)));
}

/// Intervals end at quotients.
#[test]
fn ends_of_intervals_may_be_quotients() {
    // Between 0 and 1 / x: with x = 1/2 half as dense as with x = 1, and twice as wide.
    let block = [uniform("u"), assign("y", var("u") / var("x"))];
    assert!(allowed(&block, (int(2), int(1)), (16, 8)));
    assert!(!allowed(&block, (number(19, 10), int(1)), (16, 8)));
    assert!(!allowed(&block, (int(1000), int(1)), (8, 16)));
    // The divisor is the number as it seems to be positive, in whatever order it is written.
    for over in [int(1) - var("x"), var("eps") - var("x"), var("N") - var("x"), int(2) * var("x") - var("n")]
    {
        let block = [uniform("u"), assign("y", var("u") / over)];
        assert!(allowed(&block, (int(1), int(1)), (8, 8)));
    }
}

/// A draw that is compared lies on one side of the bound.
#[test]
fn bounds_of_the_draw_count() {
    // u up to x, and beyond it u + 1: no density between x and 1 + x.
    let gap = [
        uniform("u"),
        choose(var("u").lt(var("x")), vec![assign("y", var("u"))], vec![assign("y", var("u") + int(1))]),
    ];
    assert!(allowed(&gap, (int(1), int(1)), (8, 8)));
    assert!(!allowed(&gap, (int(100), int(1)), (8, 12)));
    assert!(!allowed(&gap, (int(100), int(1)), (12, 8)));
    // Turned round, and with a slope.
    for guard in
        [(-var("u")).gt(-var("x")), (int(2) * var("u")).le(int(2) * var("x")), !var("u").ge(var("x"))]
    {
        let gap =
            [uniform("u"), choose(guard, vec![assign("y", var("u"))], vec![assign("y", var("u") + int(1))])];
        assert!(allowed(&gap, (int(1), int(1)), (8, 8)));
        assert!(!allowed(&gap, (int(100), int(1)), (8, 12)));
    }
    // The factor of the draw in a question is positive, as it seems.
    let turned = [
        uniform("u"),
        choose(
            (var("free") * var("u")).lt(var("free") * number(1, 2)),
            vec![assign("y", var("u"))],
            vec![assign("y", var("u"))],
        ),
    ];
    assert!(!allowed(&turned, (int(1), int(1)), (0, 0)));
}

/// A draw that is only compared is a coin, if the bound lies where the draw may.
#[test]
fn coins_by_uniform_draws_are_sane() {
    let coin = |bound: Expr| {
        vec![
            uniform("w"),
            uniform("u"),
            choose(var("w").lt(bound), vec![assign("y", var("u"))], vec![assign("y", int(2) * var("u"))]),
        ]
    };
    assert!(allowed(&coin(var("x")), (int(1), int(1)), (8, 8)));
    assert!(!allowed(&coin(var("x")), (int(1), int(1)), (17, 17)));
    assert!(!allowed(&coin(var("x")), (int(1), int(1)), (-1, -1)));
    assert!(allowed(&coin(var("x")), (int(1), int(1)), (0, 0)), "it may lie at an end");
    assert!(allowed(&coin(var("x")), (int(1), int(1)), (16, 16)), "it may lie at an end");
    // 3/4 + 1/8 against 1/4 + 3/8 below 1; 1/8 against 3/8 above.
    assert!(allowed(&coin(var("x")), (number(7, 5), int(1)), (12, 4)));
    assert!(!allowed(&coin(var("x")), (number(13, 10), int(1)), (12, 4)));
    assert!(!allowed(&coin(var("x")), (number(29, 10), int(1)), (4, 12)));
    assert!(allowed(&coin(var("x")), (int(3), int(1)), (4, 12)));
}

/// The same of a boolean, by its masses.
#[test]
fn masses_by_uniform_draws_are_within_the_ratio() {
    let block = [uniform("u"), assign("y", var("u").lt(var("x")))];
    let step = couple(&block, (int(3), int(1))).unwrap();
    let tight = couple(&block, (number(29, 10), int(1))).unwrap();
    let at = |step: &Judgement, n: i64, m: i64, y: i64| {
        let mut all: Values =
            [(of("x"), n), (other("x"), m)].into_iter().map(|(v, n)| (v, rational(n, 16).unwrap())).collect();
        all.extend(values(&[(any("y"), y)]));
        holds(step.pre().formula(), &all)
    };
    assert!([0, 1].into_iter().all(|y| at(&step, 12, 4, y) && at(&step, 4, 12, y)));
    assert!(!at(&tight, 12, 4, 1) && !at(&tight, 4, 12, 0));
    assert!(!at(&step, 17, 17, 1) && !at(&step, -1, -1, 0));
}

/// The same of a number.
#[test]
fn masses_of_numbers_by_uniform_draws_are_within_the_ratio() {
    let block =
        [uniform("u"), choose(var("u").lt(var("x")), vec![assign("y", int(1))], vec![assign("y", int(0))])];
    let at = |ratio: Expr, n: i64, m: i64, y: i64| {
        let step = couple(&block, (ratio, int(1))).unwrap();
        let mut all: Values =
            [(of("x"), n), (other("x"), m)].into_iter().map(|(v, n)| (v, rational(n, 16).unwrap())).collect();
        all.extend(values(&[(any("y"), y)]));
        holds(step.pre().formula(), &all)
    };
    // 1 with 3/4 against 1/4, and 0 with 1/4 against 3/4.
    assert!((-1..3).all(|y| at(int(3), 12, 4, y)));
    assert!(!at(int(2), 12, 4, 1) && at(int(2), 12, 4, 0) && at(number(1, 3), 12, 4, 0));
    assert!(!at(int(2), 4, 12, 0) && at(int(2), 4, 12, 1) && at(number(1, 3), 4, 12, 1));
}

/// Each run's law is sane, and that of a branch where it is taken.
#[test]
fn both_runs_and_all_taken_branches_are_sane() {
    let coin = vec![
        flip("k", var("x")),
        choose(var("k"), vec![assign("y", var("u"))], vec![assign("y", int(2) * var("u"))]),
    ];
    let whole = [vec![uniform("u")], coin.clone()].concat();
    let large = || (int(1000), int(1));
    assert!(allowed(&whole, large(), (8, 8)));
    for out in [17, -1] {
        assert!(!allowed(&whole, large(), (out, 8)) && !allowed(&whole, large(), (8, out)), "{out}");
    }
    // In a branch that is taken up to x = 2 or beyond x = −2 only.
    for (guard, out, away) in [(var("x").lt(int(2)), 17, 33), (var("x").ge(int(-2)), -1, -33)] {
        let block = [uniform("u"), choose(guard, coin.clone(), vec![assign("y", var("u"))])];
        assert!(allowed(&block, large(), (8, 8)) && allowed(&block, large(), (away, away)));
        assert!(!allowed(&block, large(), (out, out)), "{out}");
    }
}

/// A branch is taken where its guard holds, and the other one elsewhere: with a ratio of 1 both runs take the same.
#[test]
fn branches_of_densities_are_those_of_their_guards() {
    let (x, n) = (|| var("x"), || var("n"));
    let high = || n().gt(int(0));
    let guards = [
        x().lt(int(1)),
        x().le(int(1)),
        x().gt(int(1)),
        x().ge(int(1)),
        !x().lt(int(1)),
        yes(),
        !yes(),
        x().lt(int(1)).and(high()),
        x().lt(int(1)).or(high()),
        !(x().ge(int(1)).or(!high())),
        high().and(high()),
        high().and(!high()),
        high().or(x().le(int(1)).and(high())),
        high().choose(x().lt(int(1)), x().gt(int(1))),
        x().lt(high().choose(int(1), number(1, 2))),
        x().ge(high().choose(int(1), number(1, 2))),
    ];
    let states: Vec<(i64, i64)> = [0, 12, 16, 20].into_iter().flat_map(|x| [(x, 0), (x, 1)]).collect();
    let state = |place: fn(&str) -> Variable, (x, n): (i64, i64)| {
        [(place("x"), rational(x, 16).unwrap()), (place("n"), Rational::from(n))]
    };
    for guard in guards {
        let block = [
            uniform("u"),
            choose(guard.clone(), vec![assign("y", var("u"))], vec![assign("y", int(2) * var("u"))]),
        ];
        let step = couple(&block, (int(1), int(1))).unwrap();
        let taken = |at: (i64, i64)| holds(&guard, &state(plain, at).into_iter().collect());
        for (one, two) in states.iter().flat_map(|one| states.iter().map(move |two| (*one, *two))) {
            let allowed = [number(1, 4), number(3, 2)].into_iter().all(|y| {
                let mut all: Values = state(of, one).into_iter().chain(state(other, two)).collect();
                all.insert(any("y"), value(&y, &values(&[])));
                holds(step.pre().formula(), &all)
            });
            assert_eq!(allowed, taken(one) == taken(two), "{guard} at {one:?} and {two:?}");
        }
    }
}

/// The same of guards that ask about the draw, by the probability of a boolean.
#[test]
fn answers_of_draws_are_those_of_their_guards() {
    let (u, x, half) = (|| var("u"), || var("x"), || number(1, 2));
    let up = || x().gt(int(0));
    // A guard, and its probability where x is 0 and where it is 1.
    let guards = [
        (u().lt(number(1, 4)), [(1, 4), (1, 4)]),
        (u().ge(number(1, 4)), [(3, 4), (3, 4)]),
        (u().gt(number(1, 4)).and(u().le(half())), [(1, 4), (1, 4)]),
        (u().lt(number(1, 4)).or(u().gt(half())), [(3, 4), (3, 4)]),
        (up().choose(u().lt(number(1, 4)), u().lt(half())), [(1, 2), (1, 4)]),
        (u().lt(up().choose(number(1, 4), half())), [(1, 2), (1, 4)]),
        (up().and(u().lt(half())), [(0, 1), (1, 2)]),
        (up().or(u().lt(half())), [(1, 2), (1, 1)]),
        (yes(), [(1, 1), (1, 1)]),
    ];
    for (guard, of_runs) in guards {
        let set = |y| vec![assign("y", int(y))];
        let block = [uniform("u"), choose(guard.clone(), set(1), set(0))];
        for (n, m) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let mass = |run: i64, y: i64| {
                let (top, over) = of_runs[run as usize];
                let yes = rational(top, over).unwrap();
                if y == 1 { yes } else { Rational::ONE - yes }
            };
            for (y, (a, b)) in
                [0, 1].into_iter().flat_map(|y| [(1, 4), (1, 2), (1, 1), (2, 1), (3, 1)].map(|r| (y, r)))
            {
                let step = couple(&block, (int(a), int(b))).unwrap();
                let allowed =
                    holds(step.pre().formula(), &values(&[(of("x"), n), (other("x"), m), (any("y"), y)]));
                let within = mass(n, y) * Rational::from(b) <= mass(m, y) * Rational::from(a);
                assert_eq!(allowed, within, "{guard}: {y} at {n} and {m} by {a}/{b}");
            }
        }
    }
}

/// A value that is a number on one path has mass there, and no density.
#[test]
fn masses_and_densities_do_not_mix() {
    let block = [
        flip("k", number(1, 2)),
        uniform("u"),
        choose(var("k"), vec![assign("y", var("u"))], vec![assign("y", var("x"))]),
    ];
    assert!(matches!(couple(&block, (int(1), int(1))), Err(Rejection::Malformed { .. })));
    assert!(!has_density(&context(&block), &block, &"y".into()));
    assert!(has_density(&context(&mixture(number(1, 2))), &mixture(number(1, 2)), &"y".into()));
}

#[test]
fn densities_are_of_one_draw_in_a_line() {
    let knows = |value: Expr| {
        let block = [uniform("u"), uniform("w"), assign("y", value)];
        matches!(couple(&block, (int(1), int(1))), Err(Rejection::KnowsADraw { .. }))
    };
    assert!(knows(var("u") + var("w")));
    assert!(knows(var("u") * var("u")));
    assert!(knows(var("u").exp()));
    assert!(knows(int(1) / var("u")));
    assert!(knows(var("u") / (int(1) + var("u"))));
    assert!(knows(var("u") - var("u")));
    assert!(!knows(var("u") * var("eps") + var("x") / var("eps")));
    // Quotients in every operation.
    let share = || var("u") / var("eps");
    for value in [-share(), int(1) + share(), int(1) - share(), share() * var("N")] {
        assert!(!knows(value.clone()), "{value}");
    }
    // In questions and probabilities.
    let asked = |guard: Expr| {
        let block = [
            uniform("u"),
            uniform("w"),
            choose(guard, vec![assign("y", var("u"))], vec![assign("y", var("u"))]),
        ];
        matches!(couple(&block, (int(1), int(1))), Err(Rejection::KnowsADraw { .. }))
    };
    assert!(
        asked(var("u").lt(var("w")))
            && asked(var("u").equals(number(1, 2)))
            && asked(var("u").exp().lt(int(2)))
    );
    assert!(!asked(var("u").lt(number(1, 2))));
    let block = [uniform("u"), flip("k", var("u")), assign("y", var("u"))];
    assert!(matches!(couple(&block, (int(1), int(1))), Err(Rejection::KnowsADraw { .. })));
}

/// Probabilities, and what divides, are those of laws.
#[test]
fn probabilities_of_densities_are_sane() {
    assert!(allowed_inside(&mixture(var("x")), (int(1), int(1)), (8, 8)));
    assert!(!allowed_inside(&mixture(var("x")), (int(1), int(1)), (17, 17)));
    assert!(!allowed_inside(&mixture(var("x")), (int(1), int(1)), (-1, -1)));
    let over = mixture(number(1, 4) / var("x"));
    assert!(allowed_inside(&over, (int(1), int(1)), (8, 8)));
    // With probability 1/2 near 1/2, with 1/4 near 1.
    assert!(allowed_inside(&over, (int(2), int(1)), (8, 16)));
    assert!(!allowed_inside(&over, (number(19, 10), int(1)), (8, 16)));
    // A quotient by 0 is 0, and one by a negative number would turn the comparison round.
    assert!(!allowed_inside(&over, (int(1), int(1)), (0, 0)));
    assert!(!allowed_inside(&over, (int(1), int(1)), (-8, -8)));
    let gone = mixture((int(1) / var("x")) / (int(2) / var("x")));
    assert!(allowed_inside(&gone, (int(1), int(1)), (8, 8)));
    assert!(!allowed_inside(&gone, (int(1), int(1)), (0, 0)));
    let all_gone = mixture(var("x") * number(1, 2) / var("x"));
    assert!(allowed_inside(&all_gone, (int(1), int(1)), (8, 8)));
    assert!(!allowed_inside(&all_gone, (int(1), int(1)), (0, 0)));
    let nothing = mixture(number(1, 2) / (var("x") - var("x")));
    assert!(matches!(couple(&nothing, (int(1), int(1))), Err(Rejection::NotPositive { .. })));
}

/// What a path is over is positive whether it is taken or not: all is put over it.
#[test]
fn denominators_of_all_paths_are_positive() {
    let block = [
        uniform("u"),
        choose(
            var("x").lt(int(0)),
            vec![assign("y", var("u"))],
            vec![assign("y", (var("x") + int(2)) * var("u"))],
        ),
    ];
    assert!(allowed(&block, (int(1), int(1)), (8, 8)));
    assert!(!allowed(&block, (int(1), int(1)), (-48, -48)));
    assert!(!allowed(&block, (int(1), int(1)), (-32, -32)), "0 is not positive");
}

#[test]
fn paths_of_densities_are_few() {
    let many: Vec<Statement> =
        (0..4).map(|n| flip(&format!("k{n}"), number(1, 2))).chain([uniform("y")]).collect();
    assert_eq!(couple(&many, (int(1), int(1))).unwrap_err(), Rejection::TooLarge);
    let long: Vec<Statement> =
        std::iter::repeat_with(|| assign("k", int(1))).take(501).chain([uniform("y")]).collect();
    assert_eq!(couple(&long, (int(1), int(1))).unwrap_err(), Rejection::TooLarge);
    assert!(couple(&many[1..], (int(1), int(1))).is_ok());
}

/// A question that is asked again and again has many ways to come out, of which few are possible.
#[test]
fn questions_of_densities_are_few() {
    let asked = |times: usize| {
        let guard = Expr::all((0..times).map(|_| var("b").or(var("x").lt(int(1)))));
        [uniform("u"), choose(guard, vec![assign("y", var("u"))], vec![assign("y", int(2) * var("u"))])]
    };
    assert!(couple(&asked(3), (int(2), int(1))).is_ok());
    assert_eq!(couple(&asked(10), (int(2), int(1))).unwrap_err(), Rejection::TooLarge);
}

#[test]
fn densities_are_of_coins_and_uniform_draws() {
    let noise = [uniform("u"), draw("z", laplace(int(0), int(1))), assign("y", var("u"))];
    assert!(matches!(couple(&noise, (int(1), int(1))), Err(Rejection::WrongStatement { .. })));
    let unset = [uniform("u"), choose(var("b"), vec![assign("y", var("u"))], vec![])];
    assert!(matches!(couple(&unset, (int(1), int(1))), Err(Rejection::Malformed { .. })));
    // A list that is started in the block is not the one before it.
    let list = [uniform("u"), assign("l", Expr::EmptyList), assign("y", var("u") + Expr::Length(plain("l")))];
    assert!(matches!(couple(&list, (int(1), int(1))), Err(Rejection::WrongStatement { .. })));
    // A draw in a branch is one of the block.
    let own = || vec![uniform("u"), assign("y", var("u").lt(number(1, 2)))];
    for (then, otherwise) in
        [(own(), own()), (own(), vec![assign("y", var("b"))]), (vec![assign("y", var("b"))], own())]
    {
        let branch = [choose(var("b"), then, otherwise)];
        assert!(couple(&branch, (int(1), int(1))).unwrap().axioms().contains("DENSITY"));
    }
}

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as i64 % below
    }

    fn quarters(&mut self) -> Expr {
        number(self.roll(4), 4)
    }

    /// y on a line over the draw, that x may move.
    fn line(&mut self) -> Vec<Statement> {
        let slope = [number(1, 2), int(1), int(2), int(-1), int(-2)][self.roll(5) as usize].clone();
        let start = if self.roll(2) == 0 { self.quarters() } else { self.quarters() + var("x") };
        vec![assign("y", start + slope * var("u"))]
    }

    fn branch(&mut self) -> Vec<Statement> {
        match self.roll(2) {
            0 => self.line(),
            _ => {
                let bound = if self.roll(3) == 0 { var("x") } else { self.quarters() };
                let guard = if self.roll(2) == 0 { var("u").lt(bound) } else { var("u").ge(bound) };
                vec![choose(guard, self.line(), self.line())]
            }
        }
    }
}

/// Where a run ends for the values that are drawn.
fn run(block: &[Statement], state: &mut Values) {
    for statement in block {
        match statement {
            Statement::Assign { var: name, value: e } => {
                let new = value(e, state);
                state.insert(Variable::Plain(name.clone()), new);
            }
            Statement::If { guard, then, otherwise } => {
                run(if holds(guard, state) { then } else { otherwise }, state);
            }
            _ => {}
        }
    }
}

/// The mass of every cell of width 1/16 from −4 on, by running the block for 64 draws in the middle of as many parts of (0, 1), which
/// is exact where all slopes are at most 2 and all ends are ends of cells.
fn cells(block: &[Statement], p: &Rational, x: i64) -> Vec<Rational> {
    let mut found = vec![Rational::ZERO; 160];
    for (coin, weight) in [(1, p.clone()), (0, Rational::ONE - p.clone())] {
        for n in 0..64 {
            let mut state = values(&[(plain("k"), coin)]);
            state.insert(plain("x"), rational(x, 4).unwrap());
            state.insert(plain("u"), rational(2 * n + 1, 128).unwrap());
            run(block, &mut state);
            let place = (state[&plain("y")].clone() + Rational::from(4)) * Rational::from(16);
            let cell = i64::try_from(place.floor()).unwrap();
            found[cell as usize] += weight.clone();
        }
    }
    found
}

/// What is allowed is what running shows, and no less.
#[test]
fn densities_are_those_of_runs() {
    let mut dice = Dice(7);
    let (mut bounded, mut unbounded) = (0, 0);
    for _ in 0..150 {
        let p = rational(1 + dice.roll(3), 4).unwrap();
        let (yes, no) = (dice.branch(), dice.branch());
        let block = [flip("k", Expr::Number(p.clone())), uniform("u"), choose(var("k"), yes, no)];
        let (x, other_x) = (dice.roll(5), dice.roll(5));
        let (here, there) = (cells(&block, &p, x), cells(&block, &p, other_x));
        let mut largest = Some(Rational::ZERO);
        for (here, there) in here.iter().zip(&there).filter(|(here, _)| !here.is_zero()) {
            largest = match largest {
                Some(most) if !there.is_zero() => Some(most.max(here.clone() / there.clone())),
                _ => None,
            };
        }
        let allows = |ratio: Rational| {
            let step = couple(&block, (Expr::Number(ratio), int(1))).unwrap();
            (0..160).all(|cell| {
                let mut all = values(&[]);
                all.insert(of("x"), rational(x, 4).unwrap());
                all.insert(other("x"), rational(other_x, 4).unwrap());
                all.insert(any("y"), rational(2 * cell + 1 - 128, 32).unwrap());
                holds(step.pre().formula(), &all)
            })
        };
        match largest {
            Some(most) => {
                bounded += 1;
                assert!(allows(most.clone()), "{block:?} {x} {other_x} {most}");
                assert!(!allows(most * rational(99, 100).unwrap()), "{block:?} {x} {other_x}");
            }
            None => {
                unbounded += 1;
                assert!(!allows(Rational::from(1000)), "{block:?} {x} {other_x}");
            }
        }
    }
    assert!(bounded > 30 && unbounded > 30, "{bounded} {unbounded}");
}
