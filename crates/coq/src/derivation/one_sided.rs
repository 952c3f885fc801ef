//! ONE-SIDED: a statement without draws, each run on its own (`proofs/Outcomes.v::j_one_sided`).
//!
//! The precondition in one run is computed here as the kernel does, because the script has to know where both branches of a conditional need the
//! same: there the kernel writes it once. Another formula than the kernel's is not exported.

use std::collections::BTreeSet;

use probity_kernel::context::Context;
use probity_kernel::expr::{Expr, Run, Variable};
use probity_kernel::rules::{self, Assertion};
use probity_kernel::term::Statement;

use super::super::NotExported;
use super::{Proved, Walk, braces, rejected};

impl Walk<'_> {
    pub(super) fn one_sided(
        &mut self,
        statement: &Statement,
        post: &Assertion,
        arbitrary: &BTreeSet<Variable>,
    ) -> Result<Proved, NotExported> {
        let context = self.context.clone();
        let judgement = rules::one_sided_both(&context, statement, post).map_err(rejected)?;
        let (middle, first) = in_run(&context, statement, post.formula(), Run::First)?;
        let (formula, second) = in_run(&context, statement, &middle, Run::Second)?;
        if formula != *judgement.pre().formula() {
            return Err(NotExported::new("ONE-SIDED in another form"));
        }
        let script = format!("eapply {}.\n{}", self.rule("one_sided"), braces(&first, &second));
        Ok(Proved { judgement, script, arbitrary: arbitrary.clone() })
    }
}

/// What must hold before a statement in one run, and the script that shows it.
fn in_run(
    context: &Context,
    statement: &Statement,
    post: &Expr,
    run: Run,
) -> Result<(Expr, String), NotExported> {
    let side = if run == Run::First { "first" } else { "second" };
    match statement {
        Statement::Assign { var, value } => {
            let target = Variable::Of(var.clone(), run);
            let value = context.in_run(value, run);
            let formula = post.replace(&|v| (*v == target).then(|| value.clone()));
            Ok((formula, format!("apply {side}_set.\n")))
        }
        Statement::If { guard, then, otherwise } => {
            let (yes, then) = block(context, then, post, run)?;
            let (no, otherwise) = block(context, otherwise, post, run)?;
            let guard = context.in_run(guard, run);
            let (formula, rule) = match yes == no {
                true => (yes, "if_same"),
                false => (guard.clone().implies(yes).and(guard.or(no)), "if"),
            };
            Ok((formula, format!("eapply {side}_{rule}.\n{}", braces(&then, &otherwise))))
        }
        _ => Err(NotExported::new("ONE-SIDED for this statement")),
    }
}

fn block(
    context: &Context,
    body: &[Statement],
    post: &Expr,
    run: Run,
) -> Result<(Expr, String), NotExported> {
    let side = if run == Run::First { "first" } else { "second" };
    let Some((statement, later)) = body.split_first() else {
        return Ok((post.clone(), format!("apply {side}_skip.\n")));
    };
    let (middle, rest) = block(context, later, post, run)?;
    let (formula, here) = in_run(context, statement, &middle, run)?;
    Ok((formula, format!("eapply {side}_seq.\n{}", braces(&rest, &here))))
}
