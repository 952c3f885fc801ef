//! `probity schema`: what `--json` answers, as JSON Schema. The schema travels with the program that keeps to it.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::failure::{Answer, Failure, Status};
use crate::{given, output};

/// The whole schema; a test holds every subcommand to it.
const SCHEMA: &str = include_str!("../../schema.json");

/// Whose answers.
#[derive(clap::Args)]
pub struct Arguments {
    /// The subcommand; all of them unless given
    command: Option<String>,
}

/// Prints the schema.
pub fn run(arguments: &Arguments) -> Answer {
    let whole: Value = serde_json::from_str(SCHEMA).map_err(Failure::new)?;
    match &arguments.command {
        None => output::json(&whole)?,
        Some(command) => output::json(&part(&whole, command)?)?,
    }
    Ok(Status::Done)
}

/// The schema of one subcommand: its answers or an error, with the definitions that they need.
fn part(whole: &Value, command: &str) -> Result<Value, Failure> {
    let answers = references(&whole["anyOf"]).into_iter().filter(|name| *name != "error");
    let commands: Vec<String> = answers.map(str::to_owned).collect();
    if !commands.iter().any(|known| known == command) {
        return Err(Failure::new(format!("'{command}' is no subcommand that answers in JSON"))
            .hint(given::meant("those that do are", command, &commands)));
    }
    let root = json!({"anyOf": [{"$ref": format!("#/$defs/{command}")}, {"$ref": "#/$defs/error"}]});
    let mut needed = BTreeSet::new();
    let mut open = vec![&root];
    while let Some(schema) = open.pop() {
        for name in references(schema) {
            if needed.insert(name) {
                open.push(&whole["$defs"][name]);
            }
        }
    }
    let definitions: Map<String, Value> =
        needed.into_iter().map(|name| (name.to_owned(), whole["$defs"][name].clone())).collect();
    Ok(json!({
        "$schema": whole["$schema"],
        "title": format!("probity {command} --json"),
        "anyOf": root["anyOf"],
        "$defs": definitions,
    }))
}

/// The definitions that a schema refers to.
fn references(schema: &Value) -> Vec<&str> {
    match schema {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(key, value)| match (key.as_str(), value.as_str()) {
                ("$ref", Some(target)) => target.strip_prefix("#/$defs/").into_iter().collect(),
                _ => references(value),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => vec![],
    }
}
