//! `docs/language.md` is true: its examples load, and it leaves out no word, function, distribution or code.

use crate::common;

use common::{root, sources};
use probity_lang::{Code, format, load_text, load_text_in, render};

fn page() -> String {
    std::fs::read_to_string(root().join("docs/language.md")).unwrap()
}

/// The blocks of code in a language, with nothing but their text.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    page.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap().to_string()).collect()
}

#[test]
fn every_example_loads_and_is_formatted() {
    let examples = blocks(&page(), "dp");
    assert!(examples.len() >= 5);
    for text in examples {
        match load_text(&text) {
            Err(faults) => panic!("{}", render(&faults, "example", &text)),
            Ok(program) => {
                assert!(program.warnings.is_empty(), "{}", render(&program.warnings, "example", &text))
            }
        }
        assert_eq!(format(&text).unwrap(), text);
    }
}

/// Files that use others find them in the library, or on the page under the name of their mechanism.
#[test]
fn every_example_of_several_files_loads_and_is_formatted() {
    let folder = std::env::temp_dir().join(format!("probity-documentation-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (path, text) in sources("mechanisms") {
        std::fs::write(folder.join(path.file_name().unwrap()), text).unwrap();
    }
    for text in blocks(&page(), "dp") {
        let name = load_text(&text).unwrap().mechanism.name.to_string();
        std::fs::write(folder.join(format!("{name}.dp")), text).unwrap();
    }
    let examples = blocks(&page(), "dp-file");
    assert!(examples.len() >= 2);
    for text in examples {
        match load_text_in(&text, &folder) {
            Err(faults) => panic!("{}", render(&faults, "example", &text)),
            Ok(program) => {
                assert!(program.warnings.is_empty(), "{}", render(&program.warnings, "example", &text))
            }
        }
        assert_eq!(format(&text).unwrap(), text);
        assert!(load_text(&text).is_err(), "it needs no other file");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_rejected_example_is_rendered_as_shown() {
    let page = page();
    let (texts, shown) = (blocks(&page, "dp-reject"), blocks(&page, "text"));
    assert_eq!((texts.len(), shown.len()), (1, 1));
    let faults = load_text(&texts[0]).unwrap_err();
    assert_eq!(render(&faults, "laplace.dp", &texts[0]), shown[0]);
}

#[test]
fn every_code_is_listed_with_its_meaning() {
    let page = page();
    for code in Code::ALL {
        let row = format!("| {code} | {} |", code.title());
        assert!(page.contains(&row), "missing: {row}");
    }
}

/// The grammar's reserved words are those that the parser refuses as names, and no others.
#[test]
fn the_grammar_names_the_reserved_words() {
    let grammar = blocks(&page(), "ebnf").concat();
    let quoted = |mark: char| -> Vec<String> {
        let is_word =
            |w: &&str| w.chars().all(|c| c.is_ascii_alphabetic() || c.is_ascii_digit()) && w.len() > 1;
        let lines = grammar.lines().take_while(|line| !line.starts_with("NAME"));
        lines
            .flat_map(|line| line.split(mark).skip(1).step_by(2))
            .filter(is_word)
            .map(str::to_string)
            .collect()
    };
    let is_reserved = |word: &str| {
        let text = format!("mechanism m({word}: real)\nreturn 1\nneighbours any\nclaim 0");
        load_text(&text).is_err()
    };
    let reserved = quoted('\'');
    assert!(reserved.len() >= 20, "{reserved:?}");
    for word in reserved {
        assert!(is_reserved(&word), "{word} is not reserved");
    }
    for word in quoted('"') {
        assert!(is_reserved(&word) == (word == "cost"), "{word}");
    }
}
