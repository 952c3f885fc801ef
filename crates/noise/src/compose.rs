//! Combining measurements. Every combined map is data again, and is rounded once, at its own end.
//!
//! ```
//! use probity_noise::compose::compose;
//! use probity_noise::domain::IntegerRange;
//! use probity_noise::mechanisms::discrete_laplace;
//! use probity_noise::sampler::Scale;
//! use probity_noise::unit::Sensitivity;
//!
//! let tenth = || discrete_laplace(IntegerRange::WIDEST, Scale::from_f64(10.0)?);
//! let ten = compose((0..10).map(|_| tenth()).collect::<Result<Vec<_>, _>>()?)?;
//! // Ten times one tenth, rounded once, is 1; rounded ten times it would be more.
//! assert_eq!(ten.map(&Sensitivity::from(1u32))?.to_string(), "ε = 1");
//! assert_eq!(ten.invoke(&5)?.len(), 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adaptive;
mod convert;

use std::fmt;
use std::sync::Arc;

pub use adaptive::{Session, adaptive};
pub(crate) use convert::{delta_of_rho, epsilon_of_rho};

use crate::domain::{Domain, DomainError};
use crate::entropy::Entropy;
use crate::map::{Expression, Guarantee, MapError, PrivacyMap, Relation, Variable};
use crate::measure::Measure;
use crate::measurement::{Measurement, Mechanism, MechanismError};
use crate::metric::Metric;
use crate::sampler::ParameterError;
use crate::unit::Delta;

/// Several mechanisms on the same input, all answers released: losses add up.
///
/// # Errors
/// When there is none, or their metrics or measures differ (convert the measures first).
pub fn compose<Input: 'static, Output: 'static>(
    parts: Vec<Measurement<Input, Output>>,
) -> Result<Measurement<Input, Vec<Output>>, MechanismError> {
    let metric = common_metric(parts.iter().map(Measurement::metric))?;
    let map = PrivacyMap::sum(parts.iter().map(Measurement::privacy_map))?;
    let domain = AllOf(parts.iter().map(|part| part.domain().clone()).collect());
    let mechanisms: Vec<_> = parts.iter().map(|part| part.mechanism().clone()).collect();
    let run = move |input: &Input, entropy: &mut dyn Entropy| {
        mechanisms.iter().map(|mechanism| mechanism.answer(input, entropy)).collect()
    };
    Ok(Measurement::new(domain, metric, map, Function(run)))
}

/// Two mechanisms with answers of different types on the same input: losses add up.
///
/// # Errors
/// When their metrics or measures differ.
pub fn compose_pair<Input: 'static, First: 'static, Second: 'static>(
    first: &Measurement<Input, First>,
    second: &Measurement<Input, Second>,
) -> Result<Measurement<Input, (First, Second)>, MechanismError> {
    let metric = common_metric([first.metric(), second.metric()])?;
    let map = PrivacyMap::sum([first.privacy_map(), second.privacy_map()])?;
    let domain = AllOf(vec![first.domain().clone(), second.domain().clone()]);
    let (first, second) = (first.mechanism().clone(), second.mechanism().clone());
    let run = move |input: &Input, entropy: &mut dyn Entropy| {
        Ok((first.answer(input, entropy)?, second.answer(input, entropy)?))
    };
    Ok(Measurement::new(domain, metric, map, Function(run)))
}

/// One mechanism for each part of data that is split into parts. The distance is the sum over the parts of the
/// number of records that differ, so the split must not depend on what differs; then each record touches
/// one part, and k records cost what a group of k costs in the worst part.
///
/// # Errors
/// When there is none, their measures differ, their metric does not count records, or a domain has a fixed
/// number of records while the metric adds and removes them.
pub fn parallel<Part: 'static, Output: 'static>(
    parts: Vec<Measurement<Part, Output>>,
) -> Result<Measurement<Vec<Part>, Vec<Output>>, MechanismError> {
    let metric = common_metric(parts.iter().map(Measurement::metric))?;
    for part in &parts {
        check_steps(part)?;
    }
    let worst = PrivacyMap::worst_of_one_step(parts.iter().map(Measurement::privacy_map))?;
    let map = worst.for_groups()?;
    let domain = Parts(parts.iter().map(|part| part.domain().clone()).collect());
    let mechanisms: Vec<_> = parts.iter().map(|part| part.mechanism().clone()).collect();
    let run = move |input: &Vec<Part>, entropy: &mut dyn Entropy| {
        mechanisms.iter().zip(input).map(|(mechanism, part)| mechanism.answer(part, entropy)).collect()
    };
    Ok(Measurement::new(domain, metric, map, Function(run)))
}

impl<Input: 'static, Output: 'static> Measurement<Input, Output> {
    /// The same mechanism with every answer passed through `function`, which costs nothing: it sees the answer
    /// and not the input.
    pub fn post_process<Next: 'static>(
        &self,
        function: impl Fn(Output) -> Next + Send + Sync + 'static,
    ) -> Measurement<Input, Next> {
        let mechanism = PostProcessed { mechanism: self.mechanism().clone(), function };
        Measurement::new(self.domain().clone(), self.metric(), self.privacy_map().clone(), mechanism)
    }

    /// The same mechanism with a map for groups, from what it says about one record: k records are k steps.
    ///
    /// # Errors
    /// When the metric does not count records, the domain has a fixed number of records while the metric adds and
    /// removes them, or the map is a profile or has no certificate.
    pub fn for_groups(&self) -> Result<Self, MechanismError> {
        check_steps(self)?;
        let one = PrivacyMap::worst_of_one_step([self.privacy_map()])?;
        Ok(self.with_map(one.for_groups()?))
    }

    /// The same mechanism, measured in ρ. See [`PrivacyMap::to_concentrated`].
    ///
    /// # Errors
    /// When the map's measure does not imply concentrated privacy.
    pub fn to_concentrated(&self) -> Result<Self, MechanismError> {
        Ok(self.with_map(self.privacy_map().to_concentrated()?))
    }

    /// The same mechanism, measured in (ε, δ). See [`PrivacyMap::to_approximate`].
    ///
    /// # Errors
    /// When δ is not strictly between 0 and 1, or the map is a profile.
    pub fn to_approximate(&self, delta: &Delta) -> Result<Self, MechanismError> {
        Ok(self.with_map(self.privacy_map().to_approximate(delta)?))
    }

    /// The same mechanism, measured by its profile δ(ε). See [`PrivacyMap::to_profile`].
    ///
    /// # Errors
    /// When the map has no certificate.
    pub fn to_profile(&self) -> Result<Self, MechanismError> {
        Ok(self.with_map(self.privacy_map().to_profile()?))
    }
}

impl PrivacyMap {
    /// The sum of maps of one measure: pure, approximate or concentrated. It is for maps that are nowhere negative, as those of all
    /// mechanisms here are.
    ///
    /// # Errors
    /// When there is none, the measures differ, one is a profile, or one has no certificate.
    pub fn sum<'m>(maps: impl IntoIterator<Item = &'m PrivacyMap>) -> Result<PrivacyMap, MechanismError> {
        combine(maps, |terms| Ok(Expression::sum(terms)))
    }

    /// The largest of maps of one measure at distance 1, a constant.
    pub(crate) fn worst_of_one_step<'m>(
        maps: impl IntoIterator<Item = &'m PrivacyMap>,
    ) -> Result<PrivacyMap, MechanismError> {
        combine(maps, |terms| {
            let mut at_one =
                terms.into_iter().map(|term| term.substitute(Variable::DistanceIn, &Expression::one()));
            let first = at_one.next().ok_or_else(no_parts)?;
            let others: Vec<_> = at_one.collect();
            Ok(if others.is_empty() { first } else { Expression::max(first, others) })
        })
    }

    /// From what a constant map says about one step, what holds for ⌈d_in⌉ steps: kε; (kε, δ(e^{kε}−1)/(e^ε−1)); k²ρ.
    pub(crate) fn for_groups(&self) -> Result<PrivacyMap, MechanismError> {
        let steps = || Expression::distance_in().ceil();
        Ok(match self.guarantee() {
            Guarantee::Pure { epsilon } => PrivacyMap::pure(at_steps(steps() * epsilon.clone())),
            Guarantee::Concentrated { rho } => {
                PrivacyMap::concentrated(at_steps(steps().squared() * rho.clone()))
            }
            Guarantee::Approximate { epsilon, delta } => {
                let total = steps() * epsilon.clone();
                let growth =
                    (total.clone().exp() - Expression::one()) / (epsilon.clone().exp() - Expression::one());
                // δ·Σ e^{iε} over the steps; at ε = 0 that is kδ, and at ε = ∞ the δ means nothing.
                let finite = Expression::cases(
                    epsilon.clone(),
                    Relation::Equal,
                    Expression::zero(),
                    steps() * delta.clone(),
                    delta.clone() * growth,
                );
                let grown = Expression::cases(
                    epsilon.clone(),
                    Relation::Equal,
                    Expression::infinity(),
                    Expression::zero(),
                    finite,
                );
                PrivacyMap::approximate(at_steps(total), at_steps(grown))
            }
            _ => return Err(self.unfit()),
        })
    }

    /// The error of a combination that this map cannot enter.
    fn unfit(&self) -> MechanismError {
        match self.guarantee() {
            Guarantee::Uncertified { missing } => MapError::NoCertificate { missing: missing.clone() }.into(),
            _ => MechanismError::Mismatch {
                what: "measures",
                first: "one that adds up".into(),
                other: self.measure().unwrap_or(Measure::Profile).to_string(),
            },
        }
    }
}

/// 0 at distance 0, so that 0 steps of infinite loss are not 0·∞.
fn at_steps(value: Expression) -> Expression {
    Expression::zero_at_zero(value)
}

/// Combines the expressions of maps of one measure, component by component.
fn combine<'m>(
    maps: impl IntoIterator<Item = &'m PrivacyMap>,
    operation: impl Fn(Vec<Expression>) -> Result<Expression, MechanismError>,
) -> Result<PrivacyMap, MechanismError> {
    let maps: Vec<_> = maps.into_iter().collect();
    let first = *maps.first().ok_or_else(no_parts)?;
    let differs = |other: &PrivacyMap| {
        let name = |map: &PrivacyMap| map.measure().map_or("uncertified".into(), |m| m.to_string());
        MechanismError::Mismatch { what: "measures", first: name(first), other: name(other) }
    };
    let collect = |pick: &dyn Fn(&Guarantee) -> Option<Expression>| {
        maps.iter()
            .map(|map| pick(map.guarantee()).ok_or_else(|| differs(map)))
            .collect::<Result<Vec<_>, _>>()
            .and_then(&operation)
    };
    if let Some(uncertified) = maps.iter().find(|map| map.measure().is_none()) {
        return Err(uncertified.unfit());
    }
    match first.guarantee() {
        Guarantee::Pure { .. } => Ok(PrivacyMap::pure(collect(&|guarantee| match guarantee {
            Guarantee::Pure { epsilon } => Some(epsilon.clone()),
            _ => None,
        })?)),
        Guarantee::Concentrated { .. } => {
            Ok(PrivacyMap::concentrated(collect(&|guarantee| match guarantee {
                Guarantee::Concentrated { rho } => Some(rho.clone()),
                _ => None,
            })?))
        }
        Guarantee::Approximate { .. } => Ok(PrivacyMap::approximate(
            collect(&|guarantee| match guarantee {
                Guarantee::Approximate { epsilon, .. } => Some(epsilon.clone()),
                _ => None,
            })?,
            collect(&|guarantee| match guarantee {
                Guarantee::Approximate { delta, .. } => Some(delta.clone()),
                _ => None,
            })?,
        )),
        _ => Err(first.unfit()),
    }
}

fn no_parts() -> MechanismError {
    ParameterError::new("number of measurements", 0, "at least 1").into()
}

fn common_metric(metrics: impl IntoIterator<Item = Metric>) -> Result<Metric, MechanismError> {
    let mut metrics = metrics.into_iter();
    let first = metrics.next().ok_or_else(no_parts)?;
    match metrics.find(|metric| *metric != first) {
        None => Ok(first),
        Some(other) => Err(MechanismError::Mismatch {
            what: "metrics",
            first: first.to_string(),
            other: other.to_string(),
        }),
    }
}

/// Accepts measurements whose inputs can be walked between record by record.
fn check_steps<Input, Output>(part: &Measurement<Input, Output>) -> Result<(), MechanismError> {
    let mismatch = |other: String| MechanismError::Mismatch {
        what: "metric and domain",
        first: "a metric that counts records, one step at a time within the domain".into(),
        other,
    };
    if !part.metric().counts_records() {
        return Err(mismatch(part.metric().to_string()));
    }
    if part.metric() == Metric::Symmetric && part.domain().fixes_length() {
        return Err(mismatch(format!("{} on {}", part.metric(), part.domain())));
    }
    Ok(())
}

/// A mechanism that is a function.
pub(crate) struct Function<F>(pub(crate) F);

impl<Input, Output, F> Mechanism<Input, Output> for Function<F>
where
    F: Fn(&Input, &mut dyn Entropy) -> Result<Output, MechanismError> + Send + Sync,
{
    fn answer(&self, input: &Input, entropy: &mut dyn Entropy) -> Result<Output, MechanismError> {
        (self.0)(input, entropy)
    }
}

/// A mechanism whose answers pass through a function.
struct PostProcessed<Input, Output, F> {
    mechanism: Arc<dyn Mechanism<Input, Output>>,
    function: F,
}

impl<Input, Output, Next, F> Mechanism<Input, Next> for PostProcessed<Input, Output, F>
where
    F: Fn(Output) -> Next + Send + Sync,
{
    fn answer(&self, input: &Input, entropy: &mut dyn Entropy) -> Result<Next, MechanismError> {
        self.mechanism.answer(input, entropy).map(&self.function)
    }

    fn answer_each(&self, inputs: &[Input], entropy: &mut dyn Entropy) -> Result<Vec<Next>, MechanismError> {
        Ok(self.mechanism.answer_each(inputs, entropy)?.into_iter().map(&self.function).collect())
    }
}

/// The members that all of these domains share.
struct AllOf<Input>(Vec<Arc<dyn Domain<Input>>>);

impl<Input> fmt::Display for AllOf<Input> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown: Vec<String> = Vec::new();
        for domain in self.0.iter().map(|domain| domain.to_string()) {
            if !shown.contains(&domain) {
                shown.push(domain);
            }
        }
        f.write_str(&shown.join(", and "))
    }
}

impl<Input> Domain<Input> for AllOf<Input> {
    fn check(&self, input: &Input) -> Result<(), DomainError> {
        self.0.iter().try_for_each(|domain| domain.check(input))
    }

    fn fixes_length(&self) -> bool {
        self.0.iter().any(|domain| domain.fixes_length())
    }
}

/// Lists with one part for each of these domains.
struct Parts<Part>(Vec<Arc<dyn Domain<Part>>>);

impl<Part> fmt::Display for Parts<Part> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(|domain| domain.to_string()).collect();
        write!(f, "the lists of {} parts: {}", parts.len(), parts.join("; "))
    }
}

impl<Part> Domain<Vec<Part>> for Parts<Part> {
    fn check(&self, input: &Vec<Part>) -> Result<(), DomainError> {
        if input.len() != self.0.len() {
            return Err(DomainError::outside(self));
        }
        self.0
            .iter()
            .zip(input)
            .enumerate()
            .try_for_each(|(position, (domain, part))| domain.check(part).map_err(|error| error.at(position)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Everything, IntegerRange, Vectors};
    use crate::entropy::tape::Tape;
    use crate::mechanisms::discrete_laplace;
    use crate::sampler::Scale;

    #[test]
    fn inputs_of_a_composition_are_inputs_of_all_its_parts() {
        let part = |low, high| {
            discrete_laplace(IntegerRange::new(low, high).unwrap(), Scale::from_f64(1.0).unwrap()).unwrap()
        };
        let both = compose(vec![part(0, 5), part(3, 9)]).unwrap();
        let pair = compose_pair(&part(0, 5), &part(3, 9)).unwrap();
        for (input, inside) in [(1, false), (7, false), (4, true)] {
            assert_eq!(both.simulate(&input, &mut Tape::seeded(1)).is_ok(), inside);
            assert_eq!(pair.simulate(&input, &mut Tape::seeded(1)).is_ok(), inside);
        }
    }

    #[test]
    fn one_domain_of_a_fixed_length_fixes_it() {
        let free = || -> Arc<dyn Domain<Vec<bool>>> { Arc::new(Vectors::of(Everything)) };
        let fixed: Arc<dyn Domain<Vec<bool>>> = Arc::new(Vectors::of(Everything).with_length(3).unwrap());
        assert!(AllOf(vec![free(), fixed]).fixes_length());
        assert!(!AllOf(vec![free(), free()]).fixes_length());
    }

    #[test]
    fn what_has_no_certificate_says_so_in_groups_too() {
        let missing = PrivacyMap::uncertified("a proof");
        let refused = [missing.for_groups(), PrivacyMap::sum([&missing, &missing])];
        for answer in refused {
            assert!(matches!(answer, Err(MechanismError::Map(MapError::NoCertificate { .. }))), "{answer:?}");
        }
        let profile = PrivacyMap::profile(Expression::zero());
        assert!(matches!(profile.for_groups(), Err(MechanismError::Mismatch { .. })));
    }
}
