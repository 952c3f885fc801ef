//! A mechanism of the catalogue by its name, with its arguments as options: `discrete-laplace --scale 7/3`.

use clap::{Arg, ArgMatches, Command, Error, FromArgMatches, Subcommand};
use probity_noise::catalogue::{Arguments, CatalogueError, ENTRIES, Entry};

use crate::failure::Failure;

/// What belongs to an argument of the catalogue, for the help text.
fn meaning(argument: &str) -> &'static str {
    match argument {
        "scale" => "The scale of the noise, a number >= 0",
        "squared-scale" => "The squared scale, a number >= 0",
        "prob" => "The probability of the truth (or of true), a number",
        "categories" => "How many categories there are, at least 2",
        "lower" => "The lower end of the range, an integer",
        "upper" => "The upper end of the range, an integer",
        "monotone" => "Whether all scores move the same way: true or false",
        "scores" => "The scores, as 1,5/2,3",
        "threshold-scale" => "The scale of the noise on the threshold",
        "query-scale" => "The scale of the noise on each answer",
        "hits" => "After how many answers above the threshold it stops",
        "grid" => "The exponent of the grid's spacing 2^grid, an integer",
        "length" => "How many coordinates a vector has",
        "input" => "The input, 0 unless given",
        "delta" => "Convert to (epsilon, delta) with this delta",
        "epsilon" => "The epsilon of the ideal mechanism, a double",
        "bound" => "The bound B at which the answer is clamped, a double",
        "sensitivity" => "How far neighbouring inputs lie apart, 1 unless given",
        "exponent" => "The exponent gamma, a number >= 0",
        "below" => "How many integers there are, at least 1",
        _ => "A number",
    }
}

/// Which entries a command offers, and which of their arguments it needs.
pub trait Offer {
    /// Whether the command can work with the entry.
    fn offers(entry: &Entry) -> bool;
    /// Whether the arguments that the entry requires are required here too: an inverse question leaves one open.
    const NEEDS_ALL: bool;
}

/// A mechanism or sampler and its arguments, for a command that makes the given offer.
pub struct Named<O> {
    /// The name in the catalogue.
    pub name: String,
    /// The arguments that were given.
    pub arguments: Arguments,
    /// The same, name by name, as they were written.
    pub pairs: Vec<(String, String)>,
    offer: std::marker::PhantomData<O>,
}

impl<O: Offer> FromArgMatches for Named<O> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let missing = || Error::raw(clap::error::ErrorKind::MissingSubcommand, "name a mechanism\n");
        let (name, values) = matches.subcommand().ok_or_else(missing)?;
        let entry = ENTRIES.iter().find(|entry| entry.name == name).ok_or_else(missing)?;
        let given = entry.required.iter().chain(entry.optional).filter_map(|argument| {
            values.get_one::<String>(argument).map(|value| ((*argument).to_owned(), value.clone()))
        });
        let pairs: Vec<(String, String)> = given.collect();
        let arguments = Arguments::new(pairs.iter().cloned());
        Ok(Named { name: name.to_owned(), arguments, pairs, offer: std::marker::PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<O: Offer> Subcommand for Named<O> {
    fn augment_subcommands(command: Command) -> Command {
        let entries = ENTRIES.iter().filter(|entry| O::offers(entry));
        let command = entries.fold(command, |command, entry| command.subcommand(subcommand::<O>(entry)));
        command.subcommand_required(true).arg_required_else_help(true)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        ENTRIES.iter().any(|entry| entry.name == name && O::offers(entry))
    }
}

/// A request that the catalogue refused, with what to do.
pub fn refused(error: CatalogueError) -> Failure {
    let missing = match &error {
        CatalogueError::Missing { argument } => Some(*argument),
        _ => None,
    };
    let failure = Failure::new(error);
    match missing {
        Some(argument) => failure.hint(format!("add --{argument} VALUE")),
        None => failure,
    }
}

fn subcommand<O: Offer>(entry: &'static Entry) -> Command {
    let option = |name: &'static str, required: bool| {
        Arg::new(name)
            .long(name)
            .help(meaning(name))
            .required(required && O::NEEDS_ALL)
            .allow_hyphen_values(true)
            .value_name("VALUE")
            .conflicts_with_all(if name == "squared-scale" { &["scale"][..] } else { &[] })
    };
    let command = Command::new(entry.name).about(entry.summary);
    let command = entry.required.iter().fold(command, |command, name| command.arg(option(name, true)));
    entry.optional.iter().fold(command, |command, name| command.arg(option(name, false)))
}
