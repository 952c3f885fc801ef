//! What is fixed while a mechanism is being proved: its text, the sorts of its variables, what its assumptions
//! and its adjacency say of two neighbouring inputs.
//!
//! ```
//! use probity_kernel::context::{Context, Orientation};
//! use probity_kernel::term::Mechanism;
//! use probity_kernel::expr::Expr;
//! let empty = Mechanism {
//!     name: "empty".into(), inputs: vec![], params: vec![], assumptions: vec![], body: vec![],
//!     output: Expr::int(0), adjacency: vec![],
//! };
//! assert!(Context::new(&empty, Orientation::Forward).is_ok());
//! ```

use std::collections::{BTreeMap, BTreeSet};

use probity_exact::Rational;

use crate::expr::{Binary, Expr, Name, Run, Unary, Variable};
use crate::rejection::Rejection;
use crate::tables;
use crate::term::{Adjacency, Distribution, Mechanism, Sort, Statement};

/// The most that the expressions of a mechanism may nest, all depths added up. Weakest preconditions substitute
/// them into each other, so this bounds how deep an assertion can get, and with it the stack.
const MAX_TOTAL_DEPTH: usize = 1_500;

/// Which of the two neighbouring inputs the first run gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Orientation {
    /// The clauses of the adjacency hold for (first, second).
    Forward,
    /// They hold for (second, first).
    Backward,
}

/// What the values of an expression are, as far as the kernel tells them apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Real numbers.
    Real,
    /// Integers.
    Int,
    /// Booleans.
    Bool,
    /// Lists.
    List,
    /// Tables.
    Table,
}

impl Kind {
    /// The smallest kind that holds both; numbers join, other kinds do not mix.
    fn join(self, other: Kind) -> Option<Kind> {
        match (self, other) {
            (a, b) if a == b => Some(a),
            (Kind::Int, Kind::Real) | (Kind::Real, Kind::Int) => Some(Kind::Real),
            _ => None,
        }
    }
}

/// The fixed part of a proof. It is made from a mechanism and an orientation, and from nothing else.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Context {
    mechanism: Mechanism,
    orientation: Orientation,
    kinds: BTreeMap<Name, Kind>,
    /// Parameters and loop indices: one value for both runs.
    shared: BTreeSet<Name>,
    /// Parameters that an assumption makes positive.
    positive: BTreeSet<Name>,
    facts: Vec<Expr>,
}

impl Context {
    /// Reads the mechanism. Fails if it is malformed: a name with two roles, a ghost or a primed variable in
    /// the program, a variable that is sometimes a number and sometimes not.
    pub fn new(mechanism: &Mechanism, orientation: Orientation) -> Result<Context, Rejection> {
        let mut context = Context {
            mechanism: mechanism.clone(),
            orientation,
            kinds: BTreeMap::new(),
            shared: BTreeSet::new(),
            positive: BTreeSet::new(),
            facts: Vec::new(),
        };
        let mut depth = mechanism.output.depth();
        for_each_expr(&mechanism.body, &mut |e| depth += e.depth());
        mechanism.assumptions.iter().for_each(|e| depth += e.depth());
        if depth > MAX_TOTAL_DEPTH {
            return Err(Rejection::TooLarge);
        }
        for param in &mechanism.params {
            let kind = match param.sort {
                Sort::Real => Kind::Real,
                Sort::Int => Kind::Int,
                _ => return Err(malformed(format!("the parameter {} is neither real nor int", param.name))),
            };
            context.declare(&param.name, kind)?;
            context.shared.insert(param.name.clone());
        }
        for input in &mechanism.inputs {
            context.declare(&input.name, kind_of_sort(&input.sort))?;
            if let Sort::Category { count } = &input.sort {
                bound_is_public(count, mechanism)?;
            }
        }
        let given: BTreeSet<Name> = context.kinds.keys().cloned().collect();
        context.collect_indices(&mechanism.body, &given)?;
        check_assigned(&mechanism.body, &context.shared, &given)?;
        context.infer_kinds(&mechanism.body)?;
        context.check_plain()?;
        context.check_clauses()?;
        tables::check(&context)?;
        context.collect_facts();
        Ok(context)
    }

    fn declare(&mut self, name: &Name, kind: Kind) -> Result<(), Rejection> {
        match self.kinds.insert(name.clone(), kind) {
            None => Ok(()),
            Some(_) => Err(malformed(format!("{name} is declared twice"))),
        }
    }

    fn collect_indices(&mut self, body: &[Statement], outer: &BTreeSet<Name>) -> Result<(), Rejection> {
        for statement in body {
            match statement {
                Statement::For { index, body, .. } => {
                    if outer.contains(index) {
                        return Err(malformed(format!("the loop index {index} hides another {index}")));
                    }
                    self.kinds.insert(index.clone(), Kind::Int);
                    self.shared.insert(index.clone());
                    let mut inner = outer.clone();
                    inner.insert(index.clone());
                    self.collect_indices(body, &inner)?;
                }
                Statement::While { body, .. } => self.collect_indices(body, outer)?,
                Statement::If { then, otherwise, .. } => {
                    self.collect_indices(then, outer)?;
                    self.collect_indices(otherwise, outer)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Finds the kind of every assigned variable: the smallest that holds all that is assigned to it. A kind
    /// only grows, so the number of passes is at most the number of variables times the two number kinds.
    fn infer_kinds(&mut self, body: &[Statement]) -> Result<(), Rejection> {
        loop {
            let before = self.kinds.clone();
            self.infer_block(body)?;
            if self.kinds == before {
                return Ok(());
            }
        }
    }

    fn infer_block(&mut self, body: &[Statement]) -> Result<(), Rejection> {
        for statement in body {
            match statement {
                Statement::Draw { var, law } => self.widen(var, Some(kind_of_law(law)))?,
                Statement::Assign { var, value } => {
                    let kind = self.kind_if_known(value);
                    self.widen(var, kind)?;
                }
                Statement::Append { list, .. } => self.widen(list, Some(Kind::List))?,
                Statement::If { then, otherwise, .. } => {
                    self.infer_block(then)?;
                    self.infer_block(otherwise)?;
                }
                Statement::For { body, .. } | Statement::While { body, .. } => self.infer_block(body)?,
            }
        }
        Ok(())
    }

    fn widen(&mut self, name: &Name, kind: Option<Kind>) -> Result<(), Rejection> {
        let Some(kind) = kind else { return Ok(()) };
        let joined = match self.kinds.get(name) {
            None => Some(kind),
            Some(old) => old.join(kind),
        };
        let joined = joined.ok_or_else(|| malformed(format!("{name} is used with two kinds of values")))?;
        self.kinds.insert(name.clone(), joined);
        Ok(())
    }

    /// The kind of an expression, unless it depends on a variable whose kind is not known yet.
    fn kind_if_known(&self, expr: &Expr) -> Option<Kind> {
        let both = |a: &Expr, b: &Expr| match (self.kind_if_known(a), self.kind_if_known(b)) {
            (Some(a), Some(b)) => a.join(b),
            (a, b) => a.or(b),
        };
        match expr {
            Expr::Number(n) if n.is_int() => Some(Kind::Int),
            Expr::Number(_) => Some(Kind::Real),
            Expr::Bool(_) => Some(Kind::Bool),
            Expr::EmptyList => Some(Kind::List),
            Expr::Length(_) => Some(Kind::Int),
            Expr::Index(Variable::Plain(list) | Variable::Of(list, _), _) => {
                let ints = self.mechanism.inputs.iter().any(|i| i.name == *list && i.sort == Sort::IntList);
                Some(if ints { Kind::Int } else { Kind::Real })
            }
            Expr::Index(..) => Some(Kind::Real),
            Expr::Var(variable) => match variable {
                Variable::Plain(name) | Variable::Of(name, _) | Variable::Arbitrary(name, _) => {
                    self.kinds.get(name).copied()
                }
                Variable::Cost => Some(Kind::Real),
                Variable::Changed(_) => Some(Kind::Int),
                Variable::Result => self.kind_if_known(&self.mechanism.output),
                Variable::Field(table, field) | Variable::Row(table, _, field) => {
                    tables::field(&self.mechanism, table, field).map(|field| kind_of_sort(&field.sort))
                }
            },
            Expr::Unary(operation, a) => match operation {
                Unary::Neg | Unary::Abs => self.kind_if_known(a),
                Unary::Floor => Some(Kind::Int),
                Unary::Ln | Unary::Exp | Unary::Pow2AtLeast => Some(Kind::Real),
                Unary::Not => Some(Kind::Bool),
            },
            Expr::Binary(operation, a, b) => match operation {
                Binary::Add | Binary::Sub | Binary::Mul | Binary::Min | Binary::Max | Binary::Mod => {
                    both(a, b)
                }
                Binary::Div | Binary::RoundTo => Some(Kind::Real),
                _ => Some(Kind::Bool),
            },
            Expr::Clamp(a, b, c) => match (both(a, b), self.kind_if_known(c)) {
                (Some(a), Some(b)) => a.join(b),
                (a, b) => a.or(b),
            },
            Expr::If(_, a, b) => both(a, b),
            Expr::Sum(_, _, value) => self.kind_if_known(value),
        }
    }

    /// The kind of an expression; [`Kind::Real`], of which nothing special is known, if it mentions a variable
    /// that the mechanism does not have.
    pub fn kind(&self, expr: &Expr) -> Kind {
        let mut known = true;
        expr.for_each_variable(&mut |v| known &= self.kind_if_known(&Expr::Var(v.clone())).is_some());
        if known { self.kind_if_known(expr).unwrap_or(Kind::Real) } else { Kind::Real }
    }

    /// A program speaks of plain variables only, and of none that it never sets.
    fn check_plain(&self) -> Result<(), Rejection> {
        let mut wrong = None;
        let mut see = |e: &Expr| {
            e.for_each_variable(&mut |v| match v {
                Variable::Plain(name) if self.kinds.contains_key(name) => {}
                Variable::Plain(_) => wrong = Some(format!("{v} is used and never set")),
                _ => wrong = Some(format!("the program mentions {v}, which belongs to assertions")),
            })
        };
        for_each_expr(&self.mechanism.body, &mut see);
        see(&self.mechanism.output);
        // An assumption is taken as a fact wherever a proof stands, so it may not speak of what a program changes.
        let is_fixed =
            |name: &Name| self.is_input(name) || self.mechanism.params.iter().any(|p| p.name == *name);
        for assumption in &self.mechanism.assumptions {
            assumption.for_each_variable(&mut |v| match v {
                Variable::Plain(name) if is_fixed(name) => {}
                Variable::Field(..) => {}
                _ => wrong = Some(format!("an assumption mentions {v}, which is no parameter or input")),
            });
        }
        match wrong {
            None => Ok(()),
            Some(reason) => Err(malformed(reason)),
        }
    }

    /// The clauses about lists: each list is an input, each bound is made of parameters, and no list has two
    /// clauses about one changed entry, since the ghost that names the entry would stand for both.
    fn check_clauses(&self) -> Result<(), Rejection> {
        let mut changed = BTreeSet::new();
        for clause in &self.mechanism.adjacency {
            let (list, bound) = match clause {
                Adjacency::Related(assertion) => {
                    self.check_related(assertion)?;
                    continue;
                }
                Adjacency::EveryEntry { list, bound }
                | Adjacency::EveryEntryGrows { list, bound }
                | Adjacency::OneEntry { list, bound } => (list, bound),
                Adjacency::OneRow { .. } | Adjacency::RowReplaced { .. } | Adjacency::Rows { .. } => continue,
            };
            if !self.mechanism.inputs.iter().any(|i| i.name == *list && kind_of_sort(&i.sort) == Kind::List) {
                return Err(malformed(format!("the adjacency is about {list}, which is no input list")));
            }
            bound_is_public(bound, &self.mechanism)?;
            if matches!(clause, Adjacency::OneEntry { .. }) && !changed.insert(list) {
                return Err(malformed(format!("two clauses speak of the changed entry of {list}")));
            }
        }
        Ok(())
    }

    fn collect_facts(&mut self) {
        let mut facts = Vec::new();
        let of_all = |a: &&Expr| tables::of_rows(a).is_none();
        for assumption in self.mechanism.assumptions.iter().filter(of_all) {
            let (first, second) = (self.in_run(assumption, Run::First), self.in_run(assumption, Run::Second));
            if first != second {
                facts.push(second);
            }
            facts.push(first);
        }
        for input in &self.mechanism.inputs {
            match &input.sort {
                Sort::Category { count } => {
                    for run in [Run::First, Run::Second] {
                        let x = Expr::of(input.name.clone(), run);
                        facts.push(Expr::int(0).le(x.clone()).and(x.lt(count.clone())));
                    }
                }
                Sort::RealList | Sort::IntList => {
                    facts.push(Expr::int(0).le(Expr::Length(Variable::Plain(input.name.clone()))));
                }
                Sort::Real | Sort::Int | Sort::Bool | Sort::Rows(_) => {}
            }
        }
        facts.extend(tables::facts(&self.mechanism, self.orientation));
        for clause in &self.mechanism.adjacency {
            if let Adjacency::Related(assertion) = clause {
                facts.push(match self.orientation {
                    Orientation::Forward => assertion.clone(),
                    Orientation::Backward => swap_runs(assertion),
                });
            }
        }
        for assumption in &self.mechanism.assumptions {
            collect_positive(assumption, &mut self.positive);
        }
        let params = &self.mechanism.params;
        self.positive.retain(|name| params.iter().any(|p| p.name == *name));
        self.facts = facts;
    }

    fn check_related(&self, assertion: &Expr) -> Result<(), Rejection> {
        let mut wrong = None;
        assertion.for_each_variable(&mut |v| {
            let fine = match v {
                Variable::Plain(name) => self.mechanism.params.iter().any(|p| p.name == *name),
                Variable::Of(name, _) => self.mechanism.inputs.iter().any(|i| i.name == *name),
                _ => false,
            };
            if !fine {
                wrong = Some(v.to_string());
            }
        });
        match wrong {
            None => Ok(()),
            Some(v) => Err(malformed(format!("the adjacency mentions {v}, which is no input or parameter"))),
        }
    }

    /// A program expression as it is evaluated in one run: what is not shared gets the run's mark. The length
    /// of an input list is shared, since neighbours have lists of one length.
    pub fn in_run(&self, expr: &Expr, run: Run) -> Expr {
        let marked = expr.replace(&|v| match v {
            Variable::Plain(name) if !self.shared.contains(name) => {
                Some(Expr::Var(Variable::Of(name.clone(), run)))
            }
            _ => None,
        });
        self.share_lengths(&marked)
    }

    fn share_lengths(&self, expr: &Expr) -> Expr {
        map_lengths(expr, &|list| match list {
            Variable::Of(name, _) if self.is_input(name) => Variable::Plain(name.clone()),
            other => other.clone(),
        })
    }

    fn is_input(&self, name: &Name) -> bool {
        self.mechanism.inputs.iter().any(|i| i.name == *name)
    }

    /// The mechanism.
    pub fn mechanism(&self) -> &Mechanism {
        &self.mechanism
    }

    /// Which neighbour the first run gets.
    pub fn orientation(&self) -> Orientation {
        self.orientation
    }

    /// What holds of the parameters and of the two inputs.
    pub fn facts(&self) -> &[Expr] {
        &self.facts
    }

    /// Whether the name is a parameter or a loop index.
    pub fn is_shared(&self, name: &Name) -> bool {
        self.shared.contains(name)
    }

    /// Whether the name is a parameter that the assumptions make positive.
    pub fn is_positive(&self, name: &Name) -> bool {
        self.positive.contains(name)
    }

    /// What the adjacency says of the entries at `index` of the two lists. A negative bound says nothing: then
    /// only empty lists are neighbours, and what lies outside a list is no entry.
    pub fn adjacent_entries(&self, list: &Name, index: &Expr) -> Expr {
        let entry = |run| index.clone().index_of(Variable::Of(list.clone(), run));
        let (first, second) = match self.orientation {
            Orientation::Forward => (entry(Run::First), entry(Run::Second)),
            Orientation::Backward => (entry(Run::Second), entry(Run::First)),
        };
        let growth = second.clone() - first.clone();
        let near = |bound: &Expr| growth.clone().abs().le(bound.clone());
        Expr::all(self.mechanism.adjacency.iter().filter_map(|clause| match clause {
            Adjacency::EveryEntry { list: l, bound } if l == list => {
                Some(Expr::int(0).le(bound.clone()).implies(near(bound)))
            }
            Adjacency::EveryEntryGrows { list: l, bound } if l == list => {
                let range = Expr::int(0).le(growth.clone()).and(growth.clone().le(bound.clone()));
                Some(Expr::int(0).le(bound.clone()).implies(range))
            }
            Adjacency::OneEntry { list: l, bound } if l == list => {
                let here = index.clone().equals(Expr::Var(Variable::Changed(list.clone())));
                let same = second.clone().equals(first.clone());
                Some(Expr::int(0).le(bound.clone()).implies(here.or(same).and(near(bound))))
            }
            _ => None,
        }))
    }

    /// Whether the adjacency is symmetric by its form: one orientation then covers the other.
    pub fn adjacency_is_symmetric(&self) -> bool {
        self.mechanism.adjacency.iter().all(is_symmetric_clause)
    }
}

/// Whether a clause reads the same with the runs exchanged. That a row is added does not; where it stands for added or
/// removed, both orientations say so.
pub(crate) fn is_symmetric_clause(clause: &Adjacency) -> bool {
    match clause {
        Adjacency::EveryEntry { .. } | Adjacency::OneEntry { .. } | Adjacency::RowReplaced { .. } => true,
        Adjacency::EveryEntryGrows { .. } | Adjacency::OneRow { .. } | Adjacency::Rows { .. } => false,
        Adjacency::Related(assertion) => is_symmetric(assertion),
    }
}

/// Whether an assertion is one of the forms that plainly read the same with the runs exchanged: a constant,
/// `abs(a' - a) <= b` with b the same for both runs, and conjunctions of these.
fn is_symmetric(assertion: &Expr) -> bool {
    match assertion {
        Expr::Bool(_) => true,
        Expr::Binary(Binary::And, a, b) => is_symmetric(a) && is_symmetric(b),
        Expr::Binary(Binary::Le | Binary::Lt | Binary::Eq, a, b) => {
            let same = swap_runs(b) == **b;
            let mirrored = match &**a {
                Expr::Unary(Unary::Abs, d) => match &**d {
                    Expr::Binary(Binary::Sub, p, q) => swap_runs(p) == **q,
                    _ => false,
                },
                _ => false,
            };
            same && mirrored
        }
        _ => false,
    }
}

pub(crate) fn bound_is_public(bound: &Expr, mechanism: &Mechanism) -> Result<(), Rejection> {
    let mut wrong = None;
    bound.for_each_variable(&mut |v| match v {
        Variable::Plain(name) if mechanism.params.iter().any(|p| p.name == *name) => {}
        _ => wrong = Some(v.to_string()),
    });
    match wrong {
        None => Ok(()),
        Some(v) => Err(malformed(format!("the bound '{bound}' mentions {v}, which is no parameter"))),
    }
}

pub(crate) fn malformed(reason: String) -> Rejection {
    Rejection::Malformed { reason }
}

fn kind_of_sort(sort: &Sort) -> Kind {
    match sort {
        Sort::Real => Kind::Real,
        Sort::Int | Sort::Category { .. } => Kind::Int,
        Sort::Bool => Kind::Bool,
        Sort::RealList | Sort::IntList => Kind::List,
        Sort::Rows(_) => Kind::Table,
    }
}

/// The kind of what a law draws.
fn kind_of_law(law: &Distribution) -> Kind {
    match law {
        Distribution::Uniform
        | Distribution::Laplace { .. }
        | Distribution::Gaussian { .. }
        | Distribution::Exponential { .. } => Kind::Real,
        Distribution::Bernoulli(_) => Kind::Bool,
        // An integer law with a bound or a center that is not an integer draws from a shifted grid; the rules
        // that rely on integers ask for integer parameters.
        Distribution::Sign
        | Distribution::UniformInt { .. }
        | Distribution::UniformOther { .. }
        | Distribution::Response { .. }
        | Distribution::DiscreteLaplace { .. }
        | Distribution::DiscreteGaussian { .. }
        | Distribution::Geometric { .. } => Kind::Int,
    }
}

/// Every expression of a block, those in laws, guards and bounds included.
pub fn for_each_expr(body: &[Statement], see: &mut dyn FnMut(&Expr)) {
    for statement in body {
        match statement {
            Statement::Draw { law, .. } => parameters(law).into_iter().for_each(&mut *see),
            Statement::Assign { value, .. } | Statement::Append { value, .. } => see(value),
            Statement::If { guard, then, otherwise } => {
                see(guard);
                for_each_expr(then, see);
                for_each_expr(otherwise, see);
            }
            Statement::For { from, to, body, .. } => {
                see(from);
                see(to);
                for_each_expr(body, see);
            }
            Statement::While { guard, body, .. } => {
                see(guard);
                for_each_expr(body, see);
            }
        }
    }
}

/// The parameters of a law.
pub fn parameters(law: &Distribution) -> Vec<&Expr> {
    match law {
        Distribution::Uniform | Distribution::Sign => vec![],
        Distribution::Bernoulli(p) => vec![p],
        Distribution::UniformInt { low, high } => vec![low, high],
        Distribution::UniformOther { value, count } => vec![value, count],
        Distribution::Response { value, truth, count } => vec![value, truth, count],
        Distribution::Laplace { center, scale } | Distribution::DiscreteLaplace { center, scale } => {
            vec![center, scale]
        }
        Distribution::Gaussian { center, deviation }
        | Distribution::DiscreteGaussian { center, deviation } => {
            vec![center, deviation]
        }
        Distribution::Exponential { scale } | Distribution::Geometric { scale } => vec![scale],
    }
}

/// Nothing assigns an input, a parameter or a loop index.
fn check_assigned(
    body: &[Statement],
    shared: &BTreeSet<Name>,
    given: &BTreeSet<Name>,
) -> Result<(), Rejection> {
    for statement in body {
        let assigned = match statement {
            Statement::Draw { var, .. } | Statement::Assign { var, .. } => Some(var),
            Statement::Append { list, .. } => Some(list),
            _ => None,
        };
        if let Some(name) = assigned.filter(|n| shared.contains(*n) || given.contains(*n)) {
            return Err(malformed(format!(
                "{name} is an input, a parameter or a loop index and is assigned"
            )));
        }
        match statement {
            Statement::If { then, otherwise, .. } => {
                check_assigned(then, shared, given)?;
                check_assigned(otherwise, shared, given)?;
            }
            Statement::For { body, .. } | Statement::While { body, .. } => {
                check_assigned(body, shared, given)?
            }
            _ => {}
        }
    }
    Ok(())
}

/// The names that a conjunct of the form `p > c` (c ≥ 0), `p >= c` (c > 0), or its mirror, makes positive.
fn collect_positive(assumption: &Expr, positive: &mut BTreeSet<Name>) {
    let Expr::Binary(operation, a, b) = assumption else { return };
    let (name, strict, bound) = match (operation, &**a, &**b) {
        (Binary::And, ..) => {
            collect_positive(a, positive);
            collect_positive(b, positive);
            return;
        }
        (Binary::Gt, Expr::Var(Variable::Plain(name)), Expr::Number(n)) => (name, true, n),
        (Binary::Ge, Expr::Var(Variable::Plain(name)), Expr::Number(n)) => (name, false, n),
        (Binary::Lt, Expr::Number(n), Expr::Var(Variable::Plain(name))) => (name, true, n),
        (Binary::Le, Expr::Number(n), Expr::Var(Variable::Plain(name))) => (name, false, n),
        _ => return,
    };
    if *bound > Rational::ZERO || (strict && bound.is_zero()) {
        positive.insert(name.clone());
    }
}

/// The expression with the two runs exchanged.
pub fn swap_runs(expr: &Expr) -> Expr {
    expr.replace(&|v| match v {
        Variable::Of(name, run) => Some(Expr::Var(Variable::Of(name.clone(), run.other()))),
        Variable::Row(table, run, field) => {
            Some(Expr::Var(Variable::Row(table.clone(), run.other(), field.clone())))
        }
        _ => None,
    })
}

/// Renames the lists under `length`.
fn map_lengths(expr: &Expr, rename: &dyn Fn(&Variable) -> Variable) -> Expr {
    use std::sync::Arc;
    let go = |e: &Arc<Expr>| Arc::new(map_lengths(e, rename));
    match expr {
        Expr::Length(list) => Expr::Length(rename(list)),
        Expr::Number(_) | Expr::Bool(_) | Expr::EmptyList | Expr::Var(_) => expr.clone(),
        Expr::Unary(op, a) => Expr::Unary(*op, go(a)),
        Expr::Binary(op, a, b) => Expr::Binary(*op, go(a), go(b)),
        Expr::Clamp(a, b, c) => Expr::Clamp(go(a), go(b), go(c)),
        Expr::If(a, b, c) => Expr::If(go(a), go(b), go(c)),
        Expr::Index(v, index) => Expr::Index(v.clone(), go(index)),
        Expr::Sum(v, condition, value) => Expr::Sum(v.clone(), go(condition), go(value)),
    }
}
