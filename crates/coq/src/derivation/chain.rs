//! CHAIN and ALIKE: what is known is carried forward, link by link (`proofs/CertificateChain.v`).
//!
//! The facts before and after every link are those of the kernel's `Chain`; each is written out. A link that is proved by itself has a derivation of its own, and one that both
//! runs do alike a step for each statement.

use std::collections::BTreeSet;
use std::fmt::Write;

use probity_kernel::chain::Chain;
use probity_kernel::expr::{Expr, Name, Run, Variable};
use probity_kernel::rules::{self, Assertion};
use probity_kernel::term::Statement;
use probity_prove::derivation::{Link, known_about, relevant};

use super::super::NotExported;
use super::super::print::Scope;
use super::super::program::collect_set;
use super::super::statement::Statements;
use super::super::up_to;
use super::{Proved, Walk, braces, rejected};

/// What the scripts of a chain are made of, for the variables of a text.
const TACTICS: &str = "\
Ltac chain_limits := repeat first [apply o_seq|apply o_if|apply o_skip|apply o_set|apply o_drawZ|apply o_draw|apply o_for|apply o_while|match goal with |- forall _, _ => intro end];
  first [solve [cbv beta in *; intuition congruence]|reduce; intuition congruence].
Ltac unmoved := intros; cbv beta in *; repeat match goal with x : vars |- _ => destruct x end; cbv beta iota delta [FIELDS] in *;
  repeat match goal with h : _ /\\ _ |- _ => destruct h end; subst; first [assumption|pick].
Ltac alike := intros; repeat match goal with x : vars |- _ => destruct x end; repeat match goal with h : _ = true |- _ => revert h end;
  reduce; intros; apart_all; alike_variables; alike_goal.
";

/// What is known at a place: the variables that are equal in both runs, and other facts.
struct Known {
    equal: BTreeSet<Name>,
    facts: Vec<Expr>,
}

impl Known {
    fn of(chain: &Chain, walk: &Walk<'_>) -> Known {
        let equal = chain.equal().iter().filter(|name| !walk.context.is_shared(name)).cloned().collect();
        Known { equal, facts: chain.facts().map(|(fact, _)| fact.clone()).collect() }
    }

    fn formula(&self) -> Expr {
        let equal = self.equal.iter().map(same);
        Expr::all(equal.chain(self.facts.iter().cloned()))
    }
}

fn same(name: &Name) -> Expr {
    Expr::of(name.clone(), Run::First).equals(Expr::of(name.clone(), Run::Second))
}

/// All names that statements set, loop indices included.
fn set_by(body: &[Statement]) -> BTreeSet<Name> {
    fn indices(body: &[Statement], names: &mut BTreeSet<Name>) {
        for statement in body {
            match statement {
                Statement::For { index, body, .. } => {
                    names.insert(index.clone());
                    indices(body, names);
                }
                Statement::While { body, .. } => indices(body, names),
                Statement::If { then, otherwise, .. } => {
                    indices(then, names);
                    indices(otherwise, names);
                }
                _ => {}
            }
        }
    }
    let mut list = Vec::new();
    collect_set(body, &mut list);
    let mut names = list.into_iter().collect();
    indices(body, &mut names);
    names
}

/// Whether a fact speaks of one of the names.
fn speaks_of(fact: &Expr, names: &BTreeSet<Name>) -> bool {
    let about =
        |v: &Variable| matches!(v, Variable::Of(name, _) | Variable::Plain(name) if names.contains(name));
    fact.find_variable(&about).is_some()
}

type Script = Result<String, NotExported>;

impl Walk<'_> {
    /// The judgement about a chain, whose statements stand before others, and its script.
    pub(super) fn chain(
        &mut self,
        body: &[Statement],
        (known, links): (&[Expr], &[Link]),
        post: &Assertion,
        arbitrary: &BTreeSet<Variable>,
    ) -> Result<Proved, NotExported> {
        if self.concentrated() {
            return Err(NotExported::rule("CHAIN in rho or mu"));
        }
        if !self.chained {
            self.chained = true;
            let fields: Vec<String> =
                Statements::new(&self.context)?.variables().map(|name| format!("v_{name}")).collect();
            self.lemmas.push_str(&TACTICS.replace("FIELDS", &fields.join(" ")));
        }
        let context = self.context.clone();
        let assertion =
            |parts: &[Expr]| Assertion::new(&context, Expr::all(parts.iter().cloned())).map_err(rejected);
        let mut chain = Chain::new(&context, &assertion(known)?).map_err(rejected)?;
        let mut steps: Vec<(usize, String, String)> = Vec::new();
        let mut rest = body;
        let mut before = self.known(&assertion(known)?.formula().clone())?;
        let first = before.clone();
        for link in links {
            let (now, later) = rest.split_at(link.size().min(rest.len()));
            rest = later;
            match link {
                Link::Judged(moves, after) => {
                    let after = assertion(after)?;
                    let inner = self.block(now, moves, &after, &BTreeSet::new())?;
                    if !up_to::exact(&inner.judgement) {
                        return Err(NotExported::rule("UP-TO-BAD in a chain"));
                    }
                    let needed = relevant(&chain, &inner.judgement);
                    self.number_all(&inner.arbitrary);
                    let (lemma, evidence) = self.entail(&[&needed], inner.judgement.pre().formula())?;
                    let judgement =
                        rules::strengthen(&needed, &inner.judgement, &evidence).map_err(rejected)?;
                    let set = set_by(now);
                    let facts = Known::of(&chain, self);
                    let left = Known {
                        equal: facts.equal.difference(&set).cloned().collect(),
                        facts: facts.facts.into_iter().filter(|fact| !speaks_of(fact, &set)).collect(),
                    };
                    let stays = left.formula_without_cost();
                    chain = chain.judged(&judgement).map_err(rejected)?;
                    let next = self.known(&Known::of(&chain, self).formula())?;
                    let script = format!(
                        "refine (@j_judged inputs vars i1 i2 (fun v t => {kept}True) _ {before} {} {} (fun v v' => {}) {next} _ _ _ _ _).\n\
                         {{ chain_limits. }}\n{{ intros v v' t t' one two h; unmoved. }}\n{{ pick. }}\n{{ pick. }}\n\
                         eapply (@j_strengthen inputs vars i1 i2 _ _ (fun _ v v' k => {}) _ _); cycle 1.\n{}",
                        self.known(&needed)?,
                        self.known(after.formula())?,
                        self.printer.formula(&stays, Scope::Runs)?,
                        self.printer.formula(&needed, Scope::Runs)?,
                        braces(
                            &inner.script,
                            &format!(
                                "intros a v v' k before; pose proof (before arb0) as k0; bridge ({lemma} a v v' k k0).\n"
                            )
                        ),
                        kept = self.kept(&set)?,
                    );
                    steps.push((now.len(), next.clone(), script));
                    before = next;
                }
                Link::Alike(_) => {
                    let set = set_by(now);
                    let facts: Vec<Expr> = Known::of(&chain, self)
                        .facts
                        .into_iter()
                        .filter(|fact| !speaks_of(fact, &set))
                        .collect();
                    let mut equal = Known::of(&chain, self).equal;
                    for statement in now {
                        let (after, script) = self.alike(statement, &equal, &facts, &before)?;
                        let next =
                            self.known(&Known { equal: after.clone(), facts: facts.clone() }.formula())?;
                        steps.push((1, next.clone(), script));
                        before = next;
                        equal = after;
                    }
                    chain = chain.alike(now).map_err(rejected)?;
                }
                Link::Select(..) => return Err(NotExported::rule("SELECT")),
            }
        }
        let end = known_about(&chain, &BTreeSet::new(), post.formula());
        let whole = chain.end(&assertion(std::slice::from_ref(&end))?).map_err(rejected)?;
        self.number_all(arbitrary);
        let (lemma, evidence) = self.entail(&[whole.post().formula()], post.formula())?;
        let judgement = rules::weaken(&whole, post, &evidence).map_err(rejected)?;
        let last = self.known(&end)?;
        let mut script = String::new();
        let mut here = first;
        for (size, next, proof) in steps {
            // A link that is proved by itself is a block, also of one statement.
            let block =
                if proof.contains("@j_judged") { blocks(size) } else { "@j_seq inputs vars i1 i2 _".into() };
            let _ = write!(
                script,
                "refine ({block} _ (fun _ => {here}) (fun _ => {next}) (fun _ => {last}) _ _); cbv beta iota delta [then_].\n{{\n{proof}}}\n"
            );
            here = next;
        }
        let _ = writeln!(script, "refine (@j_imply inputs vars i1 i2 {here} {last} _); pick.");
        let script = format!(
            "cbv beta iota delta [then_]; eapply (@j_weaken inputs vars i1 i2 _ _ _ (fun _ => {last})); cycle 1.\n{}",
            braces(
                &script,
                &format!(
                    "intros a v v' k before; pose proof (before arb0) as k0; cbv beta in k0; bridge ({lemma} a v v' k k0).\n"
                )
            )
        );
        Ok(Proved { judgement, script, arbitrary: BTreeSet::new() })
    }

    /// A formula of a chain as a function of the states and the cost.
    fn known(&self, formula: &Expr) -> Script {
        Ok(format!("(fun v v' k => {})", self.printer.formula(formula, Scope::Runs)?))
    }

    /// What statements that set these names leave as it is.
    fn kept(&self, set: &BTreeSet<Name>) -> Script {
        let statements = Statements::new(&self.context)?;
        let left = statements.variables().filter(|name| !set.contains(name));
        Ok(left.map(|name| format!("v_{name} v = v_{name} t /\\ ")).collect())
    }

    /// The variables that are equal after a statement, and the script that shows it; other facts stay.
    fn alike(
        &self,
        statement: &Statement,
        equal: &BTreeSet<Name>,
        facts: &[Expr],
        before: &str,
    ) -> Result<(BTreeSet<Name>, String), NotExported> {
        let start = Known { equal: equal.clone(), facts: Vec::new() }.formula();
        let start = Assertion::new(&self.context, start).map_err(rejected)?;
        let chain = Chain::new(&self.context, &start).map_err(rejected)?;
        let chain = chain.alike(std::slice::from_ref(statement)).map_err(rejected)?;
        let after = Known::of(&chain, self).equal;
        let whole = |equal: &BTreeSet<Name>| {
            self.known(&Known { equal: equal.clone(), facts: facts.to_vec() }.formula())
        };
        let (here, next) = (whole(equal)?, whole(&after)?);
        let script = match statement {
            Statement::Assign { .. } | Statement::Append { .. } => {
                format!("refine (@j_alike_set inputs vars i1 i2 _ {before} {next} _); alike.\n")
            }
            Statement::If { guard, then, otherwise } if self.reads_equal(guard, equal) => format!(
                "refine (@j_between inputs vars i1 i2 _ {before} {here} {next} {next} _ _ _); [pick|pick|].\n\
                 refine (@j_alike_if inputs vars i1 i2 _ _ _ {here} {next} _ _ _); [alike| |].\n{}",
                braces(
                    &self.alike_block(then, equal, facts, &next)?,
                    &self.alike_block(otherwise, equal, facts, &next)?
                )
            ),
            Statement::If { .. } => {
                let set = set_by(std::slice::from_ref(statement));
                format!(
                    "refine (@j_alike_each inputs vars i1 i2 (fun v t => {}True) _ {before} {next} eq_refl _ _).\n\
                     {{ chain_limits. }}\n{{ intros v v' t t' k one two h; unmoved. }}\n",
                    self.kept(&set)?
                )
            }
            Statement::For { index, body, .. } => format!(
                "refine (@j_between inputs vars i1 i2 _ {before} {next} {next} {next} _ _ _); [pick|pick|].\n\
                 refine (@j_alike_for inputs vars i1 i2 _ _ _ {next} _); intros x_{index}; cbv beta.\n{}",
                self.alike_block(body, &after, facts, &next)?
            ),
            Statement::While { .. } | Statement::Draw { .. } => {
                return Err(NotExported::rule("ALIKE for a draw or a while"));
            }
        };
        Ok((after, script))
    }

    /// The statements of a block, one by one, up to what must be known at its end.
    fn alike_block(&self, body: &[Statement], equal: &BTreeSet<Name>, facts: &[Expr], end: &str) -> Script {
        let whole = |equal: &BTreeSet<Name>| {
            self.known(&Known { equal: equal.clone(), facts: facts.to_vec() }.formula())
        };
        let mut out = String::new();
        let mut equal = equal.clone();
        for statement in body {
            let here = whole(&equal)?;
            let (after, script) = self.alike(statement, &equal, facts, &here)?;
            let next = whole(&after)?;
            let _ = write!(
                out,
                "refine (@j_seq inputs vars i1 i2 _ _ (fun _ => {here}) (fun _ => {next}) (fun _ => {end}) _ _).\n{{\n{script}}}\n"
            );
            equal = after;
        }
        let _ = writeln!(out, "refine (@j_imply inputs vars i1 i2 {} {end} _); pick.", whole(&equal)?);
        Ok(out)
    }

    /// Whether an expression of the program reads nothing but what is equal in both runs.
    fn reads_equal(&self, e: &Expr, equal: &BTreeSet<Name>) -> bool {
        let differs = |v: &Variable| match v {
            Variable::Of(name, _) => !equal.contains(name),
            Variable::Plain(_) | Variable::Field(..) => false,
            _ => true,
        };
        self.context.in_run(e, Run::First).find_variable(&differs).is_none()
    }
}

impl Known {
    /// What is known besides the cost.
    fn formula_without_cost(&self) -> Expr {
        let facts = self.facts.iter().filter(|fact| !fact.mentions(&Variable::Cost)).cloned();
        Expr::all(self.equal.iter().map(same).chain(facts))
    }
}

/// The rule that puts so many statements in front of others.
pub(super) fn blocks(size: usize) -> String {
    let list = (0..size).fold("nil".to_string(), |list, _| format!("(cons _ {list})"));
    format!("@j_blocks inputs vars i1 i2 {list}")
}
