//! Claims in ρ and μ: what is proved without hints, and what must not be.

use probity_prove::certificate::{check_for, write};
use probity_prove::derivation::Failure;
use probity_prove::{Proof, prove};

fn attempt(text: &str) -> Result<Proof, Failure> {
    let program = probity_lang::load_text(text).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
    let proof = prove(&program.mechanism, &program.claim, &program.hints.unwrap_or_default())?;
    check_for(&write(&proof), &program.mechanism, &program.claim).unwrap();
    Ok(proof)
}

fn scalar(law: &str, claim: &str) -> String {
    let kind = if law.starts_with("discrete") { "int" } else { "real" };
    format!(
        "mechanism m(x: {kind})\nparam s > 0\ny ~ {law}(x, s)\nreturn y\nneighbours abs(x' - x) <= 1\nclaim {claim}\n"
    )
}

#[test]
fn each_law_in_its_measure() {
    for law in ["gaussian", "discrete_gaussian", "laplace", "discrete_laplace"] {
        let whole = scalar(law, "rho 1 / (2 * s * s)");
        assert!(attempt(&whole).is_ok(), "{law}: {:?}", attempt(&whole).err());
        assert!(attempt(&scalar(law, "rho 1 / (3 * s * s)")).is_err(), "{law}");
    }
    let theorem = attempt(&scalar("gaussian", "mu 1 / s")).unwrap();
    assert!(theorem.theorem().axioms().contains("GAUSS"));
    assert!(theorem.theorem().to_string().contains("is Gaussian differentially private with mu = 1 / s"));
    // Only continuous normal noise leads to μ, and normal noise has no ε.
    for law in ["discrete_gaussian", "laplace", "discrete_laplace"] {
        assert!(attempt(&scalar(law, "mu 1 / s")).is_err(), "{law}");
    }
    assert!(attempt(&scalar("gaussian", "mu 1 / (2 * s)")).is_err());
    assert!(attempt(&scalar("gaussian", "1 / s")).is_err());
    // A one-sided law has no bounded loss in both directions, and draws of its own cost nothing.
    let one_sided = "mechanism m(x: real)\nparam s > 0\ne ~ exponential(s)\nreturn x + e\nneighbours abs(x' - x) <= 1\nclaim rho 1 / (2 * s * s)\n";
    assert!(attempt(one_sided).is_err());
    let of_its_own = "mechanism m(x: real)\nparam s > 0\ne ~ exponential(s)\ny ~ gaussian(x, s)\nreturn y + e\nneighbours abs(x' - x) <= 1\nclaim rho 1 / (2 * s * s)\n";
    assert!(attempt(of_its_own).is_ok());
    // A loop that may not end.
    let endless = "mechanism m(x: real)\nparam s > 0\nb = true\nwhile b {\n  b ~ bernoulli(1/2)\n}\ny ~ gaussian(x, s)\nreturn y\nneighbours abs(x' - x) <= 1\nclaim rho 1 / (2 * s * s)\n";
    let why = attempt(endless).unwrap_err().to_string();
    assert!(why.contains("a loop that may not end, as 'while b'"), "{why}");
}

#[test]
fn rows_and_lists_in_rho() {
    let histogram = |neighbours: &str, claim: &str| {
        format!(
            "mechanism m(people: rows(key: category(n)))\nparam n: int >= 1\nparam k: int >= 1\nparam s > 0\nout = []\nfor g in 0..n {{\n  y ~ gaussian(count(r in people where r.key == g), s)\n  append(out, y)\n}}\nreturn out\nneighbours {neighbours}\nclaim {claim}\n"
        )
    };
    let (one, replaced) = ("one row of people is added or removed", "one row of people is replaced");
    let several = "at most k rows of people are added or removed";
    for (neighbours, right, wrong) in [
        (one, "rho 1 / (2 * s * s)", "rho 1 / (3 * s * s)"),
        (one, "mu 1 / s", "mu 1 / (2 * s)"),
        (replaced, "rho 1 / (s * s)", "rho 1 / (2 * s * s)"),
        (several, "rho k * k / (2 * s * s)", "rho k / (2 * s * s)"),
        (several, "mu k / s", "mu 1 / s"),
    ] {
        let proved = attempt(&histogram(neighbours, right));
        assert!(proved.is_ok(), "{neighbours}, {right}: {:?}", proved.err());
        assert!(attempt(&histogram(neighbours, wrong)).is_err(), "{neighbours}, {wrong}");
    }
    let list = "mechanism m(q: real[])\nparam s > 0\nout = []\nfor i in 0..length(q) {\n  y ~ gaussian(q[i], s)\n  append(out, y)\n}\nreturn out\nneighbours one entry of q differs by at most 1\nclaim rho 1 / (2 * s * s)\n";
    assert!(attempt(list).is_ok(), "{:?}", attempt(list).err());
}

#[test]
fn rho_and_mu_stay_names() {
    for (claim, shown) in [
        ("rho", "epsilon = rho"),
        ("rho - mu", "epsilon = rho - mu"),
        ("rho, mu", "epsilon = rho, delta = mu"),
        ("rho rho", "rho = rho"),
        ("mu (rho + mu)", "mu = rho + mu"),
    ] {
        let text = format!(
            "mechanism m(x: real)\nparam rho > 0\nparam mu > 0\ny ~ laplace(x, rho + mu)\nreturn y\nneighbours abs(x' - x) <= 1\nclaim {claim}\n"
        );
        let program = probity_lang::load_text(&text).unwrap();
        assert!(program.claim.to_string().starts_with(shown), "{}", program.claim);
    }
}

/// A body about one bit, with a claim.
fn bit(body: &str, claim: &str) -> String {
    format!("mechanism m(b: bool)\nparam e > 0\n{body}\nneighbours b' != b\nclaim {claim}\n")
}

#[test]
fn finite_laws_count_in_rho_if_their_loss_is_bounded_in_both_directions() {
    let coin = "c ~ bernoulli(if b then exp(e) / (1 + exp(e)) else 1 / (1 + exp(e)))\nreturn c";
    let proof = attempt(&bit(coin, "rho e * e / 2")).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(proof.theorem().axioms().contains("BOUNDED-RATIO"));
    assert!(attempt(&bit(coin, "rho e * e / 3")).is_err());
    // A number, and a logarithm.
    let third = "c ~ bernoulli(if b then 3/4 else 1/4)\nreturn c";
    for (claim, holds) in [("rho ln(3) * ln(3) / 2", true), ("rho 0.61", true), ("rho 0.6", false)] {
        let found = attempt(&bit(third, claim));
        assert_eq!(found.is_ok(), holds, "{claim}: {:?}", found.err().map(|failure| failure.to_string()));
    }
    // In one direction only, and not at all.
    let sure = "c ~ bernoulli(if b then 1 else exp(-e))\nreturn c";
    assert!(attempt(&bit(sure, "rho 9 * e * e")).is_err());
    // No claim in μ rests on it.
    assert!(attempt(&bit(coin, "mu 9 * e")).is_err());
}

#[test]
fn a_draw_that_a_measure_does_not_cover_is_named() {
    let said = |body: &str, claim: &str| {
        let text = format!(
            "mechanism m(x: real)\nparam s > 0\nwhere 1 <= x <= 2\n{body}\nreturn y\nneighbours abs(x' - x) <= 1\nclaim {claim}\n"
        );
        attempt(&text).err().unwrap().to_string()
    };
    for (body, claim, draw, why) in [
        ("y ~ laplace(x, s)", "mu 9 / s", "y ~ laplace(x, s)", "only continuous normal noise"),
        ("y ~ gaussian(x, x)", "mu 9", "y ~ gaussian(x, x)", "one number in both runs"),
        ("y ~ gaussian(x, x)", "rho 9", "y ~ gaussian(x, x)", "one number in both runs"),
        ("w = x + s\ny ~ gaussian(x, w)", "rho 9", "y ~ gaussian(x, w)", "one number in both runs"),
        ("z ~ exponential(s)\ny = x + z", "rho 9", "z ~ exponential(s)", "bounded in both directions"),
        ("y ~ gaussian(x, s)", "9 / s", "y ~ gaussian(x, s)", "claim rho, or mu"),
    ] {
        let said = said(body, claim);
        assert!(said.contains(draw) && said.contains(why), "{body}, {claim}: {said}");
    }
}
