//! Guesses for a refutation from samples: sets of outputs that were met more often under one input than the claim
//! allows. Nothing here decides anything, and the samples that suggest an event must not be used to judge it.

use probity_exact::{Rational, directed};

use crate::output::event::{Condition, Event};
use crate::output::outcome::Outcome;
use crate::refute::path_events::Target;

/// Standard errors by which an event must exceed the claim to be worth fresh samples.
const PROMISING: f64 = 2.0;

/// The event that exceeds the claim by most standard errors, if one looks promising.
pub(crate) fn search_event(first: &[Outcome], second: &[Outcome], target: Target) -> Option<Event> {
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let factor = directed::exp_nearest(target.epsilon);
    let share = |outputs: &[Outcome], event: &Event| {
        let hits = outputs.iter().filter(|o| event.contains(o)).count();
        hits as f64 / outputs.len() as f64
    };
    let n = first.len().min(second.len()) as f64;
    let score = |event: &Event| {
        let (p, q) = (share(first, event), share(second, event));
        // A share of 0 or 1 is not known to be exactly that.
        let variance = |p: f64| p * (1.0 - p) + 1.0 / n;
        let error = ((variance(p) + factor * factor * variance(q)) / n).sqrt();
        (p - factor * q - target.delta) / error
    };
    let scored = suggestions(first, second, factor).into_iter().map(|event| (score(&event), event));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 > PROMISING).then_some(best.1)
}

/// Shares of the sorted samples at which thresholds are put.
const QUANTILES: [usize; 15] = [1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 98, 99];

fn suggestions(first: &[Outcome], second: &[Outcome], factor: f64) -> Vec<Event> {
    let mut events = frequent(first);
    let lengths = |outputs: &[Outcome]| match outputs.first() {
        Some(Outcome::List(items)) => Some(items.len()),
        _ => None,
    };
    let Some(length) = lengths(first) else {
        let thresholds = thresholds(&numbers(first, second, &|o| o.number().cloned()));
        for x in &thresholds {
            events.push(Event::Value(Condition::AtMost(x.clone())));
            events.push(Event::Value(Condition::AtLeast(x.clone())));
        }
        let pairs = thresholds.windows(2).map(|pair| Condition::Between(pair[0].clone(), pair[1].clone()));
        let cells: Vec<Condition> = pairs.collect();
        let too_likely = |cell: &&Condition| {
            let count = |outputs: &[Outcome]| outputs.iter().filter(|o| cell.holds(o)).count() as f64;
            count(first) / first.len() as f64 > factor * count(second) / second.len() as f64
        };
        let chosen: Vec<Event> = cells.iter().filter(too_likely).cloned().map(Event::Value).collect();
        events.extend(cells.into_iter().map(Event::Value));
        events.extend(merged(chosen));
        return events;
    };
    // Lists: one entry at a time, and all of them together.
    let entry = |place: usize| {
        move |o: &Outcome| match o {
            Outcome::List(items) if items.len() == length => items.get(place)?.number().cloned(),
            _ => None,
        }
    };
    let of_place: Vec<Vec<Rational>> =
        (0..length).map(|place| thresholds(&numbers(first, second, &entry(place)))).collect();
    for sides in [Condition::AtMost as fn(Rational) -> Condition, Condition::AtLeast] {
        for (place, of_place) in of_place.iter().enumerate() {
            for x in of_place {
                let mut conditions = vec![Condition::Anything; length];
                conditions[place] = sides(x.clone());
                events.push(Event::List(conditions));
            }
        }
        for level in 0..QUANTILES.len() {
            let at = |of_place: &Vec<Rational>| {
                let place = level * of_place.len() / QUANTILES.len();
                of_place.get(place).map_or(Condition::Anything, |x| sides(x.clone()))
            };
            events.push(Event::List(of_place.iter().map(at).collect()));
        }
    }
    events
}

/// Outputs that were met several times.
fn frequent(outputs: &[Outcome]) -> Vec<Event> {
    let mut sorted: Vec<&Outcome> = outputs.iter().collect();
    sorted.sort_unstable();
    let mut events = Vec::new();
    for group in sorted.chunk_by(|a, b| a == b) {
        if group.len() * 200 >= outputs.len() {
            events.push(Event::exactly(group[0]));
        }
    }
    events
}

fn numbers(
    first: &[Outcome],
    second: &[Outcome],
    number: &dyn Fn(&Outcome) -> Option<Rational>,
) -> Vec<Rational> {
    let mut numbers: Vec<Rational> = first.iter().chain(second).filter_map(number).collect();
    numbers.sort_unstable();
    numbers
}

/// Quantiles of sorted numbers, each once, rounded to few digits.
fn thresholds(sorted: &[Rational]) -> Vec<Rational> {
    let Some(last) = sorted.len().checked_sub(1) else { return Vec::new() };
    let mut thresholds: Vec<Rational> = Vec::new();
    for share in QUANTILES {
        let x = &sorted[last * share / 100];
        // Ten bits more than the leading one say enough, and read better.
        let short = probity_exact::Format::wide(10).round(x, probity_exact::Round::NearestEven).to_rational();
        let x = if x.is_int() { x.clone() } else { short.unwrap_or_default() };
        if thresholds.last() != Some(&x) {
            thresholds.push(x);
        }
    }
    thresholds
}

/// Intervals in order, neighbours made one; a union if more than one is left.
fn merged(cells: Vec<Event>) -> Option<Event> {
    let mut parts: Vec<Event> = Vec::new();
    for cell in cells {
        match (parts.last_mut(), &cell) {
            (
                Some(Event::Value(Condition::Between(_, end))),
                Event::Value(Condition::Between(begin, high)),
            ) if *end == *begin => *end = high.clone(),
            _ => parts.push(cell),
        }
    }
    match parts.len() {
        0 => None,
        1 => parts.pop(),
        _ => Some(Event::Union(parts)),
    }
}
