//! A mechanism made ready to run: names become slots, constants become numbers of one arithmetic.
//!
//! The arithmetic is a [`World`]: ranges of floats, or linear forms over the reals. The program does not know
//! which one it runs in.

use std::collections::HashMap;
use std::sync::Arc;

use probity_exact::Rational;
use probity_kernel::expand::expanded;
use probity_kernel::expr::{Binary, Expr, Name, Unary, Variable};
use probity_kernel::law;
use probity_kernel::term::{Distribution, Statement};

use crate::case::Case;
use crate::deadline::Deadline;
use crate::error::AuditError;
use crate::output::outcome::Given;
use crate::run::endless;
use crate::run::machine::Machine;
use crate::run::tables::Tables;

/// Why a run ended before it returned.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Stop {
    /// A comparison has no single answer for the range at hand.
    Undecided,
    /// The world must first choose the value of a draw.
    Draw,
    /// The world must first choose the outcome of a comparison.
    Branch,
    /// The run never ends, so that it has no output.
    Endless,
    /// The run cannot reach the event that the world looks for.
    Pruned,
    /// The run is faulty.
    Error(Box<AuditError>),
}

impl From<AuditError> for Stop {
    fn from(error: AuditError) -> Stop {
        Stop::Error(Box::new(error))
    }
}

/// An arithmetic in which a program runs, and where its draws come from.
pub(crate) trait World {
    type Number: Clone + PartialEq;

    fn constant(&self, x: &Rational) -> Self::Number;
    fn unary(&mut self, operation: Unary, a: &Self::Number) -> Result<Self::Number, Stop>;
    fn binary(&mut self, operation: Binary, a: &Self::Number, b: &Self::Number)
    -> Result<Self::Number, Stop>;
    /// Whether `a operation b`, for one of the six comparisons.
    fn compare(&mut self, operation: Binary, a: &Self::Number, b: &Self::Number) -> Result<bool, Stop>;
    /// How many bits a number takes, where that is not bounded: exact numbers can outgrow any machine.
    fn bits(&self, _a: &Self::Number) -> usize {
        0
    }
    /// The integer that a loop bound or an index is.
    fn integer(&self, a: &Self::Number) -> Result<i64, Stop>;
    fn draw(&mut self, law: &Draw<Self::Number>) -> Result<Value<Self::Number>, Stop>;
    /// A number in place of one that could not be computed, where the world has such.
    fn in_place_of(&mut self, stop: Stop) -> Result<Self::Number, Stop> {
        Err(stop)
    }
    /// Told of each entry put at the end of the output list.
    fn appended(&mut self, _position: usize, _value: &Value<Self::Number>) -> Result<(), Stop> {
        Ok(())
    }
}

/// A value during a run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<N> {
    Number(N),
    Bool(bool),
    List(Vec<Value<N>>),
}

impl<N> Value<N> {
    pub(crate) fn number(&self) -> Result<&N, Stop> {
        match self {
            Value::Number(x) => Ok(x),
            _ => Err(wrong("an operand", "a number")),
        }
    }

    pub(crate) fn truth(&self) -> Result<bool, Stop> {
        match self {
            Value::Bool(b) => Ok(*b),
            _ => Err(wrong("a condition", "true or false")),
        }
    }
}

pub(crate) fn wrong(place: &str, expected: &'static str) -> Stop {
    AuditError::WrongKind { place: place.into(), expected }.into()
}

/// Which law a draw follows; the arguments are beside it, in the order of [`Distribution`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LawKind {
    Uniform,
    Sign,
    Bernoulli,
    UniformInt,
    UniformOther,
    Response,
    /// The scale, and then the scores, one by one.
    Choose,
    Laplace,
    DiscreteLaplace,
    Gaussian,
    DiscreteGaussian,
    Exponential,
    Geometric,
}

/// A law with its arguments, as expressions or as values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Draw<T> {
    pub(crate) kind: LawKind,
    pub(crate) arguments: Vec<T>,
}

/// An expression whose variables are slots.
#[derive(Debug, Clone)]
pub(crate) enum Node<N> {
    Constant(Value<N>),
    Slot(usize),
    Unary(Unary, Box<Node<N>>),
    Binary(Binary, Box<(Node<N>, Node<N>)>),
    Clamp(Box<(Node<N>, Node<N>, Node<N>)>),
    If(Box<(Node<N>, Node<N>, Node<N>)>),
    Index(usize, Box<Node<N>>),
    Length(usize),
}

/// What the parameters of a draw must meet, and how a person would say so.
#[derive(Debug, Clone)]
pub(crate) struct Condition<N> {
    pub(crate) node: Node<N>,
    pub(crate) draw: Arc<str>,
    pub(crate) text: String,
}

/// A statement whose variables are slots.
#[derive(Debug, Clone)]
pub(crate) enum Step<N> {
    Draw(usize, Draw<Node<N>>, Vec<Condition<N>>),
    Assign(usize, Node<N>),
    Append(usize, Node<N>),
    If(Node<N>, Vec<Step<N>>, Vec<Step<N>>),
    For(usize, Node<N>, Node<N>, Vec<Step<N>>),
    /// With the slots that decide how it goes on, unless one of them is drawn in the body.
    While(Node<N>, Vec<Step<N>>, Option<Vec<usize>>),
}

impl<N> Step<N> {
    fn draws(&self) -> bool {
        match self {
            Step::Draw(..) => true,
            Step::Assign(..) | Step::Append(..) => false,
            Step::If(_, then, otherwise) => then.iter().chain(otherwise).any(Step::draws),
            Step::For(_, _, _, body) | Step::While(_, body, _) => body.iter().any(Step::draws),
        }
    }
}

/// A mechanism on given parameters and inputs, run up to its first draw.
#[derive(Debug, Clone)]
pub(crate) struct Program<N> {
    names: Vec<Name>,
    initial: Vec<Option<Value<N>>>,
    steps: Vec<Step<N>>,
    output: Node<N>,
    /// The slot of the output list, when the output is a list that the program appends to.
    output_list: Option<usize>,
    until: Deadline,
}

/// The variables of a run, kept so that the next run need not allocate them.
#[derive(Debug, Clone)]
pub(crate) struct Scratch<N>(Vec<Option<Value<N>>>);

impl<N> Default for Scratch<N> {
    fn default() -> Self {
        Scratch(Vec::new())
    }
}

/// Steps after which a run is given up.
const STEP_BUDGET: u32 = 1_000_000;

impl<N: Clone + PartialEq> Program<N> {
    /// Resolves names, converts constants, and runs what does not depend on any draw.
    pub(crate) fn new<W: World<Number = N>>(case: Case<'_>, world: &mut W) -> Result<Program<N>, AuditError> {
        let Case { mechanism, parameters, inputs, .. } = case;
        let mut slots = Slots { tables: Tables::new(mechanism, inputs), ..Slots::default() };
        let mut initial = Vec::new();
        for param in &mechanism.params {
            let given = parameters.get(&param.name).ok_or_else(|| missing(&param.name))?;
            slots.declare(&param.name);
            initial.push(Some(Value::Number(world.constant(given))));
        }
        for input in &mechanism.inputs {
            let given = inputs.get(&input.name).ok_or_else(|| missing(&input.name))?;
            slots.declare(&input.name);
            initial.push(Some(convert(given, world)));
        }
        let known = |name: &Name| slots.index.contains_key(name);
        if let Some(name) = parameters.keys().chain(inputs.keys()).find(|name| !known(name)) {
            return Err(AuditError::Unknown { name: name.to_string() });
        }
        let body = expanded(mechanism).body;
        let steps = slots.steps(&body, world)?;
        let output = slots.node(&mechanism.output, world)?;
        initial.resize(slots.names.len(), None);
        let output_list = match output {
            Node::Slot(slot) => Some(slot),
            _ => None,
        };
        let until = case.deadline();
        let mut program = Program { names: slots.names, initial, steps, output, output_list, until };
        program.run_prefix(world)?;
        Ok(program)
    }

    fn run_prefix<W: World<Number = N>>(&mut self, world: &mut W) -> Result<(), AuditError> {
        let prefix = self.steps.iter().position(Step::draws).unwrap_or(self.steps.len());
        let rest = self.steps.split_off(prefix);
        let before = std::mem::replace(&mut self.steps, rest);
        let mut values = self.initial.clone();
        // The world decides nothing here; an undecided comparison is left for the run itself.
        let done = self.machine(world, &mut values).steps(&before);
        match done {
            Ok(()) => self.initial = values,
            Err(Stop::Error(error)) => return Err(*error),
            Err(_) => self.steps.splice(0..0, before).for_each(drop),
        }
        Ok(())
    }

    /// Runs to the end; the value that is released. The scratch is only there to be used again.
    #[inline]
    pub(crate) fn run<W: World<Number = N>>(
        &self,
        world: &mut W,
        scratch: &mut Scratch<N>,
    ) -> Result<Value<N>, Stop> {
        scratch.0.clone_from(&self.initial);
        let mut machine = self.machine(world, &mut scratch.0);
        machine.steps(&self.steps)?;
        machine.eval(&self.output)
    }

    fn machine<'a, W: World<Number = N>>(
        &'a self,
        world: &'a mut W,
        values: &'a mut Vec<Option<Value<N>>>,
    ) -> Machine<'a, W> {
        let (names, output_list) = (&self.names, self.output_list);
        Machine { world, values, names, output_list, budget: STEP_BUDGET, until: &self.until }
    }
}

fn missing(name: &Name) -> AuditError {
    AuditError::Missing { name: name.to_string() }
}

fn convert<W: World>(given: &Given, world: &W) -> Value<W::Number> {
    match given {
        Given::Number(x) => Value::Number(world.constant(x)),
        Given::Bool(b) => Value::Bool(*b),
        Given::List(items) => Value::List(items.iter().map(|x| Value::Number(world.constant(x))).collect()),
        // The program sees a table through sums only, which are written out.
        Given::Rows(_) => Value::List(Vec::new()),
    }
}

#[derive(Default)]
struct Slots<'a> {
    names: Vec<Name>,
    index: HashMap<Name, usize>,
    tables: Tables<'a>,
}

impl Slots<'_> {
    fn declare(&mut self, name: &Name) -> usize {
        if let Some(&slot) = self.index.get(name) {
            return slot;
        }
        self.names.push(name.clone());
        self.index.insert(name.clone(), self.names.len() - 1);
        self.names.len() - 1
    }

    fn variable(&mut self, variable: &Variable) -> Result<usize, AuditError> {
        match variable {
            Variable::Plain(name) => Ok(self.declare(name)),
            _ => Err(AuditError::Unsupported { what: "an assertion's variable in a program" }),
        }
    }

    fn steps<W: World>(&mut self, body: &[Statement], world: &W) -> Result<Vec<Step<W::Number>>, AuditError> {
        let mut steps = Vec::with_capacity(body.len());
        for statement in body {
            match statement {
                Statement::Draw { var, law: Distribution::Sample { table, rate } } => {
                    steps.extend(self.sample(statement, (var, table, rate), world)?);
                }
                _ => steps.push(self.step(statement, world)?),
            }
        }
        Ok(steps)
    }

    /// A sample: for each row of its table a coin that says whether it is kept.
    fn sample<W: World>(
        &mut self,
        statement: &Statement,
        (var, table, rate): (&Name, &Expr, &Expr),
        world: &W,
    ) -> Result<Vec<Step<W::Number>>, AuditError> {
        let expected = AuditError::WrongKind { place: table.to_string(), expected: "a table" };
        let Expr::Var(Variable::Plain(table)) = table else { return Err(expected) };
        let coins = self.tables.sample(var, table).ok_or(expected)?;
        let law = Distribution::Sample { table: Expr::var(table.clone()), rate: rate.clone() };
        let mut range = self.range(statement, &law, world)?;
        if coins.is_empty() {
            // Nothing is tossed, and the law is in range all the same.
            let kind = LawKind::Bernoulli;
            let arguments = vec![self.node(rate, world)?];
            return Ok(vec![Step::Draw(self.declare(var), Draw { kind, arguments }, range)]);
        }
        let mut steps = Vec::new();
        for (coin, before) in coins {
            let law = Draw { kind: LawKind::Bernoulli, arguments: vec![self.node(rate, world)?] };
            steps.push(Step::Draw(self.declare(&coin), law, std::mem::take(&mut range)));
            if let Some(before) = before {
                // Of a sample, what was kept before is what can be kept.
                let both = self.node(&Expr::var(coin.clone()).and(before), world)?;
                steps.push(Step::Assign(self.declare(&coin), both));
            }
        }
        Ok(steps)
    }

    fn step<W: World>(&mut self, statement: &Statement, world: &W) -> Result<Step<W::Number>, AuditError> {
        Ok(match statement {
            Statement::Draw { var, law } => {
                let range = self.range(statement, law, world)?;
                let law = self.law(law, world)?;
                Step::Draw(self.declare(var), law, range)
            }
            Statement::Assign { var, value } => {
                let value = self.node(value, world)?;
                Step::Assign(self.declare(var), value)
            }
            Statement::Append { list, value } => {
                let value = self.node(value, world)?;
                Step::Append(self.declare(list), value)
            }
            Statement::If { guard, then, otherwise } => {
                Step::If(self.node(guard, world)?, self.steps(then, world)?, self.steps(otherwise, world)?)
            }
            Statement::For { index, from, to, body } => {
                let (from, to) = (self.node(from, world)?, self.node(to, world)?);
                Step::For(self.declare(index), from, to, self.steps(body, world)?)
            }
            Statement::While { guard, body, .. } => {
                let (guard, body) = (self.node(guard, world)?, self.steps(body, world)?);
                let deciding = endless::deciding(&guard, &body);
                Step::While(guard, body, deciding)
            }
        })
    }

    /// When the law means something: the kernel's own definition.
    fn range<W: World>(
        &mut self,
        statement: &Statement,
        law: &Distribution,
        world: &W,
    ) -> Result<Vec<Condition<W::Number>>, AuditError> {
        let draw: Arc<str> = statement.to_string().trim_end().into();
        let condition =
            |e: Expr| Ok(Condition { node: self.node(&e, world)?, draw: draw.clone(), text: e.to_string() });
        law::conditions(law).into_iter().map(condition).collect()
    }

    fn law<W: World>(&mut self, law: &Distribution, world: &W) -> Result<Draw<Node<W::Number>>, AuditError> {
        use Distribution as D;
        let (kind, arguments): (LawKind, Vec<&Expr>) = match law {
            D::Uniform => (LawKind::Uniform, vec![]),
            D::Sign => (LawKind::Sign, vec![]),
            D::Bernoulli(p) => (LawKind::Bernoulli, vec![p]),
            D::UniformInt { low, high } => (LawKind::UniformInt, vec![low, high]),
            D::UniformOther { value, count } => (LawKind::UniformOther, vec![value, count]),
            D::Response { value, truth, count } => (LawKind::Response, vec![value, truth, count]),
            D::Called(_) => return Err(AuditError::Unsupported { what: "a call that is not written out" }),
            D::PermuteAndFlip { .. } => {
                return Err(AuditError::Unsupported { what: "permute and flip that is not written out" });
            }
            D::Gumbel { .. } => {
                return Err(AuditError::Unsupported { what: "Gumbel noise that is not written out" });
            }
            D::Sample { .. } => {
                return Err(AuditError::Unsupported { what: "a sample that is not written out" });
            }
            D::Choose { scores, scale } => (LawKind::Choose, vec![scale, scores]),
            D::Laplace { center, scale } => (LawKind::Laplace, vec![center, scale]),
            D::DiscreteLaplace { center, scale } => (LawKind::DiscreteLaplace, vec![center, scale]),
            D::Gaussian { center, deviation } => (LawKind::Gaussian, vec![center, deviation]),
            D::DiscreteGaussian { center, deviation } => (LawKind::DiscreteGaussian, vec![center, deviation]),
            D::Exponential { scale } => (LawKind::Exponential, vec![scale]),
            D::Geometric { scale } => (LawKind::Geometric, vec![scale]),
        };
        let arguments = arguments.into_iter().map(|e| self.node(e, world)).collect::<Result<Vec<_>, _>>()?;
        Ok(Draw { kind, arguments })
    }

    fn node<W: World>(&mut self, expr: &Expr, world: &W) -> Result<Node<W::Number>, AuditError> {
        let mut go = |e: &Arc<Expr>| self.node(e, world);
        Ok(match expr {
            Expr::Number(x) => Node::Constant(Value::Number(world.constant(x))),
            Expr::Bool(b) => Node::Constant(Value::Bool(*b)),
            Expr::EmptyList => Node::Constant(Value::List(Vec::new())),
            Expr::Var(v) => Node::Slot(self.variable(v)?),
            Expr::Unary(op, a) => Node::Unary(*op, Box::new(go(a)?)),
            Expr::Binary(op, a, b) => Node::Binary(*op, Box::new((go(a)?, go(b)?))),
            Expr::Clamp(a, b, c) => Node::Clamp(Box::new((go(a)?, go(b)?, go(c)?))),
            Expr::If(a, b, c) => Node::If(Box::new((go(a)?, go(b)?, go(c)?))),
            Expr::Index(v, index) => {
                let index = Box::new(go(index)?);
                Node::Index(self.variable(v)?, index)
            }
            Expr::Length(v) => Node::Length(self.variable(v)?),
            Expr::Sum(Variable::Plain(table), condition, value) => {
                let sum = self.tables.written_out(table, condition, value);
                let sum =
                    sum.ok_or(AuditError::WrongKind { place: table.to_string(), expected: "a table" })?;
                self.node(&sum, world)?
            }
            Expr::Sum(..) | Expr::Apart(..) => {
                return Err(AuditError::Unsupported { what: "an assertion's variable in a program" });
            }
        })
    }
}
