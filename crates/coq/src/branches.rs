//! HOIST and JOIN: the program that is proved has its draws before its branches, and the law of the one that is claimed (`proofs/Branches.v`).
//!
//! In a text, `program` is claimed and `program_proved` is proved; each rewriting step is a lemma that the two programs go in step, with a relation that
//! says that two states are the same, but for what is drawn.

use std::fmt::Write;

use probity_kernel::context::{Context, Orientation};
use probity_kernel::equivalence::Rewrite;
use probity_kernel::expr::{Expr, Name};
use probity_kernel::term::{Distribution, Mechanism, Statement};

use super::NotExported;
use super::derivation::{braces, rejected};
use super::print::{Scope, argument};
use super::statement::Statements;
use probity_prove::derivation::Plan;

/// The rewriting steps, each with the mechanism that it makes.
pub(super) struct Branches {
    steps: Vec<(Rewrite, Mechanism)>,
}

/// The steps of a plan that consists of HOIST and JOIN.
pub(super) fn branches(mechanism: &Mechanism, plan: &Plan) -> Result<Option<Branches>, NotExported> {
    let ours = |step: &Rewrite| matches!(step, Rewrite::Hoist { .. } | Rewrite::Join);
    if plan.rewrites.is_empty() || !plan.rewrites.iter().all(ours) {
        return Ok(None);
    }
    let mut steps: Vec<(Rewrite, Mechanism)> = Vec::new();
    for step in &plan.rewrites {
        let before = steps.last().map_or(mechanism, |(_, after)| after);
        let after = step.apply(before).map_err(rejected)?;
        steps.push((step.clone(), after));
    }
    Ok(Some(Branches { steps }))
}

impl Branches {
    /// The mechanism that is proved.
    pub(super) fn proved(&self, mechanism: &Mechanism) -> Mechanism {
        self.steps.last().map_or(mechanism, |(_, after)| after).clone()
    }

    /// What the program after so many steps is called.
    fn program(&self, number: usize) -> String {
        match number {
            0 => "program".into(),
            n if n == self.steps.len() => "program_proved".into(),
            n => format!("program_{n}"),
        }
    }

    /// That all programs have the same law, after the definitions of the first and the last.
    pub(super) fn same_law(&self, claimed: &Statements<'_>) -> Result<String, NotExported> {
        let binders = format!("{}{}", claimed.param_binders(), claimed.length_binders());
        let arguments = format!("{}{}", claimed.params(), claimed.lengths());
        let context = claimed.printer.context;
        let params = claimed.mechanism().params.iter().filter(|p| context.is_positive(&p.name));
        let positive: Vec<&Name> = params.map(|p| &p.name).collect();
        let mut premises = String::new();
        for name in &positive {
            let value = claimed.printer.real(&Expr::var((*name).clone()), Scope::Program)?;
            let _ = write!(premises, "0 < {value} -> ");
        }
        let given: String = positive.iter().map(|name| format!(" pos_{name}")).collect();
        let mut out = String::new();
        let mut body = claimed.mechanism().body.clone();
        for (number, (step, after)) in self.steps.iter().enumerate() {
            if number + 1 < self.steps.len() {
                let context = Context::new(after, Orientation::Forward).map_err(rejected)?;
                let text = Statements::new(&context)?.program_of(&after.body)?;
                let name = self.program(number + 1);
                let _ = writeln!(out, "Definition {name} {binders}: stmt RR (inputs * vars) :=\n{text}.\n");
            }
            out.push_str(&relation(claimed, number + 1, step));
            let same = format!("same_{}", number + 1);
            let related = format!("related_{}", number + 1);
            let script = Script { step, same: &same, related: &related }.block(&body)?;
            let _ = write!(
                out,
                "Lemma step_{} {binders}: {premises}\n  in_step {same} ({}{arguments}) ({}{arguments}) {same}.\nProof.\n  intros{given}.\n  \
                 cbv beta delta [{} {} seq_ set_ draw_ drawZ_ if_ for_ skip_].\n{script}Qed.\n\n",
                number + 1,
                self.program(number),
                self.program(number + 1),
                self.program(number),
                self.program(number + 1),
            );
            body = after.body.clone();
        }
        let _ = write!(
            out,
            "Lemma same_law {binders}(E : _ -> Prop) (m : inputs * vars) : {premises}\n  \
             wp (program{arguments}) (ind RR (fun s => E (output{arguments} (fst s) (snd s)))) m =\n  \
             wp (program_proved{arguments}) (ind RR (fun s => E (output_proved{arguments} (fst s) (snd s)))) m.\n\
             Proof.\n  intros{given}.\n"
        );
        let released = format!("(fun s => output{arguments} (fst s) (snd s))");
        let mut all = String::from("eq_refl");
        for number in 1..=self.steps.len() {
            let _ = writeln!(
                out,
                "  assert (law_{number} := @step_law RR _ _ same_{number} same_{number} _ _ _ {released} {released} E m m (step_{number}{arguments}{given}) ltac:(related_{number}) ltac:(related_{number}))."
            );
            all = format!("eq_trans {} law_{number}", argument(all));
        }
        let _ = writeln!(out, "  exact ({all}).");
        out.push_str("Qed.\n\n");
        Ok(out)
    }
}

/// Two states that are the same, but for what HOIST draws; and the tactic that takes such states apart.
fn relation(claimed: &Statements<'_>, number: usize, step: &Rewrite) -> String {
    let moved = |name: &Name| matches!(step, Rewrite::Hoist { var } if var == name);
    let equal: String = claimed
        .variables()
        .filter(|name| !moved(name))
        .map(|name| format!(" /\\ v_{name} (snd s) = v_{name} (snd t)"))
        .collect();
    let fields: String = claimed.variables().map(|name| format!(" v_{name} put_{name}")).collect();
    format!(
        "Definition same_{number} (s t : inputs * vars) : Prop := fst s = fst t{equal}.\n\
         Ltac related_{number} := intros; repeat match goal with s : (inputs * vars)%type |- _ => destruct s as [? []] end;\n  \
         cbv beta iota zeta delta [same_{number} output fst snd{fields}] in *; split_all; subst; repeat first [reflexivity|split].\n"
    )
}

struct Script<'a> {
    step: &'a Rewrite,
    same: &'a str,
    related: &'a str,
}

impl Script<'_> {
    fn block(&self, body: &[Statement]) -> Result<String, NotExported> {
        let Script { same, related, .. } = self;
        let Some((statement, rest)) = body.split_first() else { return Ok("apply step_skip.\n".into()) };
        let later = self.block(rest)?;
        if let (Rewrite::Hoist { var }, Statement::If { then, otherwise, .. }) = (self.step, statement)
            && let Some(Statement::Draw { var: drawn, law }) = then.first()
            && drawn == var
        {
            let total = total(law)?;
            return Ok(format!(
                "apply (@step_hoist RR _ {same}); [{related}|{related}|{related}|{related}|{related}|{related}|intros ? _; apply {total}; positive_scale| |].\n{}",
                braces(&self.block(otherwise)?, &later)
            ));
        }
        let first = self.statement(statement)?;
        Ok(format!("apply (@step_seq RR _ _ {same} {same} {same}).\n{}", braces(&first, &later)))
    }

    fn statement(&self, statement: &Statement) -> Result<String, NotExported> {
        let Script { same, related, .. } = self;
        Ok(match statement {
            Statement::Assign { .. } | Statement::Append { .. } => {
                format!("apply (@step_assign RR _ _ {same} {same}); {related}.\n")
            }
            Statement::Draw { .. } => format!("apply (@step_draw RR _ _ {same} {same}); {related}.\n"),
            Statement::If { then, otherwise, .. } => {
                if let (Rewrite::Join, [Statement::If { then: both, otherwise: no, .. }], []) =
                    (self.step, &then[..], &otherwise[..])
                    && no.is_empty()
                {
                    if matches!(&both[..], [Statement::If { .. }]) {
                        return Err(NotExported::rule("JOIN of more than two conditions"));
                    }
                    return Ok(format!(
                        "apply (@step_join RR _ {same}); [{related}|{related}|].\n{}",
                        self.block(both)?
                    ));
                }
                format!(
                    "apply (@step_if RR _ _ {same} {same}); [{related}| |].\n{}",
                    braces(&self.block(then)?, &self.block(otherwise)?)
                )
            }
            Statement::For { body, .. } => {
                format!("apply (@step_for RR _ _ {same}); intros ?.\n{}", self.block(body)?)
            }
            Statement::While { .. } => return Err(NotExported::rule("WHILE")),
        })
    }
}

/// That a law has mass 1 if its scale is positive.
fn total(law: &Distribution) -> Result<&'static str, NotExported> {
    match law {
        Distribution::Laplace { .. } => Ok("laplace_total"),
        _ => Err(NotExported::rule("HOIST of noise that is not Laplace's")),
    }
}
