//! What is known where the walk stands.

use std::collections::{BTreeMap, BTreeSet};

use probity_exact::Rational;
use probity_kernel::context::Context;
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};
use probity_kernel::fact::poly;
use probity_kernel::kind::Kind;
use probity_kernel::poly::Poly;
use probity_kernel::term::{Adjacency, Distribution, Sort, Statement};

use crate::algebra::{divided, minus, normal, over, plus, product};
use crate::forward::apart::{Apart, Part};
use crate::forward::budget::{Budget, at};
use crate::plan::blocks::set_by;

/// The most places of a window that moves on.
const WIDEST: i64 = 12;

/// Which of two bounds is taken where it is not plain which is smaller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Taste {
    /// How far apart neighbours are.
    Distance,
    /// The width of a clamp.
    Width,
    /// How far apart neighbours are; and a loop with draws is first looked at as a choice.
    Choice,
}

/// What is known.
#[derive(Clone)]
pub(crate) struct State<'a> {
    pub(super) context: &'a Context,
    /// The variables that are equal in both runs.
    pub(super) equal: BTreeSet<Name>,
    /// How far apart other variables may be.
    pub(super) apart: BTreeMap<Name, Apart>,
    /// How far apart the scalar inputs are: the context knows that.
    pub(super) inputs: BTreeMap<Name, Apart>,
    /// The variables that stand for a value which the parameters fix.
    pub(super) fixed: BTreeMap<Name, Expr>,
    /// Between which numbers variables lie that are multiplied with others.
    pub(super) ranges: BTreeMap<Name, (Expr, Expr)>,
    /// The booleans that differ, each with what it stands for, and names of entries of lists.
    pub(super) truths: BTreeMap<Name, Expr>,
    /// Where a drawn value lies.
    pub(super) extra: BTreeMap<Name, Expr>,
    /// Lists of scores for a choice: how far apart their entries may be, and how long they are.
    pub(super) scores: BTreeMap<Name, ((Expr, Expr), Expr)>,
    /// What holds around: the ranges of loop indices.
    pub(super) around: Vec<Expr>,
    pub(super) budget: Budget,
}

impl<'a> State<'a> {
    pub(super) fn new(context: &'a Context) -> State<'a> {
        let mut state = State {
            context,
            equal: BTreeSet::new(),
            apart: BTreeMap::new(),
            inputs: BTreeMap::new(),
            fixed: BTreeMap::new(),
            ranges: BTreeMap::new(),
            truths: BTreeMap::new(),
            extra: BTreeMap::new(),
            scores: BTreeMap::new(),
            around: vec![],
            budget: Budget::new(),
        };
        for clause in &context.mechanism().adjacency {
            if let Adjacency::Related(relation) = clause {
                state.read_relation(relation);
            }
        }
        state.read_ranges();
        state
    }

    /// Where no relation says how far apart a number is, it is as far apart as its bounds.
    fn read_ranges(&mut self) {
        for input in &self.context.mechanism().inputs {
            let known = self.equal.contains(&input.name) || self.inputs.contains_key(&input.name);
            if known || !matches!(input.sort, Sort::Int | Sort::Real) {
                continue;
            }
            if let Some((low, high)) = Apart::range(self, &Expr::var(input.name.clone())) {
                let width = normal(self.context, &minus(high, low));
                self.inputs.insert(input.name.clone(), Apart::base(width));
            }
        }
    }

    /// The loops around, with their bounds, from the outermost on.
    pub(super) fn loops(&self) -> Vec<(Name, Expr, Expr)> {
        let bounds = |pair: &[Expr]| match pair {
            [Expr::Binary(Binary::Le, low, i), Expr::Binary(Binary::Lt, index, high)] if i == index => {
                match &**i {
                    Expr::Var(Variable::Plain(name)) => {
                        Some((name.clone(), (**low).clone(), (**high).clone()))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        self.around.chunks(2).filter_map(bounds).collect()
    }

    /// Spans of a few places that move on by one in every round, as one part for each place: the place is the same, and the event
    /// is counted from further back. So each of them comes once.
    pub(super) fn windows(&self, apart: &Apart) -> Apart {
        let Some((index, ..)) = self.loops().pop() else { return apart.clone() };
        let next = plus(Expr::var(index.clone()), Expr::int(1));
        let mut parts = Vec::new();
        for part in &apart.parts {
            let width = |low: &Expr| match normal(self.context, &minus(part.at.clone(), low.clone())) {
                Expr::Number(n) => (2..=WIDEST).find(|width| Rational::from(*width) == n),
                _ => None,
            };
            let one_on = |low: &Expr| {
                let step = minus(at(low, &index, &next), low.clone());
                normal(self.context, &step) == Expr::int(1)
            };
            match &part.past {
                Some(low) if part.value.is_none() && one_on(low) && width(low).is_some() => {
                    for back in 0..width(low).unwrap_or(0) {
                        let event = normal(self.context, &minus(part.event.clone(), Expr::int(back)));
                        parts.push(Part { event, at: low.clone(), past: None, ..part.clone() });
                    }
                }
                _ => parts.push(part.clone()),
            }
        }
        Apart { parts, ..apart.clone() }
    }

    /// What the first link may use.
    pub(super) fn known_at_start(&self) -> Vec<Expr> {
        let equal = self.equal.iter().map(same);
        equal.chain(self.paid()).collect()
    }

    /// How far apart a relation lets the scalar inputs be.
    fn read_relation(&mut self, relation: &Expr) {
        let Expr::Binary(op, a, b) = relation else { return };
        let of = |e: &Expr| match e {
            Expr::Var(Variable::Of(name, run)) => Some((name.clone(), *run)),
            _ => None,
        };
        let difference = |e: &Expr| match e {
            Expr::Unary(Unary::Abs, inner) => match &**inner {
                Expr::Binary(Binary::Sub, a, b) => {
                    let (a, b) = (of(a)?, of(b)?);
                    (a.0 == b.0 && a.1 != b.1).then_some(a.0)
                }
                _ => None,
            },
            _ => None,
        };
        let (small, large) = match op {
            Binary::And => {
                self.read_relation(a);
                self.read_relation(b);
                return;
            }
            Binary::Eq => {
                if let (Some(a), Some(b)) = (of(a), of(b))
                    && a.0 == b.0
                {
                    self.equal.insert(a.0);
                }
                return;
            }
            Binary::Le | Binary::Lt => (a, b),
            Binary::Ge | Binary::Gt => (b, a),
            _ => return,
        };
        if let (Some(name), Some(bound)) = (difference(small), self.public(large)) {
            self.inputs.insert(name, Apart::base(bound));
        }
    }

    /// How far apart a variable may be.
    pub(super) fn apart(&self, name: &Name) -> Option<&Apart> {
        self.apart.get(name).or_else(|| self.inputs.get(name))
    }

    pub(super) fn is_tracked(&self, name: &Name) -> bool {
        self.equal.contains(name) || self.apart.contains_key(name)
    }

    /// Whether an expression reads nothing but what is equal in both runs.
    pub(super) fn reads_equal(&self, e: &Expr) -> bool {
        let differs = |v: &Variable| matches!(v, Variable::Of(name, _) if !self.equal.contains(name));
        self.context.in_run(e, Run::First).find_variable(&differs).is_none()
    }

    /// The value of an expression that parameters and loop indices fix, in normal form.
    pub(super) fn public(&self, e: &Expr) -> Option<Expr> {
        let value = e.replace(&|v| match v {
            Variable::Plain(name) => self.fixed.get(name).cloned(),
            _ => None,
        });
        let here = self.context.in_run(&value, Run::First);
        let shared = |v: &Variable| matches!(v, Variable::Plain(_));
        let number = matches!(self.context.kind(&here), Kind::Int | Kind::Real);
        (number && here.find_variable(&|v| !shared(v)).is_none()).then(|| normal(self.context, &here))
    }

    /// A boolean as it is computed, if it is short.
    pub(super) fn truth(&self, value: &Expr) -> Option<Expr> {
        let value = self.with_truths(value);
        let short = value.is_within(40);
        (self.context.kind(&self.context.in_run(&value, Run::First)) == Kind::Bool && short).then_some(value)
    }

    /// An entry of a list of which one changes, at a place that both runs know.
    pub(super) fn entry(&self, value: &Expr) -> Option<Expr> {
        let Expr::Index(Variable::Plain(list), place) = value else { return None };
        let changes = |clause: &Adjacency| matches!(clause, Adjacency::OneEntry { list: l, bound } if l == list && *bound != Expr::int(0));
        let one = self.context.mechanism().adjacency.iter().any(changes);
        (one && self.reads_equal(place)).then(|| value.clone())
    }

    /// The expression with what its booleans and entries stand for.
    pub(super) fn with_truths(&self, e: &Expr) -> Expr {
        if self.truths.is_empty() {
            return e.clone();
        }
        e.replace(&|v| match v {
            Variable::Plain(name) => self.truths.get(name).cloned(),
            _ => None,
        })
    }

    /// Nothing is known any more of a variable, nor of what mentions it.
    pub(super) fn forget(&mut self, name: &Name) {
        self.equal.remove(name);
        self.apart.remove(name);
        self.fixed.remove(name);
        self.truths.remove(name);
        self.ranges.remove(name);
        self.extra.remove(name);
        self.scores.remove(name);
        let plain = Variable::Plain(name.clone());
        let mentions = |e: &Expr| {
            e.find_variable(&|v| *v == plain || matches!(v, Variable::Of(n, _) if n == name)).is_some()
        };
        self.apart.retain(|_, apart| !apart.places().any(mentions));
        self.fixed.retain(|_, value| !mentions(value));
        self.truths.retain(|_, value| !mentions(value));
    }

    /// The facts about some names.
    pub(super) fn about(&self, names: &[Name]) -> Vec<Expr> {
        let mut facts = Vec::new();
        for name in names {
            let (v, w) = (Expr::of(name.clone(), Run::First), Expr::of(name.clone(), Run::Second));
            if self.equal.contains(name) {
                facts.push(v.clone().equals(w.clone()));
            }
            if let Some(apart) = self.apart.get(name) {
                facts.push((v.clone() - w.clone()).abs().le(apart.formula()));
            }
            facts.extend(self.fixed.get(name).map(|value| v.clone().equals(value.clone())));
            if let Some((low, high)) = self.ranges.get(name) {
                for v in [&v, &w] {
                    facts.extend([low.clone().le(v.clone()), v.clone().le(high.clone())]);
                }
            }
            if let Some(truth) = self.truths.get(name) {
                facts.push(v.equals(self.context.in_run(truth, Run::First)));
                facts.push(w.equals(self.context.in_run(truth, Run::Second)));
            }
            facts.extend(self.extra.get(name).cloned());
            if let Some(((low, high), length)) = self.scores.get(name) {
                let list = Variable::Of(name.clone(), Run::First);
                facts.push(Expr::apart(name.clone(), low.clone(), high.clone()));
                facts.push(Expr::Length(list).equals(length.clone()));
            }
        }
        facts
    }

    /// What has been paid.
    pub(super) fn paid(&self) -> Option<Expr> {
        Some(Expr::cost().le(self.budget.formula(self.context)))
    }

    pub(super) fn pay(&mut self, cost: &Apart) {
        let context = self.context;
        self.budget.charge(context, cost);
    }

    /// What a distance costs at a scale.
    pub(super) fn price(&self, amount: &Expr, scale: &Expr) -> Expr {
        quotient(self.context, amount, scale)
            .unwrap_or_else(|| normal(self.context, &over(amount.clone(), scale)))
    }

    /// The same in the concentrated measure.
    pub(super) fn concentrated_price(&self, amount: &Expr, scale: &Expr) -> Option<Expr> {
        let ratio = over(amount.clone(), scale);
        Some(normal(self.context, &divided(product(ratio.clone(), ratio), &Expr::int(2))))
    }

    /// What is known after one of two branches.
    pub(super) fn join(&self, other: &State<'a>) -> State<'a> {
        let mut joined = self.clone();
        joined.equal.retain(|name| other.equal.contains(name));
        joined.fixed.retain(|name, value| other.fixed.get(name) == Some(value));
        joined.truths.retain(|name, value| other.truths.get(name) == Some(value));
        joined.ranges.retain(|name, value| other.ranges.get(name) == Some(value));
        joined.extra.retain(|name, value| other.extra.get(name) == Some(value));
        joined.scores.retain(|name, value| other.scores.get(name) == Some(value));
        joined.apart.clear();
        let names: BTreeSet<&Name> = self.apart.keys().chain(other.apart.keys()).collect();
        for name in names {
            let find = |state: &State<'a>| match state.equal.contains(name) {
                true => Some(Apart::base(Expr::int(0))),
                false => state.apart.get(name).cloned(),
            };
            if let (Some(a), Some(b)) = (find(self), find(other)) {
                joined.apart.insert(name.clone(), a.join(&b, self.context));
            }
        }
        joined.budget = self.budget.join(&other.budget, self.context);
        joined
    }

    /// The variables that are equal after a statement that both runs do alike; `None` if they may not. The kernel has the
    /// same walk.
    pub(super) fn alike(&self, statement: &Statement) -> Option<BTreeSet<Name>> {
        let mut state = State { equal: self.equal.clone(), ..State::bare(self.context) };
        state.follow(std::slice::from_ref(statement))?;
        Some(state.equal)
    }

    fn bare(context: &'a Context) -> State<'a> {
        let empty = BTreeMap::new();
        State {
            context,
            equal: BTreeSet::new(),
            apart: BTreeMap::new(),
            inputs: BTreeMap::new(),
            fixed: empty.clone(),
            ranges: BTreeMap::new(),
            truths: empty.clone(),
            extra: empty,
            scores: BTreeMap::new(),
            around: vec![],
            budget: Budget::new(),
        }
    }

    fn follow(&mut self, body: &[Statement]) -> Option<()> {
        let set = |equal: &mut BTreeSet<Name>, name: &Name, same: bool| {
            if same {
                equal.insert(name.clone());
            } else {
                equal.remove(name);
            }
        };
        for statement in body {
            match statement {
                Statement::Assign { var, value } => {
                    let same = *value == Expr::EmptyList || self.reads_equal(value);
                    set(&mut self.equal, var, same);
                }
                Statement::Append { list, value } => {
                    let same = self.equal.contains(list) && self.reads_equal(value);
                    set(&mut self.equal, list, same);
                }
                Statement::Draw { var, law: Distribution::Uniform | Distribution::Sign } => {
                    set(&mut self.equal, var, true);
                }
                Statement::Draw { .. } => return None,
                Statement::If { guard, then, otherwise } if self.reads_equal(guard) => {
                    let before = self.equal.clone();
                    self.follow(then)?;
                    let yes = std::mem::replace(&mut self.equal, before);
                    self.follow(otherwise)?;
                    self.equal.retain(|name| yes.contains(name));
                }
                Statement::If { then, otherwise, .. } => {
                    if !then.iter().chain(otherwise).all(is_straight) {
                        return None;
                    }
                    for name in set_by(std::slice::from_ref(statement)) {
                        self.equal.remove(&name);
                    }
                }
                Statement::For { body, .. } | Statement::While { body, .. } => {
                    loop {
                        let before = self.equal.clone();
                        self.follow(body)?;
                        self.equal.retain(|name| before.contains(name));
                        if self.equal == before {
                            break;
                        }
                    }
                    let fine = match statement {
                        Statement::For { from, to, .. } => self.reads_equal(from) && self.reads_equal(to),
                        Statement::While { guard, .. } => self.reads_equal(guard),
                        _ => false,
                    };
                    if !fine {
                        return None;
                    }
                }
            }
        }
        Some(())
    }

    /// What statements without draws and loops set, each variable with its value in terms of what was before.
    pub(super) fn values_after(&self, body: &[Statement]) -> Option<Vec<(Name, Expr)>> {
        let mut values = BTreeMap::new();
        run(body, &mut values)?;
        Some(values.into_iter().collect())
    }
}

/// Symbolic execution of assignments and conditionals.
fn run(body: &[Statement], values: &mut BTreeMap<Name, Expr>) -> Option<()> {
    let at = |e: &Expr, values: &BTreeMap<Name, Expr>| {
        e.replace(&|v| match v {
            Variable::Plain(name) => values.get(name).cloned(),
            _ => None,
        })
    };
    for statement in body {
        match statement {
            Statement::Assign { var, value } if *value != Expr::EmptyList => {
                let value = at(value, values);
                if !value.is_within(500) {
                    return None;
                }
                values.insert(var.clone(), value);
            }
            Statement::If { guard, then, otherwise } => {
                let guard = at(guard, values);
                let (mut yes, mut no) = (values.clone(), values.clone());
                run(then, &mut yes)?;
                run(otherwise, &mut no)?;
                let names: BTreeSet<Name> = yes.keys().chain(no.keys()).cloned().collect();
                for name in names {
                    let of = |all: &BTreeMap<Name, Expr>| {
                        all.get(&name).cloned().unwrap_or_else(|| Expr::var(name.clone()))
                    };
                    let (a, b) = (of(&yes), of(&no));
                    values.insert(name.clone(), if a == b { a } else { guard.clone().choose(a, b) });
                }
            }
            _ => return None,
        }
    }
    Some(())
}

fn is_straight(statement: &Statement) -> bool {
    match statement {
        Statement::Assign { .. } | Statement::Append { .. } => true,
        Statement::If { then, otherwise, .. } => then.iter().chain(otherwise).all(is_straight),
        _ => false,
    }
}

/// `v == v'`
pub(super) fn same(name: &Name) -> Expr {
    Expr::of(name.clone(), Run::First).equals(Expr::of(name.clone(), Run::Second))
}

/// A quotient of two sums of which one is a multiple of the other by one product: (c·hi − c·lo) / (hi − lo) is c.
fn quotient(context: &Context, a: &Expr, b: &Expr) -> Option<Expr> {
    let (a, b) = (poly(context, a).ok()?, poly(context, b).ok()?);
    if b.terms().count() < 2 || a.terms().count() != b.terms().count() {
        return None;
    }
    let (lead, coefficient) = a.terms().next()?;
    b.terms().find_map(|(monomial, other)| {
        let mut powers: BTreeMap<&Expr, i32> = lead.powers().collect();
        for (atom, power) in monomial.powers() {
            *powers.entry(atom).or_default() -= power;
        }
        let mut factor = Expr::Number(coefficient / other);
        for (atom, power) in powers {
            for _ in 0..power.unsigned_abs() {
                factor = if power > 0 { product(factor, atom.clone()) } else { factor / atom.clone() };
            }
        }
        let factor = normal(context, &factor);
        (normal(context, &product(factor.clone(), b.to_expr())) == a.to_expr()).then_some(factor)
    })
}

/// The sum of two amounts.
pub(super) fn add(context: &Context, a: &Expr, b: &Expr) -> Expr {
    normal(context, &plus(a.clone(), b.clone()))
}

/// Whether a number is plainly not negative: a sum of products of positive parameters, with positive coefficients.
fn is_plainly_positive(context: &Context, e: &Expr) -> bool {
    let positive = |p: Poly| {
        p.terms().all(|(monomial, coefficient)| {
            *coefficient >= Rational::ZERO
                && monomial.powers().all(|(atom, _)| match atom {
                    Expr::Var(Variable::Plain(name)) => context.is_positive(name),
                    Expr::Length(_) => true,
                    _ => false,
                })
        })
    };
    match e {
        Expr::Unary(Unary::Abs, _) => true,
        _ => poly(context, e).is_ok_and(positive),
    }
}

/// The larger of two amounts, as far as that is plain.
pub(super) fn larger(context: &Context, a: &Expr, b: &Expr) -> Expr {
    let apart = |x: &Expr, y: &Expr| minus(x.clone(), y.clone());
    match () {
        () if a == b || is_plainly_positive(context, &apart(a, b)) => a.clone(),
        () if is_plainly_positive(context, &apart(b, a)) => b.clone(),
        () => a.clone().max(b.clone()),
    }
}

/// The smaller of two amounts, or `None` if that is not plain.
pub(super) fn smaller(context: &Context, a: &Expr, b: &Expr) -> Option<Expr> {
    match () {
        () if is_plainly_positive(context, &minus(b.clone(), a.clone())) => Some(a.clone()),
        () if is_plainly_positive(context, &minus(a.clone(), b.clone())) => Some(b.clone()),
        () => None,
    }
}

/// The size of a number that the parameters fix.
pub(super) fn size(context: &Context, e: &Expr) -> Expr {
    let negative = minus(Expr::int(0), e.clone());
    match () {
        () if is_plainly_positive(context, e) => normal(context, e),
        () if is_plainly_positive(context, &negative) => normal(context, &negative),
        () => e.clone().abs(),
    }
}
