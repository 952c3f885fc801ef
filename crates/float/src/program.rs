//! A floating-point program without loops: a list of operations, each on earlier ones. Equal operations are
//! stored once, as equal operations on equal floats give equal floats.

use std::collections::HashMap;

use probity_exact::{Enclosure, Float, Format, Rational, Round};

use crate::trigonometry::{self, Arithmetic};

/// The position of an operation in its program.
pub type NodeId = usize;

/// Operations beyond which a program is refused.
pub const MAX_NODES: usize = 20_000;

/// A real constant, known between two rationals (equal ones unless it is irrational).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Constant {
    /// As it was written.
    pub text: String,
    /// Not above the constant.
    pub low: Rational,
    /// Not below the constant.
    pub high: Rational,
}

/// An operation. Its result is rounded to nearest, ties to even, unless it is exact (negation, absolute value,
/// minimum, maximum).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Op {
    /// A constant, rounded.
    Constant(Constant),
    /// The input of this number: a real, rounded.
    Input(usize),
    /// −x.
    Neg(NodeId),
    /// |x|.
    Abs(NodeId),
    /// x + y.
    Add(NodeId, NodeId),
    /// x − y.
    Sub(NodeId, NodeId),
    /// x · y.
    Mul(NodeId, NodeId),
    /// x / y.
    Div(NodeId, NodeId),
    /// √x.
    Sqrt(NodeId),
    /// x · y + z, rounded once.
    Fma(NodeId, NodeId, NodeId),
    /// e^x, correctly rounded.
    Exp(NodeId),
    /// ln x, correctly rounded.
    Ln(NodeId),
    /// min(x, y).
    Min(NodeId, NodeId),
    /// max(x, y).
    Max(NodeId, NodeId),
    /// x rounded to the node's format.
    Cast(NodeId),
    /// sin x, cos x, tan x or arctan x, correctly rounded.
    Trigonometric(Trigonometric, NodeId),
    /// x^n, rounded once.
    Power(NodeId, u32),
}

/// Which function of a [`Op::Trigonometric`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trigonometric {
    /// sin.
    Sine,
    /// cos.
    Cosine,
    /// tan.
    Tangent,
    /// arctan.
    Arctangent,
}

impl Trigonometric {
    /// The function over an interval; `None` at a pole.
    pub fn of<T: Arithmetic>(self, x: &T) -> Option<T> {
        match self {
            Trigonometric::Sine => Some(trigonometry::sine(x)),
            Trigonometric::Cosine => Some(trigonometry::cosine(x)),
            Trigonometric::Tangent => trigonometry::tangent(x),
            Trigonometric::Arctangent => Some(trigonometry::arctangent(x)),
        }
    }

    /// Its name in FPCore.
    pub fn name(self) -> &'static str {
        match self {
            Trigonometric::Sine => "sin",
            Trigonometric::Cosine => "cos",
            Trigonometric::Tangent => "tan",
            Trigonometric::Arctangent => "atan",
        }
    }
}

/// x^n over an interval.
pub fn power<T: Arithmetic>(x: &T, n: u32) -> T {
    let one = x.whole(1);
    match n {
        0 => one,
        1 => x.clone(),
        // An even power is a power of the square, which is never negative.
        n if n % 2 == 0 => power(&x.squared(), n / 2),
        // An odd power grows: its ends decide.
        n => {
            let (low, high) = x.ends();
            let at = |end: &T| end.times(&power(&end.squared(), n / 2));
            at(&low).joined(&at(&high))
        }
    }
}

impl Op {
    /// Whether it is a function of a mathematical library, which may be less than correctly rounded.
    pub fn is_library_function(&self) -> bool {
        matches!(self, Op::Exp(_) | Op::Ln(_) | Op::Trigonometric(..) | Op::Power(..))
    }

    /// The operations that this one reads.
    pub fn arguments(&self) -> Vec<NodeId> {
        match *self {
            Op::Constant(_) | Op::Input(_) => vec![],
            Op::Neg(x) | Op::Abs(x) | Op::Sqrt(x) | Op::Exp(x) | Op::Ln(x) | Op::Cast(x) => vec![x],
            Op::Trigonometric(_, x) | Op::Power(x, _) => vec![x],
            Op::Add(x, y) | Op::Sub(x, y) | Op::Mul(x, y) | Op::Div(x, y) | Op::Min(x, y) | Op::Max(x, y) => {
                vec![x, y]
            }
            Op::Fma(x, y, z) => vec![x, y, z],
        }
    }

    /// The same operation on other arguments.
    pub fn with_arguments(&self, map: impl Fn(NodeId) -> NodeId) -> Op {
        match *self {
            Op::Constant(ref c) => Op::Constant(c.clone()),
            Op::Input(i) => Op::Input(i),
            Op::Neg(x) => Op::Neg(map(x)),
            Op::Abs(x) => Op::Abs(map(x)),
            Op::Add(x, y) => Op::Add(map(x), map(y)),
            Op::Sub(x, y) => Op::Sub(map(x), map(y)),
            Op::Mul(x, y) => Op::Mul(map(x), map(y)),
            Op::Div(x, y) => Op::Div(map(x), map(y)),
            Op::Sqrt(x) => Op::Sqrt(map(x)),
            Op::Fma(x, y, z) => Op::Fma(map(x), map(y), map(z)),
            Op::Exp(x) => Op::Exp(map(x)),
            Op::Ln(x) => Op::Ln(map(x)),
            Op::Min(x, y) => Op::Min(map(x), map(y)),
            Op::Max(x, y) => Op::Max(map(x), map(y)),
            Op::Cast(x) => Op::Cast(map(x)),
            Op::Trigonometric(f, x) => Op::Trigonometric(f, map(x)),
            Op::Power(x, n) => Op::Power(map(x), n),
        }
    }
}

/// An operation and the format of its result.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Node {
    /// The operation.
    pub op: Op,
    /// What its result is rounded to.
    pub format: Format,
}

/// A program: operations in an order in which each reads earlier ones only.
///
/// ```
/// use probity_exact::Format;
/// use probity_float::program::{Op, Program};
/// let mut program = Program::default();
/// let x = program.add(Op::Input(0), Format::BINARY64).unwrap();
/// let square = program.add(Op::Mul(x, x), Format::BINARY64).unwrap();
/// assert_eq!(program.add(Op::Mul(x, x), Format::BINARY64), Some(square));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// Invariant: arguments of a node have smaller numbers than the node.
    nodes: Vec<Node>,
    known: HashMap<Node, NodeId>,
}

impl Program {
    /// The number of an operation, new or known; `None` when an argument does not exist or the program is
    /// full.
    pub fn add(&mut self, op: Op, format: Format) -> Option<NodeId> {
        if op.arguments().iter().any(|argument| *argument >= self.nodes.len()) {
            return None;
        }
        let node = Node { op, format };
        if let Some(id) = self.known.get(&node) {
            return Some(*id);
        }
        if self.nodes.len() == MAX_NODES {
            return None;
        }
        self.nodes.push(node.clone());
        self.known.insert(node, self.nodes.len() - 1);
        Some(self.nodes.len() - 1)
    }

    /// All operations, in order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The part of the program that `roots` need, and their new numbers.
    pub fn restricted(&self, roots: &[NodeId]) -> (Program, Vec<NodeId>) {
        let mut needed = vec![false; self.nodes.len()];
        for root in roots {
            needed[*root] = true;
        }
        for id in (0..self.nodes.len()).rev() {
            if needed[id] {
                for argument in self.nodes[id].op.arguments() {
                    needed[argument] = true;
                }
            }
        }
        let mut part = Program::default();
        let mut place = vec![0; self.nodes.len()];
        for (id, node) in self.nodes.iter().enumerate().filter(|(id, _)| needed[*id]) {
            let op = node.op.with_arguments(|argument| place[argument]);
            // Nothing can be missing or overflow: the part is no larger than the whole.
            place[id] = part.add(op, node.format).unwrap_or(0);
        }
        (part, roots.iter().map(|root| place[*root]).collect())
    }

    /// The node as an expression over the names of the inputs, cut off below 12 levels.
    pub fn render(&self, id: NodeId, names: &[String]) -> String {
        self.render_to(id, names, 12)
    }

    fn render_to(&self, id: NodeId, names: &[String], depth: usize) -> String {
        if depth == 0 {
            return "…".into();
        }
        let sub = |x: NodeId| self.render_to(x, names, depth - 1);
        match &self.nodes[id].op {
            Op::Constant(c) => c.text.clone(),
            Op::Input(i) => names.get(*i).cloned().unwrap_or_else(|| format!("x{i}")),
            Op::Neg(x) => format!("-{}", sub(*x)),
            Op::Abs(x) => format!("|{}|", sub(*x)),
            Op::Add(x, y) => format!("({} + {})", sub(*x), sub(*y)),
            Op::Sub(x, y) => format!("({} - {})", sub(*x), sub(*y)),
            Op::Mul(x, y) => format!("({} * {})", sub(*x), sub(*y)),
            Op::Div(x, y) => format!("({} / {})", sub(*x), sub(*y)),
            Op::Sqrt(x) => format!("sqrt({})", sub(*x)),
            Op::Fma(x, y, z) => format!("fma({}, {}, {})", sub(*x), sub(*y), sub(*z)),
            Op::Exp(x) => format!("exp({})", sub(*x)),
            Op::Ln(x) => format!("ln({})", sub(*x)),
            Op::Min(x, y) => format!("min({}, {})", sub(*x), sub(*y)),
            Op::Max(x, y) => format!("max({}, {})", sub(*x), sub(*y)),
            Op::Cast(x) => format!("round({})", sub(*x)),
            Op::Trigonometric(f, x) => format!("{}({})", f.name(), sub(*x)),
            Op::Power(x, n) => format!("{}^{n}", sub(*x)),
        }
    }

    /// Every node's float, for the given float inputs: the program run with correctly rounded operations.
    pub fn run(&self, inputs: &[Float]) -> Vec<Float> {
        let near = Round::NearestEven;
        let mut values: Vec<Float> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let f = node.format;
            let v = |x: NodeId| &values[x];
            let value = match node.op {
                // An irrational constant is given by bounds of sixty digits, which round alike in practice; the
                // analysis allows for either neighbour.
                Op::Constant(ref c) => f.round(&c.low, near),
                Op::Input(i) => inputs.get(i).map_or(Float::nan(), |x| f.round_float(x, near)),
                Op::Neg(x) => v(x).negated(),
                Op::Abs(x) => v(x).magnitude(),
                Op::Add(x, y) => f.add(v(x), v(y), near),
                Op::Sub(x, y) => f.sub(v(x), v(y), near),
                Op::Mul(x, y) => f.mul(v(x), v(y), near),
                Op::Div(x, y) => f.div(v(x), v(y), near),
                Op::Sqrt(x) => f.sqrt(v(x), near),
                Op::Fma(x, y, z) => f.fma(v(x), v(y), v(z), near),
                Op::Exp(x) => f.exp(v(x), near),
                Op::Ln(x) => f.ln(v(x), near),
                Op::Min(x, y) => {
                    if v(x).compare(v(y)).is_none_or(|o| o.is_le()) {
                        v(x).clone()
                    } else {
                        v(y).clone()
                    }
                }
                Op::Max(x, y) => {
                    if v(x).compare(v(y)).is_none_or(|o| o.is_ge()) {
                        v(x).clone()
                    } else {
                        v(y).clone()
                    }
                }
                Op::Cast(x) => f.round_float(v(x), near),
                Op::Trigonometric(..) | Op::Power(..) => rounded_enclosure(&node.op, v, f),
            };
            values.push(value);
        }
        values
    }
}

/// The real result of an operation on arguments known by enclosures; `None` for inputs and constants, when an
/// argument is not known, and where the operation may be undefined.
pub fn enclose(op: &Op, argument: impl Fn(NodeId) -> Option<Enclosure<Float>>) -> Option<Enclosure<Float>> {
    let v = argument;
    Some(match *op {
        Op::Constant(_) | Op::Input(_) => return None,
        Op::Neg(x) => -v(x)?,
        Op::Abs(x) => v(x)?.abs(),
        Op::Add(x, y) => v(x)? + v(y)?,
        Op::Sub(x, y) => v(x)? - v(y)?,
        Op::Mul(x, y) => v(x)? * v(y)?,
        Op::Div(x, y) => v(x)?.checked_div(&v(y)?)?,
        Op::Sqrt(x) => v(x)?.sqrt()?,
        Op::Fma(x, y, z) => v(x)? * v(y)? + v(z)?,
        Op::Exp(x) => v(x)?.exp(),
        Op::Ln(x) => v(x)?.ln()?,
        Op::Min(x, y) => v(x)?.min(&v(y)?),
        Op::Max(x, y) => v(x)?.max(&v(y)?),
        Op::Cast(x) => v(x)?,
        Op::Trigonometric(f, x) => f.of(&v(x)?)?,
        Op::Power(x, n) => power(&v(x)?, n),
    })
}

/// An operation on floats, correctly rounded by way of an enclosure of 160 bits (whose ends round alike unless the
/// result is extremely near to a midpoint; then the lower end counts).
fn rounded_enclosure<'a>(op: &Op, value: impl Fn(NodeId) -> &'a Float, format: Format) -> Float {
    let exact = |x: NodeId| Enclosure::point(value(x).clone(), Format::wide(160));
    match enclose(op, exact) {
        Some(result) => format.round_float(result.low(), Round::NearestEven),
        None => Float::nan(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_come_first_and_equal_nodes_are_one() {
        let mut program = Program::default();
        assert_eq!(program.add(Op::Neg(0), Format::BINARY64), None);
        let x = program.add(Op::Input(0), Format::BINARY64).unwrap();
        let y = program.add(Op::Input(1), Format::BINARY64).unwrap();
        let sum = program.add(Op::Add(x, y), Format::BINARY64).unwrap();
        let narrow = program.add(Op::Add(x, y), Format::BINARY32).unwrap();
        assert_ne!(sum, narrow);
        let (part, roots) = program.restricted(&[narrow]);
        assert_eq!((part.nodes().len(), roots), (3, vec![2]));
        assert_eq!(program.render(sum, &["a".into(), "b".into()]), "(a + b)");
        let values = program.run(&[Float::from_f64(0.1), Float::from_f64(0.2)]);
        assert_eq!(values[sum].to_f64(), Some(0.1 + 0.2));
    }
}
