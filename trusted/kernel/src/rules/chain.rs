//! Long programs: what is known is carried forward, step by step, instead of being substituted backward.
//!
//! A weakest precondition grows with every statement before it. CHAIN keeps a set of facts instead, each of which stays
//! known until a statement sets what it speaks of, so a step costs what it is about and not what is around it. ALIKE
//! follows which variables are equal in both runs: what is made of equal values is equal, on whatever path.
//! `docs/logic.md` section 3 proves both.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::concentrated::check_pure;
use crate::context::Context;
use crate::expr::{Binary, Expr, Name, Run, Variable};
use crate::rejection::Rejection;
use crate::rules::{
    Assertion, Judgement, both_deltas, both_works, check_knows_no_draw, collect_changed, one_sided,
    same_context, skip, step, wrong,
};
use crate::term::{Distribution, Statement};

/// ```text
/// F₀ = Φ    Φⱼ ⊆ Fⱼ₋₁    ⊢ cⱼ : Φⱼ ⇒ Ψⱼ    Fⱼ = Ψⱼ and what of Fⱼ₋₁ speaks neither of what cⱼ sets nor of the cost    Ψ ⊆ Fₙ
/// ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────── CHAIN
/// ⊢ c₁; …; cₙ : Φ ⇒ Ψ
/// ```
/// Conjunctions are sets of facts. A link that is proved by ALIKE leaves the cost alone. A chain is made link by link:
/// ```
/// # use probity_kernel::context::{Context, Orientation};
/// # use probity_kernel::expr::{Expr, Run};
/// # use probity_kernel::rules::Assertion;
/// # use probity_kernel::term::{Mechanism, Statement};
/// # use std::sync::Arc;
/// use probity_kernel::chain::Chain;
/// let copy = [Statement::Assign { var: "y".into(), value: Expr::int(2) }];
/// # let mechanism = Mechanism {
/// #     name: "m".into(), inputs: vec![], params: vec![], assumptions: vec![], body: copy.to_vec(),
/// #     output: Expr::var("y"), adjacency: vec![],
/// # };
/// # let context = Arc::new(Context::new(&mechanism, Orientation::Forward).unwrap());
/// let same = Expr::of("y", Run::First).equals(Expr::of("y", Run::Second));
/// let chain = Chain::new(&context, &Assertion::new(&context, Expr::Bool(true)).unwrap()).unwrap();
/// assert!(chain.alike(&copy).unwrap().end(&Assertion::new(&context, same).unwrap()).is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct Chain {
    /// ⊢ c₁; …; cⱼ : Φ ⇒ Fⱼ, but that its end is not written down before the last link.
    whole: Judgement,
    known: Known,
}

impl Chain {
    /// No link: what is known before the first.
    pub fn new(context: &Arc<Context>, pre: &Assertion) -> Result<Chain, Rejection> {
        let mut known =
            Known { context: context.clone(), equal: BTreeSet::new(), facts: BTreeMap::new(), work: 0 };
        known.learn(&pre.formula)?;
        Ok(Chain { whole: skip(context, pre), known })
    }

    /// The variables that are equal in both runs.
    pub fn equal(&self) -> &BTreeSet<Name> {
        &self.known.equal
    }

    /// What else is known, each fact with the variables and loop indices that it mentions.
    pub fn facts(&self) -> impl Iterator<Item = (&Expr, &BTreeSet<Name>)> {
        self.known.facts.iter().map(|(fact, about)| (fact, &about.names))
    }

    /// With a link of statements that both runs do alike, on equal values: ALIKE. A chain that meets a refusal is gone,
    /// so that nothing half done is ever part of one.
    pub fn alike(mut self, program: &[Statement]) -> Result<Chain, Rejection> {
        self.known.alike(program)?;
        let set = changed(program);
        self.known.facts.retain(|_, about| !about.speaks_of(&set));
        self.known.work = both_works(self.known.work, self.known.facts.len())?;
        self.whole.program.extend_from_slice(program);
        Ok(self)
    }

    /// With a link that is proved by itself: its precondition is a conjunction of known facts.
    pub fn judged(mut self, link: &Judgement) -> Result<Chain, Rejection> {
        same_context(&self.whole, link)?;
        self.known.check(&link.pre.formula)?;
        self.known.forget(&changed(&link.program));
        self.known.learn(&link.post.formula)?;
        let whole = &mut self.whole;
        whole.program.extend_from_slice(&link.program);
        whole.delta = both_deltas(whole, link);
        whole.axioms.extend(&link.axioms);
        whole.work = both_works(whole.work, link.work)?;
        Ok(self)
    }

    /// The judgement about all links.
    pub fn end(mut self, post: &Assertion) -> Result<Judgement, Rejection> {
        self.known.check(&post.formula)?;
        let work = both_works(self.whole.work, self.known.work)?;
        Ok(Judgement { post: post.clone(), work, ..self.whole })
    }
}

/// The facts that hold before a link.
#[derive(Clone, Debug)]
struct Known {
    context: Arc<Context>,
    /// The variables that are equal in both runs: each stands for the fact `v == v'`.
    equal: BTreeSet<Name>,
    /// The other facts.
    facts: BTreeMap<Expr, About>,
    work: usize,
}

impl Known {
    /// Adds the parts of a formula. Nothing is known of an arbitrary value outside its quantifier.
    fn learn(&mut self, formula: &Expr) -> Result<(), Rejection> {
        check_knows_no_draw(formula)?;
        for part in conjuncts(formula) {
            match equality(part) {
                Some(name) => {
                    self.equal.insert(name.clone());
                }
                None => {
                    self.facts.insert(part.clone(), About::of(part));
                }
            }
        }
        Ok(())
    }

    /// Every part of a formula is known.
    fn check(&mut self, formula: &Expr) -> Result<(), Rejection> {
        for part in conjuncts(formula) {
            self.work = both_works(self.work, 1)?;
            let known = match equality(part) {
                Some(name) => self.equal.contains(name),
                None => *part == Expr::Bool(true) || self.facts.contains_key(part),
            };
            if !known {
                return Err(Rejection::NotKnown { fact: part.to_string() });
            }
        }
        Ok(())
    }

    /// Drops what speaks of variables that were set, or of the cost.
    fn forget(&mut self, set: &BTreeSet<Name>) {
        self.work = self.work.saturating_add(self.facts.len());
        set.iter().for_each(|name| {
            self.equal.remove(name);
        });
        self.facts.retain(|_, about| !about.speaks_of(set) && !about.cost);
    }

    /// ALIKE: follows the variables that are equal in both runs through statements that draw nothing with a cost.
    /// ```text
    /// x = e          x is equal after if all that e reads is          both runs take one branch if all that its guard reads
    /// append e to l  l stays equal if all that e reads is             is equal; after it is equal what is after each branch
    /// ```
    /// A loop has to come round with what it began with. Statements without draws and loops may be done by each run on
    /// its own; then nothing is known of what they set.
    fn alike(&mut self, program: &[Statement]) -> Result<(), Rejection> {
        for statement in program {
            self.work = both_works(self.work, 1)?;
            match statement {
                Statement::Assign { var, value } => {
                    let same = *value == Expr::EmptyList || self.reads_equal(value);
                    self.set(var, same);
                }
                Statement::Append { list, value } => {
                    let same = self.equal.contains(list) && self.reads_equal(value);
                    self.set(list, same);
                }
                // AXNULL, for laws without parameters: they are in range.
                Statement::Draw { var, law: Distribution::Uniform | Distribution::Sign } => {
                    self.set(var, true)
                }
                Statement::If { guard, then, otherwise } => {
                    let set: BTreeSet<Name> = changed(then).union(&changed(otherwise)).cloned().collect();
                    if self.reads_equal(guard) {
                        let before = self.among(&set);
                        self.alike(then)?;
                        let yes = self.among(&set);
                        self.restore(&set, &before);
                        self.alike(otherwise)?;
                        let no = self.among(&set);
                        self.restore(&set, &yes.intersection(&no).cloned().collect());
                    } else if then.iter().chain(otherwise).all(is_straight) {
                        self.restore(&set, &BTreeSet::new());
                    } else {
                        return Err(wrong("ALIKE", statement));
                    }
                }
                Statement::For { from, to, body, .. } => {
                    self.rounds(body)?;
                    if !(self.reads_equal(from) && self.reads_equal(to)) {
                        return Err(wrong("ALIKE", statement));
                    }
                }
                Statement::While { guard, body, .. } => {
                    // As in WHILE: a loop that may not end leaves mass behind.
                    check_pure(&self.context, "WHILE")?;
                    self.rounds(body)?;
                    if !self.reads_equal(guard) {
                        return Err(wrong("ALIKE", statement));
                    }
                }
                Statement::Draw { .. } => return Err(wrong("ALIKE", statement)),
            }
        }
        Ok(())
    }

    /// What stays equal however often the body is run: the largest set that one more run leaves equal.
    fn rounds(&mut self, body: &[Statement]) -> Result<(), Rejection> {
        let set = changed(body);
        loop {
            let before = self.among(&set);
            self.alike(body)?;
            let kept: BTreeSet<Name> = before.intersection(&self.among(&set)).cloned().collect();
            self.restore(&set, &kept);
            if kept == before {
                return Ok(());
            }
        }
    }

    fn set(&mut self, name: &Name, equal: bool) {
        if equal {
            self.equal.insert(name.clone());
        } else {
            self.equal.remove(name);
        }
    }

    /// Which of these are equal.
    fn among(&self, names: &BTreeSet<Name>) -> BTreeSet<Name> {
        names.iter().filter(|name| self.equal.contains(*name)).cloned().collect()
    }

    /// Of these, the ones that are equal from now on.
    fn restore(&mut self, names: &BTreeSet<Name>, equal: &BTreeSet<Name>) {
        names.iter().for_each(|name| self.set(name, equal.contains(name)));
    }

    /// Whether an expression reads nothing but what is equal in both runs.
    fn reads_equal(&self, e: &Expr) -> bool {
        let differs = |v: &Variable| !matches!(v, Variable::Of(name, _) if self.equal.contains(name));
        let of_a_run = |v: &Variable| !matches!(v, Variable::Plain(_) | Variable::Field(..));
        self.context.in_run(e, Run::First).find_variable(&|v| of_a_run(v) && differs(v)).is_none()
    }
}

/// The name of which the formula says `v == v'`.
fn equality(formula: &Expr) -> Option<&Name> {
    match formula {
        Expr::Binary(Binary::Eq, a, b) => match (&**a, &**b) {
            (Expr::Var(Variable::Of(first, Run::First)), Expr::Var(Variable::Of(second, Run::Second)))
                if first == second =>
            {
                Some(first)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The parts of a conjunction.
pub(crate) fn conjuncts(formula: &Expr) -> Vec<&Expr> {
    let mut parts = Vec::new();
    let mut left = vec![formula];
    while let Some(part) = left.pop() {
        match part {
            Expr::Binary(Binary::And, a, b) => left.extend([&**b, &**a]),
            other => parts.push(other),
        }
    }
    parts
}

/// The variables that a program sets, loop indices included.
fn changed(program: &[Statement]) -> BTreeSet<Name> {
    let mut set = BTreeSet::new();
    collect_changed(program, &mut set);
    set
}

/// What a fact mentions that a program may change.
#[derive(Clone, Debug)]
struct About {
    /// Variables of a run, and loop indices.
    names: BTreeSet<Name>,
    cost: bool,
}

impl About {
    fn of(fact: &Expr) -> About {
        let mut about = About { names: BTreeSet::new(), cost: false };
        fact.for_each_variable(&mut |v| match v {
            Variable::Of(name, _) | Variable::Plain(name) => {
                about.names.insert(name.clone());
            }
            Variable::Cost => about.cost = true,
            _ => {}
        });
        about
    }

    fn speaks_of(&self, names: &BTreeSet<Name>) -> bool {
        names.iter().any(|name| self.names.contains(name))
    }
}

/// Whether a statement is made of assignments, appends and conditionals.
fn is_straight(statement: &Statement) -> bool {
    match statement {
        Statement::Assign { .. } | Statement::Append { .. } => true,
        Statement::If { then, otherwise, .. } => then.iter().chain(otherwise).all(is_straight),
        _ => false,
    }
}

/// ONE-SIDED, part by part: what must hold before for a conjunction is what must hold for each of its parts. A part about one run
/// knows nothing of the other's branches.
pub fn one_sided_parts(
    context: &Arc<Context>,
    statement: &Statement,
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    let before = |part: &Expr| {
        let first = one_sided(context, statement, part, Run::First)?;
        one_sided(context, statement, &first, Run::Second)
    };
    let parts = conjuncts(&post.formula).into_iter().map(before).collect::<Result<Vec<_>, _>>()?;
    step(context, statement, post.map(Expr::all(parts)), post)
}
