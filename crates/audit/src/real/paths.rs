//! All paths of a program over the reals, and the probability of an event.

use std::cell::RefCell;
use std::rc::Rc;

use probity_exact::{Float, Natural, Rational, Round};
use probity_kernel::term::Mechanism;

use crate::case::Case;
use crate::deadline::Deadline;
use crate::error::AuditError;
use crate::integrate::integral;
use crate::integrate::meter::Meter;
use crate::integrate::piecewise::{Enclosed, Scalar};
use crate::integrate::sum::KnownSums;
use crate::output::bounds::Bounds;
use crate::output::event::Event;
use crate::output::outcome::{Inputs, Outcome, Parameters};
use crate::real::discrete::{Tail, choices};
use crate::real::world::{CHANCES, Choice, Needed, Real, RealWorld, Weighted};
use crate::run::numbers::stop_error;
use crate::run::program::{LawKind, Program, Scratch, Stop, Value};

/// Limits of an exploration over the reals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Depth {
    /// The largest number of paths that are followed.
    pub paths: usize,
    /// Infinite supports are cut where the tail of a draw is below 2^−tail_bits.
    pub tail_bits: u32,
}

impl Default for Depth {
    fn default() -> Depth {
        Depth { paths: 1 << 20, tail_bits: 64 }
    }
}

/// A mechanism on one input, ready to be followed along its paths.
pub(crate) struct Explorer {
    program: Program<Real>,
    depth: Depth,
    /// The largest number of discrete draws along a path so far.
    most_draws: usize,
    /// How much the paths followed so far cost: their draws, and the squares of their numbers of conditions.
    pub(crate) work: usize,
    /// Beyond this much work there are too many paths.
    most_work: usize,
    /// Values of draws met before, by law; most programs draw from few different laws.
    known: Vec<(KnownLaw, Values)>,
    /// What is remembered from one exploration to the next.
    memory: Memory,
    until: Deadline,
    /// Whether some path never ends.
    pub(crate) endless: bool,
    /// Whether supports were cut to fit the paths.
    is_fitted: bool,
    /// How far a probability may be off since irrational numbers were replaced by rational ones, for the paths followed so far.
    slack: Rational,
}

/// Draws along one path by which supports are cut, and the largest product of their values.
const MOST_FITTED: usize = 12;
const MOST_PRODUCT: usize = 1 << 17;

type KnownLaw = (LawKind, Vec<Real>);

/// The values of a law with their probabilities.
type Values = Rc<[Rc<Weighted>]>;

/// A path and what it releases; `None` when it is impossible.
pub(crate) type Followed = Result<Option<(RealWorld<'static>, Value<Real>)>, AuditError>;

/// Laws that are remembered from one exploration to the next: a search explores many inputs with the same noise.
const REMEMBERED: usize = 64;

/// What explorations have met. Clones are the same memory.
#[derive(Clone, Default)]
pub(crate) struct Memory {
    /// Laws of draws, each with the bits of its tail and its values.
    laws: Rc<RefCell<Vec<(KnownLaw, u32, Values)>>>,
    sums: KnownSums,
}

impl Memory {
    /// The values of a law with probability above 0, cut at a tail of the given bits.
    fn values(&self, law: &Needed, key: &KnownLaw, tail_bits: u32) -> Result<Values, AuditError> {
        let same = |(known, bits, _): &&(KnownLaw, u32, Values)| known == key && *bits == tail_bits;
        if let Some((_, _, values)) = self.laws.borrow().iter().find(same) {
            return Ok(values.clone());
        }
        let mut values = choices(law, Tail { bits: tail_bits }).map_err(stop_error)?;
        values.retain(|(_, chance)| !chance.exact.is_zero());
        let values: Values = values.into_iter().map(Rc::new).collect();
        let mut laws = self.laws.borrow_mut();
        if laws.len() == REMEMBERED {
            laws.remove(0);
        }
        laws.push((key.clone(), tail_bits, values.clone()));
        Ok(values)
    }
}

/// What is done with a finished path and what it released.
type Visit<'a> = &'a mut dyn FnMut(&RealWorld, &Value<Real>) -> Result<(), AuditError>;

impl Explorer {
    pub(crate) fn new(case: Case<'_>, depth: Depth) -> Result<Explorer, AuditError> {
        let program = Program::new(case, &mut RealWorld::new(None))?;
        Ok(Explorer {
            program,
            depth,
            most_draws: 0,
            work: 0,
            most_work: usize::MAX,
            known: Vec::new(),
            memory: Memory::default(),
            until: case.deadline(),
            endless: false,
            is_fitted: false,
            slack: Rational::ZERO,
        })
    }

    /// The same with a limit of its work.
    pub(crate) fn within(self, most_work: usize) -> Explorer {
        Explorer { most_work, ..self }
    }

    pub(crate) fn deadline(&self) -> &Deadline {
        &self.until
    }

    /// The same with what others have met, to which it adds its own.
    pub(crate) fn remembering(self, memory: &Memory) -> Explorer {
        Explorer { memory: memory.clone(), ..self }
    }

    /// The sums of draws that were met.
    pub(crate) fn sums(&self) -> &KnownSums {
        &self.memory.sums
    }

    /// Bounds of the probability of an event.
    pub(crate) fn enclosed(&mut self, event: &Event) -> Result<Option<Bounds>, AuditError> {
        let Some(inside) = self.probability::<Enclosed>(event)? else { return Ok(None) };
        let Some(mut bounds) = to_bounds(&inside) else { return Ok(None) };
        // What was cut off may lie in the event, and what irrational numbers decide otherwise may lie in it or not.
        bounds.high += self.cut() + self.slack();
        bounds.low -= self.slack();
        bounds.low = bounds.low.max(Rational::ZERO);
        bounds.high = bounds.high.min(Rational::ONE);
        Ok(Some(bounds))
    }

    /// Follows every path into the event (every path at all without one). Answers whether all were followed.
    pub(crate) fn follow(&mut self, event: Option<&Event>, visit: Visit<'_>) -> Result<bool, AuditError> {
        self.fit()?;
        let mut world = RealWorld::new(event);
        let mut scratch = Scratch::default();
        // What choices of one draw have before them they share: a loop that draws again and again would fill the memory with copies.
        let mut open: Vec<(Rc<Vec<Choice>>, Option<Choice>)> = vec![Default::default()];
        let mut left = self.depth.paths;
        while let Some((before, choice)) = open.pop() {
            if left == 0 || self.work > self.most_work {
                return Ok(false);
            }
            left -= 1;
            self.until.check()?;
            world.restart(before.iter().cloned().chain(choice).collect());
            let ended = self
                .program
                .run(&mut world, &mut scratch)
                .and_then(|output| world.require_event(&output).map(|()| output));
            self.most_draws = self.most_draws.max(world.discrete_draws + usize::from(world.needed.is_some()));
            self.work += 3 + world.noises.len();
            // Each path, and each beginning of one, has its own share: what is decided otherwise leaves one of them.
            self.slack += &world.slack;
            match ended {
                Ok(output) => visit(&world, &output)?,
                Err(Stop::Pruned) => {}
                // No output, in the event or out of it.
                Err(Stop::Endless) => self.endless = true,
                Err(Stop::Branch) => {
                    let before = Rc::new(std::mem::take(&mut world.tape));
                    open.extend([false, true].map(|holds| (before.clone(), Some(Choice::Branch(holds)))));
                }
                Err(Stop::Draw) => {
                    let before = Rc::new(std::mem::take(&mut world.tape));
                    let Some(law) = world.needed.take() else { continue };
                    let drawn =
                        |weighted: &Rc<Weighted>| (before.clone(), Some(Choice::Draw(weighted.clone())));
                    open.extend(self.values(&law)?.iter().map(drawn));
                }
                Err(Stop::Undecided) => {
                    return Err(AuditError::Unsupported {
                        what: "a comparison of irrational numbers this close",
                    });
                }
                Err(Stop::Error(error)) => return Err(*error),
            }
        }
        Ok(true)
    }

    /// Cuts infinite supports earlier where the product of the values along one path would be too many: three draws with ninety values
    /// each are 729,000 paths, with twenty values each 8,000. What is cut off is counted by [`Explorer::cut`] either way.
    fn fit(&mut self) -> Result<(), AuditError> {
        if std::mem::replace(&mut self.is_fitted, true) {
            return Ok(());
        }
        let mut world = RealWorld::new(None);
        let mut scratch = Scratch::default();
        let mut tape = Vec::new();
        let mut met: Vec<(Needed, KnownLaw)> = Vec::new();
        while met.len() < MOST_FITTED {
            world.restart(tape);
            let choice = match self.program.run(&mut world, &mut scratch) {
                Err(Stop::Branch) => Choice::Branch(false),
                Err(Stop::Draw) => {
                    let Some(law) = world.needed.take() else { break };
                    let key = (law.kind, law.arguments.clone());
                    let values = self.memory.values(&law, &key, self.depth.tail_bits)?;
                    let Some(middle) = values.get(values.len() / 2).cloned() else { break };
                    met.push((law, key));
                    Choice::Draw(middle)
                }
                // What is wrong here is met again, and said, when the paths are followed.
                _ => break,
            };
            tape = std::mem::take(&mut world.tape);
            if tape.len() > 8 * MOST_FITTED {
                break;
            }
            tape.push(choice);
        }
        let most = self.depth.paths.min(MOST_PRODUCT);
        let fewer = [40, 28, 20, 14, 10, 7].into_iter().filter(|bits| *bits < self.depth.tail_bits);
        for bits in std::iter::once(self.depth.tail_bits).chain(fewer) {
            let mut product = 1usize;
            for (law, key) in &met {
                product = product.saturating_mul(self.memory.values(law, key, bits)?.len().max(1));
            }
            if product <= most {
                self.depth.tail_bits = bits;
                break;
            }
        }
        Ok(())
    }

    fn values(&mut self, law: &Needed) -> Result<&[Rc<Weighted>], AuditError> {
        let key = (law.kind, law.arguments.clone());
        let place = match self.known.iter().position(|(known, _)| *known == key) {
            Some(place) => place,
            None => {
                let values = self.memory.values(law, &key, self.depth.tail_bits)?;
                self.known.push((key, values));
                self.known.len() - 1
            }
        };
        Ok(&self.known[place].1)
    }

    /// Follows one path by answering comparisons in the order given, `false` after that, and every discrete draw by
    /// its first value; the path and the released value. `None` when the path is impossible.
    pub(crate) fn follow_answers(&mut self, answers: &[bool]) -> Followed {
        self.follow_one(answers, |values| values.first().cloned())
    }

    /// The same with every discrete draw at its likeliest value, the first of several.
    pub(crate) fn follow_likeliest(&mut self) -> Followed {
        self.follow_one(&[], |values| values.iter().rev().max_by(|a, b| a.1.exact.cmp(&b.1.exact)).cloned())
    }

    fn follow_one(
        &mut self,
        answers: &[bool],
        value: impl Fn(&[Rc<Weighted>]) -> Option<Rc<Weighted>>,
    ) -> Followed {
        let mut answers = answers.iter().copied();
        let mut world = RealWorld::new(None);
        let mut scratch = Scratch::default();
        let mut tape = Vec::new();
        // A program that chooses more often than this along one path is no candidate for a small counterexample.
        for _ in 0..200 {
            world.restart(tape);
            let choice = match self.program.run(&mut world, &mut scratch) {
                Ok(output) => return Ok(Some((world, output))),
                Err(Stop::Branch) => Choice::Branch(answers.next().unwrap_or(false)),
                Err(Stop::Draw) => {
                    let drawn = match world.needed.take() {
                        Some(law) => value(self.values(&law)?),
                        None => None,
                    };
                    let Some(weighted) = drawn else { return Ok(None) };
                    Choice::Draw(weighted)
                }
                Err(Stop::Error(error)) => return Err(*error),
                Err(Stop::Pruned | Stop::Undecided | Stop::Endless) => return Ok(None),
            };
            tape = std::mem::take(&mut world.tape);
            tape.push(choice);
        }
        Ok(None)
    }

    /// The probability of all paths into the event; `None` when there were too many.
    pub(crate) fn probability<S: Scalar>(&mut self, event: &Event) -> Result<Option<S>, AuditError> {
        let parts = event.disjoint_parts().ok_or(OVERLAP)?;
        let mut sum = Sum::<S>::new(&self.until, self.sums());
        let complete = match parts {
            [single] => self.follow(Some(single), &mut |world, _| sum.add(world))?,
            // The parts are disjoint, so their probabilities add up, path by path.
            _ => self.follow(None, &mut |world, output| sum.add_parts(world, parts, output))?,
        };
        self.work += sum.work();
        Ok(complete.then(|| sum.total()))
    }

    /// An upper bound of the probability that some draw falls where its infinite support was cut, for the paths
    /// followed so far. Each cut tail is below 2^(1 − bits), whatever happened before.
    pub(crate) fn cut(&self) -> Rational {
        match self.has_cut() {
            true => {
                Rational::from(2 * self.most_draws)
                    / Rational::from(Natural::ONE << self.depth.tail_bits as usize)
            }
            false => Rational::ZERO,
        }
    }

    /// How far a probability may be off, up or down, since irrational scales, centers and thresholds were replaced by rational numbers next
    /// to them; for the paths followed so far.
    pub(crate) fn slack(&self) -> &Rational {
        &self.slack
    }

    /// Whether some draw's infinite support was cut, so that probabilities are only lower bounds.
    pub(crate) fn has_cut(&self) -> bool {
        let infinite = [LawKind::DiscreteLaplace, LawKind::DiscreteGaussian, LawKind::Geometric];
        self.known.iter().any(|((kind, _), _)| infinite.contains(kind))
    }
}

const OVERLAP: AuditError =
    AuditError::Unsupported { what: "the probability of a union of sets that may overlap" };

/// Probabilities of paths, summed.
pub(crate) struct Sum<S> {
    continuous: S,
    discrete: (Float, Float),
    meter: Meter,
}

impl<S: Scalar> Sum<S> {
    pub(crate) fn new(until: &Deadline, sums: &KnownSums) -> Sum<S> {
        let continuous = S::from_rational(&Rational::ZERO);
        let discrete = (Float::zero(false), Float::zero(false));
        Sum { continuous, discrete, meter: Meter::new(until, sums) }
    }

    /// What the integrals cost.
    pub(crate) fn work(&self) -> usize {
        self.meter.work
    }

    /// Adds the probability of a path.
    pub(crate) fn add(&mut self, world: &RealWorld) -> Result<(), AuditError> {
        let (low, high) = world.chance.ends();
        if world.conditions.len() == 0 {
            add_to(&mut self.discrete, &low, &high);
        } else {
            let noise: S = integral::probability(&world.noises, &world.conditions, &mut self.meter)?;
            self.continuous = self.continuous.plus(&noise.times(&S::between(&low, &high)));
        }
        Ok(())
    }

    /// Adds the probability that a path's output lies in one of several disjoint sets.
    pub(crate) fn add_parts(
        &mut self,
        world: &RealWorld,
        parts: &[Event],
        output: &Value<Real>,
    ) -> Result<(), AuditError> {
        if let Some(known) = outcome(output) {
            let inside = parts.iter().any(|part| part.contains(&known));
            return if inside { self.add(world) } else { Ok(()) };
        }
        for part in parts {
            let mut within = world.clone();
            match within.require_output(part, output) {
                Ok(()) => self.add(&within)?,
                Err(Stop::Pruned) => {}
                Err(stop) => return Err(stop_error(stop)),
            }
        }
        Ok(())
    }

    pub(crate) fn total(&self) -> S {
        self.continuous.plus(&S::between(&self.discrete.0, &self.discrete.1))
    }
}

/// Adds to a sum of bounds, outward.
pub(crate) fn add_to(sum: &mut (Float, Float), low: &Float, high: &Float) {
    sum.0 = CHANCES.add(&sum.0, low, Round::Down);
    sum.1 = CHANCES.add(&sum.1, high, Round::Up);
}

/// The probability of an event over the reals, between two bounds; `None` when the mechanism has more paths than
/// `depth` allows.
///
/// ```
/// use std::collections::BTreeMap;
/// use probity_audit::{Condition, Depth, Event, Given, event_probability};
/// use probity_exact::fraction;
/// use probity_kernel::expr::Expr;
/// use probity_kernel::term::{Distribution, Input, Mechanism, Sort, Statement};
/// let laplace = Mechanism {
///     name: "laplace".into(),
///     inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
///     params: vec![],
///     assumptions: vec![],
///     body: vec![Statement::Draw {
///         var: "y".into(),
///         law: Distribution::Laplace { center: Expr::var("x"), scale: Expr::int(1) },
///     }],
///     output: Expr::var("y"),
///     adjacency: vec![],
/// };
/// let inputs = BTreeMap::from([("x".into(), Given::Number(fraction::<1, 1>()))]);
/// let event = Event::Value(Condition::AtMost(fraction::<0, 1>()));
/// let p = event_probability(&laplace, &BTreeMap::new(), &inputs, &event, Depth::default()).unwrap().unwrap();
/// assert_eq!(p.to_f64(), (-1f64).exp() / 2.0);
/// ```
pub fn event_probability(
    mechanism: &Mechanism,
    parameters: &Parameters,
    inputs: &Inputs,
    event: &Event,
    depth: Depth,
) -> Result<Option<Bounds>, AuditError> {
    Case::new(mechanism, parameters, inputs).event_probability(event, depth)
}

impl Case<'_> {
    /// The probability of an event over the reals; see [`event_probability`].
    pub fn event_probability(self, event: &Event, depth: Depth) -> Result<Option<Bounds>, AuditError> {
        Explorer::new(self, depth)?.enclosed(event)
    }
}

fn to_bounds(x: &Enclosed) -> Option<Bounds> {
    Some(Bounds { low: x.low().to_rational()?, high: x.high().to_rational()? })
}

/// The exact value that a constant is; `None` for a continuous number.
pub(crate) fn outcome(value: &Value<Real>) -> Option<Outcome> {
    match value {
        Value::Number(x) => x.known().map(|x| Outcome::Number(x.clone())),
        Value::Bool(b) => Some(Outcome::Bool(*b)),
        Value::List(items) => items.iter().map(outcome).collect::<Option<Vec<_>>>().map(Outcome::List),
    }
}
