//! True texts that are written as people write them and were left open: what each needs stands with it.

use std::path::Path;

use probity_lang::{Program, load_text, load_text_in};
use probity_prove::derivation::Failure;
use probity_prove::{Proof, prove};

fn attempt(program: &Program) -> Result<Proof, Failure> {
    prove(&program.mechanism, &program.claim, &program.hints.clone().unwrap_or_default())
}

fn load(text: &str) -> Program {
    load_text(text).unwrap_or_else(|faults| panic!("{text}{faults:?}"))
}

fn proved(text: &str) {
    if let Err(failure) = attempt(&load(text)) {
        panic!("{text}{failure:#}");
    }
}

fn open(text: &str) {
    assert!(attempt(&load(text)).is_err(), "{text}");
}

/// A number, and neighbours within 1.
fn number(params: &str, body: &str, claim: &str) -> String {
    format!("mechanism m(x: real)\n{params}{body}neighbours abs(x' - x) <= 1\nclaim {claim}\n")
}

/// A list of rows and columns in one, neighbours and a claim.
fn table(params: &str, draw: &str, neighbours: &str, claim: &str) -> String {
    format!(
        "mechanism m(q: real[n * m])\nparam n: int >= 1\nparam m: int >= 1\n{params}out = []\nfor i in 0..n {{\n  for j in 0..m {{\n    {draw}\n    append(out, y)\n  }}\n}}\n\
         return out\nneighbours {neighbours}\nclaim {claim}\n"
    )
}

#[test]
fn a_scale_is_one_over_what_is_held_between_bounds() {
    let text = |e: &str, claim: &str| {
        number("", &format!("z ~ laplace(x, 1)\ne = {e}\ny ~ laplace(x, 1 / e)\nreturn z, y\n"), claim)
    };
    proved(&text("clamp(z, 1 / 10, 1)", "2"));
    proved(&text("min(1, max(1 / 10, abs(z)))", "2"));
    open(&text("clamp(z, 1 / 10, 1)", "19 / 10"));
    // It may be 0.
    open(&text("clamp(z, 0, 1)", "2"));
    open(&text("min(1, abs(z))", "2"));
}

#[test]
fn an_entry_with_a_name_is_an_entry_also_in_a_call() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/called");
    let text = |claim: &str| {
        format!(
            "use \"noisy_number.dp\" as f\nmechanism m(q: real[])\nparam eps > 0\nout = []\nfor v in q {{\n  y ~ f(v, eps)\n  append(out, y)\n}}\nreturn out\n\
             neighbours one entry of q differs by at most 1\nclaim {claim}\n"
        )
    };
    let load = |claim: &str| load_text_in(&text(claim), &folder).unwrap();
    if let Err(failure) = attempt(&load("eps")) {
        panic!("{failure:#}");
    }
    assert!(attempt(&load("eps / 2")).is_err());
}

#[test]
fn budgets_that_the_text_keeps() {
    let filter = |start: &str, round: &str, claim: &str| {
        let body = format!("{start}\nout = []\nfor i in 0..k {{\n  {round}\n}}\nreturn out\n");
        number("param b > 0\nparam c > 0\nparam k: int >= 1\n", &body, claim)
    };
    let left = "if left >= c {\n    y ~ laplace(x, 1 / c)\n    append(out, y)\n    left = left - c\n  }";
    proved(&filter("left = b", left, "b"));
    open(&filter("left = b", left, "b / 2"));
    // By hand: what is spent is the smaller of two numbers.
    let smaller = "if left > 0 {\n    e = min(left, c)\n    y ~ laplace(x, 1 / e)\n    append(out, y)\n    left = left - e\n  }";
    let hints = "b\nproof {\n  couple y: shift by 0 at cost e * abs(x - x')\n  \
                 invariant i: out == out' and left == left' and cost <= b - left and 0 <= left and left <= b\n}";
    proved(&filter("left = b", smaller, hints));
    let spent = "if spent + 1 <= b {\n    y ~ laplace(x, 1)\n    append(out, y)\n    spent = spent + 1\n  }";
    proved(&filter("spent = 0", spent, "b"));
    open(&filter("spent = 0", &spent.replace("spent + 1 <= b", "spent <= b"), "b"));
}

#[test]
fn rows_and_columns_with_bounds_of_all_changes_together() {
    let laplace = "y ~ laplace(q[i * m + j], 1 / eps)";
    let together = "the entries of q differ by at most 1 in L1";
    proved(&table("param eps > 0\n", laplace, together, "eps"));
    open(&table("param eps > 0\n", laplace, together, "eps / 2"));
    let normal = "y ~ gaussian(q[i * m + j], sigma)";
    let squares = "the entries of q differ by at most 1 in L2";
    proved(&table("param sigma > 0\n", normal, squares, "rho 1 / (2 * sigma * sigma)"));
    open(&table("param sigma > 0\n", normal, squares, "rho 1 / (3 * sigma * sigma)"));
}

#[test]
fn one_entry_moves_by_no_more_than_all_together() {
    let text = |draw: &str, claim: &str| {
        format!(
            "mechanism m(q: real[])\nparam d > 0\nparam eps > 0\n{draw}\nreturn y\nneighbours the entries of q differ by at most d in L2\nclaim {claim}\n"
        )
    };
    proved(&text("y ~ laplace(q[0], d / eps)", "eps"));
    open(&text("y ~ laplace(q[0], d / eps)", "eps / 2"));
    open(&text("y ~ laplace(q[0] + q[1], d / eps)", "eps"));
}

#[test]
fn the_inner_loop_knows_where_the_outer_index_is() {
    let text = table(
        "param eps > 0\n",
        "y ~ laplace(q[i * m + j], 1 / eps)",
        "the entries of q differ by at most 1 in L1",
        "eps\nproof {\n  couple y: shift by 0 at cost eps * abs(q[i * m + j] - q'[i * m + j])\n  \
         invariant i: cost <= eps * moved(q, i * m) and out == out'\n  invariant j: cost <= eps * moved(q, i * m + j) and out == out'\n}",
    );
    let program = load(&text);
    // With the hints and not without them.
    let hints = program.hints.clone().unwrap();
    assert!(!hints.invariants.is_empty());
    let proof = prove(&program.mechanism, &program.claim, &hints).unwrap_or_else(|f| panic!("{f:#}"));
    assert_eq!(proof.theorem().claim(), &program.claim);
}

#[test]
fn little_normal_noise_is_converted_from_the_mu_that_it_has() {
    // 2Φ(1/2000) − 1 is 0.000398942263….
    let wide = |sigma: &str, delta: &str| {
        number("", &format!("y ~ gaussian(x, {sigma})\nreturn y\n"), &format!("0, {delta}"))
    };
    proved(&wide("1000", "0.000398982158005"));
    // One part in a million, and below what it is.
    proved(&wide("1000", "0.000398942663"));
    open(&wide("1000", "0.00039894226"));
    proved(&wide("100", "0.00398941"));
}
