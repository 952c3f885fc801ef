//! A mechanism of the catalogue by its name, with its arguments as options: `discrete-laplace --scale 7/3`.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, Error, FromArgMatches, Subcommand};
use probity_noise::catalogue::{Arguments, CatalogueError, ENTRIES, Entry};

use crate::failure::Failure;
use crate::files;

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

/// The arguments that are private. They may also come from a file or standard input: other users of the machine see the
/// arguments of every command.
const PRIVATE: [&str; 2] = ["input", "scores"];

/// The option that names a file for a private argument.
fn file_option(argument: &str) -> Option<&'static str> {
    match argument {
        "input" => Some("input-file"),
        "scores" => Some("scores-file"),
        _ => None,
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
    /// The same, name by name, as they were written; a private argument from a file is there by the name of its file.
    pub pairs: Vec<(String, String)>,
    /// Private arguments, and the files that they are to be read from.
    files: Vec<(&'static str, PathBuf)>,
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
        let mut pairs: Vec<(String, String)> = given.collect();
        let arguments = Arguments::new(pairs.iter().cloned());
        let mut files = Vec::new();
        for argument in
            PRIVATE.into_iter().filter(|argument| O::NEEDS_ALL && entry.optional.contains(argument))
        {
            let option = file_option(argument).unwrap_or(argument);
            if let Some(path) = values.get_one::<String>(option) {
                pairs.push((option.to_owned(), path.clone()));
                files.push((argument, PathBuf::from(path)));
            }
        }
        Ok(Named { name: name.to_owned(), arguments, pairs, files, offer: std::marker::PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<O> Named<O> {
    /// The arguments, with the private ones read from their files. Numbers in a file may be separated by commas or white space.
    pub fn read(&self) -> Result<Arguments, Failure> {
        let mut arguments = self.arguments.clone();
        for (argument, path) in &self.files {
            let text = files::text(path)?;
            let numbers: Vec<&str> =
                text.split([',', ' ', '\t', '\r', '\n']).filter(|number| !number.is_empty()).collect();
            arguments.set(*argument, numbers.join(","));
        }
        Ok(arguments)
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
    let command = entry.optional.iter().fold(command, |command, name| command.arg(option(name, false)));
    // A map does not look at an input.
    let private = entry.optional.iter().filter(|name| O::NEEDS_ALL && PRIVATE.contains(name));
    private.filter_map(|name| Some((*name, file_option(name)?))).fold(command, |command, (name, file)| {
        command.arg(
            Arg::new(file)
                .long(file)
                .help(format!(
                    "A file with --{name}, - for standard input: other users see arguments, not files"
                ))
                .value_name("FILE")
                .conflicts_with(name),
        )
    })
}
