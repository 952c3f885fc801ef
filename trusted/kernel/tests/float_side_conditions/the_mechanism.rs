//! What may stand in the mechanism at all.

use super::*;

#[test]
fn it_is_well_formed() {
    let rejection = rejected(&fixed(), &|m| m.body[3] = assign("B", x() + draw() / eps()));
    assert!(matches!(rejection, Rejection::Malformed(_)), "{rejection}");
    accepted(&fixed(), &|m| {
        m.body[3] = assign("v", x() + draw() / eps());
        m.output = Expr::var("v").round_to(Expr::var("grid")).clamp(-b(), b());
    });
}

#[test]
fn one_input() {
    let second = Input { name: "y".into(), sort: Sort::Real };
    assert_eq!(rejected(&fixed(), &|m| m.inputs.push(second.clone())), Rejection::Inputs);
    accepted(&fixed(), &|_| {});
}

#[test]
fn a_real_input() {
    assert_eq!(rejected(&fixed(), &|m| m.inputs[0].sort = Sort::Int), Rejection::Inputs);
}

#[test]
fn an_input_of_any_name() {
    let named = with(&fixed(), &|m| {
        let y = || Expr::var("y");
        m.inputs[0].name = "y".into();
        m.assumptions[2] = between(-b(), y(), b());
        m.body[3] = assign("w", y() + draw() / eps());
        let distance = (Expr::of("y", Run::First) - Expr::of("y", Run::Second)).abs();
        m.adjacency = vec![Adjacency::Related(distance.le(number(1, 1)))];
    });
    assert_eq!(look(&named).unwrap().subject(), look(&fixed()).unwrap().subject());
}

#[test]
fn draws_and_assignments_only() {
    let branch = Statement::If {
        guard: Expr::Bool(true),
        then: vec![assign("v", number(1, 1))],
        otherwise: vec![assign("v", number(1, 1))],
    };
    let rejection = rejected(&fixed(), &|m| m.body.push(branch.clone()));
    assert!(matches!(rejection, Rejection::Statement { .. }), "{rejection}");
    accepted(&fixed(), &|m| m.body.push(assign("v", number(1, 1))));
}

#[test]
fn a_uniform_and_a_sign() {
    let other = drawn("u", Distribution::Exponential { scale: number(1, 1) });
    let rejection = rejected(&fixed(), &|m| m.body[1] = other.clone());
    assert!(matches!(rejection, Rejection::Draw { .. }), "{rejection}");
    let wide = Distribution::DiscreteLaplace { center: number(0, 1), scale: number(1, 1) };
    let rejection = rejected(&fixed(), &|m| m.body[2] = drawn("s", wide.clone()));
    assert!(matches!(rejection, Rejection::Draw { .. }), "{rejection}");
    // In either order.
    accepted(&fixed(), &|m| m.body.swap(1, 2));
}

#[test]
fn each_drawn_once() {
    for law in [Distribution::Uniform, Distribution::Sign] {
        let rejection = rejected(&fixed(), &|m| m.body.push(drawn("v", law.clone())));
        assert!(matches!(rejection, Rejection::Draw { .. }), "{rejection}");
    }
}

#[test]
fn drawn_before_it_is_used() {
    // w uses a u that was assigned before; the draw comes too late.
    let rejection = rejected(&fixed(), &|m| m.body.swap(1, 3));
    assert!(matches!(rejection, Rejection::Draw { .. }), "{rejection}");
}

#[test]
fn drawn_into_a_new_variable() {
    let rejection = rejected(&fixed(), &|m| m.body.insert(0, assign("u", number(1, 2))));
    assert!(matches!(rejection, Rejection::Draw { .. }), "{rejection}");
    // What is assigned to it afterwards is no draw any more.
    let rejection = rejected(&fixed(), &|m| m.body.insert(2, assign("u", number(1, 2))));
    assert!(matches!(rejection, Rejection::Noise { .. }), "{rejection}");
    accepted(&fixed(), &|m| m.body.insert(0, assign("v", number(1, 2))));
}

#[test]
fn of_bounded_size() {
    let doubled = |levels: usize| {
        with(&fixed(), &|m| {
            m.body[3] = assign("w", x() + draw() / Expr::var("a"));
            let add = || Expr::var("a") + Expr::var("a");
            m.body.splice(3..3, (0..levels).map(|_| assign("a", add())));
            m.body.insert(3, assign("a", number(1, 1 << 10)));
        })
    };
    assert_eq!(look(&doubled(60)), Err(Rejection::TooLarge { variable: "a".into() }));
    let found = look(&doubled(10)).unwrap();
    assert_eq!(found.ideal(), &number(1, 1));
}

#[test]
fn of_bounded_size_at_the_output() {
    let doubled = |levels: usize| {
        with(&fixed(), &|m| {
            let add = || Expr::var("a") + Expr::var("a");
            m.body.insert(0, assign("a", number(1, 1 << 12)));
            m.body.splice(1..1, (0..levels).map(|_| assign("a", add())));
            let both = (0..8).fold(number(0, 1), |sum, _| sum + Expr::var("a"));
            m.output = Expr::var("w").round_to(both).clamp(-b(), b());
        })
    };
    assert!(matches!(look(&doubled(11)), Err(Rejection::TooLarge { .. })));
    look(&doubled(9)).unwrap();
}

#[test]
fn a_constant_may_stand_at_the_sign() {
    let (s, u) = (|| Expr::var("s"), || Expr::var("u"));
    let noise = |noise: Expr| with(&fixed(), &|m| m.body[3] = assign("w", x() + noise.clone() / eps()));
    let inside = look(&noise(s() * (number(2, 1) * u().ln()))).unwrap();
    assert_eq!(look(&noise(number(2, 1) * s() * u().ln())).unwrap().subject(), inside.subject());
    for private in [x(), u(), s()] {
        let rejection = look(&noise(private * s() * u().ln())).unwrap_err();
        assert!(matches!(rejection, Rejection::Noise { .. }), "{rejection}");
    }
}
