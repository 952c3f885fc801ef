//! Looks for counterexamples to the claims of mechanism files, without the prover: one line a file, with the time that the
//! thread spent (on Linux; else the wall clock).
//!
//! ```text
//! cargo run --release -p probity-audit --example refute -- tests/audit/broken
//! ```

use std::path::{Path, PathBuf};
use std::time::Instant;

use probity_audit::{Deadline, Parameters, Verdict, search_refutation_until};

/// Seconds of processor time of this thread, or none.
fn processor() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

fn files(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> = entries.flat_map(|entry| files(&entry.path())).collect();
    all.retain(|path| path.extension().is_some_and(|ending| ending == "dp"));
    all.sort();
    all
}

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let paths = std::env::args().skip(1).filter(|argument| argument != "--quick");
    let further = if quick { Deadline::at(Some(Instant::now())) } else { Deadline::default() };
    for path in paths.flat_map(|path| files(Path::new(&path))) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let program = match probity_lang::load(&path) {
            Ok(program) => program,
            Err(error) => {
                println!("{name}: {error}");
                continue;
            }
        };
        let (start, before) = (Instant::now(), processor());
        let found = search_refutation_until(
            &program.mechanism,
            &program.claim,
            &Parameters::new(),
            &Deadline::default(),
            &further,
        );
        let seconds = match (before, processor()) {
            (Some(before), Some(after)) => after - before,
            _ => start.elapsed().as_secs_f64(),
        };
        let what = match found {
            Ok(Verdict::Refuted(found)) => {
                format!("refuted: {:.4} against {:.4} by {}", found.loss, found.epsilon.to_f64(), found.event)
            }
            Ok(Verdict::NotRefuted { tried, largest_share, .. }) => {
                format!("stands: {largest_share:?} of the claim, {tried:?}")
            }
            Err(error) => format!("not covered: {error}"),
        };
        println!("{seconds:7.3} s  {name:40} {what}");
    }
}
