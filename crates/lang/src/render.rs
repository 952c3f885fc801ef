//! Shows diagnostics to a person: the message, the line it is about, and a mark under the place.
//!
//! ```
//! let text = "mechanism m(x: real)\nreturn y\n";
//! let faults = probity_lang::load_text(text).unwrap_err();
//! let shown = probity_lang::render(&faults, "m.dp", text);
//! assert!(shown.contains("error[E0301]"));
//! assert!(shown.contains("--> m.dp:2:8"));
//! assert!(shown.contains("2 | return y"));
//! ```

use std::fmt::Write;

use crate::diagnostic::printable;
use crate::{Diagnostic, LineIndex, Severity};

/// Widest excerpt of a source line, in characters. Longer lines are cut around the place of the fault.
const MAX_EXCERPT: usize = 100;

/// Renders the diagnostics of one text, each with its line. `name` is how the reader knows the text.
pub fn render(diagnostics: &[Diagnostic], name: &str, source: &str) -> String {
    let index = LineIndex::new(source);
    let mut out = String::new();
    for diagnostic in diagnostics {
        if !out.is_empty() {
            out.push('\n');
        }
        render_one(&mut out, diagnostic, name, source, &index);
    }
    out
}

fn render_one(out: &mut String, diagnostic: &Diagnostic, name: &str, source: &str, index: &LineIndex) {
    let Diagnostic { code, span, message, hint } = diagnostic;
    let label = match code.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{label}[{code}]: {message}");
    let line = index.line_of(span.start);
    let number = (line + 1).to_string();
    let margin = " ".repeat(number.len());
    if let Some(line_span) = index.line_span(line, source) {
        let text = line_span.text(source);
        let start = floor_boundary(text, (span.start - line_span.start) as usize);
        let end = floor_boundary(text, (span.end.max(span.start) - line_span.start) as usize);
        let column = text[..start].chars().count();
        let width = text[start..end.max(start)].chars().count().max(1);
        let _ = writeln!(out, "{margin}--> {name}:{number}:{}", column + 1);
        let excerpt = Excerpt::new(text, column, width);
        let _ = writeln!(out, "{margin} |");
        let _ = writeln!(out, "{number} | {}", excerpt.text);
        let _ = writeln!(out, "{margin} | {}{}", " ".repeat(excerpt.indent), "^".repeat(excerpt.width));
    }
    if let Some(hint) = hint {
        let _ = writeln!(out, "{margin} = hint: {hint}");
    }
}

/// A source line cut to [`MAX_EXCERPT`] characters around the marked ones.
struct Excerpt {
    text: String,
    /// Characters before the mark.
    indent: usize,
    /// Characters under the mark.
    width: usize,
}

impl Excerpt {
    fn new(line: &str, column: usize, width: usize) -> Excerpt {
        // A third of the excerpt stands before the mark, so that its context is seen.
        let skipped = if column + width <= MAX_EXCERPT { 0 } else { column.saturating_sub(MAX_EXCERPT / 3) };
        let mut text = String::new();
        if skipped > 0 {
            text.push('…');
        }
        let indent = column - skipped + usize::from(skipped > 0);
        let mut rest = line.chars().skip(skipped);
        // A tab takes one column here, so that the mark stays under its text.
        text.extend(rest.by_ref().take(MAX_EXCERPT).map(|c| if c == '\t' { ' ' } else { printable(c) }));
        if rest.next().is_some() {
            text.push('…');
        }
        let room = text.chars().count().saturating_sub(indent).max(1);
        Excerpt { text, indent, width: width.min(room) }
    }
}

/// The largest character boundary of `text` that is at most `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, Span};

    fn at(start: u32, end: u32) -> Diagnostic {
        Diagnostic { code: Code::UnknownName, span: Span::new(start, end), message: "m".into(), hint: None }
    }

    #[test]
    fn the_mark_stands_under_the_place() {
        let shown = render(&[at(6, 9)], "f", "ab\nlα(xyz)\n");
        assert_eq!(shown, "error[E0301]: m\n --> f:2:3\n  |\n2 | lα(xyz)\n  |   ^^^\n");
    }

    #[test]
    fn long_lines_are_cut_and_control_characters_replaced() {
        let line = format!("{}\u{1b}bad{}", "x".repeat(500), "y".repeat(500));
        let shown = render(&[at(501, 504)], "f", &line);
        assert!(shown.lines().all(|l| l.chars().count() <= MAX_EXCERPT + 10), "{shown}");
        assert!(!shown.contains('\u{1b}'));
        let rows: Vec<&str> = shown.lines().collect();
        let mark = rows[4].find('^').unwrap();
        assert_eq!(rows[3].chars().skip(mark).take(3).collect::<String>(), "bad");
    }

    #[test]
    fn a_place_past_the_end_is_no_panic() {
        for (start, end) in [(0, 0), (3, 3), (99, 120), (2, 99), (1, 2)] {
            let _ = render(&[at(start, end)], "f", "é\n");
            let _ = render(&[at(start, end)], "f", "");
        }
    }
}
