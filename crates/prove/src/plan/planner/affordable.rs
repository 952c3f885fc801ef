//! What a plan gives up, beside what its claim does; and plans in which the pair of inputs decides which draw is cut.

use probity_kernel::expr::{Expr, Variable};
use probity_kernel::term::{Distribution, Statement};

use super::Planner;
use crate::derivation::Move;
use crate::effort::Effort;
use crate::plan::blocks::set_by;
use crate::plan::couplings::tails::{given_up, split};
use crate::plan::rounds::cuts;
use crate::rehearse::{Scenario, Stop};

impl Planner<'_> {
    /// Whether some moves give up no more than the claim does, for the parameters of the rehearsals.
    pub(super) fn affords(&self, moves: &[Move]) -> bool {
        let delta = &self.claim.delta;
        if *delta == Expr::int(0) || !cuts(moves) {
            return true;
        }
        let lost = given_up(&self.context.mechanism().body, moves);
        let within = |s: &Scenario| match (s.value(&lost), s.value(delta)) {
            (Some(lost), Some(delta)) => lost <= delta * (1.0 + 1e-9),
            _ => true,
        };
        self.scenarios.iter().all(within)
    }

    /// The moves with one of their draws cut for each pair of inputs, if that could be a proof.
    pub(super) fn split(&self, moves: &[Move], effort: &mut Effort) -> Option<Vec<Move>> {
        let split = self.cut_apart(moves)?;
        if !self.affords(&split) {
            return None;
        }
        let stage = self.stage();
        let fails = |s: &Scenario| stage.rehearse(&split, s, &mut |_, _| {}, effort) == Err(Stop::Fails);
        (!self.scenarios.iter().any(fails)).then_some(split)
    }

    /// The moves with one of their draws cut for each pair of inputs.
    pub(super) fn cut_apart(&self, moves: &[Move]) -> Option<Vec<Move>> {
        split(self.context, moves, &self.centers(moves))
    }

    /// The places around which the moves draw noise, in terms of the inputs; or what the noise is added to.
    fn centers(&self, moves: &[Move]) -> Vec<Option<Expr>> {
        let mut rest = self.context.mechanism().body.as_slice();
        let center = |step: &Move| {
            let (now, later) = rest.split_at(step.size().min(rest.len()));
            rest = later;
            match now {
                [
                    Statement::Draw {
                        law:
                            Distribution::Laplace { center, .. } | Distribution::DiscreteLaplace { center, .. },
                        ..
                    },
                ] => Some(self.guesser.written_out(center)).filter(|center| self.of_inputs(center)),
                _ => None,
            }
        };
        moves.iter().map(center).collect()
    }

    /// Whether an expression reads inputs and parameters only.
    fn of_inputs(&self, e: &Expr) -> bool {
        let mechanism = self.context.mechanism();
        let set = set_by(&mechanism.body);
        e.find_variable(&|v| matches!(v, Variable::Plain(name) if set.contains(name))).is_none()
    }
}
