//! The search for counterexamples. It guesses; [`crate::refute::refutation`] decides. Finding nothing proves nothing.
//!
//! First the usual rounds: a few settings of the parameters, pairs of neighbours as far apart as they may be, short lists. That
//! takes about half a second. Then, while there is time, further rounds: more settings, small changes, inputs beside the numbers
//! at which a program jumps, long lists; and a climb, which changes what told most step by step.

mod further;
mod retries;

use probity_exact::{Rational, directed};
use probity_kernel::term::{Claim, Mechanism, Reading};

use crate::case::Case;
use crate::deadline::Deadline;
use crate::error::AuditError;
use crate::output::bounds::Bounds;
use crate::output::event::{Condition, Event};
use crate::output::outcome::{Inputs, Parameters};
use crate::pair::candidates::{Pair, ROUNDS, TIERS, from_many, pairs};
use crate::pair::settings::parameters;
use crate::real::paths::{Depth, Explorer, Memory};
use crate::refute::few_path_events::{self, TOO_MANY_PATHS};
use crate::refute::floats::search_float_refutation;
use crate::refute::likeness::likeness;
use crate::refute::path_events::{self, Paths, Target};
use crate::refute::refutation::{
    BOXES, Closest, Evidence, Refutation, Tried, Verdict, check_within, claimed, refutation,
};
use crate::refute::sample_events::search_event;
use crate::refute::sampling::{MOST_TESTS, RISK_BITS, Sampler};
use crate::refute::search::retries::{OneTry, given, one_try};
use crate::refute::shapes::{exclude, shape};

/// Looks for a refutation of a claim, over the reals or in a floating-point format, in all rounds. Parameters that are given
/// stay; the others are chosen.
pub fn search_refutation(
    mechanism: &Mechanism,
    claim: &Claim,
    given: &Parameters,
) -> Result<Verdict, AuditError> {
    search_refutation_until(mechanism, claim, given, &Deadline::default(), &Deadline::default())
}

/// The same up to deadlines: one for the usual rounds, and one for the further ones, which are not begun if it has passed by
/// then. Past a deadline the search is given up as if it had found nothing.
pub fn search_refutation_until(
    mechanism: &Mechanism,
    claim: &Claim,
    given: &Parameters,
    usual: &Deadline,
    further: &Deadline,
) -> Result<Verdict, AuditError> {
    if matches!(claim.reading, Reading::Binary { .. }) {
        return search_float_refutation(mechanism, claim, given, usual);
    }
    let mut search = Search {
        mechanism,
        claim,
        given,
        work: 0,
        most_work: MOST_WORK,
        seen: Seen::default(),
        tests: 0,
        share_of_pair: None,
        few: FEW,
        crowded: false,
        sampled: false,
        unfollowed: 0,
        uncovered: None,
        out_of_range: None,
        until: usual.clone(),
        best: Vec::new(),
        memory: Memory::default(),
    };
    let settings = parameters(mechanism, claim, given, ALL_SETTINGS);
    let few = &settings[..settings.len().min(SETTINGS)];
    // What one run of each input shows, which is cheap; loops that try again, which have paths without end; and lists whose entries
    // are asked about twice: a few long ones, before short ones use up the work.
    let quick = search.by_shapes(few).or_else(|| search.by_one_try(&settings));
    let tiers = if few_path_events::asks_twice(&mechanism.body) { TIERS..TIERS + 1 } else { 0..0 };
    if let Some(found) = quick.or_else(|| search.rounds(few, tiers, false)) {
        return Ok(Verdict::Refuted(Box::new(found)));
    }
    // First a few paths of each list, then all paths of all inputs.
    for thorough in [false, true] {
        search.work = if thorough { 0 } else { MOST_WORK / 2 };
        let rounds = if thorough { 0..ROUNDS } else { 0..1 };
        if let Some(found) = search.rounds(few, rounds, thorough) {
            return Ok(Verdict::Refuted(Box::new(found)));
        }
    }
    let mut finished = !usual.is_over();
    let as_usual = search.seen.clone();
    if finished && !further.is_over() {
        search.until = further.clone();
        let mut found = search.further(&settings);
        // What comes after these rounds is more than was promised.
        finished = !usual.is_over();
        if found.is_none() && further.has_end() {
            found = search.while_there_is_time(settings);
        }
        if let Some(found) = found {
            return Ok(Verdict::Refuted(Box::new(found)));
        }
        // Called off, and not out of time: then the usual rounds are the answer, the same each time.
        if further.is_over() && !usual.is_over() {
            search.seen = as_usual;
        }
    }
    search.verdict(finished)
}

/// Settings of parameters that are tried in the usual rounds, and in the further ones.
const SETTINGS: usize = 4;
const ALL_SETTINGS: usize = 14;

/// And those in which one run of each input is looked at.
const SETTINGS_OF_SHAPES: usize = 2;

/// The pairs of a setting for which one try is looked at: those furthest apart.
const PAIRS_OF_TRIES: usize = 12;

/// Pairs that a climb starts from.
const CLIMBERS: usize = 4;

/// Work after which a search gives up, counted as in [`Explorer`]: about half a second.
pub(crate) const MOST_WORK: usize = 80_000;

/// What guesses are made with.
pub(crate) const GUESS: Depth = Depth { paths: 8000, tail_bits: 40 };

/// What guesses along a few chosen paths are made with: few paths, so that each one is quick.
const FEW: Depth = Depth { paths: 40, tail_bits: 40 };

/// Events of one pair that had too many paths, after which no others are looked at.
const MOST_CROWDED: usize = 1;

/// The same where all draws are from lists of values, as long answers of noisy counts: each entry has as many values as its draw.
const FEW_VALUES: Depth = Depth { paths: 4000, tail_bits: 40 };

/// What decisions are made with.
pub(crate) const DECISION: Depth = Depth { paths: 40_000, tail_bits: 64 };

const NOT_FOLLOWED: AuditError =
    AuditError::Unsupported { what: "an output made of products, quotients or functions of random numbers" };

/// Guesses of one pair that are decided.
pub(crate) const DECISIONS: usize = 3;

/// Guesses err by rounding and cancellation: by about this much of ε, or in all. A true refutation by less is left unseen
/// where deciding is dear.
const NEARLY: f64 = 1e-9;

/// What a guess of a loss may be off by, by rounding.
const ROUNDING: f64 = 1e-12;

/// What samples for a guess are counted as, and what decisions by boxes and by samples are.
const WORK_OF_SAMPLES: usize = 1500;
const WORK_OF_BOXES: usize = 15_000;
const WORK_OF_A_TEST: usize = 25_000;
/// And a run that used up its steps.
const WORK_OF_AN_ENDLESS_RUN: usize = MOST_WORK / 8;

/// Pairs with paths that cannot be followed, after which a few of their paths are not looked for.
const MOST_UNFOLLOWED: usize = 6;

struct Search<'a> {
    mechanism: &'a Mechanism,
    claim: &'a Claim,
    /// Parameters that stay.
    given: &'a Parameters,
    work: usize,
    most_work: usize,
    seen: Seen,
    /// Tests by samples so far.
    tests: usize,
    /// What the pair at hand showed.
    share_of_pair: Option<f64>,
    /// What guesses along a few paths are made with.
    few: Depth,
    /// Whether some pair had more paths than the limit: the next ones are given up sooner.
    crowded: bool,
    /// Whether some pair was looked at by samples.
    sampled: bool,
    /// How many pairs had paths that cannot be followed.
    unfollowed: usize,
    uncovered: Option<AuditError>,
    /// A draw out of its range, if some pair led to one.
    out_of_range: Option<AuditError>,
    until: Deadline,
    /// The pairs that told most, the best first.
    best: Vec<(f64, Parameters, Pair)>,
    /// A search explores many inputs with the same noise.
    memory: Memory,
}

/// What was looked at, and what came nearest to the claim.
#[derive(Clone, Default)]
struct Seen {
    tried: Tried,
    /// The settings that were tried.
    settings: Vec<Parameters>,
    closest: Option<Closest>,
    /// Pairs of inputs for which no run ends, and others.
    endless: usize,
    answered: usize,
}

impl Search<'_> {
    fn case<'b>(&'b self, setting: &'b Parameters, inputs: &'b Inputs) -> Case<'b> {
        Case::new(self.mechanism, setting, inputs).until(&self.until)
    }

    fn explorer(&self, setting: &Parameters, inputs: &Inputs, depth: Depth) -> Result<Explorer, AuditError> {
        Ok(Explorer::new(self.case(setting, inputs), depth)?.remembering(&self.memory))
    }

    fn check(
        &self,
        setting: &Parameters,
        pair: (&Inputs, &Inputs),
        event: &Event,
    ) -> Result<Option<Refutation>, AuditError> {
        check_within(self.case(setting, pair.0), pair.1, self.claim, event, DECISION, &self.memory)
    }

    /// What the search ended with when it found nothing.
    fn verdict(self, finished: bool) -> Result<Verdict, AuditError> {
        let Search { seen, uncovered, out_of_range, .. } = self;
        match uncovered {
            Some(error) if seen.tried.events == 0 && out_of_range.is_none() && finished => Err(error),
            _ => {
                let mut closest = seen.closest;
                // What rounding makes of a claim that is met exactly: no share is seen more finely than this.
                if let Some(closest) = closest.as_mut().filter(|found| (found.share - 1.0).abs() < NEARLY) {
                    closest.share = 1.0;
                }
                let tried = Tried { settings: seen.settings.len(), ..seen.tried };
                let largest_share = closest.as_ref().map(|closest| closest.share);
                let closest = closest.map(Box::new);
                let never_ends = seen.endless > 0 && seen.answered == 0;
                Ok(Verdict::NotRefuted { tried, largest_share, closest, out_of_range, never_ends, finished })
            }
        }
    }

    /// Pairs for which the input alone fixes how long a list is, or an entry of it, and does so differently.
    fn by_shapes(&mut self, settings: &[Parameters]) -> Option<Refutation> {
        for setting in settings.iter().take(SETTINGS_OF_SHAPES) {
            for round in [0, ROUNDS + 1] {
                for pair in pairs(self.mechanism, setting, round) {
                    if self.until.is_over() {
                        return None;
                    }
                    let mut one = self.explorer(setting, &pair.first, FEW).ok()?;
                    let mut two = self.explorer(setting, &pair.second, FEW).ok()?;
                    // A draw that decides how one run goes on decides it in the others too, most often.
                    let (Ok(Some(a)), Ok(Some(b))) = (shape(&mut one), shape(&mut two)) else { return None };
                    if exclude(&a, &b)
                        && let Ok(Some(found)) = self.check(setting, (&pair.first, &pair.second), &a)
                    {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    /// A program with a loop that tries again, looked at by what one try does.
    fn by_one_try(&mut self, settings: &[Parameters]) -> Option<Refutation> {
        if self.claim.reading != Reading::Reals {
            return None;
        }
        let tried = one_try(self.mechanism)?;
        for setting in settings {
            for pair in pairs(self.mechanism, setting, 0).into_iter().take(PAIRS_OF_TRIES) {
                if self.until.is_over() {
                    return None;
                }
                for (x, y) in [(&pair.first, &pair.second), (&pair.second, &pair.first)] {
                    if let Ok(Some(found)) = self.pair_by_one_try(&tried, setting, (x, y)) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    fn pair_by_one_try(
        &mut self,
        tried: &OneTry,
        setting: &Parameters,
        (x, y): (&Inputs, &Inputs),
    ) -> Result<Option<Refutation>, AuditError> {
        let memory = self.memory.clone();
        let until = self.until.clone();
        let explorer = |mechanism: &Mechanism, inputs: &Inputs, depth: Depth| {
            let case = Case::new(mechanism, setting, inputs).until(&until);
            Ok::<_, AuditError>(Explorer::new(case, depth)?.remembering(&memory).within(MOST_WORK))
        };
        let enclosed = |mechanism: &Mechanism, inputs: &Inputs, event: &Event| {
            explorer(mechanism, inputs, DECISION)?.enclosed(event)
        };
        let anything = Event::Value(Condition::Anything);
        let enough = |inputs: &Inputs| enclosed(&tried.enough, inputs, &anything);
        let (Some(one), Some(two)) = (enough(x)?, enough(y)?) else { return Ok(None) };
        let (mut first, mut second) = (explorer(&tried.whole, x, GUESS)?, explorer(&tried.whole, y, GUESS)?);
        let (Some(mut a), Some(mut b)) = (Paths::of(&mut first)?, Paths::of(&mut second)?) else {
            return Ok(None);
        };
        let (epsilon, delta) = claimed(self.mechanism, self.claim, setting)?;
        // p/c > e^ε·q/d + δ says that p > e^(ε + ln(c/d))·q + c·δ.
        let (c, d) = (one.to_f64(), two.to_f64());
        let epsilon_of_one = epsilon.to_f64() + directed::ln_nearest(c / d);
        let target = Target { epsilon: epsilon_of_one, delta: delta.to_f64() * c, reading: Reading::Reals };
        let events = path_events::events(&mut a, &mut b, target)?;
        self.seen.tried.events += events.len();
        for guess in events.iter().filter(|guess| guess.loss > target.epsilon + NEARLY).take(DECISIONS) {
            let (p, q) = (enclosed(&tried.whole, x, &guess.event)?, enclosed(&tried.whole, y, &guess.event)?);
            let (Some(p), Some(q)) = (p, q) else { continue };
            let (Some(p), Some(q)) = (given(&p, &one), given(&q, &two)) else { continue };
            let claimed = (self.claim.reading, (epsilon.clone(), delta.clone()));
            let found = refutation(setting, (x, y), &guess.event, (p, q), claimed, Evidence::Integration);
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Looks at pairs of neighbours, round by round, until one refutes the claim or the work is done.
    fn rounds(
        &mut self,
        settings: &[Parameters],
        rounds: std::ops::Range<usize>,
        thorough: bool,
    ) -> Option<Refutation> {
        for round in rounds {
            for (at, setting) in settings.iter().enumerate() {
                // The simplest setting has three quarters of the work at most, and the others the rest alike: none uses up that of all.
                let left = self.most_work.saturating_sub(self.work);
                let share = match (at, settings.len()) {
                    (0, 2..) => left / 4 * 3,
                    (_, all) => left / (all - at),
                };
                let share = self.work + share;
                let mut left = pairs(self.mechanism, setting, round);
                let mut sorted = false;
                left.reverse();
                while let Some(pair) = {
                    // Samples are dear, and tell more of a few entries than of one or two.
                    if thorough && self.sampled && !std::mem::replace(&mut sorted, true) {
                        left.sort_by_key(|pair| std::cmp::Reverse(from_many(&pair.first)));
                    }
                    left.pop()
                } {
                    if !thorough && pair.answers.is_empty() {
                        continue;
                    }
                    // What has no paths to follow has no few ones either.
                    if !thorough && self.unfollowed >= MOST_UNFOLLOWED {
                        return None;
                    }
                    if self.until.is_over() {
                        return None;
                    }
                    let found = self.look_at(setting, &pair, thorough);
                    if found.is_some() {
                        return found;
                    }
                    if self.work > share {
                        break;
                    }
                }
                if self.work > self.most_work {
                    return None;
                }
            }
        }
        None
    }

    /// Looks at a pair, and notes what came of it.
    fn look_at(&mut self, setting: &Parameters, pair: &Pair, thorough: bool) -> Option<Refutation> {
        self.share_of_pair = None;
        self.work += 1;
        match self.pair(setting, pair, thorough) {
            Ok(None) => {}
            Ok(found) => return found,
            Err(AuditError::OutOfTime) => return None,
            Err(error @ AuditError::OutOfRange { .. }) => self.out_of_range = Some(error),
            Err(AuditError::TooManySteps) => {
                self.work += WORK_OF_AN_ENDLESS_RUN;
                self.uncovered = Some(AuditError::TooManySteps);
            }
            // A pair that is not covered says nothing about the others.
            Err(error) => {
                self.unfollowed += usize::from(error != TOO_MANY_PATHS);
                self.uncovered = Some(error);
            }
        }
        self.seen.tried.pairs += 1;
        if !self.seen.settings.contains(setting) {
            self.seen.settings.push(setting.clone());
        }
        let share = self.share_of_pair?;
        if self.seen.closest.as_ref().is_none_or(|closest| share > closest.share) {
            let (first, second) = (pair.first.clone(), pair.second.clone());
            self.seen.closest = Some(Closest { parameters: setting.clone(), first, second, share });
        }
        let place = self.best.partition_point(|(known, ..)| *known >= share);
        if place < CLIMBERS {
            self.best.insert(place, (share, setting.clone(), pair.clone()));
            self.best.truncate(CLIMBERS);
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
        let target = Target::new(&epsilon, &delta, self.claim.reading);
        if !thorough {
            return self.by_few_paths(setting, pair, target);
        }
        match self.by_paths(setting, pair, target) {
            Err(AuditError::Unsupported { .. }) => match self.by_likeness(setting, pair, target) {
                Ok(Some(found)) => Ok(Some(found)),
                Ok(None) | Err(AuditError::Unsupported { .. }) => self.by_samples(setting, pair, target),
                looked => looked,
            },
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
        match a.never_ends() && b.never_ends() {
            true => self.seen.endless += 1,
            false => self.seen.answered += 1,
        }
        self.seen.tried.events += a.outcomes().max(b.outcomes());
        let mut problem = None;
        for swapped in [false, true] {
            let events = match swapped {
                false => path_events::events(&mut a, &mut b, target),
                true => path_events::events(&mut b, &mut a, target),
            };
            let (x, y) = if swapped { (&pair.second, &pair.first) } else { (&pair.first, &pair.second) };
            match events {
                Ok(events) => {
                    self.seen.tried.events += events.len();
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
        // What was not followed may tell all the same.
        let problem = problem.or((a.is_vague() || b.is_vague()).then_some(NOT_FOLLOWED));
        problem.map_or(Ok(None), Err)
    }

    /// A program with irrational numbers in it: the paths of one with doubles beside them suggest events, and boxes decide.
    fn by_likeness(
        &mut self,
        setting: &Parameters,
        pair: &Pair,
        target: Target,
    ) -> Result<Option<Refutation>, AuditError> {
        let Some(near) = likeness(self.mechanism, setting) else { return Ok(None) };
        let paths = |inputs| {
            let case = Case::new(&near, setting, inputs).until(&self.until);
            let mut explorer = Explorer::new(case, GUESS)?.within(MOST_WORK);
            let paths = Paths::of(&mut explorer)?;
            Ok((paths, explorer.work))
        };
        let ((a, work), (b, more)) = (paths(&pair.first)?, paths(&pair.second)?);
        self.work += work + more;
        let (Some(mut a), Some(mut b)) = (a, b) else { return Ok(None) };
        for swapped in [false, true] {
            let events = match swapped {
                false => path_events::events(&mut a, &mut b, target)?,
                true => path_events::events(&mut b, &mut a, target)?,
            };
            let (x, y) = if swapped { (&pair.second, &pair.first) } else { (&pair.first, &pair.second) };
            self.seen.tried.events += events.len();
            let telling = events.iter().filter(|guess| self.promising(guess.loss, target, NEARLY));
            for guess in telling.take(DECISIONS).collect::<Vec<_>>() {
                self.work += WORK_OF_BOXES;
                let found = self.check(setting, (x, y), &guess.event)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        self.work += a.work + b.work;
        Ok(None)
    }

    /// A few paths of the first run, and the events that they suggest.
    fn by_few_paths(
        &mut self,
        setting: &Parameters,
        pair: &Pair,
        target: Target,
    ) -> Result<Option<Refutation>, AuditError> {
        let values = few_path_events::draws_values(&mut self.explorer(setting, &pair.first, FEW)?)?;
        let explorer = |inputs| self.explorer(setting, inputs, if values { FEW_VALUES } else { self.few });
        let (mut first, mut second) = (explorer(&pair.first)?, explorer(&pair.second)?);
        let mut problem = Some(TOO_MANY_PATHS);
        let (mut spent, mut crowded) = (0, 0);
        let asks_twice = few_path_events::asks_twice(&self.mechanism.body);
        for event in few_path_events::events(&mut first, &mut second, &pair.answers, asks_twice)? {
            self.seen.tried.events += 1;
            let total = first.work + second.work;
            self.work += total - std::mem::replace(&mut spent, total);
            let (p, q) = match (first.probability::<f64>(&event), second.probability::<f64>(&event)) {
                (Ok(Some(p)), Ok(Some(q))) => (p, q),
                (Err(error), _) | (_, Err(error)) => {
                    problem = problem.and(Some(error));
                    continue;
                }
                // There are as many paths for the next event.
                _ if crowded == MOST_CROWDED => break,
                _ => {
                    crowded += 1;
                    continue;
                }
            };
            // One event that was looked at is enough not to need samples.
            problem = None;
            let both = [(p, q, &pair.first, &pair.second), (q, p, &pair.second, &pair.first)];
            for (p, q, x, y) in both {
                if !self.promising(target.loss(p, q), target, NEARLY) {
                    continue;
                }
                let found = self.check(setting, (x, y), &event)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        problem.map_or(Ok(None), Err)
    }

    /// Whether a guess is worth deciding; notes how near to the claim it comes.
    fn promising(&mut self, loss: f64, target: Target, slack: f64) -> bool {
        let epsilon = target.epsilon;
        // A guess is made in doubles: what their rounding may have made of it was not seen.
        let certain = loss - ROUNDING * (1.0 + loss.abs());
        if epsilon > 0.0 && loss.is_finite() && certain > 0.0 {
            // What is more than the whole claim is decided, and a refutation if it is true.
            let share = (certain / epsilon).min(1.0);
            self.share_of_pair = Some(self.share_of_pair.map_or(share, |known| known.max(share)));
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
        self.sampled = true;
        let sampler = |inputs| Sampler::of_reals(self.case(setting, inputs));
        let (mut a, mut b) = (sampler(&pair.first)?, sampler(&pair.second)?);
        let (of_a, of_b) = (a.guessing_outputs(1)?, b.guessing_outputs(2)?);
        self.work += 2 * WORK_OF_SAMPLES;
        self.seen.tried.events += 1;
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
