//! Mechanisms that make no sense are refused before anything is proved of them.

use probity_kernel::context::{Context, Orientation};
use probity_kernel::expr::{Expr, Run, Variable};
use probity_kernel::rejection::Rejection;
use probity_kernel::term::{Distribution, Input, Mechanism, Param, Sort, Statement};

/// y ~ laplace(x, 1 / eps); return y, under the given assumption.
fn laplace(assumption: Expr) -> Mechanism {
    let law = Distribution::Laplace { center: Expr::var("x"), scale: Expr::int(1) / Expr::var("eps") };
    Mechanism {
        name: "laplace".into(),
        inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
        params: vec![Param { name: "eps".into(), sort: Sort::Real }],
        assumptions: vec![Expr::var("eps").gt(Expr::int(0)), assumption],
        body: vec![Statement::Draw { var: "y".into(), law }],
        output: Expr::var("y"),
        adjacency: vec![],
    }
}

fn reason(mechanism: &Mechanism) -> Option<String> {
    match Context::new(mechanism, Orientation::Forward) {
        Err(Rejection::Malformed { reason }) => Some(reason),
        Err(other) => panic!("{other}"),
        Ok(_) => None,
    }
}

#[test]
fn assumptions_are_about_parameters_and_inputs() {
    assert_eq!(reason(&laplace(Expr::var("x").ge(Expr::int(0)))), None);
    // Facts about a variable that the program sets would be believed after every draw of it.
    let drawn = reason(&laplace(Expr::var("y").equals(Expr::int(0)))).unwrap();
    assert!(drawn.contains("y, which is no parameter or input"), "{drawn}");
    let unknown = reason(&laplace(Expr::var("z").equals(Expr::int(0)))).unwrap();
    assert!(unknown.contains("z, which is no parameter or input"), "{unknown}");
}

#[test]
fn names_have_one_role_and_are_set_before_use() {
    let fine = laplace(Expr::Bool(true));
    let mut twice = fine.clone();
    twice.params.push(Param { name: "x".into(), sort: Sort::Real });
    assert!(reason(&twice).unwrap().contains("declared twice"));
    let mut never = fine.clone();
    never.output = Expr::var("w");
    assert!(reason(&never).unwrap().contains("never set"));
    let mut assigned = fine;
    assigned.body.push(Statement::Assign { var: "x".into(), value: Expr::int(0) });
    assert!(reason(&assigned).unwrap().contains("assigned"));
}

/// What the limits of size count, and that both lists of `apart` are seen.
#[test]
fn expressions_are_measured() {
    let sum = Expr::var("a") + Expr::int(1) * Expr::var("b");
    assert_eq!((sum.size(), sum.depth()), (5, 3));
    assert!(sum.is_within(5) && !sum.is_within(4));
    assert_eq!((Expr::int(1).size(), Expr::int(1).depth()), (1, 1));
    let apart = Expr::apart("l", Expr::int(0), Expr::int(1));
    for run in [Run::First, Run::Second] {
        assert!(apart.mentions(&Variable::Of("l".into(), run)));
    }
    assert!(!apart.mentions(&Variable::Plain("l".into())));
}
