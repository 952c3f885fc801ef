//! Enclosures of probabilities for any program over the reals: the cube of its uniform numbers is split into boxes until
//! each one leads into the event or out of it. What is decided is exact dyadic mass; what is left when the effort is
//! spent counts both ways.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use probity_exact::{Natural, Rational};
use probity_kernel::term::Mechanism;

use crate::case::Case;
use crate::cube::world::{Cell, CubeWorld, FINEST, Mixed, Source, lies_in, nearest_outcome};
use crate::deadline::Deadline;
use crate::error::AuditError;
use crate::output::bounds::Bounds;
use crate::output::event::Event;
use crate::output::outcome::{Inputs, Outcome, Parameters};
use crate::run::bits::Bits;
use crate::run::program::{Program, Scratch, Stop, Value};

/// Bounds of the probability of an event over the reals, for any program: what is not decided after this many runs stays
/// between them. Where [`crate::event_probability`] covers the program, it is much more precise.
///
/// ```
/// use probity_audit::{Condition, Event, Given, Inputs, Parameters, enclosed_probability};
/// use probity_exact::fraction;
/// // A product of two random numbers.
/// let program = probity_lang::load_text(
///     "mechanism product(x: real)
///      u ~ uniform(0, 1)
///      v ~ uniform(0, 1)
///      return x * u * v
///      neighbours abs(x' - x) <= 1
///      claim 1",
/// )
/// .unwrap();
/// let inputs: Inputs = [("x".into(), Given::Number(fraction::<1, 1>()))].into();
/// let event = Event::Value(Condition::AtMost(fraction::<1, 2>()));
/// let p = enclosed_probability(&program.mechanism, &Parameters::new(), &inputs, &event, 4000).unwrap();
/// // t·(1 − ln t) at t = 1/2.
/// let exact = 0.5 + 0.5 * 2f64.ln();
/// assert!((p.to_f64() - exact).abs() < 1e-3 && p.low < p.high);
/// ```
pub fn enclosed_probability(
    mechanism: &Mechanism,
    parameters: &Parameters,
    inputs: &Inputs,
    event: &Event,
    runs: usize,
) -> Result<Bounds, AuditError> {
    Cube::new(Case::new(mechanism, parameters, inputs))?.enclose(event, runs)
}

/// A mechanism on one input, as a function on the cube.
pub(crate) struct Cube {
    program: Program<Mixed>,
    world: CubeWorld,
    scratch: Scratch<Mixed>,
    until: Deadline,
}

/// A box that is still open, the largest first.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Open {
    /// Its mass is 2^−depth.
    depth: u32,
    cells: Vec<Cell>,
}

impl Ord for Open {
    fn cmp(&self, other: &Open) -> std::cmp::Ordering {
        Reverse(self.depth).cmp(&Reverse(other.depth))
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Open) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Cube {
    pub(crate) fn new(case: Case<'_>) -> Result<Cube, AuditError> {
        let mut world = CubeWorld::new(Source::Cells(Vec::new()));
        let program = Program::new(case, &mut world)?;
        Ok(Cube { program, world, scratch: Scratch::default(), until: case.deadline() })
    }

    /// One run: what is released, or `None` when the uniform numbers are not known well enough.
    fn run(&mut self) -> Result<Option<Value<Mixed>>, AuditError> {
        self.until.check()?;
        self.world.used = 0;
        match self.program.run(&mut self.world, &mut self.scratch) {
            Ok(output) => Ok(Some(output)),
            Err(Stop::Error(error)) => Err(*error),
            Err(Stop::Endless) => Err(AuditError::TooManySteps),
            Err(_) => Ok(None),
        }
    }

    /// Bounds of the probability of an event, after at most this many runs.
    pub(crate) fn enclose(&mut self, event: &Event, runs: usize) -> Result<Bounds, AuditError> {
        let mass = |depth: u32| Rational::ONE / Rational::from(Natural::ONE << depth as usize);
        let (mut inside, mut outside) = (Rational::ZERO, Rational::ZERO);
        let mut open = BinaryHeap::from([Open { depth: 0, cells: Vec::new() }]);
        for _ in 0..runs {
            let Some(Open { depth, cells }) = open.pop() else { break };
            self.world.source = Source::Cells(cells);
            let output = self.run()?;
            let used = self.world.used;
            let Source::Cells(cells) = &mut self.world.source else { break };
            let mut cells = std::mem::take(cells);
            match output.and_then(|output| lies_in(event, &output)) {
                Some(true) => inside += mass(depth),
                Some(false) => outside += mass(depth),
                None => {
                    // The coarsest of the numbers that were used; later ones may not be there in both halves.
                    let place = (0..used).min_by_key(|&i| cells[i].level);
                    let Some(place) = place.filter(|&place| cells[place].level < FINEST) else { continue };
                    for half in cells[place].halves() {
                        cells[place] = half;
                        open.push(Open { depth: depth + 1, cells: cells.clone() });
                    }
                }
            }
        }
        Ok(Bounds { low: inside, high: Rational::ONE - outside })
    }

    /// Outputs for random numbers, `None` where 62 bits of them do not tell.
    pub(crate) fn samples(
        &mut self,
        count: u32,
        seed: u64,
        visit: &mut dyn FnMut(Option<&Value<Mixed>>),
    ) -> Result<(), AuditError> {
        self.world.source = Source::Random(Bits(seed));
        for _ in 0..count {
            visit(self.run()?.as_ref());
        }
        Ok(())
    }

    /// Outputs for random numbers, as guesses.
    pub(crate) fn outputs(&mut self, count: u32, seed: u64) -> Result<Vec<Outcome>, AuditError> {
        let mut outcomes = Vec::with_capacity(count as usize);
        self.samples(count, seed, &mut |value| outcomes.extend(value.map(nearest_outcome)))?;
        Ok(outcomes)
    }
}
