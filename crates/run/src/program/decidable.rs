//! Which texts can run: every decision must end for all inputs, or the text is refused before anything is drawn,
//! whatever the inputs. An error that depended on an input would tell about it.
//!
//! A *shape* bounds what the normal form (`lazy::normal`) of an expression can be, over all inputs and all paths: the
//! degree in draws, the number of logarithms in a term, whether there are exponentials. If the difference of two sides
//! has a normal form, and not logarithms and exponentials together, then a tie is found exactly or has probability 0.

use std::collections::BTreeMap;

use probity_kernel::expr::{Binary, Expr, Name, Unary, Variable};
use probity_kernel::law;
use probity_kernel::term::{Distribution, Mechanism, Statement};

use super::code::{Kind, Relation};
use super::kinds::Kinds;
use crate::error::RunError;

/// What the normal form of an expression can be. Counts stop at 2, which stands for more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Shape {
    /// The degree in the draws.
    degree: u8,
    /// Logarithms in a term above and below the line.
    logs: (u8, u8),
    /// Whether there are exponentials.
    exponentials: bool,
    /// Whether there is anything but a number below the line.
    quotient: bool,
    /// Whether it is a rational multiple of the root of such a number, and a rational number: it can be held against rational numbers.
    root: bool,
    /// Whether there may be no normal form.
    opaque: bool,
    /// Whether it varies with anything but the parameters; what does not is computed before any input is seen.
    varies: bool,
}

impl Shape {
    /// A rational number that is known when it is reached.
    const RATIONAL: Shape = Shape {
        degree: 0,
        logs: (0, 0),
        exponentials: false,
        quotient: false,
        root: false,
        opaque: false,
        varies: true,
    };

    const DRAW: Shape = Shape { degree: 1, ..Shape::RATIONAL };

    /// Whether values are rational numbers.
    pub(crate) fn is_rational(self) -> bool {
        Shape { varies: true, ..self } == Shape::RATIONAL
    }

    /// Whether a decision about it ends: with probability 1, or before any input is seen.
    pub(crate) fn is_decidable(self) -> bool {
        let mixed = self.exponentials && self.logs != (0, 0);
        !self.varies || !self.opaque && !mixed
    }

    fn capped(degree: u8, logs: (u8, u8), of: [Shape; 2]) -> Shape {
        let either = |flag: fn(Shape) -> bool| flag(of[0]) || flag(of[1]);
        let quotient = either(|s| s.quotient);
        let degree = if quotient && degree > 0 { 2 } else { degree.min(2) };
        Shape {
            degree,
            logs: (logs.0.min(2), logs.1.min(2)),
            exponentials: either(|s| s.exponentials),
            quotient,
            root: false,
            opaque: either(|s| s.opaque || s.root) || logs.0 > 1 || logs.1 > 1,
            varies: either(|s| s.varies),
        }
    }

    /// What a root and a rational number make.
    fn of_root(self, other: Shape) -> Option<Shape> {
        let root = match (self.root, other.root) {
            (true, false) if other.is_rational() => self,
            (false, true) if self.is_rational() => other,
            _ => return None,
        };
        Some(Shape { varies: self.varies || other.varies, ..root })
    }

    fn join(self, other: Shape) -> Shape {
        if let Some(root) = self.of_root(other) {
            return Shape { varies: true, ..root };
        }
        let logs = (self.logs.0.max(other.logs.0), self.logs.1.max(other.logs.1));
        Shape { varies: true, ..Shape::capped(self.degree.max(other.degree), logs, [self, other]) }
    }

    fn plus(self, other: Shape) -> Shape {
        if let Some(root) = self.of_root(other) {
            return root;
        }
        let above = (self.logs.0 + other.logs.1).max(other.logs.0 + self.logs.1);
        Shape::capped(self.degree.max(other.degree), (above, self.logs.1 + other.logs.1), [self, other])
    }

    fn times(self, other: Shape) -> Shape {
        if let Some(root) = self.of_root(other) {
            return root;
        }
        let logs = (self.logs.0 + other.logs.0, self.logs.1 + other.logs.1);
        Shape::capped(self.degree + other.degree, logs, [self, other])
    }

    fn over(self, other: Shape) -> Shape {
        if other.is_rational() {
            return Shape { varies: self.varies || other.varies, ..self };
        }
        let logs = (self.logs.0 + other.logs.1, self.logs.1 + other.logs.0);
        let degree = self.degree + other.degree;
        let quotient = Shape { quotient: true, ..other };
        Shape::capped(degree, logs, [self, quotient])
    }

    /// Whether it is a polynomial in the draws.
    fn is_polynomial(self) -> bool {
        !self.opaque && !self.root && !self.quotient && !self.exponentials && self.logs == (0, 0)
    }

    fn sqrt(self) -> Shape {
        Shape { root: true, opaque: self.opaque || self.root, ..self }
    }

    fn ln(self) -> Shape {
        match self.is_polynomial() && self.degree <= 1 {
            true => Shape { degree: 2 * self.degree, logs: (1, 0), ..self },
            false => Shape { opaque: true, ..self },
        }
    }

    fn exp(self) -> Shape {
        match self.is_polynomial() {
            true => Shape { degree: 2 * self.degree.min(1), exponentials: true, ..self },
            false => Shape { opaque: true, ..self },
        }
    }
}

/// The shape of what a mechanism returns. Fails if there is a decision that might not end.
pub(crate) fn check(mechanism: &Mechanism) -> Result<Shape, RunError> {
    let mut checker = Checker { kinds: Kinds::of(mechanism), ..Checker::default() };
    checker.count_assignments(&mechanism.body);
    for input in &mechanism.inputs {
        checker.shapes.insert(input.name.clone(), Shape::RATIONAL);
    }
    // Shapes only grow, and there are few of them, so this ends.
    loop {
        let before = checker.shapes.clone();
        checker.block(&mechanism.body, true)?;
        if checker.shapes == before {
            break;
        }
    }
    checker.deciding = true;
    for assumption in &mechanism.assumptions {
        checker.shape(assumption)?;
    }
    checker.block(&mechanism.body, true)?;
    checker.shape(&mechanism.output)
}

#[derive(Default)]
struct Checker {
    kinds: Kinds,
    shapes: BTreeMap<Name, Shape>,
    assigned: BTreeMap<Name, usize>,
    /// Whether shapes are known, so that decisions can be looked at.
    deciding: bool,
}

impl Checker {
    fn count_assignments(&mut self, body: &[Statement]) {
        for statement in body {
            match statement {
                Statement::Assign { var, .. } => *self.assigned.entry(var.clone()).or_insert(0) += 1,
                Statement::If { then, otherwise, .. } => {
                    self.count_assignments(then);
                    self.count_assignments(otherwise);
                }
                Statement::For { body, .. } | Statement::While { body, .. } => self.count_assignments(body),
                // A draw or an appended value varies anyway.
                Statement::Draw { .. } | Statement::Append { .. } => {}
            }
        }
    }

    fn learn(&mut self, name: &Name, shape: Shape) {
        let known = self.shapes.get(name).copied();
        let joined = known.map_or(shape, |known| if known == shape { known } else { known.join(shape) });
        self.shapes.insert(name.clone(), joined);
    }

    fn block(&mut self, body: &[Statement], outermost: bool) -> Result<(), RunError> {
        for statement in body {
            match statement {
                Statement::Draw { var, law } => {
                    let shape = self.law(law)?;
                    self.learn(var, shape);
                }
                Statement::Assign { var, value } => {
                    let shape = self.shape(value)?;
                    // Only these are computed before any input is seen.
                    let fixed = outermost && self.assigned.get(var) == Some(&1) && !shape.varies;
                    self.learn(var, Shape { varies: !fixed, ..shape });
                }
                Statement::Append { list, value } => {
                    let shape = self.shape(value)?;
                    // Joining would say so as well where it matters: a list begins empty, whose shape is that of a rational number.
                    self.learn(list, Shape { varies: true, ..shape });
                }
                Statement::If { guard, then, otherwise } => {
                    self.shape(guard)?;
                    self.block(then, false)?;
                    self.block(otherwise, false)?;
                }
                Statement::For { index, from, to, body } => {
                    self.shape(from)?;
                    self.shape(to)?;
                    self.learn(index, Shape::RATIONAL);
                    self.block(body, false)?;
                }
                Statement::While { guard, body, .. } => {
                    self.shape(guard)?;
                    self.block(body, false)?;
                }
            }
        }
        Ok(())
    }

    /// A decision about an expression of this shape.
    fn decides(&self, shape: Shape, expr: &Expr) -> Result<(), RunError> {
        match !self.deciding || shape.is_decidable() {
            true => Ok(()),
            false => Err(RunError::refused(
                expr,
                "its sides contain ln, exp or sqrt (Gumbel noise is a logarithm) in a way that might make them equal for some inputs, which no \
                 number of bits would tell; an error that depends on an input would leak it",
            )),
        }
    }

    /// The shape of a draw; decisions about its parameters.
    fn law(&self, law: &Distribution) -> Result<Shape, RunError> {
        for condition in law::conditions(law) {
            self.shape(&condition)?;
        }
        let decided = |expr: &Expr| -> Result<Shape, RunError> {
            let shape = self.shape(expr)?;
            self.decides(shape, expr)?;
            Ok(shape)
        };
        // A scale that does not depend on draws makes scale · noise a draw of its own.
        let noise = |scale: Shape| if scale.degree == 0 { Shape::DRAW } else { scale.times(Shape::DRAW) };
        Ok(match law {
            Distribution::Called(_) => return Err(RunError::malformed("a call that is not written out")),
            Distribution::PermuteAndFlip { .. } => {
                return Err(RunError::malformed("permute and flip that is not written out"));
            }
            Distribution::Gumbel { .. } => {
                return Err(RunError::malformed("Gumbel noise that is not written out"));
            }
            Distribution::Sample { .. } => {
                return Err(RunError::malformed("a sample that is not written out"));
            }
            Distribution::Uniform => Shape::DRAW,
            Distribution::Sign => Shape::RATIONAL,
            Distribution::Bernoulli(p) => {
                decided(p)?;
                Shape::RATIONAL
            }
            Distribution::UniformInt { low, high } => {
                decided(low)?;
                decided(high)?;
                Shape::RATIONAL
            }
            Distribution::UniformOther { value, count } => {
                decided(value)?;
                decided(count)?;
                Shape::RATIONAL
            }
            Distribution::Response { value, truth, count } => {
                decided(value)?;
                decided(truth)?;
                decided(count)?;
                Shape::RATIONAL
            }
            // A tie with a fresh uniform real has probability 0, whatever the scores are.
            Distribution::Choose { scale, .. } => {
                decided(scale)?;
                Shape::RATIONAL
            }
            Distribution::Laplace { center, scale } | Distribution::Gaussian { center, deviation: scale } => {
                self.shape(center)?.plus(noise(decided(scale)?))
            }
            Distribution::Exponential { scale } => noise(decided(scale)?),
            Distribution::DiscreteLaplace { center, scale }
            | Distribution::DiscreteGaussian { center, deviation: scale } => {
                decided(center)?;
                decided(scale)?;
                Shape::RATIONAL
            }
            Distribution::Geometric { scale } => {
                decided(scale)?;
                Shape::RATIONAL
            }
        })
    }

    fn variable(&self, variable: &Variable) -> Shape {
        match variable {
            Variable::Plain(name) => self.shapes.get(name).copied().unwrap_or_default(),
            _ => Shape::RATIONAL,
        }
    }

    /// The shape of an expression; for a truth value it is rational. Every decision inside is looked at.
    fn shape(&self, expr: &Expr) -> Result<Shape, RunError> {
        let constant = Shape { varies: false, ..Shape::RATIONAL };
        Ok(match expr {
            Expr::Number(_) | Expr::Bool(_) | Expr::EmptyList => constant,
            Expr::Var(variable) => self.variable(variable),
            // No text with a table comes here: it is refused before.
            Expr::Length(_) | Expr::Sum(..) | Expr::Apart(..) => Shape::RATIONAL,
            Expr::Index(list, index) => {
                self.shape(index)?;
                self.variable(list)
            }
            Expr::Unary(operation, a) => {
                let a = self.shape(a)?;
                if !matches!(operation, Unary::Neg | Unary::Exp | Unary::Not) {
                    self.decides(a, expr)?;
                }
                match operation {
                    Unary::Neg | Unary::Abs | Unary::Not => a,
                    Unary::Floor | Unary::Pow2AtLeast => Shape { varies: a.varies, ..Shape::RATIONAL },
                    Unary::Ln => a.ln(),
                    Unary::Exp => a.exp(),
                    Unary::Sqrt => a.sqrt(),
                }
            }
            Expr::Binary(operation, a, b) => {
                let (left, right) = (self.shape(a)?, self.shape(b)?);
                let rational = Shape { varies: left.varies || right.varies, ..Shape::RATIONAL };
                match operation {
                    Binary::Add | Binary::Sub => left.plus(right),
                    Binary::Mul => left.times(right),
                    Binary::Div => {
                        self.decides(right, expr)?;
                        left.over(right)
                    }
                    Binary::Min | Binary::Max => {
                        self.decides(left.plus(right), expr)?;
                        Shape { varies: rational.varies, ..left.join(right) }
                    }
                    Binary::RoundTo => {
                        self.decides(right, expr)?;
                        self.decides(left.over(right), expr)?;
                        Shape { varies: rational.varies, ..right }
                    }
                    Binary::Mod => {
                        self.decides(right, expr)?;
                        self.decides(left.over(right), expr)?;
                        left.plus(right)
                    }
                    Binary::And | Binary::Or => rational,
                    _ => {
                        let numbers = !matches!(self.kinds.kind(a), Some(Kind::Truth));
                        if Relation::of(*operation).is_some() && numbers {
                            self.decides(left.plus(right), expr)?;
                        }
                        rational
                    }
                }
            }
            Expr::Clamp(value, low, high) => {
                let (value, low, high) = (self.shape(value)?, self.shape(low)?, self.shape(high)?);
                self.decides(value.plus(high), expr)?;
                let smaller = value.join(high);
                let varies = value.varies || low.varies || high.varies;
                self.decides(Shape { varies, ..smaller.plus(low) }, expr)?;
                Shape { varies, ..smaller.join(low) }
            }
            Expr::If(condition, yes, no) => {
                let condition = self.shape(condition)?;
                let (yes, no) = (self.shape(yes)?, self.shape(no)?);
                Shape { varies: condition.varies || yes.varies || no.varies, ..yes.join(no) }
            }
        })
    }
}
