//! Mechanisms as a stranger would write them, in `tests/audit`: every broken one is refuted, no correct one is.
//!
//! The claims of the broken ones are off by as little as 1 %; correct ones often lose exactly what they claim.

use std::path::{Path, PathBuf};

use std::time::Instant;

use probity_audit::{Deadline, Evidence, Parameters, Verdict, search_refutation_until};
use probity_lang::Program;

/// Without the feature `exhaustive`, one in so many of the mechanisms.
const LESS: usize = if cfg!(feature = "exhaustive") { 1 } else { 3 };

fn folder(name: &str) -> Vec<(PathBuf, Program)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/audit").join(name);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= if name == "broken" { 115 } else { 60 });
    files.into_iter().step_by(LESS).map(|path| (path.clone(), probity_lang::load(path).unwrap())).collect()
}

/// In all rounds, or in the usual ones only.
fn verdict(path: &Path, program: &Program, all: bool) -> Verdict {
    let further = if all { Deadline::default() } else { Deadline::at(Some(Instant::now())) };
    let (mechanism, claim) = (&program.mechanism, &program.claim);
    let found = search_refutation_until(mechanism, claim, &Parameters::new(), &Deadline::default(), &further);
    found.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn broken_ones_are_refuted() {
    let mut by_evidence = [0; 3];
    let broken = folder("broken");
    for (path, program) in broken {
        assert!(program.expect_refuted, "{}", path.display());
        let Verdict::Refuted(found) = verdict(&path, &program, true) else {
            panic!("open: {}", path.display())
        };
        assert!(found.loss > found.epsilon.to_f64(), "{}", path.display());
        by_evidence[match found.evidence {
            Evidence::Integration => 0,
            Evidence::Enclosure => 1,
            Evidence::Sampling { .. } => 2,
            other => panic!("{}: {other}", path.display()),
        }] += 1;
    }
    // Each method has something to do, and the last resort is one.
    let [integrated, enclosed, sampled] = by_evidence;
    assert!(integrated >= 55 / LESS && enclosed >= 3 / LESS && sampled <= 6, "{by_evidence:?}");
    assert!(LESS > 1 || sampled >= 1, "{by_evidence:?}");
}

#[test]
fn correct_ones_are_not() {
    let correct = folder("correct");
    for (number, (path, program)) in correct.into_iter().enumerate() {
        assert!(!program.expect_refuted, "{}", path.display());
        // Looking at all that there is takes seconds for each: in full, at one in ten of them.
        match verdict(&path, &program, LESS == 1 && number.is_multiple_of(10)) {
            Verdict::NotRefuted { tried, never_ends, .. } => {
                assert!(tried.events > 0 || never_ends, "nothing tried: {}", path.display());
            }
            Verdict::Refuted(found) => panic!("refuted: {} by {found:?}", path.display()),
        }
    }
}

/// Several tables, tables beside lists, and rows that only some conditions are met by.
#[test]
fn tables_beside_others_are_looked_at() {
    for name in [
        "two_tables_together",
        "two_tables_replaced",
        "table_beside_list",
        "list_that_is_not_read",
        "income_of_a_region",
        "two_fields_of_a_row",
        "deltas_of_several_rows_added",
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../tests/audit/broken")
            .join(name)
            .with_extension("dp");
        let program = probity_lang::load(&path).unwrap();
        assert!(matches!(verdict(&path, &program, true), Verdict::Refuted(_)), "open: {name}");
    }
}
