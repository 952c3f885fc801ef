//! What a logarithm that is a price is multiplied with: how far the entries of a list have moved so far. The products are found where it is
//! said that the price is not negative, and that the next entry does not take back what the others moved by.

use probity_kernel::context::Context;
use probity_kernel::expr::{Expr, Name, Run, Unary, Variable};
use probity_kernel::fact::canonical;
use probity_kernel::kind::Kind;

use crate::algebra::{of_parameters, visit};

/// The most prices, and the most entries, in one question.
const MOST: usize = 2;

/// What is said of them, where a question has both.
pub(crate) fn prices<'a>(context: &Context, formulas: impl Iterator<Item = &'a Expr>) -> Vec<Expr> {
    let (mut logarithms, mut places): (Vec<Expr>, Vec<(Name, Expr)>) = (Vec::new(), Vec::new());
    for formula in formulas {
        visit(formula, &mut |e| match e {
            Expr::Unary(Unary::Ln, _) if of_parameters(context.mechanism(), e) => logarithms.push(e.clone()),
            Expr::Index(Variable::Moved(list), place) => places.push((list.clone(), (**place).clone())),
            _ => {}
        });
    }
    logarithms.sort();
    logarithms.dedup();
    places.sort();
    places.dedup();
    let same = |a: &Expr, b: &Expr| matches!((canonical(context, a), canonical(context, b)), (Ok(a), Ok(b)) if a == b);
    let zero = || Expr::int(0);
    let one = || Expr::int(1);
    let grows = places.iter().filter_map(|(list, place)| {
        let next = place.clone() + one();
        places.iter().find(|(other, later)| other == list && same(later, &next))?;
        let at = |run| place.clone().index_of(Variable::Of(list.clone(), run));
        let moved = |place: Expr| place.index_of(Variable::Moved(list.clone()));
        let apart = at(Run::First).differs(at(Run::Second));
        let inside =
            zero().le(place.clone()).and(place.clone().lt(Expr::Length(Variable::Plain(list.clone()))));
        let at_least = |more: Expr| (moved(place.clone()) + more).le(moved(next.clone()));
        let whole = context.kind(&at(Run::First)) == Kind::Int;
        let by_one = whole.then(|| inside.clone().and(apart).implies(at_least(one())));
        Some([Some(inside.implies(at_least(zero()))), by_one])
    });
    let grows: Vec<Expr> = grows.take(MOST).flatten().flatten().collect();
    match grows.is_empty() {
        true => vec![],
        false => logarithms.into_iter().take(MOST).map(|price| zero().le(price)).chain(grows).collect(),
    }
}
