//! A noisy test whether an answer is stable: what is released is the same in both runs where the test can be passed. What holds
//! before the noise is drawn is put down there, so that how the answer and its distance to another one are computed, by
//! cases, is looked at once and by itself.

use probity_kernel::context::{Context, for_each_expr};
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary};
use probity_kernel::privacy::start;
use probity_kernel::term::{Distribution, Statement};

use crate::algebra::{mentions, minus, plus};
use crate::derivation::Move;
use crate::plan::blocks::set_by;
use crate::tables::is_irrational;

/// The most variables of which an assertion says that they are equal.
const MOST_EQUAL: usize = 4;

/// The moves with what is known before a draw that is cut, if all before it is computed without draws and by cases. `apart` is
/// how far the centers may be from each other, and `thresholds` what a draw is compared with.
pub(crate) fn asserted(
    context: &Context,
    moves: &[Move],
    apart: &Expr,
    thresholds: &dyn Fn(&Name) -> Vec<Expr>,
) -> Option<Vec<Move>> {
    let body = &context.mechanism().body;
    let place = moves.iter().position(|step| !matches!(step, Move::Plain | Move::OneSided))?;
    let (before, rest) = (moves.get(..place)?, body.get(place..)?);
    if !before.contains(&Move::OneSided)
        || !matches!(moves[place], Move::UpTo(..) | Move::Below(..) | Move::Under(..) | Move::Tail(..))
    {
        return None;
    }
    let Statement::Draw { var, law } = rest.first()? else { return None };
    let (Distribution::Laplace { center, .. } | Distribution::DiscreteLaplace { center, .. }) = law else {
        return None;
    };
    let (first, second) = (context.in_run(center, Run::First), context.in_run(center, Run::Second));
    let mut parts = vec![start(), minus(first.clone(), second).abs().le(apart.clone())];
    let can_pass = thresholds(var).first().map(|at| first.gt(without_roots(at)))?;
    let read = |name: &Name| {
        let mut found = mentions(&context.mechanism().output, name);
        for_each_expr(rest, &mut |e| found |= e != center && mentions(e, name));
        found
    };
    let mut live: Vec<Name> = set_by(&body[..place]);
    live.retain(|name| read(name) && !mentions(center, name));
    live.dedup();
    let equal = |name: &Name| {
        let of = |run| Expr::of(name.clone(), run);
        can_pass.clone().implies(of(Run::First).equals(of(Run::Second)))
    };
    parts.extend(live.iter().take(MOST_EQUAL).map(equal));
    let (assertion, at) = (Move::Assert(Expr::all(parts)), place);
    Some([&moves[..at], &[assertion], &moves[at..]].concat())
}

/// A sum without the terms that have a logarithm or a root in them: what a threshold is above the noise.
fn without_roots(e: &Expr) -> Expr {
    match e {
        Expr::Binary(Binary::Add, a, b) => plus(without_roots(a), without_roots(b)),
        Expr::Binary(Binary::Sub, a, b) => minus(without_roots(a), without_roots(b)),
        Expr::Unary(Unary::Neg, a) => minus(Expr::int(0), without_roots(a)),
        _ if is_irrational(e) => Expr::int(0),
        _ => e.clone(),
    }
}
