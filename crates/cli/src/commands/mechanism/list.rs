//! `probity list`: the mechanism files of a folder and what they claim.

use std::path::{Path, PathBuf};

use probity_lang::Program;
use serde_json::{Value, json};

use crate::failure::{Answer, Failure, Status};
use crate::{files, output};

/// Which folder.
#[derive(clap::Args)]
pub struct Arguments {
    /// A folder with mechanism files, or one file: it is read, its names and types are checked, and nothing is proved
    #[arg(default_value = "mechanisms")]
    path: PathBuf,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Lists. A file of a folder that cannot be read has a row that says so.
pub fn run(arguments: &Arguments) -> Answer {
    let mut rows: Vec<(PathBuf, Result<Program, Failure>)> = Vec::new();
    for path in files::mechanisms(&arguments.path)? {
        let program = files::program(&path).map(|(_, program)| program);
        if !arguments.path.is_dir() && program.is_err() {
            // One file: what is wrong with it is the answer.
            return program.map(|_| Status::Done);
        }
        rows.push((path, program));
    }
    let failures = || rows.iter().filter_map(|(_, program)| program.as_ref().err());
    failures().for_each(|failure| output::complain(&failure.to_string()));
    if arguments.json {
        let values = rows.iter().map(|(path, program)| match program {
            Ok(program) => to_json(path, program),
            Err(failure) => failure.to_row(path),
        });
        output::json(&values.collect())?;
    } else {
        let cells = rows.iter().map(|(path, program)| match program {
            Ok(program) => to_cells(path, program),
            Err(failure) => {
                vec![path.display().to_string(), String::new(), failure.reason(), "unreadable".into()]
            }
        });
        output::table(&["file", "inputs; parameters", "claim", "expected"], cells)?;
    }
    Ok(if failures().next().is_some() { Status::BadInput } else { Status::Done })
}

fn names(program: &Program) -> (Vec<String>, Vec<String>) {
    let mechanism = &program.mechanism;
    let inputs = mechanism.inputs.iter().map(|input| input.name.to_string()).collect();
    let params = mechanism.params.iter().map(|param| param.name.to_string()).collect();
    (inputs, params)
}

fn expected(program: &Program) -> &'static str {
    if program.expect_refuted { "refuted" } else { "proved" }
}

fn to_json(path: &Path, program: &Program) -> Value {
    let (inputs, params) = names(program);
    json!({
        "file": path.display().to_string(),
        "mechanism": program.mechanism.name.as_str(),
        "inputs": inputs,
        "params": params,
        "claim": program.claim.to_string(),
        "expected": expected(program),
    })
}

fn to_cells(path: &Path, program: &Program) -> Vec<String> {
    let (inputs, params) = names(program);
    let signature = format!("{}; {}", inputs.join(", "), params.join(", "));
    vec![path.display().to_string(), signature, program.claim.to_string(), expected(program).to_owned()]
}
