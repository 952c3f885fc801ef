//! Calls of mechanisms of other files: `y ~ name(inputs, parameters)`.

use probity_kernel::expr::{Expr as Term, Variable};
use probity_kernel::kind::{Kind, Kinds};
use probity_kernel::term::{Called, Distribution, Field, Hints, Reading, Sort, Statement};

use super::statements::is_distribution;
use super::{Elaborator, Scope};
use crate::Span;
use crate::diagnostic::Code;
use crate::program::Program;
use crate::syntax::{Expr, Ident};
use crate::types::Type;

/// Most statements that all calls of a file together stand for.
const MOST_CALLED: usize = 10_000;

/// How many statements a body has, with those of the mechanisms that it calls.
fn statements_of(body: &[Statement]) -> usize {
    let of = |statement: &Statement| match statement {
        Statement::Draw { law: Distribution::Called(called), .. } => statements_of(&called.mechanism.body),
        Statement::If { then, otherwise, .. } => statements_of(then) + statements_of(otherwise),
        Statement::For { body, .. } | Statement::While { body, .. } => statements_of(body),
        _ => 0,
    };
    body.iter().map(|statement| 1 + of(statement)).sum()
}

impl Elaborator<'_> {
    /// The names of `use` lines are those of no distribution, and each stands for one file.
    pub(super) fn check_uses(&mut self) {
        let uses = self.uses;
        for (place, (name, _)) in uses.iter().enumerate() {
            if is_distribution(&name.text) || uses[..place].iter().any(|(other, _)| other.text == name.text) {
                self.sink.report(Code::DuplicateName, name.span, || {
                    format!(
                        "`{}` is the name of a distribution or of another file: expected another",
                        name.text
                    )
                });
            }
        }
    }

    /// A call: its inputs in the order of the header, then its parameters.
    pub(super) fn called_law(
        &mut self,
        program: &Program,
        name: &Ident,
        arguments: &[Expr],
        span: Span,
    ) -> Option<Distribution> {
        let mechanism = &program.mechanism;
        let wanted = mechanism.inputs.len() + mechanism.params.len();
        let names: Vec<&str> = mechanism
            .inputs
            .iter()
            .map(|i| i.name.as_str())
            .chain(mechanism.params.iter().map(|p| p.name.as_str()))
            .collect();
        if arguments.len() != wanted {
            self.sink.report(Code::WrongArity, span, || {
                let (found, all) = (arguments.len(), names.join(", "));
                format!("`{}` has {found} arguments here: expected {}({all})", name.text, name.text)
            });
            arguments.iter().for_each(|argument| drop(self.expression(argument, Scope::Program)));
            return None;
        }
        let sorts = mechanism.inputs.iter().map(|i| &i.sort).chain(mechanism.params.iter().map(|p| &p.sort));
        let mut values: Vec<Term> = Vec::new();
        for (sort, argument) in sorts.zip(arguments) {
            values.push(match sort {
                Sort::Bool => self.typed(argument, Scope::Program, Type::Bool),
                Sort::Int | Sort::Category { .. } => self.typed(argument, Scope::Program, Type::Int),
                Sort::Real => self.typed(argument, Scope::Program, Type::Real),
                Sort::RealList | Sort::IntList => self.list_argument(sort, argument)?,
                Sort::Rows(fields) => self.table_argument(fields, argument)?,
            });
        }
        if matches!(program.claim.reading, Reading::Binary { .. }) {
            self.sink.report(Code::BadUse, name.span, || {
                format!("the claim of `{}` is about floating point: expected one over the reals", name.text)
            });
            return None;
        }
        let params = values.split_off(mechanism.inputs.len());
        let released = match Kinds::new(mechanism).and_then(|kinds| kinds.check(&mechanism.output)) {
            Ok(Kind::Real) => Sort::Real,
            Ok(Kind::Int) => Sort::Int,
            Ok(Kind::Bool) => Sort::Bool,
            _ => {
                self.sink.report_with(Code::BadUse, name.span, || {
                    let message = "expected a mechanism that releases one value";
                    (
                        format!("`{}` releases a list: {message}", name.text),
                        Some(
                            "write its statements here, or call one that releases one entry in a loop".into(),
                        ),
                    )
                });
                return None;
            }
        };
        // Every call holds the whole mechanism, so that calls of calls multiply.
        self.called_statements += statements_of(&mechanism.body);
        if self.called_statements > MOST_CALLED {
            self.sink.report_with(Code::BadUse, name.span, || {
                let message = format!(
                    "the calls of this file stand for more than {MOST_CALLED} statements: expected fewer"
                );
                (message, Some("call in a loop, or write out the innermost mechanism".into()))
            });
            return None;
        }
        let (mechanism, claim) = (mechanism.clone(), program.claim.clone());
        Some(Distribution::Called(Box::new(Called { mechanism, claim, inputs: values, params, released })))
    }

    /// A table by name, with the fields that the called mechanism reads.
    fn table_argument(&mut self, fields: &[Field], argument: &Expr) -> Option<Term> {
        let table = self.whole_table(argument, "a call that takes a table is given one")?;
        let Term::Var(Variable::Plain(name)) = &table else { return None };
        let ours = self.tables.get(name.as_str()).cloned().unwrap_or_default();
        for field in fields {
            let wanted = match field.sort {
                Sort::Bool => Type::Bool,
                Sort::Real => Type::Real,
                _ => Type::Int,
            };
            let found = ours.iter().find(|(known, _)| *known == field.name.as_str()).map(|(_, ty)| *ty);
            if found.is_none_or(|found| !wanted.accepts(found)) {
                self.sink.report(Code::WrongType, argument.span, || {
                    let (field, found) = (&field.name, found.map_or("none".to_string(), |ty| ty.to_string()));
                    format!(
                        "the called mechanism reads the field `{field}`: expected {wanted}, found {found}"
                    )
                });
                return None;
            }
        }
        Some(table)
    }

    fn list_argument(&mut self, sort: &Sort, argument: &Expr) -> Option<Term> {
        let value = self.expression(argument, Scope::Program);
        let fits = match sort {
            Sort::IntList => matches!(value.ty, Type::IntList | Type::EmptyList | Type::BoolList),
            _ => matches!(value.ty, Type::IntList | Type::RealList | Type::EmptyList),
        };
        if fits && matches!(value.term, Term::Var(_)) {
            return Some(value.term);
        }
        if value.ty != Type::Unknown {
            self.sink.report(Code::WrongType, argument.span, || match (fits, sort) {
                // A list, and none of integers.
                (false, Sort::IntList) if value.ty == Type::RealList => {
                    format!(
                        "the called mechanism takes a list of integers: expected one here, found {}",
                        value.ty
                    )
                }
                _ => format!("expected the name of a list here, found {}", value.ty),
            });
        }
        None
    }

    /// The hints of the file with those of the files that it calls.
    pub(super) fn with_called(&self, hints: Option<Hints>) -> Option<Hints> {
        let called: Vec<_> = self
            .uses
            .iter()
            .filter_map(|(_, program)| Some((program.mechanism.name.clone(), program.hints.clone()?)))
            .collect();
        if called.is_empty() {
            return hints;
        }
        Some(Hints { called, ..hints.unwrap_or_default() })
    }
}
