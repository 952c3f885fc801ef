//! Writing answers: text for people, JSON for programs, and quiet when the reader has gone.

use std::io::{self, Write};

use probity_exact::{Abs, BitTest, Integer, Natural, Rational};

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

/// A rational to four significant digits, however small: `2.470e-324`.
pub fn scientific(x: &Rational) -> String {
    if x.is_zero() {
        return "0".into();
    }
    let ten = |power: i64| {
        let scale = Natural::from(10u8).pow(power.unsigned_abs() as usize);
        match power >= 0 {
            true => Rational::from(scale),
            false => Rational::from_parts(Integer::ONE, scale),
        }
    };
    let magnitude = x.clone().abs();
    // Bits give the decimal exponent up to one; then step to 10^e <= |x| < 10^(e+1).
    let bits = magnitude.numerator().bit_len() as i64 - magnitude.denominator().bit_len() as i64;
    let mut exponent = bits * 30103 / 100_000 - 1;
    while ten(exponent + 1) <= magnitude {
        exponent += 1;
    }
    let mut digits = (magnitude * ten(3 - exponent)).round();
    if digits == Integer::from(10_000) {
        digits = Integer::from(1000);
        exponent += 1;
    }
    let text = digits.to_string();
    let sign = if *x < Rational::ZERO { "-" } else { "" };
    format!("{sign}{}.{}e{exponent}", &text[..1], &text[1..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    #[test]
    fn scientific_covers_every_size() {
        let shown = |n: i64, d: i64| scientific(&rational(n, d).unwrap());
        assert_eq!(shown(0, 1), "0");
        assert_eq!(shown(1, 1), "1.000e0");
        assert_eq!(shown(-12345, 10), "-1.235e3");
        assert_eq!(shown(99_999, 100), "1.000e3");
        assert_eq!(shown(1, 3), "3.333e-1");
        assert_eq!(shown(1, 1000), "1.000e-3");
        let tiny = Rational::from_parts(Integer::ONE, Natural::ONE << 1075);
        assert_eq!(scientific(&tiny), "2.470e-324");
    }
}
