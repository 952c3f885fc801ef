//! What a run of a text takes at most, whatever its inputs: turns of loops, and memory for numbers, draws and lists. A text that may take more than there is
//! is refused for all inputs, before it is paid for and before anything is drawn: else a run would end without an answer for some inputs alone, and
//! tell of them.
//!
//! Loops count whose bounds are numbers, the indices of other loops, or lengths of input lists, which are known before a run and are the same for
//! neighbours. How often others turn (over rows, and as long as something holds) is not known here; a run that takes too much for them
//! ends when it does (`machine`).

use std::collections::BTreeMap;

use probity_exact::{Integer, Rational};
use probity_kernel::expr::{Binary, Expr, Name, Unary, Variable};
use probity_kernel::law;
use probity_kernel::term::{Distribution, Mechanism, Statement};

use super::code::Relation;
use super::compile::constant_value;
use super::machine::{ENTRY_BYTES, MOST_BYTES};
use crate::error::RunError;

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

/// Integers up to this size are doubles, and take no memory.
const LARGEST: i64 = 1 << 53;

/// Fails if a run may take more turns or more memory than there are. `length` says how long input lists are, where that is known.
pub(crate) fn check(mechanism: &Mechanism, length: &dyn Fn(&Name) -> Option<usize>) -> Result<(), RunError> {
    within(mechanism, length, MOST_TURNS, MOST_BYTES as u64)
}

fn within(
    mechanism: &Mechanism,
    length: &dyn Fn(&Name) -> Option<usize>,
    turns: u64,
    bytes: u64,
) -> Result<(), RunError> {
    let mut walk = Walk { length, turns, bytes, ranges: BTreeMap::new(), assigned: BTreeMap::new() };
    walk.count_assignments(&mechanism.body);
    walk.block(&mechanism.body).map(drop)
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
}

impl Walk<'_> {
    fn count_assignments(&mut self, body: &[Statement]) {
        for statement in body {
            match statement {
                Statement::Draw { var: name, .. }
                | Statement::Assign { var: name, .. }
                | Statement::Append { list: name, .. } => {
                    *self.assigned.entry(name.clone()).or_insert(0) += 1;
                }
                Statement::If { then, otherwise, .. } => {
                    self.count_assignments(then);
                    self.count_assignments(otherwise);
                }
                Statement::For { index, body, .. } => {
                    *self.assigned.entry(index.clone()).or_insert(0) += 1;
                    self.count_assignments(body);
                }
                Statement::While { body, .. } => self.count_assignments(body),
            }
        }
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
                let Some(((low, _), (_, high))) = self.range(from).zip(self.range(to)) else {
                    return Ok(bounds.then(self.block(body)?.or(Most::default())));
                };
                if low >= high {
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
                guard.clone().then(self.block(body)?.or(Most::default())).then(guard)
            }
        })
    }
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
