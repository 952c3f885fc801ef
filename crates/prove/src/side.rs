//! One orientation of the adjacency: plans are tried until the evidence for one is found.

use std::sync::Arc;

use probity_kernel::context::Context;
use probity_kernel::entail::Evidence;
use probity_kernel::privacy::Comparison;
use probity_kernel::term::{Claim, Hints};

use crate::attempt::Attempt;
use crate::derivation::{Move, replay_side};
use crate::effort::Effort;
use crate::plan::blocks::Blocks;
use crate::plan::planner::{Planner, ProveCalled};
use crate::plan::weaken::weaken;
use crate::searching::Searching;

/// The most plans of one orientation that are put to the search for evidence.
const MAX_PLANS: usize = 8;

/// Moves for one orientation of the adjacency, with the evidence that they need.
pub(crate) fn search_side(
    context: &Arc<Context>,
    claim: &Claim,
    hints: &Hints,
    comparison: Comparison,
    effort: &mut Effort,
    called: ProveCalled,
) -> Result<(Vec<Move>, Vec<Evidence>), Box<Attempt>> {
    let planner = |blocks| Planner::new(context, claim, hints, comparison, called, blocks);
    let mut first = planner(Blocks::Shortest);
    let mut best: Option<Box<Attempt>> = None;
    if let Some(found) = search_plans(&mut first, (context, claim, comparison), hints, effort, &mut best) {
        return Ok(found);
    }
    // Coins that were taken together may have to be taken otherwise.
    let mut seen = vec![first.sizes()];
    for blocks in [Blocks::Longest, Blocks::Single] {
        if seen[0].iter().all(|size| *size == 1) || effort.is_spent() {
            break;
        }
        let mut other = planner(blocks);
        if seen.contains(&other.sizes()) {
            continue;
        }
        seen.push(other.sizes());
        if let Some(found) = search_plans(&mut other, (context, claim, comparison), hints, effort, &mut best)
        {
            return Ok(found);
        }
    }
    // Nothing passed the rehearsals: the most promising plan says best what is wrong.
    Err(best.unwrap_or_else(|| {
        Box::new(Attempt {
            context: context.clone(),
            claim: claim.clone(),
            comparison,
            moves: first.first(effort).unwrap_or_default(),
            reached: 0,
        })
    }))
}

/// The first of a planner's plans for which there is evidence; else the one that came furthest is kept.
fn search_plans(
    planner: &mut Planner<'_>,
    (context, claim, comparison): (&Arc<Context>, &Claim, Comparison),
    hints: &Hints,
    effort: &mut Effort,
    best: &mut Option<Box<Attempt>>,
) -> Option<(Vec<Move>, Vec<Evidence>)> {
    let mut tried = 0;
    while tried < MAX_PLANS
        && let Some(plans) = planner.next(effort)
    {
        tried += 1;
        for moves in plans {
            let mut searching = Searching {
                found: Vec::new(),
                explain: false,
                again: None,
                example: None,
                about_cost: false,
                effort,
            };
            if replay_side(context, claim, comparison, &moves, &mut searching).is_ok() {
                return Some((moves, searching.found));
            }
            let reached = 1 + searching.found.len();
            let weaker = weaken(context, &context.mechanism().body, &moves, hints, &mut searching);
            if weaker != moves {
                searching.found.clear();
                if replay_side(context, claim, comparison, &weaker, &mut searching).is_ok() {
                    return Some((weaker, searching.found));
                }
            }
            if best.as_ref().is_none_or(|known| reached > known.reached) {
                *best = Some(Box::new(Attempt {
                    context: context.clone(),
                    claim: claim.clone(),
                    comparison,
                    moves,
                    reached,
                }));
            }
        }
    }
    None
}
