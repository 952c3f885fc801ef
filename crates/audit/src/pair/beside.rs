//! Pairs of inputs that consist of several tables, or of tables and lists: each of them changes as it may. Nothing here decides anything.

use probity_exact::Rational;
use probity_kernel::expr::Name;

use crate::output::outcome::{Given, Inputs};
use crate::run::tables::GivenRow;

/// The most changes of one table or list, and the most of all together.
const MOST_EACH: usize = 40;
const MOST_TOGETHER: usize = 600;

/// How one input changes.
pub(super) enum Change<'a> {
    /// A table, and its pairs of neighbours.
    Table(&'a Name, Vec<(Vec<GivenRow>, Vec<GivenRow>)>),
    /// Lists, and what all of them are in both inputs.
    Lists(Vec<&'a Name>, Vec<(Vec<Rational>, Vec<Rational>)>),
}

/// All changes together, the likelier of each first: by the sum of their places.
pub(super) fn together(scalars: &[(Inputs, Inputs)], changes: &[Change<'_>]) -> Vec<(Inputs, Inputs)> {
    let mut all: Vec<(usize, (Inputs, Inputs))> = scalars.iter().cloned().enumerate().collect();
    for change in changes {
        let ways = match change {
            Change::Table(_, pairs) => pairs.len(),
            Change::Lists(_, pairs) => pairs.len(),
        };
        let mut combined = Vec::new();
        for (place, (first, second)) in &all {
            for way in 0..ways.min(MOST_EACH) {
                let (mut first, mut second) = (first.clone(), second.clone());
                match change {
                    Change::Table(name, pairs) => {
                        first.insert((*name).clone(), Given::Rows(pairs[way].0.clone()));
                        second.insert((*name).clone(), Given::Rows(pairs[way].1.clone()));
                    }
                    Change::Lists(names, pairs) => {
                        for name in names {
                            first.insert((*name).clone(), Given::List(pairs[way].0.clone()));
                            second.insert((*name).clone(), Given::List(pairs[way].1.clone()));
                        }
                    }
                }
                combined.push((place + way, (first, second)));
            }
        }
        combined.sort_by_key(|(place, _)| *place);
        combined.truncate(MOST_TOGETHER);
        all = combined;
    }
    all.into_iter().map(|(_, pair)| pair).collect()
}
