//! The sampling axioms. Most of their conditions are parts of the precondition that they compute, so the tests ask in
//! which states it holds.

use probity_kernel::sampling::{up_to_lower_tail, up_to_open_tail, up_to_upper_tail};

use crate::common::*;

/// The precondition of coupling one draw so that its two values are equal.
fn pre(law: Distribution, coupling: &Coupling) -> Result<Expr, Rejection> {
    after(law, coupling, same("y"))
}

fn after(law: Distribution, coupling: &Coupling, post: Expr) -> Result<Expr, Rejection> {
    let statement = draw("y", law);
    let context = context(std::slice::from_ref(&statement));
    let post = assertion(&context, post);
    sample(&context, &statement, coupling, &post).map(|step| step.pre().formula().clone())
}

fn shift(by: Expr, cost: Expr) -> Coupling {
    Coupling::Shift { by, cost }
}

fn geometric(scale: Expr) -> Distribution {
    Distribution::Geometric { scale }
}

fn gumbel(center: Expr, scale: Expr) -> Distribution {
    Distribution::Gumbel { center, scale }
}

/// Gumbel noise moves up, with its center, and pays for how far.
#[test]
fn gumbel_noise_moves_up() {
    let moved = |by: i64, cost: i64, from: i64, to: i64| {
        let formula = after(gumbel(var("x"), int(2)), &shift(int(by), int(cost)), yes()).unwrap();
        holds(&formula, &values(&[(of("x"), from), (other("x"), to)]))
    };
    assert!(moved(2, 1, 0, 0) && moved(0, 0, 0, 0) && moved(1, 1, 0, -1) && moved(1, 0, 0, 1));
    // Too far for what is paid, down, and down by its center.
    assert!(!moved(3, 1, 0, 0) && !moved(1, 1, 0, -2));
    assert!(!moved(-1, 1, 0, 0) && !moved(0, 1, 0, 1));
    let scales = after(gumbel(int(0), var("x")), &shift(int(0), int(0)), yes()).unwrap();
    assert!(!holds(&scales, &values(&[(of("x"), 1), (other("x"), 2)])));
    assert!(holds(&scales, &values(&[(of("x"), 2), (other("x"), 2)])));
}

#[test]
fn only_draws_are_sampled() {
    let set = assign("y", int(1));
    let context = context(std::slice::from_ref(&set));
    let post = assertion(&context, yes());
    assert!(matches!(sample(&context, &set, &Coupling::Null, &post), Err(Rejection::WrongStatement { .. })));
    assert!(pre(laplace(int(0), int(1)), &Coupling::Null).is_ok());
}

#[test]
fn couplings_do_not_know_the_draw() {
    let law = || laplace(int(0), int(1));
    let peeking = shift(first("y"), int(0));
    assert!(matches!(pre(law(), &peeking), Err(Rejection::KnowsADraw { .. })));
    let select = |threshold| Coupling::Select {
        threshold,
        strict: false,
        above: (int(1), int(1)),
        below: (int(0), int(0)),
    };
    assert!(matches!(pre(law(), &select(first("y"))), Err(Rejection::KnowsADraw { .. })));
    assert!(pre(law(), &shift(first("x"), int(0))).is_ok() && pre(law(), &select(first("x"))).is_ok());
}

#[test]
fn couplings_know_no_arbitrary_value() {
    let law = || laplace(int(0), int(1));
    assert!(matches!(pre(law(), &shift(Expr::Var(any("y")), int(0))), Err(Rejection::KnowsADraw { .. })));
    assert!(pre(law(), &shift(int(0), int(0))).is_ok());
}

#[test]
fn couplings_are_numbers() {
    let law = || laplace(int(0), int(1));
    assert!(matches!(pre(law(), &shift(first("b"), int(0))), Err(Rejection::NotANumber { .. })));
    assert!(pre(law(), &shift(first("n"), int(0))).is_ok());
}

#[test]
fn null_needs_equal_parameters() {
    let law = laplace(var("x"), int(1));
    let formula = pre(law, &Coupling::Null).unwrap();
    assert!(!holds(&formula, &values(&[(of("x"), 0), (other("x"), 1)])));
    assert!(holds(&formula, &values(&[(of("x"), 1), (other("x"), 1)])));
}

/// Every law, a parameter that is out of its range, and the nearest that is in it.
#[test]
fn null_needs_laws_in_range() {
    let n = || var("N");
    let laws: Vec<(Distribution, i64, i64)> = vec![
        (Distribution::Bernoulli(n()), -1, 0),
        (Distribution::Bernoulli(n()), 2, 1),
        (Distribution::UniformInt { low: int(3), high: n() }, 2, 3),
        (Distribution::UniformOther { value: n(), count: int(2) }, -1, 0),
        (Distribution::UniformOther { value: n(), count: int(2) }, 2, 1),
        (Distribution::UniformOther { value: int(0), count: n() }, 1, 2),
        (Distribution::Response { value: n(), truth: int(1), count: int(2) }, -1, 0),
        (Distribution::Response { value: n(), truth: int(1), count: int(2) }, 2, 1),
        (Distribution::Response { value: int(0), truth: n(), count: int(2) }, -1, 0),
        (Distribution::Response { value: int(0), truth: n(), count: int(2) }, 2, 1),
        (Distribution::Response { value: int(0), truth: int(1), count: n() }, 1, 2),
        (laplace(int(0), n()), 0, 1),
        (Distribution::DiscreteLaplace { center: int(0), scale: n() }, 0, 1),
        (Distribution::Gaussian { center: int(0), deviation: n() }, 0, 1),
        (Distribution::DiscreteGaussian { center: int(0), deviation: n() }, 0, 1),
        (gumbel(int(0), n()), 0, 1),
        (Distribution::Exponential { scale: n() }, 0, 1),
        (geometric(n()), 0, 1),
    ];
    for (law, out, inside) in laws {
        let formula = pre(law.clone(), &Coupling::Null).unwrap();
        assert!(!holds(&formula, &values(&[(plain("N"), out)])), "{law} at {out}");
        assert!(holds(&formula, &values(&[(plain("N"), inside)])), "{law} at {inside}");
    }
}

#[test]
fn shifts_need_laws_in_range() {
    for law in [
        laplace(int(0), var("N")),
        Distribution::DiscreteLaplace { center: int(0), scale: var("N") },
        gumbel(int(0), var("N")),
        Distribution::Exponential { scale: var("N") },
        geometric(var("N")),
    ] {
        let formula = pre(law.clone(), &shift(int(0), int(0))).unwrap();
        assert!(!holds(&formula, &values(&[(plain("N"), 0)])), "{law}");
        assert!(!holds(&formula, &values(&[(plain("N"), -1)])), "{law}");
        assert!(holds(&formula, &values(&[(plain("N"), 1)])), "{law}");
    }
}

/// What a draw cannot be need not be considered, and nothing more.
#[test]
fn supports_hold_of_every_value() {
    let half = || Distribution::Exponential { scale: int(1) };
    let laws: Vec<(Distribution, Vec<i64>, Vec<i64>)> = vec![
        (Distribution::Uniform, vec![0, -1, 2], vec![1]),
        (Distribution::Sign, vec![0, 2], vec![1, -1]),
        (Distribution::UniformInt { low: int(1), high: int(3) }, vec![0, 4], vec![1, 2, 3]),
        (Distribution::UniformOther { value: int(0), count: int(3) }, vec![-1, 3], vec![1, 2]),
        (Distribution::Response { value: int(0), truth: int(1), count: int(3) }, vec![-1, 3], vec![0, 1, 2]),
        (half(), vec![-1], vec![0, 1]),
        (geometric(int(1)), vec![-1], vec![0, 1]),
        (laplace(int(0), int(1)), vec![], vec![-5, 0, 5]),
    ];
    for (law, impossible, possible) in laws {
        // A false end: the precondition holds only for values that are impossible.
        let formula = after(law.clone(), &Coupling::Null, Expr::Bool(false)).unwrap();
        for v in impossible {
            assert!(holds(&formula, &values(&[(any("y"), v)])), "{law}: {v}");
        }
        for v in possible {
            assert!(!holds(&formula, &values(&[(any("y"), v)])), "{law}: {v}");
        }
    }
}

#[test]
fn shifts_pay_for_the_distance() {
    for law in [laplace(var("n"), int(2)), Distribution::DiscreteLaplace { center: var("n"), scale: int(2) }]
    {
        // y' = y, from centers that are 4 apart with scale 2: costs 2.
        let formula = pre(law.clone(), &shift(int(0), var("N"))).unwrap();
        let apart = |cost| values(&[(of("n"), 4), (plain("N"), cost)]);
        assert!(!holds(&formula, &apart(1)) && holds(&formula, &apart(2)), "{law}");
        let mirrored = |cost| values(&[(other("n"), 4), (plain("N"), cost)]);
        assert!(!holds(&formula, &mirrored(1)) && holds(&formula, &mirrored(2)), "{law}");
    }
}

#[test]
fn shifts_up_pay_for_the_distance() {
    for law in [Distribution::Exponential { scale: int(2) }, geometric(int(2))] {
        let formula = after(law.clone(), &shift(int(4), var("N")), yes()).unwrap();
        assert!(!holds(&formula, &values(&[(plain("N"), 1)])), "{law}");
        assert!(holds(&formula, &values(&[(plain("N"), 2)])), "{law}");
    }
}

#[test]
fn shifts_down_leave_the_support() {
    for law in [Distribution::Exponential { scale: int(1) }, geometric(int(1))] {
        let formula = after(law.clone(), &shift(var("N"), int(3)), yes()).unwrap();
        assert!(!holds(&formula, &values(&[(plain("N"), -1)])), "{law}");
        assert!(holds(&formula, &values(&[(plain("N"), 0)])), "{law}");
    }
}

#[test]
fn shifts_need_one_scale() {
    let body = [assign("s", int(1)), draw("y", laplace(int(0), var("s")))];
    let context = context(&body);
    let post = assertion(&context, same("y"));
    let step = sample(&context, &body[1], &shift(int(0), int(5)), &post).unwrap();
    assert!(!holds(step.pre().formula(), &values(&[(of("s"), 1), (other("s"), 2)])));
    assert!(holds(step.pre().formula(), &values(&[(of("s"), 2), (other("s"), 2)])));
}

#[test]
fn shifts_move_the_value() {
    let formula =
        after(laplace(int(0), int(1)), &shift(int(1), int(1)), second("y").equals(first("y"))).unwrap();
    assert!(!holds(&formula, &values(&[])));
    let formula =
        after(laplace(int(0), int(1)), &shift(int(1), int(1)), second("y").equals(first("y") + int(1)))
            .unwrap();
    assert!(holds(&formula, &values(&[])));
}

#[test]
fn costs_are_charged() {
    let formula = after(laplace(int(0), int(1)), &shift(int(1), int(1)), Expr::cost().le(int(1))).unwrap();
    assert!(!holds(&formula, &values(&[(Variable::Cost, 1)])) && holds(&formula, &values(&[])));
}

#[test]
fn integer_laws_shift_by_integers() {
    let discrete = Distribution::DiscreteLaplace { center: int(0), scale: int(1) };
    for law in [discrete, geometric(int(1))] {
        let by = |by: Expr| pre(law.clone(), &shift(by, int(9)));
        assert!(matches!(by(first("x")), Err(Rejection::NotAnInteger { .. })), "{law}");
        assert!(by(first("n")).is_ok(), "{law}");
    }
    assert!(pre(laplace(int(0), int(1)), &shift(first("x"), int(9))).is_ok());
}

#[test]
fn only_laplace_and_its_kin_shift() {
    for law in [Distribution::Uniform, Distribution::Gaussian { center: int(0), deviation: int(1) }] {
        assert!(matches!(pre(law, &shift(int(1), int(9))), Err(Rejection::NoSuchCoupling { .. })));
    }
    assert!(pre(laplace(int(0), int(1)), &shift(int(1), int(9))).is_ok());
}

fn select(above: i64, below: i64) -> Coupling {
    Coupling::Select {
        threshold: int(0),
        strict: false,
        above: (int(above), int(9)),
        below: (int(below), int(9)),
    }
}

#[test]
fn selected_shifts_do_not_shrink() {
    let law = || laplace(int(0), int(1));
    assert!(!holds(&after(law(), &select(0, 1), yes()).unwrap(), &values(&[])));
    assert!(holds(&after(law(), &select(1, 1), yes()).unwrap(), &values(&[])));
    assert!(holds(&after(law(), &select(2, 1), yes()).unwrap(), &values(&[])));
}

#[test]
fn selected_shifts_are_both_paid() {
    let law = || laplace(int(0), int(1));
    let costing = |above: i64, below: i64| Coupling::Select {
        threshold: int(0),
        strict: false,
        above: (int(2), int(above)),
        below: (int(1), int(below)),
    };
    assert!(!holds(&after(law(), &costing(1, 1), yes()).unwrap(), &values(&[])));
    assert!(!holds(&after(law(), &costing(2, 0), yes()).unwrap(), &values(&[])));
    assert!(holds(&after(law(), &costing(2, 1), yes()).unwrap(), &values(&[])));
}

#[test]
fn selected_shifts_choose_by_the_threshold() {
    let moved = |by: i64| second("y").equals(first("y") + int(by));
    for (strict, at_zero) in [(false, 2), (true, 1)] {
        let coupling =
            Coupling::Select { threshold: int(0), strict, above: (int(2), int(9)), below: (int(1), int(9)) };
        for (y, by) in [(1, 2), (0, at_zero), (-1, 1)] {
            let at = |by| after(laplace(int(0), int(1)), &coupling, moved(by)).unwrap();
            assert!(holds(&at(by), &values(&[(any("y"), y)])), "{y} moves by {by}");
            assert!(!holds(&at(3 - by), &values(&[(any("y"), y)])), "{y} does not move by {}", 3 - by);
        }
    }
}

#[test]
fn scaling_is_for_uniform_draws() {
    let scale = Coupling::Scale { cost: int(0) };
    assert!(matches!(pre(laplace(int(0), int(1)), &scale), Err(Rejection::NoSuchCoupling { .. })));
    assert!(pre(Distribution::Uniform, &scale).is_ok());
}

#[test]
fn scaling_shrinks() {
    let formula = after(Distribution::Uniform, &Coupling::Scale { cost: var("N") }, yes()).unwrap();
    assert!(!holds(&formula, &values(&[(plain("N"), -1)])) && holds(&formula, &values(&[(plain("N"), 0)])));
}

#[test]
fn fresh_values_are_fresh() {
    let (noise, keep) = (draw("y", laplace(int(0), int(1))), assign("z", var("y")));
    let context = context(&[noise.clone(), keep.clone(), noise.clone()]);
    let post = assertion(&context, first("z").equals(first("y")));
    let last = sample(&context, &noise, &Coupling::Null, &post).unwrap();
    let middle = rules::assign(&context, &keep, last.pre()).unwrap();
    let all = sample(&context, &noise, &Coupling::Null, middle.pre()).unwrap();
    // Two draws with different values: the end does not hold.
    let apart = values(&[(any("y"), 1), (Variable::Arbitrary("y".into(), 1), 2)]);
    let equal = values(&[(any("y"), 1), (Variable::Arbitrary("y".into(), 1), 1)]);
    assert!(!holds(all.pre().formula(), &apart) && holds(all.pre().formula(), &equal));
}

/// Coupling a Laplace draw up to its tails.
fn tail(law: Distribution, tail: Expr) -> Result<Judgement, Rejection> {
    let body = [assign("s", int(1)), draw("y", law)];
    let context = context(&body);
    up_to_tail(&context, &body[1], &Coupling::Null, &tail, &assertion(&context, yes()))
}

#[test]
fn tails_are_of_laplace_draws() {
    assert!(matches!(tail(geometric(int(1)), int(1)), Err(Rejection::WrongStatement { .. })));
    assert!(tail(laplace(int(0), int(1)), int(1)).is_ok());
}

#[test]
fn tails_are_public() {
    assert!(matches!(tail(laplace(int(0), int(1)), first("x")), Err(Rejection::NotPublic { .. })));
    assert!(tail(laplace(int(0), int(1)), var("N")).is_ok());
}

#[test]
fn scales_of_tails_are_public() {
    assert!(matches!(tail(laplace(int(0), var("s")), int(1)), Err(Rejection::NotPublic { .. })));
    assert!(tail(laplace(int(0), var("eps")), int(1)).is_ok());
}

#[test]
fn tails_are_numbers() {
    assert!(matches!(tail(laplace(int(0), int(1)), yes()), Err(Rejection::NotANumber { .. })));
    assert!(tail(laplace(int(0), int(1)), int(1)).is_ok());
}

#[test]
fn tails_are_around_a_fixed_center() {
    assert!(matches!(tail(laplace(var("y"), int(1)), int(1)), Err(Rejection::KnowsADraw { .. })));
    assert!(tail(laplace(var("x"), int(1)), int(1)).is_ok());
}

#[test]
fn tails_are_not_negative() {
    let step = tail(laplace(int(0), int(1)), var("N")).unwrap();
    assert!(!holds(step.pre().formula(), &values(&[(plain("N"), -1)])));
    assert!(holds(step.pre().formula(), &values(&[(plain("N"), 0)])));
}

#[test]
fn what_lies_beyond_a_tail_is_all_that_is_forgotten() {
    let noise = draw("y", laplace(int(0), int(1)));
    let context = context(std::slice::from_ref(&noise));
    let post = assertion(&context, first("y").le(int(0)));
    let step = up_to_tail(&context, &noise, &Coupling::Null, &int(2), &post).unwrap();
    // y = 1 is within the tail and above 0; y = 3 is beyond.
    assert!(!holds(step.pre().formula(), &values(&[(any("y"), 1)])));
    assert!(!holds(step.pre().formula(), &values(&[(any("y"), 2)])));
    assert!(holds(step.pre().formula(), &values(&[(any("y"), 3)])));
}

/// A shift of 2^16 parts is within bounds, and twice in a precondition it is not.
#[test]
fn preconditions_stay_small() {
    let wide = |n: u32| (0..n).fold(int(1), |sum, _| sum.clone() + sum);
    assert_eq!(pre(laplace(int(0), int(1)), &shift(wide(15), int(9))).unwrap_err(), Rejection::TooLarge);
    assert!(pre(laplace(int(0), int(1)), &shift(wide(5), int(9))).is_ok());
    assert_eq!(signed(&uniform("u"), &sign("s"), wide(15), int(9)).unwrap_err(), Rejection::TooLarge);
    assert!(signed(&uniform("u"), &sign("s"), wide(5), int(9)).is_ok());
}

fn signed(u: &Statement, s: &Statement, by: Expr, cost: Expr) -> Result<Judgement, Rejection> {
    let context = context(&[u.clone(), s.clone()]);
    signed_log(&context, (u, s), (&by, &cost), &assertion(&context, yes()))
}

fn uniform(name: &str) -> Statement {
    draw(name, Distribution::Uniform)
}
fn sign(name: &str) -> Statement {
    draw(name, Distribution::Sign)
}

#[test]
fn signed_log_starts_with_a_uniform() {
    let noise = draw("u", laplace(int(0), int(1)));
    assert!(matches!(signed(&noise, &sign("s"), int(0), int(0)), Err(Rejection::WrongStatement { .. })));
    assert!(signed(&uniform("u"), &sign("s"), int(0), int(0)).is_ok());
}

#[test]
fn signed_log_ends_with_a_sign() {
    let coin = draw("s", Distribution::UniformInt { low: int(-1), high: int(1) });
    assert!(matches!(signed(&uniform("u"), &coin, int(0), int(0)), Err(Rejection::WrongStatement { .. })));
    assert!(signed(&uniform("u"), &sign("s"), int(0), int(0)).is_ok());
}

#[test]
fn signed_log_has_two_variables() {
    assert!(matches!(
        signed(&uniform("u"), &sign("u"), int(0), int(0)),
        Err(Rejection::WrongStatement { .. })
    ));
    assert!(signed(&uniform("u"), &sign("s"), int(0), int(0)).is_ok());
}

#[test]
fn signed_log_knows_no_draw() {
    for peek in [first("u"), first("s")] {
        let answer = signed(&uniform("u"), &sign("s"), peek, int(1));
        assert!(matches!(answer, Err(Rejection::KnowsADraw { .. })));
    }
    assert!(signed(&uniform("u"), &sign("s"), first("x"), int(1)).is_ok());
}

#[test]
fn signed_log_pays() {
    let at = |by: i64| {
        let step = signed(&uniform("u"), &sign("s"), int(by), var("N")).unwrap();
        let ones: Vec<(Variable, i64)> = ["u", "s"]
            .into_iter()
            .flat_map(|name| [0, 1].map(|n| (Variable::Arbitrary(name.into(), n), 1)))
            .collect();
        let with = |cost: i64| {
            let mut all = ones.clone();
            all.push((plain("N"), cost));
            values(&all)
        };
        (holds(step.pre().formula(), &with(1)), holds(step.pre().formula(), &with(2)))
    };
    assert_eq!(at(2), (false, true));
    assert_eq!(at(-2), (false, true));
}

#[test]
fn signed_logs_are_of_two_draws() {
    let alone = Coupling::SignedLog { by: int(0), cost: int(0) };
    assert!(matches!(pre(Distribution::Uniform, &alone), Err(Rejection::NoSuchCoupling { .. })));
}

/// What a draw needs, in the words of its rule: a sign or a factor that is another is another formula.
#[test]
fn draws_say_what_their_rules_say() {
    let uniform = draw("u", Distribution::Uniform);
    let sign = draw("s", Distribution::Sign);
    let around = draw("y", laplace(var("x"), int(3)));
    let context = context(&[uniform.clone(), sign.clone(), around.clone()]);
    let shown = |judgement: Judgement| format!("{}; {}", judgement.pre().formula(), judgement.delta());
    // u' = exp(−c)·u at cost c.
    let same = assertion(&context, second("u").le(Expr::cost()));
    let scaled = Coupling::Scale { cost: int(2) };
    let step = sample(&context, &uniform, &scaled, &same).unwrap();
    assert_eq!(shown(step), "0 <= 2 and (not (0 < u#0 and u#0 <= 1) or exp(-(2)) * u#0 <= cost + 2); 0");
    // s'·ln(u') = s·ln(u) + k at cost c, |k| ≤ c.
    let cost = assertion(&context, Expr::cost().le(int(5)));
    let step = signed_log(&context, (&uniform, &sign), (&int(1), &int(2)), &cost).unwrap();
    let joined = "s#1 * ln(u#1) == s#0 * ln(u#0) + 1";
    let range = "0 < u#0 and u#0 <= 1 and (0 < u#1 and u#1 <= 1)";
    let signs = "(s#0 == 1 or s#0 == -1) and (s#1 == 1 or s#1 == -1)";
    assert_eq!(
        shown(step),
        format!("abs(1) <= 2 and (not ({range} and {signs} and {joined}) or cost + 2 <= 5); 0")
    );
    // What is further than t from the center is given up.
    let post = assertion(&context, first("y").le(int(7)));
    let stay = Coupling::Null;
    assert_eq!(
        shown(up_to_tail(&context, &around, &stay, &int(4), &post).unwrap()),
        "x == x' and 3 == 3 and 0 < 3 and (not abs(y#0 - x) <= 4 or y#0 <= 7) and 0 <= 4; exp(-(4 / 3))"
    );
    assert_eq!(
        shown(up_to_upper_tail(&context, &around, &stay, &int(4), &post).unwrap()),
        "x == x' and 3 == 3 and 0 < 3 and (not y#0 - x <= 4 or y#0 <= 7) and 0 <= 4; exp(-(4 / 3)) / 2"
    );
    assert_eq!(
        shown(up_to_lower_tail(&context, &around, &stay, &int(4), &post).unwrap()),
        "x == x' and 3 == 3 and 0 < 3 and (not -(4) <= y#0 - x or y#0 <= 7) and 0 <= 4; exp(-(4 / 3)) / 2"
    );
    assert_eq!(
        shown(up_to_open_tail(&context, &around, &stay, &int(4), &post).unwrap()),
        "x == x' and 3 == 3 and 0 < 3 and (not y#0 - x < 4 or y#0 <= 7) and 0 <= 4; exp(-(4 / 3)) / 2"
    );
}
