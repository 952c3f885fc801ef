//! Texts that occur again and again in a certificate are written once.
//!
//! A line `where TEXT` gives a text the next number, from 0; later lines write `@0` in its place. Long proofs repeat
//! themselves, statement by statement, so this is what keeps their certificates short.

use std::collections::BTreeMap;

use super::text::{ReadError, Text};

/// Certificates below this many bytes are written out.
const LONG: usize = 50_000;
/// The shortest text that is worth a number.
const SHORTEST: usize = 20;
/// How often a text has to occur.
const OFTEN: usize = 3;
/// The most words and lists that the lines of a certificate may have with all numbers replaced: what a number stands for
/// may be long, and a hostile file could have very many.
const MAX_PARTS: usize = 4_000_000;

/// The lines, shared where they are long: `where` lines, and the lines themselves.
pub(crate) fn share(lines: &[Text]) -> (Vec<String>, Vec<String>) {
    let written: Vec<String> = lines.iter().map(Text::to_string).collect();
    if written.iter().map(String::len).sum::<usize>() < LONG {
        return (vec![], written);
    }
    let mut counts = BTreeMap::new();
    lines.iter().for_each(|line| {
        count(line, &mut counts);
    });
    counts.retain(|_, often| *often >= OFTEN);
    let mut numbers = Numbers { counts, given: BTreeMap::new(), texts: vec![] };
    let lines = lines.iter().map(|line| numbers.write(line)).collect();
    let wheres = numbers.texts.iter().map(|text| format!("where {text}")).collect();
    (wheres, lines)
}

/// Counts the lists of a text by how they are written, and writes it.
fn count(text: &Text, counts: &mut BTreeMap<String, usize>) -> String {
    let Text::List(parts) = text else { return text.to_string() };
    let parts: Vec<String> = parts.iter().map(|part| count(part, counts)).collect();
    let written = format!("({})", parts.join(" "));
    if written.len() >= SHORTEST {
        *counts.entry(written.clone()).or_insert(0) += 1;
    }
    written
}

struct Numbers {
    counts: BTreeMap<String, usize>,
    given: BTreeMap<String, usize>,
    texts: Vec<String>,
}

impl Numbers {
    fn write(&mut self, text: &Text) -> String {
        let Text::List(parts) = text else { return text.to_string() };
        let written = text.to_string();
        if self.counts.contains_key(&written) {
            let next = self.texts.len();
            let number = *self.given.entry(written.clone()).or_insert(next);
            if number == next {
                self.texts.push(written);
            }
            return format!("@{number}");
        }
        let parts: Vec<String> = parts.iter().map(|part| self.write(part)).collect();
        format!("({})", parts.join(" "))
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
    pub(crate) fn expand(&mut self, text: Text) -> Result<Text, ReadError> {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return Err(ReadError::new("a shorter certificate", text));
        }
        match text {
            Text::Word(word) => match word.strip_prefix('@') {
                None => Ok(Text::Word(word)),
                Some(number) => {
                    let known = number.parse().ok().and_then(|number: usize| self.texts.get(number));
                    let known =
                        known.cloned().ok_or_else(|| ReadError::new("a number with a text", &word))?;
                    self.parts += size(&known);
                    Ok(known)
                }
            },
            Text::List(parts) => {
                parts.into_iter().map(|part| self.expand(part)).collect::<Result<_, _>>().map(Text::List)
            }
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
        let lines: Vec<Text> = (0..2_000).map(line).collect();
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
