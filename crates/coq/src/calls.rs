//! CALL: the theorem of one mechanism as a step of another's (`proofs/CertificateCall.v`).
//!
//! The called mechanism is a module of the text, with its program, its theorem and the proof of that. A call draws from the law of what that program releases. The theorem is about
//! sets of outputs and the rule about all tests, so outputs are integers or booleans, and the module also shows that its program is countably additive ([`super::pointwise`]).

use std::collections::BTreeSet;
use std::fmt::Write;

use probity_kernel::call;
use probity_kernel::entail::Evidence;
use probity_kernel::expr::{Binary, Expr, Name, Run, Variable};
use probity_kernel::kind::Kind;
use probity_kernel::rules::Assertion;
use probity_kernel::term::{Adjacency, Called, Distribution, Mechanism, Reading, Sort, Statement};

use super::NotExported;
use super::derivation::{Proved, Walk, fresh, rejected};
use super::print::{Printer, Scope, argument};
use probity_prove::derivation::{Move, Plan, Recorded, replay};

type Printed = Result<String, NotExported>;

/// The name of the module of a called mechanism.
fn module(called: &Called) -> String {
    format!("called_{}", called.mechanism.name)
}

fn refused<T>(what: &str) -> Result<T, NotExported> {
    Err(NotExported::rule(&format!("CALL {what}")))
}

/// The calls of a body, in order.
pub(super) fn calls_of(body: &[Statement]) -> Vec<&Called> {
    let mut calls = Vec::new();
    for statement in body {
        match statement {
            Statement::Draw { law: Distribution::Called(called), .. } => calls.push(&**called),
            Statement::If { then, otherwise, .. } => {
                calls.extend(calls_of(then));
                calls.extend(calls_of(otherwise));
            }
            Statement::For { body, .. } | Statement::While { body, .. } => calls.extend(calls_of(body)),
            _ => {}
        }
    }
    calls
}

/// The proofs of the calls of a plan, in order.
fn proofs_of(moves: &[Move]) -> Vec<(&Plan, &[Evidence])> {
    let mut proofs = Vec::new();
    for step in moves {
        match step {
            Move::Call(_, plan, evidence) => proofs.push((&**plan, &evidence[..])),
            Move::If(yes, no) => {
                proofs.extend(proofs_of(yes));
                proofs.extend(proofs_of(no));
            }
            Move::For(_, inner) | Move::ForOnce(_, _, inner) => proofs.extend(proofs_of(inner)),
            _ => {}
        }
    }
    proofs
}

/// The modules of the mechanisms that a mechanism calls, each once.
pub(super) fn modules(mechanism: &Mechanism, plan: &Plan) -> Printed {
    let calls = calls_of(&mechanism.body);
    let proofs = plan.sides.first().map(|(_, moves)| proofs_of(moves)).unwrap_or_default();
    if calls.len() != proofs.len() {
        return refused("in a part of a program that is rewritten, or walked forward");
    }
    let mut out = String::new();
    let mut known: Vec<&Called> = Vec::new();
    for (called, (plan, evidence)) in calls.into_iter().zip(proofs) {
        if known.iter().any(|other| other.mechanism == called.mechanism && other.claim == called.claim) {
            continue;
        }
        if known.iter().any(|other| other.mechanism.name == called.mechanism.name) {
            return refused("of two mechanisms with one name");
        }
        known.push(called);
        let text = of_called(called, plan, evidence)?;
        let name = module(called);
        let _ = writeln!(
            out,
            "(* What is called:\n\n{} *)\nModule {name}.\n{text}End {name}.\n",
            format!("{}claims {}", called.mechanism, called.claim)
                .lines()
                .map(|line| format!("     {line}\n"))
                .collect::<String>()
        );
    }
    Ok(out)
}

/// The program of a called mechanism, its theorem and its proof; a theorem that a call can use, or a reason.
fn of_called(called: &Called, plan: &Plan, evidence: &[Evidence]) -> Printed {
    if plan.sampled.is_some() || plan.through.is_some() {
        return refused("of a claim that is converted, or about a sample");
    }
    let text = super::derived(&called.mechanism, &called.claim, plan, (evidence.to_vec(), true))?;
    let printed = |line: &&str| !line.starts_with("Print Assumptions");
    Ok(text.lines().filter(printed).map(|line| format!("{line}\n")).collect())
}

/// What a call is made of, as Coq reads it.
struct Arguments {
    /// Parameters and lengths, which are the same in both runs.
    shared: String,
    /// The parameters alone.
    params: String,
}

impl Printer<'_> {
    fn of_sort(&self, e: &Expr, sort: &Sort, scope: Scope) -> Printed {
        Ok(match sort {
            Sort::Real => argument(self.real(e, scope)?),
            Sort::Int => argument(self.int(e, scope)?),
            Sort::Bool => argument(self.formula(e, scope)?),
            Sort::RealList => self.list(e, scope)?,
            _ => return refused("with an input that is a category, a table or a list of integers"),
        })
    }

    fn arguments(&self, called: &Called) -> Result<Arguments, NotExported> {
        let mut params = String::new();
        for (param, value) in called.mechanism.params.iter().zip(&called.params) {
            if self.context.in_run(value, Run::First) != self.context.in_run(value, Run::Second) {
                return refused("with parameters that the runs compute");
            }
            let _ = write!(params, " {}", self.of_sort(value, &param.sort, Scope::Program)?);
        }
        let mut shared = params.clone();
        for (input, value) in called.mechanism.inputs.iter().zip(&called.inputs) {
            match (&input.sort, value) {
                (Sort::RealList, Expr::Var(Variable::Plain(list))) if self.is_input(list) => {
                    let _ = write!(shared, " n_{list}");
                }
                (Sort::RealList, _) => return refused("with a list that the program makes"),
                _ => {}
            }
        }
        Ok(Arguments { shared, params })
    }

    fn inputs(&self, called: &Called, value: impl Fn(&Expr) -> Expr, scope: Scope) -> Printed {
        let mut out = format!("{}.Inputs", module(called));
        for (input, e) in called.mechanism.inputs.iter().zip(&called.inputs) {
            let _ = write!(out, " {}", self.of_sort(&value(e), &input.sort, scope)?);
        }
        Ok(out)
    }

    /// The law of what a call releases.
    pub(super) fn called(&self, called: &Called) -> Printed {
        let (name, Arguments { shared, .. }) = (module(called), self.arguments(called)?);
        let inputs = self.inputs(called, Expr::clone, Scope::Program)?;
        Ok(format!("call_ ({name}.program{shared}) ({name}.output{shared}) ({inputs}) {name}.start"))
    }
}

impl Walk<'_> {
    /// The rule: the lemma that the theorem of the called mechanism is about these arguments, and the step.
    pub(super) fn call(
        &mut self,
        (statement, var, called): (&Statement, &Name, &Called),
        (cost, plan, evidence): (&Expr, &Plan, &[Evidence]),
        post: &Assertion,
        arbitrary: &BTreeSet<Variable>,
    ) -> Result<Proved, NotExported> {
        if self.concentrated() {
            return refused("in rho");
        }
        if called.claim.reading != Reading::Reals || called.claim.delta != Expr::int(0) {
            return refused("of a claim that is not one of epsilon alone");
        }
        let nothing = Expr::int(0);
        if *cost == nothing || matches!(cost, Expr::If(_, first, _) if **first == nothing) {
            return refused("at no cost, or at none where its arguments are equal");
        }
        let context = self.context.clone();
        let mut recorded = Recorded::new(evidence.to_vec());
        let theorem = replay(&called.mechanism, &called.claim, plan, &mut recorded)
            .map_err(|failure| NotExported::new(failure.to_string()))?;
        let judgement =
            call::call(&context, statement, &theorem, call::Price::Paid, post).map_err(rejected)?;
        let Expr::Binary(Binary::And, side, _) = judgement.pre().formula() else {
            return refused("without a side condition");
        };
        let (name, law) = (module(called), self.printer.called(called)?);
        let Arguments { shared, params } = self.printer.arguments(called)?;
        let run = |run| self.printer.inputs(called, |e| context.in_run(e, run), Scope::Runs);
        let (first, second) = (run(Run::First)?, run(Run::Second)?);
        let paid = self.printer.real(cost, Scope::Runs).map(argument)?;
        let formula = self.printer.formula(side, Scope::Runs)?;
        let (parts, conditions) = shown(called, side)?;
        let lemma = self.numbered();
        let _ = writeln!(
            self.lemmas,
            "Lemma {lemma} (v v' : vars) :\n  {formula} = true ->\n  \
             dp (fun s => {name}.output{shared} (fst s) (snd s)) ({name}.program{shared})\n    \
             {paid} 0 ({first}, {name}.start) ({second}, {name}.start).\nProof.\n  intros side.\n{}{parts}  \
             refine ({name}.{}_private{params} ({first}, {name}.start) ({second}, {name}.start) _ _ _).\n{conditions}Qed.\n",
            self.lengths(called),
            called.mechanism.name,
        );
        let (value, arbitrary) = fresh(var, arbitrary);
        self.number_all(&arbitrary);
        let n = self.printer.arbitrary[&value];
        let (sort, type_, outputs) = match context.kind(&Expr::Var(value)) {
            Kind::Int => ("int", "Z", "intO"),
            Kind::Bool => ("bool", "bool", "boolO"),
            _ => return refused("of a mechanism that releases no integer or boolean"),
        };
        let script = format!(
            "refine (@j_call inputs vars i1 i2 {type_} _ (fun a => {sort}_ a {n}) (fun a y => with_{sort} a {n} y) (fun a y => with_{sort}_at a {n} y)\n  \
             (fun i v => {law}) (fun v y => put_{var} v y) (fun v v' => {formula}) (fun v v' k => {paid}) (fun v v' k => k + {paid}) _ (fun _ _ _ => eq_refl)\n  \
             (fun v v' k side => @call_tests {name}.inputs {name}.vars {name}.enc {outputs} ({name}.output{shared}) ({name}.program{shared})\n    \
             ({name}.program_additive{shared}) ({name}.output_read{shared}) {paid} ({first}, {name}.start) ({second}, {name}.start) ({lemma} v v' side)));\n  \
             intros ? ? ? ? ?; reflexivity.\n"
        );
        Ok(Proved { judgement, script, arbitrary })
    }

    /// That a list has one length in both runs, in the words of both mechanisms.
    fn lengths(&self, called: &Called) -> String {
        let ours = &self.context.mechanism().inputs;
        let lists: Vec<&Name> = ours
            .iter()
            .filter(|i| matches!(i.sort, Sort::RealList | Sort::IntList))
            .map(|i| &i.name)
            .collect();
        let mut out = String::new();
        for argument in &called.inputs {
            if let Expr::Var(Variable::Plain(list)) = argument
                && let Some(number) = lists.iter().position(|name| *name == list)
            {
                let _ = write!(
                    out,
                    "  assert (long_{list} : length (in_{list} i1) = length (in_{list} i2)) by (first [exact near{number}|symmetry; exact near{number}]).\n  \
                     assert (same_{list} : len (in_{list} i2) = len (in_{list} i1)) by (unfold len; rewrite long_{list}; reflexivity).\n  \
                     rewrite ?len_{list} in side; rewrite ?len_{list}.\n"
                );
            }
        }
        out
    }
}

/// The parts of the side condition, and how the assumptions and the neighbours of the called mechanism follow from them.
fn shown(called: &Called, side: &Expr) -> Result<(String, String), NotExported> {
    let (name, mechanism) = (module(called), &called.mechanism);
    let fields: String = mechanism.inputs.iter().map(|input| format!(" {name}.in_{}", input.name)).collect();
    let same: String = called
        .inputs
        .iter()
        .filter_map(|e| match e {
            Expr::Var(Variable::Plain(list)) => Some(format!("rewrite ?same_{list}; ")),
            _ => None,
        })
        .filter(|_| mechanism.inputs.iter().any(|input| input.sort == Sort::RealList))
        .collect();
    let (rest, last) = match mechanism.params.is_empty() && mechanism.assumptions.is_empty() {
        true => ("  pose proof side as last.\n", side),
        false => match side {
            Expr::Binary(Binary::And, _, last) => {
                ("  destruct (and_true _ _ side) as [rest last]; conjuncts.\n", &**last)
            }
            _ => return refused("without a side condition"),
        },
    };
    let assumed = format!(
        "  {{ unfold {name}.assumed; cbn [fst snd{fields}]; repeat split; first [known|{same}known]. }}\n"
    );
    let mut near = String::new();
    for list in mechanism.inputs.iter().zip(&called.inputs) {
        if let (Sort::RealList, Expr::Var(Variable::Plain(list))) = (&list.0.sort, list.1) {
            let _ = write!(near, "split; [first [exact long_{list}|symmetry; exact long_{list}]|]; ");
        }
    }
    for clause in &mechanism.adjacency {
        near.push_str(match clause {
            Adjacency::EveryEntry { .. } => "split; [entries|]; ",
            Adjacency::Related(_) => "split; [known|]; ",
            _ => return refused("of a mechanism with neighbours of this kind"),
        });
    }
    let near = format!("unfold {name}.neighbours; cbn [fst snd{fields}]; {near}exact I");
    let near = match last {
        Expr::Binary(Binary::Or, ..) => {
            format!("  {{ destruct (or_true _ _ last) as [n|n]; conjuncts; [left|right]; {near}. }}\n")
        }
        _ => format!("  {{ left; conjuncts; {near}. }}\n"),
    };
    Ok((rest.into(), format!("{assumed}{assumed}{near}")))
}
