//! The book is the folder `docs/`: every page is in it, and every link between pages works in both.

use std::fs;
use std::path::{Path, PathBuf};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").canonicalize().unwrap()
}

fn source(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(name)).unwrap()
}

/// The pages below a folder, by their paths from `docs/`.
fn pages(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(docs().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{folder}{}", entry.file_name().into_string().unwrap());
        if entry.path().is_dir() {
            found.extend(pages(&format!("{name}/")));
        } else if name.ends_with(".md") {
            found.push(name);
        }
    }
    found.sort();
    found
}

/// The module that a page is.
fn module(page: &str) -> String {
    format!("crate::{}", page.trim_end_matches(".md").replace('/', "::").replace('-', "_"))
}

/// Links of a page to other pages that the book would not know: written out, or by a name that `links.md` has not.
fn broken(page: &str, text: &str, links: &str) -> Vec<String> {
    let outside_code: String = text.split("```").step_by(2).collect();
    let written_out = outside_code.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let mut wrong: Vec<String> = written_out
        .filter(|target| target.split('#').next().unwrap_or_default().ends_with(".md"))
        .map(str::to_owned)
        .collect();
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    for line in outside_code.lines() {
        let Some((name, target)) = line.strip_prefix('[').and_then(|line| line.split_once("]: ")) else {
            continue;
        };
        if !target.ends_with(".md") {
            continue;
        }
        let target = if folder.is_empty() { target.to_owned() } else { format!("{folder}/{target}") };
        if !links.lines().any(|line| line == format!("[{name}]: {}", module(&target))) {
            wrong.push(line.to_owned());
        }
    }
    wrong
}

#[test]
fn every_page_is_in_the_book() {
    let book = source("lib.rs");
    let all = pages("");
    assert!(all.len() >= 20, "{all:?}");
    for page in all {
        assert!(book.contains(&format!("= \"{page}\";")), "{page} is not in the book");
    }
}

#[test]
fn every_link_between_pages_works_in_the_book() {
    let links = source("links.md");
    for page in pages("") {
        let text = fs::read_to_string(docs().join(&page)).unwrap();
        assert_eq!(broken(&page, &text, &links), [""; 0], "{page}");
    }
}

#[test]
fn a_broken_link_is_found() {
    let links = "[one]: crate::one\n[two]: crate::proofs::two_more\n";
    assert_eq!(broken("x.md", "[a][one]\n\n[one]: one.md\n[two]: proofs/two-more.md\n", links), [""; 0]);
    assert_eq!(broken("proofs/x.md", "[two]: two-more.md\n", links), [""; 0]);
    assert_eq!(broken("x.md", "[a](one.md)", links), ["one.md"]);
    assert_eq!(broken("x.md", "[one]: other.md\n", links), ["[one]: other.md"]);
    assert_eq!(broken("proofs/x.md", "[one]: one.md\n", links), ["[one]: one.md"]);
}
