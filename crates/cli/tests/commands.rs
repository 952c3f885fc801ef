//! Every subcommand as a user meets it: exit codes, JSON fields, and what happens to bad input.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use probity_exact::{parse_rational, rational_from_f64};
use serde_json::Value;

use crate::common::{answer, fresh, root};

fn probity(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
    command.args(arguments).current_dir(root()).stdin(Stdio::null()).env("PROBITY_SECONDS", "120");
    command
}

/// The exit code, standard output and standard error.
fn run(arguments: &[&str]) -> (i32, String, String) {
    answer(&mut probity(arguments))
}

/// The JSON answer of a command that exits with the given code.
fn json(arguments: &[&str], code: i32) -> Value {
    let (found, printed, errors) = run(arguments);
    assert_eq!(found, code, "{arguments:?}\n{printed}{errors}");
    serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{printed}"))
}

#[track_caller]
fn has_fields(value: &Value, fields: &[&str]) {
    for field in fields {
        assert!(value.get(field).is_some(), "there is no field {field} in {value:#}");
    }
}

/// A command is refused: exit code 2, nothing on standard output, and this in the message.
#[track_caller]
fn refused(arguments: &[&str], message: &str) {
    let (code, printed, errors) = run(arguments);
    assert_eq!(code, 2, "{arguments:?}\n{printed}{errors}");
    assert_eq!(printed, "", "{arguments:?}");
    assert!(errors.contains(message), "{arguments:?} says\n{errors}\nand not {message}");
    assert!(!errors.contains("panicked"), "{errors}");
}

/// A fresh folder for what a test writes.
fn folder(name: &str) -> PathBuf {
    fresh(&format!("commands-{name}"))
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

const LAPLACE: &str = "mechanisms/laplace.dp";
const SNAPPING: &str = "mechanisms/snapping.dp";
const HALF: &str = "mechanisms/broken/laplace_half_scale.dp";
const CERTIFICATE: &str = "certificates/laplace.cert";

#[test]
fn verify() {
    let value = json(&["verify", LAPLACE, "--json"], 0);
    has_fields(&value, &["file", "mechanism", "status", "claim", "epsilon", "delta", "axioms", "seconds"]);
    assert_eq!((&value["status"], &value["epsilon"]), (&"proved".into(), &"eps".into()));
    assert_eq!(value["axioms"], serde_json::json!(["LAPGEN"]));

    let value = json(&["verify", HALF, "--json"], 1);
    assert_eq!(value["status"], "refuted");
    has_fields(&value, &["reason", "counterexample"]);
    let fields =
        ["input", "neighbour", "event", "probability", "probability_of_neighbour", "loss", "evidence"];
    has_fields(&value["counterexample"], &fields);
    assert!(value["counterexample"]["loss"].as_f64().unwrap() > 1.9);
}

#[test]
fn verify_with_too_little_noise_is_never_proved() {
    for settings in [&["--set", "eps=1"][..], &["--set", "eps=1/1000"], &["--set", "eps=40"]] {
        let (code, printed, errors) = run(&[&["verify", HALF][..], settings].concat());
        assert_eq!(code, 1, "{printed}{errors}");
        assert!(!printed.contains("proved: mechanism"), "{printed}");
    }
}

#[test]
fn verify_a_folder() {
    let good = folder("verify-good");
    for name in ["laplace", "discrete_laplace", "randomized_response"] {
        fs::copy(root().join(format!("mechanisms/{name}.dp")), good.join(format!("{name}.dp"))).unwrap();
    }
    fs::copy(root().join(HALF), good.join("half.dp")).unwrap();
    let value = json(&["verify", text(&good), "--json"], 0);
    let statuses: Vec<&str> =
        value.as_array().unwrap().iter().map(|file| file["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["proved", "refuted", "proved", "proved"]);
    // Without the line that expects it, a refuted file makes the folder fail.
    let half = fs::read_to_string(good.join("half.dp")).unwrap();
    fs::write(good.join("half.dp"), half.replace("expect refuted", "")).unwrap();
    assert_eq!(run(&["verify", text(&good)]).0, 1);
}

#[test]
fn audit() {
    let set = ["--set", "eps=1", "--set", "B=100"];
    let value = json(&[&["audit", SNAPPING, "--inputs", "0", "1", "--json"][..], &set].concat(), 0);
    let fields =
        ["outcomes", "loss", "excess", "worst_outcome", "impossible", "impossible_mass", "escaped_mass"];
    has_fields(&value, &fields);
    assert_eq!((&value["outcomes"], &value["worst_outcome"]), (&201.into(), &"64".into()));
    let excess = value["excess"].as_f64().unwrap();
    assert!((1.9145e-15..1.9155e-15).contains(&excess), "{excess}");
    assert_eq!(value["neighbours"], true);
}

#[test]
fn audit_finds_impossible_outcomes() {
    let set = ["--set", "eps=0.5", "--set", "B=2000"];
    let value = json(&[&["audit", SNAPPING, "--inputs", "0", "1", "--json"][..], &set].concat(), 0);
    assert_eq!((&value["outcomes"], &value["impossible"]), (&1491.into(), &1.into()));
    assert!(value["impossible_mass"].as_f64().unwrap() > 0.0);
}

#[test]
fn audit_says_when_the_claim_is_not_about_the_inputs() {
    let set = ["--set", "eps=1", "--set", "B=100"];
    let value = json(&[&["audit", SNAPPING, "--inputs", "0", "5", "--json"][..], &set].concat(), 0);
    assert_eq!(value["neighbours"], false);
    assert!(value.get("excess").is_none_or(Value::is_null), "{value:#}");
    let (_, printed, _) = run(&[&["audit", SNAPPING, "--inputs", "0", "5"][..], &set].concat());
    assert!(printed.contains("not neighbours"), "{printed}");
    refused(
        &[&["audit", SNAPPING, "--inputs", "0", "500"][..], &set].concat(),
        "not defined for the input 500",
    );
}

#[test]
fn certify() {
    let set = ["--set", "eps=1", "--set", "B=100"];
    let value = json(&[&["certify", SNAPPING, "--json"][..], &set].concat(), 0);
    has_fields(
        &value,
        &["epsilon", "delta", "excess", "method", "published_bound", "published_holds", "cases"],
    );
    assert_eq!(value["delta"], 0.0);
    // The upper bound for all inputs is above the lower bound of two.
    assert!((5.5e-15..2.5e-13).contains(&value["excess"].as_f64().unwrap()), "{value:#}");
    let value = json(&["certify", LAPLACE, "--set", "eps=1", "--json"], 1);
    has_fields(&value, &["status", "reason"]);
    // The epsilon of the text is not below that of the theorem.
    let value = json(&[&["certify", SNAPPING, "--json"][..], &set].concat(), 0);
    let (_, printed, _) = run(&[&["certify", SNAPPING][..], &set].concat());
    let shown = printed.lines().find_map(|line| line.trim().strip_prefix("epsilon   ")).unwrap();
    let exact = parse_rational(value["epsilon_exact"].as_str().unwrap()).unwrap();
    assert!(parse_rational(shown).unwrap() >= exact, "{printed}");
    let (code, printed, _) =
        run(&["certify", SNAPPING, "--set", "eps=1", "--set", "B=1", "--uniform-bits", "53"]);
    assert!(code == 0 && printed.contains("pure: delta = 0") && !printed.contains("none"), "{printed}");
    // A format is written as the language writes it, or by its numbers, and is shown in one way.
    for format in ["float(8, -12, 12)", "8,-12,12"] {
        let arguments = ["certify", SNAPPING, "--set", "eps=1", "--set", "B=1", "--in", format, "--json"];
        let (_, printed, errors) = run(&arguments);
        assert!(printed.contains("float(8, -12, 12)"), "{printed}{errors}");
    }
}

#[test]
fn certify_knows_where_the_published_bound_fails() {
    let value = json(&["certify", SNAPPING, "--set", "eps=0.5", "--set", "B=2000", "--json"], 0);
    assert_eq!(value["published_holds"], false);
    assert!(value["delta"].as_f64().unwrap() > 0.0);
}

#[test]
fn map() {
    let value = json(&["map", "discrete-laplace", "--scale", "7/3", "--d-in", "2", "--json"], 0);
    assert_eq!(value["epsilon"].as_f64().unwrap(), 0.857_142_857_142_857_2);
    let arguments =
        ["map", "randomized-response", "--categories", "10", "--prob", "1/2", "--d-in", "1", "--json"];
    assert_eq!(json(&arguments, 0)["epsilon"].as_f64().unwrap(), 2.197_224_577_336_219_6);
    assert_eq!(json(&["map", "discrete-laplace", "--scale", "0", "--json"], 0)["epsilon"], "inf");
    let value = json(&["map", "discrete-gaussian", "--squared-scale", "5", "--json"], 0);
    has_fields(&value, &["rho", "map", "d_in"]);
    // Ten thousand answers together: the published value to all its digits, not ten thousand times one.
    let together = "map discrete-laplace --scale 100 --answers 10000 --total-delta 1e-6 --json";
    let value = json(&together.split(' ').collect::<Vec<_>>(), 0);
    let ends = ["lower", "upper"].map(|end| value["total"][end].as_f64().unwrap());
    assert!(4.885515600 < ends[0] && ends[0] <= ends[1] && ends[1] < 4.885515602, "{value}");
    let value = json(
        &["map", "gaussian", "--scale", "10", "--answers", "100", "--total-delta", "1e-15", "--json"],
        0,
    );
    assert!((value["total"]["upper"].as_f64().unwrap() - 8.165580).abs() < 1e-5, "{value}");
    // Of a mechanism that is known by its guarantee nothing is known from below: the law loses 17.8455 here.
    let guaranteed = "map randomized-response --categories 3 --prob 1/2 --answers 30 --total-delta 1e-6";
    let value = json(&[guaranteed, "--json"].join(" ").split(' ').collect::<Vec<_>>(), 0);
    assert_eq!(value["total"]["lower"].as_f64(), Some(0.0));
    let (code, printed, _) = run(&guaranteed.split(' ').collect::<Vec<_>>());
    assert!(code == 0 && printed.contains("epsilon at most 20.58"), "{printed}");
    // Options that an answer would leave out are refused.
    for together in [
        "--target-epsilon 1 --answers 10",
        "--target-epsilon 1 --total-delta 1e-6",
        "--target-epsilon 1 --alpha 0.05 --target-error 30",
        "--alpha 0.05 --target-error 30 --total-delta 1e-6",
        "--scale 1 --answers 10",
    ] {
        let all = format!("map discrete-laplace {together}");
        assert_eq!(run(&all.split(' ').collect::<Vec<_>>()).0, 2, "{together}");
    }
    let value = json(&["map", "discrete-laplace", "--target-epsilon", "1/10", "--json"], 0);
    assert_eq!((&value["parameter"], &value["exact"]), (&"scale".into(), &"10".into()));
}

#[test]
fn sample() {
    let (code, printed, _) = run(&["sample", "discrete-laplace", "--scale", "10", "--count", "1000"]);
    assert_eq!(code, 0);
    let values: Vec<i64> = printed.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(values.len(), 1000);
    // A thousand draws are all equal with probability below 20^-999.
    assert!(values.iter().any(|value| *value != values[0]));
    let (_, printed, _) =
        run(&["sample", "discrete-laplace", "--scale", "0", "--input", "7", "--count", "2"]);
    assert_eq!(printed, "7\n7\n");
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let arguments = ["sample", "discrete-laplace", "--scale", "10", "--count", "100000000000"];
    let mut child = probity(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = [0u8; 64];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn a_certificate_is_written_and_accepted() {
    let place = folder("write-certificate");
    let path = place.join("laplace.cert");
    let (code, printed, _) = run(&["verify", LAPLACE, "--certificate", text(&path)]);
    assert!(code == 0 && printed.contains("certificate: "), "{printed}");
    // Written whole: no temporary neighbour is left.
    assert_eq!(fs::read_dir(&place).unwrap().count(), 1);
    let value = json(&["check", text(&path), "--mechanism", LAPLACE, "--json"], 0);
    assert_eq!((&value["status"], &value["mechanism"]), (&"accepted".into(), &"laplace".into()));
    // What is not proved has no certificate.
    let none = place.join("half.cert");
    assert_eq!(run(&["verify", HALF, "--certificate", text(&none)]).0, 1);
    assert!(!none.exists());
}

/// A certificate of floats is a file like others: written by `certify` and `verify`, replayed by `check`.
#[test]
fn a_certificate_of_floats_is_written_and_accepted() {
    let place = folder("float-certificate");
    let path = place.join("family.cert");
    let ranges = ["--set", "eps=1/2..2", "--set", "B=1..100"];
    let value =
        json(&[&["certify", SNAPPING, "--json", "--certificate", text(&path)][..], &ranges].concat(), 0);
    let statement = value["statement"].as_str().unwrap();
    let (code, printed, _) = run(&["check", text(&path)]);
    assert!(code == 0 && printed.starts_with(&format!("accepted: {statement}")), "{printed}");
    let value = json(&["check", text(&path), "--json"], 0);
    assert_eq!(value["axioms"], serde_json::json!(["THRESHOLD"]));

    // The claim of a file.
    let claim = place.join("claim.dp");
    let source = fs::read_to_string(root().join(SNAPPING)).unwrap();
    assert!(source.contains("claim eps\n"));
    fs::write(&claim, source.replace("claim eps\n", "claim eps + 1e-12 in binary64\n")).unwrap();
    let path = place.join("claim.cert");
    let set = ["--set", "eps=0.1", "--set", "B=100"];
    let (code, printed, errors) =
        run(&[&["verify", text(&claim), "--certificate", text(&path)][..], &set].concat());
    assert!(code == 0 && printed.contains("certificate: "), "{printed}{errors}");
    assert_eq!(run(&[&["check", text(&path), "--mechanism", text(&claim)][..], &set].concat()).0, 0);
    let other = ["--set", "eps=0.2", "--set", "B=100"];
    assert_eq!(run(&[&["check", text(&path), "--mechanism", text(&claim)][..], &other].concat()).0, 1);

    // What is refused has none.
    let wrong = place.join("hundred.dp");
    fs::write(&wrong, source.replace("ln(u) / eps", "ln(u) / (100 * eps)")).unwrap();
    let none = place.join("none.cert");
    let (code, printed, _) =
        run(&[&["certify", text(&wrong), "--certificate", text(&none)][..], &ranges].concat());
    assert!(code == 1 && printed.contains("refused: ") && !none.exists(), "{printed}");
}

#[test]
fn a_certificate_about_another_file_is_rejected() {
    let (code, printed, _) = run(&["check", CERTIFICATE, "--mechanism", SNAPPING]);
    assert!(code == 1 && printed.contains("and not about"), "{printed}");
    assert_eq!(run(&["check", CERTIFICATE, "--mechanism", LAPLACE, "--set", "eps=1"]).0, 1);
    assert_eq!(run(&["check", CERTIFICATE, "--mechanism", LAPLACE]).0, 0);
}

/// The SHA-256 that the second line must have is told by the rejection itself, so that a forger has it.
fn mended(path: &Path) {
    let (_, printed, _) = run(&["check", text(path)]);
    let hash = printed.trim().rsplit(' ').next().unwrap().to_owned();
    let forged: Vec<String> = fs::read_to_string(path)
        .unwrap()
        .lines()
        .enumerate()
        .map(|(number, line)| if number == 1 { format!("hash {hash}") } else { line.to_owned() })
        .collect();
    fs::write(path, forged.join("\n") + "\n").unwrap();
}

/// What a certificate holds reaches the terminal as text: it cannot clear the screen and write a verdict of its own.
#[test]
fn a_rejected_certificate_does_not_write_on_the_screen() {
    let place = folder("escapes");
    let hostile = "\u{1b}[2J\u{1b}[Haccepted: private\u{1b}[8m";
    for (name, forged) in [
        ("release.cert", format!("probity-release 1\nquery \"{hostile}\nproof\n")),
        ("proof.cert", format!("{hostile}\n")),
        ("line.cert", fs::read_to_string(root().join(CERTIFICATE)).unwrap().replacen("claim", hostile, 1)),
    ] {
        let path = place.join(name);
        fs::write(&path, forged).unwrap();
        let (code, printed, said) = run(&["check", text(&path)]);
        assert_ne!(code, 0, "{name}");
        assert!(!printed.contains('\u{1b}') && !said.contains('\u{1b}'), "{name}: {printed:?} {said:?}");
    }
}

#[test]
fn a_tampered_certificate_is_rejected_at_the_step() {
    let place = folder("tamper");
    let honest = fs::read_to_string(root().join(CERTIFICATE)).unwrap();
    let path = place.join("forged.cert");
    let rejected = |forged: &str, mend: bool, reason: &str| {
        assert_ne!(forged, honest);
        fs::write(&path, forged).unwrap();
        if mend {
            mended(&path);
        }
        let (code, printed, _) = run(&["check", text(&path)]);
        assert_eq!(code, 1, "{forged}\n{printed}");
        assert!(printed.starts_with("rejected: ") && printed.contains(reason), "{printed}");
    };
    let flipped = if honest.contains("hash e") { "hash 0" } else { "hash e" };
    let hash = honest.find("hash ").unwrap();
    rejected(&format!("{}{flipped}{}", &honest[..hash], &honest[hash + 6..]), false, "the hash is");
    // A smaller claim, and less noise: first as they are, then with the hash that goes with them.
    let smaller =
        honest.replace("(claim (var (plain $eps))", "(claim (binary / (var (plain $eps)) (number 2))");
    let noise = "(laplace (var (plain $x)) (binary / (number 1) (var (plain $eps))))";
    let quieter =
        honest.replacen(noise, "(laplace (var (plain $x)) (binary / (number 1/2) (var (plain $eps))))", 1);
    for forged in [&smaller, &quieter] {
        rejected(forged, false, "the hash is");
        rejected(forged, true, "side conditions");
    }
    // A draw that costs nothing.
    let plan = honest.find("(shift (number 0) ").unwrap();
    let end = plan + honest[plan..].find('\n').unwrap();
    let parentheses = ")".repeat(6);
    let free = format!("{}(shift (number 0) (number 0){parentheses}{}", &honest[..plan], &honest[end..]);
    rejected(&free, false, "side conditions");
    // A line less, and a line more.
    let lines: Vec<&str> = honest.lines().collect();
    rejected(&(lines[..lines.len() - 1].join("\n") + "\n"), false, "evidence is missing");
    rejected(&format!("{honest}{}\n", lines[lines.len() - 1]), false, "not used");
}

#[test]
fn roundoff() {
    let path = folder("roundoff").join("two.fpcore");
    let cores = "(FPCore (x) :name \"half\" :pre (<= 1 x 2) (/ x (+ x 1)))
                 (FPCore (x) :name \"loop\" :pre (<= 1 x 2) (while (< x 9) ([x x (+ x 1)]) x))";
    fs::write(&path, cores).unwrap();
    let value = json(&["roundoff", text(&path), "--json"], 0);
    has_fields(&value[0], &["name", "absolute", "relative", "sampled", "seconds"]);
    assert!(value[0]["sampled"].as_f64().unwrap() <= value[0]["absolute"].as_f64().unwrap());
    has_fields(&value[1], &["name", "not_covered"]);
    refused(&["roundoff", text(&path), "--name", "hlaf"], "it has half, loop");
    // What is printed of a bound is one: upper bounds are rounded up, the error that occurs down.
    let benchmarks = "crates/float/tests/data/benchmarks.fpcore";
    fs::write(&path, "(FPCore (x) :name \"id\" :pre (<= 1 x 2) x)").unwrap();
    for file in [text(&path), benchmarks] {
        let effort = ["--effort", "1000"];
        let exact = json(&[&["roundoff", file, "--json"][..], &effort].concat(), 0);
        let (_, printed, _) = run(&[&["roundoff", file][..], &effort].concat());
        let rows: Vec<Vec<&str>> =
            printed.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
        for found in exact.as_array().unwrap() {
            let row = rows.iter().find(|row| row.first() == found["name"].as_str().as_ref()).unwrap();
            let number = |column: usize| parse_rational(row[column]).ok();
            for (column, field, above) in
                [(1, "absolute", true), (2, "sampled", false), (3, "relative", true)]
            {
                let Some(bound) = found[field].as_f64() else { continue };
                let (exact, shown) = (rational_from_f64(bound).unwrap(), number(column).unwrap());
                assert!(if above { shown >= exact } else { shown <= exact }, "{row:?} {bound:e}");
                assert!(shown.to_f64().value() / bound - 1.0 < 2e-3, "{row:?} {bound:e}");
            }
        }
    }
    fs::write(&path, "; nothing\n").unwrap();
    refused(&["roundoff", text(&path)], "there is no FPCore program");
    fs::write(&path, "(FPCore (x").unwrap();
    refused(&["roundoff", text(&path)], "two.fpcore");
}

#[test]
fn list_and_fmt() {
    let value = json(&["list", "--json"], 0);
    assert!(value.as_array().unwrap().len() >= 30);
    has_fields(&value[0], &["file", "mechanism", "inputs", "params", "claim", "expected"]);

    let path = folder("fmt").join("m.dp");
    fs::write(&path, "mechanism  m(x:real)\nparam eps>0\ny~laplace(x,1/eps)\nreturn y\nneighbours abs(x' - x)<=1\nclaim eps\n")
        .unwrap();
    let (code, named, why) = run(&["fmt", "--check", text(&path)]);
    assert_eq!((code, named.trim_end()), (1, text(&path)));
    assert!(why.contains("m.dp:1:") && why.contains("mechanism m(x: real)"), "{why}");
    let (_, printed, _) = run(&["fmt", "--print", text(&path)]);
    assert_eq!(run(&["fmt", text(&path)]).0, 0);
    assert_eq!(fs::read_to_string(&path).unwrap(), printed);
    assert_eq!(run(&["fmt", "--check", text(&path)]), (0, String::new(), String::new()));
}

#[test]
fn completions_and_man() {
    for shell in ["bash", "zsh", "fish"] {
        let (code, printed, _) = run(&["completions", shell]);
        assert!(code == 0 && printed.contains("verify"));
    }
    let (code, printed, _) = run(&["man"]);
    assert!(code == 0 && printed.contains(".TH probity"));
    assert_eq!(run(&["--version"]).0, 0);
}

#[test]
fn files_that_are_none() {
    let place = folder("bad-files");
    let [empty, binary, huge] = ["empty.dp", "binary.dp", "huge.dp"].map(|name| place.join(name));
    fs::write(&empty, "").unwrap();
    fs::write(&binary, [b'm', 0xff, 0xfe]).unwrap();
    // Sparse: it takes no room.
    fs::File::create(&huge).unwrap().set_len(100 << 20).unwrap();
    let audit = |path| ["audit", path, "--inputs", "0", "1"];
    for command in ["verify", "explain", "certify", "check", "roundoff", "fmt", "list"] {
        refused(&[command, "no/such/file.dp"], "cannot read no/such/file.dp");
        refused(&[command, text(&binary)], "binary.dp is not UTF-8 text (byte 1)");
        refused(&[command, text(&huge)], "104857600 bytes");
    }
    for command in ["explain", "certify", "check", "roundoff"] {
        refused(&[command, text(&place)], "is a folder, not a file");
    }
    for command in ["verify", "explain", "certify", "check", "roundoff", "fmt", "list"] {
        refused(&[command, text(&empty)], "empty.dp is empty");
    }
    refused(&audit("no/such/file.dp"), "cannot read");
    refused(&audit(text(&place)), "is a folder");
    let nothing = folder("no-mechanisms");
    for command in ["verify", "fmt", "list"] {
        refused(&[command, text(&nothing)], "there is no .dp file");
    }
    refused(&["verify", LAPLACE, "--certificate", "no/such/folder/x.cert"], "cannot write");
}

#[test]
fn names_that_are_misspelt() {
    refused(&["verfy", LAPLACE], "'verify'");
    refused(&["verify", LAPLACE, "--jsn"], "'--json'");
    refused(&["map", "discrete-lapalce", "--scale", "1"], "'discrete-laplace'");
    refused(&["verify", LAPLACE, "--set", "esp=1"], "its parameters are eps");
    refused(&["audit", LAPLACE, "--set", "eps=1", "--inputs", "y=0", "y=1"], "its inputs are x");
    refused(&["audit", SNAPPING, "--in", "binray64", "--inputs", "0", "1"], "binary64");
    let path = folder("misspelt").join("typo.dp");
    let typo = fs::read_to_string(root().join(LAPLACE)).unwrap().replace("~ laplace", "~ lapalce");
    fs::write(&path, typo).unwrap();
    refused(&["verify", text(&path)], "did you mean `laplace`?");
}

#[test]
fn numbers_that_are_none() {
    for bad in ["eps", "eps=", "eps=x", "eps=1/0", "eps=1e999999999", "eps=NaN", "eps=-1", "eps=0"] {
        refused(&["verify", LAPLACE, "--set", bad], "error: ");
    }
    refused(&["audit", LAPLACE, "--set", "eps=1", "--inputs", "0", "x"], "'x' is not a number");
    refused(&["audit", LAPLACE, "--set", "eps=1", "--inputs", "0"], "2 values required");
    refused(&["audit", SNAPPING, "--inputs", "0", "1"], "no value was given");
    refused(&["audit", LAPLACE, "--set", "eps=-1", "--inputs", "0", "1"], "eps > 0 is required");
    refused(&["map", "discrete-laplace", "--scale", "-1"], "scale = -1 is not allowed");
    refused(&["map", "discrete-laplace", "--scale", "1", "--d-in", "-1"], "d_in = -1 is not allowed");
    refused(&["map", "discrete-laplace"], "scale is missing");
    refused(&["map", "randomized-response", "--categories", "1", "--prob", "1/2"], "from 2 to");
    // The double nearest to a third is less than a third.
    let third = "6004799503160661/18014398509481984";
    refused(&["map", "randomized-response", "--categories", "3", "--prob", third], "compared exactly");
    refused(&["sample", "discrete-laplace", "--scale", "x"], "'x' is not a number");
    refused(&["sample", "discrete-laplace", "--scale", "1", "--count", "x"], "--count");
}

/// A certificate without a Coq text is accepted, says which rule is not exported with exit code 1, and leaves no file.
#[test]
fn what_is_not_exported_is_said() {
    let folder = folder("not_exported");
    let (file, certificate, out) =
        (folder.join("two_coins.dp"), folder.join("two_coins.cert"), folder.join("two_coins.v"));
    let coins = "mechanism two_coins(truth: bool)\nc1 ~ bernoulli(1/2)\nc2 ~ bernoulli(1/2)\nans = c2\nif c1 {\n  ans = truth\n}\nreturn ans\nneighbours any\nclaim ln(3)\n";
    fs::write(&file, coins).unwrap();
    assert_eq!(run(&["verify", text(&file), "--certificate", text(&certificate)]).0, 0);
    let asked = ["check", text(&certificate), "--coq", text(&out)];
    let (code, printed, errors) = run(&asked);
    assert_eq!(code, 1, "{printed}{errors}");
    assert!(printed.starts_with("accepted: "), "{printed}");
    let last = printed.lines().last().unwrap();
    assert_eq!(last, "not exported: MAXDIV for a block of more than two statements");
    assert!(!out.exists());
    let answer = json(&[&asked[..], &["--json"]].concat(), 1);
    assert_eq!((&answer["status"], answer.get("coq")), (&Value::from("accepted"), None));
    assert_eq!(answer["not_exported"], last);
    // One that has a text is written, with exit code 0.
    let laplace = json(&["check", "certificates/laplace.cert", "--coq", text(&out), "--json"], 0);
    assert!(laplace.get("not_exported").is_none() && out.exists(), "{laplace}");
}
