//! Samples: what is proved of them, and the claims just beside it that are not.

use probity_lang::load_text;
use probity_prove::derivation::{Failure, Reason};
use probity_prove::{Proof, certificate, prove};

/// A noisy count of a sample.
struct Text {
    before: &'static str,
    draw: &'static str,
    after: &'static str,
    neighbours: &'static str,
    claim: &'static str,
}

const COUNT: Text = Text {
    before: "",
    draw: "s ~ sample(people, q)",
    after: "n ~ laplace(count(r in s where r.age >= 18), 1 / eps)\nreturn n",
    neighbours: "one row of people is added or removed",
    claim: "ln(1 + q * (exp(eps) - 1))",
};

fn proved(text: &Text) -> Result<Proof, Failure> {
    let Text { before, draw, after, neighbours, claim } = text;
    let text = format!(
        "mechanism m(people: rows(age: int))\nparam eps > 0\nparam q > 0\nparam delta > 0\nparam k: int >= 1\n\
         where q <= 1 and delta < 1\n{before}\n{draw}\n{after}\nneighbours {neighbours}\nclaim {claim}\n"
    );
    let program = load_text(&text).unwrap_or_else(|faults| panic!("{text}{faults:?}"));
    prove(&program.mechanism, &program.claim, &program.hints.unwrap_or_default())
}

fn claims(claim: &'static str) -> bool {
    proved(&Text { claim, ..COUNT }).is_ok()
}

#[test]
fn a_sample_amplifies() {
    let proof = proved(&COUNT).unwrap();
    assert!(proof.theorem().axioms().contains("AMPLIFY"));
    assert!(proof.theorem().to_string().contains("s ~ sample(people, q)"));
    let file = certificate::write(&proof);
    let theorem = certificate::check(&file).unwrap();
    assert_eq!(theorem.claim(), proof.theorem().claim());
    // However the claim is written; and it is smaller than that of the whole.
    assert!(claims("ln(q * exp(eps) + 1 - q)"));
    assert!(claims("q * (exp(eps) - 1)"));
    assert!(claims("eps"));
}

#[test]
fn noise_is_made_for_a_claim() {
    let after = "n ~ laplace(count(r in s), 1 / ln(1 + (exp(eps) - 1) / q))\nreturn n";
    assert!(proved(&Text { after, claim: "eps", ..COUNT }).is_ok());
    assert!(proved(&Text { after, claim: "q * eps", ..COUNT }).is_err());
}

#[test]
fn claims_below_are_not_proved() {
    assert!(!claims("q * eps"));
    assert!(!claims("ln(1 + q * q * (exp(eps) - 1))"));
    assert!(!claims("ln(1 + q * (exp(eps / 2) - 1))"));
    assert!(!claims("eps / 2"));
}

#[test]
fn numbers_are_enclosed() {
    // ln(1 + (e − 1)/10) = 0.15856…; evidence about exponentials is good to 2^−16.
    let with = |draw, claim| {
        let after = "n ~ laplace(count(r in s), 1)\nreturn n";
        proved(&Text { draw, after, claim, ..COUNT }).is_ok()
    };
    assert!(with("s ~ sample(people, 1/10)", "0.1587"));
    assert!(!with("s ~ sample(people, 1/10)", "0.1585"));
    // All rows, or none.
    assert!(with("s ~ sample(people, 1)", "1"));
    assert!(!with("s ~ sample(people, 1)", "0.99"));
}

#[test]
fn delta_shrinks_too() {
    let after = "n ~ laplace(count(r in s), 1 / eps)\nm = clamp(n, -2, 2)\nreturn m";
    assert!(proved(&Text { after, claim: "ln(1 + q * (exp(eps) - 1)), q * delta", ..COUNT }).is_ok());
    assert!(proved(&Text { after, claim: "ln(1 + q * (exp(eps) - 1)), delta", ..COUNT }).is_ok());
    // A product that is no more than what the row's share gives up; `normal_noise…` has one that is too small.
    assert!(proved(&Text { after, claim: "ln(1 + q * (exp(eps) - 1)), -delta", ..COUNT }).is_err());
}

#[test]
fn other_neighbours_are_refused() {
    let says = |text: &Text| match proved(text).unwrap_err().reason {
        Reason::Rejected(rejection) => rejection.to_string(),
        reason => reason.to_string(),
    };
    for neighbours in ["one row of people is replaced", "at most k rows of people are added or removed"] {
        let said = says(&Text { neighbours, ..COUNT });
        assert!(said.contains("one row added or removed"), "{said}");
        // Not even with all that k rows would cost.
        let claim = "k * 2 * eps";
        assert!(proved(&Text { neighbours, claim, ..COUNT }).is_err());
    }
    // In rho.
    let after = "n ~ gaussian(count(r in s), 1)\nreturn n";
    let said = says(&Text { after, claim: "rho 1/2", ..COUNT });
    assert!(said.contains("not in rho"), "{said}");
}

#[test]
fn the_sample_stays_secret() {
    let with = |before, after| proved(&Text { before, after, ..COUNT }).is_ok();
    assert!(with("", COUNT.after));
    // Its size released, plainly or beside an answer.
    assert!(!with("", "m = count(r in s)\nreturn m"));
    assert!(!with("", "m = count(r in s)\nn ~ laplace(m, 1 / eps)\nreturn (m, n)"));
    // The table seen beside it.
    assert!(!with(
        "",
        "n ~ laplace(count(r in people), 1 / eps)\nm ~ laplace(count(r in s), 1 / eps)\nreturn n + m"
    ));
    assert!(!with("n ~ laplace(count(r in people), 1 / eps)", "m = n + count(r in s)\nreturn m"));
    // A second sample of the same rows, and one in a loop.
    let twice = "t ~ sample(people, q)\nn ~ laplace(count(r in s) + count(r in t), 1 / eps)\nreturn n";
    assert!(!with("", twice));
}

#[test]
fn a_sample_in_a_loop_is_refused_in_words() {
    let text = Text {
        draw: "n = 0",
        after: "for i in 0..3 {\n  s ~ sample(people, q)\n  y ~ laplace(count(r in s), 1 / eps)\n  n = n + y\n}\nreturn n",
        ..COUNT
    };
    let failure = proved(&text).unwrap_err();
    assert!(failure.to_string().contains("outside of loops and branches"), "{failure}");
}

#[test]
fn normal_noise_is_converted_before_the_sample_amplifies() {
    // δ(1) of normal laws half a deviation apart is 0.0069…; with a tenth of the rows a tenth of it.
    let with = |claim| {
        let draw = "s ~ sample(people, 1/10)";
        let after = "n ~ gaussian(count(r in s), 2)\nreturn n";
        let proof = proved(&Text { draw, after, claim, ..COUNT });
        proof.is_ok_and(|proof| certificate::check(&certificate::write(&proof)).is_ok())
    };
    assert!(with("0.1587, 0.0007"));
    assert!(!with("0.1587, 0.0006"));
}
