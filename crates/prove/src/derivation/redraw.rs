//! REDRAW: a loop that draws until a round is accepted, by the judgement of one round and the same with the runs exchanged.

use std::sync::Arc;

use probity_kernel::context::{Context, Orientation, swap_runs};
use probity_kernel::expr::{Expr, Run};
use probity_kernel::redraw::{Rounds, accepted, leaves_no_trace, redraw};
use probity_kernel::rules::{self, Assertion, Judgement};
use probity_kernel::term::Statement;

use super::{Move, Walk, at_no_cost, describe, misfit, reject};
use crate::failure::{Failure, Reason};

/// How such a loop is proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Redraw {
    /// Whether a round stands before the loop.
    pub once_before: bool,
    /// What is known before the first round, besides the cost.
    pub known: Vec<Expr>,
    /// The proof of a round.
    pub round: Vec<Move>,
    /// The same with the runs exchanged.
    pub back: Vec<Move>,
    /// What is known of the values that are accepted.
    pub post: Expr,
    /// What a round costs, as it is and with the runs exchanged.
    pub amounts: (Expr, Expr),
    /// What was paid before the loop.
    pub paid: Expr,
}

impl Redraw {
    /// How many statements it is about.
    pub(super) fn size(&self) -> usize {
        let once: usize = self.round.iter().map(Move::size).sum();
        if self.once_before { once + 1 } else { 1 }
    }

    /// With every expression replaced.
    pub(super) fn map(&self, e: &dyn Fn(&Expr) -> Expr) -> Redraw {
        let all = |moves: &[Move]| moves.iter().map(|step| step.map(e)).collect::<Vec<_>>();
        Redraw {
            once_before: self.once_before,
            known: self.known.iter().map(e).collect(),
            round: all(&self.round),
            back: all(&self.back),
            post: e(&self.post),
            amounts: (e(&self.amounts.0), e(&self.amounts.1)),
            paid: e(&self.paid),
        }
    }
}

/// The same context with the runs exchanged.
pub(crate) fn exchanged(context: &Context) -> Result<Arc<Context>, Failure> {
    let other = match context.orientation() {
        Orientation::Forward => Orientation::Backward,
        Orientation::Backward => Orientation::Forward,
    };
    let there = Context::measured(context.mechanism(), other, context.measure());
    there.map(Arc::new).map_err(reject("the runs exchanged"))
}

impl Walk<'_> {
    pub(super) fn redraw(
        &mut self,
        body: &[Statement],
        plan: &Redraw,
        post: &Assertion,
    ) -> Result<Judgement, Failure> {
        let Some(again @ Statement::While { label, guard, body: once }) = body.last() else {
            return Err(misfit("a loop", "the move is for a loop that draws again"));
        };
        let place = describe(again);
        let context = self.context.clone();
        let known = Expr::all(plan.known.iter().cloned());
        let goal = accepted(&context, guard, &plan.post, &plan.amounts.0);
        let round = self.round(once, &plan.round, &goal, &known, &place)?;
        let there = exchanged(&context)?;
        let goal = accepted(&there, guard, &Expr::Bool(true), &plan.amounts.1);
        let mut other = Walk { context: there, justify: &mut *self.justify };
        let back = other.round(once, &plan.back, &goal, &swap_runs(&known), &place)?;
        let (first, second) = (context.in_run(guard, Run::First), context.in_run(guard, Run::Second));
        let (rounds, enters) = match plan.once_before {
            true => (Rounds::AndOneBefore, Expr::Bool(true)),
            false => (Rounds::Loop, first.and(second)),
        };
        let no_trace = leaves_no_trace(&context, guard, once).map_err(reject(&place))?;
        let evidence = self.ask(&format!("a round of {place} that is drawn again"), &[&enters], &no_trace)?;
        let amounts = (&plan.amounts.0, &plan.amounts.1, &plan.paid);
        let whole = redraw((label, guard, rounds), (&round, &back), &plan.post, amounts, &evidence)
            .map_err(reject(&place))?;
        self.end_loop(&place, &whole, post)
    }

    /// A round from no cost on.
    fn round(
        &mut self,
        once: &[Statement],
        moves: &[Move],
        goal: &Expr,
        known: &Expr,
        place: &str,
    ) -> Result<Judgement, Failure> {
        let goal = Assertion::new(&self.context, goal.clone()).map_err(reject(place))?;
        let round = self.block(once, moves, &goal)?;
        let before = at_no_cost(known);
        let evidence = self.ask(&format!("a round of {place}"), &[&before], round.pre().formula())?;
        rules::strengthen(&before, &round, &evidence).map_err(|r| Failure::new(place, Reason::Rejected(r)))
    }
}
