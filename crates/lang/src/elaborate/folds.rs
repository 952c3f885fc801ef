//! `sum(q)`, `max(q)` and `argmax(q)` of an input list: a loop before the statement in which they stand. Inputs never
//! change, so it does not matter when the loop runs.

use probity_kernel::expr::{Expr as Term, Name, Variable};
use probity_kernel::term::Statement as KernelStatement;

use super::expressions::Value;
use super::{Elaborator, Scope};
use crate::Span;
use crate::diagnostic::Code;
use crate::names::Role;
use crate::syntax::{Expr, Ident};
use crate::types::Type;

/// Whether a call of this name with this many arguments goes over a list.
pub(super) fn is_fold(function: &str, arguments: usize) -> bool {
    arguments == 1 && matches!(function, "sum" | "max" | "argmax")
}

impl Elaborator<'_> {
    /// The value of a fold; its loop waits for the statement at hand.
    pub(super) fn fold(&mut self, function: &Ident, list: &Expr, span: Span, scope: Scope) -> Value {
        let value = self.expression(list, scope);
        let what = function.text.as_str();
        let (Some(entry), Term::Var(Variable::Plain(list_name))) = (value.ty.entry(), &value.term) else {
            if value.ty != Type::Unknown {
                self.sink.report_with(Code::WrongType, list.span, || {
                    let hint = "`sum(r in table, value)` goes over the rows of a table, `max(a, b)` takes two numbers";
                    (format!("`{what}` goes over a list: expected one, found {}", value.ty), Some(hint.into()))
                });
            }
            return Value::faulty();
        };
        if scope != Scope::Program {
            self.sink.report(Code::NotFixed, span, || {
                format!("`{what}` of a list is computed by the program: expected parameters here")
            });
            return Value::faulty();
        }
        let input = self.names.get(list_name.as_str()).is_some_and(|symbol| symbol.role == Role::Input);
        if !input || (entry == Type::Bool && what != "sum") {
            self.sink.report_with(Code::WrongType, list.span, || {
                let message = match input {
                    true => format!("`{what}` is of numbers: expected a list of numbers"),
                    false => format!("`{what}` is of an input list: expected one, found an output list"),
                };
                let hint = match what {
                    "sum" => "keep a running total: `total += value`",
                    _ => "keep the best so far: `if i == 0 or v > best { best = v winner = i }`, a statement a line",
                };
                (message, Some(hint.into()))
            });
            return Value::faulty();
        }
        let ty = if entry == Type::Bool || what == "argmax" { Type::Int } else { entry };
        self.folded(list_name, what, ty, span)
    }

    fn folded(&mut self, list: &Name, what: &str, ty: Type, span: Span) -> Value {
        let text = self.names.fresh(&format!("{list}_{what}"), span);
        let var = Ident { text, span };
        let index = Ident { text: self.names.fresh(&format!("{list}_{what}_index"), span), span };
        self.store(&var, ty, span);
        if self.names.get(&index.text).is_none() {
            self.declare(&index, Role::LoopIndex, Type::Int);
        }
        for ident in [&var, &index] {
            if let Some(symbol) = self.names.get_mut(&ident.text) {
                symbol.used = true;
            }
        }
        let (name, i) = (Name::new(&var.text), Term::var(index.text.as_str()));
        let over = Variable::Plain(list.clone());
        let at = |place: Term| place.index_of(over.clone());
        let so_far = || Term::Var(Variable::Plain(name.clone()));
        let assign = |value: Term| KernelStatement::Assign { var: name.clone(), value };
        let (start, step) = match what {
            "sum" => (Term::int(0), assign(so_far() + at(i))),
            "max" => (at(Term::int(0)), assign(so_far().max(at(i)))),
            _ => {
                let better = at(i.clone()).gt(at(so_far()));
                (
                    Term::int(0),
                    KernelStatement::If { guard: better, then: vec![assign(i)], otherwise: vec![] },
                )
            }
        };
        // One place for each statement, the one inside a condition included.
        let count = 3 + usize::from(what == "argmax");
        self.spans.extend(std::iter::repeat_n(span, count));
        self.waiting.push(assign(start));
        self.waiting.push(KernelStatement::For {
            index: Name::new(&index.text),
            from: Term::int(0),
            to: Term::Length(over.clone()),
            body: vec![step],
        });
        Value { term: so_far(), ty }
    }
}
