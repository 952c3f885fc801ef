//! The `probity` command. Reads arguments, asks the library of verdicts, prints; it decides nothing itself, and knows
//! neither the prover nor the audit nor the rules of the kernel (`tests/architecture.rs`).

mod colour;
mod commands;
mod failure;
mod files;
mod given;
mod interrupt;
mod output;
mod progress;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use failure::{Answer, Failure};

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
    /// Answer SQL queries about a private table, with noise, error bars and a proof, from a budget
    #[command(
        after_help = "Example: probity release --policy examples/data/people.toml --ledger people.ledger --init --data people=examples/data/people.csv \"SELECT region, COUNT(*) AS n FROM people GROUP BY region\""
    )]
    Release(Box<commands::release::Arguments>),
    /// What was released and what is left; make a ledger, amend or verify it
    #[command(after_help = "Example: probity budget --ledger people.ledger")]
    Budget(commands::budget::Arguments),
    /// Check a policy, or write a first one from the header of a table
    #[command(after_help = "Example: probity policy --suggest people.csv")]
    Policy(commands::policy::Arguments),
    /// Prove the claim of a mechanism file, or of every file in a folder
    #[command(
        after_help = "Example: probity verify mechanisms/snapping.dp --set eps=1 --certificate snapping.cert"
    )]
    Verify(commands::verify::Arguments),
    /// Certify the privacy of a mechanism as it runs in floating point
    #[command(after_help = "Example: probity certify mechanisms/snapping.dp --set eps=1 --set B=100")]
    Certify(commands::certify::Arguments),
    /// What a mechanism really loses on two inputs: exact laws, the worst outcome, a lower bound
    #[command(
        after_help = "Example: probity audit mechanisms/snapping.dp --set eps=1 --set B=100 --inputs 0 1"
    )]
    Audit(commands::audit::Arguments),
    /// Private answers from a proved text, with exactly the law of its theorem
    #[command(
        after_help = "Example: probity run mechanisms/sparse_vector.dp --set eps=1 --set N=3 --set T=100 --input 'q=[98, 103, 97, 140]'"
    )]
    Run(commands::run::Arguments),
    /// All that is known about a mechanism on one HTML page, with plots
    #[command(
        after_help = "Example: probity report mechanisms/snapping.dp --set eps=1 --set B=100 --out report.html"
    )]
    Report(commands::report::Arguments),
    /// Bound the rounding errors of the programs in an FPCore file
    #[command(
        after_help = "Example: probity roundoff crates/float/tests/data/benchmarks.fpcore --name doppler1"
    )]
    Roundoff(commands::roundoff::Arguments),
    /// Replay a certificate, trusting nothing in it
    #[command(
        after_help = "Example: probity check certificates/snapping.cert --mechanism mechanisms/snapping.dp"
    )]
    Check(commands::check::Arguments),
    /// List the mechanism files of a folder
    #[command(after_help = "Example: probity list mechanisms/broken")]
    List(commands::list::Arguments),
    /// The privacy map of a mechanism at a distance, and the inverse questions
    #[command(after_help = "Example: probity map discrete-laplace --scale 7/3 --d-in 2")]
    Map(Box<commands::map::Arguments>),
    /// What a composition of mechanisms loses: epsilon or delta between two bounds that both hold
    #[command(
        after_help = "Example: probity account 'poisson(256/60000, gaussian(11/10)) * 14062' --delta 1e-5"
    )]
    Account(Box<commands::account::Arguments>),
    /// Draw noise or noisy answers: one value a line, exactly distributed, from the system's randomness
    #[command(after_help = "Example: probity sample discrete-laplace --scale 7/3 --count 10")]
    Sample(commands::sample::Arguments),
    /// Lay out mechanism files in the one way
    #[command(after_help = "Example: probity fmt --check mechanisms")]
    Fmt(commands::format::Arguments),
    /// Explain why a mechanism is private: the derivation, and for snapping the table of all cases
    #[command(
        after_help = "Example: probity explain mechanisms/snapping.dp --set eps=1 --set B=10 --inputs 0 1"
    )]
    Explain(commands::explain::Arguments),
    /// Measure how fast it is on this machine
    Bench(commands::bench::Arguments),
    /// Print the JSON Schema of what --json answers
    #[command(after_help = "Example: probity schema verify")]
    Schema(commands::schema::Arguments),
    /// Print a completion script for a shell
    #[command(after_help = "Example: probity completions bash")]
    Completions(commands::shell::CompletionArguments),
    /// Print the manual page of a subcommand, or of the whole
    #[command(after_help = "Example: probity man verify")]
    Man(commands::shell::ManualArguments),
}

fn run(command: Command) -> Answer {
    match command {
        Command::Release(arguments) => commands::release::run(&arguments),
        Command::Budget(arguments) => commands::budget::run(&arguments),
        Command::Policy(arguments) => commands::policy::run(&arguments),
        Command::Verify(arguments) => commands::verify::run(&arguments),
        Command::Certify(arguments) => commands::certify::run(&arguments),
        Command::Audit(arguments) => commands::audit::run(&arguments),
        Command::Run(arguments) => commands::run::run(&arguments),
        Command::Report(arguments) => commands::report::run(&arguments),
        Command::Roundoff(arguments) => commands::roundoff::run(&arguments),
        Command::Check(arguments) => commands::check::run(&arguments),
        Command::List(arguments) => commands::list::run(&arguments),
        Command::Map(arguments) => commands::map::run(&arguments),
        Command::Account(arguments) => commands::account::run(&arguments),
        Command::Sample(arguments) => commands::sample::run(&arguments),
        Command::Fmt(arguments) => commands::format::run(&arguments),
        Command::Explain(arguments) => commands::explain::run(&arguments),
        Command::Bench(arguments) => commands::bench::run(&arguments),
        Command::Schema(arguments) => commands::schema::run(&arguments),
        Command::Completions(arguments) => commands::shell::completions(&arguments, Arguments::command()),
        Command::Man(arguments) => commands::shell::manual(&arguments, Arguments::command()),
    }
}

/// Whether a program is to read the answer, which must be known even if the arguments make no sense.
fn wants_json(arguments: impl Iterator<Item = OsString>) -> bool {
    arguments.take_while(|argument| argument != "--").any(|argument| argument == "--json")
}

fn main() -> ExitCode {
    let answer = match Arguments::try_parse() {
        Ok(arguments) => run(arguments.command),
        // Help and the version are answers; they exit with 0.
        Err(error) if !error.use_stderr() => error.exit(),
        Err(error) => Err(Failure::arguments(&error)),
    };
    let status = answer.unwrap_or_else(|failure| {
        output::complain(&failure.to_string());
        if wants_json(std::env::args_os()) {
            // If standard output is what failed, standard error has said so.
            let _ = output::json(&failure.to_json());
        }
        failure.exit()
    });
    ExitCode::from(status as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn json_is_asked_for_by_its_flag_alone() {
        let asked = |text: &str| wants_json(text.split(' ').map(OsString::from));
        assert!(asked("probity verify --json x") && asked("probity verfy --json"));
        assert!(!asked("probity verify x --jsn") && !asked("probity verify -- --json"));
    }
}
