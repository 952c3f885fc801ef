//! Runs a program in a world, step by step.

use probity_exact::Rational;
use probity_kernel::expr::{Binary, Name, Unary};

use crate::deadline::Deadline;
use crate::error::AuditError;
use crate::run::endless::Recurrence;
use crate::run::program::{Draw, Node, Step, Stop, Value, World, wrong};

/// A number of so many bits is computed with slowly.
const LONG_BITS: usize = 1 << 12;

/// A number of more bits is not computed with.
pub(crate) const MOST_BITS: usize = 1 << 20;

/// One run.
pub(crate) struct Machine<'a, W: World> {
    pub(crate) world: &'a mut W,
    pub(crate) values: &'a mut Vec<Option<Value<W::Number>>>,
    pub(crate) names: &'a [Name],
    pub(crate) output_list: Option<usize>,
    pub(crate) budget: u32,
    pub(crate) until: &'a Deadline,
}

impl<W: World> Machine<'_, W> {
    fn slot(&self, slot: usize) -> Result<&Value<W::Number>, Stop> {
        self.values[slot]
            .as_ref()
            .ok_or_else(|| AuditError::Unassigned { name: self.names[slot].to_string() }.into())
    }

    fn spend(&mut self) -> Result<(), Stop> {
        self.budget = self.budget.checked_sub(1).ok_or(AuditError::TooManySteps)?;
        // The clock is looked at now and then: a step is shorter than a look.
        if self.budget.is_multiple_of(4096) { Ok(self.until.check()?) } else { Ok(()) }
    }

    /// A number that was computed, unless it takes too many bits. With many bits one step is longer than a look at the clock.
    fn sized(&self, number: W::Number) -> Result<W::Number, Stop> {
        match self.world.bits(&number) {
            0..LONG_BITS => {}
            LONG_BITS..=MOST_BITS => self.until.check()?,
            _ => return Err(AuditError::TooLarge.into()),
        }
        Ok(number)
    }

    pub(crate) fn steps(&mut self, steps: &[Step<W::Number>]) -> Result<(), Stop> {
        for step in steps {
            self.spend()?;
            match step {
                Step::Draw(slot, law, range) => {
                    for condition in range {
                        if !self.truth(&condition.node)? {
                            let (draw, needed) = (condition.draw.to_string(), condition.text.clone());
                            return Err(AuditError::OutOfRange { draw, needed }.into());
                        }
                    }
                    let mut arguments = Vec::with_capacity(law.arguments.len());
                    for argument in &law.arguments {
                        match argument {
                            // A list is as many arguments as it has entries.
                            Node::Slot(slot) if matches!(self.slot(*slot)?, Value::List(_)) => {
                                let Value::List(items) = self.slot(*slot)? else { continue };
                                for item in items {
                                    arguments.push(item.number()?.clone());
                                }
                            }
                            _ => arguments.push(self.number(argument)?),
                        }
                    }
                    let drawn = self.world.draw(&Draw { kind: law.kind, arguments })?;
                    self.values[*slot] = Some(drawn);
                }
                Step::Assign(slot, value) => self.values[*slot] = Some(self.eval(value)?),
                Step::Append(slot, value) => {
                    let value = self.eval(value)?;
                    let length = match self.slot(*slot)? {
                        Value::List(items) => items.len(),
                        _ => return Err(wrong("what is appended to", "a list")),
                    };
                    if self.output_list == Some(*slot) {
                        self.world.appended(length, &value)?;
                    }
                    if let Some(Value::List(items)) = &mut self.values[*slot] {
                        items.push(value);
                    }
                }
                Step::If(guard, then, otherwise) => {
                    let branch = if self.truth(guard)? { then } else { otherwise };
                    self.steps(branch)?;
                }
                Step::For(slot, from, to, body) => {
                    let (from, to) = (self.number(from)?, self.number(to)?);
                    let (from, to) = (self.world.integer(&from)?, self.world.integer(&to)?);
                    for i in from..to {
                        self.values[*slot] = Some(Value::Number(self.world.constant(&Rational::from(i))));
                        self.spend()?;
                        self.steps(body)?;
                    }
                }
                Step::While(guard, body, deciding) => {
                    let mut recurrence = deciding.as_ref().map(|slots| Recurrence::new(slots, self.values));
                    while self.truth(guard)? {
                        self.spend()?;
                        self.steps(body)?;
                        if recurrence.as_mut().is_some_and(|seen| seen.is_back(self.values)) {
                            // The guard held for these values, and holds for them again.
                            return Err(Stop::Endless);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The entry of a list, 0 where it has none.
    fn entry(&mut self, list: usize, index: &Node<W::Number>) -> Result<Value<W::Number>, Stop> {
        let index = self.number(index)?;
        let index = self.world.integer(&index)?;
        let Value::List(items) = self.slot(list)? else { return Err(wrong("what is indexed", "a list")) };
        let item = usize::try_from(index).ok().and_then(|i| items.get(i)).cloned();
        Ok(item.unwrap_or_else(|| Value::Number(self.world.constant(&Rational::ZERO))))
    }

    fn number(&mut self, node: &Node<W::Number>) -> Result<W::Number, Stop> {
        match node {
            Node::Slot(slot) => self.slot(*slot)?.number().cloned(),
            Node::Constant(value) => value.number().cloned(),
            Node::Unary(op, a) if *op != Unary::Not => {
                let a = self.number(a)?;
                let found = self.world.unary(*op, &a)?;
                self.sized(found)
            }
            Node::Binary(op, operands) if is_arithmetic(*op) => {
                let a = self.number(&operands.0)?;
                let b = self.number(&operands.1)?;
                let found = self.world.binary(*op, &a, &b)?;
                self.sized(found)
            }
            Node::Clamp(parts) => {
                let value = self.number(&parts.0)?;
                let low = self.number(&parts.1)?;
                let high = self.number(&parts.2)?;
                let below = self.world.binary(Binary::Min, &value, &high)?;
                self.world.binary(Binary::Max, &low, &below)
            }
            Node::If(parts) => match self.truth(&parts.0) {
                Ok(holds) => self.number(if holds { &parts.1 } else { &parts.2 }),
                Err(stop) => self.world.in_place_of(stop),
            },
            Node::Index(slot, index) => self.entry(*slot, index)?.number().cloned(),
            Node::Length(slot) => match self.slot(*slot)? {
                Value::List(items) => Ok(self.world.constant(&Rational::from(items.len()))),
                _ => Err(wrong("the argument of length", "a list")),
            },
            Node::Unary(..) | Node::Binary(..) => Err(wrong("an operand", "a number")),
        }
    }

    fn truth(&mut self, node: &Node<W::Number>) -> Result<bool, Stop> {
        self.eval(node)?.truth()
    }

    pub(crate) fn eval(&mut self, node: &Node<W::Number>) -> Result<Value<W::Number>, Stop> {
        match node {
            Node::Slot(slot) => self.slot(*slot).cloned(),
            Node::Constant(value) => Ok(value.clone()),
            Node::Unary(Unary::Not, a) => Ok(Value::Bool(!self.truth(a)?)),
            Node::Binary(Binary::And, operands) => {
                Ok(Value::Bool(self.truth(&operands.0)? && self.truth(&operands.1)?))
            }
            Node::Binary(Binary::Or, operands) => {
                Ok(Value::Bool(self.truth(&operands.0)? || self.truth(&operands.1)?))
            }
            Node::Binary(op, operands) if !is_arithmetic(*op) => {
                let a = self.eval(&operands.0)?;
                let b = self.eval(&operands.1)?;
                Ok(Value::Bool(self.compare(*op, &a, &b)?))
            }
            Node::If(parts) if is_number(&parts.1) || is_number(&parts.2) => {
                Ok(Value::Number(self.number(node)?))
            }
            Node::If(parts) => {
                let branch = if self.truth(&parts.0)? { &parts.1 } else { &parts.2 };
                self.eval(branch)
            }
            Node::Index(slot, index) => self.entry(*slot, index),
            _ => Ok(Value::Number(self.number(node)?)),
        }
    }

    fn compare(&mut self, op: Binary, a: &Value<W::Number>, b: &Value<W::Number>) -> Result<bool, Stop> {
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => self.world.compare(op, a, b),
            (Value::Bool(a), Value::Bool(b)) if op == Binary::Eq => Ok(a == b),
            (Value::Bool(a), Value::Bool(b)) if op == Binary::Ne => Ok(a != b),
            (Value::List(a), Value::List(b)) if op == Binary::Eq || op == Binary::Ne => {
                let mut same = a.len() == b.len();
                for (x, y) in a.iter().zip(b) {
                    same = same && self.compare(Binary::Eq, x, y)?;
                }
                Ok(same == (op == Binary::Eq))
            }
            _ => Err(wrong("the two sides of a comparison", "of one kind")),
        }
    }
}

/// Whether an expression is a number by its form alone.
fn is_number<N>(node: &Node<N>) -> bool {
    match node {
        Node::Constant(Value::Number(_)) | Node::Clamp(_) | Node::Length(_) => true,
        Node::Unary(op, _) => *op != Unary::Not,
        Node::Binary(op, _) => is_arithmetic(*op),
        _ => false,
    }
}

fn is_arithmetic(op: Binary) -> bool {
    use Binary::*;
    matches!(op, Add | Sub | Mul | Div | Mod | Min | Max | RoundTo)
}
