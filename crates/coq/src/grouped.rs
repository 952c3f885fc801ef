//! GROUP and GROUP-DELTA: a mechanism whose neighbours differ by several rows. That it is private by one row is a text of its own, and the theorem about more follows it.

use std::fmt::Write;
use std::sync::Arc;

use probity_kernel::concentrated::Measure;
use probity_kernel::context::Orientation;
use probity_kernel::entail::Evidence;
use probity_kernel::expr::{Expr, Name, Variable};
use probity_kernel::privacy::{group_share, grouped};
use probity_kernel::sample::of_parameters;
use probity_kernel::term::{Adjacency, Claim, Mechanism, Reading};

use super::NotExported;
use super::derivation::rejected;
use super::print::{Scope, argument};
use super::sampled::{check_rows, enough_section};
use super::statement::{Statements, opening};
use probity_prove::derivation::Plan;

/// The theorem and its proof, from the claim about one row of the table, for at most so many.
pub(super) fn export(
    mechanism: &Mechanism,
    claim: &Claim,
    (table, most): (&Name, &Expr),
    plan: &Plan,
    mut evidence: Vec<Evidence>,
) -> Result<String, NotExported> {
    if claim.reading != Reading::Reals || plan.through.is_some() {
        return Err(NotExported::rule("GROUP in rho or mu"));
    }
    // What GROUP-DELTA needs of the numbers comes last.
    let delta = match &plan.grouped {
        Some(share) => {
            let (Some(table), Expr::Var(_)) = (mechanism.inputs.first(), most) else {
                return Err(NotExported::rule("GROUP-DELTA for a number of rows that is no parameter"));
            };
            check_rows(mechanism, table, "GROUP-DELTA")?;
            let enough = evidence.pop().ok_or_else(|| NotExported::new("evidence is missing"))?;
            let numbers = Arc::new(of_parameters(mechanism).map_err(rejected)?);
            Some(enough_section(&numbers, &grouped(most, share, claim), &enough)?)
        }
        None => None,
    };
    let name = &mechanism.name;
    let adjacency = vec![Adjacency::OneRow { table: table.clone() }];
    let inner = Mechanism { name: Name::new(format!("{name}_one_row")), adjacency, ..mechanism.clone() };
    let share = plan.grouped.as_deref().cloned().unwrap_or_else(|| group_share(claim, most));
    let plan = &Plan { grouped: None, ..plan.clone() };
    let mut out = opening(&inner, &share, false);
    out.push_str(&super::derived(&inner, &share, plan, (evidence, false))?);
    let _ = write!(out, "\n(* The same for more than one row.\n\n");
    for line in format!("{mechanism}claims {claim}").lines() {
        let _ = writeln!(out, "     {line}");
    }
    out.push_str("\n   Read: the theorem; in proofs/, more_rows of CertificateGroup.v. *)\nFrom Probity Require Import CertificateGroup.\n\n");
    let context = super::context(&inner, Orientation::Forward, Measure::Pure)?;
    let statements = Statements::new(&context)?;
    let real = |e: &Expr| statements.printer.real(e, Scope::Runs).map(argument);
    let count = statements.printer.int(most, Scope::Runs)?;
    let positive = match most {
        Expr::Var(Variable::Plain(_)) => {
            "apply lt_IZR; pose proof as1 as h; unfold assumed in h; clear - h; positive"
        }
        _ => "reflexivity",
    };
    let (binders, params) = (statements.param_binders(), statements.params());
    let (epsilon, smaller) = (real(&claim.epsilon)?, real(&share.epsilon)?);
    let (given_up, less) = (real(&claim.delta)?, real(&share.delta)?);
    let released = format!("(fun s : inputs * vars => output{params} (fst s) (snd s))");
    let private = |m: &str, other: &str| {
        format!("dp {released} (program{params})\n    {epsilon} {given_up} {m} {other}")
    };
    let parts = format!(
        "intros [t] [t'] part; unfold assumed; cbn [in_{table}] in *; intros h; repeat match goal with h : _ /\\ _ |- _ => destruct h end; repeat split; auto."
    );
    let one_row = format!(
        "apply {name}_one_row_private; try assumption; [left|right]; (split; [exists row; exact added|exact I])"
    );
    let rule = format!(
        "inputs vars row_{table} _ Inputs in_{table} (assumed{params}) (fun _ => eq_refl) (program{params}) {released}"
    );
    let steps = match &delta {
        None => format!(
            "refine (@grouped_private {rule} {epsilon} {smaller} {count} _ _ _ _).\n    \
             - {positive}.\n    - unfold inv, Rdiv; reflexivity.\n    - {parts}\n    \
             - intros i i' w w' row a a' added; split; {one_row}."
        ),
        Some(section) => {
            out.push_str(section);
            format!(
                "intros n n' a a' r; refine ((fun h => conj (fun E => proj1 h E I) (fun E => proj2 h E I))\n      \
                 (@grouped_delta_private {rule} (fun _ => True) {smaller} {less} {epsilon} {given_up} {count} _ _ _ n n' _ a a' r)).\n    \
                 - {positive}.\n    - {parts}\n    \
                 - intros i i' w w' row b b' added; split; intros E _; revert E; {one_row}.\n    \
                 - apply grouped_written; [{positive}|]. unshelve eapply enough; try eassumption; try exact (snd m)."
            )
        }
    };
    let _ = write!(
        out,
        "Theorem {name}_private {binders}(m m' : inputs * vars) :\n  assumed{params} (fst m) -> assumed{params} (fst m') ->\n  \
         more_rows (IZR {count}) (in_{table} (fst m)) (in_{table} (fst m')) \\/ more_rows (IZR {count}) (in_{table} (fst m')) (in_{table} (fst m)) ->\n  \
         {}.\nProof.\n  intros as1 as2 near.\n  \
         assert (both : forall n n' : inputs * vars, assumed{params} (fst n) -> assumed{params} (fst n') -> more_rows (IZR {count}) (in_{table} (fst n)) (in_{table} (fst n')) ->\n    \
         {} /\\\n    {}).\n  \
         {{ {steps} }}\n  \
         destruct near as [near|near]; [exact (proj1 (both m m' as1 as2 near))|exact (proj2 (both m' m as2 as1 near))].\nQed.\n\
         Print Assumptions {name}_private.\n",
        private("m", "m'"),
        private("n", "n'"),
        private("n'", "n"),
    );
    Ok(out)
}
