//! Values that are given for a mechanism: parameters, inputs, floating-point formats. What it does not admit is refused.

use std::collections::BTreeMap;

use probity_audit::{Given, Inputs, Parameters, admits, admits_parameters};
use probity_exact::{Format, Rational, Round, parse_rational};
use probity_kernel::term::{Field, Mechanism, Reading, Sort};
use probity_lang::{Program, Setting, SettingError};

use crate::decimal;
use crate::error::{Error, Kind};

/// Whether every parameter has a value.
pub(crate) fn check_complete(program: &Program, settings: &[Setting]) -> Result<(), Error> {
    let mut params = program.mechanism.params.iter();
    match params.find(|param| settings.iter().all(|setting| setting.name != param.name.as_str())) {
        None => Ok(()),
        Some(param) => Err(Error::new(format!("no value was given for {}", param.name))
            .with_hint(format!("give {} a value", param.name))
            .of_kind(Kind::Missing(vec![param.name.to_string()]))),
    }
}

/// The program with values for parameters, which must be admitted.
pub fn with_settings(program: &Program, settings: &[Setting]) -> Result<Program, Error> {
    let name = &program.mechanism.name;
    program.with(settings).map_err(|error| match &error {
        SettingError::UnknownParameter { name: wrong, allowed } => Error::new(format!(
            "{name} has no parameter {wrong}"
        ))
        .with_hint(meant("its parameters are", wrong, allowed)),
        SettingError::AssumptionFails { assumption } => {
            Error::new(format!("{name} is not defined for these parameters: {assumption} is required"))
                .with_hint("give other values; the text's `param` and `where` lines say which")
                .of_kind(Kind::NotAdmitted)
        }
        _ => Error::new(error),
    })
}

/// The name that was probably meant, and all that there are.
pub fn meant(all_are: &str, wrong: &str, allowed: &[String]) -> String {
    let all = match allowed.is_empty() {
        true => "there are none".to_owned(),
        false => format!("{all_are} {}", allowed.join(", ")),
    };
    match probity_lang::nearest(wrong, allowed.iter().map(String::as_str)) {
        Some(near) => format!("did you mean {near}? {all}"),
        None => all,
    }
}

/// Parameters that are to take every value of a range.
pub type Ranges = BTreeMap<String, (Rational, Rational)>;

/// Settings as the parameters of an audit, which must be admitted.
pub(crate) fn parameters(program: &Program, settings: &[Setting]) -> Result<Parameters, Error> {
    with_settings(program, settings)?;
    let params = program.mechanism.params.iter();
    let value = |name: &str| settings.iter().find(|setting| setting.name == name);
    Ok(params.filter_map(|p| Some((p.name.clone(), value(p.name.as_str())?.value.clone()))).collect())
}

/// The inputs of a mechanism from one text: the value itself when there is one input, else `name=value;name=value`. A list
/// is written as `1,2,3` or `[1,2,3]`.
pub fn parse_inputs(mechanism: &Mechanism, text: &str) -> Result<Inputs, Error> {
    // A table alone may name its fields, as a counterexample does.
    let named = text.contains('=') && !text.trim_start().starts_with('[');
    let parts: Vec<(String, &str)> = match (&mechanism.inputs[..], named) {
        ([only], false) => vec![(only.name.to_string(), text)],
        _ => {
            let pair = |part: &'_ str| part.split_once('=').map(|(name, _)| name.trim().to_owned());
            let mut parts = Vec::new();
            for part in text.split(';') {
                let name = pair(part).ok_or_else(|| {
                    Error::new(format!("'{part}' names no input")).with_hint("write x=1;q=[1,2,3]")
                })?;
                parts.push((name, part.split_once('=').map_or("", |(_, value)| value)));
            }
            parts
        }
    };
    let mut inputs = BTreeMap::new();
    for (name, value) in parts {
        let Some(input) = mechanism.inputs.iter().find(|input| input.name.as_str() == name) else {
            let known: Vec<String> = mechanism.inputs.iter().map(|input| input.name.to_string()).collect();
            return Err(Error::new(format!("{} has no input {name}", mechanism.name)).with_hint(meant(
                "its inputs are",
                &name,
                &known,
            )));
        };
        if inputs.insert(input.name.clone(), value_of(&input.sort, value.trim())?).is_some() {
            return Err(Error::new(format!("the input {name} has two values in '{text}'")));
        }
    }
    match mechanism.inputs.iter().find(|input| !inputs.contains_key(&input.name)) {
        Some(input) => Err(Error::new(format!("the input {} is missing in '{text}'", input.name))
            .with_hint("several inputs are written as \"x=1;q=[1,2,3]\"")),
        None => Ok(inputs),
    }
}

fn value_of(sort: &Sort, text: &str) -> Result<Given, Error> {
    Ok(match sort {
        Sort::Bool => match text {
            "true" => Given::Bool(true),
            "false" => Given::Bool(false),
            _ => return Err(Error::new(format!("'{text}' is neither true nor false"))),
        },
        Sort::RealList | Sort::IntList => {
            let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
            let items = inner.split(',').map(str::trim).filter(|item| !item.is_empty());
            // A list of truth values is one of the integers 0 and 1.
            let entry = |text: &str| match text {
                "true" => Ok(Rational::ONE),
                "false" => Ok(Rational::ZERO),
                _ => number(text),
            };
            Given::List(items.map(entry).collect::<Result<_, _>>()?)
        }
        Sort::Real | Sort::Int | Sort::Category { .. } => Given::Number(number(text)?),
        Sort::Rows(fields) => probity_audit::read_rows(&without_names(fields, text)).ok_or_else(|| {
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            Error::new(format!("'{text}' is no table"))
                .with_hint(format!("write its rows as [({0}), ({0})]", names.join(", ")))
        })?,
    })
}

/// The rows of a table without the names of their fields, where each stands before its value: `[(age = 3)]` is `[(3)]`.
fn without_names(fields: &[Field], text: &str) -> String {
    let mut place = 0;
    let mut plain = String::new();
    for part in text.split_inclusive(['(', ',', ')']) {
        let named = part
            .split_once('=')
            .filter(|(name, _)| fields.get(place).is_some_and(|field| field.name.as_str() == name.trim()));
        plain.push_str(named.map_or(part, |(_, value)| value));
        match part.chars().next_back() {
            Some('(') => place = 0,
            _ => place += 1,
        }
    }
    plain
}

fn number(text: &str) -> Result<Rational, Error> {
    parse_rational(text).map_err(Error::new)
}

/// Inputs as [`parse_inputs`] reads them, with the numbers shown in a way of choice.
pub fn inputs_text(inputs: &Inputs, show: fn(&Rational) -> String) -> String {
    let value = |given: &Given| match given {
        Given::Number(x) => show(x),
        Given::Bool(b) => b.to_string(),
        Given::List(items) => items.iter().map(show).collect::<Vec<_>>().join(","),
        Given::Rows(_) => given.to_string(),
    };
    match inputs.len() {
        1 => inputs.values().map(value).collect(),
        _ => {
            let parts: Vec<String> =
                inputs.iter().map(|(name, given)| format!("{name}={}", value(given))).collect();
            parts.join(";")
        }
    }
}

/// Refuses an input that the mechanism is not defined for: a loss there would say nothing about it.
pub(crate) fn check_input(program: &Program, parameters: &Parameters, input: &Inputs) -> Result<(), Error> {
    let mechanism = &program.mechanism;
    // The parameters first: an assumption about an input cannot be read without them.
    if admits_parameters(mechanism, parameters)? && admits(mechanism, parameters, input)? {
        return Ok(());
    }
    let assumptions: Vec<String> = mechanism.assumptions.iter().map(ToString::to_string).collect();
    let types: Vec<String> =
        mechanism.inputs.iter().map(|input| format!("{}: {}", input.name, input.sort)).collect();
    let types = format!("its inputs are {}", types.join(", "));
    let text = inputs_text(input, decimal::exact_or_nearest);
    let error =
        Error::new(format!("{} is not defined for the input {text} with these parameters", mechanism.name));
    Err(match assumptions.is_empty() {
        true => error.with_hint(types),
        false => error.with_hint(format!("{types}; it assumes {}", assumptions.join(", "))),
    })
}

/// A reading by its name: `reals`, `binary64`, `binary32`, `binary16`, or `precision,emin,emax`.
pub fn parse_reading(text: &str) -> Result<Reading, Error> {
    let refused = || {
        Error::new(format!(
            "'{text}' is no reading: write reals, binary64, binary32, binary16, or a format as float(8, -20, 20) or 8,-20,20"
        ))
    };
    Ok(match text {
        "reals" => Reading::Reals,
        "binary64" => Reading::BINARY64,
        "binary32" => Reading::BINARY32,
        "binary16" => Reading::BINARY16,
        _ => {
            // As the language and theorems write it, or its numbers alone.
            let written = text.strip_prefix("float(").and_then(|inner| inner.strip_suffix(')'));
            let parts: Vec<&str> = written.unwrap_or(text).split(',').map(str::trim).collect();
            let [precision, emin, emax] = parts[..] else { return Err(refused()) };
            let (Ok(precision), Ok(emin), Ok(emax)) = (precision.parse(), emin.parse(), emax.parse()) else {
                return Err(refused());
            };
            let reading = Reading::Binary { precision, emin, emax };
            format_of(reading)?;
            reading
        }
    })
}

/// The format of a reading; an error for the reals.
pub fn format_of(reading: Reading) -> Result<Format, Error> {
    match reading {
        Reading::Reals | Reading::Rho | Reading::Mu => {
            Err(Error::new("the reals are no floating-point format")
                .with_hint("choose binary64, binary32, binary16, or a format as 8,-20,20")
                .of_kind(Kind::NoFormat))
        }
        Reading::Binary { precision, emin, emax } => {
            Format::new(precision, i64::from(emin), i64::from(emax)).map_err(Error::new)
        }
    }
}

/// Refuses parameters that the arithmetic cannot come near: the program computes with them rounded to nearest, and that must
/// neither be infinite nor make a 0 of them. The claim is about the exact ones.
pub(crate) fn check_parameters(parameters: &Parameters, reading: Reading) -> Result<(), Error> {
    if !matches!(reading, Reading::Binary { .. }) {
        return Ok(());
    }
    let format = format_of(reading)?;
    for (name, value) in parameters {
        let float = format.round(value, Round::NearestEven);
        if !float.is_finite() || float.is_zero() && !value.is_zero() {
            let shown = decimal::exact_or_nearest(value);
            let reason = format!("{name} = {shown} is beyond the range of {format}, and not admitted there");
            return Err(Error::new(reason)
                .with_hint("give another value, or another format")
                .of_kind(Kind::RoundedAway));
        }
    }
    Ok(())
}
