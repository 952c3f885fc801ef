//! Noise that is the inverse of its distribution function at a uniform draw: what is another function of it is refused.

use probity_kernel::equivalence::Rewrite;

use crate::common::*;

fn uniform() -> Statement {
    draw("u", Distribution::Uniform)
}
fn u() -> Expr {
    var("u")
}
fn z() -> Expr {
    var("z")
}
fn inverse(value: &Expr, with: &Expr) -> Rewrite {
    Rewrite::InverseLaw {
        uniform: "u".into(),
        value: value.clone(),
        with: with.clone(),
        noise: "z".into(),
        less: "w".into(),
    }
}
fn rewritten(
    body: Vec<Statement>,
    output: &Expr,
    value: &Expr,
    with: &Expr,
) -> Result<(Vec<Statement>, Expr), Rejection> {
    let Mechanism { body, output, .. } = inverse(value, with).apply(&mechanism(body, output.clone()))?;
    Ok((body, output))
}
fn refuses(body: Vec<Statement>, output: &Expr, value: &Expr, with: &Expr) -> bool {
    matches!(rewritten(body, output, value, with), Err(Rejection::NotEquivalent { .. }))
}
/// Whether a text that returns the value is refused.
fn is_no(value: Expr, with: Expr) -> bool {
    refuses(vec![uniform()], &value, &value, &with)
}
/// The inverse of the distribution function of Laplace noise.
fn two_sided() -> Expr {
    u().lt(number(1, 2)).choose((int(2) * u()).ln(), -(int(2) * (int(1) - u())).ln())
}
fn logit() -> Expr {
    (u() / (int(1) - u())).ln()
}
fn difference() -> Expr {
    z() - var("w")
}
fn gumbel(name: &str) -> Statement {
    draw(name, Distribution::Gumbel { center: int(0), scale: int(1) })
}

#[test]
fn inverse_law_is_laplace_noise() {
    let standard = || draw("z", laplace(int(0), int(1)));
    let minus = u() - number(1, 2);
    let signed = minus.clone().lt(int(0)).choose(int(-1), int(1)) * (int(1) - int(2) * minus.abs()).ln();
    let around = u().ge(number(1, 2)).choose(
        var("x") - var("eps") * (int(2) - int(2) * u()).ln(),
        var("x") + var("eps") * (int(2) * u()).ln(),
    );
    for (value, with) in [
        (two_sided(), z()),
        (two_sided() / var("eps"), z() / var("eps")),
        (signed, -z()),
        (around, var("x") + z() * var("eps")),
    ] {
        let found = rewritten(vec![uniform()], &(var("x") + value.clone()), &value, &with).unwrap();
        assert_eq!(found, (vec![standard()], var("x") + with));
    }
    // In whatever block, by what stands behind the draw there.
    let inside = |draw: Statement, value: Expr| vec![count("i", int(2), vec![draw, append("l", value)])];
    let found = rewritten(inside(uniform(), two_sided()), &var("l"), &two_sided(), &z()).unwrap();
    assert_eq!(found.0, inside(standard(), z()));
}

#[test]
fn inverse_law_is_logistic_noise() {
    let one = || int(1);
    for value in
        [logit(), u().ln() - (one() - u()).ln(), -((one() - u()) / u()).ln(), -(one() / u() - one()).ln()]
    {
        let found = rewritten(vec![uniform()], &(var("x") - value.clone()), &value, &difference()).unwrap();
        assert_eq!(found, (vec![gumbel("z"), gumbel("w")], var("x") - difference()));
    }
    let stretched = rewritten(vec![uniform()], &(logit() / var("eps")), &logit(), &difference()).unwrap();
    assert_eq!(stretched.1, difference() / var("eps"));
}

#[test]
fn inverse_law_is_of_an_inverse() {
    let half = || number(1, 2);
    let by_halves = |guard: Expr, low: Expr, high: Expr| guard.choose(low, high);
    let (low, high) = (|| (int(2) * u()).ln(), || -(int(2) - int(2) * u()).ln());
    assert!(!is_no(by_halves(u().lt(half()), low(), high()), z()));
    for wrong in [
        // Another half, another scale, one side only, and the sides exchanged.
        by_halves(u().lt(number(1, 3)), low(), high()),
        by_halves(u().lt(half()), low(), int(2) * high()),
        by_halves(u().lt(half()), low(), -high()),
        by_halves(u().lt(half()), low(), low()),
        by_halves(u().gt(half()), low(), high()),
        by_halves(u().equals(half()), low(), high()),
        by_halves(u().lt(var("x")), low(), high()),
        by_halves((u() * u()).lt(half()), low(), high()),
        (u() - number(1, 3)).abs().ln(),
        // What one half does not decide is no answer.
        by_halves(u().ge(number(1, 3)), two_sided(), int(0)),
        by_halves(u().lt(number(1, 3)), int(0), two_sided()),
    ] {
        assert!(is_no(wrong.clone(), z()), "{wrong}");
        assert!(is_no(wrong, -z()));
    }
    // With the other sign of what is multiplied.
    assert!(is_no(two_sided() * var("x"), z() / var("x")));
    for wrong in [
        (u() / (int(2) - u())).ln(),
        (u() / (int(1) + u())).ln(),
        u().ln() + (int(1) - u()).ln(),
        u() / (int(1) - u()),
        int(2) * logit(),
    ] {
        assert!(is_no(wrong.clone(), difference()), "{wrong}");
    }
    assert!(!is_no(int(2) * logit(), int(2) * difference()));
    // The two Gumbel draws are read in their difference only.
    assert!(is_no(logit(), z() + var("w")));
    assert!(is_no(logit(), difference() + z() - z()));
    assert!(is_no(logit(), difference() + var("w") - var("w")));
    assert!(is_no(two_sided(), z() + var("w") - var("w")));
    // What else it is made of is in the text.
    assert!(is_no(two_sided(), z() + var("N") - var("N")));
}

#[test]
fn inverse_law_is_of_a_uniform_draw_that_is_made_once() {
    let value = two_sided();
    assert!(!refuses(vec![uniform()], &value, &value, &z()));
    assert!(refuses(vec![uniform(), uniform()], &value, &value, &z()));
    assert!(refuses(vec![uniform(), assign("u", int(1))], &value, &value, &z()));
    assert!(refuses(vec![assign("u", number(1, 3))], &value, &value, &z()));
    assert!(refuses(vec![draw("u", laplace(int(0), int(1)))], &value, &value, &z()));
}

#[test]
fn inverse_law_is_of_a_draw_that_nothing_else_reads() {
    let value = two_sided();
    assert!(refuses(vec![uniform()], &(value.clone() + u()), &value, &z()));
    assert!(refuses(vec![uniform(), assign("y", u())], &value, &value, &z()));
    // Before the draw, and behind the block of the draw, the noise is none yet.
    assert!(refuses(vec![assign("y", value.clone()), uniform()], &value, &value, &z()));
    let branch = choose(var("b"), vec![uniform()], vec![]);
    assert!(refuses(vec![branch], &value, &value, &z()));
}

#[test]
fn inverse_law_needs_new_names() {
    let value = two_sided();
    assert!(refuses(vec![uniform(), assign("z", int(1))], &value, &value, &z()));
    assert!(refuses(vec![uniform(), assign("w", int(1))], &logit(), &logit(), &difference()));
    let one_name = Rewrite::InverseLaw {
        uniform: "u".into(),
        value: logit(),
        with: z() - z(),
        noise: "z".into(),
        less: "z".into(),
    };
    let text = mechanism(vec![uniform()], logit());
    assert!(matches!(one_name.apply(&text), Err(Rejection::NotEquivalent { .. })));
}
