//! Privacy maps as data: what a mechanism's output may cost, as an expression in d_in and exact parameters.
//!
//! A map can be printed, evaluated to any precision, compared with a budget exactly, and combined into another
//! map. It is rounded once, at the very end, up to a double.
//!
//! ```
//! use probity_exact::fraction;
//! use probity_noise::map::{Expression, PrivacyMap};
//! use probity_noise::measure::Loss;
//! use probity_noise::unit::{Epsilon, Sensitivity};
//!
//! let scale = Expression::parameter("scale", fraction::<10, 1>());
//! let map = PrivacyMap::pure(Expression::zero_at_zero(Expression::distance_in() / scale));
//! assert_eq!(map.to_string(), "ε = if d_in = 0 then 0 else d_in / scale, where scale = 10");
//!
//! // One tenth is no double: the map rounds it up, and `check` compares without rounding.
//! let one = Sensitivity::from(1u32);
//! assert_eq!(map.loss(&one)?, Loss::Pure(Epsilon::from_f64(0.1)?));
//! assert!(map.check(&one, &Loss::Pure(Epsilon::new(fraction::<1, 10>())?))?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod evaluate;
mod expression;
mod gaussian;
mod quick;

use std::fmt;

use probity_exact::parse_rational;

pub use evaluate::{EvaluationError, Point, Value};
pub use expression::{Expression, Half, Node, Normal, Relation, Variable};

use crate::measure::{Curve, Loss, Measure};
use crate::unit::{Delta, Epsilon, Rho, Sensitivity};
use quick::Compiled;

/// What a map says about the two output laws, in which measure.
#[derive(Debug, Clone, PartialEq)]
pub enum Guarantee {
    /// Their max divergence is at most ε.
    Pure {
        /// An expression in d_in.
        epsilon: Expression,
    },
    /// They are (ε, δ)-close.
    Approximate {
        /// An expression in d_in.
        epsilon: Expression,
        /// An expression in d_in.
        delta: Expression,
    },
    /// Their Rényi divergence of every order α > 1 is at most ρ·α.
    Concentrated {
        /// An expression in d_in.
        rho: Expression,
    },
    /// They are (ε, δ(ε))-close for every ε ≥ 0.
    Profile {
        /// An expression in d_in and ε, not increasing in ε.
        delta: Expression,
    },
    /// Nothing is proved yet, so nothing is promised: the map refuses to answer.
    Uncertified {
        /// What is missing, as a sentence.
        missing: String,
    },
}

/// Why a map gave no answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum MapError {
    /// The expression has no value at this point.
    Evaluation(EvaluationError),
    /// The mechanism has no certificate, so no loss can be stated.
    NoCertificate {
        /// What is missing, as a sentence.
        missing: String,
    },
    /// The map and the question speak of different measures.
    MeasureDiffers {
        /// The map's measure.
        map: Measure,
        /// The measure of the question.
        asked: Measure,
    },
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MapError::Evaluation(error) => error.fmt(f),
            MapError::NoCertificate { missing } => write!(f, "no privacy loss can be stated: {missing}"),
            MapError::MeasureDiffers { map, asked } => {
                write!(f, "the map is measured in {map}, the question in {asked}; convert one first")
            }
        }
    }
}

impl std::error::Error for MapError {}

impl From<EvaluationError> for MapError {
    fn from(error: EvaluationError) -> Self {
        MapError::Evaluation(error)
    }
}

/// A [`Guarantee`], ready to be evaluated in well under a microsecond where machine integers are enough.
#[derive(Debug, Clone)]
pub struct PrivacyMap {
    guarantee: Guarantee,
    /// The machine form of the guarantee's first expression.
    quick: Option<Compiled>,
    /// The noise behind a concentrated guarantee, where it is known: (ε, δ) come out sharper from it than from ρ.
    noise: Option<DiscreteNoise>,
}

/// Discrete Gaussian noise on one integer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DiscreteNoise {
    /// σ² > 0.
    pub(crate) squared_scale: probity_exact::Rational,
    /// How far apart the integers are, an expression in d_in whose values are whole.
    pub(crate) distance: Expression,
}

impl PrivacyMap {
    /// The map of this guarantee.
    pub fn new(guarantee: Guarantee) -> Self {
        let quick = match &guarantee {
            Guarantee::Pure { epsilon } | Guarantee::Approximate { epsilon, .. } => Compiled::new(epsilon),
            Guarantee::Concentrated { rho } => Compiled::new(rho),
            Guarantee::Profile { .. } | Guarantee::Uncertified { .. } => None,
        };
        PrivacyMap { guarantee, quick, noise: None }
    }

    /// The same map, and the noise that it is about. The caller owes that the guarantee is that of this noise.
    pub(crate) fn with_noise(self, noise: Option<DiscreteNoise>) -> Self {
        PrivacyMap { noise, ..self }
    }

    pub(crate) fn noise(&self) -> Option<&DiscreteNoise> {
        self.noise.as_ref()
    }

    /// Max divergence at most `epsilon`.
    pub fn pure(epsilon: Expression) -> Self {
        Self::new(Guarantee::Pure { epsilon })
    }

    /// (`epsilon`, `delta`)-close.
    pub fn approximate(epsilon: Expression, delta: Expression) -> Self {
        Self::new(Guarantee::Approximate { epsilon, delta })
    }

    /// Zero-concentrated with `rho`.
    pub fn concentrated(rho: Expression) -> Self {
        Self::new(Guarantee::Concentrated { rho })
    }

    /// A profile δ(ε).
    pub fn profile(delta: Expression) -> Self {
        Self::new(Guarantee::Profile { delta })
    }

    /// A map that refuses to answer, and says why.
    pub fn uncertified(missing: impl Into<String>) -> Self {
        Self::new(Guarantee::Uncertified { missing: missing.into() })
    }

    /// What the map says, as data.
    pub fn guarantee(&self) -> &Guarantee {
        &self.guarantee
    }

    /// What the loss is measured in; `None` when nothing is promised.
    pub fn measure(&self) -> Option<Measure> {
        match self.guarantee {
            Guarantee::Pure { .. } => Some(Measure::MaxDivergence),
            Guarantee::Approximate { .. } => Some(Measure::Approximate),
            Guarantee::Concentrated { .. } => Some(Measure::ZeroConcentrated),
            Guarantee::Profile { .. } => Some(Measure::Profile),
            Guarantee::Uncertified { .. } => None,
        }
    }

    /// The loss for inputs at most `distance_in` apart, every number in it rounded up once.
    ///
    /// # Errors
    /// When the mechanism has no certificate, or an expression no value.
    pub fn loss(&self, distance_in: &Sensitivity) -> Result<Loss, MapError> {
        let quick = || self.quick.as_ref().and_then(|quick| quick.round_up(distance_in.value()));
        let first = |expression: &Expression| match quick() {
            Some(value) => Ok(value),
            None => up(expression, distance_in),
        };
        self.rounded(distance_in, &first, &|expression| up(expression, distance_in))
    }

    /// The same in doubles that are bounds also as they are printed: the fewest digits that tell a double from all others may lie
    /// below the double, and below what it bounds.
    ///
    /// ```
    /// use probity_exact::{parse_rational, fraction};
    /// use probity_noise::catalogue::{Arguments, privacy_map};
    /// use probity_noise::unit::Sensitivity;
    /// let map = privacy_map("discrete-laplace", &Arguments::new([("scale", "10")]))?;
    /// // The double above 1/10 is printed as 0.1, which is a bound.
    /// assert_eq!(map.printed_loss(&Sensitivity::from(1u32))?.to_string(), "ε = 0.1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`loss`](PrivacyMap::loss).
    pub fn printed_loss(&self, distance_in: &Sensitivity) -> Result<Loss, MapError> {
        let printed = |expression: &Expression| printed_up(expression, distance_in);
        self.rounded(distance_in, &printed, &printed)
    }

    /// The loss with its first number and its δ rounded in these ways.
    fn rounded(&self, distance_in: &Sensitivity, first: Rounding, up: Rounding) -> Result<Loss, MapError> {
        Ok(match &self.guarantee {
            Guarantee::Pure { epsilon } => Loss::Pure(epsilon_of(first(epsilon)?)),
            Guarantee::Concentrated { rho } => {
                Loss::Concentrated(Rho::from_f64(never_negative(first(rho)?)).unwrap_or(Rho::infinite()))
            }
            Guarantee::Approximate { epsilon, delta } => Loss::Approximate {
                epsilon: epsilon_of(first(epsilon)?),
                delta: Delta::from_f64(never_negative(up(delta)?)).unwrap_or(Delta::infinite()),
            },
            Guarantee::Profile { delta } => Loss::Profile(Curve::new(delta, distance_in)),
            Guarantee::Uncertified { missing } => {
                return Err(MapError::NoCertificate { missing: missing.clone() });
            }
        })
    }

    /// Whether inputs at most `distance_in` apart cost at most `allowed`, compared without rounding.
    ///
    /// A pure map answers an approximate question too, and a profile every (ε, δ). What cannot be
    /// decided counts as no.
    ///
    /// # Errors
    /// When the mechanism has no certificate, an expression no value, or the measures do not fit.
    pub fn check(&self, distance_in: &Sensitivity, allowed: &Loss) -> Result<bool, MapError> {
        let at = Point::at(distance_in.value());
        let within = |expression: &Expression, bound: Option<probity_exact::Rational>| match bound {
            Some(bound) => expression.is_at_most(&at, &bound),
            None => Ok(true),
        };
        Ok(match (&self.guarantee, allowed) {
            (Guarantee::Uncertified { missing }, _) => {
                return Err(MapError::NoCertificate { missing: missing.clone() });
            }
            (Guarantee::Pure { epsilon }, Loss::Pure(bound))
            | (Guarantee::Pure { epsilon }, Loss::Approximate { epsilon: bound, .. }) => {
                within(epsilon, bound.exact())?
            }
            (Guarantee::Approximate { epsilon, delta }, Loss::Approximate { epsilon: e, delta: d }) => {
                within(epsilon, e.exact())? && within(delta, d.exact())?
            }
            (Guarantee::Concentrated { rho }, Loss::Concentrated(bound)) => within(rho, bound.exact())?,
            (Guarantee::Profile { delta }, Loss::Approximate { epsilon: e, delta: d }) => {
                Curve::new(delta, distance_in).check(e, d)?
            }
            (_, allowed) => {
                let map = self.measure().unwrap_or(Measure::Profile);
                return Err(MapError::MeasureDiffers { map, asked: allowed.measure() });
            }
        })
    }
}

fn up(expression: &Expression, distance_in: &Sensitivity) -> Result<f64, EvaluationError> {
    expression.round_up(&Point::at(distance_in.value()))
}

/// A double for an expression, not below it.
type Rounding<'a> = &'a dyn Fn(&Expression) -> Result<f64, EvaluationError>;

/// The least double that is not below an expression, also as it is printed.
fn printed_up(expression: &Expression, distance_in: &Sensitivity) -> Result<f64, EvaluationError> {
    let at = Point::at(distance_in.value());
    let least = expression.round_up(&at)?;
    // The decimal of an infinite double is none; that of the next double lies above this one.
    let Ok(decimal) = parse_rational(&format!("{least:e}")) else { return Ok(least) };
    Ok(if expression.is_at_most(&at, &decimal)? { least } else { least.next_up() })
}

/// A negative value bounds a loss that is never negative, so the loss is 0.
fn never_negative(value: f64) -> f64 {
    if value < 0.0 { 0.0 } else { value }
}

fn epsilon_of(value: f64) -> Epsilon {
    Epsilon::from_f64(never_negative(value)).unwrap_or(Epsilon::infinite())
}

/// The formula, and the values of its parameters.
impl fmt::Display for PrivacyMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = match &self.guarantee {
            Guarantee::Pure { epsilon } => {
                write!(f, "ε = {epsilon}")?;
                vec![epsilon]
            }
            Guarantee::Approximate { epsilon, delta } => {
                write!(f, "ε = {epsilon}; δ = {delta}")?;
                vec![epsilon, delta]
            }
            Guarantee::Concentrated { rho } => {
                write!(f, "ρ = {rho}")?;
                vec![rho]
            }
            Guarantee::Profile { delta } => {
                write!(f, "δ(ε) = {delta}")?;
                vec![delta]
            }
            Guarantee::Uncertified { missing } => return write!(f, "uncertified: {missing}"),
        };
        let mut parameters = Vec::new();
        for parameter in shown.into_iter().flat_map(Expression::parameters) {
            if !parameters.contains(&parameter) {
                parameters.push(parameter);
            }
        }
        let mut lead = ", where ";
        for (name, value) in &parameters {
            // A name with several values is printed as its values already.
            if parameters.iter().filter(|(other, _)| other == name).count() == 1 {
                write!(f, "{lead}{name} = {value}")?;
                lead = ", ";
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    fn laplace(scale: i64) -> PrivacyMap {
        let scale = Expression::parameter("scale", rational(scale, 1).unwrap());
        PrivacyMap::pure(Expression::distance_in() / scale)
    }

    #[test]
    fn check_is_exact_where_rounding_would_lie() {
        let map = laplace(3);
        let one = Sensitivity::from(1u32);
        let third = rational(1, 3).unwrap();
        let below = Epsilon::from_f64(probity_exact::directed::cast_down(&third)).unwrap();
        assert!(map.check(&one, &Loss::Pure(Epsilon::new(third).unwrap())).unwrap());
        assert!(!map.check(&one, &Loss::Pure(below)).unwrap());
        assert!(map.check(&one, &Loss::Pure(Epsilon::infinite())).unwrap());
    }

    /// The fewest digits that tell a double from others may be below it: then the next one is printed.
    #[test]
    fn printed_losses_are_bounds() {
        let one = Sensitivity::from(1u32);
        for value in [0.1, 0.2, 0.3, 0.7, 1.1, 2.5, 1e-9, 1e22, 0.0] {
            let exact = probity_exact::rational_from_f64(value).unwrap();
            let map = PrivacyMap::pure(Expression::constant(exact.clone()) * Expression::distance_in());
            let Ok(Loss::Pure(epsilon)) = map.printed_loss(&one) else { panic!("{value}") };
            let text = epsilon.to_string();
            let printed = parse_rational(&text).unwrap();
            assert!(exact <= printed, "{value} is printed as {text}");
            assert!(
                printed <= probity_exact::rational_from_f64(value.next_up().next_up()).unwrap(),
                "{value}: {text}"
            );
        }
    }

    #[test]
    fn measures_are_not_mixed_up() {
        let error = laplace(3).check(&Sensitivity::from(1u32), &Loss::Concentrated(Rho::infinite()));
        assert!(matches!(error, Err(MapError::MeasureDiffers { .. })));
    }

    #[test]
    fn an_uncertified_map_refuses_every_question() {
        let map = PrivacyMap::uncertified("the proof is not written");
        let one = Sensitivity::from(1u32);
        assert!(matches!(map.loss(&one), Err(MapError::NoCertificate { .. })));
        assert!(matches!(
            map.check(&one, &Loss::Pure(Epsilon::infinite())),
            Err(MapError::NoCertificate { .. })
        ));
        assert_eq!(map.measure(), None);
    }
}
