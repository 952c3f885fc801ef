//! Mechanisms on tables: what is proved without hints, and what must not be.

use probity_prove::certificate::{check_for, write};
use probity_prove::derivation::{Failure, Reason};
use probity_prove::{Proof, prove};

fn attempt(text: &str) -> Result<Proof, Failure> {
    let program = probity_lang::load_text(text).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
    let proof = prove(&program.mechanism, &program.claim, &program.hints.unwrap_or_default())?;
    // What is found is what a certificate replays.
    check_for(&write(&proof), &program.mechanism, &program.claim).unwrap();
    Ok(proof)
}

fn text(fields: &str, params: &str, body: &str, neighbours: &str, claim: &str) -> String {
    format!(
        "mechanism m(people: rows({fields}))\nparam eps > 0\n{params}\n{body}\nneighbours {neighbours}\nclaim {claim}\n"
    )
}

const ONE: &str = "one row of people is added or removed";
const REPLACED: &str = "one row of people is replaced";
const SEVERAL: &str = "at most k rows of people are added or removed";

/// A histogram with a count per group, at the given scale.
fn histogram(condition: &str, scale: &str, neighbours: &str) -> String {
    let body = format!(
        "out = []\nfor g in 0..n {{\n  y ~ discrete_laplace(count(r in people where {condition}), {scale})\n  append(out, y)\n}}\nreturn out"
    );
    text("key: category(n), age: int", "param n: int >= 1\nparam k: int >= 1", &body, neighbours, "eps")
}

/// A sum at the given scale.
fn sum(value: &str, scale: &str, neighbours: &str) -> String {
    let body = format!("y ~ laplace(sum(r in people, {value}), {scale})\nreturn y");
    let params = "param k: int >= 1\nparam B > 0\nwhere 0 <= people.age <= 120";
    text("x: real, age: int, on: bool", params, &body, neighbours, "eps")
}

#[test]
fn proved_without_hints_at_the_scale_that_is_right_and_not_below() {
    let bound_x = "clamp(r.x, 0, B)";
    let cases: Vec<(String, String)> = vec![
        (sum(bound_x, "B / eps", ONE), sum(bound_x, "B / (2 * eps)", ONE)),
        (sum(bound_x, "B / eps", REPLACED), sum(bound_x, "B / (2 * eps)", REPLACED)),
        (sum(bound_x, "k * B / eps", SEVERAL), sum(bound_x, "B / eps", SEVERAL)),
        (sum("clamp(r.x, -B, B)", "B / eps", ONE), sum("clamp(r.x, -B, B)", "B / (2 * eps)", ONE)),
        // A row that is replaced moves the sum by the width, one that is added by the size.
        (sum("clamp(r.x, -B, B)", "2 * B / eps", REPLACED), sum("clamp(r.x, -B, B)", "B / eps", REPLACED)),
        (sum("clamp(r.x, 5, 6)", "1 / eps", REPLACED), sum("clamp(r.x, 5, 6)", "1 / eps", ONE)),
        (sum("r.age", "120 / eps", ONE), sum("r.age", "119 / eps", ONE)),
        (
            sum("if r.on then r.age else 0", "120 / eps", ONE),
            sum("if r.on then r.age else 0", "60 / eps", ONE),
        ),
        (sum("min(max(r.x, 0), B)", "B / eps", ONE), sum("max(r.x, 0)", "B / eps", ONE)),
        (
            sum("clamp(r.x, 0, B) - 2 * r.age", "(B + 240) / eps", ONE),
            sum("clamp(r.x, 0, B) - 2 * r.age", "B / eps", ONE),
        ),
        (histogram("r.key == g", "1 / eps", ONE), histogram("r.key >= g", "1 / eps", ONE)),
        (histogram("r.key == g", "2 / eps", REPLACED), histogram("r.key == g", "1 / eps", REPLACED)),
        (histogram("r.key == g", "k / eps", SEVERAL), histogram("r.key == g", "1 / eps", SEVERAL)),
        (histogram("r.key == g and r.age > 18", "1 / eps", ONE), histogram("r.key != g", "1 / eps", ONE)),
        (
            histogram("10 * g <= r.age and r.age < 10 * g + 10", "1 / eps", ONE),
            histogram("10 * g <= r.age and r.age <= 10 * g + 10", "1 / eps", ONE),
        ),
    ];
    for (right, wrong) in cases {
        assert!(attempt(&right).is_ok(), "not proved: {:?}\n{right}", attempt(&right).err());
        assert!(attempt(&wrong).is_err(), "proved:\n{wrong}");
    }
}

#[test]
fn one_row_for_all_sums_of_a_proof() {
    // A row is in one group, so its count is in one of the two; two groups that overlap pay twice.
    let two = |second: &str| {
        let body = format!(
            "a ~ laplace(count(r in people where r.age < 18), 1 / eps)\nb ~ laplace(count(r in people where {second}), 1 / eps)\nreturn a + b"
        );
        text("age: int", "", &body, ONE, "eps")
    };
    assert!(attempt(&two("r.age >= 18")).is_ok());
    assert!(attempt(&two("r.age >= 17")).is_err());
    // The sign is the same too: counts that both grow leave their difference alone.
    let difference = |scale: &str| {
        let body = format!(
            "a ~ laplace(count(r in people where r.age > 1) - count(r in people where r.age > 0), {scale})\nreturn a"
        );
        text("age: int", "", &body, ONE, "eps")
    };
    assert!(attempt(&difference("2 / eps")).is_ok());
}

#[test]
fn what_a_sum_mentions_is_equal_in_both_runs() {
    let steps = |threshold: &str| {
        let body = format!(
            "t ~ laplace(count(r in people), 2 / eps)\ns = {threshold}\ny ~ laplace(count(r in people where r.age > s), 2 / eps)\nreturn y"
        );
        text("age: int", "", &body, ONE, "eps")
    };
    assert!(attempt(&steps("t")).is_ok());
    // An exact count as a threshold may move every row.
    let exact = "s = count(r in people)\ny ~ laplace(count(r in people where r.age > s), 2 / eps)\nreturn y";
    assert!(attempt(&text("age: int", "", exact, ONE, "eps")).is_err());
    // Noisy gradient descent: the sum is about what was released so far.
    let descent = |scale: &str| {
        let body = format!(
            "t = 0\nfor i in 0..k {{\n  g ~ laplace(sum(r in people, clamp((t * r.x - r.y) * r.x, -1, 1)), {scale})\n  t = t - g / 10\n}}\nreturn t"
        );
        text("x: real, y: real", "param k: int >= 1", &body, ONE, "eps")
    };
    assert!(attempt(&descent("k / eps")).is_ok());
    assert!(attempt(&descent("1 / eps")).is_err());
}

#[test]
fn groups_in_nested_loops_pay_once() {
    let nested = |condition: &str| {
        let body = format!(
            "out = []\nfor g in 0..3 {{\n  for h in 0..n {{\n    y ~ discrete_laplace(count(r in people where {condition}), 1 / eps)\n    append(out, y)\n  }}\n}}\nreturn out"
        );
        text("a: category(3), b: category(n)", "param n: int >= 1", &body, ONE, "eps")
    };
    assert!(attempt(&nested("r.a == g and r.b == h")).is_ok());
    assert!(attempt(&nested("r.b == h")).is_err());
}

#[test]
fn a_sum_that_nothing_bounds_says_which_field_and_what_to_write() {
    let body = "y ~ laplace(sum(r in people, r.x * clamp(r.age, 0, 9)), 1 / eps)\nreturn y";
    let failure = attempt(&text("x: real, age: int", "", body, ONE, "eps")).unwrap_err();
    assert!(matches!(&failure.reason, Reason::Unbounded { fields, .. } if fields == &["x"]), "{failure}");
    assert!(failure.to_string().contains("clamp(r.x, low, high)"), "{failure}");
    assert!(!failure.to_string().contains("another mechanism"), "{failure}");
    let body = "y ~ laplace(sum(r in people where r.age > 3, r.x * r.age), 1 / eps)\nreturn y";
    let failure = attempt(&text("x: real, age: int", "", body, ONE, "eps")).unwrap_err();
    assert!(
        failure.to_string().contains("by its fields x and age; write clamp(r.x, low, high) and clamp(r.age"),
        "{failure}"
    );
    // To clip a row to a length is not to clamp its fields.
    let length = "sqrt(r.x * r.x + r.z * r.z)";
    let body = format!("y ~ laplace(sum(r in people, r.x * min(1, 3 / {length})), 1 / eps)\nreturn y");
    let failure = attempt(&text("x: real, z: real", "", &body, ONE, "eps")).unwrap_err();
    assert!(failure.to_string().contains("another mechanism"), "{failure}");
    // What a clamp holds is not to blame: here it is the noise.
    let body = "y ~ laplace(sum(r in people, floor(clamp(r.x, 0, 9))), 8 / eps)\nreturn y";
    let failure = attempt(&text("x: real, age: int", "", body, ONE, "eps")).unwrap_err();
    assert!(!matches!(&failure.reason, Reason::Unbounded { .. }), "{failure}");
}

#[test]
fn a_function_of_a_clamped_field_is_to_be_clamped_itself() {
    let body = "y ~ laplace(sum(r in people, sqrt(clamp(r.x, 0, 4))), 2 / eps)\nreturn y";
    let failure = attempt(&text("x: real", "", body, ONE, "eps")).unwrap_err();
    let hint = "sum(r in people, clamp(sqrt(clamp(r.x, 0, 4)), low, high))";
    assert!(failure.help.iter().any(|line| line.contains(hint)), "{failure:#}");
    let body = "y ~ laplace(sum(r in people, clamp(sqrt(clamp(r.x, 0, 4)), 0, 2)), 2 / eps)\nreturn y";
    assert!(attempt(&text("x: real", "", body, ONE, "eps")).is_ok());
}

/// The keys that some row has, with noisy counts above a threshold; what is counted, the law and the threshold are given.
fn discovered(condition: &str, law: &str, threshold: &str, neighbours: &str) -> String {
    let body = format!(
        "out = []\nfor g in 0..n {{\n  c = count(r in people where {condition})\n  if c > 0 {{\n    y ~ {law}\n    \
         if y > {threshold} {{\n      append(out, g)\n      append(out, y)\n    }}\n  }}\n}}\nreturn out"
    );
    let params = "param n: int >= 1\nparam delta > 0\nwhere delta < 1/4";
    text("key: category(n), age: int", params, &body, neighbours, "eps, delta")
}

#[test]
fn discovered_keys_give_up_delta_once() {
    let noise = "laplace(c, 1 / eps)";
    for (law, threshold, neighbours) in [
        (noise, "1 + ln(1 / (2 * delta)) / eps", ONE),
        ("discrete_laplace(c, 1 / eps)", "1 + ln(1 / delta) / eps", ONE),
        ("laplace(c, 2 / eps)", "1 + 2 * ln(1 / delta) / eps", REPLACED),
    ] {
        let proof = attempt(&discovered("r.key == g", law, threshold, neighbours)).unwrap();
        assert!(proof.theorem().axioms().contains("FOR-ONCE"), "{:?}", proof.theorem().axioms());
    }
    for (condition, law, threshold, neighbours) in [
        // The count of a row that is alone is 1.
        ("r.key == g", noise, "ln(1 / (2 * delta)) / eps", ONE),
        ("r.key == g", noise, "1 + ln(1 / (4 * delta)) / eps", ONE),
        // Integers may lie just above a threshold.
        ("r.key == g", "discrete_laplace(c, 1 / eps)", "1 + ln(1 / (2 * delta)) / eps", ONE),
        // Two rows give up mass, and two groups pay.
        ("r.key == g", "laplace(c, 2 / eps)", "1 + 2 * ln(1 / (2 * delta)) / eps", REPLACED),
        ("r.key == g", noise, "1 + ln(1 / delta) / eps", REPLACED),
        // A row that is counted in many rounds.
        ("r.age > g", noise, "1 + ln(1 / (2 * delta)) / eps", ONE),
    ] {
        let text = discovered(condition, law, threshold, neighbours);
        assert!(attempt(&text).is_err(), "{text}");
    }
}

#[test]
fn remainders_are_bounded() {
    let odd = |scale: &str| {
        let body = format!("y ~ discrete_laplace(sum(r in people, r.age mod 3), {scale})\nreturn y");
        text("age: int", "", &body, ONE, "eps")
    };
    attempt(&odd("2 / eps")).unwrap();
    assert!(attempt(&odd("1 / eps")).is_err());
}

/// Groups by a number that several fields make, as queries with two keys and counts in bins have them.
#[test]
fn groups_by_numbers_made_of_fields() {
    let text = |two: &str, bins: &str| {
        let draws = format!(
            "out = []\nfor g in 0..5000 {{\n  n ~ discrete_laplace(count(r in people where r.k * 100 + r.y == g), {two} / eps)\n  \
             s ~ discrete_laplace(sum(r in people where r.k * 100 + r.y == g and r.y > 3, clamp(r.x, 0, 9)), 9 * {two} / eps)\n  \
             append(out, n)\n  append(out, s)\n}}\nfor h in 0..cells {{\n  \
             b ~ discrete_laplace(count(r in people where r.k * 16 + floor(r.x / 391) == h and (r.x == 10 or r.y == 3) and r.k > 10), {bins} / eps)\n  \
             append(out, b)\n}}\nreturn out"
        );
        text("k: int, x: int, y: int", "param cells: int >= 1", &draws, ONE, "eps")
    };
    attempt(&text("4", "2")).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(attempt(&text("3", "2")).is_err());
    assert!(attempt(&text("4", "1")).is_err());
}
