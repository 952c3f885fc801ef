//! `probity audit` of an output that is continuous over the reals: the event that tells two inputs apart best, as far as it
//! was found.

use probity_verdict::counterexample::{event as words, range};
use probity_verdict::{Bounds, EventAudit, Reading, Side, decimal};
use serde_json::{Value, json};

use crate::commands::audit;

use crate::failure::{Answer, Status};
use crate::output;

/// Shows the event.
pub fn print(event: &EventAudit, json: bool) -> Answer {
    let EventAudit { found, neighbours, epsilon, delta, measure, seconds } = event;
    let side = match found.side {
        Side::First => "first",
        Side::Second => "second",
    };
    if json {
        let bounds = |bounds: &Bounds| json!([bounds.low.to_string(), bounds.high.to_string()]);
        let mut value = json!({
            "reading": Reading::Reals.to_string(),
            "event": found.event.to_string(),
            "likelier_under": side,
            "probability": bounds(&found.probability),
            "probability_of_neighbour": bounds(&found.of_neighbour),
            "loss": output::number(found.loss),
            "neighbours": neighbours,
            "epsilon": Value::Null,
            "delta": Value::Null,
            "evidence": found.evidence.to_string(),
            "is": "a lower bound: other inputs and other events may show more",
            "seconds": seconds,
        });
        match event.rho_shown() {
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
        writeln!(out, "event   {}", words(&found.event))?;
        writeln!(out, "has probability {} under the {side} input", range(&found.probability))?;
        writeln!(out, "            and {} under the other", range(&found.of_neighbour))?;
        let beyond = if delta.high.is_zero() { "" } else { ", with the claimed delta taken off" };
        writeln!(out, "loss    {}{beyond}", decimal::double(found.loss))?;
        match event.rho_shown() {
            Some(rho) => {
                let name = if *measure == Reading::Mu { "mu" } else { "rho" };
                writeln!(out, "rho shown {}", decimal::at_least(rho))?;
                writeln!(out, "claimed {name} {}", decimal::double(audit::amount(*measure, epsilon)))?;
            }
            None => writeln!(out, "claimed {}", decimal::double(epsilon.to_f64()))?,
        }
        writeln!(out, "by      {}", found.evidence)?;
        writeln!(out, "This is a lower bound: other inputs and other events may show more.  {seconds:.3} s")
    })?;
    Ok(Status::Done)
}
