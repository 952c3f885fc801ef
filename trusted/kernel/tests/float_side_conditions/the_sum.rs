//! The input plus noise.

use super::*;

fn sum(value: Expr) -> Result<Bound, Rejection> {
    look(&with(&fixed(), &|m| m.body[3] = assign("w", value.clone())))
}

#[test]
fn input_plus_noise() {
    let noise = || draw() / eps();
    for value in [
        noise() + noise(),
        x() + noise() + noise(),
        x() * noise(),
        x() + x() + noise(),
        number(2, 1) * x() + noise(),
        x().abs() + noise(),
        (x() + number(1, 1)).clamp(-b(), b()) + noise(),
    ] {
        assert!(matches!(sum(value.clone()), Err(Rejection::NotASum { .. })), "{value}");
    }
    for value in [x() + noise(), noise() + x(), x() - noise(), x().clamp(-b(), b()) + noise()] {
        sum(value).unwrap();
    }
}

#[test]
fn noise_is_not_minuend() {
    assert!(matches!(sum(draw() / eps() - x()), Err(Rejection::NotASum { .. })));
}

#[test]
fn noise_is_a_scaled_logarithm_of_the_uniform() {
    for noise in [
        Expr::var("s") * Expr::var("u"),
        Expr::var("s") * Expr::var("u").exp(),
        Expr::var("s") * (Expr::var("u") / number(2, 1)).ln(),
        Expr::var("s") * x().ln(),
        draw() / x(),
        draw() * x(),
        eps() / draw(),
        draw() * draw(),
        draw() + number(1, 1),
        (Expr::var("u") * Expr::var("s")).ln(),
        draw() * Expr::var("u").ln(),
    ] {
        assert!(matches!(sum(x() + noise.clone()), Err(Rejection::Noise { .. })), "{noise}");
    }
    for noise in [
        -(Expr::var("u").ln() * Expr::var("s")) / eps(),
        number(2, 1) * draw(),
        draw() * (number(1, 1) / eps()),
        draw() / -eps(),
    ] {
        sum(x() + noise).unwrap();
    }
}

#[test]
fn noise_has_one_sign() {
    for noise in [Expr::var("u").ln(), draw() * Expr::var("s")] {
        assert!(matches!(sum(x() + noise.clone()), Err(Rejection::Noise { .. })), "{noise}");
    }
    // Without a draw of the sign there is none either.
    let rejection = rejected(&fixed(), &|m| {
        m.body[2] = assign("s", number(1, 1));
    });
    assert!(matches!(rejection, Rejection::Noise { .. }), "{rejection}");
}

#[test]
fn noise_is_scaled_a_few_times() {
    let scaled = |times: usize| (0..times).fold(draw(), |noise, _| noise / number(2, 1) * number(2, 1));
    assert!(matches!(sum(x() + scaled(9)), Err(Rejection::Noise { .. })));
    sum(x() + scaled(8)).unwrap();
}

#[test]
fn constants_are_numbers() {
    for constant in [number(1, 1) / number(0, 1), number(1, 1).floor(), number(1, 1).ln()] {
        let rejection = sum(x() + draw() / constant.clone());
        assert!(matches!(rejection, Err(Rejection::NotANumber { .. })), "{constant}");
    }
}

#[test]
fn constants_are_not_zero_over_the_reals() {
    // In doubles this is 5.6e-17.
    let nearly = number(1, 10) + number(2, 10) - number(3, 10);
    assert!(matches!(sum(x() + draw() / nearly), Err(Rejection::NotANumber { .. })));
    sum(x() + draw() / (number(1, 10) + number(2, 10) - number(2, 10))).unwrap();
}

#[test]
fn rounding_constants_costs() {
    let found = sum(x() + draw() / number(1, 10)).unwrap();
    let Subject::Mechanism(snapped) = found.subject() else { panic!("numbers") };
    let offset = snapped.rate() - q(1, 10);
    assert!(offset > Rational::ZERO);
    assert_eq!(*found.excess(), snapped.loss().unwrap().excess + offset);
    assert_eq!(*found.epsilon(), q(1, 10) + found.excess());
}

#[test]
fn steps_are_taken_in_the_order_in_which_they_are_computed() {
    let found = sum(x() + number(3, 1) * (draw() / number(7, 1))).unwrap();
    let Subject::Mechanism(snapped) = found.subject() else { panic!("numbers") };
    assert_eq!(snapped.scaling, [Scaling::Divide(q(7, 1)), Scaling::Multiply(q(3, 1))]);
}

#[test]
fn names_stand_for_what_was_assigned_last() {
    let found = accepted(&fixed(), &|m| {
        m.body[3] = assign("w", x() + draw() / Expr::var("c"));
        m.body.insert(3, assign("c", number(4, 1)));
        m.body.insert(4, assign("c", Expr::var("c") / number(2, 1)));
        m.body.push(assign("c", number(9, 1)));
    });
    assert_eq!(found.ideal(), &number(2, 1));
}
