//! A refutation, for people and for programs.

use std::io::{self, Write};

use probity_audit::{Bounds, Inputs, Parameters, Refutation};
use serde_json::{Value, json};

use crate::output::scientific;

/// Writes a refutation: inputs, event, both probabilities, the loss against the claim.
pub fn print(refutation: &Refutation, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "counterexample:")?;
    for (name, value) in facts(refutation) {
        writeln!(out, "  {name:<14} {value}")?;
    }
    Ok(())
}

/// The lines of a refutation, each with its name.
pub fn facts(refutation: &Refutation) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if !refutation.parameters.is_empty() {
        facts.push(("parameters", parameters(&refutation.parameters)));
    }
    facts.extend([
        ("input", inputs(&refutation.first)),
        ("neighbour", inputs(&refutation.second)),
        ("event", refutation.event.to_string()),
        ("probability", range(&refutation.first_probability)),
        ("of neighbour", range(&refutation.second_probability)),
        ("loss", format!("{} against the claimed {}", refutation.loss, refutation.epsilon.to_f64())),
        ("found by", refutation.evidence.to_string()),
    ]);
    facts
}

/// The same as data.
pub fn to_json(refutation: &Refutation) -> Value {
    let bounds = |bounds: &Bounds| json!([bounds.low.to_string(), bounds.high.to_string()]);
    let loss = if refutation.loss.is_finite() { json!(refutation.loss) } else { json!("inf") };
    json!({
        "parameters": parameters(&refutation.parameters),
        "input": inputs(&refutation.first),
        "neighbour": inputs(&refutation.second),
        "event": refutation.event.to_string(),
        "probability": bounds(&refutation.first_probability),
        "probability_of_neighbour": bounds(&refutation.second_probability),
        "loss": loss,
        "claimed_epsilon": refutation.epsilon.to_f64(),
        "evidence": refutation.evidence.to_string(),
    })
}

fn parameters(parameters: &Parameters) -> String {
    let parts: Vec<String> = parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    parts.join(", ")
}

fn inputs(inputs: &Inputs) -> String {
    let parts: Vec<String> = inputs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    parts.join(", ")
}

/// A probability: once if its bounds print alike, else both.
fn range(bounds: &Bounds) -> String {
    let (low, high) = (scientific(&bounds.low), scientific(&bounds.high));
    if low == high { low } else { format!("{low} to {high}") }
}
