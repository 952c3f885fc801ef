//! Counterexamples: two neighbours and a set of outputs whose probabilities contradict a claim. [`check_refutation`] decides,
//! with bounds of both probabilities that no rounding error can cross.

use std::fmt;

use probity_exact::{Rational, Round, directed, exp_bounds, ln_bounds};
use probity_kernel::expr::Expr;
use probity_kernel::term::{Claim, Mechanism, Reading};

use crate::case::Case;
use crate::cube::boxes::Cube;
use crate::error::AuditError;
use crate::output::bounds::Bounds;
use crate::output::event::Event;
use crate::output::outcome::{Inputs, Parameters};
use crate::pair::neighbours::claimed_value;
use crate::real::paths::{Depth, Explorer, Memory};
use crate::refute::concentrated::{mu_of_rho, shown_mu, shown_rho};
use crate::refute::supports::is_impossible;

/// Two neighbours and an event that contradict a claim: the first probability exceeds e^ε times the second plus δ.
#[derive(Debug, Clone, PartialEq)]
pub struct Refutation {
    /// The parameters.
    pub parameters: Parameters,
    /// The input under which the event is likelier.
    pub first: Inputs,
    /// Its neighbour.
    pub second: Inputs,
    /// The set of outputs.
    pub event: Event,
    /// The probability of the event on the first input.
    pub first_probability: Bounds,
    /// The probability of the event on the second input.
    pub second_probability: Bounds,
    /// What the claim is in: ρ, μ, or otherwise ε.
    pub reading: Reading,
    /// The claimed ε, ρ or μ.
    pub epsilon: Bounds,
    /// The claimed δ.
    pub delta: Bounds,
    /// A lower bound in f64 of ln(first/second), or of the ρ or μ that the event shows; infinite when the second probability
    /// is 0.
    pub loss: f64,
    /// How the probabilities were found.
    pub evidence: Evidence,
}

impl Refutation {
    /// A lower bound of p − e^ε·q for the claimed ε: what δ would have to be at least, by this event.
    pub fn shown_delta(&self) -> Rational {
        least_delta(&self.first_probability, &self.second_probability, &self.epsilon)
            .unwrap_or(Rational::ZERO)
    }
}

/// How the probabilities of a refutation were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// Enumeration and exact integration over the reals, with rigorous enclosures.
    Integration,
    /// Boxes of draws over the reals that lead into the event or out of it for certain.
    Enclosure,
    /// The exact law of the floating-point program.
    FloatLaw,
    /// All floats that lead to the output: none does from the second input.
    Reachability,
    /// Counting in samples of the program, with Clopper–Pearson bounds: the last resort. The bounds of all
    /// probabilities that the search looked at are right except with probability at most 2^−risk_bits.
    Sampling {
        /// Samples for each input.
        samples: u32,
        /// The exponent of the risk.
        risk_bits: u32,
        /// The seed of the samples of the first input; those of the second follow from it.
        seed: u64,
    },
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Evidence::Integration => write!(f, "exact integration over the reals"),
            Evidence::Enclosure => write!(f, "rigorous enclosure over the reals, by boxes of draws"),
            Evidence::FloatLaw => write!(f, "the exact law of the floating-point program"),
            Evidence::Reachability => {
                write!(f, "reachability: no draws give this output from the neighbour")
            }
            Evidence::Sampling { samples, risk_bits, seed } => write!(
                f,
                "{samples} samples of each from seed {seed}, Clopper-Pearson bounds that err with probability at most 2^-{risk_bits}"
            ),
        }
    }
}

/// What a search for a refutation ended with.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// The claim is false.
    Refuted(Box<Refutation>),
    /// Nothing was found. That proves nothing: the search looks at small inputs only.
    NotRefuted {
        /// What was looked at.
        tried: Tried,
        /// The largest share of the claimed ε that was seen, in f64 and not rigorous; `None` if no event was likelier
        /// under one input, or the claimed ε is 0.
        largest_share: Option<f64>,
        /// The pair that showed it.
        closest: Option<Box<Closest>>,
        /// A draw that some inputs tried lead to with parameters for which its law means nothing.
        out_of_range: Option<AuditError>,
        /// Whether no run ended on any of the inputs: then there is nothing to tell apart.
        never_ends: bool,
        /// Whether the search came to its end before its deadline.
        finished: bool,
    },
}

/// How much a search looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tried {
    /// Settings of the parameters.
    pub settings: usize,
    /// Pairs of neighbours.
    pub pairs: usize,
    /// Events whose probabilities were compared.
    pub events: usize,
}

/// Two neighbours that came near to a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Closest {
    /// The parameters.
    pub parameters: Parameters,
    /// The input.
    pub first: Inputs,
    /// Its neighbour.
    pub second: Inputs,
    /// The share of the claimed ε that was seen, in f64.
    pub share: f64,
}

/// Decides whether two inputs and an event contradict a claim over the reals; `None` when they do not.
///
/// ```
/// use std::collections::BTreeMap;
/// use probity_audit::{Condition, Event, Given, check_refutation};
/// use probity_exact::{fraction, rational};
/// use probity_kernel::expr::{Expr, Run};
/// use probity_kernel::term::{Adjacency, Claim, Distribution, Input, Mechanism, Reading, Sort, Statement};
/// // Laplace noise of scale 1/2 is not 1-private.
/// let half = Mechanism {
///     name: "half".into(),
///     inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
///     params: vec![],
///     assumptions: vec![],
///     body: vec![Statement::Draw {
///         var: "y".into(),
///         law: Distribution::Laplace { center: Expr::var("x"), scale: Expr::int(1) / Expr::int(2) },
///     }],
///     output: Expr::var("y"),
///     adjacency: vec![Adjacency::Related(
///         (Expr::of("x", Run::Second) - Expr::of("x", Run::First)).abs().le(Expr::int(1)),
///     )],
/// };
/// let claim = |e: i64| Claim { epsilon: Expr::int(e), delta: Expr::int(0), reading: Reading::Reals };
/// let x = |n: i64| BTreeMap::from([("x".into(), Given::Number(rational(n, 1).unwrap()))]);
/// let event = Event::Value(Condition::AtMost(fraction::<0, 1>()));
/// let check = |e: i64| check_refutation(&half, &claim(e), &BTreeMap::new(), &x(0), &x(1), &event).unwrap();
/// assert!((check(1).unwrap().loss - 2.0).abs() < 1e-12);
/// // Its true loss is 2, and that claim stands.
/// assert_eq!(check(2), None);
/// ```
pub fn check_refutation(
    mechanism: &Mechanism,
    claim: &Claim,
    parameters: &Parameters,
    first: &Inputs,
    second: &Inputs,
    event: &Event,
) -> Result<Option<Refutation>, AuditError> {
    let case = Case::new(mechanism, parameters, first);
    check_within(case, second, claim, event, Depth::default(), &Memory::default())
}

/// [`check_refutation`] with limits of the exploration; beyond them, boxes.
pub(crate) fn check_within(
    case: Case<'_>,
    second: &Inputs,
    claim: &Claim,
    event: &Event,
    depth: Depth,
    memory: &Memory,
) -> Result<Option<Refutation>, AuditError> {
    let (first, other) = (case.inputs, case.at(second));
    if !(case.is_admitted()? && other.is_admitted()? && case.is_neighbour_of(second)?) {
        return Ok(None);
    }
    let exactly = |case: Case<'_>| Explorer::new(case, depth)?.remembering(memory).enclosed(event);
    let (both, evidence) = match (exactly(case), exactly(other)) {
        (Ok(Some(p)), Ok(Some(mut q))) => {
            // What is left of it may be tails that were cut.
            if q.low.is_zero() && !q.high.is_zero() && q.high < p.low && is_impossible(other, event) {
                q.high = Rational::ZERO;
            }
            ((p, q), Evidence::Integration)
        }
        (Err(error), _) | (_, Err(error)) if !matches!(error, AuditError::Unsupported { .. }) => {
            return Err(error);
        }
        // What integration does not cover, boxes do, if less precisely.
        _ => {
            let enclosed = |case| Cube::new(case)?.enclose(event, BOXES);
            ((enclosed(case)?, enclosed(other)?), Evidence::Enclosure)
        }
    };
    let claimed = claimed(case.mechanism, claim, case.parameters)?;
    Ok(refutation(case.parameters, (first, second), event, both, (claim.reading, claimed), evidence))
}

/// The refutation that two probabilities make, if they contradict the claim.
pub(crate) fn refutation(
    parameters: &Parameters,
    (first, second): (&Inputs, &Inputs),
    event: &Event,
    (p, q): (Bounds, Bounds),
    (reading, (epsilon, delta)): (Reading, (Bounds, Bounds)),
    evidence: Evidence,
) -> Option<Refutation> {
    let epsilon = match reading {
        // The claim is at hand as a ρ, μ²/2, and said as a μ.
        Reading::Mu => Bounds {
            low: mu_of_rho(&epsilon.low.max(Rational::ZERO), Round::Down)?,
            high: mu_of_rho(&epsilon.high.max(Rational::ZERO), Round::Up)?,
        },
        _ => epsilon,
    };
    let loss = match reading {
        Reading::Rho => shown_rho(&p, &q, &epsilon.high),
        Reading::Mu => shown_mu(&p, &q, &epsilon.high),
        _ => contradicts(&p, &q, &epsilon, &delta).then(|| loss(&p, &q)),
    };
    loss.map(|loss| Refutation {
        parameters: parameters.clone(),
        first: first.clone(),
        second: second.clone(),
        event: event.clone(),
        reading,
        loss,
        first_probability: p,
        second_probability: q,
        epsilon,
        delta,
        evidence,
    })
}

/// Whether p > e^ε·q + δ for certain.
pub(crate) fn contradicts(p: &Bounds, q: &Bounds, epsilon: &Bounds, delta: &Bounds) -> bool {
    least_delta(p, q, epsilon).is_some_and(|least| least > delta.high)
}

/// p − e^ε·q from below. Of what is impossible no e^ε is too large; else there is `None` for one beyond all bounds.
fn least_delta(p: &Bounds, q: &Bounds, epsilon: &Bounds) -> Option<Rational> {
    if q.high.is_zero() {
        return Some(p.low.clone());
    }
    let factor = exp_bounds(&epsilon.high, 160).1.to_rational()?;
    Some(&p.low - factor * &q.high)
}

/// ln(p/q) from below.
pub(crate) fn loss(p: &Bounds, q: &Bounds) -> f64 {
    if q.high.is_zero() {
        return f64::INFINITY;
    }
    // By way of a rational: a ratio next to 1 would lose its loss in an f64.
    ln_bounds(&(&p.low / &q.high), 80).map_or(f64::NEG_INFINITY, |(low, _)| directed::cast_down(&low))
}

/// Boxes for one probability.
pub(crate) const BOXES: usize = 12_000;

/// The claimed ε and δ of a claim for given parameters; in place of ε the ρ of a claim in ρ, and μ²/2 for one in μ, which
/// claims that much ρ.
pub fn claimed(
    mechanism: &Mechanism,
    claim: &Claim,
    parameters: &Parameters,
) -> Result<(Bounds, Bounds), AuditError> {
    let amount = match claim.reading {
        Reading::Mu => claim.epsilon.clone() * claim.epsilon.clone() / Expr::int(2),
        _ => claim.epsilon.clone(),
    };
    Ok((claimed_value(mechanism, &amount, parameters)?, claimed_value(mechanism, &claim.delta, parameters)?))
}
