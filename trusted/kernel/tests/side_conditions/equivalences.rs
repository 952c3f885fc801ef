//! Program equivalences: each refuses a program of which it is not true.

use probity_kernel::equivalence::Rewrite;

use crate::common::*;

fn refuses(rewrite: &Rewrite, body: Vec<Statement>, output: Expr) -> bool {
    matches!(rewrite.apply(&mechanism(body, output)), Err(Rejection::NotEquivalent { .. }))
}

fn uniform() -> Statement {
    draw("u", Distribution::Uniform)
}
fn sign() -> Statement {
    draw("s", Distribution::Sign)
}
fn noise() -> Expr {
    var("s") * var("u").ln()
}
fn laplace_law() -> Rewrite {
    Rewrite::LaplaceLaw { uniform: "u".into(), sign: "s".into(), noise: "z".into() }
}

fn applies(rewrite: &Rewrite, body: Vec<Statement>, output: Expr) -> bool {
    rewrite.apply(&mechanism(body, output)).is_ok()
}

#[test]
fn laplace_law_is_of_a_uniform() {
    let other = draw("u", Distribution::Exponential { scale: int(1) });
    assert!(refuses(&laplace_law(), vec![other, sign()], noise()));
    assert!(applies(&laplace_law(), vec![uniform(), sign()], noise()));
}

#[test]
fn laplace_law_is_of_a_sign() {
    let other = draw("s", Distribution::UniformInt { low: int(-1), high: int(1) });
    assert!(refuses(&laplace_law(), vec![uniform(), other], noise()));
    assert!(applies(&laplace_law(), vec![uniform(), sign()], noise()));
}

#[test]
fn laws_need_a_new_name() {
    assert!(refuses(&laplace_law(), vec![uniform(), sign(), assign("z", int(1))], noise()));
    assert!(applies(&laplace_law(), vec![uniform(), sign(), assign("w", int(1))], noise()));
}

#[test]
fn laws_need_draws_before_uses() {
    assert!(refuses(&laplace_law(), vec![uniform(), assign("w", noise()), sign()], var("w")));
    assert!(applies(&laplace_law(), vec![uniform(), sign(), assign("w", noise())], var("w")));
}

#[test]
fn laws_need_both_draws_to_go() {
    assert!(refuses(&laplace_law(), vec![uniform(), sign(), assign("w", noise() + var("u"))], var("w")));
    assert!(refuses(&laplace_law(), vec![uniform(), sign(), assign("w", noise())], var("w") + var("s")));
    assert!(applies(&laplace_law(), vec![uniform(), sign(), assign("w", noise())], var("w")));
}

#[test]
fn laws_need_two_draws() {
    let one = Rewrite::LaplaceLaw { uniform: "u".into(), sign: "u".into(), noise: "z".into() };
    assert!(refuses(&one, vec![uniform()], int(0)));
}

#[test]
fn draws_are_set_once() {
    assert!(refuses(&laplace_law(), vec![uniform(), sign(), sign()], noise()));
    let looped = count("i", int(2), vec![sign()]);
    assert!(refuses(&laplace_law(), vec![uniform(), sign(), looped], noise()));
    assert!(refuses(&laplace_law(), vec![uniform(), sign(), choose(yes(), vec![], vec![sign()])], noise()));
    assert!(applies(&laplace_law(), vec![uniform(), sign()], noise()));
}

fn response_law() -> Rewrite {
    Rewrite::ResponseLaw { keep: "k".into(), other: "o".into(), response: "r".into() }
}
fn answers(p: Expr, value: Expr) -> (Vec<Statement>, Expr) {
    let others = Distribution::UniformOther { value: value.clone(), count: int(3) };
    (vec![flip("k", p), draw("o", others)], var("k").choose(value, var("o")))
}

#[test]
fn response_law_is_of_a_coin() {
    let (mut body, output) = answers(number(1, 2), var("n"));
    assert!(applies(&response_law(), body.clone(), output.clone()));
    body[0] = assign("k", yes());
    assert!(refuses(&response_law(), body, output));
}

#[test]
fn response_law_is_of_the_others() {
    let (mut body, output) = answers(number(1, 2), var("n"));
    body[1] = draw("o", Distribution::UniformInt { low: int(0), high: int(2) });
    assert!(refuses(&response_law(), body, output));
}

/// Between the draws and the answer the true value changes: the answer is no randomized response.
#[test]
fn response_law_is_of_fixed_values() {
    let (mut body, output) = answers(number(1, 2), var("v"));
    body.insert(0, assign("v", var("n")));
    body.push(assign("v", int(0)));
    assert!(refuses(&response_law(), body, output));
    let (body, output) = answers(number(1, 2), var("n"));
    assert!(applies(&response_law(), body, output));
}

fn inline() -> Rewrite {
    Rewrite::Inline { var: "y".into() }
}

#[test]
fn inline_is_of_an_assignment() {
    assert!(refuses(&inline(), vec![draw("y", Distribution::Sign)], var("y")));
    assert!(applies(&inline(), vec![assign("y", int(1))], var("y")));
}

#[test]
fn inline_is_of_a_value() {
    assert!(refuses(&inline(), vec![assign("y", Expr::EmptyList)], int(0)));
    assert!(refuses(&inline(), vec![assign("y", var("y") + int(1))], var("y")));
    assert!(applies(&inline(), vec![assign("y", int(1))], var("y")));
}

#[test]
fn inline_is_before_its_uses() {
    assert!(refuses(&inline(), vec![assign("z", var("y")), assign("y", int(1))], var("z")));
    assert!(applies(&inline(), vec![assign("y", int(1)), assign("z", var("y"))], var("z")));
}

#[test]
fn inline_is_of_what_stays() {
    let body = |later: &str| vec![assign("z", int(0)), assign("y", var("z")), assign(later, int(1))];
    assert!(refuses(&inline(), body("z"), var("y")));
    assert!(applies(&inline(), body("w"), var("y")));
}

#[test]
fn conditionals_set_one_variable() {
    let rewrite = Rewrite::Conditional { var: "y".into() };
    let both = |a: Statement, b: Statement| vec![assign("w", int(0)), choose(var("b"), vec![a], vec![b])];
    assert!(refuses(&rewrite, both(assign("y", int(1)), assign("w", int(2))), var("w")));
    assert!(refuses(&rewrite, both(assign("w", int(1)), assign("y", int(2))), var("w")));
    assert!(applies(&rewrite, both(assign("y", int(1)), assign("y", int(2))), var("y")));
}

#[test]
fn conditionals_start_no_list() {
    let rewrite = Rewrite::Conditional { var: "y".into() };
    let both = |a: Expr| vec![choose(var("b"), vec![assign("y", a.clone())], vec![assign("y", a)])];
    assert!(refuses(&rewrite, both(Expr::EmptyList), int(0)));
    assert!(applies(&rewrite, both(int(1)), int(0)));
}

#[test]
fn names_are_for_expressions() {
    let rewrite = Rewrite::Name { var: "r".into() };
    assert!(refuses(&rewrite, vec![], var("x")));
    assert!(applies(&rewrite, vec![], var("x") + int(1)));
}
