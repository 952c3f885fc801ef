//! Adaptive composition: ask, look at the answer, choose the next question.

use std::sync::Arc;

use super::Function;
use crate::domain::Domain;
use crate::entropy::Entropy;
use crate::map::{Expression, Guarantee, MapError, PrivacyMap, Relation};
use crate::measure::Loss;
use crate::measurement::{Measurement, MechanismError};
use crate::metric::Metric;
use crate::odometer::{Filter, constant_map};
use crate::unit::Sensitivity;

/// A measurement whose answer is a [`Session`]: whoever holds it may ask mechanisms of their choice, one after the
/// other and from several threads, until `budget` is used up for inputs `distance_in` apart.
///
/// Its map is data again: the budget up to `distance_in`, ∞ beyond, 0 at 0.
///
/// ```
/// use std::sync::Arc;
/// use probity_noise::compose::adaptive;
/// use probity_noise::domain::IntegerRange;
/// use probity_noise::measure::Loss;
/// use probity_noise::mechanisms::discrete_laplace;
/// use probity_noise::metric::Metric;
/// use probity_noise::sampler::Scale;
/// use probity_noise::unit::{Epsilon, Sensitivity};
///
/// let budget = Loss::Pure(Epsilon::from_f64(1.0)?);
/// let domain = IntegerRange::WIDEST;
/// let interactive = adaptive::<i64>(Arc::new(domain), Metric::Absolute, Sensitivity::from(1u32), budget)?;
/// let session = interactive.invoke(&40)?;
/// let half = discrete_laplace(domain, Scale::from_f64(2.0)?)?;
/// let first = session.ask(&half)?;
/// let second = session.ask(&half)?;
/// assert!(session.ask(&half).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the budget is a profile.
pub fn adaptive<Input: Clone + Send + Sync + 'static>(
    domain: Arc<dyn Domain<Input>>,
    metric: Metric,
    distance_in: Sensitivity,
    budget: Loss,
) -> Result<Measurement<Input, Session<Input>>, MechanismError> {
    let map = up_to(&constant_map(&budget)?, &distance_in)?;
    let members = domain.clone();
    let run = move |input: &Input, _: &mut dyn Entropy| {
        let filter = Filter::new(budget.clone())?;
        let (domain, distance_in) = (members.clone(), distance_in.clone());
        Ok(Session { input: input.clone(), domain, metric, distance_in, filter })
    };
    Ok(Measurement::new(domain, metric, map, Function(run)))
}

/// The map up to a distance, ∞ beyond.
fn up_to(map: &PrivacyMap, distance_in: &Sensitivity) -> Result<PrivacyMap, MechanismError> {
    let within = |value: &Expression| {
        let limit = Expression::parameter("d_max", distance_in.value().clone());
        let cut = Expression::cases(
            Expression::distance_in(),
            Relation::AtMost,
            limit,
            value.clone(),
            Expression::infinity(),
        );
        Expression::zero_at_zero(cut)
    };
    match map.guarantee() {
        Guarantee::Pure { epsilon } => Ok(PrivacyMap::pure(within(epsilon))),
        Guarantee::Concentrated { rho } => Ok(PrivacyMap::concentrated(within(rho))),
        Guarantee::Approximate { epsilon, delta } => {
            Ok(PrivacyMap::approximate(within(epsilon), within(delta)))
        }
        Guarantee::Profile { .. } | Guarantee::Uncertified { .. } => {
            Err(MapError::NoCertificate { missing: "a budget in ε, (ε, δ) or ρ".into() }.into())
        }
    }
}

/// Private data that answers mechanisms until a budget is used up. The data itself cannot be taken out.
pub struct Session<Input> {
    input: Input,
    domain: Arc<dyn Domain<Input>>,
    metric: Metric,
    distance_in: Sensitivity,
    filter: Filter,
}

impl<Input: 'static> Session<Input> {
    /// Charges the mechanism and, if the budget allows, answers with fresh secure randomness.
    ///
    /// # Errors
    /// When the budget would be exceeded, the domain, metric or measure differs from the session's, or the noise
    /// cannot be drawn. Only the last costs what the answer would have.
    pub fn ask<Output>(&self, mechanism: &Measurement<Input, Output>) -> Result<Output, MechanismError> {
        self.charge(mechanism)?;
        mechanism.invoke(&self.input)
    }

    /// [`ask`](Session::ask) with any source of bits: for tests, no release.
    ///
    /// # Errors
    /// As for [`ask`](Session::ask).
    pub fn simulate<Output>(
        &self,
        mechanism: &Measurement<Input, Output>,
        entropy: &mut dyn Entropy,
    ) -> Result<Output, MechanismError> {
        self.charge(mechanism)?;
        mechanism.simulate(&self.input, entropy)
    }

    fn charge<Output>(&self, mechanism: &Measurement<Input, Output>) -> Result<(), MechanismError> {
        if mechanism.metric() != self.metric {
            return Err(MechanismError::Mismatch {
                what: "metrics",
                first: self.metric.to_string(),
                other: mechanism.metric().to_string(),
            });
        }
        // A domain of the asker's choice would answer, free and without noise, whether the data lies in it.
        let (ours, theirs) = (self.domain.to_string(), mechanism.domain().to_string());
        if ours != theirs {
            return Err(MechanismError::Mismatch { what: "domains", first: ours, other: theirs });
        }
        self.filter.spend(mechanism.privacy_map(), &self.distance_in)
    }

    /// What has been spent so far.
    ///
    /// # Errors
    /// When the total has no value.
    pub fn spent(&self) -> Result<Loss, MapError> {
        self.filter.spent()
    }
}
