//! Which disjunction to split next: one that the values violate which satisfy all else, and a small one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use probity_kernel::fact::Fact;
use probity_kernel::poly::{Monomial, Poly};

use crate::evidence::linear::rows::to_fraction;
use crate::evidence::linear::simplex::Fraction;

/// The facts, with a quick way to find one.
pub(super) struct Known<'f> {
    list: &'f [Arc<Fact>],
    set: BTreeSet<&'f Fact>,
}

impl<'f> Known<'f> {
    pub(super) fn new(list: &'f [Arc<Fact>]) -> Known<'f> {
        let plain = list.iter().map(|fact| &**fact).filter(|fact| !matches!(fact, Fact::Any(_)));
        Known { list, set: plain.collect() }
    }

    /// The disjunction with the fewest parts that the values violate.
    pub(super) fn violated(&self, values: &BTreeMap<&Monomial, Fraction>) -> Option<usize> {
        let mut best: Option<(usize, usize)> = None;
        for (number, fact) in self.list.iter().enumerate() {
            if let Fact::Any(parts) = &**fact
                && best.is_none_or(|(size, _)| parts.len() < size)
                && !parts.iter().any(|part| self.satisfied(part, values) || self.present(part))
            {
                best = Some((parts.len(), number));
            }
        }
        best.map(|(_, number)| number)
    }

    /// Whether a disjunction is one of two comparisons.
    pub(super) fn is_plain_choice(&self, number: usize) -> bool {
        let plain = |part: &Fact| !matches!(part, Fact::Any(_) | Fact::All(_));
        matches!(self.list.get(number).map(|f| &**f), Some(Fact::Any(parts)) if parts.len() <= 2 && parts.iter().all(plain))
    }

    /// The disjunctions of which no part has been assumed, each with how many parts it has.
    pub(super) fn open_choices(&self) -> impl Iterator<Item = (usize, usize)> {
        self.list.iter().enumerate().filter_map(|(number, fact)| match &**fact {
            Fact::Any(parts) if !parts.iter().any(|part| self.present(part)) => Some((parts.len(), number)),
            _ => None,
        })
    }

    /// The smallest of them.
    pub(super) fn unsplit(&self) -> Option<usize> {
        self.open_choices().min().map(|(_, number)| number)
    }

    /// Whether a fact has been assumed already; its own disjunctions are then facts to be split in their turn.
    fn present(&self, fact: &Fact) -> bool {
        match fact {
            Fact::All(parts) => parts.iter().all(|part| self.present(part)),
            Fact::Any(_) => self.list.iter().any(|known| **known == *fact),
            other => self.set.contains(other),
        }
    }

    fn satisfied(&self, fact: &Fact, values: &BTreeMap<&Monomial, Fraction>) -> bool {
        let sign = |p: &Poly| {
            let mut sum = Fraction::ZERO;
            for (monomial, coefficient) in p.terms() {
                // A monomial that no inequality mentions may have any value.
                let value = if monomial.is_one() {
                    Fraction::ONE
                } else {
                    values.get(monomial).copied().unwrap_or(Fraction::ZERO)
                };
                sum = sum.plus(to_fraction(coefficient)?.times(value)?)?;
            }
            Some(sum.signum())
        };
        match fact {
            Fact::Zero(p) => sign(p) == Some(0),
            Fact::Positive(p) => sign(p) == Some(1),
            Fact::NonNegative(p) => matches!(sign(p), Some(0 | 1)),
            Fact::Holds(..) => self.present(fact),
            Fact::Any(parts) => parts.iter().any(|part| self.satisfied(part, values)),
            Fact::All(parts) => parts.iter().all(|part| self.satisfied(part, values)),
        }
    }
}
