//! Guesses for a refutation: events. All paths of a program are followed once for each of the two inputs; the outcomes
//! and the laws of continuous outputs, in plain f64, say which sets of outputs look telling. Nothing here decides
//! anything.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use probity_exact::{Format, Rational, Round, directed, rational_from_f64};
use probity_kernel::term::Reading;

use crate::deadline::Deadline;
use crate::error::AuditError;
use crate::integrate::sum::KnownSums;
use crate::output::bounds::Bounds;
use crate::output::event::{Condition, Event};
use crate::output::outcome::Outcome;
use crate::real::paths::{Explorer, Sum, outcome};
use crate::real::world::{Real, RealWorld};
use crate::refute::concentrated::{guessed_rho, guessed_rho_of_mu};
use crate::refute::entries::{Ends, Entry, MOST_POINTS, ends, entry, points};
use crate::refute::related_events::{self, Column};
use crate::run::program::Value;

/// All that a program releases on one input, by paths.
pub(crate) struct Paths {
    /// Outcomes that have positive probability of their own.
    atoms: BTreeMap<Outcome, f64>,
    /// Paths that release continuous numbers.
    continuous: Vec<(RealWorld<'static>, Value<Real>)>,
    /// What may be missing, since infinite supports are cut.
    cut: f64,
    /// Whether some path never ends.
    endless: bool,
    /// What the integrals cost.
    pub(crate) work: usize,
    until: Deadline,
    sums: KnownSums,
}

/// Paths with continuous draws beyond which a program is looked at by guided paths only.
const MOST_CONTINUOUS: usize = 160;

/// The most outcomes with irrational entries that are looked at one by one.
const MOST_IRRATIONAL: usize = 16;

/// Events that could not be looked at, after which no others are tried.
const MOST_FAILURES: usize = 2;

/// Entries of a list whose ends are looked at.
const MOST_PLACES: usize = 4;

/// The work that the events of one pair may take, of one of the two sides: about a quarter of a second.
const MOST_OF_A_PAIR: usize = 40_000;

/// Work after which the first clear guess will do.
const DEAR: usize = 3000;

impl Paths {
    /// Follows all paths; `None` when there are too many.
    pub(crate) fn of(explorer: &mut Explorer) -> Result<Option<Paths>, AuditError> {
        let (until, sums) = (explorer.deadline().clone(), explorer.sums().clone());
        let mut paths = Paths {
            atoms: BTreeMap::new(),
            continuous: Vec::new(),
            cut: 0.0,
            endless: false,
            work: 0,
            until: until.clone(),
            sums: sums.clone(),
        };
        let (mut continuous, mut open) = (0, Vec::new());
        let complete = explorer.follow(None, &mut |world, output| {
            continuous += usize::from(!world.noises.is_empty());
            if continuous > MOST_CONTINUOUS {
                return Err(TOO_MANY);
            }
            match outcome(output) {
                Some(known) => {
                    let mut sum = Sum::<f64>::new(&until, &sums);
                    let added = sum.add(world);
                    paths.work += sum.work();
                    added?;
                    *paths.atoms.entry(known).or_default() += sum.total();
                    // Many paths with dear integrals are too many as well.
                    if paths.work > MOST_OF_A_PAIR {
                        return Err(TOO_MANY);
                    }
                }
                None => open.push((world.without_event(), output.clone())),
            }
            Ok(())
        });
        paths.continuous = open;
        paths.endless = explorer.endless;
        paths.cut = directed::cast_up(&explorer.cut());
        match complete {
            Ok(true) => Ok(Some(paths)),
            Ok(false) | Err(TOO_MANY) => {
                explorer.work += paths.work;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    pub(crate) fn outcomes(&self) -> usize {
        self.atoms.len()
    }

    /// Whether there are only a few outcomes, none of them from an integral.
    pub(crate) fn is_small(&self) -> bool {
        self.atoms.len() <= 16 && self.continuous.is_empty() && self.work == 0 && self.cut == 0.0
    }

    /// Whether some path releases a number that was not followed.
    pub(crate) fn is_vague(&self) -> bool {
        let vague = |value: &Value<Real>| matches!(value, Value::Number(Real::Vague(_)));
        self.continuous.iter().any(|(_, output)| match output {
            Value::List(items) => items.iter().any(vague),
            single => vague(single),
        })
    }

    /// Whether no path gives an answer, since none ends.
    pub(crate) fn never_ends(&self) -> bool {
        self.endless && self.atoms.is_empty() && self.continuous.is_empty()
    }

    /// The probability of an event.
    fn probability(&mut self, event: &Event) -> Result<f64, AuditError> {
        let atoms: f64 = self.atoms.iter().filter(|(o, _)| event.contains(o)).map(|(_, p)| p).sum();
        let mut sum = Sum::<f64>::new(&self.until, &self.sums);
        let parts = event.disjoint_parts().unwrap_or_default();
        let mut paths = self.continuous.iter();
        let done = paths.try_for_each(|(world, output)| sum.add_parts(world, parts, output));
        self.work += sum.work();
        done.map(|()| atoms + sum.total())
    }
}

const TOO_MANY: AuditError = AuditError::Unsupported { what: "a program with this many paths" };

/// What is claimed, in f64.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    pub(crate) epsilon: f64,
    pub(crate) delta: f64,
    /// What the claim is in: `epsilon` may be a ρ, or μ²/2.
    pub(crate) reading: Reading,
}

/// More than any loss between two doubles.
const BEYOND: f64 = 1e300;

impl Target {
    /// A claim that is beyond f64 is below what an impossible event loses all the same.
    pub(crate) fn new(epsilon: &Bounds, delta: &Bounds, reading: Reading) -> Target {
        Target { epsilon: epsilon.to_f64().min(BEYOND), delta: delta.to_f64(), reading }
    }

    /// How far beyond e^ε·q + δ a probability seems to lie: ln((p − δ)/q), or the ρ that it shows, for μ μ²/2; −∞ for none.
    pub(crate) fn loss(&self, p: f64, q: f64) -> f64 {
        let p = p - self.delta;
        if p.is_nan() || q.is_nan() || p <= 1e-200 {
            f64::NEG_INFINITY
        } else if q <= p * 1e-15 {
            f64::INFINITY
        } else {
            match self.reading {
                Reading::Rho if q < p => guessed_rho(p, q),
                Reading::Mu if q < p => guessed_rho_of_mu(p, q, self.epsilon),
                _ => directed::ln_nearest(p / q),
            }
        }
    }

    /// p − e^ε·q, what an event is worth against δ.
    fn worth(&self, p: f64, q: f64) -> f64 {
        p - directed::exp_nearest(self.epsilon) * q
    }
}

/// An event that seems to show a loss.
#[derive(Debug)]
pub(crate) struct Guess {
    pub(crate) loss: f64,
    /// By what guesses are compared: the loss, or with δ what the event is worth against it.
    rank: f64,
    probability: f64,
    pub(crate) event: Event,
}

impl Guess {
    fn new(target: &Target, (p, q): (f64, f64), event: Event) -> Guess {
        let loss = target.loss(p, q);
        let rank = if target.delta > 0.0 { target.worth(p, q) / target.delta } else { loss };
        Guess { loss, rank, probability: p, event }
    }

    /// The larger rank first; among ranks that are the same up to rounding, the likelier event.
    fn better(&self, other: &Guess) -> Ordering {
        let coarse = |rank: f64| if rank.is_finite() { (rank * 1e6).round() } else { rank };
        let (a, b) = (coarse(self.rank), coarse(other.rank));
        b.total_cmp(&a).then(other.probability.total_cmp(&self.probability))
    }
}

/// Events with the loss that they seem to show, the largest first.
pub(crate) fn events(
    first: &mut Paths,
    second: &mut Paths,
    target: Target,
) -> Result<Vec<Guess>, AuditError> {
    let most_work = first.work + second.work + MOST_OF_A_PAIR;
    let mut search = Search { first, second, target, most_work, found: Vec::new(), problem: None, failed: 0 };
    if search.first.endless || search.second.endless {
        // Whether there is an answer at all.
        search.look(&Event::Value(Condition::Anything));
    }
    search.atoms();
    search.irrational();
    for shape in search.shapes() {
        search.shape(&shape)?;
    }
    let Search { mut found, problem, .. } = search;
    if let (true, Some(error)) = (found.is_empty(), problem) {
        return Err(error);
    }
    found.sort_by(Guess::better);
    Ok(found)
}

/// The event that an output is as it is, but for what its irrational constants differ from numbers with 20 bits after the point; `None` if
/// it has a continuous entry.
fn around(output: &Value<Real>) -> Option<Event> {
    let unit = Rational::from(1i64 << 20);
    let condition = |value: &Value<Real>| match (outcome(value), value) {
        (Some(known), _) => Some(Condition::Is(known)),
        (None, Value::Number(Real::Between(low, high))) => Some(Condition::Between(
            Rational::from((low * &unit).floor()) / &unit,
            Rational::from((high * &unit).ceil()) / &unit,
        )),
        _ => None,
    };
    match output {
        Value::List(items) => items.iter().map(condition).collect::<Option<_>>().map(Event::List),
        single => condition(single).map(Event::Value),
    }
}

/// The entries of an output of one kind: fixed, or continuous. A single value has one entry.
#[derive(PartialEq)]
struct Shape {
    list: bool,
    fixed: Vec<Option<Outcome>>,
}

impl Shape {
    fn of(output: &Value<Real>) -> Shape {
        match output {
            Value::List(items) => Shape { list: true, fixed: items.iter().map(outcome).collect() },
            single => Shape { list: false, fixed: vec![outcome(single)] },
        }
    }

    /// The event that the continuous entries meet these conditions and the others are as they are.
    fn event(&self, conditions: &[(usize, Condition)]) -> Event {
        let condition = |(i, fixed): (usize, &Option<Outcome>)| match fixed {
            Some(outcome) => Condition::Is(outcome.clone()),
            None => conditions
                .iter()
                .find(|(place, _)| *place == i)
                .map_or(Condition::Anything, |(_, c)| c.clone()),
        };
        let mut all: Vec<Condition> = self.fixed.iter().enumerate().map(condition).collect();
        match (self.list, all.pop()) {
            (false, Some(single)) => Event::Value(single),
            (_, Some(last)) => {
                all.push(last);
                Event::List(all)
            }
            (_, None) => Event::List(all),
        }
    }
}

struct Search<'a> {
    first: &'a mut Paths,
    second: &'a mut Paths,
    target: Target,
    /// Work after which no more events are looked at.
    most_work: usize,
    found: Vec<Guess>,
    /// Why some event could not be looked at, and how many could not.
    problem: Option<AuditError>,
    failed: usize,
}

impl Search<'_> {
    /// Both probabilities of an event; notes it if it shows a loss.
    fn look(&mut self, event: &Event) -> Option<(f64, f64)> {
        // Where integrals are too large, they are too large for the next event too.
        let given_up = self.failed > MOST_FAILURES && self.found.is_empty();
        if given_up || self.first.work + self.second.work > self.most_work {
            return None;
        }
        match (self.first.probability(event), self.second.probability(event)) {
            (Ok(p), Ok(q)) => {
                self.note(Guess::new(&self.target, (p, q + self.second.cut), event.clone()));
                Some((p, q))
            }
            (Err(error), _) | (_, Err(error)) => {
                self.failed += 1;
                self.problem = Some(error);
                None
            }
        }
    }

    fn note(&mut self, guess: Guess) {
        if guess.loss > f64::NEG_INFINITY {
            self.found.push(guess);
        }
    }

    /// Whether looking further is dear and a clear guess is there already.
    fn is_enough(&self) -> bool {
        let clear = |guess: &Guess| {
            guess.probability > 1e-6 && guess.loss > 1.05 * self.target.epsilon.max(0.0) + 1e-3
        };
        self.first.work + self.second.work > DEAR && self.found.iter().any(clear)
    }

    /// The half-line above a point, whose complement is known: only a small rest is integrated anew.
    fn look_above(&mut self, event: &Event, below: (f64, f64)) {
        let (p, q) = (1.0 - below.0, 1.0 - below.1);
        if p.min(q) < 1e-3 {
            self.look(event);
            return;
        }
        self.note(Guess::new(&self.target, (p, q + self.second.cut), event.clone()));
    }

    /// The likeliest ratio of a single outcome, and the set of all outcomes that are too likely.
    fn atoms(&mut self) {
        let factor = directed::exp_nearest(self.target.epsilon);
        let mut all: Vec<&Outcome> = self.first.atoms.keys().chain(self.second.atoms.keys()).collect();
        all.sort_unstable();
        all.dedup();
        let mass = |paths: &Paths, o: &Outcome| paths.atoms.get(o).copied().unwrap_or(0.0);
        let masses: Vec<(&Outcome, f64, f64)> =
            all.into_iter().map(|o| (o, mass(self.first, o), mass(self.second, o))).collect();
        let cut = self.second.cut;
        let guesses =
            masses.iter().map(|(o, p, q)| Guess::new(&self.target, (*p, q + cut), Event::exactly(o)));
        let single = guesses.min_by(Guess::better);
        let mut events: Vec<Event> = single.into_iter().map(|guess| guess.event).collect();
        if self.target.delta > 0.0 {
            let chosen: Vec<bool> = masses.iter().map(|(_, p, q)| *p > factor * q).collect();
            let outcomes: Vec<&Outcome> = masses.iter().map(|(o, ..)| *o).collect();
            events.extend(union_of(&outcomes, &chosen));
        }
        for event in &events {
            self.look(event);
        }
    }

    /// Outcomes that are irrational constants, each by a small interval around it.
    fn irrational(&mut self) {
        let mut events: Vec<Event> = Vec::new();
        for (_, output) in self.first.continuous.iter().chain(&self.second.continuous) {
            if let Some(event) = around(output).filter(|event| !events.contains(event)) {
                events.push(event);
            }
        }
        for event in events.iter().take(MOST_IRRATIONAL) {
            self.look(event);
        }
    }

    /// The kinds of outputs with continuous entries.
    fn shapes(&self) -> Vec<Shape> {
        let mut shapes: Vec<Shape> = Vec::new();
        for (_, output) in self.first.continuous.iter().chain(&self.second.continuous) {
            let shape = Shape::of(output);
            if !shapes.contains(&shape) {
                shapes.push(shape);
            }
        }
        shapes
    }

    /// The entries at one place of all outputs of a kind, of the first and of the second input.
    fn entries(&self, shape: &Shape, place: usize) -> [Vec<Entry>; 2] {
        [&self.first.continuous, &self.second.continuous].map(|paths| {
            let of_shape = paths.iter().filter(|(_, output)| Shape::of(output) == *shape);
            of_shape
                .filter_map(|(world, output)| match output {
                    Value::List(items) => entry(world, items.get(place)?),
                    single => entry(world, single),
                })
                .collect()
        })
    }

    fn shape(&mut self, shape: &Shape) -> Result<(), AuditError> {
        let holes: Vec<usize> = (0..shape.fixed.len()).filter(|&i| shape.fixed[i].is_none()).collect();
        if let ([place], false) = (&holes[..], shape.list) {
            return self.number(*place, shape);
        }
        self.look(&shape.event(&[]));
        // Which way each entry moves, and how far its noise goes.
        let mut moves: Vec<(usize, bool, Rational, Rational)> = Vec::new();
        let places = holes.clone();
        for place in holes {
            let [first, second] = self.entries(shape, place);
            let center = |entries: &[Entry], lowest: bool| {
                let centers = entries.iter().map(|entry| entry.center.clone());
                if lowest { centers.min() } else { centers.max() }
            };
            let spread = first.iter().chain(&second).map(|entry| entry.spread.clone()).max();
            let (Some(a), Some(b), Some(spread)) = (center(&first, true), center(&second, true), spread)
            else {
                continue;
            };
            let below = a <= b;
            let both = center(&first, below).into_iter().chain(center(&second, below));
            let Some(edge) = (if below { both.min() } else { both.max() }) else { continue };
            moves.push((place, below, edge, spread));
        }
        let steps: &[f64] = match self.target.delta > 0.0 {
            true => &[0.0, 0.25, 0.5, -0.25, -0.5, -1.0, -2.0, 1.0, 2.0, 4.0, 8.0],
            false => &[0.0, 1.0, 8.0],
        };
        for step in steps {
            let step = rational_from_f64(*step).unwrap_or_default();
            let conditions = |mirrored: bool| -> Vec<(usize, Condition)> {
                let condition = |(place, below, edge, spread): &(usize, bool, Rational, Rational)| {
                    let below = *below != mirrored;
                    let threshold = if below { edge - spread * &step } else { edge + spread * &step };
                    (*place, half_line(threshold, below))
                };
                moves.iter().map(condition).collect()
            };
            let together = conditions(false);
            if together.len() > 1 {
                self.look(&shape.event(&together));
                self.look(&shape.event(&conditions(true)));
            }
            if self.is_enough() {
                return Ok(());
            }
            for (i, condition) in together.iter().enumerate() {
                // All of a long list would be the same again and again.
                if i < 3 || i + 1 == together.len() {
                    self.look(&shape.event(std::slice::from_ref(condition)));
                    self.look(&shape.event(&conditions(true)[i..=i]));
                }
            }
        }
        for place in places.iter().take(MOST_PLACES) {
            self.ends(shape, *place);
        }
        // Combinations last: they may take the longest.
        self.related(shape, &places);
        Ok(())
    }

    /// What one entry of a list can be on the first input and cannot be on the second, by the ends of its law: what a released sign says of
    /// noise.
    fn ends(&mut self, shape: &Shape, place: usize) {
        let of = |paths: &Paths| {
            let same = paths.continuous.iter().filter(|(_, output)| Shape::of(output) == *shape);
            let bounds = same.map(|(world, output)| match output {
                Value::List(items) => match items.get(place) {
                    Some(Value::Number(Real::Form(form))) => ends(world, form),
                    _ => (None, None),
                },
                _ => (None, None),
            });
            let widest = |(a, b): Ends, (c, d): Ends| {
                (a.zip(c).map(|(a, c)| a.min(c)), b.zip(d).map(|(b, d)| b.max(d)))
            };
            bounds.reduce(widest).unwrap_or((None, None))
        };
        let ((low, high), (other_low, other_high)) = (of(self.first), of(self.second));
        if let Some(begins) = other_low
            && low.is_none_or(|low| low < begins)
        {
            self.look(&shape.event(&[(place, half_line(begins, true))]));
        }
        if let Some(stops) = other_high
            && high.is_none_or(|high| high > stops)
        {
            self.look(&shape.event(&[(place, half_line(stops, false))]));
        }
    }

    /// Combinations of continuous entries, by the first path of this kind on each input.
    fn related(&mut self, shape: &Shape, holes: &[usize]) {
        let path = |paths: &Paths| {
            let same = |(_, output): &&(RealWorld<'static>, Value<Real>)| Shape::of(output) == *shape;
            paths.continuous.iter().find(same).cloned()
        };
        let (Some((world, Value::List(first))), Some((other, Value::List(second)))) =
            (path(self.first), path(self.second))
        else {
            return;
        };
        if world.noises != other.noises {
            return;
        }
        let column = |&place: &usize| match (first.get(place)?, second.get(place)?) {
            (Value::Number(Real::Form(a)), Value::Number(Real::Form(b))) if a.terms == b.terms => {
                Some(Column { place, first: a.clone(), second: b.clone() })
            }
            _ => None,
        };
        let columns: Vec<Column> = holes.iter().filter_map(column).collect();
        let epsilon = rational_from_f64(self.target.epsilon).unwrap_or_default();
        for relations in related_events::relations(&columns, &world.noises, &epsilon) {
            if self.is_enough() {
                return;
            }
            let Event::List(entries) = shape.event(&[]) else { return };
            self.look(&Event::Related { entries, relations });
        }
    }

    /// A single continuous number: half-lines and intervals between points where its law may change.
    fn number(&mut self, place: usize, shape: &Shape) -> Result<(), AuditError> {
        let entries = self.entries(shape, place);
        let all: Vec<&Entry> = entries.iter().flatten().collect();
        // Each point costs an integral for every path.
        let most = if all.len() > 8 { MOST_POINTS / 2 } else { MOST_POINTS };
        let points = points(&all, most);
        let interval = |low: Option<&Rational>, high: Option<&Rational>| match (low, high) {
            (None, Some(high)) => Some(Event::Value(Condition::AtMost(high.clone()))),
            (Some(low), None) => Some(Event::Value(Condition::AtLeast(low.clone()))),
            (Some(low), Some(high)) => Some(Event::Value(Condition::Between(low.clone(), high.clone()))),
            (None, None) => None,
        };
        let mut cells: Vec<(Option<&Rational>, Option<&Rational>, bool)> = Vec::new();
        let (mut before, mut below) = (None, (0.0, 0.0));
        for point in points.iter().map(Some).chain([None]) {
            if self.is_enough() {
                return Ok(());
            }
            // Both half-lines at the point, and what lies between it and the one before.
            let upto = match interval(None, point) {
                Some(event) => self.look(&event).unwrap_or(below),
                None => (1.0, 1.0),
            };
            if let Some(event) = interval(point, None) {
                self.look_above(&event, upto);
            }
            let (p, q) = (upto.0 - below.0, upto.1 - below.1);
            cells.push((before, point, self.target.worth(p, q) > 0.0));
            if self.target.loss(p + self.target.delta, q) > self.target.epsilon
                && p > 1e-9
                && let Some(event) = interval(before, point)
            {
                self.look(&event);
            }
            (before, below) = (point, upto);
        }
        if self.target.delta == 0.0 {
            self.far_tail(&entries);
        }
        if self.target.delta > 0.0 {
            // Neighbouring cells that are too likely make one interval.
            let mut ends: Vec<(Option<Rational>, Option<Rational>)> = Vec::new();
            let mut last_chosen = false;
            for (low, high, chosen) in cells {
                match (chosen, last_chosen, ends.last_mut()) {
                    (true, true, Some(last)) => last.1 = high.cloned(),
                    (true, ..) => ends.push((low.cloned(), high.cloned())),
                    _ => {}
                }
                last_chosen = chosen;
            }
            if !ends.is_empty() && ends.len() <= 4 && ends != [(None, None)] {
                self.refine(ends);
            }
        }
        Ok(())
    }

    /// Normal noise loses any ε far out: at t the densities of two centers a distance d apart have the log-ratio d·t/σ²
    /// and more. That may be too unlikely for f64, so these events are taken unseen.
    fn far_tail(&mut self, entries: &[Vec<Entry>; 2]) {
        let [first, second] = entries;
        let ([a], [b]) = (&first[..], &second[..]) else { return };
        if !(a.normal && b.normal) || a.center == b.center {
            return;
        }
        let epsilon = rational_from_f64(self.target.epsilon.ceil()).unwrap_or_default();
        let apart = if a.center < b.center { &b.center - &a.center } else { &a.center - &b.center };
        let far = &a.spread * &a.spread * (epsilon + Rational::ONE) / apart;
        let far = Rational::from(far.ceil());
        let below = a.center < b.center;
        let threshold = if below { &a.center - far } else { &a.center + far };
        let event = Event::Value(half_line(threshold, below));
        self.found.push(Guess { loss: f64::INFINITY, rank: f64::INFINITY, probability: 0.0, event });
    }

    /// Moves the ends of intervals to where the union is worth most.
    fn refine(&mut self, mut ends: Vec<(Option<Rational>, Option<Rational>)>) {
        let union = |ends: &[(Option<Rational>, Option<Rational>)]| {
            let parts = ends.iter().map(|ends| match ends {
                (None, Some(high)) => Condition::AtMost(high.clone()),
                (Some(low), None) => Condition::AtLeast(low.clone()),
                (Some(low), Some(high)) => Condition::Between(low.clone(), high.clone()),
                (None, None) => Condition::Anything,
            });
            let mut parts: Vec<Event> = parts.map(Event::Value).collect();
            if parts.len() == 1 { parts.remove(0) } else { Event::Union(parts) }
        };
        for end in ends.iter_mut().flat_map(|(low, high)| low.iter_mut().chain(high)) {
            *end = Format::wide(10).round(end, Round::NearestEven).to_rational().unwrap_or_default();
        }
        if union(&ends).disjoint_parts().is_none() {
            return;
        }
        let mut best = match self.look(&union(&ends)) {
            Some((p, q)) => self.target.worth(p, q),
            None => return,
        };
        let largest = ends.iter().flat_map(|(low, high)| low.iter().chain(high));
        let largest = largest.map(|x| directed::cast_nearest(x).abs()).fold(1.0, f64::max);
        // A power of two, so that the ends stay short.
        let mut step = 0.125;
        while step < largest / 16.0 {
            step *= 2.0;
        }
        for _ in 0..12 {
            for i in 0..2 * ends.len() {
                for sign in [1.0, -1.0] {
                    let Some(shift) = rational_from_f64(sign * step) else { continue };
                    let mut moved = ends.clone();
                    let (low, high) = &mut moved[i / 2];
                    let Some(end) = (if i % 2 == 0 { low } else { high }) else { continue };
                    *end += &shift;
                    let event = union(&moved);
                    if event.disjoint_parts().is_none() {
                        continue;
                    }
                    if let Some((p, q)) = self.look(&event)
                        && self.target.worth(p, q) > best
                    {
                        best = self.target.worth(p, q);
                        ends = moved;
                    }
                }
            }
            step /= 2.0;
        }
    }
}

fn half_line(threshold: Rational, below: bool) -> Condition {
    if below { Condition::AtMost(threshold) } else { Condition::AtLeast(threshold) }
}

/// The chosen ones of sorted outcomes as a set: numbers next to each other as intervals.
fn union_of(outcomes: &[&Outcome], chosen: &[bool]) -> Option<Event> {
    let mut parts: Vec<Event> = Vec::new();
    let mut at = 0;
    while at < outcomes.len() {
        if !chosen[at] {
            at += 1;
            continue;
        }
        let Some(from) = outcomes[at].number() else {
            parts.push(Event::exactly(outcomes[at]));
            at += 1;
            continue;
        };
        let run = (at..outcomes.len()).take_while(|&i| chosen[i] && outcomes[i].number().is_some());
        let last = run.last().unwrap_or(at);
        let to = outcomes[last].number().unwrap_or(from);
        parts.push(Event::Value(match (at == 0, last + 1 == outcomes.len()) {
            (true, true) => Condition::Anything,
            (true, false) => Condition::AtMost(to.clone()),
            (false, true) => Condition::AtLeast(from.clone()),
            _ if at == last => Condition::Is(outcomes[at].clone()),
            _ => Condition::Between(from.clone(), to.clone()),
        }));
        at = last + 1;
    }
    match parts.len() {
        0 => None,
        1 => parts.pop(),
        _ => Some(Event::Union(parts)),
    }
}
