//! No text panics, hangs or exhausts the stack. All cases are deterministic.

use crate::common;

use common::hostile::{hostile, megabyte};
use common::{Random, sources};
use probity_lang::{Code, Diagnostic, MAX_REPORTED, MAX_SOURCE, format, load_text, render};

/// Everything a person can do with a text. The faults, if any, can all be shown.
fn exercise(text: &str) -> Vec<Diagnostic> {
    if let Ok(formatted) = format(text) {
        assert_eq!(format(&formatted).as_ref(), Ok(&formatted), "formatting {text:?} again changes it");
    }
    let faults = match load_text(text) {
        Ok(program) => program.warnings,
        Err(faults) => {
            assert!(!faults.is_empty(), "refused without a reason: {text:?}");
            faults
        }
    };
    assert!(faults.len() <= MAX_REPORTED + 1);
    for fault in &faults {
        assert!(fault.span.end as usize <= text.len() && fault.span.start <= fault.span.end);
        assert!(
            text.is_char_boundary(fault.span.start as usize)
                && text.is_char_boundary(fault.span.end as usize)
        );
    }
    assert!(!render(&faults, "t.dp", text).contains('\u{1b}'));
    faults
}

const TOKENS: [&str; 76] = [
    "mechanism",
    "param",
    "where",
    "let",
    "if",
    "then",
    "else",
    "for",
    "in",
    "while",
    "return",
    "append",
    "neighbours",
    "claim",
    "expect",
    "refuted",
    "proof",
    "and",
    "or",
    "not",
    "mod",
    "true",
    "false",
    "==",
    "!=",
    "<=",
    ">=",
    "..",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "'",
    "~",
    "=",
    "<",
    ">",
    "+",
    "-",
    "*",
    "/",
    "\n",
    "\n",
    "\n",
    "x",
    "y",
    "q",
    "eps",
    "real",
    "int",
    "bool",
    "category",
    "laplace",
    "uniform",
    "abs",
    "length",
    "couple",
    "invariant",
    "pointwise",
    "shift",
    "by",
    "at",
    "cost",
    "result",
    "changed",
    "every",
    "entry",
    "of",
    "0",
    "1.5",
    "1e-400",
    "any",
];

/// How much less is tried by default than with the feature `exhaustive`, which CI switches on.
const LESS: usize = if cfg!(feature = "exhaustive") { 1 } else { 5 };

#[test]
fn token_soup() {
    let mut random = Random(1);
    for _ in 0..10_000 / LESS {
        let mut text = String::new();
        if random.below(2) == 0 {
            text.push_str("mechanism m(x: real, q: real[])\nparam eps > 0\n");
        }
        for _ in 0..random.below(60) {
            text.push_str(random.choose(&TOKENS));
            if random.below(4) > 0 {
                text.push(' ');
            }
        }
        exercise(&text);
    }
}

#[test]
fn mutated_files() {
    let files: Vec<String> = ["mechanisms", "mechanisms/broken", "tests/accept", "tests/reject"]
        .iter()
        .flat_map(|f| sources(f))
        .map(|f| f.1)
        .collect();
    let mut random = Random(2);
    for case in 0..12_000 / LESS {
        let mut bytes = files[case % files.len()].clone().into_bytes();
        for _ in 0..=random.below(4) {
            mutate(&mut bytes, &files, &mut random);
        }
        exercise(&String::from_utf8_lossy(&bytes));
    }
}

/// One change: a byte, a piece left out, doubled or taken from another file, a token put in, or the end cut off.
fn mutate(bytes: &mut Vec<u8>, files: &[String], random: &mut Random) {
    if bytes.is_empty() {
        bytes.extend(b"mechanism");
    }
    let at = random.below(bytes.len());
    let end = (at + random.below(40)).min(bytes.len());
    match random.below(6) {
        0 => bytes[at] = random.word() as u8,
        1 => drop(bytes.drain(at..end)),
        2 => {
            let piece = bytes[at..end].to_vec();
            bytes.splice(at..at, piece);
        }
        3 => {
            let other = files[random.below(files.len())].as_bytes();
            let from = random.below(other.len());
            let piece = other[from..(from + 60).min(other.len())].to_vec();
            bytes.splice(at..at, piece);
        }
        4 => drop(bytes.splice(at..at, random.choose(&TOKENS).bytes())),
        _ => bytes.truncate(at),
    }
}

#[test]
fn a_megabyte_of_hostile_text() {
    for text in hostile() {
        assert!(text.len() <= MAX_SOURCE);
        exercise(&text);
    }
}

#[test]
fn a_million_faults_are_counted_and_few_are_shown() {
    let text = megabyte("", "$a ", "");
    let faults = exercise(&text);
    assert_eq!(faults.len(), MAX_REPORTED + 1);
    let last = faults.last().unwrap();
    assert_eq!(last.code, Code::TooManyFaults);
    assert!(last.message.starts_with("349"), "{last}");
}

/// Warnings do not make a text unreadable, however many there are, and hide no error.
#[test]
fn warnings_stop_nothing() {
    let unused: String = (0..250).map(|n| format!("z{n} = {n}\n")).collect();
    let text = |law: &str| {
        format!(
            "mechanism m(x: real)\nparam eps > 0\n{unused}y ~ {law}(x, 1 / eps)\nreturn y\n\
             neighbours abs(x' - x) <= 1\nclaim eps\n"
        )
    };
    assert!(load_text(&text("laplace")).is_ok());
    let faults = load_text(&text("lapalce")).unwrap_err();
    assert!(faults.iter().any(|d| d.code == Code::UnknownDistribution), "{faults:?}");
    assert!(faults.iter().all(|d| d.code != Code::TooManyFaults));
    assert!(faults.len() <= MAX_REPORTED + 1);
}

#[test]
fn a_text_beyond_the_limit_is_refused_whole() {
    let text = " ".repeat(MAX_SOURCE + 1);
    for faults in [load_text(&text).unwrap_err(), format(&text).unwrap_err()] {
        assert_eq!(faults.iter().map(|f| f.code).collect::<Vec<_>>(), [Code::FileTooLarge]);
    }
}
