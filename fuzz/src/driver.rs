//! Mutated texts for any compiler: `driver TARGET COUNT SEED`. Deterministic. Prints how many inputs were tried, how many were
//! accepted and the longest that one took; a wrong answer ends it with the input.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use probity_fuzz::{
    CERTIFICATES, MECHANISMS, PROGRAMS, certificate_of, forged, forged_theorems, fpcore, load,
};

/// What an input may take before it counts as a hang.
const HANG: Duration = Duration::from_secs(20);

struct Source(u64);

impl Source {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0x9e3779b97f4a7c15);
        (mixed ^ (mixed >> 29)) as usize % n.max(1)
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// Words that put a text into the corners of its reader.
const WORDS: [&str; 36] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "\"",
    ";",
    "0",
    "-1",
    "1/0",
    "1e308",
    "4294967296",
    "-9223372036854775808",
    "0x1p-4",
    "nan",
    "PI",
    "x",
    "$eps",
    "eps",
    "length(q)",
    "(number 0)",
    "(var (plain $eps))",
    "(log x)",
    "(exp x)",
    "for",
    "while",
    "if",
    "else",
    "claim",
    "absurd",
    "cases",
    ":pre (<= 0 x 1)",
    "\u{1b}[2J",
    "é",
    "\n",
];

/// The words of a text, with the space that follows each.
fn words(text: &str) -> Vec<&str> {
    let mut found = vec![];
    let mut start = 0;
    let cut = |c: char| c.is_whitespace() || "()[]{}".contains(c);
    for (at, c) in text.char_indices() {
        if cut(c) {
            if start < at {
                found.push(&text[start..at]);
            }
            found.push(&text[at..at + c.len_utf8()]);
            start = at + c.len_utf8();
        }
    }
    found.push(&text[start..]);
    found
}

/// One to three changes of a text.
fn mutate(text: &str, others: &[&str], source: &mut Source) -> String {
    let mut parts = words(text);
    for _ in 0..=source.below(3) {
        let (at, other) = (source.below(parts.len()), source.below(parts.len()));
        match source.below(8) {
            0 | 1 => parts[at] = source.pick(&WORDS),
            2 => parts[at] = parts[other],
            3 => parts.swap(at, other),
            4 => drop(parts.remove(at)),
            5 => parts.insert(at, parts[other]),
            // A stretch repeated, or taken out.
            6 => {
                let stretch: Vec<&str> =
                    parts[at.min(other)..at.max(other)].iter().take(60).copied().collect();
                parts.splice(at..at, stretch);
            }
            _ => {
                let foreign = words(source.pick(others));
                let from = source.below(foreign.len());
                parts.splice(at..at, foreign[from..].iter().take(12).copied());
            }
        }
        if parts.is_empty() {
            parts.push("");
        }
    }
    let mut text = parts.concat();
    // Sometimes a character, whatever it belongs to.
    if source.below(4) == 0 {
        let at = (0..=source.below(text.len() + 1)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.insert(at, char::from(32 + source.below(95) as u8));
    }
    text
}

/// What a word of a certificate is: a name, a number, or a word of the format.
fn class(word: &str) -> u8 {
    match word.chars().next() {
        Some('$') => 0,
        Some(c) if c.is_ascii_digit() || (c == '-' && word.len() > 1) => 1,
        _ => 2,
    }
}

/// One or two words, each with another of its class in its place, everywhere or once: what a forger would change.
fn forge(text: &str, source: &mut Source) -> String {
    let mut parts = words(text);
    let real = |part: &&str| !part.trim().is_empty() && !"()".contains(*part);
    let places: Vec<usize> = (0..parts.len()).filter(|at| real(&parts[*at])).collect();
    for _ in 0..=source.below(2) {
        let (at, mut new) = (places[source.below(places.len())], "");
        let old = parts[at];
        while new.is_empty() || class(new) != class(old) {
            new = parts[places[source.below(places.len())]];
        }
        if class(old) == 1 && source.below(2) == 0 {
            new = source.pick(&["0", "1", "2", "-1", "1/2", "3"]);
        }
        if source.below(2) == 0 {
            parts.iter_mut().filter(|part| **part == old).for_each(|part| *part = new);
        } else {
            parts[at] = new;
        }
    }
    parts.concat()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let usage = "driver load|fpcore|certificate|forged COUNT SEED";
    let [target, count, seed] = arguments.as_slice() else { panic!("{usage}") };
    let (count, seed): (u64, u64) = (count.parse().expect(usage), seed.parse().expect(usage));
    let lines: Vec<&str> = PROGRAMS.lines().filter(|line| !line.starts_with(';')).collect();
    let whole = lines.join("\n");
    let starts: Vec<usize> = whole.match_indices("(FPCore").map(|(at, _)| at).chain([whole.len()]).collect();
    let programs: Vec<&str> = starts.windows(2).map(|ends| &whole[ends[0]..ends[1]]).collect();
    let corpus: &[&str] = match target.as_str() {
        "load" => &MECHANISMS,
        "fpcore" => &programs,
        "certificate" | "forged" => &CERTIFICATES,
        _ => panic!("{usage}"),
    };
    let mut source = Source(seed);
    let (mut accepted, mut longest) = (0u64, Duration::ZERO);
    for number in 0..count {
        let which = source.below(corpus.len());
        let text = match target.as_str() {
            "forged" if source.below(4) > 0 => forge(corpus[which], &mut source),
            _ => mutate(corpus[which], corpus, &mut source),
        };
        let start = Instant::now();
        let answer = catch_unwind(AssertUnwindSafe(|| match target.as_str() {
            "load" => load(&text),
            "fpcore" => fpcore(&text),
            "forged" => forged(which, &text),
            _ => certificate_of(which, &text),
        }));
        let took = start.elapsed();
        longest = longest.max(took);
        match answer {
            Ok(answer) if took < HANG => accepted += u64::from(answer),
            _ => {
                eprintln!("input {number} of seed {seed}, after {took:?}:\n{text}");
                std::process::exit(1);
            }
        }
    }
    let others = match forged_theorems() {
        0 => String::new(),
        n => format!(" for {n} other theorems too"),
    };
    println!(
        "{target}: {count} inputs from seed {seed}, {accepted} accepted{others}, none wrong, the longest took {longest:?}"
    );
}
