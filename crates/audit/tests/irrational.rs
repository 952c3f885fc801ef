//! Mechanisms that release irrational numbers: one of few values each, none of which has a fraction for a name.

use std::time::Instant;

use probity_audit::{Deadline, Parameters, Verdict, search_refutation_until};

/// One bit for a number in [-1, 1], released as plus or minus a constant.
fn one_bit(constant: &str) -> Verdict {
    let text = format!(
        "mechanism one_bit(x: real in [-1, 1])\nparam eps > 0\nlet c = {constant} / (exp(eps) - 1)\nb ~ bernoulli(1 / 2 + x / (2 * c))\n\
         y = if b then c else -c\nreturn y\nneighbours any\nclaim eps\n"
    );
    let program = probity_lang::load_text(&text).unwrap();
    let further = Deadline::at(Some(Instant::now()));
    let (mechanism, claim) = (&program.mechanism, &program.claim);
    search_refutation_until(mechanism, claim, &Parameters::new(), &Deadline::default(), &further).unwrap()
}

#[test]
fn a_constant_that_is_too_small_is_refuted() {
    assert!(matches!(one_bit("exp(eps)"), Verdict::Refuted(_)));
}

#[test]
fn the_right_constant_is_not() {
    assert!(!matches!(one_bit("(exp(eps) + 1)"), Verdict::Refuted(_)));
}
