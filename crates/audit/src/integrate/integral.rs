//! The probability that the continuous draws of a path meet its conditions: each connected component by the method
//! that fits it.

use probity_exact::Rational;

use crate::error::AuditError;
use crate::integrate::linear::{Conditions, Noise, Window};
use crate::integrate::meter::Meter;
use crate::integrate::piecewise::{Piecewise, Scalar};
use crate::integrate::{forest, gaussian, polytope, sum};

/// The probability that the draws meet the conditions. What it costs is added to the meter.
pub(crate) fn probability<S: Scalar>(
    noises: &[Noise],
    conditions: &Conditions,
    meter: &mut Meter,
) -> Result<S, AuditError> {
    meter.until.check()?;
    let mut result = S::from_rational(&Rational::ONE);
    for windows in components(noises.len(), conditions) {
        let normal = |(draw, _): &&(usize, Rational)| matches!(noises[*draw], Noise::Gaussian(_));
        let draws = windows.iter().flat_map(|window| &window.terms);
        let (normals, all) = (draws.clone().filter(normal).count(), draws.count());
        let factor = if normals > 0 {
            meter.work += if windows.len() == 1 && normals == all { 12 } else { 600 * windows.len() };
            S::from_enclosed(&gaussian::probability(noises, &windows, S::QUICK)?)
        } else if let Some(tree) = forest::probability::<Piecewise<S>>(noises, &windows)? {
            meter.work += 4 + windows.len().pow(2);
            tree
        } else if let [window] = windows[..]
            && let Some(mass) = sum::probability::<S>(noises, window, meter)?
        {
            mass
        } else {
            S::from_enclosed(&polytope::probability(noises, &windows, meter)?)
        };
        result = result.times(&factor);
    }
    Ok(result)
}

/// The windows, grouped so that different groups share no draw.
fn components(draws: usize, conditions: &Conditions) -> Vec<Vec<&Window>> {
    let mut groups: Vec<(Vec<bool>, Vec<&Window>)> = Vec::new();
    for window in &conditions.windows {
        let mut members = vec![false; draws];
        window.terms.iter().for_each(|(draw, _)| members[*draw] = true);
        let mut windows = vec![window];
        let touches = |group: &(Vec<bool>, Vec<&Window>), members: &[bool]| {
            group.0.iter().zip(members).any(|(a, b)| *a && *b)
        };
        let mut apart = Vec::with_capacity(groups.len() + 1);
        for mut group in groups {
            if touches(&group, &members) {
                members.iter_mut().zip(&group.0).for_each(|(member, other)| *member |= *other);
                windows.append(&mut group.1);
            } else {
                apart.push(group);
            }
        }
        apart.push((members, windows));
        groups = apart;
    }
    groups.into_iter().map(|(_, windows)| windows).collect()
}
