//! Every refusal of the kernel's source is in the table, and every row of the table is a test.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A row of `switches.txt`.
#[derive(Default, Debug)]
struct Row {
    id: String,
    file: String,
    find: String,
    equivalent: bool,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

fn rows() -> Vec<Row> {
    let text = fs::read_to_string(folder().join("tests/side_conditions/switches.txt")).unwrap();
    let mut rows: Vec<Row> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let (key, value) = line.split_once(": ").unwrap_or((line.trim_end_matches(':'), ""));
        match key {
            "id" => rows.push(Row { id: value.into(), ..Row::default() }),
            "file" => rows.last_mut().unwrap().file = value.into(),
            "find" => rows.last_mut().unwrap().find = value.into(),
            "with" => {}
            "equivalent" => rows.last_mut().unwrap().equivalent = true,
            other => panic!("{other} in {line}"),
        }
    }
    rows
}

fn source(file: &str) -> String {
    fs::read_to_string(folder().join("src").join(file)).unwrap()
}

/// The source without white space, so that a switch does not depend on how lines are broken.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[test]
fn every_switch_is_in_the_source_once() {
    for row in rows() {
        let found = squeezed(&source(&row.file)).matches(&squeezed(&row.find)).count();
        assert_eq!(found, 1, "{}: '{}' occurs {found} times in {}", row.id, row.find, row.file);
    }
}

#[test]
fn every_row_is_a_test() {
    let tests: String = [
        "certificates_enter",
        "equivalences",
        "evidence",
        "final_rule",
        "finite_blocks",
        "programs",
        "sampling",
    ]
    .map(|file| fs::read_to_string(folder().join(format!("tests/side_conditions/{file}.rs"))).unwrap())
    .concat();
    let others = fs::read_to_string(folder().join("tests/tables.rs")).unwrap()
        + &fs::read_to_string(folder().join("tests/float_side_conditions.rs")).unwrap_or_default();
    for row in rows().iter().filter(|row| !row.equivalent) {
        let test = format!("fn {}()", row.id);
        assert!(tests.contains(&test) || others.contains(&test), "no test {}", row.id);
    }
}

/// The lines that refuse: each one must be within a switch, or follow one that decides.
fn refusals(file: &str) -> Vec<String> {
    let text = source(file);
    let code = text.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    let refusing = |line: &&str| {
        // A check whose value is not used, or an error that is made here.
        (line.ends_with("?;")
            && !line.starts_with("let ")
            && !line.contains(" = ")
            && !line.starts_with("return"))
            || line.contains("Err(")
            || line.contains("refuse(")
    };
    let defining = |line: &&str| {
        line.starts_with("fn ") || line.starts_with("pub fn ") || line.starts_with("pub(crate) fn ")
    };
    code.filter(refusing).filter(|line| !defining(line)).map(str::to_owned).collect()
}

/// Files of the proof core, whose refusals are all in the table; the float part and tables have test files of their own.
const FILES: &[&str] = &[
    "context.rs",
    "entail.rs",
    "equivalence.rs",
    "fact.rs",
    "finite.rs",
    "kind.rs",
    "poly.rs",
    "privacy.rs",
    "rules.rs",
    "sampling.rs",
];

#[test]
fn every_refusal_is_in_the_table() {
    let rows = rows();
    let listed = fs::read_to_string(folder().join("tests/side_conditions/refusals.txt")).unwrap();
    let mut missing = Vec::new();
    for file in FILES {
        for line in refusals(file) {
            let within =
                rows.iter().any(|row| row.file == *file && squeezed(&row.find).contains(&squeezed(&line)));
            // `file | line | id`: the row whose switch decides about this line.
            let by_list = listed.lines().any(|entry| {
                let parts: Vec<&str> = entry.splitn(3, " | ").collect();
                matches!(parts[..], [f, id, l] if f == *file && l == line
                    && (rows.iter().any(|row| row.id == id) || id == "passes on"))
            });
            if !within && !by_list {
                missing.push(format!("{file} | ? | {line}"));
            }
        }
    }
    assert!(missing.is_empty(), "not in the table:\n{}", missing.join("\n"));
    // And nothing is listed that is not there.
    let present: BTreeSet<String> = FILES
        .iter()
        .flat_map(|file| refusals(file).into_iter().map(move |line| format!("{file}|{line}")))
        .collect();
    for entry in listed.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let parts: Vec<&str> = entry.splitn(3, " | ").collect();
        let [file, _, line] = parts[..] else { panic!("{entry}") };
        assert!(present.contains(&format!("{file}|{line}")), "no such line: {entry}");
    }
}
