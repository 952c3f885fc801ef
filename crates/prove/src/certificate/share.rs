//! Texts that occur again and again in a certificate are written once.
//!
//! A line `where TEXT` gives a text the next number, from 0; later lines, other `where` lines among them, write `@0` in its place. Long proofs repeat
//! themselves, statement by statement, so this is what keeps their certificates short.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

use super::text::{ReadError, Text};

/// Certificates below this many bytes are written out: to find what occurs again takes longer than to write it, and to read it too.
const LONG: usize = 120_000;
/// The shortest text that is worth a number.
const SHORTEST: usize = 20;
/// How often a text has to occur, inside different texts.
const OFTEN: usize = 2;
/// The most words and lists that the lines of a certificate may have with all numbers replaced: what a number stands for
/// may be long, and a hostile file could have very many.
const MAX_PARTS: usize = 4_000_000;

/// The lines, shared where they are long: `where` lines, and the lines themselves.
pub(crate) fn share(lines: &[Text]) -> (Vec<String>, Vec<String>) {
    if lines.iter().map(length).sum::<usize>() < LONG {
        return (vec![], lines.iter().map(Text::to_string).collect());
    }
    let mut numbers = Numbers::default();
    let lines: Vec<usize> = lines.iter().map(|line| numbers.known(line)).collect();
    lines.iter().for_each(|line| numbers.count(*line));
    let written = |line: usize| {
        let mut text = String::new();
        numbers.write(line, &mut text);
        text
    };
    let lines = lines.into_iter().map(written).collect();
    let wheres = numbers.texts.iter().map(|text| format!("where {text}")).collect();
    (wheres, lines)
}

/// How long a text is when it is written out.
fn length(text: &Text) -> usize {
    match text {
        Text::Word(word) => word.len(),
        Text::List(parts) => 1 + parts.iter().map(|part| length(part) + 1).sum::<usize>().max(1),
    }
}

/// A text whose parts are named by their places among all different texts.
enum Known<'t> {
    Word(&'t str),
    List(Rc<[usize]>),
}

/// All different texts, each once.
#[derive(Default)]
struct Numbers<'t> {
    words: HashMap<&'t str, usize, BuildHasherDefault<Places>>,
    lists: HashMap<Rc<[usize]>, usize, BuildHasherDefault<Places>>,
    all: Vec<Known<'t>>,
    /// How long each is when it is written out.
    lengths: Vec<usize>,
    /// In how many places each is a part of a different text.
    uses: Vec<usize>,
    /// The number that each was given.
    given: HashMap<usize, usize>,
    texts: Vec<String>,
}

/// A hash of places that takes a few steps for each: the places are our own.
#[derive(Default)]
struct Places(u64);

impl Hasher for Places {
    fn write(&mut self, bytes: &[u8]) {
        for eight in bytes.chunks(8) {
            let number = eight.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
            self.write_u64(number);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}

impl<'t> Numbers<'t> {
    /// The place of a text.
    fn known(&mut self, text: &'t Text) -> usize {
        match text {
            Text::Word(word) => match self.words.get(&**word) {
                Some(place) => *place,
                None => {
                    self.words.insert(word, self.all.len());
                    self.add(Known::Word(word), word.len())
                }
            },
            Text::List(parts) => {
                let parts: Vec<usize> = parts.iter().map(|part| self.known(part)).collect();
                if let Some(place) = self.lists.get(parts.as_slice()) {
                    return *place;
                }
                let length = 1 + parts.iter().map(|part| self.lengths[*part] + 1).sum::<usize>().max(1);
                let parts: Rc<[usize]> = parts.into();
                self.lists.insert(parts.clone(), self.all.len());
                self.add(Known::List(parts), length)
            }
        }
    }

    fn add(&mut self, known: Known<'t>, length: usize) -> usize {
        self.all.push(known);
        self.lengths.push(length);
        self.uses.push(0);
        self.all.len() - 1
    }

    /// Counts a use of a text. Its parts are used by it once, however often it occurs itself.
    fn count(&mut self, place: usize) {
        self.uses[place] += 1;
        if self.uses[place] == 1
            && let Known::List(parts) = &self.all[place]
        {
            let parts = parts.clone();
            parts.iter().for_each(|part| self.count(*part));
        }
    }

    /// Writes a text behind another.
    fn write(&mut self, place: usize, out: &mut String) {
        let parts = match &self.all[place] {
            Known::Word(word) => return out.push_str(word),
            Known::List(parts) => parts.clone(),
        };
        if let Some(number) = self.given.get(&place) {
            return out.push_str(&format!("@{number}"));
        }
        if self.uses[place] < OFTEN || self.lengths[place] < SHORTEST {
            return self.write_list(&parts, out);
        }
        let mut written = String::new();
        self.write_list(&parts, &mut written);
        // Its parts have their numbers by now: a text names only those before it.
        let number = self.texts.len();
        self.given.insert(place, number);
        self.texts.push(written);
        out.push_str(&format!("@{number}"));
    }

    fn write_list(&mut self, parts: &[usize], out: &mut String) {
        out.push('(');
        for (n, part) in parts.iter().enumerate() {
            out.push_str(if n == 0 { "" } else { " " });
            self.write(*part, out);
        }
        out.push(')');
    }
}

/// What the numbers of a certificate stand for.
pub(crate) struct Shared {
    texts: Vec<Text>,
    parts: usize,
}

impl Shared {
    pub(crate) fn new() -> Shared {
        Shared { texts: vec![], parts: 0 }
    }

    /// Reads a `where` line.
    pub(crate) fn define(&mut self, text: &str) -> Result<(), ReadError> {
        let text = Text::parse(text)?;
        let text = self.expand(text)?;
        self.texts.push(text);
        Ok(())
    }

    /// The text with every number replaced by what it stands for.
    pub(crate) fn expand(&mut self, mut text: Text) -> Result<Text, ReadError> {
        self.replace(&mut text)?;
        Ok(text)
    }

    /// The same where it stands: most texts have no numbers.
    fn replace(&mut self, text: &mut Text) -> Result<(), ReadError> {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return Err(ReadError::new("a shorter certificate", text));
        }
        match text {
            Text::Word(word) => {
                let Some(number) = word.strip_prefix('@') else { return Ok(()) };
                let known = number.parse().ok().and_then(|number: usize| self.texts.get(number));
                let known = known.cloned().ok_or_else(|| ReadError::new("a number with a text", &word))?;
                self.parts += size(&known);
                *text = known;
                Ok(())
            }
            Text::List(parts) => parts.iter_mut().try_for_each(|part| self.replace(part)),
        }
    }
}

fn size(text: &Text) -> usize {
    match text {
        Text::Word(_) => 1,
        Text::List(parts) => 1 + parts.iter().map(size).sum::<usize>(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shared_reads_as_it_was() {
        let line =
            |n: usize| Text::parse(&format!("(cite {n} (a long text that occurs (very) often))")).unwrap();
        let lines: Vec<Text> = (0..4_000).map(line).collect();
        let (wheres, short) = share(&lines);
        assert_eq!(wheres, ["where (a long text that occurs (very) often)"]);
        assert_eq!(short[7], "(cite 7 @0)");
        let mut shared = Shared::new();
        shared.define(wheres[0].strip_prefix("where ").unwrap()).unwrap();
        for (line, short) in lines.iter().zip(&short) {
            assert_eq!(shared.expand(Text::parse(short).unwrap()).unwrap(), *line);
        }
    }

    #[test]
    fn what_is_shared_names_what_is_shared_before_it() {
        // Sums that grow by one term each: written out they take the square of their number.
        let sum =
            |n: usize| (0..n).fold(String::from("(a first term)"), |sum, k| format!("(+ {sum} (term {k}))"));
        let lines: Vec<Text> =
            (0..200).map(|n| Text::parse(&format!("(cost {})", sum(n))).unwrap()).collect();
        let (wheres, short) = share(&lines);
        let length: usize = wheres.iter().chain(&short).map(String::len).sum();
        assert!(length < 12_000, "{length}");
        let mut shared = Shared::new();
        for text in &wheres {
            shared.define(text.strip_prefix("where ").unwrap()).unwrap();
        }
        for (line, short) in lines.iter().zip(&short) {
            assert_eq!(shared.expand(Text::parse(short).unwrap()).unwrap(), *line);
        }
        // A number is no text before its line.
        let mut early = Shared::new();
        assert!(early.define(wheres[1].strip_prefix("where ").unwrap()).is_err());
    }

    #[test]
    fn lengths_are_those_of_what_is_written() {
        for text in ["word", "()", "(a)", "(a (b c) () (d (e)))"] {
            let text = Text::parse(text).unwrap();
            assert_eq!(length(&text), text.to_string().len(), "{text}");
        }
    }

    #[test]
    fn a_short_certificate_is_written_out() {
        let line = Text::parse("(a text that occurs often)").unwrap();
        assert_eq!(share(&[line.clone(), line.clone(), line.clone()]).0, Vec::<String>::new());
    }

    #[test]
    fn numbers_that_explode_are_refused() {
        let mut shared = Shared::new();
        shared.define("(a b)").unwrap();
        for n in 0..60 {
            if let Err(error) = shared.define(&format!("(@{n} @{n})")) {
                assert_eq!(error.expected, "a shorter certificate");
                return;
            }
        }
        panic!("accepted");
    }

    #[test]
    fn a_number_without_a_text_is_refused() {
        let text = Text::parse("(a @0)").unwrap();
        assert_eq!(Shared::new().expand(text).unwrap_err().expected, "a number with a text");
    }
}
