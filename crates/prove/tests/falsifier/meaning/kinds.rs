//! Kinds once more, apart from the kernel's: what every assertion must have.

use probity_kernel::context::Context;
use probity_kernel::expr::{Binary, Expr, Unary, Variable};
use probity_kernel::kind::Kind;
use probity_kernel::term::Sort;

fn sort_kind(sort: &Sort) -> Kind {
    match sort {
        Sort::Real => Kind::Real,
        Sort::Int | Sort::Category { .. } => Kind::Int,
        Sort::Bool => Kind::Bool,
        Sort::RealList | Sort::IntList => Kind::List,
        Sort::Rows(_) => Kind::Table,
    }
}

fn variable(v: &Variable, context: &Context) -> Option<Kind> {
    let input = |name: &probity_kernel::expr::Name| {
        context.mechanism().inputs.iter().find(|input| input.name == *name)
    };
    let known = |name: &probity_kernel::expr::Name| {
        context.kinds().names().find(|(n, _)| *n == name).map(|(_, kind)| kind)
    };
    match v {
        Variable::Plain(name) if context.is_shared(name) => known(name),
        Variable::Plain(_) => None,
        Variable::Of(name, _) if context.is_shared(name) => None,
        Variable::Of(name, _) | Variable::Arbitrary(name, _) => known(name),
        Variable::Cost => Some(Kind::Real),
        Variable::Result => {
            Some(context.kind(&context.in_run(&context.mechanism().output, probity_kernel::expr::Run::First)))
        }
        // Not among what is drawn here.
        Variable::Changed(list) => input(list).map(|_| Kind::Int),
        Variable::Moved(list) => input(list).map(|_| Kind::List),
        Variable::Entry(_) => None,
        Variable::Field(table, field) | Variable::Row(table, _, field) => match &input(table)?.sort {
            Sort::Rows(fields) => fields.iter().find(|f| f.name == *field).map(|f| sort_kind(&f.sort)),
            _ => None,
        },
    }
}

/// The kind of an expression in an assertion; `None` if it has none.
pub fn kind_of(e: &Expr, context: &Context) -> Option<Kind> {
    let kind = |e: &Expr| kind_of(e, context);
    let number = |e: &Expr| kind(e).filter(|k| matches!(k, Kind::Int | Kind::Real));
    let join = |a: Kind, b: Kind| match (a, b) {
        (a, b) if a == b => Some(a),
        (Kind::Int | Kind::Real, Kind::Int | Kind::Real) => Some(Kind::Real),
        _ => None,
    };
    let needs = |e: &Expr, wanted| kind(e).filter(|k| *k == wanted);
    match e {
        Expr::Number(n) => Some(if n.is_int() { Kind::Int } else { Kind::Real }),
        Expr::Bool(_) => Some(Kind::Bool),
        Expr::EmptyList => Some(Kind::List),
        Expr::Var(v) => variable(v, context),
        Expr::Unary(Unary::Not, a) => needs(a, Kind::Bool),
        Expr::Unary(Unary::Neg | Unary::Abs, a) => number(a),
        Expr::Unary(Unary::Floor, a) => number(a).map(|_| Kind::Int),
        Expr::Unary(_, a) => number(a).map(|_| Kind::Real),
        Expr::Binary(Binary::And | Binary::Or, a, b) => {
            needs(a, Kind::Bool)?;
            needs(b, Kind::Bool)
        }
        Expr::Binary(Binary::Eq | Binary::Ne, a, b) => join(kind(a)?, kind(b)?).map(|_| Kind::Bool),
        Expr::Binary(Binary::Lt | Binary::Le | Binary::Ge | Binary::Gt, a, b) => {
            number(a)?;
            number(b).map(|_| Kind::Bool)
        }
        Expr::Binary(Binary::Div | Binary::RoundTo, a, b) => {
            number(a)?;
            number(b).map(|_| Kind::Real)
        }
        Expr::Binary(Binary::Mod, a, b) => {
            needs(a, Kind::Int)?;
            needs(b, Kind::Int)
        }
        Expr::Binary(_, a, b) => join(number(a)?, number(b)?),
        Expr::Clamp(a, b, c) => join(join(number(a)?, number(b)?)?, number(c)?),
        Expr::If(c, a, b) => {
            needs(c, Kind::Bool)?;
            join(kind(a)?, kind(b)?)
        }
        Expr::Index(list, at) => {
            needs(at, Kind::Int)?;
            variable(list, context).filter(|k| *k == Kind::List)?;
            let Variable::Of(name, _) = list else { return None };
            let input = context.mechanism().inputs.iter().find(|input| input.name == *name);
            Some(if input.is_some_and(|input| input.sort == Sort::IntList) { Kind::Int } else { Kind::Real })
        }
        // Neighbours have lists of one length, which is said once for both runs.
        Expr::Length(Variable::Plain(list)) => {
            let input = context.mechanism().inputs.iter().find(|input| input.name == *list)?;
            (sort_kind(&input.sort) == Kind::List).then_some(Kind::Int)
        }
        Expr::Length(Variable::Of(name, _)) => {
            let input = context.mechanism().inputs.iter().any(|input| input.name == *name);
            let list = context.kinds().names().any(|(n, kind)| n == name && kind == Kind::List);
            (list && !input).then_some(Kind::Int)
        }
        Expr::Length(_) => None,
        Expr::Apart(list, low, high) => {
            variable(&Variable::Of(list.clone(), probity_kernel::expr::Run::First), context)
                .filter(|k| *k == Kind::List)?;
            number(low)?;
            number(high).map(|_| Kind::Bool)
        }
        Expr::Sum(_, condition, value) => {
            needs(condition, Kind::Bool)?;
            number(value)
        }
    }
}
