//! Every refusal of the kernel's source is in the table, and every row of the table was noticed by a test that exists.
//!
//! `noticed.txt` is what `scripts/switches.py` found: a refusal that was switched off, and the tests that failed then.
//! `arms.txt` lists the refusals that no condition decides, with the test in which each one says no.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// How a theorem is shown, and nothing that refuses.
const SHOWN: &str = "text/render.rs";

/// Every file of the kernel but that.
fn sources() -> Vec<String> {
    let root = folder().join("src");
    let names = files_below(&root)
        .into_iter()
        .map(|path| path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned());
    let mut names: Vec<_> = names.filter(|name| name != SHOWN).collect();
    names.sort();
    assert!(names.len() > 50);
    names
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// `file | what | tests`, a row a line.
fn table(name: &str) -> Vec<[String; 3]> {
    let text = fs::read_to_string(folder().join("tests/side_conditions").join(name)).unwrap();
    let rows = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    rows.map(|line| {
        let (file, rest) = line.split_once(" | ").unwrap();
        let (what, tests) = rest.rsplit_once(" | ").unwrap();
        [file, what, tests].map(str::to_owned)
    })
    .collect()
}

/// The names of all tests of this folder, of tables, of the concentrated measure and of floats.
fn tests() -> BTreeSet<String> {
    let here = ["tests/side_conditions", "tests/float_side_conditions", "tests/float_numbers"]
        .into_iter()
        .flat_map(|name| files_below(&folder().join(name)));
    let beside = [
        "tests/tables.rs",
        "tests/concentrated.rs",
        "tests/lists.rs",
        "tests/conversion.rs",
        "tests/call.rs",
        "tests/sample.rs",
        "tests/derivations.rs",
        "src/evidence/memo.rs",
    ]
    .map(|file| folder().join(file));
    let files = here.chain(beside);
    let sources = files.filter(|path| path.extension().is_some_and(|e| e == "rs"));
    let text: String = sources.map(|path| fs::read_to_string(path).unwrap()).collect();
    let after = text.split("#[test]").skip(1).map(str::trim_start);
    let names = after.filter_map(|rest| rest.strip_prefix("fn ")?.split_once('('));
    names.map(|(name, _)| name.to_owned()).collect()
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What refuses in a file: checks whose value is not used, and errors that are made there.
fn refusals(file: &str) -> Vec<String> {
    let text = fs::read_to_string(folder().join("src").join(file)).unwrap();
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.starts_with("//")).collect();
    let mut found = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let begins = number > 0 && lines[number - 1].ends_with([';', '{', '}']);
        let unused = line.ends_with("?;")
            && !line.starts_with("let ")
            && !line.starts_with("return")
            && !line.starts_with(['}', '.', ')'])
            && !line.starts_with("write")
            && !line.contains(" = ")
            && line.matches('(').count() == line.matches(')').count();
        if unused && begins {
            found.push(squeezed(line));
        } else if line.starts_with("return Err(") || line.starts_with("return refuse(") {
            // A refusal that begins here, to the end of its parentheses.
            let mut whole = String::new();
            for more in &lines[number..] {
                whole = format!("{whole} {more}");
                if whole.matches('(').count() == whole.matches(')').count() {
                    break;
                }
            }
            found.push(squeezed(&whole));
        }
    }
    found
}

#[test]
fn every_refusal_is_in_the_table() {
    // Behind `let … else` and in the arms of a match there is no condition to switch off.
    let noticed: Vec<_> = table("noticed.txt").into_iter().chain(table("arms.txt")).collect();
    let mut missing = Vec::new();
    for file in &sources() {
        for what in refusals(file) {
            if !noticed.iter().any(|row| row[0] == *file && row[1] == what) {
                missing.push(format!("{file} | {what}"));
            }
        }
    }
    assert!(missing.is_empty(), "run scripts/switches.py; not in noticed.txt:\n{}", missing.join("\n"));
}

#[test]
fn every_row_was_noticed_by_a_test_that_exists() {
    let tests = tests();
    for [file, what, by] in table("noticed.txt").into_iter().chain(table("arms.txt")) {
        if by.starts_with("equivalent: ") {
            continue;
        }
        let first = by.split([',', ' ']).next().unwrap();
        assert!(tests.contains(first) || first == "does_not_end", "{file} | {what}: no test {by}");
    }
}

#[test]
fn every_arm_that_refuses_is_in_the_table() {
    let arms = table("arms.txt");
    for file in &sources() {
        let text = fs::read_to_string(folder().join("src").join(file)).unwrap();
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
            let makes = line.contains("Err(") || line.contains("refuse(") || line.contains("ok_or");
            let defines = line.starts_with("fn ") || line.starts_with("pub fn ");
            if makes && !line.contains("return ") && !defines {
                assert!(arms.iter().any(|row| row[0] == *file && row[1] == line), "{file} | {line}");
            }
        }
    }
    for [file, line, _] in arms {
        let text = fs::read_to_string(folder().join("src").join(&file)).unwrap();
        assert!(squeezed(&text).contains(&squeezed(&line)), "no such line: {file} | {line}");
    }
}
