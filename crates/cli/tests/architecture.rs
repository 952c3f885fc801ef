//! The invariants of ARCHITECTURE.md that a machine can check. Each check has a twin that must fail.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::root;

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

/// The first of these dependencies that a manifest has.
fn depends_on(manifest: &str, names: &[String]) -> Option<String> {
    dependencies(manifest).into_iter().find(|name| names.contains(name))
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
        assert_eq!(depends_on(&read(&manifest), &ours), None, "{}", manifest.display());
    }
    let crafty = "[dependencies]\nprobity-exact.workspace = true\nprobity-prove.workspace = true\n";
    assert_eq!(depends_on(crafty, &ours).as_deref(), Some("probity-prove"));
}

fn forbids_unsafe(library: &str) -> bool {
    library.lines().any(|line| line == "#![forbid(unsafe_code)]")
}

/// The one file that may contain `unsafe` code: how a generator knows that its process was forked.
const UNSAFE: &str = "crates/noise/src/entropy/fork.rs";

#[test]
fn no_library_contains_unsafe_code_but_one_file() {
    let noise = root().join("crates/noise/src/lib.rs");
    for folder in ["trusted", "crates"] {
        for library in files(&root().join(folder), &["src/lib.rs", "lib.rs"]) {
            let text = read(&library);
            let fine =
                if library == noise { text.contains("#![deny(unsafe_code)]") } else { forbids_unsafe(&text) };
            assert!(fine, "{}", library.display());
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
    assert!(!forbids_unsafe("//! A library.\n// #![forbid(unsafe_code)]\npub fn f() {}"));
}

/// The first dependency of a manifest that the page does not explain.
fn unexplained(manifest: &str, page: &str) -> Option<String> {
    let explained = |name: &String| name.starts_with("probity") || page.contains(&format!("`{name}`"));
    dependencies(manifest).into_iter().find(|name| !explained(name))
}

#[test]
fn every_dependency_is_explained() {
    let architecture = read(&root().join("ARCHITECTURE.md"));
    for folder in ["trusted", "crates"] {
        for manifest in files(&root().join(folder), &["Cargo.toml"]) {
            assert_eq!(unexplained(&read(&manifest), &architecture), None, "{}", manifest.display());
        }
    }
    assert_eq!(
        unexplained("[dependencies]\nserde_yaml = \"1\"", &architecture).as_deref(),
        Some("serde_yaml")
    );
}

/// Lines of a file that is still read in one sitting.
const MOST_LINES: usize = 700;

fn is_long(text: &str) -> bool {
    text.lines().count() > MOST_LINES
}

#[test]
fn files_can_be_read_in_one_sitting() {
    for folder in ["trusted", "crates"] {
        for path in files(&root().join(folder), &[".rs"]) {
            assert!(!is_long(&read(&path)), "{} has more than {MOST_LINES} lines", path.display());
        }
    }
    assert!(is_long(&"line\n".repeat(MOST_LINES + 1)) && !is_long(&"line\n".repeat(MOST_LINES)));
}

/// A mark of work that is not done.
fn unfinished(text: &str) -> Option<&'static str> {
    let marks = [
        concat!("todo", "!("),
        concat!("unimplemented", "!("),
        concat!("#[ig", "nore"),
        concat!("FIX", "ME"),
    ];
    marks.into_iter().find(|mark| text.contains(mark))
}

#[test]
fn unfinished_work_does_not_land() {
    for folder in ["trusted", "crates"] {
        for path in files(&root().join(folder), &[".rs"]) {
            assert_eq!(unfinished(&read(&path)), None, "{}", path.display());
        }
    }
    for crafty in [
        concat!("fn f() { to", "do!() }"),
        concat!("#[ig", "nore = \"slow\"]"),
        concat!("// FIX", "ME: soon"),
    ] {
        assert!(unfinished(crafty).is_some(), "{crafty}");
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

fn mentions_machine_floats(code: &str) -> bool {
    has_word(code, "f64") || has_word(code, "f32")
}

#[test]
fn no_f64_decides_anything_in_the_kernel() {
    for (path, code) in sources("trusted/kernel/src") {
        assert!(!mentions_machine_floats(&code), "{} mentions machine floats", path.display());
    }
    assert!(mentions_machine_floats("fn close(a: f32) -> bool { a < 1.0 }"));
}

/// Whether code keeps something in a thread rather than in a field.
fn hides_in_a_thread(code: &str) -> bool {
    code.contains("thread_local!")
}

/// What is remembered is a field that its reader sees; only the generator, of which each thread has its own, is not.
#[test]
fn nothing_is_remembered_in_a_thread() {
    let generator = root().join("crates/noise/src/entropy/secure.rs");
    for folder in ["trusted", "crates"] {
        for (path, code) in sources(folder) {
            let is_library = path.components().any(|part| part.as_os_str() == "src");
            assert!(!is_library || path == generator || !hides_in_a_thread(&code), "{}", path.display());
        }
    }
    assert!(hides_in_a_thread("thread_local! { static KNOWN: Cell<u32> = Cell::default(); }"));
}

/// Something that panics, in code.
fn panics(code: &str) -> Option<&'static str> {
    [".unwrap()", ".expect(", "panic!(", "unreachable!("].into_iter().find(|mark| code.contains(mark))
}

#[test]
fn the_kernel_does_not_panic() {
    for (path, code) in sources("trusted/kernel/src") {
        assert_eq!(panics(&code), None, "{}", path.display());
    }
    assert!(panics("let x = y.unwrap();").is_some() && panics("let x = y.unwrap_or(0);").is_none());
}

/// What trusted crates may depend on: numbers, and nothing that could write a value to a file or read one.
const NUMBERS_ONLY: [&str; 4] = ["dashu-base", "dashu-int", "dashu-ratio", "probity-exact"];

/// The files of the final rules.
const SEALS: [&str; 5] =
    ["privacy.rs", "privacy/foreseen.rs", "privacy/group.rs", "float/threshold.rs", "float/theorem.rs"];

/// A way by which a theorem could come from a file instead of from the rules: a dependency that is not about numbers,
/// input and output in the kernel, a theorem made of text, bytes or nothing, or outside the files that seal it.
fn smuggles_theorems(manifest: &str, file: &str, code: &str) -> Option<String> {
    if let Some(name) = dependencies(manifest).into_iter().find(|name| !NUMBERS_ONLY.contains(&name.as_str()))
    {
        return Some(format!("depends on {name}"));
    }
    let doors = [
        "std::fs",
        "std::io",
        "std::env",
        "std::net",
        "std::process",
        "std::mem",
        "transmute",
        "Deserialize",
        "Serialize",
    ];
    if let Some(door) = doors.into_iter().find(|door| has_word(code, door)) {
        return Some(format!("uses {door}"));
    }
    let spaces: Vec<&str> = code.split_whitespace().collect();
    let line = spaces.join(" ");
    for theorem in ["Theorem", "FloatTheorem"] {
        let from_elsewhere = ["Default", "FromStr", "From<", "TryFrom<", "Deserialize"];
        if from_elsewhere
            .iter()
            .any(|made| line.contains(&format!("impl {made}")) && line.contains(&format!("for {theorem} ")))
        {
            return Some(format!("makes a {theorem} of something else"));
        }
        // A literal is an expression: after `Ok(`, `=`, `return` or the like, not after `struct`, `impl` or `for`.
        for (at, _) in line.match_indices(&format!("{theorem} {{")) {
            let before = line[..at].trim_end();
            let is_definition = ["struct", "impl", "for", "->"].iter().any(|word| before.ends_with(word));
            let is_other_name = line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let sealed = SEALS.contains(&file);
            if !is_definition && !is_other_name && !sealed {
                return Some(format!("makes a {theorem} outside the files that seal it"));
            }
        }
    }
    None
}

#[test]
fn a_theorem_travels_in_no_file() {
    for manifest in files(&root().join("trusted"), &["Cargo.toml"]) {
        assert_eq!(smuggles_theorems(&read(&manifest), "", ""), None, "{}", manifest.display());
    }
    for (path, code) in rooms_of("trusted/kernel/src") {
        assert_eq!(smuggles_theorems("", &path, &code), None, "{path}");
    }
    // What is in a certificate is a derivation: no table of its text form knows theorems.
    for path in ["crates/prove/src/certificate/code.rs", "crates/prove/src/certificate/text.rs"] {
        assert!(!has_word(&code(&read(&root().join(path))), "Theorem"), "{path}");
    }
}

#[test]
fn a_smuggled_theorem_is_noticed() {
    for crafty in ["serde = \"1\"", "borsh = \"1\"", "rkyv.workspace = true", "probity-lang.workspace = true"]
    {
        assert!(smuggles_theorems(&format!("[dependencies]\n{crafty}\n"), "", "").is_some(), "{crafty}");
    }
    for crafty in [
        "use std::fs;",
        "let text = std::io::stdin();",
        "impl FromStr for Theorem {\n}",
        "impl Default\n for FloatTheorem {}",
        "impl From<Claim> for Theorem {}",
        "Ok(Theorem { mechanism, claim, axioms })",
        "let forged =\n    FloatTheorem {\n subject, excess };",
        "let t: Theorem = unsafe { std::mem::transmute(x) };",
    ] {
        assert!(smuggles_theorems("", "sampling.rs", crafty).is_some(), "{crafty}");
    }
    for honest in [
        "pub struct Theorem { claim: Claim }",
        "impl Theorem { }",
        "fn f() -> Theorem { g() }",
        "Ok(Lemma { name })",
    ] {
        assert_eq!(smuggles_theorems("", "sampling.rs", honest), None, "{honest}");
    }
}

/// What the audit may not know: the prover, theorems, and of the kernel anything but what a
/// mechanism is and when its laws mean something.
fn shares_rules(manifest: &str, code: &str) -> Option<String> {
    if dependencies(manifest).iter().any(|name| name == "probity-prove") {
        return Some("depends on the prover".into());
    }
    if has_word(code, "Theorem") {
        return Some("mentions theorems".into());
    }
    modules_of_the_kernel(code)
        .into_iter()
        // What a term is, what a call means, and which laws mean something: definitions, no rules.
        .find(|module| !matches!(module.as_str(), "term" | "expr" | "expand" | "law"))
        .map(|module| format!("uses the kernel's {module:?}"))
}

#[test]
fn the_audit_uses_none_of_the_kernels_rules() {
    let manifest = read(&root().join("crates/audit/Cargo.toml"));
    for (path, code) in sources("crates/audit/src") {
        assert_eq!(shares_rules(&manifest, &code), None, "{}", path.display());
    }
    for crafty in
        ["use probity_kernel::poly::Poly;", "use probity_kernel::{expr, rules};", "fn f() -> Theorem {}"]
    {
        assert!(shares_rules("", crafty).is_some(), "{crafty}");
    }
    assert!(shares_rules("[dependencies]\nprobity-prove.workspace = true", "").is_some());
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
    for folder in [
        "crates/audit/src",
        "crates/prove/src",
        "crates/verdict/src",
        "crates/lang/src",
        "crates/float/src",
        "crates/cli/src",
        "trusted/kernel/src",
    ] {
        let paths: Vec<String> = rooms_of(folder).into_iter().map(|(path, _)| path).collect();
        assert_eq!(crowded(&paths, 15), Vec::<String>::new(), "{folder}");
    }
    let many: Vec<String> = (0..16).map(|i| format!("hall/{i}.rs")).chain(["lib.rs".into()]).collect();
    assert_eq!(crowded(&many, 15), ["hall"]);
}

/// A name of a machine's folder or of a registry's host.
fn names_a_machine(text: &str) -> Option<&'static str> {
    let words =
        [concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("crates", ".io-"), concat!("/wo", "rk/")];
    words.into_iter().find(|word| text.contains(word))
}

#[test]
fn no_machine_and_no_registry_is_named() {
    for path in files(&root(), &[".rs", ".md", ".toml", ".dp", ".py", ".sh"]) {
        assert_eq!(names_a_machine(&read(&path)), None, "{}", path.display());
    }
    assert!(names_a_machine(concat!("see /ho", "me/me/notes.txt")).is_some());
}

/// The first file of a crate's tests that no program has: neither a module of `all.rs` nor a target of the manifest.
fn left_out(manifest: &str, all: &str, names: &[String]) -> Option<String> {
    let names_of = |text: &str, before: &str, after: &str| -> BTreeSet<String> {
        let lines = text.lines().filter_map(|line| line.strip_prefix(before)?.strip_suffix(after));
        lines.map(str::to_owned).collect()
    };
    let targets = manifest.split_once("[[test]]").map_or("", |(_, targets)| targets);
    let mut known = names_of(all, "mod ", ";");
    known.extend(names_of(targets, "name = \"", "\""));
    names.iter().find(|name| !known.contains(*name)).cloned()
}

#[test]
fn every_test_file_is_run() {
    let mut looked_at = 0;
    for path in files(&root(), &["Cargo.toml"]) {
        let manifest = read(&path);
        // Where nobody switched it off, Cargo finds the files itself.
        if !manifest.contains("autotests = false") {
            continue;
        }
        let folder = path.with_file_name("tests");
        let all = read(&folder.join("all.rs"));
        let mut names: Vec<String> = files(&folder, &[".rs"])
            .iter()
            .map(|path| path.strip_prefix(&folder).unwrap())
            .filter(|path| path.components().count() == 1 || path.ends_with("main.rs"))
            .map(|path| path.components().next().unwrap().as_os_str().to_string_lossy().replace(".rs", ""))
            .collect();
        assert_eq!(left_out(&manifest, &all, &names), None, "{}", folder.display());
        names.push("forgotten".into());
        assert_eq!(left_out(&manifest, &all, &names).as_deref(), Some("forgotten"), "{}", folder.display());
        looked_at += 1;
    }
    assert!(looked_at >= 13, "{looked_at}");
    // Neither the name of the crate nor a comment is a program.
    let manifest = "[package]\nname = \"forgotten\"\nautotests = false\n\n[[test]]\nname = \"all\"\n";
    let forgotten = left_out(manifest, "// mod forgotten;\nmod known;\n", &["forgotten".into()]);
    assert_eq!(forgotten.as_deref(), Some("forgotten"));
    assert_eq!(left_out(manifest, "mod known;\n", &["known".into(), "all".into()]), None);
}
