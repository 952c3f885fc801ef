//! What a run of a text takes at most, whatever its inputs: turns of loops, and memory for numbers, draws and lists. A text that may take more than there is
//! is refused for all inputs, before it is paid for and before anything is drawn: else a run would end without an answer for some inputs alone, and
//! tell of them.
//!
//! Loops count whose bounds are numbers, the indices of other loops, or lengths of input lists, which are known before a run and are the same for
//! neighbours. How often others turn (over rows, and as long as something holds) is not known here. A sum over rows leaves a number of the size that
//! its expression says, however many rows there are (`written_sum`, `lazy/settle`). If another such loop leaves something in each turn, a run
//! that takes too much for it ends when it does (`machine`): whether a text may have such an end is what [`may_run_out`] says, and it is paid for.

use std::collections::{BTreeMap, BTreeSet};

use probity_exact::{Integer, Rational};
use probity_kernel::expr::{Binary, Expr, Name, Unary, Variable};
use probity_kernel::law;
use probity_kernel::term::{Distribution, Mechanism, Statement};

use super::assigned::assigned;
use super::code::Relation;
use super::compile::constant_value;
use super::machine::{ENTRY_BYTES, MOST_BYTES, MOST_ROW_BYTES};
use crate::error::RunError;
use crate::sample::is_coins;
use crate::written_sum::{RowLoop, row_loop};

/// Turns of all loops together, each some nanoseconds: minutes.
pub(crate) const MOST_TURNS: u64 = 1 << 34;

/// What an operation may put on the tape: its node, and those of two operands.
const STEP_BYTES: u64 = 48;

/// The same for a comparison, which has no node of its own.
const COMPARISON_BYTES: u64 = 32;

/// The same for an operation that is made of some others.
const ROUNDING_BYTES: u64 = 384;

/// What a draw may put there.
const DRAW_BYTES: u64 = 192;

/// The same for one by rejection, whose trials stay there; there are two on average.
const TRIALS_BYTES: u64 = 2048;

/// A term of a sum over rows: its nodes, and a number of as many bits as there may be (`sizes`).
const TERM_BYTES: u64 = 1 << 14;

/// Samples whose coins take less than the table.
const MOST_SAMPLES: usize = 64;

/// Integers up to this size are doubles, and take no memory.
const LARGEST: i64 = 1 << 53;

/// Fails if a run may take more turns or more memory than there are. `length` says how long input lists are, where that is known.
pub(crate) fn check(mechanism: &Mechanism, length: &dyn Fn(&Name) -> Option<usize>) -> Result<(), RunError> {
    within(mechanism, length, MOST_TURNS, MOST_BYTES as u64)
}

/// Whether what a run takes is not known from the text and the lengths of input lists, so that a run may end for some inputs alone since there is no
/// more of it.
pub(crate) fn may_run_out(mechanism: &Mechanism) -> bool {
    // How long lists are does not matter here.
    let mut walk = Walk::new(mechanism, &|_| Some(1), u64::MAX, u64::MAX);
    walk.block(&mechanism.body).is_err() || walk.is_open || walk.coins.len() > MOST_SAMPLES
}

fn within(
    mechanism: &Mechanism,
    length: &dyn Fn(&Name) -> Option<usize>,
    turns: u64,
    bytes: u64,
) -> Result<(), RunError> {
    Walk::new(mechanism, length, turns, bytes).block(&mechanism.body).map(drop)
}

/// The bytes that a run takes at most.
#[cfg(test)]
pub(crate) fn bytes(mechanism: &Mechanism, length: &dyn Fn(&Name) -> Option<usize>) -> u64 {
    let (mut low, mut high) = (0, 1 << 40);
    while low < high {
        let middle = (low + high) / 2;
        if within(mechanism, length, u64::MAX, middle).is_ok() { high = middle } else { low = middle + 1 }
    }
    low
}

/// What a block does to a list: it grows, or is made anew.
#[derive(Clone, Copy, Default)]
struct Growth {
    is_new: bool,
    /// By how many entries it grows, or how many it has, at most.
    most: u64,
}

impl Growth {
    fn bytes(self) -> u64 {
        self.most.saturating_mul(ENTRY_BYTES as u64)
    }
}

/// What a block takes at most.
#[derive(Clone, Default)]
struct Most {
    turns: u64,
    /// Bytes on the tape, which stay there until the run ends.
    kept: u64,
    lists: BTreeMap<Name, Growth>,
    /// Bytes at any time in the block, beyond those before it.
    peak: u64,
}

impl Most {
    fn of_bytes(kept: u64) -> Most {
        Most { kept, peak: kept, ..Most::default() }
    }

    fn of_list(name: &Name, growth: Growth) -> Most {
        Most { lists: [(name.clone(), growth)].into(), peak: growth.bytes(), ..Most::default() }
    }

    fn of_lists(&self, wanted: impl Fn(&Growth) -> bool) -> u64 {
        self.lists.values().filter(|list| wanted(list)).fold(0, |all, list| all.saturating_add(list.bytes()))
    }

    /// Whether it takes more in the end than before.
    fn leaves(&self) -> bool {
        self.kept > 0 || self.lists.values().any(|list| !list.is_new && list.most > 0)
    }

    /// Bytes when it is done.
    fn end(&self) -> u64 {
        self.kept.saturating_add(self.of_lists(|_| true))
    }

    /// This, and then the other.
    fn then(mut self, next: Most) -> Most {
        self.peak = self.peak.max(self.end().saturating_add(next.peak));
        self.turns = self.turns.saturating_add(next.turns);
        self.kept = self.kept.saturating_add(next.kept);
        for (name, growth) in next.lists {
            let list = self.lists.entry(name).or_default();
            *list = match growth.is_new {
                true => growth,
                false => Growth { most: list.most.saturating_add(growth.most), ..*list },
            };
        }
        self
    }

    /// This as often as a number says, which is not 0.
    fn repeated(self, times: u64) -> Most {
        let grown = |list: Growth| match list.is_new {
            true => list,
            false => Growth { most: list.most.saturating_mul(times), ..list },
        };
        // What a turn leaves; lists that are made anew in each are there once.
        let left = self.kept.saturating_add(self.of_lists(|list| !list.is_new));
        let before = left.saturating_mul(times - 1).saturating_add(self.of_lists(|list| list.is_new));
        Most {
            turns: self.turns.saturating_add(1).saturating_mul(times),
            kept: self.kept.saturating_mul(times),
            peak: before.saturating_add(self.peak),
            lists: self.lists.into_iter().map(|(name, list)| (name, grown(list))).collect(),
        }
    }

    /// This or the other.
    fn or(mut self, other: Most) -> Most {
        let names: Vec<Name> = self.lists.keys().chain(other.lists.keys()).cloned().collect();
        for name in names {
            let at = |lists: &BTreeMap<Name, Growth>| lists.get(&name).copied().unwrap_or_default();
            let (one, another) = (at(&self.lists), at(&other.lists));
            let growth = Growth { is_new: one.is_new && another.is_new, most: one.most.max(another.most) };
            self.lists.insert(name, growth);
        }
        (self.turns, self.kept) = (self.turns.max(other.turns), self.kept.max(other.kept));
        self.peak = self.peak.max(other.peak).max(self.end());
        self
    }
}

/// The least and the largest integer that an expression can be.
type Range = (Integer, Integer);

struct Walk<'l> {
    length: &'l dyn Fn(&Name) -> Option<usize>,
    turns: u64,
    bytes: u64,
    /// Indices of loops, and variables that are set once.
    ranges: BTreeMap<Name, Range>,
    assigned: BTreeMap<Name, usize>,
    /// Whether a loop of which it is not known how often it turns leaves something in each turn.
    is_open: bool,
    /// Samples that are drawn.
    coins: BTreeSet<Name>,
}

impl<'l> Walk<'l> {
    fn new(
        mechanism: &Mechanism,
        length: &'l dyn Fn(&Name) -> Option<usize>,
        turns: u64,
        bytes: u64,
    ) -> Walk<'l> {
        let (ranges, assigned) = (BTreeMap::new(), assigned(&mechanism.body));
        Walk { length, turns, bytes, ranges, assigned, is_open: false, coins: BTreeSet::new() }
    }

    /// What a loop takes that turns nobody knows how often.
    fn open_loop(&mut self, turn: Most) -> Most {
        self.is_open |= turn.leaves();
        turn.or(Most::default())
    }

    /// What a loop over rows takes.
    fn rows(&mut self, rows: &RowLoop, body: &[Statement]) -> Result<Most, RunError> {
        let kept = match rows {
            RowLoop::Coins => 0,
            RowLoop::Sum(_, value) => match terms(value, &locals(body)) {
                _ if is_small(value) => 0,
                Some(terms) => terms.saturating_add(1).saturating_mul(TERM_BYTES),
                None => {
                    self.is_open = true;
                    0
                }
            },
        };
        // A list of coins takes less than the rows that it is of.
        let turn = self.block(body)?.peak;
        let peak = turn.saturating_add(MOST_ROW_BYTES as u64).saturating_add(kept);
        Ok(Most { kept, peak, ..Most::default() })
    }
    /// The integers that an expression can be, if they are known. They are set before they are read.
    fn range(&self, e: &Expr) -> Option<Range> {
        match e {
            Expr::Var(Variable::Plain(name)) => self.ranges.get(name).cloned(),
            Expr::Length(Variable::Plain(name)) if !self.assigned.contains_key(name) => {
                let length = Integer::from((self.length)(name)?);
                Some((length.clone(), length))
            }
            Expr::Unary(Unary::Neg, a) => self.range(a).map(|(low, high)| (-high, -low)),
            Expr::Binary(
                operation @ (Binary::Add | Binary::Sub | Binary::Mul | Binary::Min | Binary::Max),
                a,
                b,
            ) => {
                let ((a, b), (c, d)) = (self.range(a)?, self.range(b)?);
                Some(match operation {
                    Binary::Add => (a + c, b + d),
                    Binary::Sub => (a - d, b - c),
                    Binary::Min => (a.min(c), b.min(d)),
                    Binary::Max => (a.max(c), b.max(d)),
                    _ => {
                        let products = [&a * &c, &a * &d, &b * &c, &b * &d];
                        (products.iter().min()?.clone(), products.iter().max()?.clone())
                    }
                })
            }
            _ => {
                let value = constant_value(e).0.filter(Rational::is_int)?.floor();
                Some((value.clone(), value))
            }
        }
    }

    /// Whether an expression is made of lengths and numbers that are known, so that a loop can count to it.
    fn is_length(&self, e: &Expr) -> bool {
        match e {
            Expr::Length(_) => true,
            Expr::Binary(Binary::Add | Binary::Sub | Binary::Min | Binary::Max, a, b) => {
                self.is_length(a) && self.is_length(b)
            }
            _ => self.range(e).is_some(),
        }
    }

    /// What an expression puts on the tape.
    fn steps(&self, e: &Expr) -> u64 {
        let is_small =
            self.range(e).is_some_and(|(low, high)| low >= (-LARGEST).into() && high <= LARGEST.into());
        if is_small {
            return 0;
        }
        let own = match e {
            Expr::Unary(Unary::Floor | Unary::Pow2AtLeast, _)
            | Expr::Binary(Binary::Mod | Binary::RoundTo, ..) => ROUNDING_BYTES,
            Expr::Binary(operation, ..) if Relation::of(*operation).is_some() => COMPARISON_BYTES,
            Expr::Clamp(..) => 2 * COMPARISON_BYTES,
            Expr::Unary(..) | Expr::Binary(..) | Expr::Length(_) => STEP_BYTES,
            _ => 0,
        };
        e.parts().into_iter().flatten().fold(own, |all, part| all.saturating_add(self.steps(part)))
    }

    /// What a block takes.
    fn block(&mut self, body: &[Statement]) -> Result<Most, RunError> {
        let mut all = Most::default();
        for statement in body {
            all = all.then(self.statement(statement)?);
            if all.turns > self.turns || all.peak > self.bytes {
                let text = statement.to_string();
                let statement = text.lines().next().unwrap_or_default().to_owned();
                let turns = (all.turns > self.turns).then_some(all.turns);
                return Err(RunError::TooMuch { statement, turns });
            }
        }
        Ok(all)
    }

    fn statement(&mut self, statement: &Statement) -> Result<Most, RunError> {
        Ok(match statement {
            Statement::Draw { law, .. } => {
                let own = match law {
                    Distribution::DiscreteGaussian { .. } => TRIALS_BYTES,
                    Distribution::Choose { scores: Expr::Var(Variable::Plain(list)), .. } => {
                        let entries = (self.length)(list).unwrap_or(0) as u64;
                        entries.saturating_mul(STEP_BYTES).saturating_add(DRAW_BYTES)
                    }
                    _ => DRAW_BYTES,
                };
                let parameters = law::parameters(law).into_iter();
                Most::of_bytes(parameters.fold(own, |all, e| all.saturating_add(self.steps(e))))
            }
            Statement::Assign { var, value: Expr::EmptyList } => {
                Most::of_list(var, Growth { is_new: true, most: 0 })
            }
            Statement::Assign { var, value } => {
                if self.assigned.get(var) == Some(&1)
                    && let Some(range) = self.range(value)
                {
                    self.ranges.insert(var.clone(), range);
                }
                Most::of_bytes(self.steps(value))
            }
            Statement::Append { list, .. } if is_coins(list) => {
                self.coins.insert(list.clone());
                Most::default()
            }
            Statement::Append { list, value } => {
                let value = Most::of_bytes(self.steps(value));
                value.then(Most::of_list(list, Growth { is_new: false, most: 1 }))
            }
            Statement::If { guard, then, otherwise } => {
                let branches = self.block(then)?.or(self.block(otherwise)?);
                Most::of_bytes(self.steps(guard)).then(branches)
            }
            Statement::For { index, from, to, body } => {
                let bounds = Most::of_bytes(self.steps(from).saturating_add(self.steps(to)));
                if let Some(rows) = row_loop(index, body) {
                    return Ok(bounds.then(self.rows(&rows, body)?));
                }
                let Some(((low, _), (_, high))) = self.range(from).zip(self.range(to)) else {
                    // A number may be one to which nobody counts.
                    self.is_open |= ![from, to].into_iter().all(|e| self.is_length(e));
                    let turn = self.block(body)?;
                    return Ok(bounds.then(self.open_loop(turn)));
                };
                if low >= high {
                    // With lists of other lengths there may be turns: whether it leaves something is looked at, and what it takes is not.
                    let limits = (self.turns, self.bytes);
                    (self.turns, self.bytes) = (u64::MAX, u64::MAX);
                    self.block(body)?;
                    (self.turns, self.bytes) = limits;
                    return Ok(bounds);
                }
                let turns = u64::try_from(&high - &low).unwrap_or(u64::MAX);
                if self.assigned.get(index) == Some(&1) {
                    self.ranges.insert(index.clone(), (low, high - Integer::ONE));
                }
                // Not all of them where another index decides; and none is fine too.
                bounds.then(self.block(body)?.repeated(turns).or(Most::default()))
            }
            Statement::While { guard, body, .. } => {
                let guard = Most::of_bytes(self.steps(guard));
                let turn = self.block(body)?.then(guard.clone());
                guard.then(self.open_loop(turn))
            }
        })
    }
}

/// The variables that are set in each turn of a loop over rows, but for its sum: the fields of the row.
fn locals(body: &[Statement]) -> BTreeSet<&Name> {
    let mut locals = BTreeSet::new();
    for statement in body {
        match statement {
            Statement::Assign { var, value: Expr::Index(..) } => {
                locals.insert(var);
            }
            Statement::If { then, .. } => locals.extend(self::locals(then)),
            _ => {}
        }
    }
    locals
}

/// Whether a number is an integer so small that sums of it are doubles, for as many rows as fit into a machine.
fn is_small(e: &Expr) -> bool {
    let small = Rational::from(1 << 16);
    constant_value(e).0.is_some_and(|value| value.is_int() && value <= small && value >= -&small)
}

/// If what a row adds is rational numbers, and numbers that were there before the rows with a rational factor each, how many of these there are at
/// most, where the rational numbers are no longer for many rows than for one: what divides is the same for all rows, or it is rounded.
/// See `lazy/settle`.
fn terms(e: &Expr, locals: &BTreeSet<&Name>) -> Option<u64> {
    let of = |e: &Expr| terms(e, locals);
    let is_of_row =
        |e: &Expr| e.find_variable(&|v| matches!(v, Variable::Plain(v) if locals.contains(v))).is_some();
    // Before the rows, and not computed anew for each.
    let is_there = |e: &Expr| matches!(e, Expr::Var(Variable::Plain(name)) if !locals.contains(name));
    let both = |a: &Expr, b: &Expr| Some(of(a)?.saturating_add(of(b)?));
    Some(match e {
        Expr::Number(_) => 0,
        Expr::Var(Variable::Plain(name)) => u64::from(!locals.contains(name)),
        Expr::Length(_) => 1,
        Expr::Index(_, place) if !is_of_row(place) => 1,
        Expr::Unary(Unary::Neg | Unary::Abs, a) => of(a)?,
        Expr::Unary(Unary::Floor, _) => 0,
        Expr::Binary(Binary::Add | Binary::Sub | Binary::Min | Binary::Max, a, b) => both(a, b)?,
        Expr::Binary(Binary::Mul, a, b) => match both(a, b)? {
            terms if of(a)? == 0 || of(b)? == 0 => terms,
            _ => return None,
        },
        Expr::Binary(Binary::Div, a, b) if !is_of_row(b) && of(b)? == 0 => of(a)?,
        Expr::Binary(Binary::Div, a, b) if is_there(b) && of(a)? == 0 => 1,
        Expr::Binary(Binary::Mod, a, b) if !is_of_row(b) => both(a, b)?,
        Expr::Binary(Binary::RoundTo, _, b) if !is_of_row(b) => of(b)?,
        Expr::Clamp(a, low, high) => both(a, low)?.saturating_add(of(high)?),
        Expr::If(_, yes, no) => both(yes, no)?,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use probity_kernel::expand::expanded;

    use super::*;
    use crate::logarithms;
    use crate::tableless::tableless;

    /// What a run of a text takes: the fewest turns and bytes that suffice. The list q has four entries.
    fn most(body: &str) -> (u64, u64) {
        let text =
            format!("mechanism m(q: real[], n: int, b: bool)\nd = []\n{body}\nneighbours any\nclaim 1");
        let written =
            probity_lang::load_text(&text).unwrap_or_else(|faults| panic!("{text}: {faults:?}")).mechanism;
        let running = tableless(&logarithms::drawn(expanded(&written))).unwrap().mechanism;
        let length = |name: &Name| (name.as_str() == "q").then_some(4);
        let turns = (0..20_000).find(|turns| within(&running, &length, *turns, u64::MAX).is_ok());
        (turns.unwrap(), bytes(&running, &length))
    }

    #[test]
    fn what_some_run_may_take_counts() {
        let (draw, entry, step) = (DRAW_BYTES, ENTRY_BYTES as u64, STEP_BYTES);
        let append = "append(d, 1)\n";
        for (body, turns, bytes) in [
            ("for i in 0..1000 {\ny ~ laplace(0, 1)\n}\nreturn true".to_owned(), 1000, 1000 * draw),
            ("for i in 3..10 {\nfor j in 0..5 {\ny ~ gaussian(0, 1)\nz ~ exponential(1)\n}\n}\nreturn true".into(), 42, 70 * draw),
            ("k = 100\nfor i in 0..k * k {\nu ~ uniform(0, 1)\n}\nreturn true".into(), 10_000, 10_000 * draw),
            ("for i in 0..10 {\nfor j in i + 1..min(i * i, 7) {\ny ~ laplace(0, 1)\n}\n}\nreturn true".into(), 70, 60 * draw),
            ("for i in 0..9 {\ny ~ discrete_gaussian(0, 1)\n}\nreturn true".into(), 9, 9 * TRIALS_BYTES),
            // Small integers take no memory; those that inputs or other turns decide may be large.
            ("for i in 0..9 {\nk = 2 * i - 7\n}\nreturn true".into(), 9, 0),
            ("for i in 0..9 {\nk = i * 9007199254740992\n}\nreturn true".into(), 9, 9 * step),
            ("for i in 0..9 {\nk = i + n\n}\nreturn true".into(), 9, 9 * step),
            ("k = 0\nfor i in 0..9 {\nk = k + 1\n}\nreturn true".into(), 9, 9 * step),
            ("for i in 0..9 {\nk = if b then q[i] / 3 else 0\n}\nreturn true".into(), 9, 9 * step),
            ("for i in 0..9 {\nk = n mod 7\n}\nreturn true".into(), 9, 9 * ROUNDING_BYTES),
            (format!("for i in 0..9 {{\n{append}{append}}}\nreturn d"), 9, 18 * entry),
            // A list that begins anew in each turn is there once, and once while it is made.
            (format!("for i in 0..9 {{\nd = []\n{append}{append}}}\nreturn d"), 9, 4 * entry),
            (format!("for i in 0..9 {{\n{append}d = []\n}}\nreturn d"), 9, entry),
            // The longer branch, whichever it is.
            (format!("for i in 0..9 {{\nif b {{\n{append}y ~ laplace(0, 1)\n}} else {{\n{append}{append}}}\n}}\nreturn d"), 9, 9 * (draw + 2 * entry)),
            (format!("for i in 0..9 {{\nif b {{\nd = []\n{append}}} else {{\n{append}{append}}}\n}}\nreturn d"), 9, 18 * entry),
            (format!("if b {{\nfor i in 0..9 {{\n{append}}}\n}} else {{\nfor i in 0..7 {{\n{append}}}\n}}\nreturn d"), 9, 9 * entry),
            (format!("for i in 0..9 {{\n{append}}}\nif b {{\nd = []\n}}\nfor i in 0..9 {{\n{append}}}\nreturn d"), 18, 18 * entry),
            // Lengths are known before a run; what else inputs say is not, and such a loop counts once.
            (format!("for i in 0..length(q) {{\n{append}}}\nreturn d"), 4, 4 * entry),
            (format!("for i in 0..n {{\n{append}}}\nreturn d"), 0, entry),
            (format!("k = 9\nk = n\nfor i in 0..k {{\n{append}}}\nreturn d"), 0, entry),
            (format!("w = n\nwhile w > 0 {{\n{append}w = w - 1\n}}\nreturn d"), 0, entry + step + 2 * COMPARISON_BYTES),
            (format!("for i in 5..5 {{\n{append}}}\nfor i in 9..5 {{\n{append}}}\nreturn d"), 0, 0),
        ] {
            assert_eq!(most(&body), (turns, bytes), "{body}");
        }
    }

    /// A loop that turns as often as inputs or draws say, and leaves something in each turn, may end a run for some inputs alone.
    #[test]
    fn what_may_run_out() {
        let may = |inputs: &str, neighbours: &str, body: &str| {
            let text = format!("mechanism m({inputs})\nd = []\n{body}\nneighbours {neighbours}\nclaim 1");
            let written = probity_lang::load_text(&text)
                .unwrap_or_else(|faults| panic!("{text}: {faults:?}"))
                .mechanism;
            may_run_out(&tableless(&logarithms::drawn(expanded(&written))).unwrap().mechanism)
        };
        let append = "append(d, 1)\n";
        for (body, known) in [
            (format!("for i in 0..n {{\n{append}}}\nreturn length(d)"), true),
            ("for i in 0..n {\ny ~ laplace(0, 1)\n}\nreturn b".into(), true),
            ("k = 2\nfor i in 0..n {\nk = k / 3\n}\nreturn b".into(), true),
            ("for i in 0..n {\nfor j in 0..9 {\ny ~ laplace(0, 1)\n}\n}\nreturn b".into(), true),
            // A loop cannot count to every number.
            ("for i in 0..n {\nk = 1\n}\nreturn b".into(), true),
            (format!("w = n\nwhile w > 0 {{\nw = 7\n{append}}}\nreturn b"), true),
            ("w = b\nwhile w {\nw = false\n}\nreturn b".into(), false),
            ("w = b\nwhile w {\nd = []\nw = false\n}\nreturn b".into(), false),
            (format!("w = b\nwhile w {{\nd = []\n{append}w = false\n}}\nreturn b"), false),
            ("w = b\nwhile w {\nz ~ sign()\nw = z > 0\n}\nreturn b".into(), true),
            (format!("for i in 3..length(q) {{\n{append}}}\nreturn length(d)"), false),
            (format!("for i in 3..length(q) {{\nfor j in 0..n {{\n{append}}}\n}}\nreturn length(d)"), true),
            (
                format!("for i in 0..9 {{\n{append}}}\nfor i in 0..length(d) - 1 {{\nk = 1\n}}\nreturn b"),
                false,
            ),
            (
                format!(
                    "for i in 0..9 {{\n{append}}}\nfor i in 0..length(d) {{\ny ~ laplace(0, 1)\n}}\nreturn b"
                ),
                true,
            ),
            (format!("for i in 0..1000 {{\n{append}y ~ laplace(n, 1)\n}}\nreturn d"), false),
        ] {
            assert_eq!(may("q: real[], n: int, b: bool", "any", &body), known, "{body}");
        }
        let sample = |at: usize| format!("s{at} ~ sample(t, 1/2)\nk = count(r in s{at})\n");
        let samples = |count: usize| (0..count).map(sample).collect::<String>() + "return k";
        for (body, known) in [
            ("return count(r in t)".to_owned(), false),
            (samples(1), false),
            (samples(MOST_SAMPLES), false),
            (samples(MOST_SAMPLES + 1), true),
            (
                "for i in 0..9 {\nappend(d, sum(r in t where r.x > y, clamp(r.x, 0, y)))\n}\nreturn d"
                    .to_owned(),
                false,
            ),
            ("return sum(r in t where r.x > y, r.x * y * y) > 0".to_owned(), true),
            ("k = y * y\nreturn sum(r in t where r.x > y, r.x * k) > 0".to_owned(), false),
            ("return sum(r in t where r.x > y, 1 / clamp(r.x, 1, 9)) > 0".to_owned(), true),
            ("return sum(r in t where r.x > y, floor(9 / clamp(r.x, 1, 9))) > 0".to_owned(), false),
            ("return sum(r in t, (r.x + y) / (y + 1)) > 0".to_owned(), true),
            ("return sum(r in t, d[r.x] + y) > 0".to_owned(), true),
            ("return sum(r in t, d[0] + y) > 0".to_owned(), false),
            // The sums of a guard are computed in each turn, and each may leave a number.
            (
                "while sum(r in t where r.x > y, r.x / 3) > 0 {\ny ~ laplace(0, 1)\n}\nreturn y > 0"
                    .to_owned(),
                true,
            ),
        ] {
            let body = format!("y ~ laplace(0, 1)\nappend(d, y)\n{body}");
            assert_eq!(may("t: rows(x: int)", "one row of t is added or removed", &body), known, "{body}");
        }
    }

    /// Numbers that no machine has do not come around to small ones.
    #[test]
    fn nothing_overflows() {
        let nine = "1000000000";
        let loops = format!("for i in 0..{nine} {{\nfor j in 0..{nine} {{\nfor k in 0..{nine} {{\n");
        for inside in ["x = 1", "y ~ laplace(0, 1)", "append(d, 1)"] {
            let text = format!(
                "mechanism m(n: int)\nd = []\n{loops}{inside}\n}}\n}}\n}}\nreturn length(d)\nneighbours any\nclaim 1"
            );
            let written = probity_lang::load_text(&text).unwrap().mechanism;
            let turns = within(&written, &|_| None, MOST_TURNS, u64::MAX);
            assert!(matches!(turns, Err(RunError::TooMuch { turns: Some(_), .. })), "{inside}");
            let memory = within(&written, &|_| None, u64::MAX, u64::MAX - 1);
            assert_eq!(memory.is_ok(), inside == "x = 1", "{inside}");
        }
    }
}
