//! Every example runs and says what it should. Where noise is drawn, the test either asks for so little of it that
//! another answer has a probability below 10^-400, or looks at what does not depend on it.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// Runs a program from the root of the repository. Answers with its success, what it printed, and its errors.
fn run(program: &str, arguments: &[&str]) -> (bool, String, String) {
    let output = Command::new(program).args(arguments).current_dir(root()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

const COUNT: &str = env!("CARGO_BIN_EXE_private_count");
const HISTOGRAM: &str = env!("CARGO_BIN_EXE_private_histogram");

#[test]
fn private_count() {
    let (fine, printed, errors) = run(COUNT, &["examples/data/commuters.csv", "commute", "bicycle", "1000"]);
    assert!(fine, "{errors}");
    assert!(printed.starts_with("31 rows have commute = bicycle, up to 0 more or fewer"), "{printed}");
    assert!(printed.ends_with("cost: ε = 1000, noise of scale 1/1000\n"), "{printed}");
    let (fine, printed, _) = run(COUNT, &["examples/data/commuters.csv", "commute", "bicycle", "1/3"]);
    assert!(fine && printed.contains("up to 9 more or fewer") && printed.ends_with("scale 3\n"), "{printed}");
}

#[test]
fn private_count_refuses_what_makes_no_sense() {
    for (arguments, reason) in [
        (&["missing.csv", "commute", "bus", "1"], "cannot read missing.csv"),
        (&["examples/data/commuters.csv", "comute", "bus", "1"], "no column comute"),
        (&["examples/data/commuters.csv", "commute", "bus", "-1"], "epsilon = -1 is not allowed"),
        (&["examples/data/commuters.csv", "commute", "bus", "0"], "epsilon = 0 is not allowed"),
    ] {
        let (fine, printed, errors) = run(COUNT, arguments);
        assert!(!fine && printed.is_empty() && errors.contains(reason), "{printed}{errors}");
    }
}

#[test]
fn private_histogram() {
    let categories = "foot,bicycle,bus,train,car,balloon";
    let table = "examples/data/commuters.csv";
    let (fine, printed, errors) = run(HISTOGRAM, &[table, "commute", "1000", categories]);
    assert!(fine, "{errors}");
    let counts: Vec<_> = printed.lines().take(6).filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert_eq!(counts, ["17", "31", "22", "12", "38", "0"]);
    assert!(printed.ends_with("cost: ε = 1000\n"), "{printed}");
}

#[test]
fn survey() {
    let (fine, printed, errors) = run(env!("CARGO_BIN_EXE_survey"), &[]);
    assert!(fine, "{errors}");
    // At most ln 3 = 1.09861228866810969…
    assert!(printed.starts_with("each answer costs its respondent ε = 1.098612288668109"), "{printed}");
    let rows: Vec<Vec<&str>> =
        printed.lines().skip(2).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), ["never", "once", "sometimes", "often"]);
    assert_eq!(rows.iter().map(|row| row[1].parse::<u64>().unwrap()).sum::<u64>(), 40_000);
    for row in rows {
        let (estimate, truth): (f64, f64) = (row[2].parse().unwrap(), row[6].parse().unwrap());
        // The standard deviation is below 0.75 points.
        assert!((estimate - truth).abs() < 10.0, "{row:?}");
    }
}

#[test]
fn verify_my_mechanism() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("double_entry.cert");
    let (fine, printed, errors) = run(env!("CARGO_BIN_EXE_verify_my_mechanism"), &[path.to_str().unwrap()]);
    assert!(fine, "{errors}");
    for part in [
        "proved: double_entry",
        "checked: ",
        "no proof of the greedy one",
        "refuted: q = [0] against q = [1]",
        "is rejected",
    ] {
        assert!(printed.contains(part), "no '{part}' in\n{printed}");
    }
    assert!(path.exists());
}

#[test]
fn odometer() {
    let (fine, printed, errors) = run(env!("CARGO_BIN_EXE_odometer"), &[]);
    assert!(fine, "{errors}");
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 7, "{printed}");
    assert_eq!(lines[4], "together: 30 answers for ε = 1");
    assert_eq!(lines[5], "the odometer says ε = 1");
    assert!(lines[6].starts_with("one more: the budget (ε = 1) would be exceeded"), "{printed}");
}
