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
/// use probity_exact::fraction;
/// let event = Event::List(vec![
///     Condition::Is(Outcome::Bool(false)),
///     Condition::AtMost(fraction::<3, 2>()),
/// ]);
/// assert_eq!(event.to_string(), "output[0] = false and output[1] <= 3/2 and length(output) = 2");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Event {
    /// The output is a single value.
    Value(Condition),
    /// The output is a list of this length.
    List(Vec<Condition>),
    /// The output is a list of this length whose entries meet the conditions, and combinations of them others: where one
    /// noise is in several entries, their difference may tell more than each.
    Related {
        /// What each entry meets.
        entries: Vec<Condition>,
        /// What combinations of entries meet.
        relations: Vec<Relation>,
    },
    /// The output lies in one of these sets. A probability is asked for only where no two of them overlap.
    Union(Vec<Event>),
}

/// What an event asks of a sum of multiples of entries.
///
/// ```
/// use probity_audit::{Condition, Relation};
/// use probity_exact::rational;
/// let n = |n: i64| rational(n, 2).unwrap();
/// let relation = Relation { terms: vec![(0, n(2)), (2, n(-2)), (3, n(1))], condition: Condition::AtMost(n(3)) };
/// assert_eq!(relation.to_string(), "output[0] - output[2] + 1/2 * output[3] <= 3/2");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Relation {
    /// The places of the entries, each with its factor.
    pub terms: Vec<(usize, Rational)>,
    /// What the sum meets.
    pub condition: Condition,
}

impl Relation {
    fn holds(&self, items: &[Outcome]) -> bool {
        let term = |(place, factor): &(usize, Rational)| Some(items.get(*place)?.number()? * factor);
        let sum = self.terms.iter().map(term).try_fold(Rational::ZERO, |sum, term| Some(sum + term?));
        sum.is_some_and(|sum| self.condition.holds(&Outcome::Number(sum)))
    }

    /// The sum, as a person writes it.
    pub fn sum(&self, show: impl Fn(&Rational) -> String) -> String {
        let mut text = String::new();
        for (place, factor) in &self.terms {
            let negative = *factor < Rational::ZERO;
            text.push_str(match (text.is_empty(), negative) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            });
            let size = if negative { -factor } else { factor.clone() };
            if !size.is_one() {
                text.push_str(&format!("{} * ", show(&size)));
            }
            text.push_str(&format!("output[{place}]"));
        }
        text
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sum = self.sum(Rational::to_string);
        write!(f, "{}", described(sum, &self.condition).unwrap_or_default())
    }
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
            (Event::Related { entries, relations }, Outcome::List(items)) => {
                entries.len() == items.len()
                    && entries.iter().zip(items).all(|(c, item)| c.holds(item))
                    && relations.iter().all(|relation| relation.holds(items))
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
            (
                Event::List(a) | Event::Related { entries: a, .. },
                Event::List(b) | Event::Related { entries: b, .. },
            ) => a.len() != b.len() || a.iter().zip(b).any(|(a, b)| a.excludes(b)),
            (Event::Union(_), _) | (_, Event::Union(_)) => false,
            // A list is no single value.
            (Event::Value(a), Event::List(_) | Event::Related { .. })
            | (Event::List(_) | Event::Related { .. }, Event::Value(a)) => *a != Condition::Anything,
        }
    }
}

/// A condition on something, in words; nothing for none.
fn described(place: String, condition: &Condition) -> Option<String> {
    match condition {
        Condition::Is(outcome) => Some(format!("{place} = {outcome}")),
        Condition::AtMost(bound) => Some(format!("{place} <= {bound}")),
        Condition::AtLeast(bound) => Some(format!("{place} >= {bound}")),
        Condition::Between(low, high) => Some(format!("{low} <= {place} <= {high}")),
        Condition::Anything => None,
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Value(condition) => {
                let text = described("output".into(), condition);
                write!(f, "{}", text.unwrap_or_else(|| "any output".into()))
            }
            Event::List(conditions) | Event::Related { entries: conditions, .. } => {
                for (i, condition) in conditions.iter().enumerate() {
                    if let Some(text) = described(format!("output[{i}]"), condition) {
                        write!(f, "{text} and ")?;
                    }
                }
                if let Event::Related { relations, .. } = self {
                    for relation in relations {
                        write!(f, "{relation} and ")?;
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
        // What is related may overlap with anything of its length.
        let related = |n: usize| Event::Related {
            entries: vec![Condition::Anything; n],
            relations: vec![Relation { terms: vec![(0, n_of(1))], condition: Condition::AtMost(n_of(0)) }],
        };
        assert!(!union(vec![related(2), related(2)]) && union(vec![related(2), related(3)]));
        assert!(!union(vec![related(2), lists(true, true)]));
    }

    fn n_of(k: i64) -> Rational {
        Rational::from(k)
    }

    #[test]
    fn a_difference_is_a_condition_on_two_entries() {
        let apart = |condition| Event::Related {
            entries: vec![Condition::Anything, Condition::Anything],
            relations: vec![Relation { terms: vec![(0, n_of(1)), (1, n_of(-1))], condition }],
        };
        let list = |a: i64, b: i64| Outcome::List([a, b].map(|k| Outcome::Number(n_of(k))).to_vec());
        let one = apart(Condition::Is(Outcome::Number(n_of(1))));
        assert!(one.contains(&list(5, 4)) && !one.contains(&list(4, 5)));
        assert!(!one.contains(&Outcome::List(vec![Outcome::Number(n_of(1))])));
        assert!(!one.contains(&Outcome::List(vec![Outcome::Bool(true), Outcome::Bool(false)])));
        assert_eq!(one.to_string(), "output[0] - output[1] = 1 and length(output) = 2");
    }
}
