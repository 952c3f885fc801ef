//! What has been spent so far, and a stop when it would be too much. Both may be used from several threads.
//!
//! Losses add up as exact expressions, never as rounded numbers. That sums may be taken although each mechanism
//! is chosen in view of earlier answers is a theorem for ε, for (ε, δ) and for ρ; see
//! `docs/proofs/composition.md`.
//!
//! ```
//! use probity_exact::rational;
//! use probity_noise::map::{Expression, PrivacyMap};
//! use probity_noise::measure::Loss;
//! use probity_noise::odometer::Filter;
//! use probity_noise::unit::{Epsilon, Sensitivity};
//!
//! let tenth = PrivacyMap::pure(Expression::constant(rational(1, 10).unwrap()));
//! let filter = Filter::new(Loss::Pure(Epsilon::new(rational(1, 1).unwrap())?))?;
//! let one = Sensitivity::from(1u32);
//! for _ in 0..10 {
//!     filter.spend(&tenth, &one)?;
//! }
//! // Exactly ten tenths: the eleventh is refused, and nothing is charged for it.
//! assert!(filter.spend(&tenth, &one).is_err());
//! assert_eq!(filter.spent()?.to_string(), "ε = 1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::{Mutex, MutexGuard, PoisonError};

use probity_exact::Rational;

use crate::map::{EvaluationError, Expression, Guarantee, MapError, Point, PrivacyMap, Value, Variable};
use crate::measure::{Loss, Measure};
use crate::measurement::MechanismError;
use crate::sampler::ParameterError;
use crate::unit::{Delta, Epsilon, Rho, Sensitivity};

/// A sum of exact numbers: the rational ones added up, the others counted.
#[derive(Debug, Clone, Default)]
struct Sum {
    rational: Rational,
    others: Vec<(Expression, u64)>,
}

impl Sum {
    /// Adds an expression at a distance. All else being exact, the order of additions does not matter.
    fn add(&mut self, expression: &Expression, distance_in: &Sensitivity) -> Result<(), EvaluationError> {
        // A value that is exact at one precision is exact at every one.
        if let Ok(Value::Exact(value)) = expression.evaluate(&Point::at(distance_in.value()), 96) {
            self.rational += value;
            return Ok(());
        }
        let distance = Expression::constant(distance_in.value().clone());
        let fixed = expression.substitute(Variable::DistanceIn, &distance);
        // Whatever has no value must not enter the sum: it would hide all that is spent later.
        fixed.round_up(&Point::at(&Rational::ZERO))?;
        match self.others.iter_mut().find(|(known, _)| *known == fixed) {
            Some((_, count)) => *count = count.saturating_add(1),
            None => self.others.push((fixed, 1)),
        }
        Ok(())
    }

    fn expression(&self) -> Expression {
        let others = self
            .others
            .iter()
            .map(|(term, count)| Expression::constant(Rational::from(*count)) * term.clone());
        Expression::sum(std::iter::once(Expression::constant(self.rational.clone())).chain(others))
    }
}

/// The two components that a loss can have: ε or ρ, and δ.
#[derive(Debug, Clone)]
struct Total {
    measure: Measure,
    first: Sum,
    delta: Sum,
}

impl Total {
    fn new(measure: Measure) -> Result<Self, MechanismError> {
        match measure {
            Measure::Profile => Err(ParameterError::new("measure", measure, "ε, (ε, δ) or ρ").into()),
            _ => Ok(Total { measure, first: Sum::default(), delta: Sum::default() }),
        }
    }

    fn add(&mut self, map: &PrivacyMap, distance_in: &Sensitivity) -> Result<(), MapError> {
        match (map.guarantee(), self.measure) {
            (Guarantee::Pure { epsilon }, Measure::MaxDivergence | Measure::Approximate) => {
                self.first.add(epsilon, distance_in)?;
            }
            (Guarantee::Concentrated { rho }, Measure::ZeroConcentrated) => {
                self.first.add(rho, distance_in)?;
            }
            (Guarantee::Approximate { epsilon, delta }, Measure::Approximate) => {
                self.first.add(epsilon, distance_in)?;
                self.delta.add(delta, distance_in)?;
            }
            (Guarantee::Uncertified { missing }, _) => {
                return Err(MapError::NoCertificate { missing: missing.clone() });
            }
            _ => {
                let map = map.measure().unwrap_or(Measure::Profile);
                return Err(MapError::MeasureDiffers { map, asked: self.measure });
            }
        }
        Ok(())
    }

    fn map(&self) -> PrivacyMap {
        let first = self.first.expression();
        match self.measure {
            Measure::ZeroConcentrated => PrivacyMap::concentrated(first),
            Measure::Approximate => PrivacyMap::approximate(first, self.delta.expression()),
            Measure::MaxDivergence | Measure::Profile => PrivacyMap::pure(first),
        }
    }

    /// The sum, rounded up once.
    fn loss(&self) -> Result<Loss, MapError> {
        self.map().loss(&Sensitivity::from(0u32))
    }
}

/// A panic in another thread cannot leave a total half changed: totals are replaced whole.
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
        let mut next = total.clone();
        next.add(map, distance_in)?;
        *total = next;
        Ok(())
    }

    /// The total so far, rounded up once.
    ///
    /// # Errors
    /// When the total has no value.
    pub fn spent(&self) -> Result<Loss, MapError> {
        lock(&self.0).loss()
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
        let mut next = total.clone();
        next.add(map, distance_in)?;
        if !next.map().check(&Sensitivity::from(0u32), &self.budget)? {
            let detail = format!(
                "the budget ({}) would be exceeded: with this answer the total is {}, now it is {}",
                self.budget,
                next.loss()?,
                total.loss()?
            );
            return Err(MechanismError::Exhausted { detail });
        }
        *total = next;
        Ok(())
    }

    /// The total so far, rounded up once.
    ///
    /// # Errors
    /// When the total has no value.
    pub fn spent(&self) -> Result<Loss, MapError> {
        lock(&self.total).loss()
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
