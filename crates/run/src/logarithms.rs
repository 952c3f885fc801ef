//! Logarithms of uniform draws, as what they are: −ln U is exponential noise. Where a text reads a uniform draw as `ln(u)` only, it runs with an
//! exponential draw in its place, so that `-ln(-ln(u))`, which is Gumbel noise, is the logarithm of a draw, and its comparisons have normal
//! forms (`lazy::normal`). U is 0 with probability 0, so what `ln` is there does not matter.

use std::collections::BTreeMap;

use probity_kernel::expr::{Expr, Name, Unary, Variable};
use probity_kernel::law;
use probity_kernel::term::{Distribution, Mechanism, Statement};

/// The mechanism with exponential draws in the place of uniform ones that it reads through logarithms alone.
pub(crate) fn drawn(mechanism: Mechanism) -> Mechanism {
    let mut uses = Uses::default();
    uses.block(&mechanism.body);
    uses.expression(&mechanism.output);
    mechanism.assumptions.iter().for_each(|assumption| uses.expression(assumption));
    uses.0.retain(|_, only_logarithms| *only_logarithms);
    if uses.0.is_empty() {
        return mechanism;
    }
    Mechanism { body: uses.rewritten(&mechanism.body), output: uses.replaced(&mechanism.output), ..mechanism }
}

/// Variables that are drawn uniformly or set otherwise, and whether they are only drawn uniformly and read through logarithms.
#[derive(Default)]
struct Uses(BTreeMap<Name, bool>);

/// The variable of which an expression is the logarithm.
fn under_logarithm(e: &Expr) -> Option<&Name> {
    match e {
        Expr::Unary(Unary::Ln, inner) => match &**inner {
            Expr::Var(Variable::Plain(name)) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

impl Uses {
    fn other(&mut self, name: &Name) {
        self.0.insert(name.clone(), false);
    }

    fn expression(&mut self, e: &Expr) {
        if under_logarithm(e).is_some() {
            return;
        }
        match e {
            Expr::Var(Variable::Plain(name)) => self.other(name),
            _ => e.parts().into_iter().flatten().for_each(|part| self.expression(part)),
        }
    }

    fn block(&mut self, body: &[Statement]) {
        for statement in body {
            match statement {
                Statement::Draw { var, law: Distribution::Uniform } => {
                    self.0.entry(var.clone()).or_insert(true);
                }
                Statement::Draw { var, law } => {
                    self.other(var);
                    law::parameters(law).into_iter().for_each(|parameter| self.expression(parameter));
                }
                Statement::Assign { var, value } => {
                    self.other(var);
                    self.expression(value);
                }
                Statement::Append { list, value } => {
                    self.other(list);
                    self.expression(value);
                }
                Statement::If { guard, then, otherwise } => {
                    self.expression(guard);
                    self.block(then);
                    self.block(otherwise);
                }
                Statement::For { index, from, to, body } => {
                    self.other(index);
                    self.expression(from);
                    self.expression(to);
                    self.block(body);
                }
                Statement::While { guard, body, .. } => {
                    self.expression(guard);
                    self.block(body);
                }
            }
        }
    }

    fn is_drawn(&self, name: &Name) -> bool {
        self.0.contains_key(name)
    }

    fn replaced(&self, e: &Expr) -> Expr {
        match under_logarithm(e) {
            Some(name) if self.is_drawn(name) => -Expr::var(name.clone()),
            _ => e.map_parts(&mut |part| self.replaced(part)),
        }
    }

    fn rewritten(&self, body: &[Statement]) -> Vec<Statement> {
        let of = |e: &Expr| self.replaced(e);
        let rewrite = |statement: &Statement| match statement {
            Statement::Draw { var, law: Distribution::Uniform } if self.is_drawn(var) => {
                Statement::Draw { var: var.clone(), law: Distribution::Exponential { scale: Expr::int(1) } }
            }
            Statement::Draw { var, law } => Statement::Draw { var: var.clone(), law: law::map(law, &of) },
            Statement::Assign { var, value } => Statement::Assign { var: var.clone(), value: of(value) },
            Statement::Append { list, value } => Statement::Append { list: list.clone(), value: of(value) },
            Statement::If { guard, then, otherwise } => Statement::If {
                guard: of(guard),
                then: self.rewritten(then),
                otherwise: self.rewritten(otherwise),
            },
            Statement::For { index, from, to, body } => Statement::For {
                index: index.clone(),
                from: of(from),
                to: of(to),
                body: self.rewritten(body),
            },
            Statement::While { label, guard, body } => {
                Statement::While { label: label.clone(), guard: of(guard), body: self.rewritten(body) }
            }
        };
        body.iter().map(rewrite).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(body: &str) -> String {
        let text = format!("mechanism m(x: real)\n{body}\nneighbours any\nclaim 1\n");
        let mechanism = probity_lang::load_text(&text).unwrap().mechanism;
        let mechanism = drawn(mechanism);
        let shown: Vec<String> = mechanism.body.iter().map(Statement::to_string).collect();
        format!("{}; {}", shown.join("; "), mechanism.output)
    }

    #[test]
    fn a_draw_that_is_read_through_logarithms_is_exponential() {
        let gumbel = "u ~ uniform(0, 1)\ng = -ln(-ln(u))\nreturn g > x";
        assert_eq!(of(gumbel), "u ~ exponential(1)\n; g = -ln(-(-u))\n; g > x");
    }

    /// Any other use of the draw, and any other value of its variable, leaves it as it is.
    #[test]
    fn a_draw_that_is_read_otherwise_stays() {
        for body in [
            "u ~ uniform(0, 1)\ny = ln(u)\nreturn u > x",
            "u ~ uniform(0, 1)\ny = ln(u)\nreturn y > u",
            "u ~ uniform(0, 1)\ny ~ laplace(u, 1)\nreturn y > ln(u)",
            "u ~ uniform(0, 1)\ny = ln(2 * u)\nreturn y > ln(u)",
            "u ~ uniform(0, 1)\nif u > 1/2 {\n  u = 1/2\n}\nreturn ln(u) > x",
            "u ~ uniform(0, 1)\nif x > 1/2 {\n  u = 1/2\n}\nreturn ln(u) > x",
            "u ~ uniform(0, 1)\nif x > 1/2 {\n  u ~ laplace(0, 1)\n}\nreturn ln(u) > x",
        ] {
            let found = of(body);
            assert!(!found.contains("exponential"), "{found}");
        }
    }
}
