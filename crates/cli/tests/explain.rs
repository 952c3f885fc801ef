//! `probity explain` as a user meets it.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn explain(arguments: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Command::new(env!("CARGO_BIN_EXE_probity"))
        .arg("explain")
        .args(arguments)
        .current_dir(root)
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

const SNAPPING: &str = "mechanisms/snapping.dp";

#[test]
fn snapping_is_explained_in_symbols() {
    let output = explain(&[SNAPPING]);
    let shown = text(&output);
    assert_eq!(output.status.code(), Some(0));
    assert!(shown.contains("axioms: LAPGEN, LAPLACE-LAW"), "{shown}");
    assert_eq!(shown.matches("\ncase ").count(), 12);
    assert!(shown.contains("case x = ⌊f(a)⌉ = ⌊f(a')⌉"));
    assert!(shown.contains("e^(ε(f(a) + f(a') − 2x))"));
    assert!(!shown.contains("in numbers"));
}

#[test]
fn snapping_is_explained_in_numbers() {
    let output =
        explain(&[SNAPPING, "--set", "eps=0.1", "--set", "B=100", "--inputs", "3.7", "4.7", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["status"], "proved");
    assert_eq!(value["cases"].as_array().unwrap().len(), 12);
    let outcomes = value["numbers"]["outcomes"].as_array().unwrap();
    assert_eq!(outcomes.len(), 15);
    assert!(outcomes.iter().all(|row| row["within_claim"] == true));
    // Both inputs round to 0: the case that the papers leave out.
    let middle = outcomes.iter().find(|row| row["outcome"] == "0").unwrap();
    assert_eq!(middle["case"], "x = ⌊f(a)⌉ = ⌊f(a')⌉");
    assert!(middle["first"]["probability"][0].as_str().unwrap().starts_with("0.51956"));
}

#[test]
fn a_false_claim_is_seen_outcome_by_outcome() {
    let file = "mechanisms/broken/snapping_figure_2.dp";
    let output = explain(&[file, "--set", "eps=1", "--set", "B=10", "--inputs", "0", "1"]);
    let shown = text(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(shown.contains("not proved: epsilon = 0"), "{shown}");
    assert!(shown.contains("21 outcomes exceed the claim"), "{shown}");
}

#[test]
fn other_mechanisms_show_their_derivation() {
    let output = explain(&["mechanisms/sparse_vector.dp"]);
    let shown = text(&output);
    assert_eq!(output.status.code(), Some(0));
    assert!(shown.contains("couple: shift by 1 at cost eps / 2"), "{shown}");
    assert!(shown.contains("invariant: "));
    assert!(!shown.contains("\ncase "));
}

#[test]
fn what_cannot_be_tabulated_is_bad_input() {
    let set = ["--set", "eps=1", "--set", "B=100"];
    for (arguments, message) in [
        (vec![SNAPPING, "--inputs", "0", "1"], "set eps, B with --set"),
        ([&[SNAPPING][..], &set, &["--inputs", "0", "2"]].concat(), "at most 1 apart"),
        ([&[SNAPPING][..], &set, &["--inputs", "100", "100.5"]].concat(), "is required"),
        (vec![SNAPPING, "--set", "eps=1", "--set", "B=1e9", "--inputs", "0", "1"], "at most 10000"),
        (vec!["mechanisms/laplace.dp", "--inputs", "0", "1"], "--inputs is for the snapping mechanism"),
        (vec![SNAPPING, "--set", "eps=-1"], "eps > 0"),
        (vec!["mechanisms/no_such_file.dp"], "cannot read"),
    ] {
        let output = explain(&arguments);
        let error = String::from_utf8(output.stderr.clone()).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(message), "{arguments:?}: {error}");
    }
}
