//! Several rows where mass is given up: what is proved, and the claims just beside it that are not.

use probity_lang::{Setting, load_text};
use probity_prove::derivation::Failure;
use probity_prove::{Proof, certificate, prove};

/// The keys that some row has, with noisy counts.
const KEYS: &str = "out = []\nfor g in 0..m {\nc = count(r in people where r.key == g)\nif c > 0 {\n\
                    n ~ laplace(c, 1 / eps)\nif n > 1 + ln(1 / (2 * delta)) / eps {\nappend(out, g)\nappend(out, n)\n}\n}\n}\nreturn out";
/// A count that is released where it is large.
const LARGE: &str = "c = count(r in people)\nout = 0\nif c > 0 {\nn ~ laplace(c, 1 / eps)\n\
                     if n > 1 + ln(1 / (2 * delta)) / eps {\nout = n\n}\n}\nreturn out";

fn attempt(body: &str, most: &str, claim: &str, set: &[&str]) -> Result<Proof, Failure> {
    let text = format!(
        "mechanism m(people: rows(key: category(m), age: int))\nparam m: int >= 1\nparam k: int >= 1\nparam eps > 0\nparam delta > 0\n\
         where delta < 1/2\n{body}\nneighbours at most {most} rows of people are added or removed\nclaim {claim}\n"
    );
    let program = load_text(&text).unwrap_or_else(|faults| panic!("{text}{faults:?}"));
    let set: Vec<Setting> = set.iter().map(|setting| setting.parse().unwrap()).collect();
    let program = program.with(&set).unwrap();
    prove(&program.mechanism, &program.claim, &program.hints.unwrap_or_default())
}

fn is_proved(body: &str, most: &str, claim: &str) -> bool {
    attempt(body, most, claim, &[]).is_ok()
}

#[test]
fn several_rows_cost_a_geometric_sum_of_deltas() {
    for body in [KEYS, LARGE] {
        let proof = attempt(body, "k", "k * eps, delta * (exp(k * eps) - 1) / (exp(eps) - 1)", &[]).unwrap();
        assert!(proof.theorem().axioms().contains("GROUP-DELTA"));
        assert!(!proof.theorem().axioms().contains("GROUP"));
        let theorem = certificate::check(&certificate::write(&proof)).unwrap();
        assert_eq!(theorem.claim(), proof.theorem().claim());
    }
}

#[test]
fn however_the_sum_is_written() {
    assert!(is_proved(LARGE, "k", "k * eps, (exp(k * eps) - 1) / (exp(eps) - 1) * delta"));
    assert!(is_proved(LARGE, "k", "eps * k, k * exp((k - 1) * eps) * delta"));
    assert!(is_proved(LARGE, "2", "2 * eps, (1 + exp(eps)) * delta"));
    assert!(is_proved(LARGE, "2", "2 * eps, delta + exp(eps) * delta"));
    assert!(is_proved(LARGE, "3", "3 * eps, delta * (1 + exp(eps) + exp(2 * eps))"));
    assert!(is_proved(LARGE, "1", "eps, delta"));
}

/// A factor e^ε more than the sum is often written; and delta may be what the text computes from its threshold.
#[test]
fn with_a_factor_to_spare_or_a_delta_that_is_computed() {
    assert!(is_proved(LARGE, "k", "k * eps, k * exp(k * eps) * delta"));
    assert!(is_proved(LARGE, "k", "k * eps, exp(k * eps) * k * delta"));
    assert!(!is_proved(LARGE, "k", "k * eps, k * exp(k * eps) * delta / 2"));
    let computed = |delta: &str| {
        let text = format!(
            "mechanism m(people: rows(age: int))\nparam k: int >= 1\nparam eps > 0\nparam t >= 1\nlet d = exp(-(t - 1) * eps) / 2\n\
             let all = {delta}\nc = count(r in people)\nout = 0\nif c > 0 {{\nn ~ laplace(c, 1 / eps)\nif n > t {{\nout = n\n}}\n}}\n\
             return out\nneighbours at most k rows of people are added or removed\nclaim k * eps, all\n"
        );
        let program = load_text(&text).unwrap_or_else(|faults| panic!("{text}{faults:?}"));
        prove(&program.mechanism, &program.claim, &Default::default()).is_ok()
    };
    assert!(computed("k * exp((k - 1) * eps) * d"));
    assert!(computed("k * exp(k * eps) * d"));
    assert!(computed("d * (exp(k * eps) - 1) / (exp(eps) - 1)"));
    assert!(!computed("k * d"));
    assert!(!computed("k * exp((k - 2) * eps) * d"));
}

#[test]
fn deltas_below_the_sum_are_not_proved() {
    for claim in [
        "k * eps, k * delta",
        "k * eps, delta",
        "eps, delta * (exp(k * eps) - 1) / (exp(eps) - 1)",
        "k * eps / 2, delta * (exp(k * eps) - 1) / (exp(eps) - 1)",
        "k * eps, delta * (exp((k - 1) * eps) - 1) / (exp(eps) - 1)",
        "k * eps, (k - 1) * exp((k - 1) * eps) * delta",
    ] {
        assert!(!is_proved(LARGE, "k", claim), "{claim}");
    }
    assert!(!is_proved(LARGE, "2", "2 * eps, exp(eps) * delta"));
    assert!(!is_proved(LARGE, "3", "3 * eps, (1 + exp(eps)) * delta"));
}

#[test]
fn noise_is_made_for_a_claim_about_several_rows() {
    // A share that is a parameter of its own.
    let made = LARGE.replace("1 / eps", "k / eps").replace("/ eps {", "* k / eps {");
    assert!(is_proved(&made, "k", "eps, delta * (exp(eps) - 1) / (exp(eps / k) - 1)"), "{made}");
    assert!(!is_proved(&made, "k", "eps, delta * (exp(eps) - 1) / exp(eps / k)"));
    assert!(!is_proved(&made, "k", "eps, delta"));
}

/// Geometric noise gives up 1 − exp(−1/scale) for one row.
#[test]
fn deltas_may_be_made_of_exponentials() {
    let body = "n ~ geometric(1 / eps)\nreturn count(r in people) + n";
    assert!(is_proved(body, "3", "3 * eps, (1 - exp(-eps)) * (1 + exp(eps) + exp(2 * eps))"));
    assert!(is_proved(body, "3", "3 * eps, 3 * (1 - exp(-eps)) * exp(2 * eps)"));
    assert!(!is_proved(body, "3", "3 * eps, (1 - exp(-eps)) * (1 + exp(eps))"));
    // Where one row has no epsilon, deltas add up.
    let spread = "u ~ uniform(0, 1)\nreturn count(r in people) + u / delta";
    assert!(is_proved(spread, "3", "0, 3 * delta"));
    assert!(!is_proved(spread, "3", "0, 2 * delta"));
}

#[test]
fn several_rows_beside_another_input_are_said_to_have_no_rule() {
    let text = format!(
        "mechanism m(people: rows(age: int), x: real)\nparam eps > 0\nparam delta > 0\nwhere delta < 1/2\n{LARGE}\n\
         neighbours at most 2 rows of people are added or removed\nneighbours abs(x' - x) <= 1\nclaim 2 * eps, (1 + exp(eps)) * delta\n"
    );
    let program = load_text(&text).unwrap();
    let failure = prove(&program.mechanism, &program.claim, &Default::default()).unwrap_err().to_string();
    assert!(failure.contains("a claim about several rows is for one table as the only input"), "{failure}");
}

#[test]
fn numbers_of_several_rows_stay_in_the_claim() {
    let with = |claim, set: &[&str]| attempt(LARGE, "k", claim, set).is_ok();
    let exact = "k * eps, delta * (exp(k * eps) - 1) / (exp(eps) - 1)";
    assert!(with(exact, &["eps=1", "delta=1e-6", "k=3"]));
    assert!(with(exact, &["eps=1", "k=3"]));
    assert!(with(exact, &["k=3"]));
    let below = "k * eps, delta * (exp(k * eps) - 2) / (exp(eps) - 1)";
    assert!(!with(below, &["eps=1", "delta=1e-6", "k=3"]));
    assert!(!with(below, &["k=3"]));
}
