//! Which outputs an input can lead to (Mironov's attack): for an output of one input, decide exactly whether any
//! draws give it from another.

use probity_exact::{Format, Rational, fraction};
use probity_kernel::term::Mechanism;

use crate::case::Case;
use crate::compare::confidence::clopper_pearson;
use crate::error::AuditError;
use crate::float::arithmetic::{Floats, Hardware, Soft};
use crate::float::split::{Effort, Splitter};
use crate::output::bounds::Bounds;
use crate::output::outcome::{Inputs, Outcome, Parameters};
use crate::run::bits::Bits;
use crate::run::program::Value;

/// The exact probability of one number in a floating-point format: the mass of all draws that lead to it. The bounds
/// differ only by what could not be decided within the effort.
///
/// The draws are searched by ranges, and a range whose outputs all miss the number is dropped at once: some hundred
/// runs suffice, however many outcomes there are. An upper bound of 0 says that nothing leads there.
pub fn outcome_mass(
    mechanism: &Mechanism,
    parameters: &Parameters,
    inputs: &Inputs,
    outcome: &Rational,
    format: Format,
    effort: Effort,
) -> Result<Bounds, AuditError> {
    Case::new(mechanism, parameters, inputs).outcome_mass(outcome, format, effort)
}

impl Case<'_> {
    /// The exact probability of one number in a floating-point format; see [`outcome_mass`].
    pub fn outcome_mass(
        self,
        outcome: &Rational,
        format: Format,
        effort: Effort,
    ) -> Result<Bounds, AuditError> {
        match format == Format::BINARY64 {
            true => mass_at(&mut Splitter::new(Hardware::default(), self)?, outcome, effort),
            false => mass_at(&mut Splitter::new(Soft { format }, self)?, outcome, effort),
        }
    }

    /// Draws outputs and decides for each whether another input can produce it.
    pub fn reachability(
        self,
        from: &Inputs,
        format: Format,
        samples: u32,
        seed: u64,
    ) -> Result<Reachability, AuditError> {
        if format == Format::BINARY64 {
            let splitter = |case| Splitter::new(Hardware::default(), case);
            compare_reach(&mut splitter(self)?, &mut splitter(self.at(from))?, samples, seed)
        } else {
            let splitter = |case| Splitter::new(Soft { format }, case);
            compare_reach(&mut splitter(self)?, &mut splitter(self.at(from))?, samples, seed)
        }
    }
}

fn mass_at<F: Floats>(
    splitter: &mut Splitter<F>,
    outcome: &Rational,
    effort: Effort,
) -> Result<Bounds, AuditError> {
    let target = splitter.floats().cast(outcome);
    if splitter.floats().exact(&target).as_ref() != Some(outcome) {
        // What is no float is no output.
        return Ok(Bounds { low: Rational::ZERO, high: Rational::ZERO });
    }
    let law = splitter.law_at(&target, effort)?;
    let (low, high) = law.probability(&Outcome::Number(outcome.clone()));
    Ok(Bounds { low, high })
}

/// How many outputs of one input give it away, because its neighbour cannot produce them.
#[derive(Debug, Clone, PartialEq)]
pub struct Reachability {
    /// Outputs of the first input that were looked at, drawn from its law with a fixed seed.
    pub samples: u32,
    /// How many of them no draws give from the second input; decided exactly for each.
    pub unreachable: u32,
    /// Clopper–Pearson bounds of the share of such outputs, each wrong with probability at most 2.5 %.
    pub share: Bounds,
    /// One of them, its probability on the first input, and on the second: exactly 0.
    pub example: Option<(Rational, Bounds)>,
}

/// Draws outputs of the first input and decides for each whether the second input can produce it.
pub fn reachability(
    mechanism: &Mechanism,
    parameters: &Parameters,
    first: &Inputs,
    second: &Inputs,
    format: Format,
    samples: u32,
    seed: u64,
) -> Result<Reachability, AuditError> {
    Case::new(mechanism, parameters, first).reachability(second, format, samples, seed)
}

/// Runs for one decision: with one uniform draw, ranges halve at every step and a few hundred suffice.
const DECISION: Effort = Effort { runs: 5_000 };

fn compare_reach<F: Floats>(
    first: &mut Splitter<F>,
    second: &mut Splitter<F>,
    samples: u32,
    seed: u64,
) -> Result<Reachability, AuditError> {
    let mut bits = Bits(seed);
    let mut unreachable = 0;
    let mut example = None;
    for _ in 0..samples {
        let value = first.sample_output(&mut || bits.next())?;
        let Value::Number(range) = &value else {
            return Err(AuditError::Unsupported { what: "reachability of an output that is no number" });
        };
        let Some(outcome) = first.floats().exact(&range.low) else { continue };
        if mass_at(second, &outcome, DECISION)?.high.is_zero() {
            unreachable += 1;
            if example.is_none() {
                let mass = mass_at(first, &outcome, DECISION)?;
                example = (mass.low > Rational::ZERO).then_some((outcome, mass));
            }
        }
    }
    let risk = fraction::<1, 40>();
    let (low, high) = clopper_pearson(unreachable, samples, &risk).unwrap_or((Rational::ZERO, Rational::ONE));
    Ok(Reachability { samples, unreachable, share: Bounds { low, high }, example })
}
