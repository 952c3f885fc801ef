//! One line on the terminal while something takes longer than a moment. Nothing is written to a pipe, a file or a dumb
//! terminal.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use probity_verdict::{Step, Watch};

/// How long nothing is shown, and how often the line is renewed after that.
const PATIENCE: Duration = Duration::from_millis(700);
const TICK: Duration = Duration::from_millis(200);

/// Characters of a bar.
const BAR: usize = 20;

/// The line, which a thread of its own keeps up to date: the work may be silent for long.
pub struct Progress {
    line: Option<(Sender<String>, JoinHandle<()>)>,
}

impl Progress {
    /// Starts counting.
    pub fn new() -> Progress {
        let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
        if dumb || !io::stderr().is_terminal() {
            return Progress { line: None };
        }
        let (sender, texts) = channel::<String>();
        let start = Instant::now();
        let thread = thread::spawn(move || {
            let mut text = String::new();
            let mut shown: Option<Instant> = None;
            loop {
                match texts.recv_timeout(TICK) {
                    Ok(newer) => text = newer,
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                if start.elapsed() > PATIENCE && shown.is_none_or(|at| at.elapsed() >= TICK) {
                    let cut: String = text.chars().take(70).collect();
                    let _ = write!(io::stderr(), "\r{:6.1} s  {cut:<70}", start.elapsed().as_secs_f64());
                    shown = Some(Instant::now());
                }
            }
            if shown.is_some() {
                let _ = write!(io::stderr(), "\r{:80}\r", "");
            }
        });
        Progress { line: Some((sender, thread)) }
    }

    /// Says what is being done.
    pub fn show(&self, text: impl FnOnce() -> String) {
        if let Some((line, _)) = &self.line {
            // The thread ends only when this sender is dropped.
            let _ = line.send(text());
        }
    }

    /// Takes the line away for what is printed now.
    pub fn clear(&self) {
        if self.line.is_some() {
            let _ = write!(io::stderr(), "\r{:80}\r", "");
        }
    }

    /// Says how much of it is done.
    pub fn step(&self, done: usize, all: usize, what: impl FnOnce() -> String) {
        self.show(|| format!("{} {done}/{all} {}", bar(done, all), what()));
    }
}

fn bar(done: usize, all: usize) -> String {
    let full = (done * BAR).checked_div(all).unwrap_or(0).min(BAR);
    format!("[{}{}]", "#".repeat(full), " ".repeat(BAR - full))
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((line, thread)) = self.line.take() {
            drop(line);
            // It has nothing to say but how it ended.
            let _ = thread.join();
        }
    }
}

/// Does the work, and says the same thing while it lasts.
pub fn saying<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let progress = Progress::new();
    progress.show(|| what.to_owned());
    work()
}

/// Does the work, and says what is being done while it lasts.
pub fn watched<T>(work: impl FnOnce(&Watch<'_>) -> T) -> T {
    watched_by(&Progress::new(), work)
}

/// The same on a line that is there already.
pub fn watched_by<T>(progress: &Progress, work: impl FnOnce(&Watch<'_>) -> T) -> T {
    let tell = |step: &Step| match step.done {
        Some((done, all)) => progress.step(done, all, || step.what.clone()),
        None => progress.show(|| step.what.clone()),
    };
    work(&Watch::default().reporting_to(&tell))
}

/// Does work that does not report by itself, under a name.
pub fn during<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let progress = Progress::new();
    progress.show(|| what.to_owned());
    work()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_has_its_length() {
        assert_eq!(bar(0, 4), "[                    ]");
        assert_eq!(bar(1, 4), "[#####               ]");
        assert_eq!(bar(9, 4).len(), BAR + 2);
        assert_eq!(bar(0, 0).len(), BAR + 2);
    }
}
