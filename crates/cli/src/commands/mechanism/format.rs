//! `probity fmt`: mechanism files in the one layout.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::failure::{Answer, Failure, Status};
use crate::{files, output};

/// Which files, and what to do with them.
#[derive(clap::Args)]
pub struct Arguments {
    /// Mechanism files, folders of them, or - for standard input, which is printed
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Change nothing; name the files that are laid out otherwise, and exit with 1 if there are any
    #[arg(long)]
    check: bool,
    /// Print the result instead of writing it to the file
    #[arg(long, conflicts_with = "check")]
    print: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// A file and what became of it.
struct Done {
    changed: bool,
    /// The first line that is laid out otherwise, counted from 1, as it should be.
    first: Option<(usize, String)>,
    written: bool,
    /// The result, where it is to be printed.
    formatted: Option<String>,
}

/// Formats. A file that cannot be read does not keep the others from it.
pub fn run(arguments: &Arguments) -> Answer {
    let mut rows: Vec<(PathBuf, Result<Done, Failure>)> = Vec::new();
    for path in &arguments.paths {
        for file in files::mechanisms(path)? {
            let done = format(&file, arguments);
            match &done {
                Err(failure) => output::complain(&failure.to_string()),
                Ok(_) if arguments.json => {}
                Ok(Done { formatted: Some(text), .. }) => {
                    output::print(|out| out.write_all(text.as_bytes()))?
                }
                Ok(Done { changed: true, first, .. }) => {
                    output::print(|out| writeln!(out, "{}", file.display()))?;
                    if let Some((line, text)) = first.as_ref().filter(|_| arguments.check) {
                        // The answer is the name; why stands beside it.
                        output::complain(&format!(
                            "{}:{line}: only white space differs; `probity fmt` would write: {text}",
                            file.display()
                        ));
                    }
                }
                Ok(_) => {}
            }
            rows.push((file, done));
        }
    }
    if arguments.json {
        output::json(&rows.iter().map(|(path, done)| to_json(path, done)).collect())?;
    }
    let changed = |done: &Result<Done, Failure>| done.as_ref().is_ok_and(|done| done.changed);
    Ok(if rows.iter().any(|(_, done)| done.is_err()) {
        Status::BadInput
    } else if arguments.check && rows.iter().any(|(_, done)| changed(done)) {
        Status::No
    } else {
        Status::Done
    })
}

fn format(path: &Path, arguments: &Arguments) -> Result<Done, Failure> {
    let before = files::text(path)?;
    let after = probity_lang::format(&before).map_err(|faults| Failure::faults(&faults, path, &before))?;
    let changed = before != after;
    let print = arguments.print || (path == Path::new("-") && !arguments.check);
    let written = changed && !print && !arguments.check;
    if written {
        files::replace(path, after.as_bytes())?;
    }
    let first = first_difference(&before, &after);
    Ok(Done { changed, first, written, formatted: print.then_some(after) })
}

fn first_difference(before: &str, after: &str) -> Option<(usize, String)> {
    let mut lines = before.split('\n').zip(after.split('\n')).enumerate();
    lines.find(|(_, (old, new))| old != new).map(|(i, (_, new))| (i + 1, new.trim_start().to_string()))
}

fn to_json(path: &Path, done: &Result<Done, Failure>) -> Value {
    match done {
        Err(failure) => failure.to_row(path),
        Ok(Done { changed, written, formatted, .. }) => {
            let mut value = json!({
                "file": path.display().to_string(), "changed": changed, "written": written,
            });
            if let Some(text) = formatted {
                value["formatted"] = text.clone().into();
            }
            value
        }
    }
}
