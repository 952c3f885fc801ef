//! Whether the number of draws of a run is public: whoever sees it learns nothing of the inputs.
//!
//! A sample tosses a coin for each row, and a branch on an input may draw where the other one does not: such a number tells of the inputs, and no
//! theorem covers it. It is public where the text, its parameters and the lengths of its input lists, which neighbours share, decide it.

use std::collections::{BTreeMap, BTreeSet};

use probity_kernel::expr::{Expr, Name, Variable};
use probity_kernel::term::{Input, Mechanism, Statement};

use super::assigned::assigned;

/// How often a block draws, as a function of what is public.
#[derive(PartialEq, Default)]
struct Count {
    here: u64,
    /// Loops and branches in their order, with their public bounds and conditions.
    inside: Vec<(Vec<Expr>, Vec<Count>)>,
}

/// Whether the number of draws depends on nothing but parameters and the lengths of these lists. The mechanism has no tables: what stands in their
/// place is private.
pub(crate) fn is_public(mechanism: &Mechanism, inputs: &[Input]) -> bool {
    let lists = inputs.iter().map(|input| input.name.clone()).collect();
    let mut known = Known { lists, assigned: assigned(&mechanism.body), ..Known::default() };
    known.block(&mechanism.body).is_some()
}

#[derive(Default)]
struct Known {
    lists: BTreeSet<Name>,
    assigned: BTreeMap<Name, usize>,
    /// Indices of loops with public bounds, and variables that are set once, to something public. They are set before they are read.
    public: BTreeSet<Name>,
}

impl Known {
    fn is_set_once(&self, name: &Name) -> bool {
        self.assigned.get(name) == Some(&1)
    }

    fn is_public(&self, e: &Expr) -> bool {
        match e {
            Expr::Number(_) | Expr::Bool(_) => true,
            Expr::Length(Variable::Plain(name)) => {
                self.lists.contains(name) && !self.assigned.contains_key(name)
            }
            Expr::Var(Variable::Plain(name)) => self.public.contains(name),
            Expr::Unary(..) | Expr::Binary(..) | Expr::Clamp(..) | Expr::If(..) => {
                e.parts().into_iter().flatten().all(|part| self.is_public(part))
            }
            _ => false,
        }
    }

    /// `None` where something private decides how often a block draws.
    fn block(&mut self, body: &[Statement]) -> Option<Count> {
        let mut count = Count::default();
        for statement in body {
            match statement {
                Statement::Draw { .. } => count.here += 1,
                Statement::Assign { var, value } => {
                    if self.is_set_once(var) && self.is_public(value) {
                        self.public.insert(var.clone());
                    }
                }
                Statement::Append { .. } => {}
                Statement::If { guard, then, otherwise } => {
                    let (then, otherwise) = (self.block(then)?, self.block(otherwise)?);
                    if then == otherwise {
                        count.here += then.here;
                        count.inside.extend(then.inside);
                    } else if self.is_public(guard) {
                        count.inside.push((vec![guard.clone()], vec![then, otherwise]));
                    } else {
                        return None;
                    }
                }
                Statement::For { index, from, to, body } => {
                    let has_public_bounds = self.is_public(from) && self.is_public(to);
                    if has_public_bounds && self.is_set_once(index) {
                        self.public.insert(index.clone());
                    }
                    let body = self.block(body)?;
                    match body == Count::default() {
                        true => {}
                        false if has_public_bounds => {
                            let bounds = vec![Expr::var(index.clone()), from.clone(), to.clone()];
                            count.inside.push((bounds, vec![body]));
                        }
                        false => return None,
                    }
                }
                Statement::While { body, .. } => {
                    if self.block(body)? != Count::default() {
                        return None;
                    }
                }
            }
        }
        Some(count)
    }
}

#[cfg(test)]
mod tests {
    use probity_kernel::expand::expanded;

    use super::*;
    use crate::tableless::tableless;

    fn is_public_of(text: &str) -> bool {
        let text = format!("mechanism m{text}\nneighbours any\nclaim 1\n");
        let text = text.replace(
            "any\n",
            if text.contains("rows") { "one row of t is added or removed\n" } else { "any\n" },
        );
        let written =
            probity_lang::load_text(&text).unwrap_or_else(|faults| panic!("{text}: {faults:?}")).mechanism;
        let running = tableless(&expanded(&written)).unwrap();
        is_public(&running.mechanism, &written.inputs)
    }

    #[test]
    fn what_the_text_and_lengths_decide_is_public() {
        for text in [
            "(x: real)\ny ~ laplace(x, 1)\nreturn y",
            "(q: real[])\nout = []\nfor i in 0..length(q) {\ny ~ laplace(q[i], 1)\nappend(out, y)\n}\nreturn out",
            "(q: real[])\nk = length(q) + 2\nout = []\nfor i in 0..k {\nfor j in i..k {\ny ~ laplace(q[i], 1)\nappend(out, y)\n}\n}\nreturn out",
            "(b: bool)\nif b {\ny ~ bernoulli(3/4)\n} else {\ny ~ bernoulli(1/4)\n}\nreturn y",
            "(b: bool, q: real[])\nout = []\nfor i in 0..length(q) {\nif i == 0 {\ny ~ laplace(q[i], 1)\nappend(out, y)\n}\n}\nreturn out",
            "(q: real[], x: real)\ns = 0\nfor i in 0..length(q) {\nif q[i] > x {\ns = s + 1\n}\n}\ny ~ laplace(s, 1)\nreturn y",
            "(t: rows(v: real))\ny ~ laplace(sum(r in t, clamp(r.v, 0, 1)), 1)\nz ~ laplace(sum(r in t where r.v > y, 1), 1)\nreturn z",
            "(x: int)\nn = x\nwhile n > 0 as w {\nn = n - 1\n}\ny ~ discrete_laplace(n, 1)\nreturn y",
        ] {
            assert!(is_public_of(text), "{text}");
        }
    }

    #[test]
    fn what_inputs_and_draws_decide_is_not() {
        for text in [
            "(t: rows(v: int))\ns ~ sample(t, 1/2)\ny ~ laplace(count(r in s), 1)\nreturn y",
            "(b: bool)\nif b {\n_z ~ bernoulli(1/2)\ny ~ bernoulli(3/4)\n} else {\ny ~ bernoulli(1/4)\n}\nreturn y",
            "(n: int)\ns = 0\nfor i in 0..n {\ny ~ laplace(0, 1)\ns = s + y\n}\nreturn s > 0",
            "(n: int)\nk = n\ns = 0\nfor i in 0..k {\ny ~ laplace(0, 1)\ns = s + y\n}\nreturn s > 0",
            "(q: int[])\ns = 0\nfor i in 0..length(q) {\nfor j in 0..q[i] {\ny ~ laplace(0, 1)\ns = s + y\n}\n}\nreturn s > 0",
            "(q: real[])\nout = []\nfor i in 0..length(q) {\nif q[i] > 0 {\nappend(out, 1)\n}\n}\ns = 0\nfor j in 0..length(out) {\ny ~ laplace(0, 1)\ns = s + y\n}\nreturn s > 0",
            "(b: bool)\nk = 1\nif b {\nk = 2\n}\ns = 0\nfor i in 0..k {\ny ~ laplace(0, 1)\ns = s + y\n}\nreturn s > 0",
            "(b: bool)\ns = 0\nif b {\nfor i in 0..2 {\ny ~ laplace(0, 1)\ns = s + y\n}\n} else {\nfor i in 0..3 {\ny ~ laplace(0, 1)\ns = s + y\n}\n}\nreturn s > 0",
            "(x: real)\ny ~ laplace(x, 1)\nwhile y > 1 as w {\ny ~ laplace(x, 1)\n}\nreturn y > 0",
            "(b: bool)\nk = 0\nif b {\nj = 2\nk = j\n}\ns = 0\nfor i in 0..k {\ny ~ laplace(0, 1)\ns = s + y\n}\nreturn s > 0",
            "(x: real)\ny ~ laplace(x, 1)\nif y > 1 {\nz ~ laplace(x, 1)\n} else {\nz = 0\n}\nreturn z > 0",
        ] {
            assert!(!is_public_of(text), "{text}");
        }
    }

    /// A list that is not an input may be of rows.
    #[test]
    fn lengths_are_those_of_input_lists() {
        let text = "mechanism m(q: real[])\nout = []\nfor i in 0..length(q) {\ny ~ laplace(q[i], 1)\nappend(out, y)\n}\nreturn out\nneighbours any\nclaim 1";
        let mechanism = probity_lang::load_text(text).unwrap().mechanism;
        assert!(is_public(&mechanism, &mechanism.inputs) && !is_public(&mechanism, &[]));
    }
}
