//! Finding and reading mechanism files, with a clear answer for what is not one; and writing files whole.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use probity_lang::Program;

use crate::failure::Failure;

/// The ending of mechanism files.
const ENDING: &str = "dp";

/// The mechanism files that a path stands for: itself, or every `.dp` file below a folder, in order.
pub fn mechanisms(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    collect(path, &mut found)?;
    if found.is_empty() {
        return Err(Failure::new(format!("there is no .{ENDING} file in {}", path.display())));
    }
    found.sort();
    Ok(found)
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let unreadable = |error| Failure::new(format!("cannot read {}: {error}", folder.display()));
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|ending| ending == ENDING) {
            found.push(path);
        }
    }
    Ok(())
}

/// The text of a file. A mechanism or certificate is small; more than 64 MiB is refused unread.
pub fn text(path: &Path) -> Result<String, Failure> {
    let name = path.display();
    let facts = fs::metadata(path).map_err(|error| {
        Failure::new(format!("cannot read {name}: {error}"))
            .hint("check the path; `probity list` shows the library")
    })?;
    if facts.is_dir() {
        return Err(Failure::new(format!("{name} is a folder, not a file")).hint("name a file in it"));
    }
    if facts.len() > 64 << 20 {
        return Err(Failure::new(format!(
            "{name} has {} bytes, too many to be what is asked for",
            facts.len()
        )));
    }
    let bytes = fs::read(path).map_err(|error| Failure::new(format!("cannot read {name}: {error}")))?;
    String::from_utf8(bytes).map_err(|error| {
        Failure::new(format!("{name} is not UTF-8 text (byte {})", error.utf8_error().valid_up_to()))
    })
}

/// A mechanism file with its text. Its warnings are printed to standard error.
pub fn program(path: &Path) -> Result<(String, Program), Failure> {
    let source = text(path)?;
    let name = path.display().to_string();
    match probity_lang::load_text(&source) {
        Ok(program) => {
            if !program.warnings.is_empty() {
                eprint!("{}", probity_lang::render(&program.warnings, &name, &source));
            }
            Ok((source, program))
        }
        Err(faults) => Err(Failure::rendered(probity_lang::render(&faults, &name, &source))),
    }
}

/// Writes a file whole or not at all: to a temporary neighbour first, which then takes its place.
pub fn write(path: &Path, contents: &[u8]) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::new(format!("cannot write {}: {error}", path.display()));
    let Some(name) = path.file_name() else {
        return Err(Failure::new(format!("{} is no file name", path.display())));
    };
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(hidden);
    let written = fs::File::create(&temporary)
        .and_then(|mut file| file.write_all(contents).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // Nothing to do if there is nothing to remove.
        let _ = fs::remove_file(&temporary);
    }
    written.map_err(failed)
}
