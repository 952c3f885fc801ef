//! Counterexamples: two neighbours and a set of outputs whose probabilities contradict a claim.
//!
//! `search_refutation` guesses; `check_refutation` decides, with bounds of both probabilities that no rounding error
//! can cross. Finding nothing proves nothing.

use std::fmt;
use std::time::Instant;

use probity_exact::{Rational, directed, exp_bounds, ln_bounds};
use probity_kernel::expr::Expr;
use probity_kernel::term::{Claim, Mechanism, Reading};

use crate::case::Case;
use crate::cube::boxes::Cube;
use crate::error::AuditError;
use crate::output::bounds::Bounds;
use crate::output::event::Event;
use crate::output::outcome::{Inputs, Parameters};
use crate::pair::candidates::{Pair, ROUNDS, pairs, parameters};
use crate::pair::neighbours::claimed_value;
use crate::real::paths::{Depth, Explorer, KnownLaws};
use crate::refute::concentrated::shown;
use crate::refute::few_path_events;
use crate::refute::floats::search_float_refutation;
use crate::refute::path_events::{self, Paths, Target};
use crate::refute::sample_events::search_event;
use crate::refute::sampling::{MOST_TESTS, RISK_BITS, Sampler};

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

impl Refutation {
    /// A lower bound of p − e^ε·q for the claimed ε: what δ would have to be at least, by this event.
    pub fn shown_delta(&self) -> Rational {
        let factor = exp_bounds(&self.epsilon.high, 160).1.to_rational();
        factor.map_or(Rational::ZERO, |factor| {
            &self.first_probability.low - factor * &self.second_probability.high
        })
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
        /// The number of events whose probabilities were compared.
        events: usize,
        /// The largest share of the claimed ε that was seen, in f64 and not rigorous; 0 if there was none.
        largest_share: f64,
        /// A draw that some inputs tried lead to with parameters for which its law means nothing.
        out_of_range: Option<AuditError>,
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
    let case = Case::new(mechanism, parameters, first);
    check_within(case, second, claim, event, Depth::default(), &KnownLaws::default())
}

/// [`check_refutation`] with limits of the exploration; beyond them, boxes.
fn check_within(
    case: Case<'_>,
    second: &Inputs,
    claim: &Claim,
    event: &Event,
    depth: Depth,
    laws: &KnownLaws,
) -> Result<Option<Refutation>, AuditError> {
    let (first, other) = (case.inputs, case.at(second));
    if !(case.is_admitted()? && other.is_admitted()? && case.is_neighbour_of(second)?) {
        return Ok(None);
    }
    let exactly = |case: Case<'_>| Explorer::new(case, depth)?.remembering(laws).enclosed(event);
    let (both, evidence) = match (exactly(case), exactly(other)) {
        (Ok(Some(p)), Ok(Some(q))) => ((p, q), Evidence::Integration),
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
fn refutation(
    parameters: &Parameters,
    (first, second): (&Inputs, &Inputs),
    event: &Event,
    (p, q): (Bounds, Bounds),
    (reading, (epsilon, delta)): (Reading, (Bounds, Bounds)),
    evidence: Evidence,
) -> Option<Refutation> {
    let loss = match reading {
        Reading::Rho | Reading::Mu => shown(reading, &p, &q, &epsilon.high),
        _ => contradicts(&p, &q, &epsilon, &delta).then(|| loss(&p, &q)),
    };
    loss.map(|loss| Refutation {
        parameters: parameters.clone(),
        first: first.clone(),
        second: second.clone(),
        event: event.clone(),
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
    search_refutation_until(mechanism, claim, given, None)
}

/// The same, given up when the deadline passes. The deadline is looked at between pairs of inputs.
pub fn search_refutation_until(
    mechanism: &Mechanism,
    claim: &Claim,
    given: &Parameters,
    deadline: Option<Instant>,
) -> Result<Verdict, AuditError> {
    if matches!(claim.reading, Reading::Binary { .. }) {
        return search_float_refutation(mechanism, claim, given, deadline);
    }
    let mut search = Search {
        mechanism,
        claim,
        work: 0,
        events: 0,
        tests: 0,
        largest_share: 0.0,
        crowded: false,
        uncovered: None,
        out_of_range: None,
        deadline,
        laws: KnownLaws::default(),
    };
    let settings = parameters(mechanism, given, SETTINGS);
    // First a few paths of each list, then all paths of all inputs.
    for thorough in [false, true] {
        search.work = if thorough { 0 } else { MOST_WORK / 2 };
        if let Some(refutation) = search.rounds(&settings, thorough) {
            return Ok(Verdict::Refuted(Box::new(refutation)));
        }
    }
    match search.uncovered {
        Some(error) if search.events == 0 && search.out_of_range.is_none() => Err(error),
        _ => {
            // What rounding makes of a claim that is met exactly.
            let met = (search.largest_share - 1.0).abs() < NEARLY;
            let largest_share = if met { 1.0 } else { search.largest_share };
            let Search { events, out_of_range, .. } = search;
            Ok(Verdict::NotRefuted { events, largest_share, out_of_range })
        }
    }
}

/// Settings of parameters that are tried.
const SETTINGS: usize = 4;

/// Work after which a search gives up, counted as in [`Explorer`]: about half a second.
pub(crate) const MOST_WORK: usize = 80_000;

/// What guesses are made with.
pub(crate) const GUESS: Depth = Depth { paths: 8000, tail_bits: 40 };

/// What guesses along a few chosen paths are made with: few paths, so that each one is quick.
const FEW: Depth = Depth { paths: 40, tail_bits: 40 };

/// What decisions are made with.
pub(crate) const DECISION: Depth = Depth { paths: 40_000, tail_bits: 64 };

const TOO_MANY_PATHS: AuditError =
    AuditError::Unsupported { what: "a program with more paths than the limit" };

/// Guesses of one pair that are decided.
pub(crate) const DECISIONS: usize = 3;

/// Guesses err by rounding and cancellation: by about this much of ε, or in all. A true refutation by less is left unseen
/// where deciding is dear.
const NEARLY: f64 = 1e-9;

/// Boxes for one probability.
pub(crate) const BOXES: usize = 12_000;

/// What samples for a guess are counted as, and what decisions by boxes and by samples are.
const WORK_OF_SAMPLES: usize = 1500;
const WORK_OF_BOXES: usize = 15_000;
const WORK_OF_A_TEST: usize = 25_000;
/// And a run that used up its steps.
const WORK_OF_AN_ENDLESS_RUN: usize = MOST_WORK / 8;

struct Search<'a> {
    mechanism: &'a Mechanism,
    claim: &'a Claim,
    work: usize,
    events: usize,
    /// Tests by samples so far.
    tests: usize,
    largest_share: f64,
    /// Whether some pair had more paths than the limit: the next ones are given up sooner.
    crowded: bool,
    uncovered: Option<AuditError>,
    /// A draw out of its range, if some pair led to one.
    out_of_range: Option<AuditError>,
    deadline: Option<Instant>,
    /// A search explores many inputs with the same noise.
    laws: KnownLaws,
}

/// Whether the deadline has passed.
pub(crate) fn is_over(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

impl Search<'_> {
    fn explorer(&self, setting: &Parameters, inputs: &Inputs, depth: Depth) -> Result<Explorer, AuditError> {
        Ok(Explorer::new(Case::new(self.mechanism, setting, inputs), depth)?.remembering(&self.laws))
    }

    fn check(
        &self,
        setting: &Parameters,
        pair: (&Inputs, &Inputs),
        event: &Event,
    ) -> Result<Option<Refutation>, AuditError> {
        let case = Case::new(self.mechanism, setting, pair.0);
        check_within(case, pair.1, self.claim, event, DECISION, &self.laws)
    }

    /// Looks at pairs of neighbours, round by round, until one refutes the claim or the work is done.
    fn rounds(&mut self, settings: &[Parameters], thorough: bool) -> Option<Refutation> {
        for round in 0..if thorough { ROUNDS } else { 1 } {
            for setting in settings {
                for pair in pairs(self.mechanism, setting, round) {
                    if !thorough && pair.answers.is_empty() {
                        continue;
                    }
                    if is_over(self.deadline) {
                        return None;
                    }
                    match self.pair(setting, &pair, thorough) {
                        Ok(None) => {}
                        Ok(found) => return found,
                        Err(error @ AuditError::OutOfRange { .. }) => self.out_of_range = Some(error),
                        Err(AuditError::TooManySteps) => {
                            self.work += WORK_OF_AN_ENDLESS_RUN;
                            self.uncovered = Some(AuditError::TooManySteps);
                        }
                        // A pair that is not covered says nothing about the others.
                        Err(error) => self.uncovered = Some(error),
                    }
                    if self.work > MOST_WORK {
                        return None;
                    }
                }
            }
        }
        None
    }

    fn pair(
        &mut self,
        setting: &Parameters,
        pair: &Pair,
        thorough: bool,
    ) -> Result<Option<Refutation>, AuditError> {
        let (epsilon, delta) = claimed(self.mechanism, self.claim, setting)?;
        let target = Target { epsilon: epsilon.to_f64(), delta: delta.to_f64() };
        if !thorough {
            return self.by_few_paths(setting, pair, target);
        }
        match self.by_paths(setting, pair, target) {
            Err(AuditError::Unsupported { .. }) => self.by_samples(setting, pair, target),
            looked => looked,
        }
    }

    /// All paths of both runs, or a few guided ones if there are too many.
    fn by_paths(
        &mut self,
        setting: &Parameters,
        pair: &Pair,
        target: Target,
    ) -> Result<Option<Refutation>, AuditError> {
        let depth = if self.crowded { Depth { paths: GUESS.paths / 8, ..GUESS } } else { GUESS };
        let explorer = |inputs| self.explorer(setting, inputs, depth);
        let mut first = explorer(&pair.first)?.within(MOST_WORK);
        let mut second = explorer(&pair.second)?.within(MOST_WORK);
        let both = match Paths::of(&mut first) {
            Ok(Some(paths)) => Paths::of(&mut second)?.map(|other| (paths, other)),
            Ok(None) => None,
            Err(error) => return Err(error),
        };
        self.work += first.work + second.work;
        let Some((mut a, mut b)) = both else {
            self.crowded = true;
            return self.by_few_paths(setting, pair, target);
        };
        self.events += a.outcomes().max(b.outcomes());
        let mut problem = None;
        for swapped in [false, true] {
            let events = match swapped {
                false => path_events::events(&mut a, &mut b, target),
                true => path_events::events(&mut b, &mut a, target),
            };
            let (x, y) = if swapped { (&pair.second, &pair.first) } else { (&pair.first, &pair.second) };
            match events {
                Ok(events) => {
                    self.events += events.len();
                    // Few exact probabilities: what f64 cannot tell from the claim is decided.
                    let slack = if a.is_small() && b.is_small() { -NEARLY } else { NEARLY };
                    let telling = events.iter().filter(|guess| self.promising(guess.loss, target, slack));
                    for guess in telling.take(DECISIONS).collect::<Vec<_>>() {
                        let found = self.check(setting, (x, y), &guess.event)?;
                        if found.is_some() {
                            return Ok(found);
                        }
                    }
                }
                Err(error) => problem = Some(error),
            }
        }
        self.work += a.work + b.work;
        problem.map_or(Ok(None), Err)
    }

    /// A few paths of the first run, and the events that they suggest.
    fn by_few_paths(
        &mut self,
        setting: &Parameters,
        pair: &Pair,
        target: Target,
    ) -> Result<Option<Refutation>, AuditError> {
        let explorer = |inputs| self.explorer(setting, inputs, FEW);
        let (mut first, mut second) = (explorer(&pair.first)?, explorer(&pair.second)?);
        let mut problem = Some(TOO_MANY_PATHS);
        let mut spent = 0;
        for event in few_path_events::events(&mut first, &pair.answers)? {
            self.events += 1;
            let total = first.work + second.work;
            self.work += total - std::mem::replace(&mut spent, total);
            let (p, q) = match (first.probability::<f64>(&event), second.probability::<f64>(&event)) {
                (Ok(Some(p)), Ok(Some(q))) => (p, q),
                (Err(error), _) | (_, Err(error)) => {
                    problem = problem.and(Some(error));
                    continue;
                }
                _ => continue,
            };
            // One event that was looked at is enough not to need samples.
            problem = None;
            if !self.promising(target.loss(p, q), target, NEARLY) {
                continue;
            }
            let found = self.check(setting, (&pair.first, &pair.second), &event)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        problem.map_or(Ok(None), Err)
    }

    /// Whether a guess is worth deciding; notes how near to the claim it comes.
    fn promising(&mut self, loss: f64, target: Target, slack: f64) -> bool {
        let epsilon = target.epsilon;
        if epsilon > 0.0 && loss.is_finite() {
            self.largest_share = self.largest_share.max(loss / epsilon);
        }
        loss > epsilon + slack * (1.0 + epsilon.abs())
    }

    /// A program that integration does not cover: samples suggest an event, boxes decide, or else other samples.
    fn by_samples(
        &mut self,
        setting: &Parameters,
        pair: &Pair,
        target: Target,
    ) -> Result<Option<Refutation>, AuditError> {
        let sampler = |inputs| Sampler::of_reals(Case::new(self.mechanism, setting, inputs));
        let (mut a, mut b) = (sampler(&pair.first)?, sampler(&pair.second)?);
        let (of_a, of_b) = (a.guessing_outputs(1)?, b.guessing_outputs(2)?);
        self.work += 2 * WORK_OF_SAMPLES;
        self.events += 1;
        for swapped in [false, true] {
            let guessed = match swapped {
                false => search_event(&of_a, &of_b, target),
                true => search_event(&of_b, &of_a, target),
            };
            let Some(event) = guessed else { continue };
            let (x, y) = if swapped { (&pair.second, &pair.first) } else { (&pair.first, &pair.second) };
            let (of_x, of_y) = if swapped { (&mut b, &mut a) } else { (&mut a, &mut b) };
            self.work += WORK_OF_BOXES;
            let both = (of_x.enclose(&event, BOXES)?, of_y.enclose(&event, BOXES)?);
            // Samples tell a probability to a hundredth of itself or so; boxes may have done better.
            let vague = |p: &Bounds| (&p.high - &p.low) * Rational::from(100) > p.high;
            let undecided = vague(&both.0) || vague(&both.1);
            let claimed = claimed(self.mechanism, self.claim, setting)?;
            let claimed = (self.claim.reading, claimed);
            let found = refutation(setting, (x, y), &event, both, claimed.clone(), Evidence::Enclosure);
            if found.is_some() {
                return Ok(found);
            }
            if !undecided || self.tests == MOST_TESTS {
                continue;
            }
            self.tests += 1;
            self.work += WORK_OF_A_TEST;
            // Fresh samples: those that suggested the event say nothing fair about it.
            let seed = 100 * self.tests as u64;
            let both = (of_x.probability(&event, seed)?, of_y.probability(&event, seed + 50)?);
            let evidence =
                Evidence::Sampling { samples: of_x.deciding_samples(), risk_bits: RISK_BITS, seed };
            let found = refutation(setting, (x, y), &event, both, claimed, evidence);
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}

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
