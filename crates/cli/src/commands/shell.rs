//! `probity completions` and `probity man`: what a shell and a manual reader need, made from the arguments.

use clap_complete::Shell;

use crate::failure::{Answer, Failure, Status};
use crate::output;

/// Which shell.
#[derive(clap::Args)]
pub struct CompletionArguments {
    /// The shell to complete for
    shell: Shell,
}

/// Prints the completion script.
pub fn completions(arguments: &CompletionArguments, mut command: clap::Command) -> Answer {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "probity", &mut script);
    output::print(|out| out.write_all(&script))?;
    Ok(Status::Done)
}

/// Prints the manual page in roff.
pub fn manual(command: clap::Command) -> Answer {
    let mut page = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut page)
        .map_err(|error| Failure::new(format!("cannot make the manual page: {error}")))?;
    output::print(|out| out.write_all(&page))?;
    Ok(Status::Done)
}
