//! FOR-ONCE: a loop that gives up mass in the rounds that are named (`proofs/UpTo.v`, `j_for_once`).

use std::collections::BTreeSet;

use probity_kernel::expr::{Expr, Name, Run, Variable};
use probity_kernel::once::for_loop_once;
use probity_kernel::rules::{self, Assertion};
use probity_kernel::term::Statement;

use super::super::NotExported;
use super::super::print::Scope;
use super::{Proved, Walk, braces, rejected};
use probity_prove::derivation::{Move, without_tails};

impl Walk<'_> {
    /// The body is walked twice, as the kernel's rule asks: with no draw cut, and as the moves say.
    pub(super) fn for_loop_once(
        &mut self,
        (index, from, to, body): (&Name, &Expr, &Expr, &[Statement]),
        (invariant, rounds): (&Expr, &[Expr]),
        moves: &[Move],
        post: &Assertion,
        arbitrary: &BTreeSet<Variable>,
    ) -> Result<Proved, NotExported> {
        let context = self.context.clone();
        let i = Expr::var(index.clone());
        let after = i.clone() + Expr::int(1);
        let next = invariant.replace(&|v| (*v == Variable::Plain(index.clone())).then(|| after.clone()));
        let next = Assertion::new(&context, next).map_err(rejected)?;
        self.indices.push(index.clone());
        let other = self.block(body, &without_tails(moves), &next, &BTreeSet::new())?;
        let named = self.block(body, moves, &next, &BTreeSet::new())?;
        let (low, high) = (context.in_run(from, Run::First), context.in_run(to, Run::First));
        let range = low.le(i.clone()).and(i.clone().lt(high));
        let at = |round: &Expr| i.clone().equals(round.clone());
        let is_named = rounds.iter().map(at).reduce(Expr::or).unwrap_or(Expr::Bool(false));
        self.number_all(&other.arbitrary);
        let hypotheses = [invariant, &range, &!is_named.clone()];
        let (kept, others) = self.entail(&hypotheses, other.judgement.pre().formula())?;
        self.number_all(&named.arbitrary);
        let (paid, these) = self.entail(&[invariant, &range, &is_named], named.judgement.pre().formula())?;
        let printed = self.printer.formula(invariant, Scope::Runs)?;
        let here = self.printer.formula(&is_named, Scope::Runs)?;
        let mut numbers = String::from("nil");
        for round in rounds.iter().rev() {
            numbers = format!("cons ({}) ({numbers})", self.printer.real(round, Scope::Runs)?);
        }
        self.indices.pop();
        let judgements = (&other.judgement, &named.judgement);
        let whole = for_loop_once(index, (from, to), invariant, judgements, rounds, (&others, &these))
            .map_err(rejected)?;
        self.number_all(arbitrary);
        let (ends, evidence) = self.entail(&[whole.post().formula()], post.formula())?;
        let judgement = rules::weaken(&whole, post, &evidence).map_err(rejected)?;
        let each = self.printer.real(named.judgement.delta(), Scope::Runs)?;
        let all = self.printer.real(judgement.delta(), Scope::Runs)?;
        let x = format!("x_{index}");
        let round = |script: &str| format!("intros {x}; cbv beta.\n{script}");
        let enters = |lemma: &str| {
            format!("intros {x} a v v' k k0 k1 k2; cbv beta in k0, k2; bridge ({lemma} a v v' k k0 k1 k2).\n")
        };
        let loop_script = format!(
            "eapply (@j_for_once _ _ _ _ _ _ _ _ _ (fun {x} v v' k => {printed}) ({numbers}) (fun {x} => {here}) ({each}) ({all})).\n\
             {{ given_up. }}\n{{ reflexivity. }}\n{{ these_rounds. }}\n{}{}",
            braces(&round(&other.script), &round(&named.script)),
            braces(&enters(&kept), &enters(&paid))
        );
        let end = format!(
            "intros a v v' k before; pose proof (before arb0) as k0; finish k0; bridge ({ends} a v v' k k0).\n"
        );
        let script = format!("eapply j_weaken; cycle 1.\n{}", braces(&loop_script, &end));
        Ok(Proved { judgement, script, arbitrary: BTreeSet::new() })
    }
}
