//! Events for programs with too many paths to follow all: a few paths are guided by answers to their comparisons, and
//! what they release suggests events.

use probity_exact::Rational;
use probity_kernel::term::Statement;

use crate::error::AuditError;
use crate::output::event::{Condition, Event};
use crate::output::outcome::Outcome;
use crate::real::paths::{Explorer, outcome};
use crate::real::world::{Real, RealWorld};
use crate::refute::entries::{Entry, entry};
use crate::run::program::Value;

pub(crate) const TOO_MANY_PATHS: AuditError =
    AuditError::Unsupported { what: "a program with more paths than the limit" };

/// Events that a run on the first input can lead to; the same path on the second input says which way each entry moves.
pub(crate) fn events(
    explorer: &mut Explorer,
    other: &mut Explorer,
    answers: &[bool],
    asks_twice: bool,
) -> Result<Vec<Event>, AuditError> {
    let mut outputs: Vec<(RealWorld<'static>, Value<Real>)> = Vec::new();
    let mut moved: Vec<Event> = Vec::new();
    let flipped: Vec<bool> = answers.iter().map(|a| !a).collect();
    // A running maximum makes no comparison for its first entry.
    let from_second = answers.get(1..).unwrap_or_default();
    let nested = if asks_twice { by_entry(answers) } else { Vec::new() };
    let plain = [answers, &flipped, from_second, &[]];
    for guide in plain.into_iter().chain(nested.iter().map(Vec::as_slice)) {
        if let Some((world, output)) = explorer.follow_answers(guide)?
            && !outputs.iter().any(|(_, known)| *known == output)
        {
            if let Ok(Some(on_other)) = other.follow_answers(guide) {
                moved.extend(each_its_way((&world, &output), (&on_other.0, &on_other.1)));
            }
            outputs.push((world, output));
        }
    }
    // Of many coins and responses the likeliest answers tell most: each of them speaks for its own input.
    for likeliest in [explorer.follow_likeliest()?, other.follow_likeliest().unwrap_or_default()] {
        outputs.extend(likeliest.filter(|(world, _)| world.noises.is_empty()));
    }
    let mut events: Vec<Event> = Vec::new();
    let plain = outputs.iter().flat_map(|(world, output)| events_of(world, output));
    for event in plain.chain(moved) {
        if !events.contains(&event) {
            events.push(event);
        }
    }
    Ok(events)
}

/// Whether a round of some loop has a test in a branch of another one: then an entry of a list may be asked about twice.
pub(crate) fn asks_twice(body: &[Statement]) -> bool {
    body.iter().any(|statement| match statement {
        Statement::For { body, .. } | Statement::While { body, .. } => tests_within(body),
        Statement::If { then, otherwise, .. } => asks_twice(then) || asks_twice(otherwise),
        _ => false,
    })
}

/// Whether a branch of a test in these statements has another one. A test without an alternative, as of what is left of a budget, is
/// not one of the two.
fn tests_within(body: &[Statement]) -> bool {
    let is_test =
        |statement: &Statement| matches!(statement, Statement::If { otherwise, .. } if !otherwise.is_empty());
    body.iter().any(|statement| match statement {
        Statement::If { then, otherwise, .. } if otherwise.is_empty() => tests_within(then),
        Statement::If { then, otherwise, .. } => then.iter().chain(otherwise).any(is_test),
        Statement::For { body, .. } | Statement::While { body, .. } => tests_within(body),
        _ => false,
    })
}

/// Answers of each entry where one may be asked about twice: low entries fail both tests and high ones pass the first, or the second
/// only; or low entries fail the first and high ones pass both.
fn by_entry(answers: &[bool]) -> Vec<Vec<bool>> {
    const NO: [&[bool]; 3] = [&[false, false], &[false, false], &[false]];
    const YES: [&[bool]; 3] = [&[true], &[false, true], &[true, true]];
    let guide = |(no, yes): (&[bool], &[bool]), as_asked: bool| {
        let of_entry = |high: &bool| if *high { yes } else { no }.iter().map(|answer| *answer == as_asked);
        answers.iter().flat_map(of_entry).collect()
    };
    // What is not below is above: a test may ask for either.
    NO.into_iter().zip(YES).flat_map(|both| [guide(both, true), guide(both, false)]).collect()
}

/// Whether a run draws from lists of values only.
pub(crate) fn draws_values(explorer: &mut Explorer) -> Result<bool, AuditError> {
    let path = explorer.follow_answers(&[])?;
    Ok(path.is_some_and(|(world, _)| world.noises.is_empty()))
}

/// Thresholds for continuous numbers: plain ones, and in units of the noise around the center.
const THRESHOLDS: [i64; 5] = [0, 1, -1, -12, 12];
const SPREADS: [i64; 3] = [0, 2, 12];

fn events_of(world: &RealWorld<'_>, output: &Value<Real>) -> Vec<Event> {
    let Value::List(items) = output else {
        return conditions(world, output).into_iter().map(Event::Value).collect();
    };
    let fixed: Vec<Option<Outcome>> = items.iter().map(outcome).collect();
    let exact = |o: &Option<Outcome>| o.clone().map_or(Condition::Anything, Condition::Is);
    let continuous: Vec<usize> = (0..items.len()).filter(|&i| fixed[i].is_none()).collect();
    let mut events = vec![Event::List(fixed.iter().map(exact).collect())];
    let ends = [continuous.first(), continuous.last()];
    for &place in ends.into_iter().flatten() {
        for condition in conditions(world, &items[place]) {
            let mut list: Vec<Condition> = fixed.iter().map(exact).collect();
            list[place] = condition;
            events.push(Event::List(list));
        }
    }
    // All continuous entries beyond 0, which other paths release where there is nothing to release.
    if !continuous.is_empty() {
        let hundredth = Rational::ONE / Rational::from(100);
        for condition in [Condition::AtLeast(hundredth.clone()), Condition::AtMost(-hundredth)] {
            let mut list: Vec<Condition> = fixed.iter().map(exact).collect();
            continuous.iter().for_each(|&place| list[place] = condition.clone());
            events.push(Event::List(list));
        }
    }
    // All continuous entries on the same side of their centers.
    if continuous.len() > 1 {
        for below in [true, false] {
            for steps in SPREADS {
                let mut list: Vec<Condition> = fixed.iter().map(exact).collect();
                for &place in &continuous {
                    if let Some(entry) = entry(world, &items[place]) {
                        list[place] = beyond(&entry, steps, below);
                    }
                }
                events.push(Event::List(list));
            }
        }
    }
    events
}

/// All continuous entries of a list beyond their centers, each on the side that it moves away from; what is fixed as it is.
fn each_its_way(
    (world, output): (&RealWorld<'_>, &Value<Real>),
    (other_world, other): (&RealWorld<'_>, &Value<Real>),
) -> Vec<Event> {
    let (Value::List(items), Value::List(others)) = (output, other) else { return Vec::new() };
    if items.len() != others.len() || items.len() < 2 {
        return Vec::new();
    }
    let at =
        |(item, other): (&Value<Real>, &Value<Real>), steps: i64| match (outcome(item), entry(world, item)) {
            (Some(known), _) => Condition::Is(known),
            (None, Some(here)) => match entry(other_world, other) {
                Some(there) if there.center == here.center => Condition::Anything,
                Some(there) => beyond(&here, steps, here.center < there.center),
                None => Condition::Anything,
            },
            (None, None) => Condition::Anything,
        };
    let all = |steps: i64| items.iter().zip(others).map(|pair| at(pair, steps)).collect::<Vec<Condition>>();
    let side = |wanted: fn(&Condition) -> bool| all(0).iter().any(wanted);
    let both_ways =
        side(|c| matches!(c, Condition::AtMost(_))) && side(|c| matches!(c, Condition::AtLeast(_)));
    // Where all move one way, they are on one side of their centers.
    if both_ways { [0, 1].map(|steps| Event::List(all(steps))).to_vec() } else { Vec::new() }
}

/// A half-line that ends so many spreads below or above the center.
fn beyond(entry: &Entry, steps: i64, below: bool) -> Condition {
    let far = &entry.spread * Rational::from(steps);
    if below { Condition::AtMost(&entry.center - far) } else { Condition::AtLeast(&entry.center + far) }
}

fn conditions(world: &RealWorld<'_>, value: &Value<Real>) -> Vec<Condition> {
    if let Some(known) = outcome(value) {
        return vec![Condition::Is(known)];
    }
    if let Value::Number(Real::Stepped(_, grid)) = value {
        let multiple = |k: i64| Condition::Is(Outcome::Number(grid * Rational::from(k)));
        return [0, 1, -1].into_iter().map(multiple).collect();
    }
    let thresholds = THRESHOLDS.map(Rational::from);
    let below = thresholds.iter().cloned().map(Condition::AtMost);
    let mut all: Vec<Condition> = below.chain(thresholds.iter().cloned().map(Condition::AtLeast)).collect();
    if let Some(entry) = entry(world, value) {
        for steps in SPREADS {
            all.extend([true, false].map(|below| beyond(&entry, steps, below)));
        }
    }
    all
}
