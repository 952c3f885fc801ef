//! The statement: the mechanism as a program, its assumptions, its neighbours, and the theorem.

mod assumed;

use std::fmt::Write;

use probity_kernel::context::{Context, Orientation, swap_runs};
use probity_kernel::expr::{Expr, Name, Run, Variable};
use probity_kernel::kind::Kind;
use probity_kernel::term::{Adjacency, Claim, Mechanism, Reading, Sort, Statement};

use super::NotExported;
use super::calls::calls_of;
use super::print::{Printer, Scope, argument, row, sort_type};
use super::program::{MASSES, collect_set, entries};
use assumed::{Assumed, part};

type Printed = Result<String, NotExported>;

/// What a text opens with: what it is about, and what it needs; `normal` if the proof is in μ.
pub(super) fn opening(mechanism: &Mechanism, claim: &Claim, normal: bool) -> String {
    let mut out = String::from(
        "(* Written by `probity check --coq`; checked by coqc with the development in proofs/.\n\n",
    );
    for line in format!("{mechanism}claims {claim}").lines() {
        let _ = writeln!(out, "     {line}");
    }
    let calls = if calls_of(&mechanism.body).is_empty() { "" } else { " CertificateCall" };
    // Chosen.v changes a tactic of Formulas.v, and whoever imports Formulas.v later has it as it was: so it comes last.
    let _ = write!(
        out,
        "\n   Read: inputs, vars, program, output, assumed, neighbours, and the theorem at the end; in proofs/, what\n   \
         README.md names. The rest is proof. *)\n\
         From Coq Require Import Reals ZArith Bool List Permutation Lra.\n\
         From Flocq Require Import Core.\n\
         From Probity Require Import Certificate Blocks Pairs CertificateRho Norms Draws UpTo Branches Rewrites Fractions Memory Outcomes PermuteFlip Values CertificateChain CertificateTails CertificateDraws{calls}.\n\
         From Probity Require Import Chosen.\n",
    );
    // It makes claims in mu opaque, which others need not be.
    if normal {
        out.push_str("From Probity Require Import CertificateMu.\n");
    }
    out.push_str(
        "Delimit Scope Z_scope with Z.\nDelimit Scope R_scope with R.\nOpen Scope bool_scope.\nOpen Scope R_scope.\n\n",
    );
    out
}

pub(super) struct Statements<'a> {
    pub(super) printer: Printer<'a>,
    /// The program's variables, with their types.
    pub(super) variables: Vec<(Name, String)>,
    /// What the names of the program and its output end with: nothing, or `_proved` where the claim is about another program.
    pub(super) suffix: &'static str,
}

impl<'a> Statements<'a> {
    pub(super) fn new(context: &'a Context) -> Result<Statements<'a>, NotExported> {
        let printer = Printer::new(context);
        let mut set = Vec::new();
        collect_set(&context.mechanism().body, &mut set);
        let mut variables = Vec::new();
        for name in set {
            let kind = context.kinds().names().find(|(n, _)| **n == name).map(|(_, kind)| kind);
            let sort = match kind {
                Some(Kind::Real) => "R".into(),
                Some(Kind::Int) => "Z".into(),
                Some(Kind::Bool) => "bool".into(),
                Some(Kind::List) => format!("list {}", entries(context, &name)?),
                _ => return Err(NotExported::new(format!("the variable {name}"))),
            };
            variables.push((name, sort));
        }
        Ok(Statements { printer, variables, suffix: "" })
    }

    /// The same with variables that another program sets.
    pub(super) fn with(mut self, more: &[(Name, String)]) -> Statements<'a> {
        for (name, sort) in more {
            if !self.variables.iter().any(|(own, _)| own == name) {
                self.variables.push((name.clone(), sort.clone()));
            }
        }
        self.variables.sort();
        self
    }

    pub(super) fn mechanism(&self) -> &Mechanism {
        self.printer.context.mechanism()
    }

    fn lists(&self) -> impl Iterator<Item = &Name> {
        let is_list = |sort: &Sort| matches!(sort, Sort::RealList | Sort::IntList);
        self.mechanism().inputs.iter().filter(move |input| is_list(&input.sort)).map(|input| &input.name)
    }

    pub(super) fn param_binders(&self) -> String {
        let binder = |(name, sort): (&Name, &Sort)| format!("(p_{name} : {}) ", sort_type(sort, name));
        self.mechanism().params.iter().map(|p| binder((&p.name, &p.sort))).collect()
    }

    pub(super) fn params(&self) -> String {
        self.mechanism().params.iter().map(|p| format!(" p_{}", p.name)).collect()
    }

    pub(super) fn length_binders(&self) -> String {
        self.lists().map(|list| format!("(n_{list} : Z) ")).collect()
    }

    pub(super) fn lengths(&self) -> String {
        self.lists().map(|list| format!(" n_{list}")).collect()
    }

    /// The mechanism, up to the proof.
    pub(super) fn setting(&self) -> Printed {
        let mechanism = self.mechanism();
        let mut out = String::new();
        for input in &mechanism.inputs {
            if let Sort::Rows(fields) = &input.sort {
                let table = &input.name;
                let fields: Vec<String> = fields
                    .iter()
                    .map(|f| format!("f_{table}_{} : {}", f.name, sort_type(&f.sort, table)))
                    .collect();
                let _ = writeln!(out, "Record row_{table} := Row_{table} {{ {} }}.", fields.join("; "));
            }
        }
        let inputs: Vec<String> = mechanism
            .inputs
            .iter()
            .map(|input| format!("in_{} : {}", input.name, sort_type(&input.sort, &input.name)))
            .collect();
        let _ = writeln!(out, "Record inputs := Inputs {{ {} }}.", inputs.join("; "));
        let variables: Vec<String> =
            self.variables.iter().map(|(name, sort)| format!("v_{name} : {sort}")).collect();
        let _ = writeln!(out, "Record vars := Vars {{ {} }}.", variables.join("; "));
        for (name, sort) in &self.variables {
            let values: String = self
                .variables
                .iter()
                .map(|(other, _)| if other == name { " x".to_string() } else { format!(" (v_{other} v)") })
                .collect();
            let _ = writeln!(out, "Definition put_{name} (v : vars) (x : {sort}) := Vars{values}.");
        }
        let delta: String = self.variables.iter().map(|(name, _)| format!(" v_{name} put_{name}")).collect();
        let delta = if delta.is_empty() { String::new() } else { format!(" delta [{}]", delta.trim()) };
        let _ = writeln!(
            out,
            "Ltac reduce := cbv beta iota zeta{delta}.\nLtac sum := first [sums|cbv beta; repeat match goal with |- context [exp ?a] =>\n  replace (exp a) with 1 by (symmetry; transitivity (exp 0); [f_equal; first [reflexivity|field; nonzero]|apply exp_0]) end; merge exp; sums].\nLtac finish h := cbv beta in h; push_in h.\n\
             Ltac bridge e := let h := fresh in pose proof e as h; reduce; first [exact h | lists; push; exact h].\n{MASSES}"
        );
        let params = self.param_binders();
        out.push_str(&self.definitions(&self.block(&mechanism.body, 1)?)?);
        let assumed: Vec<String> =
            self.assumed().iter().map(|a| self.assumed_text(a)).collect::<Result<_, _>>()?;
        let _ = writeln!(
            out,
            "Definition assumed {params}(i : inputs) : Prop :=\n  {}True.\n",
            assumed.iter().map(|a| format!("{a} /\\\n  ")).collect::<String>()
        );
        let near: Vec<String> = self.near("i", "i'", true)?.into_iter().map(|(_, text)| text).collect();
        let _ = writeln!(
            out,
            "Definition neighbours {params}(i i' : inputs) : Prop :=\n  {}True.\n",
            near.iter().map(|a| format!("{a} /\\\n  ")).collect::<String>()
        );
        Ok(out)
    }

    /// The program, and what it releases.
    pub(super) fn definitions(&self, program: &str) -> Printed {
        let (params, lengths, suffix) = (self.param_binders(), self.length_binders(), self.suffix);
        Ok(format!(
            "Definition program{suffix} {params}{lengths}: stmt RR (inputs * vars) :=\n{program}.\n\n\
             Definition output{suffix} {params}{lengths}(i : inputs) (v : vars) : {} :=\n  {}.\n\n",
            self.output_type()?,
            self.value(&self.mechanism().output)?
        ))
    }

    /// What makes two inputs neighbours, in order; with the ghosts quantified, or as they are. Each with the ghosts' binders.
    fn near(&self, i: &str, other: &str, quantified: bool) -> Result<Vec<(String, String)>, NotExported> {
        let mut parts = Vec::new();
        for list in self.lists() {
            parts.push((String::new(), format!("length (in_{list} {i}) = length (in_{list} {other})")));
        }
        for clause in &self.mechanism().adjacency {
            let entries = |list: &Name| {
                let growth = match self.is_whole(list) {
                    true => format!("(IZR (entryZ (in_{list} {other}) j) - IZR (entryZ (in_{list} {i}) j))"),
                    false => format!("(entry (in_{list} {other}) j - entry (in_{list} {i}) j)"),
                };
                (format!("forall j, (0 <= j < len (in_{list} {i}))%Z ->"), growth)
            };
            let bound = |bound: &Expr| self.printer.real(bound, Scope::Neighbours).map(argument);
            let (ghosts, text) = match clause {
                Adjacency::Related(assertion) => {
                    let formula = match (i, quantified) {
                        ("i", true) => self.printer.formula(assertion, Scope::Neighbours)?,
                        ("i1", _) => self.printer.formula(assertion, Scope::Runs)?,
                        _ => self.printer.formula(&swap_runs(assertion), Scope::Runs)?,
                    };
                    (String::new(), format!("{formula} = true"))
                }
                Adjacency::EveryEntry { list, bound: b } => {
                    let (range, growth) = entries(list);
                    (String::new(), format!("({range} leR (Rabs {growth}) {} = true)", bound(b)?))
                }
                Adjacency::EveryEntryGrows { list, bound: b } => {
                    let (range, growth) = entries(list);
                    (String::new(), format!("({range} leR 0 {growth} && leR {growth} {} = true)", bound(b)?))
                }
                Adjacency::OneEntry { list, bound: b } => {
                    let (range, growth) = entries(list);
                    let entry = if self.is_whole(list) { "entryZ" } else { "entry" };
                    let same = format!("{entry} (in_{list} {other}) j = {entry} (in_{list} {i}) j");
                    (
                        format!("changed_{list} : Z"),
                        format!(
                            "({range} (j <> changed_{list} -> {same}) /\\ leR (Rabs {growth}) {} = true)",
                            bound(b)?
                        ),
                    )
                }
                Adjacency::Norm { list, bound: b, squares } => {
                    if self.is_whole(list) {
                        return Err(NotExported::new("a norm of a list of integers"));
                    }
                    let all = format!(
                        "(moved {squares} (in_{list} {i}) (in_{list} {other}) (len (in_{list} {i})))"
                    );
                    let b = bound(b)?;
                    let text = match squares {
                        true => format!("leR 0 {b} && leR {all} ({b} * {b}) = true"),
                        false => format!("leR {all} {b} = true"),
                    };
                    (String::new(), text)
                }
                Adjacency::OneEntryOf { .. } => {
                    return Err(NotExported::new("neighbours in several lists at once"));
                }
                Adjacency::OneRow { table } => {
                    let ghost = if i == "i2" { row(table, Run::First) } else { row(table, Run::Second) };
                    (
                        format!("{ghost} : row_{table}"),
                        format!("Permutation (in_{table} {other}) ({ghost} :: in_{table} {i})"),
                    )
                }
                Adjacency::RowReplaced { table } => {
                    let (first, second) = (row(table, Run::First), row(table, Run::Second));
                    (
                        format!("others_{table} : list row_{table}) ({first} {second} : row_{table}"),
                        format!(
                            "(Permutation (in_{table} {i}) ({first} :: others_{table}) /\\ \
                             Permutation (in_{table} {other}) ({second} :: others_{table}))"
                        ),
                    )
                }
                Adjacency::Rows { .. } => return Err(NotExported::rule("GROUP")),
            };
            let text = match quantified && !ghosts.is_empty() {
                true => format!("(exists ({ghosts}), {text})"),
                false => text,
            };
            parts.push((ghosts, text));
        }
        Ok(parts)
    }

    /// The hypotheses of a section about one orientation, and the kernel's facts with the names of their lemmas.
    pub(super) fn hypotheses(&self, prefix: &str) -> Result<(String, Vec<(String, Expr)>), NotExported> {
        let context = self.printer.context;
        let forward = context.orientation() == Orientation::Forward;
        let (i, other) = if forward { ("i1", "i2") } else { ("i2", "i1") };
        let (binders, params) = (self.param_binders(), self.params());
        let mut out = format!("Variables {binders}(i1 i2 : inputs).\n");
        for run in ["1", "2"] {
            let _ = writeln!(out, "Hypothesis as{run} : assumed{params} i{run}.");
        }
        for list in self.lists() {
            let _ = writeln!(
                out,
                "Variable n_{list} : Z.\nHypothesis len_{list} : n_{list} = len (in_{list} i1)."
            );
        }
        let near = self.near(i, other, false)?;
        for (number, (ghosts, text)) in near.iter().enumerate() {
            if !ghosts.is_empty() {
                let _ = writeln!(out, "Variables ({ghosts}).");
            }
            let _ = writeln!(out, "Hypothesis near{number} : {text}.");
        }
        let at = self.lists().count();
        for (number, clause) in self.mechanism().adjacency.iter().enumerate() {
            let near = format!("near{}", at + number);
            match clause {
                Adjacency::EveryEntry { list, .. }
                | Adjacency::EveryEntryGrows { list, .. }
                | Adjacency::OneEntry { list, .. } => {
                    let theorem = match clause {
                        Adjacency::EveryEntry { .. } => "every_entry",
                        Adjacency::EveryEntryGrows { .. } => "every_entry_grows",
                        _ => "one_entry",
                    };
                    let kind = if self.is_whole(list) { "Z" } else { "" };
                    let changed = match clause {
                        Adjacency::OneEntry { .. } => " changed_".to_string() + list.as_str(),
                        _ => String::new(),
                    };
                    if self.clauses_of(list) > 1 {
                        return Err(NotExported::new(format!("two clauses about {list}")));
                    }
                    let same = self.lists().position(|l| l == list).unwrap_or_default();
                    let _ = writeln!(
                        out,
                        "Let adj_{list} := @{theorem}{kind} (in_{list} {i}) (in_{list} {other}) _ near{same}{changed} {near}."
                    );
                }
                Adjacency::Norm { list, squares, .. } => {
                    if self.clauses_of(list) > 1 || !forward {
                        return Err(NotExported::new(format!("a norm of {list} in both orientations")));
                    }
                    let theorem = if *squares { "moved_l2" } else { "moved_l1" };
                    let same = self.lists().position(|l| l == list).unwrap_or_default();
                    let _ = writeln!(
                        out,
                        "Let moved_{list} := @{theorem} (in_{list} {i}) (in_{list} {other}) _ near{same} {near}."
                    );
                }
                Adjacency::OneRow { table } | Adjacency::RowReplaced { table } => {
                    let forward_only = matches!(clause, Adjacency::RowReplaced { .. }) && !forward;
                    if forward_only {
                        return Err(NotExported::new("a replaced row in both orientations"));
                    }
                    let _ = writeln!(out, "Let rows_{table} := {near}.");
                }
                _ => {}
            }
        }
        out.push_str(&self.bounds()?);
        let mut facts = Vec::new();
        for (formula, proof) in self.facts(&near)? {
            let name = format!("{prefix}c{}", facts.len());
            let text = self.printer.formula(&formula, Scope::Runs)?;
            let _ = writeln!(out, "Lemma {name} : {text} = true. Proof. {proof}. Qed.");
            facts.push((name, formula));
        }
        let same = facts.iter().map(|(_, formula)| formula).eq(context.facts());
        if !same {
            return Err(NotExported::new("facts of the context in another order"));
        }
        Ok((out, facts))
    }

    /// Whether an input is a list of integers.
    fn is_whole(&self, list: &Name) -> bool {
        self.mechanism().inputs.iter().any(|input| input.name == *list && input.sort == Sort::IntList)
    }

    fn clauses_of(&self, list: &Name) -> usize {
        let about = |clause: &&Adjacency| match clause {
            Adjacency::EveryEntry { list: l, .. }
            | Adjacency::EveryEntryGrows { list: l, .. }
            | Adjacency::Norm { list: l, .. }
            | Adjacency::OneEntry { list: l, .. } => l == list,
            _ => false,
        };
        self.mechanism().adjacency.iter().filter(about).count()
    }

    /// The facts of the context, in the kernel's order, with a proof of each from the hypotheses.
    fn facts(&self, near: &[(String, String)]) -> Result<Vec<(Expr, String)>, NotExported> {
        let (context, mechanism) = (self.printer.context, self.mechanism());
        let assumed = self.assumed();
        let mut facts = Vec::new();
        for (n, Assumed { formula, table, list }) in assumed.iter().enumerate() {
            if table.is_some() || list.is_some() || n >= mechanism.assumptions.len() {
                continue;
            }
            let (first, second) = (context.in_run(formula, Run::First), context.in_run(formula, Run::Second));
            if first != second {
                facts.push((second, format!("exact {}", part("2", n))));
            }
            let lengths: String = self
                .lists()
                .filter(|list| formula.mentions(&Variable::Plain((*list).clone())))
                .map(|list| format!("rewrite ?len_{list}; "))
                .collect();
            facts.push((first, format!("{lengths}exact {}", part("1", n))));
        }
        for input in &mechanism.inputs {
            match &input.sort {
                Sort::Category { .. } => {
                    let wanted = |a: &Assumed| {
                        a.table.is_none() && a.formula.mentions(&Variable::Plain(input.name.clone()))
                    };
                    let tail = &assumed[mechanism.assumptions.len()..];
                    let n = tail.iter().position(wanted).unwrap_or_default() + mechanism.assumptions.len();
                    for (run, number) in [(Run::First, "1"), (Run::Second, "2")] {
                        facts.push((
                            context.in_run(&assumed[n].formula, run),
                            format!("exact {}", part(number, n)),
                        ));
                    }
                }
                Sort::RealList | Sort::IntList => facts.push((
                    Expr::int(0).le(Expr::Length(Variable::Plain(input.name.clone()))),
                    format!("rewrite len_{}; apply len_nonnegative", input.name),
                )),
                _ => {}
            }
        }
        for clause in &mechanism.adjacency {
            let (table, runs): (&Name, Vec<Run>) = match (clause, context.orientation()) {
                (Adjacency::OneRow { table }, Orientation::Forward) => (table, vec![Run::Second]),
                (Adjacency::OneRow { table }, Orientation::Backward) => (table, vec![Run::First]),
                (Adjacency::RowReplaced { table }, _) => (table, vec![Run::First, Run::Second]),
                _ => continue,
            };
            for run in runs {
                let of_table = |a: &(usize, &Assumed)| a.1.table.as_ref() == Some(table);
                // The ranges of categories come first.
                let (mut own, ranges): (Vec<_>, Vec<_>) = assumed
                    .iter()
                    .enumerate()
                    .filter(of_table)
                    .partition(|(n, _)| *n < mechanism.assumptions.len());
                let mut order = ranges;
                order.append(&mut own);
                for (n, Assumed { formula, .. }) in order {
                    let at_row = formula.replace(&|v| match v {
                        Variable::Field(of, field) if of == table => {
                            Some(Expr::Var(Variable::Row(table.clone(), run, field.clone())))
                        }
                        _ => None,
                    });
                    let (number, rows) = match (run, clause) {
                        (Run::First, Adjacency::OneRow { .. }) => ("1", format!("rows_{table}")),
                        (Run::Second, Adjacency::OneRow { .. }) => ("2", format!("rows_{table}")),
                        (Run::First, _) => ("1", format!("(proj1 rows_{table})")),
                        (Run::Second, _) => ("2", format!("(proj2 rows_{table})")),
                    };
                    facts.push((at_row, format!("exact ({} _ (in_first _ _ _ {rows}))", part(number, n))));
                }
            }
        }
        let at = near.len() - mechanism.adjacency.len();
        for (number, clause) in mechanism.adjacency.iter().enumerate() {
            if let Adjacency::Related(assertion) = clause {
                let formula = match context.orientation() {
                    Orientation::Forward => assertion.clone(),
                    Orientation::Backward => swap_runs(assertion),
                };
                facts.push((formula, format!("exact near{}", at + number)));
            }
        }
        Ok(facts)
    }

    /// That a parameter is positive.
    pub(super) fn positive(&self, name: &Name) -> Printed {
        let value = self.printer.real(&Expr::var(name.clone()), Scope::Runs)?;
        Ok(format!(
            "Let pos_{name} : 0 < {value}. Proof. pose proof as1 as h; unfold assumed in h; clear - h; positive. Qed."
        ))
    }

    /// The names of the program's variables.
    pub(super) fn variables(&self) -> impl Iterator<Item = &Name> {
        self.variables.iter().map(|(name, _)| name)
    }

    /// A block as a program.
    pub(super) fn program_of(&self, body: &[Statement]) -> Printed {
        self.block(body, 1)
    }

    /// Values of the variables before a called program begins; none of them is read before it is set.
    pub(super) fn start(&self) -> String {
        let first = |(_, sort): &(Name, String)| match sort.as_str() {
            "R" => " 0",
            "Z" => " 0%Z",
            "bool" => " true",
            _ => " nil",
        };
        let values: String = self.variables.iter().map(first).collect();
        format!("Definition start : vars := Vars{values}.\n\n")
    }

    pub(super) fn output_function(&self) -> String {
        format!("(fun i v => output{}{}{} i v)", self.suffix, self.params(), self.lengths())
    }

    /// That the mechanism is private for two states.
    pub(super) fn conclusion(&self, claim: &Claim, m: &str, other: &str) -> Printed {
        let real = |e: &Expr| self.printer.real(e, Scope::Runs).map(argument);
        let (params, lengths, suffix) = (self.params(), self.lengths(), self.suffix);
        if let Reading::Rho | Reading::Mu = claim.reading {
            let property = if claim.reading == Reading::Mu { "gdp" } else { "zcdp" };
            return Ok(format!(
                "{property} (fun s : inputs * vars => output{suffix}{params}{lengths} (fst s) (snd s)) (program{suffix}{params}{lengths})\n    {} {m} {other}",
                real(&claim.epsilon)?
            ));
        }
        Ok(format!(
            "dp (fun s : inputs * vars => output{suffix}{params}{lengths} (fst s) (snd s)) (program{suffix}{params}{lengths})\n    {} {} {m} {other}",
            real(&claim.epsilon)?,
            real(&claim.delta)?
        ))
    }

    /// The theorem, from those about each orientation.
    pub(super) fn theorem(&self, claim: &Claim, sides: &[Orientation]) -> Printed {
        let (name, params) = (&self.mechanism().name, self.params());
        let near = self.near("i", "i'", true)?;
        let mut out = String::new();
        let symmetric = !sides.contains(&Orientation::Backward);
        if symmetric {
            let _ = write!(
                out,
                "Lemma neighbours_symmetric {}i i' : neighbours{params} i i' -> neighbours{params} i' i.\nProof.\n  intros near; unfold neighbours in *.\n",
                self.param_binders()
            );
            let names: Vec<String> = (0..near.len()).map(|n| format!("n{n}")).collect();
            let pattern = names.iter().rev().fold("_".to_string(), |rest, n| format!("[{n} {rest}]"));
            if near.is_empty() {
                out.push_str("  exact I.\nQed.\n\n");
            } else {
                let _ = writeln!(out, "  destruct near as {pattern}.");
                let at = self.lists().count();
                for n in 0..near.len() {
                    let proof = if n < at {
                        format!("symmetry; exact n{n}")
                    } else {
                        self.mirrored(&self.mechanism().adjacency[n - at], n)
                    };
                    let _ = writeln!(out, "  split; [{proof}|].");
                }
                out.push_str("  exact I.\nQed.\n\n");
            }
        }
        let theorem = if self.suffix.is_empty() { "Theorem" } else { "Lemma" };
        let _ = writeln!(
            out,
            "{theorem} {name}_private{} {}.",
            self.suffix,
            self.claimed(&self.conclusion(claim, "m", "m'")?)
        );
        out.push_str(
            "Proof.\n  destruct m as [i1 w1]; destruct m' as [i2 w2]; cbn [fst snd]; intros as1 as2 near.\n",
        );
        if symmetric {
            let _ = writeln!(
                out,
                "  assert (neighbours{params} i1 i2) as there by (destruct near; [assumption|now apply neighbours_symmetric]).\n  \
                 unfold neighbours in there; split_all; eapply forward; first [eassumption|reflexivity|split; eassumption]."
            );
        } else {
            out.push_str(
                "  destruct near as [near|near]; unfold neighbours in near; split_all;\n    \
                 [eapply forward|eapply backward]; first [eassumption|reflexivity|split; eassumption].\n",
            );
        }
        out.push_str("Qed.\n");
        if self.suffix.is_empty() {
            let _ = writeln!(out, "Print Assumptions {name}_private.");
        }
        Ok(out)
    }

    /// A conclusion about all neighbours m and m'.
    fn claimed(&self, conclusion: &str) -> String {
        let params = self.params();
        let lengths: String =
            self.lists().map(|list| format!("    let n_{list} := len (in_{list} (fst m)) in\n")).collect();
        format!(
            "{}(m m' : inputs * vars) :\n  assumed{params} (fst m) -> assumed{params} (fst m') ->\n  \
             neighbours{params} (fst m) (fst m') \\/ neighbours{params} (fst m') (fst m) ->\n{lengths}  {conclusion}",
            self.param_binders()
        )
    }

    /// The theorem about Borel sets of outputs, from the same about a program with the same law.
    pub(super) fn borel_theorem(&self, claim: &Claim) -> Printed {
        let name = &self.mechanism().name;
        let conclusion = self.conclusion(claim, "m", "m'")?.replacen("dp ", "dp_borel ", 1);
        Ok(format!(
            "Theorem {name}_private {}.\nProof.\n  intros; cbv zeta; intros E mE; rewrite !same_law by exact mE.\n  \
             apply {name}_private_proved; assumption.\nQed.\nPrint Assumptions {name}_private.\n",
            self.claimed(&conclusion)
        ))
    }

    /// The theorem, from the same about a program with the same law; positive parameters are what that rests on.
    pub(super) fn law_theorem(&self, claim: &Claim) -> Printed {
        let name = &self.mechanism().name;
        let conclusion = self.conclusion(claim, "m", "m'")?;
        Ok(format!(
            "Theorem {name}_private {}.\nProof.\n  intros as1 as2 near; cbv zeta; intros E.\n  \
             rewrite !same_law by (unfold assumed in as1; positive).\n  \
             apply {name}_private_proved; assumption.\nQed.\nPrint Assumptions {name}_private.\n",
            self.claimed(&conclusion)
        ))
    }

    fn mirrored(&self, clause: &Adjacency, n: usize) -> String {
        let same = |list: &Name| self.lists().position(|l| l == list).unwrap_or_default();
        match clause {
            Adjacency::EveryEntry { list, .. } => {
                format!(
                    "intros j h; rewrite Rabs_minus_sym; apply n{n}; unfold len in *; rewrite n{}; exact h",
                    same(list)
                )
            }
            Adjacency::OneEntry { list, .. } => format!(
                "destruct n{n} as [c n{n}]; exists c; intros j h; assert (0 <= j < len (in_{list} i))%Z as g \
                 by (unfold len in *; rewrite n{}; exact h); destruct (n{n} j g) as [e near]; \
                 split; [intros ne; symmetry; exact (e ne)|rewrite Rabs_minus_sym; exact near]",
                same(list)
            ),
            Adjacency::Norm { list, .. } => {
                format!("rewrite moved_swap; unfold len in *; rewrite <- n{}; exact n{n}", same(list))
            }
            Adjacency::RowReplaced { .. } => {
                format!("destruct n{n} as [u [r [r' [h h']]]]; exists u, r', r; split; assumption")
            }
            // What is equal is so in either order, also in a part of a conjunction.
            _ => format!(
                "let rec turn h := first [mirror h | apply eqRP; symmetry; apply eqRP; exact h | apply eqb_true_iff; symmetry; apply eqb_true_iff; exact h |\n    \
                 let a := fresh in let b := fresh in destruct (and_true _ _ h) as [a b]; apply andb_true_iff; split; [turn a|turn b]] in turn n{n}"
            ),
        }
    }
}
