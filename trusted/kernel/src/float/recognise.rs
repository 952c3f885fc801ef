//! Section 1 of the proof, as numbers of a format: the term itself says which numbers the theorem is about.

use std::collections::BTreeMap;

use probity_exact::{Format, Rational, Signed};

use super::constant::{Range, exact, in_format, is_closed, range, rounded};
use super::form::{Form, Step, distance, is};
use super::rejection::Rejection;
use super::shape::{Family, Implementation, Scaling, Snapped, positive};
use super::threshold::Subject;
use crate::context::{Context, Orientation};
use crate::expr::{Binary, Expr, Name, Unary, Variable};
use crate::term::{Mechanism, Sort};

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
    let comparisons = comparisons(&mechanism.assumptions);
    let ranges = ranges(mechanism, &comparisons)?;
    // A parameter with one value is that number.
    let known = ranges.iter().filter(|(_, Range { low, high })| low == high);
    let known = known.map(|(name, range)| (name.clone(), Expr::Number(range.low.clone()))).collect();
    let form = Form::read(mechanism, known)?;
    let reader = Reader { format, input: &form.input, comparisons, ranges };
    let sensitivity = reader.sensitivity(mechanism)?;
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
}

impl Reader<'_> {
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
    fn sensitivity(&self, mechanism: &Mechanism) -> Result<Rational, Rejection> {
        let limit = distance(mechanism, self.input)?;
        let of = |name: &Name| self.ranges.get(name).cloned();
        let exact = range(limit, &of).filter(|limit| limit.low == limit.high).map(|limit| limit.high);
        exact.ok_or_else(|| Rejection::Adjacency { input: self.input.to_string() })
    }
}
