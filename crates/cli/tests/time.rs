//! Time as a user meets it: seconds that end, proofs before audits, Ctrl-C, and `--watch`. Nothing here measures time.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::common::root;

fn probity(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
    command.args(arguments).current_dir(root()).stdin(Stdio::null()).env("PROBITY_SECONDS", "60");
    command
}

/// A mechanism file with this text.
fn file(name: &str, text: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("time");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn interrupt(child: &Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
}

fn laplace(scale: &str) -> String {
    format!(
        "mechanism m(x: real)\nparam eps > 0\ny ~ laplace(x, {scale})\nreturn y\nneighbours abs(x' - x) <= 1\nclaim eps\n"
    )
}

#[test]
fn no_time_is_no_answer_and_says_so() {
    let output = probity(&["verify", "mechanisms/sparse_vector.dp", "--seconds", "0"]).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(
        printed.contains("open") && printed.contains("did not finish in 0 s: --seconds allows more"),
        "{printed}"
    );
    // What no clock can add is for ever.
    let output = probity(&["verify", "mechanisms/laplace.dp", "--seconds", "1e30"]).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && printed.starts_with("proved"), "{printed}");
    let output = probity(&["verify", "mechanisms/laplace.dp", "--seconds", "-1"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_search_that_is_stopped_prints_what_it_knows() {
    let arguments = [
        "audit",
        "mechanisms/snapping.dp",
        "--search",
        "--seconds",
        "3600",
        "--set",
        "eps=1",
        "--set",
        "B=100",
    ];
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stopped.state");
    let _ = fs::remove_file(&state);
    let resumed = [&arguments[..], &["--resume", state.to_str().unwrap()]].concat();
    let mut child = probity(&resumed).stdout(Stdio::piped()).spawn().unwrap();
    // The state is written after some pairs: then there is something to print.
    while !state.exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    interrupt(&child);
    let mut printed = String::new();
    child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{printed}");
    assert!(printed.starts_with("worst of ") && printed.contains("excess"), "{printed}");
}

#[test]
fn a_watched_file_is_answered_on_every_save() {
    let path = file("watched.dp", &laplace("1 / eps"));
    let mut child = probity(&["verify", &path, "--watch"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut answer = || -> String {
        let mut text = String::new();
        loop {
            let line = lines.next().unwrap().unwrap();
            if line.starts_with("watching ") {
                return text;
            }
            text.push_str(&line);
            text.push('\n');
        }
    };
    assert!(answer().contains("proved: mechanism m"));
    file("watched.dp", &laplace("1 / (2 * eps)"));
    assert!(answer().contains("refuted: m"));
    file("watched.dp", "mechansim m");
    assert!(!answer().contains("refuted"));
    file("watched.dp", &laplace("2 / eps"));
    assert!(answer().contains("proved: mechanism m"));
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_proof_that_nothing_ever_ends_has_a_warning() {
    let text = laplace("1 / eps")
        .replace("y ~", "while true as w {\n  i = 1\n}\ny ~")
        .replace("param eps > 0\n", "param eps > 0\ni = 0\n");
    let output = probity(&["verify", &file("endless.dp", &text)]).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("warning: no run ended"), "{printed}");
    let output = probity(&["verify", &file("ends.dp", &laplace("1 / eps"))]).output().unwrap();
    assert!(!String::from_utf8(output.stdout).unwrap().contains("warning"));
}

fn json(arguments: &[&str]) -> Value {
    let output = probity(arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{text}"))
}

#[test]
fn a_search_covers_continuous_outputs_and_deltas() {
    let path = file("half.dp", &laplace("1 / (2 * eps)"));
    let found =
        json(&["audit", &path, "--search", "--seconds", "30", "--pairs", "8", "--set", "eps=1", "--json"]);
    assert!((found["loss"].as_f64().unwrap() - 2.0).abs() < 1e-6, "{found}");
    assert!((found["excess"].as_f64().unwrap() - 1.0).abs() < 1e-6 && found["event"].is_string(), "{found}");
    let gaussian =
        "mechanism g(x: real)\ny ~ gaussian(x, 1)\nreturn y\nneighbours abs(x' - x) <= 1\nclaim 1, 1 / 100\n";
    let path = file("gaussian.dp", gaussian);
    let found = json(&["audit", &path, "--search", "--seconds", "30", "--pairs", "8", "--json"]);
    assert!(found["excess"].as_f64().unwrap() > 0.0, "{found}");
    // A support that tells: both are infinite.
    let exponential = laplace("1 / eps")
        .replace("laplace(x, 1 / eps)", "exponential(1 / eps)")
        .replace("return y", "return x + y");
    let path = file("support.dp", &exponential);
    let found =
        json(&["audit", &path, "--search", "--seconds", "30", "--pairs", "8", "--set", "eps=1", "--json"]);
    assert_eq!((found["loss"].as_str(), found["excess"].as_str()), (Some("inf"), Some("inf")), "{found}");
}
