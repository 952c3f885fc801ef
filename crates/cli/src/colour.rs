//! Colour for terminals: the words that say how it ended, and nothing else. A pipe, a file, `NO_COLOR` and a dumb terminal
//! get plain text.

use std::io::{self, IsTerminal, Write};

const GREEN: &str = "\x1b[32m";
const RED: &str = "\x1b[31m";
const YELLOW: &str = "\x1b[33m";
const BLUE: &str = "\x1b[34m";
const PLAIN: &str = "\x1b[0m";

/// Words that have a colour wherever they stand as a cell of a table, or at the start of a line before a colon.
const WORDS: [(&str, &str); 16] = [
    ("proved", GREEN),
    ("certified", GREEN),
    ("accepted", GREEN),
    ("refuted", RED),
    ("refused", RED),
    ("rejected", RED),
    ("unreadable", RED),
    ("bounds cross", RED),
    ("vacuous", RED),
    ("UNEXPECTED", RED),
    ("open", YELLOW),
    ("not proved", YELLOW),
    ("error", RED),
    ("warning", YELLOW),
    ("hint", BLUE),
    ("tip", BLUE),
];

/// Whether what goes to this stream is to be coloured.
pub fn wanted(stream: &impl IsTerminal) -> bool {
    let variable = |name| std::env::var(name).unwrap_or_default();
    decide(stream.is_terminal(), &variable("NO_COLOR"), &variable("TERM"))
}

/// As <https://no-color.org> has it: any value but the empty one switches colour off.
fn decide(terminal: bool, no_color: &str, term: &str) -> bool {
    terminal && no_color.is_empty() && term != "dumb"
}

/// Passes text on, line by line, with colour if that is wanted.
pub struct Painter<Out: Write> {
    out: Out,
    wanted: bool,
    /// The line so far.
    line: Vec<u8>,
}

impl<Out: Write> Painter<Out> {
    /// Writes to `out`.
    pub fn new(out: Out, wanted: bool) -> Painter<Out> {
        Painter { out, wanted, line: Vec::new() }
    }

    fn pass_line(&mut self) -> io::Result<()> {
        let line = String::from_utf8_lossy(&self.line);
        self.out.write_all(painted(&line).as_bytes())?;
        self.line.clear();
        Ok(())
    }
}

impl<Out: Write> Write for Painter<Out> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.wanted {
            return self.out.write(bytes);
        }
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.pass_line()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_line()?;
        self.out.flush()
    }
}

/// A line with its words in colour.
fn painted(line: &str) -> String {
    let start = line.trim_start_matches([' ', '=']);
    let indent = &line[..line.len() - start.len()];
    for (word, colour) in WORDS {
        // `error: …`, `error[E0301]: …`, `hint: …`.
        if let Some(rest) = start.strip_prefix(word)
            && (rest.starts_with(": ") || rest.starts_with('['))
        {
            return format!("{indent}{colour}{word}{PLAIN}{rest}");
        }
    }
    // Cells are two spaces or more apart.
    let mut line = line.to_owned();
    for (word, colour) in WORDS {
        let cell = format!("  {word}  ");
        if let Some(at) = line.find(&cell) {
            line.replace_range(at + 2..at + 2 + word.len(), &format!("{colour}{word}{PLAIN}"));
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_willing_terminal_gets_colour() {
        assert!(decide(true, "", "xterm"));
        assert!(!decide(true, "1", "xterm"));
        assert!(!decide(true, "", "dumb"));
        assert!(!decide(false, "", "xterm"));
    }

    fn through(text: &str, wanted: bool) -> String {
        let mut out = Vec::new();
        let mut painter = Painter::new(&mut out, wanted);
        // In pieces, as a formatter writes.
        for piece in text.as_bytes().chunks(3) {
            painter.write_all(piece).unwrap();
        }
        painter.flush().unwrap();
        drop(painter);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn words_are_painted_and_nothing_is_lost() {
        assert_eq!(through("proved: x\n", true), "\x1b[32mproved\x1b[0m: x\n");
        assert_eq!(through("error[E0301]: y", true), "\x1b[31merror\x1b[0m[E0301]: y");
        assert_eq!(through("  = hint: z\n", true), "  = \x1b[34mhint\x1b[0m: z\n");
        assert_eq!(through("laplace  eps  open    -\n", true), "laplace  eps  \x1b[33mopen\x1b[0m    -\n");
        for text in ["opens: a door\n", "a proved b\n", "§ 1\n\n", ""] {
            assert_eq!(through(text, true), text);
        }
        assert_eq!(through("proved: x\n", false), "proved: x\n");
    }
}
