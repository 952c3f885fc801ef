//! `probity report`: all that is known about a mechanism on one page, written to a file.

use std::path::PathBuf;

use probity_kernel::term::Reading;
use probity_lang::Program;
use probity_verdict::report::{Case, Report};
use probity_verdict::{ReportSettings, parse_inputs, report};
use serde_json::{Value, json};

use crate::failure::{Answer, Status};
use crate::progress::watched;
use crate::{files, given, output};

/// What to report on, and where to.
#[derive(clap::Args)]
pub struct Arguments {
    /// A mechanism file, or - for standard input
    path: PathBuf,
    /// Write the page to this file
    #[arg(long, value_name = "FILE.html")]
    out: PathBuf,
    /// Give a parameter a value, as eps=1; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Two neighbouring inputs to compare, as 0 1; lists are written as 1,2 and 1,3
    #[arg(long, num_args = 2, value_names = ["INPUT", "NEIGHBOUR"], allow_hyphen_values = true)]
    inputs: Option<Vec<String>>,
    /// The arithmetic to audit and certify: reals, binary64, binary32, binary16, or precision,emin,emax
    #[arg(long = "in", value_name = "READING", value_parser = given::reading)]
    reading: Option<Reading>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Writes the page. The exit code says whether lower and upper bounds agree, not what they say.
pub fn run(arguments: &Arguments) -> Answer {
    files::check_place(&arguments.out)?;
    let (source, program) = files::program(&arguments.path)?;
    let inputs = match arguments.inputs.as_deref() {
        Some([first, second]) => {
            Some([parse_inputs(&program.mechanism, first)?, parse_inputs(&program.mechanism, second)?])
        }
        _ => None,
    };
    let values = given::settings(&arguments.settings)?;
    let settings = ReportSettings { values, inputs, reading: arguments.reading };
    let report = watched(|watch| report(&program, &source, &settings, watch))?;
    files::write(&arguments.out, report.document.to_html().as_bytes())?;
    match arguments.json {
        true => output::json(&to_json(&report, arguments))?,
        false => {
            let (name, status) = (&program.mechanism.name, report.verdict.status());
            output::print(|out| {
                writeln!(out, "{name}: {status}, written to {}", files::shown(&arguments.out))
            })?;
        }
    }
    Ok(if report.bounds_cross { Status::BoundsCross } else { Status::Done })
}

/// The figures that the page opens with, for programs.
fn to_json(report: &Report<'_>, arguments: &Arguments) -> Value {
    let Program { mechanism, claim, .. } = &report.verdict.program;
    let (case, audit) = (report.case.as_ref(), report.audit.as_ref());
    let certificate = report.certificate();
    let worst = audit.and_then(|audit| audit.report.worst.as_ref());
    let excess = audit.and_then(|audit| audit.excess());
    let texts = |case: &Case<'_>| -> serde_json::Map<String, Value> {
        case.parameters.iter().map(|(name, value)| (name.to_string(), value.to_string().into())).collect()
    };
    json!({
        "file": arguments.path.display().to_string(),
        "mechanism": mechanism.name.as_str(),
        "status": report.verdict.status().name(),
        "claim": claim.to_string(),
        "parameters": case.map(texts),
        "inputs": case.map(|case| [listed(&case.inputs[0]), listed(&case.inputs[1])]),
        "certified_epsilon": certificate.map(|certificate| output::number(certificate.epsilon)),
        "certified_delta": certificate.map(|certificate| output::number(certificate.delta)),
        "reading": audit.map(|audit| audit.reading.to_string()),
        "epsilon": audit.map(|audit| output::number(audit.epsilon.to_f64())),
        "loss": worst.map(|worst| output::number(worst.loss.certain())),
        "excess": excess.map(|excess| output::number(excess.to_f64())),
        "worst_outcome": worst.map(|worst| worst.outcome.to_string()),
        "impossible": audit.map(|audit| audit.report.impossible.len()),
        "out": arguments.out.display().to_string(),
        "bounds_cross": report.bounds_cross,
        "seconds": report.seconds,
    })
}

/// `eps = 1, B = 100`.
fn listed(inputs: &probity_verdict::Inputs) -> String {
    probity_verdict::counterexample::listed(inputs, ToString::to_string)
}
