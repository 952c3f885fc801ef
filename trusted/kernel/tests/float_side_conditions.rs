//! The side conditions of the threshold theorem, one function each: the smallest input that only this condition rejects, what it
//! is rejected with, and the nearest input that is accepted. The name of a function is the condition's id.

use probity_exact::{Format, Rational, rational};
use probity_kernel::expr::{Expr, Run};
use probity_kernel::float::{
    Bound, Implementation, Rejection, Scaling, Snapped, Subject, Uniform, bound, threshold,
};
use probity_kernel::term::{
    Adjacency, Claim, Distribution, Input, Mechanism, Param, Reading, Sort, Statement,
};

type Change<'a> = &'a dyn Fn(&mut Mechanism);

fn q(n: i64, d: i64) -> Rational {
    rational(n, d).unwrap()
}

fn number(n: i64, d: i64) -> Expr {
    Expr::Number(q(n, d))
}

fn x() -> Expr {
    Expr::var("x")
}

fn eps() -> Expr {
    Expr::var("eps")
}

fn b() -> Expr {
    Expr::var("B")
}

/// s * ln(u)
fn draw() -> Expr {
    Expr::var("s") * Expr::var("u").ln()
}

fn real(name: &str) -> Param {
    Param { name: name.into(), sort: Sort::Real }
}

fn assign(name: &str, value: Expr) -> Statement {
    Statement::Assign { var: name.into(), value }
}

fn drawn(name: &str, law: Distribution) -> Statement {
    Statement::Draw { var: name.into(), law }
}

fn between(low: Expr, value: Expr, high: Expr) -> Expr {
    low.le(value.clone()).and(value.le(high))
}

/// Mironov's mechanism for 1/2 ≤ eps ≤ 2 and 1 ≤ B ≤ 10. Statements: 0 grid, 1 u, 2 s, 3 w.
fn family() -> Mechanism {
    let distance = (Expr::of("x", Run::Second) - Expr::of("x", Run::First)).abs();
    Mechanism {
        name: "snapping".into(),
        inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
        params: vec![real("eps"), real("B")],
        assumptions: vec![
            between(number(1, 2), eps(), number(2, 1)),
            between(number(1, 1), b(), number(10, 1)),
            between(-b(), x(), b()),
        ],
        body: vec![
            assign("grid", (number(1, 1) / eps()).pow2_at_least()),
            drawn("u", Distribution::Uniform),
            drawn("s", Distribution::Sign),
            assign("w", x() + draw() / eps()),
        ],
        output: Expr::var("w").round_to(Expr::var("grid")).clamp(-b(), b()),
        adjacency: vec![Adjacency::Related(distance.le(number(1, 1)))],
    }
}

/// The same with eps = 1 and B = 10.
fn fixed() -> Mechanism {
    with(&family(), &|m| {
        m.assumptions[0] = eps().equals(number(1, 1));
        m.assumptions[1] = b().equals(number(10, 1));
    })
}

fn with(mechanism: &Mechanism, change: Change) -> Mechanism {
    let mut changed = mechanism.clone();
    change(&mut changed);
    changed
}

fn look(mechanism: &Mechanism) -> Result<Bound, Rejection> {
    bound(mechanism, Reading::BINARY64, Implementation::default())
}

fn rejected(mechanism: &Mechanism, change: Change) -> Rejection {
    look(&with(mechanism, change)).unwrap_err()
}

fn accepted(mechanism: &Mechanism, change: Change) -> Bound {
    look(&with(mechanism, change)).unwrap()
}

/// An adjacency |x' − x| ≤ limit.
fn within(limit: Expr) -> Vec<Adjacency> {
    let distance = (Expr::of("x", Run::Second) - Expr::of("x", Run::First)).abs();
    vec![Adjacency::Related(distance.le(limit))]
}

/// The numbers of snapping with ε = 1, Λ = 1, B = 10.
fn numbers(format: Format) -> Snapped {
    Snapped {
        format,
        uniform: Uniform::Star,
        ln_ulps: 0,
        scaling: vec![Scaling::Divide(q(1, 1))],
        grid: q(1, 1),
        bound: q(10, 1),
        sensitivity: q(1, 1),
    }
}

fn power(exponent: i64) -> Rational {
    probity_exact::Float::from_dyadic(1.into(), exponent).to_rational().unwrap()
}

mod the_mechanism {
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
        assert!(matches!(look(&doubled(60)), Err(Rejection::TooLarge { .. })));
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
}

mod the_output {
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
        for low in [number(-10, 1), -eps(), number(0, 1) - (b() + number(1, 1)), b()] {
            let rejection = rejected(&family(), &|m| {
                m.output = Expr::var("w").round_to(Expr::var("grid")).clamp(low.clone(), b());
            });
            assert!(matches!(rejection, Rejection::NotClamped { .. }), "{rejection}");
        }
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
        let rejection =
            rejected(&fixed(), &|m| m.output = Expr::var("w").round_to(x().abs()).clamp(-b(), b()));
        assert_eq!(rejection, Rejection::NoGrid);
    }

    #[test]
    fn on_a_grid_that_is_a_number() {
        let on = |grid: Expr| {
            with(&fixed(), &|m| m.output = Expr::var("w").round_to(grid.clone()).clamp(-b(), b()))
        };
        let zero = number(1, 1) / (number(1, 1) - number(1, 1));
        assert!(matches!(look(&on(zero)), Err(Rejection::NotANumber { .. })));
        look(&on(number(1, 1) / (number(3, 1) - number(1, 1)))).unwrap();
    }
}

mod the_sum {
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
}

mod the_input {
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
        assert!(matches!(
            look(&clamped(number(-9, 1), number(9, 1))),
            Err(Rejection::InputBeyondClamp { .. })
        ));
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
}

mod parameters {
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
        let from = |low| {
            look(&with(&family(), &|m| m.assumptions[0] = between(number(low, 1), eps(), number(2, 1))))
        };
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
}

mod the_numbers {
    use super::*;

    fn with(change: &dyn Fn(&mut Snapped)) -> Result<probity_kernel::float::Loss, Rejection> {
        let mut changed = numbers(Format::BINARY64);
        change(&mut changed);
        changed.loss()
    }

    /// A format in which a grid of 1 and a bound of 2 are possible.
    fn small(
        emin: i64,
        emax: i64,
        change: &dyn Fn(&mut Snapped),
    ) -> Result<probity_kernel::float::Loss, Rejection> {
        let mut changed = numbers(Format::new(8, emin, emax).unwrap());
        changed.bound = q(2, 1);
        change(&mut changed);
        changed.loss()
    }

    #[test]
    fn the_uniform_has_bits() {
        for bits in [0, 54] {
            let found = with(&|m| m.uniform = Uniform::Bits(bits));
            assert_eq!(found, Err(Rejection::UniformTooFine { bits }));
        }
        with(&|m| m.uniform = Uniform::Bits(53)).unwrap();
    }

    #[test]
    fn the_logarithm_is_not_too_coarse() {
        let coarse = |ulps: u32| {
            let mut changed = numbers(Format::BINARY16);
            changed.ln_ulps = ulps;
            changed.loss()
        };
        assert_eq!(coarse(1024), Err(Rejection::LogarithmTooCoarse { ulps: 1024 }));
        assert!(matches!(coarse(1023), Err(Rejection::CellTooNarrow { .. })));
        coarse(1).unwrap();
    }

    #[test]
    fn the_noise_does_not_overflow() {
        // −ln u reaches 8 + 12 = 20, and twice as much must be a float: 2^6·(2 − 2^-7) > 40.
        small(-12, 5, &|_| {}).unwrap();
        assert!(
            matches!(small(-12, 4, &|_| {}), Err(Rejection::NoiseOutOfRange { factor }) if factor == q(1, 1))
        );
        // After the first scaling as well.
        let scaled = |c: i64| {
            small(-20, 8, &|m| {
                m.scaling = vec![Scaling::Multiply(q(c, 1)), Scaling::Divide(q(c, 1))];
            })
        };
        assert!(matches!(scaled(16), Err(Rejection::NoiseOutOfRange { factor }) if factor == q(16, 1)));
        scaled(8).unwrap();
    }

    #[test]
    fn the_noise_is_normal() {
        assert!(matches!(small(-8, 9, &|_| {}), Err(Rejection::NoiseOutOfRange { .. })));
        small(-9, 9, &|_| {}).unwrap();
    }

    #[test]
    fn the_grid_is_a_power_of_two() {
        assert!(matches!(with(&|m| m.grid = q(3, 1)), Err(Rejection::GridNotPowerOfTwo { .. })));
        assert!(matches!(with(&|m| m.grid = q(1, 3)), Err(Rejection::GridNotPowerOfTwo { .. })));
        with(&|m| m.grid = q(4, 1)).unwrap();
    }

    #[test]
    fn the_grid_is_positive() {
        for grid in [0, -1] {
            let found = with(&|m| m.grid = q(grid, 1));
            assert!(matches!(found, Err(Rejection::NotPositive { parameter: "the grid", .. })));
        }
    }

    #[test]
    fn half_grid_points_are_normal() {
        // Noise of scale 2^-13 in a format whose smallest normal number is 2^-22, with the largest exponent to spare.
        let at = |grid: i64| {
            small(-22, 9, &|m| {
                m.scaling = vec![Scaling::Multiply(power(-13))];
                m.grid = power(grid);
                m.bound = power(grid);
                m.sensitivity = power(grid);
            })
        };
        assert!(matches!(at(-22), Err(Rejection::GridTooFine { .. })));
        assert!(!matches!(at(-21), Err(Rejection::GridTooFine { .. })));
        at(-12).unwrap();
    }

    #[test]
    fn half_grid_points_are_floats() {
        // Odd multiples of Λ/2 up to 2^p: 2·128 ≤ 2^8 < 2·129.
        let at = |bound: i64| small(-9, 20, &|m| m.bound = q(bound, 1));
        assert!(matches!(at(129), Err(Rejection::GridTooFine { .. })));
        assert!(!matches!(at(128), Err(Rejection::GridTooFine { .. })));
        at(4).unwrap();
    }

    #[test]
    fn multiples_of_the_grid_are_finite() {
        // The largest number is below 2^6: a bound of 33 is a float, and the multiple of 32 above it is not.
        let at = |bound: i64| {
            small(-12, 5, &|m| {
                m.grid = q(32, 1);
                m.scaling = vec![Scaling::Divide(q(1, 1))];
                m.bound = q(bound, 1);
            })
        };
        assert!(matches!(at(33), Err(Rejection::GridTooFine { .. })));
        assert!(!matches!(at(32), Err(Rejection::GridTooFine { .. })));
    }

    #[test]
    fn constants_are_positive() {
        for step in [Scaling::Divide(q(-1, 1)), Scaling::Multiply(q(-1, 1)), Scaling::Multiply(q(0, 1))] {
            let found = with(&|m| m.scaling = vec![step.clone()]);
            assert!(matches!(
                found,
                Err(Rejection::NotPositive { parameter: "a constant of the noise", .. })
            ));
        }
        with(&|m| m.scaling = vec![Scaling::Multiply(q(1, 1))]).unwrap();
    }

    #[test]
    fn constants_are_floats() {
        let found = with(&|m| m.scaling = vec![Scaling::Divide(q(1, 3))]);
        assert!(matches!(found, Err(Rejection::NotAFloat { parameter: "a constant of the noise", .. })));
        with(&|m| m.scaling = vec![Scaling::Divide(q(3, 1))]).unwrap();
    }

    #[test]
    fn the_bound_is_a_positive_float() {
        let at = |bound: Rational| with(&|m| m.bound = bound.clone());
        assert!(matches!(at(q(1, 3)), Err(Rejection::NotAFloat { parameter: "the bound", .. })));
        assert!(matches!(at(q(0, 1)), Err(Rejection::NotPositive { parameter: "the bound", .. })));
        assert!(matches!(at(q(-1, 1)), Err(Rejection::NotPositive { parameter: "the bound", .. })));
        at(q(1, 4)).unwrap();
    }

    #[test]
    fn the_sensitivity_is_positive() {
        for n in [0, -1] {
            let found = with(&|m| m.sensitivity = q(n, 1));
            assert!(matches!(found, Err(Rejection::NotPositive { parameter: "the sensitivity", .. })));
        }
        with(&|m| m.sensitivity = q(1, 3)).unwrap();
    }

    #[test]
    fn every_rounded_step_counts() {
        // The logarithm and every constant that is no power of two.
        let eta = Format::BINARY64.unit_roundoff();
        let step = Rational::ONE + &eta;
        for (scaling, kappa) in [
            (vec![], step.clone()),
            (vec![Scaling::Divide(q(2, 1))], step.clone()),
            (vec![Scaling::Divide(q(3, 1))], &step * &step),
            (vec![Scaling::Multiply(q(3, 1)), Scaling::Divide(q(5, 1))], &step * &step * &step),
        ] {
            let found = with(&|m| m.scaling = scaling.clone()).unwrap();
            assert_eq!(found.steps.kappa, kappa, "{scaling:?}");
        }
        let one = with(&|m| m.ln_ulps = 1).unwrap().steps.kappa;
        assert_eq!(one, Rational::ONE / (Rational::ONE - q(2, 1) * eta));
    }

    #[test]
    fn pure_only_within_the_fine_floats() {
        // ρT = B + ⌈B⌉ − ½ + h; |emin|·ln 2 = 708.396.
        let at = |bound: i64| with(&|m| m.bound = q(bound, 1)).unwrap();
        assert!(at(354).delta.is_zero());
        assert!(!at(355).delta.is_zero());
    }

    #[test]
    fn pure_with_few_bits_only_where_these_are_fine() {
        // 2^−53·e^ρT ≤ 2^−10: ρT ≤ 43·ln 2 = 29.8.
        let at = |bound: i64| {
            with(&|m| {
                m.uniform = Uniform::Bits(53);
                m.bound = q(bound, 1);
            })
            .unwrap()
        };
        assert!(at(15).delta.is_zero());
        assert!(!at(16).delta.is_zero());
    }

    #[test]
    fn far_cells_are_far_from_both_inputs() {
        // R = 708.396 has to be at least ρ(Λ + 2h + Δ).
        let at = |sensitivity: i64| {
            with(&|m| {
                m.bound = q(1 << 20, 1);
                m.sensitivity = q(sensitivity, 1);
            })
        };
        assert_eq!(at(708), Err(Rejection::CellTooWide));
        assert!(at(707).unwrap().delta > q(1, 10));
    }

    #[test]
    fn errors_are_smaller_than_a_cell_beside_the_input() {
        // A cell of 1/8 of the scale, and errors of 2^-8 of up to 4 of it.
        let at = |grid: i64| {
            small(-12, 9, &|m| {
                m.grid = q(1, grid);
                m.bound = q(2, 1);
            })
        };
        assert!(matches!(at(32), Err(Rejection::CellTooNarrow { .. })));
        at(4).unwrap();
    }

    #[test]
    fn errors_are_smaller_than_a_cell_around_the_input() {
        // With 3 bits u is off by g = 0.30 at R = 1.04. Beside the input a cell of 1/2 is wider than that; around it the mass
        // 1 − e^−1/2 is less than 2h₂ = 0.82.
        let at = |bits: u32| {
            let mut changed = numbers(Format::new(10, -14, 9).unwrap());
            changed.uniform = Uniform::Bits(bits);
            changed.grid = q(1, 2);
            changed.bound = q(1, 4);
            changed.sensitivity = q(1, 8);
            changed.loss()
        };
        assert!(matches!(at(3), Err(Rejection::CellTooNarrow { .. })));
        at(10).unwrap();
    }
}

mod families {
    use super::*;

    const SMALL: Reading = Reading::Binary { precision: 8, emin: -12, emax: 12 };

    fn over(
        reading: Reading,
        eps_: (Rational, Rational),
        b_: (Rational, Rational),
    ) -> Result<Bound, Rejection> {
        let of = |(low, high): &(Rational, Rational), name: Expr| {
            between(Expr::Number(low.clone()), name, Expr::Number(high.clone()))
        };
        let term = with(&family(), &|m| {
            m.assumptions[0] = of(&eps_, eps());
            m.assumptions[1] = of(&b_, b());
        });
        bound(&term, reading, Implementation::default())
    }

    #[test]
    fn epsilon_is_positive() {
        let found = over(Reading::BINARY64, (q(0, 1), q(1, 1)), (q(1, 1), q(2, 1)));
        assert!(matches!(found, Err(Rejection::NotPositive { parameter: "epsilon", .. })));
        over(Reading::BINARY64, (q(1, 1 << 20), q(1, 1)), (q(1, 1), q(2, 1))).unwrap();
    }

    #[test]
    fn epsilon_is_normal() {
        // Large exponents, few small ones: 1/ε is a float where ε is none that is fine.
        let reading = Reading::Binary { precision: 8, emin: -12, emax: 40 };
        let from = |low: Rational| over(reading, (low.clone(), low * q(3, 2)), (q(1, 1), q(2, 1)));
        assert!(matches!(from(power(-13)), Err(Rejection::NotNormal { parameter: "epsilon", .. })));
        from(power(-12)).unwrap();
    }

    #[test]
    fn epsilon_is_finite() {
        let found = over(SMALL, (q(1, 1), power(20)), (q(1, 1), q(2, 1)));
        assert!(matches!(found, Err(Rejection::NotAFloat { parameter: "epsilon", .. })));
    }

    #[test]
    fn the_bound_is_finite() {
        let found = over(SMALL, (q(1, 1), q(5, 4)), (q(1, 1), power(20)));
        assert!(matches!(found, Err(Rejection::NotAFloat { parameter: "the bound", .. })));
    }

    #[test]
    fn the_sensitivity_is_positive() {
        let rejection = rejected(&family(), &|m| m.adjacency = within(number(0, 1)));
        assert!(matches!(rejection, Rejection::NotPositive { parameter: "the sensitivity", .. }));
    }

    #[test]
    fn the_noise_fits_at_the_smallest_epsilon() {
        // 2·(8 + 12)/ε ≤ 2^12·(2 − 2^-7).
        let from = |low: Rational| over(SMALL, (low, q(1, 64)), (q(1, 1), q(2, 1)));
        assert!(matches!(from(q(1, 256)), Err(Rejection::NoiseOutOfRange { factor }) if factor == q(256, 1)));
        assert!(!matches!(from(q(1, 128)), Err(Rejection::NoiseOutOfRange { .. })));
    }

    #[test]
    fn the_noise_fits_at_the_largest_epsilon() {
        // η/ε ≥ 2·2^-12.
        let to = |high: Rational| over(SMALL, (q(1, 1), high), (q(1, 1), q(1, 1)));
        assert!(matches!(to(q(9, 1)), Err(Rejection::NoiseOutOfRange { factor }) if factor == q(1, 9)));
        assert!(!matches!(to(q(8, 1)), Err(Rejection::NoiseOutOfRange { .. })));
    }

    #[test]
    fn the_finest_grid_fits_at_the_largest_bound() {
        // ε = 4: Λ = 1/4, and 2·33/Λ > 2^8.
        let to = |high: i64| over(SMALL, (q(1, 1), q(4, 1)), (q(1, 1), q(high, 1)));
        assert!(matches!(to(33), Err(Rejection::GridTooFine { .. })));
        assert!(!matches!(to(32), Err(Rejection::GridTooFine { .. })));
    }

    #[test]
    fn the_coarsest_grid_fits() {
        // ε = 2^-7·1.01 has Λ = 2^7; the largest number is below 2^7.
        let reading = Reading::Binary { precision: 8, emin: -100, emax: 14 };
        let from = |low: Rational| over(reading, (low, q(1, 1)), (q(1, 1), q(2, 1)));
        let tiny = power(-15);
        assert!(matches!(from(tiny), Err(Rejection::NoiseOutOfRange { .. } | Rejection::GridTooFine { .. })));
        from(power(-4)).unwrap();
    }

    #[test]
    fn a_cell_has_a_width() {
        // ε·B = 1.9·128: the cuts may be off by more than a cell, and the formulas would give a negative excess.
        let to = |high: i64| over(SMALL, (q(19, 10), q(19, 10) + power(-7)), (q(1, 1), q(high, 1)));
        assert!(matches!(to(128), Err(Rejection::CellTooNarrow { .. })));
        to(2).unwrap();
    }

    #[test]
    fn rounding_epsilon_costs() {
        let found = over(Reading::BINARY64, (q(1, 2), q(2, 1)), (q(1, 1), q(100, 1))).unwrap();
        let offset = Format::BINARY64.unit_roundoff() * q(2, 1);
        assert_eq!(*found.excess(), found.subject().loss().unwrap().excess + offset);
        assert_eq!(*found.epsilon(), q(2, 1) + found.excess());
    }
}

mod the_claim {
    use super::*;

    fn claim(epsilon: Expr, delta: Expr) -> Claim {
        Claim { epsilon, delta, reading: Reading::BINARY64 }
    }

    fn prove(mechanism: &Mechanism, epsilon: Expr, delta: Expr) -> Result<(), Rejection> {
        let machine = Implementation::default();
        threshold(mechanism, &claim(epsilon, delta), machine).map(|theorem| {
            assert_eq!(theorem.mechanism(), mechanism);
        })
    }

    #[test]
    fn is_about_a_format() {
        let over = Claim { reading: Reading::Reals, ..claim(number(2, 1), number(0, 1)) };
        assert_eq!(threshold(&fixed(), &over, Implementation::default()), Err(Rejection::OverTheReals));
    }

    #[test]
    fn the_format_is_of_bounded_size() {
        for (precision, emin, emax) in [
            (1025, -1022, 1023),
            (53, -(1 << 18) - 1, 1023),
            (53, -1022, (1 << 18) + 1),
            (1, -1022, 1023),
            (53, 5, 4),
        ] {
            let found = bound(&fixed(), Reading::Binary { precision, emin, emax }, Implementation::default());
            assert_eq!(found, Err(Rejection::Format { precision, emin, emax }));
        }
        for (precision, emin, emax) in [(113, -16382, 16383), (237, -262142, 262143)] {
            bound(&fixed(), Reading::Binary { precision, emin, emax }, Implementation::default()).unwrap();
        }
    }

    #[test]
    fn is_made_of_parameters() {
        for epsilon in [x(), number(2, 1) + Expr::var("grid"), Expr::of("x", Run::First), Expr::cost()] {
            let found = prove(&fixed(), epsilon.clone(), number(0, 1));
            assert!(matches!(found, Err(Rejection::ClaimNotANumber { part: "epsilon", .. })), "{epsilon}");
        }
        let found = prove(&fixed(), number(2, 1), x());
        assert!(matches!(found, Err(Rejection::ClaimNotANumber { part: "delta", .. })));
        prove(&fixed(), number(2, 1) * eps(), number(0, 1)).unwrap();
    }

    #[test]
    fn is_a_number() {
        for epsilon in [
            number(2, 1) / (eps() - eps()),
            number(2, 1).floor(),
            (eps() - number(2, 1)).ln(),
            number(1 << 30, 1).exp(),
            Expr::Bool(true),
            Expr::Bool(true).choose(number(2, 1), number(2, 1)),
        ] {
            let found = prove(&fixed(), epsilon.clone(), number(0, 1));
            assert!(matches!(found, Err(Rejection::ClaimNotANumber { part: "epsilon", .. })), "{epsilon}");
        }
        for epsilon in
            [number(3, 1).ln(), number(1, 100).exp(), eps().max(number(2, 1)), (-number(2, 1)).abs()]
        {
            prove(&fixed(), epsilon, number(0, 1)).unwrap();
        }
    }

    #[test]
    fn is_of_bounded_size() {
        let long = |parts: usize| (0..parts).fold(number(2, 1), |sum, _| sum + number(0, 1));
        let found = prove(&fixed(), long(300), number(0, 1));
        assert!(matches!(found, Err(Rejection::TooLarge { .. })));
        prove(&fixed(), long(200), number(0, 1)).unwrap();
    }

    #[test]
    fn epsilon_is_enough() {
        let found = look(&fixed()).unwrap();
        let enough = Expr::Number(found.epsilon().clone());
        prove(&fixed(), enough.clone(), number(0, 1)).unwrap();
        let less = enough - Expr::Number(power(-400));
        let less = prove(&fixed(), less, number(0, 1));
        assert!(matches!(less, Err(Rejection::ClaimTooSmall { part: "epsilon", .. })));
        // The claim is about the exact parameter, whatever the format makes of it.
        let tenth = with(&fixed(), &|m| m.assumptions[0] = eps().equals(number(1, 10)));
        let offset = number(1, 100) + number(1_000_000_000_000_000_000, 1) * (eps() - number(1, 10));
        let found = prove(&tenth, offset, number(0, 1));
        assert!(matches!(found, Err(Rejection::ClaimTooSmall { part: "epsilon", .. })));
        prove(&tenth, eps() + number(1, 1_000_000_000_000), number(0, 1)).unwrap();
    }

    #[test]
    fn epsilon_is_enough_for_every_parameter() {
        let excess = || Expr::Number(look(&family()).unwrap().excess().clone());
        let enough = [
            eps() + excess(),
            excess() + eps(),
            number(2, 1) * eps() + excess() - number(1, 2),
            eps() * number(2, 1),
            number(301, 100) - eps() / number(2, 1),
            number(21, 10),
            (number(0, 1) - eps()) + number(5, 1),
            eps() + excess() * b(),
        ];
        for epsilon in enough {
            prove(&family(), epsilon.clone(), number(0, 1)).unwrap_or_else(|no| panic!("{epsilon}: {no}"));
        }
        for epsilon in [
            eps(),
            eps() + excess() - Expr::Number(power(-400)),
            // Enough at one end of the range, or at both, and not between.
            number(2, 1) * eps() + excess() - number(6, 10),
            number(2, 1) + excess() - Expr::Number(power(-400)),
            number(21, 10) - number(1, 2) * eps(),
            eps() + number(1, 1) / eps() - number(1, 2),
            eps() + (eps() - number(1, 2)) * (eps() - number(2, 1)) + number(1, 1_000_000),
            eps() + excess() / b(),
            -eps() + number(21, 10),
        ] {
            let found = prove(&family(), epsilon.clone(), number(0, 1));
            assert!(matches!(found, Err(Rejection::ClaimTooSmall { part: "epsilon", .. })), "{epsilon}");
        }
    }

    #[test]
    fn delta_is_enough() {
        let wide = with(&fixed(), &|m| m.assumptions[1] = b().equals(number(1000, 1)));
        let found = look(&wide).unwrap();
        let epsilon = || Expr::Number(found.epsilon().clone());
        prove(&wide, epsilon(), Expr::Number(found.delta().clone())).unwrap();
        prove(&wide, epsilon(), number(-700, 1).exp()).unwrap();
        for delta in [number(0, 1), number(-1, 1), number(-710, 1).exp()] {
            let less = prove(&wide, epsilon(), delta);
            assert!(matches!(less, Err(Rejection::ClaimTooSmall { part: "delta", .. })));
        }
        let negative = prove(&fixed(), number(2, 1), number(-1, 1));
        assert!(matches!(negative, Err(Rejection::ClaimTooSmall { part: "delta", .. })));
    }

    #[test]
    fn delta_is_enough_for_every_parameter() {
        let wide = with(&family(), &|m| m.assumptions[1] = between(number(1, 1), b(), number(1000, 1)));
        let epsilon = || eps() + number(1, 1000);
        let found = prove(&wide, epsilon(), (number(0, 1) - b()).exp());
        assert!(matches!(found, Err(Rejection::ClaimTooSmall { part: "delta", .. })));
        prove(&wide, epsilon(), (number(-600, 1)).exp() * b()).unwrap();
    }
}
