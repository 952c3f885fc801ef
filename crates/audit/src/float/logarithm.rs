//! What the platform's logarithm costs in place of the correctly rounded one.

use probity_kernel::term::Mechanism;

use crate::case::Case;
use crate::compare::pair_report::PairReport;
use crate::error::AuditError;
use crate::float::arithmetic::Logarithm;
use crate::float::split::Effort;
use crate::output::bounds::Bounds;
use crate::output::law::Law;
use crate::output::outcome::{Inputs, Parameters};

/// Two neighbours in binary64, with either logarithm.
#[derive(Debug, Clone, PartialEq)]
pub struct LogarithmCost {
    /// The worst finite loss with the correctly rounded logarithm.
    pub correctly_rounded: Option<Bounds>,
    /// The worst finite loss with the platform's.
    pub platform: Option<Bounds>,
    /// How many outcomes of either input have another probability with the platform's logarithm.
    pub outcomes_changed: usize,
}

/// Measures what the platform's logarithm changes. The result depends on the platform; that its logarithm is right to
/// within one unit in the last place is assumed.
pub fn logarithm_cost(
    mechanism: &Mechanism,
    parameters: &Parameters,
    first: &Inputs,
    second: &Inputs,
    effort: Effort,
) -> Result<LogarithmCost, AuditError> {
    let law = |inputs, logarithm| Case::new(mechanism, parameters, inputs).binary64_law(logarithm, effort);
    let exact = (law(first, Logarithm::CorrectlyRounded)?, law(second, Logarithm::CorrectlyRounded)?);
    let platform = (law(first, Logarithm::Platform)?, law(second, Logarithm::Platform)?);
    let worst = |(a, b): &(Law, Law)| PairReport::new(a, b).worst.map(|worst| worst.loss);
    let changed = |a: &Law, b: &Law| {
        let outcomes = a.masses().keys().chain(b.masses().keys().filter(|o| !a.masses().contains_key(o)));
        outcomes.filter(|outcome| a.probability(outcome) != b.probability(outcome)).count()
    };
    Ok(LogarithmCost {
        outcomes_changed: changed(&exact.0, &platform.0) + changed(&exact.1, &platform.1),
        correctly_rounded: worst(&exact),
        platform: worst(&platform),
    })
}
