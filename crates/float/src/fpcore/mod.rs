//! Reads FPCore files: names, formats, preconditions and loop-free bodies become [`Program`]s. What is not
//! covered is reported with its reason, never skipped.
//!
//! The meaning given to a file: an input is a real number within the precondition, rounded to its format first
//! (FPTaylor's and Gappa's convention); every constant is rounded; every operation is correctly rounded, to
//! nearest, ties to even.

mod formats;
mod reader;

use std::fmt;

use probity_exact::{Format, Rational};

use crate::program::{NodeId, Program};
use crate::sexp::{self, Kind, Sexp, SexpError};

/// One `(FPCore …)` of a file.
#[derive(Debug, Clone)]
pub struct Benchmark {
    /// Its `:name`, or `line N`.
    pub name: String,
    /// The line on which it starts.
    pub line: usize,
    /// What it computes, or why that is not covered.
    pub content: Result<Core, NotCovered>,
}

/// Why a benchmark is not analysed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotCovered {
    /// The line at fault.
    pub line: usize,
    /// What stands there.
    pub reason: String,
}

impl fmt::Display for NotCovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

/// A loop-free computation over bounded inputs.
#[derive(Debug, Clone)]
pub struct Core {
    /// The inputs.
    pub inputs: Vec<Input>,
    /// All operations, of the body and of the conditions.
    pub program: Program,
    /// What the precondition says beyond the ranges of the inputs, over the reals: all of these hold.
    pub constraints: Vec<Comparison>,
    /// Parts of the precondition that are not conjunctions of comparisons. Leaving them out is sound, as it
    /// only adds inputs.
    pub ignored: usize,
    /// The ways through the body. One of them is taken over the reals, and one in floats.
    pub paths: Vec<Path>,
    /// The comparisons of each `if`, wanted and negated. They are evaluated together: a way that needs one of them
    /// says nothing in floats where another one is not a number.
    pub decisions: Vec<Vec<Comparison>>,
}

/// An input with its range.
#[derive(Debug, Clone)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// What the input is rounded to.
    pub format: Format,
    /// Its smallest value.
    pub low: Option<Rational>,
    /// Its largest value.
    pub high: Option<Rational>,
}

/// left ≤ right, or left < right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comparison {
    /// The side that is not larger.
    pub left: NodeId,
    /// The side that is not smaller.
    pub right: NodeId,
    /// Whether equality is excluded.
    pub strict: bool,
}

/// A way through the `if`s of a body: taken when all comparisons hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// What holds on this way.
    pub guards: Vec<Comparison>,
    /// The result.
    pub result: NodeId,
}

/// Reads a file.
///
/// ```
/// let file = probity_float::fpcore::read("(FPCore (x) :name \"twice\" :pre (<= 0 x 1) (+ x x))").unwrap();
/// assert_eq!(file[0].name, "twice");
/// assert!(file[0].content.is_ok());
/// ```
pub fn read(text: &str) -> Result<Vec<Benchmark>, SexpError> {
    Ok(sexp::read(text)?.iter().map(benchmark).collect())
}

fn benchmark(form: &Sexp) -> Benchmark {
    let mut name = None;
    if let Some(items) = form.list() {
        for pair in items.windows(2) {
            if let (Some(":name"), Kind::Text(text)) = (pair[0].word(), &pair[1].kind) {
                name = Some(text.clone());
            }
        }
    }
    let name = name.unwrap_or_else(|| format!("line {}", form.line));
    Benchmark { name, line: form.line, content: reader::Reader::default().core(form) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(text: &str) -> Result<Core, NotCovered> {
        read(text).unwrap().remove(0).content
    }

    #[test]
    fn ranges_and_constraints() {
        let core = only(
            "(FPCore (x y) :pre (and (<= -1 x 2) (< 0 y) (<= y 1/3) (<= x y) (or (< x 0) (< y 0))) (+ x y))",
        )
        .unwrap();
        assert_eq!(core.inputs[0].low.as_ref().unwrap().to_string(), "-1");
        assert_eq!(core.inputs[1].high.as_ref().unwrap().to_string(), "1/3");
        assert_eq!((core.constraints.len(), core.ignored), (1, 1));
    }

    #[test]
    fn lets_bind_in_parallel_or_in_sequence() {
        let parallel = only("(FPCore (x) (let ([x 1] [y x]) (+ x y)))").unwrap();
        let sequential = only("(FPCore (x) (let* ([x 1] [y x]) (+ x y)))").unwrap();
        assert_eq!(parallel.program.render(parallel.paths[0].result, &["x".into()]), "(1 + x)");
        assert_eq!(sequential.program.render(sequential.paths[0].result, &["x".into()]), "(1 + 1)");
    }

    #[test]
    fn branches_are_paths() {
        let core = only("(FPCore (x) (let ([y (if (< x 0) (- x) x)]) (* y y)))").unwrap();
        assert_eq!(core.paths.len(), 2);
        assert_eq!(core.paths[0].guards.len(), 1);
    }

    #[test]
    fn formats() {
        let core = only("(FPCore (x) :precision binary32 (! :precision binary64 (+ x 1)))").unwrap();
        assert_eq!(core.inputs[0].format, Format::BINARY32);
        assert_eq!(core.program.nodes()[core.paths[0].result].format, Format::BINARY64);
        let core = only("(FPCore (x) :precision (float 5 16) x)").unwrap();
        assert_eq!(core.inputs[0].format, Format::BINARY16);
    }

    #[test]
    fn what_is_not_covered_says_so() {
        for (text, part) in [
            ("(FPCore (x)\n (while (< x 1) ([x 0 (+ x 1)]) x))", "while"),
            ("(FPCore (x) (erf x))", "'erf'"),
            ("(FPCore (x) (pow x x))", "exponents"),
            ("(FPCore (x) (sin x x))", "'sin'"),
            ("(FPCore (x) :precision real x)", "real"),
            ("(FPCore (x) y)", "'y'"),
            ("(FPCore ((a 3)) 1)", "array"),
            ("(FPCore (x) (+ x 1 2))", "arguments"),
            ("(FPCore (x) :round toZero x)", "nearest"),
            ("(FPCore)", "missing"),
            ("(FPCore (x))", "missing"),
            ("hello", "FPCore"),
            ("(FPCore (x) ())", "empty"),
        ] {
            let reason = only(text).unwrap_err().reason;
            assert!(reason.contains(part), "{text}: {reason}");
        }
        assert_eq!(only("(FPCore (x)\n (while (< x 1) ([x 0 (+ x 1)]) x))").unwrap_err().line, 2);
    }

    /// Random cuts and splices of a real file never panic.
    #[test]
    fn mangled_texts_do_not_panic() {
        let text = "(FPCore (x) :name \"a\" :pre (and (<= 0 x 1) (< x (* 2 x))) (let ([y (sqrt x)]) (if (< x 0.5) (/ 1 y) (fma x y 0x1p3))))";
        let letters: Vec<char> = text.chars().collect();
        let mut state = 3u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let (a, b) = ((state >> 33) as usize % letters.len(), (state >> 13) as usize % letters.len());
            let mangled: String = letters[..a].iter().chain(&letters[b..]).collect();
            if let Ok(file) = read(&mangled) {
                assert!(file.len() < 100);
            }
        }
    }
}
