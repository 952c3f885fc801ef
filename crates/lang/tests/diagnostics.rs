//! The data suites: `tests/accept` loads, `tests/reject` is refused with the codes written in its lines.
//!
//! A line expects the codes after `//~` in it, and the end of a file those after `//~eof`. Nothing else may be
//! reported, and nothing less.

use crate::common;

use std::collections::{BTreeMap, BTreeSet};

use common::sources;
use probity_lang::{Code, Diagnostic, LineIndex, format, load_text, render};

/// Codes per line, counted from one; 0 stands for the end of the file.
type Expected = BTreeMap<usize, Vec<String>>;

fn expected(text: &str) -> Expected {
    let mut all = Expected::new();
    for (number, line) in text.lines().enumerate() {
        let Some((_, marker)) = line.split_once("//~") else { continue };
        let (place, codes) = match marker.strip_prefix("eof") {
            Some(codes) => (0, codes),
            None => (number + 1, marker),
        };
        all.entry(place).or_default().extend(codes.split_whitespace().map(str::to_string));
    }
    all.values_mut().for_each(|codes| codes.sort());
    all
}

fn found(text: &str, diagnostics: &[Diagnostic]) -> Expected {
    let index = LineIndex::new(text);
    let mut all = Expected::new();
    for diagnostic in diagnostics {
        let at_end = diagnostic.span.start as usize == text.len();
        let place = if at_end { 0 } else { index.line_of(diagnostic.span.start) + 1 };
        all.entry(place).or_default().push(diagnostic.code.to_string());
    }
    all.values_mut().for_each(|codes| codes.sort());
    all
}

#[test]
fn accepted_files_load_with_the_warnings_they_name() {
    for (path, text) in sources("tests/accept") {
        let name = path.display().to_string();
        match load_text(&text) {
            Err(faults) => panic!("{}", render(&faults, &name, &text)),
            Ok(program) => {
                let shown = render(&program.warnings, &name, &text);
                assert_eq!(found(&text, &program.warnings), expected(&text), "{name}\n{shown}");
            }
        }
    }
}

#[test]
fn rejected_files_are_refused_with_the_codes_they_name() {
    let mut wrong = String::new();
    for (path, text) in sources("tests/reject") {
        let name = path.display().to_string();
        let faults = load_text(&text).expect_err(&format!("{name} was accepted"));
        let (found, expected) = (found(&text, &faults), expected(&text));
        if found != expected {
            let shown = render(&faults, &name, &text);
            wrong.push_str(&format!("{name}\nfound    {found:?}\nexpected {expected:?}\n{shown}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_code_is_reported_by_some_file() {
    let mut seen = BTreeSet::new();
    for (_, text) in [sources("tests/reject"), sources("tests/accept")].concat() {
        seen.extend(expected(&text).into_values().flatten());
    }
    // These three are about a file as a whole; `robustness.rs` and the documentation of `load` test them.
    for elsewhere in [Code::UnreadableFile, Code::FileTooLarge, Code::TooManyFaults] {
        seen.insert(elsewhere.to_string());
    }
    let all: BTreeSet<String> = Code::ALL.iter().map(Code::to_string).collect();
    assert_eq!(seen, all);
}

#[test]
fn every_message_says_what_was_expected() {
    for (path, text) in sources("tests/reject") {
        for fault in load_text(&text).unwrap_err() {
            assert!(fault.message.contains("expected"), "{}: {fault}", path.display());
        }
    }
}

#[test]
fn unformatted_files_keep_their_meaning() {
    for (path, text) in sources("tests/accept") {
        let name = path.display();
        let formatted = format(&text).unwrap();
        assert_eq!(format(&formatted).unwrap(), formatted, "{name}");
        let (before, after) = (load_text(&text).unwrap(), load_text(&formatted).unwrap());
        assert_eq!(before.mechanism, after.mechanism, "{name}");
        assert_eq!((before.claim, before.hints), (after.claim, after.hints), "{name}");
    }
}

/// The hints of all faults of a text.
fn hints(text: &str) -> String {
    let faults = load_text(text).expect_err(text);
    faults.iter().filter_map(|fault| fault.hint.clone()).collect::<Vec<_>>().join("\n")
}

#[test]
fn hints_say_what_to_write() {
    let text = |body: &str| {
        format!(
            "mechanism m(q: real[n])\nparam n: int >= 1\n{body}\nneighbours one entry of q differs by at most 1\nclaim 1\n"
        )
    };
    for (body, hint) in [
        (
            "d = 1 / n\nreturn 0\nneighbours every entry of q differs by at most d",
            "`let d = …` above the statements",
        ),
        ("for v in q {\n  break\n}\nreturn 0", "`if not done { … }`"),
        ("out = []\nout[0] = q[0]\nreturn out", "`append(out, …)`"),
    ] {
        let found = hints(&text(body));
        assert!(found.contains(hint), "{body}\n{found}");
    }
    let square = "mechanism m(q: real[n][n])\nparam n: int >= 1\nreturn 0\nneighbours one entry of q differs by at most 1\nclaim 1\n";
    assert!(hints(square).contains("`q[i * m + j]`"), "{}", hints(square));
    let text = |neighbours: &str, claim: &str| {
        format!(
            "mechanism m(x: real, p: rows(v: real))\ny ~ gaussian(x + count(r in p), 1)\nreturn y\n\
             neighbours {neighbours}\nclaim {claim}\n"
        )
    };
    for (neighbours, claim, hint) in [
        ("any", "rho = 1 / 2", "`claim rho 1 / 2`"),
        ("any", "mu = 1", "`claim mu 1 / 2`"),
        ("any", "epsilon = 1", "`claim 1`"),
        ("at most 2 rows of p are replaced", "1", "`one row of p is replaced`"),
        ("x differs by at most 1", "1", "`abs(x' - x) <= 1`"),
    ] {
        let text = text(neighbours, claim);
        let faults = load_text(&text).expect_err(&text);
        assert_eq!(faults.len(), 1, "{faults:?}");
        let found = hints(&text);
        assert!(found.contains(hint), "{text}\n{found}");
    }
    let faults = load_text(&text("at most 2 rows of p are gone", "1")).unwrap_err();
    assert!(faults[0].message.starts_with("expected `added or removed`, found"), "{faults:?}");
}

#[test]
fn a_parameter_between_two_numbers_is_real() {
    let text = |param: &str| {
        load_text(&format!(
            "mechanism m(x: bool)\n{param}\nb ~ bernoulli(if x then p else 1 - p)\nreturn b\nneighbours any\nclaim ln(3)\n"
        ))
        .unwrap()
        .mechanism
    };
    assert_eq!(text("param p in [1/4, 1/2]"), text("param p: real in [1/4, 1/2]"));
    assert_ne!(text("param p in [1/4, 1/2]"), text("param p: real in [1/5, 1/2]"));
}
