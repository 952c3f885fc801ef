//! The pages on the papers keep their word: what they refer to exists. Their commands are run by `manual.rs`.

use std::fs;
use std::path::Path;

use probity_exact::{Enclosure, rational};

use crate::common::root;

const PAGES: [&str; 2] = ["docs/papers.md", "docs/findings.md"];

fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// What stands between backticks in running text.
fn quoted(text: &str) -> Vec<&str> {
    let mut in_block = false;
    let lines = text.lines().filter(|line| {
        let fence = line.starts_with("```");
        in_block ^= fence;
        !fence && !in_block
    });
    lines.flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
}

/// Files, and items of files, among what is quoted.
fn references(text: &str) -> Vec<&str> {
    let folders = ["trusted/", "crates/", "mechanisms/", "certificates/", "docs/", "tests/", "bench/"];
    quoted(text).into_iter().filter(|quote| folders.iter().any(|folder| quote.starts_with(folder))).collect()
}

/// Whether a file exists and, if an item is named, defines it: a function, a type, a constant or a variant.
fn exists(reference: &str) -> bool {
    let (file, item) = match reference.split_once("::") {
        Some((file, item)) => (file, Some(item)),
        None => (reference, None),
    };
    let path = root().join(file);
    let Some(item) = item else { return path.exists() };
    let Ok(text) = fs::read_to_string(path) else { return false };
    text.lines().map(str::trim_start).any(|line| {
        let keywords = ["fn ", "struct ", "enum ", "trait ", "const ", "type ", "mod "];
        let defined = keywords.iter().any(|keyword| {
            let mut parts = line.split(keyword).skip(1);
            parts.any(|rest| {
                rest.strip_prefix(item).is_some_and(|rest| {
                    rest.chars().next().is_none_or(|next| !next.is_alphanumeric() && next != '_')
                })
            })
        });
        let variant = line
            .strip_prefix(item)
            .is_some_and(|rest| [",", " {", "("].iter().any(|end| rest.starts_with(end)));
        defined || variant
    })
}

#[test]
fn the_checks_can_say_no() {
    assert!(exists("crates/cli/tests/documents.rs::the_checks_can_say_no"));
    assert!(exists("trusted/kernel/src/text/term.rs::Laplace"));
    assert!(exists("mechanisms/snapping.dp"));
    assert!(!exists("crates/cli/tests/documents.rs::no_such_function"));
    assert!(!exists("crates/cli/tests/documents.rs::the_checks_can"));
    assert!(!exists("trusted/kernel/src/text/term.rs::Lapla"));
    assert!(!exists("trusted/kernel/src/no_such_file.rs::seq"));
    assert!(!exists("mechanisms/no_such_file.dp"));
    assert_eq!(
        references("a `crates/x.rs::y` b `other` c\n```\n`docs/z`\n```\n`docs/z`"),
        ["crates/x.rs::y", "docs/z"]
    );
}

#[test]
fn what_the_pages_refer_to_exists() {
    let mut count = 0;
    for name in PAGES {
        for reference in references(&page(name)) {
            assert!(exists(reference), "{name} refers to {reference}, which does not exist");
            count += 1;
        }
    }
    assert!(count > 50, "only {count} references were found");
}

/// Finding 9: the paper takes `ln(e/(e−1)) + 5t < 11t` for t = εBη, where B < 2^42/ε and η = 2^−53 give t < 2^−11.
#[test]
fn a_step_of_the_published_proof_is_false() {
    let one = Enclosure::<f64>::around(&rational(1, 1).unwrap(), ());
    // ln(e/(e−1)) = 1 − ln(e − 1).
    let left = one - (one.exp() - one).ln().unwrap();
    assert!(*left.low() > 0.458 && *left.high() < 0.459, "{left:?}");
    let right = rational(11, 1 << 11).unwrap();
    assert!(right < rational(54, 10_000).unwrap());
    assert!(!left.contains(&right) && *left.low() > probity_exact::directed::cast_up(&right));
}

/// Files that commands of a page write into the folder where they are run, and that git would show as new.
fn left_behind(page: &str, ignored: &str) -> Vec<String> {
    let is_ignored = |name: &str| {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        ignored.lines().any(|line| line == format!("/*.{ending}") || line == format!("/{name}"))
    };
    let mut written = Vec::new();
    for option in ["--out ", "--certificate ", "--distribution ", "--resume "] {
        written.extend(page.split(option).skip(1).filter_map(|rest| rest.split_whitespace().next()));
    }
    // A file in another folder is that folder's business.
    let here = written.into_iter().filter(|name| name.contains('.') && !name.contains('/'));
    here.filter(|name| !is_ignored(name)).map(str::to_owned).collect()
}

#[test]
fn the_first_commands_leave_no_new_file_behind() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    let (page, ignored) = (read("README.md"), read(".gitignore"));
    assert!(page.contains("--out report.html") && page.contains("--certificate snapping.cert"));
    assert_eq!(left_behind(&page, &ignored), Vec::<String>::new());
    assert_eq!(left_behind(&page, "/target\n"), ["report.html", "snapping.cert"]);
}

/// All files and folders of the sources, as paths from the root.
fn tree(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        found.push(path.to_string_lossy().into_owned());
        if path.is_dir() && !path.is_symlink() {
            tree(&path, found);
        }
    }
}

/// Files and rooms that a page names and that are not there: `x/src/y.rs` is in one of the crates, `y.rs` and `room/` are
/// anywhere.
fn not_there(page: &str, tree: &[String]) -> Vec<String> {
    let named = quoted(page).into_iter().filter(|name| !name.contains(' '));
    let named = named.filter(|name| name.ends_with(".rs") || name.ends_with('/'));
    let there = |name: &&str| {
        let end = format!("/{}", name.trim_end_matches('/'));
        tree.iter().any(|path| path.ends_with(&end))
    };
    named.filter(|name| !there(name)).map(str::to_owned).collect()
}

#[test]
fn the_map_of_the_house_is_true() {
    let mut all = Vec::new();
    for folder in ["trusted", "crates"] {
        tree(&root().join(folder), &mut all);
    }
    all.extend(
        ["mechanisms", "certificates", "docs", "examples", "tests", "bench", "fuzz", "editors"]
            .map(|name| format!("/{name}")),
    );
    let map = page("ARCHITECTURE.md");
    assert!(quoted(&map).len() > 100);
    assert_eq!(not_there(&map, &all), Vec::<String>::new());
    let wrong = "first `audit/src/reals.rs`, then `guesses/`, `verdict/src/verify.rs` and `refute/`";
    assert_eq!(not_there(wrong, &all), ["audit/src/reals.rs", "guesses/"]);
}
