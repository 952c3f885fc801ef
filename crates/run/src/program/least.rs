//! What every run of a text takes at least: turns of loops, and memory for draws and lists. A text that takes more than there is has no answer for any
//! inputs, and says so before it is paid for and before anything is drawn.
//!
//! Only what is certain counts: loops from a number to a number, in which lists begin anew or grow by as much in each turn. Of the others nothing is known
//! here; a run that takes too much for them ends when it does (`machine`).

use std::collections::BTreeMap;

use probity_exact::Rational;
use probity_kernel::expr::{Expr, Name, Variable};
use probity_kernel::term::{Distribution, Mechanism, Statement};

use super::compile::constant_value;
use super::machine::{ENTRY_BYTES, MOST_BYTES};
use crate::error::RunError;
use crate::lazy::tape::DRAW_BYTES;

/// Turns of all loops together, each some nanoseconds: minutes.
pub(crate) const MOST_TURNS: u64 = 1 << 34;

/// Fails if every run takes more turns or more memory than there may be.
pub(crate) fn check(mechanism: &Mechanism) -> Result<(), RunError> {
    within(mechanism, MOST_TURNS, MOST_BYTES as u64)
}

fn within(mechanism: &Mechanism, turns: u64, bytes: u64) -> Result<(), RunError> {
    let mut walk = Walk { turns, bytes, fixed: BTreeMap::new(), assigned: BTreeMap::new() };
    walk.count_assignments(&mechanism.body);
    walk.block(&mechanism.body, true).map(drop)
}

/// What a block does to a list: it grows, or is made anew.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
struct Growth {
    is_new: bool,
    /// By how many entries it grows, or how many it has.
    least: u64,
}

/// What a block takes at least.
#[derive(Clone, Default)]
struct Least {
    turns: u64,
    /// Draws that are kept until the run ends.
    draws: u64,
    lists: BTreeMap<Name, Growth>,
}

impl Least {
    fn bytes(&self) -> u64 {
        let entries = self.lists.values().fold(0u64, |all, list| all.saturating_add(list.least));
        let draws = self.draws.saturating_mul(DRAW_BYTES as u64);
        draws.saturating_add(entries.saturating_mul(ENTRY_BYTES as u64))
    }

    /// This, and then the other.
    fn then(&mut self, next: Least) {
        self.turns = self.turns.saturating_add(next.turns);
        self.draws = self.draws.saturating_add(next.draws);
        for (name, growth) in next.lists {
            let list = self.lists.entry(name).or_default();
            *list = match growth.is_new {
                true => growth,
                false => Growth { least: list.least.saturating_add(growth.least), ..*list },
            };
        }
    }

    /// This as often as a number says, which is not 0.
    fn repeated(self, times: u64) -> Least {
        let grown = |list: Growth| match list.is_new {
            true => list,
            false => Growth { least: list.least.saturating_mul(times), ..list },
        };
        Least {
            turns: self.turns.saturating_add(1).saturating_mul(times),
            draws: self.draws.saturating_mul(times),
            lists: self.lists.into_iter().map(|(name, list)| (name, grown(list))).collect(),
        }
    }

    /// This or the other.
    fn or(mut self, other: Least) -> Least {
        let names: Vec<Name> = self.lists.keys().chain(other.lists.keys()).cloned().collect();
        for name in names {
            let at = |lists: &BTreeMap<Name, Growth>| lists.get(&name).copied().unwrap_or_default();
            let (one, another) = (at(&self.lists), at(&other.lists));
            let growth = Growth { is_new: one.is_new || another.is_new, least: one.least.min(another.least) };
            self.lists.insert(name, growth);
        }
        Least { turns: self.turns.min(other.turns), draws: self.draws.min(other.draws), ..self }
    }
}

struct Walk {
    turns: u64,
    bytes: u64,
    /// Variables that are set once, outside of loops and branches, to a number.
    fixed: BTreeMap<Name, Rational>,
    assigned: BTreeMap<Name, usize>,
}

impl Walk {
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

    /// The number that an expression is, if the text says.
    fn number(&self, e: &Expr) -> Option<Rational> {
        let known = |variable: &Variable| match variable {
            Variable::Plain(name) => self.fixed.get(name).cloned().map(Expr::Number),
            _ => None,
        };
        constant_value(&e.replace(&known)).0
    }

    /// How often a loop turns, if the text says.
    fn turns(&self, from: &Expr, to: &Expr) -> Option<u64> {
        let turns = (self.number(to)? - self.number(from)?).floor();
        Some(u64::try_from(turns.max(0.into())).unwrap_or(u64::MAX))
    }

    /// What a block takes; `certain` where every run comes there.
    fn block(&mut self, body: &[Statement], certain: bool) -> Result<Least, RunError> {
        let mut all = Least::default();
        for statement in body {
            let next = self.statement(statement, certain)?;
            all.then(next);
            if certain && (all.turns > self.turns || all.bytes() > self.bytes) {
                let text = statement.to_string();
                let statement = text.lines().next().unwrap_or_default().to_owned();
                let turns = (all.turns > self.turns).then_some(all.turns);
                return Err(RunError::TooMuch { statement, turns });
            }
        }
        Ok(all)
    }

    fn statement(&mut self, statement: &Statement, certain: bool) -> Result<Least, RunError> {
        let mut least = Least::default();
        match statement {
            // The others may come to numbers that take no memory.
            Statement::Draw {
                law:
                    Distribution::Laplace { .. }
                    | Distribution::Exponential { .. }
                    | Distribution::Gaussian { .. }
                    | Distribution::Uniform,
                ..
            } => least.draws = 1,
            Statement::Draw { .. } => {}
            Statement::Assign { var, value } => {
                least.lists.insert(var.clone(), Growth { is_new: true, least: 0 });
                if certain
                    && self.assigned.get(var) == Some(&1)
                    && let Some(value) = self.number(value)
                {
                    self.fixed.insert(var.clone(), value);
                }
            }
            Statement::Append { list, .. } => {
                least.lists.insert(list.clone(), Growth { is_new: false, least: 1 });
            }
            Statement::If { then, otherwise, .. } => {
                least = self.block(then, false)?.or(self.block(otherwise, false)?);
            }
            Statement::For { from, to, body, .. } => match self.turns(from, to) {
                Some(0) => {}
                Some(turns) => least = self.block(body, certain)?.repeated(turns),
                None => least = self.block(body, false)?.or(Least::default()),
            },
            Statement::While { body, .. } => least = self.block(body, false)?.or(Least::default()),
        }
        Ok(least)
    }
}

#[cfg(test)]
mod tests {
    use probity_kernel::expand::expanded;

    use super::*;
    use crate::logarithms;
    use crate::tableless::tableless;

    /// What every run of a text takes: the fewest turns and bytes of which it is certain, found by asking.
    fn least(body: &str) -> (u64, u64) {
        let text =
            format!("mechanism m(q: real[], n: int, b: bool)\nd = []\n{body}\nneighbours any\nclaim 1");
        let written =
            probity_lang::load_text(&text).unwrap_or_else(|faults| panic!("{text}: {faults:?}")).mechanism;
        let running = tableless(&logarithms::drawn(expanded(&written))).unwrap().mechanism;
        let most = |fits: &dyn Fn(u64) -> bool| {
            let (mut low, mut high) = (0, 1 << 40);
            while low < high {
                let middle = (low + high) / 2;
                if fits(middle) { high = middle } else { low = middle + 1 }
            }
            low
        };
        let turns = most(&|turns| within(&running, turns, u64::MAX).is_ok());
        (turns, most(&|bytes| within(&running, u64::MAX, bytes).is_ok()))
    }

    #[test]
    fn what_is_certain_counts() {
        let (draw, entry) = (DRAW_BYTES as u64, ENTRY_BYTES as u64);
        let append = "append(d, 1)\n";
        for (body, turns, bytes) in [
            ("for i in 0..1000 {\ny ~ laplace(0, 1)\n}\nreturn true".to_owned(), 1000, 1000 * draw),
            ("for i in 3..10 {\nfor j in 0..5 {\ny ~ gaussian(0, 1)\nz ~ exponential(1)\n}\n}\nreturn true".into(), 42, 70 * draw),
            ("k = 100\nfor i in 0..k * k {\nu ~ uniform(0, 1)\n}\nreturn true".into(), 10_000, 10_000 * draw),
            // Numbers that take no memory.
            ("for i in 0..9 {\ny ~ discrete_laplace(0, 1)\nz ~ bernoulli(1/2)\n}\nreturn true".into(), 9, 0),
            (format!("for i in 0..9 {{\n{append}{append}}}\nreturn d"), 9, 18 * entry),
            // A list that begins anew in each turn has what the last one made.
            (format!("for i in 0..9 {{\nd = []\n{append}{append}}}\nreturn d"), 9, 2 * entry),
            (format!("for i in 0..9 {{\n{append}d = []\n}}\nreturn d"), 9, entry),
            // The shorter branch, whichever it is.
            (format!("for i in 0..9 {{\nif b {{\n{append}y ~ laplace(0, 1)\n}} else {{\n{append}{append}}}\n}}\nreturn d"), 9, 9 * entry),
            (format!("for i in 0..9 {{\nif b {{\n{append}}}\n}}\nreturn d"), 9, 0),
            (format!("if b {{\nfor i in 0..9 {{\n{append}}}\n}} else {{\nfor i in 0..7 {{\n{append}}}\n}}\nreturn d"), 7, 7 * entry),
            (format!("for i in 0..9 {{\n{append}}}\nif b {{\nd = []\n{append}}}\nfor i in 0..9 {{\n{append}}}\nreturn d"), 18, 9 * entry),
            // How long these are, inputs and draws say.
            (format!("for i in 0..n {{\n{append}}}\nfor i in 0..length(q) {{\nfor j in 0..9 {{\n{append}}}\n}}\nreturn d"), 0, 0),
            (format!("for i in 0..9 {{\nfor j in i..9 {{\n{append}}}\n}}\nreturn d"), 9, 0),
            (format!("k = 9\nk = n\nfor i in 0..k {{\n{append}}}\nreturn d"), 0, 0),
            (format!("k = n\nif b {{\nk = 9\n}}\nfor i in 0..k {{\n{append}}}\nreturn d"), 0, 0),
            (format!("w = n\nwhile w > 0 {{\n{append}d = []\nw = w - 1\n}}\nreturn d"), 0, 0),
            (format!("for i in 5..5 {{\n{append}}}\nfor i in 9..5 {{\n{append}}}\nreturn d"), 0, 0),
        ] {
            assert_eq!(least(&body), (turns, bytes), "{body}");
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
            let turns = within(&written, MOST_TURNS, u64::MAX);
            assert!(matches!(turns, Err(RunError::TooMuch { turns: Some(_), .. })), "{inside}");
            let memory = within(&written, u64::MAX, u64::MAX - 1);
            assert_eq!(memory.is_ok(), inside == "x = 1", "{inside}");
        }
    }
}
