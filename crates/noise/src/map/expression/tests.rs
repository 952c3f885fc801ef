//! How formulas are written, printed, changed and told apart.

use super::*;
use probity_exact::rational;

fn number(n: i64, d: i64) -> Expression {
    Expression::constant(rational(n, d).unwrap())
}

#[test]
fn prints_with_the_brackets_it_needs() {
    let d = Expression::distance_in;
    for (expression, text) in [
        (d() / (d() / d()), "d_in / (d_in / d_in)"),
        (d() / d() / d(), "d_in / d_in / d_in"),
        ((d() + d()) * d(), "(d_in + d_in) · d_in"),
        (d() - (d() - d()), "d_in - (d_in - d_in)"),
        (d() / number(7, 3), "d_in / (7/3)"),
        (d() * number(-2, 1), "d_in · (-2)"),
        (Expression::zero_at_zero(d() + d()), "if d_in = 0 then 0 else d_in + d_in"),
        (d() + Expression::zero_at_zero(d()), "d_in + (if d_in = 0 then 0 else d_in)"),
        (Expression::max(d(), [number(1, 1)]).ln(), "ln(max(d_in, 1))"),
    ] {
        assert_eq!(expression.to_string(), text);
    }
}

#[test]
fn a_name_with_two_values_prints_as_the_values() {
    let loss =
        |scale| Expression::distance_in() / Expression::parameter("scale", rational(scale, 1).unwrap());
    assert_eq!((loss(2) + loss(2)).to_string(), "d_in / scale + d_in / scale");
    assert_eq!((loss(2) + loss(3)).to_string(), "d_in / 2 + d_in / 3");
}

#[test]
fn long_sums_stay_shallow() {
    let total = (0..2000).fold(Expression::zero(), |sum, _| sum + Expression::one());
    let Node::Sum(terms) = total.node() else { panic!("not a sum") };
    assert_eq!(terms.len(), 2000);
}

#[test]
fn substitution_respects_what_is_bound() {
    let bound = Expression::order().least_over_order();
    assert_eq!(bound.substitute(Variable::Order, &Expression::one()), bound);
    let group = Expression::distance_in()
        .squared()
        .substitute(Variable::DistanceIn, &(Expression::distance_in() * number(3, 1)));
    assert_eq!(group.to_string(), "d_in · 3 · (d_in · 3)");
}

/// One expression of every kind, with numbers in it.
fn kinds() -> Vec<Expression> {
    let (d, e, one) = (Expression::distance_in, Expression::epsilon, Expression::one);
    let scale = || Expression::parameter("scale", rational(7, 3).unwrap());
    let cases = |relation| Expression::cases(d(), relation, one(), scale(), e());
    vec![
        one(),
        scale(),
        Expression::parameter("other", rational(7, 3).unwrap()),
        Expression::infinity(),
        d(),
        e(),
        d() - one(),
        d() * one(),
        d() / one(),
        one() / d(),
        d().ln(),
        d().exp(),
        d().sqrt(),
        d() + one(),
        d() + one() + e(),
        Expression::max(d(), [one()]),
        Expression::max(d(), [one(), e()]),
        Expression::min(d(), [one()]),
        cases(Relation::Equal),
        cases(Relation::Less),
        cases(Relation::AtMost),
    ]
}

/// A shape is that of an expression whose numbers alone are others: so a formula is not taken for one that compares, names or reads
/// something else.
#[test]
fn shapes_differ_where_more_than_numbers_does() {
    let all = kinds();
    for (i, one) in all.iter().enumerate() {
        for (j, other) in all.iter().enumerate() {
            let changed = other.map_numbers(&mut |n| n + Rational::ONE);
            let mut seen = Vec::new();
            assert_eq!(one.has_shape(&changed, &mut |n| seen.push(n.clone())), i == j, "{one} and {changed}");
            if i == j {
                let mut numbers = Vec::new();
                one.map_numbers(&mut |n| {
                    numbers.push(n.clone());
                    n.clone()
                });
                assert_eq!(seen, numbers, "{one}");
            }
        }
    }
}

#[test]
fn normal_noise_has_numbers_and_a_fallback_that_is_not_shown() {
    let parameter = |name: &str| Expression::parameter(name, rational(2, 1).unwrap());
    let noise = Expression::gaussian(
        (Normal::Discrete, Half::Delta),
        &rational(5, 1).unwrap(),
        parameter("distance"),
        parameter("given"),
        parameter("hidden"),
    );
    let names: Vec<String> = noise.parameters().iter().map(|(name, _)| name.to_string()).collect();
    assert_eq!(names, ["distance", "given"]);
    let mut numbers = Vec::new();
    let changed = noise.map_numbers(&mut |n| {
        numbers.push(n.clone());
        n + Rational::ONE
    });
    assert_eq!(numbers, [5, 2, 2, 2].map(|n| rational(n, 1).unwrap()));
    let Node::Gaussian { squared_scale, .. } = changed.node() else { panic!("{changed}") };
    assert_eq!(*squared_scale, rational(6, 1).unwrap());
}

#[test]
fn small_sums_bound_orders_and_values_of_names() {
    assert_eq!(Expression::sum([]), Expression::zero());
    assert_eq!(Expression::sum([Expression::zero(), Expression::epsilon()]), Expression::epsilon());
    let least = (Expression::order() * Expression::distance_in()).least_over_order();
    assert!(!least.is_constant() && Expression::order().least_over_order().is_constant());
    assert_eq!(
        least.substitute(Variable::DistanceIn, &number(3, 1)),
        (Expression::order() * number(3, 1)).least_over_order()
    );
    let scale = |n, d| Expression::distance_in() / Expression::parameter("scale", rational(n, d).unwrap());
    assert_eq!((scale(2, 3) + scale(5, 1)).to_string(), "d_in / (2/3) + d_in / 5");
}
