//! What all releases of a ledger cost together, by the accountant. The budget is kept by plain sums, which hold also where queries
//! are chosen in view of earlier answers; this is information about what was spent, for a δ that the reader chooses.

use std::collections::BTreeMap;

use probity_account::{Adjacency, Answer, Composition, Effort, Law, Question, account};
use probity_exact::Rational;

use super::{Entry, Kind};
use crate::loss::{Loss, Measure};

/// The ε of all entries together at δ, between bounds.
///
/// # Errors
/// When δ is no probability, or 0 in a ledger that counts ρ or δ.
pub fn epsilon_at(entries: &[Entry], delta: &Rational, effort: &Effort) -> Result<Answer, String> {
    let given_back: BTreeMap<i64, &Loss> =
        entries.iter().filter_map(|entry| Some((entry.settles()?, &entry.loss))).collect();
    // Equal debits are copies of one law.
    let mut debits: BTreeMap<String, (Loss, u64)> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.kind != Kind::Settle) {
        let back = given_back.get(&entry.number);
        let loss = back.map_or_else(|| entry.loss.clone(), |back| entry.loss.less(back));
        if loss.amount > Rational::ZERO {
            debits.entry(loss.to_text()).or_insert_with(|| (loss, 0)).1 += 1;
        }
    }
    let law = |Loss { measure, amount, delta }: Loss| match measure {
        Measure::Rho => Law::Concentrated { rho: amount },
        Measure::Epsilon | Measure::EpsilonDelta => Law::Approximate { epsilon: amount, delta },
    };
    let parts = debits.into_values().map(|(loss, copies)| (law(loss), copies)).collect();
    account(&Composition { parts }, Adjacency::AddRemove, &Question::Epsilon(delta.clone()), effort)
}
