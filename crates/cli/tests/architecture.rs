//! The invariants of ARCHITECTURE.md that a machine can check. Each check has a twin that must fail.

use std::collections::{BTreeMap, BTreeSet};
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

#[test]
fn no_library_contains_unsafe_code() {
    for folder in ["trusted", "crates"] {
        for library in files(&root().join(folder), &["src/lib.rs", "lib.rs"]) {
            assert!(read(&library).contains("#![forbid(unsafe_code)]"), "{}", library.display());
        }
    }
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

/// What the command may not know: the prover and the audit, as crates or by way of the manifest, and of the kernel anything
/// but what a mechanism is.
fn decides_itself(manifest: &str, code: &str) -> Option<String> {
    let forbidden = ["probity-prove", "probity-audit"];
    if let Some(name) = dependencies(manifest).into_iter().find(|name| forbidden.contains(&name.as_str())) {
        return Some(format!("depends on {name}"));
    }
    if let Some(name) = ["probity_prove", "probity_audit"].into_iter().find(|name| has_word(code, name)) {
        return Some(format!("uses {name}"));
    }
    modules_of_the_kernel(code)
        .into_iter()
        .find(|module| !matches!(module.as_str(), "term" | "expr"))
        .map(|module| format!("uses the kernel's {module:?}"))
}

/// The modules of the kernel that code names: what follows `probity_kernel::`, every entry of a brace; `*` for the crate
/// under another name.
fn modules_of_the_kernel(code: &str) -> Vec<String> {
    let word = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let mut modules = Vec::new();
    for (at, name) in code.match_indices("probity_kernel") {
        match code[at + name.len()..].strip_prefix("::") {
            None => modules.push("*".to_owned()),
            Some(rest) if rest.trim_start().starts_with('{') => {
                let mut depth = 0;
                let mut entry = String::new();
                for c in rest.trim_start().chars() {
                    match c {
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        _ => {}
                    }
                    if (c == ',' && depth == 1) || depth == 0 {
                        modules.extend(Some(word(&entry)).filter(|entry| !entry.is_empty()));
                        entry.clear();
                    } else if !(c == '{' && depth == 1) {
                        entry.push(c);
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
            Some(rest) => modules.push(word(rest)),
        }
    }
    modules
}

#[test]
fn the_command_decides_nothing() {
    let manifest = read(&root().join("crates/cli/Cargo.toml"));
    for (path, code) in sources("crates/cli/src") {
        assert_eq!(decides_itself(&manifest, &code), None, "{}", path.display());
    }
}

#[test]
fn a_command_that_decides_is_noticed() {
    let honest = "[dependencies]\nprobity-verdict.workspace = true\nprobity-kernel.workspace = true\n";
    assert_eq!(
        decides_itself(
            honest,
            "use probity_kernel::term::Reading;\nuse probity_kernel::{expr, term::Claim};"
        ),
        None
    );
    for crafty in ["probity-prove.workspace = true", "probity-audit = { path = \"../audit\" }"] {
        assert!(decides_itself(&format!("[dependencies]\n{crafty}\n"), "").is_some(), "{crafty}");
    }
    for crafty in [
        "let found = probity_audit::search_refutation(m, c, p);",
        "use probity_prove::prove;",
        "use probity_kernel::rules::seq;",
        "use probity_kernel::{term::Reading, privacy};",
        "use probity_kernel::{\n    expr::{Name, Run},\n    sampling::lapgen,\n};",
        "use probity_kernel as kernel;",
        "use probity_kernel::{float::Snapped};",
    ] {
        assert!(decides_itself(honest, crafty).is_some(), "{crafty}");
    }
}

/// Which rooms of a crate use which others. A room is a folder of `src`, or a file there; `lib.rs` is the door.
fn uses_of_rooms(files: &[(String, String)]) -> BTreeMap<String, BTreeSet<String>> {
    let room = |path: &str| path.split('/').next().unwrap_or_default().trim_end_matches(".rs").to_owned();
    let rooms: BTreeSet<String> =
        files.iter().map(|(path, _)| room(path)).filter(|room| room != "lib").collect();
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, code) in files.iter().filter(|(path, _)| room(path) != "lib") {
        let used = uses.entry(room(path)).or_default();
        for (at, word) in code.match_indices("crate::") {
            let rest = code[at + word.len()..].trim_start();
            // A brace names several rooms; deeper ones are behind a room's name.
            let named = rest
                .strip_prefix('{')
                .map_or(rest, |inner| inner.split_once('}').map_or(inner, |(all, _)| all));
            let entries = if rest.starts_with('{') { named.split(',').collect() } else { vec![named] };
            for entry in entries {
                let name: String =
                    entry.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if rooms.contains(&name) && name != room(path) {
                    used.insert(name);
                }
            }
        }
    }
    uses
}

/// A room that can be reached from itself, with the way around.
fn cycle(uses: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn walk(at: &str, way: &mut Vec<String>, uses: &BTreeMap<String, BTreeSet<String>>) -> bool {
        way.push(at.to_owned());
        for next in uses.get(at).into_iter().flatten() {
            if *next == way[0] || (!way.contains(next) && walk(next, way, uses)) {
                return true;
            }
        }
        way.pop();
        false
    }
    uses.keys().find_map(|room| {
        let mut way = Vec::new();
        walk(room, &mut way, uses).then_some(way)
    })
}

fn rooms_of(folder: &str) -> Vec<(String, String)> {
    let start = root().join(folder);
    let name = |path: &Path| path.strip_prefix(&start).unwrap().to_string_lossy().replace('\\', "/");
    sources(folder).into_iter().map(|(path, code)| (name(&path), code)).collect()
}

#[test]
fn rooms_do_not_go_round_in_circles() {
    for folder in ["crates/audit/src", "crates/prove/src", "crates/verdict/src", "crates/lang/src"] {
        assert_eq!(cycle(&uses_of_rooms(&rooms_of(folder))), None, "{folder}");
    }
}

#[test]
fn a_circle_of_rooms_is_noticed() {
    let honest = [
        ("lib.rs", "use crate::a::A; use crate::b::B;"),
        ("a/mod.rs", ""),
        ("a/one.rs", "use crate::a::two;"),
        ("b.rs", "use crate::a::one;"),
    ];
    let crate_of = |files: &[(&str, &str)]| -> Vec<(String, String)> {
        files.iter().map(|(path, code)| ((*path).to_owned(), (*code).to_owned())).collect()
    };
    assert_eq!(cycle(&uses_of_rooms(&crate_of(&honest))), None);
    for planted in ["use crate::b::B;", "use crate::{a::one, b::B};", "let x = crate::b::f();"] {
        let mut circle = crate_of(&honest);
        circle.push(("a/two.rs".into(), planted.into()));
        assert_eq!(
            cycle(&uses_of_rooms(&circle)).as_deref(),
            Some(&["a".to_owned(), "b".to_owned()][..]),
            "{planted}"
        );
    }
    // A longer way round, in the house itself.
    let mut audit = rooms_of("crates/audit/src");
    audit.push(("output/planted.rs".into(), "use crate::refute::search::search_refutation;".into()));
    assert!(cycle(&uses_of_rooms(&audit)).is_some());
}

/// Folders of a crate's source with more files than a visitor takes in.
fn crowded(paths: &[String], most: usize) -> Vec<String> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for path in paths {
        *count.entry(path.rsplit_once('/').map_or("", |(folder, _)| folder)).or_default() += 1;
    }
    count.into_iter().filter(|(_, files)| *files > most).map(|(folder, _)| folder.to_owned()).collect()
}

#[test]
fn no_room_is_a_hall() {
    for folder in
        ["crates/audit/src", "crates/prove/src", "crates/verdict/src", "crates/lang/src", "crates/float/src"]
    {
        let paths: Vec<String> = rooms_of(folder).into_iter().map(|(path, _)| path).collect();
        assert_eq!(crowded(&paths, 15), Vec::<String>::new(), "{folder}");
    }
    let many: Vec<String> = (0..16).map(|i| format!("hall/{i}.rs")).chain(["lib.rs".into()]).collect();
    assert_eq!(crowded(&many, 15), ["hall"]);
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
