//! A plan that failed, and what to tell whoever wrote the text.

use std::sync::Arc;
use std::time::Instant;

use probity_kernel::context::Context;
use probity_kernel::expr::Name;
use probity_kernel::privacy::Comparison;
use probity_kernel::term::{Claim, Mechanism};

use crate::derivation::{Failure, Move, Reason, replay_side};
use crate::effort::Effort;
use crate::plan::blocks::{loops, set_by, set_by_draws};
use crate::searching::Searching;
use crate::skeleton::{payments, skeleton};

/// What may be spent on saying why it failed.
const EXPLAIN_EFFORT: u64 = 12_500_000;

/// No plan was found for the text that a mechanism was rewritten to. What is said is about the mechanism.
pub(crate) fn no_plan(mechanism: &Mechanism, rewritten: &Mechanism, claim: &Claim) -> Failure {
    let known = set_by(&mechanism.body);
    let mut draws = set_by_draws(&rewritten.body);
    draws.retain(|draw| known.contains(draw));
    let reason = Reason::NoPlan { draws: names(draws), loops: names(loops(&rewritten.body)) };
    let help = skeleton((mechanism, claim), rewritten, Comparison::Equal, &[]);
    Failure { help, ..Failure::new("the program", reason) }
}

/// The names, each once.
fn names(all: Vec<Name>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in all.iter().map(Name::to_string) {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// A plan that failed, and how many side conditions were met before.
pub(crate) struct Attempt {
    pub(crate) context: Arc<Context>,
    pub(crate) claim: Claim,
    pub(crate) comparison: Comparison,
    pub(crate) moves: Vec<Move>,
    pub(crate) reached: usize,
}

impl Attempt {
    /// Why the plan fails, for whoever wrote the mechanism; the plan may be for what it was rewritten to. Finding whom to blame takes
    /// further searches, so only the best attempt is asked.
    pub(crate) fn explain(self, mechanism: &Mechanism, deadline: Option<Instant>) -> Failure {
        let rewritten = self.context.mechanism();
        if self.moves.is_empty() {
            return no_plan(mechanism, rewritten, &self.claim);
        }
        let mut effort = Effort::of(EXPLAIN_EFFORT).until(deadline);
        let mut searching = Searching { explain: true, ..Searching::new(&mut effort) };
        let replayed = replay_side(&self.context, &self.claim, self.comparison, &self.moves, &mut searching);
        let (example, about_cost) = (searching.example.take(), searching.about_cost);
        match replayed {
            // Without steps left it would be chance what is blamed.
            Err(_) if searching.effort.is_spent() => {
                self.with_skeleton(mechanism, Failure::new("the program", Reason::OutOfSteps))
            }
            Err(mut failure) => {
                failure.help.extend(example);
                if about_cost {
                    failure.help.extend(payments(&self.context, &self.moves));
                }
                self.with_skeleton(mechanism, failure)
            }
            Ok(_) => no_plan(mechanism, rewritten, &self.claim),
        }
    }

    /// The failure with the plan as a proof block to fill in.
    pub(crate) fn with_skeleton(&self, mechanism: &Mechanism, failure: Failure) -> Failure {
        let mut help = failure.help;
        // A plan that no rehearsal has passed and that pays for nothing is not worth mending.
        let pays = || !payments(&self.context, &self.moves).is_empty();
        let moves: &[Move] = if self.reached > 0 || pays() { &self.moves } else { &[] };
        help.extend(skeleton((mechanism, &self.claim), self.context.mechanism(), self.comparison, moves));
        Failure { help, ..failure }
    }
}
