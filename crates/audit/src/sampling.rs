//! The last resort: probabilities of a floating-point program counted in samples, with exact confidence bounds.
//!
//! Each sample has exactly the program's law if the bits are independent and fair; here they are pseudo-random with a
//! fixed seed, so that a run can be repeated.

use probity_exact::{Format, Integer, Natural, Rational};
use probity_kernel::term::Mechanism;

use crate::compare::Bounds;
use crate::confidence::clopper_pearson;
use crate::error::AuditError;
use crate::event::{Condition, Event};
use crate::floats::{Hardware, Soft};
use crate::outcome::{Inputs, Outcome, Parameters};
use crate::reach::Bits;
use crate::split::Splitter;

/// Samples from which an event is guessed.
const GUESSING_SAMPLES: u32 = 1000;

/// Samples that decide about an event, for each input.
pub(crate) const DECIDING_SAMPLES: u32 = 20_000;

/// All four bounds of two probabilities hold except with probability at most 2^−RISK_BITS.
pub(crate) const RISK_BITS: u32 = 30;

/// Draws outputs of a mechanism on one input.
pub(crate) enum Sampler {
    Binary64(Box<Splitter<Hardware>>),
    Other(Box<Splitter<Soft>>),
}

impl Sampler {
    pub(crate) fn new(
        mechanism: &Mechanism,
        parameters: &Parameters,
        inputs: &Inputs,
        format: Format,
    ) -> Result<Sampler, AuditError> {
        Ok(if format == Format::BINARY64 {
            Sampler::Binary64(Box::new(Splitter::new(Hardware::default(), mechanism, parameters, inputs)?))
        } else {
            Sampler::Other(Box::new(Splitter::new(Soft { format }, mechanism, parameters, inputs)?))
        })
    }

    fn output(&mut self, bits: &mut Bits) -> Result<Outcome, AuditError> {
        let outcome = match self {
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
        let mut bits = Bits(seed);
        (0..count).map(|_| self.output(&mut bits)).collect()
    }

    /// Confidence bounds of the probability of an event.
    pub(crate) fn probability(&mut self, event: &Event, seed: u64) -> Result<Bounds, AuditError> {
        let outputs = self.outputs(DECIDING_SAMPLES, seed)?;
        let hits = outputs.iter().filter(|outcome| event.contains(outcome)).count() as u32;
        // Four bounds share the risk.
        let risk = Rational::from_parts(Integer::ONE, Natural::ONE << (RISK_BITS as usize + 2));
        let (low, high) =
            clopper_pearson(hits, DECIDING_SAMPLES, &risk).unwrap_or((Rational::ZERO, Rational::ONE));
        Ok(Bounds { low, high })
    }
}

/// An event that looks more likely under the first input than e^ε times under the second, if there is one.
pub(crate) fn search_event(
    first: &mut Sampler,
    second: &mut Sampler,
    epsilon: f64,
    seed: u64,
) -> Result<Option<Event>, AuditError> {
    let a = first.outputs(GUESSING_SAMPLES, seed)?;
    let b = second.outputs(GUESSING_SAMPLES, seed + 50)?;
    let count =
        |outputs: &[Outcome], event: &Event| outputs.iter().filter(|o| event.contains(o)).count() as f64;
    let mut best: Option<(f64, Event)> = None;
    for event in suggestions(&a) {
        let (p, q) = (count(&a, &event), count(&b, &event));
        // Few hits are no hint; one is added to the other side so that a chance zero does not win.
        if p < 20.0 {
            continue;
        }
        let loss = probity_exact::directed::ln_nearest(p / (q + 1.0));
        if loss > epsilon && best.as_ref().is_none_or(|(most, _)| loss > *most) {
            best = Some((loss, event));
        }
    }
    Ok(best.map(|(_, event)| event))
}

/// Quantiles of numbers as thresholds, and outputs that occur often.
fn suggestions(outputs: &[Outcome]) -> Vec<Event> {
    let mut sorted: Vec<&Outcome> = outputs.iter().collect();
    sorted.sort_unstable();
    let mut events: Vec<Event> = Vec::new();
    for share in [2, 5, 10, 25, 50, 75, 90, 95, 98] {
        let at = sorted[(sorted.len() - 1) * share / 100];
        let mut suggested = vec![Event::exactly(at)];
        if let Some(x) = at.number() {
            suggested.push(Event::Value(Condition::AtMost(x.clone())));
            suggested.push(Event::Value(Condition::AtLeast(x.clone())));
        }
        suggested.retain(|event| !events.contains(event));
        events.extend(suggested);
    }
    events
}
