//! AMPLIFY: a mechanism that draws a sample of its table. What it does with the sample is a text of its own, and the theorem about the whole follows it.

use std::fmt::Write;
use std::sync::Arc;

use probity_kernel::context::Context;
use probity_kernel::entail::Evidence;
use probity_kernel::expr::{Expr, Name};
use probity_kernel::sample::{Sampled, amplified, of_parameters, sampled};
use probity_kernel::term::{Claim, Distribution, Input, Mechanism, Sort, Statement};

use super::NotExported;
use super::derivation::{Walk, rejected};
use super::print::{Scope, argument};
use super::statement::{Statements, opening};
use probity_prove::derivation::Plan;

/// The theorem and its proof, from the claim about the sample.
pub(super) fn export(
    mechanism: &Mechanism,
    claim: &Claim,
    share: &Claim,
    plan: &Plan,
    mut evidence: Vec<Evidence>,
) -> Result<String, NotExported> {
    let Sampled { inner, rate } = sampled(mechanism).map_err(rejected)?;
    if !matches!(mechanism.body.first(), Some(Statement::Draw { law: Distribution::Sample { .. }, .. })) {
        return Err(NotExported::rule("AMPLIFY for a sample that is not drawn first"));
    }
    let ([table], [sample]) = (&mechanism.inputs[..], &inner.inputs[..]) else {
        return Err(NotExported::rule("AMPLIFY for several inputs"));
    };
    check_rows(mechanism, table, "AMPLIFY")?;
    let enough = evidence.pop().ok_or_else(|| NotExported::new("evidence is missing"))?;
    let name = mechanism.name.clone();
    let inner = Mechanism { name: Name::new(format!("{name}_on_sample")), ..inner.clone() };
    let plan = Plan { sampled: None, ..plan.clone() };
    let inside = opening(&inner, share, super::in_mu(share, &plan))
        + &super::derived(&inner, share, &plan, (evidence, false))?;

    let context = Arc::new(of_parameters(mechanism).map_err(rejected)?);
    let statements = Statements::new(&context)?;
    let section = enough_section(&context, &amplified(&rate, share, claim), &enough)?;
    let real = |e| statements.printer.real(e, Scope::Runs).map(argument);
    let numbers = Numbers {
        rate: real(&rate)?,
        share: format!("{} {}", real(&share.epsilon)?, real(&share.delta)?),
        claim: format!("{} {}", real(&claim.epsilon)?, real(&claim.delta)?),
    };
    let mut out = format!(
        "{inside}\n(* The mechanism: it draws a sample of its table, and does with the sample what is above.\n\n"
    );
    for line in format!("{mechanism}claims {claim}").lines() {
        let _ = writeln!(out, "     {line}");
    }
    out.push_str("\n   Read: tables, sampled, released, and the theorem; in proofs/, on_sample of CertificateSample.v. *)\n");
    out.push_str("From Probity Require Import CertificateSample.\n\n");
    out.push_str(&section);
    out.push_str(&whole(&statements, &name, (&table.name, &sample.name), &numbers));
    Ok(out)
}

/// What a rule needs of the numbers, as a section that ends with the lemma `enough`; the context is about parameters alone.
pub(super) fn enough_section(
    context: &Arc<Context>,
    needed: &Expr,
    evidence: &Evidence,
) -> Result<String, NotExported> {
    let statements = Statements::new(context)?;
    let (hypotheses, facts) = statements.hypotheses("s")?;
    let mut none = Vec::new().into_iter();
    let mut walk = Walk::new(context, &mut none, "s", facts);
    let mut section = format!("Section numbers_.\n{hypotheses}");
    for positive in walk.positive() {
        let _ = writeln!(section, "{}", statements.positive(positive)?);
    }
    let lemma = walk.lemma(&[], needed, evidence)?;
    let formula = statements.printer.formula(needed, Scope::Runs)?;
    let _ = write!(
        section,
        "\n{}Lemma enough (w : vars) :\n  {formula} = true.\nProof. exact ({lemma} arb0 w w 0). Qed.\nEnd numbers_.\n\n",
        walk.lemmas
    );
    Ok(section)
}

/// Nothing is assumed of rows: what is assumed of the table is then assumed of every part of it, and of parameters alone.
pub(super) fn check_rows(mechanism: &Mechanism, table: &Input, rule: &str) -> Result<(), NotExported> {
    let categories = match &table.sort {
        Sort::Rows(fields) => fields.iter().any(|field| matches!(field.sort, Sort::Category { .. })),
        _ => true,
    };
    let of_rows = of_parameters(mechanism).map_err(rejected)?.mechanism().assumptions.len();
    if categories || of_rows != mechanism.assumptions.len() {
        return Err(NotExported::rule(&format!("{rule} for rows of which something is assumed")));
    }
    Ok(())
}

/// Numbers as Coq has them: the rate, and ε with δ for the sample and for the table.
struct Numbers {
    rate: String,
    share: String,
    claim: String,
}

/// The program, what it releases, and the theorem.
fn whole(
    statements: &Statements<'_>,
    name: &Name,
    (table, sample): (&Name, &Name),
    numbers: &Numbers,
) -> String {
    let (binders, params) = (statements.param_binders(), statements.params());
    let Numbers { rate, share, claim } = numbers;
    let state = format!("(tables * (list row_{sample} * vars))");
    let private =
        |m: &str, other: &str| format!("dp (released{params}) (sampled{params})\n    {claim} {m} {other}");
    format!(
        "Record tables := Tables {{ in_{table} : list row_{sample} }}.\n\
         Definition sampled {binders}: stmt RR {state} :=\n  \
         seq_ (draw_ (fun (i : tables) (v : list row_{sample} * vars) => sample_ (in_{table} i) {rate}) (fun v y => (y, snd v)))\n    \
         (on_sample tables Inputs (program{params})).\n\
         Definition released {binders}(s : {state}) := output{params} (Inputs (fst (snd s))) (snd (snd s)).\n\n\
         Theorem {name}_private {binders}(m m' : {state}) (row : row_{sample}) (before after : list row_{sample}) :\n  \
         assumed{params} (Inputs (in_{table} (fst m))) ->\n  \
         in_{table} (fst m) = (before ++ after)%list -> in_{table} (fst m') = (before ++ row :: after)%list -> snd (snd m) = snd (snd m') ->\n  \
         {} /\\\n  {}.\nProof.\n  \
         intros as1 t t' same.\n  \
         refine (@sampled_private tables inputs vars row_{sample} _ Inputs in_{table} {rate} {share} {claim} (program{params})\n    \
         (fun s => output{params} (fst s) (snd s)) row before after m m' _ _ _ t t' same).\n  \
         - unshelve eapply enough; try eassumption; exact (snd (snd m)).\n  \
         - unfold program; keeps_inputs.\n  \
         - intros u1 u2 w; split; apply {name}_on_sample_private; try exact as1; [right|left];\n      \
         (split; [exists row; exact (Permutation_sym (Permutation_middle u1 u2 row))|exact I]).\nQed.\n\
         Print Assumptions {name}_private.\n",
        private("m", "m'"),
        private("m'", "m"),
    )
}
