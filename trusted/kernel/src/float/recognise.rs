//! Section 1 of the proof, read off a mechanism: the term itself says which numbers the theorem is about.
//!
//! Everything is matched exactly as it is written, after variables are replaced by what was assigned to them. What may hold
//! for other reasons than these is refused.

use std::collections::BTreeMap;

use probity_exact::{Format, Rational, Signed};

use super::constant::{Range, exact, in_format, is_closed, range, rounded};
use super::rejection::Rejection;
use super::shape::{Family, Implementation, Scaling, Snapped, positive};
use super::threshold::Subject;
use crate::context::{Context, Orientation};
use crate::expr::{Binary, Expr, Name, Run, Unary, Variable};
use crate::term::{Adjacency, Distribution, Mechanism, Sort, Statement};

/// A variable whose value has more parts than this is refused.
const LARGEST_VALUE: usize = 10_000;

/// Noise that is scaled more often than this is refused.
const MOST_STEPS: usize = 16;

/// A mechanism of the form g(x ⊕ z).
pub(super) struct Recognised {
    /// Its numbers in the format.
    pub subject: Subject,
    /// ρΔ over the reals, at the exact parameters.
    pub ideal: Expr,
    /// Not below the largest ρΔ as computed, less ρΔ over the reals at the same parameters.
    pub offset: Rational,
    /// Between which numbers each parameter lies, where the assumptions say so.
    pub ranges: BTreeMap<Name, Range>,
}

/// Reads a mechanism as it runs in a format.
pub(super) fn recognise(
    mechanism: &Mechanism,
    format: Format,
    implementation: Implementation,
) -> Result<Recognised, Rejection> {
    // Names, kinds and scopes.
    Context::new(mechanism, Orientation::Forward).map_err(Rejection::Malformed)?;
    let [input] = mechanism.inputs.as_slice() else { return Err(Rejection::Inputs) };
    if input.sort != Sort::Real {
        return Err(Rejection::Inputs);
    }
    let comparisons = comparisons(&mechanism.assumptions);
    let ranges = ranges(mechanism, &comparisons)?;
    let mut reader = Reader {
        format,
        input: &input.name,
        comparisons,
        ranges,
        values: BTreeMap::new(),
        uniform: None,
        sign: None,
    };
    // A parameter with one value is that number.
    for (name, Range { low, high }) in &reader.ranges {
        if low == high {
            reader.values.insert(name.clone(), Expr::Number(low.clone()));
        }
    }
    for statement in &mechanism.body {
        reader.statement(statement)?;
    }
    let form = reader.form(&reader.inlined(&mechanism.output))?;
    let sensitivity = reader.sensitivity(&mechanism.adjacency)?;
    let is_fixed = is_closed(&form.grid) && form.steps.iter().all(|step| is_closed(&step.constant));
    let (subject, ideal, offset) = match is_fixed {
        true => reader.fixed(&form, sensitivity, implementation)?,
        false => reader.family(&form, sensitivity, implementation)?,
    };
    Ok(Recognised { subject, ideal, offset, ranges: reader.ranges })
}

/// What the assumptions say of the form a ≤ b. All of them hold together; what is not a comparison, or is below an `or`,
/// a `not` or an `if`, is left aside.
fn comparisons(assumptions: &[Expr]) -> Vec<(&Expr, &Expr)> {
    let mut found = Vec::new();
    let mut left: Vec<&Expr> = assumptions.iter().rev().collect();
    while let Some(assumption) = left.pop() {
        match assumption {
            Expr::Binary(Binary::And, a, b) => left.extend([b.as_ref(), a.as_ref()]),
            Expr::Binary(Binary::Le | Binary::Lt, a, b) => found.push((a.as_ref(), b.as_ref())),
            Expr::Binary(Binary::Ge | Binary::Gt, a, b) => found.push((b.as_ref(), a.as_ref())),
            Expr::Binary(Binary::Eq, a, b) => {
                found.extend([(a.as_ref(), b.as_ref()), (b.as_ref(), a.as_ref())]);
            }
            _ => {}
        }
    }
    found
}

/// The real parameters that lie between two numbers.
fn ranges(mechanism: &Mechanism, comparisons: &[(&Expr, &Expr)]) -> Result<BTreeMap<Name, Range>, Rejection> {
    let mut ranges = BTreeMap::new();
    for param in mechanism.params.iter().filter(|param| param.sort == Sort::Real) {
        let below = comparisons.iter().filter(|(_, b)| is(b, &param.name)).filter_map(|(a, _)| exact(a));
        let above = comparisons.iter().filter(|(a, _)| is(a, &param.name)).filter_map(|(_, b)| exact(b));
        if let (Some(low), Some(high)) = (below.max(), above.min()) {
            if low > high {
                return Err(Rejection::EmptyRange { parameter: param.name.to_string() });
            }
            ranges.insert(param.name.clone(), Range { low, high });
        }
    }
    Ok(ranges)
}

fn is(expr: &Expr, name: &Name) -> bool {
    matches!(expr, Expr::Var(Variable::Plain(found)) if found == name)
}

/// −name, which is exact in every format.
fn is_negative_of(expr: &Expr, name: &Name) -> bool {
    match expr {
        Expr::Unary(Unary::Neg, inner) => is(inner, name),
        Expr::Binary(Binary::Sub, zero, inner) => **zero == Expr::int(0) && is(inner, name),
        _ => false,
    }
}

fn magnitude(x: Rational) -> Rational {
    if x.is_negative() { -x } else { x }
}

/// A scaling by an expression of parameters.
struct Step {
    divides: bool,
    constant: Expr,
}

/// clamp(round_to(x ⊕ z, grid), low, high), with x clamped first or not.
struct Form {
    low: Expr,
    high: Expr,
    grid: Expr,
    clamped_input: Option<(Expr, Expr)>,
    steps: Vec<Step>,
}

/// The clamp [−B, B].
enum Clamp {
    /// B is this number of the format.
    Number(Rational),
    /// B is this parameter, which lies between two numbers.
    Parameter(Name, Rational, Rational),
}

struct Reader<'a> {
    format: Format,
    input: &'a Name,
    comparisons: Vec<(&'a Expr, &'a Expr)>,
    ranges: BTreeMap<Name, Range>,
    /// What assigned variables stand for, in terms of parameters, the input and the draws.
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
        let mut steps = Vec::new();
        let mut signs = 0;
        if !self.noise(noise, &mut steps, &mut signs) || signs != 1 || steps.len() > MOST_STEPS {
            return Err(Rejection::Noise { found: noise.to_string() });
        }
        let (low, high, grid) = ((**low).clone(), (**high).clone(), (**grid).clone());
        Ok(Form { low, high, grid, clamped_input, steps })
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
    fn noise(&self, expr: &Expr, steps: &mut Vec<Step>, signs: &mut usize) -> bool {
        let drawn = |expr: &Expr, name: &Option<Name>| name.as_ref().is_some_and(|name| is(expr, name));
        match expr {
            Expr::Unary(Unary::Ln, u) => drawn(u, &self.uniform),
            Expr::Unary(Unary::Neg, x) => self.noise(x, steps, signs),
            Expr::Binary(Binary::Mul, x, y) => {
                for (factor, rest) in [(x, y), (y, x)] {
                    if drawn(factor, &self.sign) {
                        *signs += 1;
                        return self.noise(rest, steps, signs);
                    }
                    if self.is_public(factor) {
                        let fine = self.noise(rest, steps, signs);
                        steps.push(Step { divides: false, constant: (**factor).clone() });
                        return fine;
                    }
                }
                false
            }
            Expr::Binary(Binary::Div, x, y) if self.is_public(y) => {
                let fine = self.noise(x, steps, signs);
                steps.push(Step { divides: true, constant: (**y).clone() });
                fine
            }
            _ => false,
        }
    }

    /// Constants and a grid that are numbers.
    fn fixed(
        &self,
        form: &Form,
        sensitivity: Rational,
        implementation: Implementation,
    ) -> Result<(Subject, Expr, Rational), Rejection> {
        let mut scaling = Vec::new();
        let mut ideal = sensitivity.clone();
        for Step { divides, constant } in &form.steps {
            let no_number = || Rejection::NotANumber { found: constant.to_string() };
            let computed = magnitude(in_format(constant, self.format).ok_or_else(no_number)?);
            let real = magnitude(exact(constant).ok_or_else(no_number)?);
            if real.is_zero() {
                return Err(no_number());
            }
            match divides {
                true => {
                    ideal *= real;
                    scaling.push(Scaling::Divide(computed));
                }
                false => {
                    ideal /= real;
                    scaling.push(Scaling::Multiply(computed));
                }
            }
        }
        let no_number = || Rejection::NotANumber { found: form.grid.to_string() };
        let grid = in_format(&form.grid, self.format).ok_or_else(no_number)?;
        let no_number = || Rejection::NotANumber { found: form.high.to_string() };
        let bound = rounded(&self.bound(form)?.1, self.format).ok_or_else(no_number)?;
        let Implementation { uniform, ln_ulps } = implementation;
        let snapped = Snapped { format: self.format, uniform, ln_ulps, scaling, grid, bound, sensitivity };
        let offset = snapped.rate() * &snapped.sensitivity - &ideal;
        Ok((Subject::Mechanism(snapped), Expr::Number(ideal), offset))
    }

    /// Noise ln(u) ⊘ ε with the grid pow2_at_least(1 / ε), for a parameter ε.
    fn family(
        &self,
        form: &Form,
        sensitivity: Rational,
        implementation: Implementation,
    ) -> Result<(Subject, Expr, Rational), Rejection> {
        let written = |steps: &[Step]| {
            let word = |step: &Step| if step.divides { " / " } else { " * " };
            steps.iter().fold("ln(u)".to_owned(), |all, s| all + word(s) + &format!("({})", s.constant))
        };
        let (name, low, high) = match &form.steps[..] {
            [Step { divides: true, constant: Expr::Var(Variable::Plain(name)) }] => {
                let range = self.ranges.get(name);
                let Range { low, high } =
                    range.ok_or_else(|| Rejection::Unbounded { parameter: name.to_string() })?;
                (name, low, high)
            }
            steps => {
                return Err(Rejection::NotMironov {
                    found: written(steps),
                    wanted: "ln(u) / eps for a parameter eps".into(),
                });
            }
        };
        let epsilon = Expr::var(name.clone());
        let mironov = (Expr::int(1) / epsilon.clone()).pow2_at_least();
        if form.grid != mironov {
            return Err(Rejection::NotMironov { found: form.grid.to_string(), wanted: mironov.to_string() });
        }
        let bound = self.bound(form)?;
        let Implementation { uniform, ln_ulps } = implementation;
        let family = Family {
            format: self.format,
            uniform,
            ln_ulps,
            epsilon: (low.clone(), high.clone()),
            bound,
            sensitivity,
        };
        // |RN(ε) − ε| ≤ η·ε for a normal ε, which `Family::shape` checks.
        let offset = self.format.unit_roundoff() * high * &family.sensitivity;
        let ideal = match family.sensitivity == Rational::ONE {
            true => epsilon,
            false => Expr::Number(family.sensitivity.clone()) * epsilon,
        };
        Ok((Subject::Family(family), ideal, offset))
    }

    /// The least and the largest B that bounds input and output, before it is rounded. Clamping the output further than the
    /// input is post-processing.
    fn bound(&self, form: &Form) -> Result<(Rational, Rational), Rejection> {
        match self.clamp(&form.low, &form.high)? {
            Clamp::Number(bound) => {
                positive("the bound", &bound)?;
                let bound = bound.max(self.largest_input(form)?);
                Ok((bound.clone(), bound))
            }
            Clamp::Parameter(name, low, high) => {
                positive("the bound", &low)?;
                let within =
                    self.is_within(form, &name) || self.largest_input(form).is_ok_and(|most| most <= low);
                match within {
                    true => Ok((low, high)),
                    false => Err(Rejection::InputBeyondClamp {
                        input: self.input.to_string(),
                        clamp: name.to_string(),
                    }),
                }
            }
        }
    }

    /// Reads −B and B.
    fn clamp(&self, low: &Expr, high: &Expr) -> Result<Clamp, Rejection> {
        let other = || Rejection::NotClamped { low: low.to_string(), high: high.to_string() };
        if let Expr::Var(Variable::Plain(name)) = high {
            let unbounded = || Rejection::Unbounded { parameter: name.to_string() };
            if !is_negative_of(low, name) {
                return Err(other());
            }
            let Range { low, high } = self.ranges.get(name).ok_or_else(unbounded)?;
            return Ok(Clamp::Parameter(name.clone(), low.clone(), high.clone()));
        }
        let value = |expr: &Expr| in_format(expr, self.format).ok_or_else(other);
        let bound = value(high)?;
        if value(low)? != -bound.clone() {
            return Err(other());
        }
        Ok(Clamp::Number(bound))
    }

    /// Whether −name ≤ x ≤ name is assumed, or x is clamped so first. Rounding is monotone: a float that is at most B is at
    /// most RN(B).
    fn is_within(&self, form: &Form, name: &Name) -> bool {
        if let Some((low, high)) = &form.clamped_input {
            return is_negative_of(low, name) && is(high, name);
        }
        let x = |expr: &Expr| is(expr, self.input);
        let size = |expr: &Expr| matches!(expr, Expr::Unary(Unary::Abs, inner) if x(inner));
        let below = |(a, b): &(&Expr, &Expr)| (x(a) || size(a)) && is(b, name);
        let above = |(a, b): &(&Expr, &Expr)| is_negative_of(a, name) && x(b) || size(a) && is(b, name);
        self.comparisons.iter().any(below) && self.comparisons.iter().any(above)
    }

    /// A number that |x| does not exceed, for every value of the parameters, rounded to the format.
    fn largest_input(&self, form: &Form) -> Result<Rational, Rejection> {
        let unbounded = || Rejection::InputUnbounded { input: self.input.to_string() };
        if let Some((low, high)) = &form.clamped_input {
            return match self.clamp(low, high)? {
                Clamp::Number(bound) | Clamp::Parameter(_, _, bound) => {
                    rounded(&bound, self.format).ok_or_else(unbounded)
                }
            };
        }
        let of = |name: &Name| self.ranges.get(name).cloned();
        let x = |expr: &Expr| is(expr, self.input);
        let size = |expr: &Expr| matches!(expr, Expr::Unary(Unary::Abs, inner) if x(inner));
        let above = |(a, b): &(&Expr, &Expr)| (x(a) || size(a)).then(|| range(b, &of)).flatten();
        let below = |(a, b): &(&Expr, &Expr)| match size(a) {
            true => range(b, &of).map(|limit| -limit.high),
            false => x(b).then(|| range(a, &of)).flatten().map(|limit| limit.low),
        };
        let high = self.comparisons.iter().filter_map(above).map(|limit| limit.high).min();
        let low = self.comparisons.iter().filter_map(below).max();
        let most = magnitude(high.ok_or_else(unbounded)?).max(magnitude(low.ok_or_else(unbounded)?));
        rounded(&most, self.format).ok_or_else(unbounded)
    }

    /// c in |x' − x| ≤ c, exactly.
    fn sensitivity(&self, adjacency: &[Adjacency]) -> Result<Rational, Rejection> {
        let other = || Rejection::Adjacency { input: self.input.to_string() };
        let [Adjacency::Related(relation)] = adjacency else { return Err(other()) };
        let (distance, limit) = match relation {
            Expr::Binary(Binary::Le | Binary::Lt, left, right) => (left, right),
            Expr::Binary(Binary::Ge | Binary::Gt, left, right) => (right, left),
            _ => return Err(other()),
        };
        let Expr::Unary(Unary::Abs, inner) = distance.as_ref() else { return Err(other()) };
        let Expr::Binary(Binary::Sub, first, second) = inner.as_ref() else { return Err(other()) };
        let run = |x: &Expr| match x {
            Expr::Var(Variable::Of(name, run)) if name == self.input => Some(*run),
            _ => None,
        };
        match (run(first), run(second)) {
            (Some(Run::First), Some(Run::Second)) | (Some(Run::Second), Some(Run::First)) => {}
            _ => return Err(other()),
        }
        let of = |name: &Name| self.ranges.get(name).cloned();
        range(limit, &of).filter(|limit| limit.low == limit.high).map(|limit| limit.high).ok_or_else(other)
    }
}
