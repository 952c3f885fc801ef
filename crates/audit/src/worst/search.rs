//! Looks for the pair of neighbours that loses most.
//!
//! For a number in a floating-point format the search tries structured inputs first (the ends and the middle of the admitted
//! range, and floats next to them), then alternates between random inputs and small changes of the best one so far. For lists,
//! categories and laws over the reals it goes through the pairs that a refutation would try, and then changes the best of them a little
//! at a time, if there is an end to the time that it has.
//! Every step depends on the state alone: the same seed and the same number of steps give the same result, and a state that was
//! written down can be resumed. What it finds is a lower bound; for small formats [`all_pairs`](crate::all_pairs) looks at everything instead.

use probity_exact::{Format, Natural, Rational, Round, directed, exp_bounds};
use probity_kernel::expr::Name;
use probity_kernel::term::{Claim, Mechanism, Reading, Sort};

use crate::case::Case;
use crate::compare::pair_report::{OutcomeLoss, PairReport};
use crate::compare::renyi::Renyi;
use crate::deadline::Deadline;
use crate::error::AuditError;
use crate::float::split::Effort;
use crate::output::bounds::Bounds;
use crate::output::event::Event;
use crate::output::law::{Law, Mass};
use crate::output::outcome::{Given, Inputs, Parameters};
use crate::pair::candidates::{ALL_ROUNDS, EACH_PLACE, Pair, pairs};
use crate::pair::mutate::mutated;
use crate::pair::neighbours::{admits_parameters, claimed_value, distance, neighbours};
use crate::pair::ratio;
use crate::refute::concentrated::event_rho;
use crate::refute::pair_loss::search_event_loss_of;
use crate::refute::refutation::loss;
use crate::run::bits::Bits;
use crate::worst::state::{FoundPair, SearchState};

/// What a search is about.
#[derive(Debug, Clone)]
pub struct SearchTask<'a> {
    /// The mechanism.
    pub mechanism: &'a Mechanism,
    /// The claim.
    pub claim: &'a Claim,
    /// The settings of the parameters to try, in turn.
    pub settings: Vec<Parameters>,
    /// The arithmetic.
    pub reading: Reading,
    /// The effort for one law in a format.
    pub effort: Effort,
    /// When the search must end, also in the middle of a pair.
    pub until: Deadline,
}

/// Looks for a worse pair until `go_on` answers false; it is asked after every pair, with the state so far.
pub fn search_worst_pair(
    task: &SearchTask<'_>,
    state: &mut SearchState,
    go_on: &mut dyn FnMut(&SearchState) -> bool,
) -> Result<(), AuditError> {
    for setting in &task.settings {
        if !admits_parameters(task.mechanism, setting)? {
            return Err(AuditError::Parameters);
        }
    }
    let candidates = task.candidates()?;
    let mut uncovered = None;
    loop {
        let found = match candidates.pair(task, state) {
            Next::Pair(setting, first, second) => match task.look_at(setting, &first, &second) {
                Ok(found) => Some(found),
                // A pair that is not covered says nothing about the others.
                // So is half a pair.
                Err(AuditError::OutOfTime) => break,
                Err(error @ (AuditError::Unsupported { .. } | AuditError::OutOfRange { .. })) => {
                    uncovered = Some(error);
                    None
                }
                Err(error) => return Err(error),
            },
            Next::Refused => None,
            Next::End => break,
        };
        state.tried += 1;
        if let Some(found) = found
            && state.best.as_ref().is_none_or(|best| found.is_worse_than(best))
        {
            state.best = Some(found);
        }
        if !go_on(state) {
            break;
        }
    }
    match (uncovered, &state.best) {
        (Some(error), None) => Err(error),
        _ => Ok(()),
    }
}

/// Where pairs come from.
enum Candidates<'a> {
    /// A number of a format, with neighbours at a distance.
    Number { input: &'a Name, distance: Vec<Rational> },
    /// A list of pairs, each with its setting.
    Listed(Vec<(usize, Inputs, Inputs)>),
}

/// The next pair of a search.
enum Next {
    Pair(usize, Inputs, Inputs),
    /// The choice was not admitted; the next one may be.
    Refused,
    End,
}

impl Candidates<'_> {
    fn pair(&self, task: &SearchTask<'_>, state: &SearchState) -> Next {
        match self {
            Candidates::Listed(pairs) => match usize::try_from(state.tried).ok().and_then(|i| pairs.get(i)) {
                Some((setting, first, second)) => Next::Pair(*setting, first.clone(), second.clone()),
                None if state.tried < (pairs.len() + MOST_CHANGES) as u64 => task.near_the_best(state),
                None => Next::End,
            },
            Candidates::Number { input, distance } => {
                let setting = (state.tried % task.settings.len() as u64) as usize;
                match task.numbers(input, setting, &distance[setting], state) {
                    Some((x, y)) => Next::Pair(setting, given(input, &x), given(input, &y)),
                    None => Next::Refused,
                }
            }
        }
    }
}

pub(crate) fn numeric_input(mechanism: &Mechanism) -> Result<&Name, AuditError> {
    match &mechanism.inputs[..] {
        [input] if matches!(input.sort, Sort::Real | Sort::Int) => Ok(&input.name),
        _ => Err(AuditError::Unsupported { what: "a search over anything but a single numeric input" }),
    }
}

pub(crate) fn given(name: &Name, x: &Rational) -> Inputs {
    Inputs::from([(name.clone(), Given::Number(x.clone()))])
}

/// Places of the range that structured candidates start from, in quarters of its ends.
const PLACES: [i64; 5] = [-4, 4, 0, -2, 2];

/// Changes of the best of all listed pairs that are tried.
const MOST_CHANGES: usize = 1000;

/// Floats looked at next to each place.
const STEPS: u64 = 8;

impl<'a> SearchTask<'a> {
    fn candidates(&self) -> Result<Candidates<'a>, AuditError> {
        if let (Reading::Binary { .. }, Ok(input)) = (self.reading, numeric_input(self.mechanism)) {
            let mut distances = Vec::new();
            for setting in 0..self.settings.len() {
                distances.push(distance(self.mechanism, &self.settings[setting])?.map(|bounds| bounds.low));
            }
            if let Some(distance) = distances.into_iter().collect() {
                return Ok(Candidates::Number { input, distance });
            }
        }
        let mut listed: Vec<(usize, Inputs, Inputs)> = Vec::new();
        for round in std::iter::once(0).chain([EACH_PLACE]).chain(1..ALL_ROUNDS) {
            for (number, setting) in self.settings.iter().enumerate() {
                for Pair { first, second, .. } in pairs(self.mechanism, setting, round) {
                    let known = |(n, a, b): &(usize, Inputs, Inputs)| {
                        *n == number && ((*a == first && *b == second) || (*a == second && *b == first))
                    };
                    if !listed.iter().any(known) {
                        listed.push((number, first, second));
                    }
                }
            }
        }
        Ok(Candidates::Listed(listed))
    }

    /// A pair near the best one, if there is an end to the time; else the search is at its end.
    fn near_the_best(&self, state: &SearchState) -> Next {
        let Some(best) = state.best.as_ref().filter(|_| self.until.has_end()) else { return Next::End };
        let setting = &self.settings[best.setting];
        let mut bits = bits_of(state);
        let pair = Pair { first: best.first.clone(), second: best.second.clone(), answers: Vec::new() };
        match mutated(self.mechanism, (setting, setting), &pair, &mut bits) {
            Some((same, pair)) if same == *setting => Next::Pair(best.setting, pair.first, pair.second),
            _ => Next::Refused,
        }
    }

    /// The number as the reading has it.
    fn to_float(&self, x: &Rational, direction: Round) -> Rational {
        let Reading::Binary { precision, emin, emax } = self.reading else { return x.clone() };
        let format = Format::new(precision, i64::from(emin), i64::from(emax));
        format.ok().and_then(|format| format.round(x, direction).to_rational()).unwrap_or_default()
    }

    /// The next two numbers to try; `None` when the choice is not admitted.
    fn numbers(
        &self,
        input: &Name,
        setting: usize,
        distance: &Rational,
        state: &SearchState,
    ) -> Option<(Rational, Rational)> {
        let parameters = &self.settings[setting];
        // Inputs of the size of the largest parameter: a clamping bound, where there is one.
        let size = parameters.values().max()?.clone();
        let step = state.tried / self.settings.len() as u64;
        let mut bits = bits_of(state);
        let fraction = |bits: &mut Bits| ratio(((bits.next() >> 11) as i64, 1 << 53));
        let structured = PLACES.len() as u64 * STEPS;
        let start = if step < structured {
            let place = ratio((PLACES[(step / STEPS) as usize], 4));
            let aside = ratio(((step % STEPS) as i64, STEPS as i64));
            let inward = if place > Rational::ZERO { -aside } else { aside };
            place * &size + inward * distance
        } else {
            let near = state.best.as_ref().filter(|best| best.setting == setting);
            let center = near.and_then(|best| best.first.get(input)).and_then(Given::number);
            match (center, bits.next() % 4) {
                // Within one distance of the best, and ever nearer.
                (Some(center), 0 | 1) => {
                    let shrink = ratio((1, 1 << (bits.next() % 40)));
                    let sign = if bits.next().is_multiple_of(2) { Rational::ONE } else { Rational::from(-1) };
                    center + sign * shrink * fraction(&mut bits) * distance
                }
                // Near an end of the range: outcomes are farthest from there.
                (_, 2) => {
                    let end = if bits.next().is_multiple_of(2) { size.clone() } else { -&size };
                    let inward = fraction(&mut bits) * distance * Rational::from(2);
                    if end > Rational::ZERO { end - inward } else { end + inward }
                }
                _ => (fraction(&mut bits) * Rational::from(2) - Rational::ONE) * &size,
            }
        };
        let first = self.to_float(&start, Round::NearestEven);
        [Rational::ONE, Rational::from(-1)].into_iter().find_map(|sign| {
            // Rounding towards the first input keeps the distance.
            let direction = if sign > Rational::ZERO { Round::Down } else { Round::Up };
            let second = self.to_float(&(&first + sign * distance), direction);
            let fits = self.admitted(input, parameters, &first, &second);
            fits.then(|| (first.clone(), second))
        })
    }

    fn admitted(&self, input: &Name, parameters: &Parameters, first: &Rational, second: &Rational) -> bool {
        let (a, b) = (given(input, first), given(input, second));
        let fits =
            |inputs: &Inputs| matches!(Case::new(self.mechanism, parameters, inputs).is_admitted(), Ok(true));
        first != second
            && fits(&a)
            && fits(&b)
            && matches!(neighbours(self.mechanism, parameters, &a, &b), Ok(true))
    }

    /// What a pair shows: by its laws where they can be listed, and by the event that tells most otherwise.
    fn look_at(&self, setting: usize, first: &Inputs, second: &Inputs) -> Result<FoundPair, AuditError> {
        let parameters = &self.settings[setting];
        let epsilon = claimed_value(self.mechanism, &self.claim.epsilon, parameters)?;
        let delta = claimed_value(self.mechanism, &self.claim.delta, parameters)?;
        let case = Case::new(self.mechanism, parameters, first).until(&self.until);
        let law = |inputs: &Inputs| case.at(inputs).law_within(self.reading, self.effort);
        if matches!(self.claim.reading, Reading::Rho | Reading::Mu) && self.reading == Reading::Reals {
            return self.look_at_rho(setting, case, second, &epsilon);
        }
        match (law(first), &self.reading) {
            (Ok(a), _) => {
                let report = match self.reading {
                    Reading::Binary { .. } => PairReport::new(&a, &law(second)?),
                    _ => case.compared_with(second, (&a, &law(second)?)),
                };
                Ok(judge_report(setting, (first, second), report, &epsilon, &delta))
            }
            (Err(AuditError::Unsupported { .. }), Reading::Reals) => {
                let shown = search_event_loss_of(case, second, self.claim)?.ok_or(NOTHING)?;
                let loss = shown.loss;
                let excess = beyond(loss, &epsilon);
                Ok(FoundPair {
                    setting,
                    first: first.clone(),
                    second: second.clone(),
                    loss,
                    excess,
                    finite_excess: if excess.is_finite() { excess } else { f64::NEG_INFINITY },
                    impossible: 0,
                    outcome: None,
                    event: Some(shown.event),
                })
            }
            (Err(error), _) => Err(error),
        }
    }
}

impl SearchTask<'_> {
    /// What a pair shows of a claim in ρ or μ: a ρ, by the divergences of its laws where they can be listed, and by the event
    /// that tells most otherwise. μ is held against it as μ²/2.
    fn look_at_rho(
        &self,
        setting: usize,
        case: Case<'_>,
        second: &Inputs,
        claimed: &Bounds,
    ) -> Result<FoundPair, AuditError> {
        let half_square = |x: &Rational| x * x / Rational::from(2);
        let claimed = match self.claim.reading {
            Reading::Mu => Bounds { low: half_square(&claimed.low), high: half_square(&claimed.high) },
            _ => claimed.clone(),
        };
        let law = |inputs: &Inputs| case.at(inputs).law_within(self.reading, self.effort);
        let (rho, impossible, outcome, event) = match law(case.inputs) {
            Ok(first) => {
                let report = case.compared_with(second, (&first, &law(second)?));
                let rho = match report.impossible.is_empty() {
                    true => report.renyi().iter().map(Renyi::rho).fold(0.0, f64::max),
                    false => f64::INFINITY,
                };
                (rho, report.impossible.len(), report.worst.map(|worst| worst.outcome), None)
            }
            Err(AuditError::Unsupported { .. }) => {
                let shown = search_event_loss_of(case, second, self.claim)?.ok_or(NOTHING)?;
                (event_rho(&shown.probability, &shown.of_neighbour), 0, None, Some(shown.event))
            }
            Err(error) => return Err(error),
        };
        let excess = beyond(rho, &claimed);
        Ok(FoundPair {
            setting,
            first: case.inputs.clone(),
            second: second.clone(),
            loss: rho,
            excess,
            finite_excess: if excess.is_finite() { excess } else { f64::NEG_INFINITY },
            impossible,
            outcome,
            event,
        })
    }
}

/// The loss minus ε, rounded down; infinite where the loss is.
fn beyond(loss: f64, epsilon: &Bounds) -> f64 {
    if loss.is_infinite() { loss } else { directed::sub_down(loss, directed::cast_up(&epsilon.high)) }
}

/// The random choices of a step.
fn bits_of(state: &SearchState) -> Bits {
    Bits(state.seed.wrapping_add(state.tried.wrapping_mul(0x2545_f491_4f6c_dd1d)))
}

const NOTHING: AuditError = AuditError::Unsupported { what: "a pair of inputs that no event told apart" };

pub(crate) fn judge(
    setting: usize,
    first: &Inputs,
    second: &Inputs,
    a: &Law,
    b: &Law,
    epsilon: &Bounds,
) -> FoundPair {
    let none = Bounds { low: Rational::ZERO, high: Rational::ZERO };
    judge_report(setting, (first, second), PairReport::new(a, b), epsilon, &none)
}

fn judge_report(
    setting: usize,
    (first, second): (&Inputs, &Inputs),
    report: PairReport,
    epsilon: &Bounds,
    delta: &Bounds,
) -> FoundPair {
    let finite = report.excess(&epsilon.high);
    let finite_excess = finite.map_or(f64::NEG_INFINITY, |bounds| directed::cast_down(&bounds.low));
    let finite_loss =
        report.worst.as_ref().map_or(f64::NEG_INFINITY, |worst| directed::cast_down(&worst.loss.low));
    let (loss, excess, event) = match (delta.high.is_zero(), report.impossible.is_empty()) {
        (true, true) => (finite_loss, finite_excess, None),
        (true, false) => (f64::INFINITY, f64::INFINITY, None),
        (false, _) => {
            let (loss, event) = beyond_delta(&report, epsilon, delta);
            (loss, beyond(loss, epsilon), event)
        }
    };
    FoundPair {
        setting,
        first: first.clone(),
        second: second.clone(),
        loss,
        excess,
        finite_excess,
        impossible: report.impossible.len(),
        outcome: report.worst.map(|worst| worst.outcome),
        event,
    }
}

/// Of all outcomes that are likelier than e^ε times under the other input, taken together: ln((p − δ)/q), from below.
fn beyond_delta(report: &PairReport, epsilon: &Bounds, delta: &Bounds) -> (f64, Option<Event>) {
    let Some(factor) = exp_bounds(&epsilon.high, 160).1.to_rational() else {
        return (f64::NEG_INFINITY, None);
    };
    let mass = |n: &Natural| Rational::from_parts(n.clone().into(), report.denominator.clone());
    type Masses = fn(&OutcomeLoss) -> (&Mass, &Mass);
    let sides: [Masses; 2] = [|o| (&o.first, &o.second), |o| (&o.second, &o.first)];
    let mut best = (f64::NEG_INFINITY, None);
    for side in sides {
        let mut chosen = Vec::new();
        let (mut p, mut q) = (Rational::ZERO, report.escaped_mass.clone());
        for outcome in &report.outcomes {
            let (of, other) = side(outcome);
            let (low, high) = (mass(&of.low), mass(&other.high));
            if low > &factor * &high {
                p += low;
                q += high;
                chosen.push(Event::exactly(&outcome.outcome));
            }
        }
        let above = Bounds { low: &p - &delta.high, high: p };
        let below = Bounds { low: q.clone(), high: q };
        if above.low > Rational::ZERO && loss(&above, &below) > best.0 {
            best = (loss(&above, &below), Some(Event::Union(chosen)));
        }
    }
    best
}
