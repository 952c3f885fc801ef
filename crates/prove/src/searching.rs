//! Side conditions are answered by searching, and what was found is kept.

use probity_kernel::context::Context;
use probity_kernel::entail::Evidence;
use probity_kernel::expr::Expr;

use crate::blame::blame;
use crate::derivation::{Justify, Reason};
use crate::effort::Effort;
use crate::evidence::again::Known;
use crate::evidence::posed::Posed;
use crate::evidence::search::{Stuck, search_posed};

/// Answers side conditions by searching, and keeps what it found.
pub(crate) struct Searching<'e> {
    pub(crate) found: Vec<Evidence>,
    pub(crate) effort: &'e mut Effort,
    /// Whether a failure is to name the part of the condition that cannot be shown.
    pub(crate) explain: bool,
    /// What was found before and is tried first, if that is wanted: the statements of a long text are often alike.
    pub(crate) again: Option<Known>,
    /// Values for which the condition that is to blame is false.
    pub(crate) example: Option<String>,
    /// Whether that condition says what may be paid.
    pub(crate) about_cost: bool,
}

impl Justify for Searching<'_> {
    fn justify(&mut self, context: &Context, hypotheses: &[&Expr], goal: &Expr) -> Result<Evidence, Reason> {
        let posed = Posed::new(context, hypotheses, goal, self.effort).map_err(Reason::Rejected)?;
        if let Some(known) = &mut self.again
            && let Some(evidence) = known.again(&posed, self.found.iter(), self.effort)
        {
            known.keep(&posed, &evidence);
            self.found.push(evidence.clone());
            return Ok(evidence);
        }
        match search_posed(&posed, self.effort) {
            Ok(evidence) => {
                if let Some(known) = &mut self.again {
                    known.keep(&posed, &evidence);
                }
                self.found.push(evidence.clone());
                Ok(evidence)
            }
            Err(Stuck::Rejected(rejection)) => Err(Reason::Rejected(rejection)),
            Err(Stuck::Open { .. } | Stuck::TooLong) if !self.explain => {
                Err(Reason::NotShown { goal: goal.to_string(), path: vec![] })
            }
            Err(Stuck::Open { .. } | Stuck::TooLong) => {
                let hypotheses = hypotheses.iter().map(|h| (*h).clone()).collect();
                let blame = blame(context, hypotheses, goal, vec![], self.effort);
                (self.example, self.about_cost) = (blame.example, blame.about_cost);
                Err(blame.reason)
            }
        }
    }
}
