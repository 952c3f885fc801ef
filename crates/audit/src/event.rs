//! A set of outputs that a refutation is about.

use std::fmt;

use probity_exact::Rational;

use crate::outcome::Outcome;

/// What an event asks of one released value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Condition {
    /// It is exactly this one.
    Is(Outcome),
    /// It is a number at or below this one.
    AtMost(Rational),
    /// It is a number at or above this one.
    AtLeast(Rational),
    /// Nothing.
    Anything,
}

/// A set of outputs: conditions on the released value, or on each entry of a released list, whose length is then
/// that of the conditions.
///
/// ```
/// use probity_audit::{Condition, Event, Outcome};
/// use probity_exact::rational;
/// let event = Event::List(vec![
///     Condition::Is(Outcome::Bool(false)),
///     Condition::AtMost(rational(3, 2).unwrap()),
/// ]);
/// assert_eq!(event.to_string(), "output[0] = false and output[1] <= 3/2 and length(output) = 2");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Event {
    /// The output is a single value.
    Value(Condition),
    /// The output is a list of this length.
    List(Vec<Condition>),
}

impl Event {
    /// The event that the output is exactly this one.
    pub fn exactly(outcome: &Outcome) -> Event {
        match outcome {
            Outcome::List(items) => Event::List(items.iter().cloned().map(Condition::Is).collect()),
            single => Event::Value(Condition::Is(single.clone())),
        }
    }
}

impl Condition {
    /// Whether a released value meets the condition.
    pub fn holds(&self, outcome: &Outcome) -> bool {
        match self {
            Condition::Is(expected) => outcome == expected,
            Condition::AtMost(bound) => match outcome {
                Outcome::Infinite { negative } => *negative,
                other => other.number().is_some_and(|x| x <= bound),
            },
            Condition::AtLeast(bound) => match outcome {
                Outcome::Infinite { negative } => !*negative,
                other => other.number().is_some_and(|x| x >= bound),
            },
            Condition::Anything => true,
        }
    }
}

impl Event {
    /// Whether an output lies in the event.
    pub fn contains(&self, outcome: &Outcome) -> bool {
        match (self, outcome) {
            (Event::Value(condition), outcome) => condition.holds(outcome),
            (Event::List(conditions), Outcome::List(items)) => {
                conditions.len() == items.len() && conditions.iter().zip(items).all(|(c, item)| c.holds(item))
            }
            _ => false,
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let describe = |place: String, condition: &Condition| match condition {
            Condition::Is(outcome) => Some(format!("{place} = {outcome}")),
            Condition::AtMost(bound) => Some(format!("{place} <= {bound}")),
            Condition::AtLeast(bound) => Some(format!("{place} >= {bound}")),
            Condition::Anything => None,
        };
        match self {
            Event::Value(condition) => {
                let text = describe("output".into(), condition);
                write!(f, "{}", text.unwrap_or_else(|| "any output".into()))
            }
            Event::List(conditions) => {
                for (i, condition) in conditions.iter().enumerate() {
                    if let Some(text) = describe(format!("output[{i}]"), condition) {
                        write!(f, "{text} and ")?;
                    }
                }
                write!(f, "length(output) = {}", conditions.len())
            }
        }
    }
}
