//! `probity verify --watch FILE`: an answer whenever the file is saved.

use std::fs;
use std::thread;
use std::time::Duration;

use probity_lang::Setting;

use super::{Arguments, answer};
use crate::failure::{Answer, Failure, Status};
use crate::given::Time;
use crate::{interrupt, output};

/// How often the file is looked at.
const TICK: Duration = Duration::from_millis(100);

/// After so many looks at nothing, a file is not being saved: it is gone, and that is said.
const MISSED: u32 = 20;

/// Answers now and on every save, until Ctrl-C; the exit code is that of the last answer.
pub fn on_every_save(arguments: &Arguments, settings: &[Setting], time: Time) -> Answer {
    let path = &arguments.path;
    if path.as_os_str() == "-" {
        return Err(Failure::new("standard input cannot be watched").hint("name a file"));
    }
    // A file that is not there at first is a mistake; one that goes away is being saved.
    fs::metadata(path)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())).in_file(path))?;
    let mut last: Option<Vec<u8>> = None;
    let mut status = Status::Done;
    let mut missed: u32 = 0;
    while !interrupt::is_on() {
        // An empty file is one that is being written.
        let text = fs::read(path).ok().filter(|text| !text.is_empty());
        missed = if text.is_some() { 0 } else { missed.saturating_add(1) };
        if missed == MISSED {
            let what = if path.exists() { "empty" } else { "gone" };
            output::complain(&format!("{} is {what}; waiting for it, Ctrl-C ends", path.display()));
            last = None;
        }
        if text.is_none() || text == last {
            thread::sleep(TICK);
            continue;
        }
        if last.is_some() {
            output::print(|out| writeln!(out))?;
        }
        last = text;
        status = answer(arguments, settings, time).unwrap_or_else(|failure| {
            output::complain(&failure.to_string());
            failure.exit()
        });
        if !interrupt::is_on() {
            output::print(|out| writeln!(out, "watching {}; Ctrl-C ends", crate::files::shown(path)))?;
        }
    }
    Ok(status)
}
