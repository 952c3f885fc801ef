//! The pages on the papers keep their word: what they refer to exists, what their commands print is printed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use probity_exact::{Enclosure, rational};

const PAGES: [&str; 2] = ["docs/papers.md", "docs/findings.md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

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
    assert!(exists("trusted/kernel/src/term.rs::Laplace"));
    assert!(exists("mechanisms/snapping.dp"));
    assert!(!exists("crates/cli/tests/documents.rs::no_such_function"));
    assert!(!exists("crates/cli/tests/documents.rs::the_checks_can"));
    assert!(!exists("trusted/kernel/src/term.rs::Lapla"));
    assert!(!exists("trusted/kernel/src/no_such_file.rs::seq"));
    assert!(!exists("mechanisms/no_such_file.dp"));
    assert_eq!(
        references("a `crates/x.rs::y` b `other` c\n```\n`docs/z`\n```\n`docs/z`"),
        ["crates/x.rs::y", "docs/z"]
    );
    assert!(in_order("a\nb\nc\n", &["a", "…", "c"]).is_ok());
    assert!(in_order("a\nb\nc\n", &["a", "c"]).is_err());
    assert!(in_order("a\nb\n", &["…", "a", "…", "c"]).is_err());
    assert!(in_order("a\nb\n", &["b"]).is_err());
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

/// The commands of a page, each with the lines that it is said to print.
fn commands(text: &str) -> Vec<(Vec<&str>, Vec<&str>)> {
    let mut found: Vec<(Vec<&str>, Vec<&str>)> = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        if line.starts_with("```") {
            in_block = line == "```console";
        } else if !in_block {
            continue;
        } else if let Some(command) = line.strip_prefix("$ probity ") {
            found.push((command.split_whitespace().collect(), Vec::new()));
        } else if let Some((_, lines)) = found.last_mut() {
            lines.push(line);
        }
    }
    found
}

/// Whether a text starts with the lines that are expected, one by one; `…` stands for any number of lines.
fn in_order(text: &str, expected: &[&str]) -> Result<(), String> {
    let mut rest = text.lines().map(str::trim_end);
    let mut skip = false;
    for line in expected {
        if *line == "…" {
            skip = true;
        } else if skip {
            rest.find(|found| found == line).ok_or_else(|| format!("'{line}' is not there"))?;
            skip = false;
        } else {
            let found = rest.next().unwrap_or_default();
            if found != *line {
                return Err(format!("expected '{line}', found '{found}'"));
            }
        }
    }
    Ok(())
}

/// A page may be ahead of the command: a subcommand that the program does not have is passed over.
#[test]
fn the_commands_print_what_the_page_says() {
    let probity = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
        command.current_dir(root());
        command
    };
    let help = String::from_utf8(probity().arg("--help").output().unwrap().stdout).unwrap();
    let known: Vec<&str> =
        help.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    let text = page("docs/findings.md");
    let mut explained = 0;
    for (arguments, expected) in commands(&text) {
        if !known.contains(&arguments[0]) {
            continue;
        }
        let output = probity().args(&arguments).output().unwrap();
        let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        if let Err(reason) = in_order(&printed, &expected) {
            panic!("probity {}: {reason}\n{printed}", arguments.join(" "));
        }
        explained += usize::from(arguments[0] == "explain");
    }
    assert!(explained >= 7, "only {explained} commands were run");
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
