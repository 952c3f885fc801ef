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

use std::collections::BTreeSet;

use probity_exact::Rational;

use crate::concentrated::Measure;
use crate::expr::{Binary, Expr, Name, Run, Unary, Variable};
use crate::kind::{Kind, Kinds, malformed};
use crate::law;
use crate::lists;
use crate::memo::Memo;
use crate::names::check_names;
use crate::rejection::Rejection;
use crate::rules::MAX_DEPTH;
use crate::sample;
use crate::tables;
use crate::term::{Adjacency, Mechanism, Sort, Statement};

/// Judgements are about programs without samples: AMPLIFY takes the one sample off before.
const SAMPLE: &str = "it draws a sample where no rule is for one: a sample is drawn once, of a table that is an input, outside of loops and branches";

/// Which of the two neighbouring inputs the first run gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Orientation {
    /// The clauses of the adjacency hold for (first, second).
    Forward,
    /// They hold for (second, first).
    Backward,
}

/// The fixed part of a proof. It is made from a mechanism and an orientation, and from nothing else.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Context {
    mechanism: Mechanism,
    orientation: Orientation,
    measure: Measure,
    kinds: Kinds,
    /// Parameters and loop indices: one value for both runs.
    shared: BTreeSet<Name>,
    /// Parameters that an assumption makes positive.
    positive: BTreeSet<Name>,
    facts: Vec<Expr>,
    /// What formulas were found to say here; empty until all of the above is there.
    pub(crate) memo: Memo,
}

impl Context {
    /// Reads the mechanism. Fails if it is malformed: a name that is no identifier or has two roles, a ghost or a
    /// primed variable in the program, an expression without a kind or of the wrong one.
    pub fn new(mechanism: &Mechanism, orientation: Orientation) -> Result<Context, Rejection> {
        Context::measured(mechanism, orientation, Measure::Pure)
    }

    /// The same with a cost that counts in the given measure.
    pub fn measured(
        mechanism: &Mechanism,
        orientation: Orientation,
        measure: Measure,
    ) -> Result<Context, Rejection> {
        let mut depth = mechanism.output.depth();
        for_each_expr(&mechanism.body, &mut |e| depth = depth.max(e.depth()));
        mechanism.assumptions.iter().for_each(|e| depth = depth.max(e.depth()));
        // What is substituted into an assertion makes it deeper by no more than that at a step.
        if depth > MAX_DEPTH {
            return Err(Rejection::TooLarge);
        }
        check_names(mechanism)?;
        if sample::draws_sample(&mechanism.body) {
            return Err(malformed(SAMPLE.to_string()));
        }
        let mut context = Context {
            mechanism: mechanism.clone(),
            orientation,
            measure,
            kinds: Kinds::new(mechanism)?,
            shared: mechanism.params.iter().map(|p| p.name.clone()).collect(),
            positive: BTreeSet::new(),
            facts: Vec::new(),
            memo: Memo::default(),
        };
        let given: BTreeSet<Name> =
            context.shared.iter().cloned().chain(mechanism.inputs.iter().map(|i| i.name.clone())).collect();
        context.collect_indices(&mechanism.body, &given)?;
        check_assigned(&mechanism.body, &context.shared, &given)?;
        context.check_program()?;
        context.check_scopes(&mechanism.body, &given)?;
        context.check_scope(&mechanism.output, &given)?;
        context.check_assumptions()?;
        context.check_clauses()?;
        tables::check(&context)?;
        context.collect_facts();
        context.memo = Memo::default();
        Ok(context)
    }

    fn collect_indices(&mut self, body: &[Statement], outer: &BTreeSet<Name>) -> Result<(), Rejection> {
        for statement in body {
            let mut inner = outer.clone();
            if let Statement::For { index, .. } = statement {
                if outer.contains(index) {
                    return Err(malformed(format!("the loop index {index} hides another {index}")));
                }
                self.shared.insert(index.clone());
                inner.insert(index.clone());
            }
            blocks(statement).into_iter().try_for_each(|block| self.collect_indices(block, &inner))?;
        }
        Ok(())
    }

    /// The kind of an expression that belongs to this context; [`Kind::Real`], of which nothing special is known,
    /// for any other.
    pub fn kind(&self, expr: &Expr) -> Kind {
        self.kinds.check(expr).unwrap_or(Kind::Real)
    }

    /// The kinds of the mechanism's names.
    pub fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    /// A formula of an assertion: it is a boolean, and speaks of what assertions speak of.
    pub fn check_formula(&self, formula: &Expr) -> Result<(), Rejection> {
        self.check_variables(formula)?;
        self.kinds.check_formula(formula)
    }

    /// A number in an assertion.
    pub fn check_number(&self, number: &Expr) -> Result<(), Rejection> {
        self.check_variables(number)?;
        self.kinds.check_number(number)
    }

    fn check_variables(&self, e: &Expr) -> Result<(), Rejection> {
        match self.foreign(e) {
            None => Ok(()),
            Some(v) => Err(Rejection::MayNotMention { variable: v.to_string(), assertion: e.to_string() }),
        }
    }

    /// A variable that does not belong in an assertion: there a parameter or loop index is plain, an input or
    /// program variable belongs to a run, and the length of an input list is one number for both.
    fn foreign(&self, e: &Expr) -> Option<Variable> {
        self.foreign_in(e, None)
    }

    /// The same inside a sum over a table, whose rows have fields.
    fn foreign_in(&self, e: &Expr, over: Option<&Variable>) -> Option<Variable> {
        let belongs = |v: &Variable| match v {
            Variable::Plain(name) => self.shared.contains(name),
            Variable::Of(name, _) => !self.shared.contains(name) && self.kinds.knows(name),
            Variable::Arbitrary(name, _) => self.kinds.knows(name),
            Variable::Changed(list) | Variable::Moved(list) => self.is_input_list(list),
            Variable::Entry(_) => false,
            Variable::Cost | Variable::Result => true,
            Variable::Field(..) => over.is_some_and(|table| table.binds(v)),
            Variable::Row(table, _, field) => tables::field(&self.mechanism, table, field).is_some(),
        };
        match e {
            Expr::Sum(table, condition, value) => match belongs(table) {
                true => [condition, value].into_iter().find_map(|e| self.foreign_in(e, Some(table))),
                false => Some(table.clone()),
            },
            Expr::Apart(list, low, high) => match belongs(&Variable::Of(list.clone(), Run::First)) {
                true => [low, high].into_iter().find_map(|e| self.foreign_in(e, over)),
                false => Some(Variable::Plain(list.clone())),
            },
            Expr::Length(Variable::Plain(list)) if self.is_input_list(list) => None,
            Expr::Length(v @ Variable::Of(list, _)) if self.is_input_list(list) => Some(v.clone()),
            Expr::Var(v) | Expr::Length(v) | Expr::Index(v, _) if !belongs(v) => Some(v.clone()),
            _ => e.parts().into_iter().flatten().find_map(|part| self.foreign_in(part, over)),
        }
    }

    /// A program speaks of plain variables only, and of none that it never sets.
    fn check_program(&self) -> Result<(), Rejection> {
        let mut wrong = None;
        let mut see = |e: &Expr| {
            let foreign = |v: &Variable| !matches!(v, Variable::Plain(name) if self.kinds.knows(name));
            if let Some(v) = e.find_variable(&foreign) {
                wrong = Some(match v {
                    Variable::Plain(_) => format!("{v} is used and never set"),
                    _ => format!("the program mentions {v}, which belongs to assertions"),
                });
            }
        };
        for_each_expr(&self.mechanism.body, &mut see);
        see(&self.mechanism.output);
        wrong.map_or(Ok(()), |reason| Err(malformed(reason)))
    }

    /// A loop index is read inside of its loop only: outside of it has any value, in each run another, and a bound that a loop inside
    /// counts is no longer what it was when the rounds were counted. `open` are the names that have a value.
    fn check_scopes(&self, body: &[Statement], open: &BTreeSet<Name>) -> Result<(), Rejection> {
        for statement in body {
            own_exprs(statement).into_iter().try_for_each(|e| self.check_scope(e, open))?;
            let mut inside = open.clone();
            if let Statement::For { index, .. } = statement {
                inside.insert(index.clone());
            }
            blocks(statement).into_iter().try_for_each(|block| self.check_scopes(block, &inside))?;
        }
        Ok(())
    }

    fn check_scope(&self, e: &Expr, open: &BTreeSet<Name>) -> Result<(), Rejection> {
        let closed = |v: &Variable| matches!(v, Variable::Plain(name) if self.shared.contains(name) && !open.contains(name));
        match e.find_variable(&closed) {
            None => Ok(()),
            Some(v) => Err(malformed(format!("the loop index {v} is read outside of its loop"))),
        }
    }

    /// An assumption is taken as a fact wherever a proof stands, so it may not speak of what a program changes.
    fn check_assumptions(&self) -> Result<(), Rejection> {
        let foreign = |v: &Variable| match v {
            Variable::Plain(n) => !self.is_input(n) && !self.is_param(n),
            Variable::Field(..) => false,
            Variable::Entry(list) => !self.is_input_list(list),
            _ => true,
        };
        for assumption in &self.mechanism.assumptions {
            if let Some(v) = assumption.find_variable(&foreign) {
                return Err(malformed(format!("an assumption mentions {v}, which is no parameter or input")));
            }
            self.kinds.check_formula(assumption)?;
            lists::check_assumption(&self.mechanism, assumption)?;
        }
        Ok(())
    }

    /// The clauses of the adjacency and the counts of categories. A relation is about scalar inputs; a clause about a list is about an input
    /// list, with a bound made of parameters, and no list has two clauses about one changed entry, since the ghost that names the entry
    /// would stand for both.
    fn check_clauses(&self) -> Result<(), Rejection> {
        for input in &self.mechanism.inputs {
            if let Sort::Category { count } = &input.sort {
                self.check_public(count)?;
                self.kinds.check_integer(count)?;
            }
        }
        let (mut changed, mut summed) = (BTreeSet::new(), BTreeSet::new());
        for clause in &self.mechanism.adjacency {
            let (about, bound) = match clause {
                Adjacency::Related(assertion) => {
                    self.check_related(assertion)?;
                    continue;
                }
                Adjacency::EveryEntry { list, bound }
                | Adjacency::EveryEntryGrows { list, bound }
                | Adjacency::Norm { list, bound, .. }
                | Adjacency::OneEntry { list, bound } => (std::slice::from_ref(list), bound),
                Adjacency::OneEntryOf { lists, bound } => (lists.as_slice(), bound),
                Adjacency::OneRow { .. } | Adjacency::RowReplaced { .. } | Adjacency::Rows { .. } => continue,
            };
            if let Some(list) = about.iter().find(|list| !self.is_input_list(list)) {
                return Err(malformed(format!("the adjacency is about {list}, which is no input list")));
            }
            self.check_public(bound)?;
            self.kinds.check_number(bound)?;
            for list in lists::changed_lists(clause) {
                if !changed.insert(list) {
                    return Err(malformed(format!("two clauses speak of the changed entry of {list}")));
                }
            }
            if let Adjacency::Norm { list, .. } = clause
                && !summed.insert(list)
            {
                return Err(malformed(format!("two clauses sum up the changes of {list}")));
            }
        }
        Ok(())
    }

    /// An expression made of parameters only: the same for both runs, and fixed.
    pub fn check_public(&self, e: &Expr) -> Result<(), Rejection> {
        match e.find_variable(&|v| !matches!(v, Variable::Plain(name) if self.is_param(name))) {
            None => Ok(()),
            Some(v) => Err(Rejection::NotPublic { variable: v.to_string(), found: e.to_string() }),
        }
    }

    /// A relation between inputs speaks of parameters, and of scalar inputs of either run: neighbours have lists of
    /// one length, and what else relates two lists their own clauses say.
    fn check_related(&self, assertion: &Expr) -> Result<(), Rejection> {
        let foreign = |v: &Variable| match v {
            Variable::Plain(name) => !self.is_param(name),
            Variable::Of(name, _) => !self.is_input(name) || self.is_input_list(name) || self.is_table(name),
            _ => true,
        };
        if let Some(v) = assertion.find_variable(&foreign) {
            return Err(malformed(format!(
                "the adjacency mentions {v}, which is no scalar input or parameter"
            )));
        }
        self.kinds.check_formula(assertion)
    }

    fn collect_facts(&mut self) {
        let mut facts = Vec::new();
        let of_all = |a: &&Expr| tables::of_rows(a).is_none() && lists::of_entries(a).is_none();
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
            // One place for all lists that change together.
            if let [list, others @ ..] = lists::changed_lists(clause) {
                let place = |list: &Name| Expr::Var(Variable::Changed(list.clone()));
                facts.extend(others.iter().map(|other| place(list).equals(place(other))));
            }
            if let Adjacency::Related(assertion) = clause {
                facts.push(match self.orientation {
                    Orientation::Forward => assertion.clone(),
                    Orientation::Backward => swap_runs(assertion),
                });
            }
        }
        // What holds of every row or entry says nothing where there is none.
        for assumption in self.mechanism.assumptions.iter().filter(of_all) {
            collect_positive(assumption, &mut self.positive);
        }
        let params = &self.mechanism.params;
        self.positive.retain(|name| params.iter().any(|p| p.name == *name));
        self.facts = facts;
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
        expr.rewrite(&|part| match part {
            Expr::Length(Variable::Of(name, _)) if self.is_input(name) => {
                Some(Expr::Length(Variable::Plain(name.clone())))
            }
            _ => None,
        })
    }

    pub(crate) fn is_param(&self, name: &Name) -> bool {
        self.mechanism.params.iter().any(|p| p.name == *name)
    }

    fn is_input_list(&self, name: &Name) -> bool {
        self.mechanism.inputs.iter().any(|i| i.name == *name && Kind::of_sort(&i.sort) == Kind::List)
    }

    fn is_table(&self, name: &Name) -> bool {
        self.mechanism.inputs.iter().any(|i| i.name == *name && Kind::of_sort(&i.sort) == Kind::Table)
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

    /// What the cost counts.
    pub fn measure(&self) -> Measure {
        self.measure
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

    /// What the adjacency and the assumptions say of the entries at `index` of the two lists. A negative bound says nothing: then
    /// only empty lists are neighbours, and what lies outside a list is no entry.
    pub fn adjacent_entries(&self, list: &Name, index: &Expr) -> Expr {
        let entry = |run| index.clone().index_of(Variable::Of(list.clone(), run));
        let (first, second) = match self.orientation {
            Orientation::Forward => (entry(Run::First), entry(Run::Second)),
            Orientation::Backward => (entry(Run::Second), entry(Run::First)),
        };
        let growth = second.clone() - first.clone();
        let near = |bound: &Expr| growth.clone().abs().le(bound.clone());
        let clauses = self.mechanism.adjacency.iter().filter_map(|clause| match clause {
            Adjacency::EveryEntry { list: l, bound } if l == list => {
                Some(Expr::int(0).le(bound.clone()).implies(near(bound)))
            }
            Adjacency::EveryEntryGrows { list: l, bound } if l == list => {
                let range = Expr::int(0).le(growth.clone()).and(growth.clone().le(bound.clone()));
                Some(Expr::int(0).le(bound.clone()).implies(range))
            }
            Adjacency::OneEntry { bound, .. } | Adjacency::OneEntryOf { bound, .. }
                if lists::changed_lists(clause).contains(list) =>
            {
                let here = index.clone().equals(Expr::Var(Variable::Changed(list.clone())));
                let same = second.clone().equals(first.clone());
                Some(Expr::int(0).le(bound.clone()).implies(here.or(same).and(near(bound))))
            }
            _ => None,
        });
        Expr::all(clauses.chain(lists::bounds_at(&self.mechanism, list, index)))
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
        Adjacency::EveryEntry { .. }
        | Adjacency::OneEntry { .. }
        | Adjacency::OneEntryOf { .. }
        | Adjacency::Norm { .. }
        | Adjacency::RowReplaced { .. } => true,
        Adjacency::EveryEntryGrows { .. } | Adjacency::OneRow { .. } | Adjacency::Rows { .. } => false,
        Adjacency::Related(assertion) => is_symmetric(assertion),
    }
}

/// Whether an assertion is one of the forms that plainly read the same with the runs exchanged: a constant,
/// `a' == a`, `abs(a' - a) <= b` with b the same for both runs, and conjunctions of these.
fn is_symmetric(assertion: &Expr) -> bool {
    match assertion {
        Expr::Bool(_) => true,
        Expr::Binary(Binary::Eq, a, b) if swap_runs(a) == **b => true,
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

/// Every expression of a block, those in laws, guards and bounds included.
pub fn for_each_expr(body: &[Statement], see: &mut dyn FnMut(&Expr)) {
    for statement in body {
        own_exprs(statement).into_iter().for_each(&mut *see);
        blocks(statement).into_iter().for_each(|block| for_each_expr(block, see));
    }
}

/// What a statement reads itself, without the statements inside.
fn own_exprs(statement: &Statement) -> Vec<&Expr> {
    match statement {
        Statement::Draw { law, .. } => law::parameters(law),
        Statement::Assign { value: e, .. }
        | Statement::Append { value: e, .. }
        | Statement::If { guard: e, .. }
        | Statement::While { guard: e, .. } => vec![e],
        Statement::For { from, to, .. } => vec![from, to],
    }
}

/// The statements inside.
fn blocks(statement: &Statement) -> Vec<&[Statement]> {
    match statement {
        Statement::If { then, otherwise, .. } => vec![then, otherwise],
        Statement::For { body, .. } | Statement::While { body, .. } => vec![body],
        _ => vec![],
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
        blocks(statement).into_iter().try_for_each(|block| check_assigned(block, shared, given))?;
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
        (Binary::Gt, Expr::Var(Variable::Plain(name)), bound) => (name, true, bound),
        (Binary::Ge, Expr::Var(Variable::Plain(name)), bound) => (name, false, bound),
        (Binary::Lt, bound, Expr::Var(Variable::Plain(name))) => (name, true, bound),
        (Binary::Le, bound, Expr::Var(Variable::Plain(name))) => (name, false, bound),
        _ => return,
    };
    let Some(bound) = literal(bound) else { return };
    if bound > Rational::ZERO || (strict && bound.is_zero()) {
        positive.insert(name.clone());
    }
}

/// A number as it is written: 3, 0.5 or 1/2.
fn literal(e: &Expr) -> Option<Rational> {
    match e {
        Expr::Number(n) => Some(n.clone()),
        Expr::Binary(Binary::Div, a, b) => match (&**a, &**b) {
            (Expr::Number(a), Expr::Number(b)) if !b.is_zero() => Some(a / b),
            _ => None,
        },
        _ => None,
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
