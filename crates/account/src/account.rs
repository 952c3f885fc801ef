//! The answer to a question about a composition.

mod directions;

use std::time::{Duration, Instant};

use probity_exact::{Rational, rational_from_f64};

use crate::closed;
use crate::fixed::{Total, near};
use crate::general::{self, Around, Scene};
use crate::large;
use crate::lattice::{Limit, Stop};
use crate::model::{Adjacency, Composition, Direction, Simple};
use crate::resolve::Side;
use crate::scout::{Aim, exp, ln};
use crate::search::{self, invert};
use crate::steps;
pub(crate) use directions::at_once;

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// δ at this ε.
    Delta(Rational),
    /// ε at this δ.
    Epsilon(Rational),
}

/// A lower and an upper bound of a number that is not negative.
#[derive(Debug, Clone, PartialEq)]
pub struct Bracket {
    /// At most the truth.
    pub lower: Rational,
    /// At least the truth; `None` is no bound.
    pub upper: Option<Rational>,
}

impl Bracket {
    /// What is known before anything is computed.
    fn vacuous(question: &Question) -> Bracket {
        let upper = matches!(question, Question::Delta(_)).then_some(Rational::ONE);
        Bracket { lower: Rational::ZERO, upper }
    }

    /// (upper − lower) / upper, as a double; 1 where there is no upper bound.
    pub fn width(&self) -> f64 {
        match &self.upper {
            None => 1.0,
            Some(upper) if upper.is_zero() => 0.0,
            Some(upper) => near(&((upper - &self.lower) / upper)),
        }
    }

    /// What both say.
    pub(crate) fn and(self, other: Bracket) -> Bracket {
        let upper = match (self.upper, other.upper) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Bracket { lower: self.lower.max(other.lower), upper }
    }

    /// The larger of two numbers.
    pub(crate) fn or(self, other: Bracket) -> Bracket {
        let upper = self.upper.zip(other.upper).map(|(a, b)| a.max(b));
        Bracket { lower: self.lower.max(other.lower), upper }
    }
}

/// How an answer was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The larger of both directions.
    pub bracket: Bracket,
    /// Each direction by itself.
    pub directions: Vec<(Direction, Bracket)>,
    /// By what method.
    pub method: String,
    /// Seconds that it took.
    pub seconds: f64,
    /// Whether the width that was asked for is reached. Where the ends need not meet, more time may not reach it: then there is a note.
    pub reached: bool,
    /// What the bracket is a bracket of, where that is no single pair of laws.
    pub note: Option<String>,
}

/// How narrow, and how long.
#[derive(Debug, Clone)]
pub struct Effort {
    /// The relative width to reach.
    pub width: f64,
    /// Seconds that may pass.
    pub seconds: f64,
    /// Whether closed forms may be used.
    pub closed_forms: bool,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { width: 1e-4, seconds: 60.0, closed_forms: true }
    }
}

/// More different laws than this are not composed on a lattice after a closed form.
const MOST_ON_A_LATTICE: usize = 2000;

/// How a bound is found that needs no composition.
const LARGEST: &str = "the sum of the largest losses";

/// The smallest δ that is asked for, but 0.
const SMALLEST_DELTA: f64 = 1e-300;

/// Answers a question about a composition.
///
/// ```
/// use std::collections::BTreeMap;
/// use probity_account::{Adjacency, Effort, Expression, Question, account};
/// use probity_exact::parse_rational;
/// let laws = Expression::parse("gaussian(100) * 10000").unwrap();
/// let laws = laws.evaluate(&BTreeMap::new(), &|_| Err("no files here".into())).unwrap();
/// let question = Question::Epsilon(parse_rational("1e-10").unwrap());
/// let answer = account(&laws, Adjacency::AddRemove, &question, &Effort::default()).unwrap();
/// assert!(answer.bracket.lower < parse_rational("6.547925").unwrap());
/// assert!(answer.bracket.upper.unwrap() > parse_rational("6.547923").unwrap());
/// ```
pub fn account(
    composition: &Composition,
    adjacency: Adjacency,
    question: &Question,
    effort: &Effort,
) -> Result<Answer, String> {
    let start = Instant::now();
    match question {
        Question::Delta(epsilon) if *epsilon < Rational::ZERO => {
            return Err(format!("epsilon = {epsilon} is not allowed: it must be at least 0"));
        }
        Question::Epsilon(delta) if *delta < Rational::ZERO || *delta >= Rational::ONE => {
            return Err(format!("delta = {delta} is not allowed: it must be at least 0 and less than 1"));
        }
        Question::Epsilon(delta) if !delta.is_zero() && near(delta) < SMALLEST_DELTA => {
            return Err("delta is too small: it must be 0 or at least 1e-300".into());
        }
        _ => {}
    }
    if effort.closed_forms
        && let Some((bracket, method)) = closed::very_many(composition, question, MOST_ON_A_LATTICE)
    {
        return Ok(Answer {
            directions: vec![(Direction::Either, bracket.clone())],
            reached: bracket.width() <= effort.width,
            bracket,
            method: method.to_owned(),
            seconds: start.elapsed().as_secs_f64(),
            note: None,
        });
    }
    let (laws, exact) = composition.resolved(adjacency, Side::Above)?;
    let whole = Asking { composition, adjacency, question, effort };
    if exact {
        return Ok(whole.answer(&laws, start)?.with_note(question));
    }
    // No law is known that loses just as much: one that loses more for the bound from above, one that loses less for the other.
    let first = Effort { seconds: effort.seconds / 2.0, ..effort.clone() };
    let more = Asking { effort: &first, ..whole }.answer(&laws, start)?;
    let (laws, _) = composition.resolved(adjacency, Side::Below)?;
    let less = whole.answer(&laws, start)?;
    Ok(more.above(less, start, effort.width).with_note(question))
}

/// A question about a composition.
#[derive(Clone, Copy)]
struct Asking<'a> {
    composition: &'a Composition,
    adjacency: Adjacency,
    question: &'a Question,
    effort: &'a Effort,
}

/// What is said where some outcomes give everything away.
const INFINITE: &str =
    "epsilon is infinite: outcomes that give everything away have together more than this delta";

/// What is said of a bound from above for all mechanisms that are meant, where nothing is known from below.
const NOTHING_BELOW: &str = "the upper bound is of all mechanisms that are meant; no lower bound was found";

/// What is said of a bracket whose ends are of different mechanisms.
const NEED_NOT_MEET: &str =
    "the upper bound is of all mechanisms that are meant, the lower of one of them: they need not meet";

impl Answer {
    /// Where ε is beyond all that are searched, this is what there is to say.
    fn with_note(mut self, question: &Question) -> Answer {
        let beyond = near(&self.bracket.lower) >= search::LARGEST && self.bracket.upper.is_none();
        if self.bracket.lower.is_zero() && self.note.as_deref() == Some(NEED_NOT_MEET) {
            self.note = Some(NOTHING_BELOW.to_owned());
        }
        if matches!(question, Question::Epsilon(_)) && beyond && self.note.as_deref() != Some(INFINITE) {
            self.note = Some("epsilon is more than 1e100: no larger one is searched for".to_owned());
        }
        self
    }

    /// The upper bounds of this answer with the lower bounds of another one.
    fn above(self, less: Answer, start: Instant, width: f64) -> Answer {
        let with = |upper: &Bracket, lower: &Bracket| Bracket {
            lower: lower.lower.clone(),
            upper: upper.upper.clone(),
        };
        let bracket = with(&self.bracket, &less.bracket);
        let directions = match self.directions.len() == less.directions.len() {
            true => {
                self.directions.iter().zip(&less.directions).map(|(a, b)| (a.0, with(&a.1, &b.1))).collect()
            }
            false => vec![(Direction::Either, bracket.clone())],
        };
        Answer {
            reached: bracket.width() <= width,
            bracket,
            directions,
            method: match self.method == less.method {
                true => self.method,
                false => format!("{}; from below {}", self.method, less.method),
            },
            seconds: start.elapsed().as_secs_f64(),
            note: Some(NEED_NOT_MEET.to_owned()),
        }
    }
}

impl Asking<'_> {
    /// The answer where these are the laws, which were given since `start`.
    fn answer(self, laws: &[(Simple, u64)], start: Instant) -> Result<Answer, String> {
        let Asking { composition, adjacency, question, effort } = self;
        let bound_only = laws.iter().any(|(law, _)| law.is_bound_only());
        let note = bound_only.then(|| NEED_NOT_MEET.to_owned());
        let finish = |bracket: Bracket, directions, method: String| {
            let (seconds, reached) = (start.elapsed().as_secs_f64(), bracket.width() <= effort.width);
            Ok(Answer { bracket, directions, method, seconds, reached, note: note.clone() })
        };
        let deadline = start + Duration::from_secs_f64(effort.seconds.clamp(0.0, 1e6));
        let mut sources = Sources::new(question);
        // Above all losses nothing is left of δ.
        let known = basic(laws, question);
        let none = matches!(question, Question::Delta(_)) && known.upper == Some(Rational::ZERO);
        if none && !laws.is_empty() {
            return finish(known.clone(), vec![(Direction::Either, known)], LARGEST.into());
        }
        if let Question::Epsilon(delta) = question
            && !delta.is_zero()
            && told_at_least(laws) > *delta
        {
            let lower = rational_from_f64(search::LARGEST).unwrap_or(Rational::ONE);
            let bracket = Bracket { lower, upper: None };
            let answer = finish(bracket.clone(), vec![(Direction::Either, bracket)], TOLD.into())?;
            return Ok(Answer { note: Some(INFINITE.to_owned()), ..answer });
        }
        if effort.closed_forms
            && let Some((bracket, method)) = closed::answer(laws, question, deadline)
        {
            let bracket = bracket.and(basic(laws, question));
            let done = bound_only || bracket.width() <= effort.width;
            // Some hundred different laws are too few for a normal law to be near, and not too many for a lattice.
            let has_lattice = (2..=MOST_ON_A_LATTICE).contains(&laws.len()) && Instant::now() < deadline;
            if done || !has_lattice {
                return finish(bracket.clone(), vec![(Direction::Either, bracket)], method.to_owned());
            }
            sources.add(bracket, method.to_owned());
        }
        let directions = directions(laws, adjacency);
        let composing = Composing { laws, question, effort, deadline };
        if let Question::Epsilon(delta) = question
            && delta.is_zero()
        {
            let most = composing.largest(directions)?;
            let upper = Some(most.ok_or(
                "at delta = 0 no epsilon is finite: some law has losses without end, or a delta of its own",
            )?);
            let bracket = Bracket { lower: Rational::ZERO, upper }.and(sources.whole);
            return Ok(Answer {
                directions: vec![(Direction::Either, bracket.clone())],
                reached: bracket.width() <= effort.width,
                bracket,
                method: LARGEST.into(),
                seconds: start.elapsed().as_secs_f64(),
                note: Some(
                    "at delta = 0 an upper bound is given: what all laws together can lose at most".into(),
                ),
            });
        }
        if let Some((one, steps)) = steps::of_question(composition, laws, adjacency) {
            let upper = steps::upper(&one, steps, question, effort, deadline);
            let method = format!("{steps} steps of one record added or removed");
            sources.add(Bracket { lower: Rational::ZERO, upper }, method.clone());
            // Of other noise than normal no pair is known that a replacement in a sample really gives, and so no lattice.
            let unknown = |law: &Simple| matches!(law, Simple::Replaced(_, near, _) if !matches!(**near, Simple::Normal(_)));
            if laws.iter().any(|(law, _)| unknown(law)) {
                let known = sources.whole;
                return finish(known.clone(), vec![(Direction::Replace, known)], method);
            }
        }
        if let ([(law @ Simple::Replaced(..), 1)], Question::Delta(epsilon)) = (laws, question)
            && !large::is_too_large(laws)
        {
            let upper = Some(general::delta_of_one(law, epsilon, deadline)?);
            sources.add(Bracket { lower: Rational::ZERO, upper }, "the curve of one mechanism".into());
        }
        let found = composing.all(directions)?;
        let composed = found.iter().map(|found| found.bracket.clone()).reduce(Bracket::or);
        let method = found.iter().max_by_key(|found| found.points).map_or_else(String::new, Found::method);
        sources.add(composed.unwrap_or_else(|| Bracket::vacuous(question)), method);
        // A group loses at least what one of its records loses, and that has a narrow bracket.
        let ones: Vec<(Simple, u64)> = laws.iter().map(|(law, n)| (law.of_one().clone(), *n)).collect();
        if ones != laws {
            let found = Composing { laws: &ones, ..composing }.all(directions)?;
            let most = found.iter().max_by(|a, b| a.bracket.lower.cmp(&b.bracket.lower));
            if let Some(found) = most {
                let bracket = Bracket { lower: found.bracket.lower.clone(), ..Bracket::vacuous(question) };
                sources.add(bracket, format!("one record, {}", found.method()));
            }
        }
        let method = sources.method();
        let bracket = sources.whole;
        let directions =
            directions.iter().copied().zip(found.into_iter().map(|found| found.bracket)).collect();
        finish(bracket, directions, method)
    }
}

/// Bounds from several methods, with the method that the best one on either side is by.
struct Sources {
    whole: Bracket,
    above: String,
    below: String,
}

impl Sources {
    fn new(question: &Question) -> Sources {
        Sources { whole: Bracket::vacuous(question), above: String::new(), below: String::new() }
    }

    fn add(&mut self, bracket: Bracket, method: String) {
        let better = match (&bracket.upper, &self.whole.upper) {
            (Some(new), Some(old)) => new < old,
            (new, _) => new.is_some(),
        };
        if better || self.above.is_empty() {
            self.above.clone_from(&method);
        }
        if bracket.lower > self.whole.lower || self.below.is_empty() {
            self.below = method;
        }
        self.whole =
            std::mem::replace(&mut self.whole, Bracket { lower: Rational::ZERO, upper: None }).and(bracket);
    }

    fn method(&self) -> String {
        // A lower bound of 0 needs no method.
        match self.above == self.below || self.whole.lower.is_zero() {
            true => self.above.clone(),
            false => format!("{}; from below {}", self.above, self.below),
        }
    }
}

/// A question that is answered on a lattice.
pub(crate) struct Composing<'a> {
    pub laws: &'a [(Simple, u64)],
    pub question: &'a Question,
    pub effort: &'a Effort,
    pub deadline: Instant,
}

impl Composing<'_> {
    fn scene(&self, direction: Direction) -> Result<Option<Scene>, String> {
        let aim = match self.question {
            Question::Delta(epsilon) => Aim::Epsilon(near(epsilon)),
            Question::Epsilon(delta) => Aim::LnDelta(ln(near(delta))),
        };
        Scene::new(self.laws, direction, aim, self.deadline)
    }

    /// The sum of the largest losses, in the direction where it is larger.
    fn largest(&self, directions: &[Direction]) -> Result<Option<Rational>, String> {
        let mut most = Some(Rational::ZERO);
        for direction in directions {
            // How fine a look is does not matter here.
            let scene = Scene::new(self.laws, *direction, Aim::Epsilon(1.0), self.deadline)?;
            most = most.zip(scene.and_then(|scene| scene.largest())).map(|(a, b)| a.max(b));
        }
        Ok(most)
    }
}

/// Basic composition: losses add, and so do δs. Exact at the δ of `approx` itself, where a lattice rounds. Where losses have no end, their
/// second moment answers.
fn basic(laws: &[(Simple, u64)], question: &Question) -> Bracket {
    let vacuous = Bracket::vacuous(question);
    let (mut losses, mut deltas) = (Total::new(), Total::new());
    for (law, n) in laws {
        let Some((loss, told)) = law.at_most() else {
            return vacuous
                .and(Bracket { lower: Rational::ZERO, upper: closed::second::upper(laws, question) });
        };
        losses.add(&loss, *n);
        deltas.add(&told, *n);
    }
    let (loss, told) = (losses.bounds().1, deltas.bounds().1);
    let upper = match question {
        Question::Epsilon(delta) => loss.filter(|_| told.is_some_and(|told| told <= *delta)),
        Question::Delta(epsilon) => told.filter(|_| loss.is_some_and(|loss| loss <= *epsilon)),
    };
    vacuous.and(Bracket { lower: Rational::ZERO, upper })
}

/// How an answer is found that no ε keeps.
const TOLD: &str = "the sum of the deltas";

/// At least the probability that everything is told, which is a loss without end: that of one of the events of probabilities δ_i is at
/// least each of them, Σδ_i − (Σδ_i)²/2 by Bonferroni, and Σδ_i/(1 + Σδ_i), as Π(1 − δ_i) ≤ 1/Π(1 + δ_i).
fn told_at_least(laws: &[(Simple, u64)]) -> Rational {
    let (mut sum, mut most) = (Rational::ZERO, Rational::ZERO);
    for (law, n) in laws {
        if let Simple::Pure(_, told) = law
            && *n > 0
        {
            sum += told * Rational::from(*n);
            most = most.max(told.clone());
        }
    }
    let few = &sum - &sum * &sum / Rational::from(2);
    let many = &sum / (Rational::ONE + &sum);
    most.max(few).max(many)
}

/// The directions whose curves differ.
pub(crate) fn directions(laws: &[(Simple, u64)], adjacency: Adjacency) -> &'static [Direction] {
    match (adjacency, laws.iter().all(|(law, _)| law.symmetric())) {
        (Adjacency::Replace, _) => &[Direction::Replace],
        (_, true) => &[Direction::Either],
        (Adjacency::AddRemove, false) => &[Direction::Remove, Direction::Add],
    }
}

/// What one direction gave.
pub(crate) struct Found {
    pub bracket: Bracket,
    pub step: f64,
    pub points: usize,
    /// Whether by the law of the loss alone.
    pub by_losses: bool,
}

impl Found {
    /// Nothing yet.
    pub fn nothing(question: &Question) -> Found {
        Found { bracket: Bracket::vacuous(question), step: 0.0, points: 0, by_losses: false }
    }

    /// With what a composition of losses gave.
    pub fn with(self, bracket: Bracket, around: &Around) -> Found {
        let bracket = self.bracket.and(bracket);
        Found { bracket, step: around.step, points: around.points.max(2), by_losses: true }
    }

    /// Whether the answer is surely no larger than the other one.
    fn is_below(&self, other: &Found) -> bool {
        self.bracket.upper.as_ref().is_some_and(|upper| *upper <= other.bracket.lower)
    }

    /// What both found, by the method of the one that is narrower by itself.
    fn or_by(self, other: Found) -> Found {
        let bracket = self.bracket.clone().and(other.bracket.clone());
        match self.bracket.width() <= other.bracket.width() {
            true => Found { bracket, ..self },
            false => Found { bracket, ..other },
        }
    }

    fn method(&self) -> String {
        match self.points {
            0 => "no lattice: these laws fit on none in the time".into(),
            1 => LARGEST.into(),
            points if self.by_losses => {
                format!("losses on a lattice: {points} points, step {:.3e}", self.step)
            }
            points => format!("laws on a lattice: {points} points, step {:.3e}", self.step),
        }
    }
}

impl Composing<'_> {
    /// One direction, to this width or as far as the time goes.
    fn one(&self, scene: Option<&Scene>, aimed: f64) -> Found {
        let Composing { laws, question, deadline, .. } = *self;
        let bound_only = laws.iter().any(|(law, _)| law.is_bound_only());
        let mut found = Found::nothing(question);
        let Some(scene) = scene else {
            found.bracket = found.bracket.and(basic(laws, question));
            return found;
        };
        // No event has a larger loss than the sum of the largest ones.
        match (question, scene.largest()) {
            (Question::Delta(epsilon), Some(largest)) if *epsilon >= largest => {
                found.bracket = Bracket { lower: Rational::ZERO, upper: Some(Rational::ZERO) };
                found.points = 1;
                return found;
            }
            (Question::Epsilon(_), Some(largest)) => found.bracket.upper = Some(largest),
            _ => {}
        }
        found.bracket = found.bracket.and(basic(laws, question));
        let fine = scene.step_for(aimed) * 0.9;
        // First a lattice that surely takes little time, unless the fine one does.
        let small = scene.guess.deviation / 1500.0;
        let mut step = if fine >= small { fine } else { fine.max(scene.guess.deviation / 400.0) };
        // The curve of a group is a bound that few points show, and its lower end is found elsewhere.
        if laws.iter().all(|(law, _)| matches!(law, Simple::Group(..))) {
            step = fine.max(scene.guess.deviation / 50.0);
        }
        for _ in 0..12 {
            let begin = Instant::now();
            let limit = Limit { deadline: finish_by(deadline), points: 1 << 24 };
            // Twice as fine takes about two and a half times as long.
            match scene.compose(step, &limit) {
                Err(Stop::Time) => break,
                Err(Stop::Size) => {
                    if found.points > 0 || step > 1e3 {
                        break;
                    }
                    step *= 8.0;
                    continue;
                }
                Ok(around) => {
                    let bracket = read(&around, question, scene.guess.epsilon, deadline);
                    let used = around.step;
                    let (before, coarser) = (found.bracket.width(), found.points > 0);
                    let same = coarser && used > found.step * 0.99;
                    let bracket = found.bracket.clone().and(bracket);
                    found = Found { bracket, step: used, points: around.points.max(2), ..found };
                    let last = begin.elapsed();
                    let width = found.bracket.width();
                    // Where a finer lattice does not help, the two laws bracket different things.
                    if same || width <= aimed || bound_only && coarser && width > before * 0.8 {
                        break;
                    }
                    // The width falls with the square of the step.
                    // Losses off the lattice make it fall more slowly.
                    let wish = used * (0.85 * (aimed / width).sqrt()).min(0.6);
                    let next = if last < Duration::from_millis(50) { wish } else { wish.max(used / 64.0) };
                    let next = next.max(used / 512.0);
                    let cost = last.as_secs_f64() * powered(used / next, 1.15);
                    let left = deadline.saturating_duration_since(Instant::now()).as_secs_f64();
                    if cost < left * 0.9 {
                        step = next;
                    } else {
                        let affordable =
                            used / powered(left * 0.8 / last.as_secs_f64().max(1e-3), 1.0 / 1.15);
                        if affordable > used * 0.8 {
                            break;
                        }
                        step = affordable;
                    }
                }
            }
        }
        found
    }
}

/// When a composition has to be finished that is to be read before a deadline.
pub(crate) fn finish_by(deadline: Instant) -> Instant {
    let now = Instant::now();
    now + deadline.saturating_duration_since(now).mul_f64(COMPOSING)
}

/// The share of the time that composing may take; the rest is for reading.
const COMPOSING: f64 = 0.85;

/// x^y for guesses of time.
fn powered(x: f64, y: f64) -> f64 {
    exp(ln(x.max(1e-9)) * y)
}

/// The bracket of two laws around the truth.
/// What is read after the deadline is not used.
pub(crate) fn read(around: &Around, question: &Question, guess: f64, deadline: Instant) -> Bracket {
    match question {
        Question::Delta(epsilon) => Bracket {
            lower: around.below.delta(epsilon, false).unwrap_or(Rational::ZERO),
            upper: Some(around.above.delta(epsilon, true).unwrap_or(Rational::ONE)),
        },
        Question::Epsilon(delta) => {
            // A bound that is not known ends a search with what was tried.
            let in_time = || Some(()).filter(|()| Instant::now() <= deadline);
            let above = |epsilon: &Rational| in_time().and_then(|()| around.above.delta(epsilon, true));
            let below = |epsilon: &Rational| in_time().and_then(|()| around.below.delta(epsilon, false));
            Bracket {
                lower: invert(&below, delta, guess, false).unwrap_or(Rational::ZERO),
                upper: invert(&above, delta, guess, true),
            }
        }
    }
}
