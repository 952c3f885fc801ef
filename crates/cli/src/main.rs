//! The `probity` command. Reads arguments, calls the crates, prints; it decides nothing itself.

mod commands;
mod decimal;
mod failure;
mod files;
mod output;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use failure::{Answer, Status};

/// Prove, certify, audit and run differentially private mechanisms.
#[derive(Parser)]
#[command(name = "probity", version, arg_required_else_help = true, after_help = EXIT_CODES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 it holds, 1 it does not hold (not proved, refuted, rejected), \
2 bad input, 3 a lower bound exceeds an upper bound.\n\
Numbers are read exactly: 7/3, 0.1, 1e-5.";

#[derive(Subcommand)]
enum Command {
    /// Draw noise: one value a line, exactly distributed, from the operating system's randomness
    Sample(commands::sample::Arguments),
    /// Lay out mechanism files in the one way
    Fmt(commands::format::Arguments),
    /// Explain why a mechanism is private: the derivation, and for snapping the table of all cases
    Explain(commands::explain::Arguments),
    /// Print a completion script for a shell
    Completions(commands::shell::CompletionArguments),
    /// Print the manual page
    Man,
}

fn run(command: Command) -> Answer {
    match command {
        Command::Sample(arguments) => commands::sample::run(&arguments),
        Command::Fmt(arguments) => commands::format::run(&arguments),
        Command::Explain(arguments) => commands::explain::run(&arguments),
        Command::Completions(arguments) => commands::shell::completions(&arguments, Arguments::command()),
        Command::Man => commands::shell::manual(Arguments::command()),
    }
}

fn main() -> ExitCode {
    // clap prints its own errors, with the nearest name for a typo, and exits with 2.
    let status = match run(Arguments::parse().command) {
        Ok(status) => status,
        Err(failure) => {
            eprintln!("{failure}");
            Status::BadInput
        }
    };
    ExitCode::from(status as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_well_formed() {
        Arguments::command().debug_assert();
    }
}
