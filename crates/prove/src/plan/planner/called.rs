//! Calls of other mechanisms in a plan.

use probity_kernel::concentrated::Measure;
use probity_kernel::expr::{Expr, Name, Run, Variable};
use probity_kernel::term::{Called, Reading, Sort};

use super::Planner;
use crate::algebra::{product, visit};
use crate::derivation::Move;
use crate::plan::blocks::{definitions, inline};
use crate::plan::couplings::Candidate;
use crate::tables::sums;

impl Planner<'_> {
    /// The couplings of a call: the theorem of the called mechanism, or nothing where its arguments are equal.
    pub(super) fn call(&self, called: &Called) -> Vec<Candidate> {
        let hints = self.hints.called.iter().find(|(name, _)| *name == called.mechanism.name);
        let hints = hints.map(|(_, hints)| hints.clone()).unwrap_or_default();
        let Some((plan, evidence)) = (self.called)(&called.mechanism, &called.claim, &hints) else {
            return vec![];
        };
        let candidate = |cost: Expr, amounts: Vec<Expr>| Candidate {
            step: Move::Call(cost, Box::new(plan.clone()), evidence.clone()),
            amounts,
        };
        let free = candidate(Expr::int(0), vec![]);
        let same = |e: &Expr| self.context.in_run(e, Run::First) == self.context.in_run(e, Run::Second);
        if called.inputs.iter().all(same) {
            return vec![free];
        }
        let amount = &called.claim.epsilon;
        let half_square = || product(amount.clone(), amount.clone()) / Expr::int(2);
        let cost = match (self.context.measure(), called.claim.reading) {
            (Measure::Pure, _) | (_, Reading::Rho) => amount.clone(),
            _ => half_square(),
        };
        let params = called.mechanism.params.iter().map(|p| &p.name).zip(&called.params);
        let params: Vec<(&Name, &Expr)> = params.collect();
        let cost = cost.replace(&|v| match v {
            Variable::Plain(name) => {
                params.iter().find(|(known, _)| *known == name).map(|(_, e)| (*e).clone())
            }
            _ => None,
        });
        let cost = self.context.in_run(&cost, Run::First);
        let takes_table = called.mechanism.inputs.iter().any(|input| matches!(input.sort, Sort::Rows(_)));
        let paid = candidate(cost.clone(), vec![cost.clone()]);
        let takes_list =
            called.mechanism.inputs.iter().any(|input| matches!(input.sort, Sort::RealList | Sort::IntList));
        // In a loop over the entries of a list only those that differ pay, also where an entry has a name.
        let named = definitions(&self.context.mechanism().body);
        let alike = |e: &Expr| self.context.in_run(e, Run::First).equals(self.context.in_run(e, Run::Second));
        let entries = |e: &Expr| {
            let mut found = false;
            visit(&inline(e, &named), &mut |part| {
                found |= matches!(part, Expr::Index(..)) || !sums(part).is_empty()
            });
            found
        };
        let mut some = Vec::new();
        if !takes_table && !takes_list && called.inputs.iter().any(entries) {
            let same = Expr::all(called.inputs.iter().map(alike));
            some.push(candidate(same.choose(Expr::int(0), cost.clone()), vec![cost]));
        }
        if takes_table { vec![paid] } else { [some, vec![paid, free]].concat() }
    }
}
