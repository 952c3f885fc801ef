//! `probity account` and the bounds that other commands print, as a user meets them.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use probity_exact::{Rational, ln_bounds, parse_rational};
use serde_json::Value;

use crate::common::{answer, root};

/// The exit code, standard output and standard error.
fn run(arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
    command.args(arguments).current_dir(root()).stdin(Stdio::null());
    answer(&mut command)
}

/// A number as it stands in JSON: a reader may round it.
fn as_printed(json: &str, field: &str) -> String {
    let (_, rest) = json.split_once(&format!("\"{field}\": ")).unwrap();
    rest.split([',', '\n', '}']).next().unwrap().trim().to_owned()
}

fn refused(arguments: &[&str]) -> String {
    let (code, printed, errors) = run(arguments);
    assert_eq!((code, printed.as_str()), (2, ""), "{arguments:?}\n{errors}");
    errors
}

fn file(name: &str, text: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("account");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// δ at an ε, or ε at a δ: the bracket as it is printed.
fn bracket(expression: &str, question: &[&str]) -> (Rational, Rational) {
    let (code, text, errors) = run(&[&["account", expression, "--json"], question].concat());
    assert_eq!(code, 0, "{expression}\n{text}{errors}");
    // The answer, and not one of the directions.
    let value: Value = serde_json::from_str(&text).unwrap();
    let name = if value.get("delta").is_some() { "\n  \"delta\": " } else { "\n  \"epsilon\": " };
    let (_, found) = text.split_once(name).unwrap();
    let end = |name: &str| parse_rational(&as_printed(found, name)).unwrap();
    (end("lower"), end("upper"))
}

fn number(text: &str) -> Rational {
    parse_rational(text).unwrap()
}

#[track_caller]
fn meet(found: &(Rational, Rational), truth: &(Rational, Rational)) {
    assert!(found.0 <= truth.1 && truth.0 <= found.1, "{found:?} {truth:?}");
}

/// Two rows are one step of a theorem about at most two rows, and three are two.
#[test]
fn theorems_about_several_rows_lose_no_more_than_their_rows() {
    let text = "mechanism m(d: rows(age: int))
        param k: int >= 1
        c ~ discrete_laplace(count(r in d), k)
        return c
        neighbours at most k rows of d are added or removed
        claim 1
        ";
    let path = file("rows.dp", text);
    let of = |group: u32| format!("group({group}, text(\"{path}\", k = 2))");
    for epsilon in ["0", "1/2", "3/2"] {
        let question = ["--epsilon", epsilon];
        for (group, steps) in [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3)] {
            let truth = bracket(&format!("discrete_laplace(1, sensitivity = {steps})"), &question);
            meet(&bracket(&of(group), &question), &truth);
        }
    }
    // One step of ε = 1 has tanh(1/2) at ε = 0; two rows as two steps would have 0.632.
    assert!(bracket(&of(2), &["--epsilon", "0"]).1 < number("0.4622"));
}

/// What is claimed in ρ and in μ enters as what it is.
#[test]
fn theorems_in_other_measures_enter() {
    let text = |claim: &str| {
        format!(
            "mechanism m(d: rows(age: int))
            c ~ gaussian(count(r in d), 3)
            return c
            neighbours one row of d is added or removed
            claim {claim}
            "
        )
    };
    let (rho, mu) = (file("rho.dp", &text("rho 1/18")), file("mu.dp", &text("mu 1/3")));
    for (path, plain) in [(&rho, "rho(1/18)"), (&mu, "mu(1/3)")] {
        for (group, same) in [
            (format!("text(\"{path}\") * 4"), format!("{plain} * 4")),
            (format!("group(2, text(\"{path}\"))"), format!("group(2, {plain})")),
            (format!("poisson(1/4, text(\"{path}\"))"), format!("poisson(1/4, {plain})")),
        ] {
            let question = ["--delta", "1e-4", "--width", "1e-2"];
            assert_eq!(bracket(&group, &question), bracket(&same, &question), "{group}");
        }
        let replaced =
            refused(&["account", &format!("text(\"{path}\")"), "--delta", "1e-4", "--adjacency", "replace"]);
        assert!(replaced.contains("not about a row replaced"), "{replaced}");
    }
}

/// Where the neighbours of a text are not rows, a group is at least one step, and at most as many as it has records.
#[test]
fn texts_without_rows_are_bracketed_in_groups() {
    let question = ["--epsilon", "1/2"];
    let found = bracket("group(2, text(\"mechanisms/randomized_response.dp\", t = 2, p = 3/4))", &question);
    // Any two inputs are neighbours: the truth is that of one step.
    let one = bracket("response(2, 3/4)", &question);
    assert!(found.0 <= one.1 && found.1 >= one.0);
    assert!(found.1 >= bracket("group(2, pure(1.0986))", &question).0);
}

/// Every bound that `map` prints, in text and in JSON, is one as it stands there.
#[test]
fn printed_losses_are_bounds() {
    // ln(p/((1 − p)/(k − 1))) is no decimal.
    for denominator in 3..60u32 {
        let probability = format!("{}/{denominator}", denominator - 1);
        let arguments = ["map", "randomized-response", "--categories", "2", "--prob", &probability];
        let (code, printed, errors) = run(&arguments);
        assert_eq!(code, 0, "{errors}");
        let shown = printed.lines().last().unwrap().rsplit("ε = ").next().unwrap();
        let in_json = as_printed(&run(&[&arguments[..], &["--json"]].concat()).1, "epsilon");
        let (low, _) = ln_bounds(&Rational::from(denominator - 1), 300).unwrap();
        for text in [shown, &in_json] {
            let bound = number(text);
            assert!(bound > low && &bound - &low < number("1e-14"), "{denominator}: {text}");
        }
    }
    // A decimal that is a bound stays as short as it was.
    let exact = run(&["map", "discrete-laplace", "--scale", "10"]).1;
    assert!(exact.contains("ε = 0.1\n"), "{exact}");
}

/// A text whose loss is no fraction: the double of `run --json` is not below it, as it is printed.
#[test]
fn losses_of_runs_are_bounds() {
    for k in 3..20 {
        let path = file(
            &format!("run{k}.dp"),
            &format!(
                "mechanism m(x: category(2))
                y ~ response(x, {}/{k}, 2)
                return y
                neighbours any
                claim ln({})
                ",
                k - 1,
                k - 1
            ),
        );
        let printed = as_printed(&run(&["run", &path, "--input", "x=1", "--json"]).1, "epsilon");
        let (low, _) = ln_bounds(&Rational::from(k - 1), 300).unwrap();
        assert!(number(&printed) > low && number(&printed) - &low < number("1e-14"), "{k}: {printed}");
    }
}

/// What would disturb a terminal is escaped wherever others' words are shown.
#[test]
fn nothing_that_disturbs_a_terminal_is_echoed() {
    let plain = |text: &str| {
        !text.contains(|c: char| c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c))
    };
    for expression in [
        "gaussian(1) \u{1b}[31m",
        "ga\u{202e}ss(1)",
        "text(\"\u{1b}]0;x\u{7}\u{202e}.dp\")",
        "gaussian(\u{9b}2J)",
        "gaussian(1)\u{0d}gaussian(2)",
    ] {
        let errors = refused(&["account", expression, "--delta", "1e-5"]);
        assert!(plain(&errors), "{errors:?}");
        let (_, printed, errors) = run(&["account", expression, "--delta", "1e-5", "--json"]);
        assert!(plain(&printed) && plain(&errors), "{printed:?} {errors:?}");
    }
    for arguments in [["verify", "no\u{1b}[2Jsuch\u{202e}.dp"], ["list", "no\u{1b}[2Jsuch\u{202e}"]] {
        let errors = refused(&arguments);
        assert!(plain(&errors) && errors.contains("\\u{202e}"), "{errors:?}");
    }
    // The mark stands below its place.
    let errors = refused(&["account", "pure(1) + \u{202e}", "--delta", "1e-5"]);
    assert!(errors.contains("pure(1) + \u{fffd}\n          ^"), "{errors}");
}

/// Every stage keeps to the time that was given, on a machine that others use too.
#[test]
fn the_time_is_kept() {
    let curve = file("curve.html", "");
    let cases: [&[&str]; 5] = [
        &["approx(8.34e-19,1.93e-8)*1000000 + gaussian(65.6)", "--delta", "1e-6"],
        &["poisson(1/1000, gaussian(1)) * 1000000", "--delta", "1e-9", "--width", "1e-9"],
        &["laplace(50) * 1000 + poisson(1/100, gaussian(1)) * 1000", "--delta", "1e-9", "--curve", &curve],
        &[
            "poisson(1/100, gaussian(s)) * 10000 + laplace(30) * 10",
            "--delta",
            "1e-6",
            "--target-epsilon",
            "2",
            "--width",
            "1e-9",
        ],
        &["discrete_gaussian(9000) + discrete_gaussian(70)", "--epsilon", "5000"],
    ];
    for arguments in cases {
        let begin = Instant::now();
        let (_, printed, errors) = run(&[&["account"], arguments, &["--seconds", "4"]].concat());
        let elapsed = begin.elapsed().as_secs_f64();
        assert!(elapsed < 6.0, "{arguments:?}: {elapsed}\n{printed}{errors}");
    }
}
