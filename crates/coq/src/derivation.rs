//! A plan as a Coq derivation: the rule of `proofs/Certificate.v` for each statement, and a lemma for each side condition.
//!
//! The walk is that of `probity_prove::derivation`, backwards, with the kernel's rules: they say what each side condition is. Coq computes the preconditions
//! itself, from the same rules; that both come to the same formula is what `bridge` checks.

mod chain;
mod masses;
mod once;
mod one_sided;
mod rounds;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use probity_kernel::concentrated::Measure;
use probity_kernel::context::Context;
use probity_kernel::entail::Evidence;
use probity_kernel::expr::{Expr, Name, Run, Variable};
use probity_kernel::finite;
use probity_kernel::kind::Kind;
use probity_kernel::law;
use probity_kernel::rejection::Rejection;
use probity_kernel::rules::{self, Assertion, Judgement};
use probity_kernel::sampling;
use probity_kernel::term::{Coupling, Distribution, Statement};

use super::NotExported;
use super::evidence::script;
use super::print::{Printer, Scope};
use super::program::collect_set;
use super::statement::Statements;
use super::up_to::{self, Tail};
use probity_prove::derivation::Move;

/// A judgement with the script that proves it in Coq.
pub(super) struct Proved {
    pub(super) judgement: Judgement,
    pub(super) script: String,
    pub(super) arbitrary: BTreeSet<Variable>,
}

pub(super) struct Walk<'a> {
    pub(super) context: Arc<Context>,
    pub(super) printer: Printer<'a>,
    evidence: &'a mut std::vec::IntoIter<Evidence>,
    /// What the names of lemmas begin with.
    prefix: &'static str,
    /// The hypotheses of the section, by name.
    facts: Vec<(String, Expr)>,
    /// Whether the claim is in μ, which rests on normal draws only.
    pub(super) normal: bool,
    /// Loop indices in scope.
    pub(super) indices: Vec<Name>,
    /// The lemmas so far.
    pub(super) lemmas: String,
    number: usize,
    /// Whether the tactics for chains are written.
    chained: bool,
}

pub(super) fn rejected(rejection: Rejection) -> NotExported {
    NotExported::new(rejection.to_string())
}

fn indent(text: &str) -> String {
    text.lines().fold(String::new(), |mut all, line| {
        let _ = writeln!(all, "  {line}");
        all
    })
}

/// A goal that is left for later, a goal that is proved first: `{ … }` for each.
pub(super) fn braces(first: &str, second: &str) -> String {
    format!("{{\n{}}}\n{{\n{}}}\n", indent(first), indent(second))
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        context: &'a Arc<Context>,
        evidence: &'a mut std::vec::IntoIter<Evidence>,
        prefix: &'static str,
        facts: Vec<(String, Expr)>,
    ) -> Walk<'a> {
        let printer = Printer::new(context);
        let context = context.clone();
        Walk {
            context,
            printer,
            evidence,
            prefix,
            facts,
            normal: false,
            indices: vec![],
            lemmas: String::new(),
            number: 0,
            chained: false,
        }
    }

    pub(super) fn concentrated(&self) -> bool {
        self.context.measure() == Measure::Concentrated
    }

    /// The name of a rule in `proofs/Certificate.v`, or of its kin in `proofs/CertificateRho.v`.
    fn rule(&self, name: &str) -> String {
        format!("{}j_{name}", if self.concentrated() { "z" } else { "" })
    }

    /// The same with all its arguments to be given, but for the measure, which the rules for ρ and μ have in front.
    fn explicit(&self, name: &str) -> String {
        format!("@{}{}", self.rule(name), if self.concentrated() { " _" } else { "" })
    }

    /// A lemma: the hypotheses entail the goal. Its name, applied to what it is about.
    pub(super) fn entail(
        &mut self,
        hypotheses: &[&Expr],
        goal: &Expr,
    ) -> Result<(String, Evidence), NotExported> {
        let evidence = self.evidence.next().ok_or_else(|| NotExported::new("evidence is missing"))?;
        let name = self.lemma(hypotheses, goal, &evidence)?;
        Ok((name, evidence))
    }

    /// The same with evidence that is at hand.
    pub(super) fn lemma(
        &mut self,
        hypotheses: &[&Expr],
        goal: &Expr,
        evidence: &Evidence,
    ) -> Result<String, NotExported> {
        let mut all = self.facts.clone();
        let mut statement = String::new();
        let mut names = Vec::new();
        for (number, hypothesis) in hypotheses.iter().enumerate() {
            let name = format!("k{number}");
            let _ = writeln!(statement, "  {} = true ->", self.printer.formula(hypothesis, Scope::Runs)?);
            all.push((name.clone(), (*hypothesis).clone()));
            names.push(name);
        }
        let _ = write!(statement, "  {} = true", self.printer.formula(goal, Scope::Runs)?);
        let proof = script(&self.printer, &all, goal, evidence)?;
        let name = self.numbered();
        let indices: String = self.indices.iter().map(|i| format!("(x_{i} : Z) ")).collect();
        let _ = writeln!(
            self.lemmas,
            "Lemma {name} {indices}(a : arb) (v v' : vars) (k : R) :\n{statement}.\nProof.\n  intros {}.\n{proof}Qed.\n",
            names.join(" ")
        );
        let indices: String = self.indices.iter().map(|i| format!(" x_{i}")).collect();
        Ok(format!("{name}{indices}"))
    }

    /// A name for the next lemma.
    pub(super) fn numbered(&mut self) -> String {
        self.number += 1;
        format!("{}{}", self.prefix, self.number - 1)
    }

    pub(super) fn positive(&self) -> impl Iterator<Item = &Name> {
        let positive = |name: &&Name| self.context.is_positive(name);
        self.context.mechanism().params.iter().map(|p| &p.name).filter(positive)
    }

    /// Walks a block backwards from what must hold after it.
    pub(super) fn block(
        &mut self,
        body: &[Statement],
        moves: &[Move],
        post: &Assertion,
        arbitrary: &BTreeSet<Variable>,
    ) -> Result<Proved, NotExported> {
        let Some((step, later)) = moves.split_first() else {
            let judgement = rules::skip(&self.context, post);
            let script = format!("apply {}.\n", self.rule("skip"));
            return Ok(Proved { judgement, script, arbitrary: arbitrary.clone() });
        };
        let (here, after) = body
            .split_at_checked(step.size())
            .ok_or_else(|| NotExported::new("a plan that does not fit the program"))?;
        let rest = self.block(after, later, post, arbitrary)?;
        if let Move::Assert(formula) = step {
            return self.assert(formula, rest);
        }
        let middle = rest.judgement.pre().clone();
        let first = self.statement(here, step, &middle, &rest.arbitrary)?;
        let judgement = rules::seq(&first.judgement, &rest.judgement).map_err(rejected)?;
        let together = match step {
            Move::SameValue(..) | Move::Draw(Coupling::SameValue { .. }) => match step.size() {
                size @ 1..=2 => format!("j_block{size}"),
                // The laws of longer blocks are written by their outcomes.
                _ => return Err(NotExported::new("MAXDIV for a block of more than two statements")),
            },
            Move::Chain(..) => format!("({})", chain::blocks(step.size())),
            _ => self.rule("seq"),
        };
        let rule = up_to::sequence(&first.judgement, &rest.judgement, &together)?;
        let script = format!("{rule}{}", braces(&rest.script, &first.script));
        Ok(Proved { judgement, script, arbitrary: first.arbitrary })
    }

    fn assert(&mut self, formula: &Expr, rest: Proved) -> Result<Proved, NotExported> {
        self.number_all(&rest.arbitrary);
        let (lemma, evidence) = self.entail(&[formula], rest.judgement.pre().formula())?;
        let printed = self.printer.formula(formula, Scope::Runs)?;
        let judgement = rules::strengthen(formula, &rest.judgement, &evidence).map_err(rejected)?;
        let script = format!(
            "apply (@{} _ _ _ _ _ _ (fun _ v v' k => {printed}) _ _); cycle 1.\n{}",
            // One more argument: the measure, or what is given up.
            self.rule("strengthen"),
            braces(
                &rest.script,
                &format!(
                    "intros a v v' k before; pose proof (before arb0) as k0; bridge ({lemma} a v v' k k0).\n"
                )
            )
        );
        Ok(Proved { judgement, script, arbitrary: BTreeSet::new() })
    }

    pub(super) fn number_all(&mut self, arbitrary: &BTreeSet<Variable>) {
        for variable in arbitrary {
            let next = self.printer.arbitrary.len();
            self.printer.arbitrary.entry(variable.clone()).or_insert(next);
        }
    }

    fn statement(
        &mut self,
        body: &[Statement],
        step: &Move,
        post: &Assertion,
        arbitrary: &BTreeSet<Variable>,
    ) -> Result<Proved, NotExported> {
        let context = self.context.clone();
        let head = body.first().ok_or_else(|| NotExported::new("a plan that does not fit the program"))?;
        let plain = |judgement: Result<Judgement, Rejection>| -> Result<Proved, NotExported> {
            let judgement = judgement.map_err(rejected)?;
            Ok(Proved {
                judgement,
                script: format!("refine ({} inputs vars i1 i2 _ _).\n", self.explicit("set")),
                arbitrary: arbitrary.clone(),
            })
        };
        match (step, head) {
            (Move::Plain, Statement::Append { .. }) => plain(rules::append(&context, head, post)),
            (Move::Plain, _) => plain(rules::assign(&context, head, post)),
            (Move::Draw(Coupling::SameValue { ratio: (a, b) }), Statement::Draw { var, .. }) => {
                self.same_value(body, var, (a, b), post, arbitrary)
            }
            (Move::Draw(coupling), Statement::Draw { var, law }) => {
                self.draw(head, (var, law), coupling, post, arbitrary)
            }
            (Move::If(yes, no), Statement::If { guard, then, otherwise }) => {
                let then = self.block(then, yes, post, arbitrary)?;
                let otherwise = self.block(otherwise, no, post, arbitrary)?;
                let judgement =
                    rules::cond(guard, &then.judgement, &otherwise.judgement).map_err(rejected)?;
                if !up_to::exact(&judgement) {
                    return Err(NotExported::rule("UP-TO-BAD in a branch"));
                }
                let public = context.in_run(guard, Run::First) == context.in_run(guard, Run::Second);
                let same = then.judgement.pre().formula() == otherwise.judgement.pre().formula();
                let (rule, guards) = match (same, public) {
                    (false, false) => ("if", ""),
                    (false, true) => ("if_public", "; [reflexivity| |]"),
                    (true, false) => ("if_same", ""),
                    (true, true) => ("if_same_public", "; [reflexivity| |]"),
                };
                let rule = self.rule(rule);
                let script = format!("eapply {rule}{guards}.\n{}", braces(&then.script, &otherwise.script));
                let arbitrary = then.arbitrary.union(&otherwise.arbitrary).cloned().collect();
                Ok(Proved { judgement, script, arbitrary })
            }
            (Move::For(invariant, moves), Statement::For { index, from, to, body }) => {
                self.for_loop((index, from, to, body), invariant, moves, post, arbitrary)
            }
            (Move::OneSided, _) => self.one_sided(head, post, arbitrary),
            (Move::ForOnce(invariant, rounds, moves), Statement::For { index, from, to, body }) => {
                self.for_loop_once((index, from, to, body), (invariant, rounds), moves, post, arbitrary)
            }
            (Move::UpTo(coupling, tail), _) => {
                self.up_to(head, (coupling, tail), Tail::Both, post, arbitrary)
            }
            (Move::Below(coupling, tail), _) => {
                self.up_to(head, (coupling, tail), Tail::Upper, post, arbitrary)
            }
            (Move::Under(coupling, tail), _) => {
                self.up_to(head, (coupling, tail), Tail::Open, post, arbitrary)
            }
            (Move::Joint(by, cost), _) => self.signed_log(body, (by, cost), post, arbitrary),
            (Move::SameValue(var, _, (a, b)), _) => self.same_value(body, var, (a, b), post, arbitrary),
            (Move::While(invariant, moves), Statement::While { label, guard, body }) => {
                self.while_loop((label, guard, body), invariant, moves, post, arbitrary)
            }
            (Move::Cases(..), _) => Err(NotExported::rule("CASES")),
            (Move::Redraw(..), _) => Err(NotExported::rule("REDRAW")),
            (Move::Split(..), _) => Err(NotExported::rule("SPLIT")),
            (Move::Tail(part, coupling, at), _) => self.part(head, (*part, coupling, at), post, arbitrary),
            (
                Move::Call(cost, plan, evidence),
                Statement::Draw { var, law: Distribution::Called(called) },
            ) => self.call((head, var, called), (cost, plan, evidence), post, arbitrary),
            (Move::Chain(known, links), _) => self.chain(body, (known, links), post, arbitrary),
            _ => Err(NotExported::new("a plan that does not fit the program")),
        }
    }

    fn for_loop(
        &mut self,
        (index, from, to, body): (&Name, &Expr, &Expr, &[Statement]),
        invariant: &Expr,
        moves: &[Move],
        post: &Assertion,
        arbitrary: &BTreeSet<Variable>,
    ) -> Result<Proved, NotExported> {
        let context = self.context.clone();
        let at = |value: &Expr| {
            invariant.replace(&|v| (*v == Variable::Plain(index.clone())).then(|| value.clone()))
        };
        let i = Expr::var(index.clone());
        let next = Assertion::new(&context, at(&(i.clone() + Expr::int(1)))).map_err(rejected)?;
        self.indices.push(index.clone());
        let inner = self.block(body, moves, &next, &BTreeSet::new())?;
        if !up_to::exact(&inner.judgement) {
            return Err(NotExported::rule("UP-TO-BAD in every round of a loop"));
        }
        let (low, high) = (context.in_run(from, Run::First), context.in_run(to, Run::First));
        let range = low.clone().le(i.clone()).and(i.lt(high.clone()));
        self.number_all(&inner.arbitrary);
        let (kept, evidence) = self.entail(&[invariant, &range], inner.judgement.pre().formula())?;
        let printed = self.printer.formula(invariant, Scope::Runs)?;
        let x = format!("x_{index}");
        self.indices.pop();
        let whole =
            rules::for_loop(index, (from, to), invariant, &inner.judgement, &evidence).map_err(rejected)?;
        self.number_all(arbitrary);
        let (ends, evidence) = self.entail(&[whole.post().formula()], post.formula())?;
        let judgement = rules::weaken(&whole, post, &evidence).map_err(rejected)?;
        let script = format!(
            "eapply {}; cycle 1.\n{}",
            self.rule("weaken"),
            braces(
                &format!(
                    "eapply ({} _ _ _ _ _ _ _ _ (fun {x} v v' k => {printed})).\n{}",
                    self.explicit("for"),
                    braces(
                        &format!("intros {x}; cbv beta.\n{}", inner.script),
                        &format!(
                            "intros {x} a v v' k k0 k1; cbv beta in k0; first [bridge ({kept} a v v' k k0 k1)|push_in k1; bridge ({kept} a v v' k k0 k1)].\n"
                        )
                    )
                ),
                &format!(
                    "intros a v v' k before; pose proof (before arb0) as k0; finish k0; bridge ({ends} a v v' k k0).\n"
                )
            )
        );
        Ok(Proved { judgement, script, arbitrary: BTreeSet::new() })
    }

    fn draw(
        &mut self,
        statement: &Statement,
        (var, law): (&Name, &Distribution),
        coupling: &Coupling,
        post: &Assertion,
        arbitrary: &BTreeSet<Variable>,
    ) -> Result<Proved, NotExported> {
        let judgement = sampling::sample(&self.context, statement, coupling, post).map_err(rejected)?;
        let (value, arbitrary) = fresh(var, arbitrary);
        self.number_all(&arbitrary);
        let n = self.printer.arbitrary[&value];
        let program = |e: &Expr| self.printer.real(e, Scope::Program);
        let real = |e: &Expr| -> Result<String, NotExported> {
            Ok(format!("(fun v v' k => {})", self.printer.real(e, Scope::Runs)?))
        };
        let charged = |cost: &Expr| -> Result<(String, &str), NotExported> {
            Ok(match *cost == Expr::int(0) {
                true => ("(fun _ _ k => k)".into(), "(fun _ _ k => eq_sym (Rplus_0_r k))"),
                false => {
                    let cost = self.printer.real(cost, Scope::Runs)?;
                    (format!("(fun v v' k => k + {cost})"), "(fun _ _ _ => eq_refl)")
                }
            })
        };
        let set = format!("(fun v y => put_{var} v y)");
        let rule = match (law, coupling) {
            (Distribution::Laplace { center, scale }, Coupling::Shift { by, cost }) => {
                let (after, proof) = charged(cost)?;
                format!(
                    "@j_laplace inputs vars i1 i2 {n} _ (fun i v => {}) (fun i v => {}) {set} {} {} {after} _ {proof}",
                    program(center)?,
                    program(scale)?,
                    real(by)?,
                    real(cost)?
                )
            }
            (
                Distribution::Laplace { center, scale },
                Coupling::Select { threshold, strict, above, below },
            ) => {
                let (after, proof) = charged(&above.1)?;
                let (after0, proof0) = charged(&below.1)?;
                format!(
                    "@j_select inputs vars i1 i2 {n} _ {strict} (fun i v => {}) (fun i v => {}) {set} {} {} {} {after} {} {} {after0} _ {proof} {proof0}",
                    program(center)?,
                    program(scale)?,
                    real(threshold)?,
                    real(&above.0)?,
                    real(&above.1)?,
                    real(&below.0)?,
                    real(&below.1)?
                )
            }
            (
                Distribution::DiscreteLaplace { center, scale },
                Coupling::Select { threshold, strict, above, below },
            ) => {
                let (after, proof) = charged(&above.1)?;
                let (after0, proof0) = charged(&below.1)?;
                let whole = |e: &Expr| -> Result<String, NotExported> {
                    Ok(format!("(fun v v' k => {})", self.printer.int(e, Scope::Runs)?))
                };
                format!(
                    "@j_selectZ inputs vars i1 i2 {n} _ {strict} (fun i v => {}) (fun i v => {}) {set} {} {} {} {after} {} {} {after0} _ {proof} {proof0}",
                    self.printer.int(center, Scope::Program)?,
                    program(scale)?,
                    real(threshold)?,
                    whole(&above.0)?,
                    real(&above.1)?,
                    whole(&below.0)?,
                    real(&below.1)?
                )
            }
            (Distribution::DiscreteLaplace { center, scale }, Coupling::Shift { by, cost }) => {
                let (after, proof) = charged(cost)?;
                format!(
                    "@j_discrete_laplace inputs vars i1 i2 {n} _ (fun i v => {}) (fun i v => {}) {set} (fun v v' k => {}) {} {after} _ {proof}",
                    self.printer.int(center, Scope::Program)?,
                    program(scale)?,
                    self.printer.int(by, Scope::Runs)?,
                    real(cost)?
                )
            }
            (
                Distribution::Gaussian { center, deviation: scale } | Distribution::Laplace { center, scale },
                Coupling::Equal { distance, cost },
            ) => {
                let (after, proof) = charged(cost)?;
                format!(
                    "@{} inputs vars i1 i2 {n} _ (fun i v => {}) (fun i v => {}) {set} {} {} {after} _ {proof}",
                    match law {
                        Distribution::Laplace { .. } => "zj_laplace",
                        _ if self.normal => "mj_gaussian",
                        _ => "zj_gaussian",
                    },
                    program(center)?,
                    program(scale)?,
                    real(distance)?,
                    real(cost)?
                )
            }
            (
                Distribution::DiscreteGaussian { center, deviation: scale }
                | Distribution::DiscreteLaplace { center, scale },
                Coupling::Equal { distance, cost },
            ) => {
                let (after, proof) = charged(cost)?;
                format!(
                    "@{} inputs vars i1 i2 {n} _ (fun i v => {}) (fun i v => {}) {set} {} {} {after} _ {proof}",
                    match law {
                        Distribution::DiscreteLaplace { .. } => "zj_discrete_laplace",
                        _ => "zj_discrete_gaussian",
                    },
                    self.printer.int(center, Scope::Program)?,
                    program(scale)?,
                    real(distance)?,
                    real(cost)?
                )
            }
            (
                Distribution::Choose { scores: scores @ Expr::Var(Variable::Plain(list)), scale }
                | Distribution::PermuteAndFlip { scores: scores @ Expr::Var(Variable::Plain(list)), scale },
                Coupling::Chosen { low, high, cost },
            ) => {
                let rule = match law {
                    Distribution::Choose { .. } => self.rule("choose"),
                    _ => "j_permute_flip".into(),
                };
                let (after, proof) = charged(cost)?;
                let counted = match self.context.mechanism().inputs.iter().any(|input| input.name == *list) {
                    true => format!("(fun _ => len_{list})"),
                    false => "(fun _ => eq_refl)".into(),
                };
                format!(
                    "@{rule} inputs vars i1 i2 {n} _ (fun i v => {}) (fun v => {}) (fun i v => {}) {set} {} {} {} {after} {counted} _ {proof}",
                    self.printer.list(scores, Scope::Program)?,
                    self.printer.int(&Expr::Length(Variable::Plain(list.clone())), Scope::Program)?,
                    program(scale)?,
                    real(low)?,
                    real(high)?,
                    real(cost)?
                )
            }
            // Laws that draw any number; where the support says more, the rule does too.
            (
                Distribution::Laplace { .. }
                | Distribution::DiscreteLaplace { .. }
                | Distribution::Gaussian { .. }
                | Distribution::DiscreteGaussian { .. },
                Coupling::Null,
            ) => {
                let run = |e: &Expr, run| self.context.in_run(e, run);
                let equal = |p: &Expr| run(p, Run::First).equals(run(p, Run::Second));
                let conditions = law::conditions(law);
                let same = law::parameters(law).into_iter().map(equal);
                let same = Expr::all(same.chain(conditions.iter().map(|e| run(e, Run::First))));
                format!(
                    "{} inputs vars i1 i2 {n} _ (fun i v => {}) {set} (fun v v' => {}) _ _",
                    self.explicit(if law::kind(law) == Kind::Int { "nullZ" } else { "null" }),
                    Statements::new(&self.context)?.law(law)?,
                    self.printer.formula(&same, Scope::Runs)?
                )
            }
            (Distribution::Bernoulli(p), Coupling::Null) if !self.concentrated() => {
                let run = |e: &Expr, run| self.context.in_run(e, run);
                let same = run(p, Run::First).equals(run(p, Run::Second));
                let in_range = law::conditions(law);
                let same = Expr::all([same].into_iter().chain(in_range.iter().map(|e| run(e, Run::First))));
                format!(
                    "@j_null_bool inputs vars i1 i2 {n} _ (fun i v => {}) {set} (fun v v' => {}) _ _",
                    Statements::new(&self.context)?.law(law)?,
                    self.printer.formula(&same, Scope::Runs)?
                )
            }
            (_, Coupling::Null) => return Err(NotExported::rule("AXNULL")),
            (Distribution::Exponential { scale }, Coupling::Shift { by, cost }) => {
                let (after, proof) = charged(cost)?;
                format!(
                    "@j_exponential inputs vars i1 i2 {n} _ (fun i v => {}) {set} {} {} {after} _ {proof}",
                    program(scale)?,
                    real(by)?,
                    real(cost)?
                )
            }
            (Distribution::Geometric { scale }, Coupling::Shift { by, cost }) => {
                let (after, proof) = charged(cost)?;
                format!(
                    "@j_geometric inputs vars i1 i2 {n} _ (fun i v => {}) {set} (fun v v' k => {}) {} {after} _ {proof}",
                    program(scale)?,
                    self.printer.int(by, Scope::Runs)?,
                    real(cost)?
                )
            }
            (_, Coupling::Scale { .. }) => return Err(NotExported::rule("AXUNIF")),
            _ => return Err(NotExported::new(format!("the coupling of '{law}'"))),
        };
        let rest = match coupling {
            Coupling::Null => "[intros ? ? ? ? ?; reflexivity|same_laws]",
            _ => "intros ? ? ? ? ?; reflexivity",
        };
        Ok(Proved { judgement, script: format!("refine ({rule});\n  {rest}.\n"), arbitrary })
    }

    /// SIGNED-LOG: both draws at once, which is what the proved program has ([`super::pairs`]).
    fn signed_log(
        &mut self,
        block: &[Statement],
        (by, cost): (&Expr, &Expr),
        post: &Assertion,
        arbitrary: &BTreeSet<Variable>,
    ) -> Result<Proved, NotExported> {
        let [uniform @ Statement::Draw { var: u, .. }, sign @ Statement::Draw { var: s, .. }] = block else {
            return Err(NotExported::new("a plan that does not fit the program"));
        };
        let context = self.context.clone();
        let judgement =
            sampling::signed_log(&context, (uniform, sign), (by, cost), post).map_err(rejected)?;
        let mut all = arbitrary.clone();
        let mut numbers = String::new();
        for name in [u, s, u, s] {
            let (value, more) = fresh(name, &all);
            all = more;
            self.number_all(&all);
            let _ = write!(numbers, " {}", self.printer.arbitrary[&value]);
        }
        let real = |e: &Expr| self.printer.real(e, Scope::Runs);
        let (after, charged) = match *cost == Expr::int(0) {
            true => ("k".into(), "eq_sym (Rplus_0_r k)"),
            false => (format!("k + {}", real(cost)?), "eq_refl"),
        };
        let script = format!(
            "refine (@j_signed_log inputs vars i1 i2{numbers} _ (fun v y => put_{u} v y) (fun v y => put_{s} v y) (fun v v' k => {}) (fun v v' k => {})\n  \
             (fun v v' k => {after}) eq_refl eq_refl _ (fun _ _ k => {charged}));\n  intros ? ? ? ? ? ? ? ?; reflexivity.\n",
            real(by)?,
            real(cost)?
        );
        Ok(Proved { judgement, script, arbitrary: all })
    }

    /// MAXDIV: the masses of both runs as the kernel writes them, which Coq computes again from the block.
    fn same_value(
        &mut self,
        block: &[Statement],
        var: &Name,
        (a, b): (&Expr, &Expr),
        post: &Assertion,
        arbitrary: &BTreeSet<Variable>,
    ) -> Result<Proved, NotExported> {
        let context = self.context.clone();
        let judgement = finite::same_value(&context, block, var, (a, b), post).map_err(rejected)?;
        let (value, arbitrary) = fresh(var, arbitrary);
        self.number_all(&arbitrary);
        let n = self.printer.arbitrary[&value];
        let x = Expr::Var(value.clone());
        let first = finite::mass(&context, block, var, &x, Run::First).map_err(rejected)?;
        let second = finite::mass(&context, block, var, &x, Run::Second).map_err(rejected)?;
        let same = first.denominator == second.denominator;
        let times = |a: &Expr, b: &Expr| match (*a == Expr::int(1), *b == Expr::int(1)) {
            (true, _) => b.clone(),
            (_, true) => a.clone(),
            _ => a.clone() * b.clone(),
        };
        let (here, there) = match same {
            true => (first.numerator.clone(), second.numerator.clone()),
            false => {
                (times(&first.numerator, &second.denominator), times(&second.numerator, &first.denominator))
            }
        };
        let (sort, reader, choice) = match context.kind(&x) {
            Kind::Int => ("int", "Z", "intY"),
            Kind::Bool => ("bool", "bool", "boolY"),
            _ => return Err(NotExported::new("MAXDIV for a value that is no integer or boolean")),
        };
        let statements = Statements::new(&context)?;
        let mut set = Vec::new();
        collect_set(block, &mut set);
        let kept: String = statements
            .variables()
            .filter(|name| !set.contains(name))
            .map(|name| format!("v_{name} v = v_{name} t /\\ "))
            .collect();
        let names: Vec<String> = statements.variables().map(|name| format!("v_{name}")).collect();
        let program = statements.program_of(block)?;
        let cost = self.printer.real(&(a.clone() / b.clone()).ln(), Scope::Runs)?;
        let (a, b) = (self.printer.real(a, Scope::Runs)?, self.printer.real(b, Scope::Runs)?);
        self.printer.bound = Some(value);
        let printed = |e: &Expr| self.printer.real(e, Scope::Runs);
        let fractions = format!(
            "(fun v => {})\n  (fun v' => {})\n  (fun v x => {})\n  (fun v x => {})\n  (fun v' x => {})\n  (fun v' x => {})\n  (fun v v' x => {})\n  (fun v v' x => {})",
            self.printer.formula(&first.sane, Scope::Runs)?,
            self.printer.formula(&second.sane, Scope::Runs)?,
            printed(&first.numerator)?,
            printed(&first.denominator)?,
            printed(&second.numerator)?,
            printed(&second.denominator)?,
            printed(&here)?,
            printed(&there)?,
        );
        let common = match same {
            true => format!("({})", printed(&first.denominator)?),
            false => format!("({} * {})", printed(&first.denominator)?, printed(&second.denominator)?),
        };
        self.printer.bound = None;
        let script = format!(
            "refine (@j_same_value inputs vars i1 i2 {choice} (fun v => v_{var} v) (fun v x => put_{var} v x) (fun v t => {kept}True)\n  \
             (fun a => {sort}_ a {n}) (fun a (x : {reader}) => with_{sort} a {n} x) (fun a x => with_{sort}_at a {n} x)\n{program}\n  _ \
             (fun v v' k => {a}) (fun v v' k => {b}) (fun v v' k => k + {cost})\n  {fractions} _ _ _ _ _ _ _ _).\n\
             {{\n{finite}}}\n{{ limits. }}\n{{ intros ? ? ? ? ?; reflexivity. }}\n\
             {{ intros a v v' k t t' one two e; cbv beta in one, two, e; destruct v, v', t, t'; cbn [{fields}] in one, two, e; \
             decompose [and] one; decompose [and] two; subst; reflexivity. }}\n\
             {{\n{masses}}}\n{{\n{masses}}}\n\
             {{ intros v v' x pos pos'; cbv beta in *; exists {common}; \
             split; [first [exact pos|apply Rmult_lt_0_compat; assumption]|split; field; repeat split; lra]. }}\n\
             {{ intros; unfold inv, Rdiv; reflexivity. }}\n",
            fields = names.join(" "),
            finite = masses::finite(block)?,
            masses = masses::masses(block, (var, context.kind(&x)))?,
        );
        Ok(Proved { judgement, script, arbitrary })
    }
}

/// The arbitrary value that the kernel chooses for a draw, and all with it.
pub(super) fn fresh(var: &Name, arbitrary: &BTreeSet<Variable>) -> (Variable, BTreeSet<Variable>) {
    let mut number = 0;
    while arbitrary.contains(&Variable::Arbitrary(var.clone(), number)) {
        number += 1;
    }
    let value = Variable::Arbitrary(var.clone(), number);
    let mut all = arbitrary.clone();
    all.insert(value.clone());
    (value, all)
}
