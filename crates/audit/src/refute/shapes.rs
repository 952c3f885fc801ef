//! What a run gives away before it looks at its noise.
//!
//! A program whose comparisons are about its input alone has one path. How long a list it releases then, and which entries are
//! no noise, is fixed by the input: where neighbours differ in that, one run of each shows it.

use crate::error::AuditError;
use crate::output::event::{Condition, Event};
use crate::real::paths::{Explorer, outcome};
use crate::real::world::Real;
use crate::run::program::Value;

/// What every run on this input releases, where the input fixes it; `None` where a draw decides how the run goes on.
pub(crate) fn shape(explorer: &mut Explorer) -> Result<Option<Event>, AuditError> {
    let Some((world, output)) = explorer.follow_answers(&[])? else { return Ok(None) };
    let entry = |value: &Value<Real>| outcome(value).map_or(Condition::Anything, Condition::Is);
    Ok(world.tape.is_empty().then(|| match &output {
        Value::List(items) => Event::List(items.iter().map(entry).collect()),
        single => Event::Value(entry(single)),
    }))
}

/// Whether what one input fixes is impossible under what the other one fixes.
pub(crate) fn exclude(one: &Event, other: &Event) -> bool {
    let differ = |a: &Condition, b: &Condition| match (a, b) {
        (Condition::Is(a), Condition::Is(b)) => a != b,
        _ => false,
    };
    match (one, other) {
        (Event::List(a), Event::List(b)) => a.len() != b.len() || a.iter().zip(b).any(|(a, b)| differ(a, b)),
        (Event::Value(a), Event::Value(b)) => differ(a, b),
        _ => false,
    }
}
