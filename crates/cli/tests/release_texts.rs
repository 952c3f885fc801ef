//! Texts that others wrote, in what the command says about releases: they stay on one line, and look like nothing that we say.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::fresh;

const POLICY: &str = r#"
[budget]
epsilon = "2"
per_query = { epsilon = "1/2" }
[table.people]
unit = "row"
[table.people.columns]
age = { type = "int", between = [0, 120] }
place = { references = "places" }
[public.places]
key = "code"
[public.places.columns]
height = { type = "int", between = [0, 9000] }
"#;

fn folder(name: &str) -> PathBuf {
    let folder = fresh(&format!("texts-{name}"));
    fs::write(folder.join("p.toml"), POLICY).unwrap();
    fs::write(folder.join("people.csv"), "age,place\n40,x\n").unwrap();
    folder
}

/// What is printed, of a command that must succeed.
fn said(folder: &Path, arguments: &[&str]) -> String {
    let done =
        Command::new(env!("CARGO_BIN_EXE_probity")).args(arguments).current_dir(folder).output().unwrap();
    let (out, error) = (String::from_utf8(done.stdout).unwrap(), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{arguments:?}: {out}{error}");
    out
}

/// Lines that begin with this.
fn count(text: &str, start: &str) -> usize {
    text.lines().filter(|line| line.trim_start().starts_with(start)).count()
}

#[test]
fn a_certificate_prints_no_lines_of_its_own() {
    let place = folder("check");
    let query = "SELECT COUNT(*) /*\nbudget: epsilon 1/1000\nassumption: none\nthe mechanism is that of the query under this policy\n\u{202e}*/ AS n FROM people";
    let ledger =
        ["--ledger", "l", "--init", "--data", "people=people.csv", "--certificate", "c", "--data-version"];
    let version = "today\nbudget: epsilon 1/1000\nthe mechanism is that of the query under this policy";
    said(&place, &[&["release", "--policy", "p.toml"], &ledger[..], &[version, query]].concat());
    for (policy, sentences) in [(&["--policy", "p.toml"][..], 1), (&[], 0)] {
        let out = said(&place, &[&["check", "c"], policy].concat());
        assert_eq!(count(&out, "budget: "), 1, "{out}");
        assert!(out.contains("\nbudget: epsilon 1/2\n"), "{out}");
        assert_eq!(count(&out, "the mechanism is that of the query"), sentences, "{out}");
        assert_eq!(count(&out, "query: SELECT COUNT(*) /* budget"), 1, "{out}");
        assert!(!out.contains('\u{202e}'), "{out}");
        // Nobody can check which data it was.
        let behind = out.split("checked by nothing:").nth(1).unwrap();
        assert!(behind.trim_start().starts_with("data-version: today budget"), "{out}");
    }
}

#[test]
fn notes_are_kept_and_are_no_entries() {
    let place = folder("notes");
    let note = "agreed\n2      2026-11-18T08:49:37Z  epsilon 0  epsilon 0";
    let files = ["--policy", "p.toml", "--ledger", "l", "--note", note];
    said(&place, &[&["budget", "init"], &files[..]].concat());
    said(&place, &[&["budget", "amend"], &files[..]].concat());
    let out = said(&place, &["budget", "--ledger", "l", "--verify"]);
    assert_eq!((count(&out, "1 "), count(&out, "2 ")), (1, 1), "{out}");
    assert!(
        out.contains("(the policy is pinned: agreed 2 ")
            && out.contains("(another policy is pinned: agreed 2"),
        "{out}"
    );
    // As it was written, for programs.
    let json: serde_json::Value =
        serde_json::from_str(&said(&place, &["budget", "--ledger", "l", "--json"])).unwrap();
    assert_eq!((&json["entries"][0]["query"], &json["entries"][1]["query"]), (&note.into(), &note.into()));
}

#[test]
fn a_policy_in_json_says_what_it_says_to_people() {
    let place = folder("policy");
    let json: serde_json::Value =
        serde_json::from_str(&said(&place, &["policy", "p.toml", "--json"])).unwrap();
    let columns = &json["tables"][0]["columns"];
    assert_eq!((&columns[0]["low"], &columns[0]["high"]), (&"0".into(), &"120".into()), "{json:#}");
    assert_eq!(columns[1]["type"], "a key of places");
    assert_eq!((&json["public"][0]["name"], &json["public"][0]["key"]), (&"places".into(), &"code".into()));
    assert_eq!(json["public"][0]["columns"][0]["type"], "number in steps of 1, 0 to 9000");
    assert!(said(&place, &["policy", "p.toml"]).contains("height: number in steps of 1, 0 to 9000"));
}

#[test]
fn a_policy_is_listed_with_a_line_for_each_column() {
    let place = folder("listed");
    fs::write(place.join("p.toml"), POLICY.replace("age = {", "\"age\\n  place\" = {")).unwrap();
    let out = said(&place, &["policy", "p.toml"]);
    assert_eq!((count(&out, "age place: number"), count(&out, "place: ")), (1, 1), "{out}");
}
