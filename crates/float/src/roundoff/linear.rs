//! What linear conditions on the inputs say about linear intermediate results. For a triangle with a + b > c the interval
//! of s − c, s half the perimeter, contains negative numbers in every box at the border; but s − c = ½(a + b − c) is a
//! multiple of the condition's own form, and so is positive.

use probity_exact::{Rational, Signed};

use super::search::Condition;
use crate::interval::Interval;
use crate::program::{Op, Program};

/// Programs larger than this are not searched for linear forms.
const MAX_NODES: usize = 500;

/// Σ coefficient_k · x_k + constant, over the reals.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Form {
    coefficients: Vec<Rational>,
    constant: Rational,
}

impl Form {
    fn combined(&self, other: &Form, factor: &Rational) -> Form {
        let pair = |(x, y): (&Rational, &Rational)| x + y * factor;
        Form {
            coefficients: self.coefficients.iter().zip(&other.coefficients).map(pair).collect(),
            constant: &self.constant + &other.constant * factor,
        }
    }

    fn scaled(&self, factor: &Rational) -> Form {
        Form {
            coefficients: self.coefficients.iter().map(|c| c * factor).collect(),
            constant: &self.constant * factor,
        }
    }

    /// The value, when it depends on no input.
    fn constant(&self) -> Option<&Rational> {
        self.coefficients.iter().all(|c| c.is_zero()).then_some(&self.constant)
    }

    /// t with self's coefficients = t · other's, if there is one and neither form is constant.
    fn multiple_of(&self, other: &Form) -> Option<Rational> {
        let at = other.coefficients.iter().position(|c| !c.is_zero())?;
        let factor = &self.coefficients[at] / &other.coefficients[at];
        let scaled = other.scaled(&factor);
        (!factor.is_zero() && scaled.coefficients == self.coefficients).then_some(factor)
    }
}

/// The linear form of every node that has one.
fn forms(program: &Program, inputs: usize) -> Vec<Option<Form>> {
    let constant =
        |value: &Rational| Form { coefficients: vec![Rational::ZERO; inputs], constant: value.clone() };
    let mut all: Vec<Option<Form>> = Vec::new();
    for node in program.nodes() {
        let of = |x: usize| all[x].as_ref();
        let form = match &node.op {
            Op::Constant(c) if c.low == c.high => Some(constant(&c.low)),
            Op::Input(i) if *i < inputs => {
                let mut form = constant(&Rational::ZERO);
                form.coefficients[*i] = Rational::ONE;
                Some(form)
            }
            Op::Neg(x) => of(*x).map(|x| x.scaled(&-Rational::ONE)),
            Op::Cast(x) => of(*x).cloned(),
            Op::Add(x, y) => of(*x).zip(of(*y)).map(|(x, y)| x.combined(y, &Rational::ONE)),
            Op::Sub(x, y) => of(*x).zip(of(*y)).map(|(x, y)| x.combined(y, &-Rational::ONE)),
            Op::Mul(x, y) => of(*x).zip(of(*y)).and_then(|(x, y)| match (x.constant(), y.constant()) {
                (Some(factor), _) => Some(y.scaled(factor)),
                (_, Some(factor)) => Some(x.scaled(factor)),
                _ => None,
            }),
            Op::Div(x, y) => of(*x).zip(of(*y)).and_then(|(x, y)| {
                let divisor = y.constant().filter(|divisor| !divisor.is_zero())?;
                Some(x.scaled(&(Rational::ONE / divisor)))
            }),
            _ => None,
        };
        all.push(form);
    }
    all
}

/// Ranges of nodes that hold wherever all conditions on the reals do.
pub fn implied_ranges(program: &Program, inputs: usize, conditions: &[Condition]) -> Vec<(usize, Interval)> {
    if program.nodes().len() > MAX_NODES || conditions.is_empty() {
        return vec![];
    }
    let forms = forms(program, inputs);
    let mut found = Vec::new();
    for condition in conditions.iter().filter(|condition| !condition.in_floats) {
        let (Some(left), Some(right)) = (&forms[condition.left], &forms[condition.right]) else { continue };
        // The condition says: slack ≥ 0.
        let slack = right.combined(left, &-Rational::ONE);
        for (node, form) in forms.iter().enumerate() {
            let Some((form, factor)) = form.as_ref().and_then(|f| Some((f, f.multiple_of(&slack)?))) else {
                continue;
            };
            // form = factor·slack + rest.
            let rest = &form.constant - &slack.constant * &factor;
            let edge = Interval::around(&rest, &rest);
            found.push((
                node,
                match factor.is_negative() {
                    false => Interval::new(edge.low(), f64::INFINITY),
                    true => Interval::new(f64::NEG_INFINITY, edge.high()),
                },
            ));
        }
    }
    found
}
