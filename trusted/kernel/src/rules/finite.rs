//! MAXDIV: the exact law of a few finite draws, and the coupling of two such laws by equal values.
//!
//! A block of draws, assignments and conditionals sets one variable y that matters afterwards; what else it sets
//! is forgotten. If everything but the last draw of a path is a Bernoulli draw, the mass of each value of y is a finite sum,
//! written here as a fraction so that no quotient is needed.

mod density;
mod outcomes;
mod quotients;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use density::draws_uniform;

use crate::concentrated::check_pure;
use crate::context::Context;
use crate::expr::{Binary, Expr, Name, Run, Unary, Variable};
use crate::kind::Kind;
use crate::law;
use crate::rejection::Rejection;
use crate::rules::{Assertion, Judgement, check_size, collect_changed, wrong};
use crate::sampling::{after, check_before_draw, fresh};
use crate::term::{Distribution, Statement};

/// The most statements that are walked for one law: each Bernoulli draw doubles what is left.
const MAX_STEPS: usize = 500;
/// The most statements of a block whose law is written as a sum over its paths where that can be; the law of a longer one is
/// written by its outcomes.
const SHORT: usize = 2;

/// The probability that a block ends with y = v, as a fraction with a positive denominator, where `sane` holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mass {
    /// The numerator, never negative.
    pub numerator: Expr,
    /// The denominator.
    pub denominator: Expr,
    /// That the parameters of every law are meaningful.
    pub sane: Expr,
}

/// ```text
/// a, b > 0    Pr[y = v]·b ≤ a·Pr[y' = v] for every v    Ψ mentions nothing that c sets but y
/// ──────────────────────────────────────────────────────────────────────────────────────────── MAXDIV
/// ⊢ c : y' = y at cost ln(a/b)
/// ```
/// Given y, each run has its own law of what the block sets besides; the coupling takes the two independently.
pub fn same_value(
    context: &Arc<Context>,
    block: &[Statement],
    var: &Name,
    (a, b): (&Expr, &Expr),
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    check_pure(context, "MAXDIV")?;
    check_sets(block, var)?;
    let mut set = BTreeSet::new();
    collect_changed(block, &mut set);
    for e in [a, b] {
        check_before_draw(context, e, &set.iter().collect::<Vec<_>>())?;
    }
    let forgotten = |v: &Variable| matches!(v, Variable::Of(name, _) if name != var && set.contains(name));
    if let Some(v) = post.formula.find_variable(&forgotten) {
        let assertion = post.formula.to_string();
        return Err(Rejection::MayNotMention { variable: v.to_string(), assertion });
    }
    let value = fresh(var, post, &BTreeSet::new());
    let v = Expr::Var(value.clone());
    let by_outcomes = || compared_by_outcomes(context, block, var, &v, (a, b));
    let by_paths = || compared_by_paths(context, block, var, &v, (a, b));
    let (axiom, Compared { sane, within, possible }) = match density::draws_uniform(block) {
        true => ("DENSITY", density::compared(context, block, var, &v, (a, b))?),
        false => ("MAXDIV", either(block, by_paths, by_outcomes)?),
    };
    let [first, second] = sane;
    let side = Expr::all([Expr::int(0).lt(a.clone()), Expr::int(0).lt(b.clone()), first, second, within]);
    let cost = (a.clone() / b.clone()).ln();
    let after = after(&post.formula, &[(var, v.clone(), v)], &cost);
    concluded(context, block, (axiom, value), side.and(possible.implies(after)), post)
}

/// Whether a block makes uniform draws and has a law that DENSITY can write, in so many paths.
pub fn has_density(context: &Context, block: &[Statement], var: &Name) -> bool {
    let value = Expr::Var(Variable::Arbitrary(var.clone(), 0));
    let one = Expr::int(1);
    density::draws_uniform(block) && density::compared(context, block, var, &value, (&one, &one)).is_ok()
}

/// BOUNDED-LOSS for a draw from finitely many values: neither run makes a value more than e^d times as likely as the other.
/// ```text
/// Pr[y = v] ≤ e^d·Pr[y' = v] and Pr[y' = v] ≤ e^d·Pr[y = v] for every v    d² ≤ 2·c
/// ──────────────────────────────────────────────────────────────────────────────────── BOUNDED-RATIO
/// ⊢ y ~ D : y' = y at cost c, in ρ
/// ```
/// One direction is not enough. A block of several draws has no such rule: in this measure all that is drawn is seen.
pub(crate) fn bounded_ratio(
    context: &Arc<Context>,
    (statement, var): (&Statement, &Name),
    (distance, cost): (&Expr, &Expr),
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    let value = fresh(var, post, &BTreeSet::new());
    let v = Expr::Var(value.clone());
    let of = |run| mass_by_paths(context, std::slice::from_ref(statement), var, &v, run);
    let (first, second) = (of(Run::First)?, of(Run::Second)?);
    let possible = Expr::int(0).lt(first.numerator.clone());
    let sane = [first.sane.clone(), second.sane.clone()];
    let (here, there) = over_one_denominator(first, second);
    let most = distance.clone().exp();
    let one_way = here.clone().le(most.clone() * there.clone());
    let other_way = there.le(most * here);
    let enough = (distance.clone() * distance.clone()).le(Expr::int(2) * cost.clone());
    let side = Expr::all(sane.into_iter().chain([one_way, other_way, enough]));
    let after = after(&post.formula, &[(var, v.clone(), v)], cost);
    let block = std::slice::from_ref(statement);
    concluded(context, block, ("BOUNDED-RATIO", value), side.and(possible.implies(after)), post)
}

/// The judgement about a block that sets its variable to an arbitrary value in both runs.
fn concluded(
    context: &Arc<Context>,
    block: &[Statement],
    (axiom, value): (&'static str, Variable),
    formula: Expr,
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    check_size(&formula)?;
    let mut arbitrary = post.arbitrary.clone();
    arbitrary.insert(value);
    Ok(Judgement {
        context: context.clone(),
        program: block.to_vec(),
        pre: Assertion { arbitrary, formula },
        post: post.clone(),
        delta: Expr::int(0),
        axioms: BTreeSet::from([axiom]),
        work: 0,
    })
}

/// What MAXDIV asks of the laws of both runs.
struct Compared {
    /// That each is meaningful.
    sane: [Expr; 2],
    /// That the one is at most a/b times the other.
    within: Expr,
    /// That the value has mass in the first run.
    possible: Expr,
}

fn compared_by_paths(
    context: &Context,
    block: &[Statement],
    var: &Name,
    v: &Expr,
    (a, b): (&Expr, &Expr),
) -> Result<Compared, Rejection> {
    let first = mass_by_paths(context, block, var, v, Run::First)?;
    let second = mass_by_paths(context, block, var, v, Run::Second)?;
    let possible = Expr::int(0).lt(first.numerator.clone());
    let sane = [first.sane.clone(), second.sane.clone()];
    let (here, there) = over_one_denominator(first, second);
    let within = (here * b.clone()).le(a.clone() * there);
    Ok(Compared { sane, within, possible })
}

/// Two masses without their denominators. A common one is positive, so it cancels.
fn over_one_denominator(first: Mass, second: Mass) -> (Expr, Expr) {
    match first.denominator == second.denominator {
        true => (first.numerator, second.numerator),
        false => (times(first.numerator, second.denominator), times(second.numerator, first.denominator)),
    }
}

fn compared_by_outcomes(
    context: &Context,
    block: &[Statement],
    var: &Name,
    v: &Expr,
    ratio: (&Expr, &Expr),
) -> Result<Compared, Rejection> {
    let first = outcomes::law_of(context, block, var, v, Run::First)?;
    let second = outcomes::law_of(context, block, var, v, Run::Second)?;
    let within = outcomes::within(&first, &second, ratio)?;
    let sane = [outcomes::sane(&first), outcomes::sane(&second)];
    Ok(Compared { sane, within, possible: outcomes::possible(&first) })
}

/// The probability that a run of the block ends with `var` equal to `value`.
pub fn mass(
    context: &Context,
    block: &[Statement],
    var: &Name,
    value: &Expr,
    run: Run,
) -> Result<Mass, Rejection> {
    let by_outcomes = || Ok(outcomes::mass_of(&outcomes::law_of(context, block, var, value, run)?));
    either(block, || mass_by_paths(context, block, var, value, run), by_outcomes)
}

/// A block that sets y nowhere has no law of y.
fn check_sets(block: &[Statement], var: &Name) -> Result<(), Rejection> {
    let mut set = BTreeSet::new();
    collect_changed(block, &mut set);
    match set.contains(var) {
        true => Ok(()),
        false => Err(Rejection::Malformed { reason: format!("the block does not set {var}") }),
    }
}

/// Short blocks are written by their paths, longer ones by their outcomes; each in the other way where the one cannot be.
fn either<T>(
    block: &[Statement],
    by_paths: impl FnOnce() -> Result<T, Rejection>,
    by_outcomes: impl FnOnce() -> Result<T, Rejection>,
) -> Result<T, Rejection> {
    match block.len() <= SHORT {
        true => by_paths().or_else(|why| by_outcomes().map_err(|_| why)),
        false => by_outcomes().or_else(|why| by_paths().map_err(|_| why)),
    }
}

fn mass_by_paths(
    context: &Context,
    block: &[Statement],
    var: &Name,
    value: &Expr,
    run: Run,
) -> Result<Mass, Rejection> {
    let mut walk = Walk { context, var, value, run, steps: 0 };
    let body: Vec<&Statement> = block.iter().collect();
    walk.block(&body, &BTreeMap::new())
}

/// The value of y on a path that does not set it: the one that it had before the block. `y` is a number or a truth value.
pub(crate) fn as_before(context: &Context, var: &Name, run: Run) -> Result<Expr, Rejection> {
    let before = Expr::of(var.clone(), run);
    match context.kind(&before) {
        Kind::Int | Kind::Real | Kind::Bool => Ok(before),
        Kind::List | Kind::Table => {
            let reason = format!("a path through the block does not set {var}, which is no number");
            Err(Rejection::Malformed { reason })
        }
    }
}

struct Walk<'a> {
    context: &'a Context,
    var: &'a Name,
    value: &'a Expr,
    run: Run,
    steps: usize,
}

impl Walk<'_> {
    /// The mass of what is left of the block; `known` are the values of the variables that it has set.
    fn block(&mut self, body: &[&Statement], known: &BTreeMap<Name, Expr>) -> Result<Mass, Rejection> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(Rejection::TooLarge);
        }
        let Some((statement, rest)) = body.split_first() else {
            let end = match known.get(self.var) {
                Some(end) => end.clone(),
                None => as_before(self.context, self.var, self.run)?,
            };
            let here = end.equals(self.value.clone());
            return Ok(certain(here.choose(Expr::int(1), Expr::int(0))));
        };
        let with = |value: Expr, name: &Name| {
            let mut more = known.clone();
            more.insert(name.clone(), value);
            more
        };
        match statement {
            Statement::Draw { var, law } if var == self.var && rest.is_empty() => self.law(law, known),
            // What is drawn and then only copied to y has the law of y.
            Statement::Draw { var, law } if is_copy(rest, self.var, var) => self.law(law, known),
            Statement::Draw { var, law: Distribution::Bernoulli(p) } => {
                let p = self.read(p, known)?;
                let yes = self.block(rest, &with(Expr::Bool(true), var))?;
                let no = self.block(rest, &with(Expr::Bool(false), var))?;
                let whole = mixture(&p, yes, no);
                check_size(&whole.numerator).map(|()| whole)
            }
            Statement::Assign { var, value } if self.context.kind(value) != Kind::List => {
                let value = self.read(value, known)?;
                self.block(rest, &with(value, var))
            }
            Statement::If { guard, then, otherwise } => {
                let guard = self.read(guard, known)?;
                let follow = |branch| -> Vec<&Statement> {
                    let branch: &Vec<Statement> = branch;
                    branch.iter().chain(rest.iter().copied()).collect()
                };
                let yes = self.block(&follow(then), known)?;
                let no = self.block(&follow(otherwise), known)?;
                let whole = choice(&guard, yes, no);
                check_size(&whole.numerator).map(|()| whole)
            }
            other => Err(wrong("MAXDIV", other)),
        }
    }

    /// An expression in this run, with what the block has set replaced by its value.
    fn read(&self, e: &Expr, known: &BTreeMap<Name, Expr>) -> Result<Expr, Rejection> {
        let value = self.context.in_run(e, self.run).replace(&|v| match v {
            Variable::Of(name, _) => known.get(name).cloned(),
            _ => None,
        });
        check_size(&value).map(|()| decided(&value))
    }

    /// The mass function of the last draw.
    fn law(&self, law: &Distribution, known: &BTreeMap<Name, Expr>) -> Result<Mass, Rejection> {
        let law = law::try_map(law, &|e| self.read(e, known))?;
        // The masses below are those of truth values and integers: between two integers there is no mass.
        if self.context.kind(&Expr::of(self.var.clone(), self.run)) == Kind::Real {
            let coupling = format!("same value of the real number {}", self.var);
            return Err(Rejection::NoSuchCoupling { law: law.to_string(), coupling });
        }
        let (zero, one) = (Expr::int(0), Expr::int(1));
        let v = self.value.clone();
        let below = |n: &Expr, e: &Expr| zero.clone().le(e.clone()).and(e.clone().lt(n.clone()));
        let (numerator, denominator) = match &law {
            Distribution::Bernoulli(p) => {
                let (n, d) = fraction(p);
                (v.choose(n.clone(), d.clone() - n), d)
            }
            Distribution::Sign => {
                let possible = v.clone().equals(one.clone()).or(v.equals(-one.clone()));
                (possible.choose(one, zero), Expr::int(2))
            }
            Distribution::UniformInt { low, high } => {
                let possible = low.clone().le(v.clone()).and(v.le(high.clone()));
                (possible.choose(one.clone(), zero), high.clone() - low.clone() + one)
            }
            Distribution::UniformOther { value, count } => {
                let possible = below(count, &v).and(v.differs(value.clone()));
                (possible.choose(one.clone(), zero.clone()), count.clone() - one)
            }
            Distribution::Response { value, truth, count } => {
                let others = count.clone() - one.clone();
                let other = below(count, &v).choose(one - truth.clone(), zero.clone());
                (v.equals(value.clone()).choose(truth.clone() * others.clone(), other), others)
            }
            _ => {
                return Err(Rejection::NoSuchCoupling {
                    law: law.to_string(),
                    coupling: "same value".to_string(),
                });
            }
        };
        let sane = Expr::all(law::conditions(&law));
        let sane = if let Distribution::Bernoulli(p) = &law { both(sane, divides(p)) } else { sane };
        Ok(Mass { numerator, denominator, sane })
    }
}

/// The expression without choices that a constant decides.
fn decided(e: &Expr) -> Expr {
    let whole = e.map_parts(&mut decided);
    match &whole {
        Expr::If(c, a, b) => match **c {
            Expr::Bool(true) => (**a).clone(),
            Expr::Bool(false) => (**b).clone(),
            _ => whole,
        },
        _ => whole,
    }
}

/// Whether all that is left is `y = x`.
fn is_copy(rest: &[&Statement], y: &Name, x: &Name) -> bool {
    matches!(rest, [Statement::Assign { var, value }] if var == y && *value == Expr::var(x.clone()))
}

fn certain(numerator: Expr) -> Mass {
    Mass { numerator, denominator: Expr::int(1), sane: Expr::Bool(true) }
}

/// The product, without a factor 1.
pub(crate) fn times(a: Expr, b: Expr) -> Expr {
    match (a == Expr::int(1), b == Expr::int(1)) {
        (true, _) => b,
        (_, true) => a,
        _ => a * b,
    }
}

/// The conjunction, without `true`.
fn both(a: Expr, b: Expr) -> Expr {
    match (a == Expr::Bool(true), b == Expr::Bool(true)) {
        (true, _) => b,
        (_, true) => a,
        _ => a.and(b),
    }
}

/// p·yes + (1 − p)·no
fn mixture(p: &Expr, yes: Mass, no: Mass) -> Mass {
    let is_probability = Expr::all(law::conditions(&Distribution::Bernoulli(p.clone())));
    let (n, d) = fraction(p);
    let q = d.clone() - n.clone();
    let sane = both(both(is_probability, both(yes.sane, no.sane)), divides(p));
    if yes.denominator == no.denominator {
        let numerator = times(n, yes.numerator) + times(q, no.numerator);
        return Mass { numerator, denominator: times(d, yes.denominator), sane };
    }
    let left = times(times(n, yes.numerator), no.denominator.clone());
    let right = times(times(q, no.numerator), yes.denominator.clone());
    let denominator = times(d, times(yes.denominator, no.denominator));
    Mass { numerator: left + right, denominator, sane }
}

/// A number as n / d, without quotients by what has an exponential in it: wherever d is not 0. All that divides is a factor
/// of d, or of that branch of it which is taken.
pub(crate) fn fraction(e: &Expr) -> (Expr, Expr) {
    match e {
        Expr::Binary(Binary::Div, a, b) if has_exp(b) => {
            let (n, d) = fraction(a);
            (n, times(d, (**b).clone()))
        }
        Expr::Binary(Binary::Mul, a, b) => {
            let ((n, d), (m, e)) = (fraction(a), fraction(b));
            (times(n, m), times(d, e))
        }
        Expr::Binary(op @ (Binary::Add | Binary::Sub), a, b) => {
            let ((n, d), (m, e)) = (fraction(a), fraction(b));
            let (n, m) = if d == e { (n, m) } else { (times(n, e.clone()), times(m, d.clone())) };
            let whole = if d == e { d } else { times(d, e) };
            (if *op == Binary::Add { n + m } else { n - m }, whole)
        }
        Expr::If(guard, a, b) => {
            let ((n, d), (m, e)) = (fraction(a), fraction(b));
            let pick = |a: Expr, b: Expr| if a == b { a } else { (**guard).clone().choose(a, b) };
            (pick(n, m), pick(d, e))
        }
        _ => (e.clone(), Expr::int(1)),
    }
}

fn has_exp(e: &Expr) -> bool {
    let mut found = matches!(e, Expr::Unary(Unary::Exp, _));
    e.map_parts(&mut |part| {
        found |= has_exp(part);
        part.clone()
    });
    found
}

/// That the denominator of a probability is positive.
fn divides(p: &Expr) -> Expr {
    let (_, d) = fraction(p);
    if d == Expr::int(1) { Expr::Bool(true) } else { Expr::int(0).lt(d) }
}

/// The one where the guard holds, the other elsewhere.
fn choice(guard: &Expr, yes: Mass, no: Mass) -> Mass {
    if *guard == Expr::Bool(true) {
        return yes;
    }
    if *guard == Expr::Bool(false) {
        return no;
    }
    let pick = |a: Expr, b: Expr| if a == b { a } else { guard.clone().choose(a, b) };
    let sane = if yes.sane == no.sane {
        yes.sane
    } else {
        both(guard.clone().implies(yes.sane), guard.clone().or(no.sane))
    };
    Mass {
        numerator: pick(yes.numerator, no.numerator),
        denominator: pick(yes.denominator, no.denominator),
        sane,
    }
}
