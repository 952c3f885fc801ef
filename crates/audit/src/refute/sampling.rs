//! The last resort: probabilities counted in samples, with exact confidence bounds.
//!
//! Each sample has exactly the program's law if the bits are independent and fair; here they are pseudo-random with a
//! fixed seed, so that a run can be repeated. Over the reals a sample may stay undecided, since only the leading bits of
//! its draws are looked at; it then counts as a miss for a lower bound and as a hit for an upper one.
//!
//! A search makes at most [`MOST_TESTS`] tests, and all their bounds together err with probability at most
//! 2^−[`RISK_BITS`]. The event of a test is chosen from other samples than those that judge it.

use probity_exact::{Format, Integer, Natural, Rational};

use crate::case::Case;
use crate::compare::confidence::clopper_pearson;
use crate::cube::boxes::Cube;
use crate::cube::world::lies_in;
use crate::error::AuditError;
use crate::float::arithmetic::{Hardware, Soft};
use crate::float::split::Splitter;
use crate::output::bounds::Bounds;
use crate::output::event::Event;
use crate::output::outcome::Outcome;
use crate::run::bits::Bits;

/// Samples from which an event is guessed.
const GUESSING_SAMPLES: u32 = 2000;

/// Samples that decide about an event of a floating-point program, for each input.
const DECIDING_SAMPLES: u32 = 20_000;

/// The same over the reals, where a run is cheap.
const DECIDING_SAMPLES_OF_REALS: u32 = 50_000;

/// All bounds of all tests of a search hold except with probability at most 2^−RISK_BITS.
pub(crate) const RISK_BITS: u32 = 30;

/// Tests that a search may make; 2^6.
pub(crate) const MOST_TESTS: usize = 64;

/// Draws outputs of a mechanism on one input.
pub(crate) enum Sampler {
    Binary64(Box<Splitter<Hardware>>),
    Other(Box<Splitter<Soft>>),
    Reals(Box<Cube>),
}

impl Sampler {
    pub(crate) fn new(case: Case<'_>, format: Format) -> Result<Sampler, AuditError> {
        Ok(if format == Format::BINARY64 {
            Sampler::Binary64(Box::new(Splitter::new(Hardware::default(), case)?))
        } else {
            Sampler::Other(Box::new(Splitter::new(Soft { format }, case)?))
        })
    }

    /// A sampler over the reals.
    pub(crate) fn of_reals(case: Case<'_>) -> Result<Sampler, AuditError> {
        Ok(Sampler::Reals(Box::new(Cube::new(case)?)))
    }

    /// Rigorous bounds of the probability of an event over the reals; the trivial ones for other programs.
    pub(crate) fn enclose(&mut self, event: &Event, runs: usize) -> Result<Bounds, AuditError> {
        match self {
            Sampler::Reals(cube) => cube.enclose(event, runs),
            _ => Ok(Bounds { low: Rational::ZERO, high: Rational::ONE }),
        }
    }

    /// How many samples decide about an event.
    pub(crate) fn deciding_samples(&self) -> u32 {
        if matches!(self, Sampler::Reals(_)) { DECIDING_SAMPLES_OF_REALS } else { DECIDING_SAMPLES }
    }

    fn output(&mut self, bits: &mut Bits) -> Result<Outcome, AuditError> {
        let outcome = match self {
            Sampler::Reals(_) => None,
            Sampler::Binary64(splitter) => {
                let value = splitter.sample_output(&mut || bits.next())?;
                splitter.outcome(&value)
            }
            Sampler::Other(splitter) => {
                let value = splitter.sample_output(&mut || bits.next())?;
                splitter.outcome(&value)
            }
        };
        outcome.ok_or(AuditError::Unsupported { what: "an output that is not a single value" })
    }

    fn outputs(&mut self, count: u32, seed: u64) -> Result<Vec<Outcome>, AuditError> {
        if let Sampler::Reals(cube) = self {
            return cube.outputs(count, seed);
        }
        let mut bits = Bits(seed);
        (0..count).map(|_| self.output(&mut bits)).collect()
    }

    /// Outputs from which an event may be guessed.
    pub(crate) fn guessing_outputs(&mut self, seed: u64) -> Result<Vec<Outcome>, AuditError> {
        self.outputs(GUESSING_SAMPLES, seed)
    }

    /// Confidence bounds of the probability of an event.
    pub(crate) fn probability(&mut self, event: &Event, seed: u64) -> Result<Bounds, AuditError> {
        let trials = self.deciding_samples();
        let (mut hits, mut possible) = (0, 0);
        if let Sampler::Reals(cube) = self {
            cube.samples(trials, seed, &mut |output| {
                let inside = output.and_then(|output| lies_in(event, output));
                hits += u32::from(inside == Some(true));
                possible += u32::from(inside != Some(false));
            })?;
        } else {
            let outputs = self.outputs(trials, seed)?;
            hits = outputs.iter().filter(|outcome| event.contains(outcome)).count() as u32;
            possible = hits;
        }
        // The four bounds of a test share its risk.
        let shares = Natural::from(4 * MOST_TESTS) << RISK_BITS as usize;
        let risk = Rational::from_parts(Integer::ONE, shares);
        let bounds = |count| clopper_pearson(count, trials, &risk);
        let low = bounds(hits).map_or(Rational::ZERO, |(low, _)| low);
        let high = bounds(possible).map_or(Rational::ONE, |(_, high)| high);
        Ok(Bounds { low, high })
    }
}
