//! `noticed.txt` against the source: every condition in it is still there, a test that exists has noticed that it was off, and every
//! refusal of the files it covers is in it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Without any blanks: how a condition is broken into lines does not matter.
fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

fn rows() -> Vec<[String; 3]> {
    let text = fs::read_to_string(folder().join("tests/conditions/noticed.txt")).unwrap();
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| {
        let (file, rest) = line.split_once(" | ").unwrap();
        let (what, noticed) = rest.rsplit_once(" | ").unwrap();
        [file, what, noticed].map(str::to_owned)
    })
    .collect()
}

/// All names of functions under a folder.
fn functions(path: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            functions(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            found.extend(
                text.split("fn ").skip(1).filter_map(|rest| rest.split('(').next()).map(str::to_owned),
            );
        }
    }
}

#[test]
fn coverage_of_conditions() {
    let mut known = BTreeSet::new();
    functions(&folder().join("tests"), &mut known);
    functions(&folder().join("src"), &mut known);
    let rows = rows();
    assert!(rows.len() > 150, "{} rows", rows.len());
    let unnoticed = rows.iter().filter(|[.., noticed]| noticed == "-").count();
    assert_eq!(unnoticed, 0, "conditions that nothing notices: write a test for the new ones");
    for [file, what, noticed] in &rows {
        let source = dense(&fs::read_to_string(folder().join("src").join(file)).unwrap());
        assert!(
            source.contains(&dense(what)),
            "{file} has no more '{what}': run scripts/release_switches.py"
        );
        if let Some(reason) = noticed.strip_prefix("equivalent: ") {
            assert!(reason.len() > 10, "{file}: {what}");
            continue;
        }
        for test in noticed.split(" and ").next().unwrap_or_default().split(", ") {
            assert!(known.contains(test), "{file}: '{what}' is noticed by '{test}', which is no test");
        }
    }
}

/// A refusal of a condition that was added since.
#[test]
fn coverage_of_refusals() {
    let rows = rows();
    let files: BTreeSet<&str> = rows.iter().map(|[file, ..]| file.as_str()).collect();
    let mut missing = Vec::new();
    for file in files {
        let text = fs::read_to_string(folder().join("src").join(file)).unwrap();
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for (number, line) in lines.iter().enumerate() {
            // A condition on one line, and the refusal below it.
            let guarded =
                number > 0 && lines[number - 1].starts_with("if ") && lines[number - 1].ends_with('{');
            if guarded && line.starts_with("return Err(") {
                let start = squeezed(line);
                if !rows.iter().any(|[known, what, _]| known == file && what.starts_with(&start)) {
                    missing.push(format!("{file}:{}: {line}", number + 1));
                }
            }
        }
    }
    assert!(
        missing.is_empty(),
        "run scripts/release_switches.py; not in noticed.txt:\n{}",
        missing.join("\n")
    );
}
