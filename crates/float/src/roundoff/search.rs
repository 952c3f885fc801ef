//! The largest value of the error sum over a box of inputs, by branch and bound. Every bound that is returned is
//! sound whenever the search stops; more steps only make it tighter.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::defined::Needed;
use super::tape::{Evaluation, Tape, plus_up, times_up};
use crate::interval::Interval;
use crate::program::NodeId;

/// What is maximised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objective {
    /// The error.
    Absolute,
    /// The error divided by the size of the real result.
    Relative,
    /// The largest |real first root − real second root| plus the error of the second.
    Divergence {
        /// What the float program computes when the two take different ways.
        taken: NodeId,
    },
}

/// A condition on the real values: left ≤ right, possibly only up to the errors of both (a condition that
/// was decided in floats).
#[derive(Debug, Clone, Copy)]
pub struct Condition {
    /// The side that is not larger.
    pub left: NodeId,
    /// The side that is not smaller.
    pub right: NodeId,
    /// Whether it was decided in floats.
    pub in_floats: bool,
}

/// A problem: a program, its result, what to maximise, and where.
#[derive(Debug, Clone)]
pub struct Problem<'a> {
    /// The program.
    pub tape: &'a Tape,
    /// Its result.
    pub root: NodeId,
    /// What to maximise.
    pub objective: Objective,
    /// What holds of the inputs.
    pub conditions: &'a [Condition],
    /// What has to be defined, or there is no bound.
    pub needed: &'a Needed,
    /// Boxes to look at, at most.
    pub budget: usize,
    /// How close to a value that is attained the bound needs to come, as a fraction.
    pub gap: f64,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Not below the maximum; infinite when no bound was found; `None` when the conditions exclude the
    /// whole box.
    pub upper: Option<f64>,
    /// A box where the upper bound was not improved further.
    pub place: Vec<Interval>,
    /// Boxes looked at.
    pub boxes: usize,
}

struct Region {
    upper: f64,
    inputs: Vec<Interval>,
    /// The input to halve next.
    split: Option<usize>,
    /// Lower limits for the D_i: what they are on a box of which this one is a face that dominates it.
    floors: Option<Vec<f64>>,
}

impl PartialEq for Region {
    fn eq(&self, other: &Region) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Region {}
impl PartialOrd for Region {
    fn partial_cmp(&self, other: &Region) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Region {
    fn cmp(&self, other: &Region) -> Ordering {
        self.upper.total_cmp(&other.upper)
    }
}

/// Finds an upper bound of the objective over the box.
pub fn maximise(problem: &Problem, inputs: &[Interval]) -> Found {
    let mut search = Searcher {
        problem,
        whole: inputs.iter().map(|span| span.width_up()).collect(),
        main: Evaluation::default(),
        point: Evaluation::default(),
        attained: 0.0,
        signs: (false, false),
    };
    let mut heap = BinaryHeap::new();
    let mut boxes = 1;
    // Regions that cannot be halved any more.
    let mut stuck: Option<Region> = None;
    heap.extend(search.region(inputs.to_vec(), None));
    while let Some(top) = heap.pop() {
        // A result of both signs is 0 in between: its relative error has no bound.
        if problem.objective == Objective::Relative && search.signs == (true, true) {
            return Found { upper: Some(f64::INFINITY), place: inputs.to_vec(), boxes };
        }
        let stuck_upper = stuck.as_ref().map_or(f64::NEG_INFINITY, |region| region.upper);
        if boxes >= problem.budget
            || top.upper <= search.attained * (1.0 + problem.gap)
            || top.upper <= stuck_upper
        {
            let (upper, place) = match stuck {
                Some(region) if region.upper > top.upper => (region.upper, region.inputs),
                _ => (top.upper, top.inputs),
            };
            return Found { upper: Some(upper), place, boxes };
        }
        let halves = top.split.and_then(|k| halves(&top.inputs, k, top.upper.is_infinite()));
        match halves {
            None => {
                if top.upper > stuck_upper {
                    stuck = Some(top);
                }
            }
            Some(halves) => {
                boxes += 2;
                for half in halves {
                    heap.extend(search.region(half, top.floors.clone()).map(|region| Region {
                        // A part is never worse than the whole.
                        upper: region.upper.min(top.upper),
                        ..region
                    }));
                }
            }
        }
    }
    match stuck {
        Some(region) => Found { upper: Some(region.upper), place: region.inputs, boxes },
        None => Found { upper: None, place: inputs.to_vec(), boxes },
    }
}

/// Both halves of a box. Where nothing is known yet and an input is of many sizes, it is the sizes that are halved: 1/x on
/// [10^-300, 1] has a bound where x is of a few.
fn halves(inputs: &[Interval], k: usize, unknown: bool) -> Option<[Vec<Interval>; 2]> {
    let span = inputs[k];
    let (least, most) = (span.mignitude(), span.magnitude());
    let middle = match unknown && least > 0.0 && most / least > MANY_SIZES {
        true => (least.sqrt() * most.sqrt()).copysign(span.low()),
        false => span.middle(),
    };
    if !(span.low() < middle && middle < span.high()) {
        return None;
    }
    let mut parts = [inputs.to_vec(), inputs.to_vec()];
    parts[0][k] = Interval::new(span.low(), middle);
    parts[1][k] = Interval::new(middle, span.high());
    Some(parts)
}

/// By how much the ends of a range differ that is halved by size.
const MANY_SIZES: f64 = 1e6;

struct Searcher<'a, 'b> {
    problem: &'a Problem<'b>,
    /// The widths of the inputs at the start.
    whole: Vec<f64>,
    main: Evaluation,
    point: Evaluation,
    /// The largest value of the objective's estimate at a point so far.
    attained: f64,
    /// Whether points were seen where the result is not positive, and where it is not negative.
    signs: (bool, bool),
}

impl Searcher<'_, '_> {
    /// Bounds the objective over a box; `None` when the conditions exclude it.
    fn region(&mut self, mut inputs: Vec<Interval>, mut floors: Option<Vec<f64>>) -> Option<Region> {
        // Each round may drop inputs in which the objective is monotone; there are finitely many.
        for _ in 0..=inputs.len() {
            let tape = self.problem.tape;
            tape.forward(&inputs, floors.as_deref(), &mut self.main);
            if excluded(self.problem, &self.main) {
                return None;
            }
            let sum = match self.problem.objective {
                Objective::Divergence { taken } => tape.backward(taken, &mut self.main),
                _ => tape.backward(self.problem.root, &mut self.main),
            };
            let plain = match self.problem.objective {
                // An undefined operation may have no weight in the sum, as in 0 · ln x, but is NaN all the same.
                _ if self.problem.needed.first_undefined(&self.main).is_some() => f64::INFINITY,
                Objective::Divergence { taken } => sum.min(self.main.error[taken]),
                _ => sum.min(self.main.error[self.problem.root]),
            };
            if let Objective::Divergence { taken } = self.problem.objective {
                let apart = self.main.value[self.problem.root] - self.main.value[taken];
                let upper = plus_up(apart.magnitude(), plain);
                let split = self.widest(&inputs);
                return Some(Region { upper, inputs, split, floors });
            }
            let (upper, split, face) = self.refine(&inputs, plain);
            match face {
                Some(face) => {
                    inputs = face;
                    floors = Some(self.main.local.clone());
                }
                None => return Some(Region { upper, inputs, split, floors }),
            }
        }
        let split = self.widest(&inputs);
        Some(Region { upper: f64::INFINITY, inputs, split, floors })
    }

    /// The input that is still widest, compared with where it started.
    fn widest(&self, inputs: &[Interval]) -> Option<usize> {
        let share = |k: usize| if self.whole[k] > 0.0 { inputs[k].width_up() / self.whole[k] } else { 0.0 };
        (0..inputs.len())
            .filter(|k| inputs[*k].low() < inputs[*k].high())
            .max_by(|a, b| share(*a).total_cmp(&share(*b)))
    }

    /// The mean-value bound, which input to halve, and a face on which the maximum lies for certain.
    fn refine(&mut self, inputs: &[Interval], plain: f64) -> (f64, Option<usize>, Option<Vec<Interval>>) {
        let Problem { tape, root, objective, conditions, .. } = *self.problem;
        let widest = self.widest(inputs);
        let value = self.result_range(inputs);
        let scale = |error: f64, value: Interval| match objective {
            Objective::Relative if error == 0.0 => 0.0,
            Objective::Relative if value.mignitude() == 0.0 => f64::INFINITY,
            Objective::Relative => (error / value.mignitude()).next_up(),
            _ => error,
        };
        if !plain.is_finite() {
            // An input of many sizes is halved by size.
            let sizes = |k: &usize| inputs[*k].magnitude() / inputs[*k].mignitude();
            let many = (0..inputs.len())
                .filter(|k| sizes(k).is_finite() && sizes(k) > MANY_SIZES)
                .max_by(|x, y| sizes(x).total_cmp(&sizes(y)));
            return (f64::INFINITY, many.or(widest), None);
        }
        // Values that are cut by conditions say nothing about the points between two members of the box.
        let gradient = match tape.is_conditional() {
            true => None,
            false => tape.gradient(root, inputs.len(), &mut self.main),
        };
        let gradient = gradient.and_then(|gradient| match objective {
            Objective::Relative => self.quotient_gradient(&gradient, value, plain),
            _ => Some(gradient),
        });
        let Some(gradient) = gradient else {
            self.attain(&inputs.iter().map(|span| Interval::point(span.middle())).collect::<Vec<_>>());
            // A result that may be 0: halve the input that moves it most.
            let moves = |k: &usize| self.slope(*k).magnitude() * inputs[*k].width_up();
            let steepest = (0..inputs.len())
                .filter(|k| objective == Objective::Relative && moves(k).is_finite() && moves(k) > 0.0)
                .max_by(|x, y| moves(x).total_cmp(&moves(y)));
            return (scale(plain, value), steepest.or(widest), None);
        };
        // D_i is about the same everywhere in the box, for every i that matters: keeping it on a face costs little.
        let even = (0..=root).all(|i| {
            self.main.adjoint[i] == Interval::ZERO || self.main.local[i] == self.main.local_least[i]
        });
        let monotone = |k: usize| gradient[k].low() >= 0.0 || gradient[k].high() <= 0.0;
        let corner = |k: usize| {
            if gradient[k].low() >= 0.0 {
                inputs[k].high()
            } else if gradient[k].high() <= 0.0 {
                inputs[k].low()
            } else {
                inputs[k].middle()
            }
        };
        let wide = |k: &usize| inputs[*k].low() < inputs[*k].high();
        // A face may leave the conditions' region: then none is taken.
        if even && conditions.is_empty() && (0..inputs.len()).filter(wide).any(monotone) {
            let face = (0..inputs.len())
                .map(|k| if monotone(k) { Interval::point(corner(k)) } else { inputs[k] })
                .collect();
            return (f64::INFINITY, None, Some(face));
        }
        let at: Vec<Interval> = (0..inputs.len()).map(|k| Interval::point(corner(k))).collect();
        let floors = self.main.local.clone();
        tape.forward(&at, Some(&floors), &mut self.point);
        let mut taylor = scale(tape.backward(root, &mut self.point), self.point.value[root]);
        let mut slack = vec![0.0; inputs.len()];
        for k in 0..inputs.len() {
            let (low, high) = (inputs[k].low(), inputs[k].high());
            let offset = Interval::new((low - at[k].high()).next_down(), (high - at[k].low()).next_up());
            if low == high {
                continue;
            }
            if !monotone(k) {
                slack[k] = times_up(gradient[k].magnitude(), offset.magnitude());
                taylor = plus_up(taylor, slack[k]);
            }
        }
        let upper = scale(plain, value).min(taylor);
        self.attain(&at);
        // Blame the inputs for what the bound may lose: the gradient's slack, and steps of the D_i.
        for i in 0..=root {
            let loss = self.main.adjoint[i].magnitude() * (self.main.local[i] - self.main.local_least[i]);
            let loss = if objective == Objective::Relative { loss / value.mignitude() } else { loss };
            if loss > 0.0 && loss.is_finite() {
                for k in (0..inputs.len()).filter(wide).filter(|k| tape.depends_on(i, *k)) {
                    slack[k] += loss * inputs[k].width_up() / self.whole[k];
                }
            }
        }
        let split = (0..inputs.len())
            .filter(wide)
            .max_by(|a, b| slack[*a].total_cmp(&slack[*b]))
            .filter(|k| slack[*k] > 0.0 && slack[*k].is_finite())
            .or(widest);
        (upper, split, None)
    }

    /// The real result over the box; for a relative error also by its mean-value form, which tells it from 0 sooner.
    fn result_range(&mut self, inputs: &[Interval]) -> Interval {
        let Problem { tape, root, objective, .. } = *self.problem;
        let plain = self.main.value[root];
        if objective != Objective::Relative || tape.is_conditional() {
            return plain;
        }
        let middle: Vec<Interval> = inputs.iter().map(|span| Interval::point(span.middle())).collect();
        tape.forward(&middle, None, &mut self.point);
        let mut value = self.point.value[root];
        for (k, (span, at)) in inputs.iter().zip(&middle).enumerate() {
            value = value + self.slope(k) * (*span - *at);
        }
        plain.intersection(value).unwrap_or(plain)
    }

    /// The gradient of S/|v| for S with the given gradient: (S'·|v| − S·|v|')/v². `None` when v may be 0.
    fn quotient_gradient(&self, gradient: &[Interval], value: Interval, plain: f64) -> Option<Vec<Interval>> {
        if value.contains_zero() {
            return None;
        }
        // With every sign known S is a sum of positive terms; otherwise it may be anything up to the bound.
        let signed = |i: usize| {
            let adjoint = self.main.adjoint[i];
            adjoint.low() >= 0.0 || adjoint.high() <= 0.0 || self.main.local[i] == 0.0
        };
        let known = (0..=self.problem.root).all(signed);
        let sum = Interval::new(if known { 0.0 } else { -plain }, plain);
        let size = value.abs();
        let square = size.square();
        (0..gradient.len())
            .map(|k| {
                let slope = if value.low() > 0.0 { self.slope(k) } else { -self.slope(k) };
                (gradient[k] * size - sum * slope).checked_div(square)
            })
            .collect()
    }

    /// ∂F/∂x_k over the last box: the adjoint of the input's node.
    fn slope(&self, k: usize) -> Interval {
        self.problem.tape.input_node(k).map_or(Interval::ZERO, |node| self.main.adjoint[node])
    }

    /// Takes note of the estimate at a point, if the point meets the conditions for certain.
    fn attain(&mut self, at: &[Interval]) {
        let Problem { tape, root, objective, conditions, .. } = *self.problem;
        tape.forward(at, None, &mut self.point);
        let inside = conditions.iter().all(|condition| {
            let distance = self.point.value[condition.right] - self.point.value[condition.left];
            distance.low() >= 0.0
        });
        let sum = tape.backward(root, &mut self.point).min(self.point.error[root]);
        if !inside || !sum.is_finite() {
            return;
        }
        let value = self.point.value[root];
        self.signs.0 |= value.high() <= 0.0;
        self.signs.1 |= value.low() >= 0.0;
        let here = match objective {
            Objective::Relative => sum / value.magnitude(),
            _ => sum,
        };
        if here.is_finite() {
            self.attained = self.attained.max(here);
        }
    }
}

/// Whether the conditions exclude the box that was evaluated.
pub(super) fn excluded(problem: &Problem, evaluation: &Evaluation) -> bool {
    evaluation.excluded || problem.conditions.iter().any(|condition| violated(condition, evaluation))
}

/// Whether the condition fails everywhere in the box.
fn violated(condition: &Condition, evaluation: &Evaluation) -> bool {
    let Condition { left, right, in_floats } = *condition;
    let distance = evaluation.value[right] - evaluation.value[left];
    let slack = match in_floats {
        true => plus_up(evaluation.error[left], evaluation.error[right]),
        false => 0.0,
    };
    // right − left ≤ distance.high < −slack: not even the errors can make it hold.
    distance.high() < 0.0 && -distance.high() > slack
}
