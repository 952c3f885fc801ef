//! Inputs: given from Rust, or read from text such as `q=[98, 103, 97, 140]` and from JSON, exactly.
//!
//! ```
//! use probity_run::{Given, Inputs};
//! let inputs: Inputs = "q=[98, 41.7, 1/3]".parse()?;
//! assert_eq!(inputs, Inputs::new().with("q", Given::numbers([98, 417, 1].iter().zip([1, 10, 3]).map(
//!     |(&n, d)| probity_exact::rational(n, d).unwrap(),
//! ))));
//! # Ok::<(), probity_run::InputError>(())
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use probity_exact::{BitTest, Natural, Rational, parse_rational};
use probity_kernel::term::{Mechanism, Sort};

/// Numerators and denominators of inputs have at most so many bits. Every double has, as it is and as its shortest decimal; with more, a run
/// would take the longer for it, and who sees the time would learn of an input.
pub(crate) const MOST_BITS: usize = 1200;

/// What the denominator of an input is besides powers of 2 and 5 has at most so many bits: a sum has all of these in its own denominator, and the
/// powers of 2 and 5 once.
pub(crate) const MOST_PART_BITS: usize = 64;

/// A value for one input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// A number.
    Number(Rational),
    /// `true` or `false`.
    Truth(bool),
    /// A list.
    List(Vec<Given>),
}

impl Given {
    /// A list of numbers.
    pub fn numbers(items: impl IntoIterator<Item = Rational>) -> Given {
        Given::List(items.into_iter().map(Given::Number).collect())
    }
}

impl FromStr for Given {
    type Err = InputError;

    /// A number, `true` or `false`, or a list of these in brackets, which may be JSON: a number in quotes is exact too.
    fn from_str(text: &str) -> Result<Given, InputError> {
        let mut reader = Reader { rest: text };
        let given = reader.value(0)?;
        reader.end()?;
        Ok(given)
    }
}

/// Values for the inputs of a mechanism, by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inputs(BTreeMap<String, Given>);

impl Inputs {
    /// None yet.
    pub fn new() -> Inputs {
        Inputs::default()
    }

    /// These and one more. A second value for a name takes the place of the first.
    pub fn with(mut self, name: &str, value: Given) -> Inputs {
        self.0.insert(name.to_owned(), value);
        self
    }

    /// One more.
    ///
    /// # Errors
    /// When the input has a value already.
    pub fn add(&mut self, name: &str, value: Given) -> Result<(), InputError> {
        match self.0.insert(name.to_owned(), value) {
            None => Ok(()),
            Some(_) => Err(InputError::Repeated { name: name.to_owned() }),
        }
    }

    /// All of the others as well.
    ///
    /// # Errors
    /// When an input has a value already.
    pub fn merge(&mut self, others: Inputs) -> Result<(), InputError> {
        others.0.into_iter().try_for_each(|(name, value)| self.add(&name, value))
    }

    /// All inputs of a JSON object, such as `{"x": 41.7, "q": [1, 2]}`.
    ///
    /// # Errors
    /// When the text is no such object.
    pub fn from_json(text: &str) -> Result<Inputs, InputError> {
        let mut reader = Reader { rest: text };
        let mut inputs = Inputs::new();
        reader.expect('{')?;
        if !reader.take('}') {
            loop {
                let name = reader.quoted()?.to_owned();
                reader.expect(':')?;
                let value = reader.value(0)?;
                inputs.add(&name, value)?;
                if !reader.take(',') {
                    break;
                }
            }
            reader.expect('}')?;
        }
        reader.end()?;
        Ok(inputs)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Given> {
        self.0.get(name)
    }

    /// How many entries a list has.
    pub(crate) fn length(&self, name: &str) -> Option<usize> {
        match self.0.get(name)? {
            Given::List(items) => Some(items.len()),
            _ => None,
        }
    }

    /// Whether the inputs are those of a mechanism, by their names: what they are worth is not looked at.
    pub(crate) fn check_names(&self, mechanism: &Mechanism) -> Result<(), InputError> {
        for name in self.0.keys() {
            if mechanism.inputs.iter().all(|input| input.name.as_str() != name) {
                let allowed = mechanism.inputs.iter().map(|input| input.name.to_string()).collect();
                return Err(InputError::Unknown { name: name.clone(), allowed });
            }
        }
        for input in &mechanism.inputs {
            let name = input.name.to_string();
            if let Sort::Rows(_) = input.sort {
                match self.0.contains_key(&name) {
                    true => return Err(InputError::WrongType { name, expected: expected(&input.sort) }),
                    // Tables are not given here.
                    false => continue,
                }
            }
            if !self.0.contains_key(&name) {
                return Err(InputError::Missing { name });
            }
        }
        Ok(())
    }

    /// Whether the inputs are those of a mechanism, each of its type.
    pub(crate) fn check(&self, mechanism: &Mechanism) -> Result<(), InputError> {
        self.check_names(mechanism)?;
        for input in &mechanism.inputs {
            let name = input.name.to_string();
            let Some(given) = self.0.get(&name) else { continue };
            if !fits(given, &input.sort) {
                return Err(InputError::WrongType { name, expected: expected(&input.sort) });
            }
            if has_long(given) {
                return Err(InputError::TooLong { name });
            }
        }
        Ok(())
    }
}

impl FromStr for Inputs {
    type Err = InputError;

    /// One input, as `x=41.7` or `q=[98, 103]`.
    fn from_str(text: &str) -> Result<Inputs, InputError> {
        let Some((name, value)) = text.split_once('=') else {
            return Err(InputError::Malformed { expected: "NAME=VALUE, as x=41.7 or q=[98, 103]" });
        };
        Ok(Inputs::new().with(name.trim(), value.parse()?))
    }
}

/// The larger of the lengths of numerator and denominator.
pub(crate) fn bits(value: &Rational) -> usize {
    value.numerator().bit_len().max(value.denominator().bit_len())
}

/// Whether a number has more bits than a run takes of an input, whatever the text.
pub(crate) fn is_long(value: &Rational) -> bool {
    bits(value) > MOST_BITS || part(value.denominator()).bit_len() > MOST_PART_BITS
}

/// What a denominator is besides powers of 2 and 5. For numbers of at most [`MOST_BITS`].
pub(crate) fn part(denominator: &Natural) -> Natural {
    let mut left = denominator >> denominator.trailing_zeros().unwrap_or(0);
    if left == Natural::ONE {
        return left;
    }
    // 5^(2^k), the largest first: each divides at most once then.
    let mut powers = vec![Natural::from(5u8)];
    while let Some(last) = powers.last().filter(|last| last.bit_len() <= MOST_BITS / 2 + 1) {
        powers.push(last * last);
    }
    for power in powers.iter().rev() {
        if (&left % power) == Natural::ZERO {
            left /= power;
        }
    }
    left
}

fn has_long(given: &Given) -> bool {
    match given {
        Given::Number(value) => is_long(value),
        Given::Truth(_) => false,
        Given::List(items) => items.iter().any(has_long),
    }
}

fn expected(sort: &Sort) -> &'static str {
    match sort {
        Sort::Real => "a number",
        Sort::Int => "an integer",
        Sort::Bool => "true or false",
        Sort::Category { .. } => "a category, which is an integer from 0",
        Sort::RealList => "a list of numbers",
        Sort::IntList => "a list of integers",
        Sort::Rows(_) => "a table",
    }
}

fn fits(given: &Given, sort: &Sort) -> bool {
    let is_integer = |given: &Given| matches!(given, Given::Number(value) if value.is_int());
    let is_number = |given: &Given| matches!(given, Given::Number(_));
    // A list of truth values is one of the integers 0 and 1.
    let is_truth = |given: &Given| matches!(given, Given::Truth(_));
    match (given, sort) {
        (Given::Number(_), Sort::Real) | (Given::Truth(_), Sort::Bool) => true,
        (Given::Number(value), Sort::Int | Sort::Category { .. }) => value.is_int(),
        (Given::List(items), Sort::RealList) => items.iter().all(is_number),
        (Given::List(items), Sort::IntList) => items.iter().all(|item| is_integer(item) || is_truth(item)),
        _ => false,
    }
}

/// Why inputs cannot be used. No message shows a value: inputs are private.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputError {
    /// A text that is no value.
    Malformed {
        /// What should stand there.
        expected: &'static str,
    },
    /// An input has no value.
    Missing {
        /// Its name.
        name: String,
    },
    /// An input has two values.
    Repeated {
        /// Its name.
        name: String,
    },
    /// The mechanism has no such input.
    Unknown {
        /// The name that was given.
        name: String,
        /// The names that it has.
        allowed: Vec<String>,
    },
    /// A number with more digits than a run computes with.
    TooLong {
        /// The input.
        name: String,
    },
    /// A value of another type.
    WrongType {
        /// The input.
        name: String,
        /// What it must be.
        expected: &'static str,
    },
}

impl InputError {
    pub(crate) fn hint(&self) -> Option<String> {
        Some(match self {
            InputError::Malformed { .. } => {
                "numbers are read exactly: 7/3, 0.1, 1e-5; a list is written [1, 2, 3]".into()
            }
            InputError::Missing { name } => format!("add --input {name}=VALUE or --input {name}=@FILE"),
            InputError::Repeated { name } => format!("give {name} once"),
            InputError::WrongType { name, expected } => match *expected {
                "a table" => format!("give its rows by --data {name}=FILE.csv"),
                text if text.starts_with("a list") => format!("write --input '{name}=[98, 103]'"),
                "true or false" => format!("write --input {name}=true"),
                _ => format!("write --input {name}=41"),
            },
            InputError::TooLong { .. } => {
                "every double runs, every decimal number from 1e-300 to 1e300 with up to 60 digits, and every fraction of two 64-bit integers".into()
            }
            InputError::Unknown { name, allowed } => {
                match probity_lang::nearest(name, allowed.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean {near}? its inputs are {}", allowed.join(", ")),
                    None if allowed.is_empty() => "it has none".into(),
                    None => format!("its inputs are {}", allowed.join(", ")),
                }
            }
        })
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputError::Malformed { expected } => write!(f, "an input cannot be read: expected {expected}"),
            InputError::Missing { name } => write!(f, "the input {name} is missing"),
            InputError::Repeated { name } => write!(f, "the input {name} has two values"),
            InputError::Unknown { name, .. } => write!(f, "the mechanism has no input {name}"),
            InputError::TooLong { name } => {
                write!(
                    f,
                    "the input {name} must be made of numbers of at most {MOST_BITS} bits, with at most {MOST_PART_BITS} in a denominator \
                     besides powers of 2 and 5"
                )
            }
            InputError::WrongType { name, expected } => write!(f, "the input {name} must be {expected}"),
        }
    }
}

impl std::error::Error for InputError {}

/// A list in a list is no input; deeper ones are not even read.
const MOST_NESTING: usize = 4;

/// Reads values from a text.
struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn take(&mut self, wanted: char) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, wanted: char) -> Result<(), InputError> {
        let expected = match wanted {
            '{' => "an object { … }",
            '}' => "the end } of an object",
            ':' => "a colon after a name",
            _ => "the end ] of a list",
        };
        if self.take(wanted) { Ok(()) } else { Err(InputError::Malformed { expected }) }
    }

    fn end(&self) -> Result<(), InputError> {
        match self.rest.trim().is_empty() {
            true => Ok(()),
            false => Err(InputError::Malformed { expected: "the end, after one value" }),
        }
    }

    /// What stands between quotes.
    fn quoted(&mut self) -> Result<&'t str, InputError> {
        if !self.take('"') {
            return Err(InputError::Malformed { expected: "a name in quotes" });
        }
        let Some((text, rest)) = self.rest.split_once('"') else {
            return Err(InputError::Malformed { expected: "closing quotes" });
        };
        self.rest = rest;
        Ok(text)
    }

    fn value(&mut self, depth: usize) -> Result<Given, InputError> {
        let number = |text: &str| {
            let expected = "a number, true, false or a list";
            parse_rational(text).map(Given::Number).map_err(|_| InputError::Malformed { expected })
        };
        if self.take('[') {
            if depth == MOST_NESTING {
                return Err(InputError::Malformed { expected: "numbers in a list" });
            }
            let mut items = Vec::new();
            if !self.take(']') {
                loop {
                    items.push(self.value(depth + 1)?);
                    if !self.take(',') {
                        break;
                    }
                }
                self.expect(']')?;
            }
            return Ok(Given::List(items));
        }
        self.rest = self.rest.trim_start();
        if self.rest.starts_with('"') {
            return number(self.quoted()?);
        }
        let length = self.rest.find([',', ']', '}']).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(length);
        self.rest = rest;
        match text.trim() {
            "true" => Ok(Given::Truth(true)),
            "false" => Ok(Given::Truth(false)),
            text => number(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    #[test]
    fn json_and_plain_text_are_read_exactly() {
        let number = |n: i64, d: i64| Given::Number(rational(n, d).unwrap());
        for text in ["q=[0.1, -3,1/7, 2e3]", "q= [ \"0.1\" , -3 , \"1/7\",2000 ]"] {
            let list = Given::List(vec![number(1, 10), number(-3, 1), number(1, 7), number(2000, 1)]);
            assert_eq!(text.parse::<Inputs>().unwrap(), Inputs::new().with("q", list), "{text}");
        }
        let all = Inputs::from_json("{\"x\": 41.7, \"b\": true, \"q\": []}\n").unwrap();
        let expected = Inputs::new()
            .with("x", number(417, 10))
            .with("b", Given::Truth(true))
            .with("q", Given::List(vec![]));
        assert_eq!(all, expected);
        assert_eq!(Inputs::from_json("{}").unwrap(), Inputs::new());
    }

    #[test]
    fn what_is_no_value_is_refused() {
        for text in
            ["q", "q=", "q=[1", "q=1]", "q=[1 2]", "q=[1,]", "q=x", "q=\"1", "q=[[[[[[1]]]]]]", "q=[nan]"]
        {
            assert!(matches!(text.parse::<Inputs>(), Err(InputError::Malformed { .. })), "{text}");
        }
        for text in ["", "[1]", "{\"x\" 1}", "{x: 1}", "{\"x\": 1", "{\"x\": 1} 2", "{\"x\": 1,}"] {
            assert!(Inputs::from_json(text).is_err(), "{text}");
        }
        assert!(matches!(Inputs::from_json("{\"x\":1,\"x\":2}"), Err(InputError::Repeated { .. })));
    }
}
