//! The bounds of the input, and who its neighbours are.

use super::*;

fn where_(assumptions: &[Expr]) -> Result<Bound, Rejection> {
    look(&with(&fixed(), &|m| {
        m.assumptions.truncate(2);
        m.assumptions.extend(assumptions.iter().cloned());
    }))
}

#[test]
fn bounded() {
    let (low, high) = (|| (-b()).le(x()), || x().le(b()));
    for assumptions in [
        vec![],
        vec![low()],
        vec![high()],
        vec![low().or(high())],
        vec![!(!low()).or(!high())],
        vec![low().implies(high()), low()],
        vec![x().differs(b()), low()],
        vec![low(), x().le(x() + number(1, 1))],
        vec![Expr::Bool(true).choose(low().and(high()), low())],
        vec![low(), b().ge(number(0, 1)).implies(high())],
    ] {
        let found = where_(&assumptions);
        assert!(matches!(found, Err(Rejection::InputUnbounded { .. })), "{assumptions:?}");
    }
    for assumptions in [
        vec![low(), high()],
        vec![high().and(low())],
        vec![x().abs().le(b())],
        vec![b().gt(x()), x().ge(-b())],
        vec![low(), high(), x().differs(b())],
        vec![x().equals(number(3, 1))],
    ] {
        where_(&assumptions).unwrap();
    }
}

#[test]
fn the_bound_is_the_larger_of_input_and_clamp() {
    for (limit, bound) in [(3, 10), (10, 10), (1000, 1000)] {
        let found = where_(&[x().abs().le(number(limit, 1))]).unwrap();
        assert!(matches!(found.subject(), Subject::Mechanism(snapped) if snapped.bound == q(bound, 1)));
    }
    // Both ends count, whichever is farther.
    for (low, high) in [(-50, 1), (-1, 50)] {
        let found = where_(&[between(number(low, 1), x(), number(high, 1))]).unwrap();
        assert!(matches!(found.subject(), Subject::Mechanism(snapped) if snapped.bound == q(50, 1)));
    }
}

#[test]
fn every_assumption_holds_so_the_tightest_counts() {
    let wide = between(number(-500, 1), x(), number(500, 1));
    let tight = between(number(-20, 1), x(), number(20, 1));
    for assumptions in [[wide.clone(), tight.clone()], [tight, wide]] {
        let found = where_(&assumptions).unwrap();
        assert!(matches!(found.subject(), Subject::Mechanism(snapped) if snapped.bound == q(20, 1)));
    }
}

#[test]
fn within_the_clamp_for_every_parameter() {
    let inputs = |assumption: Expr| with(&family(), &|m| m.assumptions[2] = assumption.clone());
    let far = number(1000, 1) * b();
    for assumption in [
        between(-far.clone(), x(), far),
        between(number(-2, 1), x(), number(2, 1)),
        (-b()).le(x()).and(x().le(number(2, 1))),
        between(-b(), x(), eps()),
        between(number(-10, 1), x(), b()),
        x().le(b()).or((-b()).le(x())),
    ] {
        let found = look(&inputs(assumption.clone()));
        assert!(matches!(found, Err(Rejection::InputBeyondClamp { .. })), "{assumption}");
    }
    for assumption in [
        between(-b(), x(), b()),
        x().abs().lt(b()),
        between(number(0, 1) - b(), x(), b()),
        between(number(-1, 1), x(), number(1, 1)),
    ] {
        look(&inputs(assumption)).unwrap();
    }
}

#[test]
fn clamped_first() {
    let clamped = |low: Expr, high: Expr| {
        with(&family(), &|m| {
            m.assumptions.pop();
            m.body[3] = assign("w", x().clamp(low.clone(), high.clone()) + draw() / eps());
        })
    };
    look(&clamped(-b(), b())).unwrap();
    look(&clamped(number(-1, 1), number(1, 1))).unwrap();
    assert!(matches!(look(&clamped(number(-9, 1), number(9, 1))), Err(Rejection::InputBeyondClamp { .. })));
    assert!(matches!(look(&clamped(b(), b())), Err(Rejection::InputBeyondClamp { .. })));
    let fixed = |low: i64, high: i64| {
        with(&fixed(), &|m| {
            m.assumptions.pop();
            m.body[3] = assign("w", x().clamp(number(low, 1), number(high, 1)) + draw() / eps());
        })
    };
    let found = look(&fixed(-40, 40)).unwrap();
    assert!(matches!(found.subject(), Subject::Mechanism(snapped) if snapped.bound == q(40, 1)));
    assert!(matches!(look(&fixed(-40, 50)), Err(Rejection::NotClamped { .. })));
}

#[test]
fn neighbours_are_within_a_number() {
    let at = |adjacency: Vec<Adjacency>| look(&with(&fixed(), &|m| m.adjacency = adjacency.clone()));
    let second = || Expr::of("x", Run::Second);
    let first = || Expr::of("x", Run::First);
    let related = |relation: Expr| vec![Adjacency::Related(relation)];
    for adjacency in [
        vec![],
        [within(number(1, 1)), within(number(2, 1))].concat(),
        related((second() - first()).le(number(1, 1))),
        related((second() + first()).abs().le(number(1, 1))),
        related((second() - second()).abs().le(number(1, 1))),
        related((second() - first()).abs().equals(number(1, 1))),
        related(number(1, 1).le((second() - first()).abs())),
        related((second() - number(2, 1) * first()).abs().le(number(1, 1))),
        within(number(1, 1)).into_iter().map(negated).collect(),
        within(number(3, 1).ln()),
    ] {
        let found = at(adjacency.clone());
        assert!(matches!(found, Err(Rejection::Adjacency { .. })), "{adjacency:?}");
    }
    for adjacency in [
        within(number(1, 1)),
        related((first() - second()).abs().lt(number(1, 1))),
        related(number(1, 1).ge((second() - first()).abs())),
        within(number(3, 1) / number(2, 1)),
        within(b()),
    ] {
        at(adjacency).unwrap();
    }
}

fn negated(clause: Adjacency) -> Adjacency {
    match clause {
        Adjacency::Related(relation) => Adjacency::Related(!relation),
        other => other,
    }
}

#[test]
fn the_distance_is_exact() {
    let found = accepted(&fixed(), &|m| m.adjacency = within(number(1, 3)));
    assert_eq!(found.ideal(), &number(1, 3));
}

#[test]
fn the_distance_is_the_same_for_all_parameters() {
    let rejection = rejected(&family(), &|m| m.adjacency = within(eps()));
    assert!(matches!(rejection, Rejection::Adjacency { .. }), "{rejection}");
    let apart = |m: &mut Mechanism| {
        m.params.push(real("d"));
        m.adjacency = within(Expr::var("d"));
    };
    let rejection = rejected(&family(), &apart);
    assert!(matches!(rejection, Rejection::Adjacency { .. }), "{rejection}");
    let found = accepted(&family(), &|m| {
        apart(m);
        m.assumptions.push(Expr::var("d").equals(number(3, 2)));
    });
    assert_eq!(found.ideal(), &(number(3, 2) * eps()));
}
