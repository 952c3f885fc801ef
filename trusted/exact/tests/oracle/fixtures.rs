//! Reading the fixtures, and comparing results with them.

use std::fmt::Write as _;
use std::path::Path;

use probity_exact::{Float, Format, Round};

use crate::inputs::{mix, weight};

/// MPFR's four directions, in the order of the fixtures.
pub const DIRECTIONS: [Round; 4] = [Round::NearestEven, Round::Up, Round::Down, Round::TowardZero];

/// The bit pattern of a result, with one NaN.
pub fn word(result: f64) -> u64 {
    if result.is_nan() { 0x7ff8_0000_0000_0000 } else { result.to_bits() }
}

/// The result of an operation of a format on doubles, in one direction.
pub fn soft(format: &Format, operands: &[f64], operation: Operation, direction: Round) -> f64 {
    let operands: Vec<Float> = operands.iter().copied().map(Float::from_f64).collect();
    let result = operation.apply(format, &operands, direction);
    assert!(format.contains(&result), "{operation:?} left its format on {operands:?}");
    result.to_f64().expect("every format here lies within binary64")
}

/// The operations that the fixtures cover.
#[derive(Debug, Clone, Copy)]
pub enum Operation {
    Ln,
    Exp,
    Sqrt,
    Add,
    Sub,
    Mul,
    Div,
    Fma,
}

impl Operation {
    pub fn named(name: &str) -> Operation {
        match name {
            "ln" => Operation::Ln,
            "exp" => Operation::Exp,
            "sqrt" => Operation::Sqrt,
            "add" => Operation::Add,
            "sub" => Operation::Sub,
            "mul" => Operation::Mul,
            "div" => Operation::Div,
            "fma" => Operation::Fma,
            other => panic!("the fixtures name an unknown operation '{other}'"),
        }
    }

    pub fn arity(self) -> usize {
        match self {
            Operation::Ln | Operation::Exp | Operation::Sqrt => 1,
            Operation::Add | Operation::Sub | Operation::Mul | Operation::Div => 2,
            Operation::Fma => 3,
        }
    }

    pub fn apply(self, format: &Format, operands: &[Float], direction: Round) -> Float {
        match (self, operands) {
            (Operation::Ln, [x]) => format.ln(x, direction),
            (Operation::Exp, [x]) => format.exp(x, direction),
            (Operation::Sqrt, [x]) => format.sqrt(x, direction),
            (Operation::Add, [x, y]) => format.add(x, y, direction),
            (Operation::Sub, [x, y]) => format.sub(x, y, direction),
            (Operation::Mul, [x, y]) => format.mul(x, y, direction),
            (Operation::Div, [x, y]) => format.div(x, y, direction),
            (Operation::Fma, [x, y, z]) => format.fma(x, y, z, direction),
            _ => panic!("{self:?} takes {} operands", self.arity()),
        }
    }
}

/// Σ mix(word ⊕ weight(index)) mod 2^64: it depends on every word and on their order.
#[derive(Default)]
pub struct Digest {
    sum: u64,
    words: u64,
}

impl Digest {
    pub fn push(&mut self, result: f64) {
        self.words += 1;
        self.sum = self.sum.wrapping_add(mix(word(result) ^ weight(self.words)));
    }

    pub fn finish(self) -> u64 {
        self.sum
    }

    pub fn of(results: impl IntoIterator<Item = f64>) -> u64 {
        let mut digest = Digest::default();
        results.into_iter().for_each(|result| digest.push(result));
        digest.finish()
    }
}

/// The lines of a fixture file, split at spaces.
pub fn lines(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(' ').collect())
}

pub fn hex(text: &str) -> u64 {
    u64::from_str_radix(text, 16).expect("a fixture has 64-bit hexadecimal words")
}

/// One case of a block: its operands and the results in the four directions.
pub struct Case {
    pub operands: Vec<u64>,
    pub results: [f64; 4],
}

/// Compares a block with its digest. On a difference our results go to a file in the form that the script
/// prints, so that a diff names the first misrounded case.
pub fn check_block(family: &str, block: u64, expected: u64, cases: &[Case]) -> Result<(), String> {
    if Digest::of(cases.iter().flat_map(|case| case.results)) == expected {
        return Ok(());
    }
    let mut listing = String::new();
    for (number, case) in cases.iter().enumerate() {
        let words = case.operands.iter().copied().chain(case.results.iter().copied().map(word));
        let words: Vec<String> = words.map(|w| format!("{w:016x}")).collect();
        let _ = writeln!(listing, "{number} {}", words.join(" "));
    }
    let ours = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{family}-{block}.txt"));
    let saved = std::fs::write(&ours, listing);
    Err(format!(
        "block {block} of {family} differs from MPFR. Our results are in {} ({saved:?}); the expected ones are \
         printed by: python3 scripts/oracle.py --block {family} {block}",
        ours.display()
    ))
}

#[test]
fn a_digest_sees_every_word_and_the_order() {
    let results = [1.0, 2.0, -0.0, f64::INFINITY];
    let digest = Digest::of(results);
    assert_ne!(digest, Digest::of([2.0, 1.0, -0.0, f64::INFINITY]));
    assert_ne!(digest, Digest::of([1.0, 2.0, 0.0, f64::INFINITY]));
    assert_ne!(digest, Digest::of([1.0f64.next_up(), 2.0, -0.0, f64::INFINITY]));
    assert_ne!(digest, Digest::of([1.0, 2.0, -0.0]));
    assert_eq!(Digest::of([f64::NAN]), Digest::of([-f64::NAN]));
}
