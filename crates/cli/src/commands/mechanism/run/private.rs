//! What a run reads that is private: the values of inputs and the rows of tables. Where they are is known before any of them is looked at.

use std::collections::BTreeMap;
use std::path::Path;

use probity_kernel::term::Sort;
use probity_release::engine::csv::Csv;
use probity_run::{Given, InputError, Inputs, Proved, RunError, Table, Text, Words, WordsError};

use super::{Arguments, failure, hinted};
use crate::commands::policy;
use crate::failure::Failure;
use crate::files;

/// Where a value is.
enum Place<'a> {
    /// In the option itself.
    Here(&'a str),
    /// In a file.
    File(&'a Path),
}

/// Where the private inputs of a run are.
pub struct Private<'a> {
    /// Inputs by name.
    values: Vec<(&'a str, Place<'a>)>,
    /// Files that hold inputs and their names.
    objects: Vec<&'a Path>,
    /// Tables by name.
    pub tables: Vec<(&'a str, Csv)>,
    /// The words that fields of tables have for categories.
    pub words: Vec<Words>,
}

/// The private inputs themselves.
pub struct Read {
    /// Values.
    pub inputs: Inputs,
    /// Rows.
    pub tables: BTreeMap<String, Table>,
}

fn refused(error: InputError) -> Failure {
    failure(&RunError::Input(error))
}

/// Words that are not those of a category.
pub fn refused_words(error: WordsError) -> Failure {
    let failure = Failure::new(&error);
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// The value of an input that cannot be read.
fn unreadable(name: &str, error: InputError) -> Failure {
    match &error {
        InputError::Malformed { expected } => {
            let failure = Failure::new(format!("the input {name} cannot be read: expected {expected}"));
            hinted(failure, &RunError::Input(error))
        }
        _ => refused(error),
    }
}

impl<'a> Private<'a> {
    /// What the options say. Reads nothing.
    pub fn of(arguments: &'a Arguments) -> Result<Private<'a>, Failure> {
        let (mut values, mut objects) = (Vec::new(), Vec::new());
        let mut tables: Vec<(&str, Csv)> = Vec::new();
        for option in &arguments.inputs {
            if let Some(path) = option.strip_prefix('@') {
                objects.push(Path::new(path));
                continue;
            }
            let Some((name, value)) = option.split_once('=') else {
                return Err(
                    Failure::new("an --input names no input").hint("write --input x=41.7 or --input q=@FILE")
                );
            };
            let file = value.trim().strip_prefix('@').map(|path| Place::File(Path::new(path)));
            values.push((name.trim(), file.unwrap_or(Place::Here(value))));
        }
        for option in &arguments.data {
            let (name, path) = policy::named(option)?;
            if tables.iter().any(|(known, _)| *known == name) {
                return Err(Failure::new(format!("the table {name} is given twice"))
                    .hint("several files of one table are given by a pattern, as 'part-*.csv'"));
            }
            tables.push((name, Csv::new(Path::new(path))?));
        }
        let words = arguments
            .words
            .iter()
            .map(|option| option.parse().map_err(refused_words))
            .collect::<Result<Vec<Words>, _>>()?;
        Ok(Private { values, objects, tables, words })
    }

    /// Whether the inputs that are given by their values may be.
    pub fn check_inputs(&self, text: &Text) -> Result<(), Failure> {
        self.values.iter().try_for_each(|(name, _)| text.check_input(name)).map_err(refused)
    }

    /// What can be wrong without a look at a value or a row: names, a missing grid, files that are not there, headers. Such an error costs nothing.
    pub fn check_names(&self, proved: &Proved) -> Result<(), Failure> {
        let in_files = self.values.iter().filter_map(|(_, place)| match place {
            Place::Here(_) => None,
            Place::File(path) => Some(*path),
        });
        in_files.chain(self.objects.iter().copied()).try_for_each(files::check_opens)?;
        let mut inputs = Inputs::new();
        let unknown = || Given::Truth(false);
        for (name, _) in &self.values {
            inputs.add(name, unknown()).map_err(refused)?;
        }
        // Which inputs a file names is read with their values.
        if !self.objects.is_empty() {
            for input in &proved.mechanism().inputs {
                if !matches!(input.sort, Sort::Rows(_)) {
                    inputs = inputs.with(input.name.as_str(), unknown());
                }
            }
        }
        proved.admits(&inputs).map_err(|error| failure(&error))?;
        // Of standard input the header is read with the rows.
        if self.tables.iter().any(|(_, csv)| csv.is_stream()) {
            return Ok(());
        }
        let mut empty = BTreeMap::new();
        for (name, csv) in &self.tables {
            empty.insert((*name).to_owned(), Table::of_texts(csv.header()?, Vec::new()));
        }
        proved.clone().with_tables(&empty).map(drop).map_err(|error| failure(&error))
    }

    /// Reads everything. From here on errors tell of private values.
    pub fn read(&self) -> Result<Read, Failure> {
        let mut inputs = Inputs::new();
        for path in &self.objects {
            let all = Inputs::from_json(&files::text(path)?).map_err(|error| refused(error).in_file(path))?;
            inputs.merge(all).map_err(refused)?;
        }
        for (name, place) in &self.values {
            let value: Given = match place {
                Place::Here(text) => text.parse().map_err(|error| unreadable(name, error))?,
                Place::File(path) => {
                    files::text(path)?.parse().map_err(|error| unreadable(name, error).in_file(path))?
                }
            };
            inputs.add(name, value).map_err(refused)?;
        }
        let mut tables = BTreeMap::new();
        for (name, csv) in &self.tables {
            let (header, rows) = csv.records(usize::MAX)?;
            tables.insert((*name).to_owned(), Table::of_texts(header, rows));
        }
        self.words.iter().for_each(|words| words.apply(&mut tables));
        Ok(Read { inputs, tables })
    }
}
