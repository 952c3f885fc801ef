//! Texts that occur again and again in a certificate are written once.
//!
//! A line `where TEXT` gives a text the next number, from 0; later lines write `@0` in its place. Long proofs repeat
//! themselves, statement by statement, so this is what keeps their certificates short.

use std::collections::HashMap;

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
    let mut seen = Seen::default();
    lines.iter().for_each(|line| {
        seen.look(line);
    });
    let mut numbers = Numbers { seen, at: 0, given: HashMap::new(), texts: vec![] };
    let lines = lines
        .iter()
        .map(|line| {
            let mut out = String::new();
            numbers.write(line, &mut out);
            out
        })
        .collect();
    let wheres = numbers.texts.iter().map(|text| format!("where {text}")).collect();
    (wheres, lines)
}

/// The texts that occur, each known by the numbers of its parts: nobody writes a text out to know it again.
#[derive(Default)]
struct Seen<'t> {
    words: HashMap<&'t str, usize>,
    lists: HashMap<Vec<usize>, usize>,
    /// By number: how long it is, how many lists it has in it, itself included, and how often it occurs.
    known: Vec<(usize, usize, usize)>,
    /// The numbers of all lists, each before those that it has in it.
    order: Vec<usize>,
}

impl<'t> Seen<'t> {
    /// Looks at a text and all its parts, and answers its number.
    fn look(&mut self, text: &'t Text) -> usize {
        let next = self.known.len();
        match text {
            Text::Word(word) => {
                let number = *self.words.entry(word.as_str()).or_insert(next);
                if number == next {
                    self.known.push((word.len(), 0, 1));
                }
                number
            }
            Text::List(parts) => {
                let place = self.order.len();
                self.order.push(0);
                let parts: Vec<usize> = parts.iter().map(|part| self.look(part)).collect();
                let next = self.known.len();
                let length = parts.iter().map(|part| self.known[*part].0 + 1).sum::<usize>().max(1) + 1;
                let number = *self.lists.entry(parts).or_insert(next);
                match self.known.get_mut(number) {
                    Some(known) => known.2 += 1,
                    None => self.known.push((length, self.order.len() - place, 1)),
                }
                self.order[place] = number;
                number
            }
        }
    }
}

struct Numbers<'t> {
    seen: Seen<'t>,
    /// How many lists of the order are written.
    at: usize,
    given: HashMap<usize, usize>,
    texts: Vec<String>,
}

impl Numbers<'_> {
    fn write(&mut self, text: &Text, out: &mut String) {
        let parts = match text {
            Text::Word(word) => return out.push_str(word),
            Text::List(parts) => parts,
        };
        let number = self.seen.order[self.at];
        let (length, lists, often) = self.seen.known[number];
        if length >= SHORTEST && often >= OFTEN {
            let next = self.texts.len();
            let given = *self.given.entry(number).or_insert(next);
            if given == next {
                self.texts.push(text.to_string());
            }
            out.push_str(&format!("@{given}"));
            self.at += lists;
            return;
        }
        self.at += 1;
        out.push('(');
        for (place, part) in parts.iter().enumerate() {
            if place > 0 {
                out.push(' ');
            }
            self.write(part, out);
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

    /// Texts of all lengths around the shortest one, one inside the other, and none at all: the same as by writing every one out.
    #[test]
    fn texts_are_shared_as_if_each_were_written_out() {
        let texts = [
            "()",
            "(a (b c) (b c))",
            "(aaaa (bbbb cccc dddd eee))",
            "(aaaa (bbbb cccc dddd eeee) ())",
            "word",
        ];
        let line = |n: usize| Text::parse(&format!("({n} {} {})", texts[n % 5], texts[n / 5 % 5])).unwrap();
        let lines: Vec<Text> = (0..3_000).map(line).collect();
        let (wheres, short) = share(&lines);
        // "(bbbb cccc dddd eee)" has 20 bytes, "(b c)" has not; what is inside of what is shared has no number of its own.
        let shared: Vec<&str> = wheres.iter().map(|line| line.strip_prefix("where ").unwrap()).collect();
        assert_eq!(shared, [texts[2], texts[3]]);
        assert_eq!(short[12], "(12 @0 @0)");
        assert_eq!(short[0], "(0 () ())");
        assert_eq!(short[9], "(9 word (a (b c) (b c)))");
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
