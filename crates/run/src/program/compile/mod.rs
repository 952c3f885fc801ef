//! From a mechanism to the flat program. Names become registers; what the parameters fix is computed here, once.

mod constants;
mod draws;

use std::collections::BTreeMap;

use probity_exact::Rational;
use probity_kernel::expr::{Binary, Expr, Name, Unary, Variable};
use probity_kernel::term::{Mechanism, Sort, Statement};

use super::assigned::assigned;
use super::code::{Code, Instruction, Kind, One, Place, Relation, Target, Two};
use super::kinds::Kinds;
use super::machine::Machine;
use crate::error::RunError;
use crate::lazy::tape::{Number, Tape};
use crate::sample::is_coins;
use crate::written_sum::{RowLoop, row_loop};
use constants::Constant;
pub(crate) use constants::constant_value;

/// A place that is not known yet.
type Label = u32;

/// The program, and a machine with its constants.
pub(crate) fn compile(mechanism: &Mechanism) -> Result<(Code, Machine), RunError> {
    let (kinds, assigned) = (Kinds::of(mechanism), assigned(&mechanism.body));
    let mut compiler = Compiler { kinds, assigned, ..Compiler::default() };
    let mut inputs = Vec::new();
    for input in &mechanism.inputs {
        let place = compiler.place_of(&input.name);
        inputs.push((input.name.clone(), place));
    }
    let mut assumptions = Vec::new();
    for assumption in range_assumptions(mechanism).chain(mechanism.assumptions.iter().cloned()) {
        compiler.begin(assumption.to_string());
        let start = compiler.here();
        let register = match assumption.find_variable(&|v| matches!(v, Variable::Entry(_))) {
            Some(Variable::Entry(list)) => compiler.of_every_entry(&assumption, &list)?,
            _ => compiler.truth(&assumption, None)?,
        };
        compiler.emit(Instruction::Halt);
        assumptions.push((start, register, assumption.to_string()));
    }
    let start = compiler.here();
    compiler.block(&mechanism.body, true)?;
    compiler.begin(format!("return {}", mechanism.output));
    let output = compiler.output(&mechanism.output)?;
    compiler.emit(Instruction::Halt);
    compiler.finish(inputs, assumptions, start, output)
}

/// What the types of inputs say beyond their being numbers.
fn range_assumptions(mechanism: &Mechanism) -> impl Iterator<Item = Expr> {
    mechanism.inputs.iter().filter_map(|input| match &input.sort {
        Sort::Category { count } => {
            let x = || Expr::var(input.name.clone());
            Some(Expr::int(0).le(x()).and(x().lt(count.clone())))
        }
        _ => None,
    })
}

#[derive(Default)]
struct Compiler {
    tape: Tape,
    kinds: Kinds,
    steps: Vec<Instruction>,
    origins: Vec<u32>,
    statements: Vec<String>,
    registers: BTreeMap<Name, Place>,
    /// How often each variable is assigned.
    assigned: BTreeMap<Name, usize>,
    /// Variables that the parameters fix.
    fixed: BTreeMap<Name, Constant>,
    constants: Vec<(u32, Number)>,
    truth_constants: Vec<(u32, bool)>,
    by_value: BTreeMap<Rational, u32>,
    labels: Vec<Option<Target>>,
    numbers: u32,
    truths: u32,
    lists: u32,
    counters: u32,
    notes: u32,
    coins: Vec<u32>,
}

impl Compiler {
    fn begin(&mut self, statement: String) {
        self.statements.push(statement);
    }

    fn here(&self) -> Target {
        self.steps.len() as Target
    }

    fn emit(&mut self, instruction: Instruction) {
        self.steps.push(instruction);
        self.origins.push(self.statements.len().saturating_sub(1) as u32);
    }

    fn new_number(&mut self) -> u32 {
        self.numbers += 1;
        self.numbers - 1
    }

    fn new_truth(&mut self) -> u32 {
        self.truths += 1;
        self.truths - 1
    }

    fn new_label(&mut self) -> Label {
        self.labels.push(None);
        self.labels.len() as Label - 1
    }

    fn put(&mut self, label: Label) {
        self.labels[label as usize] = Some(self.here());
    }

    /// Whether an assumption holds of every entry of a list.
    fn of_every_entry(&mut self, assumption: &Expr, list: &Name) -> Result<u32, RunError> {
        let holds = self.new_truth();
        self.emit(Instruction::SetTruth(holds, true));
        let (from, index) = (self.constant_register(Number::ZERO), self.new_number());
        let list = Variable::Plain(list.clone());
        let to = self.number(&Expr::Length(list.clone()), None)?;
        // No text has a name with a space.
        let place = Name::new("a place");
        self.registers.insert(place.clone(), Place::Number(index));
        let entry = Expr::var(place).index_of(list);
        let here = assumption.replace(&|v| matches!(v, Variable::Entry(_)).then(|| entry.clone()));
        let counter = self.counters;
        self.counters += 1;
        let (again, fine, end) = (self.new_label(), self.new_label(), self.new_label());
        self.emit(Instruction::Count { counter, index, from, to, end });
        self.put(again);
        self.branch(&here, true, fine)?;
        self.emit(Instruction::SetTruth(holds, false));
        self.put(fine);
        self.emit(Instruction::Next { counter, index, body: again });
        self.put(end);
        Ok(holds)
    }

    /// The register of a variable.
    fn place_of(&mut self, name: &Name) -> Place {
        if let Some(place) = self.registers.get(name) {
            return *place;
        }
        let kind = self.kinds.variable(&Variable::Plain(name.clone())).unwrap_or(Kind::Numbers);
        let place = match kind {
            Kind::Number => Place::Number(self.new_number()),
            Kind::Truth => Place::Truth(self.new_truth()),
            list => {
                self.lists += 1;
                if is_coins(name) {
                    self.coins.push(self.lists - 1);
                }
                Place::List(self.lists - 1, list)
            }
        };
        self.registers.insert(name.clone(), place);
        place
    }

    fn block(&mut self, body: &[Statement], outermost: bool) -> Result<(), RunError> {
        for statement in body {
            let text = statement.to_string();
            self.begin(text.lines().next().unwrap_or_default().to_owned());
            self.statement(statement, outermost)?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement, outermost: bool) -> Result<(), RunError> {
        match statement {
            Statement::Draw { var, law } => self.draw(var, law),
            Statement::Assign { var, value } => {
                if outermost
                    && self.assigned.get(var) == Some(&1)
                    && let Some(constant) = self.constant(value)?
                {
                    self.fixed.insert(var.clone(), constant);
                    return Ok(());
                }
                match self.place_of(var) {
                    Place::Number(to) => self.number(value, Some(to)).map(drop),
                    Place::Truth(to) => self.truth(value, Some(to)).map(drop),
                    Place::List(to, _) => self.list(value, to),
                }
            }
            Statement::Append { list, value } => match self.place_of(list) {
                Place::List(to, Kind::Truths) => {
                    let value = self.truth(value, None)?;
                    self.emit(Instruction::AppendTruth(to, value));
                    Ok(())
                }
                Place::List(to, _) => {
                    let value = self.number(value, None)?;
                    self.emit(Instruction::Append(to, value));
                    Ok(())
                }
                _ => Err(RunError::malformed("something is appended to what is no list")),
            },
            Statement::If { guard, then, otherwise } => {
                let (no, end) = (self.new_label(), self.new_label());
                self.branch(guard, false, no)?;
                self.block(then, false)?;
                if !otherwise.is_empty() {
                    self.emit(Instruction::Jump(end));
                }
                self.put(no);
                self.block(otherwise, false)?;
                self.put(end);
                Ok(())
            }
            Statement::For { index, from, to, body } => {
                let (from, to) = (self.number(from, None)?, self.number(to, None)?);
                let name = index;
                let Place::Number(index) = self.place_of(index) else {
                    return Err(RunError::malformed("a loop counts with what is no number"));
                };
                let (rows, note, counter) = (row_loop(name, body), self.notes, self.counters);
                self.notes += u32::from(rows.is_some());
                self.counters += 1;
                let sum = match rows {
                    Some(RowLoop::Sum(sum, _)) => match self.place_of(sum) {
                        Place::Number(register) => Some(register),
                        _ => return Err(RunError::malformed("a sum is no number")),
                    },
                    _ => None,
                };
                let (again, end) = (self.new_label(), self.new_label());
                // A sum stays from row to row; of coins nothing does.
                if sum.is_some() {
                    self.emit(Instruction::Begin(note));
                }
                self.emit(Instruction::Count { counter, index, from, to, end });
                self.put(again);
                if matches!(rows, Some(RowLoop::Coins)) {
                    self.emit(Instruction::Begin(note));
                }
                self.block(body, false)?;
                if rows.is_some() {
                    self.emit(Instruction::Settle { note, sum, last: false });
                }
                self.emit(Instruction::Next { counter, index, body: again });
                self.put(end);
                if sum.is_some() {
                    self.emit(Instruction::Settle { note, sum, last: true });
                }
                Ok(())
            }
            Statement::While { guard, body, .. } => {
                let (again, end) = (self.new_label(), self.new_label());
                self.put(again);
                self.branch(guard, false, end)?;
                self.block(body, false)?;
                self.emit(Instruction::Jump(again));
                self.put(end);
                Ok(())
            }
        }
    }

    fn output(&mut self, expr: &Expr) -> Result<Place, RunError> {
        Ok(match self.kinds.kind(expr) {
            Some(Kind::Truth) => Place::Truth(self.truth(expr, None)?),
            Some(Kind::Number) => Place::Number(self.number(expr, None)?),
            kind => {
                self.lists += 1;
                let (to, kind) = (self.lists - 1, kind.unwrap_or(Kind::Numbers));
                if let Expr::Var(Variable::Plain(name)) = expr
                    && let place @ Place::List(..) = self.place_of(name)
                {
                    return Ok(place);
                }
                self.list(expr, to)?;
                Place::List(to, kind)
            }
        })
    }

    /// The code of a list, into a register.
    fn list(&mut self, expr: &Expr, to: u32) -> Result<(), RunError> {
        match expr {
            Expr::EmptyList => self.emit(Instruction::Clear(to)),
            Expr::Var(Variable::Plain(name)) => match self.place_of(name) {
                Place::List(from, _) => self.emit(Instruction::CopyList(to, from)),
                _ => return Err(RunError::malformed("a list is expected")),
            },
            Expr::If(condition, yes, no) => {
                let (otherwise, end) = (self.new_label(), self.new_label());
                self.branch(condition, false, otherwise)?;
                self.list(yes, to)?;
                self.emit(Instruction::Jump(end));
                self.put(otherwise);
                self.list(no, to)?;
                self.put(end);
            }
            _ => return Err(RunError::malformed("a list is expected")),
        }
        Ok(())
    }

    /// The register of a list that is compared.
    fn list_register(&mut self, expr: &Expr) -> Result<u32, RunError> {
        if let Expr::Var(Variable::Plain(name)) = expr
            && let Place::List(register, _) = self.place_of(name)
        {
            return Ok(register);
        }
        self.lists += 1;
        let to = self.lists - 1;
        self.list(expr, to)?;
        Ok(to)
    }

    fn constant_register(&mut self, number: Number) -> u32 {
        let value = self.tape.value(number);
        if let Some(register) = value.as_ref().and_then(|value| self.by_value.get(value)) {
            return *register;
        }
        // A rational number by itself, however it is written: no step has to compute it again.
        let number = value.as_ref().map_or(number, |value| self.tape.rational(value.clone()));
        let register = self.new_number();
        self.constants.push((register, number));
        if let Some(value) = value {
            self.by_value.insert(value, register);
        }
        register
    }

    /// The code of a number, into a register if one is given; the register in which it is.
    fn number(&mut self, expr: &Expr, into: Option<u32>) -> Result<u32, RunError> {
        let there = |compiler: &mut Compiler, register: u32| match into {
            Some(to) => {
                compiler.emit(Instruction::Move(to, register));
                to
            }
            None => register,
        };
        if let Some(constant) = self.constant(expr)? {
            let Constant::Number(number) = constant else {
                return Err(RunError::malformed("a number is expected"));
            };
            let register = self.constant_register(number);
            return Ok(there(self, register));
        }
        if let Expr::Var(Variable::Plain(name)) = expr {
            let Place::Number(register) = self.place_of(name) else {
                return Err(RunError::malformed("a number is expected"));
            };
            return Ok(there(self, register));
        }
        let instruction: Box<dyn FnOnce(u32) -> Instruction> = match expr {
            Expr::Unary(operation, a) => {
                let a = self.number(a, None)?;
                let operation = one(*operation)?;
                Box::new(move |to| Instruction::One(operation, to, a))
            }
            Expr::Binary(operation, a, b) => {
                let (a, b) = (self.number(a, None)?, self.number(b, None)?);
                let operation = two(*operation)?;
                Box::new(move |to| Instruction::Two(operation, to, a, b))
            }
            Expr::Clamp(value, low, high) => {
                // max(low, min(value, high)), also for low > high.
                let (value, low, high) =
                    (self.number(value, None)?, self.number(low, None)?, self.number(high, None)?);
                let smaller = self.new_number();
                self.emit(Instruction::Two(Two::Min, smaller, value, high));
                Box::new(move |to| Instruction::Two(Two::Max, to, low, smaller))
            }
            Expr::Index(Variable::Plain(list), index) => {
                let index = self.number(index, None)?;
                let Place::List(list, _) = self.place_of(list) else {
                    return Err(RunError::malformed("a list is expected"));
                };
                Box::new(move |to| Instruction::Entry(to, list, index))
            }
            Expr::Length(Variable::Plain(list)) => {
                let Place::List(list, _) = self.place_of(list) else {
                    return Err(RunError::malformed("a list is expected"));
                };
                Box::new(move |to| Instruction::Length(to, list))
            }
            Expr::If(condition, yes, no) => {
                // Not straight into the given register: the branches may read it.
                let to = self.new_number();
                let (otherwise, end) = (self.new_label(), self.new_label());
                self.branch(condition, false, otherwise)?;
                self.number(yes, Some(to))?;
                self.emit(Instruction::Jump(end));
                self.put(otherwise);
                self.number(no, Some(to))?;
                self.put(end);
                return Ok(there(self, to));
            }
            _ => return Err(RunError::malformed("a number is expected")),
        };
        let to = into.unwrap_or_else(|| self.new_number());
        self.emit(instruction(to));
        Ok(to)
    }

    /// The code of a truth value, into a register if one is given; the register in which it is.
    fn truth(&mut self, expr: &Expr, into: Option<u32>) -> Result<u32, RunError> {
        if let Some(constant) = self.constant(expr)? {
            let Constant::Truth(value) = constant else {
                return Err(RunError::malformed("a truth value is expected"));
            };
            let to = match into {
                Some(to) => {
                    self.emit(Instruction::SetTruth(to, value));
                    to
                }
                None => {
                    let to = self.new_truth();
                    self.truth_constants.push((to, value));
                    to
                }
            };
            return Ok(to);
        }
        match expr {
            Expr::Var(Variable::Plain(name)) => {
                let Place::Truth(register) = self.place_of(name) else {
                    return Err(RunError::malformed("a truth value is expected"));
                };
                match into {
                    Some(to) => self.emit(Instruction::MoveTruth(to, register)),
                    None => return Ok(register),
                }
                Ok(into.unwrap_or(register))
            }
            Expr::Index(Variable::Plain(list), index) => {
                let index = self.number(index, None)?;
                let Place::List(list, _) = self.place_of(list) else {
                    return Err(RunError::malformed("a list is expected"));
                };
                let to = into.unwrap_or_else(|| self.new_truth());
                self.emit(Instruction::EntryTruth(to, list, index));
                Ok(to)
            }
            _ => {
                // Not straight into the given register: the condition may read it.
                let to = self.new_truth();
                let (no, end) = (self.new_label(), self.new_label());
                self.branch(expr, false, no)?;
                self.emit(Instruction::SetTruth(to, true));
                self.emit(Instruction::Jump(end));
                self.put(no);
                self.emit(Instruction::SetTruth(to, false));
                self.put(end);
                if let Some(given) = into {
                    self.emit(Instruction::MoveTruth(given, to));
                    return Ok(given);
                }
                Ok(to)
            }
        }
    }

    /// Code that jumps if a condition comes out as wanted, and goes on otherwise.
    fn branch(&mut self, expr: &Expr, wanted: bool, target: Label) -> Result<(), RunError> {
        if let Some(constant) = self.constant(expr)? {
            if matches!(constant, Constant::Truth(value) if value == wanted) {
                self.emit(Instruction::Jump(target));
            }
            return Ok(());
        }
        match expr {
            Expr::Unary(Unary::Not, a) => self.branch(a, !wanted, target),
            // One false part makes a conjunction false, one true part a disjunction true.
            Expr::Binary(operation @ (Binary::And | Binary::Or), a, b) => {
                let decisive = *operation == Binary::Or;
                if wanted == decisive {
                    self.branch(a, decisive, target)?;
                    return self.branch(b, decisive, target);
                }
                let skip = self.new_label();
                self.branch(a, decisive, skip)?;
                self.branch(b, wanted, target)?;
                self.put(skip);
                Ok(())
            }
            Expr::If(condition, yes, no) => {
                let (otherwise, end) = (self.new_label(), self.new_label());
                self.branch(condition, false, otherwise)?;
                self.branch(yes, wanted, target)?;
                self.emit(Instruction::Jump(end));
                self.put(otherwise);
                self.branch(no, wanted, target)?;
                self.put(end);
                Ok(())
            }
            Expr::Binary(operation, a, b) => {
                let relation =
                    Relation::of(*operation).ok_or(RunError::malformed("a condition is expected"))?;
                let kind = self.kinds.kind(a).or_else(|| self.kinds.kind(b));
                let same = wanted == (relation == Relation::Eq);
                match kind {
                    Some(Kind::Truth) => {
                        let (a, b) = (self.truth(a, None)?, self.truth(b, None)?);
                        self.emit(Instruction::JumpSame(a, b, same, target));
                    }
                    Some(Kind::Number) => {
                        let (a, b) = (self.number(a, None)?, self.number(b, None)?);
                        self.emit(Instruction::JumpIf(relation, a, b, wanted, target));
                    }
                    _ => {
                        let (a, b) = (self.list_register(a)?, self.list_register(b)?);
                        self.emit(Instruction::JumpSameList(a, b, same, target));
                    }
                }
                Ok(())
            }
            _ => {
                let register = self.truth(expr, None)?;
                self.emit(Instruction::JumpTruth(register, wanted, target));
                Ok(())
            }
        }
    }

    fn finish(
        mut self,
        inputs: Vec<(Name, Place)>,
        assumptions: Vec<(Target, u32, String)>,
        start: Target,
        output: Place,
    ) -> Result<(Code, Machine), RunError> {
        let labels = std::mem::take(&mut self.labels);
        let place = |label: &mut Target| *label = labels[*label as usize].unwrap_or_default();
        for step in &mut self.steps {
            match step {
                Instruction::Jump(target)
                | Instruction::JumpIf(.., target)
                | Instruction::JumpTruth(.., target)
                | Instruction::JumpSame(.., target)
                | Instruction::JumpSameList(.., target)
                | Instruction::Count { end: target, .. }
                | Instruction::Next { body: target, .. } => place(target),
                _ => {}
            }
        }
        let code = Code {
            steps: self.steps,
            origins: self.origins,
            statements: self.statements,
            inputs,
            assumptions,
            start,
            output,
            numbers: self.numbers as usize,
            truths: self.truths as usize,
            lists: self.lists as usize,
            counters: self.counters as usize,
            notes: self.notes as usize,
            coins: self.coins,
        };
        let machine = Machine::new(self.tape, &self.constants, &self.truth_constants, &code);
        Ok((code, machine))
    }
}

fn one(operation: Unary) -> Result<One, RunError> {
    Ok(match operation {
        Unary::Neg => One::Neg,
        Unary::Abs => One::Abs,
        Unary::Floor => One::Floor,
        Unary::Ln => One::Ln,
        Unary::Exp => One::Exp,
        Unary::Pow2AtLeast => One::Pow2AtLeast,
        Unary::Sqrt => One::Sqrt,
        Unary::Not => return Err(RunError::malformed("a number is expected")),
    })
}

fn two(operation: Binary) -> Result<Two, RunError> {
    Ok(match operation {
        Binary::Add => Two::Add,
        Binary::Sub => Two::Sub,
        Binary::Mul => Two::Mul,
        Binary::Div => Two::Div,
        Binary::Mod => Two::Mod,
        Binary::Min => Two::Min,
        Binary::Max => Two::Max,
        Binary::RoundTo => Two::RoundTo,
        _ => return Err(RunError::malformed("a number is expected")),
    })
}
