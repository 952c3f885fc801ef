//! The rules for programs.
//!
//! A [`Judgement`] ⊢ c : Φ ⇒ Ψ (up to δ, where not 0) is about two runs of one program c. `docs/logic.md` defines it by
//! expectations, section 2; it holds if from any pair of states (and cost κ) in Φ there is a measure μ on pairs of final states and final costs κ' such that
//! 1. the first marginal of μ is the output law of the first run, but for mass of at most δ,
//! 2. μ is supported on Ψ,
//! 3. for every set E of final states, ∫ 1[second ∈ E]·e^(κ − κ') dμ ≤ the probability of E in the second run.
//!
//! The cost is thus a ghost variable of the state: what (ε,δ)-judgements carry as an index, assertions bound
//! here, and a bound may depend on the state, as sparse vector needs. `docs/logic.md` proves every rule.
//!
//! Rules compute the weakest precondition they can. An assertion may speak of arbitrary values, written `y#0`:
//! what a draw turned out to be. They are universally quantified at the front of the assertion, so nothing can
//! be known of them: a sampling rule forgets.

pub mod call;
pub(crate) mod center;
pub mod chain;
pub mod concentrated;
pub mod equivalence;
pub mod expand;
pub mod finite;
pub(crate) mod hoist;
pub(crate) mod lists;
pub(crate) mod noise;
pub mod once;
pub mod sample;
pub mod sampling;
pub mod select;
pub(crate) mod tables;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::concentrated::check_pure;
use crate::context::Context;
use crate::entail::{Checked, Evidence, MAX_WORK, check_entailment};
use crate::expr::{Expr, Name, Run, Variable};
use crate::kind::Kind;
use crate::rejection::Rejection;
use crate::term::Statement;
use lists::Done;

/// The most parts that an assertion may have. Substitution can double a formula at every step.
const MAX_PARTS: usize = 100_000;
/// The most that an assertion may nest. Every step is checked, so that no walk over a formula runs out of stack.
pub(crate) const MAX_DEPTH: usize = 1_500;

/// A rejection for a formula that has grown beyond reason.
pub(crate) fn check_size(formula: &Expr) -> Result<(), Rejection> {
    let fits = formula.is_within(MAX_PARTS) && formula.depth() <= MAX_DEPTH;
    if fits { Ok(()) } else { Err(Rejection::TooLarge) }
}

/// A formula with some of its variables universally quantified at the front.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assertion {
    /// The quantified variables, all of the form [`Variable::Arbitrary`].
    pub(crate) arbitrary: BTreeSet<Variable>,
    pub(crate) formula: Expr,
}

impl Assertion {
    /// A formula without quantified variables. Rejects one that is no formula of the context, and one that
    /// mentions an arbitrary value: outside its quantifier there is no such thing.
    pub fn new(context: &Context, formula: Expr) -> Result<Assertion, Rejection> {
        check_size(&formula)?;
        check_knows_no_draw(&formula)?;
        context.check_formula(&formula)?;
        Ok(Assertion { arbitrary: BTreeSet::new(), formula })
    }

    /// The formula under the quantifiers.
    pub fn formula(&self) -> &Expr {
        &self.formula
    }

    /// The assertion with its formula replaced by one that has the same arbitrary values.
    pub(crate) fn map(&self, formula: Expr) -> Assertion {
        Assertion { arbitrary: self.arbitrary.clone(), formula }
    }
}

/// Nothing is known of an arbitrary value, so nothing outside its quantifier mentions one.
pub(crate) fn check_knows_no_draw(e: &Expr) -> Result<(), Rejection> {
    match e.find_variable(&|v| matches!(v, Variable::Arbitrary(..))) {
        None => Ok(()),
        Some(v) => Err(Rejection::KnowsADraw { variable: v.to_string(), assertion: e.to_string() }),
    }
}

/// A proved statement about two runs of a program. Only the rules make one.
///
/// ```compile_fail
/// use probity_kernel::rules::Judgement;
/// fn forge(honest: Judgement) -> Judgement {
///     Judgement { program: vec![], ..honest }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Judgement {
    pub(crate) context: Arc<Context>,
    pub(crate) program: Vec<Statement>,
    pub(crate) pre: Assertion,
    pub(crate) post: Assertion,
    /// The mass of the first run that is given up, an expression in the parameters; usually 0. It is never negative,
    /// whatever the parameters: the rules add up exponentials and multiples of them.
    pub(crate) delta: Expr,
    pub(crate) axioms: BTreeSet<&'static str>,
    /// What checking its side conditions took; bounded, so that no derivation keeps the kernel busy for long.
    pub(crate) work: usize,
}

impl Judgement {
    /// The program.
    pub fn program(&self) -> &[Statement] {
        &self.program
    }

    /// What must hold before.
    pub fn pre(&self) -> &Assertion {
        &self.pre
    }

    /// What then holds after.
    pub fn post(&self) -> &Assertion {
        &self.post
    }

    /// The mass of the first run that is given up.
    pub fn delta(&self) -> &Expr {
        &self.delta
    }

    /// The program as text.
    pub(crate) fn shown(&self) -> String {
        self.program.iter().map(ToString::to_string).collect()
    }

    /// The sampling axioms and lemmas that it rests on.
    pub fn axioms(&self) -> &BTreeSet<&'static str> {
        &self.axioms
    }
}

pub(crate) fn same_context(a: &Judgement, b: &Judgement) -> Result<(), Rejection> {
    if Arc::ptr_eq(&a.context, &b.context) || a.context == b.context {
        Ok(())
    } else {
        Err(Rejection::ContextDiffers)
    }
}

pub(crate) fn both_axioms(a: &Judgement, b: &Judgement) -> BTreeSet<&'static str> {
    a.axioms.union(&b.axioms).copied().collect()
}

/// The work of two parts of a derivation.
pub(crate) fn both_works(a: usize, b: usize) -> Result<usize, Rejection> {
    match a.saturating_add(b) {
        work if work > MAX_WORK => Err(Rejection::TooLarge),
        work => Ok(work),
    }
}

/// The axioms of a judgement with the lemmas of a side condition.
fn with_lemmas(judgement: &Judgement, checked: &Checked) -> BTreeSet<&'static str> {
    judgement.axioms.union(&checked.lemmas).copied().collect()
}

/// The sum of what both give up. In a conditional only one of the two is, so the sum is on the safe side.
pub(crate) fn both_deltas(a: &Judgement, b: &Judgement) -> Expr {
    match (a.delta == Expr::int(0), b.delta == Expr::int(0)) {
        (_, true) => a.delta.clone(),
        (true, false) => b.delta.clone(),
        (false, false) => a.delta.clone() + b.delta.clone(),
    }
}

/// What a number of iterations give up together. A loop that counts down makes none, and gives up nothing.
fn times(count: Expr, delta: &Expr) -> Expr {
    if *delta == Expr::int(0) { Expr::int(0) } else { Expr::int(0).max(count) * delta.clone() }
}

/// `formula` with the variable `name` of the given run replaced.
pub(crate) fn set_in_run(formula: &Expr, name: &Name, run: Run, value: &Expr) -> Expr {
    let target = Variable::Of(name.clone(), run);
    formula.replace(&|v| (*v == target).then(|| value.clone()))
}

/// ```text
/// ──────────────── SKIP
/// ⊢ (nothing) : Ψ ⇒ Ψ
/// ```
pub fn skip(context: &Arc<Context>, post: &Assertion) -> Judgement {
    Judgement {
        context: context.clone(),
        program: vec![],
        pre: post.clone(),
        post: post.clone(),
        delta: Expr::int(0),
        axioms: BTreeSet::new(),
        work: 0,
    }
}

/// ```text
/// ─────────────────────────────────────── ASSIGN
/// ⊢ x = e : Ψ[x := e, x' := e'] ⇒ Ψ
/// ```
/// For `x = []`, `x == x'` and `apart(x, a, b)` become true and its length 0; nothing else may be said of the list.
pub fn assign(
    context: &Arc<Context>,
    statement: &Statement,
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    let Statement::Assign { var, value } = statement else {
        return Err(wrong("ASSIGN", statement));
    };
    let formula = if *value == Expr::EmptyList {
        lists::before(&post.formula, var, &Done::Emptied)?
    } else {
        // The two values do not mention what the other replaces: each speaks of its own run.
        let first = set_in_run(&post.formula, var, Run::First, &context.in_run(value, Run::First));
        one_sided(context, statement, &first, Run::Second)?
    };
    step(context, statement, post.map(formula), post)
}

/// ```text
/// ─────────────────────────────────────────────────────────────────── APPEND
/// ⊢ append e to l : Ψ[l == l' := (l == l' and e == e')] ⇒ Ψ
/// ```
/// Two lists with a value put at the end of each are equal exactly if the lists were and the values are; likewise
/// apart(l, a, b) := (apart(l, a, b) and a <= e' - e <= b), and length(l) := length(l) + 1. Nothing else may be said of
/// the list.
pub fn append(
    context: &Arc<Context>,
    statement: &Statement,
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    let Statement::Append { list, value } = statement else {
        return Err(wrong("APPEND", statement));
    };
    let done = Done::Appended(context.in_run(value, Run::First), context.in_run(value, Run::Second));
    let formula = lists::before(&post.formula, list, &done)?;
    step(context, statement, post.map(formula), post)
}

/// ```text
/// ────────────────────────────────────────── ONE-SIDED   c is made of assignments and conditionals
/// ⊢ c : wp'(c, wp(c, Ψ)) ⇒ Ψ
/// ```
/// Without draws each run is a function of its own state, so the runs may take different branches.
pub fn one_sided_both(
    context: &Arc<Context>,
    statement: &Statement,
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    let first = one_sided(context, statement, &post.formula, Run::First)?;
    let formula = one_sided(context, statement, &first, Run::Second)?;
    step(context, statement, post.map(formula), post)
}

/// The weakest precondition of a draw-free statement in one run.
fn one_sided(context: &Context, statement: &Statement, post: &Expr, run: Run) -> Result<Expr, Rejection> {
    match statement {
        Statement::Assign { var, value } if context.kind(value) != Kind::List => {
            let formula = set_in_run(post, var, run, &context.in_run(value, run));
            check_size(&formula).map(|()| formula)
        }
        Statement::If { guard, then, otherwise } => {
            let block = |body: &[Statement]| {
                body.iter().rev().try_fold(post.clone(), |post, s| one_sided(context, s, &post, run))
            };
            let guard = context.in_run(guard, run);
            let both = branches(guard, block(then)?, block(otherwise)?);
            check_size(&both).map(|()| both)
        }
        other => Err(wrong("ONE-SIDED", other)),
    }
}

/// (g ⇒ a) ∧ (¬g ⇒ b), or just a where both are the same.
fn branches(guard: Expr, yes: Expr, no: Expr) -> Expr {
    if yes == no { yes } else { guard.clone().implies(yes).and(guard.or(no)) }
}

/// ```text
/// ⊢ c : Φ ⇒ Θ    ⊢ d : Θ ⇒ Ψ
/// ─────────────────────────── SEQ
/// ⊢ c; d : Φ ⇒ Ψ
/// ```
/// Costs add, since the cost is part of the state; so does the mass given up.
pub fn seq(first: &Judgement, second: &Judgement) -> Result<Judgement, Rejection> {
    same_context(first, second)?;
    if first.post != second.pre {
        return Err(Rejection::MiddleDiffers {
            left: first.post.formula.to_string(),
            right: second.pre.formula.to_string(),
        });
    }
    Ok(Judgement {
        context: first.context.clone(),
        program: first.program.iter().chain(&second.program).cloned().collect(),
        pre: first.pre.clone(),
        post: second.post.clone(),
        delta: both_deltas(first, second),
        axioms: both_axioms(first, second),
        work: both_works(first.work, second.work)?,
    })
}

/// ```text
/// ⊢ c : Φ ⇒ Ψ    ⊢ d : Θ ⇒ Ψ
/// ────────────────────────────────────────────────────────────────────────── COND
/// ⊢ if g { c } else { d } : (g == g') and (g ⇒ Φ) and (not g ⇒ Θ) ⇒ Ψ
/// ```
/// Both runs take the same branch.
pub fn cond(guard: &Expr, then: &Judgement, otherwise: &Judgement) -> Result<Judgement, Rejection> {
    same_context(then, otherwise)?;
    if then.post != otherwise.post {
        return Err(Rejection::MiddleDiffers {
            left: then.post.formula.to_string(),
            right: otherwise.post.formula.to_string(),
        });
    }
    let context = &then.context;
    let (first, second) = (context.in_run(guard, Run::First), context.in_run(guard, Run::Second));
    let parts = branches(first.clone(), then.pre.formula.clone(), otherwise.pre.formula.clone());
    // One quantifier for both branches: (g ⇒ ∀y.A) ∧ (¬g ⇒ ∀y.B) is ∀y.((g ⇒ A) ∧ (¬g ⇒ B)), as no guard
    // mentions an arbitrary value.
    let pre = Assertion {
        arbitrary: then.pre.arbitrary.union(&otherwise.pre.arbitrary).cloned().collect(),
        formula: if first == second { parts } else { first.equals(second).and(parts) },
    };
    check_size(&pre.formula)?;
    let statement = Statement::If {
        guard: guard.clone(),
        then: then.program.clone(),
        otherwise: otherwise.program.clone(),
    };
    Ok(Judgement {
        context: context.clone(),
        program: vec![statement],
        pre,
        post: then.post.clone(),
        delta: both_deltas(then, otherwise),
        axioms: both_axioms(then, otherwise),
        work: both_works(then.work, otherwise.work)?,
    })
}

/// ```text
/// ⊢ c : Φ ⇒ I[i := i + 1]    I and from ≤ i < to ⊨ Φ
/// ─────────────────────────────────────────────────────────────────────────── FOR
/// ⊢ for i in from..to { c } : from ≤ to and I[i := from] ⇒ I[i := to]
/// ```
/// The bounds are the same in both runs and fixed. Costs sum over the iterations: the invariant bounds them.
pub fn for_loop(
    index: &Name,
    (from, to): (&Expr, &Expr),
    invariant: &Expr,
    body: &Judgement,
    evidence: &Evidence,
) -> Result<Judgement, Rejection> {
    let Counted { context, range, statement, pre, post, rounds } =
        counted(index, (from, to), invariant, body)?;
    let kept = check_entailment(context, &[invariant, &range], &body.pre.formula, evidence)?;
    Ok(Judgement {
        context: context.clone(),
        program: vec![statement],
        pre,
        post,
        delta: times(rounds, &body.delta),
        axioms: with_lemmas(body, &kept),
        work: both_works(body.work, kept.work)?,
    })
}

/// A loop that counts, around a body that keeps an invariant.
pub(crate) struct Counted<'a> {
    pub(crate) context: &'a Arc<Context>,
    /// from ≤ i < to.
    pub(crate) range: Expr,
    pub(crate) statement: Statement,
    /// from ≤ to and I[i := from].
    pub(crate) pre: Assertion,
    /// I[i := to].
    pub(crate) post: Assertion,
    /// to − from.
    pub(crate) rounds: Expr,
}

/// What FOR and FOR-ONCE ask of the bounds and of a body ⊢ c : Φ ⇒ I[i := i + 1].
pub(crate) fn counted<'a>(
    index: &Name,
    (from, to): (&Expr, &Expr),
    invariant: &Expr,
    body: &'a Judgement,
) -> Result<Counted<'a>, Rejection> {
    let context = &body.context;
    let mut set = BTreeSet::from([index.clone()]);
    collect_changed(&body.program, &mut set);
    for bound in [from, to] {
        if context.in_run(bound, Run::First) != context.in_run(bound, Run::Second)
            || bound.find_variable(&|v| matches!(v, Variable::Plain(name) if set.contains(name))).is_some()
        {
            return Err(Rejection::LoopBoundNotShared { bound: bound.to_string() });
        }
        context.kinds().check_integer(bound)?;
    }
    // What an iteration gives up is the same for all, so that together they give up a multiple.
    context.check_public(&body.delta)?;
    let (low, high) = (context.in_run(from, Run::First), context.in_run(to, Run::First));
    let i = Expr::var(index.clone());
    let at =
        |value: &Expr| invariant.replace(&|v| (*v == Variable::Plain(index.clone())).then(|| value.clone()));
    let next = Assertion::new(context, at(&(i.clone() + Expr::int(1))))?;
    if body.post != next {
        return Err(Rejection::MiddleDiffers {
            left: body.post.formula.to_string(),
            right: next.formula.to_string(),
        });
    }
    let statement = Statement::For {
        index: index.clone(),
        from: from.clone(),
        to: to.clone(),
        body: body.program.clone(),
    };
    Ok(Counted {
        context,
        range: low.clone().le(i.clone()).and(i.lt(high.clone())),
        statement,
        pre: Assertion::new(context, low.clone().le(high.clone()).and(at(&low)))?,
        post: Assertion::new(context, at(&high))?,
        rounds: high - low,
    })
}

/// ```text
/// ⊢ c : Φ ⇒ I    I and g and g' ⊨ Φ    I ⊨ g == g'
/// ────────────────────────────────────────────────── WHILE
/// ⊢ while g { c } : I ⇒ I and not g
/// ```
/// Both runs make the same number of iterations. A run that never ends has no output.
pub fn while_loop(
    label: &Name,
    guard: &Expr,
    invariant: &Expr,
    body: &Judgement,
    (keeps, agrees): (&Evidence, &Evidence),
) -> Result<Judgement, Rejection> {
    let context = &body.context;
    if body.delta != Expr::int(0) {
        return Err(Rejection::ClaimNotCovered { reason: "a while loop may not give up mass" });
    }
    // A loop that may not end leaves mass behind, of which Rényi divergences say nothing.
    check_pure(context, "WHILE")?;
    let inside = Assertion::new(context, invariant.clone())?;
    if body.post != inside {
        return Err(Rejection::MiddleDiffers {
            left: body.post.formula.to_string(),
            right: invariant.to_string(),
        });
    }
    let (first, second) = (context.in_run(guard, Run::First), context.in_run(guard, Run::Second));
    let kept = check_entailment(context, &[invariant, &first, &second], &body.pre.formula, keeps)?;
    let agreed = check_entailment(context, &[invariant], &first.clone().equals(second), agrees)?;
    let statement =
        Statement::While { label: label.clone(), guard: guard.clone(), body: body.program.clone() };
    Ok(Judgement {
        context: context.clone(),
        program: vec![statement],
        pre: inside,
        post: Assertion::new(context, invariant.clone().and(!first))?,
        delta: Expr::int(0),
        axioms: with_lemmas(body, &kept).union(&agreed.lemmas).copied().collect(),
        work: both_works(body.work, both_works(kept.work, agreed.work)?)?,
    })
}

/// ```text
/// Φ ⊨ Φ'    ⊢ c : Φ' ⇒ Ψ
/// ─────────────────────── CONSEQ, before     the arbitrary values of Φ' do not occur in Φ
/// ⊢ c : Φ ⇒ Ψ
/// ```
pub fn strengthen(pre: &Expr, judgement: &Judgement, evidence: &Evidence) -> Result<Judgement, Rejection> {
    let pre = Assertion::new(&judgement.context, pre.clone())?;
    let checked = check_entailment(&judgement.context, &[&pre.formula], &judgement.pre.formula, evidence)?;
    let (axioms, work) = (with_lemmas(judgement, &checked), both_works(judgement.work, checked.work)?);
    Ok(Judgement { pre, axioms, work, ..judgement.clone() })
}

/// ```text
/// ⊢ c : Φ ⇒ Ψ    Ψ ⊨ Ψ'
/// ────────────────────── CONSEQ, after     Ψ has no arbitrary values
/// ⊢ c : Φ ⇒ Ψ'
/// ```
pub fn weaken(judgement: &Judgement, post: &Assertion, evidence: &Evidence) -> Result<Judgement, Rejection> {
    // A Ψ without arbitrary values: those of Ψ' are fresh for it.
    check_knows_no_draw(&judgement.post.formula)?;
    let known = &judgement.post.formula;
    let checked = check_entailment(&judgement.context, &[known], &post.formula, evidence)?;
    let (axioms, work) = (with_lemmas(judgement, &checked), both_works(judgement.work, checked.work)?);
    Ok(Judgement { post: post.clone(), axioms, work, ..judgement.clone() })
}

/// The variables that a program sets, loop indices included.
pub(crate) fn collect_changed(program: &[Statement], changed: &mut BTreeSet<Name>) {
    for statement in program {
        match statement {
            Statement::Draw { var, .. } | Statement::Assign { var, .. } => {
                changed.insert(var.clone());
            }
            Statement::Append { list, .. } => {
                changed.insert(list.clone());
            }
            Statement::If { then, otherwise, .. } => {
                collect_changed(then, changed);
                collect_changed(otherwise, changed);
            }
            Statement::For { index, body, .. } => {
                changed.insert(index.clone());
                collect_changed(body, changed);
            }
            Statement::While { body, .. } => collect_changed(body, changed),
        }
    }
}

fn step(
    context: &Arc<Context>,
    statement: &Statement,
    pre: Assertion,
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    check_size(&pre.formula)?;
    Ok(Judgement {
        context: context.clone(),
        program: vec![statement.clone()],
        pre,
        post: post.clone(),
        delta: Expr::int(0),
        axioms: BTreeSet::new(),
        work: 0,
    })
}

pub(crate) fn wrong(rule: &'static str, statement: &Statement) -> Rejection {
    Rejection::WrongStatement { rule, found: statement.to_string().trim_end().to_string() }
}
