//! `probity audit` of an output that is continuous over the reals: the event that tells two inputs apart best, as far as it
//! was found.

use probity_verdict::counterexample::{event, range};
use probity_verdict::{Bounds, Reading, Side, TellingEvent, decimal};
use serde_json::{Value, json};

use crate::commands::audit;

use crate::failure::{Answer, Status};
use crate::output;

/// Shows the event.
pub fn print(found: &TellingEvent, json: bool) -> Answer {
    let TellingEvent { shown, neighbours, epsilon, delta, measure, seconds } = found;
    let side = match shown.side {
        Side::First => "first",
        Side::Second => "second",
    };
    if json {
        let bounds = |bounds: &Bounds| json!([bounds.low.to_string(), bounds.high.to_string()]);
        let mut value = json!({
            "reading": Reading::Reals.to_string(),
            "event": shown.event.to_string(),
            "likelier_under": side,
            "probability": bounds(&shown.probability),
            "probability_of_neighbour": bounds(&shown.of_neighbour),
            "loss": output::number(shown.loss),
            "neighbours": neighbours,
            "epsilon": Value::Null,
            "delta": Value::Null,
            "evidence": shown.evidence.to_string(),
            "is": "a lower bound: other inputs and other events may show more",
            "seconds": seconds,
        });
        match found.rho_shown() {
            Some(rho) => {
                audit::claimed_amount(&mut value, *measure, epsilon);
                value["rho_shown"] = output::number(rho);
            }
            None => {
                value["epsilon"] = epsilon.to_f64().into();
                value["delta"] = delta.to_f64().into();
            }
        }
        output::json(&value)?;
        return Ok(Status::Done);
    }
    output::print(|out| {
        writeln!(out, "audit {}: no law could be listed; the most telling event found", Reading::Reals)?;
        if !neighbours {
            writeln!(out, "These inputs are not neighbours: the claim says nothing about them.")?;
        }
        writeln!(out, "event   {}", event(&shown.event))?;
        writeln!(out, "has probability {} under the {side} input", range(&shown.probability))?;
        writeln!(out, "            and {} under the other", range(&shown.of_neighbour))?;
        let beyond = if delta.high.is_zero() { "" } else { ", with the claimed delta taken off" };
        writeln!(out, "loss    {}{beyond}", decimal::double(shown.loss))?;
        match found.rho_shown() {
            Some(rho) => {
                let name = if *measure == Reading::Mu { "mu" } else { "rho" };
                writeln!(out, "rho shown {}", decimal::figure_of(rho))?;
                writeln!(out, "claimed {name} {}", decimal::double(audit::amount(*measure, epsilon)))?;
            }
            None => writeln!(out, "claimed {}", decimal::double(epsilon.to_f64()))?,
        }
        writeln!(out, "by      {}", shown.evidence)?;
        writeln!(out, "This is a lower bound: other inputs and other events may show more.  {seconds:.3} s")
    })?;
    Ok(Status::Done)
}
