//! A program over the reals as a function of uniform numbers: every draw is made from one or more numbers in (0, 1) by a
//! fixed rule, so a run is decided by a point of a cube. Here the point is known to lie in a dyadic cell, and what the
//! program computes is enclosed; a comparison that the cell does not decide stops the run.
//!
//! Cells of the whole cube give enclosures of probabilities ([`crate::cube::boxes`]); a cell of 2^−62, chosen at random,
//! is a sample ([`crate::refute::sampling`]). Any program runs here: products, quotients, logarithms, random scales.

use probity_exact::{Enclosure, Integer, Rational, Sign, fraction};
use probity_kernel::expr::{Binary, Unary};

use crate::cube::quantile::Quantiles;
use crate::error::AuditError;
use crate::integrate::linear::Form;
use crate::integrate::smooth::{Interval, around};
use crate::output::event::{Condition, Event, Relation};
use crate::output::outcome::Outcome;
use crate::real::constants::{bits, pow2_at_least, unsupported};
use crate::real::discrete::{Tail, choices, probability, response};
use crate::real::world::Real;
use crate::run::bits::Bits;
use crate::run::numbers::integer;
use crate::run::numbers::round_half_even;
use crate::run::program::{Draw, LawKind, Stop, Value, World, wrong};

/// A number of a run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Mixed {
    /// Known exactly.
    Exact(Rational),
    /// Between two bounds.
    Between(Interval),
}

impl Mixed {
    pub(crate) fn interval(&self) -> Interval {
        match self {
            Mixed::Exact(x) => around(x),
            Mixed::Between(interval) => *interval,
        }
    }

    /// The exact value, or the middle of the bounds.
    fn middle(&self) -> Rational {
        match self {
            Mixed::Exact(x) => x.clone(),
            Mixed::Between(interval) => {
                let (low, high) = (interval.low().max(f64::MIN), interval.high().min(f64::MAX));
                probity_exact::rational_from_f64(low / 2.0 + high / 2.0).unwrap_or_default()
            }
        }
    }
}

/// A dyadic interval [index, index + 1]/2^level of (0, 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Cell {
    pub(crate) level: u32,
    pub(crate) index: u64,
}

/// The finest cells.
pub(crate) const FINEST: u32 = 62;

impl Cell {
    pub(crate) const WHOLE: Cell = Cell { level: 0, index: 0 };

    pub(crate) fn halves(self) -> [Cell; 2] {
        [0, 1].map(|half| Cell { level: self.level + 1, index: 2 * self.index + half })
    }

    /// The first bit, and the interval that the other bits leave; `None` when not even that bit is known.
    pub(crate) fn first_bit(self) -> Option<(bool, Cell)> {
        let level = self.level.checked_sub(1)?;
        let bit = self.index >> level & 1 == 1;
        Some((bit, Cell { level, index: self.index & ((1 << level) - 1) }))
    }

    pub(crate) fn ends(self) -> (Rational, Rational) {
        let unit = Rational::from(1u64 << self.level);
        (Rational::from(self.index) / &unit, Rational::from(self.index + 1) / unit)
    }

    pub(crate) fn interval(self) -> Interval {
        let unit = (1u64 << self.level) as f64;
        // A power of two divides exactly; a whole number beyond 2^53 is rounded, by less than one float.
        let end = |k: u64| (k as f64) / unit;
        let (low, high) = (end(self.index), end(self.index + 1));
        let exact = self.index < 1 << 53;
        let (low, high) = if exact { (low, high) } else { (low.next_down(), high.next_up().min(1.0)) };
        Enclosure::new(low, high, ()).unwrap_or_else(|| Enclosure::everything(()))
    }
}

/// Where the uniform numbers come from.
pub(crate) enum Source {
    /// These cells; whole intervals after them.
    Cells(Vec<Cell>),
    /// Random cells of the finest kind.
    Random(Bits),
}

/// The world of one run.
pub(crate) struct CubeWorld {
    pub(crate) source: Source,
    /// How many uniform numbers the run has used.
    pub(crate) used: usize,
    quantiles: Quantiles,
    tables: Vec<(Rational, Table)>,
}

/// Values and bounds of the sums of probabilities up to and including each.
type Table = Vec<(Rational, Rational, Rational)>;

impl CubeWorld {
    pub(crate) fn new(source: Source) -> CubeWorld {
        CubeWorld { source, used: 0, quantiles: Quantiles::default(), tables: Vec::new() }
    }

    /// The next uniform number.
    fn cell(&mut self) -> Cell {
        self.used += 1;
        match &mut self.source {
            Source::Cells(cells) => {
                if cells.len() < self.used {
                    cells.push(Cell::WHOLE);
                }
                cells[self.used - 1]
            }
            Source::Random(bits) => Cell { level: FINEST, index: bits.next() >> (64 - FINEST) },
        }
    }

    /// An exponential number of scale 1: −ln of a uniform one.
    fn exponential(&mut self) -> Interval {
        minus_ln(self.cell())
    }

    /// A standard normal number.
    fn normal(&mut self) -> Result<Interval, Stop> {
        if let Source::Cells(_) = self.source {
            let cell = self.cell();
            return Ok(self.quantiles.normal(cell));
        }
        // Marsaglia's polar method: exact in law, and quick.
        loop {
            let two = around(&Rational::from(2));
            let mut side = || two * self.cell().interval() - around(&Rational::ONE);
            let (u, v) = (side(), side());
            let s = u.square() + v.square();
            if *s.low() >= 1.0 {
                continue;
            }
            if *s.high() >= 1.0 || *s.low() <= 0.0 {
                return Err(Stop::Undecided);
            }
            let factor =
                s.ln().map(|ln| -(two * ln)).and_then(|ln| ln.checked_div(&s)).and_then(|x| x.sqrt());
            return factor.map(|factor| u * factor).ok_or(Stop::Undecided);
        }
    }

    /// Whether a uniform number lies below a probability.
    fn below(&mut self, p: &Mixed) -> Result<bool, Stop> {
        let (low, high) = match p {
            Mixed::Exact(p) => (p.clone(), p.clone()),
            Mixed::Between(interval) => {
                let end = |x: f64| probity_exact::rational_from_f64(x.clamp(0.0, 1.0)).unwrap_or_default();
                if *interval.high() < 0.0 || *interval.low() > 1.0 {
                    probability(Rational::from(2))?;
                }
                (end(*interval.low()), end(*interval.high()))
            }
        };
        let (low, high) = (probability(low)?, probability(high)?);
        let (from, to) = self.cell().ends();
        match (to <= low, from >= high) {
            (true, _) => Ok(true),
            (_, true) => Ok(false),
            _ => Err(Stop::Undecided),
        }
    }

    /// The value whose share of (0, 1) the next uniform number lies in.
    fn pick_from(&mut self, table: &Table) -> Result<Rational, Stop> {
        let (from, to) = self.cell().ends();
        // The share of a value begins at most where the one before may end, and ends at least where it must.
        let mut begin = Rational::ZERO;
        for (value, low, high) in table {
            if from >= begin && to <= *low {
                return Ok(value.clone());
            }
            begin = high.clone();
        }
        Err(Stop::Undecided)
    }

    fn weighted(&mut self, values: Vec<(i64, Rational)>) -> Result<Value<Mixed>, Stop> {
        let mut sum = Rational::ZERO;
        let table = values.into_iter().map(|(value, p)| {
            sum += p;
            (Rational::from(value), sum.clone(), sum.clone())
        });
        let table: Table = table.collect();
        Ok(exact(self.pick_from(&table)?))
    }

    fn discrete_gaussian(&mut self, deviation: &Rational) -> Result<Rational, Stop> {
        let known = self.tables.iter().position(|(known, _)| known == deviation);
        let place = match known {
            Some(place) => place,
            None => {
                let constant = |x: Rational| Real::Form(Form::constant(x));
                let arguments = vec![constant(Rational::ZERO), constant(deviation.clone())];
                let law = Draw { kind: LawKind::DiscreteGaussian, arguments };
                let (mut low, mut high) = (Rational::ZERO, Rational::ZERO);
                let mut table = Vec::new();
                for (value, chance) in choices(&law, Tail { bits: 70 })? {
                    let (down, up) = chance.ends();
                    low += down.to_rational().unwrap_or_default();
                    high += up.to_rational().unwrap_or(Rational::ONE);
                    let Some(value) = value.number()?.known().cloned() else { continue };
                    table.push((value, low.clone(), high.clone()));
                }
                self.tables.push((deviation.clone(), table));
                self.tables.len() - 1
            }
        };
        let table = std::mem::take(&mut self.tables[place].1);
        let found = self.pick_from(&table);
        self.tables[place].1 = table;
        found
    }
}

/// The places of scores, with bounds of the sums of their probabilities up to and including each.
fn shares(scale: Interval, scores: &[Mixed]) -> Result<Table, Stop> {
    let intervals: Vec<Interval> = scores.iter().map(Mixed::interval).collect();
    // Any score may stand for 0; the largest keeps all weights finite.
    let middle = |interval: &Interval| (interval.low() + interval.high()) / 2.0;
    let best =
        intervals.iter().copied().max_by(|a, b| middle(a).total_cmp(&middle(b))).ok_or(Stop::Undecided)?;
    let end = |x: f64| probity_exact::rational_from_f64(x).ok_or(Stop::Undecided);
    let mut weights = Vec::new();
    for interval in &intervals {
        let weight = (*interval - best).checked_div(&scale).ok_or(Stop::Undecided)?.exp();
        weights.push((end(*weight.low())?, end(*weight.high())?));
    }
    let mut sums = vec![(Rational::ZERO, Rational::ZERO)];
    for (low, high) in &weights {
        let Some((a, b)) = sums.last() else { break };
        sums.push((a + low, b + high));
    }
    let (least, most) = sums.last().cloned().unwrap_or_default();
    let share = |(i, (low, high)): (usize, &(Rational, Rational))| {
        // The first i weights against the others: a / (a + others).
        let bound = |up_to: &Rational, others: Rational| match up_to.is_zero() {
            true => Rational::ZERO,
            false => up_to / (up_to + others),
        };
        let place = Rational::from(i);
        (place, bound(low, &most - high), bound(high, &least - low))
    };
    Ok(sums[1..].iter().enumerate().map(share).collect())
}

/// −ln of a uniform number.
pub(crate) fn minus_ln(cell: Cell) -> Interval {
    let everything = || Enclosure::everything(());
    cell.interval().ln().map_or_else(everything, |ln| -ln)
}

fn exact(x: Rational) -> Value<Mixed> {
    Value::Number(Mixed::Exact(x))
}

/// The floor of every member: exact where all agree.
fn floor(x: Interval) -> Mixed {
    let (low, high) = (x.low().floor(), x.high().floor());
    match (low == high, probity_exact::rational_from_f64(low)) {
        (true, Some(value)) => Mixed::Exact(value),
        _ => Mixed::Between(Enclosure::new(low, high, ()).unwrap_or_else(|| Enclosure::everything(()))),
    }
}

/// A positive scale.
fn positive(x: &Mixed) -> Result<Interval, Stop> {
    let interval = x.interval();
    if *interval.low() > 0.0 {
        Ok(interval)
    } else if *interval.high() <= 0.0 {
        Err(AuditError::Domain { operation: "a scale", allowed: "it is positive" }.into())
    } else {
        Err(Stop::Undecided)
    }
}

fn known(x: &Mixed) -> Result<&Rational, Stop> {
    match x {
        Mixed::Exact(x) => Ok(x),
        Mixed::Between(_) => Err(unsupported("a discrete law whose parameter is random or irrational")),
    }
}

impl World for CubeWorld {
    type Number = Mixed;

    fn constant(&self, x: &Rational) -> Mixed {
        Mixed::Exact(x.clone())
    }

    fn bits(&self, a: &Mixed) -> usize {
        match a {
            Mixed::Exact(x) => bits(x),
            Mixed::Between(_) => 0,
        }
    }

    fn unary(&mut self, operation: Unary, a: &Mixed) -> Result<Mixed, Stop> {
        let zero = Rational::ZERO;
        if let Mixed::Exact(x) = a {
            let exactly = match operation {
                Unary::Neg => Some(-x),
                Unary::Abs => Some(if *x < zero { -x } else { x.clone() }),
                Unary::Floor => Some(Rational::from(x.floor())),
                Unary::Pow2AtLeast if *x > zero => Some(pow2_at_least(x)),
                Unary::Ln if *x == Rational::ONE => Some(zero.clone()),
                Unary::Exp if x.is_zero() => Some(Rational::ONE),
                Unary::Sqrt if *x <= zero => Some(zero.clone()),
                _ => None,
            };
            if let Some(exactly) = exactly {
                return Ok(Mixed::Exact(exactly));
            }
        }
        let x = a.interval();
        Ok(match operation {
            Unary::Neg => Mixed::Between(-x),
            Unary::Abs => Mixed::Between(x.abs()),
            Unary::Floor => floor(x),
            Unary::Exp => Mixed::Between(x.exp()),
            Unary::Sqrt if *x.high() <= 0.0 => Mixed::Exact(zero),
            Unary::Sqrt if *x.low() >= 0.0 => Mixed::Between(x.sqrt().ok_or(Stop::Undecided)?),
            Unary::Sqrt => return Err(Stop::Undecided),
            // Outside the positive numbers the value is 0.
            Unary::Ln | Unary::Pow2AtLeast if *x.high() <= 0.0 => Mixed::Exact(zero),
            Unary::Ln if *x.low() > 0.0 => Mixed::Between(x.ln().ok_or(Stop::Undecided)?),
            Unary::Ln => return Err(Stop::Undecided),
            Unary::Pow2AtLeast => return Err(unsupported("pow2_at_least of a random number")),
            Unary::Not => return Err(wrong("an operand", "a number")),
        })
    }

    fn binary(&mut self, operation: Binary, a: &Mixed, b: &Mixed) -> Result<Mixed, Stop> {
        if let (Mixed::Exact(x), Mixed::Exact(y)) = (a, b) {
            let is_positive = *y > Rational::ZERO;
            return Ok(Mixed::Exact(match operation {
                Binary::Add => x + y,
                Binary::Sub => x - y,
                Binary::Mul => x * y,
                Binary::Div if !y.is_zero() => x / y,
                Binary::Mod if is_positive => x - Rational::from((x / y).floor()) * y,
                Binary::RoundTo if is_positive => Rational::from(round_half_even(&(x / y))) * y,
                Binary::Min => x.min(y).clone(),
                Binary::Max => x.max(y).clone(),
                // A quotient by 0, a modulus or a grid that is not positive.
                _ => Rational::ZERO,
            }));
        }
        let (x, y) = (a.interval(), b.interval());
        let zero_times = |a: &Mixed| matches!(a, Mixed::Exact(x) if x.is_zero());
        Ok(match operation {
            Binary::Add => Mixed::Between(x + y),
            Binary::Sub => Mixed::Between(x - y),
            Binary::Mul if zero_times(a) || zero_times(b) => Mixed::Exact(Rational::ZERO),
            Binary::Mul => Mixed::Between(x * y),
            Binary::Div if zero_times(b) => Mixed::Exact(Rational::ZERO),
            // A divisor that may be 0 is 0 with no probability; the quotient may be anything.
            Binary::Div => Mixed::Between(x.checked_div(&y).unwrap_or_else(|| Enclosure::everything(()))),
            // The smaller one itself where that is decided, so that what is exact stays so.
            Binary::Min if x.high() <= y.low() => a.clone(),
            Binary::Min if y.high() <= x.low() => b.clone(),
            Binary::Min => Mixed::Between(x.min(&y)),
            Binary::Max if x.low() >= y.high() => a.clone(),
            Binary::Max if y.low() >= x.high() => b.clone(),
            Binary::Max => Mixed::Between(x.max(&y)),
            Binary::RoundTo => {
                let Mixed::Exact(grid) = b else {
                    return Err(unsupported("rounding to a grid that is random"));
                };
                if grid.sign() == Sign::Negative || grid.is_zero() {
                    return Ok(Mixed::Exact(Rational::ZERO));
                }
                let half = around(&fraction::<1, 2>());
                let quotient = x.checked_div(&around(grid)).ok_or(Stop::Undecided)?;
                match floor(quotient + half) {
                    Mixed::Exact(k) => Mixed::Exact(k * grid),
                    Mixed::Between(k) => Mixed::Between(k * around(grid)),
                }
            }
            _ => return Err(unsupported("this operation on random numbers")),
        })
    }

    fn compare(&mut self, operation: Binary, a: &Mixed, b: &Mixed) -> Result<bool, Stop> {
        if let (Mixed::Exact(x), Mixed::Exact(y)) = (a, b) {
            return Ok(match operation {
                Binary::Lt => x < y,
                Binary::Le => x <= y,
                Binary::Eq => x == y,
                Binary::Ne => x != y,
                Binary::Ge => x >= y,
                _ => x > y,
            });
        }
        let (x, y) = (a.interval(), b.interval());
        let (below, above) = (x.high() < y.low(), x.low() > y.high());
        match operation {
            Binary::Eq | Binary::Ne if below || above => Ok(operation == Binary::Ne),
            Binary::Eq | Binary::Ne => Err(Stop::Undecided),
            _ if below => Ok(matches!(operation, Binary::Lt | Binary::Le)),
            _ if above => Ok(matches!(operation, Binary::Gt | Binary::Ge)),
            Binary::Le if x.high() <= y.low() => Ok(true),
            Binary::Ge if x.low() >= y.high() => Ok(true),
            Binary::Lt if x.low() >= y.high() => Ok(false),
            Binary::Gt if x.high() <= y.low() => Ok(false),
            _ => Err(Stop::Undecided),
        }
    }

    fn integer(&self, a: &Mixed) -> Result<i64, Stop> {
        match a {
            Mixed::Exact(x) => integer(Some(x)),
            Mixed::Between(_) => Err(Stop::Undecided),
        }
    }

    fn draw(&mut self, law: &Draw<Mixed>) -> Result<Value<Mixed>, Stop> {
        let argument =
            |i: usize| law.arguments.get(i).ok_or_else(|| wrong("a draw", "given all its arguments"));
        let number = |x: Interval| Ok(Value::Number(Mixed::Between(x)));
        match law.kind {
            LawKind::Uniform => number(self.cell().interval()),
            LawKind::Exponential => {
                let scale = positive(argument(0)?)?;
                number(scale * self.exponential())
            }
            LawKind::Laplace => {
                let (center, scale) = (argument(0)?.interval(), positive(argument(1)?)?);
                let Some((sign, rest)) = self.cell().first_bit() else {
                    return number(Enclosure::everything(()));
                };
                let size = scale * minus_ln(rest);
                number(if sign { center + size } else { center - size })
            }
            LawKind::Gaussian => {
                let (center, deviation) = (argument(0)?.interval(), positive(argument(1)?)?);
                let standard = self.normal()?;
                number(center + deviation * standard)
            }
            LawKind::Geometric => {
                let scale = positive(argument(0)?)?;
                // floor(scale·E) ≥ k exactly when E ≥ k/scale, which has probability e^(−k/scale).
                Ok(Value::Number(floor(scale * self.exponential())))
            }
            LawKind::DiscreteLaplace => {
                let scale = positive(argument(1)?)?;
                // The difference of two geometric numbers of one scale has this law.
                let up = floor(scale * self.exponential());
                let down = floor(scale * self.exponential());
                let difference = self.binary(Binary::Sub, &up, &down)?;
                Ok(Value::Number(self.binary(Binary::Add, argument(0)?, &difference)?))
            }
            LawKind::DiscreteGaussian => {
                let noise = self.discrete_gaussian(known(argument(1)?)?)?;
                Ok(Value::Number(self.binary(Binary::Add, argument(0)?, &Mixed::Exact(noise))?))
            }
            LawKind::Sign => match self.cell().first_bit() {
                Some((bit, _)) => Ok(exact(Rational::from(if bit { 1 } else { -1 }))),
                None => Err(Stop::Undecided),
            },
            LawKind::Bernoulli => Ok(Value::Bool(self.below(argument(0)?)?)),
            LawKind::Choose => {
                let table = shares(positive(argument(0)?)?, &law.arguments[1..])?;
                Ok(exact(self.pick_from(&table)?))
            }
            LawKind::UniformInt => {
                let (low, high) = (known(argument(0)?)?.ceil(), known(argument(1)?)?.floor());
                let size = Rational::from(&high - &low + Integer::ONE);
                if size <= Rational::ZERO {
                    return Err(
                        AuditError::Domain { operation: "uniform_int", allowed: "low <= high" }.into()
                    );
                }
                let (from, to) = self.cell().ends();
                let (first, last) = ((from * &size).floor(), (to * size).ceil() - Integer::ONE);
                if first == last { Ok(exact(Rational::from(low + first))) } else { Err(Stop::Undecided) }
            }
            LawKind::UniformOther => {
                let count = integer(Some(known(argument(1)?)?))?;
                self.weighted(response(known(argument(0)?)?, &Rational::ZERO, count)?)
            }
            LawKind::Response => {
                let count = integer(Some(known(argument(2)?)?))?;
                let truth = probability(known(argument(1)?)?.clone())?;
                self.weighted(response(known(argument(0)?)?, &truth, count)?)
            }
        }
    }
}

/// Whether an output lies in an event; `None` when its bounds do not tell.
pub(crate) fn lies_in(event: &Event, output: &Value<Mixed>) -> Option<bool> {
    match (event, output) {
        (Event::Value(condition), value) => meets(condition, value),
        (Event::List(conditions), Value::List(items)) if conditions.len() == items.len() => {
            all(conditions.iter().zip(items).map(|(condition, item)| meets(condition, item)))
        }
        (Event::Related { entries, relations }, Value::List(items)) if entries.len() == items.len() => {
            let entries = entries.iter().zip(items).map(|(condition, item)| meets(condition, item));
            let sum = |relation: &Relation| {
                let mut sum = around(&Rational::ZERO);
                for (place, factor) in &relation.terms {
                    let Some(Value::Number(item)) = items.get(*place) else { return Some(false) };
                    sum = sum + around(factor) * item.interval();
                }
                meets(&relation.condition, &Value::Number(Mixed::Between(sum)))
            };
            all(entries.chain(relations.iter().map(sum)))
        }
        (Event::List(_) | Event::Related { .. }, _) => Some(false),
        (Event::Union(parts), output) => {
            all(parts.iter().map(|part| lies_in(part, output).map(|inside| !inside))).map(|none| !none)
        }
    }
}

/// Whether all hold: no if one does not, unknown if only that keeps it from being yes.
fn all(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut result = Some(true);
    for part in parts {
        match part {
            Some(true) => {}
            Some(false) => return Some(false),
            None => result = None,
        }
    }
    result
}

fn meets(condition: &Condition, value: &Value<Mixed>) -> Option<bool> {
    match (condition, value) {
        (Condition::Anything, _) => Some(true),
        (Condition::Is(Outcome::Bool(expected)), Value::Bool(b)) => Some(b == expected),
        (_, Value::Number(Mixed::Exact(x))) => Some(condition.holds(&Outcome::Number(x.clone()))),
        (Condition::Is(Outcome::Number(expected)), Value::Number(Mixed::Between(interval))) => {
            (!interval.contains(expected)).then_some(false)
        }
        (Condition::AtMost(bound), Value::Number(Mixed::Between(interval))) => {
            let bound = around(bound);
            decided(interval.high() <= bound.low(), interval.low() > bound.high())
        }
        (Condition::AtLeast(bound), Value::Number(Mixed::Between(interval))) => {
            let bound = around(bound);
            decided(interval.low() >= bound.high(), interval.high() < bound.low())
        }
        (Condition::Between(low, high), value) => {
            let ends = [Condition::AtLeast(low.clone()), Condition::AtMost(high.clone())];
            all(ends.iter().map(|end| meets(end, value)))
        }
        _ => Some(false),
    }
}

fn decided(yes: bool, no: bool) -> Option<bool> {
    match (yes, no) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// An output as an outcome, the middle for what is known between bounds: only for guesses.
pub(crate) fn nearest_outcome(value: &Value<Mixed>) -> Outcome {
    match value {
        Value::Number(x) => Outcome::Number(x.middle()),
        Value::Bool(b) => Outcome::Bool(*b),
        Value::List(items) => Outcome::List(items.iter().map(nearest_outcome).collect()),
    }
}
