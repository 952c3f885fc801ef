//! What two given inputs show where the output has no law that could be listed, because it is continuous or has too many
//! values: the most telling event that was found.

use probity_exact::Rational;
use probity_kernel::term::{Claim, Mechanism, Reading};

use crate::case::Case;
use crate::compare::pair_report::Side;
use crate::error::AuditError;
use crate::output::bounds::Bounds;
use crate::output::event::Event;
use crate::output::outcome::{Inputs, Parameters};
use crate::real::paths::Explorer;
use crate::refute::path_events::{self, Paths, Target};
use crate::refute::refutation::{BOXES, Evidence, claimed, loss};
use crate::refute::sample_events::search_event;
use crate::refute::sampling::Sampler;
use crate::refute::search::{DECISION, DECISIONS, GUESS, MOST_WORK};

/// What two given inputs show: the event with the largest loss that was found, likelier under one of them.
#[derive(Debug, Clone, PartialEq)]
pub struct EventLoss {
    /// The set of outputs.
    pub event: Event,
    /// Under which input it is likelier.
    pub side: Side,
    /// Its probability on that input.
    pub probability: Bounds,
    /// Its probability on the other one.
    pub of_neighbour: Bounds,
    /// A lower bound of ln((probability − δ)/of_neighbour) for the claimed δ, in f64.
    pub loss: f64,
    /// How the probabilities were found.
    pub evidence: Evidence,
}

/// The most telling event of two inputs over the reals, for outputs that have no law to be listed: continuous ones.
/// `None` when nothing was found. A lower bound of the loss, as every audit.
///
/// ```
/// use probity_audit::{Given, Inputs, Parameters, search_event_loss};
/// use probity_exact::rational;
/// let program = probity_lang::load_text(
///     "mechanism two_draws(x: real)
///      a ~ laplace(x, 1)
///      b ~ laplace(1)
///      return a + b
///      neighbours abs(x' - x) <= 1
///      claim 1",
/// )
/// .unwrap();
/// let x = |n: i64| -> Inputs { [("x".into(), Given::Number(rational(n, 1).unwrap()))].into() };
/// let (mechanism, claim) = (&program.mechanism, &program.claim);
/// let shown = search_event_loss(mechanism, claim, &Parameters::new(), &x(0), &x(1)).unwrap().unwrap();
/// assert!(shown.loss > 0.9 && shown.loss < 1.0);
/// ```
pub fn search_event_loss(
    mechanism: &Mechanism,
    claim: &Claim,
    parameters: &Parameters,
    first: &Inputs,
    second: &Inputs,
) -> Result<Option<EventLoss>, AuditError> {
    search_event_loss_of(Case::new(mechanism, parameters, first), second, claim)
}

/// The same up to the deadline of the case.
pub fn search_event_loss_of(
    case: Case<'_>,
    second: &Inputs,
    claim: &Claim,
) -> Result<Option<EventLoss>, AuditError> {
    let first = case.inputs;
    let (epsilon, delta) = claimed(case.mechanism, claim, case.parameters)?;
    let target = Target::new(&epsilon, &delta, claim.reading);
    let paths = |inputs| Paths::of(&mut Explorer::new(case.at(inputs), GUESS)?.within(MOST_WORK));
    let mut best: Option<EventLoss> = None;
    let mut keep = |event: Event, side: Side, (p, q): (Bounds, Bounds), evidence: Evidence| {
        let above = Bounds { low: &p.low - &delta.high, high: p.high.clone() };
        let loss = if above.low > Rational::ZERO { loss(&above, &q) } else { f64::NEG_INFINITY };
        // All outputs together show a loss of 0; less says nothing.
        if loss > best.as_ref().map_or(0.0, |best| best.loss) {
            best = Some(EventLoss { event, side, probability: p, of_neighbour: q, loss, evidence });
        }
    };
    let sides = [(Side::First, first, second), (Side::Second, second, first)];
    let covered = match (paths(first), paths(second)) {
        (Ok(Some(mut a)), Ok(Some(mut b))) => {
            for (side, x, y) in sides {
                let events = match side {
                    Side::First => path_events::events(&mut a, &mut b, target)?,
                    Side::Second => path_events::events(&mut b, &mut a, target)?,
                };
                for guess in events.into_iter().take(DECISIONS) {
                    let exactly = |inputs| case.at(inputs).event_probability(&guess.event, DECISION);
                    if let (Some(p), Some(q)) = (exactly(x)?, exactly(y)?) {
                        keep(guess.event, side, (p, q), Evidence::Integration);
                    }
                }
            }
            !(a.is_vague() || b.is_vague())
        }
        (Err(error), _) | (_, Err(error)) if !matches!(error, AuditError::Unsupported { .. }) => {
            return Err(error);
        }
        _ => false,
    };
    if !covered {
        let sampler = |inputs| Sampler::of_reals(case.at(inputs));
        let (mut a, mut b) = (sampler(first)?, sampler(second)?);
        let (of_a, of_b) = (a.guessing_outputs(1)?, b.guessing_outputs(2)?);
        // Anything that is likelier than under the other input will do.
        let any = Target { epsilon: 0.0, delta: 0.0, reading: Reading::Reals };
        for (side, ..) in sides {
            let (guessed, x, y) = match side {
                Side::First => (search_event(&of_a, &of_b, any), &mut a, &mut b),
                Side::Second => (search_event(&of_b, &of_a, any), &mut b, &mut a),
            };
            if let Some(event) = guessed {
                let both = (x.enclose(&event, BOXES)?, y.enclose(&event, BOXES)?);
                keep(event, side, both, Evidence::Enclosure);
            }
        }
    }
    Ok(best)
}
