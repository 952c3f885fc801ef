//! A set of outputs that a refutation is about.

use std::fmt;

use probity_exact::Rational;

use crate::output::outcome::Outcome;

/// What an event asks of one released value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Condition {
    /// It is exactly this one.
    Is(Outcome),
    /// It is a number at or below this one.
    AtMost(Rational),
    /// It is a number at or above this one.
    AtLeast(Rational),
    /// It is a number from the first to the second, both included.
    Between(Rational, Rational),
    /// Nothing.
    Anything,
}

/// A set of outputs: conditions on the released value, or on each entry of a released list, whose length is then
/// that of the conditions; or a union of such sets.
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
    /// The output lies in one of these sets. A probability is asked for only where no two of them overlap.
    Union(Vec<Event>),
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
            Condition::Between(low, high) => outcome.number().is_some_and(|x| low <= x && x <= high),
            Condition::Anything => true,
        }
    }

    /// The numbers that meet the condition, as an interval with the ends that it has; `None` for a condition on
    /// something else.
    fn interval(&self) -> Option<(Option<&Rational>, Option<&Rational>)> {
        match self {
            Condition::Is(Outcome::Number(x)) => Some((Some(x), Some(x))),
            Condition::AtMost(high) => Some((None, Some(high))),
            Condition::AtLeast(low) => Some((Some(low), None)),
            Condition::Between(low, high) => Some((Some(low), Some(high))),
            Condition::Is(_) | Condition::Anything => None,
        }
    }

    /// Whether it is certain that no value meets both conditions.
    fn excludes(&self, other: &Condition) -> bool {
        if let (Condition::Is(a), Condition::Is(b)) = (self, other) {
            return a != b;
        }
        let (Some(a), Some(b)) = (self.interval(), other.interval()) else { return false };
        let below = |high: Option<&Rational>, low: Option<&Rational>| matches!((high, low), (Some(h), Some(l)) if h < l);
        below(a.1, b.0) || below(b.1, a.0)
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
            (Event::Union(parts), outcome) => parts.iter().any(|part| part.contains(outcome)),
            _ => false,
        }
    }

    /// The sets that the event is a union of, if it is certain that no two of them overlap.
    pub(crate) fn disjoint_parts(&self) -> Option<&[Event]> {
        let Event::Union(parts) = self else { return Some(std::slice::from_ref(self)) };
        let apart = |(i, part): (usize, &Event)| parts[i + 1..].iter().all(|other| part.excludes(other));
        parts.iter().enumerate().all(apart).then_some(parts)
    }

    /// Whether it is certain that no output lies in both events.
    fn excludes(&self, other: &Event) -> bool {
        match (self, other) {
            (Event::Value(a), Event::Value(b)) => a.excludes(b),
            (Event::List(a), Event::List(b)) => {
                a.len() != b.len() || a.iter().zip(b).any(|(a, b)| a.excludes(b))
            }
            (Event::Union(_), _) | (_, Event::Union(_)) => false,
            // A list is no single value.
            (Event::Value(a), Event::List(_)) | (Event::List(_), Event::Value(a)) => {
                *a != Condition::Anything
            }
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let describe = |place: String, condition: &Condition| match condition {
            Condition::Is(outcome) => Some(format!("{place} = {outcome}")),
            Condition::AtMost(bound) => Some(format!("{place} <= {bound}")),
            Condition::AtLeast(bound) => Some(format!("{place} >= {bound}")),
            Condition::Between(low, high) => Some(format!("{low} <= {place} <= {high}")),
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
            Event::Union(parts) => {
                // The first few say enough; all are in the value.
                const SHOWN: usize = 8;
                let shown: Vec<String> = parts.iter().take(SHOWN).map(Event::to_string).collect();
                write!(f, "{}", shown.join(", or "))?;
                match parts.len().saturating_sub(SHOWN) {
                    0 => Ok(()),
                    more => write!(f, ", or one of {more} more such sets"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(condition: Condition) -> Event {
        Event::Value(condition)
    }

    #[test]
    fn only_sets_that_cannot_overlap_are_a_disjoint_union() {
        let n = |k: i64| Rational::from(k);
        let is = |k: i64| value(Condition::Is(Outcome::Number(n(k))));
        let union = |parts: Vec<Event>| Event::Union(parts).disjoint_parts().is_some();
        assert!(union(vec![value(Condition::AtMost(n(0))), is(1), value(Condition::Between(n(2), n(3)))]));
        assert!(!union(vec![value(Condition::AtMost(n(1))), is(1)]));
        assert!(!union(vec![value(Condition::Between(n(0), n(2))), value(Condition::AtLeast(n(2)))]));
        assert!(!union(vec![is(1), is(1)]));
        assert!(!union(vec![value(Condition::Anything), is(1)]));
        let lists = |first: bool, second: bool| {
            Event::List(vec![Condition::Is(Outcome::Bool(first)), Condition::Is(Outcome::Bool(second))])
        };
        assert!(union(vec![lists(true, false), lists(false, false)]));
        assert!(!union(vec![lists(true, false), Event::List(vec![Condition::Anything; 2])]));
        assert!(union(vec![lists(true, false), Event::List(vec![Condition::Anything; 3])]));
    }
}
