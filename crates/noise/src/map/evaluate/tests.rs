//! Values are exact or bounds at every precision, and rounded once.

use super::*;
use probity_exact::directed::{exp_up, ln_up};
use probity_exact::rational;

fn number(n: i64, d: i64) -> Expression {
    Expression::constant(rational(n, d).unwrap())
}

fn up(expression: &Expression) -> Result<f64, EvaluationError> {
    expression.round_up(&Point::at(&Rational::ONE))
}

#[test]
fn rationals_stay_exact_until_the_one_rounding() {
    // Ten times 1/10, each rounded up, would exceed 1.
    let tenth = number(1, 10);
    assert_eq!(up(&Expression::sum(vec![tenth; 10])), Ok(1.0));
    assert_eq!(up(&number(1, 3)), Ok(0.333_333_333_333_333_37));
    assert_eq!(up(&(number(9, 4).sqrt() * number(2, 3))), Ok(1.0));
}

/// Bounds that are far apart show which of them is rounded where, and what is known of a sign and of an order.
#[test]
fn ends_are_kept_apart() {
    let q = |n: i64, d: i64| rational(n, d).unwrap();
    let float = |n, d| Format::wide(90).round(&q(n, d), Round::NearestEven);
    let format = Format::wide(4);
    let wide = |(a, b): (i64, i64), (c, d): (i64, i64)| bounded(format, &(q(a, b), q(c, d))).unwrap();
    for found in [wide((1, 7), (5, 7)), outward(format, &(float(1, 7), float(5, 7))).unwrap()] {
        let (low, high) = ends(&found).unwrap();
        assert!(low < q(1, 7) && q(1, 8) < low && q(5, 7) < high && high < q(6, 7), "{found:?}");
    }
    let (negative, around, positive) = (wide((-2, 1), (-1, 1)), wide((-1, 1), (1, 1)), wide((1, 1), (2, 1)));
    let signs = [&negative, &around, &positive].map(Value::sign);
    assert_eq!(signs, [Some(Ordering::Less), None, Some(Ordering::Greater)]);
    let half = Value::Exact(q(1, 2));
    let orders = [&negative, &around, &positive].map(|x| (x.compare(&half), half.compare(x)));
    let less = (Some(Ordering::Less), Some(Ordering::Greater));
    assert_eq!(orders, [less, (None, None), (less.1, less.0)]);
    assert_eq!(wide((0, 1), (1, 1)).compare(&positive), None);
    assert_eq!((wide((0, 1), (1, 1)).sign(), wide((-1, 1), (0, 1)).sign()), (None, None));
    // A number is rounded to an integer where both its bounds are rounded to the same.
    let (inside, across) = (wide((5, 4), (7, 4)), wide((3, 4), (7, 4)));
    let of = |value: &Value| {
        [whole(value, Rational::floor), whole(value, Rational::ceil)].map(|x| x.and_then(|x| ends(&x)))
    };
    assert_eq!(of(&inside), [Some((q(1, 1), q(1, 1))), Some((q(2, 1), q(2, 1)))]);
    assert_eq!(of(&across), [None, None]);
}

/// With few bits every value is wide, and holds what it is with many.
#[test]
fn coarse_values_hold_fine_ones() {
    let roots = || [number(2, 1).sqrt(), number(3, 7).ln(), number(-5, 3).exp(), number(22, 7).exp()];
    let noise = |kind, asked, given: Expression| {
        let squared = rational(7, 3).unwrap();
        let distance = if kind == Normal::Continuous { number(2, 1).sqrt() } else { number(2, 1) };
        Expression::gaussian((kind, asked), &squared, distance, given, Expression::infinity())
    };
    let mut all = roots().to_vec();
    for (x, y) in roots().into_iter().zip(roots().into_iter().rev()) {
        let (smaller, larger) =
            (Expression::min(x.clone(), [y.clone()]), Expression::max(x.clone(), [y.clone()]));
        all.extend([
            x.clone() + y.clone(),
            x.clone() - y.clone(),
            x.clone() * y.clone(),
            x / y,
            smaller,
            larger,
        ]);
    }
    // Two numbers that few bits do not tell apart.
    let near = || (number(2, 1).sqrt(), number(17, 12));
    all.push(Expression::min(near().0, [near().1]));
    all.push(Expression::max(near().0, [near().1]));
    for kind in [Normal::Continuous, Normal::Discrete] {
        all.push(noise(kind, Half::Delta, number(2, 1).ln()));
        all.push(noise(kind, Half::Delta, number(1, 2)));
        all.push(noise(kind, Half::Epsilon, number(-7, 3).exp()));
        all.push(noise(kind, Half::Epsilon, number(1, 100)));
    }
    let one = Rational::ONE;
    let at = Point::at(&one);
    for expression in &all {
        let fine = ends(&expression.evaluate(&at, 120).unwrap()).unwrap();
        for bits in 2..24 {
            let Ok(value) = expression.evaluate(&at, bits) else { continue };
            let Some((low, high)) = ends(&value) else { continue };
            assert!(low <= fine.0 && fine.1 <= high, "{expression} with {bits} bits: {value:?}");
        }
    }
}

#[test]
fn logarithms_and_powers_are_the_least_double_above() {
    for k in 2..200 {
        assert_eq!(up(&number(k, 1).ln()), Ok(ln_up(k as f64)));
        assert_eq!(up(&number(k, 7).ln().exp()).map(|x| x >= k as f64 / 7.0), Ok(true));
        assert_eq!(up(&number(k, 16).exp()), Ok(exp_up(k as f64 / 16.0)));
    }
    // Next to 1, where ln of the rounded argument would lose everything.
    let huge = Rational::from(Natural::ONE << 300);
    let near_one = (huge.clone() + Rational::ONE) / huge;
    let loss = up(&Expression::constant(near_one).ln()).unwrap();
    // ln(1 + x) lies just below x = 2^-300, so the least double above is x itself.
    assert_eq!(loss, 2f64.powi(-300));
}

#[test]
fn a_hidden_rational_is_bounded_above_by_one_step() {
    let two = number(2, 1).sqrt() * number(2, 1).sqrt();
    assert_eq!(up(&two), Ok(2f64.next_up()));
    assert_eq!(two.is_at_most(&Point::at(&Rational::ONE), &rational(2, 1).unwrap()), Ok(false));
}

#[test]
fn infinity_follows_its_rules() {
    let infinity = Expression::infinity;
    assert_eq!(up(&(infinity() + number(1, 1))), Ok(f64::INFINITY));
    assert_eq!(up(&(number(1, 1) / infinity())), Ok(0.0));
    assert_eq!(up(&Expression::min(infinity(), [number(3, 1)])), Ok(3.0));
    assert!(matches!(up(&(infinity() - infinity())), Err(EvaluationError::Undefined { .. })));
    assert!(matches!(up(&(infinity() * Expression::zero())), Err(EvaluationError::Undefined { .. })));
}

#[test]
fn what_is_undefined_is_an_error_and_names_the_part() {
    let error = up(&(number(1, 1) / (number(1, 1) - Expression::one()))).unwrap_err();
    assert_eq!(error.to_string(), "division by zero is undefined at 1 / (1 - 1)");
    assert!(up(&number(-1, 1).ln()).is_err());
    assert!(up(&number(-1, 1).sqrt()).is_err());
    assert_eq!(up(&Expression::epsilon()), Err(EvaluationError::Unbound { variable: Variable::Epsilon }));
}

#[test]
fn comparisons_with_irrational_sides_are_decided() {
    // e < 2.7182818284590455 = fl(e) + 1 ulp; the branch taken is the right one.
    let bound = rational_from_f64(exp_up(1.0)).unwrap();
    let case =
        |left, right| Expression::cases(left, Relation::Less, right, Expression::one(), Expression::zero());
    let e = Expression::one().exp();
    assert_eq!(up(&case(e.clone(), Expression::constant(bound.clone()))), Ok(1.0));
    assert_eq!(up(&case(Expression::constant(bound), e)), Ok(0.0));
}

#[test]
fn the_least_over_orders_is_near_the_minimum() {
    // α + 4/(α − 1) is least at α = 3, where it is 5.
    let order = Expression::order;
    let value = order() + number(4, 1) / (order() - Expression::one());
    let least = up(&value.least_over_order()).unwrap();
    assert!((5.0..5.0 + 1e-14).contains(&least), "{least}");
}

fn exact(expression: &Expression) -> Rational {
    match expression.evaluate(&Point::at(&Rational::ONE), 40) {
        Ok(Value::Exact(value)) => value,
        other => panic!("{expression}: {other:?}"),
    }
}

#[test]
fn zeros_and_infinities_are_exact_beside_what_is_not() {
    let ln = || number(2, 1).ln();
    let infinity = Expression::infinity;
    assert_eq!(exact(&(Expression::zero() * ln())), Rational::ZERO);
    assert_eq!(exact(&(ln() * Expression::zero())), Rational::ZERO);
    assert_eq!(exact(&(Expression::zero() / ln())), Rational::ZERO);
    assert_eq!(exact(&Expression::zero().exp()), Rational::ONE);
    assert_eq!(exact(&Expression::one().ln()), Rational::ZERO);
    assert_eq!(exact(&(ln() / infinity())), Rational::ZERO);
    assert_eq!(up(&(infinity() / ln())), Ok(f64::INFINITY));
    assert_eq!(up(&(infinity() / number(3, 1))), Ok(f64::INFINITY));
    assert_eq!(up(&(infinity() + ln())), Ok(f64::INFINITY));
    for senseless in [infinity() / infinity(), infinity() / number(-1, 1), infinity() * number(-1, 1)] {
        assert!(matches!(up(&senseless), Err(EvaluationError::Undefined { .. })), "{senseless}");
    }
}

/// Where the formula of normal noise is asked something that it does not answer, the fallback does; where it does, its answer has two
/// different ends.
#[test]
fn normal_noise_is_asked_what_its_formula_answers() {
    let squared = rational(1, 1).unwrap();
    for kind in [Normal::Continuous, Normal::Discrete] {
        let noise = |asked, distance: Expression, given: Expression| {
            Expression::gaussian((kind, asked), &squared, distance, given, number(7, 1))
        };
        let one = Expression::one;
        let at_zero = noise(Half::Delta, one(), Expression::zero());
        // Φ(1/2) − Φ(−1/2), or P(Z = 0) on the integers.
        let expected = if kind == Normal::Continuous { 0.382_924_922_548 } else { 0.398_942_2 };
        assert!((up(&at_zero).unwrap() - expected).abs() < 1e-6, "{at_zero}");
        for (asked, given) in
            [(Half::Delta, number(-1, 2)), (Half::Epsilon, one()), (Half::Epsilon, number(3, 2))]
        {
            assert_eq!(exact(&noise(asked, one(), given)), rational(7, 1).unwrap());
        }
        assert_eq!(exact(&noise(Half::Delta, number(-1, 1), one())), rational(7, 1).unwrap());
        assert_eq!(exact(&noise(Half::Delta, Expression::zero(), one())), Rational::ZERO);
        for given in [number(2, 1).ln(), number(3, 2).ln(), number(7, 5).sqrt(), one()] {
            let value = noise(Half::Delta, one(), given);
            let ends_with = |bits| ends(&value.evaluate(&Point::at(&Rational::ONE), bits).unwrap()).unwrap();
            let fine = ends_with(40);
            for bits in 2..12 {
                let coarse = ends_with(bits);
                assert!(
                    coarse.0 <= fine.0 && fine.1 <= coarse.1 && coarse.0 < coarse.1,
                    "{coarse:?} {fine:?}"
                );
            }
        }
    }
}
