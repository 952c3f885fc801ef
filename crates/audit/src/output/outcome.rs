//! What a mechanism releases, as exact data, and the values that it is given.

use std::collections::BTreeMap;
use std::fmt;

use probity_exact::{Rational, parse_rational};
use probity_kernel::expr::Name;

/// A released value.
///
/// Numbers are exact. −0 and +0 are one outcome: telling them apart could only show more, so what is shown
/// stays a lower bound.
///
/// ```
/// use probity_audit::Outcome;
/// use probity_exact::fraction;
/// let released = Outcome::List(vec![Outcome::Bool(false), Outcome::Number(fraction::<7, 2>())]);
/// assert_eq!(released.to_string(), "[false, 7/2]");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// −∞ or +∞ of a floating-point format.
    Infinite {
        /// Whether it is −∞.
        negative: bool,
    },
    /// A number.
    Number(Rational),
    /// NaN of a floating-point format.
    NotANumber,
    /// `true` or `false`.
    Bool(bool),
    /// A list.
    List(Vec<Outcome>),
}

impl Outcome {
    /// The number, if it is one.
    pub fn number(&self) -> Option<&Rational> {
        match self {
            Outcome::Number(x) => Some(x),
            _ => None,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Infinite { negative: true } => write!(f, "-inf"),
            Outcome::Infinite { negative: false } => write!(f, "inf"),
            Outcome::Number(x) => write!(f, "{x}"),
            Outcome::NotANumber => write!(f, "NaN"),
            Outcome::Bool(b) => write!(f, "{b}"),
            Outcome::List(items) => {
                write!(f, "[")?;
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        write!(f, ", ")?;
                    }
                    write!(f, "{item}")?;
                }
                write!(f, "]")
            }
        }
    }
}

/// A value that is given to a mechanism.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// A real, an integer or a category.
    Number(Rational),
    /// A boolean.
    Bool(bool),
    /// A list of reals or integers.
    List(Vec<Rational>),
    /// A table: its rows, each with a value for every field, in the order of the fields.
    Rows(Vec<Vec<Given>>),
}

impl Given {
    /// The number, if it is one.
    pub fn number(&self) -> Option<&Rational> {
        match self {
            Given::Number(x) => Some(x),
            _ => None,
        }
    }
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Given::Number(x) => write!(f, "{x}"),
            Given::Bool(b) => write!(f, "{b}"),
            Given::List(items) => {
                let items: Vec<String> = items.iter().map(Rational::to_string).collect();
                write!(f, "[{}]", items.join(", "))
            }
            Given::Rows(rows) => {
                let row = |row: &Vec<Given>| {
                    let values: Vec<String> = row.iter().map(Given::to_string).collect();
                    format!("({})", values.join(", "))
                };
                let rows: Vec<String> = rows.iter().map(row).collect();
                write!(f, "[{}]", rows.join(", "))
            }
        }
    }
}

/// The parameters of a mechanism by name.
pub type Parameters = BTreeMap<Name, Rational>;

/// The private inputs of a mechanism by name.
pub type Inputs = BTreeMap<Name, Given>;

/// A table as it is shown: `[(0, 35), (1, true)]`.
///
/// ```
/// let table = probity_audit::read_rows("[(0, 1/2), (1, true)]").unwrap();
/// assert_eq!(table.to_string(), "[(0, 1/2), (1, true)]");
/// assert!(probity_audit::read_rows("[(0, 1/2), 3]").is_none());
/// ```
pub fn read_rows(text: &str) -> Option<Given> {
    let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?.trim();
    let value = |text: &str| match text.trim() {
        "true" => Some(Given::Bool(true)),
        "false" => Some(Given::Bool(false)),
        number => parse_rational(number).ok().map(Given::Number),
    };
    let mut rows = Vec::new();
    let mut rest = inner;
    while !rest.is_empty() {
        let (row, after) = rest.strip_prefix('(')?.split_once(')')?;
        let values = row.split(',').filter(|v| !v.trim().is_empty());
        rows.push(values.map(value).collect::<Option<Vec<Given>>>()?);
        let after = after.trim();
        rest = match after.strip_prefix(',') {
            Some(next) if !next.trim().is_empty() => next.trim(),
            None if after.is_empty() => after,
            _ => return None,
        };
    }
    Some(Given::Rows(rows))
}
