//! The exact output law of a floating-point program, by splitting ranges of draws.
//!
//! A uniform draw is U*: a uniform real in (0, 1) rounded down to a float, so that a float has the mass of the gap
//! above it, and 0 the mass of the smallest subnormal. A path fixes every discrete draw and gives each uniform one a
//! range; the program is run on the whole range at once and the range is split until the outcome is constant. Where
//! to split is guessed by running on single floats, as if the program were monotone; that each piece is constant is
//! then checked on the whole piece, so a program that is not monotone only takes longer.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use dashu_base::BitTest;
use probity_exact::{Format, Integer, Natural, Rational, UnsignedAbs};
use probity_kernel::term::Mechanism;

use crate::case::Case;
use crate::deadline::Deadline;
use crate::error::AuditError;
use crate::float::arithmetic::{Floats, Hardware, Logarithm, Soft, ordinal_of_one, ordinal_units};
use crate::float::change_point::{ChangePoint, Sample, Scale, Trace};
use crate::float::draws::{Options, options, pick};
use crate::float::ranges::{Range, RangeWorld};
use crate::output::law::{Law, LawBuilder};
use crate::output::outcome::{Inputs, Outcome, Parameters};
use crate::run::program::{Draw, Program, Scratch, Stop, Value};

/// How much work an exact law may take; what is not decided by then is escaped mass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// The largest number of times that the program is run.
    pub runs: u64,
}

impl Default for Effort {
    /// Eight million runs: some seconds for a short program.
    fn default() -> Effort {
        Effort { runs: 8_000_000 }
    }
}

/// The exact law of the mechanism's output in a floating-point format.
///
/// Every operation is rounded to nearest, ties to even; parameters and inputs are first rounded to the format.
///
/// ```
/// use std::collections::BTreeMap;
/// use probity_audit::{Effort, Given, Outcome, float_law};
/// use probity_exact::{Format, fraction};
/// use probity_kernel::expr::Expr;
/// use probity_kernel::term::{Distribution, Input, Mechanism, Sort, Statement};
/// // Whether a uniform float is below x, in a format of 3 bits.
/// let below = Mechanism {
///     name: "below".into(),
///     inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
///     params: vec![],
///     assumptions: vec![],
///     body: vec![Statement::Draw { var: "u".into(), law: Distribution::Uniform }],
///     output: Expr::var("u").lt(Expr::var("x")),
///     adjacency: vec![],
/// };
/// let format = Format::new(3, -4, 4).unwrap();
/// let inputs = BTreeMap::from([("x".into(), Given::Number(fraction::<5, 16>()))]);
/// let law = float_law(&below, &BTreeMap::new(), &inputs, format, Effort::default()).unwrap();
/// // Real numbers below 5/16, a float, are rounded down to floats below it.
/// assert_eq!(law.probability(&Outcome::Bool(true)).0, fraction::<5, 16>());
/// assert!(law.is_exact() && law.sums_to_one());
/// ```
pub fn float_law(
    mechanism: &Mechanism,
    parameters: &Parameters,
    inputs: &Inputs,
    format: Format,
    effort: Effort,
) -> Result<Law, AuditError> {
    Case::new(mechanism, parameters, inputs).float_law(format, effort)
}

/// The exact law in binary64 with the given logarithm; see [`float_law`].
pub fn binary64_law(
    mechanism: &Mechanism,
    parameters: &Parameters,
    inputs: &Inputs,
    logarithm: Logarithm,
    effort: Effort,
) -> Result<Law, AuditError> {
    Case::new(mechanism, parameters, inputs).binary64_law(logarithm, effort)
}

impl Case<'_> {
    /// The exact law of the output in a floating-point format; see [`float_law`].
    pub fn float_law(self, format: Format, effort: Effort) -> Result<Law, AuditError> {
        match format == Format::BINARY64 {
            true => self.binary64_law(Logarithm::CorrectlyRounded, effort),
            false => Splitter::new(Soft { format }, self)?.law(effort),
        }
    }

    /// The exact law in binary64 with the given logarithm.
    pub fn binary64_law(self, logarithm: Logarithm, effort: Effort) -> Result<Law, AuditError> {
        Splitter::new(Hardware { logarithm }, self)?.law(effort)
    }
}

/// A contiguous range of the values of one draw, by ordinals.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Ordinals {
    /// Where on the tape the draw is.
    position: usize,
    /// `None` for a uniform float, whose ordinals are those of the format; for an integer, the value of ordinal 0.
    offset: Option<Integer>,
    low: u64,
    high: u64,
}

/// What is known of the draws: fixed values, and ranges for some. Its mass is weight/denominator times the
/// product of the masses of its ranges, whose denominators are already in `denominator`.
#[derive(Debug, Clone)]
struct Path<N> {
    tape: Vec<Value<Range<N>>>,
    ordinals: Vec<Ordinals>,
    weight: Natural,
    denominator: Natural,
    /// About the logarithm of its mass: large paths are decided first.
    priority: i64,
}

impl<N> PartialEq for Path<N> {
    fn eq(&self, other: &Self) -> bool {
        self.priority == other.priority
    }
}
impl<N> Eq for Path<N> {}
impl<N> PartialOrd for Path<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<N> Ord for Path<N> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.priority.cmp(&other.priority)
    }
}

/// Splits the draws of one mechanism on one input.
pub(crate) struct Splitter<F: Floats> {
    world: RangeWorld<F>,
    program: Program<Range<F::Number>>,
    scratch: Scratch<Range<F::Number>>,
    one: u64,
    law: LawBuilder,
    open: BinaryHeap<Path<F::Number>>,
    runs: u64,
    until: Deadline,
    /// Only this outcome is of interest: ranges that cannot lead to it are dropped.
    target: Option<F::Number>,
}

/// Runs that splitting a box of several draws is counted as: its masses are products of long integers.
const BOX_COST: u64 = 20;

/// What a run on a range showed.
enum Seen<N> {
    Value(Value<Range<N>>),
    NeedsDraw,
    Undecided,
}

impl<F: Floats> Splitter<F> {
    pub(crate) fn new(floats: F, case: Case<'_>) -> Result<Self, AuditError> {
        let one = ordinal_of_one(&floats.format()).ok_or(AuditError::Unsupported {
            what: "a format in which 1 is not normal, or that is too wide",
        })?;
        let mut world = RangeWorld::new(floats);
        let program = Program::new(case, &mut world)?;
        let law = LawBuilder::default();
        let (open, scratch) = (BinaryHeap::new(), Scratch::default());
        let until = case.deadline();
        Ok(Splitter { world, program, scratch, one, law, open, runs: 0, until, target: None })
    }

    /// The whole law.
    pub(crate) fn law(&mut self, effort: Effort) -> Result<Law, AuditError> {
        self.runs = effort.runs;
        self.explore()?;
        Ok(std::mem::take(&mut self.law).finish())
    }

    /// The law restricted to one number: its mass, and what could not be decided as escaped mass.
    pub(crate) fn law_at(&mut self, target: &F::Number, effort: Effort) -> Result<Law, AuditError> {
        self.target = Some(target.clone());
        let law = self.law(effort);
        self.target = None;
        law
    }

    pub(crate) fn floats(&self) -> &F {
        &self.world.floats
    }

    /// One output, with draws made from random bits.
    pub(crate) fn sample_output(
        &mut self,
        bits: &mut dyn FnMut() -> u64,
    ) -> Result<Value<Range<F::Number>>, AuditError> {
        self.world.tape.clear();
        loop {
            let unsupported = AuditError::Unsupported { what: "sampling from this program" };
            match self.look()? {
                Seen::Value(value) => return Ok(value),
                Seen::NeedsDraw => {}
                Seen::Undecided => return Err(unsupported),
            }
            let Some(law) = self.world.needed.take() else { return Err(unsupported) };
            let options = options(&self.world.floats, self.one, &law)?;
            let value = pick(&self.world.floats, &options, bits).ok_or(unsupported)?;
            self.world.tape.push(value);
        }
    }

    /// The released value of a single run.
    pub(crate) fn outcome(&self, value: &Value<Range<F::Number>>) -> Option<Outcome> {
        self.world.outcome(value)
    }

    /// Whether a released range cannot be the target.
    fn misses(&self, value: &Value<Range<F::Number>>) -> bool {
        let floats = &self.world.floats;
        match (&self.target, value) {
            (Some(target), Value::Number(range)) => {
                floats.compare(target, &range.low) == Some(Ordering::Less)
                    || floats.compare(target, &range.high) == Some(Ordering::Greater)
            }
            _ => false,
        }
    }

    fn explore(&mut self) -> Result<(), AuditError> {
        self.open.push(Path {
            tape: Vec::new(),
            ordinals: Vec::new(),
            weight: Natural::ONE,
            denominator: Natural::ONE,
            priority: 0,
        });
        while let Some(path) = self.open.pop() {
            if self.runs == 0 {
                self.escape(&path);
                continue;
            }
            self.world.tape.clone_from(&path.tape);
            self.visit(path)?;
        }
        Ok(())
    }

    /// Runs on the tape that the world holds.
    fn look(&mut self) -> Result<Seen<F::Number>, AuditError> {
        self.runs = self.runs.saturating_sub(1);
        // Looking at the clock takes as long as a short program.
        if self.runs.is_multiple_of(256) {
            self.until.check()?;
        }
        self.world.rewind();
        match self.program.run(&mut self.world, &mut self.scratch) {
            Ok(value) => Ok(Seen::Value(value)),
            Err(Stop::Draw) => Ok(Seen::NeedsDraw),
            Err(Stop::Undecided | Stop::Branch | Stop::Pruned) => Ok(Seen::Undecided),
            Err(Stop::Error(error)) => Err(*error),
            Err(Stop::Endless) => Err(AuditError::TooManySteps),
        }
    }

    /// Decides a path whose tape is in the world, or replaces it by smaller ones.
    fn visit(&mut self, path: Path<F::Number>) -> Result<(), AuditError> {
        match self.look()? {
            Seen::Value(value) if self.misses(&value) => Ok(()),
            Seen::Value(value) => match self.world.outcome(&value) {
                Some(outcome) => {
                    self.law.add(outcome, &self.mass(&path), &path.denominator);
                    Ok(())
                }
                None => self.split(path),
            },
            Seen::NeedsDraw => {
                let needed = self.world.needed.take();
                match needed {
                    Some(law) if self.is_one_law(&law) => self.extend(&path, &law),
                    _ => self.split(path),
                }
            }
            Seen::Undecided => self.split(path),
        }
    }

    /// Whether the arguments of a draw are single values.
    fn is_one_law(&self, law: &Draw<Range<F::Number>>) -> bool {
        law.arguments.iter().all(|a| self.world.is_point(a))
    }

    fn needs_one_law(&self) -> bool {
        self.world.needed.as_ref().is_some_and(|law| self.is_one_law(law))
    }

    fn mass(&self, path: &Path<F::Number>) -> Natural {
        path.ordinals.iter().fold(path.weight.clone(), |mass, ordinals| mass * self.ordinals_mass(ordinals))
    }

    fn ordinals_mass(&self, ordinals: &Ordinals) -> Natural {
        match ordinals.offset {
            Some(_) => Natural::from(ordinals.high - ordinals.low + 1),
            None => {
                let format = self.world.floats.format();
                ordinal_units(&format, ordinals.high + 1) - ordinal_units(&format, ordinals.low)
            }
        }
    }

    fn escape(&mut self, path: &Path<F::Number>) {
        self.law.escape(&self.mass(path), &path.denominator);
    }

    /// The range of values of a ordinals.
    fn range(&self, ordinals: &Ordinals) -> Range<F::Number> {
        let floats = &self.world.floats;
        let value = |ordinal: u64| match &ordinals.offset {
            None => floats.at_ordinal(ordinal),
            Some(offset) => floats.cast(&Rational::from(offset + Integer::from(ordinal))),
        };
        Range { low: value(ordinals.low), high: value(ordinals.high) }
    }

    /// Splits the widest range of the path, or all of it at once when there is only one.
    fn split(&mut self, path: Path<F::Number>) -> Result<(), AuditError> {
        let open: Vec<usize> =
            (0..path.ordinals.len()).filter(|&i| path.ordinals[i].low < path.ordinals[i].high).collect();
        match open[..] {
            [] => self.escape(&path),
            [only] if self.target.is_none() => return self.split_single(&path, only),
            [only] => self.halve(&path, only),
            _ => {
                self.runs = self.runs.saturating_sub(BOX_COST);
                let widest = open.into_iter().max_by_key(|&i| path.ordinals[i].high - path.ordinals[i].low);
                if let Some(i) = widest {
                    self.halve(&path, i);
                }
            }
        }
        Ok(())
    }

    fn halve(&mut self, path: &Path<F::Number>, which: usize) {
        let Ordinals { low, high, .. } = path.ordinals[which];
        let middle = low + (high - low) / 2;
        self.push(path, which, low, middle);
        self.push(path, which, middle + 1, high);
    }

    /// The path with one of its ranges made smaller.
    fn narrowed(&self, path: &Path<F::Number>, which: usize, low: u64, high: u64) -> Path<F::Number> {
        let mut path = path.clone();
        let ordinals = &mut path.ordinals[which];
        (ordinals.low, ordinals.high) = (low, high);
        let position = ordinals.position;
        path.tape[position] = Value::Number(self.range(&path.ordinals[which]));
        path.priority = bit_length(&self.mass(&path)) - bit_length(&path.denominator);
        path
    }

    fn push(&mut self, path: &Path<F::Number>, which: usize, low: u64, high: u64) {
        let smaller = self.narrowed(path, which, low, high);
        self.open.push(smaller);
    }

    /// Splits a path with one range that is not a point: guesses the pieces, then checks each.
    fn split_single(&mut self, path: &Path<F::Number>, which: usize) -> Result<(), AuditError> {
        for (low, high) in self.guess_pieces(path, which)? {
            self.check_piece(path, which, low, high)?;
        }
        Ok(())
    }

    /// What the program does on one value of the range.
    fn at(&mut self, ordinals: &Ordinals, ordinal: u64) -> Result<Seen<F::Number>, AuditError> {
        let point = Ordinals { low: ordinal, high: ordinal, ..ordinals.clone() };
        let range = self.range(&point);
        self.world.tape[ordinals.position] = Value::Number(range);
        self.look()
    }

    /// Pieces on which the program would be constant if it were monotone, by bisection on single values.
    fn guess_pieces(&mut self, path: &Path<F::Number>, which: usize) -> Result<Vec<(u64, u64)>, AuditError> {
        let ordinals = path.ordinals[which].clone();
        self.world.tape.clone_from(&path.tape);
        let mut pieces: Vec<(u64, u64)> = Vec::new();
        let mut join = |low: u64, high: u64, same: bool| match pieces.last_mut() {
            Some(last) if same => last.1 = high,
            _ => pieces.push((low, high)),
        };
        // The left end of what is still to do, and right ends, the nearest last, each with what was seen there.
        let mut low = self.sample(&ordinals, ordinals.low)?;
        join(low.ordinal, low.ordinal, false);
        let mut ends = vec![self.sample(&ordinals, ordinals.high)?];
        let places = self.world.floats.format().precision() - 1;
        let mut change = ChangePoint::new(match ordinals.offset {
            None => Scale::Floats { places, one: self.one },
            Some(_) => Scale::Integers { places },
        });
        let start = self.runs;
        while let Some(end) = ends.pop() {
            if is_hopeless(start, self.runs, low.ordinal - ordinals.low, ordinals.high - ordinals.low) {
                self.runs = 0;
            }
            if self.agree(&low.seen, &end.seen) {
                join(low.ordinal, end.ordinal, true);
                low = end;
            } else if end.ordinal == low.ordinal + 1 || self.runs == 0 {
                join(low.ordinal + 1, end.ordinal, false);
                low = end;
                change = change.from(&low);
            } else {
                let between = self.sample(&ordinals, change.next(&low, &end))?;
                ends.push(end);
                ends.push(between);
            }
        }
        Ok(pieces)
    }

    fn sample(&mut self, ordinals: &Ordinals, ordinal: u64) -> Result<Sample<Seen<F::Number>>, AuditError> {
        self.world.trace = Trace::default();
        let seen = self.at(ordinals, ordinal)?;
        Ok(Sample { ordinal, seen, trace: self.world.trace })
    }

    fn agree(&self, a: &Seen<F::Number>, b: &Seen<F::Number>) -> bool {
        match (a, b) {
            (Seen::Value(a), Seen::Value(b)) => self.same_value(a, b),
            (Seen::NeedsDraw, Seen::NeedsDraw) => true,
            _ => false,
        }
    }

    /// Whether two released values of single runs are one outcome.
    fn same_value(&self, a: &Value<Range<F::Number>>, b: &Value<Range<F::Number>>) -> bool {
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => a.low == b.low || self.world.floats.same(&a.low, &b.low),
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::List(a), Value::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same_value(a, b))
            }
            _ => false,
        }
    }

    /// Enters a piece into the law if the program is constant on it, and halves it otherwise.
    fn check_piece(
        &mut self,
        path: &Path<F::Number>,
        which: usize,
        low: u64,
        high: u64,
    ) -> Result<(), AuditError> {
        let others = &path.weight * self.other_masses(path, which);
        let mut pieces = vec![(low, high)];
        while let Some((low, high)) = pieces.pop() {
            let piece = Ordinals { low, high, ..path.ordinals[which].clone() };
            self.world.tape.clone_from(&path.tape);
            self.world.tape[piece.position] = Value::Number(self.range(&piece));
            let seen = if self.runs == 0 { Seen::Undecided } else { self.look()? };
            let outcome = match &seen {
                Seen::Value(value) => self.world.outcome(value),
                _ => None,
            };
            match (outcome, seen) {
                (Some(outcome), _) => {
                    let mass = self.ordinals_mass(&piece) * &others;
                    self.law.add(outcome, &mass, &path.denominator);
                }
                // Further draws, of a law that is the same on all of the range: the path goes on with it.
                (None, Seen::NeedsDraw) if self.needs_one_law() => self.push(path, which, low, high),
                _ if low == high || self.runs == 0 => {
                    let piece = self.narrowed(path, which, low, high);
                    self.escape(&piece);
                }
                _ => {
                    let middle = low + (high - low) / 2;
                    pieces.push((middle + 1, high));
                    pieces.push((low, middle));
                }
            }
        }
        Ok(())
    }

    /// The product of the masses of the other ranges of a path.
    fn other_masses(&self, path: &Path<F::Number>, which: usize) -> Natural {
        let others = path.ordinals.iter().enumerate().filter(|(i, _)| *i != which);
        others.fold(Natural::ONE, |mass, (_, ordinals)| mass * self.ordinals_mass(ordinals))
    }

    /// Continues a path with the possible values of the draw that it needs next.
    fn extend(&mut self, path: &Path<F::Number>, law: &Draw<Range<F::Number>>) -> Result<(), AuditError> {
        let values = match options(&self.world.floats, self.one, law)? {
            Options::Ordinals { offset, count, unit } => {
                return self.extend_by_ordinals(path, offset, count, unit);
            }
            Options::Values(values) => values,
        };
        for (value, p) in values {
            if p.is_zero() {
                continue;
            }
            let mut path = path.clone();
            path.tape.push(value);
            path.weight *= p.numerator().unsigned_abs();
            path.denominator *= p.denominator();
            path.priority = bit_length(&self.mass(&path)) - bit_length(&path.denominator);
            self.open.push(path);
        }
        Ok(())
    }

    fn extend_by_ordinals(
        &mut self,
        path: &Path<F::Number>,
        offset: Option<Integer>,
        ordinals: u64,
        denominator: Natural,
    ) -> Result<(), AuditError> {
        let mut path = path.clone();
        let ordinals = Ordinals { position: path.tape.len(), offset, low: 0, high: ordinals - 1 };
        path.tape.push(Value::Number(self.range(&ordinals)));
        path.ordinals.push(ordinals);
        path.denominator *= denominator;
        self.open.push(path);
        Ok(())
    }
}

/// Whether so little of the way is done that the runs would not suffice for a hundredth of it. A program that rounds to
/// no grid has as many outcomes as there are floats.
fn is_hopeless(at_start: u64, left: u64, done: u64, all: u64) -> bool {
    const LEAST: u64 = 50_000;
    let used = at_start - left;
    left > 0 && used > LEAST && (done as f64 / all as f64) * (at_start as f64 / used as f64) < 0.01
}

fn bit_length(x: &Natural) -> i64 {
    x.bit_len() as i64
}
