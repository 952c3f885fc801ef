//! What gives up mass: UP-TO-BAD and SEQ with mass given up, with the rules of `proofs/UpTo.v`.

use std::collections::BTreeSet;

use probity_kernel::expr::{Expr, Variable};
use probity_kernel::rules::{Assertion, Judgement};
use probity_kernel::sampling;
use probity_kernel::term::{Coupling, Distribution, Statement};

use super::NotExported;
use super::derivation::{Proved, Walk, fresh, rejected};
use super::print::Scope;

/// Which tail of a draw is given up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tail {
    Both,
    Upper,
    /// With the place where it begins.
    Open,
}

/// Whether a judgement gives up nothing.
pub(super) fn exact(judgement: &Judgement) -> bool {
    *judgement.delta() == Expr::int(0)
}

/// The rule that puts two judgements together, up to the goals that it leaves: the second, and then the first.
pub(super) fn sequence(first: &Judgement, second: &Judgement, plain: &str) -> Result<String, NotExported> {
    Ok(match (exact(first), exact(second), plain) {
        (true, true, _) => format!("eapply {plain}; cycle 1.\n"),
        (false, true, "j_seq") => "eapply j_seq_left; cycle 1.\n".into(),
        (true, false, "j_seq") => "eapply j_seq_right; [given_up| |]; cycle 1.\n".into(),
        (false, false, "j_seq") => "eapply j_seq_both; [given_up| |]; cycle 1.\n".into(),
        _ => return Err(NotExported::rule("MAXDIV before mass is given up")),
    })
}

impl Walk<'_> {
    /// UP-TO-BAD for a Laplace draw that is shifted.
    pub(super) fn up_to(
        &mut self,
        statement: &Statement,
        (coupling, tail): (&Coupling, &Expr),
        which: Tail,
        post: &Assertion,
        arbitrary: &BTreeSet<Variable>,
    ) -> Result<Proved, NotExported> {
        let (
            Statement::Draw { var, law: Distribution::Laplace { center, scale } },
            Coupling::Shift { by, cost },
        ) = (statement, coupling)
        else {
            return Err(NotExported::rule("UP-TO-BAD for a draw that is not Laplace's, or not shifted"));
        };
        let (rule, judgement) = match which {
            Tail::Both => (
                "j_up_to_tail",
                sampling::up_to_tail(&self.context, statement, coupling, tail, post).map_err(rejected)?,
            ),
            Tail::Upper => (
                "j_up_to_upper_tail",
                sampling::up_to_upper_tail(&self.context, statement, coupling, tail, post)
                    .map_err(rejected)?,
            ),
            Tail::Open => (
                "j_up_to_open_tail",
                sampling::up_to_open_tail(&self.context, statement, coupling, tail, post)
                    .map_err(rejected)?,
            ),
        };
        let (value, arbitrary) = fresh(var, arbitrary);
        self.number_all(&arbitrary);
        let n = self.printer.arbitrary[&value];
        let real = |e: &Expr| self.printer.real(e, Scope::Runs);
        let (after, charged) = match *cost == Expr::int(0) {
            true => ("k".to_string(), "(fun _ _ k => eq_sym (Rplus_0_r k))"),
            false => (format!("k + {}", real(cost)?), "(fun _ _ _ => eq_refl)"),
        };
        let script = format!(
            "refine (@{rule} inputs vars i1 i2 {n} _ (fun i v => {}) ({}) ({}) ({}) (fun v y => put_{var} v y) (fun v v' k => {}) (fun v v' k => {}) (fun v v' k => {after}) _ {charged} _);\n  \
             [intros ? ? ? ? ?; reflexivity|unfold inv, Rdiv; reflexivity].\n",
            self.printer.real(center, Scope::Program)?,
            real(scale)?,
            real(tail)?,
            real(judgement.delta())?,
            real(by)?,
            real(cost)?,
        );
        Ok(Proved { judgement, script, arbitrary })
    }
}
