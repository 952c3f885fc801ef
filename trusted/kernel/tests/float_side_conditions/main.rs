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

mod families;
mod parameters;
mod the_claim;
mod the_input;
mod the_mechanism;
mod the_numbers;
mod the_output;
mod the_sum;

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
