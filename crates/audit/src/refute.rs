//! Counterexamples: two neighbours and a set of outputs whose probabilities contradict a claim.
//!
//! `search_refutation` guesses; `check_refutation` decides, with bounds of both probabilities that no rounding error
//! can cross. Finding nothing proves nothing.

use std::fmt;

use probity_exact::{directed, exp_bounds, ln_bounds};
use probity_kernel::term::{Claim, Mechanism, Reading};

use crate::candidates::{Pair, ROUNDS, events, pairs, parameters};
use crate::compare::{Bounds, PairReport, Side};
use crate::error::AuditError;
use crate::event::Event;
use crate::neighbours::{admits, claimed_value, neighbours};
use crate::outcome::{Inputs, Parameters};
use crate::paths::{Depth, Explorer, event_probability};
use crate::real_law::real_law;
use crate::refute_float::search_float_refutation;

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
    /// The claimed ε.
    pub epsilon: Bounds,
    /// The claimed δ.
    pub delta: Bounds,
    /// A lower bound of ln(first/second) in f64; infinite when the second probability is 0.
    pub loss: f64,
    /// How the probabilities were found.
    pub evidence: Evidence,
}

/// How the probabilities of a refutation were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// Enumeration and exact integration over the reals, with rigorous enclosures.
    Integration,
    /// The exact law of the floating-point program.
    FloatLaw,
    /// All floats that lead to the output: none does from the second input.
    Reachability,
    /// Counting in samples of the floating-point program, with Clopper–Pearson bounds: the last resort. The bounds of
    /// the two probabilities are all right except with probability at most 2^−risk_bits.
    Sampling {
        /// Samples for each input.
        samples: u32,
        /// The exponent of the risk.
        risk_bits: u32,
    },
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Evidence::Integration => write!(f, "exact integration over the reals"),
            Evidence::FloatLaw => write!(f, "the exact law of the floating-point program"),
            Evidence::Reachability => {
                write!(f, "reachability: no draws give this output from the neighbour")
            }
            Evidence::Sampling { samples, risk_bits } => write!(
                f,
                "{samples} samples of each, Clopper-Pearson bounds that err with probability at most 2^-{risk_bits}"
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
        /// The number of events whose probabilities were compared.
        events: usize,
        /// The largest share of the claimed ε that was seen, in f64 and not rigorous; 0 if there was none.
        largest_share: f64,
    },
}

/// Decides whether two inputs and an event contradict a claim over the reals; `None` when they do not.
///
/// ```
/// use std::collections::BTreeMap;
/// use probity_audit::{Condition, Event, Given, check_refutation};
/// use probity_exact::rational;
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
/// let event = Event::Value(Condition::AtMost(rational(0, 1).unwrap()));
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
    let admitted = admits(mechanism, parameters, first)?
        && admits(mechanism, parameters, second)?
        && neighbours(mechanism, parameters, first, second)?;
    if !admitted {
        return Ok(None);
    }
    let probability =
        |inputs: &Inputs| event_probability(mechanism, parameters, inputs, event, Depth::default());
    let (Some(p), Some(q)) = (probability(first)?, probability(second)?) else { return Ok(None) };
    let epsilon = claimed_value(mechanism, &claim.epsilon, parameters)?;
    let delta = claimed_value(mechanism, &claim.delta, parameters)?;
    if !contradicts(&p, &q, &epsilon, &delta) {
        return Ok(None);
    }
    Ok(Some(Refutation {
        parameters: parameters.clone(),
        first: first.clone(),
        second: second.clone(),
        event: event.clone(),
        loss: loss(&p, &q),
        first_probability: p,
        second_probability: q,
        epsilon,
        delta,
        evidence: Evidence::Integration,
    }))
}

/// Whether p > e^ε·q + δ for certain.
pub(crate) fn contradicts(p: &Bounds, q: &Bounds, epsilon: &Bounds, delta: &Bounds) -> bool {
    let factor = exp_bounds(&epsilon.high, 160).1.to_rational();
    factor.is_some_and(|factor| p.low > &q.high * factor + &delta.high)
}

/// ln(p/q) from below.
pub(crate) fn loss(p: &Bounds, q: &Bounds) -> f64 {
    if q.high.is_zero() {
        return f64::INFINITY;
    }
    // By way of a rational: a ratio next to 1 would lose its loss in an f64.
    ln_bounds(&(&p.low / &q.high), 80).map_or(f64::NEG_INFINITY, |(low, _)| directed::cast_down(&low))
}

/// Looks for a refutation of a claim, over the reals or in a floating-point format. Parameters that are given stay; the
/// others are chosen.
pub fn search_refutation(
    mechanism: &Mechanism,
    claim: &Claim,
    given: &Parameters,
) -> Result<Verdict, AuditError> {
    if claim.reading != Reading::Reals {
        return search_float_refutation(mechanism, claim, given);
    }
    let mut search = Search { mechanism, claim, work: 0, events: 0, largest_share: 0.0, unsupported: None };
    let settings = parameters(mechanism, given, SETTINGS);
    'search: for round in 0..ROUNDS {
        for setting in &settings {
            for pair in pairs(mechanism, setting, round) {
                match search.pair(setting, &pair) {
                    Ok(Some(refutation)) => return Ok(Verdict::Refuted(Box::new(refutation))),
                    Ok(None) => {}
                    // A pair that is not covered says nothing about the others.
                    Err(error) => search.unsupported = Some(error),
                }
                if search.work > MOST_WORK {
                    break 'search;
                }
            }
        }
    }
    match search.unsupported {
        Some(error) if search.events == 0 => Err(error),
        _ => Ok(Verdict::NotRefuted { events: search.events, largest_share: search.largest_share }),
    }
}

/// Settings of parameters that are tried.
const SETTINGS: usize = 4;

/// Work after which a search gives up, counted as in [`Explorer`]: about half a second.
const MOST_WORK: usize = 80_000;

/// What guesses are made with: few paths, so that each one is quick.
const GUESS: Depth = Depth { paths: 40, tail_bits: 40 };

/// What the laws of discrete programs are made with.
const LAW: Depth = Depth { paths: 20_000, tail_bits: 40 };

/// What two laws of a discrete program are counted as.
const WORK_OF_A_LAW: usize = 4000;

struct Search<'a> {
    mechanism: &'a Mechanism,
    claim: &'a Claim,
    work: usize,
    events: usize,
    largest_share: f64,
    unsupported: Option<AuditError>,
}

impl Search<'_> {
    fn pair(&mut self, setting: &Parameters, pair: &Pair) -> Result<Option<Refutation>, AuditError> {
        let epsilon = claimed_value(self.mechanism, &self.claim.epsilon, setting)?.to_f64();
        let delta = claimed_value(self.mechanism, &self.claim.delta, setting)?.to_f64();
        let mut first = Explorer::new(self.mechanism, setting, &pair.first, GUESS)?;
        let mut second = Explorer::new(self.mechanism, setting, &pair.second, GUESS)?;
        let Some(events) = events(&mut first, &pair.answers)? else {
            return self.discrete_pair(setting, pair, epsilon);
        };
        let mut problem = None;
        let mut spent = 0;
        for event in events {
            self.events += 1;
            let total = first.work + second.work;
            self.work += total - std::mem::replace(&mut spent, total);
            let (p, q) = match (first.probability::<f64>(&event), second.probability::<f64>(&event)) {
                (Ok(Some(p)), Ok(Some(q))) => (p, q),
                (Err(error), _) | (_, Err(error)) => {
                    problem = Some(error);
                    continue;
                }
                _ => continue,
            };
            if !self.promising(p - delta, q, epsilon) {
                continue;
            }
            let found =
                check_refutation(self.mechanism, self.claim, setting, &pair.first, &pair.second, &event)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        problem.map_or(Ok(None), Err)
    }

    /// Whether a guess is worth deciding; notes how near to the claim it comes.
    fn promising(&mut self, p: f64, q: f64, epsilon: f64) -> bool {
        if p.is_nan() || p <= 1e-200 {
            return false;
        }
        let loss = if q > p * 1e-15 { directed::ln_nearest(p / q) } else { f64::INFINITY };
        if epsilon > 0.0 && loss.is_finite() {
            self.largest_share = self.largest_share.max(loss / epsilon);
        }
        // Guesses err by rounding and cancellation; a true refutation by less than this is left unseen.
        loss > epsilon + 1e-9 * (1.0 + epsilon.abs())
    }

    /// A program with discrete draws only: its laws tell the worst outcome.
    fn discrete_pair(
        &mut self,
        setting: &Parameters,
        pair: &Pair,
        epsilon: f64,
    ) -> Result<Option<Refutation>, AuditError> {
        let law = |inputs: &Inputs| real_law(self.mechanism, setting, inputs, LAW);
        let report = PairReport::new(&law(&pair.first)?, &law(&pair.second)?);
        self.events += report.outcomes.len();
        self.work += WORK_OF_A_LAW;
        let impossible = report.impossible.first().map(|(outcome, side)| (outcome.clone(), *side));
        let worst = report.worst.map(|worst| {
            let loss = worst.loss.to_f64();
            if epsilon > 0.0 {
                self.largest_share = self.largest_share.max(loss / epsilon);
            }
            (worst.outcome, worst.side)
        });
        for (outcome, side) in [impossible, worst].into_iter().flatten() {
            let (first, second) = match side {
                Side::First => (&pair.first, &pair.second),
                Side::Second => (&pair.second, &pair.first),
            };
            let event = Event::exactly(&outcome);
            let found = check_refutation(self.mechanism, self.claim, setting, first, second, &event)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}

/// The claimed ε and δ of a claim for given parameters.
pub fn claimed(
    mechanism: &Mechanism,
    claim: &Claim,
    parameters: &Parameters,
) -> Result<(Bounds, Bounds), AuditError> {
    Ok((
        claimed_value(mechanism, &claim.epsilon, parameters)?,
        claimed_value(mechanism, &claim.delta, parameters)?,
    ))
}
