//! Values given on the command line: parameters, inputs, floating-point formats.

use std::collections::BTreeMap;

use probity_audit::{Given, Inputs, Parameters};
use probity_exact::{Format, Rational, Round, parse_rational};
use probity_kernel::term::{Mechanism, Reading, Sort};
use probity_lang::{Program, Setting, SettingError};

use crate::decimal;
use crate::failure::Failure;

/// `--set` options as settings.
pub fn settings(texts: &[String]) -> Result<Vec<Setting>, Failure> {
    let setting = |text: &String| {
        text.parse().map_err(|error| match &error {
            SettingError::Malformed { text, reason } => Failure::new(format!(
                "--set {text} sets no parameter: {reason}"
            ))
            .hint(match text.contains("..") {
                true => "ranges are for `certify` and for `audit --search`",
                false => "write --set NAME=NUMBER, as --set eps=1/2",
            }),
            _ => Failure::new(error),
        })
    };
    texts.iter().map(setting).collect()
}

/// Whether every parameter has a value.
pub fn check_complete(program: &Program, settings: &[Setting]) -> Result<(), Failure> {
    let mut params = program.mechanism.params.iter();
    match params.find(|param| settings.iter().all(|setting| setting.name != param.name.as_str())) {
        None => Ok(()),
        Some(param) => Err(Failure::new(format!("no value was given for {}", param.name))
            .hint(format!("add --set {}=VALUE", param.name))),
    }
}

/// A count, as people write it: `1000000` or `1e6`.
pub fn count(text: &str) -> Result<u64, String> {
    let number = parse_rational(text).map_err(|error| error.to_string())?;
    let whole = number.is_int().then(|| u64::try_from(number.floor()).ok()).flatten();
    whole.ok_or_else(|| "it must be a whole number of at least 0 and less than 2^64".into())
}

/// The program with values for parameters, which must be admitted.
pub fn with(program: &Program, settings: &[Setting]) -> Result<Program, Failure> {
    let name = &program.mechanism.name;
    program.with(settings).map_err(|error| match &error {
        SettingError::UnknownParameter { name: wrong, allowed } => Failure::new(format!(
            "{name} has no parameter {wrong}"
        ))
        .hint(meant("its parameters are", wrong, allowed)),
        SettingError::AssumptionFails { assumption } => {
            Failure::new(format!("{name} is not defined for these parameters: {assumption} is required"))
                .hint("give other values with --set; the file's `param` and `where` lines say which")
        }
        _ => Failure::new(error),
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

/// `--set` options with a value, and those with a range `low..high`.
pub fn values_and_ranges(texts: &[String]) -> Result<(Vec<Setting>, Ranges), Failure> {
    let mut values = Vec::new();
    let mut ranges = BTreeMap::new();
    for text in texts {
        let range = text.split_once('=').and_then(|(name, value)| Some((name, value.split_once("..")?)));
        match range {
            None => values.push(text.clone()),
            Some((name, (low, high))) => {
                let (low, high) = (number(low)?, number(high)?);
                if low > high {
                    return Err(Failure::new(format!("the range {text} is empty"))
                        .hint("write the smaller end first, as eps=1/2..2"));
                }
                if ranges.insert(name.trim().to_owned(), (low, high)).is_some() {
                    return Err(Failure::new(format!("the parameter {} has two ranges", name.trim())));
                }
            }
        }
    }
    Ok((settings(&values)?, ranges))
}

/// Settings as the parameters of an audit, which must be admitted.
pub fn parameters(program: &Program, settings: &[Setting]) -> Result<Parameters, Failure> {
    with(program, settings)?;
    let params = program.mechanism.params.iter();
    let value = |name: &str| settings.iter().find(|setting| setting.name == name);
    Ok(params.filter_map(|p| Some((p.name.clone(), value(p.name.as_str())?.value.clone()))).collect())
}

/// The inputs of a mechanism from one text: the value itself when there is one input, else `name=value;name=value`.
pub fn inputs(mechanism: &Mechanism, text: &str) -> Result<Inputs, Failure> {
    let parts: Vec<(String, &str)> = match (&mechanism.inputs[..], text.contains('=')) {
        ([only], false) => vec![(only.name.to_string(), text)],
        _ => {
            let pair = |part: &'_ str| part.split_once('=').map(|(name, _)| name.trim().to_owned());
            let mut parts = Vec::new();
            for part in text.split(';') {
                let name = pair(part).ok_or_else(|| {
                    Failure::new(format!("'{part}' names no input")).hint("write x=1;q=[1,2,3]")
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
            return Err(Failure::new(format!("{} has no input {name}", mechanism.name)).hint(meant(
                "its inputs are",
                &name,
                &known,
            )));
        };
        if inputs.insert(input.name.clone(), value_of(&input.sort, value.trim())?).is_some() {
            return Err(Failure::new(format!("the input {name} has two values in '{text}'")));
        }
    }
    match mechanism.inputs.iter().find(|input| !inputs.contains_key(&input.name)) {
        Some(input) => Err(Failure::new(format!("the input {} is missing in '{text}'", input.name))
            .hint("several inputs are written as \"x=1;q=[1,2,3]\"")),
        None => Ok(inputs),
    }
}

fn value_of(sort: &Sort, text: &str) -> Result<Given, Failure> {
    Ok(match sort {
        Sort::Bool => match text {
            "true" => Given::Bool(true),
            "false" => Given::Bool(false),
            _ => return Err(Failure::new(format!("'{text}' is neither true nor false"))),
        },
        Sort::RealList | Sort::IntList => {
            let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
            let items = inner.split(',').map(str::trim).filter(|item| !item.is_empty());
            Given::List(items.map(number).collect::<Result<_, _>>()?)
        }
        Sort::Real | Sort::Int | Sort::Category { .. } => Given::Number(number(text)?),
        Sort::Rows(fields) => probity_audit::read_rows(text).ok_or_else(|| {
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            Failure::new(format!("'{text}' is no table"))
                .hint(format!("write its rows as [({0}), ({0})]", names.join(", ")))
        })?,
    })
}

fn number(text: &str) -> Result<Rational, Failure> {
    parse_rational(text).map_err(Failure::new)
}

/// A reading by its name: `reals`, `binary64`, `binary32`, `binary16`, or `precision,emin,emax`.
pub fn reading(text: &str) -> Result<Reading, String> {
    let refused = || {
        format!("'{text}' is no reading: write reals, binary64, binary32, binary16, or a format as 8,-20,20")
    };
    Ok(match text {
        "reals" => Reading::Reals,
        "binary64" => Reading::BINARY64,
        "binary32" => Reading::BINARY32,
        "binary16" => Reading::BINARY16,
        _ => {
            let parts: Vec<&str> = text.split(',').map(str::trim).collect();
            let [precision, emin, emax] = parts[..] else { return Err(refused()) };
            let (Ok(precision), Ok(emin), Ok(emax)) = (precision.parse(), emin.parse(), emax.parse()) else {
                return Err(refused());
            };
            let reading = Reading::Binary { precision, emin, emax };
            format(reading).map_err(|failure| failure.reason())?;
            reading
        }
    })
}

/// The format of a reading; a failure for the reals.
pub fn format(reading: Reading) -> Result<Format, Failure> {
    match reading {
        Reading::Reals => Err(Failure::new("the reals are no floating-point format")
            .hint("add --in binary64, binary32, binary16, or a format as 8,-20,20")),
        Reading::Binary { precision, emin, emax } => {
            Format::new(precision, i64::from(emin), i64::from(emax)).map_err(Failure::new)
        }
    }
}

/// The parameters as the reading computes with them: rounded to the format.
pub fn rounded(parameters: &Parameters, reading: Reading) -> Result<Parameters, Failure> {
    if reading == Reading::Reals {
        return Ok(parameters.clone());
    }
    let format = format(reading)?;
    let round = |value: &Rational| {
        let float = format.round(value, Round::NearestEven);
        float.to_rational().ok_or_else(|| {
            Failure::new(format!("{} is beyond the range of {format}", decimal::telling(value)))
        })
    };
    parameters.iter().map(|(name, value)| Ok((name.clone(), round(value)?))).collect()
}
