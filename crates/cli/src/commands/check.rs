//! `probity check`: replay a certificate, trusting nothing in it.

use std::path::PathBuf;

use probity_verdict::check;
use serde_json::json;

use crate::failure::{Answer, Status};
use crate::progress::watched;
use crate::{files, given, output};

/// Which certificate, and what it must be about.
#[derive(clap::Args)]
pub struct Arguments {
    /// The certificate, or - for standard input
    certificate: PathBuf,
    /// The mechanism file that the certificate must be about
    #[arg(long, value_name = "FILE")]
    mechanism: Option<PathBuf>,
    /// Give a parameter of the mechanism file a value, as eps=1; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", requires = "mechanism")]
    settings: Vec<String>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Replays.
pub fn run(arguments: &Arguments) -> Answer {
    let text = files::text(&arguments.certificate)?;
    let about = match &arguments.mechanism {
        None => None,
        Some(path) => Some((files::program(path)?.1, given::settings(&arguments.settings)?)),
    };
    let about = about.as_ref().map(|(program, settings)| (program, &settings[..]));
    match watched(|watch| check(&text, about, watch))?.theorem {
        Ok(theorem) => {
            let axioms: Vec<&str> = theorem.axioms().into_iter().collect();
            if arguments.json {
                let mechanism = theorem.mechanism();
                output::json(&json!({
                    "status": "accepted",
                    "mechanism": mechanism.name.as_str(),
                    "text": mechanism.to_string(),
                    "claim": theorem.claim().to_string(),
                    "axioms": axioms,
                }))?;
            } else {
                output::print(|out| {
                    writeln!(out, "accepted: {theorem}")?;
                    writeln!(out, "axioms: {}", axioms.join(", "))
                })?;
            }
            Ok(Status::Done)
        }
        Err(fault) => {
            match arguments.json {
                true => output::json(&json!({"status": "rejected", "reason": fault.to_string()}))?,
                false => output::print(|out| writeln!(out, "rejected: {fault}"))?,
            }
            Ok(Status::No)
        }
    }
}
