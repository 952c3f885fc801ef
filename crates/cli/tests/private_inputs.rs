//! Private inputs from standard input and files: arguments are visible to the other users of a machine.

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs the command with this text as standard input.
fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_probity"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses its arguments does not read what it is given.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Noise of scale 1/1000 is 0 but for a chance of e^−1000, so the input shows.
const LITTLE: [&str; 4] = ["sample", "discrete-laplace", "--scale", "1/1000"];

#[test]
fn an_input_comes_through_standard_input_or_a_file() {
    let through = [&LITTLE[..], &["--input-file", "-"]].concat();
    assert_eq!(text(&run(&through, "9007199254740993\n")), "9007199254740993\n");
    let path = std::env::temp_dir().join(format!("probity-private-input-{}", std::process::id()));
    fs::write(&path, "-17").unwrap();
    let from_file = [&LITTLE[..], &["--input-file", path.to_str().unwrap(), "--count", "2"]].concat();
    assert_eq!(text(&run(&from_file, "")), "-17\n-17\n");
    fs::remove_file(&path).unwrap();
    let gone = run(&from_file, "");
    assert_eq!(gone.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&gone.stderr).contains("cannot read"));
}

#[test]
fn scores_may_stand_on_lines_or_between_commas() {
    for scores in ["3\n9\n5\n", "3, 9, 5", "3,9,5\r\n"] {
        let output =
            run(&["sample", "noisy-max", "--scale", "1/1000", "--scores-file", "-", "--count", "3"], scores);
        assert_eq!(text(&output), "1\n1\n1\n", "{scores:?}");
    }
}

#[test]
fn json_names_the_file_and_not_its_contents() {
    let through = [&LITTLE[..], &["--input-file", "-", "--json"]].concat();
    let answer: serde_json::Value = serde_json::from_str(&text(&run(&through, "123456"))).unwrap();
    assert_eq!(answer["parameters"]["input-file"], "-");
    assert_eq!(answer["parameters"].get("input"), None);
    assert_eq!(answer["values"][0], 123_456);
}

#[test]
fn an_input_comes_one_way_or_the_other() {
    let both = [&LITTLE[..], &["--input", "1", "--input-file", "-"]].concat();
    let refused = run(&both, "2");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("cannot be used with"));
    let nonsense = run(&[&LITTLE[..], &["--input-file", "-"]].concat(), "1 2");
    assert_eq!(nonsense.status.code(), Some(2));
    // A map looks at no input, so it has no such option.
    assert_eq!(
        run(&["map", "discrete-laplace", "--scale", "1", "--input-file", "-"], "1").status.code(),
        Some(2)
    );
}
