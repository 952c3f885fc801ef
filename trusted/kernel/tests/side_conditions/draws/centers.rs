//! CENTER: noise that is added later, drawn around the value; and every program of which that is not true.

use probity_kernel::equivalence::Rewrite;

use crate::common::*;

fn center(value: Expr, name: &str) -> Rewrite {
    Rewrite::Center { noise: "z".into(), value, var: name.into() }
}

fn applied(rewrite: &Rewrite, body: Vec<Statement>, output: Expr) -> Option<Vec<Statement>> {
    match rewrite.apply(&mechanism(body, output)) {
        Ok(rewritten) => Some(rewritten.body),
        Err(Rejection::NotEquivalent { .. } | Rejection::NotAnInteger { .. }) => None,
        Err(other) => panic!("{other}"),
    }
}

fn noise() -> Statement {
    draw("z", laplace(int(0), var("free")))
}

fn sum() -> Expr {
    var("x") + var("z")
}

/// z ~ laplace(0, 1); y = value; return y.
fn read_as(value: Expr) -> Option<Vec<Statement>> {
    let body = vec![draw("z", laplace(int(0), int(1))), assign("y", value.clone())];
    applied(&center(value, "y"), body, var("y"))
}

#[test]
fn center_draws_around_the_value() {
    let drawn = |name: &str| draw(name, laplace(var("x") + int(0), var("free")));
    let assigned = applied(&center(sum(), "y"), vec![noise(), assign("y", sum())], var("y"));
    assert_eq!(assigned, Some(vec![drawn("y")]));
    // Where it is not all that is assigned it has a name of its own, and other statements stay before it.
    let before = vec![noise(), assign("w", int(1)), assign("y", sum() * var("w"))];
    let after = vec![assign("w", int(1)), drawn("c"), assign("y", var("c") * var("w"))];
    assert_eq!(applied(&center(sum(), "c"), before.clone(), var("y")), Some(after.clone()));
    let looped = applied(&center(sum(), "c"), vec![count("i", int(2), before)], int(0));
    assert_eq!(looped, Some(vec![count("i", int(2), after)]));
    let asked = vec![noise(), choose(sum().gt(int(0)), vec![], vec![])];
    let after = vec![drawn("c"), choose(var("c").gt(int(0)), vec![], vec![])];
    assert_eq!(applied(&center(sum(), "c"), asked, int(0)), Some(after));
}

#[test]
fn center_stretches_and_turns() {
    let scaled = var("x") - int(2) * -var("z") / var("eps");
    let center = var("x") - int(2) * -int(0) / var("eps");
    let law = laplace(center, int(2) * int(1) / var("eps"));
    assert_eq!(read_as(scaled), Some(vec![draw("y", law)]));
}

#[test]
fn center_is_of_a_draw_that_is_made_once() {
    assert_eq!(applied(&center(sum(), "y"), vec![noise(), noise(), assign("y", sum())], var("y")), None);
    assert!(applied(&center(sum(), "y"), vec![noise(), assign("y", sum())], var("y")).is_some());
}

#[test]
fn center_is_of_a_draw() {
    assert_eq!(applied(&center(sum(), "y"), vec![assign("z", int(1)), assign("y", sum())], var("y")), None);
}

#[test]
fn center_is_of_noise_with_a_center() {
    for other in [Distribution::Exponential { scale: int(1) }, Distribution::Uniform, Distribution::Sign] {
        assert_eq!(applied(&center(sum(), "y"), vec![draw("z", other), assign("y", sum())], var("y")), None);
    }
    let normal = Distribution::Gaussian { center: int(3), deviation: var("eps") };
    let moved = Distribution::Gaussian { center: var("x") + int(3), deviation: var("eps") };
    let whole = applied(&center(sum(), "y"), vec![draw("z", normal), assign("y", sum())], var("y"));
    assert_eq!(whole, Some(vec![draw("y", moved)]));
}

/// One z for all rows of the sum, whatever stands beside it.
#[test]
fn center_is_not_of_a_row() {
    let with = |value: Expr| {
        let total = Expr::sum(Variable::Plain("t".into()), yes(), value.clone());
        let mut whole = mechanism(vec![noise(), assign("y", total)], var("y"));
        let fields = vec![Field { name: "f".into(), sort: Sort::Real }];
        whole.inputs.push(Input { name: "t".into(), sort: Sort::Rows(fields) });
        center(value, "c").apply(&whole)
    };
    assert!(matches!(with(Expr::field("t", "f") + var("z")), Err(Rejection::NotEquivalent { .. })));
    assert!(with(sum()).is_ok());
}

#[test]
fn center_is_of_noise_that_is_moved_and_stretched() {
    let z = || var("z");
    let wrong = [
        z() * z(),
        z() + z(),
        z() - z(),
        z().abs(),
        z().max(int(0)),
        int(1) / z(),
        z() * var("x"),
        var("x") * z(),
        z() / var("free"),
        z() * int(0),
        z() * int(-1),
        z() / (var("eps") - int(1)),
        var("b").choose(z(), int(0)),
    ];
    for value in wrong {
        assert_eq!(read_as(value.clone()), None, "{value}");
    }
    for value in [z() * var("eps"), var("N") * z(), z() / (var("eps") + int(1)), -z() + var("x") * var("x")] {
        assert!(read_as(value.clone()).is_some(), "{value}");
    }
}

fn on_integers(value: Expr) -> Option<Vec<Statement>> {
    let law = Distribution::DiscreteLaplace { center: var("n"), scale: int(2) };
    applied(&center(value.clone(), "y"), vec![draw("z", law), assign("y", value)], var("y"))
}

/// Twice an integer is even.
#[test]
fn center_stretches_no_integers() {
    assert_eq!(on_integers(int(2) * var("z")), None);
    let law = Distribution::DiscreteLaplace { center: int(1) - var("n"), scale: int(2) };
    assert_eq!(on_integers(int(1) - var("z")), Some(vec![draw("y", law)]));
}

#[test]
fn center_moves_integers_by_integers() {
    assert_eq!(on_integers(sum()), None);
    assert!(on_integers(var("n") + var("z")).is_some());
}

#[test]
fn center_is_read_after_the_draw_in_its_block() {
    let read = || assign("y", sum());
    let early = vec![assign("y", int(0)), count("i", int(2), vec![read(), noise()])];
    assert_eq!(applied(&center(sum(), "y"), early, var("y")), None);
    let branch = vec![assign("y", int(0)), noise(), choose(var("b"), vec![read()], vec![])];
    assert_eq!(applied(&center(sum(), "y"), branch, var("y")), None);
    // One draw for all rounds, and one for each time that the guard is asked.
    let rounds = vec![assign("y", int(0)), noise(), count("i", int(2), vec![read()])];
    assert_eq!(applied(&center(sum(), "y"), rounds, var("y")), None);
    let guard = sum().gt(int(0));
    let asked = vec![noise(), Statement::While { label: "w".into(), guard, body: vec![] }];
    assert_eq!(applied(&center(sum(), "c"), asked, int(0)), None);
}

#[test]
fn center_is_of_a_law_that_stays() {
    let body =
        |name: &str, law| vec![assign("w", int(1)), draw("z", law), assign(name, int(2)), assign("y", sum())];
    for law in [laplace(var("w"), int(1)), laplace(int(0), var("w"))] {
        assert_eq!(applied(&center(sum(), "y"), body("w", law.clone()), var("y")), None);
        assert!(applied(&center(sum(), "y"), body("v", law), var("y")).is_some());
    }
}

#[test]
fn center_needs_a_new_name() {
    let body = || vec![assign("w", int(1)), noise(), assign("y", sum() * int(2)), assign("y", var("w"))];
    assert_eq!(applied(&center(sum(), "w"), body(), var("y")), None);
    assert!(applied(&center(sum(), "c"), body(), var("y")).is_some());
    // The name is that of the assignment, and the value is not all that is assigned.
    assert_eq!(applied(&center(sum(), "y"), body(), var("y")), None);
}

#[test]
fn center_is_of_noise_that_nothing_else_reads() {
    let read = || assign("y", sum());
    assert_eq!(applied(&center(sum(), "y"), vec![noise(), read()], var("y") - var("z")), None);
    assert_eq!(applied(&center(sum(), "y"), vec![noise(), read(), assign("w", var("z"))], var("y")), None);
    assert_eq!(applied(&center(sum(), "y"), vec![noise(), assign("w", var("z")), read()], var("y")), None);
    let twice = vec![noise(), assign("y", sum() * var("z"))];
    assert_eq!(applied(&center(sum(), "c"), twice, var("y")), None);
    let same = vec![noise(), assign("y", sum() * sum())];
    assert!(applied(&center(sum(), "c"), same, var("y")).is_some());
}

#[test]
fn center_is_of_what_mentions_the_noise() {
    let body = vec![noise(), assign("y", var("x"))];
    assert_eq!(applied(&center(var("x"), "y"), body, var("y")), None);
    let stretched = Some(vec![draw("y", laplace(int(0) * int(2), int(1) * int(2)))]);
    assert_eq!(read_as(var("z") * int(2)), stretched);
}

/// The law is that of the noise, whatever else is drawn, in whatever block.
#[test]
fn center_finds_the_draw() {
    let before = draw("v", laplace(int(7), int(7)));
    let body = vec![before.clone(), noise(), assign("y", sum())];
    let drawn = vec![before, draw("y", laplace(var("x") + int(0), var("free")))];
    assert_eq!(applied(&center(sum(), "y"), body.clone(), var("y")), Some(drawn.clone()));
    let whiles = |body| Statement::While { label: "l".into(), guard: var("b"), body };
    let blocks: [fn(Vec<Statement>) -> Statement; 2] =
        [|body| choose(var("b"), body, vec![]), |body| choose(var("b"), vec![], body)];
    for block in blocks {
        let whole = applied(&center(sum(), "y"), vec![block(body.clone())], int(0));
        assert_eq!(whole, Some(vec![block(drawn.clone())]));
    }
    let whole = applied(&center(sum(), "y"), vec![whiles(body)], int(0));
    assert_eq!(whole, Some(vec![whiles(drawn)]));
}

#[test]
fn center_keeps_the_kind_of_noise() {
    let sum = || var("n") + var("z");
    let law = |center: Expr| Distribution::DiscreteGaussian { center, deviation: int(1) };
    let body = vec![draw("z", law(int(0))), assign("y", sum())];
    assert_eq!(applied(&center(sum(), "y"), body, var("y")), Some(vec![draw("y", law(var("n") + int(0)))]));
}
