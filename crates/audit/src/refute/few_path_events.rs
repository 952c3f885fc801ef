//! Events for programs with too many paths to follow all: a few paths are guided by answers to their comparisons, and
//! what they release suggests events.

use probity_exact::Rational;

use crate::error::AuditError;
use crate::output::event::{Condition, Event};
use crate::output::outcome::Outcome;
use crate::real::paths::{Explorer, outcome};
use crate::real::world::Real;
use crate::run::program::Value;

/// Events that a run on the first input can lead to.
pub(crate) fn events(explorer: &mut Explorer, answers: &[bool]) -> Result<Vec<Event>, AuditError> {
    let mut outputs: Vec<Value<Real>> = Vec::new();
    let flipped: Vec<bool> = answers.iter().map(|a| !a).collect();
    // A running maximum makes no comparison for its first entry.
    let from_second = answers.get(1..).unwrap_or_default();
    for guide in [answers, &flipped, from_second, &[]] {
        if let Some(output) = explorer.follow_answers(guide)?
            && !outputs.contains(&output)
        {
            outputs.push(output);
        }
    }
    let mut events: Vec<Event> = Vec::new();
    for output in &outputs {
        for event in events_of(output) {
            if !events.contains(&event) {
                events.push(event);
            }
        }
    }
    Ok(events)
}

/// Thresholds for continuous numbers.
const THRESHOLDS: [i64; 5] = [0, 1, -1, -12, 12];

fn events_of(output: &Value<Real>) -> Vec<Event> {
    let Value::List(items) = output else {
        return conditions(output).into_iter().map(Event::Value).collect();
    };
    let fixed: Vec<Option<Outcome>> = items.iter().map(outcome).collect();
    let exact = |o: &Option<Outcome>| o.clone().map_or(Condition::Anything, Condition::Is);
    let continuous: Vec<usize> = (0..items.len()).filter(|&i| fixed[i].is_none()).collect();
    let mut events = vec![Event::List(fixed.iter().map(exact).collect())];
    let ends = [continuous.first(), continuous.last()];
    for &place in ends.into_iter().flatten() {
        for condition in conditions(&items[place]) {
            let mut list: Vec<Condition> = fixed.iter().map(exact).collect();
            list[place] = condition;
            events.push(Event::List(list));
        }
    }
    events
}

fn conditions(value: &Value<Real>) -> Vec<Condition> {
    if let Some(known) = outcome(value) {
        return vec![Condition::Is(known)];
    }
    let thresholds = THRESHOLDS.map(Rational::from);
    match value {
        Value::Number(Real::Stepped(_, grid)) => {
            [0, 1, -1].into_iter().map(|k| Condition::Is(Outcome::Number(grid * Rational::from(k)))).collect()
        }
        _ => {
            let below = thresholds.iter().cloned().map(Condition::AtMost);
            below.chain(thresholds.iter().cloned().map(Condition::AtLeast)).collect()
        }
    }
}
