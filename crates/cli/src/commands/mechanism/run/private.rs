//! What a run reads that is private: the values of inputs and the rows of tables. Where they are is known before any of them is looked at.

use std::path::Path;

use probity_kernel::term::Sort;
use probity_release::engine::csv::{Csv, Reader, Record};
use probity_release::refusal::{Answer, Refusal};
use probity_run::{Given, InputError, Inputs, Proved, Rows, RunError, Text, Words, WordsError};

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

/// Makes a table of a text ready for rows with a header.
pub type Begins<'b> = dyn Fn(&str, &[String]) -> Result<Rows, RunError> + 'b;

/// Takes the rows of a file as they are read.
struct Taking<'b> {
    name: &'b str,
    words: &'b [Words],
    begins: &'b Begins<'b>,
    rows: Option<Rows>,
    /// Why the header was not taken.
    fault: Option<RunError>,
}

impl Reader for Taking<'_> {
    fn header(&mut self, names: &[String]) -> Answer<usize> {
        // Several files of one table have one header.
        if let Some(rows) = &self.rows {
            return Ok(rows.width());
        }
        match (self.begins)(self.name, names) {
            Ok(mut rows) => {
                self.words.iter().for_each(|words| words.set_in(&mut rows));
                Ok(self.rows.insert(rows).width())
            }
            Err(error) => {
                let refusal = Refusal::input(error.to_string());
                self.fault = Some(error);
                Err(refusal)
            }
        }
    }

    fn record(&mut self, record: &Record) {
        if let Some(rows) = &mut self.rows {
            rows.add(|place| record.field(place));
        }
    }
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

/// What a file of values holds. A byte order mark is no part of it, as it is none of a table.
fn value_text(path: &Path) -> Result<String, Failure> {
    let text = files::text(path)?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
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
        let file =
            |place: &Place| if let Place::File(path) = place { Some(path.to_path_buf()) } else { None };
        let named = values.iter().filter_map(|(_, place)| file(place));
        let named = named.chain(objects.iter().map(|path| path.to_path_buf()));
        let named = named.chain([arguments.path.clone()]).chain(arguments.certificate.clone());
        let readers = named.filter(|path| path == Path::new("-")).count();
        if readers + tables.iter().filter(|(_, csv)| csv.is_stream()).count() > 1 {
            return Err(Failure::new("standard input is named twice, and can be read once")
                .hint("keep all but one of what - stands for in files"));
        }
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
        let rows = |(name, csv): &(&str, Csv)| {
            let header = csv.header()?;
            proved.rows(name, &header).map_err(|error| failure(&error))
        };
        let empty = self.tables.iter().map(rows).collect::<Result<Vec<Rows>, Failure>>()?;
        proved.clone().with_rows(empty).map(drop).map_err(|error| failure(&error))
    }

    /// Reads the values of inputs. From here on errors tell of private values.
    pub fn read_values(&self) -> Result<Inputs, Failure> {
        let mut inputs = Inputs::new();
        for path in &self.objects {
            let all = Inputs::from_json(&value_text(path)?).map_err(|error| refused(error).in_file(path))?;
            inputs.merge(all).map_err(refused)?;
        }
        for (name, place) in &self.values {
            let value: Given = match place {
                Place::Here(text) => text.parse().map_err(|error| unreadable(name, error))?,
                Place::File(path) => {
                    value_text(path)?.parse().map_err(|error| unreadable(name, error).in_file(path))?
                }
            };
            inputs.add(name, value).map_err(refused)?;
        }
        Ok(inputs)
    }

    /// Reads the rows of tables, each of which a text makes ready for them.
    pub fn read_rows(&self, begins: &Begins) -> Result<Vec<Rows>, Failure> {
        let table = |(name, csv): &(&str, Csv)| {
            let mut taking = Taking { name, words: &self.words, begins, rows: None, fault: None };
            let read = csv.read(&mut taking);
            if let Some(error) = taking.fault {
                return Err(failure(&error));
            }
            read?;
            taking.rows.ok_or_else(|| Failure::new(format!("the table {name} has no header")))
        };
        self.tables.iter().map(table).collect()
    }
}
