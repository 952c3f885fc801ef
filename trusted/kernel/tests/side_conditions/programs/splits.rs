//! SPLIT: a program that is proved in two ways.

use std::sync::Arc;

use crate::common::*;

use probity_kernel::split::split;

fn noise() -> Statement {
    draw("y", laplace(int(0), int(1)))
}

/// A judgement about the noise that gives up e^−t, and asks for what it ends with.
fn cut(context: &Arc<Context>, t: i64, post: Expr) -> Judgement {
    up_to_tail(context, &noise(), &Coupling::Null, &int(t), &assertion(context, post)).unwrap()
}

fn here() -> Arc<Context> {
    context(&[noise(), assign("z", int(0))])
}

#[test]
fn split_asks_each_way_where_it_is_taken() {
    let context = here();
    let post = assertion(&context, yes());
    let low =
        sample(&context, &noise(), &Coupling::Null, &assertion(&context, first("n").ge(int(1)))).unwrap();
    let high =
        sample(&context, &noise(), &Coupling::Null, &assertion(&context, first("n").le(int(5)))).unwrap();
    // They must end alike.
    assert!(matches!(split(&first("b"), &low, &high), Err(Rejection::MiddleDiffers { .. })));
    let shift = |by: Expr| Coupling::Shift { by, cost: int(1) };
    let (up, stay) = (shift(first("n")), shift(first("n") - int(4)));
    let one = sample(&context, &noise(), &up, &post).unwrap();
    let other_way = sample(&context, &noise(), &stay, &post).unwrap();
    let both = split(&first("b"), &one, &other_way).unwrap();
    let asked = |b: i64, n: i64| holds(both.pre().formula(), &values(&[(of("b"), b), (of("n"), n)]));
    // A shift of n costs |n| ≤ 1; one of n − 4 is allowed for n from 3 to 5.
    assert_eq!([asked(1, 1), asked(1, 4), asked(0, 1), asked(0, 4)], [true, false, false, true]);
}

#[test]
fn split_gives_up_what_the_worse_way_does() {
    let context = here();
    let (whole, half) = (cut(&context, 0, yes()), cut(&context, 2, yes()));
    let of = |yes: &Judgement, no: &Judgement| split(&first("b"), yes, no).unwrap().delta().to_string();
    assert_eq!(of(&whole, &half), "max(exp(-(0 / 1)), exp(-(2 / 1)))");
    assert_eq!(of(&half, &whole), "max(exp(-(2 / 1)), exp(-(0 / 1)))");
    assert_eq!(of(&half, &half), "exp(-(2 / 1))");
}

#[test]
fn split_is_about_one_program() {
    let context = here();
    let post = assertion(&context, yes());
    let judged = cut(&context, 1, yes());
    let set = rules::assign(&context, &assign("z", int(0)), &post).unwrap();
    assert!(matches!(split(&yes(), &judged, &set), Err(Rejection::ProgramDiffers { .. })));
    assert!(split(&yes(), &judged, &judged).is_ok());
}

#[test]
fn split_is_in_one_context() {
    let judged = cut(&here(), 1, yes());
    let elsewhere = cut(&context(&[noise(), assign("w", int(0))]), 1, yes());
    assert!(matches!(split(&yes(), &judged, &elsewhere), Err(Rejection::ContextDiffers)));
}

/// A question about what is drawn would be asked before it is, of any value.
#[test]
fn split_asks_about_states() {
    let judged = cut(&here(), 1, yes());
    let drawn = Expr::Var(any("y")).ge(int(0));
    assert!(split(&drawn, &judged, &judged).is_err());
    assert!(split(&int(1), &judged, &judged).is_err());
    assert!(split(&first("x").differs(second("x")), &judged, &judged).is_ok());
}

/// Two preconditions that are each within bounds, and together are not.
#[test]
fn splits_stay_small() {
    let context = here();
    let wide = |n: u32| (0..n).fold(int(1), |sum, _| sum.clone() + sum);
    let judged = |n: u32| {
        let coupling = Coupling::Shift { by: wide(n), cost: int(9) };
        sample(&context, &noise(), &coupling, &assertion(&context, yes())).unwrap()
    };
    assert_eq!(split(&yes(), &judged(15), &judged(15)).unwrap_err(), Rejection::TooLarge);
    assert!(split(&yes(), &judged(5), &judged(5)).is_ok());
}
