//! Writing answers: text for people, JSON for programs, and quiet when the reader has gone.

use std::borrow::Cow;
use std::io::{self, Write};

use probity_lang::{disturbs, visible};

use crate::colour::{self, Painter};
use crate::failure::Failure;

/// Writes to standard output through a buffer.
///
/// A reader that stops reading (`probity sample … | head`) ends the work without an error.
pub fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut out = Painter::new(io::BufWriter::new(io::stdout().lock()), colour::wanted(&io::stdout()));
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("cannot write the answer: {error}")))
        }
        _ => Ok(()),
    }
}

/// Whether standard output was closed when the program began. What is closed is opened then as /dev/null, for reading as well, which no shell does.
/// Where there is no Linux it is not known.
pub fn is_closed() -> bool {
    let flags = std::fs::read_to_string("/proc/self/fdinfo/1").unwrap_or_default();
    let flags =
        flags.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("flags:")?.trim(), 8).ok());
    let is_null =
        std::fs::read_link("/proc/self/fd/1").is_ok_and(|path| path == std::path::Path::new("/dev/null"));
    is_null && flags.is_some_and(|flags| flags & 3 == 2)
}

/// Writes a message to standard error. If nobody hears it there is nobody to tell.
pub fn complain(text: &str) {
    if !text.is_empty() {
        let mut out = Painter::new(io::stderr().lock(), colour::wanted(&io::stderr()));
        // Names of files and pieces of texts that others wrote are in it.
        let _ = writeln!(out, "{}", visible(text.trim_end())).and_then(|()| out.flush());
    }
}

/// Prints one JSON value and a newline.
pub fn json(value: &serde_json::Value) -> Result<(), Failure> {
    let text = format!("{value:#}");
    print(|out| writeln!(out, "{}", escaped(&text)))
}

/// JSON whose texts do not disturb a terminal: JSON has escapes for that, and says the same with them.
fn escaped(json: &str) -> Cow<'_, str> {
    let bad = |c: char| disturbs(c) && c != '\n';
    match json.contains(bad) {
        false => Cow::Borrowed(json),
        // All of these are characters of one unit.
        true => json
            .chars()
            .fold(String::new(), |text, c| match bad(c) {
                true => text + &format!("\\u{:04x}", u32::from(c)),
                false => text + c.encode_utf8(&mut [0; 4]),
            })
            .into(),
    }
}

/// A double in JSON, which has no infinity: that is the text "inf".
pub fn number(value: f64) -> serde_json::Value {
    match value.is_infinite() {
        true => if value > 0.0 { "inf" } else { "-inf" }.into(),
        false => value.into(),
    }
}

/// What somebody else wrote, on one line and without what disturbs a terminal: it cannot look like a line of ours.
pub fn one_line(text: &str) -> String {
    visible(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

/// The widest cell of a table; what is longer is cut, as JSON has it in full.
const WIDEST: usize = 48;

/// Prints a table with a heading, each column as wide as its widest cell.
pub fn table(heading: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Result<(), Failure> {
    let mut cells = vec![heading.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>()];
    cells.extend(rows.map(|row| row.into_iter().map(cut).collect()));
    let width = |column: usize| {
        cells.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heading.len()).map(width).collect();
    print(|out| {
        for (number, row) in cells.iter().enumerate() {
            let line: Vec<String> =
                row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            writeln!(out, "{}", line.join("  ").trim_end())?;
            if number == 0 {
                let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
                writeln!(out, "{}", rule.join("  "))?;
            }
        }
        Ok(())
    })
}

fn cut(cell: String) -> String {
    let cell = visible(&cell);
    match cell.char_indices().nth(WIDEST) {
        None => cell.into_owned(),
        Some(_) => cell.chars().take(WIDEST - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_stays_on_one_line() {
        let shown = one_line("SELECT 1 /*\nbudget: epsilon 0\r\n\u{2028}x \u{202e}*/\u{1b}[2J");
        assert!(shown.starts_with("SELECT 1 /* budget: epsilon 0 x "), "{shown}");
        assert!(!shown.contains(|c: char| c.is_control() || c == '\u{202e}' || c == '\u{2028}'), "{shown}");
    }

    #[test]
    fn json_says_the_same_in_escapes() {
        let value = serde_json::json!({ "a\u{202e}b": "\u{1b}[2J\u{9b}\u{7f} é 🦀" });
        let text = format!("{value:#}");
        let shown = escaped(&text);
        assert!(!shown.contains(|c: char| disturbs(c) && c != '\n'), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).ok(), Some(value));
        assert!(shown.contains("\\u202e") && shown.contains("🦀"), "{shown}");
    }
}
