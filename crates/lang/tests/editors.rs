//! The syntax files for editors know every word of the language.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap()
}

/// The reserved words of the grammar: those in single quotes.
fn reserved(page: &str) -> BTreeSet<String> {
    let grammar = page.split("```ebnf").nth(1).unwrap().split("```").next().unwrap();
    let quoted = grammar.split('\'').skip(1).step_by(2);
    quoted.filter(|word| word.chars().all(char::is_alphabetic)).map(str::to_owned).collect()
}

/// The names that are called in the first column of the table after a heading.
fn called(page: &str, heading: &str) -> BTreeSet<String> {
    let section = page.split(&format!("\n## {heading}\n")).nth(1).unwrap().split("\n## ").next().unwrap();
    let mut names = BTreeSet::new();
    for row in section.lines().filter(|line| line.starts_with("| `")) {
        let cell = row.split('|').nth(1).unwrap();
        names.extend(
            cell.split('`')
                .skip(1)
                .step_by(2)
                .filter_map(|call| call.split_once('('))
                .map(|(name, _)| name.to_owned()),
        );
    }
    names
}

/// Words that a syntax file does not have.
fn missing(words: &BTreeSet<String>, syntax: &str) -> Vec<String> {
    let known: BTreeSet<&str> = syntax.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    words.iter().filter(|word| !known.contains(word.as_str())).cloned().collect()
}

fn words() -> BTreeSet<String> {
    let page = read("docs/language.md");
    let (keywords, functions, laws) =
        (reserved(&page), called(&page, "Expressions"), called(&page, "Distributions"));
    assert!(
        keywords.len() > 20 && functions.len() >= 10 && laws.len() >= 12,
        "{keywords:?} {functions:?} {laws:?}"
    );
    keywords.into_iter().chain(functions).chain(laws).collect()
}

#[test]
fn both_syntax_files_know_every_word() {
    for path in ["editors/vim/syntax/dp.vim", "editors/textmate/dp.tmLanguage.json"] {
        assert_eq!(missing(&words(), &read(path)), Vec::<String>::new(), "{path}");
    }
}

#[test]
fn a_word_that_is_not_known_is_noticed() {
    let syntax = read("editors/vim/syntax/dp.vim");
    for word in ["neighbours", "pow2_at_least", "discrete_laplace"] {
        assert_eq!(missing(&words(), &syntax.replace(word, "")), [word]);
    }
}
