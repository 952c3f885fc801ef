//! A refutation in lines, for readers.

use std::collections::BTreeMap;

use probity_audit::{Bounds, Condition, Event, Given, Inputs, Refutation, Relation};
use probity_kernel::expr::Name;
use probity_kernel::term::{Field, Reading, Sort};
use probity_lang::Program;

use crate::decimal::{self, FIGURES};

/// The lines of a refutation of a program's claim, each with its name.
pub fn facts(program: &Program, refutation: &Refutation) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if !refutation.parameters.is_empty() {
        facts.push(("parameters", listed(&refutation.parameters, decimal::exact_or_nearest)));
    }
    let claimed = decimal::double(refutation.epsilon.to_f64());
    // An epsilon is what a loss is in if nothing is said.
    let measure = match measure(refutation) {
        "epsilon" => String::new(),
        other => format!("{other} at least "),
    };
    facts.extend([
        ("input", inputs(program, &refutation.first)),
        ("neighbour", inputs(program, &refutation.second)),
        ("event", event(&refutation.event)),
        ("probability", range(&refutation.first_probability)),
        ("of neighbour", range(&refutation.second_probability)),
        ("loss", format!("{measure}{} against the claimed {claimed}", decimal::double(refutation.loss))),
    ]);
    if !refutation.delta.high.is_zero() {
        let (shown, claimed) =
            (decimal::down(&refutation.shown_delta(), FIGURES), decimal::up(&refutation.delta.high, FIGURES));
        facts.push(("delta", format!("at least {shown} at this epsilon, against the claimed {claimed}")));
    }
    facts.push(("found by", refutation.evidence.to_string()));
    facts
}

/// What the loss and the claim of a refutation are in.
pub fn measure(refutation: &Refutation) -> &'static str {
    match refutation.reading {
        Reading::Rho => "rho",
        Reading::Mu => "mu",
        Reading::Reals | Reading::Binary { .. } => "epsilon",
    }
}

/// `eps = 1, B = 100`.
pub fn listed<Value>(values: &BTreeMap<Name, Value>, show: impl Fn(&Value) -> String) -> String {
    let parts: Vec<String> =
        values.iter().map(|(name, value)| decimal::equation(name, &show(value))).collect();
    parts.join(", ")
}

/// Inputs in the words of their types: the fields of a row have their names, and truth values are true and false.
fn inputs(program: &Program, inputs: &Inputs) -> String {
    let sort = |name: &Name| {
        program.mechanism.inputs.iter().find(|input| input.name == *name).map(|input| &input.sort)
    };
    let shown = |name: &Name, given: &Given| match (given, sort(name)) {
        (Given::List(items), _) if program.truth_lists.contains(name) => {
            let items: Vec<String> = items.iter().map(|item| (!item.is_zero()).to_string()).collect();
            format!("[{}]", items.join(", "))
        }
        (Given::Rows(rows), Some(Sort::Rows(fields))) => {
            let cell =
                |(field, given): (&Field, &Given)| format!("{} = {}", field.name, decimal::given(given));
            let row = |row: &Vec<Given>| {
                format!("({})", fields.iter().zip(row).map(cell).collect::<Vec<_>>().join(", "))
            };
            format!("[{}]", rows.iter().map(row).collect::<Vec<_>>().join(", "))
        }
        _ => decimal::given(given),
    };
    let parts: Vec<String> =
        inputs.iter().map(|(name, given)| decimal::equation(name, &shown(name, given))).collect();
    parts.join(", ")
}

/// Sets of a union that are named.
const LISTED: usize = 8;

/// The event with its numbers as people write them.
pub fn event(event: &Event) -> String {
    let condition = |place: String, condition: &Condition| match condition {
        Condition::Is(outcome) => Some(decimal::equation(place, &decimal::outcome(outcome))),
        Condition::AtMost(bound) => Some(format!("{place} <= {}", decimal::exact_or_nearest(bound))),
        Condition::AtLeast(bound) => Some(format!("{place} >= {}", decimal::exact_or_nearest(bound))),
        Condition::Between(low, high) => Some(format!(
            "{} <= {place} <= {}",
            decimal::exact_or_nearest(low),
            decimal::exact_or_nearest(high)
        )),
        Condition::Anything => None,
    };
    match event {
        Event::Value(only) => condition("output".into(), only).unwrap_or_else(|| "any output".into()),
        Event::List(conditions) | Event::Related { entries: conditions, .. } => {
            let relations = match event {
                Event::Related { relations, .. } => &relations[..],
                _ => &[],
            };
            let related =
                |relation: &Relation| condition(relation.sum(decimal::exact_or_nearest), &relation.condition);
            let entries = conditions.iter().enumerate();
            entries
                .filter_map(|(i, each)| condition(format!("output[{i}]"), each))
                .chain(relations.iter().filter_map(related))
                .chain([format!("length(output) = {}", conditions.len())])
                .collect::<Vec<_>>()
                .join(" and ")
        }
        Event::Union(parts) => {
            let mut shown: Vec<String> = parts.iter().take(LISTED).map(self::event).collect();
            if parts.len() > LISTED {
                shown.push(format!("one of {} more such sets", parts.len() - LISTED));
            }
            shown.join(", or ")
        }
    }
}

/// A probability: once if its bounds print alike, else both.
pub fn range(bounds: &Bounds) -> String {
    let (low, high) = (decimal::figure(&bounds.low), decimal::figure(&bounds.high));
    match low == high {
        true => low,
        false => format!("{} to {}", decimal::down(&bounds.low, FIGURES), decimal::up(&bounds.high, FIGURES)),
    }
}
