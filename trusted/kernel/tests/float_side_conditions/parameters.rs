//! Mechanisms with ranges of parameters.

use super::*;

#[test]
fn noise_is_mironovs() {
    for constant in [
        number(100, 1) * eps(),
        number(2, 1) * eps(),
        // Agrees with eps at both ends of the range.
        eps() + (eps() - number(1, 2)) * (number(2, 1) - eps()),
        eps() + number(0, 1),
        number(1, 1),
        b(),
    ] {
        let found = look(&with(&family(), &|m| m.body[3] = assign("w", x() + draw() / constant.clone())));
        assert!(matches!(found, Err(Rejection::NotMironov { .. })), "{constant}");
    }
    let scaled = x() + draw() * (number(1, 1) / eps());
    let twice = x() + draw() / eps() / number(1, 1);
    for value in [scaled, twice, x() + draw() * eps()] {
        let found = look(&with(&family(), &|m| m.body[3] = assign("w", value.clone())));
        assert!(matches!(found, Err(Rejection::NotMironov { .. })), "{value}");
    }
    accepted(&family(), &|m| {
        m.body.insert(3, assign("e", eps()));
        m.body[4] = assign("w", x() + draw() / Expr::var("e"));
    });
}

#[test]
fn grid_is_mironovs() {
    for grid in [
        // 2 and 1/2 at the ends of the range, and no power of two between.
        number(5, 2) - eps(),
        (number(1, 1) / (number(5, 2) - eps())).pow2_at_least(),
        (number(1, 1) / b()).pow2_at_least(),
        (number(2, 1) / eps()).pow2_at_least(),
        number(1, 1) / eps(),
        number(2, 1),
        (number(1, 1) / eps()).pow2_at_least() * number(1, 1),
    ] {
        let found = look(&with(&family(), &|m| m.body[0] = assign("grid", grid.clone())));
        assert!(matches!(found, Err(Rejection::NotMironov { .. })), "{grid}");
    }
    accepted(&family(), &|_| {});
}

#[test]
fn epsilon_has_a_range() {
    for assumption in [
        eps().gt(number(0, 1)),
        eps().le(number(2, 1)),
        between(number(1, 2), eps(), number(2, 1)).or(b().gt(number(0, 1))),
        between(number(1, 2), eps(), b()),
        between(number(1, 2), eps(), number(7, 1).ln()),
        between(number(1, 2), eps(), eps() + number(1, 1)),
    ] {
        let found = look(&with(&family(), &|m| m.assumptions[0] = assumption.clone()));
        assert!(matches!(found, Err(Rejection::Unbounded { .. })), "{assumption}");
    }
    let sort = |m: &mut Mechanism| m.params[0].sort = Sort::Int;
    assert!(matches!(rejected(&family(), &sort), Rejection::Unbounded { .. }));
    accepted(&family(), &|m| m.assumptions[0] = number(1, 1).lt(eps()).and(number(2, 1).gt(eps())));
}

#[test]
fn the_clamp_has_a_range() {
    let rejection = rejected(&family(), &|m| m.assumptions[1] = b().ge(number(1, 1)));
    assert!(matches!(rejection, Rejection::Unbounded { .. }), "{rejection}");
}

#[test]
fn a_range_is_not_empty() {
    let from =
        |low| look(&with(&family(), &|m| m.assumptions[0] = between(number(low, 1), eps(), number(2, 1))));
    assert!(matches!(from(3), Err(Rejection::EmptyRange { .. })));
    from(2).unwrap();
    // Also for a parameter that nothing else mentions.
    let unused = |low: i64| {
        look(&with(&family(), &|m| {
            m.params.push(real("c"));
            m.assumptions.push(between(number(low, 1), Expr::var("c"), number(2, 1)));
        }))
    };
    assert!(matches!(unused(3), Err(Rejection::EmptyRange { .. })));
    unused(1).unwrap();
}

#[test]
fn a_range_is_where_all_assumptions_hold() {
    let found = accepted(&family(), &|m| {
        m.assumptions.push(between(number(1, 1), eps(), number(9, 1)));
        m.assumptions.push(eps().le(number(3, 2)).and(b().le(number(7, 1))));
    });
    let Subject::Family(all) = found.subject() else { panic!("a family") };
    assert_eq!((&all.epsilon, &all.bound), (&(q(1, 1), q(3, 2)), &(q(1, 1), q(7, 1))));
}
