//! A hundred thousand mutated FPCore texts: no panic, no hang, and no bound below an error that occurs. The libFuzzer target
//! `fpcore` in `fuzz/` asks the same of texts that it makes up.

use probity_float::fpcore;
use probity_float::roundoff::{Options, analyse};

const BENCHMARKS: &str = include_str!("data/benchmarks.fpcore");

/// Words that put a text into the corners of the reader.
const TOKENS: [&str; 30] = [
    "(",
    ")",
    "[",
    "]",
    "\"",
    ";",
    "0",
    "-1",
    "1e308",
    "1e-320",
    "1/3",
    "0x1p-4",
    "nan",
    "INFINITY",
    "PI",
    "x",
    "(- x x)",
    "(/ 1 x)",
    "(log x)",
    "(exp x)",
    "(sqrt x)",
    "(if (< x 0) x 1)",
    "(pow x 3)",
    "fma",
    "let*",
    "!",
    ":precision binary16",
    ":pre (<= 0 x 1)",
    "(float 5 16)",
    "é",
];

struct Source(u64);

impl Source {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0x9e3779b97f4a7c15);
        (mixed ^ (mixed >> 29)) as usize % n.max(1)
    }

    /// One change: a token for a word, a piece moved, repeated or left out.
    fn mutate(&mut self, words: &mut Vec<String>) {
        let (at, other) = (self.below(words.len()), self.below(words.len()));
        match self.below(5) {
            0 | 1 => words[at] = TOKENS[self.below(TOKENS.len())].into(),
            2 => words.insert(at, words[other].clone()),
            3 => words.swap(at, other),
            _ => drop(words.remove(at)),
        }
    }
}

#[test]
fn a_hundred_thousand_mutated_texts() {
    let spaced = BENCHMARKS.lines().filter(|line| !line.starts_with(';')).collect::<Vec<_>>().join(" ");
    let forms: Vec<Vec<String>> = spaced
        .split("(FPCore")
        .skip(1)
        .map(|form| {
            let text = format!("(FPCore{form}").replace('(', " ( ").replace(')', " ) ");
            text.split_whitespace().map(String::from).collect()
        })
        .collect();
    let mut source = Source(29);
    let (mut read, mut bounded) = (0, 0);
    for round in 0..100_000 {
        let mut words = forms[source.below(forms.len())].clone();
        for _ in 0..=source.below(3) {
            source.mutate(&mut words);
        }
        let text = words.join(" ");
        let Ok(file) = fpcore::read(&text) else { continue };
        for core in file.iter().filter_map(|benchmark| benchmark.content.as_ref().ok()) {
            read += 1;
            if round % 20 != 0 {
                continue;
            }
            let options = Options { samples: 40, effort: 500, relative: false, ..Options::default() };
            let found = analyse(core, &options);
            if let (Ok(bound), Some(error)) = (found.absolute, found.sampled) {
                assert!(error <= bound, "{text}: {error:e} occurs, bound {bound:e}");
                bounded += 1;
            }
        }
    }
    assert!(read > 5_000 && bounded > 50, "{read} read, {bounded} bounded");
}
