//! What is built in, and whether every crate can be published: licences, sources, manifests. What `deny.toml` says to a
//! tool is checked here without one. Each check has a twin in which it must fail.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::common::root;

/// All packages that are built on this platform, as `cargo metadata` lists them.
fn packages() -> Vec<Value> {
    let rustc = Command::new("rustc").arg("-vV").output().unwrap();
    let version = String::from_utf8(rustc.stdout).unwrap();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--filter-platform", host])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let data: Value = serde_json::from_slice(&output.stdout).unwrap();
    data["packages"].as_array().unwrap().clone()
}

/// The entries of a list in a TOML file, as far as it is written in one line.
fn listed(text: &str, name: &str) -> Vec<String> {
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("{name} = ["))).unwrap_or_default();
    line.trim_end_matches(']').split(", ").map(|entry| entry.trim_matches('"').to_owned()).collect()
}

/// Whether a licence expression can be met with allowed licences only. AND binds tighter than OR; the old `A/B` is `A OR B`.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let met = alternatives(&words, &mut at, allowed);
    met && at == words.len()
}

fn alternatives(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut met = together(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        met |= together(words, at, allowed);
    }
    met
}

fn together(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut met = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        met &= one(words, at, allowed);
    }
    met
}

fn one(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    if words.get(*at) == Some(&"(") {
        *at += 1;
        let met = alternatives(words, at, allowed);
        let closed = words.get(*at) == Some(&")");
        *at += 1;
        return met && closed;
    }
    let mut name = words.get(*at).copied().unwrap_or_default().to_owned();
    *at += 1;
    if words.get(*at) == Some(&"WITH") {
        name = format!("{name} WITH {}", words.get(*at + 1).copied().unwrap_or_default());
        *at += 2;
    }
    allowed.contains(&name)
}

#[test]
fn licences_are_permissive_and_sources_known() {
    let deny = fs::read_to_string(root().join("deny.toml")).unwrap();
    let allowed = listed(&deny, "allow");
    assert!(allowed.contains(&"MIT".to_owned()));
    let packages = packages();
    assert!(packages.len() > 20);
    for package in &packages {
        let name = package["name"].as_str().unwrap();
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(is_allowed(licence, &allowed), "{name} has the licence '{licence}'");
        // Ours have no source; others come from the registry, never from a repository.
        let source = package["source"].as_str();
        assert!(source.is_none_or(|source| source.starts_with("registry+")), "{name} is from {source:?}");
        assert!(source.is_some() || name.starts_with("probity"), "{name} has no source");
    }
}

#[test]
fn a_licence_that_is_not_listed_is_noticed() {
    let allowed: Vec<String> =
        ["MIT", "Apache-2.0", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned).to_vec();
    for fine in [
        "MIT",
        "MIT/Apache-2.0",
        "GPL-3.0 OR MIT",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT",
        "GPL-3.0 AND MIT OR Apache-2.0",
    ] {
        assert!(is_allowed(fine, &allowed), "{fine}");
    }
    for wrong in [
        "",
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "(MIT OR Apache-2.0) AND GPL-3.0",
        "GPL-3.0 WITH MIT",
        "(MIT",
        "MIT MIT",
    ] {
        assert!(!is_allowed(wrong, &allowed), "{wrong}");
    }
    assert_eq!(listed("[licenses]\nallow = [\"MIT\", \"Zlib\"]\n", "allow"), ["MIT", "Zlib"]);
}

/// What keeps a crate from being published; `beside` are the names of the files next to its manifest.
fn unpublishable(package: &Value, beside: &[String]) -> Option<String> {
    for field in ["description", "license", "readme", "rust_version"] {
        if package[field].as_str().is_none_or(str::is_empty) {
            return Some(format!("has no {field}"));
        }
    }
    for field in ["categories", "keywords"] {
        if package[field].as_array().is_none_or(Vec::is_empty) {
            return Some(format!("has no {field}"));
        }
    }
    if let Some(missing) =
        ["LICENSE-MIT", "LICENSE-APACHE"].into_iter().find(|file| !beside.iter().any(|name| name == file))
    {
        return Some(format!("has no {missing} beside its manifest"));
    }
    // A path is good for us; whoever takes the crate from a registry needs a version. Dev-dependencies without one are
    // stripped.
    let dependencies = package["dependencies"].as_array()?;
    dependencies
        .iter()
        .find(|dependency| dependency["req"] == "*" && dependency["kind"] != "dev")
        .map(|dependency| format!("depends on any version of {}", dependency["name"]))
}

fn beside(package: &Value) -> Vec<String> {
    let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap());
    let entries = fs::read_dir(manifest.parent().unwrap()).unwrap();
    // A link that leads nowhere is no file.
    let there = |entry: &fs::DirEntry| entry.path().exists();
    entries
        .map(Result::unwrap)
        .filter(there)
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn every_crate_can_be_published() {
    let ours: Vec<Value> = packages().into_iter().filter(|package| package["source"].is_null()).collect();
    assert!(ours.len() >= 12);
    for package in &ours {
        assert_eq!(unpublishable(package, &beside(package)), None, "{}", package["name"]);
    }
}

#[test]
fn a_crate_that_cannot_be_published_is_noticed() {
    let ours = packages().into_iter().find(|package| package["name"] == "probity-kernel").unwrap();
    let files = beside(&ours);
    assert_eq!(unpublishable(&ours, &files), None);
    for field in ["description", "license", "readme", "rust_version", "categories", "keywords"] {
        let mut changed = ours.clone();
        changed[field] = Value::Null;
        assert!(unpublishable(&changed, &files).is_some(), "{field}");
    }
    let without: Vec<String> = files.iter().filter(|name| *name != "LICENSE-MIT").cloned().collect();
    assert!(unpublishable(&ours, &without).is_some());
    let mut changed = ours.clone();
    changed["dependencies"][0]["req"] = "*".into();
    changed["dependencies"][0]["kind"] = Value::Null;
    assert!(unpublishable(&changed, &files).is_some());
}
