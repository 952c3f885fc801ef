//! Where records end: a table is cut into pieces of whole records, without reading their fields.
//!
//! The rules are those of RFC 4180 as `csv-core` has them: a quote at the beginning of a field opens it, two quotes in it are one,
//! anything after the closing quote belongs to the field, and a quote elsewhere is a character like any other.

use memchr::{memchr, memrchr2};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    FieldStart,
    Unquoted,
    Quoted,
    /// A quote inside a quoted field: its end, or the first of two.
    QuoteSeen,
}

/// Follows a table byte by byte.
#[derive(Debug, Clone, Default)]
pub struct Splitter {
    state: State,
}

impl Splitter {
    /// Reads on. Answers with the place behind the last record that ends in `bytes`.
    pub fn last_end(&mut self, bytes: &[u8]) -> Option<usize> {
        if matches!(self.state, State::FieldStart | State::Unquoted) && memchr(b'"', bytes).is_none() {
            let last = bytes.last()?;
            let end = memrchr2(b'\n', b'\r', bytes);
            self.state =
                if matches!(last, b',' | b'\n' | b'\r') { State::FieldStart } else { State::Unquoted };
            return end.map(|at| at + 1);
        }
        let mut end = None;
        for (at, byte) in bytes.iter().enumerate() {
            self.state = match (self.state, byte) {
                (State::FieldStart, b'"') => State::Quoted,
                (State::Quoted, b'"') => State::QuoteSeen,
                (State::Quoted, _) => State::Quoted,
                (State::QuoteSeen, b'"') => State::Quoted,
                (_, b',') => State::FieldStart,
                (_, b'\n' | b'\r') => {
                    end = Some(at + 1);
                    State::FieldStart
                }
                _ => State::Unquoted,
            };
        }
        end
    }

    /// Reads on to the end of the first record that ends in `bytes`. Answers with the place behind it.
    pub fn first_end(&mut self, bytes: &[u8]) -> Option<usize> {
        (0..bytes.len()).find(|at| self.last_end(&bytes[*at..=*at]).is_some()).map(|at| at + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ends of records by reading fields.
    fn ends(text: &[u8]) -> Vec<usize> {
        let mut reader = csv_core::Reader::new();
        let (mut at, mut found) = (0, Vec::new());
        let (mut out, mut fields) = (vec![0; 1000], vec![0; 1000]);
        while at < text.len() {
            let (result, read, ..) = reader.read_record(&text[at..], &mut out, &mut fields);
            at += read;
            if matches!(result, csv_core::ReadRecordResult::Record) {
                found.push(at);
            }
        }
        found
    }

    #[test]
    fn records_end_where_the_reader_ends_them() {
        // All texts of so many characters out of these.
        let length: u32 = if cfg!(feature = "exhaustive") { 7 } else { 6 };
        let letters = *b"a,\"\n\r";
        for number in 0..5usize.pow(length) {
            let text: Vec<u8> = (0..length).map(|place| letters[number / 5usize.pow(place) % 5]).collect();
            let known = ends(&text);
            let mut splitter = Splitter::default();
            for (at, byte) in text.iter().enumerate() {
                let end = splitter.last_end(std::slice::from_ref(byte));
                let shown = String::from_utf8_lossy(&text);
                // Between records a line break more or less is no record.
                if end.is_some() && !matches!(text.get(at.wrapping_sub(1)), None | Some(b'\n' | b'\r')) {
                    assert!(known.contains(&(at + 1)) || known.contains(&(at + 2)), "{shown:?} {at}");
                }
                if known.contains(&(at + 1)) {
                    assert!(end.is_some(), "{shown:?} {at}");
                }
            }
            // In one go it is the same as byte by byte.
            let mut whole = Splitter::default();
            let last = whole.last_end(&text);
            let mut stepwise = Splitter::default();
            let steps = (0..text.len()).filter(|at| stepwise.last_end(&text[*at..*at + 1]).is_some()).last();
            assert_eq!((last, whole.state), (steps.map(|at| at + 1), stepwise.state));
        }
    }
}
