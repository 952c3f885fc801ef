//! What has been spent so far, and a stop when it would be too much. Both may be used from several threads.
//!
//! Losses add up as exact expressions, never as rounded numbers: an enclosure is carried along, and the exact terms decide what it leaves
//! open, so the millionth spend takes as long as the first. That sums may be taken although each mechanism
//! is chosen in view of earlier answers is a theorem for ε, for (ε, δ) and for ρ; see
//! `docs/proofs/composition.md`.
//!
//! ```
//! use probity_exact::fraction;
//! use probity_noise::map::{Expression, PrivacyMap};
//! use probity_noise::measure::Loss;
//! use probity_noise::odometer::Filter;
//! use probity_noise::unit::{Epsilon, Sensitivity};
//!
//! let tenth = PrivacyMap::pure(Expression::constant(fraction::<1, 10>()));
//! let filter = Filter::new(Loss::Pure(Epsilon::new(fraction::<1, 1>())?))?;
//! let one = Sensitivity::from(1u32);
//! for _ in 0..10 {
//!     filter.spend(&tenth, &one)?;
//! }
//! // Exactly ten tenths: the eleventh is refused, and nothing is charged for it.
//! assert!(filter.spend(&tenth, &one).is_err());
//! assert_eq!(filter.spent()?.to_string(), "ε = 1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod accounted;
mod sum;
mod terms;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use probity_account::{Answer, Effort};
use probity_exact::Rational;

use crate::map::{Expression, Guarantee, MapError, PrivacyMap};
use crate::measure::{Loss, Measure};
use crate::measurement::MechanismError;
use crate::sampler::ParameterError;
use crate::unit::{Delta, Epsilon, Rho, Sensitivity};
use sum::{Sum, Term};

/// What one mechanism adds to the two components that a loss can have: ε or ρ, and δ.
struct Spend {
    first: Term,
    delta: Option<Term>,
}

/// The two components so far.
#[derive(Debug, Clone)]
struct Total {
    measure: Measure,
    first: Sum,
    delta: Sum,
    /// How often each pair of losses was spent, as doubles rounded up: what the accountant composes.
    parts: HashMap<(u64, u64), u64>,
}

impl Total {
    fn new(measure: Measure) -> Result<Self, MechanismError> {
        match measure {
            Measure::Profile => Err(ParameterError::new("measure", measure, "ε, (ε, δ) or ρ").into()),
            _ => Ok(Total { measure, first: Sum::default(), delta: Sum::default(), parts: HashMap::new() }),
        }
    }

    /// What a mechanism would add.
    fn spend(&self, map: &PrivacyMap, distance_in: &Sensitivity) -> Result<Spend, MapError> {
        let term = |expression: &Expression| Term::new(expression, distance_in.value());
        match (map.guarantee(), self.measure) {
            (Guarantee::Pure { epsilon }, Measure::MaxDivergence | Measure::Approximate) => {
                Ok(Spend { first: term(epsilon)?, delta: None })
            }
            (Guarantee::Concentrated { rho }, Measure::ZeroConcentrated) => {
                Ok(Spend { first: term(rho)?, delta: None })
            }
            (Guarantee::Approximate { epsilon, delta }, Measure::Approximate) => {
                Ok(Spend { first: term(epsilon)?, delta: Some(term(delta)?) })
            }
            (Guarantee::Uncertified { missing }, _) => {
                Err(MapError::NoCertificate { missing: missing.clone() })
            }
            _ => {
                let map = map.measure().unwrap_or(Measure::Profile);
                Err(MapError::MeasureDiffers { map, asked: self.measure })
            }
        }
    }

    fn add(&mut self, spend: Spend) {
        let delta = spend.delta.as_ref().map_or(0.0, Term::round_up);
        let count = self.parts.entry((spend.first.round_up().to_bits(), delta.to_bits())).or_default();
        *count = count.saturating_add(1);
        self.first.add(spend.first);
        if let Some(delta) = spend.delta {
            self.delta.add(delta);
        }
    }

    /// Whether the total with one more spend stays within a budget of the same measure, decided exactly.
    fn fits(&self, spend: &Spend, budget: &Loss) -> Result<bool, MapError> {
        let within = |sum: &Sum, more: Option<&Term>, bound: Option<Rational>| match bound {
            Some(bound) => sum.is_at_most(more, &bound),
            None => Ok(true),
        };
        Ok(match budget {
            Loss::Pure(epsilon) => within(&self.first, Some(&spend.first), epsilon.exact())?,
            Loss::Concentrated(rho) => within(&self.first, Some(&spend.first), rho.exact())?,
            Loss::Approximate { epsilon, delta } => {
                within(&self.first, Some(&spend.first), epsilon.exact())?
                    && within(&self.delta, spend.delta.as_ref(), delta.exact())?
            }
            // No total is made for a profile.
            Loss::Profile(_) => false,
        })
    }

    /// The total, with one more spend if there is one, rounded up once.
    fn loss(&self, more: Option<&Spend>) -> Result<Loss, MapError> {
        let up = |sum: &Sum, more: Option<&Term>| Ok::<f64, MapError>(sum.round_up(more)?.max(0.0));
        let first = up(&self.first, more.map(|spend| &spend.first))?;
        let epsilon = || Epsilon::from_f64(first).unwrap_or(Epsilon::infinite());
        Ok(match self.measure {
            Measure::ZeroConcentrated => Loss::Concentrated(Rho::from_f64(first).unwrap_or(Rho::infinite())),
            Measure::Approximate => {
                let delta = up(&self.delta, more.and_then(|spend| spend.delta.as_ref()))?;
                let delta = Delta::from_f64(delta).unwrap_or(Delta::infinite());
                Loss::Approximate { epsilon: epsilon(), delta }
            }
            Measure::MaxDivergence | Measure::Profile => Loss::Pure(epsilon()),
        })
    }
}

/// A panic in another thread cannot leave a total half changed: nothing in `Total::add` panics once it has begun to change it.
fn lock(total: &Mutex<Total>) -> MutexGuard<'_, Total> {
    total.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts what is spent, without a limit.
#[derive(Debug)]
pub struct Odometer(Mutex<Total>);

impl Odometer {
    /// Counts in this measure. A pure loss counts as an approximate one with δ = 0.
    ///
    /// # Errors
    /// When the measure is a profile: profiles do not add up.
    pub fn new(measure: Measure) -> Result<Self, MechanismError> {
        Ok(Odometer(Mutex::new(Total::new(measure)?)))
    }

    /// Records a mechanism that is run on inputs at most `distance_in` apart.
    ///
    /// # Errors
    /// When the map has no value there or another measure; then nothing is recorded.
    pub fn record(&self, map: &PrivacyMap, distance_in: &Sensitivity) -> Result<(), MapError> {
        let mut total = lock(&self.0);
        let spend = total.spend(map, distance_in)?;
        total.add(spend);
        Ok(())
    }

    /// The total so far, rounded up once.
    ///
    /// # Errors
    /// When the total has no value.
    pub fn spent(&self) -> Result<Loss, MapError> {
        lock(&self.0).loss(None)
    }

    /// The ε of all together at this δ, by the accountant: often much less than the sum, and the better answer to "what did
    /// these cost?". It is information: it holds for mechanisms and a number of them that were fixed beforehand. If they are
    /// chosen in view of answers, [`spent`](Odometer::spent) holds.
    ///
    /// # Errors
    /// When an infinite loss was recorded, or δ is no probability.
    pub fn epsilon_at(&self, delta: &Delta, effort: &Effort) -> Result<Answer, MechanismError> {
        accounted::epsilon_at(&lock(&self.0), delta, effort)
    }
}

/// Counts what is spent, and refuses what would exceed a budget.
#[derive(Debug)]
pub struct Filter {
    budget: Loss,
    total: Mutex<Total>,
}

impl Filter {
    /// A filter with this budget.
    ///
    /// # Errors
    /// When the budget is a profile: profiles do not add up.
    pub fn new(budget: Loss) -> Result<Self, MechanismError> {
        let total = Mutex::new(Total::new(budget.measure())?);
        Ok(Filter { budget, total })
    }

    /// The budget.
    pub fn budget(&self) -> &Loss {
        &self.budget
    }

    /// Charges a mechanism that is about to be run on inputs at most `distance_in` apart. Run it only if this
    /// succeeds. The comparison with the budget is exact.
    ///
    /// # Errors
    /// When the budget would be exceeded, or the map has no value there or another measure; then nothing is charged.
    pub fn spend(&self, map: &PrivacyMap, distance_in: &Sensitivity) -> Result<(), MechanismError> {
        let mut total = lock(&self.total);
        let spend = total.spend(map, distance_in)?;
        if !total.fits(&spend, &self.budget)? {
            let detail = format!(
                "the budget ({}) would be exceeded: with this answer the total is {}, now it is {}",
                self.budget,
                total.loss(Some(&spend))?,
                total.loss(None)?
            );
            return Err(MechanismError::Exhausted { detail });
        }
        total.add(spend);
        Ok(())
    }

    /// The total so far, rounded up once.
    ///
    /// # Errors
    /// When the total has no value.
    pub fn spent(&self) -> Result<Loss, MapError> {
        lock(&self.total).loss(None)
    }

    /// The ε of all together at this δ, by the accountant; see [`Odometer::epsilon_at`]. The filter itself decides by sums.
    ///
    /// # Errors
    /// When δ is no probability.
    pub fn epsilon_at(&self, delta: &Delta, effort: &Effort) -> Result<Answer, MechanismError> {
        accounted::epsilon_at(&lock(&self.total), delta, effort)
    }
}

/// The loss as a map that does not depend on d_in: what a filter guarantees of everything that passes it.
pub(crate) fn constant_map(loss: &Loss) -> Result<PrivacyMap, MechanismError> {
    let constant = |name: &str, exact: Option<Rational>| match exact {
        Some(value) => Expression::parameter(name, value),
        None => Expression::infinity(),
    };
    Ok(match loss {
        Loss::Pure(epsilon) => PrivacyMap::pure(constant("ε_budget", Epsilon::exact(epsilon))),
        Loss::Concentrated(rho) => PrivacyMap::concentrated(constant("ρ_budget", Rho::exact(rho))),
        Loss::Approximate { epsilon, delta } => PrivacyMap::approximate(
            constant("ε_budget", Epsilon::exact(epsilon)),
            constant("δ_budget", Delta::exact(delta)),
        ),
        Loss::Profile(_) => {
            return Err(ParameterError::new("budget", "a profile", "ε, (ε, δ) or ρ").into());
        }
    })
}
