//! Noisy maxima that release more than one place: the gap to the second, or the two largest.
//!
//! The winner has to move by as much as the largest of all others does, and some of these are drawn after it. The kernel's rule FORESEE
//! compares the text as a function of its noise; here is guessed what is kept of the noise ([`roles`]) and which invariants the loop
//! has in each run by itself ([`facts`]).

mod facts;
mod roles;

use std::sync::Arc;

use probity_kernel::context::{Context, Orientation};
use probity_kernel::entail::Evidence;
use probity_kernel::expr::{Expr, Name};
use probity_kernel::foresee::Foresight;
use probity_kernel::term::{Claim, Mechanism, Reading, Statement};

use self::facts::Facts;
use self::roles::Roles;
use crate::derivation::{Move, keeps, replay_to};
use crate::effort::Effort;
use crate::searching::Searching;

/// What is foreseen, and the moves for each orientation of the adjacency with their evidence.
pub(crate) struct Found {
    pub(crate) foresight: Foresight,
    pub(crate) sides: Vec<(Orientation, Vec<Move>)>,
    pub(crate) evidence: Vec<Evidence>,
}

/// A proof by FORESEE of a mechanism that chooses the largest, or the smallest, of noisy values in a loop.
pub(crate) fn foresee(mechanism: &Mechanism, claim: &Claim, effort: &mut Effort) -> Option<Found> {
    if claim.reading != Reading::Reals {
        return None;
    }
    let context = Context::new(mechanism, Orientation::Forward).ok()?;
    let roles = Roles::of(&context)?;
    [true, false].into_iter().find_map(|largest| {
        let foresight = roles.foresight(&context, largest)?;
        [true, false].into_iter().filter(|from| !from || roles.places.len() == 1).find_map(|from_the_start| {
            search((mechanism, claim), &roles, foresight.clone(), (largest, from_the_start), effort)
        })
    })
}

fn search(
    (mechanism, claim): (&Mechanism, &Claim),
    roles: &Roles,
    foresight: Foresight,
    (largest, from_the_start): (bool, bool),
    effort: &mut Effort,
) -> Option<Found> {
    let function = foresight.as_function(mechanism).ok()?;
    let mut found = Found { foresight, sides: vec![], evidence: vec![] };
    for orientation in [Orientation::Forward, Orientation::Backward] {
        let context = Arc::new(Context::new(&function, orientation).ok()?);
        let facts = Facts { context: &context, roles, foresight: &found.foresight, largest, from_the_start };
        let moves = moves(&function.body, &roles.index, &facts.invariant()?)?;
        let goal = found.foresight.goal(&context, mechanism, claim).ok()?;
        let mut searching = Searching::new(&mut *effort);
        // What is wrong with a guess is seen at once.
        let goes_this_way = function.body.iter().zip(&moves).all(|(statement, step)| {
            let way = facts.way().filter(|_| matches!(step, Move::For(..)));
            way.is_none_or(|way| keeps(&context, statement, step, &way, &mut searching))
        });
        if !goes_this_way {
            return None;
        }
        searching.found.clear();
        replay_to(&context, claim, &goal, &moves, &mut searching).ok()?;
        found.evidence.append(&mut searching.found);
        found.sides.push((orientation, moves));
        if context.adjacency_is_symmetric() {
            break;
        }
    }
    Some(found)
}

/// Each statement by itself in each run, and the loop with its invariant.
fn moves(body: &[Statement], index: &Name, invariant: &Expr) -> Option<Vec<Move>> {
    let one = |statement: &Statement| {
        Some(match statement {
            Statement::Assign { .. } | Statement::Append { .. } => Move::Plain,
            Statement::If { .. } => Move::OneSidedParts,
            Statement::For { index: i, body, .. } if i == index => {
                Move::For(invariant.clone(), moves(body, index, invariant)?)
            }
            _ => return None,
        })
    };
    body.iter().map(one).collect()
}
