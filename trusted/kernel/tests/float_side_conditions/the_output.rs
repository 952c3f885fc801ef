//! The output: rounded to a grid and clamped.

use super::*;

#[test]
fn clamped() {
    let rejection = rejected(&fixed(), &|m| m.output = Expr::var("w").round_to(Expr::var("grid")));
    assert!(matches!(rejection, Rejection::NotClamped { .. }), "{rejection}");
}

#[test]
fn clamped_evenly() {
    for low in [number(0, 1), number(-9, 1), b(), number(9, 1) - number(20, 1)] {
        let rejection = rejected(&fixed(), &|m| {
            m.output = Expr::var("w").round_to(Expr::var("grid")).clamp(low.clone(), b());
        });
        assert!(matches!(rejection, Rejection::NotClamped { .. }), "{rejection}");
    }
    for low in [number(-10, 1), number(0, 1) - b(), number(10, 1) - number(20, 1)] {
        accepted(&fixed(), &|m| {
            m.output = Expr::var("w").round_to(Expr::var("grid")).clamp(low.clone(), b());
        });
    }
}

#[test]
fn clamped_evenly_for_every_parameter() {
    // −B and B agree with these at one end of the range only.
    for low in [number(-10, 1), -eps(), number(0, 1) - (b() + number(1, 1)), number(1, 1) - b(), b()] {
        let rejection = rejected(&family(), &|m| {
            m.output = Expr::var("w").round_to(Expr::var("grid")).clamp(low.clone(), b());
        });
        assert!(matches!(rejection, Rejection::NotClamped { .. }), "{rejection}");
    }
    // A bound is a parameter or a number; one that is made of a range of them is neither.
    let rejection = rejected(&family(), &|m| {
        let high = b() + number(1, 1);
        m.output = Expr::var("w").round_to(Expr::var("grid")).clamp(number(0, 1) - high.clone(), high);
    });
    assert!(matches!(rejection, Rejection::NotClamped { .. }), "{rejection}");
    accepted(&family(), &|m| {
        m.output = Expr::var("w").round_to(Expr::var("grid")).clamp(number(0, 1) - b(), b());
    });
}

#[test]
fn clamped_by_a_positive_number() {
    let rejection = rejected(&fixed(), &|m| {
        m.output = Expr::var("w").round_to(Expr::var("grid")).clamp(number(5, 1), number(-5, 1));
    });
    assert!(matches!(rejection, Rejection::NotPositive { parameter: "the bound", .. }), "{rejection}");
    accepted(&fixed(), &|m| {
        m.output = Expr::var("w").round_to(Expr::var("grid")).clamp(number(-5, 1), number(5, 1));
    });
}

#[test]
fn clamped_by_a_positive_parameter() {
    let from =
        |low: i64| with(&family(), &|m| m.assumptions[1] = between(number(low, 1), b(), number(10, 1)));
    assert!(matches!(look(&from(0)), Err(Rejection::NotPositive { parameter: "the bound", .. })));
    look(&from(1)).unwrap();
    // The same where the noise is fixed and only B has a range.
    let one = |low: i64| with(&from(low), &|m| m.assumptions[0] = eps().equals(number(1, 1)));
    assert!(matches!(look(&one(-1)), Err(Rejection::NotPositive { parameter: "the bound", .. })));
    let found = look(&one(1)).unwrap();
    assert!(matches!(found.subject(), Subject::Mechanism(snapped) if snapped.bound == q(10, 1)));
}

#[test]
fn rounded_to_a_grid() {
    let rejection = rejected(&fixed(), &|m| m.output = Expr::var("w").clamp(-b(), b()));
    assert_eq!(rejection, Rejection::NoGrid);
}

#[test]
fn on_a_public_grid() {
    let rejection = rejected(&fixed(), &|m| m.output = Expr::var("w").round_to(x().abs()).clamp(-b(), b()));
    assert_eq!(rejection, Rejection::NoGrid);
}

#[test]
fn on_a_grid_that_is_a_number() {
    let on =
        |grid: Expr| with(&fixed(), &|m| m.output = Expr::var("w").round_to(grid.clone()).clamp(-b(), b()));
    let zero = number(1, 1) / (number(1, 1) - number(1, 1));
    assert!(matches!(look(&on(zero)), Err(Rejection::NotANumber { .. })));
    // Infinity on the way is as bad, and so is the power of two at a negative number.
    let through = number(1, 1) / (number(1, 1) / number(0, 1)) + number(1, 1);
    assert!(matches!(look(&on(through)), Err(Rejection::NotANumber { .. })));
    assert!(matches!(look(&on((-number(3, 1)).pow2_at_least())), Err(Rejection::NotANumber { .. })));
    look(&on(number(1, 1) / (number(3, 1) - number(1, 1)))).unwrap();
}
