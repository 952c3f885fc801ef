//! Records of a piece of CSV, and their fields.
//!
//! A piece without a quote is read where it lies: its fields are what stands between delimiters, which are looked for eight bytes at a
//! time. A piece with quotes goes through `csv-core`, which copies fields without them. Both readings agree, which is tested.

use csv_core::ReadRecordResult;
use memchr::{memchr, memchr2};

/// One record, unquoted.
pub struct Record<'a> {
    /// The fields, and perhaps more bytes behind the last of them.
    bytes: &'a [u8],
    /// Where each field ends. Fields behind the last one that is wanted may be left out.
    ends: &'a [usize],
    /// How many bytes lie between two fields.
    gap: usize,
    size: usize,
}

impl<'a> Record<'a> {
    /// Where a field starts and ends in [`Record::bytes`]; one that is missing is empty.
    #[inline]
    pub fn place(&self, field: usize) -> (usize, usize) {
        match self.ends.get(field) {
            Some(end) => (if field == 0 { 0 } else { self.ends[field - 1] + self.gap }, *end),
            None => (0, 0),
        }
    }

    /// The bytes that [`Record::place`] speaks of.
    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// A field; one that is missing is empty.
    #[inline]
    pub fn field(&self, field: usize) -> &'a [u8] {
        let (start, end) = self.place(field);
        &self.bytes[start..end]
    }

    /// How many fields there are, of those that are wanted.
    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    /// Its size, by which long records are dropped: a function of the record alone.
    #[inline]
    pub fn size(&self) -> usize {
        self.size
    }
}

/// Calls for each record, of which so many fields are wanted.
#[inline]
pub fn each_record(bytes: &[u8], wanted: usize, call: impl FnMut(&Record)) {
    match memchr(b'"', bytes) {
        None => each_plain(bytes, wanted, call),
        Some(_) => each_quoted(bytes, call),
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Marks the bytes of a word that are this one, by their highest bit. The lowest mark is always right.
#[inline]
fn marks(word: u64, byte: u8) -> u64 {
    let differs = word ^ (ONES * u64::from(byte));
    differs.wrapping_sub(ONES) & !differs & HIGHS
}

/// Where the next field or record ends, from a place on.
#[inline]
fn delimiter(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(word) = bytes.get(at..at + 8).and_then(|word| word.try_into().ok()) {
        let word = u64::from_le_bytes(word);
        let found = marks(word, b',') | marks(word, b'\n') | marks(word, b'\r');
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let rest = &bytes[at..];
    at + rest.iter().position(|byte| matches!(byte, b',' | b'\n' | b'\r')).unwrap_or(rest.len())
}

fn each_plain(bytes: &[u8], wanted: usize, mut call: impl FnMut(&Record)) {
    let mut ends: Vec<usize> = Vec::with_capacity(16);
    let mut start = 0;
    while let Some(first) = bytes.get(start) {
        // Between records a line break more or less is no record.
        if matches!(first, b'\n' | b'\r') {
            start += 1;
            continue;
        }
        ends.clear();
        let rest = &bytes[start..];
        let mut end = delimiter(rest, 0);
        ends.push(end);
        while rest.get(end) == Some(&b',') {
            if ends.len() >= wanted {
                end = memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
                break;
            }
            end = delimiter(rest, end + 1);
            ends.push(end);
        }
        // Its fields, and one for each of them: commas, and one more.
        call(&Record { bytes: rest, ends: &ends, gap: 1, size: end + 1 });
        start += end + 1;
    }
}

fn each_quoted(bytes: &[u8], mut call: impl FnMut(&Record)) {
    let mut reader = csv_core::Reader::new();
    let mut out = vec![0u8; bytes.len() + 1];
    let mut ends = vec![0usize; 256];
    // A reader takes a byte order mark away from the first bytes that it is given; those of a piece are like any other.
    reader.read_record(b"\n", &mut out, &mut ends);
    let (mut at, mut written, mut ended) = (0, 0, 0);
    loop {
        let (result, read, wrote, found) =
            reader.read_record(&bytes[at..], &mut out[written..], &mut ends[ended..]);
        at += read;
        written += wrote;
        ended += found;
        match result {
            ReadRecordResult::OutputFull => out.resize(out.len() * 2, 0),
            ReadRecordResult::OutputEndsFull => ends.resize(ends.len() * 2, 0),
            ReadRecordResult::InputEmpty => {}
            ReadRecordResult::Record => {
                call(&Record { bytes: &out[..written], ends: &ends[..ended], gap: 0, size: written + ended });
                (written, ended) = (0, 0);
            }
            ReadRecordResult::End => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Read = Vec<(Vec<Vec<u8>>, usize)>;

    fn seen(record: &Record) -> (Vec<Vec<u8>>, usize) {
        ((0..record.count()).map(|field| record.field(field).to_vec()).collect(), record.size())
    }

    fn plain(text: &[u8], wanted: usize) -> Read {
        let mut all = Vec::new();
        each_plain(text, wanted, |record| all.push(seen(record)));
        all
    }

    fn quoted(text: &[u8]) -> Read {
        let mut all = Vec::new();
        each_quoted(text, |record| all.push(seen(record)));
        all
    }

    #[test]
    fn both_readings_agree_where_there_is_no_quote() {
        // All texts of so many characters out of these, short and with a long field before or behind.
        let length: u32 = if cfg!(feature = "exhaustive") { 7 } else { 6 };
        let letters = *b"a,\n\r ";
        for number in 0..5usize.pow(length) {
            let text: Vec<u8> = (0..length).map(|place| letters[number / 5usize.pow(place) % 5]).collect();
            for text in
                [text.clone(), [&text, &b"12345678,9"[..]].concat(), [&b"0123456,"[..], &text].concat()]
            {
                assert_eq!(plain(&text, usize::MAX), quoted(&text), "{:?}", String::from_utf8_lossy(&text));
            }
        }
    }

    #[test]
    fn what_is_not_wanted_is_counted_all_the_same() {
        let text = b"a,b,c,d\n1\n,,,,,\r\nx,y";
        let all = plain(text, usize::MAX);
        for wanted in 1..8 {
            let some = plain(text, wanted);
            assert_eq!(some.len(), all.len());
            for ((some, size), (all, whole)) in some.iter().zip(&all) {
                assert_eq!((some.as_slice(), size), (&all[..all.len().min(wanted)], whole));
            }
        }
    }

    #[test]
    fn a_byte_order_mark_inside_a_table_is_text() {
        for text in ["\u{feff}a,b\n", "\u{feff}a,\"b\"\n"] {
            let mut first = Vec::new();
            each_record(text.as_bytes(), 2, |record| first = record.field(0).to_vec());
            assert_eq!(first, "\u{feff}a".as_bytes());
        }
    }

    #[test]
    fn bytes_that_are_almost_delimiters_are_none() {
        for byte in 0..=255u8 {
            let text = [&[byte; 11][..], b","].concat();
            let end = if matches!(byte, b',' | b'\n' | b'\r') { 0 } else { 11 };
            assert_eq!(delimiter(&text, 0), end, "{byte}");
        }
    }
}
