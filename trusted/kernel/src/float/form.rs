//! Section 1 of the proof, read off a mechanism: which of its expressions are the noise, the grid and the clamp.
//!
//! Everything is matched exactly as it is written, after variables are replaced by what was assigned to them. What may hold
//! for other reasons than these is refused. A [`Form`] is symbolic; `recognise.rs` reads it as numbers of a format.

use std::collections::BTreeMap;

use super::rejection::Rejection;
use crate::expr::{Binary, Expr, Name, Run, Unary, Variable};
use crate::term::{Adjacency, Distribution, Mechanism, Sort, Statement};

/// A variable whose value has more parts than this is refused.
const LARGEST_VALUE: usize = 10_000;

/// Noise that is scaled more often than this is refused.
const MOST_STEPS: usize = 16;

/// A scaling of the noise by an expression of parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Whether the noise is divided by it, or multiplied.
    pub divides: bool,
    /// What the noise is scaled by.
    pub constant: Expr,
}

/// clamp(round_to(x + z, grid), low, high), with x clamped first or not, and z a sign times ln(u), scaled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Form {
    /// x, the only input.
    pub input: Name,
    /// The lower end of the clamp.
    pub low: Expr,
    /// The upper end of the clamp.
    pub high: Expr,
    /// What the sum is rounded to multiples of.
    pub grid: Expr,
    /// Between what x is clamped first.
    pub clamped_input: Option<(Expr, Expr)>,
    /// What ln(u) is scaled by, in the order in which it is computed.
    pub steps: Vec<Step>,
    /// Whether z stands with a minus. The sign is fair, so its law does not tell.
    pub is_negated: bool,
}

impl Form {
    /// Reads a mechanism in which these names stand for these values.
    pub fn read(mechanism: &Mechanism, known: BTreeMap<Name, Expr>) -> Result<Form, Rejection> {
        let [input] = mechanism.inputs.as_slice() else { return Err(Rejection::Inputs) };
        if input.sort != Sort::Real {
            return Err(Rejection::Inputs);
        }
        let mut reader = Reader { input: &input.name, values: known, uniform: None, sign: None };
        for statement in &mechanism.body {
            reader.statement(statement)?;
        }
        reader.form(&reader.inlined(&mechanism.output))
    }
}

/// c, if |x' − x| ≤ c is all that makes neighbours.
pub fn distance<'a>(mechanism: &'a Mechanism, input: &Name) -> Result<&'a Expr, Rejection> {
    let other = || Rejection::Adjacency { input: input.to_string() };
    let [Adjacency::Related(relation)] = mechanism.adjacency.as_slice() else { return Err(other()) };
    let (distance, limit) = match relation {
        Expr::Binary(Binary::Le | Binary::Lt, left, right) => (left, right),
        Expr::Binary(Binary::Ge | Binary::Gt, left, right) => (right, left),
        _ => return Err(other()),
    };
    let Expr::Unary(Unary::Abs, inner) = distance.as_ref() else { return Err(other()) };
    let Expr::Binary(Binary::Sub, first, second) = inner.as_ref() else { return Err(other()) };
    let run = |x: &Expr| match x {
        Expr::Var(Variable::Of(name, run)) if name == input => Some(*run),
        _ => None,
    };
    match (run(first), run(second)) {
        (Some(Run::First), Some(Run::Second)) | (Some(Run::Second), Some(Run::First)) => Ok(limit),
        _ => Err(other()),
    }
}

/// Whether an expression is this variable.
pub(super) fn is(expr: &Expr, name: &Name) -> bool {
    matches!(expr, Expr::Var(Variable::Plain(found)) if found == name)
}

struct Reader<'a> {
    input: &'a Name,
    /// What variables stand for, in terms of parameters, the input and the draws.
    values: BTreeMap<Name, Expr>,
    uniform: Option<Name>,
    sign: Option<Name>,
}

impl Reader<'_> {
    fn statement(&mut self, statement: &Statement) -> Result<(), Rejection> {
        match statement {
            Statement::Assign { var, value } => {
                let value = self.inlined(value);
                if !value.is_within(LARGEST_VALUE) {
                    return Err(Rejection::TooLarge { variable: var.to_string() });
                }
                self.values.insert(var.clone(), value);
            }
            Statement::Draw { var, law } => {
                let other = || Rejection::Draw { found: statement.to_string() };
                let place = match law {
                    Distribution::Uniform => &mut self.uniform,
                    Distribution::Sign => &mut self.sign,
                    _ => return Err(other()),
                };
                // A value that was computed before the draw must not be taken to mean the draw.
                let drawn = Variable::Plain(var.clone());
                let used = self.values.values().any(|value| value.mentions(&drawn));
                if place.is_some() || used || self.values.contains_key(var) {
                    return Err(other());
                }
                *place = Some(var.clone());
            }
            _ => return Err(Rejection::Statement { found: statement.to_string() }),
        }
        Ok(())
    }

    /// The expression with assigned variables replaced.
    fn inlined(&self, expr: &Expr) -> Expr {
        expr.replace(&|variable| match variable {
            Variable::Plain(name) => self.values.get(name).cloned(),
            _ => None,
        })
    }

    /// Whether an expression mentions neither the input nor a draw.
    fn is_public(&self, expr: &Expr) -> bool {
        let private = |name: &Name| {
            name == self.input || self.uniform.as_ref() == Some(name) || self.sign.as_ref() == Some(name)
        };
        let mut public = true;
        expr.for_each_variable(&mut |v| public &= matches!(v, Variable::Plain(name) if !private(name)));
        public
    }

    fn form(&self, output: &Expr) -> Result<Form, Rejection> {
        if !output.is_within(LARGEST_VALUE) {
            return Err(Rejection::TooLarge { variable: "the output".into() });
        }
        let Expr::Clamp(inner, low, high) = output else {
            return Err(Rejection::NotClamped { low: "-infinity".into(), high: "infinity".into() });
        };
        let Expr::Binary(Binary::RoundTo, sum, grid) = inner.as_ref() else { return Err(Rejection::NoGrid) };
        if !self.is_public(grid) {
            return Err(Rejection::NoGrid);
        }
        let other = || Rejection::NotASum { found: sum.to_string() };
        let Expr::Binary(operation @ (Binary::Add | Binary::Sub), left, right) = sum.as_ref() else {
            return Err(other());
        };
        // z − x would be another mechanism; the sign of z is fair, so x − z is not.
        let (clamped_input, noise) = match (self.side(left), self.side(right), operation) {
            (Some(side), _, _) => (side, right),
            (_, Some(side), Binary::Add) => (side, left),
            _ => return Err(other()),
        };
        let mut scaled = Scaled { steps: Vec::new(), signs: 0, is_negated: *operation == Binary::Sub };
        if !self.noise(noise, &mut scaled) || scaled.signs != 1 || scaled.steps.len() > MOST_STEPS {
            return Err(Rejection::Noise { found: noise.to_string() });
        }
        let Scaled { steps, is_negated, .. } = scaled;
        let (low, high, grid) = ((**low).clone(), (**high).clone(), (**grid).clone());
        Ok(Form { input: self.input.clone(), low, high, grid, clamped_input, steps, is_negated })
    }

    /// x, or x clamped between two expressions of parameters.
    fn side(&self, expr: &Expr) -> Option<Option<(Expr, Expr)>> {
        match expr {
            _ if is(expr, self.input) => Some(None),
            Expr::Clamp(inner, low, high) if is(inner, self.input) => {
                Some(Some(((**low).clone(), (**high).clone())))
            }
            _ => None,
        }
    }

    /// The steps after the logarithm, in the order in which they are computed. Signs and negations are exact, and a fair
    /// sign absorbs them.
    fn noise(&self, expr: &Expr, scaled: &mut Scaled) -> bool {
        let drawn = |expr: &Expr, name: &Option<Name>| name.as_ref().is_some_and(|name| is(expr, name));
        match expr {
            Expr::Unary(Unary::Ln, u) => drawn(u, &self.uniform),
            Expr::Unary(Unary::Neg, x) => {
                scaled.is_negated = !scaled.is_negated;
                self.noise(x, scaled)
            }
            Expr::Binary(Binary::Mul, x, y) => {
                for (factor, rest) in [(x, y), (y, x)] {
                    if drawn(factor, &self.sign) {
                        scaled.signs += 1;
                        return self.noise(rest, scaled);
                    }
                    // (c·s)·z is s·(c·z), bit by bit.
                    if let Expr::Binary(Binary::Mul, c, s) = factor.as_ref()
                        && drawn(s, &self.sign)
                        && self.is_public(c)
                    {
                        scaled.signs += 1;
                        let fine = self.noise(rest, scaled);
                        scaled.steps.push(Step { divides: false, constant: (**c).clone() });
                        return fine;
                    }
                    if self.is_public(factor) {
                        let fine = self.noise(rest, scaled);
                        scaled.steps.push(Step { divides: false, constant: (**factor).clone() });
                        return fine;
                    }
                }
                false
            }
            Expr::Binary(Binary::Div, x, y) if self.is_public(y) => {
                let fine = self.noise(x, scaled);
                scaled.steps.push(Step { divides: true, constant: (**y).clone() });
                fine
            }
            _ => false,
        }
    }
}

/// What is done to ln(u).
struct Scaled {
    steps: Vec<Step>,
    signs: usize,
    is_negated: bool,
}
