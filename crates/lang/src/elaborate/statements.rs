//! Statements: types of variables, values on every path, and the laws of draws.

use probity_exact::Rational;
use probity_kernel::expr::{Expr as Term, Name};
use probity_kernel::kind::Kind;
use probity_kernel::law;
use probity_kernel::term::{Distribution, Statement as KernelStatement};

use super::{Elaborator, Scope};
use crate::Span;
use crate::constant::number as constant;
use crate::diagnostic::{Code, quoted};
use crate::names::Role;
use crate::names::words;
use crate::syntax::{Expr, ExprKind, Ident, Iteration, Statement, StatementKind};
use crate::types::Type;

/// The distributions of the language, with how they are written.
const DISTRIBUTIONS: [(&str, &str); 16] = [
    ("uniform", "uniform(low, high)"),
    ("sign", "sign()"),
    ("bernoulli", "bernoulli(probability)"),
    ("uniform_int", "uniform_int(low, high)"),
    ("uniform_other", "uniform_other(value, count)"),
    ("response", "response(value, truth, count)"),
    ("choose", "choose(scores, scale)"),
    ("permute_and_flip", "permute_and_flip(scores, scale)"),
    ("sample", "sample(table, probability)"),
    ("laplace", "laplace(scale) or laplace(center, scale)"),
    ("discrete_laplace", "discrete_laplace(scale) or discrete_laplace(center, scale)"),
    ("gaussian", "gaussian(deviation) or gaussian(center, deviation)"),
    ("discrete_gaussian", "discrete_gaussian(deviation) or discrete_gaussian(center, deviation)"),
    ("gumbel", "gumbel(scale) or gumbel(center, scale)"),
    ("exponential", "exponential(scale)"),
    ("geometric", "geometric(scale)"),
];

/// Whether the language has a distribution of this name.
pub(super) fn is_distribution(name: &str) -> bool {
    law::NAMES.contains(&name)
}

impl Elaborator<'_> {
    /// The statements of a mechanism, and the value that its last line returns.
    pub(super) fn statements_and_output(
        &mut self,
        body: &[Statement],
    ) -> (Vec<KernelStatement>, Option<Term>) {
        let Some((last, before)) = body.split_last() else { return (Vec::new(), None) };
        let StatementKind::Return(value) = &last.kind else {
            let statements = self.block(body);
            // A block that was never closed has taken in the lines after it.
            if matches!(last.kind, StatementKind::Faulty { .. }) || self.sink.has(Code::Unclosed) {
                return (statements, None);
            }
            self.sink.report_with(Code::MissingReturn, last.span, || {
                let message =
                    "the mechanism ends here without a result: expected `return` as its last statement";
                (message.to_string(), Some("to stop early, let a condition guard the rest".into()))
            });
            return (statements, None);
        };
        let mut statements = self.block(before);
        if let ExprKind::Tuple(parts) = &value.kind {
            let output = self.tuple(parts, last.span, &mut statements);
            return (statements, Some(output));
        }
        let output = self.expression(value, Scope::Program);
        statements.append(&mut self.waiting);
        self.not_a_table(&output, value.span);
        (statements, Some(output.term))
    }

    /// What a tuple releases: a list of its parts.
    fn tuple(&mut self, parts: &[Expr], span: Span, out: &mut Vec<KernelStatement>) -> Term {
        let text = self.names.fresh("result_list", span);
        let list = Ident { text, span };
        self.spans.push(span);
        self.store(&list, Type::EmptyList, span);
        out.push(KernelStatement::Assign { var: Name::new(&list.text), value: Term::EmptyList });
        for part in parts {
            let statement = Statement {
                kind: StatementKind::Append { list: list.clone(), value: part.clone() },
                span: part.span,
            };
            self.spans.push(span);
            let mut made = Vec::new();
            self.statement(&statement, &mut made);
            out.append(&mut self.waiting);
            out.append(&mut made);
        }
        if let Some(symbol) = self.names.get_mut(&list.text) {
            symbol.used = true;
        }
        Term::var(list.text.as_str())
    }

    fn block(&mut self, statements: &[Statement]) -> Vec<KernelStatement> {
        let mut out = Vec::with_capacity(statements.len());
        // What waits belongs before the statement around this block.
        let around = std::mem::take(&mut self.waiting);
        for statement in statements {
            self.spans.push(statement.span);
            let mut made = Vec::new();
            self.statement(statement, &mut made);
            out.append(&mut self.waiting);
            out.append(&mut made);
        }
        self.waiting = around;
        out
    }

    fn statement(&mut self, statement: &Statement, out: &mut Vec<KernelStatement>) {
        match &statement.kind {
            StatementKind::Draw { target, law, arguments } => {
                if let Some((low, high)) = self.interval(law, arguments) {
                    return self.uniform_between(target, (low, high), statement.span, out);
                }
                let law = self.law(law, arguments, statement.span);
                let ty = law.as_ref().map_or(Type::Unknown, drawn_type);
                self.store(target, ty, statement.span);
                if let Some(Distribution::Sample { table, .. }) = &law {
                    self.sample_of(target, table);
                }
                if let Some(symbol) = self.names.get_mut(&target.text) {
                    symbol.drawn = true;
                }
                out.extend(law.map(|law| KernelStatement::Draw { var: Name::new(&target.text), law }));
            }
            StatementKind::Assign { target, value } => {
                let new = self.expression(value, Scope::Program);
                self.not_a_table(&new, value.span);
                if new.ty.is_list() && !matches!(new.ty, Type::EmptyList | Type::Unknown) {
                    self.sink.report_with(Code::WrongType, value.span, || {
                        let hint = "start with `out = []` and add entries with `append(out, value)`";
                        (
                            "a list is not copied: expected a number, a boolean or `[]`".into(),
                            Some(hint.into()),
                        )
                    });
                }
                let ty = if new.ty == Type::Table { Type::Unknown } else { new.ty };
                self.store(target, ty, value.span);
                out.push(KernelStatement::Assign { var: Name::new(&target.text), value: new.term });
            }
            StatementKind::Append { list, value } => self.append(list, value, out),
            StatementKind::If { condition, yes, no } => {
                let guard = self.typed(condition, Scope::Program, Type::Bool);
                let mark = self.names.mark();
                let then = self.block(yes);
                let in_yes = self.names.undo(mark);
                let otherwise = self.block(no);
                let in_no = self.names.undo(mark);
                // What both branches assign has a value after them.
                let in_no: std::collections::HashSet<String> = in_no.into_iter().collect();
                for name in in_yes.iter().filter(|name| in_no.contains(*name)) {
                    self.names.assign(name);
                }
                out.push(KernelStatement::If { guard, then, otherwise });
            }
            StatementKind::For { variable, over, body } => self.for_loop(variable, over, body, out),
            StatementKind::While { condition, label, body } => {
                let label = self.label(label.as_ref());
                let guard = self.typed(condition, Scope::Program, Type::Bool);
                let mark = self.names.mark();
                let body = self.block(body);
                self.names.undo(mark);
                out.push(KernelStatement::While { label, guard, body });
            }
            StatementKind::Faulty { target } => {
                if let Some(target) = target {
                    self.store(target, Type::Unknown, statement.span);
                }
            }
            StatementKind::Return(value) => {
                self.expression(value, Scope::Program);
                if self.sink.has(Code::Unclosed) {
                    return;
                }
                self.sink.report_with(Code::Unreachable, statement.span, || {
                    let message = "only the last statement of a mechanism returns: expected no `return` here";
                    (message.to_string(), Some("let a condition guard the statements after it".into()))
                });
            }
        }
    }

    /// The ends of a uniform draw, if they are not 0 and 1.
    fn interval(&mut self, law: &Ident, arguments: &[Expr]) -> Option<(Term, Term)> {
        let [low, high] = arguments else { return None };
        let is = |e: &Expr, n: i64| matches!(&e.kind, ExprKind::Number(m) if *m == Rational::from(n));
        let called = self.uses.iter().any(|(name, _)| name.text == law.text);
        if law.text != "uniform" || called || is(low, 0) && is(high, 1) {
            return None;
        }
        let from = self.typed(low, Scope::Program, Type::Real);
        let to = self.typed(high, Scope::Program, Type::Real);
        if let (Some(a), Some(b)) = (constant(&from), constant(&to))
            && a >= b
        {
            self.sink.report(Code::OutOfRange, low.span.to(high.span), || {
                "no interval lies between these: expected low < high".to_string()
            });
        }
        Some((from, to))
    }

    /// A uniform draw between two numbers is one between 0 and 1 that is stretched.
    fn uniform_between(
        &mut self,
        target: &Ident,
        (low, high): (Term, Term),
        span: Span,
        out: &mut Vec<KernelStatement>,
    ) {
        let unit = Ident { text: self.names.fresh(&format!("{}_unit", target.text), span), span };
        self.store(&unit, Type::Real, span);
        self.store(target, Type::Real, span);
        if let Some(symbol) = self.names.get_mut(&unit.text) {
            (symbol.drawn, symbol.used) = (true, true);
        }
        let drawn = Term::var(unit.text.as_str());
        let value = if low == Term::int(0) { high * drawn } else { low.clone() + (high - low) * drawn };
        let law = Distribution::Uniform;
        out.push(KernelStatement::Draw { var: Name::new(&unit.text), law });
        out.push(KernelStatement::Assign { var: Name::new(&target.text), value });
    }

    /// Gives a variable a value of type `ty`. The first value declares it.
    pub(super) fn store(&mut self, target: &Ident, ty: Type, span: Span) {
        if self.names.get(&target.text).is_some() {
            self.not_a_ghost(target);
        }
        match self.names.get_mut(&target.text) {
            None => self.declare(target, Role::Variable, ty),
            Some(symbol) if symbol.role == Role::Variable => match symbol.ty.join(ty) {
                Some(joined) => symbol.ty = joined,
                None => {
                    let earlier = symbol.ty;
                    self.sink.report(Code::WrongType, span, || {
                        format!("`{}` held {earlier} above: expected {earlier}, found {ty}", target.text)
                    });
                }
            },
            Some(symbol) => {
                let role = symbol.role.describe();
                self.sink.report_with(Code::NotAssignable, target.span, || {
                    let message = format!("`{}` is {role}: expected a variable to assign to", target.text);
                    (message, Some("give what is set here another name".into()))
                });
            }
        }
        self.names.assign(&target.text);
    }

    fn append(&mut self, list: &Ident, value: &Expr, out: &mut Vec<KernelStatement>) {
        let new = self.expression(value, Scope::Program);
        let Some(symbol) = self.names.get(&list.text) else {
            self.unknown_name(&list.text, list.span);
            return;
        };
        let (role, ty, assigned) = (symbol.role.clone(), symbol.ty, symbol.assigned);
        if role != Role::Variable || !ty.is_list() {
            self.sink.report_with(Code::NotAssignable, list.span, || {
                let found = if role == Role::Variable { ty.to_string() } else { role.describe().to_string() };
                let message = format!("`{}` is {found}: expected an output list to append to", list.text);
                (message, Some(format!("start one with `{} = []`", list.text)))
            });
            return;
        }
        if !assigned {
            self.sink.report(Code::UseBeforeAssignment, list.span, || {
                format!("`{0}` may have no value here: expected `{0} = []` on every path", list.text)
            });
        }
        match new.ty.list().and_then(|list| ty.join(list)) {
            Some(joined) => {
                if let Some(symbol) = self.names.get_mut(&list.text) {
                    symbol.ty = joined;
                }
            }
            None => self.mixed_list(list, ty, new.ty, value),
        }
        out.push(KernelStatement::Append { list: Name::new(&list.text), value: new.term });
    }

    /// A list of truth values to which a number is appended, or the other way round.
    fn mixed_list(&mut self, list: &Ident, ty: Type, found: Type, value: &Expr) {
        let entry = ty.entry().unwrap_or(Type::Unknown);
        self.sink.report_with(Code::WrongType, value.span, || {
            // The list of a tuple is ours, and stands nowhere in the text.
            let tuple = list.span.start <= value.span.start && value.span.end <= list.span.end;
            let message = if tuple {
                format!("the parts of a tuple are of one kind: expected {entry} as before, found {found}")
            } else {
                format!(
                    "`{}` is {ty} by what was appended before: expected {entry}, found {found}",
                    list.text
                )
            };
            let hint = match (ty, found) {
                (Type::BoolList, _) | (_, Type::Bool) if tuple => {
                    Some("write `if b then 1 else 0` for a truth value b".into())
                }
                (Type::BoolList, _) | (_, Type::Bool) => Some(
                    "a list has one kind of entry: append `if b then 1 else 0` for a truth value b".into(),
                ),
                _ => None,
            };
            (message, hint)
        });
    }

    fn for_loop(
        &mut self,
        variable: &Ident,
        over: &Iteration,
        body: &[Statement],
        out: &mut Vec<KernelStatement>,
    ) {
        let (index, from, to, entry) = match over {
            Iteration::Range(low, high) => {
                let low = self.typed(low, Scope::Program, Type::Int);
                let high = self.typed(high, Scope::Program, Type::Int);
                (variable.clone(), low, high, None)
            }
            Iteration::Entries(list) => {
                let value = self.expression(list, Scope::Program);
                let Term::Var(list_variable) = value.term else {
                    self.not_a_list(list.span, value.ty);
                    return;
                };
                let Some(entry_type) = value.ty.entry() else {
                    self.not_a_list(list.span, value.ty);
                    return;
                };
                // The kernel knows loops over integers only: `for v in q` runs over the places of q.
                let text = self.names.fresh(&format!("{}_index", variable.text), variable.span);
                let index = Ident { text, span: variable.span };
                let value = self.entry(Term::var(index.text.as_str()), &list_variable, entry_type);
                (index, Term::int(0), Term::Length(list_variable), Some((value, entry_type)))
            }
        };
        // One index may serve several loops, one after the other.
        if self.names.get(&index.text).is_none_or(|symbol| symbol.role != Role::LoopIndex) {
            self.declare(&index, Role::LoopIndex, Type::Int);
        }
        if self.loops.contains(&index.text) {
            self.sink.report(Code::DuplicateName, variable.span, || {
                format!("`{}` is the index of a loop around this one: expected another name", index.text)
            });
        }
        self.loops.push(index.text.clone());
        let mark = self.names.mark();
        let mut inner = Vec::with_capacity(body.len() + 1);
        if let Some((value, ty)) = entry {
            self.spans.push(variable.span);
            self.store(variable, ty, variable.span);
            inner.push(KernelStatement::Assign { var: Name::new(&variable.text), value });
        }
        inner.extend(self.block(body));
        self.names.undo(mark);
        self.loops.pop();
        out.push(KernelStatement::For { index: Name::new(&index.text), from, to, body: inner });
    }

    fn not_a_list(&mut self, span: Span, found: Type) {
        if found == Type::Table {
            self.no_row_loop(span);
        } else if found != Type::Unknown {
            self.sink.report_with(Code::WrongType, span, || {
                let hint = "write `for i in 0..n` to count";
                (
                    format!("a loop runs over a range or a list: expected a list, found {found}"),
                    Some(hint.into()),
                )
            });
        }
    }

    fn label(&mut self, label: Option<&Ident>) -> Name {
        self.whiles += 1;
        let Some(label) = label else { return Name::new(format!("loop{}", self.whiles)) };
        let known =
            self.names.get(&label.text).is_some_and(|s| s.role == Role::LoopLabel && s.span == label.span);
        if !known {
            self.declare(label, Role::LoopLabel, Type::Unknown);
        }
        Name::new(&label.text)
    }

    /// The law of a draw; `None` when its name or its number of arguments is at fault.
    fn law(&mut self, law: &Ident, arguments: &[Expr], span: Span) -> Option<Distribution> {
        if let Some(called) = self.uses.iter().find(|(name, _)| name.text == law.text) {
            return self.called_law(&called.1, law, arguments, span);
        }
        let Some((name, usage)) = DISTRIBUTIONS.iter().find(|(name, _)| *name == law.text) else {
            self.unknown_distribution(law);
            for argument in arguments {
                self.expression(argument, Scope::Program);
            }
            return None;
        };
        let result = match (*name, arguments) {
            // Between other numbers it is stretched.
            ("uniform", [_, _]) => Distribution::Uniform,
            ("sign", []) => Distribution::Sign,
            ("bernoulli", [p]) => Distribution::Bernoulli(self.probability(p)),
            ("uniform_int", [low, high]) => {
                let (from, to) = (self.integer(low), self.integer(high));
                if let (Some(a), Some(b)) = (constant(&from), constant(&to))
                    && a > b
                {
                    self.sink.report(Code::OutOfRange, low.span.to(high.span), || {
                        "no integer lies in this range: expected low <= high".to_string()
                    });
                }
                Distribution::UniformInt { low: from, high: to }
            }
            ("uniform_other", [value, count]) => {
                Distribution::UniformOther { value: self.integer(value), count: self.integer(count) }
            }
            ("response", [value, truth, count]) => {
                let value = self.integer(value);
                let truth = self.probability(truth);
                Distribution::Response { value, truth, count: self.integer(count) }
            }
            ("choose", [scores, scale]) => {
                let scores = self.scores(scores)?;
                Distribution::Choose { scores, scale: self.scale(scale) }
            }
            ("permute_and_flip", [scores, scale]) => {
                let scores = self.scores(scores)?;
                Distribution::PermuteAndFlip { scores, scale: self.scale(scale) }
            }
            ("sample", [table, rate]) => {
                let table = self.whole_table(table, "`sample` draws rows of a table")?;
                Distribution::Sample { table, rate: self.probability(rate) }
            }
            ("exponential", [scale]) => Distribution::Exponential { scale: self.scale(scale) },
            ("geometric", [scale]) => Distribution::Geometric { scale: self.scale(scale) },
            (centred, [scale]) if is_centred(centred) => {
                let scale = self.scale(scale);
                centred_law(centred, Term::int(0), scale)
            }
            (centred, [center, scale]) if is_centred(centred) => {
                let discrete = centred.starts_with("discrete");
                let ty = if discrete { Type::Int } else { Type::Real };
                let center = self.typed(center, Scope::Program, ty);
                let scale = self.scale(scale);
                centred_law(centred, center, scale)
            }
            _ => {
                self.sink.report(Code::WrongArity, span, || {
                    let found = arguments.len();
                    format!("`{name}` has {found} arguments here: expected {usage}")
                });
                for argument in arguments {
                    self.expression(argument, Scope::Program);
                }
                return None;
            }
        };
        Some(result)
    }

    /// The name of a list of numbers.
    fn scores(&mut self, list: &Expr) -> Option<Term> {
        let value = self.expression(list, Scope::Program);
        let numbers = matches!(value.ty, Type::RealList | Type::IntList | Type::EmptyList);
        if numbers && matches!(value.term, Term::Var(_)) {
            return Some(value.term);
        }
        if value.ty != Type::Unknown {
            self.sink.report_with(Code::WrongType, list.span, || {
                let message = format!(
                    "a choice is by a list of scores: expected the name of a list of numbers, found {}",
                    value.ty
                );
                (
                    message,
                    Some("start one with `scores = []` and fill it with `append(scores, value)`".into()),
                )
            });
        }
        None
    }

    fn unknown_distribution(&mut self, law: &Ident) {
        // The file that has this name may be one that could not be used.
        if self.sink.has(Code::BadUse) {
            return;
        }
        self.sink.report_with(Code::UnknownDistribution, law.span, || {
            let all: Vec<&'static str> = DISTRIBUTIONS.iter().map(|(name, _)| *name).collect();
            let hint = match (words::without_rule(&law.text), words::law(&law.text, &all)) {
                (Some(instead), _) => instead.to_owned(),
                (None, Some(near)) => format!("did you mean `{near}`?"),
                (None, None) => format!("the distributions are {}", all.join(", ")),
            };
            (format!("{} is no distribution: expected one of the language", quoted(&law.text)), Some(hint))
        });
    }

    fn integer(&mut self, expr: &Expr) -> Term {
        self.typed(expr, Scope::Program, Type::Int)
    }

    fn scale(&mut self, expr: &Expr) -> Term {
        let term = self.typed(expr, Scope::Program, Type::Real);
        if constant(&term).is_some_and(|scale| scale <= Rational::ZERO) {
            self.sink.report(Code::OutOfRange, expr.span, || {
                "the spread of a distribution is positive: expected a value above 0".to_string()
            });
        }
        term
    }

    fn probability(&mut self, expr: &Expr) -> Term {
        let term = self.typed(expr, Scope::Program, Type::Real);
        if constant(&term).is_some_and(|p| p < Rational::ZERO || p > Rational::ONE) {
            self.sink.report(Code::OutOfRange, expr.span, || {
                "this is no probability: expected a value from 0 to 1".to_string()
            });
        }
        term
    }
}

fn is_centred(name: &str) -> bool {
    matches!(name, "laplace" | "discrete_laplace" | "gaussian" | "discrete_gaussian" | "gumbel")
}

fn centred_law(name: &str, center: Term, spread: Term) -> Distribution {
    match name {
        "laplace" => Distribution::Laplace { center, scale: spread },
        "discrete_laplace" => Distribution::DiscreteLaplace { center, scale: spread },
        "gaussian" => Distribution::Gaussian { center, deviation: spread },
        "gumbel" => Distribution::Gumbel { center, scale: spread },
        _ => Distribution::DiscreteGaussian { center, deviation: spread },
    }
}

fn drawn_type(law: &Distribution) -> Type {
    match probity_kernel::law::kind(law) {
        Kind::Bool => Type::Bool,
        Kind::Int => Type::Int,
        Kind::Table => Type::Table,
        // No law draws a list.
        Kind::Real | Kind::List => Type::Real,
    }
}
