//! What a privacy loss is measured in, and a loss.

use std::fmt;

use probity_exact::Rational;

use crate::map::{EvaluationError, Expression, Point, Variable};
use crate::search::least_double;
use crate::unit::{Delta, Epsilon, Rho, Sensitivity};

/// How the laws of the outputs on two neighbouring inputs are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Pure differential privacy: the log-ratio of every event is at most ε.
    MaxDivergence,
    /// Approximate differential privacy: P(S) ≤ e^ε·P'(S) + δ for every event S.
    Approximate,
    /// Zero-concentrated differential privacy: the Rényi divergence of every order α > 1 is at most ρ·α.
    ZeroConcentrated,
    /// A privacy profile: the least δ for every ε.
    Profile,
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Measure::MaxDivergence => "max divergence (ε)",
            Measure::Approximate => "approximate (ε, δ)",
            Measure::ZeroConcentrated => "zero-concentrated (ρ)",
            Measure::Profile => "privacy profile δ(ε)",
        })
    }
}

/// How much privacy an answer costs at most.
///
/// ```
/// use probity_noise::measure::Loss;
/// use probity_noise::unit::Epsilon;
/// let loss = Loss::Pure(Epsilon::from_f64(0.5)?);
/// assert_eq!(loss.to_string(), "ε = 0.5");
/// # Ok::<(), probity_noise::sampler::ParameterError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Loss {
    /// Pure: ε.
    Pure(Epsilon),
    /// Approximate: ε and δ.
    Approximate {
        /// The bound on the log-ratio.
        epsilon: Epsilon,
        /// The mass it does not cover.
        delta: Delta,
    },
    /// Zero-concentrated: ρ.
    Concentrated(Rho),
    /// A whole curve δ(ε).
    Profile(Curve),
}

impl Loss {
    /// What this loss is measured in.
    pub fn measure(&self) -> Measure {
        match self {
            Loss::Pure(_) => Measure::MaxDivergence,
            Loss::Approximate { .. } => Measure::Approximate,
            Loss::Concentrated(_) => Measure::ZeroConcentrated,
            Loss::Profile(_) => Measure::Profile,
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Pure(epsilon) => write!(f, "ε = {epsilon}"),
            Loss::Approximate { epsilon, delta } => write!(f, "ε = {epsilon}, δ = {delta}"),
            Loss::Concentrated(rho) => write!(f, "ρ = {rho}"),
            Loss::Profile(curve) => write!(f, "δ(ε) = {}", curve.delta),
        }
    }
}

/// A privacy profile at a fixed distance: for every ε, a δ that holds with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// An expression in ε, not increasing in it.
    delta: Expression,
}

impl Curve {
    /// The profile `delta`, an expression in ε and d_in, at the distance d_in.
    pub(crate) fn new(delta: &Expression, distance_in: &Sensitivity) -> Self {
        let distance = Expression::constant(distance_in.value().clone());
        Curve { delta: delta.substitute(Variable::DistanceIn, &distance) }
    }

    /// The expression in ε.
    pub fn expression(&self) -> &Expression {
        &self.delta
    }

    /// δ(ε), rounded up once.
    ///
    /// # Errors
    /// When the curve has no value there.
    pub fn delta(&self, epsilon: &Epsilon) -> Result<Delta, EvaluationError> {
        let Some(epsilon) = epsilon.exact() else { return Ok(Delta::zero()) };
        let value = self.delta.round_up(&Point::at_epsilon(&Rational::ZERO, &epsilon))?;
        let value = if value < 0.0 { 0.0 } else { value };
        Ok(Delta::from_f64(value).unwrap_or(Delta::infinite()))
    }

    /// Whether δ(ε) ≤ `delta`, compared exactly.
    ///
    /// # Errors
    /// When the curve has no value there.
    pub fn check(&self, epsilon: &Epsilon, delta: &Delta) -> Result<bool, EvaluationError> {
        match (epsilon.exact(), delta.exact()) {
            (None, _) | (_, None) => Ok(true),
            (Some(epsilon), Some(delta)) => {
                self.delta.is_at_most(&Point::at_epsilon(&Rational::ZERO, &epsilon), &delta)
            }
        }
    }

    /// The least double ε with δ(ε) ≤ `delta`; infinite when there is none.
    ///
    /// # Errors
    /// When the curve has no value at some ε.
    pub fn epsilon(&self, delta: &Delta) -> Result<Epsilon, EvaluationError> {
        let holds = |epsilon: f64| match Epsilon::from_f64(epsilon) {
            Ok(epsilon) => self.check(&epsilon, delta),
            Err(_) => Ok(false),
        };
        // Far out no enclosure of a Gaussian profile is narrow enough to tell: there it fails although less holds.
        let powers = std::iter::successors(Some(1048576.0), |power| (*power > 1e-6).then_some(power / 2.0));
        for largest in std::iter::once(f64::MAX).chain(powers) {
            if let Some(found) = least_double(|epsilon| holds(epsilon.min(largest)))? {
                return Ok(Epsilon::from_f64(found.min(largest)).unwrap_or(Epsilon::infinite()));
            }
        }
        Ok(Epsilon::infinite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::Relation;

    /// A profile of which little is known far out is searched from where it holds.
    #[test]
    fn the_least_epsilon_is_found_below_what_is_not_decided() {
        let number = |n: u32| Expression::constant(Rational::from(n));
        let below = |n, value, others| {
            Expression::cases(Expression::epsilon(), Relation::Less, number(n), value, others)
        };
        let (half, one) = (Delta::from_f64(0.5).unwrap(), || Expression::one());
        let curve = |delta: Expression| Curve::new(&delta, &Sensitivity::from(1u32));
        let three = Epsilon::from_f64(3.0).unwrap();
        assert_eq!(curve(below(3, one(), Expression::zero())).epsilon(&half).unwrap(), three);
        assert_eq!(
            curve(below(3, one(), below(10, Expression::zero(), one()))).epsilon(&half).unwrap(),
            three
        );
        assert_eq!(curve(one()).epsilon(&half).unwrap(), Epsilon::infinite());
        let negative = curve(Expression::zero() - one());
        assert_eq!(negative.delta(&three).unwrap(), Delta::zero());
        assert_eq!(curve(one()).delta(&Epsilon::infinite()).unwrap(), Delta::zero());
        assert!(
            curve(one()).check(&Epsilon::infinite(), &half).unwrap()
                && !curve(one()).check(&three, &half).unwrap()
        );
    }
}
