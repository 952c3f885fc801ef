//! `probity completions` and `probity man`: what a shell and a manual reader need, made from the arguments.

use clap_complete::Shell;

use crate::failure::{Answer, Failure, Status};
use crate::{given, output};

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

/// Which page.
#[derive(clap::Args)]
pub struct ManualArguments {
    /// The subcommand; the page of the whole unless given
    command: Option<String>,
}

/// Prints a manual page in roff. Pages refer to each other as `probity-verify(1)`.
pub fn manual(arguments: &ManualArguments, mut whole: clap::Command) -> Answer {
    // Built, so that global options are on every page.
    whole.build();
    let command = match &arguments.command {
        None => whole,
        Some(name) => {
            let known: Vec<String> =
                whole.get_subcommands().map(|command| command.get_name().to_owned()).collect();
            whole.find_subcommand(name).cloned().ok_or_else(|| {
                Failure::new(format!("there is no subcommand {name}")).hint(given::meant(
                    "there are",
                    name,
                    &known,
                ))
            })?
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut page)
        .map_err(|error| Failure::new(format!("cannot make the manual page: {error}")))?;
    output::print(|out| out.write_all(&page))?;
    Ok(Status::Done)
}
