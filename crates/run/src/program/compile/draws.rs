//! The code of draws. When a law means something is the kernel's to say, and is asked before each draw.

use probity_kernel::expr::{Expr, Name};
use probity_kernel::law;
use probity_kernel::term::Distribution;

use super::super::code::{Instruction, Law, Place};
use super::Compiler;
use super::constants::Constant;
use crate::error::RunError;

impl Compiler {
    /// Code that stops the run unless the law means something; none where the parameters settle it.
    fn require(&mut self, law: &Distribution) -> Result<(), RunError> {
        for condition in law::conditions(law) {
            if let Some(Constant::Truth(true)) = self.constant(&condition)? {
                continue;
            }
            let fine = self.new_label();
            self.branch(&condition, true, fine)?;
            self.emit(Instruction::OutOfRange);
            self.put(fine);
        }
        for place in law::integer_places(law) {
            let known = match self.constant(place)? {
                Some(Constant::Number(number)) => self.tape.is_integer(number),
                _ => false,
            };
            if !known {
                let register = self.number(place, None)?;
                self.emit(Instruction::Whole(register));
            }
        }
        Ok(())
    }

    /// The code of a draw, after what the kernel asks of its law.
    pub(super) fn draw(&mut self, var: &Name, law: &Distribution) -> Result<(), RunError> {
        self.require(law)?;
        if let Distribution::Choose { scores, scale } = law {
            let (list, scale) = (self.list_register(scores)?, self.number(scale, None)?);
            let Place::Number(to) = self.place_of(var) else {
                return Err(RunError::malformed("a number is drawn into what holds none"));
            };
            self.emit(Instruction::Draw(to, Law::Choose(list, scale)));
            return Ok(());
        }
        let mut at = |expr: &Expr| self.number(expr, None);
        let law = match law {
            Distribution::Bernoulli(p) => {
                let p = at(p)?;
                let Place::Truth(to) = self.place_of(var) else {
                    return Err(RunError::malformed("a coin is tossed into what holds no truth value"));
                };
                self.emit(Instruction::Coin(to, p));
                return Ok(());
            }
            Distribution::Choose { .. }
            | Distribution::PermuteAndFlip { .. }
            | Distribution::Gumbel { .. }
            | Distribution::Called(_)
            | Distribution::Sample { .. } => {
                return Err(RunError::malformed(
                    "a choice without a list, a law that is not written out, a call or a sample",
                ));
            }
            Distribution::Uniform => Law::Uniform,
            Distribution::Sign => Law::Sign,
            Distribution::UniformInt { low, high } => Law::UniformInt(at(low)?, at(high)?),
            Distribution::UniformOther { value, count } => Law::UniformOther(at(value)?, at(count)?),
            Distribution::Response { value, truth, count } => {
                Law::Response(at(value)?, at(truth)?, at(count)?)
            }
            Distribution::Laplace { center, scale } => Law::Laplace(at(center)?, at(scale)?),
            Distribution::DiscreteLaplace { center, scale } => Law::DiscreteLaplace(at(center)?, at(scale)?),
            Distribution::Gaussian { center, deviation } => Law::Gaussian(at(center)?, at(deviation)?),
            Distribution::DiscreteGaussian { center, deviation } => {
                Law::DiscreteGaussian(at(center)?, at(deviation)?)
            }
            Distribution::Exponential { scale } => Law::Exponential(at(scale)?),
            Distribution::Geometric { scale } => Law::Geometric(at(scale)?),
        };
        let Place::Number(to) = self.place_of(var) else {
            return Err(RunError::malformed("a number is drawn into what holds none"));
        };
        self.emit(Instruction::Draw(to, law));
        Ok(())
    }
}
