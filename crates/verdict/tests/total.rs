//! Expressions that have no value in the textbooks have the one of docs/language.md, for the proof and for the audit.

use probity_verdict::prelude::*;

/// An expression over z = 0, k = 0 and a list q of two entries, and its value.
const CASES: &[(&str, &str)] = &[
    ("1 / z", "0"),
    ("x / (x - x)", "0"),
    ("ln(z)", "0"),
    ("ln(z - 1)", "0"),
    ("pow2_at_least(z)", "0"),
    ("pow2_at_least(z - 3)", "0"),
    ("5 mod k", "0"),
    ("5 mod (k - 2)", "0"),
    ("round_to(5, z)", "0"),
    ("round_to(5, z - 1)", "0"),
    ("q[2]", "0"),
    ("q[k - 1]", "0"),
    ("clamp(5, 3, 1)", "3"),
    ("clamp(2, 3, 1)", "3"),
    ("clamp(0, 3, 1)", "3"),
];

fn verdict(release: &str) -> Verdict {
    let text = format!(
        "mechanism m(x: int, q: int[2])\nparam z\nparam k: int\nwhere z == 0 and k == 0\n\
         y ~ bernoulli(1 / 2)\nreturn {release}\n\
         neighbours abs(x' - x) <= 1\nneighbours one entry of q differs by at most 1\nclaim 0\n"
    );
    let program = load_text(&text).unwrap_or_else(|faults| panic!("{text}\n{faults:?}"));
    verify(&program, &[], &Watch::default()).unwrap()
}

#[test]
fn what_has_no_value_has_the_documented_one() {
    for (expression, value) in CASES {
        // If the value is what the page says, this gives x away, and the other one never does.
        let leaks = verdict(&format!("if {expression} == {value} then x else 0"));
        assert_eq!(leaks.status(), Status::Refuted, "{expression} is not {value} for the audit");
        let keeps = verdict(&format!("if {expression} == {value} then 0 else x"));
        assert!(keeps.refutation.is_none(), "{expression} is not {value} for the audit");
        assert!(keeps.audited.tried.pairs > 0, "the audit did not look at {expression}");
    }
}
