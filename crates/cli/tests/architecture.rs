//! The invariants of ARCHITECTURE.md that a machine can check. Each check has a twin that must fail.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All files below a folder with one of these endings, outside build output and hidden folders.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                found.extend(files(&path, endings));
            }
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

/// The part of a source file that is code, not its unit tests, comments or documentation.
fn code(text: &str) -> String {
    let before_tests = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    before_tests
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Names in the sections `[dependencies]` and `[build-dependencies]` of a manifest.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut section = "";
    let mut names = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        } else if matches!(section, "[dependencies]" | "[build-dependencies]")
            && let Some(name) = line.split(['=', '.', ' ']).next()
            && !name.is_empty()
            && !name.starts_with('#')
        {
            names.push(name.to_owned());
        }
    }
    names
}

fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let boundary = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        boundary(text[..at].chars().next_back()) && boundary(text[at + word.len()..].chars().next())
    })
}

#[test]
fn the_readers_of_manifests_and_code_are_no_rubber_stamps() {
    let manifest = "[package]\nname = \"a\"\n[dependencies]\nx = \"1\"\ny.workspace = true\n[dev-dependencies]\nz = \"1\"";
    assert_eq!(dependencies(manifest), ["x", "y"]);
    assert!(has_word(&code("let a = 1.0f64; // no\nlet b: f64 = a;"), "f64"));
    assert!(!has_word(&code("// f64 in a comment\nlet as_f64x = 1;"), "f64"));
    assert!(!has_word(&code("fn a() {}\n#[cfg(test)]\nmod tests {\n let x: f64 = 0.0; }"), "f64"));
}

#[test]
fn trusted_crates_depend_on_nothing_in_crates() {
    let ours: Vec<String> = files(&root().join("crates"), &["Cargo.toml"])
        .iter()
        .flat_map(|path| {
            let name = read(path).lines().find_map(|line| line.strip_prefix("name = ").map(str::to_owned));
            name.map(|name| name.trim_matches('"').to_owned())
        })
        .collect();
    assert!(ours.contains(&"probity-noise".to_owned()));
    for manifest in files(&root().join("trusted"), &["Cargo.toml"]) {
        for name in dependencies(&read(&manifest)) {
            assert!(!ours.contains(&name), "{} depends on {name}", manifest.display());
        }
    }
}

/// The one file that may contain `unsafe` code: how a generator knows that its process was forked.
const UNSAFE: &str = "crates/noise/src/entropy/fork.rs";

#[test]
fn no_library_contains_unsafe_code_but_one_file() {
    let noise = root().join("crates/noise/src/lib.rs");
    for folder in ["trusted", "crates"] {
        for library in files(&root().join(folder), &["src/lib.rs", "lib.rs"]) {
            let level = if library == noise { "#![deny(unsafe_code)]" } else { "#![forbid(unsafe_code)]" };
            assert!(read(&library).contains(level), "{}", library.display());
        }
        for path in files(&root().join(folder), &[".rs"]) {
            // Tests are programs of their own, and no release runs them.
            let is_library = path.components().any(|part| part.as_os_str() == "src");
            let has_unsafe = has_word(&code(&read(&path)), "unsafe");
            if is_library && has_unsafe {
                assert_eq!(path, root().join(UNSAFE), "unsafe code belongs into {UNSAFE} alone");
            }
        }
    }
    let text = read(&root().join(UNSAFE));
    assert!(has_word(&code(&text), "unsafe") && text.contains("//! # Safety"));
    assert!(text.lines().count() <= 200, "{UNSAFE} must stay small");
}

#[test]
fn every_dependency_is_explained() {
    let architecture = read(&root().join("ARCHITECTURE.md"));
    for folder in ["trusted", "crates"] {
        for manifest in files(&root().join(folder), &["Cargo.toml"]) {
            for name in dependencies(&read(&manifest)) {
                let explained = name.starts_with("probity") || architecture.contains(&format!("`{name}`"));
                assert!(explained, "{name} of {} is not in ARCHITECTURE.md", manifest.display());
            }
        }
    }
}

#[test]
fn files_can_be_read_in_one_sitting() {
    for folder in ["trusted", "crates"] {
        for path in files(&root().join(folder), &[".rs"]) {
            let lines = read(&path).lines().count();
            assert!(lines <= 700, "{} has {lines} lines", path.display());
        }
    }
}

#[test]
fn unfinished_work_does_not_land() {
    let marks = [
        concat!("todo", "!("),
        concat!("unimplemented", "!("),
        concat!("#[ig", "nore"),
        concat!("FIX", "ME"),
    ];
    for folder in ["trusted", "crates"] {
        for path in files(&root().join(folder), &[".rs"]) {
            let text = read(&path);
            for mark in marks {
                assert!(!text.contains(mark), "{} contains {mark}", path.display());
            }
        }
    }
}

/// Source files of a folder, with their code but not their unit tests or comments.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let found: Vec<_> = files(&root().join(folder), &[".rs"])
        .into_iter()
        .map(|path| (path.clone(), code(&read(&path))))
        .collect();
    assert!(!found.is_empty(), "{folder} has no source files");
    found
}

#[test]
fn no_f64_decides_anything_in_the_kernel() {
    for (path, code) in sources("trusted/kernel/src") {
        assert!(!has_word(&code, "f64") && !has_word(&code, "f32"), "{} mentions f64", path.display());
    }
}

#[test]
fn the_kernel_does_not_panic() {
    for (path, code) in sources("trusted/kernel/src") {
        for mark in [".unwrap()", ".expect(", "panic!(", "unreachable!("] {
            assert!(!code.contains(mark), "{} contains {mark}", path.display());
        }
    }
}

#[test]
fn a_theorem_travels_in_no_file() {
    for manifest in files(&root().join("trusted"), &["Cargo.toml"]) {
        assert!(
            !dependencies(&read(&manifest)).iter().any(|name| name.starts_with("serde")),
            "{}",
            manifest.display()
        );
    }
}

#[test]
fn the_audit_uses_none_of_the_kernels_rules() {
    for (path, code) in sources("crates/audit/src") {
        for (at, _) in code.match_indices("probity_kernel::") {
            let module: String = code[at + "probity_kernel::".len()..]
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            assert!(matches!(module.as_str(), "term" | "expr"), "{} uses {module}", path.display());
        }
        assert!(!has_word(&code, "Theorem"), "{} mentions Theorem", path.display());
    }
    let manifest = read(&root().join("crates/audit/Cargo.toml"));
    assert!(!dependencies(&manifest).iter().any(|name| name == "probity-prove"));
}

#[test]
fn no_machine_and_no_registry_is_named() {
    let words =
        [concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("crates", ".io-"), concat!("/wo", "rk/")];
    for path in files(&root(), &[".rs", ".md", ".toml", ".dp", ".py", ".sh"]) {
        let text = read(&path);
        for word in words {
            assert!(!text.contains(word), "{} contains {word}", path.display());
        }
    }
}
