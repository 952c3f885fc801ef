//! Why there is no answer. All but the last three are decided before anything is drawn.

use std::fmt;

use probity_kernel::expr::Expr;
use probity_lang::{Diagnostic, SettingError};
use probity_noise::entropy::EntropyError;

use crate::input::InputError;
use crate::program::machine::MOST_BYTES;
use crate::program::most::MOST_TURNS;

/// Numerators and denominators of parameters and grids have at most so many bits: with ten times as many, one draw takes ten seconds. They are not
/// private; inputs have less room (`input.rs`).
pub(crate) const MOST_PARAMETER_BITS: usize = 4200;

/// Why a text does not run, or a run has no answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RunError {
    /// The text has faults.
    Text {
        /// All of them.
        faults: Vec<Diagnostic>,
    },
    /// A value for a parameter cannot be used.
    Setting(SettingError),
    /// A parameter has no value.
    MissingParameter {
        /// Its name.
        name: String,
    },
    /// The value of a parameter is so small, so large or so long that a draw with it would not end in a reasonable time.
    LongParameter {
        /// Its name.
        name: String,
    },
    /// The text reads a table, and it is not said where that is.
    Table {
        /// The table.
        name: String,
    },
    /// A table was given that the text does not read.
    UnknownTable {
        /// The name that was given.
        name: String,
    },
    /// A table has not the column that the text reads, or has it twice.
    Column {
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// Whether it is there twice.
        twice: bool,
    },
    /// No proof of the claim was found, so nothing runs.
    NotProved {
        /// The mechanism.
        mechanism: String,
        /// Why.
        reason: String,
    },
    /// The claim is about no two inputs, so that its theorem protects nobody.
    Vacuous {
        /// The mechanism.
        mechanism: String,
        /// Why.
        reason: &'static str,
    },
    /// The certificate is not one of this text and these parameters, or does not hold.
    Certificate {
        /// Why.
        reason: String,
    },
    /// The claim is about floating point, and a run computes over the reals.
    FloatClaim {
        /// The claim.
        claim: String,
    },
    /// A decision of the text might not end for some inputs, so it is refused for all.
    Refused {
        /// The expression that decides.
        expression: String,
        /// Why.
        reason: String,
    },
    /// A number of the text might grow beyond what a run computes with, for some inputs or after some turns of a loop.
    TooLarge {
        /// The expression, or the loop.
        expression: String,
    },
    /// A run may take more turns or more memory than there is, so that the text is refused for all inputs (with lists of this length).
    TooMuch {
        /// The statement by which it does.
        statement: String,
        /// How many turns it may have made by then, if it is turns.
        turns: Option<u64>,
    },
    /// A `where` line about rows is none that is computed for each row.
    Rows {
        /// The assumption.
        expression: String,
    },
    /// A sum divides by a row's field and by what the text computes or draws at once.
    Divisors {
        /// The sum.
        expression: String,
    },
    /// A sample of a sample.
    SampleOfSample {
        /// The sample that is sampled.
        sample: String,
    },
    /// The output is a real number, which has no end: it needs a grid.
    NeedsGrid {
        /// The output.
        output: String,
    },
    /// A grid that is not positive, or one for an output without numbers.
    Grid {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The inputs do not fit the mechanism.
    Input(InputError),
    /// The inputs are not of those that the theorem speaks of. It is not said by how much.
    Assumption {
        /// What they must meet.
        assumption: String,
    },
    /// A term that no front end makes.
    Malformed {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A draw from a law with a parameter outside its range: it has no value. A proved text does not come here.
    OutOfRange {
        /// The statement.
        statement: String,
    },
    /// A run takes more memory than there is for one, for these inputs or draws.
    TooLong {
        /// The statement.
        statement: String,
    },
    /// So many random bits decided nothing. The randomness is broken, or the text can loop for ever.
    Undecided {
        /// The statement.
        statement: String,
        /// How many bits.
        bits: usize,
    },
    /// The source of randomness failed.
    Entropy(EntropyError),
}

impl RunError {
    pub(crate) fn malformed(reason: &'static str) -> RunError {
        RunError::Malformed { reason }
    }

    pub(crate) fn refused(expression: &Expr, reason: &str) -> RunError {
        RunError::Refused { expression: expression.to_string(), reason: reason.to_owned() }
    }

    /// Whether the text was understood and is not proved: an answer rather than a mistake.
    pub fn is_verdict(&self) -> bool {
        matches!(
            self,
            RunError::NotProved { .. }
                | RunError::Vacuous { .. }
                | RunError::Certificate { .. }
                | RunError::FloatClaim { .. }
        )
    }

    /// Whether other values of the inputs might have had no such error, so that whoever sees it learns something about them.
    pub fn tells_of_inputs(&self) -> bool {
        matches!(
            self,
            RunError::Assumption { .. }
                | RunError::Input(InputError::WrongType { .. } | InputError::TooLong { .. })
                | RunError::OutOfRange { .. }
                | RunError::TooLong { .. }
                | RunError::Undecided { .. }
        )
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            RunError::Setting(SettingError::AssumptionFails { .. }) => {
                "give other values with --set; the file's `param` and `where` lines say which".into()
            }
            RunError::MissingParameter { name } => format!("add --set {name}=VALUE"),
            RunError::LongParameter { .. } => "numbers between 1e-1000 and 1e1000 run".into(),
            RunError::Table { name } => format!("add --data {name}=FILE.csv"),
            RunError::UnknownTable { .. } => "the file's first line names its tables: NAME: rows(…)".into(),
            RunError::Column { .. } => {
                "the first line of the file must name each field of the text's rows(…) once".into()
            }
            RunError::NotProved { .. } => {
                "`probity verify` says more; --unproved runs it for an experiment, without a guarantee".into()
            }
            RunError::Vacuous { .. } => {
                "state neighbours that differ, and parameters for which there are some".into()
            }
            RunError::Certificate { .. } => {
                "make one with `probity verify FILE --set … --certificate OUT`, or leave --certificate out"
                    .into()
            }
            RunError::FloatClaim { .. } => {
                "state the claim without `in binary64` and the like; a run needs no room for rounding errors"
                    .into()
            }
            RunError::Refused { .. } => {
                "write the comparison without ln, exp and sqrt; Gumbel noise, which is a logarithm, is compared as it is and not multiplied".into()
            }
            RunError::TooLarge { .. } => {
                "clamp what grows, or bound inputs, as in x: real in [0, 1] or where -B <= x <= B; of sums over rows or entries, clamp and round what divides, as in r.income / clamp(r.age, 1, 150), or round the \
                 quotient, as in round_to(r.income / r.age, 1/1000); round sums of many draws with round_to before they are multiplied. Inputs are \
                 taken to have as many digits as they may, whatever they are"
                    .into()
            }
            RunError::TooMuch { .. } => {
                "let loops have fewer turns; numbers that are computed and draws are kept until the run ends, and lists until they begin anew".into()
            }
            RunError::Rows { .. } => {
                "compare each field with numbers, as in `where people.age >= 18`; what depends on more is a condition of the sum".into()
            }
            RunError::Divisors { .. } => {
                "divide by fields alone or by what was drawn alone; a condition can be written without a divisor, as `r.x > z * (r.age + t)` for \
                 `r.x / (r.age + t) > z` where the divisor is positive"
                    .into()
            }
            RunError::SampleOfSample { .. } => "draw each sample from the table itself".into(),
            RunError::NeedsGrid { .. } => {
                "add --grid 2^-20, or round_to in the text; rounding is post-processing and costs nothing"
                    .into()
            }
            RunError::Grid { .. } => "write a positive number, as --grid 2^-10 or --grid 1/100".into(),
            RunError::Input(error) => return error.hint(),
            RunError::Assumption { .. } => {
                "the file's header and its `where` lines say what is assumed; a text that clamps its inputs assumes nothing of them".into()
            }
            RunError::OutOfRange { .. } => {
                "the mechanism does not say what to draw there; see docs/run.md for the ranges".into()
            }
            _ => return None,
        })
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Text { faults } => match faults.first() {
                Some(fault) => write!(f, "the text has {} faults, first: {}", faults.len(), fault.message),
                None => write!(f, "the text is at fault"),
            },
            RunError::Setting(error) => error.fmt(f),
            RunError::MissingParameter { name } => write!(f, "no value was given for {name}"),
            RunError::LongParameter { name } => {
                write!(
                    f,
                    "the value of {name} has more than {MOST_PARAMETER_BITS} bits: a draw with it would take too long"
                )
            }
            RunError::Table { name } => {
                write!(f, "the text reads the table {name}, and it is not said where that is")
            }
            RunError::UnknownTable { name } => write!(f, "the text reads no table {name}"),
            RunError::Column { table, column, twice: false } => {
                write!(f, "the table {table} has no column `{column}`")
            }
            RunError::Column { table, column, twice: true } => {
                write!(f, "the table {table} has two columns `{column}`")
            }
            RunError::NotProved { mechanism, reason } => {
                write!(f, "{mechanism} is not proved, so it does not run: {reason}")
            }
            RunError::Vacuous { mechanism, reason } => {
                write!(f, "the claim of {mechanism} is about nothing, so it does not run: {reason}")
            }
            RunError::Certificate { reason } => write!(f, "the certificate is rejected: {reason}"),
            RunError::FloatClaim { claim } => {
                write!(f, "the claim is about floating point ({claim}), and a run computes over the reals")
            }
            RunError::Refused { expression, reason } => {
                write!(f, "`{expression}` cannot be decided for all inputs: {reason}")
            }
            RunError::TooLarge { expression } => {
                write!(
                    f,
                    "the numbers of `{expression}` may become too large, for some inputs or in some turn of a loop"
                )
            }
            RunError::TooMuch { statement, turns: Some(turns) } => {
                write!(
                    f,
                    "by `{statement}` a run may have made {turns} turns of loops, and it has {MOST_TURNS}"
                )
            }
            RunError::TooMuch { statement, turns: None } => {
                write!(
                    f,
                    "by `{statement}` a run may keep more numbers, draws and entries of lists than fit into the {} MiB that it has",
                    MOST_BYTES >> 20
                )
            }
            RunError::Rows { expression } => {
                write!(
                    f,
                    "`{expression}` is about rows, and such a `where` line is made of fields and numbers, by + - * / min max abs floor clamp and comparisons"
                )
            }
            RunError::Divisors { expression } => {
                write!(
                    f,
                    "`{expression}` divides by a row's field together with what the text computes or draws; such a sum is not decided for all tables"
                )
            }
            RunError::SampleOfSample { sample } => {
                write!(f, "a sample runs of a table, and {sample} is a sample")
            }
            RunError::NeedsGrid { output } => {
                write!(f, "`{output}` is a real number: to be written down it needs a grid")
            }
            RunError::Grid { reason } => write!(f, "the grid cannot be used: {reason}"),
            RunError::Input(error) => error.fmt(f),
            RunError::Assumption { assumption } => {
                write!(f, "the inputs violate an assumption of the mechanism: {assumption}")
            }
            RunError::Malformed { reason } => write!(f, "the mechanism is malformed: {reason}"),
            RunError::OutOfRange { statement } => {
                write!(
                    f,
                    "`{statement}` draws from a law with a parameter outside its range; there is no answer"
                )
            }
            RunError::TooLong { statement } => {
                write!(
                    f,
                    "`{statement}` takes more than the {} MiB that one run has for draws and lists; there is no answer",
                    MOST_BYTES >> 20
                )
            }
            RunError::Undecided { statement, bits } => {
                write!(f, "`{statement}` is undecided after {bits} random bits; there is no answer")
            }
            RunError::Entropy(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RunError {}

impl From<SettingError> for RunError {
    fn from(error: SettingError) -> RunError {
        RunError::Setting(error)
    }
}

impl From<InputError> for RunError {
    fn from(error: InputError) -> RunError {
        RunError::Input(error)
    }
}

impl From<EntropyError> for RunError {
    fn from(error: EntropyError) -> RunError {
        RunError::Entropy(error)
    }
}
