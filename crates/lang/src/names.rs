//! The names of a file. There is one name space and no shadowing: a name means one thing in the whole file.

pub(crate) mod words;

use std::collections::HashMap;

use probity_kernel::expr::Expr;

use crate::Span;
use crate::syntax::Ident;
use crate::types::Type;

/// What a name stands for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Role {
    /// A private input.
    Input,
    /// A public parameter.
    Param,
    /// A `let`.
    Definition(Definition),
    /// A program variable.
    Variable,
    /// The index of a `for`.
    LoopIndex,
    /// The label of a `while`.
    LoopLabel,
}

/// A defined value, with the definitions that it uses put in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Definition {
    /// The value in terms of the parameters alone.
    pub(crate) value: Expr,
    /// Height of the value as a tree.
    pub(crate) height: usize,
    /// Nodes of the value as a tree; definitions that use each other twice double it each time.
    pub(crate) size: usize,
}

impl Role {
    pub(crate) fn describe(&self) -> &'static str {
        match self {
            Role::Input => "an input",
            Role::Param => "a parameter",
            Role::Definition(_) => "a definition",
            Role::Variable => "a variable",
            Role::LoopIndex => "a loop index",
            Role::LoopLabel => "a loop label",
        }
    }
}

/// A name that is declared.
#[derive(Debug, Clone)]
pub(crate) struct Symbol {
    pub(crate) role: Role,
    pub(crate) ty: Type,
    pub(crate) span: Span,
    /// Whether it was read anywhere.
    pub(crate) used: bool,
    /// Whether it has a value on every path to the statement at hand.
    pub(crate) assigned: bool,
    /// Whether some draw gives it its value.
    pub(crate) drawn: bool,
}

/// All names of a file, and which variables have a value at the place that is being checked.
#[derive(Debug, Default)]
pub(crate) struct Names {
    symbols: HashMap<String, Symbol>,
    /// Variables in the order in which they got a value on the current path.
    journal: Vec<String>,
}

impl Names {
    pub(crate) fn get(&self, name: &str) -> Option<&Symbol> {
        self.symbols.get(name)
    }

    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Symbol> {
        self.symbols.get_mut(name)
    }

    /// Declares a name; returns where it was declared before if it was.
    pub(crate) fn declare(&mut self, name: &Ident, role: Role, ty: Type) -> Result<(), Symbol> {
        if let Some(earlier) = self.symbols.get(&name.text) {
            return Err(earlier.clone());
        }
        let assigned = role != Role::Variable;
        let symbol = Symbol { role, ty, span: name.span, used: false, assigned, drawn: false };
        self.symbols.insert(name.text.clone(), symbol);
        Ok(())
    }

    /// Marks a variable as having a value from here on.
    pub(crate) fn assign(&mut self, name: &str) {
        if let Some(symbol) = self.symbols.get_mut(name)
            && !symbol.assigned
        {
            symbol.assigned = true;
            self.journal.push(name.to_string());
        }
    }

    /// A point on the current path, to come back to with [`Names::undo`].
    pub(crate) fn mark(&self) -> usize {
        self.journal.len()
    }

    /// Forgets the values given since the mark, and returns the names of those variables.
    pub(crate) fn undo(&mut self, mark: usize) -> Vec<String> {
        let since = self.journal.split_off(mark.min(self.journal.len()));
        for name in &since {
            if let Some(symbol) = self.symbols.get_mut(name) {
                symbol.assigned = false;
            }
        }
        since
    }

    /// Starts the bookkeeping of uses anew, before the pass that reports. A definition's use of a parameter is
    /// seen again when the body assigns the definition.
    pub(crate) fn forget_uses(&mut self) {
        for symbol in self.symbols.values_mut() {
            symbol.used = false;
        }
    }

    /// Every name with its symbol, in the order of the text.
    pub(crate) fn in_order(&self) -> Vec<(&str, &Symbol)> {
        let mut all: Vec<_> = self.symbols.iter().map(|(name, symbol)| (name.as_str(), symbol)).collect();
        all.sort_by_key(|(name, symbol)| (symbol.span, *name));
        all
    }

    /// A name beginning with `stem` that is not declared, or that an earlier pass made for the same place.
    pub(crate) fn fresh(&self, stem: &str, place: Span) -> String {
        let mut name = stem.to_string();
        let taken = |s: &Symbol| !matches!(s.role, Role::LoopIndex | Role::Variable) || s.span != place;
        while self.symbols.get(&name).is_some_and(taken) {
            name.push('_');
        }
        name
    }

    /// The declared name nearest to a misspelt one.
    pub(crate) fn nearest(&self, wrong: &str) -> Option<String> {
        // A person's file has few names; a hostile one could make this search slow.
        const MOST: usize = 500;
        if self.symbols.len() > MOST {
            return None;
        }
        nearest(wrong, self.in_order().iter().map(|(name, _)| *name)).map(str::to_string)
    }
}

/// The candidate within a third of the letters of `wrong`, if there is one.
pub fn nearest<'a>(wrong: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = (wrong.len() / 3).max(1);
    candidates
        .map(|candidate| (distance(wrong, candidate), candidate))
        .filter(|(d, candidate)| *d <= allowed && *d < candidate.len().max(wrong.len()))
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many letters must be put in, left out, replaced or swapped with a neighbour to get from one to the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    // Names longer than the language allows are at fault already.
    if a.len().max(b.len()) > crate::lexer::MAX_NAME {
        return usize::MAX;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (a, b, d) in [
            ("", "", 0),
            ("eps", "esp", 1),
            ("laplace", "lapalce", 1),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(a, b), d, "{a} {b}");
            assert_eq!(distance(b, a), d, "{b} {a}");
        }
    }

    #[test]
    fn suggestions_are_near_or_absent() {
        let names = ["threshold", "count", "x"];
        assert_eq!(nearest("treshold", names.into_iter()), Some("threshold"));
        assert_eq!(nearest("conut", names.into_iter()), Some("count"));
        assert_eq!(nearest("zzz", names.into_iter()), None);
        assert_eq!(nearest("y", names.into_iter()), None);
    }
}
