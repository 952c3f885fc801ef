//! What the draws of a plan give up together. A plan that gives up more than the claim does is not worth a search.

use probity_kernel::expr::Expr;
use probity_kernel::law::parameters;
use probity_kernel::term::{Claim, Statement};

use crate::derivation::Move;
use crate::rehearse::Scenario;

/// Room for rounding: these are machine numbers, and what is equal is not too much.
const ROOM: f64 = 1.000_001;

/// Whether the tails that a plan leaves out have more mass than the claim gives up, for some parameters. Every tail counts once, and
/// one of integers with half of what it may have: what is too much then is too much.
pub(crate) fn gives_up_too_much(
    body: &[Statement],
    moves: &[Move],
    claim: &Claim,
    scenarios: &[Scenario],
) -> bool {
    let mut tails = Vec::new();
    collect(body, moves, &mut tails);
    if tails.len() < 2 {
        return false;
    }
    scenarios.iter().any(|scenario| {
        let masses: Option<Vec<f64>> = tails.iter().map(|mass| scenario.value(mass)).collect();
        let (Some(masses), Some(delta)) = (masses, scenario.value(&claim.delta)) else { return false };
        masses.iter().sum::<f64>() > delta * ROOM
    })
}

/// The masses of the tails, as far as they are plain.
fn collect(body: &[Statement], moves: &[Move], tails: &mut Vec<Expr>) {
    let mut rest = body;
    for step in moves {
        let (now, later) = rest.split_at(step.size().min(rest.len()));
        rest = later;
        match (step, now.first()) {
            (
                Move::UpTo(_, tail) | Move::Below(_, tail) | Move::Under(_, tail),
                Some(Statement::Draw { law, .. }),
            ) => {
                let Some(scale) = parameters(law).last().map(|scale| (*scale).clone()) else { continue };
                let mass = (-(tail.clone() / scale)).exp();
                let half = !matches!(step, Move::UpTo(..));
                tails.push(if half { mass / Expr::int(2) } else { mass });
            }
            (Move::If(yes, no), Some(Statement::If { then, otherwise, .. })) => {
                collect(then, yes, tails);
                collect(otherwise, no, tails);
            }
            (Move::For(_, inner) | Move::ForOnce(_, _, inner), Some(Statement::For { body, .. })) => {
                collect(body, inner, tails);
            }
            _ => {}
        }
    }
}
