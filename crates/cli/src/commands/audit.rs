//! `probity audit`: what a mechanism really loses on two inputs. A lower bound, and it says so.

use std::path::PathBuf;
use std::thread;
use std::time::Instant;

use probity_audit::{
    AuditError, Bounds, Effort, Inputs, Law, PairReport, Parameters, Side, admits, admits_parameters,
    claimed, logarithm_cost, neighbours, output_law, reachability,
};
use probity_exact::{Format, Rational, Round, directed};
use probity_kernel::term::{Distribution, Reading, Statement};
use probity_lang::Program;
use serde_json::{Value, json};

use super::{search, telling_event};
use crate::failure::{Answer, Failure, Status};
use crate::progress::watched;
use crate::{decimal, files, given, output};

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

/// A comparison that was made.
struct Comparison {
    report: PairReport,
    /// How many outcomes each input has.
    outcomes: [usize; 2],
    reading: Reading,
    /// Whether the claim is about these inputs at all.
    neighbours: bool,
    epsilon: Bounds,
    seconds: f64,
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
    let settings = given::settings(&arguments.settings)?;
    let parameters = given::parameters(&program, &settings)?;
    given::check_complete(&program, &settings)?;
    let [first, second] = &arguments.inputs[..] else {
        return Err(Failure::new("an audit compares two inputs").hint("add --inputs 0 1"));
    };
    let inputs = [given::inputs(&program.mechanism, first)?, given::inputs(&program.mechanism, second)?];
    for (input, text) in inputs.iter().zip([first, second]) {
        check_input(&program, &parameters, input, text)?;
    }
    let neighbours =
        neighbours(&program.mechanism, &parameters, &inputs[0], &inputs[1]).map_err(Failure::new)?;
    let start = Instant::now();
    check_parameters(&parameters, reading_of(&program, arguments.reading))?;
    let exact = watched("computing the exact laws of both inputs", || {
        laws(&program, &parameters, &inputs, arguments.reading)
    });
    let (laws, reading) = match exact {
        // Over the reals a continuous output has no law that could be listed, but events that tell.
        Err(_) if reading_of(&program, arguments.reading) == Reading::Reals => {
            return telling_event::run(&program, &parameters, &inputs, neighbours, arguments.json);
        }
        laws => laws?,
    };
    let report = PairReport::new(&laws[0], &laws[1]);
    let (epsilon, _) = claimed(&program.mechanism, &program.claim, &parameters).map_err(Failure::new)?;
    let outcomes = [laws[0].outcomes(), laws[1].outcomes()];
    let seconds = start.elapsed().as_secs_f64();
    let comparison = Comparison { report, outcomes, reading, neighbours, epsilon, seconds };
    if let Some(path) = &arguments.distribution {
        files::write(path, distribution(&comparison.report).as_bytes())?;
    }
    let mut extras = Vec::new();
    if arguments.platform_ln {
        let work = || platform_ln(&program, &parameters, &inputs);
        extras.push(watched("measuring the platform's logarithm", work)?);
    }
    let too_many = comparison.reading != Reading::Reals && is_undecided(&comparison.report);
    if let Some(samples) = arguments.reach.or(too_many.then_some(REACH)) {
        let format = given::format(comparison.reading)?;
        let work = || reach(&program, &parameters, &inputs, format, samples);
        extras.push(watched("deciding which outputs both inputs can have", work)?);
    }
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

/// Outputs that are drawn when there are too many outcomes for a law.
const REACH: u32 = 200;

/// Whether most of the mass escaped, so that the laws show little.
fn is_undecided(report: &PairReport) -> bool {
    report.escaped_mass > Rational::ONE / Rational::from(2)
}

/// A further answer: its name, a line for people, data for programs.
type Extra = (&'static str, String, Value);

fn platform_ln(program: &Program, parameters: &Parameters, inputs: &[Inputs; 2]) -> Result<Extra, Failure> {
    let cost = logarithm_cost(&program.mechanism, parameters, &inputs[0], &inputs[1], Effort::default())
        .map_err(Failure::new)?;
    let loss = |bounds: &Option<Bounds>| bounds.as_ref().map(Bounds::to_f64);
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
    Ok(("platform_ln", line, data))
}

/// The seed with which outputs are drawn: an audit gives the same answer each time.
const SEED: u64 = 1;

fn reach(
    program: &Program,
    parameters: &Parameters,
    inputs: &[Inputs; 2],
    format: Format,
    samples: u32,
) -> Result<Extra, Failure> {
    let found = reachability(&program.mechanism, parameters, &inputs[0], &inputs[1], format, samples, SEED)
        .map_err(Failure::new)?;
    let (low, high) = (directed::cast_down(&found.share.low), directed::cast_up(&found.share.high));
    let line = format!(
        "{} of {} outputs of the first input cannot come from the second: they give it away (share {low:.3} to {high:.3} at 95 %)",
        found.unreachable, found.samples
    );
    let data = json!({"samples": found.samples, "unreachable": found.unreachable, "share": [low, high]});
    Ok(("reachability", line, data))
}

/// Refuses an input that the mechanism is not defined for: a loss there would say nothing about it.
fn check_input(
    program: &Program,
    parameters: &Parameters,
    input: &Inputs,
    text: &str,
) -> Result<(), Failure> {
    let mechanism = &program.mechanism;
    // The parameters first: an assumption about an input cannot be read without them.
    let admitted = admits_parameters(mechanism, parameters).map_err(Failure::new)?
        && admits(mechanism, parameters, input).map_err(Failure::new)?;
    if admitted {
        return Ok(());
    }
    let assumptions: Vec<String> = mechanism.assumptions.iter().map(ToString::to_string).collect();
    let types: Vec<String> =
        mechanism.inputs.iter().map(|input| format!("{}: {}", input.name, input.sort)).collect();
    let types = format!("its inputs are {}", types.join(", "));
    let failure =
        Failure::new(format!("{} is not defined for the input {text} with these parameters", mechanism.name));
    Err(match assumptions.is_empty() {
        true => failure.hint(types),
        false => failure.hint(format!("{types}; it assumes {}", assumptions.join(", "))),
    })
}

/// The arithmetic of an audit: the one that was asked for, else the format of the claim. A claim over the reals is audited
/// in binary64 if the file says how the noise is made of a uniform draw, otherwise over the reals.
pub fn reading_of(program: &Program, asked: Option<Reading>) -> Reading {
    match asked {
        Some(reading) => reading,
        None if program.claim.reading != Reading::Reals => program.claim.reading,
        None if draws_uniform(&program.mechanism.body) => Reading::BINARY64,
        None => Reading::Reals,
    }
}

/// Refuses parameters that the arithmetic cannot come near: the program computes with them rounded to nearest, and that must
/// neither be infinite nor make a 0 of them. The claim is about the exact ones.
pub fn check_parameters(parameters: &Parameters, reading: Reading) -> Result<(), Failure> {
    if reading == Reading::Reals {
        return Ok(());
    }
    let format = given::format(reading)?;
    for (name, value) in parameters {
        let float = format.round(value, Round::NearestEven);
        if !float.is_finite() || float.is_zero() && !value.is_zero() {
            let shown = decimal::telling(value);
            let reason = format!("{name} = {shown} is beyond the range of {format}, and not admitted there");
            return Err(Failure::new(reason).hint("give another value, or another format with --in"));
        }
    }
    Ok(())
}

/// The laws of both inputs in the arithmetic of the audit.
pub fn laws(
    program: &Program,
    parameters: &Parameters,
    inputs: &[Inputs; 2],
    asked: Option<Reading>,
) -> Result<([Law; 2], Reading), Failure> {
    let mechanism = &program.mechanism;
    let reading = reading_of(program, asked);
    let law = |inputs: &Inputs| output_law(mechanism, parameters, inputs, reading);
    Ok((both(inputs, law)?, reading))
}

/// The laws of the two inputs, side by side on two threads.
fn both(
    inputs: &[Inputs; 2],
    law: impl Fn(&Inputs) -> Result<Law, AuditError> + Sync,
) -> Result<[Law; 2], Failure> {
    let (first, second) = thread::scope(|scope| {
        let second = scope.spawn(|| law(&inputs[1]));
        (law(&inputs[0]), second.join())
    });
    let second = second.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    Ok([first.map_err(Failure::new)?, second.map_err(Failure::new)?])
}

/// Whether some statement draws from `uniform(0, 1)`, so that the file is a program that can run in floats.
fn draws_uniform(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match statement {
        Statement::Draw { law, .. } => *law == Distribution::Uniform,
        Statement::If { then, otherwise, .. } => draws_uniform(then) || draws_uniform(otherwise),
        Statement::For { body, .. } | Statement::While { body, .. } => draws_uniform(body),
        Statement::Assign { .. } | Statement::Append { .. } => false,
    })
}

/// Both laws side by side, as exact rationals.
fn distribution(report: &PairReport) -> String {
    let exact = report.outcomes.iter().all(|o| o.first.low == o.first.high && o.second.low == o.second.high);
    let mut text = String::from(match exact {
        true => "outcome,first,second\n",
        false => "outcome,first_low,first_high,second_low,second_high\n",
    });
    for outcome in &report.outcomes {
        let masses = match exact {
            true => vec![&outcome.first.low, &outcome.second.low],
            false => vec![&outcome.first.low, &outcome.first.high, &outcome.second.low, &outcome.second.high],
        };
        let cells: Vec<String> = masses
            .into_iter()
            .map(|mass| Rational::from_parts(mass.clone().into(), report.denominator.clone()).to_string())
            .collect();
        text.push_str(&format!("\"{}\",{}\n", outcome.outcome, cells.join(",")));
    }
    text
}

fn to_json(comparison: &Comparison, arguments: &Arguments) -> Value {
    let Comparison { report, outcomes, reading, neighbours, epsilon, seconds } = comparison;
    let mut value = json!({
        "reading": reading.to_string(),
        "outcomes": outcomes[0],
        "outcomes_of_neighbour": outcomes[1],
        "neighbours": neighbours,
        "epsilon": output::number(epsilon.to_f64()),
        "impossible": report.impossible.len(),
        "impossible_outcomes": report.impossible.iter().map(|(outcome, _)| outcome.to_string()).collect::<Vec<_>>(),
        // Rounded up: half the smallest double would print as 0.
        "impossible_mass": directed::cast_up(&report.impossible_mass),
        "escaped_mass": directed::cast_up(&report.escaped_mass),
        "delta_at_epsilon": delta(report, &epsilon.high),
        "is": "a lower bound: other inputs may lose more",
        "seconds": seconds,
    });
    if let Some(worst) = &report.worst {
        value["loss"] = output::number(worst.loss.to_f64());
        value["excess"] = excess(comparison).map(output::number).into();
        value["worst_outcome"] = worst.outcome.to_string().into();
    }
    if !arguments.at_epsilon.is_empty() {
        let point =
            |epsilon: &Rational| json!({"epsilon": epsilon.to_string(), "delta": delta(report, epsilon)});
        value["curve"] = arguments.at_epsilon.iter().map(point).collect();
    }
    value
}

/// What is certain of δ(ε), rounded to nearest.
fn delta(report: &PairReport, epsilon: &Rational) -> f64 {
    directed::cast_nearest(&report.delta(epsilon).low)
}

/// The worst finite loss less the claimed ε, if the claim is about these inputs; 0 when their bounds, some 30 digits,
/// overlap.
fn excess(comparison: &Comparison) -> Option<f64> {
    if !comparison.neighbours {
        return None;
    }
    let Bounds { low, high } = &comparison.epsilon;
    let (above_high, above_low) = (comparison.report.excess(high)?, comparison.report.excess(low)?);
    let bounds = Bounds { low: above_high.low, high: above_low.high };
    let zero = bounds.low <= Rational::ZERO && bounds.high >= Rational::ZERO;
    Some(if zero { 0.0 } else { bounds.to_f64() })
}

/// Impossible outcomes that are named one by one.
const LISTED: usize = 10;

fn print(comparison: &Comparison, arguments: &Arguments) -> Result<(), Failure> {
    let Comparison { report, outcomes, reading, neighbours, epsilon, seconds } = comparison;
    output::print(|out| {
        writeln!(out, "audit {reading}: {} outcomes, {} under the neighbour", outcomes[0], outcomes[1])?;
        if !neighbours {
            writeln!(out, "These inputs are not neighbours: the claim says nothing about them.")?;
        }
        match &report.worst {
            Some(worst) => {
                let loss = decimal::double(worst.loss.to_f64());
                writeln!(out, "loss    {loss} at outcome {}", decimal::outcome(&worst.outcome))?;
                writeln!(out, "claimed {}", decimal::double(epsilon.to_f64()))?;
                if let Some(excess) = excess(comparison) {
                    writeln!(out, "excess  {}", decimal::figure_of(excess))?;
                }
            }
            None if is_undecided(report) => {
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
        writeln!(out, "escaped mass {}", decimal::figure(&report.escaped_mass))?;
        writeln!(out, "delta at the claimed epsilon {}", decimal::figure_of(delta(report, &epsilon.high)))?;
        for epsilon in &arguments.at_epsilon {
            writeln!(out, "delta({}) = {:.6e}", decimal::telling(epsilon), delta(report, epsilon))?;
        }
        writeln!(out, "This is a lower bound: other inputs may lose more.  {seconds:.3} s")
    })
}
