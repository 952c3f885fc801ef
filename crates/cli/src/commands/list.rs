//! `probity list`: the mechanism files of a folder and what they claim.

use std::path::PathBuf;

use serde_json::json;

use crate::failure::{Answer, Status};
use crate::{files, output};

/// Which folder.
#[derive(clap::Args)]
pub struct Arguments {
    /// The folder with the mechanism files
    #[arg(default_value = "mechanisms")]
    path: PathBuf,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Lists.
pub fn run(arguments: &Arguments) -> Answer {
    let mut rows = Vec::new();
    for path in files::mechanisms(&arguments.path)? {
        let (_, program) = files::program(&path)?;
        let inputs: Vec<String> =
            program.mechanism.inputs.iter().map(|input| input.name.to_string()).collect();
        let params: Vec<String> =
            program.mechanism.params.iter().map(|param| param.name.to_string()).collect();
        let expected = if program.expect_refuted { "refuted" } else { "proved" };
        rows.push((
            path,
            program.mechanism.name.to_string(),
            inputs,
            params,
            program.claim.to_string(),
            expected,
        ));
    }
    if arguments.json {
        let values = rows.iter().map(|(path, name, inputs, params, claim, expected)| {
            json!({
                "file": path.display().to_string(), "mechanism": name, "inputs": inputs, "params": params,
                "claim": claim, "expected": expected,
            })
        });
        output::json(&values.collect())?;
    } else {
        let cells = rows.iter().map(|(path, _, inputs, params, claim, expected)| {
            let signature = format!("{}; {}", inputs.join(", "), params.join(", "));
            vec![path.display().to_string(), signature, claim.clone(), (*expected).to_owned()]
        });
        output::table(&["file", "inputs; parameters", "claim", "expected"], cells)?;
    }
    Ok(Status::Done)
}
