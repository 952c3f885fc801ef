//! The `:precision` of a computation.

use probity_exact::Format;

use super::NotCovered;
use super::reader::{refuse, shown};
use crate::sexp::{Kind, Sexp};

/// The `:precision` among annotations, or the one from outside.
pub(super) fn properties_format(properties: &[Sexp], outer: Format) -> Result<Format, NotCovered> {
    let mut format = outer;
    for pair in properties.chunks(2) {
        match pair {
            [key, value] if key.word() == Some(":precision") => format = read_format(value)?,
            [key, value] if key.word() == Some(":round") && value.word() != Some("nearestEven") => {
                return refuse(value, "only rounding to nearest, ties to even, is covered");
            }
            _ => {}
        }
    }
    Ok(format)
}

pub(super) fn read_format(form: &Sexp) -> Result<Format, NotCovered> {
    let made = match &form.kind {
        Kind::Word(word) => match word.as_str() {
            "binary16" => Ok(Format::BINARY16),
            "binary32" => Ok(Format::BINARY32),
            "binary64" => Ok(Format::BINARY64),
            "binary80" => Format::new(64, -16382, 16383),
            "binary128" => Format::new(113, -16382, 16383),
            other => return refuse(form, format!("the precision '{}' is not covered", shown(other))),
        },
        Kind::List(items) => {
            match items.iter().map(|item| item.word().unwrap_or("")).collect::<Vec<_>>().as_slice() {
                ["float", exponent, total] => match (exponent.parse::<u32>(), total.parse::<u32>()) {
                    (Ok(e @ 2..=30), Ok(n)) if n > e + 1 && n < 10_000 => {
                        let emax = (1i64 << (e - 1)) - 1;
                        Format::new(n - e, 1 - emax, emax)
                    }
                    _ => return refuse(form, "(float E N) needs 2 ≤ E ≤ 30 and E + 1 < N < 10000"),
                },
                _ => return refuse(form, "this precision is not covered"),
            }
        }
        Kind::Text(_) => return refuse(form, "a precision is not a string"),
    };
    made.or_else(|error| refuse(form, error.to_string()))
}
