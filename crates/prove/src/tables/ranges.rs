//! What a sum adds up that no bound was found of: what to tell somebody who wrote it.

use probity_kernel::context::Context;
use probity_kernel::expr::{Expr, Name, Variable};

use super::{Sum, all_sums, between, is_set, value_between};

/// A sum whose value no parameter bounds, and a field that a clamp would bound it by.
pub(crate) fn unbounded(context: &Context) -> Option<(Sum, Vec<Name>)> {
    all_sums(context).into_iter().find_map(|sum| {
        if value_between(context, &sum, is_set).is_some() {
            return None;
        }
        let mut fields = Vec::new();
        open_fields(&sum.value, &mut fields);
        let bounds: Vec<Expr> =
            context.mechanism().assumptions.iter().cloned().chain([sum.condition.clone()]).collect();
        let free = |v: &Variable| between(context, &bounds, &Expr::Var(v.clone()), is_set).is_none();
        let mut names: Vec<Name> = Vec::new();
        for (_, name) in fields.into_iter().filter(|(v, _)| free(v)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        (!names.is_empty()).then_some((sum, names))
    })
}

/// A sum of what no bound was found of, though clamps hold all its fields.
pub(crate) fn of_no_known_range(context: &Context) -> Option<Sum> {
    all_sums(context).into_iter().find(|sum| value_between(context, sum, is_set).is_none())
}

/// The fields of an expression that no clamp holds: what is made of one that a clamp holds may be open for another reason.
fn open_fields(e: &Expr, fields: &mut Vec<(Variable, Name)>) {
    match e {
        Expr::Var(v @ Variable::Field(_, name)) => fields.push((v.clone(), name.clone())),
        Expr::Clamp(_, low, high) => [low, high].into_iter().for_each(|bound| open_fields(bound, fields)),
        _ => e.parts().into_iter().flatten().for_each(|part| open_fields(part, fields)),
    }
}
