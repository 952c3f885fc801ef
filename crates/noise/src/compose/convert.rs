//! From one measure to another, each conversion a theorem, each result data again.
//!
//! The proofs, or where they are published, are in `docs/proofs/composition.md`.

use probity_exact::Rational;

use crate::map::{Expression, Guarantee, Half, MapError, Normal, PrivacyMap, Relation};
use crate::measure::Measure;
use crate::measurement::MechanismError;
use crate::sampler::ParameterError;
use crate::unit::Delta;

fn number(value: u32) -> Expression {
    Expression::constant(Rational::from(value))
}

/// A δ that a conversion can aim at: strictly between 0 and 1.
fn proper(delta: &Delta) -> Result<Expression, ParameterError> {
    match delta.exact() {
        Some(value) if value > Rational::ZERO && value < Rational::ONE => {
            Ok(Expression::parameter("δ", value))
        }
        _ => Err(ParameterError::new("delta", delta, "more than 0 and less than 1")),
    }
}

/// `finite`, where `value` is neither 0 nor ∞; these convert to themselves.
fn between_zero_and_infinity(value: &Expression, finite: Expression) -> Expression {
    let or_infinite = Expression::cases(
        value.clone(),
        Relation::Equal,
        Expression::infinity(),
        Expression::infinity(),
        finite,
    );
    Expression::cases(value.clone(), Relation::Equal, Expression::zero(), Expression::zero(), or_infinite)
}

/// ln((α − 1)/α).
fn ln_order_ratio() -> Expression {
    let order = Expression::order;
    ((order() - Expression::one()) / order()).ln()
}

/// The least ε over α with which ρ implies (ε, δ): αρ + ln((α−1)/α) + (ln(1/δ) − ln α)/(α − 1), and never
/// below 0 (Canonne, Kamath, Steinke 2020, Proposition 12).
pub(crate) fn epsilon_of_rho(rho: &Expression, delta: Expression) -> Expression {
    let order = Expression::order;
    let rest = ((Expression::one() / delta).ln() - order().ln()) / (order() - Expression::one());
    let at_order = Expression::sum([order() * rho.clone(), ln_order_ratio(), rest]);
    let least = Expression::max(Expression::zero(), [at_order.least_over_order()]);
    between_zero_and_infinity(rho, least)
}

/// The δ with which ρ implies (ε, δ): exp of the least over α of (α−1)(αρ − ε + ln((α−1)/α)) − ln α, and never
/// above 1. The same proposition, solved for δ.
pub(crate) fn delta_of_rho(rho: &Expression) -> Expression {
    let order = Expression::order;
    let inner = order() * rho.clone() - Expression::epsilon() + ln_order_ratio();
    let exponent = (order() - Expression::one()) * inner - order().ln();
    let curve = Expression::min(Expression::one(), [exponent.least_over_order().exp()]);
    let or_vacuous =
        Expression::cases(rho.clone(), Relation::Equal, Expression::infinity(), Expression::one(), curve);
    Expression::cases(rho.clone(), Relation::Equal, Expression::zero(), Expression::zero(), or_vacuous)
}

/// The exact profile of randomized response at ε₀, which every ε₀-private mechanism is a post-processing of:
/// (e^ε₀ − e^ε)/(e^ε₀ + 1) below ε₀, and 0 from there on.
fn delta_of_epsilon(known: &Expression) -> Expression {
    let epsilon = Expression::epsilon;
    let below = (known.clone().exp() - epsilon().exp()) / (known.clone().exp() + Expression::one());
    let finite = Expression::cases(known.clone(), Relation::AtMost, epsilon(), Expression::zero(), below);
    Expression::cases(known.clone(), Relation::Equal, Expression::infinity(), Expression::one(), finite)
}

impl PrivacyMap {
    /// The same claim in ρ: ε-privacy is ε²/2-concentrated.
    ///
    /// # Errors
    /// When the map is in a measure that does not imply concentrated privacy, or has no certificate.
    pub fn to_concentrated(&self) -> Result<PrivacyMap, MapError> {
        match self.guarantee() {
            Guarantee::Pure { epsilon } => {
                Ok(PrivacyMap::concentrated(epsilon.clone().squared() / number(2)))
            }
            Guarantee::Concentrated { .. } => Ok(self.clone()),
            _ => Err(self.cannot_become(Measure::ZeroConcentrated)),
        }
    }

    /// The same claim in (ε, δ), with this δ where the conversion has a choice. Discrete Gaussian noise on one integer or float is converted by
    /// its exact sum, everything else by a theorem about ρ or ε.
    ///
    /// # Errors
    /// When δ is not strictly between 0 and 1, or the map is a profile (ask its curve) or has no certificate.
    pub fn to_approximate(&self, delta: &Delta) -> Result<PrivacyMap, MechanismError> {
        let delta = proper(delta)?;
        match self.guarantee() {
            Guarantee::Pure { epsilon } => Ok(PrivacyMap::approximate(epsilon.clone(), Expression::zero())),
            Guarantee::Approximate { .. } => Ok(self.clone()),
            Guarantee::Concentrated { rho } => {
                let through_rho = epsilon_of_rho(rho, delta.clone());
                let epsilon = self.by_noise(Half::Epsilon, delta.clone(), through_rho);
                Ok(PrivacyMap::approximate(epsilon, delta))
            }
            _ => Err(self.cannot_become(Measure::Approximate).into()),
        }
    }

    /// The same claim as a profile δ(ε).
    ///
    /// # Errors
    /// When the map has no certificate.
    pub fn to_profile(&self) -> Result<PrivacyMap, MapError> {
        match self.guarantee() {
            Guarantee::Pure { epsilon } => Ok(PrivacyMap::profile(delta_of_epsilon(epsilon))),
            Guarantee::Approximate { epsilon, delta } => {
                // With probability δ₀ anything may happen; otherwise the pair is as for ε₀.
                let delta = Expression::min(Expression::one(), [delta.clone()]);
                let rest = Expression::one() - delta.clone();
                Ok(PrivacyMap::profile(delta + rest * delta_of_epsilon(epsilon)))
            }
            Guarantee::Concentrated { rho } => {
                Ok(PrivacyMap::profile(self.by_noise(Half::Delta, Expression::epsilon(), delta_of_rho(rho))))
            }
            Guarantee::Profile { .. } => Ok(self.clone()),
            Guarantee::Uncertified { .. } => Err(self.cannot_become(Measure::Profile)),
        }
    }

    /// The map of `count` mechanisms with this map each, chosen one after the other in view of earlier answers, by
    /// advanced composition: ε' = kε(e^ε − 1)/(e^ε + 1) + ε√(2k ln(1/δ')), δ_total = kδ + δ', where δ' is
    /// `slack` (Kairouz, Oh, Viswanath 2015, Theorem 3.4 with 1 − (1−δ)^k(1−δ') ≤ kδ + δ'). The plain sum
    /// kε is taken where it is smaller.
    ///
    /// # Errors
    /// When the slack is not strictly between 0 and 1, or the map is neither pure nor approximate.
    pub fn composed_with_slack(&self, count: u32, slack: &Delta) -> Result<PrivacyMap, MechanismError> {
        let slack = match proper(slack)?.node() {
            crate::map::Node::Parameter { value, .. } => Expression::parameter("slack", value.clone()),
            _ => return Err(ParameterError::new("slack", slack, "more than 0 and less than 1").into()),
        };
        let (epsilon, delta) = match self.guarantee() {
            Guarantee::Pure { epsilon } => (epsilon, Expression::zero()),
            Guarantee::Approximate { epsilon, delta } => (epsilon, delta.clone()),
            _ => return Err(self.cannot_become(Measure::Approximate).into()),
        };
        let count = Expression::parameter("count", Rational::from(count));
        let power = epsilon.clone().exp();
        let drift = count.clone() * epsilon.clone() * (power.clone() - Expression::one())
            / (power + Expression::one());
        let spread = (number(2) * count.clone() * (Expression::one() / slack.clone()).ln()).sqrt();
        let plain = count.clone() * epsilon.clone();
        let advanced = drift + epsilon.clone() * spread;
        let least = between_zero_and_infinity(epsilon, Expression::min(plain, [advanced]));
        Ok(PrivacyMap::approximate(least, count * delta + slack))
    }

    /// Half of (ε, δ) from the noise itself where it is known, which is never worse than through ρ.
    fn by_noise(&self, asked: Half, given: Expression, through_rho: Expression) -> Expression {
        match self.noise() {
            Some(noise) => Expression::gaussian(
                (Normal::Discrete, asked),
                &noise.squared_scale,
                noise.distance.clone(),
                given,
                through_rho,
            ),
            None => through_rho,
        }
    }

    /// The error of a conversion that does not exist.
    fn cannot_become(&self, asked: Measure) -> MapError {
        match self.guarantee() {
            Guarantee::Uncertified { missing } => MapError::NoCertificate { missing: missing.clone() },
            _ => MapError::MeasureDiffers { map: self.measure().unwrap_or(asked), asked },
        }
    }
}

#[cfg(test)]
mod tests {
    use probity_exact::{fraction, parse_rational};

    use super::*;
    use crate::map::{Point, Value};

    /// The least values over α to 25 digits, from mpmath: every part of the exponent, with its sign, has a share in them.
    #[test]
    fn conversions_from_rho_are_those_of_the_proposition() {
        let rho = Expression::constant(fraction::<1, 10>());
        let zero = probity_exact::Rational::ZERO;
        let check = |expression: &Expression, epsilon: probity_exact::Rational, digits: &str| {
            let Ok(Value::Between(found)) = expression.evaluate(&Point::at_epsilon(&zero, &epsilon), 120)
            else {
                panic!("{expression}")
            };
            // Any order gives a bound, and the one that is found is as good as the best to a dozen digits.
            let (low, high) = (found.low().to_rational().unwrap(), found.high().to_rational().unwrap());
            let least = parse_rational(digits).unwrap();
            let above = &least * parse_rational("1.000000000001").unwrap();
            assert!(least < high && low < above, "{expression}: {high}");
        };
        check(&delta_of_rho(&rho), fraction::<1, 1>(), "0.008933245771818361829909");
        let delta = Expression::constant(parse_rational("1e-6").unwrap());
        check(&epsilon_of_rho(&rho, delta), fraction::<1, 1>(), "2.141938928385473661376");
    }

    fn known(value: &str) -> Expression {
        Expression::constant(parse_rational(value).unwrap())
    }

    /// What an expression lies between at this ε, as doubles.
    fn at(expression: &Expression, epsilon: &str) -> (f64, f64) {
        let (one, epsilon) = (probity_exact::Rational::ONE, parse_rational(epsilon).unwrap());
        match expression.evaluate(&Point::at_epsilon(&one, &epsilon), 120).unwrap() {
            Value::Exact(value) => (value.to_f64().value(), value.to_f64().value()),
            Value::Between(found) => {
                let [low, high] = [found.low(), found.high()].map(|end| end.to_rational().unwrap().to_f64());
                (low.value(), high.value())
            }
            Value::Infinite => (f64::INFINITY, f64::INFINITY),
        }
    }

    fn is(expression: &Expression, epsilon: &str, expected: f64) {
        let (low, high) = at(expression, epsilon);
        assert!(
            (low - expected).abs() < 1e-12 && (high - expected).abs() < 1e-12,
            "{expression}: {low} {high}"
        );
    }

    /// With probability δ anything happens, and otherwise the profile is that of randomized response.
    #[test]
    fn profiles_of_both_halves_are_those_of_the_worst_pair() {
        let profile = |epsilon: Expression, delta: &str| match PrivacyMap::approximate(epsilon, known(delta))
            .to_profile()
            .unwrap()
            .guarantee()
        {
            Guarantee::Profile { delta } => delta.clone(),
            other => panic!("{other:?}"),
        };
        // (3 − e^ε)/(3 + 1) at ε = 0.
        is(&profile(known("3").ln(), "0"), "0", 0.5);
        is(&profile(known("3").ln(), "1/4"), "0", 0.25 + 0.75 * 0.5);
        is(&profile(known("3").ln(), "1/4"), "2", 0.25);
        is(&profile(known("3").ln(), "7/2"), "0", 1.0);
        is(&profile(Expression::infinity(), "1/4"), "5", 1.0);
    }

    /// kε(e^ε − 1)/(e^ε + 1) + ε√(2k ln(1/δ')) for ε = 1/10, k = 100 and δ' = 10^−6, and the plain sum where it is less.
    #[test]
    fn composition_with_slack_is_the_smaller_of_both_bounds() {
        let slack = Delta::from_f64(1e-6).unwrap();
        let halves =
            |map: PrivacyMap, count: u32| match map.composed_with_slack(count, &slack).unwrap().guarantee() {
                Guarantee::Approximate { epsilon, delta } => (epsilon.clone(), delta.clone()),
                other => panic!("{other:?}"),
            };
        let (epsilon, delta) = halves(PrivacyMap::pure(known("1/10")), 100);
        is(&epsilon, "0", 5.756_105_519_335_732);
        is(&delta, "0", 1e-6);
        let (epsilon, delta) = halves(PrivacyMap::approximate(known("1/10"), known("1/1000")), 3);
        is(&epsilon, "0", 0.3);
        is(&delta, "0", 0.003_001);
        is(&halves(PrivacyMap::pure(Expression::zero()), 3).0, "0", 0.0);
    }

    #[test]
    fn what_is_in_the_measure_stays_and_what_has_no_way_there_is_refused() {
        let delta = Delta::from_f64(0.5).unwrap();
        let pure = PrivacyMap::pure(known("1/3"));
        let both = PrivacyMap::approximate(known("1/3"), known("1/7"));
        let concentrated = PrivacyMap::concentrated(known("1/3"));
        let profile = both.to_profile().unwrap();
        let missing = PrivacyMap::uncertified("a proof");
        assert_eq!(concentrated.to_concentrated().unwrap().guarantee(), concentrated.guarantee());
        assert_eq!(profile.to_profile().unwrap().guarantee(), profile.guarantee());
        assert_eq!(both.to_approximate(&delta).unwrap().guarantee(), both.guarantee());
        let expected = Guarantee::Approximate { epsilon: known("1/3"), delta: Expression::zero() };
        assert_eq!(pure.to_approximate(&delta).unwrap().guarantee(), &expected);
        let Guarantee::Concentrated { rho } = pure.to_concentrated().unwrap().guarantee().clone() else {
            panic!("no rho")
        };
        is(&rho, "0", 1.0 / 18.0);
        assert!(matches!(missing.to_profile(), Err(MapError::NoCertificate { .. })));
        assert!(matches!(missing.to_concentrated(), Err(MapError::NoCertificate { .. })));
        assert!(matches!(both.to_concentrated(), Err(MapError::MeasureDiffers { .. })));
        let refused = profile.to_approximate(&delta);
        assert!(matches!(refused, Err(MechanismError::Map(MapError::MeasureDiffers { .. }))), "{refused:?}");
        for delta in [0.0, 1.0] {
            let error = concentrated.to_approximate(&Delta::from_f64(delta).unwrap());
            assert!(matches!(error, Err(MechanismError::Parameter(_))), "{error:?}");
        }
    }
}
