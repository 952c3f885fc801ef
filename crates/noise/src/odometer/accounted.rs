//! The accountant's answer to what was spent. Nothing is refused or allowed by it: the sums of `odometer.rs` do that.

use probity_account::{Adjacency, Answer, Composition, Effort, Law, Question, account};
use probity_exact::{Rational, rational_from_f64};

use super::Total;
use crate::measure::{Loss, Measure};
use crate::measurement::MechanismError;
use crate::sampler::ParameterError;
use crate::unit::Delta;

/// Everything that was spent, as laws: each amount rounded up to a double. `None` where one is infinite.
fn composition(total: &Total) -> Option<Composition> {
    if total.measure == Measure::ZeroConcentrated {
        let Ok(Loss::Concentrated(rho)) = total.loss(None) else { return None };
        return Some(Composition { parts: vec![(Law::Concentrated { rho: rho.exact()? }, 1)] });
    }
    let exact = |bits: u64| rational_from_f64(f64::from_bits(bits)).map(|value| value.max(Rational::ZERO));
    // In one order, so that the same spends have the same answer.
    let mut spent: Vec<_> = total.parts.iter().collect();
    spent.sort_unstable();
    let parts = spent.into_iter().map(|((epsilon, delta), count)| {
        // A δ of 1 or more promises nothing, and neither does the whole.
        let delta = exact(*delta).filter(|delta| *delta < Rational::ONE)?;
        Some((Law::Approximate { epsilon: exact(*epsilon)?, delta }, *count))
    });
    Some(Composition { parts: parts.collect::<Option<_>>()? })
}

pub(super) fn epsilon_at(total: &Total, delta: &Delta, effort: &Effort) -> Result<Answer, MechanismError> {
    let refused = |allowed| MechanismError::from(ParameterError::new("delta", delta, allowed));
    let laws = composition(total).ok_or_else(|| refused("asked of finite losses only"))?;
    let exact = delta.exact().ok_or_else(|| refused("less than 1"))?;
    account(&laws, Adjacency::AddRemove, &Question::Epsilon(exact), effort)
        .map_err(|_| refused("more than 0 and less than 1"))
}
