//! Scales that have a distance as a factor, or that are made of a size, as abs(U - L) / eps is: the size is meant to bound what
//! changes, so what a change costs is read off the rest of the scale, without a quotient by the size.

use probity_exact::Rational;
use probity_kernel::context::Context;
use probity_kernel::expr::{Binary, Expr, Unary, Variable};

use super::Term;
use crate::algebra::{divided, factors, product};

/// A scale as factor·top/bottom.
struct Factored<'a> {
    factor: &'a Expr,
    top: Expr,
    bottom: Expr,
}

/// What a distance costs at a scale that has it as a factor, or that is made of a size, if the distance is at most that size.
pub(super) fn sized_price(distance: &Expr, scale: &Expr) -> Option<Expr> {
    let itself = |e: &Expr| e == distance && !matches!(e, Expr::Number(_));
    if let Some(Factored { top, bottom, .. }) = factored(scale, &itself) {
        return Some(divided(bottom, &top));
    }
    if let Some(price) = part_price(distance, scale) {
        return Some(price);
    }
    let Factored { top, bottom, .. } = factored(scale, &is_size)?;
    // 2·max(abs(L), abs(U)) is as large as U − L; a distance that is a size itself is compared with the size alone.
    Some(match (&top, is_size(distance)) {
        (Expr::Number(_), false) => bottom,
        _ => divided(bottom, &top),
    })
}

/// What a distance costs of which a factor, as U - L in (U - L) / n, is one of the scale: what the two have in common is left out.
fn part_price(distance: &Expr, scale: &Expr) -> Option<Expr> {
    let (mut above, mut below) = (Vec::new(), Vec::new());
    factors(distance, &mut above, &mut below);
    let made = |e: &Expr| is_size(e) || matches!(e, Expr::Binary(Binary::Add | Binary::Sub, ..));
    let place = above.iter().position(made)?;
    let part = above.remove(place);
    if above.is_empty() && below.is_empty() {
        return None;
    }
    let Factored { top, bottom, .. } = factored(scale, &|e| *e == part)?;
    factors(&bottom, &mut above, &mut below);
    factors(&top, &mut below, &mut above);
    below.retain(|e| match above.iter().position(|other| other == e) {
        Some(place) => {
            above.remove(place);
            false
        }
        None => true,
    });
    let price = above.into_iter().reduce(product).unwrap_or(Expr::int(1));
    Some(below.iter().fold(price, divided))
}

/// The factor that all sums of a number have, if it is made of positive parameters and is no number.
pub(super) fn common_factor(context: &Context, terms: &[Term]) -> Option<Expr> {
    let factor = &terms.first()?.factor;
    let (mut above, mut below) = (Vec::new(), Vec::new());
    factors(factor, &mut above, &mut below);
    let positive = |e: &Expr| match e {
        Expr::Number(n) => *n > Rational::ZERO,
        Expr::Var(Variable::Plain(name)) => context.is_positive(name),
        _ => false,
    };
    let is_common = terms.iter().all(|term| term.factor == *factor);
    let wanted = is_common && !matches!(factor, Expr::Number(_));
    (wanted && above.iter().chain(&below).all(positive)).then(|| factor.clone())
}

/// The size that a scale is made of.
pub(crate) fn size_of(scale: &Expr) -> Option<Expr> {
    factored(scale, &is_size).map(|known| known.factor.clone())
}

fn factored<'a>(scale: &'a Expr, wanted: &dyn Fn(&Expr) -> bool) -> Option<Factored<'a>> {
    if wanted(scale) {
        return Some(Factored { factor: scale, top: Expr::int(1), bottom: Expr::int(1) });
    }
    match scale {
        Expr::Binary(Binary::Mul, a, b) => match (factored(a, wanted), factored(b, wanted)) {
            (Some(known), None) => Some(Factored { top: product(known.top, (**b).clone()), ..known }),
            (None, Some(known)) => Some(Factored { top: product((**a).clone(), known.top), ..known }),
            _ => None,
        },
        Expr::Binary(Binary::Div, a, b) => {
            let known = factored(a, wanted)?;
            Some(Factored { bottom: product(known.bottom, (**b).clone()), ..known })
        }
        _ => None,
    }
}

/// Whether an expression says how large something is, by cases.
fn is_size(e: &Expr) -> bool {
    match e {
        Expr::Unary(Unary::Abs, _) | Expr::Binary(Binary::Min | Binary::Max, ..) | Expr::If(..) => true,
        Expr::Binary(Binary::Add | Binary::Sub, a, b) => is_size(a) || is_size(b),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_left_out_of_the_price() {
        let (l, u, eps) = (Expr::var("L"), Expr::var("U"), Expr::var("eps"));
        let width = u.clone() - l.clone();
        let size = width.clone().abs();
        assert_eq!(sized_price(&width, &(size.clone() / eps.clone())), Some(eps.clone()));
        assert_eq!(sized_price(&width, &(Expr::int(2) * size.clone() / eps.clone())), Some(eps.clone()));
        let half = eps.clone() / Expr::int(2);
        assert_eq!(sized_price(&size, &(Expr::int(2) * size.clone() / eps.clone())), Some(half));
        assert_eq!(sized_price(&u, &(width.clone() / eps.clone())), None);
        assert_eq!(sized_price(&width, &(size.clone() * size.clone() / eps.clone())), None);
        assert_eq!(size_of(&(Expr::int(2) * size.clone() / eps.clone())), Some(size));
        // A distance that is a factor of the scale.
        let root = Expr::var("d").sqrt();
        let scale = u.clone() * root.clone() / eps.clone();
        assert_eq!(sized_price(&u, &scale), Some(eps / root));
        assert_eq!(sized_price(&Expr::int(1), &(Expr::int(1) / u)), None);
        // A distance that has a factor in common with the scale.
        let (n, eps) = (Expr::var("n"), Expr::var("eps"));
        let mean = Expr::int(1) / n.clone() * width.clone();
        assert_eq!(sized_price(&mean, &(width.clone() / (n.clone() * eps.clone()))), Some(eps.clone()));
        assert_eq!(sized_price(&mean, &(width.clone() / n / eps.clone())), Some(eps.clone()));
        assert_eq!(sized_price(&mean, &(l / eps)), None);
    }
}
