//! `probity fmt`: mechanism files in the one layout.

use std::path::PathBuf;

use crate::failure::{Answer, Failure, Status};
use crate::{files, output};

/// Which files, and what to do with them.
#[derive(clap::Args)]
pub struct Arguments {
    /// Mechanism files or folders of them
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Change nothing; name the files that are laid out otherwise, and exit with 1 if there are any
    #[arg(long)]
    check: bool,
    /// Print the result instead of writing it to the file
    #[arg(long, conflicts_with = "check")]
    print: bool,
}

/// Formats.
pub fn run(arguments: &Arguments) -> Answer {
    let mut status = Status::Done;
    for path in &arguments.paths {
        for file in files::mechanisms(path)? {
            let before = files::text(&file)?;
            let name = file.display().to_string();
            let after = probity_lang::format(&before)
                .map_err(|faults| Failure::rendered(probity_lang::render(&faults, &name, &before)))?;
            if arguments.print {
                output::print(|out| out.write_all(after.as_bytes()))?;
            } else if before != after {
                if arguments.check {
                    status = Status::No;
                } else {
                    files::write(&file, after.as_bytes())?;
                }
                output::print(|out| writeln!(out, "{name}"))?;
            }
        }
    }
    Ok(status)
}
