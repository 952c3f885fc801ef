//! Proved texts, and their runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use probity_exact::Rational;
use probity_kernel::expand::expanded;
use probity_kernel::privacy::Theorem;
use probity_kernel::term::{Claim, Input, Mechanism, Reading, Sort};
use probity_lang::{Program, Setting};
use probity_noise::entropy::Secure;
use probity_prove::certificate;
use probity_prove::vacuity::{Vacuity, vacuity};

use crate::error::{MOST_PARAMETER_BITS, RunError};
use crate::input::{Given, InputError, Inputs, bits};
use crate::lazy::source::Nothing;
use crate::lazy::tape::Number;
use crate::logarithms;
use crate::loss::Loss;
use crate::program::code::{Code, Place};
use crate::program::compile::{compile, constant_value};
use crate::program::counted;
use crate::program::decidable::{self, Shape};
use crate::program::machine::{List, Machine, input_place};
use crate::program::most;
use crate::program::sizes;
use crate::rows::{FromTables, Made, Rows};
use crate::table::Table;
use crate::tableless::{FromTable, tableless};
use crate::value::Value;

/// A text that was read, and not yet proved: [`with`](Text::with) proves it.
#[derive(Debug, Clone)]
pub struct Text {
    program: Program,
    certificate: Option<String>,
    tables: BTreeMap<String, Table>,
    /// Tables that come after the proof.
    awaited: BTreeSet<String>,
    /// How long a proof may be looked for.
    time: Option<Duration>,
}

impl Text {
    /// A program that was read already.
    pub fn of(program: Program) -> Text {
        Text { program, certificate: None, tables: BTreeMap::new(), awaited: BTreeSet::new(), time: None }
    }

    /// Replays this certificate instead of looking for a proof.
    pub fn by_certificate(self, certificate: impl Into<String>) -> Text {
        Text { certificate: Some(certificate.into()), ..self }
    }

    /// Gives the search for a proof up after so long. It looks at the text and its parameters alone, so that when it ends tells of nothing private.
    pub fn within(self, time: Duration) -> Text {
        Text { time: Some(time), ..self }
    }

    /// The names of the fields of an input table; `None` for an input that is none.
    pub fn fields(&self, name: &str) -> Option<Vec<String>> {
        let input = self.program.mechanism.inputs.iter().find(|input| input.name.as_str() == name)?;
        match &input.sort {
            Sort::Rows(fields) => Some(fields.iter().map(|field| field.name.to_string()).collect()),
            _ => None,
        }
    }

    /// Whether an input may be given by its value: a table is not.
    ///
    /// # Errors
    /// When the input is a table.
    pub fn check_input(&self, name: &str) -> Result<(), InputError> {
        match self.fields(name) {
            Some(_) => Err(InputError::WrongType { name: name.to_owned(), expected: "a table" }),
            None => Ok(()),
        }
    }

    /// The names of those fields of an input table that are categories.
    pub(crate) fn categories(&self, name: &str) -> Vec<String> {
        let input = self.program.mechanism.inputs.iter().find(|input| input.name.as_str() == name);
        let Some(Sort::Rows(fields)) = input.map(|input| &input.sort) else { return Vec::new() };
        let categories = fields.iter().filter(|field| matches!(field.sort, Sort::Category { .. }));
        categories.map(|field| field.name.to_string()).collect()
    }

    /// How many categories such a field has, if the text and these parameters say.
    pub(crate) fn category_size(&self, table: &str, field: &str, settings: &[Setting]) -> Option<u64> {
        let program = self.program.with(settings).ok()?;
        let input = program.mechanism.inputs.iter().find(|input| input.name.as_str() == table)?;
        let Sort::Rows(fields) = &input.sort else { return None };
        match &fields.iter().find(|known| known.name.as_str() == field)?.sort {
            Sort::Category { count } => u64::try_from(constant_value(count).0?.floor()).ok(),
            _ => None,
        }
    }

    /// Whether the rows of a table are there, or come after the proof.
    pub(crate) fn has_table(&self, name: &str) -> bool {
        self.tables.contains_key(name) || self.awaited.contains(name)
    }

    /// The rows of an input table. Its sums are computed before anything is drawn.
    pub fn with_table(mut self, name: &str, table: Table) -> Text {
        self.tables.insert(name.to_owned(), table);
        self
    }

    /// An input table whose rows come after the proof, by [`Proved::with_tables`]: nothing private has to be read before it is known that the
    /// text runs and what it costs.
    pub fn awaiting_table(mut self, name: &str) -> Text {
        self.awaited.insert(name.to_owned());
        self
    }

    /// Values for all parameters, and the proof: for these values, or for all values.
    ///
    /// # Errors
    /// When a parameter has no value or one that is not admitted, when no proof is found or the certificate is about
    /// something else, when the claim is about no two inputs, and when the text has a decision that might not end.
    pub fn with(&self, settings: &[Setting]) -> Result<Proved, RunError> {
        let program = self.settled(settings)?;
        let theorem = self.theorem(&program)?;
        // True, and no reason to call an answer private.
        if let Ok(Vacuity::Vacuous(reason)) = vacuity(&program.mechanism) {
            return Err(RunError::Vacuous { mechanism: program.mechanism.name.to_string(), reason });
        }
        Ok(Proved { theorem, runnable: self.runnable(&program)? })
    }

    /// Values for all parameters, and no proof. What runs is what the text says; nothing is said about its privacy.
    ///
    /// # Errors
    /// As for [`with`](Text::with), but for the proof.
    pub fn unproved_with(&self, settings: &[Setting]) -> Result<Unproved, RunError> {
        Ok(Unproved { runnable: self.runnable(&self.settled(settings)?)? })
    }

    fn runnable(&self, program: &Program) -> Result<Runnable, RunError> {
        let runnable = Runnable::new(program)?;
        match self.awaited.is_empty() {
            true => runnable.with_tables(&self.tables),
            false => Ok(runnable),
        }
    }

    fn settled(&self, settings: &[Setting]) -> Result<Program, RunError> {
        let mut given = self.tables.keys().chain(&self.awaited);
        if let Some(name) = given.find(|name| self.fields(name).is_none()) {
            return Err(RunError::UnknownTable { name: name.clone() });
        }
        // Before a long proof is looked for.
        let missing =
            |input: &&Input| matches!(input.sort, Sort::Rows(_)) && !self.has_table(input.name.as_str());
        if let Some(table) = self.program.mechanism.inputs.iter().find(missing) {
            return Err(RunError::Table { name: table.name.to_string() });
        }
        if let Some(long) = settings.iter().find(|setting| bits(&setting.value) > MOST_PARAMETER_BITS) {
            return Err(RunError::LongParameter { name: long.name.clone() });
        }
        let program = self.program.with(settings)?;
        match program.mechanism.params.first() {
            Some(param) => Err(RunError::MissingParameter { name: param.name.to_string() }),
            None => Ok(program),
        }
    }

    fn theorem(&self, settled: &Program) -> Result<Theorem, RunError> {
        if matches!(settled.claim.reading, Reading::Binary { .. }) {
            return Err(RunError::FloatClaim { claim: settled.claim.to_string() });
        }
        if let Some(text) = &self.certificate {
            let check = |program: &Program| certificate::check_for(text, &program.mechanism, &program.claim);
            // A theorem for all parameters holds for these, which the assumptions admit.
            let proved = check(settled)
                .or_else(|fault| check(&self.program).map_err(|_| fault))
                .map_err(|fault| RunError::Certificate { reason: fault.to_string() })?;
            return match proved {
                certificate::Proved::OverReals(theorem) => Ok(*theorem),
                certificate::Proved::InFloats(_) => {
                    Err(RunError::FloatClaim { claim: settled.claim.to_string() })
                }
            };
        }
        let deadline = self.time.and_then(|time| Instant::now().checked_add(time));
        let prove = |program: &Program| {
            let hints = program.hints.clone().unwrap_or_default();
            let proof = probity_prove::prove_until(&program.mechanism, &program.claim, &hints, deadline);
            proof.map_err(|failure| failure.to_string())
        };
        let proof = prove(settled).or_else(|reason| prove(&self.program).map_err(|_| reason));
        proof
            .map(|proof| proof.theorem().clone())
            .map_err(|reason| RunError::NotProved { mechanism: settled.mechanism.name.to_string(), reason })
    }
}

/// A mechanism with a theorem, and values for its parameters. There is no other way to one than a proof:
/// ```compile_fail
/// use probity_run::{Proved, Unproved};
/// fn forge(unproved: Unproved, honest: Proved) -> Proved {
///     Proved { runnable: unproved.runnable, ..honest }
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Proved {
    theorem: Theorem,
    runnable: Runnable,
}

impl Proved {
    /// Reads a text. The next step is [`Text::with`], which proves it.
    ///
    /// # Errors
    /// When the text has faults.
    pub fn load(text: &str) -> Result<Text, RunError> {
        probity_lang::load_text(text).map(Text::of).map_err(|faults| RunError::Text { faults })
    }

    /// What was proved.
    pub fn theorem(&self) -> &Theorem {
        &self.theorem
    }

    /// The hash of what the theorem is about, by which its certificate names it.
    pub fn certificate(&self) -> String {
        certificate::content_hash(self.theorem.mechanism(), self.theorem.claim())
    }

    /// What this many runs cost together.
    pub fn loss(&self, runs: u64) -> Loss {
        Loss::of(&self.runnable.claim, runs)
    }

    /// The mechanism that runs: the one of the theorem, with values for its parameters.
    pub fn mechanism(&self) -> &Mechanism {
        &self.runnable.mechanism
    }

    /// Whether a run may end without an answer for some inputs alone, since there is no more memory for it: it has a loop of which its inputs or
    /// draws decide how often it turns, and that keeps something in each turn, or keeps what rows of tables have in their fields. Then an answer
    /// tells of the inputs too, beyond the theorem.
    pub fn may_run_out(&self) -> bool {
        self.runnable.may_run_out || self.runnable.keeps_rows
    }

    /// The same, with every number of the answer rounded to a multiple of the grid. That is post-processing.
    ///
    /// # Errors
    /// When the grid is not positive, or the answer has no numbers.
    pub fn on_grid(self, grid: Rational) -> Result<Proved, RunError> {
        Ok(Proved { runnable: self.runnable.on_grid(grid)?, ..self })
    }

    /// The same, with the rows of all its tables. Sums over them are computed here, once.
    ///
    /// # Errors
    /// When a table or a column is missing, or is none of the mechanism's. None of these depends on a row.
    pub fn with_tables(self, tables: &BTreeMap<String, Table>) -> Result<Proved, RunError> {
        Ok(Proved { runnable: self.runnable.with_tables(tables)?, ..self })
    }

    /// A table with this header, to which rows are added one after the other: what the text does not want of them is forgotten at once.
    ///
    /// # Errors
    /// When the text has no such table, or the header lacks a column, or has it twice.
    pub fn rows(&self, table: &str, header: &[String]) -> Result<Rows, RunError> {
        Rows::new(&self.runnable.from_tables, table, header)
    }

    /// The same, with the rows of all its tables, as [`rows`](Proved::rows) took them.
    ///
    /// # Errors
    /// When a table is missing, or is one of another text. None of these depends on a row.
    pub fn with_rows(self, tables: Vec<Rows>) -> Result<Proved, RunError> {
        Ok(Proved { runnable: self.runnable.with_rows(tables)?, ..self })
    }

    /// What can be said of inputs without looking at what they are worth: their names, and whether a grid is missing. Whoever has to pay for
    /// an error that tells of private values asks this first.
    ///
    /// # Errors
    /// When an input is missing, or is none of the mechanism's, or a real answer has no grid.
    pub fn admits(&self, inputs: &Inputs) -> Result<(), RunError> {
        self.runnable.admits(inputs)
    }

    /// Checks inputs and makes everything ready, so that runs only draw.
    ///
    /// # Errors
    /// When the inputs do not fit, or violate an assumption, or a real answer has no grid.
    pub fn prepare(&self, inputs: &Inputs) -> Result<Session, RunError> {
        self.runnable.prepare(inputs)
    }

    /// One run.
    ///
    /// # Errors
    /// As for [`prepare`](Proved::prepare); and when the source of randomness fails.
    pub fn run<E: Secure + ?Sized>(&self, inputs: &Inputs, entropy: &mut E) -> Result<Value, RunError> {
        self.prepare(inputs)?.run(entropy)
    }
}

/// A mechanism without a theorem, for experiments. What it says is not called private.
#[derive(Debug, Clone)]
pub struct Unproved {
    runnable: Runnable,
}

impl Unproved {
    /// As [`Proved::on_grid`].
    ///
    /// # Errors
    /// When the grid is not positive, or the answer has no numbers.
    pub fn on_grid(self, grid: Rational) -> Result<Unproved, RunError> {
        Ok(Unproved { runnable: self.runnable.on_grid(grid)? })
    }

    /// As [`Proved::with_tables`].
    ///
    /// # Errors
    /// When a table or a column is missing, or is none of the mechanism's.
    pub fn with_tables(self, tables: &BTreeMap<String, Table>) -> Result<Unproved, RunError> {
        Ok(Unproved { runnable: self.runnable.with_tables(tables)? })
    }

    /// As [`Proved::rows`].
    ///
    /// # Errors
    /// When the text has no such table, or the header lacks a column, or has it twice.
    pub fn rows(&self, table: &str, header: &[String]) -> Result<Rows, RunError> {
        Rows::new(&self.runnable.from_tables, table, header)
    }

    /// As [`Proved::with_rows`].
    ///
    /// # Errors
    /// When a table is missing, or is one of another text.
    pub fn with_rows(self, tables: Vec<Rows>) -> Result<Unproved, RunError> {
        Ok(Unproved { runnable: self.runnable.with_rows(tables)? })
    }

    /// As [`Proved::prepare`].
    ///
    /// # Errors
    /// When the inputs do not fit, or violate an assumption, or a real answer has no grid.
    pub fn prepare(&self, inputs: &Inputs) -> Result<Session, RunError> {
        self.runnable.prepare(inputs)
    }

    /// The mechanism that runs.
    pub fn mechanism(&self) -> &Mechanism {
        &self.runnable.mechanism
    }
}

/// A mechanism made ready for any inputs.
#[derive(Debug, Clone)]
struct Runnable {
    /// The mechanism as it was written, with its tables.
    mechanism: Arc<Mechanism>,
    claim: Claim,
    code: Arc<Code>,
    /// Registers with the constants in them.
    machine: Machine,
    shape: Shape,
    grid: Option<Grid>,
    /// The mechanism without its tables: what runs.
    running: Arc<Mechanism>,
    /// The mechanism whose tables were taken off, and what is computed from them.
    from_tables: Arc<FromTables>,
    /// Whether it has its tables, or needs none.
    is_filled: bool,
    /// Whether how often it draws tells nothing of the inputs.
    counts_draws: bool,
    /// Whether a run may take any amount of memory, beside rows that are kept.
    may_run_out: bool,
    /// Whether it wants columns of tables, which take memory for every row.
    keeps_rows: bool,
}

#[derive(Debug, Clone)]
struct Grid {
    exact: Rational,
    number: Number,
}

impl Runnable {
    /// From the text alone, before any row is read.
    fn new(program: &Program) -> Result<Runnable, RunError> {
        let mechanism = Arc::new(program.mechanism.clone());
        // A call is its statements.
        let written = logarithms::drawn(expanded(&mechanism));
        let running = tableless(&written)?;
        sizes::check(&running)?;
        let shape = decidable::check(&running.mechanism)?;
        most::check(&running.mechanism, &|_| None)?;
        let (code, machine) = compile(&running.mechanism)?;
        let counts_draws = counted::is_public(&running.mechanism, &mechanism.inputs);
        let keeps_rows = running.hidden.iter().any(|hidden| matches!(hidden.what, FromTable::Column(_)));
        let may_run_out = most::may_run_out(&running.mechanism);
        let claim = program.claim.clone();
        let is_filled = !mechanism.inputs.iter().any(|input| matches!(input.sort, Sort::Rows(_)));
        let from_tables = Arc::new((written, running.hidden));
        let running = Arc::new(running.mechanism);
        let code = Arc::new(code);
        let grid = None;
        Ok(Runnable {
            mechanism,
            claim,
            code,
            machine,
            shape,
            grid,
            running,
            from_tables,
            is_filled,
            counts_draws,
            may_run_out,
            keeps_rows,
        })
    }

    fn with_tables(self, tables: &BTreeMap<String, Table>) -> Result<Runnable, RunError> {
        let mut all = Vec::new();
        for (name, table) in tables {
            let mut rows = Rows::new(&self.from_tables, name, &table.header)?;
            table.rows.iter().for_each(|row| rows.add_cells(row));
            all.push(rows);
        }
        self.with_rows(all)
    }

    fn with_rows(mut self, tables: Vec<Rows>) -> Result<Runnable, RunError> {
        let from_tables = self.from_tables.clone();
        let (written, hidden) = &*from_tables;
        let missing = |input: &&Input| {
            matches!(input.sort, Sort::Rows(_))
                && !tables.iter().any(|rows| rows.name() == input.name.as_str())
        };
        if let Some(table) = written.inputs.iter().find(missing) {
            return Err(RunError::Table { name: table.name.to_string() });
        }
        for rows in tables {
            if !Arc::ptr_eq(&rows.of, &from_tables) {
                return Err(RunError::malformed("rows that were read for another text"));
            }
            for (place, made) in rows.made() {
                let input = &hidden[place].input;
                if let Some(place) = input_place(&self.code, &input.name) {
                    put_made(&mut self.machine, place, &input.sort, made);
                }
            }
        }
        self.machine.keep();
        self.is_filled = true;
        Ok(self)
    }

    fn on_grid(mut self, grid: Rational) -> Result<Runnable, RunError> {
        if grid <= Rational::ZERO {
            return Err(RunError::Grid { reason: "it is not positive" });
        }
        if bits(&grid) > MOST_PARAMETER_BITS {
            return Err(RunError::Grid { reason: "it has too many digits" });
        }
        if !self.code.output.has_numbers() {
            return Err(RunError::Grid { reason: "the answer is made of truth values, which need none" });
        }
        if !self.shape.is_decidable() {
            return Err(RunError::refused(
                &self.mechanism.output,
                "it contains ln, exp or sqrt in a way that might make it a multiple of the grid",
            ));
        }
        let number = self.machine.tape.rational(grid.clone());
        self.machine.keep();
        self.grid = Some(Grid { exact: grid, number });
        Ok(self)
    }

    fn admits(&self, inputs: &Inputs) -> Result<(), RunError> {
        inputs.check_names(&self.mechanism)?;
        match self.grid.is_none() && self.code.output.has_numbers() && !self.shape.is_rational() {
            true => Err(RunError::NeedsGrid { output: self.mechanism.output.to_string() }),
            false => Ok(()),
        }
    }

    fn prepare(&self, inputs: &Inputs) -> Result<Session, RunError> {
        self.admits(inputs)?;
        if !self.is_filled {
            return Err(RunError::malformed("its tables are not there yet"));
        }
        inputs.check(&self.mechanism)?;
        // Neighbours have lists of the same lengths.
        most::check(&self.running, &|name| inputs.length(name.as_str()))?;
        let mut machine = self.machine.clone();
        for input in &self.mechanism.inputs {
            if let (Some(place), Some(given)) =
                (input_place(&self.code, &input.name), inputs.get(input.name.as_str()))
            {
                put(&mut machine, place, &input.sort, given);
            }
        }
        machine.keep();
        let (code, grid) = (self.code.clone(), self.grid.clone());
        let mut session = Session { machine, code, grid, counts_draws: self.counts_draws };
        for (start, register, text) in &self.code.assumptions {
            session.execute(*start, &mut Nothing)?;
            if !session.machine.truths[*register as usize] {
                return Err(RunError::Assumption { assumption: text.clone() });
            }
        }
        session.machine.rewind();
        Ok(session)
    }
}

/// A number of an input of this sort. Integers stay doubles. A real number may be none, and whether it is must not show in the steps of a run.
fn input_number(machine: &mut Machine, sort: &Sort, value: Rational) -> Number {
    match sort {
        Sort::Real | Sort::RealList => machine.tape.private(value),
        _ => machine.tape.rational(value),
    }
}

fn put_made(machine: &mut Machine, place: Place, sort: &Sort, made: Made) {
    match (place, made) {
        (Place::Number(register), Made::Number(value)) => {
            machine.numbers[register as usize] = input_number(machine, sort, value);
        }
        (Place::List(register, _), Made::List(values)) => {
            let list = values.map(|value| input_number(machine, sort, value)).collect();
            machine.put_list(register, List::Numbers(list));
        }
        // `tableless` gives each the sort of what it makes.
        _ => {}
    }
}

fn put(machine: &mut Machine, place: Place, sort: &Sort, given: &Given) {
    let number = |machine: &mut Machine, value: &Rational| input_number(machine, sort, value.clone());
    match (place, given) {
        (Place::Number(register), Given::Number(value)) => {
            machine.numbers[register as usize] = number(machine, value);
        }
        (Place::Truth(register), Given::Truth(value)) => machine.truths[register as usize] = *value,
        (Place::List(register, _), Given::List(items)) => {
            // Input lists are of numbers; a truth value is 0 or 1.
            let entry = |item: &Given| match item {
                Given::Number(value) => number(machine, value),
                Given::Truth(true) => Number::point(1.0),
                _ => Number::ZERO,
            };
            let list = List::Numbers(items.iter().map(entry).collect());
            machine.put_list(register, list);
        }
        // The types were checked before.
        _ => {}
    }
}

mod session;
pub use session::Session;

#[cfg(test)]
mod tests;
