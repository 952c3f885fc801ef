//! `probity audit` of an output that is continuous over the reals: the event that tells two inputs apart best, as far as it
//! was found.

use std::time::Instant;

use probity_audit::{Bounds, Inputs, Parameters, Side, claimed, search_shown_loss};
use probity_kernel::term::Reading;
use probity_lang::Program;
use serde_json::json;

use super::counterexample::{event, range};
use crate::failure::{Answer, Failure, Status};
use crate::progress::watched;
use crate::{decimal, output};

/// Shows the event.
pub fn run(
    program: &Program,
    parameters: &Parameters,
    inputs: &[Inputs; 2],
    neighbours: bool,
    json: bool,
) -> Answer {
    let start = Instant::now();
    let shown = watched("looking for an event that tells the inputs apart", || {
        search_shown_loss(&program.mechanism, &program.claim, parameters, &inputs[0], &inputs[1])
    })
    .map_err(Failure::new)?;
    let (epsilon, delta) = claimed(&program.mechanism, &program.claim, parameters).map_err(Failure::new)?;
    let seconds = start.elapsed().as_secs_f64();
    let Some(shown) = shown else {
        return Err(Failure::new("no event was found that tells these inputs apart")
            .hint("that proves nothing; other inputs may show more"));
    };
    let side = match shown.side {
        Side::First => "first",
        Side::Second => "second",
    };
    if json {
        let bounds = |bounds: &Bounds| json!([bounds.low.to_string(), bounds.high.to_string()]);
        output::json(&json!({
            "reading": Reading::Reals.to_string(),
            "event": shown.event.to_string(),
            "likelier_under": side,
            "probability": bounds(&shown.probability),
            "probability_of_neighbour": bounds(&shown.of_neighbour),
            "loss": output::number(shown.loss),
            "neighbours": neighbours,
            "epsilon": epsilon.to_f64(),
            "delta": delta.to_f64(),
            "evidence": shown.evidence.to_string(),
            "is": "a lower bound: other inputs and other events may show more",
            "seconds": seconds,
        }))?;
        return Ok(Status::Done);
    }
    output::print(|out| {
        writeln!(out, "audit {}: the output is continuous; the most telling event found", Reading::Reals)?;
        if !neighbours {
            writeln!(out, "These inputs are not neighbours: the claim says nothing about them.")?;
        }
        writeln!(out, "event   {}", event(&shown.event))?;
        writeln!(out, "has probability {} under the {side} input", range(&shown.probability))?;
        writeln!(out, "            and {} under the other", range(&shown.of_neighbour))?;
        let beyond = if delta.high.is_zero() { "" } else { ", with the claimed delta taken off" };
        writeln!(out, "loss    {}{beyond}", decimal::double(shown.loss))?;
        writeln!(out, "claimed {}", decimal::double(epsilon.to_f64()))?;
        writeln!(out, "by      {}", shown.evidence)?;
        writeln!(out, "This is a lower bound: other inputs and other events may show more.  {seconds:.3} s")
    })?;
    Ok(Status::Done)
}
