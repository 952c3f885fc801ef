//! Expressions: every name resolved, every operation given values that it is defined on.

use std::sync::Arc;

use probity_exact::Rational;
use probity_kernel::expr::{Binary, Expr as Term, Name, Run, Unary, Variable};

use super::{Elaborator, GHOSTS, Scope, compare, folds};
use crate::Span;
use crate::constant::number as constant;
use crate::diagnostic::{Code, quoted};
use crate::names::Role;
use crate::names::words;
use crate::syntax::{BinaryOp, CompareOp, Expr, ExprKind, Ident};
use crate::types::Type;

/// A checked expression.
#[derive(Clone)]
pub(super) struct Value {
    pub(super) term: Term,
    pub(super) ty: Type,
}

impl Value {
    /// What stands for an expression that was at fault. No program that has one is ever returned.
    pub(super) fn faulty() -> Value {
        Value { term: Term::Bool(false), ty: Type::Unknown }
    }
}

/// The functions of the language, with the number of their arguments.
const FUNCTIONS: [(&str, usize); 11] = [
    ("abs", 1),
    ("floor", 1),
    ("ln", 1),
    ("exp", 1),
    ("pow2_at_least", 1),
    ("sqrt", 1),
    ("length", 1),
    ("min", 2),
    ("max", 2),
    ("round_to", 2),
    ("clamp", 3),
];

impl Elaborator<'_> {
    /// A boolean expression; `None` when it was at fault.
    pub(super) fn formula(&mut self, expr: &Expr, scope: Scope) -> Option<Term> {
        let value = self.expression(expr, scope);
        self.require(&value, Type::Bool, expr.span);
        (value.ty == Type::Bool).then_some(value.term)
    }

    /// An expression of the given type.
    pub(super) fn typed(&mut self, expr: &Expr, scope: Scope, expected: Type) -> Term {
        let mut value = self.expression(expr, scope);
        if expected.is_numeric() {
            value = self.as_number(value, scope);
        }
        self.require(&value, expected, expr.span);
        value.term
    }

    /// In a proof an entry of an input list of truth values is the number that it is for the kernel, where a number is wanted: so are
    /// invariants printed.
    fn as_number(&self, value: Value, scope: Scope) -> Value {
        if let (Scope::Proof, Type::Bool, Term::Binary(Binary::Eq, entry, one)) =
            (scope, value.ty, &value.term)
            && let Term::Index(Variable::Of(list, _), _) = &**entry
            && **one == Term::int(1)
            && self.names.get(list.as_str()).is_some_and(|symbol| symbol.ty.entry() == Some(Type::Bool))
        {
            return Value { term: (**entry).clone(), ty: Type::Int };
        }
        value
    }

    /// Two values that are to be alike: both numbers if one of them is, or if numbers are wanted.
    fn alike(&self, a: Value, b: Value, numbers: bool, scope: Scope) -> (Value, Value) {
        let wanted = numbers || a.ty.is_numeric() || b.ty.is_numeric();
        match wanted && a.ty != Type::Unknown && b.ty != Type::Unknown {
            true => (self.as_number(a, scope), self.as_number(b, scope)),
            false => (a, b),
        }
    }

    pub(super) fn require(&mut self, value: &Value, expected: Type, span: Span) {
        if !expected.accepts(value.ty) {
            let found = value.ty;
            self.sink.report_with(Code::WrongType, span, || {
                let hint = match (expected, found) {
                    (Type::Int, Type::Real) => Some("`floor` makes an integer of a real".to_string()),
                    (Type::Bool, Type::Real | Type::Int) => Some("compare it with something".to_string()),
                    (Type::Real | Type::Int, Type::Bool) => Some("write `if b then 1 else 0`".to_string()),
                    _ => None,
                };
                (format!("expected {expected}, found {found}"), hint)
            });
        }
    }

    pub(super) fn expression(&mut self, expr: &Expr, scope: Scope) -> Value {
        match &expr.kind {
            ExprKind::Number(number) => {
                let ty = if number.is_int() { Type::Int } else { Type::Real };
                Value { term: Term::Number(number.clone()), ty }
            }
            ExprKind::Bool(value) => Value { term: Term::Bool(*value), ty: Type::Bool },
            ExprKind::Name(name) => self.name(name, expr.span, scope),
            ExprKind::Primed(name) => self.primed(name, expr.span, scope),
            ExprKind::Negate(inner) => {
                let inner_value = self.numeric(inner, scope);
                // A negative literal is a number of its own.
                let term = match inner_value.term {
                    Term::Number(number) => Term::Number(-number),
                    term => -term,
                };
                Value { term, ty: inner_value.ty }
            }
            ExprKind::Not(inner) => Value { term: !self.typed(inner, scope, Type::Bool), ty: Type::Bool },
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right, scope),
            ExprKind::Compare(first, links) => self.comparison(first, links, scope),
            ExprKind::Conditional(condition, yes, no) => {
                let condition = self.typed(condition, scope, Type::Bool);
                let (yes_value, no_value) = (self.expression(yes, scope), self.expression(no, scope));
                let (yes_value, no_value) = self.alike(yes_value, no_value, false, scope);
                let ty = yes_value.ty.join(no_value.ty);
                if ty.is_none() {
                    self.require(&no_value, yes_value.ty, no.span);
                }
                let term = condition.choose(yes_value.term, no_value.term);
                Value { term, ty: ty.unwrap_or(Type::Unknown) }
            }
            ExprKind::Call(function, arguments) => self.call(function, arguments, expr.span, scope),
            ExprKind::Index(list, index) => self.index(list, index, scope),
            ExprKind::Field(row, field) => self.field(row, field, scope),
            ExprKind::Aggregate(aggregate) => self.aggregate(aggregate, expr.span, scope),
            ExprKind::List(entries) if entries.is_empty() => {
                Value { term: Term::EmptyList, ty: Type::EmptyList }
            }
            ExprKind::Tuple(_) => {
                self.sink.report_with(Code::WrongType, expr.span, || {
                    let message = "only `return` takes a tuple: expected one value".to_string();
                    (message, Some("`return (a, b)` releases the list of a and b".into()))
                });
                Value::faulty()
            }
            ExprKind::List(_) => {
                self.sink.report_with(Code::WrongType, expr.span, || {
                    let hint = "start with `out = []` and add entries with `append(out, value)`";
                    ("a list is written empty: expected `[]`".to_string(), Some(hint.to_string()))
                });
                Value::faulty()
            }
        }
    }

    pub(super) fn numeric(&mut self, expr: &Expr, scope: Scope) -> Value {
        let value = self.expression(expr, scope);
        let value = self.as_number(value, scope);
        if !value.ty.is_numeric() {
            self.require(&value, Type::Real, expr.span);
            return Value { ty: Type::Unknown, ..value };
        }
        value
    }

    fn binary(&mut self, operator: BinaryOp, left: &Expr, right: &Expr, scope: Scope) -> Value {
        let operation = match operator {
            BinaryOp::Add => Binary::Add,
            BinaryOp::Subtract => Binary::Sub,
            BinaryOp::Multiply => Binary::Mul,
            BinaryOp::Divide => Binary::Div,
            BinaryOp::Modulo => Binary::Mod,
            BinaryOp::And => Binary::And,
            BinaryOp::Or => Binary::Or,
        };
        if matches!(operator, BinaryOp::And | BinaryOp::Or) {
            let (a, b) = (self.typed(left, scope, Type::Bool), self.typed(right, scope, Type::Bool));
            return Value { term: apply(operation, a, b), ty: Type::Bool };
        }
        let (a, b) = (self.numeric(left, scope), self.numeric(right, scope));
        if operator == BinaryOp::Modulo {
            self.require(&a, Type::Int, left.span);
            self.require(&b, Type::Int, right.span);
        }
        let divides = matches!(operator, BinaryOp::Divide | BinaryOp::Modulo);
        if divides && constant(&b.term).is_some_and(|divisor| divisor.is_zero()) {
            self.sink.report(Code::OutOfRange, right.span, || {
                "this divides by zero: expected a divisor other than 0".into()
            });
        }
        let ty = match operator {
            BinaryOp::Divide => Type::Real,
            BinaryOp::Modulo => Type::Int,
            _ => a.ty.join(b.ty).unwrap_or(Type::Unknown),
        };
        Value { term: apply(operation, a.term, b.term), ty }
    }

    /// `a <= b < c` is `a <= b and b < c`.
    fn comparison(&mut self, first: &Expr, links: &[(CompareOp, Expr)], scope: Scope) -> Value {
        let mut left = self.expression(first, scope);
        let mut left_span = first.span;
        let mut parts = Vec::with_capacity(links.len());
        for (operator, right_expr) in links {
            let right = self.expression(right_expr, scope);
            let ordered = !matches!(operator, CompareOp::Equal | CompareOp::NotEqual);
            let (a, b) = self.alike(left, right.clone(), ordered, scope);
            self.comparable(*operator, &a, left_span, &b, right_expr.span, scope);
            parts.push(compare(*operator, a.term, b.term));
            left = right;
            left_span = right_expr.span;
        }
        Value { term: Term::all(parts), ty: Type::Bool }
    }

    fn comparable(
        &mut self,
        operator: CompareOp,
        left: &Value,
        left_span: Span,
        right: &Value,
        right_span: Span,
        scope: Scope,
    ) {
        let equality = matches!(operator, CompareOp::Equal | CompareOp::NotEqual);
        let lists = left.ty.is_list() && right.ty.is_list() && left.ty != Type::Unknown;
        if equality && (!lists || scope == Scope::Proof) {
            if left.ty.join(right.ty).is_none() {
                self.require(right, left.ty, right_span);
            }
            return;
        }
        for (value, span) in [(left, left_span), (right, right_span)] {
            if !value.ty.is_numeric() {
                self.require(value, Type::Real, span);
            }
        }
    }

    fn index(&mut self, list: &Expr, index: &Expr, scope: Scope) -> Value {
        let value = self.expression(list, scope);
        let at = self.typed(index, scope, Type::Int);
        if constant(&at).is_some_and(|place| place < Rational::ZERO) {
            self.sink.report(Code::OutOfRange, index.span, || {
                "entries are counted from 0: expected an index that is not negative".into()
            });
        }
        match (value.ty.entry(), value.term) {
            (Some(entry), Term::Var(variable)) => Value { term: self.entry(at, &variable, entry), ty: entry },
            (Some(_), _) => Value::faulty(),
            (None, _) => {
                self.sink.report(Code::WrongType, list.span, || {
                    format!("expected a list before `[`, found {}", value.ty)
                });
                Value::faulty()
            }
        }
    }

    /// The entry of a list at a place. An input list of truth values is one of the integers 0 and 1 for the kernel.
    pub(super) fn entry(&self, at: Term, list: &Variable, ty: Type) -> Term {
        let name = match list {
            Variable::Plain(name) | Variable::Of(name, _) => name.as_str(),
            _ => "",
        };
        let input = self.names.get(name).is_some_and(|symbol| symbol.role == Role::Input);
        let entry = at.index_of(list.clone());
        if input && ty == Type::Bool { entry.equals(Term::int(1)) } else { entry }
    }

    fn call(&mut self, function: &Ident, arguments: &[Expr], span: Span, scope: Scope) -> Value {
        if function.text == "changed" && scope == Scope::Proof {
            return self.changed(function, arguments);
        }
        if scope == Scope::Proof && matches!(function.text.as_str(), "apart" | "moved") {
            return self.of_lists(function, arguments, span);
        }
        if folds::is_fold(&function.text, arguments.len()) {
            return self.fold(function, &arguments[0], span, scope);
        }
        let Some((_, arity)) = FUNCTIONS.iter().find(|(name, _)| *name == function.text) else {
            self.unknown_function(function);
            for argument in arguments {
                self.expression(argument, scope);
            }
            return Value::faulty();
        };
        if arguments.len() != *arity {
            let found = arguments.len();
            self.sink.report(Code::WrongArity, span, || {
                let plural = if *arity == 1 { "" } else { "s" };
                format!("`{}` takes {arity} argument{plural}: expected {arity}, found {found}", function.text)
            });
            return Value::faulty();
        }
        if function.text == "length" {
            return self.length(&arguments[0], scope);
        }
        let mut values: Vec<Value> = arguments.iter().map(|a| self.numeric(a, scope)).collect();
        let joined = values.iter().fold(Type::Unknown, |ty, v| ty.join(v.ty).unwrap_or(Type::Unknown));
        if function.text == "round_to" && constant(&values[1].term).is_some_and(|grid| grid <= Rational::ZERO)
        {
            self.sink.report(Code::OutOfRange, arguments[1].span, || {
                "a grid has a positive step: expected a value above 0".into()
            });
        }
        let mut next = || Arc::new(values.remove(0).term);
        let (term, ty) = match function.text.as_str() {
            "abs" => (Term::Unary(Unary::Abs, next()), joined),
            "floor" => (Term::Unary(Unary::Floor, next()), Type::Int),
            "ln" => (Term::Unary(Unary::Ln, next()), Type::Real),
            "exp" => (Term::Unary(Unary::Exp, next()), Type::Real),
            "sqrt" => (Term::Unary(Unary::Sqrt, next()), Type::Real),
            "pow2_at_least" => (Term::Unary(Unary::Pow2AtLeast, next()), Type::Real),
            "min" => (Term::Binary(Binary::Min, next(), next()), joined),
            "max" => (Term::Binary(Binary::Max, next(), next()), joined),
            "round_to" => (Term::Binary(Binary::RoundTo, next(), next()), joined),
            _ => (Term::Clamp(next(), next(), next()), joined),
        };
        Value { term, ty }
    }

    fn length(&mut self, list: &Expr, scope: Scope) -> Value {
        let value = self.expression(list, scope);
        match value.term {
            Term::Var(variable) if value.ty.is_list() => {
                Value { term: Term::Length(self.whose_length(variable, scope)), ty: Type::Int }
            }
            _ if value.ty == Type::Unknown => Value::faulty(),
            _ if value.ty == Type::Table => {
                self.no_length(list.span);
                Value::faulty()
            }
            _ => {
                self.sink.report(Code::WrongType, list.span, || {
                    format!("`length` is of a list: expected the name of a list, found {}", value.ty)
                });
                Value::faulty()
            }
        }
    }

    /// An input list is equally long in both runs: a proof that speaks of its length speaks of one number.
    fn whose_length(&self, list: Variable, scope: Scope) -> Variable {
        match list {
            Variable::Of(name, _)
                if scope == Scope::Proof
                    && self.names.get(name.as_str()).is_some_and(|symbol| symbol.role == Role::Input) =>
            {
                Variable::Plain(name)
            }
            other => other,
        }
    }

    /// `apart(list, low, high)` and `moved(list, place)`: what a proof may say of all entries of a list.
    fn of_lists(&mut self, function: &Ident, arguments: &[Expr], span: Span) -> Value {
        let list = match arguments.first() {
            Some(Expr { kind: ExprKind::Name(list), span, .. }) => {
                Some((list, self.name(list, *span, Scope::Proof).ty.is_list()))
            }
            _ => None,
        };
        match (function.text.as_str(), arguments, list) {
            ("apart", [_, low, high], Some((list, true))) => {
                let low = self.typed(low, Scope::Proof, Type::Real);
                let high = self.typed(high, Scope::Proof, Type::Real);
                Value { term: Term::apart(list.as_str(), low, high), ty: Type::Bool }
            }
            ("moved", [_, place], Some((list, true))) => {
                let place = self.typed(place, Scope::Proof, Type::Int);
                let term = place.index_of(Variable::Moved(Name::new(list)));
                Value { term, ty: Type::Real }
            }
            _ => {
                self.sink.report(Code::WrongArity, span, || {
                    "expected `apart(list, low, high)` or `moved(list, place)`, with the name of a list"
                        .to_string()
                });
                Value::faulty()
            }
        }
    }

    /// `changed(list)`, the place where the two lists of a one-entry adjacency differ.
    fn changed(&mut self, function: &Ident, arguments: &[Expr]) -> Value {
        let [Expr { kind: ExprKind::Name(list), span, .. }] = arguments else {
            self.sink.report(Code::WrongArity, function.span, || {
                "`changed` takes the name of an input list: expected `changed(list)`".to_string()
            });
            return Value::faulty();
        };
        let value = self.name(list, *span, Scope::Proof);
        if !value.ty.is_list() {
            self.sink.report(Code::WrongType, *span, || {
                format!("`changed` is about a list: expected an input list, found {}", value.ty)
            });
        }
        Value { term: Term::Var(Variable::Changed(Name::new(list))), ty: Type::Int }
    }

    fn unknown_function(&mut self, function: &Ident) {
        self.sink.report_with(Code::UnknownFunction, function.span, || {
            let all: Vec<&'static str> = FUNCTIONS.iter().map(|(name, _)| *name).collect();
            let hint = if super::statements::is_distribution(&function.text) {
                format!("a draw is a statement of its own: `y ~ {}(...)`", function.text)
            } else if let Some(near) = words::function(&function.text, &all) {
                format!("did you mean `{near}`?")
            } else {
                format!(
                    "the functions are {}; of lists `sum`, `max` and `argmax`, of tables `count` and `sum`",
                    all.join(", ")
                )
            };
            (format!("{} is no function: expected one of the language", quoted(&function.text)), Some(hint))
        });
    }

    /// A name in the first run, or shared by both.
    pub(super) fn name(&mut self, name: &str, span: Span, scope: Scope) -> Value {
        if scope == Scope::Proof && GHOSTS.contains(&name) {
            let variable = if name == "cost" { Variable::Cost } else { Variable::Result };
            let ty = if name == "cost" { Type::Real } else { Type::Unknown };
            return Value { term: Term::Var(variable), ty };
        }
        let Some(symbol) = self.names.get_mut(name) else {
            self.unknown_name(name, span);
            return Value::faulty();
        };
        // Saying how an input may change is no use of it.
        symbol.used |= scope != Scope::Relation || symbol.role != Role::Input;
        let (ty, assigned, role) = (symbol.ty, symbol.assigned, symbol.role.clone());
        let variable = match (&role, scope) {
            (Role::LoopLabel, _) => {
                self.not_fixed(name, &role, span, "a value");
                return Value::faulty();
            }
            (Role::Definition(definition), scope) if scope != Scope::Program => {
                return Value { term: definition.value.clone(), ty };
            }
            (Role::Param | Role::Definition(_), _) => Variable::Plain(Name::new(name)),
            (_, Scope::Fixed) => {
                self.not_fixed(name, &role, span, "parameters and definitions only");
                return Value::faulty();
            }
            (Role::Variable | Role::LoopIndex, Scope::Assumption | Scope::Relation) => {
                self.not_fixed(name, &role, span, "parameters and inputs only");
                return Value::faulty();
            }
            (Role::Input | Role::Variable, Scope::Relation | Scope::Proof) => {
                Variable::Of(Name::new(name), Run::First)
            }
            _ => Variable::Plain(Name::new(name)),
        };
        if scope == Scope::Program && !assigned {
            self.sink.report_with(Code::UseBeforeAssignment, span, || {
                let message =
                    format!("`{name}` may have no value here: expected an assignment on every path");
                (message, Some("assign it before the branch or loop".into()))
            });
        }
        if scope == Scope::Program && role == Role::LoopIndex && !self.loops.iter().any(|l| l == name) {
            self.sink.report(Code::UseBeforeAssignment, span, || {
                format!("`{name}` has a value only inside its loop: expected a use in the loop's body")
            });
        }
        Value { term: Term::Var(variable), ty }
    }

    /// `x'`, in the second run.
    pub(super) fn primed(&mut self, name: &str, span: Span, scope: Scope) -> Value {
        if !matches!(scope, Scope::Relation | Scope::Proof) {
            self.sink.report_with(Code::PrimeOutsideRelation, span, || {
                let message =
                    format!("`{name}'` is the neighbouring run's: expected `{name}`, or a `neighbours` line");
                (message, Some("a mechanism sees one input, not its neighbour".into()))
            });
            return Value::faulty();
        }
        let Some(symbol) = self.names.get_mut(name) else {
            self.unknown_name(name, span);
            return Value::faulty();
        };
        let (ty, role) = (symbol.ty, symbol.role.clone());
        let differs = match scope {
            Scope::Relation => role == Role::Input,
            _ => matches!(role, Role::Input | Role::Variable),
        };
        if !differs {
            self.sink.report_with(Code::PrimeOfNonInput, span, || {
                let expected = if scope == Scope::Relation { "an input" } else { "an input or a variable" };
                let message = format!("`{name}` is {}: expected {expected} before `'`", role.describe());
                (message, Some(format!("write `{name}`")))
            });
            return Value::faulty();
        }
        Value { term: Term::Var(Variable::Of(Name::new(name), Run::Second)), ty }
    }

    pub(super) fn unknown_name(&mut self, name: &str, span: Span) {
        if !self.report_unknown {
            return;
        }
        let names = &self.names;
        self.sink.report_with(Code::UnknownName, span, || {
            let hint = match names.nearest(name) {
                _ if matches!(name, "rho" | "mu") => {
                    format!("`claim {name} 1/2` claims an amount of this measure, which is at least 0")
                }
                Some(near) => format!("did you mean `{near}`?"),
                None => "inputs stand in the first line, parameters in `param` lines".to_string(),
            };
            (
                format!("{} is not declared: expected an input, a parameter or a variable", quoted(name)),
                Some(hint),
            )
        });
    }

    fn not_fixed(&mut self, name: &str, role: &Role, span: Span, allowed: &str) {
        self.sink.report_with(Code::NotFixed, span, || {
            let hint = matches!(role, Role::Variable)
                .then(|| format!("`let {name} = …` above the statements names what the parameters fix"));
            (format!("`{name}` is {}: expected {allowed} here", role.describe()), hint)
        });
    }
}

fn apply(operation: Binary, left: Term, right: Term) -> Term {
    Term::Binary(operation, Arc::new(left), Arc::new(right))
}
