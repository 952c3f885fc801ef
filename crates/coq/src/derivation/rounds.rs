//! WHILE: a loop whose guards the invariant makes agree (`proofs/Certificate.v::j_while`).

use std::collections::BTreeSet;

use probity_kernel::expr::{Expr, Name, Run, Variable};
use probity_kernel::rules::{self, Assertion};
use probity_kernel::term::Statement;
use probity_prove::derivation::Move;

use super::super::NotExported;
use super::super::print::Scope;
use super::{Proved, Walk, braces, rejected};

impl Walk<'_> {
    pub(super) fn while_loop(
        &mut self,
        (label, guard, body): (&Name, &Expr, &[Statement]),
        invariant: &Expr,
        moves: &[Move],
        post: &Assertion,
        arbitrary: &BTreeSet<Variable>,
    ) -> Result<Proved, NotExported> {
        let context = self.context.clone();
        let inside = Assertion::new(&context, invariant.clone()).map_err(rejected)?;
        let inner = self.block(body, moves, &inside, &BTreeSet::new())?;
        let (first, second) = (context.in_run(guard, Run::First), context.in_run(guard, Run::Second));
        self.number_all(&inner.arbitrary);
        let (kept, keeps) = self.entail(&[invariant, &first, &second], inner.judgement.pre().formula())?;
        let (agreed, agrees) = self.entail(&[invariant], &first.equals(second))?;
        let whole = rules::while_loop(label, guard, invariant, &inner.judgement, (&keeps, &agrees))
            .map_err(rejected)?;
        self.number_all(arbitrary);
        let (ends, evidence) = self.entail(&[whole.post().formula()], post.formula())?;
        let judgement = rules::weaken(&whole, post, &evidence).map_err(rejected)?;
        let printed = self.printer.formula(invariant, Scope::Runs)?;
        let script = format!(
            "eapply j_weaken; cycle 1.\n{}",
            braces(
                &format!(
                    "eapply (@j_while _ _ _ _ _ _ _ (fun v v' k => {printed})).\n{}{{\n  intros v v' k k0; cbv beta in k0; bridge ({agreed} arb0 v v' k k0).\n}}\n",
                    braces(
                        &inner.script,
                        &format!(
                            "intros a v v' k k0 k1 k2; cbv beta in k0, k1, k2; bridge ({kept} a v v' k k0 k1 k2).\n"
                        )
                    )
                ),
                &format!(
                    "intros a v v' k before; pose proof (before arb0) as k0; finish k0; bridge ({ends} a v v' k k0).\n"
                )
            )
        );
        Ok(Proved { judgement, script, arbitrary: BTreeSet::new() })
    }
}
