//! Runs of a text on one input.

use std::sync::Arc;

use probity_noise::entropy::{Entropy, Secure};
use probity_noise::sampler::lazy::{LONG, SHORT, Words};

use crate::error::RunError;
use crate::lazy::decide::Stop;
use crate::lazy::source::Source;
use crate::lazy::tape::Number;
use crate::program::code::{Code, Place};
use crate::program::machine::{List, Machine};
use crate::proved::Grid;
use crate::value::{Exact, Value};

/// A mechanism on one input, ready to run often. Its memory does not grow with the number of runs.
#[derive(Debug, Clone)]
pub struct Session {
    pub(super) machine: Machine,
    pub(super) code: Arc<Code>,
    pub(super) grid: Option<Grid>,
    /// Whether how often it has drawn tells nothing of the inputs.
    pub(super) counts_draws: bool,
}

impl Session {
    /// One run.
    ///
    /// # Errors
    /// When the source of randomness fails, or an unproved text draws from a law outside its range.
    pub fn run<E: Secure + ?Sized>(&mut self, mut entropy: &mut E) -> Result<Value, RunError> {
        self.run_once(&mut entropy)
    }

    /// Many runs; `each` is told of every answer, and the runs end early when it says `false`.
    ///
    /// # Errors
    /// As for [`run`](Session::run). Answers before the failure have been told.
    pub fn runs<E: Secure + ?Sized>(
        &mut self,
        count: u64,
        mut entropy: &mut E,
        mut each: impl FnMut(Value) -> bool,
    ) -> Result<(), RunError> {
        self.runs_from(count, &mut entropy, &mut each)
    }

    /// As [`runs`](Session::runs), from any words: for tests, never for a release.
    ///
    /// # Errors
    /// As for [`run`](Session::run).
    #[cfg(any(test, feature = "tape"))]
    pub fn runs_on_tape<E: Entropy + ?Sized>(
        &mut self,
        count: u64,
        mut words: &mut E,
        mut each: impl FnMut(Value) -> bool,
    ) -> Result<(), RunError> {
        self.runs_from(count, &mut words, &mut each)
    }

    /// One run from words with which doubles decide nothing: the same answer, slowly.
    ///
    /// # Errors
    /// As for [`run`](Session::run).
    #[cfg(any(test, feature = "tape"))]
    pub fn run_exactly<E: Entropy + ?Sized>(&mut self, words: &mut E) -> Result<Value, RunError> {
        self.run_from(&mut crate::bits::Exactly(words))
    }

    /// One run that reads single bits and decides nothing in doubles: for tests that enumerate every bit string. Answers
    /// with the value and how many bits were read; `None` when the bits do not decide.
    ///
    /// # Errors
    /// As for [`run`](Session::run).
    #[cfg(any(test, feature = "tape"))]
    pub fn run_on_bits(&mut self, bits: &[bool]) -> Result<Option<(Value, usize)>, RunError> {
        let mut source = crate::bits::BitString::new(bits);
        match self.run_from(&mut source) {
            Ok(value) => Ok(Some((value, source.read()))),
            Err(RunError::Entropy(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// How many draws all runs so far have made: `None` where inputs or draws decide that, as by a sample, which tosses a coin for each row, and
    /// after a run without an answer. It would tell of them.
    pub fn draws(&self) -> Option<u64> {
        self.counts_draws.then_some(self.machine.draws)
    }

    fn run_once(&mut self, entropy: &mut dyn Entropy) -> Result<Value, RunError> {
        self.run_from(&mut Words::over(entropy, &mut [0; SHORT], 0))
    }

    /// The same code for all sources and callers, so that it is compiled here, as this crate is: code for a caller's own types would be
    /// compiled with the caller, who may not ask for speed. A source is asked for hundreds of words at once.
    fn runs_from(
        &mut self,
        count: u64,
        entropy: &mut dyn Entropy,
        each: &mut dyn FnMut(Value) -> bool,
    ) -> Result<(), RunError> {
        let mut block = [0; LONG];
        let mut words = Words::over(entropy, &mut block, 0);
        for _ in 0..count {
            self.machine.rewind();
            self.execute(self.code.start, &mut words)?;
            // Nearly always; each way that a value does not take through results and errors is a copy less.
            let goes_on = match self.double() {
                Some(point) => each(Value::Number(Exact::double(point))),
                None => each(self.release(&mut words)?),
            };
            if !goes_on {
                break;
            }
        }
        Ok(())
    }

    /// The answer, if it is a single number that doubles decide: on the grid, or a double that needs none.
    #[inline(always)]
    fn double(&self) -> Option<f64> {
        let Place::Number(register) = self.code.output else { return None };
        let number = self.machine.numbers[register as usize];
        match &self.grid {
            Some(grid) => number.interval.on_power_of_two(grid.number.as_point()?),
            None => number.as_point(),
        }
    }

    pub(super) fn execute<S: Source>(&mut self, start: u32, source: &mut S) -> Result<(), RunError> {
        let code = &self.code;
        self.machine.execute(code, start, source).map_err(|(stop, step)| {
            // How far it came tells more than that it ended.
            self.counts_draws = false;
            let origin = code.origins.get(step).copied().unwrap_or_default();
            let statement = code.statements.get(origin as usize).cloned().unwrap_or_default();
            error(stop, statement)
        })
    }

    #[inline]
    fn run_from<S: Source>(&mut self, source: &mut S) -> Result<Value, RunError> {
        self.machine.rewind();
        self.execute(self.code.start, source)?;
        self.release(source)
    }

    fn release<S: Source>(&mut self, source: &mut S) -> Result<Value, RunError> {
        match self.code.output {
            Place::Truth(register) => Ok(Value::Truth(self.machine.truths[register as usize])),
            Place::Number(register) => self.number(self.machine.numbers[register as usize], source),
            Place::List(register, _) => {
                let list = &mut self.machine.lists[register as usize];
                // Taken out while its entries are written down, and put back for the next run.
                let list = std::mem::replace(list, List::Numbers(Vec::new()));
                let values = match &list {
                    List::Truths(items) => Ok(items.iter().map(|item| Value::Truth(*item)).collect()),
                    List::Numbers(items) => items.iter().map(|item| self.number(*item, source)).collect(),
                };
                self.machine.put_list(register, list);
                values.map(Value::List)
            }
        }
    }

    #[inline]
    fn number<S: Source>(&mut self, number: Number, source: &mut S) -> Result<Value, RunError> {
        let tape = &mut self.machine.tape;
        match &self.grid {
            Some(grid) => tape
                .on_grid(number, grid.number, &grid.exact, source)
                .map(Value::Number)
                .map_err(|stop| error(stop, "return".into())),
            // The shape says that it is rational.
            None => match number.as_point() {
                Some(point) => Ok(Value::Number(Exact::double(point))),
                None => tape
                    .value(number)
                    .map(Value::from)
                    .ok_or(RunError::malformed("a rational number is expected")),
            },
        }
    }
}

fn error(stop: Stop, statement: String) -> RunError {
    match stop {
        Stop::Entropy(error) => RunError::Entropy(error),
        Stop::Undecided { bits } => RunError::Undecided { statement, bits },
        Stop::OutOfRange => RunError::OutOfRange { statement },
        Stop::TooLong => RunError::TooLong { statement },
    }
}
