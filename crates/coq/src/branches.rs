//! HOIST, JOIN, INLINE, NAME, CONDITIONAL, RANGE, ENTRY, ONE-DRAW and UNROLL: the program that is proved is another one than the one that is claimed, and has its law (`proofs/Branches.v`, `proofs/Rewrites.v`).
//!
//! In a text, `program` is claimed and `program_proved` is proved; each rewriting step is a lemma that the two programs go in step, with a relation that
//! says that two states are the same, but for the variable that is drawn earlier, left out or new; and at the end, what that one is.

mod draws;

use std::fmt::Write;

use probity_kernel::context::{Context, Orientation};
use probity_kernel::equivalence::Rewrite;
use probity_kernel::expr::{Expr, Name};
use probity_kernel::term::{Distribution, Mechanism, Statement};

use super::NotExported;
use super::derivation::{braces, rejected};
use super::print::{Scope, argument};
use super::statement::Statements;
use draws::{TwoDraws, two_draws};
use probity_prove::derivation::Plan;

/// What steps about draws need.
const DRAWS: &str = "From Probity Require Import RewritesDraws.\n";

/// The rewriting steps, each with the mechanism that it makes.
pub(super) struct Branches {
    steps: Vec<(Rewrite, Mechanism)>,
}

/// The steps of a plan that consists of such.
pub(super) fn branches(mechanism: &Mechanism, plan: &Plan) -> Result<Option<Branches>, NotExported> {
    let ours = |step: &Rewrite| {
        use Rewrite::{
            Conditional, DifferenceLaw, Entry, Hoist, Inline, Join, Name, OneDraw, Range, ResponseLaw,
            SignLaw, Unroll,
        };
        matches!(
            step,
            Hoist { .. }
                | Join
                | Inline { .. }
                | Name { .. }
                | Conditional { .. }
                | Range { .. }
                | Entry { .. }
                | OneDraw { .. }
                | Unroll { .. }
                | ResponseLaw { .. }
                | DifferenceLaw { .. }
                | SignLaw { .. }
        )
    };
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

    /// What the program, or the output, after so many steps is called.
    fn called(&self, what: &str, number: usize) -> String {
        match number {
            0 => what.into(),
            n if n == self.steps.len() => format!("{what}_proved"),
            n => format!("{what}_{n}"),
        }
    }

    /// The variables of all programs on the way.
    pub(super) fn variables(&self) -> Result<Vec<(Name, String)>, NotExported> {
        let mut all = Vec::new();
        for (_, after) in &self.steps {
            let context = Context::new(after, Orientation::Forward).map_err(rejected)?;
            all.extend(Statements::new(&context)?.variables);
        }
        Ok(all)
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
                let statements = Statements::new(&context)?.with(&claimed.variables);
                let text = statements.program_of(&after.body)?;
                let name = self.called("program", number + 1);
                let _ = writeln!(out, "Definition {name} {binders}: stmt RR (inputs * vars) :=\n{text}.\n");
                let _ = writeln!(
                    out,
                    "Definition {} {binders}(i : inputs) (v : vars) : {} :=\n  {}.\n",
                    self.called("output", number + 1),
                    statements.output_type()?,
                    statements.value(&after.output)?
                );
            }
            let names = [self.called("output", number), self.called("output", number + 1)];
            let before = Mechanism { body: body.clone(), ..claimed.mechanism().clone() };
            let context = Context::new(&before, Orientation::Forward).map_err(rejected)?;
            let here = Statements::new(&context)?.with(&claimed.variables);
            let made = two_draws(&here, step, &body)?;
            if made.is_some() && !out.contains(DRAWS) {
                out.push_str(DRAWS);
            }
            out.push_str(&relation(
                &here,
                number + 1,
                (step, &body, made.as_ref()),
                &names,
                (&binders, &arguments),
            )?);
            let same = format!("same_{}", number + 1);
            let related = format!("related_{}", number + 1);
            let end = match step {
                Rewrite::Inline { .. } | Rewrite::Name { .. } => {
                    argument(format!("after_{}{arguments}", number + 1))
                }
                _ if made.is_some() => argument(format!("after_{}{arguments}", number + 1)),
                _ => same.clone(),
            };
            let script = Script { step, same: &same, end: &end, related: &related };
            let script = match &made {
                Some(made) => script.drawn(&body, made, number + 1)?,
                None => script.program(&body, &after.body)?,
            };
            // The rounds of a loop are taken one by one as the text has the loop.
            let loops = if matches!(step, Rewrite::Unroll { .. }) { "" } else { " for_" };
            let _ = write!(
                out,
                "Lemma step_{} {binders}: {premises}\n  in_step {same} ({}{arguments}) ({}{arguments}) {end}.\nProof.\n  intros{given}.\n  \
                 cbv beta delta [{} {} seq_ set_ draw_ drawZ_ if_{loops} skip_].\n{script}Qed.\n\n",
                number + 1,
                self.called("program", number),
                self.called("program", number + 1),
                self.called("program", number),
                self.called("program", number + 1),
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
        let released =
            |number| format!("(fun s => {}{arguments} (fst s) (snd s))", self.called("output", number));
        let mut all = String::from("eq_refl");
        for number in 1..=self.steps.len() {
            let _ = writeln!(
                out,
                "  assert (law_{number} := @step_law RR _ _ _ _ _ _ _ {} {} E m m (step_{number}{arguments}{given}) ltac:(related_{number}) ltac:(related_{number})).",
                released(number - 1),
                released(number)
            );
            all = format!("eq_trans {} law_{number}", argument(all));
        }
        let _ = writeln!(out, "  exact ({all}).");
        out.push_str("Qed.\n\n");
        Ok(out)
    }
}

/// Two states that are the same, but for the variable that the step is about; what holds of that one at the end; and the tactic that takes such states apart.
fn relation(
    here: &Statements<'_>,
    number: usize,
    (step, body, made): (&Rewrite, &[Statement], Option<&TwoDraws>),
    [before, after]: &[String; 2],
    (binders, arguments): (&str, &str),
) -> Result<String, NotExported> {
    let moved = |name: &Name| {
        matches!(step, Rewrite::Hoist { var } | Rewrite::Inline { var } | Rewrite::Name { var } | Rewrite::Entry { var } if var == name)
            || made.is_some_and(|made| made.names.contains(name))
    };
    let equal: String = here
        .variables()
        .filter(|name| !moved(name))
        .map(|name| format!(" /\\ v_{name} (snd s) = v_{name} (snd t)"))
        .collect();
    let fields: String = here.variables().map(|name| format!(" v_{name} put_{name}")).collect();
    let known = match step {
        Rewrite::Inline { var } => {
            let sets = |s: &&Statement| matches!(s, Statement::Assign { var: x, .. } if x == var);
            let Some(Statement::Assign { value, .. }) = body.iter().find(sets) else {
                return Err(NotExported::new("a plan that does not fit the program"));
            };
            format!(
                "v_{var} (snd s) = (fun (i : inputs) (v : vars) => {}) (fst s) (snd s)",
                here.assigned(var, value)?
            )
        }
        Rewrite::Name { var } => format!("v_{var} (snd t) = {before}{arguments} (fst s) (snd s)"),
        _ => made.map(|made| made.known.clone()).unwrap_or_default(),
    };
    let arranged = if made.is_some() { "|arranged" } else { "" };
    let (defined, unfolded) = match known.is_empty() {
        true => (String::new(), String::new()),
        false => (
            format!(
                "Definition after_{number} {binders}(s t : inputs * vars) : Prop := same_{number} s t /\\ {known}.\n"
            ),
            format!(" after_{number}"),
        ),
    };
    Ok(format!(
        "Definition same_{number} (s t : inputs * vars) : Prop := fst s = fst t{equal}.\n{defined}\
         Ltac open_{number} := intros; repeat match goal with s : (inputs * vars)%type |- _ => destruct s as [? []] end;\n  \
         cbv beta iota zeta delta [same_{number}{unfolded} {before} {after} fst snd{fields}] in *; split_all; subst.\n\
         Ltac related_{number} := open_{number};\n  \
         repeat match goal with h : ?b = _ |- context [if ?b then _ else _] => rewrite h end; repeat first [reflexivity|split|push; reflexivity{arranged}].\n"
    ))
}

struct Script<'a> {
    step: &'a Rewrite,
    /// What holds of the two states.
    same: &'a str,
    /// What holds at the end of the program.
    end: &'a str,
    related: &'a str,
}

impl Script<'_> {
    /// The whole program, in which INLINE and NAME do something once.
    fn program(&self, body: &[Statement], after: &[Statement]) -> Result<String, NotExported> {
        let Script { same, end, related, .. } = self;
        if matches!(self.step, Rewrite::Entry { .. } | Rewrite::OneDraw { .. }) {
            return self.beside(body, after);
        }
        let Some((statement, rest)) = body.split_first() else {
            return Ok(match self.step {
                Rewrite::Name { .. } => format!("apply (@step_name RR _ _ {same} {end}); {related}.\n"),
                _ => "apply step_skip.\n".into(),
            });
        };
        match (self.step, statement) {
            (Rewrite::Inline { var }, Statement::Assign { var: x, .. }) if x == var => {
                let later = Script { same: end, ..*self }.block(rest)?;
                Ok(format!(
                    "apply (@step_drop RR _ _ {same} {end} {end}); [{related}|].\n{}",
                    braces(&later, "").trim_end_matches("{\n}\n")
                ))
            }
            // The first loop at the top level that has the index.
            (Rewrite::Unroll { index }, Statement::For { index: i, from, to, body }) if index == i => {
                match (number(from), number(to)) {
                    (Some(from), Some(to)) => self.rounds((from, to), body, rest),
                    _ => Err(NotExported::new("a plan that does not fit the program")),
                }
            }
            (Rewrite::Inline { .. } | Rewrite::Name { .. } | Rewrite::Unroll { .. }, _) => {
                let (first, later) = (self.statement(statement)?, self.program(rest, after)?);
                Ok(format!("apply (@step_seq RR _ _ {same} {same} {end}).\n{}", braces(&first, &later)))
            }
            _ => self.block(body),
        }
    }

    /// The whole program, in which two draws become one.
    fn drawn(&self, body: &[Statement], made: &TwoDraws, number: usize) -> Result<String, NotExported> {
        let Script { same, end, .. } = self;
        let mut out = String::new();
        for statement in &body[..made.at] {
            let first = self.statement(statement)?;
            let _ = writeln!(out, "apply (@step_seq RR _ _ {same} {same} {end}).\n{{\n{first}}}");
        }
        let _ = write!(
            out,
            "eapply (@step_pair RR _ _ {same} {end} {end} _ _ _ _ _ _ _ _ _ {}).\n\
             {{ intros; reflexivity. }}\n{{ open_{number}; apply {}; assumption. }}\n{{ open_{number}; repeat first [reflexivity|split|joined]. }}\n{}",
            made.join,
            made.law,
            Script { same: end, ..*self }.block(&body[made.at + 2..])?
        );
        Ok(out)
    }

    /// A block and what ENTRY or ONE-DRAW makes of it, which differ in one place.
    fn beside(&self, body: &[Statement], after: &[Statement]) -> Result<String, NotExported> {
        let Script { same, related, .. } = self;
        let (Some((statement, rest)), Some((other, later))) = (body.split_first(), after.split_first())
        else {
            return Ok("apply step_skip.\n".into());
        };
        let first = match (statement, other, later.split_first()) {
            _ if statement == other => self.statement(statement)?,
            (Statement::Append { .. }, Statement::Assign { .. }, Some((_, later))) => {
                return Ok(format!(
                    "apply (@step_entry RR _ _ {same} {same} {same}); [{related}|].\n{}",
                    self.beside(rest, later)?
                ));
            }
            (Statement::If { .. }, Statement::Draw { .. }, _) => {
                format!("apply (@step_one_draw RR _ _ {same} {same}); {related}.\n")
            }
            (Statement::If { then, otherwise, .. }, Statement::If { then: yes, otherwise: no, .. }, _) => {
                format!(
                    "apply (@step_if RR _ _ {same} {same}); [{related}| |].\n{}",
                    braces(&self.beside(then, yes)?, &self.beside(otherwise, no)?)
                )
            }
            (Statement::For { body, .. }, Statement::For { body: inside, .. }, _) => {
                format!("apply (@step_for RR _ _ {same}); intros ?.\n{}", self.beside(body, inside)?)
            }
            _ => return Err(NotExported::rule("WHILE")),
        };
        let later = self.beside(rest, later)?;
        Ok(format!("apply (@step_seq RR _ _ {same} {same} {same}).\n{}", braces(&first, &later)))
    }

    /// The rounds of a loop between two numbers, and what follows it.
    fn rounds(
        &self,
        (from, to): (i64, i64),
        round: &[Statement],
        rest: &[Statement],
    ) -> Result<String, NotExported> {
        let Script { same, .. } = self;
        let mut out = String::new();
        for next in from + 1..=to {
            let _ = writeln!(
                out,
                "apply (@step_round inputs vars _ {same} {same} _ ({next})%Z); [reflexivity|reflexivity|]; cbv beta."
            );
            for statement in round {
                let first = self.statement(statement)?;
                let _ = writeln!(
                    out,
                    "apply step_inside; apply (@step_seq RR _ _ {same} {same} {same}).\n{{\n{first}}}"
                );
            }
            out.push_str("apply step_pass.\n");
        }
        let _ = write!(
            out,
            "apply (@step_over inputs vars _ {same} {same}); [apply Z.leb_le; reflexivity|].\n{}",
            self.block(rest)?
        );
        Ok(out)
    }

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
                if let (
                    Rewrite::Conditional { var },
                    [Statement::Assign { var: x, .. }],
                    [Statement::Assign { var: y, .. }],
                ) = (self.step, &then[..], &otherwise[..])
                    && x == var
                    && y == var
                {
                    return Ok(format!("apply (@step_conditional RR _ _ {same} {same}); {related}.\n"));
                }
                format!(
                    "apply (@step_if RR _ _ {same} {same}); [{related}| |].\n{}",
                    braces(&self.block(then)?, &self.block(otherwise)?)
                )
            }
            // Whether the bounds are ones that RANGE changes the other program says.
            Statement::For { index, body, .. } => {
                let inside = self.block(body)?;
                match self.step {
                    Rewrite::Range { index: counted } if counted == index => format!(
                        "first [apply (@step_range RR _ _ {same})|apply (@step_for RR _ _ {same})]; intros ?.\n{inside}"
                    ),
                    _ => format!("apply (@step_for RR _ _ {same}); intros ?.\n{inside}"),
                }
            }
            Statement::While { .. } => return Err(NotExported::rule("WHILE")),
        })
    }
}

/// A bound that is a number.
fn number(e: &Expr) -> Option<i64> {
    match e {
        Expr::Number(n) if n.is_int() => i64::try_from(n.numerator().clone()).ok(),
        _ => None,
    }
}

/// That a law has mass 1 if its scale is positive.
fn total(law: &Distribution) -> Result<&'static str, NotExported> {
    match law {
        Distribution::Laplace { .. } => Ok("laplace_total"),
        Distribution::DiscreteLaplace { .. } => Ok("discrete_laplace_total"),
        Distribution::Exponential { .. } => Ok("exponential_total"),
        Distribution::Geometric { .. } => Ok("geometric_total"),
        _ => Err(NotExported::rule("HOIST of such a draw")),
    }
}
