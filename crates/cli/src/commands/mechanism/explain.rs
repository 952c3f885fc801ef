//! `probity explain`: why a mechanism is private. The derivation for every file; for snapping also the table of all
//! cases of the outcome, in symbols, and in numbers where numbers are given.

mod json;
mod text;

use std::path::PathBuf;

use probity_exact::{Rational, parse_rational};
use probity_verdict::explain;

use crate::failure::{Answer, Failure, Status};
use crate::progress::watched;
use crate::{files, given};

/// What to explain.
#[derive(clap::Args)]
pub struct Arguments {
    /// A mechanism file, or - for standard input
    path: PathBuf,
    /// Give a parameter a value, as eps=1; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Two neighbouring inputs, for the table in numbers
    #[arg(long, num_args = 2, value_names = ["F(A)", "F(A')"], allow_hyphen_values = true, value_parser = parse_rational)]
    inputs: Option<Vec<Rational>>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Explains.
pub fn run(arguments: &Arguments) -> Answer {
    let settings = given::settings(&arguments.settings)?;
    let (_, program) = files::program(&arguments.path)?;
    let inputs = match arguments.inputs.as_deref() {
        None => None,
        Some([first, second]) => Some([first.clone(), second.clone()]),
        Some(_) => return Err(Failure::new("--inputs takes two numbers")),
    };
    let explanation = watched(|watch| explain(&program, &settings, inputs.as_ref(), watch))?;
    if arguments.json {
        json::print(&explanation)?;
    } else {
        text::print(&explanation)?;
    }
    Ok(if explanation.holds() { Status::Done } else { Status::No })
}
