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
