//! Writing answers: text for people, JSON for programs, and quiet when the reader has gone.

use std::io::{self, Write};

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

/// Writes a message to standard error. If nobody hears it there is nobody to tell.
pub fn complain(text: &str) {
    if !text.is_empty() {
        let mut out = Painter::new(io::stderr().lock(), colour::wanted(&io::stderr()));
        let _ = writeln!(out, "{}", text.trim_end()).and_then(|()| out.flush());
    }
}

/// Prints one JSON value and a newline.
pub fn json(value: &serde_json::Value) -> Result<(), Failure> {
    print(|out| writeln!(out, "{value:#}"))
}

/// A double in JSON, which has no infinity: that is the text "inf".
pub fn number(value: f64) -> serde_json::Value {
    match value.is_infinite() {
        true => if value > 0.0 { "inf" } else { "-inf" }.into(),
        false => value.into(),
    }
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
    match cell.char_indices().nth(WIDEST) {
        None => cell,
        Some(_) => cell.chars().take(WIDEST - 1).chain(['…']).collect(),
    }
}
