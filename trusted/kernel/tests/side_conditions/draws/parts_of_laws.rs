//! UP-TO-BAD for parts of laws other than the tails of Laplace noise: what is given up, counted by hand, is at most what the rule
//! says; what is kept lies below the law of the second run; and every condition says no.

use std::sync::Arc;

use crate::common::*;

use probity_exact::directed::exp_nearest;
use probity_kernel::sampling::{
    up_to_exact_lower_tail_int, up_to_exact_tail_int, up_to_exact_tails_int, up_to_far_tail, up_to_side,
    up_to_start, up_to_tail_uniform,
};

/// What an expression without variables is, as a double.
fn real(e: &Expr) -> f64 {
    match e {
        Expr::Number(n) => n.to_f64().value(),
        Expr::Unary(Unary::Neg, a) => -real(a),
        Expr::Unary(Unary::Exp, a) => exp_nearest(real(a)),
        Expr::Binary(Binary::Add, a, b) => real(a) + real(b),
        Expr::Binary(Binary::Sub, a, b) => real(a) - real(b),
        Expr::Binary(Binary::Mul, a, b) => real(a) * real(b),
        Expr::Binary(Binary::Div, a, b) => real(a) / real(b),
        Expr::Binary(Binary::Max, a, b) => real(a).max(real(b)),
        other => panic!("{other}"),
    }
}

type Rule<'a> = &'a dyn Fn(&Arc<Context>, &Statement, &Assertion) -> Result<Judgement, Rejection>;

/// A draw of y by a rule, with a post-condition.
fn step(law: Distribution, post: Expr, rule: Rule<'_>) -> Result<Judgement, Rejection> {
    let body = [assign("s", int(1)), draw("y", law)];
    let context = context(&body);
    rule(&context, &body[1], &assertion(&context, post))
}

/// Whether a value is given up: with nothing true after the draw, the precondition holds there only.
fn is_given_up(judgement: &Judgement, y: &Rational) -> bool {
    holds(judgement.pre().formula(), &Values::from([(any("y"), y.clone())]))
}

fn discrete(scale: Expr) -> Distribution {
    Distribution::DiscreteLaplace { center: int(0), scale }
}
fn exponential(scale: Expr) -> Distribution {
    Distribution::Exponential { scale }
}
fn geometric(scale: Expr) -> Distribution {
    Distribution::Geometric { scale }
}
fn between(low: Expr, high: Expr) -> Distribution {
    Distribution::UniformInt { low, high }
}
fn no() -> Expr {
    Expr::Bool(false)
}

fn exact(law: Distribution, tail: &Expr, post: Expr) -> Result<Judgement, Rejection> {
    step(law, post, &|c, s, p| up_to_exact_tail_int(c, s, &Coupling::Null, tail, p))
}
fn exact_low(law: Distribution, tail: &Expr, post: Expr) -> Result<Judgement, Rejection> {
    step(law, post, &|c, s, p| up_to_exact_lower_tail_int(c, s, &Coupling::Null, tail, p))
}
fn exacts(law: Distribution, tail: &Expr, post: Expr) -> Result<Judgement, Rejection> {
    step(law, post, &|c, s, p| up_to_exact_tails_int(c, s, &Coupling::Null, tail, p))
}
fn far(law: Distribution, tail: &Expr, post: Expr) -> Result<Judgement, Rejection> {
    step(law, post, &|c, s, p| up_to_far_tail(c, s, &Coupling::Null, tail, p))
}
fn start(
    law: Distribution,
    (by, cost): (&Expr, &Expr),
    at: &Expr,
    post: Expr,
) -> Result<Judgement, Rejection> {
    step(law, post, &|c, s, p| up_to_start(c, s, (by, cost), at, p))
}
fn uniform(
    law: Distribution,
    (by, cost): (&Expr, &Expr),
    share: &Expr,
    post: Expr,
) -> Result<Judgement, Rejection> {
    step(law, post, &|c, s, p| up_to_tail_uniform(c, s, (by, cost), share, p))
}

fn side(p: Expr, side: bool, share: &Expr, post: Expr) -> Result<Judgement, Rejection> {
    step(Distribution::Bernoulli(p), post, &|c, s, q| up_to_side(c, s, side, share, q))
}

/// The integers from −40 to 40: what lies beyond has no mass to speak of for the scales below.
fn integers() -> impl Iterator<Item = i64> {
    -40..=40
}

#[test]
fn exact_tails_have_the_mass_that_is_given_up() {
    for (n, d) in [(1, 3), (1, 1), (3, 2)] {
        let a = exp_nearest(-(d as f64) / n as f64);
        let mass = |y: i64| (1.0 - a) / (1.0 + a) * a.powi(y.unsigned_abs() as i32);
        for quarters in 0..24 {
            let t = number(quarters, 4);
            for (rule, whole, low) in
                [(exact as fn(_, &_, _) -> _, 1, false), (exacts, 2, true), (exact_low, 1, true)]
            {
                let judgement: Judgement = rule(discrete(number(n, d)), &t, no()).unwrap();
                assert_eq!(is_given_up(&judgement, &Rational::from(-30)), low);
                let lost = integers().filter(|y| is_given_up(&judgement, &Rational::from(*y)));
                let (lost, said) = (lost.map(mass).sum::<f64>(), real(judgement.delta()));
                assert!(lost <= said + 1e-9, "{n}/{d} {quarters}/4: {lost} {said}");
                // From an integer on it is that mass, and no more.
                let all = quarters == 0 && whole == 2;
                assert!(quarters % 4 > 0 || all || (lost - said).abs() < 1e-9, "{lost} {said}");
            }
        }
    }
}

#[test]
fn far_tails_have_the_mass_that_is_given_up() {
    for (n, d) in [(1, 3), (1, 1), (3, 2)] {
        let a = exp_nearest(-(d as f64) / n as f64);
        for quarters in 0..24 {
            let t = number(quarters, 4);
            let judgement = far(geometric(number(n, d)), &t, no()).unwrap();
            let lost = (0..60).filter(|y| is_given_up(&judgement, &Rational::from(*y)));
            let lost: f64 = lost.map(|y: i64| (1.0 - a) * a.powi(y as i32)).sum();
            assert!(lost <= real(judgement.delta()) + 1e-9);
            assert!(quarters % 4 > 0 || (lost - real(judgement.delta())).abs() < 1e-9);
            // Exponential noise is given up from t on, which is e^(−t/b).
            let judgement = far(exponential(number(n, d)), &t, no()).unwrap();
            for y in 0..48 {
                assert_eq!(is_given_up(&judgement, &rational(y, 8).unwrap()), y >= 2 * quarters);
            }
            let lost = exp_nearest(-(quarters * d) as f64 / (4 * n) as f64);
            assert!((lost - real(judgement.delta())).abs() < 1e-12);
        }
    }
}

/// What is given up is counted in the first run: around its center, and where its value lies.
#[test]
fn tails_are_those_of_the_first_run() {
    let lost = |judgement: Result<Judgement, Rejection>, given: &[(Variable, i64)]| -> Vec<i64> {
        let formula = judgement.unwrap().pre().formula().clone();
        let at = |y: i64| values(&[given, &[(any("y"), y)]].concat());
        (0..15).filter(|y| holds(&formula, &at(*y))).collect()
    };
    // The second run's value is 2 larger, as its center is.
    let up = |cost: i64| Coupling::Shift { by: int(2), cost: int(cost) };
    let around = || Distribution::DiscreteLaplace { center: var("n"), scale: int(1) };
    let centers = [(of("n"), 7), (other("n"), 9)];
    let upper = step(around(), no(), &|c, s, p| up_to_exact_tail_int(c, s, &up(0), &int(3), p));
    assert_eq!(lost(upper, &centers), [10, 11, 12, 13, 14]);
    let both = step(around(), no(), &|c, s, p| up_to_exact_tails_int(c, s, &up(0), &int(3), p));
    assert_eq!(lost(both, &centers), [0, 1, 2, 3, 4, 10, 11, 12, 13, 14]);
    let far = step(geometric(int(1)), no(), &|c, s, p| up_to_far_tail(c, s, &up(2), &int(10), p));
    assert_eq!(lost(far, &[]), [10, 11, 12, 13, 14]);
}

/// What is kept moves by k, and not back.
#[test]
fn what_is_kept_moves_up() {
    let apart = |by: i64| second("y").equals(first("y") + int(by));
    for (by, holds_after) in [(2, true), (-2, false), (0, false)] {
        let begun = start(geometric(int(1)), (&int(2), &int(2)), &int(0), apart(by)).unwrap();
        let inside = uniform(between(int(0), int(9)), (&int(2), &int(0)), &number(1, 5), apart(by)).unwrap();
        for judgement in [begun, inside] {
            let formula = judgement.pre().formula();
            assert_eq!((0..8).all(|y| holds(formula, &values(&[(any("y"), y)]))), holds_after, "{by}");
        }
    }
}

#[test]
fn starts_have_the_mass_that_is_given_up() {
    let nothing = (&int(0), &int(0));
    for (n, d) in [(1, 3), (1, 1), (3, 2)] {
        let a = exp_nearest(-(d as f64) / n as f64);
        for t in 0..6 {
            let judgement = start(geometric(number(n, d)), nothing, &int(t), no()).unwrap();
            let lost = (0..60).filter(|y| is_given_up(&judgement, &Rational::from(*y)));
            let lost: f64 = lost.map(|y: i64| (1.0 - a) * a.powi(y as i32)).sum();
            assert!((lost - real(judgement.delta())).abs() < 1e-9, "{lost}");
        }
        for quarters in 0..24 {
            let judgement = start(exponential(number(n, d)), nothing, &number(quarters, 4), no()).unwrap();
            for y in 0..60 {
                assert_eq!(is_given_up(&judgement, &rational(y, 8).unwrap()), y < 2 * quarters);
            }
            let lost = 1.0 - exp_nearest(-(quarters * d) as f64 / (4 * n) as f64);
            assert!((lost - real(judgement.delta())).abs() < 1e-12);
        }
    }
}

/// What is kept of geometric noise lies, moved and charged, below the same noise, for all moves and costs that are allowed.
#[test]
fn starts_move_below_the_other_law() {
    let scale = 2;
    let mass = |y: i64| if y < 0 { 0.0 } else { exp_nearest(-y as f64 / scale as f64) };
    let mut allowed = 0;
    for (k, twice, t) in (-4..5).flat_map(|k| (-6..7).flat_map(move |c| (0..5).map(move |t| (k, c, t)))) {
        let cost = number(twice, 2);
        let Ok(judgement) = start(geometric(int(scale)), (&int(k), &cost), &int(t), yes()) else { continue };
        if !is_given_up(&judgement, &Rational::ZERO) {
            continue;
        }
        allowed += 1;
        for y in t..20 {
            let charged = exp_nearest(-real(&cost)) * mass(y);
            assert!(charged <= mass(y + k) + 1e-12, "{k} {twice}/2 {t} {y}");
        }
    }
    assert!(allowed > 100, "{allowed}");
}

/// The same for uniform noise on the integers, whose places may differ between the runs.
#[test]
fn uniform_noise_stays_and_gives_up_what_leaves() {
    let mut allowed = 0;
    let law = || between(var("n"), var("n") + int(3));
    for (k, apart, d) in (-5..6).flat_map(|k| (-3..4).flat_map(move |a| (0..7).map(move |d| (k, a, d)))) {
        let by = int(k);
        let at = |y: i64| values(&[(any("y"), y), (of("n"), 7), (other("n"), 7 + apart)]);
        let side = uniform(law(), (&by, &int(0)), &number(d, 4), yes()).unwrap();
        if !holds(side.pre().formula(), &at(7)) {
            continue;
        }
        allowed += 1;
        let judgement = uniform(law(), (&by, &int(0)), &number(d, 4), no()).unwrap();
        let lost = (7..=10).filter(|y| holds(judgement.pre().formula(), &at(*y))).count();
        assert!(lost as f64 / 4.0 <= real(judgement.delta()) + 1e-12, "{k} {apart} {d}");
        for y in (7..=10).filter(|y| !holds(judgement.pre().formula(), &at(*y))) {
            assert!((7 + apart..=10 + apart).contains(&(y + k)), "{k} {apart} {y}");
        }
    }
    assert!(allowed > 50, "{allowed}");
    // On (0, 1] what leaves is an interval as long as the move.
    for k in -8..9i64 {
        let by = number(k, 8);
        let share = number(k.abs(), 8);
        let judgement = uniform(Distribution::Uniform, (&by, &int(0)), &share, no()).unwrap();
        let lost = (1..=80).filter(|y| is_given_up(&judgement, &rational(*y, 80).unwrap())).count();
        assert_eq!(lost as i64, 10 * k.abs());
        assert_eq!(real(judgement.delta()), k.abs() as f64 / 8.0);
    }
}

#[test]
fn parts_are_of_their_own_laws() {
    let nothing = (&int(0), &int(0));
    let wrong = |judgement: Result<Judgement, Rejection>| {
        assert!(matches!(judgement, Err(Rejection::WrongStatement { .. })));
    };
    wrong(exact(laplace(int(0), int(1)), &int(1), yes()));
    wrong(exacts(geometric(int(1)), &int(1), yes()));
    wrong(far(discrete(int(1)), &int(1), yes()));
    wrong(start(laplace(int(0), int(1)), nothing, &int(1), yes()));
    wrong(uniform(geometric(int(1)), nothing, &int(1), yes()));
    let coin = |c: &Arc<Context>, s: &Statement, q: &Assertion| up_to_side(c, s, true, &int(1), q);
    wrong(step(geometric(int(1)), yes(), &coin));
    assert!(exact(discrete(int(1)), &int(1), yes()).is_ok());
}

#[test]
fn parts_are_public_numbers() {
    let nothing = (&int(0), &int(0));
    let public = |judgement: Result<Judgement, Rejection>| {
        assert!(matches!(judgement, Err(Rejection::NotPublic { .. })));
    };
    public(exact(discrete(int(1)), &first("x"), yes()));
    public(exact(discrete(var("s")), &int(1), yes()));
    public(far(exponential(int(1)), &first("x"), yes()));
    public(start(exponential(int(1)), nothing, &first("x"), yes()));
    public(start(exponential(var("s")), nothing, &int(1), yes()));
    public(uniform(Distribution::Uniform, nothing, &first("x"), yes()));
    public(side(number(1, 2), true, &first("x"), yes()));
    let number = |judgement: Result<Judgement, Rejection>| {
        assert!(matches!(judgement, Err(Rejection::NotANumber { .. })));
    };
    number(start(exponential(int(1)), nothing, &yes(), yes()));
    number(uniform(Distribution::Uniform, nothing, &yes(), yes()));
    let half = || Expr::Number(rational(1, 2).unwrap());
    number(side(half(), true, &yes(), yes()));
    assert!(start(exponential(var("eps")), nothing, &var("free"), yes()).is_ok());
    assert!(uniform(Distribution::Uniform, nothing, &var("free"), yes()).is_ok());
}

#[test]
fn starts_on_the_integers_are_integers() {
    let nothing = (&int(0), &int(0));
    let half = || number(1, 2);
    let integer = |judgement: Result<Judgement, Rejection>| {
        assert!(matches!(judgement, Err(Rejection::NotAnInteger { .. })));
    };
    integer(start(geometric(int(1)), nothing, &half(), yes()));
    integer(start(geometric(int(1)), (&half(), &int(1)), &int(1), yes()));
    integer(uniform(between(int(0), int(3)), (&half(), &int(0)), &int(1), yes()));
    assert!(start(exponential(int(1)), (&half(), &int(1)), &half(), yes()).is_ok());
    assert!(start(geometric(int(1)), (&int(-1), &int(0)), &int(1), yes()).is_ok());
}

#[test]
fn what_is_moved_is_fixed_before() {
    let knows = |judgement: Result<Judgement, Rejection>| {
        assert!(matches!(judgement, Err(Rejection::KnowsADraw { .. })));
    };
    knows(start(exponential(int(1)), (&first("y"), &int(9)), &int(1), yes()));
    knows(start(exponential(int(1)), (&int(0), &first("y")), &int(1), yes()));
    knows(uniform(Distribution::Uniform, (&first("y"), &int(0)), &int(1), yes()));
    assert!(start(exponential(int(1)), (&first("x"), &int(9)), &int(1), yes()).is_ok());
}

/// Every part of the side conditions, in the smallest case that only it refuses.
#[test]
fn starts_ask_for_their_conditions() {
    let asks = |law, (by, cost): (Expr, Expr), t: Expr, given: &[(Variable, i64)]| {
        let judgement = start(law, (&by, &cost), &t, yes()).unwrap();
        holds(judgement.pre().formula(), &values(given))
    };
    let one = || exponential(int(1));
    assert!(asks(one(), (int(-1), int(-1)), int(1), &[]));
    // Further down than is given up, more than is paid, and a start below 0, of which more would be kept than there is.
    assert!(!asks(one(), (int(-2), int(-2)), int(1), &[]));
    assert!(!asks(one(), (int(-1), int(-2)), int(1), &[]));
    assert!(asks(one(), (int(2), int(2)), int(1), &[]) && !asks(one(), (int(2), int(1)), int(1), &[]));
    assert!(asks(one(), (int(1), int(1)), int(0), &[]) && !asks(one(), (int(1), int(1)), int(-1), &[]));
    // The scale is positive.
    assert!(asks(exponential(var("free")), (int(0), int(0)), int(1), &[(plain("free"), 1)]));
    assert!(!asks(exponential(var("free")), (int(0), int(0)), int(1), &[(plain("free"), 0)]));
    // Tails of noise on one side, and exact ones, do not begin below 0.
    for judgement in [far(one(), &var("free"), yes()), exact(discrete(int(1)), &var("free"), yes())] {
        let formula = judgement.unwrap().pre().formula().clone();
        assert!(holds(&formula, &values(&[(plain("free"), 0)])));
        assert!(!holds(&formula, &values(&[(plain("free"), -1)])));
    }
}

#[test]
fn uniform_noise_asks_for_its_conditions() {
    let asks = |law, (by, cost): (i64, i64), share: (i64, i64), given: &[(Variable, i64)]| {
        let share = number(share.0, share.1);
        let judgement = uniform(law, (&int(by), &int(cost)), &share, yes()).unwrap();
        holds(judgement.pre().formula(), &values(given))
    };
    let four = || between(int(0), int(3));
    assert!(asks(four(), (1, 0), (1, 4), &[]) && !asks(four(), (1, 0), (1, 5), &[]));
    assert!(!asks(four(), (-2, 0), (1, 4), &[]) && !asks(four(), (1, -1), (1, 4), &[]));
    assert!(asks(Distribution::Uniform, (1, 0), (1, 1), &[]));
    assert!(
        !asks(Distribution::Uniform, (1, 0), (1, 2), &[])
            && !asks(Distribution::Uniform, (0, -1), (1, 1), &[])
    );
    // One width for both runs, and a width at all.
    let wide = || between(int(0), var("n"));
    assert!(asks(wide(), (0, 0), (1, 1), &[(of("n"), 3), (other("n"), 3)]));
    assert!(!asks(wide(), (0, 0), (1, 1), &[(of("n"), 3), (other("n"), 4)]));
    assert!(!asks(wide(), (0, 0), (1, 1), &[(of("n"), -1), (other("n"), -1)]));
}

/// In a branch that is never taken the numbers may be anything, and what is given up there must not pay for the rest.
#[test]
fn nothing_negative_is_given_up() {
    let nothing = (&int(0), &int(0));
    for judgement in [
        start(exponential(int(1)), nothing, &int(-1), yes()),
        start(exponential(int(-1)), nothing, &int(1), yes()),
        uniform(Distribution::Uniform, nothing, &int(-1), yes()),
        side(number(1, 2), true, &int(-1), yes()),
    ] {
        assert_eq!(real(judgement.unwrap().delta()), 0.0);
    }
}

/// The places of a law that mention what is drawn are those before the draw.
#[test]
fn what_stays_is_where_the_law_was_before_the_draw() {
    let law = between(var("y"), var("y") + int(3));
    let body = [assign("y", int(0)), draw("y", law)];
    let context = context(&body);
    let post = assertion(&context, no());
    let judgement = up_to_tail_uniform(&context, &body[1], (&int(1), &int(0)), &number(1, 4), &post).unwrap();
    let lost = |y| holds(judgement.pre().formula(), &values(&[(any("y"), y), (of("y"), 5), (other("y"), 5)]));
    assert_eq!([5, 6, 7, 8].map(lost), [false, false, false, true]);
}

/// A side may be given up that is at most as likely as the share: what is left to show is about the other side, in both runs.
#[test]
fn one_side_of_a_coin_is_given_up() {
    let share = number(1, 4);
    for given_up in [true, false] {
        for quarters in 0..=4 {
            let judgement = side(number(quarters, 4), given_up, &share, yes()).unwrap();
            let mass = if given_up { quarters } else { 4 - quarters };
            assert_eq!(holds(judgement.pre().formula(), &values(&[(any("y"), 0)])), mass <= 1, "{quarters}");
            assert_eq!(real(judgement.delta()), 0.25);
        }
        let likely = number(if given_up { 1 } else { 3 }, 4);
        for (post, at) in [(first("y"), true), (!first("y"), false), (!second("y"), false)] {
            let judgement = side(likely.clone(), given_up, &share, post).unwrap();
            let all = [0, 1].iter().all(|y| holds(judgement.pre().formula(), &values(&[(any("y"), *y)])));
            // Only the side that is kept has to meet it.
            assert_eq!(all, at != given_up);
        }
    }
}

#[test]
fn coins_of_which_a_side_is_given_up_are_alike() {
    let judgement = side(var("x"), true, &number(1, 2), yes()).unwrap();
    let at = |x: i64, other_x: i64| {
        let given = values(&[(any("y"), 0), (of("x"), x), (other("x"), other_x)]);
        holds(judgement.pre().formula(), &given)
    };
    assert_eq!([at(0, 0), at(0, 1), at(-1, -1), at(1, 1)], [true, false, false, false]);
}
