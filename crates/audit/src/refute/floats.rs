//! Refutations of claims about floating-point programs: by the exact law where there are few outcomes, by
//! reachability where there are too many, and by counting in samples where neither decides.

use probity_exact::{Format, Rational, Round};
use probity_kernel::term::{Claim, Mechanism, Reading};

use crate::case::Case;
use crate::compare::pair_report::{PairReport, Side};
use crate::deadline::Deadline;
use crate::error::AuditError;
use crate::float::split::Effort;
use crate::output::bounds::Bounds;
use crate::output::event::Event;
use crate::output::outcome::{Given, Inputs, Outcome, Parameters};
use crate::pair::candidates::{Pair, ROUNDS, pairs};
use crate::pair::neighbours::{claimed_value, neighbours};
use crate::pair::settings::parameters;
use crate::refute::path_events::Target;
use crate::refute::refutation::{Closest, Evidence, Refutation, Tried, Verdict, contradicts, loss};
use crate::refute::sample_events::search_event;
use crate::refute::sampling::{RISK_BITS, Sampler};

/// Runs for one law; a program with more outcomes than this decides is looked at by reachability.
const LAW: Effort = Effort { runs: 40_000 };

/// Outputs whose reachability is decided for one pair.
const SAMPLES: u32 = 32;

/// Settings of parameters that are tried.
const SETTINGS: usize = 3;

/// Pairs that are tried for each setting.
const PAIRS: usize = 6;

/// Looks for a refutation of a claim about a floating-point format.
///
/// The program computes with parameters and inputs rounded to the format. The claim speaks of the exact parameters, and of
/// neighbours that are numbers of the format.
pub fn search_float_refutation(
    mechanism: &Mechanism,
    claim: &Claim,
    given: &Parameters,
    deadline: &Deadline,
) -> Result<Verdict, AuditError> {
    let Reading::Binary { precision, emin, emax } = claim.reading else {
        return Err(AuditError::Unsupported { what: "a claim over the reals as one about floats" });
    };
    let format = Format::new(precision, i64::from(emin), i64::from(emax))
        .map_err(|_| AuditError::Unsupported { what: "this floating-point format" })?;
    let mut tried = Tried::default();
    let mut closest: Option<Closest> = None;
    let mut unsupported = None;
    for setting in parameters(mechanism, claim, given, SETTINGS) {
        let rounded = (0..ROUNDS).flat_map(|round| pairs(mechanism, &setting, round));
        let rounded = rounded.filter_map(|pair| in_format(mechanism, &setting, format, pair));
        for pair in rounded.take(PAIRS) {
            if deadline.is_over() {
                break;
            }
            let case = Case::new(mechanism, &setting, &pair.first).until(deadline);
            let decided = FloatPair { case, second: &pair.second, claim, format }.decide();
            tried.pairs += 1;
            match decided {
                Ok((Some(refutation), ..)) => return Ok(Verdict::Refuted(Box::new(refutation))),
                Ok((None, events, share)) => {
                    tried.events += events;
                    if let Some(share) = share
                        && closest.as_ref().is_none_or(|closest| share > closest.share)
                    {
                        let Pair { first, second, .. } = pair;
                        closest = Some(Closest { parameters: setting.clone(), first, second, share });
                    }
                }
                Err(AuditError::OutOfTime) => break,
                Err(error) => unsupported = Some(error),
            }
        }
        tried.settings += 1;
    }
    let finished = !deadline.is_over();
    match unsupported {
        Some(error) if tried.events == 0 && finished => Err(error),
        _ => Ok(Verdict::NotRefuted {
            tried,
            largest_share: closest.as_ref().map(|closest| closest.share),
            closest: closest.map(Box::new),
            out_of_range: None,
            never_ends: false,
            finished,
        }),
    }
}

/// The pair with its numbers rounded to the format, if these are admitted and neighbours still.
fn in_format(mechanism: &Mechanism, setting: &Parameters, format: Format, pair: Pair) -> Option<Pair> {
    let float = |x: &Rational| format.round(x, Round::NearestEven).to_rational();
    let round = |inputs: Inputs| -> Option<Inputs> {
        let one = |(name, given)| {
            let given = match given {
                Given::Number(x) => Given::Number(float(&x)?),
                Given::List(items) => Given::List(items.iter().map(float).collect::<Option<_>>()?),
                Given::Bool(truth) => Given::Bool(truth),
                // No claim in floats is about a table.
                Given::Rows(_) => return None,
            };
            Some((name, given))
        };
        inputs.into_iter().map(one).collect()
    };
    let pair = Pair { first: round(pair.first)?, second: round(pair.second)?, ..pair };
    let admitted = |inputs: &Inputs| Case::new(mechanism, setting, inputs).is_admitted().unwrap_or(false);
    let meant = admitted(&pair.first)
        && admitted(&pair.second)
        && neighbours(mechanism, setting, &pair.first, &pair.second).unwrap_or(false);
    meant.then_some(pair)
}

/// Two neighbours, and what is claimed of them in a format.
struct FloatPair<'a> {
    case: Case<'a>,
    second: &'a Inputs,
    claim: &'a Claim,
    format: Format,
}

impl FloatPair<'_> {
    /// A refutation, or how many outcomes were compared and the largest share of ε that they showed.
    fn decide(&self) -> Result<(Option<Refutation>, usize, Option<f64>), AuditError> {
        let epsilon = claimed_value(self.case.mechanism, &self.claim.epsilon, self.case.parameters)?;
        let delta = claimed_value(self.case.mechanism, &self.claim.delta, self.case.parameters)?;
        let law = |inputs| self.case.at(inputs).float_law(self.format, LAW);
        let first = law(self.case.inputs)?;
        if first.escaped_mass() > Rational::ZERO {
            let found = match self.by_reachability(&epsilon, &delta) {
                Ok(Some(found)) => Some(found),
                Ok(None) | Err(AuditError::Unsupported { .. }) => self.by_sampling(&epsilon, &delta)?,
                Err(error) => return Err(error),
            };
            return Ok((found, SAMPLES as usize, None));
        }
        let second = law(self.second)?;
        let report = PairReport::new(&first, &second);
        let share = report.worst.as_ref().map(|worst| worst.loss.certain() / epsilon.to_f64());
        let share = share.filter(|share| share.is_finite() && *share > 0.0);
        let impossible = report.impossible.first().map(|(outcome, side)| (outcome.clone(), *side));
        let worst = report.worst.as_ref().map(|worst| (worst.outcome.clone(), worst.side));
        for (outcome, side) in [impossible, worst].into_iter().flatten() {
            let ((p, q), (a, b)) = match side {
                Side::First => ((&first, &second), (self.case.inputs, self.second)),
                Side::Second => ((&second, &first), (self.second, self.case.inputs)),
            };
            let bounds = |(low, high)| Bounds { low, high };
            let (p, q) = (bounds(p.probability(&outcome)), bounds(q.probability(&outcome)));
            if contradicts(&p, &q, &epsilon, &delta) {
                let event = Event::exactly(&outcome);
                let found = self.refutation((a, b), event, (p, q), (&epsilon, &delta), Evidence::FloatLaw);
                return Ok((Some(found), report.outcomes.len(), share));
            }
        }
        Ok((None, report.outcomes.len(), share))
    }

    fn by_reachability(&self, epsilon: &Bounds, delta: &Bounds) -> Result<Option<Refutation>, AuditError> {
        let reach = self.case.reachability(self.second, self.format, SAMPLES, 1)?;
        let Some((outcome, mass)) = reach.example else { return Ok(None) };
        let nothing = Bounds { low: Rational::ZERO, high: Rational::ZERO };
        if !contradicts(&mass, &nothing, epsilon, delta) {
            return Ok(None);
        }
        let event = Event::exactly(&Outcome::Number(outcome));
        let pair = (self.case.inputs, self.second);
        Ok(Some(self.refutation(pair, event, (mass, nothing), (epsilon, delta), Evidence::Reachability)))
    }

    fn by_sampling(&self, epsilon: &Bounds, delta: &Bounds) -> Result<Option<Refutation>, AuditError> {
        for (first, second, seed) in [(self.case.inputs, self.second, 1), (self.second, self.case.inputs, 2)]
        {
            let sampler = |inputs| Sampler::new(self.case.at(inputs), self.format);
            let (mut a, mut b) = (sampler(first)?, sampler(second)?);
            let guesses = (a.guessing_outputs(seed)?, b.guessing_outputs(seed + 50)?);
            let target = Target::new(epsilon, delta, self.claim.reading);
            let Some(event) = search_event(&guesses.0, &guesses.1, target) else { continue };
            // Fresh samples: those that suggested the event say nothing fair about it.
            let (p, q) = (a.probability(&event, seed + 100)?, b.probability(&event, seed + 200)?);
            if contradicts(&p, &q, epsilon, delta) {
                let evidence = Evidence::Sampling {
                    samples: a.deciding_samples(),
                    risk_bits: RISK_BITS,
                    seed: seed + 100,
                };
                return Ok(Some(self.refutation((first, second), event, (p, q), (epsilon, delta), evidence)));
            }
        }
        Ok(None)
    }

    fn refutation(
        &self,
        (first, second): (&Inputs, &Inputs),
        event: Event,
        (p, q): (Bounds, Bounds),
        (epsilon, delta): (&Bounds, &Bounds),
        evidence: Evidence,
    ) -> Refutation {
        Refutation {
            parameters: self.case.parameters.clone(),
            first: first.clone(),
            second: second.clone(),
            event,
            reading: self.claim.reading,
            loss: loss(&p, &q),
            first_probability: p,
            second_probability: q,
            epsilon: epsilon.clone(),
            delta: delta.clone(),
            evidence,
        }
    }
}
