//! What all releases of a ledger cost together, by the accountant. The budget is kept by plain sums, which hold also where queries
//! are chosen in view of earlier answers; this is information about what was spent, for a δ that the reader chooses.

use std::collections::BTreeMap;

use probity_account::{Adjacency, Answer, Composition, Effort, Law, Question, account};
use probity_exact::Rational;

use super::{Entry, Kind};
use crate::certificate;
use crate::loss::{Loss, Measure};

/// The ε of all entries together at δ: no more than the upper bound, and the lower one says what theorems of these losses alone cannot
/// promise to stay below. What was drawn may lose less than that.
///
/// # Errors
/// When δ is no probability, or 0 in a ledger that counts ρ or δ.
pub fn epsilon_at(entries: &[Entry], delta: &Rational, effort: &Effort) -> Result<Answer, String> {
    let given_back: BTreeMap<i64, &Loss> =
        entries.iter().filter_map(|entry| Some((entry.settles()?, &entry.loss))).collect();
    // Equal debits are copies of one law.
    let mut debits: BTreeMap<String, (Law, u64)> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.kind != Kind::Settle) {
        let back = given_back.get(&entry.number);
        let loss = back.map_or_else(|| entry.loss.clone(), |back| entry.loss.less(back));
        if loss.amount > Rational::ZERO {
            let law = law(entry, loss);
            debits.entry(format!("{law:?}")).or_insert_with(|| (law, 0)).1 += 1;
        }
    }
    let parts = debits.into_values().collect();
    account(&Composition { parts }, Adjacency::AddRemove, &Question::Epsilon(delta.clone()), effort)
}

/// What an entry lost: in a ledger that counts ρ, what a release's theorem says if that is an ε, which its ρ = ε²/2 forgets.
fn law(entry: &Entry, Loss { measure, amount, delta }: Loss) -> Law {
    let stated = certificate::stated(&entry.certificate).filter(|stake| !stake.concentrated);
    // A certificate about another cost is none of this entry.
    match stated.filter(|stake| measure == Measure::Rho && stake.cost(measure).as_ref() == Some(&entry.loss))
    {
        Some(stake) => Law::Approximate { epsilon: stake.amount, delta: stake.delta },
        None if measure == Measure::Rho => Law::Concentrated { rho: amount },
        None => Law::Approximate { epsilon: amount, delta },
    }
}
