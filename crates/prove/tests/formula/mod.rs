//! Evaluates the formulas of the case table, as they are printed, with machine numbers.

use std::collections::HashMap;

use probity_exact::directed::exp_nearest;

/// What the letters stand for.
pub struct Values(HashMap<&'static str, f64>);

impl Values {
    pub fn new(known: &[(&'static str, f64)]) -> Values {
        Values(known.iter().copied().collect())
    }

    /// The value of `formula` or of `formula, where letter = formula[, …]`; what follows `≤` is a remark.
    pub fn evaluate(&mut self, text: &str) -> f64 {
        let (formula, condition) = text.split_once(", where ").unwrap_or((text, ""));
        if let Some((letter, definition)) = condition.split_once(" = ") {
            let definition = definition.split(", ").next().unwrap().split(" ≤ ").next().unwrap();
            let value = self.evaluate(definition);
            let letter = ["t", "q"].into_iter().find(|known| *known == letter).unwrap();
            self.0.insert(letter, value);
        }
        let mut reader = Reader { values: &self.0, rest: formula };
        let value = reader.sum();
        assert!(reader.rest.is_empty(), "'{}' is left of '{formula}'", reader.rest);
        value
    }
}

struct Reader<'a> {
    values: &'a HashMap<&'static str, f64>,
    rest: &'a str,
}

impl Reader<'_> {
    fn take(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start();
        match rest.strip_prefix(token) {
            Some(after) => {
                self.rest = after;
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> f64 {
        let mut value = if self.take("−") { -self.product() } else { self.product() };
        loop {
            if self.take("+") {
                value += self.product();
            } else if self.take("−") {
                value -= self.product();
            } else {
                return value;
            }
        }
    }

    fn product(&mut self) -> f64 {
        let mut value = self.factor().unwrap_or_else(|| panic!("no factor at '{}'", self.rest));
        loop {
            if self.take("·") {
                value *= self.factor().unwrap();
            } else if self.take("/") {
                value /= self.factor().unwrap();
            } else if let Some(next) = self.factor() {
                // Side by side: εΛ, ε(…), 2x.
                value *= next;
            } else {
                return value;
            }
        }
    }

    fn bracket(&mut self) -> f64 {
        let value = self.sum();
        assert!(self.take(")"), "no ) at '{}'", self.rest);
        value
    }

    fn factor(&mut self) -> Option<f64> {
        for (name, function) in
            [("sinh(", f64::sinh as fn(f64) -> f64), ("cosh(", f64::cosh), ("e^(", exp_nearest)]
        {
            if self.take(name) {
                return Some(function(self.bracket()));
            }
        }
        if self.take("e^") {
            return self.letter().map(exp_nearest);
        }
        if self.take("½") {
            return Some(0.5);
        }
        if let Some(letter) = self.letter() {
            return Some(letter);
        }
        if self.take("(") {
            return Some(self.bracket());
        }
        ["1", "2"].into_iter().find(|digit| self.take(digit)).map(|digit| digit.parse().unwrap())
    }

    fn letter(&mut self) -> Option<f64> {
        let mut names: Vec<&'static str> = self.values.keys().copied().collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        let name = names.into_iter().find(|name| self.take(name))?;
        self.values.get(name).copied()
    }
}
