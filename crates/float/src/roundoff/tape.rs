//! A program over a box of inputs: ranges, local rounding errors, and how much each of them moves the result.
//!
//! Write ṽ_i = op_i(ṽ_arguments) + d_i for the float at node i, with |d_i| ≤ D_i its own rounding error, and F(x, d)
//! for the result as a function of the inputs and of all d. On the segment from 0 to d the mean-value theorem
//! gives F(x, d) − F(x, 0) = Σ d_i · ∂F/∂d_i(x, θd), and ∂F/∂d_i is the adjoint of node i, evaluated at values
//! that are off by no more than E_j at node j. So Σ D_i · |adjoint_i|, with adjoints over ranges widened by E_j, bounds
//! the error with no remainder left over. (|x|, min and max are Lipschitz, and the
//! theorem holds with their generalised derivatives.)
//!
//! The gradient of that sum in x, for any fixed signs and d, comes from differentiating the directional
//! derivative Σ c_i · ∂F/∂d_i backwards once more.

use probity_exact::{Enclosure, Float, Format, Rational};

use super::derivatives::slope;
use super::rounding::Grain;
use crate::interval::Interval;
use crate::program::{NodeId, Op, Program, Trigonometric, power};
use crate::trigonometry::Arithmetic;

#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    Constant,
    Input(usize),
    Neg(usize),
    Abs(usize),
    Add(usize, usize),
    Sub(usize, usize),
    Mul(usize, usize),
    Div(usize, usize),
    Sqrt(usize),
    Fma(usize, usize, usize),
    Exp(usize),
    Ln(usize),
    Min(usize, usize),
    Max(usize, usize),
    Cast(usize),
    Trigonometric(Trigonometric, usize),
    Power(usize, u32),
}

/// What a node's rounding may do.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rounding {
    /// Nothing.
    Exact,
    /// Only results in the subnormal range move.
    Underflow,
    /// A known amount, with its sign: a constant's own error.
    Fixed(Interval),
    /// As far as the size of the result allows.
    Nearest { sum: bool },
    /// A library's function, whose result is so many units in the last place of the exact one away, in any direction.
    Ulps(u32),
}

/// A program prepared for evaluation.
#[derive(Debug, Clone)]
pub struct Tape {
    pub(super) steps: Vec<Step>,
    pub(super) rounding: Vec<Rounding>,
    grain: Vec<Grain>,
    constants: Vec<Interval>,
    /// Which inputs a node depends on, one bit each; inputs from 63 on share the last bit.
    depends: Vec<u64>,
    /// Ranges that the values keep wherever the conditions of the problem hold.
    implied: Vec<Option<Interval>>,
    /// Nodes whose arguments have the node's own format, so that Sterbenz's lemma applies to differences.
    uniform: Vec<bool>,
}

/// The results of an evaluation over one box, reused from one to the next.
#[derive(Debug, Clone)]
pub struct Evaluation {
    /// Over the reals.
    pub value: Vec<Interval>,
    /// Widened by the error: holds the value at every d with |d_i| ≤ D_i, also one that belongs to another point.
    pub wide: Vec<Interval>,
    /// The floats that are computed for the inputs of the box: [fl(low), fl(high)] of the exact operation on floats, as
    /// fl is monotone, and within `wide`.
    pub computed: Vec<Interval>,
    /// The bounds D_i, over the whole box.
    pub local: Vec<f64>,
    /// What D_i is at least, at the point of the box where it is smallest.
    pub local_least: Vec<f64>,
    /// The bounds E_i of the whole error at a node.
    pub error: Vec<f64>,
    /// The part of E_i that comes from the arguments.
    pub(super) carried: Vec<f64>,
    /// ∂F/∂d_i.
    pub adjoint: Vec<Interval>,
    /// Partial derivatives in the arguments, over the widened ranges.
    pub(super) partial: Vec<[Interval; 3]>,
    /// What the errors of all constants do to the result together.
    pub(super) constants: Interval,
    pub(super) tangent: Vec<Interval>,
    pub(super) backward: Vec<Interval>,
    /// A kink lies inside a range: there is no gradient.
    pub kinked: bool,
    /// The conditions exclude the box.
    pub excluded: bool,
}

impl Default for Evaluation {
    fn default() -> Evaluation {
        Evaluation {
            value: vec![],
            wide: vec![],
            computed: vec![],
            local: vec![],
            local_least: vec![],
            error: vec![],
            carried: vec![],
            adjoint: vec![],
            partial: vec![],
            constants: Interval::ZERO,
            tangent: vec![],
            backward: vec![],
            kinked: false,
            excluded: false,
        }
    }
}

fn up(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.next_up() }
}

/// x · y rounded up for x, y ≥ 0, with 0 · ∞ = 0.
pub fn times_up(x: f64, y: f64) -> f64 {
    if x == 0.0 || y == 0.0 { 0.0 } else { (x * y).next_up() }
}

/// x + y rounded up for x, y ≥ 0.
pub fn plus_up(x: f64, y: f64) -> f64 {
    if x == 0.0 {
        y
    } else if y == 0.0 {
        x
    } else {
        up(x + y)
    }
}

/// For nodes that depend on no input: the real value, and how far the computed one is from it.
/// A library's functions, with `ulps`, are not known: they are within so many units, and the float that is computed here
/// is only one of those.
fn known_values(program: &Program, ulps: u32) -> Vec<Option<(Interval, Interval)>> {
    let wide = Format::wide(220);
    let floats = program.run(&[]);
    let mut reals: Vec<Option<Enclosure<Float>>> = Vec::new();
    for node in program.nodes() {
        reals.push(match node.op {
            Op::Constant(ref c) => {
                Some(Enclosure::around(&c.low, wide).hull(&Enclosure::around(&c.high, wide)))
            }
            _ if ulps > 0 && node.op.is_library_function() => None,
            _ => crate::program::enclose(&node.op, |x| reals[x].clone()),
        });
    }
    // By way of doubles, not rationals: a short text may make a constant with billions of digits.
    let around = |x: &Enclosure<Float>| {
        let (low, high) = x.doubles();
        Interval::new(low, high)
    };
    let known = |(real, float): (Option<Enclosure<Float>>, &Float)| {
        let real = real?;
        let error = match Enclosure::point(float.clone(), wide) {
            Some(computed) => around(&(computed - real.clone())),
            None => Interval::EVERYTHING,
        };
        Some((around(&real), error))
    };
    reals.into_iter().zip(&floats).map(known).collect()
}

/// Whether a constant is ± a power of two, and if so whether it is an integer.
fn power_of_two(value: &Rational) -> Option<bool> {
    use probity_exact::{Natural, UnsignedAbs};
    let numerator = value.numerator().unsigned_abs();
    let denominator = value.denominator();
    let is_power = |n: &Natural| n.trailing_zeros().is_some_and(|zeros| (n >> zeros) == Natural::ONE);
    if !is_power(&numerator) || !is_power(denominator) {
        return None;
    }
    Some(*denominator == Natural::ONE)
}

impl Tape {
    /// Prepares a program. With `exact_inputs`, inputs are floats already and are not rounded.
    pub fn new(program: &Program, exact_inputs: bool) -> Tape {
        Tape::with_library(program, exact_inputs, 0)
    }

    /// The same with functions of a library that errs by up to `ulps` units in the last place; 0 stands for functions that
    /// are correctly rounded.
    pub fn with_library(program: &Program, exact_inputs: bool, ulps: u32) -> Tape {
        let nodes = program.nodes();
        let mut tape = Tape {
            steps: Vec::new(),
            rounding: Vec::new(),
            grain: Vec::new(),
            constants: Vec::new(),
            depends: Vec::new(),
            implied: Vec::new(),
            uniform: Vec::new(),
        };
        // `Some(true)`: ± 2^k with k ≥ 0; `Some(false)`: with k < 0.
        let power = |id: NodeId| match &nodes[id].op {
            Op::Constant(c) if c.low == c.high => power_of_two(&c.low),
            _ => None,
        };
        let known = known_values(program, ulps);
        for (id, node) in nodes.iter().enumerate() {
            let mut constant = Interval::ZERO;
            let format = node.format;
            let scaling = |growing: bool| if growing { Rounding::Exact } else { Rounding::Underflow };
            let folded = known[id].as_ref();
            let (step, rounding) = match node.op {
                _ if folded.is_some() => {
                    let (value, error) =
                        folded.copied().unwrap_or((Interval::EVERYTHING, Interval::EVERYTHING));
                    constant = value;
                    (Step::Constant, Rounding::Fixed(error))
                }
                Op::Constant(_) => (Step::Constant, Rounding::Fixed(Interval::EVERYTHING)),
                Op::Input(i) => (
                    Step::Input(i),
                    if exact_inputs { Rounding::Exact } else { Rounding::Nearest { sum: false } },
                ),
                Op::Neg(x) => (Step::Neg(x), Rounding::Exact),
                Op::Abs(x) => (Step::Abs(x), Rounding::Exact),
                Op::Add(x, y) => (Step::Add(x, y), Rounding::Nearest { sum: true }),
                Op::Sub(x, y) => (Step::Sub(x, y), Rounding::Nearest { sum: true }),
                Op::Mul(x, y) => {
                    let rounding = match (power(x), power(y)) {
                        (Some(growing), _) | (_, Some(growing)) => scaling(growing),
                        _ => Rounding::Nearest { sum: false },
                    };
                    (Step::Mul(x, y), rounding)
                }
                Op::Div(x, y) => {
                    let unit = matches!(&nodes[y].op, Op::Constant(c) if c.low == Rational::ONE && c.high == Rational::ONE);
                    let rounding = match power(y) {
                        Some(growing) => scaling(!growing || unit),
                        None => Rounding::Nearest { sum: false },
                    };
                    (Step::Div(x, y), rounding)
                }
                Op::Sqrt(x) => (Step::Sqrt(x), Rounding::Nearest { sum: false }),
                Op::Fma(x, y, z) => (Step::Fma(x, y, z), Rounding::Nearest { sum: false }),
                Op::Exp(x) => (Step::Exp(x), Rounding::Nearest { sum: false }),
                Op::Ln(x) => (Step::Ln(x), Rounding::Nearest { sum: false }),
                Op::Min(x, y) => (Step::Min(x, y), Rounding::Exact),
                Op::Max(x, y) => (Step::Max(x, y), Rounding::Exact),
                Op::Cast(x) => (Step::Cast(x), Rounding::Nearest { sum: false }),
                Op::Trigonometric(f, x) => (Step::Trigonometric(f, x), Rounding::Nearest { sum: false }),
                Op::Power(x, n) => (Step::Power(x, n), Rounding::Nearest { sum: false }),
            };
            let rounding = match ulps > 0 && folded.is_none() && node.op.is_library_function() {
                true => Rounding::Ulps(ulps),
                false => rounding,
            };
            let uniform = node.op.arguments().iter().all(|argument| nodes[*argument].format == format);
            // An operand of another format may have more bits or reach further down: no shortcut applies.
            let rounding = match rounding {
                Rounding::Nearest { .. } if !uniform => Rounding::Nearest { sum: false },
                Rounding::Exact | Rounding::Underflow if !uniform => Rounding::Nearest { sum: false },
                other => other,
            };
            let depends = match node.op {
                Op::Input(i) => 1 << i.min(63),
                _ => node.op.arguments().iter().fold(0, |mask, argument| mask | tape.depends[*argument]),
            };
            tape.steps.push(step);
            tape.rounding.push(rounding);
            tape.grain.push(Grain::new(format));
            tape.constants.push(constant);
            tape.depends.push(depends);
            tape.uniform.push(uniform);
            tape.implied.push(None);
        }
        tape
    }

    /// Tells what holds of nodes wherever the conditions of the problem do.
    pub fn imply(&mut self, ranges: &[(NodeId, Interval)]) {
        for (node, range) in ranges {
            let known = self.implied[*node].unwrap_or(Interval::EVERYTHING);
            self.implied[*node] = Some(known.intersection(*range).unwrap_or(known));
        }
    }

    /// Whether values are cut by conditions: then they are not those of all points of a box.
    pub fn is_conditional(&self) -> bool {
        self.implied.iter().any(|range| range.is_some())
    }

    /// What one evaluation costs, in units of an addition, about.
    pub fn cost(&self) -> usize {
        let cost = |step: &Step| match step {
            Step::Exp(_) | Step::Ln(_) => 4,
            Step::Trigonometric(..) => 20,
            _ => 1,
        };
        self.steps.iter().map(cost).sum()
    }

    /// The node of an input, if the program uses it.
    pub fn input_node(&self, input: usize) -> Option<NodeId> {
        self.steps.iter().position(|step| matches!(step, Step::Input(i) if *i == input))
    }

    /// Whether the node depends on the input.
    pub fn depends_on(&self, node: NodeId, input: usize) -> bool {
        self.depends[node] >> input.min(63) & 1 == 1
    }

    /// Ranges and errors over a box. `floors` are lower limits for the D_i: a point of a larger box is
    /// evaluated with the D_i of that box.
    pub fn forward(&self, inputs: &[Interval], floors: Option<&[f64]>, out: &mut Evaluation) {
        let n = self.steps.len();
        out.value.clear();
        out.wide.clear();
        out.computed.clear();
        out.local.clear();
        out.local_least.clear();
        out.error.clear();
        out.carried.clear();
        out.partial.clear();
        out.kinked = false;
        out.excluded = false;
        for i in 0..n {
            let (mut value, partial) = self.apply(i, inputs, out);
            if let Some(range) = self.implied[i] {
                // No common point: no input of the box meets the conditions.
                out.excluded |= value.intersection(range).is_none();
                value = value.intersection(range).unwrap_or(value);
            }
            let arguments = self.arguments(i);
            let mut propagated = 0.0;
            for (k, argument) in arguments.iter().enumerate() {
                if let Some(argument) = argument {
                    propagated = plus_up(propagated, times_up(partial[k].magnitude(), out.error[*argument]));
                }
            }
            propagated = propagated.min(self.without_slopes(i, &partial, out));
            let before = self.before_rounding(i, value, out);
            let (mut local, least) = self.local_error(i, value, propagated, before, out);
            if let Some(floors) = floors {
                local = local.max(floors[i]);
            }
            let error = plus_up(propagated, local);
            let wide = value.widened(error);
            // A number of the format is not crossed by rounding. That is not so of a d from another point.
            let not_below = |x: f64| if self.grain[i].holds(x) { x } else { f64::NEG_INFINITY };
            let not_above = |x: f64| if self.grain[i].holds(x) { x } else { f64::INFINITY };
            let exact = if propagated == 0.0 { value } else { before };
            let signed = match (exact.low() >= 0.0, exact.high() <= 0.0) {
                (true, _) => Interval::new(not_below(exact.low()).max(0.0), not_above(exact.high())),
                (_, true) => Interval::new(not_below(exact.low()), not_above(exact.high()).min(0.0)),
                _ => Interval::new(not_below(exact.low()), not_above(exact.high())),
            };
            let computed = match self.rounding[i] {
                // A library's function need not be monotone, nor keep what is a float, nor its sign.
                Rounding::Ulps(_) => wide,
                _ => wide.intersection(signed).unwrap_or(wide),
            };
            out.value.push(value);
            out.partial.push(partial);
            out.local.push(local);
            out.local_least.push(least);
            out.error.push(error);
            out.carried.push(propagated);
            out.wide.push(wide);
            out.computed.push(computed);
        }
    }

    /// Whether the result of a node may be beyond the largest float of its format, as far as the evaluation knows; otherwise what
    /// is infinite in the evaluation is so because doubles end.
    pub(super) fn may_overflow(&self, i: usize, evaluation: &Evaluation) -> bool {
        let (size, carried) = (evaluation.value[i].magnitude(), evaluation.carried[i]);
        self.grain[i].is_beyond(if carried.is_finite() { plus_up(size, carried) } else { size })
    }

    pub(super) fn arguments(&self, i: usize) -> [Option<usize>; 3] {
        match self.steps[i] {
            Step::Constant | Step::Input(_) => [None; 3],
            Step::Neg(x)
            | Step::Abs(x)
            | Step::Sqrt(x)
            | Step::Exp(x)
            | Step::Ln(x)
            | Step::Cast(x)
            | Step::Trigonometric(_, x)
            | Step::Power(x, _) => [Some(x), None, None],
            Step::Add(x, y)
            | Step::Sub(x, y)
            | Step::Mul(x, y)
            | Step::Div(x, y)
            | Step::Min(x, y)
            | Step::Max(x, y) => [Some(x), Some(y), None],
            Step::Fma(x, y, z) => [Some(x), Some(y), Some(z)],
        }
    }

    /// The real range of a node, and its partial derivatives over the widened ranges of its arguments.
    /// Where an operation is not defined, anything is possible.
    fn apply(&self, i: usize, inputs: &[Interval], out: &mut Evaluation) -> (Interval, [Interval; 3]) {
        const O: Interval = Interval::ZERO;
        const I: Interval = Interval::ONE;
        const ALL: Interval = Interval::EVERYTHING;
        let minus = -I;
        let v = |x: usize| out.value[x];
        let w = |x: usize| out.wide[x];
        match self.steps[i] {
            Step::Constant => (self.constants[i], [O; 3]),
            Step::Input(x) => (inputs.get(x).copied().unwrap_or(ALL), [O; 3]),
            Step::Neg(x) => (-v(x), [minus, O, O]),
            Step::Cast(x) => (v(x), [I, O, O]),
            Step::Abs(x) => {
                let slope = if w(x).low() >= 0.0 {
                    I
                } else if w(x).high() <= 0.0 {
                    minus
                } else {
                    out.kinked = true;
                    Interval::new(-1.0, 1.0)
                };
                (v(x).abs(), [slope, O, O])
            }
            Step::Add(x, y) => (v(x) + v(y), [I, I, O]),
            Step::Sub(x, y) if x == y => (O, [O; 3]),
            Step::Sub(x, y) => (v(x) - v(y), [I, minus, O]),
            Step::Mul(x, y) if x == y => (v(x).abs().exact_product(v(x).abs()), [w(x), w(x), O]),
            Step::Mul(x, y) => (v(x).exact_product(v(y)), [w(y), w(x), O]),
            Step::Div(x, y) => match (v(x).exact_quotient(v(y)), w(y).reciprocal(), w(x).checked_div(w(y))) {
                (Some(value), Some(inverse), Some(quotient)) => (value, [inverse, -(quotient * inverse), O]),
                (value, ..) => (value.unwrap_or(ALL), [ALL, ALL, O]),
            },
            Step::Sqrt(x) => {
                let value = v(x).sqrt();
                let slope = if w(x).low() > 0.0 {
                    w(x).sqrt().and_then(|root| Interval::point(0.5).checked_div(root))
                } else {
                    None
                };
                // A computed range below 0 may give NaN, unless it is 0 itself.
                match (value, slope) {
                    (Some(value), Some(slope)) => (value, [slope, O, O]),
                    (Some(value), None) if out.computed[x].low() >= 0.0 => (value, [ALL, O, O]),
                    _ => (ALL, [ALL, O, O]),
                }
            }
            Step::Fma(x, y, z) => (v(x) * v(y) + v(z), [w(y), w(x), I]),
            Step::Exp(x) => (v(x).exp(), [w(x).exp(), O, O]),
            Step::Ln(x) => match (v(x).ln(), w(x).low() > 0.0, w(x).reciprocal()) {
                (Some(value), true, Some(slope)) => (value, [slope, O, O]),
                (value, ..) => (value.unwrap_or(ALL), [ALL, O, O]),
            },
            Step::Trigonometric(f, x) => match (f.of(&v(x)), slope(f, w(x))) {
                (Some(value), Some(slope)) => (value, [slope, O, O]),
                _ => (ALL, [ALL, O, O]),
            },
            // The slope is n·x^(n−1), and 0 for n = 0.
            Step::Power(x, n) => {
                let slope = Interval::point(f64::from(n)) * power(&w(x), n.saturating_sub(1));
                (power(&v(x), n), [slope, O, O])
            }
            Step::Min(x, y) | Step::Max(x, y) => {
                let smaller = matches!(self.steps[i], Step::Min(..));
                let value = if smaller { v(x).min(v(y)) } else { v(x).max(v(y)) };
                let first = if smaller { w(x).high() <= w(y).low() } else { w(x).low() >= w(y).high() };
                let second = if smaller { w(y).high() <= w(x).low() } else { w(y).low() >= w(x).high() };
                let slopes = match (first, second) {
                    (true, _) => [I, O, O],
                    (_, true) => [O, I, O],
                    _ => {
                        out.kinked = true;
                        [Interval::new(0.0, 1.0), Interval::new(0.0, 1.0), O]
                    }
                };
                (value, slopes)
            }
        }
    }

    /// What the errors of the arguments do to the result where slopes say less: they may have no bound, be beyond all doubles, or
    /// take no notice that the result has a range. Infinite where nothing else is known.
    fn without_slopes(&self, i: usize, partial: &[Interval; 3], out: &Evaluation) -> f64 {
        let error = |x: usize| out.error[x];
        match self.steps[i] {
            // |√a − √b| ≤ √|a − b|.
            Step::Sqrt(x) => up(error(x).sqrt()),
            // By the mean-value theorem e_x·|1/ỹ| + e_y·|x̃/ỹ|·|1/ỹ|, in the order in which 1/ỹ² is never formed.
            Step::Div(x, y) => {
                let inverse = partial[0].magnitude();
                let quotient =
                    out.wide[x].checked_div(out.wide[y]).map_or(f64::INFINITY, Interval::magnitude);
                plus_up(times_up(error(x), inverse), times_up(times_up(error(y), inverse), quotient))
            }
            // Both logarithms are among those of what the argument may be.
            Step::Ln(x) => out.wide[x].ln().map_or(f64::INFINITY, Interval::width_up),
            // Two values of a sine are no more than 2 apart, two of an arctangent less than π.
            Step::Trigonometric(Trigonometric::Sine | Trigonometric::Cosine, _) => 2.0,
            Step::Trigonometric(Trigonometric::Arctangent, _) => std::f64::consts::PI.next_up(),
            _ => f64::INFINITY,
        }
    }

    /// The exact operation on the floats that are computed for its arguments, where its ends are often exact: sums, products
    /// and quotients; everything for others.
    fn before_rounding(&self, i: usize, value: Interval, out: &Evaluation) -> Interval {
        let c = |x: usize| out.computed[x];
        match self.steps[i] {
            Step::Input(_) => value,
            Step::Neg(x) => -c(x),
            Step::Add(x, y) => c(x) + c(y),
            Step::Sub(x, y) => c(x) - c(y),
            Step::Mul(x, y) if x == y => c(x).abs().exact_product(c(x).abs()),
            Step::Mul(x, y) => c(x).exact_product(c(y)),
            Step::Div(x, y) => c(x).exact_quotient(c(y)).unwrap_or(Interval::EVERYTHING),
            _ => Interval::EVERYTHING,
        }
    }

    /// D_i over the box, and the least that it is anywhere in it.
    fn local_error(
        &self,
        i: usize,
        value: Interval,
        propagated: f64,
        before: Interval,
        out: &Evaluation,
    ) -> (f64, f64) {
        let grain = &self.grain[i];
        let magnitude = plus_up(value.magnitude(), propagated).min(before.magnitude());
        // Overflow and undefined operations come out as an infinite D, also of exact operations.
        let overflow = grain.error(magnitude, true).is_infinite();
        match self.rounding[i] {
            _ if overflow => (f64::INFINITY, f64::INFINITY),
            Rounding::Exact => (0.0, 0.0),
            Rounding::Underflow => (grain.tiny(), grain.tiny()),
            Rounding::Fixed(error) => (error.magnitude(), error.magnitude()),
            Rounding::Ulps(ulps) => {
                let most = grain.ulps(magnitude, ulps);
                (most, grain.ulps(value.mignitude(), ulps).min(most))
            }
            Rounding::Nearest { sum } => {
                if sum && self.uniform[i] && self.difference_is_exact(i, out) {
                    return (0.0, 0.0);
                }
                let most = grain.error(magnitude, sum);
                let least = grain.error(value.mignitude(), sum).min(most);
                match self.steps[i] {
                    // Both operands are floats, and the nearest float to their sum is at least as near as either.
                    Step::Add(x, y) | Step::Sub(x, y) if sum && self.uniform[i] => {
                        let smaller = out.computed[x].magnitude().min(out.computed[y].magnitude());
                        (most.min(smaller), least.min(smaller))
                    }
                    _ => (most, least),
                }
            }
        }
    }

    /// Sterbenz: x − y is a float when y/2 ≤ x ≤ 2y, for the floats x and y.
    fn difference_is_exact(&self, i: usize, out: &Evaluation) -> bool {
        let (x, y) = match self.steps[i] {
            Step::Sub(x, y) => (out.computed[x], out.computed[y]),
            Step::Add(x, y) => (out.computed[x], -out.computed[y]),
            _ => return false,
        };
        let (x, y) = if x.high() < 0.0 { (-x, -y) } else { (x, y) };
        x.low() > 0.0 && y.low() > 0.0 && y.high() <= 2.0 * x.low() && x.high() <= 2.0 * y.low()
    }
}
