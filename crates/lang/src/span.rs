//! Where something stands in a source text, and how byte offsets become lines and columns.
//!
//! ```
//! use probity_lang::{LineIndex, Span};
//! let index = LineIndex::new("one\ntwo\n");
//! assert_eq!(index.line_of(5), 1); // lines count from zero inside the crate
//! assert_eq!(Span::new(4, 7).text("one\ntwo\n"), "two");
//! ```

/// A half-open range of bytes in the source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset one past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` up to, not including, `end`.
    pub fn new(start: u32, end: u32) -> Span {
        Span { start, end: end.max(start) }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The piece of `source` that this span covers, or nothing when it does not fit that text.
    pub fn text(self, source: &str) -> &str {
        source.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}

/// The offsets at which the lines of a text begin. Built once, answers in logarithmic time.
#[derive(Debug, Clone)]
pub struct LineIndex {
    /// Invariant: strictly increasing, the first is 0.
    starts: Vec<u32>,
}

impl LineIndex {
    /// Indexes `source`, whose lines end with `\n`.
    pub fn new(source: &str) -> LineIndex {
        let after_newline =
            source.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at as u32 + 1);
        LineIndex { starts: std::iter::once(0).chain(after_newline).collect() }
    }

    /// The line, counted from zero, that holds the byte at `offset`.
    pub fn line_of(&self, offset: u32) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// The span of a line without its line break; `None` past the end.
    pub fn line_span(&self, line: usize, source: &str) -> Option<Span> {
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).map_or(source.len() as u32, |next| next - 1);
        let text = Span::new(start, end).text(source);
        Some(Span::new(start, start + text.trim_end_matches('\r').len() as u32))
    }
}
