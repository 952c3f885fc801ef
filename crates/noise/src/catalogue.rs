//! The mechanisms by name, with arguments as text: what a command line needs.
//!
//! Numbers are read as exact rationals: `7/3`, `0.1`, `1e-5`.
//!
//! ```
//! use probity_noise::catalogue::{Arguments, privacy_map};
//! use probity_noise::unit::Sensitivity;
//! let arguments = Arguments::new([("categories", "10"), ("prob", "1/2")]);
//! let map = privacy_map("randomized-response", &arguments)?;
//! assert_eq!(map.loss(&Sensitivity::from(1u32))?.to_string(), "ε = 2.1972245773362196");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod inverse;
mod law;
mod sample;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use probity_exact::{ParseRationalError, Rational, parse_rational};

pub use inverse::{Answer, calibrate, error_at, scale_for_error};
pub use law::epsilon_of_answers;
pub use sample::write_samples;

use crate::domain::{ClampedFloats, IntegerRange, Vectors};
use crate::map::{MapError, PrivacyMap};
use crate::measurement::MechanismError;
use crate::mechanisms::{
    AboveThreshold, Grid, RandomizedResponse, Scores, Snapping, choice_map, discrete_gaussian_map,
    discrete_laplace_map, gaussian_for_delta_map, gaussian_on_grid, gaussian_profile_map,
    gaussian_vector_on_grid, laplace_on_grid, laplace_vector_on_grid, randomized_response_bits,
    renormalised_geometric_map, truncated_geometric_map,
};
use crate::sampler::{ParameterError, Probability, Scale, SquaredScale};
use crate::unit::{Delta, Epsilon, Sensitivity};

/// A mechanism or sampler that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// The arguments it must have.
    pub required: &'static [&'static str],
    /// The arguments it may have.
    pub optional: &'static [&'static str],
    /// Whether it has a privacy map.
    pub has_map: bool,
    /// Whether values can be drawn from it.
    pub has_samples: bool,
}

const fn mechanism(
    name: &'static str,
    summary: &'static str,
    required: &'static [&'static str],
    optional: &'static [&'static str],
) -> Entry {
    Entry { name, summary, required, optional, has_map: true, has_samples: true }
}

const fn sampler(name: &'static str, summary: &'static str, required: &'static [&'static str]) -> Entry {
    Entry { name, summary, required, optional: &[], has_map: false, has_samples: true }
}

/// Everything that has a name.
pub const ENTRIES: &[Entry] = &[
    mechanism("discrete-laplace", "integer Laplace noise; ε = d_in/scale", &["scale"], &["input"]),
    mechanism(
        "discrete-gaussian",
        "integer Gaussian noise; ρ = d_in²/(2σ²), or (ε, δ) for a given delta",
        &[],
        &["scale", "squared-scale", "delta", "input"],
    ),
    Entry {
        name: "gaussian",
        summary: "continuous Gaussian noise, for accounting; its exact profile δ(ε), or (ε, δ) for a given delta",
        required: &[],
        optional: &["scale", "squared-scale", "delta"],
        has_map: true,
        has_samples: false,
    },
    mechanism(
        "randomized-response",
        "a category, true with probability prob, else a uniform other one",
        &["categories", "prob"],
        &["input"],
    ),
    Entry {
        name: "randomized-response-bits",
        summary: "every bit of a vector, true with probability prob",
        required: &["prob"],
        optional: &["length"],
        has_map: true,
        has_samples: false,
    },
    mechanism(
        "truncated-geometric",
        "integer Laplace noise clamped to a range",
        &["scale", "lower", "upper"],
        &["input"],
    ),
    mechanism(
        "renormalised-geometric",
        "integer Laplace noise conditioned to stay in a range",
        &["scale", "lower", "upper"],
        &["input"],
    ),
    mechanism(
        "exponential",
        "the exponential mechanism on rational scores",
        &["scale"],
        &["monotone", "scores"],
    ),
    mechanism(
        "noisy-max",
        "report noisy max with one-sided noise on rational scores",
        &["scale"],
        &["monotone", "scores"],
    ),
    Entry {
        name: "above-threshold",
        summary: "which of a stream of answers exceed a threshold",
        required: &["threshold-scale", "query-scale"],
        optional: &["hits", "monotone"],
        has_map: true,
        has_samples: false,
    },
    mechanism(
        "laplace-on-grid",
        "Laplace noise for floats on a grid of spacing 2^grid",
        &["scale", "grid"],
        &["length", "input"],
    ),
    mechanism(
        "gaussian-on-grid",
        "Gaussian noise for floats on a grid of spacing 2^grid",
        &["grid"],
        &["scale", "squared-scale", "length", "input"],
    ),
    mechanism(
        "snapping",
        "the snapping mechanism in binary64; its map is the certificate's",
        &["epsilon", "bound"],
        &["sensitivity", "input"],
    ),
    sampler("geometric", "P(x) ∝ e^(-x/scale) for x ≥ 0", &["scale"]),
    sampler("bernoulli", "true with probability prob", &["prob"]),
    sampler("bernoulli-exp", "true with probability e^-exponent", &["exponent"]),
    sampler("uniform-integer", "an integer from 0 to below - 1", &["below"]),
    sampler("uniform-float", "a uniform real in (0, 1), rounded down to a double", &[]),
];

/// Named arguments as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arguments(BTreeMap<String, String>);

impl Arguments {
    /// These names and values; a later value replaces an earlier one of the same name.
    pub fn new<Name: Into<String>, Text: Into<String>>(
        pairs: impl IntoIterator<Item = (Name, Text)>,
    ) -> Self {
        Arguments(pairs.into_iter().map(|(name, text)| (name.into(), text.into())).collect())
    }

    /// Gives an argument a value, in place of the one it had.
    pub fn set(&mut self, name: impl Into<String>, text: impl Into<String>) {
        self.0.insert(name.into(), text.into());
    }

    fn text(&self, name: &'static str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    fn required(&self, name: &'static str) -> Result<&str, CatalogueError> {
        self.text(name).ok_or(CatalogueError::Missing { argument: name })
    }

    fn rational(&self, name: &'static str) -> Result<Rational, CatalogueError> {
        read(name, self.required(name)?)
    }

    /// The private `input`, or 0.
    fn input<T: FromStr + Default>(&self, allowed: &'static str) -> Result<T, CatalogueError> {
        let text = self.text("input");
        private("input", allowed, || text.map_or(Some(T::default()), |text| text.parse().ok()))
    }

    fn rational_or(&self, name: &'static str, default: Rational) -> Result<Rational, CatalogueError> {
        self.text(name).map_or(Ok(default), |text| read(name, text))
    }

    /// A machine number, such as a count.
    fn number<T: FromStr>(&self, name: &'static str, allowed: &'static str) -> Result<T, CatalogueError> {
        let text = self.required(name)?;
        text.parse().map_err(|_| ParameterError::new(name, text, allowed).into())
    }

    fn number_or<T: FromStr>(
        &self,
        name: &'static str,
        default: T,
        allowed: &'static str,
    ) -> Result<T, CatalogueError> {
        if self.text(name).is_some() { self.number(name, allowed) } else { Ok(default) }
    }

    fn scale(&self) -> Result<Scale, CatalogueError> {
        Ok(Scale::new(self.rational("scale")?)?)
    }

    /// σ² itself, or the square of σ.
    fn squared_scale(&self) -> Result<SquaredScale, CatalogueError> {
        if self.text("squared-scale").is_some() {
            return Ok(SquaredScale::new(self.rational("squared-scale")?)?);
        }
        let scale = self.scale()?;
        Ok(SquaredScale::new(scale.value() * scale.value())?)
    }

    fn probability(&self) -> Result<Probability, CatalogueError> {
        Ok(Probability::new(self.rational("prob")?)?)
    }

    fn range(&self) -> Result<IntegerRange, CatalogueError> {
        let allowed = "a 64-bit integer";
        Ok(IntegerRange::new(self.number("lower", allowed)?, self.number("upper", allowed)?)?)
    }

    fn scores(&self) -> Result<Scores, CatalogueError> {
        match self.number_or("monotone", false, "true or false")? {
            true => Ok(Scores::Monotone),
            false => Ok(Scores::Any),
        }
    }

    fn grid(&self) -> Result<Grid, CatalogueError> {
        Ok(Grid::new(self.number("grid", "an integer, the exponent of the spacing")?)?)
    }

    fn response(&self) -> Result<RandomizedResponse, CatalogueError> {
        let categories = self.number("categories", "an integer of at least 2")?;
        Ok(RandomizedResponse::new(categories, self.probability()?)?)
    }

    fn snapping(&self) -> Result<Snapping, CatalogueError> {
        let sensitivity = Sensitivity::new(self.rational_or("sensitivity", Rational::ONE)?)?;
        let bound = self.number("bound", "a positive double")?;
        Ok(Snapping::new(&Epsilon::new(self.rational("epsilon")?)?, sensitivity, bound)?)
    }
}

fn read(name: &'static str, text: &str) -> Result<Rational, CatalogueError> {
    parse_rational(text).map_err(|error| CatalogueError::Number { argument: name, error })
}

/// A private argument, by the function that reads it. What cannot be read is not repeated.
fn private<T>(
    argument: &'static str,
    allowed: &'static str,
    read: impl FnOnce() -> Option<T>,
) -> Result<T, CatalogueError> {
    read().ok_or(CatalogueError::Private { argument, allowed })
}

/// Why a request by name failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum CatalogueError {
    /// Nothing has this name.
    Unknown {
        /// The name that was given.
        name: String,
    },
    /// An argument is missing.
    Missing {
        /// Its name.
        argument: &'static str,
    },
    /// An argument that this mechanism does not have.
    Unexpected {
        /// The mechanism.
        name: &'static str,
        /// The argument.
        argument: String,
    },
    /// An argument has a value, and is what is looked for.
    Sought {
        /// The argument.
        argument: &'static str,
    },
    /// An argument is not a number.
    Number {
        /// Its name.
        argument: &'static str,
        /// Why.
        error: ParseRationalError,
    },
    /// A private argument is not what it must be. The error does not repeat it.
    Private {
        /// Its name.
        argument: &'static str,
        /// What it must be.
        allowed: &'static str,
    },
    /// The mechanism refused its parameters, or could not answer.
    Mechanism(MechanismError),
    /// The accountant could not answer.
    Accountant {
        /// Why.
        reason: String,
    },
    /// The samples could not be written.
    Output(std::io::Error),
}

impl fmt::Display for CatalogueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CatalogueError::Unknown { name } => {
                let known: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
                write!(f, "'{name}' is not known here; known are {}", known.join(", "))
            }
            CatalogueError::Missing { argument } => write!(f, "the argument {argument} is missing"),
            CatalogueError::Unexpected { name, argument } => {
                write!(f, "{name} has no argument {argument}")
            }
            CatalogueError::Sought { argument } => {
                write!(f, "{argument} is what is looked for, and cannot be given; leave it out")
            }
            CatalogueError::Number { argument, error } => write!(f, "{argument}: {error}"),
            CatalogueError::Private { argument, allowed } => {
                write!(f, "{argument}: it must be {allowed} (the value is private and is not shown)")
            }
            CatalogueError::Mechanism(error) => error.fmt(f),
            CatalogueError::Accountant { reason } => f.write_str(reason),
            CatalogueError::Output(error) => write!(f, "the samples could not be written: {error}"),
        }
    }
}

impl std::error::Error for CatalogueError {}

/// Lets `?` carry every error of a mechanism.
macro_rules! from_mechanism {
    ($($error:ty),*) => {
        $(impl From<$error> for CatalogueError {
            fn from(error: $error) -> Self {
                CatalogueError::Mechanism(error.into())
            }
        })*
    };
}

from_mechanism!(MechanismError, ParameterError, MapError, crate::sampler::SampleError);

/// The entry with this name, after a check that it has no argument besides its own.
fn find(name: &str, arguments: &Arguments) -> Result<&'static Entry, CatalogueError> {
    let entry = ENTRIES
        .iter()
        .find(|entry| entry.name == name)
        .ok_or_else(|| CatalogueError::Unknown { name: name.into() })?;
    let known = |argument: &str| entry.required.contains(&argument) || entry.optional.contains(&argument);
    match arguments.0.keys().find(|argument| !known(argument)) {
        Some(argument) => Err(CatalogueError::Unexpected { name: entry.name, argument: argument.clone() }),
        None => Ok(entry),
    }
}

/// The privacy map of the mechanism with this name.
///
/// # Errors
/// When the name or an argument is unknown, missing or outside its range.
pub fn privacy_map(name: &str, arguments: &Arguments) -> Result<PrivacyMap, CatalogueError> {
    Ok(match find(name, arguments)?.name {
        "discrete-laplace" => discrete_laplace_map(&arguments.scale()?),
        "discrete-gaussian" => {
            let map = discrete_gaussian_map(&arguments.squared_scale()?);
            match arguments.text("delta") {
                Some(_) => map.to_approximate(&Delta::new(arguments.rational("delta")?)?)?,
                None => map,
            }
        }
        "gaussian" => match arguments.text("delta") {
            Some(_) => {
                let delta = Delta::new(arguments.rational("delta")?)?;
                gaussian_for_delta_map(&arguments.squared_scale()?, &delta)?
            }
            None => gaussian_profile_map(&arguments.squared_scale()?),
        },
        "randomized-response" => arguments.response()?.map(),
        "randomized-response-bits" => {
            let length = match arguments.text("length") {
                Some(_) => Some(arguments.number("length", "a positive integer")?),
                None => None,
            };
            randomized_response_bits(length, arguments.probability()?)?.privacy_map().clone()
        }
        "truncated-geometric" => truncated_geometric_map(&arguments.range()?, &arguments.scale()?),
        "renormalised-geometric" => renormalised_geometric_map(&arguments.range()?, &arguments.scale()?),
        "exponential" | "noisy-max" => choice_map(arguments.scores()?, &arguments.scale()?),
        "above-threshold" => {
            let scale =
                |name| -> Result<Scale, CatalogueError> { Ok(Scale::new(arguments.rational(name)?)?) };
            let hits = arguments.number_or("hits", 1, "a positive integer")?;
            let (threshold, query) = (scale("threshold-scale")?, scale("query-scale")?);
            AboveThreshold::new(threshold, query, hits, arguments.scores()?)?.map()
        }
        "laplace-on-grid" => {
            let (grid, scale) = (arguments.grid()?, arguments.scale()?);
            // The map depends on the grid and the scale, not on where the floats are clamped.
            let floats = ClampedFloats::symmetric(0.0);
            match arguments.number_or("length", 1, "a positive integer")? {
                1 => laplace_on_grid(floats, grid, scale)?.privacy_map().clone(),
                length => {
                    let domain = Vectors::of(floats).with_length(length)?;
                    laplace_vector_on_grid(domain, grid, scale)?.privacy_map().clone()
                }
            }
        }
        "gaussian-on-grid" => {
            let (grid, squared_scale) = (arguments.grid()?, arguments.squared_scale()?);
            let floats = ClampedFloats::symmetric(0.0);
            match arguments.number_or("length", 1, "a positive integer")? {
                1 => gaussian_on_grid(floats, grid, squared_scale)?.privacy_map().clone(),
                length => {
                    let domain = Vectors::of(floats).with_length(length)?;
                    gaussian_vector_on_grid(domain, grid, squared_scale)?.privacy_map().clone()
                }
            }
        }
        "snapping" => arguments.snapping()?.measurement().privacy_map().clone(),
        _ => return Err(CatalogueError::Unknown { name: format!("{name} (a sampler without a map)") }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(text: &str) -> Arguments {
        Arguments::new(text.split_whitespace().filter_map(|pair| pair.split_once('=')))
    }

    fn loss(name: &str, text: &str, distance: u32) -> String {
        match privacy_map(name, &arguments(text)) {
            Ok(map) => {
                map.loss(&Sensitivity::from(distance)).map_or_else(|e| e.to_string(), |l| l.to_string())
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn every_map_answers_by_name() {
        for (name, text, distance, answer) in [
            ("discrete-laplace", "scale=7/3", 2, "ε = 0.8571428571428572"),
            ("discrete-gaussian", "scale=2", 1, "ρ = 0.125"),
            ("discrete-gaussian", "squared-scale=4", 2, "ρ = 0.5"),
            ("randomized-response", "categories=10 prob=1/2", 1, "ε = 2.1972245773362196"),
            ("randomized-response-bits", "prob=0.75 length=1", 3, "ε = 1.0986122886681098"),
            ("truncated-geometric", "scale=2 lower=0 upper=3", 9, "ε = 1.5"),
            ("renormalised-geometric", "scale=2 lower=0 upper=0", 9, "ε = 0"),
            ("exponential", "scale=4", 1, "ε = 0.5"),
            ("noisy-max", "scale=4 monotone=true", 1, "ε = 0.25"),
            ("above-threshold", "threshold-scale=2 query-scale=8 hits=2", 1, "ε = 1"),
            ("laplace-on-grid", "scale=4 grid=-2", 1, "ε = 0.25"),
            ("laplace-on-grid", "scale=4 grid=-2 length=5", 1, "ε = 0.5"),
            ("gaussian-on-grid", "scale=1 grid=0 length=4", 1, "ρ = 4.5"),
        ] {
            assert_eq!(loss(name, text, distance), answer, "{name} {text}");
        }
        assert!(loss("snapping", "epsilon=1 bound=100", 1).starts_with("ε = 1.00000000000006"));
        assert!(loss("snapping", "epsilon=1 bound=4503599627370496", 1).contains("no certificate"));
        // By the exact sum; through ρ it would be 0.47.
        assert!(loss("discrete-gaussian", "scale=10 delta=1e-6", 1).starts_with("ε = 0.396"));
        assert!(loss("gaussian", "scale=10 delta=1e-6", 1).starts_with("ε = 0.396"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (name, text, part) in [
            ("laplace", "scale=1", "'laplace' is not known"),
            ("discrete-laplace", "", "scale is missing"),
            ("discrete-laplace", "scale=-1", "scale = -1"),
            ("discrete-laplace", "scale=nan", "scale: 'nan' is not a number"),
            ("discrete-laplace", "scale=1 sigma=3", "no argument sigma"),
            ("randomized-response", "categories=3 prob=0.333333333333333", "at least 1 / "),
            ("randomized-response", "categories=1 prob=1/2", "number of categories = 1"),
            ("truncated-geometric", "scale=1 lower=5 upper=3", "lower bound = 5"),
            ("geometric", "scale=1", "without a map"),
        ] {
            let message = loss(name, text, 1);
            assert!(message.contains(part), "{name} {text}: {message}");
        }
    }

    #[test]
    fn names_are_distinct() {
        for (index, entry) in ENTRIES.iter().enumerate() {
            assert!(ENTRIES[..index].iter().all(|other| other.name != entry.name), "{}", entry.name);
        }
    }
}
