//! Rows of a report: single calls are timed, sorted into two classes, and the classes compared (module `welch`).

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use probity_noise::entropy::{Entropy, SecureEntropy};

use crate::welch;

/// What can go wrong: the error of whatever is timed.
pub type Failure = Box<dyn std::error::Error>;

/// The rows so far.
pub struct Report {
    /// How many calls a row times.
    pub draws: usize,
    coins: SecureEntropy,
    ok: bool,
}

impl Report {
    /// A report with the number of draws from the command line, or a million.
    pub fn begin() -> Result<Report, Failure> {
        let draws = match std::env::args().nth(1) {
            Some(text) => text.parse()?,
            None => 1_000_000,
        };
        println!("{draws} draws a row; a row tells when |t| ≥ {}", welch::LEAK);
        Ok(Report { draws, coins: SecureEntropy::new()?, ok: true })
    }

    /// 1 when a row told that must not, or a twin was not found.
    pub fn end(self) -> ExitCode {
        if self.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    /// Times `call(class)` for random classes, or sorts the calls by what they answered: after the clock has stopped, so that the sorting
    /// is not what is measured.
    fn times(
        &mut self,
        draws: usize,
        mut call: impl FnMut(bool) -> Result<i64, Failure>,
        sort: Option<&dyn Fn(i64) -> bool>,
    ) -> Result<Vec<(f64, bool)>, Failure> {
        let mut coins = vec![0u64; draws.div_ceil(64)];
        self.coins.fill_words(&mut coins)?;
        let mut times = Vec::with_capacity(draws);
        for at in 0..draws {
            let class = coins[at / 64] >> (at % 64) & 1 == 1;
            let start = Instant::now();
            let answer = black_box(call(black_box(class))?);
            let time = start.elapsed().as_nanos() as f64;
            times.push((time, sort.map_or(class, |sort| sort(answer))));
        }
        Ok(times)
    }

    /// Times calls of either class, or of those that `sort` makes of the answers, and says whether the two can be told apart; `leaks` says
    /// that they must be.
    pub fn row(
        &mut self,
        name: &str,
        draws: usize,
        leaks: bool,
        sort: Option<&dyn Fn(i64) -> bool>,
        mut call: impl FnMut(bool) -> Result<i64, Failure>,
    ) -> Result<(), Failure> {
        // Warm up: tables, caches, branch predictors.
        self.times(draws / 20, &mut call, sort)?;
        let mut found = welch::test(&self.times(draws, &mut call, sort)?);
        let tells = found.t >= welch::LEAK;
        if tells && !leaks {
            // Once more before anything is said: a busy machine drifts.
            found = welch::test(&self.times(draws, &mut call, sort)?);
        }
        let tells = found.t >= welch::LEAK;
        let verdict = match (tells, leaks) {
            (false, false) => "does not tell",
            (true, false) => "TELLS",
            (true, true) => "found, as it must be",
            (false, true) => "NOT FOUND: the others are worth nothing",
        };
        self.ok &= tells == leaks;
        println!(
            "{name:<62} |t| {:>8.1}   {:>7.1} {:>7.1} ns   {verdict}",
            found.t, found.means[0], found.means[1]
        );
        Ok(())
    }
}
