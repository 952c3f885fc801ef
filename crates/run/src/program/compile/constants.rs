//! What the parameters fix is computed once, by the same operations as in a run.

use probity_exact::Rational;
use probity_kernel::expr::{Binary, Expr, Unary, Variable};

use super::super::code::Relation;
use super::Compiler;
use crate::error::RunError;
use crate::lazy::decide::Stop;
use crate::lazy::source::Nothing;
use crate::lazy::tape::Number;

/// A value that the parameters fix.
#[derive(Clone, Copy, Debug)]
pub(super) enum Constant {
    Number(Number),
    Truth(bool),
}

/// The value of a term made of numbers, if it is rational, and a double that is not below it.
pub(crate) fn constant_value(expr: &Expr) -> (Option<Rational>, f64) {
    let mut compiler = Compiler::default();
    match compiler.evaluate(expr) {
        Ok(Some(Constant::Number(number))) => (compiler.tape.value(number), number.interval.high),
        _ => (None, f64::INFINITY),
    }
}

impl Compiler {
    /// The value of an expression that the parameters fix; `None` for any other.
    pub(super) fn constant(&mut self, expr: &Expr) -> Result<Option<Constant>, RunError> {
        let mut fixed = !matches!(expr, Expr::EmptyList);
        expr.for_each_variable(&mut |variable| {
            fixed &= matches!(variable, Variable::Plain(name) if self.fixed.contains_key(name));
        });
        if !fixed {
            return Ok(None);
        }
        match self.evaluate(expr) {
            Ok(value) => Ok(value),
            Err(_) => Err(RunError::refused(
                expr,
                "its value is fixed by the parameters, but 4096 bits do not tell which of two numbers is larger",
            )),
        }
    }

    fn evaluate(&mut self, expr: &Expr) -> Result<Option<Constant>, Stop> {
        let nothing = &mut Nothing;
        macro_rules! number {
            ($expr:expr) => {
                match self.evaluate($expr)? {
                    Some(Constant::Number(number)) => number,
                    _ => return Ok(None),
                }
            };
        }
        macro_rules! truth {
            ($expr:expr) => {
                match self.evaluate($expr)? {
                    Some(Constant::Truth(truth)) => truth,
                    _ => return Ok(None),
                }
            };
        }
        Ok(Some(match expr {
            Expr::Number(value) => Constant::Number(self.tape.rational(value.clone())),
            Expr::Bool(value) => Constant::Truth(*value),
            Expr::Var(Variable::Plain(name)) => return Ok(self.fixed.get(name).copied()),
            Expr::Unary(Unary::Not, a) => Constant::Truth(!truth!(a)),
            Expr::Unary(operation, a) => {
                let a = number!(a);
                Constant::Number(match operation {
                    Unary::Neg => self.tape.neg(a),
                    Unary::Abs => self.tape.abs(a, nothing)?,
                    Unary::Floor => self.tape.floor(a, nothing)?,
                    Unary::Ln => self.tape.logarithm(a, nothing)?,
                    Unary::Exp => self.tape.exp(a),
                    Unary::Sqrt => self.tape.root(a, nothing)?,
                    Unary::Pow2AtLeast => self.tape.pow2_at_least(a, nothing)?,
                    Unary::Not => return Ok(None),
                })
            }
            Expr::Binary(Binary::And, a, b) => Constant::Truth(truth!(a) && truth!(b)),
            Expr::Binary(Binary::Or, a, b) => Constant::Truth(truth!(a) || truth!(b)),
            Expr::Binary(operation, a, b) => match (self.evaluate(a)?, self.evaluate(b)?) {
                (Some(Constant::Number(a)), Some(Constant::Number(b))) => match Relation::of(*operation) {
                    Some(relation) => Constant::Truth(relation.holds(self.tape.compare(a, b, nothing)?)),
                    None => Constant::Number(match operation {
                        Binary::Add => self.tape.add(a, b),
                        Binary::Sub => self.tape.sub(a, b),
                        Binary::Mul => self.tape.mul(a, b),
                        Binary::Div => self.tape.quotient(a, b, nothing)?,
                        Binary::Mod => self.tape.modulo(a, b, nothing)?,
                        Binary::Min => self.tape.min(a, b, nothing)?,
                        Binary::Max => self.tape.max(a, b, nothing)?,
                        Binary::RoundTo => self.tape.round_to(a, b, nothing)?,
                        _ => return Ok(None),
                    }),
                },
                (Some(Constant::Truth(a)), Some(Constant::Truth(b))) => match operation {
                    Binary::Eq => Constant::Truth(a == b),
                    Binary::Ne => Constant::Truth(a != b),
                    _ => return Ok(None),
                },
                _ => return Ok(None),
            },
            Expr::Clamp(value, low, high) => {
                let (value, low, high) = (number!(value), number!(low), number!(high));
                let smaller = self.tape.min(value, high, nothing)?;
                Constant::Number(self.tape.max(low, smaller, nothing)?)
            }
            Expr::If(condition, yes, no) => {
                return if truth!(condition) { self.evaluate(yes) } else { self.evaluate(no) };
            }
            _ => return Ok(None),
        }))
    }
}
