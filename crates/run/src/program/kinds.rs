//! What each variable holds: numbers, truth values, or lists of them. The language has checked that it is one of these.

use std::collections::BTreeMap;

use probity_kernel::expr::{Binary, Expr, Name, Unary, Variable};
use probity_kernel::term::{Distribution, Mechanism, Sort, Statement};

use super::code::Kind;

/// The kinds of all variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kinds(BTreeMap<Name, Kind>);

impl Kinds {
    pub(crate) fn of(mechanism: &Mechanism) -> Kinds {
        let mut kinds = Kinds::default();
        for input in &mechanism.inputs {
            kinds.0.insert(input.name.clone(), kind_of(&input.sort));
        }
        // A variable may take its kind from one that is assigned further down, in a loop.
        loop {
            let before = kinds.0.len();
            kinds.block(&mechanism.body);
            if kinds.0.len() == before {
                return kinds;
            }
        }
    }

    fn learn(&mut self, name: &Name, kind: Option<Kind>) {
        if let Some(kind) = kind {
            self.0.entry(name.clone()).or_insert(kind);
        }
    }

    fn block(&mut self, body: &[Statement]) {
        for statement in body {
            match statement {
                Statement::Draw { var, law: Distribution::Bernoulli(_) } => {
                    self.learn(var, Some(Kind::Truth))
                }
                Statement::Draw { var, .. } => self.learn(var, Some(Kind::Number)),
                // What is appended says what an empty list is a list of.
                Statement::Assign { value: Expr::EmptyList, .. } => {}
                Statement::Assign { var, value } => {
                    let kind = self.kind(value);
                    self.learn(var, kind);
                }
                Statement::Append { list, value } => {
                    let kind = match self.kind(value) {
                        Some(Kind::Truth) => Some(Kind::Truths),
                        Some(_) => Some(Kind::Numbers),
                        None => None,
                    };
                    self.learn(list, kind);
                }
                Statement::If { then, otherwise, .. } => {
                    self.block(then);
                    self.block(otherwise);
                }
                Statement::For { index, body, .. } => {
                    self.learn(index, Some(Kind::Number));
                    self.block(body);
                }
                Statement::While { body, .. } => self.block(body),
            }
        }
    }

    /// The kind of a variable; a list to which nothing is ever appended is a list of numbers.
    pub(crate) fn variable(&self, variable: &Variable) -> Option<Kind> {
        match variable {
            Variable::Plain(name) => self.0.get(name).copied(),
            _ => None,
        }
    }

    /// The kind of an expression, as far as it is known.
    pub(crate) fn kind(&self, expr: &Expr) -> Option<Kind> {
        match expr {
            Expr::Number(_) | Expr::Clamp(..) | Expr::Length(_) | Expr::Sum(..) => Some(Kind::Number),
            Expr::Bool(_) | Expr::Apart(..) | Expr::Unary(Unary::Not, _) => Some(Kind::Truth),
            Expr::Unary(..) => Some(Kind::Number),
            Expr::Binary(operation, ..) => Some(match operation {
                Binary::Lt | Binary::Le | Binary::Eq | Binary::Ne | Binary::Ge | Binary::Gt => Kind::Truth,
                Binary::And | Binary::Or => Kind::Truth,
                _ => Kind::Number,
            }),
            Expr::Var(variable) => self.variable(variable),
            Expr::If(_, yes, no) => self.kind(yes).or_else(|| self.kind(no)),
            Expr::Index(list, _) => match self.variable(list)? {
                Kind::Truths => Some(Kind::Truth),
                _ => Some(Kind::Number),
            },
            Expr::EmptyList => None,
        }
    }
}

fn kind_of(sort: &Sort) -> Kind {
    match sort {
        Sort::Bool => Kind::Truth,
        Sort::Real | Sort::Int | Sort::Category { .. } => Kind::Number,
        Sort::RealList | Sort::IntList | Sort::Rows(_) => Kind::Numbers,
    }
}
