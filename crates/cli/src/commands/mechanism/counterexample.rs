//! A refutation, for people and for programs.

use std::io::{self, Write};

use probity_exact::directed;
use probity_lang::Program;
use probity_verdict::counterexample::{facts, listed, measure};
use probity_verdict::{Bounds, Refutation};
use serde_json::{Value, json};

use crate::output::number;

/// Writes a refutation: inputs, event, both probabilities, the loss against the claim.
pub fn print(program: &Program, refutation: &Refutation, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "counterexample:")?;
    for (name, value) in facts(program, refutation) {
        writeln!(out, "  {name:<14} {value}")?;
    }
    Ok(())
}

/// The same as data.
pub fn to_json(refutation: &Refutation) -> Value {
    let bounds = |bounds: &Bounds| json!([bounds.low.to_string(), bounds.high.to_string()]);
    json!({
        "parameters": listed(&refutation.parameters, ToString::to_string),
        "input": listed(&refutation.first, ToString::to_string),
        "neighbour": listed(&refutation.second, ToString::to_string),
        "event": refutation.event.to_string(),
        "probability": bounds(&refutation.first_probability),
        "probability_of_neighbour": bounds(&refutation.second_probability),
        "measure": measure(refutation),
        "loss": number(refutation.loss),
        "claimed_epsilon": number(refutation.epsilon.to_f64()),
        "claimed_delta": refutation.delta.to_f64(),
        "shown_delta": directed::cast_down(&refutation.shown_delta()),
        "evidence": refutation.evidence.to_string(),
    })
}
