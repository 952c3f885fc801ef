//! `probity report`: the page is whole, its figures are the audit's, and its plots show every outcome.

use std::path::Path;
use std::process::{Command, Output};

use probity_report::inspect::check_page;

use crate::common::root;

fn probity(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_probity")).current_dir(root()).args(arguments).output().unwrap()
}

/// The page for a mechanism file and options, and the exit code.
fn page(test: &str, file: &str, options: &[&str]) -> (String, i32) {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}.html"));
    let mut arguments = vec!["report", file, "--out", out.to_str().unwrap()];
    arguments.extend(options);
    let output = probity(&arguments);
    let page = std::fs::read_to_string(&out)
        .unwrap_or_else(|_| panic!("no page: {}", String::from_utf8_lossy(&output.stderr)));
    (page, output.status.code().unwrap())
}

/// The plots of a page by title.
fn plot<'a>(page: &'a str, title: &str) -> &'a str {
    let at = page.find(&format!(">{title}</text>")).unwrap_or_else(|| panic!("no plot '{title}'"));
    let rest = &page[at..];
    &rest[..rest.find("</svg>").unwrap()]
}

#[test]
fn snapping_has_all_its_parts() {
    let (page, code) = page(
        "snapping",
        "mechanisms/snapping.dp",
        &["--set", "eps=1", "--set", "B=100", "--inputs", "0", "1"],
    );
    assert_eq!(code, 0);
    assert_eq!(check_page(&page), Ok(()));
    assert!(page.contains("is differentially private with epsilon = eps, delta = 0, over the reals"));
    assert!(page.contains("LAPGEN, LAPLACE-LAW"));
    // DESIGN.md, section 5, first row.
    assert!(page.contains("<dt>loss less ε</dt><dd>1.915e-15</dd>"));
    assert!(page.contains("at outcome 64</dd>"));
    assert!(page.contains("<dt>outcomes</dt><dd>201</dd>"));
    assert_eq!(page.matches("<svg").count(), 6);
    // Each of the 201 outcomes under each input, and two samples in the legend.
    assert_eq!(plot(&page, "Output laws of the two inputs").matches("h.01").count(), 2 * 201 + 2);
    assert_eq!(plot(&page, "Privacy loss of each outcome").matches("h.01").count(), 201 + 1);
    // Bounds 2 to 4096, less those at which the loss stays within ε; those beyond 745 are infinite at δ = 0.
    let bounds = plot(&page, "Loss beyond ε against the bound B");
    assert_eq!(bounds.matches("class=\"off").count(), 3 + 1);
    let dots = bounds.matches("h.01").count() - 1;
    assert!((8..=12).contains(&dots), "{dots} dots");
}

#[test]
fn the_figures_are_those_of_the_audit_and_of_the_certificate() {
    let options = ["--set", "eps=1/2", "--set", "B=2000"];
    let inputs = ["--inputs", "0", "1"];
    let (page, code) = page("two", "mechanisms/snapping.dp", &[&options[..], &inputs].concat());
    assert_eq!(code, 0);
    assert_eq!(check_page(&page), Ok(()));
    let json = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_slice(&probity(arguments).stdout).unwrap()
    };
    let audit = json(
        &[&["audit", "mechanisms/snapping.dp", "--json", "--in", "binary64"], &options[..], &inputs].concat(),
    );
    let excess = audit["finite_excess"].as_f64().unwrap();
    assert!((excess - 0.1931).abs() < 1e-4);
    assert!(page.contains("<dt>loss less ε</dt><dd>0.1931</dd>"));
    assert!(page.contains(&format!("at outcome {}</dd>", audit["worst_outcome"].as_str().unwrap())));
    assert_eq!(audit["impossible"], 1);
    assert!(page.contains("<dt>outcomes possible under one input only</dt><dd>1, of mass "));
    // The impossible outcome stands on the edge of the plot of losses.
    assert_eq!(plot(&page, "Privacy loss of each outcome").matches("class=\"off").count(), 1);
    let certificate = json(&[&["certify", "mechanisms/snapping.dp", "--json"], &options[..]].concat());
    // The page rounds the bound up, the JSON has the nearest double.
    let shown = page.split("<dt>ε</dt><dd>").nth(1).and_then(|rest| rest.split("</dd>").next()).unwrap();
    let beyond = shown.parse::<f64>().unwrap() - certificate["epsilon"].as_f64().unwrap();
    assert!((-1e-15..1e-15).contains(&beyond), "{shown}");
    assert!(page.contains("is false here"));
}

#[test]
fn outcomes_that_one_input_cannot_produce_have_their_rows() {
    // Few outcomes, so that the impossible ones are in the table.
    let options = ["--set", "eps=1", "--set", "B=100", "--inputs", "0", "1", "--in", "binary16"];
    let (page, code) = page("impossible", "mechanisms/snapping.dp", &options);
    assert_eq!(code, 0);
    assert_eq!(check_page(&page), Ok(()));
    assert!(page.contains("<dt>outcomes possible under one input only</dt><dd>2, of mass "));
    assert!(page.contains("<td>-17</td>") && page.contains("<td>inf</td>"));
}

#[test]
fn a_refuted_mechanism_shows_its_counterexample() {
    let (page, code) = page("refuted", "mechanisms/broken/laplace_half_scale.dp", &[]);
    assert_eq!(code, 0);
    assert_eq!(check_page(&page), Ok(()));
    assert!(page.contains("<p class=\"heading\">Refuted</p>"));
    assert!(page.contains("<p class=\"heading\">Counterexample</p>"));
    assert!(page.contains("<dt>neighbour</dt>"));
    assert!(!page.contains("<p class=\"heading\">Proved</p>"));
    // The laws are those of the counterexample, in cells: continuous noise has no outcomes to count.
    let inputs = |name: &str| {
        let rest = page.split(&format!("<dt>{name}</dt><dd>")).nth(1).unwrap();
        rest.split("</dd>").next().unwrap().to_owned()
    };
    assert_eq!(inputs("inputs"), format!("{} and {}", inputs("input"), inputs("neighbour")));
    assert!(inputs("an outcome is").starts_with("an interval of width"));
    assert_eq!(plot(&page, "Output laws of the two inputs").matches("h.01").count(), 2 * 43 + 2);
}

#[test]
fn a_counterexample_in_a_list_is_drawn_by_its_event() {
    let (page, code) = page("refuted_list", "mechanisms/broken/sparse_vector_releases_query.dp", &[]);
    assert_eq!(code, 0);
    assert_eq!(check_page(&page), Ok(()));
    assert!(page.contains("<dt>an outcome is</dt><dd>whether output[0]"), "no event");
    assert!(page.contains("Output laws of the two inputs"));
}

/// A histogram of runs stands beside the exact law: outcomes, cells of a continuous answer, lists.
#[test]
fn runs_stand_beside_their_law() {
    let cases = [
        ("mechanisms/randomized_response.dp", &["--set", "t=4", "--set", "p=1/2"][..], 4),
        ("mechanisms/laplace.dp", &["--set", "eps=1"], 43),
        ("mechanisms/snapping.dp", &["--set", "eps=1", "--set", "B=3"], 7),
    ];
    for (number, (file, options, outcomes)) in cases.into_iter().enumerate() {
        let (page, code) = page(&format!("runs_{number}"), file, options);
        assert_eq!(code, 0);
        assert_eq!(check_page(&page), Ok(()));
        let runs = plot(&page, "Runs beside the exact law");
        // A dot for each outcome and one in the legend, and one band of bars.
        assert_eq!(runs.matches("h.01").count(), outcomes + 1, "{file}");
        assert!(runs.contains("class=\"band"), "{file}");
        assert!(page.contains("<dt>runs outside of the outcomes listed</dt><dd>0</dd>"), "{file}");
        assert!(page.contains("standard deviations, at "), "{file}");
    }
}

#[test]
fn categories_are_drawn_by_name() {
    let options = ["--set", "t=4", "--set", "p=1/2", "--inputs", "0", "3"];
    let (page, code) = page("categories", "mechanisms/randomized_response.dp", &options);
    assert_eq!(code, 0);
    assert_eq!(check_page(&page), Ok(()));
    // Four outcomes under two inputs, on stems, and two samples in the legend.
    let laws = plot(&page, "Output laws of the two inputs");
    assert_eq!(laws.matches("h.01").count(), 2 * 4 + 2);
    assert!(page.contains("class=\"stem"));
}

#[test]
fn what_makes_no_sense_is_refused_and_writes_nothing() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("never.html");
    let out = out.to_str().unwrap();
    for options in [
        // Not neighbours; outside the bounds; no such parameter; not admitted.
        &["--set", "eps=1", "--set", "B=100", "--inputs", "0", "5"][..],
        &["--set", "eps=1", "--set", "B=100", "--inputs", "100", "101"],
        &["--set", "epsilon=1"],
        &["--set", "eps=-1", "--set", "B=100"],
    ] {
        let output = probity(&[&["report", "mechanisms/snapping.dp", "--out", out], options].concat());
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("error: "));
        assert!(!Path::new(out).exists());
    }
}
