//! A question as it is put: its facts and the lemmas that it suggests, made once for everyone who tries to answer it.

use probity_kernel::context::Context;
use probity_kernel::entail::Facts;
use probity_kernel::expr::Expr;
use probity_kernel::lemma::Lemma;
use probity_kernel::rejection::Rejection;

use crate::effort::Effort;
use crate::evidence::lemmas::common_lemmas;

/// What it takes, per part of it, to find that a formula is too large.
const HOPELESS_STEPS: usize = 5_000;

/// Whether some hypotheses entail a goal.
pub(crate) struct Posed<'q> {
    pub(crate) context: &'q Context,
    hypotheses: &'q [&'q Expr],
    pub(crate) goal: &'q Expr,
    /// What is known, and that the goal is false.
    pub(crate) facts: Facts<'q>,
    /// The lemmas on entries, sums, floors and remainders.
    pub(crate) common: Vec<Lemma>,
}

impl<'q> Posed<'q> {
    /// Puts the question; what the kernel does not accept as one is rejected, and costs effort too.
    pub(crate) fn new(
        context: &'q Context,
        hypotheses: &'q [&'q Expr],
        goal: &'q Expr,
        effort: &mut Effort,
    ) -> Result<Posed<'q>, Rejection> {
        // Unfolding a question may take longer than what is left.
        if effort.is_late() {
            return Err(Rejection::TooLarge);
        }
        let facts = Facts::new(context, hypotheses, goal).inspect_err(|_| {
            effort.spend(goal.size().saturating_mul(HOPELESS_STEPS));
        })?;
        let formulas = hypotheses.iter().copied().chain([goal]).chain(context.facts());
        let common = common_lemmas(context, formulas);
        Ok(Posed { context, hypotheses, goal, facts, common })
    }

    /// The formulas of the question, without what the context knows.
    pub(crate) fn own_formulas(&self) -> impl Iterator<Item = &'q Expr> + use<'q> {
        self.hypotheses.iter().copied().chain([self.goal])
    }

    /// All formulas of the question.
    pub(crate) fn formulas(&self) -> impl Iterator<Item = &'q Expr> + use<'q> {
        self.own_formulas().chain(self.context.facts())
    }
}
