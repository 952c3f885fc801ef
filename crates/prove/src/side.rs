//! One orientation of the adjacency: plans are tried until the evidence for one is found.

use std::sync::Arc;

use probity_kernel::concentrated::Measure;
use probity_kernel::context::Context;
use probity_kernel::entail::Evidence;
use probity_kernel::expr::{Binary, Expr, Run, Variable};
use probity_kernel::finite;
use probity_kernel::privacy::Comparison;
use probity_kernel::term::{Claim, Coupling, Hints};

use crate::attempt::Attempt;
use crate::derivation::{Link, Move, replay_side};
use crate::effort::Effort;
use crate::plan::blocks::Blocks;
use crate::plan::planner::{Planner, ProveCalled};
use crate::plan::weaken::weaken;
use crate::searching::{Asked, Searching};

/// The most plans of one orientation that are put to the search for evidence.
const MAX_PLANS: usize = 8;
/// What may be done to see whether the moves of one orientation serve for the other.
const MIRROR_EFFORT: u64 = 2_000_000;

/// Moves for one orientation of the adjacency, with the evidence that they need.
pub(crate) fn search_side(
    context: &Arc<Context>,
    claim: &Claim,
    hints: &Hints,
    comparison: Comparison,
    effort: &mut Effort,
    called: ProveCalled,
    asked: &mut Asked,
) -> Result<(Vec<Move>, Vec<Evidence>), Box<Attempt>> {
    let planner = |blocks| Planner::new(context, claim, hints, comparison, called, blocks);
    let mut first = planner(Blocks::Shortest);
    let mut best: Option<Box<Attempt>> = None;
    let what = (context, claim, comparison);
    if let Some(found) = search_plans(&mut first, what, hints, (effort, asked), &mut best) {
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
        if let Some(found) = search_plans(&mut other, what, hints, (effort, asked), &mut best) {
            return Ok(found);
        }
    }
    // Coins with uniform draws, by their density: a last resort, since a uniform draw has other rules where mass is given up.
    let spreads = finite::draws_uniform(&context.mechanism().body) && claim.delta == Expr::int(0);
    if spreads && context.measure() == Measure::Pure && comparison == Comparison::Equal && !effort.is_spent()
    {
        let mut other = planner(Blocks::Spread);
        let found = match seen.contains(&other.sizes()) {
            true => None,
            false => search_plans(&mut other, what, hints, (effort, asked), &mut best),
        };
        if let Some(found) = found {
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
    (effort, asked): (&mut Effort, &mut Asked),
    best: &mut Option<Box<Attempt>>,
) -> Option<(Vec<Move>, Vec<Evidence>)> {
    let mut tried = 0;
    while tried < MAX_PLANS
        && let Some(plans) = planner.next(effort)
    {
        tried += 1;
        for moves in plans {
            let mut searching = Searching { asked: Some(&mut *asked), ..Searching::new(effort) };
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

/// The moves of the other orientation with the runs exchanged, with the evidence that they need, if they serve for this one.
pub(crate) fn search_mirrored(
    context: &Arc<Context>,
    claim: &Claim,
    comparison: Comparison,
    moves: &[Move],
    effort: &mut Effort,
    asked: &mut Asked,
) -> Option<(Vec<Move>, Vec<Evidence>)> {
    let moves = mirrored(moves)?;
    let given = effort.left.min(MIRROR_EFFORT);
    let mut own = effort.part(given);
    let mut searching = Searching { asked: Some(asked), ..Searching::new(&mut own) };
    let served = replay_side(context, claim, comparison, &moves, &mut searching).is_ok();
    let found = searching.found;
    effort.spend((given - own.left) as usize)?;
    served.then_some((moves, found))
}

/// Moves with the runs exchanged. `None` where a coupling treats the runs differently, but for a shift, which goes the other way.
pub(crate) fn mirrored(moves: &[Move]) -> Option<Vec<Move>> {
    let swapped = |e: &Expr| {
        let exchanged = e.replace(&|v| match v {
            Variable::Of(name, run) => Some(Expr::of(name.clone(), run.other())),
            Variable::Row(table, run, field) => {
                Some(Expr::Var(Variable::Row(table.clone(), run.other(), field.clone())))
            }
            _ => None,
        });
        // That a variable is equal in both runs is written in one way.
        exchanged.rewrite(&|part| match part {
            Expr::Binary(Binary::Eq, a, b) => match (&**a, &**b) {
                (Expr::Var(Variable::Of(m, Run::Second)), Expr::Var(Variable::Of(n, Run::First)))
                    if m == n =>
                {
                    Some((**b).clone().equals((**a).clone()))
                }
                _ => None,
            },
            _ => None,
        })
    };
    let one = |step: &Move| {
        Some(match step {
            Move::Draw(Coupling::Shift { by, cost }) => {
                let by = if *by == Expr::int(0) { by.clone() } else { -swapped(by) };
                Move::Draw(Coupling::Shift { by, cost: swapped(cost) })
            }
            Move::Draw(Coupling::Null | Coupling::Equal { .. }) | Move::Plain | Move::OneSided => {
                step.map(&swapped)
            }
            Move::If(yes, no) => Move::If(mirrored(yes)?, mirrored(no)?),
            Move::For(invariant, inner) => Move::For(swapped(invariant), mirrored(inner)?),
            Move::While(invariant, inner) => Move::While(swapped(invariant), mirrored(inner)?),
            Move::Chain(known, links) => {
                let links = links.iter().map(|link| match link {
                    Link::Alike(size) => Some(Link::Alike(*size)),
                    Link::Judged(moves, after) => {
                        Some(Link::Judged(mirrored(moves)?, after.iter().map(swapped).collect()))
                    }
                    Link::Select(..) => None,
                });
                Move::Chain(known.iter().map(swapped).collect(), links.collect::<Option<_>>()?)
            }
            _ => return None,
        })
    };
    moves.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shift(by: Expr) -> Vec<Move> {
        let cost = (Expr::of("x", Run::Second) - Expr::of("x", Run::First)).abs();
        let row = Variable::Row("t".into(), Run::Second, "a".into());
        let invariant = Expr::cost().le(Expr::Var(row));
        vec![Move::For(invariant, vec![Move::Draw(Coupling::Shift { by, cost })])]
    }

    #[test]
    fn runs_are_exchanged_everywhere_and_a_shift_goes_the_other_way() {
        let once = mirrored(&shift(Expr::of("x", Run::First))).unwrap();
        let [Move::For(invariant, inner)] = once.as_slice() else { panic!("{once:?}") };
        assert_eq!(invariant.to_string(), "cost <= changed(t).a");
        let [Move::Draw(Coupling::Shift { by, cost })] = inner.as_slice() else { panic!("{inner:?}") };
        assert_eq!((by.to_string(), cost.to_string()), ("-x'".into(), "abs(x - x')".into()));
        let still = shift(Expr::int(0));
        assert_eq!(mirrored(&mirrored(&still).unwrap()).unwrap(), still);
    }

    #[test]
    fn couplings_that_treat_the_runs_differently_are_not_mirrored() {
        let zero = || (Expr::int(0), Expr::int(0));
        let select = Coupling::Select { threshold: Expr::int(1), strict: true, above: zero(), below: zero() };
        assert_eq!(mirrored(&[Move::If(vec![Move::Plain], vec![Move::Draw(select)])]), None);
    }
}
