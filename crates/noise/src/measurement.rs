//! A measurement: a mechanism together with what it accepts, what neighbouring means, and what it costs.
//!
//! Promise: for any two members of the input domain at most d_in apart in the input metric, the laws of the two
//! outputs are within `map(d_in)` in the output measure. Each constructor states why, and `docs/proofs` proves it.

use std::fmt;
use std::sync::Arc;

use crate::domain::{Domain, DomainError};
use crate::entropy::{Entropy, EntropyError, Secure, with_secure};
use crate::map::{MapError, PrivacyMap};
use crate::measure::{Loss, Measure};
use crate::metric::Metric;
use crate::sampler::{ParameterError, SampleError};
use crate::unit::Sensitivity;

/// Why a mechanism could not be made or gave no answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum MechanismError {
    /// A parameter is outside its range.
    Parameter(ParameterError),
    /// The input is outside the domain.
    Domain(DomainError),
    /// The noise could not be drawn.
    Sample(SampleError),
    /// The map gave no answer.
    Map(MapError),
    /// Parts that do not fit together, such as measurements over different metrics.
    Mismatch {
        /// What must agree.
        what: &'static str,
        /// What the first part has.
        first: String,
        /// What a later part has.
        other: String,
    },
    /// A budget or a limit on answers is used up.
    Exhausted {
        /// What was asked for and what is left, as a sentence.
        detail: String,
    },
}

impl fmt::Display for MechanismError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MechanismError::Parameter(error) => error.fmt(f),
            MechanismError::Domain(error) => error.fmt(f),
            MechanismError::Sample(error) => error.fmt(f),
            MechanismError::Map(error) => error.fmt(f),
            MechanismError::Mismatch { what, first, other } => {
                write!(f, "the {what} must agree: one is {first}, another {other}")
            }
            MechanismError::Exhausted { detail } => f.write_str(detail),
        }
    }
}

impl std::error::Error for MechanismError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            MechanismError::Parameter(error) => Some(error),
            MechanismError::Domain(error) => Some(error),
            MechanismError::Sample(error) => Some(error),
            MechanismError::Map(error) => Some(error),
            MechanismError::Mismatch { .. } | MechanismError::Exhausted { .. } => None,
        }
    }
}

/// Lets `?` turn each kind of error into a [`MechanismError`].
macro_rules! from_error {
    ($($error:ty => $variant:ident),*) => {
        $(impl From<$error> for MechanismError {
            fn from(error: $error) -> Self {
                MechanismError::$variant(error.into())
            }
        })*
    };
}

from_error!(
    ParameterError => Parameter,
    DomainError => Domain,
    SampleError => Sample,
    EntropyError => Sample,
    MapError => Map
);

/// The random function of a measurement.
pub trait Mechanism<Input, Output>: Send + Sync {
    /// One answer. The input is a member of the measurement's domain.
    ///
    /// # Errors
    /// When the noise cannot be drawn.
    fn answer(&self, input: &Input, entropy: &mut dyn Entropy) -> Result<Output, MechanismError>;

    /// One independent answer for each input. Mechanisms with a vectorised sampler allocate the answers and nothing
    /// per element.
    ///
    /// # Errors
    /// When the noise cannot be drawn; then there is no answer at all.
    fn answer_each(
        &self,
        inputs: &[Input],
        entropy: &mut dyn Entropy,
    ) -> Result<Vec<Output>, MechanismError> {
        inputs.iter().map(|input| self.answer(input, entropy)).collect()
    }
}

/// A mechanism and its claim. Cheap to clone, and usable from several threads.
///
/// ```
/// use probity_exact::fraction;
/// use probity_noise::domain::IntegerRange;
/// use probity_noise::mechanisms::discrete_laplace;
/// use probity_noise::sampler::Scale;
/// use probity_noise::unit::Sensitivity;
///
/// let count = discrete_laplace(IntegerRange::WIDEST, Scale::new(fraction::<7, 3>())?)?;
/// assert_eq!(count.map(&Sensitivity::from(2u32))?.to_string(), "ε = 0.8571428571428572");
/// let noisy: i64 = count.invoke(&1234)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Measurement<Input, Output> {
    domain: Arc<dyn Domain<Input>>,
    metric: Metric,
    map: PrivacyMap,
    mechanism: Arc<dyn Mechanism<Input, Output>>,
}

impl<Input, Output> Clone for Measurement<Input, Output> {
    fn clone(&self) -> Self {
        Measurement {
            domain: self.domain.clone(),
            metric: self.metric,
            map: self.map.clone(),
            mechanism: self.mechanism.clone(),
        }
    }
}

impl<Input, Output> fmt::Debug for Measurement<Input, Output> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Measurement({self})")
    }
}

/// The claim in words.
impl<Input, Output> fmt::Display for Measurement<Input, Output> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "on {}, {}: {}", self.domain, self.metric, self.map)
    }
}

impl<Input, Output> Measurement<Input, Output> {
    /// A measurement from its parts. Whoever calls this owes the proof of the module's promise.
    pub fn new(
        domain: impl Domain<Input> + 'static,
        metric: Metric,
        map: PrivacyMap,
        mechanism: impl Mechanism<Input, Output> + 'static,
    ) -> Self {
        Measurement { domain: Arc::new(domain), metric, map, mechanism: Arc::new(mechanism) }
    }

    /// The input domain.
    pub fn domain(&self) -> &Arc<dyn Domain<Input>> {
        &self.domain
    }

    /// The input metric.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The output measure; `None` when the mechanism has no certificate.
    pub fn measure(&self) -> Option<Measure> {
        self.map.measure()
    }

    /// The privacy map, as data.
    pub fn privacy_map(&self) -> &PrivacyMap {
        &self.map
    }

    /// The loss for inputs at most `distance_in` apart, rounded up once.
    ///
    /// # Errors
    /// When the map has no value there.
    pub fn map(&self, distance_in: &Sensitivity) -> Result<Loss, MapError> {
        self.map.loss(distance_in)
    }

    /// Whether inputs at most `distance_in` apart cost at most `allowed`, compared without rounding.
    ///
    /// # Errors
    /// When the map has no value there, or the measures differ.
    pub fn check(&self, distance_in: &Sensitivity, allowed: &Loss) -> Result<bool, MapError> {
        self.map.check(distance_in, allowed)
    }

    /// One private answer, with the calling thread's secure randomness.
    ///
    /// # Errors
    /// When the input is outside the domain, or the noise cannot be drawn.
    pub fn invoke(&self, input: &Input) -> Result<Output, MechanismError> {
        with_secure(|entropy| self.simulate(input, entropy))
    }

    /// One private answer, with a given secure source.
    ///
    /// # Errors
    /// As for [`invoke`](Measurement::invoke).
    pub fn invoke_with(&self, input: &Input, entropy: &mut dyn Secure) -> Result<Output, MechanismError> {
        self.simulate(input, entropy)
    }

    /// One independent private answer for each input. Each input pays the map on its own: a person behind k of
    /// the inputs pays the composition of k.
    ///
    /// # Errors
    /// As for [`invoke`](Measurement::invoke); then there is no answer at all.
    pub fn invoke_vec(&self, inputs: &[Input]) -> Result<Vec<Output>, MechanismError> {
        with_secure(|entropy| self.simulate_vec(inputs, entropy))
    }

    /// An answer from any source of bits: for tests and audits, where the source is scripted. Such an answer is no
    /// release, since whoever knows the source can undo the noise.
    ///
    /// # Errors
    /// As for [`invoke`](Measurement::invoke).
    pub fn simulate(&self, input: &Input, entropy: &mut dyn Entropy) -> Result<Output, MechanismError> {
        self.domain.check(input)?;
        self.mechanism.answer(input, entropy)
    }

    /// [`simulate`](Measurement::simulate) for each input.
    ///
    /// # Errors
    /// As for [`invoke`](Measurement::invoke).
    pub fn simulate_vec(
        &self,
        inputs: &[Input],
        entropy: &mut dyn Entropy,
    ) -> Result<Vec<Output>, MechanismError> {
        self.domain.check_each(inputs)?;
        self.mechanism.answer_each(inputs, entropy)
    }

    pub(crate) fn mechanism(&self) -> &Arc<dyn Mechanism<Input, Output>> {
        &self.mechanism
    }

    /// The same measurement under another map that is also true of it.
    pub(crate) fn with_map(&self, map: PrivacyMap) -> Self {
        Measurement { map, ..self.clone() }
    }
}
