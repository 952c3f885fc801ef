//! Evidence that was found for one side condition, tried on the next: the statements of a long text are often alike, up to
//! the entries and sums that they read.

use std::collections::VecDeque;

use probity_kernel::entail::Evidence;
use probity_kernel::lemma::Lemma;

use crate::evidence::posed::Posed;

/// Evidence among the given, with the lemmas of this question in the place of its own, that the kernel accepts.
pub(crate) fn evidence_again<'e>(
    posed: &Posed<'_>,
    known: impl Iterator<Item = &'e Evidence>,
) -> Option<Evidence> {
    let mut tried: Vec<Evidence> = Vec::new();
    for evidence in known {
        let mut left: VecDeque<&Lemma> = posed.common.iter().filter(|lemma| is_indexed(lemma)).collect();
        let Some(renewed) = renewed(evidence, &mut left) else { continue };
        if tried.contains(&renewed) {
            continue;
        }
        if posed.facts.refute(&renewed).is_ok() {
            return Some(renewed);
        }
        tried.push(renewed);
    }
    None
}

/// Whether a lemma is about an entry or a sum, which the next statement has another of.
fn is_indexed(lemma: &Lemma) -> bool {
    matches!(lemma, Lemma::Adjacent(..) | Lemma::Rows(..))
}

/// The evidence with its lemmas on entries and sums replaced, in order; `None` if there are too few.
fn renewed(evidence: &Evidence, left: &mut VecDeque<&Lemma>) -> Option<Evidence> {
    Some(match evidence {
        Evidence::Cite(lemma, rest) => {
            let lemma = if is_indexed(lemma) { left.pop_front()? } else { lemma };
            Evidence::Cite(lemma.clone(), Box::new(renewed(rest, left)?))
        }
        other => other.clone(),
    })
}
