//! Bounds of the rounding error of a program over all inputs in a box.
//!
//! ```
//! use probity_float::{fpcore, roundoff};
//! let file = fpcore::read("(FPCore (x) :name \"half\" :pre (<= 1 x 2) (/ x (+ x 1)))").unwrap();
//! let core = file[0].content.as_ref().unwrap();
//! let analysis = roundoff::analyse(core, &roundoff::Options::default());
//! let bound = analysis.absolute.unwrap();
//! assert!(bound < 2e-16 && analysis.sampled.unwrap() <= bound);
//! ```

pub mod defined;
mod derivatives;
mod doubled;
mod linear;
pub mod rounding;
mod sample;
pub mod search;
#[cfg(test)]
mod soundness;
pub mod tape;

use std::fmt;

use crate::decimal::double;
use crate::fpcore::{Comparison, Core, Path};
use crate::interval::Interval;
use crate::program::{NodeId, Program};
use defined::{Cause, Needed};
use search::{Condition, Found, Objective, Problem, excluded, maximise};
use tape::{Evaluation, Tape};

/// How to analyse.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Inputs are floats already; otherwise they are reals that are rounded first, and that error counts.
    pub exact_inputs: bool,
    /// How much work the search may do, in evaluations of one operation over one box.
    pub effort: usize,
    /// How many inputs to sample.
    pub samples: usize,
    /// Whether to bound the relative error too.
    pub relative: bool,
    /// By how many units in the last place of the exact result the functions of the library may err (exponentials,
    /// logarithms, powers, trigonometric functions); 0 if they are correctly rounded.
    pub ulps: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { exact_inputs: false, effort: 300_000, samples: 4_000, relative: true, ulps: 0 }
    }
}

/// Why there is no bound.
#[derive(Debug, Clone, PartialEq)]
pub enum Unbounded {
    /// An input has no range.
    Input(String),
    /// No input meets the precondition.
    Empty,
    /// The result may be 0, where a relative error means nothing, or the search could not tell it from 0.
    ResultMayBeZero,
    /// Reals and floats may take different ways through an `if`; only the absolute error is bounded then.
    Branches,
    /// Somewhere in this box an operation may be undefined or overflow, or no bound was found.
    Undefined {
        /// The operation, as an expression.
        operation: String,
        /// In what way.
        cause: Cause,
        /// A box of inputs where it happens, as far as the search could tell: a point where one was found.
        place: Vec<(String, f64, f64)>,
    },
    /// Not asked for.
    NotAsked,
}

impl fmt::Display for Unbounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unbounded::Input(name) => write!(f, "the input '{name}' has no range in the precondition"),
            Unbounded::Empty => write!(f, "no input meets the precondition"),
            Unbounded::ResultMayBeZero => write!(f, "the result may be 0, or was not told from 0"),
            Unbounded::Branches => write!(f, "the ways of an `if` may differ between reals and floats"),
            Unbounded::Undefined { operation, cause, place } => {
                match cause {
                    Cause::Effort | Cause::Analysis => {
                        write!(f, "no bound was found for {operation}: {cause}")?;
                    }
                    _ => write!(f, "{operation} may be undefined or overflow: {cause}")?,
                }
                for (i, (name, low, high)) in place.iter().enumerate() {
                    write!(f, "{} {name} ", if i == 0 { ", for" } else { "," })?;
                    match low == high {
                        true => write!(f, "= {}", double(*low))?,
                        false => write!(f, "in [{}, {}]", double(*low), double(*high))?,
                    }
                }
                Ok(())
            }
            Unbounded::NotAsked => write!(f, "not asked for"),
        }
    }
}

/// What an analysis found.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// Not below |computed − real| for any input.
    pub absolute: Result<f64, Unbounded>,
    /// Not below |computed − real| / |real| for any input.
    pub relative: Result<f64, Unbounded>,
    /// An error that occurs, rounded down: the absolute bound cannot be below it.
    pub sampled: Option<f64>,
    /// Boxes that the search looked at.
    pub boxes: usize,
}

/// Bounds the rounding error of a computation.
pub fn analyse(core: &Core, options: &Options) -> Analysis {
    let mut ranges = Vec::new();
    for input in &core.inputs {
        match (&input.low, &input.high) {
            (Some(low), Some(high)) if low <= high => ranges.push(Interval::around(low, high)),
            (Some(_), Some(_)) => return failed(Unbounded::Empty),
            _ => return failed(Unbounded::Input(input.name.clone())),
        }
    }
    let mut places = Vec::new();
    let mut boxes = 0;
    let absolute = bound(core, &ranges, Objective::Absolute, options, &mut places, &mut boxes);
    let relative = match (options.relative, &absolute) {
        (false, _) => Err(Unbounded::NotAsked),
        (true, Err(reason)) => Err(reason.clone()),
        (true, Ok(_)) => bound(core, &ranges, Objective::Relative, options, &mut Vec::new(), &mut boxes),
    };
    let sampled = sample::sampled_error(core, &places, options.samples, options.exact_inputs);
    Analysis { absolute, relative, sampled, boxes }
}

fn failed(reason: Unbounded) -> Analysis {
    Analysis { absolute: Err(reason.clone()), relative: Err(reason), sampled: None, boxes: 0 }
}

/// The largest bound over all pairs of a way that the reals take and a way that the floats take.
fn bound(
    core: &Core,
    ranges: &[Interval],
    objective: Objective,
    options: &Options,
    places: &mut Vec<Vec<Interval>>,
    boxes: &mut usize,
) -> Result<f64, Unbounded> {
    let mut worst: Option<f64> = None;
    for (i, real) in core.paths.iter().enumerate() {
        for (j, float) in core.paths.iter().enumerate() {
            let mut roots = vec![real.result, float.result];
            let guards: Vec<(Comparison, bool)> = core
                .constraints
                .iter()
                .chain(&real.guards)
                .map(|c| (*c, false))
                .chain(float.guards.iter().filter(|_| i != j).map(|c| (*c, true)))
                .collect();
            roots.extend(guards.iter().flat_map(|(c, _)| [c.left, c.right]));
            let decided = [decided_sides(core, real), decided_sides(core, float)];
            roots.extend(decided.iter().flatten());
            let (program, placed) = core.program.restricted(&roots);
            let mut tape = Tape::with_library(&program, options.exact_inputs, options.ulps);
            let conditions: Vec<Condition> = guards
                .iter()
                .enumerate()
                .map(|(k, (_, in_floats))| Condition {
                    left: placed[2 + 2 * k],
                    right: placed[3 + 2 * k],
                    in_floats: *in_floats,
                })
                .collect();
            let objective = match (i == j, objective) {
                (true, objective) => objective,
                (false, Objective::Relative) => return Err(Unbounded::Branches),
                (false, _) => Objective::Divergence { taken: placed[1] },
            };
            let beyond = 2 + 2 * guards.len();
            let in_reals = [&placed[..1], &placed[beyond..beyond + decided[0].len()]].concat();
            let in_floats = [&placed[1..2], &placed[beyond + decided[0].len()..]].concat();
            let needed = Needed::new(&program, &in_reals, &in_floats);
            tape.imply(&linear::implied_ranges(&program, core.inputs.len(), &conditions));
            // A relative bound is read to two figures at most: it gets less work.
            let (share, gap) = if objective == Objective::Relative { (3, 0.01) } else { (1, 0.0005) };
            let budget = (options.effort / share / tape.cost().max(1)).clamp(100, 20_000);
            let problem = Problem {
                tape: &tape,
                root: placed[0],
                objective,
                conditions: &conditions,
                needed: &needed,
                budget,
                gap,
            };
            let Found { upper, place, boxes: more } = maximise(&problem, ranges);
            *boxes += more;
            match upper {
                // The conditions exclude this pair of ways.
                None => {}
                Some(upper) if upper.is_finite() => {
                    worst = Some(worst.map_or(upper, |w| w.max(upper)));
                    places.push(place);
                }
                Some(_) => return Err(reason(core, &problem, &program, ranges, &place)),
            }
        }
    }
    worst.ok_or(Unbounded::Empty)
}

/// Both sides of every comparison that is evaluated to find a way.
fn decided_sides(core: &Core, path: &Path) -> Vec<NodeId> {
    let evaluated = core.decisions.iter().filter(|decision| decision.iter().any(|c| path.guards.contains(c)));
    evaluated.flatten().flat_map(|c| [c.left, c.right]).collect()
}

/// Which operation may have no finite result in the box where the search gave up; for one input of it, where one is found.
fn reason(
    core: &Core,
    problem: &Problem,
    program: &Program,
    ranges: &[Interval],
    place: &[Interval],
) -> Unbounded {
    let mut evaluation = Evaluation::default();
    let mut fault = |place: &[Interval]| {
        problem.tape.forward(place, None, &mut evaluation);
        let id = problem.needed.first_undefined(&evaluation).filter(|_| !excluded(problem, &evaluation))?;
        Some((id, defined::cause(program, problem.tape, id, &evaluation)))
    };
    // The ends, the middle, and what is nearest to 0: where something fails, it mostly does there.
    let at: [fn(&Interval) -> f64; 4] =
        [|x| 0f64.clamp(x.low(), x.high()), |x| x.low(), |x| x.high(), |x| x.middle()];
    let points =
        |of: &[Interval]| at.map(|at| of.iter().map(|span| Interval::point(at(span))).collect::<Vec<_>>());
    // What is in order at every point that is looked at may be so in the box too: it is only too wide yet.
    let wide = points(place).iter().all(|point| fault(point).is_none());
    let told_of = |(id, cause)| (id, if wide && cause == Cause::Analysis { Cause::Effort } else { cause });
    let whole = fault(place).map(|found| (told_of(found), place.to_vec()));
    let mut told = Vec::new();
    for point in points(place).into_iter().chain(points(ranges)) {
        told.push(fault(&point).filter(|(_, cause)| *cause != Cause::Analysis).map(|found| (found, point)));
    }
    // Where all points of the box are alike it says more.
    let what = |told: &Option<((NodeId, Cause), Vec<Interval>)>| told.as_ref().map(|(found, _)| *found);
    let alike = told[..at.len()].iter().all(|point| what(point) == what(&whole));
    let told = told.into_iter().flatten().next().filter(|_| !alike);
    let ((id, cause), place) = match told.or(whole) {
        Some(told) => told,
        // Everything is defined there, so only a result of 0 is left as a reason.
        None if problem.objective == Objective::Relative => return Unbounded::ResultMayBeZero,
        None => ((problem.root, Cause::Effort), place.to_vec()),
    };
    let names: Vec<String> = core.inputs.iter().map(|input| input.name.clone()).collect();
    Unbounded::Undefined {
        operation: program.render(id, &names),
        cause,
        place: names.into_iter().zip(place).map(|(name, span)| (name, span.low(), span.high())).collect(),
    }
}
