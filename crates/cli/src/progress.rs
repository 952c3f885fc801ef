//! One line on the terminal while something takes longer than a moment. Nothing is written to a pipe or a file.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// The line, and when it was last written.
pub struct Progress {
    start: Instant,
    shown: Option<Instant>,
    terminal: bool,
}

impl Progress {
    /// Starts counting.
    pub fn new() -> Progress {
        Progress { start: Instant::now(), shown: None, terminal: std::io::stderr().is_terminal() }
    }

    /// Shows a text, at most five times a second.
    pub fn show(&mut self, text: impl FnOnce() -> String) {
        let due = self.shown.unwrap_or(self.start).elapsed() > Duration::from_millis(200);
        if self.terminal && due {
            eprint!("\r{:6.1} s  {:<70}", self.start.elapsed().as_secs_f64(), text());
            let _ = std::io::stderr().flush();
            self.shown = Some(Instant::now());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown.is_some() {
            eprint!("\r{:80}\r", "");
        }
    }
}
