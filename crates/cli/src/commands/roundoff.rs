//! `probity roundoff`: bounds of the rounding errors of the programs in an FPCore file.

use std::path::PathBuf;
use std::time::Instant;

use probity_float::fpcore::{self, Benchmark};
use probity_float::roundoff::{self, Analysis, Options, Unbounded};
use probity_verdict::decimal;
use serde_json::{Value, json};

use crate::failure::{Answer, Failure, Status};
use crate::progress::Progress;
use crate::{files, given, output};

/// Which file, and how to look at it.
#[derive(clap::Args)]
pub struct Arguments {
    /// A file of FPCore programs, or - for standard input
    path: PathBuf,
    /// Only the program with this name
    #[arg(long)]
    name: Option<String>,
    /// Inputs are floats already; otherwise they are reals, and rounding them counts
    #[arg(long)]
    exact_inputs: bool,
    /// Work that the search may do, in evaluations of one operation over one box
    #[arg(long, default_value_t = Options::default().effort, allow_negative_numbers = true)]
    effort: usize,
    /// Exponentials, logarithms, powers and trigonometric functions err by up to this many units in the last place instead of
    /// being correctly rounded
    #[arg(long, value_name = "ULPS", default_value_t = 0, allow_negative_numbers = true)]
    ulps: u32,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// One program and what was found.
struct Row {
    name: String,
    found: Result<Analysis, String>,
    seconds: f64,
}

/// Bounds.
pub fn run(arguments: &Arguments) -> Answer {
    let text = files::text(&arguments.path)?;
    let all = fpcore::read(&text).map_err(|error| {
        Failure::new(format!("{}: {error}", arguments.path.display())).in_file(&arguments.path)
    })?;
    // Any text in brackets reads as something; without this word none of it is meant to be a program.
    let has_programs = text.split('(').any(|part| part.trim_start().starts_with("FPCore"));
    if all.is_empty() || !has_programs {
        return Err(Failure::new(format!("there is no FPCore program in {}", arguments.path.display()))
            .hint("a program is written as (FPCore (x) :pre (<= 1 x 2) (* x x))")
            .in_file(&arguments.path));
    }
    let wanted: Vec<&Benchmark> = match &arguments.name {
        None => all.iter().collect(),
        Some(name) => all.iter().filter(|benchmark| benchmark.name == *name).collect(),
    };
    if wanted.is_empty() {
        let names: Vec<String> = all.iter().map(|benchmark| benchmark.name.clone()).collect();
        let wrong = arguments.name.as_deref().unwrap_or_default();
        return Err(Failure::new(format!("there is no program {wrong} in the file"))
            .hint(given::meant("it has", wrong, &names)));
    }
    let options = Options {
        exact_inputs: arguments.exact_inputs,
        effort: arguments.effort,
        ulps: arguments.ulps,
        ..Options::default()
    };
    let progress = Progress::new();
    let mut rows: Vec<Row> = Vec::new();
    for (number, benchmark) in wanted.iter().enumerate() {
        progress.step(number, wanted.len(), || benchmark.name.clone());
        rows.push(analyse(benchmark, &options));
    }
    drop(progress);
    if arguments.json {
        output::json(&rows.iter().map(to_json).collect())?;
    } else {
        let heading = ["name", "absolute", "sampled", "relative", "ms"];
        output::table(&heading, rows.iter().map(to_cells))?;
        let missing =
            rows.iter().filter_map(|row| row.found.as_ref().err().map(|reason| (&row.name, reason)));
        output::print(|out| {
            let inputs =
                if options.exact_inputs { "inputs are floats" } else { "inputs are reals, rounded first" };
            let functions = match options.ulps {
                0 => String::new(),
                ulps => format!("; functions are within {ulps} units in the last place"),
            };
            writeln!(
                out,
                "\nabsolute and relative are upper bounds over all inputs, sampled is an error that occurs; {inputs}{functions}"
            )?;
            missing
                .into_iter()
                .try_for_each(|(name, reason)| writeln!(out, "{name} is not covered: {reason}"))?;
            for row in &rows {
                let Ok(found) = &row.found else { continue };
                match (&found.absolute, &found.relative) {
                    (Err(reason), _) => writeln!(out, "{} is unbounded, because {reason}", row.name)?,
                    (_, Err(reason)) if *reason != Unbounded::NotAsked => {
                        writeln!(out, "{}: the relative error is unbounded, because {reason}", row.name)?;
                    }
                    _ => {}
                }
            }
            Ok(())
        })?;
    }
    Ok(Status::Done)
}

fn analyse(benchmark: &Benchmark, options: &Options) -> Row {
    let start = Instant::now();
    let found = match &benchmark.content {
        Ok(core) => Ok(roundoff::analyse(core, options)),
        Err(reason) => Err(reason.to_string()),
    };
    Row { name: benchmark.name.clone(), found, seconds: start.elapsed().as_secs_f64() }
}

fn to_json(row: &Row) -> Value {
    let mut value = json!({"name": row.name, "seconds": row.seconds});
    match &row.found {
        Err(reason) => value["not_covered"] = reason.clone().into(),
        Ok(found) => {
            let mut put = |name: &str, bound: &Result<f64, Unbounded>| match bound {
                Ok(bound) => value[name] = json!(bound),
                Err(reason) => {
                    value[name] = Value::Null;
                    value[format!("{name}_unbounded")] = reason.to_string().into();
                }
            };
            put("absolute", &found.absolute);
            put("relative", &found.relative);
            value["sampled"] = found.sampled.map_or(Value::Null, |error| json!(error));
        }
    }
    value
}

fn to_cells(row: &Row) -> Vec<String> {
    let bound = |bound: &Result<f64, Unbounded>| match bound {
        Ok(bound) => decimal::at_most(*bound),
        Err(Unbounded::NotAsked) => String::new(),
        Err(_) => "unbounded".to_owned(),
    };
    let milliseconds = format!("{:.1}", row.seconds * 1e3);
    match &row.found {
        Err(_) => vec![row.name.clone(), "not covered".into(), String::new(), String::new(), milliseconds],
        Ok(found) => {
            let sampled = found.sampled.map_or(String::new(), decimal::at_least);
            vec![row.name.clone(), bound(&found.absolute), sampled, bound(&found.relative), milliseconds]
        }
    }
}
