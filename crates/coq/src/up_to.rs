//! What gives up mass: UP-TO-BAD and SEQ with mass given up, with the rules of `proofs/UpTo.v` and `proofs/CertificateTails.v`.

use std::collections::BTreeSet;

use probity_kernel::expr::{Expr, Variable};
use probity_kernel::rules::{Assertion, Judgement};
use probity_kernel::sampling;
use probity_kernel::term::{Coupling, Distribution, Statement};

use super::NotExported;
use super::derivation::{Proved, Walk, fresh, rejected};
use super::print::Scope;
use probity_prove::derivation::Tail as Part;

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

/// What is said of a draw of which a part is given up: the rule of `proofs/`, the judgement, and the place where that part begins.
struct Cut<'a> {
    rule: &'static str,
    judgement: Judgement,
    at: &'a Expr,
}

impl Walk<'_> {
    /// UP-TO-BAD for the tails of a Laplace draw, or of one on the integers, that is shifted.
    pub(super) fn up_to(
        &mut self,
        statement: &Statement,
        (coupling, tail): (&Coupling, &Expr),
        which: Tail,
        post: &Assertion,
        arbitrary: &BTreeSet<Variable>,
    ) -> Result<Proved, NotExported> {
        let whole = matches!(statement, Statement::Draw { law: Distribution::DiscreteLaplace { .. }, .. });
        let (rule, judgement) = match which {
            Tail::Both => (
                "j_up_to_tail",
                sampling::up_to_tail(&self.context, statement, coupling, tail, post).map_err(rejected)?,
            ),
            Tail::Upper => (
                if whole { "j_up_to_upper_tailZ" } else { "j_up_to_upper_tail" },
                sampling::up_to_upper_tail(&self.context, statement, coupling, tail, post)
                    .map_err(rejected)?,
            ),
            Tail::Open => (
                if whole { "j_up_to_open_tailZ" } else { "j_up_to_open_tail" },
                sampling::up_to_open_tail(&self.context, statement, coupling, tail, post)
                    .map_err(rejected)?,
            ),
        };
        self.cut(statement, coupling, Cut { rule, judgement, at: tail }, arbitrary)
    }

    /// UP-TO-BAD for another part of a law, with the rules of `proofs/CertificateTails.v`.
    pub(super) fn part(
        &mut self,
        statement: &Statement,
        (part, coupling, at): (Part, &Coupling, &Expr),
        post: &Assertion,
        arbitrary: &BTreeSet<Variable>,
    ) -> Result<Proved, NotExported> {
        let context = self.context.clone();
        let (rule, judgement) = match (part, coupling) {
            (Part::Exact, _) => (
                "j_up_to_exact_tail",
                sampling::up_to_exact_tail_int(&context, statement, coupling, at, post),
            ),
            (Part::Exacts, _) => (
                "j_up_to_exact_tails",
                sampling::up_to_exact_tails_int(&context, statement, coupling, at, post),
            ),
            (Part::Start, Coupling::Shift { by, cost }) => {
                ("j_up_to_start", sampling::up_to_start(&context, statement, (by, cost), at, post))
            }
            (Part::Low | Part::LowFrom | Part::LowExact, _) => {
                return Err(NotExported::rule("UP-TO-BAD for a lower tail"));
            }
            (Part::Far, _) => {
                return Err(NotExported::rule("UP-TO-BAD for the far tail of noise on one side"));
            }
            (Part::Uniform, Coupling::Shift { by, cost }) => {
                ("j_up_to_uniform", sampling::up_to_tail_uniform(&context, statement, (by, cost), at, post))
            }
            _ => return Err(NotExported::rule("UP-TO-BAD for a draw that is not shifted")),
        };
        let judgement = judgement.map_err(rejected)?;
        self.cut(statement, coupling, Cut { rule, judgement, at }, arbitrary)
    }

    /// A draw that is shifted, up to a part of its law.
    fn cut(
        &mut self,
        statement: &Statement,
        coupling: &Coupling,
        Cut { rule, judgement, at }: Cut<'_>,
        arbitrary: &BTreeSet<Variable>,
    ) -> Result<Proved, NotExported> {
        let (Statement::Draw { var, law }, Coupling::Shift { by, cost }) = (statement, coupling) else {
            return Err(NotExported::rule("UP-TO-BAD for a draw that is not shifted"));
        };
        let (value, arbitrary) = fresh(var, arbitrary);
        self.number_all(&arbitrary);
        let n = self.printer.arbitrary[&value];
        let real = |e: &Expr| self.printer.real(e, Scope::Runs);
        let int = |e: &Expr| self.printer.int(e, Scope::Runs);
        let (after, charged) = match *cost == Expr::int(0) {
            true => ("k".to_string(), "(fun _ _ k => eq_sym (Rplus_0_r k))"),
            false => (format!("k + {}", real(cost)?), "(fun _ _ _ => eq_refl)"),
        };
        // The rule, the parameters of the law, where the part begins or the share that it is, and by how much the draw is moved.
        let (rule, law, at, by) = match law {
            Distribution::Laplace { center, scale } => {
                let law =
                    format!("(fun i v => {}) ({})", self.printer.real(center, Scope::Program)?, real(scale)?);
                (rule.to_string(), law, real(at)?, real(by)?)
            }
            Distribution::DiscreteLaplace { center, scale } => {
                let law =
                    format!("(fun i v => {}) ({})", self.printer.int(center, Scope::Program)?, real(scale)?);
                (rule.to_string(), law, real(at)?, int(by)?)
            }
            Distribution::Exponential { scale } => {
                (rule.to_string(), format!("({})", real(scale)?), real(at)?, real(by)?)
            }
            Distribution::Geometric { scale } => {
                (format!("{rule}Z"), format!("({})", real(scale)?), int(at)?, int(by)?)
            }
            Distribution::Uniform => (rule.to_string(), String::new(), real(at)?, real(by)?),
            Distribution::UniformInt { low, high } => {
                let end = |e| self.printer.int(e, Scope::Program);
                (
                    format!("{rule}Z"),
                    format!("(fun i v => {}) (fun i v => {})", end(low)?, end(high)?),
                    real(at)?,
                    int(by)?,
                )
            }
            _ => return Err(NotExported::rule("UP-TO-BAD for such a draw")),
        };
        let script = format!(
            "refine (@{rule} inputs vars i1 i2 {n} _ {law} ({at}) ({}) (fun v y => put_{var} v y) (fun v v' k => {by}) (fun v v' k => {}) (fun v v' k => {after}) _ {charged} _);\n  \
             [intros ? ? ? ? ?; reflexivity|unfold inv, Rdiv; reflexivity].\n",
            real(judgement.delta())?,
            real(cost)?,
        );
        Ok(Proved { judgement, script, arbitrary })
    }
}
