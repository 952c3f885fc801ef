//! `probity verify FOLDER`: every file of a folder as one table.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use probity_kernel::expr::Expr;
use probity_kernel::term::{Claim, Reading};
use probity_lang::Setting;
use probity_verdict::{Audited, End, Status as Known, Verdict, Watch, decimal, verify};
use serde_json::Value;

use super::{Arguments, to_json};
use crate::failure::{Answer, Failure, Status};
use crate::given::Time;
use crate::progress::Progress;
use crate::{files, given, interrupt, output};

/// What became of a file of a folder.
type Row = (PathBuf, Result<Verdict, Failure>);

/// Verifies every file of a folder, on all cores. No file waits for another: each has its own time.
pub fn verify_all(arguments: &Arguments, settings: &[Setting], time: Time) -> Answer {
    let begun = Instant::now();
    let paths = files::mechanisms(&arguments.path)?;
    if !settings.is_empty() {
        check_names(&paths, settings, &arguments.path)?;
    }
    let work = Work {
        paths: &paths,
        settings,
        time,
        next: AtomicUsize::new(0),
        rows: Mutex::new(paths.iter().map(|_| None).collect()),
        seen: Mutex::new(Seen::default()),
    };
    let progress = Progress::new();
    let workers = thread::available_parallelism().map_or(1, NonZero::get).min(paths.len());
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| work.until_done());
        }
        work.follow(&progress);
    });
    drop(progress);
    let warnings = unlocked(work.seen).warnings;
    let rows: Vec<Row> =
        paths.iter().cloned().zip(unlocked(work.rows)).filter_map(|(path, row)| Some((path, row?))).collect();
    warnings.values().for_each(|text| output::complain(text));
    rows.iter()
        .filter_map(|row| row.1.as_ref().err())
        .for_each(|failure| output::complain(&failure.to_string()));
    match arguments.json {
        true => output::json(&rows.iter().map(row_to_json).collect())?,
        false => print_table(&rows, paths.len() - rows.len(), begun.elapsed())?,
    }
    Ok(exit_of(&rows))
}

/// Before any work: a parameter that no file has is a slip of the pen.
fn check_names(paths: &[PathBuf], settings: &[Setting], folder: &Path) -> Result<(), Failure> {
    let programs = paths.iter().filter_map(|path| Some(files::load(path).ok()?.program));
    let known: BTreeSet<String> =
        programs.flat_map(|program| program.mechanism.params).map(|param| param.name.to_string()).collect();
    let Some(unknown) = settings.iter().find(|setting| !known.contains(&setting.name)) else { return Ok(()) };
    let known: Vec<String> = known.into_iter().collect();
    let message = format!("no file in {} has a parameter {}", folder.display(), unknown.name);
    Err(Failure::new(message).hint(given::meant("their parameters are", &unknown.name, &known)))
}

/// The files of a folder, and what became of them.
struct Work<'a> {
    paths: &'a [PathBuf],
    settings: &'a [Setting],
    time: Time,
    /// The next file that nobody looks at yet.
    next: AtomicUsize,
    rows: Mutex<Vec<Option<Result<Verdict, Failure>>>>,
    seen: Mutex<Seen>,
}

/// What the files have in them, and which are being looked at.
#[derive(Default)]
struct Seen {
    /// By the number of the file, so that they are printed in order.
    warnings: BTreeMap<usize, String>,
    at_work: BTreeSet<usize>,
    done: usize,
}

/// What another thread left when it panicked is still what it is.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unlocked<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

impl Work<'_> {
    /// Takes one file after the other.
    fn until_done(&self) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = self.paths.get(number).filter(|_| !interrupt::is_on()) else { return };
            locked(&self.seen).at_work.insert(number);
            let row = self.look_at(number, path);
            locked(&self.rows)[number] = Some(row);
            let mut seen = locked(&self.seen);
            seen.at_work.remove(&number);
            seen.done += 1;
        }
    }

    fn look_at(&self, number: usize, path: &Path) -> Result<Verdict, Failure> {
        let loaded = files::load(path)?;
        let names = || loaded.program.mechanism.params.iter().map(|param| param.name.to_string());
        locked(&self.seen).warnings.insert(number, loaded.warnings.clone());
        let has = |setting: &&Setting| names().any(|name| name == setting.name);
        let own: Vec<Setting> = self.settings.iter().filter(has).cloned().collect();
        let watch = self.time.watch(Watch::default()).unless(interrupt::switch());
        Ok(verify(&loaded.program, &own, &watch)?)
    }

    /// Says how far the work is, until it is done.
    fn follow(&self, progress: &Progress) {
        loop {
            let (done, at_work) = {
                let seen = locked(&self.seen);
                (seen.done, seen.at_work.clone())
            };
            let all = self.paths.len();
            if done == all || (interrupt::is_on() && at_work.is_empty()) {
                return;
            }
            progress.step(done, all, || {
                let names = at_work.iter().map(|&number| self.paths[number].display().to_string());
                names.collect::<Vec<_>>().join(", ")
            });
            thread::sleep(TICK);
        }
    }
}

/// How often the line is renewed.
const TICK: Duration = Duration::from_millis(20);

fn row_to_json((path, verdict): &Row) -> Value {
    match verdict {
        Ok(verdict) => to_json(path, verdict),
        Err(failure) => failure.to_row(path),
    }
}

/// The gravest of all: bounds that cross, then a file that could not be looked at, then one that is not as it says.
fn exit_of(rows: &[Row]) -> Status {
    let verdicts = || rows.iter().filter_map(|(_, verdict)| verdict.as_ref().ok());
    if verdicts().any(|verdict| verdict.status() == Known::BoundsCross) {
        Status::BoundsCross
    } else if rows.iter().any(|(_, verdict)| verdict.is_err()) {
        Status::BadInput
    } else if verdicts().all(Verdict::is_as_expected) {
        Status::Done
    } else {
        Status::No
    }
}

fn cells((path, verdict): &Row) -> Vec<String> {
    let verdict = match verdict {
        Ok(verdict) => verdict,
        Err(failure) => {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let missing = || "-".to_owned();
            return vec![
                name,
                // The row has the name already.
                failure.reason().replace(&path.display().to_string(), "it"),
                failure.status().into(),
                missing(),
                missing(),
                missing(),
                missing(),
            ];
        }
    };
    let expected = if verdict.is_as_expected() { "as expected" } else { "UNEXPECTED" };
    let certified = verdict.certificate.as_ref().map_or("-".to_owned(), |certificate| {
        let epsilon = decimal::up(&certificate.epsilon_exact, decimal::DISTINCT);
        match certificate.delta == 0.0 {
            true => epsilon,
            false => format!("{epsilon}, delta {}", decimal::at_most(certificate.delta)),
        }
    });
    vec![
        name(path, &verdict.program.mechanism.name.to_string()),
        claim(&verdict.program.claim),
        verdict.status().to_string(),
        expected.to_owned(),
        certified,
        share(&verdict.audited),
        format!("{:.3}", verdict.seconds),
    ]
}

/// The mechanism, with the file where that has another name.
fn name(path: &Path, mechanism: &str) -> String {
    let same = path.file_stem().is_some_and(|stem| stem == mechanism);
    match path.file_name() {
        Some(file) if !same => format!("{mechanism} ({})", file.to_string_lossy()),
        _ => mechanism.to_owned(),
    }
}

/// The claim as the text has it: with its measure, and with its δ if it has one.
fn claim(claim: &Claim) -> String {
    let amount = match claim.reading {
        Reading::Reals | Reading::Binary { .. } => claim.epsilon.to_string(),
        Reading::Rho => format!("rho {}", claim.epsilon),
        Reading::Mu => format!("mu {}", claim.epsilon),
    };
    let delta = match claim.delta == Expr::int(0) {
        true => String::new(),
        false => format!(", {}", claim.delta),
    };
    let format = match claim.reading {
        Reading::BINARY64 => " in binary64",
        Reading::Binary { .. } => " in floats",
        _ => "",
    };
    format!("{amount}{delta}{format}")
}

/// The share of the claim that was seen, with a mark where the audit did not finish.
fn share(audited: &Audited) -> String {
    let share = audited.share.map_or("-".to_owned(), |share| format!("{share:.3}"));
    match audited.end {
        End::Done | End::NotCovered(_) => share,
        End::Running | End::Stopped => format!("{share} unfinished"),
    }
}

fn print_table(rows: &[Row], left: usize, taken: Duration) -> Result<(), Failure> {
    let heading = ["mechanism", "claim", "status", "", "certified in binary64", "audited / claim", "seconds"];
    output::table(&heading, rows.iter().map(cells))?;
    let verdicts: Vec<&Verdict> = rows.iter().filter_map(|(_, verdict)| verdict.as_ref().ok()).collect();
    let count = |status: Known| verdicts.iter().filter(|verdict| verdict.status() == status).count();
    let failed = |status: &str| {
        let failures = rows.iter().filter_map(|(_, verdict)| verdict.as_ref().err());
        match failures.filter(|failure| failure.status() == status).count() {
            0 => String::new(),
            some => format!(", {some} {status}"),
        }
    };
    let not_begun = if left == 0 { String::new() } else { format!(", {left} not looked at") };
    let others = failed("unreadable") + &failed("refused") + &not_begun;
    output::print(|out| {
        let seconds = taken.as_secs_f64();
        writeln!(
            out,
            "\n{} proved, {} refuted, {} open{others} in {seconds:.1} s. An audit is a lower bound, on small inputs.",
            count(Known::Proved),
            count(Known::Refuted),
            count(Known::Open),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_shown_with_its_measure_and_delta() {
        let of = |delta: Expr, reading: Reading| claim(&Claim { epsilon: Expr::var("eps"), delta, reading });
        assert_eq!(of(Expr::int(0), Reading::Reals), "eps");
        assert_eq!(of(Expr::var("delta"), Reading::Reals), "eps, delta");
        assert_eq!(of(Expr::int(0), Reading::Rho), "rho eps");
        assert_eq!(of(Expr::int(0), Reading::Mu), "mu eps");
        assert_eq!(of(Expr::int(0), Reading::BINARY64), "eps in binary64");
        assert_eq!(of(Expr::int(0), Reading::BINARY32), "eps in floats");
    }

    #[test]
    fn a_file_is_named_where_the_mechanism_has_another_name() {
        assert_eq!(name(Path::new("a/laplace.dp"), "laplace"), "laplace");
        assert_eq!(name(Path::new("a/first.dp"), "laplace"), "laplace (first.dp)");
    }
}
