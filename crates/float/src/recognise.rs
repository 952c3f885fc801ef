//! Recognises the mechanisms that the threshold theorem is about: g(x ⊕ z), where z is a signed logarithm of a
//! uniform, scaled, and g rounds to a grid and clamps. What does not fit is refused with the reason.

use std::collections::BTreeMap;
use std::fmt;

use probity_exact::{Float, Format, Rational, Round, Signed};
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};
use probity_kernel::float::{Scaling, Snapped, Uniform};
use probity_kernel::term::{Adjacency, Distribution, Mechanism, Sort, Statement};

/// Why a mechanism is not of the form that can be certified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unrecognised {
    /// It does not have exactly one input, a real.
    Inputs,
    /// A parameter has no value, or none that the format can hold.
    Parameter(String),
    /// A statement other than a draw or an assignment, or one that changes an input or a parameter.
    Statement,
    /// A draw other than one uniform and one sign.
    Draw(String),
    /// The output is not clamped to an interval [−B, B].
    NotClamped,
    /// The output is not rounded to a grid: every float is an outcome of its own, and the last bits of
    /// x ⊕ z tell x from its neighbour. Plain Laplace noise in floats is refused here.
    NoGrid,
    /// The sum is not x plus noise.
    NotASum(String),
    /// The noise is not a signed, scaled logarithm of the uniform.
    Noise(String),
    /// The input is not bounded by the assumptions.
    InputUnbounded,
    /// Neighbours are not those with |x' − x| ≤ a constant.
    Adjacency,
}

impl fmt::Display for Unrecognised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unrecognised::Inputs => write!(f, "the certificate is about mechanisms with one real input"),
            Unrecognised::Parameter(name) => write!(f, "'{name}' has no value that the format holds; set it"),
            Unrecognised::Statement => {
                write!(
                    f,
                    "only draws and assignments to new variables can be certified, no branches or loops"
                )
            }
            Unrecognised::Draw(what) => {
                write!(
                    f,
                    "the draw '{what}' is not covered: the certificate needs one uniform(0, 1) and one sign()"
                )
            }
            Unrecognised::NotClamped => write!(f, "the output is not clamp(…, -B, B)"),
            Unrecognised::NoGrid => write!(
                f,
                "the output is not rounded to a grid: every float is an outcome of its own, and the last bits of the sum reveal the input"
            ),
            Unrecognised::NotASum(found) => write!(f, "'{found}' is not the input plus noise"),
            Unrecognised::Noise(found) => {
                write!(f, "'{found}' is not a sign times ln(u), scaled by constants")
            }
            Unrecognised::InputUnbounded => {
                write!(f, "the assumptions do not bound the input: say -B <= x <= B")
            }
            Unrecognised::Adjacency => write!(f, "neighbours have to be abs(x' - x) <= constant"),
        }
    }
}

/// Reads a mechanism, with its parameters set, as it runs in a format: parameters are rounded to nearest first.
///
/// ```
/// use std::collections::BTreeMap;
/// use probity_exact::{Format, rational};
/// use probity_float::recognise::{recognise, snapping_term};
/// let set = BTreeMap::from([("eps".into(), rational(1, 1).unwrap()), ("B".into(), rational(100, 1).unwrap())]);
/// let snapped = recognise(&snapping_term(), &set, Format::BINARY64).unwrap();
/// assert_eq!(snapped.grid, rational(1, 1).unwrap());
/// ```
pub fn recognise(
    mechanism: &Mechanism,
    parameters: &BTreeMap<String, Rational>,
    format: Format,
) -> Result<Snapped, Unrecognised> {
    let [input] = mechanism.inputs.as_slice() else { return Err(Unrecognised::Inputs) };
    if input.sort != Sort::Real {
        return Err(Unrecognised::Inputs);
    }
    let fixed = mechanism.params.iter().map(|p| p.name.clone()).chain([input.name.clone()]).collect();
    let mut reader = Reader { format, values: BTreeMap::new(), fixed, uniform: None, sign: None };
    for parameter in &mechanism.params {
        let name = parameter.name.to_string();
        let missing = || Unrecognised::Parameter(name.clone());
        let value = parameters.get(parameter.name.as_str()).ok_or_else(missing)?;
        let float = format.round(value, Round::NearestEven).to_rational().ok_or_else(missing)?;
        reader.values.insert(parameter.name.clone(), Expr::Number(float));
    }
    for statement in &mechanism.body {
        reader.statement(statement)?;
    }
    let output = reader.inlined(&mechanism.output);
    let Expr::Clamp(inner, low, high) = &output else { return Err(Unrecognised::NotClamped) };
    let high = reader.constant(high).ok_or(Unrecognised::NotClamped)?;
    if reader.constant(low) != Some(-high.clone()) {
        return Err(Unrecognised::NotClamped);
    }
    let Expr::Binary(Binary::RoundTo, sum, grid) = inner.as_ref() else { return Err(Unrecognised::NoGrid) };
    let grid = reader.constant(grid).ok_or(Unrecognised::NoGrid)?;
    let (x, noise) = reader.sum(sum, &input.name)?;
    let scaling = reader.noise(noise)?;
    // The theorem's B bounds input and output; clamping the output further is post-processing.
    let within = match x {
        Some(clamped) => clamped,
        None => {
            reader.input_bound(&mechanism.assumptions, &input.name).ok_or(Unrecognised::InputUnbounded)?
        }
    };
    let bound = if within > high { within } else { high };
    let sensitivity = reader.sensitivity(&mechanism.adjacency, &input.name).ok_or(Unrecognised::Adjacency)?;
    Ok(Snapped { format, uniform: Uniform::Star, ln_ulps: 0, scaling, grid, bound, sensitivity })
}

/// The snapping mechanism as a term, for examples and tests.
pub fn snapping_term() -> Mechanism {
    let (x, b, eps) = (Expr::var("x"), Expr::var("B"), Expr::var("eps"));
    let negative = Expr::int(0) - b.clone();
    let difference = Expr::of("x", Run::Second) - Expr::of("x", Run::First);
    Mechanism {
        name: "snapping".into(),
        inputs: vec![probity_kernel::term::Input { name: "x".into(), sort: Sort::Real }],
        params: ["eps", "B"]
            .map(|name| probity_kernel::term::Param { name: name.into(), sort: Sort::Real })
            .to_vec(),
        assumptions: vec![negative.clone().le(x.clone()), x.clone().le(b.clone())],
        body: vec![
            Statement::Assign { var: "grid".into(), value: (Expr::int(1) / eps.clone()).pow2_at_least() },
            Statement::Draw { var: "u".into(), law: Distribution::Uniform },
            Statement::Draw { var: "s".into(), law: Distribution::Sign },
            Statement::Assign { var: "w".into(), value: x + Expr::var("s") * Expr::var("u").ln() / eps },
        ],
        output: Expr::var("w").round_to(Expr::var("grid")).clamp(negative, b),
        adjacency: vec![Adjacency::Related(difference.abs().le(Expr::int(1)))],
    }
}

struct Reader {
    format: Format,
    /// What parameters and assigned variables stand for, in terms of the input and the draws.
    values: BTreeMap<Name, Expr>,
    /// Inputs and parameters, which assumptions speak about and no statement may change.
    fixed: Vec<Name>,
    uniform: Option<Name>,
    sign: Option<Name>,
}

impl Reader {
    fn statement(&mut self, statement: &Statement) -> Result<(), Unrecognised> {
        match statement {
            Statement::Assign { var, .. } | Statement::Draw { var, .. } if self.fixed.contains(var) => {
                return Err(Unrecognised::Statement);
            }
            Statement::Assign { var, value } => {
                let value = self.inlined(value);
                self.values.insert(var.clone(), value);
            }
            Statement::Draw { var, law } => {
                let place = match law {
                    Distribution::Uniform => &mut self.uniform,
                    Distribution::Sign => &mut self.sign,
                    _ => return Err(Unrecognised::Draw(format!("{var} ~ {law}"))),
                };
                // A value that was computed before the draw must not be taken to mean the draw.
                let drawn = Variable::Plain(var.clone());
                let used = self.values.values().any(|value| value.mentions(&drawn));
                if place.is_some() || used || self.values.contains_key(var) {
                    return Err(Unrecognised::Draw(format!("{var} ~ {law}")));
                }
                *place = Some(var.clone());
            }
            _ => return Err(Unrecognised::Statement),
        }
        Ok(())
    }

    /// The expression with parameters and assigned variables replaced.
    fn inlined(&self, expr: &Expr) -> Expr {
        expr.replace(&|variable| match variable {
            Variable::Plain(name) => self.values.get(name).cloned(),
            _ => None,
        })
    }

    /// The value of an expression of parameters, every operation rounded as the format does.
    fn constant(&self, expr: &Expr) -> Option<Rational> {
        self.float(expr)?.to_rational()
    }

    fn float(&self, expr: &Expr) -> Option<Float> {
        let (format, near) = (self.format, Round::NearestEven);
        let value = match expr {
            Expr::Number(value) => format.round(value, near),
            Expr::Unary(Unary::Neg, x) => self.float(x)?.negated(),
            Expr::Unary(Unary::Abs, x) => self.float(x)?.magnitude(),
            Expr::Unary(Unary::Pow2AtLeast, x) => {
                let x = self.float(x)?.to_rational().filter(|x| x.is_positive() && !x.is_zero())?;
                let grid = probity_kernel::float::shape::mironov_grid(&(Rational::ONE / x));
                format.round(&grid, near)
            }
            Expr::Binary(operation, x, y) => {
                let (x, y) = (self.float(x)?, self.float(y)?);
                match operation {
                    Binary::Add => format.add(&x, &y, near),
                    Binary::Sub => format.sub(&x, &y, near),
                    Binary::Mul => format.mul(&x, &y, near),
                    Binary::Div => format.div(&x, &y, near),
                    _ => return None,
                }
            }
            _ => return None,
        };
        value.is_finite().then_some(value)
    }

    fn is(&self, expr: &Expr, name: Option<&Name>) -> bool {
        matches!((expr, name), (Expr::Var(Variable::Plain(found)), Some(name)) if found == name)
    }

    /// Splits x + noise. A clamped x gives its own bound.
    fn sum<'a>(&self, expr: &'a Expr, input: &Name) -> Result<(Option<Rational>, &'a Expr), Unrecognised> {
        let other = || Unrecognised::NotASum(expr.to_string());
        let Expr::Binary(operation @ (Binary::Add | Binary::Sub), left, right) = expr else {
            return Err(other());
        };
        let side = |x: &Expr| -> Option<Option<Rational>> {
            if self.is(x, Some(input)) {
                return Some(None);
            }
            let Expr::Clamp(inner, low, high) = x else { return None };
            let high = self.constant(high)?;
            (self.is(inner, Some(input)) && self.constant(low)? == -high.clone()).then_some(Some(high))
        };
        match (side(left), side(right), operation) {
            (Some(bound), _, _) => Ok((bound, right)),
            (_, Some(bound), Binary::Add) => Ok((bound, left)),
            _ => Err(other()),
        }
    }

    /// The rounded steps after the logarithm. Signs and negations are exact, and a fair sign absorbs them.
    fn noise(&self, expr: &Expr) -> Result<Vec<Scaling>, Unrecognised> {
        let mut steps = Vec::new();
        let mut signs = 0;
        if self.steps(expr, &mut steps, &mut signs) && signs == 1 {
            return Ok(steps);
        }
        Err(Unrecognised::Noise(expr.to_string()))
    }

    fn steps(&self, expr: &Expr, steps: &mut Vec<Scaling>, signs: &mut usize) -> bool {
        match expr {
            Expr::Unary(Unary::Ln, u) => self.is(u, self.uniform.as_ref()),
            Expr::Unary(Unary::Neg, x) => self.steps(x, steps, signs),
            Expr::Binary(Binary::Mul, x, y) => {
                for (factor, rest) in [(x, y), (y, x)] {
                    if self.is(factor, self.sign.as_ref()) {
                        *signs += 1;
                        return self.steps(rest, steps, signs);
                    }
                    if let Some(constant) = self.constant(factor) {
                        let fine = self.steps(rest, steps, signs);
                        steps.push(Scaling::Multiply(magnitude(constant)));
                        return fine;
                    }
                }
                false
            }
            Expr::Binary(Binary::Div, x, y) => match self.constant(y) {
                Some(constant) => {
                    let fine = self.steps(x, steps, signs);
                    steps.push(Scaling::Divide(magnitude(constant)));
                    fine
                }
                None => false,
            },
            _ => false,
        }
    }

    /// A number that |x| does not exceed, from comparisons of x (or |x|) with constants.
    fn input_bound(&self, assumptions: &[Expr], input: &Name) -> Option<Rational> {
        let mut low: Option<Rational> = None;
        let mut high: Option<Rational> = None;
        let mut queue: Vec<Expr> = assumptions.iter().map(|a| self.inlined(a)).collect();
        while let Some(assumption) = queue.pop() {
            let Expr::Binary(operation, left, right) = &assumption else { continue };
            let (left, right) = match operation {
                Binary::And => {
                    queue.extend([left.as_ref().clone(), right.as_ref().clone()]);
                    continue;
                }
                Binary::Le | Binary::Lt => (left, right),
                Binary::Ge | Binary::Gt => (right, left),
                _ => continue,
            };
            let absolute =
                |x: &Expr| matches!(x, Expr::Unary(Unary::Abs, inner) if self.is(inner, Some(input)));
            if let Some(value) = self.constant(right) {
                if self.is(left, Some(input)) || absolute(left) {
                    high = Some(value.clone());
                }
                if absolute(left) {
                    low = Some(-value);
                }
            }
            if let (Some(value), true) = (self.constant(left), self.is(right, Some(input))) {
                low = Some(value);
            }
        }
        let (low, high) = (magnitude(low?), magnitude(high?));
        Some(if low > high { low } else { high })
    }

    /// c in |x' − x| ≤ c, taken exactly as written.
    fn sensitivity(&self, adjacency: &[Adjacency], input: &Name) -> Option<Rational> {
        let [Adjacency::Related(relation)] = adjacency else { return None };
        let (distance, limit) = match relation {
            Expr::Binary(Binary::Le | Binary::Lt, left, right) => (left, right),
            Expr::Binary(Binary::Ge | Binary::Gt, left, right) => (right, left),
            _ => return None,
        };
        let Expr::Unary(Unary::Abs, inner) = distance.as_ref() else { return None };
        let Expr::Binary(Binary::Sub, first, second) = inner.as_ref() else { return None };
        let run = |x: &Expr| match x {
            Expr::Var(Variable::Of(name, run)) if name == input => Some(*run),
            _ => None,
        };
        match (run(first)?, run(second)?) {
            (Run::First, Run::Second) | (Run::Second, Run::First) => {}
            _ => return None,
        }
        match self.inlined(limit) {
            Expr::Number(value) => Some(value),
            _ => None,
        }
    }
}

fn magnitude(x: Rational) -> Rational {
    if x.is_negative() { -x } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;
    use probity_kernel::float::threshold;

    fn set(eps: (i64, i64), b: i64) -> BTreeMap<String, Rational> {
        BTreeMap::from([
            ("eps".into(), rational(eps.0, eps.1).unwrap()),
            ("B".into(), rational(b, 1).unwrap()),
        ])
    }

    #[test]
    fn snapping_is_recognised() {
        let snapped = recognise(&snapping_term(), &set((1, 10), 1000), Format::BINARY64).unwrap();
        assert_eq!(snapped.grid, rational(16, 1).unwrap());
        // The parameter is the double nearest to 1/10.
        assert_eq!(snapped.rate(), probity_exact::rational_from_f64(0.1).unwrap());
        assert!(threshold(&snapped).is_ok());
    }

    #[test]
    fn other_pipelines_are_recognised() {
        let mut term = snapping_term();
        let scale = Expr::int(1) / Expr::var("eps");
        term.body[3] = Statement::Assign {
            var: "w".into(),
            value: -(Expr::var("u").ln() * Expr::var("s")) * scale + Expr::var("x"),
        };
        let snapped = recognise(&term, &set((1, 2), 10), Format::BINARY64).unwrap();
        assert_eq!(snapped.scaling, vec![Scaling::Multiply(rational(2, 1).unwrap())]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let with = |change: &dyn Fn(&mut Mechanism)| {
            let mut term = snapping_term();
            change(&mut term);
            recognise(&term, &set((1, 1), 10), Format::BINARY64).unwrap_err()
        };
        // Naive Laplace in floats.
        assert_eq!(
            with(&|m| m.output = Expr::var("w").clamp(-Expr::var("B"), Expr::var("B"))),
            Unrecognised::NoGrid
        );
        assert_eq!(with(&|m| m.output = Expr::var("w")), Unrecognised::NotClamped);
        assert_eq!(
            with(&|m| m.output =
                Expr::var("w").round_to(Expr::var("grid")).clamp(Expr::int(0), Expr::var("B"))),
            Unrecognised::NotClamped
        );
        assert_eq!(with(&|m| m.assumptions.clear()), Unrecognised::InputUnbounded);
        assert_eq!(with(&|m| m.adjacency.clear()), Unrecognised::Adjacency);
        let laplace = Distribution::Laplace { center: Expr::int(0), scale: Expr::int(1) };
        assert!(matches!(
            with(&|m| m.body[1] = Statement::Draw { var: "u".into(), law: laplace.clone() }),
            Unrecognised::Draw(_)
        ));
        // One-sided noise, and noise that is not a logarithm.
        for noise in
            [Expr::var("u").ln(), Expr::var("s") * Expr::var("u"), Expr::var("s") * Expr::var("u").exp()]
        {
            let value = Expr::var("x") + noise;
            assert!(matches!(
                with(&|m| m.body[3] = Statement::Assign { var: "w".into(), value: value.clone() }),
                Unrecognised::Noise(_)
            ));
        }
        for (at, var) in [(0, "B"), (0, "x")] {
            let shrink = Statement::Assign { var: var.into(), value: Expr::var(var) / Expr::int(2) };
            assert_eq!(with(&|m| m.body.insert(at, shrink.clone())), Unrecognised::Statement);
        }
        assert!(matches!(with(&|m| m.body.swap(1, 3)), Unrecognised::Draw(_)));
        let twice = Expr::var("x") + Expr::var("x");
        assert!(matches!(
            with(&|m| m.body[3] = Statement::Assign { var: "w".into(), value: twice.clone() }),
            Unrecognised::Noise(_)
        ));
        assert!(matches!(
            recognise(&snapping_term(), &BTreeMap::new(), Format::BINARY64),
            Err(Unrecognised::Parameter(_))
        ));
    }
}
