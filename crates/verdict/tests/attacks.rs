//! Texts and certificates that once fooled us: each one got a theorem that is false or about nothing. What must now be
//! said of every file in `tests/attacks` stands here.

use std::fs;
use std::path::PathBuf;

use probity_verdict::prelude::*;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/attacks")
}

fn names(extension: &str) -> Vec<String> {
    let files = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let fitting = files.filter(|path| path.extension().is_some_and(|e| e == extension));
    let mut names: Vec<String> =
        fitting.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

/// A text, what becomes of it, and a part of why it is not proved: the draw and the condition where a law is out of
/// its range.
const TEXTS: &[(&str, Status, &str)] = &[
    ("a1", Status::Open, "may be out of its range: it needs v < 3"),
    ("a2", Status::Vacuous, ""),
    ("a3", Status::Vacuous, ""),
    ("a4", Status::Vacuous, ""),
    ("a5", Status::Vacuous, ""),
    // A quotient by 0 is 0 for both inputs: true, and the audit agrees.
    ("dz", Status::Proved, ""),
    ("ex2", Status::Open, "'y ~ exponential(s)' may be out of its range: it needs 0 < s"),
    ("g1", Status::Open, "'y ~ geometric(s)' may be out of its range: it needs 0 < s"),
    ("infl", Status::Open, ""),
    ("leak", Status::Open, "'y ~ uniform_int(0, h)' may be out of its range: it needs 0 <= h"),
    ("leak3", Status::Open, "'u ~ uniform_int(0, m)' may be out of its range: it needs 0 <= m"),
    ("leak_delta", Status::Refuted, ""),
    ("leak_other", Status::Open, "may be out of its range: it needs 7 < 3"),
    ("slow1", Status::Refuted, ""),
    ("u1", Status::Open, "'y ~ uniform_int(0, h)' may be out of its range: it needs 0 <= h"),
    ("u2", Status::Open, "'i ~ uniform_int(0, n - 1 - k)' may be out of its range: it needs 0 <= n - 1 - k"),
];

#[test]
fn no_text_that_fooled_us_is_proved() {
    assert_eq!(names("dp"), TEXTS.iter().map(|(name, ..)| name.to_string()).collect::<Vec<_>>());
    for (name, status, why) in TEXTS {
        let text = fs::read_to_string(folder().join(format!("{name}.dp"))).unwrap();
        let verdict = verify(&load_text(&text).unwrap(), &[], &Watch::default()).unwrap();
        assert_eq!(verdict.status(), *status, "{name}: {:?}", verdict.upper);
        if let Err(reason) = &verdict.upper {
            assert!(reason.contains(why), "{name}: {reason}");
        }
        // Where a draw is out of its range, the audit says so too.
        if !why.is_empty() {
            let seen = verdict.audited.out_of_range.expect(name);
            assert!(seen.contains("is out of its range"), "{name}: {seen}");
        }
    }
}

/// A certificate, and a part of why it is rejected.
const CERTIFICATES: &[(&str, &str)] = &[
    ("cases_280", "larger than the kernel looks at"),
    ("chain6_480", "larger than the kernel looks at"),
    ("e2b", "at the final rule"),
    ("e2c", "at the final rule"),
    ("e3b", "mixes kinds of values"),
    ("e5", "is no name"),
    ("e6", "no scalar input"),
    ("index_bound", "the loop index j is read outside of its loop"),
    ("index_unset", "the loop index j is read outside of its loop"),
    ("powers_20000", "larger than the kernel looks at"),
    ("powers_nested", "larger than the kernel looks at"),
    ("unroll_kind", "UNROLL"),
];

#[test]
fn no_certificate_that_fooled_us_is_accepted() {
    assert_eq!(names("cert"), CERTIFICATES.iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>());
    for (name, why) in CERTIFICATES {
        let text = fs::read_to_string(folder().join(format!("{name}.cert"))).unwrap();
        let answer = check(&text, None, &Watch::default()).unwrap();
        assert!(!answer.is_accepted(), "{name}");
        let fault = answer.theorem.unwrap_err().to_string();
        assert!(fault.contains(why), "{name}: {fault}");
        // Nothing that a terminal would take for a command is in the message.
        assert!(fault.chars().all(|c| !c.is_control() || c == '\n'), "{name}: {fault:?}");
    }
}
