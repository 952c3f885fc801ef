//! MAXDIV for longer blocks: their laws as trees of questions, each of which is asked once.
//!
//! A sum over paths asks its questions path by path, and a comparison of two such sums has as many cases as all of them have
//! answers together. Here a mass is a tree of questions about the state before the block, with a plain fraction at
//! every end, and two trees are compared end by end, under the answers on the way. A draw of few values is followed value by
//! value, as a coin is; any other one keeps its law, if nothing but the end of the block reads it.

use std::collections::{BTreeMap, BTreeSet};

use crate::context::Context;
use crate::expr::{Binary, Expr, Name, Run, Unary, Variable};
use crate::fact::{find_choice, poly};
use crate::finite::{Mass, as_before, fraction, times};
use crate::kind::Kind;
use crate::law;
use crate::rejection::Rejection;
use crate::rules::{check_size, wrong};
use crate::term::{Distribution, Statement};
use probity_exact::Rational;

/// The most statements, questions and pairs of ends that are looked at for one law.
const MAX_STEPS: usize = 2_000;
/// The most pairs of ends at which two laws are compared, and questions on the way to them.
const MAX_PAIRS: usize = 4_000;
/// The most values of a draw that is followed value by value.
const MAX_VALUES: i64 = 8;

/// A question about the state, or what is known when all are answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Tree {
    /// A formula, what follows where it holds, and what follows elsewhere.
    Ask(Expr, Box<Tree>, Box<Tree>),
    /// The share of the mass.
    End(Share),
}

/// A fraction, and what makes it one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Share {
    numerator: Expr,
    /// The factors of the denominator, in order, each as often as it counts.
    over: Vec<Expr>,
    /// That the parameters of the laws are meaningful, and that the denominator is positive.
    sane: BTreeSet<Expr>,
}

type Grown = Result<Tree, Rejection>;

/// The law of `var` after a block, at `value`: draws keep their law where they can, else they are followed value by value.
pub(crate) fn law_of(
    context: &Context,
    block: &[Statement],
    var: &Name,
    value: &Expr,
    run: Run,
) -> Result<Tree, Rejection> {
    let body: Vec<&Statement> = block.iter().collect();
    let grow = |by_value: bool| {
        let mut walk = Walk { context, var, value, run, by_value, kept: Vec::new(), left: MAX_STEPS };
        walk.block(&body, &BTreeMap::new(), &Answers::default())
    };
    grow(false).or_else(|_| grow(true))
}

/// The mass as one fraction, of which every factor of a denominator anywhere in the tree is a factor.
pub(crate) fn mass_of(tree: &Tree) -> Mass {
    let mut over = Vec::new();
    tree.for_each(&mut |share| over = united(&over, &share.over));
    let numerator =
        tree.written(&|share| times(share.numerator.clone(), product(&without(&over, &share.over))));
    let positive = over.iter().map(|factor| Expr::int(0).lt(factor.clone()));
    let sane = Expr::all(positive.chain([sane(tree)]));
    Mass { numerator, denominator: product(&over), sane }
}

/// That the law is meaningful.
pub(crate) fn sane(tree: &Tree) -> Expr {
    tree.written(&|share| Expr::all(share.sane.iter().cloned()))
}

/// That the value has mass.
pub(crate) fn possible(tree: &Tree) -> Expr {
    tree.written(&|share| Expr::int(0).lt(share.numerator.clone()))
}

/// That b times the one mass is at most a times the other.
pub(crate) fn within(first: &Tree, second: &Tree, (a, b): (&Expr, &Expr)) -> Result<Expr, Rejection> {
    let mut left = MAX_PAIRS;
    let compared = zip(first, second, &mut left, &|here, there| {
        let left = times(here.numerator.clone(), product(&without(&there.over, &here.over)));
        let right = times(there.numerator.clone(), product(&without(&here.over, &there.over)));
        Share::plain(times(left, b.clone()).le(times(a.clone(), right)))
    })?;
    Ok(compared.written(&|share| share.numerator.clone()))
}

impl Tree {
    fn ask(question: Expr, yes: Tree, no: Tree) -> Tree {
        if yes == no { yes } else { Tree::Ask(question, Box::new(yes), Box::new(no)) }
    }

    /// The tree as an expression, with something for every end.
    fn written(&self, end: &dyn Fn(&Share) -> Expr) -> Expr {
        match self {
            Tree::End(share) => end(share),
            Tree::Ask(question, yes, no) => {
                let (yes, no) = (yes.written(end), no.written(end));
                if yes == no { yes } else { question.clone().choose(yes, no) }
            }
        }
    }

    fn for_each(&self, see: &mut dyn FnMut(&Share)) {
        match self {
            Tree::End(share) => see(share),
            Tree::Ask(_, yes, no) => {
                yes.for_each(see);
                no.for_each(see);
            }
        }
    }

    /// The tree with every end changed.
    fn map(&self, change: &dyn Fn(&Share) -> Share) -> Tree {
        match self {
            Tree::End(share) => Tree::End(change(share)),
            Tree::Ask(question, yes, no) => Tree::ask(question.clone(), yes.map(change), no.map(change)),
        }
    }

    /// What is left of the tree where a question has an answer.
    fn given(&self, question: &Expr, answer: bool) -> Tree {
        match self {
            Tree::End(_) => self.clone(),
            Tree::Ask(other, yes, no) => match decided_by(other, question, answer) {
                Some(true) => yes.given(question, answer),
                Some(false) => no.given(question, answer),
                None => Tree::ask(other.clone(), yes.given(question, answer), no.given(question, answer)),
            },
        }
    }
}

/// What the answer to one question says of another: the same one, or that an expression is one number and not another.
fn decided_by(other: &Expr, question: &Expr, answer: bool) -> Option<bool> {
    if other == question || mirrored(other).as_ref() == Some(question) {
        return Some(answer);
    }
    match (number_asked(other), number_asked(question)) {
        (Some((e, m)), Some((f, n))) if answer && e == f && m != n => Some(false),
        _ => None,
    }
}

/// An equation the other way round.
fn mirrored(question: &Expr) -> Option<Expr> {
    match question {
        Expr::Binary(Binary::Eq, a, b) => Some(Expr::Binary(Binary::Eq, b.clone(), a.clone())),
        _ => None,
    }
}

/// Of a question `e == n`, e and the number n.
fn number_asked(question: &Expr) -> Option<(&Expr, &Rational)> {
    match question {
        Expr::Binary(Binary::Eq, e, n) => match &**n {
            Expr::Number(n) => Some((e, n)),
            _ => None,
        },
        _ => None,
    }
}

/// Two trees as one, end by end.
fn zip(a: &Tree, b: &Tree, left: &mut usize, both: &dyn Fn(&Share, &Share) -> Share) -> Grown {
    *left = left.checked_sub(1).ok_or(Rejection::TooLarge)?;
    Ok(match (a, b) {
        (Tree::End(a), Tree::End(b)) => Tree::End(both(a, b)),
        (Tree::Ask(question, yes, no), _) => {
            let yes = zip(yes, &b.given(question, true), left, both)?;
            let no = zip(no, &b.given(question, false), left, both)?;
            Tree::ask(question.clone(), yes, no)
        }
        (_, Tree::Ask(question, yes, no)) => {
            Tree::ask(question.clone(), zip(a, yes, left, both)?, zip(a, no, left, both)?)
        }
    })
}

impl Share {
    /// A number, or a formula.
    fn plain(numerator: Expr) -> Share {
        Share { numerator, over: Vec::new(), sane: BTreeSet::new() }
    }

    fn is_zero(&self) -> bool {
        self.numerator == Expr::int(0)
    }

    fn joined(&self, other: &Share) -> BTreeSet<Expr> {
        self.sane.union(&other.sane).cloned().collect()
    }

    fn plus(&self, other: &Share) -> Share {
        let sane = self.joined(other);
        if self.is_zero() || other.is_zero() {
            let one = if self.is_zero() { other } else { self };
            return Share { sane, ..one.clone() };
        }
        let over = united(&self.over, &other.over);
        let scaled = |share: &Share| times(share.numerator.clone(), product(&without(&over, &share.over)));
        Share { numerator: scaled(self) + scaled(other), over, sane }
    }

    fn times(&self, other: &Share) -> Share {
        let sane = self.joined(other);
        if self.is_zero() || other.is_zero() {
            return Share { sane, ..Share::plain(Expr::int(0)) };
        }
        let mut over = [self.over.as_slice(), &other.over].concat();
        over.sort();
        Share { numerator: times(self.numerator.clone(), other.numerator.clone()), over, sane }
    }
}

fn product(factors: &[Expr]) -> Expr {
    factors.iter().cloned().fold(Expr::int(1), times)
}

/// The factors of the first that are not among those of the second, each as often as it is missing there.
pub(super) fn without<T: Clone + PartialEq>(all: &[T], some: &[T]) -> Vec<T> {
    let mut left = some.to_vec();
    let mut missing = Vec::new();
    for factor in all {
        match left.iter().position(|other| other == factor) {
            Some(at) => {
                left.swap_remove(at);
            }
            None => missing.push(factor.clone()),
        }
    }
    missing
}

/// The factors of both, each as often as one of them has it.
pub(super) fn united<T: Clone + Ord>(a: &[T], b: &[T]) -> Vec<T> {
    let mut all = [a, &without(b, a)].concat();
    all.sort();
    all
}

/// The questions that are answered on the way, and the variables of which that says that they are a number.
#[derive(Clone, Default)]
struct Answers {
    given: Vec<(Expr, bool)>,
    fixed: BTreeMap<Variable, Expr>,
}

impl Answers {
    fn with(&self, question: &Expr, answer: bool) -> Answers {
        let mut more = self.clone();
        if let (Expr::Binary(Binary::Eq, e, n), true) = (question, answer)
            && let (Expr::Var(v), Expr::Number(_)) = (&**e, &**n)
        {
            more.fixed.insert(v.clone(), (**n).clone());
        }
        more.given.push((question.clone(), answer));
        more
    }

    fn settle(&self, e: &Expr) -> Expr {
        e.replace(&|v| self.fixed.get(v).cloned())
    }

    fn truth(&self, question: &Expr) -> Option<bool> {
        self.given.iter().find_map(|(known, answer)| decided_by(question, known, *answer))
    }
}

type Known = BTreeMap<Name, Expr>;

struct Walk<'a> {
    context: &'a Context,
    var: &'a Name,
    value: &'a Expr,
    run: Run,
    /// Whether draws of few values are followed value by value; coins and signs always are.
    by_value: bool,
    /// The draws that keep their law, with the variables that stand for them.
    kept: Vec<(Variable, Distribution)>,
    /// How many steps it may still take.
    left: usize,
}

impl Walk<'_> {
    /// The law of what is left of the block; `known` are the values of the variables that it has set.
    fn block(&mut self, body: &[&Statement], known: &Known, answers: &Answers) -> Grown {
        self.left = self.left.checked_sub(1).ok_or(Rejection::TooLarge)?;
        let Some((statement, rest)) = body.split_first() else { return self.end(known, answers) };
        let with = |value: Expr, name: &Name| {
            let mut more = known.clone();
            more.insert(name.clone(), value);
            more
        };
        match statement {
            Statement::Draw { var, law } => {
                let law = law::try_map(law, &|e| self.read(e, known))?;
                for parameter in law::parameters(&law) {
                    self.check_plain(parameter)?;
                }
                match self.values(&law) {
                    Some(values) => {
                        let mut whole = Tree::End(Share::plain(Expr::int(0)));
                        for value in values {
                            let known = with(value.clone(), var);
                            let here = self.mass(&law, &value, answers)?;
                            let part = self.follow(&here, answers, &mut |walk, share, answers| {
                                let after = walk.block(rest, &known, answers)?;
                                Ok(after.map(&|later| share.times(later)))
                            })?;
                            whole = zip(&whole, &part, &mut self.left, &Share::plus)?;
                        }
                        Ok(whole)
                    }
                    None if keeps_its_law(&law) => {
                        let number = u32::MAX - self.kept.len() as u32;
                        let stands = Variable::Arbitrary(var.clone(), number);
                        self.kept.push((stands.clone(), law.clone()));
                        let after = self.block(rest, &with(Expr::Var(stands), var), answers)?;
                        let sane: BTreeSet<Expr> = law::conditions(&law).into_iter().collect();
                        Ok(after.map(&|share| Share { sane: &share.sane | &sane, ..share.clone() }))
                    }
                    None => Err(wrong("MAXDIV", statement)),
                }
            }
            Statement::Assign { var, value } if self.context.kind(value) != Kind::List => {
                let value = self.read(value, known)?;
                self.block(rest, &with(value, var), answers)
            }
            Statement::If { guard, then, otherwise } => {
                let guard = self.read(guard, known)?;
                self.ask(&guard, answers, &mut |walk, holds, answers| {
                    let branch = if holds { then } else { otherwise };
                    let body: Vec<&Statement> = branch.iter().chain(rest.iter().copied()).collect();
                    walk.block(&body, known, answers)
                })
            }
            other => Err(wrong("MAXDIV", other)),
        }
    }

    /// The block is over: the value is what y was set to, or was drawn as y.
    fn end(&mut self, known: &Known, answers: &Answers) -> Grown {
        let end = match known.get(self.var) {
            Some(end) => end.clone(),
            None => as_before(self.context, self.var, self.run)?,
        };
        if self.context.kind(&Expr::of(self.var.clone(), self.run)) == Kind::Bool {
            return self.indicator(&end, answers);
        }
        self.settled(&end, answers, &mut |walk, end, answers| {
            let Some((_, law)) = walk.kept.iter().find(|(stands, _)| *end == Expr::Var(stands.clone()))
            else {
                return walk.indicator(end, answers);
            };
            // The masses of laws are those of integers: between two integers there is none.
            if walk.context.kind(&Expr::of(walk.var.clone(), walk.run)) == Kind::Real {
                let coupling = format!("same value of the real number {}", walk.var);
                return Err(Rejection::NoSuchCoupling { law: law.to_string(), coupling });
            }
            let (law, value) = (law.clone(), walk.value);
            walk.mass(&law, value, answers)
        })
    }

    /// All mass is at the value that y was set to.
    fn indicator(&mut self, end: &Expr, answers: &Answers) -> Grown {
        self.ask(&end.clone().equals(self.value.clone()), answers, &mut |_, holds, _| {
            Ok(Tree::End(Share::plain(Expr::int(i64::from(holds)))))
        })
    }

    /// An expression in this run, with what the block has set replaced by its value.
    fn read(&self, e: &Expr, known: &Known) -> Result<Expr, Rejection> {
        let value = self.context.in_run(e, self.run).replace(&|v| match v {
            Variable::Of(name, _) => known.get(name).cloned(),
            _ => None,
        });
        check_size(&value).map(|()| value)
    }

    /// The values of a draw that is followed value by value.
    fn values(&self, law: &Distribution) -> Option<Vec<Expr>> {
        let number = |e: &Expr| {
            let n = poly(self.context, e).ok()?.as_constant()?;
            if n.is_int() { i64::try_from(n.numerator().clone()).ok() } else { None }
        };
        let (low, high) = match law {
            Distribution::Bernoulli(_) => return Some(vec![Expr::Bool(true), Expr::Bool(false)]),
            Distribution::Sign => return Some(vec![Expr::int(1), Expr::int(-1)]),
            _ if !self.by_value => return None,
            Distribution::UniformInt { low, high } => (number(low)?, number(high)?),
            Distribution::UniformOther { count, .. } | Distribution::Response { count, .. } => {
                (0, number(count)?.checked_sub(1)?)
            }
            _ => return None,
        };
        let few = low <= high && high.checked_sub(low)? < MAX_VALUES;
        few.then(|| (low..=high).map(Expr::int).collect())
    }

    /// The mass of a value under a law.
    fn mass(&mut self, law: &Distribution, v: &Expr, answers: &Answers) -> Grown {
        let one = || Expr::int(1);
        let below = |count: &Expr| Expr::int(0).le(v.clone()).and(v.clone().lt(count.clone()));
        let sane: BTreeSet<Expr> = law::conditions(law).into_iter().collect();
        let (guard, count) = match law {
            Distribution::Bernoulli(p) => {
                return self.settled(p, answers, &mut |walk, p, answers| {
                    let (n, d) = fraction(p);
                    let sane = probability(p, &d);
                    walk.ask(v, answers, &mut |_, holds, _| {
                        let n = if holds { n.clone() } else { d.clone() - n.clone() };
                        Ok(end(n, vec![d.clone()], sane.clone()))
                    })
                });
            }
            Distribution::Response { value, truth, count } => {
                let (is_value, others) = (v.clone().equals(value.clone()), count.clone() - one());
                return self.settled(truth, answers, &mut |walk, truth, answers| {
                    let (n, d) = fraction(truth);
                    let sane = &sane | &probability(truth, &d);
                    walk.ask(&is_value, answers, &mut |walk, holds, answers| {
                        if holds {
                            return Ok(end(n.clone(), vec![d.clone()], sane.clone()));
                        }
                        walk.ask(&below(count), answers, &mut |_, holds, _| {
                            let n = if holds { d.clone() - n.clone() } else { Expr::int(0) };
                            Ok(end(n, vec![d.clone(), others.clone()], sane.clone()))
                        })
                    })
                });
            }
            Distribution::Sign => (v.clone().equals(one()).or(v.clone().equals(Expr::int(-1))), Expr::int(2)),
            Distribution::UniformInt { low, high } => {
                let guard = low.clone().le(v.clone()).and(v.clone().le(high.clone()));
                (guard, high.clone() - low.clone() + one())
            }
            Distribution::UniformOther { value, count } => {
                (below(count).and(v.clone().differs(value.clone())), count.clone() - one())
            }
            _ => {
                let coupling = "same value".to_string();
                return Err(Rejection::NoSuchCoupling { law: law.to_string(), coupling });
            }
        };
        self.ask(&guard, answers, &mut |_, holds, _| {
            Ok(end(Expr::int(i64::from(holds)), vec![count.clone()], sane.clone()))
        })
    }

    /// The tree with something else at every end that has mass, under the answers on the way to it.
    fn follow(
        &mut self,
        tree: &Tree,
        answers: &Answers,
        then: &mut dyn FnMut(&mut Self, &Share, &Answers) -> Grown,
    ) -> Grown {
        match tree {
            Tree::End(share) if share.is_zero() => Ok(tree.clone()),
            Tree::End(share) => then(self, share, answers),
            Tree::Ask(question, yes, no) => {
                let yes = self.follow(yes, &answers.with(question, true), then)?;
                let no = self.follow(no, &answers.with(question, false), then)?;
                Ok(Tree::ask(question.clone(), yes, no))
            }
        }
    }

    /// A number without choices, once for every way in which they are made.
    fn settled(
        &mut self,
        e: &Expr,
        answers: &Answers,
        then: &mut dyn FnMut(&mut Self, &Expr, &Answers) -> Grown,
    ) -> Grown {
        let e = answers.settle(e);
        match find_choice(&e) {
            None => then(self, &e, answers),
            Some(choice) => self.ask(&choice.condition, answers, &mut |walk, holds, answers| {
                walk.settled(&choice.made(&e, holds), answers, then)
            }),
        }
    }

    /// What follows from a formula, asked part by part.
    fn ask(
        &mut self,
        formula: &Expr,
        answers: &Answers,
        then: &mut dyn FnMut(&mut Self, bool, &Answers) -> Grown,
    ) -> Grown {
        self.left = self.left.checked_sub(1).ok_or(Rejection::TooLarge)?;
        let flag = |e: &Expr| self.context.kind(e) == Kind::Bool;
        let mut denied = |walk: &mut Self, e: &Expr| {
            walk.ask(e, answers, &mut |walk, holds, answers| then(walk, !holds, answers))
        };
        match formula {
            Expr::Bool(truth) => then(self, *truth, answers),
            Expr::Unary(Unary::Not, a) => denied(self, a),
            Expr::Binary(Binary::Ne, a, b) => denied(self, &(**a).clone().equals((**b).clone())),
            Expr::Binary(Binary::Ge, a, b) => denied(self, &(**a).clone().lt((**b).clone())),
            Expr::Binary(Binary::Gt, a, b) => denied(self, &(**a).clone().le((**b).clone())),
            Expr::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                // The first part decides an `and` where it is false, and an `or` where it is true.
                let decides = *op == Binary::Or;
                self.ask(a, answers, &mut |walk, holds, answers| match holds == decides {
                    true => then(walk, holds, answers),
                    false => walk.ask(b, answers, then),
                })
            }
            Expr::If(condition, yes, no) => self.ask(condition, answers, &mut |walk, holds, answers| {
                walk.ask(if holds { yes } else { no }, answers, then)
            }),
            Expr::Binary(Binary::Eq, a, b) if flag(a) && flag(b) => {
                self.ask(a, answers, &mut |walk, left, answers| {
                    walk.ask(b, answers, &mut |walk, right, answers| then(walk, left == right, answers))
                })
            }
            question => self.question(question, answers, then),
        }
    }

    /// What follows from a question, which is asked unless its answer is known.
    fn question(
        &mut self,
        question: &Expr,
        answers: &Answers,
        then: &mut dyn FnMut(&mut Self, bool, &Answers) -> Grown,
    ) -> Grown {
        let question = ordered(answers.settle(question));
        if let Some(choice) = find_choice(&question) {
            return self.ask(&choice.condition, answers, &mut |walk, holds, answers| {
                walk.question(&choice.made(&question, holds), answers, then)
            });
        }
        self.check_plain(&question)?;
        if let Some(truth) = self.constant(&question).or_else(|| answers.truth(&question)) {
            return then(self, truth, answers);
        }
        let yes = then(self, true, &answers.with(&question, true))?;
        let no = then(self, false, &answers.with(&question, false))?;
        Ok(Tree::ask(question, yes, no))
    }

    /// The answer to a comparison of which the two sides differ by a number.
    fn constant(&self, question: &Expr) -> Option<bool> {
        let Expr::Binary(op, a, b) = question else { return None };
        let difference = poly(self.context, &((**b).clone() - (**a).clone())).ok()?.as_constant()?;
        match op {
            Binary::Lt => Some(difference > Rational::ZERO),
            Binary::Le => Some(difference >= Rational::ZERO),
            Binary::Eq => Some(difference.is_zero()),
            _ => None,
        }
    }

    /// A draw that keeps its law is read at the end of the block only.
    fn check_plain(&self, e: &Expr) -> Result<(), Rejection> {
        let kept = |v: &Variable| self.kept.iter().any(|(stands, _)| stands == v);
        match e.find_variable(&kept) {
            None => Ok(()),
            Some(v) => Err(Rejection::KnowsADraw { variable: v.to_string(), assertion: e.to_string() }),
        }
    }
}

/// A fraction with what makes it one.
fn end(numerator: Expr, mut over: Vec<Expr>, sane: BTreeSet<Expr>) -> Tree {
    over.retain(|factor| *factor != Expr::int(1));
    over.sort();
    Tree::End(Share { numerator, over, sane })
}

/// That a number is a probability, and its denominator positive.
fn probability(p: &Expr, denominator: &Expr) -> BTreeSet<Expr> {
    let conditions = law::conditions(&Distribution::Bernoulli(p.clone()));
    let positive = (*denominator != Expr::int(1)).then(|| Expr::int(0).lt(denominator.clone()));
    conditions.into_iter().chain(positive).collect()
}

/// Whether a draw may keep its law: it is of integers, and its masses are written for those.
fn keeps_its_law(law: &Distribution) -> bool {
    matches!(
        law,
        Distribution::UniformInt { .. } | Distribution::UniformOther { .. } | Distribution::Response { .. }
    )
}

/// An equation with a number on its right.
fn ordered(question: Expr) -> Expr {
    match question {
        Expr::Binary(Binary::Eq, a, b) if matches!(*a, Expr::Number(_)) => Expr::Binary(Binary::Eq, b, a),
        other => other,
    }
}
