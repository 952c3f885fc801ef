//! `probity audit`: what a mechanism really loses on two inputs. A lower bound, and it says so.

use std::path::PathBuf;

use probity_exact::{Rational, directed};
use probity_kernel::term::Reading;
use probity_verdict::{
    Audit, AuditSettings, Bounds, Comparison, LogarithmCost, Reachability, Renyi, Side, Watch, audit,
    decimal, is_concentrated, parse_inputs, reading_of,
};
use serde_json::{Value, json};

use crate::commands::{audited_event, search};
use crate::failure::{Answer, Failure, Status};
use crate::progress::watched;
use crate::{files, given, output};

/// What to audit.
#[derive(clap::Args)]
pub struct Arguments {
    /// A mechanism file, or - for standard input
    path: PathBuf,
    /// Give a parameter a value, as eps=1; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// The two inputs to compare, as 0 1; a list as 1,2,3; several inputs as "x=1;q=1,2"
    #[arg(long, num_args = 2, value_names = ["INPUT", "NEIGHBOUR"], allow_hyphen_values = true)]
    #[arg(required_unless_present_any = ["search", "exhaustive"])]
    inputs: Vec<String>,
    /// The arithmetic: reals, binary64, binary32, binary16, or precision,emin,emax
    #[arg(long = "in", value_name = "READING", value_parser = given::reading)]
    reading: Option<Reading>,
    /// Write both output laws as exact rationals
    #[arg(long, value_name = "FILE.csv")]
    distribution: Option<PathBuf>,
    /// Also give the privacy curve: delta at this epsilon; may be repeated
    #[arg(long = "at-epsilon", value_name = "EPSILON", value_parser = probity_exact::parse_rational)]
    #[arg(allow_negative_numbers = true)]
    at_epsilon: Vec<Rational>,
    /// Look for the worst pair of neighbours; parameters may have ranges then, as --set eps=1/2..2
    #[arg(long, conflicts_with = "inputs")]
    search: bool,
    /// Compare all pairs of neighbours of a small format
    #[arg(long, conflicts_with_all = ["inputs", "search"])]
    exhaustive: bool,
    #[command(flatten)]
    budget: search::Budget,
    /// Also measure what the platform's logarithm costs in place of the correctly rounded one, in binary64
    #[arg(long, requires = "inputs")]
    platform_ln: bool,
    /// Also draw this many outputs of the first input and decide for each whether the second can produce it
    #[arg(long, value_name = "SAMPLES", requires = "inputs", allow_negative_numbers = true)]
    reach: Option<u32>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Audits.
pub fn run(arguments: &Arguments) -> Answer {
    for path in [&arguments.distribution, &arguments.budget.resume].into_iter().flatten() {
        files::check_place(path)?;
    }
    let (_, program) = files::program(&arguments.path)?;
    if arguments.search || arguments.exhaustive {
        let question = search::Question {
            program: &program,
            settings: &arguments.settings,
            reading: reading_of(&program, arguments.reading),
            json: arguments.json,
        };
        return match arguments.search {
            true => search::search(&question, &arguments.budget),
            false => search::exhaustive(&question),
        };
    }
    let values = given::settings(&arguments.settings)?;
    let [first, second] = &arguments.inputs[..] else {
        return Err(Failure::new("an audit compares two inputs").hint("add --inputs 0 1"));
    };
    let inputs = [parse_inputs(&program.mechanism, first)?, parse_inputs(&program.mechanism, second)?];
    let settings = AuditSettings {
        values,
        inputs,
        reading: arguments.reading,
        platform_ln: arguments.platform_ln,
        reach: arguments.reach,
    };
    let limit = arguments.budget.limit()?;
    let within = |watch: &Watch<'_>| match limit {
        Some(limit) => audit(&program, &settings, &watch.clone().within(limit)),
        None => audit(&program, &settings, watch),
    };
    let comparison = match watched(within)? {
        Audit::Laws(comparison) => comparison,
        Audit::Event(event) => return audited_event::print(&event, arguments.json),
    };
    if let Some(path) = &arguments.distribution {
        files::write(path, comparison.distribution().as_bytes())?;
    }
    let extras: Vec<Extra> = [
        comparison.platform_ln.as_ref().map(platform_ln),
        comparison.reachability.as_ref().map(reachability),
    ]
    .into_iter()
    .flatten()
    .collect();
    match arguments.json {
        true => {
            let mut value = to_json(&comparison, arguments);
            for (name, _, data) in extras {
                value[name] = data;
            }
            output::json(&value)?;
        }
        false => {
            print(&comparison, arguments)?;
            output::print(|out| extras.iter().try_for_each(|(_, line, _)| writeln!(out, "{line}")))?;
        }
    }
    Ok(Status::Done)
}

/// A further answer: its name, a line for people, data for programs.
type Extra = (&'static str, String, Value);

fn platform_ln(cost: &LogarithmCost) -> Extra {
    let loss = |bounds: &Option<Bounds>| bounds.as_ref().map(Bounds::certain);
    let (right, platform) = (loss(&cost.correctly_rounded), loss(&cost.platform));
    let difference = match (&cost.correctly_rounded, &cost.platform) {
        (Some(a), Some(b)) => decimal::figure(&(&b.low - &a.low)),
        _ => "unknown".into(),
    };
    let line = format!(
        "with the platform's ln: {} outcomes have another probability, the worst loss changes by {difference}",
        cost.outcomes_changed
    );
    let data = json!({
        "outcomes_changed": cost.outcomes_changed, "loss": platform, "loss_correctly_rounded": right,
        "difference": difference,
    });
    ("platform_ln", line, data)
}

fn reachability(found: &Reachability) -> Extra {
    let (low, high) = (directed::cast_down(&found.share.low), directed::cast_up(&found.share.high));
    let line = format!(
        "{} of {} outputs of the first input cannot come from the second: they give it away (share {} to {} at 95 %)",
        found.unreachable,
        found.samples,
        decimal::down(&found.share.low, 3),
        decimal::up(&found.share.high, 3)
    );
    let data = json!({"samples": found.samples, "unreachable": found.unreachable, "share": [low, high]});
    ("reachability", line, data)
}

fn to_json(comparison: &Comparison, arguments: &Arguments) -> Value {
    let Comparison { report, outcomes, reading, neighbours, epsilon, measure, renyi, seconds, .. } =
        comparison;
    let mut value = json!({
        "reading": reading.to_string(),
        "outcomes": outcomes[0],
        "outcomes_of_neighbour": outcomes[1],
        "neighbours": neighbours,
        "epsilon": Value::Null,
        "impossible": report.impossible.len(),
        "impossible_outcomes": report.impossible.iter().map(|(outcome, _)| outcome.to_string()).collect::<Vec<_>>(),
        // Rounded up: half the smallest double would print as 0.
        "impossible_mass": directed::cast_up(&report.impossible_mass),
        "escaped_mass": directed::cast_up(&report.escaped_mass),
        "delta_at_epsilon": Value::Null,
        "is": "a lower bound: other inputs may lose more",
        "seconds": seconds,
    });
    // Where an outcome gives the input away the loss is infinite, and so is the excess; the rest is told apart.
    let infinite = !report.impossible.is_empty();
    if infinite {
        value["loss"] = "inf".into();
        value["excess"] = if *neighbours { "inf".into() } else { Value::Null };
    }
    if is_concentrated(*measure) {
        claimed_amount(&mut value, *measure, epsilon);
        value["rho_shown"] = comparison.rho_shown().map(output::number).into();
        let point = |of: &Renyi| json!({"order": of.order, "low": of.low, "high": output::number(of.high)});
        value["renyi"] = renyi.iter().map(point).collect();
    } else {
        value["epsilon"] = output::number(epsilon.to_f64());
        value["delta_at_epsilon"] = comparison.delta(&epsilon.high).into();
    }
    if let Some(worst) = &report.worst {
        let (loss, excess) = if infinite { ("finite_loss", "finite_excess") } else { ("loss", "excess") };
        value[loss] = output::number(worst.loss.certain());
        value[excess] = comparison.excess().map(output::number).into();
        value["worst_outcome"] = worst.outcome.to_string().into();
    }
    if !arguments.at_epsilon.is_empty() {
        let point =
            |epsilon: &Rational| json!({"epsilon": epsilon.to_string(), "delta": comparison.delta(epsilon)});
        value["curve"] = arguments.at_epsilon.iter().map(point).collect();
    }
    value
}

/// What a claim in ρ or μ says, under the name of its measure.
pub(super) fn claimed_amount(value: &mut Value, measure: Reading, rho: &Bounds) {
    match measure {
        Reading::Mu => value["claimed_mu"] = output::number(amount(measure, rho)),
        _ => value["claimed_rho"] = output::number(amount(measure, rho)),
    }
}

/// ρ, or μ of μ²/2, to nearest.
pub(super) fn amount(measure: Reading, rho: &Bounds) -> f64 {
    if measure == Reading::Mu { (2.0 * rho.to_f64()).sqrt() } else { rho.to_f64() }
}

/// Impossible outcomes that are named one by one.
const LISTED: usize = 10;

fn print(comparison: &Comparison, arguments: &Arguments) -> Result<(), Failure> {
    let Comparison { report, outcomes, reading, neighbours, epsilon, measure, renyi, seconds, .. } =
        comparison;
    output::print(|out| {
        writeln!(out, "audit {reading}: {} outcomes, {} under the neighbour", outcomes[0], outcomes[1])?;
        if !neighbours {
            writeln!(out, "These inputs are not neighbours: the claim says nothing about them.")?;
        }
        let infinite = !report.impossible.is_empty();
        if infinite {
            writeln!(out, "loss    inf: some outcomes are possible under one input only")?;
            writeln!(out, "claimed {}", decimal::double(epsilon.to_f64()))?;
            if *neighbours {
                writeln!(out, "excess  inf")?;
            }
        }
        match &report.worst {
            Some(worst) => {
                let loss = decimal::double(worst.loss.certain());
                let at = decimal::outcome(&worst.outcome);
                if infinite {
                    let excess = comparison.excess().map(decimal::at_least);
                    let excess = excess.map_or(String::new(), |excess| format!(", excess {excess}"));
                    writeln!(out, "finite  {loss} at outcome {at}{excess}")?;
                } else {
                    writeln!(out, "loss    {loss} at outcome {at}")?;
                    if !is_concentrated(*measure) {
                        writeln!(out, "claimed {}", decimal::double(epsilon.to_f64()))?;
                    }
                    if let Some(excess) = comparison.excess() {
                        writeln!(out, "excess  {}", decimal::at_least(excess))?;
                    }
                }
            }
            None if comparison.is_undecided() => {
                writeln!(out, "There are too many outcomes for an exact law: nearly every float is one.")?;
            }
            None => writeln!(out, "no outcome is possible under both inputs")?,
        }
        writeln!(out, "impossible outcomes: {}", report.impossible.len())?;
        for (outcome, side) in report.impossible.iter().take(LISTED) {
            let only = match side {
                Side::First => "first",
                Side::Second => "second",
            };
            writeln!(out, "  {} is possible under the {only} input only", decimal::outcome(outcome))?;
        }
        if report.impossible.len() > LISTED {
            writeln!(out, "  … and {} more: --json has them all", report.impossible.len() - LISTED)?;
        }
        if !report.impossible.is_empty() {
            writeln!(out, "impossible mass {}", decimal::figure(&report.impossible_mass))?;
        }
        writeln!(out, "escaped mass {}", decimal::up(&report.escaped_mass, decimal::FIGURES))?;
        if is_concentrated(*measure) {
            let name = if *measure == Reading::Mu { "mu" } else { "rho" };
            writeln!(out, "claimed {name} {}", decimal::double(amount(*measure, epsilon)))?;
            for Renyi { order, low, high } in renyi {
                let (low, high) = (decimal::at_least(*low), decimal::at_most(*high));
                writeln!(out, "Renyi divergence of order {order}: {low} to {high}")?;
            }
            let shown = comparison.rho_shown().unwrap_or(0.0);
            let above = shown > directed::cast_up(&epsilon.high);
            let verdict = if above && *neighbours { ", more than is claimed" } else { "" };
            writeln!(out, "rho shown {}{verdict}", decimal::at_least(shown))?;
        } else {
            let delta = decimal::down(&comparison.delta_at_least(&epsilon.high), decimal::FIGURES);
            writeln!(out, "delta at the claimed epsilon {delta}")?;
        }
        for epsilon in &arguments.at_epsilon {
            let delta = decimal::down(&comparison.delta_at_least(epsilon), decimal::FIGURES);
            writeln!(out, "delta({}) at least {delta}", decimal::exact_or_nearest(epsilon))?;
        }
        writeln!(out, "This is a lower bound: other inputs may lose more.  {seconds:.3} s")
    })
}
