//! `probity sample`: noise, or a mechanism's noisy answers, one value a line.

use probity_noise::catalogue::{CatalogueError, Entry, write_samples};

use super::named::{Named, Offer};
use crate::failure::{Answer, Failure, Status};
use crate::output;

/// What has values to draw.
pub struct Samples;

impl Offer for Samples {
    fn offers(entry: &Entry) -> bool {
        entry.has_samples
    }
    const NEEDS_ALL: bool = true;
}

/// What to draw, and how often.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    named: Named<Samples>,
    /// How many values
    #[arg(long, short = 'n', default_value_t = 1, global = true)]
    count: u64,
}

/// Draws and prints.
pub fn run(arguments: &Arguments) -> Answer {
    let Named { name, arguments: given, .. } = &arguments.named;
    let mut failed = None;
    output::print(|out| match write_samples(name, given, arguments.count, out) {
        Ok(()) => Ok(()),
        Err(CatalogueError::Output(error)) => Err(error),
        Err(error) => {
            failed = Some(error);
            Ok(())
        }
    })?;
    match failed {
        Some(error) => Err(Failure::new(error)),
        None => Ok(Status::Done),
    }
}
