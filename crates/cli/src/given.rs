//! Values given on the command line: parameters, ranges, counts, floating-point formats.

use std::collections::BTreeMap;
use std::time::Duration;

use probity_exact::{Rational, parse_rational};
use probity_kernel::term::Reading;
use probity_lang::{Setting, SettingError};
use probity_verdict::{Ranges, Watch, parse_reading};

pub use probity_verdict::meant;

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

/// A count, as people write it: `1000000` or `1e6`.
pub fn count(text: &str) -> Result<u64, String> {
    let number = parse_rational(text).map_err(|error| error.to_string())?;
    let whole = number.is_int().then(|| u64::try_from(number.floor()).ok()).flatten();
    whole.ok_or_else(|| "it must be a whole number of at least 0 and less than 2^64".into())
}

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

/// How long a file is looked at.
const SECONDS: f64 = 5.0;

/// When the audit beside a proof ends, unless somebody says how long to look: so that a proof is answered within a second.
const SECONDS_BESIDE_A_PROOF: f64 = 0.85;

/// How long a file is looked at.
#[derive(Clone, Copy)]
pub struct Time {
    /// For a proof and for a counterexample.
    pub all: Duration,
    /// By the audit where there is a proof, if less.
    beside_a_proof: Option<Duration>,
}

impl Time {
    /// The watch that ends then.
    pub fn watch<'a>(&self, watch: Watch<'a>) -> Watch<'a> {
        let watch = watch.within(self.all);
        match self.beside_a_proof {
            Some(time) => watch.auditing_proofs_for(time),
            None => watch,
        }
    }
}

/// The time that was asked for, or what the environment says for slow machines, or the usual one.
pub fn seconds_or_usual(asked: Option<f64>) -> Result<Time, Failure> {
    const VARIABLE: &str = "PROBITY_SECONDS";
    let asked = match (asked, std::env::var(VARIABLE)) {
        (Some(asked), _) => asked,
        (None, Ok(text)) => text.trim().parse().map_err(|_| {
            Failure::new(format!("{VARIABLE} is {text:?} and no number of seconds"))
                .hint(format!("write {VARIABLE}=5, or leave it out"))
        })?,
        (None, Err(_)) => {
            let beside_a_proof = Some(seconds(SECONDS_BESIDE_A_PROOF)?);
            return Ok(Time { all: seconds(SECONDS)?, beside_a_proof });
        }
    };
    Ok(Time { all: seconds(asked)?, beside_a_proof: None })
}

/// A time, from a number of seconds. Thirty years are for ever, and clocks can add them.
pub fn seconds(seconds: f64) -> Result<Duration, Failure> {
    Duration::try_from_secs_f64(if seconds > 1e9 { 1e9 } else { seconds })
        .map_err(|_| Failure::new(format!("seconds = {seconds} is not allowed: it must be at least 0")))
}

fn number(text: &str) -> Result<Rational, Failure> {
    parse_rational(text).map_err(Failure::new)
}

/// A reading by its name.
pub fn reading(text: &str) -> Result<Reading, String> {
    parse_reading(text).map_err(|error| error.message().to_owned())
}
