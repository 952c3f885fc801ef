//! Writing answers: text for people, JSON for programs, and quiet when the reader has gone.

use std::io::{self, Write};

use crate::failure::Failure;

/// Writes to standard output through a buffer.
///
/// A reader that stops reading (`probity sample … | head`) ends the work without an error.
pub fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("cannot write the answer: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints one JSON value and a newline.
pub fn json(value: &serde_json::Value) -> Result<(), Failure> {
    print(|out| writeln!(out, "{value:#}"))
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
